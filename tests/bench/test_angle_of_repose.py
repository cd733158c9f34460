"""Heaps that stay when spheres run off both ends of a plate: how their slopes are taken, and what these are."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from oracles.plate_discharge import discharge

import phalanx as px

FILE = Path(px.__file__).resolve().parents[1] / "benchmarks" / "angle_of_repose.py"


@pytest.fixture(scope="module")
def repose() -> ModuleType:
    spec = importlib.util.spec_from_file_location("angle_of_repose", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["angle_of_repose"] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


def test_slopes_are_those_of_the_surface(repose: ModuleType) -> None:
    """Of a heap of spheres whose sides fall by 0.5 and 0.3 of the way; what has fallen off the plate does not count."""
    x, z = (a.ravel() for a in np.meshgrid(np.arange(-14.5, 15), 0.5 + np.arange(12), indexing="ij"))
    inside = z < np.where(x < 0, 9 + 0.5 * x, 9 - 0.3 * x)
    top = np.abs(np.concatenate([np.arange(-14.5, 0), np.arange(0.5, 15)]))
    edge = np.where(np.arange(30) < 15, 9 - 0.5 * top, 9 - 0.3 * top)
    surface = np.column_stack([np.concatenate([-top[:15], top[15:]]), np.zeros(30), edge])
    whole = np.concatenate([np.column_stack([x, 0 * x, z])[inside], surface, [[3.5, 0, -40.0]]])
    np.testing.assert_allclose(repose.slopes(repose.DIAMETER * whole), np.degrees(np.arctan([0.5, 0.3])), atol=1e-6)


def test_the_formula_is_that_of_the_authors(repose: ModuleType) -> None:
    """102 in place of 68.61 between walls four diameters apart."""
    narrow, wide = (repose.Case(w, 0.4, 0.6, 0.01, 1.0).published() for w in (4, 1000))
    assert narrow / wide == pytest.approx(102 / 68.61, rel=1e-3)
    assert wide == pytest.approx(68.61 * 0.4**0.27 * 0.6**0.22 * 0.05**0.18 * 10**-0.2)


@pytest.mark.slow
def test_discrete_elements_fall_off_the_plate_and_lie_on_it(repose: ModuleType) -> None:
    """One lies in the middle; one on top of another at the end of the plate leans on a gate until that is gone."""
    points = np.array([[0.0, 0.0, 0.005], [0.143, 0.0, 0.005], [0.145, 0.0, 0.0148]])
    for own in (False, True):
        held, _ = discharge(points, 0.005, 0.15, 0.2, 0.04, 0.4, 0.6, 0.02, 0.5, 0.0, own)
        np.testing.assert_allclose(held, points, atol=1e-4)
        pos, vel = discharge(points, 0.005, 0.15, 0.2, 0.04, 0.4, 0.6, 0.02, 0.5, 0.5, own)
        np.testing.assert_allclose(pos[0], points[0], atol=5e-6)
        assert pos[2, 2] < 0 and np.linalg.norm(vel[0]) < 1e-4


@pytest.mark.slow
def test_heaps_are_as_steep_as_published(repose: ModuleType) -> None:
    """About 2,100 spheres; from one start slopes differ by a few degrees, as they do in discrete elements."""
    case = repose.Case(4, 0.4, 0.6, 0.04, 2.5)
    points = repose.start(4, 0)
    pos, _ = repose.heap(case, points[None])
    ours = np.mean(repose.slopes(pos[0]))
    end, _ = discharge(points, 0.005, 0.15, 0.2, 0.04, 0.4, 0.6, 0.04, repose.FILLS, case.seconds)
    theirs = np.mean(repose.slopes(end))
    assert ours == pytest.approx(case.published(), abs=5.0)
    assert ours == pytest.approx(theirs, abs=5.0)
    assert 500 < (pos[0, :, 2] > 0).sum() < 900
