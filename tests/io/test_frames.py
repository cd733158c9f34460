"""Frames of films. By rays: what is drawn anew is enough, and what is cast once looks as what is cast four times. By
depth buffers, on the CPU: they look as those by rays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import phalanx as px
from phalanx.images.pictures.film import framed_painter
from phalanx.images.pictures.footprints import footprints
from phalanx.images.pictures.framing import Camera
from phalanx.images.pictures.picture import WorldPainter
from phalanx.models.robot_model import Shape

RED, GREEN, BLUE = (0.9, 0.05, 0.05, 1.0), (0.05, 0.8, 0.05, 1.0), (0.1, 0.2, 0.9, 1.0)
SIZE = (192, 144)


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    """A table that stands, and a ball, a bar and a capsule that do not."""
    made = px.World(device=device)
    made.add_ground()
    made.add_rigid_object(Shape("box", (0.4, 0.4, 0.02)), "table", kind="static", position=(0.0, 0.0, 0.3))
    made.add_rigid_object(Shape("sphere", (0.1,), color=RED), "ball", kind="kinematic")
    made.add_rigid_object(Shape("box", (0.4, 0.03, 0.03), color=GREEN), "bar", kind="kinematic")
    made.add_rigid_object(Shape("capsule", (0.05, 0.2), color=BLUE), "capsule", kind="kinematic")
    return made


@pytest.fixture(scope="module")
def poses() -> np.ndarray:
    """(frames, 1, 4, 7): the ball goes over the table and beyond it, the bar turns from the third frame on, the capsule
    stands and vanishes in the fifth.
    """
    made = np.zeros((6, 1, 4, 7), np.float32)
    made[..., 3] = 1.0
    made[:, 0, 0, 2] = 0.3
    made[:, 0, 1, :3] = np.linspace((-0.3, -0.2, 0.55), (0.7, 0.3, 0.45), 6)
    made[:, 0, 2, :3] = (-0.2, 0.5, 0.2)
    angle = np.array([0.0, 0.0, 0.3, 0.6, 0.6, 0.9])
    made[:, 0, 2, 3], made[:, 0, 2, 5] = np.cos(angle), np.sin(angle)
    made[:, 0, 3, :3] = (0.6, -0.5, 0.2)
    made[4:, 0, 3] = np.nan
    return made


def painters(world: px.World, poses: np.ndarray, count: int, **options: Any) -> list[WorldPainter]:
    """Some that cast rays."""
    made = [framed_painter(world, poses[:4], 10.0, size=SIZE, **options)[0] for _ in range(count)]
    for painter in made:
        painter._raster = None
    return made


def quick(world: px.World, poses: np.ndarray, **options: Any) -> WorldPainter:
    """One that fills depth buffers."""
    if world.engine.device.is_cuda:
        pytest.skip("depth buffers are filled on the CPU only; on a GPU frames are cast")
    painter = framed_painter(world, poses[:4], 10.0, **{"size": SIZE, **options})[0]
    assert painter._raster is not None
    return painter


def difference(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Peak signal to noise in dB, and the share of pixels that differ by more than 40 of 255."""
    apart = np.abs(one.astype(float) - other)
    return 10.0 * np.log10(255.0**2 / np.mean(apart**2)), float((apart.max(axis=-1) > 40).mean())


def test_pixels_that_are_kept_are_those_of_a_whole_drawing(world, poses):
    """Bit for bit, on the ground and on the table: shadows and bodies leave nothing behind."""
    one, many = painters(world, poses, 2)
    drawn = []
    cast = one._frames._cast
    one._frames._cast = lambda pixels, number: (drawn.append(pixels), cast(pixels, number))[1]
    frames = []
    for pose in poses:
        frames.append(one.draw(pose))
        many._frames._background = None  # it begins anew
        np.testing.assert_array_equal(frames[-1], many.draw(pose))
    assert (frames[0] != frames[5]).any()
    later = drawn[4:]
    assert all(pixels is not None and len(pixels) < 0.6 * SIZE[0] * SIZE[1] for pixels in later)


def test_a_camera_that_moves_begins_anew(world, poses):
    one, other = painters(world, poses, 2)
    one.draw(poses[0])
    there = one.draw(poses[0], (0.3, 0.0, 0.0))
    np.testing.assert_array_equal(there, other.draw(poses[0], (0.3, 0.0, 0.0)))
    assert (there != one.draw(poses[0])).any()


def test_a_body_beside_the_camera_is_drawn_everywhere(world, poses):
    """Its bounds in the picture are not known there."""
    camera = Camera(eye=(1.2, 0.0, 0.5), target=(0.0, 0.0, 0.3), angle=60.0)
    near = poses.copy()
    near[1, 0, 1, :3] = (1.15, 0.1, 0.5)
    one, other = painters(world, near, 2, camera=camera)
    one.draw(near[0])
    for pose in near[1:3]:
        other._frames._background = None
        np.testing.assert_array_equal(one.draw(pose), other.draw(pose))


def test_one_ray_is_enough_where_pixels_are_alike(world, poses):
    """Beside four rays in every pixel, one frame differs by less than what H.264 leaves (some 45 dB)."""
    one, other = painters(world, poses, 2)
    other._frames._contrast = -1
    few, all_ = (painter.draw(poses[3]).astype(float) for painter in (one, other))
    assert 10.0 * np.log10(255.0**2 / np.mean((few - all_) ** 2)) > 48.0
    assert (np.abs(few - all_).max(axis=-1) > 12).mean() < 1e-3


def test_footprints_of_a_cube():
    """1 m at 10 m with a focal length of 100 pixels is 10 by 10 pixels, and two more around them."""
    cube = np.array([[(i, j, k) for i, j, k in np.ndindex(2, 2, 2)]], float) - 0.5 + (10.0, 0.0, 0.0)
    axes = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])  # looks along +x
    down, size = np.array([0.0, 0.0, -1.0]), (80, 60)
    found = footprints(cube, np.zeros(3), axes, 100.0, size, down)
    assert found is not None and found.shape == (60, 80)
    rows, columns = np.flatnonzero(found.any(axis=1)), np.flatnonzero(found.any(axis=0))
    side = 100.0 / 9.5  # of the near face
    for seen, middle in ((rows, 30), (columns, 40)):
        assert abs(seen[0] - (middle - 0.5 * side - 2)) <= 1 and abs(seen[-1] - (middle + 0.5 * side + 1)) <= 1
    shadow = footprints(cube, np.zeros(3), axes, 100.0, size, down, floor=-2.0)
    solid = footprints(cube, np.zeros(3), axes, 100.0, size, down, floor=-2.0, solid=True)
    assert shadow is not None and solid is not None
    low = [slice(44, 48), slice(36, 44)]  # between the cube and its shadow at rows 49 to 51
    assert shadow[50, 40] and not shadow[low[0], low[1]].all() and solid[low[0], low[1]].all()
    assert footprints(cube - (10.0, 0.0, 0.0), np.zeros(3), axes, 100.0, size, down) is None, "about the camera"
    nothing = footprints(cube * np.nan, np.zeros(3), axes, 100.0, size, down)
    assert nothing is not None and not nothing.any()


def test_depth_buffers_draw_what_rays_see(world, poses):
    """Bodies, their shadows on the ground and on each other, the ground and the sky, in frames from two places.

    Where they differ is at edges, which have four samples of their own there. A frame without its ball or its shadows
    differs by far more.
    """
    by_rays, painter = painters(world, poses, 1, passes=7)[0], quick(world, poses)
    by_rays._frames._contrast = -1  # seven rays in every pixel
    for pose, shift in ((poses[0], (0.0, 0.0, 0.0)), (poses[3], (0.2, -0.1, 0.05)), (poses[5], (0.0, 0.0, 0.0))):
        noise, far = difference(painter.draw(pose, shift), by_rays.draw(pose, shift))
        assert noise > 35.0 and far < 0.0025, (noise, far)
    without = poses[3].copy()
    without[0, 1] = np.nan
    noise, far = difference(painter.draw(without), by_rays.draw(poses[3]))
    assert noise < 30.0 and far > 0.01, (noise, far)


def test_shadows_of_depth_buffers_are_where_the_sun_puts_them(world, poses):
    """The middle of the ball's shadow on the ground, along the sun's rays, is dark; the ground beside it is not."""
    painter = quick(world, poses)
    pose = poses[5].copy()
    pose[0, 0, 2] = -5.0  # no table
    image = painter.draw(pose).astype(float).sum(axis=-1)
    empty = painter.draw(np.full_like(pose, np.nan)).astype(float).sum(axis=-1)
    sun, eye, axes = painter._sun[2], np.array(painter.camera.eye), painter.camera.axes()
    for ahead, dark in ((0.0, True), (0.16, False)):
        ball = pose[0, 1, :3] + ahead * painter._sun[0]
        place = ball - sun * ball[2] / sun[2] - eye
        u, v, depth = axes @ place
        column, row = (int(0.5 * n + painter._focal * x / depth) for n, x in zip(SIZE, (u, v), strict=True))
        change = image[row, column] / empty[row, column]
        assert change < 0.8 if dark else change > 0.97, (ahead, change)


def test_depth_buffers_do_not_depend_on_threads(world, poses):
    """Nor on frames before: bit for bit."""
    painter, size = quick(world, poses, size=(320, 240)), (240, 320, 3)
    first = painter.draw(poses[2])
    painter.draw(poses[4])
    px.set_num_threads(3)
    try:
        again = painter.draw(poses[2])
    finally:
        px.set_num_threads(None)
    assert first.shape == size
    np.testing.assert_array_equal(first, again)


def test_rays_draw_what_depth_buffers_cannot(world, poses):
    """A body that reaches behind the camera, and what is transparent."""
    camera = Camera(eye=(1.2, 0.0, 0.5), target=(0.0, 0.0, 0.3), angle=60.0)
    near = poses[1].copy()
    near[0, 1, :3] = (1.15, 0.1, 0.5)
    painter, by_rays = quick(world, poses, camera=camera), painters(world, poses, 1, camera=camera)[0]
    np.testing.assert_array_equal(painter.draw(near), by_rays.draw(near))
    glass = px.World(device=world.device)
    glass.add_ground()
    glass.add_rigid_object(Shape("sphere", (0.1,), color=(0.9, 0.1, 0.1, 0.5)), "glass", kind="kinematic")
    assert WorldPainter(glass, size=SIZE, passes=4)._raster is None
