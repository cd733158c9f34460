"""Rays against height fields, compared with the mesh of the same triangles."""

from __future__ import annotations

import numpy as np
import pytest
from rays.ray_scenes import add_others, cast, hills, rays_at

from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.rays import RayScene, field_geometry, mesh_geometry

SPACING = (0.1, 0.13)


@pytest.fixture(scope="module")
def pair(device: str) -> tuple[RayScene, RayScene, np.ndarray]:
    """A height field, the mesh of its triangles, and its bounds; sizes are no multiples of blocks."""
    heights = hills(117, 61)
    field, mesh = RayScene(1, device), RayScene(1, device)
    field.add(field_geometry(heights, SPACING))
    add_others(field)
    vertices, faces = grid_triangles(heights, SPACING)
    mesh.add(mesh_geometry(vertices, faces))
    return field, mesh, np.array([vertices.min(axis=0), vertices.max(axis=0)])


def compare(
    pair: tuple[RayScene, RayScene, np.ndarray], origins: np.ndarray, directions: np.ndarray, **options: object
):
    """Hits of both, which must be the same but at edges."""
    one, two = (cast(scene, origins, directions, groups=1, **options) for scene in pair[:2])
    hit = np.isfinite(one.distance)
    odd = hit != np.isfinite(two.distance)
    assert odd.mean() < 2e-5
    both = hit & ~odd
    error = np.abs(one.distance[both] - two.distance[both])
    assert (error > 5e-6 + 1e-5 * one.distance[both]).mean() < 1e-4  # rays that graze tell more of rounding
    assert error.max() < 2e-4
    same = both & (one.face == two.face)
    assert same.sum() > 0.99 * both.sum()
    np.testing.assert_allclose(one.normal[same], two.normal[same], atol=1e-3)
    assert (one.face[~hit] == -1).all()
    return one


def test_random_rays(pair: tuple[RayScene, RayScene, np.ndarray]) -> None:
    """Also from within the bounds, from below, and with "front" sides."""
    origins, directions = rays_at(pair[2], 50_000)
    assert 0.3 < np.isfinite(compare(pair, origins, directions).distance).mean() < 1.0
    compare(pair, origins, directions, sides="front")


def test_flat_rays(pair: tuple[RayScene, RayScene, np.ndarray]) -> None:
    """Nearly level ones that pass many cells, exactly level ones along axes, and along the lines of the grid."""
    rng = np.random.default_rng(3)
    low, high = pair[2]
    origins = rng.uniform(low, high, (1, 4000, 3))
    directions = np.concatenate([rng.standard_normal((1, 4000, 2)), rng.uniform(-0.05, 0.05, (1, 4000, 1))], axis=-1)
    directions[:, ::4, 2] = 0.0
    directions[:, 1::4, 0] = 0.0
    directions[:, 2::4, 1:] = 0.0
    compare(pair, origins, directions)


def test_rays_straight_down_at_samples(pair: tuple[RayScene, RayScene, np.ndarray]) -> None:
    """On every vertex, the border's too, and between: the height itself, to rounding; none goes through."""
    heights = hills(117, 61).astype(np.float32)
    x = ((np.arange(117) - 58).astype(np.float32)) * np.float32(SPACING[0])
    y = ((np.arange(61) - 30).astype(np.float32)) * np.float32(SPACING[1])
    origins = np.stack(
        [*np.meshgrid(x * np.float32(0.999999), y * np.float32(0.999999), indexing="ij"), 0 * heights + 3], axis=-1
    )
    hits = cast(pair[0], origins.reshape(1, -1, 3), np.broadcast_to([0.0, 0.0, -1.0], (1, heights.size, 3)), groups=1)
    np.testing.assert_allclose(3 - hits.distance.reshape(heights.shape), heights, atol=2e-5)
    assert (hits.normal[..., 2] > 0).all()
    above = cast(pair[0], origins.reshape(1, -1, 3), np.broadcast_to([0.0, 0.0, 1.0], (1, heights.size, 3)), groups=1)
    assert not np.isfinite(above.distance).any()


def test_sine_terrain_from_above(device: str) -> None:
    """A height scan of a sine: analytic heights to 1 mm."""
    x = (np.arange(1001) - 500) * 0.02
    scene = RayScene(1, device)
    scene.add(field_geometry(0.2 * np.sin(x)[:, None] * np.cos(0.7 * x[None, :401]), (0.02, 0.02)), position=(0, 4, 1))
    add_others(scene)
    rng = np.random.default_rng(0)
    origins = np.concatenate([rng.uniform([-9, 1], [9, 7], (2000, 2)), np.full((2000, 1), 20.0)], axis=1)[None]
    hits = cast(scene, origins, np.broadcast_to([0.0, 0.0, -2.0], origins.shape), groups=1)
    column = x[:401].mean() + origins[0, :, 1] - 4
    expected = 1 + 0.2 * np.sin(origins[0, :, 0]) * np.cos(0.7 * column)
    np.testing.assert_allclose(hits.position[0, :, 2], expected, atol=1e-3)
    np.testing.assert_allclose(hits.distance[0], 20 - hits.position[0, :, 2], atol=1e-5)


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="at least 2 x 2"):
        field_geometry(np.zeros((1, 5)), (1, 1))
    with pytest.raises(ValueError, match="1 heights are not finite"):
        field_geometry([[0, 0], [0, np.nan]], (1, 1))
    with pytest.raises(ValueError, match="spacing"):
        field_geometry(np.zeros((3, 3)), (0, 1))
