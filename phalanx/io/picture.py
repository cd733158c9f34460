"""Pictures of robots and rigid objects, drawn on the CPU: no window, no graphics driver."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.io.model import RobotModel
from phalanx.io.pose import bodies_in_order
from phalanx.io.raster import EMPTY, draw, shade
from phalanx.io.tessellate import Surface, surface
from phalanx.rotations import matrix

if TYPE_CHECKING:
    from phalanx.world import World

# Colours (sRGB) of bodies whose file gives none, by distance from the root; of single bodies, one after the other.
DEFAULT_COLORS = ("#39424e", "#e9e6df", "#e8823a", "#4f5d6e", "#d9d5cc", "#5b8fb0", "#39424e")
_TILES = ("#d5d9dd", "#c3c9cf")
_SKY = ("#f3f5f7", "#c9d8e6")
_SAMPLES = 2  # a pixel's side, in samples
_SUN_LIGHTS, _SKY_LIGHTS = 14, 30
_LIGHT_SIZE = 1024  # side of a light's depth buffer
_TRIANGLES = 3_000_000  # meshes are thinned where all copies together have more


@dataclass(frozen=True)
class Camera:
    """Looks from ``eye`` at ``target`` (m, world, z up); ``angle`` is the vertical field of view in degrees."""

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    angle: float = 32.0

    def axes(self) -> np.ndarray:
        """Right, down and forward in the world, as rows (3, 3)."""
        return _looking(np.subtract(self.target, self.eye))


@dataclass
class _Scene:
    corners: np.ndarray
    normals: np.ndarray
    parts: np.ndarray
    palette: np.ndarray
    rotations: np.ndarray
    origins: np.ndarray
    points: np.ndarray  # corners of every part's bounding box in the world, (parts * 8, 3)
    tile: tuple[float, float, float]  # side of a checker on the ground and one of its corners (m)

    def draw(self, axes: np.ndarray, eye: np.ndarray, scale: float, perspective: bool, *buffers: np.ndarray) -> None:
        draw(
            self.corners,
            self.normals,
            self.parts,
            self.rotations,
            self.origins,
            axes.astype(np.float32),
            eye.astype(np.float32),
            np.float32(scale),
            perspective,
            *buffers,
        )


def render(
    models: RobotModel | Sequence[RobotModel],
    body_poses: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    size: tuple[int, int] = (1280, 960),
    ground: float | None = 0.0,
    camera: Camera | None = None,
    spacing: float | None = None,
) -> np.ndarray:
    """Draw robots and save the picture as PNG; returns it as (height, width, 3) uint8.

    ``body_poses`` are ``robot.body_pose``: (num_bodies, 7) or (num_envs, num_bodies, 7), [x y z qw qx qy qz]; with
    several models a list, one entry a model. Many environments are put on a grid, ``spacing`` metres apart (by
    default as far as they need); environments whose poses are not finite are left out. Bodies show their visual
    shapes, or where a robot has none its collision shapes. ``ground`` is the height of the ground in m, None for
    none. Without ``camera`` the picture is framed automatically.
    """
    if isinstance(models, RobotModel):
        models, body_poses = [models], [body_poses]
    poses = [_env_first(pose) for pose in body_poses]
    width, height = (int(n) for n in size)
    if width < 1 or height < 1:
        raise ValueError(f"render: size must be positive, not {size}.")
    scene = _build_scene(models, poses, spacing, ground, max(size))
    if camera is None:
        azimuth, elevation = (38.0, 24.0) if len(poses[0]) == 1 else (30.0, 32.0)
        camera = _auto_camera(scene.points, width / height, azimuth, elevation)
    image = _develop(_shaded(scene, camera, width, height, ground))
    if path is not None:
        from PIL import Image

        Image.fromarray(image).save(Path(path), format="PNG")
    return image


def render_world(
    world: World, path: str | os.PathLike[str] | None = None, *, env_ids: Any = None, **options: Any
) -> np.ndarray:
    """Draw everything in a world as it is now, with :func:`render`, which takes the other options.

    ``env_ids`` chooses environments, all by default. The first ground that lies level is drawn, others are not.
    """
    envs = np.arange(world.num_envs) if env_ids is None else world.env_indices(env_ids)
    shown = [actor for actor in world.actors.values() if any(_visible(actor.model))]
    if not shown:
        raise ValueError("render_world: nothing in the world has a shape to show.")
    level = [ground.height for ground in world._grounds if ground.normal[2] > 0 and not any(ground.normal[:2])]
    options.setdefault("ground", level[0] if level else None)
    poses = [_env_first(actor.body_pose)[envs] for actor in shown]
    return render([actor.model for actor in shown], poses, path, **options)


def _env_first(pose: Any) -> np.ndarray:
    pose = np.asarray(pose if not hasattr(pose, "get") else pose.get(), float)
    pose = pose[None] if pose.ndim == 2 else pose
    if pose.ndim != 3 or pose.shape[2] != 7:
        raise ValueError(f"render: body_poses must have the shape (num_envs, num_bodies, 7), not {pose.shape}.")
    return pose


# Robots to triangles.


def _build_scene(
    models: Sequence[RobotModel], poses: list[np.ndarray], spacing: float | None, ground: float | None, pixels: int
) -> _Scene:
    if len(models) != len(poses) or len({len(pose) for pose in poses}) != 1:
        raise ValueError("render: every model needs body poses of the same environments.")
    finite = np.all([np.isfinite(pose).all(axis=(1, 2)) for pose in poses], axis=0)
    if not finite.any():
        raise ValueError("render: no environment has finite body poses.")
    poses = [pose[finite] for pose in poses]
    shown = [_shapes(model, number) for number, model in enumerate(models)]
    if not any(shapes for model in shown for _, shapes in model):
        raise ValueError("render: there is no shape to show.")
    triangles = sum(_count(shape) for model in shown for _, shapes in model for shape, _ in shapes) * len(poses[0])
    cell = 0.0
    if triangles > _TRIANGLES:  # thin to about a pixel
        reach = max(float(np.ptp(pose[:, :, :3], axis=1).max()) for pose in poses)
        cell = 1.5 * reach * np.sqrt(len(poses[0])) / pixels
    surfaces: list[Surface] = []
    parts, palette, rotations, origins, boxes = [], [], [], [], []
    first = frame = 0
    for model, pose in zip(shown, poses, strict=True):
        if len(model) != pose.shape[1]:
            raise ValueError(f"render: the model has {len(model)} bodies, but the poses are of {pose.shape[1]}.")
        for body, (_, shapes) in enumerate(model):
            if not shapes:
                continue
            rotations.append(matrix(pose[:, body, 3:]))
            origins.append(pose[:, body, :3])
            for shape, colour in shapes:
                made = surface(shape, cell)
                if not len(made.corners):
                    continue
                surfaces.append(made)
                parts += [(first, len(made.corners), frame + env, len(palette)) for env in range(len(pose))]
                boxes += [_box_corners(made.corners)] * len(pose)
                palette.append(colour)
                first += len(made.corners)
            frame += len(pose)
    turns, part_array = np.concatenate(rotations), np.array(parts, np.int64)
    frames = part_array[:, 2]
    count = len(poses[0])
    points = np.einsum("pij,pkj->pki", turns[frames], np.array(boxes)) + np.concatenate(origins)[frames][:, None]
    offsets, spacing, near = _grid(points, frames % count, count, spacing)
    places = np.concatenate([origin + offsets for origin in origins])
    points = (points + offsets[frames % count][:, None])[near[frames % count]]
    if ground is not None:
        points = np.concatenate([points, points * (1, 1, 0) + (0, 0, ground)], axis=1)
    return _Scene(
        np.concatenate([made.corners for made in surfaces]),
        np.concatenate([made.normals for made in surfaces]),
        part_array,
        _linear(np.array(palette)).astype(np.float32),
        turns.astype(np.float32),
        places.astype(np.float32),
        points.reshape(-1, 3),
        _tile(points.reshape(-1, 3), spacing, offsets[0]),
    )


def _visible(model: RobotModel) -> list[list[Any]]:
    """The shapes that each body of a model shows: visual ones, or where it has none those for collision."""
    visuals = any(body.visuals for body in model.bodies)
    every = [body.visuals if visuals else body.collisions for body in model.bodies]
    return [[s for s in shapes if s.kind != "plane" and (s.color is None or s.color[3] > 0.0)] for shapes in every]


def _shapes(model: RobotModel, number: int) -> list[tuple[str, list[tuple[Any, tuple[float, float, float]]]]]:
    """Name of each body in order, with the shapes that it shows and their colours (sRGB, 0 to 1)."""
    bodies = dict(zip((body.name for body in model.bodies), _visible(model), strict=True))
    inbound = {joint.child: joint for joint in model.joints}
    depth = {model.root: 0 if model.joints else number}
    shown = []
    for name in bodies_in_order(model):
        joint = inbound.get(name)
        while joint is not None and joint.parent not in depth:  # past hidden bodies
            joint = inbound[joint.parent]
        if joint is not None:
            depth[name] = depth[joint.parent] + (inbound[name].type != "fixed")
        default = _hex(DEFAULT_COLORS[depth[name] % len(DEFAULT_COLORS)])
        shown.append((name, [(s, s.color[:3] if s.color is not None else default) for s in bodies[name]]))
    return shown


def _count(shape: Any) -> int:
    if shape.kind == "height_field":
        return 2 * shape.heights.size
    return len(shape.faces) if shape.kind == "mesh" and shape.faces is not None else 1000


def _box_corners(corners: np.ndarray) -> np.ndarray:
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    return np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])], float)


def _grid(
    points: np.ndarray, envs: np.ndarray, count: int, spacing: float | None
) -> tuple[np.ndarray, float, np.ndarray]:
    """Where each environment goes (num_envs, 3), how far from its neighbour (0 for one alone), and which are near.

    One that flew away must not push all others out of sight: it counts neither for the spacing nor for the camera.
    """
    if count == 1:
        return np.zeros((1, 3)), 0.0, np.ones(1, bool)
    from_middle = np.abs(points - np.median(points, axis=(0, 1))).max(axis=1)
    reach = np.zeros((count, 3))
    np.maximum.at(reach, envs, from_middle)
    near = (reach <= 3.0 * np.median(reach.max(axis=1))).all(axis=1)
    if spacing is None:
        spacing = 2.15 * float(reach[near][:, :2].max())
    columns = int(np.ceil(np.sqrt(count)))
    rows = -(-count // columns)
    index = np.arange(count)
    x, y = index % columns - 0.5 * (columns - 1), index // columns - 0.5 * (rows - 1)
    return np.stack([x * spacing, y * spacing, np.zeros(count)], -1), spacing, near


# Cameras and lights.


def _looking(forward: np.ndarray) -> np.ndarray:
    forward = forward / np.linalg.norm(forward)
    above = np.array([0.0, 0.0, 1.0]) if abs(forward[2]) < 0.999 else np.array([1.0, 0.0, 0.0])
    right = np.cross(forward, above)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(forward, right), forward])


def _toward(azimuth: float, elevation: float) -> np.ndarray:
    a, e = np.deg2rad(azimuth), np.deg2rad(elevation)
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


def _auto_camera(
    points: np.ndarray, aspect: float, azimuth: float, elevation: float, angle: float = 32.0, margin: float = 0.88
) -> Camera:
    """From this direction, just far enough to see all points."""
    axes = _looking(-_toward(azimuth, elevation))
    x, y, z = axes @ points.T
    tan_y = np.tan(np.deg2rad(0.5 * angle)) * margin
    tan_x = tan_y * aspect
    # A point is in the picture when |x - cx| <= (z + d) tan: each side of it gives the least d, and both give cx.
    right, left = (x - z * tan_x).max(), (-x - z * tan_x).max()
    lower, upper = (y - z * tan_y).max(), (-y - z * tan_y).max()
    distance = max((right + left) / (2 * tan_x), (lower + upper) / (2 * tan_y), 0.05 - z.min())
    eye = axes.T @ np.array([0.5 * (right - left), 0.5 * (lower - upper), -distance])
    return Camera(tuple(eye.tolist()), tuple((eye + axes[2]).tolist()), angle)


def _lights(azimuth: float) -> tuple[np.ndarray, np.ndarray]:
    """Directions towards the lights (lights, 3) and their colours (lights, 3)."""
    golden = np.pi * (3.0 - np.sqrt(5.0))
    i = np.arange(_SUN_LIGHTS) + 0.5
    sun_axes = _looking(_toward(azimuth, 52.0))
    disc = 0.075 * np.sqrt(i / _SUN_LIGHTS)[:, None] * np.stack([np.cos(golden * i), np.sin(golden * i)], -1)
    sun = sun_axes[2] + disc @ sun_axes[:2]
    i = np.arange(_SKY_LIGHTS) + 0.5
    height = 0.1 + 0.9 * i / _SKY_LIGHTS
    flat = np.sqrt(1.0 - height**2)
    sky = np.stack([flat * np.cos(golden * i), flat * np.sin(golden * i), height], -1)
    directions = np.concatenate([sun / np.linalg.norm(sun, axis=1, keepdims=True), sky])
    colours = np.concatenate(
        [
            np.tile(np.array([1.0, 0.96, 0.9]) * 0.86 / _SUN_LIGHTS, (_SUN_LIGHTS, 1)),
            np.tile(np.array([0.9, 0.95, 1.0]) * 0.92 / _SKY_LIGHTS, (_SKY_LIGHTS, 1)),
        ]
    )
    return directions, colours


def _shaded(scene: _Scene, camera: Camera, width: int, height: int, ground: float | None) -> np.ndarray:
    """Linear colours, (height * samples, width * samples, 3) float32."""
    w, h = width * _SAMPLES, height * _SAMPLES
    axes, eye = camera.axes(), np.array(camera.eye)
    scale = 0.5 * h / np.tan(np.deg2rad(0.5 * camera.angle))
    nearness, normals = np.full((h, w), EMPTY, np.float32), np.zeros((h, w, 3), np.float32)
    colours = np.zeros((h, w), np.int32)
    low, high = scene.points.min(axis=0), scene.points.max(axis=0)
    centre, radius = 0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low))
    azimuth = float(np.rad2deg(np.arctan2(-axes[2, 1], -axes[2, 0])))
    directions, light_colours = _lights(azimuth + 62.0)
    light_axes = np.stack([_looking(-direction) for direction in directions])
    light_eyes = centre + directions * radius
    light_scale = 0.49 * _LIGHT_SIZE / radius
    buffers = np.full((len(directions), _LIGHT_SIZE, _LIGHT_SIZE), EMPTY, np.float32)
    nothing = (np.zeros((0, 0, 3), np.float32), np.zeros((0, 0), np.int32))
    scene.draw(axes, eye, scale, True, nearness, normals, colours)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(scene.draw, light_axes[i], light_eyes[i], light_scale, False, buffers[i], *nothing)
            for i in range(len(directions))
        ]
        for job in jobs:
            job.result()
    picture = np.empty((h, w, 3), np.float32)
    shade(
        nearness,
        normals,
        colours,
        scene.palette,
        axes.astype(np.float32),
        eye.astype(np.float32),
        np.float32(scale),
        np.concatenate([directions, light_colours], axis=1).astype(np.float32),
        _to_light(light_axes, light_eyes, light_scale).astype(np.float32),
        np.float32(1.5 / light_scale),
        buffers,
        np.array([ground is not None, ground or 0.0, *scene.tile, *centre[:2], radius], np.float32),
        np.array([_linear(np.array(_hex(tile))) for tile in _TILES], np.float32),
        np.array([_linear(np.array(_hex(colour))) for colour in _SKY], np.float32),
        picture,
    )
    return picture


def _to_light(axes: np.ndarray, eyes: np.ndarray, scale: float) -> np.ndarray:
    """World to (column, row, nearness) in each light's buffer, (lights, 3, 4); pixel centres are at whole numbers."""
    matrix = np.empty((len(axes), 3, 4))
    matrix[:, :2, :3], matrix[:, 2, :3] = scale * axes[:, :2], -axes[:, 2]
    matrix[:, :, 3] = -np.einsum("lij,lj->li", matrix[:, :, :3], eyes)
    matrix[:, :2, 3] += 0.5 * _LIGHT_SIZE - 0.5
    matrix[:, 2, 3] += 1.5 / scale  # a little nearer, against rounding
    return matrix


def _tile(points: np.ndarray, spacing: float, first: np.ndarray) -> tuple[float, float, float]:
    """Checkers: one for each environment of a grid, else 1, 2 or 5 times a power of ten metres, a few across."""
    if spacing > 0.0:
        return spacing, first[0] - 0.5 * spacing, first[1] - 0.5 * spacing
    low, high = points.min(axis=0), points.max(axis=0)
    wanted = 0.18 * float(np.linalg.norm(high - low))
    power = 10.0 ** np.floor(np.log10(wanted))
    side = float(power * next(n for n in (5.0, 2.0, 1.0) if n * power <= wanted))
    return side, 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])


# Colours.


def _hex(colour: str) -> tuple[float, float, float]:
    return (int(colour[1:3], 16) / 255, int(colour[3:5], 16) / 255, int(colour[5:7], 16) / 255)


def _linear(srgb: np.ndarray) -> np.ndarray:
    srgb = np.clip(srgb, 0.0, 1.0)
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def _develop(linear: np.ndarray) -> np.ndarray:
    """Mean of each pixel's samples, brightest parts rolled off, as 8-bit sRGB."""
    h, w, _ = linear.shape
    shoulder = np.where(linear > 0.8, 0.8 + 0.2 * (1.0 - np.exp(-(linear - 0.8) / 0.2)), np.maximum(linear, 0.0))
    mean = shoulder.reshape(h // _SAMPLES, _SAMPLES, w // _SAMPLES, _SAMPLES, 3).mean(axis=(1, 3))
    srgb = np.where(mean <= 0.0031308, 12.92 * mean, 1.055 * mean ** (1 / 2.4) - 0.055)
    return np.round(255 * srgb).astype(np.uint8)
