"""MJCF's flexcomp as soft bodies (dim 3), cloth (dim 2) and ropes (dim 1).

Points and their numbers are MuJoCo's. Elements of grids are our own; mass goes by volume, area or length in place of
the same for each point; springs along edges (<edge>) are those of the material.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.io.formats.element_files import read_elements
from phalanx.io.formats.mjcf import schema
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.formats.mjcf.poses import compose, tuples
from phalanx.io.formats.mjcf.tree import Flexcomp, Node
from phalanx.io.formats.mjcf.values import Values
from phalanx.io.reading import limits
from phalanx.models.meshes.cloth_mesh import ClothMesh
from phalanx.models.meshes.rope_line import RopeLine
from phalanx.models.meshes.tet_mesh import TetMesh

STIFF = {1: 1e8, 2: 1e7, 3: 1e6}
"""Pa: Young's modulus by dimension where edges keep their lengths, or nothing says how stiff it is."""

TYPES = ("grid", "direct", "gmsh")
FAN = ((0, 4, 6, 7), (0, 6, 2, 7), (0, 2, 3, 7), (0, 3, 1, 7), (0, 1, 5, 7), (0, 5, 4, 7))
"""Tetrahedra of a cell; corners are numbered 4 x + 2 y + z."""


@dataclass
class FlexModel:
    """A deformable body, ready for a world.

    ``arguments`` are those of ``add_soft_body``, ``add_cloth`` or ``add_rope``, by the kind of the mesh; ``pins`` are
    the nodes that are tied to ``node``, the body that has it. ``where`` it is: file, line and element, for errors.
    """

    name: str
    mesh: TetMesh | ClothMesh | RopeLine
    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]
    arguments: dict[str, Any]
    pins: np.ndarray
    node: Node
    where: str


def read(flex: Flexcomp, notes: Notes) -> FlexModel:
    """Read one.

    Raises:
        LoadError: it is of a type that is not read, or its elements cannot be used.
    """
    values, element = Values(flex.element), flex.element
    schema.check(element, notes)
    parts: dict[str, Values] = {}
    pins: list[Values] = []
    for child in element.children:
        if child.tag == "plugin":
            notes.add(child, "plugins are not simulated; it is left out.")
        elif child.tag not in ("contact", "elasticity", "edge", "pin"):
            raise schema.unknown(child, ["contact", "elasticity", "edge", "pin", "plugin"])
        else:
            schema.check(child, notes, f"flexcomp {child.tag}")
            parts[child.tag] = Values(child)
            pins += [Values(child)] if child.tag == "pin" else []
    dim = values.whole("dim", 2)
    if dim not in STIFF:
        raise values.error("dim", "it must be 1, 2 or 3")
    if values.flag("rigid", False):
        raise element.error("rigid flexes are not simulated; write it as a geom with a mesh.")
    if (dof := values.choice("dof", "full", ("full", "radial", "trilinear", "quadratic", "2d"))) != "full":
        notes.add(element, f'dof="{dof}" is not simulated; each of its points moves by itself.')
    points, found, count = _points(values, flex, dim)
    limits.check("vertices", len(points), element.error)
    scale = values.vector("scale", 3, (1.0, 1.0, 1.0))
    points = points * scale
    name = flex.name
    where = f"{element.file}:{element.line}: {element.label}"
    mesh: TetMesh | ClothMesh | RopeLine
    if dim == 3:
        mesh = TetMesh(points, found, where)
    elif dim == 2:
        mesh = ClothMesh(points, found, where)
    else:
        if not np.array_equal(found, np.stack([np.arange(len(points) - 1), np.arange(1, len(points))], axis=1)):
            raise element.error("of one dimension, only lines from point to point in their order are read.")
        mesh = RopeLine(points, where)
    arguments = {"mass": values.number("mass", 1.0), **_contact(parts.get("contact"), mesh, values)}
    arguments |= _material(parts, mesh, values.number("radius", 0.005), notes)
    position, orientation = tuples(compose(flex.node.world_pose(), flex.pose))
    pinned = _pinned(pins, len(points), count, dim)
    return FlexModel(name, mesh, position, orientation, arguments, pinned, flex.node, where)


def _points(values: Values, flex: Flexcomp, dim: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Points, elements, and of grids how many there are along each axis."""
    kind = values.word("type", "grid")
    if kind not in TYPES:
        raise values.error("type", f"of flexcomps, {', '.join(TYPES)} are read; make the points and elements yourself")
    if kind == "direct":
        points = values.numbers("point").reshape(-1, 3)
        return points, values.numbers("element").astype(np.int64).reshape(-1, dim + 1), None
    if kind == "gmsh":
        found = read_elements(flex.context.source.file(values))
        mesh = found.tets() if dim == 3 else found.triangles()
        if dim == 1:
            raise values.error("type", "lines are not read from files of Gmsh")
        return mesh.nodes, mesh.tets if isinstance(mesh, TetMesh) else mesh.triangles, None
    count = values.vector("count", 3, (10, 10, 10)).astype(np.int64)
    if (count[:dim] < 2).any() or ((count[dim:] != 1).any() and dim < 3):
        raise values.error("count", f"a grid of {dim} dimensions has 2 points or more along {dim} axes, 1 along others")
    limits.check("vertices", float(np.prod(count.astype(float))), flex.element.error)
    spacing = values.vector("spacing", 3, (0.02, 0.02, 0.02))
    place = np.stack(np.meshgrid(*map(np.arange, count), indexing="ij"), axis=-1).reshape(-1, 3)
    points = spacing * (place - 0.5 * (count - 1))
    number = np.arange(len(points)).reshape(count)
    if dim == 1:
        line = np.arange(len(points))
        return points, np.stack([line[:-1], line[1:]], axis=1), count
    if dim == 2:
        a, b, c, d = (number[i : count[0] - 1 + i, j : count[1] - 1 + j, 0].ravel() for i, j in _SQUARE)
        return points, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]), count
    corners = [
        number[i : count[0] - 1 + i, j : count[1] - 1 + j, k : count[2] - 1 + k].ravel()
        for i in (0, 1)
        for j in (0, 1)
        for k in (0, 1)
    ]
    return points, np.concatenate([np.stack([corners[n] for n in path], axis=1) for path in FAN]), count


_SQUARE = ((0, 0), (1, 0), (1, 1), (0, 1))


def _contact(contact: Values | None, mesh: TetMesh | ClothMesh | RopeLine, values: Values) -> dict[str, Any]:
    radius = values.number("radius", 0.005)
    found: dict[str, Any] = {"rest_offset": radius} if not isinstance(mesh, RopeLine) else {}
    if contact is None:
        return {**found, "friction": 1.0}
    found["friction"] = float(contact.vector("friction", 3, (1.0, 0.005, 0.0001), least=1)[0])
    if contact.whole("contype", 1) == 0 and contact.whole("conaffinity", 1) == 0:
        found["collision_mask"] = []
    if contact.word("selfcollide", "auto") != "none" and not isinstance(mesh, RopeLine):
        found["touches_cloth"] = True
        triangles = mesh if isinstance(mesh, ClothMesh) else ClothMesh(*_compact(mesh))
        found["touch_offset"] = min(max(radius, 1e-4), 0.2 * triangles.least_height)
    return found


def _compact(mesh: TetMesh) -> tuple[np.ndarray, np.ndarray]:
    used, numbers = np.unique(mesh.surface, return_inverse=True)
    return mesh.nodes[used], numbers.reshape(-1, 3)


def _material(
    parts: dict[str, Values], mesh: TetMesh | ClothMesh | RopeLine, radius: float, notes: Notes
) -> dict[str, Any]:
    """Elasticity, of MuJoCo's or, where only edges are stiff, of a material that is."""
    dim = 3 if isinstance(mesh, TetMesh) else 2 if isinstance(mesh, ClothMesh) else 1
    elastic, edge = parts.get("elasticity"), parts.get("edge")
    young = 0.0 if elastic is None else elastic.number("young", 0.0)
    nu = 0.0 if elastic is None else elastic.number("poisson", 0.0)
    if elastic is not None and elastic.number("damping", 0.0):
        notes.add(elastic.element, "damping of elastic motion is not simulated.")
    if young <= 0.0:
        young = STIFF[dim]
        what = edge.element if edge is not None else None
        if what is not None:
            notes.add(what, f"edges are as stiff as a material of {young:g} Pa makes them.")
    if dim == 3:
        return {"youngs_modulus": young, "poissons_ratio": min(nu, 0.499)}
    if dim == 1:
        return {"youngs_modulus": young, "radius": radius, "bending_stiffness": 0.0}
    thickness = elastic.number("thickness", 0.0) if elastic is not None else 0.0
    thickness = thickness if thickness > 0.0 else 2 * radius
    flat = "none" if elastic is None else elastic.choice("elastic2d", "none", ("none", "bend", "stretch", "both"))
    found = {"youngs_modulus": young, "poissons_ratio": min(nu, 0.499), "thickness": thickness}
    return found if flat in ("bend", "both") else {**found, "bending_stiffness": 0.0}


def _pinned(pins: list[Values], points: int, count: np.ndarray | None, dim: int) -> np.ndarray:
    """(n,): numbers of the points that are pinned."""
    chosen = np.zeros(points, bool)
    number = None if count is None else np.arange(points).reshape(count)
    for pin in pins:
        for name, width in (("id", 1), ("range", 2), ("grid", dim), ("gridrange", 2 * dim)):
            if not pin.has(name):
                continue
            rows = pin.numbers(name)
            if len(rows) % width:
                raise pin.error(name, f"it must have {width} numbers for each")
            if name.startswith("grid") and number is None:
                raise pin.error(name, "it is no grid")
            for row in rows.astype(np.int64).reshape(-1, width).tolist():
                low, high = row[: (width + 1) // 2], row[width // 2 :]
                if name == "grid":
                    low = high = row
                most = [points] if number is None or not name.startswith("grid") else list(number.shape)[:dim]
                if any(a < 0 or b >= m for a, b, m in zip(low, high, most, strict=True)):
                    raise pin.error(name, "there is no such point")
                if name in ("id", "range"):
                    chosen[low[0] : high[-1] + 1] = True
                else:
                    assert number is not None
                    box = tuple(slice(a, b + 1) for a, b in zip(low, high, strict=True))
                    chosen[number[box].ravel()] = True
    return np.flatnonzero(chosen)
