"""The interface to surface grippers by the paths of their prims.

A gripper that is told to close looks at the next step for something to hold. Nothing is simulated before the timeline
plays: until then grippers are open, and cannot be told anything.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.isaaclab.assets.surface_gripper.gripper_view import GripperView
from phalanx.facade.stage_world import StageWorld
from phalanx.facade.surface_grippers import CLOSED, CLOSING, OPEN

log = logging.getLogger("phalanx.facade")


class GripperStatus(IntEnum):
    """What a gripper does."""

    Open = 0
    Closing = 1
    Closed = 2


_STATUS = {OPEN: GripperStatus.Open, CLOSING: GripperStatus.Closing, CLOSED: GripperStatus.Closed}


class SurfaceGripperInterface:
    """Opens and closes grippers, and tells what they hold."""

    def __init__(self) -> None:
        self._world: StageWorld | None = None
        self._views: dict[tuple[str, ...], GripperView | None] = {}

    def set_gripper_action(self, prim_path: str, action: float) -> bool:
        """Tell a gripper to close, above 0.3, or to open, below -0.3; whether it was told anything."""
        return self.set_gripper_action_batch([prim_path], [action])[0]

    def open_gripper(self, prim_path: str) -> bool:
        """Let a gripper let go; whether there is one."""
        return self.set_gripper_action(prim_path, -1.0)

    def close_gripper(self, prim_path: str) -> bool:
        """Let a gripper look for something to hold; whether there is one."""
        return self.set_gripper_action(prim_path, 1.0)

    def get_gripper_status(self, prim_path: str) -> GripperStatus:
        """What a gripper does; open if there is none."""
        return GripperStatus(self.get_gripper_status_batch([prim_path])[0])

    def get_gripped_objects(self, prim_path: str) -> list[str]:
        """Paths of the bodies that a gripper holds."""
        return self.get_gripped_objects_batch([prim_path])[0]

    def set_write_to_usd(self, write_to_usd: bool) -> bool:
        """Whether what grippers do is written to the stage: it is not, and asking for it returns ``False``."""
        if write_to_usd:
            log.warning("set_write_to_usd: what surface grippers hold is not written to the stage; ask the interface")
        return not write_to_usd

    def open_gripper_batch(self, prim_paths: Sequence[str]) -> list[bool]:
        """:meth:`open_gripper` of several."""
        return self.set_gripper_action_batch(prim_paths, [-1.0] * len(prim_paths))

    def close_gripper_batch(self, prim_paths: Sequence[str]) -> list[bool]:
        """:meth:`close_gripper` of several."""
        return self.set_gripper_action_batch(prim_paths, [1.0] * len(prim_paths))

    def set_gripper_action_batch(self, prim_paths: Sequence[str], actions: Sequence[float]) -> list[bool]:
        """:meth:`set_gripper_action` of several; nothing, and an empty list, if their numbers differ."""
        if len(prim_paths) != len(actions):
            return []
        values, told = np.asarray(actions, float), []
        whole = self._view(tuple(prim_paths))
        if whole is not None:
            whole.apply_gripper_action(values)
            return (np.abs(values) > 0.3).tolist()
        for path, value in zip(prim_paths, values, strict=True):
            view = self._view((path,))
            if view is not None:
                view.apply_gripper_action([value])
            told.append(view is not None and abs(value) > 0.3)
        return told

    def get_gripper_status_batch(self, prim_paths: Sequence[str]) -> list[int]:
        """:meth:`get_gripper_status` of several, as numbers."""
        whole = self._view(tuple(prim_paths))
        if whole is not None:
            return [int(_STATUS[int(state)]) for state in whole.states()]
        views = [self._view((path,)) for path in prim_paths]
        return [int(GripperStatus.Open if view is None else _STATUS[int(view.states()[0])]) for view in views]

    def get_gripped_objects_batch(self, prim_paths: Sequence[str]) -> list[list[str]]:
        """:meth:`get_gripped_objects` of several."""
        whole = self._view(tuple(prim_paths))
        if whole is not None:
            return whole.get_gripped_objects()
        views = [self._view((path,)) for path in prim_paths]
        return [[] if view is None else view.get_gripped_objects()[0] for view in views]

    def simulated(self, prim_paths: Sequence[str]) -> GripperView | None:
        """What is simulated of some grippers; ``None`` if that is not so of all."""
        return self._view(tuple(prim_paths))

    def _view(self, paths: tuple[str, ...]) -> GripperView | None:
        """The grippers of some prims; ``None`` if one of them is not simulated."""
        world = simulation.stage_world()
        if world is not self._world:
            self._world, self._views = world, {}
        if world is None:
            return None
        if paths not in self._views:
            places = [world.prototype(path) for path in paths]
            there = all(path in world.grippers and env is not None for path, env in places)
            self._views[paths] = GripperView(world, paths) if there else None
        return self._views[paths]


_interface = SurfaceGripperInterface()


def acquire_surface_gripper_interface(
    plugin_name: str | None = None, library_path: str | None = None
) -> SurfaceGripperInterface:
    """The interface; of what is asked for by name there is one only."""
    return _interface


def release_surface_gripper_interface(interface: SurfaceGripperInterface) -> None:
    """Nothing: grippers belong to the simulation."""
