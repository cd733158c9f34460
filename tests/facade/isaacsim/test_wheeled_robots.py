"""Robots on wheels: their controllers by the kinematics of rolling, and a Jetbot that drives as it is told."""

from __future__ import annotations

import math

import numpy as np
import pytest
from facade.isaacsim.core_scenes import host, like
from hypothesis import given, settings
from hypothesis import strategies as st

from phalanx.assets.building import build
from phalanx.assets.catalogue import chosen
from phalanx.facade.isaacsim.core.api.controllers import BaseController
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot.wheeled_robots import (
    AckermannController,
    DifferentialController,
    HolonomicController,
    WheelBasePoseController,
)
from phalanx.facade.isaacsim.robot.wheeled_robots.robots import HolonomicRobotUsdSetup, WheeledRobot

RADIUS, BASE, DT = 0.03, 0.1125, 1.0 / 60.0
numbers = st.floats(-2.0, 2.0)


@given(numbers, numbers)
def test_two_wheels_move_their_middle_as_commanded(speed, turning):
    left, right = DifferentialController("d", RADIUS, BASE).forward([speed, turning]).joint_velocities
    assert RADIUS * (left + right) / 2 == pytest.approx(speed, abs=1e-12)
    assert RADIUS * (right - left) / BASE == pytest.approx(turning, abs=1e-12)


def test_limits_of_two_wheels():
    limited = DifferentialController("d", RADIUS, BASE, max_linear_speed=0.3, max_angular_speed=1.0, max_wheel_speed=11)
    np.testing.assert_allclose(limited.forward([5.0, 0.0]).joint_velocities, [10, 10])
    np.testing.assert_allclose(limited.forward(np.array([0.0, -9.0])).joint_velocities, [1.875, -1.875])
    np.testing.assert_allclose(limited.forward([0.3, 1.0]).joint_velocities, [8.125, 11])
    with pytest.raises(ValueError, match="command has 3 values"):
        limited.forward([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="max_wheel_speed must not be negative"):
        DifferentialController("d", RADIUS, BASE, max_wheel_speed=-1.0)


@given(st.floats(-1.2, 1.2).filter(lambda angle: abs(angle) > 0.02), numbers, st.booleans())
def test_wheels_of_cars_roll_about_one_centre(steering, speed, behind):
    """Velocities of a rigid body that turns about a centre in line with the axle that is not steered."""
    length, width, front, back = 1.65, 1.25, 0.25, 0.3
    car = AckermannController("a", length, width, front, back, invert_steering=behind, max_wheel_rotation_angle=0.0)
    action = car.forward([steering, 0.0, speed, 0.0, DT])
    centre = (-1.0 if behind else 1.0) * length / math.tan(steering)  # to the left of the axle that is not steered
    spin = speed / abs(centre)
    for i, (radius, y) in enumerate([(front, 1), (front, -1), (back, 1), (back, -1)]):
        along = length if (i < 2) != behind else 0.0
        across = abs(centre) - math.copysign(y, y * steering) * width / 2
        # a wheel that is not steered rolls backwards if the centre is between the two
        way = math.hypot(along, across) if along else across
        assert action.joint_velocities[i] == pytest.approx(spin * way / radius, abs=1e-9)
    for angle, y in zip(action.joint_positions, (width / 2, -width / 2), strict=True):
        assert math.tan(angle) == pytest.approx(length / (centre - y), rel=1e-9)


def test_cars_reach_speed_and_steering_in_time():
    car = AckermannController("a", 1.65, 1.25, 0.25, max_acceleration=1.0)
    speeds = [car.forward([0.0, 0.0, 1.0, 5.0, 0.3]).joint_velocities[0] * 0.25 for _ in range(5)]
    np.testing.assert_allclose(speeds, [0.3, 0.6, 0.9, 1.0, 1.0])
    car.reset()
    assert car.forward([0.0, 0.0, 1.0, 0.5, 0.1]).joint_velocities[0] == pytest.approx(0.05 / 0.25)
    with pytest.raises(ValueError, match="must not be 0"):
        car.forward([0.1, 0.0, 1.0, 1.0, 0.0])
    with pytest.raises(ValueError, match="front_wheel_radius or back_wheel_radius"):
        AckermannController("a", 1.0, 1.0)


@given(numbers, numbers, numbers)
@settings(max_examples=40)
def test_omni_wheels_add_up_to_the_command_with_the_least_motion(x, y, turning):
    """Three wheels at 120 degrees: against the least of a quadratic form under linear conditions."""
    angles = np.radians([90.0, 210.0, 330.0])
    places = 0.1 * np.stack([np.cos(angles), np.sin(angles), np.zeros(3)], 1)
    quats = np.stack([np.cos(angles / 2), 0 * angles, 0 * angles, np.sin(angles / 2)], 1)
    # a fourth wheel makes the solution ambiguous
    places, quats = np.concatenate([places, [[0.2, 0, 0]]]), np.concatenate([quats, [[1, 0, 0, 0]]])
    radii = np.array([0.04, 0.04, 0.05, 0.06])
    control = HolonomicController("h", radii, places, quats, np.array([90.0]))
    wheels = np.array(control.forward([x, y, turning]).joint_velocities)
    directions = np.array([[-math.sin(a), math.cos(a), 0.0] for a in [*angles, 0.0]]) * radii[:, None]
    moves = np.stack([directions[:, 0], directions[:, 1], np.cross(directions, places)[:, 2]])
    np.testing.assert_allclose(moves @ wheels, [x, y, turning], atol=1e-9)
    for free in np.linalg.svd(moves)[2][3:]:  # no change that leaves the motion makes it less
        assert abs(free @ (radii * wheels)) < 1e-9
    half = HolonomicController("h", radii, places, quats, [90.0], max_wheel_speed=np.abs(wheels).max() / 2 or 1.0)
    if np.abs(wheels).max() > 1e-6:
        np.testing.assert_allclose(half.forward([x, y, turning]).joint_velocities, wheels / 2, atol=1e-9)


class Told(BaseController):
    """Keeps what it is told."""

    def forward(self, command):
        self.command = list(command)
        return ArticulationAction()


@pytest.mark.parametrize(
    ("place", "heading", "goal", "command"),
    [
        ((0, 0, 0), 0.0, (1, 0, 5), [0.2, 0.0]),
        ((0, 0, 0), 0.0, (0, 1, 0), [0.0, 0.5]),
        ((0, 0, 0), 0.0, (0, -1, 0), [0.0, -0.5]),
        ((1, 1, 0), 3.1, (0, 0.9, 0), [0.0, 0.5]),  # across the jump of the angle: 3.1 to -3.04
        ((1, 1, 0), 0.0, (1.01, 1.01, 3), [0.0, 0.0]),
    ],
)
@pytest.mark.parametrize("holonomic", [False, True])
def test_where_robots_are_sent(place, heading, goal, command, holonomic):
    told = Told("t")
    quat = np.array([math.cos(heading / 2), 0, 0, math.sin(heading / 2)])
    WheelBasePoseController("p", told, holonomic).forward(np.array(place), quat, np.array(goal))
    assert told.command == ([command[0], 0.0, command[1]] if holonomic else command)


@pytest.fixture(scope="module")
def jetbot(tmp_path_factory):
    """Its file."""
    return str(build(chosen(["jetbot"])[0], tmp_path_factory.mktemp("assets"))[0])


def test_a_jetbot_drives_as_it_is_told(world, backend, jetbot):
    names = ["left_wheel_joint", "right_wheel_joint"]
    robot = world.scene.add(
        WheeledRobot("/World/Jetbot", "jetbot", None, names, None, jetbot, True, np.array([0.0, 0.0, RADIUS]))
    )
    world.scene.add_ground_plane()
    world.reset()
    assert list(robot.wheel_dof_indices) == [robot.get_dof_index(name) for name in names]
    control = DifferentialController("d", RADIUS, BASE)
    for command in ([0.1, 0.0], [0.1, 0.5]):
        before, after = robot.get_world_pose(), None
        for step in range(120):
            robot.apply_wheel_actions(control.forward(command))
            world.step(render=False)
            if step == 59:
                before = robot.get_world_pose()  # it has reached its speed
        after = robot.get_world_pose()
        way = np.linalg.norm((host(after[0]) - host(before[0]))[:2])
        turn = 2 * math.atan2(host(after[1])[3], host(after[1])[0]) - 2 * math.atan2(
            host(before[1])[3], host(before[1])[0]
        )
        chord = 0.1 * math.sin(command[1] / 2) / (command[1] / 2) if command[1] else 0.1
        assert way == pytest.approx(chord, rel=0.01) and turn == pytest.approx(command[1], abs=0.01)
    speeds = host(robot.get_wheel_velocities())
    np.testing.assert_allclose(speeds, control.forward([0.1, 0.5]).joint_velocities, rtol=0.01)
    robot.set_wheel_velocities(like(backend, [1.0, -1.0]))
    np.testing.assert_allclose(host(robot.get_wheel_velocities()), [1, -1])
    robot.set_wheel_positions(like(backend, [0.25, -0.5]))
    np.testing.assert_allclose(host(robot.get_wheel_positions()), [0.25, -0.5])
    with pytest.raises(ValueError, match="3 joints; jetbot has 2 wheels"):
        robot.apply_wheel_actions(ArticulationAction(joint_velocities=[1.0, 2.0, 3.0]))


def test_robots_that_cannot_be(world, jetbot):
    with pytest.raises(ValueError, match="wheel_dof_names or wheel_dof_indices"):
        WheeledRobot("/World/Jetbot")
    with pytest.raises(ValueError, match="there is no prim at /World/Jetbot"):
        WheeledRobot("/World/Jetbot", wheel_dof_indices=[0, 1])
    robot = world.scene.add(
        WheeledRobot("/World/Jetbot", wheel_dof_names=["left", "right"], usd_path=jetbot, create_robot=True)
    )
    with pytest.raises(ValueError, match="no joint 'left'; it has left_wheel_joint, right_wheel_joint"):
        world.reset()
    assert robot.wheel_dof_indices is None


def test_a_kaya_goes_in_all_directions(world, tmp_path):
    """Wheels do not slip along their rims: what the robot does follows from how quick they are.

    The controller's wheels add up to the command; three of them at 120 degrees then carry the robot at 2/3 of it, as in
    Isaac Sim, towards -x for a command forwards.
    """
    build(chosen(["kaya"])[0], tmp_path)
    file = tmp_path / chosen(["kaya"])[0].files[0]
    axles = [f"axle_{n}_joint" for n in range(3)]
    robot = world.scene.add(
        WheeledRobot("/World/Kaya", "kaya", None, axles, None, str(file), True, np.array([0.0, 0.0, 0.02]))
    )
    world.scene.add_default_ground_plane()
    setup = HolonomicRobotUsdSetup("/World/Kaya", "/World/Kaya/base_link/control_offset")
    assert setup.get_articulation_controller_params() == axles and setup.mecanum_angles == [90.0] * 3
    np.testing.assert_allclose(setup.wheel_radius, 0.04, rtol=1e-6)
    np.testing.assert_allclose(setup.wheel_positions[:, 2], -0.050501, atol=1e-6)
    np.testing.assert_allclose(setup.wheel_positions[0, :2], [-0.0980432, 0.000636773], atol=1e-6)
    half = np.deg2rad([180.0, -60.0, 60.0]) / 2
    np.testing.assert_allclose(
        np.abs(setup.wheel_orientations[:, [0, 3]]), np.abs([np.cos(half), np.sin(half)]).T, atol=1e-6
    )
    assert setup.wheel_axis.tolist() == [1, 0, 0] and setup.up_axis.tolist() == [0, 0, 1]
    control = HolonomicController("c", *setup.get_holonomic_controller_params())
    world.reset()
    headings = np.deg2rad([180.0, -60.0, 60.0])
    along = np.stack([np.sin(headings), -np.cos(headings)], -1)  # where a wheel that turns positively carries its axle
    places = setup.wheel_positions[:, :2]
    spins = places[:, 0] * along[:, 1] - places[:, 1] * along[:, 0]
    for command, expected in (([0.2, 0.0, 0.0], [-0.2, 0.0]), ([0.0, 0.15, 0.0], [0.0, -0.15]), ([0, 0, 0.02], None)):
        world.reset()
        speeds, track = [], []
        for step in range(90):
            robot.apply_wheel_actions(control.forward(command))
            world.step(render=False)
            if step >= 30:
                speeds.append(np.array(robot.get_wheel_velocities()) * 0.04)
                place, turn = robot.get_world_pose()
                track.append([*place[:2], 2 * np.arctan2(turn[3], turn[0])])
        track = np.array(track)
        moved = (track[-1] - track[0]) / (59 * DT)
        still = np.linalg.lstsq(np.column_stack([along, spins]), np.mean(speeds, axis=0), rcond=None)[0]
        # the rim of capsules is 40.0 to 41.1 mm from the axle
        np.testing.assert_allclose(moved, still, atol=0.04 * np.abs(still).max())
        if expected is None:
            assert moved[2] > 0.3
        else:
            np.testing.assert_allclose(moved[:2], np.array(expected) * 2 / 3, atol=0.012)
    with pytest.raises(ValueError, match="no joint below"):
        HolonomicRobotUsdSetup("/World/defaultGroundPlane", "")
    with pytest.raises(ValueError, match="no prim at"):
        HolonomicRobotUsdSetup("/World/none", "")


@pytest.mark.parametrize(
    ("name", "wheels", "radius", "base"),
    [
        ("nova-carter", ["joint_wheel_left", "joint_wheel_right"], 0.14, 0.4132),
        ("carter-v1", ["left_wheel", "right_wheel"], 0.24, 0.56),
    ],
)
def test_carters_drive_as_they_are_told(world, tmp_path, name, wheels, radius, base):
    """Straight on, then an arc about a point 0.25 m beside the middle of the wheels; casters follow."""
    build(chosen([name])[0], tmp_path)
    file = str(tmp_path / chosen([name])[0].files[0])
    robot = world.scene.add(WheeledRobot("/World/C", "c", None, wheels, None, file, True, np.array([0.0, 0.0, radius])))
    world.scene.add_ground_plane()
    world.reset()
    control, poses = DifferentialController("d", radius, base), []
    for command in ([0.2, 0.0], [0.2, 0.8]):
        for step in range(150):
            robot.apply_wheel_actions(control.forward(command))
            world.step(render=False)
            if step in (89, 149):
                place, turn = robot.get_world_pose()
                poses.append([*place[:2], 2 * math.atan2(turn[3], turn[0])])
    (x, _, straight), (far, _, still), (*_, before), (*_, after) = poses
    assert far - x == pytest.approx(0.2, rel=0.03) and straight == pytest.approx(still, abs=0.01)
    assert after - before == pytest.approx(0.8, rel=0.03)
    assert place[2] == pytest.approx(radius, abs=2e-3)
