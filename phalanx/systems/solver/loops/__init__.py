"""Joints that close loops, and their limits."""
