"""Configurations of actuators that a network has learned."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING
from typing import Literal

from phalanx.facade.isaaclab.actuators import actuator_net
from phalanx.facade.isaaclab.actuators.actuator_base import ActuatorBase
from phalanx.facade.isaaclab.actuators.actuator_pd_cfg import DCMotorCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class _NetworkCfg(DCMotorCfg):
    """What networks have in common. Gains have no effect."""

    stiffness: dict[str, float] | float | None = None
    damping: dict[str, float] | float | None = None

    network_file: str = MISSING  # pyright: ignore[reportAssignmentType]
    """A TorchScript file."""


@configclass
class ActuatorNetLSTMCfg(_NetworkCfg):
    """A recurrent network. Gains have no effect."""

    class_type: type[ActuatorBase] = actuator_net.ActuatorNetLSTM


@configclass
class ActuatorNetMLPCfg(_NetworkCfg):
    """A network of layers without a memory. Gains have no effect."""

    class_type: type[ActuatorBase] = actuator_net.ActuatorNetMLP

    pos_scale: float = MISSING  # pyright: ignore[reportAssignmentType]
    """What position errors are multiplied with before the network."""

    vel_scale: float = MISSING  # pyright: ignore[reportAssignmentType]
    """What velocities are multiplied with before the network."""

    torque_scale: float = MISSING  # pyright: ignore[reportAssignmentType]
    """What the network's outputs are multiplied with."""

    input_order: Literal["pos_vel", "vel_pos"] = MISSING  # pyright: ignore[reportAssignmentType]
    """Whether errors or velocities come first."""

    input_idx: Iterable[int] = MISSING  # pyright: ignore[reportAssignmentType]
    """Which of the last values the network sees, in this order: 0 is the latest."""
