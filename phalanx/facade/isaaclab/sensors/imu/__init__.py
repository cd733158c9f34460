"""Inertial measurement units."""

from phalanx.facade.isaaclab.sensors.imu.imu import Imu
from phalanx.facade.isaaclab.sensors.imu.imu_cfg import ImuCfg
from phalanx.facade.isaaclab.sensors.imu.imu_data import ImuData

__all__ = ["Imu", "ImuCfg", "ImuData"]
