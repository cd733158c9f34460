"""Contacts of meshes that have signed distance fields.

One way for all pairs: points of one surface are looked up in the distance function of the other, and the other way
round. A mesh with a field has points spread over its surface, in a tree, so that only those near the other shape are
visited; convex shapes have exact distance functions and corners, edges and rims to look up in the field; triangle
meshes have the nearest triangle, and their convex edges; height fields the triangle below. Of what is found a few
points are kept (:mod:`phalanx.systems.collision.sdf_contact.bins`).
"""

from __future__ import annotations

from collections.abc import Iterable

from phalanx.components.shape import HEIGHT_FIELD, MESH, SDF, is_convex
from phalanx.ecs.declare import System


def systems_for(kinds: Iterable[tuple[int, int]]) -> list[System]:
    """The systems that pairs of the given kinds (of shapes a and b, in order) need.

    Their modules are imported only when they are needed.
    """
    wanted = set(kinds)
    found: list[System] = []
    if any(b == SDF and is_convex(a) for a, b in wanted):
        from phalanx.systems.collision.sdf_contact.convex_sdf import collide_convex_with_sdf

        found.append(collide_convex_with_sdf)
    if (SDF, SDF) in wanted:
        from phalanx.systems.collision.sdf_contact.two_sdf import collide_two_sdf

        found.append(collide_two_sdf)
    if (SDF, MESH) in wanted:
        from phalanx.systems.collision.sdf_contact.sdf_mesh import collide_sdf_with_mesh

        found.append(collide_sdf_with_mesh)
    if (SDF, HEIGHT_FIELD) in wanted:
        from phalanx.systems.collision.sdf_contact.sdf_height_field import collide_sdf_with_height_field

        found.append(collide_sdf_with_height_field)
    return found
