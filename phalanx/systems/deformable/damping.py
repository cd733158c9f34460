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
from phalanx.ecs import local, read, real, start, system, write


@system(over=Node, phase="deform_forces", needs=DampedNode)
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
    d = row[v, e]
    if d < 0:
        return
    b = body[v, e]
    share = lag[b, e] * real(count[0, e]) / h[0, e]
    mu, volumetric = share * second_lame[b, e], share * first_lame[b, e]
    old = local(9)  # F0, row by row
    rate = local(9)  # F - F0
    inner = local(9)  # F0^T (F - F0), then the stress by F0 from the left
    total = local(9)
    for k in range(9):
        total[k] = 0.0
    for c in range(begin[v, e], end[v, e] if first_damped[d, e] >= 0 else begin[v, e]):
        s = first_damped[d, e] + (c - begin[v, e])
        for k in range(9):
            old[k] = 0.0
            rate[k] = 0.0
        for a in range(3):
            o = others[c, a, e]
            for i in range(3):
                was = before[o, i, e] - before[v, i, e]
                gone = (position[o, i, e] - position[v, i, e]) - was
                for k in range(3):
                    old[3 * i + k] += was * inverse[s, 3 * a + k, e]
                    rate[3 * i + k] += gone * inverse[s, 3 * a + k, e]
        for i in range(3):
            for k in range(3):
                inner[3 * i + k] = old[i] * rate[k] + old[3 + i] * rate[3 + k] + old[6 + i] * rate[6 + k]
        trace = volumetric * (inner[0] + inner[4] + inner[8])
        gx = -(inverse[s, 0, e] + inverse[s, 3, e] + inverse[s, 6, e])  # gradient of the node's shape function
        gy = -(inverse[s, 1, e] + inverse[s, 4, e] + inverse[s, 7, e])
        gz = -(inverse[s, 2, e] + inverse[s, 5, e] + inverse[s, 8, e])
        sx = mu * (2.0 * inner[0] * gx + (inner[1] + inner[3]) * gy + (inner[2] + inner[6]) * gz) + trace * gx
        sy = mu * ((inner[1] + inner[3]) * gx + 2.0 * inner[4] * gy + (inner[5] + inner[7]) * gz) + trace * gy
        sz = mu * ((inner[2] + inner[6]) * gx + (inner[5] + inner[7]) * gy + 2.0 * inner[8] * gz) + trace * gz
        size = volume[c, e] / 6.0
        px = old[0] * gx + old[1] * gy + old[2] * gz
        py = old[3] * gx + old[4] * gy + old[5] * gz
        pz = old[6] * gx + old[7] * gy + old[8] * gz
        total[0] -= size * (old[0] * sx + old[1] * sy + old[2] * sz)
        total[1] -= size * (old[3] * sx + old[4] * sy + old[5] * sz)
        total[2] -= size * (old[6] * sx + old[7] * sy + old[8] * sz)
        even, along = size * mu * (gx * gx + gy * gy + gz * gz), size * (mu + volumetric)
        total[3] += even * (old[0] * old[0] + old[1] * old[1] + old[2] * old[2]) + along * px * px
        total[4] += even * (old[0] * old[3] + old[1] * old[4] + old[2] * old[5]) + along * px * py
        total[5] += even * (old[0] * old[6] + old[1] * old[7] + old[2] * old[8]) + along * px * pz
        total[6] += even * (old[3] * old[3] + old[4] * old[4] + old[5] * old[5]) + along * py * py
        total[7] += even * (old[3] * old[6] + old[4] * old[7] + old[5] * old[8]) + along * py * pz
        total[8] += even * (old[6] * old[6] + old[7] * old[7] + old[8] * old[8]) + along * pz * pz
    for k in range(3):
        force[d, k, e] = total[k]
    for k in range(6):
        stiffness[d, k, e] = total[3 + k]
