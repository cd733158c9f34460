"""Configuration of a multirotor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, field
from typing import Any

from phalanx.facade.isaaclab.assets.articulation import ArticulationCfg
from phalanx.facade.isaaclab.utils.configclass import configclass
from phalanx.facade.isaaclab_contrib.actuators import ThrusterCfg
from phalanx.facade.isaaclab_contrib.assets.multirotor.multirotor import Multirotor


@configclass
class MultirotorCfg(ArticulationCfg):
    """Configuration of a multirotor."""

    @configclass
    class InitialStateCfg(ArticulationCfg.InitialStateCfg):
        """Where the root is put, how it moves then, and how fast rotors turn."""

        rps: dict[str, float] = field(default_factory=lambda: {".*": 100.0})
        """Speeds by regular expression, rev/s. Thrusters that none matches stand still."""

    class_type: Any = Multirotor
    init_state: InitialStateCfg = field(default_factory=InitialStateCfg)
    """State at the beginning, and after resets."""
    actuators: dict[str, ThrusterCfg] = MISSING  # pyright: ignore[reportAssignmentType, reportIncompatibleVariableOverride]
    """Thrusters by names of your choice; each group says by expression which bodies they are."""
    thruster_force_direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Where thrusters push, in the root's axes. What acts is in the allocation matrix; one whose thrusters together
    push the other way, or across, is told by a warning."""
    allocation_matrix: Sequence[Sequence[float]] | None = None
    """6 rows, Fx, Fy, Fz in N and Tx, Ty, Tz in N m about the root's centre of mass, in the root's axes, and a column
    for each thruster: what a thrust of 1 N does. ``None``: thrusters push nothing."""
    rotor_directions: Sequence[int] | None = None
    """Which way rotors turn, 1: counter-clockwise, -1: clockwise, for controllers that ask for it; the torques that
    follow from it are in the allocation matrix."""
