"""One cloth."""

from __future__ import annotations

from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.materials.accessors import first_number
from phalanx.facade.isaacsim.core.prims.cloth_prim import ClothPrim
from phalanx.facade.isaacsim.core.prims.single_xform_prim import SingleXFormPrim, first, one
from phalanx.facade.isaacsim.core.utils.types import DynamicState
from phalanx.io.formats.usd.bindings import UsdGeom


class SingleClothPrim(SingleXFormPrim):
    """A mesh that is cloth. See :class:`ClothPrim`; here arrays have no first axis.

    Args:
        prim_path: of the mesh, which must be there.
        particle_system: that its particles belong to.
        particle_material: of the particle system.
        name: for scenes and messages.
        position, orientation, scale, visible: see :class:`SingleXFormPrim`.
        particle_mass: of each particle, kg.
        pressure, particle_group, self_collision, self_collision_filter: see :class:`ClothPrim`.
        stretch_stiffness, bend_stiffness, shear_stiffness, spring_damping: of all springs.

    Raises:
        ValueError: there is no mesh with points at the path.
    """

    _cloth_prim_view: ClothPrim

    def __init__(
        self,
        prim_path: str,
        particle_system: Any,
        particle_material: Any = None,
        name: str = "cloth",
        position: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        particle_mass: float | None = 0.01,
        pressure: float | None = None,
        particle_group: int | None = 0,
        self_collision: bool | None = True,
        self_collision_filter: bool | None = True,
        stretch_stiffness: float | None = None,
        bend_stiffness: float | None = None,
        shear_stiffness: float | None = None,
        spring_damping: float | None = None,
    ) -> None:
        mesh = UsdGeom.Mesh.Get(stages.get_stage(), prim_path)
        points = mesh.GetPointsAttr().Get() if mesh else None
        if not points:
            raise ValueError(f"<{prim_path}> is no mesh with points, which a cloth must be")
        self._mesh = mesh
        self._cloth_prim_view = ClothPrim(
            prim_path,
            particle_system,
            particle_material,
            name,
            True,
            one(position),
            None,
            one(orientation),
            one(scale),
            None if visible is None else [visible],
            None if particle_mass is None else [[particle_mass] * len(points)],
            *(
                None if value is None else [value]
                for value in (
                    pressure,
                    particle_group,
                    self_collision,
                    self_collision_filter,
                    stretch_stiffness,
                    bend_stiffness,
                    shear_stiffness,
                    spring_damping,
                )
            ),
        )
        self._wrap(self._cloth_prim_view)

    @property
    def mesh(self) -> Any:
        """The mesh, a ``UsdGeom.Mesh``."""
        return self._mesh

    def get_current_dynamic_state(self) -> DynamicState:
        """Where the mesh is; velocities are ``None``."""
        return DynamicState(*self.get_world_pose(), None, None)

    # -- springs, one by one ---------------------------------------------------------------------------------

    def set_stretch_stiffness(self, stiffness: Any) -> None:
        """Set stiffnesses of springs, (springs,)."""
        self._cloth_prim_view.set_stretch_stiffnesses(one(stiffness))

    def get_stretch_stiffness(self) -> Any:
        """(springs,): stiffnesses of springs; ValueError if the stage has none."""
        return first(self._cloth_prim_view.get_stretch_stiffnesses())[0]

    def set_spring_damping(self, damping: Any) -> None:
        """Set dampings of springs, (springs,)."""
        self._cloth_prim_view.set_spring_dampings(one(damping))

    def get_spring_damping(self) -> Any:
        """(springs,): dampings of springs; ValueError if the stage has none."""
        return first(self._cloth_prim_view.get_spring_dampings())[0]

    # -- of the whole ----------------------------------------------------------------------------------------

    def set_cloth_stretch_stiffness(self, stiffness: float) -> None:
        """Set the stiffness of springs along edges."""
        self._cloth_prim_view.set_cloths_stretch_stiffnesses([stiffness])

    def get_cloth_stretch_stiffness(self) -> float:
        """The stiffness of springs along edges."""
        return first_number(self._cloth_prim_view.get_cloths_stretch_stiffnesses())

    def set_cloth_bend_stiffness(self, stiffness: float) -> None:
        """Set the stiffness of springs against bending."""
        self._cloth_prim_view.set_cloths_bend_stiffnesses([stiffness])

    def get_cloth_bend_stiffness(self) -> float:
        """The stiffness of springs against bending."""
        return first_number(self._cloth_prim_view.get_cloths_bend_stiffnesses())

    def set_cloth_shear_stiffness(self, stiffness: float) -> None:
        """Set the stiffness of springs against shear."""
        self._cloth_prim_view.set_cloths_shear_stiffnesses([stiffness])

    def get_cloth_shear_stiffness(self) -> float:
        """The stiffness of springs against shear."""
        return first_number(self._cloth_prim_view.get_cloths_shear_stiffnesses())

    def set_cloth_damping(self, damping: float) -> None:
        """Set the damping of springs."""
        self._cloth_prim_view.set_cloths_dampings([damping])

    def get_cloth_damping(self) -> float:
        """The damping of springs."""
        return first_number(self._cloth_prim_view.get_cloths_dampings())

    def set_pressure(self, pressure: float) -> None:
        """Set the pressure inside, of the volume at rest."""
        self._cloth_prim_view.set_pressures([pressure])

    def get_pressure(self) -> float:
        """The pressure inside, of the volume at rest."""
        return first_number(self._cloth_prim_view.get_pressures())

    def set_self_collision_filter(self, self_collision_filter: bool) -> None:
        """Set whether particles that are near at rest do not collide."""
        self._cloth_prim_view.set_self_collision_filters([self_collision_filter])

    def get_self_collision_filter(self) -> bool:
        """Whether particles that are near at rest do not collide."""
        return bool(on_host(self._cloth_prim_view.get_self_collision_filters())[0])

    def set_self_collision(self, self_collision: bool) -> None:
        """Set whether its particles collide."""
        self._cloth_prim_view.set_self_collisions([self_collision])

    def get_self_collision(self) -> bool:
        """Whether its particles collide."""
        return bool(on_host(self._cloth_prim_view.get_self_collisions())[0])

    def set_particle_group(self, particle_group: int) -> None:
        """Set the group, within which cloths do not collide with each other."""
        self._cloth_prim_view.set_particle_groups([particle_group])

    def get_particle_group(self) -> int:
        """The group, within which cloths do not collide with each other."""
        return int(on_host(self._cloth_prim_view.get_particle_groups())[0])


__all__ = ["SingleClothPrim"]
