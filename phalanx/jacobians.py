"""Jacobians of a robot's bodies by one kernel, written as users have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from phalanx.components import (
    BodyState,
    Coordinate,
    DofMotion,
    DofRelation,
    DofTopology,
    LinkPose,
    LinkTopology,
)
from phalanx.ecs import Component, Field, Table, read, rows, system, write
from phalanx.launches import Environments, Launch, constants
from phalanx.readers import Reader, Reading
from phalanx.systems.math3d import cross

if TYPE_CHECKING:
    from phalanx.robot_dynamics import RobotDynamics

Row = Table("body of a Jacobian", "a body of a robot")
Number = Table("number of a Jacobian", "Jacobians as users have them, number by number")
FirstDof = Table("first dof", "the robot's first dof")
RootCoord = Table("root coordinate", "the first coordinate of the robot's root")
Width = Table("width", "generalised velocities of the robot")


class JacobianPlace(Component, table=Row):
    """What a body's Jacobian is made of."""

    body = Field(dtype="int32", doc="the body", constant=True)
    moves = Field(
        dtype="int32", doc="where relations of its link's last dof begin; -1 if it cannot move", constant=True
    )


class Jacobian(Component, table=Number):
    """The result."""

    value = Field(doc="a number of it", shared=True)


@system(over=Row, phase="query_bodies")
def body_jacobians(
    i,
    e,
    envs=rows(Environments),
    count=rows(Row),
    width=rows(Width),
    begin=rows(FirstDof),
    root=rows(RootCoord),
    body=read(JacobianPlace.body),
    moves=read(JacobianPlace.moves),
    related=read(DofRelation.moves),
    angular=read(DofTopology.angular),
    carried=read(DofTopology.link),
    axis=read(DofMotion.axis),
    offset=read(LinkPose.offset),
    pose=read(BodyState.pose),
    q=read(Coordinate.value),
    value=write(Jacobian.value),
):
    """[linear, angular] velocity of the origin of a body's frame per generalised velocity: (a x r, a), or (a, 0)."""
    if e >= envs:
        return
    b, own = body[i, 0], moves[i, 0]
    x, y, z = pose[b, 0, e] - q[root, e], pose[b, 1, e] - q[root + 1, e], pose[b, 2, e] - q[root + 2, e]
    at = (e * count + i) * 6 * width
    for j in range(width):
        d = begin + j
        lx, ly, lz, ax, ay, az = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if own >= 0 and related[own + j, 0] == 1:
            ax, ay, az = axis[d, 0, e], axis[d, 1, e], axis[d, 2, e]
            if angular[d, 0] == 1:
                k = carried[d, 0]
                lx, ly, lz = cross(ax, ay, az, x - offset[k, 0, e], y - offset[k, 1, e], z - offset[k, 2, e])
            else:
                lx, ly, lz = ax, ay, az
                ax, ay, az = 0.0, 0.0, 0.0
        value[at + j, 0] = lx
        value[at + width + j, 0] = ly
        value[at + 2 * width + j, 0] = lz
        value[at + 3 * width + j, 0] = ax
        value[at + 4 * width + j, 0] = ay
        value[at + 5 * width + j, 0] = az


def jacobian_reader(robot: RobotDynamics) -> Reader:
    """Reads ``jacobian``, (num_envs, num_bodies, 6, num_velocities), once the phase ``query_bodies`` has run."""
    world, bound, frames = robot.world, robot._bound, robot.part.articulation.frames
    host, count, width = world._device.to_host, len(frames), robot.num_velocities
    links = np.array([bound.links.start + frame.link for frame in frames])
    last = host(world[LinkTopology].last_dof)[:, 0][links]
    relations = host(world[DofTopology].relations)[:, 0]
    place = {
        JacobianPlace.body: np.arange(bound.bodies.start, bound.bodies.stop),
        JacobianPlace.moves: np.where(last >= 0, relations[np.maximum(last, 0)] + bound.dofs.start, -1),
    }
    numbers = {Row: count, Width: width, FirstDof: bound.dofs.start, RootCoord: robot._root_coords.start}
    launch = Launch(body_jacobians, count, constants(world, place), numbers)
    return Reader(world, Reading(launch, {"jacobian": (Jacobian.value, (world.num_envs, count, 6, width))}))
