"""One source for NumPy, CuPy and torch: the module that computes on some arrays, and what the three spell apart.

The three modules agree on most of what the facade needs (``xp.where``, ``xp.stack(arrays, -1)``, ``xp.sum(x, -1)``), so
functions are written once, against ``xp``. Only what differs has a function here.
"""

import inspect
import linecache
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

import numpy as np

from phalanx.facade.arrays import ArrayAPI, accept, api_of, array_api, from_warp, is_warp

if TYPE_CHECKING:
    Array = Any
else:
    # What annotations say at run time; where torch is what users hold, functions can then be called from TorchScript.
    Array = __import__("torch").Tensor if array_api() == "torch" else Any


_BELOW_ONE = 1.0 - 2.0**-24
"""The largest float32 below 1: real numbers that are cut to float32 could become 1."""


def module(api: ArrayAPI) -> Any:
    """The module of an array API."""
    return np if api == "numpy" else sys.modules.get(api) or __import__(api)


def namespace(*values: Any) -> Any:
    """The module that computes on some values: torch if one is a tensor, else CuPy, else NumPy if one is its array.

    Lists and numbers alone belong to the API that users have chosen.
    """
    if len(values) == 1 and (only := api_of(values[0])) is not None:
        return module(only)
    found = {api_of(value) for value in values}
    for api in ("torch", "cupy", "numpy"):
        if api in found:
            return module(api)
    return module(array_api())


def common(*values: Any) -> tuple[Any, ...]:
    """The module for some values, followed by the values as its arrays.

    Arrays that already belong to it are passed on. All else takes the device of the first of them; real numbers take
    its dtype, or float32, and so do whole numbers and lists of them, unless the first is an array of whole numbers.
    ``None`` stays ``None``.
    """
    apis = {api_of(value) for value in values}
    if len(apis) == 1 and None not in apis:
        return module(apis.pop()), *values  # pyright: ignore[reportArgumentType]
    xp = namespace(*values)
    mine = [value for value in values if api_of(value) == _name(xp)]
    if len(mine) == len(values):
        return xp, *values
    like = next((v for v in mine if is_floating(v)), mine[0] if mine else None)
    return xp, *(v if v is None or api_of(v) == _name(xp) else _convert(xp, _real(v, like), like) for v in values)


def as_like(reference: Any, value: Any) -> Any:
    """A value as an array of another one's module, on its device, with its dtype where both have real numbers."""
    if api_of(value) == api_of(reference):
        return value
    return _convert(namespace(reference), value, reference)


def _name(xp: Any) -> str:
    return xp.__name__.partition(".")[0]


def _real(value: Any, like: Any) -> Any:
    """Numbers and lists of them as real ones, unless they meet an array of whole numbers."""
    if api_of(value) is not None or (like is not None and not is_floating(like)):
        return value
    value = np.asarray(value)
    return value.astype("float32") if value.dtype.kind in "iu" else value


def _convert(xp: Any, value: Any, like: Any) -> Any:
    """A value as an array of a module, on the device and with the floating dtype of another array."""
    if api_of(value) is None:
        value = from_warp(value) if is_warp(value) else np.asarray(value)
    dtype = None
    if is_floating(value):
        dtype = like.dtype if like is not None and is_floating(like) else xp.float32
    if _name(xp) == "torch":
        value = xp.from_dlpack(value) if api_of(value) == "cupy" else value
        return xp.as_tensor(value, dtype=dtype, device=None if like is None else like.device)
    device = "cpu" if xp is np else f"cuda:{xp.cuda.runtime.getDevice() if like is None else like.device.id}"
    return xp.asarray(accept(value, device), dtype)


def is_floating(array: Any) -> bool:
    """Whether an array has real numbers."""
    dtype = array.dtype
    found = _FLOATING.get(dtype)
    if found is None:
        found = _FLOATING[dtype] = "float" in str(dtype)
    return found


_FLOATING: dict[Any, bool] = {}
"""Of each dtype that was seen, of any module."""


def table(values: tuple[Any, ...], like: Any, dtype: str | None = None) -> Any:
    """Constants as an array of another one's module on its device, made once; of its dtype by default."""
    key = (values, type(like), device_of(like), dtype or like.dtype)
    found = _TABLES.get(key)
    if found is None:
        xp = namespace(like)
        kind = like.dtype if dtype is None else getattr(xp, dtype)
        if _name(xp) == "torch":
            with xp.inference_mode(False):  # such tensors could not be used where gradients are wanted
                found = xp.tensor(values, dtype=kind, device=like.device)
        else:
            with _on(xp, device_of(like)):
                found = xp.asarray(values, kind)
        _TABLES[key] = found
    return found


_TABLES: dict[Any, Any] = {}


def columns(array: Any, order: tuple[int, ...]) -> Any:
    """Items along the last axis in another order.

    Lists as indices are copied to a GPU each time, and the host waits for all that the GPU has yet to do. Torch's
    ``array[..., order]`` takes 50 to 500 us on a CPU for what ``index_select`` does in 7.
    """
    xp, places = namespace(array), table(order, array, "int64")
    return xp.index_select(array, -1, places) if _name(xp) == "torch" else array[..., places]


def cast(array: Any, dtype: str) -> Any:
    """An array with another dtype, given by its name (``"float32"``, ``"int64"``, ``"bool"``, ...)."""
    xp = namespace(array)
    return array.to(getattr(xp, dtype)) if _name(xp) == "torch" else array.astype(dtype, copy=False)


def copy(array: Any) -> Any:
    """A copy that shares no memory."""
    return array.clone() if api_of(array) == "torch" else array.copy()


def device_of(array: Any) -> str:
    """Where an array lives: ``"cpu"`` or ``"cuda:N"``."""
    api = api_of(array)
    if api == "torch":
        return str(array.device)
    return f"cuda:{array.device.id}" if api == "cupy" else "cpu"


def rows(ids: Any) -> Any:
    """Indices of environments or joints as every module takes them: ``None`` is all, sequences become lists.

    Arrays of Warp's become the user's API's.
    """
    if ids is None:
        return slice(None)
    if isinstance(ids, slice) or api_of(ids) is not None:
        return ids
    return from_warp(ids) if is_warp(ids) else list(ids)


def scriptable(space: dict[str, Any], names: Iterable[str]) -> None:
    """Let ``torch.jit.script`` compile functions of a module and calls of them, as calls back to Python.

    Nothing is done where users do not hold tensors. A function gets a wrapper in its place that TorchScript compiles;
    so optional arguments can be left out, too. Where TorchScript has no word for a type, there is no wrapper: such a
    function is not compiled, and takes every argument in calls. Annotations must be types and not text.

    Args:
        space: ``globals()`` of the module.
        names: of its functions.
    """
    if Array is Any:
        return
    for name in names:
        function = space[name]
        module("torch").jit.ignore(function)
        parameters = inspect.signature(function).parameters.values()
        plain = all(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters)
        if plain:
            space[name] = _with_defaults(function)


def _with_defaults(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that does nothing but call another one; TorchScript compiles it from its source, with its types."""
    signature = inspect.signature(function)
    types = [_spelled(each.annotation) for each in signature.parameters.values()]
    result = _spelled(signature.return_annotation)
    if not all((*types, result)):
        return function  # TorchScript has no word for one of them
    typed = ", ".join(f"{name}: {kind}" for name, kind in zip(signature.parameters, types, strict=True))
    call = f"    return _original({', '.join(signature.parameters)})\n"
    source = f"def {function.__name__}({typed}) -> {result}:\n{call}"
    file = f"<{function.__module__}.{function.__name__} for TorchScript>"
    space: dict[str, Any] = {"_original": function, "__name__": function.__module__}
    exec(compile("from __future__ import annotations\n" + source, file, "exec"), space)
    linecache.cache[file] = (len(source), None, ["\n", *source.splitlines(True)], file)
    made = space[function.__name__]
    words = {name: str for name, kind in function.__annotations__.items() if get_origin(kind) is Literal}
    function.__annotations__ |= words  # TorchScript reads those of what it does not compile, too
    for key in ("__annotations__", "__defaults__", "__doc__", "__module__", "__qualname__"):
        setattr(made, key, getattr(function, key))
    made.__annotations__ = {
        name: str if _spelled(kind) == "str" else kind for name, kind in made.__annotations__.items()
    }
    return made


def _spelled(annotation: Any) -> str:
    """A type as TorchScript spells it; empty if it has no word for it."""
    if annotation is Array:
        return "Tensor"
    if annotation in (int, float, bool, str):
        return annotation.__name__
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Literal and all(isinstance(part, str) for part in parts):
        return "str"
    some = [_spelled(part) for part in parts if part is not type(None)]
    if origin is tuple and all(some):
        return f"Tuple[{', '.join(some)}]"
    if origin in (Union, UnionType) and len(some) == 1 and len(parts) == 2 and some[0]:
        return f"Optional[{some[0]}]"
    return ""


# -- making arrays -----------------------------------------------------------------------------------------------


def _on(xp: Any, device: Any) -> Any:
    """A context in which CuPy makes arrays on a device."""
    index = str(device).partition(":")[2]
    return xp.cuda.Device(int(index)) if _name(xp) == "cupy" and index else nullcontext()


def full(shape: int | Sequence[int], value: float, device: Any = "cpu", dtype: str = "float32") -> Any:
    """A new array of the user's API on a device, with one value everywhere.

    Where the API cannot hold arrays of the device (NumPy and ``"cuda:0"``), it is where the API can.
    """
    xp = module(array_api(str(device)))
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if _name(xp) == "torch":
        return xp.full(shape, value, dtype=getattr(xp, dtype), device=device)
    with _on(xp, device):
        return xp.full(shape, value, dtype=dtype)


def zeros(shape: int | Sequence[int], device: Any = "cpu", dtype: str = "float32") -> Any:
    """A new array of the user's API on a device, of zeros."""
    return full(shape, 0, device, dtype)


def array(value: Any, device: Any = "cpu", dtype: str | None = None) -> Any:
    """A value as an array of the user's API on a device, if need be a copy; real numbers in lists become float32."""
    xp = module(array_api(str(device)))
    if api_of(value) == _name(xp) and device_of(value) == str(device):
        return value if dtype is None else cast(value, dtype)
    there = zeros((), device)
    if api_of(value) is not None and is_floating(value):
        there = cast(there, str(value.dtype).rpartition(".")[2])  # arrays keep their dtype
    found = _convert(xp, value, there)
    return found if dtype is None else cast(found, dtype)


# -- random numbers, from the generator that the module's own ``seed`` function seeds ----------------------------


def uniform(shape: int | Sequence[int], device: Any = "cpu") -> Any:
    """Numbers uniformly distributed in [0, 1), float32."""
    xp = module(array_api(str(device)))
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if _name(xp) == "torch":
        return xp.rand(shape, device=device)
    with _on(xp, device):
        return xp.asarray(xp.random.random_sample(shape), "float32").clip(0.0, _BELOW_ONE)


def normal(shape: int | Sequence[int], device: Any = "cpu") -> Any:
    """Numbers with a normal distribution of mean 0 and standard deviation 1, float32."""
    xp = module(array_api(str(device)))
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if _name(xp) == "torch":
        return xp.randn(shape, device=device)
    with _on(xp, device):
        return xp.asarray(xp.random.standard_normal(shape), "float32")


def integers(low: int, high: int, count: int, device: Any = "cpu") -> Any:
    """``count`` whole numbers uniformly distributed in [low, high), int64."""
    xp = module(array_api(str(device)))
    if _name(xp) == "torch":
        return xp.randint(low, high, (count,), device=device)
    with _on(xp, device):
        return xp.random.randint(low, high, count).astype("int64")


__all__ = [
    "Array",
    "array",
    "as_like",
    "cast",
    "common",
    "copy",
    "device_of",
    "full",
    "integers",
    "is_floating",
    "module",
    "namespace",
    "normal",
    "rows",
    "scriptable",
    "table",
    "uniform",
    "zeros",
]
