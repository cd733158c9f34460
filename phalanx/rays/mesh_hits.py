"""The search of meshes that each back end does best."""

from typing import Any

from phalanx.rays.mesh_octants import search_by_octant
from phalanx.rays.mesh_search import search_by_distance
from phalanx.rays.primitives import versions


@versions(cpu=search_by_distance, cuda=search_by_octant)
def search_mesh(depth, cells, nodes, triangles, root, sides, any_hit, px, py, pz, dx, dy, dz, first, limit) -> Any:
    """See :func:`~.mesh_search.search_by_distance`."""
