"""The solver's sweeps for the GPU: each island by a team of threads, with its velocities in their registers.

The same steps in the same order as ``sweep_dofs``, ``sweep_normals``, ``sweep_friction`` and ``advance``, with the same
formulas: eight threads for islands of up to 32 dofs and 24 contacts, a warp for up to 128 and 96; environments with
larger ones are swept by those systems. Each thread holds four dofs of the island. Rows of contacts and dofs are laid
out anew, dense, so that a thread loads its share of one at once and needs no list of dofs; what is known of each
contact is in the memory of the block. So nothing is waited for but sums. Measured in
docs/decisions/0028-island-sweeps.md.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from phalanx.components import (
    Contact,
    ContactBlock,
    ContactDof,
    ContactImpulse,
    ContactJacobian,
    ContactMotion,
    ContactPoint,
    ContactRow,
    ContactSurface,
    Coordinate,
    Dof,
    DofGain,
    DofJacobian,
    DofLimit,
    DofModel,
    DofRelation,
    DofRow,
    DofSolve,
    DofState,
    DofTopology,
    Drive,
    DriveEffort,
    IslandContact,
    IslandDof,
    IslandRest,
    IslandTree,
    Settings,
    Sweep,
    Tree,
)
from phalanx.components.island import FEW_CONTACTS, FEW_DOFS, MOST_CONTACTS, MOST_DOFS, ROW
from phalanx.ecs import System, Table, read, real, rows, update
from phalanx.ecs.declare import Access, block_memory
from phalanx.ecs.fusion import Rest
from phalanx.ecs.substitutes import Substitute
from phalanx.ecs.team_language import (
    THREADS,
    load_four,
    store_four,
    store_one,
    team_rank,
    team_row,
    team_slot,
    team_sum,
    team_system,
    team_wait,
    variant,
)
from phalanx.systems.contact_solver import inverse, push_cap, solve_friction, solve_normals
from phalanx.systems.dof_solver import softness, solve_dof_row
from phalanx.systems.island_lists import list_islands
from phalanx.systems.sweeps import CORRECTION, parts_gone, sweep_parts

IMPULSE, TOTAL, APPROACH, GAP, REBOUND, SLIP = 0, 3, 4, 5, 6, 7  # of IMPULSE three numbers, of SLIP two
STATIC, DYNAMIC, TANGENT, NORMAL = 9, 10, 11, 15  # of TANGENT, NORMAL (ContactBlock) four each
MEMBER, CAP, INVERSE = 19, 20, 21
"""Where what sweeps need to know of a contact is in the memory of the block; INVERSE: of its own normal response."""

ITEMS = 23
"""Numbers of a contact there: odd, so that threads which load contacts meet different banks."""

SORT, TEAM, DOFS, CONTACTS = 1, 8, FEW_DOFS, FEW_CONTACTS
"""Of small islands: :func:`sweep_large_island` has others."""

WARP = 32

BLOCK = THREADS // TEAM * FEW_CONTACTS * ITEMS
"""Numbers of all contacts that a block is at; for large islands as many."""


@team_system(phase="sweep", each=Tree, size=TEAM)
def sweep_island(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    nv=rows(Dof),
    times=rows(Contact),
    fresh=rows(Contact),
    warm=rows(Contact),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    fastest_push=read(Settings.max_depenetration_velocity),
    threshold=read(Settings.bounce_threshold),
    index=read(Sweep.index),
    swept=read(Sweep.contacts),
    left=read(IslandRest.left),
    sort=read(IslandTree.sort),
    island_dofs=read(IslandTree.dofs),
    begin=read(IslandTree.begin),
    dof_rows=read(IslandTree.rows),
    contacts=read(IslandTree.contacts),
    first_contact=read(IslandTree.first_contact),
    order=read(IslandDof.order),
    place=read(IslandDof.place),
    contact_order=read(IslandContact.order),
    row_dof=read(IslandDof.row),
    constraint=update(IslandDof.dense),
    dense=update(IslandContact.dense),
    own_push=read(DofModel.max_depenetration_velocity),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    member=read(ContactMotion.member),
    separation=read(ContactPoint.separation),
    rebound=read(ContactMotion.rebound),
    approach=read(ContactMotion.approach),
    slip=read(ContactMotion.slip),
    drift=read(ContactSurface.drift),
    static=read(ContactSurface.static_friction),
    dynamic=read(ContactSurface.dynamic_friction),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    jacobian=read(ContactJacobian.value),
    block=read(ContactBlock.normal),
    block_tangent=read(ContactBlock.tangent),
    impulse=update(ContactImpulse.last),
    total=update(ContactImpulse.value),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    tree_first=read(DofTopology.tree_first),
    relations=read(DofTopology.relations),
    moves=read(DofRelation.moves),
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
    rub=update(DofRow.friction),
    drive=update(DofRow.drive),
    stop=update(DofRow.stop),
    response=read(DofRow.response),
    dof_jacobian=read(DofJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    u=update(DofGain.velocity),
    displacement=update(DofGain.displacement),
):
    """All sweeps of one island. All threads compute, and store, the same but for their own dofs."""
    for e in lanes:
        t = team_row()
        if left[0, e] == 0 and sort[t, e] == SORT:
            size, start = island_dofs[t, e], begin[t, e]
            width = row_count // max(slots, 1)
            r = team_rank(TEAM)
            first, n = first_contact[t, e], contacts[t, e] if swept[0, e] > 0 else 0
            memory = block_memory(BLOCK)
            mine = team_slot(TEAM) * (CONTACTS * ITEMS)
            m = dof_rows[t, e]
            span = (size + 3) // 4 * 4
            share = min(4 * r, span - 4)
            rows_at, dofs_at = (e * slots + first) * (3 * DOFS) + share, (e * nv + start) * (DOFS + ROW)
            k0 = order[start + min(4 * r, size - 1), e]
            k1 = order[start + min(4 * r + 1, size - 1), e]
            k2 = order[start + min(4 * r + 2, size - 1), e]
            k3 = order[start + min(4 * r + 3, size - 1), e]
            on0, on1, on2, on3 = 4 * r < size, 4 * r + 1 < size, 4 * r + 2 < size, 4 * r + 3 < size
            u0, u1, u2, u3 = u[k0, e], u[k1, e], u[k2, e], u[k3, e]
            d0, d1, d2, d3 = displacement[k0, e], displacement[k1, e], displacement[k2, e], displacement[k3, e]
            m0, m1, m2, m3 = mobility[k0, e], mobility[k1, e], mobility[k2, e], mobility[k3, e]
            # dofs that are not there have no part in anything
            u0, u1, u2, u3 = u0 if on0 else 0.0, u1 if on1 else 0.0, u2 if on2 else 0.0, u3 if on3 else 0.0
            d0, d1, d2, d3 = d0 if on0 else 0.0, d1 if on1 else 0.0, d2 if on2 else 0.0, d3 if on3 else 0.0
            m0, m1, m2, m3 = m0 if on0 else 0.0, m1 if on1 else 0.0, m2 if on2 else 0.0, m3 if on3 else 0.0

            if fresh == 1:
                i = r
                while i < m:  # what there is to know of the dofs that have rows
                    d, at = row_dof[start + i, e], dofs_at + i * (DOFS + ROW) + DOFS
                    y, slope, spring = response[d, e], h[0, e] * row_slope[d, e], h[0, e] * stiffness[d, e]
                    give = h[0, e] * (spring + damping[d, e])
                    soft_drive, soft_both, soft_stop = softness(y, slope, give)
                    high, springy, cap, most = (
                        high_limit[d, e],
                        elastic[d, e],
                        fastest[d, e],
                        h[0, e] * most_effort[d, e],
                    )
                    push, stuck, moved = h[0, e] * row_offset[d, e], static_friction[d, e], friction[d, e]
                    store_four(constraint, at, y, 1.0 / y, soft_drive, soft_both)
                    store_four(constraint, at + 4, soft_stop, q[coord[d, 0], e], qd[d, e], low_limit[d, e])
                    store_four(constraint, at + 8, high, spring, give, springy)
                    store_four(constraint, at + 12, cap, push, slope, most)
                    store_four(constraint, at + 16, h[0, e] * max(moved, stuck), h[0, e] * moved, 0.0, 0.0)
                    store_four(constraint, at + 20, rub[d, e], drive[d, e], stop[d, e], 0.0)
                    i += TEAM
                for i in range(m):  # and their rows of L^-1
                    d = row_dof[start + i, e]
                    low, table = tree_first[d, 0], relations[d, 0]
                    above = chain[d, 0] + depth[d, 0]
                    s0, s1 = on0 and tree_first[k0, 0] == low, on1 and tree_first[k1, 0] == low
                    s2, s3 = on2 and tree_first[k2, 0] == low, on3 and tree_first[k3, 0] == low
                    s0 = s0 and moves[table + k0 if s0 else 0, 0] == 1
                    s1 = s1 and moves[table + k1 if s1 else 0, 0] == 1
                    s2 = s2 and moves[table + k2 if s2 else 0, 0] == 1
                    s3 = s3 and moves[table + k3 if s3 else 0, 0] == 1
                    g0 = dof_jacobian[above - depth[k0, 0] if s0 else 0, e]
                    g1 = dof_jacobian[above - depth[k1, 0] if s1 else 0, e]
                    g2 = dof_jacobian[above - depth[k2, 0] if s2 else 0, e]
                    g3 = dof_jacobian[above - depth[k3, 0] if s3 else 0, e]
                    if on0:
                        store_four(
                            constraint, dofs_at + i * (DOFS + ROW) + 4 * r,
                            g0 if s0 else 0.0, g1 if s1 else 0.0, g2 if s2 else 0.0, g3 if s3 else 0.0,
                        )  # fmt: skip
                if on0:
                    for i in range(n):
                        at = rows_at + i * (3 * span)
                        store_four(dense, at, 0.0, 0.0, 0.0, 0.0)
                        store_four(dense, at + span, 0.0, 0.0, 0.0, 0.0)
                        store_four(dense, at + 2 * span, 0.0, 0.0, 0.0, 0.0)
                team_wait(TEAM)
                for i in range(n):
                    c = contact_order[first + i, e]
                    at = rows_at - share + i * (3 * span)
                    wide = extent[c, e]
                    j = r
                    while j < wide:
                        own = place[dof[c * width + j, e], e] - t * MOST_DOFS
                        a0, a1, a2 = (
                            jacobian[c * width + j, 0, e], jacobian[c * width + j, 1, e], jacobian[c * width + j, 2, e]
                        )  # fmt: skip
                        if own >= 0 and own < MOST_DOFS:
                            store_one(dense, at + own, a0)
                            store_one(dense, at + span + own, a1)
                            store_one(dense, at + 2 * span + own, a2)
                        j += TEAM

            i = r
            while i < n:  # each thread fetches what there is to know of its share of the contacts
                c, at = contact_order[first + i, e], mine + i * ITEMS
                a, b = dof_a[c, e], dof_b[c, e]
                x0, x1, x2 = impulse[c, 0, e], impulse[c, 1, e], impulse[c, 2, e]
                memory[at] = x0
                memory[at + 1] = x1
                memory[at + 2] = x2
                memory[at + TOTAL] = x0 if warm == 1 else total[c, 0, e]
                memory[at + APPROACH] = approach[c, e]
                memory[at + GAP] = separation[c, e]
                memory[at + REBOUND] = rebound[c, e]
                memory[at + SLIP] = slip[c, 0, e] + drift[c, 0, e]
                memory[at + SLIP + 1] = slip[c, 1, e] + drift[c, 1, e]
                memory[at + STATIC] = static[c, e]
                memory[at + DYNAMIC] = dynamic[c, e]
                for p in range(4):
                    memory[at + TANGENT + p] = block_tangent[c, p, e]
                    memory[at + NORMAL + p] = block[c, p, e]
                own = member[c, e]
                memory[at + MEMBER] = real(own)
                memory[at + INVERSE] = inverse(block[c, own, e])
                memory[at + CAP] = min(
                    push_cap(own_push[max(a, 0), e], a >= 0, fastest_push[0, e]),
                    push_cap(own_push[max(b, 0), e], b >= 0, fastest_push[0, e]),
                )
                i += TEAM
            team_wait(TEAM)

            if warm == 1:  # the impulses of the substep before
                for i in range(n):
                    at, from_ = mine + i * ITEMS, rows_at + i * (3 * span)
                    x0, x1, x2 = memory[at], memory[at + 1], memory[at + 2]
                    a0, a1, a2, a3 = load_four(dense, from_)
                    u0 += m0 * (a0 * x0)
                    u1 += m1 * (a1 * x0)
                    u2 += m2 * (a2 * x0)
                    u3 += m3 * (a3 * x0)
                    a0, a1, a2, a3 = load_four(dense, from_ + span)
                    b0, b1, b2, b3 = load_four(dense, from_ + 2 * span)
                    u0 += m0 * (a0 * x1 + b0 * x2)
                    u1 += m1 * (a1 * x1 + b1 * x2)
                    u2 += m2 * (a2 * x1 + b2 * x2)
                    u3 += m3 * (a3 * x1 + b3 * x2)

            moving = position_sweeps[0, 0]
            parts = sweep_parts(projected[0, 0], moving)
            sweep = index[0, e]
            for _ in range(times):
                pushing = sweep < moving
                gone = real(parts_gone(projected[0, 0], moving, sweep)) / real(parts)
                part = h[0, e] / real(parts) if pushing else h[0, e]
                pace = 1.0 / part
                for i in range(m):
                    at = dofs_at + i * (DOFS + ROW)
                    g0, g1, g2, g3 = load_four(constraint, at + share)
                    at += DOFS
                    y, iy, soft_drive, soft_both = load_four(constraint, at)
                    soft_stop, now, came, low = load_four(constraint, at + 4)
                    high, spring, give, springy = load_four(constraint, at + 8)
                    cap, push, slope, most = load_four(constraint, at + 12)
                    hold, moved, _, _ = load_four(constraint, at + 16)
                    x0, x1, x2, _ = load_four(constraint, at + 20)
                    w = team_sum(TEAM, g0 * u0 + g1 * u1 + g2 * u2 + g3 * u3)
                    x = team_sum(TEAM, g0 * d0 + g1 * d1 + g2 * d2 + g3 * d3)
                    own = x0 + x1 + x2
                    x0, x1, x2 = solve_dof_row(
                        not pushing, came + w - y * own, y, iy, soft_drive, soft_both, soft_stop, h[0, e], pace,
                        CORRECTION if pushing else 0.0, now, now + (gone * h[0, e] * came + x), came, low, high,
                        spring, give, springy, threshold[0, e], cap, fastest_push[0, e], push, slope, most, hold, moved,
                        x2,
                    )  # fmt: skip
                    store_four(constraint, at + 20, x0, x1, x2, 0.0)
                    push = x0 + x1 + x2 - own
                    u0 += m0 * g0 * push
                    u1 += m1 * g1 * push
                    u2 += m2 * g2 * push
                    u3 += m3 * g3 * push

                longest = (h[0, e] / real(moving) if pushing else h[0, e]) * real(sweep + 1)
                i = 0
                while i < n:
                    i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
                    p0, p1, p2, p3 = mine + i * ITEMS, mine + i1 * ITEMS, mine + i2 * ITEMS, mine + i3 * ITEMS
                    in1 = i + 1 < n and memory[p1 + MEMBER] == 1.0
                    in2 = in1 and i + 2 < n and memory[p2 + MEMBER] == 2.0
                    in3 = in2 and i + 3 < n and memory[p3 + MEMBER] == 3.0
                    a00, a01, a02, a03 = load_four(dense, rows_at + i * (3 * span))
                    a10, a11, a12, a13 = load_four(dense, rows_at + i1 * (3 * span))
                    a20, a21, a22, a23 = load_four(dense, rows_at + i2 * (3 * span))
                    a30, a31, a32, a33 = load_four(dense, rows_at + i3 * (3 * span))
                    n0, n1, n2, n3, z0, z1, z2, z3 = solve_normals(
                        pushing, pace, memory[p0 + CAP] * longest, gone * h[0, e], True, in1, in2, in3,
                        memory[p0 + NORMAL], memory[p1 + NORMAL], memory[p1 + NORMAL + 1],
                        memory[p2 + NORMAL], memory[p2 + NORMAL + 1], memory[p2 + NORMAL + 2],
                        memory[p3 + NORMAL], memory[p3 + NORMAL + 1], memory[p3 + NORMAL + 2], memory[p3 + NORMAL + 3],
                        memory[p0 + INVERSE], memory[p1 + INVERSE], memory[p2 + INVERSE], memory[p3 + INVERSE],
                        memory[p0], memory[p1], memory[p2], memory[p3],
                        memory[p0 + TOTAL], memory[p1 + TOTAL], memory[p2 + TOTAL], memory[p3 + TOTAL],
                        memory[p0 + GAP], memory[p1 + GAP], memory[p2 + GAP], memory[p3 + GAP],
                        memory[p0 + REBOUND], memory[p1 + REBOUND], memory[p2 + REBOUND], memory[p3 + REBOUND],
                        memory[p0 + APPROACH], memory[p1 + APPROACH], memory[p2 + APPROACH], memory[p3 + APPROACH],
                        team_sum(TEAM, a00 * u0 + a01 * u1 + a02 * u2 + a03 * u3),
                        team_sum(TEAM, a10 * u0 + a11 * u1 + a12 * u2 + a13 * u3),
                        team_sum(TEAM, a20 * u0 + a21 * u1 + a22 * u2 + a23 * u3),
                        team_sum(TEAM, a30 * u0 + a31 * u1 + a32 * u2 + a33 * u3),
                        team_sum(TEAM, a00 * d0 + a01 * d1 + a02 * d2 + a03 * d3),
                        team_sum(TEAM, a10 * d0 + a11 * d1 + a12 * d2 + a13 * d3),
                        team_sum(TEAM, a20 * d0 + a21 * d1 + a22 * d2 + a23 * d3),
                        team_sum(TEAM, a30 * d0 + a31 * d1 + a32 * d2 + a33 * d3),
                    )  # fmt: skip
                    x0, t0 = memory[p0], memory[p0 + TOTAL]
                    c0 = n0 - x0
                    memory[p0] = n0
                    memory[p0 + TOTAL] = n0 if t0 == x0 else t0 + (n0 - x0)
                    c1, c2, c3 = 0.0, 0.0, 0.0
                    if in1:
                        x1, t1 = memory[p1], memory[p1 + TOTAL]
                        c1 = n1 - x1
                        memory[p1] = n1
                        memory[p1 + TOTAL] = n1 if t1 == x1 else t1 + (n1 - x1)
                    if in2:
                        x2, t2 = memory[p2], memory[p2 + TOTAL]
                        c2 = n2 - x2
                        memory[p2] = n2
                        memory[p2 + TOTAL] = n2 if t2 == x2 else t2 + (n2 - x2)
                    if in3:
                        x3, t3 = memory[p3], memory[p3 + TOTAL]
                        c3 = n3 - x3
                        memory[p3] = n3
                        memory[p3 + TOTAL] = n3 if t3 == x3 else t3 + (n3 - x3)
                    u0 += m0 * (a00 * c0 + a10 * c1 + a20 * c2 + a30 * c3)
                    u1 += m1 * (a01 * c0 + a11 * c1 + a21 * c2 + a31 * c3)
                    u2 += m2 * (a02 * c0 + a12 * c1 + a22 * c2 + a32 * c3)
                    u3 += m3 * (a03 * c0 + a13 * c1 + a23 * c2 + a33 * c3)
                    d0 += m0 * (a00 * z0 + a10 * z1 + a20 * z2 + a30 * z3)
                    d1 += m1 * (a01 * z0 + a11 * z1 + a21 * z2 + a31 * z3)
                    d2 += m2 * (a02 * z0 + a12 * z1 + a22 * z2 + a32 * z3)
                    d3 += m3 * (a03 * z0 + a13 * z1 + a23 * z2 + a33 * z3)
                    i += 1 + (1 if in1 else 0) + (1 if in2 else 0) + (1 if in3 else 0)

                for i in range(n):
                    at = mine + i * ITEMS
                    now1, now2, normal = memory[at + 1], memory[at + 2], memory[at + TOTAL]
                    if normal != 0.0 or now1 != 0.0 or now2 != 0.0:
                        from_ = rows_at + i * (3 * span)
                        a0, a1, a2, a3 = load_four(dense, from_ + span)
                        b0, b1, b2, b3 = load_four(dense, from_ + 2 * span)
                        v1, v2 = memory[at + SLIP], memory[at + SLIP + 1]
                        new1, new2 = solve_friction(
                            v1 + team_sum(TEAM, a0 * u0 + a1 * u1 + a2 * u2 + a3 * u3),
                            v2 + team_sum(TEAM, b0 * u0 + b1 * u1 + b2 * u2 + b3 * u3),
                            v1, v2, now1, now2, memory[at + TANGENT], memory[at + TANGENT + 1],
                            memory[at + TANGENT + 2], memory[at + TANGENT + 3], normal,
                            memory[at + STATIC], memory[at + DYNAMIC],
                        )  # fmt: skip
                        memory[at + 1] = new1
                        memory[at + 2] = new2
                        c1, c2 = new1 - now1, new2 - now2
                        u0 += m0 * (a0 * c1 + b0 * c2)
                        u1 += m1 * (a1 * c1 + b1 * c2)
                        u2 += m2 * (a2 * c1 + b2 * c2)
                        u3 += m3 * (a3 * c1 + b3 * c2)

                if sweep + 1 == moving or (pushing and projected[0, 0] == 0):
                    length = h[0, e] / real(parts)
                    d0 += u0 * length
                    d1 += u1 * length
                    d2 += u2 * length
                    d3 += u3 * length
                sweep += 1

            if on0:
                u[k0, e] = u0
                displacement[k0, e] = d0
            if on1:
                u[k1, e] = u1
                displacement[k1, e] = d1
            if on2:
                u[k2, e] = u2
                displacement[k2, e] = d2
            if on3:
                u[k3, e] = u3
                displacement[k3, e] = d3
            team_wait(TEAM)
            i = r
            while i < n:
                c, at = contact_order[first + i, e], mine + i * ITEMS
                impulse[c, 0, e] = memory[at]
                impulse[c, 1, e] = memory[at + 1]
                impulse[c, 2, e] = memory[at + 2]
                total[c, 0, e] = memory[at + TOTAL]
                total[c, 1, e] = memory[at + 1]
                total[c, 2, e] = memory[at + 2]
                i += TEAM
            i = r
            while i < m:
                d, at = row_dof[start + i, e], dofs_at + i * (DOFS + ROW) + DOFS
                x0, x1, x2, _ = load_four(constraint, at + 20)
                rub[d, e] = x0
                drive[d, e] = x1
                stop[d, e] = x2
                i += TEAM


sweep_large_island = variant(
    sweep_island, "sweep_large_island", WARP, SORT=2, TEAM=WARP, DOFS=MOST_DOFS, CONTACTS=MOST_CONTACTS
)


@cache
def _prepare(large: int) -> System:
    return replace(list_islands, arguments={**list_islands.arguments, "large": Access("rows", large)})


@cache
def _instead(one: System, times: int, first: bool, warm: bool) -> System:
    numbers = {"times": times, "fresh": int(first), "warm": int(warm)}
    arguments = {**one.arguments, **{name: Access("rows", number) for name, number in numbers.items()}}
    if one is sweep_large_island:
        arguments |= {"constraint": Access("update", IslandDof.wide), "dense": Access("update", IslandContact.wide)}
    return replace(one, arguments=arguments)


def _has_large(rows: Callable[[Table], int]) -> bool:
    """Whether islands may be too large for eight threads, and none too large for a warp.

    One tree of few dofs has few contacts most of the time. Worlds of many bodies have room for hundreds of contacts,
    whose wide rows would take more memory than all else.
    """
    return FEW_DOFS < rows(Dof) <= MOST_DOFS


SUBSTITUTE = Substitute(
    group=("sweep_dofs", "sweep_normals", "sweep_friction", "advance"),
    start="start_sweeps",
    absorbed="warm_start_contacts",
    prepare=lambda rows: [_prepare(int(_has_large(rows)))],
    instead=lambda rows, *how: [
        _instead(one, *how) for one in (sweep_island, *([sweep_large_island] if _has_large(rows) else []))
    ],
    rest=Rest(IslandRest.left, Sweep.index),
)
