"""Files of what takes long to make of a mesh, kept in the user's cache folder."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np


def mesh_digest(text: str, vertices: np.ndarray, faces: np.ndarray) -> str:
    """32 hexadecimal digits that stand for a mesh, to the bit, and for a text that says what is made of it, and how."""
    return hashlib.sha256(text.encode() + vertices.tobytes() + faces.tobytes()).hexdigest()[:32]


def keep(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let ``write`` fill a file that is there whole or not at all, whoever else writes it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
