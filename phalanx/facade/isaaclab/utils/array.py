"""Arrays of several packages, by name, and as tensors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from phalanx.facade.arrays import accept, array_api, is_installed

TensorData = Any
"""An array of NumPy, CuPy or torch."""

TENSOR_TYPES: dict[str, type] = {"numpy": np.ndarray}
"""The array class of each package that is installed, by its name; torch only where it is chosen or imported."""

TENSOR_TYPE_CONVERSIONS: dict[str, Callable[..., Any]] = {"numpy": lambda value: accept(value, "cpu")}
"""A function for each of these packages that turns any array into its own."""

if is_installed("torch"):
    TENSOR_TYPE_CONVERSIONS["torch"] = lambda value: convert_to_torch(value)
    if array_api() == "torch" or "torch" in sys.modules:
        import torch  # pyright: ignore[reportMissingImports]

        TENSOR_TYPES["torch"] = torch.Tensor

if is_installed("cupy"):
    import cupy  # pyright: ignore[reportMissingImports]

    TENSOR_TYPES["cupy"] = cupy.ndarray
    TENSOR_TYPE_CONVERSIONS["cupy"] = lambda value: accept(value, "cuda:0")


def convert_to_torch(array: Any, dtype: Any = None, device: Any = None) -> Any:
    """Anything array-like as a torch tensor, which shares memory where dtype and device allow it.

    Args:
        array: an array of any package, a list, or a number.
        dtype: a ``torch.dtype``; ``None``: as it is.
        device: where the tensor lives; ``None``: where the array does, or the CPU.

    Raises:
        ImportError: torch is not installed; :func:`~phalanx.facade.namespaces.array` makes arrays of the chosen API.
    """
    if not is_installed("torch"):
        raise ImportError("convert_to_torch needs torch: pip install torch")
    import torch  # pyright: ignore[reportMissingImports]

    if TENSOR_TYPES.get("cupy") is not None and isinstance(array, TENSOR_TYPES["cupy"]):
        array = torch.from_dlpack(array)
    if isinstance(array, np.ndarray):
        if array.dtype in (np.uint16, np.uint32, np.uint64):
            array = array.astype(np.int64)  # what torch can compute with
        array = array if array.flags.writeable else array.copy()
    return torch.as_tensor(array, dtype=dtype, device=device)


__all__ = ["TENSOR_TYPES", "TENSOR_TYPE_CONVERSIONS", "TensorData", "convert_to_torch"]
