"""Tensor view of contacts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from phalanx.facade.physx.common import Rows, View, reads
from phalanx.facade.physx.rigid_body_view import BodyName, find_body, with_bodies
from phalanx.world.handles.actor import Actor
from phalanx.world.handles.contact_view import ContactView, NodeContacts
from phalanx.world.world import World


class RigidContactView(View):
    """Contact forces on some bodies, the sensors, and of some others, the filters, on them; a sensor each row.

    Forces are what the last step's impulses make over ``dt``: with 1.0, the default, impulses, N·s. In a step of
    several substeps the last one stands for all.

    Args:
        world: the engine's world.
        sensors: as the bodies of :class:`RigidBodyView`.
        filters: for each column of pairs a body, ``"ground"`` for all grounds, ``"ground/0"`` for the first, or a list
            of those; or for each column one of these for each different body among the sensors, in their order, as a
            tuple ``("each", [...])``.
        max_contact_data_count: contacts that are reported one by one, of all rows; by default enough for all.
        sensor_paths: of each row; made up from names by default.
        filter_paths: of each row's filters; made up from names by default.
        origins: (num_envs, 3), m: where the environments' origins are in the world; zero by default.
    """

    def __init__(
        self,
        world: World,
        sensors: BodyName | Iterable[tuple[BodyName, Any]],
        filters: Sequence[Any] = (),
        max_contact_data_count: int = 0,
        sensor_paths: Sequence[str] | None = None,
        filter_paths: Sequence[Sequence[str]] | None = None,
        origins: Any = None,
    ) -> None:
        if isinstance(sensors, Actor | str) or (isinstance(sensors, tuple) and isinstance(sensors[1], str)):
            sensors = [(sensors, None)]  # pyright: ignore[reportAssignmentType]
        listed: list[tuple[Any, Any]] = list(sensors)  # pyright: ignore[reportArgumentType]
        rows = Rows(with_bodies(world, listed), world.num_envs)
        super().__init__(world, rows, origins)
        self._names = [f"{actor.name}/{actor.body_names[body]}" for actor, body in rows.keys]
        wanted = [self._of_columns(given) for given in filters]  # filter, column: names
        groups = list(dict.fromkeys(names for each in wanted for names in each))
        self._filters = np.array([[groups.index(names) for names in each] for each in wanted], np.int64)
        self._filters = self._filters.reshape(len(wanted), len(self._names)).T  # column, filter: group
        self._groups = ["|".join(names) for names in groups]
        most = -(-max_contact_data_count // world.num_envs) if max_contact_data_count else None
        self._view: ContactView = world.contact_view(
            [re.escape(name) for name in self._names],
            {label: [re.escape(n) for n in names] for label, names in zip(self._groups, groups, strict=True)},
            name=f"tensor view of {self._names[0]}",
            max_contacts=most,
        )
        self._sensor_paths = None if sensor_paths is None else list(sensor_paths)
        self._filter_paths = None if filter_paths is None else [list(paths) for paths in filter_paths]

    def __repr__(self) -> str:
        return f"<RigidContactView of {self.sensor_count} sensors, {self.filter_count} filters>"

    def _of_columns(self, given: Any) -> list[tuple[str, ...]]:
        """Names of the bodies that a filter stands for, for each column of sensors."""
        if isinstance(given, tuple) and len(given) == 2 and given[0] == "each":
            if len(given[1]) != len(self._names):
                raise ValueError(f"a filter has {len(given[1])} bodies for {len(self._names)} sensors")
            return [self._body_names(each) for each in given[1]]
        return [self._body_names(given)] * len(self._names)

    def _body_names(self, given: Any) -> tuple[str, ...]:
        if isinstance(given, list):
            return tuple(name for each in given for name in self._body_names(each))
        grounds = [f"ground/{i}" for i in range(len(self.world.grounds))]
        if given == "ground" or given in grounds:
            return tuple(grounds) if given == "ground" else (given,)
        actor, body = find_body(self.world, given)
        return (f"{actor.name}/{actor.body_names[body]}",)

    # -- what is there ---------------------------------------------------------------------------------------

    @property
    def sensor_count(self) -> int:
        """Number of rows."""
        return self.count

    @property
    def filter_count(self) -> int:
        """Filters of each row."""
        return self._filters.shape[1]

    @property
    def max_contact_data_count(self) -> int:
        """Rows of the buffers of contacts; they grow with the world's contacts unless a number was given."""
        self.world.build()
        return self._view._wanted_slots() * self.world.num_envs

    @property
    def sensor_paths(self) -> list[str]:
        """Path of each row's body."""
        if self._sensor_paths is None:
            pairs = zip(self._rows.env.tolist(), self._rows.column.tolist(), strict=True)
            self._sensor_paths = [f"/World/envs/env_{env}/{self._names[column]}" for env, column in pairs]
        return list(self._sensor_paths)

    @property
    def filter_paths(self) -> list[list[str]]:
        """Paths of each row's filters."""
        if self._filter_paths is None:
            pairs = zip(self._rows.env.tolist(), self._rows.column.tolist(), strict=True)
            self._filter_paths = [
                [f"/World/envs/env_{env}/{self._groups[group]}" for group in self._filters[column]]
                for env, column in pairs
            ]
        return self._filter_paths

    # -- reading ---------------------------------------------------------------------------------------------

    @reads
    def get_net_contact_forces(self, dt: float = 1.0) -> Any:
        """(count, 3): sums of the normal forces on each body, whatever they come from, world axes."""
        found = self._view.net_force(self._seconds(dt), normal_only=True)
        return self._xp.ascontiguousarray(self._rows.gather(found[:, self._bodies], self._xp))

    @reads
    def get_contact_force_matrix(self, dt: float = 1.0) -> Any:
        """(count, filter_count, 3): sums of the normal forces of each filter on each body, world axes."""
        if not self.filter_count:
            return self._xp.zeros((self.count, 0, 3), self.world.dtype)
        return self._by_pair(self._view.force_matrix(self._seconds(dt), normal_only=True))

    @reads
    def get_contact_data(self, dt: float = 1.0) -> tuple[Any, ...]:
        """Contacts one by one, those of a row and filter behind each other.

        Returns:
            Normal forces on the bodies (m, 1), not negative; points (m, 3), world; normals (m, 3), from filter to body,
            world axes; distances of the surfaces (m, 1), negative where they overlap; numbers of contacts (count,
            filter_count), int32; and their first rows among the m, likewise.
        """
        data = self._view.contact_data(self._seconds(dt))
        return (
            data.normal_forces[:, None],
            self._points(data.points),
            data.normals,
            data.separations[:, None],
            self._by_pair(data.counts),
            self._by_pair(data.starts),
        )

    @reads
    def get_friction_data(self, dt: float = 1.0) -> tuple[Any, ...]:
        """Friction, at each contact point.

        Returns:
            Tangential forces on the bodies (m, 3), world axes; points (m, 3), world; numbers of points (count,
            filter_count), int32; and their first rows among the m, likewise.
        """
        data = self._view.friction_data(self._seconds(dt))
        return data.forces, self._points(data.points), self._by_pair(data.counts), self._by_pair(data.starts)

    def node_contacts(self, row: int) -> NodeContacts:
        """What nodes of deformable bodies push the body of a row with; points relative to the world's origin.

        PhysX reports no such contacts.
        """
        env, column = int(self._rows.env[row]), int(self._rows.column[row])
        found = self._view.node_contacts(env)
        mine = found.bodies == self._view.body_names.index(self._names[column])
        points = found.points[mine] + (0.0 if self._world_origins is None else self._world_origins[env])
        return NodeContacts(
            found.bodies[mine], found.deformables[mine], points, found.normals[mine], found.impulses[mine]
        )

    def get_raw_contact_data(self, dt: float = 1.0) -> Any:
        """Not built: contacts are reported by filters."""
        raise NotImplementedError("RigidContactView.get_raw_contact_data: pass filters and use get_contact_data()")

    def _seconds(self, dt: float) -> float:
        return dt / self.world.substeps

    @property
    def _bodies(self) -> Any:
        """Of each column its place among the engine's view's bodies."""
        return self._place("bodies", lambda: np.array([self._view.body_names.index(name) for name in self._names]))

    def _by_pair(self, found: Any) -> Any:
        """(count, filter_count, ...) from (num_envs, bodies, groups, ...)."""
        mine = found[:, self._bodies[:, None], self._place("filters", self._filters)]
        return self._xp.ascontiguousarray(self._rows.gather(mine, self._xp))

    def _points(self, points: Any) -> Any:
        """Points in the world of all environments; rows without a contact get their environment's origin."""
        if self._world_origins is None:
            return points
        origins = self._place("world origins", self._world_origins.astype(points.dtype))
        slots = points.shape[0] // self.world.num_envs
        return points + self._xp.repeat(origins, slots, axis=0)
