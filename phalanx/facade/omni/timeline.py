"""What scripts import as ``omni.timeline``: whether the simulation plays. Nothing steps by itself when it does."""

from __future__ import annotations


class Timeline:
    """A state: stopped, playing or paused. It is what scripts, and those who step the simulation, say it is."""

    def __init__(self) -> None:
        self._state = "stopped"

    def play(self) -> None:
        """Play from now on."""
        self._state = "playing"

    def pause(self) -> None:
        """Pause, if it plays."""
        if self._state == "playing":
            self._state = "paused"

    def stop(self) -> None:
        """Stop."""
        self._state = "stopped"

    def is_playing(self) -> bool:
        """Whether it plays."""
        return self._state == "playing"

    def is_stopped(self) -> bool:
        """Whether it is stopped; when it pauses, it is not."""
        return self._state == "stopped"

    def commit(self) -> None:
        """Nothing: changes of the state hold at once."""


_timeline = Timeline()


def get_timeline_interface() -> Timeline:
    """The timeline of the process."""
    return _timeline


__all__ = ["Timeline", "get_timeline_interface"]
