"""What scripts import as ``omni.timeline``: whether the simulation plays. Nothing steps by itself when it does."""

from __future__ import annotations

import sys
from typing import Any


class Timeline:
    """Stopped, playing or paused: what the ``SimulationContext`` is, if there is one; else what scripts say it is."""

    def __init__(self) -> None:
        self._state = "stopped"

    def play(self) -> None:
        """Play from now on; :meth:`SimulationContext.play`."""
        if (simulation := _simulation()) is not None:
            simulation.play()
        else:
            self._state = "playing"

    def pause(self) -> None:
        """Pause, if it plays; :meth:`SimulationContext.pause`."""
        if (simulation := _simulation()) is not None:
            simulation.pause()
        elif self._state == "playing":
            self._state = "paused"

    def stop(self) -> None:
        """Stop; :meth:`SimulationContext.stop`."""
        if (simulation := _simulation()) is not None:
            simulation.stop()
        self._state = "stopped"

    def is_playing(self) -> bool:
        """Whether it plays."""
        simulation = _simulation()
        return self._state == "playing" if simulation is None else simulation.is_playing()

    def is_stopped(self) -> bool:
        """Whether it is stopped; when it pauses, it is not."""
        simulation = _simulation()
        return self._state == "stopped" if simulation is None else simulation.is_stopped()

    def commit(self) -> None:
        """Nothing: changes of the state hold at once."""


def _simulation() -> Any:
    """The ``SimulationContext``; its module is imported by those who make one."""
    module = sys.modules.get("phalanx.facade.isaaclab.sim.simulation_context")
    return None if module is None else module.SimulationContext.instance()


_timeline = Timeline()


def get_timeline_interface() -> Timeline:
    """The timeline of the process."""
    return _timeline


__all__ = ["Timeline", "get_timeline_interface"]
