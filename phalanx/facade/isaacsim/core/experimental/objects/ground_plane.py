"""Grounds."""

from __future__ import annotations

from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.isaacsim.core.experimental.objects.mesh import Mesh
from phalanx.facade.isaacsim.core.experimental.objects.shapes import Plane
from phalanx.facade.isaacsim.core.experimental.prims import GeomPrim, XformPrim
from phalanx.facade.isaacsim.core.experimental.prims.prim import require
from phalanx.facade.isaacsim.core.experimental.utils.ops import broadcast_engine
from phalanx.facade.isaacsim.core.experimental.utils.stage import get_stage_up_axis
from phalanx.facade.pxr.PhysicsSchemaTools import addGroundPlane
from phalanx.io.formats.usd.bindings import UsdGeom


class GroundPlane(XformPrim):
    """Grounds: an Xform each, with a plane below it that collides without end, and a mesh that is seen.

    Args:
        paths: see :class:`.typed.Typed`.
        sizes: edges of what is seen of new ones, (N, 1).
        colors: red, green and blue of new ones, (N, 3).
        placed: ``positions``, ``translations``, ``orientations``, ``scales``, ``reset_xform_op_properties``.

    Raises:
        AssertionError: a prim that is there has not a plane and a mesh below it.
    """

    def __init__(
        self, paths: str | list[str], *, sizes: Any = 100.0, colors: Any = (0.5, 0.5, 0.5), **placed: Any
    ) -> None:
        existing, missing = XformPrim.resolve_paths(paths)
        stage = stages.get_stage()
        edges = broadcast_engine(sizes, (len(missing), 1), float, "cpu")[:, 0].tolist() if missing else []
        tints = broadcast_engine(colors, (len(missing), 3), float, "cpu").tolist() if missing else []
        for path, edge, color in zip(missing, edges, tints, strict=True):
            addGroundPlane(stage, path, get_stage_up_axis(), 0.5 * edge, (0.0, 0.0, 0.0), color)
        found = [_below(stage.GetPrimAtPath(path)) for path in existing or missing]
        super().__init__(existing or missing, resolve_paths=False, **placed)
        self._planes, self._meshes = Plane([plane for plane, _ in found]), Mesh([mesh for _, mesh in found])
        self._geoms = GeomPrim(self._planes.paths)

    @property
    def planes(self) -> Plane:
        """What collides."""
        return self._planes

    @property
    def meshes(self) -> Mesh:
        """What is seen."""
        return self._meshes

    def set_offsets(self, contact_offsets: Any = None, rest_offsets: Any = None, *, indices: Any = None) -> None:
        """See :meth:`GeomPrim.set_offsets`."""
        self._geoms.set_offsets(contact_offsets, rest_offsets, indices=indices)

    def get_offsets(self, *, indices: Any = None) -> tuple[Any, Any]:
        """See :meth:`GeomPrim.get_offsets`."""
        return self._geoms.get_offsets(indices=indices)

    def set_torsional_patch_radii(self, radii: Any, *, indices: Any = None, minimum: bool = False) -> None:
        """See :meth:`GeomPrim.set_torsional_patch_radii`."""
        self._geoms.set_torsional_patch_radii(radii, indices=indices, minimum=minimum)

    def get_torsional_patch_radii(self, *, indices: Any = None, minimum: bool = False) -> Any:
        """See :meth:`GeomPrim.get_torsional_patch_radii`."""
        return self._geoms.get_torsional_patch_radii(indices=indices, minimum=minimum)

    def set_enabled_collisions(self, enabled: Any, *, indices: Any = None) -> None:
        """See :meth:`GeomPrim.set_enabled_collisions`."""
        self._geoms.set_enabled_collisions(enabled, indices=indices)

    def get_enabled_collisions(self, *, indices: Any = None) -> Any:
        """See :meth:`GeomPrim.get_enabled_collisions`."""
        return self._geoms.get_enabled_collisions(indices=indices)

    def apply_physics_materials(
        self, materials: Any, *, weaker_than_descendants: Any = None, indices: Any = None
    ) -> None:
        """See :meth:`GeomPrim.apply_physics_materials`."""
        weaker = weaker_than_descendants
        self._geoms.apply_physics_materials(materials, weaker_than_descendants=weaker, indices=indices)

    def get_applied_physics_materials(self, *, indices: Any = None) -> list[Any]:
        """See :meth:`GeomPrim.get_applied_physics_materials`."""
        return self._geoms.get_applied_physics_materials(indices=indices)


def _below(prim: Any) -> tuple[str, str]:
    """Paths of the plane and the mesh below a prim."""
    path = prim.GetPath().pathString
    planes = [each.GetPath().pathString for each in prim.GetChildren() if each.IsA(UsdGeom.Plane)]
    meshes = [each.GetPath().pathString for each in prim.GetChildren() if each.IsA(UsdGeom.Mesh)]
    require(len(planes) == 1 and len(meshes) == 1, f"a ground has a Plane and a Mesh below it; {path} has not")
    return planes[0], meshes[0]
