"""Ray casters: heights of a sine, planes by formula, alignments, drifts, what carries them, resets, wrong use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facade.sensor_scenes import box, environments, ground, pendulum
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.arrays import is_installed
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.sensors import RayCaster, RayCasterCfg, patterns
from phalanx.facade.isaaclab.sensors.ray_caster.geometry import triangles
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.io.formats.usd.bindings import Gf, UsdGeom, Vt
from phalanx.maths.arrays import matrix, unit

DT = 1 / 200
ENV = "/World/envs/env_.*"
SHAPES = json.loads((Path(__file__).parent / "documented_shapes.json").read_text())["RayCasterData"]
GRID = patterns.GridPatternCfg(resolution=0.1, size=(1.6, 1.0))
STAR = patterns.LidarPatternCfg(
    channels=3, vertical_fov_range=(-80.0, -30.0), horizontal_fov_range=(-180.0, 180.0), horizontal_res=45.0
)
HEIGHT, LENGTH = 0.3, 2.0


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=DT))
    SimulationContext.clear_instance()
    physics_events.clear()


def caster(path: str, meshes: str, pattern: Any = STAR, **more: Any) -> RayCaster:
    return RayCaster(RayCasterCfg(prim_path=path, mesh_prim_paths=[meshes], pattern_cfg=pattern, **more))


def sine(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return HEIGHT * np.sin(2 * np.pi * x / LENGTH) * np.cos(2 * np.pi * y / LENGTH)


def terrain(path: str, half: float, step: float) -> None:
    """A mesh of the sine about the origin, below a prim that is moved, turned and scaled."""
    sim_utils.create_prim(
        path, "Xform", translation=(1.0, 0.0, -2.0), orientation=(0.6, 0.0, 0.0, 0.8), scale=(2.0,) * 3
    )
    axis = np.arange(-half, half + step / 2, step)
    x, y = np.meshgrid(axis, axis, indexing="ij")
    world = np.stack([x, y, sine(x, y)], -1).reshape(-1, 3)
    local = (world - [1.0, 0.0, -2.0]) @ matrix(np.array([0.6, 0.0, 0.0, 0.8])) / 2.0
    n = len(axis)
    corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    faces = np.stack([corner, corner + n, corner + n + 1, corner + 1], -1)
    mesh = UsdGeom.Mesh.Define(stage.get_stage(), f"{path}/mesh")
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(local.astype(np.float32)))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), 4, np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.ravel().astype(np.int32)))


def put_at(cube: Any, rng: np.random.Generator, count: int, spread: float) -> np.ndarray:
    """(count, 7): random poses above the ground, in the world."""
    turns = unit(np.array([1.0, 0, 0, 0]) + rng.normal(size=(count, 4)) * [0, 0.2, 0.2, 3.0])
    pose = np.concatenate([rng.uniform(-spread, spread, (count, 3)) + [0, 0, 3], turns], 1).astype(np.float32)
    cube.write_root_pose_to_sim(pose)
    return pose.astype(float)


@pytest.mark.parametrize("count", [1, 7])
def test_heights_of_a_sine(sim: SimulationContext, count: int) -> None:
    environments(count)
    terrain("/World/ground", 3.5, 0.03)
    cube = box("cube", (0.0, 0.0, 3.0))
    scan = caster(
        f"{ENV}/cube", "/World/ground", GRID, ray_alignment="yaw", offset=RayCasterCfg.OffsetCfg((0.2, 0, 20))
    )
    sim.reset()
    pose = put_at(cube, np.random.default_rng(count), count, 2.0)
    assert (scan.num_instances, scan.data.ray_hits_w.shape[1]) == (count, 187)
    sizes = {"N": count, "B": 187}
    for name, shape in SHAPES.items():
        assert list(getattr(scan.data, name).shape) == [sizes.get(axis, axis) for axis in shape], name
    hits, starts = host(scan.data.ray_hits_w), host(GRID.func(GRID, "cpu")[0]) + [0.2, 0, 0]
    np.testing.assert_allclose(hits[..., 2], sine(hits[..., 0], hits[..., 1]), atol=1e-3)
    np.testing.assert_allclose(host(scan.data.pos_w), pose[:, :3], atol=1e-6)
    for i, (_, _, _, w, x, y, z) in enumerate(pose):
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
        np.testing.assert_allclose(hits[i, :, :2], pose[i, :2] + starts[:, :2] @ turn.T, atol=1e-4)


@pytest.mark.parametrize("alignment", ["base", "yaw", "world"])
def test_alignments_and_drifts(sim: SimulationContext, alignment: Any) -> None:
    """Against planes by formula; drifts, drawn from ranges of no width, move starts in the world and hits in the frame
    that rays follow.
    """
    environments(3)
    ground()
    cube = box("cube", (0.0, 0.0, 3.0))
    drift, aside = 0.25, {"x": (0.1, 0.1), "y": (-0.3, -0.3), "z": (0.5, 0.5)}
    offset = RayCasterCfg.OffsetCfg(pos=(0.1, 0.2, 0.3), rot=(0.8, 0.0, 0.0, 0.6))
    more: dict[str, Any] = {"ray_alignment": alignment, "offset": offset, "max_distance": 30.0}
    plain = caster(f"{ENV}/cube", "/World/ground", **more)
    moved = caster(f"{ENV}/cube", "/World/ground", drift_range=(drift, drift), ray_cast_drift_range=aside, **more)
    sim.reset()
    pose = put_at(cube, np.random.default_rng(5), 3, 1.0)
    plain.reset()
    moved.reset()
    found, drifted = host(plain.data.ray_hits_w), host(moved.data.ray_hits_w)
    np.testing.assert_allclose(host(moved.data.pos_w), pose[:, :3] + drift, atol=1e-6)
    starts, ahead = (host(one) for one in STAR.func(STAR, "cpu"))
    own = matrix(np.array([0.8, 0.0, 0.0, 0.6]))
    for i in range(3):
        turn = matrix(pose[i, 3:])
        if alignment != "base":
            yaw = np.arctan2(turn[1, 0], turn[0, 0]) if alignment == "yaw" else 0.0
            turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
        begin = pose[i, :3] + (starts @ own.T + [0.1, 0.2, 0.3]) @ turn.T
        down = ahead @ (turn @ own).T
        away = -begin[:, 2] / down[:, 2]
        hit = (away > 0) & (away < 30.0)
        np.testing.assert_allclose(found[i][hit], (begin + away[:, None] * down)[hit], atol=2e-5 * 30)
        assert np.isinf(found[i][~hit]).all() and hit.any()
        shift = turn @ [0.1, -0.3, 0.5] * [1, 1, 0] + drift
        begin = begin + shift
        away = -begin[:, 2] / down[:, 2]
        hit = (away > 0) & (away < 30.0)
        expected = begin + away[:, None] * down + [0, 0, 0.5]
        np.testing.assert_allclose(drifted[i][hit], expected[hit], atol=2e-5 * 30)


def test_scripts_change_drifts_and_rays(sim: SimulationContext) -> None:
    """Subclasses draw drifts of their own at resets; rays that are written are those of one environment alone."""

    class Drifting(RayCaster):
        def reset(self, env_ids: Any = None) -> None:
            super().reset(env_ids)
            self.drift[slice(None) if env_ids is None else env_ids, 2] = 0.5

    environments(3)
    ground()
    cube = box("cube", (0.0, 0.0, 3.0))
    pattern = patterns.LidarPatternCfg(
        channels=1, vertical_fov_range=(-90.0, -90.0), horizontal_fov_range=(0.0, 10.0), horizontal_res=10.0
    )
    sensor = Drifting(RayCasterCfg(prim_path=f"{ENV}/cube", mesh_prim_paths=["/World/ground"], pattern_cfg=pattern))
    sim.reset()
    pose = put_at(cube, np.random.default_rng(5), 3, 1.0)
    pose[:, 3:] = [1.0, 0.0, 0.0, 0.0]
    cube.write_root_pose_to_sim(pose.astype(np.float32))
    sensor.reset()
    up = pose[:, :3] + [0.0, 0.0, 0.5]
    np.testing.assert_allclose(host(sensor.data.pos_w), up, atol=1e-6)
    np.testing.assert_allclose(host(sensor.data.ray_hits_w)[:, 0], up * [1, 1, 0], atol=1e-5)
    rays = sensor.num_rays
    assert tuple(sensor.ray_starts.shape) == tuple(sensor.ray_directions.shape) == (3, rays, 3)
    own = sensor.ray_directions
    own = own.copy() if isinstance(own, np.ndarray) else own  # on a GPU, NumPy's are copies
    own[1, :, 0] = 1.0
    sensor.ray_directions = own
    sensor.update(0.0, force_recompute=True)
    moved = up * [1, 1, 0] + [[0.0], [1.0], [0.0]] * up[:, 2:] * [1, 0, 0]
    np.testing.assert_allclose(host(sensor.data.ray_hits_w), np.repeat(moved[:, None], rays, 1), atol=1e-5)
    sensor.ray_starts = host(sensor.ray_starts) + np.array([0.0, 0.2, 0.0], np.float32)
    sensor.update(0.0, force_recompute=True)
    np.testing.assert_allclose(host(sensor.data.ray_hits_w)[:, 0], moved + [0, 0.2, 0], atol=1e-5)
    with pytest.raises(ValueError, match=r"rays of shape \(2, 3\): it must be \(3, "):
        sensor.ray_directions = np.zeros((2, 3), np.float32)


def test_what_carries_them(sim: SimulationContext, tmp_path: Path) -> None:
    """A body, a prim on a body, the root of an articulation, and nothing; several meshes and shapes are hit."""
    environments(2)
    ground()
    cube, robot = box("cube", (0.0, 0.0, 3.0)), pendulum(tmp_path)
    for i in range(2):
        sim_utils.create_prim(f"/World/envs/env_{i}/cube/mast", "Xform", translation=(0.0, 0.0, 0.5))
        sim_utils.create_prim(f"/World/envs/env_{i}/post", "Xform", translation=(0.0, 0.0, 1.5))
    shape = UsdGeom.Sphere.Define(stage.get_stage(), "/World/things/ball")
    shape.CreateRadiusAttr(1.0)
    UsdGeom.XformCommonAPI(shape).SetTranslate(Gf.Vec3d(0.0, -1.0, -4.0))
    wall = UsdGeom.Cube.Define(stage.get_stage(), "/World/things/wall")
    UsdGeom.XformCommonAPI(wall).SetTranslate(Gf.Vec3d(5.0, -1.0, -6.0))
    down = patterns.GridPatternCfg(resolution=0.1, size=(0.0, 0.0))
    on_body = caster(f"{ENV}/cube", "/World/ground", down)
    on_mast = caster(f"{ENV}/cube/mast", "/World/ground", down)
    on_robot = caster(f"{ENV}/Pendulum/post", "/World/ground", down)
    standing = caster(f"{ENV}/post", "/World/things/.*", down)
    sim.reset()
    for one, z in ((on_body, 3.0), (on_mast, 3.5), (on_robot, 3.0), (standing, 1.5)):
        np.testing.assert_allclose(host(one.data.pos_w)[:, 2], z, atol=1e-5)
    np.testing.assert_allclose(host(standing.data.ray_hits_w)[:, 0], [[0, -1, -3], [5, -1, -5]], atol=1e-5)
    np.testing.assert_allclose(host(on_body.data.ray_hits_w)[:, 0], [[0, -1, 0], [5, -1, 0]], atol=1e-5)
    assert on_mast._scene._instances[0].geometry is on_body._scene._instances[0].geometry, "geometry is shared"
    turn = np.array([[0.0, 0.0, 3.0, 0.5**0.5, 0.5**0.5, 0.0, 0.0], [5.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0]])
    cube.write_root_pose_to_sim(turn)  # the first one on its side
    for one in (on_body, on_mast):
        one.update(DT)
    np.testing.assert_allclose(host(on_mast.data.pos_w), [[0, -0.5, 3], [5, 0, 3.5]], atol=1e-5)
    assert np.isinf(host(on_mast.data.ray_hits_w)[0]).all() and robot.is_initialized
    before = {name: host(getattr(on_mast.data, name)).copy() for name in SHAPES}
    cube.write_root_pose_to_sim(turn + [1.0, 0, 0, 0, 0, 0, 0])
    on_mast.reset([1])
    after = {name: host(getattr(on_mast.data, name)) for name in SHAPES}
    for name in SHAPES:
        np.testing.assert_array_equal(after[name][0], before[name][0])
    np.testing.assert_allclose(after["ray_hits_w"][1, 0], [6, 0, 0], atol=1e-5)


def test_wrong_use(sim: SimulationContext) -> None:
    environments(2)
    ground()
    sim_utils.create_prim("/World/Looks", "Scope")
    cube = box("cube", (0.0, 0.0, 3.0))

    def fails(kind: type[Exception], match: str, path: str, *meshes: str, **more: Any) -> None:
        cfg = RayCasterCfg(prim_path=path, mesh_prim_paths=list(meshes), **{"pattern_cfg": STAR, **more})
        with pytest.raises(kind, match=match):
            one = RayCaster(cfg)
            sim.reset()
            assert one.is_initialized

    fails(RuntimeError, "must be a name, no expression", f"{ENV}/.*", "/World/ground")
    fails(RuntimeError, "there is no such prim on the stage", f"{ENV}/nothing", "/World/ground")
    fails(RuntimeError, "'/World/nothing', and there is no such prim", f"{ENV}/cube", "/World/nothing")
    fails(RuntimeError, "no mesh, shape or plane at or below it", f"{ENV}/cube", "/World/Looks")
    fails(RuntimeError, "mesh_prim_paths is empty", f"{ENV}/cube")
    fails(ValueError, "ray_alignment='up'", f"{ENV}/cube", "/World/ground", ray_alignment="up")
    fails(ValueError, r"max_distance=0.0 m must be positive", f"{ENV}/cube", "/World/ground", max_distance=0.0)
    fails(TypeError, "pattern_cfg.func", f"{ENV}/cube", "/World/ground", pattern_cfg=patterns.PatternBaseCfg())
    old = caster(f"{ENV}/cube", "/World/ground", attach_yaw_only=True)
    older = caster(f"{ENV}/cube", "/World/ground", attach_yaw_only=False)
    assert (old.cfg.ray_alignment, older.cfg.ray_alignment) == ("yaw", "base")
    sim.reset()
    assert cube.is_initialized and host(old.data.ray_hits_w).shape == (2, 24, 3)


def test_meshes_of_warp_are_what_rays_meet(sim: SimulationContext) -> None:
    """Of a terrain and of a plane, by the paths that sensors name; made only where somebody asks."""
    environments(1)
    terrain("/World/hills", 1.0, 0.5)
    ground()
    cube = box("cube", (0.0, 0.0, 3.0))
    scans = [caster(f"{ENV}/cube", path) for path in ("/World/hills", "/World/ground")]
    sim.reset()
    assert cube.is_initialized and all(one.is_initialized for one in scans)
    assert scans[0].meshes is RayCaster.meshes == scans[1].meshes
    assert {"/World/hills", "/World/ground"} <= set(RayCaster.meshes)
    with pytest.raises(KeyError, match="/World/moon"):
        _ = RayCaster.meshes["/World/moon"]
    vertices, faces = triangles("test", "/World/hills", 1e6)
    np.testing.assert_allclose(vertices[:, 2], sine(vertices[:, 0], vertices[:, 1]), atol=1e-6)
    first, second = (vertices[faces[:, k]] - vertices[faces[:, 0]] for k in (1, 2))
    normals = np.cross(first, second)
    assert (normals[:, 2] > 0.0).all(), "faces look upwards"
    corners, halves = triangles("test", "/World/ground", 10.0)
    assert np.ptp(corners, axis=0).tolist() == [20.0, 20.0, 0.0] and len(halves) == 2
    if not is_installed("warp"):
        with pytest.raises(ImportError, match="pip install warp-lang"):
            _ = RayCaster.meshes["/World/hills"]
        return
    mesh = RayCaster.meshes["/World/hills"]
    np.testing.assert_allclose(mesh.points.numpy(), vertices, atol=1e-6)
    np.testing.assert_array_equal(mesh.indices.numpy().reshape(-1, 3), faces)
