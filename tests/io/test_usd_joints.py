"""Joints of USD files: all kinds, in trees and in loops, with drives, limits and what PhysX adds."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from oracles import host
from oracles.base import positive
from oracles.mjcf_oracle import MjcfOracle
from usd_files import BALL, body, joint, prim, read, stage

import phalanx as px
from phalanx.io.formats.usd import Scene, read_stage
from phalanx.io.formats.usd.bindings import Gf, UsdGeom
from phalanx.io.formats.usd.joints import AXES
from phalanx.maths.arrays import matrix
from phalanx.models.pose import body_frames
from phalanx.models.robot_model import Mimic, RobotModel

ROOT = "PhysicsArticulationRootAPI"


def two(kind: str, inside: str = "", schemas: str = "", **more: str) -> str:
    """A robot of two bodies, b 1 m along x of a, with a joint "j" at b."""
    end = "point3f physics:localPos0 = (1, 0, 0)\n"
    return prim(
        "Xform",
        "r",
        body("a")
        + body("b", BALL, (1, 0, 0))
        + joint(kind, "j", "/r/a", "/r/b", end + inside, schemas)
        + "".join(more.values()),
        ROOT,
    )


def model_of(scene: Scene) -> RobotModel:
    (actor,) = scene.actors.values()
    return actor.model


def limits(*locked: str, **free: tuple[float, float]) -> tuple[str, str]:
    """Attributes and schemas of a generic joint's limits."""
    ends = {**dict.fromkeys(locked, (1.0, -1.0)), **free}
    text = "".join(
        f"float limit:{a}:physics:low = {lo}\nfloat limit:{a}:physics:high = {hi}\n" for a, (lo, hi) in ends.items()
    )
    return text, " ".join(f"PhysicsLimitAPI:{axis}" for axis in ends)


@pytest.mark.parametrize("backwards", [False, True])
def test_generic_joints_stand_as_they_are_drawn(backwards: bool) -> None:
    rng = np.random.default_rng(3)
    cases = [tuple(c) for n in (1, 2, 3) for c in itertools.combinations(AXES, n)]
    for free in cases:
        if len(free) == 3 and all(axis.startswith("rot") for axis in free):
            continue  # a ball joint
        text, schemas = limits(*(axis for axis in AXES if axis not in free))
        local = [Gf.Matrix4d(Gf.Rotation(Gf.Vec3d(*rng.normal(size=3).tolist()), float(rng.uniform(0, 180))),
                             Gf.Vec3d(*rng.normal(size=3).tolist())) for _ in (0, 1)]  # fmt: skip
        values = {axis: float(rng.uniform(-1, 1)) for axis in free}
        motion = Gf.Matrix4d(1.0)
        for axis in sorted(free, key=lambda a: (a.startswith("rot"), a), reverse=True):  # rows: the first acts last
            unit = Gf.Vec3d(*np.eye(3)["XYZ".index(axis[-1])].tolist())
            step = Gf.Matrix4d(1.0)
            if axis.startswith("rot"):
                step.SetRotate(Gf.Rotation(unit, math.degrees(values[axis])))
            else:
                step.SetTranslate(unit * values[axis])
            motion = motion * step
        place = local[1].GetInverse() * motion * local[0]  # of b in a
        made = stage(two("Joint", text, schemas))
        prim_of = made.GetPrimAtPath
        UsdGeom.Xformable(prim_of("/r/b")).ClearXformOpOrder()
        UsdGeom.Xformable(prim_of("/r/b")).AddTransformOp().Set(place)
        for n, frame in enumerate(local):
            prim_of("/r/j").GetAttribute(f"physics:localPos{n}").Set(Gf.Vec3f(frame.ExtractTranslation()))
            prim_of("/r/j").GetAttribute(f"physics:localRot{n}").Set(Gf.Quatf(frame.ExtractRotationQuat()))
        if backwards:
            prim_of("/r").RemoveAppliedSchema(ROOT)
            prim_of("/r/b").AddAppliedSchema(ROOT)
        scene = read_stage(made)
        model = model_of(scene)
        assert scene.warnings == [], free
        names = {axis: "j" if len(free) == 1 else f"j:{axis}" for axis in free}
        for axis, name in names.items():
            assert model.joint_pos[name] == pytest.approx(values[axis], abs=1e-5), (free, axis)
        frames = body_frames(model, model.joint_pos, model.position or (), model.orientation or ())
        other = "a" if backwards else "b"
        expected = np.eye(4) if backwards else np.array(place).T
        np.testing.assert_allclose(frames[other][0], expected[:3, :3], atol=1e-5, err_msg=str(free))
        np.testing.assert_allclose(frames[other][1], expected[:3, 3], atol=1e-5)


def test_generic_joints_become_the_kind_that_they_are() -> None:
    trans, rot = AXES[:3], AXES[3:]
    for locked, kind in ((AXES, "fixed"), (trans, "spherical"), ((*trans, *rot[:2]), "continuous")):
        text, schemas = limits(*locked)
        assert model_of(read(two("Joint", text, schemas))).joints[0].type == kind
    text, schemas = limits(*trans, rotX=(-10, 20), rotY=(-30, 30), rotZ=(-30, 30))
    ball = model_of(read(two("Joint", text, schemas))).joints[0]
    np.testing.assert_allclose(np.degrees((ball.lower, ball.upper, ball.swing_limit)), (-10, 20, 30), rtol=1e-6)
    text, schemas = limits(*trans, rotX=(-10, 20), rotY=(-90, 15), rotZ=(-30, 30))
    hip = model_of(read(two("Joint", text, schemas)))  # no cone: each angle has limits of its own
    assert [(one.name, one.type) for one in hip.joints] == [(f"j:{axis}", "revolute") for axis in rot]
    bounds = [(math.degrees(one.lower), math.degrees(one.upper)) for one in hip.joints]
    np.testing.assert_allclose(bounds, [(-10, 20), (-90, 15), (-30, 30)], rtol=1e-6)
    text, schemas = limits(*trans, "rotZ", rotX=(-10, 20))
    chain = model_of(read(two("Joint", text, schemas)))
    assert [(one.name, one.type) for one in chain.joints] == [("j:rotX", "revolute"), ("j:rotY", "continuous")]
    assert [one.hidden for one in chain.bodies] == [False, True, False]


def test_spherical_joints_have_cones_and_start_as_drawn() -> None:
    text = 'uniform token physics:axis = "Z"\nfloat physics:coneAngle0Limit = 40\nfloat physics:coneAngle1Limit = 40\n'
    turned = "quatf physics:localRot0 = (0.9238795, 0.3826834, 0, 0)\n"
    model = model_of(read(two("SphericalJoint", text + turned)))
    (ball,) = model.joints
    assert ball.axis == (0.0, 0.0, 1.0) and math.degrees(ball.swing_limit) == pytest.approx(40)
    assert model.joint_pos == {"j:rx": pytest.approx(-math.pi / 4, abs=1e-6)}
    free = model_of(read(two("SphericalJoint"))).joints[0]
    assert (free.swing_limit, free.lower, free.upper) == (math.inf, -math.inf, math.inf)


@pytest.mark.usefixtures("compile_less")
@pytest.mark.filterwarnings("ignore:anon")
@pytest.mark.parametrize("backwards", [False, True])
def test_ball_joints_start_where_they_are_drawn(backwards: bool, device: str) -> None:
    """The pose that the engine gives both bodies is that of the stage, however the joint's frames are turned."""
    turned = "quatf xformOp:orient = (0.1, -0.5, 0.7, 0.5)\n"
    order = '["xformOp:translate"]', '["xformOp:translate", "xformOp:orient"]'
    frames = "quatf physics:localRot0 = (0.8, 0.6, 0, 0)\nquatf physics:localRot1 = (0.36, 0.48, 0.64, 0.48)\n"
    text = two("SphericalJoint", frames + 'uniform token physics:axis = "Y"')
    made = stage(text.replace(body("b", BALL, (1, 0, 0)), body("b", BALL + turned, (1, 0, 0)).replace(*order)))
    if backwards:
        made.GetPrimAtPath("/r").RemoveAppliedSchema(ROOT)
        made.GetPrimAtPath("/r/b").AddAppliedSchema(ROOT)
    world = px.World(device=device, dtype="float64")
    robot = world.add_usd(made).robots["r"]
    poses = dict(zip(robot.body_names, host(robot.body_pose)[0], strict=True))
    q = [0.1, -0.5, 0.7, 0.5]
    np.testing.assert_allclose(positive(poses["a"]), [0, 0, 0, 1, 0, 0, 0], atol=1e-6)
    np.testing.assert_allclose(positive(poses["b"]), [1, 0, 0, *q], atol=1e-6)


def test_joint_states_go_before_what_is_drawn_and_speeds_make_a_keyframe() -> None:
    inside = "float state:angular:physics:position = 30\nfloat state:angular:physics:velocity = 90\n"
    model = model_of(read(two("RevoluteJoint", inside, "PhysicsJointStateAPI:angular")))
    assert model.joint_pos == {"j": pytest.approx(math.radians(30))}
    (frame,) = model.keyframes
    assert frame.joint_vel == {"j": pytest.approx(math.pi / 2)}


def test_limits_of_several_turns_hold_what_is_drawn() -> None:
    inside = (
        "float physics:lowerLimit = 200\nfloat physics:upperLimit = 400\n"
        "quatf physics:localRot1 = (0.8660254, -0.5, 0, 0)\n"
    )
    assert model_of(read(two("RevoluteJoint", inside))).joint_pos["j"] == pytest.approx(math.radians(300), abs=1e-6)


@pytest.mark.usefixtures("compile_less")
def test_drives_are_per_degree_and_start_at_their_targets(device: str) -> None:
    inside = """uniform token physics:axis = "Y"
    float drive:angular:physics:stiffness = 10
    float drive:angular:physics:damping = 2
    float drive:angular:physics:maxForce = 30
    float drive:angular:physics:targetPosition = 45
    float drive:angular:physics:targetVelocity = -90
    """
    model = model_of(read(two("RevoluteJoint", inside, "PhysicsDriveAPI:angular")))
    drive = model.drives["j"]
    np.testing.assert_allclose(
        (drive.stiffness, drive.damping, drive.effort_limit, drive.position, drive.velocity),
        (1800 / math.pi, 360 / math.pi, 30, math.pi / 4, -math.pi / 2),
        rtol=1e-6,
    )
    assert RobotModel.from_dict(model.to_dict()).drives == model.drives
    world = px.World(2, device=device, dtype="float64")
    robot = world.add_robot(model)
    world.build()
    np.testing.assert_allclose(host(robot.joint_pos_target), math.pi / 4, rtol=1e-6)
    np.testing.assert_allclose(host(robot.joint_pos), 0.0)
    robot.set_targets(pos=0.0, vel=0.0)
    world.reset()
    np.testing.assert_allclose(host(world[px.components.DriveTarget].velocity)[-1], -math.pi / 2, rtol=1e-6)
    np.testing.assert_allclose(host(world[px.components.Drive].stiffness)[-1], 1800 / math.pi, rtol=1e-6)


def test_drives_of_acceleration_are_scaled_by_what_they_move() -> None:
    inside = """uniform token physics:axis = "Z"
    uniform token drive:angular:physics:type = "acceleration"
    float drive:angular:physics:stiffness = 10
    float physxJoint:armature = 0.5
    point3f physics:localPos1 = (-2, 0, 0)
    """
    end = "point3f physics:localPos0 = (1, 0, 0)\n"
    scene = read(two("RevoluteJoint", inside, "PhysicsDriveAPI:angular").replace(end, end.replace("(1", "(-1")))
    mass = model_of(scene).bodies[1].mass
    moved = 0.5 + mass * (0.4 * 0.01 + 4.0)
    assert model_of(scene).drives["j"].stiffness == pytest.approx(1800 / math.pi * moved, rel=1e-5)
    assert any("one of acceleration" in text for text in scene.warnings)


def test_what_physx_adds_to_joints() -> None:
    inside = """float physxJoint:armature = 0.1
    float physxJoint:maxJointVelocity = 180
    float physxJointAxis:angular:dynamicFrictionEffort = 2
    float physxJointAxis:angular:staticFrictionEffort = 3
    float physxJointAxis:angular:viscousFrictionCoefficient = 4
    float physxLimit:angular:stiffness = 5
    float physxLimit:angular:damping = 6
    float physics:lowerLimit = -10
    float physics:upperLimit = 10
    """
    one = model_of(read(two("RevoluteJoint", inside, "PhysxLimitAPI:angular PhysxJointAPI"))).joints[0]
    np.testing.assert_allclose(
        (one.armature, one.velocity_limit, one.friction, one.static_friction, one.damping),
        (0.1, math.pi, 2, 3, 720 / math.pi),
        rtol=1e-6,
    )
    np.testing.assert_allclose((one.limit_stiffness, one.limit_damping), (900 / math.pi, 1080 / math.pi), rtol=1e-6)


def test_ball_joints_resist_alike_about_all_axes() -> None:
    names = ("dynamicFrictionEffort", "viscousFrictionCoefficient", "maxJointVelocity")
    rows = {"rotX": (2, 3, 90), "rotY": (1, 4, 180)}
    inside = "".join(
        f"float physxJointAxis:{axis}:{name} = {value}\n"
        for axis, row in rows.items()
        for name, value in zip(names, row, strict=True)
    )
    scene = read(two("SphericalJoint", inside, "PhysxJointAxisAPI:rotX PhysxJointAxisAPI:rotY"))
    (ball,) = model_of(scene).joints
    found = (ball.friction, ball.static_friction, ball.damping, ball.velocity_limit)
    np.testing.assert_allclose(found, (2, 2, 720 / math.pi, math.pi / 2), rtol=1e-6)
    (told,) = scene.warnings
    assert "the strictest of each is taken" in told


def test_mimics_hold_a_sum_at_zero() -> None:
    other = joint("PrismaticJoint", "k", "/r/b", "/r/c", "point3f physics:localPos0 = (1, 0, 0)")
    inside = """rel physxMimicJoint:rotX:referenceJoint = </r/k>
    float physxMimicJoint:rotX:gearing = 30
    float physxMimicJoint:rotX:offset = 45
    """
    text = two("RevoluteJoint", inside, "PhysxMimicJointAPI:rotX", c=body("c", BALL, (2, 0, 0)), k=other)
    found = {one.name: one for one in model_of(read(text)).joints}
    mimic = found["j"].mimic
    assert isinstance(mimic, Mimic) and mimic.joint == "k"
    np.testing.assert_allclose((mimic.multiplier, mimic.offset), (-math.pi / 6, -math.pi / 4))


def test_tendons_of_physx() -> None:
    link = joint(
        "PrismaticJoint",
        "k",
        "/r/b",
        "/r/c",
        "point3f physics:localPos0 = (1, 0, 0)\nfloat[] physxTendon:t:gearing = [-2]\n"
        "float[] physxTendon:t:forceCoefficient = [-2]",
        "PhysxTendonAxisAPI:t",
    )
    c = body(
        "c",
        BALL + "rel physxTendon:end:parentLink = </r/a>\ntoken physxTendon:end:parentAttachment = \"s\"\n"
        "point3f physxTendon:end:localPos = (0, 0.5, 0)\nfloat physxTendon:end:restLength = 0.7\n",
        (2, 0, 0),
        "PhysxTendonAttachmentLeafAPI:end",
    )  # fmt: skip
    inside = """float[] physxTendon:t:gearing = [0.01]
    float[] physxTendon:t:forceCoefficient = [0.5729578]
    float physxTendon:t:stiffness = 7
    float physxTendon:t:damping = 8
    float physxTendon:t:lowerLimit = -1
    float physxTendon:t:upperLimit = 1
    float physxTendon:t:limitStiffness = 9
    float physxTendon:t:restLength = 0.25
    """
    text = two("RevoluteJoint", inside, "PhysxTendonAxisRootAPI:t", c=c, k=link)
    text = text.replace(
        body("a"), body("a", BALL + "float physxTendon:s:stiffness = 3\n", schemas="PhysxTendonAttachmentRootAPI:s")
    )
    scene = read(text)
    model = model_of(scene)
    (tendon,) = model.fixed_tendons
    assert scene.warnings == []
    assert tendon.joints == {"j": pytest.approx(1.8 / math.pi), "k": -2.0}
    assert (tendon.stiffness, tendon.damping, tendon.limit_stiffness, tendon.rest_length) == (7, 8, 9, 0.25)
    assert (tendon.lower, tendon.upper) == (-1, 1)
    (string,) = model.spatial_tendons
    assert [(one.body, one.parent) for one in string.attachments] == [("a", -1), ("c", 0)]
    assert string.attachments[1].position == (0.0, 0.5, 0.0) and string.stiffness == 3
    assert string.attachments[1].rest_length == pytest.approx(0.7)


LOOP = (
    body("a", BALL, (0, 0, 1))
    + body("b", BALL, (1, 0, 1))
    + joint("RevoluteJoint", "hinge", "", "/a", "point3f physics:localPos0 = (0, 0, 1)\nfloat physics:lowerLimit = -10")
    + joint("DistanceJoint", "rope", "/a", "/b", "float physics:maxDistance = 2")
    + joint("FixedJoint", "weld", "/a", "/b", "point3f physics:localPos0 = (1, 0, 0)\nfloat physics:breakForce = 5")
    + joint("SphericalJoint", "off", "/a", "/b", "bool physics:jointEnabled = 0")
)


@pytest.mark.usefixtures("compile_less")
def test_loose_bodies_are_held_by_joints_of_their_own(device: str) -> None:
    world = px.World(device=device, dtype="float64")
    added = world.add_usd(stage(LOOP))
    assert added.robots == {} and list(added.objects) == ["a", "b"]
    assert {name: (one.kind, one.body_a, one.body_b) for name, one in added.joints.items()} == {
        "hinge": ("revolute", "a/a", None),
        "rope": ("distance", "a/a", "b/b"),
        "weld": ("fixed", "a/a", "b/b"),
    }
    assert added.joints["weld"].plan.break_force == 5.0 and added.joints["rope"].plan.max_distance == 2.0
    assert added.joints["hinge"].plan.limits.lower == pytest.approx(math.radians(-10))
    # The angle is that of frame 1 against frame 0, so it grows as the body turns about the axis.
    turn = [math.cos(0.1), math.sin(0.1), 0.0, 0.0]
    added.objects["a"].set_root_state(pose=[0, 0, 1, *turn])
    np.testing.assert_allclose(host(added.joints["hinge"].angle), 0.2, atol=1e-9)


def test_ropes_of_no_length_are_ball_joints() -> None:
    text = body("a") + body("b") + joint("DistanceJoint", "j", "/a", "/b", "float physics:maxDistance = 0")
    (held,) = read(text).held
    assert held.kind == "spherical" and "max_distance" not in held.arguments


def test_what_resists_in_loose_joints_needs_a_tree_or_is_told() -> None:
    hinge = joint("RevoluteJoint", "j", "", "/a", "float newton:damping = 1")
    assert [actor.kind for actor in read(body("a") + hinge).actors.values()] == ["robot"]
    inside = """float physxJoint:armature = 1
    float physics:upperLimit = 10
    float physxLimit:angular:stiffness = 2
    """
    scene = read(body("a") + joint("RevoluteJoint", "j", "", "/a", inside, "PhysxLimitAPI:angular"))
    assert scene.held[0].arguments["limit_stiffness"] == pytest.approx(360 / math.pi)
    assert scene.held[0].arguments["upper"] == pytest.approx(math.radians(10))
    assert any("hold in joints of trees only" in text for text in scene.warnings)


def test_joints_that_only_trees_can_have_make_a_robot_of_loose_bodies() -> None:
    scene = read(
        body("a")
        + body("b", BALL, (1, 0, 0))
        + joint("PrismaticJoint", "j", "/a", "/b", "point3f physics:localPos0 = (1, 0, 0)")
    )
    assert [actor.kind for actor in scene.actors.values()] == ["robot"]
    assert "become a robot" in scene.warnings[0]


def test_loops_in_robots_are_closed_by_joints_of_their_own() -> None:
    more = body("c", BALL, (2, 0, 0)) + joint(
        "RevoluteJoint", "k", "/r/b", "/r/c", "point3f physics:localPos0 = (1, 0, 0)"
    )
    for said in (True, False):
        flag = f"bool physics:excludeFromArticulation = {int(said)}\npoint3f physics:localPos0 = (2, 0, 0)"
        scene = read(two("RevoluteJoint", more=more, loop=joint("SphericalJoint", "loop", "/r/a", "/r/c", flag)))
        # Without the flag the first joints from the root make the tree, so that another one closes the loop.
        assert [held.name for held in scene.held] == ["loop" if said else "k"]
        assert [held.a[0] for held in scene.held] == ["r"]
        assert any("closes a loop" in text for text in scene.warnings) != said


def test_joints_add_mobility_where_the_root_says_so() -> None:
    """As in MuJoCo, from which such files come: several joints between two bodies, and against the world."""
    ends = "point3f physics:localPos{} = {}\n"

    def at(axis: str, zero: tuple[float, ...], one: tuple[float, ...]) -> str:
        return f'uniform token physics:axis = "{axis}"\n' + ends.format(0, zero) + ends.format(1, one)

    text = prim(
        "Xform",
        "r",
        body("a", BALL + "bool newton:jointsAddMobility = 1\n", (0, 0, 1), ROOT)
        + body("b", BALL, (1, 0, 1))
        + joint("PrismaticJoint", "slide", "", "/r/a", at("X", (0, 0, 1), (0, 0, 0)))
        + joint("RevoluteJoint", "turn", "", "/r/a", at("Y", (0.1, 0, 1), (0.1, 0, 0)))
        + joint("RevoluteJoint", "pitch", "/r/a", "/r/b", at("X", (0.7, 0, 0.3), (-0.3, 0, 0.3)))
        + joint("RevoluteJoint", "yaw", "/r/a", "/r/b", at("Z", (1, 0.2, 0), (0, 0.2, 0))),
    )
    xml = """<mujoco><worldbody><body name="a" pos="0 0 1"><geom size=".1"/><joint type="slide" axis="1 0 0"/>
    <joint axis="0 1 0" pos=".1 0 0"/><body name="b" pos="1 0 0"><geom size=".1"/><joint axis="1 0 0" pos="-.3 0 .3"/>
    <joint axis="0 0 1" pos="0 .2 0"/></body></body></worldbody></mujoco>"""
    scene = read(text)
    model = model_of(scene)
    assert scene.warnings == [] and scene.held == []
    assert [one.name for one in model.joints] == ["slide", "turn", "pitch", "yaw"]
    oracle = MjcfOracle(text=xml)
    q = np.array([0.3, -0.5, 0.8, 1.1])
    places, _ = oracle.poses(q)
    frames = body_frames(model, dict(zip(["slide", "turn", "pitch", "yaw"], q.tolist(), strict=True)))
    np.testing.assert_allclose(frames["a"][1], places[1], atol=1e-7)
    np.testing.assert_allclose(frames["b"][1], places[2], atol=1e-7)


def test_kinematic_bodies_are_held_but_never_in_a_tree() -> None:
    hand = body("hand", "bool physics:kinematicEnabled = 1\n" + BALL)
    scene = read(
        hand
        + body("b", BALL, (1, 0, 0))
        + joint("FixedJoint", "grip", "/hand", "/b", "point3f physics:localPos0 = (1, 0, 0)")
    )
    assert {name: actor.kind for name, actor in scene.actors.items()} == {"hand": "kinematic", "b": "dynamic"}
    assert [(held.kind, held.a, held.b) for held in scene.held] == [("fixed", ("hand", "hand"), ("b", "b"))]


def test_frames_that_do_not_meet_are_told() -> None:
    scene = read(two("RevoluteJoint", "point3f physics:localPos1 = (0, 0.5, 0)\n"))
    assert "cannot hold them" in scene.warnings[0] and "</r/j>" in scene.warnings[0]
    (one,) = model_of(scene).joints
    np.testing.assert_allclose(one.child_position, (0, 0.5, 0))
    np.testing.assert_allclose(matrix(one.orientation), np.eye(3))
