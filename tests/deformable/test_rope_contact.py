"""Ropes that touch themselves, each other, cloth and soft bodies: momentum, knots, and nothing that passes through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from deformable.scenes import cube, momentum, spread, world

import phalanx as px

SEEN = np.linspace(0, 1, 21)
"""Points of a segment whose distances are measured."""


def overhand_knot(size: float, tail: float, length: float) -> np.ndarray:
    """Nodes of an open trefoil with straight tails, so far apart along it."""
    a = np.linspace(0.45, 2 * np.pi - 0.45, 600)
    knot = size / 2 * np.stack([np.sin(a) + 2 * np.sin(2 * a), np.cos(a) - 2 * np.cos(2 * a), -np.sin(3 * a)], axis=1)
    away = np.linspace(0, tail, 200)[1:, None]
    begin, end = (each / np.linalg.norm(each) for each in (knot[0] - knot[1], knot[-1] - knot[-2]))
    line = np.concatenate([(knot[0] + away * begin)[::-1], knot, knot[-1] + away * end])
    way = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    at = np.linspace(0, way[-1], int(way[-1] / length) + 1)
    return np.stack([np.interp(at, way, axis) for axis in line.T], axis=1)


def distances(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Least distance of each segment of a line from each of another, of points along them."""
    points = [p[:-1, None] + SEEN[None, :, None] * np.diff(p, axis=0)[:, None] for p in (one, other)]
    apart = points[0][:, None, :, None] - points[1][None, :, None]
    return np.linalg.norm(apart, axis=4).min(axis=(2, 3))


def test_ropes_that_meet_in_flight_keep_their_momentum() -> None:
    """One hits the other across, and takes it along; neither passes through, and no more than rounding is lost."""
    made = world(dt=1 / 60)
    options: dict[str, Any] = {"radius": 8e-3, "bending_stiffness": 1e-3, "touches_cloth": True, "friction": 0.5}
    low = made.add_rope(px.RopeLine.straight(0.4, 12), "low", **options)
    top = made.add_rope(
        px.RopeLine.straight(0.4, 12), "top", position=(0.03, 0.02, 0.06), orientation=(0.8, 0, 0, 0.6), **options
    )
    made.build()
    top.set_node_state(vel=np.tile((0.1, 0.0, -1.0), (13, 1)))
    before = [momentum(rope) for rope in (low, top)]
    for _ in range(30):
        made.step()
        assert distances(low.node_pos[0], top.node_pos[0]).min() > 0.75 * 0.016
    after = [momentum(rope) for rope in (low, top)]
    mass = low.node_mass.sum()
    linear = sum(now[1] - old[1] for old, now in zip(before, after, strict=True))
    np.testing.assert_allclose(linear, [[0, 0, -2 * mass * 9.81 * made.time]], atol=1e-10)

    def about_centre(states: list[Any]) -> np.ndarray:
        whole = sum(state[2] for state in states)
        centre, push = sum(state[0] for state in states) / 2, sum(state[1] for state in states)
        return whole - np.cross(centre, push)

    np.testing.assert_allclose(about_centre(after), about_centre(before), atol=1e-9)
    assert after[0][1][0, 2] + mass * 9.81 * made.time < -0.2 * mass  # it was hit


@pytest.mark.slow
def test_a_knot_that_is_pulled_tight_holds() -> None:
    """An overhand knot in a rope of 8 mm: at a few newtons it is as thick as it is, and never lets go."""
    made = world(dt=1 / 60, gravity=(0.0, 0.0, 0.0))
    nodes = overhand_knot(0.05, 0.25, 0.012)
    rope = made.add_rope(
        nodes, "rope", radius=4e-3, youngs_modulus=1e7, bending_stiffness=1e-5, damping=2.0, friction=0.5,
        touches_cloth=True,
    )  # fmt: skip
    made.build()
    count = len(nodes)
    ends = np.isin(np.arange(count), [0, count - 1])
    way = (nodes[-1] - nodes[0]) / np.linalg.norm(nodes[-1] - nodes[0])
    apart = np.abs(np.subtract.outer(np.arange(count - 1), np.arange(count - 1))) > 3
    close = []
    for n in range(240):
        target = nodes.copy()
        pull = 0.37 * min((n + 1) / 180, 1)
        target[0] -= pull * way
        target[-1] += pull * way
        rope.set_node_targets(target, ends)
        made.step()
        if n % 30 == 29:
            close.append((rope.tension[0, 0], distances(rope.node_pos[0], rope.node_pos[0])[apart].min()))
    pulled, thick = np.array(close).T
    assert (thick[pulled < 8] > 0.85 * 8e-3).all() and (thick > 0.3 * 8e-3).all()
    # a rope of this length that has let go would lie between its ends without any tension
    length = np.linalg.norm(rope.node_pos[0, -1] - rope.node_pos[0, 0])
    assert length < rope.line.length and rope.tension[0, 0] > 10 and rope.tension[0, -1] > 10
    assert spread(rope.node_vel) < 0.1


@pytest.mark.slow
def test_ropes_lie_on_cloth_and_on_a_soft_body() -> None:
    """One falls on a sheet that is held by its rim, another on a soft cube: both stay on top."""
    made = world(dt=1 / 60)
    made.add_ground()
    sheet = made.add_cloth(
        px.ClothMesh.grid(0.4, 0.4, 8, 8), "sheet", thickness=4e-3, position=(0, 0, 0.3), touches_cloth=True
    )
    options: dict[str, Any] = {"radius": 5e-3, "bending_stiffness": 1e-4, "touches_cloth": True, "damping": 1.0}
    on_sheet = made.add_rope(px.RopeLine.straight(0.2, 10), "on sheet", position=(0.01, 0.02, 0.33), **options)
    cube(made, touches_cloth=True, position=(1.0, 0.0, 0.05))
    on_cube = made.add_rope(px.RopeLine.straight(0.06, 4), "on cube", position=(1.0, 0.0, 0.12), **options)
    made.build()
    sheet.set_node_targets(sheet.default_node_pos, (np.abs(sheet.mesh.nodes[:, :2]) > 0.199).any(axis=1))
    made.step(90)
    low, high = np.quantile(on_sheet.node_pos[0, :, 2], (0, 1))
    below = sheet.node_pos[0, np.abs(sheet.default_node_pos[:, :2]).max(axis=1) < 0.11, 2]
    assert low > below.min() and high < 0.32
    assert 0.098 < on_cube.node_pos[0, :, 2].min() < 0.11
    assert max(spread(rope.node_vel) for rope in (on_sheet, on_cube)) < 0.2
