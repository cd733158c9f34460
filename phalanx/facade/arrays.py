"""Which arrays the facade hands out: NumPy's, CuPy's or torch's, and how they come from the engine's and go back.

The engine computes on NumPy arrays on the CPU and on CuPy arrays on a GPU. The facade's users get them by DLPack,
without a copy, wherever the chosen API can look at that device's memory; whoever holds such an array keeps its memory
alive, also after the world is gone. Input may be any of the three, lists, or numbers.
"""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from typing import Any, Literal, get_args

import numpy as np

ArrayAPI = Literal["numpy", "cupy", "torch"]

_INSTALL = {
    "torch": "pip install torch",
    "cupy": 'pip install "phalanx[cuda12]" or "phalanx[cuda13]", as your driver allows',
}

_chosen: ArrayAPI | None = None


class ArrayAPIError(ValueError):
    """The array API asked for is unknown, not installed, or cannot hold arrays of a device."""


@cache
def is_installed(name: str) -> bool:
    """Whether a package can be imported."""
    return importlib.util.find_spec(name) is not None


def set_array_api(name: ArrayAPI | None) -> None:
    """Choose the arrays that the facade hands out from now on; arrays handed out before stay what they are.

    Args:
        name: ``"torch"``; ``"cupy"``, for worlds on a GPU only; ``"numpy"``, which for worlds on a GPU means a copy
            to the host at each access; ``None``, the default: torch if it is installed, else the engine's own
            arrays, which are NumPy's on the CPU and CuPy's on a GPU.

    Raises:
        ArrayAPIError: the name is unknown, or the package is not installed; then the choice stays what it was.
    """
    global _chosen
    if name is not None and name not in get_args(ArrayAPI):
        raise ArrayAPIError(f'array API {name!r}: must be "numpy", "cupy" or "torch", or None for the default')
    if name is not None and not is_installed(name):
        raise ArrayAPIError(f'array API "{name}": {name} is not installed; {_INSTALL[name]}')
    _chosen = name


def array_api(device: str = "cpu") -> ArrayAPI:
    """The API of arrays that the facade hands out for a device (``"cpu"`` or ``"cuda:N"``)."""
    if _chosen is not None:
        return _chosen
    if is_installed("torch"):
        return "torch"
    return "numpy" if is_cpu(device) else "cupy"


def is_cpu(device: Any) -> bool:
    """Whether a device, a name or a ``torch.device``, is the CPU."""
    return str(device) == "cpu"


def api_of(value: Any) -> ArrayAPI | None:
    """Whose array a value is; ``None`` for lists, numbers and everything else."""
    kind = type(value)
    known = _KINDS.get(kind)
    if known is not None:
        return known
    if kind in _PLAIN:
        return None
    found = _api_of(value)
    if found is not None:
        _KINDS[kind] = found
    return found


_KINDS: dict[type, ArrayAPI] = {}
"""Classes of arrays that were seen."""

_PLAIN = frozenset((int, float, bool, str, list, tuple, slice, range, type(None)))
"""Classes of what is no array, which are asked for most."""


def _api_of(value: Any) -> ArrayAPI | None:
    if isinstance(value, np.ndarray | np.generic):
        return "numpy"
    # What is not imported has no arrays: asking must not cost an import.
    if (torch := sys.modules.get("torch")) is not None and isinstance(value, torch.Tensor):
        return "torch"
    if (cupy := sys.modules.get("cupy")) is not None and isinstance(value, cupy.ndarray):
        return "cupy"
    return None


def is_warp(value: Any) -> bool:
    """Whether something is an array of Warp's."""
    return type(value).__module__.partition(".")[0] == "warp" and hasattr(value, "numpy")


def from_warp(value: Any) -> Any:
    """An array of Warp's as the user's API has it, with the same memory where that can be; vectors' parts come last.

    Work that Warp has queued on a GPU comes first.
    """
    if value.device.is_cpu:
        return hand_out(value.numpy())
    if array_api(str(value.device)) == "torch":
        import torch  # pyright: ignore[reportMissingImports]

        return torch.from_dlpack(value)
    import cupy  # pyright: ignore[reportMissingImports]

    return hand_out(cupy.from_dlpack(value))


def to_warp(array: Any, part: str | None = None) -> Any:
    """An array as one of Warp's with the same memory; as it is where the package ``warp-lang`` is not installed.

    Args:
        array: of any API; those that are on the CPU must be contiguous to keep their memory.
        part: a type of Warp's for what the last axis holds, such as ``"vec3f"``.
    """
    if not is_installed("warp"):
        return array
    import warp  # pyright: ignore[reportMissingImports]

    warp.init()  # from_torch does not
    kind = None if part is None else getattr(warp, part)
    if api_of(array) == "torch":
        return warp.from_torch(array.contiguous(), dtype=kind)
    if isinstance(array, np.ndarray):
        kind = warp.dtype_from_numpy(array.dtype) if kind is None else kind
        return warp.array(np.ascontiguousarray(array), dtype=kind, device="cpu", copy=False)
    return warp.from_dlpack(array, dtype=kind)


def hand_out(array: Any, api: ArrayAPI | None = None) -> Any:
    """An array of the engine as the user's API has it.

    Args:
        array: a NumPy or CuPy array of any strides.
        api: another API than the one that was chosen.

    Returns:
        An array with the same shape and memory; but a copy where the API is ``"numpy"`` and the array is on a GPU, or
        the API is ``"torch"`` and the array is read-only, which torch cannot express.

    Raises:
        ArrayAPIError: the API is ``"cupy"`` and the array is on the CPU, or it is ``"torch"``, in a build without CUDA,
            and the array is on a GPU.
    """
    found = api_of(array)
    wanted = api or array_api("cpu" if found == "numpy" else "cuda")
    if found == wanted:
        return array
    if wanted == "torch":
        import torch  # pyright: ignore[reportMissingImports]

        if found == "numpy" and not array.flags.writeable:
            array = array.copy()
        if found == "cupy" and not torch.cuda.is_available():
            raise ArrayAPIError(
                "the array is on a GPU, and torch is a build without CUDA: install one with it, "
                'or choose set_array_api("cupy"), or a world on "cpu"'
            )
        return torch.from_dlpack(array)
    if wanted == "numpy":
        return array.get()
    raise ArrayAPIError(
        'the array API is "cupy", and the world is on the CPU, where CuPy has no arrays: '
        'choose set_array_api("numpy") or "torch", or a world on "cuda:0"'
    )


def hand_out_host(array: Any) -> Any:
    """Like :func:`hand_out`, but a tensor of PyTorch is on the CPU."""
    if api_of(array) == "cupy" and array_api("cuda") == "torch":
        return hand_out(array.get(), "torch")
    return hand_out(array)


def accept(value: Any, device: str = "cpu") -> Any:
    """Anything array-like as an array of the engine: NumPy's for ``"cpu"``, CuPy's for ``"cuda:N"``.

    Arrays on the device keep their memory; lists and numbers, and arrays from elsewhere, are copied. Tensors that
    require a gradient lose it. On a GPU, the current CuPy stream waits for what torch has queued on its current stream.
    """
    found = api_of(value)
    if found == "torch":
        value = value.detach()
        if is_cpu(device):
            return np.from_dlpack(value.cpu())
        if value.is_cuda:
            import cupy  # pyright: ignore[reportMissingImports]

            return cupy.from_dlpack(value)
        value = value.numpy()
    elif found == "cupy" and is_cpu(device):
        return value.get()
    elif found is None and is_warp(value):
        value = value.numpy() if is_cpu(device) or value.device.is_cpu else value
    elif found is None and isinstance(value, list | tuple):
        value = [accept(v) if api_of(v) in ("torch", "cupy") else v for v in value]
    if is_cpu(device):
        try:
            return np.asarray(value)
        except ValueError as error:
            if "inhomogeneous" not in str(error):
                raise
            raise ValueError("a list whose rows differ in length is no array; make them alike") from None
    import cupy  # pyright: ignore[reportMissingImports]

    with cupy.cuda.Device(int(device.partition(":")[2] or 0)):
        return cupy.asarray(value)
