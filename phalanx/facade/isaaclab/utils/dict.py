"""Configuration objects as dictionaries and back, hashes of dictionaries, and other ways to handle them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import MISSING
from enum import Enum
from types import ModuleType
from typing import Any, Literal

from phalanx.facade.arrays import api_of
from phalanx.facade.isaaclab.utils.array import TENSOR_TYPE_CONVERSIONS
from phalanx.facade.isaaclab.utils.string import (
    callable_to_string,
    is_lambda_expression,
    string_to_callable,
    string_to_slice,
)


def is_missing(value: Any) -> bool:
    """Whether a value is ``dataclasses.MISSING``, or a copy of it, as :func:`copy.deepcopy` makes them."""
    return isinstance(value, type(MISSING))


def copied(value: Any) -> Any:
    """A copy that shares nothing; ``MISSING`` stays itself."""
    return deepcopy(value, {id(MISSING): MISSING})


def class_to_dict(obj: object) -> dict[str, Any]:
    """The attributes of an object as a dictionary, those of objects within it, too.

    Functions and classes become text (:func:`~phalanx.facade.isaaclab.utils.string.callable_to_string`). Arrays and
    plain values stay what they are. ``MISSING``, an object without attributes, becomes an empty dictionary, as in Isaac
    Lab: trainers reckon with it. Names that begin with two underscores are left out.

    Raises:
        ValueError: the object has no attributes, such as a number.
    """
    if not isinstance(obj, dict) and not _has_members(obj):
        raise ValueError(f"expected an object with attributes, not {type(obj).__name__}")
    return {k: _plain(v) for k, v in _members(obj).items() if not (isinstance(k, str) and k.startswith("__"))}


def _plain(value: Any) -> Any:
    """A value within a dictionary that :func:`class_to_dict` makes."""
    if callable(value):
        return callable_to_string(value)
    if is_missing(value):
        return {}
    if isinstance(value, dict) or _has_members(value):
        return class_to_dict(value)
    if type(value) in (list, tuple):
        return type(value)(_plain(v) for v in value)
    return value


def _has_members(obj: object) -> bool:
    """Whether an object is one of attributes, such as a configuration, and not a value."""
    if api_of(obj) is not None or is_missing(obj) or isinstance(obj, Enum | ModuleType):
        return False
    return hasattr(obj, "__dict__") and not callable(obj)


def _members(obj: object) -> dict[Any, Any]:
    return obj if isinstance(obj, dict) else vars(obj)


def update_class_from_dict(obj: Any, data: Mapping[str, Any], _ns: str = "", *, allow_code: bool = False) -> None:
    """Overwrite attributes of an object, and of objects within it, with the values of a dictionary.

    A dictionary within ``data`` updates the object or dictionary in its place; only dictionaries take keys that they
    did not have. Lists of dictionaries update lists of objects of the same length; other lists and tuples replace what
    is there, and become tuples where a tuple was. Where a function or a class is, text stands for one
    (``"module:name"``). Whole numbers do for real ones. ``None`` fits everywhere, and everything fits where ``None`` or
    ``MISSING`` was.

    Isaac Lab evaluates the text of a lambda, and imports whatever module a text names: a YAML file that somebody else
    has written can run anything. Here that takes ``allow_code=True``. Without it, functions of modules that the program
    has imported are found, and a text that says what is there already changes nothing, so that
    ``cfg.from_dict(cfg.to_dict())`` works for lambdas, too.

    Args:
        obj: the object, or a dictionary.
        data: what to overwrite.
        _ns: where the object is, for messages.
        allow_code: whether text may be executed: lambdas, and modules that are not imported yet. Only for dictionaries
            from places that you trust as you trust a script.

    Raises:
        KeyError: an attribute does not exist.
        ValueError: a value does not fit what is there. What came before it in ``data`` has been written.
        TypeError: ``data`` is no dictionary, as that of an empty file.
    """
    if not isinstance(data, Mapping):
        raise TypeError(
            f"[Config]: {type(data).__name__} in place of a dictionary, of attributes of {type(obj).__name__} by name"
        )
    for key, value in data.items():
        where = f"{_ns}/{key}"
        if isinstance(obj, dict):
            obj[key] = _updated(obj[key], value, where, allow_code) if key in obj else copied(value)
        elif key in vars(obj) or isinstance(getattr(type(obj), key, None), property):
            setattr(obj, key, _updated(getattr(obj, key), value, where, allow_code))
        else:
            known = ", ".join(k for k in vars(obj) if not k.startswith("_"))
            raise KeyError(f"[Config]: Key not found under namespace: {where}. {type(obj).__name__} has {known}")


def _updated(old: Any, value: Any, where: str, allow_code: bool) -> Any:
    """What comes in the place of ``old``: itself, updated, or a new value."""
    if old is None or is_missing(old) or value is None:
        return copied(value)
    if isinstance(value, Mapping) and (isinstance(old, dict) or _has_members(old)):
        update_class_from_dict(old, value, where, allow_code=allow_code)
        return old
    if callable(old):
        if isinstance(value, str):
            return _named(old, value, where, allow_code)
        if callable(value):
            return value
    elif isinstance(old, list | tuple) and isinstance(value, list | tuple):
        return _updated_list(old, value, where, allow_code)
    elif isinstance(old, Enum) and isinstance(value, str | int) and value in [one.value for one in type(old)]:
        return type(old)(value)  # files have values
    elif isinstance(old, slice) and isinstance(value, str):
        return string_to_slice(value)
    elif isinstance(old, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    elif isinstance(value, type(old)) or (api_of(old) is not None and api_of(value) is not None):
        return copied(value)
    raise ValueError(
        f"[Config]: Incorrect type under namespace: {where}. Expected: {type(old).__name__}, "
        f"Received: {type(value).__name__}."
    )


def _named(old: Any, text: str, where: str, allow_code: bool) -> Any:
    """The function or class that a text stands for."""
    if allow_code:
        return string_to_callable(text)
    with contextlib.suppress(ValueError):  # what is there has no text
        if callable_to_string(old) == text:
            return old
    if is_lambda_expression(text):
        raise ValueError(
            f"[Config]: {where} is the text of a lambda, {text!r}, which would be executed. If you trust where it "
            "comes from, pass allow_code=True; or name a function, as module:name."
        )
    module = text.partition(":")[0]
    if ":" in text and module not in sys.modules:
        raise ValueError(
            f"[Config]: {where} is {text!r}, of a module that is not imported; importing executes it. Import it, "
            "or, if you trust where the text comes from, pass allow_code=True."
        )
    return string_to_callable(text)


def _updated_list(old: Any, value: Any, where: str, allow_code: bool) -> Any:
    """What comes in the place of a list or tuple."""
    if not any(isinstance(v, Mapping) for v in value):
        return tuple(copied(list(value))) if isinstance(old, tuple) else copied(value)
    if len(old) != len(value):
        raise ValueError(
            f"[Config]: Incorrect length under namespace: {where}. Expected: {len(old)}, Received: {len(value)}."
        )
    return type(old)(
        _updated(o, v, f"{where}/{i}", allow_code) for i, (o, v) in enumerate(zip(old, value, strict=True))
    )


def dict_to_md5_hash(data: object) -> str:
    """A hash of a dictionary or an object with attributes, the same in every process; arrays count by their values.

    Raises:
        TypeError: something in it has no values to hash.
    """
    plain = class_to_dict(data) if isinstance(data, dict) or _has_members(data) else data
    text = json.dumps(replace_slices_with_strings(plain), sort_keys=True, default=_hashable)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _hashable(value: Any) -> Any:
    """What JSON has no form for, in one that it has."""
    if api_of(value) is not None:
        return value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(value)
    if is_missing(value):
        return "MISSING"
    if isinstance(value, Enum):
        return str(value)
    raise TypeError(f"{value!r} has no values to hash")


def convert_dict_to_backend(
    data: Mapping[str, Any],
    backend: Literal["numpy", "torch", "cupy"] = "numpy",
    array_types: Iterable[str] = ("numpy", "torch", "cupy"),
) -> dict[str, Any]:
    """A dictionary with its arrays as another package's; dictionaries within it, too.

    Args:
        data: arrays and other values.
        backend: what arrays become.
        array_types: which arrays are converted.

    Raises:
        ValueError: ``backend`` or one of ``array_types`` is unknown or not installed.
    """
    wanted = list(array_types)
    for name in (backend, *wanted):
        if name not in ("numpy", "torch", "cupy") or (name == backend and name not in TENSOR_TYPE_CONVERSIONS):
            known = ", ".join(TENSOR_TYPE_CONVERSIONS)
            raise ValueError(f"array type {name!r} is unknown or not installed; there are {known}")
    return {
        key: convert_dict_to_backend(value, backend, wanted)
        if isinstance(value, Mapping)
        else TENSOR_TYPE_CONVERSIONS[backend](value)
        if api_of(value) in wanted
        else value
        for key, value in data.items()
    }


def print_dict(val: Any, nesting: int = -4, start: bool = True) -> None:
    """Print a dictionary, one key a line, dictionaries within it indented by four more; functions by their names."""
    if isinstance(val, dict):
        if not start:
            print()
        for key, value in val.items():
            print(" " * (nesting + 4), end="")
            print(f"{key}: ", end="")
            print_dict(value, nesting + 4, start=False)
    else:
        print(callable_to_string(val) if callable(val) and hasattr(val, "__qualname__") else val)


def replace_slices_with_strings(data: Any) -> Any:
    """Dictionaries, lists and tuples with their slices as text, ``"slice(0, 2, None)"``."""
    return _replaced(data, lambda v: f"slice({v.start}, {v.stop}, {v.step})" if isinstance(v, slice) else v)


def replace_strings_with_slices(data: Any) -> Any:
    """The inverse of :func:`replace_slices_with_strings`."""
    return _replaced(data, lambda v: string_to_slice(v) if isinstance(v, str) and v.startswith("slice(") else v)


def _replaced(data: Any, replace: Callable[[Any], Any]) -> Any:
    if isinstance(data, dict):
        return {key: _replaced(value, replace) for key, value in data.items()}
    if isinstance(data, list):
        return [_replaced(value, replace) for value in data]
    if type(data) is tuple:
        return tuple(_replaced(value, replace) for value in data)
    return replace(data)


def update_dict(orig_dict: dict[str, Any], new_dict: Mapping[str, Any]) -> dict[str, Any]:
    """Let a dictionary have another one's values; of dictionaries within, only the keys that are given.

    Args:
        orig_dict: is changed.
        new_dict: what it gets.

    Returns:
        The first one.
    """
    for key, value in new_dict.items():
        orig_dict[key] = update_dict(orig_dict.get(key, {}), value) if isinstance(value, Mapping) else value
    return orig_dict
