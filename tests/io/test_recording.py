"""Recorder: what is on disk, when it is there, and what happens when something goes wrong."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
import zarr
from small_robots import arm, ball

import phalanx as px
from phalanx.io.recordings.chunks import crc32c
from phalanx.io.recordings.direct_file import DirectFiles
from phalanx.io.recordings.fields import FIELDS, KINDS
from phalanx.io.recordings.recorder import RecordingError
from phalanx.io.recordings.replay import open_recording, verify
from phalanx.io.recordings.store import GrowingStore
from phalanx.models.robot_model import Body, Joint, RobotModel


def make_world(num_envs: int = 3, device: str = "cpu") -> Any:
    world = px.World(num_envs=num_envs, device=device, dt=0.01)
    robot = world.add_robot(arm(), name="arm", fixed_base=True)
    world.build()
    robot.set_drive(stiffness=20.0, damping=1.0)
    rng = np.random.default_rng(1)
    robot.set_joint_state(pos=rng.uniform(-0.5, 0.5, (num_envs, 3)).astype(np.float32))
    return world


def shoulder() -> RobotModel:
    """An upper arm on a spherical joint, and a hinge."""
    bodies = [Body(name, 1.0, inertia=1e-2 * np.eye(3)) for name in ("base", "upper", "lower")]
    joints = [
        Joint("ball", "spherical", "base", "upper", (0.0, 0.0, 0.4)),
        Joint("elbow", "revolute", "upper", "lower", (0.0, 0.0, 0.3), axis=(0.0, 1.0, 0.0)),
    ]
    return RobotModel("shoulder", bodies, joints)


def host(value: Any) -> np.ndarray:
    return value if isinstance(value, np.ndarray) else value.get()


def test_samples_are_what_the_world_had_at_every_step(tmp_path, device):
    world = make_world(device=device)
    robot = world.robots["arm"]
    expected = [host(robot.joint_pos)]
    with px.Recorder(world, tmp_path / "a.zarr", chunk_steps=4) as recorder:
        for _ in range(10):
            world.step()
            expected.append(host(robot.joint_pos))
        assert recorder.samples == 11
    recording = open_recording(tmp_path / "a.zarr")
    assert recording.closed and recording.num_samples == 11
    recorded = np.asarray(recording["arm"].joint_pos)
    assert recorded.shape == (3, 11, 3)
    np.testing.assert_array_equal(recorded, np.stack(expected, axis=1))
    np.testing.assert_array_equal(recording.step, np.arange(11))
    np.testing.assert_allclose(recording.time, 0.01 * np.arange(11), rtol=1e-12)


def test_every_third_step_and_batches(tmp_path, device):
    world, one_by_one = make_world(device=device), make_world(device=device)
    with px.Recorder(world, tmp_path / "a.zarr", every=3, chunk_steps=2):
        world.step(7)
        world.step(5)
    recording = open_recording(tmp_path / "a.zarr")
    np.testing.assert_array_equal(recording.step, [0, 3, 6, 9, 12])
    one_by_one.step(9)
    np.testing.assert_array_equal(recording["arm"].joint_vel[:, 3], host(one_by_one.robots["arm"].joint_vel))


def test_every_field_within_a_run_of_steps_is_what_it_is_between_steps(tmp_path, device):
    """A robot with a spherical joint and one that bounces, more chunks than the tape has room for, recorded twice."""

    def made() -> Any:
        world = px.World(num_envs=5, device=device, dt=0.01)
        world.add_ground()
        world.add_robot(shoulder(), name="shoulder", fixed_base=True)
        world.add_robot(ball(), name="ball", position=(1.0, 0.0, 0.12))
        world.build()
        world.robots["shoulder"].set_joint_state(vel=np.arange(20.0).reshape(5, 4) / 5.0)
        return world

    world, apart = made(), made()
    with (
        px.Recorder(world, tmp_path / "all.zarr", fields=tuple(FIELDS), chunk_steps=4) as recorder,
        px.Recorder(world, tmp_path / "some.zarr", fields=("root_pose",), every=3, chunk_steps=2),
    ):
        world.step(3)  # the first chunk is full, and its events are no longer the main thread's
        world.robots["shoulder"].set_targets(pos=0.3)
        world.step(20)
    assert recorder.samples == 24
    whole, part = open_recording(tmp_path / "all.zarr"), open_recording(tmp_path / "some.zarr")
    assert [event.sample for event in whole.events()] == [0, 4]
    np.testing.assert_array_equal(part.step, range(0, 24, 3))
    seen: dict[tuple[str, str], list[np.ndarray]] = {(name, key): [] for name in apart.robots for key in KINDS["robot"]}
    for sample in range(24):
        for name, key in seen:
            seen[name, key].append(host(getattr(apart.robots[name], key)))
        if sample == 3:
            apart.robots["shoulder"].set_targets(pos=0.3)
        apart.step()
    for (name, key), values in seen.items():
        np.testing.assert_array_equal(np.asarray(whole[name][key]), np.stack(values, axis=1), err_msg=f"{name} {key}")
    assert np.abs(np.stack(seen["ball", "net_contact_force"])).max() > 1.0
    poses = np.stack(seen["ball", "root_pose"][::3], axis=1)
    np.testing.assert_array_equal(np.asarray(part["ball"].root_pose), poses)
    assert verify(whole).ok


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own")
def test_threads_of_a_recording_yield_to_steps(tmp_path):
    world = make_world()
    with px.Recorder(world, tmp_path / "a.zarr", chunk_steps=4) as recorder:
        world.step(3)  # fills a chunk; what has been written was written by the thread
        deadline = time.monotonic() + 60
        while recorder._written < 4:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        theirs = os.getpriority(os.PRIO_PROCESS, recorder._thread.native_id or 0)
        assert theirs > own or own == 19


def test_files_past_the_cache(tmp_path, monkeypatch):
    """Whole contents, whatever their size, and through the cache where direct access is refused."""
    files, rng = DirectFiles(), np.random.default_rng(5)
    for sizes in ([0], [7], [300_000, 5, 70_001], [1 << 18], [4096]):
        parts = [rng.bytes(size) for size in sizes]
        files.write(tmp_path / "f", parts)
        assert (tmp_path / "f").read_bytes() == b"".join(parts)
    opened = os.open

    def refuse(path: Any, flags: int, *more: Any, **options: Any) -> int:
        if flags & os.O_DIRECT:
            raise OSError(code, os.strerror(code))
        return opened(path, flags, *more, **options)

    monkeypatch.setattr(os, "open", refuse)
    code = errno.EINVAL
    files.write(tmp_path / "g", [parts[0] * 100])
    assert (tmp_path / "g").read_bytes() == parts[0] * 100
    code = errno.EACCES
    with pytest.raises(PermissionError):
        DirectFiles().write(tmp_path / "h", [parts[0] * 100])


def test_xarray_opens_each_robot_with_names_units_and_time(tmp_path, recwarn):
    world = px.World(num_envs=5, dt=0.01)
    world.add_robot(arm(), name="arm", fixed_base=True)
    world.add_robot(ball(), name="ball", position=(1.0, 0.0, 1.0))
    with px.Recorder(world, tmp_path / "a.zarr", chunk_steps=3, fields=("joint_pos", "root_pose", "body_pose")):
        world.step(7)
    data = xr.open_zarr(tmp_path / "a.zarr", group="robots/arm")
    assert dict(data.sizes) == {"time": 8, "env": 5, "joint": 3, "pose": 7, "body": 4}
    assert data.joint_pos.dims == ("time", "env", "joint")
    assert data.body_pose.dims == ("time", "env", "body", "pose")
    np.testing.assert_allclose(data.time, 0.01 * np.arange(8))
    assert data.time.attrs["units"] == "s" and "step" in data.coords
    assert data.joint_pos.attrs["units"] == "rad or m"
    assert data.joint_pos.attrs["joint_units"] == ["rad", "rad", "m"]
    assert {"long_name", "description"} <= set(data.joint_pos.attrs)
    assert list(data.joint.values) == list(world.robots["arm"].joint_names)
    elbow = data.joint_pos.sel(joint="elbow", time=0.05, method=None)
    assert elbow.shape == (5,)
    height = xr.open_zarr(tmp_path / "a.zarr", group="robots/ball").root_pose.sel(pose="z")
    assert float(height[0, 0]) == 1.0 and float(height[-1, 0]) < 1.0
    tree = xr.open_datatree(tmp_path / "a.zarr", engine="zarr")
    assert "robots" in tree.children
    root = xr.open_zarr(tmp_path / "a.zarr")
    assert set(root.data_vars) == {"arm_position", "ball_position"} and root.ball_position.attrs["units"] == "m"
    np.testing.assert_array_equal(root.ball_position.sel(axis="z"), height)
    assert "step" in root.coords and root.time.equals(data.time)
    assert [str(w.message) for w in recwarn if "consolidated" in str(w.message)] == []


def test_shards_hold_what_is_written_at_once_and_are_cut_by_environment(tmp_path):
    store = GrowingStore(tmp_path / "s.zarr", {})
    store.add_series("x", (1000, 12), np.float32, ("time", "env", "joint"), shard_rows=64)
    store.write("x", 0, np.ones((64, 1000, 12), np.float32))
    store.commit()
    metadata = json.loads((tmp_path / "s.zarr/x/zarr.json").read_text())
    (sharding,) = metadata["codecs"]
    shard, chunk = metadata["chunk_grid"]["configuration"]["chunk_shape"], sharding["configuration"]["chunk_shape"]
    assert sharding["name"] == "sharding_indexed"
    assert shard == [64, 1000, 12] and chunk[0] == 64 and 1000 % chunk[1] == 0 and chunk[1] < 1000
    assert 250_000 < np.prod(chunk) * 4 <= 1 << 20
    assert metadata["shape"] == [64, 1000, 12]


@pytest.mark.parametrize(("item", "rows"), [((3,), 4), ((5, 2), 3), ((1000, 50), 9), ((7, 0), 2)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
def test_zarr_reads_what_was_written(tmp_path, item, rows, dtype):
    store = GrowingStore(tmp_path / "s.zarr", {})
    dims = [f"d{i}" for i in range(len(item) + 1)]
    store.add_series("shards", item, dtype, dims, shard_rows=rows)
    store.add_series("chunks", item, dtype, dims)
    store.add_series("squares", (3,), float, ("time", "env"), shard_rows=2)
    values = np.random.default_rng(3).normal(size=(2 * rows + 1, *item)).astype(dtype)
    for start in range(0, len(values), rows):
        store.write("shards", start, values[start : start + rows])
    for row in range(len(values)):
        store.write("chunks", row, values[row : row + 1])
    store.commit()
    for name in ("shards", "chunks"):
        back = np.asarray(zarr.open_array(str(tmp_path / "s.zarr" / name), mode="r")[...])
        np.testing.assert_array_equal(back, values)
        assert back.dtype == values.dtype
    with pytest.raises(ValueError, match="are not one shard"):
        store.write("squares", 1, np.ones((1, 3)))
    with pytest.raises(ValueError, match="rows of"):
        store.write("chunks", 0, np.ones((1, 99), dtype))


def test_checksum():
    """The published check value of CRC-32C."""
    assert crc32c(b"123456789") == 0xE3069283


def test_every_bit_comes_back(tmp_path):
    """Signed zeros and the payload of a NaN too, also in a chunk that is all fill value."""
    store = GrowingStore(tmp_path / "s.zarr", {})
    store.add_series("x", (2,), np.float32, ("time", "env"), shard_rows=2)
    odd = np.array([0x80000000, 0x7FC00001, 0xFFC00000, 1], np.uint32).view(np.float32).reshape(2, 2)
    for row, values in enumerate((odd, np.full((2, 2), -0.0, np.float32), np.full((2, 2), np.nan, np.float32))):
        store.write("x", 2 * row, values)
    store.commit()
    back = np.asarray(zarr.open_array(str(tmp_path / "s.zarr/x"), mode="r")[...])
    assert back[:2].tobytes() == odd.tobytes()
    assert np.signbit(back[2:4]).all() and np.isnan(back[4:]).all()


def test_nothing_is_visible_before_it_is_committed(tmp_path):
    store = GrowingStore(tmp_path / "s.zarr", {})
    store.add_series("x", (), np.float64, ("time",))
    store.commit()
    store.write("x", 0, np.ones(3))
    assert zarr.open_array(str(tmp_path / "s.zarr/x"), mode="r").shape == (0,)
    store.commit()
    assert zarr.open_array(str(tmp_path / "s.zarr/x"), mode="r").shape == (3,)


KILLED = """
import sys, numpy as np, phalanx as px
sys.path[:0] = sys.argv[2:]
from test_recording import make_world
world = make_world()
recorder = px.Recorder(world, sys.argv[1], chunk_steps=5)
while True:
    world.robots["arm"].set_targets(pos=np.float32(np.sin(world.step_count)))
    world.step()
"""


def test_a_killed_process_leaves_every_complete_chunk(tmp_path):
    path = tmp_path / "k.zarr"
    here = Path(__file__).parent
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path), str(here), str(here.parent)])
    try:
        deadline = time.monotonic() + 120
        while not (path / "robots/arm/joint_pos/c.4.0.0").exists():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    recording = open_recording(path)
    assert not recording.closed
    assert recording.num_samples >= 20 and recording.num_samples % 5 == 0
    np.testing.assert_array_equal(recording.step, np.arange(recording.num_samples))
    world = make_world()
    positions = [host(world.robots["arm"].joint_pos)]
    for step in range(recording.num_samples - 1):
        world.robots["arm"].set_targets(pos=np.float32(np.sin(step)))
        world.step()
        positions.append(host(world.robots["arm"].joint_pos))
    np.testing.assert_array_equal(np.asarray(recording["arm"].joint_pos), np.stack(positions, 1))
    data = xr.open_zarr(path, group="robots/arm")
    assert data.sizes["time"] == recording.num_samples
    assert not np.isnan(data.joint_pos.values).any()


def test_an_exception_in_the_block_closes_the_recording(tmp_path):
    world = make_world()
    with pytest.raises(KeyboardInterrupt), px.Recorder(world, tmp_path / "a.zarr"):
        world.step(3)
        raise KeyboardInterrupt
    recording = open_recording(tmp_path / "a.zarr")
    assert recording.closed and recording.num_samples == 4
    world.step(2)  # nobody listens any more
    assert open_recording(tmp_path / "a.zarr").num_samples == 4


def test_an_error_of_the_thread_is_raised_once_by_the_step(tmp_path, monkeypatch):
    world = make_world()
    write = GrowingStore.write

    def full_disk(self: GrowingStore, name: str, start: int, values: np.ndarray) -> None:
        if start >= 6 and name.endswith("joint_pos"):
            raise OSError(28, "No space left on device")
        write(self, name, start, values)

    monkeypatch.setattr(GrowingStore, "write", full_disk)
    recorder = px.Recorder(world, tmp_path / "a.zarr", chunk_steps=2)
    with pytest.raises(RecordingError, match=r"No space left.*first 6 samples are complete"):
        for _ in range(1000):
            world.step()
            time.sleep(0.001)
    world.step(3)
    recorder.close()
    recording = open_recording(tmp_path / "a.zarr")
    assert recording.num_samples == 6 and not recording.closed


def test_refuses_to_overwrite(tmp_path):
    world = make_world()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/keep.txt").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(RecordingError, match="exists and is not a recording"):
            px.Recorder(world, tmp_path / "notes", overwrite=overwrite)
    assert (tmp_path / "notes/keep.txt").read_text() == "mine"
    with px.Recorder(world, tmp_path / "a.zarr"):
        world.step(3)
    with pytest.raises(RecordingError, match="there is a recording already"):
        px.Recorder(world, tmp_path / "a.zarr")
    with px.Recorder(world, tmp_path / "a.zarr", overwrite=True):
        world.step(5)
    assert open_recording(tmp_path / "a.zarr").num_samples == 6
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zarr", "notes"]


def test_a_start_that_fails_leaves_things_as_they_were(tmp_path, monkeypatch):
    world = make_world()
    with px.Recorder(world, tmp_path / "old.zarr"):
        world.step(3)

    def broken(*_: Any) -> dict[str, Any]:
        raise RuntimeError("cannot be described")

    monkeypatch.setattr(type(world), "describe", broken)
    for name in ("new.zarr", "old.zarr"):
        with pytest.raises(RuntimeError, match="cannot be described"):
            px.Recorder(world, tmp_path / name, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["old.zarr"]
    assert open_recording(tmp_path / "old.zarr").num_samples == 4
    world.step(2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every": 0}, "every must be a whole number of at least 1, not 0"),
        ({"chunk_steps": 2.5}, "chunk_steps must be a whole number"),
        ({"fields": ("joint_pos", "joint_poss")}, "unknown field 'joint_poss'. There are: joint_pos, "),
        ({"fields": "joint_pos"}, "fields must be a list of names"),
        ({"path": "no/such/folder/a.zarr"}, "there is no folder .*no/such/folder. Make it first"),
        ({"path": "/proc/a.zarr"}, r"Cannot record to /proc/a.zarr: "),
    ],
)
def test_bad_options(tmp_path, options, message):
    world = make_world()
    path = tmp_path / options.pop("path", "a.zarr")
    with pytest.raises(RecordingError, match=message):
        px.Recorder(world, path, **options)
    assert os.listdir(tmp_path) == []


def test_a_world_without_robots(tmp_path):
    with pytest.raises(RecordingError, match="no robot, no rigid object and no soft body to record"):
        px.Recorder(px.World(num_envs=2), tmp_path / "a.zarr")
    assert os.listdir(tmp_path) == []
