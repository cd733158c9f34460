"""A pile of mixed shapes in many environments, each with its own friction, bounce and masses; recorded and drawn.

Cylinders, cones, capsules, boxes, balls and wedges fall into a tray. In the end the tray, and the ground where things
bounced out, carry what the pile weighs, in every environment. Leaves ``pile.zarr``, which
``phalanx replay pile.zarr --verify`` repeats to the bit, and ``pile.png``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import phalanx as px
from phalanx.images.pictures.picture import render_world

GRAVITY = 9.81
SHOWN = 9  # environments in the picture, at most
COLOURS = ((0.91, 0.51, 0.23), (0.36, 0.56, 0.69), (0.91, 0.9, 0.87), (0.45, 0.62, 0.35), (0.75, 0.3, 0.3))
WEDGE = 0.1 * np.array([(x, y, 0.0) for x in (-1, 1) for y in (-1, 1)] + [(-1, 0, 1.0), (1, 0, 1.0)])


def tray(wood: tuple[float, float, float, float] = (0.6, 0.5, 0.4, 1.0)) -> list[px.Shape]:
    """A floor and four walls, inside 0.8 m square."""
    walls = [
        px.Shape("box", (0.44, 0.02, 0.12) if x == 0 else (0.02, 0.4, 0.12), position=(x, y, 0.14), color=wood)
        for x, y in ((0.42, 0.0), (-0.42, 0.0), (0.0, 0.42), (0.0, -0.42))
    ]
    return [px.Shape("box", (0.44, 0.44, 0.02), position=(0, 0, 0.0), color=wood), *walls]


def solids(count: int) -> dict[str, dict[str, Any]]:
    """Shapes in turn, in layers of four above the tray."""
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("cylinder", {"size": (0.07, 0.09)}),
        ("box", {"size": (0.06, 0.08, 0.1)}),
        ("sphere", {"size": (0.08,)}),
        ("cone", {"size": (0.09, 0.09)}),
        ("capsule", {"size": (0.05, 0.08)}),
        ("mesh", {"vertices": WEDGE, "approximation": "convex_hull"}),
    ]
    found: dict[str, dict[str, Any]] = {}
    for i in range(count):
        kind, options = kinds[i % len(kinds)]
        shape = px.Shape(kind, color=(*COLOURS[i % len(COLOURS)], 1.0), **options)
        x, y, z = 0.22 * (1 - 2 * (i % 2)), 0.22 * (1 - 2 * (i // 2 % 2)), 0.3 + 0.25 * (i // 4)
        found[f"{'wedge' if kind == 'mesh' else kind}{i}"] = {"source": shape, "position": (x, y, z)}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--num-envs", type=int, default=16)
    parser.add_argument("--objects", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=4.0, help="simulated time")
    parser.add_argument("--folder", type=Path, default=Path(), help="where pile.zarr and pile.png go")
    options = parser.parse_args()

    print("Compiling what is not in the kernel cache yet ...", flush=True)
    rng = np.random.default_rng(0)
    n, count = options.num_envs, options.objects
    world = px.World(num_envs=n, dt=1 / 240)
    world.add_ground()
    world.add_rigid_object(tray(), "tray", kind="static", position=(0, 0, 0.02))
    pile = world.add_rigid_objects(solids(count), "pile", density=400.0, angular_damping=0.5)
    carried = world.contact_view(pile.object_names, ["tray", "ground"])

    friction = rng.uniform(0.3, 1.0, (n, count))
    pile.set_material(friction, 0.8 * friction, rng.uniform(0.0, 0.3, (n, count)))
    pile.set_mass(pile.mass * rng.uniform(0.5, 2.0, (n, count)), scale_inertia=True)
    turn = rng.normal(size=(n, count, 4))
    pose = pile.root_pose
    pose[..., 3:] = turn / np.linalg.norm(turn, axis=2, keepdims=True)
    pile.set_root_state(pose=pose)

    with px.Recorder(world, options.folder / "pile.zarr", every=8, overwrite=True):
        world.step(round(options.seconds / world.dt))

    weight, force = GRAVITY * pile.mass.sum(axis=1), carried.force_matrix()[..., 2].sum(axis=1)
    speed = np.linalg.norm(pile.root_vel[..., :3], axis=2)
    print("environment   pile weighs   tray carries   ground carries   fastest object   highest object")
    for env in range(n):
        print(
            f"{env:11d} {weight[env]:11.2f} N {force[env, 0]:12.2f} N {force[env, 1]:14.2f} N "
            f"{1e3 * speed[env].max():11.1f} mm/s {pile.root_pose[env, :, 2].max():14.2f} m"
        )
    picture = options.folder / "pile.png"
    render_world(world, picture, env_ids=range(min(n, SHOWN)))
    print(f"Left {options.folder / 'pile.zarr'} and {picture}.")


if __name__ == "__main__":
    main()
