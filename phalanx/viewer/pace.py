"""Play, pause, single steps and speed: when a loop that steps may go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

SLOWEST, FASTEST = 1 / 64, 64.0
"""Times real time."""

BEHIND = 0.25
"""s: who is later than this does not catch up."""


class Pace:
    """Says when the next step is due. All methods may be called from any thread.

    Args:
        playing: whether it goes on by itself.
        speed: simulated seconds a second of real time; ``None``: as fast as possible.
        clock: seconds of real time.
    """

    def __init__(
        self, playing: bool = True, speed: float | None = None, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._playing, self._speed = bool(playing), _checked(speed)
        self._steps = 0
        self._start: tuple[float, float] | None = None  # real and simulated time that belong together

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._playing

    @property
    def speed(self) -> float | None:
        """Simulated seconds a second of real time; ``None``: as fast as possible."""
        return self._speed

    @speed.setter
    def speed(self, speed: float | None) -> None:
        self._set(speed=_checked(speed))

    def play(self) -> None:
        """Go on."""
        self._set(playing=True)

    def pause(self) -> None:
        """Wait from the next step on."""
        self._set(playing=False)

    def step(self, count: int = 1) -> None:
        """Pause, but for so many steps more."""
        with self._changed:
            self._playing, self._start = False, None
            self._steps += count
            self._changed.notify_all()

    def slower(self) -> None:
        """Half the speed; from as fast as possible to real time."""
        self.speed = 1.0 if self._speed is None else max(SLOWEST, self._speed / 2)

    def faster(self) -> None:
        """Twice the speed; beyond the fastest, as fast as possible."""
        if self._speed is not None:
            self.speed = None if self._speed >= FASTEST else self._speed * 2

    def due(self, simulated: float) -> float:
        """Seconds of real time until the step after this simulated time may be made; infinite while paused.

        A single step that was asked for is counted as made when this returns 0.
        """
        with self._changed:
            if not self._playing:
                self._start = None
                if self._steps:
                    self._steps -= 1
                    return 0.0
                return float("inf")
            if self._speed is None:
                return 0.0
            now = self._clock()
            if self._start is None:
                self._start = (now, simulated)
            real, first = self._start
            wait = real + (simulated - first) / self._speed - now
            if wait < -BEHIND or simulated < first:
                self._start = (now, simulated)
            return max(0.0, wait)

    def wait(self, seconds: float) -> None:
        """Sleep so long, or until something changes."""
        with self._changed:
            self._changed.wait(seconds)

    def wake(self) -> None:
        """End all waiting."""
        with self._changed:
            self._changed.notify_all()

    def _set(self, **values: float | bool | None) -> None:
        with self._changed:
            for name, value in values.items():
                setattr(self, f"_{name}", value)
            self._start, self._steps = None, 0
            self._changed.notify_all()


def _checked(speed: float | None) -> float | None:
    if speed is not None and not SLOWEST <= speed <= FASTEST:
        raise ValueError(f"speed={speed}: must be 1/64 to 64 times real time, or None: as fast as possible")
    return None if speed is None else float(speed)
