"""How an MJCF file is converted."""

from __future__ import annotations

from dataclasses import MISSING

from phalanx.facade.isaaclab.sim.converters.asset_converter_base_cfg import AssetConverterBaseCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class MjcfConverterCfg(AssetConverterBaseCfg):
    """An MJCF file with one robot."""

    link_density: float = 0.0
    """kg/m^3 of bodies that have shapes and no mass; 0: that of PhysX, 1000."""

    import_inertia_tensor: bool = True
    """Whether inertias are as in the file; else they follow from mass and shapes."""

    fix_base: bool = MISSING  # pyright: ignore[reportAssignmentType]
    """Whether the root is welded to the world. A root that a joint holds to the world is not let go."""

    import_sites: bool = True
    """Whether sites become prims. They do not yet; files that have some are told."""

    self_collision: bool = False
    """Whether bodies of the robot collide with each other."""
