"""How environments and joints are named: indices as NumPy takes them, and dicts of patterns of joints' names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import host

import phalanx as px
from phalanx.components import DofModel, Drive
from phalanx.models.robot_model import Body, Joint, RobotModel
from phalanx.world.env_ids import env_indices

ENVS = 5
LEGS = ("front_hip", "front_knee", "rear_hip", "rear_knee")


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    inertia = np.eye(3) * 0.01
    bodies = [Body(name, 1.0, (0.0, 0.0, 0.0), inertia) for name in ("root", *LEGS)]
    joints = [Joint(f"{leg}_joint", "revolute", "root", leg, (i, 0.0, 0.0)) for i, leg in enumerate(LEGS)]
    made = px.World(num_envs=ENVS, device=device, dtype="float64")
    made.add_robot(RobotModel("legs", bodies, joints), fixed_base=True)
    made.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=1.0, position=(0, 0, 5))
    made.build()
    return made


@pytest.fixture
def robot(world: px.World) -> px.Robot:
    world.reset()
    found = world.robots["robot"]
    found.set_drive(stiffness=1.0, damping=0.0, effort_limit=np.inf)
    return found


index = st.one_of(
    st.integers(-ENVS, ENVS - 1),
    st.lists(st.integers(-ENVS, ENVS - 1), max_size=8),
    st.slices(ENVS),
    st.builds(
        slice, *[st.one_of(st.none(), st.integers(-9, 9))] * 2, st.one_of(st.none(), st.sampled_from([-2, 1, 3]))
    ),
    st.lists(st.booleans(), min_size=ENVS, max_size=ENVS).map(np.array),
)


@given(index)
def test_indices_are_those_of_numpy(ids: Any) -> None:
    expected = np.atleast_1d(np.arange(ENVS)[np.array(ids, int) if isinstance(ids, list) else ids])
    found = env_indices(ids, ENVS)
    assert found.dtype == np.int64 and np.array_equal(found, expected)


def test_indices_of_other_libraries() -> None:
    torch = pytest.importorskip("torch")
    assert env_indices(torch.tensor([-1, 0]), ENVS).tolist() == [4, 0]
    assert env_indices(torch.tensor([True, False, False, True, False]), ENVS).tolist() == [0, 3]
    assert env_indices(range(3, 5), ENVS).tolist() == [3, 4] and env_indices(None, ENVS).tolist() == [*range(ENVS)]


@pytest.mark.parametrize("ids", [-1, slice(None, None, 2), slice(-2, None), [-1, 0], [4, -4]], ids=str)
def test_every_setter_takes_them(world: px.World, robot: px.Robot, ids: Any) -> None:
    box = world.objects["box"]
    chosen = np.zeros(ENVS, bool)
    chosen[ids] = True
    robot.set_joint_state(pos=0.5, env_ids=ids)
    robot.set_targets(effort=2.0, env_ids=ids)
    box.set_root_state(vel=[1, 0, 0, 0, 0, 0], env_ids=ids)
    box.set_mass(3.0, env_ids=ids)
    box.set_material(restitution=0.25, env_ids=ids)
    robot.set_joint_armature(0.5, env_ids=ids)
    assert np.array_equal(host(robot.joint_pos)[:, 0] == 0.5, chosen)
    assert np.array_equal(host(robot.joint_effort_target)[:, 0] == 2.0, chosen)
    assert np.array_equal(host(box.root_vel)[:, 0] == 1.0, chosen)
    assert np.array_equal(host(box.mass) == 3.0, chosen)
    assert np.array_equal(host(box.material)[:, 0, 2] == 0.25, chosen)
    assert np.array_equal(host(robot.joint_armature)[:, 0] == 0.5, chosen)
    hits = world.queries.raycast([0, 0, 9], [0, 0, -1], env_ids=ids)
    assert len(hits.distance) == len(np.atleast_1d(np.arange(ENVS)[ids]))
    world.reset(ids)
    assert not host(robot.joint_pos).any()
    box.set_mass(1.0)
    box.set_material(restitution=0.0)
    robot.set_joint_armature(0.0)


def test_the_same_environment_twice_is_not_all_of_them(device: str) -> None:
    made = px.World(num_envs=2, device=device)
    arm = made.add_robot("double_pendulum")
    arm.set_joint_armature(0.5, env_ids=[1, -1])
    assert host(arm.joint_armature)[:, 0].tolist() == [0.0, 0.5]


def test_gains_by_name(robot: px.Robot) -> None:
    robot.set_drive(
        stiffness={".*_hip_joint": 40.0, "front_knee_joint": 60.0},
        damping={".*": [1.0, 2.0, 3.0, 4.0]},
        effort_limit={"rear_.*": np.inf, "front_.*": [[5.0, 6.0]]},
    )
    drive = robot.world[Drive]
    columns = [robot.joint_names.index(f"{leg}_joint") for leg in LEGS]
    rows = robot._joints.start + np.array(columns)
    assert host(drive.stiffness)[rows, 0].tolist() == [40, 60, 40, 1]
    assert sorted(host(drive.damping)[rows, 0].tolist()) == [1, 2, 3, 4]
    assert host(drive.effort_limit)[rows[2:], 0].tolist() == [np.inf, np.inf]
    robot.set_drive(stiffness={"rear_.*": np.array([[7.0], [8.0]])}, env_ids=slice(-2, None))
    assert host(drive.stiffness)[rows[2]].tolist()[:ENVS] == [40, 40, 40, 7, 8]


def test_other_joint_properties_by_name(robot: px.Robot) -> None:
    hip, knee = (robot.joint_names.index(f"front_{what}_joint") for what in ("hip", "knee"))
    robot.set_joint_armature({".*_hip_joint": 0.5})
    robot.set_joint_friction(dynamic={".*_knee_joint": 0.2}, viscous={"front_hip_joint": 0.1})
    robot.set_joint_limits(lower={".*_hip_joint": -1.0}, upper={".*_hip_joint": 2.0}, velocity={".*": 9.0})
    robot.set_targets(pos={".*_knee_joint": 0.3}, env_ids=[0])
    robot.set_joint_state(pos={"front_hip_joint": 0.4}, vel={"front_hip_joint": [[1], [2], [3], [4], [5]]})
    assert host(robot.joint_armature)[0, [hip, knee]].tolist() == [0.5, 0.0]
    assert host(robot.joint_dynamic_friction)[0, [hip, knee]].tolist() == [0.0, 0.2]
    assert host(robot.joint_viscous_friction)[0, [hip, knee]].tolist() == [0.1, 0.0]
    assert host(robot.joint_position_limits)[0, hip].tolist() == [-1, 2]
    assert host(robot.joint_velocity_limit)[:, knee].tolist() == [9] * ENVS
    assert host(robot.joint_pos_target)[:, knee].tolist() == [0.3, 0, 0, 0, 0]
    assert host(robot.joint_pos)[:, [hip, knee]].tolist() == [[0.4, 0.0]] * ENVS
    assert host(robot.joint_vel)[:, hip].tolist() == [1, 2, 3, 4, 5]
    assert robot.world.engine.store.is_shared(DofModel.damping), "what is the same everywhere stays one number"
    robot.set_joint_armature(0.0)
    robot.set_joint_friction(0.0, 0.0, 0.0)
    robot.set_joint_limits(-np.inf, np.inf, np.inf)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ({"hip": 1.0}, ValueError, "stiffness: no joint matches 'hip'; there are front_hip_joint, "),
        ({".*_hip_joint": 1, "front_.*": 2}, ValueError, "'.*_hip_joint' and 'front_.*' both match joint 'front_hip_"),
        ({"(": 1.0}, ValueError, "stiffness: '(' is not a regular expression: "),
        ({3: 1.0}, TypeError, "stiffness: keys must be names of joints or patterns, not 3"),
        ({".*": -1.0}, ValueError, "stiffness is negative in environment 0, column 0"),
        ({".*": [1.0, 2.0]}, ValueError, "stiffness of '.*' has shape (2,); it must broadcast to (5, 4)"),
        ({".*": "stiff"}, TypeError, "stiffness of '.*' must be numbers, not "),
    ],
    ids=str,
)
def test_patterns_that_mean_nothing(robot: px.Robot, value: Any, error: type[Exception], message: str) -> None:
    before = robot.world.inputs()
    with pytest.raises(error) as raised:
        robot.set_drive(stiffness=value)
    assert message in str(raised.value)
    assert all(np.array_equal(before[key], now) for key, now in robot.world.inputs().items())


def test_gpu_is_a_name_of_the_first_gpu() -> None:
    from phalanx.ecs.device import cuda_available

    if cuda_available():
        assert px.World(device="gpu").device == px.World(device="cuda").device == "cuda:0"
    else:
        for name in ("gpu", "gpu:0", "cuda"):
            with pytest.raises(px.DeviceError, match="cuda"):
                px.World(device=name)
