"""Interfaces to range sensors by the paths of their prims."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.isaacsim.sensors.physx.lidar_scan import scan_of


class LidarSensorInterface:
    """What lidars measured in the last step of physics; see :class:`.LidarScan`. Empty where there is no lidar."""

    def is_lidar_sensor(self, path: str) -> bool:
        """Whether a prim is a lidar."""
        return scan_of(path) is not None

    def get_num_cols(self, path: str) -> int:
        """Columns of a whole turn; 0 without a lidar."""
        scan = scan_of(path)
        return scan.columns if scan else 0

    def get_num_rows(self, path: str) -> int:
        """Rows; 0 without a lidar."""
        scan = scan_of(path)
        return scan.rows if scan else 0

    def get_num_cols_ticked(self, path: str) -> int:
        """Columns of the last step; 0 without a lidar."""
        scan = scan_of(path)
        return len(scan.azimuths) if scan else 0

    def _get(self, path: str, name: str) -> Any:
        scan = scan_of(path)
        return scan.result(name) if scan else np.zeros((0, 0), np.float32)

    def get_depth_data(self, path: str) -> np.ndarray:
        """(columns, rows) uint16: distances by the greatest one, times 65535, which stands for nothing."""
        return self._get(path, "depth")

    def get_linear_depth_data(self, path: str) -> np.ndarray:
        """(columns, rows) float32: distances, m; the greatest one where nothing is."""
        return self._get(path, "linear_depth")

    def get_intensity_data(self, path: str) -> np.ndarray:
        """(columns, rows) uint8: 255 where something is."""
        return self._get(path, "intensity")

    def get_zenith_data(self, path: str) -> np.ndarray:
        """(rows,) float32: angles to the horizontal, rad, positive downward."""
        scan = scan_of(path)
        return scan.zeniths if scan else np.zeros(0, np.float32)

    def get_azimuth_data(self, path: str) -> np.ndarray:
        """(columns,) float32: angles about the z axis, rad."""
        scan = scan_of(path)
        return scan.azimuths if scan else np.zeros(0, np.float32)

    def get_point_cloud_data(self, path: str) -> np.ndarray:
        """(columns, rows, 3) float32: where rays end, in the lidar's frame."""
        return self._get(path, "point_cloud")

    def get_prim_data(self, path: str) -> list[str]:
        """Paths of what rays hit, column by column, with ``enableSemantics``; empty texts for nothing."""
        scan = scan_of(path)
        return scan.result("prims") if scan else []

    def get_semantic_data(self, path: str) -> np.ndarray:
        """Nothing, as in Isaac Sim 5.1: :meth:`get_prim_data` says what was hit."""
        return np.zeros(0, np.uint16)


_lidars = LidarSensorInterface()


def acquire_lidar_sensor_interface() -> LidarSensorInterface:
    """The interface to lidars."""
    return _lidars


def release_lidar_sensor_interface(interface: LidarSensorInterface) -> None:
    """Nothing: it stays."""


__all__ = ["LidarSensorInterface", "acquire_lidar_sensor_interface", "release_lidar_sensor_interface"]
