"""Named trace regions: which system ran when.

::

    with phalanx.ecs.trace.record("trace.json"):
        world.step(20)

Inside, programs run system by system instead of as a whole, each in a region of its own name; results stay the same to
the bit. The file is in Chrome's trace format (open it at ui.perfetto.dev or chrome://tracing); on CUDA the regions are
NVTX ranges as well, which Nsight shows.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from phalanx.ecs.whole_files import write_text

_events: list[dict[str, Any]] | None = None


def active() -> bool:
    """Whether regions are being recorded."""
    return _events is not None


@contextmanager
def region(name: str, category: str = "system") -> Iterator[None]:
    """A named stretch of time; free of cost unless recording."""
    if _events is None:
        yield
        return
    start = time.perf_counter()
    try:
        yield
    finally:
        _events.append(
            {
                "name": name,
                "cat": category,
                "ph": "X",
                "ts": start * 1e6,
                "dur": (time.perf_counter() - start) * 1e6,
                "pid": os.getpid(),
                "tid": threading.get_native_id(),
            }
        )


def start() -> None:
    """Record all regions until :func:`stop`, to look at and not to a file.

    Raises:
        RuntimeError: a trace is being recorded already.
    """
    global _events
    if _events is not None:
        raise RuntimeError("a trace is being recorded already; end it first")
    _events = []


def stop() -> list[dict[str, Any]]:
    """The regions since :func:`start`, in Chrome's trace format; times in microseconds."""
    global _events
    found, _events = _events, None
    return found or []


@contextmanager
def record(path: str | os.PathLike[str]) -> Iterator[None]:
    """Record all regions until the end of the block, then write them to ``path``."""
    global _events
    if _events is not None:
        raise RuntimeError("a trace is being recorded already; end it first")
    write_text(path, "")  # a path that cannot be written fails now
    _events = []
    try:
        yield
    finally:
        found, _events = _events, None
        write_text(path, json.dumps({"traceEvents": found}))
