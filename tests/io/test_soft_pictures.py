"""Soft bodies and cloth in pictures and films: where their nodes are, when."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from oracles import host
from PIL import Image

import phalanx as px
from phalanx.commands.cli import main
from phalanx.images.pictures.film import framed_painter, write_film
from phalanx.images.pictures.framing import Camera
from phalanx.images.pictures.picture import WorldPainter
from phalanx.io.exports.export import export
from phalanx.io.recordings.added_sensors import height_scan
from phalanx.io.recordings.playback import Playback
from phalanx.world.snapshots import node_positions

FROM_X = Camera(eye=(2.0, 0.0, 0.5), target=(0.0, 0.0, 0.5), angle=40.0)
HALF, FOCAL = 0.1, 60.0 / np.tan(np.deg2rad(20.0))


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    """A soft cube of 0.2 m that hangs without gravity 0.5 m up."""
    made = px.World(num_envs=2, dt=1 / 60, device=device)
    cube = px.Shape("box", (HALF, HALF, HALF))
    made.add_soft_body(cube, "cube", resolution=1, position=(0.0, 0.0, 0.5), disable_gravity=True)
    return made.build()


def outline(image: np.ndarray) -> tuple[float, float, int]:
    """Middle (row, column) and number of the pixels that are orange."""
    pixels = image.astype(int)
    rows, columns = np.nonzero(pixels[..., 0] > pixels[..., 2] + 25)
    return float(rows.mean()), float(columns.mean()), len(rows)


def test_a_cube_is_where_its_nodes_are(world: px.World) -> None:
    """Its near face is a square of f 2 h / (d - h) pixels; half a metre to the side it is f 0.5 / d columns away."""
    body = world.deformables["cube"]
    world.reset()
    painter = WorldPainter(world, [0], size=(160, 120), camera=FROM_X, ground=None, passes=4)
    row, column, count = outline(painter.draw())
    side = FOCAL * 2 * HALF / (2.0 - HALF)
    assert (row, column) == (pytest.approx(59.5, abs=1), pytest.approx(79.5, abs=1))
    assert count == pytest.approx(side**2, rel=0.12)
    body.set_node_state(pos=host(body.node_pos) + np.array([0.0, 0.3, 0.0]), env_ids=None)
    _, aside, _ = outline(painter.draw())
    assert aside - column == pytest.approx(FOCAL * 0.3 / (2.0 - HALF), rel=0.1)


def test_a_film_has_nodes_of_its_own(world: px.World, tmp_path: Path) -> None:
    """It moves up from frame to frame, whatever the world is now; without nodes it is not seen."""
    world.reset()
    first = node_positions(world, np.array([0]))
    nodes = [tuple(each + np.array([0, 0, 0.1 * n], np.float32) for each in first) for n in range(3)]
    poses = np.zeros((3, 1, 0, 7), np.float32)
    painter, shifts = framed_painter(world, poses, 10.0, [0], nodes=nodes, size=(96, 72), ground=None)
    assert not shifts.any()
    assert write_film(tmp_path / "a.gif", painter, poses, shifts, 10.0, nodes=nodes) == 3
    rows = []
    with Image.open(tmp_path / "a.gif") as film:
        for n in range(3):
            film.seek(n)
            rows.append(outline(np.asarray(film.convert("RGB")))[0])
    assert rows[0] - 3 > rows[1] and rows[1] - 3 > rows[2]
    with pytest.raises(ValueError, match="nothing in the world has a shape to show"):
        framed_painter(world, poses, 10.0, [0], size=(96, 72))


def test_two_environments_stand_apart(world: px.World) -> None:
    world.reset()
    above = Camera(eye=(0.01, 0.0, 4.0), target=(0.0, 0.0, 0.5), angle=40.0)
    image = WorldPainter(world, size=(160, 120), ground=None, passes=4, camera=above, spacing=0.6).draw()
    pixels = image.astype(int)
    orange = pixels[..., 0] > pixels[..., 2] + 25
    ends = [np.flatnonzero(np.diff(orange.any(axis=axis).astype(int), prepend=0, append=0)) for axis in (0, 1)]
    assert sorted(map(len, ends)) == [2, 4], "two cubes beside each other, with a gap"


def test_a_rope_is_a_tube_in_pictures(device: str) -> None:
    """Straight along y, 0.6 m and 40 mm thick: f l / d columns and f 2 r / d rows of pixels."""
    made = px.World(dt=1 / 60, device=device)
    made.add_rope(px.RopeLine.straight(0.6, 4), "cable", radius=0.02, position=(0, 0, 0.5))
    made.build()
    rope = made.ropes["cable"]
    nodes = host(rope.node_pos)
    along = np.linspace(-0.3, 0.3, nodes.shape[1])
    rope.set_node_state(pos=np.stack([0 * along, along, 0 * along + 0.5], axis=-1)[None])
    image = WorldPainter(made, [0], size=(160, 120), camera=FROM_X, ground=None, passes=4).draw().astype(int)
    nothing = np.abs(image - image[0, 0]).max(axis=-1) < 25
    rows, columns = np.nonzero(~nothing)
    assert np.ptp(columns) + 1 == pytest.approx(FOCAL * 0.6 / 2.0, abs=3)
    assert np.ptp(rows) + 1 == pytest.approx(FOCAL * 0.04 / 2.0, abs=2)


def test_a_replay_has_nodes(tmp_path: Path, device: str) -> None:
    """A recording's picture and video show a cube that falls where it was; sensors that are added see it, too."""
    made = px.World(dt=1 / 60, device=device)
    made.add_soft_body(px.Shape("box", (HALF, HALF, HALF)), "cube", resolution=1, position=(0.0, 0.0, 1.0))
    made.add_rigid_object(px.Shape("sphere", (0.02,)), "ball", kind="static", position=(0.0, 0.0, 3.0))
    with px.Recorder(made, tmp_path / "fall.zarr"):
        made.step(20)
    playback = Playback(px.open_recording(tmp_path / "fall.zarr"))
    times = playback.time[[0, -1]]
    nodes = playback.nodes_at(times)
    assert nodes is not None
    np.testing.assert_allclose(nodes[1][0], host(made.deformables["cube"].node_pos), atol=1e-6)
    np.testing.assert_allclose(nodes[0][0].mean(axis=1)[0, 2], 1.0, atol=1e-6)
    table = tmp_path / "fall.csv"
    chosen = ["cube/node_offset", "cube/origin"]
    export(px.open_recording(tmp_path / "fall.zarr"), "csv", table, observations=chosen)  # nodes have numbers for names
    with open(table, newline="") as file:
        *_, row = csv.DictReader(file)
    last = float(row["observation.cube/node_offset.0.z"]) + float(row["observation.cube/origin.z"])
    assert last == pytest.approx(playback.recording.deformables["cube"].node_pos[0, -2, 0, 2], abs=1e-5)
    scan = height_scan(playback, "ball")[0]
    middle = scan.values[-1].reshape(-1)[scan.values[-1].size // 2]
    assert middle == pytest.approx(nodes[1][0][..., 2].max(), abs=1e-4)
    command = ["replay", str(tmp_path / "fall.zarr"), "--video", str(tmp_path / "fall.gif"), "--size", "64", "48"]
    assert main([*command, "--eye", "3", "0", "0.8", "--target", "0", "0", "0.8", "--fps", "10"]) == 0
    with Image.open(tmp_path / "fall.gif") as film:
        rows = []
        for n in (0, film.n_frames - 1):  # type: ignore[attr-defined]
            film.seek(n)
            rows.append(outline(np.asarray(film.convert("RGB")))[0])
    assert rows[1] > rows[0] + 2
