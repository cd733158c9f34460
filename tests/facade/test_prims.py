"""Creating, placing, changing, moving and deleting prims, their attributes, labels and variants."""

from __future__ import annotations

import importlib
import logging
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr", reason="usd-core is not installed (pip install 'phalanx[isaac]')")

from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaacsim.core.utils import prims, semantics, xforms
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, Stage, Usd, UsdGeom, UsdPhysics, UsdShade

TURN = (0.5, 0.5, -0.5, 0.5)  # by 120 degrees


@pytest.fixture(autouse=True)
def stage() -> Iterator[Stage]:
    """A new stage, current during the test."""
    with utils.use_stage(utils.create_new_stage_in_memory()):
        yield utils.get_current_stage()


@pytest.fixture
def panda(stage, tmp_path) -> str:
    """A file with a robot, whose default prim has two bodies, a joint and two variants; and its path as a reference."""
    file = Usd.Stage.CreateNew(str(tmp_path / "panda.usda"))
    UsdGeom.SetStageMetersPerUnit(file, 1.0)
    root = UsdGeom.Xform.Define(file, "/panda").GetPrim()
    file.SetDefaultPrim(root)
    UsdPhysics.ArticulationRootAPI.Apply(root)
    for name in ("link0", "link1"):
        UsdPhysics.RigidBodyAPI.Apply(UsdGeom.Cube.Define(file, f"/panda/{name}").GetPrim())
    joint = UsdPhysics.RevoluteJoint.Define(file, "/panda/joint")
    joint.CreateBody0Rel().SetTargets(["/panda/link0"])
    joint.CreateBody1Rel().SetTargets(["/panda/link1"])
    variants = root.GetVariantSets().AddVariantSet("gripper")
    for name in ("none", "large"):
        variants.AddVariant(name)
        variants.SetVariantSelection(name)
        with variants.GetVariantEditContext():
            root.CreateAttribute("gripper:kind", Sdf.ValueTypeNames.Token).Set(name)
    file.Save()
    return str(tmp_path / "panda.usda")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def close(found: Any, expected: Any) -> bool:
    return np.allclose(np.asarray(found, dtype=float), expected, atol=1e-12)


def local(prim: Prim) -> np.ndarray:
    return np.array(UsdGeom.Xformable(prim).GetLocalTransformation())


# -- places ----------------------------------------------------------------------------------------------------------


def test_prims_are_created_where_they_belong(stage):
    parent = utils.create_prim("/World/Parent", translation=(1, 0, 0), orientation=TURN, scale=(2.0, 2.0, 2.0))
    assert parent.GetTypeName() == "Xform" and utils.validate_standard_xform_ops(parent)
    assert not utils.validate_standard_xform_ops(parent.GetStage().GetPrimAtPath("/none"))
    cube = utils.create_prim(
        "/World/Parent/Cube",
        "Cube",
        position=np.array([1.0, 0.5, 0.0]),
        orientation=[1.0, 0.0, 0.0, 0.0],
        attributes={"size": np.float32(2.0)},
        semantic_label="box",
    )
    position, orientation = utils.resolve_prim_pose(cube)
    assert close(position, (1.0, 0.5, 0.0)) and close(np.abs(orientation), (1, 0, 0, 0))
    assert cube.GetAttribute("size").Get() == 2.0 and utils.get_labels(cube) == {"class": ["box"]}
    assert close(utils.resolve_prim_scale(cube), (2, 2, 2))
    position, orientation = utils.resolve_prim_pose(cube, parent)
    assert close(np.linalg.norm(position), 0.5), "scale of the reference is not in the position"
    ball = utils.create_prim("/World/Parent/Ball", "Sphere", position=(1.0, 0.5, 0.0))
    assert close(utils.resolve_prim_pose(ball)[0], (1.0, 0.5, 0.0))
    assert close(xforms.get_local_pose("/World/Parent/Ball")[1], (1, 0, 0, 0)), "no orientation given: the parent's"
    assert utils.create_prim("/World/Looks", "Scope").GetTypeName() == "Scope"
    assert utils.create_prim("/World/S", attributes={"visibility": "invisible"}, stage=stage).IsValid()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prim_path": "Cube"}, "'Cube' is not global"),
        ({"prim_path": "/World/a-b"}, "'/World/a-b' is no path of a prim"),
        ({"prim_path": "/World/Cube.size"}, "is no path of a prim"),
        ({"prim_path": "/World"}, "already exists at prim path '/World'"),
        ({"prim_path": "/A", "position": (0, 0, 0), "translation": (0, 0, 0)}, "give either position= .* or trans"),
        ({"prim_path": "/A", "translation": (0, 0)}, r"translation=\(0, 0\): must be 3 finite numbers"),
        ({"prim_path": "/A", "scale": (1, 1, math.nan)}, "scale=.*must be 3 finite"),
        ({"prim_path": "/A", "orientation": (0, 0, 0, 0)}, "of length 1"),
        ({"prim_path": "/A", "attributes": {"radios": 1.0}}, "'/A' of type 'Xform' has no attribute 'radios'"),
    ],
)
def test_wrong_prims_are_told(arguments, message):
    utils.create_prim("/World")
    with pytest.raises(ValueError, match=message):
        utils.create_prim(**arguments)
    assert [str(prim.GetPath()) for prim in utils.traverse_stage()] == ["/World"], "nothing is left of it"


def test_operations_become_standard(stage, rng):
    for number in range(20):
        shape = UsdGeom.Cube.Define(stage, f"/World/Cube_{number}")
        angles, sizes = rng.uniform(-180, 180, 3), rng.uniform(0.2, 3.0, 3) * (-1 if number % 3 == 0 else 1)
        if number % 2:
            shape.AddTransformOp().Set(
                Gf.Matrix4d(1.0).SetScale(2.0) * Gf.Matrix4d(1.0).SetTranslate(Gf.Vec3d(1, 2, 3))
            )
        shape.AddTranslateOp(opSuffix="pivot").Set(Gf.Vec3d(*rng.normal(size=3)))
        shape.AddRotateXYZOp().Set(Gf.Vec3f(*angles))
        shape.AddScaleOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*sizes))
        before, prim = local(shape.GetPrim()), shape.GetPrim()
        assert not utils.validate_standard_xform_ops(prim) and utils.standardize_xform_ops(prim)
        assert utils.validate_standard_xform_ops(prim)
        assert np.abs(local(prim) - before).max() < 1e-6  # rotateXYZ and scale have single precision
        assert utils.standardize_xform_ops(prim, translation=(1, 2, 3))
        assert close(local(prim)[3, :3], (1, 2, 3)) and np.abs(local(prim)[:3, :3] - before[:3, :3]).max() < 1e-6
        assert utils.standardize_xform_ops(prim, orientation=(2.0, 0, 0, 0), scale=np.array([1.0, 2.0, 3.0]))
        assert close(local(prim), np.diag([1.0, 2.0, 3.0, 1.0]) + np.outer([0, 0, 0, 1], [1, 2, 3, 0]))
    assert not utils.standardize_xform_ops(UsdShade.Material.Define(stage, "/World/M").GetPrim())
    with pytest.raises(ValueError, match="Prim is not valid"):
        utils.standardize_xform_ops(stage.GetPrimAtPath("/World/Nothing"))
    with pytest.raises(ValueError, match="Prim is not valid"):
        utils.resolve_prim_pose(prim, stage.GetPrimAtPath("/World/Nothing"))


@pytest.mark.parametrize("listed", [False, True], ids=["attribute only", "operation"])
def test_units_of_files_become_part_of_the_scale(stage, listed):
    shape = UsdGeom.Cube.Define(stage, "/World/Cube")
    shape.AddScaleOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(1, 2, 3))
    if listed:
        shape.AddScaleOp(UsdGeom.XformOp.PrecisionDouble, "unitsResolve").Set(Gf.Vec3d(0.01))
    else:
        units = shape.GetPrim().CreateAttribute("xformOp:scale:unitsResolve", Sdf.ValueTypeNames.Double3)
        units.Set(Gf.Vec3d(0.01))
    for _ in range(2):  # once, whatever the number of calls
        assert utils.standardize_xform_ops(shape.GetPrim())
        assert close(local(shape.GetPrim()), np.diag([0.01, 0.02, 0.03, 1.0]))
    assert not shape.GetPrim().HasAttribute("xformOp:scale:unitsResolve")


def test_numbers_of_any_sequence_or_array():
    to_tuple = importlib.import_module("phalanx.facade.isaaclab.sim.utils.prims")._to_tuple
    for value in ([1, 2.0, np.float32(3)], (1, 2, np.array(3)), np.array([[1, 2, 3]]), np.array([1, 2, 3], np.float32)):
        found = to_tuple(value)
        assert found == (1.0, 2.0, 3.0) and all(type(number) is float for number in found)
    for value in (np.ones((2, 2)), np.float64(1.0)):
        with pytest.raises(ValueError, match="not one dimensional"):
            to_tuple(value)
    with pytest.raises(ValueError, match="only one element tensors can be converted"):
        to_tuple((np.array([1.0, 2.0]), 3.0))


def test_precision_and_resets_are_kept(stage):
    shape = UsdGeom.Cube.Define(stage, "/World/Cube")
    shape.AddOrientOp(UsdGeom.XformOp.PrecisionFloat).Set(Gf.Quatf(0.5, 0.5, -0.5, 0.5))
    shape.SetResetXformStack(True)
    utils.standardize_xform_ops(shape.GetPrim(), translation=(0, 0, 1))
    assert shape.GetResetXformStack()
    assert shape.GetPrim().GetAttribute("xformOp:orient").GetTypeName() == Sdf.ValueTypeNames.Quatf
    assert close(utils.resolve_prim_pose(shape.GetPrim())[1], TURN)


def test_poses_in_the_world_become_local_and_return(stage, rng):
    parent = utils.create_prim("/World/A", translation=rng.normal(size=3), orientation=TURN, scale=(1.0, 2.0, 0.5))
    position, orientation = rng.normal(size=3), rng.normal(size=4)
    translation, turn = utils.convert_world_pose_to_local(position, orientation, parent)
    child = utils.create_prim("/World/A/B", translation=translation, orientation=turn)
    found = utils.resolve_prim_pose(child)
    assert close(found[0], position)
    root, none = utils.convert_world_pose_to_local(position, None, stage.GetPseudoRoot())
    assert close(root, position) and none is None
    rounded = (0.9238795, 0.3826834, 0.0, 0.0)
    assert utils.convert_world_pose_to_local(position, rounded, stage.GetPseudoRoot())[1] == rounded
    even = utils.create_prim("/World/C", translation=rng.normal(size=3), orientation=orientation, scale=(2, 2, 2))
    translation, turn = utils.convert_world_pose_to_local(position, TURN, even)
    child = utils.create_prim("/World/C/D", translation=translation, orientation=turn)
    found, turned = utils.resolve_prim_pose(child)
    assert close(found, position) and close(abs(np.dot(turned, TURN)), 1.0)
    back, again = utils.resolve_prim_pose(child, even)
    assert close(back, np.multiply(translation, 2.0)) and turn is not None and close(abs(np.dot(again, turn)), 1.0)
    world = xforms.get_world_pose("/World/C/D")
    assert close(world[0], position) and world[1].shape == (4,)


def test_operations_of_isaac_sim(stage):
    prim = utils.create_prim("/World/Cube", "Cube", translation=(1, 2, 3), scale=(2, 2, 2))
    xforms.clear_xform_ops(prim)
    assert close(local(prim), np.eye(4)) and not UsdGeom.Xformable(prim).GetOrderedXformOps()
    xforms.reset_and_set_xform_ops(prim, Gf.Vec3d(1, 2, 3), Gf.Quatd(*TURN))
    position, orientation = xforms.get_local_pose("/World/Cube")
    assert close(position, (1, 2, 3)) and close(orientation, TURN) and utils.validate_standard_xform_ops(prim)
    xforms.reset_xform_ops(prim)
    assert close(local(prim), np.eye(4)) and utils.validate_standard_xform_ops(prim)
    with pytest.raises(ValueError, match="'/World/Ball' is not valid"):
        xforms.get_world_pose("/World/Ball")


# -- moving and deleting ---------------------------------------------------------------------------------------------


def test_moving(stage):
    utils.create_prim("/World", translation=(0, 0, 5), orientation=TURN)
    cube = utils.create_prim("/World/Cube", "Cube", translation=(1, 2, 3), scale=(1, 2, 3))
    holder = utils.create_prim("/Holder", translation=(1, 1, 1), scale=(2, 2, 2))
    holder.CreateRelationship("holds").SetTargets(["/World/Cube"])
    pose, scale = utils.resolve_prim_pose(cube), utils.resolve_prim_scale(cube)
    utils.move_prim("/World/Cube", "/Holder/Box")
    moved = stage.GetPrimAtPath("/Holder/Box")
    assert not stage.GetPrimAtPath("/World/Cube").IsValid() and moved.GetTypeName() == "Cube"
    assert close(utils.resolve_prim_pose(moved)[0], pose[0]) and close(utils.resolve_prim_scale(moved), scale)
    assert close(abs(np.dot(utils.resolve_prim_pose(moved)[1], pose[1])), 1.0)
    assert holder.GetRelationship("holds").GetTargets() == [Sdf.Path("/Holder/Box")]
    before = local(moved)
    utils.move_prim("/Holder/Box", "/Box", keep_world_transform=False)
    assert close(local(stage.GetPrimAtPath("/Box")), before)
    prims.move_prim("/Box", "/World/Box")
    assert stage.GetPrimAtPath("/World/Box").IsValid()
    with pytest.raises(ValueError, match="'/Nothing' is not valid"):
        utils.move_prim("/Nothing", "/World/B")
    with pytest.raises(ValueError, match="'/Nowhere' is not valid"):
        utils.move_prim("/World/Box", "/Nowhere/Box")
    with pytest.raises(ValueError, match="'/World/Box' cannot become '/Holder'"):
        utils.move_prim("/World/Box", "/Holder")


def test_deleting(stage, panda, caplog):
    for name in "abcd":
        utils.create_prim(f"/World/{name}/below")
    utils.add_usd_reference("/World/panda", panda)
    assert utils.delete_prim(["/World/a", "/World/a/below", "/World/b"])
    assert [prim.GetName() for prim in stage.GetPrimAtPath("/World").GetChildren()] == ["c", "d", "panda"]
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        stage.OverridePrim("/World/c").SetMetadata("comment", "edited here, too")
    prims.delete_prim("/World/c")
    assert not stage.GetPrimAtPath("/World/c").IsValid()
    prims.set_prim_no_delete(stage.GetPrimAtPath("/World/d"), True)
    with caplog.at_level(logging.WARNING):
        assert not utils.delete_prim("/World/d") and "no_delete" in caplog.text
        assert not utils.delete_prim("/World/panda/link0") and "a reference of a prim above brings it" in caplog.text
        assert not utils.delete_prim("/World/nothing") and "there is no such prim" in caplog.text
        assert not utils.delete_prim("/") and "root of the stage" in caplog.text
    assert stage.GetPrimAtPath("/World/panda/link0").IsValid()
    assert utils.delete_prim("/World/panda")


# -- files, variants, instances --------------------------------------------------------------------------------------


def test_references(stage, panda, caplog, tmp_path):
    prim = utils.create_prim("/World/panda", usd_path=panda, translation=(0, 0, 1))
    assert utils.get_usd_references("/World/panda") == [panda] and prim.GetChild("link0").IsValid()
    assert (prims.is_prim_ancestral("/World/panda"), prims.is_prim_ancestral("/World/panda/link0")) == (False, True)
    assert utils.add_reference_to_stage(panda, "/World/second") == stage.GetPrimAtPath("/World/second")
    assert not caplog.records
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    utils.add_usd_reference("/World/third", panda)
    assert "has metersPerUnit 1, the stage 0.01: scale '/World/third' by 100" in caplog.text
    empty = Sdf.Layer.CreateNew(str(tmp_path / "empty.usda"))
    utils.add_usd_reference("/World/fourth", empty.identifier)
    assert "has no default prim: '/World/fourth' gets nothing" in caplog.text
    for file in ("missing.usda", "panda.urdf"):
        with pytest.raises(FileNotFoundError, match=f"not found at path: '{file}'"):
            utils.add_usd_reference("/World/fifth", file)
    assert not stage.GetPrimAtPath("/World/fifth").IsValid()


def test_variants(stage, panda, caplog):
    prim = utils.add_usd_reference("/World/panda", panda)
    assert prim.GetAttribute("gripper:kind").Get() == "large"
    utils.select_usd_variants("/World/panda", {"gripper": "none", "hand": "left"})
    assert prim.GetAttribute("gripper:kind").Get() == "none"
    assert "/World/panda has no variant set 'hand', only gripper" in caplog.text
    utils.select_usd_variants("/World/panda", _Variants())
    assert prim.GetAttribute("gripper:kind").Get() == "large"
    utils.select_usd_variants("/World/panda", {"gripper": "huge"})
    assert "variant set 'gripper' has no 'huge', only" in caplog.text
    assert prim.GetAttribute("gripper:kind").Get() == "large"
    with pytest.raises(ValueError, match="is not valid"):
        utils.select_usd_variants("/World/other", {})


class _Variants:
    def __init__(self) -> None:
        self.gripper = "large"


def test_instances_become_editable(stage, panda):
    for name in ("a", "b"):
        prim = utils.add_usd_reference(f"/World/{name}", panda)
        prim.SetInstanceable(True)
    assert stage.GetPrimAtPath("/World/a/link0").IsInstanceProxy()
    utils.make_uninstanceable("/World")
    assert not any(prim.IsInstance() for prim in stage.TraverseAll())
    stage.GetPrimAtPath("/World/a/link0").GetAttribute("size").Set(0.5)
    assert stage.GetPrimAtPath("/World/b/link0").GetAttribute("size").Get() == 2.0


# -- attributes ------------------------------------------------------------------------------------------------------


def test_attributes_of_schemas(stage):
    prim = utils.create_prim("/World/Cube", "Cube")
    mass = UsdPhysics.MassAPI.Apply(prim)
    utils.safe_set_attribute_on_usd_schema(mass, "center_of_mass", (1, 2, 3), camel_case=True)
    utils.safe_set_attribute_on_usd_schema(mass, "Mass", 2, camel_case=False)
    utils.safe_set_attribute_on_usd_schema(mass, "principal_axes", TURN, camel_case=True)
    utils.safe_set_attribute_on_usd_schema(mass, "density", None, camel_case=True)
    assert mass.GetCenterOfMassAttr().Get() == Gf.Vec3f(1, 2, 3) and mass.GetMassAttr().Get() == 2.0
    assert mass.GetPrincipalAxesAttr().Get() == Gf.Quatf(*TURN) and not mass.GetDensityAttr().HasAuthoredValue()
    with pytest.raises(TypeError, match="Attribute 'Weight' does not exist: MassAPI at '/World/Cube'"):
        utils.safe_set_attribute_on_usd_schema(mass, "weight", 1.0, camel_case=True)
    with pytest.raises(TypeError, match="physics:mass> is of type float and cannot be 'heavy'"):
        utils.safe_set_attribute_on_usd_schema(mass, "mass", "heavy", camel_case=True)


@pytest.mark.parametrize(
    ("value", "kind", "stored"),
    [
        (True, "bool", True),
        (3, "int", 3),
        (0.5, "float", 0.5),
        (np.float64(0.5), "float", 0.5),
        ("tgs", "token", "tgs"),
        ((1, 2.0), "float2", (1, 2)),
        ([1, 2, 3], "float3", (1, 2, 3)),
        (np.ones(4), "float4", (1, 1, 1, 1)),
        (Sdf.AssetPath("a.usd"), "asset", Sdf.AssetPath("a.usd")),
    ],
)
def test_attributes_get_types_from_values(stage, value, kind, stored):
    prim = utils.create_prim("/World/Cube", "Cube")
    utils.safe_set_attribute_on_usd_prim(prim, "physx_body:sleep_threshold", value, camel_case=True)
    attribute = prim.GetAttribute("physxBody:sleepThreshold")
    assert str(attribute.GetTypeName()) == kind and attribute.Get() == stored and not attribute.IsCustom()
    utils.safe_set_attribute_on_usd_prim(prim, "physxBody:sleepThreshold", None, camel_case=False)
    assert attribute.Get() == stored
    points = prim.CreateAttribute("points", Sdf.ValueTypeNames.Float3Array)
    utils.safe_set_attribute_on_usd_prim(prim, "points", np.eye(3), camel_case=True)
    assert list(points.Get()) == [Gf.Vec3f(1, 0, 0), Gf.Vec3f(0, 1, 0), Gf.Vec3f(0, 0, 1)]
    utils.safe_set_attribute_on_usd_prim(prim, "size", 3, camel_case=True)
    assert prim.GetAttribute("size").Get() == 3.0
    with pytest.raises(NotImplementedError, match="Cannot set attribute 'other' of '/World/Cube'"):
        utils.safe_set_attribute_on_usd_prim(prim, "other", {}, camel_case=True)
    with pytest.raises(TypeError, match="size> is of type double and cannot be 'big'"):
        utils.safe_set_attribute_on_usd_prim(prim, "size", "big", camel_case=True)


def test_attributes_by_their_paths(stage):
    prim = utils.create_prim("/World/Cube", "Cube")
    assert utils.change_prim_property("/World/Cube.size", 5)
    assert prim.GetAttribute("size").Get() == 5.0
    assert utils.change_prim_property(Sdf.Path("/World/Cube.size"), None) and prim.GetAttribute("size").Get() == 2.0
    assert not utils.change_prim_property("/World/Cube.note", "x")
    with pytest.raises(ValueError, match="Prim does not exist: Prim at path '/World/Nothing'"):
        utils.change_prim_property("/World/Nothing.size", 1.0)
    assert utils.change_prim_property(
        "/World/Cube.note", "x", type_to_create_if_not_exist=Sdf.ValueTypeNames.String, is_custom=True
    )
    assert prim.GetAttribute("note").Get() == "x" and prim.GetAttribute("note").IsCustom()
    with pytest.raises(ValueError, match="is no path of an attribute"):
        utils.change_prim_property("/World/Cube", 1)
    with pytest.raises(ValueError, match="'/World/Ball' is not valid"):
        utils.change_prim_property("/World/Ball.radius", 1)
    utils.set_prim_visibility(prim, False)
    assert UsdGeom.Imageable(prim).ComputeVisibility() == "invisible"
    prims.set_prim_visibility(prim, True)
    assert UsdGeom.Imageable(prim).ComputeVisibility() == "inherited"
    material = UsdShade.Material.Define(stage, "/World/M").GetPrim()
    with pytest.raises(ValueError, match="'/World/M' of type 'Material' has no visibility"):
        utils.set_prim_visibility(material, True)


# -- labels ----------------------------------------------------------------------------------------------------------


def test_labels(stage, caplog):
    cube, ball = utils.create_prim("/World/Cube", "Cube"), utils.create_prim("/World/Cube/Ball", "Sphere")
    assert utils.check_missing_labels() == ["/World/Cube", "/World/Cube/Ball"]
    utils.add_labels(cube, ["box", "red", "box"])
    utils.add_labels(cube, ["toy", "red"], overwrite=False)
    utils.add_labels(cube, ["first"], instance_name="shape")
    assert utils.get_labels(cube) == {"class": ["box", "red", "toy"], "shape": ["first"]}
    UsdSemantics: Any = importlib.import_module("pxr.UsdSemantics")

    assert list(UsdSemantics.LabelsAPI(cube, "class").GetLabelsAttr().Get()) == ["box", "red", "toy"]
    utils.add_labels(ball, ["red"])
    assert utils.count_total_labels() == {"missing_labels": 0, "box": 1, "red": 2, "toy": 1, "first": 1}
    assert utils.count_total_labels("/World/Cube/Ball") == {"missing_labels": 0, "red": 1}
    utils.remove_labels(cube, "shape")
    assert utils.get_labels(cube) == {"class": ["box", "red", "toy"]}
    utils.add_labels(cube, ["new"])
    assert utils.get_labels(cube) == {"class": ["new"]}
    utils.remove_labels(cube, include_descendants=True)
    assert utils.get_labels(cube) == utils.get_labels(ball) == {}
    assert utils.check_missing_labels("/World/Cube/Ball", stage) == ["/World/Cube/Ball"]
    assert utils.check_missing_labels("/World/None") == [] and "no prim at path '/World/None'" in caplog.text
    caplog.clear()
    assert utils.count_total_labels("/World/None", stage) == {"missing_labels": 0}
    assert "no prim at path '/World/None'" in caplog.text


def test_labels_of_isaac_sim(stage):
    cube = prims.create_prim("/World/Cube", "Cube", semantic_label="box")
    assert semantics.get_semantics(cube) == {"Semantics": ("class", "box")}
    semantics.add_update_semantics(cube, "crate")
    semantics.add_update_semantics(cube, "red", "colour", suffix="_2")
    assert semantics.get_semantics(cube) == {"Semantics": ("class", "crate"), "Semantics_2": ("colour", "red")}
    below = prims.create_prim("/World/Cube/Ball", "Sphere", semantic_label="ball")
    semantics.remove_all_semantics(cube)
    assert semantics.get_semantics(cube) == {} and semantics.get_semantics(below)
    semantics.remove_all_semantics(cube, recursive=True)
    assert semantics.get_semantics(below) == {}


# -- prims of Isaac Sim ----------------------------------------------------------------------------------------------


def test_prims_by_their_paths(stage):
    cube = prims.create_prim("/World/Cube", "Cube", position=np.array([1.0, 0.5, 0.0]), attributes={"size": 2.0})
    for name in ("Cube_01", "Cube_02"):
        prims.define_prim(f"/World/{name}", "Cube")
    world = prims.get_prim_at_path("/World")
    assert prims.get_prim_parent(cube) == world and prims.get_prim_path(cube) == "/World/Cube"
    assert [prim.GetName() for prim in prims.get_prim_children(world)] == ["Cube", "Cube_01", "Cube_02"]
    assert prims.get_prim_type_name("/World/Cube") == "Cube"
    assert prims.is_prim_path_valid("/World/Cube") and not prims.is_prim_path_valid("/World/Sphere")
    assert not prims.is_prim_path_valid("/World/Cube/") and not prims.is_prim_path_valid("/World/Cube.size")
    assert prims.is_prim_root_path("/") and not prims.is_prim_root_path("/World")
    assert (
        not prims.get_prim_at_path("/World/Sphere").IsValid() and prims.get_prim_path(stage.GetPrimAtPath("/x")) == ""
    )
    names = prims.get_prim_attribute_names("/World/Cube")
    assert {"size", "visibility", "xformOp:translate", "xformOpOrder"} <= set(names)
    prims.set_prim_attribute_value("/World/Cube", "size", value=5)
    assert (
        prims.get_prim_attribute_value("/World/Cube", "size") == 5.0 == prims.get_prim_property("/World/Cube", "size")
    )
    prims.set_prim_property("/World/Cube", "xformOp:orient", np.array(TURN))
    assert prims.get_prim_property("/World/Cube", "xformOp:orient") == Gf.Quatd(*TURN)
    assert prims.get_prim_property("/World/Cube", "radius") is None
    prims.set_targets(world, "targetPrim", ["/World/Cube", "/World/Cube_01"])
    assert len(world.GetRelationship("targetPrim").GetTargets()) == 2
    for read in (prims.is_prim_hidden_in_stage, prims.is_prim_no_delete):
        assert read("/World/Cube") is None
    prims.set_prim_hide_in_stage_window(cube, True)
    prims.set_prim_no_delete(cube, False)
    assert prims.is_prim_hidden_in_stage("/World/Cube") is True and prims.is_prim_no_delete("/World/Cube") is False

    is_cube = lambda path: prims.get_prim_type_name(path) == "Cube"  # noqa: E731
    assert prims.get_first_matching_child_prim("/", is_cube) == cube
    assert len(prims.get_all_matching_child_prims("/", is_cube)) == 3
    assert prims.get_all_matching_child_prims("/", is_cube, depth=1) == []
    prims.create_prim("/World/Cube/In", "Sphere")
    assert prims.get_first_matching_parent_prim("/World/Cube/In", is_cube) == cube
    assert prims.get_first_matching_parent_prim("/World/Cube", is_cube) is None, "only what is above"
    assert prims.get_first_matching_parent_prim("/World", is_cube) is None
    assert prims.query_parent_path("/World/Cube/In", is_cube) and not prims.query_parent_path("/World/Cube", is_cube)


@pytest.mark.parametrize(
    "call",
    [
        lambda: prims.get_prim_attribute_names("/World/Ball"),
        lambda: prims.get_prim_attribute_value("/World/Ball", "size"),
        lambda: prims.set_prim_attribute_value("/World/Ball", "size", 1.0),
        lambda: prims.get_prim_type_name("/World/Ball"),
        lambda: prims.get_prim_object_type("/World/Ball"),
        lambda: prims.is_prim_no_delete("/World/Ball"),
        lambda: prims.query_parent_path("/World/Ball", bool),
        lambda: prims.is_prim_ancestral("/World/Ball"),
    ],
)
def test_missing_prims_are_told(call):
    prims.create_prim("/World/Cube", "Cube")
    with pytest.raises(ValueError, match="'/World/Ball' is not valid: there is none; '/World' has Cube"):
        call()
    with pytest.raises(ValueError, match="of type 'Cube' has no attribute 'radius'"):
        prims.get_prim_attribute_value("/World/Cube", "radius")
    with pytest.raises(ValueError, match="already exists"):
        prims.define_prim("/World/Cube")


def test_what_prims_are(stage, panda):
    prims.create_prim("/World/panda", usd_path=panda)
    UsdPhysics.Joint.Define(stage, "/World/free")
    UsdShade.Material.Define(stage, "/World/M")
    kinds = {
        "/World/panda": "articulation",
        "/World/panda/link0": "rigid_body",
        "/World/panda/joint": "joint",
        "/World/free": "d6joint",
        "/World/M": None,
    }
    assert {path: prims.get_prim_object_type(path) for path in kinds} == kinds
    prims.create_prim("/World/panda/link0/visual", "Cube")
    assert prims.get_prim_object_type("/World/panda/link0/visual") == "xform"
    assert prims.is_prim_non_root_articulation_link("/World/panda/link0")
    for path in ("/World/panda", "/World/panda/joint", "/World/panda/link0/visual", "/World/free"):
        assert not prims.is_prim_non_root_articulation_link(path), path
    UsdPhysics.RigidBodyAPI.Apply(prims.create_prim("/World/panda/loose", "Cube"))
    assert not prims.is_prim_non_root_articulation_link("/World/panda/loose"), "no joint leads to it"
    assert prims.get_articulation_root_api_prim_path("/World") == "/World/panda"
    assert prims.get_articulation_root_api_prim_path("/Wor.*") == "/Wor.*/panda"
    assert prims.get_articulation_root_api_prim_path("/World/free") == "/World/free"
