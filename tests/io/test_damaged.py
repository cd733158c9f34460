"""Recordings and saved worlds that were damaged or edited: an error, a verdict or a repair, never other numbers."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded_worlds import make_world
from small_robots import ball

import phalanx as px
from phalanx.commands.cli import main
from phalanx.io.recordings.repair import BACKUP, repair
from phalanx.io.recordings.replay import open_recording, verify

CHUNK = 4


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """22 samples, of which the host changed something before the 6th, 11th and 16th; with a mesh."""
    path = tmp_path_factory.mktemp("recorded") / "a.zarr"
    world = px.World(2, dt=0.01)
    robot = world.add_robot("cartpole")
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    shape = px.Shape("mesh", vertices=corners, faces=faces)
    world.add_rigid_object(shape, "wedge", position=(5.0, 0.0, 1.0), density=100.0)
    with px.Recorder(world, path, chunk_steps=CHUNK):
        world.step(5)
        for number in range(3):
            if number == 1:
                robot.set_joint_state(pos=0.1)
            else:
                robot.set_targets(effort=float(number + 1))
            world.step(5)
        world.step()
    return path


@pytest.fixture
def recorded(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "a.zarr"))


def edit(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads((path / "zarr.json").read_text())
    change(document)
    (path / "zarr.json").write_text(json.dumps(document))


def header(path: Path, **values: Any) -> None:
    edit(path, lambda document: document["attributes"]["phalanx_recording"].update(values))


def test_what_is_whole_is_verified(recorded: Path) -> None:
    recording = open_recording(recorded)
    assert not recording.edited and recording.num_samples == 22
    assert [event.sample for event in recording.events()] == [0, 6, 11, 16]
    assert verify(recording)
    assert repair(recorded).damages == ()
    assert not (recorded / BACKUP).exists()


WRONG: dict[str, dict[str, Any]] = {
    "dt": {"dt": 0.02},
    "negative dt": {"dt": -0.01},
    "dt of text": {"dt": "0.01"},
    "every": {"every": 0},
    "environments": {"num_envs": 3},
    "fractions of environments": {"num_envs": 2.0},
    "fields": {"fields": ["joint_pos", "colour"]},
    "no field": {"fields": None},
    "more samples": {"complete_samples": 23},
    "samples of text": {"complete_samples": "22"},
    "more events": {"complete_events": 99},
    "no robots": {"robots": {}, "objects": {}},
    "robots in a list": {"robots": ["robot"]},
    "other groups": {"robots": {"robot": "objects/wedge"}},
    "robot that there is not": {"robots": {"another": "robots/robot"}},
    "closed": {"closed": "yes"},
    "format": {"format": None},
}


@pytest.mark.parametrize("name", WRONG)
def test_headers_that_make_no_sense(name: str, recorded: Path) -> None:
    header(recorded, **WRONG[name])
    with pytest.raises(px.LoadError, match="is damaged"):
        open_recording(recorded)


def gravity(document: dict[str, Any]) -> None:
    document["attributes"]["world"]["gravity"] = [0.0, 0.0, -9.8]


def unused_name(document: dict[str, Any]) -> None:
    document["attributes"]["world"]["robots"][0]["model"]["source"] = "another.urdf"


def version(document: dict[str, Any]) -> None:
    document["attributes"]["phalanx_recording"]["phalanx"] = "0.0.9"


@pytest.mark.parametrize("change", [gravity, unused_name, version], ids=lambda f: f.__name__)
def test_edits_are_told(change: Callable[[Any], None], recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(recorded, change)
    recording = open_recording(recorded)
    assert recording.edited
    result = verify(recording)
    assert not result and "was edited after it was written" in str(result)
    assert main(["replay", str(recorded), "--verify"]) == 1
    assert "was edited" in capsys.readouterr().out


def test_an_edited_mesh_is_told(recorded: Path) -> None:
    import zarr

    root = zarr.open_group(str(recorded), mode="r+", use_consolidated=False)
    array: Any = root["meshes/0/vertices"]
    array[0, 0] = 0.25
    assert open_recording(recorded).edited


@pytest.mark.parametrize(
    "value", [None, [], "robot", {"robots": 1}, {"format": 3}, 1e308], ids=lambda value: str(value)
)
def test_descriptions_of_no_world(value: Any, recorded: Path) -> None:
    edit(recorded, lambda document: document["attributes"].update(world=value))
    with pytest.raises(px.LoadError, match=r"a\.zarr"):
        open_recording(recorded).world()


def test_a_state_that_does_not_fit(recorded: Path) -> None:
    """Of a world whose description has another robot."""
    edit(recorded, lambda document: document["attributes"]["world"].update(objects=[], order=["robot"]))
    with pytest.raises(px.LoadError, match=r"a\.zarr"):
        open_recording(recorded).world()


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-10])


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    for at in range(30, len(data), 7):
        data[at] ^= 0xFF
    file.write_bytes(bytes(data))


def event_log(path: Path, key: str) -> Path:
    return next(one for one in (path / "events").iterdir() if one.name.startswith(key))


JOINTS, OBJECT = ("robots/robot/joint_pos/c.2.0.0", 8, 4), ("objects/wedge/root_pose/c.5.0.0", 20, 4)


@pytest.mark.parametrize(
    ("file", "samples", "events", "damage"),
    [
        *(pytest.param(*JOINTS, damage, id=f"joints {damage.__name__}") for damage in (Path.unlink, cut, flip)),
        pytest.param(*OBJECT, cut, id="object cut"),
        *(
            pytest.param(*OBJECT, damage, id=f"object {damage.__name__}", marks=pytest.mark.slow)
            for damage in (Path.unlink, flip)
        ),
    ],
)
def test_damaged_samples_are_cut_off(
    file: str, samples: int, events: int, damage: Callable[[Path], None], recorded: Path
) -> None:
    damage(recorded / file)
    found = repair(recorded)
    assert (found.samples, found.events) == ((22, samples), (4, events))
    assert file.rpartition("/")[0] in str(found)
    recording = open_recording(recorded)
    assert recording.num_samples == samples and not recording.closed and not recording.edited
    assert verify(recording)
    assert json.loads((recorded / BACKUP).read_text())["attributes"]["phalanx_recording"]["complete_samples"] == 22
    assert repair(recorded).damages == ()
    import xarray as xr

    assert xr.open_zarr(recorded, group="robots/robot").sizes["time"] == samples


@pytest.mark.parametrize("damage", [Path.unlink, cut], ids=lambda f: f.__name__)
def test_damaged_events_take_what_follows_with_them(damage: Callable[[Path], None], recorded: Path) -> None:
    """Of a state that the host set: its rows are one file, whose first is the start."""
    damage(event_log(recorded, "DriveTarget.effort") / "value/c.0.0.0")
    with pytest.raises(px.LoadError, match="cannot be repaired: its start is damaged"):
        repair(recorded)
    with pytest.raises(px.LoadError):
        open_recording(recorded).events()


def test_a_step_that_is_wrong_is_cut_off(recorded: Path) -> None:
    file = recorded / "robots/robot/step/c.0"
    steps = np.frombuffer(file.read_bytes(), "<i8").copy()
    steps[13] = 99
    file.write_bytes(steps.tobytes())
    with pytest.raises(px.LoadError, match="its times are not those of its steps"):
        open_recording(recorded)
    assert repair(recorded).samples == (22, 13)
    assert verify(open_recording(recorded))


def test_an_event_out_of_order_is_cut_off(recorded: Path) -> None:
    file = recorded / "events/sample/c.0"
    samples = np.frombuffer(file.read_bytes(), "<i8").copy()
    samples[3] = 2
    file.write_bytes(samples.tobytes())
    with pytest.raises(px.LoadError, match="its list of events makes no sense"):
        open_recording(recorded).events()
    found = repair(recorded)
    assert found.events == (4, 3) and found.samples == (22, 2)
    assert verify(open_recording(recorded))


def test_the_command_repairs(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut(recorded / "robots/robot/joint_vel/c.3.0.0")
    assert main(["replay", str(recorded), "--repair", "--verify"]) == 0
    said = capsys.readouterr().out
    assert "repaired     Cut from 22 samples to 12" in said and "verified" in said


def test_what_cannot_be_repaired(recorded: Path) -> None:
    (recorded / "zarr.json").write_text("{")
    with pytest.raises(px.LoadError, match="truncated or damaged"):
        repair(recorded)


def test_a_recording_that_is_written_is_not_repaired(tmp_path: Path) -> None:
    world = make_world()
    with (
        px.Recorder(world, tmp_path / "a.zarr"),
        pytest.raises(px.RecordingError, match="another recorder is writing there"),
    ):
        repair(tmp_path / "a.zarr")


# -- saved worlds ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = px.World(2)
    world.add_robot(ball(), "ball")
    world.step(3)
    path = tmp_path_factory.mktemp("saved") / "a.npz"
    world.save(path)
    assert px.World.load(path).step_count == 3
    return path


def rewritten(source: Path, path: Path, **changes: Any) -> Path:
    with np.load(source) as data:
        arrays = {key: data[key] for key in data.files}
    np.savez(path, **{**arrays, **changes})
    return path


def test_an_edited_world_is_refused(saved: Path, tmp_path: Path) -> None:
    with np.load(saved) as data:
        text, count = str(data["world"][()]), data["step_count"]
    edited = text.replace("-9.81", "-1.62")
    assert edited != text
    for changes in ({"world": np.array(edited)}, {"step_count": count + 1}):
        with pytest.raises(px.LoadError, match="was changed after it was saved"):
            px.World.load(rewritten(saved, tmp_path / "b.npz", **changes))
    assert px.World.load(rewritten(saved, tmp_path / "c.npz")).step_count == 3


def test_a_packed_world_is_refused(tmp_path: Path) -> None:
    """Megabytes that unpack to terabytes."""
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("world.npy", bytes(10**7))
    with pytest.raises(px.LoadError, match="not a saved world"):
        px.World.load(tmp_path / "a.npz")


def test_any_byte_that_flips_is_noticed(saved: Path, tmp_path: Path) -> None:
    """Each file is the same world, to the bit, or an error."""
    good, path = saved.read_bytes(), tmp_path / "b.npz"
    expected = px.World.load(saved).state()
    rng = np.random.default_rng(0)
    errors = 0
    for at in rng.choice(len(good), 150, replace=False):
        path.write_bytes(good[:at] + bytes([good[at] ^ (1 << rng.integers(8))]) + good[at + 1 :])
        try:
            state = px.World.load(path).state()
        except px.LoadError:
            errors += 1
            continue
        assert {k: v.tobytes() for k, v in state.items()} == {k: v.tobytes() for k, v in expected.items()}, at
    assert errors > 75
