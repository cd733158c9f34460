"""Mathematics of NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def cos(data: Any) -> np.ndarray:
    """Cosines of angles in rad."""
    return np.cos(data)


def sin(data: Any) -> np.ndarray:
    """Sines of angles in rad."""
    return np.sin(data)


def inverse(data: Any) -> np.ndarray:
    """Inverses of matrices, (..., n, n)."""
    return np.linalg.inv(data)


def matmul(matrix_a: Any, matrix_b: Any) -> np.ndarray:
    """Products of matrices, (..., n, m) and (..., m, k)."""
    return np.matmul(matrix_a, matrix_b)


def transpose_2d(data: Any) -> np.ndarray:
    """A matrix, (n, m), with rows and columns exchanged."""
    return np.transpose(data)


__all__ = ["cos", "inverse", "matmul", "sin", "transpose_2d"]
