"""Hold Ctrl-C back while something must not be interrupted."""

from __future__ import annotations

import threading
from collections.abc import Callable
from signal import SIGINT
from typing import Any

try:  # the functions of signal that make no members of enumerations: these take 40 times as long
    import _signal as signals  # pyright: ignore[reportMissingModuleSource]
except ImportError:
    import signal as signals


class no_interrupt:
    """Hold Ctrl-C back until the end of the block; in other threads than the main one nothing is held."""

    __slots__ = ("_held", "_previous")

    def __init__(self) -> None:
        self._previous: Callable[..., Any] | None = None
        self._held: list[tuple[Any, ...]] = []

    def __enter__(self) -> None:
        previous: Any = signals.getsignal(SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(previous):
            self._previous = previous
            signals.signal(SIGINT, self._hold)

    def _hold(self, *arguments: Any) -> None:
        self._held.append(arguments)

    def __exit__(self, *raised: object) -> None:
        if self._previous is None:
            return
        signals.signal(SIGINT, self._previous)
        if self._held:
            self._previous(*self._held[0])
