"""Meshes with the pictures of their files, as the parts that rays meet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from phalanx.images.looks import Texture, decoded
from phalanx.models.meshes.colors import face_colors
from phalanx.models.meshes.tessellate import corner_normals
from phalanx.models.meshes.textures import shape_textures
from phalanx.models.robot_model import Shape
from phalanx.models.visible import Color
from phalanx.rays.geometry import RayGeometry, mesh_geometry

SIDE = 1024
"""Pixels: larger pictures are made smaller; four bytes of each are kept on the device, and a third more."""


class TexturedParts:
    """Makes them, each picture and each part once.

    A part of a mesh has one picture, the rest has the colours of the file's materials. How transparent pictures are is
    not looked at.
    """

    def __init__(self) -> None:
        self._known: dict[Any, list[tuple[RayGeometry, Texture | None]] | None] = {}
        self._textures: dict[int, tuple[Any, Texture]] = {}

    def of(self, shape: Shape, color: Color) -> list[tuple[RayGeometry, Texture | None]] | None:
        """Parts of a mesh, or ``None`` if it has no pictures, or a colour was given that hides them.

        Args:
            shape: any.
            color: of faces of which the file does not say one, 0 to 1.
        """
        plain, given = shape.color is None or min(shape.color[:3]) >= 1.0, shape.picture
        if shape.kind != "mesh" or not (given or (shape.mesh_file and plain)):
            return None
        if shape.faces is None or not len(shape.faces):
            return None
        key = (id(shape.vertices), id(shape.faces), shape.mesh_file, color, given and (given.path, id(given.uv)))
        if key not in self._known:
            self._known[key] = self._made(shape, color)
        return self._known[key]

    def _made(self, shape: Shape, color: Color) -> list[tuple[RayGeometry, Texture | None]] | None:
        vertices, faces = np.asarray(shape.vertices, float), np.asarray(shape.faces)
        textures = shape_textures(shape)
        if textures is None:
            return None
        normals = corner_normals(vertices, faces)
        made: list[tuple[RayGeometry, Texture | None]] = []
        for number, image in enumerate(textures.images):
            chosen = textures.image == number
            if chosen.any():
                part = _part(vertices, faces[chosen])
                made.append((part(uv=textures.uv[chosen], normals=normals[chosen]), self._texture(image)))
        rest = textures.image < 0
        if rest.any():
            colors = face_colors(shape.mesh_file, len(faces))
            colors = np.full((len(faces), 3), np.nan) if colors is None else colors
            shades = decoded(np.where(np.isnan(colors), color, colors))[rest]
            made.append((_part(vertices, faces[rest])(colors=shades, normals=normals[rest]), None))
        return made

    def _texture(self, image: Any) -> Texture:
        if id(image) not in self._textures:
            small = image.convert("RGB")
            small.thumbnail((SIDE, SIDE))
            self._textures[id(image)] = image, Texture(np.asarray(small, np.uint8))
        return self._textures[id(image)][1]


def _part(vertices: np.ndarray, faces: np.ndarray) -> Callable[..., RayGeometry]:
    """What makes a geometry of some faces, without vertices of others."""
    used, numbers = np.unique(faces, return_inverse=True)
    return lambda **arrays: mesh_geometry(vertices[used], numbers.reshape(faces.shape), **arrays)
