"""The simulation as scripts hold it: it plays, steps and renders."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, ClassVar

from phalanx.facade import backends, simulation
from phalanx.facade import stage as stages
from phalanx.facade.carb.eventdispatcher import get_eventdispatcher
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.isaacsim.core.api.physics_context.physics_context import PhysicsContext
from phalanx.facade.isaacsim.core.api.simulation_context.callbacks import Callbacks
from phalanx.facade.isaacsim.core.simulation_manager import IsaacEvents, SimulationManager
from phalanx.facade.isaacsim.core.utils.stage import clear_stage, set_stage_units, set_stage_up_axis
from phalanx.facade.omni.kit.app import App, get_app
from phalanx.facade.omni.timeline import Timeline, get_timeline_interface
from phalanx.facade.physx.simulation_view import SimulationView
from phalanx.facade.signals import weakly
from phalanx.io.formats.usd.bindings import Prim, Stage

log = logging.getLogger("phalanx.facade")

FRAME = 1.0 / 60.0
"""s: time between frames by default."""


class SimulationContext(Callbacks):
    """The simulation of the current stage; there is one of this class or of those that derive from it.

    Making another one hands out the one that there is, whatever the arguments, until :meth:`clear_instance`, or until
    another stage is opened.

    Args:
        physics_dt: length of a step, s; 1/60 by default.
        rendering_dt: time between frames, s; 1/60 by default.
        stage_units_in_meters: what a unit of the stage is; 1 by default.
        physics_prim_path: where a physics scene is made, if there is none.
        sim_params: settings of the physics scene, see :class:`PhysicsContext`.
        set_defaults: whether what is not given is as said here, rather than as the stage says.
        backend: whose arrays views hand out: ``"numpy"``, ``"torch"`` or ``"warp"``.
        device: where to simulate: ``"cpu"``, ``"cuda"`` or ``"cuda:N"``; ``None``: on the CPU.
        stage: another stage than the current one.

    Raises:
        ValueError: a setting is impossible.
    """

    _instance: ClassVar[Any] = None
    _sim_context_initialized: ClassVar[bool] = False

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """The one that there is, or a new one."""
        if SimulationContext._instance is None:
            SimulationContext._instance = super().__new__(cls)
        else:
            log.info("Simulation Context is defined already, returning the previously defined one")
        return SimulationContext._instance

    def __init__(
        self,
        physics_dt: float | None = None,
        rendering_dt: float | None = None,
        stage_units_in_meters: float | None = None,
        physics_prim_path: str = "/physicsScene",
        sim_params: Mapping[str, Any] | None = None,
        set_defaults: bool = True,
        backend: str = "numpy",
        device: str | None = None,
        stage: Stage | None = None,
    ) -> None:
        if SimulationContext._sim_context_initialized:
            return
        try:
            self._set_up(
                physics_dt,
                rendering_dt,
                stage_units_in_meters,
                physics_prim_path,
                sim_params,
                set_defaults,
                backend,
                device,
                stage,
            )
        except BaseException:
            SimulationContext._instance = None
            raise
        SimulationContext._sim_context_initialized = True

    def _set_up(
        self,
        physics_dt: float | None,
        rendering_dt: float | None,
        units: float | None,
        scene_path: str,
        sim_params: Mapping[str, Any] | None,
        set_defaults: bool,
        backend: str,
        device: str | None,
        stage: Stage | None,
    ) -> None:
        super().__init__()
        self._simulation = simulation.get()
        self._simulation.stop()
        if stage is not None and stage is not stages.process_stage():
            stages.set_stage(stage)
        self._stage = stages.get_stage()
        SimulationManager.set_backend(backends.check(backend))
        set_stage_up_axis("z")
        if set_defaults and units is None:
            units = 1.0
        if units is not None:
            set_stage_units(units)
        if rendering_dt is None:
            rendering_dt = FRAME if set_defaults else 1.0 / self._stage.GetTimeCodesPerSecond()
        self._timeline: Timeline = get_timeline_interface()
        self._settings = get_settings()
        self._physics_context: PhysicsContext | None = PhysicsContext(None, scene_path, sim_params, set_defaults)
        SimulationManager.set_physics_sim_device(device or "cpu")
        self.set_simulation_dt(physics_dt, rendering_dt)
        dispatcher = get_eventdispatcher()
        self._listeners = [
            self._simulation.timeline.subscribe(weakly(self._on_timeline), order=-20),
            dispatcher.observe_event(0, IsaacEvents.PHYSICS_READY.value, weakly(self._on_ready)),
            stages.changed.subscribe(weakly(self._on_stage), order=10),
        ]

    def _on_timeline(self, kind: str) -> None:
        if kind == "stop":
            self._stop_physics_callbacks()

    def _on_ready(self, event: Any) -> None:
        self._start_physics_callbacks()

    def _on_stage(self) -> None:
        """Another stage was opened, or this one was closed."""
        self.clear_all_callbacks()
        if SimulationContext._instance is self:
            type(self).clear_instance()
            log.warning(
                "A new stage was opened, World or Simulation Object are invalidated and you would need to initialize "
                "them again before using them."
            )

    # -- the one ---------------------------------------------------------------------------------------------

    @classmethod
    def instance(cls) -> Any:
        """The one that there is, ``None`` if there is none."""
        return SimulationContext._instance

    @classmethod
    def clear_instance(cls) -> None:
        """Let there be none. Its callbacks are gone; the stage, and what plays, stay as they are."""
        found = SimulationContext._instance
        if found is None:
            return
        found.clear_all_callbacks()
        found._listeners = []
        SimulationContext._instance = None
        SimulationContext._sim_context_initialized = False
        SimulationManager.set_backend("numpy")
        if simulation.get().world is None:
            SimulationManager.set_physics_sim_device("cpu")

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def app(self) -> App:
        """The application."""
        return get_app()

    @property
    def current_time_step_index(self) -> int:
        """Steps of physics since it was stopped."""
        return self._simulation.steps

    @property
    def current_time(self) -> float:
        """Simulated seconds since it was stopped."""
        return self._simulation.time

    @property
    def stage(self) -> Stage:
        """The stage that is simulated."""
        return self._stage

    @property
    def backend(self) -> str:
        """Whose arrays views hand out."""
        return SimulationManager.get_backend()

    @property
    def device(self) -> str:
        """``"cpu"`` or ``"cuda:N"``."""
        return SimulationManager.get_physics_sim_device()

    @property
    def backend_utils(self) -> Any:
        """The module of functions on the backend's arrays: ``isaacsim.core.utils.numpy`` and so on."""
        import importlib

        return importlib.import_module(f"phalanx.facade.isaacsim.core.utils.{self.backend}")

    @property
    def physics_sim_view(self) -> SimulationView | None:
        """What makes tensor views; ``None`` before it is reset, and when it is stopped."""
        return SimulationManager.get_physics_sim_view()

    def get_physics_context(self) -> PhysicsContext | None:
        """The physics scene of the stage."""
        return self._physics_context

    # -- time ------------------------------------------------------------------------------------------------

    def set_simulation_dt(self, physics_dt: float | None = None, rendering_dt: float | None = None) -> None:
        """Set how long steps are, and the time between frames, s; what is ``None`` stays.

        A frame has as many whole steps as fit into it, one at least; where frames are more frequent than steps, some
        have none. With a step of 0 frames have none, with frames of 0 each has one.

        Raises:
            ValueError: one is negative, or the step is above 1.
        """
        if rendering_dt is None:
            rendering_dt = self.get_rendering_dt()
        elif rendering_dt < 0:
            raise ValueError(f"rendering_dt cannot be <0, it is {rendering_dt:g}")
        if physics_dt is not None and self._physics_context is not None:
            fits = max(int(rendering_dt / physics_dt + 1e-6), 1) if physics_dt > 0 else 1
            self._physics_context.set_physics_dt(physics_dt, fits)
        rate = 1.0 / rendering_dt if rendering_dt > 0 else 0.0
        if rate:
            self._stage.SetTimeCodesPerSecond(rate)
        self._simulation.rendering_dt = float(rendering_dt)

    def get_physics_dt(self) -> float:
        """Length of a step, s."""
        assert self._physics_context is not None
        return self._physics_context.get_physics_dt()

    def get_rendering_dt(self) -> float:
        """Time between frames, s."""
        return self._simulation.rendering_dt

    def set_block_on_render(self, block: bool) -> None:
        """Keep whether frames wait for the renderer; there is none."""
        get_settings().set("/app/hydraEngine/waitIdle", bool(block))

    def get_block_on_render(self) -> bool:
        """What was set."""
        return get_settings().get_as_bool("/app/hydraEngine/waitIdle")

    # -- playing ---------------------------------------------------------------------------------------------

    async def initialize_simulation_context_async(self) -> None:
        """Nothing but frames that pass: it is initialised when it is made."""
        if not self.is_stopped():
            await self.stop_async()
        await get_app().next_update_async()

    def initialize_physics(self) -> None:
        """Play, if it is stopped."""
        if self.is_stopped():
            self.play()

    def reset(self, soft: bool = False) -> None:
        """Stop, and play again: a world is made of the stage as it is now. No time passes.

        Args:
            soft: do nothing.

        Raises:
            LoadError: the stage cannot be simulated.
        """
        if not soft:
            if not self.is_stopped():
                self.stop()
            self.play()

    async def reset_async(self, soft: bool = False) -> None:
        """See :meth:`reset`."""
        if not soft:
            if not self.is_stopped():
                await self.stop_async()
            await self.play_async()

    def step(self, render: bool = True, update_fabric: bool = False) -> None:
        """Let a frame pass, with as many steps of physics as fit into it; or a step alone. Nothing while it pauses.

        Args:
            render: a frame: steps, and render callbacks. Else one step of physics.
            update_fabric: no meaning.
        """
        found = self._simulation
        if not render:
            if found.state == simulation.PLAYING:
                found.step()
        elif not found.physics_dt:
            SimulationContext.render(self)
        elif not found.rendering_dt:
            if found.state == simulation.PLAYING:
                found.step()
            SimulationContext.render(self)
        else:
            get_app().update()

    def render(self) -> None:
        """Let a frame pass without steps of physics."""
        found = self._simulation
        before, found.plays_physics = found.plays_physics, False
        try:
            get_app().update()
        finally:
            found.plays_physics = before

    async def render_async(self) -> None:
        """See :meth:`render`."""
        found = self._simulation
        before, found.plays_physics = found.plays_physics, False
        try:
            await get_app().next_update_async()
        finally:
            found.plays_physics = before

    def clear(self) -> None:
        """Delete all prims but physics scenes, ``/World``, ``/Render...``, and those that references bring."""

        def goes(path: str) -> bool:
            prim: Prim = self._stage.GetPrimAtPath(path)
            return path not in ("/", "/World") and not path.startswith("/Render") and not _has_scene(prim)

        clear_stage(goes)

    def is_simulating(self) -> bool:
        """Whether there is a world, be it that it pauses."""
        return self._simulation.world is not None

    def is_playing(self) -> bool:
        """Whether it plays."""
        return self._timeline.is_playing()

    def is_stopped(self) -> bool:
        """Whether it is stopped; when it pauses, it is not."""
        return self._timeline.is_stopped()

    def play(self) -> None:
        """Go on, or make a world of the stage; a frame passes without a step."""
        self._timeline.play()
        SimulationContext.render(self)

    async def play_async(self) -> None:
        """See :meth:`play`."""
        self._timeline.play()
        await SimulationContext.render_async(self)

    def pause(self) -> None:
        """Let steps do nothing until :meth:`play`; a frame passes."""
        self._timeline.pause()
        SimulationContext.render(self)

    async def pause_async(self) -> None:
        """See :meth:`pause`."""
        self._timeline.pause()
        await SimulationContext.render_async(self)

    def stop(self) -> None:
        """Let the world go; the stage has what it had before. A frame passes."""
        self._timeline.stop()
        SimulationContext.render(self)

    async def stop_async(self) -> None:
        """See :meth:`stop`."""
        self._timeline.stop()
        await SimulationContext.render_async(self)

    def skip_next_stage_open_callback(self) -> None:
        """Let the next opening of a stage leave this as it is."""
        self._listeners = self._listeners[:2]
        self._skipped = stages.changed.subscribe(weakly(self._resume), order=11)

    def _resume(self) -> None:
        self._listeners.append(stages.changed.subscribe(weakly(self._on_stage), order=10))
        self._stage = stages.get_stage()
        del self._skipped


def _has_scene(prim: Prim) -> bool:
    """Whether a prim is a physics scene, or one is below it."""
    from phalanx.io.formats.usd.bindings import Usd

    return any(one.GetTypeName() == "PhysicsScene" for one in Usd.PrimRange(prim)) or (
        bool(prim.GetParent()) and prim.GetParent().GetTypeName() == "PhysicsScene"
    )


__all__ = ["SimulationContext"]
