"""Jacobians of contacts, and how bodies respond to a unit impulse at each.

A contact moves the dofs of at most two trees, whatever else there is: its rows hold those of a's tree, then, if it is
another, those of b's. Lanes must agree on the trees of a contact slot; worlds in which they may not run these systems
lane by lane (see :func:`phalanx.systems.systems`). A lane without the contact carries zeros through.
"""

from phalanx.components import (
    Contact,
    ContactBlock,
    ContactCount,
    ContactJacobian,
    ContactMotion,
    ContactPoint,
    ContactResponse,
    ContactRow,
    DofMotion,
    DofRelation,
    DofSolve,
    DofState,
    DofTopology,
    LinkPose,
    MassFactor,
    MassTopology,
)
from phalanx.ecs import read, rows, spread, system, update, write
from phalanx.systems.math3d import cross
from phalanx.systems.two_trees import both_trees, tree_rows
from phalanx.systems.windows import WINDOW


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
            # one tree alone, whether on side a, on side b or on both, is the same to the rows
            same = max(a, b) == max(i, j) and (a == b or min(a, b) < 0) and (i == j or min(i, j) < 0)
            same = same or (a == i and b == j)
            goes_on = c > 0 and same and member[p, e] < WINDOW - 1
            member[c, e] = member[p, e] + 1 if goes_on else 0


@system(phase="rows", after="contact_windows")
def contact_jacobians(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    moves=read(DofRelation.moves),
    relations=read(DofTopology.relations),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    offset=read(LinkPose.offset),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    axis=read(DofMotion.axis),
    qd=read(DofState.velocity),
    free=read(DofSolve.velocity),
    count=read(ContactCount.current),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    approach=write(ContactMotion.approach),
    fall=write(ContactMotion.fall),
    slip=write(ContactMotion.slip),
    jacobian=write(ContactJacobian.value),
):
    """Velocity of the contact point on a less that on b, along normal and tangents, per generalised velocity."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in spread(most):
        da, db = -1, -1
        for e in lanes:
            approach[c, e] = 0.0
            fall[c, e] = 0.0
            slip[c, 0, e] = 0.0
            slip[c, 1, e] = 0.0
            if c < count[0, e]:
                da, db = dof_a[c, e], dof_b[c, e]
        for side in range(2):
            low, high, shift = tree_rows(first, end, da, db, side)
            base = c * width + shift
            for k in range(low, high):
                i = link[k, 0]
                turns = angular[k, 0] == 1
                for e in lanes:
                    here = c < count[0, e]
                    a = dof_a[c, e] if here else -1
                    b = dof_b[c, e] if here else -1
                    nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                    tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
                    bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
                    ux, uy, uz = axis[k, 0, e], axis[k, 1, e], axis[k, 2, e]
                    with_a = a >= 0 and first[max(a, 0), 0] == low
                    with_b = b >= 0 and first[max(b, 0), 0] == low
                    on_a = 1.0 if with_a and moves[relations[a if with_a else k, 0] + k, 0] == 1 else 0.0
                    on_b = 1.0 if with_b and moves[relations[b if with_b else k, 0] + k, 0] == 1 else 0.0
                    vx, vy, vz = (on_a - on_b) * ux, (on_a - on_b) * uy, (on_a - on_b) * uz
                    if turns:  # within a tree both arms start at the same root
                        x = on_a * (arm_a[c, 0, e] - offset[i, 0, e]) - on_b * (arm_b[c, 0, e] - offset[i, 0, e])
                        y = on_a * (arm_a[c, 1, e] - offset[i, 1, e]) - on_b * (arm_b[c, 1, e] - offset[i, 1, e])
                        z = on_a * (arm_a[c, 2, e] - offset[i, 2, e]) - on_b * (arm_b[c, 2, e] - offset[i, 2, e])
                        vx, vy, vz = cross(ux, uy, uz, x, y, z)
                    along = vx * nx + vy * ny + vz * nz
                    rub = vx * tx + vy * ty + vz * tz
                    across = vx * bx + vy * by + vz * bz
                    approach[c, e] += along * qd[k, e] if here else 0.0
                    fall[c, e] += along * (free[k, e] - qd[k, e]) if here else 0.0
                    slip[c, 0, e] += rub * qd[k, e] if here else 0.0
                    slip[c, 1, e] += across * qd[k, e] if here else 0.0
                    jacobian[base + k, 0, e] = along if here else 0.0
                    jacobian[base + k, 1, e] = rub if here else 0.0
                    jacobian[base + k, 2, e] = across if here else 0.0


@system(phase="rows", after="contact_jacobians")
def contact_responses(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    factor=read(MassFactor.value),
    inverse_pivot=read(DofSolve.inverse_pivot),
    count=read(ContactCount.current),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    jacobian=read(ContactJacobian.value),
    response=update(ContactResponse.velocity),
):
    """(M + implicit terms)^-1 J^T for one sweep, by the sparse factorisation."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in spread(most):
        da, db = -1, -1
        for e in lanes:
            if c < count[0, e]:
                da, db = dof_a[c, e], dof_b[c, e]
        for side in range(2):
            low, high, shift = tree_rows(first, end, da, db, side)
            base = c * width + shift
            for k in range(low, high):
                for e in lanes:
                    response[base + k, 0, e] = jacobian[base + k, 0, e]
                    response[base + k, 1, e] = jacobian[base + k, 1, e]
                    response[base + k, 2, e] = jacobian[base + k, 2, e]
            for d in range(high - 1, low - 1, -1):
                start = chain[d, 0]
                for s in range(1, depth[d, 0]):
                    b = base + column[start + s, 0]
                    for e in lanes:
                        w = factor[start + s, e]
                        response[b, 0, e] -= w * response[base + d, 0, e]
                        response[b, 1, e] -= w * response[base + d, 1, e]
                        response[b, 2, e] -= w * response[base + d, 2, e]
            for d in range(low, high):
                start = chain[d, 0]
                for e in lanes:
                    w = inverse_pivot[d, e]
                    response[base + d, 0, e] = response[base + d, 0, e] * w
                    response[base + d, 1, e] = response[base + d, 1, e] * w
                    response[base + d, 2, e] = response[base + d, 2, e] * w
                for s in range(1, depth[d, 0]):
                    b = base + column[start + s, 0]
                    for e in lanes:
                        w = factor[start + s, e]
                        response[base + d, 0, e] -= w * response[b, 0, e]
                        response[base + d, 1, e] -= w * response[b, 1, e]
                        response[base + d, 2, e] -= w * response[b, 2, e]


@system(phase="rows", after="contact_responses")
def contact_blocks(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    count=read(ContactCount.current),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    in_window=read(ContactMotion.member),
    jacobian=read(ContactJacobian.value),
    response=read(ContactResponse.velocity),
    block_normal=update(ContactBlock.normal),
    block_tangent=update(ContactBlock.tangent),
):
    """How contacts of a window answer to each other's normal impulses, and each to friction's (inverted)."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in spread(most):
        da, db = -1, -1
        member = 0
        base = c * width
        for e in lanes:
            for m in range(WINDOW):
                block_normal[c, m, e] = 0.0
            block_tangent[c, 0, e] = 0.0
            block_tangent[c, 1, e] = 0.0
            block_tangent[c, 2, e] = 0.0
            if c < count[0, e]:
                da, db = dof_a[c, e], dof_b[c, e]
                member = in_window[c, e]
        wide, _, _, _ = both_trees(first, end, da, db)
        for i in range(wide):
            for e in lanes:
                j1, j2 = jacobian[base + i, 1, e], jacobian[base + i, 2, e]
                block_tangent[c, 0, e] += j1 * response[base + i, 1, e]
                block_tangent[c, 1, e] += j1 * response[base + i, 2, e]
                block_tangent[c, 2, e] += j2 * response[base + i, 2, e]
            for m in range(member + 1):
                other = base + i - (member - m) * width
                for e in lanes:
                    block_normal[c, m, e] += jacobian[base + i, 0, e] * response[other, 0, e]
        for e in lanes:
            a, b2, c2 = block_tangent[c, 0, e], block_tangent[c, 1, e], block_tangent[c, 2, e]
            determinant = a * c2 - b2 * b2
            # A point that cannot move along a tangent (or at all) leaves its block singular: no friction there.
            solid = determinant > 1e-9 * a * c2
            scale = 1.0 / determinant if solid else 0.0
            block_tangent[c, 0, e] = c2 * scale
            block_tangent[c, 1, e] = -b2 * scale
            block_tangent[c, 2, e] = a * scale
            block_tangent[c, 3, e] = 2.0 / (a + c2) if solid else 0.0
