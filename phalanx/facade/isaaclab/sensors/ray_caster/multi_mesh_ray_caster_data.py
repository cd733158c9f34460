"""What a ray caster has measured among many meshes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster_data import RayCasterData


@dataclass
class MultiMeshRayCasterData(RayCasterData):
    """Measurements of N sensors with B rays each.

    Attributes:
        ray_mesh_ids: (N, B, 1) int32: the position in ``mesh_prim_paths`` of what each ray hits, -1 without a hit;
            ``None`` unless ``update_mesh_ids`` is set.
    """

    ray_mesh_ids: Any = None
