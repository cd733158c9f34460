"""Bodies that are so narrow that they would pass between the nodes of a soft body, which are what touches others."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from phalanx.io.formats.usd.deformables import DeformableModel
from phalanx.maths.arrays import rotate
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.robot_model import Body, Shape

BETWEEN = "can pass between its nodes"
"""What warnings of :func:`close` have in them."""

MOST_POINTS = 4000
"""Points that are made of a soft body's surface at most: each costs as much as a node."""


def close(deformable: DeformableModel, bodies: Iterable[Body], resolution: int) -> str:
    """Let a finer surface of a soft body touch others where rigid ones would pass between its nodes.

    A ball passes between three nodes if it is smaller than the circle through them. Of other bodies the middle one of
    the sides of their box counts: one that is thin in one direction only does not fit through. Triangles of the surface
    are split into four until no such body fits. What is simulated stays as it is.

    Args:
        deformable: which gets a collision mesh, unless it has one or needs none.
        bodies: all rigid ones.
        resolution: cells along the longest side, for messages.

    Returns:
        What users should know, or nothing.
    """
    mesh = deformable.mesh
    if not isinstance(mesh, TetMesh) or "collision" in deformable.arguments:
        return ""
    gap = _gap(mesh)
    width, name = min(((_half_width(body), body.name) for body in bodies), default=(math.inf, ""))
    if width >= gap:
        return ""
    splits = math.ceil(math.log2(1.5 * gap / width))  # for holes two thirds as wide as the body, at most
    points, faces = mesh.nodes, mesh.surface
    if len(faces) / 2 * 4**splits <= MOST_POINTS:  # a closed surface has half as many points as triangles
        for _ in range(splits):
            points, faces = _split(points, faces)
        used, renamed = np.unique(faces, return_inverse=True)
        before = len(np.unique(mesh.surface))
        deformable.arguments["collision"] = Shape("mesh", vertices=points[used], faces=renamed.reshape(-1, 3))
        return (
            f'bodies as narrow as "{name}", {2 * width:.2g} m, would pass between its nodes: {len(used)} points of its '
            f"surface touch others in place of {before} nodes; with simulationHexahedralResolution "
            f"{resolution * 2**splits} nodes would do."
        )
    enough = math.ceil(1.5 * resolution * gap / width)
    return (
        f'bodies as narrow as "{name}", {2 * width:.2g} m, {BETWEEN}, as these alone touch what is rigid and leave '
        f"holes of {2 * gap:.2g} m; raise simulationHexahedralResolution ({resolution}), to {enough} or so."
    )


def _split(points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Triangles (n, 3) of points, each split into four at the middles of its sides, which neighbours share."""
    sides = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    found, place = np.unique(sides, axis=0, return_inverse=True)
    middle = len(points) + place.reshape(-1, 3)
    a, b, c = faces.T
    ab, bc, ca = middle.T
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.concatenate([points, points[found].mean(axis=1)]), np.concatenate([np.stack(p, 1) for p in parts])


def _gap(mesh: TetMesh) -> float:
    """The median radius, m, of circles through the corners of triangles of the surface."""
    a, b, c = (mesh.nodes[mesh.surface[:, k]] for k in range(3))
    sides = [np.linalg.norm(end - start, axis=1) for start, end in ((a, b), (b, c), (c, a))]
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    return float(np.median(sides[0] * sides[1] * sides[2] / (4 * np.maximum(area, 1e-300))))


def _half_width(body: Body) -> float:
    """Half the middle side of the box about what collides, along the body's axes, m."""
    corners = [_corners(shape) for shape in body.collisions]
    if not corners or any(one is None for one in corners):
        return math.inf
    points = np.concatenate([one for one in corners if one is not None])
    return float(np.sort(points.max(axis=0) - points.min(axis=0))[1] / 2)


def _corners(shape: Shape) -> np.ndarray | None:
    """Corners of the box about a shape, in the body's frame; none of what has no end."""
    if shape.kind == "mesh":
        if shape.vertices is None or not len(shape.vertices):
            return None
        points = shape.vertices
    elif shape.kind in ("sphere", "capsule", "cylinder", "cone", "box"):
        half = {
            "sphere": lambda r: (r, r, r),
            "capsule": lambda r, h: (r, r, h + r),
            "cylinder": lambda r, h: (r, r, h),
            "cone": lambda r, h: (r, r, h),
            "box": lambda x, y, z: (x, y, z),
        }[shape.kind](*shape.size)
        points = np.array(half) * np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
    else:
        return None
    turn = np.broadcast_to(np.asarray(shape.orientation, float), (len(points), 4))
    return rotate(turn, points) + np.asarray(shape.position, float)
