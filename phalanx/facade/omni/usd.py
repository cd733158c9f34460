"""What scripts import as ``omni.usd``: the context that holds the current stage, and a few questions to prims."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any

from phalanx.facade import simulation
from phalanx.facade import stage as stages
from phalanx.facade.carb.eventdispatcher import get_eventdispatcher
from phalanx.facade.event_streams import EventStream
from phalanx.facade.isaaclab.sim.utils.edits import is_ancestral
from phalanx.facade.isaaclab.sim.utils.queries import get_next_free_prim_path
from phalanx.io.formats.usd.bindings import Gf, Prim, Stage, Usd, UsdGeom, UsdUtils


class StageEventType(IntEnum):
    """What happens to the stage. Those that are sent here are of saving, opening, closing, selecting and playing."""

    SAVED = 0
    SAVE_FAILED = 1
    OPENING = 2
    OPENED = 3
    OPEN_FAILED = 4
    CLOSING = 5
    CLOSED = 6
    SELECTION_CHANGED = 7
    ASSETS_LOADED = 8
    ASSETS_LOAD_ABORTED = 9
    GIZMO_TRACKING_CHANGED = 10
    MDL_PARAM_LOADED = 11
    SETTINGS_LOADED = 12
    SETTINGS_SAVING = 13
    OMNIGRAPH_START_PLAY = 14
    OMNIGRAPH_STOP_PLAY = 15
    SIMULATION_START_PLAY = 16
    SIMULATION_STOP_PLAY = 17
    ANIMATION_START_PLAY = 18
    ANIMATION_STOP_PLAY = 19
    DIRTY_STATE_CHANGED = 20
    ASSETS_LOADING = 21


class StageState(IntEnum):
    """Whether there is a stage."""

    CLOSED = 0
    CLOSING = 1
    OPENING = 2
    OPENED = 3


class StageRenderingEventType(IntEnum):
    """What happens to pictures of the stage."""

    NEW_FRAME = 0


class Selection:
    """Prims that are selected; nobody clicks at them here, so they are those that a script selects."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._paths: list[str] = []
        self._changed = changed

    def get_selected_prim_paths(self) -> list[str]:
        """Paths of selected prims, in the order in which they were selected."""
        return list(self._paths)

    def set_selected_prim_paths(self, paths: Iterable[Any], expand_in_stage: bool = True) -> bool:
        """Select these prims and no others; whether that changed anything."""
        wanted = list(dict.fromkeys(map(str, paths)))
        changed = wanted != self._paths
        self._paths = wanted
        if changed:
            self._changed()
        return changed

    def clear_selected_prim_paths(self) -> bool:
        """Select nothing; whether something was."""
        return self.set_selected_prim_paths([])

    def is_prim_path_selected(self, path: Any) -> bool:
        """Whether a prim is selected."""
        return str(path) in self._paths


class UsdContext:
    """Holds the stage of the process; what a thread uses instead is not its business."""

    def __init__(self) -> None:
        self._events = EventStream("omni.usd stage")
        self._rendering = EventStream("omni.usd rendering")
        self._selection = Selection(lambda: self._push(StageEventType.SELECTION_CHANGED))
        found = simulation.get()
        self._listeners = [
            stages.changed.subscribe(self._changed),
            found.timeline.subscribe(self._played),
            found.frame.subscribe(self._frame, order=20),
        ]

    def get_stage_event_stream(self) -> EventStream:
        """Events of types :class:`StageEventType`."""
        return self._events

    def get_rendering_event_stream(self) -> EventStream:
        """Events at frames, of types :class:`StageRenderingEventType`."""
        return self._rendering

    def get_selection(self) -> Selection:
        """Which prims are selected; none on a new stage."""
        return self._selection

    def stage_event_name(self, event_type: StageEventType) -> str:
        """The name by which ``carb.eventdispatcher`` knows an event of the stage."""
        return f"omni.usd.StageEvent.{StageEventType(event_type).name}"

    def _push(self, kind: StageEventType) -> None:
        self._events.push(kind)
        get_eventdispatcher().dispatch_event(self.stage_event_name(kind))

    def _changed(self) -> None:
        """There is another stage, or none."""
        self._selection.clear_selected_prim_paths()
        if stages.process_stage() is None:
            self._push(StageEventType.CLOSED)
        else:
            for kind in (StageEventType.CLOSED, StageEventType.OPENED, StageEventType.ASSETS_LOADED):
                self._push(kind)

    def _played(self, what: str) -> None:
        kinds = {"play": StageEventType.SIMULATION_START_PLAY, "stop": StageEventType.SIMULATION_STOP_PLAY}
        if what in kinds:
            self._push(kinds[what])

    def _frame(self, dt: float) -> None:
        if self._rendering:
            self._rendering.push(StageRenderingEventType.NEW_FRAME)

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

    async def new_stage_async(self) -> tuple[bool, str]:
        """See :meth:`new_stage`; whether it could be created, and why not."""
        return self.new_stage(), ""

    async def open_stage_async(self, url: str, *unheard: Any, **also_unheard: Any) -> tuple[bool, str]:
        """See :meth:`open_stage`; whether it could be opened, and why not."""
        opened = self.open_stage(url)
        return opened, "" if opened else "see the log"

    async def save_as_stage_async(self, url: str) -> tuple[bool, str, list[str]]:
        """See :meth:`save_as_stage`; whether it could be written, why not, and what was."""
        saved = self.save_as_stage(url)
        return saved, "" if saved else "see the log", [url] if saved else []

    async def close_stage_async(self) -> tuple[bool, str]:
        """See :meth:`close_stage`; whether there was one, and why not."""
        return self.close_stage(), ""

    def get_stage_loading_status(self) -> tuple[str, int, int]:
        """What is being loaded, how much of it has been, and how much there is: nothing is loaded in the background."""
        return "", 0, 0

    def get_stage_state(self) -> StageState:
        """Whether there is a stage."""
        return StageState.CLOSED if stages.process_stage() is None else StageState.OPENED

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
    "Selection",
    "UsdContext",
    "check_ancestral",
    "get_context",
    "get_local_transform_matrix",
    "get_prim_at_path",
    "get_stage_next_free_path",
    "get_world_transform_matrix",
]
