"""A gripper takes a cup of grains by its sides, lifts it, carries it over a tray that stands on a scale, and pours.

Friction alone holds the cup. Prints what the drive of the lift carries before it pours, how far the cup slipped in the
fingers, how many grains reach the tray, and the mass in the tray by what the scale shows and by counting grains, beside
what is expected.
"""

from __future__ import annotations

import numpy as np
from film import BLUE, GREEN, STEEL, Figures, Film, arguments

import phalanx as px
from phalanx.images.pictures.picture import Camera
from phalanx.models.robot_model import Body, Joint, RobotModel

GRAVITY = 9.81
RADIUS, DENSITY, LAYERS = 0.006, 2500.0, 7
CUP, DEEP, THICK = 0.035, 0.09, 0.004  # m: half of the cup's width, its depth, and half of its walls
CUP_MASS, GRIP = 0.2, 30.0  # kg; N, of each finger
TRAY = 0.09  # m, half of its width
SPRING, LIFT = 500.0, 5000.0  # N/m, of the scale and of the drive of the lift
STAND = np.array([-0.24, 0.0, 0.08])  # m: the middle of the top of what the cup stands on
HIGH, FAR = 0.12, 0.18  # m: how high the cup is lifted, and how far it is carried
GRASP = 0.055  # m above the bottom of the inside of the cup, where the fingers hold it: above its centre of mass


def open_box(half: float, deep: float, color: tuple[float, float, float, float]) -> list[px.Shape]:
    """A floor and four walls; the inside of the floor is the origin."""
    wall, outside = 0.5 * deep, half + THICK
    shapes = [px.Shape("box", (outside + THICK, outside + THICK, THICK), position=(0, 0, -THICK), color=color)]
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        size = (THICK if x else outside + THICK, THICK if y else outside + THICK, wall)
        shapes.append(px.Shape("box", size, position=(x * outside, y * outside, wall), color=color))
    return shapes


def gripper() -> RobotModel:
    """A carriage that goes up and along x, a wrist that turns about y, and two fingers that close along y."""
    pad = px.Shape("box", (0.03, 0.006, 0.03), color=GREEN)
    bar = px.Shape("box", (0.01, 0.09, 0.008), position=(-0.06, 0, 0), color=STEEL)
    arm = px.Shape("box", (0.035, 0.004, 0.008), position=(-0.03, 0, 0), color=STEEL)
    bodies = [
        Body("base", 1.0, inertia=0.01 * np.eye(3)),
        Body("carriage", 0.5, inertia=1e-3 * np.eye(3)),
        Body("slide", 0.5, inertia=1e-3 * np.eye(3)),
        Body("wrist", 0.2, inertia=5e-4 * np.eye(3), visuals=[bar]),
        Body("left", 0.1, inertia=1e-4 * np.eye(3), collisions=[pad], visuals=[pad, arm]),
        Body("right", 0.1, inertia=1e-4 * np.eye(3), collisions=[pad], visuals=[pad, arm]),
    ]
    open_ = CUP + 2 * THICK + 0.006 + 0.01
    joints = [
        Joint("lift", "prismatic", "base", "carriage", axis=(0, 0, 1), lower=-0.1, upper=0.5),
        Joint("carry", "prismatic", "carriage", "slide", axis=(1, 0, 0), lower=-0.1, upper=0.5),
        Joint("tilt", "revolute", "slide", "wrist", axis=(0, 1, 0), lower=-0.5, upper=3.0),
        Joint("close_left", "prismatic", "wrist", "left", position=(0, open_, 0), axis=(0, -1, 0), upper=0.06),
        Joint("close_right", "prismatic", "wrist", "right", position=(0, -open_, 0), axis=(0, 1, 0), upper=0.06),
    ]
    return RobotModel("gripper", bodies, joints)


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
    stand = px.Shape("box", (0.05, 0.05, 0.5 * STAND[2]), color=STEEL)
    world.add_rigid_object(stand, "stand", kind="static", position=(STAND[0], 0, 0.5 * STAND[2]))
    floor = STAND + (0, 0, 2 * THICK)
    cup = world.add_rigid_object(open_box(CUP, DEEP, BLUE), "cup", mass=CUP_MASS, position=tuple(floor), friction=0.8)
    at = tuple(floor + (0, 0, GRASP))
    robot = world.add_robot(gripper(), "robot", fixed_base=True, position=at, friction=0.8)
    tray = world.add_robot(scale(), "scale", fixed_base=True, position=(0, 0, 0.04), friction=0.5)
    points = px.PointSet.grid((5, 5, LAYERS), 2.02 * RADIUS, jitter=0.05 * RADIUS)
    middle = floor + (0, 0, 0.5 * LAYERS * 2.02 * RADIUS + RADIUS)
    grains = world.add_particles(
        points, "grains", radius=RADIUS, density=DENSITY, friction=0.4, rolling_friction=0.05, position=tuple(middle)
    )
    world.build()
    robot.set_drive(stiffness=[LIFT, LIFT, 200.0, 0.0, 0.0], damping=[300.0, 300.0, 10.0, 10.0, 10.0])
    tray.set_drive(stiffness=[SPRING], damping=[20.0])
    mass = float(grains.node_mass[0].sum())
    camera = Camera((0.2, -0.75, 0.55), (-0.06, 0.0, 0.12))
    place = np.zeros(3)

    with Film(world, options, camera) as film:

        def go(*goal: float, seconds: float) -> None:
            """Lift, carry and tilt to these in so many seconds, with the grip closed."""
            begin, count = place.copy(), round(seconds / world.dt)
            for n in range(count):
                share = (n + 1) / count
                place[:] = begin + share * share * (3 - 2 * share) * (goal - begin)
                robot.set_targets(pos=[*place, 0.0, 0.0], effort=[0.0, 0.0, 0.0, GRIP, GRIP])
                film.step()

        def held() -> float:
            """Height of the cup above the fingers, m."""
            return float(cup.root_pose[0, 2] - robot.body_pose[0, robot.body_index("wrist"), 2])

        go(0, 0, 0, seconds=0.5)
        before = held()
        go(HIGH, 0, 0, seconds=0.8)
        go(HIGH, 0, 0, seconds=0.5)
        load, slipped = LIFT * (HIGH - float(robot.joint_pos[0, 0])), held() - before
        rest = float(tray.joint_pos[0, 0])
        go(HIGH, FAR, 0, seconds=0.8)
        go(HIGH, FAR, 1.4, seconds=0.8)
        go(HIGH, FAR, 1.85, seconds=0.5)
        film.picture()
        go(HIGH, FAR, 2.4, seconds=0.5)
        go(HIGH, FAR, 2.4, seconds=0.7)
        go(HIGH, FAR, 0.0, seconds=0.8)
        go(HIGH, FAR, 0.0, seconds=0.4)

    pos = grains.node_pos[0]
    inside = (np.abs(pos[:, :2]) < TRAY + 2 * THICK).all(axis=1) & (pos[:, 2] < 0.12)
    poured = mass * float(inside.mean())
    shown = SPRING * (rest - float(tray.joint_pos[0, 0])) / GRAVITY
    apart = np.linalg.norm(pos[:, None] - pos, axis=2) + 10 * RADIUS * np.eye(len(pos))
    figures = Figures()
    weight = GRAVITY * (1.4 + CUP_MASS + mass)  # carriage, slide, wrist and fingers have 1.4 kg
    figures.row("the lift carries", load, weight, "N", 0.01 * weight)
    figures.row("the cup slips by", -1e3 * slipped, 0.0, "mm", 1.0)
    figures.row("grains in the tray", inside.sum(), len(pos), "", 2)
    figures.row("the scale shows", 1e3 * shown, 1e3 * poured, "g", 1.0)
    figures.row("deepest overlap of grains", 100 * (1 - apart.min() / (2 * RADIUS)), 0.0, "%", 2.0)
    figures.end()


if __name__ == "__main__":
    main()
