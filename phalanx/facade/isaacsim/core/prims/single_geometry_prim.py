"""One prim that collides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.prims.geometry_prim import GeometryPrim
from phalanx.facade.isaacsim.core.prims.single_xform_prim import SingleXFormPrim, first, one


class SingleGeometryPrim(SingleXFormPrim):
    """A prim with geometry, which can collide; see :class:`GeometryPrim`.

    Args:
        prim_path: of the prim, which must be there.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
        collision: whether it gets the schemas of colliders.
        track_contact_forces: whether contacts are read.
        prepare_contact_sensor: whether it gets the schema by which PhysX reports contacts.
        disable_stablization: no meaning.
        contact_filter_prim_paths_expr: expressions for what contacts are told apart by; with some, they are read.
        reset_xform_properties: see :class:`SingleXFormPrim`.

    Raises:
        ValueError: there is no prim at the path, or an array has another shape.
    """

    _geometry_prim_view: GeometryPrim

    def __init__(
        self,
        prim_path: str,
        name: str = "geometry_prim",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        collision: bool = False,
        track_contact_forces: bool = False,
        prepare_contact_sensor: bool = False,
        disable_stablization: bool = True,
        contact_filter_prim_paths_expr: Sequence[Any] | None = [],
        reset_xform_properties: bool = True,
    ) -> None:
        self._geometry_prim_view = GeometryPrim(
            prim_path,
            name,
            one(position),
            one(translation),
            one(orientation),
            one(scale),
            None if visible is None else [visible],
            reset_xform_properties,
            [collision],
            track_contact_forces,
            prepare_contact_sensor,
            disable_stablization,
            contact_filter_prim_paths_expr,
        )
        self._wrap(self._geometry_prim_view)

    @property
    def geom(self) -> Any:
        """The prim as ``UsdGeom.Gprim``."""
        return self._geometry_prim_view.geoms[0]

    # -- colliding -------------------------------------------------------------------------------------------

    def set_collision_enabled(self, enabled: bool) -> None:
        """Let it collide, or not."""
        (self._geometry_prim_view.enable_collision if enabled else self._geometry_prim_view.disable_collision)()

    def get_collision_enabled(self) -> bool:
        """Whether it collides."""
        return bool(on_host(self._geometry_prim_view.is_collision_enabled())[0])

    def set_collision_approximation(self, approximation_type: str) -> None:
        """Let a mesh collide as another shape, from the next reset on; ValueError if there is no such type."""
        self._geometry_prim_view.set_collision_approximations([approximation_type])

    def get_collision_approximation(self) -> str:
        """As what shape it collides; ``"none"``: as itself."""
        return self._geometry_prim_view.get_collision_approximations()[0]

    def set_contact_offset(self, offset: float) -> None:
        """Set how far off contacts begin, positive and above the rest offset; -inf: as the engine likes."""
        self._geometry_prim_view.set_contact_offsets([offset])

    def get_contact_offset(self) -> float:
        """How far off contacts begin; -inf: as the engine likes."""
        return float(on_host(self._geometry_prim_view.get_contact_offsets())[0])

    def set_rest_offset(self, offset: float) -> None:
        """Set how far off surfaces rest, below the contact offset; -inf: as the engine likes."""
        self._geometry_prim_view.set_rest_offsets([offset])

    def get_rest_offset(self) -> float:
        """How far off surfaces rest; -inf: as the engine likes."""
        return float(on_host(self._geometry_prim_view.get_rest_offsets())[0])

    def set_torsional_patch_radius(self, radius: float) -> None:
        """Set the radius by which friction of a contact resists spinning; from the next reset on."""
        self._geometry_prim_view.set_torsional_patch_radii([radius])

    def get_torsional_patch_radius(self) -> float:
        """The radius by which friction of a contact resists spinning."""
        return float(on_host(self._geometry_prim_view.get_torsional_patch_radii())[0])

    def set_min_torsional_patch_radius(self, radius: float) -> None:
        """Set the least radius by which friction of a contact resists spinning; from the next reset on."""
        self._geometry_prim_view.set_min_torsional_patch_radii([radius])

    def get_min_torsional_patch_radius(self) -> float:
        """The least radius by which friction of a contact resists spinning."""
        return float(on_host(self._geometry_prim_view.get_min_torsional_patch_radii())[0])

    def apply_physics_material(self, physics_material: Any, weaker_than_descendants: bool = False) -> None:
        """Let it be felt as a material."""
        self._geometry_prim_view.apply_physics_materials([physics_material], [weaker_than_descendants])

    def get_applied_physics_material(self) -> Any:
        """The material that it is bound to itself; ``None`` if there is none."""
        return self._geometry_prim_view.get_applied_physics_materials()[0]

    # -- contacts --------------------------------------------------------------------------------------------

    def get_net_contact_forces(self, dt: float = 1.0) -> Any:
        """(3,): sum of the normal forces on it; see :meth:`GeometryPrim.get_net_contact_forces`."""
        return self._contact("get_net_contact_forces", dt)

    def get_contact_force_matrix(self, dt: float = 1.0) -> Any:
        """(filters, 3): of each filter on it; see :meth:`GeometryPrim.get_contact_force_matrix`."""
        return self._contact("get_contact_force_matrix", dt)

    def get_contact_force_data(self, dt: float = 1.0) -> Any:
        """Contacts one by one; see :meth:`RigidContactView.get_contact_force_data`."""
        return self._geometry_prim_view.get_contact_force_data(dt=dt)

    def get_friction_data(self, dt: float = 1.0) -> Any:
        """Friction one by one; see :meth:`RigidContactView.get_friction_data`."""
        return self._geometry_prim_view.get_friction_data(dt=dt)

    def _contact(self, what: str, dt: float) -> Any:
        found = getattr(self._geometry_prim_view, what)(dt=dt)
        return None if found is None else first(found)[0]


__all__ = ["SingleGeometryPrim"]
