"""Worlds from USD: surfaces, options, what collides with what, that they can be saved, and how they move."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import host
from usd_files import BALL, body, joint, prim, read, save, stage

import phalanx as px
from phalanx import components as c
from phalanx.io.formats.scene_file import Ground
from phalanx.io.formats.usd import Scene
from phalanx.io.formats.usd.bindings import UsdPhysics
from phalanx.io.formats.usd.collision_groups import CollisionGroups
from phalanx.io.formats.usd.frames import Units
from phalanx.io.formats.usd.notes import Notes
from phalanx.io.formats.usd.values import Reading
from phalanx.models.robot_model import Shape

ROOT = "PhysicsArticulationRootAPI"
QUIET = "float physxRigidBody:angularDamping = 0\n"


def colliders(scene: Scene) -> dict[str, Shape | Ground]:
    found: dict[str, Shape | Ground] = {
        shape.name: shape for actor in scene.actors.values() for one in actor.model.bodies for shape in one.collisions
    }
    return found | {ground.name: ground for ground in scene.grounds}


def meet(a: Shape | Ground, b: Shape | Ground) -> bool:
    return bool(a.contact_type & b.contact_affinity | b.contact_type & a.contact_affinity)


def sphere(name: str, more: str = "", schemas: str = "") -> str:
    return prim("Sphere", name, more, f"PhysicsCollisionAPI {schemas}")


def group(name: str, members: str, filtered: str = "", more: str = "") -> str:
    inside = f"rel collection:colliders:includes = [{members}]\nrel physics:filteredGroups = [{filtered}]\n{more}"
    return prim("PhysicsCollisionGroup", name, inside, "CollectionAPI:colliders")


def test_groups_and_pairs_of_colliders_let_meet_what_usdphysics_does() -> None:
    names = ["s0", "s1", "s2", "s3", "s4", "floor"]
    text = "".join(sphere(name) for name in names[:4])
    text += sphere("s4", "rel physics:filteredPairs = [</s0>, </floor>]", "PhysicsFilteredPairsAPI")
    text += prim("Plane", "floor", "", "PhysicsCollisionAPI")
    text += group("g0", "</s0>, </s1>", "</g1>, </g0>") + group("g1", "</s2>, </s1>")
    text += group("g2", "</s3>", "</floor_group>") + group("floor_group", "</floor>")
    scene = read(text)
    found = {name.strip("/"): one for name, one in colliders(scene).items()}
    apart = {("s0", "s1"), ("s0", "s2"), ("s1", "s2"), ("s0", "s4"), ("s4", "floor"), ("s3", "floor")}
    for a, b in itertools.combinations(names, 2):
        assert meet(found[a], found[b]) == ((a, b) not in apart), (a, b)
    from_elsewhere = px.Shape("sphere", (1.0,))
    assert all(meet(from_elsewhere, one) for one in found.values())
    assert scene.warnings == []


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_groups_collide_as_usdphysics_has_it(data: st.DataObject) -> None:
    """The table of the groups in use is that which USD computes of all of them.

    USD's own table gives merged groups different answers where the second of two is merged with one that comes before
    the first. There, groups that are merged must answer alike.
    """
    count = data.draw(st.integers(1, 5))
    text, names = "", []
    for i in range(count):
        targets = data.draw(st.sets(st.integers(0, count - 1)))
        more = f"bool physics:invertFilteredGroups = {int(data.draw(st.booleans()))}\n"
        if merged := data.draw(st.sampled_from(["", "one", "two"])):
            more += f'string physics:mergeGroup = "{merged}"\n'
        names.append(merged or f"g{i}")
        text += group(f"g{i}", "", ", ".join(f"</g{j}>" for j in sorted(targets)), more)
    whole = stage(text)
    reading = Reading(whole, Units.of(whole), Notes("groups"))
    paths = [f"/g{i}" for i in range(count)]
    used = data.draw(st.sets(st.sampled_from(paths), min_size=1))
    found, table = CollisionGroups(reading, used), UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(whole)
    for one, other in itertools.product(sorted(used), repeat=2):
        assert found.collide(one, other) == found.collide(other, one)
        mine, theirs = names[paths.index(one)], names[paths.index(other)]
        if one <= other and names.index(mine) <= names.index(theirs):
            assert found.collide(one, other) == table.IsCollisionEnabled(one, other), (one, other, text)
        for twin in used:
            if names[paths.index(twin)] == mine:
                assert found.collide(one, other) == found.collide(twin, other)


def test_a_scene_that_turns_filters_round() -> None:
    """Groups of environments, each with itself and with what is global, as Isaac Sim's cloner writes them."""
    text = "".join(sphere(name) for name in ("a0", "a1", "b0", "floor", "free"))
    text += prim("PhysicsScene", "physics", "bool physxScene:invertCollisionGroupFilter = 1")
    text += group("ga", "</a0>, </a1>", "</ga>, </all>") + group("gb", "</b0>", "</gb>, </all>")
    text += group("all", "</floor>", "</all>, </ga>, </gb>")
    found = {name.strip("/"): one for name, one in colliders(read(text)).items()}
    apart = {("a0", "b0"), ("a1", "b0")}
    for a, b in itertools.combinations(("a0", "a1", "b0", "floor", "free"), 2):
        assert meet(found[a], found[b]) == ((a, b) not in apart), (a, b)


def test_inverted_and_merged_groups() -> None:
    text = sphere("a") + sphere("b") + sphere("c")
    text += group("g0", "</a>", "</g1>", "bool physics:invertFilteredGroups = 1") + group("g1", "</b>")
    text += group("g2", "</c>")
    found = colliders(read(text))
    assert [meet(found[a], found[b]) for a, b in (("/a", "/b"), ("/a", "/c"), ("/b", "/c"))] == [True, False, True]


@pytest.mark.parametrize("schemas", ["", ROOT])
def test_a_body_and_the_static_collider_that_it_is_joined_to_do_not_collide(schemas: str) -> None:
    wall = prim("Cube", "wall", "", "PhysicsCollisionAPI")
    for said, apart in ((0, [(("door", "door"), ("wall", "wall"))]), (1, [])):
        hinge = joint("RevoluteJoint", "j", "/wall", "/door", f"bool physics:collisionEnabled = {said}")
        world = px.World()
        added = world.add_usd(stage(wall + body("door", schemas=schemas) + hinge))
        assert next(iter(added.robots or added.objects)) == "door" and world._separated == apart


@pytest.mark.usefixtures("compile_less")
def test_pairs_of_bodies_and_articulations(device: str) -> None:
    pair = "PhysicsFilteredPairsAPI"
    robot = prim(
        "Xform",
        "r",
        body("a")
        + body("b", BALL, (1, 0, 0))
        + body("c", BALL + "rel physics:filteredPairs = </r/a>\n", (2, 0, 0), pair)
        + joint("RevoluteJoint", "j", "/r/a", "/r/b", "point3f physics:localPos0 = (1, 0, 0)")
        + joint("RevoluteJoint", "k", "/r/b", "/r/c", "point3f physics:localPos0 = (1, 0, 0)"),
        ROOT,
    )
    loose = body("x", BALL + "rel physics:filteredPairs = [</r>, </y>]\n", (5, 0, 0), pair) + body("y", BALL, (6, 0, 0))
    world = px.World(device=device)
    added = world.add_usd(stage(robot + loose))
    assert added.robots["r"].model.disabled_pairs == [("c", "a")]
    assert added.robots["r"].part.self_collision
    world.build()
    # Of ten pairs of bodies: two are joined, c-a, x with three and x-y are filtered; y meets a, b and c.
    assert world.engine.store.rows(c.AllowedPair) == 3


@pytest.mark.usefixtures("compile_less")
def test_surfaces_and_options_are_those_of_usd_and_physx(device: str) -> None:
    text = (
        prim(
            "Material",
            "rubber",
            "float physics:staticFriction = 0.9\nfloat physics:dynamicFriction = 0.7\nfloat physics:restitution = 0.4\n"
            'uniform token physxMaterial:frictionCombineMode = "max"\nfloat physics:density = 2000',
            "PhysicsMaterialAPI PhysxMaterialAPI",
        )
        + body(
            "b",
            BALL.replace("double", "float physxCollision:contactOffset = 0.05\ndouble").replace(
                "double", "float physxCollision:restOffset = 0.01\ndouble"
            )
            + """rel material:binding:physics = </rubber>
            float physxRigidBody:linearDamping = 0.3
            float physxRigidBody:maxLinearVelocity = 7
            float physxRigidBody:maxAngularVelocity = 180
            float physxRigidBody:maxDepenetrationVelocity = 2
            float physxRigidBody:sleepThreshold = 0.01
            int physxRigidBody:solverPositionIterationCount = 9
            int physxRigidBody:lockedRotAxis = 5
            bool physxRigidBody:disableGravity = 1
            """,
            schemas="MaterialBindingAPI PhysxRigidBodyAPI",
        )
        + body("plain")
        + prim("PhysicsScene", "scene", "uint physxScene:timeStepsPerSecond = 200")
    )  # fmt: skip
    scene = read(text)
    actor = scene.actors["b"]
    found = actor.model.bodies[0]
    assert found.gravity_scale == 0.0 and found.mass == pytest.approx(2000 * 4 / 3 * math.pi * 1e-3)
    assert found.collisions[0].material == {
        "static_friction": pytest.approx(0.9),
        "dynamic_friction": pytest.approx(0.7),
        "restitution": pytest.approx(0.4),
        "friction_combine": "max",
        "restitution_combine": "average",
    }
    assert (found.collisions[0].contact_offset, found.collisions[0].rest_offset) == (
        pytest.approx(0.05),
        pytest.approx(0.01),
    )
    assert actor.locked_axes == (False, False, False, True, False, True)
    assert actor.model.options == {
        "linear_damping": pytest.approx(0.3),
        "angular_damping": 0.05,
        "max_linear_velocity": 7.0,
        "max_angular_velocity": pytest.approx(math.pi),
        "max_depenetration_velocity": 2.0,
        "sleep_threshold": pytest.approx(0.01),
        "position_iterations": 9,
    }
    plain = scene.actors["plain"].model
    assert plain.options == {"linear_damping": 0.0, "angular_damping": 0.05, "max_angular_velocity": 100.0}
    assert (plain.bodies[0].collisions[0].material or {})["static_friction"] == 0.5
    assert scene.options.timestep == 0.005 and scene.options.gravity == (0.0, 0.0, -9.81)
    assert scene.warnings == []
    world = px.World(device=device, dtype="float64")
    added = world.add_usd(stage(text))
    np.testing.assert_allclose(host(added.objects["b"].material)[0, 0], [0.9, 0.7, 0.4])
    assert world.solver_iterations[0] == 9


def test_options_of_users_go_before_those_of_the_file(tmp_path: Path) -> None:
    file = save(tmp_path, body("b", BALL + "float physxRigidBody:linearDamping = 0.3\n"))
    world = px.World()
    thing = world.add_rigid_object(str(file), "b", linear_damping=0.1, friction=0.2)
    assert thing.part.linear_damping == 0.1 and thing.part.angular_damping == 0.05
    assert thing.part.material_given and thing.part.static_friction == 0.2


DRIVE = """uniform token physics:axis = "Y"
float drive:angular:physics:stiffness = 0.3
float drive:angular:physics:damping = 0.05
float drive:angular:physics:targetPosition = 50
float physxJoint:armature = 0.05
point3f physics:localPos1 = (0, 0, 0.5)
"""
ROD = (
    """float physics:mass = 1.5
float3 physics:diagonalInertia = (0.2, 0.15, 0.1)
quatf physics:principalAxes = (0.9238795, 0.3826834, 0, 0)
point3f physics:centerOfMass = (0.02, 0.01, 0.05)
"""
    + QUIET
)
PENDULUM = (
    prim(
        "Xform",
        "p",
        body("upper", ROD, (0, 0, 1.5), "PhysxRigidBodyAPI")
        + body("lower", ROD, (0, 0, 0.5), "PhysxRigidBodyAPI")
        + joint(
            "RevoluteJoint",
            "shoulder",
            "",
            "/p/upper",
            'uniform token physics:axis = "X"\npoint3f physics:localPos0 = (0, 0, 2)\n'
            "point3f physics:localPos1 = (0, 0, 0.5)\nfloat state:angular:physics:position = 60",
            "PhysicsJointStateAPI:angular",
        )
        + joint(
            "RevoluteJoint",
            "elbow",
            "/p/lower",
            "/p/upper",
            DRIVE.replace("Pos1", "Pos0") + "point3f physics:localPos1 = (0, 0, -0.5)",
            "PhysicsDriveAPI:angular",
        ),
        ROOT,
    )
    + prim("Cube", "slope", "double size = 2\ndouble3 xformOp:translate = (8, 0, 0)\n"
           "quatf xformOp:orient = (0.9659258, 0, 0.258819, 0)\ndouble3 xformOp:scale = (5, 5, 0.5)\n"
           'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]\n'
           "rel material:binding:physics = </ice>", "PhysicsCollisionAPI MaterialBindingAPI")
    + prim("Material", "ice", "float physics:staticFriction = 0.2\nfloat physics:dynamicFriction = 0.2",
           "PhysicsMaterialAPI")
    + body("block", QUIET + prim("Cube", "box", "double size = 0.4\nrel material:binding:physics = </ice>",
           "PhysicsCollisionAPI MaterialBindingAPI"), (8, 0, 0))
)  # fmt: skip
XML = """<mujoco><compiler angle="degree"/><option integrator="RK4" timestep=".0005" gravity="0 0 -9.81"/><worldbody>
<body pos="0 0 1.5"><joint axis="1 0 0" pos="0 0 .5"/><inertial pos=".02 .01 .05" mass="1.5"
 quat="0.9238795 0.3826834 0 0" diaginertia=".2 .15 .1"/>
<body pos="0 0 -1"><joint axis="0 -1 0" pos="0 0 .5" armature=".05"/><inertial pos=".02 .01 .05" mass="1.5"
 quat="0.9238795 0.3826834 0 0" diaginertia=".2 .15 .1"/></body></body></worldbody>
</mujoco>"""


def test_motion_is_that_of_mujoco_and_of_a_block_on_a_slope(device: str) -> None:
    """A pendulum of skew rods with a driven elbow whose frames are the wrong way round; Coulomb's law on 30 degrees."""
    model = mujoco.MjModel.from_xml_string(XML)  # pyright: ignore[reportAttributeAccessIssue]
    data = mujoco.MjData(model)  # pyright: ignore[reportAttributeAccessIssue]
    data.qpos[:] = math.radians(60), 0.0
    world = px.World(device=device, dtype="float64", dt=1e-3, substeps=2)
    added = world.add_usd(stage(PENDULUM))
    robot, block = added.robots["p"], added.objects["block"]
    assert robot.joint_names == ["shoulder", "elbow"]
    tilt = [math.cos(math.pi / 12), 0.0, math.sin(math.pi / 12), 0.0]
    block.set_root_state(pose=[8 + 0.7 * 0.5, 0.0, 0.7 * math.sqrt(0.75), *tilt])
    stiffness, damping, target = 0.3 * 180 / math.pi, 0.05 * 180 / math.pi, math.radians(50)
    for _ in range(10):
        world.step(50)
        for _ in range(100):
            data.qfrc_applied[1] = stiffness * (target - data.qpos[1]) - damping * data.qvel[1]
            mujoco.mj_step(model, data)  # pyright: ignore[reportAttributeAccessIssue]
        np.testing.assert_allclose(host(robot.joint_pos)[0], data.qpos, atol=4e-3)
    # What it has slid: the slope's pull less friction, from rest, for half a second.
    moved = host(block.root_pose)[0, :3] - [8.35, 0.0, 0.7 * math.sqrt(0.75)]
    along = 9.81 * (math.sin(math.pi / 6) - 0.2 * math.cos(math.pi / 6)) * 0.5**2 / 2
    np.testing.assert_allclose(moved, along * np.array([math.sqrt(0.75), 0.0, -0.5]), atol=2e-3)


@pytest.mark.usefixtures("compile_less")
def test_worlds_from_usd_can_be_saved(tmp_path: Path, device: str) -> None:
    world = px.World(device=device)
    added = world.add_usd(stage(PENDULUM), prefix="x_")
    world.build()
    world.save(tmp_path / "world.npz")
    again = px.World.load(tmp_path / "world.npz", device=device)
    assert list(again.robots) == ["x_p"] and again.robots["x_p"].model.drives == added.robots["x_p"].model.drives
    np.testing.assert_array_equal(host(again[c.Drive].stiffness), host(world[c.Drive].stiffness))
