"""Cut a damaged recording to what is whole: the samples, and changes of the host, before the first damage."""

from __future__ import annotations

import copy
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import zarr

from phalanx.ecs.whole_files import write_bytes
from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.folder import claim
from phalanx.io.recordings.header import check_header, header_of
from phalanx.io.recordings.packed import check_chunk
from phalanx.io.recordings.subjects import FOLDERS
from phalanx.io.recordings.zarr_metadata import check_metadata, read_document, separator, value_bytes

BACKUP = "zarr.before-repair.json"
"""What the top of the recording said before."""


@dataclass(frozen=True)
class Repaired:
    """What was cut: samples and events before and after, and the damages that were found."""

    samples: tuple[int, int]
    events: tuple[int, int]
    damages: tuple[str, ...]

    def __str__(self) -> str:
        if not self.damages:
            return f"Nothing is damaged: all {self.samples[0]} samples are whole."
        return (
            f"Cut from {self.samples[0]} samples to {self.samples[1]}, from {self.events[0]} changes of the host to "
            f"{self.events[1]}: {'; '.join(self.damages[:3])}{', and more' * (len(self.damages) > 3)}."
        )


def repair(path: Path) -> Repaired:
    """Cut a recording to what is whole, in place; nothing changes if all is.

    Files of data stay as they are. What the recording's top said before is kept beside it, as :data:`BACKUP`.

    Raises:
        LoadError: it is no recording, or nothing of it is whole: its top or its start is damaged.
        RecordingError: it is being written.
    """
    document = read_document(path)
    arrays = check_metadata(path, document)
    header = header_of(path, document)
    check_header(path, header, arrays)
    held = claim(path)
    try:
        return _repair(path, document, header, arrays)
    finally:
        if held is not None:
            os.close(held)


def _repair(path: Path, document: dict[str, Any], header: dict[str, Any], arrays: dict[str, Any]) -> Repaired:
    look = _Looker(path, arrays)
    samples, events = int(header["complete_samples"]), int(header["complete_events"])
    series = _series(header, arrays)
    growing = {*series, *(name for name in arrays if name.startswith("events/"))}
    for name, node in arrays.items():
        if node["node_type"] == "array" and name not in growing and look.whole(name, None) != node["shape"][0]:
            raise LoadError(f"{path}: cannot be repaired: {look.damages[-1]}, and everything else needs it.")
    whole_samples = min([samples, *(look.whole(name, samples) for name in series)])
    for group in {name.rpartition("/")[0] for name in series}:
        inside = f"{group}/" if group else ""
        step, time = look.read(f"{inside}step", whole_samples), look.read(f"{inside}time", whole_samples)
        right = (step >= 0) & (time == (step * header["dt"]).astype(time.dtype))
        whole_samples = min(whole_samples, _first(~right, f"{inside}time is not that of the steps", look))
    whole_events = min([events, *(look.whole(f"events/{key}", events) for key in ("step", "sample", "kind"))])
    step, sample, kind = (look.read(f"events/{key}", whole_events) for key in ("step", "sample", "kind"))
    wrong = (step < 0) | (sample < 0) | (np.diff(sample, prepend=0) < 0) | (kind < 0) | (kind > 2)
    wrong |= (kind == 0) != (np.arange(whole_events) == 0)
    whole_events = _first(wrong, "the list of events makes no sense", look)
    logs = sorted(name for name, node in arrays.items() if name.startswith("events/") and node["node_type"] == "group")
    entries = {name: _entries(look, name, events) for name in logs}
    whole_events = min([whole_events, *(lost for _, lost in entries.values())])
    if whole_events < len(sample):
        whole_samples = min(whole_samples, int(sample[whole_events]))
    if whole_events < 1 or whole_samples < 1:
        raise LoadError(f"{path}: cannot be repaired: its start is damaged ({'; '.join(look.damages[:3])}).")
    if look.damages:
        lengths = {name: whole_samples for name in series}
        lengths |= {f"events/{key}": whole_events for key in ("step", "sample", "kind")}
        for name, (entry, _) in entries.items():
            count = int(np.searchsorted(entry, whole_events))
            lengths |= {f"{name}/entry": count, f"{name}/value": count}
        _cut(path, document, lengths, whole_samples, whole_events)
    return Repaired((samples, whole_samples), (events, whole_events), tuple(look.damages))


def _series(header: dict[str, Any], arrays: dict[str, Any]) -> list[str]:
    """Arrays with a row for each sample."""
    groups = ["", *(group for folder in FOLDERS.values() for group in header.get(folder, {}).values())]
    return [
        name
        for name, node in arrays.items()
        if node["node_type"] == "array"
        and name.rpartition("/")[0] in groups
        and node["dimension_names"][:1] == ["time"]
    ]


def _entries(look: _Looker, name: str, events: int) -> tuple[np.ndarray, int]:
    """The numbers of events in a log as far as they are whole, and the first event that is not, or may not be."""
    rows = look.whole(f"{name}/entry", None)
    entry = look.read(f"{name}/entry", rows)
    rows = _first(np.diff(entry, prepend=-1) <= 0, f"{name}/entry is out of order", look)
    promised = look.arrays[f"{name}/entry"]["shape"][0]
    good = min(rows, look.whole(f"{name}/value", None))
    if good < rows:
        lost = int(entry[good])
    elif rows < promised:
        lost = int(entry[rows - 1]) + 1 if rows else 0
    else:
        lost = events
    return entry[:rows], min(lost, events)


def _first(wrong: np.ndarray, damage: str, look: _Looker) -> int:
    """Entries before the first that is wrong."""
    if not wrong.any():
        return len(wrong)
    look.damages.append(damage)
    return int(np.argmax(wrong))


class _Looker:
    """Reads arrays by pieces and notes what is damaged."""

    def __init__(self, path: Path, arrays: dict[str, Any]) -> None:
        self.path, self.arrays = path, arrays
        self.damages: list[str] = []
        self._root = zarr.open_group(str(path), mode="r", use_consolidated=True, zarr_format=3)

    def whole(self, name: str, rows: int | None) -> int:
        """How many of the first rows, of all for ``None``, can be read."""
        node = self.arrays[name]
        rows = int(node["shape"][0]) if rows is None else rows
        piece = node["chunk_grid"]["configuration"]["chunk_shape"][0]
        for start in range(0, rows, piece):
            try:
                self._files(name, node, start // piece)
                np.asarray(cast(Any, self._root[name])[start : min(start + piece, rows)])
            except Exception as error:  # of codecs, of as many kinds as there are
                why = str(error).replace(f"{self.path}/", "")[:120]
                self.damages.append(f"{name} cannot be read from row {start} on ({why})")
                return start
        return rows

    def read(self, name: str, rows: int) -> np.ndarray:
        """The first rows, which are whole."""
        return np.asarray(cast(Any, self._root[name])[:rows])

    def _files(self, name: str, node: dict[str, Any], row: int) -> None:
        """Zarr reads files that are missing as blanks."""
        between = separator(self.path / "zarr.json", name, node)
        pieces = node["chunk_grid"]["configuration"]["chunk_shape"]
        counts = [-(-size // piece) for size, piece in zip(node["shape"][1:], pieces[1:], strict=True)]
        for index in np.ndindex(*counts):
            file = self.path / name / between.join(("c", str(row), *map(str, index)))
            if file.is_symlink() or not file.is_file():
                raise FileNotFoundError(f"{file.name} is missing")
            check_chunk(file, name, node, value_bytes(node["data_type"]))


def _cut(path: Path, document: dict[str, Any], lengths: dict[str, int], samples: int, events: int) -> None:
    """Write new metadata; the top last, which is what readers go by."""
    before = (path / "zarr.json").read_bytes()
    document = copy.deepcopy(document)
    header = document["attributes"]["phalanx_recording"]
    header.update(complete_samples=samples, complete_events=events, closed=False)
    nodes = document["consolidated_metadata"]["metadata"]
    for name, length in lengths.items():
        nodes[name]["shape"][0] = length
        write_bytes(path / name / "zarr.json", json.dumps(nodes[name]).encode())
    write_bytes(path / BACKUP, before)
    write_bytes(path / "zarr.json", json.dumps(document).encode())
