"""Tensor views of contacts: weights, friction, filters, and the layouts of lists of contacts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from facade.physx_scenes import DT, G, floats

import phalanx as px
from phalanx.facade.physx import RigidBodyView, RigidContactView

MASS, UPPER = 2.0, 1.0
SETTLED = 300
PUSH = 3.0


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    """A box on another on the ground; one beside them is pushed and held by friction; a ball falls."""
    world = px.World(7, device, dt=DT)
    world.add_ground()
    cube = px.Shape("box", (0.1, 0.1, 0.1))
    world.add_rigid_object(cube, "lower", mass=MASS, position=(0, 0, 0.1))
    world.add_rigid_object(cube, "upper", mass=UPPER, position=(0, 0, 0.3))
    world.add_rigid_object(cube, "pushed", mass=MASS, position=(0, 2, 0.1))
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball", mass=1.0, position=(0, -2, 50))
    world.objects["pushed"].set_external_wrench(force=[PUSH, 0, 0])
    world.step(SETTLED)
    return world


def test_weights(world: px.World, api: str) -> None:
    """Net forces are normal ones: m g of what rests, zero of what falls; with dt 1 impulses."""
    n = world.num_envs
    members = [(name, env) for env in range(n) for name in ("lower", "upper", "pushed", "ball")]
    view = RigidContactView(world, members)
    assert (view.sensor_count, view.filter_count) == (4 * n, 0)
    expected = np.zeros((n, 4, 3))
    expected[..., 2] = np.array([MASS, UPPER, MASS, 0.0]) * G
    found = floats(view.get_net_contact_forces(DT))
    np.testing.assert_allclose(found.reshape(n, 4, 3), expected, atol=2e-3 * MASS * G)
    np.testing.assert_allclose(floats(view.get_net_contact_forces()), found * DT, rtol=1e-6)
    assert tuple(view.get_contact_force_matrix(DT).shape) == (4 * n, 0, 3)
    with pytest.raises(NotImplementedError, match="get_raw_contact_data"):
        view.get_raw_contact_data()


@pytest.mark.parametrize("order", ["by column", "by environment", "listed"])
def test_pairs(world: px.World, api: str, order: str) -> None:
    """A box is held up by the ground and pressed by the one on it; lists of contacts sum up to that."""
    n = world.num_envs
    names = ["upper", "lower"]
    members: list[Any] = [(name, None) for name in names]
    if order == "by environment":
        members = [(name, env) for env in range(n) for name in names]
    elif order == "listed":
        members = [("lower", n - 1), *((("upper", env)) for env in range(n))]
    origins = np.random.default_rng(0).uniform(-9, 9, (n, 3))
    view = RigidContactView(world, members, ["ground", "upper", ["lower", "pushed"]], origins=origins)
    of = {"upper": [0.0, 0.0, UPPER], "lower": [MASS + UPPER, -UPPER, 0.0]}
    rows = [view._rows.keys[c][0].name for c in view._rows.column]
    expected = np.zeros((view.count, 3, 3))
    expected[..., 2] = np.array([of[name] for name in rows]) * G
    tolerance = 3e-3 * (MASS + UPPER) * G
    np.testing.assert_allclose(floats(view.get_contact_force_matrix(DT)), expected, atol=tolerance)
    forces, points, normals, distances, counts, starts = map(floats, view.get_contact_data(DT))
    assert forces.shape == distances.shape == (view.max_contact_data_count, 1)
    assert points.shape == normals.shape == (len(forces), 3) and counts.shape == starts.shape == (view.count, 3)
    poses = floats(RigidBodyView(world, members, origins=origins).get_transforms())
    for row in range(view.count):
        for column in range(3):
            first = int(starts[row, column])
            mine = slice(first, first + int(counts[row, column]))
            np.testing.assert_allclose(
                (forces[mine] * normals[mine]).sum(axis=0), expected[row, column], atol=tolerance
            )
            if expected[row, column].any():
                assert counts[row, column] == 4 and np.abs(distances[mine]).max() < 1e-3
                side = np.sign(expected[row, column, 2])
                np.testing.assert_allclose(points[mine, 2], poses[row, 2] - 0.1 * side, atol=2e-3)
                np.testing.assert_allclose(points[mine, :2].mean(axis=0), poses[row, :2], atol=2e-3)
            else:
                assert counts[row, column] == 0


def test_friction(world: px.World, api: str) -> None:
    """Friction holds against the push, at the points of contact."""
    n = world.num_envs
    view = RigidContactView(world, "pushed", ["ground/0"], max_contact_data_count=8 * n)
    forces, points, counts, starts = map(floats, view.get_friction_data(DT))
    assert view.max_contact_data_count == len(forces) == len(points) == 8 * n
    for env in range(n):
        mine = slice(int(starts[env, 0]), int(starts[env, 0] + counts[env, 0]))
        np.testing.assert_allclose(forces[mine].sum(axis=0), [-PUSH, 0, 0], atol=0.02 * PUSH)
    assert view.sensor_paths[0].startswith("/World/envs/env_0/pushed")


def test_filters_of_each_sensor(world: px.World, api: str) -> None:
    """Clones in one environment: each sensor has a filter of its own."""
    view = RigidContactView(world, [("upper", 0), ("lower", 0)], [("each", ["lower", "ground"])])
    found = floats(view.get_contact_force_matrix(DT))
    np.testing.assert_allclose(found[:, 0, 2], [UPPER * G, (MASS + UPPER) * G], rtol=5e-3)
    with pytest.raises(ValueError, match="1 bodies for 2 sensors"):
        RigidContactView(world, [("upper", 0), ("lower", 0)], [("each", ["lower"])])
    with pytest.raises(ValueError, match="no actor 'lamp'"):
        RigidContactView(world, "lamp")
