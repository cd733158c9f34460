"""Faces that rest on each other: tiny gaps and overlaps, tiny tilts, as a stack has them in every substep."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from narrow.pairs import Solid, box, capsule, collide, cone, cylinder
from scipy.spatial import ConvexHull, HalfspaceIntersection
from scipy.spatial.transform import Rotation

from phalanx.components.shape import HULL

CUBE = Solid(HULL, vertices=np.array(list(itertools.product((-0.1, 0.1), repeat=3))))
SIXTH = np.arange(6) * np.pi / 3
PRISM = Solid(HULL, vertices=np.array([(0.1 * np.cos(t), 0.1 * np.sin(t), z) for z in (-0.1, 0.1) for t in SIXTH]))
BOX, CYLINDER = box(0.1, 0.1, 0.1), cylinder(0.1, 0.1)
RESTING = {
    "box on box": (BOX, BOX),
    "hull on hull": (CUBE, CUBE),
    "hull on box": (BOX, CUBE),
    "prism on prism": (PRISM, PRISM),
    "cylinder on box": (BOX, CYLINDER),
    "hull on cylinder": (CYLINDER, CUBE),
    "cylinder on cylinder": (CYLINDER, CYLINDER),
    "cone on box": (BOX, cone(0.1, 0.1)),
}


def tilted(rng: np.random.Generator, count: int, tilt: float, yaw: np.ndarray | float = 0.0) -> np.ndarray:
    """Rotations (n, 3, 3) about z by ``yaw``, then by vectors of about ``tilt`` rad."""
    turn = Rotation.from_rotvec(np.multiply.outer(np.broadcast_to(yaw, count), [0.0, 0.0, 1.0]))
    return (Rotation.from_rotvec(rng.normal(size=(count, 3)) * tilt) * turn).as_matrix()


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("name", RESTING)
def test_the_normal_is_that_of_the_faces(device: str, name: str, real: str) -> None:
    a, b = RESTING[name]
    rng = np.random.default_rng(5)
    count = 2500
    tilt = np.repeat([0.0, 1e-7, 1e-5, 1e-4, 1e-3], count // 5)
    turn_a = np.concatenate([tilted(rng, 500, t) for t in tilt[::500]])
    turn_b = np.concatenate([tilted(rng, 500, t) for t in tilt[::500]])
    gap = rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-8, -4, count)
    aside = rng.uniform(-0.02, 0.02, (count, 2)) * (rng.random((count, 1)) < 0.7)
    between = np.column_stack([aside, 0.2 + gap])
    found = collide(a, b, turn_a, turn_b, between, 0.04, device, real)
    used = np.arange(found.separation.shape[1]) < found.count[:, None]
    assert (found.count >= 3).all(), "a face rests on at least three points"
    # b is above a, so the normal, from b to a, points down.
    wrong = used & (found.normal[..., 2] > -0.99)
    assert not wrong.any(), f"{wrong.any(axis=1).sum()} of {count} have another normal, e.g. {found.normal[wrong][0]}"
    slack = 10 * tilt * 0.3 + 2e-6
    assert (np.abs(found.separation - gap[:, None]) < slack[:, None])[used].all()


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("name", RESTING)
def test_points_stay_as_they_are_from_step_to_step(device: str, name: str, real: str) -> None:
    """Jitter of 1e-5 rad and 1e-5 m: the same four points in the same order, a face's normal, exact separations."""
    a, b = RESTING[name]
    rng = np.random.default_rng(3)
    for yaw, aside in ((0.0, 0.0), (0.3, 0.02), (0.1, 0.05)):
        count = 400
        turn_a, turn_b = tilted(rng, count, 1e-5), tilted(rng, count, 1e-5, yaw)
        shift = np.column_stack([rng.normal(size=(count, 2)), rng.uniform(-1.0, 1.0, count)]) * 1e-5
        between = [aside, 0.5 * aside, 0.2] + shift
        found = collide(a, b, turn_a, turn_b, between, 0.02, device, real)
        assert (found.count == 4).all()
        moved = np.abs(found.position - np.median(found.position, axis=0)).max(axis=(1, 2))
        kept = float((moved < 5e-4).mean())
        assert kept == 1.0 if a.kind == b.kind == BOX.kind else kept > 0.99, "of round ends two corners can be as good"
        of_a = np.linalg.norm(found.normal + turn_a[:, None, :, 2], axis=2).max(axis=1)
        of_b = np.linalg.norm(found.normal + turn_b[:, None, :, 2], axis=2).max(axis=1)
        assert np.minimum(of_a, of_b).max() < 1e-7
        assert ((of_a < 1e-7).mean() if name == "box on box" else (of_b < 1e-7).mean()) > 0.98, "mostly the same face"
        # along the normal, the planes of the two faces: through points 0.1 m up and down the axes
        up, down = turn_a[:, :, 2], turn_b[:, :, 2]
        n = found.normal
        of_top = np.einsum("npk,nk->np", 0.1 * up[:, None] - found.position, up) / np.einsum("npk,nk->np", n, up)
        low = between[:, None] - 0.1 * down[:, None] - found.position
        of_bottom = np.einsum("npk,nk->np", low, down) / np.einsum("npk,nk->np", n, down)
        exact = of_top - of_bottom
        assert np.abs(found.separation - exact).max() < 0.2 * (1e-6 if real == "float32" else 1e-9)


def polygon(shape: Solid, end: float) -> np.ndarray:
    """Half planes (m, 3) of a shape's face at z = end: a x + b y + c <= 0."""
    if shape.kind == HULL:
        at = shape.vertices[np.abs(shape.vertices[:, 2] - end) < 1e-9][:, :2]
    elif shape.kind == BOX.kind:
        at = np.array(list(itertools.product((-shape.size[0], shape.size[0]), (-shape.size[1], shape.size[1]))))
    else:
        t = np.linspace(0, 2 * np.pi, 90)
        at = shape.size[0] * np.column_stack([np.cos(t), np.sin(t)])
    return ConvexHull(at).equations


def centroid(corners: np.ndarray) -> np.ndarray:
    """Centre of area (2,) of a polygon (n, 2)."""
    following = np.roll(corners, -1, axis=0)
    doubled = corners[:, 0] * following[:, 1] - corners[:, 1] * following[:, 0]
    return doubled @ (corners + following) / (3.0 * doubled.sum())


@pytest.mark.parametrize("name", RESTING)
def test_points_span_the_patch(device: str, name: str) -> None:
    """The points cover most of the area that the faces share, about its middle."""
    a, b = RESTING[name]
    rng = np.random.default_rng(8)
    count = 40
    yaw, aside = rng.uniform(-np.pi, np.pi, count), rng.uniform(-0.08, 0.08, (count, 2))
    turn_a, turn_b = tilted(rng, count, 1e-6), tilted(rng, count, 1e-6, yaw)
    between = np.column_stack([aside, np.full(count, 0.2 - 1e-5)])
    found = collide(a, b, turn_a, turn_b, between, 0.02, device)
    top, bottom = polygon(a, 0.1), polygon(b, -0.1)
    for i in range(count):
        turned = bottom[:, :2] @ turn_b[i][:2, :2].T
        moved = np.column_stack([turned, bottom[:, 2] - turned @ aside[i]])
        shared = ConvexHull(HalfspaceIntersection(np.vstack([top, moved]), 0.5 * aside[i]).intersections)
        spanned = ConvexHull(found.position[i, : found.count[i], :2])
        assert spanned.volume > 0.55 * shared.volume, f"{name} at {np.degrees(yaw[i])} degrees, {aside[i]} m aside"
        middle = centroid(shared.points[shared.vertices])
        assert (spanned.equations[:, :2] @ middle + spanned.equations[:, 2]).max() < 0.0


@pytest.mark.parametrize("kind", ["capsule on box", "capsule on capsule", "capsule on hull", "cylinder lies on box"])
@pytest.mark.parametrize("real", ["float32", "float64"])
def test_lying_round_shapes_touch_at_both_ends(device: str, kind: str, real: str) -> None:
    """A lying capsule or cylinder: two points at the ends of what it has in common with the other shape."""
    count = 200
    rng = np.random.default_rng(2)
    lying = Rotation.from_euler("y", 90, degrees=True).as_matrix()
    turn = tilted(rng, count, 1e-5) @ lying
    flat = tilted(rng, count, 1e-5)
    long, short = capsule(0.05, 0.3), capsule(0.05, 0.1)
    gap = rng.uniform(-1e-5, 1e-5, count)
    up = np.multiply.outer(gap, [0.0, 0.0, 1.0])
    if kind == "capsule on capsule":
        found, half = collide(long, short, turn, turn, up + [0.05, 0.0, 0.1], 0.01, device, real), 0.1
    elif kind == "cylinder lies on box":
        found, half = collide(BOX, cylinder(0.05, 0.06), flat, turn, up + [0.0, 0.0, 0.15], 0.01, device, real), 0.06
    else:
        other = BOX if kind == "capsule on box" else CUBE
        found, half = collide(long, other, turn, flat, -up - [0.0, 0.0, 0.15], 0.01, device, real), 0.1
    assert (found.count == 2).all()
    points = found.position[:, :2]
    np.testing.assert_allclose(np.linalg.norm(points[:, 1] - points[:, 0], axis=1), 2.0 * half, atol=1e-4)
    assert np.ptp(points, axis=0).max() < 1e-3
    np.testing.assert_allclose(np.abs(found.normal[:, :2, 2]), 1.0, atol=1e-6)
    np.testing.assert_allclose(found.separation[:, :2], np.broadcast_to(gap[:, None], (count, 2)), atol=2e-5)
