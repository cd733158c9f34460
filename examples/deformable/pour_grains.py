"""A robot tilts a cup and pours grains into a tray that stands on a scale.

Prints the torque that the cup's hinge bears before, how many grains reach the tray, and the mass in the tray by what
the scale shows and by counting grains, beside what is expected.
"""

from __future__ import annotations

import numpy as np
from film import BLUE, STEEL, Figures, Film, arguments

import phalanx as px
from phalanx.images.pictures.picture import Camera
from phalanx.models.robot_model import Body, Joint, RobotModel

GRAVITY = 9.81
RADIUS, DENSITY, LAYERS = 0.006, 2500.0, 7
CUP, DEEP, THICK = 0.035, 0.09, 0.004  # m: half of the cup's width, its depth, and half of its walls
TRAY = 0.09  # m, half of its width
SPRING = 500.0  # N/m, of the scale
HINGE = np.array([-0.06, 0.0, 0.2])  # m, where the cup turns


def open_box(half: float, deep: float, color: tuple[float, float, float, float]) -> list[px.Shape]:
    """A floor and four walls; the inside of the floor is the origin."""
    wall, outside = 0.5 * deep, half + THICK
    shapes = [px.Shape("box", (outside + THICK, outside + THICK, THICK), position=(0, 0, -THICK), color=color)]
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        size = (THICK if x else outside + THICK, THICK if y else outside + THICK, wall)
        shapes.append(px.Shape("box", size, position=(x * outside, y * outside, wall), color=color))
    return shapes


def cup() -> RobotModel:
    """A cup on a hinge along y, which is at its rim."""
    shapes = [
        px.Shape(s.kind, s.size, position=(s.position[0] - CUP, s.position[1], s.position[2] - DEEP), color=s.color)
        for s in open_box(CUP, DEEP, BLUE)
    ]
    bodies = [
        Body("base", 1.0, inertia=0.01 * np.eye(3)),
        Body("cup", 0.2, com=(-CUP, 0, -0.5 * DEEP), inertia=5e-4 * np.eye(3), collisions=shapes, visuals=shapes),
    ]
    return RobotModel(
        "pourer", bodies, [Joint("tilt", "revolute", "base", "cup", axis=(0, 1, 0), lower=-0.1, upper=2.5)]
    )


def scale() -> RobotModel:
    """A tray on a spring."""
    shapes = open_box(TRAY, 0.04, STEEL)
    bodies = [
        Body("base", 1.0, inertia=0.01 * np.eye(3)),
        Body("tray", 0.3, inertia=1e-3 * np.eye(3), collisions=shapes, visuals=shapes),
    ]
    return RobotModel("scale", bodies, [Joint("way", "prismatic", "base", "tray", axis=(0, 0, 1))])


def main() -> None:
    options = arguments(__doc__)
    world = px.World(dt=0.01)
    world.add_ground()
    robot = world.add_robot(cup(), "robot", fixed_base=True, position=tuple(HINGE), friction=0.3)
    tray = world.add_robot(scale(), "scale", fixed_base=True, position=(0, 0, 0.04), friction=0.5)
    points = px.PointSet.grid((5, 5, LAYERS), 2.02 * RADIUS, jitter=0.05 * RADIUS)
    middle = HINGE + (-CUP, 0, 0.5 * LAYERS * 2.02 * RADIUS + RADIUS - DEEP)
    grains = world.add_particles(
        points, "grains", radius=RADIUS, density=DENSITY, friction=0.4, rolling_friction=0.05, position=tuple(middle)
    )
    world.build()
    robot.set_drive(stiffness=[200.0], damping=[10.0])
    tray.set_drive(stiffness=[SPRING], damping=[20.0])
    mass = float(grains.node_mass[0].sum())
    camera = Camera((0.22, -0.6, 0.5), (-0.03, 0.0, 0.1))

    with Film(world, options, camera) as film:

        def go(angle: float, seconds: float) -> None:
            """Tilt to an angle in so many seconds."""
            begin = float(robot.joint_pos[0, 0])
            count = round(seconds / world.dt)
            for n in range(count):
                share = (n + 1) / count
                robot.set_targets(pos=[begin + share * (angle - begin)])
                film.step()

        go(0.0, 0.5)
        torque = 200.0 * (0.0 - float(robot.joint_pos[0, 0]))
        lever = float((HINGE[0] - grains.node_pos[0, :, 0]).mean())
        rest = float(tray.joint_pos[0, 0])
        go(1.4, 1.0)
        go(1.85, 0.4)
        film.picture()
        go(2.3, 0.4)
        go(2.3, 0.7)
        go(0.3, 0.5)
        go(0.3, 0.5)

    pos = grains.node_pos[0]
    inside = (np.abs(pos[:, :2]) < TRAY + 2 * THICK).all(axis=1) & (pos[:, 2] < 0.12)
    poured = mass * float(inside.mean())
    shown = SPRING * (rest - float(tray.joint_pos[0, 0])) / GRAVITY
    apart = np.linalg.norm(pos[:, None] - pos, axis=2) + 10 * RADIUS * np.eye(len(pos))
    figures = Figures()
    weight = GRAVITY * (0.2 * CUP + mass * lever)
    figures.row("the hinge bore before", torque, weight, "N m", 0.02 * weight)
    figures.row("grains in the tray", inside.sum(), len(pos), "", 2)
    figures.row("the scale shows", 1e3 * shown, 1e3 * poured, "g", 1.0)
    figures.row("deepest overlap of grains", 100 * (1 - apart.min() / (2 * RADIUS)), 0.0, "%", 2.0)
    figures.end()


if __name__ == "__main__":
    main()
