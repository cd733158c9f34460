"""What stands on something that turns goes round with it: friction holds it as long as r w^2 is below mu g."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.models.robot_model import Body, Joint, RobotModel

GRAVITY, FRICTION, RADIUS = 9.81, 0.6, 0.5
SHARES = np.array([0.3, 0.8, 0.95, 1.3])
"""Of what friction can hold, in the environments: the last ones must slide."""

PLATE = px.Shape("box", (1.0, 1.0, 0.1))
BOX = px.Shape("box", (0.05, 0.08, 0.03))


def turntable() -> RobotModel:
    """A plate that turns about z on a heavy hinge, its top at z = 0."""
    plate = px.Shape("box", (1.0, 1.0, 0.1), position=(0.0, 0.0, -0.1))
    bodies = [Body("base", 1.0), Body("plate", 1e4, inertia=1e4 * np.eye(3), collisions=[plate])]
    return RobotModel("turntable", bodies, [Joint("hinge", "revolute", "base", "plate", axis=(0.0, 0.0, 1.0))])


@pytest.mark.parametrize("support", ["kinematic", "hinge"])
@pytest.mark.parametrize(("rate", "slip"), [(60, 4e-3), (200, 0.4e-3), (1000, 0.02e-3)])
def test_a_box_goes_round_with_a_turntable(rate: int, slip: float, support: str, device: str) -> None:
    """For 1 s at 0.3 to 0.95 of the fastest that friction can hold: it stays where it was set, at 1.3 it slides.

    On the plate's chord instead of its arc it would move outwards by h r w^2 / 2 a second: 47, 14 and 2.8 mm at 0.95.
    """
    world = px.World(len(SHARES), device=device, dtype="float64", dt=1 / rate)
    speed = np.sqrt(SHARES * FRICTION * GRAVITY / RADIUS)
    spin = np.zeros((len(SHARES), 6))
    spin[:, 5] = speed
    if support == "kinematic":
        plate = world.add_rigid_object(PLATE, "plate", kind="kinematic", position=(0, 0, -0.1), friction=FRICTION)
    else:
        robot = world.add_robot(turntable(), fixed_base=True, friction=FRICTION)
    box = world.add_rigid_object(BOX, "box", mass=2.0, position=(RADIUS, 0.0, 0.03), friction=FRICTION)
    if support == "kinematic":
        plate.set_root_state(vel=spin)
    else:
        robot.set_drive(stiffness=0.0, damping=0.0)
        robot.set_joint_state(np.zeros((len(SHARES), 1)), speed[:, None])
    spin[:, 1] = speed * RADIUS
    box.set_root_state(vel=spin)
    world.step(rate)
    angle = speed if support == "kinematic" else host(robot.joint_pos)[:, 0]
    x, y = host(box.root_pose)[:, :2].T
    off = np.hypot(np.cos(angle) * x + np.sin(angle) * y - RADIUS, np.cos(angle) * y - np.sin(angle) * x)
    assert off[:3].max() < slip
    assert off[3] > 0.1
