"""Makes the README's picture and clip, ``docs/pictures/hero.webp``: quadrupeds that trot across a field, each with its
own gait, and kick boxes.

    python docs/hero.py

Bodies are simulated and drawn by Phalanx, on the CPU in some minutes. Pillow writes the clip.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

import phalanx as px
from phalanx.images.pictures.framing import Camera
from phalanx.images.pictures.picture import WorldPainter
from phalanx.io.formats import library

CONTROL_STEPS = 4  # new targets every so many steps of 5 ms
DIAGONAL = {"FL": 0.0, "RR": 0.0, "FR": 0.5, "RL": 0.5}  # share of a cycle by which a leg is late
COUNT, APART = 36, 1.25
FPS, SECONDS, SIZE = 10, 10.0, (640, 360)


def trot(robot: px.Robot, frequency: np.ndarray, stride: np.ndarray, seconds: float) -> np.ndarray:
    """Joint targets (n, num_dof) of legs that swing in diagonal pairs."""
    targets = np.tile(robot.default_joint_pos, (len(frequency), 1))
    start = min(1.0, seconds / 0.5)
    for leg, late in DIAGONAL.items():
        cycle = 2 * np.pi * (frequency * seconds + late)
        lift = start * np.maximum(0.0, np.cos(cycle))
        targets[:, robot.joint_index(f"{leg}_thigh_joint")] += 0.3 * lift - start * stride * np.sin(cycle)
        targets[:, robot.joint_index(f"{leg}_calf_joint")] -= 0.6 * lift
    return targets


def simulate() -> tuple[px.World, np.ndarray]:
    """The world, and poses (frames, environments, bodies, 7) of its bodies."""
    world = px.World(num_envs=COUNT, dt=0.005)
    world.add_ground()
    robot = world.add_robot("quadruped", visuals=True)
    for number, (x, y) in enumerate(((0.62, 0.16), (1.1, -0.14), (1.75, 0.1))):
        size = (0.04, 0.05, 0.02 + 0.012 * number)
        world.add_rigid_object(px.Shape("box", size), f"box{number}", position=(x, y, size[2]), mass=0.4)
    robot.set_drive(*library.defaults("quadruped").gains(robot.joint_names))
    rng = np.random.default_rng(4)
    frequency, stride = rng.uniform(2.4, 3.0, COUNT), rng.uniform(0.2, 0.26, COUNT)
    per_frame = round(1.0 / FPS / world.dt)
    found = []
    for step in range(round(SECONDS * FPS) * per_frame):
        if step % CONTROL_STEPS == 0:
            robot.set_targets(pos=trot(robot, frequency, stride, step * world.dt))
        if step % per_frame == 0:
            found.append(np.concatenate([np.asarray(actor.body_pose) for actor in world.actors.values()], axis=1))
        world.step()
    return world, np.array(found)


def main() -> None:
    """Simulate, draw, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "pictures" / "hero.webp")
    parser.add_argument("--still", type=int, help="draw only this frame, as PNG")
    parser.add_argument("--passes", type=int, default=2)
    options = parser.parse_args()
    world, poses = simulate()
    camera = Camera((4.6, -4.4, 1.5), (0.4, 0.2, -0.1), 34.0)
    painter = WorldPainter(world, size=SIZE, spacing=APART, passes=options.passes, camera=camera, poses=poses[:1])
    frames = []
    chosen = range(len(poses)) if options.still is None else [options.still]
    way = np.median(poses[:, :, 0, 0], axis=1)
    way = np.convolve(np.pad(way, 12, mode="edge"), np.ones(25) / 25, mode="valid")  # the camera moves evenly
    for number in chosen:
        frames.append(Image.fromarray(painter.draw(poses[number], (float(way[number]), 0.0, 0.0))))
    if options.still is not None:
        frames[0].save(options.out)
        return
    frames[0].save(
        options.out, save_all=True, append_images=frames[1:], duration=round(1000 / FPS), loop=0, quality=50, method=2
    )
    print(f"{options.out}: {len(frames)} frames, {options.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
