"""Versions of Isaac Sim, and how they compare."""

from __future__ import annotations

import functools

from packaging.version import Version

from phalanx.facade.isaacsim.core.version import VERSION

# Environments that nobody has closed ask for versions when Python ends, which can import nothing any more.


@functools.lru_cache
def get_isaac_sim_version() -> Version:
    """The version of Isaac Sim whose behaviour the facade has, a ``packaging.version.Version``."""
    return Version(VERSION)


def compare_versions(v1: str, v2: str) -> int:
    """1 if the first version is later, -1 if the second one is, 0 if they are the same."""
    first, second = Version(v1), Version(v2)
    return (first > second) - (first < second)


__all__ = ["compare_versions", "get_isaac_sim_version"]
