"""Finding prims by expression and predicate, and functions that work on all prims of an expression."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

pytest.importorskip("pxr", reason="usd-core is not installed (pip install 'phalanx[isaac]')")

from phalanx.facade import stage as stages
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaacsim.core.utils import prims as sim_prims
from phalanx.io.formats.usd.bindings import Prim, Sdf, Stage, Usd, UsdGeom, UsdPhysics, UsdShade


@pytest.fixture(autouse=True)
def stage() -> Iterator[Stage]:
    """Environments 0 to 11, each with a robot of two links, a joint, and a table; what is made is gone afterwards."""
    with utils.use_stage(utils.create_new_stage_in_memory()):
        for number in range(12):
            robot = f"/World/envs/env_{number}/Robot"
            utils.create_prim(robot)
            for link in ("base", "arm_1"):
                prim = utils.create_prim(f"{robot}/{link}", "Cube")
                UsdPhysics.RigidBodyAPI.Apply(prim)
                UsdPhysics.CollisionAPI.Apply(prim)
            utils.create_prim(f"/World/envs/env_{number}/Table", "Cube")
        yield utils.get_current_stage()


def instance(stage: Stage) -> None:
    """``/World/Instance``, an instance of a prim with a child ``part``."""
    stage.CreateClassPrim("/Class")
    stage.DefinePrim("/Class/part", "Cube")
    prim = stage.DefinePrim("/World/Instance", "Xform")
    prim.GetInherits().AddInherit("/Class")
    prim.SetInstanceable(True)


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("/", ["/"]),
        ("/World", ["/World"]),
        ("/World/envs/env_0/Robot", ["/World/envs/env_0/Robot"]),
        ("/World/envs/env_1/.*", ["/World/envs/env_1/Robot", "/World/envs/env_1/Table"]),
        ("/World/envs/env_1", ["/World/envs/env_1"]),
        ("/World/envs/env_1.", ["/World/envs/env_10", "/World/envs/env_11"]),
        (
            "/World/envs/env_[0-1]/(Robot|Table)/arm_.*",
            ["/World/envs/env_0/Robot/arm_1", "/World/envs/env_1/Robot/arm_1"],
        ),
        ("/.*/envs/env_[^/]{2}/Table", ["/World/envs/env_10/Table", "/World/envs/env_11/Table"]),
        ("/World/.*/Robot", []),
        ("/World/envs/env_.*/Chair", []),
        ("/World/envs/env/Robot", []),
        ("/World/Instance/p.*", ["/World/Instance/part"]),
        ("/World/Instance/part", ["/World/Instance/part"]),
    ],
)
def test_expressions_match_name_by_name(stage, expression, found):
    instance(stage)
    assert utils.find_matching_prim_paths(expression) == found
    assert [str(prim.GetPath()) for prim in utils.find_matching_prims(expression, stage)] == found
    assert sim_prims.find_matching_prim_paths(expression) == found


def test_all_environments_are_found_in_order(stage):
    paths = utils.find_matching_prim_paths("/World/envs/env_.*/Robot")
    assert paths == [f"/World/envs/env_{number}/Robot" for number in range(12)]
    stage.GetPrimAtPath(paths[3]).SetActive(False)
    assert len(utils.find_matching_prims("/World/envs/env_.*/Robot")) == 12, "inactive prims count"
    assert utils.find_first_matching_prim("/World/envs/env_[3-4]/Robot") == stage.GetPrimAtPath(paths[4])
    assert not utils.find_matching_prims("/World/envs/0") and utils.find_first_matching_prim("/0/a") is None
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(paths[2]))
    assert sim_prims.find_matching_prim_paths("/World/envs/env_.*/Robot", "articulation") == [paths[2]]
    assert len(sim_prims.find_matching_prim_paths("/World/envs/env_.*/Robot/.*", "rigid_body")) == 22
    with pytest.raises(ValueError, match="prim_type='joint'"):
        sim_prims.find_matching_prim_paths("/World", "joint")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("World/envs", "'World/envs' is not global: it must begin with '/'"),
        ("/World/envs/env_[0-/Robot", "is no regular expression"),
        ("/World/envs/*", "'\\*' in prim path '/World/envs/\\*' is no regular expression: nothing to repeat"),
        ("/World//envs", "slash too many"),
        ("/World/envs/", "slash too many"),
    ],
)
def test_wrong_expressions_are_told(expression, message):
    with pytest.raises(ValueError, match=message):
        utils.find_matching_prims(expression)


def test_the_first_match_of_a_whole_path(stage):
    def first(expression: str) -> str | None:
        prim = utils.find_first_matching_prim(expression)
        return None if prim is None else str(prim.GetPath())

    assert first("/World/envs/env_.*/Table") == "/World/envs/env_0/Table"
    assert first("/.*") == "/World" and first("/") is None
    assert first("/World/.*/arm_1") == "/World/envs/env_0/Robot/arm_1"
    assert first("/World/envs/env_7/Robot") == "/World/envs/env_7/Robot"
    assert first("/World/envs/env_7/Chair") is None and first("/World/envs/env_.*/Chair") is None
    assert first("/Nowhere/.*|/World/envs/env_5") == "/World/envs/env_5"
    with pytest.raises(ValueError, match="not global"):
        utils.find_first_matching_prim("World")
    # What the search leaves out makes no difference: compared with all prims of the stage.
    import re

    for expression in ("/World/envs/env_1.*/.*", "/Wor.*", "/World/envs/(env_3|env_2)/Robot", "/World/envs/env_4/Rob"):
        every = (str(prim.GetPath()) for prim in stage.TraverseAll())
        assert first(expression) == next((path for path in every if re.fullmatch(expression, path)), None)


def test_predicates(stage):
    instance(stage)
    env = "/World/envs/env_3"
    is_cube = lambda prim: prim.IsA(UsdGeom.Cube)  # noqa: E731
    names = lambda prims: [prim.GetName() for prim in prims]  # noqa: E731
    assert names(utils.get_all_matching_child_prims(env)) == ["env_3", "Robot", "Table", "base", "arm_1"]
    assert names(utils.get_all_matching_child_prims(env, is_cube)) == ["Table", "base", "arm_1"]
    assert names(utils.get_all_matching_child_prims(env, is_cube, depth=1)) == ["Table"]
    assert names(utils.get_all_matching_child_prims(f"{env}/Table", is_cube, depth=1)) == ["Table"]
    found = utils.get_first_matching_child_prim(env, is_cube)
    assert found is not None and found.GetName() == "Table"
    assert utils.get_first_matching_child_prim(env, lambda prim: prim.IsA(UsdGeom.Sphere)) is None
    assert names(utils.get_all_matching_child_prims("/World/Instance", is_cube)) == ["part"]
    assert not utils.get_all_matching_child_prims("/World/Instance", is_cube, traverse_instance_prims=False)
    above = utils.get_first_matching_ancestor_prim(f"{env}/Robot/base", lambda prim: "env" in prim.GetName())
    assert above is not None and above.GetName() == "env_3"
    assert utils.get_first_matching_ancestor_prim(f"{env}/Table", is_cube) == stage.GetPrimAtPath(f"{env}/Table")
    assert utils.get_first_matching_ancestor_prim(env, is_cube) is None
    with pytest.raises(ValueError, match="depth=0"):
        utils.get_all_matching_child_prims(env, depth=0)
    for function in (utils.get_first_matching_child_prim, utils.get_first_matching_ancestor_prim):
        with pytest.raises(ValueError, match=r"'/World/envs/env_3/Chair' is not valid.*env_3' has Robot, Table"):
            function(f"{env}/Chair", is_cube)


def test_joints_to_the_world(stage):
    robot = "/World/envs/env_0/Robot"
    inner = UsdPhysics.FixedJoint.Define(stage, f"{robot}/inner")
    inner.CreateBody0Rel().SetTargets([f"{robot}/base"])
    inner.CreateBody1Rel().SetTargets([f"{robot}/arm_1"])
    assert utils.find_global_fixed_joint_prim(robot) is None
    UsdPhysics.RevoluteJoint.Define(stage, f"{robot}/hinge").CreateBody1Rel().SetTargets([f"{robot}/base"])
    assert utils.find_global_fixed_joint_prim(robot) is None
    weld = UsdPhysics.FixedJoint.Define(stage, f"{robot}/base/weld")
    weld.CreateBody1Rel().SetTargets([f"{robot}/base"])
    weld.CreateJointEnabledAttr(False)
    found = utils.find_global_fixed_joint_prim(robot)
    assert found is not None and found.GetPrim() == weld.GetPrim()
    assert utils.find_global_fixed_joint_prim(robot, check_enabled_only=True) is None
    with pytest.raises(ValueError, match="is not valid"):
        utils.find_global_fixed_joint_prim("/World/Nothing")


# -- decorators ------------------------------------------------------------------------------------------------------


@utils.clone
def spawn(prim_path: str, cfg: SimpleNamespace, translation: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> Prim:
    prim = utils.create_prim(prim_path, translation=translation)
    for name in ("a", "b"):
        utils.create_prim(f"{prim_path}/{name}", "Sphere", attributes={"radius": cfg.radius})
    joint = UsdPhysics.FixedJoint.Define(utils.get_current_stage(), f"{prim_path}/joint")
    joint.CreateBody0Rel().SetTargets([f"{prim_path}/a"])
    joint.CreateBody1Rel().SetTargets(["/World"])
    return prim


@pytest.mark.parametrize("copy", [True, False])
def test_spawners_spawn_in_all_environments(stage, copy):
    cfg = SimpleNamespace(radius=0.25, visible=False, semantic_tags=[("class", "ball"), ("class", "red")])
    cfg.copy_from_source = copy
    prim = spawn("/World/envs/env_.*/Ball", cfg, translation=(1.0, 2.0, 3.0))
    assert prim.GetPath() == "/World/envs/env_0/Ball"
    paths = utils.find_matching_prim_paths("/World/envs/env_.*/Ball")
    assert len(paths) == 12
    for path in paths:
        ball = stage.GetPrimAtPath(path)
        assert ball.GetTypeName() == "Xform" and utils.resolve_prim_pose(ball)[0] == (1.0, 2.0, 3.0)
        assert UsdGeom.Imageable(ball).ComputeVisibility() == "invisible"
        assert utils.get_labels(ball) == {"class": ["ball", "red"]}
        assert UsdGeom.Sphere(ball.GetChild("b")).GetRadiusAttr().Get() == 0.25
        joint = UsdPhysics.Joint(ball.GetChild("joint"))
        assert joint.GetBody0Rel().GetTargets() == [Sdf.Path(f"{path}/a")]
        assert joint.GetBody1Rel().GetTargets() == [Sdf.Path("/World")]
    UsdGeom.Sphere(stage.GetPrimAtPath(f"{paths[0]}/a")).GetRadiusAttr().Set(0.75)
    assert UsdGeom.Sphere(stage.GetPrimAtPath(f"{paths[7]}/a")).GetRadiusAttr().Get() == (0.25 if copy else 0.75)


def test_spawners_spawn_once_without_an_expression(stage):
    cfg = SimpleNamespace(radius=0.5)
    assert spawn("/World/new/Ball", cfg).GetPath() == "/World/new/Ball"
    assert spawn(Sdf.Path("/Ball"), cfg).GetPath() == "/Ball"
    assert spawn("/World/envs/env_[3-3]/Ball", cfg).GetPath() == "/World/envs/env_3/Ball"
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        spawn("/World/envs/env_[4-6]/Ball", cfg)
    assert len(utils.find_matching_prims("/World/envs/env_.*/Ball")) == 4
    with pytest.raises(ValueError, match=r"'Ball' is not global\. It must start with '/'"):
        spawn("Ball", cfg)
    with pytest.raises(RuntimeError, match=r"Unable to find source prim path: '/World/env_\.\*'"):
        spawn("/World/env_.*/Ball", cfg)
    with pytest.raises(ValueError, match=r"'Ball_\.\*' in prim path .* is not the name of a prim"):
        spawn("/World/envs/env_.*/Ball_.*", cfg)
    with pytest.raises(ValueError, match="already exists at prim path '/World/envs/env_0/Table'"):
        spawn("/World/envs/env_.*/Table", cfg)


def test_copies_need_something_written(stage):
    from phalanx.facade.isaaclab.sim.utils.edits import copy_prim

    instance(stage)
    stage.GetPrimAtPath("/World/Instance").SetInstanceable(False)
    with pytest.raises(ValueError, match="only a reference of a prim above has it"):
        copy_prim(stage, "/World/Instance/part", ["/World/copy"])
    with pytest.raises(ValueError, match="is not valid"):
        copy_prim(stage, "/World/Nothing", ["/World/copy"])
    with pytest.raises(ValueError, match="lies in it"):
        copy_prim(stage, "/World/envs", ["/World/envs/env_0/envs"])
    for target, words in (("x", "not global"), ("", "not global"), ("/", "where it is"), ("/World", "where it is")):
        with pytest.raises(ValueError, match=words):  # a relative one ended the process
            copy_prim(stage, "/World/envs", [target])


def test_functions_are_applied_below(stage, caplog):
    instance(stage)
    seen = []

    @utils.apply_nested
    def mark(prim_path: str, kind: str, stage: Stage | None = None) -> bool:
        seen.append(prim_path)
        prim = utils.get_current_stage().GetPrimAtPath(prim_path)
        return prim.GetTypeName() == kind

    assert mark("/World/envs/env_2", "Cube")
    robot = "/World/envs/env_2/Robot"
    assert seen == ["/World/envs/env_2", robot, f"{robot}/base", f"{robot}/arm_1", "/World/envs/env_2/Table"]
    seen.clear()
    assert mark("/World/envs/env_2", "") and seen == ["/World/envs/env_2"], "what is below is left alone"
    with caplog.at_level(logging.WARNING):
        assert not mark("/World/Instance", "Cube")
    assert "mark was not applicable to any prim" in caplog.text and "instances cannot be edited" in caplog.text
    other = utils.create_new_stage_in_memory()
    with pytest.raises(ValueError, match="is not valid"):
        mark("/World", "Xform", stage=other)


def test_materials(stage, caplog):
    material = UsdShade.Material.Define(stage, "/World/Looks/rubber")
    other = UsdShade.Material.Define(stage, "/World/Looks/steel")
    robot = "/World/envs/env_1/Robot"

    def bound(path: str, purpose: str) -> str:
        api = UsdShade.MaterialBindingAPI(stage.GetPrimAtPath(path))
        return api.ComputeBoundMaterial(purpose)[0].GetPrim().GetName()

    assert utils.bind_physics_material(robot, "/World/Looks/rubber")
    assert bound(f"{robot}/base", "physics") == bound(f"{robot}/arm_1", "physics") == "rubber"
    assert not UsdShade.MaterialBindingAPI(stage.GetPrimAtPath(robot)).GetDirectBinding("physics").GetMaterial()
    assert utils.bind_visual_material(f"{robot}/base", str(material.GetPath()))
    assert utils.bind_visual_material(robot, str(other.GetPath()))
    assert bound(f"{robot}/base", "") == "steel" == bound(f"{robot}/arm_1", "")
    assert utils.bind_visual_material(robot, str(other.GetPath()), stronger_than_descendants=False)
    assert (bound(f"{robot}/base", ""), bound(f"{robot}/arm_1", "")) == ("rubber", "steel")
    assert bound(f"{robot}/base", "physics") == "rubber"
    with caplog.at_level(logging.WARNING):
        assert not utils.bind_physics_material("/World/Looks", "/World/Looks/rubber")
    assert "not applicable" in caplog.text
    with pytest.raises(ValueError, match="'/World/Looks/wood' is not valid"):
        utils.bind_visual_material(robot, "/World/Looks/wood")
    with pytest.raises(ValueError, match="is not a material but of type 'Cube'"):
        utils.bind_visual_material(robot, f"{robot}/base")
    assert stages.get_stage() is stage
