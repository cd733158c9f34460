"""Worlds from MJCF files: what is in them, how it moves, and that they can be saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mjcf_files import BALL, save
from oracles import host
from oracles.mjcf_oracle import MjcfOracle, mj

import phalanx as px
from phalanx import components as c
from phalanx.io.formats.mjcf import load_robot

FALL = (0.0, 0.0, -5.0)
"""Gravity that the scene asks for."""

SCENE = """
<geom name="floor" type="plane" size="5 5 1" friction=".9"/>
<geom name="wall" type="box" size=".1 1 1" pos="9 0 1"/>
<body name="arm" pos="2 0 1">
  <geom type="box" size=".1 .1 .1"/>
  <body name="upper" pos="0 0 .5"><joint name="yaw" axis="0 0 1"/><joint name="pitch" axis="0 1 0" pos="0 0 -.2"/>
    <geom type="capsule" size=".05 .1"/>
    <body name="lower" pos="0 0 .5"><joint name="elbow" axis="0 1 0" range="-90 90"/>
      <geom type="capsule" size=".05 .1"/></body></body></body>
<body name="walker" pos="-2 0 1" euler="0 0 90"><freejoint name="root"/><geom type="box" size=".2 .1 .1"/>
  <body name="leg" pos="0 0 -.3"><joint name="hip" type="ball"/><geom size=".1" friction=".3"/></body></body>
<body name="cube" pos="0 0 .5"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
<body name="hand" mocap="true" pos="0 3 1"><geom size=".1"/></body>
<body name="shelf" pos="0 -3 1"><geom type="box" size="1 .1 .1"/></body>
"""
REST = """
<option timestep=".004" gravity="0 0 -5"/>
<contact><exclude body1="cube" body2="lower"/><exclude body1="upper" body2="lower"/></contact>
<actuator><motor name="turn" joint="yaw" gear="2" ctrlrange="-1 1"/>
<position name="bend" joint="elbow" kp="50" kv="5" forcerange="-9 9"/></actuator>
<keyframe>
<key name="bent" qpos=".1 .2 .3  1 2 3 1 0 0 0  .5 .5 .5 .5  4 5 6 1 1 0 0" ctrl=".5 -.7"
  qvel="1 2 3  .1 .2 .3 .4 .5 .6  .7 .8 .9  1 1 1 2 3 4"/>
<key name="still" ctrl="0 .2"/></keyframe>
"""


def test_a_scene_becomes_robots_objects_and_grounds(tmp_path: Path, device: str) -> None:
    file = save(tmp_path, SCENE, REST)
    world = px.World(2, device=device, dtype="float64")
    with pytest.warns(UserWarning, match="has what is not simulated"):
        added = world.add_mjcf(file)
    assert [("its gravity, (0, 0, -5), is not that of the world" in text) for text in added.warnings] == [True]
    assert list(added.robots) == ["arm", "walker"]
    assert {name: thing.kind for name, thing in added.objects.items()} == {
        "world": "static",
        "cube": "dynamic",
        "hand": "kinematic",
        "shelf": "static",
    }
    arm, walker = added.robots.values()
    assert arm.body_names == ["arm", "upper", "lower"] and arm.joint_names == ["yaw", "pitch", "elbow"]
    assert arm.fixed_base and not walker.fixed_base
    assert (added.options.timestep, added.options.gravity) == (0.004, FALL) != (world.dt, world.gravity)
    np.testing.assert_allclose(host(walker.root_pose)[0], [-2, 0, 1, np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-15)
    oracle = MjcfOracle(file)
    assert world.engine.store.rows(c.AllowedPair) + world.engine.store.rows(c.PlanePair) == len(oracle.pairs())
    friction = host(walker.material)[0, :, 0]
    np.testing.assert_allclose(friction, [1.0, 0.3])


@pytest.mark.usefixtures("compile_less")
def test_keyframes_are_mujocos_states(tmp_path: Path, device: str) -> None:
    file = save(tmp_path, SCENE, REST)
    oracle = MjcfOracle(file)
    world = px.World(3, device=device, dtype="float64", gravity=FALL)
    added = world.add_mjcf(file)
    assert added.keyframe_names == ["bent", "still"]
    before = host(added.objects["cube"].root_pose)[0]
    added.set_keyframe("bent", env_ids=[1])
    mj.mj_resetDataKeyframe(oracle.model, oracle.data, 0)
    mj.mj_forward(oracle.model, oracle.data)
    for name, actor in {**added.robots, **added.objects}.items():
        poses, velocities = host(actor.body_pose)[1], host(actor.body_vel)[1]
        for b, body in enumerate(actor.body_names):
            if body == "world":
                continue
            number = oracle.body_names.index(body)
            np.testing.assert_allclose(poses[b, :3], oracle.data.xpos[number], atol=1e-12, err_msg=f"{name} {body}")
            theirs = np.zeros(6)
            mj.mj_objectVelocity(oracle.model, oracle.data, mj.mjtObj.mjOBJ_XBODY, number, theirs, 0)
            np.testing.assert_allclose(velocities[b], [*theirs[3:], *theirs[:3]], atol=1e-12, err_msg=body)
    arm = added.robots["arm"]
    np.testing.assert_allclose(host(arm.joint_effort_target)[:, 0], [0.0, 1.0, 0.0])
    np.testing.assert_allclose(host(arm.joint_pos_target)[:, 2], [0.0, -0.7, 0.0])
    np.testing.assert_array_equal(host(added.objects["cube"].root_pose)[0], before)
    arm.set_keyframe("still")
    np.testing.assert_allclose(host(arm.joint_pos), 0.0)
    with pytest.raises(KeyError, match=r"no keyframe .*bend.*; did you mean \"bent\""):
        arm.set_keyframe("bend")
    with pytest.raises(KeyError, match=r"has no keyframe .*x.*bent, still"):
        added.set_keyframe("x")


def test_a_scene_can_start_in_a_keyframe(tmp_path: Path, device: str) -> None:
    file = save(tmp_path, SCENE, REST)
    world = px.World(2, device=device, dtype="float64", gravity=FALL)
    with pytest.raises(ValueError, match="no keyframe 'x'; it has bent, still"):
        world.add_mjcf(file, keyframe="x")
    added = world.add_mjcf(file, keyframe="bent")
    with pytest.raises(ValueError, match="already something named 'world'; pass another prefix="):
        world.add_mjcf(file)
    assert len(world.grounds) == 1
    world.build()
    states = {name: host(actor.root_pose) for name, actor in {**added.robots, **added.objects}.items()}
    joints = {name: host(robot.joint_pos) for name, robot in added.robots.items()}
    added.set_keyframe("bent")
    for name, actor in {**added.robots, **added.objects}.items():
        np.testing.assert_allclose(states[name], host(actor.root_pose), atol=1e-12, err_msg=name)
    for name, robot in added.robots.items():
        np.testing.assert_allclose(joints[name], host(robot.joint_pos), atol=1e-12, err_msg=name)
    assert np.abs(host(added.robots["walker"].joint_vel)).max() > 0
    world.reset()
    np.testing.assert_allclose(host(added.robots["arm"].joint_pos), joints["arm"], atol=1e-15)


def test_controls_hold_until_a_reset(tmp_path: Path, device: str) -> None:
    world = px.World(2, device=device, gravity=FALL)
    arm = world.add_mjcf(save(tmp_path, SCENE, REST)).robots["arm"]
    assert arm.actuator_names == ["turn", "bend"]
    np.testing.assert_array_equal(arm.control_limits, [[-1.0, 1.0], [-np.inf, np.inf]])
    arm.set_controls([[3.0, 0.4], [-0.5, 0.2]])
    np.testing.assert_allclose(host(arm.joint_effort_target)[:, 0], [2.0, -1.0])
    np.testing.assert_allclose(host(arm.joint_pos_target)[:, 2], [0.4, 0.2])
    drive = world[c.Drive]
    rows = arm._joints
    np.testing.assert_allclose(host(drive.stiffness)[rows, 0], [0.0, 0.0, 50.0])
    np.testing.assert_allclose(host(drive.damping)[rows, 0], [0.0, 0.0, 5.0])
    np.testing.assert_allclose(host(drive.effort_limit)[rows, 0], [2.0, np.inf, 9.0])
    world.reset([0])
    np.testing.assert_allclose(host(arm.joint_effort_target)[:, 0], [0.0, -1.0])
    world.reset()
    np.testing.assert_allclose(host(arm.joint_effort_target), 0.0)
    with pytest.raises(ValueError, match="controls"):
        arm.set_controls([1.0, 2.0, 3.0])


def test_controls_of_zero_are_clamped_to_their_range_from_the_start(tmp_path: Path, device: str) -> None:
    file = save(
        tmp_path,
        f'<body name="a"><joint name="a"/>{BALL}</body>',
        '<actuator><general joint="a" gainprm="2" biastype="affine" biasprm="1" ctrlrange=".5 1"/></actuator>',
    )
    world = px.World(device=device, gravity=FALL)
    robot = world.add_robot(file)
    world.build()
    np.testing.assert_allclose(host(robot.joint_effort_target), 2.0 * 0.5 + 1.0)
    robot.set_controls(0.75)
    world.reset()
    np.testing.assert_allclose(host(robot.joint_effort_target), 2.0 * 0.5 + 1.0)


def test_a_scene_survives_saving(tmp_path: Path, device: str) -> None:
    world = px.World(2, device=device, gravity=FALL)
    added = world.add_mjcf(save(tmp_path, SCENE, REST), prefix="a/")
    assert list(added.robots) == ["a/arm", "a/walker"]
    added.set_keyframe("still")
    world.step(20)
    world.save(tmp_path / "world.npz")
    again = px.World.load(tmp_path / "world.npz", device=device)
    assert again.describe() == world.describe()
    world.step(20)
    again.step(20)
    for key, value in world.state().items():
        np.testing.assert_array_equal(value, again.state()[key], err_msg=key)


def test_a_surface_that_the_user_gives_goes_first(tmp_path: Path, device: str) -> None:
    world = px.World(device=device, gravity=FALL)
    file = save(
        tmp_path, f'<body name="a"><freejoint/><geom size=".1" friction=".3"/><body><joint/>{BALL}</body></body>'
    )
    own, given = world.add_robot(file, "own"), world.add_robot(file, "given", friction=0.7)
    np.testing.assert_allclose(host(own.material)[0, :, 0], [0.3, 1.0])
    np.testing.assert_allclose(host(given.material)[0, :, 0], [0.7, 0.7])
    again = px.World.from_description(world.describe(), device=device)
    np.testing.assert_allclose(host(again.robots["own"].material), host(own.material))
    np.testing.assert_allclose(host(again.robots["given"].material), host(given.material))


def test_bodies_of_two_actors_can_be_kept_apart(tmp_path: Path) -> None:
    world = px.World(gravity=FALL)
    world.add_mjcf(save(tmp_path, SCENE, REST))
    world.disable_collision("arm/upper", ("walker", "leg"))
    world.disable_collision("arm/lower", "shelf")
    count = len(world._separated)
    assert count == 3 and world._separated[-1] == (("arm", "lower"), ("shelf", "shelf"))
    with pytest.raises(KeyError, match="no body 'x'"):
        world.disable_collision("arm/x", "shelf")
    with pytest.raises(ValueError, match="no actor 'y'"):
        world.disable_collision("y/x", "shelf")
    with pytest.raises(ValueError, match="twice"):
        world.disable_collision("arm/upper", "arm/lower")
    again = px.World.from_description(world.describe())
    assert again._separated == world._separated


def test_robots_from_files_and_models(tmp_path: Path, device: str) -> None:
    file = save(
        tmp_path,
        f"""<body name="a" pos="1 2 3"><geom type="box" size=".1 .1 .1"/><body name="b">
        <joint name="j" ref="20" range="0 50"/>{BALL}</body></body>""",
    )
    world = px.World(device=device, dtype="float64")
    own = world.add_robot(file)
    moved = world.add_robot(load_robot(file), "moved", position=(0, 0, 5), joint_pos={"j": 0.5}, fixed_base=False)
    np.testing.assert_allclose(host(own.root_pose)[0, :3], [1, 2, 3])
    np.testing.assert_allclose(host(own.joint_pos)[0], np.radians([20.0]))
    np.testing.assert_allclose(host(moved.root_pose)[0, :3], [0, 0, 5])
    assert own.fixed_base and not moved.fixed_base and float(host(moved.joint_pos)[0, 0]) == 0.5


def test_recordings_and_pictures_hold_such_robots(tmp_path: Path) -> None:
    from phalanx.images.pictures.picture import render_world
    from phalanx.io.recordings.replay import open_recording, verify

    world = px.World(2, gravity=FALL)
    added = world.add_mjcf(save(tmp_path, SCENE, REST))
    with px.Recorder(world, tmp_path / "run.zarr"):
        added.robots["arm"].set_controls([0.5, 0.3])
        world.step(10)
    assert verify(open_recording(tmp_path / "run.zarr"))
    render_world(world, tmp_path / "world.png")
    assert (tmp_path / "world.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("option", "moves"),
    [
        ("", {"a", "b", "c"}),
        ('<option><flag actuation="disable"/></option>', set()),
        ('<option actuatorgroupdisable="1 3"/>', {"a"}),
    ],
)
def test_actuators_that_are_switched_off_do_nothing(option: str, moves: set[str], tmp_path: Path, device: str) -> None:
    """Motor, servo and damper, in groups 0, 1 and 3; the controls are there all the same. Checked against MuJoCo."""
    body = '<body name="{0}" pos="0 {1} 0"><joint name="{0}" axis="0 0 1"/><geom size=".1"/></body>'
    rest = """<actuator><motor name="a" joint="a"/><position name="b" joint="b" kp="2" group="1"/>
    <velocity name="c" joint="c" kv="2" group="3"/></actuator>"""
    file = save(tmp_path, "".join(body.format(name, y) for y, name in enumerate("abc")), option + rest)
    world = px.World(device=device)
    robots = world.add_mjcf(file).robots
    for robot in robots.values():
        robot.set_controls(1.0)
    world.step(10)
    assert {name for name, robot in robots.items() if abs(host(robot.joint_vel)[0, 0]) > 1e-3} == moves
    oracle = MjcfOracle(file)
    oracle.data.ctrl[:] = 1.0
    mj.mj_step(oracle.model, oracle.data, 10)
    assert {name for name, v in zip("abc", oracle.data.qvel, strict=True) if abs(v) > 1e-3} == moves


@pytest.mark.parametrize("flag", ["gravity", "spring", "spring damper"])
def test_gravity_is_that_of_mujoco_with_each_flag(flag: str, tmp_path: Path, device: str) -> None:
    """Compensation of gravity is a passive force there, which goes with springs and dampers."""
    flags = " ".join(f'{one}="disable"' for one in flag.split())
    bodies = "".join(
        f'<body name="{name}" pos="{i} 0 0" gravcomp="{share}"><freejoint/><geom size=".1"/></body>'
        for i, (name, share) in enumerate((("a", 0), ("b", 0.5), ("c", 1)))
    )
    file = save(tmp_path, bodies, f'<option timestep=".005"><flag contact="disable" {flags}/></option>')
    world, oracle = px.World(device=device), MjcfOracle(file)
    objects = world.add_mjcf(file).objects
    world.step(10)
    mj.mj_step(oracle.model, oracle.data, 10)
    ours = [host(objects[name].root_vel)[0, 2] for name in "abc"]
    np.testing.assert_allclose(ours, oracle.data.qvel.reshape(3, 6)[:, 2], atol=1e-6)
