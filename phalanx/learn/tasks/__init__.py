"""Tasks that come with Phalanx, each an environment of its own file."""

from __future__ import annotations

import difflib
import importlib
from typing import Any

from phalanx.learn.environment import Environment

TASKS = {
    "cartpole": "phalanx.learn.tasks.cartpole:Cartpole",
    "ant": "phalanx.learn.tasks.ant:Ant",
    "quadruped-flat": "phalanx.learn.tasks.quadruped:QuadrupedFlat",
    "quadruped-rough": "phalanx.learn.tasks.quadruped_rough:QuadrupedRough",
    "arm-reach": "phalanx.learn.tasks.arm_reach:ArmReach",
    "cube-lift": "phalanx.learn.tasks.cube_lift:CubeLift",
}
"""Where each task's class is, by the task's name."""


class UnknownTaskError(ValueError):
    """There is no task of this name."""


def task_class(name: str) -> type[Environment]:
    """A task's class.

    Raises:
        UnknownTaskError: there is none of this name.
    """
    if name not in TASKS:
        near = difflib.get_close_matches(name, TASKS, 1, 0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(TASKS)}."
        raise UnknownTaskError(f"{name!r} is no task; {hint}")
    module, _, found = TASKS[name].partition(":")
    return getattr(importlib.import_module(module), found)


def make(name: str, num_envs: int = 1, device: str = "cpu", **options: Any) -> Environment:
    """An environment of a task, by its name; see :class:`phalanx.learn.Environment` for the options."""
    return task_class(name)(num_envs, device, **options)
