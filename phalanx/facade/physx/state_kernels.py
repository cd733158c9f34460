"""The kernel that reads the state of a view's roots and joints as users have it, or of some of that, in one launch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from phalanx.components import BodyInertia, Coordinate, DofState, LinkInertia
from phalanx.ecs import Component, Field, Table, read, rows, spread, system, write
from phalanx.facade.arrays import accept
from phalanx.facade.shared_device import in_order
from phalanx.maths.kernels import cross, rotate
from phalanx.world.engine.launches import Environments, Launch, constants, flat
from phalanx.world.engine.readers import Reading

Root = Table("root", "a root of a view in all environments")
StateOfRoot = Table("state of a root", "a root whose state is read")
FrameOfRoot = Table("frame of a root", "a root of which is read what follows from its state")
DofOfView = Table("dof of a view", "a degree of freedom of a view's articulations in all environments")
Item = Table("item", "arrays as users have them, number by number")
RowStep = Table("row step", "how many rows of a view environments are apart")
Width = Table("width", "degrees of freedom of a row")


class RootPlace(Component, table=Root):
    """Where a root is in the engine's tables and among a view's rows."""

    row = Field(dtype="int32", doc="of environment 0 among a view's rows", constant=True)
    coord = Field(dtype="int32", doc="its first coordinate", constant=True)
    dof = Field(dtype="int32", doc="its first dof", constant=True)
    free = Field(dtype="int32", doc="1 if it can move", constant=True)
    link = Field(dtype="int32", doc="its link", constant=True)
    body = Field(dtype="int32", doc="its body", constant=True)
    alone = Field(dtype="int32", doc="1 if nothing else is fixed to its link", constant=True)


class Around(Component, table=Item):
    """What users give, three numbers a row."""

    origin = Field(unit="m", doc="of the row's environment", shared=True)
    gravity = Field(doc="direction of gravity, world axes", shared=True)
    ahead = Field(doc="direction that counts as ahead, link axes", shared=True)


class RootResult(Component, table=Item):
    """Motion of roots."""

    state = Field(doc="(13) pose of the link, m, w x y z; velocity of the centre of mass, m/s, rad/s", shared=True)
    com_pose = Field(doc="(7) pose of the centre of mass, with the link's axes", shared=True)
    link_velocity = Field(doc="(6) velocity of the link's origin", shared=True)
    link_velocity_b = Field(doc="(6) the same in the link's axes", shared=True)
    com_velocity_b = Field(doc="(6) velocity of the centre of mass in the link's axes", shared=True)
    gravity_b = Field(doc="(3) direction of gravity in the link's axes", shared=True)
    heading = Field(unit="rad", doc="(1) angle of what is ahead about the world's z axis", shared=True)


class DofPlace(Component, table=DofOfView):
    """Where a dof is in the engine's tables and in users' arrays."""

    dof = Field(dtype="int32", doc="its row", constant=True)
    coord = Field(dtype="int32", doc="its coordinate", constant=True)
    offset = Field(dtype="int32", doc="of environment 0 in users' arrays", constant=True)


class DofResult(Component, table=Item):
    """State of dofs."""

    position = Field(unit="rad", doc="position", shared=True)
    velocity = Field(unit="rad/s", doc="velocity", shared=True)


@system(phase="query_bodies")
def view_states(
    lanes,
    states=rows(StateOfRoot),
    frames=rows(FrameOfRoot),
    dofs=rows(DofOfView),
    envs=rows(Environments),
    step=rows(RowStep),
    width=rows(Width),
    row=read(RootPlace.row),
    root_coord=read(RootPlace.coord),
    root_dof=read(RootPlace.dof),
    free=read(RootPlace.free),
    link=read(RootPlace.link),
    body=read(RootPlace.body),
    alone=read(RootPlace.alone),
    dof=read(DofPlace.dof),
    coord=read(DofPlace.coord),
    offset=read(DofPlace.offset),
    q=read(Coordinate.value),
    qd=read(DofState.velocity),
    link_com=read(LinkInertia.com),
    own_com=read(BodyInertia.com),
    origin=read(Around.origin),
    gravity=read(Around.gravity),
    ahead=read(Around.ahead),
    state=write(RootResult.state),
    com_pose=write(RootResult.com_pose),
    link_velocity=write(RootResult.link_velocity),
    link_velocity_b=write(RootResult.link_velocity_b),
    com_velocity_b=write(RootResult.com_velocity_b),
    gravity_b=write(RootResult.gravity_b),
    heading=write(RootResult.heading),
    position=write(DofResult.position),
    velocity=write(DofResult.velocity),
):
    """One after the other, but side by side on a GPU: roots' states, what follows from them, and joints.

    A state is the pose of a root's link, and v + w x r of its centre of mass, r from the link's origin.
    """
    for n in spread(states + frames + dofs):
        if n < states:
            r0, k, d, b = row[n, 0], root_coord[n, 0], root_dof[n, 0], body[n, 0]
            m, moves, single = link[n, 0], free[n, 0], alone[n, 0]
            for e in lanes:
                if e < envs:
                    r = e * step + r0
                    at = 13 * r
                    w, x, y, z = q[k + 3, e], q[k + 4, e], q[k + 5, e], q[k + 6, e]
                    state[at, 0] = q[k, e] + origin[3 * r, 0]
                    state[at + 1, 0] = q[k + 1, e] + origin[3 * r + 1, 0]
                    state[at + 2, 0] = q[k + 2, e] + origin[3 * r + 2, 0]
                    state[at + 3, 0], state[at + 4, 0], state[at + 5, 0], state[at + 6, 0] = w, x, y, z
                    cx, cy, cz = own_com[b, 0, e], own_com[b, 1, e], own_com[b, 2, e]
                    if single == 1:
                        cx, cy, cz = link_com[m, 0, e], link_com[m, 1, e], link_com[m, 2, e]
                    vx, vy, vz, ux, uy, uz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                    if moves == 1:
                        vx, vy, vz = qd[d, e], qd[d + 1, e], qd[d + 2, e]
                        ux, uy, uz = qd[d + 3, e], qd[d + 4, e], qd[d + 5, e]
                    cx, cy, cz = rotate(w, x, y, z, cx, cy, cz)
                    cx, cy, cz = cross(ux, uy, uz, cx, cy, cz)
                    state[at + 7, 0], state[at + 8, 0], state[at + 9, 0] = vx + cx, vy + cy, vz + cz
                    state[at + 10, 0], state[at + 11, 0], state[at + 12, 0] = ux, uy, uz
        elif n < states + frames:
            i = n - states
            r0, k, d, b = row[i, 0], root_coord[i, 0], root_dof[i, 0], body[i, 0]
            m, moves, single = link[i, 0], free[i, 0], alone[i, 0]
            for e in lanes:
                if e < envs:
                    r = e * step + r0
                    w, x, y, z = q[k + 3, e], q[k + 4, e], q[k + 5, e], q[k + 6, e]
                    cx, cy, cz = own_com[b, 0, e], own_com[b, 1, e], own_com[b, 2, e]
                    if single == 1:
                        cx, cy, cz = link_com[m, 0, e], link_com[m, 1, e], link_com[m, 2, e]
                    ax, ay, az = rotate(w, x, y, z, cx, cy, cz)
                    com_pose[7 * r, 0] = q[k, e] + origin[3 * r, 0] + ax
                    com_pose[7 * r + 1, 0] = q[k + 1, e] + origin[3 * r + 1, 0] + ay
                    com_pose[7 * r + 2, 0] = q[k + 2, e] + origin[3 * r + 2, 0] + az
                    com_pose[7 * r + 3, 0], com_pose[7 * r + 4, 0] = w, x
                    com_pose[7 * r + 5, 0], com_pose[7 * r + 6, 0] = y, z
                    vx, vy, vz, ux, uy, uz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                    if moves == 1:
                        vx, vy, vz = qd[d, e], qd[d + 1, e], qd[d + 2, e]
                        ux, uy, uz = qd[d + 3, e], qd[d + 4, e], qd[d + 5, e]
                    at = 6 * r
                    link_velocity[at, 0], link_velocity[at + 1, 0], link_velocity[at + 2, 0] = vx, vy, vz
                    link_velocity[at + 3, 0], link_velocity[at + 4, 0], link_velocity[at + 5, 0] = ux, uy, uz
                    ax, ay, az = cross(ux, uy, uz, ax, ay, az)
                    ax, ay, az = rotate(w, -x, -y, -z, vx + ax, vy + ay, vz + az)
                    vx, vy, vz = rotate(w, -x, -y, -z, vx, vy, vz)
                    ux, uy, uz = rotate(w, -x, -y, -z, ux, uy, uz)
                    link_velocity_b[at, 0], link_velocity_b[at + 1, 0], link_velocity_b[at + 2, 0] = vx, vy, vz
                    link_velocity_b[at + 3, 0], link_velocity_b[at + 4, 0], link_velocity_b[at + 5, 0] = ux, uy, uz
                    com_velocity_b[at, 0], com_velocity_b[at + 1, 0], com_velocity_b[at + 2, 0] = ax, ay, az
                    com_velocity_b[at + 3, 0], com_velocity_b[at + 4, 0], com_velocity_b[at + 5, 0] = ux, uy, uz
                    at = 3 * r
                    vx, vy, vz = rotate(w, -x, -y, -z, gravity[at, 0], gravity[at + 1, 0], gravity[at + 2, 0])
                    gravity_b[at, 0], gravity_b[at + 1, 0], gravity_b[at + 2, 0] = vx, vy, vz
                    vx, vy, vz = rotate(w, x, y, z, ahead[at, 0], ahead[at + 1, 0], ahead[at + 2, 0])
                    heading[r, 0] = math.atan2(vy, vx)
        else:
            i = n - states - frames
            d, c, place, way = dof[i, 0], coord[i, 0], offset[i, 0], step * width
            for e in lanes:
                if e < envs:
                    position[e * way + place, 0] = q[c, e]
                    velocity[e * way + place, 0] = qd[d, e]


SORTS = (StateOfRoot, FrameOfRoot, DofOfView)
GIVEN = tuple(one for kind in (RootPlace, DofPlace, Around, RootResult, DofResult) for one in kind.fields())


def _launch(view: Any, arrays: Mapping[Field, Any], sort: Table, count: int, width: int = 0) -> Launch:
    """Of one sort of rows; of what is for the others there is nothing."""
    numbers = dict.fromkeys(SORTS, 0) | {sort: count, RowStep: view.placement[0], Width: width}
    return Launch(view_states, count, dict.fromkeys(GIVEN) | dict(arrays), numbers)


def _roots(view: Any) -> dict[Field, Any]:
    """What kernels need to know of a view's roots."""
    arrays = constants(
        view.world.engine,
        {
            RootPlace.row: view.placement[1],
            RootPlace.coord: view._coord_rows[:, 0],
            RootPlace.dof: view._root_dofs[:, 0],
            RootPlace.free: view._free,
            RootPlace.link: view._link_rows[:, 0],
            RootPlace.body: view._body_rows[:, 0],
            RootPlace.alone: view._alone[:, 0],
        },
    )
    xp, origins = view._xp, view._origins
    where = np.zeros((view.count, 3)) if origins is None else origins
    return arrays | {Around.origin: flat(xp.asarray(where, view.world.dtype))}


def root_reading(view: Any) -> Reading:
    """Reads ``state``, (count, 13), of a view whose rows begin with a root each."""
    with in_order(view.world):
        arrays = _roots(view)
    launch = _launch(view, arrays, StateOfRoot, len(view.placement[1]))
    return Reading(launch, {"state": (RootResult.state, (view.count, 13))})


def frame_reading(view: Any, gravity: Any, ahead: Any) -> Reading:
    """Reads what follows from the roots' state.

    Args:
        view: as for :func:`root_reading`.
        gravity, ahead: users' arrays, (count, 3), which are read at each call.
    """
    with in_order(view.world):
        arrays = _roots(view)
        arrays[Around.gravity] = flat(accept(gravity, view.world.device))
        arrays[Around.ahead] = flat(accept(ahead, view.world.device))
    n, one = view.count, RootResult
    results = {
        "com_pose": (one.com_pose, (n, 7)),
        "link_velocity": (one.link_velocity, (n, 6)),
        "link_velocity_b": (one.link_velocity_b, (n, 6)),
        "com_velocity_b": (one.com_velocity_b, (n, 6)),
        "gravity_b": (one.gravity_b, (n, 3)),
        "heading": (one.heading, (n,)),
    }
    return Reading(_launch(view, arrays, FrameOfRoot, len(view.placement[1])), results)


def dof_reading(view: Any) -> Reading:
    """Reads ``position`` and ``velocity``, (count, max_dofs), of a view of articulations without ball joints."""
    starts, width = view.placement[1], view.max_dofs
    place = {
        DofPlace.dof: view.dof_rows,
        DofPlace.coord: view.dof_coordinates,
        DofPlace.offset: starts[:, None] * width + np.arange(width),
    }
    with in_order(view.world):
        arrays = constants(view.world.engine, place)
    results = {name: (getattr(DofResult, name), (view.count, width)) for name in ("position", "velocity")}
    return Reading(_launch(view, arrays, DofOfView, view.dof_rows.size, width), results)
