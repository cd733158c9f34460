"""Types that scripts use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class ArticulationActions:
    """What joints of an articulation are asked to do. ``None``: nothing is asked in that respect."""

    joint_positions: Any = None
    """Positions, (num_envs, num_joints), rad or m."""

    joint_velocities: Any = None
    """Velocities, (num_envs, num_joints), rad/s or m/s."""

    joint_efforts: Any = None
    """Efforts, (num_envs, num_joints), N m or N."""

    joint_indices: Any | Sequence[int] | slice | None = None
    """Which joints of the articulation; ``None`` or ``slice(None)``: all."""
