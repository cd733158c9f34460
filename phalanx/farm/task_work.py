"""Shards of a task of :mod:`phalanx.learn`: an environment is an episode, from its reset until it ends.

Environments are numbered as episodes are, and all that a task draws depends on the seed, that number and the step.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.farm.draws import ACTIONS, Draws
from phalanx.farm.errors import FarmError
from phalanx.farm.spec import Spec, code, is_checkpoint

if TYPE_CHECKING:
    import torch

    from phalanx.learn.environment import Environment

Policy = Callable[[int, "Environment"], "torch.Tensor"]


class TaskSimulation:
    """Simulates shards of a spec that names a task.

    Each shard has an environment of its own: tasks may keep what they like from one episode to the next.

    Args:
        spec: what is simulated.
        device: ``"cpu"``, ``"cuda:N"`` or ``"auto"``.

    Raises:
        FarmError: what tasks need is not installed.
    """

    def __init__(self, spec: Spec, device: str = "auto") -> None:
        try:
            import gymnasium  # noqa: F401
            import torch  # noqa: F401
        except ImportError as error:
            raise FarmError(f"task: {error}; tasks need pip install 'phalanx[learn]'") from None
        self._spec, self._device = spec, device
        self._code = code(spec.policy) if ":" in spec.policy else None
        self.attributes: dict[str, Any] = {}
        """What readers want to know of a step, once there was one: its length, s."""

    def run(self, shard: int) -> dict[str, np.ndarray]:
        """By name what is written: signals (episodes, samples, ...), and how each episode ended, (episodes,)."""
        return self.simulate(self._spec.episodes_of(shard), self._spec.steps)

    def simulate(self, episodes: range, steps: int) -> dict[str, np.ndarray]:
        """Simulate episodes for at most so many steps. Samples after an episode's end are not a number."""
        import torch

        from phalanx import learn

        spec = self._spec
        env = learn.make(spec.task, len(episodes), self._device, seed=spec.seed, infos=False, first_env=episodes.start)
        self.attributes = {"step_seconds": env.step_seconds}
        act = self._policy(env, episodes, steps)
        env.reset()
        going = torch.ones(env.num_envs, dtype=torch.bool, device=env.device)
        length = torch.zeros(env.num_envs, dtype=torch.int64, device=env.device)
        total = torch.zeros(env.num_envs, dtype=torch.float64, device=env.device)
        terminated = torch.zeros_like(going)
        samples: dict[str, list[np.ndarray]] = {name: [] for name in spec.signals}
        for step in range(steps):
            actions = act(step, env)
            kept = (step + 1) % spec.every == 0
            seen = {"observation": env.observations["policy"].clone(), "action": actions} if kept else {}
            env.advance(actions)
            length += going
            total += torch.where(going, env.reward, 0.0)
            if kept:
                seen["reward"] = env.reward.clone()
                for name, values in samples.items():
                    values.append(_known(seen[name], going))
            terminated |= going & env.terminated
            going &= ~env.done
        env.world.check()
        ends = {"length": length, "total_reward": total, "terminated": terminated}
        found = {name: value.cpu().numpy() for name, value in ends.items()}
        return found | {name: np.stack(values, axis=1) for name, values in samples.items()}

    def names(self) -> dict[str, list[str]]:
        """Nothing: what observations and actions are made of is the task's own."""
        return {}

    def _policy(self, env: Environment, episodes: range, steps: int) -> Policy:
        import torch

        spec = self._spec
        if self._code is not None:
            function, numbers = self._code, np.array(episodes)

            def acted(step: int, env: Environment) -> torch.Tensor:
                given = function(env, step * env.step_seconds, numbers)
                found = torch.as_tensor(given, dtype=torch.float32, device=env.device)
                wanted = env.num_envs, env.num_actions
                if found.shape != wanted:
                    raise ValueError(f"{spec.policy} returned actions {tuple(found.shape)}; they must be {wanted}")
                return found

            return acted
        if is_checkpoint(spec.policy):
            return _trained(spec, env)
        if spec.policy == "random":
            drawn = 2.0 * Draws(spec.seed, episodes).uniform(ACTIONS, 0, steps * env.num_actions) - 1.0
            drawn = drawn.reshape(env.num_envs, steps, env.num_actions).astype(np.float32)
            return lambda step, env: torch.as_tensor(drawn[:, step], device=env.device)
        still = torch.zeros((env.num_envs, env.num_actions), device=env.device)
        return lambda step, env: still


def _trained(spec: Spec, env: Environment) -> Policy:
    """What a checkpoint of rsl-rl's trainer holds, without noise."""
    import torch

    from phalanx.learn.recipes import recipe
    from phalanx.learn.trainer import CheckpointError, Trainer, TrainerMissingError
    from phalanx.learn.trainers import wrote

    path = Path(spec.policy)
    try:
        if (trainer := wrote(path)) != "rsl_rl":
            raise FarmError(f"policy: {path} was written by {trainer}; farms play policies of rsl_rl")
        made = Trainer(env, recipe(spec.task, env.device.type).settings(), None, spec.task)
        made.load(path)
    except (CheckpointError, TrainerMissingError) as error:
        raise FarmError(f"policy: {error}") from None
    policy = made.policy()
    env.random.seed(spec.seed)  # the checkpoint's step is not this episode's

    def act(step: int, env: Environment) -> torch.Tensor:
        with torch.inference_mode():
            return policy(made.env.get_observations())

    return act


def _known(values: torch.Tensor, going: torch.Tensor) -> np.ndarray:
    """Values of the episodes that go on, on the host; of others no numbers."""
    import torch

    wide = going.view(-1, *(1,) * (values.dim() - 1))
    return torch.where(wide, values, torch.nan).cpu().numpy()
