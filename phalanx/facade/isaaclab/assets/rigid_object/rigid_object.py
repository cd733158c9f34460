"""Rigid objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.assets.rigid_bodies import rigid_body_view
from phalanx.facade.isaaclab.assets.rigid_object.rigid_object_data import RigidObjectData
from phalanx.facade.isaaclab.assets.root_asset import RootAsset
from phalanx.facade.isaaclab.assets.wrench import ExternalWrench
from phalanx.facade.isaaclab.utils.string import resolve_matching_names
from phalanx.facade.namespaces import array
from phalanx.facade.physx.rigid_body_view import RigidBodyView


class RigidObject(RootAsset):
    """One rigid body below each prim that the path stands for.

    Args:
        cfg: a ``RigidObjectCfg``.

    Poses are (n, 7), [x y z qw qx qy qz], velocities (n, 6), linear and angular; n is the number of chosen instances.
    What is written is seen in ``data`` at once.
    """

    cfg: Any

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def data(self) -> RigidObjectData:
        """What is known about it; RuntimeError unless the simulation plays."""
        self._check_initialized()
        return self._data

    @property
    def num_instances(self) -> int:
        """How many there are, in all environments together."""
        return self.root_physx_view.count

    @property
    def num_bodies(self) -> int:
        """Bodies in an instance: 1."""
        return 1

    @property
    def body_names(self) -> list[str]:
        """The name of its body's prim."""
        return [self.root_physx_view.prim_paths[0].rpartition("/")[2]]

    @property
    def root_physx_view(self) -> RigidBodyView:
        """The tensor view behind it, with quaternions (x, y, z, w)."""
        self._check_initialized()
        return self._view

    def find_bodies(self, name_keys: str | Sequence[str], preserve_order: bool = False) -> tuple[list[int], list[str]]:
        """Positions and names of the bodies that expressions match.

        Raises:
            ValueError: one matches none.
        """
        return resolve_matching_names(name_keys, self.body_names, preserve_order)

    # -- from step to step -----------------------------------------------------------------------------------

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Take external wrenches off some instances, or all."""
        self._check_initialized()
        self._reset_wrenches(env_ids)

    def write_data_to_sim(self) -> None:
        """Let external wrenches act in the next step."""
        self._check_initialized()
        self._write_wrenches()

    def update(self, dt: float) -> None:
        """Let ``data`` be read anew.

        Args:
            dt: time since the last call, s.
        """
        self.data.update(dt)

    # -- inside ----------------------------------------------------------------------------------------------

    def _set_root_poses(self, poses: Any, indices: Any) -> None:
        self._view.set_transforms(poses, indices)

    def _set_root_velocities(self, velocities: Any, indices: Any) -> None:
        self._view.set_velocities(velocities, indices)

    def _initialize_impl(self) -> None:
        simulation = self._simulation()
        self._view = rigid_body_view(self._who, simulation.stage_world, [self.cfg.prim_path])
        self._is_initialized = True
        self._data = RigidObjectData(self._view, simulation.device, simulation.cfg.gravity)
        self._start_wrenches(ExternalWrench(self._view, 1, simulation.device))
        self._data.body_names = self.body_names
        self._data.default_mass = self._view.get_masses()
        self._data.default_inertia = self._view.get_inertias()
        start = self.cfg.init_state
        state = [*start.pos, *start.rot, *start.lin_vel, *start.ang_vel]
        self._data.default_root_state = array([state] * self._view.count, simulation.device)
