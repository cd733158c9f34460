"""Contacts in the constraint solver: warm start, and one sweep over them.

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
    DofSolve,
    DofTopology,
    Scratch,
    Settings,
    Sweep,
)
from phalanx.ecs import read, real, rows, system, update
from phalanx.systems.sweeps import CORRECTION

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
    impulse=read(ContactImpulse.value),
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
                change[0, r, e] = impulse[c, r, e] if c < count[0, e] else 0.0
        for side in range(2):
            t = da if side == 0 else db
            low = first[t, 0] if t >= 0 else 0
            high = end[t, 0] if t >= 0 else 0
            base = c * width - low
            if side == 1 and da >= 0:
                base += end[da, 0] - first[da, 0]
                high = low if first[da, 0] == low else high
            for k in range(low, high):
                for e in lanes:
                    v[k, e] += (
                        response[base + k, 0, e] * change[0, 0, e]
                        + response[base + k, 1, e] * change[0, 1, e]
                        + response[base + k, 2, e] * change[0, 2, e]
                    )


@system(phase="sweep", after="sweep_mimics", before="advance")
def sweep_contacts(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    fastest_push=read(Settings.max_depenetration_velocity),
    index=read(Sweep.index),
    count=read(ContactCount.current),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    separation=read(ContactPoint.separation),
    rebound=read(ContactMotion.rebound),
    slip=read(ContactMotion.slip),
    static=read(ContactSurface.static_friction),
    dynamic=read(ContactSurface.dynamic_friction),
    drift=read(ContactSurface.drift),
    jacobian=read(ContactJacobian.value),
    response=read(ContactResponse.velocity),
    block_normal=read(ContactBlock.normal),
    block_tangent=read(ContactBlock.tangent),
    impulse=update(ContactImpulse.value),
    sum=update(Scratch.sum),
    change=update(Scratch.change),
    v=update(DofSolve.velocity),
    displacement=update(DofSolve.displacement),
):
    """One sweep: each contact in turn, its normal impulse first, then friction within the cone of that."""
    width = row_count // max(slots, 1)
    moving = position_sweeps[0, 0]
    share = 1.0 / real(moving)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in range(most):
        da, db = -1, -1
        for e in lanes:
            if c < count[0, e]:
                da, db = dof_a[c, e], dof_b[c, e]
            sum[0, 0, e] = 0.0
            sum[0, 1, e] = drift[c, 0, e]
            sum[0, 2, e] = drift[c, 1, e]
            sum[0, 3, e] = 0.0
        low_a = first[da, 0] if da >= 0 else 0
        high_a = end[da, 0] if da >= 0 else 0
        low_b = first[db, 0] if db >= 0 else 0
        high_b = end[db, 0] if db >= 0 and not (da >= 0 and low_a == low_b) else low_b
        base_a = c * width - low_a
        base_b = c * width + high_a - low_a - low_b
        for side in range(2):
            base = base_a if side == 0 else base_b
            for k in range(low_a if side == 0 else low_b, high_a if side == 0 else high_b):
                for e in lanes:
                    u = v[k, e]
                    sum[0, 0, e] += jacobian[base + k, 0, e] * u
                    sum[0, 1, e] += jacobian[base + k, 1, e] * u
                    sum[0, 2, e] += jacobian[base + k, 2, e] * u
                    sum[0, 3, e] += jacobian[base + k, 0, e] * displacement[k, e]
        for e in lanes:
            here = c < count[0, e]
            sweep = index[0, e]
            pushing = sweep < moving
            part = h[0, e] * share if pushing else h[0, e]
            gap = (separation[c, e] if here else 0.0) + sum[0, 3, e]
            goal = -gap / part if gap > 0.0 else 0.0
            now = impulse[c, 0, e]
            goal = goal if pushing else max(goal, rebound[c, e])
            y = block_normal[c, e]
            # A velocity sweep must not brake what has yet to arrive, or it would arrive too slow to bounce.
            solid = here and y > 0.0 and (pushing or gap <= 0.0 or now > 0.0)
            new = max(now + (goal - sum[0, 0, e]) / y, 0.0) if solid else now
            change[0, 0, e] = new - now
            impulse[c, 0, e] = new
            # Penetration moves the bodies but leaves no velocity; no point goes faster than the cap.
            lift = min(-gap * CORRECTION, fastest_push[0, e] * part * real(sweep + 1) - sum[0, 3, e])
            change[0, 1, e] = max(lift, 0.0) / y if pushing and solid else 0.0
        for side in range(2):
            base = base_a if side == 0 else base_b
            for k in range(low_a if side == 0 else low_b, high_a if side == 0 else high_b):
                for e in lanes:
                    w = v[k, e] + response[base + k, 0, e] * change[0, 0, e]
                    v[k, e] = w
                    displacement[k, e] += response[base + k, 0, e] * change[0, 1, e]
                    sum[0, 1, e] += jacobian[base + k, 1, e] * response[base + k, 0, e] * change[0, 0, e]
                    sum[0, 2, e] += jacobian[base + k, 2, e] * response[base + k, 0, e] * change[0, 0, e]
        for e in lanes:
            here = c < count[0, e]
            y11, y12, y22 = block_tangent[c, 0, e], block_tangent[c, 1, e], block_tangent[c, 2, e]
            now1, now2 = impulse[c, 1, e], impulse[c, 2, e]
            new1 = now1 - (y11 * sum[0, 1, e] + y12 * sum[0, 2, e])
            new2 = now2 - (y12 * sum[0, 1, e] + y22 * sum[0, 2, e])
            stick = static[c, e] * impulse[c, 0, e]
            u1 = (slip[c, 0, e] if here else 0.0) + drift[c, 0, e]
            u2 = (slip[c, 1, e] if here else 0.0) + drift[c, 1, e]
            slide = (dynamic[c, e] if u1 * u1 + u2 * u2 > STICTION * STICTION else static[c, e]) * impulse[c, 0, e]
            # What slides steps by one number for both tangents: only then does it settle opposite to the velocity.
            slides = new1 * new1 + new2 * new2 > stick * stick
            step = block_tangent[c, 3, e]
            new1 = now1 - step * sum[0, 1, e] if slides else new1
            new2 = now2 - step * sum[0, 2, e] if slides else new2
            length = math.sqrt(new1 * new1 + new2 * new2)
            scale = slide / length if slides and length > 0.0 else 1.0
            new1, new2 = new1 * scale, new2 * scale
            change[0, 1, e] = new1 - now1 if here else 0.0
            change[0, 2, e] = new2 - now2 if here else 0.0
            impulse[c, 1, e] = new1 if here else now1
            impulse[c, 2, e] = new2 if here else now2
        for side in range(2):
            base = base_a if side == 0 else base_b
            for k in range(low_a if side == 0 else low_b, high_a if side == 0 else high_b):
                for e in lanes:
                    v[k, e] += response[base + k, 1, e] * change[0, 1, e] + response[base + k, 2, e] * change[0, 2, e]
