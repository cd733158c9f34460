"""Torch tensors: made, copied, written to, put together. Types are given by name: ``"float32"``, ``"int64"``, ..."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.arrays import accept
from phalanx.facade.isaaclab.utils.array import convert_to_torch
from phalanx.facade.isaacsim.core.utils.numpy.tensor import as_index
from phalanx.facade.isaacsim.core.utils.torch.module import torch


def _type(dtype: Any) -> Any:
    if not isinstance(dtype, str):
        return dtype
    found = getattr(torch(), dtype, None)
    if not isinstance(found, torch().dtype):
        raise TypeError(f"torch has no type {dtype!r} of elements")
    return found


def as_type(data: Any, dtype: Any) -> Any:
    """A tensor with another type of elements.

    Raises:
        TypeError: there is no such type.
    """
    return data.to(_type(dtype))


def convert(data: Any, device: Any, dtype: Any = "float32", indexed: Any = None) -> Any:
    """Any array, sequence or number as a tensor on a device; ``indexed`` has no meaning here. It may share memory."""
    return convert_to_torch(data, _type(dtype), device)


def create_tensor_from_list(data: Any, dtype: Any, device: Any = None) -> Any:
    """A new tensor of a sequence."""
    return torch().tensor(data, dtype=_type(dtype), device=device)


def create_zeros_tensor(shape: Any, dtype: Any, device: Any = None) -> Any:
    """A new tensor of zeros."""
    return torch().zeros(shape, dtype=_type(dtype), device=device)


def clone_tensor(data: Any, device: Any) -> Any:
    """A copy on a device that shares no memory."""
    return data.clone().to(device)


def move_data(data: Any, device: Any) -> Any:
    """A tensor on a device: itself if it is there."""
    return data.to(device)


def assign(src: Any, dst: Any, indices: Any) -> Any:
    """Write ``src`` into ``dst`` at indices, and return that.

    Indices of several dimensions are a list of tensors, which are broadcast: ``[rows[:, None], columns]`` is a block.
    """
    dst[as_index(indices)] = src
    return dst


def expand_dims(data: Any, axis: int) -> Any:
    """A tensor with one more dimension of length 1 at ``axis``."""
    return torch().unsqueeze(data, axis)


def pad(data: Any, pad_width: Any, mode: Any = "constant", value: Any = None) -> Any:
    """A tensor with more elements around it, as many as ``torch.nn.functional.pad`` is told, last dimension first."""
    return torch().nn.functional.pad(data, pad_width, mode, value)


def resolve_indices(indices: Any, count: int, device: Any) -> Any:
    """Indices as an int64 tensor on a device; ``None`` is all of them, 0 to ``count`` - 1."""
    known = torch()
    if indices is None:
        return known.arange(count, device=device)
    return convert_to_torch(indices, known.int64, device).reshape(-1)


def tensor_cat(data: Sequence[Any], device: Any = None, dim: int = -1) -> Any:
    """Tensors one after the other along a dimension."""
    found = torch().cat(tuple(data), dim=dim)
    return found if device is None else found.to(device)


def tensor_stack(data: Sequence[Any], dim: int = 0) -> Any:
    """Tensors side by side along a new dimension."""
    return torch().stack(tuple(data), dim=dim)


def to_list(data: Any) -> list[Any]:
    """The elements, as lists; lists stay what they are."""
    return data if isinstance(data, list) else data.tolist()


def to_numpy(data: Any) -> Any:
    """Any array or sequence as NumPy's."""
    return accept(data)


__all__ = [
    "as_type",
    "assign",
    "clone_tensor",
    "convert",
    "create_tensor_from_list",
    "create_zeros_tensor",
    "expand_dims",
    "move_data",
    "pad",
    "resolve_indices",
    "tensor_cat",
    "tensor_stack",
    "to_list",
    "to_numpy",
]
