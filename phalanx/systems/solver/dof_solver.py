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
from phalanx.systems.solver.sweeps import CORRECTION, parts_gone, sweep_parts

INFINITY = float("inf")


@function
def solve_dof(
    w, y, iy, soft_drive, soft_both, soft_stop, push, slope, most, hold, rub, side, near, spring, give, h, low, high
):
    """All constraints of one dof at once, given all others.

    Friction, a drive with an effort limit, compliant limits, and bounds on the velocity act on the same number, so they
    are solved together: one after the other they would take many sweeps to agree.

    Args:
        w: velocity without this dof's own impulses.
        y, iy: velocity change per unit impulse, and its inverse.
        soft_drive, soft_both, soft_stop: see :func:`softness`.
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
    rubs = -w * iy - min(max(push, -most), most)
    rubs = rubs if math.fabs(rubs) <= hold else (rub if rubs > 0.0 else -rub)
    w = w + y * rubs
    drive = min(max(push - slope * ((w + y * push) * soft_drive), -most), most)
    v = w + y * drive
    passed = give > 0.0 and side * (near - h * v) > 0.0 and side * (spring - give * v) > 0.0
    soft = (w + y * (push + spring)) * soft_both
    other = min(max(push - slope * soft, -most), most)
    soft = soft if math.fabs(push - slope * soft) <= most else (w + y * (other + spring)) * soft_stop
    drive = other if passed else drive
    v = soft if passed else v
    held = max(min(v, high), low)
    drive = drive if held == v else min(max(push - slope * held, -most), most)
    stops = spring - give * v if passed else 0.0
    stops = stops if held == v else (held - w) * iy - drive
    return rubs, drive, stops


@function
def softness(y, slope, give):
    """By how much a drive, a drive and a compliant limit, and such a limit alone slow down what they act on."""
    return 1.0 / (1.0 + y * slope), 1.0 / (1.0 + y * (slope + give)), 1.0 / (1.0 + y * give)


@function
def solve_dof_row(
    bouncing, w, y, iy, soft_drive, soft_both, soft_stop, h, pace, correct, before, x, came, low, high, spring, give,
    springy, threshold, fastest, fastest_push, push, slope, most, hold, rub, stop,
):  # fmt: skip
    """All constraints of one dof in one sweep, given all others.

    Args:
        bouncing: this is a velocity sweep.
        w: velocity without this dof's own impulses.
        y, iy: velocity change per unit impulse, and its inverse.
        soft_drive, soft_both, soft_stop: see :func:`softness`.
        h, pace: length of the substep, and inverse of that of the part of it that the sweep stands for.
        correct: share of an error of position that is taken out.
        before, x: position at the start of the substep, and now.
        came: velocity at the start of the substep.
        low, high: limits.
        spring, give: impulse of a compliant limit per metre or radian, and per unit velocity; 0: the limit is hard.
        springy: restitution of the limits.
        threshold: slower impacts do not bounce.
        fastest, fastest_push: bounds on the velocity, and on how fast a limit pushes out.
        push, slope, most, hold, rub: as for :func:`solve_dof`.
        stop: impulse of the limits so far.

    Returns:
        The impulses of friction, of the drive, and of the limits.
    """
    lower = before - low < high - before
    near = low - before if lower else high - before
    # hard limits: at most reach them within the part of the substep that this sweep stands for
    slowest = (low - x) * pace if x > low else min((low - x) * correct * pace, fastest_push)
    quickest = (high - x) * pace if x < high else max((high - x) * correct * pace, -fastest_push)
    # restitution: velocity sweeps throw back what came in fast and was stopped at the limit, and do not
    # brake what has yet to arrive
    bounces = bouncing and springy > 0.0 and math.fabs(came) > threshold
    reach = 0.5 * h * math.fabs(came)
    below = bounces and stop > 0.0 and x - low < reach
    above = bounces and stop < 0.0 and high - x < reach
    slowest = -INFINITY if bounces and stop == 0.0 else slowest
    quickest = INFINITY if bounces and stop == 0.0 else quickest
    slowest = max(slowest, -springy * came) if below else slowest
    quickest = min(quickest, -springy * came) if above else quickest
    slowest = -INFINITY if give > 0.0 else slowest
    quickest = INFINITY if give > 0.0 else quickest
    return solve_dof(
        w, y, iy, soft_drive, soft_both, soft_stop, push, slope, most, hold, rub, 1.0 if lower else -1.0,
        near, spring * near, give, h, max(slowest, -fastest), min(quickest, fastest),
    )  # fmt: skip


@system(phase="solve")
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


@system(phase="sweep")
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
            own = rub[d, e] + drive[d, e] + stop[d, e]
            y, slope, spring = response[d, e], h[0, e] * row_slope[d, e], h[0, e] * stiffness[d, e]
            give = h[0, e] * (spring + damping[d, e])
            soft_drive, soft_both, soft_stop = softness(y, slope, give)
            rubs, drives, stops = solve_dof_row(
                bouncing, sum[0, 0, e] - y * own, y, 1.0 / y, soft_drive, soft_both, soft_stop,
                h[0, e], 1.0 / (h[0, e] * share), correct, q[coord[d, 0], e], q[coord[d, 0], e] + sum[0, 1, e],
                qd[d, e], low_limit[d, e], high_limit[d, e], spring, give, elastic[d, e], threshold[0, e],
                fastest[d, e], fastest_push[0, e], h[0, e] * row_offset[d, e], slope, h[0, e] * most_effort[d, e],
                h[0, e] * max(friction[d, e], static_friction[d, e]), h[0, e] * friction[d, e], stop[d, e],
            )  # fmt: skip
            rub[d, e] = rubs if here else rub[d, e]
            drive[d, e] = drives if here else drive[d, e]
            stop[d, e] = stops if here else stop[d, e]
            change[0, 0, e] = rubs + drives + stops - own if here else 0.0
        for s in spread(depth[d, 0]):
            k = column[chain[d, 0] + s, 0]
            for e in lanes:
                u[k, e] += mobility[k, e] * jacobian[chain[d, 0] + s, e] * change[0, 0, e]


@system(over=Dof, phase="integrate")
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
