"""Articulations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from phalanx.facade.isaaclab.assets.articulation.actuation import Actuation
from phalanx.facade.isaaclab.assets.articulation.articulation_data import ArticulationData
from phalanx.facade.isaaclab.assets.articulation.joint_writer import JointWriter
from phalanx.facade.isaaclab.assets.articulation.tendon_writer import TendonWriter
from phalanx.facade.isaaclab.assets.root_asset import RootAsset
from phalanx.facade.isaaclab.assets.wrench import ExternalWrench
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.utils.string import resolve_matching_names, resolve_matching_names_values
from phalanx.facade.namespaces import array, copy, full, zeros
from phalanx.facade.physx.articulation_view import ArticulationView
from phalanx.io.formats.usd.bindings import UsdPhysics

Names = tuple[list[int], list[str]]
TARGETS = ("joint_pos_target", "joint_vel_target", "joint_effort_target")


class Articulation(RootAsset, JointWriter, TendonWriter, Actuation):
    """Bodies that joints connect, one tree of them below each prim that the path stands for.

    Args:
        cfg: an ``ArticulationCfg``.

    Poses are (n, 7), [x y z qw qx qy qz], velocities (n, 6), linear and angular; n is the number of chosen instances.
    Bodies and joints are in breadth-first order.

    Attributes:
        actuators: the actuators by name, once the simulation plays.
    """

    cfg: Any
    _data_type: ClassVar[type[ArticulationData]] = ArticulationData

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def data(self) -> ArticulationData:  # pyright: ignore[reportIncompatibleVariableOverride]
        """What is known about it; RuntimeError unless the simulation plays."""
        self._check_initialized()
        return self._data

    @property
    def root_physx_view(self) -> ArticulationView:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The tensor view behind it, with quaternions (x, y, z, w)."""
        self._check_initialized()
        return self._view

    @property
    def num_instances(self) -> int:
        """How many there are, in all environments together."""
        return self.root_physx_view.count

    @property
    def is_fixed_base(self) -> bool:
        """Whether the root cannot move."""
        return bool(self.root_physx_view.shared_metatype.fixed_base)

    @property
    def num_joints(self) -> int:
        """Joints that move, of an instance."""
        return self.root_physx_view.max_dofs

    @property
    def num_bodies(self) -> int:
        """Bodies of an instance."""
        return self.root_physx_view.max_links

    @property
    def num_fixed_tendons(self) -> int:
        """Fixed tendons of an instance."""
        return self.root_physx_view.max_fixed_tendons

    @property
    def num_spatial_tendons(self) -> int:
        """Spatial tendons of an instance."""
        return self.root_physx_view.max_spatial_tendons

    @property
    def joint_names(self) -> list[str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Of joints that move, in the order of the simulation."""
        return self.root_physx_view.shared_metatype.dof_names

    @property
    def body_names(self) -> list[str]:
        """Of bodies, in the order of the simulation."""
        return self.root_physx_view.shared_metatype.link_names

    @property
    def fixed_tendon_names(self) -> list[str]:
        """Of fixed tendons."""
        return self.root_physx_view.fixed_tendon_names

    @property
    def spatial_tendon_names(self) -> list[str]:
        """Of spatial tendons."""
        return self.root_physx_view.spatial_tendon_names

    def find_bodies(self, name_keys: str | Sequence[str], preserve_order: bool = False) -> Names:
        """Positions and names of the bodies that expressions match; ValueError if one matches none."""
        return resolve_matching_names(name_keys, self.body_names, preserve_order)

    def find_joints(
        self, name_keys: str | Sequence[str], joint_subset: list[str] | None = None, preserve_order: bool = False
    ) -> Names:
        """Positions and names of joints that expressions match, among some or all; ValueError if one matches none."""
        return resolve_matching_names(name_keys, joint_subset or self.joint_names, preserve_order)

    def find_fixed_tendons(
        self, name_keys: str | Sequence[str], tendon_subsets: list[str] | None = None, preserve_order: bool = False
    ) -> Names:
        """Positions and names of fixed tendons that expressions match; ValueError if one matches none."""
        return resolve_matching_names(name_keys, tendon_subsets or self.fixed_tendon_names, preserve_order)

    def find_spatial_tendons(
        self, name_keys: str | Sequence[str], tendon_subsets: list[str] | None = None, preserve_order: bool = False
    ) -> Names:
        """Positions and names of spatial tendons that expressions match; ValueError if one matches none."""
        return resolve_matching_names(name_keys, tendon_subsets or self.spatial_tendon_names, preserve_order)

    # -- from step to step -----------------------------------------------------------------------------------

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Let actuators forget what came before, and take external wrenches off, for some instances, or all."""
        self._check_initialized()
        for actuator in self.actuators.values():
            actuator.reset(slice(None) if env_ids is None else env_ids)  # pyright: ignore[reportArgumentType]
        self._reset_wrenches(env_ids)

    def write_data_to_sim(self) -> None:
        """Let external wrenches, and actuators with what was asked of joints, act in the next step."""
        self._check_initialized()
        self._write_wrenches()
        self._apply_actuators()

    def update(self, dt: float) -> None:
        """Let ``data`` be read anew.

        Args:
            dt: time since the last call, s.
        """
        self.data.update(dt)

    # -- inside ----------------------------------------------------------------------------------------------

    def _set_root_poses(self, poses: Any, indices: Any) -> None:
        self._view.set_root_transforms(poses, indices)

    def _set_root_velocities(self, velocities: Any, indices: Any) -> None:
        self._view.set_root_velocities(velocities, indices)

    def _initialize_impl(self) -> None:
        simulation = self._simulation()
        stage_world, device = simulation.stage_world, simulation.device
        instances = utils.find_matching_prim_paths(self.cfg.prim_path)
        below = self._root_path(instances[0]).removeprefix(instances[0])
        robots = [self._robot(path, path + below) for path in instances]
        self._view = ArticulationView(
            stage_world.world,
            robots,
            [path + below for path in instances],
            lambda: [stage_world.body_paths(*robot) for robot in robots],
            origins=stage_world.origins,
        )
        self._is_initialized = True
        try:
            self._make_buffers(device, simulation.cfg.gravity)
        except BaseException:
            self._is_initialized = False
            raise

    def _make_buffers(self, device: str, gravity: Any) -> None:
        view, start = self._view, self.cfg.init_state
        data = self._data = self._data_type(view, device, gravity)
        data.body_names, data.joint_names = self.body_names, self.joint_names
        data.fixed_tendon_names, data.spatial_tendon_names = self.fixed_tendon_names, self.spatial_tendon_names
        data.default_mass, data.default_inertia = view.get_masses(), view.get_inertias()
        state = [*start.pos, *start.rot, *start.lin_vel, *start.ang_vel]
        data.default_root_state = array([state] * view.count, device)
        self._start_wrenches(ExternalWrench(view, self.num_bodies, device))
        self._read_joints(data, device)
        self._read_tendons(data, device)
        shape = (view.count, self.num_joints)
        for name in ("default_joint_pos", "default_joint_vel", *TARGETS, "computed_torque", "applied_torque"):
            setattr(data, name, zeros(shape, device))
        data.soft_joint_vel_limits, data.gear_ratio = copy(data.joint_vel_limits), full(shape, 1.0, device)
        self._soften()
        self._make_actuators(device)
        for name, asked in (("default_joint_pos", start.joint_pos), ("default_joint_vel", start.joint_vel)):
            if self.joint_names:
                ids, _, values = resolve_matching_names_values(asked, self.joint_names)
                getattr(data, name)[:, ids] = array([float(value) for value in values], device)
        self._check_defaults(data)
        data.joint_pos_target[:] = data.default_joint_pos
        data.joint_vel_target[:] = data.default_joint_vel

    def _check_defaults(self, data: ArticulationData) -> None:
        """Refuse initial joint states outside of limits."""
        low, high, most = data.joint_pos_limits[0, :, 0], data.joint_pos_limits[0, :, 1], data.joint_vel_limits[0]
        for i, name in enumerate(self.joint_names):
            pos, vel = float(data.default_joint_pos[0, i]), float(data.default_joint_vel[0, i])
            if not float(low[i]) - 1e-6 <= pos <= float(high[i]) + 1e-6:
                raise ValueError(
                    f"{self._who}: init_state.joint_pos of {name!r} is {pos:g}, outside of its limits "
                    f"{float(low[i]):g} to {float(high[i]):g}"
                )
            if abs(vel) > float(most[i]):
                raise ValueError(
                    f"{self._who}: init_state.joint_vel of {name!r} is {vel:g}, beyond its limit {float(most[i]):g}"
                )

    def _root_path(self, path: str) -> str:
        """The path of the one articulation root at or below a prim of the asset."""
        if self.cfg.articulation_root_prim_path is not None:
            chosen = path + self.cfg.articulation_root_prim_path
            if not utils.get_current_stage().GetPrimAtPath(chosen):
                raise RuntimeError(f"{self._who}: articulation_root_prim_path: there is no prim at <{chosen}>")
            return chosen
        found = utils.get_all_matching_child_prims(path, lambda one: one.HasAPI(UsdPhysics.ArticulationRootAPI))
        if len(found) != 1:
            names = ", ".join(str(one.GetPath()) for one in found) or "none"
            raise RuntimeError(
                f"{self._who}: one prim at or below <{path}> must be an articulation's root (have "
                f"PhysicsArticulationRootAPI); found {names}. articulation_root_prim_path chooses among several"
            )
        return str(found[0].GetPath())

    def _robot(self, path: str, root: str) -> tuple[str, int | None]:
        """The engine's robot of a prim, and its environment."""
        stage_world = self._simulation().stage_world
        for where in (root, path):
            names, env = stage_world.actors_at(where)
            robots = [name for name in names if name in stage_world.world.robots]
            if len(robots) == 1:
                return robots[0], env
        raise RuntimeError(
            f"{self._who}: <{root}> is not the root of one robot that is simulated; its joints are not read"
        )
