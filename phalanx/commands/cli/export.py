"""What ``phalanx export`` takes."""

from __future__ import annotations

from typing import Literal

from phalanx.commands.cli.options import Counts, Recording, Signals, Target


def export(
    file: Recording,
    to: Literal["csv", "parquet", "hdf5", "robomimic", "minari", "lerobot"],
    out: Target = None,
    observations: Signals = (),
    actions: Signals = (),
    env: Counts = (),
) -> int:
    """Write a recording as a dataset: episodes of observations and actions, cut where environments were reset.

    Args:
        file: a folder that `phalanx run --record` or phalanx.Recorder wrote.
        to: csv and parquet are flat tables, a row a step; hdf5 is as Isaac Lab writes it; minari and lerobot (version
            3) are folders. All but csv need the extra export.
        out: the file or folder; by default beside the recording, under its name.
        observations: signals, such as robot/joint_pos; by default positions and velocities of everything.
        actions: likewise; by default the targets of drives.
        env: environments, all by default.
    """
    from phalanx.commands.export import export

    return export(file, to, out, observations, actions, env)
