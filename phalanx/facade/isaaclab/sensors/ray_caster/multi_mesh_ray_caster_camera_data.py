"""What a camera that casts rays has measured among many meshes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phalanx.facade.isaaclab.sensors.camera.camera_data import CameraData


@dataclass
class MultiMeshRayCasterCameraData(CameraData):
    """Measurements of N cameras.

    Attributes:
        image_mesh_ids: (N, height, width, 1) int32: the position in ``mesh_prim_paths`` of what each pixel shows, -1
            where that is nothing; ``None`` unless ``update_mesh_ids`` is set.
    """

    image_mesh_ids: Any = None
