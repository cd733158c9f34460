"""One deformable body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.materials.accessors import first_number, write
from phalanx.facade.isaacsim.core.api.materials.deformable_material import DeformableMaterial
from phalanx.facade.isaacsim.core.prims.deformable_prim import SCHEMA, DeformablePrim
from phalanx.facade.isaacsim.core.prims.single_xform_prim import SingleXFormPrim, first, one
from phalanx.facade.isaacsim.core.utils.types import DynamicState
from phalanx.io.formats.usd.bindings import UsdGeom


class SingleDeformablePrim(SingleXFormPrim):
    """A mesh that is a deformable body. See :class:`DeformablePrim`.

    Args:
        prim_path: of the mesh, which must be there.
        deformable_material: of the body.
        name: for scenes and messages.
        position, orientation, scale, visible: see :class:`SingleXFormPrim`.
        vertex_velocity_damping, sleep_damping, sleep_threshold, settling_threshold: see :class:`DeformablePrim`.
        self_collision, self_collision_filter_distance, solver_position_iteration_count: see :class:`DeformablePrim`.
        kinematic_enabled: whether vertices can be led.
        simulation_rest_points, simulation_indices: vertices (n, 3) and tetrahedra (m, 4) of the mesh that is simulated.
        simulation_hexahedral_resolution: cells along the longest side, of which they are made otherwise.
        collision_rest_points, collision_indices: the same of the mesh that collides.
        collision_simplification, collision_simplification_remeshing, collision_simplification_remeshing_resolution,
            collision_simplification_target_triangle_count, collision_simplification_force_conforming: how the mesh that
            collides is made otherwise.
        embedding: numbers that tie the one mesh to the other.

    Raises:
        ValueError: there is no mesh at the path.
    """

    _deformable_prim_view: DeformablePrim

    def __init__(
        self,
        prim_path: str,
        deformable_material: DeformableMaterial | None = None,
        name: str = "deformable",
        position: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        vertex_velocity_damping: float | None = None,
        sleep_damping: float | None = None,
        sleep_threshold: float | None = None,
        settling_threshold: float | None = None,
        self_collision: bool | None = True,
        self_collision_filter_distance: float | None = None,
        solver_position_iteration_count: int | None = None,
        kinematic_enabled: bool | None = False,
        simulation_rest_points: Any = None,
        simulation_indices: Any = None,
        simulation_hexahedral_resolution: int | None = 10,
        collision_rest_points: Any = None,
        collision_indices: Any = None,
        collision_simplification: bool | None = True,
        collision_simplification_remeshing: bool | None = True,
        collision_simplification_remeshing_resolution: int | None = 0,
        collision_simplification_target_triangle_count: int | None = 0,
        collision_simplification_force_conforming: bool | None = False,
        embedding: Sequence[int] | None = None,
    ) -> None:
        mesh = UsdGeom.Mesh.Get(stages.get_stage(), prim_path)
        if not mesh:
            raise ValueError(f"<{prim_path}> is no mesh, which a deformable body must be")
        self._mesh = mesh
        mesh.GetPrim().AddAppliedSchema(SCHEMA)
        for attribute, kind, value in (
            ("kinematicEnabled", "Bool", kinematic_enabled),
            ("simulationHexahedralResolution", "UInt", simulation_hexahedral_resolution),
            ("collisionSimplification", "Bool", collision_simplification),
            ("collisionSimplificationRemeshing", "Bool", collision_simplification_remeshing),
            ("collisionSimplificationRemeshingResolution", "UInt", collision_simplification_remeshing_resolution),
            ("collisionSimplificationTargetTriangleCount", "UInt", collision_simplification_target_triangle_count),
            ("collisionSimplificationForceConforming", "Bool", collision_simplification_force_conforming),
            ("simulationRestPoints", "Point3fArray", _points(simulation_rest_points)),
            ("simulationIndices", "IntArray", _numbers(simulation_indices)),
            ("collisionRestPoints", "Point3fArray", _points(collision_rest_points)),
            ("collisionIndices", "IntArray", _numbers(collision_indices)),
            ("embedding", "IntArray", _numbers(embedding)),
        ):
            if value is not None:
                write(mesh.GetPrim(), f"physxDeformable:{attribute}", kind, value)
        self._deformable_prim_view = DeformablePrim(
            prim_path,
            deformable_material,
            name,
            True,
            one(position),
            None,
            one(orientation),
            one(scale),
            None if visible is None else [visible],
            *(
                None if value is None else [value]
                for value in (
                    vertex_velocity_damping,
                    sleep_damping,
                    sleep_threshold,
                    settling_threshold,
                    self_collision,
                    self_collision_filter_distance,
                    solver_position_iteration_count,
                )
            ),
        )
        self._wrap(self._deformable_prim_view)

    @property
    def mesh(self) -> Any:
        """The mesh, a ``UsdGeom.Mesh``."""
        return self._mesh

    def get_current_dynamic_state(self) -> DynamicState:
        """Where the mesh is; velocities are ``None``."""
        return DynamicState(*self.get_world_pose(), None, None)

    def apply_deformable_material(self, deformable_materials: DeformableMaterial) -> None:
        """Give it a material."""
        self._deformable_prim_view.apply_deformable_materials(deformable_materials)

    def get_applied_deformable_material(self) -> DeformableMaterial | None:
        """Its material."""
        return self._deformable_prim_view.get_applied_deformable_materials()[0]

    # -- meshes ----------------------------------------------------------------------------------------------

    def get_simulation_mesh_indices(self) -> Any:
        """Vertices of the tetrahedra that are simulated, (tetrahedra, 4); ValueError if the stage has none."""
        return first(self._deformable_prim_view.get_simulation_mesh_indices())[0]

    def get_simulation_mesh_rest_points(self) -> Any:
        """Vertices at rest of the mesh that is simulated, (vertices, 3); ValueError if the stage has none."""
        return first(self._deformable_prim_view.get_simulation_mesh_rest_points())[0]

    def get_collision_mesh_indices(self) -> Any:
        """Vertices of the tetrahedra that collide, (tetrahedra, 4); ValueError if the stage has none."""
        return first(self._deformable_prim_view.get_collision_mesh_indices())[0]

    def get_collision_mesh_rest_points(self) -> Any:
        """Vertices at rest of the mesh that collides, (vertices, 3); ValueError if the stage has none."""
        return first(self._deformable_prim_view.get_collision_mesh_rest_points())[0]

    # -- the rest --------------------------------------------------------------------------------------------

    def set_vertex_velocity_damping(self, vertex_velocity_damping: float) -> None:
        """Set how fast velocities of vertices decay, 1/s."""
        self._deformable_prim_view.set_vertex_velocity_dampings([vertex_velocity_damping])

    def get_vertex_velocity_damping(self) -> float:
        """How fast velocities of vertices decay, 1/s."""
        return first_number(self._deformable_prim_view.get_vertex_velocity_dampings())

    def set_sleep_damping(self, sleep_damping: float) -> None:
        """Set how fast velocities decay before they sleep, 1/s."""
        self._deformable_prim_view.set_sleep_dampings([sleep_damping])

    def get_sleep_damping(self) -> float:
        """How fast velocities decay before they sleep, 1/s."""
        return first_number(self._deformable_prim_view.get_sleep_dampings())

    def set_sleep_threshold(self, sleep_threshold: float) -> None:
        """Set velocities below which they may go to sleep."""
        self._deformable_prim_view.set_sleep_thresholds([sleep_threshold])

    def get_sleep_threshold(self) -> float:
        """Velocities below which they may go to sleep."""
        return first_number(self._deformable_prim_view.get_sleep_thresholds())

    def set_settling_threshold(self, settling_threshold: float) -> None:
        """Set velocities below which velocities decay faster."""
        self._deformable_prim_view.set_settling_thresholds([settling_threshold])

    def get_settling_threshold(self) -> float:
        """Velocities below which velocities decay faster."""
        return first_number(self._deformable_prim_view.get_settling_thresholds())

    def set_self_collision_filter_distance(self, self_collision_filter_distance: float) -> None:
        """Set distances at rest within which vertices do not collide."""
        self._deformable_prim_view.set_self_collision_filter_distances([self_collision_filter_distance])

    def get_self_collision_filter_distance(self) -> float:
        """Distances at rest within which vertices do not collide."""
        return first_number(self._deformable_prim_view.get_self_collision_filter_distances())

    def set_self_collision(self, self_collision: bool) -> None:
        """Set whether their own parts collide."""
        self._deformable_prim_view.set_self_collisions([self_collision])

    def get_self_collision(self) -> bool:
        """Whether their own parts collide."""
        return bool(on_host(self._deformable_prim_view.get_self_collisions())[0])

    def set_solver_position_iteration_count(self, iterations: int) -> None:
        """Set how often positions are solved in a step."""
        self._deformable_prim_view.set_solver_position_iteration_counts([iterations])

    def get_solver_position_iteration_count(self) -> int:
        """How often positions are solved in a step."""
        return int(on_host(self._deformable_prim_view.get_solver_position_iteration_counts())[0])


def _points(values: Any) -> list[tuple[float, ...]] | None:
    return None if values is None else [tuple(row) for row in on_host(values, float).reshape(-1, 3).tolist()]


def _numbers(values: Any) -> list[int] | None:
    return None if values is None else on_host(values, np.int64).reshape(-1).tolist()


__all__ = ["SingleDeformablePrim"]
