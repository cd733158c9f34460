"""What keeps light bodies still under heavy loads.

A force that a loop joint holds in balance turns with the body that it pulls on, like a spring of stiffness force times
arm; taken explicitly, that is unstable once (timestep)^2 times it is more than four times the inertia. What is missing
of the inertia is added, as much as needed and no more (after Andrews, Teichmann and Kry, Geometric Stiffness for
Real-time Constrained Multibody Dynamics, 2017), so that bodies of ordinary proportions move as they are.
"""

import math

from phalanx.components import (
    Dof,
    DofInertia,
    DofRelation,
    DofSolve,
    DofTopology,
    LinkPose,
    LinkTopology,
    Loop,
    LoopFrame,
    LoopRow,
    LoopScratch,
    LoopState,
    LoopTopology,
    MassMatrix,
    Settings,
    TreeTopology,
)
from phalanx.ecs import read, rows, system, update, write

ALLOWED = 1.0
"""(timestep)^2 times stiffness that a dof bears, as a share of its inertia; 4 is the limit for a single one."""


LEAST_CHORD = 0.4
"""Joints of bodies that lack as much inertia as they have aim so far from tangent to chord, which wears out vibrations.

The full way, a half, keeps the energy of those of light pieces under heavy loads for ever, and feeds it by rounding.
"""


@system(phase="factorize")
def stiffen_loops(
    lanes,
    nv=rows(Dof),
    loops=rows(Loop),
    h=read(Settings.timestep),
    count=read(LoopTopology.count),
    link_a=read(LoopTopology.link_a),
    link_b=read(LoopTopology.link_b),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    position_a=read(LoopFrame.position_a),
    position_b=read(LoopFrame.position_b),
    impulse=read(LoopState.impulse),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    chain=read(DofTopology.chain),
    relations=read(DofTopology.relations),
    angular=read(DofTopology.angular),
    link=read(DofTopology.link),
    moves=read(DofRelation.moves),
    tree=read(LinkTopology.tree),
    is_free=read(TreeTopology.is_free),
    composite=read(DofInertia.composite),
    offset=read(LinkPose.offset),
    rotation=read(LinkPose.rotation),
    mass=read(MassMatrix.value),
    sum=update(LoopScratch.sum),
    lack=update(LoopScratch.shift),
    chord=write(LoopRow.chord),
    implicit=update(DofSolve.implicit),
):
    """Add the inertia that dofs lack for what joints load on them.

    A free robot turns about its centre of mass, wherever the origin of its root is: so do arms and inertia of its root.
    """
    for j in range(loops):
        for e in lanes:
            chord[j, e] = 0.5
    for d in range(nv):
        loaded = 0
        first_dof = first[d, 0]
        own = d - first_dof - 3
        flies = own < 3 and is_free[tree[link[d, 0], 0], 0] == 1
        for e in lanes:
            sum[0, e] = 0.0
        if angular[d, 0] == 1:
            for j in range(loops):
                for side in range(2):
                    t = dof_a[j, 0] if side == 0 else dof_b[j, 0]
                    inside = t >= 0 and first[max(t, 0), 0] <= d and d < end[max(t, 0), 0]
                    if inside and moves[relations[t if inside else d, 0] + d, 0] == 1:
                        i = link_a[j, 0] if side == 0 else link_b[j, 0]
                        o = link[d, 0]
                        for e in lanes:
                            px, py, pz = position_a[j, 0, e], position_a[j, 1, e], position_a[j, 2, e]
                            qx, qy, qz = position_b[j, 0, e], position_b[j, 1, e], position_b[j, 2, e]
                            px, py, pz = (
                                px if side == 0 else qx,
                                py if side == 0 else qy,
                                pz if side == 0 else qz,
                            )
                            x = rotation[i, 0, e] * px + rotation[i, 1, e] * py + rotation[i, 2, e] * pz
                            y = rotation[i, 3, e] * px + rotation[i, 4, e] * py + rotation[i, 5, e] * pz
                            z = rotation[i, 6, e] * px + rotation[i, 7, e] * py + rotation[i, 8, e] * pz
                            x += offset[i, 0, e] - offset[o, 0, e]
                            y += offset[i, 1, e] - offset[o, 1, e]
                            z += offset[i, 2, e] - offset[o, 2, e]
                            share = 1.0 / composite[first_dof, 0, e] if flies else 0.0
                            x -= share * composite[first_dof, 1, e]
                            y -= share * composite[first_dof, 2, e]
                            z -= share * composite[first_dof, 3, e]
                            size = 0.0
                            for r in range(min(count[j, 0], 3)):
                                size += impulse[j, r, e] * impulse[j, r, e]
                            sum[0, e] += h[0, e] * math.sqrt(size * (x * x + y * y + z * z))
                        loaded = 1
        if loaded == 1:
            for e in lanes:
                hx, hy, hz = composite[first_dof, 1, e], composite[first_dof, 2, e], composite[first_dof, 3, e]
                hx, hy, hz = 0.0 if own == 0 else hx, 0.0 if own == 1 else hy, 0.0 if own == 2 else hz
                shift = (hx * hx + hy * hy + hz * hz) / composite[first_dof, 0, e] if flies else 0.0
                inertia = mass[chain[d, 0], e] - shift + implicit[d, e]
                more = max(sum[0, e] - ALLOWED * inertia, 0.0)
                implicit[d, e] += more
                lack[0, e] = min(more / inertia, 1.0) if inertia > 0.0 else 0.0
            for j in range(loops):
                for side in range(2):
                    t = dof_a[j, 0] if side == 0 else dof_b[j, 0]
                    inside = t >= 0 and first[max(t, 0), 0] <= d and d < end[max(t, 0), 0]
                    if inside and moves[relations[t if inside else d, 0] + d, 0] == 1:
                        for e in lanes:
                            chord[j, e] = min(chord[j, e], 0.5 - (0.5 - LEAST_CHORD) * lack[0, e])
