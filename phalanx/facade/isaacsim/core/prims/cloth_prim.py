"""Views of cloths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.backends import on_host, shaped
from phalanx.facade.isaacsim.core.api.materials.accessors import read, write
from phalanx.facade.isaacsim.core.prims.soft_view import SoftPrims, relation
from phalanx.facade.isaacsim.core.prims.xform_prim import XFormPrim
from phalanx.io.formats.usd.bindings import UsdPhysics

_SPRINGS = "PhysxParticleClothAPI"


class ClothPrim(XFormPrim, SoftPrims):
    """Meshes that are cloth: particles, and springs between them.

    They are not simulated: what is read and written is the stage's. See :class:`XFormPrim` for arrays, indices and
    places. Points and velocities of particles are those of the meshes, in the meshes' own frames.

    Args:
        prim_paths_expr: an expression for paths, or several in a list.
        particle_systems: one for all, or a list with one for each: that the particles belong to.
        particle_materials: of the particle systems, likewise.
        name: for scenes and messages.
        reset_xform_properties, positions, translations, orientations, scales, visibilities: see :class:`XFormPrim`.
        particle_masses: kg, (N, particles).
        pressures, particle_groups, self_collisions, self_collision_filters: (N,).
        stretch_stiffnesses, bend_stiffnesses, shear_stiffnesses, spring_dampings: of all springs of a cloth, (N,).

    Raises:
        ValueError: no prim matches, an array has another shape, or a number is negative that cannot be.
    """

    WHAT = "cloths"

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        particle_systems: Any = None,
        particle_materials: Any = None,
        name: str = "cloth_prim_view",
        reset_xform_properties: bool = True,
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        visibilities: Any = None,
        particle_masses: Any = None,
        pressures: Any = None,
        particle_groups: Any = None,
        self_collisions: Any = None,
        self_collision_filters: Any = None,
        stretch_stiffnesses: Any = None,
        bend_stiffnesses: Any = None,
        shear_stiffnesses: Any = None,
        spring_dampings: Any = None,
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
        systems = _each(particle_systems, self.count)
        for prim, system, material in zip(self._prims, systems, _each(particle_materials, self.count), strict=True):
            if system is not None:
                relation(prim, "physxParticle:particleSystem", [system.prim_path])
                if material is not None:
                    system.apply_particle_material(material)
        for write_all, values in (
            (self.set_particle_masses, particle_masses),
            (self.set_pressures, pressures),
            (self.set_particle_groups, particle_groups),
            (self.set_self_collisions, self_collisions),
            (self.set_self_collision_filters, self_collision_filters),
            (self.set_cloths_stretch_stiffnesses, stretch_stiffnesses),
            (self.set_cloths_bend_stiffnesses, bend_stiffnesses),
            (self.set_cloths_shear_stiffnesses, shear_stiffnesses),
            (self.set_cloths_dampings, spring_dampings),
        ):
            if values is not None:
                write_all(values)

    def _on_physics_ready(self, event: Any) -> None:
        super()._on_physics_ready(event)
        self._simulate()

    @property
    def max_particles_per_cloth(self) -> int:
        """Most points of a mesh."""
        return self._points()

    @property
    def max_springs_per_cloth(self) -> int:
        """Most springs that a cloth has on the stage."""
        counts = [len(read(prim, "physxParticle:springStiffnesses", ()) or ()) for prim in self._prims]
        return max(counts, default=0)

    # -- particles -------------------------------------------------------------------------------------------

    def set_world_positions(self, positions: Any, indices: Any = None) -> None:
        """Put particles somewhere, (M, particles, 3)."""
        self._set_lists("points", "Point3fArray", "", positions, indices)

    def get_world_positions(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, particles, 3): where particles are."""
        return self._lists("points", indices, 3)

    def set_velocities(self, velocities: Any, indices: Any = None) -> None:
        """Set velocities of particles, (M, particles, 3)."""
        self._set_lists("velocities", "Vector3fArray", "", velocities, indices)

    def get_velocities(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, particles, 3): velocities of particles.

        Raises:
            ValueError: the stage has none of a cloth.
        """
        return self._lists("velocities", indices, 3)

    def set_particle_masses(self, masses: Any, indices: Any = None) -> None:
        """Set masses of particles, (M, particles), kg. The stage keeps their sum for each cloth."""
        self._check_valid()
        chosen = self._chosen(indices)
        given = shaped("masses", on_host(masses, float), (len(chosen), np.size(on_host(masses)) // max(len(chosen), 1)))
        for row, i in zip(given, chosen, strict=True):
            prim = self._prims[i]
            if not prim.HasAPI(UsdPhysics.MassAPI):
                UsdPhysics.MassAPI.Apply(prim)
            write(prim, "physics:mass", "Float", row.sum())

    def get_particle_masses(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, particles), kg: the mass of a cloth, in equal parts."""
        self._check_valid()
        chosen, most = self._chosen(indices), self._points()
        found = np.zeros((len(chosen), most), np.float32)
        for n, i in enumerate(chosen):
            count = len(read(self._prims[i], "points", ()) or ())
            found[n, :count] = read(self._prims[i], "physics:mass", 0.0) / max(count, 1)
        return self._backend.give(found)

    # -- springs, one by one ---------------------------------------------------------------------------------

    def set_stretch_stiffnesses(self, stiffness: Any, indices: Any = None) -> None:
        """Set stiffnesses of springs, (M, springs)."""
        self._set_lists("physxParticle:springStiffnesses", "FloatArray", _SPRINGS, stiffness, indices)

    def get_stretch_stiffnesses(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, springs): stiffnesses of springs.

        Raises:
            ValueError: the stage has none of a cloth.
        """
        return self._lists("physxParticle:springStiffnesses", indices)

    def set_spring_dampings(self, damping: Any, indices: Any = None) -> None:
        """Set dampings of springs, (M, springs)."""
        self._set_lists("physxParticle:springDampings", "FloatArray", _SPRINGS, damping, indices)

    def get_spring_dampings(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, springs): dampings of springs.

        Raises:
            ValueError: the stage has none of a cloth.
        """
        return self._lists("physxParticle:springDampings", indices)

    # -- of whole cloths -------------------------------------------------------------------------------------

    def set_cloths_stretch_stiffnesses(self, values: Any, indices: Any = None) -> None:
        """Set stiffnesses of springs along edges, (M,)."""
        self._set_number(
            "physxAutoParticleCloth:springStretchStiffness", "Float", "PhysxAutoParticleClothAPI", values, indices, 0.0
        )

    def get_cloths_stretch_stiffnesses(self, indices: Any = None, clone: bool = True) -> Any:
        """Stiffnesses of springs along edges, (M,)."""
        return self._number("physxAutoParticleCloth:springStretchStiffness", "Float", 0.0, indices)

    def set_cloths_bend_stiffnesses(self, values: Any, indices: Any = None) -> None:
        """Set stiffnesses of springs against bending, (M,)."""
        self._set_number(
            "physxAutoParticleCloth:springBendStiffness", "Float", "PhysxAutoParticleClothAPI", values, indices, 0.0
        )

    def get_cloths_bend_stiffnesses(self, indices: Any = None, clone: bool = True) -> Any:
        """Stiffnesses of springs against bending, (M,)."""
        return self._number("physxAutoParticleCloth:springBendStiffness", "Float", 0.0, indices)

    def set_cloths_shear_stiffnesses(self, values: Any, indices: Any = None) -> None:
        """Set stiffnesses of springs against shear, (M,)."""
        self._set_number(
            "physxAutoParticleCloth:springShearStiffness", "Float", "PhysxAutoParticleClothAPI", values, indices, 0.0
        )

    def get_cloths_shear_stiffnesses(self, indices: Any = None, clone: bool = True) -> Any:
        """Stiffnesses of springs against shear, (M,)."""
        return self._number("physxAutoParticleCloth:springShearStiffness", "Float", 0.0, indices)

    def set_cloths_dampings(self, values: Any, indices: Any = None) -> None:
        """Set dampings of springs, (M,)."""
        self._set_number(
            "physxAutoParticleCloth:springDamping", "Float", "PhysxAutoParticleClothAPI", values, indices, 0.0
        )

    def get_cloths_dampings(self, indices: Any = None, clone: bool = True) -> Any:
        """Dampings of springs, (M,)."""
        return self._number("physxAutoParticleCloth:springDamping", "Float", 0.0, indices)

    def set_pressures(self, pressures: Any, indices: Any = None) -> None:
        """Set pressures inside, of the volume at rest; 0: there is none, (M,)."""
        self._set_number("physxParticle:pressure", "Float", "PhysxParticleClothAPI", pressures, indices, 0.0)

    def get_pressures(self, indices: Any = None, clone: bool = True) -> Any:
        """Pressures inside, of the volume at rest; 0: there is none, (M,)."""
        return self._number("physxParticle:pressure", "Float", 0.0, indices)

    def set_self_collision_filters(self, self_collision_filters: Any, indices: Any = None) -> None:
        """Set whether particles that are near at rest do not collide, (M,)."""
        self._set_number(
            "physxParticle:selfCollisionFilter", "Bool", "PhysxParticleClothAPI", self_collision_filters, indices
        )

    def get_self_collision_filters(self, indices: Any = None, clone: bool = True) -> Any:
        """Whether particles that are near at rest do not collide, (M,)."""
        return self._number("physxParticle:selfCollisionFilter", "Bool", True, indices)

    def set_self_collisions(self, self_collisions: Any, indices: Any = None) -> None:
        """Set whether particles of a cloth collide, (M,)."""
        self._set_number("physxParticle:selfCollision", "Bool", "PhysxParticleClothAPI", self_collisions, indices)

    def get_self_collisions(self, indices: Any = None, clone: bool = True) -> Any:
        """Whether particles of a cloth collide, (M,)."""
        return self._number("physxParticle:selfCollision", "Bool", True, indices)

    def set_particle_groups(self, particle_groups: Any, indices: Any = None) -> None:
        """Set groups, within which cloths do not collide with each other, (M,)."""
        self._set_number("physxParticle:particleGroup", "Int", "PhysxParticleClothAPI", particle_groups, indices, 0)

    def get_particle_groups(self, indices: Any = None, clone: bool = True) -> Any:
        """Groups, within which cloths do not collide with each other, (M,)."""
        return self._number("physxParticle:particleGroup", "Int", 0, indices)


def _each(given: Any, count: int) -> list[Any]:
    """One for each: all the same, or as listed."""
    if not isinstance(given, list | tuple):
        return [given] * count
    if len(given) != count:
        raise ValueError(f"there are {len(given)} for {count} cloths; give one for all, or one for each")
    return list(given)


__all__ = ["ClothPrim"]
