"""One joint on a fixed base, of a known inertia, and where the joint's model ends up after a step of implicit Euler."""

from __future__ import annotations

from typing import Any

import numpy as np

import phalanx as px
from phalanx.models.robot_model import Body, Joint, RobotModel

MASS, RADIUS, MOMENT = 2.0, 0.3, 0.05
INERTIA = MOMENT + MASS * RADIUS**2
"""kg·m^2 of :func:`hinge` about its joint."""


def hinge(**joint: Any) -> RobotModel:
    """A body on a horizontal hinge along y, hanging down at 0, of :data:`INERTIA`."""
    rod = Body("rod", MASS, (0.0, 0.0, -RADIUS), MOMENT * np.eye(3))
    given: dict[str, Any] = {"axis": (0.0, 1.0, 0.0), **joint}
    return RobotModel("hinge", [Body("base", 1.0), rod], [Joint("hinge", "revolute", "base", "rod", **given)])


def slider(**joint: Any) -> RobotModel:
    """A body of :data:`MASS` on a horizontal rail."""
    cart = Body("cart", MASS, (0.1, 0.2, 0.3), MOMENT * np.eye(3))
    return RobotModel("slider", [Body("base", 1.0), cart], [Joint("slider", "prismatic", "base", "cart", **joint)])


def alone(model: RobotModel, device: str, gravity: float = 0.0, **settings: Any) -> tuple[px.World, px.Robot]:
    """A world with this robot on a fixed base, built, its drives off."""
    world = px.World(device=device, gravity=(0.0, 0.0, -gravity), **settings)
    robot = world.add_robot(model, fixed_base=True)
    robot.set_drive(stiffness=0.0, damping=0.0)
    return world, robot
