"""Collections of rigid objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.assets.asset_base_cfg import AssetBaseCfg
from phalanx.facade.isaaclab.assets.composed import ComposedWrenches
from phalanx.facade.isaaclab.assets.rigid_bodies import rigid_body_view
from phalanx.facade.isaaclab.assets.rigid_object_collection.rigid_object_collection_data import (
    RigidObjectCollectionData,
)
from phalanx.facade.isaaclab.assets.state_writer import StateWriter, numbers
from phalanx.facade.isaaclab.assets.wrench import ExternalWrench
from phalanx.facade.isaaclab.utils.string import resolve_matching_names
from phalanx.facade.namespaces import array, common
from phalanx.facade.physx.rigid_body_view import RigidBodyView

Ids = Sequence[int] | slice | None


class RigidObjectCollection(ComposedWrenches, StateWriter):
    """Rigid objects that are read and written together: arrays are (instances, objects, ...).

    Args:
        cfg: a ``RigidObjectCollectionCfg``, which names the objects. Each must stand for as many prims, with one rigid
            body at or below each.

    Poses are (n, k, 7), [x y z qw qx qy qz], velocities (n, k, 6), linear and angular; n is the number of chosen
    instances, k of chosen objects. What is written is seen in ``data`` at once, and nothing is written if it is wrong.

    Raises:
        ValueError: the configuration has no objects.
        RuntimeError: no prim matches an object's path.
    """

    cfg: Any
    _noun = "object"

    def __init__(self, cfg: Any) -> None:
        if not getattr(cfg, "rigid_objects", None):
            raise ValueError("RigidObjectCollectionCfg.rigid_objects is empty: name at least one object")
        super().__init__(cfg)

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def data(self) -> RigidObjectCollectionData:
        """What is known about it; RuntimeError unless the simulation plays."""
        self._check_initialized()
        return self._data

    @property
    def num_instances(self) -> int:
        """How many there are of each object, in all environments together."""
        return self.root_physx_view.count // self.num_objects

    @property
    def num_objects(self) -> int:
        """How many objects an instance has."""
        return len(self.cfg.rigid_objects)

    @property
    def object_names(self) -> list[str]:
        """What the configuration calls them, in the order of arrays."""
        return list(self.cfg.rigid_objects)

    @property
    def root_physx_view(self) -> RigidBodyView:
        """The tensor view behind it, with quaternions (x, y, z, w) and rows object by object."""
        self._check_initialized()
        return self._view

    @property
    def _ALL_ENV_INDICES(self) -> Any:
        """(num_instances,): the numbers of all instances."""
        return self._ALL_INDICES

    @property
    def _ALL_OBJ_INDICES(self) -> Any:
        """(num_objects,): the numbers of all objects."""
        return array(list(range(self.num_objects)), self.device, "int64")

    def find_objects(self, name_keys: str | Sequence[str], preserve_order: bool = False) -> tuple[Any, list[str]]:
        """Positions, as an array, and names of the objects that expressions match.

        Raises:
            ValueError: one matches none.
        """
        ids, names = resolve_matching_names(name_keys, self.object_names, preserve_order)
        return array(ids, self.device, "int64"), names

    # -- from step to step -----------------------------------------------------------------------------------

    def reset(self, env_ids: Any = None, object_ids: Any = None) -> None:
        """Take external wrenches off some objects of some instances, or all."""
        self._check_initialized()
        self._reset_wrenches(env_ids, object_ids)

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

    # -- writing ---------------------------------------------------------------------------------------------

    def write_object_state_to_sim(self, object_state: Any, env_ids: Any = None, object_ids: Ids = None) -> None:
        """Set the links' poses and the centres of mass's velocities, (n, k, 13)."""
        self._write_state(object_state, "link", "com", env_ids, object_ids)

    def write_object_com_state_to_sim(self, object_state: Any, env_ids: Any = None, object_ids: Ids = None) -> None:
        """Set poses and velocities of the centres of mass, (n, k, 13)."""
        self._write_state(object_state, "com", "com", env_ids, object_ids)

    def write_object_link_state_to_sim(self, object_state: Any, env_ids: Any = None, object_ids: Ids = None) -> None:
        """Set poses and velocities of the links, (n, k, 13)."""
        self._write_state(object_state, "link", "link", env_ids, object_ids)

    def write_object_pose_to_sim(self, object_pose: Any, env_ids: Any = None, object_ids: Ids = None) -> None:
        """Set the links' poses, (n, k, 7)."""
        self._write_link_pose(object_pose, env_ids, object_ids)

    def write_object_link_pose_to_sim(self, object_pose: Any, env_ids: Any = None, object_ids: Ids = None) -> None:
        """Set the links' poses, (n, k, 7)."""
        self._write_link_pose(object_pose, env_ids, object_ids)

    def write_object_com_pose_to_sim(self, object_pose: Any, env_ids: Any = None, object_ids: Ids = None) -> None:
        """Set the poses of the centres of mass, with the principal axes of inertia, (n, k, 7)."""
        self._write_com_pose(object_pose, env_ids, object_ids)

    def write_object_velocity_to_sim(self, object_velocity: Any, env_ids: Any = None, object_ids: Ids = None) -> None:
        """Set the velocities of the centres of mass, (n, k, 6)."""
        self._write_com_velocity(object_velocity, env_ids, object_ids)

    def write_object_com_velocity_to_sim(
        self, object_velocity: Any, env_ids: Any = None, object_ids: Ids = None
    ) -> None:
        """Set the velocities of the centres of mass, (n, k, 6)."""
        self._write_com_velocity(object_velocity, env_ids, object_ids)

    def write_object_link_velocity_to_sim(
        self, object_velocity: Any, env_ids: Any = None, object_ids: Ids = None
    ) -> None:
        """Set the velocities of the links' origins, (n, k, 6)."""
        self._write_link_velocity(object_velocity, env_ids, object_ids)

    def set_external_force_and_torque(
        self,
        forces: Any,
        torques: Any,
        positions: Any = None,
        object_ids: Ids = None,
        env_ids: Any = None,
        is_global: bool = False,
    ) -> None:
        """Push from step to step, from the next :meth:`write_data_to_sim` on, until told otherwise.

        Args:
            forces: (n, k, 3), N. If forces and torques are empty, nothing is pushed any more.
            torques: (n, k, 3), N m.
            positions: (n, k, 3), m: where forces act; at the centres of mass by default.
            object_ids: which objects; all by default.
            env_ids: which instances; all by default.
            is_global: all are in the world's axes, positions from its origin; else in the links' frames. What the last
                call says holds for all objects.

        Raises:
            ValueError: a shape is another one.
        """
        self._check_initialized()
        self._set_wrench(forces, torques, positions, object_ids, env_ids, is_global, self._who)

    # -- rows of the tensor view -------------------------------------------------------------------------------

    def reshape_view_to_data(self, data: Any) -> Any:
        """(instances, objects, m) from the tensor view's rows, of m numbers each, (instances * objects, ...).

        Raises:
            ValueError: there is another number of rows.
        """
        (n, k), (xp, data) = self._rows, common(data)
        if not len(data.shape) or data.shape[0] != n * k:
            raise ValueError(f"{self._who}: data has shape {tuple(data.shape)}; it must have {n * k} rows")
        return xp.swapaxes(data.reshape((k, n, -1)), 0, 1).reshape(-1).reshape((n, k, -1))

    def reshape_data_to_view(self, data: Any) -> Any:
        """The tensor view's rows, (instances * objects, ...), from (instances, objects, ...).

        Raises:
            ValueError: there is another number of instances or objects.
        """
        (n, k), (xp, data) = self._rows, common(data)
        if tuple(data.shape[:2]) != (n, k):
            raise ValueError(f"{self._who}: data has shape {tuple(data.shape)}; it must be ({n}, {k}, ...)")
        return xp.swapaxes(data, 0, 1).reshape((n * k, *data.shape[2:]))

    # -- inside ----------------------------------------------------------------------------------------------

    @property
    def _who(self) -> str:
        return f"{type(self).__name__} of {', '.join(map(repr, self.object_names))}"

    @property
    def _rows(self) -> tuple[int, ...]:
        return self.num_instances, self.num_objects

    def _part_cfgs(self) -> list[AssetBaseCfg]:
        return list(self.cfg.rigid_objects.values())

    def _indices(self, env_ids: Any, object_ids: Any = None) -> Any:
        if env_ids is None and object_ids is None:
            return None
        chosen = zip((env_ids, object_ids), self._rows, strict=True)
        envs, objects = (array(numbers(ids, whole), self.device, "int64") for ids, whole in chosen)
        return (objects.reshape(-1, 1) * self.num_instances + envs.reshape(1, -1)).reshape(-1)

    def _env_obj_ids_to_view_ids(self, env_ids: Any, object_ids: Any) -> Any:
        """Rows of the tensor view, of objects of instances, by Isaac Lab's name."""
        return self._indices(env_ids, object_ids)

    def _set_root_poses(self, poses: Any, indices: Any) -> None:
        self._view.set_transforms(self.reshape_data_to_view(poses), indices)

    def _set_root_velocities(self, velocities: Any, indices: Any) -> None:
        self._view.set_velocities(self.reshape_data_to_view(velocities), indices)

    def _initialize_impl(self) -> None:
        simulation = self._simulation()
        device, objects = simulation.device, list(self.cfg.rigid_objects.values())
        self._view = view = rigid_body_view(self._who, simulation.stage_world, [one.prim_path for one in objects])
        self._is_initialized = True
        to_data = self.reshape_view_to_data
        data = self._data = RigidObjectCollectionData(view, self._rows, to_data, device, simulation.cfg.gravity)
        wrench = ExternalWrench(view, self.num_objects, device, self.num_instances, self.reshape_data_to_view)
        self._start_wrenches(wrench)
        data.object_names = self.object_names
        data.default_mass, data.default_inertia = to_data(view.get_masses()), to_data(view.get_inertias())
        starts = [one.init_state for one in objects]
        states = [[*start.pos, *start.rot, *start.lin_vel, *start.ang_vel] for start in starts]
        data.default_object_state = array([states] * self.num_instances, device)
