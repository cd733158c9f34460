"""Any tree, written as USD by the schemas of UsdPhysics, is the robot that the same tree is in memory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import host

import phalanx as px
from phalanx.io.formats.usd import read_stage
from phalanx.io.formats.usd.bindings import Gf, Sdf, Usd, UsdGeom, UsdPhysics
from phalanx.maths.arrays import between, matrix, product, unit
from phalanx.models.pose import body_frames
from phalanx.models.robot_model import Body, Joint, RobotModel

numbers = st.floats(-2.0, 2.0).map(lambda x: round(x, 3))
vectors = st.tuples(numbers, numbers, numbers)
turns = st.tuples(numbers, numbers, numbers, numbers).filter(lambda q: np.linalg.norm(q) > 0.1)


@st.composite
def trees(draw: st.DrawFn) -> RobotModel:
    """Bodies hung on earlier ones, by joints anywhere in both."""
    count = draw(st.integers(2, 7))
    bodies, joints = [], []
    for n in range(count):
        axes = matrix(draw(turns))
        moments = np.array(draw(st.tuples(*[st.floats(0.5, 0.9)] * 3)))
        inertia = axes @ np.diag(moments) @ axes.T
        bodies.append(Body(f"b{n}", draw(st.floats(0.1, 10.0)), draw(vectors), inertia))
        if n:
            kind = draw(st.sampled_from(["fixed", "revolute", "continuous", "prismatic", "spherical"]))
            x, y, z = unit(draw(vectors.filter(lambda v: math.hypot(*v) > 0.1))).tolist()
            one = Joint(f"j{n}", kind, f"b{draw(st.integers(0, n - 1))}", f"b{n}", draw(vectors), axis=(x, y, z))
            w, x, y, z = unit(draw(turns)).tolist()
            one.orientation, one.child_position = (w, x, y, z), draw(vectors)
            if kind in ("revolute", "prismatic"):
                one.lower, one.upper = -draw(st.floats(0.5, 3)), draw(st.floats(0.5, 3))
            joints.append(one)
    return RobotModel("r", bodies, joints)


def gf(rotation: np.ndarray, place: np.ndarray) -> object:
    """A matrix of USD's, which turns rows."""
    made = np.eye(4)
    made[:3, :3], made[3, :3] = rotation.T, place
    return Gf.Matrix4d(made.tolist())


def write(model: RobotModel, fixed: bool, seed: int, metres: float, drawn: dict[str, float]) -> object:
    """A stage with the model in a state; joints come in any order, and may name their bodies the other way round.

    Axes are brought onto X, Y or Z by turning the joints' frames.
    """
    rng = np.random.default_rng(seed)
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, metres)
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.Xform.Define(stage, "/r")
    frames = body_frames(model, drawn)
    for body in model.bodies:
        xform = UsdGeom.Xform.Define(stage, f"/r/{body.name}")
        rotation, place = frames[body.name]
        xform.AddTransformOp().Set(gf(rotation, place / metres))
        UsdPhysics.RigidBodyAPI.Apply(xform.GetPrim())
        mass = UsdPhysics.MassAPI.Apply(xform.GetPrim())
        moments, axes = np.linalg.eigh(body.inertia)
        axes = axes * np.sign(np.linalg.det(axes))
        mass.CreateMassAttr(body.mass)
        mass.CreateCenterOfMassAttr(Gf.Vec3f(*(np.array(body.com) / metres).tolist()))
        mass.CreateDiagonalInertiaAttr(Gf.Vec3f(*(moments / metres**2).tolist()))
        mass.CreatePrincipalAxesAttr(Gf.Quatf(gf(axes, np.zeros(3)).ExtractRotationQuat()))  # pyright: ignore
    kinds = {
        "fixed": UsdPhysics.FixedJoint,
        "revolute": UsdPhysics.RevoluteJoint,
        "continuous": UsdPhysics.RevoluteJoint,
        "prismatic": UsdPhysics.PrismaticJoint,
        "spherical": UsdPhysics.SphericalJoint,
    }
    order = rng.permutation(len(model.joints)).tolist()
    for joint in (model.joints[n] for n in order):
        prim = kinds[joint.type].Define(stage, f"/r/{joint.name}")
        letter = int(rng.integers(3))
        onto = np.array([1.0, 0, 0, 0])
        if joint.type not in ("fixed", "spherical"):
            prim.CreateAxisAttr("XYZ"[letter])
            onto = between(np.eye(3)[letter], np.array(joint.axis))
        scale = metres if joint.type == "prismatic" else math.pi / 180
        if not math.isinf(joint.lower):
            prim.CreateLowerLimitAttr(joint.lower / scale)
            prim.CreateUpperLimitAttr(joint.upper / scale)
        ends = [
            (joint.parent, joint.position, product(joint.orientation, onto)),
            (joint.child, joint.child_position, product(joint.child_orientation, onto)),
        ]
        # The other way round a coordinate changes its sign: that of frame 1 in frame 0 is what counts.
        if joint.type == "fixed" and rng.integers(2):
            ends.reverse()
        for n, (body, place, q) in enumerate(ends):
            prim.GetPrim().GetRelationship(f"physics:body{n}").SetTargets([Sdf.Path(f"/r/{body}")])
            prim.GetPrim().GetAttribute(f"physics:localPos{n}").Set(Gf.Vec3f(*(np.array(place) / metres).tolist()))
            prim.GetPrim().GetAttribute(f"physics:localRot{n}").Set(Gf.Quatf(*(float(v) for v in q)))
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath("/r" if fixed else "/r/b0"))
    if fixed:
        anchor = UsdPhysics.FixedJoint.Define(stage, "/r/anchor")
        anchor.CreateBody1Rel().SetTargets([Sdf.Path("/r/b0")])
    return stage


def inertias(model: RobotModel, positions: dict[str, float]) -> dict[str, tuple[np.ndarray, ...]]:
    """Centre of mass and inertia of each body in the root's axes, with frames."""
    frames = body_frames(model, positions)
    return {
        body.name: (
            frames[body.name][1] + frames[body.name][0] @ body.com,
            frames[body.name][0] @ body.inertia @ frames[body.name][0].T,
            *frames[body.name],
        )
        for body in model.bodies
    }


@given(trees(), st.booleans(), st.integers(0, 2**31), st.sampled_from([1.0, 0.01]))
@settings(max_examples=80, deadline=None)
def test_any_tree_is_read_as_written(model: RobotModel, fixed: bool, seed: int, metres: float) -> None:
    rng = np.random.default_rng(seed)
    moving = [joint.name for joint in model.joints if joint.type not in ("fixed", "spherical")]
    drawn = {name: float(rng.uniform(-0.5, 0.5)) for name in moving}
    scene = read_stage(write(model, fixed, seed, metres, drawn))
    (actor,) = scene.actors.values()
    found = actor.model
    assert scene.warnings == [] and found.fixed_base == fixed and found.root == "b0"
    assert {body.name: pytest.approx(body.mass, rel=1e-6) for body in model.bodies} == {
        body.name: body.mass for body in found.bodies
    }
    kinds = {joint.name: joint for joint in found.joints}
    for joint in model.joints:
        other = kinds[joint.name]
        assert (other.type, other.parent, other.child) == (joint.type, joint.parent, joint.child)
        np.testing.assert_allclose((other.lower, other.upper), (joint.lower, joint.upper), rtol=1e-6)
    assert {name: pytest.approx(drawn[name], abs=1e-5) for name in drawn} == {
        name: found.joint_pos.get(name, 0.0) for name in drawn
    }
    for positions in (drawn, {name: float(rng.uniform(-3, 3)) for name in moving}):
        mine, theirs = inertias(found, positions), inertias(model, positions)
        for name, values in theirs.items():
            for ours, expected in zip(mine[name], values, strict=True):
                np.testing.assert_allclose(ours, expected, atol=2e-5, err_msg=name)


@pytest.mark.usefixtures("compile_less")
def test_mass_matrices_are_those_of_the_same_robot(device: str) -> None:
    rng = np.random.default_rng(5)
    bodies, joints = [], []
    for n, kind in enumerate(["", "revolute", "fixed", "prismatic", "spherical", "continuous"]):
        axes = matrix(rng.normal(size=4))
        com = tuple(rng.normal(size=3).tolist())
        inertia = axes @ np.diag(rng.uniform(0.5, 0.9, 3)) @ axes.T
        bodies.append(Body(f"b{n}", float(rng.uniform(1, 3)), (com[0], com[1], com[2]), inertia))
        if kind:
            x, y, z = unit(rng.normal(size=3)).tolist()
            joints.append(Joint(f"j{n}", kind, f"b{n - 1}", f"b{n}", (0.3, 0.1 * n, 0.0), axis=(x, y, z)))
            joints[-1].child_position = (0.1, 0.0, -0.2)
    model = RobotModel("r", bodies, joints)
    world = px.World(4, device=device, dtype="float64")
    robots = [
        world.add_robot(model, "built"),
        world.add_robot(read_stage(write(model, False, 1, 0.01, {})).actors["r"].model, "read"),
    ]
    states = rng.normal(size=(4, robots[0].num_dof))
    for robot in robots:
        assert robot.joint_names == robots[0].joint_names
        robot.set_joint_state(states)
    built, read = (host(robot.mass_matrix()) for robot in robots)
    np.testing.assert_allclose(read, built, atol=1e-5 * np.abs(built).max())
