"""What ``phalanx tasks`` takes."""

from __future__ import annotations

from typing import Annotated

import tyro

from phalanx.commands.cli.options import Flag, Json, Names


def tasks(
    name: Names = (),
    try_: Annotated[Flag, tyro.conf.arg(name="try")] = False,
    num_envs: int = 4,
    steps: int = 1000,
    device: str = "cpu",
    seconds: float = 900.0,
    json: Json = None,
    profile: Flag = False,
) -> int:
    """List Isaac Lab's tasks, or step each of them with random actions, unmodified, in a process of its own.

    Args:
        name: which; names, patterns such as "*Anymal-C*", or "sample": 24 of all kinds; all by default.
        try_: step them, and say what came of it; exit code 1 if one fails.
        num_envs: environments of each task.
        steps: steps of each task.
        device: cpu or cuda:N.
        seconds: how long a task may take.
        json: write what came of it to this file too.
        profile: step them, then once more with a clock, and say what each manager and each of its terms costs.
    """
    from phalanx.commands.tasks import tasks

    return tasks([*name], try_, num_envs, steps, device, seconds, json, profile)
