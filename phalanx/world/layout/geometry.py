"""The tables that hold what hulls, meshes, height and distance fields are made of; a shape has a range of rows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from phalanx.components.mesh import (
    HeightFieldGeometry,
    HeightSample,
    HeightSampleValue,
    MeshNeighbour,
    MeshNeighbourVertex,
    MeshNode,
    MeshNodeBox,
    MeshTopology,
    MeshTriangle,
    MeshTriangleGeometry,
    MeshVertexNeighbours,
)
from phalanx.components.sdf import (
    DistanceFieldGeometry,
    DistanceFieldTopology,
    DistanceSample,
    DistanceSampleValue,
    SurfacePoint,
    SurfacePointGeometry,
)
from phalanx.components.shape import (
    HullCorner,
    HullCornerVertex,
    HullFace,
    HullFacePlane,
    HullVertex,
    HullVertexPosition,
    ShapeTopology,
)
from phalanx.ecs import Field, Store, Table
from phalanx.models.meshes.bounding_tree import BoundingTree
from phalanx.models.meshes.height_fields import HeightField
from phalanx.models.meshes.hulls import Hull
from phalanx.models.meshes.signed_distance import DistanceField
from phalanx.models.meshes.triangle_mesh import TriangleMesh

_TABLES = (
    HullVertex,
    HullFace,
    HullCorner,
    MeshTriangle,
    MeshNode,
    MeshNeighbour,
    HeightSample,
    DistanceSample,
    SurfacePoint,
)

Geometry = Hull | TriangleMesh | HeightField | DistanceField


@dataclass(frozen=True)
class GeometryRows:
    """Where a shape's geometry is; all zero for a primitive."""

    first_vertex: int = 0
    end_vertex: int = 0
    first_face: int = 0
    end_face: int = 0
    root: int = 0
    double_sided: int = 0
    first_sample: int = 0
    samples: tuple[int, int] = (0, 0)
    spacing: tuple[float, float] = (0.0, 0.0)
    first_distance: int = 0
    distances: tuple[int, int, int] = (0, 0, 0)
    point_root: int = 0
    corner: tuple[float, float, float] = (0.0, 0.0, 0.0)
    cell: float = 0.0

    def fields(self) -> dict[Field, Any]:
        """Values of the shape's fields that say so."""
        return {
            ShapeTopology.first_vertex: self.first_vertex,
            ShapeTopology.end_vertex: self.end_vertex,
            ShapeTopology.first_face: self.first_face,
            ShapeTopology.end_face: self.end_face,
            MeshTopology.root: self.root,
            MeshTopology.double_sided: self.double_sided,
            MeshTopology.first_sample: self.first_sample,
            MeshTopology.samples: self.samples,
            HeightFieldGeometry.spacing: self.spacing,
            DistanceFieldTopology.first_sample: self.first_distance,
            DistanceFieldTopology.samples: self.distances,
            DistanceFieldTopology.root: self.point_root,
            DistanceFieldGeometry.corner: self.corner,
            DistanceFieldGeometry.cell: self.cell,
        }


def _digest(geometry: Geometry) -> bytes:
    """Names geometry by what it is made of."""
    if isinstance(geometry, Hull):
        arrays = [geometry.vertices, geometry.triangles]
    elif isinstance(geometry, TriangleMesh):
        arrays = [geometry.vertices, geometry.triangles, np.array(geometry.double_sided)]
    elif isinstance(geometry, DistanceField):
        arrays = [geometry.mesh.vertices, geometry.mesh.triangles, geometry.distances, geometry.points.points]
    else:
        arrays = [geometry.heights, geometry.spacing]
    made = hashlib.sha256(type(geometry).__name__.encode())
    for array in arrays:
        made.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    return made.digest()


class GeometryTables:
    """Collects geometry, then writes it to a store. What is the same, number by number, is stored only once."""

    def __init__(self) -> None:
        self._parts: dict[Field, list[np.ndarray]] = {}
        self._count: dict[Table, int] = dict.fromkeys(_TABLES, 0)
        self._known: dict[bytes, GeometryRows] = {}

    def add(self, geometry: Geometry | None) -> GeometryRows:
        """Put geometry (:attr:`phalanx.models.meshes.cooking.Piece.geometry`) behind what is there already."""
        if geometry is None:
            return GeometryRows()
        key = _digest(geometry)
        if key not in self._known:
            if isinstance(geometry, Hull):
                self._known[key] = self._add_hull(geometry)
            elif isinstance(geometry, TriangleMesh):
                self._known[key] = self._add_mesh(geometry)
            elif isinstance(geometry, DistanceField):
                self._known[key] = self._add_distance_field(geometry)
            else:
                self._known[key] = self._add_height_field(geometry)
        return self._known[key]

    def write(self, store: Store) -> None:
        """Set the rows of the tables and all of their fields."""
        for table in _TABLES:
            store.set_rows(table, self._count[table])
        for field, parts in self._parts.items():
            dtype = np.dtype(np.int32) if field.dtype == "int32" else np.dtype(store.real)
            store.set(field, np.concatenate(parts)[..., None].astype(dtype))

    def _put(self, values: dict[Field, np.ndarray]) -> None:
        """Append rows to one table."""
        for field, rows in values.items():
            self._parts.setdefault(field, []).append(np.asarray(rows))
        field, rows = next(iter(values.items()))
        self._count[field.table] += len(rows)

    def _add_vertices(self, vertices: np.ndarray, first: np.ndarray, end: np.ndarray) -> None:
        self._put(
            {
                HullVertexPosition.position: vertices,
                MeshVertexNeighbours.first: first,
                MeshVertexNeighbours.end: end,
            }
        )

    def _add_hull(self, hull: Hull) -> GeometryRows:
        vertex, face, corner = (self._count[table] for table in (HullVertex, HullFace, HullCorner))
        none = np.zeros(len(hull.vertices), int)
        self._add_vertices(hull.vertices, none, none)
        ends = corner + np.cumsum([len(loop) for loop in hull.faces])
        self._put(
            {
                HullFacePlane.normal: hull.normals,
                HullFacePlane.offset: hull.offsets,
                HullFacePlane.first_corner: np.concatenate([[corner], ends[:-1]]),
                HullFacePlane.end_corner: ends,
            }
        )
        self._put({HullCornerVertex.vertex: np.concatenate(hull.faces) + vertex})
        return GeometryRows(vertex, self._count[HullVertex], face, self._count[HullFace])

    def _add_mesh(self, mesh: TriangleMesh) -> GeometryRows:
        vertex, triangle, node, neighbour = (
            self._count[table] for table in (HullVertex, MeshTriangle, MeshNode, MeshNeighbour)
        )
        first = mesh.first_neighbour + neighbour
        self._add_vertices(mesh.vertices, first[:-1], first[1:])
        self._put({MeshNeighbourVertex.vertex: mesh.neighbours + vertex})
        self._put(
            {
                MeshTriangleGeometry.vertex: mesh.triangles + vertex,
                MeshTriangleGeometry.across: np.where(mesh.across < 0, -1, mesh.across + vertex),
                MeshTriangleGeometry.normal: mesh.normals,
            }
        )
        self._add_tree(mesh.tree, triangle, node)
        return GeometryRows(
            vertex,
            self._count[HullVertex],
            triangle,
            self._count[MeshTriangle],
            root=node,
            double_sided=int(mesh.double_sided),
        )

    def _add_tree(self, tree: BoundingTree, items: int, nodes: int) -> None:
        """Nodes from row ``nodes`` on, whose items are rows from ``items`` on."""
        pad = 1e-6 * max(np.abs(tree.low[0]).max(), np.abs(tree.high[0]).max(), 1e-30)  # rounding must not shrink a box
        self._put(
            {
                MeshNodeBox.low: tree.low - pad,
                MeshNodeBox.high: tree.high + pad,
                MeshNodeBox.first: tree.first + np.where(tree.count > 0, items, nodes),
                MeshNodeBox.count: tree.count,
            }
        )

    def _add_distance_field(self, field: DistanceField) -> GeometryRows:
        mesh = self._add_mesh(field.mesh)
        sample, point, node = (self._count[table] for table in (DistanceSample, SurfacePoint, MeshNode))
        self._put({DistanceSampleValue.distance: field.distances.ravel()})
        self._put(
            {
                SurfacePointGeometry.position: field.points.points,
                SurfacePointGeometry.normal: field.points.normals,
                SurfacePointGeometry.limit: field.points.limits,
            }
        )
        self._add_tree(field.points.tree, point, node)
        nx, ny, nz = field.distances.shape
        x, y, z = field.corner.tolist()
        return replace(
            mesh,
            first_distance=sample,
            distances=(nx, ny, nz),
            point_root=node,
            corner=(x, y, z),
            cell=field.cell,
        )

    def _add_height_field(self, field: HeightField) -> GeometryRows:
        first = self._count[HeightSample]
        self._put({HeightSampleValue.height: field.heights.ravel()})
        columns, rows = field.heights.shape
        spacing = (float(field.spacing[0]), float(field.spacing[1]))
        return GeometryRows(first_sample=first, samples=(columns, rows), spacing=spacing)
