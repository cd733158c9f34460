"""What is known about a collection of rigid objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from phalanx.facade.isaaclab.assets import frames
from phalanx.facade.isaaclab.assets.buffers import block
from phalanx.facade.isaaclab.assets.lazy_data import buffers, joined, part, same
from phalanx.facade.isaaclab.assets.state_data import READ, StateData


@buffers(
    "object_link_pose_w object_link_vel_w object_com_pose_w object_com_vel_w object_com_pose_b object_com_acc_w "
    "object_state_w object_link_state_w object_com_state_w"
)
class RigidObjectCollectionData(StateData):
    """State of the objects of a collection, read when it is asked for and kept until the next update.

    ``link`` is an object's own frame, ``com`` its centre of mass, with the principal axes of inertia as orientation.
    ``_w`` is in the simulation's world, ``_b`` in the object's frame. Poses are (n, k, 7), [x y z qw qx qy qz],
    velocities (n, k, 6), linear and angular, m/s and rad/s; n is the number of instances, k of objects.

    Args:
        view: a tensor view.
        rows: (n, k).
        to_data: (n, k, ...) from the view's rows.
        device: of arrays.
        gravity: its vector, m/s^2.

    Attributes:
        object_names: in the order of arrays.
        default_object_state: (n, k, 13) initial pose of the link and velocity of the centre of mass, seen from the
            environment's origin.
        default_mass: (n, k, 1) kg, as the simulation had it when it began to play.
        default_inertia: (n, k, 9) kg m^2 about the centre of mass, in the link's axes, likewise.
        GRAVITY_VEC_W: (n, k, 3) the direction of gravity, zero without gravity.
        FORWARD_VEC_B: (n, k, 3) what counts as ahead, the x axis.
    """

    object_names: list[str] = None  # pyright: ignore[reportAssignmentType]
    default_object_state: Any = None
    default_mass: Any = None
    default_inertia: Any = None

    def __init__(
        self, view: Any, rows: Sequence[int], to_data: Callable[[Any], Any], device: str, gravity: Any
    ) -> None:
        super().__init__(rows, device, gravity)
        self._view, self._to_data = view, to_data

    @property
    def num_instances(self) -> int:
        """How many there are of each object."""
        return self.GRAVITY_VEC_W.shape[0]

    @property
    def num_objects(self) -> int:
        """How many objects an instance has."""
        return self.GRAVITY_VEC_W.shape[1]

    def pose_was_written(self, pose: Any, env_ids: Any, object_ids: Any) -> None:
        """The links' poses, (n, k, 7), are these from now on."""
        self._written_at("link pose", pose, READ, block(self.device, env_ids, object_ids))

    def velocity_was_written(self, velocity: Any, env_ids: Any, object_ids: Any) -> None:
        """The velocities of the centres of mass, (n, k, 6), are these from now on."""
        self._written_at("com velocity", velocity, READ, block(self.device, env_ids, object_ids))

    # -- read from the simulation ----------------------------------------------------------------------------

    @property
    def object_link_pose_w(self) -> Any:
        """(n, k, 7) poses of the links."""
        return self._now("link pose", lambda: frames.to_wxyz(self._to_data(self._view.get_transforms())))

    @property
    def object_com_vel_w(self) -> Any:
        """(n, k, 6) velocities of the centres of mass."""
        return self._now("com velocity", lambda: self._to_data(self._view.get_velocities()))

    @property
    def object_com_pose_b(self) -> Any:
        """(n, k, 7) poses of the centres of mass in the links' frames."""
        return self._now("com in link", lambda: frames.to_wxyz(self._to_data(self._view.com_poses())))

    @property
    def object_com_acc_w(self) -> Any:
        """(n, k, 6) accelerations of the centres of mass between the last two updates, m/s^2 and rad/s^2."""
        return self._rate("object_com_vel_w", lambda: self._to_data(self._view.get_accelerations()))

    # -- computed from it ------------------------------------------------------------------------------------

    _link_pose = same("object_link_pose_w")
    _com_velocity = same("object_com_vel_w")
    _com_in_link = same("object_com_pose_b")

    @property
    def object_com_pose_w(self) -> Any:
        """(n, k, 7) poses of the centres of mass."""
        return self._com_pose

    @property
    def object_link_vel_w(self) -> Any:
        """(n, k, 6) velocities of the links' origins."""
        return self._link_velocity

    object_state_w = joined("object_link_pose_w", "object_com_vel_w", "(n, k, 13) links' poses, coms' velocities.")
    object_link_state_w = joined("object_link_pose_w", "object_link_vel_w", "(n, k, 13) of the links.")
    object_com_state_w = joined("object_com_pose_w", "object_com_vel_w", "(n, k, 13) of the centres of mass.")

    object_link_lin_vel_b = part("_link_vel_b", 0, 3, "(n, k, 3) linear velocity of the links' origin in their axes.")
    object_link_ang_vel_b = part("_link_vel_b", 3, 6, "(n, k, 3) angular velocity in the links' axes.")
    object_com_lin_vel_b = part("_com_vel_b", 0, 3, "(n, k, 3) linear velocity of the coms in the links' axes.")
    object_com_ang_vel_b = part("_com_vel_b", 3, 6, "(n, k, 3) angular velocity in the links' axes.")

    object_link_pos_w = part("object_link_pose_w", 0, 3, "(n, k, 3) position of the links.")
    object_link_quat_w = part("object_link_pose_w", 3, 7, "(n, k, 4) orientation of the links.")
    object_link_lin_vel_w = part("object_link_vel_w", 0, 3, "(n, k, 3) linear velocity of the links' origin.")
    object_link_ang_vel_w = part("object_link_vel_w", 3, 6, "(n, k, 3) angular velocity.")
    object_com_pos_w = part("object_com_pose_w", 0, 3, "(n, k, 3) position of the centres of mass.")
    object_com_quat_w = part("object_com_pose_w", 3, 7, "(n, k, 4) orientation of the principal axes.")
    object_com_lin_vel_w = part("object_com_vel_w", 0, 3, "(n, k, 3) linear velocity of the centres of mass.")
    object_com_ang_vel_w = part("object_com_vel_w", 3, 6, "(n, k, 3) angular velocity.")
    object_com_lin_acc_w = part("object_com_acc_w", 0, 3, "(n, k, 3) linear acceleration of the centres of mass.")
    object_com_ang_acc_w = part("object_com_acc_w", 3, 6, "(n, k, 3) angular acceleration.")
    object_com_pos_b = part("object_com_pose_b", 0, 3, "(n, k, 3) centres of mass in the links' frames.")
    object_com_quat_b = part("object_com_pose_b", 3, 7, "(n, k, 4) principal axes in the links' frames.")

    object_pose_w = same("object_link_pose_w")
    object_pos_w = same("object_link_pos_w")
    object_quat_w = same("object_link_quat_w")
    object_vel_w = same("object_com_vel_w")
    object_lin_vel_w = same("object_com_lin_vel_w")
    object_ang_vel_w = same("object_com_ang_vel_w")
    object_lin_vel_b = same("object_com_lin_vel_b")
    object_ang_vel_b = same("object_com_ang_vel_b")
    object_acc_w = same("object_com_acc_w")
    object_lin_acc_w = same("object_com_lin_acc_w")
    object_ang_acc_w = same("object_com_ang_acc_w")
    com_pos_b = same("object_com_pos_b")
    com_quat_b = same("object_com_quat_b")
