"""What scripts import as ``carb.events``: streams of events, and who is told of them."""

from __future__ import annotations

import zlib

from phalanx.facade.event_streams import Event as IEvent
from phalanx.facade.event_streams import EventStream as IEventStream
from phalanx.facade.event_streams import EventSubscription as ISubscription


def type_from_string(name: str) -> int:
    """A number for an event by its name, the same in all processes."""
    return zlib.crc32(name.encode())


__all__ = ["IEvent", "IEventStream", "ISubscription", "type_from_string"]
