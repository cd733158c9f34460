"""Different assets in different environments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any

from phalanx.facade.isaaclab.sim.spawners.from_files import UsdFileCfg
from phalanx.facade.isaaclab.sim.spawners.spawner_cfg import (
    DeformableObjectSpawnerCfg,
    RigidObjectSpawnerCfg,
    SpawnerCfg,
)
from phalanx.facade.isaaclab.sim.spawners.wrappers import wrappers
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class MultiAssetSpawnerCfg(RigidObjectSpawnerCfg, DeformableObjectSpawnerCfg):
    """One of several assets below each parent.

    Properties of physics that are given here go before those of the assets; semantic tags are added to theirs;
    ``visible`` is that of the assets.
    """

    func: Callable[..., Any] = wrappers.spawn_multi_asset

    assets_cfg: list[SpawnerCfg] = MISSING  # pyright: ignore[reportAssignmentType]
    """The assets."""

    random_choice: bool = True
    """Whether each parent gets one at random (by the module ``random``); else they take turns, in order."""


@configclass
class MultiUsdFileCfg(UsdFileCfg):
    """One of several USD files below each parent."""

    func: Callable[..., Any] = wrappers.spawn_multi_usd_file

    usd_path: str | list[str] = MISSING  # pyright: ignore[reportAssignmentType, reportIncompatibleVariableOverride]
    """The files."""

    random_choice: bool = True
    """Whether each parent gets one at random (by the module ``random``); else they take turns, in order."""
