"""Frames of films: what is drawn anew is enough, and what is cast once looks as what is cast four times."""

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
    return [framed_painter(world, poses[:4], 10.0, size=SIZE, **options)[0] for _ in range(count)]


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
