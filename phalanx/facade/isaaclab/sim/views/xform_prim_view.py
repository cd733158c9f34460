"""Poses of many prims of the stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.namespaces import array
from phalanx.io.formats.usd.bindings import Prim, Stage


class XformPrimView:
    """The prims that a path stands for, as they are on the stage, which the simulation does not move.

    Args:
        prim_path: an expression segment by segment.
        device: of the arrays that it hands out.
        stage: the current one by default.
    """

    def __init__(self, prim_path: str, device: str = "cpu", stage: Stage | None = None) -> None:
        self._prim_path, self._device = prim_path, device
        self._stage = utils.get_current_stage() if stage is None else stage

    @property
    def prims(self) -> list[Prim]:
        """The prims, in the order of the stage."""
        return utils.find_matching_prims(self._prim_path, self._stage)

    @property
    def prim_paths(self) -> list[str]:
        """Their paths."""
        return utils.find_matching_prim_paths(self._prim_path, self._stage)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.prims)

    @property
    def device(self) -> str:
        """Of the arrays that it hands out."""
        return self._device

    def get_world_poses(self, indices: Sequence[int] | None = None) -> tuple[Any, Any]:
        """Positions (n, 3), m, and orientations (n, 4), (w, x, y, z), in the world.

        Args:
            indices: of which prims; all by default.
        """
        prims = self.prims
        poses = [utils.resolve_prim_pose(prims[int(i)]) for i in (range(len(prims)) if indices is None else indices)]
        return tuple(array([pose[k] for pose in poses], self._device, "float32") for k in range(2))  # pyright: ignore[reportReturnType]
