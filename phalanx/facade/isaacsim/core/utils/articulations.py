"""Roots of articulations, and the prims that whole robots are below."""

from __future__ import annotations

from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas, apply_schema
from phalanx.io.formats.usd.bindings import Prim, UsdPhysics

_PHYSX = "PhysxArticulationAPI"


def remove_articulation_root(prim: Prim) -> None:
    """Let a prim be no root of an articulation any more, if it is one."""
    if prim.HasAPI(UsdPhysics.ArticulationRootAPI):
        prim.RemoveAPI(UsdPhysics.ArticulationRootAPI)
        if _PHYSX in applied_schemas(prim):
            prim.RemoveAppliedSchema(_PHYSX)


def add_articulation_root(prim: Prim) -> None:
    """Let a prim be the root of an articulation."""
    UsdPhysics.ArticulationRootAPI.Apply(prim)
    apply_schema(prim, _PHYSX)


def move_articulation_root(src_prim: Prim, dst_prim: Prim) -> None:
    """Let another prim be the root that a prim is; nothing happens if that is none."""
    if src_prim.HasAPI(UsdPhysics.ArticulationRootAPI):
        remove_articulation_root(src_prim)
        add_articulation_root(dst_prim)


def find_all_articulation_base_paths() -> list[str]:
    """The deepest prims of the stage that hold a whole articulation each: its root, and all bodies that it joins.

    Of articulations within others only the innermost are told.

    Returns:
        Their paths, sorted.
    """
    roots, spans = set(), set()
    for prim in stages.get_stage().Traverse():
        if prim.HasAPI(UsdPhysics.ArticulationRootAPI):
            if prim.GetAttribute("physxArticulation:articulationEnabled").Get() is not False:
                roots.add(prim.GetPath())
        elif prim.IsA(UsdPhysics.Joint):
            joint = UsdPhysics.Joint(prim)
            bodies = [*joint.GetBody0Rel().GetTargets(), *joint.GetBody1Rel().GetTargets()]
            if len(bodies) == 2:
                spans.add(bodies[0].GetCommonPrefix(bodies[1]))
    held = {span: [root for root in roots if root.HasPrefix(span)] for span in spans}
    bases = {span: found[0] for span, found in held.items() if len(found) == 1}
    innermost = [span for span in bases if not _above_another(span, bases)]
    alone = [root for root in roots - set(bases.values()) if not any(span.HasPrefix(root) for span in innermost)]
    return sorted(str(path) for path in [*innermost, *alone])


def _above_another(path: Any, others: Any) -> bool:
    return any(other != path and other.HasPrefix(path) for other in others)


__all__ = [
    "add_articulation_root",
    "find_all_articulation_base_paths",
    "move_articulation_root",
    "remove_articulation_root",
]
