"""Training with skrl's PPO, from version 1.4.3 on, which is what Isaac Lab 2.3.2 asks for, to 2.

Everything goes by the runner, whose settings and loop all versions share; signatures of models and agents differ.
"""

from __future__ import annotations

import contextlib
import copy
import io
import logging
from pathlib import Path
from typing import Any

import gymnasium
import torch

from phalanx.learn.environment import Environment
from phalanx.learn.ranks import Ranks, in_group
from phalanx.learn.recipes import Recipe
from phalanx.learn.rounds import Counted, Rounds
from phalanx.learn.trainer import CheckpointError, read_tensors

with in_group():  # when it is imported by one of several ranks it would make a group itself, for GPUs only
    import skrl  # pyright: ignore[reportMissingImports]
    from skrl.envs.wrappers.torch import Wrapper  # pyright: ignore[reportMissingImports]
    from skrl.utils.runner.torch import Runner  # pyright: ignore[reportMissingImports]

INFOS = "phalanx"
"""The entry of a checkpoint that is not skrl's."""

LONG = 10**9
"""Steps of a loop that is ended from within."""


def settings(recipe: Recipe) -> dict[str, Any]:
    """A native task's recipe as skrl's runner takes it."""
    rsl = recipe.settings()["algorithm"]
    network = [{"name": "net", "input": "OBSERVATIONS", "layers": list(recipe.hidden), "activations": "elu"}]
    scaler = "RunningStandardScaler" if recipe.normalise else None
    observed = "state_preprocessor" if skrl.__version__.startswith("1.") else "observation_preprocessor"
    return {
        "models": {
            "separate": True,
            "policy": {
                "class": "GaussianMixin",
                "clip_actions": False,
                "clip_log_std": True,
                "min_log_std": -20.0,
                "max_log_std": 2.0,
                "initial_log_std": 0.0,
                "network": network,
                "output": "ACTIONS",
            },
            "value": {
                "class": "DeterministicMixin",
                "clip_actions": False,
                "network": copy.deepcopy(network),
                "output": "ONE",
            },
        },
        "memory": {"class": "RandomMemory", "memory_size": -1},
        "agent": {
            "class": "PPO",
            "rollouts": recipe.steps,
            "learning_epochs": rsl["num_learning_epochs"],
            "mini_batches": rsl["num_mini_batches"],
            "discount_factor": rsl["gamma"],
            "lambda": rsl["lam"],
            "learning_rate": rsl["learning_rate"],
            "learning_rate_scheduler": "KLAdaptiveLR",
            "learning_rate_scheduler_kwargs": {"kl_threshold": rsl["desired_kl"]},
            observed: scaler,
            f"{observed}_kwargs": None,
            "value_preprocessor": None,
            "value_preprocessor_kwargs": None,
            "grad_norm_clip": rsl["max_grad_norm"],
            "ratio_clip": rsl["clip_param"],
            "value_clip": rsl["clip_param"],
            "clip_predicted_values": True,
            "entropy_loss_scale": rsl["entropy_coef"],
            "value_loss_scale": rsl["value_loss_coef"],
            "kl_threshold": 0.0,
            "rewards_shaper_scale": 1.0,
            "time_limit_bootstrap": True,
            "experiment": {},
        },
        "trainer": {"class": "SequentialTrainer"},
    }


def iterations(found: dict[str, Any]) -> int:
    """How many rounds settings of Isaac Lab ask for."""
    return max(1, int(found["trainer"]["timesteps"]) // int(found["agent"]["rollouts"]))


class ForSkrl(Wrapper):
    """A native environment as skrl has them. Policy and value see what the policy observes."""

    def __init__(self, env: Environment, rounds: Rounds) -> None:
        super().__init__(env)
        self._rounds, self._begun, self.stagger = rounds, False, False

    @property
    def observation_space(self) -> gymnasium.Space:
        """Of one environment."""
        return self._env.single_observation_space

    @property
    def action_space(self) -> gymnasium.Space:
        """Of one environment."""
        return self._env.single_action_space

    @property
    def state_space(self) -> None:
        """There is none."""
        return None

    def begin_anew(self) -> None:
        """Let :meth:`reset` begin episodes again, all at once."""
        self._begun, self.stagger = False, False

    def _observed(self) -> torch.Tensor:
        return self._env.observations["policy"].clone()

    def reset(self) -> tuple[torch.Tensor, dict[str, Any]]:
        """Begin, the first time; from then on episodes begin by themselves."""
        if not self._begun:
            self._env.reset()
            if self.stagger:
                self._env.stagger()
            self._begun = True
        return self._observed(), {}

    def step(self, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, Any]:
        """Observations, and columns of rewards, terminated, truncated."""
        env = self._env
        self._rounds.before_step()
        env.advance(actions)
        self._rounds.after_step(env.reward, env.done)
        columns = (one.clone().view(-1, 1) for one in (env.reward, env.terminated, env.truncated))
        return self._observed(), *columns, {}

    def state(self) -> None:
        """There is none."""
        return None

    def render(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is shown."""
        return None

    def close(self) -> None:
        """There is nothing to close."""
        return None


class SkrlTrainer(Rounds):
    """A policy in the making, by skrl; ``settings`` are those of its runner.

    Ranks train by skrl's own distribution: the first one's parameters are sent to all, and gradients are averaged.
    """

    trainer, ending = "skrl", ".pt"

    def __init__(
        self,
        env: Any,
        settings: dict[str, Any],
        folder: Path | None,
        task: str,
        seed: int = 0,
        ranks: Ranks | None = None,
    ) -> None:
        super().__init__(env, int(settings["agent"]["rollouts"]), folder, task, seed, ranks)
        skrl.logger.setLevel(logging.ERROR)  # it warns of each name that another version has changed
        settings = copy.deepcopy(settings)
        settings["seed"] = seed
        settings["agent"]["experiment"] = {"write_interval": 0, "checkpoint_interval": 0}
        settings["trainer"] |= {"timesteps": LONG, "disable_progressbar": True, "headless": True}
        settings["trainer"]["close_environment_at_exit"] = False
        with contextlib.redirect_stdout(io.StringIO()):
            if self.native is not None:
                self._env: Any = ForSkrl(self.native, self)
            else:
                from isaaclab_rl.skrl import SkrlVecEnvWrapper  # pyright: ignore[reportMissingImports]

                self._env = SkrlVecEnvWrapper(Counted(env, self), ml_framework="torch")
            self.runner = Runner(self._env, settings)

    @property
    def parameters(self) -> int:
        """Numbers that are learnt."""
        models = {id(model): model for model in self.runner.agent.models.values()}
        return sum(one.numel() for model in models.values() for one in model.parameters())

    def _learn(self, iterations: int, stagger: bool) -> None:
        if self.native is not None:
            self._env.stagger = stagger
        self.runner.run("train")

    def _play(self, steps: int) -> None:
        if self.native is not None:
            self._env.begin_anew()
        self.runner.run("eval")

    def _agree(self) -> None:
        """Pool the statistics by which observations and values are scaled: skrl leaves each rank its own.

        Every rank has seen as many samples, so that the pooled mean is the mean of means, and the pooled variance the
        mean of variances and the variance of means.
        """
        if self.ranks.count == 1:
            return
        for module in self.runner.agent.checkpoint_modules.values():
            if hasattr(module, "running_mean") and hasattr(module, "running_variance"):
                mean, variance = module.running_mean, module.running_variance
                variance.add_(mean.square())
                self.ranks.mean(variance)
                self.ranks.mean(mean)
                variance.sub_(mean.square())

    def _write(self, path: Path, infos: dict[str, Any]) -> None:
        modules = {name: one.state_dict() for name, one in self.runner.agent.checkpoint_modules.items()}
        with open(path, "wb") as file:  # by its path, PyTorch would write that into it
            torch.save({**modules, INFOS: infos}, file)

    def _read(self, path: Path) -> dict[str, Any]:
        found = read_tensors(path)
        infos = found.get(INFOS) or {}
        self.check_task(path, infos)
        modules = self.runner.agent.checkpoint_modules
        missing = sorted(modules.keys() - found.keys())
        if missing:
            raise CheckpointError(f"{path} is no checkpoint of skrl's agent: it has no {', '.join(missing)}.")
        for name, module in modules.items():
            module.load_state_dict(found[name])
        return infos
