"""A body as a rigid one: small steps move it to where its momentum and its contacts as a whole belong.

Sweeps hand forces on from node to node, so in a few of them a stiff body hardly notices that its other end has hit the
ground, and Gauss-Seidel that has not come to its end keeps no momentum. So after the sweeps of a small step each body
makes one Newton step among its rigid motions, on which elastic forces do nothing: the sums of inertia and contact
forces, and of their derivatives, are all that it takes. Then the momentum of the small step is right whatever is left
of the rest. Bodies of which the user holds nodes do without.
"""

import math

from phalanx.components import (
    AttachedNode,
    Deformable,
    DeformableModes,
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
    SurfaceNodeModel,
)
from phalanx.components.node_attachment import ON
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import function, read, real, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.attachments import attachment_force
from phalanx.systems.deformable.contact_force import contact_force, contact_stiffness

THIN = 1e-6
"""As of :mod:`phalanx.systems.deformable.momentum`."""


@system(over=NodeGroup, phase="deform_modes", in_step=True, sums=True)
def sum_groups(
    g,
    e,
    first=read(NodeGroupTopology.first_node),
    end=read(NodeGroupTopology.end_tied),
    inert=read(NodeGroupTopology.inert),
    surface=read(NodeTopology.surface),
    mass=read(NodeModel.mass),
    firmness=read(SurfaceNodeModel.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    goal=read(NodeStep.goal),
    target=read(NodeTarget.held),
    pair=read(NodeContactState.pair),
    load=read(NodeContactState.load),
    normal=read(NodeContactPoint.normal),
    anchor=read(NodeContactPoint.anchor),
    friction=read(NodeContactPoint.friction),
    tied=read(AttachedNode.attachment),
    tie_mass=read(NodeAttachmentTopology.mass),
    mode=read(NodeAttachmentState.mode),
    tie_load=read(NodeAttachmentState.load),
    tie_anchor=read(NodeAttachmentPoint.anchor),
    position=read(NodeState.position),
    inertia=write(NodeGroupSums.inertia),
    force=write(NodeGroupSums.force),
    held=write(NodeGroupSums.held),
    middle=write(NodeGroupSums.middle),
):
    """Forces on rigid motions, and their derivatives, over a group's nodes."""
    rate = real(count[0, e]) / h[0, e]
    fx, fy, fz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    s, sx, sy, sz = 0.0, 0.0, 0.0, 0.0
    sxx, sxy, sxz, syy, syz, szz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    a00, a01, a02, a03, a04, a05 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    a11, a12, a13, a14, a15 = 0.0, 0.0, 0.0, 0.0, 0.0
    a22, a23, a24, a25 = 0.0, 0.0, 0.0, 0.0
    a33, a34, a35, a44, a45, a55 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    fixed, w, wx, wy, wz = 0.0, 0.0, 0.0, 0.0, 0.0
    for v in range(first[g, e], end[g, e]):
        own = inert[g, e] * mass[v, e]
        m = own * rate * rate
        x, y, z = position[v, 0, e], position[v, 1, e], position[v, 2, e]
        px, py, pz = m * (goal[v, 0, e] - x), m * (goal[v, 1, e] - y), m * (goal[v, 2, e] - z)
        fixed += 1.0 if target[v, e] != 0 else 0.0
        w, wx, wy, wz = w + own, wx + own * x, wy + own * y, wz + own * z
        a = max(tied[v, e], 0)
        hold = contact_stiffness(tie_mass[a, e], rate)
        ux, uy, uz, more = attachment_force(
            tied[v, e] >= 0 and mode[a, e] == ON, hold, x - tie_anchor[a, 0, e], y - tie_anchor[a, 1, e],
            z - tie_anchor[a, 2, e], tie_load[a, 0, e], tie_load[a, 1, e], tie_load[a, 2, e],
        )  # fmt: skip
        px, py, pz, m = px + ux, py + uy, pz + uz, m + more
        if surface[v, e] >= 0:
            for k in range(SLOTS):
                c = surface[v, e] * SLOTS + k
                nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                push, across, more, tx, ty, tz, _ = contact_force(
                    pair[c, e] >= 0, contact_stiffness(firmness[surface[v, e], e], rate), load[c, e], friction[c, e],
                    nx, ny, nz, x - anchor[c, 0, e], y - anchor[c, 1, e], z - anchor[c, 2, e],
                )  # fmt: skip
                px += push * nx - across * tx
                py += push * ny - across * ty
                pz += push * nz - across * tz
                m += across
                ux, uy, uz = cross(x, y, z, nx, ny, nz)
                a00 += more * nx * nx
                a01 += more * nx * ny
                a02 += more * nx * nz
                a03 += more * nx * ux
                a04 += more * nx * uy
                a05 += more * nx * uz
                a11 += more * ny * ny
                a12 += more * ny * nz
                a13 += more * ny * ux
                a14 += more * ny * uy
                a15 += more * ny * uz
                a22 += more * nz * nz
                a23 += more * nz * ux
                a24 += more * nz * uy
                a25 += more * nz * uz
                a33 += more * ux * ux
                a34 += more * ux * uy
                a35 += more * ux * uz
                a44 += more * uy * uy
                a45 += more * uy * uz
                a55 += more * uz * uz
        ux, uy, uz = cross(x, y, z, px, py, pz)
        fx, fy, fz, lx, ly, lz = fx + px, fy + py, fz + pz, lx + ux, ly + uy, lz + uz
        s, sx, sy, sz = s + m, sx + m * x, sy + m * y, sz + m * z
        sxx, sxy, sxz = sxx + m * x * x, sxy + m * x * y, sxz + m * x * z
        syy, syz, szz = syy + m * y * y, syz + m * y * z, szz + m * z * z
    inertia[g, 0, e], inertia[g, 1, e], inertia[g, 2, e] = a00 + s, a01, a02
    inertia[g, 3, e], inertia[g, 4, e], inertia[g, 5, e] = a03, a04 + sz, a05 - sy
    inertia[g, 6, e], inertia[g, 7, e] = a11 + s, a12
    inertia[g, 8, e], inertia[g, 9, e], inertia[g, 10, e] = a13 - sz, a14, a15 + sx
    inertia[g, 11, e] = a22 + s
    inertia[g, 12, e], inertia[g, 13, e], inertia[g, 14, e] = a23 + sy, a24 - sx, a25
    inertia[g, 15, e], inertia[g, 16, e], inertia[g, 17, e] = a33 + syy + szz, a34 - sxy, a35 - sxz
    inertia[g, 18, e], inertia[g, 19, e] = a44 + sxx + szz, a45 - syz
    inertia[g, 20, e] = a55 + sxx + syy
    force[g, 0, e], force[g, 1, e], force[g, 2, e] = fx, fy, fz
    force[g, 3, e], force[g, 4, e], force[g, 5, e] = lx, ly, lz
    held[g, e] = int(fixed)
    middle[g, 0, e], middle[g, 1, e], middle[g, 2, e], middle[g, 3, e] = w, wx, wy, wz


@function
def solve_six(matrix, x):
    """Solve a symmetric positive definite system of six by Cholesky's method, in place.

    Args:
        matrix: 36 numbers, of which the lower triangle counts, and is overwritten.
        x: the right-hand side, then the solution.
    """
    for j in range(6):
        d = matrix[7 * j]
        for k in range(j):
            d -= matrix[6 * j + k] * matrix[6 * j + k]
        d = 1.0 / math.sqrt(d)
        matrix[7 * j] = d
        for i in range(j + 1, 6):
            s = matrix[6 * i + j]
            for k in range(j):
                s -= matrix[6 * i + k] * matrix[6 * j + k]
            matrix[6 * i + j] = s * d
    for i in range(6):
        s = x[i]
        for k in range(i):
            s -= matrix[6 * i + k] * x[k]
        x[i] = s * matrix[7 * i]
    for i in range(5, -1, -1):
        s = x[i]
        for k in range(i + 1, 6):
            s -= matrix[6 * k + i] * x[k]
        x[i] = s * matrix[7 * i]


@function
def solve_six_in_registers(
    a00, a01, a02, a03, a04, a05, a11, a12, a13, a14, a15,
    a22, a23, a24, a25, a33, a34, a35, a44, a45, a55,
    x0, x1, x2, x3, x4, x5,
):  # fmt: skip
    """What :func:`solve_six` finds, of the upper triangle and the right-hand side as numbers: it needs no memory."""
    a00 = 1.0 / math.sqrt(a00)
    a01 = a01 * a00
    a02 = a02 * a00
    a03 = a03 * a00
    a04 = a04 * a00
    a05 = a05 * a00
    a11 = 1.0 / math.sqrt(a11 - a01 * a01)
    a12 = (a12 - a02 * a01) * a11
    a13 = (a13 - a03 * a01) * a11
    a14 = (a14 - a04 * a01) * a11
    a15 = (a15 - a05 * a01) * a11
    a22 = 1.0 / math.sqrt(a22 - a02 * a02 - a12 * a12)
    a23 = (a23 - a03 * a02 - a13 * a12) * a22
    a24 = (a24 - a04 * a02 - a14 * a12) * a22
    a25 = (a25 - a05 * a02 - a15 * a12) * a22
    a33 = 1.0 / math.sqrt(a33 - a03 * a03 - a13 * a13 - a23 * a23)
    a34 = (a34 - a04 * a03 - a14 * a13 - a24 * a23) * a33
    a35 = (a35 - a05 * a03 - a15 * a13 - a25 * a23) * a33
    a44 = 1.0 / math.sqrt(a44 - a04 * a04 - a14 * a14 - a24 * a24 - a34 * a34)
    a45 = (a45 - a05 * a04 - a15 * a14 - a25 * a24 - a35 * a34) * a44
    a55 = 1.0 / math.sqrt(a55 - a05 * a05 - a15 * a15 - a25 * a25 - a35 * a35 - a45 * a45)
    x0 = x0 * a00
    x1 = (x1 - a01 * x0) * a11
    x2 = (x2 - a02 * x0 - a12 * x1) * a22
    x3 = (x3 - a03 * x0 - a13 * x1 - a23 * x2) * a33
    x4 = (x4 - a04 * x0 - a14 * x1 - a24 * x2 - a34 * x3) * a44
    x5 = (x5 - a05 * x0 - a15 * x1 - a25 * x2 - a35 * x3 - a45 * x4) * a55
    x5 = x5 * a55
    x4 = (x4 - a45 * x5) * a44
    x3 = (x3 - a34 * x4 - a35 * x5) * a33
    x2 = (x2 - a23 * x3 - a24 * x4 - a25 * x5) * a22
    x1 = (x1 - a12 * x2 - a13 * x3 - a14 * x4 - a15 * x5) * a11
    x0 = (x0 - a01 * x1 - a02 * x2 - a03 * x3 - a04 * x4 - a05 * x5) * a00
    return x0, x1, x2, x3, x4, x5


@system(over=Deformable, phase="deform_modes", sums=True)
def solve_modes(
    b,
    e,
    first=read(DeformableTopology.first_sum),
    end=read(DeformableTopology.end_sum),
    loose=read(DeformableTopology.loose),
    inertia=read(NodeGroupSums.inertia),
    force=read(NodeGroupSums.force),
    held=read(NodeGroupSums.held),
    sums=read(NodeGroupSums.middle),
    middle=update(DeformableModes.middle),
    ahead=update(DeformableModes.ahead),
    move=update(DeformableModes.move),
    broken=update(DeformableModes.broken),
):
    """The Newton step of each body, from the sums of its groups in their order."""
    stop = first[b, e] if loose[b, e] != 0 else end[b, e]
    a00, a01, a02, a03, a04, a05 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    a11, a12, a13, a14, a15 = 0.0, 0.0, 0.0, 0.0, 0.0
    a22, a23, a24, a25 = 0.0, 0.0, 0.0, 0.0
    a33, a34, a35 = 0.0, 0.0, 0.0
    a44, a45 = 0.0, 0.0
    a55 = 0.0
    x0, x1, x2, x3, x4, x5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    fixed, w, wx, wy, wz = 0.0, 0.0, 0.0, 0.0, 0.0
    for g in range(first[b, e], stop):
        w, wx, wy, wz = w + sums[g, 0, e], wx + sums[g, 1, e], wy + sums[g, 2, e], wz + sums[g, 3, e]
        x0 += force[g, 0, e]
        x1 += force[g, 1, e]
        x2 += force[g, 2, e]
        x3 += force[g, 3, e]
        x4 += force[g, 4, e]
        x5 += force[g, 5, e]
        a00 += inertia[g, 0, e]
        a01 += inertia[g, 1, e]
        a02 += inertia[g, 2, e]
        a03 += inertia[g, 3, e]
        a04 += inertia[g, 4, e]
        a05 += inertia[g, 5, e]
        a11 += inertia[g, 6, e]
        a12 += inertia[g, 7, e]
        a13 += inertia[g, 8, e]
        a14 += inertia[g, 9, e]
        a15 += inertia[g, 10, e]
        a22 += inertia[g, 11, e]
        a23 += inertia[g, 12, e]
        a24 += inertia[g, 13, e]
        a25 += inertia[g, 14, e]
        a33 += inertia[g, 15, e]
        a34 += inertia[g, 16, e]
        a35 += inertia[g, 17, e]
        a44 += inertia[g, 18, e]
        a45 += inertia[g, 19, e]
        a55 += inertia[g, 20, e]
        fixed += real(held[g, e])
    if loose[b, e] != 0:
        for k in range(6):
            move[b, k, e] = 0.0
    else:
        least = THIN * (a33 + a44 + a55)
        x0, x1, x2, x3, x4, x5 = solve_six_in_registers(
            a00, a01, a02, a03, a04, a05, a11, a12, a13, a14, a15, a22, a23, a24, a25,
            a33 + least, a34, a35, a44 + least, a45, a55 + least, x0, x1, x2, x3, x4, x5,
        )  # fmt: skip
        finite = (x0 - x0) + (x1 - x1) + (x2 - x2) + (x3 - x3) + (x4 - x4) + (x5 - x5)
        sound = finite == 0.0
        moves = sound and fixed == 0.0
        ux, uy, uz = x0 if moves else 0.0, x1 if moves else 0.0, x2 if moves else 0.0
        vx, vy, vz = x3 if moves else 0.0, x4 if moves else 0.0, x5 if moves else 0.0
        move[b, 0, e], move[b, 1, e], move[b, 2, e] = ux, uy, uz
        move[b, 3, e], move[b, 4, e], move[b, 5, e] = vx, vy, vz
        for k in range(3):
            middle[b, k, e] = ahead[b, k, e]
        wx, wy, wz = wx / w, wy / w, wz / w
        tx, ty, tz = cross(vx, vy, vz, wx, wy, wz)
        ahead[b, 0, e] = wx + ux + tx
        ahead[b, 1, e] = wy + uy + ty
        ahead[b, 2, e] = wz + uz + tz
        broken[b, e] = 0 if sound else 1


@system(over=Node, phase="deform_modes")
def move_nodes(
    v,
    e,
    body=read(NodeTopology.body),
    held=read(NodeTarget.held),
    move=read(DeformableModes.move),
    position=update(NodeState.position),
):
    """Move the body."""
    b = body[v, e]
    x, y, z = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    ux, uy, uz = cross(move[b, 3, e], move[b, 4, e], move[b, 5, e], x, y, z)
    free = held[v, e] == 0
    position[v, 0, e] = x + (move[b, 0, e] + ux) if free else x
    position[v, 1, e] = y + (move[b, 1, e] + uy) if free else y
    position[v, 2, e] = z + (move[b, 2, e] + uz) if free else z
