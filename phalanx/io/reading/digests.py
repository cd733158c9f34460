"""Digests that tell damage and edits of what was written. Who edits on purpose can make a new one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np


def digest_of_arrays(arrays: Mapping[str, np.ndarray]) -> str:
    """Hexadecimal SHA-256 of arrays, their names, types and shapes."""
    found = hashlib.sha256()
    for name in sorted(arrays):
        values = np.ascontiguousarray(arrays[name])
        values = values.astype(values.dtype.newbyteorder("<"), copy=False)
        found.update(f"{name} {values.dtype.str} {values.shape}\n".encode())
        found.update(values.tobytes())
    return found.hexdigest()
