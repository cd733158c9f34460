"""Utilities of scripts written for Isaac Sim, ``omni.isaac.core.utils`` to older ones."""
