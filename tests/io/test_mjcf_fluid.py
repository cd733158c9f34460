"""Fluids around the bodies of MJCF files, against MuJoCo and against drag as formulas have it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from mjcf_files import save
from oracles import host
from oracles.mjcf_oracle import MjcfOracle, mj

import phalanx as px
from phalanx.maths.arrays import rotate, rotation_vector

BODIES = """
<body name="arm" pos="0 0 1"><joint name="a" axis="0 1 0"/>
  <geom type="box" size=".1 .2 .3" pos=".2 .1 0" euler="17 11 6" density="500"/>
  <body name="fore" pos=".5 0 0"><joint name="b" type="ball"/>
    <geom type="capsule" size=".05 .2" pos="0 0 -.2" density="800"/>
    <body name="tip" pos="0 0 -.4" euler="23 0 11"><geom type="ellipsoid" size=".1 .06 .03" pos=".05 0 0"/></body>
    <body name="slide"><joint name="c" type="slide" axis="1 1 0"/>
      <geom type="cylinder" size=".04 .1" pos="0 .1 0"/></body></body></body>
<body name="free" pos="3 0 1" euler="11 22 34"><freejoint name="f"/>
  <geom type="box" size=".1 .2 .3" pos="0 .1 0" density="300"/></body>
<body name="dog" pos="6 0 1"><freejoint name="g"/><geom type="box" size=".3 .2 .1"/>
  <body name="leg" pos=".3 0 0"><joint name="h" axis="0 1 0" armature=".1"/>
    <geom type="box" size=".02 .03 .2" pos="0 0 -.2"/></body></body>
"""
"""A fixed arm with a body fixed to another one, a loose body, a floating robot."""

STEP = 1e-7
MEDIA = {"water": (1000.0, 9e-4), "honey": (1400.0, 8.0), "oil without mass": (0.0, 3.0), "air": (1.2, 1.8e-5)}


def velocities(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """MuJoCo's velocities as ours: of ball joints in the joint's frame, of free bodies in the world's axes."""
    parts = [v[:1], rotate(q[1:5], v[1:4]), v[4:5], v[5:8], rotate(q[9:13], v[8:11]), v[11:14]]
    return np.concatenate([*parts, rotate(q[16:20], v[14:17]), v[17:]])


def now(scene: px.scenes.AddedScene) -> np.ndarray:
    arm, dog, free = scene.robots["arm"], scene.robots["dog"], scene.objects["free"]
    found = [host(part)[0] for part in (arm.joint_vel, free.root_vel, dog.root_vel, dog.joint_vel)]
    return np.concatenate(found)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, device: str) -> tuple[px.World, px.scenes.AddedScene, MjcfOracle]:
    head = f'<option density="1" viscosity="1" wind="1 -2 .5" timestep="{STEP}"><flag contact="disable"/></option>'
    file = save(tmp_path_factory.mktemp("fluid"), BODIES, head)
    world = px.World(device=device, dtype="float64", dt=STEP)
    return world, world.add_mjcf(file), MjcfOracle(file)


@pytest.mark.parametrize("name", MEDIA)
def test_accelerations_are_those_of_mujoco(name: str, made: tuple[px.World, px.scenes.AddedScene, MjcfOracle]) -> None:
    """One short step from random states; bodies that are fixed to others have boxes of their own."""
    world, scene, oracle = made
    density, viscosity = MEDIA[name]
    model, data = oracle.model, oracle.data
    model.opt.density, model.opt.viscosity = density, viscosity
    world[px.components.fluid.FluidBoxModel].density = np.full((7, 1), density)
    world[px.components.fluid.FluidBoxModel].viscosity = np.full((7, 1), viscosity)
    rng = np.random.default_rng(5)
    arm, dog, free = scene.robots["arm"], scene.robots["dog"], scene.objects["free"]
    for _ in range(4):
        q, v = rng.normal(size=model.nq), 2.0 * rng.normal(size=model.nv)
        mj.mj_normalizeQuat(model, q)
        data.qpos[:], data.qvel[:] = q, v
        start = velocities(q, v)
        arm.set_joint_state(np.array([q[0], *rotation_vector(q[1:5]), q[5]]), start[:5])
        free.set_root_state(q[6:13], start[5:11])
        dog.set_root_state(q[13:20], start[11:17])
        dog.set_joint_state(q[20:], start[17:])
        world.step()
        mj.mj_step(model, data)
        ours, theirs = ((end - start) / STEP for end in (now(scene), velocities(data.qpos, data.qvel)))
        assert np.abs(data.qfrc_passive).max() > (0.1 if name == "air" else 10.0), "the fluid does something"
        np.testing.assert_allclose(ours, theirs, atol=2e-6 * np.abs(theirs).max())


FALLING = '<body name="a" pos="0 0 9"><freejoint/><geom type="box" size=".1 .1 .1" density="{}"/></body>'


def falling(folder: Path, density: float, option: str, dt: float, device: str) -> tuple[px.World, px.RigidObject]:
    world = px.World(device=device, dt=dt)
    return world, world.add_mjcf(save(folder, FALLING.format(density), option)).objects["a"]


@pytest.mark.parametrize("dt", [1 / 60, 1 / 200, 1 / 1000])
def test_bodies_fall_at_the_speed_at_which_drag_carries_them(dt: float, tmp_path: Path, device: str) -> None:
    world, box = falling(tmp_path, 2000.0, '<option density="1000"/>', dt, device)
    world.step(round(4.0 / dt))
    expected = math.sqrt(16.0 * 9.81 / (0.5 * 1000.0 * 0.04))  # m g = rho A v^2 / 2
    assert host(box.root_vel)[0, 2] == pytest.approx(-expected, rel=1e-4)


def test_what_is_thick_stays_stable(tmp_path: Path, device: str) -> None:
    world, box = falling(tmp_path, 1.0, '<option density="1e6" viscosity="1e6"/>', 1 / 60, device)
    box.set_root_state(host(box.root_pose)[0], [3.0, -2.0, 1.0, 20.0, 10.0, -5.0])
    speeds = []
    for _ in range(30):
        world.step()
        speeds.append(np.abs(host(box.root_vel)).max())
    assert max(speeds) < 1.0 and speeds[-1] <= 9.81 / 60 + 1e-6 and not world.diverged.size


def test_wind_carries_what_has_no_weight(tmp_path: Path, device: str) -> None:
    option = '<option density="1.2" wind="3 0 -1"><flag gravity="disable"/></option>'
    world, box = falling(tmp_path, 1.0, option, 1 / 200, device)
    world.step(2000)
    wind = np.array([3.0, 0.0, -1.0])
    rate = 0.5 * 1.2 * 0.04 / 0.008  # of u' = -rate |u| u, along each axis of the box
    expected = wind - wind / (1.0 + rate * np.abs(wind) * 10.0)
    np.testing.assert_allclose(host(box.root_vel)[0], [*expected, 0.0, 0.0, 0.0], atol=2e-3)


@pytest.mark.parametrize("flags", ['spring="disable" damper="disable"', 'passive="disable"'])
def test_without_springs_and_dampers_there_is_no_fluid(flags: str, tmp_path: Path, device: str) -> None:
    world, box = falling(tmp_path, 1000.0, f'<option density="1000"><flag {flags}/></option>', 1 / 200, device)
    world.step(40)
    assert host(box.root_vel)[0, 2] == pytest.approx(-9.81 * 0.2, rel=1e-5)


def test_joints_do_not_transmit_what_the_fluid_does(tmp_path: Path, device: str) -> None:
    """A vane hangs still in the wind: its hinge carries its weight and the force of the wind, a body on it its own."""
    world = px.World(device=device, dtype="float64")
    file = save(
        tmp_path,
        """<body name="a" pos="0 0 1"><joint axis="0 1 0" damping="5"/>
        <geom type="box" size=".02 .2 .3" pos="0 0 -.3" density="300"/>
        <body name="b" pos="0 0 -.7"><geom type="box" size=".1 .1 .1" density="100"/></body></body>""",
        '<option density="1.2" wind="8 0 0"/>',
    )
    robot = world.add_mjcf(file).robots["a"]
    world.step(6000)
    mass = {"a": 0.04 * 0.4 * 0.6 * 300.0, "b": 0.8}
    pose = host(robot.body_pose)[0]
    boxes = {"a": (0.04, 0.4, 0.6), "b": (0.2, 0.2, 0.2)}
    force = {}
    for name, sides in boxes.items():
        turned = pose[robot.body_index(name), 3:] * [1, -1, -1, -1]
        wind = rotate(turned, np.array([8.0, 0.0, 0.0]))
        areas = np.prod(sides) / np.array(sides)
        drag = 0.5 * 1.2 * areas * np.abs(wind) * wind
        force[name] = drag + rotate(turned, np.array([0.0, 0.0, -9.81 * mass[name]]))
    wrench = host(robot.incoming_joint_wrench)[0]
    assert np.abs(host(robot.joint_vel)).max() < 1e-9
    np.testing.assert_allclose(wrench[robot.body_index("a"), :3], -force["a"] - force["b"], atol=1e-6)
    np.testing.assert_allclose(wrench[robot.body_index("b"), :3], -force["b"], atol=1e-6)


def test_fluids_are_saved(tmp_path: Path, device: str) -> None:
    world, _ = falling(tmp_path, 900.0, '<option density="1000" viscosity=".1" wind="1 0 0"/>', 1 / 200, device)
    world.step(20)
    world.save(tmp_path / "a.npz")
    other = px.World.load(tmp_path / "a.npz", device)
    for each in (world, other):
        each.step(20)
    ours, theirs = world.state(), other.state()
    assert ours.keys() == theirs.keys()
    assert all(ours[key].tobytes() == theirs[key].tobytes() for key in ours)


def test_only_worlds_with_a_fluid_have_its_systems() -> None:
    world = px.World()
    world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)))
    world.build()
    assert not [system.name for system in world.schedule.systems() if "fluid" in system.name]
