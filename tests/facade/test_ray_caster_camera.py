"""Cameras that cast rays, against pictures by formula: distances, normals, clipping, poses, intrinsics, wrong use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facade.sensor_scenes import box, environments
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab.sensors import RayCasterCamera, RayCasterCameraCfg, patterns
from phalanx.facade.isaaclab.sensors.camera.utils import create_pointcloud_from_depth
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.io.formats.usd.bindings import Gf, UsdGeom
from phalanx.maths.arrays import matrix, unit

DT = 1 / 200
ENV = "/World/envs/env_.*"
SHAPES = json.loads((Path(__file__).parent / "documented_shapes.json").read_text())["CameraData"]
WIDTH, HEIGHT = 64, 48
INTRINSICS = np.array([[80.0, 0.0, 33.0], [0.0, 75.0, 22.0], [0.0, 0.0, 1.0]])
ALL = ["distance_to_camera", "distance_to_image_plane", "normals"]
TO_ROS = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
"""From the axes x forward, z up to z forward, -y up."""


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=DT))
    SimulationContext.clear_instance()
    physics_events.clear()


def camera(path: str, meshes: str = "/World/things/.*", **more: Any) -> RayCasterCamera:
    pattern = patterns.PinholeCameraPatternCfg.from_intrinsic_matrix(INTRINSICS.ravel().tolist(), WIDTH, HEIGHT)
    given = {"data_types": ALL, "pattern_cfg": pattern, "prim_path": path, "mesh_prim_paths": [meshes]}
    return RayCasterCamera(RayCasterCameraCfg(**(given | more)))


def wall(at: tuple[float, float, float]) -> None:
    """A cube, 2 m wide."""
    cube = UsdGeom.Cube.Define(stage.get_stage(), "/World/things/wall")
    UsdGeom.XformCommonAPI(cube).SetTranslate(Gf.Vec3d(*at))


def picture(frame: np.ndarray, eye: np.ndarray, low: np.ndarray, high: np.ndarray, k: np.ndarray) -> tuple[Any, ...]:
    """Distances along rays (infinite beside the box) and along the axis, and normals; ``frame`` has x forward, z up."""
    v, u = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    ahead = np.stack([np.ones_like(u), -(u - k[0, 2]) / k[0, 0], -(v - k[1, 2]) / k[1, 1]], -1)
    ahead /= np.linalg.norm(ahead, axis=-1, keepdims=True)
    world = ahead @ frame.T
    with np.errstate(divide="ignore"):
        near, far = (low - eye) / world, (high - eye) / world
    first, last = np.minimum(near, far).max(-1), np.maximum(near, far).min(-1)
    hit = (first <= last) & (first > 0)
    side = np.minimum(near, far).argmax(-1)
    normal = -np.sign(np.take_along_axis(world, side[..., None], -1)) * np.eye(3)[side]
    along = np.where(hit, first, np.inf)
    return along, np.where(hit, first * ahead[..., 0], np.nan), np.where(hit[..., None], normal, 0.0)


def same(found: np.ndarray, expected: np.ndarray, atol: float = 2e-5) -> None:
    """Pictures agree but where an edge runs through a pixel: fewer than one in fifty."""
    close = np.isclose(found, expected, atol=atol, equal_nan=True)
    assert (~close).any(-1 if expected.ndim > 3 else ()).mean() < 0.02, f"{(~close).mean():.3f} of the pixels differ"


@pytest.mark.parametrize("count", [1, 7])
def test_pictures_of_a_box(sim: SimulationContext, count: int) -> None:
    """Cameras ride on bodies, with an offset in each convention; what they see is what the formula says."""
    environments(count)
    wall((0.0, 0.0, 0.0))
    body = box("cube", (0.0, 0.0, 3.0))
    conventions: tuple[Any, ...] = ("ros", "opengl", "world")
    spot, turn = (0.1, 0.2, -0.1), unit(np.array([1.0, 0.05, -0.1, 0.1]))
    axes = {"world": np.eye(3), "ros": TO_ROS.T, "opengl": TO_ROS.T @ np.diag([1.0, -1.0, -1.0])}
    cameras = {}
    for name in conventions:
        quat = _quat(matrix(turn) @ axes[name])
        offset = RayCasterCameraCfg.OffsetCfg(pos=spot, rot=quat, convention=name)
        cameras[name] = camera(f"{ENV}/cube", offset=offset)
    sim.reset()
    rng = np.random.default_rng(count)
    away = unit(rng.normal(size=(count, 3)))
    pose = np.zeros((count, 7))
    for i in range(count):
        pose[i, :3], pose[i, 3:] = 5.0 * away[i], _quat(looking(-away[i]))
    body.write_root_pose_to_sim(pose)
    one = cameras["ros"]
    for name, shape in SHAPES.items():
        assert list(getattr(one.data, name).shape) == [{"N": count}.get(str(axis), axis) for axis in shape], name
    assert one.data.image_shape == one.image_shape == (HEIGHT, WIDTH) and one.num_instances == count
    assert one.data.info == [dict.fromkeys(ALL)] * count and host(one.frame).tolist() == [1] * count
    np.testing.assert_allclose(host(one.data.intrinsic_matrices), [INTRINSICS] * count, rtol=1e-5)
    for seen in cameras.values():
        output = {name: host(value) for name, value in seen.data.output.items()}
        assert {name: value.shape[1:] for name, value in output.items()} == {
            name: (HEIGHT, WIDTH, 3 if name == "normals" else 1) for name in ALL
        }
        for i in range(count):
            frame = matrix(pose[i, 3:]) @ matrix(turn)
            eye = pose[i, :3] + matrix(pose[i, 3:]) @ spot
            np.testing.assert_allclose(host(seen.data.pos_w)[i], eye, atol=1e-5)
            np.testing.assert_allclose(matrix(host(seen.data.quat_w_world)[i]), frame, atol=1e-5)
            np.testing.assert_allclose(matrix(host(seen.data.quat_w_ros)[i]), frame @ TO_ROS.T, atol=1e-5)
            opengl = frame @ axes["opengl"]
            np.testing.assert_allclose(matrix(host(seen.data.quat_w_opengl)[i]), opengl, atol=1e-5)
            along, plane, normal = picture(frame, eye, -np.ones(3), np.ones(3), INTRINSICS)
            same(output["distance_to_camera"][i, ..., 0], along)
            same(output["distance_to_image_plane"][i, ..., 0], plane)
            same(output["normals"][i], normal)
            assert np.isfinite(along).any()
    points = create_pointcloud_from_depth(
        one.data.intrinsic_matrices[0],
        one.data.output["distance_to_image_plane"][0, ..., 0],
        position=one.data.pos_w[0],
        orientation=one.data.quat_w_ros[0],
    )
    off = np.abs(np.abs(host(points)).max(1) - 1.0)  # from the surface of the cube
    assert len(off) > 100 and off.max() < 1e-4


def looking(ahead: np.ndarray) -> np.ndarray:
    """(3, 3): axes of a camera, x along ``ahead``, as upright as can be."""
    left = unit(np.cross([0.0, 0.0, 1.0], ahead))
    return np.stack([ahead, left, np.cross(ahead, left)], -1)


def _quat(frame: np.ndarray) -> Any:
    from phalanx.maths.arrays import from_matrix

    return tuple(from_matrix(frame).tolist())


def test_clipping_poses_and_intrinsics(sim: SimulationContext) -> None:
    """Cameras without a body, put elsewhere in the world; what is not chosen stays bit by bit."""
    environments(3)
    wall((3.0, 0.0, 0.0))
    for i in range(3):
        UsdGeom.Xform.Define(stage.get_stage(), f"/World/envs/env_{i}/spot")
    kinds: dict[str, Any] = {
        kind: camera(f"{ENV}/spot", depth_clipping_behavior=kind) for kind in ("max", "zero", "none")
    }
    for one in kinds.values():
        one.cfg.max_distance = 4.5
    sim.reset()
    eyes, targets = np.array([[0.0, -4.0, 1.0], [3.0, -0.5, 5.0], [8.0, 1.0, 1.0]]), np.array([[3.0, 0.0, 0.0]] * 3)
    one = kinds["none"]
    for each in kinds.values():
        each.set_world_poses_from_view(eyes, targets)
    frames = [looking(unit(target - eye)) for eye, target in zip(eyes, targets, strict=True)]
    low, high = np.array([2.0, -1, -1]), np.array([4.0, 1, 1])
    for i in range(3):
        along, plane, _ = picture(frames[i], eyes[i], low, high, INTRINSICS)
        for kind, instead in (("max", 4.5), ("zero", 0.0), ("none", None)):
            output = kinds[kind].data.output
            for name, value, none in (("camera", along, np.inf), ("image_plane", plane, np.nan)):
                with np.errstate(invalid="ignore"):
                    most = 1e6 if instead is None else 4.5  # without clipping, only what hits nothing is replaced
                    expected = np.where(value <= most, value, none if instead is None else instead)
                same(host(output[f"distance_to_{name}"])[i, ..., 0], expected)
    before = {name: host(value).copy() for name, value in one.data.output.items()}
    one.set_world_poses(orientations=np.array([[1.0, 0, 0, 0]]), env_ids=[1], convention="world")
    wide = INTRINSICS.copy()
    wide[0, 0] = wide[1, 1] = 40.0
    one.set_intrinsic_matrices(wide[None], env_ids=[2])
    np.testing.assert_allclose(host(one.data.quat_w_world)[1], [1, 0, 0, 0], atol=1e-6)
    np.testing.assert_allclose(host(one.data.pos_w)[1], eyes[1], atol=1e-5)
    after = {name: host(value) for name, value in one.data.output.items()}
    assert np.isinf(after["distance_to_camera"][1]).all()  # it looks over the box
    for name in ALL:
        np.testing.assert_array_equal(after[name][0], before[name][0])
    along, _, normal = picture(frames[2], eyes[2], low, high, wide)
    same(after["normals"][2], np.where(np.isfinite(along)[..., None], normal, 0.0))
    np.testing.assert_allclose(host(one.data.intrinsic_matrices)[2], wide)
    count = host(one.frame)
    one.reset([0])
    assert host(one.frame).tolist() == [0, *count[1:]] and host(one.data.output["normals"]).any()
    with pytest.raises(ValueError, match=r"matrices have shape \(2, 3, 3\); it must be \(1, 3, 3\)"):
        one.set_intrinsic_matrices(np.stack([wide] * 2), env_ids=[0])
    with pytest.raises(ValueError, match=r"positions have shape \(1, 3\); it must be \(3, 3\)"):
        one.set_world_poses(positions=np.zeros((1, 3)))
    with pytest.raises(ValueError, match="convention"):
        one.set_world_poses(orientations=np.tile([1.0, 0, 0, 0], (3, 1)), convention="usd")  # type: ignore[arg-type]


def test_wrong_use(sim: SimulationContext) -> None:
    wall((0.0, 0.0, 0.0))
    for name in ("rgb", "depth", "semantic_segmentation"):
        with pytest.raises(ValueError, match=f"data_types has '{name}'; there are distance_to_image_plane"):
            camera("/World/things/wall", data_types=["normals", name])
    with pytest.raises(ValueError, match="depth_clipping_behavior='far'"):
        camera("/World/things/wall", depth_clipping_behavior="far")
    none = patterns.PinholeCameraPatternCfg(width=0, height=4)
    with pytest.raises(ValueError, match="a picture of 0 by 4 pixels"):
        camera("/World/things/wall", pattern_cfg=none)
    one = camera("/World/things/wall")
    with pytest.raises(RuntimeError, match=r"call sim.reset\(\) first"):
        one.set_world_poses(positions=np.zeros((1, 3)))
    plain = RayCasterCameraCfg(
        prim_path="/World/things/wall",
        mesh_prim_paths=["/World/things/wall"],
        pattern_cfg=patterns.PinholeCameraPatternCfg(width=64, height=32),
    )
    other = RayCasterCamera(plain)
    sim.reset()
    assert one.is_initialized and list(other.data.output) == ["distance_to_image_plane"]
    f = 64 * 24.0 / 20.955
    np.testing.assert_allclose(host(other.data.intrinsic_matrices)[0], [[f, 0, 32], [0, f, 16], [0, 0, 1]], rtol=1e-6)


def test_rays_are_the_scripts_own(sim: SimulationContext) -> None:
    """Rays and hits by Isaac Lab's names: hits lie on the wall, and what scripts write to rays moves pictures."""
    environments(2)
    wall((0.0, 0.0, 0.0))
    for i in range(2):
        UsdGeom.Xform.Define(stage.get_stage(), f"/World/envs/env_{i}/spot")
    one = camera(f"{ENV}/spot")
    sim.reset()
    rays = WIDTH * HEIGHT
    assert one.num_rays == rays and tuple(one.ray_starts.shape) == tuple(one.ray_directions.shape) == (2, rays, 3)
    np.testing.assert_array_equal(host(one.ray_hits_w), np.zeros((2, rays, 3)))
    np.testing.assert_array_equal(host(one.ray_starts), np.zeros((2, rays, 3)))
    eyes = np.array([[-4.0, 0.0, 0.0], [-6.0, 0.5, 0.0]])
    one.set_world_poses(eyes, np.tile([1.0, 0, 0, 0], (2, 1)), convention="world")
    before = {name: host(value).copy() for name, value in one.data.output.items()}
    first = host(one.ray_hits_w).copy()  # from the distances of a cast that kept no hits
    one.update(DT, force_recompute=True)
    for hits in (first, host(one.ray_hits_w)):
        far = np.linalg.norm(hits - eyes[:, None], axis=-1)
        seen = before["distance_to_camera"].reshape(2, rays)
        assert 0.05 < np.isfinite(seen).mean() < 0.95
        np.testing.assert_array_equal(np.isfinite(hits).all(-1), np.isfinite(seen))
        np.testing.assert_allclose(far[np.isfinite(seen)], seen[np.isfinite(seen)], rtol=1e-5)
        np.testing.assert_allclose(np.abs(hits[np.isfinite(seen)]).max(-1), 1.0, atol=1e-5)
        np.testing.assert_allclose(hits[np.isfinite(seen)][:, 0], -1.0, atol=1e-5)
    np.testing.assert_allclose(host(one._ray_starts_w), np.repeat(eyes[:, None], rays, 1), atol=1e-6)
    np.testing.assert_allclose(host(one._ray_directions_w), host(one.ray_directions), atol=1e-6)
    own = one.ray_starts
    own = own.copy() if isinstance(own, np.ndarray) else own  # on a GPU, NumPy's are copies
    own[1, :, 0] = 2.0
    one.ray_starts = own
    one.update(DT, force_recompute=True)
    after = host(one.data.output["distance_to_camera"])
    np.testing.assert_array_equal(after[0], before["distance_to_camera"][0])
    hit = np.isfinite(host(one.ray_hits_w)[1]).all(-1)
    starts, ahead = eyes[1] + [2.0, 0.0, 0.0], host(one.ray_directions)[1]
    along = (-1.0 - starts[0]) / ahead[:, 0]
    np.testing.assert_allclose(after[1].ravel()[hit], along[hit], rtol=1e-5)
    one.ray_directions = -host(one.ray_directions)
    one.update(DT, force_recompute=True)
    assert np.isinf(host(one.data.output["distance_to_camera"])).all() and np.isinf(host(one.ray_hits_w)).all()
    one.set_intrinsic_matrices(np.stack([INTRINSICS] * 2))  # which makes rays anew
    one.update(DT, force_recompute=True)
    np.testing.assert_allclose(host(one.data.output["distance_to_camera"]), before["distance_to_camera"], rtol=1e-5)


class Jittered(RayCasterCamera):
    """A camera that moves its lens at each reset, and keeps the picture before the last: hooks of Isaac Lab's."""

    def _initialize_rays_impl(self) -> None:
        super()._initialize_rays_impl()
        self.nominal = host(self._offset_pos[0]).copy()
        self.set_intrinsic_matrices(np.stack([self.narrow] * self._view.count), env_ids=self._ALL_INDICES)

    def _create_buffers(self) -> None:
        super()._create_buffers()
        self.narrow = INTRINSICS * [[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 1.0]]
        self.earlier = {name: host(value).copy() for name, value in self._data.output.items()}

    def reset(self, env_ids: Any = None) -> None:
        super().reset(env_ids)
        self._offset_pos[0, 0] = float(self.nominal[0]) - 1.0

    def _update_buffers_impl(self, env_ids: Any) -> None:
        self.earlier = {name: host(value).copy() for name, value in self._data.output.items()}
        super()._update_buffers_impl(env_ids)
        self._data.output["normals"][0] = 7.0

    def _invalidate_initialize_callback(self, event: Any) -> None:
        super()._invalidate_initialize_callback(event)
        self._view = None


def test_hooks_of_subclasses(sim: SimulationContext) -> None:
    """What public projects override in Isaac Lab's ray caster cameras is called, and what they write counts."""
    environments(2)
    wall((0.0, 0.0, 0.0))
    for i in range(2):
        UsdGeom.Xform.Define(stage.get_stage(), f"/World/envs/env_{i}/spot")
    pattern = patterns.PinholeCameraPatternCfg.from_intrinsic_matrix(INTRINSICS.ravel().tolist(), WIDTH, HEIGHT)
    offset = RayCasterCameraCfg.OffsetCfg(pos=(-4.0, 1.0, 0.0), convention="world")
    given: dict[str, Any] = {"data_types": ALL, "pattern_cfg": pattern, "mesh_prim_paths": ["/World/things/.*"]}
    one = Jittered(RayCasterCameraCfg(prim_path=f"{ENV}/spot", offset=offset, **given))
    sim.reset()
    np.testing.assert_allclose(host(one.data.intrinsic_matrices), [one.narrow] * 2, rtol=1e-6)
    centre = HEIGHT // 2 * WIDTH + WIDTH // 2
    np.testing.assert_allclose(host(one.ray_hits_w)[0, centre, 0], -1.0, atol=1e-5)
    ahead = host(one.ray_directions)[0].reshape(HEIGHT, WIDTH, 3)
    slopes = np.diff(ahead[..., 1] / ahead[..., 0], axis=1)
    np.testing.assert_allclose(slopes, -1.0 / one.narrow[0, 0], rtol=1e-3)
    assert not one.earlier["normals"].any() and (host(one.data.output["normals"])[0] == 7.0).all()
    place, _ = one._view.get_world_poses([1])
    np.testing.assert_allclose(host(place), [[5.0, -1.0, 0.0]], atol=1e-6)
    one.reset([0])
    np.testing.assert_allclose(host(one.data.pos_w)[0], [-5.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_array_equal(one.earlier["normals"][0], np.full((HEIGHT, WIDTH, 3), 7.0))
    sim.stop()
    assert one._view is None and not one.is_initialized
    sim.reset()
    view: Any = one._view
    assert view.count == 2
