"""Factorise the mass matrix with its implicit terms and solve for the unconstrained velocity.

L^T D L by rows from tip to root creates no fill outside the tree's sparsity (Featherstone 2008, section 6.5).
"""

from phalanx.components import (
    Dof,
    DofForce,
    DofGain,
    DofModel,
    DofSolve,
    DofState,
    DofTopology,
    DriveEffort,
    MassEntry,
    MassFactor,
    MassMatrix,
    MassTopology,
    Settings,
)
from phalanx.ecs import read, rows, spread, system, update, write


@system(over=MassEntry, phase="factorize")
def implicit_mass(
    n,
    e,
    row=read(MassTopology.row),
    column=read(MassTopology.column),
    mass=read(MassMatrix.value),
    implicit=read(DofSolve.implicit),
    factor=write(MassFactor.value),
):
    """Copy M and add the implicit diagonal."""
    d = row[n, e]
    value = mass[n, e]
    if column[n, e] == d:
        value = value + implicit[d, e]
    factor[n, e] = value


@system(phase="factorize")
def factorize_mass(
    lanes,
    nv=rows(Dof),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    prescribed=read(DofModel.prescribed),
    factor=update(MassFactor.value),
    inverse_pivot=write(DofSolve.inverse_pivot),
):
    """In place: L below the diagonal, D on it, inverses of D beside.

    A prescribed dof gets an inverse pivot and a row of L of zeros, which takes it out of the system: no force or
    impulse moves it, and the rest answers as if it were held.
    """
    for d in range(nv - 1, -1, -1):
        start = chain[d, 0]
        length = depth[d, 0]
        for e in lanes:
            inverse_pivot[d, e] = 0.0 if prescribed[d, e] != 0 else 1.0 / factor[start, e]
        for s in spread(1, length):
            above = chain[column[start + s, 0], 0]
            for t in range(length - s):  # row of the ancestor -= L[d, a] * row of d
                for e in lanes:
                    scaled = factor[start + s, e] * inverse_pivot[d, e]
                    factor[above + t, e] -= scaled * factor[start + s + t, e]
        for s in spread(1, length):
            for e in lanes:
                factor[start + s, e] = factor[start + s, e] * inverse_pivot[d, e]


@system(phase="factorize")
def free_velocity(
    lanes,
    nv=rows(Dof),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    h=read(Settings.timestep),
    damping=read(DofModel.damping),
    offset=read(DriveEffort.offset),
    slope=read(DriveEffort.slope),
    bias=read(DofForce.bias),
    pushed=read(DofForce.pushed),
    factor=read(MassFactor.value),
    inverse_pivot=read(DofSolve.inverse_pivot),
    qd=read(DofState.velocity),
    gain=write(DofGain.velocity),
    forced=write(DofGain.forced),
    x=write(DofSolve.velocity),
):
    """The velocity at the end of the substep if nothing but drives, friction in joints and forces acted."""
    for d in range(nv):
        for e in lanes:
            x[d, e] = h[0, e] * (offset[d, e] + pushed[d, e] - bias[d, e] - (slope[d, e] + damping[d, e]) * qd[d, e])
    for d in range(nv - 1, -1, -1):
        start = chain[d, 0]
        for s in spread(1, depth[d, 0]):
            a = column[start + s, 0]
            for e in lanes:
                x[a, e] -= factor[start + s, e] * x[d, e]
    for d in range(nv):
        start = chain[d, 0]
        for e in lanes:
            x[d, e] = x[d, e] * inverse_pivot[d, e]
            gain[d, e] = x[d, e]
            forced[d, e] = x[d, e]
        for s in spread(1, depth[d, 0]):
            a = column[start + s, 0]
            for e in lanes:
                x[d, e] -= factor[start + s, e] * x[a, e]
    for d in range(nv):
        for e in lanes:
            x[d, e] += qd[d, e]
