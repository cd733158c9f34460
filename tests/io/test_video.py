"""Videos: what is written decodes to the same frames, and what fails leaves nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from phalanx.images.pictures.video import VideoError, VideoWriter, check_video

av: Any = pytest.importorskip("av", reason="PyAV is not installed")

COLORS = ((220, 30, 30), (30, 200, 30), (30, 30, 220), (240, 240, 240))


def frame(n: int, width: int = 64, height: int = 48) -> np.ndarray:
    """Left half of one colour, right half black."""
    image = np.zeros((height, width, 3), np.uint8)
    image[:, : width // 2] = COLORS[n % len(COLORS)]
    return image


def write(path: Path, count: int, fps: float) -> None:
    with VideoWriter(path, fps) as video:
        for n in range(count):
            video.add(frame(n))
    assert video.frames == count


def test_an_mp4_file_decodes_to_its_frames(tmp_path):
    write(tmp_path / "a.mp4", 25, 12.5)
    with av.open(str(tmp_path / "a.mp4")) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264" and stream.codec_context.pix_fmt == "yuv420p"
        assert stream.average_rate == 12.5
        decoded = [(image.time, image.to_ndarray(format="rgb24")) for image in container.decode(stream)]
    assert [time for time, _ in decoded] == pytest.approx([n / 12.5 for n in range(25)], abs=1e-3)
    for n, (_, image) in enumerate(decoded):
        assert image.shape == (48, 64, 3)
        assert np.abs(image[10:38, 5:25].mean(axis=(0, 1)) - COLORS[n % 4]).max() < 12
        assert image[10:38, 40:60].max() < 20
    assert list(tmp_path.iterdir()) == [tmp_path / "a.mp4"]


def test_a_gif_lasts_as_long_as_it_should(tmp_path):
    """At 30 frames a second each would last 3.3 hundredths of a second."""
    write(tmp_path / "a.gif", 30, 30.0)
    with Image.open(tmp_path / "a.gif") as image:
        assert image.size == (64, 48) and getattr(image, "n_frames", 1) == 30
        lasted = []
        for n in range(30):
            image.seek(n)
            lasted.append(image.info["duration"])
            assert np.abs(np.asarray(image.convert("RGB"))[:, :32] - np.array(COLORS[n % 4], float)).max() < 5
    assert sum(lasted) == 1000 and set(lasted) == {30, 40}


@pytest.mark.parametrize("name", ["a.mp4", "a.gif"])
def test_what_ends_early_leaves_what_was_there(tmp_path, name):
    (tmp_path / name).write_text("before")
    with pytest.raises(KeyboardInterrupt), VideoWriter(tmp_path / name) as video:
        for n in range(5):
            video.add(frame(n))
        raise KeyboardInterrupt
    with pytest.raises(VideoError, match="a frame is 32 x 48"), VideoWriter(tmp_path / name) as video:
        video.add(frame(0))
        video.add(frame(0, 32))
    with pytest.raises(VideoError, match="no frame was added"), VideoWriter(tmp_path / name):
        pass
    with pytest.raises(VideoError, match=r"there is no folder .*no; make it"), VideoWriter(tmp_path / "no" / name):
        pass
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [(name, "before")]


@pytest.mark.parametrize(
    ("name", "fps", "size", "message"),
    [
        ("a.avi", 30.0, (4, 4), r"a\.avi: the name of a video must end in \.mp4 or \.gif"),
        ("a.mp4", 0.0, (4, 4), "0.0 frames a second: must be a positive number"),
        ("a.mp4", float("nan"), (4, 4), "nan frames a second"),
        ("a.gif", 60.0, (4, 4), "a GIF shows 50 frames a second at most, not 60"),
        ("a.mp4", 30.0, (5, 4), "must be even, not 5 x 4"),
    ],
)
def test_what_no_video_can_be(name, fps, size, message):
    with pytest.raises(VideoError, match=message):
        check_video(Path(name), fps, size)


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    check_video(Path("a.gif"), 30.0, (5, 5))
    with pytest.raises(VideoError, match="pip install av, or install phalanx with its extra video"):
        check_video(Path("a.mp4"), 30.0, (4, 4))


def test_frames_are_colours():
    with (
        pytest.raises(VideoError, match=r"must be \(height, width, 3\) uint8, not \(4, 4\) uint8"),
        VideoWriter("a.gif") as v,
    ):
        v.add(np.zeros((4, 4), np.uint8))
