"""Grippers of some prims, by rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import accept
from phalanx.facade.stage_world import StageWorld
from phalanx.facade.surface_grippers import CLOSED, CLOSING, OPEN, PROPERTIES, SurfaceGripper

STATUS = {OPEN: "Open", CLOSING: "Closing", CLOSED: "Closed"}


class GripperView:
    """Surface grippers of some prims; n is their number, and that of rows.

    Args:
        stage_world: where they are simulated.
        paths: of the prims.

    Raises:
        RuntimeError: a prim is no surface gripper.
    """

    def __init__(self, stage_world: StageWorld, paths: Sequence[str]) -> None:
        self.prim_paths, self._world = list(paths), stage_world
        self._rows: list[tuple[SurfaceGripper, int]] = []
        for path in paths:
            first, env = stage_world.prototype(path)
            if first not in stage_world.grippers or env is None:
                raise RuntimeError(f"<{path}> is no surface gripper: its type must be IsaacSurfaceGripper")
            self._rows.append((stage_world.grippers[first], env))

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._rows)

    def states(self) -> np.ndarray:
        """(n,): -1 open, 0 closing, 1 closed."""
        return np.array([gripper.state[env] for gripper, env in self._rows], "float32")

    def get_surface_gripper_status(self, indices: Any = None) -> list[str]:
        """``"Open"``, ``"Closing"`` or ``"Closed"`` of some of them, or all."""
        return [STATUS[int(gripper.state[env])] for gripper, env in self._chosen(indices)]

    def get_gripped_objects(self, indices: Any = None) -> list[list[str]]:
        """Paths of the prims that some of them hold, or all."""
        found = []
        for gripper, env in self._chosen(indices):
            actors = list(self._world.world.actors)
            held = (self._world.path_of(actors.index(name), 0, env) for name in gripper.held(env))
            found.append([path for path in held if path is not None])
        return found

    def apply_gripper_action(self, values: Any, indices: Any = None) -> None:
        """Tell some of them, or all, what to do, (n,): above 0.3 to close, below -0.3 to open, else nothing."""
        chosen = self._chosen(indices)
        for (gripper, env), value in zip(chosen, self._numbers("values", values, len(chosen)), strict=True):
            gripper.act(np.array([value]), np.array([env]))

    def get_surface_gripper_properties(self, indices: Any = None) -> tuple[list[float], ...]:
        """Greatest distance, m, limits of coaxial and shear force, N, and how long they try, s, of some, or all."""
        chosen = self._chosen(indices)
        return tuple([float(gripper.properties[name][env]) for gripper, env in chosen] for name in PROPERTIES)

    def set_surface_gripper_properties(
        self,
        max_grip_distance: Any = None,
        coaxial_force_limit: Any = None,
        shear_force_limit: Any = None,
        retry_interval: Any = None,
        indices: Any = None,
    ) -> None:
        """Set properties of some of them, or all, (n,) or a number each; those that are ``None`` stay.

        Raises:
            ValueError: there is another number of values, or one is negative; then nothing is changed.
        """
        given = (max_grip_distance, coaxial_force_limit, shear_force_limit, retry_interval)
        chosen = self._chosen(indices)
        values = {
            name: self._numbers(name, value, len(chosen))
            for name, value in zip(PROPERTIES, given, strict=True)
            if value is not None
        }
        for name, numbers in values.items():
            if not (numbers >= 0.0).all():
                raise ValueError(f"surface grippers: {name} has {numbers.min():g}; it must not be negative")
        for name, numbers in values.items():
            for (gripper, env), value in zip(chosen, numbers, strict=True):
                gripper.properties[name][env] = value

    def reset(self, indices: Any = None) -> None:
        """Open some of them, or all."""
        for gripper, env in self._chosen(indices):
            gripper.reset(np.array([env]))

    def _chosen(self, indices: Any) -> list[tuple[SurfaceGripper, int]]:
        if indices is None or isinstance(indices, slice):
            return self._rows[slice(None) if indices is None else indices]
        return [self._rows[int(i)] for i in np.asarray(accept(indices)).reshape(-1)]

    def _numbers(self, what: str, values: Any, count: int) -> np.ndarray:
        found = np.asarray(accept(values), float)
        if found.ndim > 1 or found.size not in (1, count):
            raise ValueError(f"surface grippers: {what} has shape {found.shape}; it must be ({count},)")
        return np.broadcast_to(found.reshape(-1), (count,))
