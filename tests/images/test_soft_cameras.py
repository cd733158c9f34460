"""Cameras see deformable bodies where they are, in every environment."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from oracles import host

import phalanx as px
from phalanx.images.world_camera import WorldCamera
from phalanx.images.world_scene import WorldScene

SIZE = 16
HEIGHTS = np.array([0.0, 0.3, 0.7])
"""m: of the sheets of three environments."""


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    made = px.World(num_envs=3, dt=1 / 60, device=device)
    made.add_ground()
    made.add_cloth(px.ClothMesh.grid(1.0, 1.0, 6, 6), "sheet", position=(0.0, 0.0, 0.2), disable_gravity=True)
    made.add_rope(px.RopeLine.straight(0.4, 6), "rope", radius=0.05, position=(2.0, -0.2, 0.5), disable_gravity=True)
    cube, larger = px.Shape("box", (0.1, 0.1, 0.1)), trimesh.creation.box((0.24, 0.24, 0.24))
    visual = px.Shape("mesh", vertices=larger.vertices, faces=larger.faces, color=(1.0, 0.0, 0.0, 1.0))
    made.add_soft_body(cube, "cube", resolution=2, position=(-2.0, 0.0, 0.5), disable_gravity=True, visual=visual)
    return made.build()


def lift(world: px.World) -> np.ndarray:
    """Put the sheet elsewhere in each environment, bent; heights of its middle."""
    world.reset()
    sheet = world.cloths["sheet"]
    pos = host(sheet.node_pos).copy()
    pos[..., 2] += HEIGHTS[:, None] + 0.2 * pos[..., 0] * np.array([0.0, 1.0, -1.0])[:, None]
    sheet.set_node_state(pos=pos)
    return pos


def test_depth_of_sheets(world: px.World) -> None:
    """Each environment has its own; from 2 m up the ray of each pixel meets the sheet's plane."""
    lift(world)
    eye = (0.0, 0.0, 2.0)
    camera = WorldCamera(world, SIZE, SIZE, ("depth", "ids"), eye=eye, target=(0, 0, 0), angle=20.0)
    camera.capture()
    depth, ids = host(camera.output["depth"]), host(camera.output["ids"])
    assert (ids[..., 1] == camera.scene.names.index("sheet")).all()
    focal = 0.5 * SIZE / np.tan(np.deg2rad(10.0))
    slope = np.array([0.0, 0.2, -0.2])
    axes = np.array([[0.0, -1.0], [-1.0, 0.0]])  # columns and rows of the image go along -y and -x
    u, v = np.meshgrid(*[(np.arange(SIZE) + 0.5 - SIZE / 2) / focal] * 2)
    x = (u * axes[0, 0] + v * axes[1, 0])[None]
    expected = (2.0 - 0.2 - HEIGHTS[:, None, None]) / (1.0 + slope[:, None, None] * x)
    np.testing.assert_allclose(depth.reshape(expected.shape), expected, atol=2e-5)


def test_rays_follow_after_steps(world: px.World) -> None:
    """The nearest of rays down is as high as the nodes are; what is not finite is missed, and the others stay."""
    lift(world)
    for cloth, speed in ((world.cloths["sheet"], 1.0), (world.deformables["cube"], 2.0)):
        vel = np.zeros_like(host(cloth.node_vel))
        vel[..., 2] = speed
        cloth.set_node_state(vel=vel)
    world.step()
    seen = WorldScene(world)
    seen.update()
    starts = np.tile(np.array([[0.01, 0.013, 3.0], [-2.0, 0.03, 3.0], [2.2, -0.2, 3.0]], np.float32), (3, 1, 1))
    starts[:, 2, 0] = 2.2
    down = np.tile(np.array([0.0, 0.0, -1.0], np.float32), (3, 3, 1))
    hits = seen.scene.hits(3, position=True)
    xp = world.engine.device.xp
    seen.scene.cast(xp.asarray(starts), xp.asarray(down), hits)
    found = host(hits.position)[..., 2]
    middle = host(world.cloths["sheet"].node_pos)[:, 24, 2]
    np.testing.assert_allclose(found[:, 0], middle + 0.01 * 0.2 * np.array([0.0, 1.0, -1.0]), atol=1e-4)
    np.testing.assert_allclose(found[:, 1], 0.62 + 2.0 / 60, atol=1e-4)  # the mesh that is seen is larger than it
    mesh = seen.soft[0].mesh
    assert mesh is not None
    assert seen.looks[mesh.number].color == pytest.approx((1.0, 0.0, 0.0))
    np.testing.assert_allclose(found[:, 2], 0.55, atol=5e-3)  # a tube of eight sides
    places = [one.body.default_node_pos[None].repeat(3, axis=0) for one in seen.soft]
    assert seen.soft[1].body is world.cloths["sheet"]
    places[1][1, 3] = np.nan
    seen.place_nodes(tuple(places))
    seen.place(np.zeros((3, 0, 7), np.float32))
    seen.scene.cast(xp.asarray(starts), xp.asarray(down), hits)
    np.testing.assert_allclose(host(hits.position)[:, 0, 2], [0.2, 0.0, 0.2], atol=1e-6)
