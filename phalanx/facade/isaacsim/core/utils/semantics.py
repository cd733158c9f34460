"""Labels of prims: those of ``SemanticsAPI``, as older scripts have them, and those of ``isaaclab.sim.utils``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from phalanx.facade import stage as stages
from phalanx.facade.isaaclab.sim.utils.semantics import add_labels, count_total_labels, get_labels, remove_labels
from phalanx.io.formats.usd.bindings import Prim, Sdf, Usd, UsdGeom

log = logging.getLogger("phalanx.facade")

_SCHEMA = "SemanticsAPI"


def add_update_semantics(prim: Prim, semantic_label: str, type_label: str = "class", suffix: str = "") -> None:
    """Give a prim a label, or change it.

    Args:
        prim: to label.
        semantic_label: what to call it.
        type_label: the kind of label.
        suffix: appended to ``"Semantics"``, the name under which the label is kept, for prims with several.
    """
    name = f"Semantics{suffix}"
    prim.AddAppliedSchema(f"{_SCHEMA}:{name}")
    for key, value in (("semanticType", type_label), ("semanticData", semantic_label)):
        prim.CreateAttribute(f"semantic:{name}:params:{key}", Sdf.ValueTypeNames.String, False).Set(str(value))


def get_semantics(prim: Prim) -> dict[str, tuple[str, str]]:
    """The kind and text of each label of a prim, by the name under which it is kept."""
    found = {}
    for name in _names(prim):
        values = [prim.GetAttribute(f"semantic:{name}:params:{key}").Get() for key in ("semanticType", "semanticData")]
        found[name] = (values[0] or "", values[1] or "")
    return found


def remove_all_semantics(prim: Prim, recursive: bool = False) -> None:
    """Take all labels of ``SemanticsAPI`` off a prim, and with ``recursive`` off all below it, too."""
    for each in list(Usd.PrimRange(prim)) if recursive else [prim]:
        for name in _names(each):
            _remove(each, name)


def check_missing_labels(prim_path: str | None = None) -> list[str]:
    """Paths of meshes that have no label.

    Args:
        prim_path: below which to look; the whole stage by default. Of a path without a prim a warning tells.
    """
    return _missing(prim_path, _texts)


def check_incorrect_labels(prim_path: str | None = None) -> list[list[str]]:
    """Meshes with a label that is not part of their path: pairs of the path and the first such label.

    Capitals do not matter, and a label may be in the path without its ``_`` or without its ``-``.

    Args:
        prim_path: as of :func:`check_missing_labels`.
    """
    return _incorrect(prim_path, _texts)


def count_labels_in_scene(prim_path: str | None = None) -> dict[str, int]:
    """How many meshes have each label, and under ``"missing_labels"`` how many have none.

    Args:
        prim_path: as of :func:`check_missing_labels`.
    """
    return _counted(prim_path, _texts, "missing_labels")


def check_missing_semantics(prim_path: str | None = None) -> list[str]:
    """:func:`check_missing_labels` for labels of ``SemanticsAPI``."""
    return _missing(prim_path, _old_texts)


def check_incorrect_semantics(prim_path: str | None = None) -> list[list[str]]:
    """:func:`check_incorrect_labels` for labels of ``SemanticsAPI``."""
    return _incorrect(prim_path, _old_texts)


def count_semantics_in_scene(prim_path: str | None = None) -> dict[str, int]:
    """:func:`count_labels_in_scene` for labels of ``SemanticsAPI``; those without are under ``"missing"``."""
    return _counted(prim_path, _old_texts, "missing")


def upgrade_prim_semantics_to_labels(prim: Prim, include_descendants: bool = False) -> int:
    """Turn labels of ``SemanticsAPI`` into labels of ``UsdSemantics.LabelsAPI``, added to those that there are.

    Args:
        prim: whose labels.
        include_descendants: whether those of prims below are turned, too.

    Returns:
        How many were turned. Those without a kind or a text stay, and a warning tells.
    """
    count = 0
    for each in list(Usd.PrimRange(prim)) if include_descendants else [prim]:
        for name, (kind, text) in get_semantics(each).items():
            if not kind or not text:
                log.warning("<%s>: the label %r has no type or no data, and stays as it is", each.GetPath(), name)
                continue
            _remove(each, name)
            add_labels(each, [text], kind, overwrite=False)
            count += 1
    return count


def _meshes(prim_path: str | None) -> Iterable[Prim]:
    stage = stages.get_stage()
    root = stage.GetPrimAtPath(prim_path) if prim_path else stage.GetPseudoRoot()
    if not root:
        log.warning("there is no prim at %s whose labels could be looked at", prim_path)
        return []
    return [prim for prim in Usd.PrimRange(root) if prim.IsA(UsdGeom.Mesh)]


def _texts(prim: Prim) -> list[str] | None:
    """Labels; ``None`` if the prim has not even an empty list of them."""
    found = get_labels(prim)
    return [label for each in found.values() for label in each if label] if found else None


def _old_texts(prim: Prim) -> list[str] | None:
    found = get_semantics(prim)
    return [text for _, text in found.values()] if found else None


def _missing(prim_path: str | None, labels: Callable[[Prim], list[str] | None]) -> list[str]:
    return [str(prim.GetPath()) for prim in _meshes(prim_path) if labels(prim) is None]


def _incorrect(prim_path: str | None, labels: Callable[[Prim], list[str] | None]) -> list[list[str]]:
    pairs = []
    for prim in _meshes(prim_path):
        path = str(prim.GetPath())
        wrong = next((label for label in labels(prim) or [] if not _is_part(label.lower(), path.lower())), None)
        if wrong is not None:
            pairs.append([path, wrong])
    return pairs


def _is_part(label: str, path: str) -> bool:
    return any(text in path for text in (label, label.replace("_", ""), label.replace("-", "")))


def _counted(prim_path: str | None, labels: Callable[[Prim], list[str] | None], missing: str) -> dict[str, int]:
    counts = {missing: 0}
    for prim in _meshes(prim_path):
        found = labels(prim)
        for label in [missing] if found is None else found:
            counts[label] = counts.get(label, 0) + 1
    return counts


def _remove(prim: Prim, name: str) -> None:
    prim.RemoveAppliedSchema(f"{_SCHEMA}:{name}")
    for key in ("semanticType", "semanticData"):
        prim.RemoveProperty(f"semantic:{name}:params:{key}")


def _names(prim: Prim) -> list[str]:
    schemas = [str(name).partition(":") for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]
    return [name for schema, _, name in schemas if schema == _SCHEMA]


__all__ = [
    "add_labels",
    "add_update_semantics",
    "check_incorrect_labels",
    "check_incorrect_semantics",
    "check_missing_labels",
    "check_missing_semantics",
    "count_labels_in_scene",
    "count_semantics_in_scene",
    "count_total_labels",
    "get_labels",
    "get_semantics",
    "remove_all_semantics",
    "remove_labels",
    "upgrade_prim_semantics_to_labels",
]
