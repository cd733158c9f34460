"""By which way properties of prims are read and written.

There is one way here: what is simulated is read from the simulation, the rest from the stage. Names of ways that Isaac
Sim has are known, so that scripts that choose one run: ``tensor`` where a simulation has to run, else ``usd``,
``usdrt`` and ``fabric``.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator, Sequence

log = logging.getLogger("phalanx.facade")

NAMES = ("usd", "usdrt", "fabric", "tensor")


class _Thread(threading.local):
    """What a thread has chosen: ``None``, or a name, and whether to raise where it is not supported, or falls back."""

    chosen: tuple[str, bool, bool] | None = None


_thread = _Thread()


@contextlib.contextmanager
def use_backend(backend: str, *, raise_on_unsupported: bool = False, raise_on_fallback: bool = False) -> Iterator[None]:
    """Within a ``with`` block, and in this thread, choose a way.

    Args:
        backend: one of :data:`NAMES`.
        raise_on_unsupported: whether methods that do not know it raise, rather than warn.
        raise_on_fallback: whether methods raise that would need a simulation for it, while none runs.

    Raises:
        ValueError: there is no such way.
    """
    if backend not in NAMES:
        raise ValueError(f"backend={backend!r} must be one of {', '.join(NAMES)}")
    before, _thread.chosen = _thread.chosen, (backend, raise_on_unsupported, raise_on_fallback)
    try:
        yield
    finally:
        _thread.chosen = before


def get_current_backend(supported_backends: Sequence[str], *, raise_on_unsupported: bool | None = None) -> str:
    """What the thread has chosen, or the first of some ways.

    Args:
        supported_backends: the ways that the caller knows.
        raise_on_unsupported: whether to raise where it does not know the one that was chosen; as the thread has chosen
            by default. Else its first is taken, with a warning.

    Raises:
        RuntimeError: see above.
    """
    if _thread.chosen is None:
        return supported_backends[0]
    backend, strict, _ = _thread.chosen
    if backend in supported_backends:
        return backend
    known = ", ".join(map(repr, supported_backends))
    if strict if raise_on_unsupported is None else raise_on_unsupported:
        raise RuntimeError(f"the backend {backend!r} is not supported here; supported are {known}")
    log.warning("the backend %r is not supported here: taking %r", backend, supported_backends[0])
    return supported_backends[0]


def is_backend_set() -> bool:
    """Whether the thread has chosen one."""
    return _thread.chosen is not None


def should_raise_on_unsupported() -> bool:
    """Whether the thread wants to hear of ways that are not supported."""
    return _thread.chosen is not None and _thread.chosen[1]


def should_raise_on_fallback() -> bool:
    """Whether the thread wants to hear of ways that fall back."""
    return _thread.chosen is not None and _thread.chosen[2]
