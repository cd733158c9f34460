"""A recording is a Zarr store: ask it questions with NumPy, or open it with xarray, by names of joints and with units.

Without an argument it first records a second of eight arms that move at random. With xarray installed (``pip install
xarray``) it also shows the same recording as a tree of labelled arrays.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
from pathlib import Path

import numpy as np

import phalanx as px
from phalanx.io.formats import library


def record(path: Path, seconds: float) -> None:
    world = px.World(num_envs=8, dt=0.005)
    robot = world.add_robot("arm")
    robot.set_drive(*library.defaults("arm").gains(robot.joint_names))
    rng = np.random.default_rng(0)
    with px.Recorder(world, path, every=2):
        while world.time < seconds:
            robot.set_targets(pos=robot.default_joint_pos + rng.uniform(-0.3, 0.3, (8, robot.num_dof)))
            world.step(50)


def analyse(path: Path) -> None:
    recording = px.open_recording(path)
    print(recording)
    for _, data in recording.recorded:
        print(f"\n{data.name}:")
        for key, series in data.items():  # read from disk where they are indexed, environment first
            print(f"  {key:18s} {dict(zip(series.dims, series.shape, strict=True))} {series.units}")
        if "joint_vel" in data and data.joint_names:
            speed = np.abs(data.joint_vel[...])  # (env, time, joint), rad/s
            busiest = speed.mean(axis=(0, 1)).argmax()
            env, sample, _ = np.unravel_index(speed.argmax(), speed.shape)
            mean = speed[..., busiest].mean()
            print(f"\n  busiest joint: {data.joint_names[busiest]}, {mean:.2f} rad/s on average")
            print(f"  fastest of all: {speed.max():.2f} rad/s, in environment {env}, at {recording.time[sample]:.3f} s")
        if "root_pose" in data:
            moved = np.diff(data.root_pose[...][..., :3], axis=1)
            way = np.linalg.norm(moved, axis=-1).sum(axis=1).reshape(recording.num_envs, -1).max(axis=1)
            print(f"  longest way of a root: {way.max():.3f} m, in environment {way.argmax()}")
    if importlib.util.find_spec("xarray") is None:
        print("\nWith xarray installed, px.open_recording(path).tree has it all by names of joints and bodies.")
        return
    tree = recording.tree
    print(f"\nAs xarray.DataTree: {', '.join(tree.groups)}")
    for name, robot in tree["robots"].items() if "robots" in tree else ():
        if "joint_pos" in robot:
            swing = robot.joint_pos.std("time").max("env").load()
            most = swing.joint.values[swing.values.argmax()]
            print(f"  {name}: {most} swings most, by {float(swing.sel(joint=most)):.2f} rad (standard deviation)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording", type=Path, nargs="?", help="e.g. demo.zarr")
    parser.add_argument("--seconds", type=float, default=1.0, help="how much to record without one")
    options = parser.parse_args()
    if options.recording:
        analyse(options.recording)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arms.zarr"
        record(path, options.seconds)
        analyse(path)


if __name__ == "__main__":
    main()
