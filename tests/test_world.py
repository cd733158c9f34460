"""Worlds: stepping, time and callbacks, reset, exact saving, descriptions, several robots, settings, interruption."""

from __future__ import annotations

import copy
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host
from small_robots import arm, ball

import phalanx as px
from phalanx import components as c
from phalanx.ecs import read, system, update
from phalanx.io.formats import library

ENVS = 4


def standing(device: str, num_envs: int = ENVS, dtype: str = "float32", **settings: Any) -> px.World:
    """Quadrupeds above the ground, a little different in each environment, under PD."""
    world = px.World(num_envs=num_envs, device=device, dtype=dtype, **settings)
    world.add_ground()
    robot = world.add_robot("quadruped")
    stiffness, damping = library.defaults("quadruped").gains(robot.joint_names)
    robot.set_drive(stiffness, damping)
    rng = np.random.default_rng(0)
    pose = host(robot.root_pose)
    pose[:, 2] += 0.01 * np.arange(num_envs)
    robot.set_root_state(pose, 0.2 * rng.normal(size=(num_envs, 6)))
    robot.set_targets(pos=host(robot.joint_pos) + 0.05 * rng.normal(size=(num_envs, robot.num_dof)))
    return world


def bits(world: px.World) -> dict[str, bytes]:
    return {key: value.tobytes() for key, value in world.state().items()}


def different(a: dict[str, bytes], b: dict[str, bytes]) -> list[str]:
    return sorted(key for key in a.keys() | b.keys() if a.get(key) != b.get(key))


# Stepping.


def test_time_and_steps(device: str) -> None:
    world = px.World(num_envs=2, device=device, dt=0.01)
    robot = world.add_robot(ball(), position=(0, 0, 1))
    assert (world.time, world.step_count, world.built) == (0.0, 0, False)
    world.step(0)
    assert (world.time, world.step_count, world.built) == (0.0, 0, True)
    assert host(robot.root_pose)[0, 2] == 1
    world.step()
    world.step(9)
    assert world.step_count == 10 and world.time == pytest.approx(0.1)
    # semi-implicit Euler: v = -g t, z = 1 - g dt² n (n + 1) / 2
    assert host(robot.root_vel)[1, 2] == pytest.approx(-0.981, rel=1e-5)
    assert host(robot.root_pose)[1, 2] == pytest.approx(1 - 9.81 * 1e-4 * 55, rel=1e-5)


def test_many_steps_at_once_are_many_single_ones(device: str) -> None:
    together, apart = standing(device), standing(device)
    together.step(60)
    for count in (1, 0, 7, 20, 32):
        apart.step(count)
    assert not different(bits(together), bits(apart))


def test_settings(device: str) -> None:
    world = px.World(num_envs=3, device=device, dtype="float64", dt=0.02, gravity=(1, 2, 3), substeps=4)
    robot = world.add_robot(ball())
    assert (world.num_envs, world.dt, world.gravity, world.dtype, world.substeps) == (3, 0.02, (1, 2, 3), "float64", 4)
    assert world.device == device
    world.step(5)
    np.testing.assert_allclose(host(robot.root_vel)[:, :3], np.tile([0.1, 0.2, 0.3], (3, 1)), rtol=1e-13)
    h, n = 0.005, 20  # substeps are steps: the same as dt = 0.005
    np.testing.assert_allclose(host(robot.root_pose)[0, :3], np.array([1, 2, 3]) * h * h * n * (n + 1) / 2, rtol=1e-12)


def test_gravity_is_set_before_and_after_the_world_is_built(device: str) -> None:
    world = px.World(2, device, dt=0.01)
    ball = world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball", mass=1.0)
    world.gravity = (0.0, 0.0, 2.0)
    world.step()
    np.testing.assert_allclose(host(ball.root_vel)[:, 2], 0.02, rtol=1e-5)
    world.gravity = [1.0, 0.0, 0.0]
    assert world.gravity == (1.0, 0.0, 0.0)
    world.step()
    np.testing.assert_allclose(host(ball.root_vel)[:, [0, 2]], [[0.01, 0.02]] * 2, rtol=1e-5)
    with pytest.raises(ValueError, match="three finite numbers"):
        world.gravity = (0.0, float("nan"), 0.0)
    assert world.gravity == (1.0, 0.0, 0.0)


def test_substeps_are_shorter_steps(device: str) -> None:
    coarse, fine = standing(device, dt=0.01, substeps=4), standing(device, dt=0.0025)
    coarse.step(10)
    fine.step(40)
    a, b = bits(coarse), bits(fine)
    assert [key for key in different(a, b) if key not in ("step_count", "Settings.timestep")] == []


def test_two_robots_do_not_disturb_each_other(device: str) -> None:
    """Each does, beside the other, what it does alone."""
    both = px.World(num_envs=2, device=device, dtype="float64")
    both.add_ground(friction=0.5)
    left = both.add_robot("double_pendulum", name="left")
    right = both.add_robot(ball(), name="right", position=(0.5, 0, 0.11))
    assert both.robots == {"left": left, "right": right} and list(both) == [left, right]
    alone = px.World(num_envs=2, device=device, dtype="float64")
    alone.add_ground(friction=0.5)
    single = alone.add_robot(ball(), position=(0.5, 0, 0.11))
    for robot in (right, single):
        robot.set_root_state(vel=[0.3, 0.0, 0.0, 0.0, 0.5, 0.0])
    both.step(100)
    alone.step(100)
    np.testing.assert_allclose(host(right.root_pose), host(single.root_pose), atol=1e-12)
    np.testing.assert_allclose(host(right.net_contact_force), host(single.net_contact_force), atol=1e-9)
    assert host(right.net_contact_force)[0, 0, 2] == pytest.approx(9.81, rel=1e-3)
    assert not host(left.net_contact_force).any()
    assert left.mass_matrix().shape == (2, 2, 2) and right.jacobian().shape == (2, 1, 6, 6)
    for robot, expected in ((left, 2), (right, 0)):
        assert robot.joint_pos.shape == (2, expected)


def test_a_world_of_bodies_without_joints(device: str) -> None:
    world = px.World(num_envs=2, device=device)
    robot = world.add_robot(ball(), fixed_base=True, position=(0, 0, 2))
    world.step(3)
    assert robot.num_dof == robot.num_velocities == 0
    assert robot.mass_matrix().shape == (2, 0, 0) and robot.jacobian().shape == (2, 1, 6, 0)
    assert host(robot.body_pose)[1, 0].tolist() == [0, 0, 2, 1, 0, 0, 0]


def test_ground_is_where_it_was_put(device: str) -> None:
    world = px.World(device=device, dtype="float64")
    world.add_ground(height=0.7)
    robot = world.add_robot(ball(radius=0.1), position=(0, 0, 0.81))
    world.step(400)
    assert host(robot.root_pose)[0, 2] == pytest.approx(0.8, abs=1e-3)


def test_sloping_ground_goes_through_its_height(device: str) -> None:
    """A ball on a frictionless slope through (0, 0, h) keeps to it."""
    normal = np.array([0.6, 0.0, 0.8])
    world = px.World(device=device, dtype="float64", dt=0.002)
    world.add_ground(height=0.5, normal=tuple(2.5 * normal), friction=0.0)
    robot = world.add_robot(ball(radius=0.1), friction=0.0, position=tuple(np.array([0, 0, 0.5]) + 0.1 * normal))
    world.step(200)
    position = host(robot.root_pose)[0, :3]
    assert (position - [0, 0, 0.5]) @ normal == pytest.approx(0.1, abs=2e-3)
    down = np.array([0.8, 0.0, -0.6])
    assert host(robot.root_vel)[0, :3] @ down == pytest.approx(9.81 * 0.6 * 0.4, rel=1e-2)


# Callbacks.


def test_callbacks(device: str) -> None:
    world = px.World(num_envs=2, device=device)
    world.add_robot(ball())
    seen: list[tuple[str, int]] = []
    stop = [
        world.before_step(lambda w: seen.append(("before", w.step_count))),
        world.after_step(lambda w: seen.append(("third", w.step_count)), every=3),
        world.after_step(lambda w: seen.append(("fourth", w.step_count)), every=4),
    ]
    world.step(7)
    assert seen == [("before", 0), ("third", 3), ("fourth", 4), ("third", 6)]
    seen.clear()
    world.step(5)
    assert seen == [("before", 7), ("fourth", 8), ("third", 9), ("third", 12), ("fourth", 12)]
    for unregister in stop:
        unregister()
    seen.clear()
    unregister = world.on_step(lambda w: seen.append(("each", w.step_count)))
    world.step(3)
    assert seen == [("each", 13), ("each", 14), ("each", 15)]
    unregister()
    world.step(3)
    assert len(seen) == 3


def test_callbacks_do_not_change_the_result(device: str) -> None:
    watched, plain = standing(device), standing(device)
    heights: list[np.ndarray] = []
    watched.after_step(lambda w: heights.append(host(w.robots["robot"].body_pose)[:, 0, 2]), every=7)
    watched.step(50)
    plain.step(50)
    assert len(heights) == 7 and not different(bits(watched), bits(plain))


def test_a_callback_can_control(device: str) -> None:
    world = px.World(device=device, dt=0.01)
    robot = world.add_robot(ball())
    world.on_step(lambda w: robot.set_external_wrench(force=[0, 0, 9.81]))
    world.step(100)
    assert host(robot.root_vel)[0, 2] == pytest.approx(-0.0981, rel=1e-3), "one step fell freely"


def test_a_callback_can_stop_the_run(device: str) -> None:
    def stop(world: px.World) -> None:
        if world.step_count == 5:
            raise StopIteration

    world = px.World(device=device)
    world.add_robot(ball())
    world.on_step(stop)
    with pytest.raises(StopIteration):
        world.step(100)
    assert world.step_count == 5


# Reset.


def test_reset_is_a_fresh_start(device: str) -> None:
    world, fresh = standing(device), standing(device)
    robot = world.robots["robot"]
    for w in (world, fresh):
        w.reset()
    start = bits(world)
    world.step(30)
    robot.set_targets(pos=0.3, vel=0.1, effort=1.0)
    robot.set_external_wrench([1, 2, 3], [4, 5, 6], body="FL_calf")
    world.step(30)
    assert {"Coordinate.value", "DriveTarget.position"} <= set(different(bits(world), start))
    world.reset()
    assert [key for key in different(bits(world), start) if key not in ("step_count", "ContactPoint.key")] == []
    assert not host(robot.net_contact_force).any() and not host(robot.applied_effort).any()
    world.step(30)
    fresh.step(30)
    assert host(robot.joint_pos).tobytes() == host(fresh.robots["robot"].joint_pos).tobytes()
    assert world.step_count == 90, "time goes on"


def test_reset_of_some_environments(device: str) -> None:
    world, other = standing(device), standing(device)
    for w in (world, other):
        w.step(20)
    world.reset([1, 3])
    robot, plain = world.robots["robot"], other.robots["robot"]
    pos = host(robot.joint_pos)
    assert np.array_equal(pos[[0, 2]], host(plain.joint_pos)[[0, 2]])
    np.testing.assert_allclose(pos[[1, 3]], np.tile(robot.default_joint_pos, (2, 1)), rtol=1e-6)
    assert not host(robot.root_vel)[[1, 3]].any()
    for w in (world, other):
        w.step(20)
    assert host(robot.joint_pos)[[0, 2]].tobytes() == host(plain.joint_pos)[[0, 2]].tobytes(), (
        "neighbours do not notice"
    )


def test_gains_survive_a_reset(device: str) -> None:
    world = standing(device)
    before = host(world[c.Drive].stiffness)
    world.reset()
    assert before.any() and np.array_equal(host(world[c.Drive].stiffness), before)


# Environments that diverge.


def explode(world: px.World, env: int) -> None:
    robot = world.robots["robot"]
    robot.set_joint_state(vel=1e30, env_ids=[env])


def test_a_diverged_environment_is_frozen_and_reported_and_revived(device: str) -> None:
    world, calm = standing(device), standing(device)
    explode(world, 2)
    with pytest.warns(
        px.SimulationWarning, match=r"1 of 4 environments diverged before step \d+ and are frozen: 2; use a smaller dt"
    ):
        world.step(5)
        world.check()
    calm.step(5)
    assert world.diverged.tolist() == [2]
    robot, neighbour = world.robots["robot"], calm.robots["robot"]
    others = [0, 1, 3]
    assert host(robot.joint_pos)[others].tobytes() == host(neighbour.joint_pos)[others].tobytes()
    assert np.isfinite(host(robot.joint_pos)).all() and not host(robot.joint_vel)[2].any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world.step(5)  # reported once
        world.check()
    world.reset([2])
    assert world.diverged.size == 0
    world.step(100)
    calm.step(105)
    assert np.isfinite(host(robot.root_pose)).all()
    assert host(robot.joint_pos)[others].tobytes() == host(neighbour.joint_pos)[others].tobytes()
    lonely = standing(device)
    lonely.reset([2])
    lonely.step(100)
    assert host(robot.joint_pos)[2].tobytes() == host(lonely.robots["robot"].joint_pos)[2].tobytes(), (
        "as if nothing had been"
    )


def test_contacts_that_do_not_fit_are_reported(device: str) -> None:
    world = px.World(num_envs=2, device=device, max_contacts=2)
    world.add_ground()
    world.add_robot(arm(), position=(0, 0, 0.05))
    with pytest.warns(
        px.SimulationWarning, match=r"did not fit into 2 slots in environments 0, 1; pass max_contacts=\d+ or more"
    ):
        world.step(5)
        world.check()


# Saving.


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_saved_mid_run_it_continues_to_the_bit(dtype: str, device: str, tmp_path: Path) -> None:
    world = standing(device, dtype=dtype)
    world[c.LinkInertia].mass = host(world[c.LinkInertia].mass) * np.linspace(0.9, 1.1, ENVS)
    world.step(60)
    robot = world.robots["robot"]
    assert host(robot.net_contact_force).any(), "feet are on the ground"
    path = tmp_path / "world.npz"
    world.save(path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["world.npz"]
    loaded = px.World.load(path, device=device)
    assert not different(bits(loaded), bits(world))
    assert loaded.time == world.time and loaded.step_count == 60
    again = loaded.robots["robot"]
    for name in ("root_pose", "root_vel", "joint_pos", "joint_vel", "joint_acc", "body_pose", "body_vel"):
        assert host(getattr(again, name)).tobytes() == host(getattr(robot, name)).tobytes(), name
    world.step(60)
    loaded.step(60)
    assert not different(bits(loaded), bits(world))
    assert host(again.net_contact_force).tobytes() == host(robot.net_contact_force).tobytes()


def test_state_and_set_state(device: str) -> None:
    world = standing(device)
    world.step(30)
    state = world.state()
    kept = copy.deepcopy(state)
    world.step(30)
    later = bits(world)
    assert all(np.array_equal(state[key], kept[key]) for key in kept), "copies on the host"
    world.set_state(state)
    assert world.step_count == 30
    world.step(30)
    assert not different(bits(world), later)


def test_inputs_and_set_inputs(device: str) -> None:
    world = standing(device)
    robot = world.robots["robot"]
    inputs = world.inputs()
    assert {key.split(".")[0] for key in inputs} == {"Drive", "DriveTarget", "ExternalWrench"}
    before = host(robot.joint_pos_target)
    robot.set_targets(pos=2.0)
    world.set_inputs(inputs)
    assert np.array_equal(host(robot.joint_pos_target), before)


def test_revisions_tell_what_the_host_changed(device: str) -> None:
    world = standing(device)
    robot = world.robots["robot"]
    seen = (world.input_revision, world.state_revision)
    world.step(3)
    assert (world.input_revision, world.state_revision) == seen
    robot.set_targets(pos=0.1)
    inputs, states = seen
    assert world.input_revision > inputs and world.state_revision == states
    robot.set_joint_state(pos=0.1)
    assert world.state_revision > states


# Descriptions.


def test_description_is_json_and_rebuilds_the_world(device: str) -> None:
    world = px.World(2, device, "float64", 0.004, (0, 0, -3.7), 2, position_iterations=5, max_contacts=9)
    world.add_ground(height=-0.1, static_friction=0.9, dynamic_friction=0.6, restitution=0.1)
    world.add_robot("arm", name="one", position=(1, 0, 0), orientation=(0, 0, 0, 3), joint_pos=None)
    world.add_robot(arm(), name="two", fixed_base=False, position=(0, 0, 1), friction=0.3, joint_pos={"elbow": 0.2})
    text = json.dumps(world.describe(), allow_nan=False)
    again = px.World.from_description(json.loads(text), device=device)
    assert not again.built
    assert json.dumps(again.describe(), allow_nan=False) == text
    world.step(5)
    again.step(5)
    assert not different(bits(world), bits(again))


def test_description_for_another_number_of_environments(device: str) -> None:
    world = standing(device)
    single = px.World.from_description(world.describe(), num_envs=1)
    assert single.num_envs == 1 and single.robots["robot"].root_pose.shape == (1, 7)
    with pytest.raises(ValueError, match="num_envs=0: must be a whole number, at least 1"):
        px.World.from_description(world.describe(), num_envs=0)


def test_descriptions_are_not_shared(device: str) -> None:
    world = standing(device)
    description = world.describe()
    description["robots"][0]["name"] = "other"
    description["grounds"].clear()
    assert world.describe()["robots"][0]["name"] == "robot" and len(world.describe()["grounds"]) == 1


def test_models_are_described_as_they_were_when_they_were_added(device: str) -> None:
    world, model = px.World(1, device), arm()
    world.add_robot(model, "one")
    mass, model.bodies[0].mass = model.bodies[0].mass, 7.0
    world.add_robot(model, "two")
    masses = [each["model"]["bodies"][0]["mass"] for each in world.describe()["robots"]]
    assert masses == [mass, 7.0]


# Own systems.


@system(over=c.Dof, phase="actuate", before="drive_joints")
def push_joints(d, e, coord=read(c.DofTopology.coord), effort=update(c.DriveTarget.effort)):
    if coord[d, e] >= 0:
        effort[d, e] = effort[d, e] + 0.01


def test_own_systems_must_come_along_when_a_world_is_loaded(device: str, tmp_path: Path) -> None:
    world = px.World(num_envs=2, device=device)
    robot = world.add_robot("double_pendulum")
    world.add_system(push_joints)
    world.step(10)
    assert host(robot.joint_effort_target)[0, 0] == pytest.approx(0.1, rel=1e-4)
    world.save(tmp_path / "own")
    with pytest.raises(px.LoadError, match=r"own: .* systems of its own \(push_joints\).* prepare="):
        px.World.load(tmp_path / "own", device=device)
    again = px.World.load(tmp_path / "own", device=device, prepare=lambda w: w.add_system(push_joints))
    world.step(10)
    again.step(10)
    assert not different(bits(world), bits(again))


def test_parameters_written_through_arrays_are_seen(device: str) -> None:
    """Coordinates written through arrays move the bodies at once."""
    world = px.World(num_envs=2, device=device)
    robot = world.add_robot("double_pendulum")
    before = host(robot.body_pose)
    world[c.Coordinate].value = host(world[c.Coordinate].value) + np.eye(9)[7][:, None] * 0.5
    assert not np.allclose(host(robot.body_pose), before)


# Interruption.


def test_ctrl_c_stops_a_long_step_soon(device: str, tmp_path: Path) -> None:
    """And the world then knows how far it came."""
    script = tmp_path / "long.py"
    script.write_text(
        textwrap.dedent(f"""
        import numpy as np
        import phalanx as px

        def make():
            world = px.World(num_envs=64, device={device!r})
            world.add_ground()
            robot = world.add_robot("quadruped")
            return world, robot

        world, robot = make()
        world.step(200)
        print("ready", flush=True)
        try:
            world.step(1_000_000)
        except KeyboardInterrupt:
            world.synchronize()
            print("stopped", world.step_count, flush=True)
            other, same = make()
            other.step(world.step_count)
            a, b = (r.joint_pos.get() if hasattr(r.joint_pos, "get") else r.joint_pos for r in (robot, same))
            print("exact" if a.tobytes() == b.tobytes() else "inexact", flush=True)
        """)
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start background jobs deaf to Ctrl-C
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment)
    signal.signal(signal.SIGINT, before)
    assert process.stdout
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        asked = time.monotonic()
        process.send_signal(signal.SIGINT)
        stopped = process.stdout.readline().split()
        took = time.monotonic() - asked
        assert stopped and stopped[0] == "stopped" and 200 < int(stopped[1]) < 1_000_200
        assert took < 5.0, f"it took {took:.2f} s"
        assert process.stdout.readline() == "exact\n", "steps that were made are counted"
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
