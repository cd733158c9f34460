"""Several robots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaacsim.core.prims.articulation import Articulation


class RobotView(Articulation):
    """Robots with the same links and joints: a view of articulations, from which scripts derive views of theirs.

    Args:
        prim_paths_expr: an expression for paths, or several in a list.
        name: for scenes and messages.
        positions, translations, orientations, scales, visibilities: see ``isaacsim.core.prims.XFormPrim``.
    """

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        name: str = "rigid_prim_view",
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        visibilities: Any = None,
    ) -> None:
        super().__init__(prim_paths_expr, name, positions, translations, orientations, scales, visibilities)
        self._sensors: list[Any] = []


__all__ = ["RobotView"]
