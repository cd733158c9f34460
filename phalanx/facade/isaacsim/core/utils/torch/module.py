"""The module torch, imported when it is needed."""

from __future__ import annotations

from typing import Any

from phalanx.facade.arrays import api_of, is_installed


def torch() -> Any:
    """The module torch.

    Raises:
        ImportError: it is not installed.
    """
    if not is_installed("torch"):
        raise ImportError("isaacsim.core.utils.torch needs torch: pip install torch")
    return __import__("torch")


def tensor(value: Any, device: Any = None) -> Any:
    """Anything array-like as a tensor of real numbers, float32 where it is not one already."""
    from phalanx.facade.isaaclab.utils.array import convert_to_torch

    known = torch()
    found = convert_to_torch(value, device=device)
    keeps = api_of(value) is not None and found.is_floating_point()
    return found if keeps else found.to(known.float32)
