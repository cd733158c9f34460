"""Arrays of the backends that Isaac Sim's core knows: NumPy's, torch's and Warp's, made from the engine's and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import ArrayAPIError, accept, api_of, hand_out, is_cpu, is_warp, to_warp

NAMES = ("numpy", "torch", "warp")


def check(backend: str) -> str:
    """A backend's name.

    Raises:
        ValueError: it is unknown.
    """
    if backend not in NAMES:
        raise ValueError(f"backend {backend!r} is not supported; it must be numpy, torch or warp")
    return backend


class Backend:
    """Arrays of a backend on a device.

    Args:
        name: ``"numpy"``, ``"torch"`` or ``"warp"``. Arrays of Warp are the engine's own, NumPy's or CuPy's, where
            the package ``warp-lang`` is not installed.
        device: ``"cpu"`` or ``"cuda:N"``.
    """

    def __init__(self, name: str = "numpy", device: str = "cpu") -> None:
        self.name, self.device = check(name), device
        self._is_cpu = is_cpu(device)

    def __repr__(self) -> str:
        return f"<Backend {self.name} on {self.device}>"

    @property
    def xp(self) -> Any:
        """The module that computes on the engine's arrays."""
        if self._is_cpu:
            return np
        import cupy  # pyright: ignore[reportMissingImports]

        return cupy

    def give(self, array: Any) -> Any:
        """An array of the engine as the backend's, without a copy where it can look at the memory.

        float64 becomes float32. An array on the CPU is brought to the device.
        """
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        if not self._is_cpu and isinstance(array, np.ndarray) and self.name != "numpy":
            array = self.xp.asarray(array)
        if self.name == "numpy":
            return array if isinstance(array, np.ndarray) else array.get()
        if self.name == "torch":
            return hand_out(array, "torch")
        return to_warp(array)

    def take(self, value: Any, dtype: str = "float32") -> Any:
        """Anything array-like as an array of the engine on the device; what is ``None`` in lists becomes NaN."""
        if api_of(value) is None and not hasattr(value, "__array_interface__") and not is_warp(value):
            value = _filled(value)
        array = accept(value, self.device)
        return array if array.dtype == dtype else array.astype(dtype)

    def rows(self, indices: Any, count: int) -> Any:
        """Numbers of rows as an array of the engine, or ``None`` for all of them in order.

        Raises:
            TypeError: they are no whole numbers.
            IndexError: one of them is out of range; nothing waits to see that of what is on a GPU already.
        """
        if indices is None:
            return None
        if isinstance(indices, slice | range):
            indices = np.arange(count)[indices] if isinstance(indices, slice) else np.asarray(indices)
        if not self._is_cpu and isinstance(indices, list | tuple | int | np.ndarray):
            indices = Backend("numpy").rows(indices, count)
        array = accept(indices, self.device).reshape(-1)
        if array.dtype.kind == "b":
            array = self.xp.flatnonzero(array)
        if array.dtype.kind not in "iu":
            if array.size or array.dtype.kind not in "f":
                raise TypeError(f"indices must be whole numbers, not {array.dtype}")
            array = array.astype(np.int64)
        if isinstance(array, np.ndarray) and array.size and not (array.min() >= 0 and array.max() < count):
            raise IndexError(f"indices must lie in 0..{count - 1}; got {array.min()} to {array.max()}")
        return array.astype(np.int64)

    def host(self, indices: Any, count: int) -> np.ndarray:
        """The same as :meth:`rows` on the host; all of them for ``None``."""
        found = self.rows(indices, count)
        if found is None:
            return np.arange(count)
        return found if isinstance(found, np.ndarray) else found.get()


class EngineArrays(Backend):
    """Arrays of the engine itself, NumPy's or CuPy's, for classes that make others of them."""

    def __init__(self, device: str = "cpu") -> None:
        super().__init__("warp", device)

    def give(self, array: Any) -> Any:
        """The array; float64 becomes float32, and an array on the CPU is brought to the device."""
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        return array if self._is_cpu or not isinstance(array, np.ndarray) else self.xp.asarray(array)


def on_host(value: Any, dtype: Any = None) -> np.ndarray:
    """Anything array-like as an array of NumPy's; ``None`` in lists becomes NaN."""
    if api_of(value) is None and not is_warp(value):
        value = _filled(value)
    array = accept(value, "cpu")
    return array if dtype is None else array.astype(dtype, copy=False)


def _filled(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_filled(one) for one in value]
    return float("nan") if value is None else value


def shaped(what: str, array: Any, shape: Sequence[int]) -> Any:
    """An array in a shape.

    Raises:
        ValueError: it has another number of elements; ``what`` says whose.
    """
    if array.size != int(np.prod(shape)):
        raise ValueError(f"{what} has shape {tuple(array.shape)}; it must be {tuple(shape)}")
    return array.reshape(tuple(shape))


__all__ = ["ArrayAPIError", "Backend", "EngineArrays", "check", "is_warp", "on_host", "shaped", "to_warp"]
