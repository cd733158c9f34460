"""Which prims of a stage hold copies of one environment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from phalanx.facade.expressions import named
from phalanx.io.formats.usd.bindings import Sdf, Stage, Usd, UsdGeom

SQUARE = 1e-6
"""Entries of an environment's rotation and scale may be off those of no rotation by so much."""

HIDES = "visibility"
"""The property by which copies may differ, and still be environments that hold the same."""

_PLAIN = re.compile(r"[\w]*")


def find(stage: Stage, patterns: Iterable[str], copies: Sequence[str] = ()) -> tuple[list[str], str]:
    """The prims that are environments, and why there are none although assets are asked for below several prims.

    Args:
        stage: a ``pxr.Usd.Stage``.
        patterns: paths of assets, regular expressions segment by segment: the prims that
            ``/World/envs/env_.*/Robot`` has one segment above its last are candidates.
        copies: prims that are candidates in any case.
    """
    paths, why = candidates(stage, patterns, copies)
    for path in paths[1:]:
        if (other := difference(stage, paths[0], path)) is not None:
            return [], f"<{paths[0]}> and <{path}> differ: {other}"
    return paths, why


def candidates(stage: Stage, patterns: Iterable[str], copies: Sequence[str] = ()) -> tuple[list[str], str]:
    """The same, whether they hold the same or not."""
    asked: dict[tuple[str, ...], str] = {tuple(copies): "what was cloned"} if copies else {}
    for pattern in patterns:
        above = _environments_of(pattern)
        paths = tuple(matching(stage, above)) if above else ()
        if len(paths) > 1:
            asked.setdefault(paths, above)
    if not asked:
        return [], ""
    if len(asked) > 1:
        return [], f"assets have copies below different prims: {' and '.join(asked.values())}"
    paths = list(next(iter(asked)))
    cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    for path in paths:
        turn = np.array(cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path)))[:3, :3]
        if np.abs(turn - np.eye(3)).max() > SQUARE:
            return [], f"<{path}> is turned or scaled"
    return paths, ""


def origins(stage: Stage, paths: Iterable[str]) -> np.ndarray:
    """(n, 3): where prims are in the stage's world."""
    cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    found = [cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path)).ExtractTranslation() for path in paths]
    return np.array(found, float).reshape(-1, 3)


def matching(stage: Stage, pattern: str) -> list[str]:
    """Paths of the prims that a pattern stands for, in the order of the stage."""
    return [str(prim.GetPath()) for prim in named(stage, pattern)]


def _environments_of(pattern: str) -> str:
    """What a pattern has up to its first segment that is an expression, if that is not the asset itself."""
    segments = pattern.strip("/").split("/")
    for i, segment in enumerate(segments[:-1]):
        if not _PLAIN.fullmatch(segment):
            return "/" + "/".join(segments[: i + 1])
    return ""


# Copies are compared as they are written, which is many times quicker than as they are composed.


def difference(stage: Stage, first: str, other: str) -> str | None:
    """Where the contents of a prim differ from those of another one; ``None`` if they are the same.

    Where the two are is no difference. A prim that does nothing but refer to its counterpart is the same as it.
    """
    for layer in stage.GetLayerStack():
        a, b = layer.GetPrimAtPath(first), layer.GetPrimAtPath(other)
        if a is None and b is None:
            continue
        if a is None or b is None:
            return f"one of them is not in {layer.identifier}"
        found = _changed(a, b, (first, other)) if _inherits(b, a) else _children(a, b, (first, other))
        if found is not None:
            return found
    return None


def _changed(a: Any, b: Any, roots: tuple[str, str]) -> str | None:
    """Where an environment that inherits from the first one says something else."""
    for two in b.nameChildren:
        one = a.nameChildren.get(two.name)
        if one is None:
            return f"only {roots[1]} has {two.path}"
        found = _repeats(one, two, roots) if two.specifier == Sdf.SpecifierOver else _spec(one, two, roots)
        if found is not None:
            return found
    return None


def _repeats(a: Any, b: Any, roots: tuple[str, str]) -> str | None:
    """Where what is written over an inherited prim is not what the prim has already.

    Views write to each of their prims what all of them get: schemas, and attributes of the same values.
    """
    for key in set(b.ListInfoKeys()) - _LOOSE - {"specifier"}:
        if a.GetInfo(key) != b.GetInfo(key) and not (key == "apiSchemas" and _schemas(b) <= _schemas(a)):
            return f"{key} of {b.path}"
    for two in b.properties:
        one = a.properties.get(two.name)
        if two.name != HIDES and (one is None or not _same(one, two, roots)):
            return f"{two.name} of {b.path}"
    return _changed(a, b, roots)


def _schemas(spec: Any) -> set[str]:
    """Schemas that a prim gets besides those that it has, and a mark where it says which it shall have or lose."""
    listed = spec.GetInfo("apiSchemas") or Sdf.TokenListOp()
    mark = {"only these"} if listed.isExplicit or listed.deletedItems else set()
    return mark | {*listed.prependedItems, *listed.appendedItems, *listed.explicitItems}


def _children(a: Any, b: Any, roots: tuple[str, str]) -> str | None:
    mine, theirs = a.nameChildren, b.nameChildren
    if list(mine.keys()) != list(theirs.keys()):
        only = sorted(set(mine.keys()) ^ set(theirs.keys()))
        return f"{a.path} and {b.path} have other children: {', '.join(only[:3]) or 'their order'}"
    for one, two in zip(mine, theirs, strict=True):
        if (found := _spec(one, two, roots)) is not None:
            return found
    return None


_LOOSE = frozenset({"properties", "primChildren", "variantChildren"})
_OWN = frozenset({"specifier", "typeName", "references", "inheritPaths"})


def _spec(a: Any, b: Any, roots: tuple[str, str]) -> str | None:
    if _refers(b, a) or _only_hides(b):
        return None
    for key in {*a.ListInfoKeys(), *b.ListInfoKeys()} - _LOOSE:
        if a.GetInfo(key) != b.GetInfo(key):
            return f"{key} of {b.path}"
    if a.variantSets or b.variantSets:
        return f"{b.path} has variants of its own"
    mine, theirs = ([one for one in each.properties if one.name != HIDES] for each in (a, b))
    if len(mine) != len(theirs):
        return f"properties of {b.path}"
    others = {two.name: two for two in theirs}
    for one in mine:
        two = others.get(one.name)
        if two is None or not _same(one, two, roots):
            return f"{one.name} of {b.path}"
    return _children(a, b, roots)


def _only_hides(b: Any) -> bool:
    """Whether a prim says no more than whether what it is elsewhere, or something below it, is shown."""
    if b.specifier != Sdf.SpecifierOver or set(b.ListInfoKeys()) - _LOOSE - {"specifier"}:
        return False
    return all(one.name == HIDES for one in b.properties) and all(_only_hides(child) for child in b.nameChildren)


def _refers(b: Any, a: Any) -> bool:
    """Whether a prim is what it refers to, and nothing more, but that it or something below it may be hidden."""
    if set(b.ListInfoKeys()) - _LOOSE - _OWN or not all(_only_hides(child) for child in b.nameChildren):
        return False
    inherits = _inherits(b, a)
    references = list(b.referenceList.prependedItems) == [Sdf.Reference("", a.path)]
    if inherits + references != 1:
        return False
    for one in b.properties:
        two = a.properties.get(one.name)
        if one.name != HIDES and (two is None or not _same(one, two, ("", ""))):
            return False
    return True


def _inherits(b: Any, a: Any) -> bool:
    return list(b.inheritPathList.prependedItems) == [a.path]


def _same(a: Any, b: Any, roots: tuple[str, str]) -> bool:
    if isinstance(a, Sdf.AttributeSpec) and isinstance(b, Sdf.AttributeSpec):
        same = a.default == b.default and a.typeName == b.typeName and a.ListInfoKeys() == b.ListInfoKeys()
        same = same and not a.HasInfo("timeSamples") and not b.HasInfo("timeSamples")
        if not same or not (a.HasInfo("connectionPaths") or b.HasInfo("connectionPaths")):  # most have none
            return same
        return list(_moved(a.connectionPathList, roots)) == [str(p) for p in _items(b.connectionPathList)]
    if isinstance(a, Sdf.RelationshipSpec) and isinstance(b, Sdf.RelationshipSpec):
        return list(_moved(a.targetPathList, roots)) == [str(path) for path in _items(b.targetPathList)]
    return False


def _items(paths: Any) -> list[Any]:
    return [*paths.explicitItems, *paths.prependedItems, *paths.appendedItems, *paths.deletedItems]


def _moved(paths: Any, roots: tuple[str, str]) -> Iterator[str]:
    """Paths below one environment as they would be below the other."""
    first, other = roots
    for path in map(str, _items(paths)):
        yield other + path[len(first) :] if path == first or path.startswith(first + "/") else path
