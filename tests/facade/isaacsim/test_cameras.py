"""Cameras against geometry: where things are in pictures, how far, and what they are; lenses against OpenCV."""

from __future__ import annotations

import numpy as np
import pytest
from facade.isaacsim.core_scenes import boxes, host, kind, like, xforms

from phalanx.facade import stage
from phalanx.facade.isaacsim.core.api import World
from phalanx.facade.isaacsim.core.api.objects import FixedCuboid
from phalanx.facade.isaacsim.core.cloner import GridCloner
from phalanx.facade.isaacsim.core.prims import SingleXFormPrim
from phalanx.facade.isaacsim.core.utils.numpy import euler_angles_to_quats
from phalanx.facade.isaacsim.core.utils.semantics import add_labels
from phalanx.facade.isaacsim.sensors.camera import Camera, CameraView, get_all_camera_objects
from phalanx.facade.omni.isaac import sensor as old_names
from phalanx.io.formats.usd.bindings import UsdGeom

DOWN = euler_angles_to_quats(np.array([0.0, 90.0, 0.0]), degrees=True)
HEIGHT = 8.0
SIZE = 48, 32
FIXED = np.array([0.5, 0.3, 1.0])
"""Where the middle of the box that stays is; it is 1 m large, on the ground."""


@pytest.fixture
def camera(world: World) -> Camera:
    """A camera that looks down on a labelled box, with x of the world upward in the picture."""
    add_labels(world.scene.add(FixedCuboid("/World/Box", "box", FIXED - [0, 0, 0.5], color=RED)).prim, ["cube"])
    world.scene.add_ground_plane()
    found = Camera("/World/camera", "camera", resolution=SIZE, position=np.array([0.0, 0.0, HEIGHT]), orientation=DOWN)
    found.set_focal_length(2.0)
    world.scene.add(found)
    return found


RED = np.array([1.0, 0.0, 0.0])


def pixel(camera: Camera, point: np.ndarray) -> np.ndarray:
    """Where a pinhole of this pose shows a point: right is -y of the world, down is -x."""
    focal = SIZE[0] * camera.get_focal_length() / camera.get_horizontal_aperture()
    x, y, z = point
    return np.array([-y, -x]) / (HEIGHT - z) * focal + np.array(SIZE) / 2


def test_poses_in_three_axes(world, backend):
    rig = SingleXFormPrim("/World/rig", position=np.array([5.0, 0.0, 5.0]), orientation=DOWN * [1, 1, -1, 1])
    assert rig.is_valid()
    camera = Camera("/World/rig/camera", position=np.array([0.0, 0.0, 25.0]), orientation=DOWN)
    place, turn = camera.get_world_pose()
    np.testing.assert_allclose(host(place), [0, 0, 25], atol=1e-5)
    np.testing.assert_allclose(host(turn), DOWN, atol=1e-6)
    place, turn = camera.get_local_pose()
    np.testing.assert_allclose(host(place), [20, 0, 5], atol=1e-5)
    np.testing.assert_allclose(np.abs(host(turn)), [0, 0, 1, 0], atol=1e-6)
    for axes, ahead, up in (
        ("world", [1, 0, 0], [0, 0, 1]),
        ("ros", [0, 0, 1], [0, -1, 0]),
        ("usd", [0, 0, -1], [0, 1, 0]),
    ):
        _, turn = camera.get_world_pose(camera_axes=axes)
        w, v = host(turn)[0], host(turn)[1:]
        for own, there in ((ahead, [0, 0, -1]), (up, [1, 0, 0])):
            own = np.array(own, float)
            turned = own + 2.0 * np.cross(v, np.cross(v, own) + w * own)
            np.testing.assert_allclose(turned, there, atol=1e-6)
        camera.set_world_pose(like(backend, [1.0, 2.0, 3.0]), like(backend, host(turn)), camera_axes=axes)
        np.testing.assert_allclose(host(camera.get_world_pose()[1]), DOWN, atol=1e-6)
        camera.set_local_pose(None, host(camera.get_local_pose(axes)[1]), axes)
        np.testing.assert_allclose(host(camera.get_world_pose()[1]), DOWN, atol=1e-6)
    np.testing.assert_allclose(host(camera.get_world_pose()[0]), [1, 2, 3], atol=1e-5)
    new = Camera("/World/new")
    np.testing.assert_allclose(host(new.get_world_pose()[1]), [1, 0, 0, 0], atol=1e-7)
    with pytest.raises(ValueError, match="camera_axes='opencv'"):
        camera.get_world_pose("opencv")


def test_points_and_pixels(world, camera, backend):
    points = np.array([FIXED, [-1.0, 2.0, 0.0], [0.3, -0.2, 3.0]])
    shown = camera.get_image_coords_from_world_points(like(backend, points))
    assert kind(shown) == backend and tuple(shown.shape) == (3, 2)
    np.testing.assert_allclose(host(shown), [pixel(camera, point) for point in points], atol=1e-3)
    depth = HEIGHT - points[:, 2]
    back = camera.get_world_points_from_image_coords(shown, like(backend, depth))
    assert kind(back) == backend
    np.testing.assert_allclose(host(back), points, atol=1e-4)
    local = host(camera.get_camera_points_from_image_coords(shown, like(backend, depth)))
    np.testing.assert_allclose(local, np.stack([-points[:, 1], -points[:, 0], depth], -1), atol=1e-4)
    np.testing.assert_allclose(host(camera.get_view_matrix_ros()) @ [*points[2], 1.0], [*local[2], 1.0], atol=1e-4)
    matrix = host(camera.get_intrinsics_matrix())
    assert matrix[0, 0] == pytest.approx(matrix[1, 1]) and tuple(matrix[:2, 2]) == (24.0, 16.0)
    wide = 2.0 * np.arctan(24.0 / matrix[0, 0])
    assert camera.get_horizontal_fov() == pytest.approx(wide)
    assert camera.get_vertical_fov() == pytest.approx(wide * 32 / 48)
    assert camera.get_aspect_ratio() == 1.5
    camera.set_opencv_fisheye_properties()
    with pytest.raises(ValueError, match="only pinholes"):
        camera.get_intrinsics_matrix()


def test_what_frames_have(world, camera):
    assert camera.get_rgb() is None and camera.get_depth() is None
    world.reset()
    for name in camera.supported_annotators:
        if name != "rgb":
            getattr(camera, f"add_{name}_to_frame")()
    frame = camera.get_current_frame()
    assert frame["rgb"] is None and camera.get_rgb() is None and camera.get_rgba().shape == (0,)
    world.step(render=True)
    assert camera.get_current_frame() is frame and camera.get_current_frame(clone=True) is not frame
    assert frame["rendering_time"] == 0 or frame["rendering_time"] == pytest.approx(1 / 60)
    world.step(render=True)
    assert frame["rendering_time"] == pytest.approx(2 / 60)
    width, height = SIZE
    top, ground = HEIGHT - 1.0, HEIGHT
    u, v = np.floor(pixel(camera, FIXED)).astype(int)
    rgba, depth = camera.get_rgba(), camera.get_depth()
    assert rgba.shape == (height, width, 4) and rgba.dtype == np.uint8 and camera.get_rgb().shape == (height, width, 3)
    assert rgba[v, u, 0] > 3 * rgba[v, u, 1] and np.ptp(rgba[0, 0, :3].astype(int)) < 40
    assert depth.shape == (height, width) and depth.dtype == np.float32
    assert depth[v, u] == pytest.approx(top, abs=1e-4) and depth[0, 0] == pytest.approx(ground, abs=1e-4)
    low, high = pixel(camera, FIXED + [0.5, 0.5, 0]), pixel(camera, FIXED - [0.5, 0.5, 0])
    shown = np.argwhere(np.abs(depth - top) < 1e-3)
    np.testing.assert_array_equal(shown.min(axis=0), np.ceil(low[::-1] - 0.5))
    np.testing.assert_array_equal(shown.max(axis=0), np.ceil(high[::-1] - 0.5) - 1)
    matrix = host(camera.get_intrinsics_matrix())
    slant = np.linalg.norm([(0.5 - 24) / matrix[0, 0], (0.5 - 16) / matrix[1, 1], 1.0])
    assert frame["distance_to_camera"][0, 0] == pytest.approx(ground * slant, rel=1e-5)
    assert frame["normals"].shape == frame["motion_vectors"].shape == (height, width, 4)
    np.testing.assert_allclose(frame["normals"][v, u, :3], [0, 0, 1], atol=1e-6)
    assert not frame["motion_vectors"].any()
    for name in ("semantic_segmentation", "instance_segmentation", "instance_id_segmentation"):
        data, info = frame[name]["data"], frame[name]["info"]
        assert data.shape == (height, width) and data.dtype == np.uint32
        assert info["idToLabels"][str(data[v, u])] == ({"class": "cube"} if name[0] == "s" else "/World/Box")
    np.testing.assert_array_equal(frame["semantic_segmentation"]["data"] == 2, np.abs(depth - ground) > 1e-3)
    points = frame["pointcloud"]["data"]
    assert points.shape == (width * height, 3) and points.dtype == np.float32
    on_box = frame["pointcloud"]["info"]["pointSemantic"] == 2
    np.testing.assert_allclose(points[~on_box, 2], 0.0, atol=1e-4)
    assert (np.abs(points[on_box] - FIXED + [0, 0, 0.5]) < 0.5 + 1e-4).all()
    np.testing.assert_allclose(camera.get_pointcloud(world_frame=False)[:, 2].reshape(height, width), depth, atol=1e-4)
    np.testing.assert_allclose(frame["pointcloud"]["info"]["pointNormals"][~on_box, :3], [[0, 0, 1]] * (~on_box).sum())
    camera.remove_pointcloud_from_frame()
    assert "pointcloud" not in camera.get_current_frame()
    np.testing.assert_allclose(camera.get_pointcloud(), points, atol=1e-4)


def test_boxes(world, camera):
    world.reset()
    for name in ("2d_tight", "2d_loose", "3d"):
        getattr(camera, f"add_bounding_box_{name}_to_frame")()
    world.step(render=True)
    world.step(render=True)
    frame = camera.get_current_frame()
    corners = np.array([pixel(camera, FIXED + [i, j, k]) for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-1, 0)])
    for name in ("tight", "loose"):
        (box,), info = frame[f"bounding_box_2d_{name}"]["data"], frame[f"bounding_box_2d_{name}"]["info"]
        found = [box["x_min"], box["y_min"], box["x_max"] + 1, box["y_max"] + 1]
        np.testing.assert_allclose(found, [*corners.min(axis=0), *corners.max(axis=0)], atol=1.0)
        assert info["idToLabels"][str(box["semanticId"])] == {"class": "cube"}
        assert info["primPaths"] == ["/World/Box"] and np.isnan(box["occlusionRatio"])
    (box,) = frame["bounding_box_3d"]["data"]
    assert [box["x_min"], box["y_min"], box["z_max"]] == [-0.5, -0.5, 0.5]
    np.testing.assert_allclose(box["transform"], [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [*FIXED - [0, 0, 0.5], 1]])
    camera.set_world_pose(np.array([30.0, 0.0, HEIGHT]))
    world.step(render=True)
    assert all(not len(frame[f"bounding_box_{name}"]["data"]) for name in ("2d_tight", "2d_loose", "3d"))
    other = Camera("/World/other", resolution=SIZE)
    other.initialize()
    other.add_bounding_box_2d_tight_to_frame(init_params={"semanticTypes": ["shape"]})
    other.add_semantic_segmentation_to_frame(init_params={"colorize": True})
    world.step(render=True)
    world.step(render=True)
    frame = other.get_current_frame()
    assert frame["bounding_box_2d_tight"]["data"].shape == (0,)
    assert frame["semantic_segmentation"]["data"].shape == (32, 48, 4)
    assert frame["semantic_segmentation"]["data"].dtype == np.uint8
    assert get_all_camera_objects()[1].name == "other"


def test_how_often(world, camera):
    slow = Camera("/World/slow", frequency=20, resolution=(4, 4))
    assert slow.get_frequency() == 20 and slow.get_dt() == pytest.approx(0.05)
    assert Camera("/World/dt", dt=0.1).get_frequency() == 10 and camera.get_frequency() == 60
    world.reset()
    slow.initialize()
    times = []
    for _ in range(9):
        world.step(render=True)
        times.append(slow.get_current_frame()["rendering_time"])
    np.testing.assert_allclose(times, np.array([0, 0, 0, 4, 4, 4, 7, 7, 7]) / 60, atol=1e-6)
    slow.pause()
    assert slow.is_paused()
    for _ in range(6):
        world.step(render=True)
    assert slow.get_current_frame()["rendering_time"] == times[-1]
    slow.resume()
    for _ in range(3):
        world.step(render=True)
    assert slow.get_current_frame()["rendering_time"] > times[-1]
    world.stop()
    assert slow.is_paused()
    world.play()
    assert not slow.is_paused()
    slow.set_dt(0.05)
    assert slow.get_frequency() == pytest.approx(20)
    with pytest.raises(ValueError, match="multiple"):
        slow.set_frequency(7)
    with pytest.raises(ValueError, match="multiple"):
        slow.set_dt(0.02)


def test_a_camera_on_a_body_moves_with_it_and_sees_motion(world):
    boxes(1, "/World/Box_{}")
    camera = Camera(
        "/World/Box_0/camera", translation=np.array([0.0, 0.0, -0.2]), orientation=DOWN, resolution=(16, 16)
    )
    camera.set_clipping_range(0.01, 100.0)
    world.scene.add(camera)
    above = Camera("/World/above", position=np.array([0.0, 0.0, 30.0]), orientation=DOWN, resolution=(16, 16))
    side = Camera("/World/side", position=np.array([-20.0, 0.0, 1.0]), resolution=(16, 16))
    world.scene.add_ground_plane()
    world.reset()
    camera.add_distance_to_image_plane_to_frame()
    above.initialize(attach_rgb_annotator=False)
    above.attach_annotator("distance_to_image_plane")
    side.initialize(attach_rgb_annotator=False)
    side.set_focal_length(60.0)
    side.add_motion_vectors_to_frame()
    for step in range(1, 13):
        world.step(render=True)
        fallen = 9.81 * step * (step + 1) / 2 / 3600
        np.testing.assert_allclose(camera.get_depth(), 0.8 - fallen, atol=2e-3)
        np.testing.assert_allclose(camera.get_world_pose()[0], [0, 0, 0.8 - fallen], atol=2e-3)
    assert above.get_depth().max() == pytest.approx(30.0, abs=1e-3)
    down = side.get_current_frame()["motion_vectors"][..., 1]
    focal = side.get_intrinsics_matrix()[0, 0]
    moved = 9.81 * 12 / 3600 * focal / 19.9
    assert down.min() == pytest.approx(-moved, rel=0.05)  # down is negative
    at_rest = camera.get_depth().copy()
    world.step(render=False)
    np.testing.assert_array_equal(camera.get_depth(), at_rest)  # no frame, no picture


@pytest.mark.parametrize("name", ["pinhole", "fisheye"])
def test_lenses_are_those_of_opencv(world, camera, name):
    """A small box is seen where OpenCV's functions project its middle."""
    matrix = np.array([[60.0, 0.0, 50.0], [0.0, 62.0, 47.0], [0.0, 0.0, 1.0]])
    camera.set_resolution((100, 96))
    given = {"cx": 50.0, "cy": 47.0, "fx": 60.0, "fy": 62.0}
    cv2 = pytest.importorskip("cv2", reason="the oracle is OpenCV, which `make isaaclab` installs")
    if name == "pinhole":
        k = [0.1, -0.02, 0.003, -0.004, 0.005, 0.05, 0.01, 0.002, 0.01, -0.002, 0.006, 0.001]
        camera.set_opencv_pinhole_properties(pinhole=k, **given)
    else:
        k = [0.05, 0.01, -0.003, -0.0005]
        camera.set_opencv_fisheye_properties(fisheye=k, **given)
    places = [np.array([x, y, 1.0]) for x, y in ((0.0, 0.0), (3.0, -2.0), (-2.5, -3.5), (2.0, 4.0))]
    for i, place in enumerate(places):
        add_labels(FixedCuboid(f"/World/Small_{i}", position=place, size=0.3).prim, [f"small_{i}"])
    world.reset()
    camera.add_instance_segmentation_to_frame()
    world.step(render=True)
    world.step(render=True)
    frame = camera.get_current_frame()["instance_segmentation"]
    for i, (x, y, z) in enumerate(places):
        point = np.array([[[-y, -x, HEIGHT - z]]])
        none = np.zeros(3)
        if name == "pinhole":
            there = cv2.projectPoints(point, none, none, matrix, np.array(k))[0]
        else:
            there = cv2.fisheye.projectPoints(point, none, none, matrix, np.array(k))[0]
        number = next(key for key, path in frame["info"]["idToLabels"].items() if path == f"/World/Small_{i}")
        v, u = np.nonzero(frame["data"] == int(number))
        seen = np.array([(u.min() + u.max() + 1) / 2, (v.min() + v.max() + 1) / 2])
        np.testing.assert_allclose(seen, there.reshape(2), atol=1.0)  # a box shows its sides, and pixels are whole


def test_pixels_beyond_a_fisheye_see_nothing(world, camera):
    """r = a - 0.2 a^3, in focal lengths, is greatest at a = sqrt(1 / 0.6), where it is 2 a / 3."""
    camera.set_resolution((100, 100))
    camera.set_opencv_fisheye_properties(50.0, 50.0, 50.0, 50.0, [-0.2, 0.0, 0.0, 0.0])
    world.reset()
    camera.attach_annotator("distance_to_camera")
    world.step(render=True)
    world.step(render=True)
    v, u = np.mgrid[:100, :100] + 0.5
    off = np.hypot(u - 50.0, v - 50.0) / 50.0
    limit = 2.0 / 3.0 * np.sqrt(1.0 / 0.6)
    seen = np.isfinite(camera.get_current_frame()["distance_to_camera"])
    assert seen[off < limit - 0.02].all() and not seen[off > limit + 0.02].any()


def test_what_lenses_are_told(world):
    camera = Camera("/World/camera", resolution=(256, 256))
    camera.set_focal_length(5.0)
    camera.set_horizontal_aperture(1.2)
    camera.set_focus_distance(0.01)
    camera.set_lens_aperture(0.02)
    camera.set_clipping_range(far_distance=1.0e5)
    camera.set_shutter_properties(2.0, 3.0)
    assert camera.prim.GetAttribute("focalLength").Get() == 50.0  # tenths of the stage's unit
    assert camera.get_focal_length() == 5.0 and camera.get_horizontal_aperture() == pytest.approx(1.2)
    assert camera.get_vertical_aperture() == pytest.approx(1.2)
    assert camera.get_focus_distance() == pytest.approx(0.01) and camera.get_lens_aperture() == pytest.approx(0.02)
    assert camera.get_clipping_range() == (1.0, 1.0e5) and camera.get_shutter_properties() == (2.0, 3.0)
    camera.set_resolution((300, 100))
    assert camera.get_resolution() == (300, 100) and camera.get_vertical_aperture() == pytest.approx(0.4)
    camera.set_vertical_aperture(0.5)
    assert camera.get_horizontal_aperture() == pytest.approx(1.5)
    camera.set_stereo_role("left")
    camera.set_stereo_role("middle")
    camera.set_projection_mode("orthographic")
    assert camera.get_stereo_role() == "left" and camera.get_projection_mode() == "orthographic"
    camera.set_ftheta_properties(240, 120, (24, 25), 560, [1, 2])
    assert camera.get_ftheta_properties() == (240, 120, (24, 25), 560, [1, 2, 0, 0, 0])
    assert camera.get_lens_distortion_model() == "ftheta" and camera.get_kannala_brandt_k3_properties() is None
    camera.set_rad_tan_thin_prism_properties(240, 120, (65, 121), 180, [0.5] * 12)
    assert camera.get_rad_tan_thin_prism_properties() == (240, 120, (65, 121), 180, [0.5] * 12)
    camera.set_lut_properties(360, 180, (75, 131), "enter.png", "exit.png")
    assert camera.get_lut_properties() == (360, 180, (75, 131), "enter.png", "exit.png")
    camera.set_lens_distortion_model("pinhole")
    assert camera.get_lens_distortion_model() == "pinhole"
    with pytest.raises(ValueError, match="no fisheye"):
        camera.get_fisheye_polynomial_properties()
    camera.set_projection_type("fisheyePolynomial")
    camera.set_fisheye_polynomial_properties(1936.0, 1216.0, 970.0, 600.0, 200.0, [0.0, 0.0025, 0.0, 0.0, 0.0])
    assert camera.get_fisheye_polynomial_properties()[:5] == (1936, 1216, 970, 600, 200)
    camera.set_rational_polynomial_properties(300, 100, 150.0, 50.0, None, [0.0] * 12)
    written = camera.get_opencv_pinhole_properties()
    assert written is not None and written[2] == pytest.approx(300 * 5.0 / 1.5)


@pytest.mark.parametrize("copies", [1, 3])
def test_views_of_many_cameras(world, copies):
    """Each environment has a box of another height under its camera."""
    UsdGeom.Xform.Define(stage.get_stage(), "/World/envs/env_0")
    boxes(1, "/World/envs/env_0/Box_{}", size=0.4)
    UsdGeom.Camera.Define(stage.get_stage(), "/World/envs/env_0/camera")
    eye = SingleXFormPrim("/World/envs/env_0/camera", translation=np.array([0.0, 0.0, 5.0]))
    assert eye.is_valid()  # it looks down: the prim's own axes
    cloner = GridCloner(spacing=6.0)
    cloner.clone("/World/envs/env_0", cloner.generate_paths("/World/envs/env", copies))
    world.scene.add_ground_plane()
    view = CameraView("/World/envs/.*/camera", "eyes", (12, 10), ["rgb", "depth", "instance_segmentation_fast"])
    assert view.count == copies and view.tiled_resolution == ((12, 10) if copies == 1 else (24, 20))
    with pytest.raises(RuntimeError, match="no picture yet"):
        view.get_rgb()
    view.set_focal_lengths([2.0] * copies)
    assert view.get_focal_lengths() == [2.0] * copies and view.get_projection_modes() == ["perspective"] * copies
    with pytest.raises(ValueError, match="one for each"):
        view.set_focal_lengths([1.0] * (copies + 1))
    world.get_physics_context().set_gravity(0.0)
    world.reset()
    from phalanx.facade.isaacsim.core.prims import RigidPrim

    box = RigidPrim("/World/envs/.*/Box_0")
    heights = 1.0 + 0.5 * np.arange(copies)
    places = box.get_world_poses()[0]
    places[:, 2] = heights
    box.set_world_poses(places)
    world.step(render=True)
    depth = view.get_depth()
    assert kind(depth) == "torch" and tuple(depth.shape) == (copies, 10, 12, 1)
    np.testing.assert_allclose(host(depth)[:, 5, 6, 0], 5.0 - heights - 0.2, atol=1e-3)
    np.testing.assert_allclose(host(depth)[:, 0, 0, 0], 5.0, atol=1e-3)
    tiled = view.get_depth_tiled()
    assert kind(tiled) == "numpy" and tiled.shape == (*view.tiled_resolution[::-1], 1)
    np.testing.assert_array_equal(tiled[:10, :12], host(depth)[0])
    np.testing.assert_array_equal(tiled[-10:, :12], host(depth)[copies - 1 if copies < 3 else 2])
    rgb = np.zeros((copies, 10, 12, 3), np.uint8)
    assert view.get_rgb(out=rgb) is rgb and rgb.any()
    numbers, info = view.get_data("instance_segmentation_fast")
    assert tuple(numbers.shape) == (copies, 10, 12, 1) and "idToLabels" in info
    with pytest.raises(ValueError, match="'normals' was not asked for"):
        view.get_data("normals")
    with pytest.raises(ValueError, match="out has shape"):
        view.get_rgb(out=np.zeros((1, 2), np.uint8))
    place, turn = view.get_world_poses()
    np.testing.assert_allclose(turn, [[0.5, -0.5, 0.5, 0.5]] * copies, atol=1e-6)
    view.set_world_poses(place + [0, 0, 1], camera_axes="ros")
    np.testing.assert_allclose(view.get_world_poses(camera_axes="usd")[1][:, 0], 1.0, atol=1e-6)
    world.render()
    np.testing.assert_allclose(host(view.get_depth())[:, 0, 0, 0], 6.0, atol=1e-3)


def test_what_is_refused(world, camera):
    xforms("/World/plain")
    with pytest.raises(ValueError, match="not a Camera"):
        Camera("/World/plain")
    with pytest.raises(ValueError, match="both be given"):
        Camera("/World/both", frequency=20, dt=0.05)
    with pytest.raises(ValueError, match="has none"):
        Camera("/World/none", resolution=(0, 4))
    with pytest.raises(ValueError, match="no annotator 'smell'"):
        camera.attach_annotator("smell")
    with pytest.raises(NotImplementedError, match="occlusion"):
        camera.add_occlusion_to_frame()
    with pytest.raises(ValueError, match="not a Camera"):
        CameraView("/World/plain")
    with pytest.raises(ValueError, match="no annotator 'smell'"):
        CameraView("/World/camera", output_annotators=["smell"])
    camera.set_lut_properties()
    world.reset()
    with pytest.raises(NotImplementedError, match="lut"):
        world.step(render=True)
        camera.get_rgba()
    assert old_names.Camera is Camera and old_names.CameraView is CameraView
