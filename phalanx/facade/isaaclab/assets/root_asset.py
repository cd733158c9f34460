"""Assets whose root users put somewhere, and whose bodies they push."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.assets import frames
from phalanx.facade.isaaclab.assets.asset_base import AssetBase
from phalanx.facade.isaaclab.assets.wrench import ExternalWrench
from phalanx.facade.namespaces import array, cast, common, copy, rows


class RootAsset(AssetBase):
    """An asset with a root; see the classes that are ones."""

    _wrench: ExternalWrench

    @abstractmethod
    def _set_root_poses(self, poses: Any, indices: Any) -> None:
        """Put links somewhere, (x, y, z, w), in the simulation."""

    @abstractmethod
    def _set_root_velocities(self, velocities: Any, indices: Any) -> None:
        """Let centres of mass move so, in the simulation."""

    # -- writing ---------------------------------------------------------------------------------------------

    def write_root_state_to_sim(self, root_state: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the link's pose and the centre of mass's velocity, (n, 13)."""
        self._write_state(self.write_root_link_pose_to_sim, self.write_root_com_velocity_to_sim, root_state, env_ids)

    def write_root_com_state_to_sim(self, root_state: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set pose and velocity of the centre of mass, (n, 13)."""
        self._write_state(self.write_root_com_pose_to_sim, self.write_root_com_velocity_to_sim, root_state, env_ids)

    def write_root_link_state_to_sim(self, root_state: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set pose and velocity of the link, (n, 13)."""
        self._write_state(self.write_root_link_pose_to_sim, self.write_root_link_velocity_to_sim, root_state, env_ids)

    def write_root_pose_to_sim(self, root_pose: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the link's pose, (n, 7)."""
        self.write_root_link_pose_to_sim(root_pose, env_ids)

    def write_root_link_pose_to_sim(self, root_pose: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the link's pose, (n, 7)."""
        pose = self._given("root_pose", root_pose, 7, env_ids)
        whole = self._over(self.data.root_link_pose_w, pose, env_ids)
        self._set_root_poses(frames.to_xyzw(whole), self._indices(env_ids))
        self.data.pose_was_written(whole, env_ids)

    def write_root_com_pose_to_sim(self, root_pose: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the pose of the centre of mass, with the principal axes of inertia, (n, 7)."""
        pose = self._given("root_pose", root_pose, 7, env_ids)
        self.write_root_link_pose_to_sim(frames.link_pose(pose, self.data.body_com_pose_b[rows(env_ids), 0]), env_ids)

    def write_root_velocity_to_sim(self, root_velocity: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the velocity of the centre of mass, (n, 6)."""
        self.write_root_com_velocity_to_sim(root_velocity, env_ids)

    def write_root_com_velocity_to_sim(self, root_velocity: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the velocity of the centre of mass, (n, 6)."""
        velocity = self._given("root_velocity", root_velocity, 6, env_ids)
        whole = self._over(self.data.root_com_vel_w, velocity, env_ids)
        self._set_root_velocities(whole, self._indices(env_ids))
        self.data.velocity_was_written(whole, env_ids)

    def write_root_link_velocity_to_sim(self, root_velocity: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the velocity of the link's origin, (n, 6)."""
        velocity = self._given("root_velocity", root_velocity, 6, env_ids)
        some, data = rows(env_ids), self.data
        of_com = frames.com_velocity(velocity, data.root_link_quat_w[some], data.body_com_pose_b[some, 0])
        self.write_root_com_velocity_to_sim(of_com, env_ids)

    def set_external_force_and_torque(
        self,
        forces: Any,
        torques: Any,
        positions: Any = None,
        body_ids: Sequence[int] | slice | None = None,
        env_ids: Sequence[int] | None = None,
        is_global: bool = False,
    ) -> None:
        """Push from step to step, from the next :meth:`write_data_to_sim` on, until told otherwise.

        Args:
            forces: (n, bodies, 3), N. If forces and torques are empty, nothing is pushed any more.
            torques: (n, bodies, 3), N m.
            positions: (n, bodies, 3), m: where forces act; at the centres of mass by default.
            body_ids: which bodies; all by default.
            env_ids: which instances; all by default.
            is_global: all are in the world's axes, positions from its origin; else in the link's frame. What the last
                call says holds for all bodies.

        Raises:
            ValueError: a shape is another one.
        """
        self._check_initialized()
        self._wrench.set(forces, torques, positions, body_ids, env_ids, is_global, self._who)

    # -- inside ----------------------------------------------------------------------------------------------

    def _write_state(self, pose: Any, velocity: Any, state: Any, env_ids: Any) -> None:
        state = self._given("root_state", state, 13, env_ids)
        pose(state[:, :7], env_ids)
        velocity(state[:, 7:], env_ids)

    def _given(self, what: str, value: Any, width: int, env_ids: Any) -> Any:
        """What a user gives for chosen instances, (n, width)."""
        self._check_initialized()
        found = array(value, self.device, "float32")
        count = self.num_instances if env_ids is None else len(self._numbers(env_ids))
        if tuple(found.shape) != (count, width):
            raise ValueError(
                f"{self._who}: {what} has shape {tuple(found.shape)}; it must be "
                f"({count}, {width}), a row for each chosen instance"
            )
        return found

    def _numbers(self, env_ids: Any) -> Any:
        if isinstance(env_ids, slice):
            return list(range(self.num_instances))[env_ids]
        return env_ids

    def _over(self, present: Any, given: Any, env_ids: Any) -> Any:
        """Present values with those of chosen instances exchanged."""
        if env_ids is None:
            return given
        _, present, given = common(present, given)
        whole = copy(present)
        whole[rows(env_ids)] = cast(given, str(whole.dtype).rpartition(".")[2])
        return whole

    def _indices(self, env_ids: Any) -> Any:
        return None if env_ids is None else array(self._numbers(env_ids), self.device, "int64")

    @property
    def _who(self) -> str:
        return f"{type(self).__name__} {self.cfg.prim_path!r}"
