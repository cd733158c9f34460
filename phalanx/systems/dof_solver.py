"""Solve the rows of single dofs: friction, drives that may reach their effort limit, position and speed limits."""

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
    Scratch,
    Settings,
    Sweep,
)
from phalanx.ecs import function, read, real, rows, spread, system, update
from phalanx.systems.sweeps import CORRECTION, sweep_parts

INFINITY = float("inf")


@function
def solve_dof(w, y, push, slope, most, hold, rub, side, near, spring, give, h, low, high):
    """All constraints of one dof at once, given all others.

    Friction, a drive with an effort limit, compliant limits, and bounds on the velocity act on the same number, so they
    are solved together: one after the other they would take many sweeps to agree.

    Args:
        w: velocity without this dof's own impulses.
        y: velocity change per unit impulse.
        push, slope: the drive's impulse is push - slope * velocity, as far as
        most: the bound on the drive's impulse, allows.
        hold, rub: bounds on the friction impulse of a dof at rest, and of one that moves.
        side: 1 if the nearer compliant limit is the lower one, -1 for the upper.
        near: the way to it.
        spring, give: its impulse is spring - give * velocity, if the joint is then beyond it and pushed back.
        h: length of the substep.
        low, high: bounds on the velocity.

    Returns:
        The impulses of friction, of the drive, and of the limits.
    """
    # With friction r and drive(v) = clamp(push - slope v), v solves v = w + y (r + drive(v)), where v - y drive(v)
    # grows with v.
    rubs = -w / y - min(max(push, -most), most)
    rubs = rubs if math.fabs(rubs) <= hold else (rub if rubs > 0.0 else -rub)
    w = w + y * rubs
    drive = min(max(push - slope * ((w + y * push) / (1.0 + y * slope)), -most), most)
    v = w + y * drive
    passed = give > 0.0 and side * (near - h * v) > 0.0 and side * (spring - give * v) > 0.0
    soft = (w + y * (push + spring)) / (1.0 + y * (slope + give))
    other = min(max(push - slope * soft, -most), most)
    soft = soft if math.fabs(push - slope * soft) <= most else (w + y * (other + spring)) / (1.0 + y * give)
    drive = other if passed else drive
    v = soft if passed else v
    held = max(min(v, high), low)
    drive = drive if held == v else min(max(push - slope * held, -most), most)
    stops = spring - give * v if passed else 0.0
    stops = stops if held == v else (held - w) / y - drive
    return rubs, drive, stops


@system(phase="solve", after="start_sweeps")
def warm_start_dofs(
    lanes,
    nv=rows(Dof),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    relations=read(DofTopology.relations),
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
            for k in spread(first[d, 0], end[d, 0]):
                for e in lanes:
                    v[k, e] += response[relations[d, 0] + k, e] * change[0, 0, e]


@system(phase="sweep", before="advance")
def sweep_dofs(
    lanes,
    nv=rows(Dof),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    relations=read(DofTopology.relations),
    coord=read(DofTopology.coord),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    index=read(Sweep.index),
    fastest_push=read(Settings.max_depenetration_velocity),
    threshold=read(Settings.bounce_threshold),
    q=read(Coordinate.value),
    qd=read(DofState.velocity),
    active=read(DofRow.active),
    scalar=read(DofTopology.scalar),
    low_limit=read(DofLimit.lower),
    high_limit=read(DofLimit.upper),
    fastest=read(DofLimit.velocity),
    elastic=read(DofLimit.restitution),
    stiffness=read(DofLimit.stiffness),
    damping=read(DofLimit.damping),
    friction=read(DofModel.friction),
    static_friction=read(DofModel.static_friction),
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
    share = 1.0 / real(sweep_parts(projected[0, 0], position_sweeps[0, 0])) if pushing else 1.0
    correct = CORRECTION if pushing else 0.0
    bouncing = not pushing
    for d in range(nv):
        on = 0
        for e in lanes:
            on |= active[d, e]
        if scalar[d, 0] == 0:
            on = 0
        if on != 0:
            for e in lanes:
                here = active[d, e] == 1
                y = response[relations[d, 0] + d, e]
                part = h[0, e] * share
                w = v[d, e]
                own = rub[d, e] + drive[d, e] + stop[d, e]
                low, high = low_limit[d, e], high_limit[d, e]
                before = q[coord[d, 0], e]
                x = before + displacement[d, e]
                spring = h[0, e] * stiffness[d, e]
                give = h[0, e] * (spring + damping[d, e])
                lower = before - low < high - before
                near = low - before if lower else high - before
                # hard limits: at most reach them within the part of the substep that this sweep stands for
                slowest = (low - x) / part if x > low else min((low - x) * correct / part, fastest_push[0, e])
                quickest = (high - x) / part if x < high else max((high - x) * correct / part, -fastest_push[0, e])
                # restitution: velocity sweeps throw back what came in fast and was stopped at the limit, and do not
                # brake what has yet to arrive
                came = qd[d, e]
                bounces = bouncing and elastic[d, e] > 0.0 and math.fabs(came) > threshold[0, e]
                reach = 0.5 * h[0, e] * math.fabs(came)
                below = bounces and stop[d, e] > 0.0 and x - low < reach
                above = bounces and stop[d, e] < 0.0 and high - x < reach
                slowest = -INFINITY if bounces and stop[d, e] == 0.0 else slowest
                quickest = INFINITY if bounces and stop[d, e] == 0.0 else quickest
                slowest = max(slowest, -elastic[d, e] * came) if below else slowest
                quickest = min(quickest, -elastic[d, e] * came) if above else quickest
                slowest = -INFINITY if give > 0.0 else slowest
                quickest = INFINITY if give > 0.0 else quickest
                rubs, drives, stops = solve_dof(
                    w - y * own,
                    y,
                    h[0, e] * row_offset[d, e],
                    h[0, e] * row_slope[d, e],
                    h[0, e] * most_effort[d, e],
                    h[0, e] * max(friction[d, e], static_friction[d, e]),
                    h[0, e] * friction[d, e],
                    1.0 if lower else -1.0,
                    near,
                    spring * near,
                    give,
                    h[0, e],
                    max(slowest, -fastest[d, e]),
                    min(quickest, fastest[d, e]),
                )
                rub[d, e] = rubs if here else rub[d, e]
                drive[d, e] = drives if here else drive[d, e]
                stop[d, e] = stops if here else stop[d, e]
                change[0, 0, e] = rubs + drives + stops - own if here else 0.0
            for k in spread(first[d, 0], end[d, 0]):
                for e in lanes:
                    v[k, e] += response[relations[d, 0] + k, e] * change[0, 0, e]


@system(over=Dof, phase="integrate", after="cap_root_velocity", before="update_coordinates")
def keep_limits(
    d,
    e,
    h=read(Settings.timestep),
    coord=read(DofTopology.coord),
    q=read(Coordinate.value),
    lower=read(DofLimit.lower),
    upper=read(DofLimit.upper),
    stiffness=read(DofLimit.stiffness),
    damping=read(DofLimit.damping),
    fastest=read(DofLimit.velocity),
    prescribed=read(DofModel.prescribed),
    displacement=update(DofSolve.displacement),
):
    """No joint passes a hard limit, however far from agreement the sweeps were left; one beyond it goes no farther."""
    c = coord[d, e]
    if c < 0 or prescribed[d, e] != 0:
        return
    hard = stiffness[d, e] + damping[d, e] == 0.0
    least = min(lower[d, e] - q[c, e], 0.0) if hard else -INFINITY
    most = max(upper[d, e] - q[c, e], 0.0) if hard else INFINITY
    displacement[d, e] = min(max(displacement[d, e], least), most)
