"""Cylinders."""

from __future__ import annotations

from typing import Any, ClassVar

from phalanx.facade.isaacsim.core.api.objects.shape import TallShape, exists, mass_of
from phalanx.facade.isaacsim.core.prims.single_rigid_prim import SingleRigidPrim


class VisualCylinder(TallShape):
    """A cylinder that is only seen. Of a prim that is there already, what is not given stays.

    Args:
        prim_path: of the prim; it is made if there is none.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
        color: red, green and blue, (3,), of a new prim without ``visual_material``; grey by default.
        radius: its radius.
        height: its height.
        visual_material: that it is seen in.

    Raises:
        TypeError: there is a prim of another type.
        ValueError: an array has another shape.
    """

    _type = "Cylinder"
    _sizes: ClassVar[dict[str, float]] = {"radius": 1.0, "height": 1.0}

    def __init__(
        self,
        prim_path: str,
        name: str = "visual_cylinder",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        color: Any = None,
        radius: float | None = None,
        height: float | None = None,
        visual_material: Any = None,
    ) -> None:
        sizes = {"radius": radius, "height": height}
        self._see(prim_path, name, position, translation, orientation, scale, visible, color, visual_material, sizes)


class FixedCylinder(VisualCylinder):
    """A cylinder that collides, and does not move.

    Args:
        prim_path: of the prim; it is made if there is none.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
        color: red, green and blue, (3,), of a new prim without ``visual_material``; grey by default.
        radius: its radius.
        height: its height.
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
        name: str = "fixed_cylinder",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        color: Any = None,
        radius: float | None = None,
        height: float | None = None,
        visual_material: Any = None,
        physics_material: Any = None,
    ) -> None:
        is_new = not exists(prim_path)
        VisualCylinder.__init__(
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
            height,
            visual_material,
        )
        self._feel(is_new, physics_material)


class DynamicCylinder(SingleRigidPrim, FixedCylinder):
    """A cylinder that collides and moves: a rigid body.

    Args:
        prim_path: of the prim; it is made if there is none.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
        color: red, green and blue, (3,), of a new prim without ``visual_material``; grey by default.
        radius: its radius.
        height: its height.
        visual_material: that it is seen in.
        physics_material: that it is felt as; see :class:`FixedCylinder`.
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
        name: str = "dynamic_cylinder",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        color: Any = None,
        radius: float | None = None,
        height: float | None = None,
        visual_material: Any = None,
        physics_material: Any = None,
        mass: float | None = None,
        density: float | None = None,
        linear_velocity: Any = None,
        angular_velocity: Any = None,
    ) -> None:
        mass = mass_of(not exists(prim_path), mass, density)
        FixedCylinder.__init__(
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
            height,
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


__all__ = ["DynamicCylinder", "FixedCylinder", "VisualCylinder"]
