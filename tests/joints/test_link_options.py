"""Options of bodies: prescribed dofs, gravity and damping by link, caps on speed, gyroscopic torques."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import host
from small_robots import arm

import phalanx as px
from phalanx import components as c
from phalanx.models.robot_model import Body, RobotModel

DT = 0.005
BRICK = np.diag([0.02, 0.05, 0.06])
START = [1.0, -2.0, 0.5, 3.0, -1.0, 2.0]


COM = (0.1, -0.05, 0.2)


def brick(com: tuple[float, float, float] = COM) -> RobotModel:
    """A free body whose centre of mass is not its origin."""
    return RobotModel("brick", [Body("brick", 2.0, com, BRICK)], [])


def free(model: RobotModel, device: str, gravity: float = 0.0, velocity: Any = START) -> tuple[px.World, px.Robot]:
    world = px.World(device=device, dtype="float64", dt=DT, gravity=(0.0, 0.0, -gravity))
    robot = world.add_robot(model)
    world.build()
    robot.set_root_state(vel=np.array([velocity]))
    return world, robot


def com_velocity(robot: px.Robot) -> np.ndarray:
    """Of the brick."""
    velocity, (w, x, y, z) = host(robot.root_vel)[0], host(robot.root_pose)[0, 3:]
    axis, local = np.array([x, y, z]), np.array(COM)
    arm_ = local + 2 * np.cross(axis, np.cross(axis, local) + w * local)
    return velocity[:3] + np.cross(velocity[3:], arm_)


def test_a_prescribed_root_is_a_fixed_base(device: str) -> None:
    """An arm on a free root of which all dofs are prescribed moves to the last digits as one on a fixed base."""
    found = []
    for fixed in (True, False):
        world = px.World(device=device, dtype="float64", dt=DT)
        robot = world.add_robot(arm(), fixed_base=fixed, joint_pos=[0.4, -0.3, 0.05])
        if not fixed:
            world[c.DofModel].prescribed = (np.arange(9) < 6).astype(int)[:, None]
        world.build()
        robot.set_drive(stiffness=0.0, damping=0.0)
        robot.set_external_wrench(force=[1.0, 2.0, 0.5], body="lower")
        world.step(100)
        found.append(np.concatenate([host(robot.joint_pos)[0], host(robot.joint_vel)[0]]))
        np.testing.assert_array_equal(host(robot.root_vel), 0.0)
    assert np.abs(found[0][:3] - [0.4, -0.3, 0.05]).max() > 0.3
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-12)


def test_a_prescribed_root_keeps_its_velocity_and_drags_the_rest(device: str) -> None:
    """Carried along a circle, the arm's free joints end where those of a free-root arm with a huge base mass do."""
    found = []
    for prescribed in (True, False):
        model = arm()
        if not prescribed:
            model.bodies[0].mass, model.bodies[0].inertia = 1e9, 1e9 * np.eye(3)
        world, robot = free(model, device, velocity=[1.0, 0.5, -0.25, 0.0, 0.0, 2.0])
        if prescribed:
            world[c.DofModel].prescribed = (np.arange(9) < 6).astype(int)[:, None]
        robot.set_drive(stiffness=0.0, damping=0.1)
        world.step(100)
        found.append(np.concatenate([host(robot.root_pose)[0], host(robot.joint_pos)[0]]))
    np.testing.assert_allclose(host(robot.root_pose)[0, :3], [0.5, 0.25, -0.125], atol=1e-6)
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("axis", range(6))
def test_a_locked_axis_stays(axis: int, device: str) -> None:
    """One axis of a free body is locked: no velocity along it, ever, and along the others gravity still acts."""
    velocity = np.array(START)
    velocity[axis] = 0.0
    world, robot = free(brick(), device, gravity=9.81, velocity=velocity)
    world[c.DofModel].prescribed = (np.arange(6) == axis).astype(int)[:, None]
    before = host(robot.root_pose)[0]
    for _ in range(100):
        world.step()
        assert host(robot.root_vel)[0, axis] == 0.0
    if axis < 3:
        assert host(robot.root_pose)[0, axis] == before[axis]
    assert (host(robot.root_pose)[0, 2] < before[2] - 0.5) == (axis != 2)


def test_gravity_scale_by_link(device: str) -> None:
    """gravity_force agrees with what the dynamics do, and with the same arm whose link weighs nothing."""
    world = px.World(2, device=device, dtype="float64", dt=DT)
    robot = world.add_robot(arm(), fixed_base=True, joint_pos=[0.4, -0.3, 0.05])
    world.build()
    robot.set_drive(stiffness=0.0, damping=0.0)
    full = host(robot.gravity_force())
    world[c.LinkDynamics].gravity_scale = np.array([1.0, 1.0, 0.0, 0.5])[:, None] * np.array([[1.0, 0.0]])
    scaled = host(robot.gravity_force())
    np.testing.assert_array_equal(scaled[1], 0.0)
    world.step()
    np.testing.assert_allclose(host(robot.joint_vel)[1], 0.0, atol=1e-15)
    expected = -np.linalg.solve(host(robot.mass_matrix())[0], scaled[0]) * DT
    np.testing.assert_allclose(host(robot.joint_vel)[0], expected, rtol=1e-3)

    lighter = px.World(1, device=device, dtype="float64", dt=DT)
    other = lighter.add_robot(arm(), fixed_base=True, joint_pos=[0.4, -0.3, 0.05])
    lighter[c.LinkInertia].mass = np.array([2.0, 1.0, 0.0, 0.1])[:, None]
    np.testing.assert_allclose(host(other.gravity_force())[0], scaled[0], atol=1e-12)
    assert np.abs(full[0] - scaled[0]).max() > 0.1


def test_a_free_body_without_gravity_does_not_fall(device: str) -> None:
    world, robot = free(brick(), device, gravity=9.81)
    world[c.LinkDynamics].gravity_scale = [[0.0]]
    before = com_velocity(robot)
    world.step(200)
    np.testing.assert_allclose(com_velocity(robot), before, atol=1e-11)


@pytest.mark.parametrize("rate", [0.5, 50.0, 1e7])
def test_damping_of_a_free_body(rate: float, device: str) -> None:
    """Each substep keeps 1 / (1 + d h) of the centre of mass's velocity and of the spin about a principal axis."""
    world, robot = free(brick((0.0, 0.0, 0.0)), device, velocity=[*START[:3], 0.0, 0.0, 2.0])
    world[c.LinkDynamics].linear_damping = [[rate]]
    world[c.LinkDynamics].angular_damping = [[2 * rate]]
    world.step(20)
    kept = np.array([1 / (1 + rate * DT), 1 / (1 + 2 * rate * DT)]) ** 20
    np.testing.assert_allclose(host(robot.root_vel)[0, :3], kept[0] * np.array(START[:3]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(host(robot.root_vel)[0, 3:], [0, 0, 2 * kept[1]], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("rate", [1.0, 1e5])
def test_damping_of_the_links_of_an_arm_takes_energy_only(rate: float, device: str) -> None:
    world, robot = free(arm(), device)
    robot.set_drive(stiffness=0.0, damping=0.0)
    robot.set_joint_state(vel=[[5.0, -7.0, 0.3]])
    world[c.DofLimit].lower = [[-np.inf]]
    world[c.DofLimit].upper = [[np.inf]]
    world[c.LinkDynamics].linear_damping = np.array([1.0, 0.3, 1.0, 0.1])[:, None] * rate
    world[c.LinkDynamics].angular_damping = np.array([0.0, 1.0, 0.5, 1.0])[:, None] * rate

    def energy() -> float:
        u = np.concatenate([host(robot.root_vel)[0], host(robot.joint_vel)[0]])
        return float(u @ host(robot.mass_matrix())[0] @ u / 2)

    energies = [energy()]
    for _ in range(60):
        world.step()
        energies.append(energy())
    assert np.all(np.diff(energies) < 1e-12)
    assert energies[-1] < 0.75 * energies[0]


def test_caps_on_speed(device: str) -> None:
    """The centre of mass falls up to the cap and the spin is cut to its own at once, along the same axis."""
    world, robot = free(brick(), device, gravity=9.81)
    world[c.TreeLimits].linear_velocity = [[4.0]]
    world[c.TreeLimits].angular_velocity = [[1.5]]
    world.step()
    spin = host(robot.root_vel)[0, 3:]
    np.testing.assert_allclose(np.linalg.norm(spin), 1.5, rtol=0.01)
    np.testing.assert_allclose(spin / 1.5, np.array(START[3:]) / np.linalg.norm(START[3:]), atol=0.05)
    before = host(robot.root_pose)[0, :3]
    for _ in range(400):
        world.step()
        assert np.linalg.norm(com_velocity(robot)) < 4.0 + 1e-9
        assert np.linalg.norm(host(robot.root_vel)[0, 3:]) < 1.5 + 1e-9
    assert np.linalg.norm(com_velocity(robot)) > 3.999
    travelled = np.linalg.norm(host(robot.root_pose)[0, :3] - before)
    assert 7.0 < travelled <= 4.0 * 2.0 + 0.5  # the body's origin may be up to 0.46 m nearer or farther than its centre


def test_gyroscopic_torques_off(device: str) -> None:
    """Without them a body's spin does not change; with them its angular momentum does not."""
    for on in (0.0, 1.0):
        world, robot = free(brick(), device, velocity=[0, 0, 0, 3.0, -1.0, 2.0])
        world[c.LinkDynamics].gyroscopic = [[on]]
        before = com_velocity(robot)
        world.step(300)
        np.testing.assert_allclose(com_velocity(robot), before, atol=1e-10)
        change = np.linalg.norm(host(robot.root_vel)[0, 3:] - [3.0, -1.0, 2.0])
        assert change < 1e-10 if on == 0.0 else change > 0.5
