"""Rows of dofs and contacts for islands on the GPU: dense, so that a thread loads its share of one at once.

What :mod:`~.dof_rows` and :mod:`~.contact_rows` make for lanes, laid out for :mod:`~.island_sweeps`: a thread has four
dofs of an island, one after the other in one tree. Rows of dofs need no contacts, so they are ready before these are;
so are the velocities of links per decoupled velocity. A contact's rows G = J L^-1 are then the velocities of its point
along the normal and the tangents; groups of four dofs that move neither side are left out, as bits of a mask say.
Measured in docs/decisions/0030-island-rows.md.
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
    IslandLinkFour,
    IslandLinkNumbers,
    IslandRest,
    IslandRowFour,
    IslandRows,
    IslandTree,
    LinkPose,
    LinkTopology,
    MassFactor,
    MassTopology,
    Settings,
    Tree,
    TreeTopology,
)
from phalanx.components.island import FEW_CONTACTS, LINK, MOST_CONTACTS, RECORD, ROW
from phalanx.ecs import read, real, rows, system, update, write
from phalanx.ecs.declare import block_memory
from phalanx.ecs.team_language import (
    THREADS,
    as_bits,
    as_real,
    count_bits,
    load_four,
    store_four,
    store_one,
    team_eight_sums,
    team_rank,
    team_row,
    team_slot,
    team_system,
    team_wait,
    variant,
)
from phalanx.systems.dof_solver import softness
from phalanx.systems.math3d import cross

SORT, TEAM, CONTACTS, WIDTH = 1, 8, FEW_CONTACTS, THREADS
"""Sort of islands, threads that have its dofs, most contacts, and threads of a block.

:func:`lay_out_large_islands` has others.

Systems are told how many numbers there are of each dof, and of a contact's rows: ``each`` and ``stride``.
"""

ARM, LINKS, MASKS = 9, 15, 17  # of each side three, one and one
"""Where what is fetched of a contact is in the memory of the block, after normal and tangents."""

ITEMS = 19
"""Numbers of a contact there: odd, so that threads which fetch contacts meet different banks."""


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
    fours=rows(IslandLinkFour),
    first_dof=read(TreeTopology.first_dof),
    end_dof=read(TreeTopology.end_dof),
    parent=read(DofTopology.parent),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    walk=read(DofTopology.walk),
    walk_begin=read(DofTopology.walk_begin),
    walk_end=read(DofTopology.walk_end),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    place=read(IslandDof.place),
    reach=read(IslandDof.reach),
    axis=read(DofMotion.axis),
    velocity=read(DofMotion.velocity),
    offset=read(LinkPose.offset),
    jacobian=read(DofJacobian.value),
    dense=update(IslandDofNumbers.value),
    links=update(IslandLinkNumbers.value),
):
    """Rows of L^-1 by place of the dof in its tree, and how links move.

    Of a link: its angular velocity, that of the point at the root link's origin, and the groups that move it; then both
    velocities per decoupled velocity. Each thread has four of these, and goes from dof to dof, depth first: what the
    next one adds is its motion times its row of L^-1.
    """
    for e in lanes:
        t = team_row()
        low, end, r = first_dof[t, 0], end_dof[t, 0], team_rank(8)
        room = LINK + 6 * (each - ROW)
        k = low + 4 * r
        while k < end:
            k1, k2, k3 = min(k + 1, end - 1), min(k + 2, end - 1), min(k + 3, end - 1)
            begin0, begin1, begin2, begin3 = walk_begin[k, 0], walk_begin[k1, 0], walk_begin[k2, 0], walk_begin[k3, 0]
            stop0, stop1 = walk_end[k, 0], walk_end[k1, 0] if k + 1 < end else 0
            stop2, stop3 = walk_end[k2, 0] if k + 2 < end else 0, walk_end[k3, 0] if k + 3 < end else 0
            depth0, depth1, depth2, depth3 = depth[k, 0], depth[k1, 0], depth[k2, 0], depth[k3, 0]
            wx0, wx1, wx2, wx3 = 0.0, 0.0, 0.0, 0.0
            wy0, wy1, wy2, wy3 = 0.0, 0.0, 0.0, 0.0
            wz0, wz1, wz2, wz3 = 0.0, 0.0, 0.0, 0.0
            vx0, vx1, vx2, vx3 = 0.0, 0.0, 0.0, 0.0
            vy0, vy1, vy2, vy3 = 0.0, 0.0, 0.0, 0.0
            vz0, vz1, vz2, vz3 = 0.0, 0.0, 0.0, 0.0
            last = -1
            for n in range(low, end):
                d = walk[n, 0]
                i, turns, top = link[d, 0], angular[d, 0] == 1, chain[d, 0] + depth[d, 0]
                p, own = parent[d, 0], place[d, 0]
                s0, s1 = begin0 <= n and n < stop0, begin1 <= n and n < stop1
                s2, s3 = begin2 <= n and n < stop2, begin3 <= n and n < stop3
                g0, g1 = jacobian[top - depth0 if s0 else 0, e], jacobian[top - depth1 if s1 else 0, e]
                g2, g3 = jacobian[top - depth2 if s2 else 0, e], jacobian[top - depth3 if s3 else 0, e]
                ux, uy, uz = axis[d, 0, e], axis[d, 1, e], axis[d, 2, e]
                ox, oy, oz = cross(offset[i, 0, e], offset[i, 1, e], offset[i, 2, e], ux, uy, uz)
                if p != last:  # go on from where the tree branches
                    at = e * 4 * fours + place[max(p, 0), 0] * room + LINK + 6 * (k - low)
                    wx0, wx1, wx2, wx3 = 0.0, 0.0, 0.0, 0.0
                    wy0, wy1, wy2, wy3 = 0.0, 0.0, 0.0, 0.0
                    wz0, wz1, wz2, wz3 = 0.0, 0.0, 0.0, 0.0
                    vx0, vx1, vx2, vx3 = 0.0, 0.0, 0.0, 0.0
                    vy0, vy1, vy2, vy3 = 0.0, 0.0, 0.0, 0.0
                    vz0, vz1, vz2, vz3 = 0.0, 0.0, 0.0, 0.0
                    if p >= 0:
                        wx0, wx1, wx2, wx3 = load_four(links, at)
                        wy0, wy1, wy2, wy3 = load_four(links, at + 4)
                        wz0, wz1, wz2, wz3 = load_four(links, at + 8)
                        vx0, vx1, vx2, vx3 = load_four(links, at + 12)
                        vy0, vy1, vy2, vy3 = load_four(links, at + 16)
                        vz0, vz1, vz2, vz3 = load_four(links, at + 20)
                last = d
                g0, g1, g2, g3 = g0 if s0 else 0.0, g1 if s1 else 0.0, g2 if s2 else 0.0, g3 if s3 else 0.0
                ox, oy, oz = ox if turns else ux, oy if turns else uy, oz if turns else uz
                ux, uy, uz = ux if turns else 0.0, uy if turns else 0.0, uz if turns else 0.0
                wx0, wx1, wx2, wx3 = wx0 + ux * g0, wx1 + ux * g1, wx2 + ux * g2, wx3 + ux * g3
                wy0, wy1, wy2, wy3 = wy0 + uy * g0, wy1 + uy * g1, wy2 + uy * g2, wy3 + uy * g3
                wz0, wz1, wz2, wz3 = wz0 + uz * g0, wz1 + uz * g1, wz2 + uz * g2, wz3 + uz * g3
                vx0, vx1, vx2, vx3 = vx0 + ox * g0, vx1 + ox * g1, vx2 + ox * g2, vx3 + ox * g3
                vy0, vy1, vy2, vy3 = vy0 + oy * g0, vy1 + oy * g1, vy2 + oy * g2, vy3 + oy * g3
                vz0, vz1, vz2, vz3 = vz0 + oz * g0, vz1 + oz * g1, vz2 + oz * g2, vz3 + oz * g3
                if s0 or s1 or s2 or s3:  # the others stay 0
                    store_four(dense, (e * nv + d) * each + k - low, g0, g1, g2, g3)
                    if own >= 0:
                        at = e * 4 * fours + own * room + LINK + 6 * (k - low)
                        store_four(links, at, wx0, wx1, wx2, wx3)
                        store_four(links, at + 4, wy0, wy1, wy2, wy3)
                        store_four(links, at + 8, wz0, wz1, wz2, wz3)
                        store_four(links, at + 12, vx0, vx1, vx2, vx3)
                        store_four(links, at + 16, vy0, vy1, vy2, vy3)
                        store_four(links, at + 20, vz0, vz1, vz2, vz3)
            k += 32
        d = low + r
        while d < end:
            if place[d, 0] >= 0:
                i, at = link[d, 0], e * 4 * fours + place[d, 0] * room
                ux, uy, uz = velocity[d, 0, e], velocity[d, 1, e], velocity[d, 2, e]
                ox, oy, oz = cross(offset[i, 0, e], offset[i, 1, e], offset[i, 2, e], ux, uy, uz)
                vx, vy, vz = velocity[d, 3, e] + ox, velocity[d, 4, e] + oy, velocity[d, 5, e] + oz
                store_four(links, at, ux, uy, uz, vx)
                store_four(links, at + 4, vy, vz, as_real(reach[d, 0]), 0.0)
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
                at = (e * nv + d) * each + each - ROW
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


@team_system(phase="rows", each=Tree, size=TEAM)
def lay_out_contacts(
    lanes,
    slots=rows(Contact),
    each=rows(IslandDofFour),
    fours=rows(IslandLinkFour),
    stride=rows(IslandRowFour),
    left=read(IslandRest.left),
    sort=read(IslandTree.sort),
    groups=read(IslandTree.groups),
    groups_before=read(IslandTree.groups_before),
    begin=read(IslandTree.begin),
    contacts=read(IslandTree.contacts),
    first_contact=read(IslandTree.first_contact),
    order=read(IslandDof.order),
    place=read(IslandDof.place),
    contact_order=read(IslandContact.order),
    yields=read(IslandContact.yields),
    link=read(DofTopology.link),
    tree=read(LinkTopology.tree),
    tree_first=read(DofTopology.tree_first),
    tree_end=read(DofTopology.tree_end),
    mobility=read(DofSolve.inverse_pivot),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    links=read(IslandLinkNumbers.value),
    dense=update(IslandRows.value),
    record=update(IslandContact.record),
):
    """Decoupled rows of the contacts of one island, and what comes of them.

    A record: velocities along normal and tangents at the start, and the mask; the tangential block, 11, 12, 22, and the
    response along the normal to the contact itself; those to the three before it.
    """
    for e in lanes:
        t = team_row()
        if left[0, e] == 0 and sort[t, e] == SORT:
            r, size = team_rank(TEAM), groups[t, e]
            first, n = first_contact[t, e], contacts[t, e]
            k0 = order[begin[t, e] + min(r, size - 1), e]
            low, end = tree_first[k0, 0], tree_end[k0, 0]
            m0, m1 = mobility[k0, e], mobility[min(k0 + 1, end - 1), e]
            m2, m3 = mobility[min(k0 + 2, end - 1), e], mobility[min(k0 + 3, end - 1), e]
            # dofs that are not there have no part in anything
            m0, m1 = m0 if r < size else 0.0, m1 if r < size and k0 + 1 < end else 0.0
            m2, m3 = m2 if r < size and k0 + 2 < end else 0.0, m3 if r < size and k0 + 3 < end else 0.0
            share, room, all_links = 6 * (k0 - low) + LINK, LINK + 6 * (each - ROW), e * 4 * fours
            memory = block_memory(WIDTH // TEAM * CONTACTS * ITEMS)
            mine = team_slot(TEAM) * (CONTACTS * ITEMS)
            i = r
            while i < n:  # each thread fetches what there is to know of its share of the contacts
                c, to = contact_order[first + i, e], mine + i * ITEMS
                a, b, sides = dof_a[c, e], dof_b[c, e], yields[c, e]
                nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
                ax, ay, az = arm_a[c, 0, e], arm_a[c, 1, e], arm_a[c, 2, e]
                bx, by, bz = arm_b[c, 0, e], arm_b[c, 1, e], arm_b[c, 2, e]
                da, db = max(a, 0), max(b, 0)
                at_a = all_links + max(place[da, 0], 0) * room
                at_b = all_links + max(place[db, 0], 0) * room
                before_a = groups_before[tree[link[da, 0], 0], e]
                before_b = groups_before[tree[link[db, 0], 0], e]
                wx, wy, wz, vx = load_four(links, at_a)
                vy, vz, groups_a, _ = load_four(links, at_a + 4)
                ux, uy, uz, ox = load_four(links, at_b)
                oy, oz, groups_b, _ = load_four(links, at_b + 4)
                x, y, z = cross(wx, wy, wz, ax, ay, az)
                x, y, z = x + vx if a >= 0 else 0.0, y + vy if a >= 0 else 0.0, z + vz if a >= 0 else 0.0
                vx, vy, vz = cross(ux, uy, uz, bx, by, bz)
                x, y, z = (
                    x - (vx + ox if b >= 0 else 0.0),
                    y - (vy + oy if b >= 0 else 0.0),
                    z - (vz + oz if b >= 0 else 0.0),
                )
                sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
                mask_a = as_bits(groups_a) << before_a if sides & 1 == 1 else 0
                mask_b = as_bits(groups_b) << before_b if sides & 2 == 2 else 0
                store_four(
                    record, (e * slots + first + i) * RECORD, nx * x + ny * y + nz * z, tx * x + ty * y + tz * z,
                    sx * x + sy * y + sz * z, as_real(mask_a | mask_b),
                )  # fmt: skip
                # side a first, if it can be moved; else only b is there, and lines point the other way
                sign = 1.0 if sides & 1 == 1 else -1.0
                memory[to] = sign * nx
                memory[to + 1] = sign * ny
                memory[to + 2] = sign * nz
                memory[to + 3] = sign * tx
                memory[to + 4] = sign * ty
                memory[to + 5] = sign * tz
                memory[to + 6] = sign * sx
                memory[to + 7] = sign * sy
                memory[to + 8] = sign * sz
                memory[to + ARM] = ax if sides & 1 == 1 else bx
                memory[to + ARM + 1] = ay if sides & 1 == 1 else by
                memory[to + ARM + 2] = az if sides & 1 == 1 else bz
                memory[to + ARM + 3] = bx
                memory[to + ARM + 4] = by
                memory[to + ARM + 5] = bz
                memory[to + LINKS] = as_real(at_a if sides & 1 == 1 else at_b)
                memory[to + LINKS + 1] = as_real(at_b)
                memory[to + MASKS] = as_real(mask_a if sides & 1 == 1 else mask_b)
                memory[to + MASKS + 1] = as_real(mask_b if sides & 1 == 1 else 0)
                i += TEAM
            team_wait(TEAM)

            rows_at = (e * slots + first) * stride
            p10, p11, p12, p13 = 0.0, 0.0, 0.0, 0.0  # normal rows of the three contacts before
            p20, p21, p22, p23 = 0.0, 0.0, 0.0, 0.0
            p30, p31, p32, p33 = 0.0, 0.0, 0.0, 0.0
            for i in range(n):
                from_ = mine + i * ITEMS
                on_a, on_b = as_bits(memory[from_ + MASKS]), as_bits(memory[from_ + MASKS + 1])
                mask = on_a | on_b
                x0, x1, x2, x3 = 0.0, 0.0, 0.0, 0.0  # velocity of the contact point per decoupled velocity
                y0, y1, y2, y3 = 0.0, 0.0, 0.0, 0.0
                z0, z1, z2, z3 = 0.0, 0.0, 0.0, 0.0
                if (on_a >> r) & 1 == 1:
                    ax, ay, az = memory[from_ + ARM], memory[from_ + ARM + 1], memory[from_ + ARM + 2]
                    at = as_bits(memory[from_ + LINKS]) + share
                    a0, a1, a2, a3 = load_four(links, at)
                    b0, b1, b2, b3 = load_four(links, at + 4)
                    c0, c1, c2, c3 = load_four(links, at + 8)
                    x0, x1, x2, x3 = load_four(links, at + 12)
                    y0, y1, y2, y3 = load_four(links, at + 16)
                    z0, z1, z2, z3 = load_four(links, at + 20)
                    x0, y0, z0 = x0 + b0 * az - c0 * ay, y0 + c0 * ax - a0 * az, z0 + a0 * ay - b0 * ax
                    x1, y1, z1 = x1 + b1 * az - c1 * ay, y1 + c1 * ax - a1 * az, z1 + a1 * ay - b1 * ax
                    x2, y2, z2 = x2 + b2 * az - c2 * ay, y2 + c2 * ax - a2 * az, z2 + a2 * ay - b2 * ax
                    x3, y3, z3 = x3 + b3 * az - c3 * ay, y3 + c3 * ax - a3 * az, z3 + a3 * ay - b3 * ax
                if (on_b >> r) & 1 == 1:
                    ax, ay, az = memory[from_ + ARM + 3], memory[from_ + ARM + 4], memory[from_ + ARM + 5]
                    at = as_bits(memory[from_ + LINKS + 1]) + share
                    a0, a1, a2, a3 = load_four(links, at)
                    b0, b1, b2, b3 = load_four(links, at + 4)
                    c0, c1, c2, c3 = load_four(links, at + 8)
                    d0, d1, d2, d3 = load_four(links, at + 12)
                    x0, x1, x2, x3 = x0 - d0, x1 - d1, x2 - d2, x3 - d3
                    d0, d1, d2, d3 = load_four(links, at + 16)
                    y0, y1, y2, y3 = y0 - d0, y1 - d1, y2 - d2, y3 - d3
                    d0, d1, d2, d3 = load_four(links, at + 20)
                    z0, z1, z2, z3 = z0 - d0, z1 - d1, z2 - d2, z3 - d3
                    x0, y0, z0 = x0 - b0 * az + c0 * ay, y0 - c0 * ax + a0 * az, z0 - a0 * ay + b0 * ax
                    x1, y1, z1 = x1 - b1 * az + c1 * ay, y1 - c1 * ax + a1 * az, z1 - a1 * ay + b1 * ax
                    x2, y2, z2 = x2 - b2 * az + c2 * ay, y2 - c2 * ax + a2 * az, z2 - a2 * ay + b2 * ax
                    x3, y3, z3 = x3 - b3 * az + c3 * ay, y3 - c3 * ax + a3 * az, z3 - a3 * ay + b3 * ax
                ax, ay, az = memory[from_], memory[from_ + 1], memory[from_ + 2]
                n0, n1 = ax * x0 + ay * y0 + az * z0, ax * x1 + ay * y1 + az * z1
                n2, n3 = ax * x2 + ay * y2 + az * z2, ax * x3 + ay * y3 + az * z3
                ax, ay, az = memory[from_ + 3], memory[from_ + 4], memory[from_ + 5]
                f0, f1 = ax * x0 + ay * y0 + az * z0, ax * x1 + ay * y1 + az * z1
                f2, f3 = ax * x2 + ay * y2 + az * z2, ax * x3 + ay * y3 + az * z3
                ax, ay, az = memory[from_ + 6], memory[from_ + 7], memory[from_ + 8]
                s0, s1 = ax * x0 + ay * y0 + az * z0, ax * x1 + ay * y1 + az * z1
                s2, s3 = ax * x2 + ay * y2 + az * z2, ax * x3 + ay * y3 + az * z3
                if (mask >> r) & 1 == 1:
                    count = count_bits(mask)
                    to = rows_at + i * stride + 4 * count_bits(mask & ((1 << r) - 1))
                    store_four(dense, to, n0, n1, n2, n3)
                    store_four(dense, to + 4 * count, f0, f1, f2, f3)
                    store_four(dense, to + 8 * count, s0, s1, s2, s3)

                # how velocities answer to impulses; each thread stores a sum
                g0, g1, g2, g3 = m0 * n0, m1 * n1, m2 * n2, m3 * n3
                ax, ay, az, bx = m0 * f0, m1 * f1, m2 * f2, m3 * f3
                found = team_eight_sums(
                    TEAM, ax * f0 + ay * f1 + az * f2 + bx * f3, ax * s0 + ay * s1 + az * s2 + bx * s3,
                    m0 * s0 * s0 + m1 * s1 * s1 + m2 * s2 * s2 + m3 * s3 * s3,
                    g0 * n0 + g1 * n1 + g2 * n2 + g3 * n3, g0 * p10 + g1 * p11 + g2 * p12 + g3 * p13,
                    g0 * p20 + g1 * p21 + g2 * p22 + g3 * p23, g0 * p30 + g1 * p31 + g2 * p32 + g3 * p33, 0.0,
                )  # fmt: skip
                if r < 8:
                    store_one(record, (e * slots + first + i) * RECORD + 4 + r, found)
                p30, p31, p32, p33 = p20, p21, p22, p23
                p20, p21, p22, p23 = p10, p11, p12, p13
                p10, p11, p12, p13 = n0, n1, n2, n3


lay_out_large_islands = variant(
    lay_out_contacts, "lay_out_large_islands", 32, threads=32, SORT=2, TEAM=32, CONTACTS=MOST_CONTACTS, WIDTH=32
)
