"""A gripper lifts soft cubes: friction holds them where 2 mu F exceeds the weight, and they give way by F / (A E).

Environments differ in friction and in Young's modulus. The fingers are larger than the faces of the cubes, and
Poisson's ratio is 0, so that the cubes are rods under the force of the fingers. Prints by how much they are shorter,
what the drive of the lift carries, and which cubes are held, beside what is expected.
"""

from __future__ import annotations

import numpy as np
from film import BLUE, STEEL, Figures, Film, arguments

import phalanx as px
from phalanx.images.pictures.picture import Camera
from phalanx.models.robot_model import Body, Joint, RobotModel

GRAVITY, HALF, DENSITY = 9.81, 0.03, 1000.0
GRIP = 8.0  # N, of each finger
FRICTION = np.array([0.5, 0.5, 0.2, 0.08])
YOUNG = np.array([3e4, 1e5, 1e5, 1e5])
LIFT = 2000.0  # N/m, of the lift's drive


def gripper() -> RobotModel:
    """A carriage that goes up and down, with two fingers that close along y."""
    finger = px.Shape("box", (0.035, 0.008, 0.035), color=BLUE)
    bar = px.Shape("box", (0.02, 0.1, 0.01), position=(0.0, 0.0, 0.06), color=STEEL)
    arms = [px.Shape("box", (0.01, 0.006, 0.02), position=(0.0, 0.0, 0.045), color=STEEL)]
    bodies = [
        Body("base", 1.0, inertia=0.01 * np.eye(3)),
        Body("carriage", 0.5, inertia=0.001 * np.eye(3), visuals=[bar]),
        Body("left", 0.1, inertia=1e-4 * np.eye(3), collisions=[finger], visuals=[finger, *arms]),
        Body("right", 0.1, inertia=1e-4 * np.eye(3), collisions=[finger], visuals=[finger, *arms]),
    ]
    joints = [
        Joint("lift", "prismatic", "base", "carriage", axis=(0, 0, 1), lower=-0.1, upper=0.5, effort_limit=100.0),
        Joint("close_left", "prismatic", "carriage", "left", position=(0, 0.07, 0), axis=(0, -1, 0), upper=0.06),
        Joint("close_right", "prismatic", "carriage", "right", position=(0, -0.07, 0), axis=(0, 1, 0), upper=0.06),
    ]
    return RobotModel("gripper", bodies, joints)


def main() -> None:
    options = arguments(__doc__)
    world = px.World(num_envs=len(FRICTION), dt=0.01)
    world.add_ground(friction=0.5)
    robot = world.add_robot(gripper(), "gripper", fixed_base=True, position=(0, 0, 0.04), friction=1.0)
    cube = world.add_soft_body(
        px.Shape("box", (HALF, HALF, HALF)),
        "cube",
        resolution=5,
        position=(0, 0, HALF),
        poissons_ratio=0.0,
        density=DENSITY,
        friction_combine="min",
    )
    world.build()
    cube.set_elasticity(YOUNG)
    cube.set_friction(FRICTION)
    robot.set_drive(stiffness=[LIFT, 0.0, 0.0], damping=[200.0, 10.0, 10.0])
    effort = [0.0, GRIP, GRIP]
    faces = [np.isclose(cube.mesh.nodes[:, 1], side * HALF) for side in (-1, 1)]
    camera = Camera((0.55, 0.5, 0.3), (0.0, 0.0, 0.1))
    with Film(world, options, camera) as film:
        for _ in range(50):
            robot.set_targets(pos=[0.0, 0.0, 0.0], effort=effort)
            film.step()
        for n in range(100):
            share = (n + 1) / 100
            robot.set_targets(pos=[0.12 * share * share * (3 - 2 * share), 0.0, 0.0], effort=effort)
            film.step()
        for _ in range(90):
            film.step()
        film.picture()
        pos = cube.node_pos
        width = pos[:, faces[1], 1].mean(axis=1) - pos[:, faces[0], 1].mean(axis=1)
        load = LIFT * (0.12 - robot.joint_pos[:, 0])
        height = pos[..., 2].mean(axis=1)
        for _ in range(50):
            robot.set_targets(pos=[0.12, 0.0, 0.0], effort=[0.0, -GRIP / 4, -GRIP / 4])
            film.step()

    weight = DENSITY * (2 * HALF) ** 3 * GRAVITY
    hand = 0.7 * GRAVITY
    figures = Figures()
    for env, (mu, young) in enumerate(zip(FRICTION, YOUNG, strict=True)):
        holds = 2 * mu * GRIP > weight
        title = f"mu {mu:.2f}, E {young / 1e3:3.0f} kPa: "
        figures.row(title + "height", 1e3 * height[env], 1e3 * (HALF + 0.12 if holds else HALF), "mm", 8.0)
        if holds:
            shorter = GRIP * 2 * HALF / ((2 * HALF) ** 2 * young)
            figures.row(title + "shorter by", 1e3 * (2 * HALF - width[env]), 1e3 * shorter, "mm", 80 * shorter)
            figures.row(title + "the lift carries", load[env], hand + weight, "N", 0.05)
    down = cube.node_pos[..., 2].mean(axis=1)
    figures.row("heights once they are let go, on average", 1e3 * down.mean(), 1e3 * HALF, "mm", 1.0)
    figures.end()


if __name__ == "__main__":
    main()
