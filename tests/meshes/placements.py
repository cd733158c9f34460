"""A shape against a triangle mesh, height field or distance field at given poses: an environment for each placement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from narrow.pairs import Impacts, Motion, give_motion, impacts
from oracles import host

from phalanx.components.pair import (
    Candidate,
    CandidateCount,
    CandidatePair,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
)
from phalanx.components.shape import Shape as ShapeTable
from phalanx.components.shape import ShapeGeometry, ShapePose, ShapeTopology
from phalanx.components.world import World
from phalanx.ecs import Device, Store
from phalanx.models.meshes.cooking import cook
from phalanx.models.robot_model import Shape
from phalanx.systems.collision import mesh_contact, sdf_contact
from phalanx.world.layout.geometry import GeometryTables

POINTS = 8


@dataclass
class Contacts:
    """What is found, placement first: (n,), (n, 8, 3), (n, 8, 3), (n, 8); positions about the origin of the shape."""

    count: np.ndarray
    position: np.ndarray
    normal: np.ndarray
    separation: np.ndarray

    @property
    def held(self) -> np.ndarray:
        """Which slots hold a point (n, 8)."""
        return np.arange(POINTS) < self.count[:, None]

    @property
    def deepest(self) -> np.ndarray:
        """Least separation of each placement; infinite where there is no contact."""
        return np.where(self.held, self.separation, np.inf).min(axis=1)


class Scene:
    """Two shapes in the order of kinds, the second a mesh, height or distance field, in ``count`` environments."""

    def __init__(
        self, a: Shape, b: Shape, count: int, device: str = "cpu", real: str = "float32", double_sided: bool = False
    ) -> None:
        pieces = [cook(a)[0], cook(b, moves=False, double_sided=double_sided)[0]]
        store = Store(count, Device(device), real)
        for table, rows in ((World, 1), (ShapeTable, 2), (Candidate, 1), (ManifoldPoint, POINTS)):
            store.set_rows(table, rows)
        tables = GeometryTables()
        rows = [tables.add(piece.geometry) for piece in pieces]
        tables.write(store)
        for field in rows[0].fields():
            store.set(field, np.array([row.fields()[field] for row in rows])[..., None])
        store.set(ShapeTopology.kind, np.array([piece.kind for piece in pieces])[:, None])
        store.set(ShapeGeometry.size, np.array([piece.size for piece in pieces])[..., None])
        store.set(ShapeGeometry.low, np.array([piece.low for piece in pieces])[..., None])
        store.set(ShapeGeometry.high, np.array([piece.high for piece in pieces])[..., None])
        store.set(CandidateCount.current, np.ones((1, count)))
        store.set(CandidatePair.a, np.zeros((1, count)))
        store.set(CandidatePair.b, np.ones((1, count)))
        self.pieces = pieces
        self.store = store
        kinds = {(pieces[0].kind, pieces[1].kind)}
        self.program = store.program([*mesh_contact.systems_for(kinds), *sdf_contact.systems_for(kinds)])

    def collide(self, turn_a: np.ndarray, turn_b: np.ndarray, between: np.ndarray, reach: float) -> Contacts:
        """Contacts for rotations (n, 3, 3) of both shapes and the vectors (n, 3) between their origins."""
        store = self.store
        rotation = np.stack(np.broadcast_arrays(turn_a, turn_b)).reshape(2, -1, 9)
        store.set(ShapePose.rotation, np.moveaxis(rotation, 1, 2))
        store.set(CandidatePair.between, between.T[None])
        store.set(CandidatePair.reach, np.full((1, len(between)), reach))
        store.set(Manifold.count, np.zeros((1, len(between))))
        return self._run()

    def collide_moving(self, turns: np.ndarray, between: np.ndarray, motion: Motion, reach: float) -> Impacts:
        """As :meth:`collide`, of shapes that move: rotations (n, 2, 3, 3)."""
        give_motion(self.store, motion, reach)
        found = self.collide(turns[:, 0], turns[:, 1], between, reach)
        return impacts(self.store, found)

    def _run(self) -> Contacts:
        store = self.store
        self.program.run(1)
        store.device.synchronize()
        return Contacts(
            host(store.view(Manifold.count))[0].astype(int),
            np.moveaxis(host(store.view(ManifoldPointState.position)), 2, 0).astype(float),
            np.moveaxis(host(store.view(ManifoldPointState.normal)), 2, 0).astype(float),
            host(store.view(ManifoldPointState.separation)).T.astype(float),
        )


def grid_mesh(cells: int, spacing: float, height: float = 0.0) -> Shape:
    """A flat square floor of triangles about the origin."""
    from phalanx.models.meshes.height_fields import grid_triangles

    vertices, faces = grid_triangles(np.full((cells + 1, cells + 1), height), (spacing, spacing))
    return Shape("mesh", vertices=vertices, faces=faces, approximation="triangle_mesh")
