"""A gripper lifts a block by friction alone: it holds where 2 mu F exceeds the weight, and slips where it does not.

Every environment has its own coefficient of friction. A contact view reports the force of each finger on the block;
what holds it must be its weight, and no finger may hold more than Coulomb's law allows.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import phalanx as px
from phalanx.images.pictures.picture import render_world
from phalanx.models.robot_model import Body, Joint, RobotModel

GRAVITY = 9.81
MASS = 0.2  # kg, of the block
GRIP = 4.0  # N, of each finger


def gripper() -> RobotModel:
    """A carriage that goes up and down, with two fingers that close along y; fixed base."""
    finger = px.Shape("box", (0.02, 0.01, 0.04), color=(0.91, 0.51, 0.23, 1.0))
    bar = px.Shape("box", (0.02, 0.12, 0.01), position=(0.0, 0.0, 0.06))
    bodies = [
        Body("base", 1.0, inertia=0.01 * np.eye(3)),
        Body("carriage", 0.5, inertia=0.001 * np.eye(3), visuals=[bar]),
        Body("left", 0.1, inertia=1e-4 * np.eye(3), collisions=[finger], visuals=[finger]),
        Body("right", 0.1, inertia=1e-4 * np.eye(3), collisions=[finger], visuals=[finger]),
    ]
    joints = [
        Joint("lift", "prismatic", "base", "carriage", axis=(0, 0, 1), lower=-0.1, upper=0.5, effort_limit=100.0),
        Joint("close_left", "prismatic", "carriage", "left", position=(0, 0.08, 0), axis=(0, -1, 0), upper=0.06),
        Joint("close_right", "prismatic", "carriage", "right", position=(0, -0.08, 0), axis=(0, 1, 0), upper=0.06),
    ]
    return RobotModel("gripper", bodies, joints)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--num-envs", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long to hold, simulated")
    parser.add_argument("--picture", type=Path, help="draw all environments to this file")
    options = parser.parse_args()

    world = px.World(num_envs=options.num_envs, dt=1 / 240)
    world.add_ground()
    robot = world.add_robot(gripper(), name="gripper", fixed_base=True, position=(0, 0, 0.05), friction=1.0)
    color = (0.36, 0.56, 0.69, 1.0)
    cube = px.Shape("box", (0.03, 0.03, 0.03), color=color)
    block = world.add_rigid_object(cube, "block", mass=MASS, position=(0, 0, 0.03), friction_combine="min")
    fingers = world.contact_view("block", ["gripper/left", "gripper/right"])

    friction = np.linspace(0.1, 0.5, options.num_envs)
    block.set_material(friction[:, None], friction[:, None])
    robot.set_drive(stiffness=[2000.0, 0.0, 0.0], damping=[200.0, 5.0, 5.0])
    effort = [0.0, GRIP, GRIP]
    robot.set_targets(effort=effort)
    world.step(60)  # close
    for share in np.linspace(0.0, 1.0, 120):
        height = 0.2 * share * share * (3.0 - 2.0 * share)  # at most 0.3 m/s^2: what slips, slips under its weight
        robot.set_targets(pos=[height, 0.0, 0.0], effort=effort)
        world.step(4)
    world.step(round(options.seconds / world.dt))

    force, normal = fingers.force_matrix()[:, 0], fingers.force_matrix(normal_only=True)[:, 0]
    weight = MASS * GRAVITY
    print(
        f"A block of {weight:.2f} N between fingers that press with {GRIP:g} N; the law: held from mu = "
        f"{weight / (2 * GRIP):.3f} on.\n"
    )
    print("    mu    height   fingers press   they carry   it is      by the law")
    for env, mu in enumerate(friction):
        up = block.root_pose[env, 2]
        presses = np.linalg.norm(normal[env], axis=1).mean()
        carry = force[env, :, 2].sum()
        is_, law = ("held" if held else "slipped" for held in (up > 0.15, 2 * mu * GRIP > weight))
        print(f"{mu:6.3f} {1e3 * up:6.0f} mm {presses:12.2f} N {carry:10.3f} N   {is_:<9s}  {law}")
    if options.picture is not None:
        render_world(world, options.picture)
        print(f"\nLeft {options.picture}.")


if __name__ == "__main__":
    main()
