"""Thin, tiny, huge and coincident shapes: what is found stays true to the last digits that the float type has."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from narrow.pairs import Solid, box, capsule, collide, cone, cylinder, hull, place, sphere
from narrow.references import separation
from narrow.solids import PAIRS, SOLIDS

PLATE = hull(np.array(list(itertools.product((-0.3, 0.3), (-0.2, 0.2), (-5e-4, 5e-4)))))
SLIVER = hull(np.random.default_rng(0).normal(size=(24, 3)) * [0.3, 0.3, 3e-4])
SMALL = hull(0.1 * SOLIDS["hull"].vertices)
EXTREME = {
    "sliver on hull": (SOLIDS["hull"], SLIVER),
    "plate on plate": (PLATE, PLATE),
    "thin box on thin box": (box(0.3, 0.2, 5e-4), box(0.2, 0.3, 5e-4)),
    "needle on box": (capsule(1e-3, 0.4), box(0.3, 0.4, 0.5)),
    "disc on disc": (cylinder(0.3, 5e-4), cylinder(0.3, 5e-4)),
    "rod on cylinder": (cylinder(5e-4, 0.4), cylinder(0.3, 0.4)),
    "hull on a box 1000 times as large": (box(50.0, 40.0, 30.0), SMALL),
    "box on a hull 1000 times as large": (box(0.03, 0.05, 0.04), hull(1000.0 * SMALL.vertices)),
    "box on a box 1000 times as large": (box(50.0, 40.0, 30.0), box(0.03, 0.05, 0.04)),
    "ball on a box 1000 times as large": (sphere(0.03), box(50.0, 40.0, 30.0)),
    "cone on a box 1000 times as large": (box(50.0, 40.0, 30.0), cone(0.05, 0.05)),
    "capsule on a capsule 1000 times as large": (capsule(0.03, 0.05), capsule(30.0, 40.0)),
}


def touching(a: Solid, b: Solid, count: int) -> tuple[np.ndarray, ...]:
    """Rotations and vectors between shapes that about touch, by moving b towards a by the distance that is left."""
    turn_a, turn_b, way = place(a, b, count, np.random.default_rng(2))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    between = 1.01 * (a.radius + b.radius) * way
    for _ in range(10):
        left = collide(a, b, turn_a, turn_b, between, 1e4, "cpu", "float64").deepest
        between = between - 0.9 * np.maximum(left, 0.0)[:, None] * way
    return turn_a, turn_b, between, way


@pytest.mark.parametrize("name", EXTREME)
def test_thin_and_unlike_shapes(name: str, device: str) -> None:
    """A little apart and overlapping: never nearer than what is proven, the same in both float types."""
    a, b = EXTREME[name]
    turn_a, turn_b, between, way = touching(a, b, 1500)
    size = max(a.radius, b.radius)
    depth = np.random.default_rng(4).uniform(-2e-3, 1e-3, (1500, 1))
    between = (between + way * depth).astype(np.float32).astype(float)
    deepest = {}
    for real in ("float32", "float64"):
        found = collide(a, b, turn_a, turn_b, between, 1e4, device, real)
        deepest[real] = found.deepest
        assert (found.count > 0).all()
        proven = separation(a, b, turn_a, turn_b, between, found.normal_of_deepest)
        beyond = np.abs(proven - found.deepest) / size
        assert int((beyond > 1e-4).sum()) <= 2 and beyond.max() < 1e-2
        assert float(np.median(beyond)) < 1e-6
    assert float(np.abs(deepest["float32"] - deepest["float64"]).max()) < 1e-4 * size


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_coincident_centres(first: str, second: str, device: str) -> None:
    """Shapes about the same point, aligned and turned: a unit normal, and no way out that is shorter by much."""
    a, b = SOLIDS[first], SOLIDS[second]
    turn_a, turn_b, between = place(a, b, 300, np.random.default_rng(1), 0.0)
    turn_a[:100], turn_b[:100] = np.eye(3), np.eye(3)
    for real in ("float32", "float64"):
        found = collide(a, b, turn_a, turn_b, between, 1.0, device, real)
        assert (found.count > 0).all()
        normal = found.normal_of_deepest
        np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-5)
        proven = separation(a, b, turn_a, turn_b, between, normal)
        assert float(np.abs(proven - found.deepest).max()) < 1e-4 * (a.radius + b.radius)


@pytest.mark.parametrize("real", ["float32", "float64"])
def test_parallel_edges_that_cross_nearly(real: str, device: str) -> None:
    """Two boxes edge to edge, turned by 1e-8 to 1e-1 rad against each other: the gap is that of the edges."""
    a = b = box(0.1, 0.1, 0.1)
    count = 400
    angle = 10.0 ** np.random.default_rng(0).uniform(-8, -1, count)
    half = np.pi / 4
    on_edge = np.array([[1, 0, 0], [0, np.cos(half), -np.sin(half)], [0, np.sin(half), np.cos(half)]])
    turn_a = np.broadcast_to(on_edge, (count, 3, 3)).copy()
    zeros = np.zeros(count)
    yaw = np.stack([np.cos(angle), -np.sin(angle), zeros, np.sin(angle), np.cos(angle), zeros], 1).reshape(-1, 2, 3)
    turn_b = np.concatenate([yaw, np.tile([[[0.0, 0.0, 1.0]]], (count, 1, 1))], axis=1) @ on_edge
    gap = np.random.default_rng(1).uniform(1e-4, 0.01, count)
    between = np.column_stack([zeros, zeros, 0.2 * np.sqrt(2.0) + gap])
    found = collide(a, b, turn_a, turn_b, between, 1.0, device, real)
    np.testing.assert_allclose(found.deepest, gap, atol=4e-5)
    np.testing.assert_allclose(found.normal_of_deepest, np.broadcast_to([0.0, 0.0, -1.0], (count, 3)), atol=1e-2)
