"""What is known about the joints and tendons of an articulation besides their state: gains, limits, targets, efforts.

These are buffers, written to when something is set; users read them.
"""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.assets.lazy_data import same


class JointBuffers:
    """Buffers of joints, (n, joints), limits (n, joints, 2), and of tendons, (n, tendons), for n instances.

    What is called ``default`` is what it was when the simulation began to play, gains those of the actuators'
    configuration. Gains without it are what the simulation has: zero for joints with explicit actuators.
    """

    default_joint_pos: Any = None
    """rad or m."""
    default_joint_vel: Any = None
    """rad/s or m/s."""
    default_joint_stiffness: Any = None
    """N m/rad or N/m."""
    default_joint_damping: Any = None
    """N m s/rad or N s/m."""
    default_joint_armature: Any = None
    """kg m^2 or kg."""
    default_joint_friction_coeff: Any = None
    """Of static friction; N m or N here, since friction does not grow with the load on a joint."""
    default_joint_dynamic_friction_coeff: Any = None
    """Of friction in motion, N m or N."""
    default_joint_viscous_friction_coeff: Any = None
    """N m s/rad or N s/m."""
    default_joint_pos_limits: Any = None
    """Lower and upper, rad or m."""

    joint_pos_target: Any = None
    """What is asked of the joints, rad or m."""
    joint_vel_target: Any = None
    """rad/s or m/s."""
    joint_effort_target: Any = None
    """N m or N."""
    computed_torque: Any = None
    """Efforts of the actuators before limits, N m or N."""
    applied_torque: Any = None
    """Efforts of the actuators within limits, N m or N; of implicit ones as near as the last state tells."""

    joint_stiffness: Any = None
    """N m/rad or N/m."""
    joint_damping: Any = None
    """N m s/rad or N s/m."""
    joint_armature: Any = None
    """kg m^2 or kg."""
    joint_friction_coeff: Any = None
    """Of static friction, N m or N."""
    joint_dynamic_friction_coeff: Any = None
    """Of friction in motion, N m or N."""
    joint_viscous_friction_coeff: Any = None
    """N m s/rad or N s/m."""
    joint_pos_limits: Any = None
    """Lower and upper, rad or m."""
    joint_vel_limits: Any = None
    """rad/s or m/s."""
    joint_effort_limits: Any = None
    """N m or N."""
    soft_joint_pos_limits: Any = None
    """The share of the ranges that the configuration says, about their middle."""
    soft_joint_vel_limits: Any = None
    """Limits of the actuators' models, rad/s or m/s."""
    gear_ratio: Any = None
    """Of motor to joint speeds; 1 where actuators have none."""

    default_fixed_tendon_stiffness: Any = None
    default_fixed_tendon_damping: Any = None
    default_fixed_tendon_limit_stiffness: Any = None
    default_fixed_tendon_rest_length: Any = None
    default_fixed_tendon_offset: Any = None
    default_fixed_tendon_pos_limits: Any = None
    """Least and greatest length, (n, tendons, 2)."""
    default_spatial_tendon_stiffness: Any = None
    default_spatial_tendon_damping: Any = None
    default_spatial_tendon_limit_stiffness: Any = None
    default_spatial_tendon_offset: Any = None
    fixed_tendon_stiffness: Any = None
    fixed_tendon_damping: Any = None
    fixed_tendon_limit_stiffness: Any = None
    fixed_tendon_rest_length: Any = None
    fixed_tendon_offset: Any = None
    fixed_tendon_pos_limits: Any = None
    spatial_tendon_stiffness: Any = None
    spatial_tendon_damping: Any = None
    spatial_tendon_limit_stiffness: Any = None
    spatial_tendon_offset: Any = None

    joint_limits = same("joint_pos_limits")
    default_joint_limits = same("default_joint_pos_limits")
    joint_velocity_limits = same("joint_vel_limits")
    joint_friction = same("joint_friction_coeff")
    default_joint_friction = same("default_joint_friction_coeff")
    fixed_tendon_limit = same("fixed_tendon_pos_limits")
    default_fixed_tendon_limit = same("default_fixed_tendon_pos_limits")
