"""Materials that are seen, and materials that are felt: they are made where there are none, and wrapped else."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.experimental.materials.physics_materials import PhysicsMaterial, RigidBodyMaterial
from phalanx.facade.isaacsim.core.experimental.materials.visual_materials import (
    OmniGlassMaterial,
    OmniPbrMaterial,
    PreviewSurfaceMaterial,
    VisualMaterial,
)
from phalanx.facade.unbuilt import refuse

__all__ = [
    "OmniGlassMaterial",
    "OmniPbrMaterial",
    "PhysicsMaterial",
    "PreviewSurfaceMaterial",
    "RigidBodyMaterial",
    "VisualMaterial",
]


def __getattr__(name: str) -> Any:
    raise refuse("isaacsim.core.experimental.materials", name)
