"""Textures that URDF, MJCF and USD files name: seen by cameras, sent to browsers; what cannot be had is told."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import hostile_files
import numpy as np
import pytest
import usd_files
from meshes import textured_files
from meshes.textured_files import CORNERS, FACES, UV
from oracles import host

import phalanx as px
from phalanx.images.looks import Light
from phalanx.images.world_camera import WorldCamera
from phalanx.io.formats.mjcf import load_robot as load_mjcf
from phalanx.io.formats.urdf import load_urdf
from phalanx.io.reading import limits
from phalanx.viewer.meshes import batches

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
OBJ = '<mesh filename="square.obj"/>'


def words(values: np.ndarray) -> str:
    return " ".join(f"{v:g}" for v in np.asarray(values).flat)


def bare_square(folder: Path) -> None:
    """An OBJ file with texture coordinates and no material; the picture lies beside it."""
    textured_files.write(folder, "obj")
    lines = (folder / "square.obj").read_text().splitlines()
    (folder / "square.obj").write_text("\n".join(line for line in lines if "mtl" not in line))
    (folder / "square.mtl").unlink()


def urdf(folder: Path, geometry: str = OBJ, texture: str = "p.png", color: str = "", top: bool = False) -> Path:
    """A link that shows a shape with a texture, of a material of its own or of the robot."""
    look = f'<material name="m">{color}<texture filename="{texture}"/></material>'
    own, at = ('<material name="m"/>' if top else look), ("-0.5 0 0.5" if "box" in geometry else "0 0 0")
    path = folder / "robot.urdf"
    path.write_text(
        f'<robot name="r">{look if top else ""}<link name="a">{INERTIAL}<visual><origin xyz="{at}"/>'
        f"<geometry>{geometry}</geometry>{own}</visual></link></robot>"
    )
    return path


def mjcf(folder: Path, mesh: str, geom: str, texture: str = 'type="2d" file="p.png"', material: str = "") -> Path:
    """A body that shows a geom with a texture."""
    path = folder / "robot.xml"
    path.write_text(
        f'<mujoco><asset><texture name="t" {texture}/><material name="m" texture="t" {material}/>{mesh}</asset>'
        f'<worldbody><body name="a"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint/>'
        f'<geom {geom} material="m" contype="0" conaffinity="0"/></body></worldbody></mujoco>'
    )
    return path


def usd(folder: Path, kind: str, picture: str = "p.png", name: str = "uv") -> Path:
    """A body that shows the square with a UsdPreviewSurface, with a place for each vertex or for each corner."""
    values = UV if kind == "vertex" else UV[FACES].reshape(-1, 2)
    points, places = (", ".join(f"({', '.join(f'{v:g}' for v in row)})" for row in each) for each in (CORNERS, values))
    connect = "token outputs:surface.connect = </look/s.outputs:surface>"
    body = f"""
def Xform "a" {usd_files.BODY} {{
    float physics:mass = 1
    float3 physics:diagonalInertia = (1, 1, 1)
    def Mesh "square" ( prepend apiSchemas = ["MaterialBindingAPI"] ) {{
        point3f[] points = [{points}]
        int[] faceVertexCounts = [3, 3]
        int[] faceVertexIndices = [{", ".join(map(str, FACES.flat))}]
        texCoord2f[] primvars:{name} = [{places}] ( interpolation = "{kind}" )
        rel material:binding = </look>
    }}
}}
def Material "look" {{
    {connect}
    def Shader "s" {{
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </look/t.outputs:rgb>
        token outputs:surface
    }}
    def Shader "t" {{
        uniform token info:id = "UsdUVTexture"
        asset inputs:file = @{picture}@
        float2 inputs:st.connect = </look/r.outputs:result>
        float3 outputs:rgb
    }}
    def Shader "r" {{
        uniform token info:id = "UsdPrimvarReader_float2"
        string inputs:varname = "uv"
        float2 outputs:result
    }}
}}
"""
    return usd_files.save(folder, body)


INLINE = f'<mesh name="q" vertex="{words(CORNERS)}" face="{words(FACES)}" texcoord="{words(UV * [1, -1] + [0, 1])}"/>'
FILED = '<mesh name="q" file="square.obj"/>'
CUBE = 'type="cube" file="p.png"'

CASES = {
    "urdf mesh": lambda folder: urdf(folder),
    "urdf material of the robot": lambda folder: urdf(folder, top=True),
    "urdf box": lambda folder: urdf(folder, '<box size="1 1 1"/>'),
    "mjcf mesh": lambda folder: mjcf(folder, FILED, 'type="mesh" mesh="q"'),
    "mjcf coordinates": lambda folder: mjcf(folder, INLINE, 'type="mesh" mesh="q"'),
    "mjcf box": lambda folder: mjcf(folder, "", 'type="box" size=".5 .5 .5" pos="-.5 0 .5"', CUBE),
    "usd vertices": lambda folder: usd(folder, "vertex"),
    "usd corners": lambda folder: usd(folder, "faceVarying"),
}


def shown(path: Path, device: str = "cpu") -> px.World:
    """A world with what a file holds, in which nothing moves before it is seen."""
    world = px.World(device=device, gravity=(0.0, 0.0, 0.0))
    if path.suffix == ".usda":
        world.add_usd(path, visuals=True)
    else:
        world.add_robot(path, "r", fixed_base=True, visuals=True)
    return world


def seen(world: px.World) -> np.ndarray:
    """(40, 40, 3) of a camera before the square, under a sky that is white all around."""
    white = [Light.dome(ground=1.0)]
    camera = WorldCamera(world, 40, 40, eye=(2.0, 0.0, 0.5), target=(0.0, 0.0, 0.5), angle=40.0, lights=white)
    return host(camera.capture()["rgb"])[0, ..., :3].astype(int)


def quarters(image: np.ndarray) -> dict[str, list[int]]:
    places = {name: (13 if "upper" in name else 26, 26 if "right" in name else 13) for name in textured_files.QUARTERS}
    return {name: image[place].tolist() for name, place in places.items()}


@pytest.mark.parametrize("case", CASES)
def test_cameras_and_browsers_show_it(case: str, tmp_path: Path, device: str) -> None:
    """Each quarter has the colour that it has in the picture, and the viewer's mesh has a picture."""
    bare_square(tmp_path)
    world = shown(CASES[case](tmp_path), device)
    found = quarters(seen(world))
    for name, color in textured_files.QUARTERS.items():
        np.testing.assert_allclose(found[name], color, atol=2, err_msg=name)
    made = [batch for batch in batches(world) if len(batch.faces)]
    (size,) = struct.unpack_from("<I", made[0].texture, 12)
    assert len(made) == 1 and len(json.loads(made[0].texture[20 : 20 + size])["images"]) == 1


def test_a_colour_of_mjcf_tints_it(tmp_path: Path) -> None:
    bare_square(tmp_path)
    path = mjcf(tmp_path, FILED, 'type="mesh" mesh="q"', material='rgba="1 0.5 0 1"')
    found = quarters(seen(shown(path)))
    for name, (red, green, _) in textured_files.QUARTERS.items():
        np.testing.assert_allclose(found[name], (red, green / 2, 0), atol=3, err_msg=name)


def test_a_mirrored_mesh_mirrors_it(tmp_path: Path) -> None:
    """Left and right change places; the square is seen from its back otherwise."""
    bare_square(tmp_path)
    found = quarters(seen(shown(urdf(tmp_path, '<mesh filename="square.obj" scale="1 -1 1"/>'))))
    for name, color in textured_files.QUARTERS.items():
        other = name.replace("left", "right") if "left" in name else name.replace("right", "left")
        np.testing.assert_allclose(found[other], color, atol=2, err_msg=name)


OUTSIDE = ["../p.png", "/etc/passwd", "link.png", "gone.png", "pipe.png", "bomb.png", "text.png", "program.png"]


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("kind", ["urdf", "mjcf", "usd"])
def test_what_is_no_picture_here_is_told(kind: str, name: str, tmp_path: Path) -> None:
    """The robot loads, and a warning names the file and the element or prim; nothing is opened elsewhere."""
    folder = tmp_path / "above" / "robot"
    folder.mkdir(parents=True)
    bare_square(folder)
    textured_files.picture().save(tmp_path / "p.png")
    textured_files.picture().save(folder.parent / "p.png") if kind != "usd" else None
    (folder / "link.png").symlink_to(tmp_path / "p.png")
    os.mkfifo(folder / "pipe.png")
    (folder / "bomb.png").write_bytes(hostile_files.png(60_000, 60_000))
    (folder / "text.png").write_text("no picture")
    (folder / "program.png").write_text("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")
    if kind == "urdf":
        model = load_urdf(urdf(folder, texture=name))
    elif kind == "mjcf":
        model = load_mjcf(mjcf(folder, FILED, 'type="mesh" mesh="q"', f'type="2d" file="{name}"'))
    else:
        from phalanx.io.formats import usd as reader

        model = reader.load_robot(usd(folder, "vertex", "../" + name if name == "../p.png" else name), visuals=True)
    (text,) = [text for text in model.warnings if "not shown" in text]
    where = {"urdf": f"{folder}/robot.urdf:1: <texture>", "mjcf": "robot.xml:1: <texture", "usd": "</look/t>"}[kind]
    assert where in text and ("<a>" in text or name.rpartition("/")[2] in text or kind != "usd")
    assert {"bomb.png": "pixels", "text.png": "no picture", "program.png": "no picture"}.get(name, "") in text


def test_other_shapes_are_told(tmp_path: Path) -> None:
    bare_square(tmp_path)
    (text,) = load_urdf(urdf(tmp_path, '<sphere radius="1"/>')).warnings
    assert "a sphere has no texture coordinates" in text and "robot.urdf:1" in text
    for geom, texture in (('type="sphere" size="1"', CUBE), ('type="mesh" mesh="q"', CUBE), ('size="1"', CUBE)):
        (text,) = load_mjcf(mjcf(tmp_path, FILED, geom, texture)).warnings
        assert "robot.xml:1" in text and "textures are shown on meshes" in text
    for texture in ('type="skybox" file="p.png"', 'type="2d" builtin="checker" width="8" height="8"'):
        assert load_mjcf(mjcf(tmp_path, FILED, 'type="mesh" mesh="q"', texture)).warnings == []


def test_meshes_without_coordinates_are_told(tmp_path: Path) -> None:
    """Where the mesh is looked at; it is shown in its colour."""
    bare_square(tmp_path)
    lines = (tmp_path / "square.obj").read_text().splitlines()
    plain = [line.replace("/1", "").replace("/2", "").replace("/3", "").replace("/4", "") for line in lines]
    (tmp_path / "square.obj").write_text("\n".join(line for line in plain if not line.startswith("vt")))
    world = shown(urdf(tmp_path))
    with pytest.warns(UserWarning, match="square.obj: it has no texture coordinates"):
        image = seen(world)
    assert np.ptp(image[10:30, 10:30].reshape(-1, 3), axis=0).max() < 3
    file = usd(tmp_path, "vertex", name="other")
    from phalanx.io.formats import usd as reader

    (text,) = [text for text in reader.load_robot(file, visuals=True).warnings if "not shown" in text]
    assert "model.usda: </a/square>: it has no texture coordinates" in text


def test_limits_of_pixels_can_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare_square(tmp_path)
    assert load_urdf(urdf(tmp_path)).warnings == []
    monkeypatch.setattr(limits.LIMITS, "pixels", 64 * 64 - 1)
    (text,) = load_urdf(urdf(tmp_path)).warnings
    assert "4,096 pixels" in text and "LIMITS.pixels" in text


def test_a_picture_that_goes_or_is_damaged_later(tmp_path: Path) -> None:
    """The mesh is shown in its colour, and a warning names the picture."""
    bare_square(tmp_path)
    whole = (tmp_path / "p.png").read_bytes()
    for content in (whole[:60] + bytes(20), None):
        world = shown(urdf(tmp_path))
        (tmp_path / "p.png").unlink() if content is None else (tmp_path / "p.png").write_bytes(content)
        with pytest.warns(UserWarning, match="a texture is not shown: .*p.png"):
            (batch,) = batches(world)
        assert not batch.texture and len(batch.faces) == 2
        (tmp_path / "p.png").write_bytes(whole)
