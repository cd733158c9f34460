"""What sensors have in common: when they measure, periods, resets, places in scenes, hooks for showing, lifetimes."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from facade.sensor_scenes import box, environments
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.assets import RigidObjectCfg
from phalanx.facade.isaaclab.scene import InteractiveScene, InteractiveSceneCfg
from phalanx.facade.isaaclab.sensors import ImuCfg, SensorBase, SensorBaseCfg
from phalanx.facade.isaaclab.sensors.prims import NotAlike, of_instances
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaaclab.utils import configclass

DT = 0.01
BOX = "/World/envs/env_.*/box"


class Clock(SensorBase):
    """Measures what its own clocks show, and counts who has it measure."""

    def __init__(self, cfg: SensorBaseCfg) -> None:
        self.asked: list[list[int]] = []
        self.shown = 0
        super().__init__(cfg)

    @property
    def data(self) -> np.ndarray:
        self._check_initialized()
        self._update_outdated_buffers()
        return self.times

    def _initialize_impl(self) -> None:
        super()._initialize_impl()
        self.times = np.full(self._num_envs, -1.0)

    def _update_buffers_impl(self, env_ids: Any) -> None:
        ids = host(env_ids).astype(int)
        self.asked.append(ids.tolist())
        self.times[ids] = host(self._timestamp)[ids]


class ShownClock(Clock):
    """One that can be shown."""

    def _set_debug_vis_impl(self, debug_vis: bool) -> None:
        self.visible = debug_vis

    def _debug_vis_callback(self, event: Any) -> None:
        self.shown += 1


@configclass
class ClockCfg(SensorBaseCfg):
    class_type: Any = Clock


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=DT))
    SimulationContext.clear_instance()
    physics_events.clear()


def test_sensors_of_users_need_no_prim_of_their_own(sim: SimulationContext) -> None:
    """Only prims above count: there is one sensor for each."""
    environments(3)
    falling = box("box", (0.0, 0.0, 9.0))
    clock = Clock(ClockCfg(prim_path=f"{BOX}/clock"))
    sim.reset()
    assert falling.is_initialized and clock.num_instances == 3


def test_it_measures_when_somebody_looks(sim: SimulationContext) -> None:
    environments(3)
    falling = box("box", (0.0, 0.0, 9.0))
    sensor = Clock(ClockCfg(prim_path=BOX))
    assert not sensor.is_initialized and "not initialized" in str(sensor)
    sim.reset()
    assert sensor.is_initialized and falling.is_initialized and sensor.num_instances == 3
    assert sensor.device == sim.device and "3 instances" in str(sensor)
    assert sensor.asked == []
    np.testing.assert_array_equal(sensor.data, [0.0] * 3)
    for _ in range(3):
        sensor.update(DT)
    assert sensor.asked == [[0, 1, 2]]
    np.testing.assert_allclose(sensor.data, [3 * DT] * 3)
    np.testing.assert_allclose(sensor.data, [3 * DT] * 3)
    assert len(sensor.asked) == 2
    sensor.update(DT, force_recompute=True)
    assert len(sensor.asked) == 3
    sensor.reset([2, 0])
    np.testing.assert_allclose(sensor.data, [0.0, 4 * DT, 0.0])
    assert sensor.asked[-1] == [0, 2]
    ids: list[Any] = [np.array([], np.int64), slice(1, 2)]
    for some in ids:
        sensor.reset(some)
    np.testing.assert_allclose(sensor.data, [0.0, 0.0, 0.0])
    assert sensor.asked[-1] == [1]
    with pytest.raises(IndexError):
        sensor.reset([3])
    sim.stop()
    for call in (lambda: sensor.data, lambda: sensor.update(DT), lambda: sensor.reset(), lambda: sensor.num_instances):
        with pytest.raises(RuntimeError, match=r"call sim.reset\(\) first"):
            call()
    sim.reset()
    assert host(sensor.data).tolist() == [0.0] * 3


def test_periods_are_kept_for_each_environment(sim: SimulationContext) -> None:
    """Every fifth step, although sums of steps are not quite multiples of the period; a reset starts anew."""
    environments(2)
    falling = box("box", (0.0, 0.0, 9.0))
    sensor = Clock(ClockCfg(prim_path=BOX, update_period=5 * DT))
    sim.reset()
    assert falling.is_initialized
    assert not sensor.data.any()
    measured = []
    for step in range(1, 101):
        sensor.update(DT)
        if step == 12:
            sensor.reset([1])
        measured.append(sensor.data.copy())
    first, second = np.array(measured).T
    np.testing.assert_allclose(first, (np.arange(1, 101) // 5) * 5 * DT, atol=1e-12)
    np.testing.assert_allclose(second[:11], first[:11], atol=1e-12)
    np.testing.assert_allclose(second[11:], (np.arange(0, 89) // 5) * 5 * DT, atol=1e-12)
    with_history = Clock(ClockCfg(prim_path=BOX, update_period=3 * DT, history_length=2))
    sim.reset()
    for _ in range(7):
        with_history.update(DT)
    assert len(with_history.asked) == 3  # at once, and when it was due


def test_what_is_shown_is_measured_at_each_update(sim: SimulationContext) -> None:
    environments(2)
    falling = box("box", (0.0, 0.0, 9.0))
    sensor, plain = ShownClock(ClockCfg(prim_path=BOX, debug_vis=True)), Clock(ClockCfg(prim_path=BOX, debug_vis=True))
    assert sensor.has_debug_vis_implementation and sensor.visible
    assert not plain.has_debug_vis_implementation and not plain.set_debug_vis(True)
    sim.reset()
    assert falling.is_initialized
    sim.step()
    sensor.update(DT)
    plain.update(DT)
    assert (len(sensor.asked), len(plain.asked), sensor.shown) == (1, 0, 1)
    sim.step(render=False)
    assert sensor.shown == 1 and sensor.set_debug_vis(False) and not sensor.visible
    sim.step()
    sensor.update(DT)
    assert (len(sensor.asked), sensor.shown) == (1, 1)
    sensor.set_debug_vis(True)
    gone = weakref.ref(sensor)
    del sensor
    gc.collect()
    assert gone() is None
    sim.step()
    sim.reset()
    assert plain.is_initialized


@pytest.mark.parametrize("lazy", [True, False])
def test_scenes_have_sensors(sim: SimulationContext, lazy: bool) -> None:
    spawner = sim_utils.CuboidCfg(size=(0.2, 0.2, 0.2), rigid_props=sim_utils.RigidBodyPropertiesCfg())

    @configclass
    class SceneCfg(InteractiveSceneCfg):
        box = RigidObjectCfg(prim_path="{ENV_REGEX_NS}/box", spawn=spawner)
        clock = ClockCfg(prim_path="{ENV_REGEX_NS}/box")
        imu = ImuCfg(prim_path="{ENV_REGEX_NS}/box")

    scene = InteractiveScene(SceneCfg(num_envs=4, env_spacing=2.0, lazy_sensor_update=lazy))
    assert list(scene.sensors) == ["clock", "imu"] and scene["clock"] is scene.sensors["clock"]
    assert scene.keys() == ["terrain", "box", "clock", "imu"] and scene["clock"].cfg.prim_path == BOX
    sim.reset()
    for _ in range(3):
        scene.write_data_to_sim()
        sim.step()
        scene.update(DT)
    assert len(scene["clock"].asked) == (0 if lazy else 3)
    np.testing.assert_allclose(scene["clock"].data, 3 * DT)
    scene.reset([1])
    np.testing.assert_allclose(scene["clock"].data, np.array([3, 0, 3, 3]) * DT)
    assert "clock" not in scene.get_state()["rigid_object"]
    np.testing.assert_allclose(host(scene["imu"].data.lin_acc_b)[0], [0.0, 0.0, 0.0], atol=1e-3)


def test_prims_of_instances(sim: SimulationContext) -> None:
    """Whose prims belong to which instance: by what paths have in common, else in order, else to all."""
    for env in range(2):
        for robot in range(2):
            for part in ("base", "hand"):
                sim_utils.create_prim(f"/World/envs/env_{env}/Robot_{robot}/{part}", "Xform")
        for cube in range(2):
            sim_utils.create_prim(f"/World/envs/env_{env}/Cube_{cube}", "Xform")
    sim_utils.create_prim("/World/table", "Xform")
    for i in range(4):
        sim_utils.create_prim(f"/World/box_{i}", "Xform")
    own = "/World/envs/env_.*/Robot_.*/base"
    parents = [f"/World/envs/env_{e}/Robot_{r}" for e in range(2) for r in range(2)]

    def found(expression: str) -> list[list[str]]:
        return of_instances("test", own, parents, expression)

    assert found("/World/envs/env_.*/Robot_.*/hand") == [[f"{parent}/hand"] for parent in parents]
    cubes = [[f"/World/envs/env_{e}/Cube_0", f"/World/envs/env_{e}/Cube_1"] for e in (0, 0, 1, 1)]
    assert found("/World/envs/env_.*/Cube_.*") == cubes
    assert found("/World/table") == [["/World/table"]] * 4
    assert found("/World/box_.*") == [[f"/World/box_{i}"] for i in range(4)]
    assert found("/World/none") == [[]] * 4
    sim_utils.create_prim("/World/envs/env_1/Cube_2", "Xform")
    with pytest.raises(NotAlike, match="stands for 2, 3"):
        found("/World/envs/env_.*/Cube_.*")


def test_scripts_may_change_clocks(sim: SimulationContext) -> None:
    """Clocks by Isaac Lab's names are arrays of the user's that a sensor heeds, with or without an update between."""
    environments(3)
    falling = box("box", (0.0, 0.0, 9.0))
    sensor = Clock(ClockCfg(prim_path=BOX, update_period=5 * DT))
    sim.reset()
    assert falling.is_initialized and not sensor.data.any()
    clock, last, due = sensor._timestamp, sensor._timestamp_last_update, sensor._is_outdated
    assert [tuple(one.shape) for one in (clock, last, due)] == [(3,)] * 3 and "float32" in str(clock.dtype)
    sensor.update(DT)
    assert sensor._timestamp is clock  # the same array all along
    np.testing.assert_allclose(host(clock), [DT] * 3, rtol=1e-6)
    due[1] = True
    np.testing.assert_allclose(sensor.data, [0.0, DT, 0.0], rtol=1e-6)
    assert sensor.asked[-1] == [1] and not host(due).any()
    np.testing.assert_allclose(host(last), [0.0, DT, 0.0], rtol=1e-6)
    clock[2] = 1.0
    sensor.update(DT)
    np.testing.assert_allclose(sensor.data, [0.0, DT, 1.0 + DT], rtol=1e-6)
    sensor._timestamp_last_update[:] = sensor._timestamp
    sensor.update(4 * DT)  # less than a period since
    assert sensor.asked[-1] == [2] and not host(due).any()
    sensor._is_outdated |= True
    sensor._timestamp += 2.0
    assert len(sensor.data) == 3 and sensor.asked[-1] == [0, 1, 2]
    np.testing.assert_allclose(sensor.times, [6 * DT + 2.0, 6 * DT + 2.0, 3.0 + 5 * DT], rtol=1e-6)
    sensor.reset([0])
    np.testing.assert_allclose(host(clock), [0.0, 6 * DT + 2.0, 3.0 + 5 * DT], rtol=1e-6)
    assert host(due).tolist() == [True, False, False]
