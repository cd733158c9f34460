"""Signed distances and normals of two convex shapes by other means: MuJoCo, FCL, and search over directions."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from narrow.pairs import Motion, Solid
from oracles.needed import package

from phalanx.components.shape import BOX, CAPSULE, CONE, CYLINDER, HULL, SPHERE

if TYPE_CHECKING:
    import fcl  # pyright: ignore[reportMissingImports]
else:
    fcl = package("fcl", "python-fcl")

_MUJOCO_TYPES = {
    SPHERE: mujoco.mjtGeom.mjGEOM_SPHERE,
    CAPSULE: mujoco.mjtGeom.mjGEOM_CAPSULE,
    BOX: mujoco.mjtGeom.mjGEOM_BOX,
    CYLINDER: mujoco.mjtGeom.mjGEOM_CYLINDER,
    HULL: mujoco.mjtGeom.mjGEOM_MESH,
}


def has_mujoco(shape: Solid) -> bool:
    """Whether MuJoCo has shapes of this kind."""
    return shape.kind in _MUJOCO_TYPES


def mujoco_distances(
    a: Solid, b: Solid, turn_a: np.ndarray, turn_b: np.ndarray, between: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Signed distances (n,) and normals from b to a (n, 3) by ``mj_geomDistance``."""
    spec = mujoco.MjSpec()
    spec.option.ccd_iterations = 200
    spec.option.ccd_tolerance = 1e-8
    for name, shape in (("a", a), ("b", b)):
        body = spec.worldbody.add_body(name=name)
        geom = body.add_geom(name=name, type=_MUJOCO_TYPES[shape.kind], mass=1.0)
        if shape.kind == HULL:
            mesh = spec.add_mesh(name=name)
            mesh.uservert = shape.vertices.ravel()
            geom.meshname = name
        else:
            geom.size = (*shape.size, 0.0, 0.0)[:3]
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    frames = []
    for i, shape in enumerate((a, b)):  # MuJoCo moves meshes into their inertial frames
        turn = np.eye(3)
        shift = np.zeros(3)
        if shape.kind == HULL:
            turn = data.geom_xmat[i].reshape(3, 3).copy()
            shift = data.geom_xpos[i].copy()
        frames.append((turn, shift))
    distances, normals = np.zeros(len(between)), np.zeros((len(between), 3))
    line = np.zeros(6)
    for k in range(len(between)):
        for i, (turn, origin) in enumerate(((turn_a[k], np.zeros(3)), (turn_b[k], between[k]))):
            data.geom_xmat[i] = (turn @ frames[i][0]).ravel()
            data.geom_xpos[i] = origin + turn @ frames[i][1]
        distances[k] = mujoco.mj_geomDistance(model, data, 0, 1, 1e3, line)
        normals[k] = (line[:3] - line[3:]) * (1.0 if distances[k] >= 0.0 else -1.0)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return distances, normals / np.maximum(length, 1e-300)


def separation(
    a: Solid, b: Solid, turn_a: np.ndarray, turn_b: np.ndarray, between: np.ndarray, normals: np.ndarray
) -> np.ndarray:
    """How far apart the shapes are along unit normals (from b to a): at most their signed distance."""
    reach_a = a.support(-np.einsum("nij,ni->nj", turn_a, normals))
    reach_b = b.support(np.einsum("nij,ni->nj", turn_b, normals))
    return -np.einsum("nj,nj->n", between, normals) - reach_a - reach_b


def best_direction(
    a: Solid, b: Solid, turn_a: np.ndarray, turn_b: np.ndarray, between: np.ndarray, rounds: int = 60
) -> np.ndarray:
    """The signed distance from below: the greatest separation over directions, by search.

    500 directions all round, then ever smaller random steps from the best three.
    """
    rng = np.random.default_rng(7)
    count = len(between)
    k = np.arange(500) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / 500), np.pi * (1.0 + 5.0**0.5) * k
    grid = np.stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)], 1)
    values = np.full((count, 3), -np.inf)
    starts = np.zeros((count, 3, 3))
    for n in grid:
        found = separation(a, b, turn_a, turn_b, between, np.broadcast_to(n, (count, 3)))
        worst = values.argmin(axis=1)
        rows = np.flatnonzero(found > values[np.arange(count), worst])
        values[rows, worst[rows]] = found[rows]
        starts[rows, worst[rows]] = n
    for i in range(3):
        step = 0.1
        n, best = starts[:, i], values[:, i]
        for _ in range(rounds):
            for _ in range(4):
                tried = n + step * rng.normal(size=n.shape)
                tried /= np.linalg.norm(tried, axis=1, keepdims=True)
                found = separation(a, b, turn_a, turn_b, between, tried)
                better = found > best
                n = np.where(better[:, None], tried, n)
                best = np.where(better, found, best)
            step *= 0.85
        values[:, i] = best
    return values.max(axis=1)


def fcl_shape(shape: Solid) -> fcl.CollisionGeometry:
    """The same solid in FCL, whose lengths are whole ones."""
    s = shape.size
    if shape.kind == SPHERE:
        return fcl.Sphere(s[0])
    if shape.kind == CAPSULE:
        return fcl.Capsule(s[0], 2.0 * s[1])
    if shape.kind == BOX:
        return fcl.Box(2.0 * s[0], 2.0 * s[1], 2.0 * s[2])
    if shape.kind == CYLINDER:
        return fcl.Cylinder(s[0], 2.0 * s[1])
    if shape.kind == CONE:
        return fcl.Cone(s[0], 2.0 * s[1])
    faces = [corners for _, _, corners in shape.faces()]
    flat = np.array([i for corners in faces for i in (len(corners), *corners)])
    return fcl.Convex(shape.vertices, len(faces), flat)


def fcl_mesh(vertices: np.ndarray, faces: np.ndarray) -> fcl.BVHModel:
    """Triangles in FCL, which knows nothing of an inside."""
    model = fcl.BVHModel()
    model.beginModel(len(vertices), len(faces))
    model.addSubModel(vertices, faces)
    model.endModel()
    return model


class FirstContact:
    """When two shapes that move first come near each other, by FCL's distances at as many times as it takes."""

    def __init__(
        self, shapes: tuple[fcl.CollisionGeometry, fcl.CollisionGeometry], radii: tuple[float, float],
        turns: np.ndarray, between: np.ndarray, motion: Motion,
    ) -> None:  # fmt: skip
        self._bodies = [fcl.CollisionObject(shape) for shape in shapes]
        self._turns, self._between, self._motion = turns, between, motion
        reach = np.array(radii) + np.linalg.norm(motion.centre, axis=2)
        straight = np.linalg.norm(motion.way[:, 0] - motion.way[:, 1], axis=1)
        self._fastest = straight + (np.linalg.norm(motion.turn, axis=2) * reach).sum(axis=1)
        self._known: dict[tuple[int, float], float] = {}

    def times(self, near: float) -> np.ndarray:
        """(n,) when the shapes are first nearer than ``near``, m; inf if never in the substep.

        Intervals are halved until it is proven: no distance changes faster than the fastest points move.
        """
        return np.array([self._first(i, near) for i in range(len(self._between))])

    def _first(self, i: int, near: float) -> float:
        waiting = [(0.0, 1.0)]
        while waiting:
            low, high = waiting.pop()
            if self.distance(i, low) <= near:
                return low
            if self.distance(i, low) + self.distance(i, high) - self._fastest[i] * (high - low) <= 2.0 * near:
                if high - low < 1e-6:
                    if self.distance(i, high) <= near:
                        return high
                else:
                    middle = 0.5 * (low + high)
                    waiting += [(middle, high), (low, middle)]
        return np.inf

    def distance(self, i: int, time: float) -> float:
        """Distance of placement ``i``, m; 0 if they overlap."""
        if (i, time) not in self._known:
            m = self._motion
            own = Motion(m.turn[i : i + 1], m.centre[i : i + 1], m.way[i : i + 1])
            turns, between = own.at(self._turns[i : i + 1], self._between[i : i + 1], np.array([time]))
            self._bodies[0].setTransform(fcl.Transform(turns[0, 0], np.zeros(3)))
            self._bodies[1].setTransform(fcl.Transform(turns[0, 1], between[0]))
            found = fcl.distance(*self._bodies, fcl.DistanceRequest(), fcl.DistanceResult())
            self._known[i, time] = max(0.0, found)
        return self._known[i, time]
