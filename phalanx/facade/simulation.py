"""The simulation of the process, which the timeline plays: a world of the current stage, and its clock.

``SimulationManager``, ``World`` and the timeline are ways to reach it. ``isaaclab.sim.SimulationContext`` has a
world of its own, with settings of its own; while there is one, it is that which :func:`current` finds.
"""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Collection
from typing import Any

from phalanx import components as c
from phalanx.ecs.device import cuda_available
from phalanx.facade import backends, clones, physics_events, physics_steps, scene_settings
from phalanx.facade import stage as stages
from phalanx.facade.arrays import array_api
from phalanx.facade.backends import Backend
from phalanx.facade.carb.eventdispatcher import get_eventdispatcher
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.once import tell_once
from phalanx.facade.physics_events import Event
from phalanx.facade.physx.simulation_view import SimulationView
from phalanx.facade.scene_settings import SceneSettings
from phalanx.facade.signals import Signal
from phalanx.facade.stage_edits import StageEdits
from phalanx.facade.stage_values import StageValues
from phalanx.facade.stage_world import StageWorld
from phalanx.io.formats.usd.bindings import Prim

log = logging.getLogger("phalanx.facade")

STOPPED, PLAYING, PAUSED = "stopped", "playing", "paused"

WARM_UP = "/phalanx/warmUp"
"""A setting: whether :meth:`Simulation.play` makes two steps before views are there, as Isaac Sim 5.1 does."""

FRAME = 1.0 / 60.0
"""s: time between frames, unless it was set."""


class Simulation:
    """What plays.

    Attributes:
        state: ``"stopped"``, ``"playing"`` or ``"paused"``.
        device: ``"cpu"`` or ``"cuda:N"``: where the next world is made.
        backend: ``"numpy"``, ``"torch"`` or ``"warp"``: whose arrays views hand out.
        rendering_dt: time between frames, s; 0: frames let no time pass.
        plays_physics: whether frames step.
        scene_path: of the physics scene that counts; the first one of the stage if it is empty.
        warms_up: whether steps are made before there are views; see :data:`WARM_UP`.
        time: simulated seconds since it was stopped.
        steps: steps of physics since it was stopped.
        frame: told the time between frames, s, after its steps.
        stepped: told the length of a step, s, after it, before those who listen to steps.
        timeline: told ``"play"``, ``"pause"`` or ``"stop"``.
    """

    def __init__(self) -> None:
        self.state = STOPPED
        self.device, self.backend = "cpu", "numpy"
        self.rendering_dt = FRAME
        self.plays_physics, self.warms_up = True, False
        self.scene_path = ""
        self.time, self.steps = 0.0, 0
        self.frame, self.stepped, self.timeline = Signal(), Signal(), Signal()
        self._world: StageWorld | None = None
        self._edits: StageEdits | None = None
        self._values: StageValues | None = None
        self._settings = SceneSettings()
        self._left = 0.0  # time that frames have let pass, and steps not yet
        self._opened = stages.changed.subscribe(self.stop, order=-100)

    # -- what there is ---------------------------------------------------------------------------------------

    @property
    def world(self) -> StageWorld | None:
        """The world of the stage; ``None`` while it is stopped."""
        return self._world

    @property
    def view(self) -> SimulationView | None:
        """What makes tensor views of the world; ``None`` while it is stopped."""
        return None if self._world is None else self._world.view

    def scene(self) -> Prim | None:
        """The physics scene of the current stage that counts."""
        stage = stages.process_stage()
        if stage is None:
            return None
        if not (self.scene_path and scene_settings.is_scene(stage, self.scene_path)):
            found = scene_settings.find(stage)
            self.scene_path = "" if found is None else str(found.GetPath())
        return stage.GetPrimAtPath(self.scene_path) if self.scene_path else None

    @property
    def physics_dt(self) -> float:
        """Length of a step, s; 0 if the scene wants none."""
        rate = SceneSettings.of(self.scene()).rate if self._world is None else self._settings.rate
        return 1.0 / rate if rate else 0.0

    # -- playing ---------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Go on, or make a world of the stage as it is now; no time passes.

        Raises:
            LoadError: the stage cannot be simulated.
        """
        if self.state == PLAYING:
            return
        if self.state == STOPPED:
            self._start()
        self.state = PLAYING
        self.timeline.emit("play")

    def pause(self) -> None:
        """Let frames and steps do nothing until :meth:`play`."""
        if self.state == PLAYING:
            self.state = PAUSED
            self.timeline.emit("pause")

    def stop(self) -> None:
        """Let the world go. The stage has what it had before."""
        if self.state == STOPPED:
            return
        self.state = STOPPED
        physics_events.publish(Event.STOP)
        self._world = self._edits = self._values = None
        self.time, self.steps, self._left = 0.0, 0, 0.0
        self.timeline.emit("stop")

    def _start(self) -> None:
        self._settings = SceneSettings.of(self.scene())
        stage = stages.get_stage()
        self._world = StageWorld(
            stage, copies=clones.environments(stage), device=engine_device(self.device), **self._settings.for_world()
        )
        self._edits, self._values = StageEdits(self._world), StageValues(self._world)
        self.state = PLAYING
        if (backend := _simulated(self.backend, self._world.world.device)) != self.backend:
            log.warning("the backend is %s from now on: arrays of NumPy are not on the GPU that simulates", backend)
            self.backend = backend
        try:
            physics_events.publish(Event.PLAY)
            self._warm_up()
            for each in ("simulation_view_created", "physics_ready"):
                get_eventdispatcher().dispatch_event(f"isaac.{each}")
        except BaseException:
            self.stop()
            raise

    def _warm_up(self) -> None:
        """Two steps before anybody has a view, if the setting :data:`WARM_UP` wants them."""
        wanted = bool(get_settings().get(WARM_UP))
        self.warms_up = wanted
        try:
            if wanted:
                self.step()
            get_eventdispatcher().dispatch_event("isaac.physics_warmup")
            if wanted:
                self.step()
        finally:
            self.warms_up = False

    def take_edits(self) -> None:
        """Simulate bodies and joints that have come to the stage since the world was made, and no longer those that are
        gone, with what attributes say now; steps begin with it.

        Tensor views of before have ended then; assets and views of prims make new ones.

        Raises:
            LoadError: the stage cannot be simulated as it is now.
        """
        if self._world is None:
            return
        if self._edits and (renewed := self._edits.changed(self._world)) is not None:
            self._go_on_with(self._world, renewed)
        if self._values and self._world is not None and self._values.apply(self._world, self.scene_path):
            self.read_scene()

    def _go_on_with(self, before: StageWorld, renewed: Collection[str]) -> None:
        """Make a world of the stage as it is now, which goes on from where the one before is, but for some components.

        Its gravity and step are those that it has now.
        """
        settings = {**self._settings.for_world(), "device": before.world.device}
        world = StageWorld(before.stage, before=before, renewed=renewed, **settings)
        before.view.end()
        physics_events.publish(Event.STOP)
        self._world = world
        physics_events.publish(Event.PLAY)

    def step(self) -> None:
        """A step of physics, whether it plays or not; nothing while it is stopped or the scene wants no steps."""
        if self._world is None or not self._settings.rate:
            return
        dt = 1.0 / self._settings.rate
        self.time += dt
        self.steps += 1
        physics_steps.BEFORE.push(payload={"dt": dt})
        self.take_edits()
        if self._world is None:  # one of them has stopped it
            return
        self._world.step()
        self.stepped.emit(dt)
        physics_steps.AFTER.push(payload={"dt": dt})

    def advance(self) -> None:
        """A frame: as many steps as fit into it if it plays, and all who listen to frames are told."""
        rate = self._settings.rate
        if self.state == PLAYING and self.plays_physics and rate and self.rendering_dt:
            # what does not fit into whole steps is not made up for; of less than a step, frames are added up
            most = max(int(self.rendering_dt * rate + 1e-6), 1)
            self._left = min(self._left + self.rendering_dt * rate, most)
            for _ in range(math.floor(self._left + 1e-6)):
                self._left = max(self._left - 1.0, 0.0)
                self.step()
                if self.state != PLAYING:
                    break
        self.frame.emit(self.rendering_dt)

    # -- settings --------------------------------------------------------------------------------------------

    def read_scene(self) -> None:
        """Let the world have the gravity, step and bounce threshold of its physics scene; the rest at the next play.

        Raises:
            LoadError: an attribute has a value that it cannot have.
        """
        if self._world is None:
            return
        new = SceneSettings.of(self.scene())
        world = self._world.world
        if not self._world.is_empty:
            settings = world[c.Settings]
            if new.bounce_threshold != self._settings.bounce_threshold:
                settings.bounce_threshold = [[new.bounce_threshold]]
            if new.rate and new.rate != self._settings.rate:
                settings.timestep = [[1.0 / (new.rate * world.substeps)]]
        if new.gravity != self._settings.gravity:
            world.gravity = new.gravity
        world.dt = 1.0 / (new.rate or scene_settings.HERTZ)
        if new.rate != self._settings.rate:
            self._left = 0.0
        self._settings = new


_simulation: Simulation | None = None


def get() -> Simulation:
    """The simulation of the process."""
    global _simulation
    if _simulation is None:
        _simulation = Simulation()
    return _simulation


class LabSimulation:
    """The ``isaaclab.sim.SimulationContext`` that there is, seen as a :class:`Simulation`."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.play, self.pause, self.stop = context.play, context.pause, context.stop

    @property
    def state(self) -> str:
        """As of :class:`Simulation`."""
        return PLAYING if self.context.is_playing() else STOPPED if self.context.is_stopped() else PAUSED

    @property
    def world(self) -> StageWorld | None:
        """As of :class:`Simulation`."""
        return None if self.context.is_stopped() else self.context.stage_world

    @property
    def view(self) -> SimulationView | None:
        """As of :class:`Simulation`."""
        return self.context.physics_sim_view

    @property
    def device(self) -> str:
        """As of :class:`Simulation`."""
        return self.context.device

    @property
    def backend(self) -> str:
        """As of :class:`Simulation`."""
        return self.context.backend

    @property
    def physics_dt(self) -> float:
        """As of :class:`Simulation`."""
        return self.context.get_physics_dt()

    @property
    def rendering_dt(self) -> float:
        """As of :class:`Simulation`."""
        return self.context.get_rendering_dt()

    @property
    def time(self) -> float:
        """As of :class:`Simulation`."""
        return self.context.current_time

    @property
    def steps(self) -> int:
        """As of :class:`Simulation`."""
        return self.context.current_time_step_index

    def step(self) -> None:
        """As of :class:`Simulation`, while it plays."""
        if not self.context.is_stopped():
            self.context.step(render=False)


def current() -> Simulation | LabSimulation:
    """What simulates: the ``isaaclab.sim.SimulationContext`` if there is one, else the simulation of the process."""
    module = sys.modules.get("phalanx.facade.isaaclab.sim.simulation_context")
    context = None if module is None else module.SimulationContext.instance()
    return get() if context is None else LabSimulation(context)


def arrays() -> Backend:
    """The backend of what simulates, or will."""
    found = current()
    device = found.device if found.world is None else found.world.world.device
    name = found.backend if found.backend in backends.NAMES else "numpy"
    return Backend(name if found.world is None else _simulated(name, device), device)


def _simulated(backend: str, device: str) -> str:
    """The backend while something is simulated: torch for NumPy on a GPU, if torch is there."""
    return "torch" if backend == "numpy" and device != "cpu" and array_api(device) == "torch" else backend


def stage_world() -> StageWorld | None:
    """The world that is simulated now, whoever has made it; ``None`` if none is."""
    return current().world


def engine_device(asked: str) -> str:
    """The device of the engine for what scripts ask for: ``"cpu"``, ``"cuda"`` or ``"cuda:N"``.

    Raises:
        ValueError: it is none of these.
    """
    if asked == "cpu":
        return "cpu"
    name = "cuda:0" if asked == "cuda" else asked
    if not (name.startswith("cuda:") and name[5:].isdigit()):
        raise ValueError(f'device {asked!r}: must be "cpu", "cuda" or "cuda:N"')
    if not cuda_available():
        tell_once(f"there is no GPU for {asked}: the simulation runs on the CPU", logging.WARNING)
        return "cpu"
    return name
