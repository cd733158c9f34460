"""Grains are poured on a cloth that hangs by its corners: they fill it and weigh it down.

Prints what the corners bear and how many grains are in the cloth, beside what is expected.
"""

from __future__ import annotations

import numpy as np
from film import STEEL, Figures, Film, arguments

import phalanx as px
from phalanx.images.pictures.picture import Camera

SIDE, SQUARES = 0.36, 20  # m; of the cloth along each side
HEIGHT = 0.25  # m, of the corners
RADIUS = 0.006  # m, of a grain


def main() -> None:
    options = arguments(__doc__)
    world = px.World(dt=0.01, dtype="float32", device="cpu")
    world.add_ground()
    mesh = px.ClothMesh.grid(SIDE, SIDE, SQUARES, SQUARES)
    cloth = world.add_cloth(
        mesh,
        "cloth",
        thickness=1e-3,
        density=400.0,
        youngs_modulus=2e5,
        bending_stiffness=1e-5,
        damping=5.0,
        friction=0.5,
        position=(0, 0, HEIGHT),
        touches_cloth=True,
    )
    grains = world.add_particles(
        px.PointSet.grid((6, 6, 6), 2.03 * RADIUS, jitter=0.06 * RADIUS),
        "grains",
        radius=RADIUS,
        friction=0.5,
        rolling_friction=0.1,
        damping=3.0,
        position=(0, 0, HEIGHT + 0.06),
        touches_cloth=True,
    )
    corners = np.flatnonzero((np.abs(mesh.nodes[:, :2]).sum(axis=1)) > SIDE - 1.5 * SIDE / SQUARES)  # three at each
    for number, (x, y) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        post = px.Shape("cylinder", (0.004, HEIGHT / 2), color=STEEL)
        place = (x * (SIDE / 2 + 0.006), y * (SIDE / 2 + 0.006), HEIGHT / 2)
        world.add_rigid_object(post, f"post {number}", kind="static", position=place)
    ties = world.attach_nodes(cloth, corners)
    world.build()
    borne = []
    with Film(world, options, Camera((0.45, -0.6, 0.55), (0.0, 0.0, 0.17))) as film:
        for n in range(320):
            film.step()
            if n >= 220:
                borne.append(ties.force[0, :, 2].sum())
        film.picture()
    figures = Figures()
    pos = grains.node_pos[0]
    inside = (np.abs(pos[:, :2]) < SIDE / 2).all(axis=1) & (pos[:, 2] > cloth.node_pos[0, :, 2].min())
    weight = 9.81 * float(grains.node_mass[0][inside].sum() + cloth.node_mass.sum())
    figures.row("the corners bear", float(np.mean(borne)), weight, "N", 0.01 * weight)
    figures.row("grains in the cloth", float(inside.sum()), grains.num_nodes, "", 0.0)
    figures.end()


if __name__ == "__main__":
    main()
