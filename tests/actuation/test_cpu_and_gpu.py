"""The same steps on the CPU and on the GPU."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host
from real_robots import robot_path

import phalanx as px


@pytest.mark.gpu
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("float64", 1e-11)])
@pytest.mark.parametrize("name", ["panda", "go2"])
def test_devices_agree_without_contact(name: str, dtype: str, tolerance: float, gpu: str) -> None:
    """100 steps in the air, drives chasing random targets: positions and velocities agree to rounding."""
    results = []
    for device in ("cpu", gpu):
        world = px.World(32, device, dtype=dtype)
        robot = world.add_robot(str(robot_path(name)), fixed_base=name == "panda", position=(0.0, 0.0, 5.0))
        rng = np.random.default_rng(11)
        lower, upper = robot.joint_limits
        start = rng.uniform(0.6 * lower + 0.4 * upper, 0.4 * lower + 0.6 * upper, (32, robot.num_dof))
        robot.set_joint_state(pos=start)
        robot.set_drive(stiffness=40.0, damping=4.0)
        robot.set_targets(pos=start + 0.1 * rng.normal(size=start.shape))
        world.step(100)
        results.append([host(robot.joint_pos), host(robot.joint_vel), host(robot.root_pose), host(robot.root_vel)])
    assert np.abs(results[0][0] - start).max() > 0.05  # it moved
    for on_cpu, on_gpu in zip(*results, strict=True):
        np.testing.assert_allclose(on_gpu, on_cpu, rtol=tolerance, atol=10 * tolerance)


@pytest.mark.gpu
def test_devices_agree_on_a_robot_at_rest(gpu: str) -> None:
    """With contacts, single steps may differ by rounding that grows; where a robot comes to rest does not."""
    results = []
    for device in ("cpu", gpu):
        world = px.World(4, device)
        world.add_ground()
        robot = world.add_robot("quadruped")
        robot.set_drive(stiffness=100.0, damping=2.0)
        robot.set_targets(pos=robot.default_joint_pos)
        world.step(800)
        results.append((host(robot.root_pose), host(robot.joint_pos), host(robot.net_contact_force).sum(axis=1)))
    for on_cpu, on_gpu, atol in zip(*results, (1e-3, 1e-3, 0.5), strict=True):
        np.testing.assert_allclose(on_gpu, on_cpu, rtol=0, atol=atol)
