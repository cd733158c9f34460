"""Rows of dofs and contacts for islands on the GPU: dense, so that a thread loads its share of one at once.

What :mod:`~.dof_rows` and :mod:`~.contact_rows` make for lanes, laid out for :mod:`~.island_sweeps`: a thread has four
dofs of an island, one after the other in one tree. Rows of dofs need no contacts, so they are ready before these are.
A contact's Jacobian J is found dof by dof, from torques about the root link's origin, and multiplied by the rows of
L^-1, G = J L^-1; of G those groups of four are kept that are not zero, as bits of a mask. Measured in
docs/decisions/0030-island-rows.md.
"""

from phalanx.components import (
    Contact,
    ContactMotion,
    ContactPoint,
    Coordinate,
    Dof,
    DofJacobian,
    DofLimit,
    DofModel,
    DofMotion,
    DofRelation,
    DofRow,
    DofSolve,
    DofState,
    DofTopology,
    Drive,
    DriveEffort,
    IslandContact,
    IslandDof,
    IslandDofFour,
    IslandDofNumbers,
    IslandRest,
    IslandRowFour,
    IslandRows,
    IslandTree,
    LinkPose,
    MassFactor,
    MassTopology,
    Settings,
    Tree,
    TreeTopology,
)
from phalanx.components.island import MOTION, RECORD, ROW
from phalanx.ecs import function, read, real, rows, system, update, write
from phalanx.ecs.declare import block_memory
from phalanx.ecs.team_language import (
    THREADS,
    as_bits,
    as_real,
    count_bits,
    load_four,
    lowest_bit,
    store_four,
    store_one,
    team_ballot,
    team_eight_sums,
    team_from,
    team_rank,
    team_row,
    team_slot,
    team_sum,
    team_system,
    team_wait,
    variant,
)
from phalanx.systems.dof_solver import softness
from phalanx.systems.math3d import cross

SORT, TEAM = 1, 8
"""Sort of islands, and threads that have its dofs; :func:`lay_out_large_islands` has others.

Systems are told how many numbers there are of each dof, and of a contact's rows: ``each`` and ``stride``.
"""

MEMBER, TREES, TABLES = 30, 31, 33  # of the last two two each
"""Where what is fetched of a contact is in the memory of the block, after ten numbers each of its normal and tangents:
the line, torques of a unit force about the root links' origins on either side, and the velocity of what cannot be
moved."""

ITEMS = 35
"""Numbers of a contact there: odd, so that threads which fetch contacts meet different banks."""

BLOCK = THREADS * ITEMS
"""Numbers there: each thread fetches a contact."""


@system(phase="rows")
def inverse_factor(
    lanes,
    nv=rows(Dof),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    factor=read(MassFactor.value),
    mobility=read(DofSolve.inverse_pivot),
    jacobian=write(DofJacobian.value),
    response=write(DofRow.response),
):
    """As ``dof_jacobians``, but for all dofs: what is known beforehand can be recorded."""
    for a in range(nv):
        row, length = chain[a, 0], depth[a, 0]
        for e in lanes:
            response[a, e] = 0.0
        for t in range(length):
            for e in lanes:
                jacobian[row + t, e] = 1.0 if t == 0 else 0.0
        for t in range(length):
            d = column[row + t, 0]
            start = chain[d, 0]
            for s in range(1, length - t):
                for e in lanes:
                    jacobian[row + t + s, e] -= factor[start + s, e] * jacobian[row + t, e]
            for e in lanes:
                response[a, e] += mobility[d, e] * jacobian[row + t, e] * jacobian[row + t, e]


@team_system(phase="rows", each=Tree, size=8)
def lay_out_inverse(
    lanes,
    nv=rows(Dof),
    each=rows(IslandDofFour),
    first_dof=read(TreeTopology.first_dof),
    end_dof=read(TreeTopology.end_dof),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    relations=read(DofTopology.relations),
    moves=read(DofRelation.moves),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    axis=read(DofMotion.axis),
    offset=read(LinkPose.offset),
    mobility=read(DofSolve.inverse_pivot),
    qd=read(DofState.velocity),
    jacobian=read(DofJacobian.value),
    dense=update(IslandDofNumbers.value),
):
    """Rows of L^-1 by place of the dof in its tree, and the dofs' motions.

    A motion: the angular velocity, that of the point at the root link's origin, inverse pivot, and velocity.
    """
    for e in lanes:
        t = team_row()
        low, end, r = first_dof[t, 0], end_dof[t, 0], team_rank(8)
        for d in range(low, end):
            table, top = relations[d, 0], chain[d, 0] + depth[d, 0]
            k = low + 4 * r
            while k <= d:
                k1, k2, k3 = min(k + 1, d), min(k + 2, d), min(k + 3, d)
                s0, s1 = moves[table + k, 0] == 1, k + 1 <= d and moves[table + k1, 0] == 1
                s2, s3 = k + 2 <= d and moves[table + k2, 0] == 1, k + 3 <= d and moves[table + k3, 0] == 1
                g0 = jacobian[top - depth[k, 0] if s0 else 0, e]
                g1 = jacobian[top - depth[k1, 0] if s1 else 0, e]
                g2 = jacobian[top - depth[k2, 0] if s2 else 0, e]
                g3 = jacobian[top - depth[k3, 0] if s3 else 0, e]
                if s0 or s1 or s2 or s3:  # the others stay 0
                    store_four(
                        dense, (e * nv + d) * each + k - low,
                        g0 if s0 else 0.0, g1 if s1 else 0.0, g2 if s2 else 0.0, g3 if s3 else 0.0,
                    )  # fmt: skip
                k += 32
        d = low + r
        while d < end:
            i, turns = link[d, 0], angular[d, 0] == 1
            ux, uy, uz = axis[d, 0, e], axis[d, 1, e], axis[d, 2, e]
            vx, vy, vz = cross(offset[i, 0, e], offset[i, 1, e], offset[i, 2, e], ux, uy, uz)
            at = (e * nv + d) * each + each - MOTION
            vx, vy, vz = vx if turns else ux, vy if turns else uy, vz if turns else uz
            store_four(dense, at, ux if turns else 0.0, uy if turns else 0.0, uz if turns else 0.0, vx)
            store_four(dense, at + 4, vy, vz, mobility[d, e], qd[d, e])
            d += 8


@team_system(phase="rows", each=Tree, size=8)
def lay_out_dofs(
    lanes,
    nv=rows(Dof),
    each=rows(IslandDofFour),
    h=read(Settings.timestep),
    first_dof=read(TreeTopology.first_dof),
    end_dof=read(TreeTopology.end_dof),
    coord=read(DofTopology.coord),
    q=read(Coordinate.value),
    qd=read(DofState.velocity),
    low_limit=read(DofLimit.lower),
    high_limit=read(DofLimit.upper),
    fastest=read(DofLimit.velocity),
    elastic=read(DofLimit.restitution),
    stiffness=read(DofLimit.stiffness),
    damping=read(DofLimit.damping),
    friction=read(DofModel.friction),
    static_friction=read(DofModel.static_friction),
    row_offset=read(DriveEffort.row_offset),
    row_slope=read(DriveEffort.row_slope),
    most_effort=read(Drive.effort_limit),
    active=read(DofRow.active),
    rub=read(DofRow.friction),
    drive=read(DofRow.drive),
    stop=read(DofRow.stop),
    response=read(DofRow.response),
    dense=update(IslandDofNumbers.value),
):
    """What there is to know of dofs that have rows."""
    for e in lanes:
        t = team_row()
        low, end = first_dof[t, 0], end_dof[t, 0]
        d = low + team_rank(8)
        while d < end:
            if active[d, e] == 1:
                at = (e * nv + d) * each + each - MOTION - ROW
                y, slope, spring = response[d, e], h[0, e] * row_slope[d, e], h[0, e] * stiffness[d, e]
                give = h[0, e] * (spring + damping[d, e])
                soft_drive, soft_both, soft_stop = softness(y, slope, give)
                high, springy, cap, most = high_limit[d, e], elastic[d, e], fastest[d, e], h[0, e] * most_effort[d, e]
                push, stuck, moved = h[0, e] * row_offset[d, e], static_friction[d, e], friction[d, e]
                store_four(dense, at, y, 1.0 / y, soft_drive, soft_both)
                store_four(dense, at + 4, soft_stop, q[coord[d, 0], e], qd[d, e], low_limit[d, e])
                store_four(dense, at + 8, high, spring, give, springy)
                store_four(dense, at + 12, cap, push, slope, most)
                store_four(dense, at + 16, h[0, e] * max(moved, stuck), h[0, e] * moved, real(low), 0.0)
                store_four(dense, at + 20, rub[d, e], drive[d, e], stop[d, e], 0.0)
            d += 8


@function
def along(wx, wy, wz, vx, vy, vz, tx, ty, tz, nx, ny, nz):
    """Velocity along a line, per velocity of a dof.

    Args:
        wx, wy, wz: the dof's angular velocity.
        vx, vy, vz: that of the point at the root link's origin.
        tx, ty, tz, nx, ny, nz: torque about it, and force, of a unit force along the line.
    """
    return wx * tx + wy * ty + wz * tz + vx * nx + vy * ny + vz * nz


@team_system(phase="rows", each=Tree, size=TEAM)
def lay_out_contacts(
    lanes,
    slots=rows(Contact),
    nv=rows(Dof),
    each=rows(IslandDofFour),
    stride=rows(IslandRowFour),
    left=read(IslandRest.left),
    sort=read(IslandTree.sort),
    groups=read(IslandTree.groups),
    begin=read(IslandTree.begin),
    contacts=read(IslandTree.contacts),
    first_contact=read(IslandTree.first_contact),
    order=read(IslandDof.order),
    contact_order=read(IslandContact.order),
    yields=read(IslandContact.yields),
    tree_first=read(DofTopology.tree_first),
    tree_end=read(DofTopology.tree_end),
    relations=read(DofTopology.relations),
    moves=read(DofRelation.moves),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    member=read(ContactMotion.member),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    dof_rows=read(IslandDofNumbers.value),
    dense=update(IslandRows.value),
    record=update(IslandContact.record),
):
    """Decoupled rows of the contacts of one island, and what comes of them.

    A record: velocities along normal and tangents at the start; the tangential block, 11, 12, 22; responses along the
    normal to the contact itself and to the three before it; the mask.
    """
    for e in lanes:
        t = team_row()
        if left[0, e] == 0 and sort[t, e] == SORT:
            r, size = team_rank(TEAM), groups[t, e]
            k0 = order[begin[t, e] + min(r, size - 1), e]
            low, end = tree_first[k0, 0], tree_end[k0, 0]
            on0, on1 = r < size, r < size and k0 + 1 < end
            on2, on3 = r < size and k0 + 2 < end, r < size and k0 + 3 < end
            k1, k2, k3 = min(k0 + 1, end - 1), min(k0 + 2, end - 1), min(k0 + 3, end - 1)
            at = e * nv * each + each - MOTION
            wx0, wy0, wz0, vx0 = load_four(dof_rows, at + k0 * each)
            wx1, wy1, wz1, vx1 = load_four(dof_rows, at + k1 * each)
            wx2, wy2, wz2, vx2 = load_four(dof_rows, at + k2 * each)
            wx3, wy3, wz3, vx3 = load_four(dof_rows, at + k3 * each)
            vy0, vz0, m0, q0 = load_four(dof_rows, at + k0 * each + 4)
            vy1, vz1, m1, q1 = load_four(dof_rows, at + k1 * each + 4)
            vy2, vz2, m2, q2 = load_four(dof_rows, at + k2 * each + 4)
            vy3, vz3, m3, q3 = load_four(dof_rows, at + k3 * each + 4)
            # dofs that are not there have no part in anything
            m0, m1, m2, m3 = m0 if on0 else 0.0, m1 if on1 else 0.0, m2 if on2 else 0.0, m3 if on3 else 0.0
            first, n = first_contact[t, e], contacts[t, e]
            rows_at, share = (e * slots + first) * stride, k0 - low
            p10, p11, p12, p13 = 0.0, 0.0, 0.0, 0.0  # normal rows of the three contacts before
            p20, p21, p22, p23 = 0.0, 0.0, 0.0, 0.0
            p30, p31, p32, p33 = 0.0, 0.0, 0.0, 0.0
            memory = block_memory(BLOCK)
            mine = team_slot(TEAM) * (TEAM * ITEMS)
            for i in range(n):
                if i % TEAM == 0:  # each thread fetches one of the next contacts
                    team_wait(TEAM)
                    c, to = contact_order[first + min(i + r, n - 1), e], mine + r * ITEMS
                    a, b, sides = dof_a[c, e], dof_b[c, e], yields[c, e]
                    nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                    tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
                    ax, ay, az = arm_a[c, 0, e], arm_a[c, 1, e], arm_a[c, 2, e]
                    bx, by, bz = arm_b[c, 0, e], arm_b[c, 1, e], arm_b[c, 2, e]
                    memory[to + MEMBER] = real(member[c, e])
                    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
                    for line in range(3):
                        fx = nx if line == 0 else (tx if line == 1 else sx)
                        fy = ny if line == 0 else (ty if line == 1 else sy)
                        fz = nz if line == 0 else (tz if line == 1 else sz)
                        qx, qy, qz = cross(ax, ay, az, fx, fy, fz)
                        wx, wy, wz = cross(bx, by, bz, fx, fy, fz)
                        moved = 0.0
                        for side in range(2):  # what moves and cannot be moved
                            d = a if side == 0 else b
                            if d >= 0 and sides & (side + 1) == 0:
                                for k in range(tree_first[d, 0], tree_end[d, 0]):
                                    if moves[relations[d, 0] + k, 0] == 1:
                                        ux, uy, uz, vx = load_four(dof_rows, at + k * each)
                                        vy, vz, _, q = load_four(dof_rows, at + k * each + 4)
                                        lx = qx if side == 0 else wx
                                        ly = qy if side == 0 else wy
                                        lz = qz if side == 0 else wz
                                        speed = q * along(ux, uy, uz, vx, vy, vz, lx, ly, lz, fx, fy, fz)
                                        moved += speed if side == 0 else -speed
                        memory[to + line * 10] = fx
                        memory[to + line * 10 + 1] = fy
                        memory[to + line * 10 + 2] = fz
                        memory[to + line * 10 + 3] = qx
                        memory[to + line * 10 + 4] = qy
                        memory[to + line * 10 + 5] = qz
                        memory[to + line * 10 + 6] = wx
                        memory[to + line * 10 + 7] = wy
                        memory[to + line * 10 + 8] = wz
                        memory[to + line * 10 + 9] = moved
                    memory[to + TREES] = real(tree_first[a, 0]) if sides & 1 == 1 else -1.0
                    memory[to + TREES + 1] = real(tree_first[b, 0]) if sides & 2 == 2 else -1.0
                    memory[to + TABLES] = as_real(relations[max(a, 0), 0])
                    memory[to + TABLES + 1] = as_real(relations[max(b, 0), 0])
                    team_wait(TEAM)
                from_ = mine + i % TEAM * ITEMS
                own = memory[from_ + MEMBER]
                nx, ny, nz = memory[from_], memory[from_ + 1], memory[from_ + 2]
                tx, ty, tz = memory[from_ + 10], memory[from_ + 11], memory[from_ + 12]
                sx, sy, sz = memory[from_ + 20], memory[from_ + 21], memory[from_ + 22]
                x0, x1, x2, x3 = 0.0, 0.0, 0.0, 0.0  # J: along the normal, and the tangents
                y0, y1, y2, y3 = 0.0, 0.0, 0.0, 0.0
                z0, z1, z2, z3 = 0.0, 0.0, 0.0, 0.0
                reached = False
                for side in range(2):
                    if memory[from_ + TREES + side] == real(low):
                        sign, table = 1.0 - 2.0 * real(side), as_bits(memory[from_ + TABLES + side])
                        c0, c1 = moves[table + k0, 0] == 1, moves[table + k1, 0] == 1
                        c2, c3 = moves[table + k2, 0] == 1, moves[table + k3, 0] == 1
                        o0, o1 = sign if on0 and c0 else 0.0, sign if on1 and c1 else 0.0
                        o2, o3 = sign if on2 and c2 else 0.0, sign if on3 and c3 else 0.0
                        reached = reached or o0 != 0.0 or o1 != 0.0 or o2 != 0.0 or o3 != 0.0
                        arm = from_ + 3 + 3 * side
                        qx, qy, qz = memory[arm], memory[arm + 1], memory[arm + 2]
                        x0 += o0 * along(wx0, wy0, wz0, vx0, vy0, vz0, qx, qy, qz, nx, ny, nz)
                        x1 += o1 * along(wx1, wy1, wz1, vx1, vy1, vz1, qx, qy, qz, nx, ny, nz)
                        x2 += o2 * along(wx2, wy2, wz2, vx2, vy2, vz2, qx, qy, qz, nx, ny, nz)
                        x3 += o3 * along(wx3, wy3, wz3, vx3, vy3, vz3, qx, qy, qz, nx, ny, nz)
                        qx, qy, qz = memory[arm + 10], memory[arm + 11], memory[arm + 12]
                        y0 += o0 * along(wx0, wy0, wz0, vx0, vy0, vz0, qx, qy, qz, tx, ty, tz)
                        y1 += o1 * along(wx1, wy1, wz1, vx1, vy1, vz1, qx, qy, qz, tx, ty, tz)
                        y2 += o2 * along(wx2, wy2, wz2, vx2, vy2, vz2, qx, qy, qz, tx, ty, tz)
                        y3 += o3 * along(wx3, wy3, wz3, vx3, vy3, vz3, qx, qy, qz, tx, ty, tz)
                        qx, qy, qz = memory[arm + 20], memory[arm + 21], memory[arm + 22]
                        z0 += o0 * along(wx0, wy0, wz0, vx0, vy0, vz0, qx, qy, qz, sx, sy, sz)
                        z1 += o1 * along(wx1, wy1, wz1, vx1, vy1, vz1, qx, qy, qz, sx, sy, sz)
                        z2 += o2 * along(wx2, wy2, wz2, vx2, vy2, vz2, qx, qy, qz, sx, sy, sz)
                        z3 += o3 * along(wx3, wy3, wz3, vx3, vy3, vz3, qx, qy, qz, sx, sy, sz)
                near = x0 * q0 + x1 * q1 + x2 * q2 + x3 * q3 + (memory[from_ + 9] if r == 0 else 0.0)
                rub1 = y0 * q0 + y1 * q1 + y2 * q2 + y3 * q3 + (memory[from_ + 19] if r == 0 else 0.0)
                rub2 = z0 * q0 + z1 * q1 + z2 * q2 + z3 * q3 + (memory[from_ + 29] if r == 0 else 0.0)

                # G = J L^-1, a group of the dofs that J has at a time
                mask = team_ballot(TEAM, reached)
                n0, n1, n2, n3 = 0.0, 0.0, 0.0, 0.0
                f0, f1, f2, f3 = 0.0, 0.0, 0.0, 0.0
                s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
                rest = mask
                while rest != 0:
                    g = lowest_bit(rest)
                    rest = rest & (rest - 1)
                    d = team_from(TEAM, k0, g)
                    gx0, gx1 = team_from(TEAM, x0, g), team_from(TEAM, x1, g)
                    gx2, gx3 = team_from(TEAM, x2, g), team_from(TEAM, x3, g)
                    gy0, gy1 = team_from(TEAM, y0, g), team_from(TEAM, y1, g)
                    gy2, gy3 = team_from(TEAM, y2, g), team_from(TEAM, y3, g)
                    gz0, gz1 = team_from(TEAM, z0, g), team_from(TEAM, z1, g)
                    gz2, gz3 = team_from(TEAM, z2, g), team_from(TEAM, z3, g)
                    if reached and k0 <= d and d < end:  # the group and what it hangs on
                        from_, last = (e * nv + d) * each + share, end - 1 - d
                        l0, l1, l2, l3 = load_four(dof_rows, from_)
                        w0, w1, w2, w3 = load_four(dof_rows, from_ + min(1, last) * each)
                        n0, n1 = n0 + gx0 * l0 + gx1 * w0, n1 + gx0 * l1 + gx1 * w1
                        n2, n3 = n2 + gx0 * l2 + gx1 * w2, n3 + gx0 * l3 + gx1 * w3
                        f0, f1 = f0 + gy0 * l0 + gy1 * w0, f1 + gy0 * l1 + gy1 * w1
                        f2, f3 = f2 + gy0 * l2 + gy1 * w2, f3 + gy0 * l3 + gy1 * w3
                        s0, s1 = s0 + gz0 * l0 + gz1 * w0, s1 + gz0 * l1 + gz1 * w1
                        s2, s3 = s2 + gz0 * l2 + gz1 * w2, s3 + gz0 * l3 + gz1 * w3
                        l0, l1, l2, l3 = load_four(dof_rows, from_ + min(2, last) * each)
                        w0, w1, w2, w3 = load_four(dof_rows, from_ + min(3, last) * each)
                        n0, n1 = n0 + gx2 * l0 + gx3 * w0, n1 + gx2 * l1 + gx3 * w1
                        n2, n3 = n2 + gx2 * l2 + gx3 * w2, n3 + gx2 * l3 + gx3 * w3
                        f0, f1 = f0 + gy2 * l0 + gy3 * w0, f1 + gy2 * l1 + gy3 * w1
                        f2, f3 = f2 + gy2 * l2 + gy3 * w2, f3 + gy2 * l3 + gy3 * w3
                        s0, s1 = s0 + gz2 * l0 + gz3 * w0, s1 + gz2 * l1 + gz3 * w1
                        s2, s3 = s2 + gz2 * l2 + gz3 * w2, s3 + gz2 * l3 + gz3 * w3
                if reached:
                    count = count_bits(mask)
                    to = rows_at + i * stride + 4 * count_bits(mask & ((1 << r) - 1))
                    store_four(dense, to, n0, n1, n2, n3)
                    store_four(dense, to + 4 * count, f0, f1, f2, f3)
                    store_four(dense, to + 8 * count, s0, s1, s2, s3)

                # what the velocities are, and how they answer to impulses; each thread stores a sum
                g0, g1, g2, g3 = m0 * n0, m1 * n1, m2 * n2, m3 * n3
                found = team_eight_sums(
                    TEAM, near, rub1, rub2, m0 * f0 * f0 + m1 * f1 * f1 + m2 * f2 * f2 + m3 * f3 * f3,
                    m0 * f0 * s0 + m1 * f1 * s1 + m2 * f2 * s2 + m3 * f3 * s3,
                    m0 * s0 * s0 + m1 * s1 * s1 + m2 * s2 * s2 + m3 * s3 * s3,
                    g0 * n0 + g1 * n1 + g2 * n2 + g3 * n3, g0 * p10 + g1 * p11 + g2 * p12 + g3 * p13,
                )  # fmt: skip
                to = (e * slots + first + i) * RECORD
                if r < 8:
                    store_one(record, to + r, found)
                two, three = 0.0, 0.0
                if own > 1.0:
                    two = team_sum(TEAM, g0 * p20 + g1 * p21 + g2 * p22 + g3 * p23)
                    three = team_sum(TEAM, g0 * p30 + g1 * p31 + g2 * p32 + g3 * p33)
                if r == 0:
                    store_four(record, to + 8, two, three, as_real(mask), 0.0)
                p30, p31, p32, p33 = p20, p21, p22, p23
                p20, p21, p22, p23 = p10, p11, p12, p13
                p10, p11, p12, p13 = n0, n1, n2, n3


lay_out_large_islands = variant(lay_out_contacts, "lay_out_large_islands", 32, SORT=2, TEAM=32)
