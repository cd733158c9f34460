"""What USD files say about bodies, shapes, masses and joints, against UsdPhysics itself where it has an opinion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from usd_files import BALL, body, joint, parsed, prim, read, save, stage

import phalanx as px
from phalanx.io.formats.usd import Scene, load_robot, read_stage
from phalanx.io.formats.usd.bindings import Gf, UsdPhysics
from phalanx.maths.arrays import matrix
from phalanx.models.meshes import mass_properties
from phalanx.models.pose import body_frames
from phalanx.models.robot_model import Body, RobotModel

ARM = prim(
    "Xform",
    "arm",
    body("base", BALL, (0.0, 0.0, 1.0))
    + prim(
        "Scope",
        "links",
        body("upper", BALL, (0.5, 0.0, 1.0)) + body("lower", BALL, (0.5, 0.5, 1.0)) + body("tool", BALL, (0.5, 1, 1)),
    )
    + joint(
        "PrismaticJoint",
        "elbow",
        "/arm/links/lower",
        "/arm/links/upper",
        'uniform token physics:axis = "Y"\npoint3f physics:localPos1 = (0, 0.25, 0)\n'
        "float physics:lowerLimit = -0.75\nfloat physics:upperLimit = 0.5",
    )
    + joint("FixedJoint", "grip", "/arm/links/lower", "/arm/links/tool", "point3f physics:localPos0 = (0, 0.5, 0)")
    + joint("FixedJoint", "mount", "", "/arm/base", "point3f physics:localPos0 = (0, 0, 1)")
    + joint(
        "RevoluteJoint",
        "shoulder",
        "/arm/base",
        "/arm/links/upper",
        'uniform token physics:axis = "Z"\npoint3f physics:localPos0 = (0.5, 0, 0)\n'
        "float physics:lowerLimit = -30\nfloat physics:upperLimit = 60",
    ),
    "PhysicsArticulationRootAPI",
)


def model_of(scene: Scene) -> RobotModel:
    (actor,) = scene.actors.values()
    return actor.model


def body_of(scene: Scene) -> Body:
    return model_of(scene).bodies[0]


def test_a_tree_is_read_from_joints_in_any_order_and_direction() -> None:
    scene = read(ARM)
    model = model_of(scene)
    assert list(scene.actors) == ["arm"] and scene.warnings == []
    assert [one.name for one in model.bodies] == ["base", "upper", "lower", "tool"]
    assert [(one.name, one.type) for one in model.joints] == [
        ("shoulder", "revolute"),
        ("elbow", "prismatic"),
        ("grip", "fixed"),
    ]
    assert model.fixed_base and model.position == (0.0, 0.0, 1.0)
    shoulder, elbow, _ = model.joints
    np.testing.assert_allclose((shoulder.lower, shoulder.upper), np.radians((-30, 60)))
    assert (elbow.parent, elbow.child) == ("upper", "lower") and (elbow.lower, elbow.upper) == (-0.75, 0.5)
    assert model.joint_pos == {"elbow": -0.25}  # frame 1, at (0.5, 0.25), as seen from frame 0, at (0.5, 0.5)
    frames = body_frames(model, model.joint_pos, (0, 0, 1))
    for name, place in {"upper": (0.5, 0, 1), "lower": (0.5, 0.5, 1), "tool": (0.5, 1, 1)}.items():
        np.testing.assert_allclose(frames[name][1], place, atol=1e-12)
    # The coordinate is that of frame 1 in frame 0, though frame 0 is on the child.
    moved = body_frames(model, {"elbow": 0.25}, (0, 0, 1))
    np.testing.assert_allclose(moved["lower"][1], (0.5, 0.0, 1.0), atol=1e-12)
    assert scene.actors["arm"].bodies["/arm/links/lower"] == "lower"
    assert scene.actors["arm"].joints["/arm/elbow"] == ["elbow"]


@pytest.mark.parametrize(
    ("where", "fixed", "root"),
    [("/r", False, "a"), ("/r/b", False, "b"), ("/r/weld", True, "b")],
)
def test_the_root_is_where_the_articulation_begins(where: str, fixed: bool, root: str) -> None:
    weld = joint("FixedJoint", "weld", "", "/r/b", "point3f physics:localPos0 = (1, 0, 0)") if fixed else ""
    made = stage(
        prim("Xform", "r", body("a") + body("b", place=(1, 0, 0)) + weld)
        + joint("RevoluteJoint", "j", "/r/a", "/r/b", "point3f physics:localPos0 = (1, 0, 0)")
    )
    UsdPhysics.ArticulationRootAPI.Apply(made.GetPrimAtPath(where))
    scene = read_stage(made)
    (actor,) = scene.actors.values()
    assert (actor.model.root, actor.model.fixed_base, actor.name) == (root, fixed, "r")


def test_a_base_whose_fixed_joint_is_switched_off_is_free() -> None:
    """As Isaac Lab lets go of robots whose importer has put the articulation root on that joint."""
    weld = joint(
        "FixedJoint", "root_joint", "", "/r/b", "point3f physics:localPos0 = (1, 0, 0)", "PhysicsArticulationRootAPI"
    )
    hinge = joint("RevoluteJoint", "j", "/r/a", "/r/b", "point3f physics:localPos0 = (1, 0, 0)")
    made = stage(prim("Xform", "r", body("a") + body("b", place=(1, 0, 0)) + hinge + weld))
    assert model_of(read_stage(made)).fixed_base
    made.GetPrimAtPath("/r/root_joint").GetAttribute("physics:jointEnabled").Set(False)
    scene = read_stage(made)
    assert (model_of(scene).fixed_base, model_of(scene).root, scene.warnings) == (False, "b", [])


def test_robots_are_called_as_the_prim_that_holds_all_of_them() -> None:
    def robot(name: str, kind: str = "") -> str:
        inside = body("a", BALL + body("b", place=(1, 0, 0)), schemas="PhysicsArticulationRootAPI") + joint(
            "RevoluteJoint", "j", f"/all/{name}/a", f"/all/{name}/a/b", "point3f physics:localPos0 = (1, 0, 0)"
        )
        made = prim("Xform", name, inside)
        return made.replace(f'"{name}"', f'"{name}" ( kind = "{kind}" )', 1) if kind else made

    scene = read(prim("Xform", "all", robot("one", "component") + robot("two")))
    assert [(name, actor.path) for name, actor in scene.actors.items()] == [("one", "/all/one/a"), ("a", "/all/two/a")]


def test_a_joint_that_moves_against_the_world_hangs_on_a_fixed_root() -> None:
    scene = read(
        body("pole", BALL, (0, 0, 2), "PhysicsArticulationRootAPI")
        + prim("Xform", "wall", place=(0, 0, 1.5))
        + joint("RevoluteJoint", "hinge", "/wall", "/pole", "point3f physics:localPos1 = (0, 0, -0.5)")
    )
    model = model_of(scene)
    assert [one.name for one in model.bodies] == ["world", "pole"] and model.fixed_base
    assert model.position == (0.0, 0.0, 0.0) and model.joints[0].position == (0.0, 0.0, 1.5)
    assert model.joints[0].type == "continuous"


def test_bodies_below_bodies_and_their_colliders_are_told_apart() -> None:
    inner = body("inner", BALL, (1, 0, 0)) + prim("Cube", "box", "double size = 0.2", "PhysicsCollisionAPI")
    off = prim("Xform", "off", "bool physics:rigidBodyEnabled = 0\n" + BALL, "PhysicsRigidBodyAPI", (0, 0, 3))
    scene = read(body("outer", inner, (0, 0, 1)) + off + BALL)
    assert {name: actor.kind for name, actor in scene.actors.items()} == {
        "outer": "dynamic",
        "inner": "dynamic",
        "ball": "static",
        "ball_2": "static",
    }
    assert scene.actors["ball"].path == "/off/ball"
    assert [one.kind for one in scene.actors["outer"].model.bodies[0].collisions] == ["box"]
    assert scene.actors["inner"].model.position == (1.0, 0.0, 1.0)


SHAPES = {
    "sphere": ("Sphere", "double radius = 0.3", "sphere", (0.3,)),
    "cube": ("Cube", "double size = 0.4", "box", (0.2, 0.2, 0.2)),
    "capsule": ("Capsule", 'double radius = 0.1\ndouble height = 0.6\nuniform token axis = "X"', "capsule", (0.1, 0.3)),
    "cylinder": (
        "Cylinder",
        'double radius = 0.1\ndouble height = 0.6\nuniform token axis = "Y"',
        "cylinder",
        (0.1, 0.3),
    ),
    "cone": ("Cone", "double radius = 0.1\ndouble height = 0.6", "cone", (0.1, 0.3)),
    "by default": ("Capsule", "", "capsule", (0.5, 0.5)),
}
TURNED = """quatf xformOp:orient = (0.5, 0.5, -0.5, 0.5)
double3 xformOp:translate = (1, 2, 3)
uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
"""


@pytest.mark.parametrize("name", SHAPES)
def test_primitives_are_where_usd_has_them(name: str) -> None:
    kind, inside, ours, size = SHAPES[name]
    made = stage(body("b", prim(kind, "s", TURNED + inside, "PhysicsCollisionAPI"), (1.0, 0.0, 0.0)))
    (shape,) = body_of(read_stage(made)).collisions
    assert shape.kind == ours
    np.testing.assert_allclose(shape.size, size)
    theirs = parsed(made)["/b/s"]
    np.testing.assert_allclose(shape.position, theirs.localPos, atol=1e-6)
    turned = matrix(shape.orientation)
    axis = {"X": 0, "Y": 1, "Z": 2}[str(getattr(theirs, "axis", "Z"))]
    local = np.array([theirs.localRot.GetReal(), *theirs.localRot.GetImaginary()])
    if ours not in ("sphere", "box"):
        np.testing.assert_allclose(turned[:, 2], matrix(local)[:, axis], atol=1e-6)
        np.testing.assert_allclose(shape.size, (theirs.radius, theirs.halfHeight))


@pytest.mark.parametrize("scale", [(2, 3, 4), (-2, 3, 4), (2, -3, -4), (-2, -3, -4)])
def test_scale_above_shapes_and_bodies_is_in_the_shapes(scale: tuple[float, float, float]) -> None:
    cone = prim(
        "Cone", "cone", 'uniform token axis = "X"\ndouble radius = 0.1\ndouble height = 0.6', "PhysicsCollisionAPI"
    )
    cube = prim("Cube", "cube", "double size = 1", "PhysicsCollisionAPI", (1.0, 1.0, 1.0))
    made = stage(
        prim(
            "Xform",
            "all",
            f'double3 xformOp:scale = {scale}\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
            + body("b", cone + cube, (1.0, 2.0, 3.0)),
        )
    )
    scene = read_stage(made)
    (actor,) = scene.actors.values()
    round_, box = actor.model.bodies[0].collisions
    theirs = parsed(made)
    np.testing.assert_allclose(actor.model.position or (), np.multiply(scale, (1, 2, 3)))
    rotation = theirs["/all/b"].rotation
    expected = matrix([rotation.GetReal(), *rotation.GetImaginary()])
    np.testing.assert_allclose(matrix(actor.model.orientation), expected, atol=1e-6)
    np.testing.assert_allclose(box.size, np.abs(theirs["/all/b/cube"].halfExtents))
    np.testing.assert_allclose(box.position, theirs["/all/b/cube"].localPos, atol=1e-6)
    assert round_.size == (0.4, 0.6)  # the greater of the scales across, and the one along
    apex = matrix(actor.model.orientation) @ matrix(round_.orientation) @ [0.0, 0.0, 1.0]
    np.testing.assert_allclose(apex, [np.sign(scale[0]), 0.0, 0.0], atol=1e-12)
    assert any("scaled differently along axes" in text for text in scene.warnings)


def test_shapes_to_look_at_are_read_on_request() -> None:
    look = prim("Sphere", "look", "double radius = 0.2\ncolor3f[] primvars:displayColor = [(1, 0.5, 0)]")
    guide = prim("Sphere", "guide", 'uniform token purpose = "guide"')
    made = stage(body("b", BALL + look + guide))
    assert body_of(read_stage(made)).visuals == []
    (shape,) = body_of(read_stage(made, visuals=True)).visuals
    assert (shape.kind, shape.size, shape.color) == ("sphere", (0.2,), (1.0, 0.5, 0.0, 1.0))


MESH = """point3f[] points = [(-1,-1,-1),(1,-1,-1),(1,1,-1),(-1,1,-1),(-1,-1,1),(1,-1,1),(1,1,1),(-1,1,1)]
int[] faceVertexCounts = [4,4,4,4,4,4]
int[] faceVertexIndices = [0,3,2,1, 4,5,6,7, 0,1,5,4, 1,2,6,5, 2,3,7,6, 3,0,4,7]
"""


@pytest.mark.parametrize("scale", [(0.1, 0.2, 0.3), (-0.1, 0.2, 0.3)])
@pytest.mark.parametrize("left", [False, True])
def test_meshes_face_outwards_however_they_are_mirrored(scale: tuple[float, ...], left: bool) -> None:
    inside = MESH + f'double3 xformOp:scale = {scale}\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
    if left:
        inside = (
            inside.replace(
                "0,3,2,1, 4,5,6,7, 0,1,5,4, 1,2,6,5, 2,3,7,6, 3,0,4,7",
                "1,2,3,0, 7,6,5,4, 4,5,1,0, 5,6,2,1, 6,7,3,2, 7,4,0,3",
            )
            + 'uniform token orientation = "leftHanded"\n'
        )
    scene = read(body("b", prim("Mesh", "m", inside, "PhysicsCollisionAPI PhysicsMeshCollisionAPI")))
    found = body_of(scene)
    (shape,) = found.collisions
    assert shape.vertices is not None and shape.faces is not None
    a, b, c = (shape.vertices[shape.faces[:, n]] for n in range(3))
    assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), a + b + c) > 0).all()
    assert shape.approximation == "convex_hull"
    np.testing.assert_allclose(found.mass, 1000 * 8 * 0.1 * 0.2 * 0.3, rtol=1e-6)
    assert any("its convex hull stands for it" in text for text in scene.warnings)


def test_approximations_and_static_meshes_are_as_written() -> None:
    ways = ["none", "convexHull", "convexDecomposition", "boundingSphere", "boundingCube", "sdf"]
    schemas = "PhysicsCollisionAPI PhysicsMeshCollisionAPI PhysxSDFMeshCollisionAPI"
    inside = [MESH + f'uniform token physics:approximation = "{way}"\n' for way in ways]
    inside[-1] += "uniform int physxSDFMeshCollision:sdfResolution = 100\n"
    scene = read("".join(prim("Mesh", f"m{n}", one, schemas) for n, one in enumerate(inside)))
    shapes = [actor.model.bodies[0].collisions[0] for actor in scene.actors.values()]
    assert [one.approximation for one in shapes] == [
        "triangle_mesh", "convex_hull", "convex_decomposition", "bounding_sphere", "bounding_cube", "sdf",
    ]  # fmt: skip
    assert shapes[-1].sdf is not None and shapes[-1].sdf.resolution == 100
    assert {actor.kind for actor in scene.actors.values()} == {"static"} and scene.warnings == []


def imported(schemas: str, inside: str = "", shapes: str = "", meta: str = "instanceable = true") -> str:
    """A link as Isaac Sim imports it: an instance of what is beside the robot is the collider."""
    applied = ", ".join(f'"{one}"' for one in schemas.split())
    named = f"prepend apiSchemas = [{applied}]\n{meta}\nprepend references = </colliders/link>"
    collisions = f'def Xform "collisions" ( {named} ) {{\n{inside}\n}}\n'
    return body("link", collisions, (0.0, 0.0, 1.0)) + prim("Scope", "colliders", prim("Xform", "link", shapes))


GUIDES = prim("Xform", "mesh_0", 'uniform token purpose = "guide"\n' + prim("Cube", "box", "double size = 0.2")) + prim(
    "Xform",
    "mesh_1",
    'uniform token purpose = "guide"\n' + prim("Sphere", "ball", "double radius = 0.5"),
    "",
    (1, 0, 0),
)


def test_what_an_instance_that_is_a_collider_holds_collides() -> None:
    """Isaac Sim 4.5 and 5 import boxes and spheres of URDF files so; without them feet would not touch the ground."""
    scene = read(imported("PhysicsCollisionAPI PhysxCollisionAPI", "float physxCollision:contactOffset = 0.03", GUIDES))
    found = body_of(scene)
    box, ball = found.collisions
    assert (box.kind, box.size, ball.kind, ball.size) == ("box", (0.1, 0.1, 0.1), "sphere", (0.5,))
    assert box.name == "/link/collisions/mesh_0/box" and ball.position == (1.0, 0.0, 0.0)
    assert box.contact_offset == ball.contact_offset == pytest.approx(0.03)
    assert not found.visuals and scene.warnings == []
    np.testing.assert_allclose(found.mass, 1000 * (0.2**3 + 4 / 3 * np.pi * 0.5**3))
    off = read(imported("PhysicsCollisionAPI", "bool physics:collisionEnabled = false", GUIDES))
    assert body_of(off).collisions == []
    plain = read(imported("PhysicsCollisionAPI", "", GUIDES, meta=""))
    assert "as it is none, it does not collide" in plain.warnings[0] and not body_of(plain).collisions
    empty = read(imported("PhysicsCollisionAPI", "float physics:mass = 1") + BALL)
    assert any("as there is none below it" in text for text in empty.warnings)


@pytest.mark.parametrize("meta", ["instanceable = true", ""])
def test_meshes_that_are_merged_have_one_hull(meta: str) -> None:
    """Two cubes apart have a hull that fills what is between them; what is left out, and primitives, are not in it."""
    meshes = "".join(prim("Mesh", f"m{n}", MESH, "", (4.0 * n, 0.0, 0.0)) for n in range(3))
    inside = (
        'uniform token physics:approximation = "convexHull"\n'
        "rel collection:collisionmeshes:includes = </link/collisions>\n"
        "rel collection:collisionmeshes:excludes = </link/collisions/m2>\n"
    )
    schemas = "PhysicsCollisionAPI PhysicsMeshCollisionAPI PhysxMeshMergeCollisionAPI"
    scene = read(imported(schemas, inside, meshes + GUIDES, meta))
    found = body_of(scene)
    merged, box, ball = found.collisions
    assert (merged.name, merged.approximation, box.kind, ball.kind) == (
        "/link/collisions", "convex_hull", "box", "sphere",
    )  # fmt: skip
    assert merged.vertices is not None and merged.faces is not None and len(merged.faces) == 24
    np.testing.assert_allclose([merged.vertices.min(0), merged.vertices.max(0)], [(-1, -1, -1), (5, 1, 1)])
    assert scene.warnings == []
    np.testing.assert_allclose(found.mass, 1000 * (6 * 2 * 2 + 0.2**3 + 4 / 3 * np.pi * 0.5**3), rtol=1e-6)


BOX = prim(
    "Cube",
    "box",
    "double size = 2\ndouble3 xformOp:scale = (0.1, 0.2, 0.3)\ndouble3 xformOp:translate = (1, 0, 0)\n"
    'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]\n{own}',
    "PhysicsCollisionAPI PhysicsMassAPI",
)
MASSES = {
    "by default": ("", "", {}),
    "mass": ("float physics:mass = 3", "", {"mass": 3.0}),
    "density": ("float physics:density = 500", "", {"density": 500.0}),
    "mass over density": ("float physics:mass = 3\nfloat physics:density = 500", "", {"mass": 3.0}),
    "a collider's density over the body's": (
        "float physics:density = 500",
        "float physics:density = 200",
        {"density": 200.0},
    ),
    "a collider's mass": ("float physics:density = 500", "float physics:mass = 7", {"mass": 7.0}),
    "the body's mass over a collider's": ("float physics:mass = 3", "float physics:mass = 7", {"mass": 3.0}),
}


@pytest.mark.parametrize("name", MASSES)
def test_masses_follow_the_order_of_precedence(name: str) -> None:
    outer, own, given = MASSES[name]
    scene = read(body("b", outer + "\n" + BOX.replace("{own}", own)))
    found = body_of(scene)
    expected = mass_properties.of([px.Shape("box", (0.1, 0.2, 0.3), position=(1, 0, 0))], **given)
    np.testing.assert_allclose(found.mass, expected.mass, rtol=1e-6)
    np.testing.assert_allclose(found.com, expected.com)
    np.testing.assert_allclose(found.inertia, expected.inertia, rtol=1e-6, atol=1e-9)


def test_what_a_body_says_of_its_inertia_goes_before_its_shapes() -> None:
    said = """float physics:mass = 3
    point3f physics:centerOfMass = (0.1, 0.2, 0.3)
    float3 physics:diagonalInertia = (1, 2, 2.5)
    quatf physics:principalAxes = (0.7071068, 0, 0, 0.7071068)
    double3 xformOp:scale = (1, 2, -1)
    uniform token[] xformOpOrder = ["xformOp:scale"]
    """
    inside = said + BOX.replace("{own}", "")
    found = body_of(read(prim("Xform", "b", inside, "PhysicsRigidBodyAPI PhysicsMassAPI")))
    assert found.mass == 3.0
    # The frame of what is mirrored is turned half about z: (x, y, z) scaled by (1, 2, -1) is (-1, -2, -1) in there.
    np.testing.assert_allclose(found.com, (-0.1, -0.4, -0.3), rtol=1e-6)
    np.testing.assert_allclose(found.inertia, np.diag([2.0, 1.0, 2.5]), atol=1e-6)


def test_bodies_without_colliders_are_small_spheres() -> None:
    scene = read(body("b", ""))
    found = body_of(scene)
    np.testing.assert_allclose(found.inertia, 0.004 * np.eye(3))
    assert found.mass == 1.0 and "no colliders" in scene.warnings[0]
    switched_off = BALL.replace("double", "bool physics:collisionEnabled = 0\ndouble")
    found = body_of(read(body("b", switched_off)))
    assert found.collisions == []
    np.testing.assert_allclose(found.mass, 1000 * 4 / 3 * np.pi * 1e-3)


def test_units_and_axes_become_ours() -> None:
    text = prim(
        "Xform",
        "r",
        body("a", "float physics:mass = 2\nfloat3 physics:diagonalInertia = (1, 1, 1)\n" + BALL, (0, 100, 0))
        + body("b", BALL.replace("0.1", "10"), (50, 100, 0))
        + joint("PrismaticJoint", "j", "/r/a", "/r/b", "float physics:upperLimit = 20\n"
                "point3f physics:localPos0 = (50, 0, 0)\nfloat drive:linear:physics:stiffness = 5\n"
                "float drive:linear:physics:maxForce = 7", "PhysicsDriveAPI:linear")
        + prim("PhysicsScene", "s", "float physics:gravityMagnitude = 500"),
        "PhysicsArticulationRootAPI",
    )  # fmt: skip
    scene = read(text, metres=0.01, kilograms=0.1, up="Y")
    model = model_of(scene)
    np.testing.assert_allclose(model.position or (), (0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(matrix(model.orientation), [[1, 0, 0], [0, 0, -1], [0, 1, 0]], atol=1e-12)
    assert model.bodies[0].mass == pytest.approx(0.2) and model.bodies[0].inertia[0, 0] == pytest.approx(1e-5)
    assert model.bodies[1].collisions[0].size == (0.1,)
    assert model.bodies[1].mass == pytest.approx(1000 * 4 / 3 * np.pi * 1e-3)
    slide = model.joints[0]
    assert (slide.upper, slide.position) == (pytest.approx(0.2), (0.5, 0.0, 0.0))
    assert model.drives["j"].stiffness == pytest.approx(5 * 0.1) and model.drives["j"].effort_limit == pytest.approx(
        7e-3
    )
    np.testing.assert_allclose(scene.options.gravity, (0, 0, -5), atol=1e-12)


def test_joint_frames_are_those_of_usdphysics() -> None:
    """Targets below bodies, with scale, mirrored or not."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        turns = [Gf.Quatf(*(float(x) for x in rng.normal(size=4))).GetNormalized() for _ in range(4)]
        scale = (float(rng.uniform(0.5, 2.0) * rng.choice([-1, 1])),) * 3
        inner = prim(
            "Xform", "tip",
            f"quatf xformOp:orient = {turns[0]}\ndouble3 xformOp:translate = {tuple(rng.normal(size=3).tolist())}\n"
            'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]\n',
        )  # fmt: skip
        outer = (
            f"quatf xformOp:orient = {turns[1]}\ndouble3 xformOp:translate = {tuple(rng.normal(size=3).tolist())}\n"
            f"double3 xformOp:scale = {scale}\n"
            'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]\n'
        )
        ends = "".join(
            f"point3f physics:localPos{n} = {tuple(rng.normal(size=3).tolist())}\n"
            f"quatf physics:localRot{n} = {turns[2 + n]}\n"
            for n in (0, 1)
        )
        made = stage(
            prim("Xform", "a", outer + inner + BALL, "PhysicsRigidBodyAPI")
            + body("b", BALL, tuple(rng.normal(size=3).tolist()))
            + joint("SphericalJoint", "j", "/a/tip", "/b", ends)
        )
        scene, theirs = read_stage(made), parsed(made)["/j"]
        (held,) = scene.held
        assert (held.a, held.b, held.kind) == (("a", "a"), ("b", "b"), "spherical")
        for end, n in (("a", 0), ("b", 1)):
            np.testing.assert_allclose(
                held.arguments[f"position_{end}"], getattr(theirs, f"localPose{n}Position"), rtol=1e-5, atol=1e-5
            )
            q = getattr(theirs, f"localPose{n}Orientation")
            expected = matrix([q.GetReal(), *q.GetImaginary()])
            np.testing.assert_allclose(matrix(held.arguments[f"orientation_{end}"]), expected, atol=1e-5)


@pytest.mark.usefixtures("compile_less")
def test_a_robot_is_added_from_a_file_and_from_a_stage(tmp_path: Path, device: str) -> None:
    world = px.World(device=device, dtype="float64")
    robot = world.add_robot(save(tmp_path, ARM), "from_file", position=(0, 5, 0))
    assert robot.fixed_base and robot.joint_names == ["shoulder", "elbow"]
    added = world.add_usd(stage(ARM + BALL), "/arm", prefix="my_")
    assert list(added.robots) == ["my_arm"] and added.objects == {}
    assert added.prims["/arm/links/tool"] == ("my_arm", "tool")
    np.testing.assert_allclose(added.robots["my_arm"].default_joint_pos, [0.0, -0.25])
    with pytest.raises(ValueError, match="already something named 'my_arm'"):
        world.add_usd(stage(ARM), prefix="my_")
    assert load_robot(save(tmp_path, ARM + BALL)).warnings[-1].endswith("without ball; world.add_usd() loads all.")
