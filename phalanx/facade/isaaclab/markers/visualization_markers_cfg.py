"""Configuration of markers."""

from __future__ import annotations

from dataclasses import MISSING

from phalanx.facade.isaaclab.sim.spawners.spawner_cfg import SpawnerCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class VisualizationMarkersCfg:
    """Markers of some sorts."""

    prim_path: str = MISSING  # pyright: ignore[reportAssignmentType]
    """Where they are put on the stage; with ``_01`` appended, and so on, if there is a prim already."""

    markers: dict[str, SpawnerCfg] = MISSING  # pyright: ignore[reportAssignmentType]
    """What each sort looks like, by a name that can be a prim's. What it says about physics is left out."""


__all__ = ["VisualizationMarkersCfg"]
