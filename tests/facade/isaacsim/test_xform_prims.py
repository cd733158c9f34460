"""Views of prims that have a place: poses in the world and below others, scales, visibility, materials."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from facade.isaacsim.core_scenes import boxes, host, kind, kind_of_pose, like, xforms

from phalanx.facade import stage
from phalanx.facade.isaacsim.core.api.materials import PreviewSurface
from phalanx.facade.isaacsim.core.prims import SingleXFormPrim, XFormPrim
from phalanx.io.formats.usd.bindings import UsdGeom

HALF = float(np.sqrt(0.5))


def test_poses_in_the_world_and_below_others(world, backend):
    xforms("/World/A", "/World/A/x", "/World/B", "/World/B/x")
    above = XFormPrim("/World/[AB]", positions=like(backend, [[1, 0, 0], [0, 2, 0]]))
    above.set_world_poses(orientations=like(backend, [[HALF, 0, 0, HALF]]), indices=[1])  # B turns by 90 degrees
    below = XFormPrim("/World/.*/x", translations=like(backend, [[1, 0, 0], [1, 0, 0]]))
    places, turns = below.get_world_poses()
    assert kind(places) == kind(turns) == backend and places.shape == (2, 3) and turns.shape == (2, 4)
    np.testing.assert_allclose(host(places), [[2, 0, 0], [0, 3, 0]], atol=1e-6)
    np.testing.assert_allclose(host(turns), [[1, 0, 0, 0], [HALF, 0, 0, HALF]], atol=1e-6)
    below.set_world_poses(like(backend, [[5, 5, 5]]), indices=like(backend, [1], "int64"))
    np.testing.assert_allclose(host(below.get_local_poses()[0]), [[1, 0, 0], [3, -5, 5]], atol=1e-6)
    np.testing.assert_allclose(host(below.get_world_poses(indices=[1])[0]), [[5, 5, 5]], atol=1e-6)
    below.set_local_poses(orientations=like(backend, [[0, 1, 0, 0]] * 2))
    np.testing.assert_allclose(host(below.get_local_poses()[0]), [[1, 0, 0], [3, -5, 5]], atol=1e-6)
    np.testing.assert_allclose(host(below.get_world_poses()[1])[0], [0, 1, 0, 0], atol=1e-6)


def test_scale_of_what_is_above_counts_for_places_only(world):
    xforms("/World/A", "/World/A/x")
    XFormPrim("/World/A", scales=np.array([[2.0, 3.0, 4.0]]))
    below = XFormPrim("/World/A/x", translations=np.array([[1.0, 1.0, 1.0]]))
    np.testing.assert_allclose(below.get_world_poses()[0], [[2, 3, 4]])
    np.testing.assert_allclose(below.get_world_scales(), [[2, 3, 4]])
    np.testing.assert_allclose(below.get_local_scales(), [[1, 1, 1]])
    below.set_local_scales(np.array([[1.0, 1.0, 0.5]]))
    np.testing.assert_allclose(below.get_world_scales(), [[2, 3, 2]])
    below.set_world_poses(np.array([[8.0, 8.0, 8.0]]))
    np.testing.assert_allclose(below.get_local_poses()[0], [[4, 8 / 3, 2]], rtol=1e-6)


def test_visibility_and_materials(world):
    xforms("/World/A", "/World/A/x")
    view, below = XFormPrim("/World/A"), XFormPrim("/World/A/x")
    view.set_visibilities([False])
    assert view.get_visibilities().tolist() == below.get_visibilities().tolist() == [False]
    below.set_visibilities([True])  # what is above is shown, too
    assert view.get_visibilities().tolist() == [True]
    material = PreviewSurface("/World/Looks/red", color=np.array([1.0, 0.0, 0.0]))
    assert view.is_visual_material_applied() == [False] and view.get_applied_visual_materials() == [None]
    view.apply_visual_materials(material)
    assert view.is_visual_material_applied() == [True] and view.get_applied_visual_materials()[0] is material
    found = XFormPrim("/World/A").get_applied_visual_materials()[0]
    np.testing.assert_allclose(found.get_color(), [1, 0, 0])
    with pytest.raises(ValueError, match="2 visual materials for 1 prims"):
        view.apply_visual_materials([material, material])


def test_default_state(world):
    xforms("/World/A", "/World/B")
    view: Any = XFormPrim("/World/[AB]", positions=np.array([[1.0, 0, 0], [2.0, 0, 0]]))
    view.set_default_state(positions=np.array([[7.0, 0, 0]]), indices=[1])
    view.set_world_poses(np.zeros((2, 3)))
    view.post_reset()
    np.testing.assert_allclose(view.get_world_poses()[0], [[1, 0, 0], [7, 0, 0]])
    np.testing.assert_allclose(view.get_default_state().positions, [[1, 0, 0], [7, 0, 0]])


def test_what_is_carried_by_a_body_moves_with_it(world):
    boxes(1)
    xforms("/World/Box_0/camera")
    camera = SingleXFormPrim("/World/Box_0/camera", translation=np.array([0.0, 0.0, 0.5]))
    world.reset()
    for _ in range(30):
        world.step(render=False)
    fallen = 9.81 / 60**2 * 30 * 31 / 2
    np.testing.assert_allclose(camera.get_world_pose()[0], [0, 0, 1.5 - fallen], atol=1e-4)
    np.testing.assert_allclose(camera.get_local_pose()[0], [0, 0, 0.5], atol=1e-6)
    box = SingleXFormPrim("/World/Box_0")
    box.set_world_pose(np.array([3.0, 0.0, 2.0]))  # a body that is simulated is teleported
    np.testing.assert_allclose(camera.get_world_pose()[0], [3, 0, 2.5], atol=1e-5)
    world.stop()
    np.testing.assert_allclose(camera.get_world_pose()[0], [0, 0, 1.5], atol=1e-6)


def test_single_ones_are_created_and_have_no_first_axis(world, backend):
    prim = SingleXFormPrim("/World/new", "it", position=like(backend, [1, 2, 3]), visible=False)
    assert prim.prim.GetTypeName() == "Xform" and prim.name == "it" and not prim.get_visibility()
    place, turn = prim.get_world_pose()
    assert kind(place) == kind_of_pose(backend) and place.shape == (3,) and turn.shape == (4,)
    np.testing.assert_allclose(host(place), [1, 2, 3])
    prim.set_local_scale(like(backend, [1, 2, 3]))
    np.testing.assert_allclose(host(prim.get_world_scale()), [1, 2, 3])
    prim.set_default_state(position=like(backend, [9, 9, 9]))
    prim.post_reset()
    np.testing.assert_allclose(host(prim.get_default_state().position), [9, 9, 9])
    np.testing.assert_allclose(host(prim.get_world_pose()[0]), [9, 9, 9])


def test_operations_of_other_kinds_become_standard_ones(world):
    cube = UsdGeom.Cube.Define(stage.get_stage(), "/World/c")
    cube.AddRotateXOp().Set(90.0)
    cube.AddTranslateOp().Set((0.0, 1.0, 0.0))
    view = XFormPrim("/World/c")
    np.testing.assert_allclose(view.get_world_poses()[0], [[0, 0, 1]], atol=1e-6)
    names = [str(op.GetOpName()) for op in UsdGeom.Xformable(cube).GetOrderedXformOps()]
    assert names == ["xformOp:translate", "xformOp:orient", "xformOp:scale"]


def test_what_goes_wrong(world):
    with pytest.raises(ValueError, match="Prim path expression"):
        XFormPrim("/World/nothing.*")
    xforms("/World/A", "/World/B")
    with pytest.raises(ValueError, match="translation and position"):
        XFormPrim("/World/A", positions=np.zeros((1, 3)), translations=np.zeros((1, 3)))
    view = XFormPrim("/World/[AB]")
    with pytest.raises(ValueError, match=r"positions has shape \(3, 3\); it must be \(2, 3\)"):
        view.set_world_poses(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="quaternion of zero length"):
        view.set_world_poses(orientations=np.zeros((2, 4)))
    with pytest.raises(IndexError, match=r"indices must lie in 0\.\.1"):
        view.get_world_poses(indices=[2])
    with pytest.raises(TypeError, match="whole numbers"):
        view.get_world_poses(indices=[0.5])
    stage.get_stage().RemovePrim("/World/B")
    assert not view.is_valid()
    with pytest.raises(RuntimeError, match="not a valid view"):
        view.get_world_poses()
