"""What configurations of assets have in common."""

from __future__ import annotations

from dataclasses import MISSING, field
from typing import Any, Literal

from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class AssetBaseCfg:
    """Configuration of an asset: where it is on the stage, and what is put there."""

    @configclass
    class InitialStateCfg:
        """Where the asset is put."""

        pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """m, in the frame of the prim above it: its environment."""
        rot: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
        """(w, x, y, z), in the same frame."""

    class_type: Any = None
    """The class of the asset; ``None`` for what is only put on the stage."""
    prim_path: str = MISSING  # pyright: ignore[reportAssignmentType]
    """Path of the asset's prims, an expression segment by segment; ``{ENV_REGEX_NS}`` is what a scene's environments
    are called."""
    spawn: Any = None
    """A ``SpawnerCfg`` that puts it there; ``None`` if it is there already."""
    init_state: InitialStateCfg = field(default_factory=InitialStateCfg)
    """Where it is put."""
    collision_group: Literal[0, -1] = 0
    """0: it meets what is in its own environment; -1: also what is in all others."""
    debug_vis: bool = False
    """Whether to show what it knows."""
