"""``phalanx replay``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phalanx.commands.as_json import check_json, replay_report, say, write_json
from phalanx.commands.common import COMPILING, UserError, patience, progress_bar, user_mistakes
from phalanx.commands.showing import Shown, check, make

if TYPE_CHECKING:
    from phalanx.io.recordings.replay import Recording, VerifyResult
    from phalanx.io.recordings.series import ActorRecording

ROWS = 12  # of the table
NAMES = 5  # of a collection's objects, at most


def replay(
    file: Path,
    shown: Shown,
    verify: bool,
    device: str | None = None,
    repair: bool = False,
    json: Path | None = None,
) -> int:
    """Print what one environment did, verify, and make pictures, videos and sensors; returns the exit code."""
    with user_mistakes(ValueError):
        check(shown, file)
        check_json(json)
        from phalanx.io.recordings.replay import open_recording

        if repair:
            from phalanx.io.recordings.repair import repair as cut

            say(f"repaired     {cut(file)}", json)
        recording = open_recording(file)
        for env in shown.envs:
            if not 0 <= env < recording.num_envs:
                raise UserError(f"--env must be between 0 and {recording.num_envs - 1}, not {env}.")
        shown = replace(shown, envs=shown.envs or tuple(range(recording.num_envs)))
        say(_header(recording), json)
        env = shown.envs[0]
        for kind, actor in recording.recorded:
            table = _summary(recording, actor, env) if kind == "collection" else _table(recording, actor, env)
            say(f"\n{actor.name} in environment {env}:\n{table}", json)
        if shown.picture or shown.video or shown.others:
            say("\n".join(["", *make(recording, shown)]), json)
        result = _verify(recording, device, json) if verify else None
        write_json(json, replay_report(recording, result))
        return 0 if result is None or result.ok else 1


def _header(recording: Recording) -> str:
    lines = []
    for robot in recording.robots.values():
        lines.append(f"robot        {robot.name}: {robot.model.name}, {len(robot.joint_names)} degrees of freedom")
    for kind, actor in recording.recorded:
        if kind == "object":
            lines.append(f"object       {actor.name}")
        elif kind == "collection":
            names = actor.names["object"]
            more = ", ..." if len(names) > NAMES else ""
            lines.append(f"collection   {actor.name}: {len(names)} objects, {', '.join(names[:NAMES])}{more}")
    duration = f"{recording.time[0]:.6g} s to {recording.time[-1]:.6g} s"
    lines.append(
        f"recorded     {recording.num_envs} environments, {recording.num_samples} samples from {duration}, every "
        f"{'step' if recording.every == 1 else f'{recording.every} steps'} of {recording.dt:g} s"
    )
    lines.append(f"written      {recording.created} by Phalanx {recording.phalanx_version}")
    if not recording.closed:
        lines.append("             The recorder was stopped before its end; this is what was complete.")
    return "\n".join(lines)


Column = tuple[str, Any, int]
"""Title, values at the rows of a table, and how many digits they are shown with."""


def _table(recording: Recording, robot: ActorRecording, env: int) -> str:
    import numpy as np

    rows = _rows(recording)
    columns: list[Column] = [("time s", recording.time[rows], 3)]
    if "root_pose" in robot:
        pose = robot["root_pose"][env, rows]
        columns += [(f"{axis} m", pose[:, i], 3) for i, axis in enumerate("xyz")]
    if "root_vel" in robot:
        columns.append(("speed m/s", np.linalg.norm(robot["root_vel"][env, rows][:, :3], axis=1), 3))
    if "joint_vel" in robot and robot.joint_names:
        columns.append(("fastest joint", np.abs(robot["joint_vel"][env, rows]).max(axis=1), 2))
    if {"joint_pos", "joint_pos_target"} <= set(robot) and robot.joint_names:
        error = robot["joint_pos"][env, rows] - robot["joint_pos_target"][env, rows]
        columns.append(("target error", np.abs(error).max(axis=1), 3))
    if "net_contact_force" in robot:
        force = robot["net_contact_force"][env, rows].sum(axis=1)
        columns.append(("contact N", np.linalg.norm(force, axis=1), 1))
    return _aligned(columns)


def _summary(recording: Recording, collection: ActorRecording, env: int) -> str:
    """Extremes over the objects of a collection."""
    import numpy as np

    rows = _rows(recording)
    columns: list[Column] = [("time s", recording.time[rows], 3)]
    if "root_pose" in collection:
        height = collection["root_pose"][env, rows][..., 2]
        columns += [("lowest m", height.min(axis=1), 3), ("highest m", height.max(axis=1), 3)]
    if "root_vel" in collection:
        speed = np.linalg.norm(collection["root_vel"][env, rows][..., :3], axis=2)
        columns.append(("fastest m/s", speed.max(axis=1), 3))
    if "net_contact_force" in collection:
        force = np.linalg.norm(collection["net_contact_force"][env, rows], axis=2)
        columns.append(("most contact N", force.max(axis=1), 1))
    return _aligned(columns)


def _rows(recording: Recording) -> Any:
    """Samples that a table shows."""
    import numpy as np

    return np.unique(np.linspace(0, recording.num_samples - 1, ROWS).round().astype(int))


def _aligned(columns: list[Column]) -> str:
    shown = [[title, *(f"{value:.{digits}f}" for value in values)] for title, values, digits in columns]
    widths = [max(map(len, column)) for column in shown]
    return "\n".join(
        "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
        for row in zip(*shown, strict=True)
    )


def _verify(recording: Recording, device: str | None, json: Path | None) -> VerifyResult:
    import numpy as np

    from phalanx.io.recordings.replay import verify

    total = int(np.abs(np.diff(recording.step)).sum())
    with (
        patience(COMPILING, 4.0),
        progress_bar(total * recording.num_envs, " env-steps", "verifying") as bar,
    ):
        result = verify(recording, device, lambda steps, _: bar.update(steps * recording.num_envs))
    word = "verified" if result else "EDITED" if result.difference is None else "DIFFERENT"
    say(f"\n{word:<13}{result}", json)
    return result
