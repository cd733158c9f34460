"""Tensor views of rigid bodies: layouts, round trips, and frames and forces against independent formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from facade.physx_scenes import DT, G, floats, objects_world, transforms, turned

import phalanx as px
from phalanx.facade.physx import RigidBodyView, RigidContactView, SimulationView
from phalanx.maths.arrays import matrix

SHAPES = {
    "transforms": (7,), "velocities": (6,), "accelerations": (6,), "masses": (1,), "inv_masses": (1,), "coms": (7,),
    "inertias": (9,), "inv_inertias": (9,), "disable_gravities": (1,), "material_properties": ("shapes", 3),
    "contact_offsets": ("shapes",), "rest_offsets": ("shapes",),
}  # fmt: skip


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    world = objects_world(7, device)
    rng = np.random.default_rng(0)
    world.objects["bar"].set_com(rng.uniform(-0.05, 0.05, (world.num_envs, 3)))
    world.objects["bar"].set_inertia([[0.03, 0.002, -0.001], [0.002, 0.02, 0.003], [-0.001, 0.003, 0.025]])
    return world


def views(world: px.World) -> dict[str, RigidBodyView]:
    """One body; a collection, which is object by object; the same environment by environment; any order."""
    origins = np.random.default_rng(1).uniform(-20, 20, (world.num_envs, 3))
    names, n = ["box", "bar", "ball"], world.num_envs
    return {
        "bar": RigidBodyView(world, "bar", origins=origins),
        "by column": RigidBodyView(world, world.collections["things"], origins=origins),
        "by environment": RigidBodyView(world, [(name, e) for e in range(n) for name in names], origins=origins),
        "listed": RigidBodyView(world, [("ball", n - 1), ("bar", [n - 1, 0] if n > 1 else 0)], origins=origins),
    }


@pytest.mark.parametrize("num_envs", [1, 7])
def test_shapes(num_envs: int, device: str, api: str) -> None:
    world = unstepped(device, num_envs)
    contacts = RigidContactView(world, [("box", None), ("bar", None)], ["ground", "ball"])
    assert tuple(contacts.get_net_contact_forces().shape) == (2 * num_envs, 3)
    assert tuple(contacts.get_contact_force_matrix().shape) == (2 * num_envs, 2, 3)
    for order, view in views(world).items():
        count = {"bar": 1, "by column": 3, "by environment": 3}.get(order, 0) * world.num_envs or view.count
        assert view.count == count and len(view.prim_paths) == count
        for name, shape in SHAPES.items():
            found = getattr(view, f"get_{name}")()
            assert tuple(found.shape) == (count, *(view.max_shapes if s == "shapes" else s for s in shape)), name
            assert str(found.dtype).endswith("uint8" if name == "disable_gravities" else "float32"), name
    assert views(world)["by column"].max_shapes == 2
    materials = floats(views(world)["by column"].get_material_properties())
    assert not materials[: world.num_envs, 1].any() and materials[world.num_envs : 2 * world.num_envs, 1, 0].all()


def test_orders_of_rows_are_one_world(world: px.World, api: str, give: Any) -> None:
    """What is written through one view is read through the others."""
    made, n = views(world), world.num_envs
    rng = np.random.default_rng(2)
    poses, speeds = transforms(rng, 3 * n), rng.normal(size=(3 * n, 6))
    made["by column"].set_transforms(give(poses))
    made["by column"].set_velocities(give(speeds))
    for name, given in (("transforms", poses), ("velocities", speeds)):
        block = given.reshape(3, n, -1)
        expected = {
            "by column": given,
            "bar": block[1],
            "by environment": np.swapaxes(block, 0, 1).reshape(3 * n, -1),
            "listed": np.stack([block[2, n - 1], block[1, n - 1], block[1, 0]])[: made["listed"].count],
        }
        for order, values in expected.items():
            found = floats(getattr(made[order], f"get_{name}")())
            np.testing.assert_allclose(found, values, atol=1e-5, err_msg=f"{order} {name}")


SETTERS = {
    "transforms": (7,), "velocities": (6,), "masses": (1,), "coms": (7,), "inertias": (9,), "disable_gravities": (1,),
    "material_properties": (2, 3), "contact_offsets": (2,), "rest_offsets": (2,),
}  # fmt: skip


@pytest.mark.parametrize("name", SETTERS)
@pytest.mark.parametrize("order", ["by column", "by environment", "listed"])
def test_what_is_set_is_what_is_there_and_other_rows_stay(
    name: str, order: str, device: str, api: str, give: Any
) -> None:
    world = unstepped(device)
    members = [("box", None), ("bar", None)]
    if order == "by environment":
        members = [(body, env) for env in range(7) for body in ("box", "bar")]
    elif order == "listed":
        members = [("bar", [4, 2, 0]), ("box", [1, 3]), ("bar", 1), ("box", [2, 0])]
    view = RigidBodyView(world, members)
    assert view._rows.order == order
    rng = np.random.default_rng(len(name))
    values = rng.uniform(0.02, 0.9, (view.count, *SETTERS[name]))
    if name == "transforms":
        values = transforms(rng, view.count)
    elif name == "coms":
        now = floats(view.get_coms())
        values = np.concatenate((values[:, :3], now[:, 3:]), axis=1)
    elif name == "inertias":
        values = (np.eye(3) * rng.uniform(0.5, 0.9, (view.count, 1, 3)) + 0.01).reshape(-1, 9)
    elif name == "disable_gravities":
        values = 1 - floats(view.get_disable_gravities())
    elif name == "rest_offsets":
        values *= 0.01
    if SETTERS[name][0] == 2:  # boxes have one shape
        boxes = [c for c, (actor, _) in enumerate(view._rows.keys) if actor.name == "box"]
        values[view._rows.column == boxes[0], 1] = 0.0
    others = {each: floats(getattr(view, f"get_{each}")()) for each in SETTERS}
    rows = [6, 1, 3]
    getattr(view, f"set_{name}")(give(values), give(np.array(rows)))
    found = floats(getattr(view, f"get_{name}")())
    stay = [i for i in range(view.count) if i not in rows]
    np.testing.assert_allclose(found[rows], values[rows], rtol=3e-6, atol=3e-6)
    np.testing.assert_array_equal(found[stay], others[name][stay])
    related = {"transforms": {"velocities"}, "coms": {"velocities"}, "inertias": {"coms"}}
    for each, before in others.items():
        if each != name and each not in related.get(name, set()):
            np.testing.assert_array_equal(floats(getattr(view, f"get_{each}")()), before, err_msg=each)
    getattr(view, f"set_{name}")(give(values))
    np.testing.assert_allclose(floats(getattr(view, f"get_{name}")()), values, rtol=3e-6, atol=3e-6)


class Counting:
    """An array module that notes which arrays of whole numbers are brought to the device."""

    def __init__(self, real: Any) -> None:
        self._real, self.brought = real, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def asarray(self, values: Any, *more: Any, **options: Any) -> Any:
        self.brought += isinstance(values, np.ndarray) and values.dtype.kind in "iub"
        return self._real.asarray(values, *more, **options)

    def array(self, values: Any, *more: Any, **options: Any) -> Any:
        self.brought += isinstance(values, np.ndarray) and values.dtype.kind in "iub"
        return self._real.array(values, *more, **options)


@pytest.mark.parametrize("order", ["by column", "by environment", "listed"])
def test_numbers_of_rows_are_brought_to_the_device_once(
    order: str, device: str, api: str, give: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writes of chosen rows, reads and forces bring no row numbers to a GPU once they have run."""
    view = views(unstepped(device))[order]
    counting = Counting(view._xp)
    monkeypatch.setattr(RigidBodyView, "_xp", counting)
    rows, poses = give(np.array([1, 0])), give(floats(view.get_transforms()))
    velocities, forces = give(np.ones((view.count, 6))), give(np.ones((view.count, 3)))
    counts, found = [], []
    for _ in range(3):
        before = counting.brought
        view.set_transforms(poses, rows)
        view.set_velocities(velocities, rows)
        view.apply_forces(forces, rows)
        found.append(np.concatenate([floats(view.get_velocities()), floats(view.get_masses())], axis=1))
        counts.append(counting.brought - before)
    assert counts[0] > 0 and counts[1:] == [0, 0]
    np.testing.assert_array_equal(found[0], found[2])
    assert view._brought(np.array([[3, 4]])) is view._brought(np.array([[3, 4]]))
    assert view._brought(np.array([[3, 4]])) is not view._brought(np.array([3, 4]))


_unstepped: dict[tuple[str, int], px.World] = {}


def unstepped(device: str, num_envs: int = 7) -> px.World:
    """Objects that never move."""
    if (device, num_envs) not in _unstepped:
        _unstepped[device, num_envs] = objects_world(num_envs, device)
    return _unstepped[device, num_envs]


def test_velocities_are_of_centres_of_mass(world: px.World, api: str, give: Any) -> None:
    view = views(world)["bar"]
    rng = np.random.default_rng(3)
    poses, speeds = transforms(rng, view.count), rng.normal(size=(view.count, 6))
    view.set_transforms(give(poses))
    view.set_velocities(give(speeds))
    coms = floats(view.get_coms())[:, :3]
    arms = np.einsum("nij,nj->ni", turned(poses[:, 3:]), coms)
    engine = floats(world.objects["bar"].root_vel)
    np.testing.assert_allclose(engine[:, :3] + np.cross(engine[:, 3:], arms), speeds[:, :3], atol=1e-5)
    np.testing.assert_allclose(floats(world.objects["bar"].com_vel), speeds, atol=1e-5)


def test_axes_of_centres_of_mass_are_principal(world: px.World, api: str, give: Any) -> None:
    view = RigidBodyView(world, "bar")
    full = floats(view.get_inertias()).reshape(-1, 3, 3)
    coms = floats(view.get_coms())
    axes = matrix(coms[:, [6, 3, 4, 5]])
    moments = np.swapaxes(axes, -1, -2) @ full @ axes
    products = moments - moments * np.eye(3)
    assert np.abs(products).max() < 1e-6 * np.trace(full[0])
    assert (np.abs(axes[:, range(3), range(3)]) > 0.7).all(), "axes are in the order nearest to the body's own"
    np.testing.assert_allclose(
        floats(view.get_inv_inertias()).reshape(-1, 3, 3) @ full, [np.eye(3)] * len(full), atol=1e-4
    )
    # written back they change nothing; turned they turn the inertia
    before = floats(view.get_inertias())
    view.set_coms(give(coms))
    assert np.array_equal(floats(view.get_inertias()), before)
    coms[:, 3:] = (0.0, 0.0, 0.0, 1.0)
    view.set_coms(give(coms))
    np.testing.assert_allclose(floats(view.get_inertias()).reshape(-1, 3, 3), moments * np.eye(3), atol=1e-7)
    view.set_inertias(give(before))
    for wrong in (-before, np.where(np.arange(9) % 4 == 0, 1.0, -2.0) + 0.0 * before):  # the latter has a moment of -3
        with pytest.raises(ValueError, match=r"principal moments .* are no body's"):
            view.set_inertias(give(wrong.astype(before.dtype)))
    assert np.array_equal(floats(view.get_inertias()), before)


@pytest.mark.parametrize("is_global", [True, False])
def test_forces_at_positions_accelerate(world: px.World, api: str, give: Any, is_global: bool) -> None:
    """m a = F + m g, I alpha = T + arm x F for bodies at rest, in one step; in the next one only gravity acts."""
    for order in ("by column", "by environment"):
        view = views(world)[order]
        rng, n = np.random.default_rng(4), view.count
        poses = transforms(rng, n)
        poses[:, 2] += np.arange(n) * 3  # apart
        view.set_transforms(give(poses))
        view.set_velocities(give(np.zeros((n, 6))))
        rotation, coms = turned(floats(view.get_transforms())[:, 3:]), floats(view.get_coms())[:, :3]
        force, torque, own = rng.normal(size=(3, n, 3)) * np.array([5.0, 0.1, 0.1])[:, None, None]
        offset = np.einsum("nij,nj->ni", rotation, own)
        place = floats(view.get_transforms())[:, :3] + offset if is_global else own
        turn = np.broadcast_to(np.eye(3), (n, 3, 3)) if is_global else rotation
        in_world = [np.einsum("nij,nj->ni", turn, value) for value in (force, torque)]
        arms = offset - np.einsum("nij,nj->ni", rotation, coms)
        inertia = rotation @ floats(view.get_inertias()).reshape(-1, 3, 3) @ np.swapaxes(rotation, -1, -2)
        linear = in_world[0] / floats(view.get_masses()) + [0, 0, -G]
        moment = in_world[1] + np.cross(arms, in_world[0])
        angular = np.linalg.solve(inertia, moment[..., None])[..., 0]
        view.apply_forces_and_torques_at_position(give(force), give(torque), give(place), None, is_global)
        world.step()
        speeds = floats(view.get_velocities())
        np.testing.assert_allclose(speeds[:, :3] / DT, linear, atol=2e-3 * np.abs(linear).max())
        np.testing.assert_allclose(speeds[:, 3:] / DT, angular, atol=2e-3 * np.abs(angular).max())
        accelerations = floats(view.get_accelerations())
        np.testing.assert_allclose(accelerations[:, :3], linear, atol=0.02 * np.abs(linear).max())
        np.testing.assert_allclose(accelerations[:, 3:], angular, atol=2e-3 * np.abs(angular).max())
        world.step()
        change = floats(view.get_velocities())[:, :3] - speeds[:, :3]
        np.testing.assert_allclose(change, np.broadcast_to([0, 0, -G * DT], change.shape), atol=1e-4)


def test_forces_on_some_rows(world: px.World, api: str, give: Any) -> None:
    """The force of a row that no call names is what an earlier one gave."""
    view = views(world)["listed"]
    view.set_transforms(give(transforms(np.random.default_rng(0), view.count, height=50.0)))
    view.set_velocities(give(np.zeros((view.count, 6))))
    pushes = np.zeros((view.count, 3))
    pushes[:, 0] = 4.0
    view.apply_forces(give(pushes))
    view.apply_forces(give(-pushes), give(np.array([1])))
    world.step()
    expected = np.full(view.count, 2.0 * DT)
    expected[1] = -2.0 * DT
    np.testing.assert_allclose(floats(view.get_velocities())[:, 0], expected, atol=1e-5)
    world.step()
    np.testing.assert_allclose(floats(view.get_velocities())[:, 0], expected, atol=1e-5)


def test_kinematic_and_static_bodies(world: px.World, api: str, give: Any) -> None:
    n = world.num_envs
    view = RigidBodyView(world, [("platform", None), ("wall", None)])
    goals = floats(view.get_transforms())
    goals[:n, :3] += (0.02, 0.0, 0.01)
    view.set_kinematic_targets(give(goals), give(np.arange(n)))
    world.step()
    np.testing.assert_allclose(floats(view.get_transforms())[:n], goals[:n], atol=1e-5)
    np.testing.assert_allclose(floats(view.get_velocities())[:n, :3], [[0.02 / DT, 0, 0.01 / DT]] * n, rtol=1e-3)
    goals[n:, 1] += 0.5
    view.set_transforms(give(goals))
    view.set_velocities(give(np.ones((2 * n, 6))))
    np.testing.assert_allclose(floats(view.get_transforms()), goals, atol=1e-5)
    assert not floats(view.get_velocities())[n:].any(), "static bodies stand still"
    view.set_velocities(give(np.zeros((2 * n, 6))))
    with pytest.raises(ValueError, match="'wall' is static"):
        view.set_kinematic_targets(give(goals))


def test_links_of_robots(device: str, api: str, give: Any) -> None:
    """Feet, which are fixed to shanks: forces on both add up; their motion agrees with the robot's view."""
    world = robots(device)
    robot = world.robots["robot"]
    feet = [(("robot", f"{leg}_{part}"), env) for env in range(2) for leg in ("FL", "RR") for part in ("foot", "calf")]
    view = RigidBodyView(world, feet)
    assert view.prim_paths[4] == "/World/envs/env_1/robot/FL_foot"
    robot.set_joint_state(vel=np.linspace(-1, 1, 24).reshape(2, 12))
    poses, speeds, com = floats(robot.body_pose), floats(robot.body_vel), floats(robot.body_com)
    rows = [(env, robot.body_index(name)) for (_, name), env in feet]
    expected = np.stack([poses[row] for row in rows])[:, [0, 1, 2, 4, 5, 6, 3]]
    np.testing.assert_allclose(floats(view.get_transforms()), expected, atol=1e-6)
    arms = np.einsum("nij,nj->ni", turned(expected[:, 3:]), np.stack([com[row] for row in rows]))
    engine = np.stack([speeds[row] for row in rows])
    np.testing.assert_allclose(
        floats(view.get_velocities())[:, :3], engine[:, :3] + np.cross(engine[:, 3:], arms), atol=1e-5
    )
    with pytest.raises(ValueError, match="robot/FL_foot is a link"):
        view.set_transforms(view.get_transforms())
    force = np.arange(24.0).reshape(8, 3)
    view.apply_forces(give(force))
    wrench = world.engine.device.to_host(world[px.components.ExternalWrench].force)
    for k, name in enumerate(("FL_calf", "RR_calf")):
        link = robot._bound.links.start + robot.part.articulation.frames[robot.body_index(name)].link
        np.testing.assert_allclose(wrench[link].T, force.reshape(2, 2, 2, 3)[:, k].sum(axis=1))
    view.apply_forces(None)
    masses = floats(view.get_masses()) * 2
    view.set_masses(give(masses))
    np.testing.assert_allclose(floats(view.get_masses()), masses, rtol=1e-6)


_robots: dict[str, px.World] = {}


def robots(device: str) -> px.World:
    """Two quadrupeds, never stepped."""
    if device not in _robots:
        _robots[device] = px.World(2, device, dt=DT)
        _robots[device].add_robot("quadruped")
    return _robots[device]


def test_simulation_view(device: str, api: str) -> None:
    """Views by paths, from whoever knows them; gravity."""

    class Place:
        def __init__(self, actor: str, body: str, env: int | None) -> None:
            self.actor, self.body, self.env = actor, body, env

    def resolve(pattern: str) -> list[tuple[str, Place]]:
        names = ["box", "bar"] if pattern.endswith("*") else [pattern.rpartition("/")[2]]
        known = {name: world.objects[name].body_names[0] for name in names if name in world.objects}
        return [(f"/World/env_{e}/{n}", Place(n, b, e)) for n, b in known.items() for e in range(7)]

    world = unstepped(device)
    made = SimulationView(world, resolve, np.ones((7, 3)))
    view = made.create_rigid_body_view("/World/env_*/b*")
    assert view.prim_paths[7] == "/World/env_0/bar" and view.count == 14
    expected = floats(world.objects["bar"].root_pose)[:, :3] + 1
    np.testing.assert_allclose(floats(view.get_transforms())[7:, :3], expected, atol=1e-6)
    contacts = made.create_rigid_contact_view("/World/env_*/box", ["/World/env_*/bar"])
    assert (contacts.sensor_count, contacts.filter_count) == (7, 1)
    assert contacts.filter_paths[2] == ["/World/env_2/bar"]
    with pytest.raises(ValueError, match="nothing matches '/World/env_0/lamp'"):
        made.create_rigid_body_view("/World/env_0/lamp")
    made.set_gravity((0.0, 1.0, -2.0))
    assert made.get_gravity() == (0.0, 1.0, -2.0) and made.check() and made.is_valid
    made.set_gravity((0.0, 0.0, -9.81))
    assert made.device_ordinal == (-1 if device == "cpu" else int(device.partition(":")[2] or 0))
    with pytest.raises(NotImplementedError, match="create_soft_body_view"):
        made.create_soft_body_view("/World/cloth")
    with pytest.raises(NotImplementedError, match="not made from a stage"):
        SimulationView(world).create_rigid_body_view("/World/box")
