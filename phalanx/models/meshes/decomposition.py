"""Convex decomposition of closed meshes by CoACD (Wei et al., SIGGRAPH 2022), remembered on disk."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from phalanx.ecs.cache.files import recalled_file
from phalanx.models.meshes.kept_files import mesh_digest
from phalanx.models.meshes.mesh_files import merge

OPTIONS: dict[str, Any] = {"threshold": 0.05, "max_convex_hull": -1, "preprocess_resolution": 50, "seed": 0}
"""What is passed to CoACD unless the caller says otherwise; ``threshold`` is the concavity that is accepted."""


def decompose(vertices: np.ndarray, faces: np.ndarray, **options: Any) -> list[np.ndarray]:
    """Vertices (k, 3) of the convex pieces of a mesh. The same mesh and options give the same pieces.

    It takes seconds, so the result is kept in the folder of compiled kernels, under the hash of what went in.

    Args:
        options: arguments of ``coacd.run_coacd``, over ``OPTIONS``.

    Raises:
        ImportError: coacd is not installed.
        ValueError: the mesh has no piece with a volume.
    """
    vertices, faces = merge(np.asarray(vertices, float), np.asarray(faces, np.int64))
    chosen = {**OPTIONS, **options}
    text = json.dumps(chosen, sort_keys=True) + f" {len(vertices)} {len(faces)}"
    name = f"convex_pieces_{mesh_digest(text, vertices, faces)}.npz"
    return recalled_file(name, _read, lambda: _run(vertices, faces, chosen), _write)


def _read(path: Path) -> list[np.ndarray]:
    with np.load(path) as kept:  # which compares checksums
        return np.split(kept["points"], kept["ends"][:-1])


def _write(file: BinaryIO, pieces: list[np.ndarray]) -> None:
    np.savez(file, points=np.concatenate(pieces), ends=np.cumsum([len(piece) for piece in pieces]))


def _run(vertices: np.ndarray, faces: np.ndarray, chosen: dict[str, Any]) -> list[np.ndarray]:
    if importlib.util.find_spec("coacd") is None:
        raise ImportError(
            'convex decomposition needs coacd: install "phalanx[mesh]", or let the shape\'s approximation be '
            '"convex_hull".'
        )
    import coacd

    coacd.set_log_level("error")
    pieces = [np.asarray(piece[0], float) for piece in coacd.run_coacd(coacd.Mesh(vertices, faces), **chosen)]
    if not pieces:
        raise ValueError("the mesh has no convex piece with a volume; check that it is closed.")
    return pieces
