"""What all configurations of actuators have in common."""

from __future__ import annotations

from dataclasses import MISSING

from phalanx.facade.isaaclab.actuators.actuator_base import ActuatorBase
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class ActuatorBaseCfg:
    """Actuators of a group of joints.

    Where a dictionary is allowed, its keys are regular expressions of joint names. ``None``: as the asset's file says.
    """

    class_type: type[ActuatorBase] = MISSING  # pyright: ignore[reportAssignmentType]
    """The model."""

    joint_names_expr: list[str] = MISSING  # pyright: ignore[reportAssignmentType]
    """Names of the joints of the group, or regular expressions of them."""

    effort_limit: dict[str, float] | float | None = None
    """Limits of efforts in the model, N m or N."""

    velocity_limit: dict[str, float] | float | None = None
    """Limits of speeds in the model, rad/s or m/s."""

    effort_limit_sim: dict[str, float] | float | None = None
    """Limits of efforts in the simulation, N m or N. ``None``: for explicit models practically none."""

    velocity_limit_sim: dict[str, float] | float | None = None
    """Limits of speeds in the simulation, rad/s or m/s."""

    stiffness: dict[str, float] | float | None = MISSING  # pyright: ignore[reportAssignmentType]
    """Proportional gains, N m/rad or N/m."""

    damping: dict[str, float] | float | None = MISSING  # pyright: ignore[reportAssignmentType]
    """Derivative gains, N m s/rad or N s/m."""

    armature: dict[str, float] | float | None = None
    """Inertia of motors at the joints, kg m² or kg."""

    friction: dict[str, float] | float | None = None
    """Coefficients of static friction of joints."""

    dynamic_friction: dict[str, float] | float | None = None
    """Coefficients of dynamic friction of joints."""

    viscous_friction: dict[str, float] | float | None = None
    """Coefficients of viscous friction of joints."""
