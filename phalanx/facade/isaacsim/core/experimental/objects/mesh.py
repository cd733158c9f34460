"""Meshes."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.experimental.objects.typed import Typed, instances
from phalanx.facade.isaacsim.core.experimental.prims.prim import require
from phalanx.facade.omni.kit.commands.prims import create_mesh_prim
from phalanx.io.formats.usd.bindings import UsdGeom, Vt

PRIMITIVES = ("Cone", "Cube", "Cylinder", "Disk", "Plane", "Sphere", "Torus")


class Mesh(Typed):
    """Meshes. What differs in length from one to another is given and handed out as a list of arrays.

    Args:
        paths: see :class:`.typed.Typed`.
        primitives: what new ones are, one of :data:`PRIMITIVES`, or one for each; empty by default.
        placed: ``positions``, ``translations``, ``orientations``, ``scales``, ``reset_xform_op_properties``.
    """

    schema = "Mesh"

    def __init__(self, paths: str | list[str], *, primitives: str | list[str] | None = None, **placed: Any) -> None:
        wanted = [primitives] if primitives is None or isinstance(primitives, str) else list(primitives)
        for each in wanted:
            require(each is None or each in PRIMITIVES, f"{each!r} must be one of {', '.join(PRIMITIVES)}")
        _, missing = self.resolve_paths(paths)
        require(not missing or len(wanted) in (1, len(missing)), f"{len(wanted)} primitives for {len(missing)} paths")
        kinds = wanted * len(missing) if len(wanted) == 1 else wanted
        self._kinds = dict(zip(missing, kinds, strict=False))
        super().__init__(paths, **placed)

    def _make(self, stage: Any, path: str) -> None:
        kind = self._kinds.get(path)
        if kind is None:
            UsdGeom.Mesh.Define(stage, path)
        else:
            create_mesh_prim(prim_type=kind, prim_path=path)

    @property
    def geoms(self) -> list[Any]:
        """The prims as ``UsdGeom.Mesh``."""
        return self._made

    @property
    def num_faces(self) -> list[int]:
        """Number of faces of each."""
        return [geom.GetFaceCount() for geom in self.geoms]

    @classmethod
    def are_of_type(cls, paths: Any) -> Any:
        """(N,), bool: whether prims, or those at paths, are meshes."""
        return cls._are(paths)

    @staticmethod
    def fetch_instances(paths: Any) -> list[Any]:
        """A wrapper of each of some prims, or those at paths; ``None`` where a prim is no mesh."""
        return instances((Mesh,), paths)

    @staticmethod
    def update_extents(geoms: list[Any]) -> None:
        """Let extents on the stage be what the points say."""
        for geom in geoms:
            points = geom.GetPointsAttr().Get()
            if points:
                geom.CreateExtentAttr(UsdGeom.PointBased.ComputeExtent(points))

    # -- one array for each ----------------------------------------------------------------------------------

    def _put(self, attribute: str, kind: Any, values: Any, indices: Any, width: int = 0) -> None:
        """Set an attribute of each of some meshes to one of some arrays, or all to the one."""
        self._check_valid()
        chosen = self._chosen(indices)
        require(len(values) in (1, len(chosen)), f"there are {len(values)} arrays for {len(chosen)} meshes")
        for n, i in enumerate(chosen):
            one = on_host(values[0 if len(values) == 1 else n])
            rows = one.reshape(-1, width).astype(float) if width else one.reshape(-1)
            getattr(self.geoms[i], f"Create{attribute}Attr")().Set(kind(rows.tolist()))

    def _take(self, attribute: str, kind: str, indices: Any, width: int = 0) -> list[Any]:
        self._check_valid()
        found = [getattr(self.geoms[i], f"Get{attribute}Attr")().Get() for i in self._chosen(indices)]
        arrays = [np.array([] if each is None else each, kind) for each in found]
        return [self._given(each.reshape(-1, width) if width else each) for each in arrays]

    def set_points(self, points: list[Any], *, indices: Any = None) -> None:
        """Set points, (P, 3) each."""
        self._put("Points", Vt.Vec3fArray, points, indices, 3)

    def get_points(self, *, indices: Any = None) -> list[Any]:
        """Points, (P, 3) each."""
        return self._take("Points", "float32", indices, 3)

    def set_normals(self, normals: list[Any], *, indices: Any = None) -> None:
        """Set normals, (P, 3) each."""
        self._put("Normals", Vt.Vec3fArray, normals, indices, 3)

    def get_normals(self, *, indices: Any = None) -> list[Any]:
        """Normals, (P, 3) each."""
        return self._take("Normals", "float32", indices, 3)

    def set_face_specs(
        self,
        vertex_indices: list[Any] | None = None,
        vertex_counts: list[Any] | None = None,
        varying_linear_interpolations: Any = None,
        hole_indices: list[Any] | None = None,
        *,
        indices: Any = None,
    ) -> None:
        """Set faces: points of all of them in a row, how many each has, how values between points are found, holes."""
        given = (vertex_indices, vertex_counts, varying_linear_interpolations, hole_indices)
        require(any(each is not None for each in given), "nothing is given of the faces")
        names = ("FaceVertexIndices", "FaceVertexCounts", "", "HoleIndices")
        for name, values in zip(names, given, strict=True):
            if name and values is not None:
                self._put(name, Vt.IntArray, values, indices)
        if varying_linear_interpolations is not None:
            self._set_words("faceVaryingLinearInterpolation", "Token", varying_linear_interpolations, indices)

    def get_face_specs(self, *, indices: Any = None) -> tuple[list[Any], list[Any], list[str], list[Any]]:
        """What :meth:`set_face_specs` sets."""
        return (
            self._take("FaceVertexIndices", "int32", indices),
            self._take("FaceVertexCounts", "int32", indices),
            self._get_words("faceVaryingLinearInterpolation", "cornersPlus1", indices),
            self._take("HoleIndices", "int32", indices),
        )

    def set_crease_specs(
        self,
        crease_indices: list[Any],
        crease_lengths: list[Any],
        crease_sharpnesses: list[Any],
        *,
        indices: Any = None,
    ) -> None:
        """Set creases: points of all of them in a row, how many each has, how sharp they are."""
        for n, points in enumerate(crease_indices):
            lengths = on_host(crease_lengths[n]).reshape(-1)
            sharp = on_host(crease_sharpnesses[n]).size
            fits = lengths.sum() == on_host(points).size and sharp in (lengths.size, (lengths - 1).sum())
            require(bool(fits), f"creases of mesh {n}: lengths {lengths.tolist()} do not fit the other arrays")
        self._put("CreaseIndices", Vt.IntArray, crease_indices, indices)
        self._put("CreaseLengths", Vt.IntArray, crease_lengths, indices)
        self._put("CreaseSharpnesses", Vt.FloatArray, crease_sharpnesses, indices)

    def get_crease_specs(self, *, indices: Any = None) -> tuple[list[Any], list[Any], list[Any]]:
        """What :meth:`set_crease_specs` sets."""
        return (
            self._take("CreaseIndices", "int32", indices),
            self._take("CreaseLengths", "int32", indices),
            self._take("CreaseSharpnesses", "float32", indices),
        )

    def set_corner_specs(
        self, corner_indices: list[Any], corner_sharpnesses: list[Any], *, indices: Any = None
    ) -> None:
        """Set corners: their points, and how sharp they are."""
        for points, sharp in zip(corner_indices, corner_sharpnesses, strict=True):
            require(on_host(points).size == on_host(sharp).size, "corners: one sharpness for each point")
        self._put("CornerIndices", Vt.IntArray, corner_indices, indices)
        self._put("CornerSharpnesses", Vt.FloatArray, corner_sharpnesses, indices)

    def get_corner_specs(self, *, indices: Any = None) -> tuple[list[Any], list[Any]]:
        """What :meth:`set_corner_specs` sets."""
        return self._take("CornerIndices", "int32", indices), self._take("CornerSharpnesses", "float32", indices)

    def set_subdivision_specs(
        self,
        subdivision_schemes: Any = None,
        interpolate_boundaries: Any = None,
        triangle_subdivision_rules: Any = None,
        *,
        indices: Any = None,
    ) -> None:
        """Set how meshes are made smooth, words of ``UsdGeom.Mesh``; what is ``None`` stays."""
        given = {
            "subdivisionScheme": subdivision_schemes,
            "interpolateBoundary": interpolate_boundaries,
            "triangleSubdivisionRule": triangle_subdivision_rules,
        }
        require(any(each is not None for each in given.values()), "nothing is given of the subdivision")
        for name, words in given.items():
            if words is not None:
                self._set_words(name, "Token", words, indices)

    def get_subdivision_specs(self, *, indices: Any = None) -> tuple[list[str], list[str], list[str]]:
        """What :meth:`set_subdivision_specs` sets."""
        return (
            self._get_words("subdivisionScheme", "catmullClark", indices),
            self._get_words("interpolateBoundary", "edgeAndCorner", indices),
            self._get_words("triangleSubdivisionRule", "catmullClark", indices),
        )
