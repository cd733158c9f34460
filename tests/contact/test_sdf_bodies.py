"""Meshes that move and collide by their distance fields: at rest, on a peg, as a cup, as a chain, in free space."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import trimesh
from contact.scenes import about, floor_mesh
from oracles import host
from oracles.base import rotation

import phalanx as px

GRAVITY = 9.81
RING, TUBE = 0.05, 0.015


def sdf(mesh: trimesh.Trimesh) -> px.Shape:
    return px.Shape("mesh", vertices=mesh.vertices, faces=mesh.faces, approximation="sdf")


@cache
def torus(tube: float = TUBE) -> px.Shape:
    return sdf(trimesh.creation.torus(RING, tube, major_sections=64, minor_sections=24))


@cache
def cup() -> px.Shape:
    """Open at the top, 0.2 m high, about the middle of its height, 5 mm walls, 40 mm floor."""
    profile = np.array([(0, 0), (0.08, 0), (0.08, 0.2), (0.075, 0.2), (0.075, 0.04), (0, 0.04)])
    made = trimesh.creation.revolve(profile, sections=32)
    return px.Shape(
        "mesh", vertices=made.vertices - [0, 0, 0.1], faces=made.faces, approximation="sdf", sdf=px.SdfOptions(96)
    )


@pytest.mark.parametrize("dtype", ["float32", pytest.param("float64", marks=pytest.mark.slow)])
def test_at_rest_on_everything(dtype: str, device: str) -> None:
    """A ring and a cube on a plane, a box, a triangle mesh, a height field and a fixed mesh with a field of its own."""
    world = px.World(num_envs=2, device=device, dt=1 / 240, dtype=dtype)
    world.add_ground()
    cube = sdf(trimesh.creation.box((0.1, 0.1, 0.1)))
    slab = sdf(trimesh.creation.box((0.4, 0.4, 0.1)))
    fixed: dict[str, Any] = {"kind": "static"}
    world.add_rigid_object(px.Shape("box", (0.2, 0.2, 0.05)), "box", position=(1, 0, 0.05), **fixed)
    world.add_rigid_object(floor_mesh(0.4, 0.4, 0.05), "mesh", position=(2, 0, 0.1), **fixed)
    field = px.Shape("height_field", (0.05, 0.05), heights=np.zeros((9, 9)))
    world.add_rigid_object(field, "height field", position=(3, 0, 0.1), **fixed)
    world.add_rigid_object(slab, "slab", position=(4, 0, 0.05), **fixed)
    objects = []
    for k in range(5):
        floor = 0.1 if k else 0.0
        for name, shape, y, half in (("ring", torus(), -0.1, TUBE), ("cube", cube, 0.1, 0.05)):
            turn = about((0.3, 0.2, 1.0), 0.05 * (k + 1))
            placed: dict[str, Any] = {"position": (k + 0.007, y, floor + half + 0.006), "orientation": turn}
            objects.append((world.add_rigid_object(shape, f"{name} {k}", mass=0.5, **placed), floor + half))
    touch = world.contact_view([made.name for made, _ in objects])
    world.step(360)
    before = [host(made.root_pose) for made, _ in objects]
    world.step(120)
    for (made, height), old in zip(objects, before, strict=True):
        pose = host(made.root_pose)
        np.testing.assert_allclose(pose[:, :3], old[:, :3], atol=2e-5, err_msg=made.name)
        np.testing.assert_allclose(pose[:, 2], height, atol=3e-4, err_msg=made.name)
        assert np.abs(host(made.root_vel)).max() < 1e-3, made.name
    force = host(touch.net_force())
    np.testing.assert_allclose(force[..., 2], 0.5 * GRAVITY, rtol=5e-3)
    np.testing.assert_allclose(force[..., :2], 0.0, atol=5e-3 * 0.5 * GRAVITY)


def test_tubes_stand_on_each_other(device: str) -> None:
    """Five, up to 4 mm beside each other, at dt 1/120: each end is a flat ring."""
    world = px.World(num_envs=2, device=device, dt=1 / 120)
    world.add_ground()
    shift = np.random.default_rng(0).uniform(-0.004, 0.004, (5, 2))
    tube = sdf(trimesh.creation.annulus(0.03, 0.05, 0.06))
    tubes = [world.add_rigid_object(tube, f"{k}", position=(*shift[k], 0.06 * k + 0.031)) for k in range(5)]
    world.step(120)
    before = [host(made.root_pose)[:, :3] for made in tubes]
    world.step(480)
    for k, made in enumerate(tubes):
        np.testing.assert_allclose(host(made.root_pose)[:, :3], before[k], atol=2e-4)
        np.testing.assert_allclose(host(made.root_pose)[:, 2], 0.06 * k + 0.03, atol=8e-4)
        assert np.abs(host(made.root_vel)).max() < 1e-3


def test_rings_slide_down_pegs(device: str) -> None:
    """Past a cylinder and a capsule 5 mm thinner than the hole, to the floor around them; a hull would stay on top."""
    world = px.World(num_envs=1, device=device, dt=1 / 240)
    world.add_ground()
    world.add_rigid_object(px.Shape("cylinder", (0.03, 0.15)), "peg", kind="static", position=(0, 0, 0.15))
    slippery: dict[str, Any] = {"friction": 0.1}  # or a ring that leans on the round end may stay there
    post = px.Shape("capsule", (0.03, 0.12))
    world.add_rigid_object(post, "post", kind="static", position=(1, 0, 0.15), **slippery)
    rings = [
        world.add_rigid_object(torus(), "one", position=(0.002, 0.001, 0.34)),
        world.add_rigid_object(
            torus(), "other", position=(1.015, 0.001, 0.35), orientation=about((1, 0, 0), 0.2), **slippery
        ),
    ]
    hull = world.add_rigid_object(torus(), "hull", approximation="convex_hull", position=(-0.5, 0, 0.34))
    world.add_rigid_object(px.Shape("cylinder", (0.03, 0.15)), "third", kind="static", position=(-0.5, 0, 0.15))
    corners = torus().vertices
    assert corners is not None
    for _ in range(60):
        world.step(8)
        for k, ring in enumerate(rings):
            pose = host(ring.root_pose)[0]
            x, y, z = (pose[:3] - [k, 0, 0])[:, None] + rotation(pose[3:]) @ corners.T
            beside = (z > 0.03) & (z < 0.27)  # of the pegs' straight parts
            assert np.hypot(x, y)[beside].min(initial=1.0) > 0.03 - 5e-4
    for ring in rings:
        pose = host(ring.root_pose)[0]
        assert pose[2] == pytest.approx(TUBE, abs=3e-4)
        assert np.abs(host(ring.root_vel)).max() < 1e-3
    assert host(hull.root_pose)[0, 2] > 0.29


def test_a_cup_holds_a_ball_and_a_box(device: str) -> None:
    """And lets neither through its walls when it is tipped over."""
    world = px.World(num_envs=1, device=device, dt=1 / 240)
    world.add_ground()
    held = world.add_rigid_object(cup(), "cup", position=(0, 0, 0.101), mass=1.0)
    ball = world.add_rigid_object(px.Shape("sphere", (0.03,)), "ball", position=(0.035, 0.01, 0.3), mass=0.1)
    cube = world.add_rigid_object(
        px.Shape("box", (0.02, 0.02, 0.02)),
        "box",
        position=(-0.03, 0, 0.3),
        orientation=about((1, 2, 0), 0.5),
        mass=0.1,
    )
    world.step(480)
    assert host(held.root_pose)[0, 2] == pytest.approx(0.1, abs=3e-4)
    for made, half in ((ball, 0.03), (cube, 0.02)):
        pose = host(made.root_pose)[0]
        assert pose[2] == pytest.approx(0.04 + half, abs=3e-4)
        assert np.hypot(*pose[:2]) < 0.075 - half + 1e-3
    assert np.abs(host(cube.root_vel)).max() < 1e-3
    held.set_root_state(vel=np.array([0.8, 0, 0.3, 0, 14.0, 0]))
    for _ in range(60):
        world.step(4)
        pose = host(held.root_pose)[0]
        for made, half in ((ball, 0.03), (cube, 0.02)):
            own = rotation(pose[3:]).T @ (host(made.root_pose)[0, :3] - pose[:3])
            if -0.1 < own[2] < 0.1:  # between the cup's ends it is inside of the walls, or outside if it has left
                across = np.hypot(*own[:2])
                assert across < 0.075 - half + 2e-3 or across > 0.08, made.name


def test_a_ball_swings_in_a_bowl(device: str) -> None:
    """Without friction, as a pendulum as long as the radii differ; the bowl is a mesh of 96 facets around."""
    way, swing = 0.27, 0.3
    angle = np.linspace(0, np.pi / 2, 60)
    inner = np.column_stack([0.3 * np.sin(angle), -0.3 * np.cos(angle)])
    bowl = trimesh.creation.revolve(np.concatenate([inner, [(0.34, 0), (0.34, -0.34), (0, -0.34)]]), sections=96)
    world = px.World(num_envs=1, device=device, dt=1 / 480)
    world.add_rigid_object(sdf(bowl), "bowl", kind="static", friction=0.0)
    start = way * np.array([np.sin(swing), 0.0, -np.cos(swing)])
    ball = world.add_rigid_object(px.Shape("sphere", (0.03,)), "ball", position=start.tolist(), friction=0.0)
    places = []
    for _ in range(720):
        world.step()
        places.append(host(ball.root_pose)[0, :3])
    places = np.array(places)
    down = np.flatnonzero((places[:-1, 0] > 0) & (places[1:, 0] <= 0)) / 480
    period = 2 * np.pi * np.sqrt(way / GRAVITY) * (1 + swing**2 / 16)
    np.testing.assert_allclose(np.diff(down), period, rtol=0.01)
    np.testing.assert_allclose(np.linalg.norm(places, axis=1), way, atol=3e-4)
    assert np.abs(places[:, 1]).max() < 1e-3  # facets do not lead it astray
    energy = GRAVITY * (places[-1, 2] + way) + 0.5 * np.square(host(ball.root_vel)[0, :3]).sum()
    assert energy == pytest.approx(GRAVITY * way * (1 - np.cos(swing)), rel=0.06)


def test_a_chain_of_rings_stays_linked(device: str) -> None:
    """Three rings hang from a fixed one after a drop of 10 mm: each 80 mm, twice the inner radius, below the last."""
    world = px.World(num_envs=1, device=device, dt=1 / 240)
    flat, across = about((1, 0, 0), np.pi / 2), (0.5, 0.5, 0.5, 0.5)
    world.add_rigid_object(torus(0.01), "top", kind="static", orientation=flat, position=(0, 0, 0.5))
    rings = [
        world.add_rigid_object(
            torus(0.01), f"ring {k}", position=(0, 0, 0.43 - 0.07 * k), orientation=flat if k % 2 else across
        )
        for k in range(3)
    ]
    for _ in range(8):
        world.step(90)
        heights = np.array([host(ring.root_pose)[0, 2] for ring in rings])
        assert (np.diff([0.5, *heights]) > -0.0815).all()
    np.testing.assert_allclose(heights, [0.42, 0.34, 0.26], atol=1.5e-3)


def test_momentum_stays_when_two_meshes_collide(device: str) -> None:
    """A ring and a cube in free space, off centre, spinning in two of three environments."""
    world = px.World(num_envs=3, device=device, dt=1 / 240, gravity=(0, 0, 0), dtype="float64")
    ring = world.add_rigid_object(torus(), "ring", mass=0.4, position=(0, 0, 0), restitution=0.5)
    cube = world.add_rigid_object(
        sdf(trimesh.creation.box((0.06, 0.06, 0.06))),
        "cube",
        mass=0.7,
        position=(0.2, 0.03, 0.01),
        restitution=0.5,
        friction=0.0,
    )
    spin = np.array([[0.0, 0, 0], [1.0, 2, 3], [-4.0, 1, 0]])
    ring.set_root_state(vel=np.column_stack([np.tile([1.0, 0, 0], (3, 1)), spin]))
    cube.set_root_state(vel=np.column_stack([np.tile([-0.5, 0, 0], (3, 1)), spin[::-1]]))

    def momentum() -> np.ndarray:
        return np.sum([host(made.mass)[:, None] * host(made.com_vel)[:, :3] for made in (ring, cube)], axis=0)

    before, start = momentum(), host(cube.root_vel)
    world.step(120)
    assert (np.abs(host(cube.root_vel) - start).max(axis=1) > 0.3).all()  # they have met
    np.testing.assert_allclose(momentum(), before, atol=1e-12)


def test_nothing_goes_through_a_thin_wall(device: str) -> None:
    """Spinning rings at 20 m/s, 83 mm a step, against a wall of 10 mm: none comes out behind it."""
    count = 48
    rng = np.random.default_rng(7)
    world = px.World(num_envs=count, device=device, dt=1 / 240, gravity=(0, 0, 0))
    world.add_rigid_object(px.Shape("box", (0.005, 0.5, 0.5)), "wall", kind="static", position=(0.5, 0, 0))
    ring = world.add_rigid_object(torus(), "ring", mass=0.3)
    turn = rng.normal(size=(count, 4))
    place = np.column_stack([rng.uniform(-0.1, 0.1, count), rng.uniform(-0.05, 0.05, (count, 2))])
    pose = np.column_stack([place, turn / np.linalg.norm(turn, axis=1)[:, None]])
    ring.set_root_state(pose=pose, vel=np.column_stack([np.full(count, 20.0), np.zeros((count, 2)), 10 * place]))
    deepest = 0.0
    for _ in range(12):
        world.step()
        deepest = max(deepest, float(host(ring.root_pose)[:, 0].max()))
    world.step(20)
    assert deepest < 0.495  # a ring's middle is never in the wall
    assert (host(ring.root_pose)[:, 0] < 0.5).all() and (host(ring.root_vel)[:, 0] < 1.0).all()


def test_only_worlds_that_have_fields_run_their_systems(device: str) -> None:
    """And those only the ones that their pairs need."""

    def names(shape: px.Shape) -> set[str]:
        world = px.World(device=device)
        world.add_ground()
        world.add_rigid_object(shape, "one")
        world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "other")
        world.build()
        return {system.name for system in world.schedule.systems()}

    more = names(torus()) - names(px.Shape("box", (0.2, 0.2, 0.2)))
    assert more == {"collide_convex_with_sdf", "thin_plane_points"}
    assert not {name for name in names(px.Shape("sphere", (0.2,))) if "sdf" in name or name == "thin_plane_points"}


def test_environments_do_not_see_each_other(device: str) -> None:
    """The same to the bit alone and among others, and a second time."""

    def run(count: int) -> list[np.ndarray]:
        world = px.World(num_envs=count, device=device, dt=1 / 240)
        world.add_ground()
        world.add_rigid_object(px.Shape("cylinder", (0.03, 0.15)), "peg", kind="static", position=(0, 0, 0.15))
        ring = world.add_rigid_object(torus(), "one", position=(0.012, 0.001, 0.34))
        shift = np.zeros((count, 7))
        shift[1:, 0] = 0.001 * np.arange(1, count)
        ring.set_root_state(pose=host(ring.root_pose) + shift)
        world.step(100)
        return [host(ring.root_pose)[0], host(ring.root_vel)[0]]

    alone, among, again = run(1), run(5), run(5)
    for one, other, third in zip(alone, among, again, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(other, third)
