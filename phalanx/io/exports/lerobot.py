"""LeRobot's datasets, version 3.0: a folder with ``meta``, ``data`` in Parquet, and ``videos``.

After the documentation and the reader of LeRobot 0.4 and later. A frame is a step: what was observed, and the action
that followed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.ecs.whole_files import new_folder
from phalanx.io.exports.cameras import RecordedCameras
from phalanx.io.exports.lerobot_videos import VIDEOS, Videos, picture_stats
from phalanx.io.recordings.episodes import Episodes, flat

VERSION = "v3.0"
CHUNK = 1000
"""Files of a folder."""

DATA_MB, VIDEO_MB = 100, 200
DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
EPISODES = "meta/episodes/chunk-000/file-000.parquet"
QUANTILES = {"q01": 0.01, "q10": 0.1, "q50": 0.5, "q90": 0.9, "q99": 0.99}
STATE, ACTION = "observation.state", "action"
TASK = "Motion recorded by Phalanx"

INDEX = "__index_level_0__"
PANDAS = {
    "index_columns": [INDEX],
    "column_indexes": [],
    "columns": [
        {"name": "task_index", "field_name": "task_index", "pandas_type": "int64", "numpy_type": "int64"},
        {"name": None, "field_name": INDEX, "pandas_type": "unicode", "numpy_type": "object"},
    ],
    "pandas_version": "2.0.0",
}
"""Makes pandas take the tasks as the index, as LeRobot's reader expects."""


def write_lerobot(episodes: Episodes, path: Path, cameras: RecordedCameras | None = None) -> None:
    """Write the folder ``path``, which is there whole or not at all; with videos of cameras, if there are any."""
    made = new_folder(path)
    try:
        if cameras is None:
            _write(episodes, made, None)
        else:
            videos = Videos(cameras, made, _rate(episodes), CHUNK)
            try:
                _write(episodes, made, videos)
            except BaseException as error:
                videos.close(error)
                raise
        made.rename(path)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _write(episodes: Episodes, root: Path, videos: Videos | None) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    features = _features(episodes) | ({} if videos is None else videos.features)
    (root / "meta" / "episodes" / "chunk-000").mkdir(parents=True)
    width = {key: features[key]["shape"][0] for key in (STATE, ACTION)}
    schema = pa.schema(
        [
            *(pa.field(key, pa.list_(pa.float32(), width[key])) for key in (STATE, ACTION)),
            pa.field("timestamp", pa.float32()),
            *(pa.field(key, pa.int64()) for key in ("frame_index", "episode_index", "index", "task_index")),
        ]
    ).with_metadata({"huggingface": json.dumps({"info": {"features": _hub_features(width)}})})
    most = max(1, int(DATA_MB * 1e6 / (4 * (sum(width.values()) + 9))))  # frames of a file
    rows, every, first, file, in_file = [], [], 0, 0, 0
    writer: Any = None
    for number, episode in enumerate(episodes):
        count = episode.steps
        if writer is None or in_file + count > most:
            if writer is not None:
                writer.close()
                file += 1
            at = root / DATA.format(chunk_index=file // CHUNK, file_index=file % CHUNK)
            at.parent.mkdir(parents=True, exist_ok=True)
            writer, in_file = pq.ParquetWriter(str(at), schema), 0
        values: dict[str, np.ndarray] = {
            STATE: flat(episode.observations)[:-1].astype(np.float32),
            ACTION: flat(episode.actions).astype(np.float32),
            "timestamp": (np.arange(count) / episodes.rate).astype(np.float32),
            "frame_index": np.arange(count),
            "episode_index": np.full(count, number),
            "index": np.arange(first, first + count),
            "task_index": np.zeros(count, np.int64),
        }
        arrays = [
            pa.FixedSizeListArray.from_arrays(pa.array(v.reshape(-1)), v.shape[1]) if v.ndim == 2 else pa.array(v)
            for v in values.values()
        ]
        writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
        seen, pictures = ({}, {}) if videos is None else videos.add(episode.span)
        stats = {key: _stats(each) for key, each in values.items()}
        stats |= {key: picture_stats(frames) for key, frames in pictures.items()}
        every.append(stats)
        rows.append(
            {
                "episode_index": number,
                "tasks": [TASK],
                "length": count,
                "data/chunk_index": file // CHUNK,
                "data/file_index": file % CHUNK,
                "dataset_from_index": first,
                "dataset_to_index": first + count,
                "meta/episodes/chunk_index": 0,
                "meta/episodes/file_index": 0,
                **seen,
                **{f"stats/{key}/{name}": v.tolist() for key, each in stats.items() for name, v in each.items()},
            }
        )
        first, in_file = first + count, in_file + count
    writer.close()
    if videos is not None:
        videos.close()
    pq.write_table(pa.Table.from_pylist(rows), str(root / EPISODES))
    tasks = pa.table({"task_index": pa.array([0], pa.int64()), INDEX: pa.array([TASK])})
    pandas = {"pandas": json.dumps(PANDAS)}
    pq.write_table(tasks.replace_schema_metadata(pandas), str(root / "meta" / "tasks.parquet"))
    total = {key: {name: v.tolist() for name, v in _joined([e[key] for e in every]).items()} for key in every[0]}
    _json(root / "meta" / "stats.json", total)
    _json(root / "meta" / "info.json", _info(episodes, features, first))


def _info(episodes: Episodes, features: Mapping[str, Any], frames: int) -> dict[str, Any]:
    return {
        "codebase_version": VERSION,
        "robot_type": "_".join(sorted({name.partition("/")[0] for name in episodes.actions})),
        "total_episodes": len(episodes),
        "total_frames": frames,
        "total_tasks": 1,
        "chunks_size": CHUNK,
        "data_files_size_in_mb": DATA_MB,
        "video_files_size_in_mb": VIDEO_MB,
        "fps": _rate(episodes),
        "splits": {"train": f"0:{len(episodes)}"},
        "data_path": DATA,
        "video_path": VIDEOS if any(each["dtype"] == "video" for each in features.values()) else None,
        "features": dict(features),
    }


def _rate(episodes: Episodes) -> float:
    """Frames a second, a whole number where it is one."""
    rate = episodes.rate
    return round(rate) if abs(rate - round(rate)) < 1e-6 * rate else rate


def _features(episodes: Episodes) -> dict[str, Any]:
    def of(chosen: Mapping[str, Any]) -> dict[str, Any]:
        names = [f"{signal.name}.{column}" for signal in chosen.values() for column in signal.columns]
        return {"dtype": "float32", "shape": [len(names)], "names": names}

    single = {"shape": [1], "names": None}
    return {
        STATE: of(episodes.observations),
        ACTION: of(episodes.actions),
        "timestamp": {"dtype": "float32", **single},
        **{key: {"dtype": "int64", **single} for key in ("frame_index", "episode_index", "index", "task_index")},
    }


def _hub_features(width: Mapping[str, int]) -> dict[str, Any]:
    """The same, as the package datasets has it."""
    lists = {
        key: {"feature": {"dtype": "float32", "_type": "Value"}, "length": n, "_type": "List"}
        for key, n in width.items()
    }
    numbers = ("frame_index", "episode_index", "index", "task_index")
    return {
        **lists,
        "timestamp": {"dtype": "float32", "_type": "Value"},
        **{key: {"dtype": "int64", "_type": "Value"} for key in numbers},
    }


def _stats(values: np.ndarray) -> dict[str, np.ndarray]:
    rows = values.reshape(len(values), -1).astype(np.float64)
    return {
        "min": rows.min(axis=0),
        "max": rows.max(axis=0),
        "mean": rows.mean(axis=0),
        "std": rows.std(axis=0),
        "count": np.array([len(rows)]),
        **{name: np.quantile(rows, share, axis=0) for name, share in QUANTILES.items()},
    }


def _joined(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Statistics of all episodes from those of each; quantiles are means, as LeRobot joins them."""
    count = np.array([part["count"] for part in parts], float)
    share = count / count.sum()
    mean = sum(share[i] * part["mean"] for i, part in enumerate(parts))
    square = sum(share[i] * (part["std"] ** 2 + (part["mean"] - mean) ** 2) for i, part in enumerate(parts))
    return {
        "min": np.min([part["min"] for part in parts], axis=0),
        "max": np.max([part["max"] for part in parts], axis=0),
        "mean": np.asarray(mean),
        "std": np.sqrt(np.asarray(square)),
        "count": np.array([int(count.sum())]),
        **{name: np.asarray(sum(share[i] * part[name] for i, part in enumerate(parts))) for name in QUANTILES},
    }


def _json(path: Path, values: Any) -> None:
    path.write_text(json.dumps(values, indent=4) + "\n", encoding="utf-8")
