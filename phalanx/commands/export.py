"""``phalanx export``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from phalanx.commands.common import folder_size, patience, user_mistakes


def export(
    file: Path,
    to: str,
    out: Path | None,
    observations: Sequence[str],
    actions: Sequence[str],
    envs: Sequence[int],
    cameras: Sequence[str] = (),
) -> int:
    """Write a recording as a dataset, and say what it has."""
    from phalanx.io.exports.cameras import View
    from phalanx.io.exports.export import export
    from phalanx.io.recordings.replay import open_recording

    with user_mistakes(ValueError, IndexError), patience("Writing the dataset ..."):
        path, episodes = export(
            open_recording(file),
            to,
            out,
            observations=observations or None,
            actions=actions or None,
            env_ids=envs or None,
            cameras=dict(View.parse(text) for text in cameras),
        )
    width = sum(len(signal.columns) for signal in episodes.observations.values())
    acts = sum(len(signal.columns) for signal in episodes.actions.values())
    print(f"dataset      {path}: {to}, {folder_size(path)}")
    print(f"             {len(episodes)} episodes, {episodes.steps} steps at {episodes.rate:g} Hz")
    print(f"observations {width} numbers: {', '.join(episodes.observations)}")
    print(f"actions      {acts} numbers: {', '.join(episodes.actions) or 'none'}")
    if cameras:
        print(f"videos       {', '.join(text.split()[0] for text in cameras)}")
    return 0
