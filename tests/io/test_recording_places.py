"""Where recordings and saved worlds are written: one writer a place, no links, and what a full disk leaves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from recorded_worlds import make_world

import phalanx as px
from phalanx.io.recordings import store
from phalanx.io.recordings.replay import open_recording


def child(code: str, *arguments: str, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    paths = os.pathsep.join(map(str, (Path(px.__file__).resolve().parents[1], Path(__file__).parents[1])))
    return subprocess.Popen(
        [*before, sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )


def test_the_error_is_the_package_s() -> None:
    from phalanx.io.recordings.recorder import RecordingError

    assert px.RecordingError is RecordingError
    assert issubclass(RecordingError, RuntimeError)


def test_a_recording_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    first, second = make_world(), make_world()
    with px.Recorder(first, tmp_path / "a.zarr"):
        first.step(2)
        for overwrite, words in ((False, "there is a recording already"), (True, "another recorder is writing there")):
            with pytest.raises(px.RecordingError, match=words):
                px.Recorder(second, tmp_path / "a.zarr", overwrite=overwrite)
        first.step(2)
    assert open_recording(tmp_path / "a.zarr").num_samples == 5
    with px.Recorder(second, tmp_path / "a.zarr", overwrite=True):
        second.step(1)
    assert open_recording(tmp_path / "a.zarr").num_samples == 2
    assert [path.name for path in tmp_path.iterdir()] == ["a.zarr"]


WRITER = """
import sys
import phalanx as px
from recorded_worlds import make_world
world = make_world()
with px.Recorder(world, sys.argv[1]):
    world.step(2)
    print("recording", flush=True)
    sys.stdin.readline()
    world.step(2)
"""


@pytest.mark.parametrize("killed", [False, True])
def test_other_processes_leave_it_alone_too(killed: bool, tmp_path: Path) -> None:
    world = make_world()
    process = child(WRITER, str(tmp_path / "a.zarr"))
    assert process.stdout is not None and process.stdin is not None
    assert process.stdout.readline() == "recording\n"
    with pytest.raises(px.RecordingError, match="another recorder is writing there"):
        px.Recorder(world, tmp_path / "a.zarr", overwrite=True)
    if killed:
        process.kill()
    else:
        process.communicate("\n")
        assert open_recording(tmp_path / "a.zarr").num_samples == 5
    process.wait()
    with px.Recorder(world, tmp_path / "a.zarr", overwrite=True):  # nobody holds it any more
        world.step(7)
    assert open_recording(tmp_path / "a.zarr").num_samples == 8


def test_of_many_that_begin_at_once_one_gets_the_place(tmp_path: Path) -> None:
    worlds = [make_world() for _ in range(4)]
    for number in range(5):
        path, begun, refused = tmp_path / f"{number}.zarr", [], []
        gate = threading.Barrier(len(worlds))

        def begin(world: px.World, path: Path = path, gate: threading.Barrier = gate) -> None:
            gate.wait()
            try:
                begun.append((world, px.Recorder(world, path)))  # noqa: B023
            except px.RecordingError as error:
                refused.append(str(error))  # noqa: B023

        threads = [threading.Thread(target=begin, args=(world,)) for world in worlds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(begun) == 1 and len(refused) == 3, refused
        begun[0][0].step(3)
        begun[0][1].close()
        assert open_recording(path).num_samples == 4


def test_links_are_told(tmp_path: Path) -> None:
    world = make_world()
    with px.Recorder(world, tmp_path / "a.zarr"):
        world.step(1)
    os.symlink(tmp_path / "a.zarr", tmp_path / "link.zarr")
    os.symlink(tmp_path / "nowhere", tmp_path / "dangling.zarr")
    for name in ("link", "dangling"):
        for overwrite in (False, True):
            with pytest.raises(px.RecordingError, match=r"it is a link, to .*Give the name of the folder itself"):
                px.Recorder(world, tmp_path / f"{name}.zarr", overwrite=overwrite)
    assert open_recording(tmp_path / "a.zarr").num_samples == 2


def test_places_and_options_that_cannot_be(tmp_path: Path) -> None:
    world = make_world()
    with px.Recorder(world, tmp_path / "a.zarr"):
        world.step(1)
    places: dict[Any, str] = {
        tmp_path / "a.zarr" / "b.zarr": "is a recording itself",
        tmp_path / ("x" * 300): "File name too long",
        "a\0b": "null byte",
        None: "path must be the name of a folder",
    }
    for place, words in places.items():
        with pytest.raises(px.RecordingError, match=words):
            px.Recorder(world, place)
    options: list[dict[str, Any]] = [
        *({"every": value} for value in (0, 1.5, "a", np.nan, np.inf, True)),
        *({"contacts": value} for value in ("yes", 0, -1, 1.5, np.nan, None)),
        *({"fields": value} for value in ("root_pose", [], 3, ["nothing"])),
    ]
    for option in options:
        with pytest.raises(px.RecordingError, match=f"Recorder: .*{next(iter(option))[:-1]}"):
            px.Recorder(world, tmp_path / "b.zarr", **option)
    assert [path.name for path in tmp_path.iterdir()] == ["a.zarr"]


def test_room_is_checked_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world()
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=1000))
    with pytest.raises(px.RecordingError, match=r"its first chunk may take [\d.]+ MB, and 0\.0 MB are free"):
        px.Recorder(world, tmp_path / "a.zarr")
    with pytest.raises(OSError, match=r"saving this world takes [\d.]+ MB, and 0\.0 MB are free"):
        world.save(tmp_path / "a.npz")
    assert not list(tmp_path.iterdir())


def test_writes_that_the_system_cuts_short_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a disk that is nearly full does."""
    write = os.pwrite
    monkeypatch.setattr(store.os, "pwrite", lambda handle, data, at: write(handle, bytes(data)[:3], at))
    world = make_world()
    with px.Recorder(world, tmp_path / "a.zarr", chunk_steps=2):
        world.step(9)
    monkeypatch.undo()
    np.testing.assert_array_equal(open_recording(tmp_path / "a.zarr").step, range(10))


def test_samples_of_a_commit_that_fails_are_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world()
    write, calls = store.atomic_write, []

    def full(path: Path, how: object) -> None:
        if path == tmp_path / "a.zarr/zarr.json":
            calls.append(path)
            if len(calls) > 4:
                raise OSError(28, "No space left on device")
        write(path, how)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "atomic_write", full)
    recorder = px.Recorder(world, tmp_path / "a.zarr", chunk_steps=20)
    with pytest.raises(px.RecordingError, match="Its first 40 samples are complete and readable"):
        world.step(200)
        recorder.close()
    assert open_recording(tmp_path / "a.zarr").num_samples == 40


FULL = """
import sys
import numpy as np
import phalanx as px
from recorded_worlds import make_world
world = make_world(200)
world.robots["arm"].set_joint_state(pos=np.random.default_rng(0).uniform(-1, 1, (200, 3)))
try:
    with px.Recorder(world, sys.argv[1] + "/a.zarr", chunk_steps=20):
        world.step(5000)
    print("no error")
except px.RecordingError as error:
    print(error)
from phalanx.io.recordings.replay import open_recording, verify
recording = open_recording(sys.argv[1] + "/a.zarr")
print(recording.num_samples, recording.step.tolist() == list(range(recording.num_samples)), verify(recording).ok)
"""


def test_a_disk_that_becomes_full(tmp_path: Path) -> None:
    """A real one, of 4 MB, in a namespace of its own."""
    mount = f'mount -t tmpfs -o size=4m none {tmp_path} && exec "$0" "$@"'
    private = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount)
    if shutil.which("unshare") is None or subprocess.run([*private, "true"], capture_output=True).returncode:
        pytest.skip("this machine does not let tests mount file systems")
    process = child(FULL, str(tmp_path), before=private)
    said, _ = process.communicate(timeout=300)
    error, counts = said.strip().splitlines()
    samples = int(error.partition("Its first ")[2].split()[0])
    assert "No space left on device" in error
    assert samples > 0 and samples % 20 == 0
    assert counts == f"{samples} True True"
