"""What scripts import as ``omni.usd``: the context that holds the current stage, and a few questions to prims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.isaaclab.sim.utils.edits import is_ancestral
from phalanx.facade.isaaclab.sim.utils.queries import get_next_free_prim_path
from phalanx.io.formats.usd.bindings import Gf, Prim, Stage, Usd, UsdGeom, UsdUtils


class UsdContext:
    """Holds the stage of the process; what a thread uses instead is not its business."""

    def get_stage(self) -> Stage | None:
        """The stage, made if there was none yet; ``None`` once it has been closed."""
        return stages.process_stage()

    def get_stage_id(self) -> int:
        """The number by which ``pxr.UsdUtils.StageCache`` knows the stage, -1 once it has been closed."""
        stage = stages.process_stage()
        return -1 if stage is None else stages.stage_id(stage)

    def get_stage_url(self) -> str:
        """The identifier of the root layer: a file, or ``"anon:..."`` in memory; empty once it has been closed."""
        stage = stages.process_stage()
        return "" if stage is None else stage.GetRootLayer().identifier

    def is_new_stage(self) -> bool:
        """Whether the stage is in memory and of no file."""
        stage = stages.process_stage()
        return stage is not None and bool(stage.GetRootLayer().anonymous)

    def can_close_stage(self) -> bool:
        """Whether there is a stage to close."""
        return stages.process_stage() is not None

    def new_stage(self, on_finish_fn: Callable[[bool, str], None] | None = None) -> bool:
        """Create an empty stage in memory, z up, in metres."""
        stages.new_stage()
        return _finish(True, on_finish_fn)

    def open_stage(self, url: str, on_finish_fn: Callable[[bool, str], None] | None = None) -> bool:
        """Open a USD file; whether it could be opened."""
        return _finish(stages.open_stage(url), on_finish_fn)

    def attach_stage_with_callback(
        self, stage_id: int, on_finish_fn: Callable[[bool, str], None] | None = None
    ) -> bool:
        """Take over a stage that ``pxr.UsdUtils.StageCache`` knows by its number; whether there is one."""
        stage = UsdUtils.StageCache.Get().Find(Usd.StageCache.Id.FromLongInt(stage_id))
        if stage:
            stages.set_stage(stage)
        return _finish(bool(stage), on_finish_fn)

    def save_as_stage(self, url: str, on_finish_fn: Callable[[bool, str, list[str]], None] | None = None) -> bool:
        """Write the root layer to a USD file, which becomes the stage; whether it could be written."""
        saved = stages.save_stage(url)
        if on_finish_fn is not None:
            on_finish_fn(saved, "" if saved else "it could not be written", [url] if saved else [])
        return saved

    def close_stage(self, on_finish_fn: Callable[[bool, str], None] | None = None) -> bool:
        """Close the stage; whether there was one."""
        return _finish(stages.close_stage(), on_finish_fn)


def _finish(success: bool, then: Callable[[bool, str], None] | None) -> bool:
    if then is not None:
        then(success, "" if success else "see the log")
    return success


_context = UsdContext()


def get_context(name: str = "") -> UsdContext:
    """The context of the process; there are no others.

    Raises:
        ValueError: a name is given.
    """
    if name:
        raise ValueError(f"there is no USD context {name!r}, only the one of the process: get_context()")
    return _context


def get_stage_next_free_path(stage: Stage, path: str, prepend_default_prim: bool) -> str:
    """A path at which a stage has no prim: the given one, or with ``_01`` appended, and so on.

    Args:
        stage: to look in.
        path: such as ``"/World/Cube"``.
        prepend_default_prim: whether the path of the stage's default prim, if it has one, goes in front.

    Raises:
        ValueError: the path cannot be a prim's.
    """
    default = stage.GetDefaultPrim()
    prefix = default.GetPath().pathString if prepend_default_prim and default else ""
    return get_next_free_prim_path(path if not prefix or path.startswith(f"{prefix}/") else prefix + path, stage)


def get_prim_at_path(path: Any) -> Prim:
    """The prim at a path of the stage of the process; an invalid one if there is none."""
    return stages.get_stage().GetPrimAtPath(path)


def get_world_transform_matrix(prim: Prim, time_code: Any = None) -> Any:
    """The ``Gf.Matrix4d`` from a prim's frame to the world's; positions are rows."""
    time = Usd.TimeCode.Default() if time_code is None else time_code
    return UsdGeom.XformCache(time).GetLocalToWorldTransform(prim)


def get_local_transform_matrix(prim: Prim, time_code: Any = None) -> Any:
    """The ``Gf.Matrix4d`` from a prim's frame to that of the prim above; positions are rows."""
    time = Usd.TimeCode.Default() if time_code is None else time_code
    return Gf.Matrix4d(UsdGeom.Xformable(prim).GetLocalTransformation(time))


def check_ancestral(prim: Prim) -> bool:
    """Whether a prim comes with a reference of a prim above it."""
    return is_ancestral(prim)


__all__ = [
    "UsdContext",
    "check_ancestral",
    "get_context",
    "get_local_transform_matrix",
    "get_prim_at_path",
    "get_stage_next_free_path",
    "get_world_transform_matrix",
]
