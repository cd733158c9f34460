"""What makes rsl-rl's PPO independent of how environments are split over ranks, but for the order of sums.

Left alone, each rank draws actions and mini-batches from a stream of its own, and scales advantages and observations by
means of its own samples. Here noise of actions and mini-batches are drawn by the environment's number, like everything
else that is random; and means are those of all ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from phalanx.learn.environment import Environment
from phalanx.learn.ranks import Ranks

NOISE, BATCHES = 192, 193
"""Numbers of the places where they are drawn, see :meth:`phalanx.learn.random.Random.start`."""


class Rollouts:
    """Acts, and prepares what was sampled for learning, for an rsl-rl ``PPO``.

    Args:
        algorithm: rsl-rl's.
        env: the native environment, or ``None``: then rsl-rl draws from torch's stream.
        ranks: who learns together.
    """

    def __init__(self, algorithm: Any, env: Environment | None, ranks: Ranks) -> None:
        self._algorithm, self._env, self._ranks = algorithm, env, ranks
        if env is not None and not algorithm.policy.is_recurrent:
            algorithm.storage.mini_batch_generator = self._mini_batches
        if ranks.count > 1:
            for name in ("actor_obs_normalizer", "critic_obs_normalizer"):
                found = getattr(algorithm.policy, name, None)
                if hasattr(found, "_mean"):
                    _share_normalisation(found, ranks)

    def act(self, observations: Any) -> torch.Tensor:
        """(num_envs, num_actions): sampled by the policy, and noted for learning."""
        algorithm, env = self._algorithm, self._env
        actions = algorithm.act(observations)
        if env is None:
            return actions
        policy, noted = algorithm.policy, algorithm.transition
        env.random.start(NOISE)
        noise = env.random.normal(0.0, 1.0, env.num_actions)
        noted.actions = (policy.action_mean + policy.action_std * noise).detach()
        noted.actions_log_prob = policy.get_actions_log_prob(noted.actions).detach()
        return noted.actions

    def compute_returns(self, observations: Any) -> None:
        """Returns and advantages; advantages are scaled by mean and deviation over all ranks."""
        algorithm, ranks = self._algorithm, self._ranks
        if ranks.count == 1 or algorithm.normalize_advantage_per_mini_batch:
            algorithm.compute_returns(observations)
            return
        storage = algorithm.storage
        last = algorithm.policy.evaluate(observations).detach()
        storage.compute_returns(last, algorithm.gamma, algorithm.lam, normalize_advantage=False)
        advantages = storage.advantages
        mean = ranks.mean(advantages.double().mean())
        squares = ranks.sum(((advantages.double() - mean) ** 2).sum())
        deviation = torch.sqrt(squares / (advantages.numel() * ranks.count - 1))
        storage.advantages = ((advantages - mean) / (deviation + 1e-8)).to(advantages.dtype)

    def _mini_batches(self, count: int, epochs: int = 8) -> Iterator[tuple[Any, ...]]:
        """As ``RolloutStorage.mini_batch_generator``, but each mini-batch has as many steps of every environment.

        So the mini-batches of all environments in one process are those of the ranks together.
        """
        storage, env = self._algorithm.storage, self._env
        assert env is not None
        steps, envs = storage.num_transitions_per_env, env.num_envs
        with torch.inference_mode(False), torch.no_grad():
            env.random.start(BATCHES)
            order = env.random.uniform(0.0, 1.0, steps).argsort(dim=1, stable=True)  # a shuffle of each one's steps
            places = (order * envs + torch.arange(envs, device=order.device)[:, None]).T.reshape(-1)
        sampled = [storage.observations, storage.actions, storage.values, storage.advantages, storage.returns]
        sampled += [storage.actions_log_prob, storage.mu, storage.sigma]
        flat = [one.flatten(0, 1) for one in sampled]
        size = steps * envs // count
        for _ in range(epochs):
            for batch in range(count):
                chosen = places[batch * size : (batch + 1) * size]
                yield (*(one[chosen] for one in flat), (None, None), None)


def _share_normalisation(found: Any, ranks: Ranks) -> None:
    """Let rsl-rl's ``EmpiricalNormalization`` learn from the observations of all ranks."""

    def update(values: torch.Tensor) -> None:
        if not found.training or (found.until is not None and found.count >= found.until):
            return
        sampled = values.double()
        own = sampled.mean(dim=0, keepdim=True)
        both = ranks.mean(torch.cat((own, (sampled**2).mean(dim=0, keepdim=True))))
        mean, variance = both[:1], (both[1:] - both[:1] ** 2).clamp(min=0.0)
        found.count += len(values) * ranks.count
        rate = len(values) * ranks.count / found.count
        change = mean - found._mean
        found._var += (rate * (variance - found._var + change * (mean - found._mean - rate * change))).to(values.dtype)
        found._mean += (rate * change).to(values.dtype)
        found._std = torch.sqrt(found._var)

    found.update = update
