"""What scripts import as ``omni.timeline``: whether the simulation plays. Nothing steps by itself when it does."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import Any

from phalanx.facade.event_streams import EventStream


class TimelineEventType(IntEnum):
    """What happens to the timeline. Those that are ever sent here are ``PLAY``, ``PAUSE`` and ``STOP``."""

    PLAY = 0
    PAUSE = 1
    STOP = 2
    CURRENT_TIME_CHANGED = 3
    CURRENT_TIME_TICKED = 4
    CURRENT_TIME_TICKED_PERMANENT = 5
    LOOP_MODE_CHANGED = 6
    START_TIME_CHANGED = 7
    END_TIME_CHANGED = 8
    TIME_CODES_PER_SECOND_CHANGED = 9
    AUTO_UPDATE_CHANGED = 10
    PREROLLING_CHANGED = 11


class Timeline:
    """Stopped, playing or paused: what the ``SimulationContext`` is, if there is one; else what scripts say it is."""

    def __init__(self) -> None:
        self._state = "stopped"
        self._stream = EventStream("omni.timeline")

    def get_timeline_event_stream(self) -> EventStream:
        """Events of types :class:`TimelineEventType`."""
        return self._stream

    def play(self) -> None:
        """Play from now on; :meth:`SimulationContext.play`."""
        if (simulation := _simulation()) is not None:
            simulation.play()
        elif self._state != "playing":
            self._state = "playing"
            self._stream.push(TimelineEventType.PLAY)

    def pause(self) -> None:
        """Pause, if it plays; :meth:`SimulationContext.pause`."""
        if (simulation := _simulation()) is not None:
            simulation.pause()
        elif self._state == "playing":
            self._state = "paused"
            self._stream.push(TimelineEventType.PAUSE)

    def stop(self) -> None:
        """Stop; :meth:`SimulationContext.stop`."""
        if (simulation := _simulation()) is not None:
            simulation.stop()
        elif self._state != "stopped":
            self._stream.push(TimelineEventType.STOP)
        self._state = "stopped"

    def is_playing(self) -> bool:
        """Whether it plays."""
        simulation = _simulation()
        return self._state == "playing" if simulation is None else simulation.is_playing()

    def is_stopped(self) -> bool:
        """Whether it is stopped; when it pauses, it is not."""
        simulation = _simulation()
        return self._state == "stopped" if simulation is None else simulation.is_stopped()

    def get_current_time(self) -> float:
        """Simulated seconds since the simulation was reset, 0 without one."""
        simulation = _simulation()
        return 0.0 if simulation is None else float(simulation.current_time)

    def commit(self) -> None:
        """Nothing: changes of the state hold at once."""

    commit_silently = commit


def _simulation() -> Any:
    """The ``SimulationContext``; its module is imported by those who make one."""
    module = sys.modules.get("phalanx.facade.isaaclab.sim.simulation_context")
    return None if module is None else module.SimulationContext.instance()


_timeline = Timeline()


def get_timeline_interface(name: str = "") -> Timeline:
    """The timeline of the process; there are no others.

    Raises:
        ValueError: a name is given.
    """
    if name:
        raise ValueError(f"there is no timeline {name!r}, only the one of the process: get_timeline_interface()")
    return _timeline


acquire_timeline_interface = get_timeline_interface

__all__ = ["Timeline", "TimelineEventType", "acquire_timeline_interface", "get_timeline_interface"]
