"""Names that Isaac Lab 2.3.2 has, at the places where its own code and users' code import them from."""

from __future__ import annotations

import importlib

import pytest

from phalanx.facade import wheel
from phalanx.facade.isaaclab import utils
from phalanx.facade.isaaclab.utils.dict import update_dict
from phalanx.facade.isaaclab.utils.string import find_root_prim_path_from_regex

NAMES = {
    "isaaclab.sensors": "create_pointcloud_from_depth create_pointcloud_from_rgbd save_images_to_file transform_points",
    "isaaclab.sim": "XformPrimView MESH_APPROXIMATION_TOKENS PHYSX_MESH_COLLISION_CFGS USD_MESH_COLLISION_CFGS",
    "isaaclab.utils": "compare_versions get_isaac_sim_version update_dict find_root_prim_path_from_regex "
    "create_trimesh_from_geom_mesh convert_faces_to_triangles PRIMITIVE_MESH_TYPES",
}


@pytest.mark.parametrize("module", NAMES)
def test_names_are_there(module):
    pytest.importorskip("pxr", reason="USD is not installed: extra isaac")
    found = importlib.import_module(f"phalanx.facade.{module}")
    assert [name for name in NAMES[module].split() if not hasattr(found, name)] == []


def test_unknown_names_are_told():
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = utils.nonsense


@pytest.mark.skipif(wheel.source() is not None, reason="Isaac Lab's wheel is installed")
def test_what_the_wheel_has_is_told_without_it():
    with pytest.raises(AttributeError, match="without Isaac Lab's wheel"):
        _ = utils.configure_logging


def test_dictionaries_are_updated_within():
    first = {"a": {"x": 1, "y": 2}, "b": 3}
    assert update_dict(first, {"a": {"y": 5}, "c": {"z": 1}}) is first
    assert first == {"a": {"x": 1, "y": 5}, "b": 3, "c": {"z": 1}}


def test_the_first_expression_in_a_path():
    assert find_root_prim_path_from_regex("/World/envs/env_.*/Robot") == ("/World/envs", 3)
    assert find_root_prim_path_from_regex("/World/[ab]/c_.*") == ("/World", 2)
    assert find_root_prim_path_from_regex("/World/Robot") == (None, None)


def test_versions_compare_as_numbers():
    assert utils.compare_versions("5.10.0", "5.9.0") == 1 and utils.compare_versions("5.1", "5.1.0") == 0
    assert str(utils.get_isaac_sim_version()) == "5.1.0"
