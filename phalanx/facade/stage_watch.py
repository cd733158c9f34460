"""Who sees what is edited on the stage of the process: which prims came, went or changed."""

from __future__ import annotations

from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.signals import Signal
from phalanx.io.formats.usd.bindings import Stage, Tf, Usd


class StageWatch:
    """Sees edits of a stage.

    Attributes:
        revision: goes up whenever prims are created, deleted, or composed anew.
        removed: told the path of each prim that was deleted, as text; ``"/"`` when the stage was closed.
        composed: told the paths of prims that were created, deleted, or composed anew, as a list of text.
        valued: told the paths of attributes and prims that are new or whose values changed, as a list of text.
        keeps: whether paths of edits are kept until :meth:`take`.
    """

    def __init__(self, stage: Stage) -> None:
        self.revision = 0
        self.removed, self.composed, self.valued = Signal(), Signal(), Signal()
        self.keeps = False
        self._composed: set[str] = set()
        self._valued: set[str] = set()
        self._stage = stage
        self._key = Tf.Notice.Register(Usd.Notice.ObjectsChanged, self._seen, stage)

    def _seen(self, notice: Any, sender: Any) -> None:
        composed = notice.GetResyncedPaths()
        if composed:
            self.revision += 1
            if self.composed:
                self.composed.emit([str(path) for path in composed if path.IsPrimPath()])
            for path in composed:
                prim = path.GetPrimPath()
                if self.keeps:
                    self._composed.add(str(prim))
                if self.removed and prim == path and not self._stage.GetPrimAtPath(path):
                    self.removed.emit(str(path))
        if self.keeps or self.valued:
            valued = [str(path) for path in notice.GetChangedInfoOnlyPaths()]
            if self.keeps:
                self._valued.update(valued)
            self.valued.emit(valued + [str(path) for path in composed if path.IsPropertyPath()])

    def take(self) -> tuple[set[str], set[str]]:
        """Paths of prims composed anew, and of attributes (and prims) whose values changed, since last time."""
        found = self._composed, self._valued
        if self._composed or self._valued:
            self._composed, self._valued = set(), set()
        return found

    def close(self) -> None:
        """See no more."""
        self._key.Revoke()
        self.revision += 1
        self.removed.emit("/")


_watch: dict[str, StageWatch] = {}


def get() -> StageWatch:
    """The one of the stage of the process, which exists from when it is first asked for.

    Raises:
        RuntimeError: there is no stage.
    """
    stage = stages.get_stage()
    watch = _watch.get("")
    if watch is None or watch._stage is not stage:
        _forget()
        watch = _watch[""] = StageWatch(stage)
    return watch


def _forget() -> None:
    watch = _watch.pop("", None)
    if watch is not None:
        watch.close()


_listener = stages.changed.subscribe(_forget, order=-50)
