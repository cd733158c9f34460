"""Pictures from cameras that bodies carry, of several environments side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.images.looks import DECODED
from phalanx.images.pictures.false_colors import FALSE_COLORS, KINDS
from phalanx.images.pictures.frames import developed
from phalanx.images.pictures.picture import MOVING, within_pixel
from phalanx.images.world_camera import WorldCamera
from phalanx.images.world_scene import WorldScene

if TYPE_CHECKING:
    from phalanx.world.world import World

_CLEAR = 0.05  # m between a body's shapes and the eye that looks ahead from it


class CarriedPainter:
    """Draws what a body sees that carries a camera, in each of some environments, as tiles of one picture.

    Args:
        world: is built if it is not yet.
        body: ``"actor/body"``, or the body's name alone where only one has it.
        env_ids: environments, all by default.
        size: width, height of the whole picture, pixels; tiles are as large as fit.
        kind: see :mod:`~.false_colors`.
        eye, target: where it is and where it looks, m, in the body's frame: by default from just before its shapes
            along x.
        angle: field of view from top to bottom, degrees.

    Raises:
        ValueError: there is no such body, or a size is too small.
    """

    def __init__(
        self,
        world: World,
        body: str,
        env_ids: Any = None,
        *,
        size: tuple[int, int] = (640, 480),
        kind: str = "rgb",
        passes: int = MOVING,
        eye: Any = None,
        target: Any = None,
        angle: float = 60.0,
    ) -> None:
        if kind not in KINDS:
            raise ValueError(f"kind={kind!r}: there are {', '.join(KINDS)}")
        scene = WorldScene(world, env_ids)
        count = len(scene.envs)
        self._columns = int(np.ceil(np.sqrt(count)))
        self._rows = -(-count // self._columns)
        self._size = size
        width, height = size[0] // self._columns, size[1] // self._rows
        if width < 1 or height < 1:
            raise ValueError(f"size={size}: too small for {count} environments")
        if eye is None:
            corners = [corner for row, corner in scene.boxes if row == scene.body_row(body)]
            eye = (max((corner[:, 0].max() for corner in corners), default=0.0) + _CLEAR, 0.0, 0.0)
        eye = np.asarray(eye, float)
        self.kind, self._passes = kind, passes if kind == "rgb" else 1
        name = "rgb" if kind == "rgb" else FALSE_COLORS[kind][0]
        self._camera = WorldCamera(
            world,
            height,
            width,
            (name,),
            body=body,
            eye=eye,
            target=eye + (1.0, 0.0, 0.0) if target is None else target,
            angle=angle,
            scene=scene,
        )

    def draw(self, poses: np.ndarray | None = None, shift: Any = None, nodes: Any = None) -> np.ndarray:
        """(height, width, 3) uint8: what is now, or with bodies at poses (environments, bodies, 7)."""
        camera, device = self._camera, self._camera.scene.world.engine.device
        if poses is None:
            camera.scene.update()
        else:
            if nodes is not None:
                camera.scene.place_nodes(nodes)
            camera.scene.place(poses)
        if self.kind != "rgb":
            name, show = FALSE_COLORS[self.kind]
            return self._tiled(show(device.to_host(camera.capture(update=False)[name])))
        sensor = camera.sensor
        focal = float(sensor.intrinsics[0, 0])
        total = np.zeros((*sensor.output["rgb"].shape,), np.float32)
        for n in range(self._passes):
            u, v = within_pixel(n)
            sensor.set_pinhole(focal, focal, 0.5 * sensor.width + u, 0.5 * sensor.height + v)
            total += DECODED[device.to_host(camera.capture(update=False)["rgb"])]
        return self._tiled(developed(total / self._passes))

    def _tiled(self, images: np.ndarray) -> np.ndarray:
        count, height, width, _ = images.shape
        whole = np.zeros((self._size[1], self._size[0], 3), np.uint8)
        for n in range(count):
            y, x = height * (n // self._columns), width * (n % self._columns)
            whole[y : y + height, x : x + width] = images[n]
        return whole
