"""What tasks derive from."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.scenes.scene import Scene
from phalanx.facade.isaacsim.core.api.simulation_context.simulation_context import SimulationContext
from phalanx.facade.isaacsim.core.simulation_manager import SimulationManager


class BaseTask:
    """A task: what is in the scene, what is observed of it, and when it is done.

    Args:
        name: unique in the world.
        offset: by which all of its objects are moved when they are set up, (3,), in units of the stage; not at all by
            default.

    Raises:
        RuntimeError: there is no stage.
    """

    def __init__(self, name: str, offset: Any = None) -> None:
        stages.get_stage()
        self._scene: Scene | None = None
        self._name = name
        self._offset = np.zeros(3) if offset is None else on_host(offset, float)
        self._task_objects: dict[str, Any] = {}
        found = SimulationContext.instance()
        self._device = SimulationManager.get_physics_sim_device() if found is None else found.device

    @property
    def device(self) -> str:
        """The device of the simulation."""
        return self._device

    @property
    def scene(self) -> Scene:
        """The scene of the world, once it was set up."""
        return self._scene  # pyright: ignore[reportReturnType]

    @property
    def name(self) -> str:
        """Of the task."""
        return self._name

    def set_up_scene(self, scene: Scene) -> None:
        """Add what it needs to the scene; those who derive from it call this first."""
        self._scene = scene

    def _move_task_objects_to_their_frame(self) -> None:
        """Move its objects by its offset, which is then their default state."""
        for each in self._task_objects.values():
            position = on_host(each.get_world_pose()[0], float) + self._offset
            each.set_world_pose(position=position)
            each.set_default_state(position=position)

    def get_task_objects(self) -> dict[str, Any]:
        """Its objects by their names."""
        return self._task_objects

    def get_observations(self) -> dict[str, Any]:
        """What is observed, by name."""
        raise NotImplementedError(f"{type(self).__name__} has no get_observations(); define it in the class")

    def calculate_metrics(self) -> dict[str, Any]:
        """How well it goes, by name."""
        raise NotImplementedError(f"{type(self).__name__} has no calculate_metrics(); define it in the class")

    def is_done(self) -> bool:
        """Whether it is done."""
        raise NotImplementedError(f"{type(self).__name__} has no is_done(); define it in the class")

    def pre_step(self, time_step_index: int, simulation_time: float) -> None:
        """Called before each step of the world, with the number of steps and the time, s, so far."""

    def post_reset(self) -> None:
        """Called at the end of each reset of the world."""

    def get_description(self) -> str:
        """What it is about."""
        return ""

    def cleanup(self) -> None:
        """Called in each reset of the world, before it plays again."""

    def set_params(self, *args: Any, **kwargs: Any) -> None:
        """Set what can be set of it."""
        raise NotImplementedError(f"{type(self).__name__} has no set_params(); define it in the class")

    def get_params(self) -> dict[str, dict[str, Any]]:
        """Its parameters by name: ``{"value": ..., "modifiable": ...}`` each."""
        raise NotImplementedError(f"{type(self).__name__} has no get_params(); define it in the class")


def param(value: Any, modifiable: bool) -> dict[str, Any]:
    """A parameter of :meth:`BaseTask.get_params`."""
    return {"value": value, "modifiable": modifiable}


__all__ = ["BaseTask"]
