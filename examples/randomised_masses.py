"""Domain randomisation: every environment gets masses of its own, by assigning one field.

A parameter that all environments share is stored once. Giving it an environment axis makes it differ; kernels are
compiled for that case and nothing else changes.
"""

from __future__ import annotations

import argparse

import numpy as np

import phalanx as px
from phalanx.components import LinkInertia
from phalanx.io.formats import library


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--num-envs", type=int, default=256)
    parser.add_argument("--spread", type=float, default=0.5, help="masses differ by up to this share")
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()

    world = px.World(num_envs=options.num_envs)
    world.add_ground()
    robot = world.add_robot("quadruped")
    robot.set_drive(*library.defaults("quadruped").gains(robot.joint_names))

    shared = world[LinkInertia].mass
    print(f"masses as loaded:    {shared.shape}, one value for all environments")
    factor = np.random.default_rng(0).uniform(1 - options.spread, 1 + options.spread, options.num_envs)
    world[LinkInertia].inertia = world[LinkInertia].inertia * factor
    world[LinkInertia].mass = shared * factor
    print(f"masses as assigned:  {world[LinkInertia].mass.shape}, one value for each")

    world.step(round(options.seconds / world.dt))
    height = robot.root_pose[:, 2]
    carried = robot.net_contact_force[:, :, 2].sum(axis=1)
    weight = world[LinkInertia].mass.sum(axis=0) * -world.gravity[2]
    print("\nOn drives of equal stiffness, heavy robots sag:\n       mass      height   force / weight")
    for part in np.array_split(np.argsort(factor), min(8, options.num_envs)):
        mass = weight[part].mean() / -world.gravity[2]
        print(
            f"  {mass:6.2f} kg   {height[part].mean() * 1e3:5.1f} mm     {np.mean(carried[part] / weight[part]):5.3f}"
            f"     {'#' * max(0, round(4e3 * (height[part].mean() - height.min())))}"
        )


if __name__ == "__main__":
    main()
