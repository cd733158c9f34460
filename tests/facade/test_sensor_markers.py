"""What sensors show: markers on the stage where they measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from facade.sensor_scenes import G, box, environments, ground
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab.sensors import (
    ContactSensor,
    ContactSensorCfg,
    FrameTransformer,
    FrameTransformerCfg,
    Imu,
    ImuCfg,
    OffsetCfg,
    RayCaster,
    RayCasterCamera,
    RayCasterCameraCfg,
    RayCasterCfg,
    patterns,
)
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.io.formats.usd.bindings import UsdGeom
from phalanx.maths.arrays import matrix

DT = 1 / 200
ENV = "/World/envs/env_.*"


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=DT))
    SimulationContext.clear_instance()
    physics_events.clear()


def test_markers_are_where_sensors_measure(sim: SimulationContext) -> None:
    """Of a cube that rests and one that falls, in two environments."""
    environments(2)
    ground()
    cubes = [box("resting", (0.0, 0.0, 0.1)), box("falling", (1.0, 0.0, 9.0))]
    turned = ImuCfg.OffsetCfg(rot=(0.5, 0.5, 0.5, 0.5))
    imu = Imu(ImuCfg(prim_path=f"{ENV}/resting", debug_vis=True, offset=turned))
    touch = ContactSensor(ContactSensorCfg(prim_path=f"{ENV}/.*ing", debug_vis=True))
    target = FrameTransformerCfg.FrameCfg(prim_path=f"{ENV}/falling", offset=OffsetCfg(pos=(0.0, 0.0, 0.5)))
    frames = FrameTransformer(FrameTransformerCfg(prim_path=f"{ENV}/resting", target_frames=[target], debug_vis=True))
    down = patterns.GridPatternCfg(resolution=0.1, size=(0.1, 0.0))
    scan = RayCaster(
        RayCasterCfg(prim_path=f"{ENV}/falling", mesh_prim_paths=["/World/ground"], pattern_cfg=down, debug_vis=True)
    )
    beside = RayCasterCameraCfg.OffsetCfg(pos=(0.0, 2.0, 3.0), rot=(0.0, 1.0, 0.0, 0.0), convention="ros")  # looks down
    camera = RayCasterCamera(
        RayCasterCameraCfg(
            prim_path=f"{ENV}/falling",
            mesh_prim_paths=["/World/ground"],
            pattern_cfg=patterns.PinholeCameraPatternCfg(width=1, height=1),
            offset=beside,
        )
    )
    sensors: list[Any] = [imu, touch, frames, scan, camera]
    sim.reset()
    for step in range(40):
        sim.step(render=False)
        for one in (*cubes, *sensors):
            one.update(DT)
        if step == 38:
            assert host(camera.data.output["distance_to_image_plane"]).all()  # measured before it is shown
            camera.set_debug_vis(True)
        if step == 39:
            sim.render()
    shown = {one: UsdGeom.PointInstancer(sim.stage.GetPrimAtPath(one._visualizer.prim_path)) for one in sensors}
    at = [host(cube.data.root_pos_w) for cube in cubes]
    places = np.array(shown[touch].GetPositionsAttr().Get())
    np.testing.assert_allclose(places, np.stack(at, axis=1).reshape(4, 3), atol=1e-5)
    assert list(shown[touch].GetProtoIndicesAttr().Get()) == [0, 1, 0, 1]
    places = np.array(shown[frames].GetPositionsAttr().Get())
    np.testing.assert_allclose(places, np.stack([at[0], at[1] + [0, 0, 0.5]], axis=1).reshape(4, 3), atol=1e-5)
    np.testing.assert_allclose(np.array(shown[imu].GetPositionsAttr().Get()), at[0] + [0, 0, 0.1], atol=1e-5)
    places = np.array(shown[scan].GetPositionsAttr().Get())
    expected = [[x + side, y, 0.0] for x, y, _ in at[1] for side in (-0.05, 0.05)]
    np.testing.assert_allclose(places, expected, atol=1e-5)
    places = np.array(shown[camera].GetPositionsAttr().Get())
    np.testing.assert_allclose(places, at[1] * [1, 1, 0] + [0, 2, 0], atol=1e-5)
    for turn, scale in zip(shown[imu].GetOrientationsAttr().Get(), shown[imu].GetScalesAttr().Get(), strict=True):
        ahead = matrix(np.array([turn.GetReal(), *turn.GetImaginary()], float))[:, 0]
        np.testing.assert_allclose(ahead, [0, 0, 1], atol=5e-3)  # the stage keeps halves
        np.testing.assert_allclose(scale, [1, 1, 1], atol=0.02)
    for one in sensors:
        assert one.has_debug_vis_implementation and one.set_debug_vis(False)
        assert not one._visualizer.is_visible()
    assert np.linalg.norm(host(imu.data.lin_acc_b)[0]) == pytest.approx(G, rel=0.02)
