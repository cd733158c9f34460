"""Any tree of links, written as URDF, is read as written, and survives JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from phalanx.io.formats.urdf import load_urdf
from phalanx.models.robot_model import RobotModel


def rotation(quaternion: tuple[float, ...]) -> np.ndarray:
    return Rotation.from_quat(quaternion, scalar_first=True).as_matrix()


def assert_same(a: RobotModel, b: RobotModel) -> None:
    assert a.to_dict() == b.to_dict()
    assert [(j.lower, j.axis, j.mimic) for j in a.joints] == [(j.lower, j.axis, j.mimic) for j in b.joints]
    for one, other in zip(a.bodies, b.bodies, strict=True):
        assert (one.inertia == other.inertia).all()
        assert one.com == other.com


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
        b = next(b for b in model.bodies if b.name == link["name"])
        assert (b.mass, b.com) == (link["mass"], link["com"])
        if link["parent"] is None:
            continue
        j = next(j for j in model.joints if j.name == link["name"])
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
