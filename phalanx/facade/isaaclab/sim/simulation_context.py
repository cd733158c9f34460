"""The simulation of a process: it makes a world of the stage, steps it, and tells assets about it."""

from __future__ import annotations

import contextlib
import enum
import logging
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from phalanx.ecs.device import cuda_available
from phalanx.facade import physics_events, physics_steps, stage, viewpoint
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.event_streams import Event as TimelineEvent
from phalanx.facade.isaaclab.sim.callbacks import Callbacks
from phalanx.facade.isaaclab.sim.physics_context import PhysicsContext
from phalanx.facade.isaaclab.sim.simulation_cfg import SimulationCfg
from phalanx.facade.isaacsim.core.simulation_manager import IsaacEvents, SimulationManager
from phalanx.facade.isaacsim.core.utils.viewports import set_camera_view
from phalanx.facade.isaacsim.core.version import VERSION
from phalanx.facade.omni.kit.app import App, get_app
from phalanx.facade.omni.timeline import TimelineEventType, get_timeline_interface
from phalanx.facade.once import tell_once
from phalanx.facade.physics_events import Event
from phalanx.facade.physx import SimulationView
from phalanx.facade.signals import weakly
from phalanx.facade.stage_world import StageWorld
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, Stage, UsdPhysics
from phalanx.world import checking, settings

logger = logging.getLogger("phalanx.facade")

POSITION_ITERATIONS, VELOCITY_ITERATIONS = 4, 1
"""Of actors that do not say."""

DTYPE = "float32"
"""Of the worlds that are made."""


class SimulationContext(Callbacks):
    """The simulation; there is one at a time.

    Creating another one hands out the one that there is, until :meth:`clear_instance`, or until another stage than the
    simulated one is opened, which ends it as in Isaac Sim. The stage that is current when it is created is simulated.
    :meth:`reset` makes a world of it, tells assets, and from then on it plays.

    Args:
        cfg: settings; the defaults of :class:`SimulationCfg` by default.

    Raises:
        ValueError: a setting is not one that can be.
    """

    class RenderMode(enum.IntEnum):
        """Whether cameras can be asked for pictures of the scene; none is drawn before somebody asks."""

        NO_GUI_OR_RENDERING = -1
        NO_RENDERING = 0
        PARTIAL_RENDERING = 1
        FULL_RENDERING = 2

    _instance: ClassVar[SimulationContext | None] = None

    def __new__(cls, cfg: SimulationCfg | None = None) -> SimulationContext:
        """The one that there is, or a new one."""
        return super().__new__(cls) if cls._instance is None else cls._instance

    def __init__(self, cfg: SimulationCfg | None = None) -> None:
        if SimulationContext._instance is self:
            if cfg is not None:
                text = "there is a SimulationContext already, which keeps its settings; call clear_instance() first"
                tell_once(text, logging.WARNING)
            return
        super().__init__()
        cfg = SimulationCfg() if cfg is None else cfg
        _check(cfg)
        self.cfg = cfg
        self.carb_settings = get_settings()
        """The application's settings, as ``carb.settings.get_settings()``."""
        offscreen = self.carb_settings.get_as_bool("/isaaclab/render/offscreen")
        mode = SimulationContext.RenderMode
        self.render_mode = mode.PARTIAL_RENDERING if offscreen else mode.NO_GUI_OR_RENDERING
        self._device = _device(cfg.device)
        self._stage = stage.make_stage() if cfg.create_stage_in_memory else stage.get_stage()
        self._world: StageWorld | None = None
        self._playing, self._stopped = False, True
        self._steps = 0
        self._timeline = get_timeline_interface()  # Isaac Lab's own tests reach for it
        self._app_control_on_stop_handle: Any = None  # stopping never holds the script, as in Isaac Lab's terminal
        self._disable_app_control_on_stop_handle = False
        self._physics_scene()
        self._opened = stage.changed.subscribe(weakly(self._on_stage), order=10)
        SimulationContext._instance = self

    # -- the one ---------------------------------------------------------------------------------------------

    @classmethod
    def instance(cls) -> SimulationContext | None:
        """The simulation that there is."""
        return SimulationContext._instance

    @classmethod
    def clear_instance(cls) -> None:
        """End the simulation that there is: its world and its callbacks are let go, assets are told that it stopped.

        Assets and sensors that were made for it hear of no later one, even where somebody still holds them.
        """
        found = SimulationContext._instance
        if found is None:
            return
        found.stop()
        found.clear_all_callbacks()
        physics_events.clear()
        get_settings().set("/isaaclab/render/rtx_sensors", False)
        SimulationContext._instance = None

    def _on_stage(self) -> None:
        """Another stage was opened, or this one was closed."""
        opened = stage.process_stage()
        if SimulationContext._instance is not self or opened is None or opened == self._stage:
            return
        logger.warning("a new stage was opened, which ends the SimulationContext of the one before: make another one")
        SimulationContext.clear_instance()

    def clear(self) -> None:
        """Remove the prims from the stage: all but the physics scenes, what is below and above them."""
        from phalanx.facade.isaaclab.sim.utils.stage import clear_stage

        if not self._stage:  # it has been closed
            return
        scenes = [prim.GetPath() for prim in self._stage.Traverse() if prim.IsA(UsdPhysics.Scene)]

        def goes(prim: Prim) -> bool:
            path = prim.GetPath()
            return not any(path.HasPrefix(scene) or scene.HasPrefix(path) for scene in scenes)

        with stage.use_stage(self._stage):
            clear_stage(goes)

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def device(self) -> str:
        """``"cpu"`` or ``"cuda:N"``."""
        return self._device

    @property
    def backend(self) -> str:
        """What arrays are: the name of the array API, :func:`phalanx.facade.array_api`."""
        from phalanx.facade import array_api

        return array_api(self._device)

    @property
    def stage(self) -> Stage:
        """The stage that is simulated."""
        return self._stage

    def get_initial_stage(self) -> Stage:
        """The stage that was current when the simulation was made."""
        return self._stage

    @property
    def stage_world(self) -> StageWorld:
        """The world that the stage became.

        Raises:
            RuntimeError: before :meth:`reset`, or after :meth:`stop`.
        """
        if self._world is None:
            raise RuntimeError("the simulation has no world yet: call sim.reset() first")
        return self._world

    @property
    def current_time(self) -> float:
        """Simulated seconds since the last reset."""
        return self._steps * self.cfg.dt

    @property
    def current_time_step_index(self) -> int:
        """Steps of physics since the last reset."""
        return self._steps

    def get_physics_dt(self) -> float:
        """Length of a step of physics, s."""
        return self.cfg.dt

    def get_rendering_dt(self) -> float:
        """Time between rendered steps, s."""
        return self.cfg.dt * self.cfg.render_interval

    @property
    def physics_sim_view(self) -> SimulationView | None:
        """What makes tensor views of the world by paths of prims; ``None`` when it is stopped."""
        return None if self._world is None or self._world.is_empty else self._world.view

    @property
    def _gravity_tensor(self) -> Any:
        """Gravity of the settings as a torch tensor (3,), m/s^2, which tasks of drones reach for."""
        import torch

        return torch.tensor(self.cfg.gravity, dtype=torch.float32, device=self._device)

    @property
    def app(self) -> App:
        """The application, ``omni.kit.app.get_app()``."""
        return get_app()

    def get_version(self) -> tuple[int, int, int]:
        """The version of Isaac Sim that scripts may expect the behaviour of."""
        major, minor, patch = map(int, VERSION.split("."))
        return (major, minor, patch)

    def has_gui(self) -> bool:
        """Whether there is a window: no."""
        return False

    def has_rtx_sensors(self) -> bool:
        """Whether a camera was made for this simulation, or the setting ``/isaaclab/render/rtx_sensors`` says so."""
        return get_settings().get_as_bool("/isaaclab/render/rtx_sensors")

    def is_fabric_enabled(self) -> bool:
        """Whether poses are mirrored outside of the stage: no."""
        return False

    def get_physics_context(self) -> PhysicsContext:
        """Its physics scene: gravity, the step, the solver."""
        return PhysicsContext(self)

    # -- settings --------------------------------------------------------------------------------------------

    def set_setting(self, name: str, value: Any) -> None:
        """Set a setting of the application, ``"/physics/..."``; see ``carb.settings``.

        Raises:
            ValueError: the value is neither a bool, an int, a float, a text, nor a list of them.
        """
        try:
            get_settings().set(name, value)
        except TypeError as error:
            raise ValueError(f"Unsupported value type for setting '{name}': {type(value)}") from error

    def get_setting(self, name: str) -> Any:
        """The value of a setting, ``None`` if it was never set."""
        return get_settings().get(name)

    def set_camera_view(
        self,
        eye: Sequence[float],
        target: Sequence[float],
        camera_prim_path: str = viewpoint.PATH,
    ) -> None:
        """Place a camera of the stage, and let it look at a point; that of the main window only if cameras are enabled.

        Args:
            eye: where it is in the world, (3,), m.
            target: what it looks at, (3,).
            camera_prim_path: the camera.

        Raises:
            ValueError: there is no camera at the path, or no orientation looks from ``eye`` at ``target``.
        """
        if camera_prim_path == viewpoint.PATH:
            if self.render_mode < SimulationContext.RenderMode.PARTIAL_RENDERING:
                tell_once("set_camera_view: there is no viewer, so that it has no effect (without --enable_cameras)")
                return
            viewpoint.find_or_make(self._stage)
        with stage.use_stage(self._stage):
            set_camera_view(eye, target, camera_prim_path)

    def set_render_mode(self, mode: RenderMode) -> None:
        """Keep a mode."""
        self.render_mode = SimulationContext.RenderMode(mode)

    # -- playing ---------------------------------------------------------------------------------------------

    def is_playing(self) -> bool:
        """Whether steps simulate."""
        return self._playing

    def is_stopped(self) -> bool:
        """Whether there is no world: before the first reset, and after a stop."""
        return self._stopped

    def reset(self, soft: bool = False) -> None:
        """Make a world of the stage as it is now, tell assets, and play; no time passes.

        Args:
            soft: keep the world that there is, and put it back into its first state.

        Raises:
            LoadError: the stage cannot be simulated.
        """
        if soft and self._world is not None:
            self._world.reset()
            self._steps = 0
            self._playing, self._stopped = True, False
            return
        kept = [] if self._world is None else self._world.geometries()  # what has not changed is not prepared anew
        self.stop()
        self._world = StageWorld(self._stage, physics_events.patterns(), **self._world_settings())
        del kept
        self._steps = 0
        self._playing, self._stopped = True, False
        try:
            physics_events.publish(Event.PLAY)
        except BaseException:
            self.stop()
            raise
        SimulationManager.publish(IsaacEvents.PHYSICS_WARMUP)
        SimulationManager.publish(IsaacEvents.SIMULATION_VIEW_CREATED)
        SimulationManager.publish(IsaacEvents.PHYSICS_READY)
        self._tell(TimelineEventType.PLAY)

    def _tell(self, kind: TimelineEventType) -> None:
        """Tell callbacks and who subscribed to the timeline that it plays, pauses or has stopped."""
        self._call("timeline", TimelineEvent(kind))
        get_timeline_interface().get_timeline_event_stream().push(kind)

    def play(self) -> None:
        """Go on, or start as :meth:`reset` does if there is no world."""
        if self._stopped:
            self.reset()
        elif not self._playing:
            self._playing = True
            self._tell(TimelineEventType.PLAY)

    def pause(self) -> None:
        """Let steps do nothing until :meth:`play`."""
        if self._playing:
            self._playing = False
            self._tell(TimelineEventType.PAUSE)

    def stop(self) -> None:
        """Let the world go, and tell assets."""
        if self._stopped:
            return
        self._playing, self._stopped = False, True
        physics_events.publish(Event.STOP)
        self._tell(TimelineEventType.STOP)
        self._world = None

    def step(self, render: bool = True) -> None:
        """Simulate a step of physics; nothing happens while it is paused.

        While it is stopped, so before the first :meth:`reset`, only render callbacks are called, and a warning says so.

        Args:
            render: also call render callbacks. Nothing is drawn.
        """
        world = self._world
        if world is None:
            tell_once(
                "step() simulates nothing while the simulation is stopped: call sim.reset() first", logging.WARNING
            )
            if render:
                self.render()
            return
        if not self._playing:
            return
        self._call("physics", self.cfg.dt)
        physics_steps.BEFORE.push(payload={"dt": self.cfg.dt})
        world.step()
        self._steps += 1
        physics_steps.AFTER.push(payload={"dt": self.cfg.dt})
        if render:
            self.render()

    def forward(self) -> None:
        """Make poses agree with what was written; here they always do."""

    def render(self, mode: RenderMode | None = None) -> None:
        """Call render callbacks; nothing is drawn."""
        if mode is not None:
            self.set_render_mode(mode)
        self._call("render", TimelineEvent(payload={"dt": self.get_rendering_dt()}))
        get_app().push_update(self.get_rendering_dt())

    # -- making the world ------------------------------------------------------------------------------------

    def _physics_scene(self) -> None:
        """The prim that says what physics there is, and the material of what has none."""
        cfg = self.cfg
        path = Sdf.Path(cfg.physics_prim_path)
        scene = UsdPhysics.Scene.Define(self._stage, path)
        size = sum(g * g for g in cfg.gravity) ** 0.5
        down = tuple(g / size for g in cfg.gravity) if size else (0.0, 0.0, -1.0)
        scene.CreateGravityDirectionAttr(Gf.Vec3f(*down))
        scene.CreateGravityMagnitudeAttr(size)
        prim = scene.GetPrim()
        prim.AddAppliedSchema("PhysxSceneAPI")
        rate = prim.CreateAttribute("physxScene:timeStepsPerSecond", Sdf.ValueTypeNames.UInt)
        rate.Set(max(1, round(1.0 / cfg.dt)))
        if cfg.physics_material is not None:
            from phalanx.facade.isaaclab.sim.utils import bind_physics_material

            material = f"{path}/defaultMaterial"
            if not self._stage.GetPrimAtPath(material):
                with stage.use_stage(self._stage):
                    cfg.physics_material.func(material, cfg.physics_material)
            bind_physics_material(str(path), material, stage=self._stage)

    def _world_settings(self) -> dict[str, Any]:
        cfg, physx = self.cfg, self.cfg.physx
        position = min(max(POSITION_ITERATIONS, physx.min_position_iteration_count), physx.max_position_iteration_count)
        velocity = min(max(VELOCITY_ITERATIONS, physx.min_velocity_iteration_count), physx.max_velocity_iteration_count)
        return {
            "device": self._device,
            "dt": cfg.dt,
            "gravity": cfg.gravity,
            "position_iterations": position,
            "velocity_iterations": velocity,
            "bounce_threshold": physx.bounce_threshold_velocity,
            "solver": ("pgs", "tgs")[physx.solver_type],
        }


def _check(cfg: SimulationCfg) -> None:
    physx = cfg.physx
    try:
        settings.timestep(cfg.dt, 1, DTYPE)
        settings.gravity(cfg.gravity, DTYPE)
    except ValueError as error:
        raise ValueError(f"SimulationCfg.{error}") from None
    checking.whole("SimulationCfg.render_interval", cfg.render_interval, 1)
    for name in ("bounce_threshold_velocity", "friction_offset_threshold", "friction_correlation_distance"):
        settings.length(DTYPE, f"PhysxCfg.{name}", getattr(physx, name))
    if physx.solver_type not in (0, 1):
        raise ValueError(f"PhysxCfg.solver_type={physx.solver_type}: must be 0 (PGS) or 1 (TGS)")
    for name, least in (("position", 1), ("velocity", 0)):
        low, high = (
            checking.whole(f"PhysxCfg.{key}", getattr(physx, key), least, 255)
            for key in (f"{end}_{name}_iteration_count" for end in ("min", "max"))
        )
        if low > high:
            raise ValueError(
                f"PhysxCfg.min_{name}_iteration_count={low} and max_{name}_iteration_count={high}: "
                "the first must not be above the second"
            )


def _device(asked: str) -> str:
    """The device of the engine for what scripts ask for."""
    if asked == "cpu":
        return "cpu"
    if asked == "cuda":
        asked = "cuda:0"
    if not (asked.startswith("cuda:") and asked[5:].isdigit()):
        raise ValueError(f'SimulationCfg.device={asked!r}: must be "cpu", "cuda" or "cuda:N"')
    if not cuda_available():
        tell_once(f"there is no GPU for {asked}: the simulation runs on the CPU", logging.WARNING)
        return "cpu"
    return asked


@contextlib.contextmanager
def build_simulation_context(
    create_new_stage: bool = True,
    gravity_enabled: bool = True,
    device: str = "cuda:0",
    dt: float = 0.01,
    sim_cfg: SimulationCfg | None = None,
    add_ground_plane: bool = False,
    add_lighting: bool = False,
    auto_add_lighting: bool = False,
) -> Iterator[SimulationContext]:
    """A simulation for the length of a ``with`` block, after which there is none.

    Args:
        create_new_stage: simulate a new stage rather than the current one.
        gravity_enabled, device, dt: settings, if ``sim_cfg`` is not given.
        sim_cfg: settings.
        add_ground_plane: spawn a ground at ``/World/defaultGroundPlane``.
        add_lighting, auto_add_lighting: spawn a light at ``/World/defaultDomeLight``; the latter only with a window.
    """
    from phalanx.facade.isaaclab.sim import spawners

    SimulationContext.clear_instance()
    if create_new_stage:
        stage.new_stage()
    if sim_cfg is None:
        gravity = (0.0, 0.0, -9.81) if gravity_enabled else (0.0, 0.0, 0.0)
        sim_cfg = SimulationCfg(device=device, dt=dt, gravity=gravity)
    try:
        sim = SimulationContext(sim_cfg)
        if add_ground_plane:
            ground = spawners.GroundPlaneCfg()
            ground.func("/World/defaultGroundPlane", ground)
        if add_lighting or (auto_add_lighting and sim.has_gui()):
            light = spawners.DomeLightCfg(color=(0.3, 0.3, 0.3), intensity=500.0)
            light.func("/World/defaultDomeLight", light)
        yield sim
    finally:
        SimulationContext.clear_instance()
