"""The triangles of a scene for the depth buffer: those of each geometry once, and which instances have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from phalanx.components.shape import HEIGHT_FIELD, MESH, PLANE
from phalanx.images.looks import Look
from phalanx.models.meshes.tessellate import corner_normals
from phalanx.models.primitives import OF_KIND
from phalanx.rays.geometry import RayGeometry
from phalanx.rays.packing import Packed

MOST = 3_000_000
"""Triangles of all instances, at most: 150 bytes each."""


@dataclass
class Surfaces:
    """What is drawn.

    Attributes:
        corners, normals: (faces, 9) float32 of three corners, in the frame of their geometry; normals are not 0.
        colors: (faces, 3) float32, linear, what a look's colour is multiplied with.
        rows: (instances,) int64: rows of the scene's frames.
        first, start, count: (instances,) int64: an instance's first triangle among all that are drawn, its geometry's
            first face, and how many it has.
        looks: (instances, 8) float32: colour, roughness, emission, metallic.
    """

    corners: np.ndarray
    normals: np.ndarray
    colors: np.ndarray
    rows: np.ndarray
    first: np.ndarray
    start: np.ndarray
    count: np.ndarray
    looks: np.ndarray

    @property
    def triangles(self) -> int:
        """Of all instances."""
        return int(self.count.sum())


def surfaces_of(packed: Packed, looks: Mapping[int, Look]) -> Surfaces | None:
    """The triangles of a scene's instances, planes left out; ``None`` where rays are needed: for what is transparent,
    has a texture, casts no shadow or is soft, and of more triangles than :data:`MOST`.
    """
    places: dict[int, tuple[int, int]] = {}
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    rows: list[int] = []
    found: list[tuple[int, int]] = []
    chosen: list[Look] = []
    faces = total = 0
    for row, instance in enumerate(packed.order):
        look, geometry = looks.get(instance.number), instance.geometry
        if geometry.kind == PLANE:
            continue
        if instance.soft is not None or look is None:
            return None
        if look.opacity == 0.0:
            continue
        if look.opacity < 1.0 or look.texture is not None or not look.shadow:
            return None
        if id(geometry) not in places:
            parts.append(_faces_of(geometry))
            places[id(geometry)] = faces, len(parts[-1][0])
            faces += len(parts[-1][0])
        rows.append(row)
        found.append(places[id(geometry)])
        chosen.append(look)
        total += found[-1][1]
        if total > MOST:
            return None
    if not rows:
        return None
    start, count = np.array(found, np.int64).T
    corners, normals, colors = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    numbers = [(*look.color, look.roughness, *look.emission, look.metallic) for look in chosen]
    return Surfaces(
        corners.reshape(-1, 9),
        normals.reshape(-1, 9),
        colors,
        np.array(rows, np.int64),
        np.cumsum(count) - count,
        np.ascontiguousarray(start),
        np.ascontiguousarray(count),
        np.array(numbers, np.float32),
    )


def _faces_of(geometry: RayGeometry) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corners (n, 3, 3), normals (n, 3, 3) and colours (n, 3) of a geometry's triangles, float32."""
    if geometry.kind == MESH:
        assert geometry.tree is not None
        corners, numbers = geometry.tree.triangles[:, :9].reshape(-1, 3, 3), geometry.tree.faces
        normals = None if geometry.normals is None else geometry.normals[numbers]
        colors = None if geometry.colors is None else geometry.colors[numbers]
    elif geometry.kind == HEIGHT_FIELD:
        corners, normals, colors = _field_corners(geometry), None, None
    else:
        each = OF_KIND[geometry.kind]
        vertices, faces = each.triangles(*geometry.size[: each.sizes])
        proper = np.linalg.norm(_crossed(vertices[faces]), axis=1) > 0.0  # those at poles have no area
        corners, normals, colors = vertices[faces][proper], corner_normals(vertices, faces[proper]), None
    corners = np.ascontiguousarray(corners, np.float32)
    flat = np.repeat(_crossed(corners)[:, None], 3, axis=1)
    if normals is not None:
        flat = np.where((normals != 0.0).any(axis=-1, keepdims=True), normals, flat)
    if colors is None:
        colors = np.ones((len(corners), 3))
    return corners, np.ascontiguousarray(flat, np.float32), np.ascontiguousarray(colors, np.float32)


def _crossed(corners: np.ndarray) -> np.ndarray:
    """(n, 3): normals of triangles (n, 3, 3), as long as twice their areas."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def _field_corners(geometry: RayGeometry) -> np.ndarray:
    """(n, 3, 3): two triangles a cell of a height field, cut along the diagonal as :mod:`phalanx.rays` has it."""
    assert geometry.samples is not None
    nx, ny = geometry.shape
    heights = geometry.samples[: nx * ny].reshape(nx, ny)
    x = (np.arange(nx) - 0.5 * (nx - 1)) * geometry.size[0]
    y = (np.arange(ny) - 0.5 * (ny - 1)) * geometry.size[1]
    points = np.stack([*np.meshgrid(x, y, indexing="ij"), heights], axis=-1)
    low, along, high, up = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    return np.concatenate(
        [np.stack(three, axis=2).reshape(-1, 3, 3) for three in ((low, along, high), (low, high, up))]
    )
