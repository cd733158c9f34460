"""``phalanx tasks TASK --profile``: what a step of one of Isaac Lab's tasks costs, by manager and by term."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

STAGES = (
    ("action_manager", ("process_action", "apply_action")),
    ("scene", ("write_data_to_sim", "update", "reset")),
    ("sim", ("step", "render")),
    ("termination_manager", ("compute",)),
    ("reward_manager", ("compute",)),
    ("command_manager", ("compute",)),
    ("event_manager", ("apply",)),
    ("observation_manager", ("compute",)),
    ("curriculum_manager", ("compute",)),
    ("recorder_manager", ("record_pre_step", "record_post_step", "record_pre_reset", "record_post_reset")),
)
"""What an environment's step calls, by attribute of the environment and method."""

DIRECT = (
    "_pre_physics_step",
    "_apply_action",
    "_get_dones",
    "_get_rewards",
    "_get_observations",
    "_get_states",
    "_reset_idx",
)
"""Methods of direct environments."""


@dataclass
class Spent:
    """What a name has cost.

    Attributes:
        calls: how often it was called.
        seconds: until the device had done what it was asked for, with all that is nested.
        host: of these, seconds until the call came back; nearly all of them where the device waits for launches.
        parts: what is nested in it, by name.
    """

    calls: int = 0
    seconds: float = 0.0
    host: float = 0.0
    parts: dict[str, Spent] = field(default_factory=dict)


class Profile:
    """Times calls by name, each within the one that is under way.

    Args:
        wait: waits for the device; called before and after each call that is timed.
    """

    def __init__(self, wait: Callable[[], object]) -> None:
        self._wait, self.root = wait, Spent()
        self._stack = [self.root]

    def timed(self, name: str, call: Callable[..., Any]) -> Timed:
        """A callable that does what ``call`` does, and is timed as ``name``."""
        return Timed(self, name, call)

    def run(self, name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call something under a name."""
        entry = self._stack[-1].parts.setdefault(name, Spent())
        self._stack.append(entry)
        self._wait()
        start = time.perf_counter()
        try:
            return call(*args, **kwargs)
        finally:
            back = time.perf_counter()
            self._wait()
            entry.calls, entry.host = entry.calls + 1, entry.host + back - start
            entry.seconds += time.perf_counter() - start
            self._stack.pop()

    def rows(self, steps: int) -> list[dict[str, Any]]:
        """By name, depth first in order of first call: depth, calls, ms and ms of the host, each per step."""
        return [
            {
                "name": name,
                "depth": depth,
                "calls": one.calls / steps,
                "ms": one.seconds / steps * 1e3,
                "host_ms": one.host / steps * 1e3,
            }
            for name, depth, one in _walk(self.root, 0)
        ]


class Timed:
    """A function, or an object that is called, with its other attributes as they are."""

    def __init__(self, profile: Profile, name: str, call: Callable[..., Any]) -> None:
        self._profile, self._name, self._call = profile, name, call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What ``call`` gives, timed."""
        return self._profile.run(self._name, self._call, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)


def _walk(spent: Spent, depth: int) -> Iterator[tuple[str, int, Spent]]:
    for name, one in spent.parts.items():
        yield name, depth, one
        yield from _walk(one, depth + 1)


def attach(env: Any, profile: Profile) -> None:
    """Have an environment's step, its managers and their terms timed.

    Args:
        env: of Isaac Lab, unwrapped; manager-based or direct.
        profile: what keeps the times.
    """
    for owner, methods in STAGES:
        if (found := getattr(env, owner, None)) is not None:
            for method in methods:
                _replace(found, method, f"{owner}.{method}", profile)
    for method in DIRECT:
        if method == "_reset_idx" or not hasattr(env, "observation_manager"):
            _replace(env, method, method, profile)
    for name, sensor in env.scene.sensors.items():
        _replace(sensor, "update", f"sensor {name}", profile)
    if not env.sim.stage_world.is_empty:
        _replace(env.sim.stage_world.world, "step", "engine: world.step", profile)
    for term, name in _terms(env):
        term.func = profile.timed(name, term.func)
    for owner, methods in (("action_manager", ("process_actions", "apply_actions")), ("command_manager", ("compute",))):
        for name, term in getattr(getattr(env, owner, None), "_terms", {}).items():
            for method in methods:
                _replace(term, method, name, profile)
    _replace(env, "step", "env.step", profile)


def _replace(owner: Any, method: str, name: str, profile: Profile) -> None:
    if (call := getattr(owner, method, None)) is not None:
        setattr(owner, method, profile.timed(name, call))


def _terms(env: Any) -> Iterator[tuple[Any, str]]:
    """Configurations of terms with a function, and their names."""
    for owner in ("reward_manager", "termination_manager", "curriculum_manager"):
        manager = getattr(env, owner, None)
        yield from _paired(getattr(manager, "_term_cfgs", ()), getattr(manager, "_term_names", ()), "")
    for owner, cfgs, names in (
        ("observation_manager", "_group_obs_term_cfgs", "_group_obs_term_names"),
        ("event_manager", "_mode_term_cfgs", "_mode_term_names"),
    ):
        manager = getattr(env, owner, None)
        groups = getattr(manager, cfgs, {})
        for group, found in groups.items():
            yield from _paired(found, getattr(manager, names)[group], f"{group}.")


def _paired(cfgs: Iterable[Any], names: Iterable[str], prefix: str) -> Iterator[tuple[Any, str]]:
    for cfg, name in zip(cfgs, names, strict=True):
        yield cfg, f"{prefix}{name}"


def table(result: dict[str, Any]) -> Iterator[str]:
    """Lines that show what :func:`phalanx.commands.task_trial.trial` found with ``profile``."""
    found = result["profile"]
    whole = next(row["ms"] for row in found["rows"] if row["name"] == "env.step")
    rate = result["num_envs"] / found["plain_ms"] * 1e3
    yield (
        f"{result['task']}: {result['num_envs']} environments on {result['device']}, {found['plain_ms']:.3f} ms a step "
        f"({rate:.0f} frames/s); with the clock {whole:.3f} ms"
    )
    yield f"{'':52}{'calls':>8}{'ms':>10}{'host ms':>10}{'share':>8}"
    for row in found["rows"]:
        name = "  " * row["depth"] + row["name"]
        yield f"{name:52}{row['calls']:8.2f}{row['ms']:10.3f}{row['host_ms']:10.3f}{row['ms'] / whole:8.1%}"
