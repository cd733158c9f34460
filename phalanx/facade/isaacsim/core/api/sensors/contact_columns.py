"""Which bodies of a world expressions for sensors and filters of contacts stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.backends import Backend
from phalanx.facade.expressions import matching_paths
from phalanx.facade.physx.contact_view import RigidContactView
from phalanx.facade.stage_world import StageWorld
from phalanx.models.actor_spec import STATIC

Body = tuple[str, str]
"""Names of an actor and of one of its bodies; a ground is ``("ground/0", "")``."""


def bodies_of(world: StageWorld, path: str) -> list[tuple[Body, int]]:
    """The bodies that a prim is, is part of, or has below it, and their environments."""
    first, env = world.prototype(path)
    grounds = {ground.name: (f"ground/{i}", "") for i, ground in enumerate(world.scene.grounds)}
    known: dict[str, Body] = {**world.bodies, **grounds}
    above = first
    while above and above not in known:
        above = above.rpartition("/")[0]
    if above:
        return [(known[above], env or 0)]
    return [(body, env or 0) for name, body in known.items() if name.startswith(f"{first}/")]


class Sensors:
    """Sensors of contacts in a world, and the filters of each.

    Args:
        world: of the stage.
        sensors: expressions for paths, each with the expressions for its filters.
        most: contacts that are reported one by one; 0: enough for all.

    Attributes:
        paths: of the sensors.
        filters: number of filters.

    Raises:
        ValueError: an expression stands for nothing that can touch anything, or sensors have other numbers of filters.
    """

    def __init__(self, world: StageWorld, sensors: Sequence[tuple[str, Sequence[str]]], most: int = 0) -> None:
        self._world = world
        self.paths: list[str] = []
        members: list[tuple[Body, int]] = []
        columns: list[list[list[Body]]] = []  # of each sensor, of each filter: what it stands for
        for expression, filters in sensors:
            mine = [(path, bodies_of(world, path)) for path in matching_paths(world.stage, expression)]
            mine = [(path, found) for path, found in mine if found]
            if not mine:
                raise ValueError(f"{expression!r}: no rigid body, static collider or ground that is simulated")
            met = [_filter(world, wanted, [found[0] for _, found in mine]) for wanted in filters]
            for n, (path, found) in enumerate(mine):
                self.paths.append(path)
                members.append(found[0])
                columns.append([each[n] for each in met])
        self.filters = len(columns[0])
        if any(len(each) != self.filters for each in columns):
            raise ValueError("sensors of a contact view have different numbers of filters")
        self._still = [_is_still(world, body) for body, _ in members]
        if any(self._still) and not all(self._still):
            raise ValueError("a contact view has sensors that can move and others that cannot: make a view for each")
        self._view = self._moving(members, columns, most) if not any(self._still) else None
        self._against = None if self._view is not None else self._standing(members, columns)

    def _moving(self, members: Sequence[tuple[Body, int]], columns: Any, most: int) -> RigidContactView:
        first: dict[Body, int] = {}
        for n, (body, _) in enumerate(members):
            first.setdefault(body, n)
        filters = [("each", [_names(columns[n][k]) for n in first.values()]) for k in range(self.filters)]
        view = RigidContactView(self._world.world, list(members), filters, most, self.paths, None, self._world.origins)
        view.raw = True
        return view

    def _standing(self, members: Sequence[tuple[Body, int]], columns: Any) -> tuple[RigidContactView, np.ndarray]:
        """What cannot move is no sensor of the engine's: the bodies that can touch it are, and it is their filter.

        Returns the view, and flags (sensors, filters, bodies): which bodies each filter stands for.
        """
        world = self._world.world
        moving = [actor for actor in world.actors.values() if actor.part.kind != STATIC]
        bodies: list[Body] = [(actor.name, name) for actor in moving for name in actor.body_names]
        rows = [(body, None) for body in bodies]
        still = list(dict.fromkeys(body for body, _ in members))
        view = RigidContactView(world, rows, [_names([body]) for body in still])
        view.raw = True
        self._rows = [(still.index(body), env) for body, env in members]
        flags = np.zeros((len(members), self.filters, len(bodies)))
        for n, each in enumerate(columns):
            for k, wanted in enumerate(each):
                flags[n, k] = [body in wanted for body in bodies]
        return view, flags

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """Number of sensors."""
        return len(self.paths)

    def net_forces(self, dt: float) -> Any:
        """(count, 3): sums of normal forces on the sensors."""
        if self._view is not None:
            return self._view.get_net_contact_forces(dt)
        found = self._on_standing(dt)
        return found.sum(axis=1)

    def matrix(self, dt: float) -> Any:
        """(count, filters, 3): of each filter on each sensor."""
        if self._view is not None:
            return self._view.get_contact_force_matrix(dt)
        assert self._against is not None
        xp = Backend("numpy", self._world.world.device).xp
        flags = xp.asarray(self._against[1])
        return (flags[..., None] * self._on_standing(dt)[:, None]).sum(axis=2)

    def _on_standing(self, dt: float) -> Any:
        """(count, bodies, 3): of each body that can move on each sensor that cannot."""
        assert self._against is not None
        view, _ = self._against
        found = view.get_contact_force_matrix(dt)  # body by body, environment by environment
        envs = self._world.world.num_envs
        found = found.reshape(-1, envs, *found.shape[1:])
        xp = Backend("numpy", self._world.world.device).xp
        return xp.stack([-found[:, env, column] for column, env in self._rows])

    def data(self, dt: float) -> tuple[Any, ...]:
        """Contacts one by one; see :meth:`RigidContactView.get_contact_data`."""
        return self._detailed().get_contact_data(dt)

    def friction(self, dt: float) -> tuple[Any, ...]:
        """Friction one by one; see :meth:`RigidContactView.get_friction_data`."""
        return self._detailed().get_friction_data(dt)

    def _detailed(self) -> RigidContactView:
        if self._view is None:
            raise NotImplementedError(
                "contacts one by one of what cannot move: let the bodies that touch it be sensors, and it their filter"
            )
        return self._view


def _is_still(world: StageWorld, body: Body) -> bool:
    return body[0].startswith("ground/") or world.world.actors[body[0]].part.kind == STATIC


def _names(bodies: Sequence[Body]) -> Any:
    """Bodies as filters of the engine's views."""
    found: list[Any] = [actor if actor.startswith("ground/") else (actor, body) for actor, body in bodies]
    return found[0] if len(found) == 1 else found


def _filter(world: StageWorld, expression: str, sensors: Sequence[tuple[Body, int]]) -> list[list[Body]]:
    """Of each sensor the bodies that a filter stands for.

    As many prims as there are sensors are one for each, in their order; else all of them are for each.
    """
    found = [bodies_of(world, path) for path in matching_paths(world.stage, expression)]
    found = [each for each in found if each]
    if not found:
        raise ValueError(f"filter {expression!r}: no rigid body, static collider or ground that is simulated")
    everything = list(dict.fromkeys(body for each in found for body, _ in each))
    if len(everything) == 1 or len(found) != len(sensors) or len(sensors) == 1:
        return [everything] * len(sensors)
    return [[body for body, _ in each] for each in found]
