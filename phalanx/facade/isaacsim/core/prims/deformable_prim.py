"""Views of deformable bodies."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.materials.accessors import read
from phalanx.facade.isaacsim.core.api.materials.deformable_material import DeformableMaterial
from phalanx.facade.isaacsim.core.prims.soft_view import SoftPrims
from phalanx.facade.isaacsim.core.prims.visual_bindings import bind, bound
from phalanx.facade.isaacsim.core.prims.xform_prim import XFormPrim
from phalanx.facade.physx.soft_body_view import SoftBodyView

log = logging.getLogger("phalanx.facade")

SCHEMA = "PhysxDeformableBodyAPI"


class DeformablePrim(XFormPrim, SoftPrims):
    """Meshes that are deformable bodies, simulated as tetrahedra.

    While a simulation plays, vertices are those of the simulation, in its world; else what is read and written is the
    stage's, in the meshes' own frames, and what is known of simulated ones only is ``None``, with a warning. The mesh
    that is simulated is also the one that collides. See :class:`XFormPrim` for arrays, indices and places.

    Args:
        prim_paths_expr: an expression for paths, or several in a list.
        deformable_materials: one for all, or a list with one for each.
        name: for scenes and messages.
        reset_xform_properties, positions, translations, orientations, scales, visibilities: see :class:`XFormPrim`.
        vertex_velocity_dampings, sleep_dampings, sleep_thresholds, settling_thresholds, self_collisions: (N,).
        self_collision_filter_distances, solver_position_iteration_counts: (N,).

    Raises:
        ValueError: no prim matches, an array has another shape, or a number is too small.
    """

    WHAT = "deformable bodies"

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        deformable_materials: Any = None,
        name: str = "deformable_prim_view",
        reset_xform_properties: bool = True,
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        visibilities: Any = None,
        vertex_velocity_dampings: Any = None,
        sleep_dampings: Any = None,
        sleep_thresholds: Any = None,
        settling_thresholds: Any = None,
        self_collisions: Any = None,
        self_collision_filter_distances: Any = None,
        solver_position_iteration_counts: Any = None,
    ) -> None:
        super().__init__(
            prim_paths_expr,
            name,
            positions,
            translations,
            orientations,
            scales,
            visibilities,
            reset_xform_properties,
        )
        self._applied_materials: dict[int, Any] = {}
        if deformable_materials is not None:
            self.apply_deformable_materials(deformable_materials)
        for write_all, values in (
            (self.set_vertex_velocity_dampings, vertex_velocity_dampings),
            (self.set_sleep_dampings, sleep_dampings),
            (self.set_sleep_thresholds, sleep_thresholds),
            (self.set_settling_thresholds, settling_thresholds),
            (self.set_self_collisions, self_collisions),
            (self.set_self_collision_filter_distances, self_collision_filter_distances),
            (self.set_solver_position_iteration_counts, solver_position_iteration_counts),
        ):
            if values is not None:
                write_all(values)

    def _on_physics_ready(self, event: Any) -> None:
        super()._on_physics_ready(event)
        self._simulate()

    # -- materials -------------------------------------------------------------------------------------------

    def apply_deformable_materials(self, deformable_materials: Any, indices: Any = None) -> None:
        """Give bodies materials: one for all, or a list with one for each, (M,).

        Raises:
            ValueError: a list has another length than M.
        """
        chosen = self._chosen(indices)
        given = deformable_materials if isinstance(deformable_materials, list) else [deformable_materials] * len(chosen)
        if len(given) != len(chosen):
            raise ValueError(f"there are {len(given)} materials for {len(chosen)} deformable bodies")
        for i, material in zip(chosen, given, strict=True):
            bind(self._prims[i], material.material, True, "physics")
            self._applied_materials[i] = material

    def get_applied_deformable_materials(self, indices: Any = None) -> list[DeformableMaterial | None]:
        """Materials of bodies, (M,): those that were applied, or objects for them; ``None`` where there is none."""
        found: list[DeformableMaterial | None] = []
        for i in self._chosen(indices):
            path = bound(self._prims[i], "physics")
            known = self._applied_materials.get(i)
            if path and (known is None or known.prim_path != path):
                known = self._applied_materials[i] = DeformableMaterial(path)
            found.append(known if path else None)
        return found

    # -- meshes ----------------------------------------------------------------------------------------------

    @property
    def max_simulation_mesh_elements_per_body(self) -> int:
        """Most tetrahedra of a mesh that is simulated, or that the stage has of it."""
        return self._most("simulationIndices", 4, "max_sim_elements_per_body")

    @property
    def max_simulation_mesh_vertices_per_body(self) -> int:
        """Most vertices of a mesh that is simulated, or that the stage has of it."""
        return self._most("simulationRestPoints", 1, "max_sim_vertices_per_body")

    @property
    def max_collision_mesh_elements_per_body(self) -> int:
        """Most tetrahedra of a mesh that collides, or that the stage has of it."""
        return self._most("collisionIndices", 4, "max_elements_per_body")

    @property
    def max_collision_mesh_vertices_per_body(self) -> int:
        """Most vertices of a mesh that collides, or that the stage has of it."""
        return self._most("collisionRestPoints", 1, "max_vertices_per_body")

    def _most(self, name: str, of: int, simulated: str) -> int:
        view = self._playing("")
        if view is not None:
            return getattr(view, simulated)
        counts = [len(read(prim, f"physxDeformable:{name}", ()) or ()) // of for prim in self._prims]
        return max(counts, default=0)

    def set_simulation_mesh_indices(self, values: Any, indices: Any = None) -> None:
        """Set vertices of the tetrahedra that are simulated, (M, tetrahedra, 4)."""
        flat = on_host(values, np.int32)
        self._set_lists("physxDeformable:simulationIndices", "IntArray", SCHEMA, flat.reshape(len(flat), -1), indices)

    def get_simulation_mesh_indices(self, indices: Any = None, clone: bool = True) -> Any:
        """Vertices of the tetrahedra that are simulated, (M, tetrahedra, 4).

        Raises:
            ValueError: nothing plays, and the stage has none of a body.
        """
        view = self._playing("")
        if view is None:
            return self._lists("physxDeformable:simulationIndices", indices, 4, np.int32)
        found = on_host(view.get_sim_element_indices(), np.int32).reshape(view.count, -1, 4)
        return self._backend.give(found[self._chosen(indices)])

    def set_simulation_mesh_rest_points(self, values: Any, indices: Any = None) -> None:
        """Set vertices at rest of the mesh that is simulated, (M, vertices, 3)."""
        self._set_lists("physxDeformable:simulationRestPoints", "Point3fArray", SCHEMA, values, indices)

    def get_simulation_mesh_rest_points(self, indices: Any = None, clone: bool = True) -> Any:
        """Vertices at rest of the mesh that is simulated, (M, vertices, 3); ValueError if the stage has none."""
        return self._lists("physxDeformable:simulationRestPoints", indices, 3, np.float32)

    def set_collision_mesh_indices(self, values: Any, indices: Any = None) -> None:
        """Set vertices of the tetrahedra that collide, (M, tetrahedra, 4)."""
        flat = on_host(values, np.int32)
        self._set_lists("physxDeformable:collisionIndices", "IntArray", SCHEMA, flat.reshape(len(flat), -1), indices)

    def get_collision_mesh_indices(self, indices: Any = None, clone: bool = True) -> Any:
        """Vertices of the tetrahedra that collide, (M, tetrahedra, 4); ValueError if the stage has none."""
        return self._lists("physxDeformable:collisionIndices", indices, 4, np.int32)

    def set_collision_mesh_rest_points(self, values: Any, indices: Any = None) -> None:
        """Set vertices at rest of the mesh that collides, (M, vertices, 3)."""
        self._set_lists("physxDeformable:collisionRestPoints", "Point3fArray", SCHEMA, values, indices)

    def get_collision_mesh_rest_points(self, indices: Any = None, clone: bool = True) -> Any:
        """Vertices at rest of the mesh that collides, (M, vertices, 3); ValueError if the stage has none."""
        return self._lists("physxDeformable:collisionRestPoints", indices, 3, np.float32)

    def set_simulation_mesh_nodal_positions(self, positions: Any, indices: Any = None) -> None:
        """Put vertices of the mesh that is simulated somewhere, (M, vertices, 3); on the stage while nothing plays."""
        if self._playing("") is not None:
            self._write("set_sim_nodal_positions", positions, indices, 3)
        else:
            self._set_lists("physxDeformable:simulationPoints", "Point3fArray", SCHEMA, positions, indices)

    def get_simulation_mesh_nodal_positions(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, vertices, 3), m: vertices of the mesh that is simulated; else the stage's, ValueError if it has none."""
        if self._playing("") is not None:
            return self._simulated("", "get_sim_nodal_positions", indices, (3,))
        return self._lists("physxDeformable:simulationPoints", indices, 3)

    def set_simulation_mesh_nodal_velocities(self, velocities: Any, indices: Any = None) -> None:
        """Set velocities of these vertices, m/s, (M, vertices, 3); on the stage while nothing plays."""
        if self._playing("") is not None:
            self._write("set_sim_nodal_velocities", velocities, indices, 3)
        else:
            self._set_lists("physxDeformable:simulationVelocities", "Vector3fArray", SCHEMA, velocities, indices)

    def get_simulation_mesh_nodal_velocities(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, vertices, 3), m/s: their velocities; else the stage's, ValueError if it has none."""
        if self._playing("") is not None:
            return self._simulated("", "get_sim_nodal_velocities", indices, (3,))
        return self._lists("physxDeformable:simulationVelocities", indices, 3)

    # -- of simulated bodies only: ``None``, with a warning, while nothing plays --------------------------------

    def _simulate(self) -> None:
        world = simulation.stage_world()
        try:
            self._physics_view = None if world is None else world.view.create_soft_body_view(self._prim_paths)
        except ValueError:  # none of them is a deformable body that is switched on
            super()._simulate()

    def _playing(self, what: str) -> SoftBodyView | None:
        """The view of what is simulated; ``None``, with a warning if there is a name for it, while nothing plays."""
        world = simulation.stage_world()
        view = self._physics_view
        if view is not None and world is not None and view.world is world.world:
            return view
        if what:
            log.warning("%s: no simulation with these bodies plays, so that there is nothing to read or write", what)
        return None

    def _simulated(self, what: str, getter: str, indices: Any, shape: tuple[int, ...]) -> Any:
        view = self._playing(what)
        if view is None:
            return None
        found = on_host(getattr(view, getter)())[self._chosen(indices)]
        return self._backend.give(found.reshape(*found.shape[:2], *shape))

    def _write(self, setter: str, values: Any, indices: Any, width: int) -> None:
        """Hand values of some bodies to the view, (M, vertices, width)."""
        view = self._playing("")
        assert view is not None
        chosen = self._chosen(indices)
        given = on_host(values).reshape(len(chosen), -1, width)
        whole = np.zeros((view.count, view.max_sim_vertices_per_body, width), np.float32)
        if given.shape[1] > whole.shape[1]:
            raise ValueError(f"{setter}: there are {given.shape[1]} vertices, but bodies have {whole.shape[1]} at most")
        whole[chosen, : given.shape[1]] = given
        getattr(view, setter)(whole, np.array(chosen))

    def set_simulation_mesh_kinematic_targets(self, positions: Any, indices: Any = None) -> None:
        """Lead vertices, (M, vertices, 4): where to, m, and 0 for those that are led, 1 for those that are free."""
        if self._playing("set_simulation_mesh_kinematic_targets") is not None:
            self._write("set_sim_kinematic_targets", positions, indices, 4)

    def get_simulation_mesh_kinematic_targets(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, vertices, 4): where vertices are led to, m, as they play."""
        return self._simulated("get_simulation_mesh_kinematic_targets", "get_sim_kinematic_targets", indices, (4,))

    def get_collision_mesh_nodal_positions(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, vertices, 3): vertices of the mesh that collides, m, as they play."""
        return self._simulated("get_collision_mesh_nodal_positions", "get_nodal_positions", indices, (3,))

    def get_simulation_mesh_element_stresses(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, elements, 3, 3), Pa: stresses of the tetrahedra that are simulated, as they play."""
        return self._simulated("get_simulation_mesh_element_stresses", "get_sim_element_stresses", indices, (3, 3))

    def get_simulation_mesh_element_deformation_gradients(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, elements, 3, 3): deformation gradients of those that are simulated, as they play."""
        return self._simulated(
            "get_simulation_mesh_element_deformation_gradients",
            "get_sim_element_deformation_gradients",
            indices,
            (3, 3),
        )

    def get_simulation_mesh_element_rotations(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, elements, 4), x y z w: rotations of those that are simulated, as they play."""
        return self._simulated("get_simulation_mesh_element_rotations", "get_sim_element_rotations", indices, (4,))

    def get_simulation_mesh_element_rest_poses(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, elements, 3, 3): rest poses of those that are simulated, as they play."""
        return self._simulated("get_simulation_mesh_element_rest_poses", "get_sim_element_rest_poses", indices, (3, 3))

    def get_collision_mesh_element_stresses(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, elements, 3, 3), Pa: stresses of the tetrahedra that collide, as they play."""
        return self._simulated("get_collision_mesh_element_stresses", "get_element_stresses", indices, (3, 3))

    def get_collision_mesh_element_deformation_gradients(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, elements, 3, 3): deformation gradients of those that collide, as they play."""
        return self._simulated(
            "get_collision_mesh_element_deformation_gradients", "get_element_deformation_gradients", indices, (3, 3)
        )

    def get_collision_mesh_element_rotations(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, elements, 4), x y z w: rotations of those that collide, as they play."""
        return self._simulated("get_collision_mesh_element_rotations", "get_element_rotations", indices, (4,))

    def get_collision_mesh_element_rest_poses(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, elements, 3, 3): rest poses of those that collide, as they play."""
        return self._simulated("get_collision_mesh_element_rest_poses", "get_element_rest_poses", indices, (3, 3))

    # -- the rest --------------------------------------------------------------------------------------------

    def set_vertex_velocity_dampings(self, values: Any, indices: Any = None) -> None:
        """Set how fast velocities of vertices decay, 1/s, (M,)."""
        self._set_number("physxDeformable:vertexVelocityDamping", "Float", SCHEMA, values, indices, 0)

    def get_vertex_velocity_dampings(self, indices: Any = None, clone: bool = True) -> Any:
        """How fast velocities of vertices decay, 1/s, (M,)."""
        return self._number("physxDeformable:vertexVelocityDamping", "Float", 0.005, indices)

    def set_sleep_dampings(self, values: Any, indices: Any = None) -> None:
        """Set how fast velocities decay before they sleep, 1/s, (M,)."""
        self._set_number("physxDeformable:sleepDamping", "Float", SCHEMA, values, indices, 0)

    def get_sleep_dampings(self, indices: Any = None, clone: bool = True) -> Any:
        """How fast velocities decay before they sleep, 1/s, (M,)."""
        return self._number("physxDeformable:sleepDamping", "Float", 10.0, indices)

    def set_sleep_thresholds(self, values: Any, indices: Any = None) -> None:
        """Set velocities below which they may go to sleep, (M,)."""
        self._set_number("physxDeformable:sleepThreshold", "Float", SCHEMA, values, indices, 0)

    def get_sleep_thresholds(self, indices: Any = None, clone: bool = True) -> Any:
        """Velocities below which they may go to sleep, (M,)."""
        return self._number("physxDeformable:sleepThreshold", "Float", 0.05, indices)

    def set_settling_thresholds(self, values: Any, indices: Any = None) -> None:
        """Set velocities below which velocities decay faster, (M,)."""
        self._set_number("physxDeformable:settlingThreshold", "Float", SCHEMA, values, indices, 0)

    def get_settling_thresholds(self, indices: Any = None, clone: bool = True) -> Any:
        """Velocities below which velocities decay faster, (M,)."""
        return self._number("physxDeformable:settlingThreshold", "Float", 0.1, indices)

    def set_self_collision_filter_distances(self, values: Any, indices: Any = None) -> None:
        """Set distances at rest within which vertices do not collide, (M,)."""
        self._set_number("physxDeformable:selfCollisionFilterDistance", "Float", SCHEMA, values, indices)

    def get_self_collision_filter_distances(self, indices: Any = None, clone: bool = True) -> Any:
        """Distances at rest within which vertices do not collide, (M,)."""
        return self._number("physxDeformable:selfCollisionFilterDistance", "Float", float("-inf"), indices)

    def set_self_collisions(self, values: Any, indices: Any = None) -> None:
        """Set whether their own parts collide, (M,)."""
        self._set_number("physxDeformable:selfCollision", "Bool", SCHEMA, values, indices)

    def get_self_collisions(self, indices: Any = None, clone: bool = True) -> Any:
        """Whether their own parts collide, (M,)."""
        return self._number("physxDeformable:selfCollision", "Bool", False, indices)

    def set_solver_position_iteration_counts(self, values: Any, indices: Any = None) -> None:
        """Set how often positions are solved in a step, (M,)."""
        self._set_number("physxDeformable:solverPositionIterationCount", "Int", SCHEMA, values, indices, 1)

    def get_solver_position_iteration_counts(self, indices: Any = None, clone: bool = True) -> Any:
        """How often positions are solved in a step, (M,)."""
        return self._number("physxDeformable:solverPositionIterationCount", "Int", 16, indices)


__all__ = ["DeformablePrim"]
