"""Soft bodies touch each other, cloth and themselves: nothing crosses, momentum is kept, the same bits in any batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from deformable.scenes import crossings, cube, world
from oracles import host

import phalanx as px

TOUCH = 2e-3


def momenta(made: px.World) -> np.ndarray:
    """(6,): linear and angular momentum about the origin of all deformable bodies of the first environment."""
    total = np.zeros(6)
    for body in made.all_deformables.values():
        mass, pos, vel = (host(each)[0].astype(float) for each in (body.node_mass, body.node_pos, body.node_vel))
        total[:3] += (mass[:, None] * vel).sum(axis=0)
        total[3:] += (mass[:, None] * np.cross(pos, vel)).sum(axis=0)
    return total


def test_two_cubes_that_meet_in_flight() -> None:
    """They bounce off each other askew; momentum stays, and no edge of one goes through the other."""
    made = world(dtype="float64", gravity=(0.0, 0.0, 0.0), dt=0.005)
    kinds: dict[str, Any] = {"resolution": 2, "youngs_modulus": 3e4, "touches_cloth": True}
    left = cube(made, name="left", **kinds)
    right = cube(made, name="right", position=(0.115, 0.0, 0.07), **kinds)
    made.build()
    speed = np.zeros((1, left.num_nodes, 3))
    speed[..., 0] = 1.0
    left.set_node_state(vel=speed)
    start = momenta(made)
    for _ in range(30):
        made.step(2)
        assert crossings([left, right]) == 0
    np.testing.assert_allclose(momenta(made), start, atol=1e-10)
    speeds = [host(each.node_vel)[0, :, 0].mean() for each in (left, right)]
    assert speeds[1] - speeds[0] > 0.3, "they part"


def stacked(num_envs: int) -> tuple[np.ndarray, ...]:
    """A cube on a cube on the ground, and a sheet on both, after 60 steps of 1/60 s."""
    made = world(num_envs=num_envs, dtype="float32", dt=1 / 60)
    made.add_ground()
    kinds: dict[str, Any] = {"resolution": 2, "youngs_modulus": 5e4, "touches_cloth": True}
    cube(made, name="low", height=0.001, **kinds)
    cube(made, name="high", position=(0.01, 0.0, 0.158), **kinds)
    sheet = px.ClothMesh.grid(0.2, 0.2, 8, 8)
    made.add_cloth(sheet, "sheet", thickness=2 * TOUCH, position=(0.0, 0.0, 0.225), touches_cloth=True, mass=0.02)
    made.build()
    low = made.deformables["low"]
    low.set_node_state(vel=0.05 * np.random.default_rng(0).normal(size=(3, low.num_nodes, 3))[:num_envs])
    made.step(60)
    return tuple(host(body.node_pos) for body in made.all_deformables.values())


@pytest.fixture(scope="module")
def three() -> tuple[np.ndarray, ...]:
    return stacked(3)


def test_what_is_stacked_stays(three: tuple[np.ndarray, ...]) -> None:
    """The upper cube rests on the lower one, and the sheet on that: each a little above the other."""
    low, high, sheet = (each[0] for each in three)
    assert -2e-4 < low[:, 2].min() < 2e-3
    for below, above in ((low, high), (high, sheet)):
        top = below[below[:, 2] > below[:, 2].max() - 0.02]
        x, y, c = np.linalg.lstsq(np.c_[top[:, :2], np.ones(len(top))], top[:, 2], rcond=None)[0]
        over = above[
            (np.hypot(*(above[:, :2] - top[:, :2].mean(axis=0)).T) < 0.055) & (above[:, 2] < top[:, 2].max() + 0.03)
        ]
        gaps = over[:, 2] - over[:, 0] * x - over[:, 1] * y - c
        assert 0.75 * 2 * TOUCH < gaps.mean() < 1.1 * 2 * TOUCH
    assert np.ptp(sheet[:, 2]) > 0.004, "its rim hangs down"


def test_it_is_the_same_alone(three: tuple[np.ndarray, ...]) -> None:
    for alone, among in zip(stacked(1), three, strict=True):
        np.testing.assert_array_equal(alone[0], among[0])
    assert not np.array_equal(three[0][0], three[0][1])


def test_a_body_touches_itself() -> None:
    """The two arms of a U that are pressed together do not pass through each other."""
    nodes, tets = arch()
    made = world(dtype="float32", gravity=(0.0, 0.0, 0.0), dt=1 / 60)
    body = made.add_soft_body(px.TetMesh(nodes, tets, "U"), "U", youngs_modulus=2e4, touches_cloth=True)
    made.build()
    at = host(body.node_pos)[0]
    left, right = at[:, 0] < -0.03, at[:, 0] > 0.03
    inner = np.abs(np.abs(at[:, 0]) - 0.04) < 1e-6
    vel = np.zeros((1, len(at), 3))
    vel[0, left & (at[:, 2] > 0.1), 0], vel[0, right & (at[:, 2] > 0.1), 0] = 3.0, -3.0
    body.set_node_state(vel=vel)
    least = np.inf
    for _ in range(30):
        made.step()
        assert crossings([body]) == 0
        now = host(body.node_pos)[0]
        least = min(least, now[right & inner][:, 0].min() - now[left & inner][:, 0].max())
    assert least < 0.02, "the arms have met"


def arch() -> tuple[np.ndarray, np.ndarray]:
    """A U of cubes of 4 cm, each of 6 tetrahedra: two arms of four, 8 cm apart, on a foot of four."""
    cells = [(i, 0) for i in range(4)] + [(i, k) for i in (0, 3) for k in range(1, 5)]
    corners = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    paths = [(0, 4, 6, 7), (0, 6, 2, 7), (0, 2, 3, 7), (0, 3, 1, 7), (0, 1, 5, 7), (0, 5, 4, 7)]
    places, tets = [], []
    for i, k in cells:
        at = len(places)
        places += [tuple(corner + (i, 0, k)) for corner in corners]
        tets += [[at + n for n in path] for path in paths]
    unique, which = np.unique(np.array(places), axis=0, return_inverse=True)
    nodes = 0.04 * (unique - (2.0, 0.5, 0.0))
    tets = which.reshape(-1)[np.array(tets)]
    edges = nodes[tets[:, 1:]] - nodes[tets[:, :1]]
    turned = np.linalg.det(edges) < 0
    tets[turned] = tets[turned][:, [0, 1, 3, 2]]
    return nodes, tets
