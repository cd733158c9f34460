"""Work of farms that takes no simulation: numbers that depend on the shard, after a while."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from phalanx.farm.spec import Spec
from phalanx.farm.store import FarmStore


def numbers(
    spec: Mapping[str, Any], url: str, options: Mapping[str, Any], seconds: float = 0.0, fails: int = -1, dies: int = -1
) -> Callable[[int], Any]:
    """Normal numbers, by shard and seed."""
    found, store = Spec.of(spec), FarmStore(url, options)

    def work(shard: int) -> dict[str, Any]:
        time.sleep(seconds)
        if shard == fails:
            raise ValueError("no luck")
        if shard == dies:
            os._exit(7)
        count = len(found.episodes_of(shard))
        values = np.random.default_rng([found.seed, shard]).normal(size=(count, len(found.samples), 3))
        return store.write_shard(shard, {"joint_pos": values}, {})

    return work
