"""What tasks ask policies for, number by number, for people who want to ask themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Command:
    """A number that a task draws at random, such as a speed.

    Args:
        label: with its unit.
        values: (num_envs,), a view of what the task has.
        low, high: between which the task draws.
        keep: called once before the number is set; makes the task leave it alone.
    """

    label: str
    values: torch.Tensor
    low: float
    high: float
    keep: Callable[[], object] | None = None

    def set(self, value: float) -> None:
        """Ask for this in all environments, until the task draws again."""
        if self.keep is not None:
            self.keep()
        self.values.fill_(value)


def columns(buffer: torch.Tensor, labels: tuple[str, ...], ranges: tuple[tuple[float, float], ...]) -> list[Command]:
    """Commands that are columns of a buffer (num_envs, n)."""
    found = zip(labels, buffer.unbind(dim=1), ranges, strict=True)
    return [Command(label, values, *between) for label, values, between in found]


def commands_of(env: Any) -> list[Command]:
    """Of a native environment, or velocities that a task of Isaac Lab asks for; none if it has none."""
    own = getattr(env, "unwrapped", env)
    if hasattr(own, "commands"):
        return list(own.commands())
    manager: Any = getattr(own, "command_manager", None)
    found: list[Command] = []
    if manager is None:
        return found
    for name in manager.active_terms:
        term = manager.get_term(name)
        asked, ranges = getattr(term, "vel_command_b", None), getattr(term.cfg, "ranges", None)
        if asked is None or not all(hasattr(ranges, one) for one in _VELOCITIES):
            continue

        def keep(term: Any = term) -> None:  # it would turn towards a heading, or stand
            term.is_heading_env[:] = False
            term.is_standing_env[:] = False

        for column, (one, label) in enumerate(_VELOCITIES.items()):
            low, high = (float(each) for each in getattr(ranges, one))
            found.append(Command(f"{name}: {label}", asked[:, column], low, high, keep))
    return found


_VELOCITIES = {"lin_vel_x": "ahead (m/s)", "lin_vel_y": "left (m/s)", "ang_vel_z": "turn (rad/s)"}
