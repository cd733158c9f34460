"""Cameras in a world: one in each environment, on a body or standing still.

>>> camera = WorldCamera(world, 64, 64, ("rgb", "depth"), body="robot/trunk", eye=(0.3, 0, 0), target=(1, 0, -0.2))
... # doctest: +SKIP
>>> world.step()  # doctest: +SKIP
>>> camera.capture()["rgb"]  # (num_envs, 64, 64, 3) uint8, on the world's device  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.images.sensor import ImageSensor
from phalanx.images.world_scene import WorldScene
from phalanx.maths.arrays import from_matrix
from phalanx.maths.kernels import quaternion_product, rotate
from phalanx.rays.primitives import Int, Ints, Reals

if TYPE_CHECKING:
    from phalanx.world.world import World


class WorldCamera:
    """A camera in every environment, which sees the environment's bodies and the grounds.

    Args:
        world: is built if it is not yet.
        height, width: of an image, pixels.
        types: of images, see :data:`phalanx.images.TYPES`.
        body: that carries the camera, ``"actor/body"``, or the body's name alone where only one has it; by default it
            stands still.
        eye, target: (3,) or (num_envs, 3): where it is and where it looks, m, in the frame of the body or in the world,
            whose z axis is up in its images; see :meth:`look_at` and :meth:`set_pose`.
        angle: field of view from top to bottom, degrees; :attr:`sensor` has ``set_pinhole`` and ``set_directions``.
        scene: of the same world, to share it with other cameras.
        options: of :class:`~phalanx.images.ImageSensor`: ``lights``, ``background``, ``near``, ``far``, ``shadows``.

    Attributes:
        scene: the :class:`~phalanx.images.world_scene.WorldScene`; its ``names`` say what objects in "ids" are.
        sensor: the :class:`~phalanx.images.ImageSensor`.

    Raises:
        ValueError: no such body, or a number is out of its range.
    """

    def __init__(
        self,
        world: World,
        height: int = 480,
        width: int = 640,
        types: Sequence[str] = ("rgb",),
        *,
        body: str | None = None,
        eye: Any = (2.0, 2.0, 1.5),
        target: Any = (0.0, 0.0, 0.0),
        angle: float = 60.0,
        scene: WorldScene | None = None,
        **options: Any,
    ) -> None:
        if not 0.0 < angle < 180.0:
            raise ValueError(f"angle={angle}: a field of view lies between 0 and 180 degrees")
        self.scene = WorldScene(world) if scene is None else scene
        if self.scene.world is not world or self.scene.together:
            raise ValueError("WorldCamera: scene must be of the same world, each environment by itself")
        self.sensor = ImageSensor(self.scene.scene, height, width, types, **{"looks": self.scene.looks, **options})
        self.sensor.set_pinhole(0.5 * height / np.tan(np.deg2rad(0.5 * angle)))
        self._row = None if body is None else self.scene.body_row(body)
        device, count = world.engine.device, len(self.scene.envs)
        self._device, self._world = device, world
        with device.active():
            xp = device.xp
            self._columns = xp.asarray(self.scene.envs.astype(np.int32))
            self._place, self._turn = xp.zeros((count, 3), np.float32), xp.zeros((count, 4), np.float32)
            self._position, self._orientation = xp.zeros((count, 3), np.float32), xp.zeros((count, 4), np.float32)
        self.look_at(eye, target)

    @property
    def output(self) -> dict[str, Any]:
        """By type, (num_envs, height, width, ...), on the world's device; the same arrays all the time."""
        return self.sensor.output

    @property
    def position(self) -> Any:
        """(num_envs, 3): where the cameras were when they last captured or were placed, m, world."""
        return self._position.copy()

    @property
    def orientation(self) -> Any:
        """(num_envs, 4): their orientations then, w, x, y, z, of axes right, down and forward."""
        return self._orientation.copy()

    def look_at(self, eye: Any, target: Any) -> None:
        """Look from one place at another, (3,) or (num_envs, 3), m: in the frame of the body or in the world.

        Raises:
            ValueError: they are the same place, or not finite.
        """
        eye, target = np.broadcast_arrays(np.asarray(eye, float), np.asarray(target, float))
        self.set_pose(eye, from_matrix(np.swapaxes(axes_toward(target - eye), -1, -2)))

    def set_pose(self, position: Any, orientation: Any) -> None:
        """Put the cameras somewhere, in the frame of the body or in the world: (3,) and (4,), or one for each.

        Orientations are w, x, y, z, of axes right, down and forward.
        """
        xp = self._device.xp
        with self._device.active():
            turn = xp.asarray(orientation, np.float32)
            self._place[...] = xp.asarray(position, np.float32)
            self._turn[...] = turn / xp.linalg.norm(turn, axis=-1, keepdims=True)

    def see(self, env_ids: Any) -> None:
        """Look at other environments from the next capture on; those of a scene that is shared, too.

        Raises:
            ValueError: they are not as many as before.
        """
        self.scene.see(env_ids)
        with self._device.active():
            self._columns[...] = self._device.xp.asarray(self.scene.envs.astype(np.int32))

    def capture(self, update: bool = True) -> dict[str, Any]:
        """Draw what is now to :attr:`output`, and return it; on a GPU this only queues work.

        Args:
            update: ``False`` where the scene has been put where it is to be seen, by itself or by another camera.
        """
        self.place(update)
        if self._row is None:
            self.sensor.capture(self._place, self._turn)
        else:
            self.sensor.capture(self._position, self._orientation)
        return self.output

    def place(self, update: bool = True) -> None:
        """Find where the cameras are, :attr:`position` and :attr:`orientation`, without drawing anything.

        Args:
            update: see :meth:`capture`.
        """
        if update or self.scene.poses is None:
            self.scene.update()
        if self._row is None:
            self._position[...], self._orientation[...] = self._place, self._turn
            return
        poses: Any = self.scene.poses
        first = (poses.shape[-1], self._row, poses, self._columns, self._place, self._turn)
        self.scene.scene.run(attach_cameras, len(self._columns), first, (self._position, self._orientation), ())


def axes_toward(forward: Any) -> np.ndarray:
    """(..., 3, 3): right, down and forward of who looks along directions (..., 3), upright, as rows.

    Raises:
        ValueError: a direction is 0 or not finite.
    """
    forward = np.asarray(forward, float)
    length = np.linalg.norm(forward, axis=-1, keepdims=True)
    if not (np.isfinite(length).all() and (length > 0.0).all()):
        raise ValueError("a camera needs an eye and a target that are finite and not the same")
    forward = forward / length
    above = np.where(np.abs(forward[..., 2:]) < 0.999, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
    right = np.cross(forward, above)
    right /= np.linalg.norm(right, axis=-1, keepdims=True)
    return np.stack([right, np.cross(forward, right), forward], axis=-2)


def attach_cameras(
    item,
    stride: Int,
    row: Int,
    poses: Reals,
    columns: Ints,
    place: Reals,
    turn: Reals,
    position: Reals,
    orientation: Reals,
):
    """Where the camera of one environment is, carried by a body.

    Args:
        item: environment, of those seen.
        stride: of ``poses`` (rows, 7, stride), environments last.
        row, columns: row of the body, columns of environments there.
        place, turn: of the cameras in the body's frame, 3 and 4 each.
        position, orientation: results, world.
    """
    at = 7 * stride * row + columns[item]
    w = poses[at + 3 * stride]
    x = poses[at + 4 * stride]
    y = poses[at + 5 * stride]
    z = poses[at + 6 * stride]
    px, py, pz = rotate(w, x, y, z, place[3 * item], place[3 * item + 1], place[3 * item + 2])
    position[3 * item] = poses[at] + px
    position[3 * item + 1] = poses[at + stride] + py
    position[3 * item + 2] = poses[at + 2 * stride] + pz
    a, b, c, d = quaternion_product(
        w, x, y, z, turn[4 * item], turn[4 * item + 1], turn[4 * item + 2], turn[4 * item + 3]
    )
    orientation[4 * item] = a
    orientation[4 * item + 1] = b
    orientation[4 * item + 2] = c
    orientation[4 * item + 3] = d
