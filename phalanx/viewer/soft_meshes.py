"""Deformable bodies in browsers: of each a mesh, a tube or balls, with the nodes of all environments that are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.viewer.hits import MOST, meets
from phalanx.world.deformables.surfaces import surface_color, surface_faces, surface_vertices
from phalanx.world.snapshots import deformables_of

if TYPE_CHECKING:
    from viser import ViserServer

    from phalanx.world.world import World


class SoftMeshes:
    """The nodes of a viser server that show the deformable bodies of a world.

    Args:
        server: of viser.
        world: built.
        path: the node below which they are.
    """

    def __init__(self, server: ViserServer, world: World, path: str) -> None:
        self._server, self._path = server, path
        bodies = deformables_of(world)
        self._names = [*bodies]
        self._parts = [body.part for body in bodies.values()]
        self._faces = [surface_faces(part).astype(np.uint32) for part in self._parts]
        self._handles: list[Any] = []
        self._count = 0

    def show(self, nodes: tuple[np.ndarray, ...], offsets: np.ndarray) -> None:
        """Put nodes (k, nodes, 3) of each body where they are, environments moved by offsets (k, 3), m.

        Environments whose nodes are not finite are drawn as a point.
        """
        if len(offsets) != self._count or len(nodes) != len(self._handles):
            self._remove()
        for number, (faces, places) in enumerate(zip(self._faces, nodes, strict=bool(nodes))):
            places = surface_vertices(self._parts[number], places)
            finite = np.isfinite(places).all(axis=(1, 2), keepdims=True)
            vertices = np.where(finite, places + offsets[:, None], 0.0).reshape(-1, 3).astype(np.float32)
            if number < len(self._handles):
                self._handles[number].vertices = vertices
                continue
            count = places.shape[1]
            every = (faces + count * np.arange(len(places), dtype=np.uint32)[:, None, None]).reshape(-1, 3)
            color = np.array(surface_color(self._parts[number], number))
            self._handles.append(
                self._server.scene.add_mesh_simple(
                    f"{self._path}/{number}",
                    vertices,
                    every.astype(np.uint32),
                    color=(255 * color).round().astype(np.uint8),
                    side="double",
                )
            )
        self._count = len(offsets)

    def first(
        self, nodes: tuple[np.ndarray, ...], offsets: np.ndarray, origin: np.ndarray, way: np.ndarray
    ) -> tuple[float, str, int] | None:
        """What a ray meets first: length in lengths of ``way``, name, and place of the environment; or ``None``."""
        best: tuple[float, str, int] | None = None
        for name, part, faces, places in zip(self._names, self._parts, self._faces, nodes, strict=bool(nodes)):
            for env, vertices in enumerate(surface_vertices(part, places) + offsets[:, None]):
                if len(faces) <= MOST and np.isfinite(vertices).all():
                    at = meets(vertices[faces].astype(float), origin, way)
                    if at < (np.inf if best is None else best[0]):
                        best = at, name, env
        return best

    def _remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
