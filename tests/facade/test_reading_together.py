"""What scripts read after each update is read by one program; nobody can tell but by the time it takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.actuators import DCMotorCfg
from phalanx.facade.isaaclab.assets import Articulation, ArticulationCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.readers import LENT, UserReader
from phalanx.facade.shared_device import shares_memory
from phalanx.io.formats import library
from phalanx.io.formats.usd import write_robot

DT = 0.005
COUNT = 3
READ = ("joint_pos", "root_pos_w", "root_lin_vel_b", "projected_gravity_b", "joint_vel")


@pytest.fixture
def robot(tmp_path: Path, device: str, api: str) -> Iterator[tuple[SimulationContext, Articulation]]:
    """Quadrupeds that spin in the air, and a simulation that has learnt what is read."""
    path = tmp_path / "quadruped.usd"
    write_robot(library.load_robot("quadruped", visuals=False, warn=False), path)
    stage.new_stage()
    sim = SimulationContext(SimulationCfg(device=device, dt=DT))
    for i in range(COUNT):
        sim_utils.create_prim(f"/World/envs/env_{i}", "Xform", translation=(3.0 * i, -1.0, 0.0))
    motor = DCMotorCfg(
        joint_names_expr=[".*"], stiffness=30.0, damping=0.5, effort_limit=20.0, saturation_effort=25.0,
        velocity_limit=30.0,
    )  # fmt: skip
    cfg = ArticulationCfg(
        prim_path="/World/envs/env_.*/robot",
        spawn=sim_utils.UsdFileCfg(usd_path=str(path)),
        init_state=ArticulationCfg.InitialStateCfg(pos=(0.0, 0.0, 5.0), joint_pos={".*thigh.*": 0.7, ".*calf.*": -1.4}),
        actuators={"legs": motor},
    )
    made = Articulation(cfg)
    sim.reset()
    made.write_root_velocity_to_sim(np.tile([1.0, 0.0, 0.0, 3.0, -8.0, 5.0], (COUNT, 1)))
    for _ in range(2):
        go_on(sim, made)
        read(made)
    yield sim, made
    SimulationContext.clear_instance()
    physics_events.clear()


def go_on(sim: SimulationContext, robot: Articulation) -> None:
    robot.write_data_to_sim()
    sim.step(render=False)
    robot.update(DT)


def read(robot: Articulation) -> dict[str, np.ndarray]:
    return {name: host(getattr(robot.data, name)).copy() for name in READ}


def reads_by_kernels(robot: Articulation) -> bool:
    """Not so where users' arrays are NumPy's and the world is on a GPU: each value is read by itself."""
    return shares_memory(robot.root_physx_view.world)


def one_by_one(robot: Articulation) -> dict[str, np.ndarray]:
    """What a new reader finds of each, with nothing known of what is read otherwise."""
    found = {}
    for name in READ:
        robot.data.update(0.0)
        robot.data._together._expected = frozenset()
        found[name] = host(getattr(robot.data, name)).copy()
    return found


def test_one_program_reads_what_was_read_before(robot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sim, quadruped = robot
    counted: list[int] = []
    real = UserReader.read
    monkeypatch.setattr(UserReader, "read", lambda self: counted.append(len(self._readings)) or real(self))
    go_on(sim, quadruped)
    together = read(quadruped)
    by_kernels = reads_by_kernels(quadruped)
    assert counted == [3] * by_kernels  # joints, roots, and what follows from roots
    for name, value in one_by_one(quadruped).items():
        np.testing.assert_array_equal(together[name], value, name)
    assert len(counted) == (1 + len(READ)) * by_kernels


def test_less_is_read_once_less_is_asked_for(robot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sim, quadruped = robot
    counted: list[int] = []
    real = UserReader.read
    monkeypatch.setattr(UserReader, "read", lambda self: counted.append(len(self._readings)) or real(self))
    for _ in range(3):
        go_on(sim, quadruped)
        _ = quadruped.data.joint_pos
    by_kernels = reads_by_kernels(quadruped)
    assert counted == [3, 1, 1] * by_kernels
    go_on(sim, quadruped)  # nothing is read: expectations stay
    go_on(sim, quadruped)
    _ = quadruped.data.joint_vel
    assert counted == [3, 1, 1, 1] * by_kernels


def test_what_was_read_ahead_does_not_count_after_a_step(robot: Any) -> None:
    sim, quadruped = robot
    go_on(sim, quadruped)
    joints = host(quadruped.data.joint_pos).copy()  # and all else is read ahead
    for _ in range(5):
        sim.step(render=False)
    down = host(quadruped.data.projected_gravity_b).copy()
    np.testing.assert_array_equal(host(quadruped.data.joint_pos), joints)  # was read, so that it stays
    expected = one_by_one(quadruped)
    np.testing.assert_array_equal(down, expected["projected_gravity_b"])
    assert np.abs(expected["joint_pos"] - joints).max() > 1e-4


def test_what_was_read_ahead_does_not_count_after_a_write_behind_its_back(robot: Any) -> None:
    sim, quadruped = robot
    go_on(sim, quadruped)
    _ = quadruped.data.joint_pos
    poses = np.tile([0.0, 0.0, 9.0, 0.6, 0.0, 0.0, 0.8], (COUNT, 1))  # x y z w
    quadruped.root_physx_view.set_root_transforms(poses, np.arange(COUNT))
    np.testing.assert_allclose(host(quadruped.data.root_pos_w)[:, 2], 9.0, atol=1e-5)
    tilt = host(quadruped.data.projected_gravity_b)
    np.testing.assert_allclose(tilt, np.tile([0.0, -0.96, -0.28], (COUNT, 1)), atol=1e-5)


def test_other_directions_that_count_as_down_hold_at_once(robot: Any) -> None:
    sim, quadruped = robot
    go_on(sim, quadruped)
    _ = quadruped.data.joint_pos
    up = quadruped.data.GRAVITY_VEC_W * -1.0
    before = host(quadruped.data.root_quat_w).copy()
    quadruped.data.GRAVITY_VEC_W = up
    found = host(quadruped.data.projected_gravity_b).copy()
    quadruped.data.GRAVITY_VEC_W = up * -1.0
    quadruped.data.update(0.0)
    np.testing.assert_array_equal(found, -host(quadruped.data.projected_gravity_b))
    np.testing.assert_array_equal(before, host(quadruped.data.root_quat_w))


def test_values_of_a_step_stay_while_later_ones_are_read(robot: Any) -> None:
    sim, quadruped = robot
    kept = []
    for _ in range(3):
        go_on(sim, quadruped)
        kept.append({name: getattr(quadruped.data, name) for name in READ})
    seen = [{name: host(value).copy() for name, value in one.items()} for one in kept]
    for _ in range(2):
        go_on(sim, quadruped)
        read(quadruped)
    for one, values in zip(seen, kept, strict=True):
        for name, value in values.items():
            np.testing.assert_array_equal(one[name], host(value))
    assert np.abs(seen[0]["joint_vel"] - seen[2]["joint_vel"]).max() > 0.0


def address(value: Any) -> int:
    """Where an array's memory begins."""
    if hasattr(value, "data_ptr"):
        return value.data_ptr()
    return value.data.ptr if hasattr(value.data, "ptr") else value.ctypes.data


def test_memory_is_lent_until_nobody_has_any_of_it(robot: Any) -> None:
    sim, quadruped = robot
    if not reads_by_kernels(quadruped):
        pytest.skip("values are read one by one")

    def speeds() -> Any:
        go_on(sim, quadruped)
        return quadruped.data.joint_vel

    _ = speeds(), speeds()  # from now on joints are read alone
    first = address(speeds())
    assert address(speeds()) == first, "what nobody has is written anew"
    kept = speeds()[1:, 3]
    before = host(kept).copy()
    later = [speeds() for _ in range(2 * LENT)]
    addresses = [address(one) for one in later]
    assert len({first, *addresses}) == 1 + len(later)
    np.testing.assert_array_equal(host(kept), before)
    values = [host(one).copy() for one in later]
    del kept
    assert address(speeds()) == first
    later[0][...] = 7.0  # theirs: nobody else sees it
    for one, value in zip(later[1:], values[1:], strict=True):
        np.testing.assert_array_equal(host(one), value)
    del later, one
    found = host(speeds()).copy()
    quadruped.data.update(0.0)
    np.testing.assert_array_equal(found, one_by_one(quadruped)["joint_vel"])


def test_what_is_read_outlives_its_reader_and_the_world(robot: Any) -> None:
    sim, quadruped = robot
    go_on(sim, quadruped)
    kept = quadruped.data.joint_vel
    before = host(kept).copy()
    assert np.abs(before).max() > 0.0
    quadruped.data._together._readers.clear()
    for _ in range(3):
        go_on(sim, quadruped)
        read(quadruped)
    np.testing.assert_array_equal(host(kept), before)
