"""Utilities of the newer names: stages, prims, arrays, rotations, backends."""
