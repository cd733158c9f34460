"""All sweeps of a small step over cloth on the GPU, a block for each environment.

A colour has a hundred nodes or so: in few environments a kernel for it is over before the next one can be launched. So
a block of threads goes through all colours by itself. Where nodes are, and where inertia takes them, is in its memory,
and eight threads share out the triangles, the bending and the contacts of a node. Sums have another order than in
:func:`~.cloth.relax_cloth`, whatever the number of environments. Compared in docs/decisions/0041-cloth.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from phalanx.components import (
    AttachedNode,
    ClothBendTopology,
    ClothColour,
    ClothColourPlaces,
    ClothCornerShape,
    ClothCornerTopology,
    ClothElasticity,
    ClothMaterial,
    ClothNode,
    ClothNodeContact,
    DeformableSettings,
    Node,
    NodeAttachmentPoint,
    NodeAttachmentState,
    NodeAttachmentTopology,
    NodeContactPoint,
    NodeContactState,
    NodeModel,
    NodeOrder,
    NodeState,
    NodeStep,
    NodeTarget,
    NodeTopology,
    Settings,
    World,
)
from phalanx.components.node_attachment import ON
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import System, function, read, real, rows, start, update
from phalanx.ecs.declare import Access, block_memory
from phalanx.ecs.sequences.stand_ins import Portions, Rows
from phalanx.ecs.text.team_language import (
    block_wait,
    team_eight_sums,
    team_from,
    team_rank,
    team_slot,
    team_sum,
    team_system,
)
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.attachments import attachment_force
from phalanx.systems.deformable.cloth import relax_cloth
from phalanx.systems.deformable.contact_force import contact_force, contact_stiffness
from phalanx.systems.deformable.sweep import solve_symmetric

THREADS = 1024
"""Of a block: as many as there can be."""

REGISTERS = 64
"""Of each, that a multiprocessor has for so many."""

MOST_NODES = 2048
"""That the memory of a block has room for."""

NUMBERS = 6 * MOST_NODES


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


@team_system(phase="deform_cloth", each=World, size=THREADS, threads=THREADS)
def sweep_cloth(
    lanes,
    sweeps=start(),
    back=start(),
    nodes=rows(Node),
    colours=rows(ClothColour),
    first=read(ClothColourPlaces.first),
    last=read(ClothColourPlaces.end),
    order=read(NodeOrder.node),
    body=read(NodeTopology.body),
    begin=read(ClothNode.first_corner),
    end=read(ClothNode.end_corner),
    others=read(ClothCornerTopology.others),
    inverse=read(ClothCornerShape.inverse),
    area=read(ClothCornerShape.area),
    along=read(ClothElasticity.along),
    across=read(ClothElasticity.across),
    shear=read(ClothElasticity.shear),
    pressure=read(ClothMaterial.pressure),
    first_bend=read(ClothNode.first_bend),
    end_bend=read(ClothNode.end_bend),
    own=read(ClothNode.bend),
    other=read(ClothBendTopology.other),
    weight=read(ClothBendTopology.weight),
    rigidity=read(ClothMaterial.bending_stiffness),
    mass=read(NodeModel.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    goal=read(NodeStep.goal),
    surface=read(NodeTopology.surface),
    pair=read(NodeContactState.pair),
    load=read(NodeContactState.load),
    normal=read(NodeContactPoint.normal),
    anchor=read(NodeContactPoint.anchor),
    friction=read(NodeContactPoint.friction),
    row=read(ClothNodeContact.row),
    touch=read(ClothNodeContact.force),
    resists=read(ClothNodeContact.stiffness),
    tied=read(AttachedNode.attachment),
    tie_mass=read(NodeAttachmentTopology.mass),
    mode=read(NodeAttachmentState.mode),
    tie_load=read(NodeAttachmentState.load),
    tie_anchor=read(NodeAttachmentPoint.anchor),
    held=read(NodeTarget.held),
    position=update(NodeState.position),
):
    """``sweeps`` sweeps, forwards and backwards in turns; ``back``: 1 where the first goes backwards."""
    for e in lanes:
        kept = block_memory(NUMBERS)
        rank, lane, slot = team_rank(THREADS), team_rank(8), team_slot(8)
        rate = real(count[0, e]) / h[0, e]
        for v in range(rank, nodes, THREADS):
            for k in range(3):
                kept[MOST_NODES * k + v] = position[v, k, e]
                kept[MOST_NODES * (3 + k) + v] = goal[v, k, e]
        block_wait()
        for turn in range(sweeps * colours):
            colour = turn % colours
            if (turn // colours + back) % 2 == 1:
                colour = colours - 1 - colour
            for place in range(first[colour, e] + slot, last[colour, e], THREADS // 8):
                v = order[place, e]
                o = body[v, e]
                px, py, pz = kept[v], kept[MOST_NODES + v], kept[2 * MOST_NODES + v]
                fx, fy, fz = 0.0, 0.0, 0.0
                even, xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                sixth = pressure[o, e] / 6.0
                for c in range(begin[v, e] + lane, end[v, e], 8):
                    i, j = others[c, 0, e], others[c, 1, e]
                    gx, gy, gz, flat, kxx, kxy, kxz, kyy, kyz, kzz = triangle_force(
                        kept[i] - px, kept[MOST_NODES + i] - py, kept[2 * MOST_NODES + i] - pz,
                        kept[j] - px, kept[MOST_NODES + j] - py, kept[2 * MOST_NODES + j] - pz,
                        inverse[c, 0, e], inverse[c, 1, e], inverse[c, 2, e], inverse[c, 3, e],
                        area[c, e] * along[o, e], area[c, e] * across[o, e], area[c, e] * shear[o, e], sixth,
                    )  # fmt: skip
                    fx, fy, fz, even = fx + gx, fy + gy, fz + gz, even + flat
                    xx, xy, xz, yy, yz, zz = xx + kxx, xy + kxy, xz + kxz, yy + kyy, yz + kyz, zz + kzz
                ux, uy, uz = 0.0, 0.0, 0.0
                for c in range(first_bend[v, e] + lane, end_bend[v, e], 8):
                    i = other[c, e]
                    ux += weight[c, e] * (kept[i] - px)
                    uy += weight[c, e] * (kept[MOST_NODES + i] - py)
                    uz += weight[c, e] * (kept[2 * MOST_NODES + i] - pz)
                stiff = rigidity[o, e]
                fx, fy, fz = fx - stiff * ux, fy - stiff * uy, fz - stiff * uz
                if lane < SLOTS:
                    t = surface[v, e] * SLOTS + lane
                    if pair[t, e] >= 0:
                        nx, ny, nz = normal[t, 0, e], normal[t, 1, e], normal[t, 2, e]
                        push, grip, more, tx, ty, tz, _ = contact_force(
                            True, contact_stiffness(mass[v, e], rate), load[t, e], friction[t, e], nx, ny, nz,
                            px - anchor[t, 0, e], py - anchor[t, 1, e], pz - anchor[t, 2, e],
                        )  # fmt: skip
                        fx, fy, fz = fx + push * nx - grip * tx, fy + push * ny - grip * ty, fz + push * nz - grip * tz
                        even += grip
                        xx, xy, xz = xx + more * nx * nx, xy + more * nx * ny, xz + more * nx * nz
                        yy, yz, zz = yy + more * ny * ny, yz + more * ny * nz, zz + more * nz * nz
                if lane == SLOTS:
                    inertia = mass[v, e] * rate * rate
                    fx += inertia * (kept[3 * MOST_NODES + v] - px)
                    fy += inertia * (kept[4 * MOST_NODES + v] - py)
                    fz += inertia * (kept[5 * MOST_NODES + v] - pz)
                    even += inertia + stiff * own[v, e]
                if lane == SLOTS + 1 and row[v, e] >= 0:
                    fx, fy, fz = fx + touch[v, 0, e], fy + touch[v, 1, e], fz + touch[v, 2, e]
                    xx, xy, xz = xx + resists[v, 0, e], xy + resists[v, 1, e], xz + resists[v, 2, e]
                    yy, yz, zz = yy + resists[v, 3, e], yz + resists[v, 4, e], zz + resists[v, 5, e]
                if lane == SLOTS + 2 and tied[v, e] >= 0:
                    a = tied[v, e]
                    ux, uy, uz, hold = attachment_force(
                        mode[a, e] == ON, contact_stiffness(tie_mass[a, e], rate), px - tie_anchor[a, 0, e],
                        py - tie_anchor[a, 1, e], pz - tie_anchor[a, 2, e], tie_load[a, 0, e], tie_load[a, 1, e],
                        tie_load[a, 2, e],
                    )  # fmt: skip
                    fx, fy, fz, even = fx + ux, fy + uy, fz + uz, even + hold
                most = team_eight_sums(8, fx, fy, fz, even, xx, xy, xz, yy)
                yz, zz = team_sum(8, yz), team_sum(8, zz)
                fx, fy, fz = team_from(8, most, 0), team_from(8, most, 1), team_from(8, most, 2)
                even, xx, xy = team_from(8, most, 3), team_from(8, most, 4), team_from(8, most, 5)
                xz, yy = team_from(8, most, 6), team_from(8, most, 7)
                dx, dy, dz = solve_symmetric(fx, fy, fz, even + xx, xy, xz, even + yy, yz, even + zz)
                if lane == 0 and held[v, e] == 0:
                    kept[v] = px + dx
                    kept[MOST_NODES + v] = py + dy
                    kept[2 * MOST_NODES + v] = pz + dz
            block_wait()
        for v in range(rank, nodes, THREADS):
            for k in range(3):
                position[v, k, e] = kept[MOST_NODES * k + v]


@cache
def _swept(sweeps: int, back: int) -> System:
    numbers = {"sweeps": Access("rows", sweeps), "back": Access("rows", back)}
    return replace(sweep_cloth, arguments=sweep_cloth.arguments | numbers, registers=REGISTERS)


def _instead(rows: Rows, portions: Sequence[System]) -> System | None:
    """What does whole sweeps over cloth that fits into a block's memory."""
    sweeps, left = divmod(len(portions), max(rows(ClothColour), 1))
    if left or rows(Node) > MOST_NODES:
        return None
    firsts = [next(a.target for a in p.arguments.values() if isinstance(a.target, int)) for p in portions]
    back = int(len(portions) > 1 and firsts[1] < firsts[0])
    return _swept(sweeps, back)


PORTIONS = Portions(relax_cloth.name, _instead)
