"""Learning: tasks as vectors of environments, in torch on the engine's own memory, and how policies are trained.

>>> from phalanx import learn
>>> env = learn.make("cartpole", num_envs=16)
>>> observations, _ = env.reset()
>>> env.step(torch.zeros(16, 1))

A task of your own is a class with marked methods, see :class:`Environment`. ``phalanx train`` and ``phalanx play`` are
this on the command line.
"""

from __future__ import annotations

from phalanx.learn.declare import action, observation, randomisation, reward, termination
from phalanx.learn.environment import Environment
from phalanx.learn.rows import row_norm, row_sum
from phalanx.learn.tasks import TASKS, UnknownTaskError, make, task_class

__all__ = [
    "TASKS",
    "Environment",
    "UnknownTaskError",
    "action",
    "make",
    "observation",
    "randomisation",
    "reward",
    "row_norm",
    "row_sum",
    "task_class",
    "termination",
]
