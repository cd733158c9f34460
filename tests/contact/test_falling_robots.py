"""Whole robots that collide with themselves: they stand, they fall, pushed or limp, and come to rest."""

from __future__ import annotations

import numpy as np
import pytest
from contact.scenes import GRAVITY, lowest, total_force
from oracles import host

import phalanx as px
from phalanx.components import ContactImpulse
from phalanx.io.formats import library
from phalanx.world.handles.contact_report import contacts

STANDS, LIMP = [0], [3, 4, 5]
VELOCITY = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [3.0, 1.0, 0.0, 0.0, 3.0, 0.0],
        [0.0, -3.0, 1.0, 3.0, 0.0, 2.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, 0.0, 1.0, -2.0, 1.0],
        [-2.0, 0.0, 2.0, 4.0, 4.0, 0.0],
    ]
)
"""m/s and rad/s: left alone, pushed hard twice; limp: left alone, pushed, thrown."""

RAISED = np.array([0.0, 0.0, 0.0, 0.0, 0.2, 0.5])
"""m"""

PAST_LIMIT = 0.01
"""rad, the most that a joint may go beyond its limit."""

LAST = 50
"""Steps, a quarter of a second, whose mean force is the weight: a limb that still settles shakes single ones."""

PENETRATION = 0.015
"""m, the most that shapes may overlap on the way, anywhere."""


@pytest.mark.parametrize(("name", "num_dof"), [("quadruped", 12), ("humanoid", 27)])
def test_robot_falls_and_comes_to_rest(name: str, num_dof: int, device: str) -> None:
    """10 s: the one that is left alone stands; the others lie still, carried by the ground, within their limits."""
    count = len(VELOCITY)
    world = px.World(count, device)
    world.add_ground()
    robot = world.add_robot(name, self_collision=True)
    assert robot.num_dof == num_dof
    defaults = library.defaults(name)
    stiffness, damping = (np.tile(gain, (count, 1)) for gain in defaults.gains(robot.joint_names))
    stiffness[LIMP], damping[LIMP] = 0.0, 0.02 * damping[LIMP]
    robot.set_drive(stiffness=stiffness, damping=damping)
    robot.set_targets(pos=defaults.pose(robot.joint_names))
    pose = host(robot.root_pose)
    standing = pose[0, 2]
    pose[:, 2] += RAISED
    robot.set_root_state(pose=pose, vel=VELOCITY)
    lower, upper = robot.joint_limits
    itself = False
    force = np.zeros((count, 3))
    for step in range(2000):
        world.step()
        q = host(robot.joint_pos)
        assert np.maximum(q - upper, lower - q).max() < PAST_LIMIT
        if step % 20 == 0:
            assert lowest(robot).min() > -PENETRATION
            found = contacts(world.engine)
            assert host(found["separation"]).min() > -PENETRATION
            bodies = host(found["shape_b"])  # the ground is the last shape
            itself |= bool(((host(found["normal_force"]) > 0) & (bodies < bodies.max())).any())
            in_step, at_end = (host(field)[:, 0] for field in (world[ContactImpulse].value, world[ContactImpulse].last))
            np.testing.assert_array_equal(in_step, at_end)  # nothing bounces: what has let go transmits nothing at all
        if step >= 2000 - LAST:
            force += total_force(robot) / LAST
    assert itself  # it has touched itself
    assert not len(world.diverged)
    height = host(robot.root_pose)[:, 2]
    assert height[STANDS] == pytest.approx(standing, rel=0.05)
    assert (np.delete(height, STANDS) < 0.6 * standing).all()
    assert np.abs(host(robot.root_vel)).max() < 0.03
    np.testing.assert_allclose(force[:, 2], robot.mass * GRAVITY, rtol=5e-3)
    np.testing.assert_allclose(force[:, :2], 0.0, atol=5e-3 * robot.mass * GRAVITY)
