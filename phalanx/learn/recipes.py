"""How each task is trained: numbers for PPO (Schulman et al., 2017), on the CPU and on a GPU.

Values that are not said here are those of Rudin et al. (2022), or rsl-rl's own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Recipe:
    """What a task is trained with.

    Attributes:
        num_envs: environments.
        iterations: rounds of stepping and learning.
        steps: steps of every environment in a round.
        hidden: widths of the layers of actor and critic.
        normalise: whether observations are scaled by their mean and deviation so far.
        stagger: whether first episodes end at different times.
        policy: more arguments of rsl-rl's ``ActorCritic``.
        algorithm: more arguments of rsl-rl's ``PPO``.
    """

    num_envs: int
    iterations: int
    steps: int = 24
    hidden: tuple[int, ...] = (128, 128, 128)
    normalise: bool = False
    stagger: bool = True
    policy: tuple[tuple[str, Any], ...] = ()
    algorithm: tuple[tuple[str, Any], ...] = ()

    def settings(self) -> dict[str, Any]:
        """As rsl-rl's runner takes it."""
        return {
            "num_steps_per_env": self.steps,
            "save_interval": 50,
            "obs_groups": {},
            "policy": {
                "class_name": "ActorCritic",
                "init_noise_std": 1.0,
                "actor_obs_normalization": self.normalise,
                "critic_obs_normalization": self.normalise,
                "actor_hidden_dims": list(self.hidden),
                "critic_hidden_dims": list(self.hidden),
                "activation": "elu",
                **dict(self.policy),
            },
            "algorithm": {
                "class_name": "PPO",
                "num_learning_epochs": 5,
                "num_mini_batches": 4,
                "clip_param": 0.2,
                "gamma": 0.99,
                "lam": 0.95,
                "value_loss_coef": 1.0,
                "entropy_coef": 0.005,
                "learning_rate": 1e-3,
                "max_grad_norm": 1.0,
                "use_clipped_value_loss": True,
                "schedule": "adaptive",
                "desired_kl": 0.01,
                **dict(self.algorithm),
            },
        }


_CARTPOLE = Recipe(256, 60, steps=16, hidden=(32, 32), algorithm=(("num_learning_epochs", 8),))
_ANT = Recipe(4096, 500, steps=32, hidden=(256, 128, 64), normalise=True, algorithm=(("learning_rate", 5e-4),))
_WALKING = Recipe(4096, 300, hidden=(128, 128, 128), algorithm=(("entropy_coef", 0.01),))

_ROUGH = replace(_WALKING, iterations=1500, hidden=(512, 256, 128))
_REACH = Recipe(4096, 400, hidden=(64, 64), algorithm=(("entropy_coef", 0.001), ("num_learning_epochs", 8)))
_LIFT = Recipe(4096, 1500, hidden=(256, 128, 64), algorithm=(("learning_rate", 1e-4), ("gamma", 0.98)))

RECIPES: dict[str, dict[str, Recipe]] = {
    "cartpole": {"cpu": _CARTPOLE, "cuda": replace(_CARTPOLE, num_envs=4096)},
    "ant": {"cpu": replace(_ANT, num_envs=512, iterations=1000), "cuda": _ANT},
    "quadruped-flat": {"cpu": replace(_WALKING, num_envs=1024, iterations=1000), "cuda": _WALKING},
    "quadruped-rough": {"cpu": replace(_ROUGH, num_envs=1024), "cuda": _ROUGH},
    "arm-reach": {"cpu": replace(_REACH, num_envs=256), "cuda": _REACH},
    "cube-lift": {"cpu": replace(_LIFT, num_envs=512), "cuda": _LIFT},
}
"""By task and kind of device."""


def recipe(task: str, device: str) -> Recipe:
    """How a task is trained on a device; a general recipe for tasks that have none."""
    kind = "cpu" if device == "cpu" else "cuda"
    return RECIPES.get(task, {}).get(kind) or Recipe(256 if kind == "cpu" else 4096, 300)
