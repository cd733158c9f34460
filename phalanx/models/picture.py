"""A picture that a robot's file puts on a shape, and what is looked at before one is taken."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.io.reading import limits
from phalanx.io.reading.boundary import of_file, place
from phalanx.io.reading.errors import LoadError


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture on a mesh.

    Attributes:
        path: of its file, which was found where the robot's file may have files.
        uv: (faces, 3, 2) float32: where the corners of the faces are in the picture; (0, 0) is its lower left, (1, 1)
            its upper right corner, and beyond these it repeats. ``None``: as the mesh's own file says.
    """

    path: str
    uv: np.ndarray | None = None


def open_picture(path: str | os.PathLike[str]) -> Any:
    """A :class:`PIL.Image.Image` of which only the header was read.

    Raises:
        LoadError: it is missing, no picture of a known format, or larger than the limits allow.
    """
    from PIL import Image, UnidentifiedImageError

    error = of_file(path)
    with place(error):
        if not os.path.isfile(path):
            raise error("there is no such file; check the path.")
        limits.check("mesh_bytes", os.path.getsize(path), error)
        try:  # of the formats that Pillow knows some start other programs
            image = Image.open(path, formats=limits.PICTURES)
        except UnidentifiedImageError:
            raise error(f"this is no picture; use one of {', '.join(limits.PICTURES)}.") from None
        try:
            limits.check("pixels", image.width * image.height, error)
        except LoadError:
            image.close()
            raise
        return image


def check_picture(path: str | os.PathLike[str]) -> None:
    """See :func:`open_picture`, for its errors."""
    open_picture(path).close()
