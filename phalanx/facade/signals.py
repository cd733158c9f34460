"""Functions that are called when something happens, in an order that they choose."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any

_numbers = itertools.count()


class Listener:
    """A function that a signal calls until :meth:`unsubscribe`, or until nobody holds this object any more."""

    def __init__(self, signal: Signal, function: Callable[..., Any], order: int) -> None:
        self._signal, self._key = signal, (order, next(_numbers))
        signal._functions[self._key] = function
        signal._sorted = None

    def unsubscribe(self) -> None:
        """Call it no more; twice does no harm."""
        self._signal._functions.pop(self._key, None)
        self._signal._sorted = None

    def __del__(self) -> None:
        self.unsubscribe()


class Signal:
    """Something that happens, and who is told.

    Whoever subscribes keeps the :class:`Listener`: as in Kit, it ends with it.
    """

    def __init__(self) -> None:
        self._functions: dict[tuple[int, int], Callable[..., Any]] = {}
        self._sorted: list[tuple[tuple[int, int], Callable[..., Any]]] | None = None

    def subscribe(self, function: Callable[..., Any], order: int = 0) -> Listener:
        """Call a function from now on; lower orders first, equal ones as they subscribed.

        Raises:
            TypeError: it cannot be called.
        """
        if not callable(function):
            raise TypeError(f"{function!r} cannot be called: subscribe a function")
        return Listener(self, function, order)

    def emit(self, *arguments: Any) -> None:
        """Call all who subscribed. What one raises ends it, and is raised."""
        if self._sorted is None:
            self._sorted = sorted(self._functions.items())
        for key, function in self._sorted:
            if key in self._functions:  # one before may have ended it
                function(*arguments)

    def __bool__(self) -> bool:
        """Whether anybody listens."""
        return bool(self._functions)


def weakly(callback: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls a method as long as its object lives; other functions, built-in ones too, as they are."""
    if not isinstance(callback, MethodType) or isinstance(callback.__self__, type):
        return callback
    method = weakref.WeakMethod(callback)

    def call(*arguments: Any) -> Any:
        found = method()
        return None if found is None else found(*arguments)

    return call
