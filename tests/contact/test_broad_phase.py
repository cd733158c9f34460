"""Near pairs found by a list or by sorting bounds: the same candidates, contacts and paths, bit by bit."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from ecs.team_emulator import run_team_system
from oracles import host
from scipy.spatial import KDTree
from scipy.spatial.transform import Rotation

import phalanx as px
from phalanx import components as c
from phalanx.components import AllowedPair, BarredPair, ContactCount, ContactPoint, ShapeOrder
from phalanx.ecs import System
from phalanx.ecs.declare import Access
from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.systems.collision import broad_phase, near_pair_teams
from phalanx.world.layout import collision
from phalanx.world.layout import fill as layout

ENVS = 3
_POINTS = np.random.default_rng(4).normal(size=(16, 3))
SHAPES = (
    px.Shape("sphere", (0.07,)),
    px.Shape("capsule", (0.05, 0.06)),
    px.Shape("box", (0.07, 0.05, 0.06)),
    px.Shape("cylinder", (0.06, 0.06)),
    px.Shape("cone", (0.07, 0.07)),
    px.Shape("mesh", vertices=0.08 * _POINTS / np.linalg.norm(_POINTS, axis=1)[:, None]),
)


@pytest.fixture
def sorted_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on bounds are sorted, however few the pairs are."""
    for module in (collision, layout):
        monkeypatch.setattr(module, "LONGEST_LIST", 0)


def heap(world: px.World, count: int, **options: Any) -> list[px.RigidObject]:
    """Mixed shapes in layers over the origin, turned at random."""
    made = []
    for k in range(count):
        q = Rotation.random(None, np.random.default_rng(k)).as_quat()[[3, 0, 1, 2]]  # pyright: ignore[reportCallIssue]
        place = ((k % 3 - 1) * 0.2, (k // 3 % 3 - 1) * 0.2, 0.2 + k // 9 * 0.22)
        shape = SHAPES[k % len(SHAPES)]
        made.append(
            world.add_rigid_object(shape, f"o{k}", position=place, orientation=q.tolist(), density=500.0, **options)
        )
    return made


def scene(device: str) -> px.World:
    """A heap on a mesh and a plane, a robot that collides with itself, groups, and a pair that is switched off."""
    world = px.World(num_envs=ENVS, device=device, dt=1 / 120, position_iterations=2)
    world.add_ground()
    vertices, faces = grid_triangles(np.full((9, 9), 0.05), (0.1, 0.1))
    floor = px.Shape("mesh", vertices=vertices, faces=faces, approximation="triangle_mesh")
    world.add_rigid_object(floor, "floor", kind="static")
    world.add_rigid_object(px.Shape("box", (0.02, 0.5, 0.5)), "wall", kind="static", position=(0.45, 0, 0.3))
    heap(world, 18)
    ghost = world.add_rigid_object(
        px.Shape("sphere", (0.1,)), "ghost", position=(0.1, 0.1, 0.4), collision_group=3, collision_mask=[5]
    )
    world.add_robot("quadruped", self_collision=True, position=(0.0, 0.0, 0.9))
    world.disable_collision("robot", "o2")
    world.build()
    for k, actor in enumerate(world.actors.values()):  # the environments differ
        if actor is not ghost and actor.name.startswith("o"):
            pose = host(actor.root_pose)
            pose[:, 0] += 0.01 * np.arange(ENVS) * (1 if k % 2 else -1)
            actor.set_root_state(pose)
    return world


def run(world: px.World, steps: int = 90) -> list[np.ndarray]:
    """Poses, contacts and who they are between, on the way."""
    seen = []
    for _ in range(steps // 15):
        world.step(15)
        seen += [host(actor.root_pose) for actor in world.actors.values()]
        count = host(world[ContactCount].current)[0]
        used = np.arange(world[ContactPoint].a.shape[0])[:, None] < count
        for field in ("a", "b", "separation"):
            seen.append(np.where(used, host(getattr(world[ContactPoint], field)), 0))
        assert count.min() > 0
    return seen


def test_both_ways_are_the_same_to_the_bit(device: str, request: pytest.FixtureRequest) -> None:
    listed = scene(device)
    assert listed.engine.store.rows(AllowedPair) > 0
    expected = run(listed)
    request.getfixturevalue("sorted_bounds")
    by_bounds = scene(device)
    assert by_bounds.engine.store.rows(AllowedPair) == 0 and by_bounds.engine.store.rows(BarredPair) > 0
    start = by_bounds.state()
    for found, wanted in zip(run(by_bounds), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
    by_bounds.set_state(start)  # with the bounds in the order of the end; and in any other
    order = host(by_bounds[ShapeOrder].shape)
    by_bounds[ShapeOrder].shape = np.random.default_rng(1).permuted(order, axis=0)
    for found, wanted in zip(run(by_bounds), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
    ghost = host(by_bounds.actors["ghost"].root_pose)[:, 2]
    assert (ghost < 0.4).all()  # fell through the heap, and through ground that its mask does not have


@pytest.mark.parametrize("slots", [0, 12], ids=["all", "few slots"])
def test_a_warp_lists_the_same_candidates(slots: int) -> None:
    """What runs on a GPU, by threads of Python, against the systems that it stands in for, with what did not fit."""
    world = scene("cpu")
    world.step(40)
    store = world.engine.store
    fields = (c.CandidateCount.current, *(getattr(c.CandidatePair, name) for name in ("a", "b", "key")))
    rows = store.rows(c.Candidate)
    listed = replace_rows(broad_phase.list_candidates, slots or rows)
    found = []
    for each in (lambda: store.program([broad_phase.near_pairs, listed]).run(), lambda: by_warps(store, slots or rows)):
        for field in (*fields, c.Status.candidates_dropped):
            store.set(field, 0)
        each()
        found.append([host(store.view(field)).copy() for field in (*fields, c.Status.candidates_dropped)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    count, dropped = found[0][0], found[0][-1]
    assert count.min() > 10 and len(set(count[0].tolist())) > (1 if not slots else 0)
    assert (dropped.min() > 0) == bool(slots)


def replace_rows(made: System, slots: int) -> System:
    """The same system with so many slots for candidates."""
    return replace(made, arguments=made.arguments | {"slots": Access("rows", slots)})


def by_warps(store: Any, slots: int) -> None:
    run_team_system(replace_rows(near_pair_teams.list_near_pairs, slots), store)


@pytest.mark.slow
def test_200_shapes_fall_into_a_bin_and_rest(device: str) -> None:
    """More pairs than are listed; 3 s with damping. All stay in the bin and above its floor, and most are at rest."""
    world = px.World(num_envs=1, device=device, dt=1 / 120)
    world.add_ground()
    for k, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        half = (0.05, 1.0, 1.0) if x else (1.0, 0.05, 1.0)
        world.add_rigid_object(px.Shape("box", half), f"wall{k}", kind="static", position=(0.7 * x, 0.7 * y, 1.0))
    objects = heap(world, 200, angular_damping=3.0, linear_damping=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing may be dropped
        world.step(360)
    assert world.engine.store.rows(AllowedPair) == 0
    pose = np.array([host(o.root_pose)[0] for o in objects])
    speed = np.linalg.norm([host(o.root_vel)[0, :3] for o in objects], axis=1)
    assert np.abs(pose[:, :2]).max() < 0.65 and pose[:, 2].min() > 0.02
    assert np.median(speed) < 0.02 and np.mean(speed < 0.1) > 0.9, np.percentile(speed, [50, 90, 100])


def test_pairs_of_2000_spheres_are_those_of_a_search_tree(device: str) -> None:
    """Every pair nearer than the contact offsets is in contact, and no other."""
    count, radius, offset = 2000, 0.05, 0.01
    world = px.World(num_envs=1, device=device, dt=1e-4, gravity=(0, 0, 0), contact_offset=offset, speculative=False)
    places = np.random.default_rng(1).uniform(-1.0, 1.0, (count, 3))
    for k, place in enumerate(places):
        world.add_rigid_object(px.Shape("sphere", (radius,)), f"o{k}", mass=1.0, position=place.tolist())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world.step()
    used = int(host(world[ContactCount].current)[0, 0])
    pairs = {
        tuple(sorted(pair))
        for pair in zip(host(world[ContactPoint].a)[:used, 0], host(world[ContactPoint].b)[:used, 0], strict=True)
    }
    near = KDTree(places).query_pairs(2 * (radius + offset) - 1e-6)
    assert len(near) > 1000 and near <= pairs <= KDTree(places).query_pairs(2 * (radius + offset) + 1e-6)


@pytest.mark.slow
def test_8192_environments_of_8_shapes_fit_and_agree(device: str) -> None:
    """Less than 100 kB each, on GPUs 140 with what solvers of islands need; the last one does what the first does, to
    the bit.
    """
    world = px.World(num_envs=8192, device=device, dt=1 / 60)
    world.add_ground()
    objects = heap(world, 8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world.step(18)
    assert world.engine.store.nbytes() < 8192 * (100e3 if device == "cpu" else 140e3)
    assert (host(world[ContactCount].current) > 8).all()
    for each in objects:
        pose = host(each.root_pose)
        np.testing.assert_array_equal(pose, np.broadcast_to(pose[0], pose.shape))
