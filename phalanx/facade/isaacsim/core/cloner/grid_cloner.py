"""Copies of prims in a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.cloner.cloner import Cloner
from phalanx.io.formats.usd.bindings import Stage, UsdGeom


class GridCloner(Cloner):
    """Makes copies of a prim in a grid about the origin of what is above them.

    Args:
        spacing: between neighbours, in units of the stage.
        num_per_row: copies in a row; -1: as many as rows.
        stage: the current one by default.
    """

    def __init__(self, spacing: float, num_per_row: int = -1, stage: Stage | None = None) -> None:
        super().__init__(stage)
        self._spacing, self._num_per_row = spacing, num_per_row
        self._positions: Any = None
        self._orientations: Any = None

    def get_clone_transforms(
        self, num_clones: int, position_offsets: Any = None, orientation_offsets: Any = None
    ) -> tuple[list[Any], list[Any]]:
        """Places of copies, n lists of 3, and quaternions (w, x, y, z), n lists of 4. The first call decides.

        Rows follow each other against x, the copies of a row along y, or along z where y is up.

        Args:
            num_clones: how many.
            position_offsets: by which they are off their places in the grid, (n, 3).
            orientation_offsets: by which they are turned, (n, 4).

        Raises:
            ValueError: there is another number of offsets.
        """
        for name, values in (("position_offsets", position_offsets), ("orientation_offsets", orientation_offsets)):
            if values is not None and len(values) != num_clones:
                raise ValueError(f"Dimension mismatch between {name} and prim_paths: {len(values)} for {num_clones}")
        if self._positions is None:
            places = self._grid(num_clones)
            if position_offsets is not None:
                places = places + on_host(position_offsets, float)
            turns = np.tile([1.0, 0.0, 0.0, 0.0], (num_clones, 1))
            if orientation_offsets is not None:
                turns = on_host(orientation_offsets, float).reshape(num_clones, 4)
            self._positions, self._orientations = places.tolist(), turns.tolist()
        return self._positions, self._orientations

    def _grid(self, count: int) -> np.ndarray:
        if self._num_per_row == -1:
            self._num_per_row = math.isqrt(count)
        rows = math.ceil(count / self._num_per_row)
        row, column = np.divmod(np.arange(count), math.ceil(count / rows))
        across = (rows - 1) / 2 - row
        along = column - (math.ceil(count / rows) - 1) / 2
        none = np.zeros(count)
        upright = UsdGeom.GetStageUpAxis(self._stage) != UsdGeom.Tokens.y
        return self._spacing * np.stack([across, along, none] if upright else [across, none, along], axis=1)

    def clone(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        source_prim_path: str,
        prim_paths: Sequence[str],
        position_offsets: Any = None,
        orientation_offsets: Any = None,
        replicate_physics: bool = False,
        base_env_path: str | None = None,
        root_path: str | None = None,
        copy_from_source: bool = False,
        enable_env_ids: bool = False,
        clone_in_fabric: bool = False,
    ) -> list[Any]:
        """Make copies of a prim in the grid; see :meth:`Cloner.clone`.

        Args:
            source_prim_path, prim_paths, replicate_physics, base_env_path, root_path, copy_from_source,
                enable_env_ids, clone_in_fabric: see :meth:`Cloner.clone`.
            position_offsets, orientation_offsets: see :meth:`get_clone_transforms`.

        Returns:
            Places of the copies, n lists of 3.

        Raises:
            ValueError: see :meth:`Cloner.clone`.
        """
        places, turns = self.get_clone_transforms(len(prim_paths), position_offsets, orientation_offsets)
        super().clone(
            source_prim_path,
            prim_paths,
            places,
            turns,
            replicate_physics,
            base_env_path,
            root_path,
            copy_from_source,
            enable_env_ids=enable_env_ids,
            clone_in_fabric=clone_in_fabric,
        )
        return places


__all__ = ["GridCloner"]
