"""What scripts import as ``isaacsim.core.api.materials``: materials that are seen, and materials that are felt."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.api.materials.deformable_material import DeformableMaterial
from phalanx.facade.isaacsim.core.api.materials.deformable_material_view import DeformableMaterialView
from phalanx.facade.isaacsim.core.api.materials.omni_glass import OmniGlass
from phalanx.facade.isaacsim.core.api.materials.omni_pbr import OmniPBR
from phalanx.facade.isaacsim.core.api.materials.particle_material import ParticleMaterial
from phalanx.facade.isaacsim.core.api.materials.particle_material_view import ParticleMaterialView
from phalanx.facade.isaacsim.core.api.materials.physics_material import PhysicsMaterial
from phalanx.facade.isaacsim.core.api.materials.preview_surface import PreviewSurface
from phalanx.facade.isaacsim.core.api.materials.visual_material import VisualMaterial, kind_of
from phalanx.io.formats.usd.bindings import Prim, UsdShade

_KNOWN = {"UsdPreviewSurface": PreviewSurface, "OmniPBR": OmniPBR, "OmniGlass": OmniGlass}


def known_visual_material(prim: Prim) -> VisualMaterial | None:
    """An object for a material on the stage; ``None`` if its shader is none that there is a class for."""
    path, stage = str(prim.GetPath()), prim.GetStage()
    material = UsdShade.Material(prim)
    found = [material.ComputeSurfaceSource(context)[0] for context in ("", "mdl")]
    found += [UsdShade.Shader(stage.GetPrimAtPath(f"{path}/{name}")) for name in ("shader", "Shader")]
    shader = next((one for one in found if one and one.GetPrim()), None)
    made = None if shader is None else _KNOWN.get(kind_of(shader))
    return None if made is None else made(path, shader=shader)


__all__ = [
    "DeformableMaterial",
    "DeformableMaterialView",
    "OmniGlass",
    "OmniPBR",
    "ParticleMaterial",
    "ParticleMaterialView",
    "PhysicsMaterial",
    "PreviewSurface",
    "VisualMaterial",
]
