"""Spheres."""

from __future__ import annotations

from typing import Any, ClassVar

from phalanx.facade.isaacsim.core.api.objects.shape import Shape, exists, mass_of
from phalanx.facade.isaacsim.core.prims.single_rigid_prim import SingleRigidPrim


class VisualSphere(Shape):
    """A sphere that is only seen. Of a prim that is there already, what is not given stays.

    Args:
        prim_path: of the prim; it is made if there is none.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
        color: red, green and blue, (3,), of a new prim without ``visual_material``; grey by default.
        radius: its radius.
        visual_material: that it is seen in.

    Raises:
        TypeError: there is a prim of another type.
        ValueError: an array has another shape.
    """

    _type = "Sphere"
    _sizes: ClassVar[dict[str, float]] = {"radius": 1.0}

    def __init__(
        self,
        prim_path: str,
        name: str = "visual_sphere",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = True,
        color: Any = None,
        radius: float | None = None,
        visual_material: Any = None,
    ) -> None:
        sizes = {"radius": radius}
        self._see(prim_path, name, position, translation, orientation, scale, visible, color, visual_material, sizes)

    def set_radius(self, radius: float) -> None:
        """Set the radius."""
        self._resize("radius", radius)

    def get_radius(self) -> float:
        """The radius."""
        return self._get_size("radius")

    def _half(self) -> tuple[float, float, float]:
        radius = self.get_radius()
        return radius, radius, radius


class FixedSphere(VisualSphere):
    """A sphere that collides, and does not move.

    Args:
        prim_path: of the prim; it is made if there is none.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
        color: red, green and blue, (3,), of a new prim without ``visual_material``; grey by default.
        radius: its radius.
        visual_material: that it is seen in.
        physics_material: that it is felt as; of a new prim, by default, one with friction 0.2 at rest, 1.0 in motion,
            and no restitution.

    Raises:
        TypeError: there is a prim of another type.
        ValueError: an array has another shape.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "fixed_sphere",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        color: Any = None,
        radius: float | None = None,
        visual_material: Any = None,
        physics_material: Any = None,
    ) -> None:
        is_new = not exists(prim_path)
        VisualSphere.__init__(
            self,
            prim_path,
            name,
            position,
            translation,
            orientation,
            scale,
            visible,
            color,
            radius,
            visual_material,
        )
        self._feel(is_new, physics_material)


class DynamicSphere(SingleRigidPrim, FixedSphere):
    """A sphere that collides and moves: a rigid body.

    Args:
        prim_path: of the prim; it is made if there is none.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
        color: red, green and blue, (3,), of a new prim without ``visual_material``; grey by default.
        radius: its radius.
        visual_material: that it is seen in.
        physics_material: that it is felt as; see :class:`FixedSphere`.
        mass: kg; 0.02 of a new prim without a density.
        density: kg/m^3; a mass takes precedence.
        linear_velocity, angular_velocity: (3,), in the world's axes, in units of the stage per second and rad/s.

    Raises:
        TypeError: there is a prim of another type.
        ValueError: an array has another shape.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "dynamic_sphere",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        color: Any = None,
        radius: float | None = None,
        visual_material: Any = None,
        physics_material: Any = None,
        mass: float | None = None,
        density: float | None = None,
        linear_velocity: Any = None,
        angular_velocity: Any = None,
    ) -> None:
        mass = mass_of(not exists(prim_path), mass, density)
        FixedSphere.__init__(
            self,
            prim_path,
            name,
            position,
            translation,
            orientation,
            scale,
            visible,
            color,
            radius,
            visual_material,
            physics_material,
        )
        SingleRigidPrim.__init__(
            self,
            prim_path,
            name,
            mass=mass,
            density=density,
            linear_velocity=linear_velocity,
            angular_velocity=angular_velocity,
        )


__all__ = ["DynamicSphere", "FixedSphere", "VisualSphere"]
