"""Visual materials, as cameras see them. The simulation does not use them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any

from phalanx.facade.isaaclab.sim.spawners.materials import visual_materials
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class VisualMaterialCfg:
    """What all visual materials have in common."""

    func: Callable[..., Any] = MISSING  # pyright: ignore[reportAssignmentType]
    """The function that makes the prim and returns it."""


@configclass
class PreviewSurfaceCfg(VisualMaterialCfg):
    """The material that everything that reads USD knows."""

    func: Callable[..., Any] = visual_materials.spawn_preview_surface

    diffuse_color: tuple[float, float, float] = (0.18, 0.18, 0.18)
    """Red, green and blue, 0 to 1."""

    emissive_color: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Of its own light."""

    roughness: float = 0.5
    """0 is a mirror, 1 is dull."""

    metallic: float = 0.0
    """1 is metal."""

    opacity: float = 1.0
    """0 cannot be seen."""


@configclass
class MdlFileCfg(VisualMaterialCfg):
    """A material from an MDL file, which only NVIDIA's renderers read."""

    func: Callable[..., Any] = visual_materials.spawn_from_mdl_file

    mdl_path: str = MISSING  # pyright: ignore[reportAssignmentType]
    """The file; it is named on the stage and not opened."""

    project_uvw: bool | None = None
    """Whether textures are projected."""

    albedo_brightness: float | None = None
    """How bright it is."""

    texture_scale: tuple[float, float] | None = None
    """How large textures are."""


@configclass
class GlassMdlCfg(VisualMaterialCfg):
    """Glass by an MDL file, which only NVIDIA's renderers read."""

    func: Callable[..., Any] = visual_materials.spawn_from_mdl_file

    mdl_path: str = "OmniGlass.mdl"
    """The file; it is named on the stage and not opened."""

    glass_color: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Red, green and blue, 0 to 1."""

    frosting_roughness: float = 0.0
    """How dull it is, 0 to 1."""

    thin_walled: bool = False
    """Whether it is a thin sheet, which does not bend light."""

    glass_ior: float = 1.491
    """Index of refraction."""
