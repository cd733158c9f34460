"""Robots that are written as USD and read back are the same robots."""

from __future__ import annotations

import dataclasses
import importlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host
from usd_models import check_same, close

import phalanx as px
from phalanx import SdfOptions
from phalanx.io.formats import library
from phalanx.io.formats.urdf import load_urdf
from phalanx.io.formats.usd import load_robot, read_stage
from phalanx.io.formats.usd.bindings import Usd, UsdGeom, UsdPhysics
from phalanx.io.formats.usd.writer import Written, write_robot
from phalanx.maths.arrays import matrix, unit
from phalanx.models.robot_model import Body, Joint, JointDrive, Mimic, RobotModel, Shape
from phalanx.models.tendons import Attachment, FixedTendon, SpatialTendon


def again(model: RobotModel, **options: Any) -> tuple[RobotModel, Written, list[str]]:
    """The model read from a stage that it was written to, what the writer said, and what the reader did."""
    stage = Usd.Stage.CreateInMemory()
    written = write_robot(model, stage, **options)
    stage.SetDefaultPrim(stage.GetPrimAtPath(written.path))
    assert problems(stage) == []
    scene = read_stage(stage, visuals=True)
    (actor,) = scene.actors.values()
    assert actor.kind == "robot" and actor.bodies == {path: path.rpartition("/")[2] for path in written.bodies.values()}
    return actor.model, written, scene.warnings


def problems(stage: Any) -> list[str]:
    """What USD's own validators find."""
    UsdValidation: Any = importlib.import_module("pxr.UsdValidation")
    registry = UsdValidation.ValidationRegistry()
    found = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators()).Validate(stage)
    return [f"{one.GetName()}: {one.GetMessage()}" for one in found]


@pytest.mark.parametrize("name", library.names())
@pytest.mark.parametrize("instanceable", [False, True])
def test_shipped_robots_are_the_same(name: str, instanceable: bool, tmp_path: Path) -> None:
    model = library.load_robot(name, visuals=True)
    file = tmp_path / "robot.usd"
    written = write_robot(model, file, instanceable=instanceable)
    found = load_robot(file)
    assert written.notes == found.warnings == []
    check_same(model, found, written)
    stage = Usd.Stage.Open(str(file))
    assert problems(stage) == [] and stage.GetDefaultPrim().GetPath() == written.path


def vector(rng: np.random.Generator) -> tuple[float, float, float]:
    x, y, z = rng.uniform(-1.0, 1.0, 3).tolist()
    return x, y, z


def turn(rng: np.random.Generator) -> tuple[float, float, float, float]:
    w, x, y, z = unit(rng.normal(size=4)).tolist()
    return w, x, y, z


def random_shape(rng: np.random.Generator, looks: bool) -> Shape:
    kind = str(rng.choice(["sphere", "capsule", "cylinder", "box", "cone", "mesh"]))
    count = {"sphere": 1, "box": 3, "mesh": 0}.get(kind, 2)
    shape = Shape(kind, tuple(rng.uniform(0.05, 0.5, count).tolist()), vector(rng), turn(rng), name=kind)
    if kind == "mesh":
        shape.vertices = rng.uniform(-0.5, 0.5, (4, 3))
        faces = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
        a, b, c, d = shape.vertices
        shape.faces = faces if np.linalg.det([b - a, c - a, d - a]) < 0 else faces[:, ::-1]
        kinds = ["convex_hull", "convex_decomposition", "bounding_cube", "bounding_sphere", "sdf"]
        shape.approximation = str(rng.choice(kinds))
        shape.sdf = SdfOptions(64, 0.02) if shape.approximation == "sdf" else None
    if looks:
        r, g, b, alpha = rng.uniform(0, 1, 4).tolist()
        shape.color = (r, g, b, alpha)
    elif rng.integers(2):
        shape.material = {"static_friction": 0.7, "dynamic_friction": 0.6, "friction_combine": "max"}
        shape.contact_offset, shape.rest_offset = 0.03, 0.01
    return shape


def random_joint(rng: np.random.Generator, n: int, leaders: list[Joint]) -> Joint:
    kind = str(rng.choice(["fixed", "revolute", "continuous", "prismatic", "spherical"]))
    joint = Joint(f"j{n}", kind, f"b{rng.integers(n)}", f"b{n}", vector(rng), turn(rng))
    joint.child_position, joint.child_orientation = vector(rng), turn(rng)
    x, y, z = unit(rng.normal(size=3)).tolist() if rng.integers(3) else (np.eye(3)[n % 3] * (-1) ** n).tolist()
    joint.axis = (x, y, z)
    if kind == "fixed":
        return joint
    joint.armature, joint.damping, joint.friction = rng.uniform(0.0, 2.0, 3).tolist()
    joint.static_friction = joint.friction + 0.5
    joint.velocity_limit, joint.effort_limit = rng.uniform(1.0, 300.0, 2).tolist()
    if kind in ("revolute", "prismatic"):
        joint.lower, joint.upper = -float(rng.uniform(0.1, 3)), float(rng.uniform(0.1, 3))
        joint.limit_stiffness, joint.limit_damping = rng.uniform(0.0, 50.0, 2).tolist()
        if n % 2:
            joint.upper, joint.limit_stiffness, joint.limit_damping, joint.limit_restitution = math.inf, 0, 0, 0.25
    if kind == "spherical":
        joint.effort_limit = math.inf
        if n % 2:
            joint.axis, joint.swing_limit = (0.0, -1.0, 0.0), 0.7
        elif n % 4:
            joint.axis, joint.swing_limit, joint.lower, joint.upper = (1.0, 0.0, 0.0), 0.5, -0.4, 0.9
    elif leaders and rng.integers(3) == 0:
        joint.mimic = Mimic(leaders[0].name, -1.5, 0.25)
    return joint


def random_model(seed: int) -> RobotModel:
    """A tree with all that a model can have and USD can say."""
    rng = np.random.default_rng(seed)
    model = RobotModel("r", [], [], self_collision=bool(seed % 2), fixed_base=bool(rng.integers(2)))
    model.base_collision = bool(model.fixed_base and rng.integers(2))
    model.position, model.orientation = vector(rng), turn(rng)
    for n in range(int(rng.integers(2, 8))):
        axes = matrix(turn(rng))
        inertia = axes @ np.diag(rng.uniform(0.5, 0.9, 3)) @ axes.T
        body = Body(f"b{n}", float(rng.uniform(0.1, 10.0)), vector(rng), inertia)
        body.collisions = [random_shape(rng, False) for _ in range(int(rng.integers(3)))]
        body.visuals = [random_shape(rng, True) for _ in range(int(rng.integers(3)))]
        body.gravity_scale = float(rng.integers(4) > 0)
        model.bodies.append(body)
        if not n:
            continue
        leaders = [one for one in model.joints if one.type not in ("fixed", "spherical") and one.mimic is None]
        joint = random_joint(rng, n, leaders)
        model.joints.append(joint)
        ends = [f":{end}" for end in ("rx", "ry", "rz")] if joint.type == "spherical" else [""]
        for end in ends if joint.type != "fixed" else []:
            gains = rng.uniform(1.0, 500.0, 5).tolist()
            model.drives[joint.name + end] = JointDrive(gains[0], gains[1], gains[2], gains[3] / 500, gains[4] / 500)
            if joint.mimic is None:
                model.joint_pos[joint.name + end] = float(rng.uniform(-0.1, 0.1))
        if n > 1 and rng.integers(2):
            model.disabled_pairs.append((f"b{n - 1}", "b0"))
    slides = [one.name for one in model.joints if one.type not in ("fixed", "spherical")]
    if len(slides) > 1:
        model.fixed_tendons.append(FixedTendon("t", {slides[0]: 0.5, slides[1]: -2}, 30.0, 2.0, 100.0, 0.3, 0.1, 0, 2))
    points = [Attachment("b0", vector(rng)), Attachment("b1", vector(rng), 2.0, 0, 0.3, 0.1, 0.9)]
    model.spatial_tendons.append(SpatialTendon("s", points, 20.0, 1.0, 50.0, 0.2))
    model.options = {"linear_damping": 0.1, "max_angular_velocity": 20.0, "sleep_threshold": 0.01}
    return model


@pytest.mark.parametrize("seed", range(40))
def test_any_robot_is_the_same(seed: int) -> None:
    model = random_model(seed)
    found, written, told = again(model)
    assert written.notes == told == []
    check_same(model, found, written, seed)
    assert [one.name for one in found.fixed_tendons] == [one.name for one in model.fixed_tendons]
    for mine, other in zip(model.fixed_tendons, found.fixed_tendons, strict=True):
        assert {name: pytest.approx(value, rel=1e-6) for name, value in other.joints.items()} == mine.joints
        for key in ("stiffness", "damping", "limit_stiffness", "rest_length", "offset", "lower", "upper"):
            assert getattr(other, key) == pytest.approx(getattr(mine, key), rel=1e-6)
    for mine, other in zip(model.spatial_tendons, found.spatial_tendons, strict=True):
        for a, b in zip(mine.attachments, other.attachments, strict=True):
            values = [dataclasses.astuple(one) for one in (a, b)]
            assert (values[0][0], values[0][3]) == (values[1][0], values[1][3])
            close(values[1][1], values[0][1], "attachment")
            if b.parent >= 0:
                close([values[1][n] for n in (2, 4, 5, 6)], [values[0][n] for n in (2, 4, 5, 6)], "attachment")
        assert (other.stiffness, other.damping) == pytest.approx((mine.stiffness, mine.damping))
    for key, value in model.options.items():
        assert found.options[key] == pytest.approx(value, rel=1e-6)
    assert found.options["angular_damping"] == 0.0


def test_what_a_model_leaves_to_the_engine_is_written_unless_told_otherwise() -> None:
    model = RobotModel("r", [Body("a", 1.0, inertia=np.eye(3), collisions=[Shape("sphere", (0.1,))])], [])
    same, theirs = (again(model, alike=alike)[0] for alike in (True, False))
    assert (same.options["angular_damping"], theirs.options["angular_damping"]) == (0.0, 0.05)
    assert "max_angular_velocity" not in same.options and theirs.options["max_angular_velocity"] == 100.0
    frictions = [one.bodies[0].collisions[0].material for one in (same, theirs)]
    assert [one and one["static_friction"] for one in frictions] == [pytest.approx(px.Material().static_friction), 0.5]


def test_surfaces_that_give_way() -> None:
    surface = {"contact_stiffness": 800.0, "contact_damping": 12.0}
    ball = Shape("sphere", (0.1,), material=dict(surface))
    found = again(RobotModel("r", [Body("a", 1.0, inertia=np.eye(3), collisions=[ball])], []))[0]
    material = found.bodies[0].collisions[0].material
    assert material is not None and {name: material[name] for name in surface} == surface


URDF = """<robot name="odd one">
<link name="base"/>
<link name="1 arm"><inertial><origin xyz="0 0 .1"/><mass value="2"/><inertia ixx=".1" iyy=".2" izz=".15"/></inertial>
 <collision><origin xyz="0 .1 0"/><geometry><cylinder radius=".1" length=".4"/></geometry></collision></link>
<link name="1-arm"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1"/></inertial></link>
<link name="tip"/>
<link name="cover"><collision><geometry><box size=".1 .2 .3"/></geometry></collision></link>
<joint name="turn-1" type="revolute"><parent link="base"/><child link="1 arm"/><axis xyz="0 1 1"/>
 <limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping=".5" friction=".2"/></joint>
<joint name="turn 1" type="continuous"><parent link="1 arm"/><child link="1-arm"/><origin xyz="0 0 .5" rpy=".1 .2 .3"/>
 <mimic joint="turn-1" multiplier="-2" offset=".1"/></joint>
<joint name="joints" type="fixed"><parent link="1-arm"/><child link="tip"/><origin xyz="1 0 0" rpy="0 1 0"/></joint>
<joint name="glue" type="fixed"><parent link="tip"/><child link="cover"/></joint>
</robot>"""


def odd(folder: Path) -> RobotModel:
    file = folder / "odd.urdf"
    file.write_text(URDF)
    model = load_urdf(file)
    model.fixed_base = True
    return model


def test_odd_names_and_links_without_mass(tmp_path: Path) -> None:
    model = odd(tmp_path)
    found, written, told = again(model)
    assert told == [] and written.path == "/odd_one"
    assert written.bodies["1 arm"] != written.bodies["1-arm"] and all("have others" in one for one in written.notes)
    check_same(model, found, written)
    masses = {body.name: body.mass for body in found.bodies}
    assert (masses["base"], masses["tip"], masses["cover"]) == pytest.approx((1e-9,) * 3)


@pytest.mark.parametrize(("density", "mass"), [(0.0, 6.0), (500.0, 3.0)])
def test_bodies_without_mass_may_get_that_of_their_shapes(tmp_path: Path, density: float, mass: float) -> None:
    found, _, _ = again(odd(tmp_path), density=density)
    masses = {body.name: body.mass for body in found.bodies}
    assert masses["cover"] == pytest.approx(mass) and masses["tip"] == pytest.approx(1e-9)


def test_several_joints_between_two_bodies_stay_what_they_are() -> None:
    rng = np.random.default_rng(3)
    bodies = [Body("a", 1.0, inertia=np.eye(3)), Body("a:0", hidden=True), Body("a:1", hidden=True)]
    bodies.append(Body("b", 2.0, vector(rng), np.eye(3)))
    joints = []
    for n, (kind, one, other) in enumerate([("revolute", 0, 1), ("prismatic", 1, 2), ("revolute", 2, 3)]):
        joint = Joint(f"j{n}", kind, bodies[one].name, bodies[other].name, vector(rng), turn(rng), lower=-2, upper=2)
        joint.child_position, joint.child_orientation = vector(rng), turn(rng)
        joints.append(joint)
    model = RobotModel("r", bodies, joints, fixed_base=True, joint_pos={"j0": 0.3, "j2": -0.2})
    found, written, told = again(model)
    assert written.notes == told == []
    check_same(model, found, written)


def test_planar_and_ball_joints_keep_their_coordinates() -> None:
    bodies = [Body(name, 1.0, inertia=np.eye(3)) for name in "abc"]
    joints = [
        Joint("flat", "planar", "a", "b", axis=(0.0, 0.6, 0.8)),
        Joint("ball", "spherical", "b", "c", axis=(0.0, 0.0, -1.0), lower=-0.3, upper=0.5, swing_limit=1.0),
    ]
    found, written, told = again(RobotModel("r", bodies, joints, joint_pos={"flat:x": 0.5, "flat:turn": 0.25}))
    assert told == [] and len(written.notes) == 1 and "coordinates" in written.notes[0]
    by_name = {joint.name: joint for joint in found.joints}
    assert found.joint_pos == pytest.approx({"flat:transX": 0.5, "flat:rotZ": 0.25})
    ball = by_name["ball"]
    axis = matrix(np.array(ball.orientation)) @ np.array(ball.axis)
    close(axis, (0.0, 0.0, -1.0), "axis")
    assert (ball.lower, ball.upper, ball.swing_limit) == pytest.approx((-0.3, 0.5, 1.0))
    flat = body_pose(found, {"flat:transX": 1.0})
    x = np.cross((0.0, 0.6, 0.8), (0.0, 0.0, 1.0))
    close(flat, x / np.linalg.norm(x), "x of the plane")


def test_free_joints_have_three_shifts_and_three_turns() -> None:
    bodies = [Body(name, 1.0, inertia=np.eye(3)) for name in "ab"]
    free = Joint("f", "free", "a", "b", (0.0, 0.0, 1.0))
    found, written, told = again(RobotModel("r", bodies, [free], fixed_base=True))
    assert told == [] and "three shifts and three turns" in written.notes[0]
    assert [joint.name for joint in found.joints] == [f"f:{kind}{axis}" for kind in ("trans", "rot") for axis in "XYZ"]
    close(body_pose(found, {"f:transX": 0.5, "f:transZ": 2.0}), (0.5, 0.0, 3.0), "place")


def body_pose(model: RobotModel, positions: dict[str, float]) -> np.ndarray:
    from phalanx.models.pose import body_frames

    return body_frames(model, positions)["b"][1]


def test_springs_of_joints_become_tendons_that_pull_alike() -> None:
    bodies = [Body(name, 1.0, inertia=np.eye(3)) for name in "ab"]
    spring = Joint("j", "revolute", "a", "b", stiffness=30.0, rest_position=0.2, lower=-1.0, upper=1.0)
    found, written, told = again(RobotModel("r", bodies, [spring], fixed_base=True))
    (tendon,) = found.fixed_tendons
    assert told == [] and len(written.notes) == 1
    assert (tendon.joints["j"], tendon.stiffness, tendon.rest_length) == pytest.approx((1.0, 30.0, 0.2))


def meets(a: Shape, b: Shape) -> bool:
    return bool(a.contact_type & b.contact_affinity or b.contact_type & a.contact_affinity)


def test_contact_bits_become_groups_that_let_the_same_meet() -> None:
    bits = [(1, 1), (1, 0), (2, 1), (2, 2), (0, 0), (4, 3)]
    collisions = [
        Shape("sphere", (0.1,), (n, 0, 0), contact_type=a, contact_affinity=b) for n, (a, b) in enumerate(bits)
    ]
    model = RobotModel("r", [Body("a", 1.0, inertia=np.eye(3), collisions=collisions)], [])
    found, written, _ = again(model)
    assert written.notes == []
    kept = [shape for shape in collisions if shape.contact_type or shape.contact_affinity]
    for a, mine in zip(kept, found.bodies[0].collisions, strict=True):
        for b, other in zip(kept, found.bodies[0].collisions, strict=True):
            assert meets(a, b) == meets(mine, other)


def test_another_body_can_be_the_root(tmp_path: Path) -> None:
    found, _, _ = again(odd(tmp_path), root="tip")
    assert found.root == "tip" and found.fixed_base


def test_robots_below_other_prims_move_with_them() -> None:
    stage = Usd.Stage.CreateInMemory()
    above = UsdGeom.Xform.Define(stage, "/World")
    above.AddTranslateOp().Set((0.0, 0.0, 5.0))
    written = write_robot(library.load_robot("double_pendulum", True), stage, "/World/robot")
    (actor,) = read_stage(stage, "/World").actors.values()
    assert written.path == "/World/robot" and actor.model.position == pytest.approx((0.0, 0.0, 7.2))
    assert actor.model.fixed_base and UsdPhysics.GetStageKilogramsPerUnit(stage) == 1.0


def test_errors_say_what_is_wrong(tmp_path: Path) -> None:
    model = RobotModel("r", [Body("a", 1.0, inertia=np.eye(3))], [])
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    with pytest.raises(ValueError, match=r"metersPerUnit 0\.01"):
        write_robot(model, stage)
    stage = Usd.Stage.CreateInMemory()
    write_robot(model, stage, "/x")
    with pytest.raises(ValueError, match="already a prim at </x>"):
        write_robot(model, stage, "/x")
    with pytest.raises(ValueError, match="no path of a prim"):
        write_robot(model, stage, "y z")
    with pytest.raises(ValueError, match="no body of the robot; there are a"):
        write_robot(model, stage, "/y", root="b")


def test_files_are_replaced_also_where_they_are_open(tmp_path: Path) -> None:
    file = tmp_path / "robot.usda"
    write_robot(RobotModel("one", [Body("a", 1.0, inertia=np.eye(3))], []), file)
    held = Usd.Stage.Open(str(file))
    write_robot(RobotModel("two", [Body("a", 3.0, inertia=np.eye(3))], []), file)
    assert load_robot(file).bodies[0].mass == 3.0 and held.GetPrimAtPath("/two")


@pytest.mark.usefixtures("compile_less")
def test_mass_matrices_and_poses_in_a_world_are_the_same(device: str) -> None:
    model = library.load_robot("arm", visuals=False)
    found, _, _ = again(model)
    world = px.World(2, device=device, dtype="float64")
    robots = [world.add_robot(one, name) for one, name in ((model, "built"), (found, "read"))]
    states = np.random.default_rng(1).uniform(-0.5, 0.5, (2, robots[0].num_dof))
    assert robots[0].joint_names == robots[1].joint_names and robots[0].body_names == robots[1].body_names
    for robot in robots:
        robot.set_joint_state(states)
    built, read = (host(robot.mass_matrix()) for robot in robots)
    np.testing.assert_allclose(read, built, atol=1e-6 * np.abs(built).max())
    built, read = (host(robot.body_pose) for robot in robots)
    np.testing.assert_allclose(read, built, atol=3e-6)
