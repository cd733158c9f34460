"""Grounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.isaacsim.core.api.objects.shape import new_physics_material, new_visual_material
from phalanx.facade.isaacsim.core.prims.single_geometry_prim import SingleGeometryPrim
from phalanx.facade.isaacsim.core.prims.single_xform_prim import SingleXFormPrim
from phalanx.io.formats.usd.bindings import Prim, Usd, UsdGeom

SIZE = 50.0
"""m: edges of what is seen of a new ground; it collides without end."""

FRICTION = {"static_friction": 0.5, "dynamic_friction": 0.5, "restitution": 0.8}
"""Of new grounds that are given no material."""


class GroundPlane:
    """A ground: an Xform with a plane below it that collides without end.

    Args:
        prim_path: of the Xform; both are made if there is nothing.
        name: for scenes and messages.
        size: edge of what is seen of it; 50 m by default.
        z_position: its height; of one that is there already it stays by default.
        scale: (3,).
        visible: whether it is shown.
        color: red, green and blue, (3,), of a new one without ``visual_material``; grey by default.
        physics_material: that it is felt as; of a new one, by default, one with friction 0.5 and restitution 0.8.
        visual_material: that it is seen in.

    Raises:
        ValueError: there is a prim, and no plane at or below it.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "ground_plane",
        size: float | None = None,
        z_position: float | None = None,
        scale: Any = None,
        visible: bool | None = None,
        color: Any = None,
        physics_material: Any = None,
        visual_material: Any = None,
    ) -> None:
        stage = stages.get_stage()
        prim = stage.GetPrimAtPath(prim_path)
        if not prim:
            plane = make(prim_path, SIZE / UsdGeom.GetStageMetersPerUnit(stage) if size is None else float(size))
            z_position = 0.0 if z_position is None else z_position
            physics_material = physics_material or new_physics_material(**FRICTION)
            visual_material = visual_material or new_visual_material(color)
        else:
            found = [one for one in Usd.PrimRange(prim, Usd.TraverseInstanceProxies()) if one.GetTypeName() == "Plane"]
            if not found:
                raise ValueError(f"there is no Plane at or below {prim_path} that could be a ground")
            plane = found[0].GetPath().pathString
        self._xform_prim = SingleXFormPrim(prim_path, name, scale=scale, visible=visible)
        self._collision_prim = SingleGeometryPrim(
            plane, f"{name}_collision_plane", scale=None, visible=visible, collision=True
        )
        if z_position is not None:
            self.set_default_state(np.array([0.0, 0.0, z_position]))
            self.set_world_pose(np.array([0.0, 0.0, z_position]))
        if physics_material is not None:
            self.apply_physics_material(physics_material)
        if visual_material is not None:
            self._xform_prim.apply_visual_material(visual_material)

    @property
    def prim_path(self) -> str:
        """Of the Xform."""
        return self._xform_prim.prim_path

    @property
    def prim(self) -> Prim:
        """The Xform."""
        return self._xform_prim.prim

    @property
    def name(self) -> str | None:
        """What it was called."""
        return self._xform_prim.name

    @property
    def xform_prim(self) -> SingleXFormPrim:
        """The Xform."""
        return self._xform_prim

    @property
    def collision_geometry_prim(self) -> SingleGeometryPrim:
        """The plane that collides."""
        return self._collision_prim

    def __repr__(self) -> str:
        return f"<GroundPlane {self.prim_path}>"

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Look up what is simulated of it."""
        self._xform_prim.initialize(physics_sim_view)
        self._collision_prim.initialize(physics_sim_view)

    def is_valid(self) -> bool:
        """Whether its prims are still there."""
        return self._xform_prim.is_valid() and self._collision_prim.is_valid()

    def post_reset(self) -> None:
        """Go back to the default state."""
        self._xform_prim.post_reset()
        self._collision_prim.post_reset()

    def apply_physics_material(self, physics_material: Any, weaker_than_descendants: bool = False) -> None:
        """Let it be felt as a material."""
        self._collision_prim.apply_physics_material(physics_material, weaker_than_descendants)

    def get_applied_physics_material(self) -> Any:
        """The material that it is bound to; ``None`` if there is none."""
        return self._collision_prim.get_applied_physics_material()

    def set_world_pose(self, position: Any = None, orientation: Any = None) -> None:
        """Put it somewhere in the world, (3,) and (4,); what is simulated takes it over before the next step."""
        self._xform_prim.set_world_pose(position, orientation)
        self._collision_prim.set_world_pose(position, orientation)

    def get_world_pose(self) -> tuple[Any, Any]:
        """Position (3,) and orientation (4,) in the world."""
        return self._xform_prim.get_world_pose()

    def set_default_state(self, position: Any = None, orientation: Any = None) -> None:
        """Set where :meth:`post_reset` puts it, (3,) and (4,)."""
        self._xform_prim.set_default_state(position, orientation)
        self._collision_prim.set_default_state(position, orientation)

    def get_default_state(self) -> Any:
        """Where :meth:`post_reset` puts it."""
        return self._xform_prim.get_default_state()


def make(prim_path: str, size: float, plane: str = "geom") -> str:
    """A new Xform with a plane below it; the path of the plane."""
    stage = stages.get_stage()
    UsdGeom.Xform.Define(stage, prim_path)
    geom = UsdGeom.Plane.Define(stage, f"{prim_path}/{plane}")
    geom.CreateAxisAttr("Z")
    geom.CreateWidthAttr(size)
    geom.CreateLengthAttr(size)
    geom.CreateExtentAttr([(-0.5 * size, -0.5 * size, 0.0), (0.5 * size, 0.5 * size, 0.0)])
    return str(geom.GetPath())


__all__ = ["GroundPlane"]
