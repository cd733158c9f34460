"""MJCF files that are wrong are refused by file and line; what is not simulated is told of by name and line."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_files import BALL, save
from oracles.mjcf_oracle import mj

import phalanx as px
from phalanx.io.formats.mjcf import load_robot, load_scene, schema
from phalanx.io.formats.mjcf.tree import HOLDS
from phalanx.io.formats.mjcf.values import ACTUATORS
from phalanx.io.reading.errors import LoadError

HINGE = f'<body name="a"><joint name="a"/>{BALL}</body>'


WRONG = {
    "unknown element": ("<bodi/>", "", 4, r'<bodi>.*unknown in <worldbody>; did you mean "body"'),
    "unknown section": (HINGE, "<actuators/>", 2, r'unknown in <mujoco>; did you mean "actuator"'),
    "unknown attribute": ('<body posit="1 2 3"/>', "", 4, r'no attribute "posit"'),
    "unknown default": (HINGE, '<default><joint dampin="1"/></default>', 2, r'"dampin"; did you mean "damping"'),
    "unknown class": ('<body><geom class="foo" size="1"/></body>', "", 4, 'class "foo" does not exist'),
    "unknown childclass": ('<body childclass="mian"/>', "", 4, 'class "mian" does not exist; did you mean "main"'),
    "unknown flag": (HINGE, '<option><flag gravitiy="disable"/></option>', 2, 'did you mean "gravity"'),
    "words for numbers": ('<body pos="1 2 x"/>', "", 4, 'pos="x" is not a number'),
    "too few numbers": ('<body pos="1 2"/>', "", 4, "2 number"),
    "too many numbers": ('<body><geom size="1 2 3 4"/></body>', "", 4, "4 number"),
    "body in a geom": ("<geom size='1'><body/></geom>", "", 4, "unknown in <geom>"),
    "attached frame": (
        '<attach model="m" frame="f" prefix="p"/>',
        '<asset><model name="m" file="model.xml"/></asset>',
        4,
        "name a body",
    ),
    "attached to itself": (
        '<attach model="m" prefix="p"/>',
        '<asset><model name="m" file="model.xml"/></asset>',
        4,
        "attaches itself",
    ),
    "no size": ("<body><geom/></body>", "", 4, "a sphere needs 1 positive number"),
    "negative size": ('<body><geom type="box" size="1 -1 1"/></body>', "", 4, "3 positive numbers"),
    "size of no volume": (
        '<body><freejoint/><geom type="capsule" size="1e-200 1"/></body>',
        "",
        4,
        r"size=.*the capsule has a volume of 0 m³; give the body's mass",
    ),
    "not a type": ('<body><geom type="ball"/></body>', "", 4, "must be one of sphere"),
    "fromto of a point": ('<geom type="capsule" fromto="1 1 1 1 1 1" size="1"/>', "", 4, "in one place"),
    "zero quaternion": ('<body quat="0 0 0 0"/>', "", 4, "must not be zero"),
    "two orientations": ('<body quat="1 0 0 0" euler="0 0 0"/>', "", 4, "in one way"),
    "zero axis": (f'<body><joint axis="0 0 0"/>{BALL}</body>', "", 4, "must not be zero"),
    "free below others": (f"<body>{BALL}<body><freejoint/>{BALL}</body></body>", "", 4, "hangs in the world itself"),
    "free and more": (f"<body><freejoint/><joint/>{BALL}</body>", "", 4, "the only joint"),
    "joint of the world": ("<joint/>", "", 4, "the world cannot have it"),
    "no mass": ("<body><joint/></body>", "", 4, "has mass"),
    "negative inertia": (
        '<body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 -1"/></body>',
        "",
        4,
        "negative principal moment",
    ),
    "impossible inertia": (
        '<body><freejoint/>\n<inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/></body>',
        "",
        5,
        "violates the triangle inequality.*fix_inertias=True",
    ),
    "range turned round": (f'<body><joint range="1 -1"/>{BALL}</body>', "", 4, "the first must be below"),
    "limited by nothing": (f'<body><joint limited="true"/>{BALL}</body>', "", 4, "there is no range"),
    "actuator limited by nothing": (
        HINGE,
        '<actuator><motor joint="a" forcelimited="true"/></actuator>',
        2,
        "there is no forcerange",
    ),
    "tendon limited by nothing": (
        HINGE,
        '<tendon><fixed limited="true"><joint joint="a" coef="1"/></fixed></tendon>',
        2,
        "there is no range",
    ),
    "negative damping": (f'<body><joint damping="-1"/>{BALL}</body>', "", 4, "make energy"),
    "negative damping of a tendon": (
        HINGE,
        '<tendon><fixed damping="-1"><joint joint="a" coef="1"/></fixed></tendon>',
        2,
        "make energy",
    ),
    "two of a name": (f'<body name="a">{BALL}</body><body name="a">{BALL}</body>', "", 4, 'name "a" is taken'),
    "copies of a name": (
        '<replicate count="12"><geom name="a" size="1"/></replicate><geom name="a01" size="1"/>',
        "",
        4,
        'name "a01" is taken',
    ),
    "global coordinates": (HINGE, '<compiler coordinate="global"/>', 2, "global coordinates"),
    "euler sequence": (HINGE, '<compiler eulerseq="xyw"/>', 2, "three of x, y, z"),
    "mesh that is not there": ('<geom type="mesh" mesh="a"/>', "", 4, 'mesh "a" is not among the assets'),
    "mesh file that is not there": (
        '<geom type="mesh" mesh="a"/>',
        '<asset><mesh name="a" file="a.stl"/></asset>',
        2,
        'file "a.stl" is missing',
    ),
    "mesh of two points": ('<geom type="mesh" mesh="a"/>', '<asset><mesh name="a" vertex="0 0"/></asset>', 2, "three"),
    "face of nothing": (
        '<geom type="mesh" mesh="a"/>',
        '<asset><mesh name="a" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 7"/></asset>',
        2,
        "a vertex that does not exist",
    ),
    "endless height field": (
        '<geom type="hfield" hfield="h"/>',
        '<asset><hfield name="h" nrow="9999999" ncol="9999999" size="1 1 1 1"/></asset>',
        2,
        "asks for 99,999,980,000,001 samples, and at most 4,194,304 are read",
    ),
    "missing include": (HINGE, '<include file="nothing.xml"/>', 2, 'file "nothing.xml" is missing'),
    "include of itself": (HINGE, '<include file="model.xml"/>', 2, "includes itself"),
    "actuator of nothing": (HINGE, '<actuator><motor joint="b"/></actuator>', 2, 'joint "b" does not exist'),
    "actuator without joint": (HINGE, "<actuator><motor/></actuator>", 2, "it moves nothing"),
    "tendon of nothing": (
        HINGE,
        '<tendon><fixed><joint joint="b" coef="1"/></fixed></tendon>',
        2,
        '"b" does not exist',
    ),
    "exclude of nothing": (HINGE, '<contact><exclude body1="a" body2="b"/></contact>', 2, 'body "b" does not exist'),
    "pair of nothing": (HINGE, '<contact><pair geom1="a" geom2="b"/></contact>', 2, 'geom "a" does not exist'),
    "equality of nothing": (HINGE, '<equality><weld body1="b"/></equality>', 2, 'body "b" does not exist'),
    "keyframe too short": (
        HINGE,
        '<keyframe><key qpos="1 2"/></keyframe>',
        2,
        "qpos has 2 numbers, and the file needs 1",
    ),
    "deformables": (HINGE, "<deformable/>", 2, "<deformable> is not simulated"),
    "flexcomp": ('<body><flexcomp name="a" type="disc"/></body>', "", 4, "of flexcomps, grid, direct, gmsh are read"),
    "moving plane": ('<body><freejoint/><geom type="plane" size="1 1 1"/></body>', "", 4, "cannot move"),
    "moving height field": (
        f'<body><freejoint/>{BALL}<geom type="hfield" hfield="h"/></body>',
        '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>',
        4,
        "carries the height field",
    ),
    "fitted to bounds": (
        '<geom type="box" mesh="a"/>',
        '<compiler fitaabb="true"/><asset><mesh name="a" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>',
        4,
        "fitted to bounds",
    ),
    "flat mesh that has to weigh": (
        '<body><freejoint/><geom type="mesh" mesh="a"/></body>',
        '<asset><mesh name="a" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"/></asset>',
        4,
        "has no volume; give the body an <inertial>",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_are_refused_by_line(name: str, tmp_path: Path) -> None:
    world, rest, line, message = WRONG[name]
    file = save(tmp_path, world, rest)
    with pytest.raises(LoadError, match=message) as caught:
        load_scene(file)
    assert str(caught.value).startswith(f"{file}:{line}: ")


def test_what_is_no_mjcf_file(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"nothing\.xml: no such file"):
        load_scene(tmp_path / "nothing.xml")
    with pytest.raises(LoadError, match="no such file"):
        px.World().add_robot(str(tmp_path / "nothing.xml"))
    file = tmp_path / "model.xml"
    for text, message in (
        ("<mujoco><worldbody></mujoco>", "model.xml:1: .*mismatched tag"),
        ("<robot/>", "root element of an MJCF file is <mujoco>"),
        ("", "the file is empty"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><mujoco/>', "not accepted"),
    ):
        file.write_text(text)
        with pytest.raises(LoadError, match=message):
            load_scene(file)


def test_files_outside_the_folder_need_leave(tmp_path: Path) -> None:
    (tmp_path / "robot").mkdir()
    (tmp_path / "box.xml").write_text(f"<mujoco><worldbody>{HINGE}</worldbody></mujoco>")
    file = tmp_path / "robot" / "model.xml"
    file.write_text('<mujoco>\n<include file="../box.xml"/></mujoco>')
    with pytest.raises(LoadError, match=r"model\.xml:2: .*outside the folders allowed"):
        load_scene(file)
    assert load_robot(file, asset_dirs=[tmp_path]).root == "world"


TOLD = {
    "priority": (f'<body name="a">{BALL}<geom size="1" priority="2"/></body>', "", r'4: "priority" of <geom>'),
    "joint margin": (f'<body><joint margin=".1"/>{BALL}</body>', "", r'4: "margin" of <joint>'),
    "softness": (f'<body><geom size=".1" solimp=".8 .9"/>{BALL}</body>', "", r"4: solimp: .*softness"),
    "softness in part": (
        '<body><freejoint/><geom size=".1" solref=".1 1"/></body>',
        "",
        "4: <geom>: solref: taken over as springs and dampers, .* blows stop it sooner",
    ),
    "rolling": (f'<body><geom size=".1" condim="6"/>{BALL}</body>', "", r"condim 6 \(friction against rolling\)"),
    "smooth geoms": (
        '<geom type="plane" size="1 1 1" friction=".2"/><body><freejoint/><geom size=".1" condim="1"/></body>',
        "",
        "4: <geom>.*: with condim 1 it has no friction of its own",
    ),
    "ball springs": (f'<body><joint type="ball" stiffness="1"/>{BALL}</body>', "", "springs of ball joints"),
    "ball limits": (f'<body><joint type="ball" range="0 40"/>{BALL}</body>', "", "its range limits the swing"),
    "free damping": (f'<body><joint type="free" damping="1"/>{BALL}</body>', "", '"damping of a free joint"'),
    "damping in powers": (f'<body><joint damping="1 2"/>{BALL}</body>', "", "only the first number of damping is"),
    "a tendon's spring in powers": (
        HINGE,
        '<tendon><fixed stiffness="1 0 3"><joint joint="a" coef="1"/></fixed></tendon>',
        "2: <fixed>: only the first number of stiffness is",
    ),
    "uneven efforts": (f'<body><joint actuatorfrcrange="-1 2"/>{BALL}</body>', "", r"read as \+-2"),
    "muscles": (HINGE, '<actuator><muscle name="m" joint="a"/></actuator>', r'2: <muscle name="m">: .*left out'),
    "integrators": (HINGE, '<actuator><general joint="a" dyntype="integrator"/></actuator>', 'dyntype "integrator"'),
    "lags": (HINGE, '<actuator><position joint="a" timeconst=".1"/></actuator>', "lag of dyntype"),
    "thrusters": (
        f'<body><freejoint/><site name="s"/>{BALL}</body>',
        '<actuator><motor site="s"/></actuator>',
        "act at a site are not simulated",
    ),
    "unstable gains": (
        HINGE,
        '<actuator><general joint="a" biastype="affine" biasprm="0 1 0"/></actuator>',
        "push away",
    ),
    "uneven forces": (
        HINGE,
        '<actuator><position joint="a" forcerange="-1 3"/></actuator>',
        r"forcerange is read as \+-3",
    ),
    "several actuators": (
        HINGE,
        '<actuator><position joint="a" forcerange="-1 1"/><motor joint="a"/></actuator>',
        "limits of force hold for the sum",
    ),
    "pulleys": (
        f'<body><joint/><site name="s"/>{BALL}</body>',
        '<tendon><spatial name="t"><site site="s"/><pulley divisor="2"/></spatial></tendon>',
        r'<spatial name="t">: tendons that branch at pulleys',
    ),
    "curved equality": (
        f'<body><joint name="a"/>{BALL}<body><joint name="b"/>{BALL}</body></body>',
        '<equality><joint joint1="a" joint2="b" polycoef="0 1 2"/></equality>',
        "straight lines",
    ),
    "sleeping equality": (HINGE, '<equality><weld active="false" body1="a"/></equality>', "it is not active"),
    "sleep": (HINGE, '<option><flag sleep="enable"/></option>', '"sleep" cannot be switched'),
    "override": (HINGE, '<option><flag override="enable"/></option>', '"override" cannot be switched'),
    "filterparent": (HINGE, '<option><flag filterparent="disable"/></option>', '"filterparent" cannot be switched'),
    "plugins": ('<body><plugin plugin="p"/></body>', "", "plugins are not simulated"),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_not_simulated_is_told(name: str, tmp_path: Path) -> None:
    world, rest, message = TOLD[name]
    import re

    scene = load_scene(save(tmp_path, world, rest))
    assert any(re.search(message, text) for text in scene.warnings), scene.warnings
    assert all(text.startswith("model.xml:") for text in scene.warnings)


def test_attributes_that_are_off_and_pictures_are_not_told(tmp_path: Path) -> None:
    scene = load_scene(
        save(
            tmp_path,
            f"""<light pos="0 0 1"/><camera name="c"/><geom size="1" priority="0" rgba="1 0 0 1"/>
            <body name="a"><site name="s"/><joint name="a"/>{BALL}</body>""",
            """<visual><quality shadowsize="4096"/></visual><statistic extent="1"/><size nconmax="9"/>
            <sensor><gyro site="s"/></sensor><custom><numeric name="n" data="1"/></custom>
            <asset><texture name="t" builtin="flat" width="1" height="1"/><material name="m" texture="t"/></asset>
            <option wind="0 0 0" density="0" cone="elliptic"><flag energy="enable"/></option>""",
        )
    )
    assert scene.warnings == []


def test_inertias_are_repaired_on_request(tmp_path: Path) -> None:
    body = '<body name="a"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/></body>'
    with pytest.warns(UserWarning, match="triangle inequality.*the nearest that one can have is taken, of 3.33, 3.33"):
        made = px.World().add_mjcf(save(tmp_path, body), fix_inertias=True)
    moments = np.linalg.eigvalsh(made.objects["a"].model.bodies[0].inertia)
    np.testing.assert_allclose(moments, [3.33333333, 3.33333333, 6.66666667])
    (balanced,) = load_scene(save(tmp_path, body, '<compiler balanceinertia="true"/>')).trees.values()
    assert balanced.model.bodies[0].inertia[2, 2] == pytest.approx(11 / 3)


def test_robots_warn_of_what_their_files_have(tmp_path: Path) -> None:
    head = '<option><flag filterparent="disable"/></option>'
    file = save(tmp_path, '<geom type="plane" size="1 1 1"/>' + HINGE, head)
    with pytest.warns(UserWarning, match=r'(?s)"filterparent" cannot.*only the robot is loaded, without its grounds'):
        px.World().add_robot(file)


def test_a_world_warns_once_for_all_that_is_not_simulated(tmp_path: Path) -> None:
    head = '<option><flag sleep="enable"/></option><actuator><muscle joint="a"/></actuator>'
    file = save(tmp_path, HINGE, head)
    with pytest.warns(UserWarning, match=r'(?s)has what is not simulated:.*"sleep".*<muscle>') as caught:
        px.World().add_mjcf(file)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("head", "gravity", "told"),
    [
        ('<option gravity="0 0 -1.62"/>', (0.0, 0.0, -9.81), True),
        ('<option gravity="0 0 -1.62"/>', (0.0, 0.0, -1.62), False),
        ('<option timestep=".01"/>', (0.0, 0.0, -1.62), False),  # the file does not say
        ('<option gravity="0 0 -1.62"><flag gravity="disable"/></option>', (0.0, 0.0, -9.81), False),
    ],
)
def test_gravity_that_is_not_the_worlds_is_told(
    head: str, gravity: tuple[float, ...], told: bool, tmp_path: Path
) -> None:
    world = px.World(gravity=gravity)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scene = world.add_mjcf(save(tmp_path, HINGE, head))
    texts = [str(each.message) for each in caught]
    assert [("(0, 0, -1.62), is not that of the world, (0, 0, -9.81)" in text) for text in texts] == [True] * told
    assert len(scene.warnings) == told


def test_every_element_and_attribute_of_the_format_is_known() -> None:
    """MuJoCo's own schema: nothing that it accepts is called unknown here."""
    text = mj_schema()
    missing, seen = [], set()
    path: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        name = line[:27].strip().split(" ")[0]
        if name:
            depth = (len(line) - len(line.lstrip())) // 3
            path = [*path[:depth], name.replace("(world)", "")]
        section = path[1] if len(path) > 1 else ""
        if section in (*schema.SECTIONS["ignored"], *schema.SECTIONS["refused"], "default") or not section:
            continue
        tag = path[-1]
        words = set(line[27:].split())
        kind = _kind(path)
        if kind is None:
            continue
        known = schema.ATTRIBUTES[kind]
        seen.add(kind)
        missing += [(*path, word) for word in sorted(words - known.used - known.ignored - known.unsupported)]
        assert section != "body" or len(path) != 3 or tag in (*HOLDS, "flexcomp")
    assert missing == []
    assert {"compiler", "option", "body", "joint", "geom", "mesh", "equality joint", "fixed joint", "position"} <= seen


def _kind(path: list[str]) -> str | None:
    """How the schema's table calls an element, or nothing for those whose attributes do not matter."""
    tag, section = path[-1], path[1]
    if tag in schema.FREE or tag in schema.UNKNOWN_MEANS_LEFT_OUT or set(path) & {"skin", "flexcomp", "plugin"}:
        return None
    if tag in ("lengthrange", "flag") or (section == "actuator" and tag not in schema.ATTRIBUTES and tag in ACTUATORS):
        return None
    if section in ("equality", "tendon") and tag in ("joint", "tendon", "site", "geom") and len(path) > 2:
        kind = f"{path[-2]} {tag}"
        return kind if kind in schema.ATTRIBUTES else tag
    if len(path) == 2 and tag not in ("compiler", "option", "body"):
        return None
    return tag


def mj_schema() -> str:
    """The schema as text: names in the first columns by depth, attributes after them."""
    import ctypes

    folder = Path(mujoco.__file__).parent
    library = ctypes.CDLL(str(next(folder.glob("libmujoco*"))))
    buffer = ctypes.create_string_buffer(1 << 20)
    size = library.mj_printSchema(None, buffer, len(buffer), 0, 1)
    assert size > 0 and mj.mjVERSION_HEADER > 0
    return buffer.value.decode()
