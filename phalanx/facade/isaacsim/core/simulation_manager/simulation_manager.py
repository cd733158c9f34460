"""The simulation as the rest of Isaac Sim's core knows it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, ClassVar

from phalanx.facade import backends, physics_steps, simulation, stage_watch
from phalanx.facade.carb.eventdispatcher import get_eventdispatcher
from phalanx.facade.isaacsim.core.simulation_manager.isaac_events import IsaacEvents
from phalanx.facade.isaacsim.core.simulation_manager.scene_attributes import Scenes, read, write
from phalanx.facade.isaacsim.core.simulation_manager.time_samples import SimulationManagerInterface
from phalanx.facade.omni.timeline import TimelineEventType, get_timeline_interface
from phalanx.facade.once import tell_once
from phalanx.facade.physx.simulation_view import SimulationView
from phalanx.facade.signals import weakly
from phalanx.facade.simulation import engine_device

_SOLVERS = ("TGS", "PGS")


class SimulationManager:
    """The simulation that the timeline plays: its world, clock, device, physics scenes, and who is told of it.

    All methods are of the class. ``physics_scene`` is the path of a scene; by default the first of the stage, or for
    setters all of them.
    """

    _callbacks: ClassVar[dict[int, Any]] = {}
    _numbers: ClassVar[Any] = itertools.count()
    _simulation_manager_interface: ClassVar[SimulationManagerInterface] = SimulationManagerInterface()

    # -- what there is ---------------------------------------------------------------------------------------

    @classmethod
    def set_backend(cls, val: str) -> None:
        """Let views hand out arrays of NumPy, torch or Warp from the next play on."""
        simulation.get().backend = backends.check(val)

    @classmethod
    def get_backend(cls) -> str:
        """Whose arrays views hand out."""
        return simulation.current().backend

    @classmethod
    def get_physics_sim_view(cls) -> SimulationView | None:
        """What makes tensor views; ``None`` while the simulation is stopped."""
        return simulation.current().view

    @classmethod
    def initialize_physics(cls) -> None:
        """Let a world be made of the stage if there is none, without playing."""
        found = simulation.current()
        if found.world is None:
            found.play()
            found.pause()

    @classmethod
    def get_simulation_time(cls) -> float:
        """Simulated seconds since it was stopped."""
        return simulation.current().time

    @classmethod
    def get_num_physics_steps(cls) -> int:
        """Steps since it was stopped."""
        return simulation.current().steps

    @classmethod
    def is_simulating(cls) -> bool:
        """Whether it plays or pauses: whether it is not stopped."""
        return simulation.current().state != simulation.STOPPED

    @classmethod
    def is_paused(cls) -> bool:
        """Whether it pauses."""
        return simulation.current().state == simulation.PAUSED

    @classmethod
    def step(cls, render: bool = False) -> None:
        """A step of physics.

        Raises:
            ValueError: something is to be rendered.
        """
        if render:
            raise ValueError("SimulationManager.step() does not render: use SimulationContext.step()")
        simulation.current().step()

    @classmethod
    def assets_loading(cls) -> bool:
        """Whether files are being loaded: no, nothing is loaded in the background."""
        return False

    # -- device ----------------------------------------------------------------------------------------------

    @classmethod
    def set_physics_sim_device(cls, val: str) -> None:
        """Simulate on a device from the next play on: ``"cpu"``, ``"cuda"`` or ``"cuda:N"``.

        Without a GPU the simulation runs on the CPU, and a warning says so.

        Raises:
            ValueError: it is none of these.
        """
        found = simulation.get()
        found.device = engine_device(val.lower())
        on_gpu = found.device != "cpu"
        for path in Scenes.paths():
            scene = Scenes.prim(path)
            write(scene, "broadphaseType", "GPU" if on_gpu else "MBP")
            write(scene, "enableGPUDynamics", on_gpu)
            if on_gpu:
                write(scene, "enableCCD", False)

    @classmethod
    def get_physics_sim_device(cls) -> str:
        """The device of the simulation that runs, or of the next one."""
        found = simulation.current()
        return found.device if found.world is None else found.world.world.device

    # -- physics scenes --------------------------------------------------------------------------------------

    @classmethod
    def set_default_physics_scene(cls, physics_scene_prim_path: str) -> None:
        """Let a physics scene be the one that counts.

        Raises:
            ValueError: there is none at the path.
        """
        Scenes.prim(physics_scene_prim_path)
        simulation.get().scene_path = physics_scene_prim_path
        simulation.get().read_scene()

    @classmethod
    def get_default_physics_scene(cls) -> str | None:
        """Path of the physics scene that counts; ``None`` if there is none."""
        scene = Scenes.prim()
        return None if scene is None else str(scene.GetPath())

    @classmethod
    def set_physics_dt(cls, dt: float = 1.0 / 60.0, physics_scene: str | None = None) -> None:
        """Let steps be so long, s; 0: there are none. A scene keeps a whole number of steps per second.

        Raises:
            ValueError: it is negative, above 1, or not a number.
        """
        if not dt >= 0.0:  # also what is no number
            raise ValueError(f"physics dt must be >= 0, not {dt:g}")
        if dt > 1.0:
            raise ValueError(f"physics dt must be <= 1.0, not {dt:g}")
        rate = int(1.0 / dt + 1e-6) if dt else 0
        cls._write("timeStepsPerSecond", rate, physics_scene)

    @classmethod
    def get_physics_dt(cls, physics_scene: str | None = None) -> float:
        """Length of a step, s."""
        if physics_scene is None:
            return simulation.current().physics_dt
        rate = cls._read("timeStepsPerSecond", physics_scene)
        return 1.0 / rate if rate else 0.0

    @classmethod
    def get_broadphase_type(cls, physics_scene: str | None = None) -> str:
        """What was set; the engine has one way of its own."""
        return cls._read("broadphaseType", physics_scene)

    @classmethod
    def set_broadphase_type(cls, val: str, physics_scene: str | None = None) -> None:
        """Keep what is set; the engine has one way of its own."""
        cls._write("broadphaseType", val, physics_scene)

    @classmethod
    def enable_ccd(cls, flag: bool, physics_scene: str | None = None) -> None:
        """Keep whether fast bodies are kept from tunnelling; the engine always keeps them from it."""
        if flag and cls.get_physics_sim_device() != "cpu":
            tell_once("CCD is not supported on GPUs, and not needed: the engine keeps fast bodies from tunnelling")
            return
        cls._write("enableCCD", bool(flag), physics_scene)

    @classmethod
    def is_ccd_enabled(cls, physics_scene: str | None = None) -> bool:
        """What was set."""
        return cls._read("enableCCD", physics_scene)

    @classmethod
    def enable_gpu_dynamics(cls, flag: bool, physics_scene: str | None = None) -> None:
        """Keep what is set; the device decides where the engine computes."""
        cls._write("enableGPUDynamics", bool(flag), physics_scene)
        if flag:
            cls._write("enableCCD", False, physics_scene)

    @classmethod
    def is_gpu_dynamics_enabled(cls, physics_scene: str | None = None) -> bool:
        """What was set."""
        return cls._read("enableGPUDynamics", physics_scene)

    @classmethod
    def enable_fabric(cls, enable: bool) -> None:
        """Keep what is set; there is no Fabric."""
        cls._fabric = bool(enable)

    _fabric: ClassVar[bool] = False

    @classmethod
    def is_fabric_enabled(cls, enable: Any = None) -> bool:
        """What was set."""
        return cls._fabric

    @classmethod
    def set_solver_type(cls, solver_type: str, physics_scene: str | None = None) -> None:
        """Solve by ``"TGS"`` or ``"PGS"`` from the next play on.

        Raises:
            ValueError: it is neither.
        """
        if solver_type not in _SOLVERS:
            raise ValueError(f'solver type {solver_type!r} is not supported; it must be "TGS" or "PGS"')
        cls._write("solverType", solver_type, physics_scene)

    @classmethod
    def get_solver_type(cls, physics_scene: str | None = None) -> str:
        """``"TGS"`` or ``"PGS"``."""
        return cls._read("solverType", physics_scene)

    @classmethod
    def enable_stablization(cls, flag: bool, physics_scene: str | None = None) -> None:
        """Keep what is set; bodies have stabilization thresholds of their own."""
        cls._write("enableStabilization", bool(flag), physics_scene)

    @classmethod
    def is_stablization_enabled(cls, physics_scene: str | None = None) -> bool:
        """What was set."""
        return cls._read("enableStabilization", physics_scene)

    @classmethod
    def _read(cls, name: str, path: str | None) -> Any:
        scene = Scenes.prim(path)
        if scene is None:
            raise RuntimeError("there is no physics scene on the stage: make a SimulationContext or a PhysicsContext")
        return read(scene, name)

    @classmethod
    def _write(cls, name: str, value: Any, path: str | None) -> None:
        for each in Scenes.paths() if path is None else [path]:
            write(Scenes.prim(each), name, value)

    # -- who is told -----------------------------------------------------------------------------------------

    @classmethod
    def register_callback(
        cls, callback: Callable[[Any], Any], event: IsaacEvents, order: int = 0, name: str | None = None
    ) -> int:
        """Call a function when something happens. Objects whose methods are given are not kept alive.

        Args:
            callback: gets an event; the length of the step for steps, the path for deletions of prims.
            event: what happens.
            order: lower ones first.
            name: no meaning.

        Returns:
            A number for :meth:`deregister_callback`.

        Raises:
            ValueError: ``event`` is none of :class:`IsaacEvents`.
        """
        function = weakly(callback)
        if not isinstance(event, IsaacEvents):
            raise ValueError(f"register_callback: there is no event {event!r}; it must be one of IsaacEvents")
        if event in (IsaacEvents.PRE_PHYSICS_STEP, IsaacEvents.POST_PHYSICS_STEP):
            stream = physics_steps.BEFORE if event is IsaacEvents.PRE_PHYSICS_STEP else physics_steps.AFTER
            listener = stream.create_subscription_to_pop(
                lambda it: None if simulation.get().warms_up else function(it.payload["dt"]), order
            )
        elif event is IsaacEvents.TIMELINE_STOP:
            stream = get_timeline_interface().get_timeline_event_stream()
            listener = stream.create_subscription_to_pop_by_type(TimelineEventType.STOP, function, order)
        elif event is IsaacEvents.PRIM_DELETION:
            listener = stage_watch.get().removed.subscribe(function, order)
        else:
            listener = get_eventdispatcher().observe_event(order, event.value, function)
        number = next(cls._numbers)
        cls._callbacks[number] = listener
        return number

    @classmethod
    def deregister_callback(cls, callback_id: int) -> None:
        """Call it no more.

        Raises:
            ValueError: there is none of the number.
        """
        if callback_id not in cls._callbacks:
            raise ValueError(f"deregister_callback: there is no callback with the number {callback_id}")
        cls._callbacks.pop(callback_id).unsubscribe()

    @classmethod
    def publish(cls, event: IsaacEvents, **payload: Any) -> None:
        """Tell those who registered for an event, or observe it by its name; what simulates calls it."""
        get_eventdispatcher().dispatch_event(event.value, payload)

    @classmethod
    def enable_usd_notice_handler(cls, flag: bool) -> None:
        """Nothing: edits of the stage are always seen."""

    @classmethod
    def enable_fabric_usd_notice_handler(cls, stage_id: int, flag: bool) -> None:
        """Nothing: there is no Fabric."""

    @classmethod
    def is_fabric_usd_notice_handler_enabled(cls, stage_id: int) -> bool:
        """Whether Fabric sees edits of the stage: there is none."""
        return False

    @classmethod
    def enable_all_default_callbacks(cls, enable: bool = True) -> None:
        """Nothing: what the simulation does when it plays and stops cannot be switched off."""


__all__ = ["SimulationManager"]
