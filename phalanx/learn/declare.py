"""How a task declares its actions, observations, rewards, terminations and randomisations: as methods with a mark.

>>> class Cartpole(learn.Environment):
...     @learn.reward(weight=-1.0)
...     def tilt(self):
...         return self.cart.joint_pos[:, 1] ** 2

Their order in the class is the order in which they run. A subclass inherits them, and may override a method by one of
the same name with a mark, drop it (``tilt = None``), or change weights only: ``weights = {"tilt": -2.0}``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
MARK = "__phalanx_term__"
KINDS = ("action", "observation", "reward", "termination", "randomisation")


@dataclass(frozen=True)
class Term:
    """What a method is for.

    Attributes:
        kind: ``"action"``, ``"observation"``, ``"reward"``, ``"termination"`` or ``"randomisation"``.
        name: of the method.
        size: of an action.
        weight: of a reward, per second.
        scale, noise: of an observation: it is multiplied by the first, after uniform noise of up to so much is added.
        group: of an observation, ``"policy"`` or ``"critic"``.
        every: of a randomisation, seconds; 0: at the begin of episodes alone.
        at_reset: of a randomisation: whether episodes begin with it.
    """

    kind: str
    name: str
    size: int = 0
    weight: float = 1.0
    scale: float = 1.0
    noise: float = 0.0
    group: str = "policy"
    every: float = 0.0
    at_reset: bool = True


def action(size: int) -> Callable[[F], F]:
    """Mark what takes actions, (num_envs, size), and sets targets of drives."""
    return _marking("action", size=size)


def observation(*, scale: float = 1.0, noise: float = 0.0, group: str = "policy") -> Callable[[F], F]:
    """Mark what returns observations, (num_envs, anything).

    Args:
        scale: what they are multiplied by.
        noise: half the width of uniform noise, in their own unit, if the environment is one with noise.
        group: ``"policy"``, or ``"critic"`` for what a critic sees besides.
    """
    return _marking("observation", scale=scale, noise=noise, group=group)


def reward(*, weight: float = 1.0) -> Callable[[F], F]:
    """Mark what returns a reward, (num_envs,), which counts ``weight`` times per second."""
    return _marking("reward", weight=weight)


def termination(function: F) -> F:
    """Mark what says which episodes end, (num_envs,) of bool; there is a time limit besides."""
    return _marking("termination")(function)


def randomisation(*, every: float = 0.0, at_reset: bool = True) -> Callable[[F], F]:
    """Mark what changes chosen environments, given as (num_envs,) of bool, once the robots are in their default state.

    Args:
        every: also every so many seconds of an episode.
        at_reset: whether episodes begin with it.
    """
    return _marking("randomisation", every=every, at_reset=at_reset)


def _marking(kind: str, **values: Any) -> Callable[[F], F]:
    def mark(function: F) -> F:
        setattr(function, MARK, Term(kind, function.__name__, **values))
        return function

    return mark


def terms(cls: type, kind: str) -> list[Term]:
    """Those of a kind that a class has, its parents' first."""
    found: dict[str, Term] = {}
    for parent in reversed(cls.__mro__):
        for name, value in vars(parent).items():
            known = getattr(value, MARK, None)
            if known is not None:
                found[name] = known
            elif name in found:
                del found[name]  # overridden by something without a mark
    return [one for one in found.values() if one.kind == kind]
