"""Contacts in the constraint solver: warm start, and one sweep over normal impulses, then one over friction.

A contact's impulse stays in its elliptic (Coulomb) friction cone: the tangential part sticks up to the static
coefficient times the normal part, and slides at the dynamic one once the surfaces have got moving. Trees as in
:mod:`phalanx.systems.contact_rows`.
"""

import math

from phalanx.components import (
    Contact,
    ContactBlock,
    ContactCount,
    ContactImpulse,
    ContactJacobian,
    ContactMotion,
    ContactPoint,
    ContactResponse,
    ContactRow,
    ContactSurface,
    DofModel,
    DofSolve,
    DofTopology,
    Scratch,
    Settings,
    Sweep,
)
from phalanx.ecs import function, read, real, rows, spread, system, update, write
from phalanx.systems.sweeps import sweep_parts
from phalanx.systems.two_trees import both_trees, dof_of
from phalanx.systems.windows import WINDOW, solve_window, step_length

PUSH_OUT = 0.15
"""Share of a penetration beyond the slop that a position sweep takes out."""

SLOP = 1e-4
"""m of penetration that stays."""

INFINITY = float("inf")

NEAR = 5e-6
"""m: what is nearer touches."""

STICTION = 0.01
"""m/s, below which what rubs at the start of a substep still has static friction.

A body's weight is spread over its contact points in one way and its friction in another, so some points reach the end
of their static friction before the body does. If they went over to dynamic friction at once the others would follow,
and the body would start far below the static coefficient.
"""


@system(phase="solve", after=("start_sweeps", "warm_start_mimics"))
def warm_start_contacts(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    count=read(ContactCount.current),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    impulse=read(ContactImpulse.last),
    total=write(ContactImpulse.value),
    response=read(ContactResponse.velocity),
    change=update(Scratch.change),
    v=update(DofSolve.velocity),
):
    """Apply the impulses of the substep before."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in range(most):
        da, db = -1, -1
        for e in lanes:
            if c < count[0, e]:
                da, db = dof_a[c, e], dof_b[c, e]
            for r in range(3):
                total[c, r, e] = impulse[c, r, e]
                change[0, r, e] = impulse[c, r, e] if c < count[0, e] else 0.0
        base = c * width
        wide, wide_a, low_a, low_b = both_trees(first, end, da, db)
        for i in spread(wide):
            k = dof_of(i, wide_a, low_a, low_b)
            for e in lanes:
                v[k, e] += (
                    response[base + i, 0, e] * change[0, 0, e]
                    + response[base + i, 1, e] * change[0, 1, e]
                    + response[base + i, 2, e] * change[0, 2, e]
                )


@function
def ask(here, pushing, separation, moved, velocity, rebound, total, part, most_lift, y):
    """What one contact asks for: velocity to gain, displacement to gain, and the inverse of y (0: nothing at all).

    Penetration moves the bodies but leaves no velocity, and no point goes faster than the cap: most_lift. What lies in
    the slop stays, or the bodies would be lifted above each other by little and drop again, for ever.
    """
    gap = separation + moved
    goal = -(gap - NEAR) / part if gap > NEAR else 0.0
    goal = goal if pushing else max(goal, rebound)
    # A velocity sweep must not brake what has yet to arrive, or it would arrive too slow to bounce.
    solid = here and y > 0.0 and (pushing or gap <= 0.0 or total > 0.0)
    lift = max(min(-(gap + SLOP) * PUSH_OUT, most_lift - moved), 0.0)
    return goal - velocity if solid else 0.0, lift if solid else 0.0, 1.0 / y if solid else 0.0


@function
def push_cap(own, moves, world):
    """How fast contacts may push one side out: its own cap, or the world's if negative; no cap if it cannot move."""
    return (own if own >= 0.0 else world) if moves else INFINITY


@system(phase="sweep", after="sweep_mimics", before="advance")
def sweep_normals(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    fastest_push=read(Settings.max_depenetration_velocity),
    own_push=read(DofModel.max_depenetration_velocity),
    index=read(Sweep.index),
    count=read(Sweep.contacts),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    member=read(ContactMotion.member),
    separation=read(ContactPoint.separation),
    rebound=read(ContactMotion.rebound),
    jacobian=read(ContactJacobian.value),
    response=read(ContactResponse.velocity),
    block=read(ContactBlock.normal),
    impulse=update(ContactImpulse.last),
    total=update(ContactImpulse.value),
    sum=update(Scratch.sum),
    change=update(Scratch.change),
    v=update(DofSolve.velocity),
    displacement=update(DofSolve.displacement),
):
    """One sweep over normal impulses, window by window."""
    width = row_count // max(slots, 1)
    moving = position_sweeps[0, 0]
    parts = sweep_parts(projected[0, 0], moving)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    c = 0
    while c < most:
        da, db = -1, -1
        size = 1
        for e in lanes:
            for m in range(2 * WINDOW):
                sum[0, m, e] = 0.0
            if c < count[0, e]:
                da, db = dof_a[c, e], dof_b[c, e]
        for m in range(1, WINDOW):
            for e in lanes:
                if c + m < count[0, e]:
                    size = m + 1 if member[c + m, e] == m else size
        wide, wide_a, low_a, low_b = both_trees(first, end, da, db)
        for m in range(size):
            base = (c + m) * width
            for i in spread(wide):
                k = dof_of(i, wide_a, low_a, low_b)
                for e in lanes:
                    sum[0, m, e] += jacobian[base + i, 0, e] * v[k, e]
                    sum[0, WINDOW + m, e] += jacobian[base + i, 0, e] * displacement[k, e]
        c1, c2, c3 = min(c + 1, slots - 1), min(c + 2, slots - 1), min(c + 3, slots - 1)
        for e in lanes:
            left = min(count[0, e] - c, size)
            in0, in1, in2, in3 = left > 0, left > 1, left > 2, left > 3
            sweep = index[0, e]
            pushing = sweep < moving
            part = h[0, e] / real(parts) if pushing else h[0, e]
            lift = push_cap(own_push[max(da, 0), e], da >= 0, fastest_push[0, e])
            lift = min(lift, push_cap(own_push[max(db, 0), e], db >= 0, fastest_push[0, e]))
            lift = lift * (h[0, e] / real(moving) if pushing else h[0, e]) * real(sweep + 1)
            k00 = block[c, 0, e]
            k10, k11 = block[c1, 0, e] if in1 else 0.0, block[c1, 1, e] if in1 else 0.0
            k20, k21 = block[c2, 0, e] if in2 else 0.0, block[c2, 1, e] if in2 else 0.0
            k22 = block[c2, 2, e] if in2 else 0.0
            k30, k31 = block[c3, 0, e] if in3 else 0.0, block[c3, 1, e] if in3 else 0.0
            k32, k33 = block[c3, 2, e] if in3 else 0.0, block[c3, 3, e] if in3 else 0.0
            x0, t0 = impulse[c, 0, e], total[c, 0, e]
            x1, t1 = impulse[c1, 0, e] if in1 else 0.0, total[c1, 0, e]
            x2, t2 = impulse[c2, 0, e] if in2 else 0.0, total[c2, 0, e]
            x3, t3 = impulse[c3, 0, e] if in3 else 0.0, total[c3, 0, e]
            g0, l0, s0 = ask(
                in0, pushing, separation[c, e], sum[0, 4, e], sum[0, 0, e], rebound[c, e], t0, part, lift, k00
            )
            g1, l1, s1 = ask(
                in1, pushing, separation[c1, e], sum[0, 5, e], sum[0, 1, e], rebound[c1, e], t1, part, lift, k11
            )
            g2, l2, s2 = ask(
                in2, pushing, separation[c2, e], sum[0, 6, e], sum[0, 2, e], rebound[c2, e], t2, part, lift, k22
            )
            g3, l3, s3 = ask(
                in3, pushing, separation[c3, e], sum[0, 7, e], sum[0, 3, e], rebound[c3, e], t3, part, lift, k33
            )
            n0, n1, n2, n3 = solve_window(
                k00, k10, k11, k20, k21, k22, k30, k31, k32, k33, s0, s1, s2, s3, g0, g1, g2, g3, x0, x1, x2, x3
            )
            u = step_length(k00, k10, k11, k20, k21, k22, k30, k31, k32, k33, s0, s1, s2, s3, l0, l1, l2, l3)
            change[0, 0, e] = n0 - x0 if in0 else 0.0
            change[0, 1, e], change[0, 2, e], change[0, 3, e] = n1 - x1, n2 - x2, n3 - x3
            u = u if pushing else 0.0
            change[0, 4, e], change[0, 5, e], change[0, 6, e], change[0, 7, e] = u * l0, u * l1, u * l2, u * l3
            if in0:
                impulse[c, 0, e] = n0
                total[c, 0, e] = t0 + (n0 - x0)
            if in1:
                impulse[c1, 0, e] = n1
                total[c1, 0, e] = t1 + (n1 - x1)
            if in2:
                impulse[c2, 0, e] = n2
                total[c2, 0, e] = t2 + (n2 - x2)
            if in3:
                impulse[c3, 0, e] = n3
                total[c3, 0, e] = t3 + (n3 - x3)
        for m in range(size):
            base = (c + m) * width
            for i in spread(wide):
                k = dof_of(i, wide_a, low_a, low_b)
                for e in lanes:
                    v[k, e] += response[base + i, 0, e] * change[0, m, e]
                    displacement[k, e] += response[base + i, 0, e] * change[0, WINDOW + m, e]
        c += size


@system(phase="sweep", after="sweep_normals", before="advance")
def sweep_friction(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    count=read(Sweep.contacts),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    slip=read(ContactMotion.slip),
    static=read(ContactSurface.static_friction),
    dynamic=read(ContactSurface.dynamic_friction),
    drift=read(ContactSurface.drift),
    jacobian=read(ContactJacobian.value),
    response=read(ContactResponse.velocity),
    block_tangent=read(ContactBlock.tangent),
    impulse=update(ContactImpulse.last),
    total=update(ContactImpulse.value),
    sum=update(Scratch.sum),
    change=update(Scratch.change),
    v=update(DofSolve.velocity),
):
    """One sweep over friction, contact by contact, within the cones of the normal impulses.

    After all normal impulses: friction that answered to a face half solved would push the body about.
    """
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in range(most):
        da, db = -1, -1
        for e in lanes:
            if c < count[0, e]:
                da, db = dof_a[c, e], dof_b[c, e]
            sum[0, 1, e] = drift[c, 0, e]
            sum[0, 2, e] = drift[c, 1, e]
        base = c * width
        wide, wide_a, low_a, low_b = both_trees(first, end, da, db)
        for i in spread(wide):
            k = dof_of(i, wide_a, low_a, low_b)
            for e in lanes:
                sum[0, 1, e] += jacobian[base + i, 1, e] * v[k, e]
                sum[0, 2, e] += jacobian[base + i, 2, e] * v[k, e]
        for e in lanes:
            here = c < count[0, e]
            y11, y12, y22 = block_tangent[c, 0, e], block_tangent[c, 1, e], block_tangent[c, 2, e]
            now1, now2 = impulse[c, 1, e], impulse[c, 2, e]
            new1 = now1 - (y11 * sum[0, 1, e] + y12 * sum[0, 2, e])
            new2 = now2 - (y12 * sum[0, 1, e] + y22 * sum[0, 2, e])
            normal = total[c, 0, e]
            u1 = (slip[c, 0, e] if here else 0.0) + drift[c, 0, e]
            u2 = (slip[c, 1, e] if here else 0.0) + drift[c, 1, e]
            stick = static[c, e] * normal
            slide = (dynamic[c, e] if u1 * u1 + u2 * u2 > STICTION * STICTION else static[c, e]) * normal
            # What slides steps by one number for both tangents: only then does it settle opposite to the velocity.
            slides = new1 * new1 + new2 * new2 > stick * stick
            new1 = now1 - block_tangent[c, 3, e] * sum[0, 1, e] if slides else new1
            new2 = now2 - block_tangent[c, 3, e] * sum[0, 2, e] if slides else new2
            length = math.sqrt(new1 * new1 + new2 * new2)
            scale = slide / length if slides and length > 0.0 else 1.0
            new1, new2 = new1 * scale, new2 * scale
            change[0, 1, e] = new1 - now1 if here else 0.0
            change[0, 2, e] = new2 - now2 if here else 0.0
            impulse[c, 1, e] = new1 if here else now1
            impulse[c, 2, e] = new2 if here else now2
            total[c, 1, e] = new1
            total[c, 2, e] = new2
        for i in spread(wide):
            k = dof_of(i, wide_a, low_a, low_b)
            for e in lanes:
                v[k, e] += response[base + i, 1, e] * change[0, 1, e] + response[base + i, 2, e] * change[0, 2, e]
