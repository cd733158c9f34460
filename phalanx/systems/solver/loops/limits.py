"""Limits of loop joints in the constraint solver: each in turn, with what the rows of all joints do about it.

Compliant limits and limits that throw back are as those of robots' joints (:mod:`phalanx.systems.solver.dof_solver`).
"""

import math

from phalanx.components import (
    BodyReaction,
    DofGain,
    DofSolve,
    DofTopology,
    LoopFrame,
    LoopJacobian,
    LoopLimit,
    LoopLimitModel,
    LoopLimitResponse,
    LoopLimitRow,
    LoopLimitScratch,
    LoopLimitShare,
    LoopLimitState,
    LoopLimitTopology,
    LoopLineTopology,
    LoopReaction,
    LoopRow,
    LoopScratch,
    LoopState,
    LoopTopology,
    Settings,
    Sweep,
)
from phalanx.ecs import function, read, real, rows, system, update, write
from phalanx.systems.solver.joined_trees import tree_rows
from phalanx.systems.solver.sweeps import CORRECTION, parts_gone, sweep_parts

INFINITY = float("inf")

PASSES = 8
"""Passes of a sweep over limits where several may act: those of a chain share a load among each other."""


@system(phase="solve")
def warm_start_loop_limits(
    lanes,
    limits=rows(LoopLimit),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    first_dof=read(LoopLimitTopology.first_dof),
    end_dof=read(LoopLimitTopology.end_dof),
    limit_entry=read(LoopLimitTopology.entry),
    first_line=read(LoopLimitTopology.first_line),
    end_line=read(LoopLimitTopology.end_line),
    first_share=read(LoopLimitTopology.share),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    entry=read(LoopTopology.entry),
    line_loop=read(LoopLineTopology.loop),
    slot=read(LoopLineTopology.slot),
    line_jacobian=read(LoopJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    share=read(LoopLimitShare.value),
    near=read(LoopLimitRow.near),
    impulse=read(LoopLimitState.impulse),
    acting=write(LoopLimitScratch.acting),
    held=update(LoopLimitResponse.held),
    u=update(DofGain.velocity),
):
    """Apply the impulses of the substep before; those of the joints' rows hold their shares already.

    From here on, responses are with those shares.
    """
    for e in lanes:
        acting[0, e] = 0
    for m in range(limits):
        on = 0
        for e in lanes:
            on |= near[m, e]
            acting[0, e] += near[m, e]
        if on != 0:
            base = limit_entry[m, 0] - first_dof[m, 0]
            for k in range(first_dof[m, 0], end_dof[m, 0]):
                for e in lanes:
                    u[k, e] += mobility[k, e] * held[base + k, e] * impulse[m, e] if near[m, e] == 1 else 0.0
            from_line = first_share[m, 0] - first_line[m, 0]
            for g in range(first_line[m, 0], end_line[m, 0]):
                i, r = line_loop[g, 0], slot[g, 0]
                for side in range(2):
                    low, high, shift = tree_rows(first, end, dof_a[i, 0], dof_b[i, 0], side)
                    for k in range(low, high):
                        for e in lanes:
                            held[base + k, e] -= line_jacobian[entry[i, 0] + shift + k, r, e] * share[from_line + g, e]


@function
def solve_limit(w, y, near, side, spring, give, h, slowest, quickest):
    """The impulse of a limit.

    Args:
        w, y: velocity of its angle without it, and per unit impulse.
        near: the way to the nearer bound when the substep, of length h, began.
        side: 1 if that is the lower bound, -1 for the upper.
        spring, give: of a compliant limit, its impulse is spring - give * velocity where that pushes back.
        slowest, quickest: bounds on the velocity, of a hard one.
    """
    v = (w + y * spring) / (1.0 + y * give)
    passed = give > 0.0 and side * (near - h * w) > 0.0 and side * (spring - give * v) > 0.0
    hard = (min(max(w, slowest), quickest) - w) / y
    return (spring - give * v if passed else 0.0) if give > 0.0 else hard


@system(phase="sweep")
def sweep_loop_limits(
    lanes,
    limits=rows(LoopLimit),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    fastest_push=read(Settings.max_depenetration_velocity),
    threshold=read(Settings.bounce_threshold),
    index=read(Sweep.index),
    loop=read(LoopLimitTopology.loop),
    first_dof=read(LoopLimitTopology.first_dof),
    end_dof=read(LoopLimitTopology.end_dof),
    limit_entry=read(LoopLimitTopology.entry),
    first_line=read(LoopLimitTopology.first_line),
    end_line=read(LoopLimitTopology.end_line),
    first_share=read(LoopLimitTopology.share),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    line_loop=read(LoopLineTopology.loop),
    slot=read(LoopLineTopology.slot),
    share=read(LoopLimitShare.value),
    elastic=read(LoopLimitModel.restitution),
    stiffness=read(LoopLimitModel.stiffness),
    damping=read(LoopLimitModel.damping),
    near=read(LoopLimitRow.near),
    below=read(LoopLimitRow.below),
    above=read(LoopLimitRow.above),
    rate=read(LoopLimitRow.rate),
    response=read(LoopLimitRow.response),
    acting=read(LoopLimitScratch.acting),
    goal=update(LoopLimitRow.goal),
    jacobian=read(LoopLimitResponse.jacobian),
    held=read(LoopLimitResponse.held),
    mobility=read(DofSolve.inverse_pivot),
    impulse=update(LoopLimitState.impulse),
    line_impulse=update(LoopState.impulse),
    sum=update(LoopScratch.sum),
    way=update(LoopScratch.shift),
    u=update(DofGain.velocity),
    displacement=update(DofGain.displacement),
):
    """One sweep: each limit in turn, with all rows of joints."""
    moving = position_sweeps[0, 0]
    sweep = 0
    for e in lanes:
        sweep = index[0, e]
    pushing = sweep < moving
    parts = sweep_parts(projected[0, 0], moving)
    gone = real(parts_gone(projected[0, 0], moving, sweep)) / real(parts)
    passes = 1
    for e in lanes:
        passes = PASSES if acting[0, e] > 1 else passes
    for step in range(passes * limits):
        # there and back in turn
        turn, m = step // limits, step % limits
        m = limits - 1 - m if turn % 2 == 1 else m
        on = 0
        for e in lanes:
            on |= near[m, e]
        if on != 0:
            j = loop[m, 0]
            base = limit_entry[m, 0] - first_dof[m, 0]
            for e in lanes:
                sum[0, e] = rate[m, e]
                way[0, e] = gone * h[0, e] * rate[m, e]
            for side in range(2):
                low, high, _ = tree_rows(first, end, dof_a[j, 0], dof_b[j, 0], side)
                for k in range(low, high):
                    for e in lanes:
                        sum[0, e] += jacobian[base + k, e] * u[k, e]
                        way[0, e] += jacobian[base + k, e] * displacement[k, e]
            for e in lanes:
                part = h[0, e] / real(parts) if pushing else h[0, e]
                y = response[m, e]
                now = impulse[m, e]
                w = sum[0, e] - now * y
                low_gap, high_gap = below[m, e] - way[0, e], above[m, e] - way[0, e]
                # it may go as far as its limits; a velocity sweep stops only what was stopped
                slowest, quickest = min(low_gap, 0.0) / part, max(high_gap, 0.0) / part
                slowest = -INFINITY if not pushing and low_gap < 0.0 and now <= 0.0 else slowest
                quickest = INFINITY if not pushing and high_gap > 0.0 and now >= 0.0 else quickest
                # and throws back what came in fast and was stopped
                came = rate[m, e]
                bounces = not pushing and elastic[m, e] > 0.0 and math.fabs(came) > threshold[0, e]
                reach = 0.5 * h[0, e] * math.fabs(came)
                slowest = -elastic[m, e] * came if bounces and now > 0.0 and -low_gap < reach else slowest
                quickest = -elastic[m, e] * came if bounces and now < 0.0 and high_gap < reach else quickest
                lower = -below[m, e] < above[m, e]
                ahead = below[m, e] if lower else above[m, e]
                spring = h[0, e] * stiffness[m, e]
                give = h[0, e] * (spring + damping[m, e])
                acts = near[m, e] == 1 and y > 0.0 and (turn == 0 or acting[0, e] > 1)
                off = max(low_gap, 0.0) + min(high_gap, 0.0)
                most = fastest_push[0, e] * h[0, e] / real(moving)
                off = min(max(CORRECTION * off, -most), most) if pushing and give == 0.0 else 0.0
                aim = way[0, e] + off if off != 0.0 else INFINITY
                aim = aim if turn == 0 else goal[m, e]
                goal[m, e] = aim
                sign = 1.0 if lower else -1.0
                new = solve_limit(w, y, ahead, sign, spring * ahead, give, h[0, e], slowest, quickest) if acts else now
                sum[0, e] = new - now
                way[0, e] = (aim - way[0, e]) / y if acts and aim < INFINITY else 0.0
                impulse[m, e] += sum[0, e]
            for k in range(first_dof[m, 0], end_dof[m, 0]):
                for e in lanes:
                    answer = mobility[k, e] * held[base + k, e]
                    u[k, e] += answer * sum[0, e]
                    displacement[k, e] += answer * way[0, e]
            from_line = first_share[m, 0] - first_line[m, 0]
            for g in range(first_line[m, 0], end_line[m, 0]):
                for e in lanes:
                    line_impulse[line_loop[g, 0], slot[g, 0], e] -= share[from_line + g, e] * sum[0, e]


@system(over=LoopLimit, phase="integrate")
def break_by_limits(
    m,
    e,
    h=read(Settings.timestep),
    loop=read(LoopLimitTopology.loop),
    leads=read(LoopLimitTopology.leads),
    next=read(LoopLimitTopology.next),
    count=read(LoopTopology.count),
    most=read(LoopFrame.break_torque),
    line_direction=read(LoopRow.direction),
    line_impulse=read(LoopState.impulse),
    direction=read(LoopLimitRow.direction),
    impulse=read(LoopLimitState.impulse),
    broken=update(LoopState.broken),
):
    """Break joints that transmit too much torque, that of their limits included."""
    if leads[m, e] == 1:
        j = loop[m, e]
        x, y, z = 0.0, 0.0, 0.0
        for r in range(3, count[j, e]):
            x += line_direction[j, 3 * r, e] * line_impulse[j, r, e]
            y += line_direction[j, 3 * r + 1, e] * line_impulse[j, r, e]
            z += line_direction[j, 3 * r + 2, e] * line_impulse[j, r, e]
        for n in range(m, next[m, e]):
            x += direction[n, 0, e] * impulse[n, e]
            y += direction[n, 1, e] * impulse[n, e]
            z += direction[n, 2, e] * impulse[n, e]
        if math.sqrt(x * x + y * y + z * z) > most[j, e] * h[0, e]:
            broken[j, e] = 1


@system(phase="query_joints")
def loop_limit_reactions(
    lanes,
    limits=rows(LoopLimit),
    h=read(Settings.timestep),
    loop=read(LoopLimitTopology.loop),
    body_a=read(LoopTopology.body_a),
    body_b=read(LoopTopology.body_b),
    direction=read(LoopLimitRow.direction),
    impulse=read(LoopLimitState.impulse),
    wrench=update(LoopReaction.wrench),
    acting=update(BodyReaction.acting),
):
    """The torques of limits, in what joints transmit and in the balance of the bodies that they connect."""
    for m in range(limits):
        j = loop[m, 0]
        a, b = body_a[j, 0], body_b[j, 0]
        for k in range(3):
            for e in lanes:
                torque = direction[m, k, e] * (impulse[m, e] / h[0, e])
                wrench[j, 3 + k, e] += torque
                acting[a, k, e] += torque
            if b >= 0:
                for e in lanes:
                    acting[b, k, e] -= direction[m, k, e] * (impulse[m, e] / h[0, e])
