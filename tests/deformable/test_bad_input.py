"""What soft bodies cannot be made of, and what cannot be asked of them: errors that say what and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh as tri
from deformable.scenes import cube, world

import phalanx as px
from phalanx.models.meshes.tet_mesh import TetMesh

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], float)


@pytest.mark.parametrize(
    ("nodes", "tets", "message"),
    [
        (CORNERS, np.zeros((0, 4), int), "part.msh: there are no tetrahedra"),
        (CORNERS[:4], [[0, 1, 2, 4]], "tetrahedron 0 .* but there are 4 nodes"),
        (CORNERS, [[0, 1, 2, 3]], "node 4 belongs to no tetrahedron"),
        (CORNERS * (1, 1, 0), [[0, 1, 2, 3], [1, 2, 3, 4]], "tetrahedron 0.*is flat"),
        (np.where(CORNERS == 1, np.nan, CORNERS), [[0, 1, 2, 3]], "node 1 has a coordinate that is not finite"),
        (
            np.vstack([CORNERS, (0.3, 0.3, -1.0)]),
            [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 5]],
            "shares the face .* with 2 others",
        ),
        (CORNERS[:4], [[0, 1, 2, 3], [0, 1, 2, 3]], "tetrahedra 0 and 1 are on the same side of their face"),
        (
            np.vstack([CORNERS[:4], (0.1, 0.1, 0.5)]),
            [[0, 1, 2, 3], [0, 1, 2, 4]],
            r"tetrahedra 0 and 1 are on the same side of their face \[0, 2, 1\]",
        ),
        (CORNERS[:4], [[0, 1, 2, 2.5]], "tetrahedron 0 .*: not whole numbers"),
        (CORNERS[:4], [[0, 1, 2, 3, 0]], r"must be \(m, 4\) numbers of nodes, not \(1, 5\)"),
        (CORNERS[:, :2], [[0, 1, 2, 3]], r"part.msh: nodes must be \(n, 3\), not \(5, 2\)"),
    ],
)
def test_tetrahedra_that_are_none(nodes: Any, tets: Any, message: str) -> None:
    with pytest.raises(px.LoadError, match=message):
        TetMesh(nodes, tets, "part.msh")


def test_turned_over_tetrahedra_are_turned_back() -> None:
    mesh = TetMesh(CORNERS, np.array([[0, 2, 1, 3], [1, 2, 3, 4]]))
    assert (mesh.volumes > 0).all()
    assert len(mesh.surface) == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"youngs_modulus": 0.0}, "soft body 'b': youngs_modulus=0.0: must be"),
        ({"youngs_modulus": float("nan")}, "youngs_modulus"),
        ({"poissons_ratio": 0.5}, "poissons_ratio=0.5: must be below 0.5"),
        ({"poissons_ratio": -0.1}, "poissons_ratio"),
        ({"density": 0}, "density"),
        ({"mass": 1.0, "density": 2.0}, "mass or density, not both"),
        ({"damping": -1.0}, "damping"),
        ({"position": (0, 0)}, "position must be 3"),
        ({"resolution": 0}, "resolution=0"),
        ({"resolution": 100_000}, r"resolution=100000: makes about 5e\+15 tetrahedra, more than 10,000,000"),
        ({"friction": -1.0}, "friction"),
        ({"contact_offset": 0.01, "rest_offset": 0.02}, "rest_offset must be less"),
        ({"collision_group": 40}, "collision group"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        given: dict[str, Any] = {"resolution": 1, **options}
        world().add_soft_body(px.Shape("box", (1, 1, 1)), "b", **given)


def test_what_has_no_inside() -> None:
    with pytest.raises(px.LoadError, match="there are no tetrahedra of a height_field"):
        world().add_soft_body(px.Shape("height_field", (1, 1), heights=np.zeros((2, 2))))
    with pytest.raises(TypeError, match="no option 'colour'"):
        world().add_soft_body(px.Shape("box", (1, 1, 1)), resolution=1, colour="red")  # type: ignore[call-arg]


BALL = tri.creation.icosphere(1)


@pytest.mark.parametrize(
    ("vertices", "faces", "message"),
    [
        (BALL.vertices, BALL.faces[1:], r"ball.stl: cannot be filled with tetrahedra: triangle \d+, .* that no other"),
        (
            BALL.vertices,
            np.where(BALL.faces == 3, 99, BALL.faces),
            r"triangle \d+ has the corners .*, but there are 42",
        ),
        (np.where(BALL.vertices == BALL.vertices[4], np.nan, BALL.vertices), BALL.faces, "node 4 has a coordinate"),
        (np.zeros((0, 3)), np.zeros((0, 3), int), "ball.stl: cannot be filled with tetrahedra: there are no triangles"),
    ],
)
def test_surfaces_that_cannot_be_filled(vertices: np.ndarray, faces: np.ndarray, message: str) -> None:
    shape = px.Shape("mesh", (1, 1, 1), vertices=vertices, faces=faces, name="ball.stl")
    with pytest.raises(px.LoadError, match=message):
        world().add_soft_body(shape, "b", resolution=2)


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        ("/Nowhere", r"bad.usda: </Ball>: material:binding:physics names </Nowhere>, which is not there"),
        ("/Ball", r"names </Ball>, which is a Mesh"),
        ("/Wrong", r"bad.usda: </Wrong>: .*poissonsRatio = 0.9 must be at most 0.5"),
        ("/Plain", ""),
    ],
)
def test_materials_of_stages_that_are_none(tmp_path: Path, bound: str, message: str) -> None:
    """Those that are not there or have no meaning are errors; one of another kind is told, and left out."""
    faces = BALL.faces
    (tmp_path / "bad.usda").write_text(
        '#usda 1.0\n( upAxis = "Z" )\n'
        'def Mesh "Ball" ( prepend apiSchemas = ["PhysxDeformableBodyAPI", "MaterialBindingAPI"] )\n{\n'
        f"int[] faceVertexCounts = {[3] * len(faces)}\nint[] faceVertexIndices = {faces.ravel().tolist()}\n"
        f"point3f[] points = {[tuple(point) for point in BALL.vertices.tolist()]}\n"
        f"rel material:binding:physics = <{bound}>\nuint physxDeformable:simulationHexahedralResolution = 2\n}}\n"
        'def Material "Plain" ( prepend apiSchemas = ["PhysicsMaterialAPI"] )\n{\n}\n'
        'def Material "Wrong" ( prepend apiSchemas = ["PhysxDeformableBodyMaterialAPI"] )\n{\n'
        "float physxDeformableBodyMaterial:poissonsRatio = 0.9\n}\n"
    )
    made = world()
    if message:
        with pytest.raises(px.LoadError, match=message):
            made.add_usd(tmp_path / "bad.usda")
        return
    with pytest.warns(UserWarning, match="its material </Plain> has no PhysxDeformableBodyMaterialAPI"):
        made.add_usd(tmp_path / "bad.usda")
    assert list(made.deformables) == ["Ball"]


def test_names_are_unique() -> None:
    made = world()
    cube(made, name="one", resolution=1)
    with pytest.raises(ValueError, match="already an actor named 'one'"):
        made.add_rigid_object(px.Shape("sphere", (1,)), "one")
    with pytest.raises(ValueError, match="already an actor named 'one'"):
        cube(made, name="one", resolution=1)


def test_values_of_the_wrong_shape() -> None:
    made = world(num_envs=2)
    body = cube(made, resolution=1)
    made.build()
    with pytest.raises(ValueError, match=r"node position has shape \(3, 3\); it must broadcast to \(2, 8, 3\)"):
        body.set_node_state(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="node velocity is not a number"):
        body.set_node_state(vel=np.full(3, np.nan))
    with pytest.raises(ValueError, match="Young's modulus must be above 0"):
        body.set_elasticity(0.0)
    with pytest.raises(ValueError, match="Poisson's ratio must be below"):
        body.set_elasticity(poissons_ratio=0.5)
    with pytest.raises(IndexError, match="env_ids"):
        body.release_nodes([2])
    with pytest.raises(RuntimeError, match="must come before build"):
        cube(made, name="late")
