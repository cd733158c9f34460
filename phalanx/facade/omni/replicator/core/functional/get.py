"""Finding prims."""

from __future__ import annotations

import re

from phalanx.facade.isaaclab.sim.utils.stage import get_current_stage
from phalanx.io.formats.usd.bindings import Prim, Stage, Usd


def prims(path_pattern: str, stage: Stage | None = None) -> list[Prim]:
    """Prims in whose path an expression is found, in the order of the stage.

    Args:
        path_pattern: such as ``"/World/envs/env_.*/cube$"``; without the end also what is below. ``.`` also stands for
            a slash.
        stage: the current one by default.

    Raises:
        ValueError: it is no regular expression.
    """
    try:
        pattern = re.compile(path_pattern)
    except re.error as error:
        raise ValueError(f"get.prims: path_pattern={path_pattern!r} is no regular expression: {error}") from error
    found = Usd.PrimRange(get_current_stage().GetPseudoRoot() if stage is None else stage.GetPseudoRoot())
    return [prim for prim in found if not prim.IsPseudoRoot() and pattern.search(str(prim.GetPath()))]
