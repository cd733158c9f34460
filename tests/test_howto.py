"""The code of the how-tos runs, and does what it says: against an integrated equation, energy, and solid geometry."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from oracles import host
from scipy.integrate import solve_ivp

import phalanx as px
from phalanx.components import DofModel

HOWTO = Path(__file__).resolve().parents[1] / "examples" / "howto"


def example(name: str) -> ModuleType:
    """A how-to's file as a module; systems need to find their source, so it stays known."""
    known = f"howto_{name}"
    if known not in sys.modules:
        spec = importlib.util.spec_from_file_location(known, HOWTO / f"{name}.py")
        assert spec is not None and spec.loader is not None
        sys.modules[known] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[known]


def test_every_howto_has_a_page_and_a_test():
    pages = Path(__file__).resolve().parents[1] / "docs" / "howto"
    for file in HOWTO.glob("*.py"):
        assert f"<!-- code: examples/howto/{file.name} -->" in (pages / f"{file.stem}.md").read_text()
        assert f'example("{file.stem}")' in Path(__file__).read_text()


def test_stribeck_friction(device: str):
    friction = example("friction")
    inertia, coulomb, static, speed = 0.02, 0.02, 0.05, 1.0
    world = px.World(num_envs=3, dt=0.001, dtype="float64", device=device)
    robot = world.add_robot(friction.wheel(inertia), fixed_base=True)
    friction.add_stribeck(world)
    friction.set_stribeck(robot, coulomb, static, speed)
    start = np.array([2.0, 4.0, -6.0])
    robot.set_joint_state(vel=start[:, None])
    world.step(1500)

    def slowing(_: float, v: np.ndarray) -> np.ndarray:
        force = coulomb + (static - coulomb) * np.exp(-((v / speed) ** 2))
        return -np.sign(v) * np.where(np.abs(v) > 1e-3, force, 0.0) / inertia

    expected = solve_ivp(slowing, (0.0, 1.5), start, rtol=1e-9, atol=1e-9, max_step=1e-3).y[:, -1]
    np.testing.assert_allclose(host(robot.joint_vel)[:, 0], expected, atol=5e-3)
    assert abs(expected[0]) < 1e-2 < 2 < abs(expected[1]), "one has come to rest, the others have not"

    world.reset()
    robot.set_targets(effort=[[0.9 * static], [1.1 * static], [-0.9 * static]])
    world.step(300)
    moved = np.abs(host(robot.joint_pos)[:, 0]) > 1e-6
    assert moved.tolist() == [False, True, False], "static friction holds what is less, and no more"
    assert host(world.live(DofModel.friction)).shape[1] == 3


def test_work_sensor(device: str):
    sensor = example("sensor")
    world = px.World(num_envs=3, dt=0.001, substeps=2, dtype="float64", device=device)
    robot = world.add_robot(sensor.wheel(0.02), fixed_base=True)
    meter = sensor.WorkSensor(robot)
    robot.set_targets(effort=[[0.01], [-0.02], [0.04]])
    world.step(500)
    energy = 0.5 * 0.02 * host(robot.joint_vel) ** 2
    np.testing.assert_allclose(host(meter.work), energy, rtol=2e-3)  # the last velocity counts, not the mean
    np.testing.assert_allclose(host(meter.power), [[0.01], [-0.02], [0.04]] * host(robot.joint_vel), rtol=1e-6)
    assert "Work.done" in world.state() and "Work.power" not in world.state()
    meter.reset(-1)
    assert host(meter.work)[2] == 0.0 and host(meter.work)[0] > 0.0


@pytest.mark.parametrize(("lower", "upper", "height"), [(0.1, 0.15, 0.3), (0.1, 0.0, 0.2)])
def test_frustum(lower: float, upper: float, height: float):
    frustum = example("shape").frustum
    world = px.World(dtype="float64")
    world.add_ground()
    density, start = 500.0, (0.0, 0.0, 0.55 * height)
    body = world.add_rigid_object(frustum(lower, upper, height), "frustum", density=density, position=start)
    radius = lower + (upper - lower) * np.linspace(0.0, 1.0, 20001)
    area = math.pi * radius**2
    z = np.linspace(-0.5, 0.5, 20001) * height
    mass = density * np.trapezoid(area, z)
    middle = density * np.trapezoid(area * z, z) / mass
    about = density * np.trapezoid(0.5 * math.pi * radius**4, z)
    assert host(body.mass)[0] == pytest.approx(mass, rel=1e-6)
    np.testing.assert_allclose(host(body.body_com)[0, 0], np.array([0.0, 0.0, float(middle)]), atol=1e-6)
    assert host(body.body_inertia)[0, 0, 2, 2] == pytest.approx(about, rel=5e-3), "corners stand out a little"
    world.step(100)
    assert host(body.root_pose)[0, 2] == pytest.approx(0.5 * height, abs=2e-4), "it stands on its lower end"
    hits = world.queries.raycast([1.0, 0.0, 0.5 * height], [-1.0, 0.0, 0.0])
    assert 1.0 - host(hits.distance)[0, 0] == pytest.approx(0.5 * (lower + upper), rel=1e-2)
    with pytest.raises(ValueError, match="must be positive"):
        frustum(-1.0, 1.0, 1.0)
