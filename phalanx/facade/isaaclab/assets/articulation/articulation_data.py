"""What is known about an articulation."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.assets import frames
from phalanx.facade.isaaclab.assets.articulation.joint_buffers import JointBuffers
from phalanx.facade.isaaclab.assets.body_data import BodyParts
from phalanx.facade.isaaclab.assets.lazy_data import buffers, joined
from phalanx.facade.isaaclab.assets.root_data import ROOT, RootData
from phalanx.facade.isaaclab.assets.together import Group
from phalanx.facade.physx.state_kernels import dof_reading

READ = (*ROOT, "joint positions", "joint velocities")
"""What one write leaves as it was if it does not set it; poses and velocities of bodies follow from it."""


@buffers(
    "root_link_pose_w root_link_vel_w root_com_pose_w root_com_vel_w root_state_w root_link_state_w root_com_state_w "
    "body_link_pose_w body_link_vel_w body_com_pose_w body_com_vel_w body_state_w body_link_state_w body_com_state_w "
    "body_com_acc_w body_com_pose_b body_incoming_joint_wrench_b joint_pos joint_vel joint_acc"
)
class ArticulationData(RootData, BodyParts, JointBuffers):
    """State of an articulation in all its instances, read when it is asked for and kept until the next update.

    ``link`` is a body's own frame, ``com`` its centre of mass, with the link's axes as orientation. ``_w`` is in the
    simulation's world, ``_b`` in the link's frame. Poses are [x y z qw qx qy qz], velocities linear and angular, m/s
    and rad/s; n is the number of instances.

    Attributes:
        body_names, joint_names: in the order of the simulation.
        fixed_tendon_names, spatial_tendon_names: likewise.
        default_root_state: (n, 13) initial pose of the root and velocity of its centre of mass, seen from the
            environment's origin.
        default_mass: (n, bodies) kg, as the simulation had it when it began to play.
        default_inertia: (n, bodies, 9) kg m^2 about the centres of mass, in the links' axes, likewise.
    """

    body_names: list[str] = None  # pyright: ignore[reportAssignmentType]
    joint_names: list[str] = None  # pyright: ignore[reportAssignmentType]
    fixed_tendon_names: list[str] = None  # pyright: ignore[reportAssignmentType]
    spatial_tendon_names: list[str] = None  # pyright: ignore[reportAssignmentType]
    default_root_state: Any = None
    default_mass: Any = None
    default_inertia: Any = None

    def _make_groups(self) -> list[Group]:
        """Roots, links and joints."""
        groups, view = super()._make_groups(), self._view
        groups[1].parts = {**groups[1].parts, "com pose": ("com_pose", None)}  # links' centres have their axes
        for name, read, made_of in (
            ("link poses", view.get_link_poses, ()),
            ("com velocities", view.get_link_velocities, ()),
            ("link velocities", view.get_link_frame_velocities, ("link poses", "com velocities")),
        ):
            groups.append(Group({name: ("value", None)}, function=read, follows_from=made_of))
        if view.max_dofs and view.dof_coordinates is not None:
            parts = {"joint positions": ("position", None), "joint velocities": ("velocity", None)}
            groups.append(Group(parts, lambda: dof_reading(view)))
        return groups

    def pose_was_written(self, pose: Any, env_ids: Any) -> None:
        """The roots' poses, (n, 7), are these from now on."""
        self._written("link pose", pose, READ, env_ids)

    def velocity_was_written(self, velocity: Any, env_ids: Any) -> None:
        """The velocities of the roots' centres of mass, (n, 6), are these from now on."""
        self._written("com velocity", velocity, READ, env_ids)

    def joint_position_was_written(self, position: Any, env_ids: Any) -> None:
        """The joints' positions, (n, joints), are these from now on."""
        self._written("joint positions", position, READ, env_ids)

    def joint_velocity_was_written(self, velocity: Any, env_ids: Any) -> None:
        """The joints' velocities, (n, joints), are these from now on."""
        self._written("joint velocities", velocity, READ, env_ids)

    # -- read from the simulation ----------------------------------------------------------------------------

    @property
    def root_link_pose_w(self) -> Any:
        """(n, 7) pose of the root."""
        return self._now("link pose", lambda: frames.to_wxyz(self._view.get_root_transforms()))

    @property
    def root_com_vel_w(self) -> Any:
        """(n, 6) velocity of the root's centre of mass."""
        return self._now("com velocity", self._view.get_root_velocities)

    @property
    def body_com_pose_b(self) -> Any:
        """(n, bodies, 7) poses of the centres of mass in the links' frames."""
        return self._now("com in link", lambda: frames.to_wxyz(self._view.com_poses()))

    @property
    def body_link_pose_w(self) -> Any:
        """(n, bodies, 7) poses of the links."""
        return self._now("link poses", lambda: frames.to_wxyz(self._view.get_link_transforms()))

    @property
    def body_com_vel_w(self) -> Any:
        """(n, bodies, 6) velocities of the centres of mass."""
        return self._now("com velocities", self._view.get_link_velocities)

    @property
    def joint_pos(self) -> Any:
        """(n, joints) positions, rad or m."""
        return self._now("joint positions", self._view.get_dof_positions)

    @property
    def joint_vel(self) -> Any:
        """(n, joints) velocities, rad/s or m/s."""
        return self._now("joint velocities", self._view.get_dof_velocities)

    @property
    def body_incoming_joint_wrench_b(self) -> Any:
        """(n, bodies, 6) force and torque, N and N m, that joints transmit to the bodies, in the joints' frames."""
        return self._now("wrenches", self._view.get_link_incoming_joint_force)

    # -- computed from it ------------------------------------------------------------------------------------

    @property
    def joint_acc(self) -> Any:
        """(n, joints) accelerations of joints between the last two updates, rad/s^2 or m/s^2."""
        return self._rate("joint_vel", self._view.get_dof_accelerations)

    @property
    def _previous_joint_vel(self) -> Any:
        """(n, joints) velocities that the next accelerations of joints count from; scripts may write to it."""
        _ = self.joint_acc  # from now on they are followed
        return self._rates["joint_vel"].start()

    @property
    def body_com_acc_w(self) -> Any:
        """(n, bodies, 6) accelerations of the centres of mass between the last two updates, m/s^2 and rad/s^2."""
        return self._rate("body_com_vel_w", self._view.get_link_accelerations)

    @property
    def body_com_pose_w(self) -> Any:
        """(n, bodies, 7) poses of the centres of mass."""
        return self._now("com poses", lambda: frames.com_pose(self.body_link_pose_w, self.body_com_pose_b))

    @property
    def body_link_vel_w(self) -> Any:
        """(n, bodies, 6) velocities of the links' origins."""
        return self._now(
            "link velocities",
            lambda: frames.link_velocity(self.body_com_vel_w, self.body_link_pose_w[..., 3:], self.body_com_pose_b),
        )

    body_state_w = joined("body_link_pose_w", "body_com_vel_w", "(n, bodies, 13) links' poses, coms' velocities.")
    body_link_state_w = joined("body_link_pose_w", "body_link_vel_w", "(n, bodies, 13) of the links.")
    body_com_state_w = joined("body_com_pose_w", "body_com_vel_w", "(n, bodies, 13) of the centres of mass.")
