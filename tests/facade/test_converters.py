"""Converters: URDF, MJCF and mesh files as USD, once, and as their configurations say."""

from __future__ import annotations

import logging
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr", reason="usd-core is not installed (pip install usd-core)")

import phalanx.facade.isaaclab.sim as sim_utils
from phalanx.facade.isaaclab.sim import schemas
from phalanx.facade.isaaclab.sim.converters import (
    MeshConverter,
    MeshConverterCfg,
    MjcfConverter,
    MjcfConverterCfg,
    UrdfConverter,
    UrdfConverterCfg,
)
from phalanx.facade.isaaclab.utils.io import load_yaml
from phalanx.facade.stage import make_stage, use_stage
from phalanx.io.formats.usd import load_robot, load_scene, read_stage
from phalanx.io.formats.usd.bindings import Usd, UsdGeom, UsdPhysics
from phalanx.io.reading.errors import LoadError
from phalanx.models.robot_model import RobotModel

Drive = UrdfConverterCfg.JointDriveCfg
PD = Drive.PDGainsCfg

URDF = """<robot name="arm">
<link name="base"><inertial><mass value="3"/><inertia ixx=".1" iyy=".1" izz=".1"/></inertial>
 <visual><geometry><box size=".2 .2 .2"/></geometry></visual></link>
<link name="upper"><inertial><origin xyz="0 0 .5"/><mass value="2"/><inertia ixx=".2" iyy=".2" izz=".1"/></inertial>
 <collision><origin xyz="0 0 .5"/><geometry><cylinder radius=".05" length="1"/></geometry></collision></link>
<link name="lower"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1"/></inertial></link>
<link name="finger"><inertial><mass value=".5"/><inertia ixx=".1" iyy=".1" izz=".1"/></inertial></link>
<link name="hull"><collision><geometry><box size=".1 .1 .1"/></geometry></collision></link>
<joint name="shoulder_joint" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
 <limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping=".5" friction=".2"/></joint>
<joint name="slide_joint" type="prismatic"><parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/>
 <limit lower="0" upper=".5" effort="100" velocity="1"/></joint>
<joint name="finger_joint" type="revolute"><parent link="lower"/><child link="finger"/>
 <limit lower="-1" upper="1" effort="5" velocity="2"/><mimic joint="shoulder_joint" multiplier=".5"/></joint>
<joint name="glue" type="fixed"><parent link="lower"/><child link="hull"/><origin xyz="0 0 .2"/></joint>
</robot>"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary files of conversions go with the test's."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def convert(folder: Path, **options: Any) -> tuple[UrdfConverter, RobotModel]:
    """The file above, converted and read again."""
    file = folder / "arm.urdf"
    file.write_text(URDF)
    drive = Drive(gains=PD(stiffness=100.0, damping=10.0))
    given = {"fix_base": True, "joint_drive": drive, "usd_dir": str(folder / "usd"), **options}
    made = UrdfConverter(UrdfConverterCfg(asset_path=str(file), **given))
    return made, load_robot(made.usd_path)


def test_robots_come_out_as_they_are(tmp_path: Path) -> None:
    made, model = convert(tmp_path)
    assert made.usd_path == str(tmp_path / "usd" / "arm.usd") and made.usd_dir == str(tmp_path / "usd")
    assert model.warnings == [] and model.name == "arm" and model.fixed_base and not model.self_collision
    assert [body.name for body in model.bodies] == ["base", "upper", "lower", "finger"]
    joints = {joint.name: joint for joint in model.joints}
    assert joints.keys() == {"shoulder_joint", "slide_joint", "finger_joint"}
    shoulder = joints["shoulder_joint"]
    assert (shoulder.lower, shoulder.upper, shoulder.velocity_limit) == pytest.approx((-1.0, 2.0, 4.0))
    assert (shoulder.damping, shoulder.friction) == pytest.approx((0.0, 0.2))
    assert joints["finger_joint"].mimic is not None and "finger_joint" in model.drives
    drive = model.drives["shoulder_joint"]
    assert (drive.stiffness, drive.damping, drive.effort_limit) == pytest.approx((100.0, 10.0, 30.0))
    drive = model.drives["slide_joint"]
    assert (drive.stiffness, drive.damping, drive.effort_limit) == pytest.approx((100.0, 10.0, 100.0))
    stage = Usd.Stage.Open(made.usd_path)
    assert stage.GetDefaultPrim().GetPath() == "/arm" and UsdGeom.GetStageUpAxis(stage) == "Z"
    stiffness = stage.GetPrimAtPath("/arm/joints/shoulder_joint").GetAttribute("drive:angular:physics:stiffness").Get()
    assert stiffness == pytest.approx(100.0 * math.pi / 180.0)
    assert stage.GetPrimAtPath("/arm/base/visuals").IsInstance()


def test_fixed_joints_are_merged_if_wanted(tmp_path: Path) -> None:
    merged = {body.name: body for body in convert(tmp_path, link_density=500.0)[1].bodies}
    model = convert(tmp_path, merge_fixed_joints=False, link_density=500.0)[1]
    whole = {body.name: body for body in model.bodies}
    assert set(whole) - set(merged) == {"hull"} and whole["hull"].mass == pytest.approx(0.5)
    assert merged["lower"].mass == pytest.approx(1.0) and len(merged["lower"].collisions) == 1
    assert merged["lower"].collisions[0].position == pytest.approx((0.0, 0.0, 0.2))
    model = convert(tmp_path, merge_fixed_joints=False)[1]
    assert {body.name: body.mass for body in model.bodies}["hull"] == pytest.approx(1.0)


def test_joints_that_say_so_keep_fixed_bodies_apart(tmp_path: Path) -> None:
    """Feet of quadrupeds are such links: contact sensors and rewards name them."""
    file = tmp_path / "kept.urdf"
    for value, is_kept in (("true", True), ("false", False)):
        file.write_text(URDF.replace('name="glue" type="fixed"', f'name="glue" type="fixed" dont_collapse="{value}"'))
        made = UrdfConverter(UrdfConverterCfg(str(file), fix_base=True, joint_drive=None, force_usd_conversion=True))
        model = load_robot(made.usd_path)
        assert {"base", "upper", "lower", "finger"} | ({"hull"} if is_kept else set()) == {b.name for b in model.bodies}
        assert [j.name for j in model.joints if j.type == "fixed"] == (["glue"] if is_kept else [])


def test_the_configuration_changes_what_it_names(tmp_path: Path) -> None:
    options = {"self_collision": True, "fix_base": False, "convert_mimic_joints_to_normal_joints": True}
    options |= {"replace_cylinders_with_capsules": True, "collision_from_visuals": True, "make_instanceable": False}
    made, model = convert(tmp_path, **options)
    assert model.self_collision and not model.fixed_base
    assert all(joint.mimic is None for joint in model.joints)
    bodies = {body.name: body for body in model.bodies}
    assert [shape.kind for shape in bodies["upper"].collisions] == ["capsule"]
    assert [shape.kind for shape in bodies["base"].collisions] == ["box"] and not bodies["finger"].collisions
    assert model.drives["finger_joint"].stiffness == pytest.approx(100.0)
    stage = Usd.Stage.Open(made.usd_path)
    assert not stage.GetPrimAtPath("/arm/base/visuals").IsInstance()
    model = convert(tmp_path, root_link_name="lower")[1]
    assert model.root == "lower"


def test_meshes_become_hulls_or_parts(tmp_path: Path) -> None:
    mesh(tmp_path / "mesh.obj")
    file = tmp_path / "one.urdf"
    file.write_text(
        '<robot name="one"><link name="a"><collision><geometry><mesh filename="mesh.obj"/></geometry></collision>'
        "</link></robot>"
    )
    for collider in ("convex_hull", "convex_decomposition"):
        cfg = UrdfConverterCfg(asset_path=str(file), fix_base=False, joint_drive=None, collider_type=collider)
        (shape,) = load_robot(UrdfConverter(cfg).usd_path).bodies[0].collisions
        assert shape.approximation == collider


def gains(model: RobotModel) -> dict[str, tuple[float, float]]:
    return {name: (drive.stiffness, drive.damping) for name, drive in model.drives.items()}


def test_drives_by_expressions_and_kinds(tmp_path: Path) -> None:
    drive = Drive(
        gains=PD(stiffness={".*": 10.0, "slide.*": 20.0}, damping={"slide_joint": 3.0}),
        target_type={"shoulder_joint": "velocity", "slide_joint": "position"},
    )
    found = gains(convert(tmp_path, joint_drive=drive)[1])
    assert found["shoulder_joint"] == pytest.approx((0.0, 10.0)) and found["slide_joint"] == pytest.approx((20.0, 3.0))
    drive = Drive(gains=PD(stiffness=None), drive_type={"slide_joint": "acceleration"}, target_type="position")
    made, model = convert(tmp_path, joint_drive=drive)
    assert gains(model)["shoulder_joint"] == pytest.approx((0.0, 0.5))
    stage = Usd.Stage.Open(made.usd_path)
    kinds = [
        stage.GetPrimAtPath(f"/arm/joints/{name}").GetAttribute(f"drive:{instance}:physics:type").Get()
        for name, instance in (("shoulder_joint", "angular"), ("slide_joint", "linear"))
    ]
    assert kinds == ["force", "acceleration"]
    model = convert(tmp_path, joint_drive=Drive(gains=PD(stiffness=5.0, damping=1.0), target_type="none"))[1]
    assert set(gains(model).values()) == {(0.0, 0.0)} and model.drives["shoulder_joint"].effort_limit == 30.0
    model = convert(tmp_path, joint_drive=None)[1]
    assert {joint.name: joint.damping for joint in model.joints}["shoulder_joint"] == pytest.approx(0.5)


def test_gains_by_natural_frequency(tmp_path: Path) -> None:
    cfg = Drive.NaturalFrequencyGainsCfg(natural_frequency=4.0, damping_ratio=0.5)
    found = gains(convert(tmp_path, joint_drive=Drive(gains=cfg), merge_fixed_joints=False)[1])
    moved = 1.0 + 0.5  # what slides: lower and finger; the hull has no mass in the file
    assert found["slide_joint"] == pytest.approx((moved * 16.0, 2.0 * moved * 4.0 * 0.5))
    moved = (0.2 + 2.0 * 0.25) + (0.1 + 1.0) + (0.1 + 0.5)  # about y through the base, all at zero
    assert found["shoulder_joint"] == pytest.approx((moved * 16.0, 2.0 * moved * 4.0 * 0.5))
    made, _ = convert(tmp_path, joint_drive=Drive(gains=cfg, drive_type="acceleration"))
    stage = Usd.Stage.Open(made.usd_path)
    prim = stage.GetPrimAtPath("/arm/joints/slide_joint")
    assert prim.GetAttribute("drive:linear:physics:stiffness").Get() == 16.0


def test_mistakes_in_drives_are_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"gains.stiffness: the expression 'knee.\*' matches no joint"):
        convert(tmp_path, joint_drive=Drive(gains=PD(stiffness={"knee.*": 1.0})))
    with pytest.raises(ValueError, match=r"target_type of 'shoulder_joint' is 'torque'"):
        convert(tmp_path, joint_drive=Drive(gains=PD(stiffness=1.0), target_type={"shoulder.*": "torque"}))  # pyright: ignore
    with pytest.raises(TypeError, match=r"joint_drive\.gains\.stiffness"):
        convert(tmp_path, joint_drive=Drive())
    with pytest.raises(TypeError, match="fix_base"):
        UrdfConverter(UrdfConverterCfg(asset_path=str(tmp_path / "arm.urdf"), joint_drive=None))
    with pytest.raises(ValueError, match="asset path does not exist"):
        UrdfConverter(UrdfConverterCfg(asset_path=str(tmp_path / "x.urdf"), fix_base=True, joint_drive=None))
    with pytest.raises(ValueError, match="no body of the robot"):
        convert(tmp_path, root_link_name="hand")
    assert not (tmp_path / "usd" / ".asset_hash").exists()


def test_nothing_is_converted_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    convert_ = UrdfConverter._convert_asset
    monkeypatch.setattr(UrdfConverter, "_convert_asset", lambda self, cfg: (calls.append(1), convert_(self, cfg))[1])
    made, _ = convert(tmp_path)
    folder = Path(made.usd_dir)
    assert len(calls) == 1 and (folder / ".asset_hash").read_text()
    kept = load_yaml(str(folder / "config.yaml"))
    assert kept["joint_drive"]["gains"] == {"stiffness": 100.0, "damping": 10.0} and kept["fix_base"] is True
    assert "Generated by UrdfConverter" in (folder / "config.yaml").read_text()
    convert(tmp_path)
    assert len(calls) == 1
    convert(tmp_path, force_usd_conversion=True)
    assert len(calls) == 2
    convert(tmp_path, self_collision=True)
    assert len(calls) == 3
    convert(tmp_path, self_collision=True, usd_file_name="other.usda")
    assert len(calls) == 4 and (folder / "other.usda").read_text().startswith("#usda")
    file = tmp_path / "arm.urdf"
    file.write_text(URDF.replace('mass value="3"', 'mass value="4"'))
    drive = Drive(gains=PD(stiffness=100.0, damping=10.0))
    cfg = UrdfConverterCfg(asset_path=str(file), fix_base=True, joint_drive=drive, usd_dir=str(folder))
    found = load_robot(UrdfConverter(cfg).usd_path)
    assert len(calls) == 5 and found.bodies[0].mass == pytest.approx(4.0)
    cfg.usd_dir = None
    folders = {UrdfConverter(cfg).usd_dir for _ in range(2)}
    assert len(folders) == 2


def test_urdf_files_are_spawned(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(URDF)
    cfg = sim_utils.UrdfFileCfg(
        asset_path=str(file),
        fix_base=True,
        joint_drive=Drive(gains=PD(stiffness=7.0)),
        rigid_props=schemas.RigidBodyPropertiesCfg(linear_damping=0.25),
        articulation_props=schemas.ArticulationRootPropertiesCfg(enabled_self_collisions=True),
    )
    stage = make_stage()
    with use_stage(stage):
        for n in range(2):
            cfg.func(f"/World/Robot_{n}", cfg, translation=(0.0, 3.0 * n, 0.5))
        one, two = read_stage(stage).actors.values()
    for n, actor in enumerate((one, two)):
        model = actor.model
        assert actor.kind == "robot" and model.fixed_base and model.self_collision
        assert model.position == pytest.approx((0.0, 3.0 * n, 0.5)) and model.options["linear_damping"] == 0.25
        assert model.drives["slide_joint"].stiffness == pytest.approx(7.0)


def test_moving_links_without_mass_get_it_from_their_shapes(tmp_path: Path) -> None:
    """Propellers and wheels of many files: Isaac Sim takes 1,000 kg/m^3, or the density of the configuration."""
    file = tmp_path / "fan.urdf"
    file.write_text(
        """<robot name="fan">
        <link name="base"><inertial><mass value="3"/><inertia ixx=".1" iyy=".1" izz=".1"/></inertial></link>
        <link name="prop"><collision><geometry><box size=".2 .1 .01"/></geometry></collision></link>
        <joint name="spin" type="continuous"><parent link="base"/><child link="prop"/><axis xyz="0 0 1"/></joint>
        </robot>"""
    )
    for density, mass in ((0.0, 0.2), (50.0, 0.01)):
        cfg = UrdfConverterCfg(asset_path=str(file), fix_base=True, joint_drive=None, link_density=density)
        prop = load_robot(UrdfConverter(cfg).usd_path).bodies[1]
        assert prop.name == "prop" and prop.mass == pytest.approx(mass)
        np.testing.assert_allclose(np.diag(prop.inertia), mass / 12 * np.array([0.0101, 0.0401, 0.05]), rtol=1e-5)
    file.write_text(file.read_text().replace("<collision>", "<visual>").replace("</collision>", "</visual>"))
    with pytest.raises(LoadError, match='moves link "prop"'):
        UrdfConverter(UrdfConverterCfg(asset_path=str(file), fix_base=True, joint_drive=None))


MJCF = """<mujoco model="legs"><worldbody><body name="torso" pos="0 0 1">{}<geom size=".2"/><site name="imu"/>
<body name="leg" pos="0 0 -.3"><joint name="hip" axis="0 1 0" range="-30 60" damping="2" armature=".1"/>
<geom type="capsule" size=".05 .2"/></body></body></worldbody>
<actuator><position joint="hip" kp="40" kv="3" forcerange="-8 8"/></actuator></mujoco>"""


def test_missing_drawn_meshes_of_urdf_files_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A robot without a picture can be simulated, unless its pictures shall collide."""
    file = tmp_path / "robot.urdf"
    file.write_text(URDF.replace('<box size=".2 .2 .2"/>', '<mesh filename="gone.stl"/>'))
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        UrdfConverter(UrdfConverterCfg(str(file), fix_base=True, joint_drive=None))
    assert sum("gone.stl" in record.message for record in caplog.records) == 1
    with pytest.raises(LoadError, match=r"gone\.stl"):
        UrdfConverter(UrdfConverterCfg(str(file), fix_base=True, joint_drive=None, collision_from_visuals=True))


def test_mjcf_files(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "legs.xml"
    file.write_text(MJCF.format("<freejoint/>"))
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        made = MjcfConverter(MjcfConverterCfg(asset_path=str(file), fix_base=False, usd_dir=str(tmp_path / "usd")))
    assert sum("sites are not imported" in record.message for record in caplog.records) == 1
    model = load_robot(made.usd_path)
    assert model.warnings == [] and not model.fixed_base and not model.self_collision
    assert [body.name for body in model.bodies] == ["torso", "leg"] and model.position == pytest.approx((0, 0, 1))
    assert model.bodies[0].mass == pytest.approx(4000.0 * math.pi / 3.0 * 0.2**3)
    (hip,) = model.joints
    assert (hip.lower, hip.upper) == pytest.approx((-math.pi / 6, math.pi / 3))
    assert (hip.damping, hip.armature) == pytest.approx((2.0, 0.1))
    drive = model.drives["hip"]
    assert (drive.stiffness, drive.damping, drive.effort_limit) == pytest.approx((40.0, 3.0, 8.0))
    cfg = MjcfConverterCfg(asset_path=str(file), fix_base=True, self_collision=True, import_inertia_tensor=False)
    fixed = load_robot(MjcfConverter(cfg).usd_path)
    assert fixed.fixed_base and fixed.self_collision
    for mine, other in zip(fixed.bodies, model.bodies, strict=True):
        np.testing.assert_allclose(mine.inertia, other.inertia, rtol=1e-5, atol=1e-7)


def test_robots_that_a_joint_holds_stay_held(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "legs.xml"
    file.write_text(MJCF.format('<joint name="rail" type="slide" axis="1 0 0"/>'))
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        made = MjcfConverter(MjcfConverterCfg(asset_path=str(file), fix_base=False))
    assert any("base is fixed" in record.message for record in caplog.records)
    model = load_robot(made.usd_path)
    assert model.fixed_base and [joint.name for joint in model.joints] == ["rail", "hip"]


def mesh(file: Path) -> None:
    """A box of 1 x 2 x 3 m as OBJ."""
    import trimesh

    file.write_text(str(trimesh.creation.box((1.0, 2.0, 3.0)).export(file_type="obj")))


@pytest.mark.parametrize("instanceable", [True, False])
def test_mesh_files(tmp_path: Path, instanceable: bool) -> None:
    file = tmp_path / "my box.obj"
    mesh(file)
    cfg = MeshConverterCfg(
        asset_path=str(file),
        usd_dir=str(tmp_path / "usd"),
        make_instanceable=instanceable,
        mass_props=schemas.MassPropertiesCfg(mass=2.0),
        rigid_props=schemas.RigidBodyPropertiesCfg(linear_damping=0.5),
        collision_props=schemas.CollisionPropertiesCfg(contact_offset=0.02),
        translation=(0.0, 0.0, 1.0),
        rotation=(math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)),
        scale=(0.1, 0.1, 0.1),
    )
    made = MeshConverter(cfg)
    shared = Path(made.usd_dir) / made.usd_instanceable_meshes_path
    assert shared.is_file() == instanceable
    scene = load_scene(made.usd_path)
    (actor,) = scene.actors.values()
    assert scene.warnings == [] and (actor.name, actor.kind) == ("my_box", "dynamic")
    (body,) = actor.model.bodies
    assert body.mass == 2.0 and body.com == pytest.approx((0.0, 0.0, 1.0))
    np.testing.assert_allclose(np.diag(body.inertia), [2 / 12 * s for s in (0.1, 0.13, 0.05)], rtol=1e-5)
    (shape,) = body.collisions
    assert shape.vertices is not None and shape.approximation == "convex_decomposition"
    np.testing.assert_allclose(np.ptp(shape.vertices, axis=0), (0.2, 0.1, 0.3), atol=1e-7)
    assert shape.contact_offset == pytest.approx(0.02) and actor.model.options["linear_damping"] == 0.5
    stage = Usd.Stage.Open(made.usd_path)
    prim = stage.GetPrimAtPath("/my_box/geometry")
    assert prim.IsInstance() == instanceable and prim.GetTypeName() == "Xform"


def test_what_stands_for_meshes(tmp_path: Path) -> None:
    file = tmp_path / "box.obj"
    mesh(file)
    common: dict[str, Any] = {"asset_path": str(file), "make_instanceable": False, "usd_dir": str(tmp_path)}

    def approximation(**options: Any) -> Any:
        stage = Usd.Stage.Open(MeshConverter(MeshConverterCfg(**common, **options)).usd_path)
        prim = stage.GetPrimAtPath("/box/geometry/mesh")
        assert not stage.GetPrimAtPath("/box").HasAPI(UsdPhysics.RigidBodyAPI)
        found = UsdPhysics.MeshCollisionAPI(prim).GetApproximationAttr().Get()
        return found if prim.HasAPI(UsdPhysics.CollisionAPI) else None

    collides = schemas.CollisionPropertiesCfg()
    assert approximation() is None
    assert approximation(collision_props=collides) == "convexDecomposition"
    assert approximation(collision_props=collides, collision_approximation="boundingCube") == "boundingCube"
    hull = schemas.ConvexHullPropertiesCfg()
    assert approximation(collision_props=collides, mesh_collision_props=hull) == "convexHull"
    with pytest.raises(ValueError, match="collision_approximation='round' is unknown"):
        approximation(collision_props=collides, collision_approximation="round")
