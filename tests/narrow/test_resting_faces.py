"""Faces that rest on each other: tiny gaps and overlaps, tiny tilts, as a stack has them in every substep."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from narrow.pairs import Solid, collide
from scipy.spatial.transform import Rotation

from phalanx.components.shape import BOX, CYLINDER, HULL

CUBE = np.array(list(itertools.product((-0.1, 0.1), repeat=3)))
RESTING = {
    "hull on hull": (Solid(HULL, vertices=CUBE), Solid(HULL, vertices=CUBE)),
    "hull on box": (Solid(BOX, (0.1, 0.1, 0.1)), Solid(HULL, vertices=CUBE)),
    "cylinder on box": (Solid(BOX, (0.1, 0.1, 0.1)), Solid(CYLINDER, (0.1, 0.1, 0.0))),
    "cylinder on cylinder": (Solid(CYLINDER, (0.1, 0.1, 0.0)), Solid(CYLINDER, (0.1, 0.1, 0.0))),
}


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("tilt", [0.0, 1e-7, 1e-5, 1e-4, 1e-3])
@pytest.mark.parametrize("name", RESTING)
def test_the_normal_is_that_of_the_faces(device: str, name: str, tilt: float, real: str) -> None:
    a, b = RESTING[name]
    rng = np.random.default_rng(5)
    count = 500
    turn_a = Rotation.from_rotvec(rng.normal(size=(count, 3)) * tilt).as_matrix()
    turn_b = Rotation.from_rotvec(rng.normal(size=(count, 3)) * tilt).as_matrix()
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
    assert (np.abs(found.separation - gap[:, None]) < slack)[used].all()
