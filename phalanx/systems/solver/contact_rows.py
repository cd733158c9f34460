"""Jacobians of contacts.

The solver works on decoupled velocities u = L v, where M + implicit terms = L^T D L: an impulse p along a row J of the
velocities changes them by D^-1 G^T p, with G = J L^-1, which reaches no farther than J, up the chains of the links that
touch; M^-1 J^T would be as wide as the robot. A contact's rows hold the dofs of the two chains. Lanes share them, so
they must agree on the trees of a contact slot; worlds in which they may not run these systems lane by lane (see
:func:`phalanx.systems.systems`). A lane without the contact, or with another chain, carries zeros through.
"""

import math

from phalanx.components import (
    Contact,
    ContactBlock,
    ContactCount,
    ContactDof,
    ContactJacobian,
    ContactMotion,
    ContactPoint,
    ContactRow,
    DofModel,
    DofMotion,
    DofSolve,
    DofState,
    DofTopology,
    LinkPose,
    MassFactor,
    MassTopology,
    Scratch,
    Settings,
)
from phalanx.ecs import function, read, rows, spread, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.solver.contact_solver import SLOP, push_cap
from phalanx.systems.solver.joined_trees import lower_tree_first
from phalanx.systems.solver.windows import WINDOW


@function
def same_trees(a, b, i, j):
    """Whether contacts of trees a and b, and of i and j, have the same dofs; -1 for sides that cannot move.

    One tree alone, whether on side a, on side b or on both, is the same to the rows.
    """
    alone = max(a, b) == max(i, j) and (a == b or min(a, b) < 0) and (i == j or min(i, j) < 0)
    return alone or (a == i and b == j)


@system(phase="rows")
def contact_windows(
    lanes,
    count=read(ContactCount.current),
    first=read(DofTopology.tree_first),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    member=write(ContactMotion.member),
):
    """Successive contacts of the same trees go together, four at most; lanes agree on that as they do on trees."""
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in range(most):
        p = max(c - 1, 0)
        for e in lanes:
            a, b, i, j = dof_a[c, e], dof_b[c, e], dof_a[p, e], dof_b[p, e]
            a = first[a, 0] if a >= 0 else -1
            b = first[b, 0] if b >= 0 else -1
            i = first[i, 0] if i >= 0 else -1
            j = first[j, 0] if j >= 0 else -1
            goes_on = c > 0 and same_trees(a, b, i, j) and member[p, e] < WINDOW - 1
            member[c, e] = member[p, e] + 1 if goes_on else 0


@function
def contact_velocity(turns, on_a, on_b, ux, uy, uz, ox, oy, oz, ax, ay, az, bx, by, bz):
    """Velocity of the contact point on a less that on b, per velocity of one dof.

    Args:
        turns: whether the dof is a rotation.
        on_a, on_b: 1 where it moves side a, side b, else 0.
        ux, uy, uz: its axis.
        ox, oy, oz: the origin of its link, from that of the root link.
        ax to az, bx to bz: the contact point on either side, from there; within a tree both start at the same root.
    """
    vx, vy, vz = (on_a - on_b) * ux, (on_a - on_b) * uy, (on_a - on_b) * uz
    if turns:
        x = on_a * (ax - ox) - on_b * (bx - ox)
        y = on_a * (ay - oy) - on_b * (by - oy)
        z = on_a * (az - oz) - on_b * (bz - oz)
        vx, vy, vz = cross(ux, uy, uz, x, y, z)
    return vx, vy, vz


@function
def inverted_tangents(a, b, c):
    """The inverse of a tangential block, 11, 12, 22, and that of the mean of its diagonal.

    A point that cannot move along a tangent (or at all) leaves its block singular: no friction there.
    """
    determinant = a * c - b * b
    solid = determinant > 1e-9 * a * c
    scale = 1.0 / determinant if solid else 0.0
    return c * scale, -b * scale, a * scale, 2.0 / (a + c) if solid else 0.0


@function
def moves(begin, end, place):
    """Whether a dof that moves those at begin to end - 1 of the walk moves one there; -1: what cannot move."""
    return begin <= place and place < end


@system(phase="rows")
def contact_jacobians(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    begin=read(DofTopology.walk_begin),
    stop=read(DofTopology.walk_end),
    offset=read(LinkPose.offset),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    axis=read(DofMotion.axis),
    qd=read(DofState.velocity),
    count=read(ContactCount.current),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    place=update(Scratch.place),
    approach=write(ContactMotion.approach),
    slip=write(ContactMotion.slip),
    extent=write(ContactMotion.extent),
    dof=write(ContactDof.dof),
    jacobian=write(ContactJacobian.value),
):
    """Velocity of the contact point on a less that on b, along normal and tangents, per generalised velocity.

    Which dofs move a side is told by its place in the walk over all dofs, so that lanes need not look it up one by one.
    """
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in spread(most):
        da, db = -1, -1
        for e in lanes:
            a, b = dof_a[c, e], dof_b[c, e]
            place_a, place_b = begin[max(a, 0), 0], begin[max(b, 0), 0]
            here = c < count[0, e]
            place[0, 0, e] = place_a if here and a >= 0 else -1
            place[0, 1, e] = place_b if here and b >= 0 else -1
            da, db = max(da, a if here else -1), max(db, b if here else -1)
        for e in lanes:
            approach[c, e] = 0.0
            slip[c, 0, e], slip[c, 1, e] = 0.0, 0.0
        row = c * width
        for side in range(2):
            low, high = lower_tree_first(first, end, da, db, side)
            for k in range(low, high):
                k0, k1, on = begin[k, 0], stop[k, 0], 0
                for e in lanes:
                    a, b = place[0, 0, e], place[0, 1, e]
                    on = max(on, 1 if moves(k0, k1, a) or moves(k0, k1, b) else 0)
                if on == 1:
                    i = link[k, 0]
                    turns = angular[k, 0] == 1
                    for e in lanes:
                        here = c < count[0, e]
                        a, b = place[0, 0, e], place[0, 1, e]
                        on_a, on_b = 1.0 if moves(k0, k1, a) else 0.0, 1.0 if moves(k0, k1, b) else 0.0
                        nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                        tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
                        bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
                        ux, uy, uz = axis[k, 0, e], axis[k, 1, e], axis[k, 2, e]
                        vx, vy, vz = contact_velocity(
                            turns, on_a, on_b, ux, uy, uz, offset[i, 0, e], offset[i, 1, e], offset[i, 2, e],
                            arm_a[c, 0, e], arm_a[c, 1, e], arm_a[c, 2, e],
                            arm_b[c, 0, e], arm_b[c, 1, e], arm_b[c, 2, e],
                        )  # fmt: skip
                        along = vx * nx + vy * ny + vz * nz
                        rub = vx * tx + vy * ty + vz * tz
                        across = vx * bx + vy * by + vz * bz
                        along, rub, across = along if here else 0.0, rub if here else 0.0, across if here else 0.0
                        approach[c, e] += along * qd[k, e]
                        slip[c, 0, e] += rub * qd[k, e]
                        slip[c, 1, e] += across * qd[k, e]
                        dof[row, e] = k
                        jacobian[row, 0, e] = along
                        jacobian[row, 1, e] = rub
                        jacobian[row, 2, e] = across
                    row += 1
        for e in lanes:
            extent[c, e] = row - c * width


@system(phase="rows")
def decouple_contacts(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    factor=read(MassFactor.value),
    count=read(ContactCount.current),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    row=update(Scratch.row),
    jacobian=update(ContactJacobian.value),
):
    """J L^-1, in place: from the tips to the roots."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in spread(most):
        base, wide = c * width, extent[c, lanes[0]]
        one_chain = wide > 0 and depth[dof[base + max(wide - 1, 0), lanes[0]], 0] == wide
        for j in range(wide - 2, -1, -1):
            a = dof[base + j, lanes[0]]
            for e in lanes:
                row[0, 0, e] = jacobian[base + j, 0, e]
                row[0, 1, e] = jacobian[base + j, 1, e]
                row[0, 2, e] = jacobian[base + j, 2, e]
            for i in range(wide - 1, j, -1):
                d = dof[base + i, lanes[0]]
                s, above = chain[d, 0] + i - j, True
                if not one_chain:
                    up = depth[d, 0] - depth[a, 0]
                    s = chain[d, 0] + max(up, 0)
                    above = up > 0 and column[s, 0] == a
                if above:
                    for e in lanes:
                        w = factor[s, e]
                        row[0, 0, e] -= w * jacobian[base + i, 0, e]
                        row[0, 1, e] -= w * jacobian[base + i, 1, e]
                        row[0, 2, e] -= w * jacobian[base + i, 2, e]
            for e in lanes:
                jacobian[base + j, 0, e] = row[0, 0, e]
                jacobian[base + j, 1, e] = row[0, 1, e]
                jacobian[base + j, 2, e] = row[0, 2, e]


STILL = 1e-12
"""Share of its response along tangents below which a contact's response along its normal is rounding."""

SLIDES = 1.0 / 16.0
"""Inverse square of how much farther than the contact point a dof that slides may be pushed."""


@function
def response(own, along_1, along_2):
    """Velocity of a contact along its normal per unit impulse; 0 if that is rounding, as where it meets a hinge."""
    return own if own > STILL * (along_1 + along_2) else 0.0


@function
def least_lever(gap, x, y, z):
    """The square of the least lever with which a push that is deep may turn what it moves: the depth, or less, m^2.

    What is deeper than it is large can be pushed with no lever longer than itself.

    Args:
        gap: separation.
        x, y, z: the contact point, from the origin of the root link.
    """
    return min(gap * gap, x * x + y * y + z * z)


@function
def eased(gap, own, spread, longest, rebound):
    """The gap that sweeps take for what is ``gap`` apart: less deep where a push would move a dof much farther.

    Where the normal all but meets the axis of a hinge, or is square to a slider, a small way of the contact point is a
    large one of the joint, and the linear model of it is worth nothing: links would turn by many rounds. A push turns
    no dof by more than it moves the contact point, divided by what :func:`least_lever` says.

    Args:
        gap: separation, negative when penetrating.
        own: velocity of the contact along its normal per unit impulse.
        spread: sum of squares of what that impulse gives to dofs, those that turn times their lever, others by SLIDES.
        longest: how far contacts may push out in the substep.
        rebound: negative for what gives way, which is not pushed out.
    """
    part = own / math.sqrt(spread) if spread > 0.0 else 1.0
    return -part * min(-gap, 2.0 * longest) if gap < -SLOP and rebound >= 0.0 and part < 1.0 else gap


@system(phase="rows")
def ease_contacts(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    h=read(Settings.timestep),
    fastest_push=read(Settings.max_depenetration_velocity),
    own_push=read(DofModel.max_depenetration_velocity),
    angular=read(DofTopology.angular),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    separation=read(ContactMotion.gap),
    count=read(ContactCount.current),
    rebound=read(ContactMotion.rebound),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    first=read(DofTopology.tree_first),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    jacobian=read(ContactJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    gap=write(ContactBlock.gap),
    sum=update(Scratch.sum),
):
    """The gaps that sweeps take. Apart from ``contact_blocks``, which takes longer: the warm start needs only these."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in spread(most):
        base = c * width
        deep = 0
        for e in lanes:
            gap[c, e] = separation[c, e]
            deep = 1 if c < count[0, e] and separation[c, e] < -SLOP else deep
        if deep == 1:
            for e in lanes:
                for k in range(4):
                    sum[0, k, e] = 0.0
        for i in range(extent[c, lanes[0]] if deep == 1 else 0):
            k = dof[base + i, lanes[0]]
            turns, root = angular[k, 0] == 1, first[k, 0]
            for e in lanes:
                a, b, depth, w = dof_a[c, e], dof_b[c, e], separation[c, e], mobility[k, e]
                lever_a = least_lever(depth, arm_a[c, 0, e], arm_a[c, 1, e], arm_a[c, 2, e])
                lever_b = least_lever(depth, arm_b[c, 0, e], arm_b[c, 1, e], arm_b[c, 2, e])
                lever_a = lever_a if a >= 0 and first[max(a, 0), 0] == root else 0.0
                lever_b = lever_b if b >= 0 and first[max(b, 0), 0] == root else 0.0
                j0, j1, j2 = jacobian[base + i, 0, e], jacobian[base + i, 1, e], jacobian[base + i, 2, e]
                sum[0, 0, e] += j0 * w * j0
                sum[0, 1, e] += j1 * w * j1
                sum[0, 2, e] += j2 * w * j2
                sum[0, 3, e] += (max(lever_a, lever_b) if turns else SLIDES) * (w * j0) * (w * j0)
        if deep == 1:
            for e in lanes:
                a, b = dof_a[c, e], dof_b[c, e]
                longest = min(
                    push_cap(own_push[max(a, 0), e], a >= 0, fastest_push[0, e]),
                    push_cap(own_push[max(b, 0), e], b >= 0, fastest_push[0, e]),
                )
                own = response(sum[0, 0, e], sum[0, 1, e], sum[0, 2, e])
                gap[c, e] = eased(separation[c, e], own, sum[0, 3, e], longest * h[0, e], rebound[c, e])


@system(phase="rows")
def contact_blocks(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    count=read(ContactCount.current),
    in_window=read(ContactMotion.member),
    rebound=read(ContactMotion.rebound),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    jacobian=read(ContactJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    block_normal=update(ContactBlock.normal),
    block_tangent=update(ContactBlock.tangent),
):
    """How contacts of a window answer to each other's normal impulses, and each to friction's (inverted)."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in spread(most):
        member = 0
        base = c * width
        for e in lanes:
            for m in range(WINDOW):
                block_normal[c, m, e] = 0.0
            block_tangent[c, 0, e] = 0.0
            block_tangent[c, 1, e] = 0.0
            block_tangent[c, 2, e] = 0.0
            if c < count[0, e]:
                member = in_window[c, e]
        wide = extent[c, lanes[0]]
        for i in range(wide):
            k = dof[base + i, lanes[0]]
            for e in lanes:
                j1, j2, w = jacobian[base + i, 1, e], jacobian[base + i, 2, e], mobility[k, e]
                block_tangent[c, 0, e] += j1 * w * j1
                block_tangent[c, 1, e] += j1 * w * j2
                block_tangent[c, 2, e] += j2 * w * j2
        for m in range(member + 1):
            o = c - (member - m)
            other, wide_o = o * width, extent[o, lanes[0]]
            i, j = 0, 0
            while i < wide and j < wide_o:  # dofs of both
                k, n = dof[base + i, lanes[0]], dof[other + j, lanes[0]]
                if k == n:
                    for e in lanes:
                        block_normal[c, m, e] += jacobian[base + i, 0, e] * mobility[k, e] * jacobian[other + j, 0, e]
                i, j = i + (1 if k <= n else 0), j + (1 if n <= k else 0)
        for e in lanes:
            own = response(block_normal[c, member, e], block_tangent[c, 0, e], block_tangent[c, 2, e])
            block_normal[c, member, e] = own - min(rebound[c, e], 0.0) if own > 0.0 else own
            y11, y12, y22, mean = inverted_tangents(
                block_tangent[c, 0, e], block_tangent[c, 1, e], block_tangent[c, 2, e]
            )
            block_tangent[c, 0, e] = y11
            block_tangent[c, 1, e] = y12
            block_tangent[c, 2, e] = y22
            block_tangent[c, 3, e] = mean
