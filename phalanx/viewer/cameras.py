"""Pictures of cameras: what they see in the first environment that is seen, and where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from phalanx.images.pictures.false_colors import FALSE_COLORS
from phalanx.images.world_camera import WorldCamera

if TYPE_CHECKING:
    from phalanx.world.world import World


@dataclass(frozen=True)
class CameraPose:
    """Where a camera is, and how much it sees.

    Attributes:
        position: (3,), m, in the frame of the environment.
        orientation: (4,), w x y z, of axes right, down and forward.
        fov: from top to bottom, rad.
        aspect: width over height.
    """

    position: np.ndarray
    orientation: np.ndarray
    fov: float
    aspect: float


class Feed(Protocol):
    """A camera whose pictures viewers show. All is called where the world may be read."""

    @property
    def kinds(self) -> Sequence[str]:
        """What pictures it has."""
        ...

    def picture(self, kind: str, env: int) -> np.ndarray:
        """(height, width, 3) uint8 of an environment."""
        ...

    def pose(self, env: int) -> CameraPose | None:
        """Where it is in an environment; ``None`` where there is none."""
        ...


class OwnFeed:
    """A camera of the viewer's own, which draws one environment when it is looked at.

    Args:
        world: that it sees.
        height, width, options: of :class:`~phalanx.images.world_camera.WorldCamera`.
    """

    kinds = ("rgb", *FALSE_COLORS)

    def __init__(self, world: World, height: int, width: int, **options: Any) -> None:
        from phalanx.images.world_scene import WorldScene

        types = ("rgb", *(output for output, _ in FALSE_COLORS.values()))
        scene = WorldScene(world, [0], soft=True)
        self._camera = WorldCamera(world, height, width, types, scene=scene, **options)
        self._world = world

    def put(self, position: Any, orientation: Any) -> None:
        """Put it elsewhere, see :meth:`~phalanx.images.world_camera.WorldCamera.set_pose`."""
        self._camera.set_pose(position, orientation)

    def picture(self, kind: str, env: int) -> np.ndarray:
        """See :class:`Feed`."""
        self._draw(env)
        output, paint = FALSE_COLORS.get(kind, (kind, np.asarray))
        return paint(self._host(self._camera.output[output])[0])

    def pose(self, env: int) -> CameraPose | None:
        """See :class:`Feed`."""
        self._draw(env, image=False)
        return _pose_of(self._camera, 0, self._host)

    def _draw(self, env: int, image: bool = True) -> None:
        if int(self._camera.scene.envs[0]) != env:
            self._camera.see([env])
        self._camera.capture() if image else self._camera.place()

    def _host(self, value: Any) -> np.ndarray:
        return self._world.engine.device.to_host(value)


class SharedFeed:
    """A camera that a program draws with: what it saw last. Viewers never draw with it.

    Args:
        world: that it sees.
        camera: a :class:`~phalanx.images.world_camera.WorldCamera` of all environments, or of some.
    """

    def __init__(self, world: World, camera: WorldCamera) -> None:
        self._world, self._camera = world, camera
        self._paints: dict[str, tuple[str, Callable[[Any], np.ndarray]]] = {}
        for kind, (output, paint) in {"rgb": ("rgb", np.asarray), **FALSE_COLORS}.items():
            names = [name for name in (output, "depth" if kind == "depth" else "") if name in camera.output]
            if names:
                self._paints[kind] = names[0], paint
        if "rgb" not in self._paints and "rgba" in camera.output:
            self._paints["rgb"] = "rgba", lambda image: image[..., :3]
        if not self._paints:
            raise ValueError(f"the camera has {', '.join(camera.output)}, of which viewers show nothing")

    @property
    def kinds(self) -> Sequence[str]:
        """See :class:`Feed`."""
        return tuple(self._paints)

    def picture(self, kind: str, env: int) -> np.ndarray:
        """See :class:`Feed`."""
        output, paint = self._paints[kind]
        return paint(self._host(self._camera.output[output][self._row(env)]))

    def pose(self, env: int) -> CameraPose | None:
        """See :class:`Feed`."""
        return _pose_of(self._camera, self._row(env), self._host)

    def _row(self, env: int) -> int:
        rows = np.flatnonzero(self._camera.scene.envs == env)
        if not len(rows):
            raise ValueError(f"the camera is not in environment {env}")
        return int(rows[0])

    def _host(self, value: Any) -> np.ndarray:
        return self._world.engine.device.to_host(value)


def _pose_of(camera: WorldCamera, row: int, host: Callable[[Any], np.ndarray]) -> CameraPose | None:
    position, orientation = host(camera.position)[row].astype(float), host(camera.orientation)[row].astype(float)
    if not np.isfinite(position).all() or not np.isfinite(orientation).all() or not orientation.any():
        return None
    sensor = camera.sensor
    focal = float(host(sensor.intrinsics)[row, 1])
    return CameraPose(position, orientation, 2.0 * np.arctan(0.5 * sensor.height / focal), sensor.width / sensor.height)
