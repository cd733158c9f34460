"""Recordings that somebody else made: nothing in them is executed, and what is not a recording's is not opened."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import phalanx as px
from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.added_sensors import Reading
from phalanx.io.recordings.replay import open_recording
from phalanx.io.recordings.sensor_files import write_readings


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "a.zarr"
    world = px.World(num_envs=2)
    world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box")
    with px.Recorder(world, path):
        world.step(3)
    return path


@pytest.fixture
def recorded(made: Path, tmp_path: Path) -> Path:
    import shutil

    return Path(shutil.copytree(made, tmp_path / "a.zarr"))


ARRAY = "objects/box/root_pose"


def edit(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Change the root's metadata: all of them, and those of an array in them."""
    document = json.loads((path / "zarr.json").read_text())
    change(document, document["consolidated_metadata"]["metadata"])
    (path / "zarr.json").write_text(json.dumps(document))


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_the_recording_itself_is_fine(recorded: Path) -> None:
    assert open_recording(recorded).objects["box"].root_pose.shape == (2, 4, 7)


V2 = {
    "zarr_format": 2,
    "shape": [4],
    "chunks": [4],
    "dtype": "|O",
    "compressor": None,
    "fill_value": 0,
    "order": "C",
    "filters": [{"id": "pickle", "protocol": 4}],
}


def test_arrays_of_zarr_2_are_not_opened(recorded: Path, tmp_path: Path) -> None:
    """Their filters can unpickle what the file holds."""
    gone_off = tmp_path / "executed"
    folder = recorded / "objects" / "box" / "step"
    (folder / ".zarray").write_text(json.dumps(V2))
    (folder / "0").write_bytes(pickle.dumps(np.array([Bomb(gone_off)] * 4, object)))

    def plant(document: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays["objects/box/step"] = {**V2, "node_type": "array", "attributes": {}}

    edit(recorded, plant)
    with pytest.raises(LoadError, match=r"'objects/box/step' is not of Zarr v3.*not opened"):
        open_recording(recorded)
    assert not gone_off.exists()


def test_the_trap_is_one() -> None:
    """The codec is there for whoever asks for it by name: what the test above plants is no blank."""
    from numcodecs import registry

    assert "pickle" in registry.codec_registry


def put(key: str, value: Any, name: str = ARRAY) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def change(document: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name][key] = value

    return change


def rename(name: str) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def change(document: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name] = arrays[ARRAY]

    return change


def put_root(key: str, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def change(document: dict[str, Any], arrays: dict[str, Any]) -> None:
        document[key] = value

    return change


SHARDED = {"chunk_shape": [4, 2, 7], "codecs": [{"name": "numcodecs.pickle"}], "index_codecs": [{"name": "bytes"}]}
REFUSED = [
    (put("codecs", [{"name": "numcodecs.pickle", "configuration": {}}]), "the codec 'numcodecs.pickle'"),
    (put("codecs", [{"name": "bytes"}, {"name": "numcodecs.zfpy"}]), "the codec 'numcodecs.zfpy'"),
    (put("codecs", [{"name": "sharding_indexed", "configuration": SHARDED}]), "the codec 'numcodecs.pickle'"),
    (put("codecs", [{"name": ["bytes"]}]), "the codec"),
    (put("codecs", []), "codecs is"),
    (put("codecs", "bytes"), "codecs is 'bytes'"),
    (put("data_type", "object"), "data_type is 'object'"),
    (put("data_type", {"name": "numpy.void"}), "data_type is"),
    (put("storage_transformers", [{"name": "x"}]), "storage_transformers"),
    (put("filters", [{"id": "pickle"}]), "'filters', which no recording has"),
    (put("shape", [-1, 2, 7]), "shape is"),
    (put("shape", [4.5, 2, 7]), "shape is"),
    (put("shape", 7), "shape is 7"),
    (put("chunk_grid", {"name": "regular", "configuration": {"chunk_shape": [1 << 40, 2, 7]}}), "bytes a chunk"),
    (put("chunk_grid", {"name": "rectilinear", "configuration": {"chunk_shape": [4, 2, 7]}}), "chunk_grid is"),
    (put("chunk_grid", {"name": "regular", "configuration": {"chunk_shape": [0, 2, 7]}}), "chunk_grid is"),
    (put("chunk_grid", None), "chunk_grid is None"),
    (put("chunk_key_encoding", {"name": "v2"}), "chunk_key_encoding is"),
    (put("dimension_names", ["time"]), "dimension_names is"),
    (put("fill_value", {"a": 1}), "fill_value is"),
    (put("attributes", 3), "attributes is 3"),
    (put("node_type", "thing"), "node_type is 'thing'"),
    (rename("../outside"), "'../outside' is no name"),
    (rename("/etc/passwd"), "is no name"),
    (rename("a//b"), "is no name"),
    (put_root("consolidated_metadata", None), "has no consolidated metadata"),
    (put_root("consolidated_metadata", {"kind": "inline", "metadata": []}), "must list at most"),
    (put_root("zarr_format", 2), "is no group of Zarr v3"),
    (put_root("extension", {}), "'extension', which no recording has"),
]


@pytest.mark.parametrize(("change", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_metadata_that_no_recording_has(
    change: Any, words: str, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(recorded, change)

    def opened(*_: Any, **__: Any) -> None:
        raise AssertionError("Zarr must not see it")

    monkeypatch.setattr(zarr, "open_group", opened)
    with pytest.raises(LoadError, match=r"zarr\.json: ") as told:
        open_recording(recorded)
    assert words in str(told.value)


@pytest.mark.parametrize("text", [b"", b"[" * 100_000, b"\xff\xfe", b"{}", b"[]", b"3", b'{"zarr_format": 3}'])
def test_roots_that_are_none(text: bytes, recorded: Path) -> None:
    (recorded / "zarr.json").write_bytes(text)
    with pytest.raises(LoadError, match=r"a\.zarr"):
        open_recording(recorded)


def test_links_are_refused(recorded: Path, tmp_path: Path) -> None:
    chunk = next((recorded / ARRAY).glob("c.*"))
    chunk.rename(tmp_path / "chunk")
    chunk.symlink_to(tmp_path / "chunk")
    with pytest.raises(LoadError, match="is a link; the files of a recording are its own"):
        open_recording(recorded)
    root = recorded / "zarr.json"
    root.rename(tmp_path / "root")
    root.symlink_to(tmp_path / "root")
    with pytest.raises(LoadError, match="is a link or no file"):
        open_recording(recorded)


@pytest.mark.parametrize("kind", ["pickle", "codec", "no metadata"])
def test_readings_beside_a_recording_are_checked_too(kind: str, recorded: Path, monkeypatch: Any) -> None:
    """Readings of sensors are found by their name: whoever gave the recording may have put them there."""
    xarray = pytest.importorskip("xarray", reason="xarray is not installed: extra xarray")
    beside = recorded.with_name("a.sensors.zarr")
    root = zarr.create_group(store=str(beside), zarr_format=2 if kind == "pickle" else 3)
    if kind == "codec":
        root.create_array("gyro", shape=(3,), dtype="f4", dimension_names=["time"])
        zarr.consolidate_metadata(str(beside))
        file = beside / "zarr.json"
        file.write_text(file.read_text().replace('"zstd"', '"numcodecs.lzma"'))
    opened: list[Any] = []
    monkeypatch.setattr(xarray, "open_datatree", lambda *args, **options: opened.append(args))
    with pytest.raises(LoadError, match=r"a\.sensors\.zarr"):
        _ = open_recording(recorded).tree
    assert not opened


def test_readings_beside_a_recording_are_read(recorded: Path) -> None:
    """As they were written; and no array of a codec that is only in the metadata of a group within."""
    pytest.importorskip("xarray", reason="xarray is not installed: extra xarray")
    beside = recorded.with_name("a.sensors.zarr")
    gyro = Reading("imu:base", "gyro", np.ones((4, 2, 3), "f4"), ("axis",), "rad/s", "rate", {"axis": list("xyz")})
    touch = Reading("contact:base", "touch", np.ones((4, 2), bool), (), "", "touch", {})
    write_readings(beside, [gyro, touch], np.arange(4) * 0.005, np.arange(2), "a test")
    tree = open_recording(recorded).tree
    assert np.array_equal(tree["/sensors/imu/base"]["gyro"], gyro.values)
    assert np.array_equal(tree["/sensors/contact/base"]["touch"], touch.values)
    document = json.loads((beside / "zarr.json").read_text())
    group = document["consolidated_metadata"]["metadata"]["imu"]
    group["consolidated_metadata"]["metadata"]["x"] = {"zarr_format": 2, "node_type": "array"}
    (beside / "zarr.json").write_text(json.dumps(document))
    with pytest.raises(LoadError, match="'imu/x' is not of Zarr v3"):
        _ = open_recording(recorded).tree


def test_nothing_reads_pickled_arrays(tmp_path: Path) -> None:
    """No reader of the package asks NumPy for objects, which would be unpickled."""
    package = Path(px.__file__).parent
    assert not [path for path in package.rglob("*.py") if "allow_pickle=True" in path.read_text()]
    gone_off = tmp_path / "executed"
    np.savez(tmp_path / "a.npz", world=np.array([Bomb(gone_off)], object), step_count=np.array(3))
    with pytest.raises(LoadError, match="not a saved world"):
        px.World.load(tmp_path / "a.npz")
    assert not gone_off.exists()
