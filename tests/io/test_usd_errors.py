"""What is wrong on a stage ends in an error that names file and prim; what is not simulated is told."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from usd_files import BALL, body, joint, prim, read, save

import phalanx as px
from phalanx.io.formats.usd import load_scene
from phalanx.io.reading.errors import LoadError

TRIANGLE = (
    "point3f[] points = [(0,0,0),(1,0,0),(0,1,0)]\nint[] faceVertexCounts = [{}]\nint[] faceVertexIndices = [{}]\n"
)
HIT = "PhysicsCollisionAPI"
TWO = body("a") + body("b", BALL, (1, 0, 0))


def cube(inside: str) -> str:
    return prim("Cube", "c", inside, "PhysicsCollisionAPI")


def mesh(inside: str) -> str:
    return prim("Mesh", "m", inside, "PhysicsCollisionAPI")


def robot(joints: str) -> str:
    return prim("Xform", "r", TWO + joints, "PhysicsArticulationRootAPI")


ERRORS = {
    "no place": (prim("Scope", "s", "", "PhysicsRigidBodyAPI"), "</s>: a rigid body must have a place"),
    "sheared bodies": (
        prim(
            "Xform",
            "s",
            "matrix4d xformOp:transform = ((1,0,0,0),(0.5,1,0,0),(0,0,1,0),(0,0,0,1))\n"
            'uniform token[] xformOpOrder = ["xformOp:transform"]\n' + BALL,
            "PhysicsRigidBodyAPI",
        ),
        "</s>: a rigid body's transform must not shear",
    ),
    "sheared shapes": (
        cube(
            "matrix4d xformOp:transform = ((1,0,0,0),(0.5,1,0,0),(0,0,1,0),(0,0,0,1))\n"
            'uniform token[] xformOpOrder = ["xformOp:transform"]'
        ),
        "</c>: a transform shears the Cube",
    ),
    "zero scale": (
        cube('double3 xformOp:scale = (1, 0, 1)\nuniform token[] xformOpOrder = ["xformOp:scale"]'),
        "</c>: its transform is not finite, or scales an axis to 0",
    ),
    "no size": (cube("double size = 0"), "</c>: the Cube has a size of 0 or less"),
    "no radius": (prim("Sphere", "s", "double radius = nan", "PhysicsCollisionAPI"), "</s>: radius = nan must be"),
    "empty meshes": (mesh(""), "</m>: the mesh has no points or faces"),
    "counts": (mesh(TRIANGLE.format("4", "0, 1, 2")), "</m>: faceVertexCounts add up to 4, but there are 3"),
    "indices": (mesh(TRIANGLE.format("3", "0, 1, 3")), "</m>: faceVertexIndices must be from 0 to 2"),
    "lines": (mesh(TRIANGLE.format("2", "0, 1")), "</m>: the mesh has no faces of three corners"),
    "points": (
        mesh(TRIANGLE.format("3", "0, 1, 2").replace("(1,0,0)", "(inf,0,0)")),
        "</m>: the mesh has points that are not finite",
    ),
    "approximation": (
        prim("Mesh", "m", TRIANGLE.format("3", "0, 1, 2") + 'uniform token physics:approximation = "convexHul"',
             "PhysicsCollisionAPI PhysicsMeshCollisionAPI"),
        r'</m>: physics:approximation = "convexHul" is not known; did you mean "convexHull"\?',
    ),
    "flat bodies": (
        body("b", mesh(TRIANGLE.format("3", "0, 1, 2"))), "</b/m>: .* has a volume of 0 m³; give the body's mass"
    ),
    "negative mass": (body("b", "float physics:mass = -1\n" + BALL), "</b>: physics:mass = -1 must not be below 0"),
    "inertia alone": (body("b", "float3 physics:diagonalInertia = (1, 1, 1)"), "</b>: it has an inertia but no"),
    "restitution": (
        prim("Material", "m", "float physics:restitution = 1.5", "PhysicsMaterialAPI")
        + prim("Sphere", "s", "rel material:binding:physics = </m>", "PhysicsCollisionAPI MaterialBindingAPI"),
        "</m>: physics:restitution = 1.5 is above 1",
    ),
    "moving planes": (body("b", prim("Plane", "p", "", "PhysicsCollisionAPI")), "</b/p>: </b> carries a plane"),
    "ghosts": (TWO + joint("FixedJoint", "j", "/a", "/c"), "</j>: physics:body1 names </c>, which does not exist"),
    "two bodies": (TWO + joint("FixedJoint", "j", "/a", "/b").replace("</b>", "[</b>, </a>]"), "</j>: .*names 2 prims"),
    "one body": (TWO + joint("FixedJoint", "j", "/a", "/a"), "</j>: both its ends are on </a>"),
    "no bodies": (joint("FixedJoint", "j", "", ""), "</j>: both its ends are on the world"),
    "limits": (
        TWO + joint("RevoluteJoint", "j", "/a", "/b", "float physics:lowerLimit = 3\nfloat physics:upperLimit = 2"),
        "</j>: physics:lowerLimit is above the upper one",
    ),
    "distances": (
        TWO + joint("DistanceJoint", "j", "/a", "/b", "float physics:minDistance = 3\nfloat physics:maxDistance = 2"),
        "</j>: physics:minDistance is above physics:maxDistance",
    ),
    "axis": (TWO + joint("RevoluteJoint", "j", "/a", "/b", 'uniform token physics:axis = "W"'), '</j>: .*axis = "W"'),
    "stiffness": (
        TWO + joint("RevoluteJoint", "j", "/a", "/b", "float drive:angular:physics:stiffness = -1",
                    "PhysicsDriveAPI:angular"),
        "</j>: drive:angular:physics:stiffness = -1 must not be below 0",
    ),
    "offsets": (
        prim("Sphere", "ball", "float physxCollision:contactOffset = 0.1\nfloat physxCollision:restOffset = 0.2",
             "PhysicsCollisionAPI"),
        "</ball>: physxCollision:contactOffset = 0.1 must be above the rest offset",
    ),
    "words": (body("b", 'string physxRigidBody:linearDamping = "much"\n' + BALL), "</b>: .*'much' must be a number"),
    "gravity": (prim("PhysicsScene", "s", "float physics:gravityMagnitude = inf"), "</s>: .*gravityMagnitude"),
    "many sorts": (
        "".join(prim("Sphere", f"s{n}", "rel physics:filteredPairs = </t>", f"{HIT} PhysicsFilteredPairsAPI")
                for n in range(70)) + prim("Sphere", "t", "", "PhysicsCollisionAPI"),
        "set 71 sorts of colliders apart, more than 62",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors_name_file_and_prim(name: str, tmp_path: Path) -> None:
    text, message = ERRORS[name]
    with pytest.raises(LoadError, match=message) as caught:
        load_scene(save(tmp_path, text))
    assert str(caught.value).startswith(f"{tmp_path / 'model.usda'}: <")


def test_units_must_make_sense() -> None:
    with pytest.raises(LoadError, match="metersPerUnit = 0 must be positive"):
        read(BALL, metres=0.0)


def attribute(text: str, schemas: str = "") -> str:
    return body("b", text + "\n" + BALL, schemas=schemas)


HINGE = "point3f physics:localPos0 = (1, 0, 0)\n"

TOLD = {
    "groups": (prim("Xform", "x", "", "PhysicsCollisionAPI"), "colliders must be geometry"),
    "curves": (prim("BasisCurves", "x", "", "PhysicsCollisionAPI"), "colliders of type BasisCurves are not simulated"),
    "instancers": (
        prim("PointInstancer", "x", "rel prototypes = </b>") + prim("Sphere", "b", "", "PhysicsCollisionAPI"),
        "</x>: point instancers are not simulated",
    ),
    "gears": (prim("PhysxPhysicsGearJoint", "x"), "joints of type PhysxPhysicsGearJoint are not simulated"),
    "particles": (prim("PhysxParticleSystem", "x"), "prims of type PhysxParticleSystem are not simulated"),
    "schemas": (prim("Xform", "x", "", "PhysxParticleSetAPI"), "PhysxParticleSetAPI is not simulated"),
    "missed": (attribute("bool physxRigidBody:solveContact = 0"), '"physxRigidBody:solveContact" is not simulated'),
    "unknown": (attribute("float physxRigidBody:linearDampin = 0"), '"physxRigidBody:linearDampin" is not simulated'),
    "vectors": (attribute("vector3f physxForce:force = (0, 0, 1)"), '"physxForce:force" is not simulated'),
    "MuJoCo": (attribute("double mjc:stiffness = 0"), r"what is MuJoCo's own is not read \(mjc:stiffness\)"),
    "speed": (attribute("vector3f physics:velocity = (1, 0, 0)"), r'set_keyframe\("start"\) gives it its velocity'),
    "friction": (
        robot(joint("RevoluteJoint", "j", "/r/a", "/r/b", HINGE + "float physxJoint:jointFriction = 0.1")),
        "a share of the load, is not simulated",
    ),
    "breaking": (
        robot(joint("RevoluteJoint", "j", "/r/a", "/r/b", HINGE + "float physics:breakForce = 3")),
        "joints of robots do not break",
    ),
    "damping": (
        robot(joint("RevoluteJoint", "j", "/r/a", "/r/b", HINGE)).replace(
            "(1, 0, 0)\nuniform", "(1, 0, 0)\nfloat physxRigidBody:linearDamping = 1\nuniform", 1),
        "the linear damping of all bodies of a robot is that of its root",
    ),
    "cones": (
        robot(joint("SphericalJoint", "j", "/r/a", "/r/b", HINGE + "float physics:coneAngle0Limit = 30\n"
                           "float physics:coneAngle1Limit = 20")),
        "even about the axis; the wider one",
    ),
    "narrow cones": (
        robot(joint("SphericalJoint", "j", "/r/a", "/r/b", HINGE + "float physics:coneAngle0Limit = 0\n"
                    "float physics:coneAngle1Limit = 0")),
        "</r/j>: its cone is too narrow",
    ),
    "uneven cones": (
        TWO + joint("Joint", "j", "/a", "/b", "".join(
            f"float limit:{axis}:physics:low = {low}\nfloat limit:{axis}:physics:high = {high}\n"
            for axis, low, high in (("transX", 1, 0), ("transY", 1, 0), ("transZ", 1, 0), ("rotY", -10, 20))
        ), "PhysicsLimitAPI:transX PhysicsLimitAPI:transY PhysicsLimitAPI:transZ PhysicsLimitAPI:rotY"),
        "limits of rotY are uneven",
    ),
    "soft cones": (
        robot(joint("SphericalJoint", "j", "/r/a", "/r/b", HINGE + "float physxLimit:cone:stiffness = 2\n",
                    "PhysxLimitAPI:cone")),
        "</r/j>: limits of cone do not give way here",
    ),
    "soft ropes": (
        TWO + joint("DistanceJoint", "j", "/a", "/b", "float physxLimit:distance:damping = 2\n",
                    "PhysxLimitAPI:distance"),
        "</j>: limits of distance do not give way here",
    ),
    "joined bodies": (
        robot(joint("RevoluteJoint", "j", "/r/a", "/r/b", HINGE + "bool physics:collisionEnabled = 1")),
        "</r/j>: bodies of a robot that a joint connects do not collide here",
    ),
    "idle drives": (
        robot(joint("RevoluteJoint", "j", "/r/a", "/r/b", HINGE, "PhysicsDriveAPI:linear")),
        "its drive of linear has nothing to move",
    ),
    "slides in loops": (
        robot(joint("RevoluteJoint", "j", "/r/a", "/r/b", HINGE)
                     + joint("PrismaticJoint", "k", "/r/a", "/r/b", "bool physics:excludeFromArticulation = 1")),
        "prismatic joints are simulated in the trees of robots only",
    ),
    "idle loops": (
        robot(joint("FixedJoint", "j", "/r/a", "/r/b", HINGE)
              + joint("SphericalJoint", "k", "/r/a", "/r/b", "bool physics:excludeFromArticulation = 1")),
        "</r/k>: it connects what is one rigid body already",
    ),
    "loops to the ground": (
        robot(joint("FixedJoint", "j", "", "/r/a")
              + joint("SphericalJoint", "k", "", "/r/a", "bool physics:excludeFromArticulation = 1")),
        "</r/k>: it connects what is one rigid body already",
    ),
    "two roots": (
        robot(joint("RevoluteJoint", "j", "/r/a", "/r/b", HINGE)).replace(
            '"PhysicsRigidBodyAPI"', '"PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI"', 1),
        "already belong to an articulation",
    ),
    "mimics": (
        robot(joint("RevoluteJoint", "j", "/r/a", "/r/b", HINGE, "PhysxMimicJointAPI:rotX")),
        "must name a joint of the same robot",
    ),
    "pairs": (
        prim("Sphere", "s", "rel physics:filteredPairs = </t>", "PhysicsCollisionAPI PhysicsFilteredPairsAPI"),
        "its filtered pair names </t>, which is no body",
    ),
    "idle masses": (
        body("b", prim("Cube", "c", "", "PhysicsMassAPI") + BALL), "</b/c>: it is neither a collider nor a rigid body"),
    "scenes": (prim("PhysicsScene", "s") + prim("PhysicsScene", "t"), "</t>: a world is one scene"),
    "dynamic friction": (
        prim("Material", "m", "float physics:dynamicFriction = 1", "PhysicsMaterialAPI")
        + prim("Sphere", "s", "rel material:binding:physics = </m>", "PhysicsCollisionAPI MaterialBindingAPI"),
        "its dynamic friction is above the static one",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("moments", "problem"), [((1, 1, 9), "violates the triangle inequality"), ((1, -1, 1), "has a negative principal")]
)
def test_inertias_that_no_body_can_have(moments: tuple[int, ...], problem: str, tmp_path: Path) -> None:
    file = save(tmp_path, attribute(f"float physics:mass = 1\nfloat3 physics:diagonalInertia = {moments}"))
    with pytest.raises(LoadError, match=rf"model.usda: </\w+>: its inertia {problem}.*fix_inertias=True"):
        load_scene(file)
    scene = load_scene(file, fix_inertias=True)
    assert [("the nearest that one can have is taken" in text) for text in scene.warnings] == [True]
    (actor,) = scene.actors.values()
    low, middle, high = np.linalg.eigvalsh(actor.model.bodies[0].inertia)
    assert low >= -1e-12 and high <= low + middle + 1e-9


@pytest.mark.parametrize("name", TOLD)
def test_what_is_not_simulated_is_told(name: str) -> None:
    text, message = TOLD[name]
    found = read(text).warnings
    assert any(re.search(message, one) for one in found), found


def test_values_that_change_nothing_and_pictures_are_not_told() -> None:
    text = attribute(
        """bool physxRigidBody:solveContact = 1
        float physxRigidBody:maxContactImpulse = 3.4e38
        bool physxRigidBody:enableCCD = 1
        float physxContactReport:threshold = 0
        uniform int physxConvexHullCollision:hullVertexLimit = 32""",
        "PhysxContactReportAPI PhysxRigidBodyAPI",
    )
    looks = prim("Camera", "c") + prim("DistantLight", "l") + prim("Mesh", "m") + prim("Material", "m2")
    assert read(text + looks + prim("PhysicsScene", "s", "uint physxScene:timeStepsPerSecond = 60")).warnings == []


def test_a_world_warns_once_for_all_that_is_not_simulated(tmp_path: Path) -> None:
    file = save(tmp_path, TOLD["missed"][0] + TOLD["curves"][0])
    with pytest.warns(UserWarning, match=r"(?s)has what is not simulated:.*BasisCurves.*solveContact") as caught:
        px.World().add_usd(file)
    assert len(caught) == 1
    with pytest.warns(UserWarning, match="solveContact"):
        px.World().add_robot(file)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [
        one for one in sys.modules if one.startswith("phalanx.io.formats.usd") or one.partition(".")[0] == "pxr"
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(ImportError, match=r"usd-core .*pip install 'phalanx\[isaac\]'"):
        px.World().add_usd(save(tmp_path, BALL))
    monkeypatch.undo()
