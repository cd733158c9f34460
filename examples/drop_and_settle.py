"""A humanoid without power falls and comes to rest; the forces under it then add up to its weight."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import phalanx as px
from phalanx.images.pictures.picture import render_world


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=16, help="each falls from a pose of its own")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--picture", type=Path, help="save a picture of all of them, e.g. heap.png")
    options = parser.parse_args()

    world = px.World(num_envs=options.num_envs, dt=0.004)
    world.add_ground(friction=0.8)
    robot = world.add_robot("humanoid", visuals=options.picture is not None)
    robot.set_drive(damping=2.0)  # limp, with a little friction in the joints
    rng = np.random.default_rng(0)
    robot.set_joint_state(pos=robot.joint_pos + rng.uniform(-0.1, 0.1, robot.joint_pos.shape))

    weight = robot.mass * -world.gravity[2]
    print(f"{robot.mass:.0f} kg, {robot.num_dof} joints, {options.num_envs} falls\n")
    print("   time   height   fastest joint   force / weight")
    while world.time < options.seconds - 1e-9:
        world.step(round(0.5 / world.dt))
        force = robot.net_contact_force[:, :, 2].sum(axis=1)
        print(
            f"  {world.time:4.1f} s  {robot.root_pose[:, 2].mean():5.2f} m   {np.abs(robot.joint_vel).max():6.2f} rad/s"
            f"     {force.mean() / weight:6.3f}"
        )
    print("\nWhat carries environment 0:")
    forces = robot.net_contact_force[0]
    for i in np.argsort(-forces[:, 2]):
        if forces[i, 2] > 0.005 * weight:
            print(f"  {robot.body_names[i]:24s} {forces[i, 2]:6.1f} N  {'#' * round(40 * forces[i, 2] / weight)}")
    if options.picture:
        render_world(world, options.picture)
        print(f"\nLeft {options.picture}.")


if __name__ == "__main__":
    main()
