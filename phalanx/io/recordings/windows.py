"""Recordings as PyTorch datasets: windows of consecutive steps that never reach over a reset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.io.recordings.episodes import Episodes, Recorded, flat


def torch_windows(
    recording: Recorded,
    window: int = 1,
    stride: int = 1,
    *,
    observations: Sequence[str] | None = None,
    actions: Sequence[str] | None = None,
    env_ids: Any = None,
) -> Any:
    """See :meth:`~.replay.Recording.to_torch_dataset`."""
    try:
        import torch
        from torch.utils.data import Dataset
    except ImportError as error:
        raise ImportError("to_torch_dataset() needs the package torch: pip install torch") from error
    for name, number in (("window", window), ("stride", stride)):
        if isinstance(number, bool) or int(number) != number or number < 1:
            raise ValueError(f"{name}={number}: must be a whole number of at least 1")
    episodes = Episodes(recording, observations, actions, env_ids)
    read = [episodes[i] for i in range(len(episodes))]
    seen = [torch.from_numpy(np.ascontiguousarray(flat(each.observations))) for each in read]
    done = [torch.from_numpy(np.ascontiguousarray(flat(each.actions))) for each in read] if episodes.actions else []
    starts = [(e, s) for e, each in enumerate(read) for s in range(0, each.steps - window + 1, stride)]

    class Windows(Dataset):
        """Items are dicts: ``observation`` (window, width), ``next_observation``, ``action`` and whose they are."""

        observation_names = tuple(f"{s.name}.{column}" for s in episodes.observations.values() for column in s.columns)
        action_names = tuple(f"{s.name}.{column}" for s in episodes.actions.values() for column in s.columns)

        def __len__(self) -> int:
            return len(starts)

        def __getitem__(self, index: int) -> dict[str, Any]:
            episode, start = starts[index]
            stop = start + window
            item = {
                "observation": seen[episode][start:stop],
                "next_observation": seen[episode][start + 1 : stop + 1],
                "episode": episode,
                "env": read[episode].span.env,
                "start": start,
            }
            if done:
                item["action"] = done[episode][start:stop]
            return item

    return Windows()
