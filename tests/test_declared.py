"""Declared properties: their texts say their shapes, and what is written is checked first and told to the engine."""

from __future__ import annotations

import pydoc
import re
from typing import Any

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.components import Coordinate
from phalanx.models.robot_model import Body, Joint, RobotModel
from phalanx.models.tendons import FixedTendon
from phalanx.world.handles.declared import Declared, declared

ENVS = 3
HANDLES = {px.Robot: "robot", px.RigidObject: "box", px.RigidObjectCollection: "objects"}
OTHERS = {px.SoftBody: "soft", px.Cloth: "sheet", px.Rope: "rope", px.Particles: "grains", px.LoopJoint: "rod"}
ALL = {**HANDLES, **OTHERS}
WRITTEN: dict[type, dict[str, float]] = {
    px.SoftBody: {"node_mass": 0.125, "friction": 0.375, "elasticity": 0.4375},
    px.Cloth: {"youngs_modulus": 2e4, "shear_modulus": 3e3, "bending_stiffness": 0.125},
    px.Rope: {"youngs_modulus": 2e6, "bending_stiffness": 0.25, "twisting_stiffness": 0.375},
    px.Particles: {"particle_friction": 0.75, "cohesion": 0.125},
    px.LoopJoint: {"distance": 0.5},
}
"""Of deformable bodies and joints, what is set to which value: none by default, and exact in float32."""


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    """A robot of a hinge, a ball joint and a tendon, which has joints that limits are not for, and a box."""
    inertia = np.eye(3) * 0.01
    bodies = [Body(name, 1.0, (0.0, 0.0, 0.0), inertia) for name in ("root", "arm", "hand")]
    joints = [
        Joint("shoulder", "revolute", "root", "arm", (0.0, 0.0, 1.0)),
        Joint("wrist", "spherical", "arm", "hand", (0.0, 0.0, 1.0)),
    ]
    model = RobotModel("arm", bodies, joints, fixed_tendons=[FixedTendon("string", {"shoulder": 1.0}, stiffness=2.0)])
    made = px.World(num_envs=ENVS, device=device, dtype="float64")
    made.add_robot(model, position=(0.0, 0.0, 3.0))
    made.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=1.0, position=(0.0, 0.0, 5.0))
    cube = px.Shape("box", (0.1, 0.1, 0.1))
    made.add_rigid_objects({name: {"source": cube, "position": (2.0, i, 1.0)} for i, name in enumerate("ab")}, mass=1.0)
    made.build()
    return made


@pytest.fixture(scope="module")
def others(device: str) -> px.World:
    """One of each deformable body, and a joint that is no robot's."""
    made = px.World(num_envs=ENVS, device=device)
    made.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=1.0, position=(0.0, 0.0, 5.0))
    tet = px.TetMesh(np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]), np.array([[0, 1, 2, 3]]))
    made.add_soft_body(tet, "soft", position=(0.0, 4.0, 3.0))
    made.add_cloth(px.ClothMesh.grid(0.2, 0.2, 2, 2), "sheet", position=(0.0, 6.0, 3.0))
    made.add_rope(px.RopeLine.straight(0.5, 4), "rope", position=(0.0, 8.0, 3.0), twisting_stiffness=1e-3)
    made.add_particles(px.PointSet.grid((2, 2, 1), 0.1), "grains", radius=0.02, position=(0.0, 10.0, 3.0))
    made.add_joint("distance", "box", name="rod", position_b=(0.0, 0.0, 8.0), max_distance=9.0)
    made.build()
    return made


def helped(thing: Any) -> str:
    """What ``help()`` prints, without bold letters."""
    return re.sub(".\x08", "", pydoc.render_doc(thing))


def handle_of(world: px.World, kind: type) -> Any:
    found = {**world.actors, **world.collections, **world.all_deformables, **world.joints}
    return found[ALL[kind]]


def test_a_robot_has_three_bases() -> None:
    assert [base.__name__ for base in px.Robot.__mro__[1:-1]] == ["RobotProperties", "Actor", "Handle"]


@pytest.mark.parametrize("kind", ALL)
def test_texts_say_shapes_that_arrays_have(kind: type, request: pytest.FixtureRequest) -> None:
    handle = handle_of(request.getfixturevalue("others" if kind in OTHERS else "world"), kind)
    properties = {name: each for name, each in declared(kind).items() if not name.startswith("_")}
    assert properties
    for name, each in properties.items():
        text = each.__doc__ or ""
        shape = "".join(["(", ", ".join(map(str, each.shape)), "," * (len(each.shape) == 1), ")"])
        assert text.startswith(shape), f"{kind.__name__}.{name}: {text!r} does not begin with {shape}"
        assert text in re.sub(r"\n \|(      )?", "\n", helped(kind))
        sizes = {"n": ENVS, "leaves": 0} | {
            axis: getattr(handle, axis, None) for axis in each.shape if isinstance(axis, str) and axis != "n"
        }
        sizes["leaves"] = len(getattr(handle, "spatial_tendon_leaves", ()))
        sizes |= {"num_links": len(getattr(handle, "link_names", ())), "7": 7}
        wanted = tuple(sizes[n] if isinstance(n, str) else n for n in each.shape)
        assert host(getattr(handle, name)).shape == wanted, f"{kind.__name__}.{name}"


@pytest.mark.parametrize("kind", ALL)
def test_units_of_fields_are_in_texts(kind: type) -> None:
    """Fields of joints name the units of hinges, texts both. Tendons' are in the class's text; coordinates differ."""
    for name, each in declared(kind).items():
        if each.fields[0] is Coordinate.value:
            continue
        unit = each.fields[0].unit.split(", ")[0].replace(" ", "·")
        if not name.startswith("_") and "tendon" not in name and unit not in ("", "1"):
            assert unit in (each.__doc__ or ""), f"{kind.__name__}.{name} is in {unit}"


def test_declarations_are_what_types_say() -> None:
    assert isinstance(px.Robot.joint_armature, Declared)
    assert px.Robot.joint_armature.field.key == "DofModel.armature"
    assert "declared" in helped(Declared)
    assert "Args:" in (Declared.__doc__ or "")


def test_roles_say_what_the_engine_hears(world: px.World) -> None:
    world.reset()
    robot, engine = world.robots["robot"], world.engine
    state, inputs = engine.state_revision, engine.input_revision
    robot.set_drive(stiffness=3.0)
    assert (engine.state_revision, engine.input_revision) == (state, inputs + 1)
    robot.set_joint_armature(0.1)
    assert engine.state_revision > state and engine.input_revision == inputs + 1
    assert (host(robot.joint_stiffness) == 3.0).all() and (host(robot.joint_armature) == 0.1).all()


def test_nothing_is_written_if_one_value_is_wrong(world: px.World) -> None:
    robot = world.robots["robot"]
    robot.set_drive(stiffness=3.0, damping=1.0)
    inputs = world.engine.input_revision
    with pytest.raises(ValueError, match="damping is negative in environment 0"):
        robot.set_drive(stiffness=5.0, damping=-1.0)
    assert (host(robot.joint_stiffness) == 3.0).all() and world.engine.input_revision == inputs


def test_limits_are_written_where_joints_have_one_dof(world: px.World) -> None:
    robot = world.robots["robot"]
    before = host(robot.joint_position_limits)
    robot.set_joint_limits(lower=-1.0, upper=2.0, restitution=0.5, env_ids=[0, 2])
    after = host(robot.joint_position_limits)
    assert np.array_equal(after[1], before[1]) and np.array_equal(after[:, 1:], before[:, 1:])
    assert (after[[0, 2], 0] == [-1.0, 2.0]).all()
    assert (host(robot.joint_limit_restitution)[[0, 2], 0] == 0.5).all()


def test_a_property_is_not_assigned(world: px.World) -> None:
    robot: Any = world.robots["robot"]
    with pytest.raises(AttributeError, match="joint_armature cannot be assigned; call a setter"):
        robot.joint_armature = 1.0


@pytest.mark.parametrize("kind", WRITTEN)
def test_setters_of_deformables_and_joints_write_and_tell(others: px.World, kind: type) -> None:
    """In one environment of three: the others keep their values, and what was derived is stale."""
    handle, engine = handle_of(others, kind), others.engine
    for name, value in WRITTEN[kind].items():
        revision = engine.state_revision
        if name == "elasticity":
            handle.set_elasticity(poissons_ratio=value, env_ids=[1])
        elif name == "distance":
            handle.set_distance(most=value, env_ids=[1])
        else:
            getattr(handle, f"set_{name}")(value, env_ids=[1])
        found = host(getattr(handle, {"elasticity": "poissons_ratio", "distance": "_most_distance"}.get(name, name)))
        assert (found[1] == value).all() and (found[[0, 2]] != value).all(), name
        assert engine.state_revision > revision, name


def test_numbers_of_a_soft_body_are_checked(others: px.World) -> None:
    soft = handle_of(others, px.SoftBody)
    before = host(soft.youngs_modulus)
    with pytest.raises(ValueError, match=r"'soft'.*: Poisson's ratio must be below 0\.5; got 0\.5"):
        soft.set_elasticity(youngs_modulus=1e3, poissons_ratio=0.5)
    assert (host(soft.youngs_modulus) == before).all(), "nothing is written if one value is wrong"
    for wrong in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="Young's modulus"):
            soft.set_elasticity(youngs_modulus=wrong)


def test_what_setters_write_is_kept() -> None:
    """A write of a field that is derived would tell the engine nothing, and would not be saved."""
    for kind in OTHERS:
        for name, each in declared(kind).items():
            if name not in ("wrench",):
                assert each.field.role != "derived", f"{kind.__name__}.{name}"
