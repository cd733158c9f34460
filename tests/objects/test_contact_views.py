"""Contact views: forces carry weights, act in pairs, and agree with the contacts that are listed one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.world.layout.fill import grow_slots

G = 9.81
DT = 1 / 240
SETTLED = 480  # steps
SPEED = 3.0
FRICTION = [0.1, 0.2, 0.4]


class Scene:
    """Three environments: in the first the upper box lies on the lower, in the second beside it, in the third it
    falls; a box slides on the ground, with a different friction in each.
    """

    def __init__(self, device: str) -> None:
        self.world = world = px.World(3, device, dt=DT)
        world.add_ground()
        self.robot = world.add_robot("quadruped", position=(0, 3, 0.32))
        cube = px.Shape("box", (0.1, 0.1, 0.1))
        self.lower = world.add_rigid_object(cube, "lower", mass=2.0, position=(0, 0, 0.1))
        self.upper = world.add_rigid_object(cube, "upper", mass=3.0, position=(0, 0.02, 0.3))
        world.add_rigid_object(px.Shape("box", (0.3, 0.3, 0.2)), "table", kind="static", position=(2, 0, 0.2))
        world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball", mass=1.5, position=(2, 0, 0.5))
        self.slider = world.add_rigid_object(cube, "slider", mass=4.0, position=(0, -3, 0.1))
        self.objects = world.contact_view(
            ["lower", "upper", "ball", "slider"], ["ground", "lower", "upper", "table"], name="objects"
        )
        self.feet = world.contact_view("robot/.*", {"floor": "ground", "things": ["lower", "ball"]}, name="feet")
        self.robot.set_drive(stiffness=60.0, damping=2.0)
        self.upper.set_root_state(pose=[1.0, 1.0, 0.1, 1, 0, 0, 0], env_ids=[1])
        self.upper.set_root_state(pose=[0.0, 0.0, 60.0, 1, 0, 0, 0], env_ids=[2])
        self.slider.set_material(np.array(FRICTION)[:, None], np.array(FRICTION)[:, None])
        self.world.step(SETTLED)
        self.slider.set_root_state(vel=[SPEED, 0, 0, 0, 0, 0])
        self.world.step(24)
        self.net, self.normal = host(self.objects.net_force()), host(self.objects.net_force(normal_only=True))
        self.matrix = host(self.objects.force_matrix())
        self.on_slider = host(self.slider.net_contact_force), host(self.slider.net_normal_contact_force)
        self.data = px.ContactData(*map(host, self.objects.contact_data()))
        self.friction = px.FrictionData(*map(host, self.objects.friction_data()))

    def row(self, body: str) -> int:
        return self.objects.body_names.index(f"{body}/{self.world.objects[body].body_names[0]}")

    def column(self, body: str) -> int:
        names = [name.split("/")[0] for name in self.objects.filter_names]
        return names.index(body)


@pytest.fixture(scope="module")
def scene(device: str) -> Scene:
    return Scene(device)


def test_net_force_is_the_weight_of_what_rests(scene: Scene) -> None:
    weights = {"lower": (2.0, 2.0, 2.0), "upper": (3.0, 3.0, 0.0), "ball": (1.5, 1.5, 1.5)}
    for name, masses in weights.items():
        expected, within = np.array(masses)[:, None] * [0, 0, G], 0.005 * masses[0] * G
        assert np.allclose(scene.net[:, scene.row(name)], expected, atol=within), name
        assert np.allclose(scene.normal[:, scene.row(name), 2], expected[:, 2], atol=within), name
    assert np.array_equal(scene.net[2, scene.row("upper")], [0, 0, 0])
    robot = host(scene.feet.net_force()).sum(axis=1)
    weight = host(scene.world[px.components.LinkInertia].mass)[scene.robot._bound.links].sum() * G
    assert np.allclose(robot, [0, 0, weight], atol=0.005 * weight)
    floor, things = np.moveaxis(host(scene.feet.force_matrix()), 2, 0)
    assert np.allclose(floor.sum(axis=1), robot, atol=1e-4 * weight) and not things.any()


def test_pairs(scene: Scene) -> None:
    lower, upper = scene.row("lower"), scene.row("upper")
    on_lower, on_upper = scene.matrix[:, lower, scene.column("upper")], scene.matrix[:, upper, scene.column("lower")]
    assert np.array_equal(on_lower, -on_upper)
    assert on_upper[0, 2] == pytest.approx(3.0 * G, rel=0.005) and not on_upper[1:].any()
    ground = scene.matrix[:, lower, scene.column("ground"), 2]
    assert np.allclose(ground, np.array([5.0, 2.0, 2.0]) * G, rtol=0.005)
    assert np.allclose(scene.matrix[:, scene.row("ball"), scene.column("table"), 2], 1.5 * G, rtol=0.005)
    assert np.allclose(scene.matrix.sum(axis=2), scene.net, atol=1e-3)  # nothing else is touched


def test_contacts_one_by_one_agree_with_pairs(scene: Scene) -> None:
    data, friction = scene.data, scene.friction
    assert data.counts.shape == data.starts.shape == scene.matrix.shape[:3]
    counts = data.counts[:, scene.row("upper")].sum(axis=1)
    assert counts.tolist() == [4, 4, 0] and data.counts[0].sum() > data.counts[2].sum()
    covered = np.zeros(len(data.points), bool)
    for place in np.ndindex(*data.counts.shape):
        rows = slice(int(data.starts[place]), int(data.starts[place] + data.counts[place]))
        assert not covered[rows].any()
        covered[rows] = True
        along = (data.normal_forces[rows, None] * data.normals[rows]).sum(axis=0)
        across = friction.forces[rows].sum(axis=0)
        assert np.allclose(along + across, scene.matrix[place], atol=2e-3)
        assert np.allclose(np.linalg.norm(data.normals[rows], axis=1), 1, atol=1e-5)
        assert np.allclose((friction.forces[rows] * data.normals[rows]).sum(axis=1), 0, atol=1e-3)
    for values in (*data[:4], *friction[:2]):
        assert not values[~covered].any()
    assert np.array_equal(friction.points, data.points) and np.array_equal(friction.starts, data.starts)
    place = (0, scene.row("upper"), scene.column("lower"))
    points = data.points[int(data.starts[place]) :][:4]
    assert np.allclose(points[:, 2], 0.2, atol=1e-3) and np.allclose(np.abs(points[:, 0]), 0.1, atol=2e-3)
    assert np.allclose(np.sort(points[:, 1]), [-0.08, -0.08, 0.1, 0.1], atol=2e-3)
    assert (np.abs(data.separations[covered]) < 1e-3).all()


def test_sliding_friction_is_the_coefficient_times_the_normal_force_against_the_motion(scene: Scene) -> None:
    place = (slice(None), scene.row("slider"), scene.column("ground"))
    force = scene.matrix[place]
    assert np.allclose(force[:, 2], 4.0 * G, rtol=0.005)
    mean = 0.5 * (np.array(FRICTION) + 0.8)  # of the box and of the ground
    assert np.allclose(force[:, 0], -mean * 4.0 * G, rtol=0.01) and np.abs(force[:, 1]).max() < 0.05
    whole, normal = scene.on_slider
    assert np.allclose(whole[:, 0], force, atol=1e-3) and np.allclose(normal[:, 0], scene.normal[place[:2]], atol=1e-3)
    assert np.allclose(normal[:, 0, :2], 0.0, atol=1e-3)
    assert (host(scene.slider.root_vel)[:, 0] > 0.5).all()
    starts, counts = (values[place].astype(int) for values in (scene.friction.starts, scene.friction.counts))
    for env, (start, count) in enumerate(zip(starts, counts, strict=True)):
        forces, pushes = scene.friction.forces[start : start + count], scene.data.normal_forces[start : start + count]
        assert np.allclose(np.linalg.norm(forces, axis=1), mean[env] * pushes, rtol=0.01, atol=0.02)


def test_friction_at_its_anchors_is_what_changes_the_motion(device: str) -> None:
    """A box slides and spins on another that slides: its momentum, linear and angular, changes by what is reported."""
    world = px.World(2, device, "float64", dt=DT)
    world.add_ground()
    lower = world.add_rigid_object(px.Shape("box", (0.5, 0.5, 0.1)), "lower", mass=8.0, position=(0, 0, 0.1))
    upper = world.add_rigid_object(px.Shape("box", (0.15, 0.1, 0.05)), "upper", mass=2.0, position=(0.1, 0, 0.25))
    view = world.contact_view(["lower", "upper"], ["lower", "upper", "ground"])
    world.step(60)
    lower.set_root_state(vel=[[0.5, 0.2, 0, 0, 0, 0.3], [0, 0, 0, 0, 0, 0]])
    upper.set_root_state(vel=[[-0.4, 0.6, 0, 0, 0, -5.0], [1.0, 0, 0, 0, 0, 8.0]])
    masses = np.array([8.0, 2.0])
    spins = masses / 3 * np.array([0.5**2 + 0.5**2, 0.15**2 + 0.1**2])
    slowed = np.zeros(2)
    for _ in range(20):
        pose, vel = (host(lower.root_pose), host(upper.root_pose)), (host(lower.root_vel), host(upper.root_vel))
        world.step()
        after = host(lower.root_vel), host(upper.root_vel)
        forces, points, counts, starts = map(host, view.friction_data())
        for e in range(2):
            for i in range(2):
                push, moment = np.zeros(3), np.zeros(3)
                for start, count in zip(starts[e, i], counts[e, i], strict=True):
                    rows = slice(int(start), int(start + count))
                    push += forces[rows].sum(axis=0)
                    moment += np.cross(points[rows] - pose[i][e, :3], forces[rows]).sum(axis=0)
                np.testing.assert_allclose(masses[i] * (after[i] - vel[i])[e, :2], DT * push[:2], atol=1e-6)
                assert spins[i] * (after[i] - vel[i])[e, 5] == pytest.approx(DT * moment[2], abs=1e-6)
            slowed[e] += abs(after[1][e, 5]) < abs(vel[1][e, 5])
            rows = [slice(int(starts[e, i, j]), int(starts[e, i, j] + counts[e, i, j])) for i, j in ((0, 1), (1, 0))]
            np.testing.assert_array_equal(forces[rows[0]], -forces[rows[1]])
            np.testing.assert_array_equal(points[rows[0]], points[rows[1]])
    assert (slowed == 20).all()


def test_impulses_and_other_steps(scene: Scene) -> None:
    impulse = host(scene.objects.net_force(dt=1.0))
    assert np.allclose(impulse / DT, scene.net, rtol=1e-5, atol=1e-5)
    assert np.allclose(host(scene.objects.force_matrix(dt=2 * DT)) * 2, scene.matrix, rtol=1e-5, atol=1e-5)
    assert np.allclose(host(scene.objects.contact_data(dt=1.0).normal_forces) / DT, scene.data.normal_forces, rtol=1e-5)
    with pytest.raises(ValueError, match="dt=0: must be finite and above 0"):
        scene.objects.net_force(dt=0)


def test_a_view_made_later_and_too_small_says_so_and_keeps_its_sums(scene: Scene) -> None:
    small = scene.world.contact_view(["upper", "slider"], ["lower", "ground"], name="small", max_contacts=5)
    unlimited = host(scene.objects.force_matrix())
    if scene.world.device == "cpu":
        with pytest.warns(
            px.SimulationWarning, match=r"'small'.* 5 rows in environments 0, 1 .*max_contacts=8 or more"
        ):
            small.force_matrix()
        with pytest.warns(px.SimulationWarning, match="max_contacts=8"):
            data = small.contact_data()
    else:
        data = small.contact_data()
        with pytest.warns(px.SimulationWarning, match="max_contacts=8"):
            scene.world.check()
    assert host(data.counts).sum(axis=(1, 2)).tolist() == [5, 5, 4] and data.points.shape == (15, 3)
    rows = [scene.row("upper"), scene.row("slider")]
    columns = [scene.column("ground"), scene.column("lower")]
    assert [name.split("/")[0] for name in small.filter_names] == ["lower", "ground"]
    if scene.world.device == "cpu":
        with pytest.warns(px.SimulationWarning, match="max_contacts=8"):
            matrix = host(small.force_matrix())
    else:
        matrix = host(small.force_matrix())
    assert np.array_equal(matrix, unlimited[:, rows][:, :, columns[::-1]])
    assert np.array_equal(host(scene.objects.contact_data().points), scene.data.points)


def test_room_grows_with_the_world_and_other_environments_do_not_matter(device: str) -> None:
    found = []
    for count in (1, 5):
        world = px.World(count, device, dt=DT)
        world.add_ground()
        box = world.add_rigid_object(px.Shape("box", (0.1, 0.2, 0.1)), "box", mass=2.0, position=(0, 0, 0.1))
        view = world.contact_view("box", "ground")
        box.set_root_state(vel=np.linspace([1.0, 0, 0, 0, 0, 2.0], [2.0, 0, 0, 0, 0, 0], count))
        world.step(24)
        before = [host(part) for part in view.contact_data()]
        assert before[-2].tolist() == [[[4]]] * count
        slots = world.engine.store.rows(px.components.Contact)
        grow_slots(world.engine.store, px.components.Contact, 3 * slots)
        after = [host(part) for part in view.contact_data()]
        assert len(after[0]) == count * world.engine.store.rows(px.components.Contact) > len(before[0])
        assert all(np.array_equal(old[:slots], new[:slots]) for old, new in zip(before[:4], after[:4], strict=True))
        found.append([*(part[:slots] for part in after[:4]), host(view.friction_data().forces)[:slots]])
    for alone, among in zip(*found, strict=True):
        assert np.array_equal(alone, among)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bodies": "robt"}, "nothing matches 'robt'; there are lower/"),
        ({"bodies": "lower", "filters": ["upper", "sky"]}, "filters: nothing matches 'sky'"),
        (
            {"bodies": "lower", "filters": {"a": "upper", "b": "upper"}},
            "'upper/.*' belongs to filter 'b' and to another",
        ),
        ({"bodies": "low["}, "'low\\[' is no regular expression"),
        ({"bodies": "lower", "max_contacts": 0}, "max_contacts=0: must be a whole number, at least 1"),
    ],
)
def test_what_is_no_view(arguments: dict[str, Any], message: str) -> None:
    world = px.World()
    for name in ("lower", "upper"):
        world.add_rigid_object(px.Shape("sphere", (0.1,)), name)
    with pytest.raises(ValueError, match=message):
        world.contact_view(**arguments)
    assert not world.contact_views
    with pytest.raises(ValueError, match="force_matrix\\(\\) reports pairs: pass filters= to contact_view"):
        world.contact_view("lower").force_matrix()
