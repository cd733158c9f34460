"""A two-finger gripper and things to grip."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.models.robot_model import Body, Joint, Mimic, RobotModel, Shape

PAD = (0.02, 0.005, 0.03)
"""Half lengths of a finger's pad, m; it presses along y."""


def gripper(opening: float, effort: float) -> RobotModel:
    """A hand on a lift (``z``) and a slide (``x``), with fingers that close along y; ``right`` mimics ``left``.

    Args:
        opening: distance of each pad's face from the middle at joint position 0, m; positive positions close.
        effort: limit of the drive of ``left``, N; each pad presses with half of it.
    """
    slim, pad = 1e-3 * np.eye(3), Shape("box", PAD)
    bodies = [
        Body("rail", 1.0, inertia=slim),
        Body("lift", 1.0, inertia=slim),
        Body("hand", 1.0, inertia=slim),
        Body("left", 0.1, inertia=0.1 * slim, collisions=[pad]),
        Body("right", 0.1, inertia=0.1 * slim, collisions=[pad]),
    ]
    out = opening + PAD[1]
    reach: dict[str, Any] = {"lower": 0.0, "upper": out, "effort_limit": effort}
    joints = [
        Joint("z", "prismatic", "rail", "lift", axis=(0.0, 0.0, 1.0), lower=-1.0, upper=1.0),
        Joint("x", "prismatic", "lift", "hand", axis=(1.0, 0.0, 0.0), lower=-1.0, upper=1.0),
        Joint("left", "prismatic", "hand", "left", (0.0, out, 0.0), axis=(0.0, -1.0, 0.0), **reach),
        Joint(
            "right", "prismatic", "hand", "right", (0.0, -out, 0.0), axis=(0.0, 1.0, 0.0), mimic=Mimic("left"), **reach
        ),
    ]
    return RobotModel("gripper", bodies, joints)


def mug(radius: float = 0.04, half: float = 0.045, wall: float = 0.004, staves: int = 10) -> list[Shape]:
    """A hollow mug of convex hulls: staves around a bottom, and a handle towards +x. Upright, centred at the origin."""
    pieces = [Shape("cylinder", (radius, 0.003), (0.0, 0.0, 0.003 - half))]
    around = 2 * np.pi * np.arange(staves + 1) / staves
    pieces += [
        Shape(
            "mesh",
            vertices=np.array(
                [
                    [r * np.cos(t), r * np.sin(t), z]
                    for t in around[k : k + 2]
                    for r in (radius - wall, radius)
                    for z in (-half, half)
                ]
            ),
        )
        for k in range(staves)
    ]
    bow = np.linspace(-np.pi / 2, np.pi / 2, 5)
    pieces += [
        Shape(
            "mesh",
            vertices=np.array(
                [
                    [radius - wall + r * np.cos(s), y, r * np.sin(s)]
                    for s in bow[k : k + 2]
                    for r in (0.02, 0.028)
                    for y in (-0.005, 0.005)
                ]
            ),
        )
        for k in range(4)
    ]
    return pieces
