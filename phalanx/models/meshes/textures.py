"""Pictures on meshes, as their files say: which picture a triangle has, and where its corners are in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.io.reading import limits
from phalanx.io.reading.beside import Beside
from phalanx.io.reading.errors import LoadError
from phalanx.io.reading.mesh_files import read_scene
from phalanx.models.meshes.mesh_files import load_mesh

TEXTURED = ("dae", "glb", "obj")
"""Formats that can have pictures."""


@dataclass(frozen=True)
class FaceTextures:
    """Of the faces of a mesh, in their order.

    Attributes:
        image: (faces,): which of the pictures; -1: none.
        uv: (faces, 3, 2) float32: where its corners are in the picture; (0, 0) is its lower left, (1, 1) its upper
            right corner.
        images: pictures (:class:`PIL.Image.Image`, RGB or RGBA).
    """

    image: np.ndarray
    uv: np.ndarray
    images: tuple[Any, ...]


def face_textures(path: str | os.PathLike[str], faces: np.ndarray) -> FaceTextures | None:
    """Pictures on a mesh that was read from a file.

    Args:
        path: of the file.
        faces: (m, 3): of the mesh, as :func:`~.mesh_files.load_mesh` returned them.

    Returns:
        ``None`` if the file is no longer there, has no pictures that can be read, or other faces.
    """
    try:
        status = os.stat(path)
        known = load_mesh(os.fspath(path))[1]
    except (OSError, LoadError):
        return None
    found = _parsed(os.path.realpath(path), status.st_mtime_ns, status.st_size)
    if found is None or len(found.image) != len(known):
        return None
    if np.array_equal(known, faces):
        return found
    if np.array_equal(known[:, ::-1], faces):  # of a mirrored mesh
        return FaceTextures(found.image, found.uv[:, ::-1], found.images)
    return None


@lru_cache(maxsize=64)
def _parsed(path: str, _mtime: int, _size: int) -> FaceTextures | None:
    kind = Path(path).suffix[1:].lower()
    if kind not in TEXTURED:
        return None
    try:
        scene, _, _ = read_scene(path, kind, looks=True, beside=Beside(path))
        parts = [scene.geometry[scene.graph[node][1]] for node in scene.graph.nodes_geometry]
        images: dict[int, tuple[int, Any]] = {}
        found = [_of_part(part, images) for part in parts]
    except Exception:  # materials are often broken, in as many ways as there are formats; shapes are shown without them
        return None
    if not images:
        return None
    numbers, places = zip(*found, strict=True)
    pictures = tuple(image for _, image in images.values())
    return FaceTextures(np.concatenate(numbers), np.concatenate(places).astype(np.float32), pictures)


def _of_part(part: Any, images: dict[int, tuple[int, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of pictures and places in them, of a part's faces; ``images`` gets those that are new."""
    faces = np.asarray(getattr(part, "faces", np.zeros((0, 3))), np.int64)
    none = np.full(len(faces), -1), np.zeros((len(faces), 3, 2))
    visual: Any = getattr(part, "visual", None)
    if visual is None or visual.kind != "texture" or visual.uv is None or not len(faces):
        return none
    material = visual.material
    image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
    uv = np.asarray(visual.uv, float)
    if image is None or uv.ndim != 2 or uv.shape[1] != 2 or faces.max() >= len(uv) or not np.isfinite(uv).all():
        return none
    if id(image) not in images:
        limits.check("pixels", image.width * image.height, LoadError)
        if image.format not in (None, *limits.PICTURES):  # None: of one that is unpacked already
            raise LoadError(f"pictures in {image.format} are not read")
        images[id(image)] = len(images), image
    return np.full(len(faces), images[id(image)][0]), uv[faces]
