"""Sensors: environments by themselves, in part, on both back ends; numbers of any kind, and what cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from images.image_scenes import DOME, QUAD, QUAD_FACES, QUAD_UV, camera, capture, looking, pixel_rays, place, ray_sphere

from phalanx.images import ImageSensor, Light, Look, Texture
from phalanx.rays import RayScene, field_geometry, mesh_geometry, primitive_geometry

ENVS, BODIES = 3, 8
LIGHTS = (Light.distant((0.3, 0.2, -1), intensity=0.6), Light.point((1, 1, 2), intensity=2.0), DOME)


def poses() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    orientation = rng.standard_normal((ENVS, BODIES, 4))
    orientation /= np.linalg.norm(orientation, axis=-1, keepdims=True)
    return rng.uniform([-1, -1, 0.2], [1, 1, 1.2], (ENVS, BODIES, 3)).astype(np.float32), orientation.astype(np.float32)


EYES = np.random.default_rng(1).uniform([2, -2, 1], [3, 2, 3], (ENVS, 3)).astype(np.float32)
TURNED = looking(EYES, np.array([0, 0, 0.5]))


def filled(scene: RayScene) -> dict[int, Look]:
    """Bodies of all kinds over hills, with looks of all kinds."""
    x = np.linspace(-3, 3, 31)
    texture = Texture(np.random.default_rng(2).integers(0, 255, (8, 8, 4)).astype(np.uint8))
    ground = scene.add(field_geometry(0.1 * np.sin(3 * x)[:, None] * np.cos(2 * x), (0.2, 0.2)), object=50)
    looks = {ground: Look((0.5, 0.6, 0.4), texture=texture)}
    quad = mesh_geometry(QUAD, QUAD_FACES, uv=QUAD_UV, colors=[[1, 0, 0], [0, 1, 1]])
    kinds = [primitive_geometry("sphere", (0.2,)), primitive_geometry("box", (0.1, 0.2, 0.3)), quad]
    kinds += [primitive_geometry(kind, (0.1, 0.2)) for kind in ("capsule", "cylinder", "cone")]
    for k in range(BODIES):
        mesh = k % 6 == 2
        number = scene.add(kinds[k % 6], body=k, object=k, scale=0.3 if mesh else 1.0)
        looks[number] = Look((0.9, 0.1 * k / 2, 0.5), 1.0, (0, 0, 0.1), 0.1 * (k % 9), k % 2, texture if mesh else None)
    return looks


def everything(device: str, num_envs: int = ENVS) -> ImageSensor:
    scene = RayScene(num_envs, device)
    return camera(scene, 45, 61, looks=filled(scene), lights=LIGHTS)


def test_environments_are_independent(device: str) -> None:
    """Each is what it would be alone, to the bit; those that are not drawn keep their images, whatever says so."""
    sensor = everything(device)
    position, orientation = poses()
    place(sensor.scene, position, orientation)
    images = capture(sensor, EYES, TURNED)
    for e in range(ENVS):
        alone = everything(device, 1)
        place(alone.scene, position[e : e + 1], orientation[e : e + 1])
        for name, image in capture(alone, EYES[e : e + 1], TURNED[e : e + 1]).items():
            np.testing.assert_array_equal(image[0], images[name][e], err_msg=name)
    assert len(np.unique(images["ids"][0, ..., 1])) > 6
    xp = sensor.scene.device.xp
    for envs in ([1], np.array([1]), xp.asarray([1], np.int32), np.array([False, True, False])):
        sensor.output["rgb"][:] = 0
        some = capture(sensor, EYES, TURNED, xp.asarray(envs) if isinstance(envs, np.ndarray) else envs)["rgb"]
        np.testing.assert_array_equal(some[1], images["rgb"][1])
        assert (some[[0, 2]] == 0).all()
    assert (capture(sensor, EYES, TURNED, [])["rgb"][0] == 0).all()


def test_some_pixels_are_as_all_of_them_are(device: str) -> None:
    """To the bit, of all environments; all others keep what they show, and numbers beyond are passed over."""
    types = ("rgb", "rgba", "depth", "normals", "ids", "distance_to_camera")
    scenes = [RayScene(ENVS, device) for _ in range(2)]
    whole, sensor = (camera(scene, 45, 61, looks=filled(scene), lights=LIGHTS, types=types) for scene in scenes)
    position, orientation = poses()
    for one in (whole, sensor):
        place(one.scene, position, orientation)
    images = capture(whole, EYES, TURNED)
    count = ENVS * 45 * 61
    chosen = np.random.default_rng(3).permutation(count)[: count // 3].astype(np.int32)
    device_of = sensor.scene.device
    eyes, turned = device_of.xp.asarray(EYES), device_of.xp.asarray(TURNED)
    sensor.capture(eyes, turned, pixels=device_of.xp.asarray(np.append(chosen, [count, count + 7]).astype(np.int32)))
    drawn = np.zeros(count, bool)
    drawn[chosen] = True
    for name in types:
        found = device_of.to_host(sensor.output[name]).reshape(count, -1)
        np.testing.assert_array_equal(found[drawn], images[name].reshape(count, -1)[drawn], err_msg=name)
        assert not found[~drawn].any(), name
    some = device_of.xp.asarray(chosen)
    with pytest.raises(ValueError, match="envs and pixels: give one of them"):
        sensor.capture(eyes, turned, [0], pixels=some)
    with pytest.raises(ValueError, match="a sensor with motion vectors draws whole images"):
        ImageSensor(scenes[0], 45, 61, ("motion_vectors",)).capture(eyes, turned, pixels=some)
    with pytest.raises(ValueError, match=r"numbers of pixels are needed, \(n,\) int32"):
        sensor.capture(eyes, turned, pixels=some.astype(np.int64))


def boxes(device: str, more: int) -> RayScene:
    """Boxes over a plane, and some far away."""
    scene = RayScene(ENVS, device)
    for k in range(BODIES + more):
        scene.add(primitive_geometry("box", (0.1, 0.2, 0.3)), body=k, object=k)
    scene.add(primitive_geometry("plane"), object=20)
    position, orientation = poses()
    far = np.full((ENVS, more, 3), 100.0, np.float32)
    place(scene, np.concatenate([position, far], axis=1), np.concatenate([orientation, orientation[:, :more]], axis=1))
    return scene


def test_kernels_made_for_less_draw_the_same(device: str) -> None:
    """Depth alone, and colours with one shadow, with groups of bodies, equal those of one that has everything."""
    lights = (LIGHTS[0], LIGHTS[2])
    scene = boxes(device, 4)
    depth = capture(ImageSensor(scene, 45, 61, ("depth",)), EYES, TURNED)["depth"]
    rgb = capture(ImageSensor(scene, 45, 61, ("rgb",), lights=lights, shadows=1), EYES, TURNED)["rgb"]
    scene = boxes(device, 0)
    sensor = camera(scene, 45, 61, lights=lights)
    position, orientation = poses()
    place(scene, position, orientation)
    images = capture(sensor, EYES, TURNED)
    hit = np.isfinite(depth)
    assert 0.2 < hit.mean() < 1 and (hit == np.isfinite(images["depth"])).all()
    np.testing.assert_allclose(depth, images["depth"], rtol=1e-6)
    assert (np.abs(rgb.astype(int) - images["rgb"]).max(axis=-1) > 1).mean() < 1e-3


def test_both_back_ends_draw_the_same(gpu: str) -> None:
    """But for edges: depth and normals to rounding, colours to one step."""
    found: list[dict[str, np.ndarray]] = []
    for device in ("cpu", gpu):
        sensor = everything(device)
        position, orientation = poses()
        place(sensor.scene, position, orientation)
        capture(sensor, EYES, TURNED)
        place(sensor.scene, position + np.float32(0.01), orientation)
        found.append(capture(sensor, EYES + np.float32(0.02), TURNED))
    one, two = found
    same = (one["ids"] == two["ids"]).all(axis=-1)
    assert same.mean() > 0.999
    np.testing.assert_allclose(one["depth"][same], two["depth"][same], rtol=1e-4)
    assert (np.abs(one["normals"] - two["normals"]).max(axis=-1)[same] < 1e-3).mean() > 0.999
    assert (np.abs(one["motion_vectors"] - two["motion_vectors"]).max(axis=-1)[same] < 0.01).mean() > 0.999
    assert (np.abs(one["rgb"].astype(int) - two["rgb"]).max(axis=-1)[same] <= 1).mean() > 0.998


def test_scenes_that_grow(device: str) -> None:
    """What is added after a capture is in the next; its look may be given then."""
    scene = RayScene(1, device)
    sensor = camera(scene, 33, 33)
    eye, turned = (3.0, 0, 0), looking([3.0, 0, 0], [0, 0, 0])
    assert (capture(sensor, eye, turned)["ids"] == -1).all()
    ball = scene.add(primitive_geometry("sphere", (1.0,)), object=3)
    assert capture(sensor, eye, turned)["ids"][0, 16, 16, 1] == 3
    sensor.set_look(ball, Look((0, 0, 0), emission=(1, 0, 0)))
    np.testing.assert_array_equal(capture(sensor, eye, turned)["rgb"][0, 16, 16], [255, 0, 0])


NUMBER = st.floats(width=32) | st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 1e-30, 1e30])


def test_cameras_of_any_numbers(device: str) -> None:
    """Poses and bodies of any numbers: images are of what is there, by formula, or empty; nothing is no number."""
    scene = RayScene(1, device)
    scene.add(primitive_geometry("sphere", (0.5,)), body=0, object=1)
    sensor = camera(scene, 12, 10, lights=LIGHTS)

    @settings(max_examples=60, deadline=None)
    @given(st.tuples(*[NUMBER] * 10), st.tuples(*[st.floats(-2, 2, width=32)] * 7), st.sampled_from([0, 3, 7, 10]))
    def check(wild: tuple[float, ...], tame: tuple[float, ...], count: int) -> None:
        with np.errstate(all="ignore"):
            numbers = np.array([*wild[:count], *[*tame, 0.1, 0.2, 0.3][: 10 - count]], np.float32)
            turned = numbers[3:7] / max(np.linalg.norm(numbers[3:7].astype(float)), 1e-30)
        place(scene, numbers[None, None, 7:])
        images = capture(sensor, numbers[:3], turned)
        hit = images["ids"][0, ..., 1] == 1
        depth = images["depth"][0]
        assert (np.isfinite(depth) == hit).all() and not np.isnan(depth).any() and (depth[hit] >= 0).all()
        assert (images["ids"][0][~hit] == -1).all() and not np.isnan(images["normals"]).any()
        if count == 0 and np.linalg.norm(turned.astype(float)) > 0.9:
            ways, cosine = pixel_rays((10, 10, 5, 6), 12, 10, turned.astype(float))
            centre, eye = numbers[7:].astype(float), numbers[:3].astype(float)
            if np.linalg.norm(eye - centre) > 0.51:
                t, _ = ray_sphere(eye, ways, centre, 0.5)
                both = hit & np.isfinite(t)
                assert (hit != np.isfinite(t)).sum() <= 4
                np.testing.assert_allclose(depth[both], (t * cosine)[both], rtol=1e-3, atol=1e-4)

    check()


def test_what_cannot_be(device: str) -> None:
    scene = RayScene(2, device)
    xp = scene.device.xp
    for size in ((0, 5), (5, 0), (-1, 5)):
        with pytest.raises(ValueError, match=r"an image of -?\d x \d pixels: at least 1 x 1 is needed"):
            ImageSensor(scene, *size)
    with pytest.raises(ValueError, match=r"types \['rbg'\]: there are rgb, rgba, distance_to_camera"):
        ImageSensor(scene, 4, 4, ("rgb", "rbg"))
    with pytest.raises(ValueError, match="types is empty"):
        ImageSensor(scene, 4, 4, ())
    with pytest.raises(ValueError, match="near=2, far=1: 0 <= near < far is needed"):
        ImageSensor(scene, 4, 4, near=2, far=1)
    with pytest.raises(ValueError, match="2 images of 100000 x 100000 are 20000000000 pixels"):
        ImageSensor(scene, 100000, 100000)
    with pytest.raises(ValueError, match="background"):
        ImageSensor(scene, 4, 4, background=(0, 1))
    sensor = ImageSensor(scene, 4, 5, ("depth",))
    for values, message in (((0.0,), "fx=0.0: must be finite, and positive"), (((1, 2, 3),), r"fx has shape \(3,\)")):
        with pytest.raises(ValueError, match=message):
            sensor.set_pinhole(*values)
    with pytest.raises(ValueError, match="cy=nan: must be finite"):
        sensor.set_pinhole(5.0, cy=np.nan)
    with pytest.raises(ValueError, match=r"directions have shape \(4, 5, 3\); \(20, 3\) or \(2, 20, 3\) is needed"):
        sensor.set_directions(np.ones((4, 5, 3)))
    position, orientation = xp.zeros((2, 3), np.float32), xp.zeros((2, 4), np.float32)
    with pytest.raises(ValueError, match=r"position has shape \(2, 4\), type float32; \(2, 3\), float32 is needed"):
        sensor.capture(orientation, orientation)
    with pytest.raises(ValueError, match="orientation is a list, no array on"):
        sensor.capture(position, [[1, 0, 0, 0]] * 2)
    with pytest.raises(ValueError, match=r"envs has numbers beyond 0\.\.1"):
        sensor.capture(position, orientation, [0, 2])
    with pytest.raises(ValueError, match="numbers of environments are needed"):
        sensor.capture(position, orientation, [0.5])
    ball = scene.add(primitive_geometry("sphere", (1.0,)), body=0)
    with pytest.raises(ValueError, match=r"call scene\.place\(\.\.\.\) before the first capture"):
        sensor.capture(position, orientation)
    with pytest.raises(ValueError, match=r"looks of instances \[7\]: the scene has 1"):
        ImageSensor(scene, 4, 4, looks={ball + 7: Look()}).capture(position, orientation)


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (Look, {"color": (1, 2)}, "color of a look"),
        (Look, {"opacity": 1.5}, "opacity=1.5 of a look: must be from 0 to 1"),
        (
            Texture,
            {"pixels": np.zeros((2, 2, 3))},
            r"shape \(2, 2, 3\) and type float64; \(height, width, 3 or 4\) uint8",
        ),
        (Texture, {"pixels": np.zeros((0, 2, 3), np.uint8)}, "of one pixel at least"),
        (Texture, {"pixels": np.zeros((2, 2, 3), np.uint8), "filter": "cubic"}, "must be one of nearest, linear"),
        (Texture, {"pixels": np.zeros((2, 2, 3), np.uint8), "size": (0, 1)}, "two positive numbers are needed"),
        (Light.distant, {"direction": (0, 0, 0)}, r"\(0, 0, 0\) is none"),
        (Light.point, {"position": (0, np.nan, 0)}, "is not three finite numbers"),
        (Light.sphere, {"position": (0, 0, 0), "radius": -1}, "radius=-1 of a light"),
        (Light.dome, {"intensity": -1.0}, "must be finite, and not below 0"),
        (Light.dome, {"ground": 2.0}, "ground=2.0 of a dome light"),
    ],
)
def test_looks_that_cannot_be(make: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**options)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"uv": np.zeros((4, 2))}, r"uv of a mesh's faces has shape \(4, 2\); \(2, 3, 2\) is needed"),
        ({"colors": np.zeros((2, 4))}, r"colors of a mesh's faces has shape \(2, 4\); \(2, 3\) is needed"),
        ({"normals": np.full((2, 3, 3), np.nan)}, "18 numbers are not finite"),
    ],
)
def test_faces_that_cannot_be(arrays: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mesh_geometry(QUAD, QUAD_FACES, **arrays)
    with pytest.raises(ValueError, match="a mesh without faces has no tree"):
        mesh_geometry(QUAD, np.zeros((0, 3), int), **arrays)
