"""Meshes of elements from files of Gmsh and VTK."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco as _mujoco
import numpy as np
import pytest

import phalanx as px
from phalanx.commands.cli import main

mj: Any = _mujoco  # whose types are not declared

NODES = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (2, 2, 2)], float)
TETS = np.array([(0, 1, 2, 3), (1, 2, 3, 4)])

MSH_41 = """$MeshFormat
4.1 0 8
$EndMeshFormat
$Nodes
2 6 2 12
0 1 0 2
2
4
0 0 0
1 0 0
3 1 0 4
6
8
10
12
0 1 0
0 0 1
1 1 1
2 2 2
$EndNodes
$Elements
3 4 1 4
0 1 15 1
1 2
2 1 2 1
2 2 4 6
3 1 4 2
3 2 4 6 8
4 4 6 8 10
$EndElements
"""

MSH_22 = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
6
2 0 0 0
4 1 0 0
6 0 1 0
8 0 0 1
10 1 1 1
12 2 2 2
$EndNodes
$Elements
4
1 15 2 0 1 2
2 2 2 0 1 2 4 6
3 4 2 0 1 2 4 6 8
4 4 2 0 1 4 6 8 10
$EndElements
"""

VTK = """# vtk DataFile Version {version}
two tetrahedra
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 6 float
0 0 0 1 0 0 0 1 0
0 0 1 1 1 1 2 2 2
{cells}
CELL_TYPES 3
10 10 5
"""
OLD = VTK.format(version="3.0", cells="CELLS 3 14\n4 0 1 2 3\n4 1 2 3 4\n3 0 1 2")
NEW = VTK.format(
    version="5.1",
    cells="CELLS 4 11\nOFFSETS vtktypeint64\n0 4 8 11\nCONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4 0 1 2",
)


@pytest.mark.parametrize(("name", "text"), [("a.msh", MSH_41), ("b.msh", MSH_22), ("a.vtk", OLD), ("b.vtk", NEW)])
def test_what_it_has(tmp_path: Path, name: str, text: str) -> None:
    """Tetrahedra on the nodes that they use, and the triangle."""
    (tmp_path / name).write_text(text)
    found = px.read_elements(tmp_path / name)
    np.testing.assert_array_equal(found.nodes, NODES)
    mesh = found.tets(scale=0.1)
    np.testing.assert_allclose(mesh.nodes, NODES[:5] * 0.1)
    np.testing.assert_array_equal(np.sort(mesh.tets, axis=1), TETS)
    assert mesh.volumes.sum() == pytest.approx((1 / 6 + 1 / 3) * 1e-3)
    assert found.triangles().triangles.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("text", [MSH_41, MSH_22])
def test_it_is_as_mujoco_has_it(tmp_path: Path, text: str) -> None:
    text = text.replace("2 2 4 6\n", "", 1) if text is MSH_22 else text
    only = text
    if text is MSH_41:  # MuJoCo wants one block of nodes, all of which are used, and one of tetrahedra
        nodes = "$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
        elements = "$Elements\n1 2 1 2\n3 1 4 2\n1 1 2 3 4\n2 2 3 4 5\n$EndElements\n"
    else:
        nodes = "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
        elements = "$Elements\n2\n1 4 2 0 1 1 2 3 4\n2 4 2 0 1 2 3 4 5\n$EndElements\n"
    only = text[: text.index("$Nodes")] + nodes + elements
    (tmp_path / "part.msh").write_text(only)
    xml = f"""<mujoco><worldbody><body name="b">
    <flexcomp name="f" type="gmsh" dim="3" mass="1" file="{tmp_path}/part.msh"/>
    </body></worldbody></mujoco>"""
    model = mj.MjModel.from_xml_string(xml)
    mesh = px.read_elements(tmp_path / "part.msh").tets()
    assert model.flex_vertnum[0] == len(mesh.nodes)
    theirs = np.sort(model.flex_elem.reshape(-1, 4), axis=1)
    np.testing.assert_array_equal(np.sort(mesh.tets, axis=1), theirs)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.msh", "nothing", r"a\.msh: it has no \$MeshFormat"),
        ("a.msh", MSH_22.replace("2.2 0 8", "2.2 1 8"), "it is binary; save it as text"),
        ("a.msh", MSH_22.replace("2.2 0", "3.0 0"), "versions 2.2 and 4.1 are read, not 3.0"),
        ("a.msh", MSH_22[: MSH_22.index("$Elements")], r"it has no \$Elements"),
        ("a.msh", MSH_22.replace("4 6 8 10", "4 6 8 99"), "names node 99, which is not there"),
        ("a.msh", MSH_22.replace("10 1 1 1", "10 1 1 nan"), "node 4 is not finite"),
        ("a.msh", MSH_41.replace("3 1 4 2\n", "3 1 4 2000000\n"), "there must be numbers, not"),
        ("a.msh", MSH_22.replace("2 2 2 0 1 2 4 6", "2 2 2000 0 1 2 4 6"), "it ends where 2000 more numbers"),
        ("a.msh", MSH_22.replace("4 4 2 0 1 4 6 8 10", "4 4 2 0 1 4 6 8 8"), "tetrahedron 1, corners .* is flat"),
        ("a.vtk", OLD.replace("ASCII", "BINARY"), "it is binary"),
        ("a.vtk", OLD.replace("CELLS 3 14\n4 0 1 2 3", "CELLS 3 14\n9 0 1 2 3"), "its CELLS are not as many"),
        ("a.vtk", NEW.replace("0 4 8 11", "0 9 8 11"), "OFFSETS do not rise"),
        ("a.vtk", OLD.replace("10 10 5", "5 5 5"), "it has no tetrahedra, but elements: 3 of 3 corners"),
        ("a.vtk", OLD.replace("4 1 2 3 4", "4 1 2 3 40"), "names a node that is not there"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(px.LoadError, match=message):
        px.World().add_soft_body(tmp_path / name)


def test_a_world_takes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And ``phalanx info`` tells what is in them."""
    (tmp_path / "part.msh").write_text(MSH_22)
    made = px.World()
    assert made.add_soft_body(tmp_path / "part.msh", "part").num_nodes == 5
    assert made.add_cloth(str(tmp_path / "part.msh"), "patch").num_nodes == 3
    assert main(["info", str(tmp_path / "part.msh")]) == 0
    told = capsys.readouterr().out
    assert "2 on 5 nodes, 0.5 m^3" in told and "(number 0)" in told
