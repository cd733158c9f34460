"""A race of 64 quadrupeds with 64 gaits: the best trot goes farthest.

Every environment trots with its own frequency and stride, all of them in one world on the CPU. Leaves ``demo.zarr``, a
recording that xarray opens and ``phalanx replay demo.zarr --verify`` repeats to the bit, and ``demo.png``, the finish.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import phalanx as px
from phalanx.images.pictures.picture import render_world
from phalanx.io.formats import library

CONTROL_STEPS = 4  # new targets every so many steps of 5 ms
DIAGONAL = {"FL": 0.0, "RR": 0.0, "FR": 0.5, "RL": 0.5}  # share of a cycle by which a leg is late


def trot(robot: px.Robot, frequency: np.ndarray, stride: np.ndarray, seconds: float) -> np.ndarray:
    """Joint targets (n, num_dof): thighs swing, and the leg that swings forward is lifted."""
    targets = np.tile(robot.default_joint_pos, (len(frequency), 1))
    start = min(1.0, seconds / 0.5)
    for leg, late in DIAGONAL.items():
        cycle = 2 * np.pi * (frequency * seconds + late)
        lift = start * np.maximum(0.0, np.cos(cycle))
        targets[:, robot.joint_index(f"{leg}_thigh_joint")] += 0.25 * lift - start * stride * np.sin(cycle)
        targets[:, robot.joint_index(f"{leg}_calf_joint")] -= 0.5 * lift
    return targets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=6.0, help="simulated time")
    parser.add_argument("--folder", type=Path, default=Path(), help="where demo.zarr and demo.png go")
    options = parser.parse_args()

    print("Compiling what is not in the kernel cache yet ...", flush=True)
    world = px.World(num_envs=options.num_envs, dt=0.005)
    world.add_ground()
    robot = world.add_robot("quadruped", visuals=True)
    robot.set_drive(*library.defaults("quadruped").gains(robot.joint_names))
    columns = max(1, round(options.num_envs**0.5))
    env = np.arange(options.num_envs)
    frequency = 1.0 + 2.5 * (env % columns) / max(1, columns - 1)  # Hz
    stride = 0.05 + 0.3 * (env // columns) / max(1, (options.num_envs - 1) // columns)  # rad
    began = time.perf_counter()
    world.step(CONTROL_STEPS)
    print(f"First steps after {time.perf_counter() - began:.1f} s.")
    world.reset()

    began, from_step = time.perf_counter(), world.step_count
    recording = options.folder / "demo.zarr"
    with px.Recorder(world, recording, every=CONTROL_STEPS, overwrite=True):
        for i in range(round(options.seconds / world.dt / CONTROL_STEPS)):
            robot.set_targets(pos=trot(robot, frequency, stride, i * CONTROL_STEPS * world.dt))
            world.step(CONTROL_STEPS)
    spent = time.perf_counter() - began
    steps = (world.step_count - from_step) * options.num_envs

    pose = robot.root_pose
    upright = pose[:, 2] > 0.2
    forward = np.where(upright, pose[:, 0], -np.inf)
    print(f"{steps:,} env-steps in {spent:.2f} s, recorded: {steps / spent:,.0f} env-steps/s.")
    print(f"{upright.sum()} of {options.num_envs} are on their feet. Farthest in {options.seconds:g} s:")
    for i in np.argsort(-forward)[:3]:
        print(
            f"  environment {i:3d}: {forward[i]:5.2f} m with {frequency[i]:.1f} Hz and a stride of {stride[i]:.2f} rad"
        )

    picture = options.folder / "demo.png"
    render_world(world, picture, spacing=0.9)  # all on one field: frequencies along it, strides across
    print(f"Left {recording} (try: phalanx replay {recording} --verify) and {picture}.")


if __name__ == "__main__":
    main()
