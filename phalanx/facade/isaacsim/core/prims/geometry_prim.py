"""Views of prims that collide: geometry with the schemas of colliders, and materials that are felt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host, shaped
from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas
from phalanx.facade.isaacsim.core.api.materials.accessors import read, write
from phalanx.facade.isaacsim.core.prims.contacts import Contacts
from phalanx.facade.isaacsim.core.prims.visual_bindings import bind, bound, each
from phalanx.facade.isaacsim.core.prims.xform_prim import XFormPrim
from phalanx.io.formats.usd.bindings import UsdGeom, UsdPhysics

APPROXIMATIONS = (
    "none",
    "convexHull",
    "convexDecomposition",
    "boundingCube",
    "boundingSphere",
    "meshSimplification",
    "sdf",
    "sphereFill",
)
"""Values of ``physics:approximation``."""

UNSET = float("-inf")
"""Of contact and rest offsets where nothing is written: the engine takes its own."""


class GeometryPrim(XFormPrim, Contacts):
    """Prims with geometry, which can collide.

    See :class:`XFormPrim` for arrays, indices and places. What is set here is written to the stage; a simulation that
    runs takes it over before its next step.

    Args:
        prim_paths_expr: an expression for paths, or several in a list.
        name: for scenes and messages.
        positions, translations, orientations, scales, visibilities, reset_xform_properties: see :class:`XFormPrim`.
        collisions: whether prims get the schemas of colliders, (N,).
        track_contact_forces: whether contacts are read.
        prepare_contact_sensors: whether prims get the schema by which PhysX reports contacts.
        disable_stablization: no meaning.
        contact_filter_prim_paths_expr: expressions for what contacts are told apart by; with some, they are read.
        max_contact_count: contacts that are reported one by one; 0: enough for all.

    Raises:
        ValueError: no prim matches, or an array has another shape.
    """

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        name: str = "geometry_prim_view",
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        visibilities: Any = None,
        reset_xform_properties: bool = True,
        collisions: Any = None,
        track_contact_forces: bool = False,
        prepare_contact_sensors: bool = False,
        disable_stablization: bool = True,
        contact_filter_prim_paths_expr: Sequence[Any] | None = (),
        max_contact_count: int = 0,
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
        self._applied_physics_materials: dict[int, Any] = {}
        if collisions is not None:
            wanted = on_host(collisions).reshape(-1).tolist()
            GeometryPrim.apply_collision_apis(self, [i for i, flag in enumerate(wanted[: self.count]) if flag])
        self._track(
            prim_paths_expr,
            name,
            track_contact_forces,
            contact_filter_prim_paths_expr,
            prepare_contact_sensors,
            max_contact_count,
        )

    @property
    def geoms(self) -> list[Any]:
        """The prims as ``UsdGeom.Gprim``."""
        return [UsdGeom.Gprim(prim) for prim in self._prims]

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Look up what is simulated, if contacts are read; views do so by themselves when a simulation begins."""
        super().initialize(physics_sim_view)
        if self._contact_view is not None and simulation.stage_world() is not None:
            self._contact_view.initialize(physics_sim_view)

    # -- colliders -------------------------------------------------------------------------------------------

    def apply_collision_apis(self, indices: Any = None) -> None:
        """Give prims the schemas of colliders."""
        self._check_valid()
        for i in self._chosen(indices):
            _collider(self._prims[i])
            api = UsdPhysics.MeshCollisionAPI
            if not self._prims[i].HasAPI(api):
                api.Apply(self._prims[i])

    def enable_collision(self, indices: Any = None) -> None:
        """Let prims collide."""
        self._check_valid()
        for i in self._chosen(indices):
            _collider(self._prims[i]).CreateCollisionEnabledAttr().Set(True)

    def disable_collision(self, indices: Any = None) -> None:
        """Let prims not collide; those without the schemas of colliders do not anyway."""
        self._check_valid()
        for i in self._chosen(indices):
            if self._prims[i].HasAPI(UsdPhysics.CollisionAPI):
                UsdPhysics.CollisionAPI(self._prims[i]).CreateCollisionEnabledAttr().Set(False)

    def is_collision_enabled(self, indices: Any = None) -> Any:
        """(M,), bool: whether prims collide."""
        self._check_valid()
        found = []
        for i in self._chosen(indices):
            prim = self._prims[i]
            has = prim.HasAPI(UsdPhysics.CollisionAPI)
            found.append(has and bool(UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Get()))
        return self._backend.give(np.array(found, bool))

    def set_collision_approximations(self, approximation_types: Sequence[str], indices: Any = None) -> None:
        """Let meshes collide as other shapes, from the next reset on.

        Args:
            approximation_types: (M,), of ``none``, ``convexHull``, ``convexDecomposition``, ``boundingCube``,
                ``boundingSphere``, ``meshSimplification``, ``sdf``, ``sphereFill``.
            indices: of prims.

        Raises:
            ValueError: there is no such type, or there is another number of them.
        """
        self._check_valid()
        chosen = self._chosen(indices)
        for i, kind in zip(chosen, each("approximation types", list(approximation_types), len(chosen)), strict=True):
            if kind not in APPROXIMATIONS:
                raise ValueError(f"approximation type {kind!r} must be one of {', '.join(APPROXIMATIONS)}")
            _collider(self._prims[i])
            api = UsdPhysics.MeshCollisionAPI
            found = api(self._prims[i]) if self._prims[i].HasAPI(api) else api.Apply(self._prims[i])
            found.CreateApproximationAttr().Set(kind)

    def get_collision_approximations(self, indices: Any = None) -> list[str]:
        """As what shapes meshes collide, (M,); ``"none"``: as themselves."""
        self._check_valid()
        return [read(self._prims[i], "physics:approximation", "none") for i in self._chosen(indices)]

    # -- offsets and radii -----------------------------------------------------------------------------------

    def set_contact_offsets(self, offsets: Any, indices: Any = None) -> None:
        """Set how far off contacts begin, (M,), positive and above the rest offset; -inf: as the engine likes."""
        self._set("contactOffset", "contact offsets", offsets, indices)

    def get_contact_offsets(self, indices: Any = None) -> Any:
        """How far off contacts begin, (M,); -inf: as the engine likes."""
        return self._get("contactOffset", UNSET, indices)

    def set_rest_offsets(self, offsets: Any, indices: Any = None) -> None:
        """Set how far off surfaces rest, (M,), below the contact offset; -inf: as the engine likes."""
        self._set("restOffset", "rest offsets", offsets, indices)

    def get_rest_offsets(self, indices: Any = None) -> Any:
        """How far off surfaces rest, (M,); -inf: as the engine likes."""
        return self._get("restOffset", UNSET, indices)

    def set_torsional_patch_radii(self, radii: Any, indices: Any = None) -> None:
        """Set the radius by which friction of a contact resists spinning, (M,); from the next reset on."""
        self._set("torsionalPatchRadius", "torsional patch radii", radii, indices)

    def get_torsional_patch_radii(self, indices: Any = None) -> Any:
        """The radius by which friction of a contact resists spinning, (M,)."""
        return self._get("torsionalPatchRadius", 0.0, indices)

    def set_min_torsional_patch_radii(self, radii: Any, indices: Any = None) -> None:
        """Set the least radius by which friction of a contact resists spinning, (M,); from the next reset on."""
        self._set("minTorsionalPatchRadius", "least torsional patch radii", radii, indices)

    def get_min_torsional_patch_radii(self, indices: Any = None) -> Any:
        """The least radius by which friction of a contact resists spinning, (M,)."""
        return self._get("minTorsionalPatchRadius", 0.0, indices)

    def _set(self, attribute: str, what: str, values: Any, indices: Any) -> None:
        self._check_valid()
        chosen = self._chosen(indices)
        for i, value in zip(chosen, shaped(what, on_host(values, float), (len(chosen),)).tolist(), strict=True):
            _collider(self._prims[i])
            self._prims[i].AddAppliedSchema("PhysxCollisionAPI")
            write(self._prims[i], f"physxCollision:{attribute}", "Float", value)

    def _get(self, attribute: str, default: float, indices: Any) -> Any:
        self._check_valid()
        found = []
        for i in self._chosen(indices):
            prim = self._prims[i]
            known = "PhysxCollisionAPI" in applied_schemas(prim) or prim.HasAttribute(f"physxCollision:{attribute}")
            found.append(read(prim, f"physxCollision:{attribute}", default if known else 0.0))
        return self._backend.give(np.array(found, float))

    # -- materials that are felt -----------------------------------------------------------------------------

    def apply_physics_materials(
        self,
        physics_materials: Any,
        weaker_than_descendants: bool | Sequence[bool] | None = None,
        indices: Any = None,
    ) -> None:
        """Let prims be felt as materials.

        Args:
            physics_materials: one for all, or a list with one for each.
            weaker_than_descendants: whether materials of prims below count rather than this one; a flag, or a list with
                one for each. They do not by default.
            indices: of prims.

        Raises:
            ValueError: a list has another length than M.
        """
        self._check_valid()
        chosen = self._chosen(indices)
        materials = each("physics materials", physics_materials, len(chosen))
        given = weaker_than_descendants
        weaker = each("weaker_than_descendants", given if isinstance(given, list | tuple) else bool(given), len(chosen))
        for i, material, weak in zip(chosen, materials, weaker, strict=True):
            bind(self._prims[i], material.material, weak, "physics")
            self._applied_physics_materials[i] = material

    def get_applied_physics_materials(self, indices: Any = None) -> list[Any]:
        """The materials that prims are bound to themselves, (M,); ``None`` for a prim without one."""
        from phalanx.facade.isaacsim.core.api.materials.physics_material import PhysicsMaterial

        self._check_valid()
        known, found = self._applied_physics_materials, []
        for i in self._chosen(indices):
            path = bound(self._prims[i], "physics")
            if path and (i not in known or known[i].prim_path != path):
                known[i] = PhysicsMaterial(path)
            found.append(known[i] if path else None)
        return found


def _collider(prim: Any) -> Any:
    api = UsdPhysics.CollisionAPI
    return api(prim) if prim.HasAPI(api) else api.Apply(prim)


__all__ = ["GeometryPrim"]
