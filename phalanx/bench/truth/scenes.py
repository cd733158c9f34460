"""Six scenes of which the motion is known: by formula, by an integral to 1e-10, or by steps so short that it
converges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from phalanx.bench.declare import MujocoOptions, ObjectItem, RobotItem, Scene
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

GRAVITY = 9.81
SAMPLE = 0.05
"""s between looks at a scene, and between changes of its controls; all steps divide it."""

RATES = (60, 120, 240, 500, 1000)
"""Steps a second."""

Motion = tuple[tuple[float, float, float], tuple[float, float, float]]
"""Velocity of a body's origin and angular velocity, world axes, m/s and rad/s."""


@dataclass(frozen=True)
class TruthScene:
    """What moves, for how long, and what is known of it.

    Args:
        scene: with any timestep, which runs replace.
        seconds: of simulated time.
        watch: bodies (``actor/body``) whose poses are compared.
        truth: poses (times, bodies, 7) at times (s); ``None``: what short steps give.
        own: short steps of each engine itself, since their laws of contact differ; else of one for both.
        unit: ``"m"`` compares positions, ``"rad"`` orientations.
        motions: how objects move at the start.
        targets: position targets at a time, by names of joints and their positions at the start.
    """

    scene: Scene
    seconds: float
    watch: tuple[str, ...]
    truth: Callable[[np.ndarray], np.ndarray] | None = None
    own: bool = False
    unit: Literal["m", "rad"] = "m"
    motions: Mapping[str, Motion] = field(default_factory=dict)
    targets: Callable[[Sequence[str], np.ndarray, float], np.ndarray] | None = None

    @property
    def name(self) -> str:
        """Its scene's."""
        return self.scene.name

    @property
    def times(self) -> np.ndarray:
        """When it is looked at, s."""
        return SAMPLE * np.arange(1, round(self.seconds / SAMPLE) + 1)

    def errors(self, poses: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """(times,): root of the mean square over bodies of how far off they are, m or rad."""
        if self.unit == "m":
            square = np.sum((poses[..., :3] - truth[..., :3]) ** 2, axis=-1)
        else:  # the smaller of two angles, without the rounding of an arc cosine near 1
            same = np.sum(poses[..., 3:] * truth[..., 3:], axis=-1, keepdims=True)
            apart = np.linalg.norm(poses[..., 3:] - np.where(same < 0, -1.0, 1.0) * truth[..., 3:], axis=-1)
            square = (4 * np.arcsin(np.minimum(0.5 * apart, 1.0))) ** 2
        return np.sqrt(np.mean(square, axis=-1))


def _upright(positions: np.ndarray) -> np.ndarray:
    """Poses (times, bodies, 7) of bodies that do not turn, or whose turning is not asked for."""
    found = np.zeros((*positions.shape[:2], 7))
    found[..., :3], found[..., 3] = positions, 1.0
    return found


# -- a falling chain ------------------------------------------------------------------------------------------

LINKS, LENGTH = 5, 0.2
"""Rods of a chain on spherical joints, and their length, m."""


def chain() -> RobotModel:
    """Rods of 0.1 kg on spherical joints, along x at zero; nothing collides; its base is to be fixed."""
    mass, radius = 0.1, 0.01
    across, along = mass * (LENGTH**2 / 12 + radius**2 / 4), 0.5 * mass * radius**2
    inertia = np.diag([along, across, across])
    bodies = [Body("base", 1.0, inertia=1e-3 * np.eye(3))]
    bodies += [Body(f"rod{n}", mass, (0.5 * LENGTH, 0.0, 0.0), inertia) for n in range(LINKS)]
    joints = [
        Joint(f"joint{n}", "spherical", bodies[n].name, f"rod{n}", (LENGTH if n else 0.0, 0.0, 0.0))
        for n in range(LINKS)
    ]
    return RobotModel("chain", bodies, joints)


# -- a tumbling body ------------------------------------------------------------------------------------------

HALVES = (0.05, 0.1, 0.15)
SPIN = (0.4, 8.0, 0.2)
"""Half sizes of a box of 1 kg, m, and how it turns: about the middle axis, and a little about the others, rad/s."""


def tumbling(times: np.ndarray) -> np.ndarray:
    """Euler's equations."""
    from scipy.integrate import solve_ivp

    a, b, c = HALVES
    moments = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 3

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        q, w = y[:4], y[4:]
        turn = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([turn, np.cross(moments * w, w) / moments])

    start = np.array([1.0, 0.0, 0.0, 0.0, *SPIN])
    found = solve_ivp(rate, (0, times[-1]), start, "DOP853", times, rtol=1e-11, atol=1e-12).y[:4].T
    poses = np.zeros((len(times), 1, 7))
    poses[:, 0, 3:] = found / np.linalg.norm(found, axis=1, keepdims=True)
    return poses


# -- a box that slides, and a ball that rolls ------------------------------------------------------------------

SPEED = 2.0
"""m/s at the start."""

RUBS, ROLLS = 0.5, 0.3
"""Coefficients of friction of the box and of the ball."""

BOX, BALL = (0.1, 0.1, 0.05), 0.1
"""Half sizes and radius, m."""


def sliding(times: np.ndarray) -> np.ndarray:
    """It slows down at mu g and stops after v^2 / (2 mu g)."""
    slows = RUBS * GRAVITY
    t = np.minimum(times, SPEED / slows)
    return _upright(np.stack([SPEED * t - 0.5 * slows * t**2, 0 * t, BOX[2] + 0 * t], axis=-1)[:, None])


def rolling(times: np.ndarray) -> np.ndarray:
    """It slides until friction has brought it to 5/7 of its speed and made it roll, then it goes on at that."""
    slows = ROLLS * GRAVITY
    until = 2 * SPEED / (7 * slows)
    t = np.minimum(times, until)
    x = SPEED * t - 0.5 * slows * t**2 + 5 / 7 * SPEED * np.maximum(times - until, 0.0)
    return _upright(np.stack([x, 0 * x, BALL + 0 * x], axis=-1)[:, None])


# -- a stack ---------------------------------------------------------------------------------------------------

STACKED, HALF = 10, 0.1
"""Cubes on top of each other, and half their size, m."""


def standing(times: np.ndarray) -> np.ndarray:
    """It stays where it is."""
    heights = HALF + 2 * HALF * np.arange(STACKED)
    place = np.stack([0 * heights, 0 * heights, heights], axis=-1)
    return _upright(np.broadcast_to(place, (len(times), STACKED, 3)))


# -- a quadruped that walks ------------------------------------------------------------------------------------

LATE = {"FL": 0.0, "RR": 0.0, "FR": 0.5, "RL": 0.5}
"""By which share of a cycle a leg is late: a trot."""

PACE, STRIDE, LIFT = 2.0, 0.2, 0.25
"""Hz, and rad of the thighs, back and forth and up."""


def trot(names: Sequence[str], start: np.ndarray, time: float) -> np.ndarray:
    """Position targets of the shipped quadruped's joints, rad."""
    found, soft = np.array(start, float), min(1.0, time / 0.5)
    for leg, late in LATE.items():
        cycle = 2 * math.pi * (PACE * time + late)
        lift = soft * max(0.0, math.cos(cycle))
        found[names.index(f"{leg}_thigh_joint")] += LIFT * lift - soft * STRIDE * math.sin(cycle)
        found[names.index(f"{leg}_calf_joint")] -= 2 * LIFT * lift
    return found


def _object(name: str, doc: str, shape: Shape, height: float, friction: float, ground: bool = True) -> Scene:
    item = ObjectItem(shape, name, (0.0, 0.0, height), mass=1.0, friction=friction)
    return Scene(name, doc, objects=(item,), ground=ground, ground_friction=friction, contact_offset=0.02)


_ALL = (
    TruthScene(
        Scene(
            "falling_chain",
            "five rods on spherical joints, let go from a bent line that is level",
            (
                RobotItem(
                    chain,
                    "chain",
                    (0.0, 0.0, 2.0),
                    fixed_base=True,
                    joint_pos={f"joint{n}:rz": 0.4 * (-1) ** n for n in range(LINKS)},
                ),
            ),
            ground=False,
        ),
        1.0,
        tuple(f"chain/rod{n}" for n in range(1, LINKS)),
    ),
    TruthScene(
        Scene(
            "tumbling_body",
            "a box that turns about its middle axis, without gravity",
            objects=(ObjectItem(Shape("box", HALVES), "body", (0.0, 0.0, 0.0), mass=1.0),),
            ground=False,
            gravity=(0.0, 0.0, 0.0),
        ),
        4.0,
        ("body/body",),
        tumbling,
        unit="rad",
        motions={"body": ((0.0, 0.0, 0.0), SPIN)},
    ),
    TruthScene(
        _object("sliding_box", "a box that slides until friction stops it", Shape("box", BOX), BOX[2], RUBS),
        1.0,
        ("sliding_box/sliding_box",),
        sliding,
        motions={"sliding_box": ((SPEED, 0.0, 0.0), (0.0, 0.0, 0.0))},
    ),
    TruthScene(
        _object("rolling_ball", "a ball that slides until it rolls", Shape("sphere", (BALL,)), BALL, ROLLS),
        1.0,
        ("rolling_ball/rolling_ball",),
        rolling,
        motions={"rolling_ball": ((SPEED, 0.0, 0.0), (0.0, 0.0, 0.0))},
    ),
    TruthScene(
        Scene(
            "stack",
            "ten cubes on top of each other, at rest",
            objects=tuple(
                ObjectItem(Shape("box", (HALF, HALF, HALF)), f"cube{n}", (0.0, 0.0, HALF + 2 * HALF * n), mass=1.0)
                for n in range(STACKED)
            ),
        ),
        1.0,
        tuple(f"cube{n}/cube{n}" for n in range(STACKED)),
        standing,
    ),
    TruthScene(
        Scene("walk", "a quadruped that trots", (RobotItem("quadruped", "quadruped"),), mujoco=MujocoOptions()),
        2.0,
        ("quadruped/base",),
        own=True,
        targets=trot,
    ),
)

SCENES = {scene.name: scene for scene in _ALL}
