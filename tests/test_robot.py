"""The user's handle on a robot: names, shapes and broadcasting, poses and velocities, wrenches, every sort of joint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles import host
from oracles.base import rotation

import phalanx as px
from phalanx.components import LinkInertia
from phalanx.models.robot_model import Body, Joint, Mimic, RobotModel

ENVS = 3


def body(name: str, mass: float = 1.0, com: tuple[float, float, float] = (0.05, 0.02, 0.1)) -> Body:
    return Body(name, mass, com, np.diag([0.02, 0.03, 0.04]) * mass)


def tree() -> RobotModel:
    """A root with two branches, written depth-first; fixed joints at its root, in its middle and at a tip.

    root ─ left ─ left_tool (fixed) ─ left_tip
         └ plate (fixed) ─ right ─ camera (fixed)
    """
    turned = (np.cos(0.3), 0.0, np.sin(0.3), 0.0)
    joints = [
        Joint("left_hip", "revolute", "root", "left", (0.1, 0.2, 0.0), turned, axis=(0.0, 1.0, 0.0), lower=-2, upper=2),
        Joint("left_weld", "fixed", "left", "left_tool", (0.0, 0.1, 0.3), turned),
        Joint("left_slide", "prismatic", "left_tool", "left_tip", (0.0, 0.0, 0.2), axis=(0.6, 0.0, 0.8)),
        Joint("weld", "fixed", "root", "plate", (0.0, -0.2, 0.05), (np.cos(0.5), np.sin(0.5), 0.0, 0.0)),
        Joint("right_hip", "continuous", "plate", "right", (0.0, -0.1, 0.0), axis=(0.0, 0.6, -0.8)),
        Joint("mount", "fixed", "right", "camera", (0.2, 0.0, 0.1), turned),
    ]
    names = ("root", "left", "left_tool", "left_tip", "plate", "right", "camera")
    return RobotModel("tree", [body(name, 0.5 + 0.25 * i) for i, name in enumerate(names)], joints)


def make(
    model: Any = None, device: str = "cpu", dtype: str = "float64", num_envs: int = ENVS, **kwargs: Any
) -> px.Robot:
    settings_ = {key: kwargs.pop(key) for key in ("dt", "gravity", "substeps") if key in kwargs}
    world = px.World(num_envs=num_envs, device=device, dtype=dtype, **settings_)
    robot = world.add_robot(model or tree(), **kwargs)
    world.build()
    return robot


def scatter(robot: px.Robot, seed: int = 0, speed: float = 1.0) -> None:
    """A random state."""
    rng = np.random.default_rng(seed)
    n = robot.world.num_envs
    robot.set_joint_state(rng.uniform(-1, 1, (n, robot.num_dof)), speed * rng.normal(size=(n, robot.num_dof)))
    if not robot.fixed_base:
        robot.set_root_state(rng.normal(size=(n, 7)), speed * rng.normal(size=(n, 6)))


def velocity(robot: px.Robot) -> np.ndarray:
    """Generalised velocities (n, nv)."""
    joints = host(robot.joint_vel)
    return joints if robot.fixed_base else np.concatenate([host(robot.root_vel), joints], axis=1)


# Names.


def test_bodies_and_joints_are_breadth_first() -> None:
    robot = make()
    assert robot.body_names == ["root", "left", "plate", "left_tool", "right", "left_tip", "camera"]
    assert robot.joint_names == ["left_hip", "right_hip", "left_slide"]
    assert (robot.num_dof, robot.num_bodies, robot.num_velocities) == (3, 7, 9)
    assert robot.mass == pytest.approx(sum(b.mass for b in tree().bodies))
    assert robot.joint_index("left_slide") == 2 and robot.body_index("camera") == 6
    assert make(fixed_base=True).num_velocities == 3
    assert repr(robot) == (
        "<Robot 'robot' (tree) in 3 environments: 3 dofs (left_hip, right_hip, left_slide), "
        "7 bodies, 8.75 kg, free base>"
    )


def test_planar_and_spherical_joints_name_their_dofs() -> None:
    robot = make(every_joint())
    assert robot.joint_names == ["hinge", "slide:x", "slide:y", "slide:turn", "ball:rx", "ball:ry", "ball:rz"]
    floating = make(RobotModel("two", [body("a"), body("b")], [Joint("loose", "free", "a", "b")]))
    assert floating.joint_names == [f"loose:{c}" for c in ("x", "y", "z", "rx", "ry", "rz")]


def test_mimic_joints_are_dofs_held_by_a_constraint(device: str) -> None:
    model = tree()
    model.joints[4].mimic = Mimic("left_hip", -2.0, 0.3)
    robot = make(model, device, fixed_base=True, joint_pos={"left_hip": 0.1, "right_hip": 0.1}, dt=0.002)
    assert robot.num_dof == 3
    robot.set_targets(effort=[1.0, 0.0, 0.0])
    robot.world.step(200)
    pos, vel = host(robot.joint_pos), host(robot.joint_vel)
    assert np.abs(pos[:, 0]).min() > 0.05, "it moves"
    np.testing.assert_allclose(pos[:, 1], -2.0 * pos[:, 0] + 0.3, atol=2e-3)
    np.testing.assert_allclose(vel[:, 1], -2.0 * vel[:, 0], atol=2e-2)


# Shapes and broadcasting.


def test_shapes_and_types(device: str) -> None:
    robot = make(device=device, dtype="float32")
    n, d, b, v = ENVS, 3, 7, 9
    shapes = {
        "joint_pos": (n, d),
        "joint_vel": (n, d),
        "joint_acc": (n, d),
        "applied_effort": (n, d),
        "joint_pos_target": (n, d),
        "joint_vel_target": (n, d),
        "joint_effort_target": (n, d),
        "root_pose": (n, 7),
        "root_vel": (n, 6),
        "body_pose": (n, b, 7),
        "body_vel": (n, b, 6),
        "net_contact_force": (n, b, 3),
        "mass_matrix": (n, v, v),
        "bias_force": (n, v),
        "gravity_force": (n, v),
        "jacobian": (n, b, 6, v),
    }
    for name, shape in shapes.items():
        value = getattr(robot, name)
        value = value() if callable(value) else value
        assert value.shape == shape and str(value.dtype) == "float32", name
        assert value.flags.c_contiguous, name


def test_arrays_are_copies(device: str) -> None:
    robot = make(device=device)
    scatter(robot)
    for name in ("joint_pos", "joint_vel", "root_pose", "root_vel", "body_pose", "joint_pos_target"):
        kept = getattr(robot, name)
        before = host(kept)
        kept[...] = 99.0
        assert np.array_equal(host(getattr(robot, name)), before), name
    mine = np.full((ENVS, 3), 0.25)
    robot.set_joint_state(pos=mine)
    robot.set_targets(pos=mine)
    mine[...] = 5.0
    assert np.all(host(robot.joint_pos) == 0.25) and np.all(host(robot.joint_pos_target) == 0.25)
    before = host(robot.joint_pos)
    held = robot.joint_pos
    robot.world.step(3)
    assert np.array_equal(host(held), before), "an array does not change when the world steps"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.5, np.full((3, 3), 0.5)),
        (1, np.ones((3, 3))),
        ([0.1, 0.2, 0.3], np.tile([0.1, 0.2, 0.3], (3, 1))),
        ([[0.1], [0.2], [0.3]], np.repeat([[0.1], [0.2], [0.3]], 3, axis=1)),
        ([[0.1, 0.2, 0.3]], np.tile([0.1, 0.2, 0.3], (3, 1))),
        (np.arange(9, dtype=np.float32).reshape(3, 3), np.arange(9.0).reshape(3, 3)),
        (np.arange(9).reshape(3, 3).T, np.arange(9.0).reshape(3, 3).T),
        (np.arange(9, dtype=np.float16)[::-1].reshape(3, 3), np.arange(9.0)[::-1].reshape(3, 3)),
    ],
    ids=["number", "whole number", "row", "column", "one row", "float32", "transposed", "backwards"],
)
def test_what_broadcasts(value: Any, expected: np.ndarray, device: str) -> None:
    robot = make(device=device)
    robot.set_joint_state(pos=value, vel=value)
    robot.set_targets(pos=value, vel=value, effort=value)
    for name in ("joint_pos", "joint_vel", "joint_pos_target", "joint_vel_target", "joint_effort_target"):
        np.testing.assert_allclose(host(getattr(robot, name)), expected, rtol=1e-15, err_msg=name)


@pytest.mark.parametrize("ids", [[2, 0], (2, 0), np.array([2, 0]), np.array([2, 0], np.uint8)])
def test_env_ids_restrict_and_order(ids: Any, device: str) -> None:
    robot = make(device=device)
    robot.set_joint_state(pos=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], env_ids=ids)
    expected = np.array([[0.4, 0.5, 0.6], [0.0, 0.0, 0.0], [0.1, 0.2, 0.3]])
    np.testing.assert_allclose(host(robot.joint_pos), expected)
    robot.set_targets(effort=7.0, env_ids=1)
    assert host(robot.joint_effort_target)[:, 0].tolist() == [0, 7, 0]
    robot.set_targets(effort=3.0, env_ids=np.array([True, False, True]))
    assert host(robot.joint_effort_target)[:, 1].tolist() == [3, 7, 3]
    robot.set_targets(effort=9.0, env_ids=[])
    assert host(robot.joint_effort_target)[:, 2].tolist() == [3, 7, 3]


@given(data=st.data())
@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read(written: px.Robot, data: st.DataObject) -> None:
    """Any state of any environments, and nothing else changes."""
    numbers = st.floats(-50, 50, width=32)
    ids = data.draw(st.lists(st.integers(0, ENVS - 1), unique=True, min_size=1), label="ids")
    rows = st.lists(numbers, min_size=3, max_size=3)
    pos = np.array([data.draw(rows) for _ in ids])
    before_pos, before_vel = host(written.joint_pos), host(written.joint_vel)
    written.set_joint_state(pos=pos, env_ids=ids)
    after = host(written.joint_pos)
    assert np.array_equal(after[ids], pos)
    others = [i for i in range(ENVS) if i not in ids]
    assert np.array_equal(after[others], before_pos[others]) and np.array_equal(host(written.joint_vel), before_vel)


@pytest.fixture(scope="module")
def written(device: str) -> px.Robot:
    return make(device=device)


def test_root_state(device: str) -> None:
    robot = make(device=device)
    pose = [1.0, 2.0, 3.0, 2.0, 0.0, 0.0, 2.0]
    robot.set_root_state(pose, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], env_ids=[1])
    half = np.sqrt(0.5)
    np.testing.assert_allclose(host(robot.root_pose)[1], [1, 2, 3, half, 0, 0, half], rtol=1e-15)
    np.testing.assert_allclose(host(robot.root_vel)[1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert np.array_equal(host(robot.root_pose)[[0, 2]], np.tile([0, 0, 0, 1, 0, 0, 0], (2, 1)))
    assert np.array_equal(host(robot.body_pose)[:, 0], host(robot.root_pose)), "the root comes first"
    np.testing.assert_allclose(host(robot.body_vel)[:, 0], host(robot.root_vel), atol=1e-15)


def test_fixed_base_can_be_placed_but_not_moved(device: str) -> None:
    robot = make(device=device, fixed_base=True, position=(1, 2, 3))
    robot.set_root_state(pose=[0, 0, 1, 1, 0, 0, 0], env_ids=[0])
    robot.world.step(5)
    assert host(robot.root_pose)[:, 2].tolist() == [1, 3, 3]
    assert not host(robot.root_vel).any()
    with pytest.raises(ValueError, match="robot 'robot' has a fixed base: its root cannot be given a velocity"):
        robot.set_root_state(vel=0.0)


def test_initial_pose_and_joint_positions(device: str) -> None:
    robot = make(device=device, position=(1, 2, 3), orientation=(0, 0, 0, 2), joint_pos={"right_hip": 0.7})
    assert host(robot.root_pose)[0].tolist() == [1, 2, 3, 0, 0, 0, 1]
    assert host(robot.joint_pos)[2].tolist() == [0, 0.7, 0]
    assert host(robot.joint_pos_target)[2].tolist() == [0, 0.7, 0], "targets start where the joints are"
    model = tree()
    model.joints[0].lower = 0.5
    assert host(make(model, device).joint_pos)[0].tolist() == [0.5, 0, 0], "0, or the limit nearest to it"


# Poses, velocities, Jacobians.


def pose_product(a: np.ndarray, joint: Joint, angle: float = 0.0, slide: float = 0.0) -> np.ndarray:
    """Homogeneous pose of a joint's child."""
    axis = np.array(joint.axis)
    s, c = np.sin(angle), np.cos(angle)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    local = np.eye(4)
    local[:3, :3] = rotation(np.array(joint.orientation)) @ (np.eye(3) + s * cross + (1 - c) * cross @ cross)
    local[:3, 3] = np.array(joint.position) + rotation(np.array(joint.orientation)) @ (slide * axis)
    return a @ local


def test_merged_bodies_are_where_the_file_puts_them(device: str) -> None:
    robot = make(device=device)
    scatter(robot, 1)
    root_pose, q, poses = host(robot.root_pose), host(robot.joint_pos), host(robot.body_pose)
    for env in range(ENVS):
        root = np.eye(4)
        root[:3, :3], root[:3, 3] = rotation(root_pose[env, 3:]), root_pose[env, :3]
        known = {"root": root}
        for joint in tree().joints:
            value = q[env, robot.joint_index(joint.name)] if joint.name in robot.joint_names else 0.0
            slide, angle = (value, 0.0) if joint.type == "prismatic" else (0.0, value)
            known[joint.child] = pose_product(known[joint.parent], joint, angle, slide)
        for name, pose in known.items():
            found = poses[env, robot.body_index(name)]
            np.testing.assert_allclose(found[:3], pose[:3, 3], atol=1e-13, err_msg=name)
            np.testing.assert_allclose(rotation(found[3:]), pose[:3, :3], atol=1e-13, err_msg=name)


@pytest.mark.parametrize("fixed_base", [True, False])
@pytest.mark.parametrize("which", ["tree", "every joint"])
def test_velocities_are_rates_and_jacobians_maps(which: str, fixed_base: bool, device: str) -> None:
    """body_vel = J v, and both are the finite difference of poses along the motion."""
    model = tree() if which == "tree" else every_joint()
    h = 1e-6
    robot = make(model, device, fixed_base=fixed_base, dt=h, gravity=(0, 0, 0))
    scatter(robot, 2)
    v = velocity(robot)
    jacobian, found = host(robot.jacobian()), host(robot.body_vel)
    np.testing.assert_allclose(found, np.einsum("nbkv,nv->nbk", jacobian, v), atol=1e-12)
    before = host(robot.body_pose)
    robot.world.step(1)
    after = host(robot.body_pose)
    np.testing.assert_allclose((after - before)[..., :3] / h, found[..., :3], atol=1e-4)
    for env in range(ENVS):
        for b in range(robot.num_bodies):
            turn = rotation(after[env, b, 3:]) @ rotation(before[env, b, 3:]).T
            spin = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / (2 * h)
            np.testing.assert_allclose(spin, found[env, b, 3:], atol=1e-4)


def test_kinetic_energy_of_bodies_is_that_of_the_mass_matrix(device: str) -> None:
    """½ vᵀ M v is the sum over the bodies of the file, merged or not."""
    robot = make(device=device)
    scatter(robot, 3)
    v, poses, motion = velocity(robot), host(robot.body_pose), host(robot.body_vel)
    joint_space = 0.5 * np.einsum("na,nab,nb->n", v, host(robot.mass_matrix()), v)
    bodies = {b.name: b for b in robot.model.bodies}
    total = np.zeros(ENVS)
    for env in range(ENVS):
        for i, name in enumerate(robot.body_names):
            turned, one = rotation(poses[env, i, 3:]), bodies[name]
            linear, angular = motion[env, i, :3], motion[env, i, 3:]
            linear = linear + np.cross(angular, turned @ np.array(one.com))
            inertia = turned @ one.inertia @ turned.T
            total[env] += 0.5 * one.mass * linear @ linear + 0.5 * angular @ inertia @ angular
    np.testing.assert_allclose(joint_space, total, rtol=1e-12)


def test_queries_change_nothing(device: str) -> None:
    def run(ask: bool) -> np.ndarray:
        robot = make(device=device)
        scatter(robot, 4)
        for _ in range(5):
            robot.world.step()
            if ask:
                _ = robot.body_pose, robot.body_vel, robot.mass_matrix(), robot.bias_force()
                _ = robot.gravity_force(), robot.jacobian(), robot.net_contact_force
        return np.concatenate([host(robot.joint_pos), host(robot.root_pose)], axis=1)

    assert run(True).tobytes() == run(False).tobytes()


def test_gravity_force_holds_the_robot_still(device: str) -> None:
    robot = make(device=device, fixed_base=True)
    robot.set_joint_state(np.random.default_rng(1).uniform(-1, 1, (ENVS, 3)))
    robot.set_targets(effort=robot.gravity_force())
    robot.world.step()
    np.testing.assert_allclose(host(robot.joint_acc), 0, atol=1e-10)


# Wrenches.


def test_force_and_torque_on_a_free_body(device: str) -> None:
    """a = F / m + g of the centre of mass, and Euler's equation about it."""
    com = (0.1, -0.2, 0.3)
    one = Body("brick", 2.0, com, np.array([[0.05, 0.01, 0.0], [0.01, 0.06, 0.0], [0.0, 0.0, 0.07]]))
    dt = 1e-6
    robot = make(RobotModel("brick", [one], []), device, dt=dt)
    rng = np.random.default_rng(6)
    robot.set_root_state(rng.normal(size=(ENVS, 7)), rng.normal(size=(ENVS, 6)))
    force, torque = rng.normal(size=(ENVS, 3)), rng.normal(size=(ENVS, 3))
    robot.set_external_wrench(force, torque)
    pose, before = host(robot.root_pose), host(robot.root_vel)
    robot.world.step()
    rate = (host(robot.root_vel) - before) / dt
    for env in range(ENVS):
        turned = rotation(pose[env, 3:])
        inertia, spin = turned @ one.inertia @ turned.T, before[env, 3:]
        angular = np.linalg.solve(inertia, torque[env] - np.cross(spin, inertia @ spin))
        arm = turned @ np.array(com)
        of_com = force[env] / one.mass + np.array([0, 0, -9.81])
        linear = of_com - np.cross(angular, arm) - np.cross(spin, np.cross(spin, arm))
        np.testing.assert_allclose(rate[env], np.concatenate([linear, angular]), rtol=1e-4, atol=1e-4)


def test_wrench_on_a_link_is_the_jacobians_transpose(device: str) -> None:
    """M (a with the wrench − a without) = Jᵀ w, at the link's centre of mass."""
    dt = 1e-6
    force, torque = np.array([3.0, -2.0, 1.0]), np.array([0.2, 0.4, -0.1])

    def after_a_step(pushed: bool) -> tuple[px.Robot, np.ndarray]:
        robot = make(device=device, dt=dt)
        scatter(robot, 7)
        if pushed:
            robot.set_external_wrench(force, torque, body="left_tip")
        robot.world.step()
        return robot, velocity(robot)

    (robot, with_wrench), (_, without) = after_a_step(True), after_a_step(False)
    scatter(robot, 7)
    i = robot.body_index("left_tip")
    jacobian, poses, mass = host(robot.jacobian())[:, i], host(robot.body_pose)[:, i], host(robot.mass_matrix())
    com = np.array(next(b.com for b in robot.model.bodies if b.name == "left_tip"))
    for env in range(ENVS):
        moment = torque + np.cross(rotation(poses[env, 3:]) @ com, force)
        expected = jacobian[env].T @ np.concatenate([force, moment])
        np.testing.assert_allclose(mass[env] @ (with_wrench - without)[env] / dt, expected, atol=1e-4)


# Joints of several dofs in the middle of a tree.


def every_joint() -> RobotModel:
    """hinge, then planar, then spherical, in a chain."""
    turned = (np.cos(0.2), np.sin(0.2), 0.0, 0.0)
    joints = [
        Joint("hinge", "revolute", "base", "a", (0.0, 0.0, 0.2), turned, axis=(0.0, 1.0, 0.0)),
        Joint("slide", "planar", "a", "b", (0.1, 0.0, 0.3), turned, axis=(0.0, 0.6, 0.8)),
        Joint("ball", "spherical", "b", "c", (0.0, 0.1, 0.2), turned),
    ]
    return RobotModel("every joint", [body("base", 2.0), body("a"), body("b", 1.5), body("c")], joints)


def floating_pair() -> RobotModel:
    """A hinge, then a free joint, then another hinge: two bodies that only momentum couples."""
    turned = (np.cos(0.2), np.sin(0.2), 0.0, 0.0)
    joints = [
        Joint("hinge", "revolute", "base", "a", (0.0, 0.0, 0.2), turned, axis=(0.0, 1.0, 0.0)),
        Joint("loose", "free", "a", "b", (0.3, 0.0, 0.3), turned),
        Joint("wrist", "revolute", "b", "c", (0.0, 0.1, 0.2), turned, axis=(1.0, 0.0, 0.0)),
    ]
    return RobotModel("pair", [body("base", 2.0), body("a"), body("b", 1.5), body("c")], joints)


def momentum(robot: px.Robot) -> np.ndarray:
    """Linear and angular momentum about the world's origin, from bodies alone (n, 6)."""
    poses, motion = host(robot.body_pose), host(robot.body_vel)
    total = np.zeros((robot.world.num_envs, 6))
    for i, name in enumerate(robot.body_names):
        one = next(b for b in robot.model.bodies if b.name == name)
        for env in range(len(total)):
            turned = rotation(poses[env, i, 3:])
            spin, arm = motion[env, i, 3:], turned @ np.array(one.com)
            linear = one.mass * (motion[env, i, :3] + np.cross(spin, arm))
            total[env, :3] += linear
            total[env, 3:] += np.cross(poses[env, i, :3] + arm, linear) + turned @ one.inertia @ turned.T @ spin
    return total


def kinetic(robot: px.Robot) -> np.ndarray:
    v = velocity(robot)
    return 0.5 * np.einsum("na,nab,nb->n", v, host(robot.mass_matrix()), v)


@pytest.mark.parametrize("model", [every_joint, floating_pair, tree], ids=lambda model: model.__name__)
def test_momentum_and_energy_without_forces(model: Any, device: str) -> None:
    """A robot adrift keeps its momentum; its kinetic energy drifts only by the integrator's error, linear in dt."""
    errors = []
    for dt, steps in ((1e-3, 200), (5e-4, 400)):
        robot = make(model(), device, dt=dt, gravity=(0, 0, 0))
        scatter(robot, 8)
        robot.set_joint_state(vel=0.5 * np.random.default_rng(9).normal(size=(ENVS, robot.num_dof)))
        before, energy = momentum(robot), kinetic(robot)
        robot.world.step(steps)
        error = np.abs(momentum(robot) - before).max() / np.abs(before).max()
        errors.append((error, (np.abs(kinetic(robot) - energy) / energy).max()))
    assert errors[0][0] < 1e-2 and errors[0][1] < 2e-2, errors
    assert errors[1][0] < 0.7 * errors[0][0] or errors[1][0] < 1e-9, errors
    assert errors[1][1] < 0.7 * errors[0][1] or errors[1][1] < 1e-9, errors


@pytest.mark.parametrize("model", [every_joint, floating_pair], ids=lambda model: model.__name__)
def test_bias_force_is_the_equation_of_motion(model: Any, device: str) -> None:
    """Lagrange: the Coriolis force is d(M v)/dt − ½ ∂(vᵀMv)/∂q, here along the motion: vᵀb = ½ vᵀ(dM/dt)v.

    Holds where velocities are rates of coordinates, and for rotations too, since power is power.
    """
    h = 1e-6
    robot = make(model(), device, fixed_base=True, gravity=(0, 0, 0), dt=h)
    scatter(robot, 10)
    v, bias = velocity(robot), host(robot.bias_force())
    start = host(robot.mass_matrix())
    robot.world.step()
    middle = host(robot.mass_matrix())
    power = 0.5 * np.einsum("na,nab,nb->n", v, (middle - start) / h, v)
    np.testing.assert_allclose(np.einsum("na,na->n", v, bias), power, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("model", [every_joint, floating_pair], ids=lambda model: model.__name__)
def test_multi_dof_joints_fall_as_a_free_body_does(model: Any, device: str) -> None:
    """With all joints loose, the centre of mass of a floating robot falls with g."""
    robot = make(model(), device, dt=1e-3)
    scatter(robot, 11)
    mass = sum(b.mass for b in robot.model.bodies)
    before = momentum(robot)[:, :3]
    robot.world.step(10)
    expected = before + mass * np.array([0, 0, -9.81]) * 0.01
    np.testing.assert_allclose(momentum(robot)[:, :3], expected, rtol=2e-3, atol=2e-3)


def test_spherical_positions_are_rotation_vectors(device: str) -> None:
    robot = make(every_joint(), device, fixed_base=True)
    vector = np.array([0.4, -1.2, 0.7])
    robot.set_joint_state(pos=[0, 0, 0, 0, *vector])
    np.testing.assert_allclose(host(robot.joint_pos)[1, 4:], vector, rtol=1e-12)
    upright = host(robot.body_pose)[0, 3]
    robot.set_joint_state(pos=0.0)
    straight = host(robot.body_pose)[0, 3]
    turn = rotation(straight[3:]).T @ rotation(upright[3:])
    angle = np.linalg.norm(vector)
    assert np.trace(turn) == pytest.approx(1 + 2 * np.cos(angle), abs=1e-12)
    np.testing.assert_allclose(turn @ vector, vector, atol=1e-12)


# Parameters of its own for each environment.


def test_masses_of_some_environments(device: str) -> None:
    """world[LinkInertia].mass, given by environment, changes those environments and no other to the bit."""
    plain, heavy = make(device=device), make(device=device)
    for robot in (plain, heavy):
        scatter(robot, 12)
    mass = np.repeat(host(heavy.world[LinkInertia].mass), ENVS, axis=1)
    mass[:, 1] *= 3.0
    heavy.world[LinkInertia].mass = mass
    for robot in (plain, heavy):
        robot.world.step(20)
    same = [0, 2]
    assert host(plain.joint_pos)[same].tobytes() == host(heavy.joint_pos)[same].tobytes()
    assert host(plain.mass_matrix())[same].tobytes() == host(heavy.mass_matrix())[same].tobytes()
    assert not np.allclose(host(plain.joint_pos)[1], host(heavy.joint_pos)[1], atol=1e-6)
    assert np.all(np.diagonal(host(heavy.mass_matrix())[1])[:3] > 2.5 * np.diagonal(host(plain.mass_matrix())[1])[:3])
