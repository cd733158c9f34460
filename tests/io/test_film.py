"""Films: frames at equal times, cameras that follow what goes far, and tiles of what bodies see."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import phalanx as px
from phalanx.images.pictures.film import frame_times, framed_painter, write_film
from phalanx.images.pictures.tiles import CarriedPainter
from phalanx.models.robot_model import Shape

RED, GREEN = (0.9, 0.05, 0.05, 1.0), (0.05, 0.8, 0.05, 1.0)
FPS = 10.0


def ball_on_its_way(x: np.ndarray) -> np.ndarray:
    """(frames, 1, 1, 7) of a body that is at x (frames,)."""
    poses = np.zeros((len(x), 1, 1, 7), np.float32)
    poses[..., 0], poses[..., 2], poses[..., 3] = x[:, None, None], 0.3, 1.0
    return poses


def middle(image: np.ndarray) -> np.ndarray:
    """Row and column of the middle of what is red, in parts of the picture."""
    pixels = image.astype(int)
    red = np.argwhere(pixels[..., 0] > pixels[..., 1] + 25)
    assert len(red) > 20, "the ball is not in the picture"
    return (red.mean(axis=0) + 0.5) / image.shape[:2]


@pytest.fixture(scope="module")
def world() -> px.World:
    made = px.World()
    made.add_ground()
    made.add_rigid_object(Shape("sphere", (0.3,), color=RED), "ball")
    return made


def test_frames_are_taken_at_equal_times():
    np.testing.assert_allclose(frame_times(2.0, 3.0, 4.0), [2.0, 2.25, 2.5, 2.75, 3.0])
    assert len(frame_times(0.0, 0.2999999, 10.0)) == 4, "rounding does not cost the last"
    np.testing.assert_array_equal(frame_times(5.0, 5.0, 30.0), [5.0])


def test_a_camera_follows_what_goes_far(world):
    """Steadily, and a jerk does not show; on the way the ball stays where it is in the picture."""
    x = np.linspace(0.0, 20.0, 41)
    poses = ball_on_its_way(x + 0.05 * (np.arange(41) % 2))
    painter, shifts = framed_painter(world, poses, FPS, size=(96, 72))
    assert shifts[0] == pytest.approx([0, 0, 0], abs=0.1) and shifts[-1, 0] == pytest.approx(20.0, abs=0.1)
    assert np.diff(shifts[15:-15, 0]) == pytest.approx([0.5] * 10, abs=0.01)
    assert not shifts[:, 1:].any()
    places = [middle(painter.draw(poses[n], shifts[n])) for n in (12, 20, 28)]
    np.testing.assert_allclose(places, np.tile(places[1], (3, 1)), atol=0.03)


def test_a_camera_stands_where_everything_is_near(world, tmp_path):
    poses = ball_on_its_way(np.linspace(0.0, 0.12, 5))
    painter, shifts = framed_painter(world, poses, FPS, size=(96, 72))
    assert not shifts.any()
    seen: list[int] = []
    assert write_film(tmp_path / "a.gif", painter, poses, shifts, FPS, seen.append) == 5 == sum(seen)
    with Image.open(tmp_path / "a.gif") as video:
        assert video.size == (96, 72) and getattr(video, "n_frames", 1) == 5
        first = middle(np.asarray(video.convert("RGB")))
        video.seek(4)
        last = middle(np.asarray(video.convert("RGB")))
    assert last[0] > first[0] and last[1] < first[1], "towards the camera, which looks from +x, +y"


def test_what_bodies_see_as_tiles():
    """Of three environments, in two rows: a ball ahead of the cart in the first and the third."""
    world = px.World(3)
    world.add_rigid_object(Shape("box", (0.2, 0.1, 0.1)), "cart", kind="kinematic")
    world.add_rigid_object(Shape("sphere", (0.2,), color=GREEN), "ball", kind="static", position=(2.0, 0.0, 0.0))
    world.objects["ball"].set_root_state(pose=[-2.0, 0, 0, 1, 0, 0, 0], env_ids=[1])
    image = CarriedPainter(world, "cart", size=(64, 48), kind="segmentation").draw()
    tiles = {
        (row, column): image[24 * row : 24 * row + 24, 32 * column : 32 * column + 32]
        for row, column in np.ndindex(2, 2)
    }
    assert [bool(tiles[place].any()) for place in ((0, 0), (0, 1), (1, 0), (1, 1))] == [True, False, True, False]
    np.testing.assert_array_equal(tiles[0, 0], tiles[1, 0])
    rows, columns = np.nonzero(tiles[0, 0].any(axis=-1))
    assert rows.mean() == pytest.approx(11.5) and columns.mean() == pytest.approx(15.5)
    # From 0.05 m before the cart's front.
    focal = 12 / np.tan(np.deg2rad(30))
    assert len(rows) == pytest.approx(np.pi * (focal * 0.2 / 1.75) ** 2, rel=0.2)
    with pytest.raises(ValueError, match="there is no body 'hand'; there are cart/cart, ball/ball"):
        CarriedPainter(world, "hand")
    with pytest.raises(ValueError, match="too small for 3 environments"):
        CarriedPainter(world, "cart", size=(1, 1))
