"""Cameras: pictures of a box, a ball and a ground against formulas, poses, optics, clocks, wrong use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facade.camera_scenes import (
    ALL,
    AXES,
    ENV,
    HEIGHT,
    TO_ROS,
    WIDTH,
    at,
    ball,
    basics,
    box_hits,
    camera,
    looking,
    nearest,
    pixel_rays,
    quat,
    same,
    sphere_hits,
)
from facade.sensor_scenes import box, environments, pendulum
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.arrays import api_of
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.assets import RigidObject, RigidObjectCfg
from phalanx.facade.isaaclab.sensors import Camera, CameraCfg, TiledCamera, TiledCameraCfg
from phalanx.facade.isaaclab.sensors.camera.utils import create_pointcloud_from_depth
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.namespaces import namespace
from phalanx.io.formats.usd.bindings import UsdGeom
from phalanx.maths.arrays import matrix, unit

DT = 1 / 200
SHAPES = json.loads((Path(__file__).parent / "documented_shapes.json").read_text())["CameraData"]
EYE, AHEAD = np.array([-2.5, 0.3, 1.4]), np.array([1.0, -0.1, -0.35])
BALL, RADIUS = np.array([0.6, -0.7, 0.5]), 0.4
PINHOLE = np.array([[60.0, 0.0, 25.0], [0.0, 54.0, 14.0], [0.0, 0.0, 1.0]])


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=DT, gravity=(0.0, 0.0, 0.0)))
    SimulationContext.clear_instance()
    physics_events.clear()


def things(count: int) -> Any:
    """On a ground, in each environment a box of 0.6 m that floats at its origin, and a ball."""
    environments(count)
    basics()
    ball(f"{ENV}/ball", tuple(BALL), RADIUS, semantic_tags=[("class", "ball")])
    return box("box", (0.0, 0.0, 0.5), size=0.6)


def expected(frame: np.ndarray, eye: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, ...]:
    """Distances along rays and along the axis, normals, and what is hit: box, ball, ground."""
    rays = pixel_rays(k, HEIGHT, WIDTH)
    ahead = rays @ frame.T
    middle = np.array([0.0, 0.0, 0.5])
    distance, normal, what = nearest(
        box_hits(eye, ahead, middle - 0.3, middle + 0.3),
        sphere_hits(eye, ahead, BALL, RADIUS),
        box_hits(eye, ahead, [-60.0, -60.0, -9.0], [60.0, 60.0, 0.0]),
    )
    return distance, distance * rays[..., 0], normal, what


def matrix_of(cfg: Any) -> np.ndarray:
    """The intrinsic matrix of a pinhole of which only the focal length and width are given."""
    f = WIDTH * cfg.focal_length / cfg.horizontal_aperture
    return np.array([[f, 0.0, WIDTH / 2], [0.0, f, HEIGHT / 2], [0.0, 0.0, 1.0]])


def test_subclasses_change_pictures(sim: SimulationContext, api: str) -> None:
    """Subclasses lay noise, or the limits of a depth camera, over pictures when they are made."""

    class Near(TiledCamera):
        def _update_buffers_impl(self, env_ids: Any) -> None:
            super()._update_buffers_impl(env_ids)
            found = self._data.output["distance_to_camera"]
            xp = namespace(found)
            self._data.output["distance_to_camera"] = xp.where(found < limit, found, xp.full_like(found, -1.0))

    limit = 3.0
    _body = things(2)
    plain = camera(f"{ENV}/eye", offset=at(EYE, looking(AHEAD)))
    near = Near(plain.cfg.replace(prim_path=f"{ENV}/other"))
    sim.reset()
    whole, cut = (host(one.data.output["distance_to_camera"]) for one in (plain, near))
    assert (whole < limit).any() and (whole >= limit).any()
    np.testing.assert_array_equal(cut, np.where(whole < limit, whole, -1.0))


@pytest.mark.parametrize("count", [1, 3])
def test_pictures(sim: SimulationContext, api: str, count: int) -> None:
    """Every type is of the documented shape and type, and shows what the formula says, in each environment."""
    _body = things(count)
    assert not sim.has_rtx_sensors()
    one = camera(f"{ENV}/eye", offset=at(EYE, looking(AHEAD)))
    assert sim.has_rtx_sensors()
    sim.reset()
    data, k = one.data, matrix_of(one.cfg.spawn)
    assert one.num_instances == count and one.image_shape == data.image_shape == (HEIGHT, WIDTH)
    for name, shape in SHAPES.items():
        assert list(getattr(data, name).shape) == [{"N": count}.get(str(axis), axis) for axis in shape], name
    kinds = {"rgb": (3, "uint8"), "rgba": (4, "uint8"), "normals": (3, "float32"), "motion_vectors": (2, "float32")}
    for name in ALL:
        channels, dtype = kinds.get(name, (4, "uint8") if "segmentation" in name else (1, "float32"))
        picture = data.output[name]
        assert api_of(picture) == api and tuple(picture.shape) == (count, HEIGHT, WIDTH, channels), name
        assert str(picture.dtype).rpartition(".")[2] == dtype, name
    np.testing.assert_allclose(host(data.intrinsic_matrices), [k] * count, rtol=1e-6)
    output = {name: host(picture) for name, picture in data.output.items()}
    distance, plane, normal, what = expected(looking(AHEAD), EYE, k)
    assert set(np.unique(what)) == {0, 1, 2}  # all of them are in the picture
    for i in range(count):
        origin = np.array([5.0 * i, -1.0, 0.0])
        np.testing.assert_allclose(host(data.pos_w)[i], EYE + origin, atol=1e-5)
        same(output["distance_to_camera"][i, ..., 0], distance)
        same(output["distance_to_image_plane"][i, ..., 0], plane)
        same(output["normals"][i], normal)
        points = create_pointcloud_from_depth(
            data.intrinsic_matrices[i], data.output["depth"][i, ..., 0], False, data.pos_w[i], data.quat_w_ros[i]
        )
        sphere = np.abs(np.linalg.norm(host(points) - origin - BALL, axis=1) - RADIUS) < 1e-3
        assert abs(sphere.mean() - (what == 1).mean()) < 0.01
    np.testing.assert_array_equal(output["depth"], output["distance_to_image_plane"])
    np.testing.assert_array_equal(output["rgba"][..., :3], output["rgb"])
    assert (output["rgba"][..., 3] == 255).all() and not output["motion_vectors"].any()
    for name in ("rgb", "distance_to_camera", "semantic_segmentation"):
        same(output[name][-1], output[name][0], atol=1.0 if name == "rgb" else 1e-4)
    red = output["rgb"][0][what == 1].mean(0)
    assert red[0] > 2.0 * red[1:].max()


def test_environments_that_differ_look_different(sim: SimulationContext) -> None:
    """A box in the first and last environment, a ball in the one between, side by side in one world."""
    environments(3)
    basics()
    common: dict[str, Any] = {
        "rigid_props": sim_utils.RigidBodyPropertiesCfg(),
        "mass_props": sim_utils.MassPropertiesCfg(mass=1.0),
        "collision_props": sim_utils.CollisionPropertiesCfg(),
    }
    sorts: list[Any] = [sim_utils.CuboidCfg(size=(0.6, 0.6, 0.6), **common), sim_utils.SphereCfg(radius=0.35, **common)]
    spawn = sim_utils.MultiAssetSpawnerCfg(assets_cfg=sorts, random_choice=False)
    start = RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 0.5))
    _thing = RigidObject(RigidObjectCfg(prim_path=f"{ENV}/thing", spawn=spawn, init_state=start))
    one = camera(f"{ENV}/eye", offset=at(EYE, looking(AHEAD)))
    sim.reset()
    assert sim.stage_world.world.num_envs == 3
    ahead, middle = pixel_rays(matrix_of(one.cfg.spawn), HEIGHT, WIDTH) @ looking(AHEAD).T, np.array([0.0, 0.0, 0.5])
    ground = box_hits(EYE, ahead, [-60.0, -60.0, -9.0], [60.0, 60.0, 0.0])
    hits = (box_hits(EYE, ahead, middle - 0.3, middle + 0.3), sphere_hits(EYE, ahead, middle, 0.35))
    for env, mine in enumerate((hits[0], hits[1], hits[0])):
        same(host(one.data.output["distance_to_camera"])[env, ..., 0], nearest(mine, ground)[0])


def test_cameras_on_bodies_in_each_convention(sim: SimulationContext) -> None:
    """Cameras below a body ride on it; poses are told by every convention, and each is where the others are."""
    body = things(3)
    spot, turn = (0.4, 0.2, -0.1), matrix(unit(np.array([1.0, 0.05, -0.1, 0.1])))
    cameras = {name: camera(f"{ENV}/box/{name}", offset=at(spot, turn, name)) for name in AXES}
    fixed = camera(f"{ENV}/box/start", offset=at(spot, turn), update_latest_camera_pose=False)
    sim.reset()
    start = host(fixed.data.pos_w).copy()
    pose = np.zeros((3, 7))
    for i in range(3):
        eye = np.array([0.1 * i - 2.0, 0.5, 1.2 + 0.3 * i])
        pose[i, :3], pose[i, 3:] = eye + [5.0 * i, -1.0, 0.0], quat(looking([1.0, -0.5, -0.4 - 0.1 * i]))
    body.write_root_pose_to_sim(pose)
    fixed.update(DT)
    pictures = {name: one.data for name, one in cameras.items()}
    k = matrix_of(fixed.cfg.spawn)
    for i in range(3):
        frame = matrix(pose[i, 3:]) @ turn
        eye = pose[i, :3] + matrix(pose[i, 3:]) @ spot
        for name, data in pictures.items():
            np.testing.assert_allclose(host(data.pos_w)[i], eye, atol=1e-5, err_msg=name)
            np.testing.assert_allclose(matrix(host(data.quat_w_world)[i]), frame, atol=1e-5, err_msg=name)
            np.testing.assert_allclose(matrix(host(data.quat_w_ros)[i]), frame @ TO_ROS.T, atol=1e-5)
            np.testing.assert_allclose(matrix(host(data.quat_w_opengl)[i]), frame @ AXES["opengl"], atol=1e-5)
        away = eye - [5.0 * i, -1.0, 0.0]
        ahead = pixel_rays(k, HEIGHT, WIDTH) @ frame.T  # the box is behind
        distance, _, what = nearest(
            sphere_hits(away, ahead, BALL, RADIUS), box_hits(away, ahead, [-60.0] * 3, [60.0, 60.0, 0.0])
        )
        assert (what == 0).sum() > 20
        for data in pictures.values():
            same(host(data.output["distance_to_camera"])[i, ..., 0], distance)
    np.testing.assert_array_equal(host(fixed.data.pos_w), start)  # although its pictures are of today
    np.testing.assert_array_equal(host(fixed.data.output["rgb"]), host(pictures["world"].output["rgb"]))
    fixed.reset()
    np.testing.assert_allclose(host(fixed.data.pos_w), host(pictures["ros"].pos_w), atol=1e-6)


def test_camera_on_a_link(sim: SimulationContext, tmp_path: Path) -> None:
    """A camera below a link of a robot turns with its joint, and sees the rest of the world go by."""
    _body = things(2)
    robot = pendulum(tmp_path)
    offset = at((0.0, 0.3, -0.2), looking([1.0, 0.0, 0.0]))
    one = camera(f"{ENV}/Pendulum/arm/eye", offset=offset)
    sim.reset()
    angle = np.array([[0.3], [-0.5]], "float32")
    still = host(one.data.output["distance_to_camera"])
    robot.write_joint_position_to_sim(angle)
    one.update(DT)
    for i, a in enumerate(angle[:, 0]):
        turn = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
        place = turn @ [0.0, 0.3, -0.2] + [5.0 * i, 1.0, 3.0]
        np.testing.assert_allclose(host(one.data.pos_w)[i], place, atol=1e-5)
        np.testing.assert_allclose(matrix(host(one.data.quat_w_world)[i]), turn, atol=1e-5)
    seen = host(one.data.output["distance_to_camera"])
    assert np.isfinite(seen[0]).sum() > np.isfinite(still[0]).sum()  # it looks down
    assert np.isinf(seen[1]).all() and host(one.data.output["rgba"])[1, ..., 3].max() == 0  # and up


def test_poses_and_intrinsics_that_are_set(sim: SimulationContext) -> None:
    """Static cameras are put elsewhere, and get other lenses, some of them; the others see what they saw."""
    _body = things(3)
    spawn = sim_utils.PinholeCameraCfg.from_intrinsic_matrix(PINHOLE.ravel().tolist(), WIDTH, HEIGHT)
    plain, given = camera(f"{ENV}/eye"), camera(f"{ENV}/other", spawn=spawn)
    sim.reset()
    origins = np.array([[5.0 * i, -1.0, 0.0] for i in range(3)])
    for one in (plain, given):
        one.set_world_poses_from_view(EYE + origins, EYE + AHEAD + origins)
    mean = np.diag([57.0, 57.0, 1.0])
    mean[0, 2], mean[1, 2] = 24.0 + 57.0 / 60.0, 16.0 - 2.0 * 57.0 / 54.0
    np.testing.assert_allclose(host(given.data.intrinsic_matrices), [mean] * 3, rtol=1e-5)
    plain.set_intrinsic_matrices(np.stack([PINHOLE] * 2), env_ids=[0, 2])
    for one, matrices in ((plain, [PINHOLE, matrix_of(plain.cfg.spawn), PINHOLE]), (given, [mean] * 3)):
        np.testing.assert_allclose(host(one.data.intrinsic_matrices), matrices, rtol=1e-5)
        for i in range(3):
            distance, plane, normal, _ = expected(looking(AHEAD), EYE, matrices[i])
            same(host(one.data.output["distance_to_camera"])[i, ..., 0], distance)
            same(host(one.data.output["depth"])[i, ..., 0], plane)
            same(host(one.data.output["normals"])[i], normal)
    before = {name: host(picture).copy() for name, picture in plain.data.output.items()}
    up = np.array([[np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0]])
    plain.set_world_poses(orientations=up, env_ids=[1], convention="world")
    assert np.isinf(host(plain.data.output["depth"])[1]).all()
    np.testing.assert_allclose(host(plain.data.pos_w), EYE + origins, atol=1e-5)
    for name in ALL:  # on a GPU torch turns one pose and three with different rounding, which the horizon shows
        after, known = host(plain.data.output[name])[[0, 2]], before[name][[0, 2]]
        same_as = after == known if plain.device == "cpu" else np.isclose(after, known, rtol=1e-5, atol=1e-5)
        differs = 1.0 - same_as.mean()
        assert differs == 0.0 or (plain.device != "cpu" and differs < 0.02), (name, differs)
    plain.set_world_poses(np.array([[0.0, 0.0, 9.0]]), env_ids=[2])
    np.testing.assert_allclose(host(plain.data.pos_w)[2], [0.0, 0.0, 9.0], atol=1e-5)
    sim.reset()  # what was set stays, as the stage does
    np.testing.assert_allclose(host(plain.data.intrinsic_matrices)[0], PINHOLE, rtol=1e-6)
    np.testing.assert_allclose(host(plain.data.pos_w)[2], [0.0, 0.0, 9.0], atol=1e-5)
    with pytest.raises(ValueError, match=r"matrices have shape \(2, 3, 3\); it must be \(1, 3, 3\)"):
        plain.set_intrinsic_matrices(np.stack([PINHOLE] * 2), env_ids=[0])
    with pytest.raises(ValueError, match="focal lengths in the matrices must be positive"):
        plain.set_intrinsic_matrices(-PINHOLE[None], env_ids=[0])


def test_clipping(sim: SimulationContext) -> None:
    things(1)
    reach = (1.5, 4.0)
    kinds: dict[str, float] = {"max": reach[1], "zero": 0.0, "none": np.inf}
    spawn = sim_utils.PinholeCameraCfg(clipping_range=reach)
    cameras = {
        name: camera(f"{ENV}/{name}", offset=at(EYE, looking(AHEAD)), spawn=spawn, depth_clipping_behavior=name)
        for name in kinds
    }
    sim.reset()
    distance, plane, _, _ = expected(looking(AHEAD), EYE, matrix_of(spawn))
    assert (plane > reach[1]).any() and (plane < reach[1]).any()
    for name, beyond in kinds.items():
        output = cameras[name].data.output
        same(host(output["depth"])[0, ..., 0], np.where(plane <= reach[1], plane, beyond))
        inside = (plane <= reach[1]) & (distance <= reach[1])
        same(host(output["distance_to_camera"])[0, ..., 0], np.where(inside, distance, beyond))


def test_clocks_and_frames(sim: SimulationContext) -> None:
    """Pictures are made when somebody looks, once a period, and counted; motion is what moved since the last one."""
    body = things(2)
    lazy = camera(f"{ENV}/lazy", offset=at(EYE, looking(AHEAD)), update_period=3 * DT)
    sim.reset()
    first = lazy.data
    before = {name: host(picture).copy() for name, picture in first.output.items()}
    kept = first.output["depth"]
    assert host(lazy.frame).tolist() == [1, 1]
    pose = np.zeros((2, 7))
    pose[:, :3], pose[:, 3] = [[0.0, -0.9, 0.5], [5.0, -1.0, 0.5]], 1.0
    body.write_root_pose_to_sim(pose)
    for step in range(1, 4):
        sim.step()
        lazy.update(DT)
        changed = not np.array_equal(host(lazy.data.output["depth"]), before["depth"])
        assert changed == (step == 3)
    np.testing.assert_array_equal(host(kept), before["depth"])  # what was handed out stays
    output = {name: host(picture) for name, picture in lazy.data.output.items()}
    assert host(lazy.frame).tolist() == [2, 2]
    np.testing.assert_array_equal(output["rgb"][1], before["rgb"][1])
    assert np.abs(output["motion_vectors"][1]).max() < 1e-4
    k = matrix_of(lazy.cfg.spawn)
    what = expected(looking(AHEAD), EYE, k)[3]
    ahead = pixel_rays(k, HEIGHT, WIDTH) @ looking(AHEAD).T
    now = box_hits(EYE, ahead, [-0.3, -0.2, 0.2], [0.3, 0.4, 0.8])[0]
    ids = output["instance_id_segmentation_fast"]
    on = np.isfinite(now) & (ids[0] == ids[1][what == 0][0]).all(-1)
    place = EYE + now[on][:, None] * ahead[on]  # of what these pixels show, and where it was 0.1 m to the right

    def pixels(points: np.ndarray) -> np.ndarray:
        local = (points - EYE) @ looking(AHEAD)
        return np.stack([-local[:, 1], -local[:, 2]], -1) / local[:, :1] * k[0, 0]

    moved = pixels(place - [0.0, 0.1, 0.0]) - pixels(place)
    close = np.isclose(output["motion_vectors"][0][on], moved, atol=1e-3).all(-1)
    assert on.sum() > 50 and close.mean() > 0.95
    lazy.reset([0])
    assert host(lazy.frame).tolist() == [0, 2]
    again = host(lazy.data.output["motion_vectors"])
    assert host(lazy.frame).tolist() == [1, 2] and not again[0].any()
    eager = host(lazy.frame)
    for _ in range(3):
        lazy.update(DT, force_recompute=True)
    assert host(lazy.frame).tolist() == (eager + 1).tolist()


def test_fisheye(sim: SimulationContext) -> None:
    """Pixels of a fisheye look where its polynomial says; beyond its field of view they see nothing."""
    environments(1)
    basics()
    ball("/World/room", (0.0, 0.0, 2.0), 5.0)
    eye = at((0.0, 0.0, 2.0), looking([1.0, 0.0, 0.0]))
    size = {"width": 64, "height": 64}
    polynomial: dict[str, Any] = {"fisheye_polynomial_b": 2.0 / 100.0, "fisheye_max_fov": 160.0}
    for letter, value in (("nominal_width", 100.0), ("nominal_height", 100.0)):
        polynomial[f"fisheye_{letter}"] = value
    polynomial |= {"fisheye_optical_centre_x": 50.0, "fisheye_optical_centre_y": 50.0}
    round_ = camera("/World/round", offset=eye, spawn=sim_utils.FisheyeCameraCfg(**polynomial), **size)
    cfg = sim_utils.FisheyeCameraCfg(projection_type="fisheyeSpherical")
    around = camera("/World/around", offset=eye, spawn=cfg, **size)
    sim.reset()
    v, u = (np.mgrid[:64, :64] + 0.5) * 100.0 / 64.0 - 50.0
    angle = 0.02 * np.hypot(u, v)
    seen = host(round_.data.output["normals"])[0]
    down, right = v / np.hypot(u, v) * np.sin(angle), u / np.hypot(u, v) * np.sin(angle)
    wall = np.cos(angle)[..., None] * [1.0, 0, 0] + right[..., None] * [0, -1.0, 0] + down[..., None] * [0, 0, -1.0]
    inside = (angle <= np.deg2rad(80.0)) & (5.0 * wall[..., 2] + 2.0 > 0.05)  # above the ground
    np.testing.assert_allclose(seen[inside], wall[inside], atol=1e-4)
    assert not seen[angle > np.deg2rad(81.0)].any()
    longitude, latitude = (np.mgrid[:64, :64][1] + 0.5) / 64 * 2 * np.pi - np.pi, np.pi / 2
    latitude = (np.mgrid[:64, :64][0] + 0.5) / 64 * np.pi - np.pi / 2
    wall = np.stack(
        [np.cos(latitude) * np.cos(longitude), -np.cos(latitude) * np.sin(longitude), -np.sin(latitude)], -1
    )
    above = 5.0 * wall[..., 2] + 2.0 > 0.05
    np.testing.assert_allclose(host(around.data.output["normals"])[0][above], wall[above], atol=1e-4)
    np.testing.assert_allclose(host(around.data.output["distance_to_camera"])[0, ..., 0][above], 5.0, atol=1e-4)
    with pytest.raises(RuntimeError, match="fisheye lens"):
        around.set_intrinsic_matrices(PINHOLE[None])
    lut = camera("/World/lut", spawn=sim_utils.FisheyeCameraCfg())
    prim = stage.get_stage().GetPrimAtPath("/World/lut")
    prim.GetAttribute("cameraProjectionType").Set("generalizedProjection")
    with pytest.raises(NotImplementedError, match="'generalizedProjection' is not built; there are pinhole, orthograp"):
        sim.reset()
    assert not lut.is_initialized


def test_wrong_use(sim: SimulationContext) -> None:
    environments(1)
    for name in ("bounding_box_3d", "instance_segmentation", "colour"):
        with pytest.raises(ValueError, match=f"data_types has '{name}', which cameras do not make"):
            camera("/World/eye", data_types=["rgb", name])
    with pytest.raises(ValueError, match="a picture of 0 by 32 pixels has none"):
        camera("/World/eye", width=0)
    with pytest.raises(ValueError, match="depth_clipping_behavior='far'"):
        camera("/World/eye", depth_clipping_behavior="far")
    with pytest.raises(ValueError, match="'ball' is not a kind and labels"):
        camera("/World/eye", semantic_filter="class: box; ball")
    with pytest.raises(RuntimeError, match="could not find prim with path '/World/none'"):
        camera("/World/none", spawn=None)
    with pytest.raises(RuntimeError, match="last part of prim_path must be a name"):
        camera("/World/eye_.*")
    with pytest.raises(RuntimeError, match="Unable to find source prim path"):
        camera("/World/nowhere_.*/eye")
    with pytest.raises(TypeError, match="width"):
        TiledCamera(TiledCameraCfg(prim_path="/World/eye", height=3, spawn=sim_utils.PinholeCameraCfg()))
    one = camera("/World/eye")
    with pytest.raises(RuntimeError, match=r"call sim.reset\(\) first"):
        one.set_world_poses(positions=np.zeros((1, 3)))
    with pytest.raises(RuntimeError, match=r"call sim.reset\(\) first"):
        _ = one.data
    UsdGeom.Xform.Define(stage.get_stage(), "/World/plain")
    other = camera("/World/plain", spawn=None)
    with pytest.raises(RuntimeError, match="</World/plain> is of type 'Xform', not a Camera"):
        sim.reset()
    del other
    sim.reset()
    assert one.is_initialized and {"bounding_box_3d", "instance_segmentation"} <= Camera.UNSUPPORTED_TYPES
    (product,) = one.render_product_paths
    prim = stage.get_stage().GetPrimAtPath(product)
    assert str(prim.GetTypeName()) == "RenderProduct"
    assert tuple(prim.GetAttribute("resolution").Get()) == (WIDTH, HEIGHT)
    assert str(prim.GetRelationship("camera").GetTargets()[0]) == "/World/eye"
    assert not one.has_debug_vis_implementation and CameraCfg().data_types == ["rgb"]
