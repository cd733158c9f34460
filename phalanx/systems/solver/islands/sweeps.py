"""The solver's sweeps for the GPU: each island by a team of threads, with its velocities in their registers.

The same steps in the same order as ``contact_jacobians``, ``decouple_contacts``, ``ease_contacts``, ``contact_blocks``,
``warm_start_contacts``, ``sweep_dofs``, ``sweep_normals``, ``sweep_friction``, ``advance``, ``find_bounces`` and
``bounce``, with the same formulas: eight threads for islands of up to 32 dofs and 24 contacts, a warp for up to 128 and
96; environments with larger ones are solved by those systems. Each thread holds four dofs of the island, and its share
of every row. A contact's rows G = J L^-1 are made from velocities of links (:mod:`~.island_rows`), without groups of
four dofs that move neither side, as bits of a mask say. What is known of each contact is in the memory of the block,
and as many rows as there is room for. So nothing is waited for but sums. Measured in
docs/decisions/0028-island-sweeps.md and 0033-rows-in-the-blocks-memory.md.
"""

from phalanx.components import (
    Contact,
    ContactImpulse,
    ContactMotion,
    ContactPoint,
    ContactSurface,
    Dof,
    DofGain,
    DofModel,
    DofRow,
    DofSolve,
    DofTopology,
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
    LinkTopology,
    Settings,
    Sweep,
    Tree,
)
from phalanx.components.island import FEW_CONTACTS, LINK, MOST_CONTACTS, ROW
from phalanx.ecs import function, read, real, rows, update, write
from phalanx.ecs.declare import block_memory
from phalanx.ecs.text.team_language import (
    as_bits,
    as_real,
    count_bits,
    keep_four,
    load_four,
    load_kept_four,
    store_four,
    team_eight_sums,
    team_from,
    team_rank,
    team_room,
    team_row,
    team_slot,
    team_sum,
    team_system,
    team_wait,
    variant,
)
from phalanx.maths.kernels import cross
from phalanx.systems.solver.bouncing import SAME_IMPACT, SWEEPS, rebound_speed
from phalanx.systems.solver.contact_rows import SLIDES, eased, inverted_tangents, least_lever, response
from phalanx.systems.solver.contact_solver import SLOP, inverse, member_of, push_cap, solve_friction, solve_normals
from phalanx.systems.solver.dof_solver import solve_dof_row
from phalanx.systems.solver.islands.dof_record import load_constraints, load_impulses, store_impulses
from phalanx.systems.solver.islands.rows import point_velocities
from phalanx.systems.solver.sweeps import CORRECTION, parts_gone, sweep_parts
from phalanx.systems.solver.windows import WINDOW

IMPULSE, TOTAL, APPROACH, GAP, STATIC, DYNAMIC, SLIP = 0, 3, 4, 5, 6, 7, 8  # of IMPULSE three numbers, of SLIP two
CAP, INVERSE, TANGENT, NORMAL, MASK, BOUNCE, PLACE = 10, 11, 12, 16, 20, 21, 22
"""Where what sweeps need to know of a contact is in the memory of the block.

BOUNCE: its restitution, and from the phase ``bounce`` on the speed that it leaves with; negative: it gives way, see
``ContactMotion.rebound``. PLACE: where its rows are in the memory of the block, a multiple of 4, or 0 where there was
no room; and which member of its window it is, 0 to 3.
"""

ITEMS = 23
"""Numbers of a contact there: odd, so that threads which load contacts meet different banks."""

SORT, TEAM = 1, 8
"""Of small islands: :func:`sweep_large_island` has others."""


def _room(contacts: int) -> tuple[int, int]:
    """Numbers of the block's memory for an island: what contacts need at least, and what is of use at most."""
    return (contacts * ITEMS + 3) // 4 * 4, 4 * contacts * ITEMS


@function
def team_whole(size, x, rank):
    """The whole number x, of 32 bits and not negative, of the team's thread with that number."""
    return as_bits(team_from(size, as_real(x), rank))


@function
def share_of(memory, at, dense, from_, which, rank):
    """A thread's four numbers of a contact's row.

    Args:
        memory, at: what is known of the contact in the memory of the block.
        dense, from_: where its rows are, where there was no room for them.
        which: 0 normal, 1 and 2 tangents.
        rank: the thread's number, which is its group's.
    """
    mask, place = as_bits(memory[at + MASK]), as_bits(memory[at + PLACE]) & -4
    skip = 4 * (which * count_bits(mask) + count_bits(mask & ((1 << rank) - 1)))
    return load_kept_four((mask >> rank) & 1, place, memory, place + skip, dense, from_ + skip)


@team_system(phase="sweep", each=Tree, size=TEAM, threads=32, room=_room(FEW_CONTACTS))
def sweep_island(
    lanes,
    slots=rows(Contact),
    nv=rows(Dof),
    each=rows(IslandDofFour),
    fours=rows(IslandLinkFour),
    stride=rows(IslandRowFour),
    times=rows(Contact),
    bounces_at=rows(Contact),
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
    groups=read(IslandTree.groups),
    begin=read(IslandTree.begin),
    dof_rows=read(IslandTree.rows),
    first_row=read(IslandTree.first_row),
    contacts=read(IslandTree.contacts),
    first_contact=read(IslandTree.first_contact),
    order=read(IslandDof.order),
    row_dof=read(IslandDof.row),
    contact_order=read(IslandContact.order),
    constraint=update(IslandDofNumbers.value),
    groups_before=read(IslandTree.groups_before),
    yields=read(IslandContact.yields),
    place=read(IslandDof.place),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    tree=read(LinkTopology.tree),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    links=read(IslandLinkNumbers.value),
    dense=update(IslandRows.value),
    own_push=read(DofModel.max_depenetration_velocity),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    member=read(ContactMotion.member),
    separation=read(ContactMotion.gap),
    drift=read(ContactSurface.drift),
    static=read(ContactSurface.static_friction),
    dynamic=read(ContactSurface.dynamic_friction),
    restitution=read(ContactSurface.restitution),
    approach=write(ContactMotion.approach),
    slip=write(ContactMotion.slip),
    rebound=update(ContactMotion.rebound),
    impulse=update(ContactImpulse.last),
    total=update(ContactImpulse.value),
    tree_first=read(DofTopology.tree_first),
    tree_end=read(DofTopology.tree_end),
    rub=write(DofRow.friction),
    drive=write(DofRow.drive),
    stop=write(DofRow.stop),
    mobility=read(DofSolve.inverse_pivot),
    forced=read(DofGain.forced),
    u=update(DofGain.velocity),
    displacement=update(DofGain.displacement),
):
    """All sweeps of one island. All threads compute, and store, the same but for their own dofs."""
    for e in lanes:
        t = team_row()
        if left[0, e] == 0 and sort[t, e] == SORT:
            r, size = team_rank(TEAM), groups[t, e]
            k0 = order[begin[t, e] + min(r, size - 1), e]
            root, end = tree_first[k0, 0], tree_end[k0, 0]
            on0, on1 = r < size, r < size and k0 + 1 < end
            on2, on3 = r < size and k0 + 2 < end, r < size and k0 + 3 < end
            k1, k2, k3 = min(k0 + 1, end - 1), min(k0 + 2, end - 1), min(k0 + 3, end - 1)
            first, n = first_contact[t, e], contacts[t, e] if swept[0, e] > 0 else 0
            memory = block_memory(0)
            room = team_room(TEAM)
            mine = team_slot(TEAM) * room
            m, first_dof_row = dof_rows[t, e], first_row[t, e]
            rows_at = (e * slots + first) * stride
            u0, u1, u2, u3 = u[k0, e], u[k1, e], u[k2, e], u[k3, e]
            d0, d1, d2, d3 = displacement[k0, e], displacement[k1, e], displacement[k2, e], displacement[k3, e]
            m0, m1, m2, m3 = mobility[k0, e], mobility[k1, e], mobility[k2, e], mobility[k3, e]
            # dofs that are not there have no part in anything
            u0, u1, u2, u3 = u0 if on0 else 0.0, u1 if on1 else 0.0, u2 if on2 else 0.0, u3 if on3 else 0.0
            d0, d1, d2, d3 = d0 if on0 else 0.0, d1 if on1 else 0.0, d2 if on2 else 0.0, d3 if on3 else 0.0
            m0, m1, m2, m3 = m0 if on0 else 0.0, m1 if on1 else 0.0, m2 if on2 else 0.0, m3 if on3 else 0.0

            turns0, turns1, turns2, turns3 = angular[k0, 0], angular[k1, 0], angular[k2, 0], angular[k3, 0]

            share, all_links, at_link = k0 - root, e * 4 * fours, LINK + 6 * (k0 - root)
            size_of_link = LINK + 6 * (each - ROW)
            to = mine + (n * ITEMS + 3) // 4 * 4
            p10, p11, p12, p13 = 0.0, 0.0, 0.0, 0.0  # normal rows of the three contacts before
            p20, p21, p22, p23 = 0.0, 0.0, 0.0, 0.0
            p30, p31, p32, p33 = 0.0, 0.0, 0.0, 0.0
            base = 0
            while base < n:
                # each thread fetches what there is to know of one contact
                i = min(base + r, n - 1)
                c, at = contact_order[first + i, e], mine + i * ITEMS
                a, b, own, sides = dof_a[c, e], dof_b[c, e], member[c, e], yields[c, e]
                nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
                ax, ay, az = arm_a[c, 0, e], arm_a[c, 1, e], arm_a[c, 2, e]
                bx, by, bz = arm_b[c, 0, e], arm_b[c, 1, e], arm_b[c, 2, e]
                x0, x1, x2 = impulse[c, 0, e], impulse[c, 1, e], impulse[c, 2, e]
                da, db = max(a, 0), max(b, 0)
                at_a = all_links + max(place[da, 0], 0) * size_of_link
                at_b = all_links + max(place[db, 0], 0) * size_of_link
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
                near, rub1 = nx * x + ny * y + nz * z, tx * x + ty * y + tz * z
                rub2 = sx * x + sy * y + sz * z
                mask_a = as_bits(groups_a) << before_a if sides & 1 == 1 else 0
                mask_b = as_bits(groups_b) << before_b if sides & 2 == 2 else 0
                if base + r < n:
                    approach[c, e] = near
                    slip[c, 0, e] = rub1
                    slip[c, 1, e] = rub2
                    memory[at] = x0
                    memory[at + 1] = x1
                    memory[at + 2] = x2
                    memory[at + TOTAL] = x0 if warm == 1 else total[c, 0, e]
                    memory[at + APPROACH] = near
                    memory[at + GAP] = separation[c, e]
                    memory[at + STATIC] = static[c, e]
                    memory[at + DYNAMIC] = dynamic[c, e]
                    memory[at + SLIP] = rub1 + drift[c, 0, e]
                    memory[at + SLIP + 1] = rub2 + drift[c, 1, e]
                    memory[at + CAP] = min(
                        push_cap(own_push[max(a, 0), e], a >= 0, fastest_push[0, e]),
                        push_cap(own_push[max(b, 0), e], b >= 0, fastest_push[0, e]),
                    )
                    memory[at + MASK] = as_real(mask_a | mask_b)
                    memory[at + BOUNCE] = restitution[c, e] if rebound[c, e] >= 0.0 else rebound[c, e]
                    if bounces_at < 0:  # they have been found
                        memory[at + BOUNCE] = rebound[c, e]
                gap = separation[c, e]
                lever_a, lever_b = least_lever(gap, ax, ay, az), least_lever(gap, bx, by, bz)
                one_tree = a >= 0 and b >= 0 and tree_first[da, 0] == tree_first[db, 0]
                lever_a = max(lever_a, lever_b) if one_tree else lever_a
                lever_b = lever_a if one_tree else lever_b
                team_wait(TEAM)
                # side a first, if it can be moved; else only b is there, and lines point the other way
                swapped = sides & 1 == 0
                lever_a = lever_b if swapped else lever_a
                nx, ny, nz = -nx if swapped else nx, -ny if swapped else ny, -nz if swapped else nz
                tx, ty, tz = -tx if swapped else tx, -ty if swapped else ty, -tz if swapped else tz
                sx, sy, sz = -sx if swapped else sx, -sy if swapped else sy, -sz if swapped else sz
                ax, ay, az = bx if swapped else ax, by if swapped else ay, bz if swapped else az
                at_a, mask_a, mask_b = (
                    at_b if swapped else at_a,
                    mask_b if swapped else mask_a,
                    0 if swapped else mask_b,
                )

                for j in range(min(TEAM, n - base)):  # all threads make the rows of each of those contacts
                    at = mine + (base + j) * ITEMS
                    on_a, on_b = team_whole(TEAM, mask_a, j), team_whole(TEAM, mask_b, j)
                    one, other = team_whole(TEAM, at_a, j), team_whole(TEAM, at_b, j)
                    x0, x1, x2, x3, y0, y1, y2, y3, z0, z1, z2, z3 = point_velocities(
                        links, (on_a >> r) & 1, one + at_link,
                        team_from(TEAM, ax, j), team_from(TEAM, ay, j), team_from(TEAM, az, j),
                        (on_b >> r) & 1, other + at_link,
                        team_from(TEAM, bx, j), team_from(TEAM, by, j), team_from(TEAM, bz, j),
                    )  # fmt: skip
                    lx, ly, lz = team_from(TEAM, nx, j), team_from(TEAM, ny, j), team_from(TEAM, nz, j)
                    n0, n1 = lx * x0 + ly * y0 + lz * z0, lx * x1 + ly * y1 + lz * z1
                    n2, n3 = lx * x2 + ly * y2 + lz * z2, lx * x3 + ly * y3 + lz * z3
                    lx, ly, lz = team_from(TEAM, tx, j), team_from(TEAM, ty, j), team_from(TEAM, tz, j)
                    f0, f1 = lx * x0 + ly * y0 + lz * z0, lx * x1 + ly * y1 + lz * z1
                    f2, f3 = lx * x2 + ly * y2 + lz * z2, lx * x3 + ly * y3 + lz * z3
                    lx, ly, lz = team_from(TEAM, sx, j), team_from(TEAM, sy, j), team_from(TEAM, sz, j)
                    s0, s1 = lx * x0 + ly * y0 + lz * z0, lx * x1 + ly * y1 + lz * z1
                    s2, s3 = lx * x2 + ly * y2 + lz * z2, lx * x3 + ly * y3 + lz * z3
                    mask = on_a | on_b
                    count, before = count_bits(mask), count_bits(mask & ((1 << r) - 1))
                    fits = to + 12 * count <= mine + room
                    memory[at + PLACE] = as_real((to if fits else 0) | team_whole(TEAM, own, j))
                    if (mask >> r) & 1 == 1:  # as many rows as there is room for stay in the memory of the block
                        if fits:
                            keep_four(memory, to + 4 * before, n0, n1, n2, n3)
                            keep_four(memory, to + 4 * (count + before), f0, f1, f2, f3)
                            keep_four(memory, to + 4 * (2 * count + before), s0, s1, s2, s3)
                        else:
                            from_ = rows_at + (base + j) * stride + 4 * before
                            store_four(dense, from_, n0, n1, n2, n3)
                            store_four(dense, from_ + 4 * count, f0, f1, f2, f3)
                            store_four(dense, from_ + 8 * count, s0, s1, s2, s3)
                    to += 12 * count if fits else 0

                    # how velocities answer to impulses; each thread stores a sum
                    g0, g1, g2, g3 = m0 * n0, m1 * n1, m2 * n2, m3 * n3
                    y0, y1, y2, y3 = m0 * f0, m1 * f1, m2 * f2, m3 * f3
                    z0, z1 = team_from(TEAM, lever_a, j), team_from(TEAM, lever_b, j)
                    z0 = max(z0 if (on_a >> r) & 1 == 1 else 0.0, z1 if (on_b >> r) & 1 == 1 else 0.0)
                    z0, z1, z2, z3 = (
                        z0 if turns0 == 1 else SLIDES, z0 if turns1 == 1 else SLIDES,
                        z0 if turns2 == 1 else SLIDES, z0 if turns3 == 1 else SLIDES,
                    )  # fmt: skip
                    found = team_eight_sums(
                        TEAM, y0 * f0 + y1 * f1 + y2 * f2 + y3 * f3, y0 * s0 + y1 * s1 + y2 * s2 + y3 * s3,
                        m0 * s0 * s0 + m1 * s1 * s1 + m2 * s2 * s2 + m3 * s3 * s3,
                        g0 * n0 + g1 * n1 + g2 * n2 + g3 * n3, g0 * p10 + g1 * p11 + g2 * p12 + g3 * p13,
                        g0 * p20 + g1 * p21 + g2 * p22 + g3 * p23, g0 * p30 + g1 * p31 + g2 * p32 + g3 * p33,
                        z0 * g0 * g0 + z1 * g1 * g1 + z2 * g2 * g2 + z3 * g3 * g3,
                    )  # fmt: skip
                    if r < 8:
                        memory[at + TANGENT + r] = found
                    p30, p31, p32, p33 = p20, p21, p22, p23
                    p20, p21, p22, p23 = p10, p11, p12, p13
                    p10, p11, p12, p13 = n0, n1, n2, n3
                    if warm == 1:  # the impulses of the substep before
                        x0, x1, x2, gap = memory[at], memory[at + 1], memory[at + 2], memory[at + GAP]
                        if gap < -SLOP:  # what is eased starts without
                            team_wait(TEAM)
                            cap, springs = memory[at + CAP] * h[0, e], memory[at + BOUNCE]
                            y = response(memory[at + TANGENT + 3], memory[at + TANGENT], memory[at + TANGENT + 2])
                            spread = memory[at + TANGENT + 7]
                            starts = eased(gap, y, spread, cap, springs) == gap
                            x0, x1, x2 = x0 if starts else 0.0, x1 if starts else 0.0, x2 if starts else 0.0
                        u0 += m0 * (n0 * x0)
                        u1 += m1 * (n1 * x0)
                        u2 += m2 * (n2 * x0)
                        u3 += m3 * (n3 * x0)
                        u0 += m0 * (f0 * x1 + s0 * x2)
                        u1 += m1 * (f1 * x1 + s1 * x2)
                        u2 += m2 * (f2 * x1 + s2 * x2)
                        u3 += m3 * (f3 * x1 + s3 * x2)
                team_wait(TEAM)
                if base + r < n:
                    at = mine + i * ITEMS
                    y11, y12, y22 = memory[at + TANGENT], memory[at + TANGENT + 1], memory[at + TANGENT + 2]
                    itself, one, two = memory[at + TANGENT + 3], memory[at + NORMAL], memory[at + NORMAL + 1]
                    itself = response(itself, y11, y22)
                    three, longest = memory[at + NORMAL + 2], memory[at + CAP] * h[0, e]
                    gap = memory[at + GAP]
                    memory[at + GAP] = eased(gap, itself, memory[at + NORMAL + 3], longest, memory[at + BOUNCE])
                    if warm == 1 and memory[at + GAP] != gap:
                        memory[at] = 0.0
                        memory[at + 1] = 0.0
                        memory[at + 2] = 0.0
                        memory[at + TOTAL] = 0.0
                    itself = itself - min(memory[at + BOUNCE], 0.0) if itself > 0.0 else itself
                    y11, y12, y22, mean = inverted_tangents(y11, y12, y22)
                    memory[at + TANGENT] = y11
                    memory[at + TANGENT + 1] = y12
                    memory[at + TANGENT + 2] = y22
                    memory[at + TANGENT + 3] = mean
                    memory[at + INVERSE] = inverse(itself)
                    # of the members of its window up to itself
                    memory[at + NORMAL] = member_of(own, itself, one, two, three)
                    memory[at + NORMAL + 1] = member_of(own - 1, itself, one, two, 0.0)
                    memory[at + NORMAL + 2] = member_of(own - 2, itself, one, 0.0, 0.0)
                    memory[at + NORMAL + 3] = itself
                base += TEAM
            team_wait(TEAM)

            moving = position_sweeps[0, 0]
            parts = sweep_parts(projected[0, 0], moving)
            sweep = index[0, e]
            for turn in range(times + 1):
                if turn == bounces_at:
                    bouncing = 0
                    for i in range(n):  # which bounce, and how fast they leave
                        at = mine + i * ITEMS
                        near, springs = memory[at + APPROACH], memory[at + BOUNCE]
                        leaves = min(springs, 0.0)
                        if springs > 0.0 and near < -threshold[0, e]:
                            a0, a1, a2, a3 = share_of(memory, at, dense, rows_at + i * stride, 0, r)
                            f0, f1 = forced[k0, e] if on0 else 0.0, forced[k1, e] if on1 else 0.0
                            f2, f3 = forced[k2, e] if on2 else 0.0, forced[k3, e] if on3 else 0.0
                            moved = h[0, e] * near + team_sum(TEAM, a0 * d0 + a1 * d1 + a2 * d2 + a3 * d3)
                            fall = team_sum(TEAM, a0 * f0 + a1 * f1 + a2 * f2 + a3 * f3)
                            gap = memory[at + GAP]
                            meets = False
                            for k in range(WINDOW):  # it or another one of its window
                                o = i - (as_bits(memory[at + PLACE]) & 3) + k
                                other = mine + min(max(o, 0), n - 1) * ITEMS
                                among = o < n and as_bits(memory[other + PLACE]) & 3 == k
                                meets = meets or (among and memory[other + TOTAL] > 0.0)
                            reaches = meets and gap + moved < -SAME_IMPACT * h[0, e] * near
                            reaches = reaches or memory[at + TOTAL] > 0.0
                            if reaches and memory[at + INVERSE] > 0.0:
                                leaves = rebound_speed(min(near, 0.0), fall, gap, h[0, e], springs)
                        bouncing = i + 1 if leaves > 0.0 else bouncing
                        team_wait(TEAM)
                        memory[at + BOUNCE] = leaves
                    for again in range(SWEEPS + 1 if bouncing > 0 else 0):
                        for i in range(bouncing):
                            at = mine + i * ITEMS
                            if memory[at + BOUNCE] > 0.0:
                                from_ = rows_at + i * stride
                                if again == 0:  # friction so far was with a spin that the impact does not have
                                    a0, a1, a2, a3 = share_of(memory, at, dense, from_, 1, r)
                                    b0, b1, b2, b3 = share_of(memory, at, dense, from_, 2, r)
                                    x1, x2 = memory[at + 1], memory[at + 2]
                                    team_wait(TEAM)
                                    memory[at + 1] = 0.0
                                    memory[at + 2] = 0.0
                                    u0 -= m0 * (a0 * x1 + b0 * x2)
                                    u1 -= m1 * (a1 * x1 + b1 * x2)
                                    u2 -= m2 * (a2 * x1 + b2 * x2)
                                    u3 -= m3 * (a3 * x1 + b3 * x2)
                                else:
                                    a0, a1, a2, a3 = share_of(memory, at, dense, from_, 0, r)
                                    now, sum_ = memory[at], memory[at + TOTAL]
                                    goes = memory[at + APPROACH] + team_sum(TEAM, a0 * u0 + a1 * u1 + a2 * u2 + a3 * u3)
                                    new = max(now + (memory[at + BOUNCE] - goes) * memory[at + INVERSE], 0.0)
                                    team_wait(TEAM)
                                    memory[at + TOTAL] = sum_ + (new - now)
                                    # a blow is no load that goes on: the next substep starts without it
                                    memory[at] = 0.0 if again == SWEEPS else new
                                    push = new - now
                                    u0 += m0 * a0 * push
                                    u1 += m1 * a1 * push
                                    u2 += m2 * a2 * push
                                    u3 += m3 * a3 * push
                                team_wait(TEAM)
                if turn < times:
                    pushing = sweep < moving
                    gone = real(parts_gone(projected[0, 0], moving, sweep)) / real(parts)
                    part = h[0, e] / real(parts) if pushing else h[0, e]
                    pace = 1.0 / part
                    rate = pace * (1.0 / real(parts)) if pushing else pace
                    for i in range(m):
                        at = (e * nv + row_dof[first_dof_row + i, e]) * each
                        g0, g1, g2, g3 = load_four(constraint, at + share)
                        at += each - ROW
                        (
                            y, iy, soft_drive, soft_both, soft_stop, now, came, low, high, spring, give, springy,
                            cap, push, slope, most, hold, moved, its_tree,
                        ) = load_constraints(constraint, at)  # fmt: skip
                        x0, x1, x2 = load_impulses(constraint, at)
                        own_tree = its_tree == real(root)
                        g0, g1 = g0 if own_tree else 0.0, g1 if own_tree else 0.0
                        g2, g3 = g2 if own_tree else 0.0, g3 if own_tree else 0.0
                        w = team_sum(TEAM, g0 * u0 + g1 * u1 + g2 * u2 + g3 * u3)
                        x = team_sum(TEAM, g0 * d0 + g1 * d1 + g2 * d2 + g3 * d3)
                        own = x0 + x1 + x2
                        x0, x1, x2 = solve_dof_row(
                            not pushing, came + w - y * own, y, iy, soft_drive, soft_both, soft_stop, h[0, e], pace,
                            CORRECTION if pushing else 0.0, now, now + (gone * h[0, e] * came + x), came, low, high,
                            spring, give, springy, threshold[0, e], cap, fastest_push[0, e], push, slope, most, hold,
                            moved, x2,
                        )  # fmt: skip
                        store_impulses(constraint, at, x0, x1, x2)
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
                        in1 = i + 1 < n and as_bits(memory[p1 + PLACE]) & 3 == 1
                        in2 = in1 and i + 2 < n and as_bits(memory[p2 + PLACE]) & 3 == 2
                        in3 = in2 and i + 3 < n and as_bits(memory[p3 + PLACE]) & 3 == 3
                        a00, a01, a02, a03 = share_of(memory, p0, dense, rows_at + i * stride, 0, r)
                        a10, a11, a12, a13 = share_of(memory, p1, dense, rows_at + i1 * stride, 0, r)
                        a20, a21, a22, a23 = share_of(memory, p2, dense, rows_at + i2 * stride, 0, r)
                        a30, a31, a32, a33 = share_of(memory, p3, dense, rows_at + i3 * stride, 0, r)
                        n0, n1, n2, n3, z0, z1, z2, z3 = solve_normals(
                            pushing, pace, rate, memory[p0 + CAP] * longest, gone * h[0, e], True, in1, in2, in3,
                            memory[p0 + NORMAL], memory[p1 + NORMAL], memory[p1 + NORMAL + 1],
                            memory[p2 + NORMAL], memory[p2 + NORMAL + 1], memory[p2 + NORMAL + 2], memory[p3 + NORMAL],
                            memory[p3 + NORMAL + 1], memory[p3 + NORMAL + 2], memory[p3 + NORMAL + 3],
                            memory[p0 + INVERSE], memory[p1 + INVERSE], memory[p2 + INVERSE], memory[p3 + INVERSE],
                            memory[p0], memory[p1], memory[p2], memory[p3],
                            memory[p0 + TOTAL], memory[p1 + TOTAL], memory[p2 + TOTAL], memory[p3 + TOTAL],
                            memory[p0 + GAP], memory[p1 + GAP], memory[p2 + GAP], memory[p3 + GAP],
                            memory[p0 + BOUNCE], memory[p1 + BOUNCE], memory[p2 + BOUNCE], memory[p3 + BOUNCE],
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
                        x0, t0, x1, t1 = memory[p0], memory[p0 + TOTAL], memory[p1], memory[p1 + TOTAL]
                        x2, t2, x3, t3 = memory[p2], memory[p2 + TOTAL], memory[p3], memory[p3 + TOTAL]
                        team_wait(TEAM)  # until all have read what each will store
                        c0, c1 = n0 - x0, n1 - x1 if in1 else 0.0
                        c2, c3 = n2 - x2 if in2 else 0.0, n3 - x3 if in3 else 0.0
                        memory[p0] = n0
                        memory[p0 + TOTAL] = n0 if t0 == x0 else t0 + c0
                        if in1:
                            memory[p1] = n1
                            memory[p1 + TOTAL] = n1 if t1 == x1 else t1 + c1
                        if in2:
                            memory[p2] = n2
                            memory[p2 + TOTAL] = n2 if t2 == x2 else t2 + c2
                        if in3:
                            memory[p3] = n3
                            memory[p3 + TOTAL] = n3 if t3 == x3 else t3 + c3
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
                        now1, now2, pressed = memory[at + 1], memory[at + 2], memory[at + TOTAL]
                        if pressed != 0.0 or now1 != 0.0 or now2 != 0.0:
                            from_ = rows_at + i * stride
                            a0, a1, a2, a3 = share_of(memory, at, dense, from_, 1, r)
                            b0, b1, b2, b3 = share_of(memory, at, dense, from_, 2, r)
                            v1, v2 = memory[at + SLIP], memory[at + SLIP + 1]
                            new1, new2 = solve_friction(
                                v1 + team_sum(TEAM, a0 * u0 + a1 * u1 + a2 * u2 + a3 * u3),
                                v2 + team_sum(TEAM, b0 * u0 + b1 * u1 + b2 * u2 + b3 * u3),
                                v1, v2, now1, now2, memory[at + TANGENT], memory[at + TANGENT + 1],
                                memory[at + TANGENT + 2], memory[at + TANGENT + 3], pressed,
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
                rebound[c, e] = memory[at + BOUNCE] if bounces_at >= 0 else rebound[c, e]
                i += TEAM
            i = r
            while i < m:
                d = row_dof[first_dof_row + i, e]
                x0, x1, x2 = load_impulses(constraint, (e * nv + d) * each + each - ROW)
                rub[d, e] = x0
                drive[d, e] = x1
                stop[d, e] = x2
                i += TEAM


# A block for each: most of them have nothing to do, and would hold the registers and memory of a larger block's team.
sweep_large_island = variant(
    sweep_island, "sweep_large_island", 32, threads=32, room=_room(MOST_CONTACTS), SORT=2, TEAM=32
)
