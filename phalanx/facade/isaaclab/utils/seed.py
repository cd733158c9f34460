"""One seed for all generators of random numbers of a process."""

from __future__ import annotations

import importlib.util
import os
import random
import sys

import numpy as np


def configure_seed(seed: int | None, torch_deterministic: bool = False) -> int:
    """Seed Python's, NumPy's, and where they are there torch's, CuPy's and Warp's generators.

    Args:
        seed: from 0 to 2**32 - 1; ``None`` or -1 chooses one below 10000 by chance, or 42 with ``torch_deterministic``.
        torch_deterministic: whether torch refuses operations whose results differ from run to run.

    Returns:
        The seed.
    """
    if seed is None or seed == -1:
        seed = 42 if torch_deterministic else random.randint(0, 9999)
    random.seed(seed)
    np.random.seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)
    if importlib.util.find_spec("torch") is not None:
        import torch

        torch.manual_seed(seed)  # GPUs', too
        if torch_deterministic:
            os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
            torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = not torch_deterministic
        torch.backends.cudnn.deterministic = torch_deterministic
    if "cupy" in sys.modules:
        sys.modules["cupy"].random.seed(seed)
    if "warp" in sys.modules:
        sys.modules["warp"].rand_init(seed)
    return seed


__all__ = ["configure_seed"]
