"""Finding prims."""

from __future__ import annotations

from phalanx.facade.isaaclab.sim.utils.queries import find_matching_prims
from phalanx.io.formats.usd.bindings import Prim, Stage


def prims(path_pattern: str, stage: Stage | None = None) -> list[Prim]:
    """Prims whose path an expression matches, name by name, in the order of the stage."""
    return find_matching_prims(path_pattern, stage)
