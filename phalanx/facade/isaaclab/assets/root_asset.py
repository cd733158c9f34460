"""Assets whose root users put somewhere, and whose bodies they push."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.assets.composed import ComposedWrenches
from phalanx.facade.isaaclab.assets.state_writer import StateWriter


class RootAsset(ComposedWrenches, StateWriter):
    """An asset with a root; see the classes that are ones."""

    # -- writing ---------------------------------------------------------------------------------------------

    def write_root_state_to_sim(self, root_state: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the link's pose and the centre of mass's velocity, (n, 13)."""
        self._write_state(root_state, "link", "com", env_ids)

    def write_root_com_state_to_sim(self, root_state: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set pose and velocity of the centre of mass, (n, 13)."""
        self._write_state(root_state, "com", "com", env_ids)

    def write_root_link_state_to_sim(self, root_state: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set pose and velocity of the link, (n, 13)."""
        self._write_state(root_state, "link", "link", env_ids)

    def write_root_pose_to_sim(self, root_pose: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the link's pose, (n, 7)."""
        self._write_link_pose(root_pose, env_ids)

    def write_root_link_pose_to_sim(self, root_pose: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the link's pose, (n, 7)."""
        self._write_link_pose(root_pose, env_ids)

    def write_root_com_pose_to_sim(self, root_pose: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the pose of the centre of mass, with the principal axes of inertia, (n, 7)."""
        self._write_com_pose(root_pose, env_ids)

    def write_root_velocity_to_sim(self, root_velocity: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the velocity of the centre of mass, (n, 6)."""
        self._write_com_velocity(root_velocity, env_ids)

    def write_root_com_velocity_to_sim(self, root_velocity: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the velocity of the centre of mass, (n, 6)."""
        self._write_com_velocity(root_velocity, env_ids)

    def write_root_link_velocity_to_sim(self, root_velocity: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set the velocity of the link's origin, (n, 6)."""
        self._write_link_velocity(root_velocity, env_ids)

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
        self._set_wrench(forces, torques, positions, body_ids, env_ids, is_global, self._who)
