"""How long something takes."""

from __future__ import annotations

import time
from contextlib import ContextDecorator
from typing import Any, ClassVar


class TimerError(Exception):
    """A timer is asked for something that it cannot know."""


class Timer(ContextDecorator):
    """A stopwatch: by :meth:`start` and :meth:`stop`, as a context, or around every call of a function.

    >>> with Timer("building the scene took", "build"):
    ...     pass
    building the scene took: ... seconds
    """

    timing_info: ClassVar[dict[str, float]] = {}
    """The last times of timers that have a name, s."""

    def __init__(self, msg: str | None = None, name: str | None = None) -> None:
        """Make a stopwatch that stands still.

        Args:
            msg: what is printed before the time at the end of a context; ``None``: nothing is printed.
            name: under which the time is kept in :attr:`timing_info`.
        """
        self._msg, self._name = msg, name
        self._start: float | None = None
        self._elapsed: float | None = None

    def __str__(self) -> str:
        return f"{self.time_elapsed:0.6f} seconds"

    @property
    def time_elapsed(self) -> float:
        """Time since the start, s; after a stop, of the whole run.

        Raises:
            TimerError: the timer has never been started.
        """
        if self._start is not None:
            return time.perf_counter() - self._start
        return self.total_run_time

    @property
    def total_run_time(self) -> float:
        """Time from the last start to the last stop, s.

        Raises:
            TimerError: the timer has never been stopped.
        """
        if self._elapsed is None:
            raise TimerError("the timer has not run: use start() and stop(), or a with statement")
        return self._elapsed

    def start(self) -> None:
        """Start.

        Raises:
            TimerError: the timer is running.
        """
        if self._start is not None:
            raise TimerError("the timer is running: use stop() first")
        self._start = time.perf_counter()

    def stop(self) -> None:
        """Stop.

        Raises:
            TimerError: the timer is not running.
        """
        if self._start is None:
            raise TimerError("the timer is not running: use start() first")
        self._elapsed, self._start = time.perf_counter() - self._start, None
        if self._name is not None:
            Timer.timing_info[self._name] = self._elapsed

    def __enter__(self) -> Timer:
        self.start()
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self.stop()
        if self._msg is not None:
            print(f"{self._msg}: {self._elapsed:0.6f} seconds")

    @staticmethod
    def get_timer_info(name: str) -> float:
        """The last time of the timers of a name, s.

        Raises:
            TimerError: none has run.
        """
        if name not in Timer.timing_info:
            raise TimerError(f"no timer {name!r} has run; there are {', '.join(Timer.timing_info) or 'none'}")
        return Timer.timing_info[name]
