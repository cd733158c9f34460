"""What trainers share: files of curves, and how many threads small networks get."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

SMALL = 10**8
"""Parameters times samples of a round up to which torch gets one thread: threads would mostly wait for each other."""


@contextlib.contextmanager
def threads(device: str, work: int) -> Iterator[None]:
    """One thread of torch for networks so small that threads would wait for each other most of the time."""
    before = torch.get_num_threads()
    if device == "cpu" and work < SMALL:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def curve_writer(folder: Path) -> Any:
    """TensorBoard's, or one that writes nothing if it is not installed."""
    if importlib.util.find_spec("tensorboard") is None:
        return _NoWriter()
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(folder), flush_secs=10)


class _NoWriter:
    def add_scalar(self, *_: Any) -> None:
        return None

    def flush(self) -> None:
        return None
