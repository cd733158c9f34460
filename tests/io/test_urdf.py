"""URDF files become the numbers that they state, and that Pinocchio reads from them."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from phalanx.io.formats.urdf import load_urdf
from phalanx.io.reading.errors import LoadError
from phalanx.models.checks import impossible, nearest_inertia
from phalanx.models.robot_model import RobotModel

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
HEAVY = '<link name="{}">' + INERTIAL + "</link>"


def load(folder: Path, *parts: str, **options) -> RobotModel:
    """A robot whose file consists of ``parts`` inside ``<robot>``."""
    file = folder / "robot.urdf"
    file.write_text('<robot name="test">\n' + "\n".join(parts) + "\n</robot>\n")
    return load_urdf(file, **options)


def body(model: RobotModel, name: str):
    return next(b for b in model.bodies if b.name == name)


def joint(model: RobotModel, name: str):
    return next(j for j in model.joints if j.name == name)


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


def test_of_several_materials_of_a_visual_the_first_is_shown(tmp_path: Path) -> None:
    """Exporters write one for each part of a mesh: the files of Unitree's Go2, B2 and H2 have such links."""
    materials = "".join(f'<material name="{c}"><color rgba="0 {c} 0 1"/></material>' for c in (0.25, 0.5))
    visual = f"<visual><geometry><sphere radius='1'/></geometry>{materials}</visual>"
    model = load(tmp_path, '<link name="a">' + INERTIAL + visual + "</link>")
    assert [v.color for v in body(model, "a").visuals] == [(0, 0.25, 0, 1)]
    assert model.warnings == ['a visual of link "a" has several materials; the first one is shown.']


def test_visuals_whose_mesh_cannot_be_had_are_left_out(tmp_path: Path) -> None:
    """What is only drawn may be missing; what collides may not, be it a visual that shall collide."""
    (tmp_path / "broken.stl").write_bytes(b"solid")
    visual = "<visual><geometry>{}</geometry></visual>"
    inside = [visual.format(f'<mesh filename="{name}.stl"/>') for name in ("gone", "broken")]
    link = '<link name="a">' + INERTIAL + "".join(inside) + visual.format('<sphere radius="1"/>') + "</link>"
    model = load(tmp_path, link)
    assert [shape.kind for shape in body(model, "a").visuals] == ["sphere"]
    gone, broken = model.warnings
    assert gone.startswith("a visual is not shown: ") and 'the file "gone.stl" is missing' in gone
    assert 'the mesh "broken.stl" cannot be used' in broken
    with pytest.raises(LoadError, match=r"gone\.stl"):
        load_urdf(tmp_path / "robot.urdf", need_visuals=True)
    assert load_urdf(tmp_path / "robot.urdf", visuals=False).warnings == []


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


def weighed(name: str, *moments: float, xy: float = 0.0, mass: float = 1.0) -> str:
    xx, yy, zz = moments
    tensor = f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="0" iyz="0"/>'
    return f'<link name="{name}"><inertial><mass value="{mass}"/>\n{tensor}</inertial></link>'


@pytest.mark.parametrize(
    ("moments", "warns"), [((1, 1, 1), False), ((1, 1, 2), False), ((1, 1, 2.001), False), ((1, 0, 1), True)]
)
def test_inertias_that_bodies_can_have(tmp_path: Path, moments: tuple[float, ...], warns: bool) -> None:
    warnings = load(tmp_path, weighed("a", *moments)).warnings
    assert ["not positive definite" in text for text in warnings] == [True] * warns


IMPOSSIBLE = [((1, 1, 2.1), "violates the triangle inequality"), ((1, -1, 1), "has a negative principal moment")]


@pytest.mark.parametrize(("moments", "problem"), IMPOSSIBLE)
def test_inertias_that_no_body_can_have_are_refused(tmp_path: Path, moments: tuple[float, ...], problem: str) -> None:
    with pytest.raises(LoadError, match=rf'robot.urdf:3: <inertia> of <link name="a">: its inertia {problem}') as told:
        load(tmp_path, weighed("a", *moments))
    assert "fix_inertias=True (--fix-inertias)" in str(told.value)


@pytest.mark.parametrize(("moments", "problem"), IMPOSSIBLE)
def test_inertias_are_repaired_on_request(tmp_path: Path, moments: tuple[float, ...], problem: str) -> None:
    model = load(tmp_path, weighed("a", *moments, xy=0.05), fix_inertias=True)
    fixed = np.linalg.eigvalsh(model.bodies[0].inertia)
    assert fixed[0] >= -1e-15 and fixed[2] <= (fixed[0] + fixed[1]) * (1 + 1e-12)
    (text,) = model.warnings
    assert problem in text and "the nearest that one can have is taken, of" in text and 'link "a"' in text


def test_a_placeholder_that_is_fixed_to_a_body_is_only_mentioned(tmp_path: Path) -> None:
    """Many files give frames a mass of 1e-6 kg and an impossible inertia; the body that they are part of can be."""
    links = weighed("a", 1, 1, 1), weighed("b", 1e-6, 1e-6, 1e-6, xy=1e-6, mass=1e-6)
    joint = '<joint name="j" type="{}"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
    (text,) = load(tmp_path, *links, joint.format("fixed")).warnings
    assert 'link "b": its inertia violates' in text and "taken" not in text
    with pytest.raises(LoadError, match='link name="b">: its inertia violates'):
        load(tmp_path, *links, joint.format("continuous"))


@settings(max_examples=60)
@given(
    moments=st.lists(st.floats(-2, 2), min_size=3, max_size=3),
    turn=st.tuples(*[st.floats(-1, 1)] * 3, st.floats(0.1, 1)),
)
def test_the_repaired_inertia_is_the_nearest(moments: list[float], turn: tuple[float, ...]) -> None:
    """No random inertia that a body can have is nearer, and a possible one stays as it is."""
    axes = Rotation.from_quat(turn).as_matrix()
    asked = axes @ np.diag(moments) @ axes.T
    found = nearest_inertia(asked)
    apart = np.linalg.norm(found - asked)
    least = np.linalg.eigvalsh(found)
    assert least[0] >= -1e-12 and least[2] <= least[0] + least[1] + 1e-12
    if not impossible(asked):
        assert apart < 5e-3
    rng = np.random.default_rng(0)
    for scale in (1e-3, 0.1, 1.0):
        points = np.linalg.cholesky(0.5 * np.trace(found) * np.eye(3) - found + 1e-9 * np.eye(3))
        points = points[None] + scale * rng.normal(size=(200, 3, 3))
        second = points @ points.transpose(0, 2, 1)
        others = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
        assert np.linalg.norm(others - asked, axis=(1, 2)).min() > apart - 1e-6


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
        "import sys; from phalanx.io.formats import library, urdf; from phalanx.models import info; "
        "print([m for m in ('trimesh', 'scipy', 'collada') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
