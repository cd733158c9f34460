"""A half circle of loose stones stands if it is thick enough, and falls if it is not.

Expected: an arch of a half circle needs a thickness of 0.107 of its mean radius (Milankovitch, 1907). One of 0.15
stands, one of 0.08 falls. Its thrust lies between the bounds that equilibrium allows (a linear program: forces within
the joints, friction within Coulomb's law).
"""

from __future__ import annotations

import numpy as np
from gallery import STONE, Comparison, picture_argument
from scipy.optimize import linprog

import phalanx as px
from phalanx.images.pictures.picture import Camera, render_world, save_png

STONES, RADIUS, WIDE, FRICTION, DENSITY, GRAVITY = 15, 1.0, 0.3, 0.8, 2000.0, 9.81


def corners(thick: float, n: int) -> np.ndarray:
    """The eight corners of a stone, m."""
    ends = np.pi * np.array([n, n + 1]) / STONES
    return np.array(
        [
            (-r * np.cos(a), y, r * np.sin(a))
            for a in ends
            for r in (RADIUS - thick / 2, RADIUS + thick / 2)
            for y in (-WIDE / 2, WIDE / 2)
        ]
    )


FACES = np.array(
    [(0, 1, 3), (0, 3, 2), (4, 7, 5), (4, 6, 7), (0, 4, 5), (0, 5, 1)]
    + [(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
)  # fmt: skip


def build(thick: float) -> tuple[px.World, list[px.RigidObject]]:
    world = px.World(dtype="float64", dt=1 / 240, contact_offset=0.005, position_iterations=16)
    world.add_ground(friction=FRICTION)
    stones = []
    for n in range(STONES):
        points = corners(thick, n)
        middle = points.mean(axis=0)
        shade = 0.9 + 0.1 * (n % 2)
        shape = px.Shape("mesh", vertices=points - middle, faces=FACES, color=(*(shade * np.array(STONE[:3])), 1.0))
        x, y, z = middle
        stones.append(
            world.add_rigid_object(shape, f"stone{n}", density=DENSITY, position=(x, y, z), friction=FRICTION)
        )
    return world, stones


def thrusts(thick: float, weight: np.ndarray, middles: np.ndarray) -> tuple[float, float]:
    """Least and greatest horizontal force at the springing, N."""
    angles = np.pi * np.arange(STONES + 1) / STONES
    inner, outer = ((RADIUS + s * thick / 2) * np.stack([-np.cos(angles), np.sin(angles)], 1) for s in (-1, 1))
    across = np.stack([np.sin(angles), np.cos(angles)], 1)  # of joints, from one stone to the next
    along = np.stack([-np.cos(angles), np.sin(angles)], 1)
    # unknowns of a joint: forces at its inner and outer edge, across it (pressure), and along it
    count = 3 * (STONES + 1)
    equal, right = np.zeros((3 * STONES, count)), np.zeros(3 * STONES)
    for n in range(STONES):
        for joint, sign in ((n, 1.0), (n + 1, -1.0)):
            for k, (point, force) in enumerate(
                ((inner[joint], across[joint]), (outer[joint], across[joint]), (inner[joint], along[joint]))
            ):
                arm = point - middles[n]
                equal[3 * n : 3 * n + 2, 3 * joint + k] = sign * force
                equal[3 * n + 2, 3 * joint + k] = sign * (arm[0] * force[1] - arm[1] * force[0])
        right[3 * n + 1] = weight[n]
    slide = np.zeros((2 * (STONES + 1), count))
    for joint in range(STONES + 1):
        for row, sign in ((2 * joint, 1.0), (2 * joint + 1, -1.0)):
            slide[row, 3 * joint : 3 * joint + 3] = (-FRICTION, -FRICTION, sign)
    bounds = [(0, None), (0, None), (None, None)] * (STONES + 1)
    goal = np.zeros(count)
    goal[0:3] = across[0, 0], across[0, 0], along[0, 0]
    found = [linprog(sign * goal, slide, np.zeros(len(slide)), equal, right, bounds).fun * sign for sign in (1.0, -1.0)]
    return found[0], found[1]


def main() -> None:
    picture = picture_argument(__doc__)
    rows, images = Comparison(), []
    for thick, stands in ((0.15, True), (0.08, False)):
        world, stones = build(thick)
        foot = world.contact_view("stone0", filters=["ground"])
        world.build()
        before = np.array([stone.com_pose[0, :3] for stone in stones])
        weight = GRAVITY * np.array([stone.mass[0] for stone in stones])
        world.step(240 * 2)
        after = np.array([stone.com_pose[0, :3] for stone in stones])
        sank = before[STONES // 2, 2] - after[STONES // 2, 2]
        name = f"thickness {thick:g} of the radius"
        if stands:
            rows.row(f"{name}: its crown sinks by", 1e3 * sank, 0.0, "mm", 3.0)
            force = foot.force_matrix()[0, 0, 0]
            rows.row("a foot carries", force[2], weight.sum() / 2, "N", 0.01 * weight.sum())
            low, high = thrusts(thick, weight, before[:, [0, 2]])
            print(f"   by equilibrium its thrust lies between {low:.1f} and {high:.1f} N")
            rows.row("thrust", abs(force[0]), 0.5 * (low + high), "N", 0.5 * (high - low) + 0.01 * high)
        else:
            rows.row(f"{name}: its crown has fallen", float(sank > 0.3), 1.0, "", 0.0)
        if picture is not None:
            camera = Camera((0.0, -4.2, 1.3), (0.0, 0.0, 0.5), 32.0)
            images.append(render_world(world, size=(800, 600), camera=camera))
    if picture is not None:
        save_png(np.concatenate(images, axis=1), picture)
    rows.end()


if __name__ == "__main__":
    main()
