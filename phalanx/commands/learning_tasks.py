"""Environments and settings for ``phalanx train`` and ``phalanx play``: of native tasks, and of Isaac Lab's own."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import io
import logging
import sys
import traceback
from dataclasses import dataclass
from typing import Any

from phalanx.commands.common import UserError


@dataclass(frozen=True)
class Made:
    """What is trained.

    Attributes:
        env: a native environment, or Isaac Lab's, with its wrapper where that is for rsl-rl.
        settings: as the trainer takes them.
        iterations: as the recipe has it.
        stagger: whether first episodes end at different times.
        world: for films.
        step_seconds: of a step of the environment.
        seed: of everything random, of the first rank.
    """

    env: Any
    settings: dict[str, Any]
    iterations: int
    stagger: bool
    world: Any
    step_seconds: float
    seed: int


def check_torch() -> None:
    """Complain if PyTorch is missing."""
    if importlib.util.find_spec("torch") is None:
        raise UserError("Training needs PyTorch: pip install 'phalanx[torch,learn]'.")


def check(task: str, device: str, trainer: str = "rsl_rl") -> bool:
    """Whether a task is native; complains at once of what is missing.

    Raises:
        UserError: there is no such task, or what it needs is not installed.
    """
    check_torch()
    if importlib.util.find_spec("gymnasium") is None:
        raise UserError("Training needs gymnasium: pip install 'phalanx[learn]'.")
    from phalanx.learn import TASKS, trainers
    from phalanx.learn.trainer import TrainerMissingError

    try:
        trainers.check(trainer)
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
    wheel.tell_of_another_version()
    return False


def make(
    task: str,
    num_envs: int | None,
    device: str,
    seed: int | None,
    noise: bool = True,
    rank: int = 0,
    trainer: str = "rsl_rl",
    shown: bool = False,
) -> Made:
    """An environment of a task, native or Isaac Lab's, for a trainer; of some rank, each of which has ``num_envs``.

    Environments of native tasks are numbered through all ranks. Those of Isaac Lab draw from torch's stream, so each
    rank has a seed of its own. What is ``shown``, in a film or a viewer, has the shapes that are only seen. Without a
    ``seed`` it is that of Isaac Lab's settings for the trainer, 42 as a rule, and of native tasks 0.
    """
    if check(task, device, trainer):
        return _native(task, num_envs, device, seed or 0, noise, rank, trainer)
    return _isaac(task, num_envs, device, seed, rank, trainer, shown)


def _native(task: str, num_envs: int | None, device: str, seed: int, noise: bool, rank: int, trainer: str) -> Made:
    from phalanx import learn
    from phalanx.learn.recipes import recipe

    found = recipe(task, device)
    count = num_envs or found.num_envs
    ends = trainer == "sb3"  # it looks at the last observations of episodes
    env = learn.make(task, count, device, seed=seed, noise=noise, infos=ends, first_env=rank * count)
    return Made(env, _settings(found, trainer), found.iterations, found.stagger, env.world, env.step_seconds, seed)


def _settings(found: Any, trainer: str) -> dict[str, Any]:
    if trainer == "skrl":
        from phalanx.learn import skrl_trainer

        return skrl_trainer.settings(found)
    if trainer == "sb3":
        from phalanx.learn import sb3_trainer

        return sb3_trainer.settings(found)
    return found.settings()


def _isaac(
    task: str, num_envs: int | None, device: str, seed: int | None, rank: int, trainer: str, shown: bool
) -> Made:
    from phalanx import facade
    from phalanx.facade import stage_world

    facade.install()
    stage_world.read_visuals(shown)
    logging.getLogger("isaaclab").setLevel(logging.WARNING)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        try:
            return _made_by_isaac(task, num_envs, device, seed, rank, trainer)
        except ImportError as error:
            reason = f"{error}; phalanx doctor says what is missing"
        except FileNotFoundError as error:  # a robot's file; what is said names the place and `phalanx assets`
            reason = str(error)
            _forget_half_made(error)
        except UserError:
            raise
        except Exception:
            print(said.getvalue())
            raise
    raise UserError(f"{task} does not start: {reason}.")


def _forget_half_made(error: BaseException) -> None:
    """Free the environment whose construction an error ended.

    Its destructor fails for want of what was not made yet, and Python would print that beside the one sentence.
    """
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        chain: BaseException | None = error
        while chain is not None:
            traceback.clear_frames(chain.__traceback__)
            chain = chain.__context__
        gc.collect()
    finally:
        sys.unraisablehook = hook


def _made_by_isaac(task: str, num_envs: int | None, device: str, seed: int | None, rank: int, trainer: str) -> Made:
    import gymnasium as gym
    from isaaclab.app import AppLauncher  # pyright: ignore[reportMissingImports]

    AppLauncher(headless=True, enable_cameras=True, device=device)
    import isaaclab_tasks  # noqa: F401 # pyright: ignore[reportMissingImports]
    from isaaclab_tasks.utils import load_cfg_from_registry, parse_env_cfg  # pyright: ignore[reportMissingImports]

    if task not in gym.registry:
        import difflib

        near = difflib.get_close_matches(task, list(gym.registry), 1, 0.5)
        hint = f"did you mean {near[0]}?" if near else "phalanx tasks lists them."
        raise UserError(f"{task} is no task of Isaac Lab; {hint}")
    agent: Any = load_cfg_from_registry(task, _recipe_entry(task, gym.registry[task].kwargs, trainer))
    cfg: Any = parse_env_cfg(task, device=device, num_envs=num_envs)
    seed = seed_of(agent) if seed is None else seed
    cfg.seed = seed + rank
    made: Any = gym.make(task, cfg=cfg)
    world, step_seconds = made.unwrapped.sim.stage_world.world, made.unwrapped.step_dt
    if trainer == "rsl_rl":
        from isaaclab_rl.rsl_rl import RslRlVecEnvWrapper  # pyright: ignore[reportMissingImports]

        agent.seed = seed + rank
        env: Any = RslRlVecEnvWrapper(made, clip_actions=agent.clip_actions)
        return Made(env, agent.to_dict(), agent.max_iterations, True, world, step_seconds, seed)
    from isaaclab.envs import DirectMARLEnv, multi_agent_to_single_agent  # pyright: ignore[reportMissingImports]

    if isinstance(made.unwrapped, DirectMARLEnv):
        made = multi_agent_to_single_agent(made)
    if trainer == "skrl":
        from phalanx.learn import skrl_trainer

        return Made(made, agent, skrl_trainer.iterations(agent), False, world, step_seconds, seed)
    from phalanx.learn import sb3_trainer

    rounds = sb3_trainer.iterations(agent, made.unwrapped.num_envs)
    return Made(made, agent, rounds, False, world, step_seconds, seed)


def seed_of(agent: Any) -> int:
    """The seed that settings of Isaac Lab's for a trainer name; 0 if they want one at random or have none."""
    found = agent.get("seed") if isinstance(agent, dict) else getattr(agent, "seed", None)
    return found if isinstance(found, int) and found >= 0 else 0


def _recipe_entry(task: str, registered: dict[str, Any], trainer: str) -> str:
    """The name under which a task has its recipe for a trainer.

    Raises:
        UserError: it has none.
    """
    from phalanx.learn.trainers import PACKAGES

    entry = "{}_cfg_entry_point".format
    if entry(trainer) in registered:
        return entry(trainer)
    others = [name for name in PACKAGES if entry(name) in registered]
    remedy = f"train it with --trainer {' or '.join(others)}." if others else "phalanx tasks lists the others."
    raise UserError(f"{task} has no recipe for {PACKAGES[trainer].title}; {remedy}")
