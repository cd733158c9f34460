"""Colours: texels, light by Lambert's law, shadows where geometry says, backgrounds, and what is not seen."""

from __future__ import annotations

import numpy as np
import pytest
from images.image_scenes import (
    DOME,
    QUAD,
    QUAD_FACES,
    QUAD_UV,
    camera,
    capture,
    inside,
    looking,
    pixel_rays,
    place,
    ray_sphere,
)

from phalanx.images import Light, Look, Texture
from phalanx.images.looks import DECODED, encoded
from phalanx.images.shading import encoded_byte
from phalanx.rays import RayScene, mesh_geometry, primitive_geometry


def pixels() -> np.ndarray:
    """Texels (16, 18, 3): all 256 numbers in each channel, in some order."""
    rng = np.random.default_rng(0)
    made = [rng.permutation(np.concatenate([np.arange(256), rng.integers(0, 256, 32)])) for _ in range(3)]
    return np.stack(made, axis=-1).reshape(16, 18, 3).astype(np.uint8)


def test_encoding_is_that_of_srgb() -> None:
    """All 256 survive the way through linear numbers; halves are where the standard has them."""
    np.testing.assert_array_equal(encoded(DECODED), np.arange(256))
    np.testing.assert_allclose(DECODED[[0, 10, 128, 188, 255]], [0, 0.003035, 0.215861, 0.502886, 1], atol=1e-6)
    np.testing.assert_array_equal(encoded([-1.0, 0.5, 2.0]), [0, 188, 255])


def test_encoding_by_roots_is_near_the_standard() -> None:
    """By 0.03 of a step, all the way; what is beyond, or no number, is 0 or 255."""
    linear = np.linspace(0.0, 1.0, 20_001) ** 2  # closer where it is dark
    exact = 255.0 * np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    found = np.array([encoded_byte(float(x)) for x in linear])
    assert np.abs(found - exact).max() <= 0.53
    assert [encoded_byte(x) for x in (-1.0, np.nan, 1.0, 7.0)] == [0, 0, 255, 255]


@pytest.mark.parametrize("filter_", ["nearest", "linear"])
def test_texels_are_exact_at_their_middles(filter_: str, device: str) -> None:
    """Seen from above, a pixel a texel: through a plane's coordinates, and through a mesh's own, also beyond 0 to 1."""
    texture = Texture(pixels(), size=(18.0, 16.0), filter=filter_)
    scene = RayScene(3, device)
    plane = scene.add(primitive_geometry("plane"), groups=1)
    stretched = QUAD * [18.0, 16.0, 0.0]  # two times each way, and shifted by whole numbers
    quad = scene.add(
        mesh_geometry(stretched, QUAD_FACES, uv=2 * QUAD_UV - [4, 3]),
        body=0,
        position=(0, 0, 1),
        orientation=(1, 0, 0, 0),
    )
    looks = {k: Look((1, 1, 1), texture=texture, roughness=1.0) for k in (plane, quad)}
    sensor = camera(scene, 32, 36, looks=looks)
    sensor.set_pinhole([5.0, 4.0, 5.0], cx=18.0, cy=16.0)  # 1 m a pixel
    place(scene, np.array([[[100.0, 0, 0]], [[0, 0, 0]], [[100.0, 0, 0]]]))
    # Upwards in the image is y, to the right x; (0, 0) of the texture is the origin.
    rgb = capture(sensor, (0, 0, 5.0), (0, 1, 0, 0))["rgb"]
    expected = np.tile(pixels(), (2, 2, 1))
    np.testing.assert_array_equal(rgb[0], expected)
    np.testing.assert_array_equal(rgb[1], expected)
    # Half a texel aside: the mean of neighbours, or one of them.
    half = capture(sensor, (0.5, 0, 5.0), (0, 1, 0, 0))["rgb"][0]
    linear = DECODED[expected]
    mean = encoded((linear + np.roll(linear, -1, axis=1)) / 2)
    if filter_ == "linear":
        assert np.abs(half.astype(int) - mean).max() <= 1
    else:
        one, two = ((half == e).all(axis=-1) for e in (expected, np.roll(expected, -1, axis=1)))
        assert (one | two).all()


def test_textures_far_away_and_colours_of_faces(device: str) -> None:
    """Squares smaller than a pixel become their mean; colours of faces and looks are multiplied."""
    scene = RayScene(1, device)
    plane = scene.add(primitive_geometry("plane"))
    colours = [[1.0, 0.5, 0.25], [0.1, 1.0, 0.0]]
    quad = scene.add(mesh_geometry(QUAD, QUAD_FACES, colors=colours), position=(0, 0, 50.0))
    checkers = Texture.checkerboard((0.1, 0.1, 0.1), (0.7, 0.5, 0.3), 0.01)
    looks = {
        plane: Look((1, 1, 1), texture=checkers, roughness=1.0),
        quad: Look((0.5, 0.5, 1.0), emission=(0, 0, 0.1), roughness=1.0),
    }
    rgb = capture(camera(scene, 32, 32, looks=looks), (0, 0, 54.0), (0, 1, 0, 0))["rgb"][0]
    linear = [DECODED[encoded(c)] for c in ((0.1, 0.1, 0.1), (0.7, 0.5, 0.3))]
    assert np.abs(rgb[0].astype(int) - encoded(np.mean(linear, axis=0))).max() <= 1
    for face, (row, column) in enumerate(((18, 18), (14, 14))):
        expected = encoded(np.array(colours[face]) * [0.5, 0.5, 1.0] + [0, 0, 0.1])
        assert np.abs(rgb[row, column].astype(int) - expected).max() <= 1


def test_shadows_and_lambert(device: str) -> None:
    """A ball over a plane: by a distant light and a lamp, pixels are lit or not as formulas say, and as bright."""
    centre, radius, albedo = np.array([0.2, -0.1, 1.0]), 0.5, np.array([0.4, 0.6, 0.2])
    sun, lamp = np.array([0.3, 0.4, -1.0]), np.array([-1.5, 1.0, 3.0])
    eye = np.array([3.0, -2.0, 3.0])
    turned = looking(eye, [0, 0, 0.3])
    for shadows in (2, 1, 0):
        scene = RayScene(1, device)
        ball = scene.add(primitive_geometry("sphere", (radius,)), position=tuple(centre))
        plane = scene.add(primitive_geometry("plane"))
        looks = {k: Look(albedo, roughness=1.0) for k in (ball, plane)}
        lights = [
            Light.distant(sun, (1, 0.8, 0.6), 0.5, shadow=shadows > 0),
            Light.dome((1, 1, 1), 0.1),
            Light.point(lamp, (0.2, 0.4, 1.0), 3.0, shadow=shadows > 1),
        ]
        sensor = camera(scene, 60, 80, looks=looks, lights=lights)
        rgb = capture(sensor, eye, turned)["rgb"][0]
        ways, _ = pixel_rays((80, 80, 40, 30), 60, 80, turned.astype(float))
        t, normal = ray_sphere(eye, ways, centre, radius)
        on_ball = np.isfinite(t)
        t = np.where(on_ball, t, -eye[2] / ways[..., 2])
        normal = np.where(on_ball[..., None], normal, [0, 0, 1.0])
        place_ = eye + t[..., None] * ways
        light = 0.1 * (0.4 + 0.6 * (0.5 + 0.5 * normal[..., 2:])) * np.ones(3)
        clear = inside(on_ball) & (ways[..., 2] < -0.1)
        to_sun = np.broadcast_to(-sun / np.linalg.norm(sun), place_.shape)
        away = np.linalg.norm(lamp - place_, axis=-1, keepdims=True)
        for k, (way, bright) in enumerate(
            ((to_sun, np.array([0.5, 0.4, 0.3])), ((lamp - place_) / away, np.array([0.6, 1.2, 3.0]) / away**2))
        ):
            along = ((centre - place_) * way).sum(axis=-1)
            beside = np.linalg.norm(place_ + along[..., None] * way - centre, axis=-1)
            covered = ~on_ball & (along > 0) & (beside < radius) & (k < shadows)
            facing = np.clip((normal * way).sum(axis=-1), 0, None)
            clear &= inside(covered) & (~on_ball | (facing > 0.02) | (facing == 0))
            light = light + np.where(covered, 0.0, facing)[..., None] * bright
            assert (shadows > k) == (covered & clear).any()
        assert clear.mean() > 0.7
        assert np.abs(rgb.astype(int) - encoded(albedo * light))[clear].max() <= 1


def test_two_lights_that_are_alike(device: str) -> None:
    """Each counts, however many of them cast shadows."""
    eye = np.array([0, 0, 3.0])
    for shadows in (0, 1, 2):
        scene = RayScene(1, device)
        ground = scene.add(primitive_geometry("plane"))
        lights = [Light.distant((0, 0, -1), intensity=0.3), Light.distant((0, 0, -1), intensity=0.3)]
        sensor = camera(scene, looks={ground: Look((1, 1, 1), roughness=1.0)}, lights=lights, shadows=shadows)
        rgb = capture(sensor, eye, (0, 1, 0, 0))["rgb"][0]
        assert np.abs(rgb.astype(int) - encoded(0.6)).max() <= 1, shadows


def test_gloss_is_where_the_light_is_mirrored(device: str) -> None:
    """A smooth ball has one spot, brighter and smaller than that of a rougher one, where the half vector is normal."""
    scene = RayScene(1, device)
    balls = [scene.add(primitive_geometry("sphere", (1.0,)), position=(0, 3.0 * k, 0)) for k in range(2)]
    looks = {balls[0]: Look((0, 0, 0), roughness=0.2), balls[1]: Look((0, 0, 0), roughness=0.6)}
    spots = []
    for k in range(2):
        sensor = camera(scene, 101, 101, looks=looks, lights=[Light.distant((0, 0, -1.0))], background=(0, 0, 0))
        sensor.set_pinhole(400.0)
        eye = np.array([8.0, 3.0 * k, 0])
        rgb = capture(sensor, eye, looking(eye, eye - [1, 0, 0]))["rgb"][0].astype(float)
        v, u = np.unravel_index(rgb[..., 0].argmax(), (101, 101))
        height = (50 - v) / 400 * (8 - np.sqrt(0.5))
        assert abs(u - 50) <= 1
        assert height == pytest.approx(np.sin(np.pi / 4), abs=0.06), "half way between up and the eye"
        spots.append((rgb[..., 0].max(), (rgb[..., 0] > 0.5 * rgb[..., 0].max()).sum()))
    assert spots[0][0] > spots[1][0] and spots[0][1] < spots[1][1]


def test_background_and_what_is_not_seen(device: str) -> None:
    """Skies, opacity, groups, emission, and looks that change."""
    scene = RayScene(1, device)
    ball = scene.add(primitive_geometry("sphere", (1.0,)), object=4)
    other = scene.add(primitive_geometry("sphere", (0.5,)), object=5)
    eye, turned = (5.0, 0, 0), looking([5.0, 0, 0], [0, 0, 0])
    sensor = camera(scene, 33, 33, looks={ball: Look((0, 0, 0), emission=(0.5, 0.2, 0.1))}, background=(0.1, 0.2, 0.9))
    images = capture(sensor, eye, turned)
    np.testing.assert_array_equal(images["rgb"][0, 0, 0], encoded((0.1, 0.2, 0.9)))
    np.testing.assert_array_equal(images["rgb"][0, 16, 16], encoded((0.5, 0.2, 0.1)))
    np.testing.assert_array_equal(images["rgba"][0, 0, 0], [*encoded((0.1, 0.2, 0.9)), 0])
    assert images["ids"][0, 16, 16, 1] == 4
    sensor.set_look(ball, Look(opacity=0.0))
    images = capture(sensor, eye, turned)
    assert images["ids"][0, 16, 16, 1] == 5 and images["ids"][0, 16, 16, 2] == other
    np.testing.assert_allclose(images["depth"][0, 16, 16], 4.5, rtol=1e-6)
    sensor.set_look(ball, Look(opacity=1.0))
    sensor.set_lights([DOME, Light.distant((0, 0, -1), intensity=0.0), Light.distant((0, 0, -1), intensity=0.0)])
    assert capture(sensor, eye, turned)["ids"][0, 16, 16, 1] == 4
    sky = camera(RayScene(1, device), 9, 9, background=((0, 0, 0), (0.4, 0.6, 0.8)))
    up = capture(sky, (0, 0, 0), (1, 0, 0, 0))["rgb"][0]
    np.testing.assert_array_equal(up[4, 4], encoded((0.4, 0.6, 0.8)))
    down = capture(sky, (0, 0, 0), (0, 1, 0, 0))["rgb"][0]
    assert (down == 0).all()


def test_shadows_only_of_what_casts_them(device: str) -> None:
    """A ball that casts none, or is not there, leaves the ground as it was."""
    eye = np.array([0, -4.0, 3.0])
    found = []
    for ball in (Look(roughness=1.0), Look(shadow=False, roughness=1.0), Look(opacity=0.0)):
        scene = RayScene(1, device)
        number = scene.add(primitive_geometry("sphere", (0.5,)), position=(0, 0, 1))
        ground = scene.add(primitive_geometry("plane"))
        sensor = camera(
            scene, looks={number: ball, ground: Look(roughness=1.0)}, lights=[Light.distant((0, 0, -1), intensity=0.8)]
        )
        images = capture(sensor, eye, looking(eye, [0, 0, 0.5]))
        found.append(images["rgb"][0][images["ids"][0, ..., 2] == ground])
    assert (found[0] == 0).all(axis=-1).sum() > 20
    assert (found[1] == found[1][0]).all() and (found[2] == found[1][0]).all() and found[1][0, 0] > 100
