"""Pairs of shapes at given poses, through the systems of the narrow phase: one environment for each placement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from oracles import host
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from phalanx.components.pair import (
    Candidate,
    CandidateCount,
    CandidatePair,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
)
from phalanx.components.shape import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    HULL,
    SPHERE,
    HullCorner,
    HullCornerVertex,
    HullFace,
    HullFacePlane,
    HullVertex,
    HullVertexPosition,
    Shape,
    ShapeBounds,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
)
from phalanx.components.world import World
from phalanx.ecs import Device, Store
from phalanx.systems.collision.narrow import systems_for

POINTS = 4


@dataclass
class Solid:
    """A convex shape: kind, size, and of a hull its vertices."""

    kind: int
    size: tuple[float, ...] = (1.0, 1.0, 1.0)
    vertices: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))

    @property
    def radius(self) -> float:
        """Radius of the sphere about the origin that holds it."""
        if self.kind == HULL:
            return float(np.linalg.norm(self.vertices, axis=1).max())
        if self.kind in (CYLINDER, CONE):
            return float(np.hypot(self.size[0], self.size[1]))
        return self.size[0] if self.kind == SPHERE else float(np.linalg.norm(self.size[: 3 if self.kind == BOX else 2]))

    def support(self, directions: np.ndarray) -> np.ndarray:
        """How far it reaches along unit directions (n, 3), in its own frame."""
        d, s = directions, self.size
        across = np.hypot(d[:, 0], d[:, 1])
        if self.kind == SPHERE:
            return np.full(len(d), s[0])
        if self.kind == CAPSULE:
            return s[0] + s[1] * np.abs(d[:, 2])
        if self.kind == BOX:
            return np.abs(d) @ np.array(s[:3])
        if self.kind == CYLINDER:
            return s[0] * across + s[1] * np.abs(d[:, 2])
        if self.kind == CONE:
            return np.maximum(s[1] * d[:, 2], s[0] * across - s[1] * d[:, 2])
        return (d @ self.vertices.T).max(axis=1)

    def faces(self) -> list[tuple[np.ndarray, float, list[int]]]:
        """Of a hull: outward normal, offset and corners (counter-clockwise) of each face, coplanar triangles merged."""
        hull = ConvexHull(self.vertices)
        groups: dict[tuple[float, ...], set[int]] = {}
        for plane, triangle in zip(np.round(hull.equations, 9), hull.simplices, strict=True):
            groups.setdefault(tuple(plane), set()).update(triangle.tolist())
        faces = []
        for plane, members in groups.items():
            n = np.array(plane[:3])
            u = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
            at = self.vertices[sorted(members)]
            x = (at - at.mean(0)) @ u
            y = (at - at.mean(0)) @ np.cross(n, u)
            faces.append((n, -plane[3], [sorted(members)[i] for i in np.argsort(np.arctan2(y, x))]))
        return faces


@dataclass
class Contacts:
    """What the narrow phase finds, placement first: (n,), (n, 4, 3), (n, 4, 3), (n, 4)."""

    count: np.ndarray
    position: np.ndarray
    normal: np.ndarray
    separation: np.ndarray

    @property
    def deepest(self) -> np.ndarray:
        """Least separation of each placement; infinite where there is no contact."""
        return self._held.min(axis=1)

    @property
    def normal_of_deepest(self) -> np.ndarray:
        """Normal (n, 3) of the point with the least separation."""
        return self.normal[np.arange(len(self.normal)), self._held.argmin(axis=1)]

    @property
    def _held(self) -> np.ndarray:
        return np.where(np.arange(POINTS) < self.count[:, None], self.separation, np.inf)


def random_turns(count: int, rng: np.random.Generator) -> np.ndarray:
    """Random rotations (n, 3, 3)."""
    return Rotation.random(count, rng).as_matrix()  # pyright: ignore[reportCallIssue]


def place(a: Solid, b: Solid, count: int, rng: np.random.Generator, spread: float = 1.1) -> tuple[np.ndarray, ...]:
    """Random rotations of a and b (n, 3, 3) and vectors between them (n, 3): from overlapping deeply to apart."""
    turns = random_turns(2 * count, rng)
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    return turns[:count], turns[count:], way * rng.uniform(0.0, spread, (count, 1)) * (a.radius + b.radius)


def collide(
    a: Solid,
    b: Solid,
    turn_a: np.ndarray,
    turn_b: np.ndarray,
    between: np.ndarray,
    reach: float,
    device: str = "cpu",
    real: str = "float32",
) -> Contacts:
    """Run the narrow phase for ``a`` and ``b`` (kinds in order) at n placements."""
    assert a.kind <= b.kind
    return contacts(_run(a, b, turn_a, turn_b, between, reach, device, real))


@dataclass
class Motion:
    """How a and b move in a substep: rotation vectors, centres of rotation (from their origins), ways of those.

    Each (n, 2, 3), in world axes.
    """

    turn: np.ndarray
    centre: np.ndarray
    way: np.ndarray

    def at(self, turns: np.ndarray, between: np.ndarray, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rotations (n, 2, 3, 3) and vectors from a to b (n, 3) at times (n,), from those at the start."""
        turned = Rotation.from_rotvec((time[:, None, None] * self.turn).reshape(-1, 3)).as_matrix().reshape(-1, 2, 3, 3)
        moved = time[:, None, None] * self.way + self.centre - np.einsum("nsij,nsj->nsi", turned, self.centre)
        return turned @ turns, between + moved[:, 1] - moved[:, 0]


@dataclass
class Impacts:
    """Contacts of shapes that move, as the solver sees them; placement first: (n,), (n, p, 3), (n, p, 3), (n, p)."""

    position: np.ndarray
    normal: np.ndarray
    separation: np.ndarray
    held: np.ndarray
    """Which contacts there are, but for those of surfaces that are passed (n, p)."""
    between: np.ndarray
    """From a to b, as far as contact points on b are concerned (n, 3)."""

    def change(self, motion: Motion) -> np.ndarray:
        """(n, p): how far contact points go apart along their normals in the substep, to first order."""
        half = 0.5 * np.maximum(self.separation, 0.0)[..., None] * self.normal
        on_a = self.position + half - motion.centre[:, None, 0]
        on_b = self.position - half - self.between[:, None] - motion.centre[:, None, 1]
        va = motion.way[:, None, 0] + np.cross(motion.turn[:, None, 0], on_a)
        vb = motion.way[:, None, 1] + np.cross(motion.turn[:, None, 1], on_b)
        return np.einsum("npj,npj->np", va - vb, self.normal)


def give_motion(store: Store, motion: Motion, reach: float) -> None:
    """Shapes 0 and 1, the first candidate, move."""
    travel = motion.way - np.cross(motion.turn, motion.centre)
    store.set(ShapeBounds.travel, np.moveaxis(np.pad(travel, ((0, 0), (0, 0), (0, 2))), 0, 2))
    store.set(ShapeMotion.turn, np.moveaxis(motion.turn, 0, 2))
    store.set(ShapeMotion.centre, np.moveaxis(motion.centre, 0, 2))
    store.set(CandidatePair.way, np.full((1, len(travel)), reach))
    store.set(Manifold.passed, np.zeros((1, len(travel))))


def impacts(store: Store, found: Any) -> Impacts:
    """What is found of candidate 0."""
    left = found.count - host(store.view(Manifold.passed))[0].astype(int)
    held = np.arange(found.separation.shape[1]) < left[:, None]
    between = host(store.view(CandidatePair.between))[0].T.astype(float)
    return Impacts(found.position, found.normal, found.separation, held, between)


def collide_moving(
    a: Solid, b: Solid, turns: np.ndarray, between: np.ndarray, motion: Motion, reach: float, device: str = "cpu",
    real: str = "float32",
) -> Impacts:  # fmt: skip
    """As :func:`collide`, of shapes that move: rotations (n, 2, 3, 3)."""
    store = _run(a, b, turns[:, 0], turns[:, 1], between, reach, device, real, motion)
    return impacts(store, contacts(store))


def _run(
    a: Solid, b: Solid, turn_a: np.ndarray, turn_b: np.ndarray, between: np.ndarray, reach: float, device: str,
    real: str, motion: Motion | None = None,
) -> Store:  # fmt: skip
    assert a.kind <= b.kind
    store = build(a, b, len(between), device, real)
    rotation = np.stack([turn_a, turn_b]).reshape(2, -1, 9)
    store.set(ShapePose.rotation, np.moveaxis(rotation, 1, 2))
    store.set(CandidatePair.between, between.T[None])
    store.set(CandidatePair.reach, np.full((1, len(between)), reach))
    if motion is not None:
        give_motion(store, motion, reach)
    store.program([s for s in systems_for({(a.kind, b.kind)}) if s.name != "guard_fast_shapes"]).run(1)
    store.device.synchronize()
    return store


def contacts(store: Store) -> Contacts:
    """Read back the manifolds of candidate 0."""
    return Contacts(
        host(store.view(Manifold.count))[0].astype(int),
        np.moveaxis(host(store.view(ManifoldPointState.position)), 2, 0)[:, :POINTS].astype(float),
        np.moveaxis(host(store.view(ManifoldPointState.normal)), 2, 0)[:, :POINTS].astype(float),
        host(store.view(ManifoldPointState.separation)).T[:, :POINTS].astype(float),
    )


def build(a: Solid, b: Solid, envs: int, device: str, real: str) -> Store:
    """A store with two shapes and one candidate."""
    store = Store(envs, Device(device), real)
    hulls = [s for s in (a, b) if s.kind == HULL]
    faces = [s.faces() for s in hulls]
    for table, rows in (
        (World, 1),
        (Shape, 2),
        (Candidate, 1),
        (ManifoldPoint, POINTS),
        (HullVertex, sum(len(s.vertices) for s in hulls)),
        (HullFace, sum(len(f) for f in faces)),
        (HullCorner, sum(len(f[2]) for some in faces for f in some)),
    ):
        store.set_rows(table, rows)
    column = lambda values: np.array(values)[:, None]  # noqa: E731
    starts = {"vertex": [0, 0, 0], "face": [0, 0, 0]}
    for i, s in enumerate((a, b)):
        own = s.faces() if s.kind == HULL else []
        starts["vertex"][i + 1] = starts["vertex"][i] + len(s.vertices)
        starts["face"][i + 1] = starts["face"][i] + len(own)
    store.set(ShapeTopology.kind, column([a.kind, b.kind]))
    store.set(ShapeTopology.first_vertex, column(starts["vertex"][:2]))
    store.set(ShapeTopology.end_vertex, column(starts["vertex"][1:]))
    store.set(ShapeTopology.first_face, column(starts["face"][:2]))
    store.set(ShapeTopology.end_face, column(starts["face"][1:]))
    store.set(ShapeGeometry.size, np.array([(*s.size, 0.0, 0.0)[:3] for s in (a, b)])[..., None])
    axes = np.eye(3)
    store.set(ShapeGeometry.low, np.array([-s.support(-axes) for s in (a, b)])[..., None])
    store.set(ShapeGeometry.high, np.array([s.support(axes) for s in (a, b)])[..., None])
    if hulls:
        store.set(HullVertexPosition.position, np.concatenate([s.vertices for s in hulls])[..., None])
        first = np.cumsum([0] + [len(s.vertices) for s in hulls])
        listed = [(n, d, [first[i] + c for c in corners]) for i, some in enumerate(faces) for n, d, corners in some]
        ends = np.cumsum([0] + [len(corners) for _, _, corners in listed])
        store.set(HullFacePlane.normal, np.array([n for n, _, _ in listed])[..., None])
        store.set(HullFacePlane.offset, column([d for _, d, _ in listed]))
        store.set(HullFacePlane.first_corner, column(ends[:-1]))
        store.set(HullFacePlane.end_corner, column(ends[1:]))
        store.set(HullCornerVertex.vertex, column([c for _, _, corners in listed for c in corners]))
    store.set(CandidateCount.current, np.ones((1, envs)))
    store.set(CandidatePair.a, np.zeros((1, envs)))
    store.set(CandidatePair.b, np.ones((1, envs)))
    store.set(Manifold.count, np.zeros((1, envs)))
    return store


def sphere(radius: float) -> Solid:
    return Solid(SPHERE, (radius,))


def capsule(radius: float, half: float) -> Solid:
    return Solid(CAPSULE, (radius, half))


def box(x: float, y: float, z: float) -> Solid:
    return Solid(BOX, (x, y, z))


def cylinder(radius: float, half: float) -> Solid:
    return Solid(CYLINDER, (radius, half))


def cone(radius: float, half: float) -> Solid:
    return Solid(CONE, (radius, half))


def hull(points: np.ndarray) -> Solid:
    """The hull of points about their mean."""
    points = points[ConvexHull(points).vertices]
    return Solid(HULL, (1.0, 1.0, 1.0), points - points.mean(axis=0))
