"""Cuboids."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.api.objects.declared import Declared, Size, constructor
from phalanx.facade.isaacsim.core.api.objects.shape import MovingShape, Shape

CUBOID = Declared("cuboid", "cube", "Cube", (Size("size", 1.0, "length of its edges, before they are scaled"),))


@constructor(CUBOID, "visual")
class VisualCuboid(Shape):
    """See :func:`constructor`: a cuboid that is only seen."""

    shape = CUBOID

    def set_size(self, size: float) -> None:
        """Set the length of its edges, before they are scaled."""
        self._resize("size", size)

    def get_size(self) -> float:
        """The length of its edges, before they are scaled."""
        return self._get_size("size")

    def _half(self) -> tuple[float, float, float]:
        half = 0.5 * self.get_size()
        return half, half, half


@constructor(CUBOID, "fixed")
class FixedCuboid(VisualCuboid):
    """See :func:`constructor`: a cuboid that collides, and does not move."""

    def _settle(self, is_new: bool) -> None:
        self.set_collision_approximation("boundingCube")
        if is_new:
            self.set_rest_offset(0.0)
            self.set_contact_offset(0.1)
            self.set_torsional_patch_radius(1.0)
            self.set_min_torsional_patch_radius(0.8)


@constructor(CUBOID, "dynamic")
class DynamicCuboid(MovingShape, FixedCuboid):
    """See :func:`constructor`: a cuboid that collides and moves."""


__all__ = ["DynamicCuboid", "FixedCuboid", "VisualCuboid"]
