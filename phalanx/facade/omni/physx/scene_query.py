"""Rays, sweeps and overlaps of the world that is simulated, one at a time, as ``omni.physx`` asks for them.

:attr:`phalanx.World.queries` answers many at once in every environment. Here positions are in the world's axes, m; what
any environment has is hit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.carb.types import Float3
from phalanx.facade.colliders import collider_path
from phalanx.facade.pxr.PhysicsSchemaTools import encodeSdfPath
from phalanx.facade.stage_world import StageWorld

MOST = 256
"""Hits of one query."""

NOWHERE = Float3(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class OverlapHit:
    """A collider that overlaps: paths of its prim and of its rigid body, the same where a prim is both."""

    rigid_body: str
    collision: str

    @property
    def rigid_body_encoded(self) -> tuple[int, int]:
        """See ``PhysicsSchemaTools.decodeSdfPath``."""
        return encodeSdfPath(self.rigid_body)

    @property
    def collision_encoded(self) -> tuple[int, int]:
        """See ``PhysicsSchemaTools.decodeSdfPath``."""
        return encodeSdfPath(self.collision)


@dataclass(frozen=True)
class SweepHit(OverlapHit):
    """A collider that a ray or sweep hits: ``position`` and ``distance``, m, and unit ``normal``, world axes.

    ``face_index`` is that of a triangle, 0 for other shapes.
    """

    position: Float3
    normal: Float3
    distance: float
    face_index: int
    material: str = ""

    @property
    def faceIndex(self) -> int:
        """The same as ``face_index``."""
        return self.face_index


RaycastHit = SweepHit


class PhysXSceneQuery:
    """Asks what is where. Nothing is hit while nothing is simulated.

    Directions may have any length but zero; a distance below 0 is infinite. ``reportFn`` is called with each hit, and
    ends the query by returning ``False``.
    """

    # -- rays ------------------------------------------------------------------------------------------------

    def raycast_closest(self, origin: Any, dir: Any, distance: float, bothSides: bool = False) -> dict[str, Any]:
        """The nearest collider on a ray.

        Returns:
            ``hit``, and of the hit ``rigidBody``, ``collision`` and ``material``, paths, ``position``, ``normal``,
            ``distance`` and ``faceIndex``.
        """
        return _closest(self._rays("closest", origin, dir, distance, bothSides))

    def raycast_any(self, origin: Any, dir: Any, distance: float, bothSides: bool = False) -> bool:
        """Whether a ray hits something."""
        return bool(self._rays("any", origin, dir, distance, bothSides))

    def raycast_all(
        self,
        origin: Any,
        dir: Any,
        distance: float,
        reportFn: Callable[[SweepHit], object],
        bothSides: bool = False,
    ) -> bool:
        """Report all colliders on a ray, the nearest first; whether there is one."""
        return _report(self._rays("all", origin, dir, distance, bothSides), reportFn) > 0

    def _rays(self, mode: str, origin: Any, way: Any, distance: float, both: bool) -> list[SweepHit]:
        return _hits(
            lambda queries, at: queries.raycast(
                at(origin), triple(way)[None], _far(distance), mode, both_sides=bool(both), **_many(mode)
            )
        )

    # -- sweeps ----------------------------------------------------------------------------------------------

    def sweep_sphere_closest(
        self, radius: float, origin: Any, dir: Any, distance: float, bothSides: bool = False
    ) -> dict[str, Any]:
        """The first collider in the way of a sphere; see :meth:`raycast_closest`."""
        return _closest(self._spheres("closest", radius, origin, dir, distance, bothSides))

    def sweep_sphere_any(self, radius: float, origin: Any, dir: Any, distance: float, bothSides: bool = False) -> bool:
        """Whether something is in the way of a sphere."""
        return bool(self._spheres("any", radius, origin, dir, distance, bothSides))

    def sweep_sphere_all(
        self,
        radius: float,
        origin: Any,
        dir: Any,
        distance: float,
        reportFn: Callable[[SweepHit], object],
        bothSides: bool = False,
    ) -> bool:
        """Report all colliders in the way of a sphere, the nearest first; whether there is one."""
        return _report(self._spheres("all", radius, origin, dir, distance, bothSides), reportFn) > 0

    def _spheres(self, mode: str, radius: float, origin: Any, way: Any, distance: float, both: bool) -> list[SweepHit]:
        return _hits(
            lambda queries, at: queries.sweep_sphere(
                float(radius),
                at(origin),
                triple(way)[None],
                _far(distance),
                mode,
                both_sides=bool(both),
                **_many(mode),
            )
        )

    def sweep_box_closest(
        self, halfExtent: Any, pos: Any, rot: Any, dir: Any, distance: float, bothSides: bool = False
    ) -> dict[str, Any]:
        """The first collider in the way of a box, turned by a quaternion x y z w; see :meth:`raycast_closest`."""
        return _closest(self._boxes("closest", halfExtent, pos, rot, dir, distance, bothSides))

    def sweep_box_any(
        self, halfExtent: Any, pos: Any, rot: Any, dir: Any, distance: float, bothSides: bool = False
    ) -> bool:
        """Whether something is in the way of a box."""
        return bool(self._boxes("any", halfExtent, pos, rot, dir, distance, bothSides))

    def sweep_box_all(
        self,
        halfExtent: Any,
        pos: Any,
        rot: Any,
        dir: Any,
        distance: float,
        reportFn: Callable[[SweepHit], object],
        bothSides: bool = False,
    ) -> bool:
        """Report all colliders in the way of a box, the nearest first; whether there is one."""
        return _report(self._boxes("all", halfExtent, pos, rot, dir, distance, bothSides), reportFn) > 0

    def _boxes(
        self, mode: str, half: Any, position: Any, turn: Any, way: Any, distance: float, both: bool
    ) -> list[SweepHit]:
        return _hits(
            lambda queries, at: queries.sweep_box(
                triple(half), at(position), triple(way)[None], _far(distance), _turn(turn), mode,
                both_sides=bool(both), **_many(mode),
            )
        )  # fmt: skip

    # -- overlaps --------------------------------------------------------------------------------------------

    def overlap_sphere(
        self, radius: float, pos: Any, reportFn: Callable[[OverlapHit], object] | None, anyHit: bool = False
    ) -> int:
        """Report colliders that a sphere overlaps; how many, at most 1 with ``anyHit``."""
        mode = "any" if anyHit else "all"
        found = _hits(lambda queries, at: queries.overlap_sphere(float(radius), at(pos), mode, **_many(mode)))
        return _report(found[:1] if anyHit else found, reportFn)

    def overlap_sphere_any(self, radius: float, pos: Any) -> bool:
        """Whether a sphere overlaps a collider."""
        return self.overlap_sphere(radius, pos, None, True) > 0

    def overlap_box(
        self,
        halfExtent: Any,
        pos: Any,
        rot: Any,
        reportFn: Callable[[OverlapHit], object] | None,
        anyHit: bool = False,
    ) -> int:
        """Report colliders that a box overlaps, turned by a quaternion x y z w; how many, at most 1 with ``anyHit``."""
        mode = "any" if anyHit else "all"
        found = _hits(
            lambda queries, at: queries.overlap_box(triple(halfExtent), at(pos), _turn(rot), mode, **_many(mode))
        )
        return _report(found[:1] if anyHit else found, reportFn)

    def overlap_box_any(self, halfExtent: Any, pos: Any, rot: Any) -> bool:
        """Whether a box overlaps a collider."""
        return self.overlap_box(halfExtent, pos, rot, None, True) > 0


def triple(value: Any) -> np.ndarray:
    """(3,) numbers of a vector, such as carb's or USD's.

    Raises:
        ValueError: there are not three.
    """
    found = np.array([float(each) for each in value])
    if found.shape != (3,):
        raise ValueError(f"{value!r} must be three numbers")
    return found


def _turn(value: Any) -> np.ndarray:
    x, y, z, w = (float(each) for each in value)
    return np.array([w, x, y, z])


def _far(distance: float) -> float:
    return float(distance) if distance >= 0.0 else np.inf


def _many(mode: str) -> dict[str, Any]:
    return {"max_hits": MOST} if mode == "all" else {}


def _hits(ask: Callable[[Any, Callable[[Any], np.ndarray]], Any]) -> list[Any]:
    """What a query hits in all environments, the nearest first.

    Args:
        ask: asks it of queries, with a function that turns a place in the world into one for each environment.
    """
    world = simulation.stage_world()
    if world is None or (world.is_empty and not world.scene.grounds):
        return []
    origins = np.asarray(world.origins)
    found = ask(world.world.queries, lambda place: (triple(place) - origins)[:, None, :])
    rows: list[tuple[float, Any]] = []
    host = world.world.engine.device.to_host
    shapes, hit = host(found.shape), host(found.hit)
    far = host(found.distance) if hasattr(found, "distance") else None
    for index in np.argwhere(hit):
        env = int(index[0])
        where = _paths(world, int(shapes[tuple(index)]), env)
        if where is None:
            continue
        if far is None:
            rows.append((0.0, OverlapHit(*where)))
        else:
            at = tuple(index)
            place, normal = host(found.position)[at] + origins[env], host(found.normal)[at]
            made = SweepHit(
                *where,
                Float3(*map(float, place)),
                Float3(*map(float, normal)),
                float(far[at]),
                max(int(host(found.face)[at]), 0),
            )
            rows.append((made.distance, made))
    rows.sort(key=lambda row: row[0])
    return list(dict.fromkeys(row[1] for row in rows))  # what is in all environments is told once


def _paths(world: StageWorld, shape: int, env: int) -> tuple[str, str] | None:
    """Paths of the rigid body and the collider of a shape."""
    queries, host = world.world.queries, world.world.engine.device.to_host
    actors = host(queries.lookup("actor", np.arange(shape + 1)))  # those of an actor are consecutive
    actor, body = int(actors[shape]), int(host(queries.lookup("body", shape)))
    path = world.path_of(actor, body, env)
    if path is None:
        return None
    return path, collider_path(world, path, actor, int((actors[:shape] == actor).sum()))


def _closest(found: Sequence[SweepHit]) -> dict[str, Any]:
    hit = found[0] if found else SweepHit("", "", NOWHERE, NOWHERE, 0.0, 0)
    return {
        "hit": bool(found),
        "rigidBody": hit.rigid_body,
        "collision": hit.collision,
        "material": hit.material,
        "position": hit.position,
        "normal": hit.normal,
        "distance": hit.distance,
        "faceIndex": hit.face_index,
    }


def _report(found: Sequence[Any], report: Callable[[Any], object] | None) -> int:
    for count, hit in enumerate(found, 1):
        if report is not None and report(hit) is False:
            return count
    return len(found)


__all__ = ["OverlapHit", "PhysXSceneQuery", "RaycastHit", "SweepHit"]
