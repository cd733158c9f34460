"""The few threads that go through environments, or rays, on the CPU."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

_threads: int | None = None
_pools: dict[int, ThreadPoolExecutor] = {}


def num_threads() -> int:
    """Threads used for stepping: :func:`set_num_threads`, ``$PHALANX_NUM_THREADS``, or all processors of this
    process.
    """
    if _threads is not None:
        return _threads
    chosen = os.environ.get("PHALANX_NUM_THREADS", "")
    if chosen:
        if not chosen.isdigit() or int(chosen) < 1:
            raise ValueError(f"PHALANX_NUM_THREADS={chosen!r}: must be a positive whole number")
        return int(chosen)
    return num_processors()


def num_processors() -> int:
    """Processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_num_threads(count: int | None) -> None:
    """Set the number of threads for stepping; ``None`` returns to the default. Results do not depend on it."""
    global _threads
    if count is not None and count < 1:
        raise ValueError(f"set_num_threads({count}): at least 1 thread is needed")
    _threads = count


def at_once(work: Callable[..., object], shares: Sequence[tuple[Any, ...]]) -> None:
    """Call ``work`` with each share, all at the same time, the last one in this thread; returns when all have ended.

    Threads are kept and wait for more. ``work`` releases the lock of Python's interpreter, or they take turns. Errors
    and Ctrl-C are raised when all have ended, too: what goes on would write to arrays that the caller lets go.
    """
    *others, own = shares
    jobs: list[Future[object]] = []
    try:
        for share in others:
            jobs.append(_pool(len(shares)).submit(work, *share))
        work(*own)
        for job in jobs:
            job.result()
    except BaseException:
        _let_end(jobs)
        raise


def _let_end(jobs: Sequence[Future[object]]) -> None:
    while not all(job.done() for job in jobs):
        try:
            wait(jobs)
        except KeyboardInterrupt:  # once more; the first error is raised when all have ended
            continue


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # a copy of this process has none of its threads


def _pool(threads: int) -> ThreadPoolExecutor:
    if threads not in _pools:
        _pools[threads] = ThreadPoolExecutor(threads - 1, thread_name_prefix="phalanx")
    return _pools[threads]
