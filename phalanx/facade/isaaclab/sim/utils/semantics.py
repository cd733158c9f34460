"""Labels of prims, as cameras know them: ``UsdSemantics.LabelsAPI``. They change nothing in the simulation."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from phalanx.facade.isaaclab.sim.utils.edits import current
from phalanx.io.formats.usd.bindings import Prim, Sdf, Stage, Usd, UsdGeom

logger = logging.getLogger("phalanx.facade")

_SCHEMA = "SemanticsLabelsAPI"
_SPACE = "semantics:labels:"


def add_labels(prim: Prim, labels: Sequence[str], instance_name: str = "class", overwrite: bool = True) -> None:
    """Give a prim labels.

    Args:
        prim: to label.
        labels: what to call it.
        instance_name: the kind of label.
        overwrite: whether earlier labels of this kind go; else new ones are added to them.
    """
    known = [] if overwrite else get_labels(prim).get(instance_name, [])
    prim.AddAppliedSchema(f"{_SCHEMA}:{instance_name}")
    attribute = prim.CreateAttribute(_SPACE + instance_name, Sdf.ValueTypeNames.TokenArray, False)
    attribute.Set([*known, *(label for label in dict.fromkeys(labels) if label not in known)])


def get_labels(prim: Prim) -> dict[str, list[str]]:
    """A prim's own labels by kind."""
    return {kind: [str(label) for label in prim.GetAttribute(_SPACE + kind).Get() or []] for kind in _kinds(prim)}


def remove_labels(prim: Prim, instance_name: str | None = None, include_descendants: bool = False) -> None:
    """Take labels off a prim.

    Args:
        prim: whose labels.
        instance_name: the kind of label; all by default.
        include_descendants: whether prims below lose theirs, too.
    """
    for each in list(Usd.PrimRange(prim)) if include_descendants else [prim]:
        for kind in _kinds(each):
            if instance_name in (None, kind):
                each.RemoveAppliedSchema(f"{_SCHEMA}:{kind}")
                each.RemoveProperty(_SPACE + kind)


def check_missing_labels(prim_path: str | None = None, stage: Stage | None = None) -> list[str]:
    """Paths of shapes that have no label.

    Args:
        prim_path: below which to look; the whole stage by default. If there is no such prim, a warning says so.
        stage: the current one by default.
    """
    return [str(prim.GetPath()) for prim in _shapes(prim_path, stage) if not _kinds(prim)]


def count_total_labels(prim_path: str | None = None, stage: Stage | None = None) -> dict[str, int]:
    """How many shapes have each label, and under ``"missing_labels"`` how many have none.

    Args:
        prim_path: below which to look; the whole stage by default. If there is no such prim, a warning says so.
        stage: the current one by default.
    """
    counts = {"missing_labels": 0}
    for prim in _shapes(prim_path, stage):
        labels = [label for found in get_labels(prim).values() for label in found]
        for label in labels or ["missing_labels"]:
            counts[label] = counts.get(label, 0) + 1
    return counts


def _kinds(prim: Prim) -> list[str]:
    schemas = [str(name).partition(":") for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]
    return [kind for schema, _, kind in schemas if schema == _SCHEMA]


def _shapes(prim_path: str | None, stage: Stage | None) -> list[Prim]:
    searched = current(stage)
    root = searched.GetPrimAtPath(prim_path) if prim_path else searched.GetPseudoRoot()
    if not root:
        logger.warning("there is no prim at path '%s' whose labels could be looked at", prim_path)
        return []
    return [prim for prim in Usd.PrimRange(root) if prim.IsA(UsdGeom.Gprim)]


__all__ = ["add_labels", "check_missing_labels", "count_total_labels", "get_labels", "remove_labels"]
