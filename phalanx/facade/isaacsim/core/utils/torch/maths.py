"""Mathematics of torch tensors, and seeds."""

import math
import os
import random
from typing import Any

import numpy as np

from phalanx.facade.isaacsim.core.utils.torch.module import torch
from phalanx.facade.namespaces import Array, scriptable


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


def unscale_np(x: Array, lower: Array, upper: Array) -> Array:
    """Numbers between limits as numbers between -1 and 1."""
    return (2.0 * x - upper - lower) / (upper - lower)


def scale(x: Array, lower: Array, upper: Array) -> Array:
    """Numbers between -1 and 1 as numbers between limits."""
    return 0.5 * (x + 1.0) * (upper - lower) + lower


def unscale(x: Array, lower: Array, upper: Array) -> Array:
    """Numbers between limits as numbers between -1 and 1."""
    return unscale_np(x, lower, upper)


def tensor_clamp(t: Array, min_t: Array, max_t: Array) -> Array:
    """A tensor with its elements cut to limits."""
    return torch().clamp(t, min_t, max_t)


saturate = tensor_clamp


def normalize(x: Array, eps: float = 1e-9) -> Array:
    """Vectors, (..., n), divided by their lengths, which are at least ``eps``."""
    return x / x.norm(dim=-1, keepdim=True).clamp(min=eps)


def scale_transform(x: Array, lower: Array, upper: Array) -> Array:
    """Numbers between limits as numbers between -1 and 1."""
    return unscale_np(x, lower, upper)


def unscale_transform(x: Array, lower: Array, upper: Array) -> Array:
    """Numbers between -1 and 1 as numbers between limits."""
    return scale(x, lower, upper)


def copysign(a: float, b: Array) -> Array:
    """The magnitude of a number with the signs of others, (N,); 0 where those are 0."""
    return abs(a) * torch().sign(b)


def torch_random_dir_2(shape: tuple[int, int], device: str) -> Array:
    """Directions in the plane, (N, 2), of a shape (N, 1)."""
    angle = torch_rand_float(-math.pi, math.pi, shape, device).squeeze(-1)
    return torch().stack([torch().cos(angle), torch().sin(angle)], -1)


def torch_rand_float(lower: float, upper: float, shape: tuple[int, int], device: str) -> Array:
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
    "copysign",
    "cos",
    "inverse",
    "matmul",
    "normalize",
    "saturate",
    "scale",
    "scale_transform",
    "set_seed",
    "sin",
    "tensor_clamp",
    "torch_rand_float",
    "torch_random_dir_2",
    "transpose_2d",
    "unscale",
    "unscale_np",
    "unscale_transform",
]

scriptable(
    globals(),
    [
        "copysign",
        "normalize",
        "saturate",
        "scale",
        "scale_transform",
        "tensor_clamp",
        "torch_rand_float",
        "torch_random_dir_2",
        "unscale",
        "unscale_np",
        "unscale_transform",
    ],
)
