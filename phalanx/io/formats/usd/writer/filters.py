"""What does not collide with what: filtered pairs of bodies, and collision groups for contact bits of shapes."""

from __future__ import annotations

from typing import Any

from phalanx.io.formats.usd.bindings import Prim, Sdf, Usd, UsdGeom, UsdPhysics
from phalanx.io.formats.usd.writer.writing import Writing
from phalanx.models.robot_model import RobotModel, Shape


def write_pairs(model: RobotModel, bodies: dict[str, Prim]) -> None:
    """Pairs of bodies that do not collide."""
    others: dict[str, list[Any]] = {}
    for a, b in model.disabled_pairs:
        if a in bodies and b in bodies:
            others.setdefault(a, []).append(bodies[b].GetPath())
    for name, targets in others.items():
        UsdPhysics.FilteredPairsAPI.Apply(bodies[name]).CreateFilteredPairsRel().SetTargets(targets)


def write_groups(writing: Writing, shapes: dict[str, Shape]) -> None:
    """Groups for shapes by path, one for each pair of contact type and affinity, unless all of them meet.

    What they do with others than these shapes is not written: groups know only groups.
    """
    classes: dict[tuple[int, int], list[str]] = {}
    for path, shape in shapes.items():
        if shape.contact_type or shape.contact_affinity:
            classes.setdefault((shape.contact_type, shape.contact_affinity), []).append(path)
    apart = [(a, b) for n, a in enumerate(classes) for b in list(classes)[n:] if not (a[0] & b[1] or b[0] & a[1])]
    if not apart:
        return
    scope = writing.free(writing.done.path, "collision_groups")
    UsdGeom.Scope.Define(writing.stage, scope)
    groups = {}
    for key, paths in classes.items():
        group = UsdPhysics.CollisionGroup.Define(writing.stage, writing.free(scope, f"group_{len(groups)}"))
        members = Usd.CollectionAPI.Apply(group.GetPrim(), "colliders")
        members.CreateIncludesRel().SetTargets([Sdf.Path(path) for path in paths])
        groups[key] = group
    for a, b in apart:
        groups[a].CreateFilteredGroupsRel().AddTarget(groups[b].GetPath())
