"""Rigid objects: frames, writing and reading, wrenches, wrong use; numbers come from NumPy and from formulas."""

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
from phalanx.facade.isaaclab.assets import RigidObject, RigidObjectCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.io.formats.usd.bindings import Gf, UsdGeom, UsdPhysics
from phalanx.maths.arrays import rotate

COM = np.array([0.03, -0.02, 0.05])
ROD = (0.4, 0.2, 0.1)
MASS = 2.0
INERTIA = (0.01, 0.03, 0.035)
SHAPES = json.loads((Path(__file__).parent / "documented_shapes.json").read_text())["RigidObjectData"]


@pytest.fixture(params=[1, 7])
def count(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture
def scene(count: int, device: str, api: str) -> Iterator[tuple[SimulationContext, RigidObject]]:
    """Boxes whose centres of mass are off their origins, a metre above each other's neighbours' ground."""
    stage.new_stage()
    sim = SimulationContext(SimulationCfg(device=device, dt=0.01))
    for i in range(count):
        sim_utils.create_prim(f"/World/envs/env_{i}", "Xform", translation=(3.0 * i, -1.0, 0.0))
    yield sim, RigidObject(cfg())
    SimulationContext.clear_instance()
    physics_events.clear()


def cfg(path: str = "/World/envs/env_.*/box") -> RigidObjectCfg:
    def spawn(prim_path: str, spawner: Any, **place: Any) -> Any:
        made = sim_utils.spawn_cuboid(prim_path, spawner, **place)
        for prim in sim_utils.find_matching_prims(prim_path):
            UsdPhysics.MassAPI(prim).CreateCenterOfMassAttr(Gf.Vec3f(*COM))
            UsdPhysics.MassAPI(prim).CreateDiagonalInertiaAttr(Gf.Vec3f(*INERTIA))
            UsdPhysics.MassAPI(prim).CreatePrincipalAxesAttr(Gf.Quatf(1.0))
        return made

    spawner = sim_utils.CuboidCfg(
        size=ROD,
        rigid_props=sim_utils.RigidBodyPropertiesCfg(max_depenetration_velocity=1.0),
        mass_props=sim_utils.MassPropertiesCfg(mass=MASS),
        collision_props=sim_utils.CollisionPropertiesCfg(),
    )
    spawner.func = spawn
    start = RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.5, 1.0), lin_vel=(0.1, 0.2, 0.3))
    return RigidObjectCfg(prim_path=path, spawn=spawner, init_state=start)


def poses(rng: np.random.Generator, n: int) -> np.ndarray:
    quaternions = rng.standard_normal((n, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    return np.concatenate([rng.uniform(-1, 1, (n, 3)) + [0, 0, 5], quaternions], axis=1).astype(np.float32)


def test_shapes_are_the_documented_ones(scene: Any, count: int) -> None:
    sim, box = scene
    sim.reset()
    for name, shape in SHAPES.items():
        wanted = tuple({"num_instances": count, "num_bodies": 1}.get(n, n) for n in shape)
        assert tuple(getattr(box.data, name).shape) == wanted, name
    assert box.num_instances == count and box.num_bodies == 1 and box.body_names == ["box"] == box.data.body_names
    assert box.find_bodies(".*") == ([0], ["box"])
    state = host(box.data.default_root_state)
    np.testing.assert_allclose(state, [[0, 0.5, 1, 1, 0, 0, 0, 0.1, 0.2, 0.3, 0, 0, 0]] * count, atol=1e-7)
    np.testing.assert_allclose(host(box.data.default_mass), [[MASS]] * count)
    np.testing.assert_allclose(host(box.data.default_inertia), [np.diag(INERTIA).ravel()] * count, atol=1e-8)


def test_every_pair_of_frames_agrees(scene: Any, count: int) -> None:
    """What is written as pose and velocity of one frame is read in the others as rigid bodies have it."""
    sim, box = scene
    sim.reset()
    rng = np.random.default_rng(count)
    for frame in ("link", "com"):
        pose, velocity = poses(rng, count), rng.uniform(-2, 2, (count, 6)).astype(np.float32)
        getattr(box, f"write_root_{frame}_state_to_sim")(np.concatenate([pose, velocity], axis=1))
        for _ in range(2):  # at once, and as the simulation has it
            data = box.data
            np.testing.assert_allclose(host(getattr(data, f"root_{frame}_state_w"))[:, :3], pose[:, :3], atol=2e-6)
            np.testing.assert_allclose(host(getattr(data, f"root_{frame}_vel_w")), velocity, atol=5e-6)
            link, com = host(data.root_link_pose_w), host(data.root_com_pose_w)
            arm = rotate(link[:, 3:], np.tile(COM, (count, 1)), np)
            np.testing.assert_allclose(com[:, :3] - link[:, :3], arm, atol=2e-6)
            np.testing.assert_allclose(np.abs((com[:, 3:] * link[:, 3:]).sum(1)), 1.0, atol=1e-6)  # axes are its own
            spin = host(data.root_com_ang_vel_w)
            change = host(data.root_com_lin_vel_w) - host(data.root_link_lin_vel_w)
            np.testing.assert_allclose(change, np.cross(spin, arm), atol=5e-6)
            back = rotate(link[:, 3:] * [1, -1, -1, -1], host(data.root_link_lin_vel_w), np)
            np.testing.assert_allclose(host(data.root_link_lin_vel_b), back, atol=5e-6)
            down = rotate(link[:, 3:] * [1, -1, -1, -1], np.tile([0, 0, -1.0], (count, 1)), np)
            np.testing.assert_allclose(host(data.projected_gravity_b), down, atol=2e-6)
            ahead = rotate(link[:, 3:], np.tile([1.0, 0, 0], (count, 1)), np)
            np.testing.assert_allclose(host(data.heading_w), np.arctan2(ahead[:, 1], ahead[:, 0]), atol=2e-5)
            np.testing.assert_array_equal(host(data.body_state_w)[:, 0], host(data.root_state_w))
            box.update(0.01)


def test_a_pose_leaves_the_velocity_of_the_centre_of_mass(scene: Any, count: int) -> None:
    sim, box = scene
    sim.reset()
    rng = np.random.default_rng(5)
    velocity = rng.uniform(-2, 2, (count, 6)).astype(np.float32)
    box.write_root_com_velocity_to_sim(velocity)
    box.write_root_pose_to_sim(poses(rng, count))
    for _ in range(2):
        np.testing.assert_allclose(host(box.data.root_com_vel_w), velocity, atol=5e-6)
        box.update(0.01)


def test_where_they_are_and_fall(scene: Any, count: int) -> None:
    """World coordinates are those of the stage; values stay what they were until the next update."""
    sim, box = scene
    sim.reset()
    at_first = box.data.root_pos_w
    np.testing.assert_allclose(host(at_first), [[3.0 * i, -0.5, 1.0] for i in range(count)], atol=1e-6)
    for _ in range(10):
        sim.step()
    assert box.data.root_pos_w is at_first or (host(box.data.root_pos_w) == host(at_first)).all()
    box.update(0.1)
    fallen = 1.0 - 9.81 * 0.01**2 * 55
    np.testing.assert_allclose(host(box.data.root_pos_w)[:, 2], fallen, atol=1e-5)
    np.testing.assert_allclose(host(box.data.body_com_lin_acc_w)[:, 0], [[0, 0, -9.81]] * count, atol=1e-3)
    assert (host(at_first)[:, 2] == 1.0).all()
    box.write_root_velocity_to_sim(np.zeros((count, 6)))
    assert not host(box.data.body_acc_w).any()


def test_some_instances_leave_the_others_as_they_are(scene: Any, count: int) -> None:
    sim, box = scene
    sim.reset()
    for _ in range(5):
        sim.step()
    box.update(0.05)
    before = host(box.data.root_state_w).copy()
    some = list(range(0, count, 2))
    box.write_root_state_to_sim(host(box.data.default_root_state)[some], some)
    for _ in range(2):
        after = host(box.data.root_state_w)
        others = [i for i in range(count) if i not in some]
        np.testing.assert_array_equal(after[others], before[others])
        np.testing.assert_allclose(after[some, 3:], host(box.data.default_root_state)[some, 3:], atol=1e-6)
        box.update(0.0)


@pytest.mark.parametrize("is_global", [False, True])
def test_wrenches_accelerate_as_they_should(scene: Any, count: int, is_global: bool) -> None:
    """Force off the centre of mass and torque, against Newton and Euler; it lasts until it is switched off."""
    sim, box = scene
    sim.reset()
    rng = np.random.default_rng(3)
    pose = poses(rng, count)
    box.write_root_state_to_sim(np.concatenate([pose, np.zeros((count, 6))], axis=1))
    force, torque = (rng.uniform(-1, 1, (count, 1, 3)) for _ in range(2))
    at = COM + rng.uniform(-0.1, 0.1, (count, 1, 3))
    place = np.repeat(pose[:, None, :3], 1, 1) + at if is_global else at
    box.set_external_force_and_torque(force, torque, positions=place, is_global=is_global)
    world = (lambda v: v) if is_global else (lambda v: rotate(pose[:, 3:], v, np))
    arm = at[:, 0] - rotate(pose[:, 3:], np.tile(COM, (count, 1)), np) if is_global else world(at[:, 0] - COM)
    push, turn = world(force[:, 0]), world(torque[:, 0]) + np.cross(arm, world(force[:, 0]))
    for steps in (1, 2):
        box.write_data_to_sim()
        sim.step()
        box.update(0.01)
        velocity = host(box.data.root_com_vel_w)
        expected = (push / MASS + [0, 0, -9.81]) * 0.01 * steps
        if steps == 1 or is_global:
            np.testing.assert_allclose(velocity[:, :3], expected, atol=2e-5)
        if steps == 1:
            turned = host(box.data.root_com_quat_w)
            momentum = rotate(turned, INERTIA * rotate(turned * [1, -1, -1, -1], velocity[:, 3:], np), np)
            np.testing.assert_allclose(momentum, turn * 0.01, rtol=1e-3, atol=2e-6)
    box.set_external_force_and_torque(np.zeros((0, 3)), np.zeros((0, 3)))
    before = host(box.data.root_com_lin_vel_w).copy()
    box.write_data_to_sim()
    sim.step()
    box.update(0.01)
    np.testing.assert_allclose(host(box.data.root_com_lin_vel_w) - before, [[0, 0, -0.0981]] * count, atol=1e-5)


def test_wrenches_of_zeros_push_nothing(scene: Any, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks set zeros at each reset where they draw wrenches from an empty range; the step has no work with them."""
    sim, boxes = scene
    sim.reset()
    pushed: list[Any] = []
    real = type(boxes._wrench).push
    monkeypatch.setattr(type(boxes._wrench), "push", lambda self, *args: (pushed.append(1), real(self, *args)))
    zeros = np.zeros((count, 1, 3), np.float32)
    boxes.permanent_wrench_composer.set_forces_and_torques(forces=zeros, torques=zeros)
    boxes.instantaneous_wrench_composer.add_forces_and_torques(forces=zeros)
    boxes.write_data_to_sim()
    assert not pushed and boxes.permanent_wrench_composer.active
    assert not boxes.instantaneous_wrench_composer.active, "what acts in one step is gone after it"
    boxes.instantaneous_wrench_composer.add_forces_and_torques(forces=zeros + 1.0)
    boxes.write_data_to_sim()
    assert len(pushed) == 1
    boxes.write_data_to_sim()
    assert len(pushed) == 1, "zeros again"
    boxes.permanent_wrench_composer.add_forces_and_torques(torques=zeros[:1] + 1.0, env_ids=[0])
    for _ in range(2):
        boxes.write_data_to_sim()
    assert len(pushed) == 3
    boxes.permanent_wrench_composer.reset()
    boxes.write_data_to_sim()
    assert len(pushed) == 3


def test_composed_wrenches_add_up(scene: Any, count: int) -> None:
    """Permanent ones act until they are taken off, others in one step; what was set before is one of the permanent."""
    sim, boxes = scene
    sim.reset()
    sim.physics_sim_view.set_gravity((0.0, 0.0, 0.0))
    up = np.tile(np.array([0.0, 0.0, 3.0], np.float32), (count, 1, 1))
    boxes.set_external_force_and_torque(up, 0.0 * up)
    boxes.permanent_wrench_composer.add_forces_and_torques(forces=2.0 * up, body_ids=[0])
    boxes.instantaneous_wrench_composer.add_forces_and_torques(forces=up[:1], env_ids=[0], is_global=True)
    speeds = [host(boxes.data.root_com_vel_w)[:, 2]]
    for _ in range(2):
        boxes.write_data_to_sim()
        sim.step(render=False)
        boxes.update(0.01)
        speeds.append(host(boxes.data.root_com_vel_w)[:, 2])
    gained = np.diff(speeds, axis=0) * MASS / 0.01
    np.testing.assert_allclose(gained[0], [12.0] + [9.0] * (count - 1), rtol=1e-3)
    np.testing.assert_allclose(gained[1], [9.0] * count, rtol=1e-3)
    boxes.set_external_force_and_torque(0.0 * up, 0.0 * up)  # in place of all that is permanent
    np.testing.assert_array_equal(host(boxes.permanent_wrench_composer.composed_force_as_torch), 0.0)
    boxes.permanent_wrench_composer.set_forces_and_torques(torques=up)
    boxes.reset([count - 1])
    force, torque = (host(each) for each in boxes.permanent_wrench_composer.composed())
    np.testing.assert_array_equal(force, 0.0)
    np.testing.assert_array_equal(torque[:, 0, 2], [3.0] * (count - 1) + [0.0])


def test_all_indices_and_the_view_are_what_tasks_reach_for(scene: Any, count: int) -> None:
    sim, boxes = scene
    with pytest.raises(RuntimeError, match=r"sim\.reset"):
        _ = boxes._ALL_INDICES
    sim.reset()
    np.testing.assert_array_equal(host(boxes._ALL_INDICES), np.arange(count))
    view = boxes._physics_sim_view.create_rigid_body_view(boxes.root_physx_view.prim_paths[-1])
    assert view.count == 1 and view.max_shapes == boxes.root_physx_view.max_shapes


def test_wrong_use_changes_nothing(scene: Any, count: int, device: str) -> None:
    sim, box = scene
    for call in (lambda: box.data, lambda: box.num_instances, lambda: box.reset(), lambda: box.update(0.1)):
        with pytest.raises(RuntimeError, match=r"call sim.reset\(\) first"):
            call()
    sim.reset()
    before = host(box.data.root_state_w).copy()
    with pytest.raises(ValueError, match=r"root_pose has shape \(3, 7\); it must be \(1, 7\)"):
        box.write_root_pose_to_sim(np.zeros((3, 7)), [0])
    with pytest.raises(IndexError):
        box.write_root_velocity_to_sim(np.zeros((1, 6)), [count])
    if device == "cpu":  # on a GPU nothing waits to look at numbers
        with pytest.raises(ValueError, match="zero length"):
            box.write_root_pose_to_sim(np.zeros((count, 7)))
    with pytest.raises(ValueError, match=r"forces have shape \(1, 3\)"):
        box.set_external_force_and_torque(np.ones((1, 3)), np.ones((1, 3)))
    with pytest.raises(ValueError):
        box.find_bodies("ball")
    box.update(0.01)
    np.testing.assert_array_equal(host(box.data.root_state_w), before)
    sim.stop()
    assert not box.is_initialized


def test_missing_prims_and_other_kinds(device: str) -> None:
    stage.new_stage()
    SimulationContext.clear_instance()
    sim = SimulationContext(SimulationCfg(device=device))
    with pytest.raises(RuntimeError, match="no prim '/World/nothing'"):
        RigidObject(RigidObjectCfg(prim_path="/World/nothing"))
    sim_utils.create_prim("/World/empty", "Xform")
    empty = RigidObject(RigidObjectCfg(prim_path="/World/empty"))
    with pytest.raises(RuntimeError, match=r"must be a rigid body \(have PhysicsRigidBodyAPI\); found none"):
        sim.reset()
    assert sim.is_stopped() and not empty.is_initialized
    SimulationContext.clear_instance()


def test_visibility_and_lifetime(scene: Any, count: int) -> None:
    sim, box = scene
    sim.reset()
    box.set_visibility(False, [count - 1])
    prim = sim.stage.GetPrimAtPath(f"/World/envs/env_{count - 1}/box")
    assert UsdGeom.Imageable(prim).ComputeVisibility() == "invisible"
    box.set_visibility(True)
    assert UsdGeom.Imageable(prim).ComputeVisibility() == "inherited"
    with pytest.raises(IndexError, match=f"no instance {count} of {count}"):
        box.set_visibility(True, [count])
    assert not box.set_debug_vis(True) and not box.has_debug_vis_implementation
    other = RigidObject(RigidObjectCfg(prim_path="/World/envs/env_.*/box"))
    freed = weakref.ref(other)
    del other
    gc.collect()
    assert freed() is None
    sim.reset()
    assert box.is_initialized
