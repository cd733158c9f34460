"""Nodes of deformable bodies on height fields and signed distance fields."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from deformable.scenes import cube, momentum, world
from oracles import host

import phalanx as px

SLOPE = 0.3


def test_a_slope_of_heights_is_as_a_plane() -> None:
    """On a tilted height field a cube without friction slides as it does on the plane, and rests on a bump nowhere."""
    x = np.linspace(-2.0, 2.0, 9)
    heights = np.repeat(SLOPE * x[:, None], 9, axis=1)
    normal = np.array([-SLOPE, 0.0, 1.0]) / np.hypot(1.0, SLOPE)
    found = []
    for kind in ("field", "plane"):
        made = world(dt=0.01)
        if kind == "field":
            shape = px.Shape("height_field", (0.5, 0.5), heights=heights)
            made.add_rigid_object(shape, "hill", kind="static", friction=0.0)
        else:
            made.add_ground(normal=normal.tolist(), friction=0.0)
        angle = -np.arctan(SLOPE)
        turn = (np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0)
        place = 0.051 * normal + (0.2, 0.0, 0.2 * SLOPE)
        body = cube(made, resolution=2, position=place.tolist(), orientation=turn, friction=0.0)
        made.build()
        made.step(40)
        found.append((host(body.node_pos)[0].mean(axis=0), host(body.node_vel)[0].mean(axis=0)))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=2e-4)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=2e-3)
    assert found[0][1][0] < -0.9


@pytest.mark.parametrize("moves", [False, True])
def test_a_cube_rests_on_a_ball_of_distances(moves: bool) -> None:
    """A mesh of a ball with a distance field bears a soft cube as the ball does; a moving one is pushed back."""
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.1)
    found = []
    for kind in ("sdf", "sphere"):
        made = world(gravity=(0.0, 0.0, 0.0) if moves else (0.0, 0.0, -9.81), dt=0.01)
        field = px.Shape("mesh", vertices=ball.vertices, faces=ball.faces, approximation="sdf")
        shape = field if kind == "sdf" else px.Shape("sphere", (0.1,))
        thing = made.add_rigid_object(shape, "ball", kind="dynamic" if moves else "static", mass=1.0 if moves else None)
        body = cube(made, height=0.102, resolution=4, youngs_modulus=3e4, mass=1.0, friction=0.5)
        made.build()
        if moves:
            body.set_node_state(vel=np.tile([0.0, 0.0, -1.0], (1, body.num_nodes, 1)))
        made.step(20)
        speed = host(thing.root_vel)[0, 2] if moves else 0.0
        found.append((host(body.node_pos)[0, :, 2].mean(), speed, momentum(body)[1][0, 2]))
    np.testing.assert_allclose(found[0], found[1], atol=0.02)
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-3)
    if moves:
        assert found[0][1] < -0.3
        assert found[0][1] + found[0][2] == pytest.approx(-1.0, abs=1e-6), "momentum is kept"
