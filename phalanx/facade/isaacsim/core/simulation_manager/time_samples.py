"""Which simulated time frames of the application had: what scripts know as the interface of the simulation manager."""

from __future__ import annotations

import logging
import time
from collections import deque
from fractions import Fraction
from typing import Any, NamedTuple

from phalanx.facade import simulation

log = logging.getLogger("phalanx.facade")

CAPACITY = 31
"""Frames that are remembered."""

FRAMES_A_SECOND = 60
"""Of the clock that counts frames."""


class RationalTime(NamedTuple):
    """A time in s as a fraction; ``0/0`` is no time."""

    numerator: int
    denominator: int

    def to_float(self) -> float:
        """s; NaN for no time."""
        return self.numerator / self.denominator if self.denominator else float("nan")


class TimeData(NamedTuple):
    """Times after the last step of a frame, s: simulated since the last stop, simulated in all, and of the machine."""

    sim_time: float
    sim_time_monotonic: float
    system_time: float


class Entry(NamedTuple):
    """A frame that had steps."""

    time: RationalTime
    data: TimeData
    valid: bool = True


class SimulationManagerInterface:
    """The clock of the simulation, and its times at the last frames; a stop forgets these."""

    def __init__(self) -> None:
        self._samples: deque[Entry] = deque(maxlen=CAPACITY)
        self._in_all = 0.0
        self._after = simulation.get().stepped.subscribe(self._sample)
        self._timeline = simulation.get().timeline.subscribe(self._heard, order=-1000)

    def get_simulation_time(self) -> float:
        """Simulated seconds since the last stop."""
        return simulation.current().time

    def get_simulation_time_monotonic(self) -> float:
        """Simulated seconds in all, which a stop does not set back."""
        return self._in_all

    def get_system_time(self) -> float:
        """Seconds of the machine's clock."""
        return time.time()

    def get_current_time(self) -> RationalTime:
        """The time of the frame that is made now."""
        from phalanx.facade.omni.kit.app import get_app

        return RationalTime(get_app().get_update_number(), FRAMES_A_SECOND)

    def get_num_physics_steps(self) -> int:
        """Steps since the last stop."""
        return simulation.current().steps

    def is_simulating(self) -> bool:
        """Whether it plays or pauses."""
        return simulation.current().state != simulation.STOPPED

    def is_paused(self) -> bool:
        """Whether it pauses."""
        return simulation.current().state == simulation.PAUSED

    def get_simulation_time_at_time(self, time: Any) -> float:
        """:meth:`get_simulation_time` at the time of a frame, between frames by interpolation.

        Args:
            time: numerator and denominator, s.

        Returns:
            s; what it is now for times that are not within the frames that are remembered.
        """
        return self._at(time, "sim_time", self.get_simulation_time())

    def get_simulation_time_monotonic_at_time(self, time: Any) -> float:
        """:meth:`get_simulation_time_monotonic` likewise."""
        return self._at(time, "sim_time_monotonic", self._in_all)

    def get_system_time_at_time(self, time: Any) -> float:
        """:meth:`get_system_time` likewise."""
        return self._at(time, "system_time", self.get_system_time())

    def get_all_samples(self) -> list[Entry]:
        """The frames that are remembered, oldest first."""
        return list(self._samples)

    def get_sample_count(self) -> int:
        """How many frames are remembered."""
        return len(self._samples)

    def get_sample_range(self) -> tuple[RationalTime, RationalTime] | None:
        """The times of the oldest and the newest frame that are remembered; ``None`` without any."""
        return (self._samples[0].time, self._samples[-1].time) if self._samples else None

    def get_buffer_capacity(self) -> int:
        """How many frames are remembered at most."""
        return CAPACITY

    def log_statistics(self) -> None:
        """Say in the log what is remembered."""
        found = self.get_sample_range()
        between = "" if found is None else f", from {found[0].to_float():.4f} s to {found[1].to_float():.4f} s"
        log.info("times of %d frames of at most %d are remembered%s", len(self._samples), CAPACITY, between)

    # -- inside ----------------------------------------------------------------------------------------------

    def _sample(self, dt: float) -> None:
        now = simulation.get()
        self._in_all += dt
        entry = Entry(self.get_current_time(), TimeData(now.time, self._in_all, time.time()))
        if self._samples and self._samples[-1].time == entry.time:  # another step of the same frame
            self._samples.pop()
        self._samples.append(entry)

    def _heard(self, what: str) -> None:
        if what == "stop":
            self._samples.clear()

    def _at(self, when: Any, name: str, now: float) -> float:
        numerator, denominator = (int(each) for each in when)
        if not denominator or not self._samples:
            return now
        wanted = Fraction(numerator, denominator)
        before = after = None
        for entry in self._samples:
            time = Fraction(*entry.time)
            if time <= wanted:
                before = (time, getattr(entry.data, name))
            if time >= wanted:
                after = (time, getattr(entry.data, name))
                break
        if before is None or after is None:
            return now
        width = after[0] - before[0]
        share = float((wanted - before[0]) / width) if width else 0.0
        return before[1] + share * (after[1] - before[1])


__all__ = ["Entry", "RationalTime", "SimulationManagerInterface", "TimeData"]
