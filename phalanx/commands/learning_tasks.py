"""Environments and settings for ``phalanx train`` and ``phalanx play``: of native tasks, and of Isaac Lab's own."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import logging
from dataclasses import dataclass
from typing import Any

from phalanx.commands.common import UserError


@dataclass(frozen=True)
class Made:
    """What is trained.

    Attributes:
        env: a native environment, or Isaac Lab's with its wrapper for rsl-rl.
        settings: of rsl-rl's runner.
        iterations: as the recipe has it.
        stagger: whether first episodes end at different times.
        world: for films.
        step_seconds: of a step of the environment.
    """

    env: Any
    settings: dict[str, Any]
    iterations: int
    stagger: bool
    world: Any
    step_seconds: float


def check_torch() -> None:
    """Complain if PyTorch is missing."""
    if importlib.util.find_spec("torch") is None:
        raise UserError("Training needs PyTorch: pip install 'phalanx[torch,learn]'.")


def check(task: str, device: str) -> bool:
    """Whether a task is native; complains at once of what is missing.

    Raises:
        UserError: there is no such task, or what it needs is not installed.
    """
    check_torch()
    if importlib.util.find_spec("gymnasium") is None:
        raise UserError("Training needs gymnasium: pip install 'phalanx[learn]'.")
    from phalanx.learn import TASKS
    from phalanx.learn.trainer import TrainerMissingError, check_installed

    try:
        check_installed()
    except TrainerMissingError as error:
        raise UserError(f"{error}.") from None
    import torch

    if device != "cpu" and not torch.cuda.is_available():
        raise UserError(f'Device "{device}": this PyTorch finds no GPU; use --device cpu, or install one with CUDA.')
    if task in TASKS:
        return True
    if not task.lower().startswith("isaac"):
        from phalanx.learn import UnknownTaskError, task_class

        try:
            task_class(task)
        except UnknownTaskError as error:
            raise UserError(f"{error} Isaac Lab's own begin with Isaac-; phalanx tasks lists them.") from None
    from phalanx.facade import wheel

    if wheel.source() is None:
        raise UserError(f"{task} is a task of Isaac Lab, which is not installed: {wheel.REMEDY}")
    return False


def make(task: str, num_envs: int | None, device: str, seed: int, noise: bool = True, rank: int = 0) -> Made:
    """An environment of a task, native or Isaac Lab's; of some rank, each of which has ``num_envs``.

    Environments of native tasks are numbered through all ranks. Those of Isaac Lab draw from torch's stream, so each
    rank has a seed of its own.
    """
    if check(task, device):
        return _native(task, num_envs, device, seed, noise, rank)
    return _isaac(task, num_envs, device, seed + rank)


def _native(task: str, num_envs: int | None, device: str, seed: int, noise: bool, rank: int) -> Made:
    from phalanx import learn
    from phalanx.learn.recipes import recipe

    found = recipe(task, device)
    count = num_envs or found.num_envs
    env = learn.make(task, count, device, seed=seed, noise=noise, infos=False, first_env=rank * count)
    return Made(env, found.settings(), found.iterations, found.stagger, env.world, env.step_seconds)


def _isaac(task: str, num_envs: int | None, device: str, seed: int) -> Made:
    from phalanx import facade

    facade.install()
    logging.getLogger("isaaclab").setLevel(logging.WARNING)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        try:
            return _made_by_isaac(task, num_envs, device, seed)
        except ImportError as error:
            reason = f"{error}; phalanx doctor says what is missing"
        except UserError:
            raise
        except Exception:
            print(said.getvalue())
            raise
    raise UserError(f"{task} does not start: {reason}.")


def _made_by_isaac(task: str, num_envs: int | None, device: str, seed: int) -> Made:
    import gymnasium as gym
    from isaaclab.app import AppLauncher  # pyright: ignore[reportMissingImports]

    AppLauncher(headless=True, enable_cameras=True, device=device)
    import isaaclab_tasks  # noqa: F401 # pyright: ignore[reportMissingImports]
    from isaaclab_rl.rsl_rl import RslRlVecEnvWrapper  # pyright: ignore[reportMissingImports]
    from isaaclab_tasks.utils import load_cfg_from_registry, parse_env_cfg  # pyright: ignore[reportMissingImports]

    if task not in gym.registry:
        import difflib

        near = difflib.get_close_matches(task, list(gym.registry), 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else "phalanx tasks lists them."
        raise UserError(f"{task} is no task of Isaac Lab; {hint}")
    entry = "rsl_rl_cfg_entry_point"
    if entry not in gym.registry[task].kwargs:
        raise UserError(f"{task} has no recipe for rsl-rl; phalanx tasks lists the others.")
    agent = load_cfg_from_registry(task, entry)
    cfg = parse_env_cfg(task, device=device, num_envs=num_envs)
    cfg.seed = agent.seed = seed
    env = RslRlVecEnvWrapper(gym.make(task, cfg=cfg), clip_actions=agent.clip_actions)
    world = env.unwrapped.sim.stage_world.world
    return Made(env, agent.to_dict(), agent.max_iterations, True, world, env.unwrapped.step_dt)
