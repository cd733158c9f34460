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
        self._base, self._keys = torch.zeros_like(self._envs), torch.zeros_like(self._envs)
        self._place = 0
        self._hashes: dict[tuple[int, int], torch.Tensor] = {}
        self._columns: dict[tuple[int, int], slice] = {}
        self._together: tuple[torch.Tensor, torch.Tensor] | None = None
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Begin anew."""
        first = torch.full_like(self._step, seed & MASK)
        self._base.copy_(_mixed(_mixed(first) + self._envs))
        self._step.zero_()
        self._renew()

    @property
    def state(self) -> int:
        """The number of the step, which :meth:`resume` takes."""
        return int(self._step)

    def resume(self, state: int) -> None:
        """Go on at a step."""
        self._step.fill_(state)
        self._renew()

    def advance(self) -> None:
        """Go to the next step."""
        self._step += 1
        self._renew()

    def gather(self) -> None:
        """From now on draw what has been drawn so far all at once when a step begins: a few kernels instead of many.

        The numbers are the same. For GPUs, where numbers cost less than launches do.
        """
        end = 0
        for key in self._hashes:
            self._columns[key] = slice(end, end + key[1])
            end += key[1]
        if end:
            hashes = torch.cat(list(self._hashes.values()))
            self._together = hashes, torch.zeros((len(self._envs), end), device=self._envs.device)
            self._renew()

    def _renew(self) -> None:
        self._keys.copy_(_mixed(self._base + self._step))
        if self._together is not None:
            hashes, found = self._together
            found.copy_(_parts(self._keys + hashes))

    def start(self, function: int) -> None:
        """Say which function draws from now on, so that what one draws does not change what others draw."""
        self._place = function * PLACES

    def uniform(self, low: float, high: float, size: int) -> torch.Tensor:
        """(num_envs, size), float32, at least ``low`` and below ``high``."""
        return low + (high - low) * self._drawn(size)

    def normal(self, mean: float, deviation: float, size: int) -> torch.Tensor:
        """(num_envs, size), float32, of a normal distribution (Box and Muller, 1958)."""
        first, second = self.uniform(0.0, 1.0, size), self.uniform(0.0, 2.0 * math.pi, size)
        return mean + deviation * torch.sqrt(-2.0 * torch.log1p(-first)) * torch.cos(second)

    def _drawn(self, size: int) -> torch.Tensor:
        """(num_envs, size): at least 0, below 1."""
        key = self._place, size
        self._place += size
        if self._together is not None and key in self._columns:
            return self._together[1][:, self._columns[key]]
        if key not in self._hashes:
            with torch.inference_mode(False):
                places = torch.arange(key[0], key[0] + size, device=self._envs.device)
                self._hashes[key] = _mixed(places)
        return _parts(self._keys + self._hashes[key])


def _parts(values: torch.Tensor) -> torch.Tensor:
    """Numbers at least 0 and below 1, of the upper 24 of 32 bits of their hashes."""
    return (_mixed(values) >> 8).to(torch.float32) * 2.0**-24


def _mixed(values: torch.Tensor) -> torch.Tensor:
    x = values & MASK
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & MASK
    x = ((x ^ (x >> 15)) * 0x846CA68B) & MASK
    return x ^ (x >> 16)
