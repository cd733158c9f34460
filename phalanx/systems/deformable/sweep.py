"""Vertex block descent: node after node goes where the energy of the small step is least, the others fixed.

After Chen, Liu, Yang and Yuksel, Vertex block descent (ACM Transactions on Graphics 43(4), 2024). What is minimised is
the energy of an implicit Euler step: m / (2 h^2) |x - goal|^2 for each node, and what elasticity and contacts store.
Nodes of one colour do not see each other, so all of them move at once; colours are those of the mesh, the same in all
environments, and the order of colours is fixed.
"""

from phalanx.components import (
    AttachedNode,
    ClothNodeContact,
    CornerShape,
    CornerTopology,
    DampedNodeForce,
    DeformableElasticity,
    DeformableSettings,
    Node,
    NodeAttachmentPoint,
    NodeAttachmentState,
    NodeAttachmentTopology,
    NodeContactPoint,
    NodeContactState,
    NodeDamping,
    NodeModel,
    NodeOrder,
    NodeState,
    NodeStep,
    NodeTarget,
    NodeTopology,
    Settings,
)
from phalanx.components.node_attachment import ON
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import function, read, real, start, system, update
from phalanx.systems.deformable.attachments import attachment_force
from phalanx.systems.deformable.contact_force import contact_force, contact_stiffness
from phalanx.systems.deformable.elasticity import corner_force


@function
def solve_symmetric(fx, fy, fz, a, b, c, d, e, f):
    """x with [a b c; b d e; c e f] x = (fx, fy, fz), for a positive definite matrix."""
    size = 1.0 / (a + d + f)  # so that no product is too large for float32
    a, b, c, d, e, f = size * a, size * b, size * c, size * d, size * e, size * f
    p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
    s, t, u = a * f - c * c, b * c - a * e, a * d - b * b
    scale = size / (a * p + b * q + c * r)
    return (
        scale * (p * fx + q * fy + r * fz),
        scale * (q * fx + s * fy + t * fz),
        scale * (r * fx + t * fy + u * fz),
    )


@system(over=Node, phase="deform_sweep", in_step=True)
def relax_nodes(
    n,
    e,
    first=start(),
    order=read(NodeOrder.node),
    body=read(NodeTopology.body),
    begin=read(NodeTopology.first_corner),
    end=read(NodeTopology.end_corner),
    others=read(CornerTopology.others),
    weight=read(CornerShape.weight),
    inverse=read(CornerShape.inverse),
    volume=read(CornerShape.rest),
    shear=read(DeformableElasticity.shear),
    bulk=read(DeformableElasticity.bulk),
    rest=read(DeformableElasticity.rest),
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
    damped=read(NodeDamping.row),
    damps=read(DampedNodeForce.force),
    slows=read(DampedNodeForce.stiffness),
    tied=read(AttachedNode.attachment),
    tie_mass=read(NodeAttachmentTopology.mass),
    mode=read(NodeAttachmentState.mode),
    tie_load=read(NodeAttachmentState.load),
    tie_anchor=read(NodeAttachmentPoint.anchor),
    held=read(NodeTarget.held),
    position=update(NodeState.position),
):
    """One colour."""
    v = order[first + n, e]
    o = body[v, e]
    px, py, pz = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    rate = real(count[0, e]) / h[0, e]
    inertia = mass[v, e] * rate * rate
    fx = inertia * (goal[v, 0, e] - px)
    fy = inertia * (goal[v, 1, e] - py)
    fz = inertia * (goal[v, 2, e] - pz)
    even, xx, xy, xz, yy, yz, zz = inertia, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(begin[v, e], end[v, e]):
        i, j, k = others[c, 0, e], others[c, 1, e], others[c, 2, e]
        gx, gy, gz, flat, nx, ny, nz, stiff = corner_force(
            position[i, 0, e] - px, position[i, 1, e] - py, position[i, 2, e] - pz,
            position[j, 0, e] - px, position[j, 1, e] - py, position[j, 2, e] - pz,
            position[k, 0, e] - px, position[k, 1, e] - py, position[k, 2, e] - pz,
            weight[c, 0, e], weight[c, 1, e], weight[c, 2, e], inverse[c, e], volume[c, e],
            shear[o, e], bulk[o, e], rest[o, e],
        )  # fmt: skip
        fx += gx
        fy += gy
        fz += gz
        even += flat
        xx += stiff * nx * nx
        xy += stiff * nx * ny
        xz += stiff * nx * nz
        yy += stiff * ny * ny
        yz += stiff * ny * nz
        zz += stiff * nz * nz
    if surface[v, e] >= 0:
        for slot in range(SLOTS):
            t = surface[v, e] * SLOTS + slot
            nx, ny, nz = normal[t, 0, e], normal[t, 1, e], normal[t, 2, e]
            push, across, more, tx, ty, tz, _ = contact_force(
                pair[t, e] >= 0, contact_stiffness(mass[v, e], rate), load[t, e], friction[t, e], nx, ny, nz,
                px - anchor[t, 0, e], py - anchor[t, 1, e], pz - anchor[t, 2, e],
            )  # fmt: skip
            fx += push * nx - across * tx
            fy += push * ny - across * ty
            fz += push * nz - across * tz
            even += across
            xx += more * nx * nx
            xy += more * nx * ny
            xz += more * nx * nz
            yy += more * ny * ny
            yz += more * ny * nz
            zz += more * nz * nz
    if row[v, e] >= 0:
        fx += touch[v, 0, e]
        fy += touch[v, 1, e]
        fz += touch[v, 2, e]
        xx += resists[v, 0, e]
        xy += resists[v, 1, e]
        xz += resists[v, 2, e]
        yy += resists[v, 3, e]
        yz += resists[v, 4, e]
        zz += resists[v, 5, e]
    a = damped[v, e]
    if a >= 0:
        fx += damps[a, 0, e]
        fy += damps[a, 1, e]
        fz += damps[a, 2, e]
        xx += slows[a, 0, e]
        xy += slows[a, 1, e]
        xz += slows[a, 2, e]
        yy += slows[a, 3, e]
        yz += slows[a, 4, e]
        zz += slows[a, 5, e]
    a = max(tied[v, e], 0)
    hold = contact_stiffness(tie_mass[a, e], rate)
    gx, gy, gz, flat = attachment_force(
        tied[v, e] >= 0 and mode[a, e] == ON, hold, px - tie_anchor[a, 0, e], py - tie_anchor[a, 1, e],
        pz - tie_anchor[a, 2, e], tie_load[a, 0, e], tie_load[a, 1, e], tie_load[a, 2, e],
    )  # fmt: skip
    fx, fy, fz, even = fx + gx, fy + gy, fz + gz, even + flat
    dx, dy, dz = solve_symmetric(fx, fy, fz, even + xx, xy, xz, even + yy, yz, even + zz)
    free = held[v, e] == 0
    position[v, 0, e] = px + dx if free else px
    position[v, 1, e] = py + dy if free else py
    position[v, 2, e] = pz + dz if free else pz
