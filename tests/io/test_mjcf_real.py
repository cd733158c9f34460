"""Real MJCF files, of the packages gymnasium and dm_control, mean the same as in MuJoCo."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest
from oracles import host
from oracles.mjcf_compare import check_file, check_mass_matrices, check_poses, dofs_of, set_states
from oracles.mjcf_oracle import MjcfOracle

import phalanx as px
from phalanx import components as c
from phalanx.io.formats.mjcf import load_scene

GYMNASIUM = """ant half_cheetah hopper humanoid humanoidstandup inverted_double_pendulum inverted_pendulum point
pusher_v5 reacher swimmer walker2d_v5"""
SUITE = """acrobot ball_in_cup cartpole cheetah dog finger fish hopper humanoid humanoid_CMU lqr manipulator pendulum
point_mass quadruped reacher stacker swimmer walker"""
OTHERS = (
    "locomotion/walkers/assets/rodent.xml",
    "locomotion/walkers/assets/humanoid_CMU_V2020.xml",
    "locomotion/walkers/assets/jumping_ball/jumping_ball_with_head.xml",
    "locomotion/walkers/assets/fruitfly_v2/fruitfly.xml",
    "third_party/ant/ant.xml",
    "third_party/kinova/jaco_arm.xml",
    "third_party/kinova/jaco_hand.xml",
    "mujoco/testing/assets/model_with_ball_joints.xml",
    "mjcf/test_assets/robot_arm.xml",
    "mjcf/test_assets/lego_brick.xml",
)
FILES = {
    **{f"gymnasium/{name}": f"envs/mujoco/assets/{name}.xml" for name in GYMNASIUM.split()},
    **{f"dm_control/{name}": f"suite/{name}.xml" for name in SUITE.split()},
    **{f"dm_control/{Path(file).stem}_": file for file in OTHERS},
}
STEPPED = (
    "gymnasium/humanoid",
    "gymnasium/pusher_v5",
    "dm_control/quadruped",
    "dm_control/manipulator",
    "dm_control/fish",
    "dm_control/jaco_arm_",
    "dm_control/model_with_ball_joints_",
)
"""Those that also go into a world, each of its own kind."""

LARGE = ("dm_control/dog", "dm_control/fruitfly_")
"""Those that take long to compare; a third as large, the rodent, is always compared."""


def real(name: str) -> Path:
    """The file behind a name."""
    package = name.split("/")[0]
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"{package} is not installed (the extra `test` has it where it has wheels for this Python)")
    return Path(found.submodule_search_locations[0]) / FILES[name]


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n in LARGE else []) for n in FILES])
def test_bodies_joints_and_geoms_are_those_of_mujoco(name: str) -> None:
    file = real(name)
    check_file(MjcfOracle(file), load_scene(file))


@pytest.mark.usefixtures("compile_less")
@pytest.mark.parametrize("name", STEPPED)
def test_kinematics_inertia_and_filters_are_those_of_mujoco(name: str, device: str) -> None:
    file = real(name)
    oracle, scene = MjcfOracle(file), load_scene(file)
    world = px.World(3, device=device, dtype="float64")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is not simulated; test_mjcf_errors.py looks at that
        added = world.add_mjcf(file)
    world.build()
    rng = np.random.default_rng(5)
    states = [oracle.random_state(rng) for _ in range(3)]
    set_states(world, added, scene, oracle, states)
    check_poses(added, scene, oracle, states, host)
    check_mass_matrices(added, scene, oracle, states, host)
    pairs = world.engine.store.rows(c.AllowedPair) + world.engine.store.rows(c.PlanePair)
    assert pairs == len(oracle.pairs())


@pytest.mark.usefixtures("compile_less")
@pytest.mark.parametrize("name", ["gymnasium/humanoid", "dm_control/quadruped", "dm_control/finger", "dm_control/fish"])
def test_actuators_push_as_in_mujoco(name: str, device: str) -> None:
    file = real(name)
    oracle, scene = MjcfOracle(file), load_scene(file)
    world = px.World(4, device=device, dtype="float64")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        added = world.add_mjcf(file)
    robot = max(added.robots.values(), key=lambda one: one.num_actuators)
    rng = np.random.default_rng(6)
    states = [oracle.random_state(rng) for _ in range(4)]
    set_states(world, added, scene, oracle, states)
    velocity = rng.normal(size=(4, robot.num_dof))
    robot.set_joint_state(vel=velocity)
    controls = rng.normal(size=(4, robot.num_actuators)) * 1.5
    robot.set_controls(controls)
    ours = drive_efforts(robot)
    dofs = dofs_of(robot, scene, oracle)[-robot.num_dof :]
    order = [oracle.actuator_names.index(actuator) for actuator in robot.actuator_names]
    for e, q in enumerate(states):
        qd, u = np.zeros(oracle.model.nv), np.zeros(oracle.model.nu)
        qd[dofs], u[order] = velocity[e], controls[e]
        theirs = oracle.joint_efforts(q, qd, u)[dofs]
        np.testing.assert_allclose(ours[e], theirs, atol=1e-9 * max(1.0, np.abs(theirs).max()))


def drive_efforts(robot: px.Robot) -> np.ndarray:
    """What drives, and tendons that actuators pull at, give in the state that the robot is in, (n, num_dof)."""
    drive = robot.world[c.Drive]
    stiffness, damping, most = (
        host(each)[robot._joints].T for each in (drive.stiffness, drive.damping, drive.effort_limit)
    )
    q, v = host(robot.joint_pos), host(robot.joint_vel)
    aim, speed = host(robot.joint_pos_target), host(robot.joint_vel_target)
    found = stiffness * (aim - q) + damping * (speed - v) + host(robot.joint_effort_target)
    found = np.clip(found, -most, most)
    pulled = {actuator.tendon for actuator in robot.model.actuators}
    for k, tendon in enumerate(robot.model.fixed_tendons):
        if tendon.name in pulled:
            weights = np.array([tendon.joints.get(name, 0.0) for name in robot.joint_names])
            stretch = host(robot.fixed_tendon_rest_length)[:, k] - q @ weights
            force = tendon.stiffness * stretch - tendon.damping * (v @ weights)
            found = found + force[:, None] * weights
    return found
