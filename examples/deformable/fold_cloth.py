"""A gripper folds a cloth: it takes the edge that hangs over a table's, and lays it beside the opposite edge.

Prints where the edge lies and how far it is above the other, and by how much the cloth is strained, beside what is
expected.
"""

from __future__ import annotations

import numpy as np
from film import BLUE, STEEL, Figures, Film, arguments

import phalanx as px
from phalanx.images.pictures.picture import Camera
from phalanx.models.robot_model import Body, Joint, RobotModel

LENGTH, WIDTH, THICKNESS = 0.24, 0.16, 2e-3
OVER = 0.03  # m, by how much the cloth hangs over the edge of the table
TABLE = 0.1  # m, its height
SHORT = 0.01  # m, by how much the edge is to end before the other
GRIP = 6.0  # N, of each finger
GAPE = 0.012  # m, of each finger from the middle when they are open


def gripper() -> RobotModel:
    """A carriage that moves along x and z, with two fingers, one above the other, that close along z."""
    finger = px.Shape("box", (0.012, 0.09, 0.003), color=BLUE)
    bodies = [
        Body("base", 1.0, inertia=0.01 * np.eye(3)),
        Body("slide", 0.5, inertia=0.001 * np.eye(3)),
        Body("carriage", 0.5, inertia=0.001 * np.eye(3)),
        Body("wrist", 0.2, inertia=0.001 * np.eye(3), visuals=[px.Shape("box", (0.004, 0.09, 0.004), color=STEEL)]),
        Body("upper", 0.1, inertia=1e-4 * np.eye(3), collisions=[finger], visuals=[finger]),
        Body("lower", 0.1, inertia=1e-4 * np.eye(3), collisions=[finger], visuals=[finger]),
    ]
    joints = [
        Joint("x", "prismatic", "base", "slide", axis=(1, 0, 0), lower=-1.0, upper=1.0, effort_limit=100.0),
        Joint("z", "prismatic", "slide", "carriage", axis=(0, 0, 1), lower=-1.0, upper=1.0, effort_limit=100.0),
        Joint("turn", "revolute", "carriage", "wrist", axis=(0, 1, 0), lower=-3.5, upper=3.5, effort_limit=20.0),
        Joint(
            "close_upper", "prismatic", "wrist", "upper", position=(0, 0, GAPE), axis=(0, 0, -1), lower=0.0, upper=GAPE
        ),
        Joint(
            "close_lower", "prismatic", "wrist", "lower", position=(0, 0, -GAPE), axis=(0, 0, 1), lower=0.0, upper=GAPE
        ),
    ]
    return RobotModel("gripper", bodies, joints)


def main() -> None:
    options = arguments(__doc__)
    world = px.World(dt=0.01)
    table = (0.5 * LENGTH + 0.05 - 0.5 * OVER, 0.15, 0.5 * TABLE)
    world.add_rigid_object(
        px.Shape("box", table, color=(0.62, 0.44, 0.28, 1.0)),
        "table",
        kind="static",
        position=(table[0] + OVER - 0.5 * LENGTH, 0, 0.5 * TABLE),
        friction=0.8,
    )
    world.add_ground()
    cloth = world.add_cloth(
        px.ClothMesh.grid(LENGTH, WIDTH, 20, 14),
        "cloth",
        thickness=THICKNESS,
        position=(0, 0, TABLE + 0.5 * THICKNESS),
        bending_stiffness=2e-5,
        youngs_modulus=2e5,
        density=150.0,
        friction=0.8,
        touches_cloth=True,
    )
    start = (-0.5 * LENGTH, 0, TABLE - 0.002)
    robot = world.add_robot(
        gripper(), "gripper", fixed_base=True, position=start, friction=0.15, friction_combine="min"
    )
    world.build()
    robot.set_drive(stiffness=[4000, 4000, 50, 0, 0], damping=[200, 200, 2, 100, 100])
    camera = Camera((-0.15, -0.75, 0.5), (0.0, 0.0, 0.13))

    with Film(world, options, camera) as film:

        def go(x: float, z: float, turn: float, grip: float, seconds: float) -> None:
            """In so many seconds to where the targets are, with the fingers' force, N."""
            begin = robot.joint_pos[0, :3].copy()
            count = round(seconds / world.dt)
            for n in range(count):
                share = (n + 1) / count
                share = share * share * (3 - 2 * share)
                wanted = begin + share * (np.array([x, z, turn]) - begin)
                robot.set_targets(pos=[*wanted, 0, 0], effort=[0, 0, 0, grip, grip])
                film.step()

        go(0, 0, 0, -GRIP, 0.2)
        go(0, 0, 0, GRIP, 0.3)
        for angle in np.linspace(0, np.pi, 13)[1:]:  # over to the other edge, round the middle of the cloth
            x = 0.5 * (LENGTH - SHORT) * (1 - np.cos(angle))
            go(x, 0.09 * np.sin(angle) + 0.022 * (1 - np.cos(angle)) / 2, min(angle, 3.0), GRIP, 0.1)
            if abs(angle - np.pi * 7 / 12) < 0.01:
                film.picture()
        go(LENGTH - SHORT, 0.022, 3.0, GRIP, 0.1)
        go(LENGTH - SHORT, 0.022, 3.0, -GRIP, 0.4)
        go(LENGTH + 0.06, 0.022, 3.0, -GRIP, 0.5)
        go(LENGTH + 0.06, 0.06, 3.0, -GRIP, 0.7)

    pos = cloth.node_pos[0]
    rest = cloth.mesh.nodes
    upper, lower = (pos[np.isclose(rest[:, 0], side * 0.5 * LENGTH)] for side in (-1, 1))
    edges = cloth.mesh.edges
    lengths = [np.linalg.norm(p[edges[:, 0]] - p[edges[:, 1]], axis=1) for p in (pos, rest)]
    figures = Figures()
    away = (upper - lower)[:, 0].mean()  # the cloth may slide on the table and in the fingers, which nothing corrects
    figures.row("the edge that was held is from the other", 1e3 * away, -1e3 * SHORT, "mm", 20.0)
    figures.row("they are apart in height", 1e3 * (upper - lower)[:, 2].mean(), 1e3 * THICKNESS, "mm", 2.0)
    figures.row("greatest strain of an edge", 100 * np.abs(lengths[0] / lengths[1] - 1).max(), 0.0, "%", 3.0)
    figures.row("the cloth moves yet by", 1e3 * np.abs(cloth.node_vel).max(), 0.0, "mm/s", 20.0)
    figures.end()


if __name__ == "__main__":
    main()
