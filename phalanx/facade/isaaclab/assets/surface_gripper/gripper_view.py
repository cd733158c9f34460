"""Grippers of some prims, by rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import accept
from phalanx.facade.isaaclab.assets.buffers import refuse_outside
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
        found: list[SurfaceGripper] = []
        envs: list[int] = []
        for path in paths:
            first, env = stage_world.prototype(path)
            if first not in stage_world.grippers or env is None:
                raise RuntimeError(f"<{path}> is no surface gripper: its type must be IsaacSurfaceGripper")
            found.append(stage_world.grippers[first])
            envs.append(env)
        self._grippers = list(dict.fromkeys(found))
        number = {gripper: i for i, gripper in enumerate(self._grippers)}
        self._which = np.array([number[gripper] for gripper in found], int)
        self._envs = np.array(envs, int)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._envs)

    def states(self) -> np.ndarray:
        """(n,): -1 open, 0 closing, 1 closed."""
        return self._values(None, lambda gripper: gripper.state).astype("float32")

    def get_surface_gripper_status(self, indices: Any = None) -> list[str]:
        """``"Open"``, ``"Closing"`` or ``"Closed"`` of some of them, or all."""
        return [STATUS[int(state)] for state in self._values(indices, lambda gripper: gripper.state)]

    def get_gripped_objects(self, indices: Any = None) -> list[list[str]]:
        """Paths of the prims that some of them hold, or all."""
        found, actors = [], list(self._world.world.actors)
        for row in self._rows(indices):
            env = int(self._envs[row])
            names = self._grippers[self._which[row]].held(env)
            held = (self._world.path_of(actors.index(name), 0, env) for name in names)
            found.append([path for path in held if path is not None])
        return found

    def apply_gripper_action(self, values: Any, indices: Any = None) -> None:
        """Tell some of them, or all, what to do, (n,): above 0.3 to close, below -0.3 to open, else nothing."""
        chosen = self._rows(indices)
        numbers = self._numbers("values", values, len(chosen))
        for gripper, places, envs in self._by_gripper(chosen):
            gripper.act(numbers[places], envs)

    def get_surface_gripper_properties(self, indices: Any = None) -> tuple[list[float], ...]:
        """Greatest distance, m, limits of coaxial and shear force, N, and how long they try, s, of some, or all."""
        return tuple(
            self._values(indices, lambda gripper, n=name: gripper.properties[n]).tolist() for name in PROPERTIES
        )

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
        chosen = self._rows(indices)
        values = {
            name: self._numbers(name, value, len(chosen))
            for name, value in zip(PROPERTIES, given, strict=True)
            if value is not None
        }
        for name, numbers in values.items():
            if not (numbers >= 0.0).all():
                raise ValueError(f"surface grippers: {name} has {numbers.min():g}; it must not be negative")
        for name, numbers in values.items():
            for gripper, places, envs in self._by_gripper(chosen):
                gripper.properties[name][envs] = numbers[places]

    def reset(self, indices: Any = None) -> None:
        """Open some of them, or all."""
        for gripper, _, envs in self._by_gripper(self._rows(indices)):
            gripper.reset(envs)

    def _rows(self, indices: Any) -> np.ndarray:
        """Numbers of some rows, or of all."""
        if indices is None or isinstance(indices, slice):
            return np.arange(self.count)[slice(None) if indices is None else indices]
        found = np.asarray(accept(indices)).reshape(-1).astype(int)
        refuse_outside("surface grippers", "row", found, self.count)
        return found

    def _by_gripper(self, chosen: np.ndarray) -> Iterator[tuple[SurfaceGripper, np.ndarray, np.ndarray]]:
        """Of each gripper that some rows are of: where these are among them, and their environments."""
        which = self._which[chosen]
        order = np.argsort(which, kind="stable")
        numbers, starts = np.unique(which[order], return_index=True)
        for number, places in zip(numbers, np.split(order, starts[1:]), strict=False):  # no numbers are one empty part
            yield self._grippers[number], places, self._envs[chosen[places]]

    def _values(self, indices: Any, of: Callable[[SurfaceGripper], np.ndarray]) -> np.ndarray:
        """Something that grippers have by environment, of some rows, or all."""
        chosen = self._rows(indices)
        found = np.zeros(len(chosen))
        for gripper, places, envs in self._by_gripper(chosen):
            found[places] = of(gripper)[envs]
        return found

    def _numbers(self, what: str, values: Any, count: int) -> np.ndarray:
        found = np.asarray(accept(values), float)
        if found.ndim > 1 or found.size not in (1, count):
            raise ValueError(f"surface grippers: {what} has shape {found.shape}; it must be ({count},)")
        return np.broadcast_to(found.reshape(-1), (count,))
