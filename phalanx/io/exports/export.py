"""Writes recordings as datasets: which formats there are, and what each needs."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from phalanx.io.exports.cameras import RecordedCameras, View
from phalanx.io.exports.hdf5 import write_hdf5, write_robomimic
from phalanx.io.exports.lerobot import write_lerobot
from phalanx.io.exports.minari import dataset_id, write_minari
from phalanx.io.exports.tables import write_csv, write_parquet
from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.episodes import Episodes, Recorded
from phalanx.io.recordings.replay import Recording


class ExportError(ValueError):
    """A recording cannot be exported; the message says why and what to do."""


@dataclass(frozen=True)
class Format:
    """A format of datasets.

    Attributes:
        suffix: of the file, or "" for a folder.
        needs: packages.
        acts: whether there must be actions.
        write: writes episodes to a path.
    """

    suffix: str
    needs: tuple[str, ...]
    acts: bool
    write: Callable[[Episodes, Path], None]


FORMATS = {
    "csv": Format(".csv", (), False, write_csv),
    "parquet": Format(".parquet", ("pyarrow",), False, write_parquet),
    "hdf5": Format(".hdf5", ("h5py",), False, write_hdf5),
    "robomimic": Format(".hdf5", ("h5py",), True, write_robomimic),
    "minari": Format("", ("minari", "h5py"), True, write_minari),
    "lerobot": Format("", ("pyarrow",), True, write_lerobot),
}
"""By name."""


def export(
    recording: Recorded,
    to: str,
    path: str | os.PathLike[str] | None = None,
    *,
    observations: Sequence[str] | None = None,
    actions: Sequence[str] | None = None,
    env_ids: Any = None,
    cameras: Mapping[str, View] | None = None,
) -> tuple[Path, Episodes]:
    """Write a recording as a dataset.

    Args:
        recording: from :func:`phalanx.open_recording`.
        to: one of :data:`FORMATS`.
        path: of the file or folder; by default beside the recording, under its name.
        observations, actions: names of signals, ``"actor/field"``; see :class:`~.episodes.Episodes`.
        env_ids: environments, all by default.
        cameras: whose pictures the dataset has, by name; for lerobot, which has them as videos. They are drawn now,
            on the CPU.

    Returns:
        Where it was written, and the episodes that it has.

    Raises:
        ExportError: there is no such format, a package is missing, or there is nothing to write.
        ValueError: there is no such signal or environment.
        FileExistsError: the folder is there already.
    """
    if to not in FORMATS:
        raise ExportError(f"format {to!r}: there are {', '.join(FORMATS)}")
    kind = FORMATS[to]
    missing = [name for name in kind.needs if importlib.util.find_spec(name) is None]
    if missing:
        raise ExportError(f"{to} needs the package {missing[0]}: pip install 'phalanx[export]'")
    source = Path(recording.path)
    target = Path(path) if path is not None else source.with_name(f"{source.stem}.{to}" if not kind.suffix else "x")
    if path is None and kind.suffix:
        target = source.with_suffix(kind.suffix)
    if cameras and to != "lerobot":
        raise ExportError(f"{to} has no pictures here: cameras are for lerobot")
    if cameras and importlib.util.find_spec("av") is None:
        raise ExportError("videos of cameras need the package av: pip install 'phalanx[video]'")
    if kind.suffix and target.suffix.lower() not in (kind.suffix, ".h5" if kind.suffix == ".hdf5" else kind.suffix):
        raise ExportError(f"{target}: the name must end in {kind.suffix}")
    if not target.parent.is_dir():
        raise ExportError(f"{target}: there is no folder {target.parent}; make it first")
    if to == "minari":
        target = target.with_name(dataset_id(target))
    if not kind.suffix and os.path.lexists(target):  # a link to nothing, too
        raise FileExistsError(f"{target}: is there already; remove it, or choose another name")
    episodes = Episodes(recording, observations, actions, env_ids)
    if not len(episodes):
        raise ExportError(f"{source}: no episode has a step; every environment was reset at every sample")
    if kind.acts and not episodes.actions:
        raise ExportError(f"{to} needs actions, and {source} has no joint_pos_target; choose some by --actions")
    try:
        if cameras:
            write_lerobot(episodes, target, RecordedCameras(cast(Recording, recording), cameras))
        else:
            kind.write(episodes, target)
    except LoadError as error:
        raise ExportError(str(error)) from error
    return target, episodes
