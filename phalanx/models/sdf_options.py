"""How a mesh is turned into a signed distance field."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SdfOptions:
    """Options of the approximation ``"sdf"``; pass one as ``approximation`` or as :attr:`phalanx.Shape.sdf`.

    ``resolution`` is the number of cells along the longest side of the mesh's bounding box. A grid takes 4 bytes a cell
    in float32 worlds (a cube at 64: 1.3 MB, at 128: 9.6 MB, at 256: 75 MB), once for all objects and environments that
    have the same mesh. Walls should be at least two cells thick.

    ``margin`` is by how much the grid reaches beyond the box, as a part of the box's diagonal; at least two cells.

    ``points`` is the most points on the surface that are looked up in what the mesh meets: its vertices, and points
    spread over its edges and faces. Of a mesh with more vertices so many are chosen, well apart.
    """

    resolution: int = 64
    margin: float = 0.01
    points: int = 2048
