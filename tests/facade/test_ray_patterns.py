"""Patterns of rays and points from depth pictures, against formulas, and pictures in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host

from phalanx.facade.isaaclab.sensors.camera import utils as camera_utils
from phalanx.facade.isaaclab.sensors.ray_caster import patterns
from phalanx.maths.arrays import matrix

MATRIX = [400.0, 0.0, 35.0, 0.0, 380.0, 20.0, 0.0, 0.0, 1.0]


def rays(cfg: Any, device: str) -> tuple[np.ndarray, np.ndarray]:
    starts, ahead = (host(one) for one in cfg.func(cfg, device))
    assert starts.shape == ahead.shape == (len(starts), 3)
    np.testing.assert_allclose(np.linalg.norm(ahead, axis=1), 1.0, atol=1e-6)
    return starts, ahead


@pytest.mark.parametrize("ordering", ["xy", "yx"])
def test_grid(device: str, api: str, ordering: Any) -> None:
    """17 by 11 points of the usual height scan, and a grid that its resolution does not divide."""
    cfg = patterns.GridPatternCfg(resolution=0.1, size=(1.6, 1.0), ordering=ordering, direction=(0.0, 0.0, -3.0))
    starts, ahead = rays(cfg, device)
    assert len(starts) == 17 * 11
    np.testing.assert_allclose(ahead, np.tile([0, 0, -1.0], (187, 1)), atol=1e-7)
    x, y = np.linspace(-0.8, 0.8, 17), np.linspace(-0.5, 0.5, 11)
    expected = [(a, b, 0) for b in y for a in x] if ordering == "xy" else [(a, b, 0) for a in x for b in y]
    np.testing.assert_allclose(starts, expected, atol=1e-6)
    starts, _ = rays(patterns.GridPatternCfg(resolution=0.4, size=(1.0, 0.0)), device)
    np.testing.assert_allclose(starts, [[-0.5, 0, 0], [-0.1, 0, 0], [0.3, 0, 0]], atol=1e-6)


def test_lidars(device: str, api: str) -> None:
    cfg = patterns.LidarPatternCfg(
        channels=3, vertical_fov_range=(-30.0, 30.0), horizontal_fov_range=(-180.0, 180.0), horizontal_res=90.0
    )
    _, ahead = rays(cfg, device)
    expected = [
        [np.cos(up) * np.cos(side), np.cos(up) * np.sin(side), np.sin(up)]
        for up in np.radians([-30, 0, 30])
        for side in np.radians([-180, -90, 0, 90])
    ]
    np.testing.assert_allclose(ahead, expected, atol=1e-6)
    cfg.horizontal_fov_range, cfg.horizontal_res = (-45.0, 45.0), 40.0
    _, ahead = rays(cfg, device)
    np.testing.assert_allclose(np.degrees(np.arctan2(ahead[:4, 1], ahead[:4, 0])), [-45, -15, 15, 45], atol=1e-4)
    _, ahead = rays(patterns.BpearlPatternCfg(), device)
    assert len(ahead) == 36 * 32
    np.testing.assert_allclose(np.degrees(np.arcsin(ahead[:32, 2])), 89.5 - 2.8125 * np.arange(32), atol=2e-2)
    np.testing.assert_allclose(ahead[31], [np.cos(np.radians(2.3125)), 0, np.sin(np.radians(2.3125))], atol=1e-6)
    around = np.unwrap(np.arctan2(-ahead[31::32, 1], -ahead[31::32, 0]))
    np.testing.assert_allclose(np.degrees(around) - np.degrees(around[0]), 10.0 * np.arange(36), atol=1e-3)


def test_pinhole(device: str, api: str, give: Any) -> None:
    """Rays go through the middles of pixels: projected by the matrix, they are where they came from."""
    cfg = patterns.PinholeCameraPatternCfg.from_intrinsic_matrix(MATRIX, 60, 40, focal_length=2.0)
    assert cfg.horizontal_aperture == pytest.approx(0.3) and cfg.vertical_aperture == pytest.approx(80 / 380)
    assert cfg.horizontal_aperture_offset == pytest.approx(5 / 400) and cfg.vertical_aperture_offset == 0.0
    first = np.array(MATRIX).reshape(3, 3)
    second = np.array([[100.0, 0, 30], [0, 100, 20], [0, 0, 1]])
    starts, ahead = cfg.func(cfg, give(np.stack([first, second]).astype(np.float32)), device)
    assert tuple(starts.shape) == tuple(ahead.shape) == (2, 2400, 3) and not host(starts).any()
    for matrix_, own in zip((first, second), host(ahead), strict=True):
        np.testing.assert_allclose(np.linalg.norm(own, axis=1), 1.0, atol=1e-6)
        seen = np.stack([-own[:, 1], -own[:, 2], own[:, 0]], -1) @ matrix_.T
        v, u = np.divmod(np.arange(2400), 60)
        np.testing.assert_allclose(seen[:, :2] / seen[:, 2:], np.stack([u + 0.5, v + 0.5], -1), atol=1e-3)


@pytest.mark.parametrize(
    ("cfg", "match"),
    [
        (patterns.GridPatternCfg(resolution=0.0, size=(1.0, 1.0)), "Resolution must be greater than 0"),
        (patterns.GridPatternCfg(resolution=0.1, size=(-1.0, 1.0)), "must not be negative"),
        (patterns.GridPatternCfg(resolution=0.1, size=(1.0, 1.0), direction=(0.0, 0.0, 0.0)), "must not be zero"),
        (patterns.GridPatternCfg(resolution=0.1, size=(1.0, 1.0), ordering="zx"), "'xy' or 'yx'"),  # type: ignore
        (patterns.BpearlPatternCfg(horizontal_res=0.0), "must be positive"),
        (
            patterns.LidarPatternCfg(
                channels=0, vertical_fov_range=(0.0, 1.0), horizontal_fov_range=(0.0, 1.0), horizontal_res=1.0
            ),
            "channels=0 must be at least 1",
        ),
    ],
)
def test_patterns_that_cannot_be(cfg: Any, match: str, device: str) -> None:
    with pytest.raises(ValueError, match=match):
        cfg.func(cfg, device)
    with pytest.raises(ValueError, match="must have 9"):
        patterns.PinholeCameraPatternCfg.from_intrinsic_matrix([1.0], 2, 2)


def test_points_of_a_depth_picture(device: str, api: str, give: Any) -> None:
    """A slanted plane: all points lie on it, also where the camera is moved and turned; holes are left out."""
    first = np.array(MATRIX).reshape(3, 3)
    v, u = np.mgrid[:40, :60]
    ahead = np.stack([(u + 0.5 - 35.0) / 400.0, (v + 0.5 - 20.0) / 380.0, np.ones_like(u, float)], -1)
    normal, distance = np.array([0.2, -0.1, 1.0]), 5.0
    depth = (distance / (ahead @ normal)).astype(np.float32)
    depth[3, 4], depth[5, 6] = np.inf, np.nan
    turn, at = np.array([0.5, -0.5, 0.5, -0.5]), np.array([1.0, 2.0, 3.0])
    rgb = np.random.default_rng(0).integers(0, 256, (40, 60, 3)).astype(np.float32)
    for convert in (give, lambda value: value):
        points = camera_utils.create_pointcloud_from_depth(convert(first), convert(depth))
        assert type(points) is type(convert(depth)) and tuple(points.shape) == (2398, 3)
        np.testing.assert_allclose(host(points) @ normal, distance, atol=1e-5)
        whole = camera_utils.create_pointcloud_from_depth(first, convert(depth), keep_invalid=True)
        assert tuple(whole.shape) == (2400, 3)
        np.testing.assert_allclose(host(whole)[1 * 40 + 7], ahead[7, 1] * depth[7, 1], rtol=1e-5)
        moved = camera_utils.create_pointcloud_from_depth(first, convert(depth), position=at, orientation=turn)
        np.testing.assert_allclose((host(moved) - at) @ matrix(turn) @ normal, distance, atol=1e-5)
        again = camera_utils.transform_points(convert(host(points).astype(np.float32)), at.tolist(), turn.tolist())
        np.testing.assert_allclose(host(again), host(moved), atol=1e-6)
        colored, colors = camera_utils.create_pointcloud_from_rgbd(
            first, convert(depth), convert(rgb), normalize_rgb=True, num_channels=4
        )
        np.testing.assert_array_equal(host(colored), host(points))
        keep = np.isfinite(depth).T.ravel()
        expected = np.concatenate([rgb.transpose(1, 0, 2).reshape(-1, 3)[keep] / 255, np.ones((2398, 1))], 1)
        np.testing.assert_allclose(host(colors), expected, atol=1e-6)
        for color in (None, (10, 20, 30)):
            _, colors = camera_utils.create_pointcloud_from_rgbd(first, convert(depth), color)
            np.testing.assert_array_equal(host(colors), [color or (0, 0, 0)] * 2398)
    with pytest.raises(ValueError, match=r"depth has shape \(4,\)"):
        camera_utils.create_pointcloud_from_depth(first, np.ones(4))
    with pytest.raises(ValueError, match="num_channels=5"):
        camera_utils.create_pointcloud_from_rgbd(first, depth, num_channels=5)
    with pytest.raises(ValueError, match=r"rgb has shape \(40, 3\)"):
        camera_utils.create_pointcloud_from_rgbd(first, depth, rgb[:, 0])


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_pictures_in_files(tmp_path: Path, api: str, device: str, give: Any, channels: int) -> None:
    from PIL import Image

    images = np.random.default_rng(1).uniform(0, 1, (5, 4, 6, channels)).astype(np.float32)
    camera_utils.save_images_to_file(give(images), str(tmp_path / "grid.png"))
    found = np.asarray(Image.open(tmp_path / "grid.png")).reshape(20, 18, channels)  # 3 rows of 2
    for i in range(5):
        top, left = 2 + 6 * (i // 2), 2 + 8 * (i % 2)
        np.testing.assert_allclose(found[top : top + 4, left : left + 6], np.round(images[i] * 255), atol=1)
    assert not found[:2].any() and not found[14:, 10:].any()
    with pytest.raises(ValueError, match="none of them 0"):
        camera_utils.save_images_to_file(np.zeros((0, 4, 6, 3)), str(tmp_path / "none.png"))
