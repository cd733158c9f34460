"""Restitution: what meets fast leaves with its share of the speed, all points of an impact together.

Between the position sweeps, which have stopped what meets, and the velocity sweeps. A face lands on several points, and
a box that bounces off one corner after the other is left with spin that it never had; so the points that bounce get
sweeps of their own. Newton's law of restitution: the speed of separation is restitution * that of approach, at each.
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
)
from phalanx.ecs import function, read, rows, spread, system, update
from phalanx.systems.two_trees import both_trees, dof_of

SWEEPS = 8
"""Sweeps over the points that bounce."""

SAME_IMPACT = 0.1
"""A point bounces along with others if it is left nearer than this share of what it came nearer in the substep."""


@function
def rebound_speed(approach, fall, separation, h, restitution):
    """Speed after an impact in this substep, such that no energy is lost or won by when in the substep it happens.

    Velocities of steps that accelerate first and move then lie half a step's acceleration ahead of the parabola that
    the positions follow: the impact is that parabola's, at the surface.
    """
    gain = min(max(fall, 0.5 * approach), -0.5 * approach)
    before = approach + 0.5 * gain
    squared = before * before - 2.0 * gain / h * max(separation, 0.0)
    return restitution * math.sqrt(max(squared, 0.0)) - 0.5 * gain


@system(phase="bounce")
def find_bounces(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    h=read(Settings.timestep),
    threshold=read(Settings.bounce_threshold),
    count=read(ContactCount.current),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    separation=read(ContactPoint.separation),
    member=read(ContactMotion.member),
    approach=read(ContactMotion.approach),
    fall=read(ContactMotion.fall),
    restitution=read(ContactSurface.restitution),
    jacobian=read(ContactJacobian.value),
    block_normal=read(ContactBlock.normal),
    displacement=read(DofSolve.displacement),
    total=read(ContactImpulse.value),
    rebound=update(ContactMotion.rebound),
):
    """Which contacts bounce, and how fast they leave."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in spread(most):
        da, db = -1, -1
        on = 0
        for e in lanes:
            fast = c < count[0, e] and restitution[c, e] > 0.0 and approach[c, e] < -threshold[0, e]
            rebound[c, e] = 0.0
            if fast:
                da, db, on = dof_a[c, e], dof_b[c, e], 1
        if on == 1:
            base = c * width
            wide, wide_a, low_a, low_b = both_trees(first, end, da, db)
            for i in range(wide):
                k = dof_of(i, wide_a, low_a, low_b)
                for e in lanes:
                    rebound[c, e] += jacobian[base + i, 0, e] * displacement[k, e]
            for e in lanes:
                here = c < count[0, e]
                own = member[c, e] if here else 0
                gap = (separation[c, e] if here else 0.0) + rebound[c, e]
                near = total[c, 0, e] > 0.0 or gap < -SAME_IMPACT * h[0, e] * approach[c, e]
                fast = here and restitution[c, e] > 0.0 and approach[c, e] < -threshold[0, e]
                u = min(approach[c, e], 0.0)
                leaves = rebound_speed(u, fall[c, e], separation[c, e] if here else 0.0, h[0, e], restitution[c, e])
                rebound[c, e] = leaves if fast and near and block_normal[c, own, e] > 0.0 else 0.0


@system(phase="bounce", after="find_bounces")
def bounce(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    count=read(ContactCount.current),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    member=read(ContactMotion.member),
    rebound=read(ContactMotion.rebound),
    jacobian=read(ContactJacobian.value),
    response=read(ContactResponse.velocity),
    block_normal=read(ContactBlock.normal),
    impulse=update(ContactImpulse.last),
    total=update(ContactImpulse.value),
    sum=update(Scratch.sum),
    change=update(Scratch.change),
    v=update(DofSolve.velocity),
):
    """Sweeps over the contacts that bounce, until they leave as fast as they are to."""
    width = row_count // max(slots, 1)
    most, bouncing = 0, 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in range(most):
        for e in lanes:
            bouncing = c + 1 if c < count[0, e] and rebound[c, e] > 0.0 else bouncing
    for turn in range(SWEEPS + 1 if bouncing > 0 else 0):
        for c in range(bouncing):
            da, db = -1, -1
            on = 0
            for e in lanes:
                if c < count[0, e]:
                    da, db = dof_a[c, e], dof_b[c, e]
                    on = max(on, 1 if rebound[c, e] > 0.0 else 0)
                sum[0, 0, e] = 0.0
            if on == 1:
                base = c * width
                wide, wide_a, low_a, low_b = both_trees(first, end, da, db)
                if turn == 0:  # Friction so far was with a spin that the impact as a whole does not have.
                    for e in lanes:
                        bounces = c < count[0, e] and rebound[c, e] > 0.0
                        for r in range(1, 3):
                            change[0, r, e] = -total[c, r, e] if bounces else 0.0
                            impulse[c, r, e] = 0.0 if bounces else impulse[c, r, e]
                            total[c, r, e] = 0.0 if bounces else total[c, r, e]
                    for i in spread(wide):
                        k = dof_of(i, wide_a, low_a, low_b)
                        for e in lanes:
                            v[k, e] += (
                                response[base + i, 1, e] * change[0, 1, e] + response[base + i, 2, e] * change[0, 2, e]
                            )
                else:
                    for i in spread(wide):
                        k = dof_of(i, wide_a, low_a, low_b)
                        for e in lanes:
                            sum[0, 0, e] += jacobian[base + i, 0, e] * v[k, e]
                    for e in lanes:
                        bounces = c < count[0, e] and rebound[c, e] > 0.0
                        now = impulse[c, 0, e]
                        y = block_normal[c, member[c, e], e] if bounces else 1.0
                        new = max(now + (rebound[c, e] - sum[0, 0, e]) / y, 0.0) if bounces else now
                        change[0, 0, e] = new - now if bounces else 0.0
                        total[c, 0, e] += new - now
                        # A blow is no load that goes on: the next substep starts without it.
                        impulse[c, 0, e] = 0.0 if bounces and turn == SWEEPS else new
                    for i in spread(wide):
                        k = dof_of(i, wide_a, low_a, low_b)
                        for e in lanes:
                            v[k, e] += response[base + i, 0, e] * change[0, 0, e]
