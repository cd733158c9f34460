"""Configuration of ray casters for many meshes."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

from phalanx.facade.isaaclab.sensors.ray_caster.multi_mesh_ray_caster import MultiMeshRayCaster
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster_cfg import RayCasterCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class MultiMeshRayCasterCfg(RayCasterCfg):
    """Configuration of a ray caster whose rays meet many meshes, of which some move."""

    @configclass
    class RaycastTargetCfg:
        """Something that rays can hit."""

        prim_expr: str = MISSING  # pyright: ignore[reportAssignmentType]
        """Path of its prims, an expression segment by segment. Those below the sensor's own environment are met by it
        alone, others by all sensors."""
        is_shared: bool = False
        """No effect: geometry that environments have in common is kept once in any case."""
        merge_prim_meshes: bool = True
        """No effect: what is below a prim is one mesh."""
        track_mesh_transforms: bool = True
        """Whether it moves with the body that carries it; else it stays where it was when the simulation began."""

    class_type: Any = MultiMeshRayCaster
    mesh_prim_paths: list[str | RaycastTargetCfg] = MISSING  # pyright: ignore[reportAssignmentType, reportIncompatibleVariableOverride]
    """What rays can hit. A path alone stands still."""
    update_mesh_ids: bool = False
    """Whether to report which of them each ray hits."""
    reference_meshes: bool = True
    """No effect: geometry that environments have in common is kept once in any case."""
