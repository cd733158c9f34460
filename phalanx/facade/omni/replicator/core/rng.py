"""Random numbers of randomisations."""

from __future__ import annotations

import numpy as np

from phalanx.facade.omni.replicator.core.seeds import get_global_seed


class ReplicatorRNG:
    """A generator of its own.

    Args:
        seed: where it starts; by default what :func:`set_global_seed` said.

    Attributes:
        generator: NumPy's.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.generator = np.random.default_rng(get_global_seed() if seed is None else seed)
