"""``phalanx info --step``: what a step of a robot's world is made of, in the order in which it runs, with times."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

WIDTH = 100
STEPS = 20
"""That times are means of."""


@dataclass
class Plain:
    """A robot as ``phalanx run`` shows it when no option is given; see :class:`phalanx.commands.loading.Wanted`."""

    robot: str
    fix_inertias: bool
    num_envs: int = 64
    device: str = "cpu"
    dtype: str = "float32"
    dt: float | None = None
    base: Literal["auto", "fixed", "free"] = "auto"
    ground: bool = True
    height: float | None = None
    keyframe: str | None = None
    shown: bool = False


def show_step(robot: str, fix_inertias: bool, json: Path | None) -> None:
    """Print the systems of a step, phase by phase, with what they read and write and how long they take."""
    from phalanx.commands.as_json import check_json, say, write_json
    from phalanx.commands.common import patience, user_mistakes
    from phalanx.commands.loading import load

    check_json(json)
    with user_mistakes():
        world = load(Plain(robot, fix_inertias)).world
        with patience(f"Compiling the kernels of {robot} ..."):
            world.build()
            spent = world.time_systems(STEPS)
    report = {"robot": robot, "num_envs": world.num_envs, "phases": phases(world, spent)}
    say(text(report), json)
    with user_mistakes():
        write_json(json, report)


def phases(world: Any, spent: dict[str, float]) -> list[dict[str, Any]]:
    """Of each phase of a substep the systems that run, in order; what is repeated is there once.

    Args:
        world: built.
        spent: seconds per substep of each system, see :meth:`phalanx.World.time_systems`.
    """
    from phalanx.systems import STEP

    engine = world.engine
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for system, _shared in engine.store.kernels(engine.sequence(STEP)):
        found.setdefault(system.phase, {})[system.name] = {
            "name": system.name,
            "reads": sorted(field.key for field in system.reads),
            "writes": sorted(field.key for field in system.writes),
            "seconds": spent.get(system.name, 0.0),
        }
    return [{"name": phase, "systems": list(systems.values())} for phase, systems in found.items()]


def text(report: dict[str, Any]) -> str:
    """The report for people."""
    lines = [f"A substep of {report['robot']} in {report['num_envs']} environments, on one thread of the CPU:"]
    for number, phase in enumerate(report["phases"], 1):
        lines += ["", f"{number:2} {phase['name']}"]
        for system in phase["systems"]:
            lines.append(f"   {system['name']:<{WIDTH - 17}} {1e6 * system['seconds']:8.1f} us")
            for what in ("reads", "writes"):
                if system[what]:
                    lines.append(
                        textwrap.fill(
                            ", ".join(system[what]),
                            WIDTH,
                            initial_indent=f"      {what:<7}",
                            subsequent_indent=" " * 13,
                            break_on_hyphens=False,
                        )
                    )
    return "\n".join(lines)
