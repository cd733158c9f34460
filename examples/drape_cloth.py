"""A cloth falls on a ball that spins, drapes over it and turns with it, in environments of different friction.

With little friction it slides off. Prints for each environment how much of the cloth is still up there, how fast that
turns, and how near it comes to the ball; ``--picture`` draws the first environment (needs matplotlib).
"""

from __future__ import annotations

import argparse

import numpy as np

import phalanx as px

RADIUS, HEIGHT, SPIN = 0.1, 0.3, 3.0
THICKNESS = 2e-3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=150, help="steps of 1/60 s")
    parser.add_argument("--squares", type=int, default=16, help="of the cloth along each side")
    parser.add_argument("--picture", help="a file to draw the first environment to")
    args = parser.parse_args()
    friction = np.array([0.6, 0.3, 0.05])
    world = px.World(num_envs=len(friction), dt=1 / 60, device="cpu")
    world.add_ground()
    ball = world.add_rigid_object(
        px.Shape("sphere", (RADIUS,)),
        "ball",
        kind="kinematic",
        position=(0, 0, HEIGHT),
        friction=2.0,
        friction_combine="min",
    )
    cloth = world.add_cloth(
        px.ClothMesh.grid(0.4, 0.4, args.squares, args.squares),
        "cloth",
        position=(0, 0, HEIGHT + RADIUS + 0.05),
        thickness=THICKNESS,
        bending_stiffness=1e-5,
        friction_combine="min",
    )
    world.build()
    cloth.set_friction(friction)
    for n in range(args.steps):
        angle = SPIN * (n + 1) * world.dt
        ball.set_kinematic_target((0, 0, HEIGHT, np.cos(angle / 2), 0, 0, np.sin(angle / 2)))
        world.step()
    pos, vel = cloth.node_pos, cloth.node_vel
    away = np.linalg.norm(pos - (0, 0, HEIGHT), axis=2) - RADIUS
    print("friction  on the ball  turns at  least distance")
    for env, found in enumerate(friction):
        near = away[env] < 2 * THICKNESS
        turned = pos[env, near, 0] * vel[env, near, 1] - pos[env, near, 1] * vel[env, near, 0]
        around = np.square(pos[env, near, :2]).sum()
        rate = turned.sum() / around if near.any() else 0.0
        print(f"{found:8.2f}  {near.mean():11.0%}  {rate:4.2f} rad/s  {1000 * away[env].min():8.3f} mm")
    if args.picture:
        draw(pos[0], cloth.mesh.triangles, args.picture)


def draw(pos: np.ndarray, triangles: np.ndarray, path: str) -> None:
    """The cloth and the ball, seen from above and aside."""
    import matplotlib.pyplot as plt

    axes = plt.figure(figsize=(6, 6)).add_subplot(projection="3d")
    axes.plot_trisurf(*pos.T, triangles=triangles, color="tab:orange", edgecolor="k", linewidth=0.2, shade=True)
    axes.set_box_aspect((1, 1, 1))
    axes.set(xlim=(-0.2, 0.2), ylim=(-0.2, 0.2), zlim=(0.1, 0.5), xlabel="x, m", ylabel="y, m", zlabel="z, m")
    axes.view_init(25, 40)
    plt.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
