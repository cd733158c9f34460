"""Shapes with a picture on them: meshes, and boxes as meshes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from phalanx.models.picture import Picture
from phalanx.models.robot_model import Shape

SIDES = np.array(
    [
        [(1, -1, -1), (1, 1, -1), (1, 1, 1), (1, -1, 1)],
        [(-1, 1, -1), (-1, -1, -1), (-1, -1, 1), (-1, 1, 1)],
        [(1, 1, -1), (-1, 1, -1), (-1, 1, 1), (1, 1, 1)],
        [(-1, -1, -1), (1, -1, -1), (1, -1, 1), (-1, -1, 1)],
        [(-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)],
        [(-1, 1, -1), (1, 1, -1), (1, -1, -1), (-1, -1, -1)],
    ],
    float,
)
"""(6, 4, 3): sides of a box, each from the lower left corner of its picture on, counter-clockwise seen from outside."""

CORNERS = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
"""(4, 2): of a picture."""


def pictured(shape: Shape, path: str) -> Shape | None:
    """A shape with a picture on it.

    A mesh has it where its own file has texture coordinates. A box is a mesh that has all of it on each of its sides,
    upright on those around z, and with y upwards on the upper one.

    Args:
        shape: to be looked at.
        path: of the picture.

    Returns:
        ``None`` for shapes of other kinds.
    """
    if shape.kind == "mesh":
        return replace(shape, picture=Picture(path))
    if shape.kind != "box":
        return None
    first = 4 * np.arange(6)[:, None, None]
    corners = np.array([[0, 1, 2], [0, 2, 3]])
    faces = (first + corners).reshape(-1, 3)
    uv = np.tile(CORNERS[corners], (6, 1, 1))
    vertices = (SIDES * shape.size).reshape(-1, 3)
    return replace(shape, kind="mesh", size=(), vertices=vertices, faces=faces, picture=Picture(path, uv))
