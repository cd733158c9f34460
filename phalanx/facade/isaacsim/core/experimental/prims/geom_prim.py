"""Wrappers of prims that can collide."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.experimental.prims import views
from phalanx.facade.isaacsim.core.experimental.prims.prim import require
from phalanx.facade.isaacsim.core.experimental.prims.xform_prim import XformPrim
from phalanx.io.formats.usd.bindings import UsdGeom


class GeomPrim(XformPrim):
    """Prims with a shape, which may collide. What is set counts from the next start of the simulation on.

    Args:
        paths, resolve_paths, positions, translations, orientations, scales, reset_xform_op_properties: see
            :class:`XformPrim`.
        apply_collision_apis: whether to give prims the schemas of colliders.
    """

    def __init__(
        self,
        paths: str | list[str],
        *,
        resolve_paths: bool = True,
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        reset_xform_op_properties: bool = False,
        apply_collision_apis: bool = False,
    ) -> None:
        super().__init__(
            paths,
            resolve_paths=resolve_paths,
            positions=positions,
            translations=translations,
            orientations=orientations,
            scales=scales,
            reset_xform_op_properties=reset_xform_op_properties,
        )
        if apply_collision_apis:
            self.apply_collision_apis()

    def _make_view(self, paths: list[str]) -> Any:
        return views.Geometries(paths, reset_xform_properties=False)

    @property
    def geoms(self) -> list[Any]:
        """The prims as their own schema, such as ``UsdGeom.Cube``, or ``UsdGeom.Gprim``."""
        return [getattr(UsdGeom, str(prim.GetTypeName()), UsdGeom.Gprim)(prim) for prim in self.prims]

    def apply_collision_apis(self, *, indices: Any = None) -> None:
        """Give prims the schemas of colliders."""
        self._view.apply_collision_apis(indices)
        for i in self._chosen(indices):
            self.prims[i].AddAppliedSchema("PhysxCollisionAPI")

    def set_offsets(self, contact_offsets: Any = None, rest_offsets: Any = None, *, indices: Any = None) -> None:
        """Set how far off contacts begin, and how far off surfaces rest, (M, 1) each; what is ``None`` stays."""
        given = contact_offsets is not None or rest_offsets is not None
        require(given, "contact_offsets and rest_offsets are both None")
        self._check_valid()
        count = self._size(indices)
        if contact_offsets is not None:
            self._view.set_contact_offsets(self._taken(contact_offsets, count, 1), indices)
        if rest_offsets is not None:
            self._view.set_rest_offsets(self._taken(rest_offsets, count, 1), indices)

    def get_offsets(self, *, indices: Any = None) -> tuple[Any, Any]:
        """How far off contacts begin, and how far off surfaces rest, (M, 1) each; -inf: as the engine likes."""
        self._check_valid()
        found = self._view.get_contact_offsets(indices), self._view.get_rest_offsets(indices)
        return self._given(found[0], -1, 1), self._given(found[1], -1, 1)

    def set_torsional_patch_radii(self, radii: Any, *, indices: Any = None, minimum: bool = False) -> None:
        """Set the radius by which friction of a contact resists spinning, or the least one, (M, 1)."""
        self._check_valid()
        put = self._view.set_min_torsional_patch_radii if minimum else self._view.set_torsional_patch_radii
        put(self._taken(radii, self._size(indices), 1), indices)

    def get_torsional_patch_radii(self, *, indices: Any = None, minimum: bool = False) -> Any:
        """The radius by which friction of a contact resists spinning, or the least one, (M, 1)."""
        self._check_valid()
        read = self._view.get_min_torsional_patch_radii if minimum else self._view.get_torsional_patch_radii
        return self._given(read(indices), -1, 1)

    def set_collision_approximations(self, approximations: str | list[str], *, indices: Any = None) -> None:
        """Let meshes collide as other shapes, such as ``"convexHull"``; a word, or one for each.

        Raises:
            ValueError: there is no such shape.
        """
        self._check_valid()
        words = [approximations] if isinstance(approximations, str) else list(approximations)
        words = words * self._size(indices) if len(words) == 1 else words
        self._view.set_collision_approximations(words, indices)

    def get_collision_approximations(self, *, indices: Any = None) -> list[str]:
        """As what shapes meshes collide, (M,); ``"none"``: as themselves."""
        self._check_valid()
        return self._view.get_collision_approximations(indices)

    def set_enabled_collisions(self, enabled: Any, *, indices: Any = None) -> None:
        """Let prims collide or not, (M, 1)."""
        self._check_valid()
        chosen = self._chosen(indices)
        flags = self._on_host(enabled, len(chosen), 1)[:, 0].astype(bool).tolist()
        on = [i for i, flag in zip(chosen, flags, strict=True) if flag]
        self.apply_collision_apis(indices=on)
        self._view.enable_collision(on)
        self._view.disable_collision([i for i, flag in zip(chosen, flags, strict=True) if not flag])

    def get_enabled_collisions(self, *, indices: Any = None) -> Any:
        """(M, 1), bool: whether prims collide."""
        self._check_valid()
        return self._given(self._view.is_collision_enabled(indices), -1, 1)

    def apply_physics_materials(
        self, materials: Any, *, weaker_than_descendants: Any = None, indices: Any = None
    ) -> None:
        """Let prims be felt as materials; see :meth:`apply_visual_materials`."""
        self._bind(materials, weaker_than_descendants, indices, "physics")

    def get_applied_physics_materials(self, *, indices: Any = None) -> list[Any]:
        """The materials that prims are bound to themselves, (M,); ``None`` for a prim without one that is known."""
        from phalanx.facade.isaacsim.core.experimental.materials import PhysicsMaterial

        return self._bound(PhysicsMaterial, indices, "physics")
