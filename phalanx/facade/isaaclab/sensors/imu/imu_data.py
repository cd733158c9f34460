"""What an inertial measurement unit has measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class ImuData:
    """Measurements of n units; ``_w`` in the world's axes, ``_b`` in the sensor's.

    Attributes:
        pos_w: (n, 3) position of the sensor, m.
        quat_w: (n, 4) its orientation, (w, x, y, z).
        projected_gravity_b: (n, 3) direction of gravity; zero where there is none.
        lin_vel_b: (n, 3) velocity of the sensor's origin, m/s.
        ang_vel_b: (n, 3) rad/s.
        lin_acc_b: (n, 3) acceleration of the sensor's origin, with the bias against gravity, m/s^2.
        ang_acc_b: (n, 3) rad/s^2.
    """

    pos_w: Any = None
    quat_w: Any = None
    projected_gravity_b: Any = None
    lin_vel_b: Any = None
    ang_vel_b: Any = None
    lin_acc_b: Any = None
    ang_acc_b: Any = None
