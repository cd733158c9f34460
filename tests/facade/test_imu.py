"""Inertial measurement units against formulas: falling, resting, spinning off the middle, on a pendulum."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facade.sensor_scenes import ARM, BOB, ROD_INERTIA, G, box, environments, ground, pendulum
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.sensors import Imu, ImuCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.maths.arrays import matrix

DT = 1 / 400
COM = (0.02, -0.01, 0.03)
OFFSET, TURN = (0.3, 0.1, -0.2), (0.8, 0.0, 0.6, 0.0)
ALONG = 0.9
SHAPES = {
    "pos_w": (3,),
    "quat_w": (4,),
    "projected_gravity_b": (3,),
    "lin_vel_b": (3,),
    "ang_vel_b": (3,),
    "lin_acc_b": (3,),
    "ang_acc_b": (3,),
}


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=DT))
    SimulationContext.clear_instance()
    physics_events.clear()


def imu(name: str, pos: Any = (0.0, 0.0, 0.0), rot: Any = (1.0, 0.0, 0.0, 0.0), **more: Any) -> Imu:
    return Imu(ImuCfg(prim_path=f"/World/envs/env_.*/{name}", offset=ImuCfg.OffsetCfg(pos=pos, rot=rot), **more))


def swing(angle: float, seconds: float, steps: int) -> np.ndarray:
    """(3,): angle, rate and acceleration of the pendulum after a time, by Runge and Kutta's method in fine steps."""

    def rate(y: np.ndarray) -> np.ndarray:
        return np.array([y[1], -BOB * G * ARM * np.sin(y[0]) / (ROD_INERTIA + BOB * ARM**2)])

    y, h = np.array([angle, 0.0]), seconds / steps
    for _ in range(steps):
        a = rate(y)
        b = rate(y + h / 2 * a)
        c = rate(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))
    return np.array([*y, rate(y)[1]])


@pytest.mark.parametrize("count", [1, 7])
def test_what_they_read(sim: SimulationContext, count: int, tmp_path: Path) -> None:
    """One stage for all: each environment's body spins at another speed, each pendulum begins at another angle."""
    environments(count)
    ground()
    flying, resting = box("flying", (0.0, 0.0, 50.0), com=COM), box("resting", (0.0, -2.0, 0.1))
    hanging = pendulum(tmp_path)
    inside = imu("flying", COM)
    outside = imu("flying", OFFSET, TURN)
    still, unbiased = imu("resting", OFFSET, TURN), imu("resting", gravity_bias=(0.0, 0.0, 0.0))
    on_arm = imu("Pendulum/arm", (0.0, 0.0, -ALONG), (0.5, 0.5, 0.5, 0.5))
    sensors = (inside, outside, still, unbiased, on_arm)
    sim.reset()
    spin = np.linspace(1.0, 4.0, count)
    velocity = np.zeros((count, 6), np.float32)
    velocity[:, 0], velocity[:, 5] = 2.0, spin
    flying.write_root_com_velocity_to_sim(velocity)
    angle = np.linspace(1.2, 0.2, count)
    hanging.write_joint_state_to_sim(angle[:, None], np.zeros((count, 1)))
    for sensor in sensors:
        sensor.reset()
        assert sensor.num_instances == count
        assert {name: tuple(getattr(sensor.data, name).shape) for name in SHAPES} == {
            name: (count, *shape) for name, shape in SHAPES.items()
        }
    np.testing.assert_allclose(host(inside.data.lin_acc_b), [[0, 0, G]] * count, atol=1e-6)
    for step in range(1, 61):
        sim.step()
        for one in (flying, resting, hanging):
            one.write_data_to_sim()
            one.update(DT)
        for sensor in sensors:
            sensor.update(DT, force_recompute=True)
        if step in (1, 2, 60):
            middle = (step - 0.5) * DT  # accelerations are those of the step
            fall(inside, outside, spin, step * DT, middle, host(flying.data.root_link_pose_w))
            check_pendulum(on_arm, angle, step * DT, middle)
    np.testing.assert_allclose(host(still.data.lin_acc_b), [matrix(np.array(TURN)).T @ [0, 0, G]] * count, atol=0.02)
    np.testing.assert_allclose(host(unbiased.data.lin_acc_b), np.zeros((count, 3)), atol=0.02)
    view = flying.root_physx_view
    np.testing.assert_array_equal(host(view.get_com_positions()), host(view.get_coms())[:, :3])
    np.testing.assert_allclose(host(still.data.ang_vel_b), np.zeros((count, 3)), atol=1e-3)


def fall(inside: Imu, outside: Imu, spin: np.ndarray, now: float, middle: float, pose: np.ndarray) -> None:
    """In the middle of what falls and spins nothing is felt; elsewhere what pulls it round."""
    np.testing.assert_allclose(host(inside.data.lin_acc_b), np.zeros((len(spin), 3)), atol=0.01 * G)
    assert (np.abs(host(inside.data.ang_acc_b)) < 0.01 * spin[:, None] ** 2).all()
    turn, data = matrix(np.array(TURN)), outside.data
    for i, rate in enumerate(spin):
        body, between = about_z(rate * now), about_z(rate * middle)
        arm = body @ (np.array(OFFSET) - COM)
        pull = -(rate**2) * (between @ (np.array(OFFSET) - COM)) * [1, 1, 0]
        np.testing.assert_allclose(host(data.lin_acc_b)[i], turn.T @ body.T @ pull, atol=0.01 * max(rate**2 * 0.3, 1.0))
        np.testing.assert_allclose(host(data.ang_vel_b)[i], turn.T @ [0, 0, rate], atol=0.01 * rate)
        moving = np.array([2.0, 0.0, -G * now]) + np.cross([0, 0, rate], arm)
        np.testing.assert_allclose(host(data.lin_vel_b)[i], turn.T @ body.T @ moving, atol=0.01 * rate)
        np.testing.assert_allclose(host(data.projected_gravity_b)[i], turn.T @ [0, 0, -1], atol=0.01)
        frame = matrix(pose[i, 3:].astype(float))
        np.testing.assert_allclose(host(data.pos_w)[i], pose[i, :3] + frame @ OFFSET, atol=2e-5)
        np.testing.assert_allclose(matrix(host(data.quat_w)[i].astype(float)), frame @ turn, atol=1e-5)


def about_z(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def check_pendulum(on_arm: Imu, angles: np.ndarray, now: float, middle: float) -> None:
    """Along the arm gravity's part and the centripetal force, across it what is missing to free fall."""
    sensor = matrix(np.array([0.5, 0.5, 0.5, 0.5]))  # its axes in the arm's frame
    for i, first in enumerate(angles):
        at, rate, acc = swing(first, middle, 200)
        # About y, the joint turns z to x: the sensor hangs at -ALONG (sin, 0, cos).
        along, across = np.array([np.sin(at), 0, np.cos(at)]), np.array([np.cos(at), 0, -np.sin(at)])
        felt = -ALONG * (acc * across - rate**2 * along) + [0, 0, G]
        later = swing(first, now, 200)
        body = np.array([[np.cos(later[0]), 0, np.sin(later[0])], [0, 1, 0], [-np.sin(later[0]), 0, np.cos(later[0])]])
        np.testing.assert_allclose(host(on_arm.data.lin_acc_b)[i], sensor.T @ body.T @ felt, atol=0.01 * G)
        np.testing.assert_allclose(host(on_arm.data.ang_acc_b)[i], sensor.T @ [0, acc, 0], atol=0.01 * G / ARM)
        np.testing.assert_allclose(host(on_arm.data.ang_vel_b)[i], sensor.T @ [0, later[1], 0], atol=0.03)


def test_resets_periods_and_missing_prims(sim: SimulationContext) -> None:
    """Some units are reset; the others go on bit by bit. A reset forgets velocities: no jolt where states are set."""
    environments(3)
    flying = box("flying", (0.0, 0.0, 50.0))
    often, seldom = imu("flying", OFFSET), imu("flying", OFFSET, update_period=4 * DT)
    sim.reset()
    flying.write_root_com_velocity_to_sim(np.array([[1.0, 0, 0, 0, 0, 4.0]] * 3))

    def steps(n: int) -> None:
        for _ in range(n):
            sim.step()
            often.update(DT)
            seldom.update(DT)

    steps(8)
    before = {name: host(getattr(often.data, name)).copy() for name in SHAPES}
    np.testing.assert_allclose(host(seldom.data.lin_vel_b), before["lin_vel_b"], rtol=1e-6)
    often.reset([1])
    after = {name: host(getattr(often.data, name)) for name in SHAPES}
    for name in SHAPES:
        np.testing.assert_array_equal(after[name][[0, 2]], before[name][[0, 2]])
    np.testing.assert_allclose(after["lin_acc_b"][1], [0, 0, G], atol=1e-6)  # no time has passed since
    flying.write_root_com_velocity_to_sim(np.array([[90.0, 0, 0, 0, 0, 0]]), [1])
    steps(1)
    np.testing.assert_allclose(host(often.data.lin_acc_b)[1], [0, 0, 0], atol=1e-2)
    kept = seldom.data.lin_acc_b
    steps(2)
    np.testing.assert_array_equal(host(seldom.data.lin_acc_b), host(kept))  # 3 of 4 steps
    steps(1)
    assert (host(seldom.data.lin_vel_b)[0] != before["lin_vel_b"][0]).any()
    # the mean of four steps: 4 rad/s turn by 0.04 rad meanwhile, to a chord's sine
    pull = np.linalg.norm(host(seldom.data.lin_acc_b)[[0, 2], :2], axis=1)
    np.testing.assert_allclose(pull, 16 * np.hypot(*OFFSET[:2]), rtol=0.01)


def test_wrong_prims(sim: SimulationContext) -> None:
    environments(2)
    sim_utils.create_prim("/World/envs/env_0/frame", "Xform")
    sensor = imu("frame")
    with pytest.raises(RuntimeError, match=r"</World/envs/env_0/frame> is no rigid body"):
        sim.reset()
    del sensor
    sensor = imu("nothing")
    with pytest.raises(RuntimeError, match="there is no such prim"):
        sim.reset()
    assert not sensor.is_initialized
    with pytest.raises(RuntimeError, match=r"call sim.reset\(\) first"):
        assert sensor.data
    with pytest.raises(ValueError, match="history_length=-1"):
        imu("nothing", history_length=-1)
