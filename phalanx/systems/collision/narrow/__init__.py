"""Narrow phase: where the convex shapes of a candidate pair touch.

Systems work in the frame of the pair's first shape, so that float32 keeps its
digits however far away that is. :func:`systems_for` names those that a world needs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from phalanx.components.shape import BOX, CAPSULE, CONE, CYLINDER, SPHERE, is_convex
from phalanx.ecs import System
from phalanx.systems.collision.narrow.boxes import collide_boxes
from phalanx.systems.collision.narrow.capsule_box import collide_capsule_box
from phalanx.systems.collision.narrow.capsules import collide_capsules
from phalanx.systems.collision.narrow.convex import collide_convex
from phalanx.systems.collision.narrow.guard import guard_fast_shapes
from phalanx.systems.collision.narrow.spheres import collide_spheres

__all__ = [
    "collide_boxes",
    "collide_capsule_box",
    "collide_capsules",
    "collide_convex",
    "collide_spheres",
    "guard_fast_shapes",
    "systems_for",
]

_DEDICATED = {
    **{(SPHERE, kind): collide_spheres for kind in (SPHERE, CAPSULE, BOX, CYLINDER, CONE)},
    (CAPSULE, CAPSULE): collide_capsules,
    (CAPSULE, BOX): collide_capsule_box,
    (BOX, BOX): collide_boxes,
}
_ALL = (collide_spheres, collide_capsules, collide_capsule_box, collide_boxes, collide_convex)


def _system_of(a: int, b: int) -> System | None:
    """The system for a pair of kinds, ``a <= b``; none where a mesh or another subsystem is concerned."""
    return _DEDICATED.get((a, b), collide_convex if is_convex(b) else None)


def systems_for(pairs: set[tuple[int, int]]) -> list[System]:
    """The systems that a world needs whose pairs of shapes are of these kinds.

    Common pairs have their own by formula; the general one, which takes longest to compile, is there only for others.
    """
    wanted = {_system_of(a, b) for a, b in pairs}
    chosen: list[System] = []
    for system in _ALL:
        if system in wanted:
            chosen.append(_apart(system))
    if wanted - {None} and any(pair != (SPHERE, SPHERE) for pair in pairs):
        chosen.append(guard_fast_shapes)
    return chosen


@cache
def _apart(system: System) -> System:
    """The same system, which writes the same fields as the others, but those of other candidates."""
    return replace(system, apart="pairs of kinds")
