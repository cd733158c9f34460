"""Meshes of finite elements: Gmsh's .msh (2.2 and 4.1, as text) and VTK's legacy .vtk (as text).

Read are nodes, segments, triangles and tetrahedra; those of second order by their corners.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from phalanx.io.reading import limits
from phalanx.io.reading.boundary import of_file, place, read_bytes
from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes.cloth_mesh import ClothMesh
from phalanx.models.meshes.tet_mesh import TetMesh

FORMATS = ("msh", "vtk")

GMSH = {1: (2, 2), 2: (3, 3), 4: (4, 4), 8: (2, 3), 9: (3, 6), 11: (4, 10)}
"""Of Gmsh's types of elements: corners, and nodes in all."""

VTK = {3: 2, 5: 3, 10: 4, 21: 2, 22: 3, 24: 4}
"""Corners of VTK's types of cells."""


@dataclass
class Elements:
    """What a file holds: nodes (n, 3) in its own unit, and elements by their number of corners, (m, corners) each."""

    nodes: np.ndarray
    elements: dict[int, np.ndarray]
    source: str

    def tets(self, scale: float = 1.0) -> TetMesh:
        """Its tetrahedra, with the nodes that they use.

        Raises:
            LoadError: it has none, or some that cannot be used.
        """
        return TetMesh(*self._of(4, "tetrahedra", scale), self.source)

    def triangles(self, scale: float = 1.0) -> ClothMesh:
        """Its triangles, likewise, as cloth."""
        return ClothMesh(*self._of(3, "triangles", scale), self.source)

    def _of(self, corners: int, what: str, scale: float) -> tuple[np.ndarray, np.ndarray]:
        found = self.elements.get(corners, np.zeros((0, corners), np.int64))
        if not len(found):
            known = ", ".join(f"{len(e)} of {n} corners" for n, e in sorted(self.elements.items()) if len(e))
            raise LoadError(f"{self.source}: it has no {what}, but elements: {known or 'none'}.")
        used, numbers = np.unique(found, return_inverse=True)
        return self.nodes[used] * scale, numbers.reshape(found.shape)


def read_elements(path: str | os.PathLike[str]) -> Elements:
    """Read a .msh or .vtk file.

    Raises:
        LoadError: it is none, binary, damaged or too large.
    """
    error = of_file(path)
    data = read_bytes(path)
    kind = Path(path).suffix[1:].lower()
    with place(error):
        text = data.decode("ascii", "replace")
        words = _Words(text, error)
        if kind == "msh":
            nodes, found = _msh(words)
        elif kind == "vtk":
            nodes, found = _vtk(words)
        else:
            raise error(f"of meshes of elements, {', '.join('.' + one for one in FORMATS)} are read, not .{kind}.")
        limits.check("vertices", len(nodes), error)
        if not np.isfinite(nodes).all():
            raise error(f"node {int(np.flatnonzero(~np.isfinite(nodes).all(axis=1))[0])} is not finite.")
        limits.check("length", float(np.abs(nodes).max(initial=0.0)), error)
        elements = {n: np.array(rows, np.int64).reshape(-1, n) for n, rows in found.items()}
        for n, rows in elements.items():
            limits.check("triangles", len(rows), error)
            wrong = np.flatnonzero(((rows < 0) | (rows >= len(nodes))).any(axis=1))
            if len(wrong):
                raise error(f"element {wrong[0]} of {n} corners names a node that is not there.")
    return Elements(nodes, elements, os.fspath(path))


class _Words:
    """The words of a text, one after the other."""

    def __init__(self, text: str, error: object) -> None:
        self.text, self.error = text, error
        self._words = text.split()
        self._at = 0

    def seek(self, word: str) -> bool:
        """Go behind a word, from the start of the text; whether it is there."""
        try:
            self._at = self._words.index(word) + 1
        except ValueError:
            return False
        return True

    def word(self) -> str:
        """The next one."""
        return self._take(1)[0]

    def ints(self, count: int) -> np.ndarray:
        """So many whole numbers."""
        return self._numbers(count, np.int64)

    def floats(self, count: int) -> np.ndarray:
        """So many numbers."""
        return self._numbers(count, np.float64)

    def _numbers(self, count: int, dtype: type) -> np.ndarray:
        words = self._take(count)
        try:
            return np.array(words, dtype)
        except (ValueError, OverflowError):
            raise self.fail(f"there must be numbers, not {words[:3]}, at word {self._at - count}.") from None

    def _take(self, count: int) -> list[str]:
        if count < 0:
            raise self.fail(f"it asks for {count} numbers, below zero, at word {self._at}.")
        if self._at + count > len(self._words):
            raise self.fail(f"it ends where {count} more numbers are needed; it is damaged.")
        self._at += count
        return self._words[self._at - count : self._at]

    def fail(self, text: str) -> LoadError:
        """An error about the file."""
        return self.error(text)  # type: ignore[operator]


def _msh(words: _Words) -> tuple[np.ndarray, dict[int, list[int]]]:
    if not words.seek("$MeshFormat"):
        raise words.fail("it has no $MeshFormat: it is no mesh of Gmsh.")
    version, binary = words.word(), words.word()
    if binary != "0":
        raise words.fail("it is binary; save it as text (Mesh.Binary = 0 in Gmsh).")
    if version not in ("2.2", "2", "4.1"):
        raise words.fail(f"versions 2.2 and 4.1 are read, not {version}; save it as one of these.")
    for section in ("$Nodes", "$Elements"):
        if not words.seek(section):
            raise words.fail(f"it has no {section}.")
    return (_msh_41 if version == "4.1" else _msh_22)(words)


def _msh_22(words: _Words) -> tuple[np.ndarray, dict[int, list[int]]]:
    words.seek("$Nodes")
    count = int(words.ints(1)[0])
    rows = words.floats(4 * count).reshape(-1, 4)
    number = _numbered(words, map(int, rows[:, 0]))
    words.seek("$Elements")
    found: dict[int, list[int]] = {}
    for _ in range(int(words.ints(1)[0])):
        _, kind, tags = words.ints(3).tolist()
        words.ints(tags)
        _add(words, found, kind, number)
    return rows[:, 1:], found


def _msh_41(words: _Words) -> tuple[np.ndarray, dict[int, list[int]]]:
    words.seek("$Nodes")
    blocks = int(words.ints(4)[0])
    tags: list[int] = []
    places: list[np.ndarray] = []
    for _ in range(blocks):
        dimension, _, parametric, count = words.ints(4).tolist()
        tags += words.ints(count).tolist()
        width = 3 + (dimension if parametric else 0)
        places.append(words.floats(width * count).reshape(-1, width)[:, :3])
    number = _numbered(words, tags)
    words.seek("$Elements")
    found: dict[int, list[int]] = {}
    for _ in range(int(words.ints(4)[0])):
        _, _, kind, count = words.ints(4).tolist()
        for _ in range(count):
            words.ints(1)
            _add(words, found, kind, number)
    return np.concatenate([np.zeros((0, 3)), *places]), found


def _numbered(words: _Words, tags: Iterable[int]) -> dict[int, int]:
    """Nodes by what the file calls them."""
    found: dict[int, int] = {}
    for tag in tags:
        if tag in found:
            raise words.fail(f"two nodes have the number {tag}.")
        found[tag] = len(found)
    return found


SINGLE = {15: 1, 3: 4, 5: 8, 6: 6, 7: 5, 10: 9, 16: 8, 17: 20}
"""Nodes of Gmsh's elements that are left out: points, quadrilaterals, hexahedra, prisms, pyramids."""


def _add(words: _Words, found: dict[int, list[int]], kind: int, number: dict[int, int]) -> None:
    if kind not in GMSH:
        if kind not in SINGLE:
            raise words.fail(f"elements of Gmsh's type {kind} are not known; mesh it with tetrahedra or triangles.")
        words.ints(SINGLE[kind])
        return
    corners, nodes = GMSH[kind]
    tags = words.ints(nodes)[:corners].tolist()
    try:
        found.setdefault(corners, []).extend(number[tag] for tag in tags)
    except KeyError as missing:
        raise words.fail(f"an element names node {missing}, which is not there.") from None


def _vtk(words: _Words) -> tuple[np.ndarray, dict[int, list[int]]]:
    lines = words.text.splitlines()
    if not lines or not lines[0].startswith("# vtk DataFile"):
        raise words.fail("it does not begin with '# vtk DataFile': it is no legacy file of VTK.")
    if len(lines) < 3 or lines[2].strip() != "ASCII":
        raise words.fail("it is binary; save it as text (ASCII).")
    if not words.seek("DATASET") or words.word() != "UNSTRUCTURED_GRID":
        raise words.fail("its DATASET must be an UNSTRUCTURED_GRID.")
    if not words.seek("POINTS"):
        raise words.fail("it has no POINTS.")
    count = int(words.ints(1)[0])
    words.word()
    nodes = words.floats(3 * count).reshape(-1, 3)
    if not words.seek("CELLS"):
        raise words.fail("it has no CELLS.")
    cells = list(_vtk_cells(words, *words.ints(2).tolist()))
    if not words.seek("CELL_TYPES"):
        raise words.fail("it has no CELL_TYPES.")
    kinds = words.ints(int(words.ints(1)[0])).tolist()
    if len(kinds) != len(cells):
        raise words.fail(f"there are {len(cells)} cells, but {len(kinds)} types of cells.")
    found: dict[int, list[int]] = {}
    for kind, cell in zip(kinds, cells, strict=True):
        if kind in VTK:
            if len(cell) < VTK[kind]:
                raise words.fail(f"a cell of type {kind} has {len(cell)} nodes.")
            found.setdefault(VTK[kind], []).extend(cell[: VTK[kind]].tolist())
    return nodes, found


def _vtk_cells(words: _Words, count: int, size: int) -> Iterator[np.ndarray]:
    first = words.word()
    if first == "OFFSETS":  # since version 5.1: one more offset than cells
        words.word()
        offsets = words.ints(count)
        if words.word() != "CONNECTIVITY":
            raise words.fail("CONNECTIVITY must follow OFFSETS.")
        words.word()
        nodes = words.ints(size)
        if (np.diff(offsets) < 0).any() or (len(offsets) and (offsets[0] != 0 or offsets[-1] > size)):
            raise words.fail("its OFFSETS do not rise from 0 to the length of CONNECTIVITY.")
        for a, b in itertools.pairwise(offsets.tolist()):
            yield nodes[a:b]
        return
    numbers = np.concatenate([[_whole(words, first)], words.ints(size - 1)])
    at = 0
    for _ in range(count):
        if at >= len(numbers) or numbers[at] < 0 or at + 1 + numbers[at] > len(numbers):
            raise words.fail("its CELLS are not as many numbers as they say.")
        yield numbers[at + 1 : at + 1 + numbers[at]]
        at += 1 + int(numbers[at])


def _whole(words: _Words, word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise words.fail(f"there must be a number, not {word!r}, after CELLS.") from None
