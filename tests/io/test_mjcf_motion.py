"""What MJCF files say about springs, anchors, constraints and contact shows in how bodies move."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from mjcf_files import BALL, save
from oracles import host
from oracles.mjcf_oracle import MjcfOracle, mj

import phalanx as px

HELD = """
<body name="a" pos="0 0 2"><freejoint/><geom name="a" size=".1"/><site name="a" pos=".1 0 0"/></body>
<body name="b" pos=".3 0 2"><freejoint/><geom name="b" size=".1"/><site name="b" pos="-.1 0 0"/></body>
<body name="c" pos="0 2 2"><freejoint/><geom name="c" size=".1"/></body>
<body name="d" pos="0 4 2"><freejoint/><geom name="d" size=".1"/></body>
<site name="hook" pos="0 4 2.6"/><body name="e" pos="0 6 2"><freejoint/><geom size=".1"/><site name="e"/></body>
<site name="ring" pos="0 6 2.3"/>
"""


def test_springs_and_anchors_move_as_in_mujoco(tmp_path: Path, device: str) -> None:
    file = save(
        tmp_path,
        """<body name="a"><joint name="a" axis="0 1 0" stiffness="30" springref="20" damping=".2" pos="0 .1 .2"/>
        <joint name="b" axis="1 0 0" stiffness="10" pos=".1 0 .3" armature=".05"/><geom size=".1" pos="0 0 -.3"/>
        <body name="c" pos="0 0 -.6"><joint name="c" type="slide" axis="0 0 1" stiffness="200" damping="3" ref=".1"/>
        <joint name="d" type="ball" pos="0 0 .1" damping=".05"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".05"/>
        </body></body>""",
        '<option timestep="1e-4" integrator="RK4"><flag contact="disable"/></option>',
    )
    oracle = MjcfOracle(file)
    world = px.World(1, device=device, dtype="float64", dt=1e-4)
    robot = world.add_robot(file)
    start = np.array([0.3, -0.2, 0.15])
    joints = np.concatenate([start, np.zeros(3)])
    robot.set_joint_state(joints, np.array([1.0, 0.5, 0.2, 2.0, 1.0, -1.0]))
    oracle.data.qpos[:3], oracle.data.qvel[:] = start, [1.0, 0.5, 0.2, 2.0, 1.0, -1.0]
    world.step(3000)
    for _ in range(3000):
        mj.mj_step(oracle.model, oracle.data)
    mj.mj_kinematics(oracle.model, oracle.data)
    ours = host(robot.body_pose)[0]
    for body in ("a", "c"):
        place = oracle.data.xpos[oracle.body_names.index(body)]
        np.testing.assert_allclose(ours[robot.body_index(body), :3], place, atol=2e-4)  # first order in dt
    np.testing.assert_allclose(host(robot.joint_pos)[0, :3], oracle.data.qpos[:3], atol=3e-4)


def test_stiff_springs_are_stable_and_gravcomp_floats(tmp_path: Path, device: str) -> None:
    world = px.World(1, device=device, dt=0.01)
    file = save(
        tmp_path,
        f"""<body name="a" pos="0 0 1"><joint type="slide" axis="0 0 1" stiffness="1e7" springref=".25"/>{BALL}</body>
        <body name="b" pos="1 0 1" gravcomp="1"><freejoint/>{BALL}</body>
        <body name="c" pos="2 0 1" gravcomp=".5"><freejoint/>{BALL}</body>""",
    )
    added = world.add_mjcf(file)
    world.step(100)
    np.testing.assert_allclose(host(added.robots["a"].joint_pos), 0.25, atol=1e-3)
    np.testing.assert_allclose(host(added.objects["b"].root_pose)[0, 2], 1.0, atol=1e-6)
    np.testing.assert_allclose(host(added.objects["c"].root_vel)[0, 2], -0.5 * 9.81, rtol=1e-4)


def test_held_bodies_stay_together(tmp_path: Path, device: str) -> None:
    world = px.World(1, device=device, dt=0.002)
    added = world.add_mjcf(
        save(
            tmp_path,
            HELD,
            """<equality><weld name="ab" body1="a" body2="b"/><connect name="c" body1="c" anchor="0 0 .5"/>
            <weld name="d" body1="d"/></equality>
            <tendon><spatial name="rope" range="0 .5"><site site="ring"/><site site="e"/></spatial></tendon>""",
        )
    )
    assert {name: joint.kind for name, joint in added.joints.items()} == {
        "ab": "fixed",
        "c": "spherical",
        "d": "fixed",
        "rope": "distance",
    }
    objects = added.objects
    objects["c"].set_root_state(vel=[1.0, 0, 0, 0, 0, 0])
    world.step(150)
    at = {name: host(thing.root_pose)[0, :3] for name, thing in objects.items()}
    np.testing.assert_allclose(at["b"] - at["a"], [0.3, 0.0, 0.0], atol=1e-3)
    assert at["a"][2] < 1.7  # they fall
    np.testing.assert_allclose(at["d"], [0.0, 4.0, 2.0], atol=1e-3)
    turned = host(objects["c"].root_pose)[0]
    anchor = at["c"] + _rotate(turned[3:], np.array([0.0, 0.0, 0.5]))
    np.testing.assert_allclose(anchor, [0.0, 2.0, 2.5], atol=2e-3)
    assert abs(np.linalg.norm(at["c"] - [0.0, 2.0, 2.5]) - 0.5) < 2e-3
    np.testing.assert_allclose(np.linalg.norm(at["e"] - [0.0, 6.0, 2.3]), 0.5, atol=5e-3)


def _rotate(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    w, v = quaternion[0], quaternion[1:]
    return vector + 2.0 * np.cross(v, np.cross(v, vector) + w * vector)


def test_pairs_margins_and_excludes_decide_what_meets(tmp_path: Path, device: str) -> None:
    still = '<geom name="floor" type="plane" size="1 1 1" contype="0" conaffinity="0"/>'
    balls = "".join(
        f'<body name="{name}" pos="{x} 0 .35"><freejoint/><geom name="{name}" size=".1" {more}/></body>'
        for x, name, more in (
            (0, "falls", 'contype="0" conaffinity="0"'),
            (1, "paired", 'contype="0" conaffinity="0"'),
            (2, "padded", 'contype="0" conaffinity="0" margin=".05"'),
        )
    )
    boxes = """<body name="table" pos="5 0 0"><geom type="box" size="2 1 .1" pos="0 0 -.1"/></body>
    <body name="on" pos="5 0 .3"><freejoint/><geom size=".1"/></body>
    <body name="through" pos="6 0 .3"><freejoint/><geom size=".1"/></body>"""
    world = px.World(1, device=device, dt=0.004)
    added = world.add_mjcf(
        save(
            tmp_path,
            still + balls + boxes,
            """<contact><pair geom1="floor" geom2="paired"/><pair geom1="padded" geom2="floor"/>
            <exclude body1="table" body2="through"/></contact>""",
        )
    )
    world.step(250)
    heights = {name: float(host(thing.root_pose)[0, 2]) for name, thing in added.objects.items()}
    assert heights["falls"] < -1.0 and heights["through"] < -1.0
    np.testing.assert_allclose(heights["paired"], 0.1, atol=2e-3)
    np.testing.assert_allclose(heights["padded"], 0.15, atol=2e-3)
    np.testing.assert_allclose(heights["on"], 0.1, atol=2e-3)


def test_wrenches_of_joints_off_their_bodies_origins(tmp_path: Path, device: str) -> None:
    world = px.World(device=device, dtype="float64")
    robot = world.add_robot(
        save(
            tmp_path,
            """<body name="a"><joint axis="0 1 0" pos=".1 0 .5" damping="5"/><geom size=".1" pos=".1 0 -.2" mass="2"/>
            <body name="b" pos="0 0 -.3"><geom size=".1" pos="0 .1 .1" mass="1"/></body></body>""",
        )
    )
    world.step(4000)  # until it hangs still
    pose, weight = host(robot.body_pose)[0], np.array([0.0, 0.0, -9.81])
    turned = [_rotate(p[3:] * [1, -1, -1, -1], weight) for p in pose]  # in each body's frame
    a, b = (robot.body_index(name) for name in ("a", "b"))
    wrench = host(robot.incoming_joint_wrench)[0]
    whole = np.array([0.1, 0.0, -0.2]) * 2.0 + np.array([0.0, 0.1, -0.2])  # mass times arm from the frame of a
    np.testing.assert_allclose(wrench[a, :3], -3.0 * turned[a], atol=1e-6)
    np.testing.assert_allclose(wrench[a, 3:], -np.cross(whole, turned[a]), atol=1e-6)
    np.testing.assert_allclose(wrench[b, :3], -turned[b], atol=1e-6)
    np.testing.assert_allclose(wrench[b, 3:], -np.cross([0.0, 0.1, 0.1], turned[b]), atol=1e-6)


def test_loops_and_tendons_through_sites(tmp_path: Path, device: str) -> None:
    """A four-bar linkage closed by <connect>, and a string through three sites, whose length MuJoCo tells."""
    file = save(
        tmp_path,
        """<site name="s0" pos="0 1 0"/>
        <body name="crank" pos="0 0 1"><joint name="crank" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .5"
          size=".03"/><site name="s1" pos="0 .1 .25"/>
          <body name="rod" pos="0 0 .5"><joint name="rod" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0"
            size=".03"/><site name="s2" pos=".5 .1 0"/>
            <body name="rocker" pos="1 0 0"><joint name="rocker" axis="0 1 0"/><geom type="capsule"
              fromto="0 0 0 0 0 -.5" size=".03"/><site name="s3" pos="0 .1 -.2"/></body></body></body>""",
        """<equality><connect body1="rocker" anchor="0 0 -.5"/></equality>
        <tendon><spatial name="string" range="0 3"><site site="s1"/><site site="s2"/><site site="s3"/></spatial>
        </tendon>
        <option><flag contact="disable"/></option>""",
    )
    oracle = MjcfOracle(file)
    world = px.World(1, device=device, dt=0.002)
    robot = world.add_mjcf(file).robots["crank"]
    rng = np.random.default_rng(2)
    q = rng.uniform(-1, 1, 3)
    robot.set_joint_state(q)
    world.compute("actuate")
    oracle.data.qpos[:] = q
    mj.mj_forward(oracle.model, oracle.data)
    np.testing.assert_allclose(host(robot.spatial_tendon_length)[0], oracle.data.ten_length, rtol=1e-6)
    robot.set_joint_state(np.zeros(3), np.array([1.0, -1.0, 1.0]))  # as the linkage allows
    world.step(300)
    tip = host(robot.body_pose)[0, robot.body_index("rocker")]
    np.testing.assert_allclose(tip[:3] + _rotate(tip[3:], np.array([0, 0, -0.5])), [1.0, 0.0, 1.0], atol=2e-3)
    assert abs(float(host(robot.joint_pos)[0, 0])) > 0.1
