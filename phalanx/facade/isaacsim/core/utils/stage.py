"""The current stage. Predicates take paths of prims, other than those of ``isaaclab.sim.utils``, which take prims."""

from __future__ import annotations

import logging
from collections.abc import Callable

from phalanx.facade.isaaclab.sim.utils import (
    add_usd_reference,
    close_stage,
    create_new_stage,
    create_new_stage_in_memory,
    get_current_stage,
    get_current_stage_id,
    get_next_free_path,
    get_stage_up_axis,
    is_stage_loading,
    open_stage,
    save_stage,
    traverse_stage,
    use_stage,
)
from phalanx.facade.isaaclab.sim.utils import stage as _stage
from phalanx.io.formats.usd.bindings import Prim, UsdGeom

logger = logging.getLogger("phalanx.facade")


def add_reference_to_stage(usd_path: str, prim_path: str, prim_type: str = "Xform") -> Prim:
    """Let a prim of the current stage refer to a USD file; the prim is created if need be.

    Args:
        usd_path: of the file; if it is empty the prim refers to nothing.
        prim_path: of the prim.
        prim_type: type of the prim if it must be created.

    Returns:
        The prim.

    Raises:
        FileNotFoundError: there is no such file, or it is no USD.
        ValueError: the path cannot be a prim's.
    """
    if not usd_path:
        stage = get_current_stage()
        logger.warning("add_reference_to_stage: usd_path is empty: <%s> refers to nothing", prim_path)
        return stage.GetPrimAtPath(prim_path) or stage.DefinePrim(prim_path, prim_type)
    return add_usd_reference(prim_path, usd_path, prim_type)


def clear_stage(predicate: Callable[[str], bool] | None = None) -> None:
    """Delete prims of the current stage.

    What a reference of a prim above brings, what is hidden in the tree of the stage, and what may not be deleted by its
    metadata, stays.

    Args:
        predicate: of paths, whether to delete the prim; all if ``None``.
    """
    _stage.clear_stage(None if predicate is None else lambda prim: predicate(prim.GetPath().pathString))


async def create_new_stage_async() -> None:
    """Create an empty stage, which becomes the current one."""
    create_new_stage()


async def open_stage_async(usd_path: str) -> tuple[bool, int]:
    """Open a USD file, which becomes the current stage.

    Returns:
        Whether it could be opened, and 0, or 1 if not.

    Raises:
        ValueError: USD knows no such kind of file.
    """
    opened = open_stage(usd_path)
    return opened, int(not opened)


def get_stage_units() -> float:
    """How many metres a unit of the current stage is: 1.0 unless it was set, or a file says otherwise."""
    return float(UsdGeom.GetStageMetersPerUnit(get_current_stage()))


def set_stage_units(stage_units_in_meters: float) -> None:
    """Set how many metres a unit of the current stage is. Numbers on the stage stay what they are.

    Raises:
        ValueError: it is not positive.
    """
    if not stage_units_in_meters > 0.0:
        raise ValueError(f"stage_units_in_meters={stage_units_in_meters!r}: must be greater than zero")
    UsdGeom.SetStageMetersPerUnit(get_current_stage(), float(stage_units_in_meters))


def set_stage_up_axis(axis: str = "z") -> None:
    """Set which axis of the current stage is up. Numbers on the stage stay what they are.

    Args:
        axis: ``"y"`` or ``"z"``.

    Raises:
        ValueError: it is another one; USD knows no stages with x up.
    """
    if str(axis).lower() not in ("y", "z"):
        raise ValueError(f'axis={axis!r}: must be "y" or "z"; USD has no others')
    UsdGeom.SetStageUpAxis(get_current_stage(), str(axis).upper())


def print_stage_prim_paths(fabric: bool = False) -> None:
    """Print the paths of all prims of the current stage; there is no Fabric."""
    for prim in traverse_stage(fabric):
        print(prim.GetPath())


def set_livesync_stage(usd_path: str, enable: bool) -> bool:
    """``False``, with an error in the log: there is no server on which others could edit the stage."""
    logger.error("%r cannot be edited live (enable=%s): there is no Nucleus server; use save_stage()", usd_path, enable)
    return False


def update_stage() -> None:
    """Let a frame pass: a simulation that plays makes the steps that fit into it."""
    from phalanx.facade.omni.kit.app import get_app

    get_app().update()


async def update_stage_async() -> None:
    """Let a frame pass, and other tasks run: a simulation that plays makes the steps that fit into it."""
    from phalanx.facade.omni.kit.app import get_app

    await get_app().next_update_async()


__all__ = [
    "add_reference_to_stage",
    "clear_stage",
    "close_stage",
    "create_new_stage",
    "create_new_stage_async",
    "create_new_stage_in_memory",
    "get_current_stage",
    "get_current_stage_id",
    "get_next_free_path",
    "get_stage_units",
    "get_stage_up_axis",
    "is_stage_loading",
    "open_stage",
    "open_stage_async",
    "print_stage_prim_paths",
    "save_stage",
    "set_livesync_stage",
    "set_stage_units",
    "set_stage_up_axis",
    "traverse_stage",
    "update_stage",
    "update_stage_async",
    "use_stage",
]
