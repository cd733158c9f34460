"""A wing nut in free flight turns over, again and again, as its middle axis is unstable (Dzhanibekov).

Expected: the times of Euler's equations, whose period is an elliptic integral, and an energy that stays.
"""

from __future__ import annotations

import numpy as np
from gallery import COLORS, STEEL, Comparison, picture_argument
from scipy.special import ellipk

import phalanx as px
from phalanx.images.pictures.picture import Camera, WorldPainter, save_png
from phalanx.maths.arrays import matrix

MOMENTS = np.array([0.1, 0.2, 0.3])  # kg m^2: turned about y it turns over
SPIN = np.array([0.05, 5.0, 0.0])  # rad/s
RATE, SECONDS, SHOWN = 240, 20, 8


def half_period() -> float:
    """Time from one turning over to the next, s; after Landau and Lifshitz, Mechanics, section 37."""
    a, b, c = MOMENTS
    twice_energy, square = MOMENTS @ SPIN**2, np.sum((MOMENTS * SPIN) ** 2)  # and that of the angular momentum
    if square < twice_energy * b:
        a, c = c, a
    turns = (c - b) * (square - twice_energy * a)
    m = (b - a) * (twice_energy * c - square) / turns
    return float(2 * ellipk(m) / np.sqrt(turns / (a * b * c)))


def main() -> None:
    picture = picture_argument(__doc__)
    world = px.World(SHOWN, dtype="float64", dt=1 / RATE, gravity=(0.0, 0.0, 0.0))
    nut = [
        px.Shape("cylinder", (0.05, 0.1), orientation=(0.7071, 0.7071, 0.0, 0.0), color=STEEL),
        px.Shape("box", (0.25, 0.02, 0.06), position=(0.0, -0.1, 0.0), color=COLORS[0]),
    ]
    body = world.add_rigid_object(nut, "nut", mass=1.0)
    world.build()
    body.set_com([0.0, 0.0, 0.0])
    body.set_inertia(np.diag(MOMENTS))
    body.set_root_state(vel=np.concatenate([np.zeros(3), SPIN]))
    times, spins, poses = [0.0], [SPIN], [body.body_pose[0]]
    for _ in range(RATE * SECONDS):
        world.step()
        pose = body.body_pose[0]
        times.append(world.time)
        spins.append(matrix(pose[0, 3:]).T @ body.root_vel[0, 3:])
        poses.append(pose)
    spins, times = np.array(spins), np.array(times)
    at = np.flatnonzero(spins[:-1, 1] * spins[1:, 1] < 0)
    flips = times[at] + spins[at, 1] / (spins[at, 1] - spins[at + 1, 1]) / RATE
    energy = 0.5 * spins**2 @ MOMENTS

    half, rows = half_period(), Comparison()
    for n in range(3):
        rows.row(f"turns over for the {('first', 'second', 'third')[n]} time at", flips[n], (n + 0.5) * half, "s", 1e-3)
    rows.row("energy in the end, of that at the start", energy[-1] / energy[0], 1.0, "", 1e-6)
    if picture is not None:
        shown = np.linspace(0.0, 1.0, SHOWN) * half + 0.5 * (flips[0] + flips[1]) - 0.5 * half
        chosen = np.array([poses[round(t * RATE)] for t in shown])
        chosen[:, 0, 0] += 0.62 * np.arange(SHOWN)  # side by side, from left to right
        middle = 0.31 * (SHOWN - 1)
        camera = Camera((middle, -9.0, 3.0), (middle, 0.0, 0.0), 12.5)
        painter = WorldPainter(world, size=(1280, 420), ground=None, camera=camera, spacing=1e-9, poses=chosen[None])
        save_png(painter.draw(chosen), picture)
    rows.end()


if __name__ == "__main__":
    main()
