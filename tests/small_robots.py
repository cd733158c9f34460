"""Robots small enough to reason about, as models."""

from __future__ import annotations

import numpy as np

from phalanx.models.robot_model import Body, Joint, RobotModel, Shape


def arm(name: str = "arm") -> RobotModel:
    """A base, two hinged links and a slider; one link shows a mesh."""
    tetrahedron = Shape(
        "mesh",
        vertices=np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 1 / 3]]),
        faces=np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
        color=(0.8, 0.2, 0.1, 1.0),
    )
    inertia = 1e-2 * np.eye(3)
    bodies = [
        Body("base", 2.0, inertia=inertia, collisions=[Shape("box", (0.1, 0.1, 0.05))]),
        Body(
            "upper", 1.0, (0.0, 0.0, 0.15), inertia, [Shape("capsule", (0.03, 0.12), (0.0, 0.0, 0.15))], [tetrahedron]
        ),
        Body("lower", 0.5, (0.0, 0.0, 0.1), inertia, [Shape("cylinder", (0.03, 0.1), (0.0, 0.0, 0.1))]),
        Body("tip", 0.2, inertia=inertia, collisions=[Shape("sphere", (0.04,))]),
    ]
    joints = [
        Joint("shoulder", "revolute", "base", "upper", (0.0, 0.0, 0.05), axis=(0.0, 1.0, 0.0), lower=-1.5, upper=1.5),
        Joint("elbow", "revolute", "upper", "lower", (0.0, 0.0, 0.3), axis=(0.0, 1.0, 0.0), lower=-2.0, upper=2.0),
        Joint("slide", "prismatic", "lower", "tip", (0.0, 0.0, 0.2), axis=(0.0, 0.0, 1.0), lower=0.0, upper=0.1),
    ]
    return RobotModel(name, bodies, joints)


def ball(radius: float = 0.1, mass: float = 1.0) -> RobotModel:
    """A free sphere."""
    inertia = 0.4 * mass * radius**2 * np.eye(3)
    return RobotModel("ball", [Body("ball", mass, inertia=inertia, collisions=[Shape("sphere", (radius,))])], [])
