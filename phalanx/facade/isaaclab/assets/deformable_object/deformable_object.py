"""Deformable objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.assets.asset_base import AssetBase
from phalanx.facade.isaaclab.assets.buffers import refuse_outside
from phalanx.facade.isaaclab.assets.deformable_object.deformable_object_data import DeformableObjectData
from phalanx.facade.isaaclab.markers import VisualizationMarkers
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas
from phalanx.facade.isaaclab.utils.math import transform_points
from phalanx.facade.namespaces import array, cast, common, copy, rows
from phalanx.facade.physx.soft_body_view import SoftBodyMaterialView, SoftBodyView
from phalanx.io.formats.usd.deformables import SCHEMA, material_of

_HIDDEN = (0.0, 0.0, -10.0)
"""Where the marker is while no node has a target, m."""


class DeformableObject(AssetBase):
    """One soft body of nodes and tetrahedra at or below each prim that the path stands for.

    Args:
        cfg: a ``DeformableObjectCfg``.

    n is the number of chosen instances, v that of vertices of the simulated mesh, which is also the one that collides.
    What is written is seen in ``data`` at once. It is simulated on the CPU, too.
    """

    cfg: Any

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def data(self) -> DeformableObjectData:
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
    def root_physx_view(self) -> SoftBodyView:
        """The tensor view of the bodies."""
        self._check_initialized()
        return self._view

    @property
    def material_physx_view(self) -> SoftBodyMaterialView | None:
        """The tensor view of their materials; ``None`` if none is bound."""
        self._check_initialized()
        return self._materials

    @property
    def max_sim_elements_per_body(self) -> int:
        """Elements of the simulated mesh."""
        return self.root_physx_view.max_sim_elements_per_body

    @property
    def max_collision_elements_per_body(self) -> int:
        """Elements of the mesh that collides."""
        return self.root_physx_view.max_elements_per_body

    @property
    def max_sim_vertices_per_body(self) -> int:
        """Vertices of the simulated mesh."""
        return self.root_physx_view.max_sim_vertices_per_body

    @property
    def max_collision_vertices_per_body(self) -> int:
        """Vertices of the mesh that collides."""
        return self.root_physx_view.max_vertices_per_body

    # -- from step to step -----------------------------------------------------------------------------------

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Nothing: it has no buffers that a reset would clear."""
        self._check_initialized()

    def write_data_to_sim(self) -> None:
        """Nothing: all that is set is written at once."""
        self._check_initialized()

    def update(self, dt: float) -> None:
        """Let ``data`` be read anew.

        Args:
            dt: time since the last call, s.
        """
        self.data.update(dt)

    # -- writing ---------------------------------------------------------------------------------------------

    def write_nodal_state_to_sim(self, nodal_state: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set positions, m, and velocities, m/s, of nodes, (n, v, 6)."""
        self.write_nodal_pos_to_sim(nodal_state[..., :3], env_ids)
        self.write_nodal_velocity_to_sim(nodal_state[..., 3:], env_ids)

    def write_nodal_pos_to_sim(self, nodal_pos: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set positions of nodes, m, (n, v, 3)."""
        whole = self._over(self.data.nodal_pos_w, nodal_pos, env_ids)
        self._view.set_sim_nodal_positions(whole, self._indices(env_ids))
        self._data._written("positions", whole, ("velocities", "root velocity"), env_ids)

    def write_nodal_velocity_to_sim(self, nodal_vel: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set velocities of nodes, m/s, (n, v, 3)."""
        whole = self._over(self.data.nodal_vel_w, nodal_vel, env_ids)
        self._view.set_sim_nodal_velocities(whole, self._indices(env_ids))
        kept = ("positions", "root position", "rotations", "gradients", "stresses")
        self._data._written("velocities", whole, kept, env_ids)

    def write_nodal_kinematic_target_to_sim(self, targets: Any, env_ids: Sequence[int] | None = None) -> None:
        """Set targets of nodes, (n, v, 4): where they go, m, and 0 for those that are held, 1 for those that are free.

        A held node is at its target after each step, until it is told otherwise.
        """
        whole = self._over(self.data.nodal_kinematic_target, targets, env_ids)
        self._view.set_sim_kinematic_targets(whole, self._indices(env_ids))
        self._data.nodal_kinematic_target = whole

    def transform_nodal_pos(self, nodal_pos: Any, pos: Any = None, quat: Any = None) -> Any:
        """Positions of nodes, (n, v, 3), turned about their means and moved.

        Args:
            nodal_pos: (n, v, 3), m.
            pos: (n, 3), by how much, m; not at all by default.
            quat: (n, 4), w x y z; not at all by default.
        """
        middle = nodal_pos.mean(1)[:, None]
        return transform_points(nodal_pos - middle, pos, quat) + middle

    # -- inside ----------------------------------------------------------------------------------------------

    def _indices(self, env_ids: Any) -> Any:
        return None if env_ids is None else array(range(self.num_instances), "cpu", "int64")[rows(env_ids)]

    def _over(self, whole: Any, values: Any, env_ids: Any) -> Any:
        """A copy of values of all instances with those of some."""
        if not isinstance(env_ids, slice):
            refuse_outside(self._who, "instance", env_ids, self.num_instances)
        _, found, given = common(copy(whole), values)
        found[rows(env_ids)] = cast(given, "float32")
        return found

    def _initialize_impl(self) -> None:
        simulation = self._simulation()
        instances = utils.find_matching_prim_paths(self.cfg.prim_path)
        bodies = utils.get_all_matching_child_prims(instances[0], lambda one: SCHEMA in applied_schemas(one))
        if len(bodies) != 1:
            names = ", ".join(str(one.GetPath()) for one in bodies) or "none"
            raise RuntimeError(
                f"{self._who}: one prim at or below <{instances[0]}> must be a deformable body (have {SCHEMA}); found "
                f"{names}"
            )
        below = str(bodies[0].GetPath()).removeprefix(instances[0])
        paths, world = [path + below for path in instances], simulation.stage_world
        view = world.view
        self._view = view.create_soft_body_view(paths)
        material = material_of(bodies[0])
        self._materials = None
        if material is not None:
            path = str(material.GetPath())
            inside = path.startswith(instances[0] + "/")
            tail = path.removeprefix(instances[0])
            self._materials = view.create_soft_body_material_view([one + tail for one in instances] if inside else path)
        self._is_initialized = True
        self._data = DeformableObjectData(self._view, simulation.device)
        state = self._data.nodal_pos_w
        xp, state, still = common(state, state * 0.0)
        self._data.default_nodal_state_w = xp.concatenate([state, still], -1)
        self._data.nodal_kinematic_target = copy(self._view.get_sim_kinematic_targets())
        self._data.nodal_kinematic_target[..., 3] = 1.0

    def _set_debug_vis_impl(self, debug_vis: bool) -> None:
        if debug_vis and not hasattr(self, "target_visualizer"):
            self.target_visualizer = VisualizationMarkers(self.cfg.visualizer_cfg)
        if hasattr(self, "target_visualizer"):
            self.target_visualizer.set_visibility(debug_vis)

    def _debug_vis_callback(self, event: Any) -> None:
        targets = self.data.nodal_kinematic_target
        places = targets[targets[..., 3] == 0.0][:, :3]
        self.target_visualizer.visualize(places if len(places) else array([_HIDDEN], self.device))
