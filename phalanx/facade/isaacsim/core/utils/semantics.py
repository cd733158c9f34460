"""Labels of prims: those of ``SemanticsAPI``, as older scripts have them, and those of ``isaaclab.sim.utils``."""

from __future__ import annotations

from phalanx.facade.isaaclab.sim.utils.semantics import (
    add_labels,
    check_missing_labels,
    count_total_labels,
    get_labels,
    remove_labels,
)
from phalanx.io.formats.usd.bindings import Prim, Sdf, Usd

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
            each.RemoveAppliedSchema(f"{_SCHEMA}:{name}")
            for key in ("semanticType", "semanticData"):
                each.RemoveProperty(f"semantic:{name}:params:{key}")


def _names(prim: Prim) -> list[str]:
    schemas = [str(name).partition(":") for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]
    return [name for schema, _, name in schemas if schema == _SCHEMA]


__all__ = [
    "add_labels",
    "add_update_semantics",
    "check_missing_labels",
    "count_total_labels",
    "get_labels",
    "get_semantics",
    "remove_all_semantics",
    "remove_labels",
]
