"""Fill the engine's tables from articulations and grounds: runs once, when a world is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phalanx import components as c
from phalanx.components.fluid import FluidBox, FluidBoxModel, FluidBoxTopology
from phalanx.components.island import LINK, ROW
from phalanx.components.link import PRISMATIC, REVOLUTE, SPHERICAL
from phalanx.components.shape import is_round
from phalanx.ecs import Store, Table
from phalanx.models.actor_spec import DYNAMIC, KINEMATIC, Part
from phalanx.models.articulation import NUM_COORDS, NUM_DOFS, Articulation
from phalanx.models.surface import Ground
from phalanx.world.layout.collision import (
    LONGEST_LIST,
    PlacedShape,
    capacity,
    find_pairs,
    place_pairs,
    place_planes,
    place_shapes,
)
from phalanx.world.layout.columns import Columns
from phalanx.world.layout.geometry import GeometryTables

LEAST_MOMENT = 1e-15
"""kg m^2, of a body's box in a fluid, as in MuJoCo."""


@dataclass
class Rows:
    """Where one robot's entities are: half-open ranges of rows."""

    links: slice
    dofs: slice
    coords: slice
    bodies: slice
    tree: int
    shapes: range


@dataclass(frozen=True)
class Layout:
    """What :func:`fill` made."""

    rows: list[Rows]
    """Of each part."""
    kind_pairs: set[tuple[int, int]]
    """Kinds of shapes that may meet, the lower first."""
    moving_trees: int
    """Parts that have dofs."""
    pieces: bool
    """Whether shapes with flat faces may lie side by side: on one link, on links of robots, or where none can move."""
    single: bool
    """Whether some body flies alone, a robot of one link or an object."""
    walls: bool
    """Whether what moves freely may meet a shape, other than a ground, that contacts do not move."""
    free: bool
    """Whether some root is free."""
    many_pairs: bool
    """Whether bounds are sorted, as allowed pairs are too many to list."""
    shapes: list[PlacedShape]
    """Of all parts; those of grounds come behind them."""
    dof_parents: list[int]
    """The dof above each, or -1."""
    most_slots: tuple[int, int]
    """How many candidates and contacts there can be."""


def fill(
    store: Store,
    parts: Sequence[Part],
    grounds: Sequence[Ground],
    *,
    contact_offset: float,
    max_contacts: int | None = None,
    few_slots: bool = False,
    disabled_parts: Sequence[tuple[int, int]] = (),
    disabled_links: Sequence[tuple[tuple[int, int], tuple[int, int]]] = (),
    disabled_bodies: Sequence[tuple[tuple[int, int], tuple[int, int]]] = (),
) -> Layout:
    """Set the rows of all of the engine's tables and write every topology and parameter field.

    Args:
        contact_offset: of the shapes of parts that have none of their own, m.
        max_contacts: contact slots per environment; ``None``: as many as seem enough to begin with.
        disabled_parts: pairs of parts (their numbers) that do not collide.
        disabled_links, disabled_bodies: pairs (number of the part, number in it) that do not collide.
    """
    columns = Columns()
    ranges: list[Rows] = []
    dof_parents: list[int] = []
    count: dict[str, int] = dict.fromkeys(("link", "dof", "coord", "body", "mimic", "relation"), 0)
    shapes: list[PlacedShape] = []
    for number, part in enumerate(parts):
        start = dict(count)
        last_dof = _add_links(columns, number, part, count, dof_parents)
        _add_frames(columns, part.articulation, start["link"], count)
        _add_fluid_boxes(columns, part.articulation, start["link"], start["body"])
        first_shape = len(shapes)
        dofs = range(start["dof"], count["dof"])
        for data in part.articulation.collisions:
            dof = last_dof[data.link]
            tree = dofs if dof >= 0 else range(0)
            shapes.append(PlacedShape(number, data, start["link"] + data.link, start["body"] + data.body, dof, tree))
        columns.add(
            {
                c.TreeTopology.first_dof: start["dof"],
                c.TreeTopology.end_dof: count["dof"],
                c.TreeTopology.is_free: int(not part.articulation.fixed_base),
                c.TreeTopology.spherical: int(_has_pivots(part.articulation)),
                c.TreeTopology.yields: int(part.kind == DYNAMIC and count["dof"] > start["dof"]),
                c.TreeTopology.first_link: start["link"],
                c.TreeTopology.end_link: count["link"],
                c.TreeTopology.first_coord: start["coord"],
                c.TreeTopology.end_coord: count["coord"],
                c.TreeSleep.threshold: part.sleep_threshold,
                c.TreeSleep.stabilization_threshold: part.stabilization_threshold,
                c.TreeLimits.linear_velocity: part.max_linear_velocity,
                c.TreeLimits.angular_velocity: part.max_angular_velocity,
            }
        )
        _add_mimics(columns, part.articulation, start["dof"], count)
        ranges.append(
            Rows(
                slice(start["link"], count["link"]),
                slice(start["dof"], count["dof"]),
                slice(start["coord"], count["coord"]),
                slice(start["body"], count["body"]),
                number,
                range(first_shape, len(shapes)),
            )
        )
    entries = _add_chains(columns, dof_parents)
    trees = [(r.dofs.start, r.dofs.stop) for r in ranges]
    walk = _add_walks(columns, dof_parents, trees)
    links = _add_island_links(columns, dof_parents, trees, walk, {shape.dof for shape in shapes})
    geometry = GeometryTables()
    place_shapes(columns, parts, grounds, shapes, contact_offset, geometry)
    plane_contacts = place_planes(columns, grounds, parts, shapes)
    apart = [tuple(ranges[part].links.start + link for part, link in pair) for pair in disabled_links]
    kept = [tuple(ranges[part].bodies.start + body for part, body in pair) for pair in disabled_bodies]
    longest = 0 if few_slots else LONGEST_LIST
    pairs = find_pairs(parts, shapes, disabled_parts, [(a, b) for a, b in apart], [(a, b) for a, b in kept])
    place_pairs(columns, parts, shapes, len(grounds), pairs, longest)
    room = capacity(shapes, pairs.allowed, plane_contacts, max_contacts, few_slots)
    widest = max((-(-(r.dofs.stop - r.dofs.start) // 4) for r in ranges), default=0)
    moves = _moves(dof_parents, trees)
    for table, size in (
        (c.World, 1),
        (c.Tree, len(parts)),
        (c.Link, count["link"]),
        (c.Body, count["body"]),
        (FluidBox, columns.count(FluidBoxModel.mass)),
        (c.Dof, count["dof"]),
        (c.Coord, count["coord"]),
        (c.DofPair, len(moves)),
        (c.Mimic, count["mimic"]),
        (c.Pivot, columns.count(c.PivotTopology.dof)),
        (c.MassEntry, entries),
        (c.Shape, len(shapes) + len(grounds)),
        (c.Plane, len(grounds)),
        (c.PlanePair, columns.count(c.PlanePairTopology.plane)),
        (c.PlanePoint, columns.count(c.PointTopology.plane)),
        (c.AllowedPair, columns.count(c.PairTopology.a)),
        (c.BarredPair, columns.count(c.BarredPairKey.key)),
        (c.Candidate, room.candidates),
        (c.ManifoldPoint, room.manifold_points),
        (c.Contact, room.contacts),
        (c.ContactRow, room.contacts * room.window),
        (c.IslandRowFour, room.contacts * 3 * room.groups),
        (c.IslandDofFour, count["dof"] * (widest + ROW // 4)),
        (c.IslandLinkFour, max(links, 1) * (LINK // 4 + 6 * widest)),
    ):
        store.set_rows(table, size)
    columns.write(store)
    geometry.write(store)
    if len(moves):
        store.set(c.DofRelation.moves, moves[:, None])
    kinds = np.array([s.data.kind for s in shapes], int)[pairs.allowed]
    met = {(a, b) for a, b in np.unique(kinds, axis=0).tolist()} if len(kinds) else set()
    moving = sum(r.dofs.stop > r.dofs.start for r in ranges)
    pieces = _side_by_side(parts, shapes, pairs.allowed, len(grounds) > 0)
    single = any(_is_single(part) for part in parts)
    walls = _meets_walls(parts, shapes, pairs.allowed)
    free = any(not part.articulation.fixed_base for part in parts)
    many = len(pairs.allowed) > longest
    return Layout(ranges, met, moving, pieces, single, walls, free, many, shapes, dof_parents, room.most)


def _is_single(part: Part) -> bool:
    """Whether it is one body that may fly."""
    return part.kind == DYNAMIC and not part.articulation.fixed_base and len(part.articulation.links) == 1


def _meets_walls(parts: Sequence[Part], shapes: Sequence[PlacedShape], allowed: np.ndarray) -> bool:
    """Whether a body or link that contacts move may meet a shape that they do not, of something else."""
    owner = np.array([shape.part for shape in shapes], int)
    stands = np.array([shape.dof < 0 or parts[shape.part].kind != DYNAMIC for shape in shapes], bool)
    flies = ~stands
    one, other = np.asarray(allowed, int).reshape(-1, 2).T
    met = (flies[one] & stands[other]) | (flies[other] & stands[one])
    return bool((met & (owner[one] != owner[other])).any())


def _side_by_side(parts: Sequence[Part], shapes: Sequence[PlacedShape], allowed: np.ndarray, grounds: bool) -> bool:
    """Whether what slides may meet seams, see ``Layout.pieces``; loose bodies of one shape each are no tiles."""
    flat = np.array([not is_round(shape.data.kind) for shape in shapes], bool)
    yields = np.array([shape.dof >= 0 and parts[shape.part].kind == DYNAMIC for shape in shapes], bool)
    bodies = [shape.link if yields[i] else -1 for i, shape in enumerate(shapes) if flat[i]]
    if len(set(bodies)) < len(bodies) or (grounds and -1 in bodies):
        return True
    robots = [part.articulation.fixed_base or len(part.articulation.links) > 1 for part in parts]
    jointed = flat & yields & np.array([robots[shape.part] for shape in shapes], bool)
    if jointed.sum() + (1 if grounds or -1 in bodies else 0) < 2 or len(allowed) == 0:
        return False
    part, moves = np.array([shape.part for shape in shapes]), np.array([shape.dof >= 0 for shape in shapes], bool)
    one, other = np.asarray(allowed).T
    apart = part[one] != part[other]
    return bool((apart & ((jointed[one] & moves[other]) | (jointed[other] & moves[one]))).any())


def grow_slots(store: Store, table: Table, wanted: int) -> None:
    """Give a world so many slots for contacts or candidates, and what each of them has room for."""
    inner = (c.ContactRow, c.IslandRowFour) if table is c.Contact else (c.ManifoldPoint,)
    widths = [store.rows(one) // max(store.rows(table), 1) for one in inner]
    store.grow(table, wanted)
    for one, width in zip(inner, widths, strict=True):
        store.grow(one, wanted * width)


def _add_links(columns: Columns, tree: int, part: Part, count: dict[str, int], dof_parents: list[int]) -> list[int]:
    """Links, their dofs, and the tree; returns the last dof of each link."""
    robot = part.articulation
    held = (True,) * 6 if part.kind == KINEMATIC else part.locked_axes
    push = -1.0 if part.max_depenetration_velocity is None else part.max_depenetration_velocity
    first_link, tree_first = count["link"], count["dof"]
    tree_end = tree_first + robot.num_velocities
    mimicked = _mimicked(robot)
    pivots = _has_pivots(robot)
    relations = count["relation"]
    count["relation"] += robot.num_velocities**2
    last_dof: list[int] = []
    name = 0
    for link in robot.links:
        kind = link.joint_type
        parent = first_link + link.parent if link.parent >= 0 else -1
        base = last_dof[link.parent] if link.parent >= 0 else -1
        dofs = NUM_DOFS[kind]
        inertia = link.inertia
        scalar = kind in (REVOLUTE, PRISMATIC)
        if pivots and dofs >= 3:
            columns.add({c.PivotTopology.dof: count["dof"] + dofs - 3})
        for k in range(dofs):
            d = count["dof"] + k
            dof_parents.append(base if k == 0 else d - 1)
            joint = link.joint
            columns.add(
                {
                    c.DofTopology.parent: dof_parents[-1],
                    c.DofTopology.base: base,
                    c.DofTopology.link: count["link"],
                    c.DofTopology.is_last: int(k == dofs - 1),
                    c.DofTopology.angular: int(kind != PRISMATIC and not (dofs == 6 and k < 3)),
                    c.DofTopology.axis: -1 if scalar else k % 3,
                    c.DofTopology.coord: count["coord"] if scalar else -1,
                    c.DofTopology.scalar: int(scalar),
                    c.DofTopology.mimicked: int(scalar and robot.dof_names[name] in mimicked),
                    c.DofTopology.tree_first: tree_first,
                    c.DofTopology.tree_end: tree_end,
                    c.DofTopology.turns: int(pivots and not scalar),
                    c.DofTopology.relations: relations + (d - tree_first) * (tree_end - tree_first) - tree_first,
                    c.DofModel.prescribed: int(joint is None and held[k]),
                    c.DofModel.max_depenetration_velocity: push,
                    c.DofModel.armature: joint.armature if joint else 0.0,
                    c.DofModel.damping: joint.damping if joint else 0.0,
                    c.DofModel.friction: joint.friction if joint else 0.0,
                    c.DofSpring.stiffness: joint.stiffness if joint and scalar else 0.0,
                    c.DofSpring.rest: joint.rest_position if joint else 0.0,
                    c.DofModel.static_friction: joint.static_friction if joint else 0.0,
                    c.DofLimit.restitution: joint.limit_restitution if joint else 0.0,
                    c.DofLimit.stiffness: joint.limit_stiffness if joint else 0.0,
                    c.DofLimit.damping: joint.limit_damping if joint else 0.0,
                    c.DofLimit.lower: joint.lower if joint and scalar else -np.inf,
                    c.DofLimit.upper: joint.upper if joint and scalar else np.inf,
                    c.DofLimit.velocity: joint.velocity_limit if joint and scalar else np.inf,
                }
            )
            if joint is not None:
                name += 1
        last_dof.append(count["dof"] + dofs - 1 if dofs else base)
        columns.add(
            {
                c.LinkTopology.parent: parent,
                c.LinkTopology.joint_type: kind,
                c.LinkTopology.coord: count["coord"],
                c.LinkTopology.first_dof: count["dof"],
                c.LinkTopology.last_dof: last_dof[-1],
                c.LinkTopology.root: first_link,
                c.LinkTopology.tree: tree,
                c.JointFrame.position: link.position,
                c.JointFrame.orientation: link.orientation,
                c.JointFrame.axis: link.axis,
                c.LinkInertia.mass: link.mass,
                c.LinkInertia.com: link.com,
                c.LinkInertia.inertia: inertia[np.triu_indices(3)],
                c.LinkDynamics.gravity_scale: part.gravity_scale * link.gravity_scale,
                c.LinkDynamics.linear_damping: part.linear_damping,
                c.LinkDynamics.angular_damping: part.angular_damping,
                c.LinkDynamics.gyroscopic: float(part.gyroscopic_forces),
            }
        )
        count["link"] += 1
        count["dof"] += dofs
        count["coord"] += NUM_COORDS[kind]
    return last_dof


def _add_frames(columns: Columns, robot: Articulation, first_link: int, count: dict[str, int]) -> None:
    first = count["body"]
    for frame in robot.frames:
        columns.add(
            {
                c.BodyFrame.link: first_link + frame.link,
                c.BodyFrame.position: frame.position,
                c.BodyFrame.orientation: frame.orientation,
                c.BodyTopology.parent: first + frame.parent if frame.parent >= 0 else -1,
                c.BodyTopology.carrier: first + frame.carrier,
                c.BodyInertia.mass: frame.mass,
                c.BodyInertia.com: frame.com,
                c.BodyInertia.inertia: frame.inertia[np.triu_indices(3)],
            }
        )
        count["body"] += 1


def _add_fluid_boxes(columns: Columns, robot: Articulation, first_link: int, first_body: int) -> None:
    """Boxes of bodies that move through a fluid: those that have the same mass and principal moments."""
    for number, frame in enumerate(robot.frames):
        medium = frame.medium
        still = robot.fixed_base and frame.link == 0
        if medium is None or still or not frame.mass > 0.0 or not (medium.density or medium.viscosity):
            continue
        moments, axes = np.linalg.eigh(frame.inertia)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        squares = 6.0 / frame.mass * np.maximum(moments.sum() - 2.0 * moments, LEAST_MOMENT)
        columns.add(
            {
                FluidBoxTopology.link: first_link + frame.link,
                FluidBoxTopology.body: first_body + number,
                FluidBoxModel.mass: frame.mass,
                FluidBoxModel.moments: np.maximum(moments, LEAST_MOMENT),
                FluidBoxModel.sides: np.sqrt(squares),
                FluidBoxModel.com: frame.com,
                FluidBoxModel.axes: axes.ravel(),
                FluidBoxModel.density: medium.density,
                FluidBoxModel.viscosity: medium.viscosity,
                FluidBoxModel.wind: medium.wind,
            }
        )


def _has_pivots(robot: Articulation) -> bool:
    return any(link.joint_type == SPHERICAL for link in robot.links)


def _mimicked(robot: Articulation) -> set[str]:
    names: set[str] = set()
    for link in robot.links:
        if link.joint is not None and link.joint.mimic is not None:
            names |= {link.joint.name, link.joint.mimic.joint}
    return names


def _add_mimics(columns: Columns, robot: Articulation, first_dof: int, count: dict[str, int]) -> None:
    root_dofs = robot.num_velocities - len(robot.dof_names)
    for link in robot.links:
        if link.joint is None or link.joint.mimic is None:
            continue
        mimic = link.joint.mimic
        columns.add(
            {
                c.MimicConstraint.follower: first_dof + root_dofs + robot.dof_names.index(link.joint.name),
                c.MimicConstraint.leader: first_dof + root_dofs + robot.dof_names.index(mimic.joint),
                c.MimicConstraint.multiplier: mimic.multiplier,
                c.MimicConstraint.offset: mimic.offset,
            }
        )
        count["mimic"] += 1


def _add_chains(columns: Columns, dof_parents: list[int]) -> int:
    """Rows of the mass matrix; returns the number of entries."""
    entries = 0
    for d in range(len(dof_parents)):
        length, a = 0, d
        while a >= 0:
            columns.add({c.MassTopology.row: d, c.MassTopology.column: a})
            length, a = length + 1, dof_parents[a]
        columns.add({c.DofTopology.chain: entries, c.DofTopology.depth: length})
        entries += length
    return entries


def _add_walks(columns: Columns, dof_parents: list[int], trees: list[tuple[int, int]]) -> list[int]:
    """The dofs of each tree, a half-open range of them, depth first: one list for all."""
    walk: list[int] = []
    sizes = [1] * len(dof_parents)
    for first, end in trees:
        children: dict[int, list[int]] = {}
        for d in reversed(range(first, end)):
            children.setdefault(dof_parents[d], []).append(d)
            if dof_parents[d] >= 0:
                sizes[dof_parents[d]] += sizes[d]
        left = children.get(-1, [])
        while left:
            walk.append(left.pop())
            left += children.get(walk[-1], [])
    begin = {d: n for n, d in enumerate(walk)}
    for d, size in enumerate(sizes):
        columns.add(
            {
                c.DofTopology.walk: walk[d],
                c.DofTopology.walk_begin: begin[d],
                c.DofTopology.walk_end: begin[d] + size,
            }
        )
    return walk


def _add_island_links(
    columns: Columns, dof_parents: list[int], trees: list[tuple[int, int]], walk: list[int], carrying: set[int]
) -> int:
    """Places of links that solvers of islands know: those with shapes, and those where a walk goes back to.

    Args:
        columns, dof_parents, trees, walk: as for :func:`_add_walks`.
        carrying: last dofs of links that have shapes.

    Returns:
        How many there are.
    """
    branches = {dof_parents[d] for before, d in zip([-1, *walk], walk, strict=False) if dof_parents[d] != before}
    known = sorted((carrying | branches) - {-1})
    place = {d: n for n, d in enumerate(known)}
    reach = [0] * len(dof_parents)
    for first, end in trees:
        for d in range(first, end):
            above = reach[dof_parents[d]] if dof_parents[d] >= 0 else 0
            reach[d] = above | 1 << (d - first) // 4 % 32  # trees of more groups are no solver's
    for d, bits in enumerate(reach):
        signed = bits - (bits >> 31 << 32)
        columns.add({c.IslandDof.place: place.get(d, -1), c.IslandDof.reach: signed})
    return len(known)


def _moves(dof_parents: list[int], trees: list[tuple[int, int]]) -> np.ndarray:
    """Tree by tree, row-major over its dofs: 1 where the column's dof moves what the row's dof moves."""
    found = [np.zeros(0, np.int32)]
    for first, end in trees:
        moves = np.zeros((end - first, end - first), np.int32)
        for d in range(end - first):
            parent = dof_parents[first + d] - first
            if dof_parents[first + d] >= 0:
                moves[d] = moves[parent]
            moves[d, d] = 1
        found.append(moves.ravel())
    return np.concatenate(found)
