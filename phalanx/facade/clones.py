"""Prims that scripts have cloned: whether they can be environments of a world, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from phalanx.facade import stage as stages
from phalanx.io.formats.usd.bindings import Stage, Usd, UsdGeom


@dataclass
class _OfStage:
    """What is known of a stage: lists of copies, and paths of prims that do not collide with others."""

    copies: list[list[str]] = field(default_factory=list)
    apart: set[str] = field(default_factory=set)


_known: dict[str, _OfStage] = {}


def _of(stage: Stage) -> _OfStage:
    return _known.setdefault(stage.GetRootLayer().identifier, _OfStage())


def remember(stage: Stage, paths: Sequence[str]) -> None:
    """Prims are copies of the first of them."""
    found = _of(stage).copies
    found[:] = [each for each in found if not set(each) & set(paths)]
    found.append(list(paths))


def keep_apart(stage: Stage, paths: Iterable[str]) -> None:
    """What is below each of some prims does not collide with what is below others of them."""
    _of(stage).apart.update(paths)


def environments(stage: Stage) -> list[str]:
    """The prims of a stage that are copies and do not meet, so that a world may have them side by side.

    That are the clones if there is one set of them, and either their collisions with each other were filtered, or the
    boxes around them do not meet at first.
    """
    known = _known.get(stage.GetRootLayer().identifier)
    if known is None:
        return []
    copies = [[path for path in each if stage.GetPrimAtPath(path)] for each in known.copies]
    copies = [each for each in copies if len(each) > 1]
    if len(copies) != 1:
        return []
    paths = copies[0]
    return paths if set(paths) <= known.apart or _stand_apart(stage, paths) else []


def _stand_apart(stage: Stage, paths: Sequence[str]) -> bool:
    """Whether the boxes around copies, along the world's axes, do not meet."""
    from scipy.spatial import KDTree

    purposes = [UsdGeom.Tokens.default_, UsdGeom.Tokens.render, UsdGeom.Tokens.proxy, UsdGeom.Tokens.guide]
    bounds = UsdGeom.BBoxCache(Usd.TimeCode.Default(), purposes)
    box = bounds.ComputeWorldBound(stage.GetPrimAtPath(paths[0])).ComputeAlignedRange()
    if box.IsEmpty():
        return True
    size = np.maximum(np.array(box.GetSize(), float), 1e-6)
    cache = UsdGeom.XformCache(Usd.TimeCode.Default())
    places = np.array(
        [cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path)).ExtractTranslation() for path in paths], float
    )
    nearest, _ = KDTree(places / size).query(places / size, k=2, p=np.inf)
    return bool((nearest[:, 1] > 1.0).all())


_listener = stages.changed.subscribe(_known.clear, order=50)
