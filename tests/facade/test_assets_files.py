"""Files of assets, by path and by address, and the triangles of prims."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from phalanx.facade import asset_root
from phalanx.facade import stage as stages
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.utils import assets, mesh
from phalanx.io.formats.usd.bindings import Gf, Usd, UsdGeom

pytest.importorskip("pxr", reason="usd-core is not installed (pip install 'phalanx[isaac]')")


SERVED = "https://somewhere.example/Assets/Isaac/4.5/Isaac/IsaacLab/Robots/box.usda"
BOX = """#usda 1.0
(
    defaultPrim = "Box"
    metersPerUnit = 1
    upAxis = "Z"
)
def Cube "Box"
{
    double size = 0.5
}
"""


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch):
    """No folder of assets, and a new stage."""
    monkeypatch.delenv(asset_root.VARIABLE, raising=False)
    stages.new_stage()
    yield
    for name in asset_root.SETTINGS:
        get_settings().destroy_item(name)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of assets with one file, and what it is called by."""
    file = tmp_path / "Isaac" / "IsaacLab" / "Robots" / "box.usda"
    file.parent.mkdir(parents=True)
    file.write_text(BOX)
    return tmp_path


def test_files_of_this_machine(tmp_path, monkeypatch):
    file = tmp_path / "gains.txt"
    file.write_bytes(b"1 2 3")
    monkeypatch.chdir(tmp_path)
    assert assets.check_file_path(str(file)) == 1 == assets.check_file_path("gains.txt")
    assert assets.retrieve_file_path("gains.txt", download_dir="elsewhere") == str(file)
    assert assets.read_file(f"file://{file}").read() == b"1 2 3"
    assert assets.check_file_path("none.txt") == 0 == assets.check_file_path(str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"none.txt' .the current folder is"):
        assets.retrieve_file_path("none.txt")
    assert not assets.check_usd_path_with_timeout("none.usd") and assets.check_usd_path_with_timeout("gains.txt")


def test_addresses_without_a_folder_say_where_to_put_the_file(tmp_path):
    assert assets.check_file_path(SERVED) == 0
    message = "not fetched; put it at <folder>/Isaac/IsaacLab/Robots/box.usda .* PHALANX_ASSET_ROOT, or the setting"
    for use in (
        lambda: assets.retrieve_file_path(SERVED),
        lambda: assets.read_file(SERVED),
        lambda: sim_utils.UsdFileCfg(usd_path=SERVED).func("/World/Box", sim_utils.UsdFileCfg(usd_path=SERVED)),
        lambda: sim_utils.add_reference_to_stage(SERVED, "/World/Box"),
    ):
        with pytest.raises(FileNotFoundError, match=message):
            use()
    with pytest.raises(FileNotFoundError, match="not fetched; download it, and give the path of the file"):
        assets.read_file("https://example.org/robot.usd")
    assert not stages.get_stage().GetPrimAtPath("/World/Box")
    get_settings().set(asset_root.SETTINGS[0], str(tmp_path))
    with pytest.raises(FileNotFoundError, match=f"put it at '{tmp_path}/Isaac/IsaacLab/Robots/box.usda'"):
        assets.read_file(SERVED)


@pytest.mark.parametrize("how", ["variable", "cloud", "default"])
def test_addresses_are_files_below_the_folder(folder, monkeypatch, how):
    if how == "variable":
        get_settings().set(asset_root.SETTINGS[0], "/not/this/one")
        monkeypatch.setenv(asset_root.VARIABLE, f"{folder}/")
    else:
        get_settings().set(f"/persistent/isaac/asset_root/{how}", str(folder))
    assert asset_root.asset_root() == str(folder)
    file = str(folder / "Isaac/IsaacLab/Robots/box.usda")
    assert assets.check_file_path(SERVED) == 2 and assets.retrieve_file_path(SERVED) == file
    cfg = sim_utils.UsdFileCfg(usd_path=SERVED)
    assert cfg.func("/World/Box", cfg).GetAttribute("size").Get() == 0.5
    assert sim_utils.add_reference_to_stage(SERVED, "/World/Other").GetAttribute("size").Get() == 0.5
    assert sim_utils.open_stage(SERVED) and stages.get_stage().GetRootLayer().realPath == file


def test_directories_are_those_of_the_folder_when_first_imported(folder, monkeypatch):
    monkeypatch.setenv(asset_root.VARIABLE, str(folder))
    monkeypatch.delitem(sys.modules, assets.__name__)
    import importlib

    again = importlib.import_module(assets.__name__)
    monkeypatch.setitem(sys.modules, assets.__name__, assets)
    assert str(folder) == again.NUCLEUS_ASSET_ROOT_DIR
    assert f"{folder}/Isaac/IsaacLab" == again.ISAACLAB_NUCLEUS_DIR
    assert f"{folder}/NVIDIA" == again.NVIDIA_NUCLEUS_DIR
    assert again.check_file_path(f"{again.ISAACLAB_NUCLEUS_DIR}/Robots/box.usda") == 2
    # Without a folder they are addresses, which mean files below a folder that is given later.
    assert assets.ISAAC_NUCLEUS_DIR.endswith("/Isaac")
    assert again.check_file_path(f"{asset_root.NOWHERE}/Isaac/IsaacLab/Robots/box.usda") == 2


HOUSE = """#usda 1.0
(
    defaultPrim = "House"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "House"
{{
    def "Box" (prepend references = @{served}@) {{}}
    def "Room" (prepend payload = @./room.usda@) {{}}
}}
"""
ROOM = """#usda 1.0
(
    defaultPrim = "Room"
)
def Xform "Room"
{
    def "Box" (prepend references = @omniverse://localhost/NVIDIA/ROBOTS/box.usda@) {}
    def "Gone" (prepend references = @https://somewhere.example/ROBOTS/gone.usda@) {}
    def "Odd" (prepend references = @https://somewhere.example/../../ROBOTS/box.usda@) {}
}
""".replace("ROBOTS", "Assets/Isaac/2023.1.1/Isaac/IsaacLab/Robots")


@pytest.mark.parametrize("how", ["spawned", "referred to", "opened"])
def test_files_that_refer_to_a_server(how, folder, tmp_path, monkeypatch, caplog):
    """What they name is found in the folder of assets; they stay as they are, and what is missing is told."""
    monkeypatch.setenv(asset_root.VARIABLE, str(folder))
    own = tmp_path / "own"
    own.mkdir()
    house = own / f"{how.replace(' ', '_')}.usda"
    house.write_text(HOUSE.format(served=SERVED))
    (own / "room.usda").write_text(ROOM)
    if how == "spawned":
        sim_utils.UsdFileCfg(usd_path=str(house)).func("/House", sim_utils.UsdFileCfg(usd_path=str(house)))
    elif how == "referred to":
        sim_utils.add_usd_reference("/House", str(house))
    else:
        assert stages.open_stage(str(house))
    stage = stages.get_stage()
    for name in ("Box", "Room/Box"):
        prim = stage.GetPrimAtPath(f"/House/{name}")
        assert prim.GetTypeName() == "Cube" and prim.GetAttribute("size").Get() == 0.5
    assert "gone.usda, and gets nothing: files on servers are not fetched; put it at" in caplog.text
    assert not stage.GetPrimAtPath("/House/Room/Odd").GetTypeName()
    assert not any(layer.dirty for layer in stage.GetUsedLayers() if layer.realPath.startswith(str(own)))


def test_references_follow_the_folder_of_assets(folder, tmp_path, monkeypatch):
    other = tmp_path / "other"
    (other / "Isaac" / "IsaacLab" / "Robots").mkdir(parents=True)
    (other / "Isaac" / "IsaacLab" / "Robots" / "box.usda").write_text(BOX.replace("0.5", "0.25"))
    for root, size in ((folder, 0.5), (other, 0.25)):
        monkeypatch.setenv(asset_root.VARIABLE, str(root))
        stages.new_stage()
        house = tmp_path / f"house_{size}.usda"
        house.write_text(HOUSE.format(served=SERVED))
        sim_utils.add_usd_reference("/House", str(house))
        assert stages.get_stage().GetPrimAtPath("/House/Box").GetAttribute("size").Get() == size


def test_polygons_become_triangles():
    corners, counts = np.array([0, 1, 2, 3, 4, 5, 6, 7, 1, 0, 4]), np.array([4, 2, 5])
    found = mesh.convert_faces_to_triangles(corners, counts)
    assert found.tolist() == [[0, 1, 2], [0, 2, 3], [6, 7, 1], [6, 1, 0], [6, 0, 4]]
    with pytest.raises(ValueError, match="have 6 corners, but there are 11 indices"):
        mesh.convert_faces_to_triangles(corners, np.array([4, 2]))


@pytest.mark.parametrize("orientation", ["rightHanded", "leftHanded"])
def test_a_mesh_prim_has_the_volume_that_it_has(orientation):
    cube = UsdGeom.Mesh.Define(stages.get_stage(), "/Cube")
    cube.AddScaleOp().Set(Gf.Vec3f(2, 2, 2))
    points = [(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)]
    quads = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]
    cube.CreatePointsAttr(points)
    cube.CreateFaceVertexCountsAttr([4] * 6)
    cube.CreateFaceVertexIndicesAttr(quads if orientation == "rightHanded" else quads[::-1])
    cube.CreateOrientationAttr(orientation)
    found = mesh.create_trimesh_from_geom_mesh(cube.GetPrim())
    assert found.volume == pytest.approx(6.0) and found.is_watertight
    assert found.vertices.tolist() == np.array(points).tolist()
    cube.CreateFaceVertexIndicesAttr([*quads[:-1], 8])
    with pytest.raises(ValueError, match="</Cube>: faceVertexIndices must be from 0 to 7"):
        mesh.create_trimesh_from_geom_mesh(cube.GetPrim())
    cube.CreatePointsAttr([])
    with pytest.raises(ValueError, match="</Cube> has no points or no faces"):
        mesh.create_trimesh_from_geom_mesh(cube.GetPrim())
    with pytest.raises(TypeError, match="</Plane> is of type 'Plane', not a Mesh"):
        mesh.create_trimesh_from_geom_mesh(UsdGeom.Plane.Define(stages.get_stage(), "/Plane").GetPrim())


@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
@pytest.mark.parametrize("kind", mesh.PRIMITIVE_MESH_TYPES)
def test_shapes_fill_their_extent(kind, axis):
    shape = getattr(UsdGeom, kind).Define(stages.get_stage(), "/Shape")
    sizes = {"Plane": {"width": 0.6, "length": 0.4}, "Cube": {"size": 0.3}, "Sphere": {"radius": 0.2}}
    for name, value in sizes.get(kind, {"radius": 0.2, "height": 0.9}).items():
        shape.GetPrim().GetAttribute(name).Set(value)
    if kind not in ("Cube", "Sphere"):
        shape.CreateAxisAttr(axis)
    found = mesh.create_trimesh_from_geom_shape(shape.GetPrim())
    extent = UsdGeom.Boundable.ComputeExtentFromPlugins(shape, Usd.TimeCode.Default())
    assert found.bounds == pytest.approx(np.array(extent), abs=1e-6)
    if kind == "Plane":
        assert found.face_normals == pytest.approx(np.tile(np.eye(3)["XYZ".index(axis)], (2, 1)))
        return
    round_volume = np.pi * 0.2**2 * 0.9
    volumes = {"Cube": 0.027, "Sphere": np.pi * 4 / 3 * 0.2**3, "Cylinder": round_volume, "Cone": round_volume / 3,
               "Capsule": round_volume + np.pi * 4 / 3 * 0.2**3}  # fmt: skip
    assert found.volume == pytest.approx(volumes[kind], rel=0.03)
    if kind == "Cone":  # the apex points along the axis
        assert found.center_mass["XYZ".index(axis)] == pytest.approx(-0.25 * 0.9, rel=1e-3)


def test_other_prims_are_no_shapes():
    with pytest.raises(KeyError, match="is of type 'Xform'; there are triangles of Plane, Cube"):
        mesh.create_trimesh_from_geom_shape(UsdGeom.Xform.Define(stages.get_stage(), "/A").GetPrim())
