"""A recording is a Zarr store with named dimensions, coordinates and units: open it with xarray and ask questions.

Without an argument it first records a second of eight arms that move at random. Needs xarray (``pip install xarray``).
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import xarray as xr

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
    root = xr.open_zarr(path, consolidated=False)
    header = root.attrs["phalanx_recording"]
    groups = {
        name: group for kind in ("robots", "objects", "collections") for name, group in header.get(kind, {}).items()
    }
    for name, group in groups.items():
        data = xr.open_zarr(path, group=group, consolidated=False)
        print(f"{name}: {dict(data.sizes)}\n")
        for key, values in data.data_vars.items():
            print(f"  {key:18s} ({', '.join(map(str, values.dims))})  {values.attrs.get('units', '')}")
        if "joint_vel" in data and data.sizes.get("joint"):
            speed = abs(data.joint_vel).load()
            busiest = data.joint.values[speed.mean(("time", "env")).values.argmax()]
            env = int(speed.max(("time", "joint")).idxmax("env"))
            when = speed.max(("env", "joint")).idxmax("time")
            print(f"\n  busiest joint: {busiest}, {float(speed.sel(joint=busiest).mean()):.2f} rad/s on average")
            print(f"  fastest of all: {float(speed.max()):.2f} rad/s, in environment {env}, at {float(when):.3f} s")
        if "root_pose" in data:
            moved = data.root_pose.isel(pose=slice(0, 3)).diff("time")
            way = ((moved**2).sum("pose") ** 0.5).sum("time").load()
            way = way.max("object") if "object" in way.dims else way
            print(f"  longest way of a root: {float(way.max()):.3f} m, in environment {int(way.idxmax('env'))}")


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
