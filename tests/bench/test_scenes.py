"""Every benchmark scene is the same model here and in MuJoCo: masses, dofs, shapes, inertia, start and controls."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import mujoco
import numpy as np
import pytest

from phalanx import World
from phalanx.bench import DEFAULT, FAMILIES, SCENES, choose, export, mujoco_peer
from phalanx.bench.build import Setup, set_up
from phalanx.bench.declare import Drives, MujocoOptions, Scene
from phalanx.bench.robots import humanoid as man
from phalanx.bench.robots.g1 import g1
from phalanx.bench.robots.panda import panda
from phalanx.maths.arrays import matrix
from phalanx.models.articulation import flatten
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

mj: Any = mujoco


def test_scenes_are_what_the_benchmarks_promise():
    assert set(DEFAULT) >= {
        "humanoid", "three_humanoids", "panda", "quadruped", "g1", "cartpole", "boxes", "gripper",
    }  # fmt: skip
    dofs = {name: dofs_of(SCENES[name]) for name in SCENES if name not in FAMILIES["large"]}
    assert dofs["humanoid"] == 27 and dofs["three_humanoids"] == 81 and dofs["panda"] == 9
    assert dofs["quadruped"] == 6 + 12 and dofs["g1"] == 6 + 29 and dofs["boxes"] == 64 * 6
    assert [dofs[name] for name in FAMILIES["chains"]] == [2, 4, 8, 16, 32, 64]
    assert [dofs[name] for name in FAMILIES["spheres"]] == [6, 12, 24, 48, 96, 192, 384]
    assert [dofs[name] for name in FAMILIES["boxes_apart"]] == [6, 12, 24, 48, 96, 192, 384]
    assert [dofs[name] for name in FAMILIES["stacks"]] == [24, 48, 96, 192, 384]
    for scene in SCENES.values():
        assert scene.dt == 0.005 and scene.watch and scene.doc
        assert scene.steps % scene.hold == 0
    assert FAMILIES["soft"] == ("soft_cube", "soft_lift") and dofs["soft_lift"] == 3
    assert {1, 256, 4096, 8192, 32768} <= set(SCENES["humanoid"].cuda_envs)


def dofs_of(scene: Scene) -> int:
    return sum(actor.num_velocities for actor in set_up(scene, 1).world.actors.values())


def test_masses_are_the_published_ones():
    for model, mass, free in ((man.humanoid(), man.MASS, True), (g1(), 33.341, True), (panda(), 17.451901, False)):
        assert sum(link.mass for link in flatten(model, not free).links) == pytest.approx(mass, rel=1e-9)


def test_families_and_names():
    assert [scene.name for scene in choose(["chains"])] == list(FAMILIES["chains"])
    assert [scene.name for scene in choose([])] == list(DEFAULT)
    assert [scene.name for scene in choose(["arm", "arm", "panda"])] == ["arm", "panda"]
    with pytest.raises(ValueError, match=r"no benchmark named swim; there are humanoid, three_humanoids"):
        choose(["swim"])


def test_length_of_a_run():
    scene = Scene("s", "", steps=1000, hold=50, cpu_work=100_000)
    assert scene.frames(1, "cpu") == 20 and scene.frames(250, "cpu") == 8 and scene.frames(100_000, "cpu") == 2
    assert scene.frames(100_000, "cuda:0") == 20
    assert scene.frames(7, "cpu", steps=101) == 3  # whole stretches


@pytest.mark.parametrize("name", [*DEFAULT, "chain_8", "spheres_4", "boxes_apart_2", "stacks_8"])
def test_mujoco_is_given_the_same_model(name: str):
    setup = set_up(SCENES[name], 2)
    compiled, data = mujoco_peer.model(setup)
    world = setup.world
    actors = list(world.actors.values())
    assert compiled.nv == sum(actor.num_velocities for actor in actors)
    assert compiled.ngeom == sum(actor.num_shapes for actor in actors) + int(SCENES[name].ground)
    assert compiled.nu == len(setup.actuators)
    masses = sum(link.mass for actor in actors for link in actor.part.articulation.links)
    assert compiled.body_mass.sum() == pytest.approx(masses, rel=1e-12)
    for body in SCENES[name].watch:
        assert compiled.body(body).id > 0
    np.testing.assert_allclose(setup.heights(), np.mean([data.body(b).xpos[2] for b in SCENES[name].watch]), atol=2e-6)


@pytest.mark.parametrize("name", ["humanoid", "panda", "g1", "gripper"])
def test_inertia_in_joint_space_is_mujocos(name: str):
    """At the start, with armature, the panda's products of inertia and the humanoid's compound joints."""
    setup = set_up(SCENES[name], 2)
    compiled, data = mujoco_peer.model(setup)
    full = np.zeros((compiled.nv, compiled.nv))
    mj.mj_fullM(compiled, data, full)
    for robot in setup.world.robots.values():
        ours = np.asarray(robot.mass_matrix()[0], float)
        rows = [int(compiled.joint(f"{robot.name}/{joint}").dofadr[0]) for joint in robot.joint_names]
        if not robot.fixed_base:
            root = int(compiled.joint(f"{robot.name}/root").dofadr[0])
            rows = [*range(root, root + 6), *rows]
            to_world = np.eye(len(rows))  # MuJoCo's angular velocity is in the body's axes
            to_world[3:6, 3:6] = matrix(robot.default_root_pose[3:])
            ours = to_world.T @ ours @ to_world
        theirs = full[np.ix_(rows, rows)]
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6 * np.abs(full).max())
        np.testing.assert_allclose(np.diag(ours), np.diag(theirs), rtol=2e-6)


def test_exported_scenes_come_back_the_same_to_the_bit(tmp_path):
    """Written as MJCF and read again, a humanoid falls in just the same way: writer and reader share no code."""
    scene = SCENES["humanoid"]
    setup = set_up(scene, 2)
    world = World(num_envs=2, dt=scene.dt, contact_offset=scene.contact_offset, max_contacts=scene.max_contacts)
    path = export([scene], tmp_path)[0]
    path.write_text(re.sub(r' sol(ref|imp)\w*="[^"]*"', "", path.read_text()))  # how soft MuJoCo's contacts are to be
    world.add_mjcf(path)
    ours, back = setup.world.robots["humanoid"], next(iter(world.robots.values()))
    assert [name.removeprefix("humanoid/") for name in back.joint_names] == ours.joint_names
    back.set_joint_state(pos=ours.joint_pos)  # the file's own start is in its keyframe
    back.set_root_state(pose=ours.root_pose)
    np.testing.assert_array_equal(back.mass_matrix(), ours.mass_matrix())
    for _ in range(2):
        setup.world.step(30)
        world.step(30)
        np.testing.assert_array_equal(back.joint_pos, ours.joint_pos)
        np.testing.assert_array_equal(back.root_pose, ours.root_pose)
    assert float(ours.root_pose[0, 2]) < man.START_HEIGHT - 0.04


def test_soft_scenes(tmp_path):
    """A cube of 1,080 tetrahedra, whose mean height is what is watched; nothing is exported."""
    setup = set_up(SCENES["soft_lift"], 2)
    assert len(setup.world.deformables["cube"].mesh.tets) == 1080
    np.testing.assert_allclose(setup.heights(), 0.0305, atol=1e-5)
    with pytest.raises(ValueError, match="soft_lift has deformable bodies"):
        export([SCENES["soft_lift"]], tmp_path / "models")
    assert not (tmp_path / "models").exists()


def test_controls_do_not_depend_on_the_number_of_environments():
    few, many = (set_up(SCENES["humanoid"], count) for count in (3, 40))
    for frame in (0, 5):
        np.testing.assert_array_equal(few.controls(frame), many.controls(frame)[:3])
    assert not np.array_equal(few.controls(0), few.controls(1))
    gears = few.drives["humanoid"].gears
    assert np.abs(many.controls(2)).max(axis=0) == pytest.approx(0.01 * gears, rel=0.2)


def test_controls_reach_the_joints_by_name():
    setup = set_up(SCENES["gripper"], 2)
    setup.apply(setup.controls(3))
    robot = setup.world.robots["gripper"]
    assert robot.joint_effort_target[1] == pytest.approx(
        [8.0 if "close" in name else 0.0 for name in robot.joint_names]
    )
    lifted = 0.04 * 3 * setup.scene.hold * setup.scene.dt  # m
    assert robot.joint_pos_target[0, robot.joint_index("lift")] == pytest.approx(lifted)
    assert [actuator_name(setup, n) for n in range(len(setup.actuators))] == [
        mujoco_peer.model(setup)[0].actuator(n).name.removesuffix(":torque") for n in range(len(setup.actuators))
    ]


def actuator_name(setup: Setup, number: int) -> str:
    actuator = setup.actuators[number]
    return f"{actuator.robot}/{setup.world.robots[actuator.robot].joint_names[actuator.joint]}"


def test_robots_that_may_not_touch_themselves_have_bits_of_their_own():
    compiled, _ = mujoco_peer.model(set_up(SCENES["quadruped"], 1))
    moving = np.flatnonzero(compiled.geom_bodyid > 0)
    types, affinities = compiled.geom_contype[moving], compiled.geom_conaffinity[moving]
    assert (types & affinities == 0).all() and len(set(types)) == 1
    ground = np.flatnonzero(compiled.geom_bodyid == 0)
    assert (compiled.geom_contype[ground] & affinities[0]).all()


def test_hulls_and_frictions_of_their_own_are_written():
    """A wedge with its own coefficient, and a robot that may touch itself, but not the child of its fixed base.

    MuJoCo leaves out contacts of a body with its parent, but not where the parent is fixed to the world.
    """
    corners = np.array([(x, y, z) for x in (0.0, 0.2) for y in (0.0, 0.1) for z in (0.0, 0.1) if x == 0.0 or z == 0.0])
    wedge = Shape("mesh", vertices=corners, position=(0.0, 0.0, 0.01), material={"static_friction": 0.3})
    box, inertia = Shape("box", (0.05, 0.05, 0.05)), 1e-3 * np.eye(3)
    bodies = [Body(name, 1.0, inertia=inertia, collisions=[box]) for name in ("foot", "shank", "thigh")]
    joints = [
        Joint(f"to {below}", "prismatic", above, below, (0.0, 0.0, 0.08), axis=(0.0, 0.0, 1.0))
        for above, below in pairwise(["foot", "shank", "thigh"])
    ]
    world = World(1)
    world.add_rigid_object(wedge, "wedge", mass=1.0, position=(1.0, 0.0, 0.0))
    world.add_robot(RobotModel("leg", bodies, joints), "leg", True, friction=0.7, self_collision=True)
    drives = {"leg": Drives(*(np.zeros(2) for _ in range(5)))}
    compiled, data = mujoco_peer.model(Setup(Scene("s", "", mujoco=MujocoOptions(cone="elliptic")), world, drives, []))
    assert compiled.opt.cone == int(mj.mjtCone.mjCONE_ELLIPTIC)
    np.testing.assert_allclose(compiled.geom_friction[:, 0], [0.3, 0.7, 0.7, 0.7])
    at, turned = data.geom_xpos[0], data.geom_xmat[0].reshape(3, 3)
    first, count = compiled.mesh_vertadr[0], compiled.mesh_vertnum[0]
    found = compiled.mesh_vert[first : first + count] @ turned.T + at
    wanted = corners + (1.0, 0.0, 0.01)
    assert count == len(corners)
    np.testing.assert_allclose(found[np.lexsort(found.round(5).T)], wanted[np.lexsort(wanted.round(5).T)], atol=1e-6)
    assert data.ncon == 0, "links overlap with those next to them only"
    thigh = compiled.body("leg/thigh").id
    data.qpos[compiled.joint("leg/to thigh").qposadr[0]] = -0.08  # m: onto the foot, too
    mj.mj_forward(compiled, data)
    assert {frozenset(compiled.geom_bodyid[list(one.geom)]) for one in data.contact} == {frozenset((thigh, thigh - 2))}
