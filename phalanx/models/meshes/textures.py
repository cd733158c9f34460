"""Pictures on meshes, as their files or those of robots say: which one a triangle has, and where its corners are."""

from __future__ import annotations

import os
import warnings
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
from phalanx.models.picture import Picture, open_picture
from phalanx.models.robot_model import Shape

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


def shape_textures(shape: Shape) -> FaceTextures | None:
    """Pictures on a shape: the one that the robot's file gives it, or else those of the mesh's file.

    The shape's colour tints the first, and hides the others unless it is white.

    Args:
        shape: any.

    Returns:
        ``None`` if it is no mesh, or there are none that can be read; of what a robot's file names this is warned of.
    """
    if shape.kind != "mesh" or shape.faces is None or not len(shape.faces):
        return None
    if shape.picture is None:
        plain = shape.color is None or min(shape.color[:3]) >= 1.0
        return face_textures(shape.mesh_file, shape.faces) if plain and shape.mesh_file else None
    faces, picture = np.asarray(shape.faces), shape.picture
    uv = face_coordinates(shape.mesh_file, faces) if picture.uv is None else picture.uv
    if uv is None or len(uv) != len(faces):
        warnings.warn(
            f"{shape.mesh_file}: it has no texture coordinates, so that {picture.path} is not shown on it.",
            stacklevel=2,
        )
        return None
    image = _given(picture, (1.0, 1.0, 1.0) if shape.color is None else shape.color[:3])
    return None if image is None else FaceTextures(np.zeros(len(faces), np.int64), np.asarray(uv, np.float32), (image,))


def _given(picture: Picture, tint: tuple[float, ...]) -> Any:
    """The picture in a colour, or ``None``."""
    try:
        return _tinted(*_version(picture.path), tuple(round(255 * v) for v in tint))
    except (OSError, LoadError) as error:
        warnings.warn(f"a texture is not shown: {error}", stacklevel=3)
        return None


@lru_cache(maxsize=64)
def _tinted(path: str, _mtime: int, _size: int, tint: tuple[int, ...]) -> Any:
    from PIL import Image, ImageChops

    with open_picture(path) as opened:
        try:
            image = opened.convert("RGBA" if "A" in opened.getbands() or "transparency" in opened.info else "RGB")
        except Exception as error:  # decoders fail in as many ways as there are formats
            raise LoadError(f"{path}: the picture is damaged ({type(error).__name__}).") from None
    if min(tint) >= 255:
        return image
    full = (*tint, 255)[: len(image.getbands())]
    return ImageChops.multiply(image, Image.new(image.mode, image.size, full))


def _known(path: str | os.PathLike[str], faces: np.ndarray) -> tuple[tuple[str, int, int], slice] | None:
    """What the file of a mesh is remembered by, and how corners of faces follow its own: backwards in a mirrored mesh.

    Returns:
        ``None`` if the file is no longer there, or has other faces.
    """
    try:
        version, known = _version(path), load_mesh(os.fspath(path))[1]
    except (OSError, LoadError):
        return None
    orders = (slice(None), slice(None, None, -1))
    return next(((version, order) for order in orders if np.array_equal(known[:, order], faces)), None)


def _version(path: str | os.PathLike[str]) -> tuple[str, int, int]:
    """What a file that was read is remembered by: its place, and when and how large it was written."""
    status = os.stat(path)
    return os.path.realpath(path), status.st_mtime_ns, status.st_size


def face_coordinates(path: str | os.PathLike[str], faces: np.ndarray) -> np.ndarray | None:
    """Places in a picture, (faces, 3, 2) float32, of the corners of a mesh's faces, as the mesh's file has them.

    Args:
        path: of the file.
        faces: (m, 3): of the mesh, as :func:`~.mesh_files.load_mesh` returned them.

    Returns:
        ``None`` if the file is no longer there, has none, or other faces.
    """
    known = _known(path, faces)
    found = None if known is None else _coordinates(*known[0])
    return None if known is None or found is None or len(found) != len(faces) else found[:, known[1]]


@lru_cache(maxsize=64)
def _coordinates(path: str, _mtime: int, _size: int) -> np.ndarray | None:
    found = []
    for part in _parts(path):
        faces, uv = _faces(part), _uv(part)
        if uv is None:
            return None
        found.append(uv[faces])
    return np.concatenate(found).astype(np.float32) if found else None


def face_textures(path: str | os.PathLike[str], faces: np.ndarray) -> FaceTextures | None:
    """Pictures on a mesh that was read from a file.

    Args:
        path: of the file.
        faces: (m, 3): of the mesh, as :func:`~.mesh_files.load_mesh` returned them.

    Returns:
        ``None`` if the file is no longer there, has no pictures that can be read, or other faces.
    """
    known = _known(path, faces)
    found = None if known is None else _parsed(*known[0])
    if known is None or found is None or len(found.image) != len(faces):
        return None
    return FaceTextures(found.image, found.uv[:, known[1]], found.images)


@lru_cache(maxsize=64)
def _parsed(path: str, _mtime: int, _size: int) -> FaceTextures | None:
    try:
        images: dict[int, tuple[int, Any]] = {}
        found = [_of_part(part, images) for part in _parts(path)]
    except Exception:  # materials are often broken, in as many ways as there are formats; shapes are shown without them
        return None
    if not images:
        return None
    numbers, places = zip(*found, strict=True)
    pictures = tuple(image for _, image in images.values())
    return FaceTextures(np.concatenate(numbers), np.concatenate(places).astype(np.float32), pictures)


def _parts(path: str) -> list[Any]:
    """The meshes of a file, in the order of its faces."""
    kind = Path(path).suffix[1:].lower()
    if kind not in TEXTURED:
        return []
    scene, _, _ = read_scene(path, kind, looks=True, beside=Beside(path))
    return [scene.geometry[scene.graph[node][1]] for node in scene.graph.nodes_geometry]


def _faces(part: Any) -> np.ndarray:
    return np.asarray(getattr(part, "faces", np.zeros((0, 3))), np.int64)


def _uv(part: Any) -> np.ndarray | None:
    """(vertices, 2) of a part, if all of its faces have some."""
    visual: Any = getattr(part, "visual", None)
    if visual is None or visual.kind != "texture" or visual.uv is None:
        return None
    uv, faces = np.asarray(visual.uv, float), _faces(part)
    fits = uv.ndim == 2 and uv.shape[1] == 2 and not (len(faces) and faces.max() >= len(uv))
    return uv if fits and np.isfinite(uv).all() else None


def _of_part(part: Any, images: dict[int, tuple[int, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of pictures and places in them, of a part's faces; ``images`` gets those that are new."""
    faces, uv = _faces(part), _uv(part)
    none = np.full(len(faces), -1), np.zeros((len(faces), 3, 2))
    if uv is None or not len(faces):
        return none
    material = part.visual.material
    image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
    if image is None:
        return none
    if id(image) not in images:
        limits.check("pixels", image.width * image.height, LoadError)
        if image.format not in (None, *limits.PICTURES):  # None: of one that is unpacked already
            raise LoadError(f"pictures in {image.format} are not read")
        images[id(image)] = len(images), image
    return np.full(len(faces), images[id(image)][0]), uv[faces]
