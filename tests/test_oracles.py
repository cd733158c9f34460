"""The oracles against each other: two engines, two ways of reading the file, one answer in our conventions."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from oracles import MujocoOracle, Oracle, PinOracle, State, joint_names, random_state, relative_error
from oracles.base import positive, rotation
from real_robots import robot_path

ROBOTS = [
    "a1",
    "allegro",
    "anymal_c",
    "anymal_kinova",
    "baxter",
    "double_pendulum_continuous",
    "g1",
    "go2",
    "hyq",
    "icub",
    "iris",
    "kinova",
    "panda",
    "solo12",
    "talos",
    "tiago",
    "ur5_gripper",
    "xarm7",
]
TOLERANCE = 1e-9
bases = pytest.mark.parametrize("fixed_base", [True, False], ids=["fixed", "free"])
robots = pytest.mark.parametrize("name", ROBOTS)


def last_links(urdf: Path) -> list[str]:
    """The last links of the file, which are far from the root in most of them."""
    return [link.get("name", "") for link in ElementTree.parse(urdf).getroot().findall("link")][-3:]


@robots
@bases
def test_both_engines_agree(name: str, fixed_base: bool) -> None:
    urdf = robot_path(name)
    pinocchio, mujoco = PinOracle(urdf, fixed_base), MujocoOracle(urdf, fixed_base)
    rng = np.random.default_rng(7)
    for _ in range(3):
        state = random_state(urdf, rng, fixed_base, speed=2.0)
        root_pose, root_vel, q, qd = state.root_pose, state.root_vel, state.q, state.qd
        gravity = rng.normal(size=3) * 10
        tau = rng.normal(size=pinocchio.nv)

        def same(method: str, *arguments, tolerance: float = TOLERANCE) -> None:
            actual, expected = (getattr(oracle, method)(*arguments) for oracle in (mujoco, pinocchio))
            assert relative_error(actual, expected) < tolerance, method

        same("mass_matrix", root_pose, q)
        same("bias_force", root_pose, root_vel, q, qd, gravity)
        same("gravity_force", root_pose, q, gravity)
        for link in last_links(urdf):
            same("jacobian", root_pose, q, link)
            same("body_pose", root_pose, q, link)
            same("body_velocity", root_pose, root_vel, q, qd, link)
        # Rounding grows with the condition of the mass matrix, up to 3e8 (icub's light fingers).
        same("forward_dynamics", root_pose, root_vel, q, qd, tau, gravity, tolerance=1e-8 if name == "icub" else 1e-9)


@pytest.mark.parametrize("oracle_type", [PinOracle, MujocoOracle])
@bases
def test_equation_of_motion_holds(oracle_type: type[Oracle], fixed_base: bool) -> None:
    urdf = robot_path("anymal_c")
    oracle = oracle_type(urdf, fixed_base, armature=0.05)  # type: ignore[call-arg]
    rng = np.random.default_rng(1)
    state = random_state(urdf, rng, fixed_base)
    moving = (state.root_pose, state.root_vel, state.q, state.qd)
    tau = rng.normal(size=oracle.nv)
    acceleration = oracle.forward_dynamics(*moving, tau)
    mass = oracle.mass_matrix(state.root_pose, state.q)
    assert relative_error(mass @ acceleration + oracle.bias_force(*moving), tau) < TOLERANCE


@pytest.mark.parametrize("oracle_type", [PinOracle, MujocoOracle])
@bases
def test_velocities_are_rates_of_poses(oracle_type: type[Oracle], fixed_base: bool) -> None:
    urdf = robot_path("go2")
    oracle = oracle_type(urdf, fixed_base)  # type: ignore[call-arg]
    state = random_state(urdf, np.random.default_rng(2), fixed_base)
    body, h = "FL_foot", 1e-6
    velocity = oracle.body_velocity(state.root_pose, state.root_vel, state.q, state.qd, body)
    jacobian = oracle.jacobian(state.root_pose, state.q, body)
    v = state.qd if fixed_base else np.concatenate([state.root_vel, state.qd])
    assert relative_error(jacobian @ v, velocity) < TOLERANCE

    before, after = (
        oracle.body_pose(moved(state, sign * h).root_pose, state.q + sign * h * state.qd, body) for sign in (-1, 1)
    )
    linear = (after[:3] - before[:3]) / (2 * h)
    turn = rotation(after[3:]) @ rotation(before[3:]).T / (2 * h)
    angular = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    assert relative_error(np.concatenate([linear, angular]), velocity) < 1e-7


@bases
def test_trajectory_is_semi_implicit_euler(fixed_base: bool) -> None:
    """MuJoCo's steps are those that Pinocchio's matrices give: (M + h D) dv = h (tau - b - D v), then q += h v."""
    urdf, dt, steps, damping = robot_path("solo12"), 0.002, 50, 0.1
    state = random_state(urdf, np.random.default_rng(3), fixed_base)
    effort = 0.2 * np.random.default_rng(4).normal(size=len(state.q))
    trajectory = MujocoOracle(urdf, fixed_base, damping=damping, armature=0.01).trajectory(state, dt, steps, effort)

    oracle = PinOracle(urdf, fixed_base, armature=0.01)
    free = 0 if fixed_base else 6
    d = np.diag([0.0] * free + [damping] * len(state.q))
    tau = np.concatenate([np.zeros(free), effort])
    for _ in range(steps):
        v = np.concatenate([state.root_vel[:free], state.qd])
        b = oracle.bias_force(state.root_pose, state.root_vel, state.q, state.qd)
        v = v + np.linalg.solve(oracle.mass_matrix(state.root_pose, state.q) + dt * d, dt * (tau - b - d @ v))
        state = State(state.root_pose, v[:6] if free else np.zeros(6), state.q + dt * v[free:], v[free:])
        state.root_pose = moved(state, dt).root_pose if free else state.root_pose

    assert relative_error(trajectory.q[-1], state.q) < 1e-9
    assert relative_error(trajectory.qd[-1], state.qd) < 1e-9
    if free:
        assert relative_error(trajectory.root_vel[-1], state.root_vel) < 1e-9
        assert relative_error(positive(trajectory.root_pose[-1]), positive(state.root_pose)) < 1e-9


def test_joint_names_are_breadth_first_in_file_order(tmp_path: Path) -> None:
    links = "".join(f'<link name="{name}"/>' for name in "abcdef")
    tree = [("ef", "e", "f"), ("ac", "a", "c"), ("ab", "a", "b"), ("bd", "b", "d"), ("ce", "c", "e")]
    joints = "".join(
        f'<joint name="{name}" type="{"fixed" if name == "ab" else "revolute"}">'
        f'<parent link="{parent}"/><child link="{child}"/></joint>'
        for name, parent, child in tree
    )
    path = tmp_path / "tree.urdf"
    path.write_text(f'<robot name="tree">{links}{joints}</robot>')
    assert joint_names(path) == ["ac", "ce", "bd", "ef"]


def test_oracles_refuse_incomplete_joint_names() -> None:
    for oracle_type in (PinOracle, MujocoOracle):
        with pytest.raises(ValueError, match="joints named"):
            oracle_type(robot_path("panda"), True, ["panda_joint1"])


def moved(state: State, h: float) -> State:
    """The state's root after ``h`` seconds at its present velocity."""
    angle = h * np.linalg.norm(state.root_vel[3:])
    axis = state.root_vel[3:] / max(np.linalg.norm(state.root_vel[3:]), 1e-12)
    w, u = np.cos(angle / 2), np.sin(angle / 2) * axis
    w0, u0 = state.root_pose[3], state.root_pose[4:]
    quat = np.concatenate([[w * w0 - u @ u0], w * u0 + w0 * u + np.cross(u, u0)])
    return State(
        np.concatenate([state.root_pose[:3] + h * state.root_vel[:3], quat]), state.root_vel, state.q, state.qd
    )
