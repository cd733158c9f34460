"""``phalanx run`` by several processes, each with a GPU of its own, or sharing processors or one GPU.

Environments are numbered through all ranks, and each does what it does when one process has all of them. Ranks tell
nothing to each other: each leaves its report in a folder, and the process that has started them adds them up.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from phalanx.commands.as_json import say, write_json
from phalanx.commands.common import Interrupted, UserError, folder_size, user_mistakes
from phalanx.commands.launching import gpus_here, launch
from phalanx.commands.run import DIVERGED, RunOptions, check_options, run
from phalanx.io.formats import library
from phalanx.world.checking import shorten

OWN = ("simulated", "speed", "base height", "recording", "diverged")
"""Lines of a rank's summary that are of its environments alone."""


def rank_count(device: str, gpus: int | Literal["all"] | None, ranks: int | None) -> int:
    """How many processes ``--gpus`` or ``--ranks`` asks for; 1 without them.

    Raises:
        UserError: there are not so many GPUs, or both were given.
    """
    if gpus is not None and ranks is not None:
        raise UserError("--gpus and --ranks: give one of them.")
    if ranks is not None:
        if ranks < 1:
            raise UserError(f"--ranks {ranks}: must be at least 1.")
        return ranks
    if gpus is None:
        return 1
    if device != "auto":
        raise UserError(f"--gpus {gpus} --device {device}: each rank has a GPU of its own; leave --device away.")
    found = gpus_here()
    count = found if gpus == "all" else gpus
    if count < 1 or count > found:
        there = f"this machine has {found} that can be used" if found else "this machine has none that can be used"
        raise UserError(f"--gpus {gpus}: {there}{'' if found else '; --ranks N runs on CPUs'}.")
    return count


def run_ranks(o: RunOptions, count: int) -> int:
    """Simulate ``o.num_envs`` environments in each of so many processes, and sum up what happened; the exit code."""
    if o.view:
        raise UserError("--view shows the environments of one process; leave --gpus and --ranks away.")
    check_options(o)
    with user_mistakes(ValueError):
        if o.robot not in library.names():
            library.resolve(o.robot)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "options").write_bytes(pickle.dumps(o))
        code = launch(count, "phalanx.commands.run_ranks", [name])
        if code:
            return code
        reports = [json.loads((folder / f"{rank}.json").read_text()) for rank in range(count)]
        lines = (folder / "0.txt").read_text().splitlines()
    report = together(reports)
    shared = [line for line in lines if not line.startswith(OWN)]
    place = next((n for n, line in enumerate(shared) if line.startswith(("picture", "video", "warning"))), len(shared))
    for line in [*shared[:place], *_summary(o, report), *shared[place:]]:
        say(line, o.json)
    with user_mistakes():
        write_json(o.json, report)
    return DIVERGED if report["diverged"] else 0


def together(reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One report of ranks' own, in their order; ``ranks`` are these."""
    first, each = reports[0], reports[0]["num_envs"]
    rates = [one["env_steps_per_second"] for one in reports]
    rate = None if None in rates else sum(rates)
    robots = []
    for same in zip(*(one["robots"] for one in reports), strict=True):
        heights = [one["height"] for one in same if one["height"] is not None]
        height = None
        if heights:
            height = {
                "mean": sum(one["mean"] for one in heights) / len(heights),
                "min": min(one["min"] for one in heights),
                "max": max(one["max"] for one in heights),
            }
        robots.append(same[0] | {"height": height})
    return first | {
        "robots": robots,
        "num_envs": each * len(reports),
        "device": ", ".join(dict.fromkeys(one["device"] for one in reports)),
        "env_steps_per_second": rate,
        "times_real_time": None if rate is None else rate * first["dt"],
        "diverged": [rank * each + env for rank, one in enumerate(reports) for env in one["diverged"]],
        "warnings": list(dict.fromkeys(text for one in reports for text in one["warnings"])),
        "ranks": list(reports),
    }


def _summary(o: RunOptions, report: dict[str, Any]) -> list[str]:
    count = len(report["ranks"])
    lines = [
        f"simulated    {report['num_envs']} environments, {o.num_envs} on each of {count} ranks, for "
        f"{report['seconds']:.6g} s ({report['steps']} steps of {report['dt']:g} s) on {report['device']}, {o.dtype}"
    ]
    if report["env_steps_per_second"] is not None:
        lines.append(
            f"speed        {report['env_steps_per_second']:,.0f} env-steps/s, {report['times_real_time']:,.0f} times "
            "real time"
        )
    for robot in report["robots"]:
        if robot["height"] is not None:
            whose = f" of {robot['name']}" if len(report["robots"]) > 1 else ""
            mean, low, high = (robot["height"][name] for name in ("mean", "min", "max"))
            lines.append(f"base height  {mean:.4f} m on average{whose}, from {low:.4f} to {high:.4f} m")
    for one in report["ranks"]:
        if one["recording"] is not None:
            file = one["recording"]["file"]
            lines.append(f"recording    {file}: {one['recording']['samples']} samples, {folder_size(Path(file))}")
    if report["diverged"]:
        diverged = report["diverged"]
        lines.append(f"diverged     {len(diverged)} of {report['num_envs']} environments: {shorten(diverged)}")
    return lines


def of_rank(o: RunOptions, rank: int, count: int, gpus: int, report: Path | None) -> RunOptions:
    """A rank's own options: its device, its environments' numbers, its recording; pictures are of the first rank."""
    device = o.device
    if device in ("auto", "cuda", "gpu") and gpus:
        device = f"cuda:{rank % gpus}"
    record = None if o.record is None else o.record.with_name(f"{o.record.stem}-{rank}{o.record.suffix}")
    return replace(
        o,
        device=device,
        first_env=rank * o.num_envs,
        all_envs=count * o.num_envs,
        record=record,
        picture=o.picture if rank == 0 else None,
        video=o.video if rank == 0 else None,
        json=report,
    )


def main() -> int:
    """What a rank does."""
    folder, rank, count = Path(sys.argv[1]), int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    asked = pickle.loads((folder / "options").read_bytes())  # written by the process that has started this one
    own = of_rank(asked, rank, count, gpus_here() if asked.device != "cpu" else 0, folder / f"{rank}.json")
    try:
        with open(folder / f"{rank}.txt", "w") as out, contextlib.redirect_stdout(out):
            code = run(own)
    except (UserError, Interrupted) as error:
        print(f"phalanx: {error}", file=sys.stderr)
        return 130 if isinstance(error, Interrupted) else 2
    return 0 if code == DIVERGED else code  # which the report says


if __name__ == "__main__":
    sys.exit(main())
