"""What a recording says of itself: checked before it is believed, with a digest that tells edits.

A digest finds changes that were made by hand or by damage. It is no signature: who edits on purpose can make a new one.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from phalanx.io.reading import limits
from phalanx.io.reading.boundary import of_file
from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.fields import FIELDS, KINDS, dimensions
from phalanx.io.recordings.subjects import FOLDERS

FORMAT = 2
"""Version of recordings."""

CONSTANT = ("format", "phalanx", "every", "fields", "num_envs", "dt", *FOLDERS.values())
"""What does not change while a recording is made."""


def digest_of(header: Mapping[str, Any], world: Any, arrays: str) -> str:
    """Hexadecimal SHA-256 of what a recording says of itself and of its world.

    Args:
        header: of which :data:`CONSTANT` counts.
        world: the description with its meshes moved out.
        arrays: :func:`digest_of_arrays` of these meshes.
    """
    whole = [{key: header[key] for key in CONSTANT if key in header}, world, arrays]
    return hashlib.sha256(json.dumps(json.loads(json.dumps(whole)), sort_keys=True).encode()).hexdigest()


def header_of(path: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """The header in a recording's metadata, of a format that this version reads.

    Raises:
        LoadError: it is missing, newer, or its world is not as it says.
    """
    try:
        attributes = document["attributes"]
        header = attributes["phalanx_recording"]
    except (KeyError, TypeError):
        raise LoadError(f"{path}: is a Zarr folder, but no recording of Phalanx.") from None
    if not isinstance(header, dict) or type(header.get("format")) is not int:
        raise LoadError(f"{path}: is damaged: its header has no format.")
    if header["format"] > FORMAT:
        raise LoadError(
            f"{path}: has format {header['format']}, written by Phalanx {header.get('phalanx')}; this Phalanx reads "
            f"up to format {FORMAT}. Update Phalanx."
        )
    world = attributes.get("world")
    for key in ("num_envs", "dt"):
        if isinstance(world, dict) and world.get(key, header.get(key)) != header.get(key):
            raise LoadError(
                f"{path}: is damaged: its world has {key} = {world[key]!r:.30}, its header {header.get(key)!r:.30}."
            )
    return header


def check_header(path: Path, header: Any, arrays: Mapping[str, Any]) -> None:
    """Check what the header says by itself, and against the arrays that there are.

    Args:
        path: of the recording.
        header: of format 2.
        arrays: metadata of groups and arrays by name.

    Raises:
        LoadError: with what is wrong.
    """

    def whole(least: int) -> Callable[[Any], bool]:
        return lambda value: type(value) is int and least <= value < 1 << 62

    def texts(value: Any) -> bool:
        return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())

    wanted: dict[str, tuple[Callable[[Any], bool], str]] = {
        "phalanx": (lambda value: isinstance(value, str), "a version"),
        "created": (lambda value: isinstance(value, str), "a date"),
        "every": (whole(1), "a whole number, at least 1"),
        "fields": (
            lambda value: isinstance(value, list) and all(isinstance(f, str) and f in FIELDS for f in value),
            "a list of fields",
        ),
        "num_envs": (whole(1), "a whole number, at least 1"),
        "dt": (lambda value: type(value) in (int, float) and 0 < value < math.inf, "a positive number"),
        "complete_samples": (whole(0), "a whole number"),
        "complete_events": (whole(0), "a whole number"),
        "closed": (lambda value: isinstance(value, bool), "true or false"),
    }
    for key, (fits, what) in wanted.items():
        if key not in header:
            raise LoadError(f"{path}: is damaged: its header lacks {key!r}.")
        if not fits(header[key]):
            raise LoadError(f"{path}: is damaged: {key} in its header is {header[key]!r:.60}, not {what}.")
    samples, events = header["complete_samples"], header["complete_events"]
    limits.check("samples", max(samples, events), of_file(path))

    def shape(name: str, least: int, dims: int | None = None, kinds: str = "") -> list[int]:
        node = arrays.get(name)
        if node is None or node["node_type"] != "array":
            raise LoadError(f"{path}: is damaged: it has no array {name!r}.")
        found = node["shape"]
        if (dims is not None and len(found) != dims) or not found or found[0] < least:
            raise LoadError(f"{path}: is damaged: {name!r} has the shape {found}, for {least} entries.")
        if dims == 1 and node["chunk_grid"]["configuration"]["chunk_shape"][0] > limits.LIMITS.samples:
            raise LoadError(f"{path}: is damaged: {name!r} has chunks of more than {limits.LIMITS.samples:,} entries.")
        if kinds and not node["data_type"].startswith(kinds):
            raise LoadError(f"{path}: is damaged: {name!r} has the type {node['data_type']}, not {kinds}.")
        return found

    for kind, folder in FOLDERS.items():
        groups = header.get(folder, {})
        if not texts(groups):
            raise LoadError(f"{path}: is damaged: {folder} in its header are {groups!r:.60}, not groups by name.")
        for group in groups.values():
            shape(f"{group}/step", samples, 1, "int64")
            shape(f"{group}/time", samples, 1, "float")
            for field in (each for each in header["fields"] if each in KINDS[kind]):
                found = shape(f"{group}/{field}", samples, 2 + len(dimensions(kind, field)), "float")
                if found[1] != header["num_envs"]:
                    raise LoadError(
                        f"{path}: is damaged: {group}/{field} has {found[1]} environments, not {header['num_envs']}."
                    )
    if not any(header.get(folder) for folder in FOLDERS.values()):
        raise LoadError(f"{path}: is damaged: its header names nothing that was recorded.")
    for name in ("step", "sample", "kind"):
        shape(f"events/{name}", events, 1, "int64")
    for name, node in arrays.items():
        if name.startswith("events/") and node["node_type"] == "group":
            rows = shape(f"{name}/entry", 0, 1, "int64")[0]
            if shape(f"{name}/value", 0)[0] != rows:
                raise LoadError(f"{path}: is damaged: {name!r} has not as many values as entries.")
            if not isinstance(node.get("attributes", {}).get("key"), str):
                raise LoadError(f"{path}: is damaged: {name!r} does not say what it is of.")
