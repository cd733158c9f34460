"""Arrays of Warp where the package ``warp-lang`` is installed, else the engine's own, and the way between the two."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from phalanx.facade.arrays import accept, api_of, is_cpu
from phalanx.facade.backends import Backend, is_warp

TYPES = {
    "float32": "float32",
    "float64": "float64",
    "int32": "int32",
    "int64": "int64",
    "long": "int64",
    "uint8": "uint8",
    "bool": "uint8",
}
"""Types of elements by name: Warp's kernels have no arrays of bool."""


def element_type(name: Any) -> Any:
    """A type of elements, by name or as NumPy has it.

    Raises:
        TypeError: Warp's arrays have no such elements.
    """
    if not isinstance(name, str):
        return np.dtype(name)
    if name not in TYPES:
        raise TypeError(f"Warp's arrays have no elements of type {name!r}; they have {', '.join(TYPES)}")
    return np.dtype(TYPES[name])


def device_of(value: Any) -> str:
    """``"cpu"`` or ``"cuda:N"``: where an array is; lists and numbers are on the CPU."""
    found: Any = getattr(value, "device", "cpu")
    if api_of(value) == "cupy":
        return f"cuda:{found.id}"
    name = str(found)
    return "cuda:0" if name == "cuda" else name if name.startswith("cuda:") else "cpu"


def engine_array(value: Any, device: Any = None, dtype: Any = None) -> Any:
    """Anything array-like as NumPy's, or CuPy's on a GPU, without a copy where it is on the device already."""
    where = device_of(value) if device is None else "cuda:0" if str(device) == "cuda" else str(device)
    if is_warp(value) and hasattr(value, "indices"):  # an indexed array has no memory of its own
        value = value.contiguous()
    array = accept(value, where)
    return array if dtype is None else array.astype(element_type(dtype), copy=False)


def real_array(value: Any, device: Any = None) -> Any:
    """The same, of float32."""
    return engine_array(value, device, "float32")


def give(array: Any) -> Any:
    """An array of NumPy or CuPy as Warp's, with the same memory."""
    if array.dtype == bool:
        array = array.astype(np.uint8)
    return Backend("warp", device_of(array)).give(array)


def module_of(array: Any) -> ModuleType:
    """NumPy or CuPy: that which an array is of."""
    if is_cpu(device_of(array)):
        return np
    import cupy  # pyright: ignore[reportMissingImports]

    return cupy
