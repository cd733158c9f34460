"""Cones."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.api.objects.declared import Declared, Size, constructor
from phalanx.facade.isaacsim.core.api.objects.shape import MovingShape, TallShape

CONE = Declared("cone", "cone", "Cone", (Size("radius", 1.0, "its radius"), Size("height", 1.0, "its height")))


@constructor(CONE, "visual")
class VisualCone(TallShape):
    """See :func:`constructor`: a cone that is only seen."""

    shape = CONE


@constructor(CONE, "fixed")
class FixedCone(VisualCone):
    """See :func:`constructor`: a cone that collides, and does not move."""


@constructor(CONE, "dynamic")
class DynamicCone(MovingShape, FixedCone):
    """See :func:`constructor`: a cone that collides and moves."""


__all__ = ["DynamicCone", "FixedCone", "VisualCone"]
