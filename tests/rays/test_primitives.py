"""Rays against primitives: hits are on the surface, and there is none before them."""

from __future__ import annotations

import numpy as np
import pytest
from rays.ray_scenes import add_others, cast, rays_at

from phalanx.rays import RayScene, primitive_geometry

COUNT = 4000
SIZES = {
    "sphere": (0.7,),
    "capsule": (0.3, 0.6),
    "box": (0.5, 0.8, 0.2),
    "cylinder": (0.6, 0.4),
    "cone": (0.5, 0.7),
}


def depth(kind: str, size: tuple[float, ...], p: np.ndarray) -> np.ndarray:
    """Zero on a shape's surface, negative inside, with a slope of about one near it."""
    x, y, z = np.moveaxis(p, -1, 0)
    if kind == "sphere":
        return np.sqrt(x * x + y * y + z * z) - size[0]
    if kind == "box":
        return np.max(np.abs(p) - size, axis=-1)
    if kind == "capsule":
        return np.sqrt(x * x + y * y + (z - np.clip(z, -size[1], size[1])) ** 2) - size[0]
    wall = np.hypot(x, y) - (size[0] if kind == "cylinder" else size[0] * (size[1] - z) / (2 * size[1]))
    return np.maximum(wall, np.abs(z) - size[1])


def kinds_scene(device: str) -> RayScene:
    """One environment for each kind, whose body alone is near the origin."""
    scene = RayScene(len(SIZES), device)
    for k, (kind, size) in enumerate(SIZES.items()):
        scene.add(primitive_geometry(kind, size), body=k, object=k)
    add_others(scene)
    position = np.full((len(SIZES), len(SIZES), 3), 1e3, np.float32)
    position[np.arange(len(SIZES)), np.arange(len(SIZES))] = 0.0
    orientation = np.tile(np.array([1, 0, 0, 0], np.float32), (len(SIZES), len(SIZES), 1))
    scene.place(scene.device.xp.asarray(position), scene.device.xp.asarray(orientation))
    return scene


@pytest.mark.parametrize("sides", ["both", "front"])
def test_hits_are_the_first_place_on_the_surface(sides: str, device: str) -> None:
    """From outside and from within, with normals outwards; "front" lets rays out."""
    origins, directions = (np.tile(a, (len(SIZES), 1, 1)) for a in rays_at([[-1, -1, -1], [1, 1, 1]], COUNT))
    hits = cast(kinds_scene(device), origins, directions, sides=sides, groups=1)
    for k, (kind, size) in enumerate(SIZES.items()):
        o, d, t = origins[k].astype(float), directions[k].astype(float), hits.distance[k].astype(float)
        hit = np.isfinite(t)
        assert 0.2 < hit.mean() < 0.95
        assert (hits.object[k] == np.where(hit, k, -1)).all() and (hits.face[k] == -1).all()
        assert np.abs(depth(kind, size, o[hit] + t[hit, None] * d[hit])).max() < 2e-5, kind
        # Nothing before: samples of the way have the sign of the start, to what grazing rays allow.
        inside = depth(kind, size, o) < 0
        end = np.where(hit, t, 8.0)
        way = depth(kind, size, o[:, None] + d[:, None] * (np.linspace(0, 0.999, 200)[:, None] * end[:, None, None]))
        if sides == "both":
            assert (hit | ~inside).all(), "a ray from inside must meet the surface"
            assert (np.where(inside[:, None], -way, way) > -2e-3).all(), kind
        else:
            assert not (hit & inside).any()
            assert (way[~inside] > -2e-3).all(), kind
        # Normals are the slope, away from edges.
        p, step = o[hit] + t[hit, None] * d[hit], 1e-4
        slope = np.stack([depth(kind, size, p + s) - depth(kind, size, p - s) for s in step * np.eye(3)], axis=-1)
        smooth = np.abs(np.linalg.norm(slope / (2 * step), axis=1) - 1) < (0.1 if kind == "cone" else 1e-3)
        slope /= np.linalg.norm(slope, axis=1, keepdims=True)
        aligned = np.einsum("ij,ij->i", slope, hits.normal[k][hit])
        assert (aligned[smooth] > 0.999).mean() > 0.995 and smooth.mean() > 0.9, kind


def test_planes_are_met_from_both_sides(device: str) -> None:
    """Tilted: distance and normal by formula; rays along it and away from it pass."""
    scene = RayScene(1, device)
    half = np.sqrt(0.5)
    add_others(scene)
    scene.add(primitive_geometry("plane"), position=(0, 0, 1.0), orientation=(half, half, 0, 0))  # normal is -y
    directions = np.array([[[0, 1, 0], [0, -1, 0], [1, 0, 0], [0, 0.6, 0.8]]])
    for y, distances in ((-2.0, [2, np.inf, np.inf, 2 / 0.6]), (3.0, [np.inf, 3, np.inf, np.inf])):
        hits = cast(scene, np.full((1, 4, 3), [0.3, y, 5.0]), directions, groups=1)
        np.testing.assert_allclose(hits.distance[0], distances, rtol=1e-6)
        met = np.isfinite(hits.distance[0])
        np.testing.assert_allclose(hits.normal[0], np.where(met[:, None], [0, -1, 0], 0), atol=1e-6)
    front = cast(scene, np.full((1, 4, 3), [0.3, 3.0, 5.0]), directions, sides="front", groups=1)
    assert not np.isfinite(front.distance).any()


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="'prism' is no primitive; there are sphere, "):
        primitive_geometry("prism")
    with pytest.raises(ValueError, match=r"size \(1.0,\) of a capsule: 2 positive numbers"):
        primitive_geometry("capsule", (1.0,))
    scene = RayScene()
    with pytest.raises(ValueError, match="a sphere scaled so is none any more"):
        scene.add(primitive_geometry("sphere", (1.0,)), scale=(1, 2, 1))
    with pytest.raises(ValueError, match="three finite numbers other than 0"):
        scene.add(primitive_geometry("sphere", (1.0,)), scale=0)
    with pytest.raises(ValueError, match="a quaternion not 0"):
        scene.add(primitive_geometry("plane"), orientation=(0, 0, 0, 0))
    with pytest.raises(ValueError, match="body=-1: bodies are numbered from 0 on"):
        scene.add(primitive_geometry("plane"), body=-1)
