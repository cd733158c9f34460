"""Puts visual materials on the stage."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from phalanx.facade.isaaclab.sim.spawners.geometry import refuse_existing
from phalanx.facade.isaaclab.sim.utils import clone, get_current_stage, safe_set_attribute_on_usd_prim
from phalanx.facade.isaaclab.utils.string import to_camel_case
from phalanx.facade.once import tell_once
from phalanx.io.formats.usd.bindings import Prim, Sdf, UsdShade

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.sim.spawners.materials import visual_materials_cfg

INPUTS = {"diffuse_color": "Color3f", "emissive_color": "Color3f", "roughness": "Float", "metallic": "Float"}
INPUTS |= {"opacity": "Float"}
"""Of preview surfaces, with their types."""


@clone
def spawn_preview_surface(prim_path: str, cfg: visual_materials_cfg.PreviewSurfaceCfg) -> Prim:
    """Put a visual material on the stage: a ``UsdShade.Material``, with its shader at ``Shader`` below it.

    Args:
        prim_path: where; the parent may be a regular expression, and then each parent that matches gets one.
        cfg: which.

    Returns:
        The shader, or the first of them.

    Raises:
        ValueError: there is a prim at the path already.
    """
    refuse_existing(prim_path)
    stage = get_current_stage()
    material = UsdShade.Material.Define(stage, prim_path)
    shader = UsdShade.Shader.Define(stage, f"{prim_path}/Shader")
    shader.CreateIdAttr("UsdPreviewSurface")
    for name, kind in INPUTS.items():
        shader.CreateInput(to_camel_case(name), getattr(Sdf.ValueTypeNames, kind)).Set(getattr(cfg, name))
    for output in ("surface", "displacement"):
        source = shader.CreateOutput(output, Sdf.ValueTypeNames.Token)
        getattr(material, f"Create{output.title()}Output")().ConnectToSource(source)
    return shader.GetPrim()


@clone
def spawn_from_mdl_file(
    prim_path: str, cfg: visual_materials_cfg.MdlFileCfg | visual_materials_cfg.GlassMdlCfg
) -> Prim:
    """Put a material on the stage that names an MDL file, for renderers that read it; of it, cameras see its colours.

    Args:
        prim_path: where; the parent may be a regular expression, and then each parent that matches gets one.
        cfg: which.

    Returns:
        The shader, or the first of them.

    Raises:
        ValueError: there is a prim at the path already.
    """
    refuse_existing(prim_path)
    tell_once("of materials of MDL files, cameras see the colours that are given with them; the files are not opened")
    stage = get_current_stage()
    material = UsdShade.Material.Define(stage, prim_path)
    shader = UsdShade.Shader.Define(stage, f"{prim_path}/Shader")
    shader.SetSourceAsset(Sdf.AssetPath(cfg.mdl_path), "mdl")
    shader.SetSourceAssetSubIdentifier(PurePath(cfg.mdl_path).stem, "mdl")
    for name, value in vars(cfg).items():
        if name not in ("func", "mdl_path") and value is not None:
            value = float(value) if type(value) is int else value
            safe_set_attribute_on_usd_prim(shader.GetPrim(), f"inputs:{name}", value, camel_case=False)
    for output in ("Surface", "Displacement", "Volume"):
        source = shader.CreateOutput("out", Sdf.ValueTypeNames.Token)
        getattr(material, f"Create{output}Output")("mdl").ConnectToSource(source)
    return shader.GetPrim()
