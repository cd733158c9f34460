"""Sleep of actors, for their users: thresholds, who sleeps, and waking and putting to sleep by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.models.actor_spec import DYNAMIC
from phalanx.world.engine.optional_systems import SLEEP, need
from phalanx.world.handle import on_device
from phalanx.world.handles.properties import Properties


class Sleeping(Properties):
    """The part of an actor that knows sleep; what that is and does: :mod:`phalanx.systems.sleep.decide`."""

    @property
    def _tree(self) -> slice:
        return slice(self._bound.tree, self._bound.tree + 1)

    def _can_sleep(self, what: str) -> None:
        if self.part.kind != DYNAMIC or self.part.articulation.num_velocities == 0:
            raise ValueError(f"{self} is not moved by forces: {what}() has no use for it")

    @property
    @on_device
    def sleep_threshold(self) -> Any:
        """(n,), m^2/s^2: kinetic energy per mass of each of its links below which it may go to sleep; 0: never."""
        return self._read(c.TreeSleep.threshold, self._tree)[:, 0]

    @on_device
    def set_sleep_threshold(self, threshold: Any, env_ids: Any = None) -> None:
        """Set the kinetic energy per mass of each link below which it may go to sleep, (n,), m^2/s^2; 0: never.

        It sleeps once it, and all that it touches or is joined to, has been below for 0.4 s. What sleeps already goes
        on sleeping.
        """
        self._can_sleep("set_sleep_threshold")
        values, envs = self._input("sleep threshold", threshold, (), env_ids, negative=False)
        need(self.engine, SLEEP)
        self._write(c.TreeSleep.threshold, self._tree, values[:, None], envs)
        self.engine.touch_state()

    @property
    @on_device
    def stabilization_threshold(self) -> Any:
        """(n,), m^2/s^2: kinetic energy per mass of each of its links below which it is damped; 0: never."""
        return self._read(c.TreeSleep.stabilization_threshold, self._tree)[:, 0]

    @on_device
    def set_stabilization_threshold(self, threshold: Any, env_ids: Any = None) -> None:
        """Set the kinetic energy per mass of each link below which it is damped, (n,), m^2/s^2; 0: never.

        Only while it touches anything: so towers that rock come to rest.
        """
        self._can_sleep("set_stabilization_threshold")
        values, envs = self._input("stabilization threshold", threshold, (), env_ids, negative=False)
        need(self.engine, SLEEP)
        self._write(c.TreeSleep.stabilization_threshold, self._tree, values[:, None], envs)
        self.engine.touch_state()

    @property
    @on_device
    def is_sleeping(self) -> Any:
        """(n,) of booleans: whether it slept in the last step. What wakes it shows after the next one."""
        if SLEEP not in self.engine.features:
            return self._xp.zeros(self.engine.num_envs, bool)
        return self._read(c.TreeSleep.asleep, self._tree)[:, 0] == 1

    @on_device
    def wake_up(self, env_ids: Any = None) -> None:
        """Wake it and, as the next step begins, all that it touches or is joined to; for 0.4 s at least."""
        self._can_sleep("wake_up")
        if SLEEP in self.engine.features:
            self._set_sleep(0, env_ids)

    @on_device
    def put_to_sleep(self, env_ids: Any = None) -> None:
        """Take its velocity away and let it sleep until something wakes it, as what is awake and touches it does."""
        self._can_sleep("put_to_sleep")
        need(self.engine, SLEEP)
        envs = self._set_sleep(1, env_ids)
        rows = self._bound
        self._write(c.DofState.velocity, rows.dofs, np.zeros((1, 1)), envs)
        everywhere = slice(None) if envs is None else self._xp.asarray(envs)
        load = [self._read(field, rows.links) for field in (c.ExternalWrench.force, c.ExternalWrench.torque)]
        load.append(self._read(c.LinkDynamics.gravity_scale, rows.links)[..., None])
        requests = (
            c.DriveTarget.position,
            c.DriveTarget.velocity,
            c.DriveTarget.effort,
            c.Drive.stiffness,
            c.Drive.damping,
        )
        request = [self._read(field, rows.dofs) for field in requests]
        for field, place, value in (  # what it finds from now on is what it sleeps under
            (c.TreeSleep.gravity, self._tree, self._read(c.Settings.gravity, slice(0, 1))),
            (c.SeenCoordinate.value, rows.coords, self._read(c.Coordinate.value, rows.coords)),
            (c.SeenLink.load, rows.links, self._xp.concatenate(load, axis=2)),
            (c.SeenDof.request, rows.dofs, self._xp.stack(request, axis=2)),
        ):
            self._write(field, place, value[everywhere], envs)

    def _set_sleep(self, asleep: int, env_ids: Any) -> np.ndarray | None:
        envs = None if env_ids is None else self.engine.env_indices(env_ids)
        self._write(c.TreeSleep.asleep, self._tree, np.full((1, 1), asleep), envs)
        self._write(c.TreeSleep.quiet, self._tree, np.zeros((1, 1)), envs)
        self.engine.touch_state()
        return envs
