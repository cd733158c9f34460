"""Meshes and height fields of a file, opened when something needs them."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path

import numpy as np

from phalanx.io.formats.mjcf.source import MeshAsset, Source
from phalanx.io.formats.mjcf.values import Values
from phalanx.io.reading import limits
from phalanx.io.reading.boundary import place, read_bytes
from phalanx.io.reading.errors import LoadError
from phalanx.maths.arrays import matrix, unit
from phalanx.models.meshes.mesh_files import convex_hull, load_mesh


def mesh(asset: MeshAsset, source: Source) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) in m and faces (m, 3) of a mesh, once it is moved, turned and scaled as the asset says."""
    if asset.vertices is not None and asset.faces is not None:
        return asset.vertices, asset.faces
    values = asset.values
    if values.has("builtin") and values.word("builtin") != "none":
        raise values.error("builtin", "meshes made by name cannot be had; export it to a file")
    if values.has("file"):
        path = source.file(values)
        asset.path = str(path)
        try:
            vertices, faces = _legacy(path) if path.suffix.lower() == ".msh" else load_mesh(path)
        except LoadError as error:
            raise values.error("file", f"the mesh cannot be used: {error}".rstrip(".")) from None
    elif values.has("vertex"):
        vertices = _triples(values, "vertex")
        faces = _triples(values, "face").astype(np.int64) if values.has("face") else convex_hull(vertices)[1]
        if len(faces) and not (faces.min() >= 0 and faces.max() < len(vertices)):
            raise values.error("face", f"a face names a vertex that does not exist; there are {len(vertices)}")
        if not values.has("face"):
            vertices, faces = convex_hull(vertices)
    else:
        raise values.element.error("it has neither a file nor vertices; give one of them.")
    scale = values.vector("scale", 3, (1.0, 1.0, 1.0))
    if not scale.all():
        raise values.error("scale", "it must not be zero")
    offset = values.vector("refpos", 3, (0.0, 0.0, 0.0))
    turned = matrix(unit(values.vector("refquat", 4, (1.0, 0.0, 0.0, 0.0))))
    vertices = (np.asarray(vertices, float) - offset) @ turned * scale
    if not np.isfinite(vertices).all() or not len(vertices):
        raise values.element.error("its vertices must be finite, and there must be some.")
    limits.check("length", float(np.abs(vertices).max()), values.element.error)
    if np.prod(scale) < 0.0:
        faces = faces[:, ::-1]
    asset.vertices, asset.faces = vertices, np.asarray(faces, np.int64)
    given = values.numbers("texcoord")
    inline = values.has("vertex") and values.has("face")
    if inline and len(given) == 2 * len(vertices):  # from the picture's upper left corner on
        asset.uv = (given.reshape(-1, 2) * [1.0, -1.0] + [0.0, 1.0])[asset.faces].astype(np.float32)
    return vertices, asset.faces


def _triples(values: Values, name: str) -> np.ndarray:
    found = values.numbers(name)
    if len(found) % 3 or not len(found):
        raise values.element.error(f'"{name}" has {len(found)} numbers; it needs three for each.')
    return found.reshape(-1, 3)


def _legacy(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """A .msh file: numbers of vertices, normals, texture coordinates and faces, then all of them as they are."""
    data = read_bytes(path)
    if len(data) < 16:
        raise LoadError(f"{path}: the file is too short for a .msh file.")
    vertices, normals, textures, faces = np.frombuffer(data, "<i4", 4).tolist()
    floats = 3 * vertices + 3 * normals + 2 * textures
    if min(vertices, normals, textures, faces) < 0 or len(data) != 16 + 4 * (floats + 3 * faces):
        raise LoadError(f"{path}: its length is not what its first numbers say; export it again.")
    points = np.frombuffer(data, "<f4", 3 * vertices, 16).reshape(-1, 3).astype(float)
    corners = np.frombuffer(data, "<i4", 3 * faces, 16 + 4 * floats).reshape(-1, 3).astype(np.int64)
    if not np.isfinite(points).all() or (len(corners) and not 0 <= corners.min() <= corners.max() < vertices):
        raise LoadError(f"{path}: a vertex is not finite, or a face names one that does not exist; export it again.")
    return (points, corners) if len(corners) else convex_hull(points)


def height_field(values: Values, source: Source) -> tuple[np.ndarray, tuple[float, float]]:
    """Heights (along x, along y) in m and the spacing along both, m."""
    half_x, half_y, top, _ = values.vector("size", 4)
    if not (half_x > 0.0 and half_y > 0.0 and top > 0.0):
        raise values.error("size", "it must be positive")
    if values.has("file"):
        grid = _grid(source.file(values), values)
    else:
        rows, columns = values.whole("nrow"), values.whole("ncol")
        given = values.numbers("elevation")
        limits.check("heights", max(rows, 0) * max(columns, 0), values.element.error)
        if rows < 2 or columns < 2 or len(given) not in (0, rows * columns):
            raise values.element.error(f"it has {len(given)} elevations for {rows} rows and {columns} columns.")
        # Rows are written as they are seen, the first one farthest along y.
        grid = given.reshape(rows, columns)[::-1] if len(given) else np.zeros((rows, columns))
    if min(grid.shape) < 2 or not np.isfinite(grid).all():
        raise values.element.error("its heights must be finite, in at least two rows and columns.")
    grid = grid - grid.min()
    if grid.max() > 0.0:
        grid = grid / grid.max()
    rows, columns = grid.shape
    return (top * grid).T.copy(), (2.0 * half_x / (columns - 1), 2.0 * half_y / (rows - 1))


def _grid(path: Path, values: Values) -> np.ndarray:
    """Elevations (rows along y, columns along x) of a picture, or of a binary file with their numbers in front."""
    if path.suffix.lower() == ".png":
        from PIL import Image, UnidentifiedImageError

        with place(partial(values.error, "file")):
            data = read_bytes(path)
            try:  # reads its header; of the formats that Pillow knows some start other programs
                opened = Image.open(io.BytesIO(data), formats=["PNG"])
            except UnidentifiedImageError:
                raise values.error("file", "it holds no PNG picture") from None
            with opened as picture:
                limits.check("heights", picture.width * picture.height, partial(values.error, "file"))
                return np.asarray(picture.convert("L"), float)[::-1]
    data = read_bytes(path)
    rows, columns = np.frombuffer(data, "<i4", 2).tolist() if len(data) >= 8 else (0, 0)
    if rows < 2 or columns < 2 or len(data) != 8 + 4 * rows * columns:
        raise values.error("file", "its length is not what its first numbers say")
    return np.frombuffer(data, "<f4", rows * columns, 8).reshape(rows, columns).astype(float)
