"""Configuration of cameras."""

from __future__ import annotations

from dataclasses import MISSING, field
from typing import Any, Literal

from phalanx.facade.isaaclab.sensors.camera.camera import Camera
from phalanx.facade.isaaclab.sensors.sensor_base_cfg import SensorBaseCfg
from phalanx.facade.isaaclab.sim.spawners.sensors.sensors_cfg import FisheyeCameraCfg, PinholeCameraCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class CameraCfg(SensorBaseCfg):
    """Configuration of a camera."""

    @configclass
    class OffsetCfg:
        """Where the camera is, in the frame of the prim above it."""

        pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """m."""
        rot: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
        """(w, x, y, z)."""
        convention: Literal["opengl", "ros", "world"] = "ros"
        """Of which axes that is the orientation: ``"ros"`` has z forward and -y up, ``"opengl"`` -z forward and y up,
        ``"world"`` x forward and z up."""

    class_type: Any = Camera
    offset: OffsetCfg = field(default_factory=OffsetCfg)
    """Where the camera is; of no effect without ``spawn``."""
    spawn: PinholeCameraCfg | FisheyeCameraCfg | None = MISSING  # pyright: ignore[reportAssignmentType]
    """The camera that is put on the stage; ``None``: it is there already."""
    depth_clipping_behavior: Literal["max", "zero", "none"] = "none"
    """What distances are where there is nothing within the clipping range: ``"max"``: its end; ``"zero"``: zero;
    ``"none"``: infinite."""
    data_types: list[str] = ["rgb"]  # noqa: RUF012
    """Which pictures it makes; see :class:`Camera`."""
    width: int = MISSING  # pyright: ignore[reportAssignmentType]
    """Of pictures, pixels."""
    height: int = MISSING  # pyright: ignore[reportAssignmentType]
    """Of pictures, pixels."""
    update_latest_camera_pose: bool = False
    """Whether data have the pose that each picture is made from; else poses are those of the start, of the last reset,
    or that were set."""
    semantic_filter: str | list[str] = "*:*"
    """Labels that count: ``"class: cube & !red | ball; part: *"``, which is kinds of labels each with what labels of
    that kind a prim must have; or a list of kinds. Others are as if they were not there."""
    colorize_semantic_segmentation: bool = True
    """Whether pictures have colours for labels, (..., 4) uint8; else their numbers, (..., 1) int32."""
    colorize_instance_id_segmentation: bool = True
    """The same for prims."""
    colorize_instance_segmentation: bool = True
    """The same for prims with labels."""
    semantic_segmentation_mapping: dict = {}  # noqa: RUF012
    """Colours (r, g, b, a), 0 to 255, of labels: ``{"class:cube": (255, 0, 0, 255)}``."""
