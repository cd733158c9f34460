"""What all sensors have in common: they measure when somebody looks, and when enough time has passed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import accept, api_of
from phalanx.facade.isaaclab.sensors.clocks import Clocks
from phalanx.facade.isaaclab.sensors.sensor_base_cfg import SensorBaseCfg
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.sim.debug_vis import DebugVis
from phalanx.facade.isaaclab.sim.simulation_context import SimulationContext
from phalanx.facade.namespaces import array
from phalanx.facade.physics_events import Event, Subscription

JUST_DUE = 1e-6
"""s: a measurement that would be due that much later is due; sums of steps are not quite multiples of the period."""


class SensorBase(DebugVis, ABC):
    """Something that measures in each environment.

    When the simulation starts to play, it looks up its prims and makes its buffers. From then on it has a clock for
    each environment. When a period has passed since the last measurement, data are outdated, and the next one who looks
    at :attr:`data`, or an :meth:`update` with ``force_recompute``, has them measured anew; what is shown is measured at
    each update. The simulation does not keep it alive.

    Args:
        cfg: its configuration, which is copied.

    Raises:
        ValueError: the period or the length of the history is negative.
        TypeError: something in the configuration is missing.
    """

    def __init__(self, cfg: SensorBaseCfg) -> None:
        if cfg.history_length < 0 or not cfg.update_period >= 0.0:
            raise ValueError(
                f"{type(self).__name__}: history_length={cfg.history_length} and update_period={cfg.update_period} s "
                "must not be negative"
            )
        cfg.validate()  # pyright: ignore[reportAttributeAccessIssue]
        self.cfg: Any = cfg.copy()  # pyright: ignore[reportAttributeAccessIssue]
        self.stage: Any = utils.get_current_stage()
        """The stage that it is on."""
        self._is_initialized = self._is_being_initialized = False
        self._physics_sim_view: Any = None
        self._subscriptions = [
            Subscription(Event.PLAY, self._on_play, order=15),  # after assets
            Subscription(Event.STOP, self._on_stop),
        ]
        if self.cfg.debug_vis:
            self.set_debug_vis(True)

    def __del__(self) -> None:
        self._clear_callbacks()

    def __str__(self) -> str:
        known = f"{self.num_instances} instances" if self._is_initialized else "not initialized"
        return f"<{self._who}: {known}, every {self.cfg.update_period:g} s>"

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def is_initialized(self) -> bool:
        """Whether its prims are known: the simulation plays, and did when it was made or has been reset since."""
        return self._is_initialized

    @property
    def num_instances(self) -> int:
        """How many there are, in all environments together."""
        self._check_initialized()
        return self._num_envs

    @property
    def device(self) -> str:
        """The device of its buffers, ``"cpu"`` or ``"cuda:N"``."""
        return self._simulation().device

    @property
    @abstractmethod
    def data(self) -> Any:
        """What was measured; measured anew if it is outdated."""

    # -- from step to step -----------------------------------------------------------------------------------

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Start clocks of some environments anew, or of all; what they have measured is outdated.

        Raises:
            RuntimeError: the simulation does not play.
            IndexError: there is no such environment.
        """
        self._check_initialized()
        chosen, clocks = self._host_ids(env_ids), self._clocks
        clocks.heed_scripts()
        clocks.time[chosen] = clocks.measured[chosen] = 0.0
        clocks.due[chosen] = True
        clocks.tell_scripts()

    def update(self, dt: float, force_recompute: bool = False) -> None:
        """Let the sensor know that time has passed.

        Args:
            dt: s.
            force_recompute: measure now what is due. Sensors with a history always do, or it would have holes.
        """
        self._check_initialized()
        clocks = self._clocks
        clocks.heed_scripts()
        clocks.time += dt
        clocks.due |= self._elapsed() + JUST_DUE >= self.cfg.update_period
        clocks.tell_scripts()
        if force_recompute or self._is_visualizing or self.cfg.history_length > 0:
            self._update_outdated_buffers()

    # -- for those who write sensors -------------------------------------------------------------------------

    def _initialize_impl(self) -> None:
        """Look up prims and make buffers; those who override it call this first."""
        simulation = self._simulation()
        self._device, self._backend = simulation.device, simulation.backend
        self._sim_physics_dt = simulation.get_physics_dt()
        self._parent_prims = self._find_parents()
        self._num_envs = self._count()
        self._clocks = Clocks(self._num_envs, self._device)
        self._all_ids = array(np.arange(self._num_envs), self._device)

    @abstractmethod
    def _update_buffers_impl(self, env_ids: Any) -> None:
        """Measure in some environments.

        Args:
            env_ids: their numbers, ascending, int64.
        """

    def _update_outdated_buffers(self) -> None:
        """Measure where it is due."""
        clocks = self._clocks
        clocks.heed_scripts()
        if clocks.due.all():
            self._update_buffers_impl(self._all_ids)
        elif clocks.due.any():
            self._update_buffers_impl(array(np.flatnonzero(clocks.due), self._device))
        clocks.heed_scripts()
        clocks.measured[clocks.due] = clocks.time[clocks.due]
        clocks.due[:] = False
        clocks.tell_scripts()

    @property
    def _timestamp(self) -> Any:
        """(num_envs,) s since the last reset, float32, on the sensor's device; scripts may write to it."""
        return self._clocks.hand_out("time")

    @_timestamp.setter
    def _timestamp(self, value: Any) -> None:
        self._clocks.set("time", value)

    @property
    def _timestamp_last_update(self) -> Any:
        """(num_envs,) s: what the clocks showed at the last measurement; scripts may write to it."""
        return self._clocks.hand_out("measured")

    @_timestamp_last_update.setter
    def _timestamp_last_update(self, value: Any) -> None:
        self._clocks.set("measured", value)

    @property
    def _is_outdated(self) -> Any:
        """(num_envs,) bool: whether the next who looks has data measured anew; scripts may write to it."""
        return self._clocks.hand_out("due")

    @_is_outdated.setter
    def _is_outdated(self, value: Any) -> None:
        self._clocks.set("due", value)

    def _count(self) -> int:
        """Number of environments: of prims that have the sensor's below them."""
        return len(self._parent_prims)

    # -- inside ----------------------------------------------------------------------------------------------

    @property
    def _who(self) -> str:
        """For messages."""
        return f"{type(self).__name__} {self.cfg.prim_path!r}"

    def _find_parents(self) -> list[Any]:
        """Prims above the sensor's; not all sensors have a prim themselves."""
        return utils.find_matching_prims(self.cfg.prim_path.rpartition("/")[0] or "/") or self._find_own()

    def _find_own(self) -> list[Any]:
        """The sensor's own prims, for sensors that must have them.

        Raises:
            RuntimeError: there are none.
        """
        if found := utils.find_matching_prims(self.cfg.prim_path):
            return found
        parents = utils.find_matching_prims(self.cfg.prim_path.rpartition("/")[0] or "/")
        there = ", ".join(child.GetName() for child in parents[0].GetChildren()) if parents else ""
        hint = f"below <{parents[0].GetPath()}> there are {there or 'none'}" if parents else "nor one above it"
        raise RuntimeError(
            f"{self._who}: there is no such prim on the stage ({hint}): spawn one there, or mend prim_path"
        )

    def _chosen(self, env_ids: Any) -> Any:
        """An index for environments: a slice if it is all of them."""
        return slice(None) if len(env_ids) == self._num_envs else env_ids

    def _host_ids(self, env_ids: Any) -> Any:
        """An index for arrays on the host."""
        if env_ids is None or isinstance(env_ids, slice):
            return slice(None) if env_ids is None else env_ids
        found = np.asarray(accept(env_ids, "cpu") if api_of(env_ids) else list(env_ids))
        return found if found.size else found.astype(np.int64)

    def _elapsed(self) -> np.ndarray:
        """(num_envs,): time since the last measurement, s."""
        return self._clocks.time - self._clocks.measured

    def _on_play(self) -> None:
        self._initialize_callback(None)

    def _on_stop(self) -> None:
        self._invalidate_initialize_callback(None)

    def _initialize_callback(self, event: Any) -> None:
        """The simulation begins to play; ``event`` is ``None``."""
        if not self._is_initialized:
            self._physics_sim_view = self._simulation().physics_sim_view
            self._is_being_initialized = True
            try:
                self._initialize_impl()
            finally:
                self._is_being_initialized = False
            self._is_initialized = True

    def _invalidate_initialize_callback(self, event: Any) -> None:
        """The simulation has stopped; ``event`` is ``None``."""
        self._is_initialized = False
        self._physics_sim_view = None

    def _clear_callbacks(self) -> None:
        """Hear of nothing any more, and show nothing."""
        for one in getattr(self, "_subscriptions", ()):
            one.cancel()
        self._no_longer_shown()

    def _check_initialized(self) -> None:
        if not (self._is_initialized or self._is_being_initialized):
            raise RuntimeError(f"{self._who} knows its prims only while the simulation plays: call sim.reset() first")

    def _simulation(self) -> SimulationContext:
        found = SimulationContext.instance()
        if found is None:
            raise RuntimeError(f"{type(self).__name__}: there is no SimulationContext; make one first")
        return found
