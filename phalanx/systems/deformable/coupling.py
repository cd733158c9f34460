"""What deformable bodies do to links: how links give way in a small step, and the impulses that they get.

Links give way to contact forces, so that neither side takes the other for immovable. The impulses that nodes have got,
small step by small step, are what links get, with the sign turned: they change the solver's velocities before its
sweeps begin, and joint limits, drives and rigid contacts answer to them.
"""

import math

from phalanx.components import (
    CoupledBodySums,
    CoupledDofResponse,
    CoupledDofTopology,
    CoupledLink,
    CoupledLinkMotion,
    CoupledLinkTopology,
    DeformableMotion,
    DeformablePairTopology,
    DeformableSettings,
    DofGain,
    DofSolve,
    NodeContact,
    NodeContactPoint,
    NodeContactState,
    Settings,
    SurfaceNodeTopology,
)
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import function, local, read, real, rows, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.link_motion import place_in_triangle


@function
def solve_six_with_pivots(matrix, x):
    """Solve a system of six equations by Gauss's method, in place; ``matrix`` (36 numbers, row by row) is used up."""
    for j in range(6):
        best = j
        for i in range(j + 1, 6):
            if math.fabs(matrix[6 * i + j]) > math.fabs(matrix[6 * best + j]):
                best = i
        for k in range(6):
            kept = matrix[6 * j + k]
            matrix[6 * j + k] = matrix[6 * best + k]
            matrix[6 * best + k] = kept
        kept = x[j]
        x[j] = x[best]
        x[best] = kept
        for i in range(j + 1, 6):
            share = matrix[6 * i + j] / matrix[7 * j]
            for k in range(j, 6):
                matrix[6 * i + k] -= share * matrix[6 * j + k]
            x[i] -= share * x[j]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            x[i] -= matrix[6 * i + k] * x[k]
        x[i] /= matrix[7 * i]


@system(over=CoupledLink, phase="deform_couple")
def give_way(
    n,
    e,
    first=read(CoupledLinkTopology.first_body),
    end=read(CoupledLinkTopology.end_body),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    near=read(CoupledBodySums.near),
    force=read(CoupledBodySums.force),
    stiffness=read(CoupledBodySums.stiffness),
    mobility=read(CoupledLinkMotion.mobility),
    change=read(CoupledLinkMotion.change),
    give=write(CoupledLinkMotion.give),
):
    """How far a link moves in the small step, beyond where its velocity takes it, under forces that change as it moves.

    With contact forces f, their stiffness K, mobility W, the change c of velocity that all else makes, and the small
    step h, the way is u = h (c + W p), the impulse p = h (f - K u). At rest nothing moves.
    """
    touched = 0
    for b in range(first[n, e], end[n, e]):
        touched += near[b, e]
    for k in range(6):
        give[n, k, e] = 0.0
    if touched > 0:
        step = h[0, e] / real(count[0, e])
        matrix = local(36)
        x = local(6)
        sums = local(21)
        for k in range(6):
            x[k] = 0.0
        for k in range(21):
            sums[k] = 0.0
        for b in range(first[n, e], end[n, e]):
            for k in range(6):
                x[k] += step * force[b, k, e]
            for k in range(21):
                sums[k] += step * step * stiffness[b, k, e]
        for i in range(6):
            for j in range(6):
                x[i] -= sums[place_in_triangle(i, j)] * change[n, j, e]
                product = 1.0 if i == j else 0.0
                for k in range(6):
                    product += sums[place_in_triangle(i, k)] * mobility[n, place_in_triangle(k, j), e]
                matrix[6 * i + j] = product
        solve_six_with_pivots(matrix, x)
        for i in range(6):
            way = change[n, i, e]
            for k in range(6):
                way += mobility[n, place_in_triangle(i, k), e] * x[k]
            give[n, i, e] = step * way


@system(over=NodeContact, phase="deform_couple", needs=CoupledLink)
def give_anchors(
    c,
    e,
    body=read(SurfaceNodeTopology.body),
    link=read(DeformablePairTopology.link),
    origin=read(DeformableMotion.origin),
    place=read(CoupledLinkMotion.place),
    give=read(CoupledLinkMotion.give),
    pair=read(NodeContactState.pair),
    anchor=update(NodeContactPoint.anchor),
):
    """Anchors give way with their links."""
    p = pair[c, e]
    i = link[max(p, 0), e]
    if p >= 0 and i >= 0:
        b = body[c // SLOTS, e]
        x = (origin[b, 0, e] - place[i, 0, e]) + anchor[c, 0, e]
        y = (origin[b, 1, e] - place[i, 1, e]) + anchor[c, 1, e]
        z = (origin[b, 2, e] - place[i, 2, e]) + anchor[c, 2, e]
        ux, uy, uz = cross(give[i, 3, e], give[i, 4, e], give[i, 5, e], x, y, z)
        anchor[c, 0, e] += give[i, 0, e] + ux
        anchor[c, 1, e] += give[i, 1, e] + uy
        anchor[c, 2, e] += give[i, 2, e] + uz


@system(over=CoupledLink, phase="deform_finish")
def push_links(
    n,
    e,
    first=read(CoupledLinkTopology.first_body),
    end=read(CoupledLinkTopology.end_body),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    near=read(CoupledBodySums.near),
    pulse=read(CoupledBodySums.impulse),
    mobility=read(CoupledLinkMotion.mobility),
    change=read(CoupledLinkMotion.change),
    place=update(CoupledLinkMotion.place),
    velocity=update(CoupledLinkMotion.velocity),
    impulse=update(CoupledLinkMotion.impulse),
    last=write(CoupledLinkMotion.pulse),
):
    """Links get the impulses of the small step, and its share of what else changes their velocities."""
    step = h[0, e] / real(count[0, e])
    touched = 0
    for b in range(first[n, e], end[n, e]):
        touched += near[b, e]
    for i in range(6):
        velocity[n, i, e] += change[n, i, e]
        last[n, i, e] = 0.0
    if touched > 0:
        x = local(6)
        for k in range(6):
            x[k] = 0.0
        for b in range(first[n, e], end[n, e]):
            for k in range(6):
                x[k] += pulse[b, k, e]
        for i in range(6):
            impulse[n, i, e] += x[i]
            last[n, i, e] = x[i]
            for k in range(6):
                velocity[n, i, e] += mobility[n, place_in_triangle(i, k), e] * x[k]
    for k in range(3):
        place[n, k, e] += step * velocity[n, k, e]


@system(phase="deform_end", needs=CoupledLink)
def push_dofs(
    lanes,
    links=rows(CoupledLink),
    first=read(CoupledLinkTopology.first_dof),
    end=read(CoupledLinkTopology.end_dof),
    dof=read(CoupledDofTopology.dof),
    impulse=read(CoupledLinkMotion.impulse),
    row=read(CoupledDofResponse.row),
    pivot=read(DofSolve.inverse_pivot),
    u=update(DofGain.velocity),
):
    """The impulses on links, on the solver's velocities: D^-1 G^T p."""
    for n in range(links):
        for r in range(first[n, 0], end[n, 0]):
            d = dof[r, 0]
            for e in lanes:
                u[d, e] += pivot[d, e] * (
                    row[r, 0, e] * impulse[n, 0, e]
                    + row[r, 1, e] * impulse[n, 1, e]
                    + row[r, 2, e] * impulse[n, 2, e]
                    + row[r, 3, e] * impulse[n, 3, e]
                    + row[r, 4, e] * impulse[n, 4, e]
                    + row[r, 5, e] * impulse[n, 5, e]
                )
