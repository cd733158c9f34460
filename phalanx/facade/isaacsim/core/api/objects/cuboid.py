"""Cuboids."""

from __future__ import annotations

from typing import Any, ClassVar

from phalanx.facade.isaacsim.core.api.objects.shape import Shape, exists, mass_of
from phalanx.facade.isaacsim.core.prims.single_rigid_prim import SingleRigidPrim


class VisualCuboid(Shape):
    """A cuboid that is only seen. Of a prim that is there already, what is not given stays.

    Args:
        prim_path: of the prim; it is made if there is none.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
        color: red, green and blue, (3,), of a new prim without ``visual_material``; grey by default.
        size: length of its edges, before they are scaled.
        visual_material: that it is seen in.

    Raises:
        TypeError: there is a prim of another type.
        ValueError: an array has another shape.
    """

    _type = "Cube"
    _sizes: ClassVar[dict[str, float]] = {"size": 1.0}

    def __init__(
        self,
        prim_path: str,
        name: str = "visual_cube",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        color: Any = None,
        size: float | None = None,
        visual_material: Any = None,
    ) -> None:
        sizes = {"size": size}
        self._see(prim_path, name, position, translation, orientation, scale, visible, color, visual_material, sizes)

    def set_size(self, size: float) -> None:
        """Set the length of its edges, before they are scaled."""
        self._resize("size", size)

    def get_size(self) -> float:
        """The length of its edges, before they are scaled."""
        return self._get_size("size")

    def _half(self) -> tuple[float, float, float]:
        half = 0.5 * self.get_size()
        return half, half, half


class FixedCuboid(VisualCuboid):
    """A cuboid that collides, and does not move.

    Args:
        prim_path: of the prim; it is made if there is none.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
        color: red, green and blue, (3,), of a new prim without ``visual_material``; grey by default.
        size: length of its edges, before they are scaled.
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
        name: str = "fixed_cube",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        color: Any = None,
        size: float | None = None,
        visual_material: Any = None,
        physics_material: Any = None,
    ) -> None:
        is_new = not exists(prim_path)
        VisualCuboid.__init__(
            self,
            prim_path,
            name,
            position,
            translation,
            orientation,
            scale,
            visible,
            color,
            size,
            visual_material,
        )
        self._feel(is_new, physics_material)
        self.set_collision_approximation("boundingCube")
        if is_new:
            self.set_rest_offset(0.0)
            self.set_contact_offset(0.1)
            self.set_torsional_patch_radius(1.0)
            self.set_min_torsional_patch_radius(0.8)


class DynamicCuboid(SingleRigidPrim, FixedCuboid):
    """A cuboid that collides and moves: a rigid body.

    Args:
        prim_path: of the prim; it is made if there is none.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
        color: red, green and blue, (3,), of a new prim without ``visual_material``; grey by default.
        size: length of its edges, before they are scaled.
        visual_material: that it is seen in.
        physics_material: that it is felt as; see :class:`FixedCuboid`.
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
        name: str = "dynamic_cube",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        color: Any = None,
        size: float | None = None,
        visual_material: Any = None,
        physics_material: Any = None,
        mass: float | None = None,
        density: float | None = None,
        linear_velocity: Any = None,
        angular_velocity: Any = None,
    ) -> None:
        mass = mass_of(not exists(prim_path), mass, density)
        FixedCuboid.__init__(
            self,
            prim_path,
            name,
            position,
            translation,
            orientation,
            scale,
            visible,
            color,
            size,
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


__all__ = ["DynamicCuboid", "FixedCuboid", "VisualCuboid"]
