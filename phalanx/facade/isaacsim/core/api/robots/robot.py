"""One robot."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.api.controllers.articulation_controller import ArticulationController
from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation


class Robot(SingleArticulation):
    """A robot: an articulation, from which scripts derive robots of theirs.

    Args:
        prim_path: of its prim, or of one above its root.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see ``isaacsim.core.prims.SingleXFormPrim``.
        articulation_controller: what controls it; an ``ArticulationController`` by default.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "robot",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool = True,
        articulation_controller: ArticulationController | None = None,
    ) -> None:
        super().__init__(prim_path, name, position, translation, orientation, scale, visible, articulation_controller)
        self._sensors: list[Any] = []


__all__ = ["Robot"]
