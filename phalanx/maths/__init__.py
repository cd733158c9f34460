"""Rotations and vectors: of arrays, and as helpers of kernels."""
