"""Tendons: forces against MuJoCo, equilibria, frequencies, limits, what they do to joints, and what is refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from actuation.joints import MASS, RADIUS, hinge, slider
from oracles import host

import phalanx as px
from phalanx.models.robot_model import Body, Joint, RobotModel

mj: Any = mujoco  # its type information does not cover what it binds

G = 9.81

MJCF = """
<mujoco>
  <option timestep="1e-6" gravity="0 0 -9.81"/>
  <worldbody>
    <site name="s0" pos="0.1 0.05 0.2"/>
    <body name="one" pos="0 0 0.1">
      <inertial pos="0.1 0 0.2" mass="2" diaginertia="0.02 0.03 0.04"/>
      <joint name="a" type="hinge" axis="0 1 0"/>
      <site name="s1" pos="0.05 -0.02 0.25"/>
      <body name="two" pos="0 0 0.4">
        <inertial pos="0 0.1 0.1" mass="1" diaginertia="0.01 0.02 0.01"/>
        <joint name="b" type="hinge" axis="1 0 0"/>
        <site name="s2" pos="0 0.1 0.2"/>
        <body name="three" pos="0 0 0.3">
          <inertial pos="0 0 0.1" mass="0.5" diaginertia="0.01 0.01 0.01"/>
          <joint name="c" type="slide" axis="0 0 1"/>
          <site name="s3" pos="0.1 0 0.1"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="f" stiffness="80" damping="3" springlength="0.3">
      <joint joint="a" coef="0.5"/> <joint joint="b" coef="-0.2"/> <joint joint="c" coef="2"/>
    </fixed>
    <spatial name="p" stiffness="120" damping="5" springlength="0.4">
      <site site="s0"/> <site site="s1"/> <site site="s2"/>
    </spatial>
    <spatial name="q" stiffness="120" damping="5" springlength="0.6">
      <site site="s0"/> <site site="s1"/> <site site="s3"/>
    </spatial>
  </tendon>
</mujoco>
"""


def three_joints() -> RobotModel:
    """The robot of :data:`MJCF`."""
    bodies = [
        Body("base", 1.0),
        Body("one", 2.0, (0.1, 0, 0.2), np.diag([0.02, 0.03, 0.04])),
        Body("two", 1.0, (0, 0.1, 0.1), np.diag([0.01, 0.02, 0.01])),
        Body("three", 0.5, (0, 0, 0.1), np.diag([0.01, 0.01, 0.01])),
    ]
    joints = [
        Joint("a", "revolute", "base", "one", (0, 0, 0.1), axis=(0.0, 1.0, 0.0)),
        Joint("b", "revolute", "one", "two", (0, 0, 0.4), axis=(1.0, 0.0, 0.0)),
        Joint("c", "prismatic", "two", "three", (0, 0, 0.3), axis=(0.0, 0.0, 1.0)),
    ]
    return RobotModel("three_joints", bodies, joints)


def tree(**options: Any) -> px.SpatialTendon:
    """The spatial tendons of :data:`MJCF` as one with two leaves."""
    points = [
        px.Attachment("base", (0.1, 0.05, 0.2)),
        px.Attachment("one", (0.05, -0.02, 0.25), parent=0),
        px.Attachment("two", (0.0, 0.1, 0.2), parent=1, rest_length=0.4),
        px.Attachment("three", (0.1, 0.0, 0.1), parent=1, rest_length=0.6),
    ]
    return px.SpatialTendon("tree", points, **options)


def test_lengths_and_forces_against_mujoco(device: str) -> None:
    """In ten random states: lengths to rounding, and accelerations, which the forces make, to 1e-4."""
    world = px.World(10, device, "float64", dt=1e-6)
    fixed = px.FixedTendon("f", {"a": 0.5, "b": -0.2, "c": 2.0}, stiffness=80.0, damping=3.0, rest_length=0.3)
    robot = world.add_robot(three_joints(), fixed_base=True, tendons=[fixed, tree(stiffness=120.0, damping=5.0)])
    rng = np.random.default_rng(3)
    q, qd = rng.uniform(-0.8, 0.8, (10, 3)), rng.normal(size=(10, 3))
    robot.set_joint_state(q, qd)
    lengths = np.concatenate([host(robot.fixed_tendon_length), host(robot.spatial_tendon_length)], axis=1)
    world.step()
    acceleration = host(robot.joint_acc)
    force = np.concatenate([host(robot.fixed_tendon_force), host(robot.spatial_tendon_force)], axis=1)
    model = mj.MjModel.from_xml_string(MJCF)
    data = mj.MjData(model)
    for e in range(10):
        data.qpos[:], data.qvel[:] = q[e], qd[e]
        mj.mj_forward(model, data)
        np.testing.assert_allclose(lengths[e], data.ten_length, atol=1e-12)
        expected = model.tendon_stiffness * (model.tendon_lengthspring[:, 0] - data.ten_length)
        expected -= model.tendon_damping * data.ten_velocity
        np.testing.assert_allclose(force[e], expected, rtol=5e-4)
        np.testing.assert_allclose(acceleration[e], data.qacc, atol=1e-4 * np.abs(data.qacc).max())


def test_equilibria_of_a_fixed_tendon(device: str) -> None:
    """c k (rest - c q) = m g r sin q, from soft to so stiff that explicit springs would explode, also by the offset."""
    stiffness = np.array([50.0, 500.0, 1e5, 1e8])
    coefficient, offset = 0.4, 0.05
    world = px.World(4, device, "float64", dt=0.01)
    tendon = px.FixedTendon("f", {"hinge": coefficient}, damping=1.0, rest_length=0.3, offset=0.1)
    robot = world.add_robot(hinge(damping=2.0), fixed_base=True, tendons=[tendon])
    robot.set_fixed_tendons(stiffness=stiffness[:, None], offset=offset, damping=np.sqrt(stiffness)[:, None])
    np.testing.assert_array_equal(host(robot.fixed_tendon_stiffness)[:, 0], stiffness)
    assert (host(robot.fixed_tendon_rest_length) == 0.3).all()
    world.step(3000)
    q = host(robot.joint_pos)[:, 0]
    effort = coefficient * stiffness * (0.3 - offset - coefficient * q)
    weight = MASS * G * RADIUS * np.sin(q)  # about +y, hanging down at 0
    np.testing.assert_allclose(effort, weight, rtol=1e-4)
    np.testing.assert_allclose(coefficient * host(robot.fixed_tendon_force)[:, 0], weight, rtol=1e-6)
    np.testing.assert_allclose(host(robot.fixed_tendon_length)[:, 0], coefficient * q + offset, atol=1e-12)


def test_frequency_damping_and_limits(device: str) -> None:
    """A cart on a spring: its frequency within 0.1 %, the decay of its damper; stopped by springs, and hard."""
    dt = 5e-4
    world = px.World(4, device, "float64", dt=dt, gravity=(0.0, 0.0, 0.0))
    tendon = px.FixedTendon("f", {"slider": 2.0}, rest_length=0.0)
    robot = world.add_robot(slider(), fixed_base=True, tendons=[tendon])
    robot.set_fixed_tendons(
        stiffness=[[50.0], [50.0], [0.0], [0.0]],
        damping=[[0.0], [1.0], [0.0], [0.0]],
        limit_stiffness=[[0.0], [0.0], [400.0], [np.inf]],
        pos_limits=[[-0.5, 0.5]],
    )
    robot.set_joint_state(pos=[[0.2], [0.2], [0.0], [0.0]])
    robot.set_targets(effort=[[0.0], [0.0], [3.0], [3.0]])
    path, speed = [], []
    for _ in range(4000):
        world.step()
        path.append(host(robot.joint_pos)[:, 0])
        speed.append(host(robot.joint_vel)[:, 0])
    path = np.array(path)
    for e, damping in ((0, 0.0), (1, 1.0)):
        decay = 4 * damping / (2 * MASS)
        omega = np.sqrt(4 * 50.0 / MASS - decay**2)
        down = np.flatnonzero((path[:-1, e] > 0) & (path[1:, e] <= 0))
        exact = dt * (down + path[down, e] / (path[down, e] - path[down + 1, e]))
        assert np.diff(exact).mean() == pytest.approx(2 * np.pi / omega, rel=1e-3)
        peaks = [path[i:j, e].max() for i, j in pairwise(down)]
        rate = decay + omega**2 * dt / 2  # implicit Euler's own damping
        assert np.log(peaks[0] / peaks[-1]) / (exact[-2] - exact[0]) == pytest.approx(rate, rel=0.03)
    # 3 N against 2 * 400 N/m * (2 q - 0.5): it swings about the equilibrium, from the limit at 0.25 on
    assert path[:, 2].max() > 0.25 + 3.0 / 1600.0
    assert path[:, 3].max() < 0.25 + 1e-9
    assert path[-1, 3] == pytest.approx(0.25, abs=1e-9)
    robot.set_drive(damping=200.0)
    world.step(20000)
    np.testing.assert_allclose(host(robot.joint_pos)[2:, 0], [0.25 + 3.0 / 1600.0, 0.25], atol=1e-6)
    np.testing.assert_allclose(host(robot.fixed_tendon_force)[2:, 0], -1.5, rtol=1e-4)


def test_cable_holds_a_beam(device: str) -> None:
    """An inextensible cable from above to a beam's tip: its tension and the hinge's wrench by statics; geared too."""
    length, height = 2 * RADIUS, 0.5
    way = np.hypot(length, height)
    world = px.World(2, device, "float64", dt=0.002)
    points = [
        px.Attachment("base", (0.0, 0.0, height)),
        px.Attachment("rod", (length, 0.0, 0.0), coefficient=3.0, parent=0, upper=3.0 * way),
    ]
    rod = Body("rod", MASS, (RADIUS, 0.0, 0.0), 0.05 * np.eye(3))
    model = RobotModel("beam", [Body("base", 1.0), rod], [Joint("hinge", "revolute", "base", "rod", axis=(0, 1, 0))])
    robot = world.add_robot(model, fixed_base=True, tendons=[px.SpatialTendon("cable", points, limit_stiffness=np.inf)])
    assert host(robot.spatial_tendon_rest_length) == pytest.approx(3.0 * way)
    robot.set_joint_state(vel=[[0.0], [-1.0]])  # the second swings up and falls into the cable
    world.step(3000)
    assert host(robot.joint_pos) == pytest.approx(0.0, abs=1e-6)
    pull = np.array([-length, 0.0, height]) / way
    tension = MASS * G * RADIUS / (length * pull[2])
    np.testing.assert_allclose(host(robot.spatial_tendon_force)[:, 0], -tension / 3.0, rtol=1e-5)
    wrench = host(robot.incoming_joint_wrench)
    hold = np.array([0, 0, MASS * G]) - tension * pull
    np.testing.assert_allclose(wrench[:, 1, :3], [hold, hold], atol=1e-3)
    np.testing.assert_allclose(wrench[:, 1, 3:], 0.0, atol=1e-3)
    np.testing.assert_allclose(wrench[:, 0, :3], [[0, 0, (MASS + 1.0) * G]] * 2, atol=1e-3)


def test_same_bits_alone_among_others_and_from_a_file(tmp_path: Path, device: str) -> None:
    def build(count: int) -> px.World:
        world = px.World(count, device)
        fixed = px.FixedTendon("f", {"a": 0.5, "b": -0.2}, stiffness=80.0, limit_stiffness=300.0, lower=-0.1, upper=0.2)
        world.add_robot(three_joints(), fixed_base=True, tendons=[fixed, tree(stiffness=20.0, damping=1.0)])
        return world

    many, one = build(40), build(1)
    many.robots["robot"].set_joint_state(vel=np.linspace(-2, 2, 40)[:, None])
    one.robots["robot"].set_joint_state(vel=np.linspace(-2, 2, 40)[31])
    many.robots["robot"].set_fixed_tendons(stiffness=90.0, env_ids=[31])
    one.robots["robot"].set_fixed_tendons(stiffness=90.0)
    many.step(200)
    one.step(100)
    one.save(tmp_path / "world")
    again = px.World.load(tmp_path / "world", device)
    model = again.robots["robot"].model
    assert model.fixed_tendons == one.robots["robot"].model.fixed_tendons
    assert model.spatial_tendons == one.robots["robot"].model.spatial_tendons
    again.step(100)
    alone, among = again.state(), many.state()
    for key in ("Coordinate.value", "DofState.velocity", "TendonState.impulse"):
        np.testing.assert_array_equal(alone[key][..., 0], among[key][..., 31], err_msg=key)
    assert np.abs(alone["TendonState.impulse"]).max() > 0
    again.reset()
    assert np.abs(again.state()["TendonState.impulse"]).max() == 0


@pytest.mark.parametrize(
    ("tendon", "message"),
    [
        (px.FixedTendon("f", {"a": 1.0, "z": 1.0}), "there is no joint 'z'; there are a, b, c"),
        (px.FixedTendon("f", {}), "needs at least one joint"),
        (px.FixedTendon("f", {"a": 1.0}, stiffness=-1.0), "stiffness=-1.0: must not be negative"),
        (px.FixedTendon("f", {"a": 1.0}, lower=1.0, upper=0.0), "lower=1.0 must not be above upper=0.0"),
        (px.FixedTendon("f", {"a": np.nan}), "must be finite"),
        (px.SpatialTendon("s", [px.Attachment("base")]), "needs at least two attachments"),
        (px.SpatialTendon("s", [px.Attachment("base"), px.Attachment("nose", parent=0)]), "there is no body 'nose'"),
        (px.SpatialTendon("s", [px.Attachment("base"), px.Attachment("one", parent=1)]), "must come after its parent"),
    ],
)
def test_what_is_no_tendon(tendon: Any, message: str) -> None:
    world = px.World()
    with pytest.raises(ValueError) as raised:
        world.add_robot(three_joints(), fixed_base=True, tendons=[tendon])
    assert message in str(raised.value)
    assert not world.robots


def test_properties_of_tendons_by_environment(device: str) -> None:
    """What is set is read, by tendon and by leaf, and makes the forces: stiffness times what is missing of the rest."""
    world = px.World(3, device, "float64", dt=1e-6)
    fixed = px.FixedTendon("f", {"a": 0.5, "b": -0.2, "c": 2.0}, rest_length=0.3)
    points = [px.Attachment("base"), px.Attachment("two", (0.0, 0.1, 0.2), parent=0, rest_length=0.4)]
    robot = world.add_robot(
        three_joints(), fixed_base=True, tendons=[fixed, tree(), px.SpatialTendon("rope", points, damping=2.0)]
    )
    assert robot.fixed_tendon_names == ["f"] and robot.spatial_tendon_names == ["tree", "rope"]
    assert robot.spatial_tendon_leaves == [("tree", 2), ("tree", 3), ("rope", 1)]
    assert host(robot.spatial_tendon_damping).tolist() == [[0.0, 2.0]] * 3
    assert host(robot.spatial_tendon_pos_limits).tolist() == [[[-np.inf, np.inf]] * 3] * 3
    robot.set_fixed_tendons(damping=[[1.0], [2.0], [3.0]], limit_stiffness=np.inf, offset=0.1, pos_limits=[-1.0, 1.0])
    assert host(robot.fixed_tendon_damping).tolist() == [[1.0], [2.0], [3.0]]
    assert (host(robot.fixed_tendon_limit_stiffness) == np.inf).all() and (host(robot.fixed_tendon_offset) == 0.1).all()
    assert host(robot.fixed_tendon_pos_limits).tolist() == [[[-1.0, 1.0]]] * 3
    stiffness, rest = np.array([[50.0, 10.0], [60.0, 20.0], [70.0, 30.0]]), np.array([0.3, 0.5, 0.2])
    robot.set_spatial_tendons(stiffness=stiffness, damping=0.0, rest_length=rest, offset=[0.01, 0.02])
    robot.set_spatial_tendons(limit_stiffness=7.0, pos_limits=[[0.0, 9.0]] * 3, env_ids=[1])
    np.testing.assert_array_equal(host(robot.spatial_tendon_stiffness), stiffness)
    assert not host(robot.spatial_tendon_damping).any()
    assert host(robot.spatial_tendon_rest_length).tolist() == [rest.tolist()] * 3
    assert host(robot.spatial_tendon_offset).tolist() == [[0.01, 0.02]] * 3
    assert host(robot.spatial_tendon_limit_stiffness).tolist() == [[0.0, 0.0], [7.0, 7.0], [0.0, 0.0]]
    assert host(robot.spatial_tendon_pos_limits)[1].tolist() == [[0.0, 9.0]] * 3
    length = host(robot.spatial_tendon_length)
    world.step()
    expected = stiffness[:, [0, 0, 1]] * (rest - length)
    np.testing.assert_allclose(host(robot.spatial_tendon_force), expected, rtol=1e-3)


def test_bad_properties_of_tendons() -> None:
    world = px.World(2)
    robot = world.add_robot(three_joints(), fixed_base=True, tendons=[px.FixedTendon("f", {"a": 1.0})])
    with pytest.raises(ValueError, match="lower one must not be above"):
        robot.set_fixed_tendons(pos_limits=[1.0, -1.0])
    with pytest.raises(ValueError, match="fixed tendon damping is negative"):
        robot.set_fixed_tendons(damping=-1.0)
    with pytest.raises(ValueError, match="must broadcast to"):
        robot.set_fixed_tendons(damping=[1.0, 2.0])
    assert host(robot.spatial_tendon_length).shape == (2, 0)
