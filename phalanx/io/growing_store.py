"""A Zarr v3 store whose arrays grow along their first axis and whose readers never see a half-written row.

Data goes to disk first; what readers go by, the shapes, changes afterwards and all at once: the root's
``zarr.json`` carries the metadata of every array (consolidated metadata) and is replaced by one atomic rename.
A process killed at any moment leaves every committed row readable, and nothing else visible.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import zarr
from zarr.codecs import BloscCodec

# A handle that writes has room for any number of rows. How many there are is in the metadata on disk.
_ROOM = 2**40
# Inner chunks of a shard: what a reader of one environment has to decompress.
_CHUNK_BYTES = 1 << 20
# Rows a shard of a slowly growing array takes; such a shard is rewritten as it fills.
_LOG_BYTES = 1 << 22


def atomic_write(path: Path, text: str) -> None:
    """Replace ``path`` by a file with this text, or leave it as it is."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


class GrowingStore:
    """Writes one store. Used by one thread at a time.

    ``path`` must not exist; ``attributes`` are those of the root group. Nothing is readable before the first
    :meth:`commit`.
    """

    def __init__(self, path: Path, attributes: Mapping[str, Any]):
        self.path = path
        self.attributes = dict(attributes)
        self._root = zarr.create_group(store=str(path), zarr_format=3)
        self._arrays: dict[str, zarr.Array[Any]] = {}
        self._metadata: dict[str, dict[str, Any]] = {}
        self._changed: set[str] = set()

    def add_group(self, name: str, attributes: Mapping[str, Any] | None = None) -> None:
        """Add a group, and those above it."""
        parent = name.rpartition("/")[0]
        if parent and parent not in self._metadata:
            self.add_group(parent)
        self._root.create_group(name, attributes=dict(attributes or {}))
        self._load_metadata(name)

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

        With ``shard_rows``, every so many rows are one shard (one file), cut into chunks along the second axis;
        a writer that appends whole shards never rewrites one. Without, rows are gathered in small shards that
        are rewritten as they fill (always whole, by an atomic rename).
        """
        dtype = np.dtype(dtype)
        item = tuple(int(n) for n in item)
        if shard_rows is None:
            row_bytes = max(1, dtype.itemsize * int(np.prod(item, dtype=np.int64)))
            chunks = (max(1, min(4096, _LOG_BYTES // row_bytes)), *(max(1, n) for n in item))
            shards = None
        else:
            cells = item[0] if item else 1
            cell_bytes = max(1, shard_rows * dtype.itemsize * int(np.prod(item[1:], dtype=np.int64)))
            per_piece = _divisor(cells, max(1, _CHUNK_BYTES // cell_bytes))
            rest = tuple(max(1, n) for n in item[1:])
            chunks = (shard_rows, per_piece, *rest)[: len(item) + 1]
            shards = (shard_rows, max(1, cells), *rest)[: len(item) + 1]
        self._arrays[name] = self._root.create_array(
            name,
            shape=(_ROOM, *item),
            chunks=chunks,
            shards=shards,
            dtype=dtype,
            dimension_names=list(dims),
            attributes=dict(attributes or {}),
            fill_value=np.nan if dtype.kind == "f" else 0,
            # Twice as fast as plain shuffling here, and smaller.
            compressors=BloscCodec(cname="lz4", clevel=1, shuffle="bitshuffle", typesize=dtype.itemsize),
            # Otherwise a chunk that equals the fill value is not stored, and -0.0 would come back as 0.0.
            config={"write_empty_chunks": True},
        )
        self._load_metadata(name)
        self._metadata[name]["shape"][0] = 0
        self._changed.add(name)

    def __contains__(self, name: str) -> bool:
        return name in self._metadata

    def write(self, name: str, start: int, values: np.ndarray) -> None:
        """Write rows ``start`` to ``start + len(values)``; they become visible with the next :meth:`commit`."""
        if len(values) == 0:
            return
        self._arrays[name][start : start + len(values)] = values
        shape = self._metadata[name]["shape"]
        shape[0] = max(shape[0], start + len(values))
        self._changed.add(name)

    def rows(self, name: str) -> int:
        """Rows written so far."""
        return self._metadata[name]["shape"][0]

    def commit(self) -> None:
        """Make everything written so far visible, and nothing less."""
        for name in self._changed:
            atomic_write(self.path / name / "zarr.json", json.dumps(self._metadata[name]))
        self._changed.clear()
        root = {
            "zarr_format": 3,
            "node_type": "group",
            "attributes": self.attributes,
            "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": self._metadata},
        }
        atomic_write(self.path / "zarr.json", json.dumps(root))

    def _load_metadata(self, name: str) -> None:
        self._metadata[name] = json.loads((self.path / name / "zarr.json").read_text(encoding="utf-8"))


def _divisor(number: int, limit: int) -> int:
    """Largest divisor up to a limit; the number itself where that would make crumbs.

    Pieces that do not divide a shard stick out of the array, and Zarr then reads a shard before it writes it.
    """
    best = max((d for d in range(1, min(limit, number) + 1) if number % d == 0), default=1)
    return best if best * 8 >= min(limit, number) else max(1, number)


def move_meshes_out(description: Any, store: GrowingStore) -> Any:
    """Copy of a JSON-ready description with every mesh stored as arrays under ``meshes/`` (equal ones once).

    The lists under the keys ``vertices`` and ``faces`` become ``{"array": "meshes/0/vertices"}``.
    """
    known: dict[tuple[str, bytes], str] = {}

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(v) for v in value]
        if not isinstance(value, dict):
            return value
        meshes = {k: put(k, v) for k, v in value.items() if k in ("vertices", "faces") and isinstance(v, list) and v}
        return {k: meshes[k] if k in meshes else walk(v) for k, v in value.items()}

    def put(key: str, rows: list[Any]) -> dict[str, str]:
        values = np.array(rows, dtype=np.float64 if key == "vertices" else np.int64).reshape(len(rows), -1)
        identity = (key, values.tobytes())
        if identity not in known:
            group = f"meshes/{len(known)}"
            store.add_group(group)
            known[identity] = f"{group}/{key}"
            units = {"units": "m"} if key == "vertices" else {}
            dims = ("vertex", "axis") if key == "vertices" else ("face", "corner")
            store.add_constant(known[identity], values, dims, {"long_name": key, **units})
        return {"array": known[identity]}

    return walk(description)


def move_meshes_in(description: Any, root: zarr.Group) -> Any:
    """Inverse of :func:`move_meshes_out`."""
    if isinstance(description, list):
        return [move_meshes_in(v, root) for v in description]
    if not isinstance(description, dict):
        return description
    if set(description) == {"array"}:
        return np.asarray(cast(Any, root[description["array"]])[...]).tolist()
    return {k: move_meshes_in(v, root) for k, v in description.items()}
