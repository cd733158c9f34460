"""Event streams, as Kit's timeline and application have them: who subscribed is called when an event is pushed.

A subscription holds its function, the stream holds the subscription weakly: dropping the last reference to it ends it,
as ``unsubscribe`` does. Lower orders are called first, equal ones as they subscribed.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Mapping
from typing import Any

_numbers = itertools.count()


class Event:
    """Something that happened.

    Args:
        kind: its type, a number.
        payload: what is known about it, by names.
        sender: number of who sent it.
    """

    def __init__(self, kind: int = 0, payload: Mapping[str, Any] | None = None, sender: int = 0) -> None:
        self.type, self.sender = int(kind), sender
        self.payload: dict[str, Any] = dict(payload or {})

    def consume(self) -> None:
        """Nothing: all who subscribed are told of each event."""


class EventSubscription:
    """A function that is called at events, until :meth:`unsubscribe` or until nobody holds this."""

    def __init__(self, stream: EventStream, function: Callable[[Event], Any], kind: int | None, order: int, name: str):
        self._function: Callable[[Event], Any] | None = function
        self._kind, self.order, self.name = kind, order, name
        self._number = next(_numbers)
        self._stream = weakref.ref(stream)

    def unsubscribe(self) -> None:
        """Call the function no more; twice does no harm."""
        self._function = None
        if (stream := self._stream()) is not None:
            stream._known.pop(self._number, None)

    def _call(self, event: Event) -> None:
        if self._function is not None and self._kind in (None, event.type):
            self._function(event)


class EventStream:
    """Events of one source."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self._known: weakref.WeakValueDictionary[int, EventSubscription] = weakref.WeakValueDictionary()

    def create_subscription_to_pop(
        self, fn: Callable[[Event], Any], order: int = 0, name: str = ""
    ) -> EventSubscription:
        """Call a function with each event."""
        return self._subscribe(fn, None, order, name)

    def create_subscription_to_pop_by_type(
        self, event_type: int, fn: Callable[[Event], Any], order: int = 0, name: str = ""
    ) -> EventSubscription:
        """Call a function with each event of a type."""
        return self._subscribe(fn, int(event_type), order, name)

    create_subscription_to_push = create_subscription_to_pop
    create_subscription_to_push_by_type = create_subscription_to_pop_by_type

    def push(self, event_type: int = 0, sender: int = 0, payload: Mapping[str, Any] | None = None) -> None:
        """Tell all who subscribed, in order, at once. What one of them raises ends it, and is raised."""
        if not self._known:
            return
        event = Event(event_type, payload, sender)
        for one in sorted(self._known.values(), key=lambda one: (one.order, one._number)):
            one._call(event)

    dispatch = push

    def pump(self) -> None:
        """Nothing: events are told when they are pushed."""

    def __bool__(self) -> bool:
        """Whether anybody has subscribed."""
        return bool(self._known)

    def _subscribe(self, fn: Callable[[Event], Any], kind: int | None, order: int, name: str) -> EventSubscription:
        if not callable(fn):
            raise TypeError(f"the function to call at events of {self.name or 'a stream'} is not callable: {fn!r}")
        found = EventSubscription(self, fn, kind, order, name or "")
        self._known[found._number] = found
        return found


__all__ = ["Event", "EventStream", "EventSubscription"]
