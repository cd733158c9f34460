"""What a recording's Zarr metadata may say, checked as JSON before Zarr opens anything.

Zarr runs what metadata ask for: codecs are looked up by name among all that are installed, and arrays of Zarr v2 may
have filters that unpickle what a file holds. A recording needs arrays of Zarr v3 with a few codecs; everything else is
refused.
"""

from __future__ import annotations

import json
import math
import stat
from pathlib import Path
from typing import Any

from phalanx.io.reading.errors import LoadError

DTYPES = frozenset(
    ("bool", "string", "float32", "float64", *(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)))
)
"""Types of arrays."""

CODECS = frozenset(("blosc", "zstd", "gzip", "bytes", "crc32c", "sharding_indexed", "transpose", "vlen-utf8"))
"""How values become bytes; none of these runs what it reads."""

GROUP_KEYS = frozenset(("zarr_format", "node_type", "attributes", "consolidated_metadata"))
ARRAY_KEYS = frozenset(
    (
        *("zarr_format", "node_type", "attributes", "shape", "data_type", "chunk_grid", "chunk_key_encoding"),
        *("fill_value", "codecs", "dimension_names", "storage_transformers"),
    )
)

MAX_BYTES = 1 << 30
"""Of the root's metadata."""

MAX_CHUNK = 1 << 31
"""Bytes of a chunk; Blosc takes no more."""

MAX_ARRAYS = 100_000


def read_document(path: Path) -> dict[str, Any]:
    """The metadata of the folder ``path`` with those of all that is in it.

    Raises:
        LoadError: there are none, they are damaged, or they ask for something that no recording has.
    """
    file = path / "zarr.json"
    try:
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise LoadError(f"{file}: is a link or no file; a recording has a file there.")
        if status.st_size > MAX_BYTES:
            raise LoadError(f"{file}: has {status.st_size} bytes; recordings have at most {MAX_BYTES}.")
        text = file.read_bytes()
    except FileNotFoundError:
        raise LoadError(f"{path}: is no recording (it has no zarr.json at its top).") from None
    except OSError as error:
        raise LoadError(f"{path}: cannot be read: {error}.") from error
    try:
        document = json.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise LoadError(f"{file}: is truncated or damaged ({error}).") from error
    if not isinstance(document, dict) or document.get("zarr_format") != 3:
        raise LoadError(f"{file}: is no group of Zarr v3, as recordings are.")
    return document


def check_metadata(path: Path, document: dict[str, Any], nested: bool = False) -> dict[str, dict[str, Any]]:
    """Check everything that the consolidated metadata of a folder say; returns those of arrays and groups, by name.

    ``nested``: groups may repeat the metadata of what is in them, as Zarr writes them; these are checked, too.

    Raises:
        LoadError: see :func:`read_document`.
    """
    file = path / "zarr.json"
    if document.get("node_type") != "group":
        raise LoadError(f"{file}: is no group of Zarr v3, as recordings are.")
    _keys(file, "the root", document, GROUP_KEYS)
    consolidated = document.get("consolidated_metadata")
    if not isinstance(consolidated, dict) or consolidated.get("kind") != "inline":
        raise LoadError(f"{file}: has no consolidated metadata; recordings have.")
    _keys(file, "consolidated_metadata", consolidated, {"kind", "must_understand", "metadata"})
    found = consolidated.get("metadata")
    if not isinstance(found, dict) or len(found) > MAX_ARRAYS:
        raise LoadError(f"{file}: consolidated_metadata must list at most {MAX_ARRAYS} groups and arrays.")
    for name, node in found.items():
        _node(file, name, node, nested)
    return found


def _node(file: Path, name: str, node: Any, nested: bool) -> None:
    parts = name.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        raise LoadError(f"{file}: {name!r} is no name of an array.")
    if not isinstance(node, dict) or node.get("zarr_format") != 3:
        raise LoadError(
            f"{file}: {name!r} is not of Zarr v3. Recordings are; arrays of v2 can run code when they are read, so "
            "this one is not opened."
        )
    if not isinstance(node.get("attributes", {}), dict):
        raise _wrong(file, name, "attributes", node["attributes"], "an object")
    if node.get("node_type") == "group":
        _keys(file, repr(name), node, GROUP_KEYS)
        within = node.get("consolidated_metadata")
        if nested and isinstance(within, dict) and isinstance(within.get("metadata"), dict):
            for below, each in within["metadata"].items():
                _node(file, f"{name}/{below}", each, nested)
        elif within is not None:
            raise _wrong(file, name, "consolidated_metadata", "...", "at the root alone")
        return
    if node.get("node_type") != "array":
        raise _wrong(file, name, "node_type", node.get("node_type"), "group or array")
    _keys(file, repr(name), node, ARRAY_KEYS)
    shape: Any = node.get("shape")
    kind = node.get("data_type")
    if not _counts(shape, 0):
        raise _wrong(file, name, "shape", shape, "whole numbers")
    if not isinstance(kind, str) or kind not in DTYPES:
        raise _wrong(file, name, "data_type", kind, f"one of {', '.join(sorted(DTYPES))}")
    if node.get("storage_transformers"):
        raise _wrong(file, name, "storage_transformers", node["storage_transformers"], "empty")
    grid = node.get("chunk_grid")
    configuration = grid.get("configuration") if isinstance(grid, dict) else None
    chunks: Any = configuration.get("chunk_shape") if isinstance(configuration, dict) else None
    if (
        not _counts(chunks, 1)
        or len(chunks) != len(shape)
        or not isinstance(grid, dict)
        or grid.get("name") != "regular"
    ):
        raise _wrong(file, name, "chunk_grid", grid, f"regular, with {len(shape)} positive whole numbers")
    size = math.prod(chunks) * (16 if kind == "string" else value_bytes(kind))
    if size > MAX_CHUNK:
        raise _wrong(file, name, "chunk_grid", f"{size} bytes a chunk", f"at most {MAX_CHUNK}")
    separator(file, name, node)
    names: Any = node.get("dimension_names")
    if not (isinstance(names, list) and len(names) == len(shape) and all(isinstance(each, str) for each in names)):
        raise _wrong(file, name, "dimension_names", names, f"{len(shape)} names")
    fill = node.get("fill_value")
    if not isinstance(fill, bool | int | float | str):
        raise _wrong(file, name, "fill_value", fill, "a number or text")
    _codecs(file, name, node.get("codecs"))


def separator(file: Path, name: str, node: dict[str, Any]) -> str:
    """What stands between the numbers in names of chunks."""
    encoding = node.get("chunk_key_encoding")
    if isinstance(encoding, dict) and encoding.get("name") == "default":
        configuration = encoding.get("configuration", {})
        found = configuration.get("separator", "/") if isinstance(configuration, dict) else None
        if found == "." or found == "/":
            return found
    raise _wrong(file, name, "chunk_key_encoding", encoding, 'default, with "." or "/"')


def _codecs(file: Path, name: str, codecs: Any) -> None:
    if not isinstance(codecs, list) or not codecs:
        raise _wrong(file, name, "codecs", codecs, "a list")
    for codec in codecs:
        called = codec.get("name") if isinstance(codec, dict) else codec
        if not isinstance(called, str) or called not in CODECS:
            raise LoadError(
                f"{file}: {name!r} has the codec {called!r}, which no recording has; it is not opened. Known are "
                f"{', '.join(sorted(CODECS))}."
            )
        configuration = codec.get("configuration", {})
        if not isinstance(configuration, dict):
            raise _wrong(file, name, f"configuration of {called}", configuration, "an object")
        if called == "sharding_indexed":
            for key in ("codecs", "index_codecs"):
                inner: Any = configuration.get(key)
                _codecs(file, name, inner)
                if any(one.get("name") in ("gzip", "zstd", "sharding_indexed") for one in inner):
                    raise _wrong(file, name, key, inner, "those of a recording's shards")
            if not _counts(configuration.get("chunk_shape"), 1):
                raise _wrong(file, name, "chunk_shape", configuration.get("chunk_shape"), "positive whole numbers")


def _counts(value: Any, least: int) -> bool:
    return isinstance(value, list) and all(type(n) is int and least <= n < 1 << 62 for n in value)


def value_bytes(kind: str) -> int:
    """Bytes of one value of a type of an array; 0 for texts."""
    if kind == "string":
        return 0
    return 1 if kind == "bool" else int("".join(c for c in kind if c.isdigit())) // 8


def _keys(file: Path, where: str, node: dict[str, Any], known: Any) -> None:
    unknown = [key for key in node if key not in known]
    if unknown:
        raise LoadError(f"{file}: {where} has {unknown[0]!r}, which no recording has.")


def _wrong(file: Path, name: str, key: str, value: Any, wanted: str) -> LoadError:
    text = repr(value)
    return LoadError(f"{file}: {name!r}: {key} is {text[:80]}{'...' * (len(text) > 80)}; it must be {wanted}.")
