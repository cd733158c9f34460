"""Writers: files are there whole or not at all, links are never followed, and nobody can guess where they write."""

from __future__ import annotations

import ast
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phalanx as px
from phalanx.bench import _write
from phalanx.ecs import trace
from phalanx.ecs.whole_files import NoFileError, new_folder, new_sibling, replacing, write_text
from phalanx.images.pictures.picture import save_png
from phalanx.images.pictures.video import VideoWriter
from phalanx.io.formats import library
from phalanx.io.recordings.added_sensors import Reading
from phalanx.io.recordings.sensor_files import write_readings


@pytest.fixture(scope="module")
def world() -> px.World:
    made = px.World(num_envs=2)
    made.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)))
    return made


def save(world: px.World, path: Path) -> None:
    world.save(path)


def draw(world: px.World, path: Path) -> None:
    save_png(np.zeros((4, 4, 3), np.uint8), path)


def list_readings(world: px.World, path: Path) -> None:
    reading = Reading("imu:base", "gyro", np.zeros((2, 1, 3)), ("axis",), "rad/s", "rate", {"axis": "xyz"})
    write_readings(path, [reading], np.zeros(2), np.zeros(1, int), "a test")


def film(world: px.World, path: Path) -> None:
    with VideoWriter(path) as video:
        video.add(np.zeros((4, 4, 3), np.uint8))


def record_trace(world: px.World, path: Path) -> None:
    with trace.record(path):
        pass


def write_results(world: px.World, path: Path) -> None:
    _write({"a": 1}, path)


def write_yaml(world: px.World, path: Path) -> None:
    from phalanx.facade.isaaclab.utils.io import dump_yaml

    dump_yaml(str(path), {"a": 1})


def write_pickle(world: px.World, path: Path) -> None:
    from phalanx.facade.isaaclab.utils.io import dump_pickle

    dump_pickle(str(path), {"a": 1})


def write_usd(world: px.World, path: Path) -> None:
    pytest.importorskip("pxr", reason="usd-core is not installed")
    from phalanx.io.formats.usd import write_robot

    write_robot(library.load_robot("cartpole", False), path)


def save_layer(world: px.World, path: Path) -> None:
    Sdf = pytest.importorskip("pxr.Sdf", reason="usd-core is not installed")
    from phalanx.facade.stage import write_layer

    write_layer(Sdf.Layer.CreateAnonymous(".usda"), str(path))


def write_marker(world: px.World, path: Path) -> None:
    pytest.importorskip("pxr", reason="usd-core is not installed")
    from phalanx.assets.scenery import write_arrow

    write_arrow(path)


def write_network(world: px.World, path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed: extra torch")
    from phalanx.assets.networks import write_mlp

    write_mlp(path)


def log_data(world: px.World, path: Path) -> None:
    from phalanx.facade.isaacsim.core.api.loggers.data_logger import DataLogger

    DataLogger().save(path)


WRITERS: list[tuple[Callable[[Any, Path], None], str]] = [
    (save, ".npz"),
    (draw, ".png"),
    (list_readings, ".csv"),
    (film, ".gif"),
    (record_trace, ".json"),
    (write_results, ".json"),
    (write_yaml, ".yaml"),
    (write_pickle, ".pkl"),
    (write_usd, ".usda"),
    (save_layer, ".usda"),
    (write_marker, ".usda"),
    (write_network, ".pt"),
    (log_data, ".json"),
]
named = pytest.mark.parametrize(("write", "suffix"), WRITERS, ids=[write.__name__ for write, _ in WRITERS])


@named
@pytest.mark.parametrize("dangling", [False, True])
def test_links_are_not_followed(write: Any, suffix: str, dangling: bool, world: px.World, tmp_path: Path) -> None:
    victim, target = tmp_path / "elsewhere" / f"victim{suffix}", tmp_path / f"out{suffix}"
    victim.parent.mkdir()
    if not dangling:
        victim.write_text("precious")
    target.symlink_to(victim)
    with pytest.raises(OSError, match="this is a link"):
        write(world, target)
    assert target.is_symlink()
    assert not victim.exists() if dangling else victim.read_text() == "precious"


@named
def test_what_was_there_is_replaced_by_a_new_file(write: Any, suffix: str, world: px.World, tmp_path: Path) -> None:
    """With a hard link to another file, that file stays what it is; nothing else is left in the folder."""
    other, target = tmp_path / f"other{suffix}", tmp_path / f"out{suffix}"
    other.write_text("#usda 1.0\n" if suffix == ".usda" else "precious")
    before = other.read_bytes()
    os.link(other, target)
    write(world, target)
    write(world, target)
    assert other.read_bytes() == before != target.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted((other.name, target.name))


WRITES_ITSELF = {
    "ecs/whole_files.py": "it is the place for that",
    "ecs/trace.py": "text of a call of another object",
    "assets/fetching.py": "goes on with a file, which it opens without following links",
    "io/recordings/store.py": "opens without following links, or in replacing()",
    "io/recordings/direct_file.py": "opens new files only",
    "io/recordings/sensor_files.py": "in replacing(), some lines above",
    "images/pictures/video.py": "a new file of new_sibling()",
    "learn/skrl_trainer.py": "in replacing() of Rounds.save()",
    "learn/sb3_trainer.py": "in replacing() of Rounds.save()",
    "io/exports/lerobot.py": "in a folder of new_folder()",
    "facade/isaacsim/asset/importer/urdf/_urdf.py": "in a temporary folder of its own",
    "commands/run_ranks.py": "in a temporary folder of its own",
    "ecs/cache/files.py": "the cache has files of its own kind",
    "farm/store.py": "opens new files only",
}
"""Modules that write files without ``replacing``, which all others use, and why."""


def test_all_writers_replace_files() -> None:
    """Whoever opens a file to write does so under the name that :func:`replacing` gives, or is listed with a reason."""
    package = Path(px.__file__).parent
    found = {}
    for path in package.rglob("*.py"):
        name, text = path.relative_to(package).as_posix(), path.read_text()
        if name in WRITES_ITSELF or not any(word in text for word in ("open(", "write_text", "write_bytes")):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and _writes(node):
                found[f"{name}:{node.lineno}"] = ast.unparse(node)
    assert not {where: call for where, call in found.items() if "made" not in call}


def _writes(call: ast.Call) -> bool:
    what = call.func
    if isinstance(what, ast.Attribute) and what.attr in ("write_text", "write_bytes"):
        return True
    opens = (isinstance(what, ast.Name) and what.id == "open") or (
        isinstance(what, ast.Attribute) and what.attr == "open"
    )
    words = [each.value for each in [*call.args, *(k.value for k in call.keywords)] if isinstance(each, ast.Constant)]
    return opens and any(
        isinstance(word, str) and set(word) <= set("wxab+t") and set(word) & set("wxa") for word in words
    )


def test_a_new_folder_is_nobody_elses(tmp_path: Path) -> None:
    made = {new_folder(tmp_path / "a") for _ in range(20)}
    assert len(made) == 20
    assert all(path.is_dir() and path.parent == tmp_path and path.name.startswith(".a.") for path in made)
    with pytest.raises(OSError, match="nowhere/a"):
        new_folder(tmp_path / "nowhere" / "a")


def test_nothing_is_left_of_what_fails(tmp_path: Path) -> None:
    write_text(tmp_path / "a", "before")
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "a") as made:
        made.write_text("half")
        raise KeyboardInterrupt
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]


def test_names_are_new_every_time_and_keep_the_ending(tmp_path: Path) -> None:
    made = {new_sibling(tmp_path / "a.usda") for _ in range(50)}
    assert len(made) == 50
    assert all(path.suffix == ".usda" and path.parent == tmp_path and path.name.startswith(".") for path in made)


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    previous = os.umask(0o027)
    try:
        write_text(tmp_path / "a", "")
    finally:
        os.umask(previous)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(("make", "words"), [(os.mkdir, "a folder"), (os.mkfifo, "a device or a pipe")])
def test_only_files_are_replaced(make: Callable[[Path], None], words: str, tmp_path: Path) -> None:
    make(tmp_path / "a")
    with pytest.raises(NoFileError, match=words):
        write_text(tmp_path / "a", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_recording_does_not_write_through_planted_links(world: px.World, tmp_path: Path) -> None:
    """Names of chunks are known beforehand: whoever may write to the folder could have put links there."""
    victim = tmp_path / "victim"
    recorder = px.Recorder(world, tmp_path / "run.zarr", chunk_steps=4)
    for folder in ("time", "root_pose"):
        for file in ("c.1", "c.1.0.0.0", "c.1.0.0", "c.0", "c.0.0.0"):
            planted = tmp_path / "run.zarr" / "objects" / "object" / folder / file
            if not planted.exists():
                planted.symlink_to(victim)
    with pytest.raises(px.RecordingError), recorder:
        world.step(20)
    assert not victim.exists()


def test_pickles_are_whole(tmp_path: Path) -> None:
    write_pickle(None, tmp_path / "a.pkl")  # pyright: ignore[reportArgumentType]
    assert pickle.loads((tmp_path / "a.pkl").read_bytes()) == {"a": 1}
