"""HDF5 files as Isaac Lab's recorders write them, and as robomimic reads them.

Both have a group ``data`` with a group ``demo_N`` for each episode.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.ecs.whole_files import replacing
from phalanx.io.recordings.episodes import Episode, Episodes, flat

STATES = {
    "joint_pos": "joint_position",
    "joint_vel": "joint_velocity",
    "root_pose": "root_pose",
    "root_vel": "root_velocity",
}
"""Names that Isaac Lab's scenes have for what a state consists of."""

VALIDATION = 10
"""Every so many-th episode is for validation."""


def write_hdf5(episodes: Episodes, path: Path) -> None:
    """Isaac Lab's layout: ``actions``, ``obs/<actor>/<field>``, ``initial_state`` and ``states`` of each episode."""
    import h5py

    with replacing(path) as made, h5py.File(made, "w") as file:
        data = _data(file, episodes)
        kinds = {actor.name: kind for kind, actor in episodes.recording.recorded}
        for number, episode in enumerate(episodes):
            group = _demo(data, number, episode)
            for name, values in episode.observations.items():
                group.create_dataset(f"obs/{name}", data=values[:-1])
                actor, _, field = name.rpartition("/")
                if field in STATES and kinds[actor] != "collection":
                    place = f"{'articulation' if kinds[actor] == 'robot' else 'rigid_object'}/{actor}/{STATES[field]}"
                    group.create_dataset(f"initial_state/{place}", data=values[:1])
                    group.create_dataset(f"states/{place}", data=values[1:])


def write_robomimic(episodes: Episodes, path: Path) -> None:
    """robomimic's layout: ``obs``, ``next_obs``, ``rewards``, ``dones``, and filters ``train`` and ``valid``.

    Rewards are zero, as recordings have none; the last step of an episode is done.
    """
    import h5py

    with replacing(path) as made, h5py.File(made, "w") as file:
        data = _data(file, episodes)
        for number, episode in enumerate(episodes):
            group = _demo(data, number, episode)
            for name, values in episode.observations.items():
                key = name.replace("/", "_")
                group.create_dataset(f"obs/{key}", data=values[:-1])
                group.create_dataset(f"next_obs/{key}", data=values[1:])
            group.create_dataset("rewards", data=np.zeros(episode.steps, np.float32))
            group.create_dataset("dones", data=np.arange(episode.steps) == episode.steps - 1, dtype=np.int64)
            group.create_dataset("states", data=flat(episode.observations)[:-1])
        valid = range(VALIDATION - 1, len(episodes), VALIDATION)
        for name, chosen in (("train", [i for i in range(len(episodes)) if i not in valid]), ("valid", list(valid))):
            file.create_dataset(f"mask/{name}", data=np.array([f"demo_{i}" for i in chosen], dtype="S"))


def _data(file: Any, episodes: Episodes) -> Any:
    data = file.create_group("data")
    data.attrs["total"] = episodes.steps
    about = {
        "env_name": episodes.recording.path.stem,
        "type": 2,  # robomimic's number of Gym's environments
        "env_kwargs": {"dt": 1.0 / episodes.rate},
    }
    data.attrs["env_args"] = json.dumps(about)
    return data


def _demo(data: Any, number: int, episode: Episode) -> Any:
    group = data.create_group(f"demo_{number}")
    group.attrs["num_samples"] = episode.steps
    group.attrs["env"] = episode.span.env
    if episode.actions:
        group.create_dataset("actions", data=flat(episode.actions))
    return group
