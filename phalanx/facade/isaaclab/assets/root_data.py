"""What is known about the root of an asset."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from phalanx.facade.isaaclab.assets.lazy_data import joined, part, same
from phalanx.facade.isaaclab.assets.state_data import READ, StateData

ROOT = READ
"""Of the root, what is read from the simulation; the rest is computed from it."""


class RootData(StateData):
    """State of the root in all instances.

    ``link`` is the root's own frame, ``com`` its centre of mass. ``_w`` is in the simulation's world, ``_b`` in the
    link's frame. Poses are [x y z qw qx qy qz], velocities linear and angular, m/s and rad/s; n is the number of
    instances, and of rows.
    """

    def __init__(self, view: Any, device: str, gravity: Any) -> None:
        """Of the rows of a tensor view, with gravity's vector in m/s^2."""
        super().__init__((view.count,), device, gravity)
        self._view = view

    @property
    @abstractmethod
    def root_link_pose_w(self) -> Any:
        """(n, 7) pose of the link."""

    @property
    @abstractmethod
    def root_com_vel_w(self) -> Any:
        """(n, 6) velocity of the centre of mass."""

    @property
    @abstractmethod
    def body_com_pose_b(self) -> Any:
        """(n, bodies, 7) poses of the centres of mass in the links' frames; the root is the first body."""

    _link_pose = same("root_link_pose_w")
    _com_velocity = same("root_com_vel_w")

    @property
    def _com_in_link(self) -> Any:
        return self.body_com_pose_b[:, 0]

    # -- computed from it ------------------------------------------------------------------------------------

    @property
    def root_com_pose_w(self) -> Any:
        """(n, 7) pose of the centre of mass."""
        return self._com_pose

    @property
    def root_link_vel_w(self) -> Any:
        """(n, 6) velocity of the link's origin."""
        return self._link_velocity

    root_link_lin_vel_b = part("_link_vel_b", 0, 3, "(n, 3) linear velocity of the link's origin in its axes.")
    root_link_ang_vel_b = part("_link_vel_b", 3, 6, "(n, 3) angular velocity in the link's axes.")
    root_com_lin_vel_b = part("_com_vel_b", 0, 3, "(n, 3) linear velocity of the centre of mass in the link's axes.")
    root_com_ang_vel_b = part("_com_vel_b", 3, 6, "(n, 3) angular velocity in the link's axes.")

    root_state_w = joined("root_link_pose_w", "root_com_vel_w", "(n, 13) the link's pose, the com's velocity.")
    root_link_state_w = joined("root_link_pose_w", "root_link_vel_w", "(n, 13) pose and velocity of the link.")
    root_com_state_w = joined("root_com_pose_w", "root_com_vel_w", "(n, 13) pose and velocity of the centre of mass.")

    root_link_pos_w = part("root_link_pose_w", 0, 3, "(n, 3) position of the link.")
    root_link_quat_w = part("root_link_pose_w", 3, 7, "(n, 4) orientation of the link.")
    root_link_lin_vel_w = part("root_link_vel_w", 0, 3, "(n, 3) linear velocity of the link's origin.")
    root_link_ang_vel_w = part("root_link_vel_w", 3, 6, "(n, 3) angular velocity.")
    root_com_pos_w = part("root_com_pose_w", 0, 3, "(n, 3) position of the centre of mass.")
    root_com_quat_w = part("root_com_pose_w", 3, 7, "(n, 4) orientation of the principal axes.")
    root_com_lin_vel_w = part("root_com_vel_w", 0, 3, "(n, 3) linear velocity of the centre of mass.")
    root_com_ang_vel_w = part("root_com_vel_w", 3, 6, "(n, 3) angular velocity.")

    root_pose_w = same("root_link_pose_w")
    root_pos_w = same("root_link_pos_w")
    root_quat_w = same("root_link_quat_w")
    root_vel_w = same("root_com_vel_w")
    root_lin_vel_w = same("root_com_lin_vel_w")
    root_ang_vel_w = same("root_com_ang_vel_w")
    root_lin_vel_b = same("root_com_lin_vel_b")
    root_ang_vel_b = same("root_com_ang_vel_b")
