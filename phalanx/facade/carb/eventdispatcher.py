"""Events by name, as ``carb.eventdispatcher`` has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from phalanx.facade.signals import Listener, Signal


class Event:
    """Something that happened, with values by name."""

    def __init__(self, event_name: str, payload: Mapping[str, Any] | None = None) -> None:
        self.event_name, self.payload = event_name, dict(payload or {})

    def get(self, key: str, default: Any = None) -> Any:
        """A value of it."""
        return self.payload.get(key, default)

    def __getitem__(self, key: str) -> Any:
        return self.payload[key]

    def __contains__(self, key: str) -> bool:
        return key in self.payload


class EventDispatcher:
    """Knows who wants to be told of which events."""

    def __init__(self) -> None:
        self._signals: dict[str, Signal] = {}

    def observe_event(
        self,
        order: int = 0,
        event_name: str = "",
        on_event: Callable[[Event], Any] | None = None,
        filter: Any = None,
        observer_name: str = "",
    ) -> Listener:
        """Call a function at each event of a name, as long as what is returned is kept.

        Raises:
            ValueError: neither a name nor a function is given.
        """
        if not event_name or on_event is None:
            raise ValueError("observe_event needs event_name= and on_event=")
        return self._signals.setdefault(event_name, Signal()).subscribe(on_event, order)

    def dispatch_event(self, event_name: str, payload: Mapping[str, Any] | None = None) -> int:
        """Tell those who observe events of a name; whether there are some, as 1 or 0."""
        signal = self._signals.get(event_name)
        if not signal:
            return 0
        signal.emit(Event(event_name, payload))
        return 1

    def has_observers(self, event_name: str, filter: Any = None) -> bool:
        """Whether anybody observes events of a name."""
        return bool(self._signals.get(event_name))


_dispatcher = EventDispatcher()


def get_eventdispatcher() -> EventDispatcher:
    """The one of the process."""
    return _dispatcher


acquire_eventdispatcher_interface = get_eventdispatcher

__all__ = ["Event", "EventDispatcher", "acquire_eventdispatcher_interface", "get_eventdispatcher"]
