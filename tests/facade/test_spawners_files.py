"""Assets from files on the stage, and different ones in different environments."""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pxr", reason="usd-core is not installed (pip install usd-core)")

import usd_files as usd

import phalanx
import phalanx.facade.isaaclab.sim as sim_utils
from phalanx.facade.stage import make_stage, use_stage
from phalanx.io.formats.usd import read_stage
from phalanx.io.formats.usd.bindings import Usd, UsdGeom, UsdPhysics, UsdShade

ARM = usd.prim(
    "Xform",
    "arm",
    usd.body("base")
    + usd.body("link", place=(0.5, 0.0, 0.0))
    + usd.joint("RevoluteJoint", "hinge", "/arm/base", "/arm/link", "point3f physics:localPos0 = (0.5, 0, 0)"),
    "PhysicsArticulationRootAPI",
    (0.0, 0.0, 7.0),
)


@pytest.fixture(autouse=True)
def stage() -> Iterator[Any]:
    """An empty stage, current during the test."""
    made = make_stage()
    with use_stage(made):
        yield made


def save(folder: Path, body: str, name: str, default: str | None, **units: Any) -> str:
    """A USD file with a default prim."""
    text = usd.text(body, **units)
    if default is not None:
        text = text.replace("(\n", f'(\n defaultPrim = "{default}"\n', 1)
    file = folder / name
    file.write_text(text)
    return str(file)


@pytest.fixture
def arm(tmp_path: Path) -> str:
    """A file with a robot, drawn at (0, 0, 7)."""
    return save(tmp_path, ARM, "arm.usda", "arm")


def box(edge: float, name: str = "box") -> str:
    """A rigid body with a cube."""
    inside = usd.prim("Cube", "shape", f"double size = {edge}", "PhysicsCollisionAPI")
    return usd.prim("Xform", name, inside, "PhysicsRigidBodyAPI")


def test_a_robot_of_a_file_with_other_properties(stage, arm):
    cfg = sim_utils.UsdFileCfg(
        usd_path=arm,
        rigid_props=sim_utils.RigidBodyPropertiesCfg(linear_damping=0.5, max_depenetration_velocity=3.0),
        collision_props=sim_utils.CollisionPropertiesCfg(contact_offset=0.02),
        mass_props=sim_utils.MassPropertiesCfg(mass=4.0),
        articulation_props=sim_utils.ArticulationRootPropertiesCfg(enabled_self_collisions=False, fix_root_link=True),
        joint_drive_props=sim_utils.JointDrivePropertiesCfg(stiffness=20.0, damping=2.0, max_velocity=1.5),
        visual_material=sim_utils.PreviewSurfaceCfg(diffuse_color=(1.0, 0.0, 0.0)),
        activate_contact_sensors=True,
    )
    prim = cfg.func("/World/robot", cfg, translation=(1.0, 0.0, 0.5))
    (actor,) = read_stage(stage).actors.values()
    model = actor.model
    assert actor.path == "/World/robot" and str(prim.GetPath()) == actor.path
    assert model.position == pytest.approx((1.0, 0.0, 0.5)) and model.fixed_base and not model.self_collision
    assert [body.mass for body in model.bodies] == [4.0, 4.0]
    assert all(body.collisions[0].contact_offset == pytest.approx(0.02) for body in model.bodies)
    assert (model.options["linear_damping"], model.options["max_depenetration_velocity"]) == (0.5, 3.0)
    drive = model.drives["hinge"]
    assert (drive.stiffness, drive.damping) == pytest.approx((20.0, 2.0), rel=1e-6)
    assert model.joints[0].velocity_limit == pytest.approx(1.5, rel=1e-6)
    bound = UsdShade.MaterialBindingAPI(stage.GetPrimAtPath("/World/robot/base/ball")).ComputeBoundMaterial()[0]
    assert str(bound.GetPath()) == "/World/robot/material"
    link = stage.GetPrimAtPath("/World/robot/link")
    assert "PhysxContactReportAPI" in link.GetPrimTypeInfo().GetAppliedAPISchemas()
    assert "4" not in Path(arm).read_text()  # the file stays as it was


def test_without_more_said_it_is_as_in_the_file(stage, arm, caplog):
    cfg = sim_utils.UsdFileCfg(usd_path=arm)
    cfg.func("/World/robot", cfg)
    model = next(iter(read_stage(stage).actors.values())).model
    assert model.position == pytest.approx((0.0, 0.0, 7.0)) and not model.drives and not model.fixed_base
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        cfg = sim_utils.UsdFileCfg(usd_path=arm, mass_props=sim_utils.MassPropertiesCfg(mass=2.0))
        cfg.func("/World/robot", cfg, translation=(5.0, 0.0, 0.0))
    assert "A prim already exists at prim path: '/World/robot'" in caplog.text
    model = next(iter(read_stage(stage).actors.values())).model
    assert model.position == pytest.approx((0.0, 0.0, 7.0)) and model.bodies[0].mass == 2.0


def test_a_urdf_file(stage, tmp_path):
    gains = sim_utils.UrdfConverterCfg.JointDriveCfg.PDGainsCfg(stiffness=10.0, damping=1.0)
    cfg = sim_utils.UrdfFileCfg(
        asset_path=str(Path(phalanx.__file__).parent / "robots" / "double_pendulum.urdf"),
        usd_dir=str(tmp_path),
        fix_base=True,
        joint_drive=sim_utils.UrdfConverterCfg.JointDriveCfg(gains=gains),
        rigid_props=sim_utils.RigidBodyPropertiesCfg(linear_damping=0.25),
    )
    prim = cfg.func("/World/robot", cfg, translation=(1.0, 2.0, 3.0))
    (actor,) = read_stage(stage).actors.values()
    model = actor.model
    assert actor.path.startswith(str(prim.GetPath())) and model.fixed_base
    assert model.position == pytest.approx((1.0, 2.0, 3.0)) and model.options["linear_damping"] == 0.25
    assert [drive.stiffness for drive in model.drives.values()] == pytest.approx([10.0, 10.0], rel=1e-6)


def test_files_that_are_not_there_or_of_no_use(stage, tmp_path):
    two = save(tmp_path, box(1.0, "a") + box(1.0, "b"), "two.usda", None)
    broken = tmp_path / "broken.usda"
    broken.write_text("not USD")
    for path, error, message in (
        (str(tmp_path / "none.usd"), FileNotFoundError, "none.usd"),
        ("omniverse://server/robot.usd", FileNotFoundError, "files on servers are not fetched"),
        (two, ValueError, "no default prim and 2 roots"),
        (str(broken), ValueError, "not a readable USD file"),
    ):
        cfg = sim_utils.UsdFileCfg(usd_path=path)
        with pytest.raises(error, match=message):
            cfg.func("/World/thing", cfg)
    many: Any = "many"
    fixed = sim_utils.ArticulationRootPropertiesCfg(solver_position_iteration_count=many)
    cfg = sim_utils.UsdFileCfg(usd_path=save(tmp_path, ARM, "arm.usda", "arm"), articulation_props=fixed)
    with pytest.raises(TypeError, match="solverPositionIterationCount = 'many'"):
        cfg.func("/World/thing", cfg)
    assert not stage.GetPrimAtPath("/World/thing").IsValid()


def test_scale_units_and_a_file_without_a_default_prim(stage, tmp_path):
    metres = save(tmp_path, box(1.0), "metres.usda", None)
    centimetres = save(tmp_path, box(100.0), "centimetres.usda", "box", metres=0.01)
    y_up = save(tmp_path, box(1.0).replace("double size = 1.0", "double size = 1.0\nfloat3 xformOp:scale = (1, 3, 1)\n"
                'uniform token[] xformOpOrder = ["xformOp:scale"]'), "y.usda", "box", up="Y")  # fmt: skip
    for n, (path, scale) in enumerate(((metres, (1.0, 2.0, 3.0)), (centimetres, None), (y_up, None))):
        cfg = sim_utils.UsdFileCfg(usd_path=path, scale=scale)
        cfg.func(f"/World/box_{n}", cfg, translation=(0.0, 0.0, float(n)))
    scaled, small, upright = (actor.model for actor in read_stage(stage).actors.values())
    assert scaled.bodies[0].collisions[0].size == pytest.approx((0.5, 1.0, 1.5))
    assert small.bodies[0].collisions[0].size == pytest.approx((0.5, 0.5, 0.5))
    assert small.position == pytest.approx((0.0, 0.0, 1.0))
    assert upright.bodies[0].collisions[0].size == pytest.approx((0.5, 1.5, 0.5))
    assert upright.orientation == pytest.approx((math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0), abs=1e-6)


def test_a_prim_of_a_file_keeps_its_type(stage, tmp_path):
    cube = usd.prim("Cube", "cube", "double size = 0.5", "PhysicsRigidBodyAPI PhysicsCollisionAPI")
    cfg = sim_utils.UsdFileCfg(usd_path=save(tmp_path, cube, "cube.usda", "cube"))
    assert cfg.func("/World/cube", cfg).GetTypeName() == "Cube"
    (actor,) = read_stage(stage).actors.values()
    assert actor.model.bodies[0].collisions[0].size == pytest.approx((0.25, 0.25, 0.25))


def test_variants(stage, tmp_path, caplog):
    cube = 'def Cube "shape" ( prepend apiSchemas = ["PhysicsCollisionAPI"] ) {\n double size = %s\n}\n'
    text = 'def Xform "tool" (\n prepend variantSets = "size"\n variants = {\n string size = "small"\n }\n)\n'
    text += '{\nvariantSet "size" = {\n"small" {\n' + cube % 1 + '}\n"large" {\n' + cube % 4 + "}\n}\n}\n"
    cfg = sim_utils.UsdFileCfg(usd_path=save(tmp_path, text, "tool.usda", "tool"), variants={"size": "large"})
    cfg.func("/World/tool", cfg)
    ((shape,),) = [one.model.bodies[0].collisions for one in read_stage(stage).actors.values()]
    assert shape.size == pytest.approx((2.0, 2.0, 2.0))
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        cfg.variants = {"size": "huge"}
        cfg.func("/World/other", cfg)
    assert "huge" in caplog.text


def test_a_ground_of_a_file(stage, tmp_path):
    plane = usd.prim("Xform", "room", usd.prim("Plane", "floor", 'uniform token axis = "Z"', "PhysicsCollisionAPI"))
    material = sim_utils.RigidBodyMaterialCfg(static_friction=0.875)
    cfg = sim_utils.GroundPlaneCfg(usd_path=save(tmp_path, plane, "room.usda", "room"), physics_material=material)
    cfg.func("/World/ground", cfg, translation=(0.0, 0.0, 0.25))
    (ground,) = read_stage(stage).grounds
    assert ground.distance == pytest.approx(0.25) and ground.material["static_friction"] == 0.875
    cfg.usd_path = save(tmp_path, box(1.0), "box.usda", "box")
    with pytest.raises(ValueError, match="has no Plane"):
        cfg.func("/World/other", cfg)
    assert not stage.GetPrimAtPath("/World/other").IsValid()


def environments(count: int) -> None:
    """Parents for what is spawned."""
    for n in range(count):
        sim_utils.create_prim(f"/World/envs/env_{n}", translation=(2.0 * n, 0.0, 0.0))


def shapes(stage: Any) -> list[str]:
    """The kind of shape of each actor, in order."""
    return [actor.model.bodies[0].collisions[0].kind for actor in read_stage(stage).actors.values()]


def assets() -> list[sim_utils.SpawnerCfg]:
    """A ball, a box and a rod; the ball has a mass of its own."""
    return [
        sim_utils.SphereCfg(radius=0.1, mass_props=sim_utils.MassPropertiesCfg(mass=9.0)),
        sim_utils.CuboidCfg(size=(0.1, 0.2, 0.3), semantic_tags=[("class", "box")]),
        sim_utils.CylinderCfg(radius=0.1, height=0.4, physics_material=sim_utils.RigidBodyMaterialCfg()),
    ]


def test_assets_take_turns(stage):
    environments(7)
    cfg = sim_utils.MultiAssetSpawnerCfg(
        assets_cfg=assets(),
        random_choice=False,
        rigid_props=sim_utils.RigidBodyPropertiesCfg(linear_damping=0.25),
        collision_props=sim_utils.CollisionPropertiesCfg(),
        mass_props=sim_utils.MassPropertiesCfg(mass=1.0),
        activate_contact_sensors=True,
        semantic_tags=[("task", "lift")],
    )
    prim = cfg.func("/World/envs/env_.*/thing", cfg, translation=(0.0, 0.0, 1.0))
    assert str(prim.GetPath()) == "/World/envs/env_0/thing"
    assert shapes(stage) == ["sphere", "box", "cylinder"] * 2 + ["sphere"]
    for n, actor in enumerate(read_stage(stage).actors.values()):
        assert actor.path == f"/World/envs/env_{n}/thing"
        assert actor.model.position == pytest.approx((2.0 * n, 0.0, 1.0))
        assert actor.model.bodies[0].mass == 1.0 and actor.model.options["linear_damping"] == 0.25
        thing = stage.GetPrimAtPath(actor.path)
        assert "PhysxContactReportAPI" in thing.GetPrimTypeInfo().GetAppliedAPISchemas()
        labels = {"task": ["lift"], "class": ["box"]} if n % 3 == 1 else {"task": ["lift"]}
        assert sim_utils.get_labels(thing) == labels
    rod = stage.GetPrimAtPath("/World/envs/env_5/thing/geometry/mesh")
    bound = UsdShade.MaterialBindingAPI(rod).ComputeBoundMaterial("physics")[0]
    assert str(bound.GetPath()) == "/World/envs/env_5/thing/geometry/material"
    assert not stage.GetPrimAtPath("/World/Template").IsValid()
    given: Any = cfg.assets_cfg[0]
    assert given.mass_props.mass == 9.0 and given.rigid_props is None and given.semantic_tags is None
    with pytest.raises(ValueError, match="A prim already exists"):
        cfg.func("/World/envs/env_.*/thing", cfg)


def test_assets_at_random(stage):
    environments(60)
    cfg = sim_utils.MultiAssetSpawnerCfg(assets_cfg=assets(), collision_props=sim_utils.CollisionPropertiesCfg())
    random.seed(3)
    cfg.func("/World/envs/env_.*/thing", cfg)
    first = shapes(stage)
    assert set(first) == {"sphere", "box", "cylinder"} and first != (["sphere", "box", "cylinder"] * 20)
    cfg.func("/World/one", cfg)
    assert len(shapes(stage)) == 61
    empty = sim_utils.MultiAssetSpawnerCfg(assets_cfg=[])
    with pytest.raises(ValueError, match="no assets"):
        empty.func("/World/none", empty)
    with pytest.raises(ValueError, match="no prim that matches"):
        cfg.func("/World/rooms/room_.*/thing", cfg)


def test_an_asset_that_fails_leaves_nothing(stage):
    environments(2)
    bad = [*assets(), sim_utils.UsdFileCfg(usd_path="/nowhere/robot.usd")]
    cfg = sim_utils.MultiAssetSpawnerCfg(assets_cfg=bad)
    with pytest.raises(FileNotFoundError):
        cfg.func("/World/envs/env_.*/thing", cfg)
    assert not stage.GetPrimAtPath("/World/Template").IsValid()
    assert not stage.GetPrimAtPath("/World/envs/env_0/thing").IsValid()


def test_files_take_turns(stage, tmp_path):
    files = [save(tmp_path, box(edge), f"box{n}.usda", "box") for n, edge in enumerate((1.0, 2.0))]
    environments(3)
    cfg = sim_utils.MultiUsdFileCfg(
        usd_path=files, random_choice=False, rigid_props=sim_utils.RigidBodyPropertiesCfg(angular_damping=0.5)
    )
    cfg.func("/World/envs/env_.*/box", cfg, orientation=(0.0, 0.0, 0.0, 1.0))
    models = [actor.model for actor in read_stage(stage).actors.values()]
    assert [model.bodies[0].collisions[0].size[0] for model in models] == pytest.approx([0.5, 1.0, 0.5])
    assert all(model.options["angular_damping"] == 0.5 for model in models)
    assert all(model.orientation == pytest.approx((0.0, 0.0, 0.0, 1.0)) for model in models)
    single = sim_utils.MultiUsdFileCfg(usd_path=files[1])
    single.func("/World/single", single)
    assert UsdGeom.Xform(stage.GetPrimAtPath("/World/single"))


def test_an_mjcf_file(stage, tmp_path):
    """As UrdfFileCfg, with other files: properties that are given change what was converted."""
    file = tmp_path / "leg.xml"
    file.write_text(
        '<mujoco model="leg"><worldbody><body name="torso"><freejoint/><geom size=".2" mass="3"/>'
        '<body name="shank" pos="0 0 -.3"><joint name="knee" axis="0 1 0" range="-60 30"/>'
        '<geom type="capsule" fromto="0 0 0 0 0 -.3" size=".05" mass="1"/></body></body></worldbody></mujoco>'
    )
    cfg = sim_utils.MjcfFileCfg(
        asset_path=str(file),
        usd_dir=str(tmp_path / "usd"),
        fix_base=False,
        rigid_props=sim_utils.RigidBodyPropertiesCfg(linear_damping=0.25),
    )
    prim = cfg.func("/World/robot", cfg, translation=(1.0, 2.0, 3.0))
    (actor,) = read_stage(stage).actors.values()
    model = actor.model
    assert actor.path.startswith(str(prim.GetPath())) and not model.fixed_base
    assert model.position == pytest.approx((1.0, 2.0, 3.0)) and model.options["linear_damping"] == 0.25
    assert [body.mass for body in model.bodies] == pytest.approx([3.0, 1.0])
    assert [one.upper for one in model.joints if one.name == "knee"] == pytest.approx([math.radians(30.0)], rel=1e-6)


def test_contacts_that_give_way(stage, arm, caplog):
    cfg = sim_utils.UsdFileWithCompliantContactCfg(
        usd_path=arm,
        compliant_contact_stiffness=100.0,
        compliant_contact_damping=3.0,
        physics_material_prim_path=["link", "/World/robot/base"],
    )
    prim = cfg.func("/World/robot", cfg)
    for name in ("link", "base"):
        child = next(one for one in Usd.PrimRange(prim.GetChild(name)) if one.HasAPI(UsdPhysics.CollisionAPI))
        material = UsdShade.MaterialBindingAPI(child).ComputeBoundMaterial("physics")[0].GetPrim()
        assert str(material.GetPath()) == f"/World/robot/{name}/compliant_material"
        assert material.GetAttribute("physxMaterial:compliantContactStiffness").Get() == 100.0
        assert material.GetAttribute("physxMaterial:compliantContactDamping").Get() == 3.0
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        plain = sim_utils.UsdFileWithCompliantContactCfg(usd_path=arm, compliant_contact_stiffness=1.0)
        plain.func("/World/plain", plain)
    assert "contacts stay as in the file" in caplog.text
