"""Triangles of the meshes that commands make."""

from __future__ import annotations

import math

import numpy as np

_ROUND = 32
"""Edges of a circle."""


def mesh_of(kind: str, half: float, middle: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) and triangles (m, 3) of a closed surface, z its axis; of a plane and a disk the one side.

    Args:
        kind: "Cube", "Sphere", "Cylinder", "Cone", "Torus", "Plane" or "Disk".
        half: half of its size along x and y, and along z but for the torus, whose tube has half of it as its diameter.
        middle: (3,) where its middle is.

    Raises:
        ValueError: there is no such mesh.
    """
    made = {"Cube": _cube, "Sphere": _sphere, "Cylinder": _cylinder, "Cone": _cone}
    made |= {"Torus": _torus, "Plane": _plane, "Disk": _disk}
    if kind not in made:
        raise ValueError(f"there is no mesh {kind!r}; there are {', '.join(made)}")
    points, triangles = made[kind]()
    return np.asarray(points, float) * half + np.asarray(middle, float), np.asarray(triangles, np.int64)


def _cube() -> tuple[np.ndarray, np.ndarray]:
    points = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return points, np.array([each for a, b, c, d in faces for each in ((a, b, c), (a, c, d))])


def _turned(profile: list[tuple[float, float]], closed: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """A line of radii and heights, from below, turned about z; where the radius is 0 it has one point."""
    angles = 2.0 * math.pi * np.arange(_ROUND) / _ROUND
    rings, points = [], []
    for radius, height in profile:
        count = _ROUND if radius > 0.0 else 1
        rings.append([len(points) + i % count for i in range(_ROUND)])
        points += [(radius * math.cos(a), radius * math.sin(a), height) for a in angles[:count]]
    triangles = []
    for low, high in zip(rings, rings[1:] + (rings[:1] if closed else []), strict=False):
        for i in range(_ROUND):
            j = (i + 1) % _ROUND
            triangles += [(low[i], low[j], high[j]), (low[i], high[j], high[i])]
    return np.array(points), np.array([one for one in triangles if len(set(one)) == 3])


def _sphere() -> tuple[np.ndarray, np.ndarray]:
    angles = [math.pi * (i / (_ROUND // 2) - 0.5) for i in range(1, _ROUND // 2)]
    return _turned([(0.0, -1.0), *((math.cos(a), math.sin(a)) for a in angles), (0.0, 1.0)])


def _cylinder() -> tuple[np.ndarray, np.ndarray]:
    return _turned([(0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 1.0)])


def _cone() -> tuple[np.ndarray, np.ndarray]:
    return _turned([(0.0, -1.0), (1.0, -1.0), (0.0, 1.0)])


def _torus() -> tuple[np.ndarray, np.ndarray]:
    angles = 2.0 * math.pi * np.arange(_ROUND // 2) / (_ROUND // 2)
    return _turned([(0.75 + 0.25 * math.cos(a), 0.25 * math.sin(a)) for a in angles], closed=True)


def _plane() -> tuple[np.ndarray, np.ndarray]:
    return np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], float), np.array([(0, 1, 2), (0, 2, 3)])


def _disk() -> tuple[np.ndarray, np.ndarray]:
    angles = 2.0 * math.pi * np.arange(_ROUND) / _ROUND
    points = [(0.0, 0.0, 0.0), *((math.cos(a), math.sin(a), 0.0) for a in angles)]
    return np.array(points), np.array([(0, 1 + i, 1 + (i + 1) % _ROUND) for i in range(_ROUND)])


__all__ = ["mesh_of"]
