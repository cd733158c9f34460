"""A policy of motion, and the robot that it moves."""

from __future__ import annotations

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.articulations.articulation_subset import ArticulationSubset
from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot_motion.motion_generation.motion_policy_interface import MotionPolicy


class ArticulationMotionPolicy:
    """Actions of a robot by a policy.

    Args:
        robot_articulation: the robot, simulated.
        motion_policy: the policy.
        default_physics_dt: time until the next action, s, where none is given.
    """

    def __init__(
        self,
        robot_articulation: SingleArticulation,
        motion_policy: MotionPolicy,
        default_physics_dt: float = 1.0 / 60.0,
    ) -> None:
        self._robot_articulation, self.motion_policy = robot_articulation, motion_policy
        self.physics_dt = self._default_physics_dt = default_physics_dt
        self._articulation_controller = robot_articulation.get_articulation_controller()
        self._active_joints_view = ArticulationSubset(robot_articulation, motion_policy.get_active_joints())
        self._watched_joints_view = ArticulationSubset(robot_articulation, motion_policy.get_watched_joints())

    def move(self, physics_dt: float | None = None) -> None:
        """Apply the next action."""
        self._articulation_controller.apply_action(self.get_next_articulation_action(physics_dt))

    def get_next_articulation_action(self, physics_dt: float | None = None) -> ArticulationAction:
        """Targets of the joints after a time, s."""
        states = []
        for view in (self._active_joints_view, self._watched_joints_view):
            some = view.joint_names
            states += [on_host(view.get_joint_positions(), float) if some else on_host([], float)]
            states += [on_host(view.get_joint_velocities(), float) if some else on_host([], float)]
        dt = self._default_physics_dt if physics_dt is None else physics_dt
        return self._active_joints_view.make_articulation_action(
            *self.motion_policy.compute_joint_targets(states[0], states[1], states[2], states[3], dt)
        )

    def get_active_joints_subset(self) -> ArticulationSubset:
        """The joints that the policy moves."""
        return self._active_joints_view

    def get_watched_joints_subset(self) -> ArticulationSubset:
        """Joints that the policy watches."""
        return self._watched_joints_view

    def get_robot_articulation(self) -> SingleArticulation:
        """The robot."""
        return self._robot_articulation

    def get_motion_policy(self) -> MotionPolicy:
        """The policy."""
        return self.motion_policy

    def get_default_physics_dt(self) -> float:
        """Time until the next action, s, where none is given."""
        return self._default_physics_dt

    def set_default_physics_dt(self, physics_dt: float) -> None:
        """Set that time, s."""
        self._default_physics_dt = physics_dt


__all__ = ["ArticulationMotionPolicy"]
