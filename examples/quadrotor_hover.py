"""Quadrotors fly to targets of their own: forces on a free body, and a controller in NumPy over all of them at once.

Thrust acts along the body's z axis. The outer loop asks for an acceleration, the inner one turns the body so that its
thrust points there (after Lee, Leok and McClamroch, Geometric tracking control of a quadrotor on SE(3), 2010).
"""

from __future__ import annotations

import argparse

import numpy as np

import phalanx as px
from phalanx.maths.arrays import matrix

CONTROL_STEPS = 2
GRAVITY = np.array([0.0, 0.0, 9.81])


def control(robot: px.Robot, target: np.ndarray, inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Force and torque in the world (n, 3 each) that bring the robots to ``target`` (n, 3)."""
    pose, vel = robot.root_pose.astype(float), robot.root_vel.astype(float)
    turned = matrix(pose[:, 3:])
    error = np.clip(target - pose[:, :3], -1.0, 1.0)
    wanted = robot.mass * (6.0 * error - 4.0 * vel[:, :3] + GRAVITY)
    up = wanted / np.linalg.norm(wanted, axis=1, keepdims=True)
    y = np.cross(up, [1.0, 0.0, 0.0])
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    goal = np.stack([np.cross(y, up), y, up], axis=2)
    off = np.einsum("nji,njk->nik", goal, turned) - np.einsum("nji,njk->nik", turned, goal)
    lean = 0.5 * np.stack([off[:, 2, 1], off[:, 0, 2], off[:, 1, 0]], axis=1)
    spin = np.einsum("nji,nj->ni", turned, vel[:, 3:])
    torque = inertia * (-400.0 * lean - 40.0 * spin)
    thrust = np.maximum(0.0, np.einsum("ni,ni->n", wanted, turned[:, :, 2]))
    return thrust[:, None] * turned[:, :, 2], np.einsum("nij,nj->ni", turned, torque)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--num-envs", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()

    world = px.World(num_envs=options.num_envs, dt=0.005)
    world.add_ground()
    robot = world.add_robot("quadrotor")
    inertia = np.diag(robot.model.bodies[0].inertia)
    rng = np.random.default_rng(0)
    target = rng.uniform([-1, -1, 0.5], [1, 1, 2.0], (options.num_envs, 3))

    print("   time   mean distance   farthest   steepest lean")
    while world.time < options.seconds - 1e-9:
        for _ in range(round(0.5 / world.dt / CONTROL_STEPS)):
            force, torque = control(robot, target, inertia)
            robot.set_external_wrench(force, torque)
            world.step(CONTROL_STEPS)
        away = np.linalg.norm(robot.root_pose[:, :3] - target, axis=1)
        lean = np.degrees(np.arccos(np.clip(matrix(robot.root_pose[:, 3:])[:, 2, 2], -1, 1)))
        distances = f"{away.mean() * 100:7.2f} cm   {away.max() * 100:6.2f} cm"
        print(f"  {world.time:4.1f} s     {distances}      {lean.max():5.1f} deg")


if __name__ == "__main__":
    main()
