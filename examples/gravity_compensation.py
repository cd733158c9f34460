"""An arm that floats: its motors carry its weight and nothing else, so it stays where it is put, and yields to a push.

Two environments of one world: in the first the efforts are ``gravity_force()``, in the second there are none.
"""

from __future__ import annotations

import argparse

import numpy as np

import phalanx as px

CONTROL_STEPS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()

    world = px.World(num_envs=2, dt=0.002)
    robot = world.add_robot("arm")
    robot.set_drive(damping=0.5)
    hand = robot.body_index("hand")
    start = robot.body_pose[:, hand, :3]
    floats = np.array([[1.0], [0.0]])

    print("   time   floating hand moved   limp hand moved")
    for tenth in range(1, 11):
        push = 4.0 if tenth == 3 else 0.0
        robot.set_external_wrench(force=[0.0, push, 0.0], body="hand")
        for _ in range(round(0.1 * options.seconds / world.dt / CONTROL_STEPS)):
            robot.set_targets(effort=floats * robot.gravity_force())
            world.step(CONTROL_STEPS)
        moved = 1e3 * np.linalg.norm(robot.body_pose[:, hand, :3] - start, axis=1)
        note = f"   pushed sideways with {push:.0f} N" if push else ""
        print(f"  {world.time:4.1f} s        {moved[0]:7.1f} mm        {moved[1]:7.1f} mm{note}")
    weights = robot.gravity_force()[0]
    print("\nWhat floating takes now, in N m:")
    for name, effort in zip(robot.joint_names, weights, strict=True):
        print(f"  {name:22s} {effort:7.2f}")


if __name__ == "__main__":
    main()
