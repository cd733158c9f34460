"""Loop joints in the constraint solver: each joint's rows are solved together, exactly.

What a joint is off is taken out by moving the bodies alone, as penetration is: no velocity is left of it.
"""

import math

from phalanx.components import (
    BodyReaction,
    DofSolve,
    DofTopology,
    LinkPose,
    Loop,
    LoopBlock,
    LoopFrame,
    LoopJacobian,
    LoopReaction,
    LoopResponse,
    LoopRow,
    LoopScratch,
    LoopState,
    LoopTopology,
    Settings,
    Sweep,
)
from phalanx.components.loop import DISTANCE_LOOP
from phalanx.ecs import read, real, rows, system, update, write
from phalanx.systems.math3d import cross
from phalanx.systems.sweeps import CORRECTION

INFINITY = float("inf")

RIGID = 1e-6
"""A distance joint whose bounds are this close, relative to the distance, is a rod."""


@system(phase="solve", after=("start_sweeps", "warm_start_mimics"))
def warm_start_loops(
    lanes,
    loops=rows(Loop),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    count=read(LoopTopology.count),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    entry=read(LoopTopology.entry),
    broken=read(LoopState.broken),
    response=read(LoopResponse.velocity),
    impulse=update(LoopState.impulse),
    v=update(DofSolve.velocity),
):
    """Apply the impulses of the substep before."""
    for j in range(loops):
        da, db = dof_a[j, 0], dof_b[j, 0]
        for r in range(count[j, 0]):
            for e in lanes:
                impulse[j, r, e] = impulse[j, r, e] if broken[j, e] == 0 else 0.0
        for side in range(2):
            t = da if side == 0 else db
            low = first[t, 0] if t >= 0 else 0
            high = end[t, 0] if t >= 0 else 0
            base = entry[j, 0] - low
            if side == 1 and da >= 0:
                base += end[da, 0] - first[da, 0]
                high = low if first[da, 0] == low else high
            for k in range(low, high):
                for r in range(count[j, 0]):
                    for e in lanes:
                        v[k, e] += response[base + k, r, e] * impulse[j, r, e]


@system(phase="sweep", after="sweep_mimics", before="advance")
def sweep_loops(
    lanes,
    loops=rows(Loop),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    fastest_push=read(Settings.max_depenetration_velocity),
    index=read(Sweep.index),
    kind=read(LoopTopology.kind),
    count=read(LoopTopology.count),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    entry=read(LoopTopology.entry),
    nearest=read(LoopFrame.nearest),
    farthest=read(LoopFrame.farthest),
    broken=read(LoopState.broken),
    error=read(LoopRow.error),
    drift=read(LoopRow.drift),
    jacobian=read(LoopJacobian.value),
    response=read(LoopResponse.velocity),
    factor=read(LoopBlock.factor),
    inverse=read(LoopBlock.inverse_pivot),
    impulse=update(LoopState.impulse),
    sum=update(LoopScratch.sum),
    shift=update(LoopScratch.shift),
    v=update(DofSolve.velocity),
    displacement=update(DofSolve.displacement),
):
    """One sweep: each joint in turn."""
    moving = position_sweeps[0, 0]
    sweep = 0
    for e in lanes:
        sweep = index[0, e]
    pushing = sweep < moving
    share = 1.0 / real(moving)
    gone = real(min(sweep, moving)) * share
    for j in range(loops):
        da, db = dof_a[j, 0], dof_b[j, 0]
        n = count[j, 0]
        for r in range(n):
            for e in lanes:
                sum[0, r, e] = 0.0
                shift[0, r, e] = 0.0
        for side in range(2):
            t = da if side == 0 else db
            low = first[t, 0] if t >= 0 else 0
            high = end[t, 0] if t >= 0 else 0
            base = entry[j, 0] - low
            if side == 1 and da >= 0:
                base += end[da, 0] - first[da, 0]
                high = low if first[da, 0] == low else high
            for k in range(low, high):
                for r in range(n):
                    for e in lanes:
                        sum[0, r, e] += jacobian[base + k, r, e] * v[k, e]
                        shift[0, r, e] += jacobian[base + k, r, e] * displacement[k, e]
        if kind[j, 0] == DISTANCE_LOOP:
            for e in lanes:
                part = h[0, e] * share if pushing else h[0, e]
                y = inverse[j, 0, e]
                aim = drift[j, 0, e]
                length = error[j, 0, e] + shift[0, 0, e] - gone * h[0, e] * aim
                least, most = nearest[j, e], farthest[j, e]
                rod = most - least <= RIGID * most
                now = impulse[j, 0, e]
                w = sum[0, 0, e] - (now / y if y > 0.0 else 0.0)
                # within its bounds it may go as far as the nearer one; a velocity sweep stops only what was stopped
                low_gap, high_gap = min(least - length, 0.0), max(most - length, 0.0)
                slowest = aim if rod else aim + low_gap / part
                quickest = aim if rod else aim + high_gap / part
                slowest = -INFINITY if not pushing and not rod and low_gap < 0.0 and now <= 0.0 else slowest
                quickest = INFINITY if not pushing and not rod and high_gap > 0.0 and now >= 0.0 else quickest
                new = (min(max(w, slowest), quickest) - w) * y
                off = length - min(max(length, least), most)
                here = broken[j, e] == 0 and y > 0.0
                limit = fastest_push[0, e] * part
                lift = min(max(-CORRECTION * off, -limit), limit)
                sum[0, 0, e] = new - now if here else 0.0
                shift[0, 0, e] = lift * y if here and pushing else 0.0
        else:
            for e in lanes:
                here = 1.0 if broken[j, e] == 0 else 0.0
                line, turn = 0.0, 0.0
                for r in range(n):
                    sum[0, r, e] = here * (drift[j, r, e] - sum[0, r, e])
                    off = error[j, r, e] + shift[0, r, e] - gone * h[0, e] * drift[j, r, e]
                    shift[0, r, e] = -CORRECTION * here * off
                    line += shift[0, r, e] * shift[0, r, e] if r < 3 else 0.0
                    turn += shift[0, r, e] * shift[0, r, e] if r >= 3 else 0.0
                limit = fastest_push[0, e] * h[0, e] * share
                line = limit / math.sqrt(line) if line > limit * limit else 1.0
                turn = limit / math.sqrt(turn) if turn > limit * limit else 1.0
                for r in range(n):
                    scale = line if r < 3 else turn
                    shift[0, r, e] = shift[0, r, e] * scale if pushing else 0.0
                for r in range(n):
                    for s in range(r):
                        x = factor[j, r * (r - 1) // 2 + s, e]
                        sum[0, r, e] -= x * sum[0, s, e]
                        shift[0, r, e] -= x * shift[0, s, e]
                for u in range(n):
                    r = n - 1 - u
                    sum[0, r, e] = sum[0, r, e] * inverse[j, r, e]
                    shift[0, r, e] = shift[0, r, e] * inverse[j, r, e]
                    for s in range(r + 1, n):
                        x = factor[j, s * (s - 1) // 2 + r, e]
                        sum[0, r, e] -= x * sum[0, s, e]
                        shift[0, r, e] -= x * shift[0, s, e]
        for r in range(n):
            for e in lanes:
                impulse[j, r, e] += sum[0, r, e]
        for side in range(2):
            t = da if side == 0 else db
            low = first[t, 0] if t >= 0 else 0
            high = end[t, 0] if t >= 0 else 0
            base = entry[j, 0] - low
            if side == 1 and da >= 0:
                base += end[da, 0] - first[da, 0]
                high = low if first[da, 0] == low else high
            for k in range(low, high):
                for r in range(n):
                    for e in lanes:
                        v[k, e] += response[base + k, r, e] * sum[0, r, e]
                        displacement[k, e] += response[base + k, r, e] * shift[0, r, e]


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


@system(phase="query_joints", after="body_needs", before="joint_wrenches")
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
