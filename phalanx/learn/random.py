"""Random numbers that depend on the seed, the environment, the step and the place where they are drawn alone.

There is no state but the step: an environment draws the same numbers whether it is alone or among thousands, on the CPU
and on a GPU, and in a CUDA graph. The hash is the 32-bit finaliser "lowbias32" of C. Wellons (2018), applied to 64-bit
integers, of which the lower half counts.
"""

from __future__ import annotations

import math

import torch

MASK = 0xFFFFFFFF
PLACES = 4096
"""Numbers that one function may draw in a step, for each environment."""


class Random:
    """Draws numbers for all environments.

    Args:
        num_envs: how many there are.
        seed: any whole number; its lower 32 bits count.
        device: of the numbers.
    """

    def __init__(self, num_envs: int, seed: int, device: torch.device) -> None:
        self._envs = torch.arange(num_envs, device=device)[:, None]
        self._step = torch.zeros((), dtype=torch.int64, device=device)
        self._seed = torch.zeros((), dtype=torch.int64, device=device)
        self._place = 0
        self._keys: torch.Tensor | None = None
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Begin anew."""
        self._seed.fill_(seed & MASK)
        self._step.zero_()
        self._keys = None

    @property
    def state(self) -> int:
        """The number of the step, which :meth:`resume` takes."""
        return int(self._step)

    def resume(self, state: int) -> None:
        """Go on at a step."""
        self._step.fill_(state)
        self._keys = None

    def advance(self) -> None:
        """Go to the next step."""
        self._step += 1
        self._keys = None

    def start(self, function: int) -> None:
        """Say which function draws from now on, so that what one draws does not change what others draw."""
        self._place, self._keys = function * PLACES, None

    def uniform(self, low: float, high: float, size: int) -> torch.Tensor:
        """(num_envs, size), float32, at least ``low`` and below ``high``."""
        return low + (high - low) * (self._bits(size) >> 8).to(torch.float32) * 2.0**-24

    def normal(self, mean: float, deviation: float, size: int) -> torch.Tensor:
        """(num_envs, size), float32, of a normal distribution (Box and Muller, 1958)."""
        first, second = self.uniform(0.0, 1.0, size), self.uniform(0.0, 2.0 * math.pi, size)
        return mean + deviation * torch.sqrt(-2.0 * torch.log1p(-first)) * torch.cos(second)

    def _bits(self, size: int) -> torch.Tensor:
        if self._keys is None:
            self._keys = _mixed(_mixed(_mixed(self._seed) + self._envs) + self._step)
        places = torch.arange(self._place, self._place + size, device=self._envs.device)
        self._place += size
        return _mixed(self._keys + _mixed(places))


def _mixed(values: torch.Tensor) -> torch.Tensor:
    x = values & MASK
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & MASK
    x = ((x ^ (x >> 15)) * 0x846CA68B) & MASK
    return x ^ (x >> 16)
