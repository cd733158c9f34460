"""Many steps without contact: MuJoCo's trajectories, conserved momentum, and energy that converges with dt."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import MujocoOracle, PinOracle, State, host, random_state, relative_error
from oracles.base import IDENTITY_POSE, positive, rotation
from real_robots import bare_copy, robot_path

import phalanx as px

FREE_BODY = """
<robot name="free_body">
  <link name="body">
    <inertial>
      <origin xyz="0.1 -0.05 0.2" rpy="0.3 0.2 -0.4"/>
      <mass value="2.0"/>
      <inertia ixx="0.02" ixy="0.001" ixz="-0.002" iyy="0.05" iyz="0.003" izz="0.06"/>
    </inertial>
  </link>
</robot>
"""


@pytest.mark.parametrize("damping", [0.0, 0.5], ids=["undamped", "damped"])
@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_arm_follows_mujoco(name: str, damping: float, device: str, tmp_path: Path) -> None:
    """Semi-implicit Euler at the same dt, constant efforts, damping taken implicitly: within 1e-6 after 1 s."""
    urdf, dt, steps = robot_path(name), 0.002, 500
    rng = np.random.default_rng(5)
    state = random_state(urdf, rng, fixed_base=True, speed=0.5)
    state.root_pose = IDENTITY_POSE
    effort = rng.normal(size=len(state.q))

    world = px.World(num_envs=1, device=device, dtype="float64", dt=dt)
    robot = world.add_robot(str(bare_copy(urdf, tmp_path)), fixed_base=True)
    world.build()
    robot.set_drive(stiffness=0.0, damping=damping)
    robot.set_joint_state(pos=state.q[None], vel=state.qd[None])
    robot.set_targets(vel=0.0, effort=effort[None])
    oracle = MujocoOracle(urdf, True, robot.joint_names, damping=damping)
    expected = oracle.trajectory(state, dt, steps, effort)

    positions, velocities = [], []
    for _ in range(steps):
        world.step()
        positions.append(host(robot.joint_pos)[0])
        velocities.append(host(robot.joint_vel)[0])
    assert np.abs(expected.q[-1] - state.q).max() > 0.1  # it does move
    np.testing.assert_allclose(positions, expected.q, rtol=0, atol=1e-6)
    np.testing.assert_allclose(velocities, expected.qd, rtol=0, atol=1e-5)


def test_floating_quadruped_converges_to_mujoco(device: str, tmp_path: Path) -> None:
    """How a free root is integrated is a choice, so the same limit is asked for, and that the error is linear in dt."""
    urdf, seconds = robot_path("solo12"), 0.2
    state = random_state(urdf, np.random.default_rng(6), fixed_base=False, speed=0.5)
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        world = px.World(num_envs=1, device=device, dtype="float64", dt=dt)
        robot = world.add_robot(str(bare_copy(urdf, tmp_path)), fixed_base=False)
        world.build()
        robot.set_drive(stiffness=0.0, damping=0.0)
        robot.set_root_state(pose=state.root_pose[None], vel=state.root_vel[None])
        robot.set_joint_state(pos=state.q[None], vel=state.qd[None])
        world.step(round(seconds / dt))
        oracle = MujocoOracle(urdf, False, robot.joint_names)
        rough, fine = (oracle.trajectory(state, h, round(seconds / h)) for h in (2e-5, 1e-5))
        q, pose = (2 * f[-1] - r[-1] for f, r in ((fine.q, rough.q), (fine.root_pose, rough.root_pose)))
        joints = np.abs(host(robot.joint_pos)[0] - q).max()
        errors.append(max(joints, np.abs(positive(host(robot.root_pose)[0]) - positive(pose)).max()))
    assert errors[-1] < 5e-3, errors
    for coarse, fine in pairwise(errors):
        assert 1.7 < coarse / fine < 2.3, errors


def test_free_body_conserves_momentum(device: str, tmp_path: Path) -> None:
    """Linear momentum, and angular momentum about the world's origin, to 1e-10 over 1000 steps of a tumbling body."""
    path = tmp_path / "free_body.urdf"
    path.write_text(FREE_BODY)
    world = px.World(num_envs=2, device=device, dtype="float64", dt=0.005, gravity=(0.0, 0.0, 0.0))
    robot = world.add_robot(str(path), fixed_base=False)
    world.build()
    rng = np.random.default_rng(8)
    states = [random_state(path, rng, fixed_base=False, speed=1.5) for _ in range(2)]
    robot.set_root_state(pose=np.array([s.root_pose for s in states]), vel=np.array([s.root_vel for s in states]))
    before = momenta(robot, path)
    poses = host(robot.root_pose)
    world.step(1000)
    assert np.abs(host(robot.root_pose) - poses).max() > 0.5  # it does move
    for env, expected in enumerate(before):
        assert relative_error(momenta(robot, path)[env], expected) < 1e-10, env


def momenta(robot: Any, path: Path) -> list[np.ndarray]:
    """Linear and angular momentum (6,) of each environment's one body, the latter about the world's origin.

    The momentum conjugate to the root's velocity is ``M v``: its linear part, and its angular part about the root.
    """
    oracle = PinOracle(path, fixed_base=False)
    result = []
    for pose, velocity in zip(host(robot.root_pose), host(robot.root_vel), strict=True):
        momentum = oracle.mass_matrix(pose, np.zeros(0)) @ velocity
        momentum[3:] += np.cross(pose[:3], momentum[:3])
        result.append(momentum)
    return result


def test_free_body_falls_as_it_should(device: str, tmp_path: Path) -> None:
    """Semi-implicit Euler has the closed form z = z0 + v0 t - g t (t + dt) / 2; the tumbling must not disturb it."""
    path = tmp_path / "free_body.urdf"
    path.write_text(FREE_BODY)
    dt, steps = 0.002, 500
    world = px.World(num_envs=1, device=device, dtype="float64", dt=dt)
    robot = world.add_robot(str(path), fixed_base=False)
    world.build()
    com = np.array([0.1, -0.05, 0.2])
    state = random_state(path, np.random.default_rng(9), fixed_base=False)
    robot.set_root_state(pose=state.root_pose[None], vel=state.root_vel[None])
    turn = rotation(state.root_pose[3:])
    start = state.root_pose[:3] + turn @ com
    speed = state.root_vel[:3] + np.cross(state.root_vel[3:], turn @ com)
    world.step(steps)
    t = steps * dt
    expected = start + speed * t + np.array([0, 0, -9.81]) * t * (t + dt) / 2
    pose = host(robot.root_pose)[0]
    actual = pose[:3] + rotation(pose[3:]) @ com
    # The centre of mass drifts by O(dt) as the frame's origin, which is what is integrated, circles around it.
    np.testing.assert_allclose(actual, expected, rtol=0, atol=5e-3)


def test_double_pendulum_energy_error_is_linear_in_dt(device: str, tmp_path: Path) -> None:
    urdf = robot_path("double_pendulum")
    errors = [energy_error(urdf, dt, device, tmp_path) for dt in (4e-3, 2e-3, 1e-3)]
    assert errors[-1] > 0
    for coarse, fine in pairwise(errors):
        assert 1.7 < coarse / fine < 2.3, errors


def energy_error(urdf: Path, dt: float, device: str, folder: Path) -> float:
    """Largest deviation of the energy over 1 s, in J, of the pendulum let go from nearly horizontal."""
    world = px.World(num_envs=1, device=device, dtype="float64", dt=dt)
    robot = world.add_robot(str(bare_copy(urdf, folder)), fixed_base=True)
    world.build()
    robot.set_drive(stiffness=0.0, damping=0.0)
    robot.set_joint_state(pos=np.array([[1.2, 0.5]]), vel=0.0)
    oracle = PinOracle(urdf, True, robot.joint_names)

    def energy() -> float:
        state = State(IDENTITY_POSE, np.zeros(6), host(robot.joint_pos)[0], host(robot.joint_vel)[0])
        return oracle.energy(state.root_pose, state.root_vel, state.q, state.qd)

    start, worst = energy(), 0.0
    for _ in range(round(1 / dt)):
        world.step()
        worst = max(worst, abs(energy() - start))
    return worst
