"""Contacts in the constraint solver: warm start, and one sweep over normal impulses, then one over friction.

A contact's impulse stays in its elliptic (Coulomb) friction cone: the tangential part sticks up to the static
coefficient times the normal part, and slides at the dynamic one once the surfaces have got moving. Rows are
those of :mod:`phalanx.systems.solver.contact_rows`, and so are the velocities that impulses change.
"""

import math

from phalanx.components import (
    Contact,
    ContactBlock,
    ContactCount,
    ContactDof,
    ContactImpulse,
    ContactJacobian,
    ContactMotion,
    ContactRow,
    ContactSurface,
    DofGain,
    DofModel,
    DofSolve,
    Scratch,
    Settings,
    Sweep,
)
from phalanx.ecs import function, read, real, rows, spread, system, update, write
from phalanx.systems.solver.sweeps import parts_gone, sweep_parts
from phalanx.systems.solver.windows import solve_window, step_length

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


@system(phase="solve")
def warm_start_contacts(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    count=read(ContactCount.current),
    separation=read(ContactMotion.gap),
    gap=read(ContactBlock.gap),
    impulse=update(ContactImpulse.last),
    total=write(ContactImpulse.value),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    jacobian=read(ContactJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    change=update(Scratch.change),
    u=update(DofGain.velocity),
):
    """Apply the impulses of the substep before, but where a push is eased: levers are others now, and so small that
    what was in balance would throw links about.
    """
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in spread(most):
        some = 0
        for e in lanes:
            some = 1 if c < count[0, e] and gap[c, e] != separation[c, e] else some
        if some == 1:
            for e in lanes:
                for r in range(3):
                    impulse[c, r, e] = impulse[c, r, e] if gap[c, e] == separation[c, e] else 0.0
    for c in range(most):
        for e in lanes:
            for r in range(3):
                total[c, r, e] = impulse[c, r, e]
                change[0, r, e] = impulse[c, r, e] if c < count[0, e] else 0.0
        base = c * width
        for i in spread(extent[c, lanes[0]]):
            k = dof[base + i, lanes[0]]
            for e in lanes:
                u[k, e] += mobility[k, e] * (
                    jacobian[base + i, 0, e] * change[0, 0, e]
                    + jacobian[base + i, 1, e] * change[0, 1, e]
                    + jacobian[base + i, 2, e] * change[0, 2, e]
                )


@function
def inverse(y):
    """1 / y, or 0 for a contact that cannot move."""
    return 1.0 / y if y > 0.0 else 0.0


@function
def ask(here, pushing, separation, moved, velocity, rebound, impulse, total, pace, rate, most_lift, s):
    """What one contact asks for: velocity to gain, displacement to gain, and s, its impulse per velocity (0: nothing).

    Penetration moves the bodies but leaves no velocity, and no point goes faster than the cap: most_lift. What lies in
    the slop stays, or the bodies would be lifted above each other by little and drop again, for ever. What gives way is
    not pushed out; see :mod:`phalanx.systems.solver.soft_contacts`.
    """
    gives = rebound < 0.0
    gap = separation + moved
    goal = -(gap - NEAR) * pace if gap > NEAR else 0.0
    goal = goal if pushing else max(goal, rebound)
    goal = rebound * impulse - separation * rate if gives else goal
    # A velocity sweep must not brake what has yet to arrive, or it would arrive too slow to bounce.
    solid = here and s > 0.0 and (pushing or gap <= 0.0 or total > 0.0)
    lift = 0.0 if gives else max(min(-(gap + SLOP) * PUSH_OUT, most_lift - moved), 0.0)
    return goal - velocity if solid else 0.0, lift if solid else 0.0, s if solid else 0.0


@function
def push_cap(own, moves, world):
    """How fast contacts may push one side out: its own cap, or the world's if negative; no cap if it cannot move."""
    return (own if own >= 0.0 else world) if moves else INFINITY


@function
def member_of(m, x0, x1, x2, x3):
    """The m-th of a window's four numbers. A choice, since registers have no index."""
    first, second = x0 if m == 0 else x1, x2 if m == 2 else x3
    return first if m < 2 else second


@function
def solve_normals(
    pushing, pace, rate, lift, time, in0, in1, in2, in3, k00, k10, k11, k20, k21, k22, k30, k31, k32, k33,
    s0, s1, s2, s3, x0, x1, x2, x3, t0, t1, t2, t3, gap0, gap1, gap2, gap3, r0, r1, r2, r3, f0, f1, f2, f3,
    v0, v1, v2, v3, y0, y1, y2, y3,
):  # fmt: skip
    """A window of up to four contacts, given all others.

    Args:
        pushing: this is a position sweep.
        pace: inverse of the length of the part of the substep that the sweep stands for.
        rate: inverse of the length of the substep.
        lift: how far contacts may have pushed out by now.
        time: the part of the substep that has gone.
        in0 to in3: whether there is such a member.
        k00 to k33: as for :func:`~.windows.solve_window`, of each itself with its compliance.
        s0 to s3: inverses of k00, k11, k22, k33; 0 where these are.
        x0 to x3, t0 to t3: impulses, and with those of blows.
        gap0 to gap3, r0 to r3, f0 to f3: separations, speeds of rebound (negative: less the compliance), normal
            velocities at the substep's start.
        v0 to v3, y0 to y3: what has been added to the velocities, and to the way at the velocity at the start.

    Returns:
        The four impulses, and four impulses of displacement.
    """
    k10, k11, x1, t1 = k10 if in1 else 0.0, k11 if in1 else 0.0, x1 if in1 else 0.0, t1 if in1 else 0.0
    k20, k21, k22 = k20 if in2 else 0.0, k21 if in2 else 0.0, k22 if in2 else 0.0
    x2, t2, x3, t3 = x2 if in2 else 0.0, t2 if in2 else 0.0, x3 if in3 else 0.0, t3 if in3 else 0.0
    k30, k31 = k30 if in3 else 0.0, k31 if in3 else 0.0
    k32, k33 = k32 if in3 else 0.0, k33 if in3 else 0.0
    v0, v1, v2, v3 = f0 + v0, f1 + v1, f2 + v2, f3 + v3
    y0, y1, y2, y3 = time * f0 + y0, time * f1 + y1, time * f2 + y2, time * f3 + y3
    g0, l0, s0 = ask(in0, pushing, gap0, y0, v0, r0, x0, t0, pace, rate, lift, s0)
    g1, l1, s1 = ask(in1, pushing, gap1, y1, v1, r1, x1, t1, pace, rate, lift, s1)
    g2, l2, s2 = ask(in2, pushing, gap2, y2, v2, r2, x2, t2, pace, rate, lift, s2)
    g3, l3, s3 = ask(in3, pushing, gap3, y3, v3, r3, x3, t3, pace, rate, lift, s3)
    n0, n1, n2, n3 = solve_window(
        k00, k10, k11, k20, k21, k22, k30, k31, k32, k33, s0, s1, s2, s3, g0, g1, g2, g3, x0, x1, x2, x3
    )
    far = step_length(k00, k10, k11, k20, k21, k22, k30, k31, k32, k33, s0, s1, s2, s3, l0, l1, l2, l3)
    far = far if pushing else 0.0
    return n0, n1, n2, n3, far * l0, far * l1, far * l2, far * l3


@function
def solve_friction(w1, w2, u1, u2, now1, now2, y11, y12, y22, mean, normal, sticks, rubs):
    """Friction impulses of one contact, within its cone, given all others.

    Args:
        w1, w2: velocities along the tangents, less that of moving surfaces.
        u1, u2: the same at the start of the substep.
        now1, now2: impulses so far.
        y11, y12, y22, mean: inverse of the tangential block, and of the mean of its diagonal.
        normal: normal impulse.
        sticks, rubs: static and dynamic coefficient.
    """
    new1, new2 = now1 - (y11 * w1 + y12 * w2), now2 - (y12 * w1 + y22 * w2)
    stick = sticks * normal
    slide = (rubs if u1 * u1 + u2 * u2 > STICTION * STICTION else sticks) * normal
    # What slides steps by one number for both tangents: only then does it settle opposite to the velocity.
    slides = new1 * new1 + new2 * new2 > stick * stick
    new1 = now1 - mean * w1 if slides else new1
    new2 = now2 - mean * w2 if slides else new2
    length = math.sqrt(new1 * new1 + new2 * new2)
    scale = slide / length if slides and length > 0.0 else 1.0
    return new1 * scale, new2 * scale


@system(phase="sweep")
def sweep_normals(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
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
    separation=read(ContactBlock.gap),
    rebound=read(ContactMotion.rebound),
    approach=read(ContactMotion.approach),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    jacobian=read(ContactJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    block=read(ContactBlock.normal),
    impulse=update(ContactImpulse.last),
    total=update(ContactImpulse.value),
    sum=update(Scratch.sum),
    change=update(Scratch.change),
    u=update(DofGain.velocity),
    displacement=update(DofGain.displacement),
):
    """One sweep over normal impulses, window by window."""
    width = row_count // max(slots, 1)
    moving = position_sweeps[0, 0]
    parts = sweep_parts(projected[0, 0], moving)
    done = parts_gone(projected[0, 0], moving, index[0, lanes[0]])
    gone, share = real(done) / real(parts), 1.0 / real(parts)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    c = 0
    while c < most:
        c1, c2, c3 = min(c + 1, slots - 1), min(c + 2, slots - 1), min(c + 3, slots - 1)
        da, db, size = -1, -1, 1
        for e in lanes:
            left = count[0, e] - c
            a, b, m1, m2, m3 = dof_a[c, e], dof_b[c, e], member[c1, e], member[c2, e], member[c3, e]
            da, db = max(da, a if left > 0 else -1), max(db, b if left > 0 else -1)
            two, three, four = left > 1 and m1 == 1, left > 2 and m2 == 2, left > 3 and m3 == 3
            size = max(size, 4 if four else (3 if three else (2 if two else 1)))
        for e in lanes:
            sum[0, 0, e], sum[0, 1, e], sum[0, 2, e], sum[0, 3, e] = 0.0, 0.0, 0.0, 0.0
            sum[0, 4, e], sum[0, 5, e], sum[0, 6, e], sum[0, 7, e] = 0.0, 0.0, 0.0, 0.0
        w0, w1, w2, w3 = extent[c, lanes[0]], extent[c1, lanes[0]], extent[c2, lanes[0]], extent[c3, lanes[0]]
        w1, w2, w3 = w1 if size > 1 else 0, w2 if size > 2 else 0, w3 if size > 3 else 0
        for i in spread(max(max(w0, w1), max(w2, w3))):  # all members at once: none waits for another one
            i0, i1 = c * width + max(min(i, w0 - 1), 0), c1 * width + max(min(i, w1 - 1), 0)
            i2, i3 = c2 * width + max(min(i, w2 - 1), 0), c3 * width + max(min(i, w3 - 1), 0)
            d0, d1, d2, d3 = dof[i0, lanes[0]], dof[i1, lanes[0]], dof[i2, lanes[0]], dof[i3, lanes[0]]
            d0, d1, d2, d3 = d0 if i < w0 else 0, d1 if i < w1 else 0, d2 if i < w2 else 0, d3 if i < w3 else 0
            for e in lanes:
                j0, j1, j2, j3 = jacobian[i0, 0, e], jacobian[i1, 0, e], jacobian[i2, 0, e], jacobian[i3, 0, e]
                j0, j1 = j0 if i < w0 else 0.0, j1 if i < w1 else 0.0
                j2, j3 = j2 if i < w2 else 0.0, j3 if i < w3 else 0.0
                sum[0, 0, e] += j0 * u[d0, e]
                sum[0, 1, e] += j1 * u[d1, e]
                sum[0, 2, e] += j2 * u[d2, e]
                sum[0, 3, e] += j3 * u[d3, e]
                sum[0, 4, e] += j0 * displacement[d0, e]
                sum[0, 5, e] += j1 * displacement[d1, e]
                sum[0, 6, e] += j2 * displacement[d2, e]
                sum[0, 7, e] += j3 * displacement[d3, e]
        for e in lanes:
            left = min(count[0, e] - c, size)
            in0, in1, in2, in3 = left > 0, left > 1, left > 2, left > 3
            sweep = index[0, e]
            pushing = sweep < moving
            pace = 1.0 / (h[0, e] / real(parts) if pushing else h[0, e])
            rate = pace * share if pushing else pace
            lift = push_cap(own_push[max(da, 0), e], da >= 0, fastest_push[0, e])
            lift = min(lift, push_cap(own_push[max(db, 0), e], db >= 0, fastest_push[0, e]))
            lift = lift * (h[0, e] / real(moving) if pushing else h[0, e]) * real(sweep + 1)
            # loads come before conditions: those behind one would each be waited for
            k00 = block[c, 0, e]
            k10, k11 = block[c1, 0, e], block[c1, 1, e]
            k20, k21, k22 = block[c2, 0, e], block[c2, 1, e], block[c2, 2, e]
            k30, k31, k32, k33 = block[c3, 0, e], block[c3, 1, e], block[c3, 2, e], block[c3, 3, e]
            x0, x1, x2, x3 = impulse[c, 0, e], impulse[c1, 0, e], impulse[c2, 0, e], impulse[c3, 0, e]
            t0, t1, t2, t3 = total[c, 0, e], total[c1, 0, e], total[c2, 0, e], total[c3, 0, e]
            gap0, gap1, gap2, gap3 = separation[c, e], separation[c1, e], separation[c2, e], separation[c3, e]
            r0, r1, r2, r3 = rebound[c, e], rebound[c1, e], rebound[c2, e], rebound[c3, e]
            n0, n1, n2, n3, z0, z1, z2, z3 = solve_normals(
                pushing, pace, rate, lift, gone * h[0, e], in0, in1, in2, in3,
                k00, k10, k11, k20, k21, k22, k30, k31, k32, k33,
                inverse(k00), inverse(k11), inverse(k22), inverse(k33),
                x0, x1, x2, x3, t0, t1, t2, t3, gap0, gap1, gap2, gap3, r0, r1, r2, r3,
                approach[c, e], approach[c1, e], approach[c2, e], approach[c3, e],
                sum[0, 0, e], sum[0, 1, e], sum[0, 2, e], sum[0, 3, e],
                sum[0, 4, e], sum[0, 5, e], sum[0, 6, e], sum[0, 7, e],
            )  # fmt: skip
            change[0, 0, e] = n0 - x0 if in0 else 0.0
            change[0, 1, e] = n1 - x1 if in1 else 0.0
            change[0, 2, e] = n2 - x2 if in2 else 0.0
            change[0, 3, e] = n3 - x3 if in3 else 0.0
            change[0, 4, e], change[0, 5, e], change[0, 6, e], change[0, 7, e] = z0, z1, z2, z3
            # the same but for blows, and not by rounding: what transmits nothing is not to be taken for what does
            n0, n1, n2, n3 = n0 if in0 else x0, n1 if in1 else x1, n2 if in2 else x2, n3 if in3 else x3
            t0, t1 = n0 if t0 == x0 else t0 + (n0 - x0), n1 if t1 == x1 else t1 + (n1 - x1)
            t2, t3 = n2 if t2 == x2 else t2 + (n2 - x2), n3 if t3 == x3 else t3 + (n3 - x3)
            # the first one last: behind the last slot there is none, and what stands for one must not be stored over it
            impulse[c3, 0, e], total[c3, 0, e] = n3, t3
            impulse[c2, 0, e], total[c2, 0, e] = n2, t2
            impulse[c1, 0, e], total[c1, 0, e] = n1, t1
            impulse[c, 0, e], total[c, 0, e] = n0, t0
        for m in range(size):
            base = (c + m) * width
            for e in lanes:  # a choice made once, not for every row
                push = member_of(m, change[0, 0, e], change[0, 1, e], change[0, 2, e], change[0, 3, e])
                shift = member_of(m, change[0, 4, e], change[0, 5, e], change[0, 6, e], change[0, 7, e])
                change[0, 0, e], change[0, 4, e] = push, shift
            for i in spread(extent[c + m, lanes[0]]):
                k = dof[base + i, lanes[0]]
                for e in lanes:
                    answer = mobility[k, e] * jacobian[base + i, 0, e]
                    u[k, e] += answer * change[0, 0, e]
                    displacement[k, e] += answer * change[0, 4, e]
        c += size


@system(phase="sweep")
def sweep_friction(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    count=read(Sweep.contacts),
    slip=read(ContactMotion.slip),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    static=read(ContactSurface.static_friction),
    dynamic=read(ContactSurface.dynamic_friction),
    drift=read(ContactSurface.drift),
    jacobian=read(ContactJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    block_tangent=read(ContactBlock.tangent),
    impulse=update(ContactImpulse.last),
    total=update(ContactImpulse.value),
    sum=update(Scratch.sum),
    change=update(Scratch.change),
    u=update(DofGain.velocity),
):
    """One sweep over friction, contact by contact, within the cones of the normal impulses.

    After all normal impulses: friction that answered to a face half solved would push the body about.
    """
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    c = 0
    while c < most:
        on = 0
        while c < most and on == 0:  # the next one that presses, or rubs: the others would change nothing
            for e in lanes:
                rubs_or_presses = total[c, 0, e] != 0.0 or impulse[c, 1, e] != 0.0 or impulse[c, 2, e] != 0.0
                on = 1 if c < count[0, e] and rubs_or_presses else on
            c += 1 - on
        if on == 1:
            for e in lanes:
                sum[0, 1, e] = 0.0
                sum[0, 2, e] = 0.0
            base, wide = c * width, extent[c, lanes[0]]
            for i in spread((wide + 1) // 2):  # two rows at a time, so that their loads are under way together
                more = 2 * i + 1 < wide
                one = base + 2 * i
                two = one + 1 if more else one
                k, n = dof[one, lanes[0]], dof[two, lanes[0]]
                for e in lanes:
                    a1, a2 = jacobian[one, 1, e], jacobian[one, 2, e]
                    b1, b2 = jacobian[two, 1, e], jacobian[two, 2, e]
                    # one by one: rows that only other lanes need must not change the order of a sum
                    sum[0, 1, e] += a1 * u[k, e]
                    sum[0, 2, e] += a2 * u[k, e]
                    sum[0, 1, e] += (b1 if more else 0.0) * u[n, e]
                    sum[0, 2, e] += (b2 if more else 0.0) * u[n, e]
            for e in lanes:
                # loads come before conditions: those behind one would each be waited for
                y11, y12, y22, mean = (
                    block_tangent[c, 0, e],
                    block_tangent[c, 1, e],
                    block_tangent[c, 2, e],
                    block_tangent[c, 3, e],
                )
                now1, now2, normal = impulse[c, 1, e], impulse[c, 2, e], total[c, 0, e]
                u1, u2 = slip[c, 0, e] + drift[c, 0, e], slip[c, 1, e] + drift[c, 1, e]
                sticks, rubs = static[c, e], dynamic[c, e]
                here = c < count[0, e]
                new1, new2 = solve_friction(
                    sum[0, 1, e] + u1, sum[0, 2, e] + u2, u1, u2, now1, now2, y11, y12, y22, mean, normal, sticks, rubs
                )
                change[0, 1, e] = new1 - now1 if here else 0.0
                change[0, 2, e] = new2 - now2 if here else 0.0
                impulse[c, 1, e] = new1 if here else now1
                impulse[c, 2, e] = new2 if here else now2
                total[c, 1, e] = new1
                total[c, 2, e] = new2
            for i in spread(wide):
                k = dof[base + i, lanes[0]]
                for e in lanes:
                    push = jacobian[base + i, 1, e] * change[0, 1, e] + jacobian[base + i, 2, e] * change[0, 2, e]
                    u[k, e] += mobility[k, e] * push
            c += 1
