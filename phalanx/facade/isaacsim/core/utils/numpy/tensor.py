"""NumPy arrays: made, copied, written to, put together. Types are given by name: ``"float32"``, ``"int64"``, ..."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import accept, api_of


def as_type(data: Any, dtype: Any) -> np.ndarray:
    """An array with another type of elements.

    Raises:
        TypeError: there is no such type.
    """
    return np.asarray(data).astype(_type(dtype))


def _type(dtype: Any) -> Any:
    return np.int64 if dtype == "long" else dtype


def convert(data: Any, device: Any = None, dtype: Any = "float32", indexed: Any = None) -> np.ndarray:
    """Any array, sequence or number as an array; ``indexed`` has no meaning here. It may share memory."""
    return np.asarray(accept(data), dtype=_type(dtype))


def create_tensor_from_list(data: Any, dtype: Any, device: Any = None) -> np.ndarray:
    """A new array of a sequence."""
    return np.array(data, dtype=_type(dtype))


def create_zeros_tensor(shape: Any, dtype: Any, device: Any = None) -> np.ndarray:
    """A new array of zeros."""
    return np.zeros(shape, dtype=_type(dtype))


def clone_tensor(data: Any, device: Any = None) -> np.ndarray:
    """A copy that shares no memory."""
    return np.copy(data)


def move_data(data: Any, device: Any = None) -> Any:
    """The array itself: it is on the CPU already."""
    return data


def assign(src: Any, dst: np.ndarray, indices: Any) -> np.ndarray:
    """Write ``src`` into ``dst`` at indices, and return that.

    Indices of several dimensions are a list of arrays, which are broadcast: ``[rows[:, None], columns]`` is a block.
    """
    dst[as_index(indices)] = src
    return dst


def as_index(indices: Any) -> Any:
    """A list of arrays is an index of several dimensions; a list of numbers one of the first."""
    several = isinstance(indices, list) and any(api_of(one) is not None and one.ndim for one in indices)
    return tuple(indices) if several else indices


def expand_dims(data: Any, axis: int) -> np.ndarray:
    """An array with one more dimension of length 1 at ``axis``."""
    return np.expand_dims(data, axis)


def pad(data: Any, pad_width: Any, mode: Any = "constant", value: Any = None) -> np.ndarray:
    """An array with more elements around it, as many as :func:`numpy.pad` is told; zeros if ``value`` is ``None``."""
    if mode == "constant":
        return np.pad(data, pad_width, mode, constant_values=0 if value is None else value)
    return np.pad(data, pad_width, mode)


def resolve_indices(indices: Any, count: int, device: Any = None) -> np.ndarray:
    """Indices as an int64 array; ``None`` is all of them, 0 to ``count`` - 1."""
    return np.arange(count) if indices is None else np.asarray(accept(indices), np.int64).reshape(-1)


def tensor_cat(data: Sequence[Any], device: Any = None, dim: int = -1) -> np.ndarray:
    """Arrays one after the other along a dimension."""
    return np.concatenate(data, axis=dim)


def tensor_stack(data: Sequence[Any], dim: int = 0) -> np.ndarray:
    """Arrays side by side along a new dimension."""
    return np.stack(data, axis=dim)


def to_list(data: Any) -> list[Any]:
    """The elements, as lists; lists stay what they are."""
    return data if isinstance(data, list) else np.asarray(data).tolist()


def to_numpy(data: Any) -> np.ndarray:
    """Any array or sequence as NumPy's."""
    return np.asarray(accept(data))


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
