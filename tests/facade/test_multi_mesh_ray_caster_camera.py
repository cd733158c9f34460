"""Cameras that cast rays among meshes that move: pictures by formula, ids, what stays, settings."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from facade.sensor_scenes import box, environments, ground
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.sensors import MultiMeshRayCasterCamera, MultiMeshRayCasterCameraCfg, patterns
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext

DT = 1 / 200
ENV = "/World/envs/env_.*"
WIDTH, HEIGHT, FOCAL = 64, 48, 80.0
INTRINSICS = [FOCAL, 0.0, WIDTH / 2, 0.0, FOCAL, HEIGHT / 2, 0.0, 0.0, 1.0]
DOWN = MultiMeshRayCasterCameraCfg.OffsetCfg(rot=(0.5**0.5, 0.0, 0.5**0.5, 0.0), convention="world")
EYE = 10.0
SIDE = 0.5
Target = MultiMeshRayCasterCameraCfg.RaycastTargetCfg


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=DT))
    SimulationContext.clear_instance()
    physics_events.clear()


def camera(*targets: Any, **more: Any) -> MultiMeshRayCasterCamera:
    pattern = patterns.PinholeCameraPatternCfg.from_intrinsic_matrix(INTRINSICS, WIDTH, HEIGHT)
    given: dict[str, Any] = {
        "prim_path": f"{ENV}/post",
        "pattern_cfg": pattern,
        "offset": DOWN,
        "update_mesh_ids": True,
        "data_types": ["distance_to_image_plane", "distance_to_camera", "normals"],
    }
    return MultiMeshRayCasterCamera(MultiMeshRayCasterCameraCfg(mesh_prim_paths=list(targets), **(given | more)))


def seen(aside: tuple[float, float], height: float) -> np.ndarray:
    """(HEIGHT, WIDTH): which pixels see the top of a cube whose middle is there; x is up in the picture, y left."""
    v, u = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    depth = EYE - (height + SIDE / 2)
    x, y = -(v - HEIGHT / 2) / FOCAL * depth, -(u - WIDTH / 2) / FOCAL * depth
    return (np.abs(x - aside[0]) < SIDE / 2) & (np.abs(y - aside[1]) < SIDE / 2)


@pytest.mark.parametrize("count", [1, 3])
def test_cubes_that_move_are_seen_where_they_are(sim: SimulationContext, count: int) -> None:
    """Each camera looks down on the ground and on a cube of its own, which is put somewhere else."""
    environments(count)
    ground()
    for i in range(count):
        sim_utils.create_prim(f"/World/envs/env_{i}/post", "Xform", translation=(0.0, 0.0, EYE))
    cube = box("cube", (0.0, 0.0, 5.0), size=SIDE)
    one = camera("/World/ground", Target(prim_expr=f"{ENV}/cube"))
    frozen = camera(
        "/World/ground", Target(prim_expr=f"{ENV}/cube", track_mesh_transforms=False), update_mesh_ids=False
    )
    sim.reset()
    still = host(frozen.data.output["distance_to_image_plane"]).copy()
    assert frozen.data.image_mesh_ids is None

    def check(places: list[tuple[tuple[float, float], float]]) -> None:
        data = one.data
        depth = host(data.output["distance_to_image_plane"])[..., 0]
        along = host(data.output["distance_to_camera"])[..., 0]
        normal = host(data.output["normals"])
        ids = host(data.image_mesh_ids)
        assert ids.shape == (count, HEIGHT, WIDTH, 1) and depth.shape == (count, HEIGHT, WIDTH)
        v, u = np.mgrid[:HEIGHT, :WIDTH] + 0.5
        slant = np.sqrt(1.0 + ((u - WIDTH / 2) ** 2 + (v - HEIGHT / 2) ** 2) / FOCAL**2)
        for n, (aside, height) in enumerate(places):
            top = seen(aside, height)
            assert 20 < top.sum() < 1000
            np.testing.assert_array_equal(top & (ids[n, ..., 0] != 1), False)  # sides of the cube may be seen beside it
            np.testing.assert_allclose(depth[n][top], EYE - height - SIDE / 2, atol=1e-4)
            np.testing.assert_allclose(along[n], depth[n] * slant, rtol=1e-5)
            np.testing.assert_allclose(normal[n][top], np.tile([0.0, 0.0, 1.0], (top.sum(), 1)), atol=1e-6)
            below = ids[n, ..., 0] == 0
            assert below.sum() > 0.7 * below.size
            np.testing.assert_allclose(depth[n][below], EYE, atol=1e-4)

    check([((0.0, 0.0), 5.0)] * count)
    pose = host(cube.data.root_pose_w).copy()
    start = pose[:, :2].copy()
    places = [((0.3 * n - 0.2, 0.4 - 0.3 * n), 4.0 + n) for n in range(count)]
    for n, (aside, height) in enumerate(places):
        pose[n, :2], pose[n, 2] = start[n] + aside, height
    cube.write_root_pose_to_sim(pose)
    for each in (one, frozen):
        each.update(DT)
    check(places)
    np.testing.assert_array_equal(host(frozen.data.output["distance_to_image_plane"]), still)
    assert one.num_rays == WIDTH * HEIGHT
    assert host(one.frame).tolist() == [2] * count


def test_rays_of_a_camera_turn_with_its_prim(caplog: pytest.LogCaptureFixture) -> None:
    pattern = patterns.PinholeCameraPatternCfg.from_intrinsic_matrix(INTRINSICS, WIDTH, HEIGHT)
    with caplog.at_level(logging.WARNING):
        cfg = MultiMeshRayCasterCameraCfg(
            prim_path="/World/post", mesh_prim_paths=["/World/ground"], pattern_cfg=pattern, ray_alignment="yaw"
        )
    assert cfg.ray_alignment == "base" and "ray_alignment='yaw'" in caplog.text
    assert cfg.class_type is MultiMeshRayCasterCamera
