"""Pictures of worlds, by ray casting: no window, no graphics driver."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from phalanx import components as c
from phalanx.ecs.whole_files import replacing
from phalanx.images import ImageSensor, Light, Look, Texture
from phalanx.images.looks import DECODED
from phalanx.images.pictures.false_colors import FALSE_COLORS, KINDS
from phalanx.images.pictures.frames import TABLE, Frames, View, developed
from phalanx.images.pictures.framing import Camera, corner_points, fitting_camera, grid_of, tile_of, toward
from phalanx.images.world_camera import axes_toward
from phalanx.images.world_scene import WorldScene
from phalanx.maths.arrays import from_matrix
from phalanx.rays.geometry import primitive_geometry
from phalanx.world.snapshots import node_positions

if TYPE_CHECKING:
    from phalanx.images.raster.raster import Raster
    from phalanx.world.world import World

__all__ = ["Camera", "WorldPainter", "render_world"]

MOVING = 4
"""Passes of a frame of a video: each casts rays through other points of the pixels."""

_PASSES = ((60, 24), (300, 8))  # up to so many shapes, the passes of a picture; those of a frame of more

_SUN_RADIUS = 0.04  # rad: how large the sun is, and so how soft shadows are
_SOFT = 8  # passes from which on shadows are soft: each pass has the lights elsewhere
_EXPOSURE = 0.6  # of the passes, so that what is bright is not cut off before it is added up
_TILES = ((0.665, 0.693, 0.723), (0.545, 0.584, 0.623))  # linear, as all of these are
_HORIZON, _ZENITH = np.array([(0.896, 0.913, 0.93), (0.584, 0.687, 0.791)])
_SUN, _SKY = np.array([(1.0, 0.96, 0.9), (0.9, 0.95, 1.0)])


class WorldPainter:
    """Draws environments of a world side by side, on the world's device.

    Args:
        world: is built if it is not yet.
        env_ids: which, all by default.
        size: width, height, pixels.
        kind: ``"rgb"``, ``"depth"``, ``"normals"`` or ``"segmentation"``, see :mod:`~.false_colors`.
        passes: how many are averaged, from 8 on with soft shadows; by default 24, or fewer of what has many shapes. Of
            fewer than 8, as in videos, pixels that look like their neighbours get one; on the CPU depth buffers take
            the place of rays where they can (:mod:`phalanx.images.raster`).
        ground: its height, m, or ``None`` for none; by default that of the world's first that lies level.
        camera: by default one that sees everything.
        spacing: m between environments; as far as they need by default.
        offsets: (environments, 3), m: where their origins are put, instead.
        poses: (times, environments, bodies, 7) [x y z qw qx qy qz] of all of the world's bodies, for which spacing and
            camera are made; by default as they are now. Environments where they are not finite do not count.
        framed: rows of the bodies that the camera is made for; all by default.
        nodes: (times) of tuples of (environments, nodes, 3), m, of soft bodies and cloth, as
            :func:`phalanx.world.snapshots.node_positions` has them; by default as they are now.
        soft: whether soft bodies and cloth are seen.

    Raises:
        ValueError: there is nothing to show, or a size is not positive.
    """

    def __init__(
        self,
        world: World,
        env_ids: Any = None,
        *,
        size: tuple[int, int] = (1280, 960),
        kind: str = "rgb",
        passes: int | None = None,
        ground: float | Literal["world"] | None = "world",
        camera: Camera | None = None,
        spacing: float | None = None,
        offsets: np.ndarray | None = None,
        poses: np.ndarray | None = None,
        framed: slice | None = None,
        nodes: Sequence[tuple[np.ndarray, ...]] | None = None,
        soft: bool = True,
    ) -> None:
        if len(size) != 2 or size[0] < 1 or size[1] < 1:
            raise ValueError(f"size={size}: width and height must be positive")
        if kind not in KINDS:
            raise ValueError(f"kind={kind!r}: there are {', '.join(KINDS)}")
        self.kind = kind
        self._width, self._height = (int(n) for n in size)
        self._seen = seen = WorldScene(world, env_ids, together=True, grounds=False, soft=soft)
        shapes = len(seen.boxes) * len(seen.envs)
        self.passes = passes or next((few for most, few in _PASSES if shapes <= most), MOVING)
        if not seen.boxes and not seen.soft:
            raise ValueError("nothing in the world has a shape to show")
        poses = _poses_now(seen)[None] if poses is None else poses
        finite = np.asarray(np.isfinite(poses).all(axis=(0, 2, 3)))
        if not finite.any():
            raise ValueError("no environment has finite poses of its bodies")
        rows = range(*framed.indices(poses.shape[2])) if framed else range(poses.shape[2])
        boxes = [box for box in seen.boxes if box[0] in rows] or seen.boxes
        points = corner_points(boxes, poses[:, finite].astype(float))  # (times, envs, points, 3)
        points = points.transpose(1, 0, 2, 3).reshape(points.shape[1], -1, 3)
        if seen.soft and framed is None:
            points = np.concatenate([points, *_soft_points(seen, nodes, finite)], axis=1)
        grid = grid_of(points, spacing)
        placed = np.zeros((len(finite), 3))
        if offsets is not None:
            grid = replace(grid, offsets=np.asarray(offsets, float)[finite])
        placed[finite] = grid.offsets
        seen.move(placed)
        points = (points + grid.offsets[:, None])[grid.near]
        level = [g.height for g in world.grounds if g.normal[2] > 0 and not any(g.normal[:2])]
        self._ground = next(iter(level), None) if isinstance(ground, str) else ground
        if self._ground is not None:
            points = np.concatenate([points, points * (1, 1, 0) + (0, 0, self._ground)])
            side, x, y = tile_of(points, grid)
            self._add_ground(side, (x, y, self._ground))
        self._centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
        self._radius = 0.5 * float(np.linalg.norm(np.ptp(points, axis=0)))
        self.camera = camera or fitting_camera(points, self._width / self._height, len(placed) > 1)
        self._make_sensor()
        self._frames = Frames(
            seen.boxes, self._ground, placed, self._seen.place, self._cast, self.passes, self._finished
        )
        self._raster = self._make_raster() if self.kind == "rgb" and self.passes < _SOFT else None

    def draw(
        self,
        poses: np.ndarray | None = None,
        shift: Any = (0.0, 0.0, 0.0),
        nodes: tuple[np.ndarray, ...] | None = None,
    ) -> np.ndarray:
        """(height, width, 3) uint8: what is now, or bodies at poses (environments, bodies, 7); from a camera that is
        ``shift`` (3,) away from :attr:`camera`, m. What is soft is where it is now, or where ``nodes`` have it.
        """
        if self._seen.soft:
            self._seen.place_nodes(node_positions(self._seen.world, self._seen.envs) if nodes is None else nodes)
            self._frames.forget()
        device, sensor = self._seen.world.engine.device, self._sensor
        eye = np.add(self.camera.eye, shift)
        with device.active():
            self._position[...] = device.xp.asarray(eye[None], np.float32)
        if self.kind == "rgb" and self.passes < _SOFT:
            size = (self._width, self._height)
            poses = _poses_now(self._seen) if poses is None else poses
            drawn = None if self._raster is None else self._rastered(poses, eye)
            if drawn is not None:
                return drawn
            view = View(eye, self._axes, self._focal, size, -self._sun[2])
            return self._frames.draw(poses, view)
        if poses is None:
            self._seen.update()
        else:
            self._seen.place(poses)
        if self.kind != "rgb":
            name, show = FALSE_COLORS[self.kind]
            sensor.capture(self._position, self._orientation)
            return show(device.to_host(sensor.output[name])[0])
        total = np.zeros((self._height, self._width, 3), np.float32)
        grounds = np.zeros((self._height, self._width, 1), np.float32)
        for n in range(self.passes):
            self._look_through(n)
            sensor.set_lights(self._lights(n))
            sensor.capture(self._position, self._orientation)
            total += DECODED[device.to_host(sensor.output["rgb"])[0]]
            grounds += device.to_host(sensor.output["ids"])[0, ..., 1:2] == 0
        pixels = (-1, 3), (-1, 1)
        total, grounds = (one.reshape(to) / self.passes for one, to in zip((total, grounds), pixels, strict=True))
        return developed(self._finished(None, total, grounds)).reshape(self._height, self._width, 3)

    # -- pixels ----------------------------------------------------------------------------------------------

    def _rastered(self, poses: np.ndarray, eye: np.ndarray) -> np.ndarray | None:
        """A frame by depth buffers, or ``None`` where rays are needed."""
        assert self._raster is not None
        self._seen.place(poses)
        return self._raster.draw(self._seen.scene.packed().arrays["frames"], eye)

    def _look_through(self, number: int) -> None:
        """Have rays of a pass go through its points of pixels."""
        u, v = within_pixel(number)
        self._sensor.set_pinhole(self._focal, self._focal, 0.5 * self._width + u, 0.5 * self._height + v)

    def _cast(self, pixels: np.ndarray | None, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Colours (n, 3) uint8 and whether it is the ground (n,) of pixels, or of all, in one pass."""
        device, output = self._seen.world.engine.device, self._sensor.output
        self._look_through(number)
        with device.active():
            listed = None if pixels is None else device.xp.asarray(pixels, np.int32)
            self._sensor.capture(self._position, self._orientation, pixels=listed)
            colors, objects = output["rgb"].reshape(-1, 3), output["ids"].reshape(-1, 3)[:, 1]
            if listed is not None:
                colors, objects = colors[listed], objects[listed]
            return device.to_host(colors), device.to_host(objects) == 0

    def _finished(self, pixels: np.ndarray | None, colors: np.ndarray, grounds: np.ndarray) -> np.ndarray:
        """Means of passes, exposed as they are to be; the ground far away becomes the sky."""
        colors = colors / _EXPOSURE
        if self._ground is None:
            return colors
        haze = self._haze if pixels is None else self._haze[pixels]
        return colors + (haze * grounds) * (_HORIZON.astype(np.float32) - colors)

    # -- what it is made of ----------------------------------------------------------------------------------

    def _add_ground(self, side: float, corner: tuple[float, float, float]) -> None:
        self._tile = side, corner
        number = self._seen.scene.add(primitive_geometry("plane"), position=corner, object=0)
        look = Look(color=(1.0, 1.0, 1.0), roughness=1.0, texture=Texture.checkerboard(*_TILES, side))
        self._seen.looks[number] = look

    def _make_sensor(self) -> None:
        types = ("rgb", "ids") if self.kind == "rgb" else (FALSE_COLORS[self.kind][0],)
        axes = self.camera.axes()
        self._axes = axes
        away = float(np.rad2deg(np.arctan2(-axes[2, 1], -axes[2, 0])))
        self._sun = axes_toward(toward(away + 62.0, 52.0))
        self._focal = 0.5 * self._height / np.tan(np.deg2rad(0.5 * self.camera.angle))
        self._sensor = ImageSensor(
            self._seen.scene,
            self._height,
            self._width,
            types,
            looks=self._seen.looks,
            lights=self._lights(None),
            background=_EXPOSURE * np.array([_HORIZON, _ZENITH]),
            shadows=1,
        )
        self._sensor.set_pinhole(self._focal)
        device = self._seen.world.engine.device
        with device.active():
            self._position = device.xp.zeros((1, 3), np.float32)
            self._orientation = device.xp.asarray(from_matrix(axes.T)[None].astype(np.float32))

    def _make_raster(self) -> Raster | None:
        """What draws frames by depth buffers, on the CPU, unless something needs rays."""
        if self._seen.world.engine.device.is_cuda or self._seen.soft:
            return None
        from phalanx.images.raster.raster import Daylight, Raster  # compiles kernels that pictures do not need
        from phalanx.images.raster.surfaces import surfaces_of

        surfaces = surfaces_of(self._seen.scene.packed(), self._seen.looks)
        if surfaces is None:
            return None
        sun, sky = self._lights(None)
        up = np.array(sky.color)
        tiles = np.array([_TILES[1], _TILES[0]])
        side, corner = self._tile if self._ground is not None else (1.0, (0.0, 0.0, 0.0))
        day = Daylight(
            self._sun, np.array(sun.color), up, sky.place[0] * up, _EXPOSURE, self._ground, corner[:2], side, tiles,
            _HORIZON, _ZENITH,
        )  # fmt: skip
        haze = np.zeros((self._width * self._height, 1), np.float32) if self._ground is None else self._haze
        size = (self._width, self._height)
        away = float(np.linalg.norm(np.subtract(self.camera.eye, self._centre)))
        return Raster(surfaces, day, size, self._focal, self._axes, haze, TABLE, max(away, 1e-3))

    def _lights(self, number: int | None) -> list[Light]:
        """The sun, which casts shadows, or of a pass of several a point of it; and the sky, the same from everywhere.

        The sky casts no shadows: from a few of its points they would be ghosts beside the sun's.
        """
        sky = Light.dome(_SKY, 0.5 * _EXPOSURE, ground=0.45)
        u, v = 0.0, 0.0
        if number is not None:  # points of a disc, the same area to each (Vogel's spiral)
            golden = np.pi * (3.0 - np.sqrt(5.0))
            away = _SUN_RADIUS * np.sqrt((number + 0.5) / self.passes)
            u, v = away * np.cos(golden * number), away * np.sin(golden * number)
        return [Light.distant(-(self._sun[2] + u * self._sun[0] + v * self._sun[1]), _SUN, 0.86 * _EXPOSURE), sky]

    @cached_property
    def _haze(self) -> np.ndarray:
        """(pixels, 1): how much of the sky's colour the ground has, 1 far from everything."""
        x = (np.arange(self._width) + 0.5 - 0.5 * self._width) / self._focal
        y = (np.arange(self._height) + 0.5 - 0.5 * self._height) / self._focal
        right, down, forward = self._axes
        rays = x[None, :, None] * right + y[:, None, None] * down + forward
        eye = np.asarray(self.camera.eye)
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (self._ground - eye[2]) / rays[..., 2]
            away = np.hypot(*(eye[k] + reach * rays[..., k] - self._centre[k] for k in range(2)))
        fade = np.clip((np.where(reach > 0.0, away, np.inf) / max(self._radius, 1e-6) - 1.6) / 4.5, 0.0, 1.0)
        return (fade * fade * (3.0 - 2.0 * fade)).reshape(-1, 1).astype(np.float32)


def render_world(
    world: World, path: str | os.PathLike[str] | None = None, *, env_ids: Any = None, **options: Any
) -> np.ndarray:
    """Draw everything in a world as it is now, and save the picture as PNG; returns it as (height, width, 3) uint8.

    ``env_ids`` chooses environments, all by default. Several are put on a grid; those whose poses are not finite are
    left out. Bodies show their visual shapes, or where a robot or object has none its collision shapes.

    Args:
        world: is built if it is not yet.
        path: of the file, if there is to be one.
        options: of :class:`WorldPainter`: ``size``, ``kind``, ``passes``, ``ground``, ``camera``, ``spacing``.

    Raises:
        ValueError: nothing in the world has a shape to show, or no environment has finite poses.
        FileNotFoundError: there is no folder for the file.
    """
    if path is not None and not Path(path).parent.is_dir():
        raise FileNotFoundError(f"render_world: {path}: there is no folder {Path(path).parent}; make it first")
    try:
        image = WorldPainter(world, env_ids, **options).draw()
    except ValueError as error:
        raise ValueError(f"render_world: {error}") from error
    if path is not None:
        save_png(image, Path(path))
    return image


def save_png(image: np.ndarray, path: Path) -> None:
    """Write an image (height, width, 3) uint8 to a file that is there whole or not at all."""
    from PIL import Image

    with replacing(path) as made:
        Image.fromarray(image).save(made, format="PNG")


def _soft_points(
    seen: WorldScene, nodes: Sequence[tuple[np.ndarray, ...]] | None, finite: np.ndarray
) -> list[np.ndarray]:
    """(environments that are finite, nodes, 3) of each body at each time; nodes without a place are in the middle."""
    times = [node_positions(seen.world, seen.envs)] if nodes is None else nodes
    return [np.nan_to_num(places[finite].astype(float)) for bodies in times for places in bodies]


def _poses_now(seen: WorldScene) -> np.ndarray:
    """(environments seen, bodies, 7), on the host."""
    world = seen.world
    world.compute("query_bodies")
    poses = world.engine.device.to_host(world[c.BodyState].pose)[: world.engine.store.rows(c.Body)]  # it may have none
    return poses.transpose(2, 0, 1)[seen.envs]


def within_pixel(number: int) -> tuple[float, float]:
    """Where in a pixel a pass casts its rays, -0.5 to 0.5: spread evenly, however many passes there are (Halton)."""
    return _corput(number + 1, 2) - 0.5, _corput(number + 1, 3) - 0.5


def _corput(index: int, base: int) -> float:
    found, part = 0.0, 1.0 / base
    while index:
        index, digit = divmod(index, base)
        found += digit * part
        part /= base
    return found
