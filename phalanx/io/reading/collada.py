"""What a COLLADA file asks for and lacks, before and after pycollada reads it, which passes over what it cannot use."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from phalanx.io.reading import limits
from phalanx.io.reading.errors import LoadError
from phalanx.io.reading.sizes import expanded
from phalanx.io.reading.xmltree import parse_bytes

Error = Callable[[str], LoadError]

# Materials and textures: not wanted for shapes, slow to read, and often broken.
_LOOKS = re.compile(
    rb"<(library_images|library_effects|library_materials|bind_material)\b[^>]*(?<!/)>.*?</\1>", re.DOTALL
)
_LENGTHS = {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}
_PLACES = re.compile(rb"<(?:\w+:)?(matrix|translate|rotate|scale)\b[^>]*(?<!/)>([^<]*)<")
_BELOW_ZERO = re.compile(rb"<(?:\w+:)?(p|vcount)\b[^>]*(?<!/)>[^<]*-")
_ODD = re.compile(rb"nan|inf|e\+?0*[1-9]\d|(?<![\d.])\d{10}", re.IGNORECASE)
"""What there is where a number is not finite or too large, among much else."""

_SURFACES = ("triangles", "polylist", "polygons")


@dataclass
class Collada:
    """Metres per unit, and the geometries with surfaces that the scene places."""

    unit: float
    placed: list[str]

    def check(self, read: Container[str], error: Error) -> None:
        """Refuse a file of which a geometry was passed over.

        Args:
            read: names of the geometries that were read.
            error: makes errors about the file.
        """
        for name in self.placed:
            if name not in read:
                raise error(f'its geometry "{name}" cannot be used (its numbers do not fit together); export it again.')


def without_looks(data: bytes) -> bytes:
    """The file without materials and pictures."""
    return _LOOKS.sub(b"", data)


def check_collada(data: bytes, path: str, error: Error) -> Collada:
    """Refuse nodes that stand for too many, and numbers that cannot be.

    Raises:
        LoadError: with what is wrong.
    """
    odd = _ODD.search(data) is not None
    root = parse_bytes(data, path, words=odd)
    unit, named, geometries, tops = 1.0, {}, {}, []
    for element in root.walk():
        element.tag = element.tag.rpartition(":")[2]
        if element.tag == "unit" and "meter" in element.attributes:
            unit = _metres(element)
        elif element.tag == "node" and "id" in element.attributes:
            named[element.attributes["id"]] = element
        elif element.tag == "geometry" and "id" in element.attributes:
            geometries[element.attributes["id"]] = element
        elif element.tag == "visual_scene":
            tops.append(element)
    if odd:
        for geometry in geometries.values():
            _check_positions(geometry)
    _check_numbers(data, error)
    seen: dict[str, None] = {}

    def inside(element: Any) -> list[tuple[Any, int]]:
        found = [(child, 1) for child in element.children if child.tag == "node"]
        for child in element.children:
            target = child.attributes.get("url", "").removeprefix("#")
            if child.tag == "instance_node" and target in named:
                found.append((named[target], 1))
            elif child.tag == "instance_geometry" and target in geometries and _has_surface(geometries[target]):
                seen[target] = None
        return found

    for top in tops:
        expanded(top, inside, "nodes", top.error, key=id)
    return Collada(unit, list(seen) if len(tops) == 1 else [])


def _metres(unit: Any) -> float:
    """Metres per unit; what makes no sense is taken for metres, as other readers do."""
    try:
        found = float(unit.get("meter"))
    except ValueError:
        raise unit.error(f'meter="{unit.get("meter")}" is not a number.') from None
    return found if 0.0 < found < limits.LIMITS.length else 1.0


def _has_surface(geometry: Any) -> bool:
    """Whether there is at least one triangle or polygon that pycollada should find."""
    return any(
        each.tag in _SURFACES and each.attributes.get("count", "0").strip() != "0"
        for mesh in geometry.children
        for each in mesh.children
    )


def _check_positions(geometry: Any) -> None:
    """Refuse coordinates that are not finite or too large; triangles with them would be left out."""
    for mesh in geometry.children:
        names = {
            each.attributes.get("source", "").removeprefix("#")
            for vertices in mesh.children
            if vertices.tag == "vertices"
            for each in vertices.children
            if each.attributes.get("semantic") == "POSITION"
        }
        for source in mesh.children:
            if source.tag == "source" and source.attributes.get("id") in names:
                for array in source.children:
                    if array.tag == "float_array":
                        _check_lengths(array)


def _check_lengths(array: Any) -> None:
    for word in array.text.split():
        if _ODD.search(word.encode()):
            try:
                amount = abs(float(word))
            except ValueError:
                raise array.error(f'"{word}" is not a number.') from None
            if not amount < float("inf"):
                raise array.error(f'"{word}" is not finite; export it again.')
            limits.check("length", amount, array.error)


def _check_numbers(data: bytes, error: Error) -> None:
    if (wrong := _BELOW_ZERO.search(data)) is not None:
        raise error(f"<{wrong[1].decode()}> has a number below zero; export it again.")
    for kind, text in _PLACES.findall(data):
        name, words = kind.decode(), text.split()
        if len(words) != _LENGTHS[name]:
            raise error(f"<{name}> has {len(words)} numbers, not {_LENGTHS[name]}; export it again.")
