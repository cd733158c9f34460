"""What scripts draw, in the viewer: markers, debug lines and pictures of cameras."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr", reason="usd-core is not installed (pip install 'phalanx[isaac]')")
pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")

from facade.camera_scenes import ALL, ENV, HEIGHT, WIDTH, at, camera, looking
from facade.sensor_scenes import box, environments
from oracles import host
from viewer_client import Client, until

import phalanx as px
from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.markers import VisualizationMarkers, VisualizationMarkersCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaacsim.util.debug_draw import _debug_draw
from phalanx.facade.visible.shown import SensorFeed, ShownStage, show_stage
from phalanx.viewer.drawings import Copies, Lines, Points

SORTS: Any = VisualizationMarkersCfg(
    prim_path="/Visuals/shown",
    markers={
        "ball": sim_utils.SphereCfg(radius=0.1),
        "rod": sim_utils.CuboidCfg(
            size=(0.4, 0.2, 0.1), visual_material=sim_utils.PreviewSurfaceCfg(diffuse_color=(1.0, 0.0, 0.0))
        ),
    },
)


@pytest.fixture
def sim(device: str) -> Iterator[SimulationContext]:
    """Three environments, each with a box at its origin."""
    stage.new_stage()
    made = SimulationContext(SimulationCfg(device=device, gravity=(0.0, 0.0, 0.0)))
    environments(3)
    kept = box("box", (0.0, 0.0, 0.5), size=0.6)
    yield made
    assert kept is not None
    _debug_draw.acquire_debug_draw_interface().clear_lines()
    _debug_draw.acquire_debug_draw_interface().clear_points()
    SimulationContext.clear_instance()
    physics_events.clear()


def test_markers_stand_with_their_environments(sim: SimulationContext) -> None:
    """Turned, stretched and moved as the script says; what is nearest to an origin is its environment's."""
    sim.reset()
    origins = np.asarray(sim.stage_world.origins)
    assert len(origins) == 3
    markers = VisualizationMarkers(SORTS)
    turn = np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])  # x becomes y
    places = origins + [0.1, 0.2, 1.0]
    markers.visualize(places, np.tile(turn, (3, 1)), np.tile([2.0, 1.0, 1.0], (3, 1)), np.array([1, 0, 1]))
    shown, offsets = ShownStage(sim.stage_world), np.array([[5.0, 0, 0], [-5.0, 0, 0]], np.float32)
    (rod,) = shown.markers(np.array([2, 0]), offsets)
    assert isinstance(rod, Copies)
    order = np.argsort(-rod.positions[:, 0])
    np.testing.assert_allclose(rod.positions[order], offsets + np.array([0.1, 0.2, 1.0]), atol=1e-5)
    np.testing.assert_allclose(np.abs(rod.orientations @ turn), 1.0, atol=1e-3)  # USD keeps half floats
    np.testing.assert_allclose(np.ptp(rod.vertices, axis=0) * rod.scales[0], (0.8, 0.2, 0.1), atol=1e-5)
    np.testing.assert_array_equal(rod.color, (255, 0, 0))
    (ball,) = shown.markers(np.array([1]), np.zeros((1, 3)))
    assert isinstance(ball, Copies)
    assert np.ptp(ball.vertices, axis=0)[2] == pytest.approx(0.2, rel=0.02) and len(ball.positions) == 1
    markers.set_visibility(False)
    assert not shown.markers(np.array([0]), np.zeros((1, 3)))


def test_debug_lines_and_points(sim: SimulationContext) -> None:
    sim.reset()
    origins = np.asarray(sim.stage_world.origins)
    draw = _debug_draw.acquire_debug_draw_interface()
    starts = origins + [0.0, 0.0, 1.0]
    draw.draw_lines(starts, starts + [0.0, 0.5, 0.0], [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]], [1, 4, 4])
    draw.draw_points(starts, [[1, 1, 1, 1]] * 3, [10, 10, 20])
    shown = ShownStage(sim.stage_world)
    lines, points = shown.debug(np.array([1]), np.zeros((1, 3)))
    assert isinstance(lines, Lines) and isinstance(points, Points)
    np.testing.assert_allclose(lines.ends, [[[0, 0, 1], [0, 0.5, 1]]], atol=1e-6)
    np.testing.assert_array_equal(lines.colors, [[[0, 255, 0]] * 2])
    assert lines.thickness == 4 and lines.pixels
    np.testing.assert_allclose(points.places, [[0, 0, 1]], atol=1e-6)
    both = [each for each in shown.debug(np.arange(3), np.zeros((3, 3))) if isinstance(each, Lines)]
    assert sorted(len(each.ends) for each in both) == [1, 2]  # by thickness


def test_a_viewer_shows_what_a_script_draws(sim: SimulationContext) -> None:
    """Cameras are found by themselves, and show the script's last picture."""
    eye = np.array([-2.5, 0.0, 0.5])
    seen = camera(f"{ENV}/camera", offset=at(eye, looking([1.0, 0.0, 0.0])))
    sim.reset()
    VisualizationMarkers(SORTS)
    sim.step()
    seen.update(0.01, force_recompute=True)
    depth = host(seen.data.output["depth"])[1]
    with px.Viewer(sim.stage_world.world, port=0) as viewer, Client(viewer.server.get_port()) as client:
        show_stage(viewer, sim.stage_world)
        name = f"{ENV}/camera"
        until(lambda: viewer.frames > 2 and name in viewer.camera_panel.names and viewer.camera_panel._frustums)
        until(lambda: len(viewer.drawings._nodes["Markers"]) == 2)
        client.put(viewer.run_panel.envs.env, 1)
        client.put(viewer.camera_panel.kind, "depth")
        until(lambda: viewer.camera_panel._image is not None and viewer.camera_panel._image.image.shape[:2] == (32, 48))
        np.testing.assert_allclose(viewer.camera_panel._frustums[name][0].position, eye, atol=1e-5)
    feed = SensorFeed(sim.stage_world, seen)
    assert depth.shape[:2] == (HEIGHT, WIDTH) and set(feed.kinds) == {*ALL} - {"motion_vectors"}
    near = 255.0 * 2.0 / (2.0 + np.maximum(depth[..., 0], 0.0))
    np.testing.assert_array_equal(feed.picture("depth", 1)[..., 0], np.round(np.where(np.isfinite(near), near, 0)))
    assert all(feed.picture(kind, 2).shape == (HEIGHT, WIDTH, 3) for kind in feed.kinds)
    pose = feed.pose(2)
    assert pose is not None and pose.aspect == pytest.approx(WIDTH / HEIGHT)
    np.testing.assert_allclose(pose.position, eye, atol=1e-5)
