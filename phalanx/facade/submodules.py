"""Packages whose modules scripts use after ``import omni`` alone."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any


def on_access(package: str) -> Callable[[str], ModuleType]:
    """A ``__getattr__`` for a package that imports its modules when they are first asked for.

    Args:
        package: its ``__name__``.
    """

    def found(name: str) -> ModuleType:
        if name.startswith("__") or importlib.util.find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(f"{package}.{name}")

    return found


def lazily(package: str, names: dict[str, str]) -> Callable[[str], Any]:
    """A ``__getattr__`` for a package that imports what it offers when it is first asked for, and its modules.

    Args:
        package: its ``__name__``.
        names: of what it offers, and the modules below the package that have it.
    """
    modules = on_access(package)

    def found(name: str) -> Any:
        if name not in names:
            return modules(name)
        value = getattr(importlib.import_module(f"{package}.{names[name]}"), name)
        setattr(importlib.import_module(package), name, value)
        return value

    return found
