"""Loop joints in the constraint solver: the rows of all of them are solved together, exactly; ropes one by one.

What a joint is off is taken out by moving the bodies alone, as penetration is: no velocity is left of it.
"""

import math

from phalanx.components import (
    BodyReaction,
    DofGain,
    DofSolve,
    DofTopology,
    LinkPose,
    Loop,
    LoopCellValue,
    LoopFrame,
    LoopJacobian,
    LoopLine,
    LoopLineSolve,
    LoopLineTopology,
    LoopReaction,
    LoopRow,
    LoopScratch,
    LoopState,
    LoopTopology,
    Settings,
    Sweep,
)
from phalanx.components.loop import DISTANCE_LOOP
from phalanx.ecs import read, real, rows, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.solver.joined_trees import tree_rows
from phalanx.systems.solver.loops.matrix import acts
from phalanx.systems.solver.sweeps import CORRECTION, parts_gone, sweep_parts

INFINITY = float("inf")


@system(phase="solve")
def warm_start_loops(
    lanes,
    loops=rows(Loop),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    count=read(LoopTopology.count),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    entry=read(LoopTopology.entry),
    jacobian=read(LoopJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    impulse=read(LoopState.impulse),
    u=update(DofGain.velocity),
):
    """Apply the impulses of the substep before."""
    for j in range(loops):
        da, db = dof_a[j, 0], dof_b[j, 0]
        for side in range(2):
            low, high, shift = tree_rows(first, end, da, db, side)
            base = entry[j, 0] + shift
            for k in range(low, high):
                for r in range(count[j, 0]):
                    for e in lanes:
                        u[k, e] += mobility[k, e] * jacobian[base + k, r, e] * impulse[j, r, e]


@system(phase="sweep")
def sweep_loops(
    lanes,
    loops=rows(Loop),
    lines=rows(LoopLine),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    fastest_push=read(Settings.max_depenetration_velocity),
    index=read(Sweep.index),
    kind=read(LoopTopology.kind),
    count=read(LoopTopology.count),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    entry=read(LoopTopology.entry),
    line=read(LoopTopology.line),
    nearest=read(LoopFrame.nearest),
    error=read(LoopRow.error),
    drift=read(LoopRow.drift),
    jacobian=read(LoopJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    start=read(LoopLineSolve.start),
    first_line=read(LoopLineTopology.first),
    first_cell=read(LoopLineTopology.cell),
    factor=read(LoopCellValue.value),
    inverse=read(LoopLineSolve.inverse_pivot),
    speed=update(LoopLineSolve.speed),
    way=update(LoopLineSolve.way),
    impulse=update(LoopState.impulse),
    u=update(DofGain.velocity),
    displacement=update(DofGain.displacement),
):
    """One sweep: what all rows miss, the impulses that make it, and what those do."""
    moving = position_sweeps[0, 0]
    sweep = 0
    for e in lanes:
        sweep = index[0, e]
    pushing = sweep < moving
    share = 1.0 / real(moving)
    parts = sweep_parts(projected[0, 0], moving)
    gone = real(parts_gone(projected[0, 0], moving, sweep)) / real(parts)
    for j in range(loops):
        da, db = dof_a[j, 0], dof_b[j, 0]
        n, g = count[j, 0], line[j, 0]
        for r in range(n):
            for e in lanes:
                speed[g + r, e] = drift[j, r, e] - start[g + r, e]
                way[g + r, e] = gone * h[0, e] * (drift[j, r, e] - start[g + r, e]) - error[j, r, e]
        for side in range(2):
            low, high, shift = tree_rows(first, end, da, db, side)
            base = entry[j, 0] + shift
            for r in range(n):
                for k in range(low, high):
                    for e in lanes:
                        speed[g + r, e] -= jacobian[base + k, r, e] * u[k, e]
                        way[g + r, e] -= jacobian[base + k, r, e] * displacement[k, e]
        for e in lanes:
            way[g, e] += nearest[j, e] if kind[j, 0] == DISTANCE_LOOP else 0.0
            line_off, turn_off = 0.0, 0.0
            for r in range(n):
                off = CORRECTION * way[g + r, e]
                way[g + r, e] = off
                line_off += off * off if r < 3 else 0.0
                turn_off += off * off if r >= 3 else 0.0
            # nothing is pulled together faster than the cap
            limit = fastest_push[0, e] * h[0, e] * share
            line_off = limit / math.sqrt(line_off) if line_off > limit * limit else 1.0
            turn_off = limit / math.sqrt(turn_off) if turn_off > limit * limit else 1.0
            for r in range(n):
                scale = line_off if r < 3 else turn_off
                way[g + r, e] = way[g + r, e] * scale if pushing else 0.0
    for g in range(lines):
        base = first_cell[g, 0] - first_line[g, 0]
        for c in range(first_line[g, 0], g):
            for e in lanes:
                speed[g, e] -= factor[base + c, e] * speed[c, e]
                way[g, e] -= factor[base + c, e] * way[c, e]
    for g in range(lines):
        for e in lanes:
            speed[g, e] = speed[g, e] * inverse[g, e]
            way[g, e] = way[g, e] * inverse[g, e]
    for g in range(lines - 1, -1, -1):
        base = first_cell[g, 0] - first_line[g, 0]
        for c in range(first_line[g, 0], g):
            for e in lanes:
                speed[c, e] -= factor[base + c, e] * speed[g, e]
                way[c, e] -= factor[base + c, e] * way[g, e]
    for j in range(loops):
        da, db = dof_a[j, 0], dof_b[j, 0]
        n, g = count[j, 0], line[j, 0]
        for r in range(n):
            for e in lanes:
                impulse[j, r, e] += speed[g + r, e]
        for side in range(2):
            low, high, shift = tree_rows(first, end, da, db, side)
            base = entry[j, 0] + shift
            for k in range(low, high):
                for r in range(n):
                    for e in lanes:
                        answer = mobility[k, e] * jacobian[base + k, r, e]
                        u[k, e] += answer * speed[g + r, e]
                        displacement[k, e] += answer * way[g + r, e]


@system(phase="sweep")
def sweep_ropes(
    lanes,
    loops=rows(Loop),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    fastest_push=read(Settings.max_depenetration_velocity),
    index=read(Sweep.index),
    kind=read(LoopTopology.kind),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    entry=read(LoopTopology.entry),
    line=read(LoopTopology.line),
    nearest=read(LoopFrame.nearest),
    farthest=read(LoopFrame.farthest),
    broken=read(LoopState.broken),
    error=read(LoopRow.error),
    drift=read(LoopRow.drift),
    jacobian=read(LoopJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    start=read(LoopLineSolve.start),
    own=read(LoopLineSolve.response),
    impulse=update(LoopState.impulse),
    sum=update(LoopScratch.sum),
    way=update(LoopScratch.shift),
    u=update(DofGain.velocity),
    displacement=update(DofGain.displacement),
):
    """Distance joints that may be slack: each in turn."""
    moving = position_sweeps[0, 0]
    sweep = 0
    for e in lanes:
        sweep = index[0, e]
    pushing = sweep < moving
    share = 1.0 / real(moving)
    parts = sweep_parts(projected[0, 0], moving)
    gone = real(parts_gone(projected[0, 0], moving, sweep)) / real(parts)
    for j in range(loops):
        da, db = dof_a[j, 0], dof_b[j, 0]
        if kind[j, 0] == DISTANCE_LOOP:
            for e in lanes:
                sum[0, e] = start[line[j, 0], e]
                way[0, e] = gone * h[0, e] * start[line[j, 0], e]
            for side in range(2):
                low, high, shift = tree_rows(first, end, da, db, side)
                base = entry[j, 0] + shift
                for k in range(low, high):
                    for e in lanes:
                        sum[0, e] += jacobian[base + k, 0, e] * u[k, e]
                        way[0, e] += jacobian[base + k, 0, e] * displacement[k, e]
            for e in lanes:
                part = h[0, e] / real(parts) if pushing else h[0, e]
                y = own[line[j, 0], e]
                aim = drift[j, 0, e]
                length = error[j, 0, e] + way[0, e] - gone * h[0, e] * aim
                least, most = nearest[j, e], farthest[j, e]
                now = impulse[j, 0, e]
                w = sum[0, e] - now * y
                # it may go as far as the nearer bound; a velocity sweep stops only what was stopped
                low_gap, high_gap = min(least - length, 0.0), max(most - length, 0.0)
                slowest, quickest = aim + low_gap / part, aim + high_gap / part
                slowest = -INFINITY if not pushing and low_gap < 0.0 and now <= 0.0 else slowest
                quickest = INFINITY if not pushing and high_gap > 0.0 and now >= 0.0 else quickest
                new = (min(max(w, slowest), quickest) - w) / y
                off = length - min(max(length, least), most)
                here = broken[j, e] == 0 and y > 0.0 and not acts(kind[j, 0], broken[j, e], least, most)
                limit = fastest_push[0, e] * h[0, e] * share
                sum[0, e] = new - now if here else 0.0
                way[0, e] = min(max(-CORRECTION * off, -limit), limit) / y if here and pushing else 0.0
                impulse[j, 0, e] += sum[0, e]
            for side in range(2):
                low, high, shift = tree_rows(first, end, da, db, side)
                base = entry[j, 0] + shift
                for k in range(low, high):
                    for e in lanes:
                        answer = mobility[k, e] * jacobian[base + k, 0, e]
                        u[k, e] += answer * sum[0, e]
                        displacement[k, e] += answer * way[0, e]


@system(over=Loop, phase="integrate")
def break_loops(
    j,
    e,
    h=read(Settings.timestep),
    count=read(LoopTopology.count),
    break_force=read(LoopFrame.break_force),
    break_torque=read(LoopFrame.break_torque),
    impulse=read(LoopState.impulse),
    broken=update(LoopState.broken),
):
    """Break what was loaded too much."""
    force, torque = 0.0, 0.0
    for r in range(count[j, e]):
        size = impulse[j, r, e] / h[0, e]
        force += size * size if r < 3 else 0.0
        torque += size * size if r >= 3 else 0.0
    if math.sqrt(force) > break_force[j, e] or math.sqrt(torque) > break_torque[j, e]:
        broken[j, e] = 1


@system(phase="query_joints")
def loop_reactions(
    lanes,
    loops=rows(Loop),
    h=read(Settings.timestep),
    count=read(LoopTopology.count),
    body_a=read(LoopTopology.body_a),
    body_b=read(LoopTopology.body_b),
    link_a=read(LoopTopology.link_a),
    link_b=read(LoopTopology.link_b),
    offset=read(LinkPose.offset),
    arm_a=read(LoopRow.arm_a),
    arm_b=read(LoopRow.arm_b),
    direction=read(LoopRow.direction),
    impulse=read(LoopState.impulse),
    wrench=write(LoopReaction.wrench),
    acting=update(BodyReaction.acting),
):
    """What each joint transmits, and its part in the balance of the bodies that it connects."""
    for j in range(loops):
        a, b = link_a[j, 0], link_b[j, 0]
        for k in range(6):
            for e in lanes:
                wrench[j, k, e] = 0.0
        for r in range(count[j, 0]):
            to = 0 if r < 3 else 3
            for k in range(3):
                for e in lanes:
                    wrench[j, to + k, e] += direction[j, 3 * r + k, e] * (impulse[j, r, e] / h[0, e])
        for side in range(2):
            i = a if side == 0 else b
            body = body_a[j, 0] if side == 0 else body_b[j, 0]
            sign = 1.0 if side == 0 else -1.0
            if i >= 0:
                for e in lanes:
                    x = (arm_a[j, 0, e] if side == 0 else arm_b[j, 0, e]) - offset[i, 0, e]
                    y = (arm_a[j, 1, e] if side == 0 else arm_b[j, 1, e]) - offset[i, 1, e]
                    z = (arm_a[j, 2, e] if side == 0 else arm_b[j, 2, e]) - offset[i, 2, e]
                    fx, fy, fz = wrench[j, 0, e], wrench[j, 1, e], wrench[j, 2, e]
                    x, y, z = cross(x, y, z, fx, fy, fz)
                    acting[body, 0, e] += sign * (wrench[j, 3, e] + x)
                    acting[body, 1, e] += sign * (wrench[j, 4, e] + y)
                    acting[body, 2, e] += sign * (wrench[j, 5, e] + z)
                    acting[body, 3, e] += sign * fx
                    acting[body, 4, e] += sign * fy
                    acting[body, 5, e] += sign * fz
