"""A value and when it was computed."""

from dataclasses import dataclass
from typing import Any


@dataclass
class TimestampedBuffer:
    """A value that is computed when it is asked for, if its time is not the current one."""

    data: Any = None
    """The value; ``None`` until it has been computed."""

    timestamp: float = -1.0
    """Simulation time when it was computed, s; negative: never."""
