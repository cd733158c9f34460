"""What follows from the pose of a rigid body's frame and the velocity of its centre of mass, in any number of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.assets import frames
from phalanx.facade.isaaclab.assets.lazy_data import LazyData
from phalanx.facade.isaaclab.utils.math import quat_apply
from phalanx.facade.namespaces import array, common, full

READ = ("link pose", "com velocity", "com in link")
"""What is read from the simulation; the rest is computed from it."""


class StateData(LazyData):
    """State of one rigid body in each row; rows are instances, or instances and objects.

    ``link`` is the body's own frame, ``com`` its centre of mass. ``_w`` is in the simulation's world, ``_b`` in the
    link's frame. Poses are [x y z qw qx qy qz], velocities linear and angular, m/s and rad/s.

    Attributes:
        GRAVITY_VEC_W: (rows, 3) the direction of gravity, zero without gravity.
        FORWARD_VEC_B: (rows, 3) what counts as ahead, the x axis.
    """

    def __init__(self, rows: Sequence[int], device: str, gravity: Any) -> None:
        """Of rows of some shape, with gravity's vector in m/s^2."""
        super().__init__()
        self.device = device
        size = sum(g * g for g in gravity) ** 0.5
        self.GRAVITY_VEC_W = full((*rows, 3), 0.0, device)
        self.GRAVITY_VEC_W[:] = array([g / size if size else 0.0 for g in gravity], device)
        self.FORWARD_VEC_B = full((*rows, 3), 0.0, device)
        self.FORWARD_VEC_B[..., 0] = 1.0

    @property
    @abstractmethod
    def _link_pose(self) -> Any:
        """(rows, 7) pose of the link."""

    @property
    @abstractmethod
    def _com_velocity(self) -> Any:
        """(rows, 6) velocity of the centre of mass."""

    @property
    @abstractmethod
    def _com_in_link(self) -> Any:
        """(rows, 7) pose of the centre of mass in the link's frame."""

    # -- computed from it ------------------------------------------------------------------------------------

    @property
    def _com_pose(self) -> Any:
        return self._now("com pose", lambda: frames.com_pose(self._link_pose, self._com_in_link))

    @property
    def _link_velocity(self) -> Any:
        return self._now(
            "link velocity",
            lambda: frames.link_velocity(self._com_velocity, self._link_pose[..., 3:], self._com_in_link),
        )

    @property
    def projected_gravity_b(self) -> Any:
        """(rows, 3) the direction of gravity in the link's axes."""
        return self._now("gravity", lambda: frames.in_frame(self._link_pose[..., 3:], self.GRAVITY_VEC_W))

    @property
    def heading_w(self) -> Any:
        """(rows) angle of the link's x axis about the world's z axis, rad."""
        return self._now("heading", self._heading)

    def _heading(self) -> Any:
        xp, ahead = common(quat_apply(self._link_pose[..., 3:], self.FORWARD_VEC_B))
        return xp.arctan2(ahead[..., 1], ahead[..., 0])

    @property
    def _link_vel_b(self) -> Any:
        return self._now("link velocity b", lambda: self._in_link(self._link_velocity))

    @property
    def _com_vel_b(self) -> Any:
        return self._now("com velocity b", lambda: self._in_link(self._com_velocity))

    def _in_link(self, velocity: Any) -> Any:
        xp, quat, v = common(self._link_pose[..., 3:], velocity)
        return xp.concatenate([frames.in_frame(quat, v[..., :3]), frames.in_frame(quat, v[..., 3:])], -1)
