"""Numbers of environments, as users give them: the one place that reads them."""

from __future__ import annotations

from typing import Any

import numpy as np


def env_indices(env_ids: Any, num_envs: int, what: str = "env_ids") -> np.ndarray:
    """Numbers of environments, (k,) int64 from 0 to ``num_envs - 1``, in the order given.

    Args:
        env_ids: what NumPy takes as an index of one axis: a whole number, a slice, anything that lists whole numbers,
            on any device, or ``num_envs`` booleans. Negative numbers count from the end. ``None``, ``...``: all.
        num_envs: how many environments there are.
        what: what messages call it.

    Raises:
        ValueError: not whole numbers, or in more than one dimension.
        IndexError: there are no such environments.
    """
    if env_ids is None or env_ids is Ellipsis:
        return np.arange(num_envs)
    if isinstance(env_ids, slice):
        try:
            return np.arange(num_envs)[env_ids]
        except (TypeError, ValueError) as error:  # a step of 0, or bounds that are no whole numbers
            raise ValueError(f"{what} must be a slice of whole numbers, not {env_ids!r}: {error}") from None
    indices = np.atleast_1d(_on_host(env_ids))
    if indices.dtype == bool and indices.shape == (num_envs,):
        indices = np.flatnonzero(indices)
    if indices.size == 0:
        return np.zeros(0, np.int64)
    if indices.ndim != 1 or not np.issubdtype(indices.dtype, np.integer):
        raise ValueError(f"{what} must be whole numbers, not {env_ids!r}")
    least, most = int(indices.min()), int(indices.max())
    if least < -num_envs or most >= num_envs:
        raise IndexError(
            f"{what} must lie in 0..{num_envs - 1}, or in -{num_envs}..-1 from the end; got {least} to {most}"
        )
    indices = indices.astype(np.int64)
    indices[indices < 0] += num_envs
    return indices


def _on_host(env_ids: Any) -> np.ndarray:
    """A NumPy array of numbers on any device."""
    if hasattr(env_ids, "get"):  # CuPy
        env_ids = env_ids.get()
    elif hasattr(env_ids, "cpu"):  # torch
        env_ids = env_ids.cpu()
    return np.asarray(env_ids)
