"""Writing the state of a view's roots in one kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from phalanx.components import BodyInertia, Coordinate, DofState, LinkInertia
from phalanx.ecs import Component, Field, read, rows, system, update
from phalanx.facade.physx.state_kernels import Item, Root, RootPlace, RowStep
from phalanx.maths.kernels import cross, rotate
from phalanx.world.engine.launches import Environments, Kernels, Launch, constants, flat


class RootTarget(Component, table=Item):
    """What users ask of roots, and of which."""

    chosen = Field(dtype="int32", doc="1: this row is written", shared=True)
    pose = Field(doc="(7) position, m, and orientation, x y z w, in the world of all environments", shared=True)
    velocity = Field(doc="(6) linear and angular velocity of the centre of mass, m/s, rad/s", shared=True)
    origin = Field(unit="m", doc="(3) of the row's environment", shared=True)
    origin_rest = Field(unit="m", doc="(3) what is too fine for it", shared=True)


@system(over=Root, phase="query_bodies")
def place_roots(
    i,
    e,
    envs=rows(Environments),
    step=rows(RowStep),
    row=read(RootPlace.row),
    coord=read(RootPlace.coord),
    dof=read(RootPlace.dof),
    free=read(RootPlace.free),
    link=read(RootPlace.link),
    body=read(RootPlace.body),
    alone=read(RootPlace.alone),
    link_com=read(LinkInertia.com),
    own_com=read(BodyInertia.com),
    chosen=read(RootTarget.chosen),
    pose=read(RootTarget.pose),
    origin=read(RootTarget.origin),
    rest=read(RootTarget.origin_rest),
    q=update(Coordinate.value),
    qd=update(DofState.velocity),
):
    """Put roots somewhere. Their centres of mass keep their velocity; the engine would keep that of their origins."""
    if e >= envs:
        return
    r = e * step + row[i, 0]
    if chosen[r, 0] == 0:
        return
    k, b = coord[i, 0], body[i, 0]
    x, y, z = own_com[b, 0, e], own_com[b, 1, e], own_com[b, 2, e]
    if alone[i, 0] == 1:
        m = link[i, 0]
        x, y, z = link_com[m, 0, e], link_com[m, 1, e], link_com[m, 2, e]
    ax, ay, az = rotate(q[k + 3, e], q[k + 4, e], q[k + 5, e], q[k + 6, e], x, y, z)
    qx, qy, qz, qw = pose[7 * r + 3, 0], pose[7 * r + 4, 0], pose[7 * r + 5, 0], pose[7 * r + 6, 0]
    length = math.sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
    if length > 0.0:
        qw, qx, qy, qz = qw / length, qx / length, qy / length, qz / length
    bx, by, bz = rotate(qw, qx, qy, qz, x, y, z)
    for n in range(3):
        q[k + n, e] = pose[7 * r + n, 0] - origin[3 * r + n, 0] - rest[3 * r + n, 0]
    q[k + 3, e], q[k + 4, e], q[k + 5, e], q[k + 6, e] = qw, qx, qy, qz
    if free[i, 0] == 1:
        d = dof[i, 0]
        x, y, z = cross(qd[d + 3, e], qd[d + 4, e], qd[d + 5, e], ax - bx, ay - by, az - bz)
        qd[d, e] += x
        qd[d + 1, e] += y
        qd[d + 2, e] += z


@system(over=Root, phase="query_bodies")
def move_roots(
    i,
    e,
    envs=rows(Environments),
    step=rows(RowStep),
    row=read(RootPlace.row),
    coord=read(RootPlace.coord),
    dof=read(RootPlace.dof),
    free=read(RootPlace.free),
    link=read(RootPlace.link),
    body=read(RootPlace.body),
    alone=read(RootPlace.alone),
    q=read(Coordinate.value),
    link_com=read(LinkInertia.com),
    own_com=read(BodyInertia.com),
    chosen=read(RootTarget.chosen),
    velocity=read(RootTarget.velocity),
    qd=update(DofState.velocity),
):
    """Let centres of mass of roots move so, in their present poses; what cannot move stands still."""
    if e >= envs:
        return
    r = e * step + row[i, 0]
    if chosen[r, 0] == 0 or free[i, 0] == 0:
        return
    k, d, b = coord[i, 0], dof[i, 0], body[i, 0]
    x, y, z = own_com[b, 0, e], own_com[b, 1, e], own_com[b, 2, e]
    if alone[i, 0] == 1:
        m = link[i, 0]
        x, y, z = link_com[m, 0, e], link_com[m, 1, e], link_com[m, 2, e]
    x, y, z = rotate(q[k + 3, e], q[k + 4, e], q[k + 5, e], q[k + 6, e], x, y, z)
    at = 6 * r
    wx, wy, wz = velocity[at + 3, 0], velocity[at + 4, 0], velocity[at + 5, 0]
    x, y, z = cross(wx, wy, wz, x, y, z)
    qd[d, e], qd[d + 1, e], qd[d + 2, e] = velocity[at, 0] - x, velocity[at + 1, 0] - y, velocity[at + 2, 0] - z
    qd[d + 3, e], qd[d + 4, e], qd[d + 5, e] = wx, wy, wz


class RootWriter:
    """Writes poses and velocities of a view's roots; within a context of the world's device.

    Args:
        view: a view each of whose rows begins with a root; its rows may be listed.
    """

    def __init__(self, view: Any) -> None:
        world, xp, columns = view.world, view._xp, len(view._columns)
        step, starts = view.placement or (columns, np.arange(columns))
        self._rows = None if view.placement else xp.asarray(view._rows.env * columns + view._rows.column)
        count = world.num_envs * columns
        place = constants(
            world.engine,
            {
                RootPlace.row: starts,
                RootPlace.coord: view._coord_rows[:, 0],
                RootPlace.dof: view._root_dofs[:, 0],
                RootPlace.free: view._free,
                RootPlace.link: view._link_rows[:, 0],
                RootPlace.body: view._body_rows[:, 0],
                RootPlace.alone: view._alone[:, 0],
            },
        )
        self._chosen = xp.zeros((count, 1), "int32")
        self._given = {"pose": xp.zeros((count, 7), world.dtype), "velocity": xp.zeros((count, 6), world.dtype)}
        origins = np.zeros((count, 3))
        if view._origins is not None:
            origins[slice(None) if self._rows is None else view._rows.env * columns + view._rows.column] = view._origins
        coarse = origins.astype(world.dtype)
        arrays = place | {
            RootTarget.chosen: self._chosen,
            RootTarget.pose: flat(self._given["pose"]),
            RootTarget.velocity: flat(self._given["velocity"]),
            RootTarget.origin: flat(xp.asarray(coarse)),
            RootTarget.origin_rest: flat(xp.asarray((origins - coarse).astype(world.dtype))),
        }
        self._kernels = {
            name: Kernels(world.engine, [Launch(one, columns, arrays, {RowStep: step})])
            for name, one in (("pose", place_roots), ("velocity", move_roots))
        }

    def write(self, name: str, values: Any, indices: Any) -> None:
        """Write ``"pose"``, (count, 7), or ``"velocity"``, (count, 6), of the rows of some indices; ``None``: all."""
        given = self._given[name]
        if indices is None and self._rows is None:
            self._chosen.fill(1)
            given[...] = values
        else:
            some = slice(None) if indices is None else indices
            rows = indices if self._rows is None else self._rows[some]
            self._chosen.fill(0)
            self._chosen[rows] = 1
            given[rows] = values[some]
        self._kernels[name].run()
