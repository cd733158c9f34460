"""What ``phalanx bench`` takes."""

from __future__ import annotations

from typing import Literal

from phalanx.commands.cli.options import Counts, Device, Flag, Folder, Json, Names, Steps


def bench(
    name: Names = (),
    device: Device = "auto",
    num_envs: Counts = (),
    steps: Steps = None,
    repeats: int = 3,
    dtype: Literal["float32", "float64"] = "float32",
    peers: Flag = False,
    recording: Flag = False,
    first_step: Flag = False,
    truth: Flag = False,
    json: Json = None,
    export: Folder = None,
    list: Flag = False,
) -> int:
    """Run benchmarks and print a table.

    Args:
        name: which scenes or families; all but the families by default.
        device: where to simulate; auto is the first GPU, or else the CPU.
        num_envs: numbers of environments instead of each scene's own.
        steps: steps of each run instead of each scene's own number.
        repeats: runs of each case; the median counts.
        dtype: precision.
        peers: run MuJoCo's C engine (CPU) or MuJoCo Warp (GPU) on the same scenes, and print the ratios.
        recording: measure what it costs to record every step, too.
        first_step: time the first step of new processes too, with an empty and with a warm cache of kernels.
        truth: run six scenes of known motion instead, at steps of 1/60 to 1/1000 s, and print how far off they are and
            what they cost, beside MuJoCo's integrators; on the CPU.
        json: write the figures to this file too.
        export: run nothing; write the scenes as MJCF files into this folder.
        list: run nothing; say what there is.
    """
    from phalanx.commands.bench import BenchOptions, bench

    bench(
        BenchOptions(
            [*name],
            device=device,
            json=json,
            num_envs=num_envs,
            steps=steps,
            repeats=repeats,
            dtype=dtype,
            peers=peers,
            recording=recording,
            first_step=first_step,
            truth=truth,
            export=export,
            show=list,
        )
    )
    return 0
