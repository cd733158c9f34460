"""Damping of elastic motion: stress that a rate of strain makes, as of Kelvin and Voigt.

The stress is that of linear elasticity under the strain rate times a time. In a small step from F0 to F the rate of
Green's strain is taken as the symmetric part of F0^T (F - F0) / h, which vanishes for every small turn of the body:
neither its motion nor its spin is damped. It is linear in the places of nodes, so what is dissipated is a convex
function of them that is part of what a sweep minimises.
"""

from phalanx.components import (
    CornerShape,
    CornerTopology,
    DampedCornerShape,
    DampedNode,
    DampedNodeForce,
    DampedNodeTopology,
    DeformableDamping,
    DeformableElasticity,
    DeformableSettings,
    Node,
    NodeDamping,
    NodeOrder,
    NodeState,
    NodeStep,
    NodeTopology,
    Settings,
)
from phalanx.ecs import function, read, real, start, system, write


@function
def by_shape(a, b, c, h00, h01, h02, h10, h11, h12, h20, h21, h22):
    """A row of a gradient: what three nodes have along an axis beside this one, times the inverse shape at rest."""
    return a * h00 + b * h10 + c * h20, a * h01 + b * h11 + c * h21, a * h02 + b * h12 + c * h22


@system(over=Node, phase="deform_forces", needs=DampedNode, in_step=True)
def damp_nodes(
    n,
    e,
    first=start(),
    order=read(NodeOrder.node),
    row=read(NodeDamping.row),
    body=read(NodeTopology.body),
    begin=read(NodeTopology.first_corner),
    end=read(NodeTopology.end_corner),
    first_damped=read(DampedNodeTopology.first),
    others=read(CornerTopology.others),
    volume=read(CornerShape.rest),
    inverse=read(DampedCornerShape.inverse),
    lag=read(DeformableDamping.elasticity),
    second_lame=read(DeformableElasticity.mu),
    first_lame=read(DeformableElasticity.first_lame),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    before=read(NodeStep.start),
    position=read(NodeState.position),
    force=write(DampedNodeForce.force),
    stiffness=write(DampedNodeForce.stiffness),
):
    """Of one colour: what damping does, where all nodes are."""
    v = order[first + n, e]
    d, b = row[v, e], body[v, e]
    share = lag[b, e] * real(count[0, e]) / h[0, e]
    mu, volumetric = share * second_lame[b, e], share * first_lame[b, e]
    x, y, z = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    ox, oy, oz = before[v, 0, e], before[v, 1, e], before[v, 2, e]
    fx, fy, fz = 0.0, 0.0, 0.0
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    has = d >= 0 and first_damped[max(d, 0), e] >= 0
    for c in range(begin[v, e], end[v, e] if has else begin[v, e]):
        s = first_damped[max(d, 0), e] + (c - begin[v, e])
        i, j, k = others[c, 0, e], others[c, 1, e], others[c, 2, e]
        h00, h01, h02 = inverse[s, 0, e], inverse[s, 1, e], inverse[s, 2, e]
        h10, h11, h12 = inverse[s, 3, e], inverse[s, 4, e], inverse[s, 5, e]
        h20, h21, h22 = inverse[s, 6, e], inverse[s, 7, e], inverse[s, 8, e]
        ax, ay, az = before[i, 0, e] - ox, before[i, 1, e] - oy, before[i, 2, e] - oz  # the others, when it began
        bx, by, bz = before[j, 0, e] - ox, before[j, 1, e] - oy, before[j, 2, e] - oz
        cx, cy, cz = before[k, 0, e] - ox, before[k, 1, e] - oy, before[k, 2, e] - oz
        f00, f01, f02 = by_shape(ax, bx, cx, h00, h01, h02, h10, h11, h12, h20, h21, h22)  # F0
        f10, f11, f12 = by_shape(ay, by, cy, h00, h01, h02, h10, h11, h12, h20, h21, h22)
        f20, f21, f22 = by_shape(az, bz, cz, h00, h01, h02, h10, h11, h12, h20, h21, h22)
        ax, ay, az = (position[i, 0, e] - x) - ax, (position[i, 1, e] - y) - ay, (position[i, 2, e] - z) - az
        bx, by, bz = (position[j, 0, e] - x) - bx, (position[j, 1, e] - y) - by, (position[j, 2, e] - z) - bz
        cx, cy, cz = (position[k, 0, e] - x) - cx, (position[k, 1, e] - y) - cy, (position[k, 2, e] - z) - cz
        r00, r01, r02 = by_shape(ax, bx, cx, h00, h01, h02, h10, h11, h12, h20, h21, h22)  # F - F0
        r10, r11, r12 = by_shape(ay, by, cy, h00, h01, h02, h10, h11, h12, h20, h21, h22)
        r20, r21, r22 = by_shape(az, bz, cz, h00, h01, h02, h10, h11, h12, h20, h21, h22)
        i00 = f00 * r00 + f10 * r10 + f20 * r20  # F0^T (F - F0), made symmetric
        i11 = f01 * r01 + f11 * r11 + f21 * r21
        i22 = f02 * r02 + f12 * r12 + f22 * r22
        i01 = (f00 * r01 + f10 * r11 + f20 * r21) + (f01 * r00 + f11 * r10 + f21 * r20)
        i02 = (f00 * r02 + f10 * r12 + f20 * r22) + (f02 * r00 + f12 * r10 + f22 * r20)
        i12 = (f01 * r02 + f11 * r12 + f21 * r22) + (f02 * r01 + f12 * r11 + f22 * r21)
        trace = volumetric * (i00 + i11 + i22)
        gx, gy, gz = -(h00 + h10 + h20), -(h01 + h11 + h21), -(h02 + h12 + h22)  # gradient of the node's shape function
        sx = mu * (2.0 * i00 * gx + i01 * gy + i02 * gz) + trace * gx
        sy = mu * (i01 * gx + 2.0 * i11 * gy + i12 * gz) + trace * gy
        sz = mu * (i02 * gx + i12 * gy + 2.0 * i22 * gz) + trace * gz
        size = volume[c, e] / 6.0
        px, py, pz = f00 * gx + f01 * gy + f02 * gz, f10 * gx + f11 * gy + f12 * gz, f20 * gx + f21 * gy + f22 * gz
        fx -= size * (f00 * sx + f01 * sy + f02 * sz)
        fy -= size * (f10 * sx + f11 * sy + f12 * sz)
        fz -= size * (f20 * sx + f21 * sy + f22 * sz)
        even, along = size * mu * (gx * gx + gy * gy + gz * gz), size * (mu + volumetric)
        xx += even * (f00 * f00 + f01 * f01 + f02 * f02) + along * px * px
        xy += even * (f00 * f10 + f01 * f11 + f02 * f12) + along * px * py
        xz += even * (f00 * f20 + f01 * f21 + f02 * f22) + along * px * pz
        yy += even * (f10 * f10 + f11 * f11 + f12 * f12) + along * py * py
        yz += even * (f10 * f20 + f11 * f21 + f12 * f22) + along * py * pz
        zz += even * (f20 * f20 + f21 * f21 + f22 * f22) + along * pz * pz
    if d >= 0:
        force[d, 0, e], force[d, 1, e], force[d, 2, e] = fx, fy, fz
        stiffness[d, 0, e], stiffness[d, 1, e], stiffness[d, 2, e] = xx, xy, xz
        stiffness[d, 3, e], stiffness[d, 4, e], stiffness[d, 5, e] = yy, yz, zz
