"""The one current stage of the process, which scripts fill with prims and from which worlds are built.

It is made empty when it is first asked for; afterwards it is what was created or opened last, until it is closed. A
thread can have another one for a while: :func:`use_stage`. New stages have z up and metres and kilograms as units.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from phalanx.ecs.whole_files import refuse_links
from phalanx.facade.asset_root import local_path
from phalanx.facade.served_files import find_served
from phalanx.facade.signals import Signal
from phalanx.io.formats.usd.bindings import Plug, Sdf, Stage, Tf, Usd, UsdGeom, UsdPhysics, UsdUtils

logger = logging.getLogger("phalanx.facade")

with contextlib.suppress(ImportError):  # without USD nothing of it is needed until a stage is asked for
    # Assets carry two words as metadata of prims. USD neither reads nor writes them unless it was told of them before a
    # layer is opened, which scripts also do by themselves.
    Plug.Registry().RegisterPlugins(str(Path(__file__).parent / "usd_metadata"))


class _Process:
    """The stage of the process: ``None`` before the first and after it has been closed."""

    stage: Any = None
    closed = False


class _Thread(threading.local):
    """The stages that a thread uses instead, innermost last."""

    def __init__(self) -> None:
        self.stages: list[Any] = []


_process = _Process()
_thread = _Thread()

changed = Signal()
"""The process got another stage, or has none any more."""


# -- which stage ---------------------------------------------------------------------------------------------------


def make_stage() -> Stage:
    """A new empty stage in memory, z up, in metres and kilograms. It does not become the current one."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    return stage


def new_stage() -> Stage:
    """A new empty stage in memory, which becomes the stage of the process."""
    stage = make_stage()
    set_stage(stage)
    return stage


def set_stage(stage: Stage) -> None:
    """Let a stage be the one of the process.

    Raises:
        TypeError: it is no ``pxr.Usd.Stage``.
    """
    _check_stage(stage)
    _forget(keep=stage)
    other = _process.stage is not stage and (_process.stage is not None or _process.closed)
    _process.stage, _process.closed = stage, False
    if other:
        changed.emit()


def get_stage() -> Stage:
    """The current stage: what the thread uses, else the stage of the process, which is made if there was none yet.

    Raises:
        RuntimeError: it has been closed.
    """
    if _thread.stages:
        return _thread.stages[-1]
    stage = process_stage()
    if stage is None:
        raise RuntimeError("the stage has been closed: call create_new_stage() or open_stage(path) first")
    return stage


def process_stage() -> Stage | None:
    """The stage of the process, whatever the thread uses; made if there was none yet, ``None`` if it was closed."""
    if _process.stage is None and not _process.closed:
        new_stage()
    return _process.stage


def is_in_memory() -> bool:
    """Whether the thread uses a stage that is not the one of the process."""
    return bool(_thread.stages) and _thread.stages[-1] is not _process.stage


@contextlib.contextmanager
def use_stage(stage: Stage) -> Iterator[None]:
    """Within a ``with`` block, and in this thread, a stage is the current one.

    Raises:
        TypeError: it is no ``pxr.Usd.Stage``.
    """
    _check_stage(stage)
    _thread.stages.append(stage)
    try:
        yield
    finally:
        _thread.stages.pop()


def stage_id(stage: Stage) -> int:
    """The number by which USD's cache of stages knows a stage, which it keeps from then on."""
    cache = UsdUtils.StageCache.Get()
    found = cache.GetId(stage)
    return (found if found.IsValid() else cache.Insert(stage)).ToLongInt()


# -- files ---------------------------------------------------------------------------------------------------------


def open_stage(path: str | os.PathLike[str]) -> bool:
    """Open a file, which becomes the stage of the process as it is on disk.

    Returns:
        Whether it could be opened; if not, an error is logged and the stage stays what it was.

    Raises:
        ValueError: USD knows no such kind of file.
    """
    path = _check_kind(local_path(path) or path)
    try:
        if layer := Sdf.Layer.FindOrOpen(path):
            find_served(layer)
        stage = Usd.Stage.Open(path)
        if stage.GetRootLayer().dirty:  # someone still holds a stage of it that has been edited
            stage.GetRootLayer().Reload(force=True)
    except Tf.ErrorException as error:
        logger.error("the stage %r cannot be opened: %s", path, error)
        return False
    set_stage(stage)
    return True


def save_stage(path: str | os.PathLike[str], reopen: bool = True) -> bool:
    """Write the root layer of the current stage to a file, which is overwritten.

    Addresses of assets that are relative to where the layer was are made relative to the file.

    Args:
        path: a file that USD can write: ``.usd``, ``.usda`` or ``.usdc``.
        reopen: whether the file is the stage of the process from then on.

    Returns:
        Whether it could be written; if not, an error is logged.

    Raises:
        ValueError: USD knows no such kind of file.
    """
    path = _check_kind(path)
    stage = get_stage()
    try:
        saved = write_layer(stage.GetRootLayer(), path)
    except Tf.ErrorException as error:
        logger.error("the stage cannot be saved as %r: %s", path, error)
        return False
    if saved and reopen and not is_in_memory() and stage.GetRootLayer().realPath != os.path.realpath(path):
        return open_stage(path)
    return saved


def write_layer(layer: Any, path: str) -> bool:
    """Write a layer to a file, or save it if the file is its own; see :func:`save_stage`."""
    if layer.realPath and layer.realPath == os.path.realpath(path):
        return layer.Save()
    folder = Path(path).absolute().parent
    folder.mkdir(parents=True, exist_ok=True)
    refuse_links(path)
    target = Sdf.Layer.Find(path) or Sdf.Layer.CreateNew(path)
    target.TransferContent(layer)
    move_asset_paths(layer, target)
    return target.Save(force=True)


def move_asset_paths(source: Any, target: Any) -> None:
    """Addresses of assets in a layer that were relative to another one are made relative to it, if that is a file."""
    folder = os.path.dirname(target.realPath)

    def moved(path: str) -> str:
        if not path or not source.realPath or path.startswith("anon:"):
            return path
        there = source.ComputeAbsolutePath(path)
        if os.path.isabs(path) or not os.path.isabs(there) or not folder:
            return there if os.path.isabs(there) else path
        relative = os.path.relpath(there, folder).replace(os.sep, "/")
        return relative if relative.startswith("../") else f"./{relative}"

    UsdUtils.ModifyAssetPaths(target, moved)


def close_stage() -> bool:
    """Close the stage of the process; whether there was one. A new one must then be created or opened."""
    was_open = _process.stage is not None
    _forget()
    _process.stage, _process.closed = None, True
    if was_open:
        changed.emit()
    return was_open


def _forget(keep: Stage | None = None) -> None:
    """Take the stage of the process out of USD's cache, which would keep it alive."""
    if _process.stage is not None and _process.stage is not keep:
        UsdUtils.StageCache.Get().Erase(_process.stage)


def _check_kind(path: str | os.PathLike[str]) -> str:
    path = os.fspath(path)
    if not Usd.Stage.IsSupportedFile(path):
        kinds = ".usd, .usda, .usdc or .usdz"
        raise ValueError(f"The USD file at path {path!r} is not supported: its name must end in {kinds}")
    return path


def _check_stage(stage: Any) -> None:
    if not isinstance(stage, Usd.Stage):
        raise TypeError(f"a stage must be a pxr.Usd.Stage, not {type(stage).__name__}")
