"""Pictures: outlines, what covers what, shadows, and what happens with poses that cannot be drawn."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import label
from small_robots import arm, ball

from phalanx.io.model import Body, RobotModel, Shape
from phalanx.io.picture import Camera, render
from phalanx.io.pose import body_frames, lowest_point
from phalanx.io.tessellate import surface
from phalanx.rotations import matrix

RED, GREEN = (0.9, 0.05, 0.05, 1.0), (0.05, 0.8, 0.05, 1.0)
FROM_X = Camera(eye=(2.0, 0.0, 0.0), target=(0.0, 0.0, 0.0), angle=40.0)


def coloured_ball(color: tuple[float, float, float, float], radius: float = 0.3) -> RobotModel:
    return RobotModel("ball", [Body("ball", 1.0, visuals=[Shape("sphere", (radius,), color=color)])], [])


def at(*position: float) -> np.ndarray:
    return np.array([[[*position, 1.0, 0.0, 0.0, 0.0]]])


def redder(image: np.ndarray) -> np.ndarray:
    pixels = image.astype(int)
    return pixels[..., 0] > pixels[..., 1] + 25


def pieces(mask: np.ndarray) -> int:
    """Number of separate areas."""
    return cast(tuple[np.ndarray, int], label(mask))[1]


def greener(image: np.ndarray) -> np.ndarray:
    pixels = image.astype(int)
    return pixels[..., 1] > pixels[..., 0] + 25


def test_outline_of_a_sphere(tmp_path):
    """A sphere of radius r at distance d is a disc of radius f r / sqrt(d^2 - r^2) in the middle."""
    image = render(coloured_ball(RED), at(0, 0, 0), tmp_path / "a.png", size=(300, 200), ground=None, camera=FROM_X)
    assert image.shape == (200, 300, 3) and image.dtype == np.uint8
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "a.png")), image)
    disc = redder(image)
    radius = 100 / np.tan(np.deg2rad(20)) * 0.3 / np.sqrt(4 - 0.09)
    assert disc.sum() == pytest.approx(np.pi * radius**2, rel=0.02)
    rows, columns = np.nonzero(disc)
    assert rows.mean() == pytest.approx(99.5, abs=0.3) and columns.mean() == pytest.approx(149.5, abs=0.3)
    assert np.ptp(rows) + 1 == pytest.approx(2 * radius, abs=1.6)
    assert np.ptp(columns) + 1 == pytest.approx(2 * radius, abs=1.6)


def test_up_is_up_and_left_is_left():
    """Seen from +x with z up, +y is on the right."""
    image = render(coloured_ball(RED, 0.1), at(0, 0.3, 0.2), size=(300, 300), ground=None, camera=FROM_X)
    rows, columns = np.nonzero(redder(image))
    assert rows.max() < 150 and columns.min() > 150


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_nearer_one_is_seen(order):
    """In whichever order they are drawn."""
    models = [coloured_ball(RED), coloured_ball(GREEN, 0.1)]
    poses = [at(0, 0, 0), at(0.6, 0, 0)]
    image = render([models[i] for i in order], [poses[i] for i in order], size=(200, 200), ground=None, camera=FROM_X)
    assert greener(image)[100, 100] and redder(image)[100, 70]
    behind = render(models, [at(0, 0, 0), at(-0.6, 0, 0)], size=(200, 200), ground=None, camera=FROM_X)
    assert not greener(behind).any()


def test_shapes_that_cross_meet_where_they_do():
    """A plate through the middle of a ball: the ball's upper half shows above it."""
    plate = Shape("box", (0.5, 0.5, 0.001), color=GREEN)
    model = RobotModel("r", [Body("b", 1.0, visuals=[Shape("sphere", (0.3,), color=RED), plate])], [])
    camera = Camera(eye=(2.0, 0.0, 2.0), target=(0.0, 0.0, 0.0))
    image = render(model, at(0, 0, 0), size=(200, 200), ground=None, camera=camera)
    column = redder(image)[:, 100]
    # The ball's top limb is at (r cos 45°, 0, r sin 45°) across the line of sight, its foot at (r, 0, 0).
    focal = 100 / np.tan(np.deg2rad(16))
    eye_distance = 2 * np.sqrt(2)
    top = 100 - focal * 0.3 / np.sqrt(eye_distance**2 - 0.09)
    foot = 100 + focal * (0.3 / np.sqrt(2)) / (eye_distance - 0.3 / np.sqrt(2))
    visible = np.flatnonzero(column)
    assert visible.min() == pytest.approx(top, abs=2) and visible.max() == pytest.approx(foot, abs=2)


def test_a_ball_darkens_the_ground_below_it():
    camera = Camera(eye=(0.0, -4.0, 3.0), target=(0.0, 0.0, 0.0))
    near = render(coloured_ball(RED, 0.2), at(0, 0, 0.25), size=(240, 240), camera=camera)
    gone = render(coloured_ball(RED, 0.2), at(30, 0, 0.25), size=(240, 240), camera=camera)
    ground = ~redder(near) & ~greener(near)
    darker = (gone.astype(int) - near).mean(axis=2)
    assert (darker[ground] > 40).sum() > 100  # a shadow,
    assert (darker[ground] > 40).mean() < 0.1  # not night
    shadow = np.argwhere((darker > 40) & ground)
    soft = ((darker > 8) & (darker < 40) & ground).sum()
    assert soft > 0.3 * len(shadow)
    assert np.linalg.norm(shadow.mean(axis=0) - 120) < 40


def test_auto_camera_frames_everything_and_not_much_more():
    for position in ((0.0, 0.0, 0.3), (50.0, -20.0, 0.3)):
        image = render(coloured_ball(RED), at(*position), size=(200, 200))
        rows, columns = np.nonzero(redder(image))
        assert rows.min() > 4 and columns.min() > 4 and rows.max() < 195 and columns.max() < 195
        assert np.ptp(rows) > 60


def test_many_environments_stand_on_a_grid():
    """Nine balls, as many separate discs; one that is not finite is left out, one that flew off does not matter."""
    poses = np.repeat(at(0, 0, 0.1), 9, axis=0)
    above = Camera(eye=(0.01, 0.0, 8.0), target=(0.0, 0.0, 0.0), angle=20.0)
    image = render(coloured_ball(RED, 0.1), poses, size=(300, 300), camera=above, spacing=0.6)
    assert pieces(redder(image)) == 9
    poses[4, 0, 2] = np.nan
    image = render(coloured_ball(RED, 0.1), poses, size=(300, 300), camera=above, spacing=0.6)
    assert pieces(redder(image)) == 8
    poses[0, 0, 0] = 1e4
    assert pieces(redder(render(coloured_ball(RED, 0.1), poses[:4], size=(300, 300)))) == 3
    with pytest.raises(ValueError, match="no environment has finite body poses"):
        render(coloured_ball(RED), np.full((2, 1, 7), np.nan))


def test_what_cannot_be_drawn():
    with pytest.raises(ValueError, match=r"must have the shape \(num_envs, num_bodies, 7\)"):
        render(ball(), np.zeros((3, 4)))
    with pytest.raises(ValueError, match="the model has 4 bodies, but the poses are of 1"):
        render(arm(), at(0, 0, 0))
    with pytest.raises(ValueError, match="no shape to show"):
        render(RobotModel("empty", [Body("b", 1.0)], []), at(0, 0, 0))


@pytest.mark.parametrize(
    ("shape", "area", "volume"),
    [
        (Shape("sphere", (0.3,)), 4 * np.pi * 0.09, 4 / 3 * np.pi * 0.027),
        (Shape("box", (0.1, 0.2, 0.3)), 8 * (0.02 + 0.03 + 0.06), 8 * 0.006),
        (Shape("cylinder", (0.2, 0.5)), 2 * np.pi * 0.2 * (1.0 + 0.2), np.pi * 0.04),
        (Shape("capsule", (0.2, 0.5)), 2 * np.pi * 0.2 * (1.0 + 0.4), np.pi * 0.04 + 4 / 3 * np.pi * 0.008),
    ],
)
def test_primitives_as_triangles(shape, area, volume):
    """Closed (the divergence theorem gives the volume), and wound outwards as their normals point."""
    shape.position, shape.orientation = (1.0, 2.0, 3.0), (0.5, 0.5, -0.5, 0.5)
    made = surface(shape)
    a, b, c = np.moveaxis(made.corners.astype(float) - (1, 2, 3), 1, 0)
    crossed = np.cross(b - a, c - a)
    assert 0.5 * np.linalg.norm(crossed, axis=1).sum() == pytest.approx(area, rel=0.01)
    assert np.einsum("ij,ij->", a, crossed) / 6 == pytest.approx(volume, rel=0.015)
    assert (np.einsum("ij,ikj->ik", crossed, made.normals) > 0).all()
    np.testing.assert_allclose(np.linalg.norm(made.normals, axis=2), 1.0, atol=1e-5)


def test_smooth_where_round_and_sharp_where_edged():
    sphere, box = surface(Shape("sphere", (1.0,))), surface(Shape("box", (1.0, 1.0, 1.0)))
    assert np.abs(sphere.normals - sphere.corners).max() < 0.05
    assert np.isclose(np.abs(box.normals).max(axis=2), 1.0).all()


def test_poses_of_an_arm():
    frames = body_frames(arm(), {"shoulder": np.pi / 2, "elbow": -np.pi / 2, "slide": 0.05}, position=(1.0, 0.0, 0.0))
    np.testing.assert_allclose(frames["lower"][1], [1.3, 0.0, 0.05], atol=1e-12)
    np.testing.assert_allclose(frames["tip"][1], [1.3, 0.0, 0.3], atol=1e-12)
    np.testing.assert_allclose(frames["tip"][0], np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    "shape", [("sphere", (0.3,)), ("box", (0.1, 0.2, 0.3)), ("cylinder", (0.2, 0.5)), ("capsule", (0.2, 0.5))]
)
def test_lowest_point_is_that_of_the_triangles(shape):
    rng = np.random.default_rng(4)
    for _ in range(5):
        turn, root = rng.normal(size=(2, 4))
        placed = Shape(*shape, position=tuple(rng.normal(size=3)), orientation=tuple(turn / np.linalg.norm(turn)))
        model = RobotModel("r", [Body("b", 1.0, collisions=[placed])], [])
        corners = surface(placed).corners.reshape(-1, 3) @ matrix(root).T
        assert lowest_point(model, {}, root) == pytest.approx(corners[:, 2].min(), abs=3e-3)
    assert lowest_point(RobotModel("r", [Body("b", 1.0)], []), {}, (1, 0, 0, 0)) is None
