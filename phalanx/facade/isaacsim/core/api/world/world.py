"""A simulation with a scene of objects, tasks and a data logger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phalanx.facade.carb.eventdispatcher import get_eventdispatcher
from phalanx.facade.isaacsim.core.api.loggers.data_logger import DataLogger
from phalanx.facade.isaacsim.core.api.scenes.scene import Scene
from phalanx.facade.isaacsim.core.api.simulation_context.simulation_context import SimulationContext
from phalanx.facade.isaacsim.core.simulation_manager import IsaacEvents
from phalanx.io.formats.usd.bindings import Stage


class World(SimulationContext):
    """The simulation of the current stage, with objects that have names, and tasks; there is one.

    Args:
        physics_dt, rendering_dt, stage_units_in_meters, physics_prim_path, sim_params, set_defaults, backend, device,
            stage: see :class:`SimulationContext`.
    """

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
        super().__init__(
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
        self._task_scene_built = False
        self._current_tasks: dict[str, Any] = {}
        self._scene = Scene()
        self._data_logger = DataLogger()

    @classmethod
    def clear_instance(cls) -> None:
        """Let there be none, and forget its scene; see :meth:`SimulationContext.clear_instance`."""
        found = SimulationContext._instance
        if isinstance(found, World) and hasattr(found, "_scene"):
            del found._scene
        super().clear_instance()

    # -- what it has -----------------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene:
        """The objects."""
        return self._scene

    @property
    def dc_interface(self) -> Any:
        """The interface of dynamic control, which Isaac Sim no longer has.

        Raises:
            NotImplementedError: always; use views of articulations.
        """
        raise NotImplementedError("World.dc_interface: dynamic control is gone from Isaac Sim, too; use Articulation")

    def get_data_logger(self) -> DataLogger:
        """What records data at each step."""
        return self._data_logger

    # -- tasks -----------------------------------------------------------------------------------------------

    def add_task(self, task: Any) -> None:
        """Add a task, before the first reset or after :meth:`clear`.

        Raises:
            ValueError: there is one of its name.
        """
        if task.name in self._current_tasks:
            raise ValueError(f"Task name should be unique in the world: there is a task {task.name!r}")
        self._current_tasks[task.name] = task

    def get_task(self, name: str) -> Any:
        """The task of a name.

        Raises:
            ValueError: there is none.
        """
        if name not in self._current_tasks:
            known = ", ".join(self._current_tasks) or "none"
            raise ValueError(f"task name {name!r} doesn't exist in the current world tasks; there are {known}")
        return self._current_tasks[name]

    def get_current_tasks(self) -> dict[str, Any]:
        """All tasks by their names."""
        return self._current_tasks

    def is_tasks_scene_built(self) -> bool:
        """Whether tasks have set up their scenes."""
        return self._task_scene_built

    def get_observations(self, task_name: str | None = None) -> dict[str, Any]:
        """Observations of a task, or of all in one dictionary; of equal keys those of later tasks count."""
        return self._of_tasks("get_observations", task_name)

    def calculate_metrics(self, task_name: str | None = None) -> dict[str, Any]:
        """Metrics of a task, or of all in one dictionary; of equal keys those of later tasks count."""
        return self._of_tasks("calculate_metrics", task_name)

    def _of_tasks(self, what: str, task_name: str | None) -> Any:
        if task_name is not None:
            return getattr(self.get_task(task_name), what)()
        found: dict[str, Any] = {}
        for task in self._current_tasks.values():
            found.update(getattr(task, what)())
        return found

    def is_done(self, task_name: str | None = None) -> bool:
        """Whether a task, or all of them, are done; without tasks it is so."""
        if task_name is not None:
            return self.get_task(task_name).is_done()
        return all([task.is_done() for task in self._current_tasks.values()])

    # -- playing ---------------------------------------------------------------------------------------------

    def initialize_physics(self) -> None:
        """Play, if it is stopped, and let objects look up what is simulated of them."""
        super().initialize_physics()
        self._scene._finalize(self.physics_sim_view)

    def reset(self, soft: bool = False) -> None:
        """Put everything back into its default state.

        Tasks set up their scenes, the first time; then it stops, tasks clean up, it plays, objects look up what is
        simulated of them and go back to their default states, and tasks hear of it. No time passes.

        Args:
            soft: keep the world that there is: neither stop nor play.
        """
        if not self._task_scene_built:
            for task in self._current_tasks.values():
                task.set_up_scene(self.scene)
            self._task_scene_built = True
        if not soft:
            self.stop()
        self._clean_up()
        super().reset(soft)
        self._put_back()

    def _clean_up(self) -> None:
        for task in self._current_tasks.values():
            task.cleanup()

    def _put_back(self) -> None:
        self._scene._finalize(self.physics_sim_view)
        self._scene.post_reset()
        for task in self._current_tasks.values():
            task.post_reset()

    async def reset_async_set_up_scene(self, soft: bool = False) -> None:
        """Let tasks set up their scenes."""
        for task in self._current_tasks.values():
            task.set_up_scene(self.scene)

    async def reset_async_no_set_up_scene(self, soft: bool = False) -> None:
        """:meth:`reset` without scenes being set up; views outside of the scene go back, too."""
        if not soft:
            await self.stop_async()
        self._clean_up()
        await super().reset_async(soft)
        get_eventdispatcher().dispatch_event(IsaacEvents.POST_RESET.value)
        self._put_back()

    async def reset_async(self, soft: bool = False) -> None:
        """See :meth:`reset`; views outside of the scene go back, too."""
        if not self._task_scene_built:
            await self.reset_async_set_up_scene(soft)
            self._task_scene_built = True
        await self.reset_async_no_set_up_scene(soft)

    def step(self, render: bool = True, step_sim: bool = True, update_fabric: bool = False) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Call tasks, step, and record.

        Args:
            render: see :meth:`SimulationContext.step`.
            step_sim: whether to step, rather than only to call tasks and to record.
            update_fabric: no meaning.

        Raises:
            RuntimeError: the data logger was started without a function for its frames.
        """
        if self._task_scene_built and self._current_tasks:
            self._before_step()
        if step_sim:
            super().step(render)
        if not self._data_logger._pause:
            self._record()

    def step_async(self, step_size: float | None = None) -> None:
        """Call tasks and record, without a step: that is the application's business. It is no coroutine."""
        if self._task_scene_built:
            self._before_step()
        if self._data_logger.is_started():
            self._record()

    def _before_step(self) -> None:
        for task in self._current_tasks.values():
            task.pre_step(self.current_time_step_index, self.current_time)

    def _record(self) -> None:
        function = self._data_logger._data_frame_logging_func
        if function is None:
            raise RuntimeError("You need to add data logging function before starting the data logger")
        data = function(tasks=self.get_current_tasks(), scene=self.scene)
        self._data_logger.add_data(data, self.current_time_step_index, self.current_time)

    def clear(self) -> None:
        """Delete objects with their prims, forget tasks and what was recorded, and clear the stage."""
        self.scene.clear()
        self._current_tasks = {}
        self._task_scene_built = False
        self._data_logger = DataLogger()
        super().clear()


__all__ = ["World"]
