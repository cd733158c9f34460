"""A box in an elevator weighs more while it speeds up, and less while it slows down.

Expected: the floor carries m (g + a) in every step, and the box stays where it stands.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gallery import Comparison, picture_argument

import phalanx as px

MASS, GRAVITY, FAST, RATE = 2.0, 9.81, 2.0, 240  # kg, m/s^2, m/s^2, 1/s
SETTLES = 0.2  # s after a change of acceleration that do not count


def acceleration(time: np.ndarray) -> np.ndarray:
    """Up for a second, on for one, and to a stop in one; before that, half a second of rest."""
    return np.where((time >= 0.5) & (time < 1.5), FAST, 0.0) - np.where((time >= 2.5) & (time < 3.5), FAST, 0.0)


def main() -> None:
    picture = picture_argument(__doc__)
    world = px.World(dt=1 / RATE)
    floor = world.add_rigid_object(px.Shape("box", (1.0, 1.0, 0.1)), "floor", kind="kinematic", position=(0, 0, -0.1))
    box = world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=MASS, position=(0, 0, 0.1))
    touch = world.contact_view("box", filters=["floor"])
    world.build()
    times = np.arange(4 * RATE) / RATE
    wanted = acceleration(times)
    height, speed, force = -0.1, 0.0, []
    for a in wanted:
        speed += a / RATE
        height += speed / RATE
        floor.set_kinematic_target([0, 0, height, 1, 0, 0, 0])
        world.step()
        force.append(float(touch.net_force()[0, 0, 2]))
    force, expected = np.array(force), MASS * (GRAVITY + wanted)
    counts = np.ones(len(times), bool)
    for change in (0.0, 0.5, 1.5, 2.5, 3.5):
        counts &= (times < change) | (times >= change + SETTLES)
    rows = Comparison()
    for name, begin in (("at rest", 0.0), ("speeding up", 0.5), ("at full speed", 1.5), ("slowing down", 2.5)):
        part = counts & (times >= begin) & (times < begin + 1.0 if begin else times < 0.5)
        should = expected[part][0]
        worst = force[part][np.argmax(np.abs(force[part] - should))]
        rows.row(f"{name}: the floor carries, at its worst", worst, should, "N", 0.01 * should)
    gap = box.root_pose[0, 2] - floor.root_pose[0, 2] - 0.2
    rows.row("the box is above the floor by", 1e3 * gap, 0.0, "mm", 0.5)
    if picture is not None:
        draw(times, force, expected, picture)
    rows.end()


def draw(times: np.ndarray, force: np.ndarray, expected: np.ndarray, picture: Path) -> None:
    from matplotlib import pyplot as plt

    figure, panel = plt.subplots(figsize=(8.0, 4.0))
    panel.plot(times, force, color="#e8833a", linewidth=2.5, label="seen")
    panel.plot(times, expected, "k--", linewidth=1, label="m (g + a)")
    panel.set(xlabel="s", ylabel="N", title=f"What the floor of an elevator carries of a box of {MASS:g} kg")
    panel.legend()
    figure.tight_layout()
    figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main()
