"""Capsules."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.api.objects.declared import Declared, Size, constructor
from phalanx.facade.isaacsim.core.api.objects.shape import MovingShape, TallShape

CAPSULE = Declared(
    "capsule",
    "capsule",
    "Capsule",
    (Size("radius", 1.0, "its radius"), Size("height", 1.0, "its height without the caps")),
)


@constructor(CAPSULE, "visual")
class VisualCapsule(TallShape):
    """See :func:`constructor`: a capsule that is only seen."""

    shape = CAPSULE

    def _reach(self) -> float:
        return 0.5 * self.get_height() + self.get_radius()


@constructor(CAPSULE, "fixed")
class FixedCapsule(VisualCapsule):
    """See :func:`constructor`: a capsule that collides, and does not move."""


@constructor(CAPSULE, "dynamic")
class DynamicCapsule(MovingShape, FixedCapsule):
    """See :func:`constructor`: a capsule that collides and moves."""


__all__ = ["DynamicCapsule", "FixedCapsule", "VisualCapsule"]
