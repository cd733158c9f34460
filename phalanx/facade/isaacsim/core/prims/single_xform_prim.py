"""One prim that has a place."""

from __future__ import annotations

from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.arrays import api_of
from phalanx.facade.backends import is_warp, on_host
from phalanx.facade.isaacsim.core.prims.xform_prim import XFormPrim
from phalanx.facade.isaacsim.core.utils.types import XFormPrimState
from phalanx.io.formats.usd.bindings import Prim, UsdGeom


class SingleXFormPrim:
    """A prim that has a place, which is created if there is none: a view of one prim, without the first axis of arrays.

    Arrays are of the backend of the world, but poses and local scales NumPy's where that is Warp; lengths are in units
    of the stage, quaternions (w, x, y, z).

    Args:
        prim_path: of the prim.
        name: for scenes and messages.
        position: in the world, (3,); then the orientation is in the world, too, as it is where neither is given.
        translation: in the frame of the prim above, (3,), as the orientation is then; instead of a position.
        orientation: (4,).
        scale: along its own axes, (3,).
        visible: whether it is shown; as it is by default.
        reset_xform_properties: whether to let it keep its place as translation, orientation and scale.

    Raises:
        ValueError: both a position and a translation are given, or an array has another shape.
    """

    _prim_view: Any

    def __init__(
        self,
        prim_path: str,
        name: str = "xform_prim",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        reset_xform_properties: bool = True,
    ) -> None:
        stage = stages.get_stage()
        if not stage.GetPrimAtPath(prim_path):
            UsdGeom.Xform.Define(stage, prim_path)
        view = XFormPrim(
            prim_path,
            name,
            one(position),
            one(translation),
            one(orientation),
            one(scale),
            None if visible is None else [visible],
            reset_xform_properties,
        )
        self._xform_prim_view = view
        self._wrap(view)

    def _wrap(self, view: XFormPrim) -> None:
        """Let a view be what this is about."""
        self._prim_view = view

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def prim_path(self) -> str:
        """Of the prim."""
        return self._prim_view.prim_paths[0]

    @property
    def name(self) -> str | None:
        """What it was called."""
        return self._prim_view.name

    @property
    def prim(self) -> Prim:
        """The prim."""
        return self._prim_view.prims[0]

    @property
    def non_root_articulation_link(self) -> bool:
        """Whether it is a link of an articulation, and not its root, so that joints carry it."""
        return self._prim_view.is_non_root_articulation_link

    @property
    def _backend(self) -> Any:
        return self._prim_view._backend

    @property
    def _device(self) -> str:
        return self._prim_view._device

    def is_valid(self) -> bool:
        """Whether the prim is still there."""
        return self._prim_view.is_valid()

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Look up what is simulated of it."""
        self._prim_view.initialize(physics_sim_view)

    def post_reset(self) -> None:
        """Go back to the default state."""
        self._prim_view.post_reset()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.prim_path}>"

    # -- place -----------------------------------------------------------------------------------------------

    def set_world_pose(self, position: Any = None, orientation: Any = None) -> None:
        """Put it somewhere in the world, (3,) and (4,), at once; what is ``None`` stays."""
        self._prim_view.set_world_poses(one(position), one(orientation))

    def get_world_pose(self) -> tuple[Any, Any]:
        """Position (3,) and orientation (4,) in the world."""
        return tuple(map(_on_numpy, first(*self._prim_view.get_world_poses())))

    def get_local_pose(self) -> tuple[Any, Any]:
        """Translation (3,) and orientation (4,) in the frame of the prim above."""
        return tuple(map(_on_numpy, first(*self._prim_view.get_local_poses())))

    def set_local_pose(self, translation: Any = None, orientation: Any = None) -> None:
        """Put it somewhere in the frame of the prim above, (3,) and (4,), at once; what is ``None`` stays."""
        self._prim_view.set_local_poses(one(translation), one(orientation))

    def get_world_scale(self) -> Any:
        """(3,): by what it is scaled along its own axes, with the scale of the prims above it."""
        return first(self._prim_view.get_world_scales())[0]

    def set_local_scale(self, scale: Any) -> None:
        """Scale it along its own axes, (3,)."""
        self._prim_view.set_local_scales(one(scale))

    def get_local_scale(self) -> Any:
        """(3,): by what it is scaled along its own axes."""
        return _on_numpy(first(self._prim_view.get_local_scales())[0])

    # -- default state ---------------------------------------------------------------------------------------

    def get_default_state(self) -> Any:
        """Where :meth:`post_reset` puts it."""
        state = self._prim_view.get_default_state()
        return XFormPrimState(*(_of(state, name) for name in ("positions", "orientations")))

    def set_default_state(self, position: Any = None, orientation: Any = None) -> None:
        """Set where :meth:`post_reset` puts it in the world, (3,) and (4,); what is ``None`` stays."""
        self._prim_view.set_default_state(one(position), one(orientation))

    # -- looks -----------------------------------------------------------------------------------------------

    def set_visibility(self, visible: bool) -> None:
        """Show or hide it; showing it also shows what is above it."""
        self._prim_view.set_visibilities([bool(visible)])

    def get_visibility(self) -> bool:
        """Whether it is shown, as the prims above it say, too."""
        return bool(on_host(self._prim_view.get_visibilities())[0])

    def apply_visual_material(self, visual_material: Any, weaker_than_descendants: bool = False) -> None:
        """Let it be seen in a material."""
        self._prim_view.apply_visual_materials([visual_material], [weaker_than_descendants])

    def get_applied_visual_material(self) -> Any:
        """The material that it is bound to itself; ``None`` if there is none that there is a class for."""
        return self._prim_view.get_applied_visual_materials()[0]

    def is_visual_material_applied(self) -> bool:
        """Whether it is bound to a material itself."""
        return self._prim_view.is_visual_material_applied()[0]


def one(value: Any) -> Any:
    """A value of one prim as that of a view."""
    if value is None:
        return None
    if api_of(value) is not None:
        return value[None]
    return on_host(value)[None]


def first(*arrays: Any) -> tuple[Any, ...]:
    """The first rows of arrays; single numbers of Warp's become NumPy's."""
    return tuple(array.numpy()[0] if is_warp(array) and array.ndim == 1 else array[0] for array in arrays)


def _on_numpy(array: Any) -> Any:
    """As Isaac Sim hands out poses and scales of one prim: those of Warp become NumPy's."""
    return array.numpy() if is_warp(array) else array


def _of(state: Any, name: str) -> Any:
    values = None if state is None else getattr(state, name)
    return None if values is None else first(values)[0]


__all__ = ["SingleXFormPrim", "first", "one"]
