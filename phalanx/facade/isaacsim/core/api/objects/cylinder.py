"""Cylinders."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.api.objects.declared import Declared, Size, constructor
from phalanx.facade.isaacsim.core.api.objects.shape import MovingShape, TallShape

CYLINDER = Declared(
    "cylinder", "cylinder", "Cylinder", (Size("radius", 1.0, "its radius"), Size("height", 1.0, "its height"))
)


@constructor(CYLINDER, "visual")
class VisualCylinder(TallShape):
    """See :func:`constructor`: a cylinder that is only seen."""

    shape = CYLINDER


@constructor(CYLINDER, "fixed")
class FixedCylinder(VisualCylinder):
    """See :func:`constructor`: a cylinder that collides, and does not move."""


@constructor(CYLINDER, "dynamic")
class DynamicCylinder(MovingShape, FixedCylinder):
    """See :func:`constructor`: a cylinder that collides and moves."""


__all__ = ["DynamicCylinder", "FixedCylinder", "VisualCylinder"]
