"""What programs stored, and somebody changed: recordings, saved worlds, specs. See ``hostile_files``."""

from __future__ import annotations

import json
import os
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from hostile_files import case, write

# -- recordings ----------------------------------------------------------------------------------------------------


@cache
def recorded() -> Path:
    """A recording of a box that falls."""
    import phalanx as px

    path = Path(tempfile.mkdtemp(prefix="phalanx-hostile-")) / "a.zarr"
    world = px.World(num_envs=2)
    world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box")
    with px.Recorder(world, path):
        world.step(3)
    return path


Document = dict[str, Any]


def recording(folder: Path, change: Callable[[Document, Document], None] | None = None) -> Path:
    """A copy, after a change of its metadata and of those of its arrays."""
    path = Path(shutil.copytree(recorded(), folder / "a.zarr"))
    if change is not None:
        document = json.loads((path / "zarr.json").read_text())
        change(document, document["consolidated_metadata"]["metadata"])
        (path / "zarr.json").write_text(json.dumps(document))
    return path


def header(document: Document) -> Document:
    return document["attributes"]["phalanx_recording"]


@case("asks for 1,000,000,000 samples")
def recording_of_a_billion_samples(folder: Path) -> Path:
    """In one chunk, as the file of which is there."""

    def change(document: Document, arrays: Document) -> None:
        header(document)["complete_samples"] = 10**9
        for array in arrays.values():
            if array["node_type"] == "array" and array["shape"][0] == 4:
                array["shape"][0] = 10**9
                chunk = array["chunk_grid"]["configuration"]["chunk_shape"]
                chunk[0] = (1 << 31) // (8 * int(np.prod(chunk[1:])))

    return recording(folder, change)


def unpacked(folder: Path, codec: str, data: bytes) -> Path:
    """A recording whose steps are packed."""

    def change(document: Document, arrays: Document) -> None:
        arrays["objects/box/step"]["codecs"] = [
            {"name": "bytes", "configuration": {"endian": "little"}},
            {"name": codec, "configuration": {"level": 1} if codec == "gzip" else {"level": 1, "checksum": False}},
        ]

    path = recording(folder, change)
    next((path / "objects/box/step").glob("c.*")).write_bytes(data)
    return path


@case("holds more than 4,096 bytes")
def recording_that_unpacks_to_gigabytes(folder: Path) -> Path:
    packer = zlib.compressobj(1, wbits=31)
    part = bytes(1 << 24)
    return unpacked(folder, "gzip", b"".join(packer.compress(part) for _ in range(64)) + packer.flush())


@case("holds more than 4,096 bytes")
def recording_that_unpacks_to_more(folder: Path) -> Path:
    """A frame of Zstandard that says so at its start: one block of zeros after the other."""
    block = struct.pack("<I", 1 << 20 | 1 << 1)[:3] + b"\0"
    return unpacked(folder, "zstd", struct.pack("<IBBQ", 0xFD2FB528, 0xC0, 0x38, 1 << 33) + block * (1 << 16))


@case("c.0 is missing")
def recording_with_a_pipe(folder: Path) -> Path:
    path = recording(folder)
    chunk = next((path / "objects/box/step").glob("c.*"))
    chunk.unlink()
    os.mkfifo(chunk)
    return path


@case("a link or no file")
def recording_that_is_a_pipe(folder: Path) -> Path:
    path = recording(folder)
    (path / "zarr.json").unlink()
    os.mkfifo(path / "zarr.json")
    return path


@case("has 1073741825 bytes")
def recording_of_a_long_text(folder: Path) -> Path:
    path = recording(folder)
    os.truncate(path / "zarr.json", (1 << 30) + 1)
    return path


@case("at most 100000")
def recording_of_many_arrays(folder: Path) -> Path:
    def change(document: Document, arrays: Document) -> None:
        arrays.update({f"x{i}": {} for i in range(100_001)})

    return recording(folder, change)


@case("has format 1000000000")
def recording_of_another_format(folder: Path) -> Path:
    return recording(folder, lambda document, arrays: header(document).update(format=10**9))


@case("its world has num_envs = 1000000000, its header 2")
def recording_of_a_billion_worlds(folder: Path) -> Path:
    """As many environments in its description as in what was recorded are not asked for."""
    return recording(folder, lambda document, arrays: document["attributes"]["world"].update(num_envs=10**9))


@case("its world has dt = 0")
def recording_of_no_step(folder: Path) -> Path:
    return recording(folder, lambda document, arrays: document["attributes"]["world"].update(dt=0))


@case("recursion")
def recording_of_nested_lists(folder: Path) -> Path:
    path = recording(folder)
    (path / "zarr.json").write_text('{"zarr_format": 3, "attributes": ' + "[" * 100_000 + "]" * 100_000 + "}")
    return path


# -- saved worlds --------------------------------------------------------------------------------------------------


@cache
def saved() -> bytes:
    import phalanx as px

    with tempfile.TemporaryDirectory() as folder:
        world = px.World(2)
        world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball")
        world.save(Path(folder) / "a.npz")
        return (Path(folder) / "a.npz").read_bytes()


def sign(files: dict[str, bytes]) -> None:
    """Make the digest of what is there, as who edits on purpose can."""
    from phalanx.io.reading.digests import digest_of_arrays

    arrays = {}
    for name, data in files.items():
        try:
            arrays[name.removesuffix(".npy")] = np.load(BytesIO(data), allow_pickle=False)
        except (ValueError, EOFError, MemoryError):
            return  # what cannot be read cannot be signed either
    del arrays["digest"]
    kept = BytesIO()
    np.save(kept, np.array(digest_of_arrays(arrays)))
    files["digest.npy"] = kept.getvalue()


def world_file(folder: Path, change: Callable[[dict[str, bytes]], None], how: int = zipfile.ZIP_STORED) -> Path:
    """A saved world with other files in it."""
    with zipfile.ZipFile(BytesIO(saved())) as source:
        files = {name: source.read(name) for name in source.namelist()}
    change(files)
    if "world.npy" in files and how == zipfile.ZIP_STORED:
        sign(files)
    with zipfile.ZipFile(folder / "a.npz", "w", how, compresslevel=1) as target:
        for name, data in files.items():
            target.writestr(name, data)
    return folder / "a.npz"


def array(shape: str, kind: str = "<f8", data: bytes = b"") -> bytes:
    """A file of NumPy's that may promise more than it has."""
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def described(**values: object) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        description = json.loads(str(np.load(BytesIO(files["world.npy"]))))
        description.update(values)
        kept = BytesIO()
        np.save(kept, np.array(json.dumps(description)))
        files["world.npy"] = kept.getvalue()

    return change


@case("not a saved world")
def world_of_a_trillion_numbers(folder: Path) -> Path:
    return world_file(folder, lambda files: files.update({"step_count.npy": array("(1000000000000,)")}))


@case("negative dimensions")
def world_of_a_negative_shape(folder: Path) -> Path:
    return world_file(folder, lambda files: files.update({"step_count.npy": array("(-5,)")}))


@case("allow_pickle")
def world_of_objects(folder: Path) -> Path:
    return world_file(folder, lambda files: files.update({"step_count.npy": array("(1,)", "|O", b"cos\nsystem\n.")}))


@case("packed")
def world_that_unpacks_to_a_gigabyte(folder: Path) -> Path:
    zeros = array("(134217728,)") + bytes(1 << 28)
    return world_file(folder, lambda files: files.update({"step_count.npy": zeros}), zipfile.ZIP_DEFLATED)


@case("no state of the 1000000000 environments")
def world_of_a_billion_environments(folder: Path) -> Path:
    return world_file(folder, described(num_envs=10**9))


@case("no state of the -1 environments")
def world_of_no_environment(folder: Path) -> Path:
    return world_file(folder, described(num_envs=-1))


@case("gravity=")
def world_with_gravity_of_words(folder: Path) -> Path:
    return world_file(folder, described(gravity=["a", "b", "c"]))


@case("dt=nan")
def world_of_no_step(folder: Path) -> Path:
    return world_file(folder, described(dt=float("nan")))


@case("at most 4096")
def world_of_many_files(folder: Path) -> Path:
    return world_file(folder, lambda files: files.update({f"x{i}.npy": b"" for i in range(20_000)}))


@case("changed after it was saved|KeyError|world")
def world_without_a_description(folder: Path) -> Path:
    return world_file(folder, lambda files: (files.pop("world.npy"), None)[1])


@case("no such file")
def world_that_is_a_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "a.npz")
    return folder / "a.npz"


@case("not all of one")
def world_that_is_cut_off(folder: Path) -> Path:
    return write(folder, "a.npz", saved()[:-30])
