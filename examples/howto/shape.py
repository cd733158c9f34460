"""A shape of one's own: a frustum (a cone without its top), as the convex mesh that it nearly is.

Every room of the engine knows convex meshes: contact, rays, pictures, mass properties, files, recordings. What they are
not is smooth: a frustum of ``sides`` sides rolls on flat sides of its own.
"""

from __future__ import annotations

import math

import numpy as np

import phalanx as px


def frustum(lower: float, upper: float, height: float, sides: int = 32) -> px.Shape:
    """A frustum about the z axis, its middle at half its height.

    Args:
        lower, upper: radii at the bottom and at the top, m; not negative, one of them above 0.
        height: m, above 0.
        sides: of the polygons that stand for its circles; their area is that of the circles, so volume and mass are
            right, and corners stand out by (pi / sides)^2 / 3 of the radius.

    Raises:
        ValueError: a number is out of range.
    """
    if min(lower, upper) < 0.0 or max(lower, upper) <= 0.0 or height <= 0.0 or sides < 3:
        raise ValueError(f"frustum({lower}, {upper}, {height}, {sides}): radii, height and sides must be positive")
    angle = 2.0 * math.pi / sides
    stretch = math.sqrt(angle / math.sin(angle))  # of a polygon with the area of the circle
    turns = angle * np.arange(sides)
    circle = stretch * np.stack([np.cos(turns), np.sin(turns), np.zeros(sides)], axis=1)
    ends = [radius * circle + (0.0, 0.0, z) for radius, z in ((lower, -0.5 * height), (upper, 0.5 * height))]
    return px.Shape("mesh", vertices=np.unique(np.concatenate(ends), axis=0), approximation="convex_hull")


def main() -> None:
    world = px.World(num_envs=2, dt=0.005)
    world.add_ground()
    bucket = world.add_rigid_object(frustum(0.1, 0.15, 0.3), "bucket", density=500.0, position=(0, 0, 0.16))
    volume = math.pi * 0.3 / 3.0 * (0.1**2 + 0.1 * 0.15 + 0.15**2)
    world.step(200)
    print(f"mass    {bucket.mass[0]:.4f} kg, of a true frustum {500.0 * volume:.4f} kg")
    print(f"height  {bucket.root_pose[0, 2]:.4f} m, of one that stands 0.1500 m")


if __name__ == "__main__":
    main()
