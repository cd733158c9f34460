"""Jacobians: the same bits in any company, and new arrays each time. That they are right is tested elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host

import phalanx as px

STATES = np.random.default_rng(5).normal(size=(7, 12)) * 0.4
TURNS = np.random.default_rng(6).normal(size=(7, 4))
POSES = np.concatenate([np.arange(21.0).reshape(7, 3), TURNS / np.linalg.norm(TURNS, axis=1, keepdims=True)], 1)


def quadrupeds(chosen: list[int], device: str, dtype: str = "float32", others: int = 0) -> px.Robot:
    """One in each environment, in some of the states, after others in the same world."""
    world = px.World(num_envs=len(chosen), device=device, dtype=dtype)
    for i in range(others):
        world.add_robot("double_pendulum", name=f"pendulum_{i}", position=(0, 5.0 + i, 0))
    robot = world.add_robot("quadruped", name="quadruped")
    robot.set_joint_state(pos=STATES[chosen])
    robot.set_root_state(pose=POSES[chosen])
    return robot


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bits_depend_on_nothing_else(device: str, dtype: str) -> None:
    whole = host(quadrupeds([*range(7)], device, dtype).jacobian())
    assert whole.shape == (7, 17, 6, 18)
    for chosen, others in (([3], 0), ([5, 0], 1)):
        found = host(quadrupeds(chosen, device, dtype, others).jacobian())
        np.testing.assert_array_equal(found, whole[chosen])


def test_arrays_stay_what_they_were(device: str) -> None:
    robot = quadrupeds([0, 1], device)
    first = robot.jacobian()
    before = host(first)
    robot.set_joint_state(pos=STATES[[2, 3]])
    second = host(robot.jacobian())
    np.testing.assert_array_equal(host(first), before)
    assert np.abs(second - before).max() > 0.01


def test_the_root_moves_all_bodies_and_legs_their_own(device: str) -> None:
    """Columns of the root are those of a rigid body, (1, 0) and (a x r, a); a leg's joints move no other leg."""
    robot = quadrupeds([2], device, "float64")
    found, poses = host(robot.jacobian())[0], host(robot.body_pose)[0]
    arm = poses[:, :3] - POSES[2, :3]
    for k in range(3):
        axis = np.eye(3)[k]
        np.testing.assert_array_equal(found[:, :, k], np.tile([*axis, 0, 0, 0], (17, 1)))
        np.testing.assert_allclose(found[:, :3, 3 + k], np.cross(axis, arm), atol=1e-14)
        np.testing.assert_array_equal(found[:, 3:, 3 + k], np.tile(axis, (17, 1)))
    for j, joint in enumerate(robot.joint_names):
        for b, body in enumerate(robot.body_names):
            if joint[:2] != body[:2]:
                assert not found[b, :, 6 + j].any(), (joint, body)
    assert all(np.abs(found[:, 3:, 6 + j]).sum(1).max() > 0.99 for j in range(12))
