"""Scenes and cameras that the tests of images share, and what cameras must see, by formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from phalanx.images import TYPES, ImageSensor, Light, Look, Texture
from phalanx.maths.arrays import from_matrix, matrix
from phalanx.rays import RayScene, field_geometry, mesh_geometry, primitive_geometry

DOME = Light.dome(intensity=1.0)
"""A light in which what looks up has just its colour."""

QUAD = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float)
QUAD_FACES = np.array([[0, 1, 2], [0, 2, 3]])
QUAD_UV = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)[QUAD_FACES]

_DARK = Light.distant((0, 0, -1), intensity=0.0)
_GREY = Texture(np.full((1, 1, 3), 128, np.uint8))


def looking(eye: Any, target: Any) -> np.ndarray:
    """Orientations (..., 4) of cameras (x right, y down, z forward) that look at places, upright."""
    forward = np.asarray(target, float) - np.asarray(eye, float)
    forward /= np.linalg.norm(forward, axis=-1, keepdims=True)
    up = np.where(np.abs(forward[..., 2:]) > 0.999, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    right = np.cross(forward, up)
    right /= np.linalg.norm(right, axis=-1, keepdims=True)
    return from_matrix(np.stack([right, np.cross(forward, right), forward], axis=-1)).astype(np.float32)


def camera(
    scene: RayScene,
    height: int = 48,
    width: int = 64,
    *,
    looks: Mapping[int, Look] | None = None,
    lights: Sequence[Light] = (DOME,),
    **options: Any,
) -> ImageSensor:
    """A sensor with everything, so that all tests have the same kernel.

    Hidden things of each kind are put into the scene, and lights without light beside the others.
    """
    normals = np.tile([0.0, 0.0, 1.0], (2, 3, 1))
    hidden = (
        mesh_geometry(QUAD, QUAD_FACES, normals=normals),
        field_geometry(np.zeros((3, 3)), (0.5, 0.5)),
        primitive_geometry("plane"),
        primitive_geometry("box", (1, 1, 1)),
    )
    numbers = [scene.add(geometry, groups=1 << 20) for geometry in hidden]
    return ImageSensor(
        scene,
        height,
        width,
        options.pop("types", tuple(TYPES)),
        looks={numbers[0]: Look(texture=_GREY), **(looks or {})},
        lights=[*lights, _DARK, _DARK],
        shadows=options.pop("shadows", 4),
        groups=(1 << 20) - 1,
        **options,
    )


def capture(sensor: ImageSensor, position: Any, orientation: Any, envs: Any = None) -> dict[str, np.ndarray]:
    """Images on the host, of cameras at places (num_envs, 3) or the same for all."""
    device, count = sensor.scene.device, sensor.scene.num_envs
    given = [np.broadcast_to(np.asarray(a, np.float32), (count, n)) for a, n in ((position, 3), (orientation, 4))]
    eyes, turned = (device.xp.asarray(np.ascontiguousarray(a)) for a in given)
    sensor.capture(eyes, turned, envs)
    return {name: device.to_host(image).copy() for name, image in sensor.output.items()}


def place(scene: RayScene, position: Any, orientation: Any = (1.0, 0.0, 0.0, 0.0)) -> None:
    """Place bodies, (num_envs, bodies, 3); unturned by default."""
    xp = scene.device.xp
    position = np.ascontiguousarray(position, np.float32)
    turned = np.ascontiguousarray(np.broadcast_to(np.asarray(orientation, np.float32), (*position.shape[:2], 4)))
    scene.place(xp.asarray(position), xp.asarray(turned))


def pixel_rays(intrinsics: Any, height: int, width: int, orientation: Any) -> tuple[np.ndarray, np.ndarray]:
    """Unit directions (height, width, 3) in the world, float64, and the distance of the image plane along each."""
    fx, fy, cx, cy = np.asarray(intrinsics, float)
    u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    ways = np.stack([(u - cx) / fx, (v - cy) / fy, np.ones_like(u)], axis=-1)
    length = np.linalg.norm(ways, axis=-1)
    return ways @ matrix(np.asarray(orientation, float)).T / length[..., None], 1.0 / length


def ray_sphere(origin: np.ndarray, ways: np.ndarray, centre: Any, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Distance (inf) and outward normal of a sphere from outside."""
    to = np.asarray(centre, float) - origin
    along = ways @ to
    with np.errstate(invalid="ignore"):
        t = along - np.sqrt(radius**2 - ((to - along[..., None] * ways) ** 2).sum(axis=-1))
    t = np.where(np.isnan(t) | (t < 0), np.inf, t)
    with np.errstate(invalid="ignore"):
        return t, (origin + np.where(np.isfinite(t), t, 0.0)[..., None] * ways - centre) / radius


def ray_box(origin: np.ndarray, ways: np.ndarray, turn: np.ndarray, half: Any) -> tuple[np.ndarray, np.ndarray]:
    """Distance (inf) and outward normal of a box about the origin, by its rotation (3, 3), from outside."""
    o, d = origin @ turn, ways @ turn
    with np.errstate(divide="ignore"):
        one, two = (-np.asarray(half) - o) / d, (np.asarray(half) - o) / d
    near = np.minimum(one, two)
    enters, leaves = near.max(axis=-1), np.maximum(one, two).min(axis=-1)
    axis = near.argmax(axis=-1)
    normal = -np.sign(np.take_along_axis(d, axis[..., None], -1)) * turn.T[axis]
    return np.where((enters <= leaves) & (enters > 0), enters, np.inf), normal


def inside(image: np.ndarray) -> np.ndarray:
    """Pixels of an image of whole numbers whose four neighbours are the same: away from edges."""
    shifted = [np.roll(image, by, axis) == image for axis in range(2) for by in (-1, 1)]
    return np.logical_and.reduce(shifted)
