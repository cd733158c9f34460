"""Minari's datasets, written by Minari itself."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.io.recordings.episodes import Episodes, flat

FOLDER = "MINARI_DATASETS_PATH"
"""Environment variable that says where Minari keeps datasets."""


def write_minari(episodes: Episodes, path: Path) -> None:
    """A folder ``path`` with a Minari dataset; ``minari.load_dataset(name)`` reads it from the folder that it is in.

    Rewards are zero; episodes end by truncation.
    """
    import gymnasium as gym
    import minari
    from minari.data_collector import EpisodeBuffer

    buffers = []
    for number, episode in enumerate(episodes):
        count = episode.steps
        over = np.arange(count) == count - 1
        buffers.append(
            EpisodeBuffer(
                id=number,
                observations=list(flat(episode.observations)),
                actions=list(flat(episode.actions)),
                rewards=[0.0] * count,
                terminations=[False] * count,
                truncations=[bool(end) for end in over],
                infos={"time": [np.asarray(t) for t in episode.time]},
            )
        )
    spaces = {
        "observation_space": _space(gym, flat(episodes[0].observations)),
        "action_space": _space(gym, flat(episodes[0].actions)),
    }
    before = os.environ.get(FOLDER)
    os.environ[FOLDER] = str(path.parent.resolve())
    try:
        minari.create_dataset_from_buffers(
            dataset_id(path),
            buffers,
            algorithm_name="recording",
            description=f"Exported by Phalanx from {episodes.recording.path.name}",
            **spaces,
        )
    finally:
        if before is None:
            del os.environ[FOLDER]
        else:
            os.environ[FOLDER] = before


def dataset_id(path: Path) -> str:
    """What Minari calls a dataset in a folder of this name."""
    name = path.name if re.search(r"-v\d+$", path.name) else f"{path.name}-v0"
    return re.sub(r"[^A-Za-z0-9_-]", "-", name)


def _space(gym: Any, values: np.ndarray) -> Any:
    return gym.spaces.Box(-np.inf, np.inf, values.shape[1:], values.dtype)
