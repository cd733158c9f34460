"""URDF files become the numbers that they state, and that Pinocchio reads from them."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
import real_robots
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from phalanx.io.model import LoadError, RobotModel
from phalanx.io.urdf import load_urdf, quaternion_from_rpy, rotation_from_rpy

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
HEAVY = '<link name="{}">' + INERTIAL + "</link>"
# Files of example-robot-data that cannot be simulated, and why.
REFUSED = {
    "alex_psyonic_hands.urdf": 'mimics joint "index_q1", which does not exist',
    "romeo.urdf": "neither that link nor any link it carries has mass",
    "romeo_laas_small.urdf": "neither that link nor any link it carries has mass",
    "ur3.urdf": "has no <link>",  # an empty <robot>
}


def load(folder: Path, *parts: str, **options) -> RobotModel:
    """A robot whose file consists of ``parts`` inside ``<robot>``."""
    file = folder / "robot.urdf"
    file.write_text('<robot name="test">\n' + "\n".join(parts) + "\n</robot>\n")
    return load_urdf(file, **options)


def body(model: RobotModel, name: str):
    return next(b for b in model.bodies if b.name == name)


def joint(model: RobotModel, name: str):
    return next(j for j in model.joints if j.name == name)


def rotation(quaternion: tuple[float, ...]) -> np.ndarray:
    return Rotation.from_quat(quaternion, scalar_first=True).as_matrix()


def placements(model: RobotModel) -> dict[str, np.ndarray]:
    """(4, 4) pose of every body relative to the root's, with all joints at zero."""
    poses = {model.root: np.eye(4)}
    waiting = list(model.joints)
    while waiting:
        for one in [j for j in waiting if j.parent in poses]:
            local = np.eye(4)
            local[:3, :3], local[:3, 3] = rotation(one.orientation), one.position
            poses[one.child] = poses[one.parent] @ local
            waiting.remove(one)
    return poses


def all_robot_files() -> list[Path]:
    return sorted(real_robots.robots_folder().rglob("*.urdf"))


# -- numbers ---------------------------------------------------------------------------------------------------


def test_every_number_of_a_small_file(tmp_path: Path) -> None:
    model = load(
        tmp_path,
        '<material name="teal"><color rgba="0 0.5 0.5 1"/></material>',
        """<link name="base">
          <inertial>
            <origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/>
            <mass value="2.5"/>
            <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/>
          </inertial>
          <visual name="look"><geometry><sphere radius="0.5"/></geometry><material name="teal"/></visual>
          <visual><geometry><sphere radius="0.5"/></geometry>
            <material name="own"><color rgba="1 0 0 0.5"/></material></visual>
          <collision><origin xyz="1 2 3" rpy="3.141592653589793 0 0"/>
            <geometry><box size="2 4 6"/></geometry></collision>
          <collision><geometry><cylinder radius="0.5" length="2"/></geometry></collision>
          <collision><geometry><capsule radius="0.25" length="1"/></geometry></collision>
        </link>""",
        HEAVY.format("arm"),
        """<joint name="elbow" type="revolute">
          <parent link="base"/><child link="arm"/>
          <origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/><axis xyz="0 3 4"/>
          <limit lower="-1" upper="2" effort="30" velocity="5"/><dynamics damping="0.7" friction="0.1"/>
        </joint>""",
    )
    assert model.warnings == []
    assert (model.name, model.root, model.source) == ("test", "base", str(tmp_path / "robot.urdf"))
    base = body(model, "base")
    assert base.mass == 2.5
    assert base.com == (0.1, 0.2, 0.3)
    # Turned by 90 degrees about z: new x is the old -y direction, new y the old x.
    expected = [[2.0, -0.1, -0.3], [-0.1, 1.0, 0.2], [-0.3, 0.2, 2.5]]
    np.testing.assert_allclose(base.inertia, expected, atol=1e-15)
    box, cylinder, capsule = base.collisions
    assert (box.kind, box.size, box.position) == ("box", (1.0, 2.0, 3.0), (1.0, 2.0, 3.0))
    np.testing.assert_allclose(box.orientation, (0, 1, 0, 0), atol=1e-15)
    assert (cylinder.kind, cylinder.size) == ("cylinder", (0.5, 1.0))
    assert (capsule.kind, capsule.size) == ("capsule", (0.25, 0.5))
    assert [v.color for v in base.visuals] == [(0, 0.5, 0.5, 1), (1, 0, 0, 0.5)]
    assert base.visuals[0].name == "look"
    elbow = joint(model, "elbow")
    assert (elbow.type, elbow.parent, elbow.child) == ("revolute", "base", "arm")
    assert elbow.position == (0, 0, 1)
    np.testing.assert_allclose(elbow.orientation, (math.sqrt(0.5), 0, math.sqrt(0.5), 0), atol=1e-15)
    np.testing.assert_allclose(elbow.axis, (0, 0.6, 0.8), atol=1e-15)
    assert (elbow.lower, elbow.upper, elbow.effort_limit, elbow.velocity_limit) == (-1, 2, 30, 5)
    assert (elbow.damping, elbow.friction, elbow.armature, elbow.mimic) == (0.7, 0.1, 0.0, None)


angles = st.floats(-7, 7)


@given(st.tuples(angles, angles, angles))
@settings(deadline=None)
def test_rpy_is_about_fixed_axes(rpy: tuple[float, float, float]) -> None:
    expected = Rotation.from_euler("xyz", rpy).as_matrix()
    np.testing.assert_allclose(rotation_from_rpy(rpy), expected, atol=1e-14)
    quaternion = quaternion_from_rpy(rpy)
    np.testing.assert_allclose(rotation(quaternion), expected, atol=1e-14)
    assert quaternion[0] >= 0.0


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("fixed", "fixed"),
        ("revolute", "revolute"),
        ("continuous", "continuous"),
        ("prismatic", "prismatic"),
        ("planar", "planar"),
        ("floating", "free"),
        ("spherical", "spherical"),
        ("ball", "spherical"),
    ],
)
def test_joint_types_and_defaults(tmp_path: Path, word: str, kind: str) -> None:
    parts = f'<joint name="j" type="{word}"><parent link="a"/><child link="b"/></joint>'
    j = joint(load(tmp_path, HEAVY.format("a"), HEAVY.format("b"), parts), "j")
    assert j.type == kind
    assert (j.position, j.orientation, j.axis) == ((0, 0, 0), (1, 0, 0, 0), (1, 0, 0))
    assert (j.lower, j.upper, j.effort_limit, j.velocity_limit) == (-math.inf, math.inf, math.inf, math.inf)


def limited(folder: Path, limit: str, kind: str = "revolute"):
    parts = f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{limit}</joint>'
    model = load(folder, HEAVY.format("a"), HEAVY.format("b"), parts)
    j = joint(model, "j")
    return (j.lower, j.upper, j.effort_limit, j.velocity_limit), model.warnings


INF = math.inf


@pytest.mark.parametrize(
    ("limit", "kind", "expected", "warning"),
    [
        ('<limit lower="-1" upper="2" effort="3" velocity="4"/>', "revolute", (-1, 2, 3, 4), None),
        ('<limit upper="2" effort="3" velocity="4"/>', "prismatic", (0, 2, 3, 4), None),
        ('<limit lower="-inf" upper="2"/>', "prismatic", (-INF, 2, INF, INF), None),
        ("", "revolute", (-INF, INF, INF, INF), "revolute but has no <limit>"),
        ('<limit effort="3" velocity="4"/>', "revolute", (-INF, INF, 3, 4), "without lower and upper"),
        (
            '<limit lower="2" upper="-1" effort="3" velocity="4"/>',
            "revolute",
            (-INF, INF, 3, 4),
            "lower 2 above upper -1",
        ),
        (
            '<limit lower="0" upper="1" effort="0" velocity="0"/>',
            "revolute",
            (0, 1, INF, INF),
            "both are read as no limit",
        ),
        ('<limit lower="0" upper="1" effort="3" velocity="0"/>', "revolute", (0, 1, 3, INF), "velocity limit of 0"),
        ('<limit lower="0" upper="1" effort="0" velocity="4"/>', "revolute", (0, 1, 0, 4), "effort limit of 0"),
        ('<limit lower="0" upper="1" effort="3" velocity="4"/>', "continuous", (-INF, INF, 3, 4), "limits are ignored"),
    ],
)
def test_limits(tmp_path: Path, limit: str, kind: str, expected: tuple[float, ...], warning: str | None) -> None:
    values, warnings = limited(tmp_path, limit, kind)
    assert values == expected
    if warning is None:
        assert warnings == []
    else:
        assert len(warnings) == 1
        assert warning in warnings[0]
        assert '"j"' in warnings[0]


def test_mimic_and_defaults_of_mimic(tmp_path: Path) -> None:
    def finger(name: str, extra: str) -> str:
        return f'<joint name="{name}" type="continuous"><parent link="a"/><child link="{name}l"/>{extra}</joint>'

    model = load(
        tmp_path,
        *(HEAVY.format(name) for name in ("a", "pl", "ql", "rl")),
        finger("p", '<mimic joint="q" multiplier="-2" offset="0.5"/>'),  # before its leader in the file
        finger("q", ""),
        finger("r", '<mimic joint="p"/>'),
    )
    p, r = joint(model, "p").mimic, joint(model, "r").mimic
    assert p is not None and (p.joint, p.multiplier, p.offset) == ("q", -2.0, 0.5)
    assert r is not None and (r.joint, r.multiplier, r.offset) == ("p", 1.0, 0.0)
    assert joint(model, "q").mimic is None


def test_a_colour_defined_in_one_visual_serves_others(tmp_path: Path) -> None:
    def visual(material: str) -> str:
        return f"<visual><geometry><sphere radius='1'/></geometry>{material}</visual>"

    model = load(
        tmp_path,
        '<link name="a">' + INERTIAL + visual('<material name="sky"/>') + visual('<material name="mist"/>') + "</link>",
        '<link name="b">' + INERTIAL + visual('<material name="sky"><color rgba="0 0 1 1"/></material>') + "</link>",
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>',
    )
    assert [v.color for v in body(model, "a").visuals] == [(0, 0, 1, 1), None]
    assert model.warnings == ['material "mist" is used but defined nowhere; the default colour is shown.']


# -- masses ----------------------------------------------------------------------------------------------------

CHAIN = """
<joint name="j1" type="{}"><parent link="a"/><child link="b"/></joint>
<joint name="j2" type="{}"><parent link="b"/><child link="c"/></joint>"""


def test_massless_root_with_its_mass_in_a_fixed_child_is_fine(tmp_path: Path) -> None:
    model = load(
        tmp_path, '<link name="a"/>', HEAVY.format("b"), HEAVY.format("c"), CHAIN.format("fixed", "continuous")
    )
    assert model.warnings == []


def test_massless_frame_fixed_to_a_moving_link_is_fine(tmp_path: Path) -> None:
    model = load(
        tmp_path, HEAVY.format("a"), '<link name="b"/>', HEAVY.format("c"), CHAIN.format("continuous", "fixed")
    )
    assert model.warnings == []


def test_massless_moving_link_that_carries_mass_is_warned_of(tmp_path: Path) -> None:
    links = HEAVY.format("a"), '<link name="b"/>', HEAVY.format("c")
    warnings = load(tmp_path, *links, CHAIN.format("continuous", "continuous")).warnings
    assert len(warnings) == 1
    assert 'link "b" moves by joint "j1" but has no mass' in warnings[0]


def test_massless_root_on_joints_is_warned_of(tmp_path: Path) -> None:
    links = '<link name="a"/>', HEAVY.format("b"), HEAVY.format("c")
    warnings = load(tmp_path, *links, CHAIN.format("continuous", "continuous")).warnings
    assert warnings == ['link "a" is the root and has no mass: the robot needs a fixed base.']


@pytest.mark.parametrize(
    ("moments", "problem"),
    [
        ((1, 1, 1), None),
        ((1, 1, 2), None),
        ((1, 1, 2.1), "triangle"),
        ((1, 0, 1), "definite"),
        ((1, -1, 1), "definite"),
    ],
)
def test_impossible_inertia_is_warned_of(tmp_path: Path, moments: tuple[float, ...], problem: str | None) -> None:
    xx, yy, zz = moments
    tensor = f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/>'
    warnings = load(tmp_path, f'<link name="a"><inertial><mass value="1"/>{tensor}</inertial></link>').warnings
    assert len(warnings) == (problem is not None)
    if problem is not None:
        assert problem in warnings[0]
        assert 'link "a"' in warnings[0]


def test_oddities_are_warned_of_once(tmp_path: Path) -> None:
    zero = '<collision><geometry><box size="0 1 1"/></geometry></collision>'
    model = load(
        tmp_path,
        '<gazebo reference="a"><anything/></gazebo><transmission name="t"/>',  # no word about these
        f'<link name="a">{INERTIAL}{zero}<colision/><colision/></link>',
    )
    assert model.warnings == [
        "<colision> in <link> is not part of URDF and is ignored.",
        'link "a" has a box of size zero, which is left out.',
    ]
    assert body(model, "a").collisions == []


# -- files and folders -----------------------------------------------------------------------------------------

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\n"


def with_mesh(name: str, where: str = "collision") -> str:
    mesh = f'<geometry><mesh filename="{name}" scale="2 2 2"/></geometry>'
    return f'<link name="a">{INERTIAL}<{where}>{mesh}</{where}></link>'


def package(folder: Path) -> tuple[Path, Path]:
    """A ROS package ``bot`` with an empty ``urdf`` folder and a mesh; returns both folders."""
    root = folder / "share" / "bot"
    (root / "urdf").mkdir(parents=True)
    (root / "meshes").mkdir()
    (root / "meshes" / "part.obj").write_text(TRIANGLE)
    return root, root / "urdf"


@pytest.mark.parametrize(
    "name",
    [
        "package://bot/meshes/part.obj",
        "package:///bot/meshes/part.obj",
        "package://bot/urdf/../meshes/part.obj",
        "../meshes/part.obj",
    ],
)
def test_mesh_addresses_in_a_package(tmp_path: Path, name: str) -> None:
    root, urdf = package(tmp_path)
    model = load(urdf, with_mesh(name))
    (shape,) = body(model, "a").collisions
    assert shape.kind == "mesh"
    assert shape.vertices is not None and shape.vertices.max() == 4.0  # 2, scaled by 2
    assert shape.mesh_file == str((root / "meshes" / "part.obj").resolve())
    assert model.warnings == [f'collision mesh "{name}" has 1 triangle(s) without area.']


def test_package_by_manifest_by_argument_and_by_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, _ = package(tmp_path)
    checkout = tmp_path / "checkout" / "models"
    checkout.mkdir(parents=True)
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    address = with_mesh("package://bot/meshes/part.obj")
    with pytest.raises(LoadError, match="package_dirs or ROS_PACKAGE_PATH"):
        load(checkout, address)
    for folder in (root, root.parent):
        assert body(load(checkout, address, package_dirs=[folder]), "a").collisions
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(root.parent))
    assert body(load(checkout, address), "a").collisions
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    (checkout.parent / "package.xml").write_text("<package><name>bot</name></package>")
    (checkout.parent / "meshes").mkdir()
    (checkout.parent / "meshes" / "part.obj").write_text(TRIANGLE)
    assert body(load(checkout, address), "a").collisions
    assert body(load(checkout, with_mesh("../meshes/part.obj")), "a").collisions


def test_without_visuals_their_meshes_are_not_opened(tmp_path: Path) -> None:
    model = load(tmp_path, with_mesh("missing.obj", "visual"), visuals=False)
    assert body(model, "a").visuals == []


def test_reading_imports_no_mesh_library() -> None:
    code = (
        "import sys; from phalanx.io import urdf, info, library; "
        "print([m for m in ('trimesh', 'scipy', 'collada') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- real robots -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", all_robot_files(), ids=lambda file: file.name)
def test_every_real_robot_loads_or_says_why_not(file: Path) -> None:
    if file.name in REFUSED:
        with pytest.raises(LoadError, match=REFUSED[file.name]):
            load_urdf(file, visuals=False)
        return
    model = load_urdf(file, visuals=False)
    assert len(model.joints) == len(model.bodies) - 1
    assert sum(b.mass for b in model.bodies) > 0.0


@pytest.mark.parametrize(
    "name", ["go2", "anymal_c", "panda", "hyq", "talos", "solo12", "g1", "icub", "kinova", "ur5", "tiago"]
)
def test_agrees_with_pinocchio(robot_path: Callable[[str], Path], name: str) -> None:
    pin = pytest.importorskip("pinocchio")
    file = robot_path(name)
    model = load_urdf(file, visuals=False)
    reference = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    data, zero = reference.createData(), pin.neutral(reference)
    pin.framesForwardKinematics(reference, data, zero)

    poses = placements(model)
    for b in model.bodies:
        expected = data.oMf[reference.getFrameId(b.name, pin.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(poses[b.name], expected, atol=1e-12, err_msg=b.name)

    masses = np.array([b.mass for b in model.bodies])
    centres = np.array([(poses[b.name] @ [*b.com, 1.0])[:3] for b in model.bodies])
    assert masses.sum() == pytest.approx(pin.computeTotalMass(reference), rel=1e-12)
    centre = masses @ centres / masses.sum()
    np.testing.assert_allclose(centre, pin.centerOfMass(reference, data, zero), atol=1e-12)

    pin.ccrba(reference, data, zero, np.zeros(reference.nv))
    total = np.zeros((3, 3))
    for b, mass, c in zip(model.bodies, masses, centres - centre, strict=True):
        turn = poses[b.name][:3, :3]
        total += turn @ b.inertia @ turn.T + mass * (c @ c * np.eye(3) - np.outer(c, c))
    np.testing.assert_allclose(total, data.Ig.inertia, rtol=1e-10, atol=1e-10)

    for j in model.joints:
        if j.type in ("revolute", "prismatic"):
            at = reference.joints[reference.getJointId(j.name)]
            limits = reference.lowerPositionLimit[at.idx_q], reference.upperPositionLimit[at.idx_q]
            assert (j.lower, j.upper) == pytest.approx(limits), j.name


def test_a_robot_with_meshes_survives_a_json_file(robot_path: Callable[[str], Path]) -> None:
    model = load_urdf(robot_path("solo12"))
    assert any(s.kind == "mesh" for b in model.bodies for s in b.collisions)
    assert_same(model, RobotModel.from_dict(json.loads(json.dumps(model.to_dict()))))


def assert_same(a: RobotModel, b: RobotModel) -> None:
    assert a.to_dict() == b.to_dict()
    assert [(j.lower, j.axis, j.mimic) for j in a.joints] == [(j.lower, j.axis, j.mimic) for j in b.joints]
    for one, other in zip(a.bodies, b.bodies, strict=True):
        assert (one.inertia == other.inertia).all()
        assert one.com == other.com


# -- any tree --------------------------------------------------------------------------------------------------

numbers = st.floats(-10, 10)
vectors = st.tuples(numbers, numbers, numbers)
axes = vectors.filter(lambda v: math.hypot(*v) > 1e-3)
names = st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1, max_size=8)


@st.composite
def trees(draw: st.DrawFn) -> list[dict]:
    """Links in random order, each but the first hung on an earlier one."""
    labels = draw(st.lists(names, min_size=1, max_size=8, unique=True))
    links = [{"name": labels[0], "parent": None}]
    for i, label in enumerate(labels[1:]):
        links.append({"name": label, "parent": labels[draw(st.integers(0, i))]})
    for link in links:
        link |= {
            "type": draw(
                st.sampled_from(["fixed", "revolute", "continuous", "prismatic", "planar", "floating", "ball"])
            ),
            "xyz": draw(vectors),
            "rpy": draw(vectors),
            "axis": draw(axes),
            "limits": sorted(draw(st.tuples(numbers, numbers))),
            "mass": draw(st.floats(1e-3, 1e3)),
            "com": draw(vectors),
        }
    return draw(st.permutations(links))


def write(links: list[dict]) -> str:
    def three(values: tuple[float, ...]) -> str:
        return " ".join(repr(float(v)) for v in values)

    out = ['<?xml version="1.0" encoding="utf-8"?>', '<robot name="random">']
    for link in links:
        name = quoteattr(link["name"])
        out.append(
            f'<link name={name}><inertial><origin xyz="{three(link["com"])}"/><mass value="{link["mass"]!r}"/>'
            '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
        if link["parent"] is not None:
            out.append(
                f'<joint name={name} type="{link["type"]}">'
                f"<parent link={quoteattr(link['parent'])}/><child link={name}/>"
                f'<origin xyz="{three(link["xyz"])}" rpy="{three(link["rpy"])}"/><axis xyz="{three(link["axis"])}"/>'
                f'<limit lower="{link["limits"][0]!r}" upper="{link["limits"][1]!r}" effort="1" velocity="1"/></joint>'
            )
    return "\n".join([*out, "</robot>"])


@given(trees())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_tree_is_read_as_written(tmp_path: Path, links: list[dict]) -> None:
    file = tmp_path / "random.urdf"
    file.write_text(write(links), encoding="utf-8")
    model = load_urdf(file)
    assert [b.name for b in model.bodies] == [link["name"] for link in links]
    assert model.root == next(link["name"] for link in links if link["parent"] is None)
    for link in links:
        b = body(model, link["name"])
        assert (b.mass, b.com) == (link["mass"], link["com"])
        if link["parent"] is None:
            continue
        j = joint(model, link["name"])
        assert (j.parent, j.child, j.position) == (link["parent"], link["name"], link["xyz"])
        np.testing.assert_allclose(
            rotation(j.orientation), Rotation.from_euler("xyz", link["rpy"]).as_matrix(), atol=1e-13
        )
        if link["type"] in ("revolute", "prismatic"):
            assert [j.lower, j.upper] == link["limits"]
            np.testing.assert_allclose(
                np.array(j.axis) * math.hypot(*link["axis"]), link["axis"], rtol=1e-14, atol=1e-14
            )
            assert math.hypot(*j.axis) == pytest.approx(1.0, abs=1e-15)
    assert_same(model, RobotModel.from_dict(json.loads(json.dumps(model.to_dict()))))
