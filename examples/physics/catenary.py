"""A chain of thirty rods hangs between two points, and comes to rest as a catenary.

Expected: y = a cosh(x / a), whose a follows from length and span; its ends pull with the weight of half the chain
upwards, and with a w along it, w the weight of a metre.
"""

from __future__ import annotations

import numpy as np
from gallery import STEEL, Comparison, picture_argument
from scipy.optimize import brentq

import phalanx as px
from phalanx.images.pictures.picture import Camera, render_world
from phalanx.models.robot_model import Body, Joint, RobotModel

RODS, LENGTH, SPAN, GRAVITY = 30, 2.0, 1.2, 9.81  # m
MASS = 0.4  # kg, of the whole chain
DAMPING = 4e-3  # N m s/rad, of a hinge


def chain() -> RobotModel:
    """Rods on hinges, from x = 0 on."""
    each, mass = LENGTH / RODS, MASS / RODS
    inertia = np.diag([1e-7, mass * each**2 / 12, mass * each**2 / 12])
    turned = (0.7071067811865476, 0.0, 0.7071067811865476, 0.0)
    shape = px.Shape("capsule", (0.012, 0.35 * each), (each / 2, 0.0, 0.0), turned, color=STEEL)
    bodies = [Body("hook", 1.0)]
    bodies += [Body(f"rod{n}", mass, (each / 2, 0.0, 0.0), inertia, visuals=[shape]) for n in range(RODS)]
    joints = [
        Joint(
            f"joint{n}",
            "revolute",
            bodies[n].name,
            f"rod{n}",
            (each if n else 0.0, 0.0, 0.0),
            axis=(0.0, 1.0, 0.0),
            damping=DAMPING,
        )
        for n in range(RODS)
    ]
    return RobotModel("chain", bodies, joints)


def main() -> None:
    picture = picture_argument(__doc__)
    world = px.World(dtype="float64", dt=1 / 250)
    # bent into a V, so that its end is where it will be held
    dip = float(np.arccos(SPAN / LENGTH))
    start = {"joint0": dip, f"joint{RODS // 2}": -2 * dip}
    robot = world.add_robot(chain(), fixed_base=True, position=(0, 0, 1.2), joint_pos=start)
    held = world.add_joint(
        "spherical", f"robot/rod{RODS - 1}", position_a=(LENGTH / RODS, 0, 0), position_b=(SPAN, 0, 1.2)
    )
    world.build()
    robot.set_drive(stiffness=0.0, damping=0.0)
    world.step(250 * 12)

    a = brentq(lambda a: 2 * a * np.sinh(SPAN / (2 * a)) - LENGTH, 0.05, 5.0)
    assert isinstance(a, float)
    pose = robot.body_pose[0, 1:]
    deepest = 1.2 - pose[:, 2].min()
    x = pose[:, 0] - SPAN / 2
    line = a * np.cosh(x / a) - a * np.cosh(SPAN / (2 * a)) + 1.2
    force = held.wrench[0, :3]
    rows = Comparison()
    rows.row("sag", deepest, a * (np.cosh(SPAN / (2 * a)) - 1), "m", 2e-3)
    rows.row("pins, off the curve by at most", 1e3 * np.abs(pose[:, 2] - line).max(), 0.0, "mm", 3.0)
    rows.row("pull of an end upwards", force[2], MASS * GRAVITY / 2, "N", 0.01)
    rows.row("pull of an end along", abs(force[0]), a * MASS / LENGTH * GRAVITY, "N", 0.01)
    if picture is not None:
        render_world(
            world,
            picture,
            size=(1280, 720),
            camera=Camera((SPAN / 2, -3.2, 0.9), (SPAN / 2, 0.0, 0.75), 27.0),
            ground=0.0,
        )
    rows.end()


if __name__ == "__main__":
    main()
