"""Bitwise the same from run to run, in any company, on any threads; and what happens to one environment stays there."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.io.formats import library

QUANTITIES = (
    "joint_pos",
    "joint_vel",
    "joint_acc",
    "root_pose",
    "root_vel",
    "body_pose",
    "body_vel",
    "applied_effort",
    "net_contact_force",
)


def raw(array: Any) -> np.ndarray:
    """On the host, in its own dtype."""
    return np.array(array.get() if hasattr(array, "get") else array)


def state(robot: px.Robot, envs: Any = slice(None)) -> dict[str, np.ndarray]:
    return {name: raw(getattr(robot, name))[envs] for name in QUANTITIES}


def assert_same(actual: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    for name in QUANTITIES:
        np.testing.assert_array_equal(actual[name], expected[name], err_msg=name, strict=True)


def quadrupeds(num_envs: int, device: str, **settings: Any) -> tuple[px.World, px.Robot]:
    world = px.World(num_envs, device, **settings)
    world.add_ground()
    robot = world.add_robot("quadruped")
    stiffness, damping = library.defaults("quadruped").gains(robot.joint_names)
    robot.set_drive(stiffness=stiffness, damping=damping)
    return world, robot


def play(world: px.World, robot: px.Robot, who: np.ndarray, steps: int = 60) -> None:
    """Random starts and targets every five steps; those of environment e are a function of ``who[e]`` alone."""
    streams = [np.random.default_rng(int(w)) for w in who]

    def draw(width: int) -> np.ndarray:
        return np.array([stream.normal(size=width) for stream in streams])

    pose = np.tile([0.0, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0], (len(who), 1)) + 0.1 * draw(7)
    robot.set_root_state(pose=pose, vel=draw(6))
    robot.set_joint_state(vel=draw(robot.num_dof))
    for _ in range(steps // 5):
        robot.set_targets(pos=robot.default_joint_pos + 0.4 * draw(robot.num_dof))
        world.step(5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_same_run_twice_is_bitwise_the_same(dtype: str, device: str) -> None:
    results = []
    for _ in range(2):
        world, robot = quadrupeds(40, device, dtype=dtype)
        play(world, robot, np.arange(40))
        results.append(state(robot))
    assert np.abs(host(robot.net_contact_force)).max() > 10.0  # contacts were made
    assert not len(world.diverged)
    assert_same(*results)


def test_environment_does_not_depend_on_its_company(device: str) -> None:
    """Environment 3 of 5 and of 500, and the same robot at place 77 and 401 among others: every bit."""
    few, robot = quadrupeds(5, device)
    play(few, robot, np.arange(5))
    expected = state(robot, [3])
    who = np.arange(500) + 1000
    who[[3, 77, 401]] = 3
    many, robot = quadrupeds(500, device)
    play(many, robot, who)
    for place in (3, 77, 401):
        assert_same(state(robot, [place]), expected)
    others = state(robot, [4])
    assert (others["joint_pos"] != expected["joint_pos"]).all()


def test_number_of_threads_does_not_matter(device: str) -> None:
    if device != "cpu":
        pytest.skip("threads are the CPU's")
    results = []
    try:
        for threads in (1, 2, 3):
            px.set_num_threads(threads)
            assert px.num_threads() == threads
            world, robot = quadrupeds(200, device)
            play(world, robot, np.arange(200), steps=30)
            results.append(state(robot))
    finally:
        px.set_num_threads(None)
    assert_same(results[1], results[0])
    assert_same(results[2], results[0])


def test_steps_at_once_are_steps_one_by_one(device: str) -> None:
    results = []
    for pieces in ([60], [1] * 60, [7, 23, 30]):
        world, robot = quadrupeds(3, device)
        robot.set_targets(pos=robot.default_joint_pos + 0.2)
        for count in pieces:
            world.step(count)
        results.append(state(robot))
        assert world.step_count == 60
    assert_same(results[1], results[0])
    assert_same(results[2], results[0])


def test_reading_between_steps_changes_nothing(device: str) -> None:
    results = []
    for look in (False, True):
        world, robot = quadrupeds(3, device)
        for _ in range(30):
            world.step()
            if look:
                _ = robot.mass_matrix(), robot.bias_force(), robot.jacobian(), robot.gravity_force(), state(robot)
        results.append(state(robot))
    assert_same(*results)


def test_substeps_are_shorter_steps(device: str) -> None:
    """Four substeps of a step of 8 ms are four steps of 2 ms, to the bit, contacts included."""
    coarse, one = quadrupeds(4, device, dt=0.008, substeps=4)
    fine, other = quadrupeds(4, device, dt=0.002)
    for world, robot in ((coarse, one), (fine, other)):
        robot.set_root_state(vel=[0.5, 0.0, 0.0, 0.0, 0.0, 0.3])
        world.step(25 if world is coarse else 100)
    assert coarse.time == pytest.approx(fine.time)
    assert_same(state(one), state(other))


def test_reset_of_some_leaves_the_others_alone(device: str) -> None:
    """Reset environments start over, to the bit; their neighbours never notice."""
    world, robot = quadrupeds(8, device)
    undisturbed, other = quadrupeds(8, device)
    who = np.arange(8)
    play(world, robot, who, steps=30)
    play(undisturbed, other, who, steps=30)
    world.reset([1, 6])
    fresh, new = quadrupeds(2, device)
    for w, r in ((world, robot), (undisturbed, other), (fresh, new)):
        r.set_targets(pos=r.default_joint_pos)
        w.step(50)
    stay = [0, 2, 3, 4, 5, 7]
    assert_same(state(robot, stay), state(other, stay))
    assert_same(state(robot, [1, 6]), state(new))


def test_writing_some_environments_leaves_the_others_alone(device: str) -> None:
    world, robot = quadrupeds(6, device)
    undisturbed, other = quadrupeds(6, device)
    world.step(20)
    undisturbed.step(20)
    robot.set_joint_state(pos=0.3, vel=1.0, env_ids=[2])
    robot.set_root_state(pose=[0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0], env_ids=[4])
    robot.set_drive(stiffness=10.0, env_ids=[2, 4])
    world.step(20)
    undisturbed.step(20)
    stay = [0, 1, 3, 5]
    assert_same(state(robot, stay), state(other, stay))
    assert (state(robot, [2, 4])["joint_pos"] != state(other, [2, 4])["joint_pos"]).any()


@pytest.mark.parametrize("field", ["velocity", "position", "target"])
def test_nan_freezes_its_environment_alone_and_reset_revives_it(field: str, device: str) -> None:
    """A warning that names it, neighbours untouched to the bit, and a fresh start after reset."""
    world, robot = quadrupeds(6, device)
    undisturbed, other = quadrupeds(6, device)
    world.step(20)
    undisturbed.step(20)
    array, row = {
        "velocity": (world[c.DofState].velocity, 8),
        "position": (world[c.Coordinate].value, 9),
        "target": (world[c.DriveTarget].position, 8),
    }[field]
    array[row, 4] = np.nan
    world.touch_state()
    with pytest.warns(px.SimulationWarning, match=r"1 of 6 environments diverged .* frozen: 4;"):
        world.step(10)
        world.check()
    undisturbed.step(10)
    assert world.diverged.tolist() == [4]
    stay = [0, 1, 2, 3, 5]
    assert_same(state(robot, stay), state(other, stay))
    frozen = raw(robot.root_pose)[4]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it was reported once
        world.step(10)
        world.check()
    undisturbed.step(10)
    np.testing.assert_array_equal(raw(robot.root_pose)[4], frozen)
    assert not raw(robot.joint_vel)[4].any()
    assert_same(state(robot, stay), state(other, stay))

    world.reset([4])
    assert not len(world.diverged)
    fresh, new = quadrupeds(1, device)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world.step(30)
        world.check()
    fresh.step(30)
    undisturbed.step(30)
    assert_same(state(robot, [4]), state(new))
    assert_same(state(robot, stay), state(other, stay))


def test_warning_of_contacts_that_do_not_fit(device: str) -> None:
    """A full buffer is said, with the setting to change; enough slots and it is quiet."""
    world, _ = quadrupeds(2, device, max_contacts=2)
    with pytest.warns(px.SimulationWarning, match=r"2 slots in environments 0, 1; pass max_contacts=\d+ or more"):
        world.step()
        world.check()
    enough, _ = quadrupeds(2, device, max_contacts=8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        enough.step(20)
        enough.check()
