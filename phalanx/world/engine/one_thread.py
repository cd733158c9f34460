"""Keeps two threads from stepping one world at the same time."""

from __future__ import annotations

import threading
from types import TracebackType


class OneThread:
    """A context of steps; a step within a callback of a step of the same thread may pass.

    Threads would step in turns, in an order that is left to chance. (Reading and writing between steps, as a viewer
    does, is what ``World.lock`` is for.)
    """

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(
                "this world is being stepped by another thread; step it from one thread at a time, or make a world for "
                "each thread (to read and write it between steps, hold World.lock)"
            )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
