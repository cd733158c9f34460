"""Labels of meshes on the stage, and what is wrong with them."""

from __future__ import annotations

import pytest

from phalanx import facade
from phalanx.facade import stage
from phalanx.facade.isaacsim.core.utils import semantics
from phalanx.io.formats.usd.bindings import UsdGeom


@pytest.fixture
def meshes():
    """Four meshes: two with a fitting label, one with a wrong one, one below another without any."""
    found = [
        UsdGeom.Mesh.Define(stage.get_stage(), f"/World/{name}").GetPrim()
        for name in ("Cube_0", "CoffeeMug", "Cube_2", "Cube_0/Nested")
    ]
    UsdGeom.Cube.Define(stage.get_stage(), "/World/shape")  # no mesh: does not count
    return found


def test_labels_are_checked(meshes, caplog):
    for mesh, labels in zip(meshes, (["cube", "box"], ["coffee_mug"], ["cube"]), strict=False):
        semantics.add_labels(mesh, labels)
    assert semantics.check_missing_labels() == ["/World/Cube_0/Nested"]
    assert semantics.check_missing_labels("/World/Cube_2") == []
    assert semantics.check_incorrect_labels() == [["/World/Cube_0", "box"]]
    assert semantics.check_incorrect_labels("/World/CoffeeMug") == []
    assert semantics.count_labels_in_scene() == {"missing_labels": 1, "cube": 2, "box": 1, "coffee_mug": 1}
    assert semantics.count_labels_in_scene("/World/Cube_0") == {"missing_labels": 1, "cube": 1, "box": 1}
    assert semantics.check_missing_labels("/nothing") == semantics.check_incorrect_labels("/nothing") == []
    assert "no prim at /nothing" in caplog.text


def test_old_labels_are_checked_and_turned_into_new_ones(meshes, caplog):
    for mesh, label in zip(meshes, ("cube", "coffee-mug", "sphere"), strict=False):
        semantics.add_update_semantics(mesh, label)
    assert semantics.check_missing_semantics() == ["/World/Cube_0/Nested"]
    assert semantics.check_incorrect_semantics() == [["/World/Cube_2", "sphere"]]
    assert semantics.count_semantics_in_scene() == {"missing": 1, "cube": 1, "coffee-mug": 1, "sphere": 1}
    semantics.add_update_semantics(meshes[0], "red", "colour", "_2")
    semantics.add_labels(meshes[0], ["box"])
    world = stage.get_stage().GetPrimAtPath("/World")
    assert semantics.upgrade_prim_semantics_to_labels(world) == 0
    assert semantics.upgrade_prim_semantics_to_labels(world, include_descendants=True) == 4
    assert semantics.get_labels(meshes[0]) == {"class": ["box", "cube"], "colour": ["red"]}
    assert semantics.get_semantics(meshes[0]) == {} and semantics.get_labels(meshes[3]) == {}
    semantics.add_update_semantics(meshes[3], "")
    assert semantics.upgrade_prim_semantics_to_labels(meshes[3]) == 0 and "stays as it is" in caplog.text


def test_old_labels_are_read_and_written_by_their_schema(meshes):
    facade.install()
    import Semantics  # pyright: ignore[reportMissingImports]
    from pxr import Semantics as again  # pyright: ignore[reportAttributeAccessIssue]

    assert again is Semantics
    api, cube = Semantics.SemanticsAPI, meshes[0]
    made = api.Apply(cube, "Semantics_2")
    made.CreateSemanticTypeAttr().Set("class")
    made.CreateSemanticDataAttr("cube")
    assert semantics.get_semantics(cube) == {"Semantics_2": ("class", "cube")}
    semantics.add_update_semantics(cube, "red", "colour")
    found = api.Get(cube, "Semantics")
    assert found and found.GetSemanticTypeAttr().Get() == "colour" and found.GetSemanticDataAttr().Get() == "red"
    assert not api.Get(cube, "Semantics_3") and cube.HasAPI(api) and not meshes[1].HasAPI(api)
    paths = [prop.GetPath() for prop in cube.GetProperties() if api.IsSemanticsAPIPath(prop.GetPath())]
    assert len(paths) == 4 and not api.IsSemanticsAPIPath(cube.GetPath())
    assert {api.Get(cube.GetStage(), path).GetName() for path in paths} == {"Semantics", "Semantics_2"}
    assert cube.RemoveAPI(api, "Semantics") and not api.Get(cube, "Semantics")
