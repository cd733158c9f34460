"""What the bodies of a world look like, as batches of equal triangle meshes: a browser draws each batch at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.maths.arrays import matrix, product, rotate
from phalanx.models.meshes.colors import face_colors
from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.models.meshes.tessellate import Surface, surface
from phalanx.models.meshes.textures import shape_textures
from phalanx.models.pose import bodies_in_order
from phalanx.models.primitives import PRIMITIVES
from phalanx.models.robot_model import RobotModel, Shape
from phalanx.models.visible import DEFAULT_COLORS, Color, hex_color, visible_shapes
from phalanx.viewer.textured import TexturedMesh, textured

if TYPE_CHECKING:
    from phalanx.world.world import World

GEOMETRIES = ("visual", "collision")
"""Which of the shapes of bodies are shown."""

SHADES = 15
"""Steps of each channel to which colours of a mesh's faces are rounded: faces of a colour become a mesh."""

SMOOTH = 200_000
"""Triangles from which height fields share a vertex at each sample: half as much is sent, and edges look round."""

TERRAIN = (138, 148, 156)
"""sRGB of height fields without a colour."""

Rgb = tuple[int, int, int]


@dataclass
class Batch:
    """Instances of a mesh on bodies: n of them in each environment.

    Attributes:
        vertices, faces: (v, 3) float32, m, and (f, 3) uint32.
        opacity: 1 is opaque.
        bodies: (n,) which of all the world's bodies carries the instance.
        places: (n, 7): [x y z qw qx qy qz] in the frame of that body.
        scales: (n, 3).
        colors: (n, 3) uint8, sRGB.
        texture: the mesh with its picture, as a file of glTF; nothing if it has none.
    """

    vertices: np.ndarray
    faces: np.ndarray
    opacity: float
    bodies: np.ndarray
    places: np.ndarray
    scales: np.ndarray
    colors: np.ndarray
    texture: bytes = b""

    def poses(self, bodies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (k * n, 3) and orientations (k * n, 4) of all instances, of poses (k, bodies, 7), float32."""
        at = bodies[:, self.bodies]
        position = at[..., :3] + rotate(at[..., 3:], self.places[:, :3])
        orientation = product(at[..., 3:], self.places[:, 3:])
        return position.reshape(-1, 3).astype(np.float32), orientation.reshape(-1, 4).astype(np.float32)


class Instances:
    """All instances of some batches, placed at once.

    Args:
        batches: of meshes.
    """

    def __init__(self, batches: Sequence[Batch]) -> None:
        counts = [len(batch.bodies) for batch in batches]
        self._ends = np.cumsum(counts)[:-1] if counts else np.zeros(0, int)
        self._bodies = np.concatenate([batch.bodies for batch in batches]) if batches else np.zeros(0, np.int64)
        places = np.concatenate([batch.places for batch in batches]) if batches else np.zeros((0, 7))
        self._places = places[:, :3].astype(float)
        w, x, y, z = places[:, 3:].T.astype(float)
        # Of a quaternion on the right, as a matrix that what is on the left is multiplied with.
        rows = [[w, -x, -y, -z], [x, w, z, -y], [y, -z, w, x], [z, y, -x, w]]
        self._turns = np.array(rows).transpose(2, 0, 1)

    def poses(self, bodies: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of each batch what :meth:`Batch.poses` returns."""
        at = bodies[:, self._bodies]
        turned = matrix(bodies[..., 3:])[:, self._bodies]
        position = (at[..., :3] + (turned @ self._places[..., None])[..., 0]).astype(np.float32)
        orientation = (self._turns @ at[..., 3:, None])[..., 0].astype(np.float32)
        parts = zip(np.split(position, self._ends, axis=1), np.split(orientation, self._ends, axis=1), strict=True)
        return [(p.reshape(-1, 3), o.reshape(-1, 4)) for p, o in parts]


@dataclass
class _Found:
    """A batch that still grows."""

    vertices: np.ndarray
    faces: np.ndarray
    opacity: float
    texture: bytes
    instances: list[tuple[int, tuple[float, ...], tuple[float, ...], Rgb]] = field(default_factory=list)


def batches(world: World, geometry: str = "visual") -> list[Batch]:
    """All shapes of a world's actors, by mesh and opacity.

    Primitives of a kind share a mesh, but for capsules, which share it where their sizes are equal.

    Args:
        world: its bodies are numbered actor after actor.
        geometry: one of :data:`GEOMETRIES`; without visual shapes robots and objects show those for collision.

    Raises:
        ValueError: no such geometry.
    """
    if geometry not in GEOMETRIES:
        raise ValueError(f"geometry {geometry!r}: must be one of {', '.join(GEOMETRIES)}")
    found: dict[Any, _Found] = {}
    keep: list[Any] = []  # arrays whose id() is part of a key
    for body, shape, color in _shapes(world, geometry):
        opacity = 1.0 if shape.color is None else float(shape.color[3])
        for key, mesh, scale, own in _pieces(shape, color):
            full = (key, opacity)
            if full not in found:
                keep.append(shape)
                made = mesh()
                texture = made.texture if isinstance(made, TexturedMesh) else b""
                vertices, faces = _indexed(made.corners, made.normals) if isinstance(made, Surface) else made
                found[full] = _Found(vertices, faces, opacity, texture)
            place = (*shape.position, *shape.orientation)
            found[full].instances.append((body, place, scale, own))
    whole = []
    for each in found.values():
        bodies, places, scales, colors = zip(*each.instances, strict=True)
        whole.append(
            Batch(
                each.vertices,
                each.faces,
                each.opacity,
                np.array(bodies, np.int64),
                np.array(places, np.float32),
                np.array(scales, np.float32),
                np.array(colors, np.uint8),
                each.texture,
            )
        )
    return whole


def _shapes(world: World, geometry: str) -> Iterator[tuple[int, Shape, Color]]:
    """(body of the world, shape, its colour) of all that has an end."""
    first = 0
    for number, actor in enumerate(world.actors.values()):
        shown = visible_shapes(actor.model, number) if geometry == "visual" else _collisions(actor.model, number)
        for row, (_, shapes) in enumerate(shown):
            for shape, color in shapes:
                terrain = shape.kind == "height_field" and shape.color is None
                yield first + row, shape, tuple(v / 255 for v in TERRAIN) if terrain else color  # type: ignore[misc]
        first += actor.num_bodies


def _collisions(model: RobotModel, number: int) -> list[tuple[str, list[tuple[Shape, Color]]]]:
    color = hex_color(DEFAULT_COLORS[number % len(DEFAULT_COLORS) if not model.joints else 2])
    bodies = {body.name: [s for s in body.collisions if s.kind != "plane"] for body in model.bodies}
    return [(name, [(shape, color) for shape in bodies[name]]) for name in bodies_in_order(model)]


def _pieces(shape: Shape, color: Color) -> Iterator[tuple[Any, Any, tuple[float, ...], Rgb]]:
    """(key, function that makes corners and normals, scale, colour) of the meshes that a shape consists of."""
    plain = _rgb(color)
    if shape.kind in PRIMITIVES and (scale := PRIMITIVES[shape.kind].scale) is not None:
        unit = Shape(shape.kind, (1.0,) * len(shape.size))
        yield (shape.kind,), lambda: surface(unit), tuple(map(float, scale(*shape.size))), plain
        return
    one = (1.0, 1.0, 1.0)
    bare = Shape(
        shape.kind, shape.size, vertices=shape.vertices, faces=shape.faces, heights=shape.heights, name=shape.name
    )
    if shape.kind == "height_field" and shape.heights is not None and 2 * shape.heights.size > SMOOTH:
        grid = grid_triangles(shape.heights, shape.size)
        arrays = grid[0].astype(np.float32), grid[1].astype(np.uint32)
        yield (shape.kind, id(shape.heights)), lambda: arrays, one, plain
        return
    if shape.kind != "mesh":
        key = (shape.kind, tuple(shape.size), None if shape.heights is None else id(shape.heights))
        yield key, lambda: surface(bare), one, plain
        return
    key = (shape.kind, id(shape.vertices), id(shape.faces))
    if shape.picture is not None:
        key = (*key, shape.picture.path, id(shape.picture.uv), plain)
    colors, faces = _colors_of_faces(shape, color), np.asarray(shape.faces if shape.faces is not None else ())
    textures = shape_textures(shape)
    if textures is not None:
        for number in range(len(textures.images)):
            yield (*key, number), lambda number=number: textured(shape, textures, number), one, (255, 255, 255)
        rest = np.flatnonzero(textures.image < 0)
        if not len(rest):
            return
        colors = None if colors is None else colors[rest]
        bare, key = Shape("mesh", vertices=shape.vertices, faces=faces[rest], name=shape.name), (*key, "rest")
        faces = faces[rest]
    if colors is None:
        yield key, lambda: surface(bare), one, plain
        return
    for shade in np.unique(colors, axis=0):
        part = np.flatnonzero((colors == shade).all(axis=1))
        rgb = (int(shade[0]), int(shade[1]), int(shade[2]))
        some = Shape("mesh", vertices=shape.vertices, faces=faces[part], name=shape.name)
        yield (*key, rgb), lambda some=some: surface(some), one, rgb


def _colors_of_faces(shape: Shape, color: Color) -> np.ndarray | None:
    """(f, 3) uint8 of the materials in a mesh's file, unless its colour was given; white does not count as given."""
    if shape.faces is None or not len(shape.faces) or _has_color(shape):
        return None
    colors = face_colors(shape.mesh_file, len(shape.faces)) if shape.mesh_file else None
    if colors is None:
        return None
    colors = np.where(np.isnan(colors), color, colors)
    return np.round(np.round(colors * SHADES) * (255 / SHADES)).astype(np.uint8)


def _has_color(shape: Shape) -> bool:
    return shape.color is not None and min(shape.color[:3]) < 1.0


def _indexed(corners: np.ndarray, normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (v, 3) and faces (f, 3) that share a vertex where place and normal are the same.

    Browsers compute the normal of a vertex from its faces, so that edges stay sharp and round things look round.
    """
    if not len(corners):
        return np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint32)
    extent = max(float(np.ptp(corners.reshape(-1, 3), axis=0).max()), 1e-9)
    places = np.round(corners.reshape(-1, 3) / (1e-6 * extent)).astype(np.int64)
    turns = np.round(normals.reshape(-1, 3) * 64).astype(np.int64)
    _, first, label = np.unique(np.concatenate([places, turns], axis=1), axis=0, return_index=True, return_inverse=True)
    return corners.reshape(-1, 3)[first], label.reshape(-1, 3).astype(np.uint32)


def _rgb(color: Sequence[float]) -> Rgb:
    red, green, blue = (round(255 * min(max(float(v), 0.0), 1.0)) for v in color[:3])
    return red, green, blue
