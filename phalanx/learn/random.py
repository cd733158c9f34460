"""Random numbers that depend on the seed, the environment, the step and the place where they are drawn alone.

They are counter-based: there is no state but the step. An environment, known by its number among all environments of
all processes, draws the same numbers whether it is alone or among thousands, on the CPU and on a GPU, and in a CUDA
graph.

Seed, environment and step are hashed to 64 bits (the finaliser of SplitMix64, Steele, Lea and Flood 2014, with the
constants of D. Stafford's variant 13), so that keys do not meet in practice: of 10^5 environments over 10^4 steps two
have the same key somewhere with a probability of 0.03. Places are hashed into these by the 32-bit finaliser "lowbias32"
of C. Wellons (2018), applied to 64-bit integers, of which the lower half counts. Philox (Salmon et al., 2011) would do
as well, in some hundred launches a step where this takes twenty.
"""

from __future__ import annotations

import math

import torch

MASK = 0xFFFFFFFF
WIDE = (0xBF58476D1CE4E5B9 - 2**64, 0x94D049BB133111EB - 2**64)
"""Factors of the 64-bit hash, as signed integers, which wrap around."""
PLACES = 4096
"""Numbers that one function may draw in a step, for each environment."""


class Random:
    """Draws numbers for all environments.

    Args:
        num_envs: how many there are.
        seed: any whole number; its lower 64 bits count.
        device: of the numbers.
        first_env: number of the first of them among all environments of all processes.
    """

    def __init__(self, num_envs: int, seed: int, device: torch.device, first_env: int = 0) -> None:
        self._envs = torch.arange(first_env, first_env + num_envs, device=device)[:, None]
        self._step = torch.zeros((), dtype=torch.int64, device=device)
        self._base, self._keys, self._upper = (torch.zeros_like(self._envs) for _ in range(3))
        self._place = 0
        self._hashes: dict[tuple[int, int], torch.Tensor] = {}
        self._columns: dict[tuple[int, int], slice] = {}
        self._together: tuple[torch.Tensor, torch.Tensor] | None = None
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Begin anew."""
        low = seed & (2**64 - 1)
        first = torch.full_like(self._step, low - 2**64 if low >= 2**63 else low)
        self._base.copy_(_wide(_wide(first) + self._envs))
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
        self._keys.copy_(_wide(self._base ^ _wide(self._step)))
        torch.bitwise_and(self._keys >> 32, MASK, out=self._upper)
        if self._together is not None:
            hashes, found = self._together
            found.copy_(self._parts(hashes))

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
        return self._parts(self._hashes[key])

    def _parts(self, hashes: torch.Tensor) -> torch.Tensor:
        """At least 0 and below 1: the upper 24 of 32 bits of the hash of both halves of keys, and of places."""
        return (_mixed(_mixed(self._keys + hashes) + self._upper) >> 8).to(torch.float32) * 2.0**-24


def _mixed(values: torch.Tensor) -> torch.Tensor:
    x = values & MASK
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & MASK
    x = ((x ^ (x >> 15)) * 0x846CA68B) & MASK
    return x ^ (x >> 16)


def _wide(values: torch.Tensor) -> torch.Tensor:
    """All 64 bits hashed; shifts of negative numbers bring ones, which are masked."""
    x = (values ^ ((values >> 30) & (2**34 - 1))) * WIDE[0]
    x = (x ^ ((x >> 27) & (2**37 - 1))) * WIDE[1]
    return x ^ ((x >> 31) & (2**33 - 1))
