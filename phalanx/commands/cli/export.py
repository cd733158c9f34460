"""What ``phalanx export`` takes."""

from __future__ import annotations

from typing import Literal

from phalanx.commands.cli.options import Counts, Recording, Signals, Target, Views


def export(
    file: Recording,
    to: Literal["csv", "parquet", "hdf5", "robomimic", "minari", "lerobot"],
    out: Target = None,
    observations: Signals = (),
    actions: Signals = (),
    env: Counts = (),
    camera: Views = (),
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
        camera: for lerobot: of each camera a name and words, which make a video: "front body=robot/base eye=0.3,0,0.1
            target=1,0,0 angle=60 size=320,240". Without a body it stands. Needs the extra video.
    """
    from phalanx.commands.export import export

    return export(file, to, out, observations, actions, env, camera)
