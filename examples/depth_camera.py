"""Carts find their way between pillars by what their cameras see: they turn to where it is farther.

Every environment is another forest. Each cart carries a camera of 48 x 36 pixels; besides depth it draws colours,
normals, and which object each pixel shows. A picture of that is left: a row for each kind, a column for each cart.
"""

from __future__ import annotations

import argparse

import numpy as np
from PIL import Image

import phalanx as px
from phalanx.images.pictures.false_colors import depth_image, normal_image, object_image
from phalanx.images.world_camera import WorldCamera

COLORS = ((0.8, 0.25, 0.1, 1.0), (0.9, 0.7, 0.1, 1.0), (0.1, 0.4, 0.7, 1.0), (0.2, 0.55, 0.25, 1.0))
PILLARS, FIELD = 60, 8.0  # how many, up to so many metres away
SPEED, STEP = 1.0, 0.05  # m/s, s


def build(num_envs: int, device: str, rng: np.random.Generator) -> px.World:
    world = px.World(num_envs, device, dt=STEP)
    world.add_ground()
    world.add_rigid_object(px.Shape("box", (0.2, 0.12, 0.08)), "cart", kind="kinematic", position=(0.0, 0.0, 0.1))
    for n in range(PILLARS):
        pillar = px.Shape("cylinder", (0.12, 0.6), color=COLORS[n % len(COLORS)])
        world.add_rigid_object(pillar, f"pillar{n}", kind="static")
    for n in range(PILLARS):
        poses = np.tile([0.0, 0.0, 0.6, 1.0, 0.0, 0.0, 0.0], (num_envs, 1))
        angle = rng.uniform(0.0, 2.0 * np.pi, num_envs)
        poses[:, :2] = (rng.uniform(1.2, FIELD, num_envs) * [np.cos(angle), np.sin(angle)]).T
        world.objects[f"pillar{n}"].set_root_state(poses)
    return world


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--num-envs", type=int, default=4, help="each is another forest")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--picture", default="depth_camera.png")
    options = parser.parse_args()

    world = build(options.num_envs, options.device, np.random.default_rng(1))
    cart = world.objects["cart"]
    types = ("rgb", "depth", "normals", "ids")
    camera = WorldCamera(world, 36, 48, types, body="cart", eye=(0.25, 0.0, 0.15), target=(1.0, 0.0, 0.1))
    pose = host(cart.root_pose)
    heading, driven = np.zeros(options.num_envs), 0.0
    closest = np.full(options.num_envs, np.inf)
    while world.time < options.seconds - 1e-9:
        depth = np.minimum(host(camera.capture()["depth"]), 4.0)
        nearest = depth[:, :16].min(axis=1)  # above the ground, by column
        closest = np.minimum(closest, nearest.min(axis=1))
        open_ahead = nearest[:, 16:32].min(axis=1)
        left, right = nearest[:, :24].mean(axis=1), nearest[:, 24:].mean(axis=1)
        turn = np.where(open_ahead < 1.2, np.sign(left - right) * 1.5, 0.3 * (left - right))
        speed = SPEED * np.clip(open_ahead - 0.3, 0.0, 1.0)
        heading += turn * STEP
        pose[:, 0] += speed * STEP * np.cos(heading)
        pose[:, 1] += speed * STEP * np.sin(heading)
        pose[:, 3], pose[:, 6] = np.cos(0.5 * heading), np.sin(0.5 * heading)
        cart.set_kinematic_target(pose)
        world.step()
        driven += float(speed.mean() * STEP)
    print(f"{options.num_envs} carts drove {driven:.1f} m each; nearest to a pillar: {closest.min():.2f} m")

    seen = {name: host(values) for name, values in camera.capture().items()}
    names = np.array(["nothing", *camera.scene.names])
    for env in range(min(options.num_envs, 4)):
        objects = np.unique(seen["ids"][env, ..., 1])
        print(f"  cart {env} sees {', '.join(names[objects + 1])}")
    rows = [seen["rgb"], depth_image(seen["depth"]), normal_image(seen["normals"]), object_image(seen["ids"])]
    tiles = np.concatenate([np.concatenate(list(row[:8]), axis=1) for row in rows])
    Image.fromarray(tiles).resize((4 * tiles.shape[1], 4 * tiles.shape[0]), Image.Resampling.NEAREST).save(
        options.picture
    )
    print(f"Left {options.picture}.")


def host(values: object) -> np.ndarray:
    """A NumPy array of one on any device."""
    return values.get() if hasattr(values, "get") else np.asarray(values)  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
