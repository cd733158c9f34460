"""From points of the world to pixels of a camera's picture, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.sensors.base_sensor import BaseSensor
from phalanx.facade.isaacsim.sensors.camera import distortions
from phalanx.facade.isaacsim.sensors.camera.annotators import pose_matrix
from phalanx.facade.isaacsim.sensors.camera.camera_axes import from_usd
from phalanx.facade.isaacsim.sensors.camera.camera_lens import CameraLens


class CameraPoints(CameraLens, BaseSensor):
    """What a plain pinhole shows where."""

    _resolution: tuple[int, int]

    def _frame(self) -> np.ndarray:
        """(4, 4): from x right, y down, z forward to the world, units of the stage."""
        place, turn = (on_host(each, float)[None] for each in BaseSensor.get_world_pose(self))
        return pose_matrix(place, from_usd(turn, "ros"))

    def _pinhole(self) -> np.ndarray:
        if "pinhole" not in (kind := self.get_lens_distortion_model().lower()):
            raise ValueError(f"{self.prim_path}: the lens model is {kind!r}; only pinholes have an intrinsic matrix")
        return distortions.pinhole(self.prim, self._resolution[1], self._resolution[0])

    def get_view_matrix_ros(self, device: str | None = None, backend_utils_cls: Any = None) -> Any:
        """(4, 4): from points in the world to those in the camera's frame, x right, y down, z forward."""
        return self._prim_view._backend.give(np.linalg.inv(self._frame()))

    def get_intrinsics_matrix(self, device: str | None = None, backend_utils_cls: Any = None) -> Any:
        """(3, 3): [[fx, 0, cx], [0, fy, cy], [0, 0, 1]], pixels.

        Raises:
            ValueError: the lens is no pinhole.
        """
        return self._prim_view._backend.give(self._pinhole())

    def get_image_coords_from_world_points(self, points_3d: Any) -> Any:
        """Where a plain pinhole shows points.

        Args:
            points_3d: (n, 3), world.

        Returns:
            (n, 2): from the picture's upper left corner to the right and down, pixels.

        Raises:
            ValueError: the lens is no pinhole.
        """
        inverse = np.linalg.inv(self._frame())
        local = on_host(points_3d, float).reshape(-1, 3) @ inverse[:3, :3].T + inverse[:3, 3]
        shown = local @ self._pinhole().T
        with np.errstate(all="ignore"):
            return self._prim_view._backend.give(shown[:, :2] / shown[:, 2:])

    def get_camera_points_from_image_coords(
        self, points_2d: Any, depth: Any, device: str | None = None, backend_utils_cls: Any = None
    ) -> Any:
        """Points that a plain pinhole shows somewhere.

        Args:
            points_2d: (n, 2), pixels.
            depth: (n,), along the optical axis.
            device, backend_utils_cls: no meaning: arrays are of the world's backend.

        Returns:
            (n, 3), in the camera's frame, x right, y down, z forward.

        Raises:
            ValueError: the lens is no pinhole.
        """
        return self._prim_view._backend.give(self._points(points_2d, depth, False))

    def get_world_points_from_image_coords(
        self, points_2d: Any, depth: Any, device: str | None = None, backend_utils_cls: Any = None
    ) -> Any:
        """The same in the world, (n, 3)."""
        return self._prim_view._backend.give(self._points(points_2d, depth, True))

    def _points(self, points_2d: Any, depth: Any, in_world: bool) -> np.ndarray:
        pixels, far = on_host(points_2d, float).reshape(-1, 2), on_host(depth, float).reshape(-1, 1)
        matrix = self._pinhole()
        with np.errstate(invalid="ignore"):
            local = np.concatenate([(pixels - matrix[:2, 2]) / matrix[[0, 1], [0, 1]], np.ones_like(far)], -1) * far
            if not in_world:
                return local
            frame = self._frame()
            return local @ frame[:3, :3].T + frame[:3, 3]
