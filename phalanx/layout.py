"""Fill the engine's tables from articulations and grounds: runs once, when a world is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components.link import PRISMATIC, REVOLUTE
from phalanx.ecs import Field, Store
from phalanx.io.articulation import NUM_COORDS, NUM_DOFS, Articulation, CollisionData
from phalanx.part import KINEMATIC, Ground, Part
from phalanx.systems.collision import MOST_POINTS

RIM_POINTS = 5
"""Points of a cylinder against a plane."""

AUTOMATIC_CONTACTS = 48
"""Contact slots per environment at most, unless the user says otherwise."""


@dataclass
class Rows:
    """Where one robot's entities are: half-open ranges of rows."""

    links: slice
    dofs: slice
    coords: slice
    bodies: slice
    shapes: list[int]


class _Columns:
    """Values collected row by row, then written to the store."""

    def __init__(self) -> None:
        self.values: dict[Field, list[Any]] = {}

    def add(self, values: dict[Any, Any]) -> None:
        for field, value in values.items():
            self.values.setdefault(field, []).append(value)

    def write(self, store: Store) -> None:
        for field, value in self.values.items():
            dtype = np.int32 if field.dtype == "int32" else np.float64
            store.set(
                field, np.asarray(value, dtype)[..., None].astype("int32" if field.dtype == "int32" else store.real)
            )


def fill(store: Store, parts: Sequence[Part], grounds: Sequence[Ground], max_contacts: int | None) -> list[Rows]:
    """Set the rows of all of the engine's tables and write every topology and parameter field."""
    columns = _Columns()
    ranges: list[Rows] = []
    dof_parents: list[int] = []
    count: dict[str, int] = dict.fromkeys(("link", "dof", "coord", "body", "mimic"), 0)
    shapes: list[tuple[Part, CollisionData, int, int, int]] = []  # part, shape, link, body, last dof
    for part in parts:
        start = dict(count)
        last_dof = _add_links(columns, part, count, dof_parents)
        _add_frames(columns, part.articulation, start["link"], count)
        for shape in part.articulation.collisions:
            link = start["link"] + shape.link
            if last_dof[shape.link] >= 0:
                shapes.append((part, shape, link, start["body"] + shape.body, last_dof[shape.link]))
        columns.add(
            {
                c.TreeTopology.first_dof: start["dof"],
                c.TreeTopology.end_dof: count["dof"],
                c.TreeTopology.is_free: int(not part.articulation.fixed_base),
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
                [],
            )
        )
    entries = _add_chains(columns, dof_parents)
    points, potential = _add_shapes(columns, shapes, grounds, ranges)
    slots = min(potential, AUTOMATIC_CONTACTS) if max_contacts is None else min(max_contacts, potential)
    nv = count["dof"]
    for table, size in (
        (c.World, 1),
        (c.Tree, len(parts)),
        (c.Link, count["link"]),
        (c.Body, count["body"]),
        (c.Dof, nv),
        (c.Coord, count["coord"]),
        (c.DofPair, nv * nv),
        (c.Mimic, count["mimic"]),
        (c.MassEntry, entries),
        (c.Plane, len(grounds)),
        (c.PlanePair, len(shapes) * len(grounds)),
        (c.PlanePoint, points),
        (c.Contact, slots),
        (c.ContactRow, slots * nv),
    ):
        store.set_rows(table, size)
    columns.write(store)
    if nv:
        store.set(c.DofRelation.moves, _moves(dof_parents).reshape(nv * nv, 1))
    return ranges


def _add_links(columns: _Columns, part: Part, count: dict[str, int], dof_parents: list[int]) -> list[int]:
    """Links, their dofs, and the tree; returns the last dof of each link."""
    robot = part.articulation
    held = (True,) * 6 if part.kind == KINEMATIC else part.locked_axes
    first_link, tree_first = count["link"], count["dof"]
    tree_end = tree_first + robot.num_velocities
    mimicked = _mimicked(robot)
    last_dof: list[int] = []
    name = 0
    for link in robot.links:
        kind = link.joint_type
        parent = first_link + link.parent if link.parent >= 0 else -1
        base = last_dof[link.parent] if link.parent >= 0 else -1
        dofs = NUM_DOFS[kind]
        inertia = link.inertia
        scalar = kind in (REVOLUTE, PRISMATIC)
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
                    c.DofModel.prescribed: int(joint is None and held[k]),
                    c.DofModel.armature: joint.armature if joint else 0.0,
                    c.DofModel.damping: joint.damping if joint else 0.0,
                    c.DofModel.friction: joint.friction if joint else 0.0,
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
                c.JointFrame.position: link.position,
                c.JointFrame.orientation: link.orientation,
                c.JointFrame.axis: link.axis,
                c.LinkInertia.mass: link.mass,
                c.LinkInertia.com: link.com,
                c.LinkInertia.inertia: inertia[np.triu_indices(3)],
                c.LinkDynamics.gravity_scale: part.gravity_scale,
                c.LinkDynamics.linear_damping: part.linear_damping,
                c.LinkDynamics.angular_damping: part.angular_damping,
                c.LinkDynamics.gyroscopic: float(part.gyroscopic_forces),
            }
        )
        count["link"] += 1
        count["dof"] += dofs
        count["coord"] += NUM_COORDS[kind]
    return last_dof


def _add_frames(columns: _Columns, robot: Articulation, first_link: int, count: dict[str, int]) -> None:
    for frame in robot.frames:
        columns.add(
            {
                c.BodyFrame.link: first_link + frame.link,
                c.BodyFrame.position: frame.position,
                c.BodyFrame.orientation: frame.orientation,
            }
        )
        count["body"] += 1


def _mimicked(robot: Articulation) -> set[str]:
    names: set[str] = set()
    for link in robot.links:
        if link.joint is not None and link.joint.mimic is not None:
            names |= {link.joint.name, link.joint.mimic.joint}
    return names


def _add_mimics(columns: _Columns, robot: Articulation, first_dof: int, count: dict[str, int]) -> None:
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


def _add_chains(columns: _Columns, dof_parents: list[int]) -> int:
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


def _moves(dof_parents: list[int]) -> np.ndarray:
    """(nv, nv): 1 where the column's dof moves what the row's dof moves."""
    nv = len(dof_parents)
    moves = np.zeros((nv, nv), np.int32)
    for d, parent in enumerate(dof_parents):
        if parent >= 0:
            moves[d] = moves[parent]
        moves[d, d] = 1
    return moves


def _add_shapes(
    columns: _Columns,
    shapes: list[tuple[Part, CollisionData, int, int, int]],
    grounds: Sequence[Ground],
    ranges: list[Rows],
) -> tuple[int, int]:
    """Shapes and their probe points against every ground; returns the numbers of points and of possible contacts."""
    points = potential = row = 0
    for plane, ground in enumerate(grounds):
        normal = np.array(ground.normal, float)
        normal /= np.linalg.norm(normal)
        tangent = np.cross([0.0, 1.0, 0.0] if abs(normal[1]) < 0.9 else [0.0, 0.0, 1.0], normal)
        columns.add(
            {
                c.GroundPlane.normal: normal,
                c.GroundPlane.tangent: tangent / np.linalg.norm(tangent),
                c.GroundPlane.offset: ground.height * normal[2] if normal[2] else ground.height,
                c.GroundMaterial.static_friction: ground.static_friction,
                c.GroundMaterial.dynamic_friction: ground.dynamic_friction,
                c.GroundMaterial.restitution: ground.restitution,
            }
        )
        for part, shape, link, body, dof in shapes:
            probes = [(-1, p) for p in shape.points]
            if shape.half_axis is not None:
                probes = [(k, shape.points[0]) for k in range(RIM_POINTS)]
            columns.add(
                {
                    c.PlanePairTopology.plane: plane,
                    c.PlanePairTopology.link: link,
                    c.PlanePairTopology.body: body,
                    c.PlanePairTopology.dof: dof,
                    c.PlanePairTopology.first_point: points,
                    c.PlanePairTopology.end_point: points + len(probes),
                    c.PlanePairMaterial.static_friction: part.static_friction,
                    c.PlanePairMaterial.dynamic_friction: part.dynamic_friction,
                    c.PlanePairMaterial.restitution: part.restitution,
                }
            )
            for rim, position in probes:
                columns.add(
                    {
                        c.PointTopology.plane: plane,
                        c.PointTopology.link: link,
                        c.PointTopology.dof: dof,
                        c.PointTopology.rim: rim,
                        c.PointGeometry.position: position,
                        c.PointGeometry.axis: np.zeros(3) if shape.half_axis is None else shape.half_axis,
                        c.PointGeometry.radius: shape.radius,
                    }
                )
            next(r for r in ranges if r.links.start <= link < r.links.stop).shapes.append(row)
            row += 1
            points += len(probes)
            potential += min(len(probes), MOST_POINTS)
    return points, potential
