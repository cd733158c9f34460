"""What all views of prims have in common: which prims they are of, whose arrays they hand out, and what they hear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade import physics_events, simulation, stage_watch
from phalanx.facade import stage as stages
from phalanx.facade.backends import Backend
from phalanx.facade.carb.eventdispatcher import get_eventdispatcher
from phalanx.facade.expressions import as_regex, matching_prims
from phalanx.facade.isaacsim.core.simulation_manager.isaac_events import IsaacEvents
from phalanx.facade.physics_events import Event
from phalanx.facade.signals import weakly
from phalanx.io.formats.usd.bindings import Prim as UsdPrim
from phalanx.io.formats.usd.bindings import Stage, UsdGeom


class Prim:
    """The prims whose paths expressions match, in the order of the expressions and then of the stage.

    Args:
        prim_paths_expr: an expression, or several in a list; see :mod:`phalanx.facade.expressions`.
        name: for scenes and messages.

    Raises:
        ValueError: no prim matches.
    """

    def __init__(self, prim_paths_expr: str | Sequence[str], name: str = "prim_view") -> None:
        expressions = [prim_paths_expr] if isinstance(prim_paths_expr, str) else list(prim_paths_expr)
        self._stage: Stage = stages.get_stage()
        self._regex_prim_paths = expressions
        self._prims: list[UsdPrim] = [
            prim for expression in expressions for prim in matching_prims(self._stage, expression)
        ]
        self._name = name
        self._listeners: list[Any] = []
        self._backend = self._arrays()
        self._checked = (-1, True)
        if not self._prims:
            raise ValueError(
                f"Prim path expression {expressions} is invalid: a prim matching the expression needs to be created "
                "before wrapping it as view"
            )
        self._prim_paths = [prim.GetPath().pathString for prim in self._prims]
        self._listen()

    def _listen(self) -> None:
        self._listeners = [
            *(
                physics_events.Subscription(Event.PLAY, self._on_play, order=self._order, pattern=as_regex(expression))
                for expression in self._regex_prim_paths
            ),
            physics_events.Subscription(Event.STOP, self._on_stop),
            get_eventdispatcher().observe_event(0, IsaacEvents.POST_RESET.value, weakly(self._on_post_reset)),
        ]

    _order = 10
    """Views with lower ones hear of the play earlier."""

    def __del__(self) -> None:
        self._remove_callbacks()

    def destroy(self) -> None:
        """Let the prims go, and hear of nothing any more."""
        self._remove_callbacks()
        self._prims, self._prim_paths = [], []
        self._checked = (self._checked[0], False)

    def _remove_callbacks(self) -> None:
        for one in getattr(self, "_listeners", ()):
            (one.cancel if isinstance(one, physics_events.Subscription) else one.unsubscribe)()
        self._listeners = []

    # -- what they are ---------------------------------------------------------------------------------------

    @property
    def prim_paths(self) -> list[str]:
        """Paths of the prims."""
        return self._prim_paths

    @property
    def prims(self) -> list[UsdPrim]:
        """The prims."""
        return self._prims

    @property
    def name(self) -> str:
        """What it was called."""
        return self._name

    @property
    def count(self) -> int:
        """Number of prims."""
        return len(self._prims)

    @property
    def initialized(self) -> bool:
        """Whether a simulation runs that it knows of."""
        return simulation.stage_world() is not None

    def is_valid(self, indices: Any = None) -> bool:
        """Whether all prims are still there, whatever the indices."""
        watch = stage_watch.get() if stages.process_stage() is self._stage else None
        revision = -1 if watch is None else watch.revision
        if revision == -1 or self._checked[0] != revision:
            self._checked = (revision, bool(self._prims) and all(prim.IsValid() for prim in self._prims))
        return self._checked[1]

    # -- what happens ----------------------------------------------------------------------------------------

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Look up what is simulated; views do so by themselves when the simulation begins to play."""
        self._on_physics_ready(None)

    def post_reset(self) -> None:
        """Go back to the default state."""
        self._on_post_reset(None)

    def _on_play(self) -> None:
        if self.is_valid():
            self._on_physics_ready(None)

    def _on_stop(self) -> None:
        """The world is gone."""

    def _on_physics_ready(self, event: Any) -> None:
        """There is a world."""
        self._backend = self._arrays()

    def _on_post_reset(self, event: Any) -> None:
        """The world was reset."""

    # -- for those who derive from it ------------------------------------------------------------------------

    def _arrays(self) -> Backend:
        """Whose arrays it takes and hands out."""
        return simulation.arrays()

    def _check_valid(self) -> None:
        if not self.is_valid():
            raise RuntimeError(f"prim view {self._regex_prim_paths} is not a valid view: a prim of it was deleted")

    @property
    def _device(self) -> str:
        return self._backend.device

    @property
    def _unit(self) -> float:
        """Metres that a unit of the stage is."""
        return float(UsdGeom.GetStageMetersPerUnit(self._stage))

    def _chosen(self, indices: Any) -> list[int]:
        """Numbers of prims."""
        return self._backend.host(indices, self.count).tolist()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.count} prims: {', '.join(self._regex_prim_paths)}>"


__all__ = ["Prim"]
