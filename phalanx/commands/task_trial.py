"""One of Isaac Lab's tasks, stepped with random actions in a process of its own, and what came of it as JSON.

``python -m phalanx.commands.task_trial TASK --num-envs 4 --steps 100 --device cpu`` prints one line that begins with
:data:`MARK`, after all that the task itself prints.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from typing import Any

MARK = "phalanx-trial: "
"""What the line with the result begins with."""


def main(arguments: list[str] | None = None) -> int:
    """Run a task; 0 if all its observations and rewards were finite and no environment diverged, else 1."""
    parser = argparse.ArgumentParser(prog="python -m phalanx.commands.task_trial")
    parser.add_argument("task")
    parser.add_argument("--num-envs", type=int, default=4)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args(arguments)
    found: dict[str, Any] = {"task": options.task, "num_envs": options.num_envs, "device": options.device}
    try:
        found |= trial(options.task, options.num_envs, options.steps, options.device, options.seed, options.profile)
    except BaseException as error:
        traceback.print_exc()
        if isinstance(error, KeyboardInterrupt):
            raise
        found |= {"ok": False, "error": f"{type(error).__name__}: {error}"}
    print(f"\n{MARK}{json.dumps(found)}", flush=True)
    return 0 if found["ok"] else 1


def trial(task: str, num_envs: int, steps: int, device: str, seed: int, profile: bool = False) -> dict[str, Any]:
    """Make a task, reset it, step it, close it.

    Args:
        task: its name.
        num_envs: how many environments.
        steps: how many steps.
        device: cpu or cuda:N.
        seed: of the task.
        profile: step it once more as often, with a clock at each manager and term.

    Returns:
        ``ok``, ``error`` if not; seconds until the first step (``start``) and of all steps (``stepping``); ``steps``;
        ``resets`` that the task made; ``reward`` per step and environment; ``observations``, shapes by name.
        With ``profile`` that, too: ``plain_ms`` of a step without the clock, ``steps``, and ``rows`` as of
        :meth:`phalanx.commands.task_profile.Profile.rows`.
    """
    from phalanx import facade

    start = time.perf_counter()
    facade.install()
    import gymnasium as gym
    import torch
    from isaaclab.app import AppLauncher  # pyright: ignore[reportMissingImports]

    AppLauncher(headless=True, enable_cameras=True, device=device)
    import isaaclab_tasks  # noqa: F401 # pyright: ignore[reportMissingImports]
    from isaaclab_tasks.utils import parse_env_cfg  # pyright: ignore[reportMissingImports]

    cfg = parse_env_cfg(task, device=device, num_envs=num_envs)
    cfg.seed = seed
    env = gym.make(task, cfg=cfg).unwrapped
    observations, _ = env.reset()
    trouble = _not_finite(observations, "observation")
    made, resets, total = 0, 0, 0.0
    ready = time.perf_counter()
    with torch.inference_mode():
        while made < steps and not trouble:
            observations, reward, terminated, truncated, _ = env.step(_actions(env, num_envs))
            made += 1
            trouble = _not_finite(observations, "observation") or _not_finite(reward, "reward") or _diverged(env)
            total += float(sum(torch.as_tensor(each, dtype=torch.float64).mean() for each in _leaves(reward)))
            resets += sum(int((a | b).sum()) for a, b in zip(_leaves(terminated), _leaves(truncated), strict=True))
    end = time.perf_counter()
    found = {"profile": _profile(env, num_envs, steps, device)} if profile and not trouble else {}
    env.close()
    return {
        "ok": not trouble,
        **({"error": f"after {made} steps: {trouble}"} if trouble else {}),
        "steps": made,
        "start": ready - start,
        "stepping": end - ready,
        "resets": resets,
        "reward": total / max(made, 1),
        "observations": {name: list(value.shape) for name, value in _named(observations)},
        **found,
    }


def _profile(env: Any, num_envs: int, steps: int, device: str) -> dict[str, Any]:
    """What steps cost, first as they are and then by name."""
    import torch

    from phalanx.commands.task_profile import Profile, attach

    def wait() -> None:
        if device != "cpu":
            torch.cuda.synchronize(device)

    actions = [_actions(env, num_envs) for _ in range(8)]
    profile = Profile(wait)
    with torch.inference_mode():
        wait()
        start = time.perf_counter()
        for i in range(steps):
            env.step(actions[i % len(actions)])
        wait()
        plain = (time.perf_counter() - start) / steps
        attach(env, profile)
        for i in range(steps):
            env.step(actions[i % len(actions)])
    return {"plain_ms": plain * 1e3, "steps": steps, "rows": profile.rows(steps)}


def _diverged(env: Any) -> str:
    """Which environments the engine has frozen; what tasks read of them stays finite."""
    stage_world = env.sim.stage_world
    frozen = [] if stage_world.is_empty else stage_world.world.diverged.tolist()
    return f"environments {frozen} diverged" if frozen else ""


def _actions(env: Any, num_envs: int) -> Any:
    """Random actions: of boxes without limits between -1 and 1, else what Isaac Lab's spaces give."""
    from isaaclab.envs.utils.spaces import sample_space  # pyright: ignore[reportMissingImports]

    if hasattr(env, "possible_agents"):
        return {one: _sample(sample_space, env.action_spaces[one], env.device, num_envs) for one in env.possible_agents}
    return _sample(sample_space, env.single_action_space, env.device, num_envs)


def _sample(sample_space: Any, space: Any, device: str, num_envs: int) -> Any:
    import gymnasium as gym
    import torch

    if isinstance(space, gym.spaces.Box):
        size = space.shape[-1:] if len(space.shape) > 1 else space.shape
        return 2.0 * torch.rand((num_envs, *size), device=device) - 1.0
    return sample_space(space, device=device, batch_size=num_envs)


def _named(data: Any, name: str = "") -> list[tuple[str, Any]]:
    """Arrays of nested dictionaries and sequences, with names."""
    if isinstance(data, dict):
        return [one for key, value in data.items() for one in _named(value, f"{name}.{key}" if name else str(key))]
    if isinstance(data, list | tuple):
        return [one for i, value in enumerate(data) for one in _named(value, f"{name}[{i}]")]
    return [] if data is None else [(name, data)]


def _leaves(data: Any) -> list[Any]:
    return [value for _, value in _named(data)]


def _not_finite(data: Any, what: str) -> str:
    """Which of some arrays has a number that is none; empty if none has."""
    import torch

    for name, value in _named(data):
        value = torch.as_tensor(value)
        if value.is_floating_point() and not bool(torch.isfinite(value).all()):
            return f"{what} {name} is not finite"
    return ""


if __name__ == "__main__":
    sys.exit(main())
