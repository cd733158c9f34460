"""Rows of single dofs: which may act in this substep, and their Jacobians for decoupled velocities, rows of L^-1."""

import math

from phalanx.components import (
    Coordinate,
    Dof,
    DofJacobian,
    DofLimit,
    DofModel,
    DofRow,
    DofSolve,
    DofState,
    DofTopology,
    Drive,
    DriveEffort,
    MassFactor,
    MassTopology,
    Settings,
    Sweep,
)
from phalanx.ecs import read, rows, spread, system, update, write

LIMIT_MARGIN = 0.05
"""Limits become rows this far ahead (rad or m), beyond what the speed covers in a substep."""

LIKELY_TOO_FAST = 0.5
"""Joints become rows from this share of their speed limit."""


@system(over=Dof, phase="rows")
def activate_dof_rows(
    d,
    e,
    h=read(Settings.timestep),
    scalar=read(DofTopology.scalar),
    mimicked=read(DofTopology.mimicked),
    coord=read(DofTopology.coord),
    q=read(Coordinate.value),
    qd=read(DofState.velocity),
    free=read(DofSolve.velocity),
    lower=read(DofLimit.lower),
    upper=read(DofLimit.upper),
    fastest=read(DofLimit.velocity),
    friction=read(DofModel.friction),
    static_friction=read(DofModel.static_friction),
    row_offset=read(DriveEffort.row_offset),
    row_slope=read(DriveEffort.row_slope),
    most=read(Drive.effort_limit),
    friction_impulse=update(DofRow.friction),
    drive_impulse=update(DofRow.drive),
    stop_impulse=update(DofRow.stop),
    active=write(DofRow.active),
):
    """A dof gets rows when a limit, its friction, or the limits of its drive or speed may act in this substep."""
    if scalar[d, e] == 0:
        active[d, e] = 0
        return
    # loads come before conditions: those behind one would each be waited for, or masked
    x, v, w = q[coord[d, e], e], qd[d, e], free[d, e]
    low, high, most_speed, most_effort = lower[d, e], upper[d, e], fastest[d, e], most[d, e]
    rub, rub_static, offset, slope = friction[d, e], static_friction[d, e], row_offset[d, e], row_slope[d, e]
    rubbed, drove, stopped = friction_impulse[d, e], drive_impulse[d, e], stop_impulse[d, e]
    speed = max(math.fabs(v), math.fabs(w))
    reach = LIMIT_MARGIN + h[0, e] * speed
    stops = x - low < reach or high - x < reach or stopped != 0.0 or speed > LIKELY_TOO_FAST * most_speed
    driven = slope > 0.0
    on = stops or driven or rub > 0.0 or rub_static > 0.0 or mimicked[d, e] == 1
    guess = h[0, e] * min(max(offset - slope * v, -most_effort), most_effort)
    guess = drove if drove != 0.0 else guess
    active[d, e] = 1 if on else 0
    friction_impulse[d, e] = rubbed if on else 0.0
    drive_impulse[d, e] = guess if driven else 0.0
    stop_impulse[d, e] = stopped if on else 0.0


@system(phase="rows")
def list_dof_rows(
    lanes,
    nv=rows(Dof),
    active=read(DofRow.active),
    order=write(DofRow.order),
    dofs=write(Sweep.dofs),
):
    """Those that have rows in any lane: sweeps would ask each dof again and again."""
    n = 0
    for d in range(nv):
        on = 0
        for e in lanes:
            on |= active[d, e]
        if on != 0:
            for e in lanes:
                order[n, e] = d
            n += 1
    for e in lanes:
        dofs[0, e] = n


@system(phase="rows")
def dof_jacobians(
    lanes,
    dofs=read(Sweep.dofs),
    order=read(DofRow.order),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    factor=read(MassFactor.value),
    mobility=read(DofSolve.inverse_pivot),
    jacobian=write(DofJacobian.value),
    response=write(DofRow.response),
):
    """Rows of L^-1 for the dofs that have rows in any lane, and their velocity per unit impulse."""
    for n in spread(dofs[0, lanes[0]]):
        a = order[n, lanes[0]]
        row, length = chain[a, 0], depth[a, 0]
        for e in lanes:
            response[a, e] = 0.0
        for t in range(length):
            for e in lanes:
                jacobian[row + t, e] = 1.0 if t == 0 else 0.0
        for t in range(length):
            d = column[row + t, 0]
            start = chain[d, 0]
            for s in range(1, length - t):
                for e in lanes:
                    jacobian[row + t + s, e] -= factor[start + s, e] * jacobian[row + t, e]
            for e in lanes:
                response[a, e] += mobility[d, e] * jacobian[row + t, e] * jacobian[row + t, e]
