"""What commands report, for programs: one JSON object, in a file or alone on the standard output."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phalanx.commands.common import check_output, host

if TYPE_CHECKING:
    from phalanx.io.recordings.replay import Recording, VerifyResult
    from phalanx.world.world import World

STDOUT = Path("-")
"""Instead of a file: the standard output, on which nothing else is printed."""


def check_json(path: Path | None) -> None:
    """Complain now that the report cannot be written."""
    if path != STDOUT:
        check_output(path, ".json")


def say(text: str, path: Path | None) -> None:
    """Print for people, unless the standard output is a program's."""
    if path != STDOUT:
        print(text)


def write_json(path: Path | None, report: dict[str, Any]) -> None:
    """Write a report where ``--json`` says, if it was given; numbers that are not finite are null."""
    if path is None:
        return
    text = json.dumps(_plain(report), indent=1, allow_nan=False)
    if path == STDOUT:
        print(text)
    else:
        from phalanx.ecs.whole_files import write_text

        write_text(path, text + "\n")


def run_report(world: World, robots: list[Any], objects: list[str], rate: float | None) -> dict[str, Any]:
    """What ``phalanx run`` found: SI units; heights are those of root links in the end, over the environments."""
    return {
        "robots": [_robot(robot) for robot in robots],
        "objects": objects,
        "num_envs": world.num_envs,
        "steps": world.step_count,
        "dt": world.dt,
        "seconds": world.time,
        "device": world.device,
        "dtype": world.dtype,
        "env_steps_per_second": rate,
        "times_real_time": None if rate is None else rate * world.dt,
        "diverged": [int(env) for env in world.diverged],
    }


def replay_report(recording: Recording, verified: VerifyResult | None) -> dict[str, Any]:
    """What a recording holds, and what verifying it found."""
    return {
        "file": str(recording.path),
        "robots": [
            {"name": robot.name, "model": robot.model.name, "joints": robot.joint_names, "bodies": robot.body_names}
            for robot in recording.robots.values()
        ],
        "objects": [actor.name for kind, actor in recording.recorded if kind == "object"],
        "collections": {
            actor.name: actor.names["object"] for kind, actor in recording.recorded if kind == "collection"
        },
        "fields": {actor.name: list(actor) for _, actor in recording.recorded},
        "num_envs": recording.num_envs,
        "samples": recording.num_samples,
        "every": recording.every,
        "dt": recording.dt,
        "start": float(recording.time[0]),
        "end": float(recording.time[-1]),
        "created": recording.created,
        "phalanx_version": recording.phalanx_version,
        "closed": recording.closed,
        "verified": None
        if verified is None
        else {
            "ok": verified.ok,
            "samples": verified.samples,
            "steps": verified.steps,
            "values": verified.values,
            "edited": verified.edited,
            "difference": None if verified.difference is None else str(verified.difference),
            "notes": list(verified.notes),
        },
    }


def _robot(robot: Any) -> dict[str, Any]:
    import numpy as np

    height = np.asarray(host(robot.root_pose))[:, 2].astype(float)
    found = height[np.isfinite(height)]
    return {
        "name": robot.name,
        "model": robot.model.name,
        "num_dof": robot.num_dof,
        "mass": robot.mass,
        "fixed_base": bool(robot.fixed_base),
        "height": {"mean": found.mean(), "min": found.min(), "max": found.max()} if len(found) else None,
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, Path):
        return str(value)
    number = value.item() if hasattr(value, "item") else value
    return None if isinstance(number, float) and not math.isfinite(number) else number
