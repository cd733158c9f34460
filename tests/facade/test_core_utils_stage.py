"""isaacsim.core.utils on the stage: boxes, frames, cameras, files of assets, rays."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from phalanx.facade import asset_root
from phalanx.facade import stage as stages
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaacsim.core.utils import (
    bounds,
    collisions,
    extensions,
    mesh,
    nucleus,
    physics,
    prims,
    random,
    render_product,
    rotations,
    transformations,
    viewports,
)
from phalanx.facade.omni import client
from phalanx.io.formats.usd.bindings import UsdGeom

pytest.importorskip("pxr", reason="usd-core is not installed (pip install 'phalanx[isaac]')")


@pytest.fixture(autouse=True)
def stage():
    """A new stage."""
    return stages.new_stage()


def wxyz(rotation: Rotation) -> np.ndarray:
    """A quaternion (w, x, y, z)."""
    return rotation.as_quat(scalar_first=True)


def same(found: np.ndarray, expected: Rotation) -> None:
    """A quaternion that means a rotation."""
    assert (Rotation.from_quat(found, scalar_first=True).inv() * expected).magnitude() < 1e-7


# -- prims ---------------------------------------------------------------------------------------------------------


def cube(path: str, angle: float = 0.0, **place: Any) -> None:
    """A cube of length 1, turned about z by an angle in degrees."""
    turn = wxyz(Rotation.from_euler("z", angle, degrees=True))
    prims.create_prim(path, "Cube", attributes={"size": 1.0}, orientation=turn.tolist(), **place)


def test_boxes_around_prims(stage):
    cube("/World/Cube")
    prims.create_prim("/World/Sphere", "Sphere", translation=(-0.5, 0.5, 0.5), attributes={"radius": 0.5})
    bounds.recompute_extents(stage.GetPrimAtPath("/World/Sphere"))
    cache = bounds.create_bbox_cache()
    assert bounds.compute_aabb(cache, "/World/Cube").tolist() == [-0.5, -0.5, -0.5, 0.5, 0.5, 0.5]
    both = bounds.compute_combined_aabb(cache, ["/World/Cube", "/World/Sphere"])
    assert both == pytest.approx([-1, -0.5, -0.5, 0.5, 1, 1])
    assert bounds.compute_aabb(cache, "/World", include_children=True) == pytest.approx(both)
    signs = [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    assert bounds.compute_obb_corners(cache, "/World/Cube").tolist() == signs
    cube("/Turned", angle=45, scale=(1, 1, 2))
    cache, root = bounds.create_bbox_cache(), math.sqrt(0.5)
    assert bounds.compute_aabb(cache, "/Turned") == pytest.approx([-root, -root, -1, root, root, 1])
    centre, axes, half = bounds.compute_obb(cache, "/Turned")
    assert centre == pytest.approx(np.zeros(3)) and half.tolist() == [0.5] * 3
    assert axes == pytest.approx(np.array([[root, root, 0], [-root, root, 0], [0, 0, 2]]))
    with pytest.raises(ValueError, match=r"</A> of type 'Xform' is no UsdGeom.Boundable"):
        bounds.recompute_extents(prims.create_prim("/A"))
    with pytest.raises(ValueError, match="there is none"):
        bounds.compute_aabb(cache, "/World/Nothing")


def test_extents_follow_shapes(stage):
    prims.create_prim("/A", "Xform")
    cube("/A/Cube")
    prim = stage.GetPrimAtPath("/A/Cube")
    prim.GetAttribute("extent").Set([(-9, -9, -9), (9, 9, 9)])
    prim.GetAttribute("size").Set(4.0)
    bounds.recompute_extents(stage.GetPrimAtPath("/A"), include_children=True)
    assert [tuple(corner) for corner in prim.GetAttribute("extent").Get()] == [(-2, -2, -2), (2, 2, 2)]


def test_frames_of_prims(stage):
    cube("/Source", angle=90, translation=(1, 2, 3), scale=(2, 2, 2))
    cube("/Target", angle=-30, translation=(0, 1, 0))
    source, target = stage.GetPrimAtPath("/Source"), stage.GetPrimAtPath("/Target")
    turn = [Rotation.from_euler("z", angle, degrees=True) for angle in (90, -30)]
    point = np.array([0.1, 0.2, 0.3])
    in_world = turn[0].apply(2 * point) + [1, 2, 3]
    in_target = turn[1].inv().apply(in_world - [0, 1, 0])
    assert transformations.get_translation_from_target(point, source, target) == pytest.approx(in_target)
    matrix = transformations.get_relative_transform(source, target)
    assert matrix @ [*point, 1.0] == pytest.approx([*in_target, 1.0])
    tilt = Rotation.from_euler("x", 20, degrees=True)
    position, quat = transformations.get_world_pose_from_relative(source, point, wxyz(tilt))
    assert position == pytest.approx(in_world)
    same(quat, turn[0] * tilt)
    unscaled = transformations.get_transform_with_normalized_rotation(matrix)
    same(transformations.pose_from_tf_matrix(unscaled)[1], turn[1].inv() * turn[0])

    pose = transformations.tf_matrix_from_pose(point, wxyz(tilt))
    assert pose == pytest.approx(transformations.tf_matrices_from_poses([point], [wxyz(tilt)])[0])
    plane = UsdGeom.Mesh.Define(stage, "/Source/Mesh")
    plane.CreatePointsAttr([tuple(point.tolist()), (0, 0, 0)])
    assert mesh.get_mesh_vertices_relative_to(plane, target)[0] == pytest.approx(in_target, abs=1e-6)
    with pytest.raises(ValueError, match="</Target> has no points"):
        mesh.get_mesh_vertices_relative_to(target, source)


def test_random_places_are_in_view_of_the_camera(stage):
    np.random.seed(0)
    camera = UsdGeom.Camera.Define(stage, "/World/Camera").GetPrim()
    viewports.set_camera_view(np.array([3.0, -1.0, 2.0]), np.array([0.0, 1.0, 0.5]), "/World/Camera")
    cube("/World/Frame", angle=90)
    frame = stage.GetPrimAtPath("/World/Frame")
    view, fraction = (1.0, 0.6), 0.5
    found = [
        random.get_random_world_pose_in_view(
            camera, 1.0, 2.0, *view, fraction, frame, np.array([0, 0, -0.1]), np.array([0, 0, 0.1])
        )
        for _ in range(200)
    ]
    inside = np.linalg.inv(transformations.get_relative_transform(camera, stage.GetPseudoRoot()))
    seen = np.array([position for position, _ in found]) @ inside[:3, :3].T + inside[:3, 3]
    depth = -seen[:, 2]
    assert 1.0 <= depth.min() < 1.1 and 1.9 < depth.max() <= 2.0
    for axis in (0, 1):
        reach = np.abs(seen[:, axis] / depth) / math.tan(view[axis] / 2)
        assert 0.45 < reach.max() <= fraction + 1e-9
    angles = Rotation.from_quat([quat for _, quat in found], scalar_first=True).as_euler("xyz")
    assert np.abs(angles[:, :2]).max() < 1e-6 and np.abs(angles[:, 2] - math.pi / 2).max() <= 0.1 + 1e-6
    least, greatest = np.array([0.0, 5.0]), np.array([1.0, 5.0])
    values = np.array([random.get_random_values_in_range(least, greatest) for _ in range(100)])
    assert values[:, 0].min() >= 0 and values[:, 0].max() <= 1 and np.ptp(values[:, 0]) > 0.8
    assert (values[:, 1] == 5).all()
    with pytest.raises(ValueError, match="must be between 0 and pi"):
        random.get_random_translation_from_camera(1, 2, 4.0, 1.0, 0.5)


def test_cameras(stage):
    class Window:
        def get_active_camera(self):
            return "/World/Camera"

        def get_texture_resolution(self):
            return 640, 480

    with pytest.raises(ValueError, match="there is no camera at '/World/Camera'"):
        viewports.get_intrinsics_matrix(Window())
    prims.create_prim("/World", "Xform", translation=(0, 0, 5), scale=(2, 2, 2))
    camera = UsdGeom.Camera.Define(stage, "/World/Camera")
    given = np.array([[500.0, 0, 320], [0, 500.0, 240], [0, 0, 1]])
    viewports.set_intrinsics_matrix(Window(), given, 24.0)
    assert viewports.get_intrinsics_matrix(Window()) == pytest.approx(given)
    assert camera.GetFocalLengthAttr().Get() == 24.0
    with pytest.raises(ValueError, match="has shape"):
        viewports.set_intrinsics_matrix(Window(), np.eye(2))
    for eye in ([1.0, 2.0, 3.0], [0.0, 0.0, 9.0]):
        viewports.set_camera_view(np.array(eye), np.zeros(3), "/World/Camera")
        matrix = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(camera.GetPrim()))
        assert matrix[3, :3] == pytest.approx(eye)
        assert matrix[2, :3] / np.linalg.norm(matrix[2, :3]) == pytest.approx(
            np.array(eye) / np.linalg.norm(eye), abs=1e-6
        )
    viewports.set_camera_view(np.ones(3), np.zeros(3))
    assert not stage.GetPrimAtPath("/OmniverseKit_Persp") and viewports.get_viewport_names() == []
    with pytest.raises(NotImplementedError, match=r"viewports.backproject_depth"):
        viewports.backproject_depth(np.zeros((2, 2)), Window(), 1.0)


def test_render_products(stage):
    with pytest.raises(RuntimeError, match="'/Render/A' is no render product"):
        render_product.get_resolution("/Render/A")
    stage.DefinePrim("/Render/A", "RenderProduct")
    render_product.set_camera_prim_path("/Render/A", "/World/Camera")
    render_product.set_resolution("/Render/A", (320, 200))
    assert render_product.get_camera_prim_path("/Render/A") == "/World/Camera"
    assert render_product.get_resolution("/Render/A") == (320, 200)
    render_product.add_aov("/Render/A", "depth")
    (var,) = stage.GetPrimAtPath("/Render/A").GetRelationship("orderedVars").GetTargets()
    assert stage.GetPrimAtPath(var).GetAttribute("sourceName").Get() == "depth"
    with pytest.raises(RuntimeError, match="cannot be created"):
        render_product.add_aov("/Render/A", "no name")
    with pytest.raises(NotImplementedError, match="create_hydra_texture"):
        render_product.create_hydra_texture((1, 1), "/World/Camera")


# -- files and extensions ------------------------------------------------------------------------------------------


def test_folders_of_assets(tmp_path, monkeypatch):
    monkeypatch.delenv(asset_root.VARIABLE, raising=False)
    assert nucleus.get_assets_root_path() is None and nucleus.find_nucleus_server("/Isaac") == (False, "")
    assert nucleus.get_isaac_asset_root_path() is None and nucleus.build_server_list() == []
    assert not nucleus.is_file(f"{asset_root.NOWHERE}/Isaac/a.usd")
    monkeypatch.setenv(asset_root.VARIABLE, str(tmp_path))
    assert nucleus.verify_asset_root_path(str(tmp_path)) == (client.Result.ERROR_NOT_FOUND, "")
    assert nucleus.create_folder(str(tmp_path), "/Isaac/Robots") and not nucleus.create_folder("https://a.b", "c")
    (tmp_path / "Isaac/Robots/a.usd").write_bytes(b"abc")
    (tmp_path / "version.txt").write_text("5.1.0\n")
    file = str(tmp_path / "Isaac/Robots/a.usd")
    assert nucleus.get_assets_root_path() == str(tmp_path) == asyncio.run(nucleus.get_server_path_async("/Isaac"))
    assert nucleus.get_full_asset_path("/Isaac/Robots/a.usd") == file and nucleus.get_full_asset_path("/b") is None
    assert nucleus.get_isaac_asset_root_path() == str(tmp_path / "Isaac")
    assert nucleus.is_file(f"{asset_root.NOWHERE}/Isaac/Robots/a.usd") and nucleus.check_server(str(tmp_path), "Isaac")
    assert asyncio.run(nucleus.list_folder(str(tmp_path / "Isaac"))) == ([], [str(tmp_path / "Isaac/Robots")])
    assert asyncio.run(nucleus.recursive_list_folder(str(tmp_path / "Isaac"))) == [file]
    assert asyncio.run(nucleus.is_dir_async(str(tmp_path))) and not asyncio.run(nucleus.is_dir_async(file))
    assert nucleus.verify_asset_root_path(str(tmp_path)) == (client.Result.OK, "5.1.0")
    assert client.stat(file) == (client.Result.OK, client.ListEntry("a.usd", 3))
    assert bytes(client.read_file(f"{asset_root.NOWHERE}/Isaac/Robots/a.usd")[2]) == b"abc"
    assert client.read_file("none")[0] == client.Result.ERROR_NOT_FOUND == client.stat("https://a.b/c")[0]
    with pytest.raises(ValueError, match="name the folder below the root"):
        nucleus.delete_folder(str(tmp_path), "/")
    assert nucleus.delete_folder(str(tmp_path), "Isaac") and not (tmp_path / "Isaac").exists()
    assert not nucleus.delete_folder(str(tmp_path), "Isaac")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        asyncio.run(nucleus.list_folder(file))
    with pytest.raises(NotImplementedError, match="PHALANX_ASSET_ROOT"):
        asyncio.run(nucleus.download_assets_async("a", "b", print))
    assert nucleus.get_url_root("https://a.b/c/d") == "https://a.b" and nucleus.get_url_root("/a/b") == "/"
    version = nucleus.Version("5.1.0")
    assert version == (5, 1, 0) and version > nucleus.Version("4.12.3") and str(version) == "5.1.0"
    with pytest.raises(ValueError, match="must be three numbers"):
        nucleus.Version("5.1")


def test_extensions_are_modules_of_the_facade(caplog):
    assert extensions.enable_extension("isaacsim.core.utils") and extensions.enable_extension("omni.isaac.core.utils")
    assert extensions.get_extension_id("isaacsim.core.utils").startswith("isaacsim.core.utils-")
    path = extensions.get_extension_path(extensions.get_extension_id("isaacsim.core.utils"))
    assert (
        path.endswith("isaacsim/core/utils") and extensions.get_extension_path_from_name("isaacsim.core.utils") == path
    )
    with caplog.at_level("WARNING", "phalanx.facade"):
        assert not extensions.enable_extension("omni.kit.window.stage_of_this_test")
    assert "there is no 'omni.kit.window.stage_of_this_test' here" in caplog.text
    assert extensions.get_extension_id("omni.nothing") == "" and not extensions.disable_extension("isaacsim")
    with pytest.raises(ValueError, match=r"there is no extension 'omni.nothing' here"):
        extensions.get_extension_path_from_name("omni.nothing")


# -- the simulation ------------------------------------------------------------------------------------------------


def test_rays_and_steps(stage, device):
    with pytest.raises(RuntimeError, match="there is no simulation"):
        collisions.ray_cast(np.zeros(3), np.array([1, 0, 0, 0]), np.zeros(3))
    box = sim_utils.CuboidCfg(
        size=(0.4, 0.4, 0.4),
        rigid_props=sim_utils.RigidBodyPropertiesCfg(disable_gravity=True),
        collision_props=sim_utils.CollisionPropertiesCfg(),
    )
    with sim_utils.build_simulation_context(create_new_stage=False, device=device, dt=0.01) as sim:
        prims.create_prim("/World/envs/env_0", "Xform")
        prims.create_prim("/World/envs/env_1", "Xform", translation=(4, 0, 0))
        box.func("/World/envs/env_.*/Box", box, translation=(0.0, 0.0, 1.0))
        ground = sim_utils.GroundPlaneCfg()
        ground.func("/World/ground", ground)
        assert physics.get_rigid_body_enabled("/World/envs") is None
        physics.set_rigid_body_enabled(True, "/World/envs")
        assert physics.get_rigid_body_enabled("/World/envs/env_1/Box") is True
        sim.reset()
        ahead, down = np.array([1.0, 0, 0, 0]), rotations.euler_angles_to_quat(np.array([0, math.pi / 2, 0]))
        height = np.array([0.0, 0.0, 1.0])
        hit = collisions.ray_cast(np.array([-2.0, 0, 0]), ahead, height)
        assert hit == ("/World/envs/env_0/Box", pytest.approx(1.8, abs=1e-5))
        hit = collisions.ray_cast(np.array([6.0, 0, 1.0]), np.array([0.0, 0, 0, 1.0]), np.zeros(3))
        assert hit == ("/World/envs/env_1/Box", pytest.approx(1.8, abs=1e-5))
        path, distance = collisions.ray_cast(np.array([1.0, 1.0, 3.0]), down, np.array([0.5, 0.0, 0.0]))
        assert path is not None and path.startswith("/World/ground") and distance == pytest.approx(2.5, abs=1e-5)
        assert collisions.ray_cast(np.array([-2.0, 0, 1.0]), ahead, np.zeros(3), 1.5) == (None, 10000.0)
        calls = []
        asyncio.run(physics.simulate_async(0.05, 60, lambda: calls.append(sim.current_time)))
        assert calls == pytest.approx([0.01, 0.02, 0.03])
