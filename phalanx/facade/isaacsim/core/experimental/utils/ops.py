"""Anything array-like as arrays of Warp; where ``warp-lang`` is not installed, as the engine's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import accept, api_of
from phalanx.facade.backends import is_warp, to_warp
from phalanx.facade.isaacsim.core.utils.warp.module import device_of


def engine_array(x: Any, dtype: Any = None, device: Any = None) -> Any:
    """Anything array-like as NumPy's, or CuPy's on a GPU, without a copy where it is there already.

    Args:
        x: an array, a number, or a list of numbers.
        dtype: of Warp, of NumPy or by name; as it is by default, real numbers of Python as float64.
        device: by default where an array is; lists are on the CPU.

    Raises:
        TypeError: it is no array, number or list.
    """
    if not isinstance(x, bool | int | float | list | tuple) and api_of(x) is None and not is_warp(x):
        raise TypeError(f"{type(x).__name__} is no array, no list and no number")
    where = device_of(x) if device is None else str(device)
    where = "cuda:0" if where == "cuda" else where
    given: Any = np.array([x]) if isinstance(x, bool | int | float) else x
    if is_warp(given) and not getattr(given, "is_contiguous", True):
        given = given.contiguous()
    array = accept(given, where)
    kind = numpy_dtype(dtype)
    return array if kind is None or array.dtype == kind else array.astype(kind)


def numpy_dtype(dtype: Any) -> Any:
    """A type of elements, of Warp, of NumPy or by name, as NumPy's; ``None`` for ``None``."""
    if dtype is None:
        return None
    if getattr(dtype, "__module__", "").partition(".")[0] == "warp":
        import warp  # pyright: ignore[reportMissingImports]

        return np.dtype(warp.dtype_to_numpy(dtype))
    return np.dtype(dtype)


def place(x: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array, a number (as an array of one) or a list of numbers as an array of Warp.

    Args:
        x: what is placed. An array of Warp that is as it is asked for is given back itself.
        dtype: of the elements, such as ``wp.float32``; as they are by default.
        device: ``"cpu"`` or ``"cuda:N"``; where an array is, or the CPU, by default.

    Raises:
        TypeError: it is no array, number or list.
    """
    array = engine_array(x, dtype, device)
    same = is_warp(x) and device_of(x) == device_of(array) and (dtype is None or numpy_dtype(x.dtype) == array.dtype)
    return x if same else to_warp(array)


def resolve_indices(x: Any, *, count: int | None = None, dtype: Any = None, device: Any = None) -> Any:
    """Numbers of prims as an array of Warp, (M,).

    Args:
        x: an array of any shape, a list, a number, or ``None`` for all.
        count: how many there are.
        dtype: of the numbers; int32 by default.
        device: where.

    Raises:
        ValueError: neither ``x`` nor ``count`` is given.
        TypeError: ``x`` is no array, number or list.
    """
    if x is None:
        if count is None:
            raise ValueError("either x or count must be given: without both nobody knows how many there are")
        x = np.arange(count)
    return to_warp(engine_array(x, np.int32 if dtype is None else dtype, device).reshape(-1))


def broadcast_engine(x: Any, shape: Sequence[int], dtype: Any = None, device: Any = None) -> Any:
    """What :func:`broadcast_to` gives, as the engine's array."""
    array = engine_array(x, dtype, device)
    wanted = tuple(int(size) for size in shape)
    if array.shape == wanted:
        return array
    try:
        if isinstance(array, np.ndarray):
            return np.ascontiguousarray(np.broadcast_to(array, wanted))
        import cupy  # pyright: ignore[reportMissingImports]

        return cupy.ascontiguousarray(cupy.broadcast_to(array, wanted))
    except ValueError:
        raise ValueError(f"an array of shape {tuple(array.shape)} cannot be broadcast to {wanted}") from None


def broadcast_to(x: Any, *, shape: Sequence[int], dtype: Any = None, device: Any = None) -> Any:
    """Anything that :func:`place` takes as an array of Warp of a shape, by NumPy's rules.

    Raises:
        ValueError: its shape does not fit.
        TypeError: it is no array, number or list.
    """
    array = broadcast_engine(x, shape, dtype, device)
    same = is_warp(x) and tuple(x.shape) == array.shape and device_of(x) == device_of(array)
    return x if same and numpy_dtype(x.dtype) == array.dtype else to_warp(array)


__all__ = ["broadcast_to", "place", "resolve_indices"]
