"""Utilities of scripts written for Isaac Lab."""
