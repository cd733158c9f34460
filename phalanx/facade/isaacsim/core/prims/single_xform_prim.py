"""A prim with a pose."""

from __future__ import annotations

from typing import Any

from phalanx.facade.arrays import accept
from phalanx.facade.isaaclab.sim import utils
from phalanx.io.formats.usd.bindings import Prim


class SingleXFormPrim:
    """A prim with a pose, which is made if there is none at the path.

    Args:
        prim_path: its path.
        name: what it is called.
        position: in the world, m; as it is by default.
        translation: in the frame of the prim above, m, instead.
        orientation: (w, x, y, z) in the frame that the place is given in.
        scale: along its axes.
        visible: whether it is shown.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "xform_prim",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
    ) -> None:
        if position is not None and translation is not None:
            raise ValueError(f"<{prim_path}>: give either its position in the world, or its translation")
        stage = utils.get_current_stage()
        self.prim: Prim = stage.GetPrimAtPath(prim_path) or utils.create_prim(prim_path, "Xform", stage=stage)
        self.prim_path, self.name = prim_path, name
        if scale is not None:
            utils.standardize_xform_ops(self.prim, scale=tuple(float(s) for s in accept(scale)))
        if position is not None or (orientation is not None and translation is None):
            self.set_world_pose(position, orientation)
        elif translation is not None:
            self.set_local_pose(translation, orientation)
        if visible is not None:
            utils.set_prim_visibility(self.prim, visible)

    def get_world_pose(self) -> tuple[Any, Any]:
        """Position, m, and orientation (w, x, y, z) in the world."""
        return utils.resolve_prim_pose(self.prim)

    def get_local_pose(self) -> tuple[Any, Any]:
        """Translation, m, and orientation (w, x, y, z) in the frame of the prim above."""
        return utils.resolve_prim_pose(self.prim, self.prim.GetParent())

    def set_world_pose(self, position: Any = None, orientation: Any = None) -> None:
        """Set position, m, and orientation (w, x, y, z) in the world; ``None`` keeps one."""
        old = self.get_world_pose()
        place = old[0] if position is None else tuple(accept(position))
        turn = old[1] if orientation is None else tuple(accept(orientation))
        self.set_local_pose(*utils.convert_world_pose_to_local(place, turn, self.prim.GetParent()))

    def set_local_pose(self, translation: Any = None, orientation: Any = None) -> None:
        """Set translation, m, and orientation (w, x, y, z) in the frame of the prim above; ``None`` keeps one."""
        given = (None if each is None else tuple(float(v) for v in accept(each)) for each in (translation, orientation))
        place, turn = given
        utils.standardize_xform_ops(self.prim, translation=place, orientation=turn)
