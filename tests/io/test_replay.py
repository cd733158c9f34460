"""Recordings read back: lazily, env-first, with clear errors; and verified by simulating them again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import zarr
from small_robots import arm, ball

import phalanx as px
from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.recorder import INPUTS, START, STATE
from phalanx.io.recordings.replay import open_recording, verify
from phalanx.models.robot_model import RobotModel


def record(path: Path, device: str = "cpu", every: int = 1, **options: Any) -> Path:
    """Two robots; targets, gains, states and resets change on the way."""
    world = px.World(num_envs=4, device=device, dt=0.01)
    robot = world.add_robot(arm(), name="arm", fixed_base=True)
    world.add_robot(ball(), name="ball", position=(1.0, 0.0, 0.3))
    world.build()
    robot.set_drive(stiffness=20.0, damping=1.0)
    rng = np.random.default_rng(2)
    world.step(3)
    with px.Recorder(world, path, every=every, chunk_steps=4, **options):
        for step in range(6):
            robot.set_targets(pos=rng.uniform(-0.5, 0.5, (4, 3)).astype(np.float32))
            world.step(2)
            if step == 2:
                robot.set_drive(stiffness=50.0, env_ids=[1])
            if step == 3:
                world.reset(env_ids=[0, 2])
                robot.set_targets(pos=0.25)
            if step == 4:
                robot.set_joint_state(pos=0.1, vel=-0.0, env_ids=[3])
        world.step(3)
    return path


@pytest.fixture
def recorded(tmp_path, device) -> Path:
    return record(tmp_path / "a.zarr", device)


def edit_root(path: Path, **changes: Any) -> None:
    document = json.loads((path / "zarr.json").read_text())
    document["attributes"]["phalanx_recording"].update(changes)
    (path / "zarr.json").write_text(json.dumps(document))


def test_verify_repeats_every_bit(recorded):
    recording = open_recording(recorded)
    kinds = [event.kind for event in recording.events()]
    assert kinds[0] == START and INPUTS in kinds and STATE in kinds
    calls: list[int] = []
    result = verify(recording, progress=lambda steps, total: calls.append(steps))
    assert result and result.ok and result.difference is None, str(result)
    assert result.samples == 16 and result.steps == 15 == sum(calls)
    assert "The same to the last bit: 16 samples over 15 steps" in str(result)


@pytest.mark.parametrize("every", [2, 5])
def test_verify_when_only_some_steps_are_recorded(tmp_path, device, every):
    result = verify(open_recording(record(tmp_path / "a.zarr", device, every)))
    assert result.ok, str(result)
    assert result.samples == 1 + 18 // every - 3 // every


def test_verify_says_where_it_first_differs(recorded):
    array = cast(Any, zarr.open_array(str(recorded / "robots/arm/joint_vel"), mode="r+"))
    value = array[9, 2, 1]
    array[9, 2, 1] = np.nextafter(value, np.float32(9))
    result = verify(open_recording(recorded))
    assert not result
    difference = result.difference
    assert difference is not None
    assert (difference.step, difference.robot, difference.field) == (12, "arm", "joint_vel")
    assert (difference.env, difference.item) == (2, ("elbow",))
    assert difference.computed == value and difference.recorded > value
    assert difference.time == pytest.approx(0.12)
    assert "Differs first at step 12 (t = 0.12 s), robot 'arm', joint_vel of elbow in environment 2" in str(result)


def test_verify_notices_an_input_that_was_not_recorded(recorded):
    """The comparison is with what the engine does, not with what was stored."""
    logs = [p for p in (recorded / "events").iterdir() if p.is_dir() and (p / "value").is_dir()]
    changed = 0
    for log in logs:
        array = cast(Any, zarr.open_array(str(log / "value"), mode="r+"))
        entries = np.asarray(cast(Any, zarr.open_array(str(log / "entry"), mode="r"))[...])
        if array.dtype.kind == "f" and len(entries) > 4:  # only the position targets change this often
            row = int(np.flatnonzero(entries == 2)[0])
            array[row] = array[row] + np.float32(0.1)
            changed += 1
    assert changed >= 1
    result = verify(open_recording(recorded))
    assert result.difference is not None and result.difference.step == 6
    assert result.difference.robot == "arm"


def test_series_index_like_numpy(recorded):
    series = open_recording(recorded)["arm"].joint_pos
    full = np.asarray(series)
    assert series.shape == full.shape == (4, 16, 3) and series.dims == ("env", "time", "joint")
    assert series.units == "rad or m" and len(series) == 4
    for index in (
        np.s_[0],
        np.s_[-1, -1],
        np.s_[1:3, ::5],
        np.s_[:, ::-1],
        np.s_[..., 2],
        np.s_[2, ..., 0],
        np.s_[:, 3:3],
        np.s_[[3, 0]],
        np.s_[:, -20:-10, 1:],
        np.s_[np.array([True, False, False, True]), 4],
    ):
        np.testing.assert_array_equal(series[index], full[index], err_msg=str(index))
    for index in (np.s_[4], np.s_[0, 16], np.s_[0, 0, 0, 0]):
        with pytest.raises(IndexError):
            series[index]


def test_the_model_and_the_world_come_back(recorded):
    recording = open_recording(recorded)
    model = recording["arm"].model
    assert isinstance(model, RobotModel) and model.to_dict() == arm().to_dict()
    assert recording["arm"].joint_names == ["shoulder", "elbow", "slide"]
    assert (recording.num_envs, recording.dt, recording.every) == (4, 0.01, 1)
    world = recording.world()
    assert world.num_envs == 4 and world.step_count == 3
    np.testing.assert_array_equal(recording.step, np.arange(3, 19))
    with pytest.raises(AttributeError, match="'body_pose' was not recorded of 'arm'"):
        _ = recording["arm"].body_pose
    with pytest.raises(ValueError, match="several robots"):
        _ = recording.model


def test_meshes_are_stored_once(tmp_path):
    world = px.World(num_envs=1)
    world.add_robot(arm(), name="a", fixed_base=True)
    world.add_robot(arm("other"), name="b", fixed_base=True, position=(1.0, 0.0, 0.0))
    with px.Recorder(world, tmp_path / "a.zarr"):
        world.step()
    assert len([p for p in (tmp_path / "a.zarr/meshes").iterdir() if p.is_dir()]) == 2
    recording = open_recording(tmp_path / "a.zarr")
    assert recording["b"].model.to_dict() == arm("other").to_dict()


def test_trimmed_to_complete_samples(recorded):
    edit_root(recorded, complete_samples=7, closed=False)
    recording = open_recording(recorded)
    assert recording["arm"].joint_pos.shape == (4, 7, 3) and len(recording.time) == 7
    assert not recording.closed
    result = verify(recording)
    assert result.ok and result.samples == 7


def break_nothing_there(path: Path) -> Path:
    return path / "elsewhere"


def break_plain_folder(path: Path) -> Path:
    (path.parent / "folder").mkdir()
    return path.parent / "folder"


def break_other_zarr(path: Path) -> Path:
    zarr.create_array(str(path.parent / "other.zarr"), shape=(3,), dtype="f4")
    return path.parent / "other.zarr"


def break_root(path: Path) -> Path:
    text = (path / "zarr.json").read_text()
    (path / "zarr.json").write_text(text[: len(text) // 2])
    return path


def break_version(path: Path) -> Path:
    edit_root(path, format=7, phalanx="9.1.0")
    return path


def break_empty(path: Path) -> Path:
    edit_root(path, complete_samples=0, complete_events=0)
    return path


def break_missing_chunk(path: Path) -> Path:
    (path / "robots/arm/joint_vel/c.1.0.0").unlink()
    return path


def break_model(path: Path) -> Path:
    document = json.loads((path / "zarr.json").read_text())
    del document["attributes"]["world"]
    (path / "zarr.json").write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (break_nothing_there, "elsewhere: there is no such folder"),
        (break_plain_folder, "folder: is no recording"),
        (break_other_zarr, "other.zarr: is a Zarr folder, but no recording of Phalanx"),
        (break_root, "zarr.json: is truncated or damaged"),
        (break_version, "has format 7, written by Phalanx 9.1.0; this Phalanx reads up to format 2. Update Phalanx"),
        (break_empty, "has no complete sample"),
        (break_missing_chunk, "is truncated: robots/arm/joint_vel/c.1.0.0 is missing"),
        (break_model, "is damaged .KeyError: 'world'"),
    ],
)
def test_clear_errors(recorded, damage, message):
    with pytest.raises(LoadError, match=message):
        open_recording(damage(recorded))


def test_a_damaged_chunk_is_an_error_and_not_a_number(recorded):
    file = recorded / "robots/arm/joint_pos/c.0.0.0"
    file.write_bytes(file.read_bytes()[:-10])
    recording = open_recording(recorded)
    with pytest.raises(LoadError, match="A file of the recording is damaged"):
        recording["arm"].joint_pos[0, 0]
    np.testing.assert_array_equal(recording["arm"].joint_pos[0, 4:8].shape, (4, 3))
