"""A table on four legs shares its load among them.

Four legs are one more than statics can tell apart. Expected: the split that has the least sum of squares, which legs of
the same stiffness would have; a quarter each where the table is symmetric.
"""

from __future__ import annotations

import numpy as np
from gallery import COLORS, WOOD, Comparison, picture_argument

import phalanx as px
from phalanx.images.pictures.picture import Camera, render_world

TOP, LEG, MASS, LOAD, GRAVITY = (0.5, 0.35, 0.02), (0.03, 0.03, 0.35), 10.0, 15.0, 9.81
LEGS = np.array([(x, y) for x in (-0.45, 0.45) for y in (-0.3, 0.3)])
PLACE = (0.2, 0.1)  # of the load in the second environment; in the first it lies in the middle


def split(load: np.ndarray) -> np.ndarray:
    """Forces of the legs, N: least squares that carry table and load."""
    lines = np.stack([np.ones(4), *LEGS.T])
    weights = GRAVITY * np.array([MASS + LOAD, *(LOAD * load)])
    return lines.T @ np.linalg.solve(lines @ lines.T, weights)


def main() -> None:
    picture = picture_argument(__doc__)
    world = px.World(2, dt=1 / 240)
    world.add_ground()
    shapes = [px.Shape("box", TOP, position=(0, 0, 2 * LEG[2] + TOP[2]), color=WOOD)]
    shapes += [px.Shape("box", LEG, position=(x, y, LEG[2]), color=WOOD) for x, y in LEGS.tolist()]
    table = world.add_rigid_object(shapes, "table", mass=MASS)
    top = 2 * LEG[2] + 2 * TOP[2]
    round_one = px.Shape("cylinder", (0.08, 0.12), color=COLORS[1])
    vase = world.add_rigid_object(round_one, "vase", mass=LOAD, position=(0, 0, top + 0.12))
    touch = world.contact_view("table", filters=["ground"])
    world.build()
    table.set_com([0.0, 0.0, top / 2])
    pose = vase.root_pose
    pose[1, :2] += PLACE
    vase.set_root_state(pose=pose)
    world.step(240 * 2)
    forces = np.zeros((2, 4))
    for _ in range(24):  # a tenth of a second
        world.step()
        found = touch.contact_data()
        for env in range(2):
            begin, count = found.starts[env, 0, 0], found.counts[env, 0, 0]
            for force, point in zip(found.normal_forces[begin:][:count], found.points[begin:][:count], strict=True):
                forces[env, np.argmin(np.linalg.norm(LEGS - point[:2], axis=1))] += force / 24

    rows = Comparison()
    for env, place in enumerate(((0.0, 0.0), PLACE)):
        expected = split(np.array(place))
        for leg in range(4):
            name = f"load at {place[0]:g}, {place[1]:g}: leg at {LEGS[leg][0]:+.2f}, {LEGS[leg][1]:+.2f}"
            rows.row(name, forces[env, leg], expected[leg], "N", (0.02, 0.05)[env] * expected[leg])
    if picture is not None:
        camera = Camera((1.6, -2.6, 1.5), (0.0, 0.0, 0.45), 30.0)
        render_world(world, picture, env_ids=[1], size=(1280, 720), camera=camera)
    rows.end()


if __name__ == "__main__":
    main()
