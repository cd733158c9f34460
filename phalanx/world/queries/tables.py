"""How scene queries are run: requests into the tables, kernels over them, results out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

from phalanx import components as c
from phalanx.components.mesh import MeshTriangle
from phalanx.components.query import (
    DEPTH,
    OVERLAP,
    Query,
    QueryCount,
    QueryFilter,
    QueryHit,
    QueryHitState,
    QueryPath,
    QueryProbe,
    QueryRequest,
)
from phalanx.components.shape import MESH, SDF, HullVertex, HullVertexPosition
from phalanx.ecs import Field, System
from phalanx.maths.arrays import matrix, product, rotate
from phalanx.models.actor_spec import Part
from phalanx.models.meshes.hulls import Hull
from phalanx.models.meshes.signed_distance import DistanceField
from phalanx.models.meshes.triangle_mesh import TriangleMesh
from phalanx.models.surface import ALL_GROUPS, Ground
from phalanx.world import checking
from phalanx.world import options as options_
from phalanx.world.engine.engine import Engine
from phalanx.world.handles.actor import Actor
from phalanx.world.queries.input import Probe, Request

MOST_NUMBERS = 1 << 20
"""Longer requests are run in parts, so that no array of theirs for hits has more numbers (times 3 for vectors)."""
FEWEST = 64
"""Rays or probes in a part, at least."""


class QueryOptions(TypedDict, total=False):
    """Options of every query, see :mod:`phalanx.world.queries.scene_queries`."""

    mask: int | Iterable[int]
    group: int
    ignore: Actor | str | Iterable[Actor | str]
    only: Actor | str | Iterable[Actor | str]
    both_sides: bool


class QueryTables:
    """The part of :class:`phalanx.world.queries.scene_queries.SceneQueries` that knows tables and kernels."""

    def __init__(self, engine: Engine, actors: Mapping[str, Actor], grounds: Sequence[Ground]) -> None:
        engine.build()
        self.engine, self.actors = engine, actors
        store = engine.store
        self.actor_names = [*actors]
        """Names of the actors and then of the grounds, ``"ground"``, ``"ground 1"`` and so on."""
        owners: list[Part | Ground] = [actor.part for actor in actors.values()]
        self._actor: list[int] = []
        self._body: list[int] = []
        topology = store[c.ShapeTopology]
        self._kind = engine.device.to_host(topology.kind)[:, 0]
        first_face = engine.device.to_host(topology.first_face)[:, 0]
        self._source = np.full(max(store.rows(MeshTriangle), 1), -1, np.int32)
        for number, actor in enumerate(actors.values()):
            for row, data in zip(actor._bound.shapes, actor.part.articulation.collisions, strict=True):
                self._actor.append(number)
                self._body.append(data.body)
                mesh = data.geometry.mesh if isinstance(data.geometry, DistanceField) else data.geometry
                if isinstance(mesh, TriangleMesh):
                    self._source[first_face[row] : first_face[row] + len(mesh.triangles)] = mesh.source
        for number, ground in enumerate(grounds):
            self._actor.append(len(self.actor_names))
            self._body.append(-1)
            self.actor_names.append(f"ground {number}" if number else "ground")
            owners.append(ground)
        self._groups = np.array([owners[i].group for i in self._actor], np.int64)
        self._masks = np.array([owners[i].mask for i in self._actor], np.int64)
        self._tables: dict[str, Any] = {}
        self._written: dict[Field, bytes] = {}
        self._programs: dict[tuple[System, ...], tuple[int, Any]] = {}
        self._hulls: dict[bytes, tuple[int, int]] = {}
        store.set_rows(Query, 0)
        store.set_rows(QueryHit, 0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self.actor_names) or 'nothing'}>"

    @property
    def world(self) -> Any:
        """The world that is asked."""
        return self.engine.world

    # -- names -----------------------------------------------------------------------------------------------

    def lookup(self, what: str, shape: Any) -> Any:
        """The ``"actor"`` or ``"body"`` of rows of the table of shapes; -1 for -1."""
        return self._table(what, self._actor if what == "actor" else self._body)[shape]

    def _table(self, name: str, values: Any) -> Any:
        """An array on the device whose last place is what -1 stands for."""
        if name not in self._tables:
            with self.engine.store.active():
                self._tables[name] = self.engine.device.xp.asarray(
                    np.append(np.asarray(values, np.int32), np.int32(-1))
                )
        return self._tables[name]

    def _rows(self, request: Request, actor: Actor | str, body: str | None = None) -> np.ndarray:
        """Rows of an actor's shapes, or of one of its bodies."""
        name = actor if isinstance(actor, str) else actor.name
        if name not in self.actor_names:
            raise ValueError(f"{request.who}: there is no actor {name!r}; there are {', '.join(self.actor_names)}")
        mine = np.array(self._actor, np.int64) == self.actor_names.index(name)
        if body is not None:
            mine &= np.array(self._body) == self.actors[name].body_index(body)
        rows = np.flatnonzero(mine)
        if not len(rows):
            raise ValueError(f"{request.who}: {name!r}{f', body {body!r},' if body else ''} has no collision shapes")
        return rows

    # -- asking ----------------------------------------------------------------------------------------------

    def _path(
        self, request: Request, what: str, origins: Any, directions: Any = None, reach: Any = None
    ) -> dict[Field, Any]:
        with self.engine.store.active():
            path = {QueryPath.origin: request.array(what, origins, (3,))}
            if directions is not None:
                path[QueryPath.direction] = request.units("directions", directions, 3)
                path[QueryPath.reach] = request.array("max_distance", reach, least=0.0, infinite=True)
        return path

    def _pose(self, request: Request, probe: Probe, path: dict[Field, Any], orientations: Any) -> dict[Field, Any]:
        """Fields of a probe; moves the path to where the shape's own frame is."""
        xp = self.engine.device.xp
        with self.engine.store.active():
            first, end = (0, 0) if probe.hull is None else self._hull(probe.hull)
            units = request.units("orientations", orientations, 4)
            if probe.position is not None:
                path[QueryPath.origin] = path[QueryPath.origin] + rotate(units, probe.position, xp)
                units = product(units, probe.orientation, xp)
            rotation = matrix(units, xp)
            return {
                QueryProbe.kind: np.array([[probe.kind]]),
                QueryProbe.first_vertex: np.array([[first]]),
                QueryProbe.end_vertex: np.array([[end]]),
                QueryProbe.size: probe.size,
                QueryProbe.low: probe.low,
                QueryProbe.high: probe.high,
                QueryProbe.rotation: rotation.reshape((*rotation.shape[:-2], 9)),
            }

    def _hull(self, hull: Hull) -> tuple[int, int]:
        """Rows of a hull's vertices, which are put behind those that the world has."""
        key = hull.vertices.tobytes()
        if key not in self._hulls:
            store = self.engine.store
            first = store.rows(HullVertex)
            store.grow(HullVertex, first + len(hull.vertices))
            store.view(HullVertexPosition.position)[first:, :, 0] = self.engine.device.xp.asarray(hull.vertices)
            self._hulls[key] = (first, first + len(hull.vertices))
        return self._hulls[key]

    def _mode(
        self, request: Request, mode: str, most: int, modes: tuple[str, ...] = ("closest", "any", "all")
    ) -> tuple[int, bool, bool]:
        """Hits to keep, whether only the first counts, whether any will do."""
        if mode not in modes:
            raise ValueError(f"{request.who}: mode={mode!r}: must be one of {', '.join(modes)}")
        if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
            raise ValueError(f"{request.who}: max_hits={most!r}: must be a whole number, at least 1")
        return (int(most), False, False) if mode == "all" else (1, True, mode == "any")

    def _seen(self, request: Request, options: QueryOptions) -> np.ndarray:
        """Which shapes count."""
        mask = options_.mask(request.who, options.get("mask", ALL_GROUPS))
        seen = (mask >> self._groups & 1) == 1
        if options.get("group") is not None:
            seen &= (self._masks >> options_.group(request.who, options.get("group")) & 1) == 1
        for key in ("ignore", "only"):
            given = options.get(key)
            if given is None:
                continue
            chosen = np.zeros(len(seen), bool)
            for actor in [given] if isinstance(given, str | Actor) else given:
                chosen[self._rows(request, actor)] = True
            seen &= chosen if key == "only" else ~chosen
        return seen

    def _run(
        self,
        systems: tuple[System, ...],
        request: Request,
        path: dict[Field, Any],
        posed: dict[Field, Any],
        task: int,
        most: int,
        first_only: bool,
        any_hit: bool,
        options: Any,
        seen: np.ndarray | None = None,
    ) -> dict[str, Any]:
        """Answer a request: what was hit, and for all tasks but OVERLAP where."""
        checking.options(request.who, options, QueryOptions.__annotations__)
        store, xp = self.engine.store, self.engine.device.xp
        seen = self._seen(request, options) if seen is None else seen
        self.engine.refresh()
        with store.active():
            if len(seen):
                self._once(QueryFilter.seen, seen.astype(np.int32)[:, None])
            for field, value in (
                (QueryRequest.task, task),
                (QueryRequest.slots, most),
                (QueryRequest.first_only, first_only),
                (QueryRequest.any_hit, any_hit),
                (QueryRequest.both_sides, bool(options.get("both_sides", False))),
            ):
                self._once(field, np.array([[value]], np.int32))
            path.setdefault(QueryPath.direction, np.zeros((1, 1, 3)))
            path.setdefault(QueryPath.reach, np.zeros((1, 1)))
            inputs = {
                field: xp.moveaxis(xp.asarray(values, store.real if field.dtype == "real" else "int32"), 0, -1)
                for field, values in {**path, **posed}.items()
            }
            step = max(FEWEST, MOST_NUMBERS // (store.stride * most))
            starts = range(0, max(request.size, 1), step)
            parts = [
                self._part(systems, request, inputs, slice(k, min(k + step, request.size)), task, most) for k in starts
            ]
            found = {
                k: xp.concatenate([part[k] for part in parts], axis=1) if parts[1:] else v for k, v in parts[0].items()
            }
            if first_only:
                found = {k: v if k == "total" else v[:, :, 0] for k, v in found.items()}
            return found

    def _part(
        self,
        systems: tuple[System, ...],
        request: Request,
        inputs: dict[Field, Any],
        part: slice,
        task: int,
        most: int,
    ) -> dict[str, Any]:
        """Answer a part of the rays or probes: (environments, part, most, *item), ``total`` (environments, part)."""
        store, xp = self.engine.store, self.engine.device.xp
        count = part.stop - part.start
        for table, rows in ((Query, count), (QueryHit, count * most)):
            if rows > store.rows(table):
                store.grow(table, rows)
        where = slice(None) if request.envs is None else xp.asarray(request.envs)
        for field, values in inputs.items():
            store.view(field)[:count, ..., where] = values[part] if values.shape[0] > 1 else values
        active = store.view(QueryRequest.active)
        active[...] = 0
        active[:, where] = count
        self._program(systems).run(1)
        total = xp.ascontiguousarray(store.view(QueryCount.total)[:count, ..., where].T)
        held = xp.arange(most) < total[..., None]

        def read(field: Field, other: float) -> Any:
            found = xp.moveaxis(store.view(field)[: count * most, ..., where], -1, 0)
            found = found.reshape(request.num_envs, count, most, *field.shape)
            mask = held[..., None] if field.shape else held
            return xp.where(mask, found, xp.asarray(other, found.dtype))

        shape, face = read(QueryHitState.shape, -1), read(QueryHitState.face, -1)
        if store.rows(MeshTriangle):
            kind = self._table("kind", self._kind)[shape]
            of_mesh = (kind == MESH) | (kind == SDF)
            source = self._table("source", self._source)[xp.where(of_mesh, face, xp.asarray(-1, face.dtype))]
            face = xp.where(of_mesh, source, face)
        answer = {"hit": held, "shape": shape, "face": face, "total": total}
        if task != OVERLAP:
            answer["distance"] = read(QueryHitState.distance, 0.0 if task == DEPTH else math.inf)
            answer["position"] = read(QueryHitState.position, math.inf)
            answer["normal"] = read(QueryHitState.normal, 0.0)
        return answer

    def _once(self, field: Field, value: np.ndarray) -> None:
        """Write a field that environments share, unless it has the value already."""
        if self._written.get(field) != value.tobytes():
            self.engine.store.set(field, value)
            self._written[field] = value.tobytes()

    def _program(self, systems: tuple[System, ...]) -> Any:
        store = self.engine.store
        for system in systems:
            for access in system.field_arguments.values():
                store.array(access.target)  # before the version is looked at
        version, program = self._programs.get(systems, (-1, None))
        if version != store.version:
            program = store.program(systems)
            self._programs[systems] = (store.version, program)
        return program
