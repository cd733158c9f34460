"""Arrays of Warp: made, copied, written to, put together. Types are given by name: ``"float32"``, ``"int32"``, ..."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import is_installed
from phalanx.facade.backends import is_warp
from phalanx.facade.isaacsim.core.utils.warp.module import (
    device_of,
    element_type,
    engine_array,
    give,
    module_of,
    real_array,
)


def as_type(data: Any, dtype: Any) -> Any:
    """An array with another type of elements; what is bool becomes uint8.

    Raises:
        TypeError: Warp's arrays have no such elements.
    """
    array = engine_array(data)
    return give((array != 0 if dtype == "bool" else array).astype(element_type(dtype)))


def convert(data: Any, device: Any = None, dtype: Any = "float32", indexed: Any = None) -> Any:
    """Any array or sequence as an array on a device; arrays of Warp keep their type.

    Args:
        data: what it is made of.
        device: ``"cpu"`` or ``"cuda:N"``.
        dtype: of what is made of other things than Warp's arrays.
        indexed: whether it becomes an indexed array, which is not the case without ``warp-lang``.
    """
    if is_warp(data):
        found = data.to("cpu" if device is None else str(device))
    else:
        found = give(engine_array(data, device, dtype))
    if indexed and is_installed("warp") and not hasattr(found, "indices"):
        warp: Any = __import__("warp")
        return warp.indexedarray(found, [None])
    return found


def create_tensor_from_list(data: Any, dtype: Any, device: Any = None) -> Any:
    """A new array of a sequence."""
    return give(engine_array(np.array(data, element_type(dtype)), device))


def create_zeros_tensor(shape: Any, dtype: Any, device: Any = None) -> Any:
    """A new array of zeros."""
    return give(engine_array(np.zeros(tuple(shape), element_type(dtype)), device))


def arange(n: int, device: Any = "cpu") -> Any:
    """0 to ``n`` - 1, int32."""
    return give(engine_array(np.arange(n, dtype=np.int32), device))


def ones(n: int, device: Any = "cpu", dtype: Any = "float32") -> Any:
    """``n`` ones."""
    return give(engine_array(np.ones(n, element_type(dtype)), device))


def clone_tensor(data: Any, device: Any = None) -> Any:
    """A copy on a device that shares no memory."""
    return give(engine_array(data, device).copy())


def move_data(data: Any, device: Any = None) -> Any:
    """An array on a device: itself if it is there."""
    where = device_of(data) if device is None else "cuda:0" if str(device) == "cuda" else str(device)
    return data if where == device_of(data) else give(engine_array(data, where))


def assign(src: Any, dst: Any, indices: Any) -> Any:
    """Write ``src`` into ``dst`` at indices, and return that.

    Args:
        src: a number, or an array of the shape of what is written.
        dst: an array of Warp's.
        indices: rows, (n,); or a list of up to three of these, of which all combinations are written.

    Raises:
        ValueError: ``src`` has another shape.
    """
    target = engine_array(dst)
    where = device_of(target)
    several = isinstance(indices, list) and bool(indices) and all(np.ndim(_size(one)) for one in indices)
    axes = [engine_array(one, where, "int64") for one in (indices if several else [indices])]
    xp = module_of(target)
    index = xp.ix_(*axes) if len(axes) > 1 and all(axis.ndim == 1 for axis in axes) else tuple(axes)
    value = engine_array(src, where)
    shape = target[index].shape
    if value.ndim and value.shape != shape:
        raise ValueError(f"src has shape {value.shape}; what is written has {shape}")
    target[index] = value
    return dst


def _size(index: Any) -> Any:
    """Something whose number of dimensions is that of an index."""
    return np.zeros(index.shape, bool) if hasattr(index, "shape") else index


def expand_dims(data: Any, axis: int) -> Any:
    """An array with one more dimension of length 1 at ``axis``."""
    array = engine_array(data)
    return give(module_of(array).expand_dims(array, axis))


def pad(data: Any, pad_width: Any, mode: Any = "constant", value: Any = None) -> Any:
    """An array with more elements around it, as many as :func:`numpy.pad` is told; zeros if ``value`` is ``None``."""
    array = engine_array(data)
    more = {"constant_values": 0 if value is None else value} if mode == "constant" else {}
    return give(module_of(array).pad(array, pad_width, mode, **more))


def resolve_indices(indices: Any, count: int, device: Any = None) -> Any:
    """Indices as an int32 array on a device; ``None`` is all of them, 0 to ``count`` - 1."""
    return arange(count, device or "cpu") if indices is None else give(engine_array(indices, device, "int32"))


def tensor_cat(data: Sequence[Any], device: Any = None, dim: int = -1) -> Any:
    """Arrays one after the other along a dimension."""
    arrays = [engine_array(one, device) for one in data]
    return give(module_of(arrays[0]).concatenate(arrays, axis=dim))


def tensor_stack(data: Sequence[Any], dim: int = 0) -> Any:
    """Arrays side by side along a new dimension."""
    arrays = [engine_array(one) for one in data]
    return give(module_of(arrays[0]).stack(arrays, axis=dim))


def finite_diff2(a: Any, b: Any, dt: float) -> Any:
    """Differences of two arrays by the time between them: (``a`` - ``b``) / ``dt``."""
    first = real_array(a)
    return give((first - real_array(b, device_of(first))) / np.float32(dt))


def to_list(data: Any) -> list[Any]:
    """The elements, as lists; lists stay what they are."""
    return data if isinstance(data, list) else to_numpy(data).tolist()


def to_numpy(data: Any) -> np.ndarray:
    """Any array or sequence as NumPy's."""
    return engine_array(data, "cpu")


__all__ = [
    "arange",
    "as_type",
    "assign",
    "clone_tensor",
    "convert",
    "create_tensor_from_list",
    "create_zeros_tensor",
    "expand_dims",
    "finite_diff2",
    "move_data",
    "ones",
    "pad",
    "resolve_indices",
    "tensor_cat",
    "tensor_stack",
    "to_list",
    "to_numpy",
]
