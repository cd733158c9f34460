"""A row of dominoes falls at a speed that can be foretold.

Expected, after van Leeuwen (The Domino Effect, 2004): dominoes turn about their front edges, lean on each other without
friction, and hit without bouncing. Then the angle of the foremost says where all are: between hits energy is kept, and
in a hit what momentum there is along that motion.
"""

from __future__ import annotations

import numpy as np
from gallery import COLORS, Comparison, picture_argument
from scipy.integrate import quad

import phalanx as px
from phalanx.images.pictures.picture import Camera, WorldPainter, save_png

COUNT, HEIGHT, THICK, WIDE, GAP, GRAVITY = 30, 0.05, 0.008, 0.025, 0.02, 9.81  # m
PUSH = 3.0  # rad/s of the first
RATE = 2000


def train(head: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Angles of dominoes that lean on one at ``head``, the foremost first, and their derivatives by it."""
    angles, slopes = [head], [1.0]
    for _ in range(count - 1):
        front = angles[-1]  # h sin(b - a) = (s + d) cos a - d, where one at b leans on one at a
        lift = ((GAP + THICK) * np.cos(front) - THICK) / HEIGHT
        angles.append(front + np.arcsin(lift))
        slopes.append(slopes[-1] * (1 - (GAP + THICK) * np.sin(front) / HEIGHT / np.sqrt(1 - lift**2)))
    return np.array(angles), np.array(slopes)


def expected_speed() -> float:
    """m/s, of a long row."""
    inertia = (HEIGHT**2 + THICK**2) / 3  # of 1 kg about the edge
    hit = np.arcsin(GAP / HEIGHT)  # when a domino hits the next, which stands

    def height(angles: np.ndarray) -> float:
        return float(np.sum(0.5 * (HEIGHT * np.cos(angles) + THICK * np.sin(angles))))

    rate, time = PUSH, 0.0
    for count in range(1, COUNT):
        start, slopes = train(0.0, count)
        energy = 0.5 * inertia * np.sum(slopes**2) * rate**2 + GRAVITY * height(start)

        def slowness(head: float, count: int = count, energy: float = energy) -> float:
            angles, slopes = train(head, count)
            left = energy - GRAVITY * height(angles)
            return float(np.sqrt(0.5 * inertia * np.sum(slopes**2) / left))

        time = quad(slowness, 0.0, hit)[0]
        angles, slopes = train(hit, count)
        moving = slopes / slowness(hit)  # rates of all just before the hit
        _, after = train(0.0, count + 1)
        rate = float(after[1:] @ moving / np.sum(after**2))
        assert np.allclose(train(0.0, count + 1)[0][1:], angles)
    return (GAP + THICK) / time


def main() -> None:
    picture = picture_argument(__doc__)
    world = px.World(dtype="float64", dt=1 / RATE, contact_offset=0.002)
    world.add_ground(friction=5.0, friction_combine="max")
    shape = px.Shape("box", (THICK / 2, WIDE / 2, HEIGHT / 2), color=COLORS[0])
    row = [
        world.add_rigid_object(
            shape, f"domino{n}", mass=0.01, position=((GAP + THICK) * n, 0, HEIGHT / 2), friction=0.0, restitution=0.0
        )
        for n in range(COUNT)
    ]
    world.build()
    spin = np.array([0.0, PUSH, 0.0])
    row[0].set_root_state(vel=np.concatenate([np.cross(spin, [-THICK / 2, 0.0, HEIGHT / 2]), spin]))
    began, shown = np.full(COUNT, np.nan), None
    while np.isnan(began[-3]) and world.time < 3.0:
        world.step(2)
        spins = np.array([domino.root_vel[0, 4] for domino in row])
        began[np.isnan(began) & (spins > 0.5)] = world.time
        if shown is None and not np.isnan(began[COUNT // 2]):
            shown = world.state()
    steps = np.diff(began)
    seen = (GAP + THICK) / np.nanmean(steps[COUNT // 2 : -3])
    expected = expected_speed()
    rows = Comparison()
    rows.row("dominoes that fell", float(np.sum(~np.isnan(began[:-2]))), COUNT - 2, "", 0.0)
    rows.row("speed of the wave", float(seen), expected, "m/s", 0.05 * expected)
    rows.row(
        "the same, in units of sqrt(g h)",
        seen / np.sqrt(GRAVITY * HEIGHT),
        expected / np.sqrt(GRAVITY * HEIGHT),
        "",
        0.1,
    )
    if picture is not None and shown is not None:
        world.set_state(shown)
        camera = Camera((0.42, -0.75, 0.3), (0.42, 0.0, 0.01), 32.0)
        save_png(WorldPainter(world, size=(1280, 560), camera=camera).draw(), picture)
    rows.end()


if __name__ == "__main__":
    main()
