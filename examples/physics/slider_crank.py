"""A crank drives a slider by a rod: a loop of a motor, two pins and a guide.

Expected: x = r cos(a) + sqrt(l^2 - r^2 sin^2(a)), and the motor's work goes into the parts' motion and comes back.
"""

from __future__ import annotations

import numpy as np
from gallery import COLORS, STEEL, Comparison, picture_argument

import phalanx as px
from phalanx.images.pictures.picture import Camera, render_world
from phalanx.models.robot_model import Body, Joint, RobotModel

CRANK, ROD, SPEED = 0.1, 0.3, 6.0  # m, m, rad/s
RATE, TURNS = 500, 3


def engine() -> RobotModel:
    """A crank about y at the origin and a rod on it; a slider along x, which a loop joint will tie to the rod."""
    bar = np.diag([1e-4, 1e-3, 1e-3])
    bodies = [
        Body("frame", 1.0, visuals=[px.Shape("box", (0.3, 0.01, 0.01), position=(0.25, 0.06, 0.0), color=STEEL)]),
        Body("crank", 1.0, (0.0, 0.0, 0.0), bar, visuals=[piece(CRANK, COLORS[0], 0.0)]),
        Body("rod", 0.5, (ROD / 2, 0.0, 0.0), bar, visuals=[piece(ROD, COLORS[1], -0.03)]),
        Body("slider", 0.5, (0.0, 0.0, 0.0), bar, visuals=[px.Shape("box", (0.04, 0.03, 0.03), color=COLORS[2])]),
    ]
    joints = [
        Joint("motor", "revolute", "frame", "crank", axis=(0.0, -1.0, 0.0)),
        Joint("pin", "revolute", "crank", "rod", (CRANK, 0.0, 0.0), axis=(0.0, -1.0, 0.0)),
        Joint("guide", "prismatic", "frame", "slider", axis=(1.0, 0.0, 0.0)),
    ]
    return RobotModel("engine", bodies, joints)


def piece(length: float, color: tuple[float, float, float, float], aside: float) -> px.Shape:
    return px.Shape("box", (length / 2 + 0.02, 0.012, 0.02), position=(length / 2, aside, 0.0), color=color)


def main() -> None:
    picture = picture_argument(__doc__)
    world = px.World(dtype="float64", dt=1 / RATE)
    robot = world.add_robot(engine(), fixed_base=True, position=(0, 0, 0.3), joint_pos={"guide": CRANK + ROD})
    world.add_joint(
        "revolute", "robot/rod", "robot/slider", position_a=(ROD, 0, 0), position_b=(0, 0, 0), axis=(0, 1, 0)
    )
    world.build()
    motor, guide = robot.joint_index("motor"), robot.joint_index("guide")
    gains = np.zeros(robot.num_dof)
    gains[motor] = 1e4
    robot.set_drive(stiffness=0.0, damping=gains)
    speeds = np.zeros(robot.num_dof)
    speeds[motor] = SPEED
    robot.set_targets(vel=speeds)
    speeds[robot.joint_index("pin")] = -SPEED * (1 + CRANK / ROD)
    robot.set_joint_state(vel=speeds)
    seen, expected, speed = [], [], []
    for _ in range(round(TURNS * 2 * np.pi / SPEED * RATE)):
        world.step()
        q, v = robot.joint_pos[0], robot.joint_vel[0]
        angle = q[motor]
        seen.append(q[guide])
        expected.append(CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2))
        speed.append(v[motor])

    rows = Comparison()
    off = np.abs(np.array(seen) - expected).max()
    rows.row("slider, off the formula by at most", 1e3 * off, 0.0, "mm", 0.05)
    rows.row("stroke", 1e3 * np.ptp(seen), 2e3 * CRANK, "mm", 0.05)
    rows.row("turns of the crank in the time of three", angle / (2 * np.pi), TURNS, "", 0.01)
    rows.row("its speed, at least", min(speed), SPEED, "rad/s", 0.05)
    if picture is not None:
        robot.set_targets(vel=speeds)
        world.step(round(0.16 * 2 * np.pi / SPEED * RATE))
        render_world(
            world, picture, size=(1280, 640), camera=Camera((0.35, -1.2, 0.65), (0.2, 0.0, 0.28), 30.0), ground=0.15
        )
    rows.end()


if __name__ == "__main__":
    main()
