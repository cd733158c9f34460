"""More files of robots and scenes (URDF, MJCF, USD) that ask for too much, or make no sense: see ``hostile_files``."""

from __future__ import annotations

import os
import struct
from pathlib import Path

from hostile_files import BALL, BODY, HFIELD, MESH, case, mjcf, png, urdf, usd, write

LAUGHS = "".join(f'<!ENTITY a{i + 1} "{f"&a{i};" * 10}">' for i in range(9))
LAUGHS = f'<!DOCTYPE x [<!ENTITY a0 "ha">{LAUGHS}]>'
STRANGER = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
LINK = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def links(folder: Path, names: str, rest: str) -> Path:
    """A robot with links of these names and what else there is."""
    given = "".join(f'<link name="{name}">{LINK}</link>' for name in names)
    return write(folder, "robot.urdf", f'<robot name="r">{given}{rest}</robot>')


def joint(parent: str, child: str, kind: str = "revolute", rest: str = '<limit effort="1" velocity="1"/>') -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{parent}{child}" type="{kind}">{ends}<axis xyz="0 0 1"/>{rest}</joint>'


# -- URDF ------------------------------------------------------------------------------------------------------------


@case("entity")
def urdf_of_a_billion_laughs(folder: Path) -> Path:
    return write(folder, "robot.urdf", f'{LAUGHS}<robot name="&a9;"><link name="a"/></robot>')


@case("entity")
def urdf_of_another_file(folder: Path) -> Path:
    return write(folder, "robot.urdf", f'{STRANGER}<robot name="r"><link name="a">&a;</link></robot>')


@case("external document type")
def urdf_with_a_type_elsewhere(folder: Path) -> Path:
    return write(folder, "robot.urdf", '<!DOCTYPE robot SYSTEM "http://127.0.0.1:9/x"><robot name="r"/>')


@case("nested more than 200 elements deep")
def urdf_deep(folder: Path) -> Path:
    return write(folder, "robot.urdf", '<robot name="r">' + "<a>" * 50_000 + "</a>" * 50_000 + "</robot>")


@case("unknown encoding")
def urdf_in_an_encoding_of_its_own(folder: Path) -> Path:
    return write(folder, "robot.urdf", '<?xml version="1.0" encoding="x-klingon"?><robot name="r"/>')


@case("asks for 67,108,865 bytes")
def urdf_of_64_megabytes(folder: Path) -> Path:
    path = urdf(folder)
    os.truncate(path, (64 << 20) + 1)
    return path


@case("the links form a loop")
def urdf_with_links_in_a_circle(folder: Path) -> Path:
    return links(folder, "abc", joint("a", "b") + joint("b", "c") + joint("c", "a"))


@case("the links form a loop")
def urdf_with_a_link_of_its_own(folder: Path) -> Path:
    return links(folder, "a", joint("a", "a"))


@case("2 root links")
def urdf_with_two_roots(folder: Path) -> Path:
    return links(folder, "abc", joint("a", "b"))


@case("mimics itself")
def urdf_with_joints_that_copy_each_other(folder: Path) -> Path:
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    one = joint("a", "b", rest=limit + '<mimic joint="bc"/>')
    return links(folder, "abc", one + joint("b", "c", rest=limit + '<mimic joint="ab"/>'))


@case("swap them")
def urdf_limits_upside_down(folder: Path) -> Path:
    return links(folder, "ab", joint("a", "b", rest='<limit lower="2" upper="-2" effort="1" velocity="1"/>'))


@case('lower="nan" is not a finite number')
def urdf_limits_of_nothing(folder: Path) -> Path:
    return links(folder, "ab", joint("a", "b", rest='<limit lower="nan" upper="1" effort="1" velocity="1"/>'))


@case("violates the triangle inequality")
def urdf_inertia_that_no_body_has(folder: Path) -> Path:
    bad = LINK.replace('ixx="1"', 'ixx="100"')
    return write(folder, "robot.urdf", f'<robot name="r"><link name="a">{bad}</link></robot>')


@case("negative principal moment")
def urdf_inertia_below_zero(folder: Path) -> Path:
    bad = LINK.replace('iyy="1"', 'iyy="-1"')
    return write(folder, "robot.urdf", f'<robot name="r"><link name="a">{bad}</link></robot>')


@case('mass "-1" is negative')
def urdf_mass_below_zero(folder: Path) -> Path:
    return urdf(folder, mass="-1")


@case("a dimension is negative")
def urdf_radius_below_zero(folder: Path) -> Path:
    return urdf(folder, '<sphere radius="-1"/>')


@case("the axis is zero")
def urdf_axis_of_zeros(folder: Path) -> Path:
    return links(folder, "ab", joint("a", "b").replace("0 0 1", "0 0 0"))


@case("leads to /dev/zero|outside the folders")
def urdf_mesh_that_is_a_device(folder: Path) -> Path:
    (folder / "x.stl").symlink_to("/dev/zero")
    return urdf(folder, '<mesh filename="x.stl"/>')


@case("x.obj")
def urdf_mesh_that_is_a_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "x.obj")
    return urdf(folder, '<mesh filename="x.obj"/>')


@case("x.stl")
def urdf_mesh_that_is_a_link_to_itself(folder: Path) -> Path:
    (folder / "x.stl").symlink_to("x.stl")
    return urdf(folder, '<mesh filename="x.stl"/>')


# -- MJCF ------------------------------------------------------------------------------------------------------------


@case("entity")
def mjcf_of_a_billion_laughs(folder: Path) -> Path:
    return write(folder, "model.xml", f'{LAUGHS}<mujoco model="&a9;"><worldbody/></mujoco>')


@case("includes itself")
def mjcf_that_includes_itself(folder: Path) -> Path:
    return write(folder, "model.xml", '<mujoco><include file="model.xml"/></mujoco>')


@case("attaches itself")
def mjcf_that_attaches_itself(folder: Path) -> Path:
    asset = '<asset><model name="m" file="model.xml"/></asset>'
    return mjcf(folder, BALL + '<attach model="m" prefix="a"/>', asset)


@case("part.xml")
def mjcf_that_includes_a_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "part.xml")
    return write(folder, "model.xml", '<mujoco><include file="part.xml"/></mujoco>')


@case("add its folder to package_dirs")
def mjcf_that_includes_a_device(folder: Path) -> Path:
    (folder / "part.xml").symlink_to("/dev/zero")
    return write(folder, "model.xml", '<mujoco><include file="part.xml"/></mujoco>')


@case('count="-1": it must be at least 1')
def mjcf_copies_below_zero(folder: Path) -> Path:
    return mjcf(folder, f'<replicate count="-1">{BALL}</replicate>')


@case("nested more than 200 elements deep")
def mjcf_defaults_deep(folder: Path) -> Path:
    inner = "".join(f'<default class="c{i}">' for i in range(5000)) + "</default>" * 5000
    return mjcf(folder, BALL, f"<default>{inner}</default>")


@case("not a finite number")
def mjcf_step_of_nothing(folder: Path) -> Path:
    return mjcf(folder, BALL, '<option timestep="nan"/>')


@case("must be positive")
def mjcf_step_below_zero(folder: Path) -> Path:
    return mjcf(folder, BALL, '<option timestep="-1"/>')


@case('pos="1e999" is not a finite number')
def mjcf_place_of_1e999(folder: Path) -> Path:
    return mjcf(folder, '<body pos="1e999 0 0"><freejoint/><geom size=".1"/></body>')


@case("must not be zero")
def mjcf_turned_by_nothing(folder: Path) -> Path:
    return mjcf(folder, '<body quat="0 0 0 0"><freejoint/><geom size=".1"/></body>')


@case("the first must be below the second")
def mjcf_range_upside_down(folder: Path) -> Path:
    return mjcf(folder, '<body><joint type="hinge" range="1 -1" limited="true"/><geom size=".1"/></body>')


@case("violates the triangle inequality")
def mjcf_inertia_that_no_body_has(folder: Path) -> Path:
    return mjcf(folder, '<body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 100"/></body>')


@case("there is no such point")
def mjcf_pins_a_billion_points(folder: Path) -> Path:
    grid = '<flexcomp name="f" mass="1" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1">'
    return mjcf(folder, grid + '<pin gridrange="0 0 1000000000 1000000000"/></flexcomp>')


@case("there is no such point")
def mjcf_pins_a_long_range(folder: Path) -> Path:
    grid = '<flexcomp name="f" mass="1" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1">'
    return mjcf(folder, grid + '<pin range="0 1000000000"/></flexcomp>')


@case("its length is not what its first numbers say")
def mjcf_height_field_that_is_a_long_promise(folder: Path) -> Path:
    write(folder, "h.bin", struct.pack("<ii", 50_000, 50_000) + bytes(100))
    return mjcf(folder, HFIELD, '<asset><hfield name="h" file="h.bin" size="1 1 1 1"/></asset>')


@case("must be finite")
def mjcf_height_field_of_nothing(folder: Path) -> Path:
    write(folder, "h.bin", struct.pack("<ii4f", 2, 2, 0.0, float("nan"), 0.0, 1.0))
    return mjcf(folder, HFIELD, '<asset><hfield name="h" file="h.bin" size="1 1 1 1"/></asset>')


@case("0 elevations for -3 rows")
def mjcf_height_field_below_zero(folder: Path) -> Path:
    return mjcf(folder, HFIELD, '<asset><hfield name="h" nrow="-3" ncol="-3" size="1 1 1 1"/></asset>')


@case("no PNG picture")
def mjcf_height_field_of_flat_pixels(folder: Path) -> Path:
    write(folder, "h.png", png(0, 0))
    return mjcf(folder, HFIELD, '<asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset>')


@case("no PNG picture")
def mjcf_picture_that_is_a_program(folder: Path) -> Path:
    """PostScript: a reader of pictures would start its interpreter."""
    write(folder, "h.png", f"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n({folder}/ran) (w) file closefile\n")
    return mjcf(folder, HFIELD, '<asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset>')


@case("no PNG picture")
def mjcf_picture_of_another_kind(folder: Path) -> Path:
    write(
        folder,
        "h.png",
        b"BM" + struct.pack("<IHHIIiiHHIIiiII", 70, 0, 0, 54, 40, 2, 2, 1, 24, 0, 16, 0, 0, 0, 0) + bytes(16),
    )
    return mjcf(folder, HFIELD, '<asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset>')


@case("its length is not what its first numbers say")
def mjcf_mesh_of_its_own_format(folder: Path) -> Path:
    write(folder, "x.msh", struct.pack("<4i", 10**9, 0, 0, 10**9) + bytes(100))
    return mjcf(folder, MESH, '<asset><mesh name="x" file="x.msh"/></asset>')


@case("qpos has 100000 numbers")
def mjcf_keyframe_that_does_not_fit(folder: Path) -> Path:
    numbers = "0 " * 100_000
    return mjcf(folder, BALL, f'<keyframe><key qpos="{numbers}"/></keyframe>')


@case('holds "b" to itself')
def mjcf_welds_a_body_to_itself(folder: Path) -> Path:
    named = BALL.replace("<body>", '<body name="b">')
    return mjcf(folder, named, '<equality><weld body1="b" body2="b"/></equality>')


@case(r"asks for 1e\+25 m")
def mjcf_mesh_scaled_by_1e25(folder: Path) -> Path:
    corners = 'vertex="0 0 0 1 0 0 0 1 0 1 1 1"'
    return mjcf(folder, MESH, f'<asset><mesh name="x" {corners} scale="1e25 1e25 1e25"/></asset>')


# -- USD -------------------------------------------------------------------------------------------------------------


@case("asks for [0-9,]+ prims")
def usd_inherits_doubled_24_times(folder: Path) -> Path:
    classes = [
        f'class "c{i}" {{\ndef "l" (inherits = </c{i + 1}>) {{\n}}\ndef "r" (inherits = </c{i + 1}>) {{\n}}\n}}\n'
        for i in range(24)
    ]
    return usd(folder, "".join(classes) + 'class "c24" {\n}\ndef Xform "a0" (inherits = </c0>) {\n}\n')


@case("asks for [0-9,]+ prims")
def usd_payloads_doubled_24_times(folder: Path) -> Path:
    prims = [
        f'def "a{i}" {{\ndef "l" (payload = </a{i + 1}>) {{\n}}\ndef "r" (payload = </a{i + 1}>) {{\n}}\n}}\n'
        for i in range(24)
    ]
    return usd(folder, "".join(prims) + 'def "a24" {\n}\n')


@case("asks for [0-9,]+ prims")
def usd_variants_doubled_24_times(folder: Path) -> Path:
    prims = [
        f'def "a{i}" (variants = {{\nstring v = "x"\n}}\nprepend variantSets = "v") {{\nvariantSet "v" = {{\n"x" {{\n'
        f'def "l" (references = </a{i + 1}>) {{\n}}\ndef "r" (references = </a{i + 1}>) {{\n}}\n}}\n}}\n}}\n'
        for i in range(24)
    ]
    return usd(folder, "".join(prims) + 'def "a24" {\n}\n')


@case("part.usda is missing")
def usd_sublayers_of_a_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "part.usda")
    return usd(folder, 'def "a0" (references = @part.usda@) {\n}\n')


@case("no such file")
def usd_that_is_a_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "scene.usda")
    return folder / "scene.usda"


@case("is an address")
def usd_from_a_network(folder: Path) -> Path:
    return usd(folder, 'def "a0" (references = @http://127.0.0.1:9/x.usda@) {\n}\n')


@case("outside the folders")
def usd_of_another_folder(folder: Path) -> Path:
    return usd(folder, 'def "a0" (references = @/etc/passwd@) {\n}\n')


@case("value clips")
def usd_with_clips(folder: Path) -> Path:
    return usd(folder, 'def "a0" (clips = {\ndictionary default = {\nasset[] assetPaths = [@/dev/zero@]\n}\n}) {\n}\n')


@case("Expected }")
def usd_cut_in_the_middle(folder: Path) -> Path:
    return usd(folder, f'def Xform "a0" {BODY} {{\nfloat physics:mass = ')


@case("not a readable USD file")
def usdz_of_any_bytes(folder: Path) -> Path:
    return write(folder, "scene.usdz", b"PK\x03\x04" + bytes(range(256)) * 4)


@case("metersPerUnit = nan")
def usd_metres_of_nothing(folder: Path) -> Path:
    path = usd(folder, f'def Xform "a0" {BODY} {{\n}}\n')
    return write(folder, "scene.usda", path.read_bytes().replace(b"metersPerUnit = 1", b"metersPerUnit = nan"))


@case("metersPerUnit = -1")
def usd_metres_below_zero(folder: Path) -> Path:
    path = usd(folder, f'def Xform "a0" {BODY} {{\n}}\n')
    return write(folder, "scene.usda", path.read_bytes().replace(b"metersPerUnit = 1", b"metersPerUnit = -1"))


def shape(folder: Path, kind: str, words: str, rest: str = "") -> Path:
    body = f'def {kind} "s" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {{\n{words}\n}}\n'
    return usd(folder, f'def Xform "a0" {BODY} {{\n{rest}{body}}}\n')


@case("radius = nan must be finite")
def usd_radius_of_nothing(folder: Path) -> Path:
    return shape(folder, "Sphere", "double radius = nan")


@case("a size of 0 or less")
def usd_radius_below_zero(folder: Path) -> Path:
    return shape(folder, "Sphere", "double radius = -1")


@case("its transform is not finite")
def usd_scaled_by_1e308(folder: Path) -> Path:
    scale = 'double3 xformOp:scale = (1e308, 1e308, 1e308)\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
    return shape(folder, "Sphere", "double radius = 1e10", scale)


@case("add up to 2000000000")
def usd_counts_that_lie(folder: Path) -> Path:
    points = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]"
    return shape(
        folder, "Mesh", f"{points}\nint[] faceVertexCounts = [2000000000]\nint[] faceVertexIndices = [0, 1, 2]"
    )


@case("faceVertexCounts has -3")
def usd_counts_below_zero(folder: Path) -> Path:
    points = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]"
    return shape(folder, "Mesh", f"{points}\nint[] faceVertexCounts = [-3, 6]\nint[] faceVertexIndices = [0, 1, 2]")


@case("points that are not finite")
def usd_points_of_nothing(folder: Path) -> Path:
    points = "point3f[] points = [(nan, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]"
    faces = "int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]"
    return shape(folder, "Mesh", f"{points}\n{faces}")


@case("violates the triangle inequality")
def usd_inertia_that_no_body_has(folder: Path) -> Path:
    mass = "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 100)\n"
    return shape(folder, "Sphere", "double radius = 1", mass)


@case("swap them")
def usd_joint_with_limits_upside_down(folder: Path) -> Path:
    bodies = "".join(f'def Xform "{name}" {BODY} {{\nfloat physics:mass = 1\n}}\n' for name in ("a0", "b"))
    ends = "rel physics:body0 = </a0>\nrel physics:body1 = </b>\n"
    limits = 'uniform token physics:axis = "Z"\nfloat physics:lowerLimit = 50\nfloat physics:upperLimit = -50\n'
    return usd(folder, bodies + f'def PhysicsRevoluteJoint "j" {{\n{ends}{limits}}}\n')


@case("both its ends are on </a0>")
def usd_joint_of_a_body_with_itself(folder: Path) -> Path:
    ends = "rel physics:body0 = </a0>\nrel physics:body1 = </a0>\n"
    return usd(folder, f'def Xform "a0" {BODY} {{\n}}\ndef PhysicsRevoluteJoint "j" {{\n{ends}}}\n')
