"""Meshes of a stage as triangles."""

from __future__ import annotations

import numpy as np

from phalanx.io.formats.usd.bindings import Prim
from phalanx.io.formats.usd.values import Reading
from phalanx.models.meshes.mesh_files import merge


def triangles(reading: Reading, prim: Prim, transform: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3), transformed, and faces (m, 3), counter-clockwise seen from outside, of a mesh's cage.

    Subdivision is for looks and not applied; polygons become fans; holes are left out. Vertices at exactly the same
    place are one, those of no face are left out.
    """
    return merge(*fans(reading, prim, transform))


def fans(reading: Reading, prim: Prim, transform: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same with all points of the mesh, in its order."""
    points = np.array(reading.value(prim, "points") or [], float).reshape(-1, 3)
    counts = np.array(reading.value(prim, "faceVertexCounts") or [], np.int64)
    corners = np.array(reading.value(prim, "faceVertexIndices") or [], np.int64)
    if not len(points) or not len(counts):
        raise reading.error(prim, "the mesh has no points or faces; fill it, or remove it.")
    if not np.isfinite(points).all():
        raise reading.error(prim, "the mesh has points that are not finite; export it again.")
    if (counts < 0).any():
        raise reading.error(prim, f"faceVertexCounts has {counts.min()}; no face has fewer than no corners.")
    if counts.sum() != len(corners):
        raise reading.error(prim, f"faceVertexCounts add up to {counts.sum()}, but there are {len(corners)} indices.")
    if len(corners) and (corners.min() < 0 or corners.max() >= len(points)):
        raise reading.error(prim, f"faceVertexIndices must be from 0 to {len(points) - 1}.")
    holes = np.array(reading.value(prim, "holeIndices") or [], np.int64)
    faces = _fans(counts, corners, holes[(holes >= 0) & (holes < len(counts))])
    if not len(faces):
        raise reading.error(prim, "the mesh has no faces of three corners; fill it, or remove it.")
    return points @ transform[:3, :3].T + transform[:3, 3], _outward(reading, prim, transform, faces)


def fan_corners(reading: Reading, prim: Prim, transform: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the corners of the faces of :func:`triangles` numbers of points, and of corners of the mesh's polygons, (m, 3)
    each; of a mesh that these have read.
    """
    counts, corners = (
        np.array(reading.value(prim, name), np.int64) for name in ("faceVertexCounts", "faceVertexIndices")
    )
    holes = np.array(reading.value(prim, "holeIndices") or [], np.int64)
    numbers = _fans(counts, np.arange(len(corners)), holes[(holes >= 0) & (holes < len(counts))])
    numbers = _outward(reading, prim, transform, numbers)
    return corners[numbers], numbers


def _outward(reading: Reading, prim: Prim, transform: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Faces in the order of corners that is counter-clockwise once they are transformed."""
    mirrored = np.linalg.det(transform[:3, :3]) < 0.0
    left = reading.token(prim, "orientation", "rightHanded", ("rightHanded", "leftHanded")) == "leftHanded"
    return faces[:, ::-1] if mirrored != left else faces


def _fans(counts: np.ndarray, corners: np.ndarray, holes: np.ndarray) -> np.ndarray:
    """(m, 3): each polygon as triangles about its first corner."""
    first = np.cumsum(counts) - counts
    amount = np.maximum(counts - 2, 0)
    amount[holes] = 0
    face = np.repeat(np.arange(len(counts)), amount)
    step = np.arange(amount.sum()) - np.repeat(np.cumsum(amount) - amount, amount)
    start = first[face]
    return np.stack([corners[start], corners[start + step + 1], corners[start + step + 2]], axis=1)
