"""Motion vectors: where things were, less where they are, in pixels."""

from __future__ import annotations

import numpy as np
from images.image_scenes import QUAD, QUAD_FACES, camera, capture, looking, place

from phalanx.maths.arrays import matrix, rotate
from phalanx.rays import RayScene, mesh_geometry, primitive_geometry

ENVS, HEIGHT, WIDTH, FOCAL = 3, 44, 60, 55.0


def poses(seed: int, step: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Places and turns of two bodies and of cameras: random, and a little on from there."""
    rng, more = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    position = rng.uniform(-0.4, 0.4, (ENVS, 2, 3)) + step * more.standard_normal((ENVS, 2, 3))
    orientation = rng.standard_normal((ENVS, 2, 4)) + step * more.standard_normal((ENVS, 2, 4))
    eye = rng.uniform([2, 2, 1], [3, 3, 2], (ENVS, 3)) + step * more.standard_normal((ENVS, 3))
    turned = looking(eye, step * more.standard_normal((ENVS, 3)))
    orientation /= np.linalg.norm(orientation, axis=-1, keepdims=True)
    return position.astype(np.float32), orientation.astype(np.float32), eye.astype(np.float32), turned


def scene_of(device: str) -> RayScene:
    scene = RayScene(ENVS, device)
    scene.add(primitive_geometry("box", (0.3, 0.4, 0.5)), body=0, position=(0.1, 0.2, 0), orientation=(0.6, 0, 0.8, 0))
    scene.add(primitive_geometry("sphere", (0.4,)), body=1)
    scene.add(primitive_geometry("plane"), position=(0, 0, -0.7))
    return scene


def expected(images: dict[str, np.ndarray], now: tuple, before: tuple, e: int) -> np.ndarray:
    """Motion (height, width, 2) of an environment, from depth and ids, in float64."""
    u, v = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    mid = (WIDTH / 2, HEIGHT / 2)
    hit = np.isfinite(images["depth"][e])
    z = np.where(hit, images["depth"][e], 1.0).astype(float)
    world = (
        np.stack([(u - mid[0]) / FOCAL * z, (v - mid[1]) / FOCAL * z, z], axis=-1) @ matrix(now[3][e].astype(float)).T
    )
    world = world + np.where(hit[..., None], now[2][e], 0.0)
    instance = images["ids"][e][..., 2]
    for k in range(2):
        turn, back = (matrix(p[1][e, k].astype(float)) for p in (before, now))
        moved = (world - now[0][e, k]) @ back @ turn.T + before[0][e, k]
        world = np.where((instance == k)[..., None], moved, world)
    seen = (world - np.where(hit[..., None], before[2][e], 0.0)) @ matrix(before[3][e].astype(float))
    at = FOCAL * seen[..., :2] / seen[..., 2:] + mid
    return at - np.stack([u, v], axis=-1)


def test_motion_is_the_reprojected_point(device: str) -> None:
    """Of bodies that move and turn, of the ground and the sky, as the camera moves: to 0.01 pixels."""
    scene = scene_of(device)
    sensor = camera(scene, HEIGHT, WIDTH)
    sensor.set_pinhole(FOCAL)
    before, now = poses(0), poses(0, 0.05)
    place(scene, *before[:2])
    first = capture(sensor, *before[2:])
    assert (first["motion_vectors"] == 0).all()
    still = capture(sensor, *before[2:])
    assert np.abs(still["motion_vectors"]).max() < 0.01
    place(scene, *now[:2])
    images = capture(sensor, *now[2:])
    for e in range(ENVS):
        assert {-1, 0, 1, 2} <= set(np.unique(images["ids"][e][..., 2])) | {-1}
        motion = expected(images, now, before, e)
        assert np.abs(motion).max() > 1.5
        np.testing.assert_allclose(images["motion_vectors"][e], motion, atol=0.01)
    # What was moved up and to the left has positive numbers.
    up = rotate(now[3].astype(float), [-0.1, -0.1, 0.0])
    shifted = (now[0] + up[:, None].astype(np.float32), now[1])
    place(scene, *shifted)
    images = capture(sensor, *now[2:])
    ball = images["ids"][..., 2] == 1
    assert ball.any() and (images["motion_vectors"][ball] > 0).all()
    assert np.abs(images["motion_vectors"][images["ids"][..., 2] == 2]).max() < 0.01


def test_environments_have_their_own_last_image(device: str) -> None:
    """Drawn in some environments only, and begun anew in others."""
    scene = scene_of(device)
    sensor = camera(scene, HEIGHT, WIDTH)
    sensor.set_pinhole(FOCAL)
    steps = [poses(5), poses(5, 0.03), poses(5, 0.06)]
    for k, envs in enumerate((None, [0, 2], None)):
        if k == 2:
            sensor.forget([2])
        place(scene, *steps[k][:2])
        images = capture(sensor, *steps[k][2:], envs)
        if k == 1:
            assert (images["motion_vectors"][1] == 0).all()
    for e, before in ((0, steps[1]), (1, steps[0])):
        np.testing.assert_allclose(images["motion_vectors"][e], expected(images, steps[2], before, e), atol=0.01)
    assert (images["motion_vectors"][2] == 0).all()


def test_directions_have_motion_of_first_order(device: str) -> None:
    """A pinhole given by its directions: small motion to 3 % of a pixel's, all over the image, also at its borders."""
    scene = scene_of(device)
    sensor = camera(scene, HEIGHT, WIDTH)
    u, v = np.meshgrid(np.arange(WIDTH) + 0.5 - WIDTH / 2, np.arange(HEIGHT) + 0.5 - HEIGHT / 2)
    sensor.set_directions(np.stack([u / FOCAL, v / FOCAL, np.ones_like(u)], axis=-1).reshape(-1, 3))
    before, now = poses(9), poses(9, 0.01)
    place(scene, *before[:2])
    capture(sensor, *before[2:])
    place(scene, *now[:2])
    images = capture(sensor, *now[2:])
    for e in range(ENVS):
        motion = expected(images, now, before, e)
        assert 0.15 < np.abs(motion).max() < 1.0
        np.testing.assert_allclose(images["motion_vectors"][e], motion, atol=0.03)


def test_meshes_that_are_refitted_move_on(device: str) -> None:
    """Bent in between, a mesh still moves as its body does; what is added begins anew."""
    scene = RayScene(1, device)
    geometry = mesh_geometry(QUAD, QUAD_FACES)
    scene.add(geometry, body=0)
    sensor = camera(scene, 9, 9)
    for k, expected_ in enumerate((0.0, -0.1 * 9 / 3.2, -0.1 * 9 / 3.2)):  # 9 pixels of focal length
        place(scene, np.array([[[0.1 * k, 0, 0]]]))
        motion = capture(sensor, (0, 0, 3.0), (0, 1, 0, 0))["motion_vectors"][0, 4, 4]
        np.testing.assert_allclose(motion, [expected_, 0.0], atol=1e-4)
        scene.refit(geometry, QUAD - [0, 0, 0.2], QUAD_FACES)
    scene.add(geometry, body=0, position=(0, 0, 0.5))
    place(scene, np.array([[[0.5, 0, 0]]]))
    assert (capture(sensor, (0, 0, 3.0), (0, 1, 0, 0))["motion_vectors"] == 0).all()
