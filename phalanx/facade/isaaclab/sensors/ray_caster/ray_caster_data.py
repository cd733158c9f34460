"""What a ray caster has measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class RayCasterData:
    """Measurements of N sensors with B rays each.

    Attributes:
        pos_w: (N, 3) position of the prim that carries the sensor, with the drift, m. It is without the offset, as
            scripts subtract heights from it.
        quat_w: (N, 4) its orientation, (w, x, y, z).
        ray_hits_w: (N, B, 3) where rays hit, m, world; infinite where they do not.
    """

    pos_w: Any = None
    quat_w: Any = None
    ray_hits_w: Any = None
