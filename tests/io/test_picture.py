"""Pictures: outlines, what covers what, shadows, colours of numbers, and what happens with poses that are none."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import label
from small_robots import arm

import phalanx as px
from phalanx.images.pictures.picture import Camera, WorldPainter, render_world
from phalanx.maths.arrays import matrix
from phalanx.models.meshes.tessellate import surface
from phalanx.models.pose import body_frames, lowest_point
from phalanx.models.robot_model import Body, RobotModel, Shape

RED, GREEN = (0.9, 0.05, 0.05, 1.0), (0.05, 0.8, 0.05, 1.0)
FROM_X = Camera(eye=(2.0, 0.0, 0.0), target=(0.0, 0.0, 0.0), angle=40.0)


def balls(*places: tuple[float, float, float], radius: float = 0.3, num_envs: int = 1, device: str = "cpu") -> px.World:
    """A red ball and, where there are two places, a small green one."""
    world = px.World(num_envs, device)
    for (name, size, color), place in zip((("red", radius, RED), ("green", 0.1, GREEN)), places, strict=False):
        world.add_rigid_object(Shape("sphere", (size,), color=color), name, kind="static", position=place)
    return world


def redder(image: np.ndarray) -> np.ndarray:
    pixels = image.astype(int)
    return pixels[..., 0] > pixels[..., 1] + 25


def greener(image: np.ndarray) -> np.ndarray:
    pixels = image.astype(int)
    return pixels[..., 1] > pixels[..., 0] + 25


def pieces(mask: np.ndarray) -> int:
    """Number of separate areas."""
    return cast(tuple[np.ndarray, int], label(mask))[1]


def test_outline_of_a_sphere(tmp_path, device):
    """A sphere of radius r at distance d is a disc of radius f r / sqrt(d^2 - r^2) in the middle."""
    world = balls((0.0, 0.0, 0.0), device=device)
    image = render_world(world, tmp_path / "a.png", size=(300, 200), camera=FROM_X)
    assert image.shape == (200, 300, 3) and image.dtype == np.uint8
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "a.png")), image)
    assert list(tmp_path.iterdir()) == [tmp_path / "a.png"]
    disc = redder(image)
    radius = 100 / np.tan(np.deg2rad(20)) * 0.3 / np.sqrt(4 - 0.09)
    assert disc.sum() == pytest.approx(np.pi * radius**2, rel=0.02)
    rows, columns = np.nonzero(disc)
    assert rows.mean() == pytest.approx(99.5, abs=0.5) and columns.mean() == pytest.approx(149.5, abs=0.5)
    assert np.ptp(rows) + 1 == pytest.approx(2 * radius, abs=1.6)
    assert np.ptp(columns) + 1 == pytest.approx(2 * radius, abs=1.6)


def test_depth_normals_and_objects_of_a_sphere(device):
    """In the middle the ball's pole is seen: 1.7 m away, facing the camera at +x."""
    world = balls((0.0, 0.0, 0.0), device=device)
    made = {
        kind: render_world(world, size=(80, 60), camera=FROM_X, kind=kind)
        for kind in ("depth", "normals", "segmentation")
    }
    assert made["depth"][30, 40].tolist() == [round(255 * 2.0 / 3.7)] * 3
    assert made["normals"][30, 40] == pytest.approx([255, 127.5, 127.5], abs=6)
    assert made["normals"][19, 40, 2] > 200, "the upper limb looks up"
    assert all((image[0, 0] == 0).all() for image in made.values()), "black where nothing is"
    assert made["segmentation"][30, 40].max() > 100 and len(np.unique(made["segmentation"].reshape(-1, 3), axis=0)) == 2


def test_up_is_up_and_left_is_left():
    """Seen from +x with z up, +y is on the right."""
    image = render_world(balls((0.0, 0.3, 0.2), radius=0.1), size=(300, 300), camera=FROM_X)
    rows, columns = np.nonzero(redder(image))
    assert rows.max() < 150 and columns.min() > 150


def test_the_nearer_one_is_seen():
    image = render_world(balls((0, 0, 0), (0.6, 0, 0)), size=(200, 200), camera=FROM_X)
    assert greener(image)[100, 100] and redder(image)[100, 70]
    assert not greener(render_world(balls((0, 0, 0), (-0.6, 0, 0)), size=(200, 200), camera=FROM_X)).any()


def test_shapes_that_cross_meet_where_they_do():
    """A plate through the middle of a ball: the ball's upper half shows above it."""
    world = px.World()
    plate = Shape("box", (0.5, 0.5, 0.001), color=GREEN)
    world.add_rigid_object([Shape("sphere", (0.3,), color=RED), plate], kind="static")
    camera = Camera(eye=(2.0, 0.0, 2.0), target=(0.0, 0.0, 0.0))
    column = redder(render_world(world, size=(200, 200), camera=camera))[:, 100]
    # The ball's top limb is at (r cos 45°, 0, r sin 45°) across the line of sight, its foot at (r, 0, 0).
    focal = 100 / np.tan(np.deg2rad(16))
    eye_distance = 2 * np.sqrt(2)
    top = 100 - focal * 0.3 / np.sqrt(eye_distance**2 - 0.09)
    foot = 100 + focal * (0.3 / np.sqrt(2)) / (eye_distance - 0.3 / np.sqrt(2))
    visible = np.flatnonzero(column)
    assert visible.min() == pytest.approx(top, abs=2) and visible.max() == pytest.approx(foot, abs=2)


def test_a_ball_darkens_the_ground_below_it():
    camera = Camera(eye=(0.0, -4.0, 3.0), target=(0.0, 0.0, 0.0))
    options = {"size": (240, 240), "ground": 0.0, "camera": camera, "spacing": 1.0}
    near, gone = (
        render_world(balls((x, 0.0, 0.25), (0.0, 0.0, 0.1), radius=0.2), **options).astype(int) for x in (0.0, 30.0)
    )
    ground = ~redder(near) & ~greener(near) & ~greener(gone)
    darker = (gone - near).mean(axis=2)
    assert (darker[ground] > 40).sum() > 100  # a shadow,
    assert (darker[ground] > 40).mean() < 0.1  # not night
    shadow = np.argwhere((darker > 40) & ground)
    soft = ((darker > 8) & (darker < 40) & ground).sum()
    assert soft > 0.3 * len(shadow)
    assert np.linalg.norm(shadow.mean(axis=0) - 120) < 40


def test_auto_camera_frames_everything_and_not_much_more():
    for position in ((0.0, 0.0, 0.3), (50.0, -20.0, 0.3)):
        image = render_world(balls(position), size=(200, 200))
        rows, columns = np.nonzero(redder(image))
        assert rows.min() > 4 and columns.min() > 4 and rows.max() < 195 and columns.max() < 195
        assert np.ptp(rows) > 60


def test_many_environments_stand_on_a_grid():
    """Nine balls, as many separate discs; one that is not finite is left out, one that flew off does not matter."""
    world = balls((0, 0, 0.1), radius=0.1, num_envs=9)
    above = Camera(eye=(0.01, 0.0, 8.0), target=(0.0, 0.0, 0.0), angle=20.0)
    image = render_world(world, size=(300, 300), camera=above, spacing=0.6)
    assert pieces(redder(image)) == 9
    assert pieces(redder(render_world(world, size=(300, 300), camera=above, spacing=0.6, env_ids=[1, 5]))) == 2
    poses = np.tile(np.array([0, 0, 0.1, 1, 0, 0, 0], np.float32), (1, 9, 1, 1))
    poses[0, 4, 0, 2] = np.nan
    painter = WorldPainter(world, size=(300, 300), camera=above, spacing=0.6, poses=poses)
    assert pieces(redder(painter.draw(poses[0]))) == 8
    poses[0, 0, 0, 0] = 1e4
    painter = WorldPainter(world, range(4), size=(300, 300), poses=poses[:, :4])
    assert pieces(redder(painter.draw(poses[0, :4]))) == 3
    strewn = np.tile(np.array([[0, 0, 0.1, 1, 0, 0, 0], [0, 0.3, 0.1, 1, 0, 0, 0]], np.float32), (1, 4, 1, 1))
    strewn[0, 1, 1, 0] = 50.0
    two = balls((0, 0, 0.1), (0, 0.3, 0.1), radius=0.1, num_envs=4)
    there = WorldPainter(two, size=(300, 300), poses=strewn).draw(strewn[0])
    assert pieces(redder(there)) == 4, "a stray ball does not hide what is beside where it was"
    with pytest.raises(ValueError, match=r"poses have the shape \(9, 1, 7\); \(4, 1, 7\) is needed"):
        painter.draw(poses[0])
    with pytest.raises(ValueError, match="no environment has finite poses"):
        WorldPainter(world, poses=np.full((1, 9, 1, 7), np.nan))


def test_what_cannot_be_drawn(tmp_path):
    empty = px.World()
    empty.add_robot(RobotModel("empty", [Body("b", 1.0, inertia=np.eye(3))], []))
    with pytest.raises(ValueError, match="render_world: nothing in the world has a shape to show"):
        render_world(empty, tmp_path / "a.png")
    world = balls((0, 0, 0))
    with pytest.raises(ValueError, match=r"render_world: size=\(0, 5\): width and height must be positive"):
        render_world(world, size=(0, 5))
    with pytest.raises(ValueError, match="kind='heat': there are rgb, depth, normals, segmentation"):
        render_world(world, kind="heat")
    with pytest.raises(FileNotFoundError, match=r"no/a\.png: there is no folder .*no; make it first"):
        render_world(world, tmp_path / "no" / "a.png", size=(8, 8))
    assert not list(tmp_path.iterdir())


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
