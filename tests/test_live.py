"""Live views: the engine's memory, read and written without copies, acts like the setters do."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.commands.cli import main


@pytest.fixture(scope="module")
def worlds(device: str) -> tuple[px.World, px.World]:
    """Two of the same."""
    made = []
    for _ in range(2):
        world = px.World(num_envs=3, device=device, dt=0.01)
        world.add_ground()
        world.add_robot("double_pendulum", name="arm")
        world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=1.0, position=(2, 0, 1))
        world.build()
        made.append(world)
    return made[0], made[1]


def test_what_is_written_live_is_what_setters_write(worlds: tuple[px.World, px.World]) -> None:
    """To the bit, over steps, for each view; poses follow at once, also while a view is kept."""
    one, other = worlds
    for world in worlds:
        world.reset()
    arm, box = one.robots["arm"], one.objects["box"]
    live_arm, live_box = other.robots["arm"].live, other.objects["box"].live
    kept, xp = live_arm.joint_pos, other.engine.device.xp
    for k in range(3):
        arm.set_joint_state(pos=0.1 * k, vel=[[0.5, -0.5]], env_ids=[0, 2])
        arm.set_drive(stiffness=3.0, damping=0.1)
        arm.set_targets(pos=0.3, env_ids=1)
        box.set_root_state(pose=[2, k, 1, 1, 0, 0, 0], vel=[0, 0, 1, 0, 0, 2])
        kept[[0, 2]] = 0.1 * k
        live_arm.joint_vel[[0, 2]] = xp.asarray([0.5, -0.5], kept.dtype)
        live_arm.joint_stiffness[...] = 3.0
        live_arm.joint_damping[...] = 0.1
        live_arm.joint_pos_target[1] = 0.3
        live_box.root_pose[...] = xp.asarray([2, k, 1, 1, 0, 0, 0], kept.dtype)
        live_box.root_vel[...] = xp.asarray([0, 0, 1, 0, 0, 2], kept.dtype)
        for _ in range(2):
            poses = [host(world.robots["arm"].body_pose) for world in worlds]
            np.testing.assert_array_equal(poses[0], poses[1])
            for world in worlds:
                world.step(3)
        assert np.array_equal(host(kept), host(other.robots["arm"].joint_pos)), "it changes as the world steps"
        states = [world.state() for world in worlds]
        assert all(np.array_equal(states[0][key], states[1][key]) for key in states[0])
    before = host(other.robots["arm"].body_pose)
    kept[...] = 0.7  # a view that has been there all the time
    assert not np.array_equal(host(other.robots["arm"].body_pose), before)


def test_views_are_the_same_memory(worlds: tuple[px.World, px.World]) -> None:
    torch = pytest.importorskip("torch")
    robot = worlds[0].robots["arm"]
    view = robot.live.joint_vel
    tensor = torch.from_dlpack(view)
    assert tuple(tensor.shape) == view.shape == (3, 2) and str(tensor.device).startswith(worlds[0].device[:4])
    tensor[1, 0] = 4.0
    assert host(robot.joint_vel)[1, 0] == 4.0
    copy = robot.joint_vel
    copy[1, 0] = 9.0
    assert host(robot.joint_vel)[1, 0] == 4.0, "attributes of the handle are copies"
    if worlds[0].device == "cpu":
        assert tensor.data_ptr() == view.__array_interface__["data"][0]


def test_only_views_that_live_cost_anything(worlds: tuple[px.World, px.World]) -> None:
    world = worlds[0]
    robot = world.robots["arm"]
    assert robot.live.joint_pos.shape == (3, 2)  # dropped at once
    gc.collect()
    robot.body_pose  # noqa: B018
    state, inputs = world.state_revision, world.input_revision
    robot.body_pose  # noqa: B018
    world.step(2)
    assert world.state_revision == state and world.input_revision == inputs
    part = robot.live.joint_pos[1:]  # what is made of a view keeps it
    gc.collect()
    world.step(1)
    assert world.state_revision != state
    del part


def test_recorders_hear_of_it(device: str, tmp_path: Path) -> None:
    world = px.World(num_envs=2, device=device)
    arm = world.add_robot("double_pendulum")
    arm.set_drive(stiffness=5.0, damping=0.1)
    targets, positions = arm.live.joint_pos_target, arm.live.joint_pos
    with px.Recorder(world, tmp_path / "a.zarr"):
        for k in range(4):
            targets[...] = 0.1 * k
            if k == 2:
                positions[0] = 0.5
            world.step(5)
    assert main(["replay", str(tmp_path / "a.zarr"), "--verify"]) == 0


def test_what_there_is_no_view_of(worlds: tuple[px.World, px.World]) -> None:
    arm = worlds[0].robots["arm"]
    assert arm.fixed_base and "root_vel" not in dir(arm.live) and "joint_pos" in dir(arm.live)
    assert repr(arm.live) == f"<live views of robot 'arm': {', '.join(arm.live._names)}>"
    with pytest.raises(ValueError, match="robot 'arm' has a fixed base: its root has no velocity"):
        arm.live.root_vel  # noqa: B018
    with pytest.raises(AttributeError, match="has no live view 'joint_acc'; it has root_pose, joint_pos"):
        arm.live.joint_acc  # noqa: B018
    assert not hasattr(worlds[0].objects["box"].live, "joint_pos")


def test_phases_are_computed_once_until_something_happens(worlds: tuple[px.World, px.World]) -> None:
    """A step, a write, and a live view, which may be written at any time, each make them anew."""
    world, _ = worlds
    gc.collect()
    engine, arm, ran = world.engine, world.robots["arm"], []

    def runs() -> int:
        before = len(ran)
        engine.compute_once("mine", lambda: ran.append(1))
        engine.compute_once("mine", lambda: ran.append(1))
        return len(ran) - before

    assert [runs(), runs()] == [1, 0]
    world.step(1)
    assert runs() == 1
    arm.set_joint_state(pos=0.3)
    assert runs() == 1
    arm.set_targets(pos=0.1)
    assert runs() == 1
    view = arm.live.joint_pos
    assert runs() == 2
    del view
    engine.compute_once("mine", lambda: ran.append(1), again=True)
    assert runs() == 0
