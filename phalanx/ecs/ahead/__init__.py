"""Kernels compiled before they are needed, in other processes."""
