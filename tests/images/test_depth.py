"""Depth, normals, points and ids of spheres and boxes are those of formulas."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from images.image_scenes import camera, capture, inside, looking, pixel_rays, place, ray_box, ray_sphere

from phalanx.images import ImageSensor
from phalanx.maths.arrays import matrix
from phalanx.rays import RayScene, mesh_geometry, primitive_geometry

ENVS, HEIGHT, WIDTH = 6, 60, 76
RADIUS, HALF = 0.7, (0.5, 0.8, 0.3)


def intrinsics(seed: int = 0) -> np.ndarray:
    """fx, fy, cx, cy of each environment: unequal, and off the image's middle."""
    rng = np.random.default_rng(seed)
    return rng.uniform([50, 50, 0.4 * WIDTH, 0.4 * HEIGHT], [80, 80, 0.6 * WIDTH, 0.6 * HEIGHT], (ENVS, 4))


def cameras(seed: int = 1, away: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
    """Places around the origin at a distance, looking about there."""
    rng = np.random.default_rng(seed)
    eye = rng.standard_normal((ENVS, 3))
    eye *= away / np.linalg.norm(eye, axis=1, keepdims=True)
    eye = eye.astype(np.float32)
    return eye, looking(eye, rng.uniform(-0.1, 0.1, (ENVS, 3)))


def test_spheres_and_boxes(device: str) -> None:
    """One a environment, as primitives and a mesh: hit or not but for edges, distances to 1e-5, normals to 1e-4."""
    scene = RayScene(ENVS, device)
    box = trimesh.creation.box(2 * np.array(HALF))
    kinds = (primitive_geometry("sphere", (RADIUS,)), primitive_geometry("box", HALF))
    for k, geometry in enumerate((*kinds, mesh_geometry(box.vertices, box.faces))):
        scene.add(geometry, body=k, object=10 + k)
    sensor = camera(scene, HEIGHT, WIDTH)
    given = intrinsics().astype(np.float32)
    sensor.set_pinhole(*given.T)
    eye, turned = cameras()
    rng = np.random.default_rng(2)
    position = np.full((ENVS, 3, 3), 1e3)
    orientation = rng.standard_normal((ENVS, 3, 4))
    orientation /= np.linalg.norm(orientation, axis=-1, keepdims=True)
    which = np.arange(ENVS) % 3
    position[np.arange(ENVS), which] = 0.0
    place(scene, position, orientation)
    images = capture(sensor, eye, turned)
    assert images["depth"] is not None and sensor.output["depth"] is sensor.output["distance_to_image_plane"]
    for e in range(ENVS):
        ways, cosine = pixel_rays(given[e], HEIGHT, WIDTH, turned[e].astype(float))
        origin = eye[e].astype(float)
        if which[e] == 0:
            t, normal = ray_sphere(origin, ways, np.zeros(3), RADIUS)
        else:
            t, normal = ray_box(origin, ways, matrix(orientation[e, which[e]].astype(np.float32).astype(float)), HALF)
        hit = np.isfinite(t)
        assert 0.05 < hit.mean() < 0.8
        clear = inside(hit)
        assert (np.isfinite(images["distance_to_camera"][e]) == hit)[clear].all()
        both = hit & clear
        np.testing.assert_allclose(images["distance_to_camera"][e][both], t[both], rtol=1e-5)
        np.testing.assert_allclose(images["depth"][e][both], (t * cosine)[both], rtol=1e-5)
        assert np.isinf(images["depth"][e][~hit & clear]).all()
        flat = both & (inside(np.round(normal * 1e3).sum(axis=-1)) if which[e] else True)
        np.testing.assert_allclose(images["normals"][e][flat], normal[flat], atol=1e-4)
        assert (images["normals"][e][~hit & clear] == 0).all()
        ids = images["ids"][e]
        assert (ids[both][:, 1] == 10 + which[e]).all() and (ids[both][:, 2] == which[e]).all()
        assert (ids[both][:, 0] == -1).all() == (which[e] != 2) and ids[both][:, 0].max() < 12
        assert (ids[~hit & clear] == -1).all()
        assert (images["rgba"][e][..., 3] == np.where(hit, 255, 0))[clear].all()
        assert (images["rgba"][e][..., :3] == images["rgb"][e]).all()


def test_points_from_depth(device: str) -> None:
    """A point cloud from depth lies on the surface: 1 mm at 5 m, by the intrinsics."""
    scene = RayScene(ENVS, device)
    scene.add(primitive_geometry("sphere", (1.5,)))
    sensor = camera(scene, HEIGHT, WIDTH)
    given = intrinsics(3).astype(np.float32)
    sensor.set_pinhole(*given.T)
    np.testing.assert_array_equal(scene.device.to_host(sensor.intrinsics), given)
    eye, turned = cameras(4, 6.5)
    depth = capture(sensor, eye, turned)["depth"]
    for e in range(ENVS):
        fx, fy, cx, cy = given[e].astype(float)
        v, u = np.nonzero(np.isfinite(depth[e]))
        z = depth[e][v, u].astype(float)
        points = np.stack([(u + 0.5 - cx) / fx * z, (v + 0.5 - cy) / fy * z, z], axis=-1)
        world = points @ matrix(turned[e].astype(float)).T + eye[e]
        assert len(z) > 200 and z.min() > 4.5
        assert np.abs(np.linalg.norm(world, axis=1) - 1.5).max() < 1e-3


def test_clipping(device: str) -> None:
    """By the optical axis: what is nearer is passed, also its front side; what is farther is not there."""
    scene = RayScene(1, device)
    scene.add(primitive_geometry("sphere", (1.0,)))
    scene.add(primitive_geometry("plane"), position=(0, 0, -2.0), object=1)
    above, down = np.array([0, 0, 3.0]), looking([0, 0, 3.0], [0, 0, 0])
    for near, far, middle, corner in ((0.0, np.inf, 2.0, 5.0), (2.5, np.inf, 4.0, 5.0), (0.1, 4.5, 2.0, np.inf)):
        sensor = camera(scene, 33, 33, near=near, far=far)
        images = capture(sensor, above, down)
        np.testing.assert_allclose(images["depth"][0, 16, 16], middle, rtol=1e-6)
        np.testing.assert_allclose(images["depth"][0, 0, 0], corner, rtol=1e-6)
        np.testing.assert_allclose(images["distance_to_camera"][0, 16, 16], middle, rtol=1e-6)


def test_directions(device: str) -> None:
    """The directions of a pinhole give its image; a fisheye by its own formula sees behind itself."""
    scene = RayScene(2, device)
    scene.add(primitive_geometry("sphere", (1.0,)), object=1)
    scene.add(primitive_geometry("plane"), position=(0, 0, -1.5), object=2)
    eye, turned = np.array([3.0, 0.5, 0.7]), looking([3.0, 0.5, 0.7], [0, 0, 0])
    sensor = camera(scene, 40, 50)
    sensor.set_pinhole(45.0, 47.0, 26.0, 19.0)
    one = capture(sensor, eye, turned)
    u, v = np.meshgrid(np.arange(50) + 0.5, np.arange(40) + 0.5)
    ways = np.stack([(u - 26.0) / 45.0, (v - 19.0) / 47.0, np.ones_like(u)], axis=-1).reshape(-1, 3)
    for directions in (ways, np.stack([ways, 2 * ways])):
        sensor.set_directions(directions)
        two = capture(sensor, eye, turned)
        same = (one["ids"] == two["ids"]).all(axis=-1)
        assert same.mean() > 0.998
        np.testing.assert_allclose(one["depth"][same], two["depth"][same], rtol=1e-5)
        np.testing.assert_allclose(one["normals"][same], two["normals"][same], atol=1e-4)
        assert (np.abs(one["rgb"].astype(int) - two["rgb"])[same] <= 1).mean() > 0.999
    # Equidistant, 220 degrees: the angle from the axis grows with the distance from the middle.
    du, dv = u - 25.0, v - 20.0
    radius = np.hypot(du, dv)
    angle = radius / 20.0 * np.radians(110)
    fish = np.stack([np.sin(angle) * du / radius, np.sin(angle) * dv / radius, np.cos(angle)], axis=-1)
    fish[radius > 20.0] = 0.0
    sensor.set_directions(fish.reshape(-1, 3))
    seen = capture(sensor, eye, turned)
    world = fish @ matrix(turned.astype(float)).T
    t, _ = ray_sphere(eye, world, np.zeros(3), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ground = np.where(world[..., 2] < 0, -(1.5 + eye[2]) / world[..., 2], np.inf)
    expected = np.where(radius > 20.0, np.inf, np.minimum(t, ground))
    clear = inside(np.isfinite(expected)) & inside(t < ground)
    for e in range(2):
        np.testing.assert_allclose(seen["distance_to_camera"][e][clear], expected[clear], rtol=2e-4)
    assert (seen["depth"][0][np.isfinite(seen["depth"][0])] < 0).any(), "what is behind the image plane"
    assert (seen["ids"][0][radius > 20.0] == -1).all()


def test_origins(device: str) -> None:
    """Rays side by side see a box and a ground without perspective, from wherever the camera is."""
    scene = RayScene(2, device)
    scene.add(primitive_geometry("box", (0.5, 0.25, 0.3)), body=0, object=1)
    scene.add(primitive_geometry("plane"), object=2)
    sensor = ImageSensor(scene, 24, 32, ("depth", "distance_to_camera", "ids"))
    v, u = np.mgrid[:24, :32] + 0.5
    starts = np.stack([(u - 16.0) / 8.0, (v - 12.0) / 8.0, np.zeros_like(u)], axis=-1).reshape(-1, 3)
    sensor.set_directions(np.tile([0.0, 0.0, 1.0], (len(starts), 1)), starts)
    turned = looking([0, 0, 5.0], [0, 0, 0])
    place(scene, [[[0.0, 0.0, 1.0]], [[1.0, 0.5, 1.0]]])
    eye = np.array([[0.0, 0.0, 5.0], [1.0, 0.5, 5.0]])
    images = capture(sensor, eye, turned)
    inside = (np.abs(u - 16.0) < 4.0) & (np.abs(v - 12.0) < 2.0)
    for env in range(2):
        np.testing.assert_array_equal(images["ids"][env, ..., 1] == 1, inside)
        np.testing.assert_allclose(images["depth"][env], np.where(inside, 3.7, 5.0), rtol=1e-6)
    np.testing.assert_array_equal(images["depth"], images["distance_to_camera"])
    pinhole = ImageSensor(scene, 24, 32, ("depth",))
    with pytest.raises(ValueError, match=r"origins have shape \(3, 3\); that of the directions, \(768, 3\), is needed"):
        pinhole.set_directions(np.tile([0.0, 0.0, 1.0], (len(starts), 1)), starts[:3])
