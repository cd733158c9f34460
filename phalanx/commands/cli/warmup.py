"""What ``phalanx warmup`` takes."""

from __future__ import annotations

from typing import Literal

from phalanx.commands.cli.options import Device, Flag, Warmed


def warmup(
    name: Warmed = (),
    device: Device = "auto",
    dtype: Literal["float32", "float64"] = "float32",
    num_envs: int = 2,
    check: Flag = False,
) -> int:
    """Compile the kernels of scenes and robots into the cache, in parallel, so that later runs start at once.

    Args:
        name: benchmark scenes, robots that Phalanx ships, or robot files; all that come with it by default.
        device: for which device; auto is the first GPU, or else the CPU.
        dtype: for which precision.
        num_envs: for how many environments; GPUs have kernels of their own for each number from about 1,000 on.
        check: only say which kernels are missing and which files of the cache are damaged; exit code 1 if any are.
    """
    from phalanx.commands.warmup import warmup

    return warmup([*name], device, dtype, num_envs, check)
