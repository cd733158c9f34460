"""Views of cloths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host, shaped
from phalanx.facade.isaacsim.core.api.materials.accessors import read, write
from phalanx.facade.isaacsim.core.prims.soft_view import SoftPrims, relation
from phalanx.facade.isaacsim.core.prims.xform_prim import XFormPrim
from phalanx.facade.physx.particle_cloth_view import ParticleClothView
from phalanx.io.formats.usd.bindings import UsdPhysics
from phalanx.io.formats.usd.cloths import LEAST_STIFFNESS, bending, inflation

_SPRINGS = "PhysxParticleClothAPI"


class ClothPrim(XFormPrim, SoftPrims):
    """Meshes that are cloth: particles, and springs between them.

    While a simulation plays, particles are those of the simulation, in its world, and numbers that are set act at once;
    else what is read and written is the stage's, in the meshes' own frames. The engine simulates an elastic sheet that
    resists as the springs do (:mod:`phalanx.io.formats.usd.cloths`), not springs. See :class:`XFormPrim` for arrays,
    indices and places.

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

    def _simulate(self) -> None:
        world = simulation.stage_world()
        try:
            self._physics_view = None if world is None else world.view.create_particle_cloth_view(self._prim_paths)
        except ValueError:  # none of them is cloth that is switched on
            super()._simulate()

    def _playing(self) -> ParticleClothView | None:
        """The view of what is simulated; ``None`` while nothing plays."""
        world = simulation.stage_world()
        view = self._physics_view
        return view if view is not None and world is not None and view.world is world.world else None

    @property
    def max_particles_per_cloth(self) -> int:
        """Most points of a mesh."""
        return self._points()

    @property
    def max_springs_per_cloth(self) -> int:
        """Most springs of a cloth: while it is simulated, one for each edge; else those that the stage has."""
        view = self._playing()
        if view is not None:
            return view.max_springs_per_cloth
        counts = [len(read(prim, "physxParticle:springStiffnesses", ()) or ()) for prim in self._prims]
        return max(counts, default=0)

    # -- particles -------------------------------------------------------------------------------------------

    def set_world_positions(self, positions: Any, indices: Any = None) -> None:
        """Put particles somewhere, (M, particles, 3), m; on the stage while nothing plays."""
        if self._playing() is not None:
            self._write("set_positions", positions, indices)
        else:
            self._set_lists("points", "Point3fArray", "", positions, indices)

    def get_world_positions(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, particles, 3), m: where particles are; the stage's while nothing plays."""
        if self._playing() is not None:
            return self._simulated("get_positions", indices)
        return self._lists("points", indices, 3)

    def set_velocities(self, velocities: Any, indices: Any = None) -> None:
        """Set velocities of particles, (M, particles, 3), m/s; on the stage while nothing plays."""
        if self._playing() is not None:
            self._write("set_velocities", velocities, indices)
        else:
            self._set_lists("velocities", "Vector3fArray", "", velocities, indices)

    def get_velocities(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, particles, 3), m/s: velocities of particles; the stage's while nothing plays.

        Raises:
            ValueError: nothing plays, and the stage has none of a cloth.
        """
        if self._playing() is not None:
            return self._simulated("get_velocities", indices)
        return self._lists("velocities", indices, 3)

    def set_particle_masses(self, masses: Any, indices: Any = None) -> None:
        """Set masses of particles, (M, particles), kg; the stage keeps their sum for each cloth."""
        self._check_valid()
        chosen = self._chosen(indices)
        given = shaped("masses", on_host(masses, float), (len(chosen), np.size(on_host(masses)) // max(len(chosen), 1)))
        for row, i in zip(given, chosen, strict=True):
            prim = self._prims[i]
            if not prim.HasAPI(UsdPhysics.MassAPI):
                UsdPhysics.MassAPI.Apply(prim)
            write(prim, "physics:mass", "Float", row.sum())
        if self._playing() is not None:
            self._write("set_masses", given[..., None], indices, 1)

    def get_particle_masses(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, particles), kg: as they are simulated, a third of each triangle; else the stage's, in equal parts."""
        self._check_valid()
        if self._playing() is not None:
            return self._simulated("get_masses", indices)
        chosen, most = self._chosen(indices), self._points()
        found = np.zeros((len(chosen), most), np.float32)
        for n, i in enumerate(chosen):
            count = len(read(self._prims[i], "points", ()) or ())
            found[n, :count] = read(self._prims[i], "physics:mass", 0.0) / max(count, 1)
        return self._backend.give(found)

    def _simulated(self, getter: str, indices: Any) -> Any:
        view = self._playing()
        assert view is not None
        return self._backend.give(on_host(getattr(view, getter)())[self._chosen(indices)])

    def _write(self, setter: str, values: Any, indices: Any, width: int = 3) -> None:
        """Hand values of some cloths to the view, (M, particles, width)."""
        view = self._playing()
        assert view is not None
        chosen = self._chosen(indices)
        most = view.max_particles_per_cloth
        given = shaped(setter, on_host(values), (len(chosen), most, width))
        whole = np.zeros((view.count, most, width), np.float32)
        whole[chosen] = given
        getattr(view, setter)(whole, np.array(chosen))

    # -- springs, one by one ---------------------------------------------------------------------------------

    def set_stretch_stiffnesses(self, stiffness: Any, indices: Any = None) -> None:
        """Set stiffnesses of springs, (M, springs), N/m. A simulated cloth has their mean."""
        self._set_lists("physxParticle:springStiffnesses", "FloatArray", _SPRINGS, stiffness, indices)
        self._act("stretch", on_host(stiffness).mean(axis=-1).reshape(-1).tolist(), indices)

    def get_stretch_stiffnesses(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, springs), N/m: stiffnesses of springs; if the stage has none, that of the simulated sheet.

        Raises:
            ValueError: nothing plays, and the stage has none of a cloth.
        """
        view, name = self._playing(), "physxParticle:springStiffnesses"
        if view is None or all(read(self._prims[i], name, ()) for i in self._chosen(indices)):
            return self._lists(name, indices)
        found = np.zeros((view.count, view.max_springs_per_cloth), np.float32)
        for row, cloth, env in view.materials():
            found[row, : len(cloth.mesh.edges)] = float(on_host(cloth.youngs_modulus)[env]) * cloth.part.thickness
        return self._backend.give(found[self._chosen(indices)])

    def set_spring_dampings(self, damping: Any, indices: Any = None) -> None:
        """Set dampings of springs, (M, springs). They are kept on the stage, and not simulated."""
        self._set_lists("physxParticle:springDampings", "FloatArray", _SPRINGS, damping, indices)

    def get_spring_dampings(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, springs): dampings of springs; if the stage has none, what all springs of a simulated cloth have.

        Raises:
            ValueError: nothing plays, and the stage has none of a cloth.
        """
        view, name = self._playing(), "physxParticle:springDampings"
        if view is None or all(read(self._prims[i], name, ()) for i in self._chosen(indices)):
            return self._lists(name, indices)
        found = np.zeros((view.count, view.max_springs_per_cloth), np.float32)
        for row, cloth, _ in view.materials():
            found[row, : len(cloth.mesh.edges)] = read(self._prims[row], "physxAutoParticleCloth:springDamping", 0.0)
        return self._backend.give(found[self._chosen(indices)])

    def _act(self, what: str, values: Any, indices: Any) -> None:
        """Let numbers of some cloths, (M,), act on what is simulated."""
        view = self._playing()
        if view is None:
            return
        given = dict(zip(self._chosen(indices), [float(v) for v in on_host(values)], strict=True))
        for row, cloth, env in view.materials():
            if row not in given:
                continue
            mesh, thickness, value, envs = cloth.mesh, cloth.part.thickness, given[row], [env]
            if what == "stretch":
                cloth.set_youngs_modulus(max(value, LEAST_STIFFNESS) / thickness, env_ids=envs)
            elif what == "shear":
                cloth.set_shear_modulus(value / thickness, env_ids=envs)
            elif what == "bend":
                cloth.set_bending_stiffness(bending(mesh, value), env_ids=envs)
            elif value or cloth.part.pressure:
                stretch = float(on_host(cloth.youngs_modulus)[env]) * thickness
                cloth.set_pressure(inflation(mesh, value, stretch) if value else 0.0, env_ids=envs)

    # -- of whole cloths -------------------------------------------------------------------------------------

    def set_cloths_stretch_stiffnesses(self, values: Any, indices: Any = None) -> None:
        """Set stiffnesses of springs along edges, (M,)."""
        self._set_number(
            "physxAutoParticleCloth:springStretchStiffness", "Float", "PhysxAutoParticleClothAPI", values, indices, 0.0
        )
        self._act("stretch", values, indices)

    def get_cloths_stretch_stiffnesses(self, indices: Any = None, clone: bool = True) -> Any:
        """Stiffnesses of springs along edges, (M,)."""
        return self._number("physxAutoParticleCloth:springStretchStiffness", "Float", 0.0, indices)

    def set_cloths_bend_stiffnesses(self, values: Any, indices: Any = None) -> None:
        """Set stiffnesses of springs against bending, (M,)."""
        self._set_number(
            "physxAutoParticleCloth:springBendStiffness", "Float", "PhysxAutoParticleClothAPI", values, indices, 0.0
        )
        self._act("bend", values, indices)

    def get_cloths_bend_stiffnesses(self, indices: Any = None, clone: bool = True) -> Any:
        """Stiffnesses of springs against bending, (M,)."""
        return self._number("physxAutoParticleCloth:springBendStiffness", "Float", 0.0, indices)

    def set_cloths_shear_stiffnesses(self, values: Any, indices: Any = None) -> None:
        """Set stiffnesses of springs against shear, (M,)."""
        self._set_number(
            "physxAutoParticleCloth:springShearStiffness", "Float", "PhysxAutoParticleClothAPI", values, indices, 0.0
        )
        self._act("shear", values, indices)

    def get_cloths_shear_stiffnesses(self, indices: Any = None, clone: bool = True) -> Any:
        """Stiffnesses of springs against shear, (M,)."""
        return self._number("physxAutoParticleCloth:springShearStiffness", "Float", 0.0, indices)

    def set_cloths_dampings(self, values: Any, indices: Any = None) -> None:
        """Set dampings of springs, (M,). They are kept on the stage, and not simulated."""
        self._set_number(
            "physxAutoParticleCloth:springDamping", "Float", "PhysxAutoParticleClothAPI", values, indices, 0.0
        )

    def get_cloths_dampings(self, indices: Any = None, clone: bool = True) -> Any:
        """Dampings of springs, (M,)."""
        return self._number("physxAutoParticleCloth:springDamping", "Float", 0.0, indices)

    def set_pressures(self, pressures: Any, indices: Any = None) -> None:
        """Set the volumes that pressures blow cloths up to, of that at rest; 0: there is no pressure, (M,).

        The simulated pressure stays, as :func:`phalanx.io.formats.usd.cloths.inflation` has it for spheres.
        """
        self._set_number("physxParticle:pressure", "Float", "PhysxParticleClothAPI", pressures, indices, 0.0)
        self._act("pressure", pressures, indices)

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
