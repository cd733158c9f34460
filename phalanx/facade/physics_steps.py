"""Who is called before and after each step of physics, besides assets and the callbacks of a ``SimulationContext``."""

from __future__ import annotations

from phalanx.facade.event_streams import EventStream

BEFORE, AFTER = EventStream("before physics steps"), EventStream("after physics steps")
