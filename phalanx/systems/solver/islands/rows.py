"""Rows of dofs for islands on the GPU, and what rows of contacts are made of.

What :mod:`~.dof_rows` and :mod:`~.contact_rows` make for lanes, laid out for :mod:`~.island_sweeps`: dense, so that a
thread loads its share at once; it has four dofs of an island, one after the other in one tree. Rows of dofs need no
contacts, so they are ready before these are; so are the velocities of links per decoupled velocity. A contact's rows
G = J L^-1 are then the velocities of its point along the normal and the tangents. Measured in
docs/decisions/0030-island-rows.md.
"""

from phalanx.components import (
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
    IslandDof,
    IslandDofFour,
    IslandDofNumbers,
    IslandLinkFour,
    IslandLinkNumbers,
    LinkPose,
    MassFactor,
    MassTopology,
    Settings,
    Tree,
    TreeTopology,
)
from phalanx.components.island import LINK, ROW
from phalanx.ecs import function, read, real, rows, system, update, write
from phalanx.ecs.declare import block_memory
from phalanx.ecs.text.team_language import (
    THREADS,
    as_real,
    keep_four,
    load_four,
    load_kept_four,
    store_four,
    team_ballot,
    team_from,
    team_rank,
    team_row,
    team_slot,
    team_system,
    team_wait,
)
from phalanx.maths.kernels import cross
from phalanx.systems.solver.dof_solver import softness
from phalanx.systems.solver.islands.dof_record import store_constraints, store_impulses

APART = 28
"""Numbers from group to group in the memory of a block: 24, and four that keep threads off each other's banks."""

BLOCK = APART * THREADS


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
    next one adds is its motion times its row of L^-1. Motions of eight dofs are fetched at once, one by each thread,
    rows of L^-1 a dof ahead. What a link's groups come to is stored by all threads, one number after the other.
    """
    for e in lanes:
        t = team_row()
        low, end, r = first_dof[t, 0], end_dof[t, 0], team_rank(8)
        room = LINK + 6 * (each - ROW)
        memory = block_memory(BLOCK)
        mine = 8 * APART * team_slot(8)
        for base in range(low, end, 32):
            k = base + 4 * r
            k0, k1, k2, k3 = min(k, end - 1), min(k + 1, end - 1), min(k + 2, end - 1), min(k + 3, end - 1)
            begin0, begin1, begin2, begin3 = walk_begin[k0, 0], walk_begin[k1, 0], walk_begin[k2, 0], walk_begin[k3, 0]
            stop0, stop1 = walk_end[k0, 0] if k < end else 0, walk_end[k1, 0] if k + 1 < end else 0
            stop2, stop3 = walk_end[k2, 0] if k + 2 < end else 0, walk_end[k3, 0] if k + 3 < end else 0
            depth0, depth1, depth2, depth3 = depth[k0, 0], depth[k1, 0], depth[k2, 0], depth[k3, 0]
            wx0, wx1, wx2, wx3 = 0.0, 0.0, 0.0, 0.0
            wy0, wy1, wy2, wy3 = 0.0, 0.0, 0.0, 0.0
            wz0, wz1, wz2, wz3 = 0.0, 0.0, 0.0, 0.0
            vx0, vx1, vx2, vx3 = 0.0, 0.0, 0.0, 0.0
            vy0, vy1, vy2, vy3 = 0.0, 0.0, 0.0, 0.0
            vz0, vz1, vz2, vz3 = 0.0, 0.0, 0.0, 0.0
            last, d = -1, walk[low, 0]
            top = chain[d, 0] + depth[d, 0]
            s0, s1 = begin0 <= low and low < stop0, begin1 <= low and low < stop1
            s2, s3 = begin2 <= low and low < stop2, begin3 <= low and low < stop3
            g0, g1 = jacobian[top - depth0 if s0 else 0, e], jacobian[top - depth1 if s1 else 0, e]
            g2, g3 = jacobian[top - depth2 if s2 else 0, e], jacobian[top - depth3 if s3 else 0, e]
            for begin in range(low, end, 8):
                m = walk[min(begin + r, end - 1), 0]
                i, turns = link[m, 0], angular[m, 0] == 1
                mx, my, mz = axis[m, 0, e], axis[m, 1, e], axis[m, 2, e]
                nx, ny, nz = cross(offset[i, 0, e], offset[i, 1, e], offset[i, 2, e], mx, my, mz)
                nx, ny, nz = nx if turns else mx, ny if turns else my, nz if turns else mz
                mx, my, mz = mx if turns else 0.0, my if turns else 0.0, mz if turns else 0.0
                for n in range(begin, min(begin + 8, end)):
                    p, own, moved = parent[d, 0], place[d, 0], s0 or s1 or s2 or s3
                    h0, h1, h2, h3 = g0 if s0 else 0.0, g1 if s1 else 0.0, g2 if s2 else 0.0, g3 if s3 else 0.0
                    if moved:  # the others stay 0
                        store_four(dense, (e * nv + d) * each + k - low, h0, h1, h2, h3)
                    if p != last:  # go on from where the tree branches
                        at = e * 4 * fours + place[max(p, 0), 0] * room + LINK + 6 * (k0 - low)
                        wx0, wx1, wx2, wx3 = 0.0, 0.0, 0.0, 0.0
                        wy0, wy1, wy2, wy3 = 0.0, 0.0, 0.0, 0.0
                        wz0, wz1, wz2, wz3 = 0.0, 0.0, 0.0, 0.0
                        vx0, vx1, vx2, vx3 = 0.0, 0.0, 0.0, 0.0
                        vy0, vy1, vy2, vy3 = 0.0, 0.0, 0.0, 0.0
                        vz0, vz1, vz2, vz3 = 0.0, 0.0, 0.0, 0.0
                        if p >= 0 and k < end:
                            wx0, wx1, wx2, wx3 = load_four(links, at)
                            wy0, wy1, wy2, wy3 = load_four(links, at + 4)
                            wz0, wz1, wz2, wz3 = load_four(links, at + 8)
                            vx0, vx1, vx2, vx3 = load_four(links, at + 12)
                            vy0, vy1, vy2, vy3 = load_four(links, at + 16)
                            vz0, vz1, vz2, vz3 = load_four(links, at + 20)
                    last = d

                    m = min(n + 1, end - 1)  # what the next dof needs
                    d = walk[m, 0]
                    top = chain[d, 0] + depth[d, 0]
                    s0, s1 = begin0 <= m and m < stop0, begin1 <= m and m < stop1
                    s2, s3 = begin2 <= m and m < stop2, begin3 <= m and m < stop3
                    g0, g1 = jacobian[top - depth0 if s0 else 0, e], jacobian[top - depth1 if s1 else 0, e]
                    g2, g3 = jacobian[top - depth2 if s2 else 0, e], jacobian[top - depth3 if s3 else 0, e]

                    ux, uy, uz = team_from(8, mx, n - begin), team_from(8, my, n - begin), team_from(8, mz, n - begin)
                    ox, oy, oz = team_from(8, nx, n - begin), team_from(8, ny, n - begin), team_from(8, nz, n - begin)
                    wx0, wx1, wx2, wx3 = wx0 + ux * h0, wx1 + ux * h1, wx2 + ux * h2, wx3 + ux * h3
                    wy0, wy1, wy2, wy3 = wy0 + uy * h0, wy1 + uy * h1, wy2 + uy * h2, wy3 + uy * h3
                    wz0, wz1, wz2, wz3 = wz0 + uz * h0, wz1 + uz * h1, wz2 + uz * h2, wz3 + uz * h3
                    vx0, vx1, vx2, vx3 = vx0 + ox * h0, vx1 + ox * h1, vx2 + ox * h2, vx3 + ox * h3
                    vy0, vy1, vy2, vy3 = vy0 + oy * h0, vy1 + oy * h1, vy2 + oy * h2, vy3 + oy * h3
                    vz0, vz1, vz2, vz3 = vz0 + oz * h0, vz1 + oz * h1, vz2 + oz * h2, vz3 + oz * h3
                    if own >= 0:
                        if moved:
                            keep_four(memory, mine + APART * r, wx0, wx1, wx2, wx3)
                            keep_four(memory, mine + APART * r + 4, wy0, wy1, wy2, wy3)
                            keep_four(memory, mine + APART * r + 8, wz0, wz1, wz2, wz3)
                            keep_four(memory, mine + APART * r + 12, vx0, vx1, vx2, vx3)
                            keep_four(memory, mine + APART * r + 16, vy0, vy1, vy2, vy3)
                            keep_four(memory, mine + APART * r + 20, vz0, vz1, vz2, vz3)
                        groups = team_ballot(8, moved)
                        team_wait(8)
                        at = e * 4 * fours + own * room + LINK + 6 * (base - low)
                        for q in range(r, 48, 8):  # fours, of which each group has six
                            group = (q * 43) >> 8  # a sixth, in one product
                            if (groups >> group) & 1 == 1:
                                x0, x1, x2, x3 = load_kept_four(1, 1, memory, mine + 4 * (q + group), links, 0)
                                store_four(links, at + 4 * q, x0, x1, x2, x3)
                        team_wait(8)
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
                store_constraints(
                    dense, at, y, 1.0 / y, soft_drive, soft_both, soft_stop, q[coord[d, 0], e], qd[d, e],
                    low_limit[d, e], high, spring, give, springy, cap, push, slope, most,
                    h[0, e] * max(moved, stuck), h[0, e] * moved, real(low),
                )  # fmt: skip
                store_impulses(dense, at, rub[d, e], drive[d, e], stop[d, e])
            d += 8


@function
def point_velocities(links, on_a, at_a, ax, ay, az, on_b, at_b, bx, by, bz):
    """How the points of two links, or one, move against each other per decoupled velocity, of four dofs.

    Args:
        links: :attr:`~phalanx.components.IslandLinkNumbers.value`.
        on_a, on_b: whether these dofs move the sides.
        at_a, at_b: where the sides' numbers of these dofs begin.
        ax to az, bx to bz: the points, from the origins that the velocities are of.

    Returns:
        Four velocities along x, four along y, four along z: a's less b's.
    """
    x0, x1, x2, x3 = 0.0, 0.0, 0.0, 0.0
    y0, y1, y2, y3 = 0.0, 0.0, 0.0, 0.0
    z0, z1, z2, z3 = 0.0, 0.0, 0.0, 0.0
    if on_a == 1:
        a0, a1, a2, a3 = load_four(links, at_a)
        b0, b1, b2, b3 = load_four(links, at_a + 4)
        c0, c1, c2, c3 = load_four(links, at_a + 8)
        x0, x1, x2, x3 = load_four(links, at_a + 12)
        y0, y1, y2, y3 = load_four(links, at_a + 16)
        z0, z1, z2, z3 = load_four(links, at_a + 20)
        x0, y0, z0 = x0 + b0 * az - c0 * ay, y0 + c0 * ax - a0 * az, z0 + a0 * ay - b0 * ax
        x1, y1, z1 = x1 + b1 * az - c1 * ay, y1 + c1 * ax - a1 * az, z1 + a1 * ay - b1 * ax
        x2, y2, z2 = x2 + b2 * az - c2 * ay, y2 + c2 * ax - a2 * az, z2 + a2 * ay - b2 * ax
        x3, y3, z3 = x3 + b3 * az - c3 * ay, y3 + c3 * ax - a3 * az, z3 + a3 * ay - b3 * ax
    if on_b == 1:
        a0, a1, a2, a3 = load_four(links, at_b)
        b0, b1, b2, b3 = load_four(links, at_b + 4)
        c0, c1, c2, c3 = load_four(links, at_b + 8)
        d0, d1, d2, d3 = load_four(links, at_b + 12)
        x0, x1, x2, x3 = x0 - d0, x1 - d1, x2 - d2, x3 - d3
        d0, d1, d2, d3 = load_four(links, at_b + 16)
        y0, y1, y2, y3 = y0 - d0, y1 - d1, y2 - d2, y3 - d3
        d0, d1, d2, d3 = load_four(links, at_b + 20)
        z0, z1, z2, z3 = z0 - d0, z1 - d1, z2 - d2, z3 - d3
        x0, y0, z0 = x0 - b0 * bz + c0 * by, y0 - c0 * bx + a0 * bz, z0 - a0 * by + b0 * bx
        x1, y1, z1 = x1 - b1 * bz + c1 * by, y1 - c1 * bx + a1 * bz, z1 - a1 * by + b1 * bx
        x2, y2, z2 = x2 - b2 * bz + c2 * by, y2 - c2 * bx + a2 * bz, z2 - a2 * by + b2 * bx
        x3, y3, z3 = x3 - b3 * bz + c3 * by, y3 - c3 * bx + a3 * bz, z3 - a3 * by + b3 * bx
    return x0, x1, x2, x3, y0, y1, y2, y3, z0, z1, z2, z3
