"""How things look: colours, textures and lights, and the tables of them that kernels read.

Colours are linear, 0 to 1, as USD has them; textures and images have 8 bits in sRGB's encoding. An intensity of 1 makes
a white surface white that faces the light.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.images.layout import (
    COLORS,
    DIMS,
    DISTANT,
    LIGHT,
    LOOK_NUMBERS,
    LOOK_PLACES,
    NORMALS,
    OPACITY,
    POINT,
    SEEN,
    SHADES,
    TEXTURE,
    UV,
)
from phalanx.rays.packing import Instance

PALETTE = (
    (0.58, 0.59, 0.61),
    (0.80, 0.33, 0.08),
    (0.09, 0.27, 0.58),
    (0.16, 0.45, 0.20),
    (0.75, 0.56, 0.10),
    (0.42, 0.13, 0.40),
    (0.08, 0.44, 0.46),
    (0.62, 0.12, 0.11),
)
"""Colours of what was given no look, by object, in turn."""

FILTERS = ("nearest", "linear")


def decoded(srgb: Any) -> np.ndarray:
    """Linear numbers of sRGB's, both 0 to 1 (IEC 61966-2-1); those of 0 and 1 for what is beyond."""
    c = np.clip(np.asarray(srgb, float), 0.0, 1.0)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


DECODED = decoded(np.arange(256) / 255.0).astype(np.float32)
"""Linear numbers of sRGB's 256."""


def encoded(linear: Any) -> np.ndarray:
    """sRGB's 8 bits of linear numbers; the nearest there are, 0 and 255 of what is beyond."""
    x = np.clip(np.asarray(linear, float), 0.0, 1.0)
    return np.round(255.0 * np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class Texture:
    """A picture on a surface, which goes on beyond its edges by repeating.

    Attributes:
        pixels: (height, width, 3 or 4) uint8, sRGB, the upper row first; the fourth of each is not looked at.
        size: m that it covers along x and y of surfaces without texture coordinates of their own: of planes and height
            fields, and of other shapes along two of their axes.
        filter: "linear" between pixels' middles, or "nearest".
        smaller: whether there are smaller ones for surfaces far away, which then do not flicker.
    """

    pixels: np.ndarray
    size: tuple[float, float] = (1.0, 1.0)
    filter: str = "linear"
    smaller: bool = True

    def __post_init__(self) -> None:
        pixels = np.asarray(self.pixels)
        if pixels.ndim != 3 or pixels.shape[2] not in (3, 4) or pixels.dtype != np.uint8 or 0 in pixels.shape:
            raise ValueError(
                f"pixels of a texture have shape {pixels.shape} and type {pixels.dtype}; (height, width, 3 or 4) uint8 "
                "is needed, of one pixel at least"
            )
        if self.filter not in FILTERS:
            raise ValueError(f"filter={self.filter!r} of a texture: must be one of {', '.join(FILTERS)}")
        if len(self.size) != 2 or not all(np.isfinite(s) and s > 0.0 for s in self.size):
            raise ValueError(f"size {self.size} of a texture: two positive numbers are needed, m")

    @classmethod
    def checkerboard(
        cls,
        one: Any = (0.30, 0.32, 0.35),
        other: Any = (0.55, 0.57, 0.60),
        side: float = 0.5,
    ) -> Texture:
        """Squares of two colours (linear), with sides of so many m."""
        a, b = encoded(one), encoded(other)
        return cls(np.array([[a, b], [b, a]]), (2 * side, 2 * side), "nearest")

    def levels(self) -> list[np.ndarray]:
        """The picture and, if there are smaller ones, each half as wide and high as the last, down to one pixel."""
        found = [np.ascontiguousarray(self.pixels[..., :3])]
        linear = DECODED[found[0]].astype(float)
        while self.smaller and max(linear.shape[:2]) > 1:
            for axis in range(2):
                length = linear.shape[axis]
                starts = np.arange(max(length // 2, 1)) * 2
                counts = np.diff([*starts, length]).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
                linear = np.add.reduceat(linear, starts, axis=axis) / counts
            found.append(encoded(linear))
        return found


@dataclass(frozen=True, eq=False)
class Look:
    """What a surface looks like.

    Attributes:
        color: linear r, g, b, of what it reflects all around; a texture and colours of faces are multiplied with it.
        opacity: share of what is behind it that it hides, and of light that it keeps back; all else goes straight on.
            0: cameras do not see it, and it casts no shadow.
        emission: linear r, g, b of its own light.
        roughness: 0 to 1: the less, the smaller and brighter are reflections of lights; 1 has none.
        metallic: 0 to 1: 1 shines in its own colour.
        texture: see :class:`Texture`.
        shadow: whether it casts one.
    """

    color: Any = (0.5, 0.5, 0.5)
    opacity: float = 1.0
    emission: Any = (0.0, 0.0, 0.0)
    roughness: float = 0.5
    metallic: float = 0.0
    texture: Texture | None = None
    shadow: bool = True

    def __post_init__(self) -> None:
        _three("color of a look", self.color)
        _three("emission of a look", self.emission)
        for name in ("opacity", "roughness", "metallic"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"{name}={value} of a look: must be from 0 to 1")


@dataclass(frozen=True)
class Light:
    """A light; made by :meth:`distant`, :meth:`point`, :meth:`sphere` or :meth:`dome`.

    Attributes:
        kind: "distant", "point" or "dome".
        place: where a distant one shines to, where a point is (m, world), what a dome's ground gives back (the first).
        color: linear r, g, b, times its intensity.
        radius: m, of a sphere.
        shadow: whether it may cast shadows; see :class:`~.ImageSensor`.
    """

    kind: str
    place: tuple[float, float, float]
    color: tuple[float, float, float]
    radius: float = 0.0
    shadow: bool = True

    @classmethod
    def distant(
        cls,
        direction: Any,
        color: Any = (1.0, 1.0, 1.0),
        intensity: float = 1.0,
        shadow: bool = True,
    ) -> Light:
        """A sun whose light goes along ``direction`` everywhere, of any length but 0."""
        x, y, z = _three("direction of a light", direction)
        length = float(np.linalg.norm((x, y, z)))
        if length == 0.0:
            raise ValueError("direction of a light: (0, 0, 0) is none")
        return cls("distant", (x / length, y / length, z / length), _bright(color, intensity), shadow=shadow)

    @classmethod
    def point(
        cls,
        position: Any,
        color: Any = (1.0, 1.0, 1.0),
        intensity: float = 1.0,
        radius: float = 0.0,
        shadow: bool = True,
    ) -> Light:
        """A lamp at a place; ``intensity`` is what it has at 1 m. Shadows are those of a point, whatever the radius."""
        if not (np.isfinite(radius) and radius >= 0.0):
            raise ValueError(f"radius={radius} of a light: 0 or a positive number is needed, m")
        place = _three("position of a light", position)
        return cls("point", place, _bright(color, intensity), float(radius), shadow)

    sphere = point

    @classmethod
    def dome(cls, color: Any = (1.0, 1.0, 1.0), intensity: float = 1.0, ground: float = 0.4) -> Light:
        """A sky all around, of which surfaces that look up see all, and those that look down what the ground returns.

        There is one formula for all places: nothing casts a shadow in it.
        """
        if not 0.0 <= ground <= 1.0:
            raise ValueError(f"ground={ground} of a dome light: must be from 0 to 1")
        return cls("dome", (float(ground), 0.0, 0.0), _bright(color, intensity), shadow=False)


def _three(name: str, given: Any) -> tuple[float, float, float]:
    values = np.asarray(given, float)
    if values.shape != (3,) or not np.isfinite(values).all():
        raise ValueError(f"{name}: {given} is not three finite numbers")
    return float(values[0]), float(values[1]), float(values[2])


def _bright(color: Any, intensity: float) -> tuple[float, float, float]:
    r, g, b = (intensity * c for c in _three("color of a light", color))
    if not (min(r, g, b) >= 0.0 and np.isfinite(r + g + b)):
        raise ValueError(f"color {color}, intensity {intensity} of a light: must be finite, and not below 0")
    return r, g, b


DAYLIGHT = (
    Light.distant((-0.4, 0.25, -0.8), (1.0, 0.96, 0.9), 0.65),
    Light.dome((0.9, 0.95, 1.0), 0.45),
)
"""Lights where none are given."""


@dataclass
class LookTables:
    """Looks and lights as kernels read them; see :mod:`~.layout`.

    Attributes:
        looks, places: numbers and places of each row of the scene's table.
        textures: sizes and first texels.
        texels: uint32 of all textures and their smaller ones.
        attributes: float32 of all faces.
        lights: those with a place or direction, ones without shadows first.
        ambient: of what looks up, and of what looks down.
        groups: of each row, bits: SEEN, and SHADES or DIMS if it casts shadows.
        traced: lights with shadows.
        smooth: whether a mesh has normals of its own.
        transparent: whether something is seen of which the opacity is between 0 and 1.
    """

    looks: np.ndarray
    places: np.ndarray
    textures: np.ndarray
    texels: np.ndarray
    attributes: np.ndarray
    lights: np.ndarray
    ambient: np.ndarray
    groups: np.ndarray
    traced: int
    smooth: bool
    transparent: bool


def look_tables(
    order: Sequence[Instance], looks: Mapping[int, Look], lights: Sequence[Light], shadows: int
) -> LookTables:
    """The tables of a scene.

    Args:
        order: the scene's instances.
        looks: by their numbers.
        lights: of any kinds.
        shadows: of how many lights.

    Raises:
        ValueError: a look is of no instance, or shadows are not a number of lights.
    """
    if unknown := set(looks) - {i.number for i in order}:
        raise ValueError(f"looks of instances {sorted(unknown)}: the scene has {len(order)}, numbered from 0 on")
    made = {i: looks.get(instance.number) for i, instance in enumerate(order)}
    chosen = [made[i] or Look(PALETTE[o.object % len(PALETTE)]) for i, o in enumerate(order)]
    numbers = np.zeros((len(order) + 1, LOOK_NUMBERS), np.float32)
    places = np.full((len(order) + 1, LOOK_PLACES), -1, np.int32)
    groups = np.zeros(len(order) + 1, np.int32)
    textures: dict[int, tuple[int, Texture]] = {}
    attributes, starts = _attributes(order)
    for k, (instance, look) in enumerate(zip(order, chosen, strict=True)):
        size = (1.0, 1.0) if look.texture is None else look.texture.size
        numbers[k, :OPACITY] = (
            *look.color,
            look.roughness,
            *look.emission,
            look.metallic,
            1.0 / size[0],
            1.0 / size[1],
        )
        numbers[k, OPACITY] = look.opacity
        if look.texture is not None:
            places[k, TEXTURE] = textures.setdefault(id(look.texture), (len(textures), look.texture))[0]
        places[k, UV], places[k, COLORS], places[k, NORMALS] = starts[id(instance.geometry)]
        if look.opacity > 0.0:
            groups[k] = SEEN | ((SHADES if look.opacity == 1.0 else DIMS) if look.shadow else 0)
    texels, sizes = _texels([texture for _, texture in textures.values()])
    lamps, ambient, traced = _lights(lights, shadows)
    smooth = any(instance.geometry.normals is not None for instance in order)
    transparent = any(0.0 < look.opacity < 1.0 for look in chosen)
    return LookTables(numbers, places, sizes, texels, attributes, lamps, ambient, groups, traced, smooth, transparent)


def _attributes(order: Sequence[Instance]) -> tuple[np.ndarray, dict[int, tuple[int, int, int]]]:
    """Numbers of faces of all meshes, and where each mesh's uv, colours and normals begin (-1: it has none)."""
    parts, length = [np.zeros(4, np.float32)], 4
    starts: dict[int, tuple[int, int, int]] = {}
    for geometry in {id(i.geometry): i.geometry for i in order}.values():
        found = []
        for array in (geometry.uv, geometry.colors, geometry.normals):
            found.append(-1 if array is None else length)
            if array is not None:
                parts.append(array.ravel())
                length += array.size
        starts[id(geometry)] = found[0], found[1], found[2]
    return np.concatenate(parts), starts


def _texels(textures: Sequence[Texture]) -> tuple[np.ndarray, np.ndarray]:
    """Words of all textures, and five numbers of each: first word, width, height, levels, 1 if between pixels."""
    words, sizes, first = [np.zeros(1, np.uint32)], [(0, 1, 1, 1, 0)], 1
    for texture in textures:
        levels = texture.levels()
        height, width = levels[0].shape[:2]
        sizes.append((first, width, height, len(levels), FILTERS.index(texture.filter)))
        for level in levels:
            channels = level.astype(np.uint32)
            packed = channels[..., 0] | channels[..., 1] << 8 | channels[..., 2] << 16
            words.append(packed.astype(np.uint32).ravel())
            first += words[-1].size
    return np.concatenate(words), np.array(sizes, np.int32)


def _lights(lights: Sequence[Light], shadows: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows of lights, those with shadows last; ambient light from above and below; how many have shadows."""
    if shadows < 0:
        raise ValueError(f"shadows={shadows}: how many lights cast them, 0 or more")
    lamps = [light for light in lights if light.kind != "dome"]
    shading = [k for k, light in enumerate(lamps) if light.shadow][:shadows]
    lamps = [light for k, light in enumerate(lamps) if k not in shading] + [lamps[k] for k in shading]
    rows = np.zeros((len(lamps) + 1, LIGHT), np.float32)
    for k, light in enumerate(lamps):
        kind = DISTANT if light.kind == "distant" else POINT
        rows[k] = (kind, *light.place, *light.color, light.radius)
    ambient = np.zeros((2, 4), np.float32)
    for light in lights:
        if light.kind == "dome":
            ambient[0, :3] += light.color
            ambient[1, :3] += light.place[0] * np.array(light.color)
    return rows, ambient, len(shading)
