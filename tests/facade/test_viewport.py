"""The main window's view, of which there is only the camera, and what is selected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr", reason="USD is not installed: extra isaac")

from phalanx.facade import stage as stages
from phalanx.facade.omni import usd
from phalanx.facade.omni.kit.viewport import utility
from phalanx.facade.omni.kit.viewport.utility.camera_state import CENTER, ViewportCameraState
from phalanx.io.formats.usd.bindings import Gf, Usd, UsdGeom


@pytest.fixture
def stage() -> Any:
    made = stages.new_stage()
    UsdGeom.SetStageUpAxis(made, UsdGeom.Tokens.z)
    UsdGeom.Xform.Define(made, "/World").AddTranslateOp().Set((1.0, 2.0, 0.5))
    UsdGeom.Camera.Define(made, "/World/Camera")
    return made


def looks(stage: Any, path: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where a camera is, along which axis it looks, and its axis to the right."""
    pose = UsdGeom.Xformable(stage.GetPrimAtPath(path)).ComputeLocalToWorldTransform(Usd.TimeCode.Default())
    rows = np.array(pose)  # of a matrix that points are multiplied with from the left
    return rows[3, :3], -rows[2, :3], rows[0, :3]


def test_the_main_window_knows_its_camera() -> None:
    view = utility.get_active_viewport()
    assert utility.get_viewport_from_window_name("Viewport") is view
    assert utility.get_viewport_from_window_name("Another") is None
    first = view.get_active_camera()
    assert str(first) == "/OmniverseKit_Persp"
    view.set_active_camera("/World/Camera")
    assert str(utility.get_active_viewport_camera_path()) == "/World/Camera"
    view.camera_path = first
    view.set_texture_resolution((640, 480))
    assert view.get_texture_resolution() == view.resolution == (640, 480)
    view.resolution = utility.RESOLUTION


def test_a_camera_turns_to_its_target_or_goes_with_it(stage: Any) -> None:
    state = ViewportCameraState("/World/Camera")
    state.set_position_world(Gf.Vec3d(4.0, 0.0, 3.0), True)
    state.set_target_world(Gf.Vec3d(0.0, 0.0, 1.0), True)
    eye, forward, right = looks(stage, "/World/Camera")
    np.testing.assert_allclose(eye, [4.0, 0.0, 3.0], atol=1e-6)
    np.testing.assert_allclose(forward, np.array([-4.0, 0.0, -2.0]) / np.sqrt(20.0), atol=1e-6)
    assert abs(right[2]) < 1e-6, "the horizon is not level"
    assert stage.GetPrimAtPath("/World/Camera").GetAttribute(CENTER).Get()[2] == pytest.approx(-np.sqrt(20.0))
    np.testing.assert_allclose(np.array(state.target_world), [0.0, 0.0, 1.0], atol=1e-6)
    state.set_position_world((0.0, -5.0, 1.0), True)  # it turns
    np.testing.assert_allclose(looks(stage, "/World/Camera")[1], [0.0, 1.0, 0.0], atol=1e-6)
    state.set_target_world((3.0, 0.0, 1.0), False)  # it goes with the target
    eye, forward, _ = looks(stage, "/World/Camera")
    np.testing.assert_allclose(eye, [3.0, -5.0, 1.0], atol=1e-6)
    np.testing.assert_allclose(forward, [0.0, 1.0, 0.0], atol=1e-6)


def test_cameras_that_are_none(stage: Any) -> None:
    with pytest.raises(ValueError, match="there is no camera at '/World'"):
        ViewportCameraState("/World")
    assert ViewportCameraState().usd_camera.GetPath() == "/OmniverseKit_Persp"


def test_what_is_selected_is_told_and_gone_with_the_stage(stage: Any) -> None:
    context = usd.get_context()
    heard: list[int] = []
    listener = context.get_stage_event_stream().create_subscription_to_pop(lambda event: heard.append(event.type))
    selection = context.get_selection()
    assert selection.set_selected_prim_paths(["/World/Camera", "/World"])
    assert not selection.set_selected_prim_paths(["/World/Camera", "/World"])
    assert selection.get_selected_prim_paths() == ["/World/Camera", "/World"]
    assert selection.is_prim_path_selected("/World") and not selection.is_prim_path_selected("/Wor")
    assert heard == [usd.StageEventType.SELECTION_CHANGED]
    stages.new_stage()
    assert selection.get_selected_prim_paths() == []
    del listener
