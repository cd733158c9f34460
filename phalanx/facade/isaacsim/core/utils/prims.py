"""Prims of the current stage by their paths. Predicates take paths, other than those of ``isaaclab.sim.utils``.

Arguments ``fabric`` change nothing: there is no Fabric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.sim.utils.attributes import Numbers, set_value
from phalanx.facade.isaaclab.sim.utils.creation import set_prim_visibility
from phalanx.facade.isaaclab.sim.utils.edits import is_ancestral, prim_at
from phalanx.facade.isaaclab.sim.utils.legacy import (
    define_prim,
    get_prim_at_path,
    get_prim_path,
    get_prim_type_name,
    is_prim_path_valid,
)
from phalanx.facade.isaaclab.sim.utils.queries import find_matching_prims
from phalanx.facade.isaacsim.core.utils.semantics import add_update_semantics
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
from phalanx.io.formats.usd.bindings import Prim, UsdGeom, UsdPhysics

# -- creating, moving and deleting ---------------------------------------------------------------------------------


def create_prim(
    prim_path: str,
    prim_type: str = "Xform",
    position: Numbers | None = None,
    translation: Numbers | None = None,
    orientation: Numbers | None = None,
    scale: Numbers | None = None,
    usd_path: str | None = None,
    semantic_label: str | None = None,
    semantic_type: str = "class",
    attributes: Mapping[str, Any] | None = None,
) -> Prim:
    """Create a prim.

    Args:
        prim_path: where.
        prim_type: its type, such as ``"Xform"`` or ``"Cube"``.
        position: in the world, shape (3,); then the orientation is in the world, too.
        translation: in the frame of the prim above, as is the orientation then, shape (3,); instead of the position.
        orientation: quaternion (w, x, y, z).
        scale: along its own axes, shape (3,).
        usd_path: a file to refer to.
        semantic_label: a label.
        semantic_type: the kind of label.
        attributes: values of attributes by name.

    Returns:
        The prim.

    Raises:
        ValueError: there is a prim already, the path cannot be a prim's, it has no such attribute, or both a position
            and a translation are given.
        FileNotFoundError: there is no such file.
    """
    prim = utils.create_prim(
        prim_path, prim_type, position, translation, orientation, scale, usd_path=usd_path, attributes=attributes
    )
    if semantic_label is not None:
        add_update_semantics(prim, semantic_label, semantic_type)
    return prim


def delete_prim(prim_path: str) -> None:
    """Delete a prim and all below it; what cannot be deleted stays, and is told."""
    utils.delete_prim(prim_path)


def move_prim(path_from: str, path_to: str) -> None:
    """Give a prim another path. It stays where it is in the world; relationships that lead to it follow.

    Raises:
        ValueError: there is no such prim, or it cannot be moved there.
    """
    utils.move_prim(path_from, path_to)


# -- finding -------------------------------------------------------------------------------------------------------


def find_matching_prim_paths(prim_path_regex: str, prim_type: str | None = None) -> list[str]:
    """Find the prims whose path an expression matches, name by name.

    Args:
        prim_path_regex: such as ``"/World/envs/env_.*/Robot"``.
        prim_type: ``"articulation"`` or ``"rigid_body"`` for those alone; all by default, and if it is empty.

    Returns:
        Paths in the order of the stage.

    Raises:
        ValueError: the expression is none of a path, or there is no such type to ask for.
    """
    schemas = {"articulation": UsdPhysics.ArticulationRootAPI, "rigid_body": UsdPhysics.RigidBodyAPI}
    if prim_type and prim_type not in schemas:
        raise ValueError(f'prim_type={prim_type!r}: must be "articulation", "rigid_body" or None')
    found = find_matching_prims(prim_path_regex)
    return [get_prim_path(prim) for prim in found if not prim_type or prim.HasAPI(schemas[prim_type])]


def get_all_matching_child_prims(
    prim_path: str, predicate: Callable[[str], bool] = lambda _: True, depth: int | None = None
) -> list[Prim]:
    """Find all prims below a prim, and the prim itself, whose paths pass a predicate.

    Args:
        prim_path: where to begin.
        predicate: of paths.
        depth: how many generations of children to search; all by default.

    Returns:
        Prims, breadth first.

    Raises:
        ValueError: there is no prim at the path, or the depth is not positive.
    """
    return utils.get_all_matching_child_prims(prim_path, lambda prim: predicate(get_prim_path(prim)), depth)


def get_first_matching_child_prim(
    prim_path: str, predicate: Callable[[str], bool], fabric: bool = False
) -> Prim | None:
    """The first of what :func:`get_all_matching_child_prims` finds, or ``None``.

    Raises:
        ValueError: there is no prim at the path.
    """
    return utils.get_first_matching_child_prim(prim_path, lambda prim: predicate(get_prim_path(prim)))


def get_first_matching_parent_prim(prim_path: str, predicate: Callable[[str], bool]) -> Prim | None:
    """The nearest prim above a prim whose path passes a predicate, or ``None``.

    Raises:
        ValueError: there is no prim at the path.
    """
    above = prim_at(prim_path).GetParent()
    if not above.IsValid() or above.IsPseudoRoot():
        return None
    return utils.get_first_matching_ancestor_prim(above.GetPath(), lambda prim: predicate(get_prim_path(prim)))


def query_parent_path(prim_path: str, predicate: Callable[[str], bool]) -> bool:
    """Whether the path of a prim above a prim passes a predicate.

    Raises:
        ValueError: there is no prim at the path.
    """
    return get_first_matching_parent_prim(prim_path, predicate) is not None


def get_prim_children(prim: Prim) -> list[Prim]:
    """The children of a prim."""
    return list(prim.GetChildren())


def get_prim_parent(prim: Prim) -> Prim:
    """The prim above a prim."""
    return prim.GetParent()


def get_articulation_root_api_prim_path(prim_path: str) -> str:
    """The path of the articulation root that is the prim at a path or lies below it, or that path if there is none.

    The path may be an expression; then its part up to the first prim that it matches is an expression in the result.
    """
    found = find_matching_prims(prim_path)
    root = utils.get_first_matching_child_prim(found[0].GetPath(), _is_root) if found else None
    return prim_path if root is None else prim_path + get_prim_path(root)[len(get_prim_path(found[0])) :]


# -- attributes and metadata ---------------------------------------------------------------------------------------


def get_prim_attribute_names(prim_path: str, fabric: bool = False) -> list[str]:
    """The names of all attributes of a prim.

    Raises:
        ValueError: there is no prim at the path.
    """
    return [attribute.GetName() for attribute in prim_at(prim_path).GetAttributes()]


def get_prim_attribute_value(prim_path: str, attribute_name: str, fabric: bool = False) -> Any:
    """The value of an attribute of a prim.

    Raises:
        ValueError: there is no prim at the path, or it has no such attribute.
    """
    return _attribute(prim_path, attribute_name).Get()


def set_prim_attribute_value(prim_path: str, attribute_name: str, value: Any, fabric: bool = False) -> None:
    """Set an attribute of a prim; quaternions may be sequences (w, x, y, z).

    Raises:
        ValueError: there is no prim at the path, or it has no such attribute.
        TypeError: the attribute is of another type than the value.
    """
    set_value(_attribute(prim_path, attribute_name), value)


def get_prim_property(prim_path: str, property_name: str) -> Any:
    """The value of an attribute of a prim, ``None`` if it has no such attribute.

    Raises:
        ValueError: there is no prim at the path.
    """
    attribute = prim_at(prim_path).GetAttribute(property_name)
    return attribute.Get() if attribute else None


def set_prim_property(prim_path: str, property_name: str, property_value: Any) -> None:
    """See :func:`set_prim_attribute_value`."""
    set_prim_attribute_value(prim_path, property_name, property_value)


def set_targets(prim: Prim, attribute: str, target_prim_paths: Sequence[str]) -> None:
    """Set the targets of a relationship of a prim, which is created if need be."""
    relationship = prim.GetRelationship(attribute)
    relationship = relationship if relationship else prim.CreateRelationship(attribute)
    relationship.SetTargets([str(path) for path in target_prim_paths])


def set_prim_hide_in_stage_window(prim: Prim, hide: bool) -> None:
    """Set whether a prim is hidden in the tree of the stage, which has nothing to do with its visibility."""
    prim.SetMetadata("hide_in_stage_window", bool(hide))


def set_prim_no_delete(prim: Prim, no_delete: bool) -> None:
    """Set whether a prim may not be deleted."""
    prim.SetMetadata("no_delete", bool(no_delete))


def is_prim_hidden_in_stage(prim_path: str) -> bool | None:
    """Whether a prim is hidden in the tree of the stage; ``None`` if nothing is said.

    Raises:
        ValueError: there is no prim at the path.
    """
    return prim_at(prim_path).GetMetadata("hide_in_stage_window")


def is_prim_no_delete(prim_path: str) -> bool | None:
    """Whether a prim may not be deleted; ``None`` if nothing is said.

    Raises:
        ValueError: there is no prim at the path.
    """
    return prim_at(prim_path).GetMetadata("no_delete")


def _attribute(prim_path: str, name: str) -> Any:
    prim = prim_at(prim_path)
    attribute = prim.GetAttribute(name)
    if not attribute:
        raise ValueError(f"'{prim_path}' of type '{prim.GetTypeName()}' has no attribute '{name}'")
    return attribute


# -- what a prim is ------------------------------------------------------------------------------------------------


def get_prim_object_type(prim_path: str) -> str | None:
    """What a prim is to physics.

    Returns:
        ``"articulation"``, ``"rigid_body"``, ``"joint"``, ``"d6joint"``, ``"xform"`` for what else has a place, or
        ``None``.

    Raises:
        ValueError: there is no prim at the path.
    """
    prim = prim_at(prim_path)
    if _is_root(prim):
        return "articulation"
    if prim.HasAPI(UsdPhysics.RigidBodyAPI):
        return "rigid_body"
    if prim.IsA(UsdPhysics.Joint):
        return "d6joint" if prim.GetTypeName() == "PhysicsJoint" else "joint"
    return "xform" if prim.IsA(UsdGeom.Xformable) else None


def is_prim_ancestral(prim_path: str) -> bool:
    """Whether a prim comes with a reference of a prim above it.

    Raises:
        ValueError: there is no prim at the path.
    """
    return is_ancestral(prim_at(prim_path))


def is_prim_non_root_articulation_link(prim_path: str) -> bool:
    """Whether a prim is a link of an articulation, and not its root, so that it cannot be moved by itself.

    That is a rigid body below an articulation root, to which a joint below the same root leads.

    Raises:
        ValueError: there is no prim at the path.
    """
    prim = prim_at(prim_path)
    if _is_root(prim) or not prim.HasAPI(UsdPhysics.RigidBodyAPI):
        return False
    root = utils.get_first_matching_ancestor_prim(prim_path, _is_root)
    if root is None:
        return False
    joints = utils.get_all_matching_child_prims(root.GetPath(), lambda prim: prim.IsA(UsdPhysics.Joint))
    ends = [
        rel for prim in joints for rel in (UsdPhysics.Joint(prim).GetBody0Rel(), UsdPhysics.Joint(prim).GetBody1Rel())
    ]
    return any(prim.GetPath() in rel.GetTargets() for rel in ends)


def is_prim_root_path(prim_path: str) -> bool:
    """Whether a path is ``"/"``."""
    return prim_path == "/"


def _is_root(prim: Prim) -> bool:
    return prim.HasAPI(UsdPhysics.ArticulationRootAPI)


__all__ = [
    "add_reference_to_stage",
    "create_prim",
    "define_prim",
    "delete_prim",
    "find_matching_prim_paths",
    "get_all_matching_child_prims",
    "get_articulation_root_api_prim_path",
    "get_first_matching_child_prim",
    "get_first_matching_parent_prim",
    "get_prim_at_path",
    "get_prim_attribute_names",
    "get_prim_attribute_value",
    "get_prim_children",
    "get_prim_object_type",
    "get_prim_parent",
    "get_prim_path",
    "get_prim_property",
    "get_prim_type_name",
    "is_prim_ancestral",
    "is_prim_hidden_in_stage",
    "is_prim_no_delete",
    "is_prim_non_root_articulation_link",
    "is_prim_path_valid",
    "is_prim_root_path",
    "move_prim",
    "query_parent_path",
    "set_prim_attribute_value",
    "set_prim_hide_in_stage_window",
    "set_prim_no_delete",
    "set_prim_property",
    "set_prim_visibility",
    "set_targets",
]
