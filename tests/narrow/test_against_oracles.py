"""Signed distances and normals of convex pairs against MuJoCo and against a search over directions."""

from __future__ import annotations

import numpy as np
import pytest
from narrow.pairs import collide, place
from narrow.references import best_direction, has_mujoco, mujoco_distances, separation
from narrow.solids import PAIRS, SOLIDS

COUNT = 10_000
REACH = 10.0

OUTLIERS = {("capsule", "box"): 1, ("cylinder", "cylinder"): 2, ("cone", "hull"): 1}
"""Of 10,000 placements so many may be off by up to 1e-3 of the size; measured: by 1.2e-4, 3.8e-4 and 2.2e-4 of it.

Rounding decides whether cylinders have any: in float32 two on a GPU, none on a CPU.
"""


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize("real", ["float32", "float64"])
def test_distance_and_normal(first: str, second: str, real: str, device: str) -> None:
    a, b = SOLIDS[first], SOLIDS[second]
    size = a.radius + b.radius
    outliers = OUTLIERS.get((first, second), 0)
    turn_a, turn_b, between = place(a, b, COUNT, np.random.default_rng(5))
    found = collide(a, b, turn_a, turn_b, between, REACH, device, real)
    assert (found.count > 0).all()
    normals = found.normal_of_deepest
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-5)
    # Along any direction the shapes are at most as far apart as their signed distance: no direction may beat ours.
    beyond = np.abs(separation(a, b, turn_a, turn_b, between, normals) - found.deepest) / size
    assert (beyond > 1e-4).sum() <= outliers and beyond.max() < 1e-3
    few = slice(0, 1000)
    searched = best_direction(a, b, turn_a[few], turn_b[few], between[few])
    assert (searched - found.deepest[few]).max() < 1e-4 * size
    if has_mujoco(a) and has_mujoco(b) and (first, second) != ("capsule", "box"):  # of those it has no exact overlap
        distances, directions = mujoco_distances(a, b, turn_a, turn_b, between)
        below = (distances - found.deepest) / size  # what is below may be wrong, what is above is proven
        assert (below > 1e-4).sum() <= outliers and below.max() < 1e-3
        same = np.abs(found.deepest - distances) < 1e-4 * size
        assert same.mean() > 0.995
        across = np.linalg.norm(np.cross(normals, directions), axis=1)[same]
        assert (across < np.sin(np.radians(1.0))).mean() > 0.99


@pytest.mark.parametrize(("first", "second"), [p for p in PAIRS if set(p) & {"cylinder", "cone"} and p[0] != "sphere"])
@pytest.mark.parametrize(("real", "tolerance"), [("float32", 1e-4), ("float64", 1e-6)])
def test_round_shapes_about_the_same_centre(first: str, second: str, real: str, tolerance: float, device: str) -> None:
    """They overlap almost as much along all directions of a ring: no direction is better than the one found."""
    a, b = SOLIDS[first], SOLIDS[second]
    turn_a, turn_b, between = place(a, b, 2000, np.random.default_rng(2), 0.4)
    found = collide(a, b, turn_a, turn_b, between, REACH, device, real)
    searched = best_direction(a, b, turn_a, turn_b, between)
    assert (searched - found.deepest).max() < tolerance * (a.radius + b.radius)
