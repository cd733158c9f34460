"""What episodes brought: sums of rewards by name, and lengths, kept on the device."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from phalanx.learn.rows import row_sum


class Episodes:
    """Statistics of the episodes that have ended since they were asked for last.

    Args:
        names: of the rewards.
        num_envs: how many environments.
        device: where to keep them.
    """

    def __init__(self, names: Sequence[str], num_envs: int, device: torch.device) -> None:
        self.names = list(names)
        self._sums = torch.zeros((num_envs, len(names)), device=device)
        self._totals = torch.zeros(len(names) + 2, dtype=torch.float64, device=device)
        self.last_return = torch.zeros(num_envs, device=device)
        """(num_envs,): sum of rewards of the episode that this step ended, else so far."""
        self.last_length = torch.zeros(num_envs, dtype=torch.int64, device=device)
        """(num_envs,): its steps."""

    def add(self, rewards: torch.Tensor, lengths: torch.Tensor, done: torch.Tensor) -> None:
        """Count a step: rewards (num_envs, names), steps of episodes, and which have ended."""
        self._sums += rewards
        self.last_return.copy_(row_sum(self._sums))
        self.last_length.copy_(lengths)
        ended = torch.cat((self._sums, lengths[:, None], torch.ones_like(lengths)[:, None]), dim=1).double()
        self._totals += (ended * done[:, None]).sum(dim=0)
        self._sums.masked_fill_(done[:, None], 0.0)

    def clear(self) -> None:
        """Forget all of them."""
        self._sums.zero_()
        self._totals.zero_()

    def take(self, whole: Callable[[torch.Tensor], torch.Tensor] = lambda own: own) -> dict[str, float]:
        """Means over episodes that have ended: ``return``, ``length``, each reward by name; and ``count``.

        Waits for the device. Empty but for ``count`` if none has ended.

        Args:
            whole: adds up sums of several processes.
        """
        *rewards, length, count = whole(self._totals).tolist()
        self._totals.zero_()
        if not count:
            return {"count": 0.0}
        means = {name: value / count for name, value in zip(self.names, rewards, strict=True)}
        return {"count": count, "return": sum(means.values()), "length": length / count, **means}
