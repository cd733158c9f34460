"""Deformable bodies in the viewer: where nodes are, live, from recordings, and in pages."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px

pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")

from viewer_client import Client, until

from phalanx.models.meshes.tubes import SIDES, tube_faces, tube_vertices
from phalanx.viewer.recorded import RecordingViewer, export_html
from phalanx.world.snapshots import take_snapshot


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    """A cloth of four triangles and a cube of five tetrahedra that fall."""
    made = px.World(num_envs=3, dt=1 / 60, device=device)
    made.add_cloth(px.ClothMesh.grid(0.4, 0.2, 2, 1), "flag", position=(0.0, 0.0, 1.0))
    made.add_soft_body(px.Shape("box", (0.2, 0.2, 0.2)), "cube", resolution=1, position=(0.5, 0.0, 0.5))
    return made.build()


@pytest.fixture(scope="module")
def recording(world: px.World, tmp_path_factory: pytest.TempPathFactory) -> px.Recording:
    path = tmp_path_factory.mktemp("soft") / "run.zarr"
    world.reset()
    with px.Recorder(world, path):
        world.step(8)
    return px.open_recording(path)


def test_snapshots_have_nodes(world: px.World) -> None:
    world.reset()
    world.step(3)
    cube, flag = take_snapshot(world, [2, 0]).nodes
    np.testing.assert_allclose(cube, world.deformables["cube"].node_pos[[2, 0]], atol=1e-6)
    np.testing.assert_allclose(flag, world.cloths["flag"].node_pos[[2, 0]], atol=1e-6)


def test_browsers_have_the_nodes_of_what_is_seen(world: px.World) -> None:
    world.reset()
    with px.Viewer(world, port=0) as viewer, Client(viewer.server.get_port()) as client:
        until(lambda: viewer.frames > 1)
        assert abs(float(viewer.center[2]) - 0.7) < 0.3, "the camera is made for what is soft"
        handles = viewer.scene._soft._handles
        assert [len(handle.faces) for handle in handles] == [12, 4]
        received = client.received
        world.step(5)
        wanted = world.cloths["flag"].node_pos[0]
        until(lambda: np.allclose(handles[1].vertices, wanted, atol=1e-6))
        until(lambda: client.received > received)
        viewer.selection.mode = "Grid"
        until(lambda: [len(each.vertices) for each in viewer.scene._soft._handles[1:]] == [3 * len(wanted)])
        flag = viewer.scene._soft._handles[1]
        offsets = viewer.selection.offsets()
        np.testing.assert_allclose(flag.vertices.reshape(3, -1, 3)[2], wanted + offsets[2], atol=1e-6)
        assert flag.faces.max() == 3 * len(wanted) - 1


def test_recordings_and_pages(recording: px.Recording, tmp_path) -> None:
    flag = recording.deformables["flag"].node_pos
    with RecordingViewer(recording, port=0, playing=False) as viewer:
        viewer.poses.at(viewer.start, np.array([1]))
        between = 0.5 * (recording.time[3] + recording.time[4])
        found = viewer.poses.at(float(between), np.array([1])).nodes[1]
        np.testing.assert_allclose(found[0], 0.5 * (flag[1, 3] + flag[1, 4]), atol=1e-6)
        with Client(viewer.server.get_port()):
            viewer.seek(viewer.end)
            until(lambda: np.allclose(viewer.scene._soft._handles[1].vertices, flag[0, -1], atol=1e-6))
    frames = export_html(recording, tmp_path / "a.viser", fps=60.0)
    page = (tmp_path / "a.viser").read_bytes()
    still = tmp_path / "still.viser"
    assert frames >= 7 and export_html(recording, still, fps=1.0) < frames
    assert len(page) > len(still.read_bytes()) + 100, "later frames have nodes of their own"


def test_ropes_are_tubes() -> None:
    """Rings lie across the line, at the radius, and triangles face outwards."""
    turn = np.linspace(0, 5, 40)
    line = np.stack([0.2 * np.cos(turn), 0.2 * np.sin(turn), 0.05 * turn], axis=1)
    lines = np.stack([line, line[::-1] + 1.0])
    points = tube_vertices(lines, 0.01)
    away = points.reshape(2, 40, SIDES, 3) - lines[:, :, None]
    np.testing.assert_allclose(np.linalg.norm(away, axis=3), 0.01, rtol=1e-9)
    along = lines[:, 2:] - lines[:, :-2]
    assert np.abs((away[:, 1:-1] * along[:, :, None]).sum(axis=3)).max() < 1e-5
    corners = points[:, tube_faces(40)]
    normal = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
    ring = np.arange(39).repeat(SIDES)
    middle = (lines[:, :-1] + lines[:, 1:])[:, np.concatenate([ring, ring])] / 2
    assert ((corners.mean(axis=2) - middle) * normal).sum(axis=2).min() > 0


def test_browsers_have_ropes(device: str) -> None:
    made = px.World(dt=1 / 60, device=device)
    made.add_rope(px.RopeLine.straight(1.0, 4), "cable", radius=0.02, position=(0, 0, 1))
    made.build()
    with px.Viewer(made, port=0) as viewer, Client(viewer.server.get_port()):
        until(lambda: viewer.frames > 1)
        made.step(3)
        wanted = tube_vertices(made.ropes["cable"].node_pos, 0.02)[0]
        until(lambda: np.allclose(viewer.scene._soft._handles[0].vertices, wanted, atol=1e-6))
