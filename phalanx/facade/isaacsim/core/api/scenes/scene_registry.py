"""What a scene has, by its names and kinds."""

from __future__ import annotations

from typing import Any

KINDS = (
    "rigid_objects",
    "rigid_prim_views",
    "rigid_contact_views",
    "articulated_systems",
    "articulated_views",
    "geometry_objects",
    "geometry_prim_views",
    "robots",
    "robot_views",
    "xforms",
    "xform_prim_views",
    "sensors",
    "cloth_prims",
    "cloth_prim_views",
    "particle_systems",
    "particle_system_views",
    "particle_materials",
    "particle_material_views",
    "deformable_prims",
    "deformable_prim_views",
    "deformable_materials",
    "deformable_material_views",
)
"""Names of the properties that have what there is of each kind by name."""


class SceneRegistry:
    """Knows objects by their names, which are unique over all kinds."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}

    def _add(self, kind: str, name: str, value: Any) -> None:
        if self.name_exists(name):
            raise ValueError(f"Cannot add the object {name} to the scene since its name is not unique")
        self._kinds[kind][name] = value

    def name_exists(self, name: str) -> bool:
        """Whether there is something of a name."""
        return any(name in known for known in self._kinds.values())

    def get_object(self, name: str) -> Any:
        """What has a name; ``None`` if nothing has."""
        return next((known[name] for known in self._kinds.values() if name in known), None)

    def remove_object(self, name: str) -> None:
        """Forget what has a name; ValueError if nothing has."""
        for known in self._kinds.values():
            if name in known:
                del known[name]
                return
        raise ValueError(f"Cannot remove object {name} from the scene since it doesn't exist")

    @property
    def rigid_objects(self) -> dict[str, Any]:
        """Rigid bodies by name."""
        return self._kinds["rigid_objects"]

    @property
    def rigid_prim_views(self) -> dict[str, Any]:
        """Views of rigid bodies by name."""
        return self._kinds["rigid_prim_views"]

    @property
    def rigid_contact_views(self) -> dict[str, Any]:
        """Views of contacts by name."""
        return self._kinds["rigid_contact_views"]

    @property
    def articulated_systems(self) -> dict[str, Any]:
        """Articulations by name."""
        return self._kinds["articulated_systems"]

    @property
    def articulated_views(self) -> dict[str, Any]:
        """Views of articulations by name."""
        return self._kinds["articulated_views"]

    @property
    def geometry_objects(self) -> dict[str, Any]:
        """Geometry, and grounds by name."""
        return self._kinds["geometry_objects"]

    @property
    def geometry_prim_views(self) -> dict[str, Any]:
        """Views of geometry by name."""
        return self._kinds["geometry_prim_views"]

    @property
    def robots(self) -> dict[str, Any]:
        """Robots by name."""
        return self._kinds["robots"]

    @property
    def robot_views(self) -> dict[str, Any]:
        """Views of robots by name."""
        return self._kinds["robot_views"]

    @property
    def xforms(self) -> dict[str, Any]:
        """Prims that have a place by name."""
        return self._kinds["xforms"]

    @property
    def xform_prim_views(self) -> dict[str, Any]:
        """Views of prims that have a place by name."""
        return self._kinds["xform_prim_views"]

    @property
    def sensors(self) -> dict[str, Any]:
        """Sensors by name."""
        return self._kinds["sensors"]

    @property
    def cloth_prims(self) -> dict[str, Any]:
        """Cloths by name."""
        return self._kinds["cloth_prims"]

    @property
    def cloth_prim_views(self) -> dict[str, Any]:
        """Views of cloths by name."""
        return self._kinds["cloth_prim_views"]

    @property
    def particle_systems(self) -> dict[str, Any]:
        """Particle systems by name."""
        return self._kinds["particle_systems"]

    @property
    def particle_system_views(self) -> dict[str, Any]:
        """Views of particle systems by name."""
        return self._kinds["particle_system_views"]

    @property
    def particle_materials(self) -> dict[str, Any]:
        """Materials of particles by name."""
        return self._kinds["particle_materials"]

    @property
    def particle_material_views(self) -> dict[str, Any]:
        """Views of materials of particles by name."""
        return self._kinds["particle_material_views"]

    @property
    def deformable_prims(self) -> dict[str, Any]:
        """Deformable bodies by name."""
        return self._kinds["deformable_prims"]

    @property
    def deformable_prim_views(self) -> dict[str, Any]:
        """Views of deformable bodies by name."""
        return self._kinds["deformable_prim_views"]

    @property
    def deformable_materials(self) -> dict[str, Any]:
        """Materials of deformable bodies by name."""
        return self._kinds["deformable_materials"]

    @property
    def deformable_material_views(self) -> dict[str, Any]:
        """Views of materials of deformable bodies by name."""
        return self._kinds["deformable_material_views"]

    def add_rigid_object(self, name: str, rigid_object: Any) -> None:
        """Add one of the rigid bodies; ValueError if the name is taken."""
        self._add("rigid_objects", name, rigid_object)

    def add_rigid_prim_view(self, name: str, rigid_prim_view: Any) -> None:
        """Add one of the views of rigid bodies; ValueError if the name is taken."""
        self._add("rigid_prim_views", name, rigid_prim_view)

    def add_rigid_contact_view(self, name: str, rigid_contact_view: Any) -> None:
        """Add one of the views of contacts; ValueError if the name is taken."""
        self._add("rigid_contact_views", name, rigid_contact_view)

    def add_articulated_system(self, name: str, articulated_system: Any) -> None:
        """Add one of the articulations; ValueError if the name is taken."""
        self._add("articulated_systems", name, articulated_system)

    def add_articulated_view(self, name: str, articulated_view: Any) -> None:
        """Add one of the views of articulations; ValueError if the name is taken."""
        self._add("articulated_views", name, articulated_view)

    def add_geometry_object(self, name: str, geometry_object: Any) -> None:
        """Add one of the geometry, and grounds; ValueError if the name is taken."""
        self._add("geometry_objects", name, geometry_object)

    def add_geometry_prim_view(self, name: str, geometry_prim_view: Any) -> None:
        """Add one of the views of geometry; ValueError if the name is taken."""
        self._add("geometry_prim_views", name, geometry_prim_view)

    def add_robot(self, name: str, robot: Any) -> None:
        """Add one of the robots; ValueError if the name is taken."""
        self._add("robots", name, robot)

    def add_robot_view(self, name: str, robot_view: Any) -> None:
        """Add one of the views of robots; ValueError if the name is taken."""
        self._add("robot_views", name, robot_view)

    def add_xform(self, name: str, xform: Any) -> None:
        """Add one of the prims that have a place; ValueError if the name is taken."""
        self._add("xforms", name, xform)

    def add_xform_view(self, name: str, xform_prim_view: Any) -> None:
        """Add one of the views of prims that have a place; ValueError if the name is taken."""
        self._add("xform_prim_views", name, xform_prim_view)

    def add_sensor(self, name: str, sensor: Any) -> None:
        """Add one of the sensors; ValueError if the name is taken."""
        self._add("sensors", name, sensor)

    def add_cloth(self, name: str, cloth: Any) -> None:
        """Add one of the cloths; ValueError if the name is taken."""
        self._add("cloth_prims", name, cloth)

    def add_cloth_view(self, name: str, cloth_prim_view: Any) -> None:
        """Add one of the views of cloths; ValueError if the name is taken."""
        self._add("cloth_prim_views", name, cloth_prim_view)

    def add_particle_system(self, name: str, particle_system: Any) -> None:
        """Add one of the particle systems; ValueError if the name is taken."""
        self._add("particle_systems", name, particle_system)

    def add_particle_system_view(self, name: str, particle_system_view: Any) -> None:
        """Add one of the views of particle systems; ValueError if the name is taken."""
        self._add("particle_system_views", name, particle_system_view)

    def add_particle_material(self, name: str, particle_material: Any) -> None:
        """Add one of the materials of particles; ValueError if the name is taken."""
        self._add("particle_materials", name, particle_material)

    def add_particle_material_view(self, name: str, particle_material_view: Any) -> None:
        """Add one of the views of materials of particles; ValueError if the name is taken."""
        self._add("particle_material_views", name, particle_material_view)

    def add_deformable(self, name: str, deformable: Any) -> None:
        """Add one of the deformable bodies; ValueError if the name is taken."""
        self._add("deformable_prims", name, deformable)

    def add_deformable_view(self, name: str, deformable_prim_view: Any) -> None:
        """Add one of the views of deformable bodies; ValueError if the name is taken."""
        self._add("deformable_prim_views", name, deformable_prim_view)

    def add_deformable_material(self, name: str, deformable_material: Any) -> None:
        """Add one of the materials of deformable bodies; ValueError if the name is taken."""
        self._add("deformable_materials", name, deformable_material)

    def add_deformable_material_view(self, name: str, deformable_material_view: Any) -> None:
        """Add one of the views of materials of deformable bodies; ValueError if the name is taken."""
        self._add("deformable_material_views", name, deformable_material_view)


__all__ = ["KINDS", "SceneRegistry"]
