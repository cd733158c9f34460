"""Angles of repose of spheres beside published ones: ``python benchmarks/angle_of_repose.py [--json out.json]``.

After Zhou, Xu, Yu and Zulli (An experimental and numerical study of the angle of repose of coarse spheres, Powder
Technology 125, 2002, 45-54): spheres of 10 mm lie on a plate, 30 diameters long, between two walls and two gates. The
gates vanish, spheres run off both ends of the plate, and the slopes of the heap that stays are taken from the highest
sphere in each stretch of a diameter. The authors sum their simulations up as a product of powers of the coefficients of
sliding and rolling friction, with a standard deviation of 2 degrees; theirs are torques by forces, in mm, ours are by
the radius, too. Beside it stands our code of springs and dashpots (``tests/oracles/plate_discharge.py``) from the same
starts, with a rolling spring as most codes have it, and with a torque against a sphere's own spin as the authors have
it.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import KDTree

import phalanx as px
from phalanx.bench.machine import machine

DIAMETER = 0.01
RADIUS = DIAMETER / 2
PLATE, BOX = 15 * DIAMETER, 20 * DIAMETER
"""Half lengths of the plate and of the container."""

HEIGHT = 16
"""Rows of the bed that a plate starts with, in diameters, about."""

FILLS = 1.2
"""Seconds that springs and dashpots have to come to rest between the gates."""

SETTLES, FINE = 0.6, 0.0025
"""The same for Phalanx, and its time step, s: at 0.01 s a bed that falls so far is pressed to a quarter less room."""


@dataclass(frozen=True)
class Case:
    """What spheres are made of, and how long they may run."""

    thickness: int  # of plate and container, in diameters
    friction: float  # between spheres
    wall_friction: float
    rolling: float  # between spheres and at walls, by the radius
    seconds: float  # after the gates have gone
    seeds: int = 2

    def published(self) -> float:
        """Angle in degrees that the authors' formula says (their equations 3 to 5)."""
        torque = self.rolling * RADIUS * 1e3
        powers = self.friction**0.27 * self.wall_friction**0.22 * torque ** (0.06 + 0.12) * (DIAMETER * 1e3) ** -0.2
        return 68.61 * powers * (1 + math.exp(-0.18 * self.thickness))


CASES = (
    Case(4, 0.4, 0.6, 0.01, 6.0),
    Case(4, 0.4, 0.6, 0.04, 4.0),
    Case(4, 0.4, 0.6, 0.1, 4.0),
    Case(4, 0.2, 0.3, 0.04, 4.0),
    Case(8, 0.4, 0.6, 0.04, 4.0, 1),
)


def start(thickness: int, seed: int) -> np.ndarray:
    """Middles (n, 3) of loose spheres between the gates, m."""
    rows, files = 26, int((thickness - 0.2) / 1.12)
    layers = round(HEIGHT * thickness * 30 * 0.6 / (math.pi / 6) / 1.04 / (rows * files))
    along = (np.arange(rows) - (rows - 1) / 2) * 29 / rows
    across = (np.arange(files) - (files - 1) / 2) * (thickness - 1.15) / (files - 1)
    places = np.stack(np.meshgrid(0.6 + 1.1 * np.arange(layers), along, across, indexing="ij"), -1).reshape(-1, 3)
    return DIAMETER * (places[:, [1, 2, 0]] + np.random.default_rng(seed).uniform(-0.04, 0.04, places.shape))


def heap(case: Case, starts: np.ndarray, dt: float = 0.01) -> tuple[np.ndarray, np.ndarray]:
    """Places and speeds of spheres at the end, from several starts (e, n, 3), in a world of so many environments.

    They come to rest in a world between gates, and run off in another, with steps of ``dt``.
    """
    bed, _ = _run(case, starts, PLATE, FINE, SETTLES)
    return _run(case, bed, BOX, dt, case.seconds)


def _run(case: Case, starts: np.ndarray, end: float, dt: float, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    # 8 as figures were made: by default there are more for deep beds
    made = px.World(num_envs=len(starts), dt=dt, deformable_steps=8)
    half = case.thickness * RADIUS
    for normal, away in (((0, 1, 0), half), ((0, -1, 0), half), ((1, 0, 0), end), ((-1, 0, 0), end)):
        made.add_ground(height=-away, normal=normal, friction=0.0)
    plate = px.Shape("box", (PLATE, half + DIAMETER, DIAMETER))
    made.add_rigid_object(plate, "plate", kind="kinematic", position=(0, 0, -DIAMETER), friction=0.0)
    spheres = made.add_particles(
        starts[0], radius=RADIUS, density=2500.0, friction=case.wall_friction, friction_combine="max",
        particle_friction=case.friction, rolling_friction=case.rolling,
    )  # fmt: skip
    made.build()
    spheres.set_node_state(pos=starts)
    made.step(round(seconds / dt))
    return np.asarray(spheres.node_pos, float), np.linalg.norm(np.asarray(spheres.node_vel, float), axis=-1)


def slopes(pos: np.ndarray) -> list[float]:
    """Of the two sides of a heap, degrees, between 15 and 85 % of the way to the end of the plate."""
    stays = pos[pos[:, 2] > 0]
    at, top = np.floor(stays[:, 0] / DIAMETER).astype(int), {}
    for column, height in zip(at, stays[:, 2], strict=True):
        top[column] = max(top.get(column, 0.0), height / DIAMETER)
    found = []
    for side in (-1, 1):
        away = {side * (column + 0.5): height for column, height in top.items()}
        points = np.array([(x, z) for x, z in away.items() if 0.15 * 15 < x < 0.85 * 15])
        found.append(float(np.degrees(np.arctan(-np.polyfit(points[:, 0], points[:, 1], 1)[0]))))
    return found


def _overlap(pos: np.ndarray) -> float:
    """Of 99 of 100 that touch at most, in radii."""
    pairs = KDTree(pos).query_pairs(DIAMETER, output_type="ndarray")
    apart = np.linalg.norm(pos[pairs[:, 0]] - pos[pairs[:, 1]], axis=1)
    return float(np.quantile(DIAMETER - apart, 0.99) / RADIUS)


def summary(heaps: list[np.ndarray], speeds: list[np.ndarray], seconds: float) -> dict[str, Any]:
    """What is written down of heaps from several starts."""
    stay = [pos[:, 2] > 0 for pos in heaps]
    angles = [slopes(pos) for pos in heaps]
    return {
        "angle": float(np.mean(angles)),
        "standard_error": float(np.std(angles, ddof=1) / np.sqrt(np.size(angles))),
        "slopes": angles,
        "stay": [int(on.sum()) for on in stay],
        "overlap": [_overlap(pos[on]) for on, pos in zip(stay, heaps, strict=True)],
        "move": [int((speed[on] > 0.01).sum()) for on, speed in zip(stay, speeds, strict=True)],
        "processor_seconds": seconds,
    }


def measure(case: Case, peers: bool, most: int) -> dict[str, Any]:
    """Angles of a case, from so many starts, beside those of the formula and of discrete elements."""
    starts = np.stack([start(case.thickness, seed) for seed in range(case.seeds)])
    began = time.process_time()
    pos, speed = heap(case, starts[:most])
    found = {
        **vars(case),
        "spheres": starts.shape[1],
        "published": case.published(),
        "phalanx": summary(list(pos), list(speed), time.process_time() - began),
    }
    for name, own in (("rolling_spring", False), ("against_own_spin", True)) if peers else ():
        from oracles.plate_discharge import discharge

        began = time.process_time()
        ends = [
            discharge(
                one, RADIUS, PLATE, BOX, case.thickness * DIAMETER, case.friction, case.wall_friction, case.rolling,
                FILLS, case.seconds, own,
            )
            for one in starts
        ]  # fmt: skip
        spent = time.process_time() - began
        found[name] = summary([end[0] for end in ends], [np.linalg.norm(end[1], axis=1) for end in ends], spent)
    return found


def main() -> None:
    """One line for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="where figures are kept, beside those of other cases")
    parser.add_argument("--cases", type=int, nargs="*", default=range(len(CASES)), help="only these, by number")
    parser.add_argument("--no-peers", action="store_true", help="without springs and dashpots")
    parser.add_argument("--starts", type=int, default=2, help="at most so many for Phalanx")
    given = parser.parse_args()
    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
    for number in given.cases:
        found = measure(CASES[number], not given.no_peers, given.starts)
        named = {name: value["angle"] for name, value in found.items() if isinstance(value, dict)}
        print(CASES[number], f"published {found['published']:.1f}", *(f"{k} {v:.1f}" for k, v in named.items()))
        if given.json is not None:
            kept = json.loads(given.json.read_text())["cases"] if given.json.exists() else {}
            cases = dict(sorted({**kept, str(number): {**kept.get(str(number), {}), **found}}.items()))
            whole = {"schema": 1, "benchmark": "angle_of_repose", "machine": machine(), "cases": cases}
            given.json.write_text(json.dumps(whole, indent=1) + "\n")


if __name__ == "__main__":
    main()
