"""Mathematics of torch tensors, and seeds."""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np

from phalanx.facade.isaacsim.core.utils.torch.module import torch


def cos(data: Any) -> Any:
    """Cosines of angles in rad."""
    return torch().cos(data)


def sin(data: Any) -> Any:
    """Sines of angles in rad."""
    return torch().sin(data)


def inverse(data: Any) -> Any:
    """Inverses of matrices, (..., n, n)."""
    return torch().linalg.inv(data)


def matmul(matrix_a: Any, matrix_b: Any) -> Any:
    """Products of matrices, (..., n, m) and (..., m, k)."""
    return torch().matmul(matrix_a, matrix_b)


def transpose_2d(data: Any) -> Any:
    """A matrix, (n, m), with rows and columns exchanged."""
    return torch().transpose(data, 0, 1)


def unscale_np(x: Any, lower: Any, upper: Any) -> Any:
    """Numbers between limits as numbers between -1 and 1."""
    return (2.0 * x - upper - lower) / (upper - lower)


def scale(x: Any, lower: Any, upper: Any) -> Any:
    """Numbers between -1 and 1 as numbers between limits."""
    return 0.5 * (x + 1.0) * (upper - lower) + lower


def unscale(x: Any, lower: Any, upper: Any) -> Any:
    """Numbers between limits as numbers between -1 and 1."""
    return unscale_np(x, lower, upper)


def tensor_clamp(t: Any, min_t: Any, max_t: Any) -> Any:
    """A tensor with its elements cut to limits."""
    return torch().clamp(t, min_t, max_t)


saturate = tensor_clamp


def normalize(x: Any, eps: float = 1e-9) -> Any:
    """Vectors, (..., n), divided by their lengths, which are at least ``eps``."""
    return x / x.norm(dim=-1, keepdim=True).clamp(min=eps)


def torch_rand_float(lower: float, upper: float, shape: Any, device: Any) -> Any:
    """Numbers uniformly distributed between limits, from torch's generator."""
    return (upper - lower) * torch().rand(*shape, device=device) + lower


def set_seed(seed: int, torch_deterministic: bool = False) -> int:
    """Seed the random numbers of Python, NumPy and torch.

    Args:
        seed: -1 is a random one, or 42 if ``torch_deterministic``.
        torch_deterministic: let torch refuse operations whose results depend on the order of threads.

    Returns:
        The seed.
    """
    known = torch()
    if seed == -1:
        seed = 42 if torch_deterministic else random.SystemRandom().randrange(10000)
    random.seed(seed)
    np.random.seed(seed)
    known.manual_seed(seed)
    if torch_deterministic:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        known.use_deterministic_algorithms(True)
    return seed


__all__ = [
    "cos",
    "inverse",
    "matmul",
    "normalize",
    "saturate",
    "scale",
    "set_seed",
    "sin",
    "tensor_clamp",
    "torch_rand_float",
    "transpose_2d",
    "unscale",
    "unscale_np",
]
