"""What a mesh file may open besides itself: materials and pictures near it, and nothing else."""

from __future__ import annotations

import io
import os
from pathlib import Path

from phalanx.io.reading import limits
from phalanx.io.reading.boundary import read_bytes

KINDS = (".mtl", ".png", ".jpg", ".jpeg", ".bmp", ".tga", ".tif", ".tiff")


class Beside:
    """Finds files for trimesh, by what a mesh calls them.

    Robots' packages keep pictures beside meshes, below them, or in a folder beside theirs: nothing outside the folder
    above the mesh's is opened, links are followed before that is seen, and only pictures and materials are.

    Args:
        mesh: path of the mesh file.
    """

    def __init__(self, mesh: str | os.PathLike[str]) -> None:
        self._folder = Path(mesh).resolve().parent

    def get(self, name: str) -> bytes:
        """Content of a file.

        Raises:
            OSError: it is not there, or no file that may be opened, or no picture of a known format.
            LoadError: it is empty or too large.
        """
        path = self.path(name)
        data = read_bytes(path)
        if path.suffix.lower() != ".mtl":
            _check_kind(data)
        return data

    def path(self, name: str) -> Path:
        """Where a file is.

        Raises:
            OSError: it is not there, or no file that may be opened.
        """
        path = (self._folder / name.strip().replace("\\", "/").removeprefix("file://")).resolve()
        if not path.is_relative_to(self._folder.parent) or path.suffix.lower() not in KINDS:
            raise PermissionError(f"{path}: a mesh opens only pictures and materials in {self._folder.parent}")
        if not path.is_file():
            raise FileNotFoundError(f"{path}: no such file")
        return path

    __getitem__ = get


def _check_kind(data: bytes) -> None:
    """Refuse what is no picture of a known format, whatever its name says."""
    from PIL import Image

    Image.open(io.BytesIO(data), formats=limits.PICTURES).close()  # reads its header
