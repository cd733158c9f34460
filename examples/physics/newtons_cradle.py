"""Newton's cradle: as many balls leave on the right as come from the left, and as fast.

Expected: what conserves momentum and energy in a line of impacts. Two cradles, of which one and two balls are let go.
"""

from __future__ import annotations

import numpy as np
from gallery import STEEL, Comparison, picture_argument

import phalanx as px
from phalanx.images.pictures.picture import Camera, WorldPainter, save_png

BALLS, RADIUS, STRING, GRAVITY = 5, 0.05, 0.5, 9.81
RATE = 2000  # steps a second
GAP = 1e-3  # m between balls at rest: more than a step at full speed, so that impacts come one after the other
LIFTED = np.deg2rad(40.0)


def main() -> None:
    picture = picture_argument(__doc__)
    world = px.World(2, dtype="float64", dt=1 / RATE, bounce_threshold=0.01)
    places = [(2 * RADIUS + GAP) * (n - BALLS // 2) for n in range(BALLS)]
    ball = px.Shape("sphere", (RADIUS,), color=STEEL)
    balls = [
        world.add_rigid_object(ball, f"ball{n}", mass=0.5, position=(x, 0, 1.0), restitution=1.0, friction=0.0)
        for n, x in enumerate(places)
    ]
    for ball, x in zip(balls, places, strict=True):
        for side in (-0.2, 0.2):
            world.add_joint("distance", ball, position_b=(x, side, 1.0 + STRING))
    world.build()
    for n in range(2):
        pose = np.tile([places[n], 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], (2, 1))
        chosen = slice(0, 2) if n == 0 else slice(1, 2)  # the second cradle has two lifted
        pose[chosen, 0] -= STRING * np.sin(LIFTED)
        pose[chosen, 2] += STRING * (1 - np.cos(LIFTED))
        balls[n].set_root_state(pose=pose)
    seconds, poses, speeds = 1.2, [], []
    for _ in range(round(seconds * RATE)):
        world.step()
        poses.append(np.stack([b.body_pose[:, 0] for b in balls], axis=1))
        speeds.append(np.stack([b.root_vel[:, 0] for b in balls], axis=1))
    speed, x = np.array(speeds), np.array(poses)[..., 0]

    fastest = np.sqrt(2 * GRAVITY * STRING * (1 - np.cos(LIFTED)))
    rows = Comparison()
    for env, count in ((0, 1), (1, 2)):
        name = ("one ball", "two balls")[env]
        top = np.argmax(x[:, env, -1])  # when the last is farthest out
        out = x[top, env] - np.array(places)
        rows.row(f"{name}: arrive at", speed[:, env, 0].max(), fastest, "m/s", 0.01 * fastest)
        rows.row(f"{name}: the last leaves at", speed[:, env, -1].max(), fastest, "m/s", 0.01 * fastest)
        rows.row(f"{name}: so many swing out", float((out > 0.5 * out[-1]).sum()), count, "", 0.0)
        rows.row(f"{name}: those behind stand still, within", np.abs(out[: BALLS - count]).max() * 1e3, 0.0, "mm", 10.0)
    if picture is not None:
        top = int(np.argmax(x[:, 1, -1]))
        camera = Camera((0.0, -2.4, 1.1), (0.0, 0.0, 1.05), 20.0)
        shown = [
            WorldPainter(world, [1], size=(1280, 360), ground=None, camera=camera).draw(poses[n][1:]) for n in (0, top)
        ]
        save_png(np.concatenate(shown, axis=0), picture)
    rows.end()


if __name__ == "__main__":
    main()
