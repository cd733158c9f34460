"""Types that scripts use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class MultiRotorActions:
    """What thrusters of a multirotor are asked to do, and then what they do."""

    thrusts: Any = None
    """(num_envs, num_thrusters) N, or rev/s where the thrusters are told speeds."""

    thruster_indices: Any | Sequence[int] | slice | None = None
    """Which thrusters of the multirotor; ``None`` or ``slice(None)``: all."""
