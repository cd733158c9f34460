"""The seed of randomisations."""

from __future__ import annotations


class _Seed:
    value = 0


def set_global_seed(seed: int) -> None:
    """Say from which seed generators that are made afterwards start."""
    _Seed.value = int(seed)


def get_global_seed() -> int:
    """The seed that was set, 0 if none was."""
    return _Seed.value
