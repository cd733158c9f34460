"""What rays hit: arrays that casts write to, made once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class RayHits:
    """Results of a cast, on the scene's device; what was not asked for is ``None`` and costs nothing.

    Attributes:
        distance: (num_envs, rays) float32, m from the origin along the ray; inf without a hit.
        position: (num_envs, rays, 3) float32, world, m; inf without a hit.
        normal: (num_envs, rays, 3) float32, outward unit normal of what was hit, whichever side the ray came from: of a
            mesh, the side from which corners run counter-clockwise; of a height field, up. 0 without a hit.
        ids: (num_envs, rays, 3) int32: :attr:`face`, :attr:`object`, :attr:`instance`.
    """

    distance: Any
    position: Any = None
    normal: Any = None
    ids: Any = None

    @property
    def face(self) -> Any:
        """(num_envs, rays): face of the mesh, triangle of the height field; -1 for others and without a hit."""
        return self._ids()[..., 0]

    @property
    def object(self) -> Any:
        """(num_envs, rays): what the instance was given as ``object``; -1 without a hit."""
        return self._ids()[..., 1]

    @property
    def instance(self) -> Any:
        """(num_envs, rays): number of the instance; -1 without a hit."""
        return self._ids()[..., 2]

    def _ids(self) -> Any:
        if self.ids is None:
            raise AttributeError("these hits have no ids; make them with scene.hits(..., ids=True)")
        return self.ids
