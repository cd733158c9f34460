"""Primitive shapes: what their entries say agrees with their triangles, whose mass and bounds are found otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from phalanx.components import shape as kinds
from phalanx.models.meshes.mass_properties import polyhedron
from phalanx.models.primitives import OF_KIND, PRIMITIVES

SIZES = (0.3, 0.5, 0.7)
ROUND = 0.006
"""Share of a round solid that sides leave out: with 40, 1 - sin(x) / x = 0.41 % for x = pi / 20; of a sphere more."""


@pytest.mark.parametrize("name", PRIMITIVES)
def test_entries_agree_with_triangles(name: str) -> None:
    each = PRIMITIVES[name]
    sizes = SIZES[: each.sizes]
    vertices, faces = each.triangles(*sizes)
    assert np.allclose(np.abs(vertices).max(axis=0), each.half(*sizes), rtol=1e-12)
    volume, centre, inertia = each.mass(*sizes)
    flat_volume, flat_centre, flat_inertia = polyhedron(vertices, faces)
    assert volume * (1.0 - 2.0 * ROUND) < flat_volume < volume * (1.0 + 1e-12)
    assert np.allclose(centre, flat_centre, atol=1e-3)
    assert np.allclose(inertia, flat_inertia, rtol=4.0 * ROUND, atol=1e-9)


@pytest.mark.parametrize("name", PRIMITIVES)
def test_lowest_points(name: str) -> None:
    """The lowest point is that of the triangles, but for what these leave out, and of ends and rims, exactly."""
    each = PRIMITIVES[name]
    sizes = SIZES[: each.sizes]
    vertices, _ = each.triangles(*sizes)
    places, radius = each.ends(*sizes)
    height, rim = each.rim(*sizes)
    rng = np.random.default_rng(4)
    for _ in range(50):
        up = rng.standard_normal(3)
        up /= np.linalg.norm(up)
        lowest = each.lowest(sizes, up, 2.0)
        assert -1e-12 < 2.0 + float((vertices @ up).min()) - lowest < ROUND
        found = [float(np.dot(place, up)) - radius for place in places]
        if each.rim_points:
            middles = (height, -height) if name == "cylinder" else (height,)
            found += [middle * up[2] - rim * np.hypot(up[0], up[1]) for middle in middles]
        assert lowest == pytest.approx(2.0 + min(found), abs=1e-12)


def test_kinds_are_those_that_kernels_compare() -> None:
    assert sorted(OF_KIND) == [kinds.SPHERE, kinds.CAPSULE, kinds.BOX, kinds.CYLINDER, kinds.CONE]
    points = [point for each in PRIMITIVES.values() for point in each.rim_points]
    assert sorted(points) == list(range(9)), "PointTopology.rim: each code belongs to one primitive"
