"""A URDF file that cannot be used says what is wrong, in which line and element, and what to do."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from phalanx.io.formats import library
from phalanx.io.formats.urdf import load_urdf
from phalanx.io.reading.errors import LoadError

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
A, B, C = (f'<link name="{name}">{INERTIAL}</link>\n' for name in "abc")


def hinge(parent: str, child: str, extra: str = "", name: str = "j", kind: str = "continuous") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{extra}</joint>\n'


def link(*inside: str) -> str:
    return f'<link name="a">{"".join(inside)}</link>'


def shape(geometry: str) -> str:
    return link(INERTIAL, f"<collision><geometry>{geometry}</geometry></collision>")


def error_of(folder: Path, content: str | bytes, **options) -> str:
    """The message with which a file of this content is refused."""
    file = folder / "robot.urdf"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(LoadError) as caught:
        load_urdf(file, **options)
    message = str(caught.value)
    assert str(file) in message
    assert "\n" not in message
    return message


# (what is wrong, content of <robot> whose first line is line 2, line of the error, what the message says)
CASES = {
    "no link": ("", 1, '<robot name="r">: the robot has no <link>'),
    "unknown parent": (A + B + hinge("base", "b"), 4, '<joint name="j">: its parent link "base" does not exist'),
    "unknown child": (A + B + hinge("a", "bb"), 4, 'its child link "bb" does not exist; did you mean "b"'),
    "limits turned round": (
        A + B + hinge("a", "b", '<limit lower="2" upper="-1"/>', kind="revolute"),
        4,
        '<limit> of <joint name="j">: lower="2" is above upper="-1"; swap them',
    ),
    "two parents": (
        A + B + C + hinge("a", "c", name="j1") + hinge("b", "c", name="j2"),
        6,
        '<joint name="j2">: the link "c" already has a parent, by joint "j1"',
    ),
    "loop beside a root": (
        A + B + C + hinge("b", "c", name="j1") + hinge("c", "b", name="j2"),
        6,
        "the links form a loop (b -> c -> b)",
    ),
    "loop without a root": (
        A + B + hinge("a", "b", name="j1") + hinge("b", "a", name="j2"),
        5,
        "form a loop (a -> b -> a)",
    ),
    "link on itself": (A + hinge("a", "a"), 3, "form a loop (a -> a)"),
    "several roots": (A + B + C + hinge("a", "c"), 3, '<link name="b">: the robot has 2 root links ("a", "b")'),
    "link twice": (A + B + A, 4, '<link name="a">: there is already a link of that name, in line 2; rename one'),
    "joint twice": (
        A + B + C + hinge("a", "b") + hinge("a", "c"),
        6,
        "there is already a joint of that name, in line 5",
    ),
    "link without a name": ("<link/>", 2, '<link>: attribute "name" is missing'),
    "empty name": ('<link name=" "/>', 2, "its name is empty"),
    "joint type unknown": (
        A + B + hinge("a", "b", kind="revolut"),
        4,
        'type "revolut" is unknown; did you mean "revolute"',
    ),
    "joint without type": (A + '<joint name="j"/>', 3, '<joint name="j">: attribute "type" is missing'),
    "joint without parent": (
        A + '<joint name="j" type="fixed"><child link="a"/></joint>',
        3,
        "has no <parent>; add one",
    ),
    "joint with two origins": (
        A + B + hinge("a", "b", "<origin/>\n<origin/>"),
        5,
        "there are 2 <origin> elements here",
    ),
    "number": (
        A + B + hinge("a", "b", '<origin xyz="0 0 1,5"/>'),
        4,
        '<origin> of <joint name="j">: xyz="1,5" is not a number',
    ),
    "not finite": (A + B + hinge("a", "b", '<origin rpy="0 nan 0"/>'), 4, 'rpy="nan" is not a finite number'),
    "infinite": (
        link('<inertial><mass value="inf"/></inertial>'),
        2,
        '<mass> of <link name="a">: value="inf" is not a finite',
    ),
    "limit not a number": (A + B + hinge("a", "b", '<limit lower="nan"/>'), 4, 'lower="nan" is not a finite number'),
    "too few numbers": (A + B + hinge("a", "b", '<origin xyz="0 0"/>'), 4, 'xyz="0 0" has 2 number(s); write 3'),
    "zero axis": (A + B + hinge("a", "b", '<axis xyz="0 0 0"/>'), 4, '<axis> of <joint name="j">: the axis is zero'),
    "negative damping": (A + B + hinge("a", "b", '<dynamics damping="-1"/>'), 4, 'damping="-1" is negative'),
    "negative effort": (A + B + hinge("a", "b", '<limit effort="-1"/>'), 4, 'effort="-1" is negative'),
    "mimic of nothing": (A + B + hinge("a", "b", '<mimic joint="k"/>'), 4, 'it mimics joint "k", which does not exist'),
    "mimic of itself": (A + B + hinge("a", "b", '<mimic joint="j"/>'), 4, "it mimics itself"),
    "mimic in a circle": (
        A + B + C + hinge("a", "b", '<mimic joint="k"/>') + hinge("b", "c", '<mimic joint="j"/>', "k"),
        5,
        "it mimics itself by way of other joints",
    ),
    "mimic of a fixed joint": (
        A + B + C + hinge("a", "b", '<mimic joint="k"/>') + hinge("b", "c", name="k", kind="fixed"),
        5,
        'it mimics "k", but "k" is fixed',
    ),
    "moving link without mass": (
        A + '<link name="b"/>\n' + hinge("a", "b"),
        4,
        '<joint name="j">: it moves link "b", but neither that link nor any link it carries has mass; add an',
    ),
    "moving chain without mass": (
        A + '<link name="b"/>\n<link name="c"/>\n' + hinge("a", "b") + hinge("b", "c", name="k", kind="fixed"),
        5,
        '<joint name="j">: it moves link "b"',
    ),
    "negative mass": (link('<inertial><mass value="-1"/></inertial>'), 2, 'the mass "-1" is negative'),
    "inertial without mass": (link("<inertial/>"), 2, '<inertial> of <link name="a">: has no <mass>'),
    "incomplete inertia": (
        link('<inertial><mass value="1"/><inertia ixx="1" iyy="1"/></inertial>'),
        2,
        '<inertia> of <link name="a">: attribute "izz" is missing',
    ),
    "no geometry": (link("<collision/>"), 2, '<collision> of <link name="a">: has no <geometry>'),
    "empty geometry": (shape(""), 2, "holds 0 shapes; give one of sphere, capsule, box, cylinder or mesh"),
    "unknown shape": (shape("<cone/>"), 2, '<cone> of <link name="a">: this shape is unknown'),
    "negative size": (shape('<sphere radius="-1"/>'), 2, "a dimension is negative"),
    "missing mesh": (shape('<mesh filename="part.stl"/>'), 2, 'the file "part.stl" is missing; looked for'),
    "mesh by web address": (shape('<mesh filename="https://example.com/a.stl"/>'), 2, "download it and give its path"),
    "mesh of an unknown package": (shape('<mesh filename="package://far/a.stl"/>'), 2, 'the package "far" of'),
    "package without a name": (shape('<mesh filename="package://../a.stl"/>'), 2, "names no package"),
    "mesh outside": (shape('<mesh filename="../../etc/passwd"/>'), 2, "outside the folders allowed for this file"),
    "mesh by absolute path": (shape('<mesh filename="/etc/passwd"/>'), 2, "add its folder to package_dirs"),
    "mesh by file address": (shape('<mesh filename="file:///etc/passwd"/>'), 2, "leads to /etc/passwd, outside"),
    "mesh with zero scale": (shape('<mesh filename="x.stl" scale="1 0 1"/>'), 2, "the scale is zero"),
    "nested too deep": ("<link name='a'>" * 300 + "</link>" * 300, 2, "nested more than 200 elements deep"),
}


@pytest.mark.parametrize("case", CASES)
def test_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    content, line, words = CASES[case]
    message = error_of(tmp_path, f'<robot name="r">\n{content}</robot>')
    assert words in message
    assert message.startswith(f"{tmp_path / 'robot.urdf'}:{line}: ")


def test_files_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="no such file; check the path"):
        load_urdf(tmp_path / "missing.urdf")
    with pytest.raises(LoadError, match="this is a folder; give the file inside it"):
        load_urdf(tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"  \n", "the file is empty"),
        (b"solid part\nfacet", "this is not XML"),
        (bytes(range(256)), "this is not XML"),
        (b'<?xml version="1.0" encoding="no-such"?><robot/>', "this is not XML"),
        (b"<mujoco/>", "<mujoco>: the root element of a URDF file is <robot>"),
        (b'<robot xmlns:xacro="http://x"><xacro:macro name="m"/></robot>', "this is a xacro source; expand it first"),
    ],
)
def test_content_that_is_no_urdf(tmp_path: Path, content: bytes, words: str) -> None:
    assert words in error_of(tmp_path, content)


def test_truncated_file_says_so_and_where(tmp_path: Path) -> None:
    lines = library.path("quadruped").read_text().splitlines()
    message = error_of(tmp_path, "\n".join(lines[:30]))
    assert re.search(r"robot\.urdf:30: .*the file ends too early: it is truncated", message)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_files_end_in_a_load_error_or_a_robot(tmp_path: Path, data: st.DataObject) -> None:
    content = library.path("cartpole").read_bytes()
    start = data.draw(st.integers(0, len(content)))
    stop = data.draw(st.integers(start, min(len(content), start + 40)))
    file = tmp_path / "damaged.urdf"
    file.write_bytes(content[:start] + data.draw(st.binary(max_size=10)) + content[stop:])
    try:
        model = load_urdf(file)
    except LoadError as error:
        assert str(file) in str(error)
    else:
        assert model.bodies


# -- unsafe files ----------------------------------------------------------------------------------------------


def test_entity_bomb_is_refused_before_it_grows(tmp_path: Path) -> None:
    bomb = '<?xml version="1.0"?>\n<!DOCTYPE robot [\n<!ENTITY a "aaaaaaaaaa">\n'
    bomb += "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">\n' for i in range(12))
    message = error_of(tmp_path, bomb + ']>\n<robot name="&m;"/>')
    assert 'robot.urdf:3: the declaration of entity "a" is not accepted' in message
    assert "remove the <!DOCTYPE>" in message


@pytest.mark.parametrize(
    "doctype",
    [
        '[<!ENTITY x SYSTEM "file:///etc/passwd">]',
        '[<!ENTITY % x SYSTEM "http://localhost:9/x.dtd"> %x;]',
        'SYSTEM "http://localhost:9/robot.dtd"',
        'PUBLIC "robot" "file:///etc/passwd"',
    ],
)
def test_external_entities_and_document_types_are_refused(tmp_path: Path, doctype: str) -> None:
    message = error_of(tmp_path, f'<!DOCTYPE robot {doctype}><robot name="r">{A}</robot>')
    assert "is not accepted, since expanding it is unsafe" in message


def test_a_plain_document_type_is_harmless(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(f'<!DOCTYPE robot><robot name="r">{A}</robot>')
    assert load_urdf(file).name == "r"


def test_entity_bomb_in_a_mesh_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.dae").write_text('<!DOCTYPE COLLADA [<!ENTITY a "aaa">]><COLLADA>&a;</COLLADA>')
    message = error_of(
        tmp_path, f'<robot name="r">{shape("<mesh filename=" + chr(34) + "bad.dae" + chr(34) + "/>")}</robot>'
    )
    assert 'the declaration of entity "a" is not accepted' in message


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "robot"
    folder.mkdir()
    (tmp_path / "secret.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    os.symlink(tmp_path / "secret.obj", folder / "part.obj")
    content = f'<robot name="r">{shape("<mesh filename=" + chr(34) + "part.obj" + chr(34) + "/>")}</robot>'
    assert "secret.obj, outside the folders allowed" in error_of(folder, content)
    assert load_urdf(folder / "robot.urdf", package_dirs=[tmp_path]).bodies[0].collisions


def test_a_package_address_cannot_climb_out(tmp_path: Path) -> None:
    folder = tmp_path / "bot" / "urdf"
    folder.mkdir(parents=True)
    (tmp_path / "secret.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    mesh = '<mesh filename="package://bot/../secret.obj"/>'
    assert "outside the folders allowed" in error_of(folder, f'<robot name="r">{shape(mesh)}</robot>')
