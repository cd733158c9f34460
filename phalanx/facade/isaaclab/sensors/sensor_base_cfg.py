"""What configurations of sensors have in common."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class SensorBaseCfg:
    """Configuration of a sensor."""

    class_type: Any = MISSING
    """The class of the sensor."""
    prim_path: str = MISSING  # pyright: ignore[reportAssignmentType]
    """Path of the sensor's prims, an expression segment by segment; ``{ENV_REGEX_NS}`` is what a scene's environments
    are called."""
    update_period: float = 0.0
    """Time between measurements, s; with 0, there is one whenever time has passed."""
    history_length: int = 0
    """How many measurements are kept, by sensors that have a history; with 0, the newest one only."""
    debug_vis: bool = False
    """Whether to show what is measured."""
