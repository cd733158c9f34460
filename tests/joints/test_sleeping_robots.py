"""Robots and what is joined sleep as rigid objects do: drives, mimics, tendons and loop joints hold what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.models.robot_model import Body, Joint, Mimic, RobotModel, Shape

DT = 1 / 240
THRESHOLD = 5e-5
GRAVITY = 9.81
CUBE = px.Shape("box", (0.1, 0.1, 0.1))


def gripper() -> RobotModel:
    """A wrist that gravity pulls on, with two fingers of which one follows the other."""
    inertia = 1e-2 * np.eye(3)
    bodies = [Body("base", 2.0, inertia=inertia), Body("wrist", 1.0, (0.2, 0.0, 0.0), inertia)]
    bodies += [
        Body(name, 0.2, inertia=inertia / 10, collisions=[Shape("box", (0.02, 0.01, 0.04))])
        for name in ("left", "right")
    ]
    y, right = (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)
    joints = [
        Joint("hinge", "revolute", "base", "wrist", axis=y, lower=-1.5, upper=1.5),
        Joint("left", "prismatic", "wrist", "left", (0.4, 0.02, 0.0), axis=y, lower=0.0, upper=0.1, friction=0.1),
        Joint("right", "prismatic", "wrist", "right", (0.4, -0.02, 0.0), axis=right, mimic=Mimic("left"), upper=0.1),
    ]
    return RobotModel("gripper", bodies, joints)


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    """Four environments, asleep: in the first nothing will happen."""
    world = px.World(4, device, dt=DT)
    world.add_ground()
    robot = world.add_robot(
        gripper(),
        "gripper",
        fixed_base=True,
        position=(0, 0, 1),
        sleep_threshold=THRESHOLD,
        tendons=[px.FixedTendon("string", {"hinge": 0.1}, stiffness=50.0, damping=1.0, rest_length=0.0)],
    )
    options: dict[str, Any] = {"sleep_threshold": THRESHOLD, "density": 1000.0}
    world.add_rigid_object(CUBE, "rock", kind="static", position=(3, 0, 2))
    world.add_rigid_object(CUBE, "hung", position=(3, 0, 1.5), **options)
    world.add_rigid_object(CUBE, "one", position=(6, 0, 0.1), **options)
    world.add_rigid_object(CUBE, "other", position=(7, 0, 0.1), **options)
    world.add_joint("spherical", "rock", "hung", name="hook", position_a=(0, 0, -0.5), position_b=(0, 0, 0))
    world.add_joint("distance", "one", "other", name="rope", min_distance=0.0, max_distance=1.5)
    robot.set_drive(stiffness=200.0, damping=20.0)
    robot.set_targets(pos=[0.2, 0.05, 0.05])
    world.step(round(2.0 / DT))
    return world


def asleep(world: px.World) -> dict[str, list[bool]]:
    """By name, environment by environment."""
    actors = {name: actor for name, actor in world.actors.items() if name != "rock"}
    return {name: [bool(flag) for flag in host(actor.is_sleeping)] for name, actor in actors.items()}


def state(world: px.World) -> np.ndarray:
    """(n, ...): joint positions, and poses of the objects."""
    objects = [host(world.objects[name].root_pose) for name in ("hung", "one", "other")]
    return np.concatenate([host(world.robots["gripper"].joint_pos), *objects], axis=1)


def test_what_sleeps_keeps_its_forces(world: px.World) -> None:
    """Not a bit moves for a second; drives give the effort that they gave, joints transmit what they did."""
    robot = world.robots["gripper"]
    assert all(all(flags) for flags in asleep(world).values()), asleep(world)
    before, effort = state(world), host(robot.applied_effort)
    hinge = before[:, 0]
    weight = GRAVITY * (1.0 * 0.2 + 0.4 * 0.4) * np.cos(hinge)
    # positive turns about y lower the wrist; the string turns it back
    np.testing.assert_allclose(effort[:, 0], -weight + 50.0 * 0.1 * 0.1 * hinge, rtol=0.02)
    np.testing.assert_allclose(host(world.joints["hook"].wrench)[:, 2], -8.0 * GRAVITY, rtol=0.005)
    world.step(round(1.0 / DT))
    assert (state(world) == before).all()
    np.testing.assert_allclose(host(robot.applied_effort), effort, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(host(world.joints["hook"].wrench)[:, 2], -8.0 * GRAVITY, rtol=0.005)


def test_what_wakes_them(world: px.World) -> None:
    """A target wakes the robot, a broken joint what hung on it, one end of a rope the other."""
    robot, before = world.robots["gripper"], state(world)
    robot.set_targets(pos=[0.2, 0.05, 0.05])
    world.step()
    assert all(all(flags) for flags in asleep(world).values()), "the same target as before is nothing new"
    robot.set_targets(pos=[0.3, 0.02, 0.02], env_ids=[1])
    world.joints["hook"].set_broken(env_ids=[1])
    world.objects["rock"].set_root_state(pose=[3, 0, 2.2, 1, 0, 0, 0], env_ids=[2])
    world.objects["one"].set_external_wrench(force=[0, 0, 1.0], env_ids=[1])
    world.joints["rope"].set_distance(most=1.4, env_ids=[2])
    world.step(48)
    flags = asleep(world)
    assert flags["gripper"] == [True, False, True, True]
    assert flags["hung"] == flags["one"] == flags["other"] == [True, False, False, True]
    world.step(round(2.0 / DT))
    after = state(world)
    assert (after[[0, 3]] == before[[0, 3]]).all()
    np.testing.assert_allclose(after[1, :3] - before[1, :3], [0.1, -0.03, -0.03], atol=0.01)
    height = after[:, 5]
    np.testing.assert_allclose(height, [1.5, 0.1, 1.7, 1.5], atol=0.003)
    assert np.isfinite(after).all() and all(all(flags) for flags in asleep(world).values()), "all is calm again"
