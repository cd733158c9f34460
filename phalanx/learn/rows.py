"""Sums along the last axis whose bits do not depend on how many rows there are.

torch's own sums add in an order that depends on the shape and strides of the whole tensor, so an environment would have
other rewards, in the last bit, among others than alone.
"""

from __future__ import annotations

import torch


def row_sum(values: torch.Tensor) -> torch.Tensor:
    """(...): the sum of (..., n) floats, by halves: ceil(log2 n) additions of whole tensors."""
    while values.shape[-1] > 1:
        half, odd = divmod(values.shape[-1], 2)
        folded = values[..., :half] + values[..., half : 2 * half]
        values = torch.cat((folded, values[..., -1:]), dim=-1) if odd else folded
    return values[..., 0]


def row_norm(values: torch.Tensor) -> torch.Tensor:
    """(...): Euclidean length of (..., n)."""
    return row_sum(values * values).sqrt()
