"""Configurations of actuators with a proportional-derivative law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING
from typing import Any

from phalanx.facade.isaaclab.actuators import actuator_pd
from phalanx.facade.isaaclab.actuators.actuator_base import ActuatorBase
from phalanx.facade.isaaclab.actuators.actuator_base_cfg import ActuatorBaseCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class ImplicitActuatorCfg(ActuatorBaseCfg):
    """The simulation's own drives."""

    class_type: type[ActuatorBase] = actuator_pd.ImplicitActuator


@configclass
class IdealPDActuatorCfg(ActuatorBaseCfg):
    """An ideal actuator with limits."""

    class_type: type[ActuatorBase] = actuator_pd.IdealPDActuator


@configclass
class DCMotorCfg(IdealPDActuatorCfg):
    """A direct-current motor; it needs ``velocity_limit``."""

    class_type: type[ActuatorBase] = actuator_pd.DCMotor

    saturation_effort: dict[str, float] | float = MISSING  # pyright: ignore[reportAssignmentType]
    """The greatest effort, at standstill for a moment, N m."""


@configclass
class DelayedPDActuatorCfg(IdealPDActuatorCfg):
    """An ideal actuator that gets its targets late."""

    class_type: type[ActuatorBase] = actuator_pd.DelayedPDActuator

    min_delay: int = 0
    """The least delay, physics steps."""

    max_delay: int = 0
    """The greatest delay, physics steps."""


@configclass
class RemotizedPDActuatorCfg(DelayedPDActuatorCfg):
    """A delayed actuator that moves its joint by a linkage. Limits of effort and speed have no effect."""

    class_type: type[ActuatorBase] = actuator_pd.RemotizedPDActuator

    joint_parameter_lookup: Sequence[Sequence[float]] | Any = MISSING
    """Angles (rad, increasing), transmission ratios (in/out), greatest torques (N m): (num_lookup_points, 3)."""
