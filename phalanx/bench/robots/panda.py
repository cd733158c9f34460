"""A seven-joint arm with a gripper of two fingers: Franka Emika's Panda, nine dofs.

Kinematics are the maker's published Denavit-Hartenberg figures; inertias those identified by C. Gaz et al. (2019),
"Dynamic identification of the Franka Emika Panda robot with retrieval of feasible parameters"; gains, damping, armature
and shapes that collide (hand and fingertips) as other engines' benchmarks have them.
"""

from __future__ import annotations

import math

from phalanx.bench.robots.segments import Segment, Turn, assemble
from phalanx.models.robot_model import RobotModel, Shape

ARMATURE = 0.1
HALF = math.sqrt(0.5)
UP, DOWN = (HALF, HALF, 0.0, 0.0), (HALF, -HALF, 0.0, 0.0)
"""Quarter turns about x."""

GAINS = (
    ("joint[12]", 1000.0, 20.0),
    ("joint[34]", 750.0, 4.0),
    ("joint*", 300.0, 2.0),
    ("finger_joint1", 350.0, 10.0),
    ("*", 0.0, 0.0),
)
"""Pattern of joint names, stiffness (N·m/rad or N/m), damping; the second finger follows the first."""


def panda() -> RobotModel:
    """The model; its base is ``link0``, to be fixed."""
    return assemble("panda", [*_arm(), *_hand()])


def _turn(number: int, lower: float, upper: float, damping: float, effort: float) -> tuple[Turn, ...]:
    turn = Turn(f"joint{number}", (0, 0, 1), lower, upper, damping=damping, armature=ARMATURE, effort_limit=effort)
    return (turn,)


def _arm() -> list[Segment]:
    return [
        Segment(
            "link0",
            mass=0.629769,
            com=(-0.041018, -0.00014, 0.049974),
            inertia=(0.00315, 0.00388, 0.004285, 8.2904e-7, 0.00015, 8.2299e-6),
        ),
        Segment(
            "link1",
            "link0",
            (0.0, 0.0, 0.333),
            joints=_turn(1, -2.8973, 2.8973, 40.0, 100.0),
            mass=4.970684,
            com=(0.003875, 0.002081, -0.04762),
            inertia=(0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169),
        ),
        Segment(
            "link2",
            "link1",
            orientation=DOWN,
            joints=_turn(2, -1.7628, 1.7628, 40.0, 100.0),
            mass=0.646926,
            com=(-0.003141, -0.02872, 0.003495),
            inertia=(0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704),
        ),
        Segment(
            "link3",
            "link2",
            (0.0, -0.316, 0.0),
            UP,
            joints=_turn(3, -2.8973, 2.8973, 40.0, 100.0),
            mass=3.228604,
            com=(0.027518, 0.039252, -0.066502),
            inertia=(0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805),
        ),
        Segment(
            "link4",
            "link3",
            (0.0825, 0.0, 0.0),
            UP,
            joints=_turn(4, -3.0718, -0.0698, 40.0, 100.0),
            mass=3.587895,
            com=(-0.05317, 0.104419, 0.027454),
            inertia=(0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641),
        ),
        Segment(
            "link5",
            "link4",
            (-0.0825, 0.384, 0.0),
            DOWN,
            joints=_turn(5, -2.8973, 2.8973, 2.0, 12.0),
            mass=1.225946,
            com=(-0.011953, 0.041065, -0.038437),
            inertia=(0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229),
        ),
        Segment(
            "link6",
            "link5",
            orientation=UP,
            joints=_turn(6, -0.0175, 3.7525, 2.0, 12.0),
            mass=1.666555,
            com=(0.060149, -0.014117, -0.010517),
            inertia=(0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341),
        ),
        Segment(
            "link7",
            "link6",
            (0.088, 0.0, 0.0),
            UP,
            joints=_turn(7, -2.8973, 2.8973, 2.0, 12.0),
            mass=0.735522,
            com=(0.010517, -0.004252, 0.061597),
            inertia=(0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741),
        ),
    ]


def _hand() -> list[Segment]:
    eighth = (math.cos(math.pi / 8), 0.0, 0.0, -math.sin(math.pi / 8))
    hand = Shape("capsule", (0.04, 0.06), (0.0, 0.0, 0.03), UP)
    return [
        Segment(
            "hand",
            "link7",
            (0.0, 0.0, 0.107),
            eighth,
            shapes=(hand,),
            mass=0.73,
            com=(-0.01, 0.0, 0.03),
            inertia=(0.001, 0.0025, 0.0017, 0.0, 0.0, 0.0),
        ),
        _finger("left_finger", "finger_joint1", (1.0, 0.0, 0.0, 0.0), ""),
        _finger("right_finger", "finger_joint2", (0.0, 0.0, 0.0, 1.0), "finger_joint1"),
    ]


def _finger(name: str, joint: str, orientation: tuple[float, float, float, float], follows: str) -> Segment:
    pad = Shape("box", (0.00875, 0.0076, 0.00825), (0.0, 0.00758, 0.04525))
    slide = Turn(
        joint,
        (0, 1, 0),
        0.0,
        0.04,
        slides=True,
        damping=10.0,
        armature=ARMATURE,
        effort_limit=200.0,
        follows=follows,
    )
    return Segment(
        name,
        "hand",
        (0.0, 0.0, 0.0584),
        orientation,
        joints=(slide,),
        shapes=(pad,),
        mass=0.015,
        inertia=(2.375e-6, 2.375e-6, 7.5e-7, 0.0, 0.0, 0.0),
    )
