"""More meshes, and meshes of elements, that ask for too much, or make no sense: see ``hostile_files``."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

from hostile_files import CORNERS, FOUR, case, dae, glb, glb_parts, gmsh, mesh, ply, urdf, vtk, write
from hostile_robots import LAUGHS

# -- STL, OBJ, PLY -----------------------------------------------------------------------------------------------------


@case("no triangles")
def stl_of_any_bytes(folder: Path) -> Path:
    return mesh(folder, "x.stl", bytes(range(256)))


@case("no triangles")
def stl_of_no_triangles(folder: Path) -> Path:
    return mesh(folder, "x.stl", bytes(84))


@case("not a readable stl file")
def stl_of_words(folder: Path) -> Path:
    return mesh(folder, "x.stl", "solid x\nfacet normal a b c\nouter loop\nvertex a b c\nendloop\nendfacet\nendsolid\n")


@case("no triangles")
def stl_that_is_cut_off(folder: Path) -> Path:
    return mesh(folder, "x.stl", bytes(80) + struct.pack("<I", 3) + bytes(120))


@case("no triangles")
def stl_of_a_long_line(folder: Path) -> Path:
    return mesh(folder, "x.stl", "solid x\n" + "facet " * 200_000)


@case("asks for 536,870,913 bytes")
def stl_of_512_megabytes(folder: Path) -> Path:
    path = mesh(folder, "x.stl", bytes(84))
    os.truncate(folder / "x.stl", (512 << 20) + 1)
    return path


@case("no triangles")
def obj_of_any_bytes(folder: Path) -> Path:
    return mesh(folder, "x.obj", bytes(range(256)) * 10)


@case("no triangles")
def obj_of_points_alone(folder: Path) -> Path:
    return mesh(folder, "x.obj", "v 0 0 0\n" * 1000)


@case("not finite")
def obj_of_nothing(folder: Path) -> Path:
    return mesh(folder, "x.obj", "v nan nan nan\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n")


@case("out of bounds")
def obj_face_before_the_first(folder: Path) -> Path:
    return mesh(folder, "x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -99\n")


@case("out of bounds")
def obj_face_of_a_number_beyond_64_bits(folder: Path) -> Path:
    return mesh(folder, "x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999999\n")


@case("no triangles")
def obj_of_lines_that_go_on(folder: Path) -> Path:
    """Backslashes, which continue lines."""
    return mesh(folder, "x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n" + "\\\n" * 100_000)


@case("not a readable ply file")
def ply_of_many_properties(folder: Path) -> Path:
    properties = "".join(f"property float p{i}\n" for i in range(100_000))
    return mesh(folder, "x.ply", f"ply\nformat ascii 1.0\nelement vertex 1\n{properties}end_header\n0\n")


@case("no end_header")
def ply_without_end(folder: Path) -> Path:
    return mesh(folder, "x.ply", "ply\nformat ascii 1.0\nelement vertex 1\n")


@case("promises -1 of vertex")
def ply_below_zero(folder: Path) -> Path:
    return mesh(folder, "x.ply", ply(-1))


@case(r"asks for 1e\+30 vertices")
def ply_of_a_number_beyond_64_bits(folder: Path) -> Path:
    return mesh(folder, "x.ply", ply(10**30))


@case("not a readable ply file")
def ply_of_letters(folder: Path) -> Path:
    return mesh(folder, "x.ply", ply(3).replace("element vertex 3", "element vertex abc"))


@case("float1024")
def ply_of_an_unknown_type(folder: Path) -> Path:
    return mesh(folder, "x.ply", ply(3, "3 0 1 2\n").replace("float", "float1024"))


@case("not a readable ply file")
def ply_of_lists_that_lie(folder: Path) -> Path:
    head = ply(3).replace("ascii", "binary_little_endian").replace("uchar", "uint").partition("0 0 0\n")[0]
    return mesh(folder, "x.ply", head.encode() + bytes(36) + struct.pack("<I", 2**32 - 1) + bytes(12))


@case("a vertex that does not exist")
def ply_face_below_zero(folder: Path) -> Path:
    return mesh(folder, "x.ply", ply(3, "3 0 1 -7\n"))


# -- GLB ---------------------------------------------------------------------------------------------------------------


def edited(folder: Path, **changes: object) -> Path:
    """A mesh with other values in its document, by ``part__number__key``."""
    data = glb([{"mesh": 0}], [0])
    size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + size])
    for name, value in changes.items():
        where = document
        *path, last = [int(word) if word.isdigit() else word for word in name.split("__")]
        for word in path:
            where = where[word]
        where[last] = value
    return mesh(folder, "x.glb", glb_parts(json.dumps(document).encode(), data[28 + size :]))


@case("not a readable glb file")
def glb_that_is_cut_off(folder: Path) -> Path:
    return mesh(folder, "x.glb", glb([{"mesh": 0}], [0])[:-60])


@case("does not begin as a binary glTF file")
def glb_of_any_bytes(folder: Path) -> Path:
    return mesh(folder, "x.glb", bytes(range(256)))


@case("its JSON is no object")
def glb_whose_json_is_a_list(folder: Path) -> Path:
    return mesh(folder, "x.glb", glb_parts(b"[1, 2, 3]"))


@case("not a readable glb file")
def glb_of_another_file(folder: Path) -> Path:
    return edited(folder, buffers=[{"byteLength": 72, "uri": "file:///etc/passwd"}])


@case("not a readable glb file")
def glb_from_a_network(folder: Path) -> Path:
    return edited(folder, buffers=[{"byteLength": 72, "uri": "http://127.0.0.1:9/x.bin"}])


@case("not a readable glb file")
def glb_buffer_below_zero(folder: Path) -> Path:
    return edited(folder, bufferViews__0__byteOffset=-40)


@case("out of range")
def glb_view_out_of_range(folder: Path) -> Path:
    return edited(folder, accessors__0__bufferView=99)


@case("promises -4 vertices")
def glb_count_below_zero(folder: Path) -> Path:
    return edited(folder, accessors__0__count=-4)


@case("asks for more than 1e308 vertices")
def glb_count_of_words(folder: Path) -> Path:
    return edited(folder, accessors__0__count="many")


@case("promises 4000000 vertices")
def glb_sparse_without_end(folder: Path) -> Path:
    sparse = {"count": 10**9, "indices": {"bufferView": 0, "componentType": 5125}, "values": {"bufferView": 0}}
    return edited(folder, accessors__0={"componentType": 5126, "count": 10**6 * 4, "type": "VEC3", "sparse": sparse})


@case("KeyError: 77")
def glb_of_an_unknown_component(folder: Path) -> Path:
    return edited(folder, accessors__0__componentType=77)


@case("cannot reshape")
def glb_of_matrices(folder: Path) -> Path:
    return edited(folder, accessors__0__type="MAT4")


@case("they have no hull")
def glb_indices_that_are_no_numbers(folder: Path) -> Path:
    return edited(folder, accessors__1__componentType=5126)


@case("not finite")
def glb_placed_by_nothing(folder: Path) -> Path:
    return edited(folder, nodes=[{"mesh": 0, "matrix": [float("nan")] * 16}])


@case("cannot reshape")
def glb_with_half_a_matrix(folder: Path) -> Path:
    return edited(folder, nodes=[{"mesh": 0, "matrix": [1, 0, 0]}])


@case(r"asks for 1e\+300 m")
def glb_scaled_by_1e300(folder: Path) -> Path:
    return edited(folder, nodes=[{"mesh": 0, "scale": [1e300, 1e300, 1e300]}])


@case("no triangles")
def glb_mesh_out_of_range(folder: Path) -> Path:
    return edited(folder, nodes=[{"mesh": 4}])


@case("POSITION")
def glb_needs_what_is_not_there(folder: Path) -> Path:
    return edited(
        folder, extensionsRequired=["KHR_draco_mesh_compression"], meshes=[{"primitives": [{"attributes": {}}]}]
    )


# -- COLLADA -----------------------------------------------------------------------------------------------------------


def changed(folder: Path, old: str, new: str) -> Path:
    text = dae()
    assert old in text
    return mesh(folder, "x.dae", text.replace(old, new))


@case("entity")
def dae_of_a_billion_laughs(folder: Path) -> Path:
    return mesh(folder, "x.dae", dae().replace("<COLLADA", f"{LAUGHS}<COLLADA").replace(">0 0 0 1", ">&a9;"))


@case("contains itself")
def dae_in_a_circle(folder: Path) -> Path:
    nodes = '<node id="n"><instance_node url="#n"/></node>'
    return mesh(folder, "x.dae", dae(nodes, '<instance_node url="#n"/>'))


@case('geometry "g" cannot be used')
def dae_index_out_of_range(folder: Path) -> Path:
    return changed(folder, "2 1 2 3</p>", "2 1 2 99</p>")


@case("<p> has a number below zero")
def dae_index_below_zero(folder: Path) -> Path:
    return changed(folder, "2 1 2 3</p>", "2 1 2 -3</p>")


@case('geometry "g" cannot be used')
def dae_numbers_of_letters(folder: Path) -> Path:
    return changed(folder, "0 0 0 1 0", "a b c d e")


@case(r"asks for 1e\+308 m")
def dae_of_1e308(folder: Path) -> Path:
    return changed(folder, "0 0 0 1 0", "0 0 0 1e308 0")


@case("not XML")
def dae_that_is_cut_off(folder: Path) -> Path:
    text = dae()
    return mesh(folder, "x.dae", text[: len(text) // 2])


@case("<matrix> has 3 numbers, not 16")
def dae_with_half_a_matrix(folder: Path) -> Path:
    return mesh(folder, "x.dae", dae(scene='<matrix>1 0 0</matrix><instance_geometry url="#g"/>'))


@case("no triangles")
def dae_of_what_is_not_there(folder: Path) -> Path:
    return mesh(folder, "x.dae", dae(scene='<instance_geometry url="#nothing"/>'))


@case("not a readable dae file")
def dae_of_other_xml(folder: Path) -> Path:
    return mesh(folder, "x.dae", "<svg><g/></svg>")


@case("meshes are read from stl, obj, dae, ply, glb")
def mesh_of_an_unknown_format(folder: Path) -> Path:
    write(folder, "x.blend", bytes(100))
    return urdf(folder, '<mesh filename="x.blend"/>')


# -- meshes of elements ------------------------------------------------------------------------------------------------


@case("node 3 is not finite")
def msh_of_nothing(folder: Path) -> Path:
    return gmsh(folder, FOUR.replace("4 0 0 1", "4 0 0 nan"))


@case(r"asks for 1e\+308 m")
def msh_of_1e308(folder: Path) -> Path:
    return gmsh(folder, FOUR.replace("4 0 0 1", "4 0 0 1e308"))


@case("asks for -16 numbers, below zero")
def msh_below_zero(folder: Path) -> Path:
    return gmsh(folder, FOUR.replace("4\n1", "-4\n1", 1))


@case("type 999")
def msh_of_an_unknown_element(folder: Path) -> Path:
    return gmsh(folder, FOUR, "1\n1 999 2 0 1 1 2 3 4\n")


@case("two nodes have the number 3")
def msh_of_two_nodes_of_a_name(folder: Path) -> Path:
    return gmsh(folder, FOUR.replace("4 0 0 1", "3 0 0 1"))


@case("it is binary")
def msh_in_binary(folder: Path) -> Path:
    return write(folder, "a.msh", b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n" + bytes(100))


@case("is flat")
def msh_of_flat_elements(folder: Path) -> Path:
    return gmsh(folder, FOUR.replace("4 0 0 1", "4 1 1 0"))


@case("a device or a pipe")
def msh_that_is_a_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "a.msh")
    return folder / "a.msh"


@case("it is binary")
def vtk_in_binary(folder: Path) -> Path:
    return write(folder, "a.vtk", "# vtk DataFile Version 3.0\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\n")


@case("UNSTRUCTURED_GRID")
def vtk_of_another_kind(folder: Path) -> Path:
    return write(folder, "a.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET STRUCTURED_POINTS\nDIMENSIONS 9 9 9\n")


@case("is not finite")
def vtk_of_nothing(folder: Path) -> Path:
    return vtk(folder, CORNERS.replace("0 0 1", "0 0 nan"), "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10")


@case("names a node that is not there")
def vtk_index_out_of_range(folder: Path) -> Path:
    return vtk(folder, CORNERS, "CELLS 1 5\n4 0 1 2 99\nCELL_TYPES 1\n10")


@case("asks for -. numbers, below zero")
def vtk_cells_below_zero(folder: Path) -> Path:
    return vtk(folder, CORNERS, "CELLS -1 -5\n4 0 1 2 3\nCELL_TYPES -1\n10")
