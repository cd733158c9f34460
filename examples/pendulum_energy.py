"""A double pendulum swings without friction: what becomes of its energy.

Semi-implicit Euler is of first order: half the step, half the error.
"""

from __future__ import annotations

import argparse

import numpy as np

import phalanx as px
from phalanx.maths.arrays import matrix


def energy(robot: px.Robot) -> float:
    """Kinetic and potential energy of environment 0, in J."""
    v = robot.joint_vel[0]
    total = 0.5 * v @ robot.mass_matrix()[0] @ v
    bodies = {body.name: body for body in robot.model.bodies}
    for name, pose in zip(robot.body_names, robot.body_pose[0], strict=True):
        com = pose[:3] + matrix(pose[3:]) @ bodies[name].com
        total -= bodies[name].mass * np.dot(robot.world.gravity, com)
    return float(total)


def drift(dt: float, seconds: float) -> tuple[float, float]:
    """Largest deviation from the initial energy in the first and in the second half."""
    world = px.World(dtype="float64", dt=dt)
    robot = world.add_robot("double_pendulum")
    start = energy(robot)
    errors = []
    for _ in range(round(seconds / 0.02)):
        world.step(round(0.02 / dt))
        errors.append(abs(energy(robot) - start))
    half = len(errors) // 2
    return max(errors[:half]), max(errors[half:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()

    print("     dt       first half    second half    error of the step before / this one")
    last = 0.0
    for dt in (0.004, 0.002, 0.001, 0.0005):
        first, second = drift(dt, options.seconds)
        ratio = f"{last / first:5.2f}" if last else ""
        print(f"  {dt * 1e3:4.1f} ms    {first:8.5f} J     {second:8.5f} J    {ratio}")
        last = first


if __name__ == "__main__":
    main()
