"""What ``phalanx farm`` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import tyro

from phalanx.commands.cli.options import Flag, Gpus, SpecFile, Steps


def farm(
    spec: SpecFile,
    out: Annotated[str, tyro.conf.arg(metavar="FOLDER|URL")],
    workers: Steps = None,
    gpus: Gpus = None,
    cores: int = 1,
    engine: Literal["ray", "processes"] = "ray",
    address: Annotated[str | None, tyro.conf.arg(metavar="HOST:PORT|auto", help_behavior_hint="")] = None,
    resume: Flag = False,
    estimate: Flag = False,
    verify: Flag = False,
    sweep: Annotated[Path | None, tyro.conf.arg(metavar="SWEEP.yaml", help_behavior_hint="")] = None,
) -> int:
    """Simulate many episodes by many processes, and write them as one dataset (docs/farm.md).

    Workers that are killed are replaced; what was committed is kept, and nothing is there twice. The dataset is read by
    `phalanx.farm.open_dataset`.

    Args:
        spec: a file that says what to simulate, in YAML.
        out: folder of the dataset, or a URL that fsspec knows, such as s3://bucket/name.
        workers: processes; by default one for each GPU, or for each group of --cores processors.
        gpus: GPUs in all, which workers share; on CPUs without it.
        cores: processors of each worker.
        engine: workers are actors of Ray, or processes of this machine, for which nothing has to be installed.
        address: of a Ray cluster; by default Ray is started here.
        resume: go on with what was committed.
        estimate: only say what it will take.
        verify: at the end read all of it again.
        sweep: instead, try the spec with the values that this file lists, by Ray Tune, and write what came of each to
            sweep.json in the folder.
    """
    from phalanx.commands.farm import FarmOptions, farm

    return farm(FarmOptions(spec, out, workers, gpus, cores, engine, address, resume, estimate, verify, sweep))
