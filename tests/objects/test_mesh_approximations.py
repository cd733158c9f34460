"""What stands for a mesh that moves: its hull, convex pieces, its bounding cube and sphere, as it rests and holds."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from oracles import host

import phalanx as px
from phalanx.io.reading.errors import LoadError

HEIGHT, INNER, OUTER, FLOOR = 0.2, 0.11, 0.15, 0.04


def cup() -> px.Shape:
    """A thick round cup, open at the top, about the middle of its height."""
    profile = [(0, 0), (OUTER, 0), (OUTER, HEIGHT), (INNER, HEIGHT), (INNER, FLOOR), (0, FLOOR)]
    made = trimesh.creation.revolve(np.array(profile), sections=24)
    assert made.is_watertight and made.volume > 0
    return px.Shape("mesh", vertices=made.vertices - [0, 0, HEIGHT / 2], faces=made.faces)


def test_approximations_rest_and_hold_as_they_should(device: str) -> None:
    """Each on its own spot of the ground, 2 s; into the cups of triangles' pieces and hull a ball is dropped."""
    world = px.World(num_envs=2, device=device, dt=1 / 240)
    world.add_ground()
    names = ("convex_decomposition", "convex_hull", "bounding_cube", "bounding_sphere")
    cups = {
        name: world.add_rigid_object(
            cup(), name, approximation=name, mass=1.0, position=(k, 0, HEIGHT if name == "bounding_sphere" else 0.105)
        )
        for k, name in enumerate(names)
    }
    balls = {
        name: world.add_rigid_object(
            px.Shape("sphere", (0.04,)), f"ball in {name}", mass=0.1, position=(k + 0.03, 0, z)
        )
        for k, (name, z) in enumerate((("convex_decomposition", 0.12), ("convex_hull", 0.26)))
    }
    world.step(480)
    middle = {name: host(made.root_pose)[:, 2] for name, made in cups.items()}
    for name in names[:3]:
        np.testing.assert_allclose(middle[name], HEIGHT / 2, atol=2e-3, err_msg=name)
    np.testing.assert_allclose(middle["bounding_sphere"], np.hypot(OUTER, HEIGHT / 2), atol=2e-3)
    inside = host(balls["convex_decomposition"].root_pose)[:, 2]
    np.testing.assert_allclose(inside, FLOOR + 0.04, atol=8e-3)  # pieces of concavity 0.05 are not exact
    above = host(balls["convex_hull"].root_pose)[:, 2]
    assert (above > HEIGHT + 0.03).all() or (above < 0.05).all()  # on the lid that a hull has, or rolled off it
    assert not np.allclose(above, inside, atol=0.02)


def test_triangles_do_not_move_freely() -> None:
    with pytest.raises(LoadError, match=r"cannot move freely as a triangle mesh; pass approximation="):
        px.World().add_rigid_object(cup(), approximation="triangle_mesh")
