"""Robots to put into each other."""

from __future__ import annotations

import numpy as np

from phalanx.models.robot_model import Body, Joint, RobotModel, Shape


def chain(name: str, shape: Shape, mass: float = 1.0, links: int = 3, length: float = 0.3) -> RobotModel:
    """Links of one shape in a row along x, with hinges about y and z in turn."""
    inertia = mass * 0.004 * np.eye(3)
    bodies = [Body(f"link{i}", mass, inertia=inertia, collisions=[shape]) for i in range(links)]
    joints = [
        Joint(
            f"joint{i}", "revolute", f"link{i}", f"link{i + 1}", (length, 0.0, 0.0),
            axis=(0.0, 1.0, 0.0) if i % 2 == 0 else (0.0, 0.0, 1.0),
        )
        for i in range(links - 1)
    ]  # fmt: skip
    return RobotModel(name, bodies, joints)
