"""What objects of one shape have in common: they make their prim, or wrap one that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.isaaclab.utils.string import find_unique_string_name
from phalanx.facade.isaacsim.core.api.materials.physics_material import PhysicsMaterial
from phalanx.facade.isaacsim.core.api.materials.preview_surface import PreviewSurface
from phalanx.facade.isaacsim.core.api.objects.declared import Declared
from phalanx.facade.isaacsim.core.prims.single_geometry_prim import SingleGeometryPrim
from phalanx.facade.isaacsim.core.prims.single_rigid_prim import SingleRigidPrim
from phalanx.io.formats.usd.bindings import Gf, UsdGeom

GREY = (0.5, 0.5, 0.5)
"""What is seen where no colour is given."""

MASS = 0.02
"""kg, of new objects that move and are given neither a mass nor a density."""

FRICTION = {"static_friction": 0.2, "dynamic_friction": 1.0, "restitution": 0.0}
"""Of new objects that collide and are given no material."""


def exists(path: str) -> bool:
    """Whether there is a prim at a path."""
    return bool(stages.get_stage().GetPrimAtPath(path))


def free_path(path: str) -> str:
    """A path at which there is no prim: the given one, or with ``_1`` appended, and so on."""
    return find_unique_string_name(path, lambda each: not exists(each))


def new_visual_material(color: Any) -> PreviewSurface:
    """A material of a colour, or grey."""
    return PreviewSurface(free_path("/World/Looks/visual_material"), color=np.array(GREY) if color is None else color)


def new_physics_material(**numbers: float) -> PhysicsMaterial:
    """A material that is felt."""
    return PhysicsMaterial(prim_path=free_path("/World/Physics_Materials/physics_material"), **numbers)  # type: ignore[arg-type]


class Shape(SingleGeometryPrim):
    """A prim of one shape: those who derive from it say which."""

    shape: ClassVar[Declared]

    if TYPE_CHECKING:  # constructor() makes it

        def __init__(self, *args: Any, **named: Any) -> None: ...

    def _make_visual(
        self,
        prim_path: str,
        name: str,
        position: Any,
        translation: Any,
        orientation: Any,
        scale: Any,
        visible: bool | None,
        color: Any,
        visual_material: Any,
        **sizes: float | None,
    ) -> None:
        """Make the prim, or wrap it: what is ``None`` is as it is, or of a new one as it is by default."""
        declared, stage = self.shape, stages.get_stage()
        schema = getattr(UsdGeom, declared.schema)
        prim = stage.GetPrimAtPath(prim_path)
        if prim and not prim.IsA(schema):
            raise TypeError(f"The prim at path {prim_path} is a {prim.GetTypeName()}, and no {declared.schema}")
        if not prim:
            schema.Define(stage, prim_path)
            sizes = {
                each.name: each.default if sizes[each.name] is None else sizes[each.name] for each in declared.sizes
            }
            visible = True if visible is None else visible
            visual_material = new_visual_material(color) if visual_material is None else visual_material
        SingleGeometryPrim.__init__(self, prim_path, name, position, translation, orientation, scale, visible)
        if visual_material is not None:
            self.apply_visual_material(visual_material)
        for key, value in sizes.items():
            if value is not None:
                self._set_size(key, value)
        self._write_extent()

    def _make_fixed(self, prim_path: str, physics_material: Any, **seen: Any) -> None:
        """Make what is seen, and let it collide; a new one gets a material if none is given."""
        is_new = not exists(prim_path)
        self._make_visual(prim_path, **seen)
        self._geometry_prim_view.apply_collision_apis()
        self.set_collision_enabled(True)
        if physics_material is None and is_new:
            physics_material = new_physics_material(**FRICTION)
        if physics_material is not None:
            self.apply_physics_material(physics_material)
        self._settle(is_new)

    def _settle(self, is_new: bool) -> None:
        """What else is set of one that collides."""

    def _set_size(self, name: str, value: float) -> None:
        self.geom.GetPrim().GetAttribute(name).Set(float(value))

    def _get_size(self, name: str) -> float:
        return float(self.geom.GetPrim().GetAttribute(name).Get())

    def _resize(self, name: str, value: float) -> None:
        self._set_size(name, value)
        self._write_extent()

    def _half(self) -> tuple[float, float, float]:
        """Half of its extent along its own axes, without scale."""
        raise NotImplementedError(f"{type(self).__name__} has no _half(); define it in the class")

    def _write_extent(self) -> None:
        half = Gf.Vec3f(*self._half())
        self.geom.CreateExtentAttr([-half, half])

    @property
    def geom(self) -> Any:
        """The prim as the schema of its shape, such as ``UsdGeom.Cube``."""
        return getattr(UsdGeom, self.shape.schema)(self._geometry_prim_view.prims[0])


class MovingShape(SingleRigidPrim, Shape):
    """A shape that is a rigid body."""

    if TYPE_CHECKING:  # constructor() makes it

        def __init__(self, *args: Any, **named: Any) -> None: ...

    def _make_dynamic(
        self,
        prim_path: str,
        name: str,
        mass: float | None,
        density: float | None,
        linear_velocity: Any,
        angular_velocity: Any,
        **felt: Any,
    ) -> None:
        """Make what collides, and let it move; a new one that is given neither mass nor density gets a small mass."""
        if mass is None and density is None and not exists(prim_path):
            mass = MASS
        self._make_fixed(prim_path, name=name, **felt)
        SingleRigidPrim.__init__(
            self,
            prim_path,
            name,
            mass=mass,
            density=density,
            linear_velocity=linear_velocity,
            angular_velocity=angular_velocity,
        )


class RoundShape(Shape):
    """A shape with a radius."""

    def set_radius(self, radius: float) -> None:
        """Set the radius."""
        self._resize("radius", radius)

    def get_radius(self) -> float:
        """The radius."""
        return self._get_size("radius")


class TallShape(RoundShape):
    """A shape with a radius and a height."""

    def set_height(self, height: float) -> None:
        """Set the height."""
        self._resize("height", height)

    def get_height(self) -> float:
        """The height."""
        return self._get_size("height")

    def _half(self) -> tuple[float, float, float]:
        along, across = self._reach(), self.get_radius()
        axis = str(self.geom.GetAxisAttr().Get())
        return tuple(along if letter == axis else across for letter in "XYZ")  # pyright: ignore[reportReturnType]

    def _reach(self) -> float:
        """Half of its extent along its axis."""
        return 0.5 * self.get_height()
