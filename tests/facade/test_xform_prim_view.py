"""Views of many prims of the stage: poses, scales and visibility, read and written; wrong use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import host
from scipy.spatial.transform import Rotation

from phalanx.facade import stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.sim import XformPrimView

PARENTS = [((1.0, 2.0, 3.0), (0.8, 0.0, 0.6, 0.0)), ((-4.0, 0.0, 1.0), (0.5, 0.5, -0.5, 0.5))]
CHILD = "/World/Parent_.*/Child"


@pytest.fixture
def view() -> XformPrimView:
    stage.new_stage()
    for i, (place, turn) in enumerate(PARENTS):
        sim_utils.create_prim(f"/World/Parent_{i}", "Xform", translation=place, orientation=turn)
        sim_utils.create_prim(f"/World/Parent_{i}/Child", "Cube", translation=(0.0, 0.0, 1.0), scale=(1.0, 2.0, 3.0))
    return XformPrimView(CHILD)


def rotation(wxyz: Any) -> Rotation:
    return Rotation.from_quat(np.asarray(wxyz), scalar_first=True)


def test_poses_in_the_world_and_in_frames_of_parents(view: XformPrimView) -> None:
    rng = np.random.default_rng(3)
    places = rng.normal(size=(2, 3)).astype(np.float32)
    turns = Rotation.random(2, rng=rng).as_quat(scalar_first=True).astype(np.float32)
    view.set_world_poses(places, turns)
    found, turned = (host(each) for each in view.get_world_poses())
    np.testing.assert_allclose(found, places, atol=1e-6)
    assert (rotation(turned) * rotation(turns).inv()).magnitude().max() < 1e-6
    local, own = (host(each) for each in view.get_local_poses())
    for i, (place, turn) in enumerate(PARENTS):  # p = P + R p_local
        np.testing.assert_allclose(rotation(turn).apply(local[i]) + place, places[i], atol=1e-5)
        assert (rotation(turn) * rotation(own[i]) * rotation(turns[i]).inv()).magnitude() < 1e-5
    np.testing.assert_array_equal(host(view.get_scales()), [[1.0, 2.0, 3.0]] * 2)


def test_what_is_not_given_stays(view: XformPrimView) -> None:
    before, turned = (host(each) for each in view.get_world_poses())
    view.set_world_poses(positions=np.array([[7.0, 8.0, 9.0]], np.float32), indices=[1])
    found, same = (host(each) for each in view.get_world_poses())
    np.testing.assert_allclose(found, [before[0], [7.0, 8.0, 9.0]], atol=1e-6)
    np.testing.assert_allclose(same, turned, atol=1e-6)
    view.set_local_poses(orientations=np.array([[0.0, 1.0, 0.0, 0.0]] * 2, np.float32))
    place, turn = (host(each) for each in view.get_local_poses(indices=[0]))
    np.testing.assert_allclose(place, [[0.0, 0.0, 1.0]], atol=1e-6)
    np.testing.assert_allclose(np.abs(turn), [[0.0, 1.0, 0.0, 0.0]], atol=1e-6)


def test_scales_and_visibility(view: XformPrimView) -> None:
    view.set_scales(np.array([[4.0, 5.0, 6.0]], np.float32), indices=[0])
    np.testing.assert_array_equal(host(view.get_scales(slice(None))), [[4.0, 5.0, 6.0], [1.0, 2.0, 3.0]])
    view.set_visibility(np.array([False, True]))
    assert host(view.get_visibility()).tolist() == [False, True]
    XformPrimView("/World/Parent_1").set_visibility(np.array([False]))
    assert host(view.get_visibility()).tolist() == [False, False]


def test_wrong_use(view: XformPrimView) -> None:
    with pytest.raises(ValueError, match=r"Expected positions shape \(2, 3\), got \(1, 3\)"):
        view.set_world_poses(np.zeros((1, 3), np.float32))
    with pytest.raises(ValueError, match=r"Expected visibility shape \(2,\)"):
        view.set_visibility(np.ones((2, 1), bool))
    sim_utils.get_current_stage().DefinePrim("/World/Bare", "Xform")
    with pytest.raises(ValueError, match=r"</World/Bare>, a Xform, is not a xformable prim.*standardize_xform_ops"):
        XformPrimView("/World/Bare")
    bare = XformPrimView("/World/Bare", validate_xform_ops=False)
    assert host(bare.get_world_poses()[0]).tolist() == [[0.0, 0.0, 0.0]]
    with pytest.raises(ValueError, match="has no xformOp:scale"):
        bare.set_scales(np.ones((1, 3), np.float32))


def test_spawners_are_known_by_their_modules() -> None:
    assert sim_utils.materials.RigidBodyMaterialCfg is sim_utils.RigidBodyMaterialCfg
    assert sim_utils.shapes.CuboidCfg is sim_utils.CuboidCfg


def test_attributes_of_cameras() -> None:
    from phalanx.facade.isaaclab.sim.spawners.sensors import sensors

    assert sensors.CUSTOM_PINHOLE_CAMERA_ATTRIBUTES.keys() == {"projection_type"}
    fisheye = sensors.CUSTOM_FISHEYE_CAMERA_ATTRIBUTES
    assert len(fisheye) == 12 and fisheye["fisheye_max_fov"][0] == "fthetaMaxFov"
    with pytest.raises(AttributeError, match="no attribute 'CUSTOM_CAMERA'"):
        _ = sensors.CUSTOM_CAMERA
