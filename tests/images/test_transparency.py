"""Surfaces that hide some of what is behind them: colours, shadows, alpha, layers, and what else pictures have."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from images.image_scenes import DOME, QUAD, QUAD_FACES, capture, looking

from phalanx.images import ImageSensor, Light, Look
from phalanx.images.image_kernels import LAYERS
from phalanx.images.looks import encoded
from phalanx.rays import RayScene, mesh_geometry, primitive_geometry

DOWN = looking([0, 0, 4.0], [0, 0, 0])
RED, GREEN, GROUND = np.array([0.8, 0.1, 0.05]), np.array([0.1, 0.6, 0.2]), np.array([0.3, 0.4, 0.7])


def sheets(device: str, looks: list[Look], lights: list[Light], side: float = 1.0, **options: object) -> ImageSensor:
    """Squares one above the other, from 0.5 m on, over a ground, which the camera of the first environment sees."""
    scene = RayScene(1, device)
    told = {scene.add(primitive_geometry("plane"), object=0): Look(GROUND, roughness=1.0)}
    quad = mesh_geometry(QUAD * side, QUAD_FACES)
    for k, look in enumerate(looks):
        told[scene.add(quad, position=(0.0, 0.0, 0.5 + 0.1 * k), object=1 + k)] = look
    types = ("rgb", "rgba", "depth", "normals", "ids", "distance_to_camera")
    return ImageSensor(scene, 9, 9, types, looks=told, lights=lights, shadows=2, **options)  # pyright: ignore[reportArgumentType]


def dull(color: np.ndarray, opacity: float) -> Look:
    return Look(color, opacity=opacity, roughness=1.0)


@pytest.mark.parametrize("opacity", [0.25, 0.5, 0.9])
def test_sheets_mix_with_what_is_behind(opacity: float, device: str) -> None:
    """Half of a sheet and half of the ground, and of two sheets by their order; the rest is of the first surface."""
    eye = (0.0, 0.0, 4.0)
    images = capture(sheets(device, [dull(RED, opacity)], [DOME]), eye, DOWN)
    one = opacity * RED + (1.0 - opacity) * GROUND
    assert np.abs(images["rgb"][0, 4, 4].astype(int) - encoded(one)).max() <= 1
    assert images["rgba"][0, 4, 4, 3] == 255
    np.testing.assert_allclose(images["depth"][0, 4, 4], 3.5, rtol=1e-6)
    np.testing.assert_array_equal(images["normals"][0, 4, 4], [0, 0, 1])
    assert images["ids"][0, 4, 4, 1] == 1
    images = capture(sheets(device, [dull(RED, opacity), dull(GREEN, 0.4)], [DOME]), eye, DOWN)
    assert np.abs(images["rgb"][0, 4, 4].astype(int) - encoded(0.4 * GREEN + 0.6 * one)).max() <= 1
    np.testing.assert_allclose(images["distance_to_camera"][0, 4, 4], 3.4, rtol=1e-6)
    assert images["ids"][0, 4, 4, 1] == 2


def test_alpha_is_what_is_hidden(device: str) -> None:
    """Over nothing a sheet has its opacity as alpha, and the background shows; a ball has two surfaces."""
    scene = RayScene(1, device)
    quad = scene.add(mesh_geometry(QUAD, QUAD_FACES), position=(0, 0, 1.0))
    ball = scene.add(primitive_geometry("sphere", (0.4,)), position=(10.0, 0, 1.0))
    looks = {quad: dull(RED, 0.4), ball: Look((0, 0, 0), opacity=0.3, emission=RED, roughness=1.0)}
    sensor = ImageSensor(scene, 9, 9, ("rgba", "ids"), looks=looks, lights=[DOME], background=GREEN)
    images = capture(sensor, (0.0, 0.0, 4.0), DOWN)
    np.testing.assert_array_equal(images["rgba"][0, 4, 4, 3], round(255 * 0.4))
    assert np.abs(images["rgba"][0, 4, 4, :3].astype(int) - encoded(0.4 * RED + 0.6 * GREEN)).max() <= 1
    np.testing.assert_array_equal(images["rgba"][0, 0, 0], [*encoded(GREEN), 0])
    images = capture(sensor, (10.0, 0.0, 4.0), DOWN)
    hidden = 1.0 - 0.7**2
    np.testing.assert_array_equal(images["rgba"][0, 4, 4, 3], round(255 * hidden))
    assert np.abs(images["rgba"][0, 4, 4, :3].astype(int) - encoded(hidden * RED + 0.7**2 * GREEN)).max() <= 1


@pytest.mark.parametrize("suns", [1, 2])
def test_shadows_are_lighter(suns: int, device: str) -> None:
    """The ground under sheets has what they let through of each sun; under an opaque one it has none."""
    lights = [Light.distant((0, 0, -1), intensity=0.6 / suns)] * suns + [Light.dome(intensity=0.2)]
    eye = np.array([0.0, -3.0, 0.25])  # under the sheets, at the ground in their shadow
    turned = looking(eye, [0, 0, 0])
    for looks, share in (
        ([dull(RED, 0.25)], 0.75),
        ([dull(RED, 0.25), dull(GREEN, 0.5)], 0.375),
        ([dull(RED, 0.25), Look(GREEN)], 0.0),
        ([dull(RED, 0.25), Look(GREEN, shadow=False), Look(RED, opacity=0.5, shadow=False)], 0.75),
    ):
        images = capture(sheets(device, looks, lights), eye, turned)
        assert images["ids"][0, 4, 4, 1] == 0
        expected = encoded((0.2 + 0.6 * share) * GROUND).astype(int)
        assert np.abs(images["rgb"][0, 4, 4].astype(int) - expected).max() <= 1


def test_layers_are_bounded(device: str) -> None:
    """Of many sheets the last that is looked at hides what is behind it."""
    opacity, images = 0.1, []
    for count in (LAYERS - 1, LAYERS + 3):
        sensor = sheets(device, [dull(RED, opacity)] * count, [DOME], side=0.5)
        images.append(capture(sensor, (0.0, 0.0, 4.0), DOWN)["rgb"][0, 4, 4].astype(int))
    left = (1.0 - opacity) ** (LAYERS - 1)
    assert np.abs(images[0] - encoded((1.0 - left) * RED + left * GROUND)).max() <= 1
    assert np.abs(images[1] - encoded(RED)).max() <= 1


def test_grazing_sheets_count_once(device: str) -> None:
    """A large sheet seen at 3 degrees and from far away: still one surface, in every pixel."""
    sensor = sheets(device, [dull(RED, 0.5)], [DOME], side=60.0)
    for eye in ([-20.0, 0.0, 1.5], [-40.0, 30.0, 4.0]):
        images = capture(sensor, eye, looking(eye, [0.0, 0.0, 0.5]))
        seen = images["ids"][0, ..., 1] == 1
        assert seen[4, 4]
        expected = encoded(0.5 * RED + 0.5 * GROUND).astype(int)
        assert np.abs(images["rgb"][0][seen].astype(int) - expected).max() <= 1


def test_what_stands_on_the_ground(device: str) -> None:
    """Through a box whose lower side is in the ground's plane the ground is seen, not what is below it; also by way of
    meshes, of two that are in one place, and within a transparent ball.
    """
    made = trimesh.creation.box((1.0, 1.0, 0.6))
    solids = (primitive_geometry("box", (0.5, 0.5, 0.3)), mesh_geometry(made.vertices, made.faces))
    for bodies in (solids[:1], solids[1:], solids):
        scene = RayScene(1, device)
        looks = {scene.add(primitive_geometry("plane")): Look((0, 0, 0), emission=(0.0, 0.3, 0.0), roughness=1.0)}
        for k, solid in enumerate(bodies):
            looks[scene.add(solid, position=(0, 0, 0.3), object=1 + k)] = Look((0, 0, 0), opacity=0.5, roughness=1.0)
        around = primitive_geometry("sphere", (3.0,))
        looks[scene.add(around, object=9)] = Look((0, 0, 0), opacity=0.2, roughness=1.0)
        sensor = ImageSensor(scene, 48, 64, ("rgb", "ids"), looks=looks, lights=[DOME], background=(1.0, 0.0, 0.0))
        eye = [4.0, 1.0, 3.0]
        sensor.set_pinhole(120.0)
        images = capture(sensor, eye, looking(eye, [0.0, 0.0, 0.1]))
        rgb = images["rgb"][0].reshape(-1, 3)
        assert (images["ids"][0, ..., 1] == 9).all()  # the ball is in front of all
        assert not rgb[:, 0].any(), "something red is below the ground"
        layers = [0.8 * 0.5**n for n in range(5)]  # the ball, and the box's two or four sides, or all but its lower
        allowed = {int(encoded((0, 0.3 * share, 0))[1]) for share in layers}
        found, counts = np.unique(rgb[:, 1], return_counts=True)
        near = np.array([min(abs(int(g) - a) for a in allowed) <= 1 for g in found])
        assert counts[near].sum() > 0.98 * len(rgb)  # but for edges, where rays meet fewer sides


def test_scenes_without_have_kernels_without(device: str) -> None:
    """What is opaque, or not there at all, costs nothing: the kernel is made without layers."""
    for looks, made in (([Look(RED)], 0), ([Look(RED, opacity=0.0)], 0), ([dull(RED, 0.5)], 1)):
        sensor = sheets(device, looks, [DOME])
        capture(sensor, (0.0, 0.0, 4.0), DOWN)
        assert dict(sensor._constants(sensor.scene.packed()))["TRANSPARENT"] == made
    depth = ImageSensor(sensor.scene, 4, 4, ("depth",), looks=sensor._looks)
    capture(depth, (0.0, 0.0, 4.0), DOWN)
    assert dict(depth._constants(depth.scene.packed()))["TRANSPARENT"] == 0
