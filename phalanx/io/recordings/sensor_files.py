"""Readings of sensors as files: Zarr with names and units, or a table as CSV; there whole or not at all."""

from __future__ import annotations

import csv
import json
import os
import secrets
import shutil
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from zarr.errors import ZarrUserWarning

from phalanx.ecs.whole_files import new_folder, replacing
from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.added_sensors import Reading

SUFFIXES = (".zarr", ".csv")

MARK = "phalanx_sensors"
"""Attribute of a folder that this module wrote."""


def check_sensor_file(path: Path) -> None:
    """Complain now of a name that :func:`write_readings` would refuse.

    Raises:
        LoadError: another ending than those of :data:`SUFFIXES`, or a folder that holds something else.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise LoadError(f"{path}: the name of a file for sensors must end in {' or '.join(SUFFIXES)}.")
    if path.suffix.lower() == ".zarr" and os.path.lexists(path) and not _is_ours(path):
        raise LoadError(f"{path}: it exists and holds something else than readings of sensors. Choose another name.")


def write_readings(
    path: str | os.PathLike[str], readings: Sequence[Reading], time: np.ndarray, envs: np.ndarray, source: str
) -> None:
    """Write readings to a ``.zarr`` folder or a ``.csv`` file, in place of what an earlier call wrote there.

    Zarr: a group ``kind/body`` a sensor, whose arrays (time, env, ...) have named dimensions, coordinates and units:
    ``xarray.open_zarr(path, group="imu/trunk")``. CSV: a row for each time and environment, a column for each number.

    Args:
        readings: of sensors at the same samples.
        time: (samples,) s.
        envs: numbers of the environments.
        source: what they were made of, for readers.
    """
    path = Path(path)
    check_sensor_file(path)
    if path.suffix.lower() == ".csv":
        with replacing(path) as made:
            _write_table(made, readings, time, envs)
        return
    temporary = new_folder(path)
    try:
        _write_store(temporary, readings, time, envs, source)
        if path.exists():
            os.rename(path, earlier := path.with_name(f".{path.name}.{secrets.token_hex(8)}.replaced"))
            os.rename(temporary, path)
            shutil.rmtree(earlier)
        else:
            os.rename(temporary, path)
    finally:
        if temporary.is_dir():
            shutil.rmtree(temporary)


def _write_store(path: Path, readings: Sequence[Reading], time: np.ndarray, envs: np.ndarray, source: str) -> None:
    root = zarr.create_group(store=str(path), zarr_format=3, attributes={MARK: {"format": 1, "source": source}})
    groups: dict[str, Any] = {}
    for reading in readings:
        group = groups.get(reading.sensor)
        if group is None:
            kind, _, body = reading.sensor.partition(":")
            group = groups[reading.sensor] = root.create_group(f"{kind}/{body.replace('/', '|')}")
            _add(group, "time", time, ("time",), units="s", long_name="simulated time")
            _add(group, "env", envs, ("env",), long_name="environment")
        for dim, values in reading.coords.items():
            if dim not in group:
                _add(group, dim, np.array(values), (dim,))
        text = {"units": reading.units, "long_name": reading.long_name}
        _add(group, reading.name, reading.values, ("time", "env", *reading.dims), **text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ZarrUserWarning)  # that other readers may not know consolidated metadata
        zarr.consolidate_metadata(str(path))


def _add(group: Any, name: str, values: np.ndarray, dims: tuple[str, ...], **attributes: str) -> None:
    texts = values.dtype.kind == "U"
    array = group.create_array(
        name,
        shape=values.shape,
        dtype=str if texts else values.dtype,
        dimension_names=dims,
        attributes=attributes,
    )
    array[...] = values.astype(object) if texts else values


def _write_table(path: Path, readings: Sequence[Reading], time: np.ndarray, envs: np.ndarray) -> None:
    titles, columns = ["time [s]", "env"], []
    for reading in readings:
        for place in np.ndindex(*reading.values.shape[2:]):
            labels = [str(reading.coords[dim][i]) for dim, i in zip(reading.dims, place, strict=True)]
            titles.append(f"{'.'.join([reading.sensor, reading.name, *labels])} [{reading.units}]")
        columns.append(reading.values.reshape(len(time), len(envs), -1))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(titles)
        for sample, seconds in enumerate(time):
            for i, env in enumerate(envs):
                numbers = np.concatenate([values[sample, i] for values in columns])
                writer.writerow([f"{seconds:.9g}", int(env), *(f"{number:.9g}" for number in numbers)])


def _is_ours(path: Path) -> bool:
    try:
        if path.is_symlink():
            return False
        attributes = json.loads((path / "zarr.json").read_text(encoding="utf-8")).get("attributes", {})
    except (OSError, ValueError, AttributeError):
        return False
    return isinstance(attributes, dict) and MARK in attributes
