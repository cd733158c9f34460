"""Jacobians of a robot's bodies by one kernel, written as users have them."""

from __future__ import annotations

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
from phalanx.ecs import Component, Field, Table, function, read, rows, system, write
from phalanx.maths.kernels import cross
from phalanx.world.engine.engine import Engine
from phalanx.world.engine.launches import Environments, Launch, constants
from phalanx.world.engine.readers import Reader, Reading
from phalanx.world.handles.actor import Actor

Row = Table("body of a Jacobian", "a body of a robot")
Number = Table("number of a Jacobian", "Jacobians as users have them, number by number")
FirstDof = Table("first dof", "the robot's first dof")
RootCoord = Table("root coordinate", "the first coordinate of the robot's root")
Width = Table("width", "generalised velocities of the robot")


class JacobianPlace(Component, table=Row):
    """What a body's Jacobian is made of."""

    body = Field(dtype="int32", doc="the body", constant=True)
    moves = Field(dtype="int32", doc="see :func:`relations_of_links`", constant=True)


class Jacobian(Component, table=Number):
    """The result."""

    value = Field(doc="a number of it", shared=True)


@function
def velocity_of_point(turns, ax, ay, az, x, y, z):
    """[linear, angular] velocity of a point per velocity of a dof.

    Args:
        turns: 1 if the dof turns about its axis a, else it goes along a.
        ax, ay, az: the axis.
        x, y, z: the point r, from a place on the axis.

    Returns:
        (a x r, a), or (a, 0).
    """
    lx, ly, lz = cross(ax, ay, az, x, y, z)
    if turns != 1:
        lx, ly, lz = ax, ay, az
        ax, ay, az = 0.0, 0.0, 0.0
    return lx, ly, lz, ax, ay, az


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
    """[linear, angular] velocity of the origin of a body's frame per generalised velocity."""
    if e >= envs:
        return
    b, own = body[i, 0], moves[i, 0]
    x, y, z = pose[b, 0, e] - q[root, e], pose[b, 1, e] - q[root + 1, e], pose[b, 2, e] - q[root + 2, e]
    at = (e * count + i) * 6 * width
    for j in range(width):
        d = begin + j
        lx, ly, lz, ax, ay, az = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if own >= 0 and related[own + j, 0] == 1:
            k = carried[d, 0]
            px, py, pz = offset[k, 0, e], offset[k, 1, e], offset[k, 2, e]
            lx, ly, lz, ax, ay, az = velocity_of_point(
                angular[d, 0], axis[d, 0, e], axis[d, 1, e], axis[d, 2, e], x - px, y - py, z - pz
            )
        value[at + j, 0] = lx
        value[at + width + j, 0] = ly
        value[at + 2 * width + j, 0] = lz
        value[at + 3 * width + j, 0] = ax
        value[at + 4 * width + j, 0] = ay
        value[at + 5 * width + j, 0] = az


def relations_of_links(engine: Engine, links: np.ndarray, first_dof: np.ndarray | int) -> np.ndarray:
    """Where in :attr:`DofRelation.moves` there is of each link which dofs move it, from ``first_dof`` on.

    Args:
        engine: whose links they are.
        links: rows of links, of any shape.
        first_dof: of their robots, so that it goes with ``links``.

    Returns:
        of that shape; -1 of links that cannot move.
    """
    host, store = engine.device.to_host, engine.store
    last, relations = host(store[LinkTopology].last_dof)[:, 0][links], host(store[DofTopology].relations)[:, 0]
    return np.where(last >= 0, relations[np.maximum(last, 0)] + first_dof, -1)


def jacobian_reader(robot: Actor) -> Reader:
    """Reads ``jacobian``, (num_envs, num_bodies, 6, num_velocities), once the phase ``query_bodies`` has run."""
    engine, bound, frames = robot.engine, robot._bound, robot.part.articulation.frames
    count, width = len(frames), robot.num_velocities
    links = np.array([bound.links.start + frame.link for frame in frames])
    place = {
        JacobianPlace.body: np.arange(bound.bodies.start, bound.bodies.stop),
        JacobianPlace.moves: relations_of_links(engine, links, bound.dofs.start),
    }
    numbers = {Row: count, Width: width, FirstDof: bound.dofs.start, RootCoord: robot._root_coords.start}
    launch = Launch(body_jacobians, count, constants(engine, place), numbers)
    return Reader(engine, Reading(launch, {"jacobian": (Jacobian.value, (engine.num_envs, count, 6, width))}))
