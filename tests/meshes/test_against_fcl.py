"""Distances and normals at rough terrain against python-fcl, which knows it as loose triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from meshes.placements import Scene
from narrow.references import fcl_mesh
from oracles.needed import package
from scipy.spatial.transform import Rotation

from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.models.robot_model import Shape

if TYPE_CHECKING:
    import fcl  # pyright: ignore[reportMissingImports]
else:
    fcl = package("fcl", "python-fcl")

COUNT = 2000
REACH = 0.05
SPACING = (0.1, 0.12)
HEIGHTS = np.random.default_rng(1).uniform(-0.04, 0.04, (13, 17))
SHAPES = (
    Shape("sphere", (0.1,)),
    Shape("capsule", (0.06, 0.12)),
    Shape("box", (0.1, 0.06, 0.08)),
    Shape("cylinder", (0.08, 0.07)),
    Shape("cone", (0.08, 0.09)),
)
SIZE = 0.2


def of_fcl(shape: Shape) -> fcl.CollisionGeometry:
    """The same shape; fcl's lengths are whole ones."""
    size = shape.size
    if shape.kind == "sphere":
        return fcl.Sphere(size[0])
    if shape.kind == "box":
        return fcl.Box(*(2 * s for s in size))
    return {"capsule": fcl.Capsule, "cylinder": fcl.Cylinder, "cone": fcl.Cone}[shape.kind](size[0], 2 * size[1])


@pytest.mark.parametrize("terrain", ["mesh", "height_field"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.kind)
def test_distances_and_normals(shape: Shape, terrain: str, device: str) -> None:
    """2,000 placements, half of them overlapping, whose depth fcl does not know."""
    vertices, faces = grid_triangles(HEIGHTS, SPACING)
    ground = Shape("height_field", SPACING, heights=HEIGHTS)
    if terrain == "mesh":
        ground = Shape("mesh", vertices=vertices, faces=faces, approximation="triangle_mesh")
    rng = np.random.default_rng(2)
    turn = Rotation.random(COUNT, rng).as_matrix()  # pyright: ignore[reportCallIssue]
    world = Rotation.random(COUNT, rng).as_matrix()  # pyright: ignore[reportCallIssue]
    place = np.column_stack([rng.uniform(-0.5, 0.5, (COUNT, 2)), rng.uniform(0.02, 0.25, COUNT)])
    still = fcl.CollisionObject(fcl_mesh(vertices, faces), fcl.Transform())

    def distance(i: int, shift: np.ndarray, result: fcl.DistanceResult) -> float:
        moved = fcl.CollisionObject(of_fcl(shape), fcl.Transform(turn[i], place[i] + shift))
        return fcl.distance(moved, still, fcl.DistanceRequest(enable_nearest_points=True), result)

    expected = np.empty(COUNT)
    between = np.empty((COUNT, 3))
    for i in range(COUNT):
        result = fcl.DistanceResult()
        expected[i] = distance(i, np.zeros(3), result)
        if shape.kind == "sphere":  # whose nearest points fcl gives in another frame: how the distance changes
            between[i] = [distance(i, d, result) - distance(i, -d, result) for d in 1e-4 * np.eye(3)]
            continue
        one, other = (np.asarray(point) for point in result.nearest_points)
        between[i] = one - other
        if between[i] @ (place[i] - 0.5 * (one + other)) < 0:  # fcl gives the mesh's point first, whatever the order
            between[i] *= -1
    found = Scene(shape, ground, COUNT, device).collide(
        world @ turn, world, -np.einsum("nij,nj->ni", world, place), REACH
    )
    apart = (expected > 1e-4) & (expected < 0.99 * REACH)
    assert apart.sum() > 300 and (found.count[apart] > 0).all()
    assert (found.count[expected > 1.01 * REACH] == 0).all()
    error = np.abs(found.deepest - expected)[apart]
    # One of 400 is a cylinder that fcl has 0.16 mm too far away: a fine grid of points on the triangles says so.
    assert error.max() < 2e-4 and (error > 5e-5).mean() < 0.004 and (error > 1e-4 * SIZE).mean() < 0.01, error.max()
    overlap = expected < 0  # fcl has no depth for those; shapes whose origin is below the ground are not pushed out
    assert (found.count[overlap] > 0).mean() > 0.995 if overlap.any() else True
    assert (found.deepest[overlap & (found.count > 0)] < 1e-4).all()
    clear = apart & (expected > 5e-3)
    direction = between[clear] / np.linalg.norm(between[clear], axis=1)[:, None]
    nearest = np.where(found.held, found.separation, np.inf).argmin(axis=1)[clear]
    normal = found.normal[clear][np.arange(len(nearest)), nearest]
    cosine = np.einsum("ni,ni->n", np.einsum("nji,nj->ni", world[clear], normal), direction)
    assert (cosine < np.cos(np.radians(1.0))).mean() < 0.01, np.degrees(np.arccos(cosine.clip(-1, 1))).max()
