"""Arrays that meshes of elements are given as: checked before anything is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.io.reading.errors import LoadError


def points_array(given: Any, source: str) -> np.ndarray:
    """(n, 3) in m, or a LoadError that says which point is none."""
    found = np.asarray(given, float)
    if found.ndim != 2 or found.shape[1] != 3:
        raise LoadError(f"{source}: nodes must be (n, 3), not {found.shape}")
    wrong = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(wrong):
        raise LoadError(f"{source}: node {wrong[0]} has a coordinate that is not finite")
    return np.ascontiguousarray(found)


def elements_array(given: Any, corners: int, nodes: int, what: str, source: str) -> np.ndarray:
    """(m, corners) numbers of nodes, or a LoadError that says which element is none.

    Args:
        nodes: how many there are.
        what: an element is called, ``"triangle"``.
    """
    found = np.asarray(given)
    if found.size == 0:
        return np.zeros((0, corners), np.int64)
    if found.ndim == 1 and not len(found) % corners:
        found = found.reshape(-1, corners)
    if found.ndim != 2 or found.shape[1] != corners:
        raise LoadError(f"{source}: an array of elements must be (m, {corners}) numbers of nodes, not {found.shape}")
    if not np.issubdtype(found.dtype, np.integer):
        broken = np.flatnonzero((found != np.rint(found)).any(axis=1))
        if len(broken):
            raise LoadError(
                f"{source}: {what} {broken[0]} has the corners {found[broken[0]].tolist()}: not whole numbers"
            )
    wrong = np.flatnonzero(((found < 0) | (found >= nodes)).any(axis=1))
    if len(wrong):
        raise LoadError(
            f"{source}: {what} {wrong[0]} has the corners {found[wrong[0]].tolist()}, but there are {nodes} nodes"
        )
    return found.astype(np.int64)
