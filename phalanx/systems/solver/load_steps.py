"""A step of the search for loads: how far along what a sweep has changed and along the last step.

After each sweep of :mod:`phalanx.systems.solver.loads`: what the sweep has let go of or let slide is left as it is, the
energy is minimised over the plane of the two directions, island by island, and impulses go back into their bounds.
"""

import math

from phalanx.components import (
    Contact,
    ContactBlock,
    ContactDof,
    ContactImpulse,
    ContactJacobian,
    ContactMotion,
    ContactRow,
    ContactSearch,
    ContactSurface,
    Dof,
    DofGain,
    DofSearch,
    DofSolve,
    Scratch,
    Settings,
    Sweep,
    Tree,
    TreeSearch,
    TreeTopology,
)
from phalanx.ecs import function, read, real, rows, spread, system, update, write
from phalanx.systems.solver.contact_solver import NEAR

ENOUGH = 2e-8
"""m: loads are known if what a sweep changes moves all contacts (root of squares) less in a position sweep's time."""

AT_BOUND = 0.99  # share of the friction bound from which on a contact slides
ROUNDINGS = 16.0  # of the velocities gained, in the energy's norm: a sweep that changes less has rounded
LEAST_BEND = 1e-5  # least curvature of the energy along a step, over that of each contact alone
BOLD = 4.0  # steps that are longer than this, in units of what the sweep and the last step did, are looked at first
MOST_LOST = 0.1  # share of such a step, in squares, that bounds may take away: more, and it would not lower the energy


@function
def rounding():
    """The relative spacing of numbers of the world's type: a third has no finite binary form."""
    return math.fabs(3.0 * (4.0 / 3.0 - 1.0) - 1.0)


@function
def at_bound(normal, tangent_1, tangent_2, static, dynamic):
    """Whether a contact slides, by its impulses and coefficients of friction."""
    bound = AT_BOUND * min(static, dynamic) * normal
    return tangent_1 * tangent_1 + tangent_2 * tangent_2 >= bound * bound


@system(phase="load")
def swept_velocities(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    jacobian=read(ContactJacobian.value),
    approach=read(ContactMotion.approach),
    slip=read(ContactMotion.slip),
    drift=read(ContactSurface.drift),
    u=read(DofGain.velocity),
    contacts=read(Sweep.contacts),
    velocity=write(ContactSearch.velocity),
):
    """How contacts move after the sweep: the energy's slope. Sums over dofs would lose it among what cancels."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, contacts[0, e])
    for c in spread(most):
        for e in lanes:
            velocity[c, 0, e] = approach[c, e]
            velocity[c, 1, e] = slip[c, 0, e] + drift[c, 0, e]
            velocity[c, 2, e] = slip[c, 1, e] + drift[c, 1, e]
        base = c * width
        for i in range(extent[c, lanes[0]]):
            k = dof[base + i, lanes[0]]
            for e in lanes:
                velocity[c, 0, e] += jacobian[base + i, 0, e] * u[k, e]
                velocity[c, 1, e] += jacobian[base + i, 1, e] * u[k, e]
                velocity[c, 2, e] += jacobian[base + i, 2, e] * u[k, e]


@system(phase="load")
def hold_at_bounds(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    jacobian=read(ContactJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    contacts=read(Sweep.contacts),
    impulse=read(ContactImpulse.last),
    held=read(ContactSearch.held),
    start=update(ContactSearch.start),
    step=update(ContactSearch.step),
    dof_start=update(DofSearch.start),
    dof_step=update(DofSearch.step),
    change=update(Scratch.change),
):
    """What a sweep has let go of or let slide stays as the sweep left it: neither its change nor its step goes on."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, contacts[0, e])
    for c in range(most):
        on = 0
        for e in lanes:
            if c < contacts[0, e]:
                on = max(on, held[c, e])
        if on > 0:
            for e in lanes:
                which = held[c, e] if c < contacts[0, e] else 0
                for r in range(3):
                    stays = which >= 2 if r > 0 else which == 1 or which == 3
                    change[0, r, e] = impulse[c, r, e] - start[c, r, e] if stays else 0.0
                    change[0, 3 + r, e] = step[c, r, e] if stays else 0.0
                for r in range(3):
                    stays = which >= 2 if r > 0 else which == 1 or which == 3
                    start[c, r, e] = impulse[c, r, e] if stays else start[c, r, e]
                    step[c, r, e] = 0.0 if stays else step[c, r, e]
            base = c * width
            for i in spread(extent[c, lanes[0]]):
                k = dof[base + i, lanes[0]]
                for e in lanes:
                    w = mobility[k, e]
                    r0, r1, r2 = jacobian[base + i, 0, e], jacobian[base + i, 1, e], jacobian[base + i, 2, e]
                    r0, r1, r2 = w * r0, w * r1, w * r2
                    dof_start[k, e] += r0 * change[0, 0, e] + r1 * change[0, 1, e] + r2 * change[0, 2, e]
                    dof_step[k, e] -= r0 * change[0, 3, e] + r1 * change[0, 4, e] + r2 * change[0, 5, e]


@system(phase="load")
def step_loads(
    lanes,
    trees=rows(Tree),
    first_dof=read(TreeTopology.first_dof),
    end_dof=read(TreeTopology.end_dof),
    root=read(TreeSearch.island),
    known=update(TreeSearch.known),
    island=read(ContactSearch.island),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    mobility=read(DofSolve.inverse_pivot),
    separation=read(ContactMotion.gap),
    rebound=read(ContactMotion.rebound),
    velocity=read(ContactSearch.velocity),
    static=read(ContactSurface.static_friction),
    dynamic=read(ContactSurface.dynamic_friction),
    member=read(ContactMotion.member),
    block_normal=read(ContactBlock.normal),
    block_tangent=read(ContactBlock.tangent),
    contacts=read(Sweep.contacts),
    impulse=update(ContactImpulse.last),
    total=update(ContactImpulse.value),
    start=update(ContactSearch.start),
    step=update(ContactSearch.step),
    held=write(ContactSearch.held),
    cut=write(ContactSearch.cut),
    u=update(DofGain.velocity),
    dof_start=read(DofSearch.start),
    dof_step=read(DofSearch.step),
    sum=update(TreeSearch.sum),
):
    """Go on where the sweep and the last step point to, as far as the energy falls, and back to the bounds.

    Each island as far as is good for it: a step that another one needs would make much of what is settled here but for
    its rounding.
    """
    most = 0
    for e in lanes:
        most = max(most, contacts[0, e])
    busy = trees if most > 0 else 0
    for t in spread(busy):
        for m in range(9):
            for e in lanes:
                sum[t, m, e] = 0.0
    for c in range(most):
        for e in lanes:
            if c < contacts[0, e]:
                t = island[c, e]
                part = h[0, e] / real(position_sweeps[0, 0])
                gives = max(-rebound[c, e], 0.0)
                wanted = -separation[c, e] / h[0, e] - gives * impulse[c, 0, e]
                wanted = wanted if gives > 0.0 else -max(separation[c, e] - NEAR, 0.0) / part
                lacks = wanted - velocity[c, 0, e]
                rub1, rub2 = velocity[c, 1, e], velocity[c, 2, e]
                d0, p0 = impulse[c, 0, e] - start[c, 0, e], step[c, 0, e]
                d1, p1 = impulse[c, 1, e] - start[c, 1, e], step[c, 1, e]
                d2, p2 = impulse[c, 2, e] - start[c, 2, e], step[c, 2, e]
                own, mean = block_normal[c, member[c, e], e], block_tangent[c, 3, e]
                sum[t, 3, e] += lacks * d0 - rub1 * d1 - rub2 * d2
                sum[t, 4, e] += lacks * p0 - rub1 * p1 - rub2 * p2
                sum[t, 0, e] += gives * d0 * d0
                sum[t, 1, e] += gives * d0 * p0
                sum[t, 2, e] += gives * p0 * p0
                across = 1.0 / mean if mean > 0.0 else 0.0
                sum[t, 5, e] += own * d0 * d0 + across * (d1 * d1 + d2 * d2)
                sum[t, 7, e] += own * d0 * p0 + across * (d1 * p1 + d2 * p2)
                sum[t, 8, e] += own * p0 * p0 + across * (p1 * p1 + p2 * p2)
    for t in spread(busy):
        for d in range(first_dof[t, 0], end_dof[t, 0]):
            for e in lanes:
                swept, before, gained = u[d, e] - dof_start[d, e], dof_step[d, e], u[d, e]
                pivot = 1.0 / mobility[d, e] if mobility[d, e] > 0.0 else 0.0
                sum[t, 0, e] += pivot * swept * swept
                sum[t, 1, e] += pivot * swept * before
                sum[t, 2, e] += pivot * before * before
                sum[t, 6, e] += pivot * gained * gained
    for t in range(busy):
        for e in lanes:
            if contacts[0, e] > 0 and root[t, e] != t:
                for m in range(9):
                    sum[root[t, e], m, e] += sum[t, m, e]
    for t in spread(busy):
        for e in lanes:
            dd, dp, pp, fd, fp = sum[t, 0, e], sum[t, 1, e], sum[t, 2, e], sum[t, 3, e], sum[t, 4, e]
            blur = ROUNDINGS * rounding()
            firm = dd > max(LEAST_BEND * sum[t, 5, e], blur * blur * sum[t, 6, e])
            determinant = dd * pp - dp * dp
            # along no direction in the plane of both may the energy bend less: rounding would say how far to go there
            least = LEAST_BEND * (dd * sum[t, 8, e] - 2.0 * dp * sum[t, 7, e] + pp * sum[t, 5, e])
            both = firm and determinant > max(1e-5 * dd * pp, least)
            far = (fd * pp - fp * dp) / determinant if both else (fd / dd if firm else 0.0)
            sum[t, 0, e] = 1.0 + far
            sum[t, 1, e] = (fp * dd - fd * dp) / determinant if both else 0.0
            # what is known stays as it is, to the bit, however long others are sought
            sum[t, 7, e] = 1.0 if known[t, e] == 0 else 0.0
            known[t, e] = abs(known[t, e])
            sum[t, 2, e] = 0.0
            sum[t, 3, e] = 0.0
            bold = math.fabs(sum[t, 0, e]) + math.fabs(sum[t, 1, e]) > BOLD
            sum[t, 4, e] = sum[t, 7, e] if bold else 0.0
    some = 0
    for t in range(busy):
        for e in lanes:
            some = 1 if sum[t, 4, e] > 0.0 else some
    for c in range(most if some > 0 else 0):
        for e in lanes:
            if c < contacts[0, e]:
                t = island[c, e]
                s0, swept = start[c, 0, e], impulse[c, 0, e]
                n = s0 + (sum[t, 0, e] * (swept - s0) + sum[t, 1, e] * step[c, 0, e])
                own = block_normal[c, member[c, e], e] * sum[t, 4, e]
                sum[t, 2, e] += own * min(n, 0.0) * min(n, 0.0)
                sum[t, 3, e] += own * (n - swept) * (n - swept)
    for t in spread(busy if some > 0 else 0):
        for e in lanes:
            lost = sum[t, 2, e] > MOST_LOST * sum[t, 3, e]
            sum[t, 0, e] = 1.0 if lost else sum[t, 0, e]
            sum[t, 1, e] = 0.0 if lost else sum[t, 1, e]
    for t in spread(busy):
        for d in range(first_dof[t, 0], end_dof[t, 0]):
            for e in lanes:
                i = root[t, e]
                if contacts[0, e] > 0 and sum[i, 7, e] > 0.0:
                    swept = u[d, e] - dof_start[d, e]
                    u[d, e] = dof_start[d, e] + (sum[i, 0, e] * swept + sum[i, 1, e] * dof_step[d, e])
    for c in spread(most):
        for e in lanes:
            if c < contacts[0, e]:
                s0, s1, s2 = start[c, 0, e], start[c, 1, e], start[c, 2, e]
                far, again = sum[island[c, e], 0, e], sum[island[c, e], 1, e]
                n = s0 + (far * (impulse[c, 0, e] - s0) + again * step[c, 0, e])
                t1 = s1 + (far * (impulse[c, 1, e] - s1) + again * step[c, 1, e])
                t2 = s2 + (far * (impulse[c, 2, e] - s2) + again * step[c, 2, e])
                sought = sum[island[c, e], 7, e] > 0.0
                n, t1 = n if sought else impulse[c, 0, e], t1 if sought else impulse[c, 1, e]
                t2 = t2 if sought else impulse[c, 2, e]
                x = max(n, 0.0)
                rub = math.sqrt(t1 * t1 + t2 * t2)
                bound = static[c, e] * x
                scale = bound / rub if rub > bound else 1.0
                slides = at_bound(impulse[c, 0, e], impulse[c, 1, e], impulse[c, 2, e], static[c, e], dynamic[c, e])
                scale = x / impulse[c, 0, e] if slides and impulse[c, 0, e] > 0.0 else scale
                scale = scale if sought else 1.0
                y, z = t1 * scale, t2 * scale
                held[c, e] = 1 if x != n or scale != 1.0 else 0
                cut[c, 0, e], cut[c, 1, e], cut[c, 2, e] = x - n, y - t1, z - t2
                step[c, 0, e], step[c, 1, e], step[c, 2, e] = x - s0, y - s1, z - s2
                start[c, 0, e], impulse[c, 0, e], total[c, 0, e] = x, x, x
                start[c, 1, e], impulse[c, 1, e], total[c, 1, e] = y, y, y
                start[c, 2, e], impulse[c, 2, e], total[c, 2, e] = z, z, z


@system(phase="load")
def cut_loads(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    nv=rows(Dof),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    jacobian=read(ContactJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    contacts=read(Sweep.contacts),
    held=read(ContactSearch.held),
    cut=read(ContactSearch.cut),
    u=update(DofGain.velocity),
    dof_start=update(DofSearch.start),
    dof_step=write(DofSearch.step),
):
    """Velocities follow what was put back on its bounds."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, contacts[0, e])
    for c in range(most):
        on = 0
        for e in lanes:
            if c < contacts[0, e]:
                on = max(on, held[c, e])
        if on > 0:
            base = c * width
            for i in spread(extent[c, lanes[0]]):
                k = dof[base + i, lanes[0]]
                for e in lanes:
                    x = jacobian[base + i, 0, e] * cut[c, 0, e] + jacobian[base + i, 1, e] * cut[c, 1, e]
                    x = mobility[k, e] * (x + jacobian[base + i, 2, e] * cut[c, 2, e])
                    u[k, e] += x if c < contacts[0, e] and held[c, e] > 0 else 0.0
    for d in spread(nv if most > 0 else 0):
        for e in lanes:
            x = u[d, e]
            dof_step[d, e] = x - dof_start[d, e]
            dof_start[d, e] = x
