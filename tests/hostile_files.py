"""Files that ask for more than a robot needs, or that no reader can make sense of; ``hostile_runs`` loads them."""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

BALL = '<body><freejoint/><geom size=".1"/></body>'
HFIELD = '<geom type="hfield" hfield="h"/>'
MESH = '<body><freejoint/><geom type="mesh" mesh="x"/></body>'

Case = Callable[[Path], Path]
CASES: dict[str, tuple[str, Case]] = {}
"""By name: what the error says, and what makes the file in a folder."""


def case(words: str) -> Callable[[Case], Case]:
    """Put a function among the cases."""

    def add(make: Case) -> Case:
        CASES[make.__name__] = words, make
        return make

    return add


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# -- MJCF ------------------------------------------------------------------------------------------------------------


def mjcf(folder: Path, world: str, rest: str = "", name: str = "model.xml") -> Path:
    return write(folder, name, f"<mujoco>{rest}<worldbody>{world}</worldbody></mujoco>")


@case("asks for 201 included files")
def mjcf_includes_double_25_times(folder: Path) -> Path:
    for i in range(25):
        write(folder, f"{i}.xml", f'<mujoco><include file="{i + 1}.xml"/><include file="./{i + 1}.xml"/></mujoco>')
    mjcf(folder, BALL, name="25.xml")
    return folder / "0.xml"


@case("asks for [0-9,]+ elements")
def mjcf_attachments_double_20_times(folder: Path) -> Path:
    for i in range(20):
        asset = f'<asset><model name="m" file="{i + 1}.xml"/></asset>'
        mjcf(folder, '<attach model="m" prefix="a"/><attach model="m" prefix="b"/>', asset, f"{i}.xml")
    mjcf(folder, BALL, name="20.xml")
    return folder / "0.xml"


@case("asks for [0-9,]+ elements")
def mjcf_nested_copies(folder: Path) -> Path:
    return mjcf(folder, '<replicate count="100">' * 6 + BALL + "</replicate>" * 6)


@case("asks for 3,000,000,001 elements")
def mjcf_a_billion_copies(folder: Path) -> Path:
    return mjcf(folder, f'<replicate count="1000000000">{BALL}</replicate>')


@case("asks for 1,000,000,001 elements")
def mjcf_a_billion_copies_of_nothing(folder: Path) -> Path:
    return mjcf(folder, '<replicate count="1000000000"/>')


@case("nested more than 200 elements deep")
def mjcf_deep(folder: Path) -> Path:
    return mjcf(folder, "<body>" * 50_000 + "</body>" * 50_000)


@case("asks for 100,000,000 samples")
def mjcf_height_field_without_data(folder: Path) -> Path:
    return mjcf(folder, HFIELD, '<asset><hfield name="h" nrow="10000" ncol="10000" size="1 1 1 1"/></asset>')


def png(width: int, height: int) -> bytes:
    """A picture that promises more than it holds."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(10_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@case("decompression bomb")
def mjcf_picture_of_60000_squared(folder: Path) -> Path:
    write(folder, "h.png", png(60_000, 60_000))
    return mjcf(folder, HFIELD, '<asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset>')


@case("asks for 64,000,000 samples")
def mjcf_picture_of_8000_squared(folder: Path) -> Path:
    write(folder, "h.png", png(8000, 8000))
    return mjcf(folder, HFIELD, '<asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset>')


@case("image file is truncated")
def mjcf_picture_cut_off(folder: Path) -> Path:
    write(folder, "h.png", png(200, 200))
    return mjcf(folder, HFIELD, '<asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset>')


@case('mass="1e308" is too large')
def mjcf_mass_of_1e308(folder: Path) -> Path:
    return mjcf(folder, '<body><freejoint/><geom size=".1" mass="1e308"/></body>')


@case("has no volume")
def mjcf_flat_hull(folder: Path) -> Path:
    return mjcf(folder, MESH, '<asset><mesh name="x" vertex="0 0 0 1 0 0 0 1 0 1 1 0"/></asset>')


@case("names a vertex that does not exist")
def mjcf_face_out_of_range(folder: Path) -> Path:
    return mjcf(folder, MESH, '<asset><mesh name="x" vertex="0 0 0 1 0 0 0 1 0 1 1 1" face="0 1 2 0 1 77"/></asset>')


@case("not well-formed")
def mjcf_of_any_bytes(folder: Path) -> Path:
    return write(folder, "model.xml", bytes(range(256)) * 10)


# -- URDF and meshes -------------------------------------------------------------------------------------------------


def urdf(folder: Path, shape: str = '<sphere radius="1"/>', mass: str = "1") -> Path:
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    return write(
        folder,
        "robot.urdf",
        f'<robot name="r"><link name="a"><inertial><mass value="{mass}"/>{inertia}</inertial>'
        f"<collision><geometry>{shape}</geometry></collision></link></robot>",
    )


def mesh(folder: Path, name: str, content: str | bytes) -> Path:
    """A robot with a mesh."""
    write(folder, name, content)
    return urdf(folder, f'<mesh filename="{name}"/>')


@case("asks for 100,001 elements")
def urdf_of_many_elements(folder: Path) -> Path:
    return write(folder, "robot.urdf", '<robot name="r">' + '<link name="a"/>' * 300_000 + "</robot>")


@case("asks for 20,000 bodies")
def urdf_of_many_links(folder: Path) -> Path:
    links = "".join(f'<link name="l{i}"/>' for i in range(20_000))
    return write(folder, "robot.urdf", f'<robot name="r">{links}</robot>')


@case('value="1e308" is too large')
def urdf_mass_of_1e308(folder: Path) -> Path:
    return urdf(folder, mass="1e308")


@case("not well-formed")
def urdf_that_is_no_utf8(folder: Path) -> Path:
    return write(folder, "robot.urdf", b'<robot name="\xff\xfe"><link name="a"/></robot>')


@case("is a device or a pipe")
def urdf_that_is_a_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "robot.xml")
    return folder / "robot.xml"


@case("no triangles")
def stl_that_promises_4_billion_triangles(folder: Path) -> Path:
    return mesh(folder, "x.stl", bytes(80) + struct.pack("<I", 2**32 - 1) + bytes(500))


def stl(triangles: list[list[list[float]]]) -> bytes:
    data = b"".join(bytes(12) + np.asarray(one, "<f4").tobytes() + bytes(2) for one in triangles)
    return bytes(80) + struct.pack("<I", len(triangles)) + data


@case("not finite")
def stl_with_nan(folder: Path) -> Path:
    return mesh(folder, "x.stl", stl([[[0, 0, 0], [1, 0, 0], [0, float("nan"), 0]]]))


@case(r"asks for 3e\+38 m")
def stl_of_3e38(folder: Path) -> Path:
    return mesh(folder, "x.stl", stl([[[0, 0, 0], [3e38, 0, 0], [0, 3e38, 0]], [[0, 0, 3e38], [1, 0, 0], [0, 1, 0]]]))


@case(r"asks for 1e\+308 m")
def obj_of_1e308(folder: Path) -> Path:
    corners = "v 0 0 0\nv 1e308 0 0\nv 0 1e308 0\nv 0 0 1e308\n"
    return mesh(folder, "x.obj", corners + "f 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n")


@case("out of bounds")
def obj_face_out_of_range(folder: Path) -> Path:
    return mesh(folder, "x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99\n")


def ply(vertices: int, face: str = "") -> str:
    points = "".join(f"property float {axis}\n" for axis in "xyz")
    return (
        f"ply\nformat ascii 1.0\nelement vertex {vertices}\n{points}element face 1\n"
        f"property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n{face}"
    )


@case("asks for 1,000,000,000 vertices")
def ply_that_promises_a_billion_vertices(folder: Path) -> Path:
    return mesh(folder, "x.ply", ply(10**9))


@case("more than it has room for")
def ply_that_promises_a_million_vertices(folder: Path) -> Path:
    return mesh(folder, "x.ply", ply(10**6))


@case("names a vertex that does not exist")
def ply_face_out_of_range(folder: Path) -> Path:
    return mesh(folder, "x.ply", ply(3, "3 0 1 7\n"))


def glb_parts(text: bytes, binary: bytes = b"") -> bytes:
    text += b" " * (-len(text) % 4)
    parts = struct.pack("<II", len(text), 0x4E4F534A) + text
    if binary:
        parts += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(parts)) + parts


def glb(nodes: Sequence[Mapping[str, object]], roots: list[int], vertices: int = 4) -> bytes:
    """Nodes with mesh 0, of two triangles."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4").tobytes()
    binary = corners + np.array([0, 1, 2, 0, 1, 3], "<u4").tobytes()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": roots}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": vertices, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": 6, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [{"byteLength": len(binary)}],
    }
    return glb_parts(json.dumps(document).encode(), binary)


@case("asks for 201 levels")
def glb_of_20000_nested_nodes(folder: Path) -> Path:
    return mesh(folder, "x.glb", glb([{"children": [i + 1]} for i in range(19_999)] + [{"mesh": 0}], [0]))


@case("asks for 50,001 nodes")
def glb_of_50001_nodes(folder: Path) -> Path:
    return mesh(folder, "x.glb", glb([{"children": [i + 1]} for i in range(50_000)] + [{"mesh": 0}], [0]))


@case("asks for [0-9,]+ nodes")
def glb_doubled_40_times(folder: Path) -> Path:
    return mesh(folder, "x.glb", glb([{"children": [i + 1, i + 1]} for i in range(40)] + [{"mesh": 0}], [0]))


@case("contains itself")
def glb_in_a_circle(folder: Path) -> Path:
    return mesh(folder, "x.glb", glb([{"children": [1]}, {"children": [0], "mesh": 0}], [0]))


@case("asks for 1,000,000,000 vertices")
def glb_that_promises_a_billion_vertices(folder: Path) -> Path:
    return mesh(folder, "x.glb", glb([{"mesh": 0}], [0], vertices=10**9))


@case("nested too deeply")
def glb_of_deep_json(folder: Path) -> Path:
    return mesh(folder, "x.glb", glb_parts(b'{"asset":' + b"[" * 100_000 + b"]" * 100_000 + b"}"))


def dae(nodes: str = "", scene: str = '<instance_geometry url="#g"/>', metres: str = "1") -> str:
    names = "".join(f'<param name="{axis}" type="float"/>' for axis in "XYZ")
    return (
        '<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
        f'<asset><unit meter="{metres}"/></asset><library_geometries><geometry id="g"><mesh><source id="p">'
        '<float_array id="pa" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common>'
        f'<accessor source="#pa" count="4" stride="3">{names}</accessor></technique_common></source><vertices id="v">'
        '<input semantic="POSITION" source="#p"/></vertices><triangles count="4">'
        '<input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry>'
        f'</library_geometries><library_nodes>{nodes}</library_nodes><library_visual_scenes><visual_scene id="s">'
        f'<node id="t">{scene}</node></visual_scene></library_visual_scenes><scene>'
        '<instance_visual_scene url="#s"/></scene></COLLADA>'
    )


@case("asks for [0-9,]+ nodes")
def dae_doubled_24_times(folder: Path) -> Path:
    twice = "".join(
        f'<node id="n{i}"><instance_node url="#n{i + 1}"/><instance_node url="#n{i + 1}"/></node>' for i in range(24)
    )
    nodes = twice + '<node id="n24"><instance_geometry url="#g"/></node>'
    return mesh(folder, "x.dae", dae(nodes, '<instance_node url="#n0"/>'))


@case("nested more than 200 elements deep")
def dae_deep(folder: Path) -> Path:
    return mesh(folder, "x.dae", dae(scene="<node>" * 5000 + "</node>" * 5000))


@case('meter="abc" is not a number')
def dae_unit_of_letters(folder: Path) -> Path:
    return mesh(folder, "x.dae", dae(metres="abc"))


# -- USD -------------------------------------------------------------------------------------------------------------

BODY = '(prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])'


def usd(folder: Path, prims: bytes | str, name: str = "scene.usda") -> Path:
    content = prims.encode() if isinstance(prims, str) else prims
    return write(folder, name, b'#usda 1.0\n(\n defaultPrim = "a0"\n metersPerUnit = 1\n upAxis = "Z"\n)\n' + content)


@case("asks for [0-9,]+ prims")
def usd_doubled_24_times(folder: Path) -> Path:
    prims = [
        f'def "a{i}" {{\ndef "l" (references = </a{i + 1}>) {{\n}}\ndef "r" (references = </a{i + 1}>) {{\n}}\n}}\n'
        for i in range(24)
    ]
    return usd(folder, "".join(prims) + f'def Xform "a24" {BODY} {{\n}}\n')


@case("asks for [0-9,]+ prims")
def usd_files_doubled_24_times(folder: Path) -> Path:
    for i in range(24):
        again = f"(references = @{i + 1}.usda@) {{\n}}\n"
        usd(folder, f'def "a0" {{\ndef "l" {again}def "r" {again}}}\n', f"{i}.usda")
    usd(folder, 'def "a0" {\n}\n', "24.usda")
    return folder / "0.usda"


@case("UnicodeDecodeError")
def usd_that_is_no_utf8(folder: Path) -> Path:
    return usd(folder, b'def Xform "a0" ' + BODY.encode() + b' {\nstring x = "\xff\xfe\xfa"\n}\n')


@case("nested too deeply|levels inside each other")
def usd_deep(folder: Path) -> Path:
    return usd(folder, 'def "a" {\n' * 3000 + "}\n" * 3000)


@case("not a readable USD file")
def usd_of_any_bytes(folder: Path) -> Path:
    return write(folder, "scene.usdc", b"PXR-USDC" + b"\xff" * 1000)


@case("physics:mass = inf must be finite")
def usd_mass_of_1e308(folder: Path) -> Path:
    return usd(folder, f'def Xform "a0" {BODY} {{\nfloat physics:mass = 1e308\n}}\n')


@case("faceVertexIndices must be from 0 to 3")
def usd_face_out_of_range(folder: Path) -> Path:
    points = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]"
    faces = "int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 99]"
    shape = f'def Mesh "s" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {{\n{points}\n{faces}\n}}\n'
    return usd(folder, f'def Xform "a0" {BODY} {{\n{shape}}}\n')


# -- meshes of elements ------------------------------------------------------------------------------------------------


def flexcomp(folder: Path, attributes: str) -> Path:
    return mjcf(folder, f'<flexcomp name="f" mass="1" {attributes}><contact selfcollide="none"/></flexcomp>')


def gmsh(folder: Path, nodes: str, elements: str = "1\n1 4 2 0 1 1 2 3 4\n") -> Path:
    sections = f"$Nodes\n{nodes}$EndNodes\n$Elements\n{elements}$EndElements\n"
    return write(folder, "a.msh", f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{sections}")


FOUR = "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"


@case(r"asks for 1e\+12 vertices")
def mjcf_flexcomp_of_a_trillion_points(folder: Path) -> Path:
    return flexcomp(folder, 'type="grid" dim="3" count="10000 10000 10000"')


@case('spacing="1e308" is too large')
def mjcf_flexcomp_of_1e308(folder: Path) -> Path:
    return flexcomp(folder, 'type="grid" dim="3" count="2 2 2" spacing="1e308 1e308 1e308"')


@case("ends where 4000000000 more numbers")
def msh_that_promises_a_billion_nodes(folder: Path) -> Path:
    return gmsh(folder, "1000000000\n1 0 0 0\n")


@case("ends where 3 more numbers")
def msh_that_promises_a_billion_elements(folder: Path) -> Path:
    return gmsh(folder, FOUR, "1000000000\n1 4 2 0 1 1 2 3 4\n")


@case("ends where 1000000000 more numbers")
def msh_of_a_billion_tags(folder: Path) -> Path:
    return gmsh(folder, FOUR, "1\n1 4 1000000000 0 1 1 2 3 4\n")


@case("names node 4, which is not there")
def msh_with_a_number_beyond_64_bits(folder: Path) -> Path:
    return gmsh(folder, FOUR.replace("4 0 0 1", "99999999999999999999999 0 0 1"))


@case(r"has no \$MeshFormat")
def msh_of_any_bytes(folder: Path) -> Path:
    return write(folder, "a.msh", bytes(range(256)) * 10)


def vtk(folder: Path, points: str, cells: str) -> Path:
    head = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    return write(folder, "a.vtk", f"{head}POINTS {points}\n{cells}\n")


CORNERS = "4 float\n0 0 0 1 0 0 0 1 0 0 0 1"


@case("ends where 3000000000 more numbers")
def vtk_that_promises_a_billion_points(folder: Path) -> Path:
    return vtk(folder, "1000000000 float\n0 0 0", "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10")


@case("ends where 4999999999 more numbers")
def vtk_that_promises_a_billion_cells(folder: Path) -> Path:
    return vtk(folder, CORNERS, "CELLS 1000000000 5000000000\n4 0 1 2 3\nCELL_TYPES 1000000000\n10")


@case("does not begin with")
def vtk_of_any_bytes(folder: Path) -> Path:
    return write(folder, "a.vtk", bytes(range(256)) * 10)


# -- loading them ----------------------------------------------------------------------------------------------------


def load(path: Path) -> None:
    """Put a file into a world, or open what was stored, with all that there is in it."""
    import phalanx as px

    if path.suffix == ".zarr":
        px.open_recording(path).world()
        return
    if path.suffix == ".npz":
        px.World.load(path)
        return
    world = px.World()
    if path.suffix == ".urdf":
        world.add_robot(path)
    elif path.suffix == ".xml":
        world.add_mjcf(path)
    elif path.suffix in (".msh", ".vtk"):
        world.add_soft_body(path)
    else:
        world.add_usd(path)
