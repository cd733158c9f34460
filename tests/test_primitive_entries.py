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
    outline, beyond = each.outline(sizes, 400)
    rng = np.random.default_rng(4)
    for _ in range(50):
        up = rng.standard_normal(3)
        up /= np.linalg.norm(up)
        lowest = each.lowest(sizes, up, 2.0)
        assert -1e-12 < 2.0 + float((vertices @ up).min()) - lowest < ROUND
        found = [float(np.dot(place, up)) - radius for place in places]
        found += [height * up[2] - rim * np.hypot(up[0], up[1]) for height, rim in each.rims(*sizes)]
        assert lowest == pytest.approx(2.0 + min(found), abs=1e-12)
        assert 2.0 + float((outline @ up).min()) - beyond == pytest.approx(lowest, abs=1e-4)


@pytest.mark.parametrize("name", [name for name, each in PRIMITIVES.items() if each.scale])
def test_scaled_units(name: str) -> None:
    each = PRIMITIVES[name]
    sizes = SIZES[: each.sizes]
    assert each.scale is not None
    unit, _ = each.triangles(*(1.0,) * each.sizes)
    assert np.allclose(unit * each.scale(*sizes), each.triangles(*sizes)[0], atol=1e-12)


def test_kinds_are_those_that_kernels_compare() -> None:
    assert sorted(OF_KIND) == [kinds.SPHERE, kinds.CAPSULE, kinds.BOX, kinds.CYLINDER, kinds.CONE]
    points = [point for each in PRIMITIVES.values() for point in each.rim_points]
    assert sorted(points) == list(range(9)), "PointTopology.rim: each code belongs to one primitive"


def test_what_kinds_have_in_common() -> None:
    """Of each kind by its number, and of arrays."""
    names = "sphere capsule box cylinder cone hull triangle sdf mesh height_field plane"
    every = [getattr(kinds, name.upper()) for name in names.split()]
    assert every == list(range(11))
    answers = {
        kinds.is_round: "sphere capsule",
        kinds.is_primitive: "sphere capsule box cylinder cone",
        kinds.is_convex: "sphere capsule box cylinder cone hull",
        kinds.is_surface: "mesh height_field plane",
    }
    for ask, yes in answers.items():
        assert [name for name in names.split() if ask(getattr(kinds, name.upper()))] == yes.split()
        assert np.flatnonzero(ask(np.array(every))).tolist() == [getattr(kinds, name.upper()) for name in yes.split()]
    assert {kind for kind in every if kinds.is_primitive(kind)} == set(OF_KIND)
