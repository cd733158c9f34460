"""What is known about a rigid object."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.assets import frames
from phalanx.facade.isaaclab.assets.body_data import BodyParts
from phalanx.facade.isaaclab.assets.lazy_data import buffers, of_body
from phalanx.facade.isaaclab.assets.root_data import ROOT, RootData


@buffers(
    "root_link_pose_w root_link_vel_w root_com_pose_w root_com_vel_w root_state_w root_link_state_w root_com_state_w "
    "body_com_acc_w body_com_pose_b"
)
class RigidObjectData(RootData, BodyParts):
    """State of a rigid object in all its instances, read when it is asked for and kept until the next update.

    ``link`` is the body's own frame, ``com`` its centre of mass, with the principal axes of inertia as orientation.
    ``_w`` is in the simulation's world, ``_b`` in the body's frame. Poses are (..., 7), [x y z qw qx qy qz], velocities
    (..., 6), linear and angular, m/s and rad/s; n is the number of instances.

    Attributes:
        default_root_state: (n, 13) initial pose of the link and velocity of the centre of mass, seen from the
            environment's origin.
        default_mass: (n, 1) kg, as the simulation had it when it began to play.
        default_inertia: (n, 9) kg m^2 about the centre of mass, in the link's axes, likewise.
        body_names: the name of the body.
    """

    default_root_state: Any = None
    default_mass: Any = None
    default_inertia: Any = None
    body_names: list[str] = None  # pyright: ignore[reportAssignmentType]

    def pose_was_written(self, pose: Any, env_ids: Any) -> None:
        """The links' poses, (n, 7), are these from now on."""
        self._written("link pose", pose, ROOT, env_ids)

    def velocity_was_written(self, velocity: Any, env_ids: Any) -> None:
        """The velocities of the centres of mass, (n, 6), are these from now on."""
        self._written("com velocity", velocity, ROOT, env_ids)

    @property
    def root_link_pose_w(self) -> Any:
        """(n, 7) pose of the link."""
        return self._now("link pose", lambda: frames.to_wxyz(self._view.get_transforms()))

    @property
    def root_com_vel_w(self) -> Any:
        """(n, 6) velocity of the centre of mass."""
        return self._now("com velocity", self._view.get_velocities)

    @property
    def body_com_pose_b(self) -> Any:
        """(n, 1, 7) pose of the centre of mass in the link's frame."""
        return self._now("com in link", lambda: frames.to_wxyz(self._view.com_poses())[:, None])

    @property
    def body_com_acc_w(self) -> Any:
        """(n, 1, 6) acceleration of the centre of mass between the last two updates, m/s^2 and rad/s^2."""
        return self._rate("root_com_vel_w", self._view.get_accelerations)[:, None]

    body_link_pose_w = of_body("root_link_pose_w", "(n, 1, 7) pose of the link.")
    body_link_vel_w = of_body("root_link_vel_w", "(n, 1, 6) velocity of the link's origin.")
    body_com_pose_w = of_body("root_com_pose_w", "(n, 1, 7) pose of the centre of mass.")
    body_com_vel_w = of_body("root_com_vel_w", "(n, 1, 6) velocity of the centre of mass.")
    body_state_w = of_body("root_state_w", "(n, 1, 13) the link's pose, the com's velocity.")
    body_link_state_w = of_body("root_link_state_w", "(n, 1, 13) pose and velocity of the link.")
    body_com_state_w = of_body("root_com_state_w", "(n, 1, 13) pose and velocity of the centre of mass.")
