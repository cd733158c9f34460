"""The current stage: creating, opening, saving, clearing and closing it, and using another one for a while."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from phalanx.facade import stage as stages
from phalanx.facade.isaaclab.sim.utils.edits import is_ancestral, remove_prims
from phalanx.facade.once import tell_once
from phalanx.io.formats.usd.bindings import Prim, Stage, Usd


def create_new_stage() -> Stage:
    """Create an empty stage in memory, z up, in metres; it becomes the current one of the process."""
    return stages.new_stage()


def create_new_stage_in_memory() -> Stage:
    """Create an empty stage in memory that is not the current one until :func:`use_stage` says so."""
    return stages.make_stage()


def is_current_stage_in_memory() -> bool:
    """Whether the current stage is not the one of the process, but one that :func:`use_stage` put in its place."""
    return stages.is_in_memory()


def attach_stage_to_usd_context(attaching_early: bool = False) -> None:
    """Let the current stage be the one of the process. Nothing happens if it already is.

    Args:
        attaching_early: of no meaning here: stages need not be attached for anything to work.
    """
    del attaching_early
    if stages.is_in_memory():
        stages.set_stage(stages.get_stage())


def open_stage(usd_path: str) -> bool:
    """Open a USD file, which becomes the current stage of the process, as it is on disk.

    Returns:
        Whether it could be opened; if not, an error is logged, and the stage stays what it was.

    Raises:
        ValueError: USD knows no such kind of file.
    """
    return stages.open_stage(usd_path)


@contextlib.contextmanager
def use_stage(stage: Stage) -> Iterator[None]:
    """Within a ``with`` block, and in this thread only, a stage is the current one.

    Raises:
        TypeError: it is no ``pxr.Usd.Stage``.
    """
    with stages.use_stage(stage):
        yield


def update_stage() -> None:
    """Nothing: there is no application whose user interface would have to catch up with the stage."""
    tell_once("update_stage() does nothing: prims are up to date at all times")


def save_stage(usd_path: str, save_and_reload_in_place: bool = True) -> bool:
    """Write the root layer of the current stage to a USD file, overwriting it.

    Args:
        usd_path: the file.
        save_and_reload_in_place: whether the file becomes the current stage.

    Returns:
        Whether it could be written; if not, an error is logged.

    Raises:
        ValueError: USD knows no such kind of file.
    """
    return stages.save_stage(usd_path, save_and_reload_in_place)


def close_stage(callback_fn: Callable[[bool, str], None] | None = None) -> bool:
    """Close the stage of the process. Another one must then be created or opened.

    Args:
        callback_fn: called with whether a stage was closed, and why not.

    Returns:
        Whether there was one to close.
    """
    closed = stages.close_stage()
    if callback_fn is not None:
        callback_fn(closed, "" if closed else "no stage is open")
    return closed


def clear_stage(predicate: Callable[[Prim], bool] | None = None) -> None:
    """Delete prims of the current stage.

    What a reference of a prim above brings, what is hidden in the tree of the stage, and what may not be deleted by its
    metadata, stays.

    Args:
        predicate: of prims, whether to delete one; all if ``None``.
    """
    stage, doomed = stages.get_stage(), []
    prims = iter(Usd.PrimRange(stage.GetPseudoRoot(), Usd.PrimAllPrimsPredicate))
    for prim in prims:
        if prim.IsPseudoRoot() or prim.GetMetadata("no_delete") or prim.GetMetadata("hide_in_stage_window"):
            continue
        if not is_ancestral(prim) and (predicate is None or predicate(prim)):
            doomed.append(prim.GetPath())
            prims.PruneChildren()
    remove_prims(stage, doomed)


def is_stage_loading() -> bool:
    """``False``: stages are loaded when :func:`open_stage` returns."""
    return False


def get_current_stage(fabric: bool = False) -> Stage:
    """The current stage: what :func:`use_stage` says in this thread, else the one of the process, made if need be.

    Args:
        fabric: there is no Fabric; the stage itself is returned.

    Raises:
        RuntimeError: it has been closed, and no other one created or opened.
    """
    if fabric:
        tell_once("there is no Fabric: get_current_stage(fabric=True) is the USD stage")
    return stages.get_stage()


def get_current_stage_id() -> int:
    """The number by which ``pxr.UsdUtils.StageCache`` knows the current stage."""
    return stages.stage_id(stages.get_stage())


__all__ = [
    "attach_stage_to_usd_context",
    "clear_stage",
    "close_stage",
    "create_new_stage",
    "create_new_stage_in_memory",
    "get_current_stage",
    "get_current_stage_id",
    "is_current_stage_in_memory",
    "is_stage_loading",
    "open_stage",
    "save_stage",
    "update_stage",
    "use_stage",
]
