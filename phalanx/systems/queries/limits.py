"""Numbers that mean far away."""

import math

INF = math.inf
"""No hit; in the kernels of the world's float type."""
FARTHEST = 1e30
"""Stands for an infinite way, m: less than infinite, so that no hit is beyond it."""
