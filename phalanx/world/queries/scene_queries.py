"""Scene queries: rays, overlaps, sweeps and penetration, for many at once in every environment.

>>> hits = world.queries.raycast(origins, directions, max_distance=30.0)  # doctest: +SKIP
>>> hits.distance, hits.normal, hits.actor_name(0, 17)  # doctest: +SKIP

Positions are in each environment's frame, metres; arrays are (num_envs, m, ...), or (m, ...) where all environments
ask the same, and ``env_ids=`` restricts a query to some environments, whose results alone are returned. Arguments that
are on the world's GPU already are taken as they are: numbers that are not finite, or directions without length, then
hit nothing instead of raising an error. Queries see the scene as it is now, also after poses were written; they change
nothing in it.

Every query has these options:

* ``mask``: collision groups that are seen, as bits or numbers in a list; ``group``: the query's own collision group,
  which the masks of shapes must have; no condition by default.
* ``ignore``, ``only``: actors, or names of :attr:`SceneQueries.actor_names`, that are left out, or that alone count.
* ``both_sides``: triangles of meshes and height fields are met from behind, too.

Spheres, capsules, boxes, cylinders, cones and hulls are solid, and so is what is below a plane; triangle meshes and
height fields are surfaces.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from phalanx import components as c
from phalanx.components.query import DEPTH, OVERLAP, SWEEP, QueryPath, QueryPose, QueryProbe
from phalanx.components.shape import is_convex
from phalanx.ecs import Field
from phalanx.systems.queries import POSES, PROBES, RAYS
from phalanx.world.handles.actor import Actor
from phalanx.world.queries import input as query_input
from phalanx.world.queries.input import Probe, Request
from phalanx.world.queries.results import Hits, Touches
from phalanx.world.queries.tables import QueryOptions, QueryTables

if TYPE_CHECKING:
    from phalanx.models.robot_model import Shape

MAX_HITS = 16
_UNTURNED = (1.0, 0.0, 0.0, 0.0)


class SceneQueries(QueryTables):
    """Queries on one world, ``world.queries``.

    What kernels and arrays they need is made when a query of its kind is first asked for; arrays grow with the largest
    request.
    """

    # -- rays ------------------------------------------------------------------------------------------------

    def raycast(
        self,
        origins: Any,
        directions: Any,
        max_distance: Any = math.inf,
        mode: str = "closest",
        *,
        max_hits: int = MAX_HITS,
        env_ids: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Hits:
        """Where rays hit.

        A ray that starts inside something solid (or on it, to rounding) hits it at once: distance 0, normal against
        the ray. Meshes and height fields are hit on their front only, unless ``both_sides``, or the mesh is
        double-sided.

        Args:
            origins, directions: (num_envs, m, 3) or (m, 3); directions of any length but zero.
            max_distance: m; a number, (m,) or (num_envs, m).
            mode: ``"closest"``, ``"any"`` (some hit, cheaper) or ``"all"`` (each shape's first hit, sorted).
            max_hits: of ``"all"``: how many to keep, the nearest.

        Returns:
            Distances and positions are those of a ray displaced by at most 4 u (L + s) + u L, u = 6e-8 in float32
            (1e-16 in float64), L the distance and s the size of what is hit.

        Raises:
            ValueError: shapes do not fit, or a number is NaN or out of its range; the message says where.
        """
        request = Request(self.engine, "raycast", env_ids)
        path = self._path(request, "origins", origins, directions, max_distance)
        return Hits(
            **self._run(RAYS, request, path, {}, SWEEP, *self._mode(request, mode, max_hits), options), queries=self
        )

    # -- overlap ---------------------------------------------------------------------------------------------

    def overlap(
        self,
        shape: Shape,
        positions: Any,
        orientations: Any = (1.0, 0.0, 0.0, 0.0),
        mode: str = "all",
        *,
        max_hits: int = MAX_HITS,
        env_ids: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Touches:
        """Which shapes a convex shape touches.

        Args:
            shape: sphere, capsule, box, cylinder, cone, or a mesh, by its hull.
            positions, orientations: (num_envs, m, 3) or (m, 3) and (..., 4), w x y z, of its frame.
            mode: ``"all"``, or ``"any"`` (whether there is one, cheaper).
        """
        request = Request(self.engine, "overlap", env_ids)
        return self._overlap(
            request, query_input.convex(request, shape), positions, orientations, mode, max_hits, options
        )

    def overlap_sphere(
        self,
        radius: Any,
        positions: Any,
        mode: str = "all",
        *,
        max_hits: int = MAX_HITS,
        env_ids: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Touches:
        """Which shapes a sphere touches; ``radius`` is a number, (m,) or (num_envs, m). See :meth:`overlap`."""
        request = Request(self.engine, "overlap_sphere", env_ids)
        return self._overlap(
            request, query_input.sphere(request, radius), positions, _UNTURNED, mode, max_hits, options
        )

    def overlap_box(
        self,
        half_extents: Any,
        positions: Any,
        orientations: Any = (1.0, 0.0, 0.0, 0.0),
        mode: str = "all",
        *,
        max_hits: int = MAX_HITS,
        env_ids: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Touches:
        """Which shapes a box touches; ``half_extents`` is (3,), (m, 3) or (num_envs, m, 3). See :meth:`overlap`."""
        request = Request(self.engine, "overlap_box", env_ids)
        return self._overlap(
            request, query_input.box(request, half_extents), positions, orientations, mode, max_hits, options
        )

    def overlap_capsule(
        self,
        radius: Any,
        half_length: Any,
        positions: Any,
        orientations: Any = (1.0, 0.0, 0.0, 0.0),
        mode: str = "all",
        *,
        max_hits: int = MAX_HITS,
        env_ids: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Touches:
        """Which shapes a capsule along its z axis touches; ``half_length`` without the caps. See :meth:`overlap`."""
        request = Request(self.engine, "overlap_capsule", env_ids)
        probe = query_input.capsule(request, radius, half_length)
        return self._overlap(request, probe, positions, orientations, mode, max_hits, options)

    def _overlap(
        self, request: Request, probe: Probe, positions: Any, orientations: Any, mode: str, most: int, options: Any
    ) -> Touches:
        path = self._path(request, "positions", positions)
        posed = self._pose(request, probe, path, orientations)
        wanted = self._mode(request, mode, most, ("all", "any"))
        found = self._run(PROBES, request, path, posed, OVERLAP, *wanted, options)
        return Touches(**found, queries=self)

    # -- sweeps ----------------------------------------------------------------------------------------------

    def sweep(
        self,
        shape: Shape,
        positions: Any,
        directions: Any,
        max_distance: Any = math.inf,
        orientations: Any = (1.0, 0.0, 0.0, 0.0),
        mode: str = "closest",
        *,
        max_hits: int = MAX_HITS,
        env_ids: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Hits:
        """How far a convex shape gets along a direction, without turning.

        A sweep that starts in an overlap hits at once: distance 0, normal against the direction, position that of the
        probe; :meth:`penetration` says how deep it is. One that starts in touch, to rounding, hits only what it moves
        against. Triangles of meshes and height fields are passed from behind, unless ``both_sides``.

        Args:
            shape: sphere, capsule, box, cylinder, cone, or a mesh, by its hull.
            positions, orientations: (num_envs, m, 3) or (m, 3) and (..., 4), w x y z, of its frame at the start.
            directions, max_distance, mode, max_hits: as for :meth:`raycast`.
        """
        request = Request(self.engine, "sweep", env_ids)
        probe = query_input.convex(request, shape)
        return self._sweep(request, probe, positions, directions, max_distance, orientations, mode, max_hits, options)

    def sweep_sphere(
        self,
        radius: Any,
        origins: Any,
        directions: Any,
        max_distance: Any = math.inf,
        mode: str = "closest",
        *,
        max_hits: int = MAX_HITS,
        env_ids: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Hits:
        """How far a sphere gets; ``radius`` is a number, (m,) or (num_envs, m). See :meth:`sweep`."""
        request = Request(self.engine, "sweep_sphere", env_ids)
        probe = query_input.sphere(request, radius)
        return self._sweep(request, probe, origins, directions, max_distance, _UNTURNED, mode, max_hits, options)

    def sweep_box(
        self,
        half_extents: Any,
        positions: Any,
        directions: Any,
        max_distance: Any = math.inf,
        orientations: Any = (1.0, 0.0, 0.0, 0.0),
        mode: str = "closest",
        *,
        max_hits: int = MAX_HITS,
        env_ids: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Hits:
        """How far a box gets; ``half_extents`` is (3,), (m, 3) or (num_envs, m, 3). See :meth:`sweep`."""
        request = Request(self.engine, "sweep_box", env_ids)
        probe = query_input.box(request, half_extents)
        return self._sweep(request, probe, positions, directions, max_distance, orientations, mode, max_hits, options)

    def sweep_capsule(
        self,
        radius: Any,
        half_length: Any,
        positions: Any,
        directions: Any,
        max_distance: Any = math.inf,
        orientations: Any = (1.0, 0.0, 0.0, 0.0),
        mode: str = "closest",
        *,
        max_hits: int = MAX_HITS,
        env_ids: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Hits:
        """How far a capsule along its z axis gets; ``half_length`` without the caps. See :meth:`sweep`."""
        request = Request(self.engine, "sweep_capsule", env_ids)
        probe = query_input.capsule(request, radius, half_length)
        return self._sweep(request, probe, positions, directions, max_distance, orientations, mode, max_hits, options)

    def _sweep(
        self,
        request: Request,
        probe: Probe,
        positions: Any,
        directions: Any,
        max_distance: Any,
        orientations: Any,
        mode: str,
        most: int,
        options: Any,
    ) -> Hits:
        path = self._path(request, "positions", positions, directions, max_distance)
        posed = self._pose(request, probe, path, orientations)
        wanted = self._mode(request, mode, most)
        return Hits(**self._run(PROBES, request, path, posed, SWEEP, *wanted, options), queries=self)

    # -- penetration -----------------------------------------------------------------------------------------

    def penetration(
        self,
        shape: Shape,
        positions: Any,
        orientations: Any = (1.0, 0.0, 0.0, 0.0),
        mode: str = "deepest",
        *,
        max_hits: int = MAX_HITS,
        env_ids: Any = None,
        **options: Unpack[QueryOptions],
    ) -> Hits:
        """How deep a convex shape is in others, and the shortest way out of each.

        ``distance`` is negative; moving the shape by ``depth`` along ``normal`` frees it from that other shape.
        ``position`` is where the other's surface is deepest in it. Of a mesh or height field the triangle counts that
        is overlapped most; it pushes to its front (unless ``both_sides``).

        Args:
            shape, positions, orientations: as for :meth:`overlap`.
            mode: ``"deepest"``, or ``"all"`` (each shape, deepest first).
        """
        request = Request(self.engine, "penetration", env_ids)
        path = self._path(request, "positions", positions)
        posed = self._pose(request, query_input.convex(request, shape), path, orientations)
        wanted = self._mode(request, mode, max_hits, ("deepest", "all"))
        return Hits(**self._run(PROBES, request, path, posed, DEPTH, *wanted, options), queries=self)

    def penetration_between(
        self,
        a: Actor | str,
        b: Actor | str,
        body_a: str | None = None,
        body_b: str | None = None,
        *,
        env_ids: Any = None,
        both_sides: bool = False,
    ) -> Hits:
        """How deep one actor is in another where they are: the deepest of their shapes, arrays (num_envs, ...).

        Moving ``a`` by ``depth`` along ``normal`` frees those two shapes from each other.

        Args:
            a, b: actors or names; shapes of ``a`` must be convex, so it is the one without meshes.
            body_a, body_b: only these bodies of theirs.
        """
        request = Request(self.engine, "penetration_between", env_ids)
        rows = [self._rows(request, actor, body) for actor, body in ((a, body_a), (b, body_b))]
        if (~is_convex(self._kind[rows[0]])).any():
            name = self.actor_names[self._actor[int(rows[0][0])]]
            raise ValueError(f"{request.who}: {name!r} has triangles or is a plane; name it second")
        store, xp = self.engine.store, self.engine.device.xp
        self.engine.refresh()
        with store.active():
            self._program(POSES).run(1)
            at = xp.asarray(rows[0])

            def of(field: Field) -> Any:
                found = xp.moveaxis(store.view(field)[at], -1, 0)
                return found if request.envs is None or found.shape[0] == 1 else found[xp.asarray(request.envs)]

            path: dict[Field, Any] = {QueryPath.origin: of(QueryPose.root) + of(QueryPose.offset)}
            posed = {
                QueryProbe.kind: of(c.ShapeTopology.kind),
                QueryProbe.first_vertex: of(c.ShapeTopology.first_vertex),
                QueryProbe.end_vertex: of(c.ShapeTopology.end_vertex),
                QueryProbe.size: of(c.ShapeGeometry.size),
                QueryProbe.low: of(c.ShapeGeometry.low),
                QueryProbe.high: of(c.ShapeGeometry.high),
                QueryProbe.rotation: of(QueryPose.rotation),
            }
        request.size = len(at)
        seen = np.isin(np.arange(len(self._kind)), rows[1])
        found = self._run(PROBES, request, path, posed, DEPTH, 1, True, False, {"both_sides": both_sides}, seen)
        hits = Hits(**found, queries=self)
        with store.active():
            best = xp.where(hits.hit, hits.distance, xp.inf).argmin(axis=1)
            pick = lambda values: values[xp.arange(len(best)), best]  # noqa: E731
            return Hits(
                **{
                    name: pick(getattr(hits, name))
                    for name in ("hit", "shape", "face", "distance", "position", "normal")
                },
                total=hits.total.sum(axis=1),
                queries=self,
            )
