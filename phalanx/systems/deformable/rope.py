"""Ropes: Newton steps of all nodes at once, as a rope's matrix is a narrow band.

A segment has the energy ``E A / 2 l (|e| - l)^2`` of its edge e; bending is quadratic in positions
(:mod:`phalanx.models.meshes.rope_line`). In place of sweeps from node to node, which carry forces along by one node
each, a rope is solved from end to end: its matrix has five blocks of 3 x 3 in a row, and elimination takes one pass
there and one back. Inertia, contacts and attachments are in blocks of their own nodes only, as they are for cloth.
"""

import math

from phalanx.components import (
    AttachedNode,
    ClothNodeContact,
    DeformableMaterial,
    DeformableSettings,
    NodeAttachmentPoint,
    NodeAttachmentState,
    NodeAttachmentTopology,
    NodeContactPoint,
    NodeContactState,
    NodeModel,
    NodeState,
    NodeStep,
    NodeTarget,
    NodeTopology,
    Rope,
    RopeElasticity,
    RopeMaterial,
    RopeNode,
    RopeNodeTopology,
    RopeShape,
    RopeSystem,
    RopeTopology,
    Settings,
)
from phalanx.components.node_attachment import ON
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import local, read, real, system, update, write
from phalanx.systems.deformable.attachments import attachment_force
from phalanx.systems.deformable.contact_force import contact_force, contact_stiffness

STIFFEST = 1e5
"""Stiffness of a segment or of bending, at most, in units of node mass per square of the small step.

Elimination in float32 loses the inertia of nodes behind stiffer ones. A hanging rope of n nodes gets longer by less
than n g h^2 / 1e5 per segment at that.
"""

SHORT = 1e-9
"""m: shorter edges have no direction."""


@system(over=Rope, phase="deform_begin")
def rope_constants(
    n,
    e,
    first=read(RopeTopology.first),
    end=read(RopeTopology.end),
    node=read(RopeNodeTopology.node),
    body=read(RopeNodeTopology.body),
    after=read(RopeNodeTopology.after),
    length=read(RopeShape.length),
    bend=read(RopeShape.bend),
    young=read(DeformableMaterial.youngs_modulus),
    radius=read(RopeMaterial.radius),
    rigidity=read(RopeMaterial.bending_stiffness),
    torsion=read(RopeMaterial.twisting_stiffness),
    mass=read(NodeModel.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    stretch=write(RopeElasticity.stretch),
    bending=write(RopeElasticity.bending),
    twisting=write(RopeElasticity.twisting),
    steady=write(RopeElasticity.steady),
):
    """From Young's modulus and radius, and no more than :data:`STIFFEST` allows."""
    b = body[first[n, e], e]
    rate = real(count[0, e]) / h[0, e]
    most = STIFFEST * rate * rate
    pull = young[b, e] * math.pi * radius[b, e] * radius[b, e]
    turn = rigidity[b, e]
    screw = torsion[b, e]
    thick = 0.5 * radius[b, e] * radius[b, e]  # inertia of a segment about itself, by its mass
    for r in range(first[n, e], end[n, e]):
        v = node[r, e]
        lighter = min(mass[v, e], mass[v + 1, e] if after[r, e] > 0 else mass[v, e])
        pull = min(pull, most * lighter * length[r, e])
        screw = min(screw, most * thick * lighter * length[r, e])
        turn = min(turn, most * mass[v, e] / max(bend[r, 0, e], 1e-20))
    stretch[n, e] = pull
    bending[n, e] = turn
    twisting[n, e] = screw
    steady[n, e] = turn


@system(over=RopeNode, phase="deform_rope")
def row_of_rope(
    r,
    e,
    node=read(RopeNodeTopology.node),
    rope=read(RopeNodeTopology.rope),
    before=read(RopeNodeTopology.before),
    after=read(RopeNodeTopology.after),
    length=read(RopeShape.length),
    bend=read(RopeShape.bend),
    stretch=read(RopeElasticity.stretch),
    bending=read(RopeElasticity.bending),
    framed=read(RopeTopology.framed),
    steady=read(RopeElasticity.steady),
    slope=read(RopeSystem.slope),
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
    touching=read(ClothNodeContact.row),
    touch=read(ClothNodeContact.force),
    resists=read(ClothNodeContact.stiffness),
    tied=read(AttachedNode.attachment),
    tie_mass=read(NodeAttachmentTopology.mass),
    mode=read(NodeAttachmentState.mode),
    tie_load=read(NodeAttachmentState.load),
    tie_anchor=read(NodeAttachmentPoint.anchor),
    position=read(NodeState.position),
    force=write(RopeSystem.force),
    own=write(RopeSystem.own),
    tie=write(RopeSystem.tie),
    far=write(RopeSystem.far),
):
    """The force on a node, and how it changes with the places of the node and of those behind it.

    Of a segment under tension the derivative is exact; of one that is pressed together, the part across it is taken
    with its absolute value, so that the matrix is positive definite.
    """
    v = node[r, e]
    n = rope[r, e]
    px, py, pz = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    rate = real(count[0, e]) / h[0, e]
    inertia = mass[v, e] * rate * rate
    fx = inertia * (goal[v, 0, e] - px)
    fy = inertia * (goal[v, 1, e] - py)
    fz = inertia * (goal[v, 2, e] - pz)
    even, xx, xy, xz, yy, yz, zz = inertia, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    t0, t1, t2, t3, t4, t5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for way in range(2):
        there = after[r, e] > 0 if way == 0 else before[r, e] > 0
        s = r if way == 0 else r - 1
        s = s if there else r
        i = v + (1 if way == 0 else -1)
        i = i if there else v
        rest = length[s, e]
        stiff = stretch[n, e] / rest if there else 0.0
        ux, uy, uz = position[i, 0, e] - px, position[i, 1, e] - py, position[i, 2, e] - pz
        size = max(math.sqrt(ux * ux + uy * uy + uz * uz), SHORT)
        ux, uy, uz = ux / size, uy / size, uz / size
        pull = stiff * (size - rest)
        fx, fy, fz = fx + pull * ux, fy + pull * uy, fz + pull * uz
        side = min(math.fabs(pull) / size, stiff)
        more = stiff - side
        even += side
        xx, xy, xz = xx + more * ux * ux, xy + more * ux * uy, xz + more * ux * uz
        yy, yz, zz = yy + more * uy * uy, yz + more * uy * uz, zz + more * uz * uz
        if way == 0:
            t0, t1, t2 = -side - more * ux * ux, -more * ux * uy, -more * ux * uz
            t3, t4, t5 = -side - more * uy * uy, -more * uy * uz, -side - more * uz * uz
    frames = framed[n, e] != 0
    stiff = 0.0 if frames else bending[n, e]
    even += steady[n, e] * bend[r, 0, e]
    for k in range(4):
        step = k - 2 if k < 2 else k - 1
        there = after[r, e] >= step if step > 0 else before[r, e] >= -step
        i = v + step if there else v
        s = r + min(step, 0) if there else r
        weight = bend[s, 1 if step == 1 or step == -1 else 2, e] if there else 0.0
        fx -= stiff * weight * (position[i, 0, e] - px)
        fy -= stiff * weight * (position[i, 1, e] - py)
        fz -= stiff * weight * (position[i, 2, e] - pz)
    if frames:
        s = r - 1 if before[r, e] > 0 else r
        i = r + 1 if after[r, e] > 0 else r
        back, ahead = 1.0 if before[r, e] > 0 else 0.0, 1.0 if after[r, e] > 0 else 0.0
        fx += slope[r, 3, e] - slope[r, 0, e] + ahead * slope[i, 0, e] - back * slope[s, 3, e]
        fy += slope[r, 4, e] - slope[r, 1, e] + ahead * slope[i, 1, e] - back * slope[s, 4, e]
        fz += slope[r, 5, e] - slope[r, 2, e] + ahead * slope[i, 2, e] - back * slope[s, 5, e]
    stiffness = contact_stiffness(mass[v, e], rate)
    for slot in range(SLOTS):
        t = surface[v, e] * SLOTS + slot
        nx, ny, nz = normal[t, 0, e], normal[t, 1, e], normal[t, 2, e]
        push, grip, more, tx, ty, tz, _ = contact_force(
            pair[t, e] >= 0, stiffness, load[t, e], friction[t, e], nx, ny, nz,
            px - anchor[t, 0, e], py - anchor[t, 1, e], pz - anchor[t, 2, e],
        )  # fmt: skip
        fx, fy, fz = fx + push * nx - grip * tx, fy + push * ny - grip * ty, fz + push * nz - grip * tz
        even += grip
        xx, xy, xz = xx + more * nx * nx, xy + more * nx * ny, xz + more * nx * nz
        yy, yz, zz = yy + more * ny * ny, yz + more * ny * nz, zz + more * nz * nz
    if touching[v, e] >= 0:
        fx, fy, fz = fx + touch[v, 0, e], fy + touch[v, 1, e], fz + touch[v, 2, e]
        xx, xy, xz = xx + resists[v, 0, e], xy + resists[v, 1, e], xz + resists[v, 2, e]
        yy, yz, zz = yy + resists[v, 3, e], yz + resists[v, 4, e], zz + resists[v, 5, e]
    a = max(tied[v, e], 0)
    hold = contact_stiffness(tie_mass[a, e], rate)
    ux, uy, uz, more = attachment_force(
        tied[v, e] >= 0 and mode[a, e] == ON, hold, px - tie_anchor[a, 0, e], py - tie_anchor[a, 1, e],
        pz - tie_anchor[a, 2, e], tie_load[a, 0, e], tie_load[a, 1, e], tie_load[a, 2, e],
    )  # fmt: skip
    fx, fy, fz, even = fx + ux, fy + uy, fz + uz, even + more
    bent = steady[n, e] * bend[r, 1, e]
    tie[r, 0, e], tie[r, 3, e], tie[r, 5, e] = t0 + bent, t3 + bent, t5 + bent
    tie[r, 1, e], tie[r, 2, e], tie[r, 4, e] = t1, t2, t4
    far[r, e] = steady[n, e] * bend[r, 2, e]
    force[r, 0, e], force[r, 1, e], force[r, 2, e] = fx, fy, fz
    own[r, 0, e], own[r, 1, e], own[r, 2, e] = even + xx, xy, xz
    own[r, 3, e], own[r, 4, e], own[r, 5, e] = even + yy, yz, even + zz


@system(over=Rope, phase="deform_rope")
def solve_rope(
    n,
    e,
    first=read(RopeTopology.first),
    end=read(RopeTopology.end),
    node=read(RopeNodeTopology.node),
    own=read(RopeSystem.own),
    tie=read(RopeSystem.tie),
    far=read(RopeSystem.far),
    held=read(NodeTarget.held),
    force=update(RopeSystem.force),
    inverse=update(RopeSystem.inverse),
    next=update(RopeSystem.next),
    position=update(NodeState.position),
):
    """Eliminate node after node from one end, then move them from the other.

    What eliminated nodes take from the next two is carried along: D of the next one's block, B of that between the two,
    E of the block of the one after. Nodes that the user holds have an inverse of 0, so they neither move nor pass on.
    """
    d = local(6)
    b = local(9)
    f = local(6)
    g = local(9)  # inverse times block with the next node
    for k in range(6):
        d[k] = 0.0
        f[k] = 0.0
    for k in range(9):
        b[k] = 0.0
    ax, ay, az, bx, by, bz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # what is added to the forces on the next two
    for r in range(first[n, e], end[n, e]):
        free = held[node[r, e], e] == 0
        xx, xy, xz = own[r, 0, e] - d[0], own[r, 1, e] - d[1], own[r, 2, e] - d[2]
        yy, yz, zz = own[r, 3, e] - d[3], own[r, 4, e] - d[4], own[r, 5, e] - d[5]
        size = 1.0 / (xx + yy + zz)
        xx, xy, xz, yy, yz, zz = size * xx, size * xy, size * xz, size * yy, size * yz, size * zz
        p, q, s = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
        t, u, w = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
        scale = size / (xx * p + xy * q + xz * s)
        scale = scale if free else 0.0
        p, q, s, t, u, w = scale * p, scale * q, scale * s, scale * t, scale * u, scale * w
        inverse[r, 0, e], inverse[r, 1, e], inverse[r, 2, e] = p, q, s
        inverse[r, 3, e], inverse[r, 4, e], inverse[r, 5, e] = t, u, w
        b0, b1, b2 = tie[r, 0, e] - b[0], tie[r, 1, e] - b[1], tie[r, 2, e] - b[2]
        b3, b4, b5 = tie[r, 1, e] - b[3], tie[r, 3, e] - b[4], tie[r, 4, e] - b[5]
        b6, b7, b8 = tie[r, 2, e] - b[6], tie[r, 4, e] - b[7], tie[r, 5, e] - b[8]
        next[r, 0, e], next[r, 1, e], next[r, 2, e] = b0, b1, b2
        next[r, 3, e], next[r, 4, e], next[r, 5, e] = b3, b4, b5
        next[r, 6, e], next[r, 7, e], next[r, 8, e] = b6, b7, b8
        g[0], g[1], g[2] = p * b0 + q * b3 + s * b6, p * b1 + q * b4 + s * b7, p * b2 + q * b5 + s * b8
        g[3], g[4], g[5] = q * b0 + t * b3 + u * b6, q * b1 + t * b4 + u * b7, q * b2 + t * b5 + u * b8
        g[6], g[7], g[8] = s * b0 + u * b3 + w * b6, s * b1 + u * b4 + w * b7, s * b2 + u * b5 + w * b8
        c = far[r, e]
        d[0] = f[0] + b0 * g[0] + b3 * g[3] + b6 * g[6]
        d[1] = f[1] + b0 * g[1] + b3 * g[4] + b6 * g[7]
        d[2] = f[2] + b0 * g[2] + b3 * g[5] + b6 * g[8]
        d[3] = f[3] + b1 * g[1] + b4 * g[4] + b7 * g[7]
        d[4] = f[4] + b1 * g[2] + b4 * g[5] + b7 * g[8]
        d[5] = f[5] + b2 * g[2] + b5 * g[5] + b8 * g[8]
        for i in range(3):
            for j in range(3):
                b[3 * i + j] = c * g[3 * j + i]
        f[0], f[1], f[2], f[3], f[4], f[5] = c * c * p, c * c * q, c * c * s, c * c * t, c * c * u, c * c * w
        fx, fy, fz = force[r, 0, e] - ax, force[r, 1, e] - ay, force[r, 2, e] - az
        force[r, 0, e], force[r, 1, e], force[r, 2, e] = fx, fy, fz
        vx, vy, vz = p * fx + q * fy + s * fz, q * fx + t * fy + u * fz, s * fx + u * fy + w * fz
        ax, ay, az = (
            bx + b0 * vx + b3 * vy + b6 * vz,
            by + b1 * vx + b4 * vy + b7 * vz,
            bz + b2 * vx + b5 * vy + b8 * vz,
        )
        bx, by, bz = c * vx, c * vy, c * vz
    ax, ay, az, bx, by, bz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # how far the next two go
    count = end[n, e] - first[n, e]
    for k in range(count):
        r = end[n, e] - 1 - k
        v = node[r, e]
        c = far[r, e]
        fx = force[r, 0, e] - (next[r, 0, e] * ax + next[r, 1, e] * ay + next[r, 2, e] * az) - c * bx
        fy = force[r, 1, e] - (next[r, 3, e] * ax + next[r, 4, e] * ay + next[r, 5, e] * az) - c * by
        fz = force[r, 2, e] - (next[r, 6, e] * ax + next[r, 7, e] * ay + next[r, 8, e] * az) - c * bz
        p, q, s = inverse[r, 0, e], inverse[r, 1, e], inverse[r, 2, e]
        t, u, w = inverse[r, 3, e], inverse[r, 4, e], inverse[r, 5, e]
        bx, by, bz = ax, ay, az
        ax, ay, az = p * fx + q * fy + s * fz, q * fx + t * fy + u * fz, s * fx + u * fy + w * fz
        position[v, 0, e] += ax
        position[v, 1, e] += ay
        position[v, 2, e] += az
