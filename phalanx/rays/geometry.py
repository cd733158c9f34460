"""What a scene's instances are made of, collected on the host."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from phalanx.components.shape import BOX, CONE, HEIGHT_FIELD, MESH, PLANE
from phalanx.models.meshes.height_fields import height_field
from phalanx.models.primitives import OF_KIND, PRIMITIVES
from phalanx.rays.field_search import BLOCK
from phalanx.rays.mesh_tree import MeshTree, build_mesh_tree

KINDS = {name: (each.kind, each.sizes) for name, each in PRIMITIVES.items()} | {"plane": (PLANE, 0)}
"""Primitives: number of the kind, and how many sizes it has (as :class:`phalanx.Shape` has them)."""


@dataclass
class RayGeometry:
    """Something that rays can hit, in a frame of its own; made once, used by any number of instances.

    Attributes:
        kind: of :mod:`phalanx.components.shape`.
        size: 3 numbers: of a primitive its sizes, of a height field its spacing, of a mesh nothing.
        low, high: (3,) bounds.
        tree: of a mesh.
        samples, shape: of a height field: heights and bounds of blocks (:mod:`~.field_search`), and (nx, ny).
        uv, colors, normals: of a mesh's faces, for images: float32 (faces, 3, 2) and (faces, 3, 3) of the corners, and
            (faces, 3).
    """

    kind: int
    size: tuple[float, float, float]
    low: np.ndarray
    high: np.ndarray
    tree: MeshTree | None = None
    samples: np.ndarray | None = None
    shape: tuple[int, int] = (0, 0)
    uv: np.ndarray | None = None
    colors: np.ndarray | None = None
    normals: np.ndarray | None = None


def mesh_geometry(
    vertices: Any, faces: Any, keep_file: bool = False, *, uv: Any = None, colors: Any = None, normals: Any = None
) -> RayGeometry:
    """A triangle mesh.

    Args:
        vertices, faces, keep_file: see :func:`~.mesh_tree.build_mesh_tree`.
        uv: (faces, 3, 2): where the corners are in a texture; (0, 0) is its lower left, (1, 1) its upper right corner.
        colors: (faces, 3), linear, 0 to 1: what a look's colour is multiplied with.
        normals: (faces, 3, 3): of the corners, of any length, for surfaces that are to look smooth.

    Raises:
        ValueError: shapes do not fit, or numbers are not finite; and what building the tree raises.
    """
    tree = build_mesh_tree(vertices, faces, keep_file)
    count = len(faces)
    given = (("uv", uv, (count, 3, 2)), ("colors", colors, (count, 3)), ("normals", normals, (count, 3, 3)))
    arrays = {name: _of_faces(name, array, shape) for name, array, shape in given if array is not None}
    made = RayGeometry(MESH, (0.0, 0.0, 0.0), tree.box[:3], tree.box[3:], tree=tree)
    return replace(made, **arrays)


def _of_faces(name: str, given: Any, shape: tuple[int, ...]) -> np.ndarray:
    array = np.ascontiguousarray(given, np.float32)
    if array.shape != shape:
        raise ValueError(f"{name} of a mesh's faces has shape {array.shape}; {shape} is needed")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} of a mesh's faces: {int((~np.isfinite(array)).sum())} numbers are not finite")
    return array


def field_geometry(heights: Any, spacing: Any) -> RayGeometry:
    """A height field.

    Args:
        heights: (nx, ny), m, at least 2 x 2, finite; the grid's middle is the origin.
        spacing: (2,), m between heights along x and y, positive.

    Raises:
        ValueError: they are not.
    """
    made = height_field(np.asarray(heights, float), np.asarray(spacing, float))
    dx, dy = (float(s) for s in made.spacing)
    if not (dx > 0.0 and dy > 0.0 and np.isfinite(dx + dy)):
        raise ValueError(f"spacing ({dx}, {dy}) of a height field: two positive numbers are needed, m")
    nx, ny = made.heights.shape
    heights = made.heights.astype(np.float32)
    bounds = []
    for reduce_ in (np.minimum, np.maximum):
        cells = heights
        for axis in range(2):
            start = np.arange(0, cells.shape[axis] - 1, BLOCK)
            # A block's last heights are the first of the next one's, too.
            ends = np.minimum(start + BLOCK, cells.shape[axis] - 1)
            cells = reduce_(reduce_.reduceat(cells, start, axis=axis), np.take(cells, ends, axis=axis))
        bounds.append(cells)
    samples = np.concatenate([heights.ravel(), np.stack(bounds, axis=-1).ravel()])
    samples = np.concatenate([samples, np.zeros(-len(samples) % 4, np.float32)])
    return RayGeometry(HEIGHT_FIELD, (dx, dy, 0.0), made.low, made.high, samples=samples, shape=(nx, ny))


def primitive_geometry(kind: str, size: tuple[float, ...] = ()) -> RayGeometry:
    """A sphere, capsule, box, cylinder, cone or plane, with the sizes that :class:`phalanx.Shape` takes.

    Raises:
        ValueError: no such kind, or sizes that are not as many as it has, or not positive.
    """
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no primitive; there are {', '.join(KINDS)}")
    number, count = KINDS[kind]
    if len(size) != count or not all(np.isfinite(s) and s > 0.0 for s in size):
        raise ValueError(f"size {size} of a {kind}: {count} positive numbers are needed")
    x, y, z = (float(s) for s in (*size, 0.0, 0.0, 0.0)[:3])
    half = _half(number, x, y, z)
    return RayGeometry(number, (x, y, z), -half, half)


def _half(kind: int, x: float, y: float, z: float) -> np.ndarray:
    """Half lengths of the box about a primitive."""
    if kind == PLANE:
        return np.zeros(3)
    each = OF_KIND[kind]
    return np.array(each.half(*(x, y, z)[: each.sizes]))


def scaled(geometry: RayGeometry, scale: np.ndarray) -> tuple[RayGeometry, np.ndarray]:
    """Geometry of an instance, and the scale that is left for its frame.

    Raises:
        ValueError: the kind cannot be scaled so.
    """
    if not (np.isfinite(scale).all() and (scale != 0.0).all()):
        raise ValueError(f"scale {scale.tolist()}: three finite numbers other than 0 are needed")
    if geometry.kind in (MESH, HEIGHT_FIELD, PLANE):
        return geometry, scale
    x, y, z = geometry.size
    a, b, c = (abs(float(s)) for s in scale)
    round_ = geometry.kind in OF_KIND and OF_KIND[geometry.kind].turned
    if geometry.kind != BOX and (a != b or (b != c and not round_) or (geometry.kind == CONE and scale[2] < 0.0)):
        name = next(name for name, (number, _) in KINDS.items() if number == geometry.kind)
        raise ValueError(f"scale {scale.tolist()}: a {name} scaled so is none any more; give it as a mesh")
    size = (x * a, y * b, z * c) if geometry.kind == BOX else (x * a, y * c, z)
    half = _half(geometry.kind, *size)
    return RayGeometry(geometry.kind, size, -half, half), np.ones(3)
