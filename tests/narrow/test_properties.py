"""What must hold for every pair at every placement: symmetry, rigid motion, continuity, points on the surfaces."""

from __future__ import annotations

import numpy as np
import pytest
from narrow.pairs import POINTS, Contacts, Solid, collide, place, random_turns
from narrow.solids import PAIRS, SOLIDS
from scipy.spatial.transform import Rotation

from phalanx.components.shape import BOX, CAPSULE, CONE, CYLINDER, HULL, SPHERE

REALS = pytest.mark.parametrize("real", ["float32", pytest.param("float64", marks=pytest.mark.slow)])
COUNT = 1000
REACH = 0.1


def outside(shape: Solid, points: np.ndarray) -> np.ndarray:
    """How far points (..., 3), in the shape's frame, are outside of its surfaces; 0 on them, negative inside."""
    x, y, z = np.moveaxis(points, -1, 0)
    across, s = np.hypot(x, y), shape.size
    if shape.kind == SPHERE:
        return np.linalg.norm(points, axis=-1) - s[0]
    if shape.kind == CAPSULE:
        return np.hypot(across, z - np.clip(z, -s[1], s[1])) - s[0]
    if shape.kind == BOX:
        return np.max(np.abs(points) - np.array(s), axis=-1)
    if shape.kind == CYLINDER:
        return np.maximum(across - s[0], np.abs(z) - s[1])
    if shape.kind == CONE:
        wall = (across * 2.0 * s[1] + (z - s[1]) * s[0]) / np.hypot(2.0 * s[1], s[0])
        return np.maximum(wall, -s[1] - z)
    return np.max([points @ n - d for n, d, _ in shape.faces()], axis=0)


def used(found: Contacts) -> np.ndarray:
    """Which of the points (n, 4) there are."""
    return np.arange(POINTS) < found.count[:, None]


def gap(one: Contacts, other: Contacts) -> np.ndarray:
    """Difference of signed distances; 0 where both are out of reach."""
    both = np.isfinite(one.deepest) & np.isfinite(other.deepest)
    return np.where(both, one.deepest, 0.0) - np.where(both, other.deepest, 0.0)


@pytest.mark.parametrize(("first", "second"), PAIRS)
@REALS
def test_points_lie_on_both_surfaces(first: str, second: str, real: str, device: str) -> None:
    """Half the separation along the normal from a contact point is the surface of either shape, however they lie."""
    a, b = SOLIDS[first], SOLIDS[second]
    size = a.radius + b.radius
    turn_a, turn_b, between = place(a, b, COUNT, np.random.default_rng(3))
    found = collide(a, b, turn_a, turn_b, between, REACH, device, real)
    held = used(found)
    assert held.any(axis=1).mean() > 0.3
    assert (found.separation[held] <= REACH).all()
    half = 0.5 * found.separation[..., None] * found.normal
    on_a = np.einsum("nji,npj->npi", turn_a, found.position + half)
    on_b = np.einsum("nji,npj->npi", turn_b, found.position - half - between[:, None])
    for shape, points in ((a, on_a), (b, on_b)):
        away = outside(shape, points)[held] / size
        inside, outer, off = float(away.min()), float(away.max()), float((away > 1e-4).mean())
        # the far end of a capsule that lies askew, seen along the normal of the near one
        assert inside > (-0.02 if CAPSULE in (a.kind, b.kind) else -5e-5)
        # lines on the sides of round shapes that cross at a small angle
        assert outer < 1e-2
        assert off < 0.02


@pytest.mark.parametrize(("first", "second"), [("cylinder", "cylinder"), ("cylinder", "cone"), ("cone", "cone")])
@REALS
def test_single_points_lie_on_b(first: str, second: str, real: str, device: str) -> None:
    """Of deep overlaps, too, where the distance hardly depends on the direction: in float32 up to 1.7 % were off."""
    a, b = SOLIDS[first], SOLIDS[second]
    turn_a, turn_b, between = place(a, b, 10 * COUNT, np.random.default_rng(5))
    found = collide(a, b, turn_a, turn_b, between, REACH, device, real)
    alone = found.count == 1
    on_b = found.position[:, 0] - 0.5 * found.separation[:, :1] * found.normal[:, 0] - between
    away = outside(b, np.einsum("nji,nj->ni", turn_b, on_b))[alone] / (a.radius + b.radius)
    assert alone.mean() > 0.3
    assert float((away > 1e-4).mean()) < 0.007


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_moving_both_moves_the_contacts(first: str, second: str, device: str) -> None:
    """The same relative pose, turned by random rotations: same count, separations, and points in the same order."""
    a, b = SOLIDS[first], SOLIDS[second]
    turn_a, turn_b, between = place(a, b, COUNT, np.random.default_rng(9), 0.9)
    turns = random_turns(COUNT, np.random.default_rng(10))
    one = collide(a, b, turn_a, turn_b, between, REACH, device, "float64")
    moved = collide(
        a, b, turns @ turn_a, turns @ turn_b, np.einsum("nij,nj->ni", turns, between), REACH, device, "float64"
    )
    assert np.abs(gap(one, moved)).max() < 1e-6 * (a.radius + b.radius)
    same = one.count == moved.count
    assert float(same.mean()) > 0.997
    held = used(one) & same[:, None]
    turned = np.einsum("nij,npj->npi", turns, one.position)
    off = np.where(held, np.linalg.norm(turned - moved.position, axis=2), 0.0).max(axis=1)
    assert float((off < 1e-4).mean()) > 0.997


@pytest.mark.parametrize("kind", SOLIDS)
def test_swapping_the_shapes_turns_the_normal_round(kind: str, device: str) -> None:
    """Two of a kind, of different sizes: separation, normal and deepest point do not depend on which is first."""
    a = SOLIDS[kind]
    b = Solid(a.kind, tuple(0.7 * s for s in a.size), 0.7 * a.vertices)
    turn_a, turn_b, between = place(a, b, COUNT, np.random.default_rng(4), 0.9)
    one = collide(a, b, turn_a, turn_b, between, REACH, device, "float64")
    other = collide(b, a, turn_b, turn_a, -between, REACH, device, "float64")
    size = a.radius + b.radius
    assert np.abs(gap(one, other)).max() < 3e-5 * size
    met = (one.count > 0) & (other.count > 0)
    sum_of_normals = np.linalg.norm(one.normal_of_deepest + other.normal_of_deepest, axis=1)[met]
    assert float((sum_of_normals < 1e-2).mean()) > 0.995


@pytest.mark.parametrize(("first", "second"), PAIRS)
@REALS
def test_a_small_motion_changes_the_distance_little(first: str, second: str, real: str, device: str) -> None:
    """No more than the farthest point of either shape moves."""
    a, b = SOLIDS[first], SOLIDS[second]
    rng = np.random.default_rng(6)
    size = a.radius + b.radius
    turn_a, turn_b, between = place(a, b, COUNT, rng, 0.9)
    one = collide(a, b, turn_a, turn_b, between, 10.0, device, real)
    step = 10.0 ** rng.uniform(-6, -3, (COUNT, 1))
    move, spin = (rng.normal(size=(COUNT, 3)) * step for _ in range(2))
    other = collide(a, b, turn_a, Rotation.from_rotvec(spin).as_matrix() @ turn_b, between + move, 10.0, device, real)
    allowed = np.linalg.norm(move, axis=1) + b.radius * np.linalg.norm(spin, axis=1)
    assert (np.abs(one.deepest - other.deepest) - allowed).max() < 1e-4 * size


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_same_input_gives_the_same_bits(first: str, second: str, device: str) -> None:
    a, b = SOLIDS[first], SOLIDS[second]
    turn_a, turn_b, between = place(a, b, 200, np.random.default_rng(8), 0.9)
    one = collide(a, b, turn_a, turn_b, between, REACH, device)
    again = collide(a, b, turn_a[::-1], turn_b[::-1], between[::-1], REACH, device)
    for name in ("count", "position", "normal", "separation"):
        x, y = getattr(one, name), getattr(again, name)[::-1]
        held = used(one) if x.ndim > 1 else slice(None)
        np.testing.assert_array_equal(x[held], y[held])


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_not_a_number_gives_no_contact(first: str, second: str, device: str) -> None:
    """A pose that is lost (NaN) makes no contact, and does not hang or write where it must not."""
    a, b = SOLIDS[first], SOLIDS[second]
    turn_a, turn_b, between = place(a, b, 24, np.random.default_rng(8), 0.5)
    whole = collide(a, b, turn_a, turn_b, between, REACH, device)
    between[::3, 1] = np.nan
    turn_b[1::3] = np.nan
    found = collide(a, b, turn_a, turn_b, between, REACH, device)
    np.testing.assert_array_equal(found.count[2::3], whole.count[2::3])
    np.testing.assert_array_equal(found.separation[2::3], whole.separation[2::3])
    assert (found.count[::3] == 0).all()
    if b.kind != SPHERE and {a.kind, b.kind} != {HULL}:  # whose turn matters
        assert (found.count[1::3] == 0).all()
