"""Meshes and rays that the tests of rays share."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import trimesh

from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.rays import RayHits, RayScene, field_geometry, mesh_geometry, primitive_geometry


def _displaced(mesh: trimesh.Trimesh, by: float) -> trimesh.Trimesh:
    vertices = np.array(mesh.vertices)
    waves = np.sin(7 * vertices[:, [0]]) * np.cos(9 * vertices[:, [1]]) * np.sin(5 * vertices[:, [2]] + 1)
    return trimesh.Trimesh(vertices * (1 + by * waves), mesh.faces, process=False)


def hills(nx: int = 121, ny: int = 77, seed: int = 0) -> np.ndarray:
    """Heights (nx, ny) of hills with some roughness, m, for a spacing of 0.1."""
    x, y = np.meshgrid(np.arange(nx) * 0.1, np.arange(ny) * 0.1, indexing="ij")
    return 0.4 * np.sin(1.3 * x) * np.cos(0.9 * y) + 0.03 * np.random.default_rng(seed).standard_normal((nx, ny))


@cache
def meshes() -> dict[str, trimesh.Trimesh]:
    """Closed and open, smooth and edged, fine and of large triangles, some without area."""
    make = trimesh.creation
    box = make.box((1.0, 2.0, 0.5))
    flat = np.array([[0, 0, 1], [2, 2, 2], [3, 4, 4]])
    vertices, faces = grid_triangles(hills(), (0.1, 0.1))
    return {
        "ball": _displaced(make.icosphere(5), 0.1),
        "torus": _displaced(make.torus(1.0, 0.4, major_sections=96, minor_sections=64), 0.05),
        "ring": make.annulus(0.5, 1.0, 0.3, sections=64),
        "capsule": make.capsule(1.0, 0.3),
        "box": trimesh.Trimesh(box.vertices, np.concatenate([box.faces, flat]), process=False),
        "hills": trimesh.Trimesh(vertices, faces, process=False),
    }


def rays_at(bounds: Any, count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Origins and unit directions (1, count, 3) float32: from around a box, and from within, towards places in it."""
    low, high = np.asarray(bounds, float)
    rng = np.random.default_rng(seed)
    away = rng.standard_normal((count, 3))
    away *= np.linalg.norm(high - low) / np.linalg.norm(away, axis=1, keepdims=True)
    origins = np.where(rng.random((count, 1)) < 0.3, rng.uniform(low, high, (count, 3)), (low + high) / 2 + away)
    directions = rng.uniform(low, high, (count, 3)) - origins
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return origins.astype(np.float32)[None], directions.astype(np.float32)[None]


def add_others(scene: RayScene, position: tuple[float, float, float] = (0.0, 0.0, 0.0), groups: int = 2) -> None:
    """One of each kind that all environments share, so that scenes have the same kernel."""
    box = meshes()["box"]
    others = (
        field_geometry(np.zeros((9, 9)), (0.5, 0.5)),
        primitive_geometry("plane"),
        primitive_geometry("box", (1, 1, 1)),
    )
    for geometry in (mesh_geometry(box.vertices, box.faces), *others):
        scene.add(geometry, position=position, groups=groups)


def cast(scene: RayScene, origins: np.ndarray, directions: np.ndarray, **options: object) -> RayHits:
    """Cast rays that are on the host; results on the host, everything that there is."""
    hits = scene.hits(origins.shape[1], position=True, normal=True, ids=True)
    given = [scene.device.xp.asarray(np.ascontiguousarray(a, np.float32)) for a in (origins, directions)]
    limits = options.pop("limits", None)
    if limits is not None:
        options["limits"] = scene.device.xp.asarray(np.ascontiguousarray(limits, np.float32))
    scene.cast(given[0], given[1], hits, **options)  # pyright: ignore[reportArgumentType]
    arrays = (hits.distance, hits.position, hits.normal, hits.ids)
    distance, *others = (scene.device.to_host(a) for a in arrays)
    return RayHits(distance, *others)
