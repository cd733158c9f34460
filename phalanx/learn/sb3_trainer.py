"""Training with Stable-Baselines3's PPO."""

from __future__ import annotations

import copy
import io
import zipfile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from stable_baselines3 import PPO  # pyright: ignore[reportMissingImports]
from stable_baselines3.common.vec_env import VecEnv, VecNormalize  # pyright: ignore[reportMissingImports]

from phalanx.learn.environment import Environment
from phalanx.learn.recipes import Recipe
from phalanx.learn.rounds import Counted, Rounds
from phalanx.learn.trainer import CheckpointError, read_archive

INFOS = "phalanx.infos"
"""The member of a checkpoint that is not Stable-Baselines3's, which leaves it alone."""

VARIABLES = "pytorch_variables.pth"
"""A member that has no parameters, and that holds nothing for PPO."""

BOUND = 100.0
"""Of actions, as Isaac Lab has it, since Stable-Baselines3 wants them bounded."""

NORMALISING = ("normalize_input", "normalize_value", "clip_obs")
"""Settings of Isaac Lab's that are not PPO's."""


def settings(recipe: Recipe) -> dict[str, Any]:
    """A native task's recipe, in the words of Isaac Lab's files for Stable-Baselines3."""
    rsl = recipe.settings()["algorithm"]
    layers = list(recipe.hidden)
    return {
        "policy": "MlpPolicy",
        "n_steps": recipe.steps,
        "n_minibatches": rsl["num_mini_batches"],
        "n_epochs": rsl["num_learning_epochs"],
        "gamma": rsl["gamma"],
        "gae_lambda": rsl["lam"],
        "learning_rate": rsl["learning_rate"],
        "clip_range": rsl["clip_param"],
        "ent_coef": rsl["entropy_coef"],
        "vf_coef": rsl["value_loss_coef"],
        "max_grad_norm": rsl["max_grad_norm"],
        "policy_kwargs": {"activation_fn": torch.nn.ELU, "net_arch": {"pi": layers, "vf": layers}},
        "normalize_input": recipe.normalise,
    }


def iterations(found: dict[str, Any], num_envs: int) -> int:
    """How many rounds settings of Isaac Lab ask for."""
    return max(1, int(found["n_timesteps"]) // (int(found["n_steps"]) * num_envs))


class ForSb3(VecEnv):
    """A native environment as Stable-Baselines3 has them: arrays of NumPy, and a dictionary for each environment."""

    def __init__(self, env: Environment, rounds: Rounds) -> None:
        self.env, self._rounds, self.stagger = env, rounds, False
        actions = gymnasium.spaces.Box(-BOUND, BOUND, env.single_action_space.shape, np.float32)
        super().__init__(env.num_envs, env.single_observation_space, actions)

    def reset(self) -> np.ndarray:
        """Begin an episode everywhere."""
        self.env.reset()
        if self.stagger:
            self.env.stagger()
        return self._observed()

    def _observed(self) -> np.ndarray:
        return self.env.observations["policy"].cpu().numpy().copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Actions of the next step."""
        self._actions = torch.as_tensor(actions, dtype=torch.float32, device=self.env.device)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step, with what ends of episodes need: ``terminal_observation``, ``TimeLimit.truncated`` and ``episode``."""
        env = self.env
        self._rounds.before_step()
        env.advance(self._actions)
        self._rounds.after_step(env.reward, env.done)
        dones, truncated = env.done.cpu().numpy().copy(), env.truncated.cpu().numpy()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if dones.any():
            last = env.final_observations["policy"].cpu().numpy()
            returns, lengths = env.episodes.last_return.cpu().numpy(), env.episodes.last_length.cpu().numpy()
            for one in dones.nonzero()[0]:
                infos[one] = {
                    "terminal_observation": last[one].copy(),
                    "TimeLimit.truncated": bool(truncated[one]),
                    "episode": {"r": float(returns[one]), "l": int(lengths[one])},
                }
        return self._observed(), env.reward.cpu().numpy().copy(), dones, infos

    def close(self) -> None:
        """There is nothing to close."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The same for all environments that are asked for."""
        return [getattr(self.env, attr_name, None)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Not for one environment alone."""
        raise NotImplementedError(
            "Attributes of native environments cannot be set one by one; set them on `env`, which it wraps."
        )

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Not for one environment alone."""
        raise NotImplementedError(
            "Methods of native environments cannot be called one by one; call them on `env`, which it wraps."
        )

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """None of them is."""
        return [False] * len(list(self._get_indices(indices)))


class Sb3Trainer(Rounds):
    """A policy in the making, by Stable-Baselines3; ``settings`` are in the words of Isaac Lab's files for it."""

    trainer, ending = "sb3", ".zip"

    def __init__(self, env: Any, settings: dict[str, Any], folder: Path | None, task: str, seed: int = 0) -> None:
        super().__init__(env, int(settings["n_steps"]), folder, task, seed)
        found = copy.deepcopy(settings)
        found.pop("n_timesteps", None)
        if self.native is not None:
            self._inner: Any = ForSb3(self.native, self)
            found["batch_size"] = self.num_envs * self._per_round // found.pop("n_minibatches")
        else:
            from isaaclab_rl.sb3 import Sb3VecEnvWrapper, process_sb3_cfg  # pyright: ignore[reportMissingImports]

            self._inner = Sb3VecEnvWrapper(Counted(env, self))
            found = process_sb3_cfg(found, self.num_envs)
        most = self.num_envs * self._per_round
        found["batch_size"] = min(int(found.get("batch_size", most)), most)
        policy, normal = found.pop("policy"), {name: found.pop(name) for name in NORMALISING if name in found}
        self._env: Any = self._inner
        if normal.get("normalize_input"):
            self._env = VecNormalize(
                self._inner,
                norm_obs=True,
                norm_reward=bool(normal.get("normalize_value", False)),
                clip_obs=float(normal.get("clip_obs", 100.0)),
                clip_reward=np.inf,
                gamma=found["gamma"],
            )
        found |= {"seed": seed, "device": self.device}
        self.model = PPO(policy, self._env, verbose=0, **found)

    @property
    def parameters(self) -> int:
        """Numbers that are learnt."""
        return sum(one.numel() for one in self.model.policy.parameters())

    def _learn(self, iterations: int, stagger: bool) -> None:
        if self.native is not None:
            self._inner.stagger = stagger
        steps = iterations * self._per_round * self.num_envs
        self.model.learn(steps, log_interval=None, reset_num_timesteps=False)  # type: ignore[arg-type]

    def _play(self, steps: int) -> None:
        if isinstance(self._env, VecNormalize):
            self._env.training = False
        if self.native is not None:
            self._inner.stagger = False
        observations: Any = self._env.reset()
        for _ in range(steps):
            actions, _ = self.model.predict(observations, deterministic=True)
            observations = self._env.step(actions)[0]

    def _write(self, path: Path, infos: dict[str, Any]) -> None:
        file = io.BytesIO()
        self.model.save(file)
        if isinstance(self._env, VecNormalize):
            infos["normalisation"] = {name: _moments(one) for name, one in self._scales().items()}
        own = io.BytesIO()
        torch.save(infos, own)
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr(INFOS, own.getvalue())
        path.write_bytes(file.getvalue())

    def _read(self, path: Path) -> dict[str, Any]:
        found = read_archive(path, lambda name: name == INFOS or (name.endswith(".pth") and name != VARIABLES))
        infos = found.pop(INFOS, {})
        if "policy.pth" not in found:
            raise CheckpointError(f"{path} is no checkpoint of Stable-Baselines3.")
        self.check_task(path, infos)
        parameters: Any = {name.removesuffix(".pth"): one for name, one in found.items()}
        self.model.set_parameters(parameters, device=self.device)
        self.model.num_timesteps = int(infos.get("iteration", 0)) * self._per_round * self.num_envs
        if isinstance(self._env, VecNormalize):
            if "normalisation" not in infos:
                raise CheckpointError(f"{path} does not say how observations are normalised; train with phalanx train.")
            for name, one in self._scales().items():
                kept = infos["normalisation"][name]
                one.mean, one.var, one.count = kept["mean"].numpy(), kept["var"].numpy(), float(kept["count"])
        return infos

    def _scales(self) -> dict[str, Any]:
        return {"observations": self._env.obs_rms, "returns": self._env.ret_rms}


def _moments(scale: Any) -> dict[str, Any]:
    found = {name: torch.as_tensor(np.asarray(getattr(scale, name))).clone() for name in ("mean", "var")}
    return {**found, "count": float(scale.count)}
