"""What assets and sensors are told about the simulation: it plays, from now on with other bodies, or it has stopped.

Who is told is held weakly: dropping the last reference to an asset frees it, and it is told no more.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from enum import Enum
from typing import Any


class Event(Enum):
    """What happens to a simulation."""

    PLAY = "play"
    """The world was built from the stage: bodies can be looked up."""
    STOP = "stop"
    """The world is gone; what was looked up in it no longer counts."""


class Subscription:
    """A method that is called at an event until it is cancelled or its owner is gone.

    Args:
        event: when.
        method: a bound method without arguments; its owner is not kept alive.
        order: lower ones are called first, equal ones as they subscribed.
        pattern: path of prims, an expression segment by segment, that the owner is about.
    """

    def __init__(self, event: Event, method: Callable[[], Any], order: int = 10, pattern: str = "") -> None:
        self.event, self.order, self.pattern = event, order, pattern
        self._method = weakref.WeakMethod(method)
        self._key = next(_numbers)
        _known[self._key] = self

    def cancel(self) -> None:
        """Call it no more; twice does no harm."""
        _known.pop(self._key, None)

    def call(self) -> None:
        """Call it now, if its owner still lives."""
        method = self._method()
        if method is not None:
            method()

    @property
    def alive(self) -> bool:
        """Whether its owner still lives and it was not cancelled."""
        return self._key in _known and self._method() is not None


_numbers = itertools.count()
_known: dict[int, Subscription] = {}


def publish(event: Event) -> None:
    """Call all who subscribed, in order. What one raises ends it, and is raised."""
    for one in sorted((one for one in _alive() if one.event is event), key=lambda one: one.order):
        if one.alive:  # it may have been cancelled by one before
            one.call()


def patterns() -> list[str]:
    """The patterns that living subscribers have given, each once."""
    return list(dict.fromkeys(one.pattern for one in _alive() if one.pattern))


def clear() -> None:
    """Cancel all subscriptions."""
    _known.clear()


def _alive() -> list[Subscription]:
    for key in [key for key, one in list(_known.items()) if not one.alive]:
        del _known[key]
    return list(_known.values())
