"""Robots of URDF and MJCF files on the stage, by commands: what is written, and how it moves."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facade.isaacsim.core_scenes import host

from phalanx.facade import stage
from phalanx.facade.isaacsim.asset.importer.urdf import _urdf
from phalanx.facade.isaacsim.core.prims import SingleArticulation
from phalanx.facade.isaacsim.core.utils import articulations
from phalanx.facade.isaacsim.core.utils.extensions import get_extension_path_from_name
from phalanx.facade.isaacsim.core.utils.prims import find_matching_prim_paths
from phalanx.facade.omni.ext import ExtensionManager
from phalanx.facade.omni.kit.commands import execute
from phalanx.facade.pxr import PhysicsSchemaTools
from phalanx.io.formats.usd.bindings import Usd, UsdGeom, UsdPhysics

LINK = (
    '<link name="{}"><inertial><origin xyz="0 0 0.5"/><mass value="2"/>'
    '<inertia ixx="0.2" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
    '<collision><origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 1"/></geometry></collision></link>'
)
ARM = (
    f'<robot name="arm">{LINK.format("base")}{LINK.format("upper")}<link name="tip"/>'
    '<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>'
    '<limit lower="-1" upper="1" effort="500" velocity="30"/><dynamics damping="0.4" friction="0"/></joint>'
    '<joint name="fix" type="fixed"><parent link="upper"/><child link="tip"/><origin xyz="0 0 1"/></joint></robot>'
)
SLIDER = (
    '<mujoco model="slider"><worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0"/>'
    '<geom type="box" size="0.1 0.1 0.1" mass="3"/></body></worldbody></mujoco>'
)


@pytest.fixture
def urdf(tmp_path: Path) -> str:
    file = tmp_path / "arm.urdf"
    file.write_text(ARM)
    return str(file)


def drive(path: str) -> Any:
    return UsdPhysics.DriveAPI.Get(stage.get_stage().GetPrimAtPath(path), "angular")


def test_a_robot_of_a_file(urdf):
    _, config = execute("URDFCreateImportConfig")
    assert (config.merge_fixed_joints, config.fix_base, config.density) == (True, True, 0.0)
    assert execute("URDFParseAndImportFile", urdf_path=urdf, import_config=config) == (True, "/arm")
    there = stage.get_stage()
    assert not there.GetPrimAtPath("/arm/tip") and not there.GetDefaultPrim()
    assert there.GetPrimAtPath("/arm/upper").HasAPI(UsdPhysics.RigidBodyAPI)
    made = drive("/arm/joints/shoulder")
    assert (made.GetTypeAttr().Get(), made.GetMaxForceAttr().Get()) == ("acceleration", 500.0)
    assert made.GetStiffnessAttr().Get() == pytest.approx(625.0)  # of 25 rad/s, in USD's units
    assert made.GetDampingAttr().Get() == pytest.approx(0.4)
    config.set_merge_fixed_joints(False)
    config.fix_base, config.make_default_prim, config.create_physics_scene = False, True, True
    _, second = execute("URDFParseAndImportFile", urdf_path=urdf, import_config=config, get_articulation_root=True)
    assert second.startswith("/arm_01") and there.GetPrimAtPath(second).HasAPI(UsdPhysics.ArticulationRootAPI)
    assert there.GetPrimAtPath("/arm_01/tip") and str(there.GetDefaultPrim().GetPath()) == "/arm_01"
    assert there.GetPrimAtPath("/physicsScene").IsA(UsdPhysics.Scene)


def test_a_robot_of_a_file_in_a_file(urdf, tmp_path):
    place = tmp_path / "deep" / "arm.usd"
    assert execute("URDFParseAndImportFile", urdf_path=urdf, dest_path=str(place)) == (True, "/arm")
    assert not stage.get_stage().GetPrimAtPath("/arm")
    made = Usd.Stage.Open(str(place))
    assert str(made.GetDefaultPrim().GetPath()) == "/arm" and made.GetPrimAtPath("/arm/joints/shoulder")


def test_kinds_of_drives(urdf):
    config = _urdf.ImportConfig()
    config.override_joint_dynamics = True
    robot = _urdf.acquire_urdf_interface().parse_urdf(str(Path(urdf).parent), "arm.urdf", config)
    shoulder = robot.joints["shoulder"]
    # 2 kg at 0.5 m, and 0.2 kg m^2 about the centre of mass.
    assert shoulder.joint_inertia == pytest.approx(0.2 + 2.0 * 0.25)
    assert shoulder.drive.damping == pytest.approx(2 * 0.005 * 25.0 * shoulder.joint_inertia)
    assert (shoulder.limit.lower, shoulder.limit.upper, robot.links["upper"].mass) == (-1.0, 1.0, 2.0)
    config.set_default_drive_type(_urdf.JOINT_DRIVE_VELOCITY)
    execute("URDFParseAndImportFile", urdf_path=urdf, import_config=config)
    made = drive("/arm/joints/shoulder")
    assert (made.GetStiffnessAttr().Get(), made.GetDampingAttr().Get()) == (0.0, pytest.approx(1000.0))
    config.default_drive_type = _urdf.JOINT_DRIVE_NONE
    _, robot = execute("URDFParseText", urdf_string=ARM, import_config=config)
    assert robot.joints["shoulder"].drive.strength == 0.0


def test_what_is_set_moves_as_set(urdf, world):
    """A critically damped drive of accelerations: x = target (1 - (1 + w t) exp(-w t)), whatever it moves."""
    _, robot = execute("URDFParseFile", urdf_path=urdf)
    rate, target = 10.0, 20.0  # rad/s, degrees
    robot.joints["shoulder"].drive.set_strength(rate**2 * math.pi / 180.0)
    robot.joints["shoulder"].drive.set_damping(2 * rate * math.pi / 180.0)
    _, path = execute("URDFImportRobot", urdf_path=urdf, urdf_robot=robot)
    world.get_physics_context().set_gravity(0.0)
    world.get_physics_context().set_physics_dt(0.001)
    arm = SingleArticulation(path)
    drive(f"{path}/joints/shoulder").GetTargetPositionAttr().Set(target)
    world.reset()
    arm.initialize()
    start = world.current_time
    for _ in range(150):
        world.step(render=False)
    t = world.current_time - start
    expected = math.radians(target) * (1 - (1 + rate * t) * math.exp(-rate * t))
    assert host(arm.get_joint_positions())[0] == pytest.approx(expected, rel=0.02)


def test_an_mjcf_file(tmp_path):
    file = tmp_path / "slider.xml"
    file.write_text(SLIDER)
    _, config = execute("MJCFCreateImportConfig")
    config.set_self_collision(True)
    assert execute("MJCFCreateAsset", mjcf_path=str(file), import_config=config, prim_path="/cart_robot")[0]
    there = stage.get_stage()
    assert any(prim.GetTypeName() == "PhysicsPrismaticJoint" for prim in there.Traverse())
    assert str(there.GetDefaultPrim().GetPath()) == "/cart_robot" and there.GetPrimAtPath("/physicsScene")
    cart = next(prim for prim in there.Traverse() if prim.GetName() == "cart")
    assert UsdPhysics.MassAPI(cart).GetMassAttr().Get() == pytest.approx(3.0)


def test_what_cannot_be_imported_is_told(urdf):
    with pytest.raises(FileNotFoundError, match="URDF file not found"):
        execute("URDFParseAndImportFile", urdf_path="/nowhere/arm.urdf")
    config = _urdf.ImportConfig()
    with pytest.raises(AttributeError, match="has no 'fixed_base'; there are merge_fixed_joints"):
        config.fixed_base = True
    with pytest.raises(AttributeError, match="has no 'set_fixed_base'"):
        config.set_fixed_base(True)
    config.distance_scale = 100.0
    with pytest.raises(ValueError, match="distance_scale is 100"):
        execute("URDFParseAndImportFile", urdf_path=urdf, import_config=config)
    config.distance_scale, config.up_vector = 1.0, (0.0, 1.0, 0.0)
    with pytest.raises(ValueError, match="up_vector"):
        execute("URDFParseAndImportFile", urdf_path=urdf, import_config=config)


def test_ground_planes_of_the_tools():
    there = stage.get_stage()
    path = PhysicsSchemaTools.addGroundPlane(there, "/ground", "Z", 15.0, (0, 0, -0.25), (0.5, 0.5, 0.5))
    plane = UsdGeom.Plane(there.GetPrimAtPath(f"{path}/CollisionPlane"))
    assert plane.GetAxisAttr().Get() == "Z" and plane.GetPrim().HasAPI(UsdPhysics.CollisionAPI)
    mesh = UsdGeom.Mesh(there.GetPrimAtPath(f"{path}/CollisionMesh"))
    np.testing.assert_allclose(mesh.GetExtentAttr().Get(), [[-15, -15, 0], [15, 15, 0]])
    world = UsdGeom.Xformable(plane).ComputeLocalToWorldTransform(0)
    np.testing.assert_allclose(world.ExtractTranslation(), [0, 0, -0.25])
    with pytest.raises(ValueError, match="'X', 'Y' or 'Z'"):
        PhysicsSchemaTools.addGroundPlane(there, "/other", "W", 1.0, (0, 0, 0), (1, 1, 1))
    number = PhysicsSchemaTools.sdfPathToInt("/World/a")
    assert PhysicsSchemaTools.intToSdfPath(number) == "/World/a"
    assert PhysicsSchemaTools.decodeSdfPath(*PhysicsSchemaTools.encodeSdfPath("/World/b")) == "/World/b"


def test_files_of_extensions(tmp_path, monkeypatch):
    name = "isaacsim.asset.importer.urdf"
    monkeypatch.setenv("PHALANX_ASSET_ROOT", str(tmp_path))
    manager = ExtensionManager()
    assert Path(get_extension_path_from_name(name)).parts[-3:] == ("asset", "importer", "urdf")
    kept = tmp_path / "exts" / name
    kept.mkdir(parents=True)
    assert get_extension_path_from_name(name) == str(kept)
    assert manager.get_extension_path(manager.get_enabled_extension_id(name)) == str(kept)


def test_prims_that_hold_whole_articulations(urdf):
    _, config = execute("URDFCreateImportConfig")
    for name in ("one", "two"):
        there = stage.get_stage()
        UsdGeom.Xform.Define(there, f"/World/{name}")
        there.SetDefaultPrim(there.GetPrimAtPath(f"/World/{name}"))
        execute("URDFParseAndImportFile", urdf_path=urdf, import_config=config)
    both = ["/World/one/arm", "/World/two/arm"]
    assert articulations.find_all_articulation_base_paths() == both
    root = next(
        prim for prim in Usd.PrimRange(there.GetPrimAtPath("/World/one")) if prim.HasAPI(UsdPhysics.ArticulationRootAPI)
    )
    upper = there.GetPrimAtPath("/World/one/arm/upper")
    articulations.move_articulation_root(root, upper)
    assert upper.HasAPI(UsdPhysics.ArticulationRootAPI) and not root.HasAPI(UsdPhysics.ArticulationRootAPI)
    assert articulations.find_all_articulation_base_paths() == both
    articulations.move_articulation_root(upper, there.GetPrimAtPath("/World"))
    assert articulations.find_all_articulation_base_paths() == ["/World/two/arm"]
    articulations.move_articulation_root(upper, root)
    assert not root.HasAPI(UsdPhysics.ArticulationRootAPI)  # upper was none any more
    assert len(find_matching_prim_paths("/World/.*/arm/upper", "")) == 2
