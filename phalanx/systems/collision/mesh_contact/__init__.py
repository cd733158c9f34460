"""Contacts of convex shapes with triangle meshes and height fields.

The triangles near a shape are found by a tree (mesh) or a grid (height field); each gives contact points; of all of
them a few that span the patch are kept. A normal that comes from an edge or vertex counts only where the surface is
convex (:mod:`phalanx.systems.collision.mesh_contact.regions`), so that nothing stumbles over the seams of a flat floor.

Triangles collide on their front, with shapes whose origin is in front of them: a shape that has sunk in by less than
half its size is pushed out again. Meshes and height fields do not collide with each other.
"""

from __future__ import annotations

from collections.abc import Iterable

from phalanx.components.shape import HEIGHT_FIELD, MESH, is_convex, is_round
from phalanx.ecs.declare import System
from phalanx.ecs.sequences.stand_ins import Exchange, Rows

MANIFOLD_POINTS = 8
"""Points that a pair with a mesh or height field may have."""


def systems_for(kinds: Iterable[tuple[int, int]]) -> list[System]:
    """The systems that pairs of the given kinds (of shapes a and b, in order) need.

    Their modules are imported only when they are needed.
    """
    wanted = set(kinds)
    found: list[System] = []
    if any(b == MESH and is_round(a) for a, b in wanted):
        from phalanx.systems.collision.mesh_contact.round_mesh import collide_round_with_mesh

        found.append(collide_round_with_mesh)
    if any(b == MESH and is_convex(a) and not is_round(a) for a, b in wanted):
        from phalanx.systems.collision.mesh_contact.convex_mesh import collide_convex_with_mesh

        found.append(collide_convex_with_mesh)
    if any(b == HEIGHT_FIELD and is_round(a) for a, b in wanted):
        from phalanx.systems.collision.mesh_contact.round_height_field import collide_round_with_height_field

        found.append(collide_round_with_height_field)
    if any(b == HEIGHT_FIELD and is_convex(a) and not is_round(a) for a, b in wanted):
        from phalanx.systems.collision.mesh_contact.convex_height_field import collide_convex_with_height_field

        found.append(collide_convex_with_height_field)
    return found


def _spread(rows: Rows) -> System:
    from phalanx.systems.collision.mesh_contact.convex_height_field_teams import spread_convex_with_height_field

    return spread_convex_with_height_field


def _share(rows: Rows) -> System:
    from phalanx.systems.collision.mesh_contact.convex_mesh_teams import share_convex_with_mesh

    return share_convex_with_mesh


EXCHANGES = (
    Exchange(("collide_convex_with_height_field",), _spread),
    Exchange(("collide_convex_with_mesh",), _share),
)
"""What stands in for systems on GPUs."""
