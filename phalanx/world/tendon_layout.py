"""Tendons of robots as rows of the engine's tables, filled when a world is built."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components.link import SPHERICAL
from phalanx.components.tendon import PATH, SUM, SWING, TWIST
from phalanx.ecs import Store
from phalanx.maths.arrays import rotate
from phalanx.models.articulation import NUM_COORDS, NUM_DOFS
from phalanx.models.tendons import FixedTendon, SpatialTendon
from phalanx.world.handles.loop_joint import JointEnd, initial_pose
from phalanx.world.handles.robot import Robot
from phalanx.world.layout.columns import Columns


def place_tendons(store: Store, robots: Sequence[Robot]) -> int:
    """Fill the tables of tendons, once those of robots are; returns how many rows there are."""
    columns = Columns()
    count: dict[str, int] = dict.fromkeys(("tendon", "term", "segment", "entry"), 0)
    last_dof = store.device.to_host(store.view(c.LinkTopology.last_dof))[:, 0]

    def add_tendon(robot: Robot, tendon: Any, ends: Any, kind: int, size: int, length: float) -> None:
        part = "segment" if kind == PATH else "term"
        dofs = robot._bound.dofs
        rest = length + tendon.offset if ends.rest_length is None else ends.rest_length
        columns.add(
            {
                c.TendonTopology.kind: kind,
                c.TendonTopology.first: count[part],
                c.TendonTopology.end: count[part] + size,
                c.TendonTopology.first_dof: dofs.start,
                c.TendonTopology.end_dof: dofs.stop,
                c.TendonTopology.entry: count["entry"],
                c.TendonModel.stiffness: tendon.stiffness,
                c.TendonModel.damping: tendon.damping,
                c.TendonModel.limit_stiffness: tendon.limit_stiffness,
                c.TendonModel.offset: tendon.offset,
                c.TendonModel.rest_length: rest,
                c.TendonModel.lower: ends.lower,
                c.TendonModel.upper: ends.upper,
            }
        )
        count["tendon"] += 1
        count["entry"] += dofs.stop - dofs.start
        count[part] += size

    for robot in robots:
        robot._first_tendon = count["tendon"]
        first_coord = robot._bound.coords.stop - robot.part.articulation.num_coords
        coords = _scalar_coords(robot, first_coord)
        for tendon in robot.model.fixed_tendons:
            terms = [(robot.joint_index(name), weight) for name, weight in tendon.joints.items()]
            length = sum(weight * float(robot.default_joint_pos[k]) for k, weight in terms)
            add_tendon(robot, tendon, tendon, SUM, len(terms), length)
            for k, weight in terms:
                dof = robot._bound.dofs.stop - robot.num_dof + k
                columns.add(
                    {
                        c.TendonTermModel.dof: dof,
                        c.TendonTermModel.coord: coords[k],
                        c.TendonTermModel.coefficient: weight,
                        c.TendonTermModel.axis: (0.0, 0.0, 0.0),
                    }
                )
        for tendon in robot.model.spatial_tendons:
            for leaf in tendon.leaves():
                path = [_placed(robot, tendon, n, last_dof) for n in tendon.path(leaf)]
                ways = [float(np.linalg.norm(b["at"] - a["at"])) for a, b in pairwise(path)]
                length = sum(b["weight"] * way for b, way in zip(path[1:], ways, strict=True))
                add_tendon(robot, tendon, tendon.attachments[leaf], PATH, len(ways), length)
                for a, b in pairwise(path):
                    columns.add(
                        {
                            c.TendonSegmentModel.link: (a["link"], b["link"]),
                            c.TendonSegmentModel.body: (a["body"], b["body"]),
                            c.TendonSegmentModel.dof: (a["dof"], b["dof"]),
                            c.TendonSegmentModel.position_a: a["position"],
                            c.TendonSegmentModel.position_b: b["position"],
                            c.TendonSegmentModel.coefficient: b["weight"],
                        }
                    )
        for dof, coord, axis, kind, lower, upper in _spherical_limits(robot, first_coord):
            hard = FixedTendon(
                "", {}, limit_stiffness=np.inf, rest_length=0.0, lower=_chord(lower), upper=_chord(upper)
            )
            add_tendon(robot, hard, hard, kind, 1, 0.0)
            columns.add(
                {
                    c.TendonTermModel.dof: dof,
                    c.TendonTermModel.coord: coord,
                    c.TendonTermModel.coefficient: 0.0,
                    c.TendonTermModel.axis: axis,
                }
            )
    for table, key in (
        (c.Tendon, "tendon"),
        (c.TendonTerm, "term"),
        (c.TendonSegment, "segment"),
        (c.TendonEntry, "entry"),
    ):
        store.set_rows(table, count[key])
    columns.write(store)
    return count["tendon"]


def _spherical_limits(robot: Robot, first: int) -> list[tuple[int, int, np.ndarray, int, float, float]]:
    """Limited swings and twists: (first dof, first coordinate, axis, kind, least and greatest angle)."""
    found, coord, dof = [], first, robot._bound.dofs.start
    for link in robot.part.articulation.links:
        joint = link.joint
        if joint is not None and link.joint_type == SPHERICAL:
            if np.isfinite(joint.swing_limit):
                found.append((dof, coord, link.axis, SWING, -np.inf, joint.swing_limit))
            if np.isfinite(joint.lower) or np.isfinite(joint.upper):
                found.append((dof, coord, link.axis, TWIST, joint.lower, joint.upper))
        coord += NUM_COORDS[link.joint_type]
        dof += NUM_DOFS[link.joint_type]
    return found


def _chord(angle: float) -> float:
    """Chord of an angle on the unit circle, with its sign."""
    return 2.0 * float(np.sin(0.5 * angle)) if np.isfinite(angle) else angle


def _scalar_coords(robot: Robot, first: int) -> list[int]:
    """The coordinate of each dof of a joint; -1 for joints of several."""
    found, coord = [], first
    for link in robot.part.articulation.links:
        if link.parent >= 0:
            found += [coord] if NUM_DOFS[link.joint_type] == 1 else [-1] * NUM_DOFS[link.joint_type]
        coord += NUM_COORDS[link.joint_type]
    return found


def _placed(robot: Robot, tendon: SpatialTendon, number: int, last_dof: np.ndarray) -> dict[str, Any]:
    """Rows of an attachment, and where it is in the default state."""
    attachment = tendon.attachments[number]
    body = robot.body_index(attachment.body)
    frame = robot.part.articulation.frames[body]
    own = np.array(attachment.position, float)
    link = robot._bound.links.start + frame.link
    return {
        "link": link,
        "body": robot._bound.bodies.start + body,
        "dof": int(last_dof[link]),
        "position": frame.position + rotate(frame.orientation, own),
        "weight": attachment.coefficient,
        "at": initial_pose(JointEnd(robot, body, own, np.array([1.0, 0.0, 0.0, 0.0])))[0],
    }
