"""Commands that make range sensors."""

from __future__ import annotations

from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.isaacsim.core.utils.xforms import reset_and_set_xform_ops
from phalanx.facade.isaacsim.sensors.physx.lidar_scan import make_lidar, scan_of
from phalanx.facade.omni.usd import get_stage_next_free_path
from phalanx.io.formats.usd.bindings import Gf, UsdGeom


def create_lidar(
    path: str = "/Lidar",
    parent: str | None = None,
    translation: Any = (0.0, 0.0, 0.0),
    orientation: Any = (1.0, 0.0, 0.0, 0.0),
    min_range: float = 0.4,
    max_range: float = 100.0,
    draw_points: bool = False,
    draw_lines: bool = False,
    horizontal_fov: float = 360.0,
    vertical_fov: float = 30.0,
    horizontal_resolution: float = 0.4,
    vertical_resolution: float = 4.0,
    rotation_rate: float = 20.0,
    high_lod: bool = False,
    yaw_offset: float = 0.0,
    enable_semantics: bool = False,
) -> Any:
    """The command ``RangeSensorCreateLidar``: a lidar at a path that is free, below a parent if one is given.

    Angles are in degrees, distances in m, the rate in turns a second. Returns the prim, as an ``UsdGeom.Xform``.
    """
    stage = stages.get_stage()
    whole = f"{parent.rstrip('/')}/{path.lstrip('/')}" if parent else path
    whole = get_stage_next_free_path(stage, whole, False)
    prim = make_lidar(
        whole,
        minRange=min_range,
        maxRange=max_range,
        drawPoints=draw_points,
        drawLines=draw_lines,
        horizontalFov=horizontal_fov,
        verticalFov=vertical_fov,
        horizontalResolution=horizontal_resolution,
        verticalResolution=vertical_resolution,
        rotationRate=rotation_rate,
        highLod=high_lod,
        yawOffset=yaw_offset,
        enableSemantics=enable_semantics,
    )
    reset_and_set_xform_ops(prim, Gf.Vec3d(*translation), orientation)
    scan_of(whole)
    return UsdGeom.Xform(prim)


COMMANDS = {"RangeSensorCreateLidar": create_lidar}
"""Functions by the names of commands."""

__all__ = ["COMMANDS", "create_lidar"]
