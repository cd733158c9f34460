"""Collections of rigid objects: frames, choices, wrenches, wrong use; numbers come from NumPy and from formulas."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.assets import RigidObjectCfg, RigidObjectCollection, RigidObjectCollectionCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.io.formats.usd.bindings import Gf, UsdGeom, UsdPhysics
from phalanx.maths.arrays import rotate

NAMES = ["slab", "brick", "tile"]  # not in the order of the alphabet, which is that of nothing here
K = len(NAMES)
COMS = np.array([[0.03, -0.02, 0.05], [0.0, 0.04, -0.01], [-0.05, 0.0, 0.02]])
MASSES = np.array([2.0, 0.5, 3.0])
INERTIAS = np.array([[0.01, 0.03, 0.035], [0.004, 0.003, 0.002], [0.02, 0.05, 0.06]])
PLACES = np.array([[0.0, 0.5, 1.0], [0.0, -0.5, 2.0], [1.0, 0.0, 3.0]])
SHAPES = json.loads((Path(__file__).parent / "documented_shapes.json").read_text())["RigidObjectCollectionData"]
Scene = tuple[SimulationContext, RigidObjectCollection]


@pytest.fixture(params=[1, 7])
def count(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture
def scene(count: int, device: str, api: str) -> Iterator[Scene]:
    """Three boxes in each environment whose centres of mass are off their origins; they fall freely."""
    yield make(count, device)
    clear()


def make(count: int, device: str) -> Scene:
    stage.new_stage()
    sim = SimulationContext(SimulationCfg(device=device, dt=0.01))
    for i in range(count):
        sim_utils.create_prim(f"/World/envs/env_{i}", "Xform", translation=(4.0 * i, -1.0, 0.0))
    return sim, RigidObjectCollection(RigidObjectCollectionCfg(rigid_objects=cfgs()))


def clear() -> None:
    SimulationContext.clear_instance()
    physics_events.clear()


def cfgs() -> dict[str, RigidObjectCfg]:
    return {name: cfg(i) for i, name in enumerate(NAMES)}


def cfg(i: int) -> RigidObjectCfg:
    def spawn(prim_path: str, spawner: Any, **place: Any) -> Any:
        made = sim_utils.spawn_cuboid(prim_path, spawner, **place)
        for prim in sim_utils.find_matching_prims(prim_path):
            mass = UsdPhysics.MassAPI(prim)
            mass.CreateCenterOfMassAttr(Gf.Vec3f(*COMS[i].tolist()))
            mass.CreateDiagonalInertiaAttr(Gf.Vec3f(*INERTIAS[i].tolist()))
            mass.CreatePrincipalAxesAttr(Gf.Quatf(1.0))
        return made

    spawner = sim_utils.CuboidCfg(
        size=(0.4, 0.2, 0.1),
        rigid_props=sim_utils.RigidBodyPropertiesCfg(),
        mass_props=sim_utils.MassPropertiesCfg(mass=float(MASSES[i])),
        collision_props=sim_utils.CollisionPropertiesCfg(),
    )
    spawner.func = spawn
    start = RigidObjectCfg.InitialStateCfg(pos=tuple(PLACES[i].tolist()), lin_vel=(0.1 * i, 0.2, 0.3))
    return RigidObjectCfg(prim_path=f"/World/envs/env_.*/{NAMES[i]}", spawn=spawner, init_state=start)


def poses(rng: np.random.Generator, n: int) -> np.ndarray:
    """(n, K, 7), a metre and more apart within an environment."""
    quaternions = rng.standard_normal((n, K, 4))
    quaternions /= np.linalg.norm(quaternions, axis=-1, keepdims=True)
    places = rng.uniform(-0.2, 0.2, (n, K, 3)) + [0, 0, 5] + 1.5 * np.arange(K)[:, None] * [1, 0, 0]
    return np.concatenate([places, quaternions], axis=-1).astype(np.float32)


def random_states(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.concatenate([poses(rng, n), rng.uniform(-1, 1, (n, K, 6))], -1).astype(np.float32)


def turned(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return rotate(quaternions, np.broadcast_to(vectors, (*quaternions.shape[:-1], 3)), np)


def back(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return turned(quaternions * [1, -1, -1, -1], vectors)


def test_shapes_are_the_documented_ones(scene: Scene, count: int) -> None:
    sim, things = scene
    sim.reset()
    for name, shape in SHAPES.items():
        wanted = tuple({"num_instances": count, "num_objects": K}.get(n, n) for n in shape)
        assert tuple(getattr(things.data, name).shape) == wanted, name
    assert things.num_instances == count and things.num_objects == K and not things.has_debug_vis_implementation
    assert things.object_names == NAMES == things.data.object_names
    for keys, preserve, numbers in (("[st].*", False, [0, 2]), (["tile", "slab"], True, [2, 0])):
        ids, names = things.find_objects(keys, preserve)
        assert host(ids).tolist() == numbers and names == [NAMES[i] for i in numbers]
    state = host(things.data.default_object_state)
    for i in range(K):
        np.testing.assert_allclose(
            state[:, i], [[*PLACES[i], 1, 0, 0, 0, 0.1 * i, 0.2, 0.3, 0, 0, 0]] * count, atol=1e-7
        )
        np.testing.assert_allclose(host(things.data.default_mass)[:, i, 0], MASSES[i], rtol=1e-6)
        np.testing.assert_allclose(
            host(things.data.default_inertia)[:, i], [np.diag(INERTIAS[i]).ravel()] * count, atol=1e-8
        )
        np.testing.assert_allclose(host(things.data.com_pos_b)[:, i], [COMS[i]] * count, atol=1e-7)


def test_rows_of_the_view_are_object_by_object(scene: Scene, count: int, give: Any) -> None:
    sim, things = scene
    sim.reset()
    view = things.root_physx_view
    assert view.prim_paths == [f"/World/envs/env_{i}/{name}" for name in NAMES for i in range(count)]
    assert (things.data.num_instances, things.data.num_objects) == (count, K)
    assert host(things._ALL_ENV_INDICES).tolist() == list(range(count))
    assert host(things._ALL_OBJ_INDICES).tolist() == list(range(K))
    composer = things.permanent_wrench_composer
    assert things._permanent_wrench_composer is composer and not things._instantaneous_wrench_composer.active
    assert (composer.num_envs, composer.num_bodies, composer.device) == (count, K, things.device)
    rows = host(view.get_transforms())
    data = host(things.reshape_view_to_data(view.get_transforms()))
    np.testing.assert_array_equal(rows[:, :3], np.concatenate([data[:, i, :3] for i in range(K)]))
    np.testing.assert_array_equal(data[..., :3], host(things.data.object_pos_w))
    numbers = np.arange(count * K * 2, dtype=np.float32).reshape(count * K, 2)
    shaped = things.reshape_view_to_data(give(numbers))
    assert host(shaped)[0, 1, 0] == numbers[count, 0] and host(shaped)[count - 1, 0, 1] == numbers[count - 1, 1]
    np.testing.assert_array_equal(host(things.reshape_data_to_view(shaped)), numbers)
    materials = host(view.get_material_properties())
    assert materials.shape == (count * K, 1, 3)
    np.testing.assert_array_equal(
        host(things.reshape_view_to_data(give(materials))), materials.reshape(K, count, 3).swapaxes(0, 1)
    )
    rows = things._env_obj_ids_to_view_ids(things._ALL_ENV_INDICES[:1], things._ALL_OBJ_INDICES)
    assert host(rows).tolist() == [i * count for i in range(K)]
    with pytest.raises(ValueError, match=rf"must have {count * K} rows"):
        things.reshape_view_to_data(give(numbers[1:]))
    with pytest.raises(ValueError, match=rf"must be \({count}, {K}, ...\)"):
        things.reshape_data_to_view(give(numbers))


def test_every_pair_of_frames_agrees(scene: Scene, count: int) -> None:
    """What is written as pose and velocity of one frame is read in the others as rigid bodies have it."""
    sim, things = scene
    sim.reset()
    rng = np.random.default_rng(count)
    for frame in ("link", "com"):
        pose, velocity = poses(rng, count), rng.uniform(-2, 2, (count, K, 6)).astype(np.float32)
        getattr(things, f"write_object_{frame}_state_to_sim")(np.concatenate([pose, velocity], axis=-1))
        for _ in range(2):  # at once, and as the simulation has it
            data = things.data
            np.testing.assert_allclose(
                host(getattr(data, f"object_{frame}_state_w"))[..., :3], pose[..., :3], atol=4e-6
            )
            np.testing.assert_allclose(host(getattr(data, f"object_{frame}_vel_w")), velocity, atol=5e-6)
            quat, arm = host(data.object_quat_w), turned(host(data.object_quat_w), COMS)
            np.testing.assert_allclose(np.abs((quat * pose[..., 3:]).sum(-1)), 1.0, atol=1e-6)  # axes are its own
            np.testing.assert_allclose(host(data.object_com_pos_w) - host(data.object_pos_w), arm, atol=4e-6)
            change = host(data.object_com_lin_vel_w) - host(data.object_link_lin_vel_w)
            np.testing.assert_allclose(change, np.cross(host(data.object_ang_vel_w), arm), atol=5e-6)
            for name in ("link_lin_vel", "link_ang_vel", "com_lin_vel", "com_ang_vel"):
                expected = back(quat, host(getattr(data, f"object_{name}_w")))
                np.testing.assert_allclose(host(getattr(data, f"object_{name}_b")), expected, atol=5e-6)
            np.testing.assert_allclose(host(data.projected_gravity_b), back(quat, np.array([0, 0, -1.0])), atol=2e-6)
            ahead = turned(quat, np.array([1.0, 0, 0]))
            np.testing.assert_allclose(host(data.heading_w), np.arctan2(ahead[..., 1], ahead[..., 0]), atol=2e-5)
            mixed = np.concatenate([host(data.object_link_pose_w), host(data.object_com_vel_w)], -1)
            np.testing.assert_array_equal(host(data.object_state_w), mixed)
            things.update(0.01)


def test_where_they_are_and_fall(scene: Scene, count: int) -> None:
    """World coordinates are those of the stage; values stay what they were until the next update."""
    sim, things = scene
    sim.reset()
    at_first = things.data.object_pos_w
    starts = PLACES + np.array([[[4.0 * i, -1.0, 0.0]] for i in range(count)])
    np.testing.assert_allclose(host(at_first), starts, atol=1e-6)
    assert not host(things.data.object_com_vel_w).any()
    for _ in range(10):
        sim.step()
    np.testing.assert_array_equal(host(things.data.object_pos_w), host(at_first))
    things.update(0.1)
    fallen = starts - [0, 0, 9.81 * 0.01**2 * 55]
    np.testing.assert_allclose(host(things.data.object_pos_w), fallen, atol=1e-5)
    np.testing.assert_allclose(host(things.data.object_com_lin_acc_w), np.full((count, K, 3), [0, 0, -9.81]), atol=2e-3)
    np.testing.assert_allclose(host(at_first), starts, atol=1e-6)
    # Differences between updates: what is gained in 0.02 s, over the 0.04 s that users say have passed.
    for _ in range(2):
        sim.step()
    things.write_object_velocity_to_sim(np.zeros((count, 1, 6)), object_ids=[1])
    acceleration = host(things.data.object_acc_w)
    assert not acceleration[:, 1].any() and (acceleration[:, [0, 2], 2] < -9.0).all()
    things.update(0.04)
    np.testing.assert_allclose(host(things.data.object_acc_w)[:, [0, 2], 2], -9.81 / 2, atol=2e-3)
    np.testing.assert_allclose(host(things.data.object_acc_w)[:, 1], 0.0, atol=1e-6)


def test_what_users_give_and_hold_is_theirs(scene: Scene, count: int, give: Any) -> None:
    """An array that was written may be written over by its owner without a change of data."""
    sim, things = scene
    sim.reset()
    pose = poses(np.random.default_rng(1), count)
    given = give(pose.copy())
    things.write_object_pose_to_sim(given)
    given[:] = 0.0
    np.testing.assert_array_equal(host(things.data.object_pose_w), pose)


def test_chosen_ones_leave_the_others_as_they_are(scene: Scene, count: int, give: Any) -> None:
    """Instances and objects by lists, arrays and slices; what was not chosen keeps every bit."""
    sim, things = scene
    sim.reset()
    some, which, rng = list(range(0, count, 2)), [0, 2], np.random.default_rng(2)
    forms: list[tuple[Any, Any]] = [
        (some, which),
        (give(np.array(some)), give(np.array(which))),
        (slice(None, None, 2), slice(0, 3, 2)),
        (some, slice(None, None, 2)),
    ]
    others = np.ones((count, K), bool)
    others[np.ix_(some, which)] = False
    for envs, objects in forms:
        before = random_states(rng, count)
        things.write_object_state_to_sim(before)
        things.update(0.0)
        before = host(things.data.object_state_w).copy()
        chosen = random_states(rng, count)[np.ix_(some, which)]
        things.write_object_state_to_sim(chosen, envs, objects)
        for _ in range(2):
            after = host(things.data.object_state_w)
            np.testing.assert_array_equal(after[others], before[others])
            np.testing.assert_allclose(after[np.ix_(some, which)], chosen, atol=5e-6)
            things.update(0.0)
    # All instances of one object, and of one instance all objects, of the other frame.
    state = random_states(rng, count)
    before = host(things.data.object_link_vel_w).copy()
    things.write_object_link_velocity_to_sim(state[:, [1], 7:], object_ids=[1])
    things.update(0.0)
    np.testing.assert_allclose(host(things.data.object_link_vel_w)[:, [1]], state[:, [1], 7:], atol=5e-6)
    np.testing.assert_array_equal(host(things.data.object_link_vel_w)[:, [0, 2]], before[:, [0, 2]])
    things.write_object_com_pose_to_sim(state[:1, :, :7], [count - 1])
    things.update(0.0)
    np.testing.assert_allclose(host(things.data.object_com_pos_w)[count - 1], state[0, :, :3], atol=4e-6)


def test_wrenches_accelerate_as_they_should(scene: Scene, count: int) -> None:
    """Force off the centre of mass and torque, against Newton and Euler; others fall; until it is switched off."""
    sim, things = scene
    sim.reset()
    for is_global in (False, True):
        push(sim, things, count, is_global)


def push(sim: SimulationContext, things: RigidObjectCollection, count: int, is_global: bool) -> None:
    rng, pushed = np.random.default_rng(3), [0, 2]
    pose = poses(rng, count)
    things.write_object_state_to_sim(np.concatenate([pose, np.zeros((count, K, 6))], axis=-1))
    force, torque = (rng.uniform(-1, 1, (count, 2, 3)) for _ in range(2))
    arms = rng.uniform(-0.1, 0.1, (count, 2, 3))
    quat = pose[:, pushed, 3:]
    place = pose[:, pushed, :3] + turned(quat, COMS[pushed]) + arms if is_global else COMS[pushed] + arms
    things.set_external_force_and_torque(force, torque, place, object_ids=pushed, is_global=is_global)
    pull, turn, arm = (v if is_global else turned(quat, v) for v in (force, torque, arms))
    turn = turn + np.cross(arm, pull)
    things.write_data_to_sim()
    sim.step()
    things.update(0.01)
    velocity = host(things.data.object_com_vel_w)
    expected = (pull / MASSES[pushed, None] + [0, 0, -9.81]) * 0.01
    np.testing.assert_allclose(velocity[:, pushed, :3], expected, atol=2e-5)
    axes = host(things.data.object_com_quat_w)[:, pushed]
    momentum = turned(axes, INERTIAS[pushed] * back(axes, velocity[:, pushed, 3:]))
    np.testing.assert_allclose(momentum, turn * 0.01, rtol=2e-3, atol=4e-6)
    np.testing.assert_allclose(velocity[:, 1], [[0, 0, -0.0981, 0, 0, 0]] * count, atol=1e-6)
    # It lasts; it is taken off some by reset, off all by nothing.
    things.reset([0], [2])
    things.write_data_to_sim()
    sim.step()
    things.update(0.01)
    gained = host(things.data.object_com_lin_vel_w) - velocity[..., :3]
    np.testing.assert_allclose(gained[0, 2], [0, 0, -0.0981], atol=2e-6)
    if is_global:
        still = np.ones((count, 2), bool)
        still[0, 1] = False
        np.testing.assert_allclose(gained[:, pushed][still], expected[still], atol=2e-5)
    things.set_external_force_and_torque(np.zeros((0, 0, 3)), np.zeros((0, 0, 3)))
    with pytest.raises(ValueError, match=r"forces have shape \(1, 3\); they must have \(\d, 3, 3\)"):
        things.set_external_force_and_torque(np.ones((1, 3)), np.ones((1, 3)))
    before = host(things.data.object_com_lin_vel_w).copy()
    things.write_data_to_sim()
    sim.step()
    things.update(0.01)
    change = host(things.data.object_com_lin_vel_w) - before
    np.testing.assert_allclose(change, np.full((count, K, 3), [0, 0, -0.0981]), atol=1e-5)


def test_wrong_use_changes_nothing(scene: Scene, count: int, device: str) -> None:
    sim, things = scene
    for call in (lambda: things.data, lambda: things.num_instances, lambda: things.reset(), lambda: things.update(0.1)):
        with pytest.raises(RuntimeError, match=r"of 'slab', 'brick', 'tile' .* call sim.reset\(\) first"):
            call()
    sim.reset()
    before = host(things.data.object_state_w).copy()
    with pytest.raises(
        ValueError, match=r"object_pose has shape \(3, 7\); it must be \(1, 2, 7\), a row for each chosen"
    ):
        things.write_object_pose_to_sim(np.zeros((3, 7)), [0], [0, 1])
    for envs, objects, what in (([count], [0], "instance"), ([-1], [0], "instance"), ([0], [K], "object")):
        with pytest.raises(IndexError, match=f"there is no {what} "):
            things.write_object_velocity_to_sim(np.zeros((1, 1, 6)), envs, objects)
    if device == "cpu":  # on a GPU nothing waits for numbers
        with pytest.raises(ValueError, match="zero length"):
            things.write_object_pose_to_sim(np.zeros((count, K, 7)))
        state = host(things.data.default_object_state).copy()
        state[0, 1, 9] = np.nan
        with pytest.raises(ValueError, match="object_state is not finite"):  # the pose is not written, either
            things.write_object_state_to_sim(state)
    with pytest.raises(ValueError):
        things.find_objects("ball")
    for _ in range(2):
        np.testing.assert_array_equal(host(things.data.object_state_w), before)
        things.update(0.01)
    sim.stop()
    assert not things.is_initialized


def test_configurations_that_cannot_be(device: str) -> None:
    clear()
    stage.new_stage()
    sim = SimulationContext(SimulationCfg(device=device))
    with pytest.raises(ValueError, match="rigid_objects is empty"):
        RigidObjectCollection(RigidObjectCollectionCfg(rigid_objects={}))
    with pytest.raises(TypeError, match="rigid_objects"):
        RigidObjectCollection(RigidObjectCollectionCfg())
    with pytest.raises(RuntimeError, match="no prim '/World/nothing'"):
        RigidObjectCollection(RigidObjectCollectionCfg(rigid_objects={"a": RigidObjectCfg(prim_path="/World/nothing")}))
    sim_utils.create_prim("/World/empty", "Xform")
    for i in range(2):
        sim_utils.create_prim(f"/World/many_{i}", "Xform")
        cfg(0).spawn.func(f"/World/many_{i}/box", cfg(0).spawn)
    cases = {
        r"'a'.*must be a rigid body \(have PhysicsRigidBodyAPI\); found none": ("/World/empty",),
        "as many prims of each object; there are 2 of .*, 1 of": ("/World/many_.*/box", "/World/many_1/box"),
        "</World/many_0/box> is in it twice": ("/World/many_0", "/World/many_0/box"),
    }
    for told, paths in cases.items():
        parts = {"ab"[i]: RigidObjectCfg(prim_path=path) for i, path in enumerate(paths)}
        things = RigidObjectCollection(RigidObjectCollectionCfg(rigid_objects=parts))
        with pytest.raises(RuntimeError, match=told):
            sim.reset()
        assert sim.is_stopped() and not things.is_initialized
        del things
        gc.collect()
    clear()


def test_environments_that_differ(device: str) -> None:
    """They are environments of two kinds then, and arrays are what they are otherwise."""
    sim, things = make(2, device)
    UsdPhysics.MassAPI(sim.stage.GetPrimAtPath("/World/envs/env_1/brick")).CreateMassAttr(4.0)
    sim.reset()
    assert sim.stage_world.world.num_envs == 2
    np.testing.assert_allclose(host(things.data.default_mass)[..., 0], [[2.0, 0.5, 3.0], [2.0, 4.0, 3.0]], rtol=1e-6)
    pose = poses(np.random.default_rng(4), 2)
    pose[1, :, 1] += 3.0
    before = host(things.data.object_pose_w).copy()
    things.write_object_pose_to_sim(pose[1:, [2, 0]], [1], [2, 0])
    things.set_external_force_and_torque(np.full((1, 1, 3), 2.0), np.zeros((1, 1, 3)), None, [1], [1], True)
    things.write_data_to_sim()
    things.update(0.0)
    after = host(things.data.object_pose_w)
    np.testing.assert_allclose(after[1, [2, 0]], pose[1, [2, 0]], atol=1e-6)
    np.testing.assert_array_equal(after[0], before[0])
    np.testing.assert_array_equal(after[1, 1], before[1, 1])
    sim.step()
    things.update(0.01)
    expected = np.full((2, K, 3), [0, 0, -0.0981])
    expected[1, 1] += 2.0 / 4.0 * 0.01
    np.testing.assert_allclose(host(things.data.object_lin_vel_w), expected, atol=1e-6)
    clear()


def test_visibility_and_lifetime(scene: Scene, count: int) -> None:
    sim, things = scene
    sim.reset()
    prims = [sim.stage.GetPrimAtPath(f"/World/envs/env_{count - 1}/{name}") for name in NAMES]
    with pytest.raises(IndexError, match=f"no instance {count} of {count}"):
        things.set_visibility(False, [0, count])
    for visible, told in ((False, "invisible"), (True, "inherited")):
        things.set_visibility(visible, [count - 1])
        assert {UsdGeom.Imageable(prim).ComputeVisibility() for prim in prims} == {told}
    parts = {"a": RigidObjectCfg(prim_path="/World/envs/env_.*/tile")}
    other = RigidObjectCollection(RigidObjectCollectionCfg(rigid_objects=parts))
    freed = weakref.ref(other)
    del other
    gc.collect()
    assert freed() is None
    sim.reset()
    assert things.is_initialized
