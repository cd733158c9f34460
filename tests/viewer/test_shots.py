"""Pictures and films of what a browser sees."""

import io

import numpy as np
import pytest

import phalanx as px
from phalanx.images.pictures.framing import Camera

pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")

SIZE = (96, 64)
FROM = Camera((1.2, 0.9, 0.7), (0.0, 0.0, 0.2), 45.0)


class Browser:
    """What gets files."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def send_file_download(self, name: str, content: bytes, save_immediately: bool) -> None:
        assert save_immediately
        self.files[name] = content


@pytest.fixture(scope="module")
def world(device):
    world = px.World(num_envs=3, device=device)
    world.add_ground()
    world.add_robot("quadruped", name="dog")
    return world.build()


def frames_of(content: bytes) -> list[np.ndarray]:
    av = pytest.importorskip("av", reason="PyAV is not installed (pip install 'phalanx[video]')")
    with av.open(io.BytesIO(content)) as file:
        return [frame.to_ndarray(format="rgb24").astype(int) for frame in file.decode(video=0)]


def test_a_picture_shows_the_environments_that_are_seen_where_they_are_seen(world):
    world.reset()
    with px.Viewer(world, port=0) as viewer:
        shots = viewer.camera_panel.shots
        one = shots.picture(FROM, SIZE)
        assert one.shape == (64, 96, 3) and one.std() > 10
        viewer.selection.mode, viewer.selection.count, viewer.selection.spacing = "Grid", 3, 2.0
        world.robots["dog"].set_root_state(pose=[0.0, 0.0, 9.0, 1.0, 0.0, 0.0, 0.0], env_ids=[0, 2])
        there, empty = (shots.picture(moved(place), SIZE) for place in viewer.selection.offsets()[[1, 0]])
    middle = (slice(20, 44), slice(32, 64))  # the robot; tiles of the ground are others on a grid
    off, without = (np.abs(one[middle].astype(int) - each[middle]).mean() for each in (there, empty))
    assert off < 0.4 * without


def moved(way: np.ndarray) -> Camera:
    eye, target = np.add(FROM.eye, way).tolist(), np.add(FROM.target, way).tolist()
    return Camera((eye[0], eye[1], eye[2]), (target[0], target[1], target[2]), FROM.angle)


def test_a_film_has_a_frame_each_25th_of_a_simulated_second(world):
    world.reset()
    browser, began = Browser(), []
    with px.Viewer(world, port=0) as viewer:
        shots = viewer.camera_panel.shots
        viewer.do(lambda world: (shots.begin(FROM, SIZE, browser), began.append(world.time)))
        viewer.run(60)
        assert shots.filming and shots.film.label == "End of the film"
        viewer.do(lambda _: shots.end())
        ended = world.time
        viewer.run(1)
        assert not shots.filming and shots.film.label == "Film"
    ((name, content),) = browser.files.items()
    assert name in ("phalanx.mp4", "phalanx.gif")
    frames = frames_of(content)
    assert len(frames) == int((ended - began[0]) * 25 + 1e-6) + 1
    assert frames[0].shape == (64, 96, 3) and np.abs(frames[0] - frames[-1]).mean() > 0.5  # it falls


def test_a_film_that_fails_is_told_once(world, monkeypatch):
    world.reset()
    with px.Viewer(world, port=0) as viewer:
        shots = viewer.camera_panel.shots
        shots.begin(FROM, SIZE)

        def full(_):
            raise OSError("no space left on device")

        monkeypatch.setattr(shots._video, "add", full)
        with pytest.warns(UserWarning, match="no space left") as told:
            viewer.run(40)
        assert len(told) == 1 and not shots.filming and shots.film.label == "Film"


def test_a_viewer_that_closes_keeps_no_film(world, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with px.Viewer(world, port=0) as viewer:
        viewer.camera_panel.shots.begin(FROM, SIZE)
        assert [path.name for folder in tmp_path.iterdir() for path in folder.iterdir()]
    assert not list(tmp_path.iterdir())


def test_a_recording_is_filmed_as_it_plays(world, tmp_path):
    world.reset()
    from phalanx.viewer.recorded import RecordingViewer

    with px.Recorder(world, tmp_path / "run.zarr"):
        world.step(40)
    with RecordingViewer(px.open_recording(tmp_path / "run.zarr"), port=0, playing=False) as viewer:
        shots, browser = viewer.camera_panel.shots, Browser()
        viewer.do(lambda _: shots.begin(FROM, SIZE, browser))
        for when in (0.1, 0.2):
            viewer.seek(when)
            viewer.do(lambda _: shots.take(viewer.seen()))
        viewer.do(lambda _: shots.end())
        picture = shots.picture(FROM, SIZE)
    (content,) = browser.files.values()
    frames = frames_of(content)
    assert len(frames) == 3
    assert np.abs(frames[-1] - picture).mean() < 8 < np.abs(frames[0] - picture).max()
