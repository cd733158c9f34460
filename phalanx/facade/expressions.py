"""Expressions for paths of prims as Isaac Sim's core has them: globs, name by name; ``.*`` stands for ``*``."""

from __future__ import annotations

import re
from typing import Any

from phalanx.io.formats.usd.bindings import Prim, Stage, Usd

_SPECIAL = re.compile(r"[\\+^${}.]")
"""Signs that globs do not know: a name with one of them is a regular expression."""

_PLAIN = re.compile(r"\w*")


def as_regex(expression: str) -> str:
    r"""A path of regular expressions, name by name, for an expression.

    ``"/World/Box_*"`` and ``"/World/envs/.*/Robot"`` are globs, in which ``*`` is any text, ``?`` any character,
    ``[0-3]`` one of a set, and ``(a|b)`` one of several. Names with signs that only regular expressions have, as
    ``env_\d+``, are taken as they are.
    """
    return "/".join(_name(part) for part in str(expression).split("/"))


def _name(part: str) -> str:
    glob = part.replace(".*", "*")
    if _PLAIN.fullmatch(part) or _SPECIAL.search(glob):
        return part
    return glob.replace("*", ".*").replace("?", ".").replace("[!", "[^")


def matching_prims(stage: Stage, expression: str) -> list[Prim]:
    """The prims whose path an expression matches, in the order of the stage, those within instances included.

    Raises:
        ValueError: it is no expression for a path.
    """
    if not str(expression).startswith("/"):
        raise ValueError(f"{expression!r} is no path of prims: it must begin with '/', such as '/World/envs/.*/Robot'")
    return named(stage, as_regex(expression))


def matching_paths(stage: Stage, expression: str) -> list[str]:
    """The paths of what :func:`matching_prims` finds."""
    return [prim.GetPath().pathString for prim in matching_prims(stage, expression)]


def named(stage: Stage, pattern: str) -> list[Prim]:
    """The prims that a path of regular expressions stands for, name by name, in the order of the stage."""
    found = [stage.GetPseudoRoot()]
    predicate: Any = None
    for name in pattern.strip("/").split("/"):
        if _PLAIN.fullmatch(name):
            nearer = [prim.GetChild(name) for prim in found] if name else found
            found = [prim for prim in nearer if prim]
        else:
            predicate = predicate or Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
            means = re.compile(name).fullmatch
            found = [child for prim in found for child in prim.GetFilteredChildren(predicate) if means(child.GetName())]
    return found
