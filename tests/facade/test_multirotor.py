"""Multirotors: what thrusters and wrenches do to a body, against Newton and Euler; hovering, a controller's turn."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.actuators import ImplicitActuatorCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaaclab_contrib.actuators import ThrusterCfg
from phalanx.facade.isaaclab_contrib.assets import Multirotor, MultirotorCfg
from phalanx.io.formats.urdf import load_urdf
from phalanx.io.formats.usd import write_robot
from phalanx.maths.arrays import rotate

SHAPES = json.loads((Path(__file__).parent / "documented_shapes.json").read_text())
DT, GRAVITY, ARM, YAW = 0.005, 9.81, 0.2, 0.02
PLACES = [(ARM, 0.0), (0.0, ARM), (-ARM, 0.0), (0.0, -ARM)]
ALLOCATION = np.array(
    [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, 1.0, 1.0],
        [y for _, y in PLACES],
        [-x for x, _ in PLACES],
        [-YAW, YAW, -YAW, YAW],
    ]
)
MASS = 0.8 + 4 * 0.05
"""kg, of the body and four rotors that are fixed to it."""
INERTIA = np.array([0.004, 0.005, 0.008]) + 2 * 0.05 * ARM**2 * np.array([1.0, 1.0, 2.0]) + 4 * 1e-5
"""kg m^2 about the root's axes, which by symmetry are principal ones through the centre of mass."""
HOVER = 100.0
"""rev/s that hold it in the air, by the choice of the thrust constant."""
CONSTANT = MASS * GRAVITY / 4 / HOVER**2


def urdf() -> str:
    def link(name: str, mass: float, x: float, y: float, z: float) -> str:
        inertia = f'<inertia ixx="{x}" ixy="0" ixz="0" iyy="{y}" iyz="0" izz="{z}"/>'
        return f'<link name="{name}"><inertial><mass value="{mass}"/>{inertia}</inertial></link>'

    parts = [link("base", 0.8, 0.004, 0.005, 0.008)]
    for n, (x, y) in enumerate(PLACES):
        parts.append(link(f"rotor_{n}", 0.05, 1e-5, 1e-5, 1e-5))
        ends = f'<parent link="base"/><child link="rotor_{n}"/><origin xyz="{x} {y} 0"/>'
        parts.append(f'<joint name="mount_{n}" type="fixed">{ends}</joint>')
    return f'<robot name="quad">{"".join(parts)}</robot>'


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("usd")
    (folder / "quad.urdf").write_text(urdf())
    write_robot(load_urdf(folder / "quad.urdf", visuals=False), folder / "quad.usd")
    return str(folder / "quad.usd")


@pytest.fixture(params=[1, 7])
def count(request: pytest.FixtureRequest) -> int:
    return request.param


def thrusters(names: str = "rotor_[0-3]", **more: Any) -> ThrusterCfg:
    given = {
        "thruster_names_expr": [names],
        "thrust_range": (0.0, 6.0),
        "rise_time_constant": 0.03,
        "fall_time_constant": 0.06,
        "thrust_const_range": (CONSTANT, CONSTANT),
    }
    return ThrusterCfg(**(given | more))


def cfg(file: str, **more: Any) -> MultirotorCfg:
    given = {
        "prim_path": "/World/envs/env_.*/quad",
        "spawn": sim_utils.UsdFileCfg(usd_path=file),
        "init_state": MultirotorCfg.InitialStateCfg(pos=(0.0, 0.0, 5.0)),
        "actuators": {"thrusters": thrusters()},
        "allocation_matrix": ALLOCATION.tolist(),
        "rotor_directions": [1, -1, 1, -1],
    }
    return MultirotorCfg(**(given | more))


@pytest.fixture
def scene(count: int, device: str, api: str, file: str) -> Iterator[tuple[SimulationContext, Multirotor]]:
    stage.new_stage()
    sim = SimulationContext(SimulationCfg(device=device, dt=DT))
    for i in range(count):
        sim_utils.create_prim(f"/World/envs/env_{i}", "Xform", translation=(3.0 * i, -1.0, 0.5))
    yield sim, Multirotor(cfg(file))
    SimulationContext.clear_instance()
    physics_events.clear()


def go(sim: SimulationContext, robot: Multirotor, steps: int = 1) -> None:
    for _ in range(steps):
        robot.write_data_to_sim()
        sim.step()
        robot.update(DT)


def change(sim: SimulationContext, robot: Multirotor) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations in a step, without gravity's, linear in the world's axes and angular in the body's."""
    before = host(robot.data.root_com_vel_w).astype(float)
    quat = host(robot.data.root_link_quat_w).astype(float) * [1, -1, -1, -1]
    go(sim, robot)
    after = (host(robot.data.root_com_vel_w) - before) / DT
    return after[:, :3] + [0, 0, GRAVITY], rotate(quat, after[:, 3:], np)


def test_shapes_names_and_defaults(scene: Any, count: int) -> None:
    sim, robot = scene
    assert robot.thruster_names == [] and robot.num_thrusters == 0
    sim.reset()
    sizes = {name: getattr(robot, name) for name in ("num_joints", "num_bodies", "num_thrusters")}
    sizes |= {"num_instances": count, "num_fixed_tendons": 0, "num_spatial_tendons": 0}
    assert (sizes["num_bodies"], sizes["num_thrusters"], sizes["num_joints"]) == (5, 4, 0)
    for name, shape in (SHAPES["ArticulationData"] | SHAPES["MultirotorData"]).items():
        assert tuple(getattr(robot.data, name).shape) == tuple(sizes.get(n, n) for n in shape), name
    assert robot.thruster_names == robot.data.thruster_names == [f"rotor_{n}" for n in range(4)]
    np.testing.assert_allclose(host(robot.allocation_matrix), ALLOCATION, rtol=1e-6)
    assert (host(robot.data.default_thruster_rps) == HOVER).all()
    np.testing.assert_allclose(host(robot.data.thrust_target), MASS * GRAVITY / 4, rtol=1e-6)
    np.testing.assert_allclose(host(robot.data.default_mass).sum(-1), MASS, rtol=1e-6)


def test_thrust_accelerates_as_the_matrix_says(scene: Any, count: int) -> None:
    """Turned bodies at rest: a = R f / m and alpha = tau / I, other thrusts in each environment, to 1e-3 of them."""
    sim, robot = scene
    sim.reset()
    rng = np.random.default_rng(1)
    quat = rng.normal(size=(count, 4))
    quat /= np.linalg.norm(quat, axis=1, keepdims=True)
    robot.write_root_pose_to_sim(np.concatenate([rng.uniform(-1, 1, (count, 3)), quat], 1).astype(np.float32))
    robot.set_thrust_target(rng.uniform(0, 8, (count, 4)).astype(np.float32))
    linear, angular = change(sim, robot)
    thrust = host(robot.data.applied_thrust)
    assert np.ptp(thrust) > 0.3 and (thrust <= 6.0).all()
    wrench = thrust @ ALLOCATION.T
    combined = host(robot._internal_wrench_target_sim)
    np.testing.assert_allclose(combined, wrench, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(host(robot._internal_torque_target_sim)[:, 0], combined[:, 3:])
    np.testing.assert_allclose(linear, rotate(quat, wrench[:, :3] / MASS, np), atol=2e-3)
    np.testing.assert_allclose(angular, wrench[:, 3:] / INERTIA, rtol=1e-3, atol=2e-3)


def test_it_hovers(scene: Any, count: int) -> None:
    """A second at the speed that holds its weight: it falls by less than 0.1 mm, and turns by less than 1e-5."""
    sim, robot = scene
    sim.reset()
    start = host(robot.data.root_link_pose_w).copy()
    go(sim, robot, 200)
    np.testing.assert_allclose(host(robot.data.root_link_pose_w)[:, :3], start[:, :3], atol=1e-4)
    np.testing.assert_allclose(host(robot.data.root_link_pose_w)[:, 3:], start[:, 3:], atol=1e-5)
    saturated = host(robot.data.computed_thrust) - host(robot.data.applied_thrust)
    assert np.abs(saturated).max() < 1e-5


def test_a_controller_turns_it(scene: Any, count: int) -> None:
    """Proportional to angles and their rates, other angles in each environment: within 1.5 s to 2e-3 rad.

    The controller makes a critically damped oscillator of 6 rad/s of each axis; thrusters lag by 0.03 and 0.06 s.
    """
    sim, robot = scene
    sim.reset()
    wanted = np.random.default_rng(2).uniform(-0.3, 0.3, (count, 3))
    mix = np.linalg.inv(ALLOCATION[2:])
    half = np.linalg.norm(wanted, axis=1, keepdims=True) / 2
    goal = np.concatenate([np.cos(half), wanted * np.sin(half) / (2 * half)], 1)
    for _ in range(300):
        quat = host(robot.data.root_link_quat_w).astype(float)
        spin = host(robot.data.root_link_ang_vel_b).astype(float)
        w, v = quat[:, :1], -quat[:, 1:]
        left = w * goal[:, 1:] + goal[:, :1] * v + np.cross(v, goal[:, 1:])  # of conj(quat) * goal
        torque = INERTIA * (36.0 * 2.0 * left - 12.0 * spin)
        lift = np.full((count, 1), MASS * GRAVITY)
        robot.set_thrust_target(np.concatenate([lift, torque], 1).astype(np.float32) @ mix.T.astype(np.float32))
        go(sim, robot)
    quat = host(robot.data.root_link_quat_w)
    error = quat - goal * np.sign((goal * quat).sum(1, keepdims=True))
    assert 2 * np.abs(error).max() < 2e-3 and np.abs(host(robot.data.root_link_ang_vel_b)).max() < 0.02


def test_wrenches_add_up(scene: Any, count: int) -> None:
    """Instantaneous ones act once, permanent ones stay, thrusters push besides; in both frames, and at points."""
    sim, robot = scene
    sim.reset()
    turn = np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])  # x to y
    pose = np.tile([0, 0, 9, *turn], (count, 1)).astype(np.float32)
    pose[:, :3] += [[3.0 * i, -1.0, 0.5] for i in range(count)]
    robot.write_root_pose_to_sim(pose)
    lasting, once = robot.permanent_wrench_composer, robot.instantaneous_wrench_composer
    last = [count - 1]

    def wrench(*numbers: float, rows: int = count) -> np.ndarray:
        return np.tile(np.array(numbers, np.float32), (rows, 1, 1))

    lasting.set_forces_and_torques(wrench(1, 0, 0), body_ids=[0])
    lasting.add_forces_and_torques(wrench(2, 0, 0), body_ids=[0], is_global=True)
    once.add_forces_and_torques(wrench(0, 0, 0.1, rows=1), wrench(0, 0, 0.003, rows=1), body_ids=[0], env_ids=last)
    point = wrench(0.1, 0, 0, rows=1)
    once.add_forces_and_torques(wrench(0, 0.1, 0, rows=1), positions=point, body_ids=[0], env_ids=last)
    where = pose[last, None, :3] + np.array([0.0, 0.2, 0.0], np.float32)
    once.add_forces_and_torques(
        wrench(0, 0, 0.3, rows=1), positions=where, body_ids=[0], env_ids=last, is_global=True
    )  # 0.2 m along the body's x: about its -y
    assert lasting.active and once.active
    np.testing.assert_allclose(host(lasting.composed_force)[:, 0], [[1, -2, 0]] * count, atol=1e-6)
    linear, angular = change(sim, robot)
    force, torque = np.tile([2.0, 1.0, MASS * GRAVITY], (count, 1)), np.zeros((count, 3))
    force[last] += [-0.1, 0.0, 0.4]
    torque[last] += [0.0, -0.06, 0.013]
    np.testing.assert_allclose(linear, force / MASS, atol=2e-3)
    np.testing.assert_allclose(angular, torque / INERTIA, rtol=1e-3, atol=2e-3)
    assert not once.active and lasting.active
    robot.write_root_pose_to_sim(pose)
    robot.write_root_velocity_to_sim(np.zeros((count, 6), np.float32))
    linear, angular = change(sim, robot)
    np.testing.assert_allclose(linear, [[2.0 / MASS, 1.0 / MASS, GRAVITY]] * count, atol=2e-3)
    np.testing.assert_allclose(angular, 0.0, atol=1e-4)
    robot.set_external_force_and_torque(wrench(0, 0, 2), wrench(0, 0, 0), body_ids=[0])
    np.testing.assert_allclose(change(sim, robot)[0], [[0, 0, GRAVITY + 2.0 / MASS]] * count, atol=2e-3)
    robot.set_external_force_and_torque(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32))
    np.testing.assert_allclose(change(sim, robot)[0], [[0, 0, GRAVITY]] * count, atol=2e-3)


def test_reset_brings_some_back(scene: Any, count: int) -> None:
    sim, robot = scene
    sim.reset()
    start = host(robot.data.root_link_pose_w).copy()
    robot.set_thrust_target(np.full(count, 3.0, np.float32), thruster_ids=[1, 2])
    robot.permanent_wrench_composer.add_forces_and_torques(np.ones((count, 5, 3), np.float32))
    np.testing.assert_allclose(host(robot.data.thrust_target)[:, [1, 2]], 3.0)
    np.testing.assert_allclose(host(robot.data.thrust_target)[:, [0, 3]], MASS * GRAVITY / 4, rtol=1e-6)
    go(sim, robot, 20)
    some = list(range(0, count, 2))
    others = [i for i in range(count) if i not in some]
    names = ("thrust_target", "applied_thrust", "root_state_w")
    before = {name: host(getattr(robot.data, name)).copy() for name in names}
    robot.reset(some)
    for _ in range(2):
        for name, values in before.items():
            np.testing.assert_array_equal(host(getattr(robot.data, name))[others], values[others])
        np.testing.assert_allclose(host(robot.data.root_link_pose_w)[some], start[some], atol=1e-6)
        assert not host(robot.data.root_vel_w)[some].any()
        np.testing.assert_allclose(host(robot.data.thrust_target)[some], MASS * GRAVITY / 4, rtol=1e-6)
        np.testing.assert_allclose(host(robot.data.applied_thrust)[some], MASS * GRAVITY / 4, rtol=1e-6)
        robot.update(0.0)
    assert not host(robot.permanent_wrench_composer.composed_force)[some].any()
    assert host(robot.permanent_wrench_composer.composed_force)[others].all()
    go(sim, robot, 20)
    np.testing.assert_allclose(host(robot.data.root_link_pose_w)[some], start[some], atol=1e-5)


def test_wrong_use_changes_nothing(scene: Any, count: int) -> None:
    sim, robot = scene
    for call in (lambda: robot.data, lambda: robot.allocation_matrix, robot.write_data_to_sim, robot.reset):
        with pytest.raises(RuntimeError, match=r"call sim.reset\(\) first"):
            call()
    sim.reset()
    before = host(robot.data.thrust_target).copy()
    for arguments, error, text in (
        ((np.zeros((count, 3)),), ValueError, r"target has shape"),
        ((np.zeros(count + 1),), ValueError, r"target has shape"),
        ((np.zeros((1, 1)), [4], [0]), IndexError, "no thruster 4 of 4"),
        ((np.zeros((1, 4)), None, [count]), IndexError, f"no instance {count} of {count}"),
    ):
        with pytest.raises(error, match=text):
            robot.set_thrust_target(*arguments)
    composer = robot.permanent_wrench_composer
    with pytest.raises(ValueError, match=r"forces have shape \(1, 3\); they must have"):
        composer.set_forces_and_torques(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="there are no forces"):
        composer.add_forces_and_torques(positions=np.zeros((count, 5, 3)))
    assert not composer.active
    np.testing.assert_array_equal(host(robot.data.thrust_target), before)


def test_rotors_on_joints(device: str, tmp_path: Path) -> None:
    """Joints turn freely, with friction as written, and go back at a reset; thrust pushes the root all the same."""
    text = urdf().replace('type="fixed"><parent', 'type="continuous"><axis xyz="0 0 1"/><parent')
    (tmp_path / "quad.urdf").write_text(text)
    write_robot(load_urdf(tmp_path / "quad.urdf", visuals=False), tmp_path / "quad.usd")
    stage.new_stage()
    SimulationContext.clear_instance()
    sim = SimulationContext(SimulationCfg(device=device, dt=DT))
    robot = Multirotor(cfg(str(tmp_path / "quad.usd"), prim_path="/World/quad"))
    sim.reset()
    assert robot.joint_names == [f"mount_{n}" for n in range(4)] and robot.num_thrusters == 4
    start = host(robot.data.root_link_pos_w).copy()
    robot.write_joint_velocity_to_sim(np.array([[50.0, -50.0, 50.0, -50.0]], np.float32))
    go(sim, robot, 100)
    np.testing.assert_allclose(host(robot.data.joint_vel), [[50.0, -50.0, 50.0, -50.0]], rtol=1e-4)
    np.testing.assert_allclose(host(robot.data.root_link_pos_w), start, atol=1e-4)
    robot.write_joint_friction_coefficient_to_sim(2e-6, None, 1e-6, joint_ids=[1])
    robot.write_joint_friction_to_sim(3e-6, joint_ids=[2])
    friction = host(robot.root_physx_view.get_dof_friction_properties())[0]
    np.testing.assert_allclose(friction[1:3], [[2e-6, friction[0, 1], 1e-6], [3e-6, *friction[0, 1:]]], rtol=1e-6)
    robot.reset([0])
    assert not host(robot.data.joint_vel).any() and not host(robot.data.joint_pos).any()
    SimulationContext.clear_instance()
    physics_events.clear()


TWO = {"front": thrusters("rotor_[01]", target_unit="rps"), "back": thrusters("rotor_[23]")}


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"allocation_matrix": [[0.0] * 4] * 5}, "5 rows"),
        ({"allocation_matrix": [[0.0] * 3] * 6}, r"entries; it must have 6, Fx Fy Fz Tx Ty Tz, of 4"),
        ({"allocation_matrix": [[float("nan")] * 4] * 6}, "not finite"),
        ({"rotor_directions": [1, -1]}, "rotor_directions has 2 entries for 4 thrusters"),
        ({"rotor_directions": [1, -1, 1, 2]}, "must be 1 or -1"),
        ({"thruster_force_direction": (0.0, 0.0, 0.0)}, "must be a direction"),
        ({"actuators": {"a": thrusters("wing")}}, "wing"),
        ({"actuators": {"a": thrusters(), "b": thrusters("rotor_2")}}, "'rotor_2' is a thruster twice"),
        (
            {"actuators": {"a": ImplicitActuatorCfg(joint_names_expr=[".*"], stiffness=0.0, damping=0.0)}},
            "'a' is a ImplicitActuatorCfg",
        ),
        ({"init_state": MultirotorCfg.InitialStateCfg(rps={"wing": 1.0})}, "wing"),
        ({"allocation_matrix": ALLOCATION[[2, 0, 1, 3, 4, 5]].tolist()}, None),
        ({"allocation_matrix": None, "actuators": TWO}, None),
    ],
    ids=lambda value: "" if isinstance(value, str | None) else next(iter(value)),
)
def test_configurations(
    more: dict[str, Any], text: str | None, device: str, file: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Wrong ones are told; lift in the first row is a warning; groups count one after the other; no matrix, no push."""
    stage.new_stage()
    SimulationContext.clear_instance()
    sim = SimulationContext(SimulationCfg(device=device, dt=DT))
    robot = Multirotor(cfg(file, prim_path="/World/quad", **more))
    if text is not None:
        with pytest.raises(ValueError, match=text):
            sim.reset()
        assert not robot.is_initialized
    else:
        with caplog.at_level(logging.WARNING, "phalanx.facade"):
            sim.reset()
        assert ("push along (4, 0, 0)" in caplog.text) == (more["allocation_matrix"] is not None)
        if more["allocation_matrix"] is None:
            assert robot.allocation_matrix is None and robot.num_thrusters == 4
            np.testing.assert_allclose(host(robot.data.thrust_target)[0], [HOVER] * 2 + [MASS * GRAVITY / 4] * 2)
            robot.set_thrust_target(np.array([[120.0, 120.0, 3.0, 3.0]], np.float32))
            go(sim, robot, 100)
            thrust = [1.44 * MASS * GRAVITY / 4] * 2 + [3.0] * 2
            np.testing.assert_allclose(host(robot.data.applied_thrust)[0], thrust, rtol=1e-4)
            np.testing.assert_allclose(host(robot.data.root_lin_vel_w)[0], [0, 0, -GRAVITY * 0.5], atol=1e-4)
    SimulationContext.clear_instance()
    physics_events.clear()
