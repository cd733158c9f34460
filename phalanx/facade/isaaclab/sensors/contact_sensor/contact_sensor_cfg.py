"""Configuration of contact sensors."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from phalanx.facade.isaaclab.markers import VisualizationMarkersCfg
from phalanx.facade.isaaclab.markers.config import CONTACT_SENSOR_MARKER_CFG
from phalanx.facade.isaaclab.sensors.contact_sensor.contact_sensor import ContactSensor
from phalanx.facade.isaaclab.sensors.sensor_base_cfg import SensorBaseCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class ContactSensorCfg(SensorBaseCfg):
    """Configuration of a contact sensor; its prims are rigid bodies that report contacts."""

    class_type: Any = ContactSensor
    track_pose: bool = False
    """Whether to measure where the bodies are."""
    track_contact_points: bool = False
    """Whether to measure where bodies touch what filters stand for; there must be filters."""
    track_friction_forces: bool = False
    """Whether to measure friction of what filters stand for; there must be filters."""
    max_contact_data_count_per_prim: int = 4
    """Has no effect but that contact points need at least 1: no contact is lost, however many there are."""
    track_air_time: bool = False
    """Whether to measure for how long bodies are in contact and in the air."""
    force_threshold: float = 1.0
    """N: a greater net force is a contact, for the times in contact and in the air; for nothing else."""
    filter_prim_paths_expr: list[str] = field(default_factory=list)
    """Paths of bodies, static colliders, grounds, or of prims above them, expressions segment by segment, with which
    contacts are reported each by itself. Each prim that one stands for in an environment is a column."""
    visualizer_cfg: VisualizationMarkersCfg = replace(CONTACT_SENSOR_MARKER_CFG, prim_path="/Visuals/ContactSensor")
    """Markers of bodies in contact and not."""
