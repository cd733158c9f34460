"""Spheres."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.api.objects.declared import Declared, Size, constructor
from phalanx.facade.isaacsim.core.api.objects.shape import MovingShape, RoundShape

SPHERE = Declared("sphere", "sphere", "Sphere", (Size("radius", 1.0, "its radius"),), visible=True)


@constructor(SPHERE, "visual")
class VisualSphere(RoundShape):
    """See :func:`constructor`: a sphere that is only seen."""

    shape = SPHERE

    def _half(self) -> tuple[float, float, float]:
        radius = self.get_radius()
        return radius, radius, radius


@constructor(SPHERE, "fixed")
class FixedSphere(VisualSphere):
    """See :func:`constructor`: a sphere that collides, and does not move."""


@constructor(SPHERE, "dynamic")
class DynamicSphere(MovingShape, FixedSphere):
    """See :func:`constructor`: a sphere that collides and moves."""


__all__ = ["DynamicSphere", "FixedSphere", "VisualSphere"]
