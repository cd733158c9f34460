"""Colours that mesh files bring along: those of their materials, for pictures."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.io.reading.mesh_files import read_scene

COLORED = ("dae", "glb", "ply")
"""Formats that keep colours in the file itself."""


def face_colors(path: str | os.PathLike[str], count: int) -> np.ndarray | None:
    """(faces, 3) sRGB, 0 to 1, in the order of :func:`~.meshes.load_mesh`'s faces; nan where a part has no material or
    a texture, which is not read.

    ``None`` if the file is no longer there, has no colours, or another number of faces than ``count``.
    """
    try:
        status = os.stat(path)
    except OSError:
        return None
    found = _parsed(os.path.realpath(path), status.st_mtime_ns, status.st_size)
    return found if found is not None and len(found) == count else None


@lru_cache(maxsize=256)
def _parsed(path: str, _mtime: int, _size: int) -> np.ndarray | None:
    kind = Path(path).suffix[1:].lower()
    if kind not in COLORED:
        return None
    try:
        scene, _, data = read_scene(path, kind, looks=True)
        textured = b"<texture" in data or kind == "glb"
        parts = [scene.geometry[scene.graph[node][1]] for node in scene.graph.nodes_geometry]
        colors = [_colors_of(part, textured) for part in parts]
    except Exception:  # materials are often broken, in as many ways as there are formats; shapes are shown without them
        return None
    whole = np.concatenate([np.zeros((0, 3)), *colors])
    return whole if np.isfinite(whole).any() else None


def _colors_of(part: Any, textured: bool) -> np.ndarray:
    """(faces, 3); of files with textures, white stands for one."""
    count = len(getattr(part, "faces", ()))
    visual = getattr(part, "visual", None)
    if not count or visual is None or not visual.defined:
        return np.full((count, 3), np.nan)
    if visual.kind == "texture":
        color = np.asarray(visual.material.main_color, float)[:3] / 255.0
        return np.tile(color if color.min() < 1.0 or not textured else np.full(3, np.nan), (count, 1))
    return np.asarray(visual.face_colors, float)[:, :3] / 255.0
