"""Mass properties of single bodies: links are what their bodies make, by the theorem of parallel axes."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host
from small_robots import arm

import phalanx as px
from phalanx import components as c
from phalanx.maths.arrays import matrix
from phalanx.models.robot_model import Body, Joint, RobotModel

ENVS = 3
PLACE, TURN = (0.1, -0.2, 0.3), (0.8, 0.0, 0.6, 0.0)


def robot_with_a_tool(device: str) -> px.Robot:
    """A free base, a hinged link, and a tool that is fixed to the link; not stepped."""
    bodies = [Body(name, 1.0 + i, (0.1 * i, 0.0, 0.05), np.diag([0.1, 0.2, 0.25])) for i, name in enumerate("abt")]
    joints = [
        Joint("hinge", "revolute", "a", "b", (0.0, 0.0, 0.1), axis=(0.0, 1.0, 0.0)),
        Joint("flange", "fixed", "b", "t", PLACE, TURN),
    ]
    return px.World(ENVS, device, "float64").add_robot(RobotModel("tool", bodies, joints))


def random_properties(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    half = rng.uniform(-0.1, 0.1, (ENVS, 3, 3, 3))
    inertia = np.diag([0.3, 0.4, 0.5]) + half + np.swapaxes(half, -1, -2)
    return rng.uniform(0.5, 3.0, (ENVS, 3)), rng.uniform(-0.3, 0.3, (ENVS, 3, 3)), inertia


def test_bodies_are_what_the_file_says(device: str) -> None:
    robot = robot_with_a_tool(device)
    np.testing.assert_allclose(host(robot.body_mass), np.tile([1.0, 2.0, 3.0], (ENVS, 1)))
    np.testing.assert_allclose(host(robot.body_com)[0], [[0, 0, 0.05], [0.1, 0, 0.05], [0.2, 0, 0.05]], atol=1e-15)
    np.testing.assert_allclose(host(robot.body_inertia)[1], [np.diag([0.1, 0.2, 0.25])] * 3, atol=1e-15)


def test_links_are_sums_of_their_bodies(device: str) -> None:
    robot = robot_with_a_tool(device)
    mass, com, inertia = random_properties(1)
    robot.set_body_mass_properties(mass, com, inertia)
    for found, given in ((robot.body_mass, mass), (robot.body_com, com), (robot.body_inertia, inertia)):
        np.testing.assert_allclose(host(found), given, atol=1e-14)
    links = robot.world[c.LinkInertia]
    turn = matrix(TURN)
    for env in range(ENVS):
        centres = [com[env, 1], np.array(PLACE) + turn @ com[env, 2]]
        whole = mass[env, 1:].sum()
        middle = sum(m * x for m, x in zip(mass[env, 1:], centres, strict=True)) / whole
        expected = np.zeros((3, 3))
        for m, x, own in zip(mass[env, 1:], centres, (inertia[env, 1], turn @ inertia[env, 2] @ turn.T), strict=True):
            arm = x - middle
            expected += own + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        np.testing.assert_allclose(host(links.mass)[:, env], [mass[env, 0], whole])
        np.testing.assert_allclose(host(links.com)[:, :, env], [com[env, 0], middle], atol=1e-15)
        np.testing.assert_allclose(host(links.inertia)[1, :, env], expected[np.triu_indices(3)], atol=1e-14)


def test_some_environments_and_some_properties(device: str) -> None:
    robot = robot_with_a_tool(device)
    mass, com, _ = random_properties(2)
    before = [host(values) for values in (robot.body_mass, robot.body_com, robot.body_inertia)]
    robot.set_body_mass_properties(mass[:1], env_ids=[1])
    robot.set_body_mass_properties(com=com[2], env_ids=[2])
    np.testing.assert_allclose(host(robot.body_mass), [before[0][0], mass[0], before[0][2]])
    np.testing.assert_allclose(host(robot.body_com), [before[1][0], before[1][1], com[2]], atol=1e-15)
    assert np.array_equal(host(robot.body_inertia), before[2])
    links = robot.world[c.LinkInertia]
    assert host(links.mass)[1, 0] == 5.0 and host(links.mass)[1, 1] == pytest.approx(mass[0, 1:].sum())


def test_what_is_set_elsewhere_is_seen(device: str) -> None:
    """A body with a link to itself is what the link is, whoever wrote that."""
    world = px.World(2, device)
    box = world.add_rigid_object(px.Shape("box", (0.1, 0.2, 0.3)), "box", mass=2.0)
    box.set_mass([3.0, 4.0])
    box.set_com([0.1, 0.0, 0.0])
    assert host(box.body_mass).tolist() == [[3.0], [4.0]]
    np.testing.assert_allclose(host(box.body_com)[:, 0], [[0.1, 0, 0]] * 2)
    box.set_body_mass_properties(mass=[[5.0], [6.0]])
    assert host(box.mass).tolist() == [5.0, 6.0]


def test_wrong_masses(device: str) -> None:
    robot = robot_with_a_tool(device)
    with pytest.raises(ValueError, match=r"body mass has shape \(2,\)"):
        robot.set_body_mass_properties([1.0, 2.0])
    if device == "cpu":
        with pytest.raises(ValueError, match="body mass is negative"):
            robot.set_body_mass_properties([1.0, -2.0, 1.0])
        with pytest.raises(ValueError, match="must be above 0"):
            robot.set_body_mass_properties([1.0, 0.0, 1.0])
    np.testing.assert_allclose(host(robot.body_mass)[0], [1.0, 2.0, 3.0])


def test_limits_change_where_there_are_none(device: str) -> None:
    """Of joints of which some have no limits: nothing is said of numbers that are no numbers."""
    robot = px.World(2, device).add_robot(arm(), fixed_base=True)
    robot.set_joint_limits(lower=-np.inf, upper=np.inf)
    robot.set_joint_limits(velocity=5.0)
    robot.set_joint_limits(lower=-1.0)
    limits = host(robot.joint_position_limits)
    assert (limits[..., 0] == -1.0).all() and np.isposinf(limits[..., 1]).all()
