"""Carts that drive through halls of pillars by themselves: a lidar maps the hall, sweeps say which way is free.

Every hall is another one. Rays ignore the cart that carries the lidar; sweeps move the cart's own shape ahead in
several directions, and it takes the one that is free the longest.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import phalanx as px

HALF = (4.0, 3.0)  # of the hall, m
CART = (0.3, 0.2, 0.15)  # half lengths, m
SPEED = 1.0  # m/s
PILLARS = 8


def build(num_envs: int, rng: np.random.Generator) -> px.World:
    world = px.World(num_envs=num_envs, dt=0.02)
    world.add_ground()
    x, y = HALF
    walls = [
        px.Shape("box", (x, 0.1, 0.5), position=(0.0, y + 0.1, 0.5)),
        px.Shape("box", (x, 0.1, 0.5), position=(0.0, -y - 0.1, 0.5)),
        px.Shape("box", (0.1, y, 0.5), position=(x + 0.1, 0.0, 0.5)),
        px.Shape("box", (0.1, y, 0.5), position=(-x - 0.1, 0.0, 0.5)),
    ]
    world.add_rigid_object(walls, name="walls", kind="static")
    names = [f"pillar{i}" for i in range(PILLARS)]
    for name in names:
        world.add_rigid_object(px.Shape("cylinder", (0.2, 0.5)), name=name, kind="static")
    world.add_rigid_object(px.Shape("box", CART), name="cart", kind="kinematic", position=(-3.0, 0.0, 0.2))
    poses = np.zeros((num_envs, 7))
    poses[:, 2], poses[:, 3] = 0.5, 1.0
    for name in names:
        poses[:, 0] = rng.uniform(-1.5, x - 0.5, num_envs)
        poses[:, 1] = rng.uniform(0.5 - y, y - 0.5, num_envs)
        world.objects[name].set_root_state(poses)
    return world


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=8, help="each is another hall")
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()

    rng = np.random.default_rng(0)
    world = build(options.num_envs, rng)
    cart, queries = world.objects["cart"], world.queries
    heading = rng.uniform(-0.5, 0.5, options.num_envs)
    azimuth, elevation = np.meshgrid(np.linspace(0, 2 * np.pi, 180, endpoint=False), [-0.1, 0.0, 0.1])
    beams = np.stack(
        [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)], axis=-1
    ).reshape(-1, 3)
    turns = np.array([0.0, 0.4, -0.4, 0.8, -0.8, 1.6, -1.6])  # rad, what a cart considers
    cells = np.zeros((round(4 * HALF[1]) + 2, round(8 * HALF[0]) + 2), int)  # of 0.25 m by 0.5 m
    deepest, rays, spent, driven = 0.0, 0, 0.0, 0.0
    while world.time < options.seconds - 1e-9:
        pose = cart.root_pose
        if round(world.time / world.dt) % 5 == 0:  # ten times a second
            start = time.perf_counter()
            origins = pose[:, None, :3] + [0.0, 0.0, 0.2]
            hits = queries.raycast(np.repeat(origins, len(beams), axis=1), beams, max_distance=8.0, ignore="cart")
            spent, rays = spent + time.perf_counter() - start, rays + hits.hit.size
            points = hits.position[0][hits.hit[0] & (hits.position[0, :, 2] > 0.05)]
            columns = (4 * (points[:, 0] + HALF[0]) + 1).astype(int)
            rows = (2 * (HALF[1] - points[:, 1]) + 1).astype(int)
            np.add.at(cells, (rows.clip(0, len(cells) - 1), columns.clip(0, cells.shape[1] - 1)), 1)
        ways = heading[:, None] + turns
        directions = np.stack([np.cos(ways), np.sin(ways), np.zeros_like(ways)], axis=-1)
        facing = np.stack([np.cos(ways / 2), *np.zeros((2, *ways.shape)), np.sin(ways / 2)], axis=-1)
        sweep = queries.sweep_box(
            CART, np.repeat(pose[:, None, :3], len(turns), axis=1), directions, 3.0, facing, ignore=["cart", "ground"]
        )
        free = np.where(sweep.hit, sweep.distance, 3.0) - 0.3 * np.abs(turns)  # rather straight on
        best = free.argmax(axis=1)
        clear = np.take_along_axis(free, best[:, None], axis=1)[:, 0] > 0.1
        heading = np.where(clear, ways[np.arange(len(best)), best], heading + 0.5)
        step = np.where(clear, SPEED * world.dt, 0.0)
        target = np.zeros((options.num_envs, 7))
        target[:, 0], target[:, 1] = pose[:, 0] + step * np.cos(heading), pose[:, 1] + step * np.sin(heading)
        target[:, 2], target[:, 3], target[:, 6] = pose[:, 2], np.cos(heading / 2), np.sin(heading / 2)
        cart.set_kinematic_target(target)
        world.step()
        driven += float(step.mean())
        bumped = queries.penetration(px.Shape("box", CART), target[:, None, :3], target[:, None, 3:], ignore="cart")
        deepest = max(deepest, float(bumped.depth.max()))
    print(f"{options.num_envs} carts drove {driven:.1f} m each; deepest in a pillar or wall: {deepest * 1000:.1f} mm")
    print(f"{rays / spent:,.0f} rays/s against {len(world.actors)} objects\n\nWhat the first cart has seen:")
    for row in cells:
        print("  " + "".join("#" if n > 20 else ("." if n else " ") for n in row))


if __name__ == "__main__":
    main()
