"""Names with an underscore in Isaac Lab's assets that public tasks and subclasses read, write and override."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facade.sensor_scenes import box, environments, pendulum
from oracles import host

from phalanx.facade import physics_events, stage, wheel
from phalanx.facade.isaaclab.assets import RigidObject, RigidObjectCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext

DT = 0.01
DATA = ("articulation", "deformable_object", "rigid_object", "rigid_object_collection")


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=DT))
    SimulationContext.clear_instance()
    physics_events.clear()


@pytest.mark.parametrize("name", DATA)
def test_buffers_of_isaac_lab(name: str) -> None:
    """Each buffer that the wheel's source makes is there, and stands for a property of the class."""
    found = wheel.source()
    if found is None:
        pytest.skip("Isaac Lab's wheel is not installed")
    text = (found.folder / "isaaclab/isaaclab/assets" / name / f"{name}_data.py").read_text()
    names = set(re.findall(r"self\.(_\w+) = TimestampedBuffer\(\)", text))
    module = importlib.import_module(f"phalanx.facade.isaaclab.assets.{name}.{name}_data")
    (kind,) = (one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__)
    assert len(names) > 8
    assert [one for one in sorted(names) if not hasattr(kind, one) or not hasattr(kind, one[1:])] == []


def test_time_of_data(sim: SimulationContext, tmp_path: Path) -> None:
    """Factory's tasks compare the data's time with when they computed last."""
    environments(2)
    falling, robot = box("box", (0.0, 3.0, 9.0)), pendulum(tmp_path)
    sim.reset()
    for data in (falling.data, robot._data):
        assert data._sim_timestamp == 0.0
        for _ in range(3):
            data.update(DT)
        assert data._sim_timestamp == pytest.approx(3 * DT)


def test_values_are_read_anew_where_scripts_say_so(sim: SimulationContext, tmp_path: Path) -> None:
    """What goes past the asset's writers is seen after a buffer's time was set back, as in Isaac Lab."""
    environments(2)
    falling, robot = box("box", (0.0, 3.0, 9.0)), pendulum(tmp_path)
    sim.reset()
    data = falling.data
    before = host(data.root_state_w).copy()
    joints = host(robot.data.joint_pos).copy()
    poses = host(falling._root_physx_view.get_transforms()).copy()
    poses[:, 2] += 1.0
    falling._root_physx_view.set_transforms(poses, np.arange(2))
    robot._root_physx_view.set_dof_positions(joints + 0.25, np.arange(2))
    np.testing.assert_array_equal(host(data.root_state_w), before)
    np.testing.assert_array_equal(host(robot.data.joint_pos), joints)
    data._root_state_w.timestamp = robot.data._joint_pos.timestamp = 1.0  # newer than now: as they are
    np.testing.assert_array_equal(host(data.root_state_w), before)
    data._root_state_w.timestamp = robot.data._joint_pos.timestamp = -1.0
    np.testing.assert_allclose(host(data.root_state_w)[:, 2], before[:, 2] + 1.0, rtol=1e-6)
    np.testing.assert_allclose(host(robot.data.joint_pos), joints + 0.25, atol=1e-6)
    np.testing.assert_array_equal(host(data._root_state_w.data), host(data.root_state_w))
    assert data._root_state_w.timestamp == data._sim_timestamp


def test_accelerations_count_from_what_scripts_write(sim: SimulationContext, tmp_path: Path) -> None:
    environments(2)
    robot = pendulum(tmp_path)
    sim.reset()
    data = robot.data
    for _ in range(2):
        sim.step(render=False)
        robot.update(DT)
    np.testing.assert_array_equal(host(data._previous_joint_vel), host(data.joint_vel))
    kept = host(data.joint_vel).copy()
    data._previous_joint_vel[1, 0] = 5.0
    np.testing.assert_array_equal(host(data.joint_vel), kept)
    sim.step(render=False)
    robot.update(DT)
    counted = kept.copy()
    counted[1, 0] = 5.0
    np.testing.assert_allclose(host(data.joint_acc), (host(data.joint_vel) - counted) / DT, rtol=1e-4, atol=1e-3)


class Told(RigidObject):
    """Overrides and assigns what public subclasses of Isaac Lab's assets do."""

    def __init__(self, cfg: RigidObjectCfg) -> None:
        self.told: list[str] = []
        super().__init__(cfg)

    def _initialize_impl(self) -> None:
        super()._initialize_impl()
        self.told.append(f"play {type(self._physics_sim_view).__name__}")
        self._ALL_INDICES = "mine"
        self._device = self.device

    def _initialize_callback(self, event: Any) -> None:
        super()._initialize_callback(event)

    def _invalidate_initialize_callback(self, event: Any) -> None:
        super()._invalidate_initialize_callback(event)
        self._physics_sim_view = None
        self.told.append("stop")


def test_callbacks_of_subclasses(sim: SimulationContext) -> None:
    environments(2)
    one = Told(box("box", (0.0, 0.0, 9.0)).cfg.replace(spawn=None))
    sim.reset()
    assert one.told == ["play SimulationView"] and one._ALL_INDICES == "mine" and one._device == sim.device
    sim.stop()
    assert one.told[1:] == ["stop"] and not one.is_initialized and one._physics_sim_view is None
    one._clear_callbacks()
    sim.reset()
    assert len(one.told) == 2 and not one.is_initialized


def test_stopping_does_not_hold_scripts(sim: SimulationContext) -> None:
    assert sim._app_control_on_stop_handle is None and not sim._disable_app_control_on_stop_handle
