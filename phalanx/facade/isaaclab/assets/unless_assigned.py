"""Attributes that are computed unless a subclass assigns to them, as Isaac Lab's own classes do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def unless_assigned(compute: Callable[[Any], Any]) -> Any:
    """A decorator like ``property``; but instances may be given a value under the name, which comes first."""
    return _UnlessAssigned(compute)


class _UnlessAssigned:
    """A descriptor without a setter, which an instance's own attribute hides."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else self._compute(owner)
