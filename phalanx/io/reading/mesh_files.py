"""Scenes of mesh files, by trimesh, once it is known what they ask for.

Formats with a scene inside can say with a few nodes that a mesh is there a million times, or nest nodes until a parser
runs out of stack; others can promise more vertices than a machine can hold.
"""

from __future__ import annotations

import io
import json
import math
import re
import struct
from collections.abc import Callable, Mapping
from typing import Any

from phalanx.io.reading import limits
from phalanx.io.reading.beside import Beside
from phalanx.io.reading.boundary import of_file, place, read_bytes
from phalanx.io.reading.errors import LoadError
from phalanx.io.reading.sizes import expanded

Error = Callable[[str], LoadError]

FORMATS = ("stl", "obj", "dae", "ply", "glb")


def read_scene(path: str, kind: str, looks: bool = False, beside: Beside | None = None) -> tuple[Any, float, bytes]:
    """The scene of a mesh file, metres per unit, and the file's content.

    Args:
        path: of the file.
        kind: one of ``FORMATS``.
        looks: also read materials, where that can make it slow or fail.
        beside: opens the files that they name; without it a mesh opens no other file.

    Raises:
        LoadError: the file cannot be used.
    """
    import trimesh

    error, unit, collada = of_file(path), 1.0, None
    data = content = read_bytes(path, "xml_bytes" if kind == "dae" else "mesh_bytes")

    def unreadable(text: str) -> LoadError:
        return error(f"this is not a readable {kind} file: {text}")

    with place(unreadable):
        if kind == "dae":
            from phalanx.io.reading.collada import check_collada, without_looks  # and with it a parser of XML

            collada = check_collada(data, path, unreadable)
            unit = collada.unit
            content = data if looks else without_looks(data)
        elif kind == "glb":
            _check_gltf(data, unreadable)
        elif kind == "ply":
            _check_ply(data, unreadable)
        options: dict[str, Any] = {"skip_materials": True} if kind == "obj" and not looks else {}
        if beside is not None:
            options["resolver"] = beside
        # From memory: without a resolver, a mesh cannot make us open another file.
        scene = trimesh.load_scene(io.BytesIO(content), file_type=kind, process=False, **options)
        _check_scene(scene, error)
        if collada is not None:
            collada.check(scene.geometry, error)
    return scene, unit, data


def _check_scene(scene: Any, error: Error) -> None:
    """Instances count each time."""
    placed = scene.graph.nodes_geometry
    limits.check("nodes", len(placed), error)
    sizes = {
        name: (len(getattr(part, "vertices", ())), len(getattr(part, "faces", ())))
        for name, part in scene.geometry.items()
    }
    shown = [sizes[scene.graph[node][1]] for node in placed]
    limits.check("vertices", sum(vertices for vertices, _ in shown), error)
    limits.check("triangles", sum(faces for _, faces in shown), error)


# -- glTF --------------------------------------------------------------------------------------------------------

_JSON = 0x4E4F534A


def _check_gltf(data: bytes, error: Error) -> None:
    """Refuse nodes that stand for too many, or too deep, and accessors without end."""
    if len(data) < 20 or data[:4] != b"glTF":
        raise error("it does not begin as a binary glTF file; export it again.")
    size, kind = struct.unpack_from("<II", data, 12)
    if kind != _JSON or size > len(data) - 20:
        raise error("its first part is not JSON, or is cut off; export it again.")
    document = json.loads(data[20 : 20 + size])
    if not isinstance(document, dict):
        raise error("its JSON is no object; export it again.")
    nodes, scenes, meshes = (_list(document, key, error) for key in ("nodes", "scenes", "meshes"))
    limits.check("nodes", len(nodes), error)
    limits.check("nodes", len(meshes), error)

    def inside(number: Any) -> list[tuple[Any, int]]:
        children = nodes[number].get("children", ())
        return [(child, 1) for child in children if type(child) is int and 0 <= child < len(nodes)]

    tops = {n for scene in scenes for n in scene.get("nodes", ()) if type(n) is int and 0 <= n < len(nodes)}
    for top in tops or range(len(nodes)):
        expanded(top, inside, "nodes", error)
    for accessor in _list(document, "accessors", error):
        count = accessor.get("count", 0)
        limits.check("vertices", count if type(count) is int else math.inf, error)
        if not 0 <= count <= len(data):
            raise error(f"it promises {count} vertices, more than it has room for; export it again.")


def _list(document: Mapping[str, Any], key: str, error: Error) -> list[Any]:
    found = document.get(key, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise error(f"its {key} are no list of objects; export it again.")
    return found


# -- PLY ---------------------------------------------------------------------------------------------------------

_PLY_COUNT = re.compile(rb"^\s*element\s+(\w+)\s+(\S+)\s*$", re.MULTILINE)


def _check_ply(data: bytes, error: Error) -> None:
    """Refuse counts that the file cannot hold: each item takes a byte at least."""
    head, end, _ = data.partition(b"end_header")
    if not end:
        raise error("it has no end_header; export it again.")
    for name, count in _PLY_COUNT.findall(head):
        number = int(count)
        limits.check("triangles" if name == b"face" else "vertices", number, error)
        if not 0 <= number <= len(data):
            raise error(f"it promises {number} of {name.decode()}, more than it has room for; export it again.")
