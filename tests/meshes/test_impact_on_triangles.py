"""Shapes that fly at triangle meshes and height fields: what meets a triangle is stopped, what passes all is not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from meshes.placements import Scene
from meshes.test_against_fcl import HEIGHTS, SPACING, of_fcl
from narrow.pairs import Motion
from narrow.references import FirstContact, fcl_mesh
from scipy.spatial.transform import Rotation

from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.models.robot_model import Shape

COUNT = 16
REACH = 5.0
MOVERS = {
    "sphere": (Shape("sphere", (0.05,)), 0.05),
    "capsule": (Shape("capsule", (0.02, 0.08)), 0.1),
    "foot": (Shape("box", (0.02, 0.02, 0.02)), 0.0347),
    "cylinder": (Shape("cylinder", (0.04, 0.05)), 0.0641),
}
BLOCK = np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.3, 0.3) for z in (-0.1, 0.1)])
SIDES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


def surface(kind: str) -> tuple[Shape, np.ndarray, np.ndarray]:
    """A closed block, or rough terrain as a mesh or as a height field; with its triangles."""
    vertices, faces = (BLOCK, SIDES) if kind == "block" else grid_triangles(HEIGHTS, SPACING)
    if kind == "height_field":
        return Shape("height_field", SPACING, heights=HEIGHTS), vertices, faces
    return Shape("mesh", vertices=vertices, faces=faces, approximation="triangle_mesh"), vertices, faces


@cache
def scene(mover: str, kind: str, device: str, real: str) -> Scene:
    return Scene(MOVERS[mover][0], surface(kind)[0], COUNT, device, real)


@pytest.mark.parametrize("real", ["float32", pytest.param("float64", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["block", "mesh", "height_field"])
@pytest.mark.parametrize("mover", MOVERS)
@settings(max_examples=3)
@example(seed=12, speed=0.2, spin=0.0)  # a capsule on rough ground: of many points, the one that it meets is kept
@given(seed=st.integers(0, 2**32 - 1), speed=st.sampled_from([0.02, 0.2, 1.0]), spin=st.sampled_from([0.0, 0.3]))
def test_what_meets_a_triangle_is_stopped_and_what_passes_all_is_not(
    mover: str, kind: str, real: str, device: str, seed: int, speed: float, spin: float
) -> None:
    """16 flights a case, from above, with the surface turned any way; ``spin`` is in radians a substep."""
    shape, radius = MOVERS[mover]
    _, vertices, faces = surface(kind)
    rng = np.random.default_rng(seed)
    world = Rotation.random(COUNT, rng).as_matrix()  # pyright: ignore[reportCallIssue]
    own = Rotation.random(COUNT, rng).as_matrix()  # pyright: ignore[reportCallIssue]
    place = np.column_stack([rng.uniform(-0.5, 0.5, (COUNT, 2)), rng.uniform(0.15, 0.4, COUNT)])
    way = rng.normal(size=(COUNT, 3)) * speed * [1.0, 1.0, 0.5] - [0.0, 0.0, 0.3 * speed]
    zero = np.zeros((COUNT, 3))
    turn = spin * rng.normal(size=(COUNT, 3))
    centre = 0.3 * radius * rng.normal(size=(COUNT, 3))
    motion = Motion(
        np.stack([turn, zero], 1), np.stack([centre, zero], 1), np.stack([np.einsum("nij,nj->ni", world, way), zero], 1)
    )
    turns, between = np.stack([world @ own, world], 1), -np.einsum("nij,nj->ni", world, place)
    found = scene(mover, kind, device, real).collide_moving(turns, between, motion, REACH)
    change = found.change(motion)
    acts = (found.held & (found.separation + change < 0.0)).any(axis=1)
    truth = FirstContact((of_fcl(shape), fcl_mesh(vertices, faces)), (radius, 1.5), turns, between, motion)
    slack = 3e-4 * radius + (2e-5 if real == "float32" else 2e-6)
    apart = np.array([truth.distance(i, 0.0) for i in range(COUNT)]) > 2.0 * slack
    times = truth.times(1e-6)
    meets = apart & np.isfinite(times)
    if kind != "block":  # surfaces have one side: a border may be brushed by what is behind it by then
        then = place + np.where(meets, times, 0.0)[:, None] * way
        meets &= (np.abs(then[:, :2]) < np.abs(vertices[:, :2]).max(axis=0)).all(axis=1)
    assert not (meets & ~acts).any(), "what meets must not be missed"
    assert not (apart & acts & np.isinf(truth.times(slack))).any(), "what passes must not be stopped"
