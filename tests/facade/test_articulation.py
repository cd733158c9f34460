"""Articulations: names, state, gains, targets, actuators, wrong use; numbers come from formulas and from the engine."""

from __future__ import annotations

import gc
import json
import logging
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host

from phalanx.components import ExternalWrench
from phalanx.facade import arrays, physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.actuators import DCMotorCfg, IdealPDActuatorCfg, ImplicitActuatorCfg
from phalanx.facade.isaaclab.assets import Articulation, ArticulationCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.io.formats import library, mjcf
from phalanx.io.formats.usd import write_robot
from phalanx.maths.arrays import rotate

SHAPES = json.loads((Path(__file__).parent / "documented_shapes.json").read_text())["ArticulationData"]
LEGS = {
    "hips": ImplicitActuatorCfg(joint_names_expr=[".*hip.*"], stiffness=40.0, damping=1.0, effort_limit_sim=20.0),
    "thighs": IdealPDActuatorCfg(
        joint_names_expr=[".*thigh.*"], stiffness={".*": 50.0}, damping=2.0, effort_limit=15.0
    ),
    "calves": DCMotorCfg(
        joint_names_expr=[".*(calf|knee).*"],
        stiffness=30.0,
        damping=0.5,
        effort_limit=20.0,
        saturation_effort=25.0,
        velocity_limit=30.0,
        armature=0.01,
        friction=0.1,
    ),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The library's quadruped as USD."""
    path = tmp_path_factory.mktemp("usd") / "quadruped.usd"
    write_robot(library.load_robot("quadruped", visuals=False, warn=False), path)
    return str(path)


@pytest.fixture(params=[1, 7])
def count(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture
def scene(count: int, device: str, api: str, file: str) -> Iterator[tuple[SimulationContext, Articulation]]:
    """Quadrupeds in the air, each with three sorts of actuators."""
    stage.new_stage()
    sim = SimulationContext(SimulationCfg(device=device, dt=0.005))
    for i in range(count):
        sim_utils.create_prim(f"/World/envs/env_{i}", "Xform", translation=(3.0 * i, -1.0, 0.0))
    yield sim, Articulation(cfg(file))
    SimulationContext.clear_instance()
    physics_events.clear()


def cfg(file: str, **more: Any) -> ArticulationCfg:
    spawn = sim_utils.UsdFileCfg(usd_path=file)
    start = ArticulationCfg.InitialStateCfg(pos=(0.0, 0.0, 5.0), joint_pos={".*thigh.*": 0.7, ".*calf.*": -1.4})
    given = {"actuators": LEGS, "init_state": start, "soft_joint_pos_limit_factor": 0.9}
    given["prim_path"] = "/World/envs/env_.*/robot"
    return ArticulationCfg(spawn=spawn, **(given | more))


def test_shapes_and_names_are_the_documented_ones(scene: Any, count: int) -> None:
    sim, robot = scene
    sim.reset()
    sizes = {
        name: getattr(robot, name) for name in ("num_joints", "num_bodies", "num_fixed_tendons", "num_spatial_tendons")
    }
    sizes["num_instances"] = count
    assert (sizes["num_joints"], sizes["num_fixed_tendons"], robot.num_instances) == (12, 0, count)
    for name, shape in SHAPES.items():
        wanted = tuple(sizes.get(n, n) for n in shape)
        assert tuple(getattr(robot.data, name).shape) == wanted, name
    assert robot.data.joint_names == robot.joint_names and len(robot.body_names) == robot.num_bodies
    assert not robot.is_fixed_base and robot.data.body_names == robot.body_names
    ids, names = robot.find_joints(".*thigh.*")
    assert [robot.joint_names[i] for i in ids] == names and len(names) == 4
    assert robot.find_joints(names[1:][::-1], preserve_order=True)[1] == names[1:][::-1]
    assert robot.find_joints([".*"], joint_subset=names)[0] == [0, 1, 2, 3]
    assert robot.find_bodies(robot.body_names[0]) == ([0], [robot.body_names[0]])


def test_defaults_gains_and_limits(scene: Any, count: int) -> None:
    sim, robot = scene
    sim.reset()
    data, (hips, thighs, calves) = robot.data, (robot.find_joints(e)[0] for e in (".*hip.*", ".*thigh.*", ".*calf.*"))
    position = host(data.default_joint_pos)
    np.testing.assert_allclose(position[:, thighs], 0.7, atol=1e-7)
    np.testing.assert_allclose(position[:, calves], -1.4, atol=1e-7)
    np.testing.assert_array_equal(host(data.joint_pos_target), position)
    for name, configured, simulated in (("stiffness", (40, 50, 30), (40, 0, 0)), ("damping", (1, 2, 0.5), (1, 0, 0))):
        for ids, first, second in zip((hips, thighs, calves), configured, simulated, strict=True):
            assert (host(getattr(data, f"default_joint_{name}"))[:, ids] == np.float32(first)).all()
            assert (host(getattr(data, f"joint_{name}"))[:, ids] == np.float32(second)).all()
            assert (
                host(getattr(robot.root_physx_view, f"get_dof_{name}{'es' if name == 'stiffness' else 's'}")())[:, ids]
                == second
            ).all()
    assert (host(data.joint_effort_limits)[:, hips] == 20.0).all()
    np.testing.assert_allclose(host(data.joint_armature)[:, calves], 0.01, rtol=1e-6)
    np.testing.assert_allclose(host(data.joint_friction_coeff)[:, calves], 0.1, rtol=1e-6)
    np.testing.assert_allclose(host(data.soft_joint_vel_limits)[:, calves], 30.0)
    limits, soft = host(data.joint_pos_limits), host(data.soft_joint_pos_limits)
    np.testing.assert_allclose(soft.mean(-1), limits.mean(-1), atol=1e-6)
    np.testing.assert_allclose(soft[..., 1] - soft[..., 0], 0.9 * (limits[..., 1] - limits[..., 0]), rtol=1e-5)
    in_file = library.load_robot("quadruped", visuals=False, warn=False).position
    stands = 5.0 + (in_file or (0.0, 0.0, 0.0))[2]
    np.testing.assert_allclose(host(data.root_pos_w), [[3.0 * i, -1.0, stands] for i in range(count)], atol=1e-6)


def test_written_state_is_seen_in_every_derived_pose(scene: Any, count: int) -> None:
    """Bodies' velocities are those of points whose poses move: finite differences of poses over written positions."""
    sim, robot = scene
    sim.reset()
    rng = np.random.default_rng(1)
    pos = host(robot.data.default_joint_pos) + rng.uniform(-0.2, 0.2, (count, 12))
    vel = rng.uniform(-1, 1, (count, 12))
    robot.write_joint_state_to_sim(pos, vel)
    np.testing.assert_allclose(host(robot.data.joint_pos), pos, atol=1e-6)
    np.testing.assert_allclose(host(robot.data.joint_vel), vel, atol=1e-6)
    points, velocities = host(robot.data.body_com_pos_w).copy(), host(robot.data.body_com_lin_vel_w).copy()
    arm = host(robot.data.body_com_pos_w) - host(robot.data.body_link_pos_w)
    change = host(robot.data.body_com_lin_vel_w) - host(robot.data.body_link_lin_vel_w)
    np.testing.assert_allclose(change, np.cross(host(robot.data.body_com_ang_vel_w), arm), atol=1e-5)
    for h in (1e-2, -1e-2):
        robot.write_joint_position_to_sim(pos + h * vel)
        points = (
            points + np.sign(h) * (host(robot.data.body_com_pos_w) - points)
            if h > 0
            else points - host(robot.data.body_com_pos_w)
        )
    np.testing.assert_allclose(points / 2e-2, velocities, atol=2e-3)
    spin = np.array([0.1, 0.2, 0.3, 1.0, -2.0, 0.5], np.float32)
    robot.write_root_link_velocity_to_sim(np.tile(spin, (count, 1)))
    np.testing.assert_allclose(host(robot.data.root_link_vel_w), np.tile(spin, (count, 1)), atol=5e-6)
    np.testing.assert_allclose(host(robot.data.body_link_vel_w)[:, 0], host(robot.data.root_link_vel_w), atol=5e-6)
    np.testing.assert_allclose(host(robot.data.body_state_w)[:, 0], host(robot.data.root_state_w), atol=5e-6)
    pose = np.tile([1.0, 2.0, 4.0, 0.6, 0.0, 0.8, 0.0], (count, 1)).astype(np.float32)
    before = host(robot.data.body_link_pose_w).copy()
    robot.write_root_pose_to_sim(pose)
    after = host(robot.data.body_link_pose_w)
    for i in range(robot.num_bodies):
        offset = rotate(before[:, 0, 3:] * [1, -1, -1, -1], before[:, i, :3] - before[:, 0, :3], np)
        np.testing.assert_allclose(after[:, i, :3], pose[:, :3] + rotate(pose[:, 3:], offset, np), atol=1e-5)


def test_actuators_do_what_their_formulas_say(scene: Any, count: int) -> None:
    """Explicit models' efforts against NumPy; the simulation's joints feel them, and implicit gains."""
    sim, robot = scene
    sim.reset()
    data, rng = robot.data, np.random.default_rng(2)
    hips, thighs, calves = (robot.find_joints(e)[0] for e in (".*hip.*", ".*thigh.*", ".*calf.*"))
    pos = host(data.default_joint_pos) + rng.uniform(-0.3, 0.3, (count, 12))
    vel = rng.uniform(-3, 3, (count, 12))
    robot.write_joint_state_to_sim(pos, vel)
    target, speed, effort = (rng.uniform(-s, s, (count, 12)).astype(np.float32) for s in (0.5, 1.0, 2.0))
    target += host(data.default_joint_pos)
    robot.set_joint_position_target(target)
    robot.set_joint_velocity_target(speed)
    robot.set_joint_effort_target(effort)
    robot.write_data_to_sim()
    kp, kd = host(data.default_joint_stiffness), host(data.default_joint_damping)
    wanted = kp * (target - pos) + kd * (speed - vel) + effort
    np.testing.assert_allclose(host(data.computed_torque), wanted, atol=1e-4)
    limited = wanted.copy()
    limited[:, thighs] = np.clip(limited[:, thighs], -15, 15)
    most = np.clip(25 * (1 - vel[:, calves] / 30), 0, 20)
    least = np.clip(25 * (-1 - vel[:, calves] / 30), -20, 0)
    limited[:, calves] = np.clip(limited[:, calves], least, most)
    limited[:, hips] = np.clip(limited[:, hips], -20, 20)
    np.testing.assert_allclose(host(data.applied_torque), limited, atol=1e-4)
    given = host(robot.root_physx_view.get_dof_actuation_forces())
    np.testing.assert_allclose(given[:, thighs + calves], limited[:, thighs + calves], atol=1e-4)
    np.testing.assert_allclose(given[:, hips], effort[:, hips], atol=1e-6)
    np.testing.assert_allclose(host(robot.root_physx_view.get_dof_position_targets())[:, hips], target[:, hips])
    for _ in range(400):
        robot.write_data_to_sim()
        sim.step()
        robot.update(0.005)
    robot.set_joint_effort_target(0.0)
    robot.set_joint_velocity_target(0.0)
    for _ in range(400):
        robot.write_data_to_sim()
        sim.step()
        robot.update(0.005)
    error = np.abs(host(robot.data.joint_pos) - np.clip(target, *np.moveaxis(host(data.joint_pos_limits), -1, 0)))
    assert (
        error[:, hips].max() < 0.05 and error.max() < 0.2
    )  # it falls freely, so that gravity does not load the joints


def test_time_and_accelerations(scene: Any, count: int) -> None:
    sim, robot = scene
    sim.reset()
    assert host(robot.data.joint_acc).shape == (count, 12)
    height = robot.data.root_pos_w
    values = []
    for _ in range(3):
        sim.step()
        assert (host(robot.data.root_pos_w) == host(height)).all() or values
        robot.update(0.005)
        values.append(host(robot.data.joint_vel).copy())
        rate = host(robot.data.joint_acc)
        if len(values) > 1:
            np.testing.assert_allclose(rate, (values[-1] - values[-2]) / 0.005, rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(host(robot.data.root_com_lin_vel_w)[:, 2].mean(), -9.81 * 0.015, rtol=0.3)
    robot.write_joint_velocity_to_sim(0.0, env_ids=[0])
    assert not host(robot.data.joint_acc)[0].any()


def test_values_are_of_one_time(scene: Any, count: int) -> None:
    """What follows from values that are known is made of these, also if the simulation went on since."""
    sim, robot = scene
    sim.reset()
    spin = np.tile([0.0, 0.0, 0.0, 3.0, -8.0, 5.0], (count, 1))
    robot.write_root_velocity_to_sim(spin)
    robot.update(0.0)
    for _ in range(2):  # with state that was read, and with a pose that was written
        pose, velocity = host(robot.data.root_link_pose_w).copy(), host(robot.data.root_com_vel_w).copy()
        joints = host(robot.data.joint_pos).copy()
        for _ in range(10):
            sim.step()
        back = pose[:, 3:] * [1, -1, -1, -1]
        down, spins = rotate(back, np.tile([0, 0, -1.0], (count, 1)), np), rotate(back, velocity[:, 3:], np)
        np.testing.assert_allclose(host(robot.data.projected_gravity_b), down, atol=2e-6)
        np.testing.assert_allclose(host(robot.data.root_link_ang_vel_b), spins, atol=1e-5)
        np.testing.assert_array_equal(host(robot.data.root_state_w), np.concatenate([pose, velocity], axis=1))
        robot.update(0.05)
        assert np.abs(host(robot.data.projected_gravity_b) - down).max() > 0.01
        assert np.abs(host(robot.data.joint_pos) - joints).max() > 1e-4
        robot.write_root_pose_to_sim(np.tile([0.0, 0.0, 5.0, 0.8, 0.6, 0.0, 0.0], (count, 1)))


def test_reset_of_some_leaves_the_others_bitwise_untouched(scene: Any, count: int, device: str, file: str) -> None:
    sim, robot = scene
    sim.reset()
    rng = np.random.default_rng(4)
    for _ in range(20):
        robot.set_joint_position_target(host(robot.data.default_joint_pos) + rng.uniform(-0.3, 0.3, (count, 12)))
        robot.write_data_to_sim()
        sim.step()
        robot.update(0.005)
    before = {
        n: host(getattr(robot.data, n)).copy() for n in ("joint_pos", "joint_vel", "root_state_w", "body_state_w")
    }
    some = list(range(0, count, 2))
    others = [i for i in range(count) if i not in some]
    world = robot.root_physx_view.world
    state = world.state()
    robot.reset(some)
    robot.write_root_state_to_sim(host(robot.data.default_root_state)[some], some)
    robot.write_joint_state_to_sim(
        host(robot.data.default_joint_pos)[some], host(robot.data.default_joint_vel)[some], env_ids=some
    )
    for _ in range(2):
        for name, values in before.items():
            np.testing.assert_array_equal(host(getattr(robot.data, name))[others], values[others])
        np.testing.assert_allclose(
            host(robot.data.joint_pos)[some], host(robot.data.default_joint_pos)[some], atol=1e-6
        )
        robot.update(0.0)
    later = []
    for is_reset in (True, False):  # and stay so as time goes on
        if not is_reset:
            world.set_state(state)
            robot.update(0.0)
        for _ in range(5):
            robot.write_data_to_sim()
            sim.step()
            robot.update(0.005)
        later.append({name: host(getattr(robot.data, name)).copy() for name in before})
    for name in before:
        np.testing.assert_array_equal(later[0][name][others], later[1][name][others])
        assert (later[0][name][some] != later[1][name][some]).any()


def test_properties_reach_the_simulation(scene: Any, count: int, caplog: pytest.LogCaptureFixture) -> None:
    sim, robot = scene
    sim.reset()
    view, last = robot.root_physx_view, count - 1
    ids = [1, 5]
    for name, getter, value in (
        ("stiffness", "get_dof_stiffnesses", 3.0),
        ("damping", "get_dof_dampings", 0.2),
        ("velocity_limit", "get_dof_max_velocities", 7.0),
        ("effort_limit", "get_dof_max_forces", 9.0),
        ("armature", "get_dof_armatures", 0.02),
        ("friction_coefficient", "get_dof_friction_coefficients", 0.3),
    ):
        before = host(getattr(view, getter)()).copy()
        getattr(robot, f"write_joint_{name}_to_sim")(value, joint_ids=ids, env_ids=[last])
        after = host(getattr(view, getter)())
        np.testing.assert_allclose(after[last, ids], value, rtol=1e-6)
        after[last, ids] = before[last, ids]
        np.testing.assert_allclose(after, before)
    before = host(view.get_dof_friction_properties()).copy()
    robot.write_joint_friction_coefficient_to_sim(
        0.5, joint_dynamic_friction_coeff=0.4, joint_viscous_friction_coeff=0.3, joint_ids=ids, env_ids=[last]
    )
    before[last, ids] = [0.5, 0.4, 0.3]
    np.testing.assert_allclose(host(view.get_dof_friction_properties()), before, rtol=1e-6)
    np.testing.assert_allclose(host(robot.data.joint_viscous_friction_coeff)[last, ids], 0.3, rtol=1e-6)
    robot.write_joint_friction_coefficient_to_sim(0.7, np.full((1, len(ids)), 0.6), None, ids, [last])  # Isaac Lab 2.3
    robot.write_joint_friction_coefficient_to_sim(0.7, None, 0.2, joint_ids=ids, env_ids=[last])
    before[last, ids] = [0.7, 0.6, 0.2]
    np.testing.assert_allclose(host(view.get_dof_friction_properties()), before, rtol=1e-6)
    for chosen in (ids, np.array(ids), slice(ids[0], ids[0] + 1)):  # the order of earlier versions
        robot.write_joint_friction_coefficient_to_sim(0.8, chosen, [last])
    with pytest.raises(TypeError, match="joint_ids twice"):
        robot.write_joint_friction_coefficient_to_sim(0.8, ids, joint_ids=ids)
    before[last, ids] = [0.8, 0.6, 0.2]
    np.testing.assert_allclose(host(view.get_dof_friction_properties()), before, rtol=1e-6)
    limits = np.array([[[-0.1, 0.1]] * 12] * count)
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        robot.write_joint_position_limit_to_sim(limits)
    assert "default joint positions outside" in caplog.text
    np.testing.assert_allclose(host(robot.data.soft_joint_pos_limits), 0.9 * limits, rtol=1e-5)
    assert np.abs(host(robot.data.default_joint_pos)).max() <= np.float32(0.1)


def test_wrong_use_changes_nothing(scene: Any, count: int) -> None:
    sim, robot = scene
    for call in (lambda: robot.data, lambda: robot.joint_names, robot.write_data_to_sim, robot.reset):
        with pytest.raises(RuntimeError, match=r"call sim.reset\(\) first"):
            call()
    sim.reset()
    before = {n: host(getattr(robot.data, n)).copy() for n in ("joint_pos", "joint_stiffness", "joint_pos_target")}
    with pytest.raises(ValueError, match=r"joint positions has shape \(3, 2\)"):
        robot.write_joint_position_to_sim(np.zeros((3, 2)), joint_ids=[0, 1], env_ids=[0])
    with pytest.raises(IndexError):
        robot.write_joint_stiffness_to_sim(1.0, joint_ids=[12])
    with pytest.raises(IndexError):
        robot.set_joint_position_target(0.0, env_ids=[count])
    if robot.device == "cpu":  # a GPU's numbers would have to be waited for
        with pytest.raises(ValueError, match="below 0"):
            robot.write_joint_stiffness_to_sim(-1.0)
        with pytest.raises(ValueError, match="lower one is above the upper"):
            robot.write_joint_position_limit_to_sim([[[1.0, -1.0]] * 12] * count)
    with pytest.raises(ValueError):
        robot.find_joints("wing")
    robot.update(0.005)
    for name, values in before.items():
        np.testing.assert_array_equal(host(getattr(robot.data, name)), values)


@pytest.mark.gpu
@pytest.mark.parametrize("on_gpu", [False, True], ids=["world on the CPU", "world on the GPU"])
def test_tensors_of_another_device_are_brought_over(on_gpu: bool, gpu: str, torch: Any, file: str) -> None:
    device, other = (gpu, "cpu") if on_gpu else ("cpu", gpu)
    before = arrays._chosen
    arrays.set_array_api("torch")
    try:
        own = after_writes(device, lambda value: torch.as_tensor(value).to(device), file)
        brought = after_writes(device, lambda value: torch.as_tensor(value).to(other), file)
    finally:
        arrays.set_array_api(before)
    for name, values in own.items():
        np.testing.assert_array_equal(brought[name], values, name)


@pytest.mark.gpu
def test_what_bodies_are_made_of_is_on_the_host(gpu: str, torch: Any, file: str) -> None:
    """As in PhysX: Isaac Lab's randomisation picks from it, and writes it, with indices on the CPU."""
    before = arrays._chosen
    arrays.set_array_api("torch")
    try:
        stage.new_stage()
        sim = SimulationContext(SimulationCfg(device=gpu, dt=0.005))
        for i in range(3):
            sim_utils.create_prim(f"/World/envs/env_{i}", "Xform", translation=(3.0 * i, -1.0, 0.0))
        robot = Articulation(cfg(file))
        sim.reset()
        view, chosen = robot.root_physx_view, torch.tensor([2, 0])
        for name in ("masses", "inertias", "coms", "material_properties", "contact_offsets", "rest_offsets"):
            values = getattr(view, f"get_{name}")()
            assert values.device.type == "cpu", name
            values[chosen] = values[chosen] * (1.0 if name in ("coms", "inertias") else 0.5)
            getattr(view, f"set_{name}")(values, chosen)
            torch.testing.assert_close(getattr(view, f"get_{name}")(), values)
        default = robot.data.default_mass
        assert default.device.type == robot.data.default_inertia.device.type == "cpu"
        torch.testing.assert_close(view.get_masses()[0], 0.5 * default[0])
        torch.testing.assert_close(view.get_masses()[1], default[1])
        assert robot.data.body_com_pose_b.device.type == view.get_dof_positions().device.type == "cuda"
    finally:
        arrays.set_array_api(before)


def after_writes(device: str, give: Callable[[np.ndarray], Any], file: str) -> dict[str, np.ndarray]:
    """Some of all that there is of three robots, once most of it was written, and a step made."""
    stage.new_stage()
    sim = SimulationContext(SimulationCfg(device=device, dt=0.005))
    for i in range(3):
        sim_utils.create_prim(f"/World/envs/env_{i}", "Xform", translation=(3.0 * i, -1.0, 0.0))
    robot = Articulation(cfg(file))
    sim.reset()
    rng = np.random.default_rng(8)

    def some(*shape: int) -> Any:
        return give(rng.uniform(0.1, 0.2, (2, *shape)).astype("float32"))

    chosen, joints = give(np.array([2, 0])), give(np.array([3, 1]))
    robot.write_root_pose_to_sim(give(np.array([[1, 2, 5, 1, 0, 0, 0], [0, 1, 6, 0, 1, 0, 0]], "float32")), chosen)
    robot.write_root_velocity_to_sim(some(6), chosen)
    robot.write_joint_state_to_sim(some(12), some(12), env_ids=chosen)
    robot.write_joint_stiffness_to_sim(some(2), joints, chosen)
    robot.set_joint_position_target(some(2), joints, chosen)
    robot.set_external_force_and_torque(some(1, 3), some(1, 3), body_ids=[0], env_ids=chosen)
    view = robot.root_physx_view
    view.set_dof_armatures(give(rng.uniform(0.01, 0.02, (3, 12)).astype("float32")), give(np.array([1, 2])))
    robot.write_data_to_sim()
    sim.step()
    robot.update(0.005)
    found = {
        n: host(getattr(robot.data, n)).copy() for n in ("joint_pos", "joint_vel", "root_state_w", "applied_torque")
    }
    found |= {"armatures": host(view.get_dof_armatures()).copy(), "stiffness": host(robot.data.joint_stiffness).copy()}
    SimulationContext.clear_instance()
    physics_events.clear()
    return found


@pytest.mark.parametrize(
    ("more", "error", "text"),
    [
        (
            {"actuators": {"a": ImplicitActuatorCfg(joint_names_expr=["wing"], stiffness=1.0, damping=1.0)}},
            ValueError,
            "wing",
        ),
        (
            {"init_state": ArticulationCfg.InitialStateCfg(joint_pos={".*calf.*": 3.0})},
            ValueError,
            "outside of its limits",
        ),
        ({"init_state": ArticulationCfg.InitialStateCfg(joint_pos={"wing": 3.0})}, ValueError, "wing"),
        ({"articulation_root_prim_path": "/nothing"}, RuntimeError, "there is no prim at </World/robot/nothing>"),
    ],
    ids=["no joint", "limits", "name", "root"],
)
def test_wrong_configurations(more: dict[str, Any], error: type[Exception], text: str, device: str, file: str) -> None:
    stage.new_stage()
    SimulationContext.clear_instance()
    sim = SimulationContext(SimulationCfg(device=device))
    robot = Articulation(cfg(file, prim_path="/World/robot", **more))
    with pytest.raises(error, match=text):
        sim.reset()
    assert not robot.is_initialized and sim.is_stopped()
    SimulationContext.clear_instance()
    physics_events.clear()


def test_it_is_freed(scene: Any) -> None:
    sim, robot = scene
    other = Articulation(robot.cfg.replace(spawn=None))
    sim.reset()
    freed = weakref.ref(other)
    assert other.is_initialized
    del other
    gc.collect()
    assert freed() is None
    SimulationContext.clear_instance()
    assert not robot.is_initialized


@pytest.mark.parametrize(("is_global", "placed"), [(False, False), (True, True), (False, True)])
def test_wrenches_are_what_the_view_makes_of_them(scene: Any, count: int, is_global: bool, placed: bool) -> None:
    """All bodies, feet that are fixed to calves among them; the view is compared with accelerations elsewhere."""
    sim, robot = scene
    sim.reset()
    rng, world = np.random.default_rng(8), sim.stage_world.world
    force, torque, place = rng.normal(size=(3, count, robot.num_bodies, 3)).astype(np.float32)
    robot.set_external_force_and_torque(force, torque, place if placed else None, is_global=is_global)
    fields = (ExternalWrench.force, ExternalWrench.torque)
    found = []
    for write in (
        robot.write_data_to_sim,
        lambda: robot.root_physx_view.apply_forces_and_torques_at_position(
            force, torque, place if placed else None, None, is_global
        ),
    ):
        robot.write_root_pose_to_sim(np.tile([1.0, 2.0, 4.0, 0.6, 0.0, 0.8, 0.0], (count, 1)))
        robot.write_joint_state_to_sim(robot.data.default_joint_pos, 0.0)
        write()
        found.append([host(world.engine.store.view(field)) for field in fields])
        sim.step()
        assert not any(host(world.engine.store.view(field)).any() for field in fields)  # for one step
    assert np.abs(found[0][0]).max() > 1.0
    for mine, views in zip(*found, strict=True):
        np.testing.assert_allclose(mine, views, atol=5e-5)
    robot.set_external_force_and_torque(np.full((1, 1, 3), np.nan), np.zeros((1, 1, 3)), body_ids=[2], env_ids=[0])
    if world.device == "cpu":
        with pytest.raises(ValueError, match="forces is not finite in row 0"):
            robot.write_data_to_sim()


TENDON = """
<mujoco>
  <worldbody>
    <body name="a"><joint name="ja" axis="0 0 1"/><geom type="sphere" size="0.1"/>
      <body name="b" pos="0.3 0 0"><joint name="jb" axis="0 0 1"/><geom type="sphere" size="0.05" pos="0.1 0 0"/></body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="rope" stiffness="5" damping="0.5"><joint joint="ja" coef="1"/><joint joint="jb" coef="-1"/></fixed>
  </tendon>
</mujoco>
"""


def test_tendons_are_set_in_buffers_and_then_written(tmp_path: Path, device: str, api: str) -> None:
    (tmp_path / "two.xml").write_text(TENDON)
    write_robot(mjcf.load_robot(tmp_path / "two.xml", visuals=False), tmp_path / "two.usd")
    stage.new_stage()
    SimulationContext.clear_instance()
    sim = SimulationContext(SimulationCfg(device=device))
    for i in range(3):
        sim_utils.create_prim(f"/World/envs/env_{i}", "Xform", translation=(3.0 * i, 0.0, 0.0))
    robot = Articulation(cfg(str(tmp_path / "two.usd"), actuators={}, init_state=ArticulationCfg.InitialStateCfg()))
    sim.reset()
    view = robot.root_physx_view
    assert robot.num_fixed_tendons == 1 and robot.num_spatial_tendons == 0 and robot.is_fixed_base
    name = robot.fixed_tendon_names[0]
    assert robot.find_fixed_tendons(".*") == ([0], [name]) and "rope" in name
    np.testing.assert_allclose(host(robot.data.default_fixed_tendon_stiffness), [[5.0]] * 3)
    robot.set_fixed_tendon_stiffness(7.0, env_ids=[1])
    robot.set_fixed_tendon_damping(0.25)
    np.testing.assert_allclose(host(robot.data.fixed_tendon_stiffness), [[5.0], [7.0], [5.0]])
    np.testing.assert_allclose(host(view.get_fixed_tendon_stiffnesses()), [[5.0]] * 3)  # not yet
    robot.write_fixed_tendon_properties_to_sim(env_ids=[1, 2])
    np.testing.assert_allclose(host(view.get_fixed_tendon_stiffnesses()), [[5.0], [7.0], [5.0]])
    np.testing.assert_allclose(host(view.get_fixed_tendon_dampings()), [[0.5], [0.25], [0.25]])
    np.testing.assert_allclose(host(robot.data.default_fixed_tendon_damping), [[0.5]] * 3)
    with pytest.raises(ValueError, match="fixed tendons' offset has shape"):
        robot.set_fixed_tendon_offset(np.zeros((2, 1)))
    SimulationContext.clear_instance()
    physics_events.clear()


def test_joint_wrench_holds_the_weight(tmp_path: Path, device: str, api: str) -> None:
    """The joint of a hanging bar carries its weight, and the bar's angle follows a position drive against gravity."""
    bar = """<mujoco><worldbody><body name="bar" pos="0 0 1"><joint name="j" axis="0 1 0"/>
      <geom type="sphere" size="0.1" pos="0 0 -0.5" mass="2"/></body></worldbody></mujoco>"""
    (tmp_path / "bar.xml").write_text(bar)
    write_robot(mjcf.load_robot(tmp_path / "bar.xml", visuals=False), tmp_path / "bar.usd")
    stage.new_stage()
    SimulationContext.clear_instance()
    sim = SimulationContext(SimulationCfg(device=device, dt=0.005))
    drive = {"all": ImplicitActuatorCfg(joint_names_expr=["j"], stiffness=100.0, damping=20.0)}
    robot = Articulation(
        cfg(
            str(tmp_path / "bar.usd"),
            prim_path="/World/bar",
            actuators=drive,
            init_state=ArticulationCfg.InitialStateCfg(),
        )
    )
    sim.reset()
    robot.set_joint_position_target(0.5)
    for _ in range(800):
        robot.write_data_to_sim()
        sim.step()
        robot.update(0.005)
    angle = float(host(robot.data.joint_pos)[0, 0])
    assert 100.0 * (0.5 - angle) == pytest.approx(2.0 * 9.81 * 0.5 * np.sin(angle), rel=1e-3)
    assert float(host(robot.data.applied_torque)[0, 0]) == pytest.approx(100.0 * (0.5 - angle), rel=1e-3)
    wrench = host(robot.data.body_incoming_joint_wrench_b)[0, robot.body_names.index("bar")]
    assert np.linalg.norm(wrench[:3]) == pytest.approx(2.0 * 9.81, rel=1e-3)
    SimulationContext.clear_instance()
    physics_events.clear()
