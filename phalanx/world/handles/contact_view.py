"""Contact views: contact forces on chosen bodies, in sum, by pair, and contact by contact."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from phalanx import components as c
from phalanx.components.node_contact import SLOTS
from phalanx.models.surface import Ground
from phalanx.systems.reports.contact_views import contact_views, contact_views_of_nodes
from phalanx.world.checking import number, positive_int, shorten
from phalanx.world.engine.engine import Engine
from phalanx.world.handle import Handle, on_device
from phalanx.world.handles.actor import Actor
from phalanx.world.simulation_warning import SimulationWarning

Patterns = str | Iterable[str]
"""Regular expressions, each for whole names of bodies or of actors."""

TABLES = (c.View, c.ViewedShape, c.ViewedBody, c.ViewedPair, c.ViewedContact)


class ContactData(NamedTuple):
    """The contacts of all pairs of a view in one buffer; those of a pair lie behind each other.

    Those of environment e, body i and filter j are rows ``starts[e, i, j]`` to ``starts[e, i, j] + counts[e, i, j]``.
    Rows that belong to no pair are zero.
    """

    normal_forces: Any
    """(rows,), N: on the body along the normal, not negative."""
    points: Any
    """(rows, 3), m: midway between the surfaces, world, where they met when the last substep began."""
    normals: Any
    """(rows, 3): unit vectors from the filter to the body, world."""
    separations: Any
    """(rows,), m: distance of the surfaces less rest offsets, negative when they overlap."""
    counts: Any
    """(n, bodies, filters), int32."""
    starts: Any
    """(n, bodies, filters), int32."""


class FrictionData(NamedTuple):
    """Friction of all pairs of a view: forces, the points (anchors) at which they act, and whose they are.

    Those of environment e, body i and filter j are rows ``starts[e, i, j]`` to ``starts[e, i, j] + counts[e, i, j]``;
    rows that belong to no pair are zero. Forces and the moments ``cross(points - p, forces)`` may be summed over them.

    Engines that treat friction by patches anchor it at one or two points of each patch, so that it has counts and
    starts of its own. Here every contact point is an anchor: rows are those of :class:`ContactData`, and a point's
    friction stands beside its normal force. Contacts that do not rub are listed too, with a force of zero. Torsional
    friction (``torsional_patch_radius`` of a material) is a torque about a contact's normal and not in these forces.
    """

    forces: Any
    """(rows, 3), N: tangential forces on the body, world."""
    points: Any
    """(rows, 3), m: where they act, world, when the last substep began; the contact points."""
    counts: Any
    """(n, bodies, filters), int32: anchors of a pair."""
    starts: Any
    """(n, bodies, filters), int32: the row of its first."""


class NodeContacts(NamedTuple):
    """What nodes of deformable bodies push the bodies of a view with, in one environment; arrays of the host."""

    bodies: np.ndarray
    """(k,): numbers of bodies of the view."""
    deformables: np.ndarray
    """(k,): numbers of deformable bodies of the world."""
    points: np.ndarray
    """(k, 3), m: where the nodes are, world, relative to the environment's origin."""
    normals: np.ndarray
    """(k, 3): unit vectors from the node to the body, world."""
    impulses: np.ndarray
    """(k, 3), N s: on the body, over the last substep, world."""


class Scene(NamedTuple):
    """What there is to view, and who views it."""

    actors: Mapping[str, Actor]
    grounds: Sequence[Ground]
    views: list[ContactView]


class ContactView(Handle):
    """Contact forces on some bodies; made by :meth:`phalanx.World.contact_view`.

    Everything is computed on the world's device when it is asked for, from the contacts of the last substep, and is a
    copy. Forces are N, or with ``dt`` the last substep's impulses divided by it: with ``dt=1.0`` impulses, N·s.
    """

    KIND = "contact view"

    def __init__(
        self,
        engine: Engine,
        name: str,
        scene: Scene,
        bodies: Patterns,
        filters: Patterns | Mapping[str, Patterns],
        max_contacts: int | None,
    ) -> None:
        super().__init__(engine, name)
        self._scene = scene
        if max_contacts is not None:
            positive_int(f"{self}: max_contacts", max_contacts)
        self.max_contacts = max_contacts
        self._bodies = _patterns(bodies)
        self._filters = {k: _patterns(v) for k, v in filters.items()} if isinstance(filters, Mapping) else None
        self._patterns = [] if isinstance(filters, Mapping) else _patterns(filters)
        self._body_names: list[str] = []
        self._filter_names: list[str] = []
        self._rows: dict[Any, slice] = {}
        self._crowd = 1

    def __repr__(self) -> str:
        return f"<ContactView {self.name!r}: {', '.join(self._bodies)}>"

    @property
    def body_names(self) -> list[str]:
        """``actor/body`` of each body, in the order of the world."""
        self.engine.build()
        return list(self._body_names)

    @property
    def filter_names(self) -> list[str]:
        """What the columns of pairs stand for: ``actor/body``, ``ground/number``, or names given to filters."""
        self.engine.build()
        return list(self._filter_names)

    # -- reading ---------------------------------------------------------------------------------------------

    @on_device
    def net_force(self, dt: float | None = None, *, normal_only: bool = False) -> Any:
        """(n, bodies, 3): sum of all contact forces on each body, also of deformable bodies, N, world.

        ``normal_only`` leaves friction out; the normal of a node is that at the end of the substep.
        """
        self.compute()
        field = c.ViewedBodyImpulse.normal if normal_only else c.ViewedBodyImpulse.total
        return self._read(field, self._rows[c.ViewedBody]) / self._seconds(dt)

    @on_device
    def force_matrix(self, dt: float | None = None, *, normal_only: bool = False) -> Any:
        """(n, bodies, filters, 3): sum of the contact forces of each filter on each body, N, world.

        It is complete even where the buffer of :meth:`contact_data` is too small.
        """
        self._needs_filters("force_matrix")
        self.compute()
        field = c.ViewedPairImpulse.normal if normal_only else c.ViewedPairImpulse.total
        return self._by_pair(field) / self._seconds(dt)

    @on_device
    def contact_data(self, dt: float | None = None) -> ContactData:
        """Every contact of every pair."""
        self._needs_filters("contact_data")
        self.compute()
        state = c.ViewedContactState
        return ContactData(
            self._buffer(state.push) / self._seconds(dt),
            self._buffer(state.point),
            self._buffer(state.normal),
            self._buffer(state.separation),
            self._by_pair(c.ViewedPairImpulse.count),
            self._starts(),
        )

    @on_device
    def friction_data(self, dt: float | None = None) -> FrictionData:
        """Friction of every pair, at every contact point."""
        self._needs_filters("friction_data")
        self.compute()
        return FrictionData(
            self._buffer(c.ViewedContactState.friction) / self._seconds(dt),
            self._buffer(c.ViewedContactState.point),
            self._by_pair(c.ViewedPairImpulse.count),
            self._starts(),
        )

    def node_contacts(self, env: int) -> NodeContacts:
        """The contacts of deformable bodies with the bodies of the view in an environment, node by node."""
        self.engine.build()
        store = self.engine.store

        def read(field: Any) -> np.ndarray:
            found = self.engine.device.to_host(store.view(field))
            return found[..., min(env, found.shape[-1] - 1)]

        if not store.has_rows(c.NodeContact) or not store.rows(c.NodeContact):
            none = np.zeros(0, np.int64)
            return NodeContacts(none, none, *[np.zeros((0, 3))] * 3)
        pair = read(c.NodeContactState.pair)
        names = _names_of_shapes(self._scene)
        viewed = np.array([self._body_names.index(n) if n in self._body_names else -1 for n in names])
        body = np.where(pair >= 0, viewed[read(c.DeformablePairTopology.shape)[np.maximum(pair, 0)]], -1)
        impulse = -read(c.NodeContactState.impulse)
        rows = np.flatnonzero((body >= 0) & impulse.any(axis=1))
        node = read(c.SurfaceNodeTopology.node)[rows // SLOTS]
        deformable = read(c.NodeTopology.body)[node]
        points = read(c.DeformableMotion.origin)[deformable] + read(c.NodeState.position)[node]
        return NodeContacts(body[rows], deformable, points, -read(c.NodeContactPoint.normal)[rows], impulse[rows])

    def compute(self) -> None:
        """Compute what all views of the world report; for sums alone not if nothing has happened since last time."""
        engine = self.engine
        moved = _fit_slots(engine, self._scene.views)
        # each look at a view with filters counts anew what had no row, and tells it
        engine.compute_once("query_contact_views", again=moved or bool(self._filter_names))
        if self._filter_names and not engine.device.is_cuda:  # there, looking costs a wait: World.check() does
            self.check()

    def check(self) -> None:
        """Warn of contacts that had no row in the buffer, once. :meth:`phalanx.World.check` does it for all views."""
        if not self._rows:
            return
        missing = self.engine.device.to_host(self._read(c.ViewState.missing, self._rows[c.View]))[:, 0]
        if not missing.any():
            return

        zero = np.zeros((1, 1), np.int32)
        self._write(c.ViewState.missing, self._rows[c.View], zero, None)
        slots = self._rows[c.ViewedContact].stop - self._rows[c.ViewedContact].start
        warnings.warn(
            f"{self}: contacts did not fit into {slots} rows in environments "
            f"{shorten(np.flatnonzero(missing).tolist())} and are not listed; sums of forces are complete; "
            f"pass max_contacts={slots + int(missing.max())} or more to contact_view(), or none",
            SimulationWarning,
            stacklevel=3,
        )

    def _seconds(self, dt: float | None) -> float:
        if dt is None:
            return self.engine.dt / self.engine.substeps
        return number(f"{self}: dt", dt, above=0.0)

    def _needs_filters(self, what: str) -> None:
        if not self._filter_names:
            raise ValueError(f"{self}: {what}() reports pairs: pass filters= to contact_view()")

    def _by_pair(self, field: Any) -> Any:
        found = self._read(field, self._rows[c.ViewedPair])
        return found.reshape(self.engine.num_envs, len(self._body_names), len(self._filter_names), *found.shape[2:])

    def _buffer(self, field: Any) -> Any:
        found = self._read(field, self._rows[c.ViewedContact])
        return found.reshape(-1, *found.shape[2:])

    def _starts(self) -> Any:
        rows = self._rows[c.ViewedContact]
        first = self._xp.arange(self.engine.num_envs, dtype="int32") * (rows.stop - rows.start)
        return self._by_pair(c.ViewedPairImpulse.start) + first[:, None, None]

    # -- building --------------------------------------------------------------------------------------------

    def resolve(self) -> dict[str, int]:
        """Find the bodies and filters among what is in the world; returns the column of each body that is in one.

        Raises:
            ValueError: a pattern matches nothing, or a body belongs to two filters.
        """
        known, grounds = _names(self._scene)
        self._body_names = self._choose("bodies", self._bodies, known)
        if self._filters is None:
            filters = {name: [name] for name in self._choose("filters", self._patterns, known + grounds)}
        else:
            filters = {k: self._choose(f"filter {k!r}", each, known + grounds) for k, each in self._filters.items()}
        column: dict[str, int] = {}
        for j, (name, members) in enumerate(filters.items()):
            for member in members:
                if member in column:
                    raise ValueError(f"{self}: {member!r} belongs to filter {name!r} and to another; choose one")
                column[member] = j
        self._filter_names = list(filters)
        return column

    def bind(self) -> None:
        """Make room for what is reported; called once the world is built."""
        engine, store = self.engine, self.engine.store
        column, shapes = self.resolve(), _names_of_shapes(self._scene)
        bodies, filters = self._body_names, len(self._filter_names)
        if contact_views not in engine.schedule.systems():
            engine.schedule.add(contact_views)
            if store.has_rows(c.NodeContact):
                engine.schedule.add(contact_views_of_nodes)
            for table in TABLES:
                store.set_rows(table, 0)
        sizes = (1, len(shapes), len(bodies), len(bodies) * filters, 0)
        for table, size in zip(TABLES, sizes, strict=True):
            first = store.rows(table)
            store.grow(table, first + size)
            self._rows[table] = slice(first, first + size)
        for reported in (contact_views, contact_views_of_nodes)[: 2 if store.has_rows(c.NodeContact) else 1]:
            for access in reported.field_arguments.values():
                store.array(access.target)
        topology, pairs = c.ViewTopology, self._rows[c.ViewedPair]
        for field, values in (
            (c.ViewedShapeRole.body, [bodies.index(name) if name in bodies else -1 for name in shapes]),
            (c.ViewedShapeRole.filter, [column.get(name, -1) for name in shapes]),
            (topology.first_body, [self._rows[c.ViewedBody].start]),
            (topology.filters, [filters]),
            (topology.first_pair, [pairs.start]),
            (topology.end_pair, [pairs.stop]),
        ):
            self._fill(field, values)
        self._crowd = 2 if set(bodies) & column.keys() else 1  # a contact of two such bodies is listed for both

    def _choose(self, what: str, patterns: Sequence[str], known: Sequence[str]) -> list[str]:
        """Names that match, in the order of the world."""
        found = set()
        for pattern in patterns:
            try:
                matching = [n for n in known if re.fullmatch(pattern, n) or re.fullmatch(pattern, n.split("/")[0])]
            except re.error as error:
                raise ValueError(f"{self}: {what}: {pattern!r} is no regular expression: {error}") from None
            if not matching:
                raise ValueError(f"{self}: {what}: nothing matches {pattern!r}; there are {', '.join(known)}")
            found.update(matching)
        return [name for name in known if name in found]

    def _fill(self, field: Any, values: list[int]) -> None:
        self._write(field, self._rows[field.table], np.array(values, np.int32)[None], None)

    def _wanted_slots(self) -> int:
        """Rows per environment: as many as asked for, else enough for all contacts that the world has room for."""
        if not self._filter_names:
            return 0
        return self.max_contacts or self.engine.store.rows(c.Contact) * self._crowd


def _fit_slots(engine: Engine, views: Iterable[ContactView]) -> bool:
    """Give each view of a world its slots; again when the world has got room for more contacts. Whether it did."""
    store, first, moved = engine.store, 0, False
    for view in views:
        wanted, have = view._wanted_slots(), view._rows[c.ViewedContact]
        rows = slice(first, first + wanted)
        first = rows.stop
        if rows != have:
            moved = True
            view._rows[c.ViewedContact] = rows
            view._fill(c.ViewTopology.first_slot, [rows.start])
            view._fill(c.ViewTopology.end_slot, [rows.stop])
    if first > store.rows(c.ViewedContact):
        store.grow(c.ViewedContact, first)
    return moved


def _patterns(given: Patterns) -> list[str]:
    found = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(pattern, str) for pattern in found):
        raise TypeError(f"contact_view: {given!r} must be a pattern (text), or several")
    return found


def _names(scene: Scene) -> tuple[list[str], list[str]]:
    """``actor/body`` of every body, in order, and ``ground/number`` of every ground."""
    bodies = [f"{actor.name}/{body}" for actor in scene.actors.values() for body in actor.body_names]
    return bodies, [f"ground/{i}" for i in range(len(scene.grounds))]


def _names_of_shapes(scene: Scene) -> list[str]:
    """The name of what each row of the table of shapes belongs to."""
    found = []
    for actor in scene.actors.values():
        found += [f"{actor.name}/{actor.body_names[s.body]}" for s in actor.part.articulation.collisions]
    return found + _names(scene)[1]
