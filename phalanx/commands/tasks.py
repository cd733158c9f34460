"""``phalanx tasks``: which tasks Isaac Lab has, and whether they run."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from phalanx.commands.common import UserError, check_output, progress_bar
from phalanx.commands.task_profile import table
from phalanx.commands.task_trial import MARK
from phalanx.ecs.whole_files import write_text

NAMES = "phalanx-tasks: "
"""What the line with the names of tasks begins with."""

UNBUFFERED = {"PYTHONUNBUFFERED": "1"}

SAMPLE = (
    "Isaac-Ant-Direct-v0",
    "Isaac-Cart-Double-Pendulum-Direct-v0",
    "Isaac-Cartpole-Depth-v0",
    "Isaac-Cartpole-Direct-v0",
    "Isaac-Cartpole-RGB-Camera-Direct-v0",
    "Isaac-Cartpole-v0",
    "Isaac-Franka-Cabinet-Direct-v0",
    "Isaac-Humanoid-v0",
    "Isaac-Lift-Cube-Franka-v0",
    "Isaac-Navigation-Flat-Anymal-C-v0",
    "Isaac-Open-Drawer-Franka-v0",
    "Isaac-Quadcopter-Direct-v0",
    "Isaac-Reach-Franka-IK-Rel-v0",
    "Isaac-Reach-UR10-v0",
    "Isaac-Repose-Cube-Allegro-v0",
    "Isaac-Repose-Cube-Shadow-Direct-v0",
    "Isaac-Shadow-Hand-Over-Direct-v0",
    "Isaac-Stack-Cube-Franka-v0",
    "Isaac-TrackPositionNoObstacles-ARL-Robot-1-v0",
    "Isaac-Velocity-Flat-Anymal-C-v0",
    "Isaac-Velocity-Flat-G1-v0",
    "Isaac-Velocity-Flat-Unitree-Go2-v0",
    "Isaac-Velocity-Rough-Anymal-C-Direct-v0",
    "Isaac-Velocity-Rough-Anymal-C-v0",
)
"""Tasks of all kinds, which the name "sample" stands for."""

_LIST = f"""
from phalanx import facade
facade.install()
import json, gymnasium
import isaaclab_tasks
known = [(one.id, str(one.entry_point)) for one in gymnasium.registry.values() if "isaaclab_tasks" in str(one.kwargs)]
print()
print({NAMES!r} + json.dumps(known))
"""


def tasks(
    names: Sequence[str],
    attempt: bool,
    num_envs: int,
    steps: int,
    device: str,
    seconds: float,
    out: Path | None,
    profile: bool = False,
) -> int:
    """List tasks, or step each in a process of its own, maybe with a clock; 1 if one of these failed.

    Raises:
        UserError: Isaac Lab or what it needs is not installed, or a name is no task's.
    """
    check_output(out, ".json")
    found = _chosen(names, known())
    if profile and not names:
        raise UserError("--profile: name the tasks to step, such as Isaac-Cartpole-v0.")
    if not attempt and not profile:
        for name, kind in found:
            print(f"{name:62}{kind}")
        return 0
    results = []
    with progress_bar(len(found), "task", "tasks") as bar:
        for name, kind in found:
            results.append({"kind": kind, **trial(name, num_envs, steps, device, seconds, profile)})
            bar.write(row(results[-1]), file=sys.stdout)
            if "profile" in results[-1]:
                bar.write("\n".join(table(results[-1])), file=sys.stdout)
            sys.stdout.flush()
            bar.update(1)
    good = sum(one["ok"] for one in results)
    print(
        f"{good} of {len(results)} tasks made {steps} steps with finite observations and rewards; none diverged there."
    )
    if out is not None:
        write_text(out, json.dumps(results, indent=1))
    return 0 if good == len(results) else 1


def known() -> list[tuple[str, str]]:
    """Names of all tasks and what they are: "direct", "manager" or "multi-agent"."""
    _check_wheel()
    done = subprocess.run([sys.executable, "-c", _LIST], capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        if line.startswith(NAMES):
            return sorted((name, _kind(entry)) for name, entry in json.loads(line.removeprefix(NAMES)))
    raise UserError(
        f"Isaac Lab's tasks cannot be listed: {_last_line(done.stderr)}; phalanx doctor says what is missing."
    )


def _kind(entry: str) -> str:
    return "manager" if "ManagerBased" in entry else "direct"


def _check_wheel() -> None:
    from phalanx.facade import wheel

    if wheel.source() is None:
        raise UserError(f"Isaac Lab is not installed: {wheel.REMEDY}")
    wheel.tell_of_another_version()


def _chosen(names: Sequence[str], found: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    names = [one for name in names for one in (SAMPLE if name == "sample" else (name,))]
    for name in names:
        if not any(fnmatch.fnmatch(task.lower(), name.lower()) for task, _ in found):
            import difflib

            near = difflib.get_close_matches(name, [task for task, _ in found], 1, 0.5)
            hint = f'; did you mean "{near[0]}"?' if near else "; phalanx tasks lists them."
            raise UserError(f'"{name}" is no task of Isaac Lab{hint}')
    return [one for one in found if not names or any(fnmatch.fnmatch(one[0].lower(), n.lower()) for n in names)]


def trial(name: str, num_envs: int, steps: int, device: str, seconds: float, profile: bool = False) -> dict[str, Any]:
    """What came of stepping a task in a process of its own; see :mod:`phalanx.commands.task_trial`."""
    options = ["--num-envs", str(num_envs), "--steps", str(steps), "--device", device]
    options += ["--profile"] if profile else []
    command = [sys.executable, "-m", "phalanx.commands.task_trial", name, *options]
    base = {"task": name, "num_envs": num_envs, "device": device}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=False, env={**os.environ, **UNBUFFERED}
        )
    except subprocess.TimeoutExpired:
        return {**base, "ok": False, "error": f"no end after {seconds:g} s"}
    for line in reversed(done.stdout.splitlines()):
        if line.startswith(MARK):
            return json.loads(line.removeprefix(MARK))
    return {**base, "ok": False, "error": f"ended with code {done.returncode}: {_last_line(done.stderr)}"}


def row(result: dict[str, Any]) -> str:
    """A line of the table."""
    if not result["ok"]:
        return f"{result['task']:62}FAILED  {' '.join(result['error'].split())}"
    rate = result["num_envs"] * result["steps"] / max(result["stepping"], 1e-9)
    return (
        f"{result['task']:62}ok      start {result['start']:5.1f} s, {rate:9.0f} env steps/s, "
        f"{result['resets']} resets, reward {result['reward']:.3g}"
    )


def _last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return re.sub(r"\s+", " ", lines[-1]) if lines else "nothing was said"


def markdown(results: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The table of docs/isaaclab.md."""
    yield "| task | kind | result | env steps/s |"
    yield "|---|---|---|---|"
    for one in results:
        rate = f"{one['num_envs'] * one['steps'] / one['stepping']:.0f}" if one["ok"] else ""
        said = f"{one['steps']} steps" if one["ok"] else " ".join(one["error"].split())[:120].replace("|", "/")
        yield f"| {one['task']} | {one['kind']} | {said} | {rate} |"
