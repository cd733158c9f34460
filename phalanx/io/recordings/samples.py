"""Where recorded fields come from: rows of the engine's fields, as samplers keep them, and what is made of them.

Samples have environments last, as the engine has them. Recordings show them environment-first, but keep them on disk as
they are (:mod:`phalanx.io.recordings.chunks`), so nothing turns them round while a world steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components.link import FREE, SPHERICAL
from phalanx.ecs import Field
from phalanx.maths.arrays import rotation_vector
from phalanx.models.articulation import NUM_COORDS

Rows = slice | np.ndarray

DOFS = {
    "joint_vel": c.DofState.velocity,
    "joint_acc": c.DofState.acceleration,
    "joint_pos_target": c.DriveTarget.position,
    "joint_vel_target": c.DriveTarget.velocity,
    "joint_effort_target": c.DriveTarget.effort,
}
BODIES = {
    "body_pose": c.BodyState.pose,
    "body_vel": c.BodyState.velocity,
    "net_contact_force": c.BodyContact.force,
}
CONTACTS = {
    "contact_count": c.ContactCount.current,
    "contact_point": c.ContactPoint.arm_a,
    "contact_normal": c.ContactPoint.normal,
    "contact_force": c.ContactImpulse.value,
    "contact_separation": c.ContactPoint.separation,
}
NODES = {"node_offset": c.NodeState.position, "node_vel": c.NodeState.velocity}


@dataclass(frozen=True)
class Source:
    """Where one recorded field of something comes from.

    ``item`` is the shape of a value in one environment. Samples of ``rows`` of ``field`` are (time, rows, *its item,
    env); ``finish(samples, xp)`` makes (time, *item, env) of them where they are not that already.
    """

    field: Field
    rows: Rows
    item: tuple[int, ...]
    finish: Callable[[Any, Any], Any] | None = None


def source(kind: str, handle: Any, key: str) -> Source:
    """The source of a field of what is recorded of a world that is built."""
    if kind == "collection":
        return _of_collection(handle, key)
    if kind == "contact":
        field = CONTACTS[key]
        if key == "contact_count":
            return Source(field, slice(0, 1), (), lambda samples, xp: samples[:, 0])
        return Source(field, slice(0, handle.room), (handle.room, *field.shape))
    if kind == "deformable":
        if key == "origin":
            return Source(c.DeformableMotion.origin, handle._body, (3,), lambda samples, xp: samples[:, 0])
        return Source(NODES[key], handle._nodes, (handle.num_nodes, 3))
    if key == "joint_pos":
        return _joint_positions(handle)
    if key in DOFS:
        return Source(DOFS[key], handle._joints, (handle.num_dof,))
    if key == "root_pose":
        return Source(c.Coordinate.value, handle._root_coords, (7,))
    if key == "root_vel":
        if handle.fixed_base:
            return _still(6)
        return Source(c.DofState.velocity, handle._root_dofs, (6,))
    field = BODIES[key]
    return Source(field, handle._bound.bodies, (handle.num_bodies, *field.shape))


def _still(*item: int) -> Source:
    """Velocities of what does not move; there may be no dofs at all."""

    def zeros(samples: Any, xp: Any) -> Any:
        return xp.zeros((samples.shape[0], *item, samples.shape[-1]), samples.dtype)

    return Source(c.Coordinate.value, slice(0, 1), item, zeros)


def _joint_positions(robot: Any) -> Source:
    if robot._scalar_coords is not None:
        return Source(c.Coordinate.value, robot._scalar_coords, (robot.num_dof,))
    first = robot._coords[0][0]
    joints = [(slice(coord - first, coord - first + NUM_COORDS[kind]), kind) for coord, _, kind in robot._coords]

    def angles(samples: Any, xp: Any) -> Any:
        parts = []
        for place, kind in joints:
            mine = samples[:, place]
            if kind in (SPHERICAL, FREE):
                times, _, envs = mine.shape
                turns = xp.ascontiguousarray(xp.moveaxis(mine, 1, 2)).reshape(times * envs, -1)[:, -4:]
                vectors = xp.moveaxis(rotation_vector(turns, xp).reshape(times, envs, 3), 1, 2)
                mine = xp.concatenate((mine[:, :-4], vectors), axis=1)
            parts.append(mine)
        return xp.concatenate(parts, axis=1)

    return Source(c.Coordinate.value, slice(first, first + joints[-1][0].stop), (robot.num_dof,), angles)


def _of_collection(collection: Any, key: str) -> Source:
    count = collection.num_objects
    if key == "root_pose":
        rows = (collection._coords[:, None] + np.arange(7)).ravel()
        return Source(c.Coordinate.value, rows, (count, 7), _grouped(count, 7))
    if key == "root_vel":
        dofs = collection._dofs
        if (dofs < 0).all():
            return _still(count, 6)
        rows = (np.maximum(dofs, 0)[:, None] + np.arange(6)).ravel()
        return Source(c.DofState.velocity, rows, (count, 6), _grouped(count, 6, dofs < 0))
    bodies = [member._bound.bodies for member in collection.objects]
    rows = np.concatenate([np.arange(b.start, b.stop) for b in bodies])
    ends = np.cumsum([b.stop - b.start for b in bodies])
    parts = [range(end - (b.stop - b.start), end) for b, end in zip(bodies, ends.tolist(), strict=True)]

    def sums(samples: Any, xp: Any) -> Any:
        return xp.stack([reduce(add, [samples[:, i] for i in part]) for part in parts], axis=1)

    return Source(c.BodyContact.force, rows, (count, 3), None if len(rows) == count else sums)


def _grouped(count: int, size: int, still: np.ndarray | None = None) -> Callable[[Any, Any], Any]:
    """From (time, count * size, env) to (time, count, size, env); zero for those that stand still."""

    def group(samples: Any, xp: Any) -> Any:
        found = samples.reshape(samples.shape[0], count, size, samples.shape[-1])
        if still is not None and still.any():
            found = xp.array(found)
            found[:, np.flatnonzero(still)] = 0.0
        return found

    return group
