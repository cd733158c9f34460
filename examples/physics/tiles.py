"""A floor of loose tiles is as good as a floor of one piece.

Expected: a box slides v^2 / (2 mu g) over it, and a ball that rolls goes on at its speed, without a jump at any edge.
"""

from __future__ import annotations

import numpy as np
from gallery import COLORS, STONE, Comparison, picture_argument

import phalanx as px
from phalanx.images.pictures.picture import Camera, WorldPainter, save_png

TILE, TILES, FRICTION, GRAVITY, SPEED, RADIUS, RATE = 0.15, 14, 0.4, 9.81, 2.0, 0.05, 200  # m, m/s


def main() -> None:
    picture = picture_argument(__doc__)
    world = px.World(dt=1 / RATE)
    for n in range(TILES):
        for lane, y in (("left", 0.16), ("right", -0.16)):
            grey = 0.92 + 0.08 * (n % 2)
            shape = px.Shape("box", (TILE / 2, 0.15, 0.02), color=(*(grey * np.array(STONE[:3])), 1.0))
            place = (TILE * n, y, -0.02)
            world.add_rigid_object(shape, f"{lane}{n}", kind="static", position=place, friction=FRICTION)
    half = (0.06, 0.06, 0.04)
    box = world.add_rigid_object(
        px.Shape("box", half, color=COLORS[0]), "box", mass=1.0, position=(0, 0.16, half[2]), friction=FRICTION
    )
    ball = world.add_rigid_object(
        px.Shape("sphere", (RADIUS,), color=COLORS[1]), "ball", mass=1.0, position=(0, -0.16, RADIUS), friction=FRICTION
    )
    world.build()
    start = {"box": 0.0, "ball": -0.0}
    box.set_root_state(vel=[SPEED, 0, 0, 0, 0, 0])
    ball.set_root_state(vel=[SPEED, 0, 0, 0, SPEED / RADIUS, 0])
    heights, poses, way = [], [], []
    for _ in range(round(0.9 * RATE)):
        world.step()
        heights.append([box.root_pose[0, 2] - half[2], ball.root_pose[0, 2] - RADIUS])
        poses.append([box.body_pose[0], ball.body_pose[0]])
        way.append(box.root_pose[0, 0] - start["box"])
    rows = Comparison()
    far = SPEED**2 / (2 * FRICTION * GRAVITY)
    rows.row("the box slides", way[-1], far, "m", 0.01 * far + 0.5 * SPEED / RATE)
    rows.row("the ball goes on at", ball.root_vel[0, 0], SPEED, "m/s", 0.01 * SPEED)
    rows.row("the box rises by at most", 1e3 * max(h[0] for h in heights), 0.0, "mm", 1.0)
    rows.row("the ball rises by at most", 1e3 * max(h[1] for h in heights), 0.0, "mm", 1.0)
    if picture is not None:
        camera = Camera((1.0, -2.2, 1.2), (0.95, 0.0, 0.0), 26.0)
        save_png(WorldPainter(world, size=(1280, 560), camera=camera).draw(), picture)
    rows.end()


if __name__ == "__main__":
    main()
