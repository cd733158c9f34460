"""The simulation as other parts of an application see it: its view, its device, its events."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

from phalanx.facade import physics_steps
from phalanx.facade.event_streams import Event, EventStream, EventSubscription
from phalanx.facade.isaacsim.core.simulation_manager.isaac_events import IsaacEvents
from phalanx.facade.omni.timeline import TimelineEventType, get_timeline_interface


class SimulationManager:
    """Functions of the class; there is nothing to make."""

    _backend: ClassVar[str | None] = None
    _device: ClassVar[str | None] = None
    _streams: ClassVar[dict[IsaacEvents, EventStream]] = {
        event: EventStream(event.value)
        for event in IsaacEvents
        if event not in (IsaacEvents.PRE_PHYSICS_STEP, IsaacEvents.POST_PHYSICS_STEP, IsaacEvents.TIMELINE_STOP)
    }
    _callbacks: ClassVar[dict[int, EventSubscription]] = {}
    _numbers: ClassVar[itertools.count[int]] = itertools.count()

    # -- the simulation --------------------------------------------------------------------------------------

    @classmethod
    def get_physics_sim_view(cls) -> Any:
        """What makes tensor views of the simulation; ``None`` before it has been reset, and when it has stopped."""
        simulation = _simulation()
        return None if simulation is None else simulation.physics_sim_view

    @classmethod
    def get_physics_sim_device(cls) -> str:
        """``"cpu"`` or ``"cuda:N"``: that of the simulation, else the one that was set last."""
        simulation = _simulation()
        return (cls._device or "cpu") if simulation is None else simulation.device

    @classmethod
    def set_physics_sim_device(cls, val: str) -> None:
        """Say which device a simulation is to have; one that there is keeps its own.

        Raises:
            ValueError: it is neither ``"cpu"`` nor ``"cuda"`` nor ``"cuda:N"``.
        """
        if val != "cpu" and not val.startswith("cuda"):
            raise ValueError(f'set_physics_sim_device: {val!r} must be "cpu", "cuda" or "cuda:N"')
        cls._device = "cuda:0" if val == "cuda" else val

    @classmethod
    def get_backend(cls) -> str:
        """What arrays are: ``"torch"`` or ``"numpy"`` as it was set, else those of the facade."""
        from phalanx.facade import array_api

        return cls._backend or array_api(cls.get_physics_sim_device())

    @classmethod
    def set_backend(cls, val: str) -> None:
        """Say what arrays scripts expect; see :func:`phalanx.facade.set_array_api` for what they get."""
        cls._backend = val

    @classmethod
    def get_physics_dt(cls, physics_scene: str | None = None) -> float:
        """Length of a step, s; 1/60 without a simulation."""
        simulation = _simulation()
        return 1.0 / 60.0 if simulation is None else simulation.get_physics_dt()

    @classmethod
    def get_simulation_time(cls) -> float:
        """Simulated seconds since the last reset."""
        simulation = _simulation()
        return 0.0 if simulation is None else simulation.current_time

    @classmethod
    def get_num_physics_steps(cls) -> int:
        """Steps since the last reset."""
        simulation = _simulation()
        return 0 if simulation is None else simulation.current_time_step_index

    @classmethod
    def is_simulating(cls) -> bool:
        """Whether it plays."""
        simulation = _simulation()
        return simulation is not None and simulation.is_playing()

    @classmethod
    def is_paused(cls) -> bool:
        """Whether it neither plays nor is stopped."""
        simulation = _simulation()
        return simulation is not None and not simulation.is_playing() and not simulation.is_stopped()

    @classmethod
    def initialize_physics(cls) -> None:
        """Let a simulation that is stopped play."""
        simulation = _simulation()
        if simulation is not None and simulation.is_stopped():
            simulation.play()

    @classmethod
    def step(cls, render: bool = False) -> None:
        """A step of physics.

        Raises:
            RuntimeError: there is no simulation, or rendering is asked for.
        """
        simulation = _simulation()
        if simulation is None or render:
            raise RuntimeError("SimulationManager.step: only physics, and of a SimulationContext that was reset")
        simulation.step(render=False)

    @classmethod
    def assets_loading(cls) -> bool:
        """Whether files are still being read: never, they are read when they are asked for."""
        return False

    # -- events ----------------------------------------------------------------------------------------------

    @classmethod
    def register_callback(
        cls, callback: Callable[[Any], Any], event: IsaacEvents, order: int = 0, name: str | None = None
    ) -> int:
        """Call a function at an event, until it is deregistered.

        Owners of methods are not kept alive. Functions get the event, before and after steps the step's length in s,
        at deletions of prims the path.

        Returns:
            A number for :meth:`deregister_callback`.

        Raises:
            ValueError: there is no such event.
        """
        if not isinstance(event, IsaacEvents):
            raise ValueError(f"register_callback: {event!r} is none of IsaacEvents")
        function = _weakly(callback)
        if event is IsaacEvents.TIMELINE_STOP:
            stream = get_timeline_interface().get_timeline_event_stream()
            found = stream.create_subscription_to_pop_by_type(TimelineEventType.STOP, function, order, name or "")
        elif event in (IsaacEvents.PRE_PHYSICS_STEP, IsaacEvents.POST_PHYSICS_STEP):
            stream = physics_steps.BEFORE if event is IsaacEvents.PRE_PHYSICS_STEP else physics_steps.AFTER
            found = stream.create_subscription_to_pop(lambda it: function(it.payload["dt"]), order, name or "")
        elif event is IsaacEvents.PRIM_DELETION:
            stream = cls._streams[event]
            found = stream.create_subscription_to_pop(lambda it: function(it.payload["path"]), order, name or "")
        else:
            found = cls._streams[event].create_subscription_to_pop(function, order, name or "")
        number = next(cls._numbers)
        cls._callbacks[number] = found
        return number

    @classmethod
    def deregister_callback(cls, callback_id: int) -> None:
        """Call it no more.

        Raises:
            ValueError: there is none of the number.
        """
        found = cls._callbacks.pop(callback_id, None)
        if found is None:
            raise ValueError(f"deregister_callback: there is no callback with the number {callback_id}")
        found.unsubscribe()

    @classmethod
    def publish(cls, event: IsaacEvents, **payload: Any) -> None:
        """Tell who registered for an event of this class's own; the simulation calls it."""
        cls._streams[event].push(payload=payload)

    @classmethod
    def enable_stage_open_callback(cls, enable: bool = True) -> None:
        """Nothing: opening a stage calls nothing here that would have to be held back."""

    enable_warm_start_callback = enable_on_stop_callback = enable_post_warm_start_callback = enable_stage_open_callback
    enable_all_default_callbacks = enable_usd_notice_handler = enable_stage_open_callback


def _weakly(callback: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that calls it while the owner, if it is a method, lives."""
    if getattr(callback, "__self__", None) is None:
        return callback
    method = weakref.WeakMethod(callback)

    def call(argument: Event | float | str) -> None:
        if (found := method()) is not None:
            found(argument)

    return call


def _simulation() -> Any:
    import sys

    module = sys.modules.get("phalanx.facade.isaaclab.sim.simulation_context")
    return None if module is None else module.SimulationContext.instance()
