"""Solve the rows of single dofs: friction, drives that may reach their effort limit, position and speed limits."""

from phalanx.components import (
    Coordinate,
    Dof,
    DofLimit,
    DofModel,
    DofResponse,
    DofRow,
    DofSolve,
    DofTopology,
    Drive,
    DriveEffort,
    Scratch,
    Settings,
    Sweep,
)
from phalanx.ecs import function, read, real, rows, system, update
from phalanx.systems.sweeps import CORRECTION


@function
def solve_dof(w, y, push, slope, most, rub, low, high):
    """All constraints of one dof at once, given all others.

    Friction, a drive with an effort limit, and bounds on the velocity act on the same number, so they are solved
    together exactly: one after the other they would take many sweeps to agree.

    Args:
        w: velocity without this dof's own impulses.
        y: velocity change per unit impulse.
        push, slope: the drive's impulse is push - slope * velocity, as far as
        most: the bound on the drive's impulse, allows.
        rub: bound on the friction impulse.
        low, high: bounds on the velocity.

    Returns:
        The impulses of friction, of the drive, and of the bounds.
    """
    # With friction r and drive(v) = clamp(push - slope v), v solves v = w + y (r + drive(v)), where v - y drive(v)
    # grows with v.
    rubs = min(max(-w / y - min(max(push, -most), most), -rub), rub)
    w = w + y * rubs
    drive = min(max(push - slope * ((w + y * push) / (1.0 + y * slope)), -most), most)
    v = w + y * drive
    held = max(min(v, high), low)
    drive = drive if held == v else min(max(push - slope * held, -most), most)
    stops = 0.0 if held == v else (held - w) / y - drive
    return rubs, drive, stops


@system(phase="solve", after="start_sweeps")
def warm_start_dofs(
    lanes,
    nv=rows(Dof),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    active=read(DofRow.active),
    friction=read(DofRow.friction),
    drive=read(DofRow.drive),
    stop=read(DofRow.stop),
    response=read(DofResponse.velocity),
    change=update(Scratch.change),
    v=update(DofSolve.velocity),
):
    """Apply the impulses of the substep before."""
    for d in range(nv):
        on = 0
        for e in lanes:
            on |= active[d, e]
        if on != 0:
            for e in lanes:
                total = friction[d, e] + drive[d, e] + stop[d, e]
                change[0, 0, e] = total if active[d, e] == 1 else 0.0
            for k in range(first[d, 0], end[d, 0]):
                for e in lanes:
                    v[k, e] += response[d * nv + k, e] * change[0, 0, e]


@system(phase="sweep", before="advance")
def sweep_dofs(
    lanes,
    nv=rows(Dof),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    coord=read(DofTopology.coord),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    index=read(Sweep.index),
    fastest_push=read(Settings.max_depenetration_velocity),
    q=read(Coordinate.value),
    active=read(DofRow.active),
    scalar=read(DofTopology.scalar),
    low_limit=read(DofLimit.lower),
    high_limit=read(DofLimit.upper),
    fastest=read(DofLimit.velocity),
    friction=read(DofModel.friction),
    row_offset=read(DriveEffort.row_offset),
    row_slope=read(DriveEffort.row_slope),
    most_effort=read(Drive.effort_limit),
    rub=update(DofRow.friction),
    drive=update(DofRow.drive),
    stop=update(DofRow.stop),
    response=read(DofResponse.velocity),
    change=update(Scratch.change),
    v=update(DofSolve.velocity),
    displacement=read(DofSolve.displacement),
):
    """Solve each dof in turn, given all others."""
    sweep = 0
    for e in lanes:
        sweep = index[0, e]
    pushing = sweep < position_sweeps[0, 0]
    share = 1.0 / real(position_sweeps[0, 0]) if pushing else 1.0
    correct = CORRECTION if pushing else 0.0
    for d in range(nv):
        on = 0
        for e in lanes:
            on |= active[d, e]
        if scalar[d, 0] == 0:
            on = 0
        if on != 0:
            for e in lanes:
                here = active[d, e] == 1
                y = response[d * nv + d, e]
                part = h[0, e] * share
                w = v[d, e]
                own = rub[d, e] + drive[d, e] + stop[d, e]
                # position limits: at most reach them within the part of the substep that this sweep stands for
                x = q[coord[d, 0], e] + displacement[d, e]
                gap = x - low_limit[d, e]
                slowest = -gap / part if gap > 0.0 else min(-gap * correct / part, fastest_push[0, e])
                gap = high_limit[d, e] - x
                quickest = gap / part if gap > 0.0 else max(gap * correct / part, -fastest_push[0, e])
                rubs, drives, stops = solve_dof(
                    w - y * own,
                    y,
                    h[0, e] * row_offset[d, e],
                    h[0, e] * row_slope[d, e],
                    h[0, e] * most_effort[d, e],
                    h[0, e] * friction[d, e],
                    max(slowest, -fastest[d, e]),
                    min(quickest, fastest[d, e]),
                )
                rub[d, e] = rubs if here else rub[d, e]
                drive[d, e] = drives if here else drive[d, e]
                stop[d, e] = stops if here else stop[d, e]
                change[0, 0, e] = rubs + drives + stops - own if here else 0.0
            for k in range(first[d, 0], end[d, 0]):
                for e in lanes:
                    v[k, e] += response[d * nv + k, e] * change[0, 0, e]
