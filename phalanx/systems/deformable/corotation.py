"""Corotational elasticity: the strain of an element is what is left of it when it is turned back.

The energy is (Stomakhin, Howes, Schroeder and Teran, Energetically consistent invertible elasticity, 2012)::

    mu |F - R|^2 + lambda / 2 (J - 1)^2,    J = det F

of the deformation gradient F and the rotation R next to it, per volume where nothing is strained; mu and lambda are
Lame's parameters, and small strains are linear elasticity. For a fixed R it is that of
:mod:`phalanx.systems.deformable.elasticity` with other constants, and a force 2 mu R on top, which is what is computed
here. R is the one that makes the energy least, so with the R of where nodes are, the energy of a fixed R is nowhere
below the true one and touches it there: a sweep that goes to its minimum lowers the true one, too.
"""

import math

from phalanx.components import (
    CornerShape,
    CornerTopology,
    CorotatedCorner,
    CorotatedCornerShape,
    CorotatedNode,
    DampedNodeForce,
    DeformableElasticity,
    Node,
    NodeDamping,
    NodeOrder,
    NodeState,
    NodeTopology,
)
from phalanx.ecs import function, read, start, system, update

FLAT = 1e-12
"""Squares of lengths below this share of all are taken for nought."""

SAFE = 0.1
"""Share of the size of a matrix that the second derivative of Newton steps is above nought, at least."""


@function
def closer(f00, f01, f02, f10, f11, f12, f20, f21, f22, scale, r00, r01, r02, r10, r11, r12, r20, r21, r22):
    """A Newton step from a rotation R towards the one next to F, whose numbers' squares add to that of ``scale``."""
    m00, m01, m02 = (
        r00 * f00 + r10 * f10 + r20 * f20,
        r00 * f01 + r10 * f11 + r20 * f21,
        r00 * f02 + r10 * f12 + r20 * f22,
    )
    m10, m11, m12 = (
        r01 * f00 + r11 * f10 + r21 * f20,
        r01 * f01 + r11 * f11 + r21 * f21,
        r01 * f02 + r11 * f12 + r21 * f22,
    )
    m20, m21, m22 = (
        r02 * f00 + r12 * f10 + r22 * f20,
        r02 * f01 + r12 * f11 + r22 * f21,
        r02 * f02 + r12 * f12 + r22 * f22,
    )
    gx, gy, gz = m21 - m12, m02 - m20, m10 - m01
    b, c, e = -0.5 * (m01 + m10), -0.5 * (m02 + m20), -0.5 * (m12 + m21)
    size = math.sqrt(m00 * m00 + m11 * m11 + m22 * m22 + 2.0 * (b * b + c * c + e * e))
    more = max(SAFE * scale + size - (m00 + m11 + m22), 0.0)
    a, d, i = m11 + m22 + more, m00 + m22 + more, m00 + m11 + more
    p, q, s = d * i - e * e, c * e - b * i, b * e - c * d
    t, u, v = a * i - c * c, b * c - a * e, a * d - b * b
    whole = a * p + b * q + c * s
    share = 0.5 / whole  # half of the turn: of the quaternion (1, x, y, z)
    x = share * (p * gx + q * gy + s * gz)
    y = share * (q * gx + t * gy + u * gz)
    z = share * (s * gx + u * gy + v * gz)
    w = 2.0 / (1.0 + x * x + y * y + z * z)
    t00, t01, t02 = 1.0 - w * (y * y + z * z), w * (x * y - z), w * (x * z + y)
    t10, t11, t12 = w * (x * y + z), 1.0 - w * (x * x + z * z), w * (y * z - x)
    t20, t21, t22 = w * (x * z - y), w * (y * z + x), 1.0 - w * (x * x + y * y)
    r00, r01, r02 = (
        r00 * t00 + r01 * t10 + r02 * t20,
        r00 * t01 + r01 * t11 + r02 * t21,
        r00 * t02 + r01 * t12 + r02 * t22,
    )
    r10, r11, r12 = (
        r10 * t00 + r11 * t10 + r12 * t20,
        r10 * t01 + r11 * t11 + r12 * t21,
        r10 * t02 + r11 * t12 + r12 * t22,
    )
    r20, r21, r22 = (
        r20 * t00 + r21 * t10 + r22 * t20,
        r20 * t01 + r21 * t11 + r22 * t21,
        r20 * t02 + r21 * t12 + r22 * t22,
    )
    return r00, r01, r02, r10, r11, r12, r20, r21, r22


@function
def next_to(f00, f01, f02, f10, f11, f12, f20, f21, f22):
    """The rotation R next to a matrix F, that with the greatest trace of R^T F, row by row.

    It begins with the columns of F made orthonormal, and goes uphill in five steps of Newton's method, always as many,
    so that environments are lanes of one loop. With stretches of a third they come to rounding; elements that are
    turned over or pressed flat may need more. Also those get a rotation; if two of their stretches are alike but for
    the sign, many are next to F.
    """
    total = f00 * f00 + f10 * f10 + f20 * f20 + f01 * f01 + f11 * f11 + f21 * f21
    total += f02 * f02 + f12 * f12 + f22 * f22 + 1e-30
    least = FLAT * total
    square = f00 * f00 + f10 * f10 + f20 * f20
    empty = square <= least
    size = 1.0 / math.sqrt(1.0 if empty else square)
    r00, r10, r20 = 1.0 if empty else size * f00, 0.0 if empty else size * f10, 0.0 if empty else size * f20
    along = r00 * f01 + r10 * f11 + r20 * f21
    r01, r11, r21 = f01 - along * r00, f11 - along * r10, f21 - along * r20
    empty = r01 * r01 + r11 * r11 + r21 * r21 <= least
    aside = math.fabs(r00) < 0.7  # any axis across the first one
    r01 = (0.0 if aside else -r20) if empty else r01
    r11 = (r20 if aside else 0.0) if empty else r11
    r21 = (-r10 if aside else r00) if empty else r21
    size = 1.0 / math.sqrt(r01 * r01 + r11 * r11 + r21 * r21)
    r01, r11, r21 = size * r01, size * r11, size * r21
    r02, r12, r22 = r10 * r21 - r20 * r11, r20 * r01 - r00 * r21, r00 * r11 - r10 * r01
    scale = math.sqrt(total)
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = closer(
        f00, f01, f02, f10, f11, f12, f20, f21, f22, scale, r00, r01, r02, r10, r11, r12, r20, r21, r22
    )
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = closer(
        f00, f01, f02, f10, f11, f12, f20, f21, f22, scale, r00, r01, r02, r10, r11, r12, r20, r21, r22
    )
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = closer(
        f00, f01, f02, f10, f11, f12, f20, f21, f22, scale, r00, r01, r02, r10, r11, r12, r20, r21, r22
    )
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = closer(
        f00, f01, f02, f10, f11, f12, f20, f21, f22, scale, r00, r01, r02, r10, r11, r12, r20, r21, r22
    )
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = closer(
        f00, f01, f02, f10, f11, f12, f20, f21, f22, scale, r00, r01, r02, r10, r11, r12, r20, r21, r22
    )
    return r00, r01, r02, r10, r11, r12, r20, r21, r22


@function
def turned_gradient(ax, ay, az, bx, by, bz, cx, cy, cz, h00, h01, h02, h10, h11, h12, h20, h21, h22):
    """R g of a tetrahedron as one of its nodes sees it: its rotation, times the gradient of the node's shape function.

    Args:
        ax to cz: the other nodes, from this one.
        h00 to h22: CorotatedCornerShape.inverse.
    """
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = next_to(
        ax * h00 + bx * h10 + cx * h20, ax * h01 + bx * h11 + cx * h21, ax * h02 + bx * h12 + cx * h22,
        ay * h00 + by * h10 + cy * h20, ay * h01 + by * h11 + cy * h21, ay * h02 + by * h12 + cy * h22,
        az * h00 + bz * h10 + cz * h20, az * h01 + bz * h11 + cz * h21, az * h02 + bz * h12 + cz * h22,
    )  # fmt: skip
    gx, gy, gz = -(h00 + h10 + h20), -(h01 + h11 + h21), -(h02 + h12 + h22)
    return r00 * gx + r01 * gy + r02 * gz, r10 * gx + r11 * gy + r12 * gz, r20 * gx + r21 * gy + r22 * gz


@system(over=Node, phase="deform_forces", needs=CorotatedCorner, in_step=True)
def corotate_nodes(
    n,
    e,
    first=start(),
    order=read(NodeOrder.node),
    row=read(NodeDamping.row),
    body=read(NodeTopology.body),
    begin=read(NodeTopology.first_corner),
    end=read(NodeTopology.end_corner),
    first_corner=read(CorotatedNode.first),
    others=read(CornerTopology.others),
    volume=read(CornerShape.rest),
    inverse=read(CorotatedCornerShape.inverse),
    shear=read(DeformableElasticity.shear),
    position=read(NodeState.position),
    force=update(DampedNodeForce.force),
):
    """Of one colour: what the rotations of elements do to their nodes."""
    v = order[first + n, e]
    d = row[v, e]
    px, py, pz = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    twice = shear[body[v, e], e]  # 2 mu
    fx, fy, fz = 0.0, 0.0, 0.0
    has = d >= 0 and first_corner[max(d, 0), e] >= 0
    for c in range(begin[v, e], end[v, e] if has else begin[v, e]):
        s = first_corner[max(d, 0), e] + (c - begin[v, e])
        i, j, k = others[c, 0, e], others[c, 1, e], others[c, 2, e]
        gx, gy, gz = turned_gradient(
            position[i, 0, e] - px, position[i, 1, e] - py, position[i, 2, e] - pz,
            position[j, 0, e] - px, position[j, 1, e] - py, position[j, 2, e] - pz,
            position[k, 0, e] - px, position[k, 1, e] - py, position[k, 2, e] - pz,
            inverse[s, 0, e], inverse[s, 1, e], inverse[s, 2, e], inverse[s, 3, e], inverse[s, 4, e],
            inverse[s, 5, e], inverse[s, 6, e], inverse[s, 7, e], inverse[s, 8, e],
        )  # fmt: skip
        size = volume[c, e] / 6.0
        fx += size * gx
        fy += size * gy
        fz += size * gz
    if has:
        force[d, 0, e] += twice * fx
        force[d, 1, e] += twice * fy
        force[d, 2, e] += twice * fz
