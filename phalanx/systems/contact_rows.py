"""Contact rows: their Jacobians, and how the robot responds to a unit impulse on each.

A row's response is (M + implicit terms)^-1 J^T, by the sparse factorisation. Lanes of a block differ in which
contacts they have, so loops over dofs run over the union of the lanes' trees; a lane without the contact carries
zeros through them.
"""

from phalanx.components import (
    ContactBlock,
    ContactCount,
    ContactJacobian,
    ContactPoint,
    ContactResponse,
    Dof,
    DofMotion,
    DofRelation,
    DofSolve,
    DofState,
    DofTopology,
    GroundPlane,
    LinkPose,
    MassFactor,
    MassTopology,
    PlanePairTopology,
)
from phalanx.ecs import read, rows, system, write
from phalanx.systems.math3d import cross


@system(phase="rows")
def contact_jacobians(
    lanes,
    nv=rows(Dof),
    plane=read(PlanePairTopology.plane),
    normal=read(GroundPlane.normal),
    tangent=read(GroundPlane.tangent),
    moves=read(DofRelation.moves),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    offset=read(LinkPose.offset),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    axis=read(DofMotion.axis),
    qd=read(DofState.velocity),
    count=read(ContactCount.current),
    shape=read(ContactPoint.shape),
    dof=read(ContactPoint.dof),
    arm=read(ContactPoint.arm),
    approach=write(ContactPoint.approach),
    jacobian=write(ContactJacobian.value),
):
    """Velocity of each contact point along normal and tangents per generalised velocity."""
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in range(most):
        low = nv
        high = 0
        for e in lanes:
            if c < count[0, e]:
                low = min(low, first[dof[c, e], 0])
                high = max(high, end[dof[c, e], 0])
        for e in lanes:
            approach[c, e] = 0.0
        for k in range(low, high):
            i = link[k, 0]
            turns = angular[k, 0] == 1
            for e in lanes:
                here = c < count[0, e]
                d = dof[c, e] if here else 0
                p = plane[shape[c, e] if here else 0, 0]
                on = 1.0 if here and moves[d * nv + k, 0] == 1 else 0.0
                nx, ny, nz = normal[p, 0, e], normal[p, 1, e], normal[p, 2, e]
                tx, ty, tz = tangent[p, 0, e], tangent[p, 1, e], tangent[p, 2, e]
                bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
                vx, vy, vz = axis[k, 0, e], axis[k, 1, e], axis[k, 2, e]
                if turns:
                    x, y, z = (
                        arm[c, 0, e] - offset[i, 0, e],
                        arm[c, 1, e] - offset[i, 1, e],
                        arm[c, 2, e] - offset[i, 2, e],
                    )
                    vx, vy, vz = cross(vx, vy, vz, x, y, z)
                along = on * (vx * nx + vy * ny + vz * nz)
                approach[c, e] += along * qd[k, e]
                jacobian[c * nv + k, 0, e] = along
                jacobian[c * nv + k, 1, e] = on * (vx * tx + vy * ty + vz * tz)
                jacobian[c * nv + k, 2, e] = on * (vx * bx + vy * by + vz * bz)


@system(phase="rows", after="contact_jacobians")
def contact_responses(
    lanes,
    nv=rows(Dof),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    factor=read(MassFactor.value),
    inverse_pivot=read(DofSolve.inverse_pivot),
    count=read(ContactCount.current),
    dof=read(ContactPoint.dof),
    jacobian=read(ContactJacobian.value),
    response=write(ContactResponse.velocity),
    block_normal=write(ContactBlock.normal),
    block_tangent=write(ContactBlock.tangent),
):
    """Response to unit impulses at each contact, and the contact's own 1 x 1 and 2 x 2 blocks."""
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in range(most):
        low = nv
        high = 0
        for e in lanes:
            if c < count[0, e]:
                low = min(low, first[dof[c, e], 0])
                high = max(high, end[dof[c, e], 0])
        base = c * nv
        for k in range(low, high):
            for e in lanes:
                response[base + k, 0, e] = jacobian[base + k, 0, e]
                response[base + k, 1, e] = jacobian[base + k, 1, e]
                response[base + k, 2, e] = jacobian[base + k, 2, e]
        for d in range(high - 1, low - 1, -1):
            start = chain[d, 0]
            for s in range(1, depth[d, 0]):
                b = base + column[start + s, 0]
                for e in lanes:
                    w = factor[start + s, e]
                    response[b, 0, e] -= w * response[base + d, 0, e]
                    response[b, 1, e] -= w * response[base + d, 1, e]
                    response[b, 2, e] -= w * response[base + d, 2, e]
        for e in lanes:
            block_normal[c, e] = 0.0
            block_tangent[c, 0, e] = 0.0
            block_tangent[c, 1, e] = 0.0
            block_tangent[c, 2, e] = 0.0
        for d in range(low, high):
            start = chain[d, 0]
            for e in lanes:
                w = inverse_pivot[d, e]
                response[base + d, 0, e] = response[base + d, 0, e] * w
                response[base + d, 1, e] = response[base + d, 1, e] * w
                response[base + d, 2, e] = response[base + d, 2, e] * w
            for s in range(1, depth[d, 0]):
                b = base + column[start + s, 0]
                for e in lanes:
                    w = factor[start + s, e]
                    response[base + d, 0, e] -= w * response[b, 0, e]
                    response[base + d, 1, e] -= w * response[b, 1, e]
                    response[base + d, 2, e] -= w * response[b, 2, e]
            for e in lanes:
                j1, j2 = jacobian[base + d, 1, e], jacobian[base + d, 2, e]
                block_normal[c, e] += jacobian[base + d, 0, e] * response[base + d, 0, e]
                block_tangent[c, 0, e] += j1 * response[base + d, 1, e]
                block_tangent[c, 1, e] += j1 * response[base + d, 2, e]
                block_tangent[c, 2, e] += j2 * response[base + d, 2, e]
        for e in lanes:
            a, b2, c2 = block_tangent[c, 0, e], block_tangent[c, 1, e], block_tangent[c, 2, e]
            determinant = a * c2 - b2 * b2
            # A point that cannot move along a tangent (or at all) leaves its block singular: no friction there.
            solid = determinant > 1e-9 * a * c2
            scale = 1.0 / determinant if solid else 0.0
            block_tangent[c, 0, e] = c2 * scale
            block_tangent[c, 1, e] = -b2 * scale
            block_tangent[c, 2, e] = a * scale
            block_tangent[c, 3, e] = 2.0 / (a + c2) if solid else 0.0
