"""What is asked and how it is answered: modes, filters, environments, names, and wrong input."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from queries.scenes import array
from scipy.spatial.transform import Rotation
from small_robots import arm

import phalanx as px
from phalanx import components
from phalanx.components.query import Query
from phalanx.models.robot_model import Body, RobotModel
from phalanx.world.queries import tables

DOWN = (0.0, 0.0, -1.0)


def tower(device: str, num_envs: int = 2) -> px.World:
    """A ground, and above the origin a ball at 1 m, a box at 2 m and a cylinder at 3 m, all 0.2 m high."""
    world = px.World(num_envs=num_envs, device=device)
    world.add_ground(collision_group=3)
    shapes = {"ball": ("sphere", (0.1,)), "box": ("box", (0.1,) * 3), "can": ("cylinder", (0.1, 0.1))}
    kinds = {"ball": "dynamic", "box": "kinematic", "can": "static"}
    for i, (name, (kind, size)) in enumerate(shapes.items()):
        world.add_rigid_object(
            px.Shape(kind, size), name=name, kind=kinds[name], position=(0, 0, 1.0 + i), collision_group=i,
            collision_mask=[0, 1, 2, 3] if name != "can" else [3],
        )  # fmt: skip
    return world


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    return tower(device)


def test_all_hits_are_sorted(world: px.World) -> None:
    """Nearest first, as many as there is place for; total says how many there were."""
    queries = world.queries
    up = queries.raycast([0.0, 0.0, 0.5], [0.0, 0.0, 2.0], mode="all", max_hits=5)
    assert array(up.hit)[1, 0].tolist() == [True, True, True, False, False]
    np.testing.assert_allclose(array(up.distance)[1, 0, :3], [0.4, 1.4, 2.4], atol=1e-6)
    assert [up.actor_name(0, 0, k) for k in range(5)] == ["ball", "box", "can", None, None]
    down = queries.raycast([0.0, 0.0, 5.0], DOWN, mode="all", max_hits=2)
    assert [down.actor_name(1, 0, k) for k in range(2)] == ["can", "box"]
    assert array(down.total).tolist() == [[4], [4]]
    near = queries.raycast([0.0, 0.0, 5.0], DOWN, 2.5, mode="all")
    assert array(near.total).tolist() == [[1], [1]]
    assert np.isinf(array(near.distance)[0, 0, 1:]).all() and np.isinf(array(near.position)[0, 0, 1:]).all()
    assert not array(near.normal)[0, 0, 1:].any() and (array(near.shape)[0, 0, 1:] == -1).all()
    sweep = queries.sweep_sphere(0.05, [0.05, 0.0, 5.0], DOWN, mode="all", max_hits=8)
    assert [sweep.actor_name(0, 0, k) for k in range(5)] == ["can", "box", "ball", "ground", None]
    assert (np.diff(array(sweep.distance)[0, 0, :4]) > 0).all()
    deep = queries.penetration(px.Shape("box", (0.3, 0.3, 1.15)), [0.0, 0.0, 2.0], mode="all", max_hits=4)
    assert array(deep.total)[0, 0] == 3 and array(deep.hit)[0, 0].sum() == 3
    assert (np.diff(array(deep.distance)[0, 0, :3]) >= 0).all()


def test_any_hit(world: px.World) -> None:
    """Some hit will do."""
    some = world.queries.raycast([[0, 0, 5.0], [1, 0, 5.0], [1, 0, 5.0]], [DOWN, DOWN, (0, 0, 1.0)], mode="any")
    assert array(some.hit).tolist() == [[True, True, False]] * 2
    assert some.actor_name(0, 1) == "ground" and some.actor_name(0, 2) is None
    assert some.body_name(0, 1) is None and some.body_name(0, 0) is not None


def test_filters(world: px.World) -> None:
    """Groups, masks, actors to ignore, and actors that alone count."""
    cast, start = world.queries.raycast, [0.0, 0.0, 5.0]

    def first(**options: Any) -> str | None:
        return cast(start, DOWN, **options).actor_name(0, 0)

    assert first() == "can"
    assert first(ignore="can") == "box"
    assert first(ignore=[world.objects["can"], "box"]) == "ball"
    assert first(ignore=["can", "box", "ball"]) == "ground"
    assert first(ignore=["can", "box", "ball", "ground"]) is None
    assert first(only="ball") == "ball"
    assert first(only=["ball", "box"], ignore="box") == "ball"
    assert first(mask=[0, 3]) == "ball"
    assert first(mask=0b1010) == "box"
    assert first(group=1) == "box", "the can's mask has group 3 only"
    assert first() == "can"
    touched = world.queries.overlap_box([1.0, 1.0, 4.0], start, mask=[0, 1], max_hits=4)
    assert array(touched.total).tolist() == [[2], [2]]
    assert array(touched.shape)[0, 0].tolist() == [0, 1, -1, -1]
    assert array(touched.actor)[0, 0].tolist() == [0, 1, -1, -1]


def test_environments_differ(device: str) -> None:
    """Each environment sees its own poses, with arguments of its own; a subset is answered alone."""
    world = tower(device, 4)
    heights = np.array([1.0, 1.2, 1.4, 1.6])
    pose = np.zeros((4, 7))
    pose[:, 2], pose[:, 3] = heights, 1.0
    world.objects["ball"].set_root_state(pose)
    hits = world.queries.raycast([0.0, 0.0, 0.0], [0.0, 0.0, 1.0], only="ball")
    np.testing.assert_allclose(array(hits.distance)[:, 0], heights - 0.1, atol=1e-6)
    some = world.queries.raycast(np.zeros((2, 3, 3)), [0.0, 0.0, 1.0], only="ball", env_ids=[3, 1])
    np.testing.assert_allclose(array(some.distance), np.repeat([[1.5], [1.1]], 3, axis=1), atol=1e-6)
    own = world.queries.raycast(np.zeros((4, 1, 3)), [0, 0, 1.0], [[1.0], [1.0], [1.35], [1.4]], only="ball")
    assert array(own.hit)[:, 0].tolist() == [True, False, True, False]
    sizes = world.queries.overlap_sphere([[0.05], [0.25], [0.25], [0.55]], [0, 0, 0.7], only="ball", mode="any")
    assert array(sizes.hit)[:, 0].tolist() == [False, False, False, False]
    sizes = world.queries.overlap_sphere([[0.25], [0.45], [0.55], [0.75]], [0, 0, 0.7], only="ball", mode="any")
    assert array(sizes.hit)[:, 0].tolist() == [True, True, False, False]
    world.step(10)
    hits = world.queries.raycast([0.0, 0.0, 0.0], [0.0, 0.0, 1.0], only="ball")
    np.testing.assert_allclose(
        array(hits.distance)[:, 0], array(world.objects["ball"].root_pose)[:, 2] - 0.1, atol=1e-6
    )


def test_bits_do_not_depend_on_the_number_of_environments(device: str) -> None:
    """The same environment among others, and more rays than before, give the same bits."""
    found = []
    rng = np.random.default_rng(4)
    origins = rng.uniform(-0.2, 0.2, (70, 40, 3)) + [0.0, 0.0, 5.0]
    directions = rng.uniform(-0.03, 0.03, (70, 40, 3)) + DOWN
    for num_envs in (70, 1):
        world = tower(device, num_envs)
        rays = world.queries.raycast(origins[-num_envs:], directions[-num_envs:], mode="all", max_hits=4)
        balls = world.queries.sweep_sphere(0.03, origins[-num_envs:, :20], directions[-num_envs:, :20])
        found.append([array(v)[-1] for h in (rays, balls) for v in (h.distance, h.position, h.normal, h.shape)])
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)
    assert np.isfinite(found[0][0]).mean() > 0.3


def test_queries_change_nothing(device: str) -> None:
    """A run with queries between its steps has the same bits, and a world that is never asked holds none of it."""
    states = []
    for asks in (False, True):
        world = tower(device)
        for _ in range(5):
            world.step(4)
            if asks:
                world.queries.raycast([0.0, 0.0, 5.0], DOWN, mode="all")
                world.queries.overlap(px.Shape("mesh", vertices=np.eye(4, 3)), [0.0, 0.0, 1.0])
        states.append(world.state())
        assert any(field.table is Query for field in world.engine.store._arrays) == asks
    assert states[0].keys() == states[1].keys()
    for key, value in states[0].items():
        assert np.array_equal(value, states[1][key]), key


def test_device_arrays(world: px.World) -> None:
    """Answers are arrays of the world's device; arguments from there are taken unchecked, and hit nothing if wrong."""
    xp = world.engine.device.xp
    hits = world.queries.raycast(xp.zeros((2, 4, 3)), xp.asarray([[0.0, 0.0, 1.0]]))
    assert isinstance(hits.distance, xp.ndarray) and isinstance(hits.actor, xp.ndarray)
    assert hits.distance.shape == (2, 4) and hits.position.shape == (2, 4, 3)
    if world.device != "cpu":
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            bad = xp.asarray([[xp.nan, 0, 0], [0, 0, 5.0], [0, 0, 5.0]])
            hits = world.queries.raycast(bad, xp.asarray([[0, 0, -1.0], [0, 0, 0], [0, 0, xp.nan]]))
        assert not array(hits.hit).any()


def test_poses_that_are_no_numbers(device: str) -> None:
    """A body whose pose is not finite is hit by nothing, in its environment alone."""
    world = tower(device)
    world.build()
    rows = world.objects["ball"]._root_coords
    world.objects["ball"]._write(components.Coordinate.value, rows, np.full((1, 7), np.nan), np.array([0]))
    world.touch_state()
    hits = world.queries.raycast([0.0, 0.0, 5.0], DOWN, mode="all")
    assert array(hits.total).tolist() == [[3], [4]]
    touched = world.queries.overlap_sphere(10.0, [0.0, 0.0, 1.0])
    assert array(touched.total).tolist() == [[3], [4]]
    assert array(world.queries.sweep_sphere(0.1, [0.0, 0.0, 5.0], DOWN, mode="all").total).tolist() == [[3], [4]]


def test_no_rays_and_more_rays(world: px.World) -> None:
    """Requests may be empty, and each larger than the last."""
    assert array(world.queries.raycast(np.zeros((0, 3)), [0.0, 0.0, 1.0]).distance).shape == (2, 0)
    assert array(world.queries.raycast([0, 0, 1.0], [0, 0, 1.0], env_ids=[]).hit).shape == (0, 1)
    for count in (3, 100, 7):
        hits = world.queries.raycast(np.tile([0.0, 0.0, 5.0], (count, 1)), DOWN, mode="all", max_hits=count)
        assert array(hits.total).tolist() == [[4] * count] * 2
        np.testing.assert_allclose(array(hits.distance)[1, :, 0], 1.9, atol=1e-6)


WRONG: list[tuple[str, tuple, dict, type[Exception], str]] = [
    ("raycast", ([0, 0], DOWN), {}, ValueError, r"raycast: origins has shape \(2,\); it must be \(m, 3\) or"),
    ("raycast", (np.zeros((3, 4, 3)), DOWN), {}, ValueError, "num_envs=2 here"),
    ("raycast", (np.zeros((4, 3)), np.ones((5, 3))), {}, ValueError, "directions is for 5 at once, .* for 4"),
    ("raycast", ([[0, 0, 0], [0, np.nan, 0]], DOWN), {}, ValueError, r"origins is not a number \(NaN\) in number 1"),
    ("raycast", ([0, 0, np.inf], DOWN), {}, ValueError, "origins is infinite in number 0"),
    (
        "raycast",
        (np.zeros((2, 1, 3)), [[DOWN], [(0, 0, 0)]]),
        {},
        ValueError,
        "directions is zero in environment 1, num",
    ),
    ("raycast", ([0, 0, 0], DOWN, -1.0), {}, ValueError, "max_distance is below 0 in number 0"),
    ("raycast", ([0, 0, 0], DOWN, [1.0, np.nan]), {}, ValueError, r"max_distance is not a number \(NaN\) in number 1"),
    ("raycast", (["a", "b", "c"], DOWN), {}, TypeError, "origins must be numbers"),
    ("raycast", ([0, 0, 0], DOWN), {"mode": "first"}, ValueError, "mode='first': must be one of closest, any, all"),
    ("raycast", ([0, 0, 0], DOWN), {"max_hits": 0}, ValueError, "max_hits=0"),
    ("raycast", ([0, 0, 0], DOWN), {"ignore": "cup"}, ValueError, "no actor 'cup'; there are ball, box, can, ground"),
    ("raycast", ([0, 0, 0], DOWN), {"mask": 1 << 40}, ValueError, "raycast: collision mask"),
    ("raycast", ([0, 0, 0], DOWN), {"skip": "can"}, TypeError, "raycast has no option 'skip'; it has mask, group"),
    ("raycast", ([0, 0, 0], DOWN), {"env_ids": [2]}, IndexError, "env_ids must lie in 0..1"),
    ("overlap_sphere", (-0.1, [0, 0, 0]), {}, ValueError, "overlap_sphere: radius is below 0"),
    ("overlap_box", ([0.1, -1, 1], [0, 0, 0]), {}, ValueError, "half_extents is below 0"),
    ("overlap_box", ([0.1, 1], [0, 0, 0]), {}, ValueError, "half_extents has shape"),
    ("overlap_box", ([1, 1, 1], [0, 0, 0], [0, 0, 0, 0]), {}, ValueError, "orientations is zero in number 0"),
    ("overlap", ("ball", [0, 0, 0]), {}, TypeError, "shape must be a phalanx.Shape, not str"),
    ("overlap", (px.Shape("sphere", (0.0,)), [0, 0, 0]), {}, ValueError, "overlap: sphere: a sphere needs 1 positive"),
    ("penetration", (px.Shape("sphere", (1.0,)), [0, 0, 0]), {"mode": "any"}, ValueError, "one of deepest, all"),
    ("penetration_between", ("ball", "cup"), {}, ValueError, "there is no actor 'cup'"),
    ("penetration_between", ("ground", "ball"), {}, ValueError, "'ground' has triangles or is a plane; name it second"),
]


@pytest.mark.parametrize(("query", "arguments", "options", "error", "message"), WRONG)
def test_wrong_input(
    world: px.World, query: str, arguments: tuple, options: dict, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        getattr(world.queries, query)(*arguments, **options)


def test_long_requests_run_in_parts(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """More rays than are run at once: as if they were asked for one by one, with bounded memory."""
    world = tower(device, 1)
    monkeypatch.setattr(tables, "MOST_NUMBERS", 20_000 * world.engine.store.stride)
    x = np.random.default_rng(5).uniform(-0.3, 0.3, 40_000)
    origins = np.stack([x, 0 * x, 0 * x + 5.0], axis=1)
    every = world.queries.raycast(origins, DOWN)
    assert array(every.distance).shape == (1, 40_000) and array(every.normal).shape == (1, 40_000, 3)
    some = world.queries.raycast(origins[17_000:17_100], DOWN)
    assert np.array_equal(array(some.distance), array(every.distance)[:, 17_000:17_100])
    inside = np.abs(x) < 0.0999
    hit_can = array(every.actor)[0] == 2
    assert np.array_equal(hit_can[inside | (np.abs(x) > 0.1001)], inside[inside | (np.abs(x) > 0.1001)])
    assert world.engine.store.rows(Query) < 25_000


def test_nothing_to_hit(device: str) -> None:
    """A world without any collision shape."""
    world = px.World(num_envs=2, device=device)
    world.add_robot(RobotModel("point", [Body("point", 1.0, inertia=np.eye(3))], []))
    hits = world.queries.raycast([0.0, 0.0, 50.0], [0.0, 0.0, 1.0], mode="all", max_hits=3)
    assert not array(hits.hit).any() and array(hits.actor).max() == -1
    assert not array(world.queries.overlap_sphere(100.0, [0.0, 0.0, 0.0]).hit).any()


def test_robots_are_where_they_are(device: str) -> None:
    """Rays at the shapes of a robot's links, moved by hand and by steps, hit the body that carries them."""
    world = px.World(num_envs=3, device=device)
    robot = world.add_robot(arm(), fixed_base=True, position=(1.0, 2.0, 3.0), orientation=(0.8, 0.6, 0.0, 0.0))
    rng = np.random.default_rng(6)
    robot.set_joint_state(pos=rng.uniform([-1.0, -1.5, 0.0], [1.0, 1.5, 0.1], (3, 3)))
    middle = {"base": 0.0, "upper": 0.15, "lower": 0.1, "tip": 0.0}  # of each body's shape along its z axis, m
    for steps in (0, 20):
        world.step(steps)
        pose = array(robot.body_pose).astype(float)
        turns = Rotation.from_quat(np.roll(pose[..., 3:], -1, axis=-1).reshape(-1, 4)).as_matrix().reshape(3, 4, 3, 3)
        order = [robot.body_names.index(name) for name in middle]
        x_axis, z_axis = turns[:, order][..., 0], turns[:, order][..., 2]
        centre = pose[:, order, :3] + z_axis * np.array(list(middle.values()))[:, None]
        hits = world.queries.raycast(centre - x_axis, x_axis)
        for k, name in enumerate(middle):
            assert {hits.body_name(e, k) for e in range(3)} == {name}
            assert {hits.actor_name(e, k) for e in range(3)} == {"robot"}
        np.testing.assert_allclose(array(hits.distance), [[0.9, 0.97, 0.97, 0.96]] * 3, atol=2e-5)
