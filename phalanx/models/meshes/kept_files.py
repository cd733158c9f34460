"""Names of what takes long to make of a mesh and is kept: see :mod:`phalanx.ecs.cache`."""

from __future__ import annotations

import hashlib

import numpy as np


def mesh_digest(text: str, vertices: np.ndarray, faces: np.ndarray) -> str:
    """32 hexadecimal digits that stand for a mesh, to the bit, and for a text that says what is made of it, and how."""
    return hashlib.sha256(text.encode() + vertices.tobytes() + faces.tobytes()).hexdigest()[:32]
