"""Flat tables, one row a step: CSV and Parquet."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.ecs.whole_files import replacing
from phalanx.io.recordings.episodes import Episode, Episodes

KEYS = ("episode", "env", "step", "time")
"""Columns before those of signals."""


def column_names(episodes: Episodes) -> list[str]:
    """Names of all columns: :data:`KEYS`, then ``observation.actor/field.component`` and ``action.…``."""
    names = list(KEYS)
    for what, chosen in (("observation", episodes.observations), ("action", episodes.actions)):
        names += [f"{what}.{signal.name}.{column}" for signal in chosen.values() for column in signal.columns]
    return names


def columns(number: int, episode: Episode) -> list[np.ndarray]:
    """Values of all columns of the T steps of an episode."""
    count, span = episode.steps, episode.span
    found = [np.full(count, number), np.full(count, span.env), np.arange(count), episode.time[:count]]
    for values in episode.observations.values():
        found += list(values[:count].T)
    for values in episode.actions.values():
        found += list(values.T)
    return found


def write_csv(episodes: Episodes, path: Path) -> None:
    """Text with a line a step; numbers have as many digits as it takes to read the same bits."""
    with replacing(path) as made, Path(made).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(column_names(episodes))
        for number, episode in enumerate(episodes):
            writer.writerows(zip(*([str(v) for v in column] for column in columns(number, episode)), strict=True))


def write_parquet(episodes: Episodes, path: Path) -> None:
    """Parquet, a row group an episode; the schema's metadata says where it comes from."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = column_names(episodes)
    about = {"recording": episodes.recording.path.name, "rate": episodes.rate, "units": "SI; quaternions w x y z"}
    schema: Any = None
    with replacing(path) as made:
        writer: Any = None
        try:
            for number, episode in enumerate(episodes):
                table = pa.table(dict(zip(names, columns(number, episode), strict=True)))
                if writer is None:
                    schema = table.schema.with_metadata({"phalanx": json.dumps(about)})
                    writer = pq.ParquetWriter(str(made), schema)
                writer.write_table(table.cast(schema))
        finally:
            if writer is not None:
                writer.close()
