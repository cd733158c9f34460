"""Materials that are seen, and materials that are felt: they are made where there are none, and wrapped else."""

from __future__ import annotations

from typing import Any

from phalanx.facade.unbuilt import refuse

from .physics_materials import PhysicsMaterial, RigidBodyMaterial
from .visual_materials import OmniGlassMaterial, OmniPbrMaterial, PreviewSurfaceMaterial, VisualMaterial

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
