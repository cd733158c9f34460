"""Solve the rows of single dofs: friction, drives that may reach their effort limit, position and speed limits."""

import math

from phalanx.components import (
    Coordinate,
    Dof,
    DofGain,
    DofJacobian,
    DofLimit,
    DofModel,
    DofRow,
    DofSolve,
    DofState,
    DofTopology,
    Drive,
    DriveEffort,
    MassTopology,
    Scratch,
    Settings,
    Sweep,
)
from phalanx.ecs import function, read, real, spread, system, update
from phalanx.systems.sweeps import CORRECTION, parts_gone, sweep_parts

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
    dofs=read(Sweep.dofs),
    order=read(DofRow.order),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    active=read(DofRow.active),
    friction=read(DofRow.friction),
    drive=read(DofRow.drive),
    stop=read(DofRow.stop),
    jacobian=read(DofJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    change=update(Scratch.change),
    u=update(DofGain.velocity),
):
    """Apply the impulses of the substep before."""
    for n in range(dofs[0, lanes[0]]):
        d = order[n, lanes[0]]
        for e in lanes:
            total = friction[d, e] + drive[d, e] + stop[d, e]
            change[0, 0, e] = total if active[d, e] == 1 else 0.0
        for s in spread(depth[d, 0]):
            k = column[chain[d, 0] + s, 0]
            for e in lanes:
                u[k, e] += mobility[k, e] * jacobian[chain[d, 0] + s, e] * change[0, 0, e]


@system(phase="sweep", before="advance")
def sweep_dofs(
    lanes,
    dofs=read(Sweep.dofs),
    order=read(DofRow.order),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
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
    response=read(DofRow.response),
    jacobian=read(DofJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    sum=update(Scratch.sum),
    change=update(Scratch.change),
    u=update(DofGain.velocity),
    displacement=read(DofGain.displacement),
):
    """Solve each dof in turn, given all others."""
    sweep = 0
    for e in lanes:
        sweep = index[0, e]
    pushing = sweep < position_sweeps[0, 0]
    parts = sweep_parts(projected[0, 0], position_sweeps[0, 0])
    share = 1.0 / real(parts) if pushing else 1.0
    gone = real(parts_gone(projected[0, 0], position_sweeps[0, 0], sweep)) / real(parts)
    correct = CORRECTION if pushing else 0.0
    bouncing = not pushing
    for n in range(dofs[0, lanes[0]]):
        d = order[n, lanes[0]]
        for e in lanes:
            sum[0, 0, e] = qd[d, e]
            sum[0, 1, e] = gone * h[0, e] * qd[d, e]
        for s in spread(depth[d, 0]):
            k = column[chain[d, 0] + s, 0]
            for e in lanes:
                sum[0, 0, e] += jacobian[chain[d, 0] + s, e] * u[k, e]
                sum[0, 1, e] += jacobian[chain[d, 0] + s, e] * displacement[k, e]
        for e in lanes:
            here = active[d, e] == 1
            y = response[d, e]
            part = h[0, e] * share
            w = sum[0, 0, e]
            own = rub[d, e] + drive[d, e] + stop[d, e]
            low, high = low_limit[d, e], high_limit[d, e]
            before = q[coord[d, 0], e]
            x = before + sum[0, 1, e]
            spring = h[0, e] * stiffness[d, e]
            give = h[0, e] * (spring + damping[d, e])
            lower = before - low < high - before
            near = low - before if lower else high - before
            # hard limits: at most reach them within the part of the substep that this sweep stands for
            slowest = (low - x) / part if x > low else min((low - x) * correct / part, fastest_push[0, e])
            quickest = (high - x) / part if x < high else max((high - x) * correct / part, -fastest_push[0, e])
            # restitution: velocity sweeps throw back what came in fast and was stopped at the limit, and do not
            # brake what has yet to arrive
            came, springy = qd[d, e], elastic[d, e]
            bounces = bouncing and springy > 0.0 and math.fabs(came) > threshold[0, e]
            reach = 0.5 * h[0, e] * math.fabs(came)
            below = bounces and stop[d, e] > 0.0 and x - low < reach
            above = bounces and stop[d, e] < 0.0 and high - x < reach
            slowest = -INFINITY if bounces and stop[d, e] == 0.0 else slowest
            quickest = INFINITY if bounces and stop[d, e] == 0.0 else quickest
            slowest = max(slowest, -springy * came) if below else slowest
            quickest = min(quickest, -springy * came) if above else quickest
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
        for s in spread(depth[d, 0]):
            k = column[chain[d, 0] + s, 0]
            for e in lanes:
                u[k, e] += mobility[k, e] * jacobian[chain[d, 0] + s, e] * change[0, 0, e]


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
