"""The loop in which coroutines of scripts run, a turn at each frame, as Kit's does."""

from __future__ import annotations

import asyncio

_loops: list[asyncio.AbstractEventLoop] = []
_turning: list[bool] = []


def event_loop() -> asyncio.AbstractEventLoop:
    """The loop, made when it is first asked for; ``asyncio.ensure_future`` finds it, too."""
    if not _loops or _loops[0].is_closed():
        _loops[:] = [asyncio.new_event_loop()]
        asyncio.set_event_loop(_loops[0])
    return _loops[0]


def in_turn() -> bool:
    """Whether who asks is in a task that goes on because somebody makes frames, and is not to make its own."""
    return bool(_turning)


def turn() -> None:
    """Let tasks go on to what they wait for next; nothing from within one of them."""
    if not _loops or _loops[0].is_closed() or _loops[0].is_running() or not asyncio.all_tasks(_loops[0]):
        return
    _loops[0].call_soon(_loops[0].stop)
    _turning.append(True)
    try:
        _loops[0].run_forever()
    finally:
        _turning.pop()
