"""Small robots of the benchmark scenes: a gripper on a lift, and chains of any length."""

from __future__ import annotations

import math

from phalanx.bench.robots.segments import Segment, Turn, assemble, capsule
from phalanx.models.robot_model import RobotModel, Shape


def gripper() -> RobotModel:
    """A carriage that goes up and down with two fingers that close along y; its base is to be fixed."""
    finger = Shape("box", (0.02, 0.01, 0.04))
    lift = Turn("lift", (0, 0, 1), -0.1, 0.5, slides=True, effort_limit=100.0)
    small = (1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0)
    segments = [
        Segment("base", mass=1.0, inertia=small),
        Segment("carriage", "base", joints=(lift,), mass=0.5, inertia=small),
    ]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        close = Turn(f"close_{side}", (0, -sign, 0), 0.0, 0.06, slides=True)
        tiny = (1e-4, 1e-4, 1e-4, 0.0, 0.0, 0.0)
        segments.append(Segment(side, "carriage", (0.0, 0.08 * sign, 0.0), (1, 0, 0, 0), (close,), (finger,), 0.1,
                                inertia=tiny))  # fmt: skip
    return assemble("gripper", segments)


def chain(links: int) -> RobotModel:
    """A hanging chain of capsules, each on a hinge across the one before; nothing collides; its base is to be fixed."""
    rod = capsule((0.0, 0.0, 0.0), (0.0, 0.0, -0.1), 0.02)
    segments = [Segment("base", mass=1.0, inertia=(1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0))]
    for number in range(links):
        axis = (1.0, 0.0, 0.0) if number % 2 else (0.0, 1.0, 0.0)
        turn = Turn(f"hinge{number}", axis, damping=0.01, armature=1e-3)
        mass = 1000.0 * math.pi * rod.size[0] ** 2 * (2.0 * rod.size[1] + 4.0 / 3.0 * rod.size[0])
        across = mass * 0.14**2 / 12.0
        segments.append(
            Segment(
                f"link{number}",
                f"link{number - 1}" if number else "base",
                (0.0, 0.0, -0.1 if number else 0.0),
                joints=(turn,),
                mass=mass,
                com=(0.0, 0.0, -0.05),
                inertia=(across, across, 0.5 * mass * 0.02**2, 0.0, 0.0, 0.0),
            )
        )
    return assemble(f"chain of {links}", segments)
