"""What scripts import as ``omni.kit.async_engine``: coroutines that go on at each frame."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from phalanx.facade.coroutines import event_loop


def run_coroutine(coroutine: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Let a coroutine run, a turn at each update of the application; its task."""
    return event_loop().create_task(coroutine)


__all__ = ["run_coroutine"]
