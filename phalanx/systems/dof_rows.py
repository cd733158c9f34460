"""Rows of single dofs: which may act in this substep, and how the robot responds to a unit impulse on each.

A row's response is (M + implicit terms)^-1 J^T, by the sparse factorisation.
"""

import math

from phalanx.components import (
    Coordinate,
    Dof,
    DofLimit,
    DofModel,
    DofResponse,
    DofRow,
    DofSolve,
    DofState,
    DofTopology,
    Drive,
    DriveEffort,
    MassFactor,
    MassTopology,
    Settings,
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
    x = q[coord[d, e], e]
    v, w = qd[d, e], free[d, e]
    reach = LIMIT_MARGIN + h[0, e] * max(math.fabs(v), math.fabs(w))
    stops = x - lower[d, e] < reach or upper[d, e] - x < reach or stop_impulse[d, e] != 0.0
    stops = stops or max(math.fabs(v), math.fabs(w)) > LIKELY_TOO_FAST * fastest[d, e]
    driven = row_slope[d, e] > 0.0
    on = stops or driven or friction[d, e] > 0.0 or static_friction[d, e] > 0.0 or mimicked[d, e] == 1
    active[d, e] = 1 if on else 0
    friction_impulse[d, e] = friction_impulse[d, e] if on else 0.0
    guess = h[0, e] * min(max(row_offset[d, e] - row_slope[d, e] * v, -most[d, e]), most[d, e])
    guess = drive_impulse[d, e] if drive_impulse[d, e] != 0.0 else guess
    drive_impulse[d, e] = guess if driven else 0.0
    stop_impulse[d, e] = stop_impulse[d, e] if on else 0.0


@system(phase="rows", after="activate_dof_rows")
def dof_responses(
    lanes,
    nv=rows(Dof),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    relations=read(DofTopology.relations),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    active=read(DofRow.active),
    factor=read(MassFactor.value),
    inverse_pivot=read(DofSolve.inverse_pivot),
    response=write(DofResponse.velocity),
):
    """Columns of the inverse mass matrix for the dofs that have rows in any lane."""
    for a in spread(nv):
        on = 0
        for e in lanes:
            on |= active[a, e]
        if on != 0:
            low = first[a, 0]
            high = end[a, 0]
            base = relations[a, 0]
            for k in range(low, high):
                for e in lanes:
                    response[base + k, e] = 0.0
            for e in lanes:
                response[base + a, e] = 1.0
            d = a  # only the chain of a fills before the pivots
            for u in range(depth[a, 0]):
                d = column[chain[a, 0] + u, 0]
                start = chain[d, 0]
                for s in range(1, depth[d, 0]):
                    b = base + column[start + s, 0]
                    for e in lanes:
                        response[b, e] -= factor[start + s, e] * response[base + d, e]
            for d2 in range(low, high):
                start = chain[d2, 0]
                for e in lanes:
                    response[base + d2, e] = response[base + d2, e] * inverse_pivot[d2, e]
                for s in range(1, depth[d2, 0]):
                    b = base + column[start + s, 0]
                    for e in lanes:
                        response[base + d2, e] -= factor[start + s, e] * response[b, e]
