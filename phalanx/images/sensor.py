"""Cameras of a scene: one in each environment, which all draw at once.

>>> scene = RayScene(num_envs=4096, device="cuda:0")  # doctest: +SKIP
>>> ground = scene.add(primitive_geometry("plane"))  # doctest: +SKIP
>>> looks = {ground: Look(texture=Texture.checkerboard())}  # doctest: +SKIP
>>> sensor = ImageSensor(scene, 64, 64, types=("rgb", "depth"), looks=looks)  # doctest: +SKIP
>>> sensor.set_pinhole(fx=60.0)  # doctest: +SKIP
>>> scene.place(positions, orientations)  # doctest: +SKIP
>>> sensor.capture(camera_positions, camera_orientations)  # (num_envs, 3), (num_envs, 4)  # doctest: +SKIP
>>> sensor.output["rgb"]  # (num_envs, 64, 64, 3) uint8  # doctest: +SKIP
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from phalanx.images.image_kernels import draw_pixels
from phalanx.images.looks import DAYLIGHT, DECODED, Light, Look, LookTables, look_tables
from phalanx.images.motion import remember_frames
from phalanx.rays import RayScene
from phalanx.rays.launches import Launches
from phalanx.rays.packing import SCENE_ARRAYS, Packed
from phalanx.rays.scene import ALL
from phalanx.world.env_ids import env_indices

TYPES: dict[str, tuple[tuple[int, ...], Any]] = {
    "rgb": ((3,), np.uint8),
    "rgba": ((4,), np.uint8),
    "distance_to_camera": ((), np.float32),
    "distance_to_image_plane": ((), np.float32),
    "depth": ((), np.float32),
    "normals": ((3,), np.float32),
    "motion_vectors": ((2,), np.float32),
    "ids": ((3,), np.int32),
}
"""What images can hold: shape and type of a pixel."""

_DEPTHS = ("distance_to_image_plane", "depth")

MOST_PIXELS = 2**31 - 1
"""Of all images of a sensor, with the borders of their tiles: kernels count in 32 bits."""


class ImageSensor:
    """Cameras that draw a scene, one in each environment.

    A camera's frame is that of ROS: x right, y down, z forward. The middle of the pixel in column u, row v is at
    (u + 0.5, v + 0.5), so the middle of an image is at (width / 2, height / 2).

    Attributes:
        output: by type, (num_envs, height, width, ...), on the scene's device; the same arrays all the time:

            * "rgb", "rgba": (..., 3) and (..., 4) uint8, sRGB; alpha is 0 where nothing was hit, 255 where what is
              behind is hidden, and between where transparent surfaces have nothing behind them.
            * "distance_to_camera": float32, m along the pixel's ray; inf where nothing was hit.
            * "distance_to_image_plane", "depth": float32, m along the optical axis; inf where nothing was hit. Both
              names are one array.
            * "normals": (..., 3) float32, world, outward unit normals; 0 where nothing was hit.
            * "motion_vectors": (..., 2) float32, pixels along u and v: where what the pixel shows was in the last image
              of the environment, less where it is now: positive for what moved to the left, and up, as Isaac Lab has
              them. The background is taken to be at rest, infinitely far away; what was behind the camera has 0, and
              so has the first image. With directions instead of a pinhole they are of first order, and parallel ones
              have none.
            * "ids": (..., 3) int32: face (-1 but for meshes and height fields), object, instance; -1 where nothing was
              hit.

    Args:
        scene: what there is; instances may be added later on.
        height, width: of an image, pixels.
        types: which outputs there are.
        looks: by number of the instance (what ``scene.add`` returned); others are dull, in a colour by their object.
        lights: :data:`~.DAYLIGHT` by default.
        background: linear r, g, b of where nothing is, or two of them, of the horizon and the zenith.
        near, far: m along the optical axis (along the ray with directions): what is nearer or farther is not seen.
        shadows: how many lights cast shadows, at most: the first that may. Each costs a ray a pixel.
        groups: bits: instances that are seen, see ``scene.add``.

    Raises:
        ValueError: sizes are not positive, a type is unknown, or a number is out of its range.
    """

    def __init__(
        self,
        scene: RayScene,
        height: int,
        width: int,
        types: Sequence[str] = ("rgb",),
        *,
        looks: Mapping[int, Look] | None = None,
        lights: Sequence[Light] | None = None,
        background: Any = ((0.62, 0.72, 0.85), (0.25, 0.42, 0.72)),
        near: float = 0.0,
        far: float = math.inf,
        shadows: int = 1,
        groups: int = ALL,
    ) -> None:
        if height < 1 or width < 1:
            raise ValueError(f"an image of {height} x {width} pixels: at least 1 x 1 is needed")
        types = (types,) if isinstance(types, str) else tuple(dict.fromkeys(types))
        if unknown := [name for name in types if name not in TYPES]:
            raise ValueError(f"types {unknown}: there are {', '.join(TYPES)}")
        if not types:
            raise ValueError(f"types is empty; choose from {', '.join(TYPES)}")
        if not (math.isfinite(near) and 0.0 <= near < far):
            raise ValueError(f"near={near}, far={far}: 0 <= near < far is needed, m")
        self.scene = scene
        self.height, self.width = int(height), int(width)
        self._tiles = -(-self.width // 8), -(-self.height // 4)
        self._pixels = 32 * self._tiles[0] * self._tiles[1]  # of an environment
        if scene.num_envs * self._pixels > MOST_PIXELS:
            raise ValueError(
                f"{scene.num_envs} images of {height} x {width} are {scene.num_envs * self._pixels} pixels; one sensor "
                f"can have {MOST_PIXELS}: use several, or smaller images"
            )
        self.types = types
        self._clip = float(near), float(far)
        self._groups = groups
        self._shadows = int(shadows)
        self._looks = dict(looks or {})
        self._lights = tuple(DAYLIGHT if lights is None else lights)
        colours = np.asarray(background, float)
        if colours.shape not in ((3,), (2, 3)) or not np.isfinite(colours).all():
            raise ValueError(f"background {background}: three finite numbers are needed, or two times three")
        self._background = np.broadcast_to(colours, (2, 3))
        self._launches = Launches()
        self._packed: Packed | None = None
        self._look: LookTables | None = None
        self._arrays: dict[str, Any] = {}
        self._directions: Any = None
        self._origins: Any = None
        self._spread = 0.0
        xp = scene.device.xp
        with scene.device.active():
            made = {n: xp.zeros((scene.num_envs, self.height, self.width, *TYPES[n][0]), TYPES[n][1]) for n in types}
            self._intrinsics = xp.zeros((scene.num_envs, 4), np.float32)
        if all(name in made for name in _DEPTHS):
            made["depth"] = made["distance_to_image_plane"]
        self.output: dict[str, Any] = made
        self.set_pinhole(float(width))

    # -- what cameras are like -------------------------------------------------------------------------------

    def set_pinhole(self, fx: Any, fy: Any = None, cx: Any = None, cy: Any = None) -> None:
        """Make the cameras pinholes; a new sensor has them with a focal length of an image's width.

        Args:
            fx, fy: focal lengths, pixels, positive; ``fy`` is ``fx`` by default. Numbers, or (num_envs,) arrays.
            cx, cy: principal point, pixels; the image's middle by default.

        Raises:
            ValueError: they are not numbers, or not positive where that is needed.
        """
        fy = fx if fy is None else fy
        cx = 0.5 * self.width if cx is None else cx
        cy = 0.5 * self.height if cy is None else cy
        xp = self.scene.device.xp
        with self.scene.device.active():
            for name, value in (("fx", fx), ("fy", fy), ("cx", cx), ("cy", cy)):
                given = xp.asarray(value)
                if given.shape not in ((), (1,), (self.scene.num_envs,)):
                    raise ValueError(
                        f"{name} has shape {given.shape}; one number or ({self.scene.num_envs},) is needed"
                    )
                if not bool(xp.isfinite(given).all()) or (name[0] == "f" and not bool((given > 0).all())):
                    raise ValueError(f"{name}={value}: must be finite{', and positive' if name[0] == 'f' else ''}")
            for k, value in enumerate((fx, fy, cx, cy)):
                self._intrinsics[:, k] = xp.asarray(value, np.float32)
        if self._directions is not None:
            self._directions = self._origins = None
            self._launches.forget()

    @property
    def intrinsics(self) -> Any:
        """(num_envs, 4) float32, on the scene's device: fx, fy, cx, cy of pinholes; may be written to."""
        return self._intrinsics

    def set_directions(self, directions: Any, origins: Any = None) -> None:
        """Give pixels rays of their own: fisheyes, parallel projections and others.

        Args:
            directions: (height * width, 3) float32, or (num_envs, height * width, 3), on the scene's device or not: in
                the camera's frame, of any length whose square is a float32; of length 0 for pixels that see nothing.
            origins: where rays begin in the camera's frame, of the same shape, m; in its origin by default. Distances
                are from there.

        Raises:
            ValueError: their shape is another.
        """
        shapes = ((self.height * self.width, 3), (self.scene.num_envs, self.height * self.width, 3))
        xp = self.scene.device.xp
        with self.scene.device.active():
            made = xp.ascontiguousarray(xp.asarray(directions, np.float32))
        if made.shape not in shapes:
            raise ValueError(f"directions have shape {made.shape}; {shapes[0]} or {shapes[1]} is needed")
        begins = None
        if origins is not None:
            with self.scene.device.active():
                begins = xp.ascontiguousarray(xp.asarray(origins, np.float32))
            if begins.shape != made.shape:
                raise ValueError(f"origins have shape {begins.shape}; that of the directions, {made.shape}, is needed")
        one = self.scene.device.to_host(made.reshape(-1, self.height, self.width, 3)[0]).astype(float)
        length = np.linalg.norm(one, axis=-1, keepdims=True)
        one = np.divide(one, length, out=np.zeros_like(one), where=length > 0)
        step = np.linalg.norm(np.diff(one, axis=1), axis=-1) if self.width > 1 else np.zeros(1)
        step = step[np.isfinite(step)]
        self._spread = float(np.median(step)) if step.size else 0.0
        self._directions, self._origins = made, begins
        self._launches.forget()

    # -- what things look like -------------------------------------------------------------------------------

    def set_look(self, instance: int, look: Look) -> None:
        """Change what an instance looks like, from the next capture on; all tables are made anew."""
        self._looks[instance] = look
        self._packed = None

    def set_lights(self, lights: Sequence[Light]) -> None:
        """Change all lights, from the next capture on."""
        self._lights = tuple(lights)
        self._packed = None

    # -- images ----------------------------------------------------------------------------------------------

    def capture(self, position: Any, orientation: Any, envs: Any = None, *, pixels: Any = None) -> None:
        """Draw images to :attr:`output`; on a GPU the work is queued.

        Args:
            position, orientation: (num_envs, 3) and (num_envs, 4) float32, contiguous, on the scene's device: of the
                cameras, m and w, x, y, z (unit quaternions), world. A camera whose pose is not finite sees nothing.
            envs: numbers of the environments whose images are drawn, (n,) int32, on the scene's device, or a sequence;
                (num_envs,) of bool say it for each (on a GPU their number is waited for), or a slice. Negative numbers
                count from the end, but not in int32 on a GPU, which is not looked at. All others keep theirs.
            pixels: instead of ``envs``, pixels that are drawn, (n,) int32 on the scene's device: their numbers in
                images (num_envs, height, width), row by row. All others keep what they show; those beyond are passed
                over. Not of sensors with motion vectors, which keep one earlier image.

        Raises:
            ValueError: shapes or types do not fit, or bodies have not been placed.
        """
        if pixels is not None:
            self._check_pixels(pixels, envs)
        packed = self.scene.packed()
        if packed is not self._packed:
            self._pack(packed)
        arrays = (position, orientation, envs, pixels)
        if self._launches.again(draw_pixels, arrays, ()):
            return
        count = self.scene.num_envs
        self.scene.check("position", position, (count, 3))
        self.scene.check("orientation", orientation, (count, 4))
        if packed.own and not packed.placed:
            raise ValueError("instances are carried by bodies: call scene.place(...) before the first capture")
        chosen = None if envs is None else self._numbers(envs)
        launch = self._draw(packed, position, orientation, chosen, pixels)
        if pixels is None and (chosen is None or chosen is envs):
            self._launches.remember(draw_pixels, arrays, (), launch)

    def forget(self, envs: Any = None) -> None:
        """Have no motion in the next images of all environments, or of some (numbers): they begin anew."""
        if self._arrays:
            with self.scene.device.active():
                whole = envs is None or isinstance(envs, slice)
                self._arrays["known"][(envs or slice(None)) if whole else self.scene.device.xp.asarray(envs)] = 0

    def _numbers(self, envs: Any) -> Any:
        xp = self.scene.device.xp
        if isinstance(envs, slice):
            envs = env_indices(envs, self.scene.num_envs, "envs")
        with self.scene.device.active():
            made = xp.asarray(envs)
            if made.dtype == np.bool_:
                if made.shape != (self.scene.num_envs,):
                    raise ValueError(f"envs has shape {made.shape}; ({self.scene.num_envs},) of bool is needed")
                made = xp.flatnonzero(made)
            if made.ndim != 1 or (made.dtype.kind not in "iu" and made.size):
                raise ValueError(
                    f"envs has shape {made.shape} and type {made.dtype}; numbers of environments are needed"
                )
            if made is envs and made.dtype == np.int32 and self.scene.device.is_cuda:
                return made  # looking at the numbers would wait for the GPU; those beyond are passed over there
            made = made.astype(np.int32)
            if made.size and (int(made.min()) < -self.scene.num_envs or int(made.max()) >= self.scene.num_envs):
                raise ValueError(f"envs has numbers beyond 0..{self.scene.num_envs - 1}")
            made = xp.where(made < 0, made + self.scene.num_envs, made).astype(np.int32)
        return made

    def _check_pixels(self, pixels: Any, envs: Any) -> None:
        if envs is not None:
            raise ValueError("envs and pixels: give one of them")
        if "motion_vectors" in self.types:
            raise ValueError("pixels: a sensor with motion vectors draws whole images")
        if not isinstance(pixels, self.scene.device.xp.ndarray) or pixels.dtype != np.int32 or pixels.ndim != 1:
            raise ValueError("pixels: numbers of pixels are needed, (n,) int32 on the scene's device")

    def _draw(
        self, packed: Packed, position: Any, orientation: Any, envs: Any, pixels: Any = None
    ) -> Callable[[], None]:
        assert self._look is not None
        arrays, look, output = self._arrays, self._look, self.output
        chosen = (arrays["known"] if envs is None else envs, int(envs is not None))
        listed = (arrays["known"] if pixels is None else pixels, int(pixels is not None))
        directions = self._intrinsics if self._directions is None else self._directions
        kind = 0 if self._directions is None else self._directions.ndim - 1
        first = (
            self.width,
            self.height,
            *self._tiles,
            self.scene.num_envs,
            *chosen,
            *listed,
            self._intrinsics,
            directions,
            kind,
            directions if self._origins is None else self._origins,
            self._spread,
        )
        scene = (arrays["table"], *(packed.arrays[name] for name in SCENE_ARRAYS[1:]))
        looks = (arrays[n] for n in ("looks", "places", "textures", "texels", "decoded", "attributes", "lights"))
        lights = (len(look.lights) - 1, look.traced, arrays["sky"])
        last = tuple(arrays[name] for name in ("last_frames", "last_position", "last_orientation", "known"))
        plane = output.get("distance_to_image_plane", output.get("depth"))
        results: list[Any] = []
        for result in (*(output.get(n) for n in ("rgb", "rgba", "distance_to_camera")), plane, output.get("normals")):
            results += [arrays["known"] if result is None else result, int(result is not None)]
        motion, ids = output.get("motion_vectors"), output.get("ids")
        results += [arrays["known"] if motion is None else motion]
        results += [arrays["known"] if ids is None else ids, int(ids is not None)]
        rest = (packed.shared, packed.own, *scene, *looks, *lights, *last, *results)
        count = self.scene.num_envs if envs is None else len(envs)
        head = (*first, position, orientation, *self._clip)
        rays = count * self._pixels if pixels is None else len(pixels)
        drawing = self.scene.run(draw_pixels, rays, head, rest, self._constants(packed))
        kept = (envs, pixels)  # what the launches read lives as long as they do
        if motion is None:
            return lambda: (drawing(), kept)[0]
        rows = max(packed.own, 1)
        keeping = self.scene.run(
            remember_frames,
            count * rows,
            (
                rows,
                self.scene.num_envs,
                *chosen,
                packed.shared,
                packed.own,
                packed.arrays["frames"],
                position,
                orientation,
            ),
            last,
            (),
        )
        return lambda: (drawing(), keeping(), kept)[0]

    def _constants(self, packed: Packed) -> tuple[tuple[str, int], ...]:
        assert self._look is not None
        shaded = "rgb" in self.types or "rgba" in self.types
        transparent = self._look.transparent and shaded
        own = {
            "ALONE": dict(packed.constants)["ALONE"] * int(not transparent),
            "TOGETHER": 0,  # pixels cast more rays, some of them
            "MOTION": int("motion_vectors" in self.types),
            "ORIGINS": int(self._origins is not None),
            "SHADED": int(shaded),
            "SHADOWS": min(self._look.traced, 2) * int(shaded),
            "SMOOTH": int(self._look.smooth),
            "TEXTURED": int(len(self._look.textures) > 1),
            "TRANSPARENT": int(transparent),
        }
        return tuple(sorted({**dict(packed.constants), **own}.items()))

    def _pack(self, packed: Packed) -> None:
        """Make the tables anew."""
        again = "known" in self._arrays and self._arrays["of"] == [id(instance) for instance in packed.order]
        kept = (
            {n: self._arrays[n] for n in ("last_frames", "last_position", "last_orientation", "known")} if again else {}
        )
        look = look_tables(packed.order, self._looks, self._lights, self._shadows)
        table = self.scene.device.to_host(packed.arrays["table"]).copy()
        seen = (table[:, 5] & self._groups) != 0
        table[:, 5] = np.where(seen, look.groups, 0)
        sky = np.zeros((4, 4), np.float32)
        sky[:2, :3], sky[2:] = self._background, look.ambient
        host = {name: getattr(look, name) for name in ("looks", "places", "textures", "texels", "attributes", "lights")}
        host |= {"table": table, "sky": sky, "decoded": DECODED}
        count = self.scene.num_envs
        if not kept:
            frames = packed.arrays["frames"].shape if "motion_vectors" in self.types else (1, 4)
            host |= {"last_frames": np.zeros(frames, np.float32), "known": np.zeros(count, np.int32)}
            host |= {"last_position": np.zeros((count, 3), np.float32)}
            host |= {"last_orientation": np.zeros((count, 4), np.float32)}
        self._arrays = {name: self.scene.on_device(array) for name, array in host.items()} | kept
        self._arrays["of"] = [id(instance) for instance in packed.order]
        self._look, self._packed = look, packed
        self._launches.forget()
