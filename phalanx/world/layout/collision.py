"""Fill the tables of collision: shapes, planes, probe points, allowed pairs; and say how many contacts to keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components import shape as kinds
from phalanx.models.actor_spec import DYNAMIC, Part
from phalanx.models.articulation import CollisionData
from phalanx.models.meshes.hulls import Hull
from phalanx.models.meshes.signed_distance import DistanceField
from phalanx.models.primitives import OF_KIND
from phalanx.models.surface import Ground, Material
from phalanx.systems.collision.planes import MOST_POINTS
from phalanx.world.layout.columns import Columns
from phalanx.world.layout.geometry import GeometryTables

LONGEST_LIST = 20_000
"""Allowed pairs are tested one by one up to so many; among more, bounds are sorted along an axis."""

AUTOMATIC_CONTACTS = 48
CONTACTS_PER_SHAPE = 10
"""Contact slots per environment to begin with: so many, and so many for each shape that may meet others."""

AUTOMATIC_CANDIDATES = 64
CANDIDATES_PER_SHAPE = 12
"""The same for candidates."""

MANIFOLD_POINTS = 4
MESH_MANIFOLD_POINTS = 8
"""Contact points per pair of shapes: of convex shapes, and in worlds that have meshes, height or distance fields."""


@dataclass
class PlacedShape:
    """A collision shape of a part, with the rows of what carries it."""

    part: int
    data: CollisionData
    link: int
    body: int
    dof: int
    tree: range
    """Dofs of its tree if its link can move, else empty."""


@dataclass
class Capacity:
    """Numbers of rows that follow from what may touch."""

    contacts: int
    candidates: int
    manifold_points: int
    window: int
    """Most dofs that one contact can move."""
    groups: int
    """Most groups of four dofs, each of one tree, that it can."""
    most: tuple[int, int]
    """How many candidates and contacts there can be."""


def place_shapes(
    columns: Columns,
    parts: Sequence[Part],
    grounds: Sequence[Ground],
    shapes: list[PlacedShape],
    contact_offset: float,
    geometry: GeometryTables,
) -> None:
    """Rows of shapes, those of planes last, and of the hulls, meshes and height fields that they refer to.

    A plane's own contact offset is 0, so ``contact_offset``, that of shapes, is where contacts with the ground begin.
    """
    carried = Counter(shape.link for shape in shapes)
    for shape in shapes:
        part, data = parts[shape.part], shape.data
        offset = contact_offset if part.contact_offset is None else part.contact_offset
        rest = part.rest_offset
        if (own := data.shape) is not None:
            if own.rest_offset is not None:
                rest, offset = own.rest_offset, offset + own.rest_offset
            offset = offset if own.contact_offset is None else own.contact_offset
        sole = carried[shape.link] == 1
        _add_shape(
            columns, data, material_of(part, data), shape.link, shape.body, shape.dof, sole, offset, rest, geometry
        )
    for ground in grounds:
        plane = CollisionData(-1, -1, kinds.PLANE, np.zeros(3), np.zeros(3), np.array([1.0, 0, 0, 0]))
        _add_shape(columns, plane, ground.material, -1, -1, -1, False, 0.0, 0.0, geometry)


def material_of(part: Part, data: CollisionData) -> Material:
    """What a shape is made of: its own material, unless one was given for all of its part."""
    own = data.shape
    if own is None or not own.material or part.material_given:
        return part.material
    return Material.of(f"shape {own.name!r}", part.material, **own.material)


def _add_shape(
    columns: Columns,
    data: CollisionData,
    material: Material,
    link: int,
    body: int,
    dof: int,
    sole: bool,
    contact_offset: float,
    rest_offset: float,
    geometry: GeometryTables,
) -> None:
    columns.add(
        {
            c.ShapeTopology.kind: data.kind,
            c.ShapeTopology.link: link,
            c.ShapeTopology.body: body,
            c.ShapeTopology.dof: dof,
            c.ShapeTopology.sole: int(sole),
            **geometry.add(data.geometry).fields(),
            c.ShapeGeometry.size: data.size,
            c.ShapeGeometry.position: data.position,
            c.ShapeGeometry.orientation: data.orientation,
            c.ShapeGeometry.low: data.low,
            c.ShapeGeometry.high: data.high,
            c.ShapeGeometry.contact_offset: contact_offset,
            c.ShapeGeometry.rest_offset: rest_offset,
            c.ShapeMaterial.static_friction: material.static_friction,
            c.ShapeMaterial.dynamic_friction: material.dynamic_friction,
            c.ShapeMaterial.restitution: material.restitution,
            c.ShapeMaterial.friction_mode: material.friction_mode,
            c.ShapeMaterial.restitution_mode: material.restitution_mode,
            c.ShapeMaterial.torsional_patch_radius: material.torsional_patch_radius,
            c.ShapeMaterial.min_torsional_patch_radius: material.min_torsional_patch_radius,
            c.ShapeMaterial.contact_stiffness: material.contact_stiffness,
            c.ShapeMaterial.contact_damping: material.contact_damping,
            c.ShapeMaterial.contact_series: material.contact_mode,
        }
    )


# -- planes --------------------------------------------------------------------------------------------------


def place_planes(columns: Columns, grounds: Sequence[Ground], parts: Sequence[Part], shapes: list[PlacedShape]) -> int:
    """Planes, and the probe points of every shape that may meet them; returns how many contacts there can be."""
    points = potential = 0
    for number, ground in enumerate(grounds):
        normal = np.array(ground.normal, float)
        normal /= np.linalg.norm(normal)
        tangent = np.cross([0.0, 1.0, 0.0] if abs(normal[1]) < 0.9 else [0.0, 0.0, 1.0], normal)
        columns.add(
            {
                c.GroundPlane.normal: normal,
                c.GroundPlane.tangent: tangent / np.linalg.norm(tangent),
                c.GroundPlane.offset: ground.height * normal[2] if normal[2] else ground.height,
            }
        )
        other = len(shapes) + number
        for row, shape in enumerate(shapes):
            part = parts[shape.part]
            allowed = part.mask >> ground.group & 1 and ground.mask >> part.group & 1
            allowed = allowed and _types_meet(*_types(shape), ground.contact_type, ground.contact_affinity)
            if not yields(parts, shape) or not allowed:
                continue
            found = probes(shape.data)
            if not found:
                continue
            columns.add(
                {
                    c.PlanePairTopology.plane: number,
                    c.PlanePairTopology.a: row,
                    c.PlanePairTopology.b: other,
                    c.PlanePairTopology.first_point: points,
                    c.PlanePairTopology.end_point: points + len(found),
                }
            )
            for rim, position, axis, radius in found:
                columns.add(
                    {
                        c.PointTopology.plane: number,
                        c.PointTopology.shape: row,
                        c.PointTopology.other: other,
                        c.PointTopology.link: shape.link,
                        c.PointTopology.dof: shape.dof,
                        c.PointTopology.rim: rim,
                        c.PointGeometry.position: position,
                        c.PointGeometry.axis: axis,
                        c.PointGeometry.radius: radius,
                    }
                )
            points += len(found)
            potential += min(len(found), MOST_POINTS)
    return potential


def probes(data: CollisionData) -> list[tuple[int, np.ndarray, np.ndarray, float]]:
    """Points of a shape that may be the lowest: (rim, position, axis, radius) each, in the link's frame."""
    turned = data.matrix
    none = np.zeros(3)

    def fixed(points: Any, radius: float) -> list[tuple[int, np.ndarray, np.ndarray, float]]:
        return [(-1, data.position + turned @ np.asarray(p, float), none, radius) for p in points]

    if data.kind in OF_KIND:
        each = OF_KIND[data.kind]
        sizes = [float(v) for v in data.size[: each.sizes]]
        height, radius = each.rims(*sizes)[0] if each.rim_points else (0.0, 0.0)
        rim = [(k, data.position, turned @ np.array([0, 0, height]), radius) for k in each.rim_points]
        return rim + fixed(*each.ends(*sizes))
    if isinstance(data.geometry, Hull):
        return fixed(data.geometry.vertices, 0.0)
    if isinstance(data.geometry, DistanceField):  # what a plane meets first is a corner of the hull
        return fixed(data.geometry.corners, 0.0)
    return []


# -- pairs ---------------------------------------------------------------------------------------------------


@dataclass
class Pairs:
    """Which shapes may meet."""

    allowed: np.ndarray
    """(n, 2) shapes, the lower kind first, in the order of the lower number of the two and then of the higher."""
    barred: np.ndarray
    """(m, 2) shapes, the lower number first: what groups, masks and parts would let through, but a list forbids."""


def find_pairs(
    parts: Sequence[Part],
    shapes: list[PlacedShape],
    disabled_parts: Sequence[tuple[int, int]],
    disabled_links: Sequence[tuple[int, int]] = (),
    disabled_bodies: Sequence[tuple[int, int]] = (),
) -> Pairs:
    """Apply all filters to all pairs of shapes."""
    none = np.zeros((0, 2), np.int64)
    if len(shapes) < 2:
        return Pairs(none, none)
    owner = np.array([s.part for s in shapes])
    kind = np.array([s.data.kind for s in shapes])
    moved = np.array([yields(parts, s) for s in shapes])
    group = np.array([parts[s.part].group for s in shapes], np.int64)
    mask = np.array([parts[s.part].mask for s in shapes], np.int64)
    a, b = np.triu_indices(len(shapes), 1)
    keep = moved[a] | moved[b]
    keep &= (mask[a] >> group[b] & 1 == 1) & (mask[b] >> group[a] & 1 == 1)
    keep &= ~(kinds.is_surface(kind[a]) & kinds.is_surface(kind[b]))
    selves = np.array([part.self_collision for part in parts])
    keep &= (owner[a] != owner[b]) | selves[owner[a]]
    a, b = a[keep], b[keep]
    off = np.zeros((len(parts), len(parts)), bool)
    for i, j in disabled_parts:
        off[i, j] = off[j, i] = True
    bar = off[owner[a], owner[b]]
    types, affinities = np.array([_types(s) for s in shapes]).T
    bar |= ~_types_meet(types[a], affinities[a], types[b], affinities[b])
    link = np.array([s.link for s in shapes])
    for i, j in disabled_links:
        bar |= ((link[a] == i) & (link[b] == j)) | ((link[a] == j) & (link[b] == i))
    body = np.array([s.body for s in shapes])
    for i, j in disabled_bodies:
        bar |= ((body[a] == i) & (body[b] == j)) | ((body[a] == j) & (body[b] == i))
    inner = np.flatnonzero(owner[a] == owner[b])
    listed = {p: _Barred(parts[p]) for p in set(owner[a[inner]].tolist())}
    for n in inner:
        bar[n] |= listed[owner[a[n]]].has(shapes[a[n]].data, shapes[b[n]].data)
    barred = np.stack([a[bar], b[bar]], axis=1)
    a, b = a[~bar], b[~bar]
    swap = kind[a] > kind[b]  # the order stays that of the numbers, as it is where pairs are found by sorting
    return Pairs(np.stack([np.where(swap, b, a), np.where(swap, a, b)], axis=1), barred)


def yields(parts: Sequence[Part], shape: PlacedShape) -> bool:
    """Whether contacts can move a shape: nothing pushes what does not move, nor what moves as it is told."""
    return len(shape.tree) > 0 and parts[shape.part].kind == DYNAMIC


def _types(shape: PlacedShape) -> tuple[int, int]:
    """Contact type and affinity of a shape."""
    own = shape.data.shape
    return (1, 1) if own is None else (own.contact_type, own.contact_affinity)


def _types_meet(type_a: Any, affinity_a: Any, type_b: Any, affinity_b: Any) -> Any:
    """Whether contact types and affinities let two shapes meet."""
    return ((type_a & affinity_b) | (type_b & affinity_a)) != 0


class _Barred:
    """Pairs of links and of bodies of one part that must not meet."""

    def __init__(self, part: Part) -> None:
        self.bodies = {tuple(sorted(pair)) for pair in part.disabled_bodies}
        self.links = set()
        links = part.articulation.links
        for i, link in enumerate(links):
            p = link.parent
            based = part.base_collision and part.articulation.fixed_base
            while p > 0 or (p == 0 and not based):  # to the parent, past links without mass (as a planar joint has)
                self.links.add((p, i))
                if links[p].mass > 0:
                    break
                p = links[p].parent

    def has(self, a: CollisionData, b: CollisionData) -> bool:
        """Whether a joint connects their links, they are on one link, or their bodies are listed."""
        links, bodies = tuple(sorted((a.link, b.link))), tuple(sorted((a.body, b.body)))
        return a.link == b.link or links in self.links or bodies in self.bodies


def place_pairs(
    columns: Columns, parts: Sequence[Part], shapes: list[PlacedShape], planes: int, pairs: Pairs, longest: int
) -> None:
    """The list of allowed pairs, up to the longest; or what is needed to find those that are near each other."""
    if len(pairs.allowed) <= longest:
        for a, b in pairs.allowed.tolist():
            columns.add({c.PairTopology.a: a, c.PairTopology.b: b})
        return
    for row, shape in enumerate(shapes):
        part = parts[shape.part]
        columns.add(
            {
                c.ShapeFilter.part: shape.part,
                c.ShapeFilter.yields: int(yields(parts, shape)),
                c.ShapeFilter.self_collision: int(part.self_collision),
                c.ShapeFilter.group: part.group,
                c.ShapeFilter.mask: part.mask - (1 << 32 if part.mask >> 31 else 0),
                c.ShapeOrder.shape: row,
            }
        )
    for plane in range(planes):
        columns.add({f: 0 for f in c.ShapeFilter.fields()} | {c.ShapeOrder.shape: len(shapes) + plane})
    count = len(shapes) + planes
    for key in sorted(a * count + b for a, b in pairs.barred.tolist()):
        columns.add({c.BarredPairKey.key: key})


def capacity(
    shapes: list[PlacedShape], pairs: np.ndarray, plane_contacts: int, most: int | None, few: bool = False
) -> Capacity:
    """How many slots to begin with; they grow when they are not enough, unless the user has said how many.

    Args:
        few: one of each, as the world gives itself more at once.
    """
    kind = np.array([s.data.kind for s in shapes], int)
    width = MESH_MANIFOLD_POINTS if len(pairs) and not kinds.is_convex(kind[pairs]).all() else MANIFOLD_POINTS
    meeting = len(np.unique(pairs)) if len(pairs) else 0
    candidates = min(len(pairs), AUTOMATIC_CANDIDATES + CANDIDATES_PER_SHAPE * meeting)
    potential = plane_contacts + width * len(pairs)
    contacts = min(potential, (AUTOMATIC_CONTACTS + CONTACTS_PER_SHAPE * meeting) if most is None else most)
    if few:
        candidates, contacts = min(candidates, 1), min(contacts, 1)
    window = max((len(s.tree) for s in shapes), default=0)
    groups = -(-window // 4)
    trees = np.array([(s.tree.start, len(s.tree)) for s in shapes]).reshape(-1, 2)
    if len(pairs):
        first, size = trees[:, 0], trees[:, 1]
        a, b = pairs.T
        same = (first[a] == first[b]) & (size[a] > 0) & (size[b] > 0)
        window = max(window, int(np.where(same, size[a], size[a] + size[b]).max()))
        size = -(-size // 4)
        groups = max(groups, int(np.where(same, size[a], size[a] + size[b]).max()))
    return Capacity(contacts, candidates, candidates * width, window, groups, (len(pairs), potential))
