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
    ContactDof,
    ContactImpulse,
    ContactJacobian,
    ContactMotion,
    ContactRow,
    ContactSurface,
    DofGain,
    DofSolve,
    Scratch,
    Settings,
)
from phalanx.ecs import function, read, rows, spread, system, update
from phalanx.systems.solver.windows import WINDOW

SWEEPS = 8
"""Sweeps over the points that bounce."""

SAME_IMPACT = 0.1
"""A point bounces along with others of its window if it is left nearer than this share of what it came nearer in the
substep. One that is alone bounces when it meets something, or a ball would leave another one along the wrong line."""


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
    h=read(Settings.timestep),
    threshold=read(Settings.bounce_threshold),
    count=read(ContactCount.current),
    separation=read(ContactBlock.gap),
    member=read(ContactMotion.member),
    approach=read(ContactMotion.approach),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    restitution=read(ContactSurface.restitution),
    jacobian=read(ContactJacobian.value),
    block_normal=read(ContactBlock.normal),
    forced=read(DofGain.forced),
    displacement=read(DofGain.displacement),
    total=read(ContactImpulse.value),
    fall=update(Scratch.row),
    rebound=update(ContactMotion.rebound),
):
    """Which contacts bounce, and how fast they leave."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in spread(most):
        on = 0
        for e in lanes:
            fast = c < count[0, e] and restitution[c, e] > 0.0 and approach[c, e] < -threshold[0, e]
            fall[0, 0, e] = 0.0
            fall[0, 1, e] = h[0, e] * approach[c, e]  # how far it goes
            on = 1 if fast else on
        if on == 1:
            base = c * width
            for i in range(extent[c, lanes[0]]):
                k = dof[base + i, lanes[0]]
                for e in lanes:
                    fall[0, 1, e] += jacobian[base + i, 0, e] * displacement[k, e]
                    fall[0, 0, e] += jacobian[base + i, 0, e] * forced[k, e]
            for e in lanes:
                here = c < count[0, e]
                own = member[c, e] if here else 0
                gap = (separation[c, e] if here else 0.0) + fall[0, 1, e]
                meets = False
                for m in range(WINDOW):
                    o = min(max(c - own + m, 0), slots - 1)
                    meets = meets or (o < count[0, e] and member[o, e] == m and total[o, 0, e] > 0.0)
                near = total[c, 0, e] > 0.0 or (meets and gap < -SAME_IMPACT * h[0, e] * approach[c, e])
                fast = here and restitution[c, e] > 0.0 and approach[c, e] < -threshold[0, e]
                u = min(approach[c, e], 0.0)
                leaves = rebound_speed(u, fall[0, 0, e], separation[c, e] if here else 0.0, h[0, e], restitution[c, e])
                bounces = fast and near and block_normal[c, own, e] > 0.0
                rebound[c, e] = leaves if bounces else min(rebound[c, e], 0.0)


@system(phase="bounce")
def bounce(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    count=read(ContactCount.current),
    member=read(ContactMotion.member),
    rebound=read(ContactMotion.rebound),
    approach=read(ContactMotion.approach),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    jacobian=read(ContactJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    block_normal=read(ContactBlock.normal),
    impulse=update(ContactImpulse.last),
    total=update(ContactImpulse.value),
    sum=update(Scratch.sum),
    change=update(Scratch.change),
    u=update(DofGain.velocity),
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
            on = 0
            for e in lanes:
                if c < count[0, e]:
                    on = max(on, 1 if rebound[c, e] > 0.0 else 0)
                sum[0, 0, e] = approach[c, e]
            if on == 1:
                base = c * width
                wide = extent[c, lanes[0]]
                if turn == 0:  # Friction so far was with a spin that the impact as a whole does not have.
                    for e in lanes:
                        bounces = c < count[0, e] and rebound[c, e] > 0.0
                        for r in range(1, 3):
                            change[0, r, e] = -total[c, r, e] if bounces else 0.0
                        for r in range(1, 3):
                            impulse[c, r, e] = 0.0 if bounces else impulse[c, r, e]
                            total[c, r, e] = 0.0 if bounces else total[c, r, e]
                    for i in spread(wide):
                        k = dof[base + i, lanes[0]]
                        for e in lanes:
                            push = (
                                jacobian[base + i, 1, e] * change[0, 1, e] + jacobian[base + i, 2, e] * change[0, 2, e]
                            )
                            u[k, e] += mobility[k, e] * push
                else:
                    for i in spread(wide):
                        k = dof[base + i, lanes[0]]
                        for e in lanes:
                            sum[0, 0, e] += jacobian[base + i, 0, e] * u[k, e]
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
                        k = dof[base + i, lanes[0]]
                        for e in lanes:
                            u[k, e] += mobility[k, e] * jacobian[base + i, 0, e] * change[0, 0, e]
