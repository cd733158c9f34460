"""A Zarr v3 store whose arrays grow along their first axis and whose readers never see a half-written row.

Data goes to disk first; what readers go by, the shapes, changes afterwards and all at once: the root's
``zarr.json`` carries the metadata of every array (consolidated metadata) and is replaced by one atomic rename.
A process killed at any moment leaves every committed row readable, and nothing else visible.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import zarr

from phalanx.ecs.whole_files import replacing
from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings import repeats
from phalanx.io.recordings.chunks import compressor, encode_chunk, encode_shard, little_endian, transposed
from phalanx.io.recordings.direct_file import DirectFiles

# Inner chunks of a shard: what a reader of one environment has to decompress.
_CHUNK_BYTES = 1 << 19
# What the priority of encoders is lowered by.
_POLITENESS = 10
# How the metadata of a series begins, and what is kept for its rows.
_SHAPE = '{"shape": ['
_ROWS_WIDTH = 16
# Size of a chunk of a slowly growing array; it is rewritten as it fills.
_LOG_BYTES = 1 << 20
# Rows of a file of numbers, which are written in place.
_NUMBERS = 512


def atomic_write(path: Path, write: Callable[[Path], Any]) -> None:
    """Replace ``path`` by what ``write`` writes to another path, or leave it as it is."""
    with replacing(path) as made:
        write(made)


def yield_to_others() -> None:
    """Lower the priority of the calling thread: steps share out their work evenly, and wait for the last thread."""
    if sys.platform == "linux":  # elsewhere it would be that of the process
        thread = threading.get_native_id()
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, thread, min(19, os.getpriority(os.PRIO_PROCESS, thread) + _POLITENESS))


def _write_all(handle: int, data: bytes, start: int) -> None:
    """Write at a place of a file; the system may take less than it is given, when a disk becomes full above all."""
    view = memoryview(data)
    while view:
        done = os.pwrite(handle, view, start)
        view, start = view[done:], start + done


@dataclass
class _Series:
    """Where the rows of a growing array go: files of ``rows`` rows each, in pieces along the second axis or whole."""

    files: DirectFiles
    folder: Path
    item: tuple[int, ...]
    dtype: np.dtype[Any]
    fill: Any
    rows: int
    piece: int | None
    tail: np.ndarray | None = None  # the last file's rows, where files are rewritten as they fill
    tail_number: int = -1
    tail_changed: bool = False

    def write_file(self, number: int, values: np.ndarray) -> None:
        """Write rows ``number * rows`` onwards."""
        if len(values) < self.rows:
            # What is beyond the array's shape is never read.
            padded = np.moveaxis(np.zeros((self.rows, *self.item[1:], *self.item[:1]), self.dtype), -1, 1)
            padded[: len(values)] = values
            values = padded
        write = self._encode(values)
        file = self.folder / ".".join(("c", str(number), *["0"] * len(self.item)))
        if file.exists():
            atomic_write(file, write)
        else:  # nobody reads what is beyond the committed shape
            write(file)

    def _encode(self, values: np.ndarray) -> Callable[[Path], None]:
        """Encode rows; returns what writes them to a path."""
        if self.piece is None:
            return partial(self.files.write, parts=[encode_chunk(values)])
        inner = np.moveaxis(values, 1, -1)
        if not repeats.can_encode(inner, self.piece):
            return partial(self.files.write, parts=encode_shard(values, self.piece))
        memory = self.files.memory(repeats.largest_shard(inner, self.piece))
        return partial(self.files.write_memory, size=repeats.encode_shard(inner, self.piece, memory))

    def write_in_place(self, start: int, values: np.ndarray) -> None:
        """Write numbers into files that are not compressed; where they go is beyond the committed shape."""
        while len(values):
            number, offset = divmod(start, self.rows)
            count = min(len(values), self.rows - offset)
            handle = os.open(self.folder / f"c.{number}", os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW, 0o666)
            try:
                os.ftruncate(handle, self.rows * self.dtype.itemsize)
                _write_all(handle, little_endian(values[:count]).tobytes(), offset * self.dtype.itemsize)
            finally:
                os.close(handle)
            start, values = start + count, values[count:]

    def append(self, start: int, values: np.ndarray) -> None:
        """Take rows that begin anywhere, for files that are kept here as long as they fill."""
        while len(values):
            number, offset = divmod(start, self.rows)
            if self.tail is None or number != self.tail_number:
                self.flush()
                self.tail, self.tail_number = np.full((self.rows, *self.item), self.fill, self.dtype), number
            count = min(len(values), self.rows - offset)
            self.tail[offset : offset + count] = values[:count]
            self.tail_changed = True
            start, values = start + count, values[count:]

    def flush(self) -> None:
        """Write the last file as far as it has filled."""
        if self.tail is not None and self.tail_changed:
            self.write_file(self.tail_number, self.tail)
            self.tail_changed = False


class GrowingStore:
    """Writes one store. Used by one thread at a time.

    ``path`` must not exist; ``attributes`` are those of the root group, whose values are replaced, never changed.
    Nothing is readable before the first :meth:`commit`. With ``threads``, so many write series side by side.
    """

    def __init__(self, path: Path, attributes: Mapping[str, Any], threads: int = 1):
        self.path = path
        self._pool = ThreadPoolExecutor(threads, "phalanx-encoder", yield_to_others) if threads > 1 else None
        self.attributes = dict(attributes)
        self.committed: dict[str, Any] = {}
        """Attributes as readers see them."""
        self._root = zarr.create_group(store=str(path), zarr_format=3)
        self._series: dict[str, _Series] = {}
        self._files = DirectFiles()
        self._metadata: dict[str, dict[str, Any]] = {}
        self._plain: dict[tuple[np.dtype[Any], bool], dict[str, Any]] = {}  # metadata of arrays without shards
        self._texts: dict[str, tuple[str, str]] = {}  # of the metadata: key, value
        self._attributes: dict[str, tuple[Any, str]] = {}  # value, text
        self._changed: set[str] = set()

    def add_group(self, name: str, attributes: Mapping[str, Any] | None = None) -> None:
        """Add a group, and those above it."""
        parent = name.rpartition("/")[0]
        if parent and parent not in self._metadata:
            self.add_group(parent)
        (self.path / name).mkdir(parents=True)
        self._keep(name, {"attributes": dict(attributes or {}), "zarr_format": 3, "node_type": "group"})

    def add_constant(
        self, name: str, values: Any, dims: Sequence[str], attributes: Mapping[str, Any] | None = None
    ) -> None:
        """Add an array that does not grow."""
        values = np.asarray(values)
        texts = values.dtype.kind in "UO"
        array = self._root.create_array(
            name,
            shape=values.shape,
            chunks=tuple(max(1, n) for n in values.shape),
            dtype=cast(Any, str if texts else values.dtype),
            dimension_names=list(dims),
            attributes=dict(attributes or {}),
            config={"write_empty_chunks": True},
        )
        array[...] = values.astype(object) if texts else values
        self._load_metadata(name)

    def add_series(
        self,
        name: str,
        item: Sequence[int],
        dtype: Any,
        dims: Sequence[str],
        attributes: Mapping[str, Any] | None = None,
        *,
        shard_rows: int | None = None,
    ) -> None:
        """Add an array of shape (rows, *item) with no rows yet.

        With ``shard_rows``, every so many rows are one shard (one file), cut into chunks along the second axis, and
        :meth:`write` takes whole shards only (but for the last).
        Without, rows are gathered in small chunks that are rewritten as they fill (always whole, by an atomic rename).
        Numbers, which have no second axis, are not compressed, and written in place.
        """
        dtype = np.dtype(dtype)
        item = tuple(int(n) for n in item)
        fill = np.nan if dtype.kind == "f" else 0
        if not item:
            rows, piece = _NUMBERS, None
        elif shard_rows is None:
            row_bytes = max(1, dtype.itemsize * int(np.prod(item, dtype=np.int64)))
            rows, piece = max(1, min(4096, _LOG_BYTES // row_bytes)), None
        else:
            cell_bytes = max(1, shard_rows * dtype.itemsize * int(np.prod(item[1:], dtype=np.int64)))
            rows, piece = shard_rows, _divisor(max(1, item[0]), max(1, _CHUNK_BYTES // cell_bytes))
        whole = (rows, *(max(1, n) for n in item))
        self._series[name] = _Series(self._files, self.path / name, item, dtype, fill, rows, piece)
        known = self._plain.get((dtype, not item))
        if known is not None and piece is None:  # Zarr takes a hundred times as long
            metadata = copy.deepcopy(known)
            metadata["shape"], metadata["chunk_grid"]["configuration"]["chunk_shape"] = [0, *item], list(whole)
            metadata["dimension_names"], metadata["attributes"] = list(dims), dict(attributes or {})
            (self.path / name).mkdir(parents=True)
            self._keep(name, metadata)
            return
        self._root.create_array(
            name,
            shape=(0, *item),
            chunks=whole if piece is None else (rows, piece, *whole[2:]),
            shards=None if piece is None else whole,
            dtype=dtype,
            dimension_names=list(dims),
            attributes=dict(attributes or {}),
            chunk_key_encoding={"name": "default", "separator": "."},  # folders take longer than files
            fill_value=fill,
            filters=None if piece is None else [transposed(1 + len(item))],
            compressors=compressor(dtype) if item else None,
        )
        self._load_metadata(name)
        if piece is None:
            self._plain[dtype, not item] = copy.deepcopy(self._metadata[name])

    def __contains__(self, name: str) -> bool:
        return name in self._metadata

    def write(self, name: str, start: int, values: np.ndarray) -> None:
        """Write rows ``start`` to ``start + len(values)``; they become visible with the next :meth:`commit`."""
        if len(values) == 0:
            return
        series = self._series[name]
        if values.shape[1:] != series.item or values.dtype != series.dtype:
            raise ValueError(f"{name}: rows of {values.dtype}{values.shape[1:]}, not {series.dtype}{series.item}")
        if values.size == 0:
            pass  # no joints, say: rows without content
        elif not series.item:
            series.write_in_place(start, values)
        elif series.piece is None:
            series.append(start, values)
        elif start % series.rows or len(values) > series.rows:
            raise ValueError(f"{name}: rows {start} to {start + len(values)} are not one shard of {series.rows}")
        else:
            series.write_file(start // series.rows, values)
        shape = self._metadata[name]["shape"]
        shape[0] = max(shape[0], start + len(values))
        self._changed.add(name)

    def write_all(self, start: int, columns: Mapping[str, np.ndarray]) -> None:
        """:meth:`write` of several series, side by side."""
        run = map if self._pool is None else self._pool.map
        for _ in run(lambda name: self.write(name, start, columns[name]), columns):
            pass  # raises what a thread has raised

    def rows(self, name: str) -> int:
        """Rows written so far."""
        return self._metadata[name]["shape"][0]

    def close(self) -> None:
        """End its threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def commit(self) -> None:
        """Make everything written so far visible, and nothing less."""
        for name in self._changed:
            if name in self._series:
                self._series[name].flush()
        for name in self._changed:
            self._write_rows(name)
        self._changed.clear()
        for key, value in self.attributes.items():
            if key not in self._attributes or self._attributes[key][0] is not value:
                self._attributes[key] = value, f"{json.dumps(key)}: {json.dumps(value)}"
        attributes = ", ".join(text for _, text in self._attributes.values())
        arrays = ", ".join(map("".join, self._texts.values()))
        root = (
            f'{{"zarr_format": 3, "node_type": "group", "attributes": {{{attributes}}}, '
            f'"consolidated_metadata": {{"kind": "inline", "must_understand": false, "metadata": {{{arrays}}}}}}}'
        ).encode()
        atomic_write(self.path / "zarr.json", lambda path: path.write_bytes(root))
        self.committed = dict(self.attributes)

    def _write_rows(self, name: str) -> None:
        """Write the number of rows of a series into its own metadata, which readers of less than the whole store go by.

        A few bytes are overwritten: replacing a file costs a hundred times as much, for each series and chunk.
        """
        rows = f"{self.rows(name):>{_ROWS_WIDTH}}"
        start = len(_SHAPE)
        key, text = self._texts[name]
        self._texts[name] = key, text[:start] + rows + text[start + _ROWS_WIDTH :]
        handle = os.open(self.path / name / "zarr.json", os.O_WRONLY | os.O_NOFOLLOW)
        try:
            _write_all(handle, rows.encode(), start)
        finally:
            os.close(handle)

    def _load_metadata(self, name: str) -> None:
        """Take over what Zarr has written."""
        self._keep(name, json.loads((self.path / name / "zarr.json").read_text(encoding="utf-8")))

    def _keep(self, name: str, metadata: dict[str, Any]) -> None:
        """Write the metadata of a group or array, and know them."""
        if name in self._series:  # the shape first, with room for any number of rows
            metadata = {"shape": metadata.pop("shape"), **metadata}
        self._metadata[name] = metadata
        text = json.dumps(metadata)
        if name in self._series:
            text = _SHAPE + " " * (_ROWS_WIDTH - 1) + text[len(_SHAPE) :]
        self._texts[name] = f"{json.dumps(name)}: ", text
        atomic_write(self.path / name / "zarr.json", lambda path: path.write_bytes(text.encode()))


def _divisor(number: int, limit: int) -> int:
    """Largest divisor up to a limit; the number itself where that would make crumbs.

    Chunks must divide the shard that they are in, and a shard is the array's size across.
    """
    best = max((d for d in range(1, min(limit, number) + 1) if number % d == 0), default=1)
    return best if best * 8 >= min(limit, number) else max(1, number)


_MESH_DIMS = {
    "vertices": ("vertex", "axis"),
    "faces": ("face", "corner"),
    "heights": ("x", "y"),
    "nodes": ("node", "axis"),
    "tets": ("tet", "corner"),
    "triangles": ("triangle", "corner"),
}
_OF_INDICES = ("faces", "tets", "triangles")
"""Keys of lists of indices."""


def move_meshes_out(description: Any, store: GrowingStore) -> tuple[Any, dict[str, np.ndarray]]:
    """Copy of a JSON-ready description with meshes and height fields as arrays under ``meshes/``, equal ones once.

    The lists under the keys of ``_MESH_DIMS`` become ``{"array": "meshes/0/vertices"}``.

    Returns:
        The copy, and the arrays by name.
    """
    moved: dict[str, np.ndarray] = {}
    known: dict[tuple[str, bytes], str] = {}

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(v) for v in value]
        if not isinstance(value, dict):
            return value
        meshes = {k: put(k, v) for k, v in value.items() if k in _MESH_DIMS and isinstance(v, list) and v}
        return {k: meshes[k] if k in meshes else walk(v) for k, v in value.items()}

    def put(key: str, rows: list[Any]) -> dict[str, str]:
        values = np.array(rows, dtype=np.int64 if key in _OF_INDICES else np.float64).reshape(len(rows), -1)
        identity = (key, values.tobytes())
        if identity not in known:
            group = f"meshes/{len(known)}"
            store.add_group(group)
            known[identity] = f"{group}/{key}"
            units = {} if key in _OF_INDICES else {"units": "m"}
            store.add_constant(known[identity], values, _MESH_DIMS[key], {"long_name": key, **units})
            moved[known[identity]] = values
        return {"array": known[identity]}

    return walk(description), moved


def move_meshes_in(description: Any, root: zarr.Group) -> tuple[Any, dict[str, np.ndarray]]:
    """Inverse of :func:`move_meshes_out`; also returns the arrays by name."""
    moved: dict[str, np.ndarray] = {}

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(v) for v in value]
        if not isinstance(value, dict):
            return value
        if set(value) == {"array"}:
            name = str(value["array"])
            if not name.startswith("meshes/"):
                raise LoadError(f"{name!r} is no mesh")
            if name not in moved:
                moved[name] = np.asarray(cast(Any, root[name])[...])
            return moved[name].tolist()
        return {k: walk(v) for k, v in value.items()}

    return walk(description), moved
