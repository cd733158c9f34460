"""How much a file may ask for. All readers go by this table, and check before they do the work.

Robot files come from strangers, and a few lines can ask for anything: copies of copies, pictures that unpack to
gigabytes. Numbers here are far above what files of robots have, and low enough that what exceeds them is refused within
a second and half a gigabyte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from phalanx.io.reading.errors import LoadError


@dataclass
class Limits:
    """The most that a file may ask for, by the name of what it is."""

    xml_bytes: int = 64 << 20
    """Of a URDF, MJCF or COLLADA file, or of one that it includes."""
    mesh_bytes: int = 512 << 20
    """Of a mesh, a height field or a picture."""
    elements: int = 100_000
    """Elements of XML, those of included files, attached models and copies counted each time."""
    depth: int = 200
    """Elements, nodes or prims inside each other."""
    bodies: int = 10_000
    """Links and rigid bodies of one file, copies counted each time."""
    includes: int = 200
    """Files that one includes or attaches, also by way of others."""
    nodes: int = 20_000
    """Nodes of a mesh file's scene, instances counted each time."""
    prims: int = 1_000_000
    """Prims of a stage as composed, references counted each time."""
    vertices: int = 5_000_000
    triangles: int = 10_000_000
    """Of a mesh."""
    heights: int = 1 << 22
    """Samples of a height field."""
    pixels: int = 1 << 26
    """Of a picture."""
    samples: int = 10_000_000
    """Of a recording; also events."""
    number: float = 1e30
    """Size of any number; greater limits count as none."""
    length: float = 1_000_000_000
    """m, size of a coordinate of a mesh."""
    seconds: float = 120
    """For one file with all that it refers to; looked at between its parts."""


LIMITS = Limits()

PICTURES = ("PNG", "JPEG", "BMP", "TGA", "TIFF", "WEBP", "GIF", "DDS")
"""Formats of textures, by Pillow's names. It knows more, and starts other programs for some (PostScript)."""

NAMES = {
    "xml_bytes": "bytes",
    "mesh_bytes": "bytes",
    "elements": "elements",
    "depth": "levels inside each other",
    "bodies": "bodies",
    "includes": "included files",
    "nodes": "nodes",
    "prims": "prims",
    "vertices": "vertices",
    "triangles": "triangles",
    "heights": "samples",
    "pixels": "pixels",
    "samples": "samples or events",
    "number": "",
    "length": "m",
    "seconds": "seconds",
}
"""What messages call them."""

assert NAMES.keys() == {field.name for field in fields(Limits)}


def check(what: str, amount: float, error: Callable[[str], LoadError]) -> None:
    """Raise the error that ``error`` makes of a text if there is more of something than may be.

    Args:
        what: the name of a limit.
        amount: how much the file asks for.
    """
    most: Any = getattr(LIMITS, what)
    if amount > most:
        whole = isinstance(amount, int) and amount < 10**18
        number = f"{amount:,}" if whole else f"{amount:.3g}" if amount <= 1e308 else "more than 1e308"
        raise error(
            f"it asks for {number} {NAMES[what]}, and at most {most:,} are read; make it smaller, or set "
            f"phalanx.io.reading.limits.LIMITS.{what}."
        )
