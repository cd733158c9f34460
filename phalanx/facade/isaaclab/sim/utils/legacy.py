"""Shorthands that older scripts use; plain USD says the same."""

from __future__ import annotations

from collections.abc import Iterator

from phalanx.facade.isaaclab.sim.utils.creation import add_usd_reference
from phalanx.facade.isaaclab.sim.utils.edits import checked_path, prim_at
from phalanx.facade.isaaclab.sim.utils.queries import get_next_free_prim_path
from phalanx.facade.isaaclab.sim.utils.stage import get_current_stage
from phalanx.io.formats.usd.bindings import Prim, Sdf, Usd, UsdGeom


def add_reference_to_stage(usd_path: str, path: str, prim_type: str = "Xform") -> Prim:
    """See :func:`~phalanx.facade.isaaclab.sim.utils.prims.add_usd_reference`."""
    return add_usd_reference(path, usd_path, prim_type)


def get_stage_up_axis() -> str:
    """The axis of the current stage that is up: ``"Y"`` or ``"Z"``."""
    return str(UsdGeom.GetStageUpAxis(get_current_stage()))


def traverse_stage(fabric: bool = False) -> Iterator[Prim]:
    """All prims of the current stage, depth first; there is no Fabric."""
    return iter(Usd.PrimRange.Stage(get_current_stage(fabric), Usd.PrimAllPrimsPredicate))


def get_prim_at_path(prim_path: str, fabric: bool = False) -> Prim:
    """The prim at a path of the current stage; an invalid one if there is none."""
    return get_current_stage(fabric).GetPrimAtPath(prim_path)


def get_prim_path(prim: Prim) -> str:
    """The path of a prim, ``""`` if it is not valid."""
    return prim.GetPath().pathString if prim and prim.IsValid() else ""


def is_prim_path_valid(prim_path: str, fabric: bool = False) -> bool:
    """Whether there is a prim at a path of the current stage."""
    if not Sdf.Path.IsValidPathString(str(prim_path)):
        return False
    path = Sdf.Path(str(prim_path))
    return path.IsAbsoluteRootOrPrimPath() and get_current_stage(fabric).GetPrimAtPath(path).IsValid()


def define_prim(prim_path: str, prim_type: str = "Xform", fabric: bool = False) -> Prim:
    """Create a prim of a type at a path of the current stage.

    Raises:
        ValueError: there is a prim already, or the path cannot be a prim's.
    """
    path, stage = checked_path(prim_path), get_current_stage(fabric)
    if stage.GetPrimAtPath(path).IsValid():
        raise ValueError(f"A prim already exists at prim path '{path}'; delete_prim('{path}') first, or use another")
    return stage.DefinePrim(path, prim_type)


def get_prim_type_name(prim_path: str, fabric: bool = False) -> str:
    """The type of the prim at a path of the current stage.

    Raises:
        ValueError: there is none.
    """
    return str(prim_at(prim_path, get_current_stage(fabric)).GetTypeName())


def get_next_free_path(path: str, parent: str | None = None) -> str:
    """A path at which the current stage has no prim.

    Args:
        path: that or, if it is taken, with ``_01`` appended, and so on.
        parent: put in front of it.

    Raises:
        ValueError: the path cannot be a prim's.
    """
    return get_next_free_prim_path(f"{parent.rstrip('/')}/{path.lstrip('/')}" if parent else path)


__all__ = [
    "add_reference_to_stage",
    "define_prim",
    "get_next_free_path",
    "get_prim_at_path",
    "get_prim_path",
    "get_prim_type_name",
    "get_stage_up_axis",
    "is_prim_path_valid",
    "traverse_stage",
]
