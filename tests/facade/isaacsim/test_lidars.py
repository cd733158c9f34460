"""Lidars against geometry: distances of walls and the ground, columns that turn, and what was hit."""

from __future__ import annotations

import numpy as np
import pytest
from facade.isaacsim.core_scenes import boxes, host, kind

from phalanx.facade import stage
from phalanx.facade.isaacsim.core.api.objects import FixedCuboid
from phalanx.facade.isaacsim.core.cloner import GridCloner
from phalanx.facade.isaacsim.core.prims import SingleXFormPrim
from phalanx.facade.isaacsim.sensors.physx import RotatingLidarPhysX, _range_sensor
from phalanx.facade.omni.kit.commands import execute
from phalanx.io.formats.usd.bindings import Gf, UsdGeom


def walls(half: float = 3.0) -> None:
    """A box of four walls around the z axis, whose inner sides are ``half`` from it."""
    for i, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        place = np.array([x, y, 0]) * (half + 0.05) + [0, 0, 0.5]
        FixedCuboid(
            f"/World/Wall_{i}", position=place, scale=np.array([0.1 if x else 2 * half, 0.1 if y else 2 * half, 1.0])
        )


def test_a_room_seen_all_around(world, backend):
    walls()
    lidar = world.scene.add(RotatingLidarPhysX("/World/lidar", rotation_frequency=0, position=np.array([0, 0, 0.5])))
    world.reset()
    for name in ("depth", "linear_depth", "intensity", "zenith", "azimuth", "point_cloud"):
        getattr(lidar, f"add_{name}_data_to_frame")()
    world.step(render=False)
    frame = lidar.get_current_frame()
    assert frame["physics_step"] == 1 and frame["time"] == pytest.approx(1 / 60)
    assert lidar.get_num_cols() == lidar.get_num_cols_in_last_step() == 360 and lidar.get_num_rows() == 1
    assert kind(frame["linear_depth"]) == backend
    azimuth, far = host(frame["azimuth"]), host(frame["linear_depth"])
    np.testing.assert_allclose(azimuth, np.deg2rad(np.arange(-180, 180)), atol=1e-5)
    assert far.shape == (360, 1)
    expected = 3.0 / np.maximum(np.abs(np.cos(azimuth)), np.abs(np.sin(azimuth)))
    np.testing.assert_allclose(far[:, 0], expected, atol=1e-4)
    np.testing.assert_allclose(host(frame["depth"])[:, 0], np.floor(expected / 2000 * 65535), atol=1)
    assert (host(frame["intensity"]) == 255).all() and host(frame["zenith"]).tolist() == [0.0]
    points = host(frame["point_cloud"])[:, 0]
    np.testing.assert_allclose(points, np.stack([np.cos(azimuth), np.sin(azimuth), 0 * azimuth], -1) * far, atol=1e-4)
    lidar.enable_semantics()
    world.step(render=False)
    told = lidar.get_prim_data()
    assert [told[i] for i in (180, 0, 270, 90)] == [f"/World/Wall_{i}" for i in range(4)]
    lidar.set_world_pose(np.array([1.0, 0.0, 0.5]), np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]))  # looks along y
    world.step(render=False)
    np.testing.assert_allclose(host(frame["linear_depth"])[[180, 270, 90], 0], [3.0, 4.0, 2.0], atol=1e-4)
    lidar.remove_depth_data_from_frame()
    assert "depth" not in lidar.get_current_frame()


def test_nothing_and_what_is_too_near(world):
    boxes(1, "/World/Box_{}", size=0.2)
    lidar = world.scene.add(RotatingLidarPhysX("/World/lidar", rotation_frequency=0, position=np.array([0, 0, 1.0])))
    lidar.set_valid_range((0.4, 50.0))
    world.get_physics_context().set_gravity(0.0)
    world.reset()
    lidar.add_linear_depth_data_to_frame()
    lidar.add_depth_data_to_frame()
    lidar.add_intensity_data_to_frame()
    lidar.add_point_cloud_data_to_frame()
    world.step(render=False)
    frame = lidar.get_current_frame()  # rays begin outside of the box
    assert (frame["linear_depth"] == 50.0).all() and (frame["depth"] == 65535).all() and not frame["intensity"].any()
    np.testing.assert_allclose(np.linalg.norm(frame["point_cloud"], axis=-1), 50.4, rtol=1e-6)
    lidar.pause()
    lidar.set_world_pose(np.array([-1.0, 0.0, 1.0]))
    world.step(render=False)
    assert lidar.is_paused() and frame["linear_depth"].min() == 50.0
    lidar.resume()
    world.step(render=False)
    assert frame["linear_depth"].min() == pytest.approx(0.9, abs=1e-4)


def test_columns_pass_as_it_turns(world):
    """20 turns of 360 columns a second are 120 columns a step of 1/60 s; 7 turns are 42."""
    walls()
    lidar = world.scene.add(RotatingLidarPhysX("/World/lidar", position=np.array([0, 0, 0.5])))
    world.reset()
    lidar.add_azimuth_data_to_frame()
    seen = []
    for _ in range(3):
        world.step(render=False)
        seen.append(host(lidar.get_current_frame()["azimuth"]))
        assert lidar.get_num_cols_in_last_step() == 120
    np.testing.assert_allclose(np.concatenate(seen), np.deg2rad(np.arange(-180, 180)), atol=1e-5)
    lidar.set_rotation_frequency(7)
    count = 0
    for _ in range(60):
        world.step(render=False)
        count += lidar.get_num_cols_in_last_step()
    assert count == 7 * 360
    assert RotatingLidarPhysX("/World/other", rotation_dt=0.1).get_rotation_frequency() == 10
    with pytest.raises(ValueError, match="both be given"):
        RotatingLidarPhysX("/World/third", rotation_dt=0.1, rotation_frequency=10)


def test_rows_on_the_ground_from_a_body(world):
    """A lidar on a box that falls, which looks down by rows."""
    boxes(1, "/World/Box_{}")
    done, prim = execute(
        "RangeSensorCreateLidar",
        path="/lidar",
        parent="/World/Box_0",
        translation=Gf.Vec3d(0.0, 0.0, 0.2),
        rotation_rate=0.0,
        high_lod=True,
        vertical_fov=90.0,
        vertical_resolution=15.0,
        horizontal_resolution=10.0,
        max_range=30.0,
    )
    path = str(prim.GetPath())
    interface = _range_sensor.acquire_lidar_sensor_interface()
    assert done and path == "/World/Box_0/lidar" and interface.is_lidar_sensor(path)
    assert not interface.is_lidar_sensor("/World/Box_0") and interface.get_num_cols("/World/Box_0") == 0
    world.scene.add_ground_plane()
    world.reset()
    for step in range(1, 4):
        world.step(render=False)
        height = 1.2 - 9.81 * step * (step + 1) / 2 / 3600
        zenith = interface.get_zenith_data(path)
        np.testing.assert_allclose(np.rad2deg(zenith), np.arange(-45, 46, 15), atol=1e-4)
        far = interface.get_linear_depth_data(path)
        assert far.shape == (36, 7) and interface.get_depth_data(path).dtype == np.uint16
        np.testing.assert_allclose(far[:, 4:], np.broadcast_to(height / np.sin(zenith[4:]), (36, 3)), rtol=2e-3)
        assert (far[:, :4] == 30.0).all()
        assert (interface.get_intensity_data(path)[:, 4:] == 255).all()
        np.testing.assert_allclose(interface.get_point_cloud_data(path)[:, 4:, 2], -height, rtol=2e-3)
    stage.get_stage().RemovePrim(path)
    assert not interface.is_lidar_sensor(path) and interface.get_linear_depth_data(path).shape == (0, 0)
    with pytest.raises(NotImplementedError, match="no such command"):
        execute("MakeCoffee")


def test_a_lidar_of_each_environment_sees_its_own(world):
    UsdGeom.Xform.Define(stage.get_stage(), "/World/envs/env_0")
    boxes(1, "/World/envs/env_0/Box_{}", size=0.4)
    cloner = GridCloner(spacing=6.0)
    paths = cloner.generate_paths("/World/envs/env", 3)
    RotatingLidarPhysX("/World/envs/env_0/lidar", rotation_frequency=0, position=np.array([-1.0, 0.0, 1.0]))
    cloner.clone("/World/envs/env_0", paths)
    world.get_physics_context().set_gravity(0.0)
    outside = RotatingLidarPhysX(
        "/World/outside", rotation_frequency=0, position=SingleXFormPrim(paths[2]).get_world_pose()[0] + [-2.0, 0, 1]
    )
    world.reset()
    own = [RotatingLidarPhysX(f"{path}/lidar") for path in paths]
    for i, lidar in enumerate([*own, outside]):
        lidar.initialize()
        lidar.add_linear_depth_data_to_frame()
        lidar.enable_semantics()
        world.step(render=False)
        far = lidar.get_current_frame()["linear_depth"]
        assert far[180, 0] == pytest.approx(1.8 if lidar is outside else 0.8, abs=1e-4)
        assert lidar.get_prim_data()[180] == f"{paths[min(i, 2)]}/Box_0"
