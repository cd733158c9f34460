"""Finding prims: by regular expressions of their paths, by predicates, above and below others."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator

from phalanx.facade.isaaclab.sim.utils.edits import PrimPath, checked_path, current, prim_at
from phalanx.io.formats.usd.bindings import Prim, Stage, Usd, UsdPhysics

PLAIN_NAME = re.compile(r"\w+")
"""Names that are no expressions."""

_SLASH = re.compile(r"/(?![^\[]*\])")  # not the one in [^/]


# -- by expression ---------------------------------------------------------------------------------------------------


def find_matching_prims(prim_path_regex: str, stage: Stage | None = None) -> list[Prim]:
    """Find the prims whose path an expression matches, name by name.

    Args:
        prim_path_regex: a path, each part of which is a regular expression for a whole name:
            ``"/World/envs/env_.*/Robot"``. Slashes part it before it is read, so that nothing in it can match a slash.
        stage: the current one by default.

    Returns:
        Prims in the order of the stage, prims below instances and inactive ones included; none if none matches.

    Raises:
        ValueError: the path does not begin with a slash, or one of its parts is empty or no regular expression.
    """
    found = [current(stage).GetPseudoRoot()]
    for name in _parts(prim_path_regex):
        if PLAIN_NAME.fullmatch(name):
            found = [child for prim in found if (child := prim.GetChild(name)).IsValid()]
        else:
            matches = _compiled(name, prim_path_regex).fullmatch
            predicate = Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
            found = [
                child for prim in found for child in prim.GetFilteredChildren(predicate) if matches(child.GetName())
            ]
    return found


def find_matching_prim_paths(prim_path_regex: str, stage: Stage | None = None) -> list[str]:
    """The paths of what :func:`find_matching_prims` finds."""
    return [prim.GetPath().pathString for prim in find_matching_prims(prim_path_regex, stage)]


def find_first_matching_prim(prim_path_regex: str, stage: Stage | None = None) -> Prim | None:
    """Find the first prim whose whole path an expression matches.

    Other than in :func:`find_matching_prims`, ``.*`` may match slashes here.

    Args:
        prim_path_regex: a regular expression for a whole path.
        stage: the current one by default.

    Returns:
        The first such prim in depth-first order, be it below an instance, but not if it is inactive; or ``None``.

    Raises:
        ValueError: the expression does not begin with a slash, or is no regular expression.
    """
    here = current(stage)
    _check_global(prim_path_regex)
    whole = _compiled(prim_path_regex, prim_path_regex)
    # What all matches begin with needs no search: prims above, and prims beside it.
    start = here.GetPseudoRoot()
    for name in prim_path_regex.split("/")[1:]:
        child = start.GetChild(name) if PLAIN_NAME.fullmatch(name) else None
        if child is None or "|" in prim_path_regex:
            break
        if not child.IsValid():
            return None
        start = child
    for prim in Usd.PrimRange(start, Usd.TraverseInstanceProxies()):
        if not prim.IsPseudoRoot() and whole.fullmatch(prim.GetPath().pathString):
            return prim
    return None


def _check_global(expression: str) -> None:
    if not str(expression).startswith("/"):
        raise ValueError(
            f"Prim path '{expression}' is not global: it must begin with '/', such as '/World/envs/env_.*'"
        )


def _parts(expression: str) -> list[str]:
    """An expression for a path as expressions for names."""
    _check_global(expression)
    parts = _SLASH.split(str(expression))[1:]
    if parts == [""]:
        return []  # the root
    if "" in parts:
        raise ValueError(f"Prim path '{expression}' has a slash too many: each part between slashes must match a name")
    return parts


def _compiled(expression: str, whole: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise ValueError(f"{expression!r} in prim path '{whole}' is no regular expression: {error}") from error


# -- by predicate ----------------------------------------------------------------------------------------------------


def get_all_matching_child_prims(
    prim_path: PrimPath,
    predicate: Callable[[Prim], bool] = lambda _: True,
    depth: int | None = None,
    stage: Stage | None = None,
    traverse_instance_prims: bool = True,
) -> list[Prim]:
    """Find all prims below a prim, and the prim itself, that pass a predicate.

    Args:
        prim_path: where to begin.
        predicate: of prims.
        depth: how many generations of children to search; all by default.
        stage: the current one by default.
        traverse_instance_prims: whether prims below instances are searched.

    Returns:
        Prims, breadth first.

    Raises:
        ValueError: there is no prim at the path, or the depth is not positive.
    """
    if depth is not None and depth <= 0:
        raise ValueError(f"depth={depth}: must be greater than zero, or None for no limit")
    found = _breadth_first(prim_at(prim_path, stage), traverse_instance_prims, depth)
    return [prim for prim in found if predicate(prim)]


def get_first_matching_child_prim(
    prim_path: PrimPath,
    predicate: Callable[[Prim], bool],
    stage: Stage | None = None,
    traverse_instance_prims: bool = True,
) -> Prim | None:
    """The first of what :func:`get_all_matching_child_prims` finds, or ``None``.

    Raises:
        ValueError: there is no prim at the path.
    """
    found = _breadth_first(prim_at(prim_path, stage), traverse_instance_prims)
    return next((prim for prim in found if predicate(prim)), None)


def get_first_matching_ancestor_prim(
    prim_path: PrimPath, predicate: Callable[[Prim], bool], stage: Stage | None = None
) -> Prim | None:
    """The nearest prim above a prim, or the prim itself, that passes a predicate; ``None`` if none does.

    Raises:
        ValueError: there is no prim at the path.
    """
    prim = prim_at(prim_path, stage)
    while prim.IsValid() and not prim.IsPseudoRoot():
        if predicate(prim):
            return prim
        prim = prim.GetParent()
    return None


def _breadth_first(root: Prim, instances: bool, depth: int | None = None) -> Iterator[Prim]:
    queue = deque([(root, 0)])
    while queue:
        prim, level = queue.popleft()
        yield prim
        if depth is None or level < depth:
            children = prim.GetFilteredChildren(Usd.TraverseInstanceProxies()) if instances else prim.GetChildren()
            queue.extend((child, level + 1) for child in children)


# -- others ----------------------------------------------------------------------------------------------------------


def find_global_fixed_joint_prim(
    prim_path: PrimPath, check_enabled_only: bool = False, stage: Stage | None = None
) -> Prim | None:
    """Find the fixed joint below a prim that holds one of its bodies to the world.

    Args:
        prim_path: where to search.
        check_enabled_only: whether joints that are not enabled are passed over.
        stage: the current one by default.

    Returns:
        The first fixed joint, breadth first, one of whose bodies is not given; ``None`` if there is none.

    Raises:
        ValueError: there is no prim at the path.
    """
    for prim in get_all_matching_child_prims(prim_path, lambda prim: prim.IsA(UsdPhysics.FixedJoint), stage=stage):
        joint = UsdPhysics.Joint(prim)
        if check_enabled_only and not joint.GetJointEnabledAttr().Get():
            continue
        if not joint.GetBody0Rel().GetTargets() or not joint.GetBody1Rel().GetTargets():
            return joint
    return None


def get_next_free_prim_path(path: str, stage: Stage | None = None) -> str:
    """A path at which there is no prim: the given one, or the first of it with ``_01``, ``_02``, ... appended.

    Raises:
        ValueError: the path cannot be a prim's.
    """
    path, here = checked_path(path), current(stage)
    base, number, free = path, 0, path
    if ended := re.fullmatch(r"(.*)_(\d+)", path):
        base, number = ended[1], int(ended[2])
    while here.GetPrimAtPath(free).IsValid():
        number += 1
        free = f"{base}_{number:02d}"
    return free


__all__ = [
    "find_first_matching_prim",
    "find_global_fixed_joint_prim",
    "find_matching_prim_paths",
    "find_matching_prims",
    "get_all_matching_child_prims",
    "get_first_matching_ancestor_prim",
    "get_first_matching_child_prim",
    "get_next_free_prim_path",
]
