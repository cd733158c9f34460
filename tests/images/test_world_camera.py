"""Cameras in worlds: what they see follows bodies, and they follow theirs, in each environment by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.images import Light
from phalanx.images.world_camera import WorldCamera
from phalanx.images.world_scene import WorldScene

RED = (0.9, 0.05, 0.05, 1.0)


def world_of_carts(device: str) -> px.World:
    """Three carts, with a ball of 0.2 m 2 m ahead, to the left, and behind."""
    world = px.World(3, device)
    world.add_ground()
    world.add_rigid_object(px.Shape("box", (0.2, 0.1, 0.05)), "cart", kind="kinematic")
    world.add_rigid_object(px.Shape("sphere", (0.2,), color=RED), "ball", kind="static")
    world.objects["cart"].set_root_state(pose=[1.0, 2.0, 0.5, np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])  # faces +y
    balls = np.tile([1.0, 2.0, 0.5, 1.0, 0.0, 0.0, 0.0], (3, 1))
    balls[:, :2] += [[0.0, 2.0], [-2.0, 0.0], [0.0, -2.0]]
    world.objects["ball"].set_root_state(pose=balls)
    return world


def test_a_camera_is_carried(device):
    """It looks ahead from 0.25 m before the cart's middle: the first ball is seen 1.55 m away, the others are not."""
    world = world_of_carts(device)
    options: dict[str, Any] = {"body": "cart/cart", "eye": (0.25, 0, 0), "target": (1, 0, 0), "angle": 40.0}
    types = ("rgb", "depth", "normals", "ids")
    camera = WorldCamera(world, 48, 64, types, **options)
    seen = {name: host(values) for name, values in camera.capture().items()}
    ball = 1 + [*world.actors].index("ball")
    assert camera.scene.names[ball] == "ball/ball" and camera.scene.names[0] == "ground"
    found = seen["ids"][..., 1] == ball
    assert found.any(axis=(1, 2)).tolist() == [True, False, False]
    focal = 24 / np.tan(np.deg2rad(20))
    radius = focal * 0.2 / np.sqrt(1.75**2 - 0.2**2)
    assert found[0].sum() == pytest.approx(np.pi * radius**2, rel=0.05)
    rows, columns = np.nonzero(found[0])
    assert rows.mean() == pytest.approx(23.5, abs=0.1) and columns.mean() == pytest.approx(31.5, abs=0.1)
    assert seen["depth"][0, 24, 32] == pytest.approx(1.55, abs=2e-3)
    np.testing.assert_allclose(seen["normals"][0, 24, 32], [0, -1, 0], atol=0.1)
    assert seen["rgb"][0, 24, 32, 0] > 2 * seen["rgb"][0, 24, 32, 1]
    # The ground 0.5 m below the axis.
    np.testing.assert_allclose(seen["depth"][1, 40], 0.5 * focal / (40.5 - 24), rtol=1e-4)
    np.testing.assert_allclose(host(camera.position), np.tile([1.0, 2.25, 0.5], (3, 1)), atol=1e-6)

    world.objects["cart"].set_root_state(pose=[1, 2, 0.5, 0, 0, 0, 1], env_ids=[1])  # faces -x, and so the ball
    camera.capture()
    found = host(camera.output["ids"])[..., 1] == ball
    assert found.any(axis=(1, 2)).tolist() == [True, True, False]


def test_a_camera_that_stands_sees_what_moves(device):
    """Shares its scene with another, and has a place of its own in each environment."""
    world = world_of_carts(device)
    scene = WorldScene(world, env_ids=[2, 0], grounds=False)
    eyes = np.array([[1.0, -1.0, 0.5], [1.0, 1.0, 0.5]])
    camera = WorldCamera(world, 33, 33, ("ids",), eye=eyes, target=eyes + [0, 1, 0], scene=scene)
    above: dict[str, Any] = {"eye": (1.0, 2.0, 5.0), "target": (1.0, 2.0, 0.0), "angle": 10.0}
    other = WorldCamera(world, 8, 8, **above, scene=scene, lights=[Light.dome()])
    ids = host(camera.capture()["ids"])
    assert ids[:, 16, 16, 1].tolist() == [2, 1], "the ball behind the cart of environment 2, the cart of 0"
    assert (ids[:, 1, 1] == -1).all()
    image = host(other.capture(update=False)["rgb"])
    assert (image[:, 4, 4] != image[:, 0, 0]).any(axis=-1).all(), "the carts from above"
    world.objects["ball"].set_root_state(pose=[0, 0, -9, 1, 0, 0, 0])
    assert host(camera.capture()["ids"])[:, 16, 16, 1].tolist() == [1, 1]


def test_float64_worlds_and_hidden_actors(device):
    world = px.World(1, device, dtype="float64")
    world.add_rigid_object(px.Shape("sphere", (0.2,)), "near", kind="static", position=(1.0, 0.0, 0.0))
    world.add_rigid_object(px.Shape("sphere", (0.2,)), "far", kind="static", position=(3.0, 0.0, 0.0))
    look: dict[str, Any] = {"eye": (0, 0, 0), "target": (1, 0, 0)}
    depth = host(WorldCamera(world, 3, 3, ("depth",), **look).capture()["depth"])
    assert depth[0, 1, 1] == pytest.approx(0.8)
    scene = WorldScene(world, hidden=["near"])
    assert scene.names == ["ground", "far/far"]
    depth = host(WorldCamera(world, 3, 3, ("depth",), scene=scene, **look).capture()["depth"])
    assert depth[0, 1, 1] == pytest.approx(2.8)


def test_mistakes():
    world = px.World()
    world.add_rigid_object([px.Shape("sphere", (0.2,))], "a")
    world.add_robot("double_pendulum", "p")
    world.add_robot("double_pendulum", "q")
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"body": "hand"}, "there is no body 'hand'; there are a/a, p/"),
        ({"body": world.robots["p"].body_names[0]}, "there are several bodies named"),
        ({"angle": 180.0}, "angle=180.0: a field of view lies between 0 and 180 degrees"),
        (
            {"eye": (0, 0, 0), "target": (0, 0, 0)},
            "a camera needs an eye and a target that are finite and not the same",
        ),
        ({"scene": WorldScene(px.World.from_description(world.describe()))}, "scene must be of the same world"),
    ]
    for options, message in mistakes:
        with pytest.raises(ValueError, match=message):
            WorldCamera(world, 4, 4, **options)
    with pytest.raises(ValueError, match="WorldScene: env_ids names no environment"):
        WorldScene(world, env_ids=[])
