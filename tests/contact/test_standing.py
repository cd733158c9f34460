"""Legged robots stand for 10 s under PD at their nominal pose: nothing sinks, the ground carries them, all is still."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
import pytest
from contact.scenes import GRAVITY, lowest, total_force
from oracles import host
from real_robots import robot_path

import phalanx as px
from phalanx.io.formats import library

SINKS = 2e-3
"""m, the most that any collision point may go below the ground."""


@dataclass(frozen=True)
class Stance:
    """Joint positions by pattern of names (rad; 0 elsewhere) and the gains of all drives."""

    pose: dict[str, float]
    stiffness: float
    damping: float


STANCES = {
    "anymal_c": Stance({"?F_HFE": 0.7, "?F_KFE": -1.0, "?H_HFE": -0.7, "?H_KFE": 1.0}, 400.0, 10.0),
    "go2": Stance({"*_thigh_joint": 0.785, "*_calf_joint": -1.44}, 100.0, 2.0),
    "solo12": Stance({"F?_HFE": 0.8, "F?_KFE": -1.6, "H?_HFE": -0.8, "H?_KFE": 1.6}, 10.0, 0.2),
    "hyq": Stance(
        {"*_haa_*": -0.2, "?f_hfe_*": 0.75, "?f_kfe_*": -1.5, "?h_hfe_*": -0.75, "?h_kfe_*": 1.5}, 1000.0, 20.0
    ),
}


def placed(world: px.World, name: str) -> px.Robot:
    """A real robot in its stance, its lowest point on the ground, drives holding it."""
    stance = STANCES[name]
    robot = world.add_robot(str(robot_path(name)), position=(0.0, 0.0, 1.0))
    values = [
        next((value for pattern, value in stance.pose.items() if fnmatchcase(joint, pattern)), 0.0)
        for joint in robot.joint_names
    ]
    robot.set_joint_state(pos=values)
    robot.set_root_state(pose=[0.0, 0.0, 1.0 - lowest(robot)[0], 1.0, 0.0, 0.0, 0.0])
    robot.set_drive(stiffness=stance.stiffness, damping=stance.damping)
    robot.set_targets(pos=values)
    return robot


def stands(world: px.World, robot: px.Robot) -> None:
    """Step 10 s and check that it stands all the while and rests at the end."""
    start = host(robot.root_pose)[0]
    assert abs(lowest(robot)[0]) < 1e-6  # it touches the ground
    weight = robot.mass * GRAVITY
    for _ in range(100):
        world.step(20)
        assert lowest(robot).min() > -SINKS
        pose = host(robot.root_pose)[0]
        assert abs(pose[2] - start[2]) < 0.05 * start[2], f"the base went from {start[2]:.3f} to {pose[2]:.3f} m"
        assert np.abs(pose[:2] - start[:2]).max() < 0.03
        assert abs(pose[3]) > np.cos(0.5 * 0.05), "the base tilted by more than 0.05 rad"
    assert abs(lowest(robot)[0]) < 1e-3  # it still touches
    force = total_force(robot)[0]
    assert force[2] == pytest.approx(weight, rel=1e-3)
    assert np.abs(force[:2]).max() < 1e-3 * weight
    assert np.abs(host(robot.root_vel)).max() < 1e-4
    assert np.abs(host(robot.joint_vel)).max() < 1e-3


@pytest.mark.parametrize("name", STANCES)
def test_real_quadruped_stands(name: str, device: str) -> None:
    world = px.World(device=device)
    world.add_ground()
    robot = placed(world, name)
    stands(world, robot)
    feet = host(robot.net_contact_force)[0, :, 2]
    assert np.count_nonzero(feet) == 4  # on its feet and on nothing else
    assert feet[feet != 0].min() > 0.1 * robot.mass * GRAVITY


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_shipped_robot_stands(name: str, device: str) -> None:
    """With the stance and the gains that the package gives it."""
    world = px.World(device=device)
    world.add_ground()
    robot = world.add_robot(name)
    defaults = library.defaults(name)
    stiffness, damping = defaults.gains(robot.joint_names)
    robot.set_drive(stiffness=stiffness, damping=damping)
    robot.set_targets(pos=defaults.pose(robot.joint_names))
    stands(world, robot)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pushed_robot_comes_to_rest(dtype: str, device: str) -> None:
    """A sideways knock of 0.5 m/s is absorbed; the robot stands again and nothing has sunk on the way."""
    world = px.World(device=device, dtype=dtype)
    world.add_ground()
    robot = placed(world, "anymal_c")
    robot.set_root_state(vel=[0.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    for _ in range(150):
        world.step(4)
        assert lowest(robot).min() > -SINKS
    assert host(robot.root_pose)[0, 2] > 0.45
    assert np.abs(host(robot.root_vel)).max() < 1e-2
    assert total_force(robot)[0, 2] == pytest.approx(robot.mass * GRAVITY, rel=1e-2)
