"""Small steps of cloth on the GPU, a block of threads for each environment.

A colour has a hundred nodes or so: in few environments a kernel for it is over before the next one can be launched. So
a block of threads goes through all colours by itself, and where nothing else has a part in small steps, through all of
these: a substep is one kernel then. Where nodes are, and where inertia takes them, is in its memory; a few threads
share out the triangles, the bending and the contacts of a node, a warp sums up each group of nodes, and what comes
after the rigid motion of a body is each node's own. Sums have another order than in :func:`~.cloth.relax_cloth` and
:func:`~.modes.sum_groups`, whatever the number of environments. Compared in docs/decisions/0041-cloth.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from phalanx.components import (
    AttachedNode,
    ClothColour,
    ClothColourRuns,
    ClothElasticity,
    ClothMaterial,
    ClothNodeContact,
    ClothRun,
    ClothRunBendTopology,
    ClothRunCornerShape,
    ClothRunNodeTopology,
    ClothRunTopology,
    Deformable,
    DeformableDynamics,
    DeformableModes,
    DeformableMotion,
    DeformablePairTopology,
    DeformableSettings,
    DeformableTopology,
    Node,
    NodeAttachmentPoint,
    NodeAttachmentState,
    NodeAttachmentTopology,
    NodeContactPoint,
    NodeContactState,
    NodeGroup,
    NodeGroupSums,
    NodeGroupTopology,
    NodeModel,
    NodeState,
    NodeStep,
    NodeTarget,
    NodeTopology,
    Settings,
    ShapePose,
    Status,
    SurfaceNodeModel,
    World,
)
from phalanx.components.cloth_run import BENDS, CORNERS, LANES, MOST_NODES, RUN, WARP
from phalanx.components.node_attachment import ON
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import System, function, read, real, rows, start, update, write
from phalanx.ecs.declare import Access, block_memory
from phalanx.ecs.sequences.stand_ins import Portions, Repeated, Rows
from phalanx.ecs.text.team_language import (
    block_wait,
    load_four,
    part_sum,
    team_eight_sums,
    team_from,
    team_rank,
    team_slot,
    team_system,
    variant,
)
from phalanx.maths.kernels import cross
from phalanx.systems.collision.narrow.pose import inverse_turn
from phalanx.systems.deformable import contacts, modes, small_steps
from phalanx.systems.deformable.attachments import attachment_force
from phalanx.systems.deformable.cloth import relax_cloth
from phalanx.systems.deformable.contact_force import contact_force, contact_stiffness, next_load
from phalanx.systems.deformable.modes import THIN, solve_six_in_registers
from phalanx.systems.deformable.sweep import solve_symmetric

THREADS = 512
"""Of a block, where a colour has many nodes: with so many registers each a multiprocessor has room for no more."""

FEWER = (128, 256)
"""Of blocks for colours of fewer nodes: there are more of them at once. What they find does not depend on it."""

NUMBERS = 6 * MOST_NODES

NUMBERS_OF_GROUP = 36
"""Room for the sums over a group, in six parts."""

WHOLE = 1
"""0: a kernel does the sweeps of one small step and nothing else."""


@function
def triangle_force(ax, ay, az, bx, by, bz, p, q, r, s, stiff, poisson, slip, sixth):
    """Force of a triangle on one of its nodes, and its derivative, as :func:`~.cloth.relax_cloth` has them.

    (There it is not called, since that would change bits of what CPUs compute.)

    Args:
        ax, ay, az, bx, by, bz: the other two nodes, from this one.
        p, q, r, s: ClothCornerShape.inverse.
        stiff, poisson, slip: ClothElasticity.along, across and shear, times the area.
        sixth: of the pressure.

    Returns:
        The force; a stiffness in all directions; what there is beside it: xx, xy, xz, yy, yz, zz.
    """
    ux, uy, uz = p * ax + r * bx, p * ay + r * by, p * az + r * bz
    vx, vy, vz = q * ax + s * bx, q * ay + s * by, q * az + s * bz
    g, k = -(p + r), -(q + s)
    sx = 0.5 * (ux * ux + uy * uy + uz * uz - 1.0)
    sy = 0.5 * (vx * vx + vy * vy + vz * vz - 1.0)
    sx, sy = stiff * sx + poisson * sy, poisson * sx + stiff * sy
    sxy = slip * (ux * vx + uy * vy + uz * vz)
    wx, wy, wz = k * ux + g * vx, k * uy + g * vy, k * uz + g * vz
    nx, ny, nz = cross(ax, ay, az, bx, by, bz)
    fx = sixth * nx - (sx * g * ux + sy * k * vx + sxy * wx)
    fy = sixth * ny - (sx * g * uy + sy * k * vy + sxy * wy)
    fz = sixth * nz - (sx * g * uz + sy * k * vz + sxy * wz)
    even = math.fabs(sx * g * g + 2.0 * sxy * g * k + sy * k * k)
    p, q, r = stiff * g * g, stiff * k * k, poisson * g * k
    return (
        fx,
        fy,
        fz,
        even,
        p * ux * ux + q * vx * vx + 2.0 * r * ux * vx + slip * wx * wx,
        p * ux * uy + q * vx * vy + r * (ux * vy + uy * vx) + slip * wx * wy,
        p * ux * uz + q * vx * vz + r * (ux * vz + uz * vx) + slip * wx * wz,
        p * uy * uy + q * vy * vy + 2.0 * r * uy * vy + slip * wy * wy,
        p * uy * uz + q * vy * vz + r * (uy * vz + uz * vy) + slip * wy * wz,
        p * uz * uz + q * vz * vz + 2.0 * r * uz * vz + slip * wz * wz,
    )


@function
def pulse_of_contact(step, mass, load, friction, nx, ny, nz, x, y, z, dx, dy, dz):
    """Impulse of a contact in a small step, as :func:`~.contacts.add_impulses` has it, where it is not called either.

    Args:
        step: the small step, s.
        mass: SurfaceNodeModel.mass.
        load, friction: NodeContactState.load, NodeContactPoint.friction.
        nx, ny, nz: normal.
        x, y, z: the node, from the anchor, before the move of its body.
        dx, dy, dz: that move.
    """
    push, across, more, tx, ty, tz, _ = contact_force(
        True, contact_stiffness(mass, 1.0 / step), load, friction, nx, ny, nz, x, y, z
    )
    along = nx * dx + ny * dy + nz * dz
    tx, ty, tz = across * (tx + dx - along * nx), across * (ty + dy - along * ny), across * (tz + dz - along * nz)
    push = max(push - (more + across) * along, 0.0)
    rub = math.sqrt(tx * tx + ty * ty + tz * tz)
    bound = friction * push
    scale = bound / rub if (more > 0.0 or rub > bound) and rub > 0.0 else 1.0
    return step * (push * nx - scale * tx), step * (push * ny - scale * ty), step * (push * nz - scale * tz)


@team_system(phase="deform_cloth", each=World, size=THREADS, threads=THREADS)
def step_cloth(
    lanes,
    small=start(),
    sweeps=start(),
    back=start(),
    nodes=rows(Node),
    groups=rows(NodeGroup),
    bodies=rows(Deformable),
    colours=rows(ClothColour),
    first_run=read(ClothColourRuns.first),
    end_run=read(ClothColourRuns.end),
    run_node=read(ClothRunNodeTopology.node),
    run_body=read(ClothRunNodeTopology.body),
    run_surface=read(ClothRunNodeTopology.surface),
    own=read(ClothRunNodeTopology.bend),
    first_corner=read(ClothRunTopology.first_corner),
    end_corner=read(ClothRunTopology.end_corner),
    others=read(ClothRunCornerShape.others),
    inverse=read(ClothRunCornerShape.inverse),
    area=read(ClothRunCornerShape.area),
    first_bend=read(ClothRunTopology.first_bend),
    end_bend=read(ClothRunTopology.end_bend),
    other=read(ClothRunBendTopology.other),
    weight=read(ClothRunBendTopology.weight),
    body=read(NodeTopology.body),
    along=read(ClothElasticity.along),
    across=read(ClothElasticity.across),
    shear=read(ClothElasticity.shear),
    carried=read(ClothElasticity.carried),
    pressure=read(ClothMaterial.pressure),
    rigidity=read(ClothMaterial.bending_stiffness),
    mass=read(NodeModel.mass),
    firmness=read(SurfaceNodeModel.mass),
    h=read(Settings.timestep),
    gravity=read(Settings.gravity),
    count=read(DeformableSettings.small_steps),
    total=read(DeformableSettings.total),
    done=update(DeformableSettings.done),
    scale=read(DeformableDynamics.gravity_scale),
    damping=read(DeformableDynamics.damping),
    diverged=read(Status.diverged),
    origin=read(DeformableMotion.origin),
    first_group=read(DeformableTopology.first_group),
    end_group=read(DeformableTopology.end_group),
    first_node=read(NodeGroupTopology.first_node),
    end_node=read(NodeGroupTopology.end_node),
    group_held=write(NodeGroupSums.held),
    middle=update(DeformableModes.middle),
    ahead=update(DeformableModes.ahead),
    move=update(DeformableModes.move),
    broken=update(DeformableModes.broken),
    goal=read(NodeStep.goal),
    before=update(NodeStep.start),
    surface=read(NodeTopology.surface),
    pair=read(NodeContactState.pair),
    load=update(NodeContactState.load),
    spot=update(NodeContactState.spot),
    slides=update(NodeContactState.slides),
    impulse=update(NodeContactState.impulse),
    moment=update(NodeContactState.moment),
    pulse=update(NodeContactState.pulse),
    normal=read(NodeContactPoint.normal),
    anchor=update(NodeContactPoint.anchor),
    gap=update(NodeContactPoint.gap),
    friction=read(NodeContactPoint.friction),
    shape=read(DeformablePairTopology.shape),
    plane=read(DeformablePairTopology.plane),
    rotation=read(ShapePose.rotation),
    row=read(ClothNodeContact.row),
    touch=read(ClothNodeContact.force),
    resists=read(ClothNodeContact.stiffness),
    tied=read(AttachedNode.attachment),
    tie_mass=read(NodeAttachmentTopology.mass),
    mode=read(NodeAttachmentState.mode),
    tie_load=read(NodeAttachmentState.load),
    tie_anchor=read(NodeAttachmentPoint.anchor),
    target=read(NodeTarget.position),
    held=read(NodeTarget.held),
    position=update(NodeState.position),
    velocity=update(NodeState.velocity),
):
    """``small`` small steps with ``sweeps`` sweeps, forwards and backwards in turns; ``back``: 1 where the first goes
    backwards. Without ``WHOLE`` the sweeps of one small step and nothing else.
    """
    for e in lanes:
        kept = block_memory(NUMBERS)
        rank, lane = team_rank(THREADS), team_rank(LANES)
        warp, within = team_slot(WARP), team_rank(WARP)
        rate = real(count[0, e]) / h[0, e]
        step = h[0, e] / real(count[0, e])
        frozen = diverged[0, e] != 0
        made = done[0, e]
        for v in range(rank, nodes, THREADS):
            for k in range(3):
                kept[MOST_NODES * k + v] = position[v, k, e]
                if WHOLE == 0:
                    kept[MOST_NODES * (3 + k) + v] = goal[v, k, e]
        for _small in range(small):
            if WHOLE == 1:  # where inertia takes nodes: small_steps.predict_nodes
                share = 1.0 / real(total[0, e] - made)
                for v in range(rank, nodes, THREADS):
                    b = body[v, e]
                    for k in range(3):
                        x = kept[MOST_NODES * k + v]
                        away = step * velocity[v, k, e]
                        if held[v, e] != 0:
                            away = (target[v, k, e] - origin[b, k, e] - x) * share
                        away = 0.0 if frozen else away
                        falls = step * step * scale[b, e] * gravity[0, k, e]
                        before[v, k, e] = x
                        kept[MOST_NODES * (3 + k) + v] = x + away + falls
                        kept[MOST_NODES * k + v] = x + (away if held[v, e] != 0 else carried[b, e] * away)
            at, toward = 0, back
            block_wait()
            for _turn in range(sweeps * colours):
                colour = at if toward == 0 else colours - 1 - at
                at = at + 1
                if at == colours:
                    at, toward = 0, 1 - toward
                for run in range(first_run[colour, e] + warp, end_run[colour, e], THREADS // WARP):
                    place = run * RUN + within // LANES
                    v = run_node[place, e]
                    there = v >= 0
                    v = v if there else -1 - v
                    # All numbers that others hang on come first: they are awaited together.
                    o, contact = run_body[place, e], run_surface[place, e] * SLOTS + min(lane, SLOTS - 1)
                    bend, bends, corner, corners = (
                        first_bend[run, e],
                        end_bend[run, e],
                        first_corner[run, e],
                        end_corner[run, e],
                    )
                    heavy, bent, loose = mass[v, e], own[place, e], 1.0 if held[v, e] == 0 else 0.0
                    stiff, stretch, thin, slip = rigidity[o, e], along[o, e], across[o, e], shear[o, e]
                    sixth, touches = (1.0 / 6.0) * pressure[o, e], pair[contact, e] >= 0
                    px, py, pz = kept[v], kept[MOST_NODES + v], kept[2 * MOST_NODES + v]
                    fx, fy, fz = 0.0, 0.0, 0.0
                    even, xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                    ux, uy, uz = 0.0, 0.0, 0.0
                    for first in range(bend + within, bends, BENDS * WARP):
                        for n in range(BENDS):
                            c = first + n * WARP
                            i, w = other[c, e], weight[c, e]
                            ux += w * (kept[i] - px)
                            uy += w * (kept[MOST_NODES + i] - py)
                            uz += w * (kept[2 * MOST_NODES + i] - pz)
                    fx, fy, fz = -stiff * ux, -stiff * uy, -stiff * uz
                    for c in range(corner + within, corners, CORNERS * WARP):
                        d = c + WARP
                        i, j, k, n = others[c, 0, e], others[c, 1, e], others[d, 0, e], others[d, 1, e]
                        size, more = area[c, e], area[d, e]
                        p, q, r, s = load_four(inverse, 4 * c)
                        gx, gy, gz, flat, kxx, kxy, kxz, kyy, kyz, kzz = triangle_force(
                            kept[i] - px, kept[MOST_NODES + i] - py, kept[2 * MOST_NODES + i] - pz,
                            kept[j] - px, kept[MOST_NODES + j] - py, kept[2 * MOST_NODES + j] - pz,
                            p, q, r, s, size * stretch, size * thin, size * slip, sixth,
                        )  # fmt: skip
                        fx, fy, fz, even = fx + gx, fy + gy, fz + gz, even + flat
                        xx, xy, xz, yy, yz, zz = xx + kxx, xy + kxy, xz + kxz, yy + kyy, yz + kyz, zz + kzz
                        p, q, r, s = load_four(inverse, 4 * d)
                        gx, gy, gz, flat, kxx, kxy, kxz, kyy, kyz, kzz = triangle_force(
                            kept[k] - px, kept[MOST_NODES + k] - py, kept[2 * MOST_NODES + k] - pz,
                            kept[n] - px, kept[MOST_NODES + n] - py, kept[2 * MOST_NODES + n] - pz,
                            p, q, r, s, more * stretch, more * thin, more * slip, sixth,
                        )  # fmt: skip
                        fx, fy, fz, even = fx + gx, fy + gy, fz + gz, even + flat
                        xx, xy, xz, yy, yz, zz = xx + kxx, xy + kxy, xz + kxz, yy + kyy, yz + kyz, zz + kzz
                    if lane < SLOTS and touches:
                        nx, ny, nz = normal[contact, 0, e], normal[contact, 1, e], normal[contact, 2, e]
                        push, grip, more, tx, ty, tz, _ = contact_force(
                            True, contact_stiffness(heavy, rate), load[contact, e], friction[contact, e], nx, ny, nz,
                            px - anchor[contact, 0, e], py - anchor[contact, 1, e], pz - anchor[contact, 2, e],
                        )  # fmt: skip
                        fx += push * nx - grip * tx
                        fy += push * ny - grip * ty
                        fz += push * nz - grip * tz
                        even += grip
                        xx, xy, xz = xx + more * nx * nx, xy + more * nx * ny, xz + more * nx * nz
                        yy, yz, zz = yy + more * ny * ny, yz + more * ny * nz, zz + more * nz * nz
                    if lane == LANES - 1:
                        inertia = heavy * rate * rate
                        fx += inertia * (kept[3 * MOST_NODES + v] - px)
                        fy += inertia * (kept[4 * MOST_NODES + v] - py)
                        fz += inertia * (kept[5 * MOST_NODES + v] - pz)
                        even += inertia + stiff * bent
                        if WHOLE == 0 and row[v, e] >= 0:
                            fx, fy, fz = fx + touch[v, 0, e], fy + touch[v, 1, e], fz + touch[v, 2, e]
                            xx, xy, xz = xx + resists[v, 0, e], xy + resists[v, 1, e], xz + resists[v, 2, e]
                            yy, yz, zz = yy + resists[v, 3, e], yz + resists[v, 4, e], zz + resists[v, 5, e]
                        if WHOLE == 0 and tied[v, e] >= 0:
                            a = tied[v, e]
                            ux, uy, uz, hold = attachment_force(
                                mode[a, e] == ON, contact_stiffness(tie_mass[a, e], rate), px - tie_anchor[a, 0, e],
                                py - tie_anchor[a, 1, e], pz - tie_anchor[a, 2, e], tie_load[a, 0, e],
                                tie_load[a, 1, e], tie_load[a, 2, e],
                            )  # fmt: skip
                            fx, fy, fz, even = fx + ux, fy + uy, fz + uz, even + hold
                    fx, fy, fz = part_sum(WARP, LANES, fx), part_sum(WARP, LANES, fy), part_sum(WARP, LANES, fz)
                    even, xx, xy = part_sum(WARP, LANES, even), part_sum(WARP, LANES, xx), part_sum(WARP, LANES, xy)
                    xz, yy = part_sum(WARP, LANES, xz), part_sum(WARP, LANES, yy)
                    yz, zz = part_sum(WARP, LANES, yz), part_sum(WARP, LANES, zz)
                    dx, dy, dz = solve_symmetric(fx, fy, fz, even + xx, xy, xz, even + yy, yz, even + zz)
                    if there and lane == 0:
                        kept[v] = px + (dx if loose > 0.0 else 0.0)
                        kept[MOST_NODES + v] = py + (dy if loose > 0.0 else 0.0)
                        kept[2 * MOST_NODES + v] = pz + (dz if loose > 0.0 else 0.0)
                block_wait()
            if WHOLE == 1:
                # Forces on rigid motions: modes.sum_groups. Numbers of groups are behind those of nodes.
                sums_at = MOST_NODES * (within % 6) + nodes + within // 6 * groups
                for g in range(warp, groups, THREADS // WARP):
                    there = first_node[g, e] + within < end_node[g, e]
                    v = min(first_node[g, e] + within, end_node[g, e] - 1)
                    w = mass[v, e] if there else 0.0
                    m = w * rate * rate
                    x, y, z = kept[v], kept[MOST_NODES + v], kept[2 * MOST_NODES + v]
                    fx = m * (kept[3 * MOST_NODES + v] - x)
                    fy = m * (kept[4 * MOST_NODES + v] - y)
                    fz = m * (kept[5 * MOST_NODES + v] - z)
                    a00, a01, a02, a03, a04, a05 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                    a11, a12, a13, a14, a15 = 0.0, 0.0, 0.0, 0.0, 0.0
                    a22, a23, a24, a25 = 0.0, 0.0, 0.0, 0.0
                    a33, a34, a35, a44, a45, a55 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                    for k in range(SLOTS):
                        c = surface[v, e] * SLOTS + k
                        if there and pair[c, e] >= 0:
                            nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                            push, grip, more, tx, ty, tz, _ = contact_force(
                                True, contact_stiffness(firmness[surface[v, e], e], rate), load[c, e], friction[c, e],
                                nx, ny, nz, x - anchor[c, 0, e], y - anchor[c, 1, e], z - anchor[c, 2, e],
                            )  # fmt: skip
                            fx += push * nx - grip * tx
                            fy += push * ny - grip * ty
                            fz += push * nz - grip * tz
                            m += grip
                            ux, uy, uz = cross(x, y, z, nx, ny, nz)
                            a00, a01, a02 = a00 + more * nx * nx, a01 + more * nx * ny, a02 + more * nx * nz
                            a03, a04, a05 = a03 + more * nx * ux, a04 + more * nx * uy, a05 + more * nx * uz
                            a11, a12 = a11 + more * ny * ny, a12 + more * ny * nz
                            a13, a14, a15 = a13 + more * ny * ux, a14 + more * ny * uy, a15 + more * ny * uz
                            a22 += more * nz * nz
                            a23, a24, a25 = a23 + more * nz * ux, a24 + more * nz * uy, a25 + more * nz * uz
                            a33, a34, a35 = a33 + more * ux * ux, a34 + more * ux * uy, a35 + more * ux * uz
                            a44, a45, a55 = a44 + more * uy * uy, a45 + more * uy * uz, a55 + more * uz * uz
                    lx, ly, lz = cross(x, y, z, fx, fy, fz)
                    fixed = 1.0 if there and held[v, e] != 0 else 0.0
                    mx, my, mz = m * x, m * y, m * z
                    p = team_eight_sums(WARP, a00 + m, a01, a02, a03, a04 + mz, a05 - my, a11 + m, a12)
                    q = team_eight_sums(
                        WARP, a13 - mz, a14, a15 + mx, a22 + m, a23 + my, a24 - mx, a25, a33 + (my * y + mz * z)
                    )
                    r = team_eight_sums(
                        WARP, a34 - mx * y, a35 - mx * z, a44 + (mx * x + mz * z), a45 - my * z,
                        a55 + (mx * x + my * y), fx, fy, fz,
                    )  # fmt: skip
                    s = team_eight_sums(WARP, lx, ly, lz, w, w * x, w * y, w * z, fixed)
                    p = p if within < 8 else (q if within < 16 else (r if within < 24 else s))
                    kept[sums_at + g] = p
                    if within == WARP - 1:
                        group_held[g, e] = int(p)
                block_wait()
                for b in range(warp, bodies, THREADS // WARP):  # modes.solve_modes
                    s = 0.0
                    for g in range(first_group[b, e], end_group[b, e]):
                        s += kept[sums_at + g]
                    a33, a44, a55 = team_from(WARP, s, 15), team_from(WARP, s, 18), team_from(WARP, s, 20)
                    least = THIN * (a33 + a44 + a55)
                    x0, x1, x2, x3, x4, x5 = solve_six_in_registers(
                        team_from(WARP, s, 0), team_from(WARP, s, 1), team_from(WARP, s, 2), team_from(WARP, s, 3),
                        team_from(WARP, s, 4), team_from(WARP, s, 5), team_from(WARP, s, 6), team_from(WARP, s, 7),
                        team_from(WARP, s, 8), team_from(WARP, s, 9), team_from(WARP, s, 10), team_from(WARP, s, 11),
                        team_from(WARP, s, 12), team_from(WARP, s, 13), team_from(WARP, s, 14), a33 + least,
                        team_from(WARP, s, 16), team_from(WARP, s, 17), a44 + least, team_from(WARP, s, 19),
                        a55 + least, team_from(WARP, s, 21), team_from(WARP, s, 22), team_from(WARP, s, 23),
                        team_from(WARP, s, 24), team_from(WARP, s, 25), team_from(WARP, s, 26),
                    )  # fmt: skip
                    w = team_from(WARP, s, 27)
                    wx, wy, wz = team_from(WARP, s, 28) / w, team_from(WARP, s, 29) / w, team_from(WARP, s, 30) / w
                    fixed = team_from(WARP, s, 31)
                    finite = (x0 - x0) + (x1 - x1) + (x2 - x2) + (x3 - x3) + (x4 - x4) + (x5 - x5)
                    sound = finite == 0.0
                    moves = sound and fixed == 0.0
                    ux, uy, uz = x0 if moves else 0.0, x1 if moves else 0.0, x2 if moves else 0.0
                    tx, ty, tz = x3 if moves else 0.0, x4 if moves else 0.0, x5 if moves else 0.0
                    if within == 0:
                        move[b, 0, e], move[b, 1, e], move[b, 2, e] = ux, uy, uz
                        move[b, 3, e], move[b, 4, e], move[b, 5, e] = tx, ty, tz
                        for k in range(3):
                            middle[b, k, e] = ahead[b, k, e]
                        tx, ty, tz = cross(tx, ty, tz, wx, wy, wz)
                        ahead[b, 0, e] = wx + ux + tx
                        ahead[b, 1, e] = wy + uy + ty
                        ahead[b, 2, e] = wz + uz + tz
                        broken[b, e] = 0 if sound else 1
                block_wait()
                # What is left is each node's own: its impulses, its move and velocity, and its contacts.
                for v in range(rank, nodes, THREADS):
                    b = body[v, e]
                    free = held[v, e] == 0
                    ox, oy, oz = before[v, 0, e], before[v, 1, e], before[v, 2, e]
                    px, py, pz = kept[v], kept[MOST_NODES + v], kept[2 * MOST_NODES + v]
                    ux, uy, uz = cross(move[b, 3, e], move[b, 4, e], move[b, 5, e], px, py, pz)
                    dx = move[b, 0, e] + ux if free else 0.0
                    dy = move[b, 1, e] + uy if free else 0.0
                    dz = move[b, 2, e] + uz if free else 0.0
                    stays = frozen or broken[b, e] != 0
                    qx, qy, qz = ox if stays else px + dx, oy if stays else py + dy, oz if stays else pz + dz
                    decay = (1.0 / (1.0 + step * damping[b, e]) if free else 1.0) / step
                    kept[v], kept[MOST_NODES + v], kept[2 * MOST_NODES + v] = qx, qy, qz
                    velocity[v, 0, e] = (qx - ox) * decay
                    velocity[v, 1, e] = (qy - oy) * decay
                    velocity[v, 2, e] = (qz - oz) * decay
                    for k in range(SLOTS):
                        c = surface[v, e] * SLOTS + k
                        if pair[c, e] >= 0:
                            nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                            rx, ry, rz = anchor[c, 0, e], anchor[c, 1, e], anchor[c, 2, e]
                            x, y, z = pulse_of_contact(
                                step, firmness[surface[v, e], e], load[c, e], friction[c, e], nx, ny, nz,
                                px - rx, py - ry, pz - rz, dx, dy, dz,
                            )  # fmt: skip
                            pulse[c, 0, e], pulse[c, 1, e], pulse[c, 2, e] = x, y, z
                            impulse[c, 0, e] += x
                            impulse[c, 1, e] += y
                            impulse[c, 2, e] += z
                            ux, uy, uz = px + dx - middle[b, 0, e], py + dy - middle[b, 1, e], pz + dz - middle[b, 2, e]
                            ux, uy, uz = cross(ux, uy, uz, x, y, z)
                            moment[c, 0, e] += ux
                            moment[c, 1, e] += uy
                            moment[c, 2, e] += uz
                            stiff = contact_stiffness(firmness[surface[v, e], e], rate)
                            _, grip, _, tx, ty, tz, now = contact_force(
                                True, stiff, load[c, e], friction[c, e], nx, ny, nz, qx - rx, qy - ry, qz - rz
                            )
                            part = grip / stiff
                            slides[c, e] = 1 if part < 1.0 else 0
                            x, y, z = (1.0 - part) * tx, (1.0 - part) * ty, (1.0 - part) * tz
                            anchor[c, 0, e] = rx + x
                            anchor[c, 1, e] = ry + y
                            anchor[c, 2, e] = rz + z
                            i = pair[c, e]
                            j = shape[i, e]
                            ux, uy, uz = inverse_turn(
                                rotation[j, 0, e], rotation[j, 1, e], rotation[j, 2, e], rotation[j, 3, e],
                                rotation[j, 4, e], rotation[j, 5, e], rotation[j, 6, e], rotation[j, 7, e],
                                rotation[j, 8, e], x, y, z,
                            )  # fmt: skip
                            moves = plane[i, e] < 0
                            spot[c, 0, e] += ux if moves else x
                            spot[c, 1, e] += uy if moves else y
                            spot[c, 2, e] += uz if moves else z
                            opens = now - gap[c, e]
                            x = ahead[b, 0, e] - middle[b, 0, e] - qx + ox
                            y = ahead[b, 1, e] - middle[b, 1, e] - qy + oy
                            z = ahead[b, 2, e] - middle[b, 2, e] - qz + oz
                            leaves = opens + (nx * x + ny * y + nz * z)
                            load[c, e] = next_load(True, stiff, load[c, e], now, min(opens, leaves) * rate)
                            gap[c, e] = now
                made = made + 1 if made + 1 < total[0, e] else 0
        for v in range(rank, nodes, THREADS):
            for k in range(3):
                position[v, k, e] = kept[MOST_NODES * k + v]
        if WHOLE == 1 and rank == 0:
            done[0, e] = made


sweep_cloth = variant(step_cloth, "sweep_cloth", THREADS, THREADS, WHOLE=0)
"""Sweeps alone, where other systems have a part in small steps."""


@cache
def _made(whole: int, threads: int, small: int, sweeps: int, back: int) -> System:
    made = step_cloth if whole else sweep_cloth
    if threads != THREADS:
        made = variant(made, made.name, threads, threads, THREADS=threads)
    numbers = {"small": small, "sweeps": sweeps, "back": back}
    return replace(made, arguments=made.arguments | {name: Access("rows", n) for name, n in numbers.items()})


def _threads(rows: Rows) -> int:
    """A warp for each run of a colour, or more: of as many as colours have in the mean."""
    wanted = WARP * rows(ClothRun) / rows(ClothColour)
    return next((threads for threads in FEWER if wanted <= threads), THREADS)


def _sweeps(rows: Rows, portions: Sequence[System]) -> System | None:
    """What does whole sweeps over cloth that fits into a block's memory."""
    sweeps, left = divmod(len(portions), max(rows(ClothColour), 1))
    if left or rows(Node) > MOST_NODES:
        return None
    firsts = [next(a.target for a in p.arguments.values() if isinstance(a.target, int)) for p in portions]
    back = int(len(portions) > 1 and firsts[1] < firsts[0])
    return _made(0, _threads(rows), 1, sweeps, back)


def _small_steps(rows: Rows, systems: Sequence[System], times: int) -> System | None:
    """What does small steps where nothing but rigid shapes that stay where they are touches the cloth."""
    if rows(Node) + NUMBERS_OF_GROUP // 6 * rows(NodeGroup) > MOST_NODES:
        return None
    given = next(s for s in systems if s.name == sweep_cloth.name).arguments
    return _made(1, _threads(rows), times, given["sweeps"].target, given["back"].target)


PORTIONS = Portions(relax_cloth.name, _sweeps)
SMALL_STEPS = Repeated(
    (
        small_steps.predict_nodes.name,
        sweep_cloth.name,
        modes.sum_groups.name,
        modes.solve_modes.name,
        contacts.add_impulses.name,
        modes.move_nodes.name,
        small_steps.count_small_steps.name,
        small_steps.finish_nodes.name,
        contacts.finish_node_contacts.name,
    ),
    _small_steps,
)
"""After ``PORTIONS``: it stands in for what that makes, too."""
