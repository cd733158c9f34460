"""Kernels that write Jacobians, mass matrices and generalised forces of a view's articulations as users have them.

Generalised velocities of views begin with that of the root's centre of mass, those of the engine with that of the root
link's origin: with r from the origin to the centre of mass, v_origin = v_com + r x w.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.components import (
    BodyInertia,
    DofForce,
    DofMotion,
    DofRelation,
    DofState,
    DofTopology,
    LinkInertia,
    LinkPose,
    MassMatrix,
    MassTopology,
)
from phalanx.ecs import Component, Field, Table, function, read, rows, system, write
from phalanx.facade.shared_device import in_order
from phalanx.maths.kernels import cross, rotate
from phalanx.world.engine.launches import Environments, Launch, constants
from phalanx.world.engine.readers import Reader, Reading
from phalanx.world.handles.jacobians import relations_of_links, velocity_of_point

Row = Table("row of a matrix", "a body of an articulation, or one of its generalised velocities")
Entry = Table("entry", "matrices as users have them, number by number")
RowStep = Table("row step", "how many rows of a view environments are apart")
Count = Table("count", "rows of a matrix in a row of a view")
Width = Table("width", "generalised velocities")
Curving = Table("curving", "1 if forces are those at a constant velocity")


class MatrixPlace(Component, table=Row):
    """What a row of a matrix belongs to."""

    view_row = Field(dtype="int32", doc="of environment 0 among a view's rows", constant=True)
    index = Field(dtype="int32", doc="which row of the matrix", constant=True)
    dof = Field(dtype="int32", doc="the articulation's first dof", constant=True)
    free = Field(dtype="int32", doc="1 if that is its root's", constant=True)
    root_link = Field(dtype="int32", doc="link of the root", constant=True)
    root_body = Field(dtype="int32", doc="body of the root", constant=True)
    root_alone = Field(dtype="int32", doc="1 if nothing else is fixed to the root's link", constant=True)
    link = Field(dtype="int32", doc="link of the row's body", constant=True)
    body = Field(dtype="int32", doc="the row's body", constant=True)
    alone = Field(dtype="int32", doc="1 if nothing else is fixed to its link", constant=True)
    moves = Field(dtype="int32", doc="see :func:`phalanx.world.handles.jacobians.relations_of_links`", constant=True)


class MatrixEntry(Component, table=Entry):
    """Of pairs of dofs the entry of the engine's mass matrix."""

    entry = Field(dtype="int32", doc="-1: zero", constant=True)


class Matrix(Component, table=Entry):
    """The result."""

    value = Field(doc="a number of it", shared=True)


@system(over=Row, phase="query_bodies")
def com_jacobians(
    i,
    e,
    envs=rows(Environments),
    step=rows(RowStep),
    count=rows(Count),
    width=rows(Width),
    view_row=read(MatrixPlace.view_row),
    index=read(MatrixPlace.index),
    first=read(MatrixPlace.dof),
    free=read(MatrixPlace.free),
    root_link=read(MatrixPlace.root_link),
    root_body=read(MatrixPlace.root_body),
    root_alone=read(MatrixPlace.root_alone),
    link=read(MatrixPlace.link),
    body=read(MatrixPlace.body),
    alone=read(MatrixPlace.alone),
    moves=read(MatrixPlace.moves),
    related=read(DofRelation.moves),
    angular=read(DofTopology.angular),
    carried=read(DofTopology.link),
    axis=read(DofMotion.axis),
    offset=read(LinkPose.offset),
    orientation=read(LinkPose.orientation),
    link_com=read(LinkInertia.com),
    own_com=read(BodyInertia.com),
    value=write(Matrix.value),
):
    """[linear, angular] velocity of a body's centre of mass per generalised velocity."""
    if e >= envs:
        return
    m, b = link[i, 0], body[i, 0]
    x, y, z = own_com[b, 0, e], own_com[b, 1, e], own_com[b, 2, e]
    if alone[i, 0] == 1:
        x, y, z = link_com[m, 0, e], link_com[m, 1, e], link_com[m, 2, e]
    w, qx, qy, qz = orientation[m, 0, e], orientation[m, 1, e], orientation[m, 2, e], orientation[m, 3, e]
    x, y, z = rotate(w, qx, qy, qz, x, y, z)
    x, y, z = x + offset[m, 0, e], y + offset[m, 1, e], z + offset[m, 2, e]
    # The root turns about its centre of mass, as its generalised velocity says where that goes.
    m, b = root_link[i, 0], root_body[i, 0]
    rx, ry, rz = own_com[b, 0, e], own_com[b, 1, e], own_com[b, 2, e]
    if root_alone[i, 0] == 1:
        rx, ry, rz = link_com[m, 0, e], link_com[m, 1, e], link_com[m, 2, e]
    w, qx, qy, qz = orientation[m, 0, e], orientation[m, 1, e], orientation[m, 2, e], orientation[m, 3, e]
    rx, ry, rz = rotate(w, qx, qy, qz, rx, ry, rz)
    at = ((e * step + view_row[i, 0]) * count + index[i, 0]) * 6 * width
    begin, own, floats = first[i, 0], moves[i, 0], free[i, 0]
    for j in range(width):
        d = begin + j
        lx, ly, lz, ax, ay, az = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if own >= 0 and related[own + j, 0] == 1:
            k = carried[d, 0]
            px, py, pz = offset[k, 0, e], offset[k, 1, e], offset[k, 2, e]
            if floats == 1 and j < 6:
                px, py, pz = rx, ry, rz
            lx, ly, lz, ax, ay, az = velocity_of_point(
                angular[d, 0], axis[d, 0, e], axis[d, 1, e], axis[d, 2, e], x - px, y - py, z - pz
            )
        value[at + j, 0] = lx
        value[at + width + j, 0] = ly
        value[at + 2 * width + j, 0] = lz
        value[at + 3 * width + j, 0] = ax
        value[at + 4 * width + j, 0] = ay
        value[at + 5 * width + j, 0] = az


@function
def turning(j, x, y, z, rx, ry, rz):
    """Component j of (x, y, z) x r."""
    found = y * rz - z * ry
    if j == 1:
        found = z * rx - x * rz
    if j == 2:
        found = x * ry - y * rx
    return found


@system(over=Row, phase="query_bodies")
def mass_matrices(
    i,
    e,
    envs=rows(Environments),
    step=rows(RowStep),
    width=rows(Width),
    view_row=read(MatrixPlace.view_row),
    index=read(MatrixPlace.index),
    free=read(MatrixPlace.free),
    root_link=read(MatrixPlace.root_link),
    root_body=read(MatrixPlace.root_body),
    root_alone=read(MatrixPlace.root_alone),
    entry=read(MatrixEntry.entry),
    orientation=read(LinkPose.orientation),
    link_com=read(LinkInertia.com),
    own_com=read(BodyInertia.com),
    mass=read(MassMatrix.value),
    value=write(Matrix.value),
):
    """A row of T^T M T, with T what makes the engine's generalised velocities of a view's."""
    if e >= envs:
        return
    m, b = root_link[i, 0], root_body[i, 0]
    rx, ry, rz = own_com[b, 0, e], own_com[b, 1, e], own_com[b, 2, e]
    if root_alone[i, 0] == 1:
        rx, ry, rz = link_com[m, 0, e], link_com[m, 1, e], link_com[m, 2, e]
    w, qx, qy, qz = orientation[m, 0, e], orientation[m, 1, e], orientation[m, 2, e], orientation[m, 3, e]
    rx, ry, rz = rotate(w, qx, qy, qz, rx, ry, rz)
    k = index[i, 0]
    place = (i - k) * width  # of the articulation's table of entries
    at = ((e * step + view_row[i, 0]) * width + k) * width
    floats = free[i, 0]
    turns = floats == 1 and 3 <= k < 6
    x, y, z = 0.0, 0.0, 0.0
    for j in range(width):
        n = entry[place + k * width + j, 0]
        found = mass[max(n, 0), e] if n >= 0 else 0.0
        if turns:
            n0, n1, n2 = entry[place + j, 0], entry[place + width + j, 0], entry[place + 2 * width + j, 0]
            u = mass[max(n0, 0), e] if n0 >= 0 else 0.0
            v = mass[max(n1, 0), e] if n1 >= 0 else 0.0
            s = mass[max(n2, 0), e] if n2 >= 0 else 0.0
            found += turning(k - 3, u, v, s, rx, ry, rz)
        if floats == 1:
            if j == 0:
                x = found
            if j == 1:
                y = found
            if j == 2:
                z = found
            if 3 <= j < 6:
                found += turning(j - 3, x, y, z, rx, ry, rz)
        value[at + j, 0] = found


@system(over=Row, phase="query_bodies")
def generalized_forces(
    i,
    e,
    envs=rows(Environments),
    step=rows(RowStep),
    width=rows(Width),
    curving=rows(Curving),
    view_row=read(MatrixPlace.view_row),
    first=read(MatrixPlace.dof),
    free=read(MatrixPlace.free),
    root_link=read(MatrixPlace.root_link),
    root_body=read(MatrixPlace.root_body),
    root_alone=read(MatrixPlace.root_alone),
    entry=read(MatrixEntry.entry),
    orientation=read(LinkPose.orientation),
    link_com=read(LinkInertia.com),
    own_com=read(BodyInertia.com),
    mass=read(MassMatrix.value),
    qd=read(DofState.velocity),
    force=read(DofForce.bias),
    value=write(Matrix.value),
):
    """T^T f, or for forces of curved paths T^T (f - M a): where the centre of mass goes straight, the origin has a."""
    if e >= envs:
        return
    m, b, d = root_link[i, 0], root_body[i, 0], first[i, 0]
    rx, ry, rz = own_com[b, 0, e], own_com[b, 1, e], own_com[b, 2, e]
    if root_alone[i, 0] == 1:
        rx, ry, rz = link_com[m, 0, e], link_com[m, 1, e], link_com[m, 2, e]
    w, qx, qy, qz = orientation[m, 0, e], orientation[m, 1, e], orientation[m, 2, e], orientation[m, 3, e]
    rx, ry, rz = rotate(w, qx, qy, qz, rx, ry, rz)
    ax, ay, az = 0.0, 0.0, 0.0
    if curving == 1 and free[i, 0] == 1:
        wx, wy, wz = qd[d + 3, e], qd[d + 4, e], qd[d + 5, e]
        ax, ay, az = cross(wx, wy, wz, rx, ry, rz)
        ax, ay, az = cross(wx, wy, wz, ax, ay, az)
    place = i * width * width
    at = (e * step + view_row[i, 0]) * width
    x, y, z = 0.0, 0.0, 0.0
    for j in range(width):
        found = force[d + j, e]
        if free[i, 0] == 1:
            if curving == 1:
                n0, n1, n2 = entry[place + j, 0], entry[place + width + j, 0], entry[place + 2 * width + j, 0]
                if n0 >= 0:
                    found -= mass[n0, e] * ax
                if n1 >= 0:
                    found -= mass[n1, e] * ay
                if n2 >= 0:
                    found -= mass[n2, e] * az
            if j == 0:
                x = found
            if j == 1:
                y = found
            if j == 2:
                z = found
            if 3 <= j < 6:
                found += turning(j - 3, x, y, z, rx, ry, rz)
        value[at + j, 0] = found


class Dynamics:
    """Readers of a view's matrices and forces, made when they are used first.

    Rows of results are all environments with each of the view's articulations, by environment, or as the view has them.

    Args:
        view: a view of articulations.
    """

    def __init__(self, view: Any) -> None:
        self._view, self._width = view, view.generalized_mass_matrix_shape[0]
        columns = len(view._robots)
        self._step, self._starts = view.placement or (columns, np.arange(columns))
        self._count = self._view.world.num_envs * columns
        self._readers: dict[str, Reader] = {}

    def jacobians(self) -> Any:
        """(rows, links, 6, velocities)."""
        return self._read("jacobians", self._jacobians)

    def mass_matrices(self) -> Any:
        """(rows, velocities, velocities)."""
        return self._read("mass_matrices", self._mass_matrices)

    def gravity_forces(self) -> Any:
        """(rows, velocities): those that hold articulations still."""
        gravity = self._view.world.engine.store.array(DofForce.gravity)
        return self._read("gravity", lambda: self._forces({DofForce.bias: gravity}, 0))

    def coriolis_forces(self) -> Any:
        """(rows, velocities): Coriolis and centrifugal ones."""
        return self._read("coriolis", lambda: self._forces({}, 1))

    def _read(self, name: str, make: Any) -> Any:
        if name not in self._readers:
            with in_order(self._view.world):
                self._readers[name] = make()
        return self._readers[name].read()[0].get("matrix")

    def _places(self, width: int) -> dict[Any, Any]:
        """What all rows know of the roots; ``width`` rows of each articulation."""
        view, robots = self._view, self._view._robots
        place = {
            MatrixPlace.view_row: self._starts,
            MatrixPlace.dof: [robot._bound.dofs.start for robot in robots],
            MatrixPlace.free: view._free,
            MatrixPlace.root_link: view._link_rows[:, 0],
            MatrixPlace.root_body: view._body_rows[:, 0],
            MatrixPlace.root_alone: view._alone[:, 0],
        }
        found = {field: np.repeat(values, width) for field, values in place.items()}
        return found | {MatrixPlace.index: np.tile(np.arange(width), len(robots))}

    def _jacobians(self) -> Reader:
        view, world = self._view, self._view.world
        skipped = int(view.shared_metatype.fixed_base)
        links, bodies, alone = (values[:, skipped:] for values in (view._link_rows, view._body_rows, view._alone))
        count = links.shape[1]
        first = np.array([robot._bound.dofs.start for robot in view._robots])[:, None]
        place = self._places(count) | {
            MatrixPlace.link: links.ravel(),
            MatrixPlace.body: bodies.ravel(),
            MatrixPlace.alone: alone.ravel(),
            MatrixPlace.moves: relations_of_links(world.engine, links, first).ravel(),
        }
        return self._reader(com_jacobians, place, (count, 6, self._width), {Count: count})

    def _mass_matrices(self) -> Reader:
        place = self._places(self._width) | {MatrixEntry.entry: self._entries()}
        return self._reader(mass_matrices, place, (self._width, self._width), {})

    def _forces(self, arrays: dict[Any, Any], curving: int) -> Reader:
        place = self._places(1) | {MatrixEntry.entry: self._entries()}
        return self._reader(generalized_forces, place, (self._width,), {Curving: curving}, arrays)

    def _entries(self) -> np.ndarray:
        """Where the engine's mass matrix has each pair of dofs, articulation by articulation; -1 where it is zero."""
        world, n = self._view.world, self._width
        row, column = (
            world.engine.device.to_host(each)[:, 0] for each in (world[MassTopology].row, world[MassTopology].column)
        )
        found = []
        for robot in self._view._robots:
            dofs, table = robot._bound.dofs, np.full((n, n), -1, np.int32)
            mine = np.flatnonzero((row >= dofs.start) & (row < dofs.stop))
            a, b = row[mine] - dofs.start, column[mine] - dofs.start
            table[a, b] = table[b, a] = mine
            found.append(table.ravel())
        return np.concatenate(found)

    def _reader(
        self, system: Any, place: dict[Any, Any], shape: Any, numbers: dict[Any, int], arrays: Any = None
    ) -> Reader:
        world = self._view.world
        places = constants(world.engine, place)
        numbers = numbers | {RowStep: self._step, Width: self._width}
        results = {"matrix": (Matrix.value, (self._count, *shape))}
        count = len(place[MatrixPlace.view_row])
        return Reader(world.engine, Reading(Launch(system, count, places | (arrays or {}), numbers), results))
