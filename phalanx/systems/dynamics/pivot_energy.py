"""Kinetic energy of robots whose links are too slender for their substep.

A robot that :func:`phalanx.systems.dynamics.pivots.trust_pivots` leaves to semi-implicit Euler has velocity-product
forces of the start of the substep. They do no more work than the change of its mass matrix takes, but over a long
substep they turn velocities too far, and what that adds grows with the square of the velocities: the robot diverges. So
such a robot gets the kinetic energy that it must have in the new pose: that of the velocity of the substep's end in the
old pose, with what velocity-product forces have taken. Its velocities are scaled alike; directions stay as they were
found. Where spherical joints have the mean velocity of their turn, energy is kept to the second order without this, but
for robots that fly: of these momentum runs into the spin of slender links too. So what they gain by a step is cut.
"""

import math

from phalanx.components import (
    DofForce,
    DofInertia,
    DofModel,
    DofSolve,
    DofState,
    DofTopology,
    MassMatrix,
    MassTopology,
    Pivot,
    PivotDof,
    Settings,
    Status,
    Tree,
    TreeMomentum,
    TreeTopology,
)
from phalanx.ecs import function, read, system, update, write
from phalanx.maths.kernels import cross, symmetric_inverse, symmetric_product
from phalanx.systems.dynamics.midpoint import about_centre

MOST_GAIN = 1.05
"""Most factor by which velocities grow: near a turning point they are small, and what is missing is not in them."""

MOST_ERROR = 2e-3
"""Share of the energy that a substep may add where spherical joints have the mean velocity of their turn."""


@function
def along_root(k, flies, x, y, z):
    """The k-th number of a vector that the first three dofs of a robot have, if it flies."""
    return (x if k == 0 else (y if k == 1 else (z if k == 2 else 0.0))) if flies else 0.0


@system(over=Tree, phase="integrate", needs=Pivot)
def carry_energy(
    t,
    e,
    first=read(TreeTopology.first_dof),
    end=read(TreeTopology.end_dof),
    is_free=read(TreeTopology.is_free),
    spherical=read(TreeTopology.spherical),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    mass=read(MassMatrix.value),
    bias=read(DofForce.bias),
    composite=read(DofInertia.composite),
    unit=read(DofInertia.momentum),
    h=read(Settings.timestep),
    qd=read(DofState.velocity),
    solved=read(DofSolve.velocity),
    change=read(PivotDof.change),
    energy=write(TreeMomentum.energy),
):
    """That energy; of a free robot without that of its centre of mass, which goes straight."""
    energy[t, e] = 0.0
    if spherical[t, e] == 0:
        return
    r, flies = first[t, e], is_free[t, e] == 1
    x, y, z = 0.0, 0.0, 0.0
    if flies:  # momentum, with what velocity-product forces have taken
        m = composite[r, 0, e]
        x, y, z = h[0, e] * bias[r, e], h[0, e] * bias[r + 1, e], h[0, e] * bias[r + 2, e]
        for d in range(r, end[t, e]):
            v = solved[d, e] + change[d, e]
            x, y, z = x + v * unit[d, 3, e], y + v * unit[d, 4, e], z + v * unit[d, 5, e]
        x, y, z = x / m, y / m, z / m
    total = 0.0
    for d in range(r, end[t, e]):
        less = along_root(d - r, flies, x, y, z)
        v = solved[d, e] + change[d, e] - less
        total += 0.5 * h[0, e] * bias[d, e] * (qd[d, e] - less + v)
        total += 0.5 * mass[chain[d, e], e] * v * v
        for s in range(1, depth[d, e]):
            a = column[chain[d, e] + s, e]
            u = solved[a, e] + change[a, e] - along_root(a - r, flies, x, y, z)
            total += mass[chain[d, e] + s, e] * v * u
    energy[t, e] = total


@system(over=Tree, phase="conserve", needs=Pivot)
def restore_energy(
    t,
    e,
    first=read(TreeTopology.first_dof),
    end=read(TreeTopology.end_dof),
    is_free=read(TreeTopology.is_free),
    trusts=read(TreeMomentum.trusts_pivots),
    spherical=read(TreeTopology.spherical),
    energy=read(TreeMomentum.energy),
    prescribed=read(DofModel.prescribed),
    turns=read(DofTopology.turns),
    kept=read(PivotDof.kept),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    mass=read(MassMatrix.value),
    composite=read(DofInertia.composite),
    unit=read(DofInertia.momentum),
    h=read(Settings.timestep),
    diverged=read(Status.diverged),
    qd=update(DofState.velocity),
    qdd=update(DofState.acceleration),
):
    """Scale the velocities of such a robot, but not of one that is prescribed, or has no gyroscopic torques.

    Of one that flies only what joints do: the motion of all as one body, which has its momentum, stays.
    """
    if spherical[t, e] == 0 or diverged[0, e] != 0:
        return
    r, flies, free = first[t, e], is_free[t, e] == 1, True
    x, y, z = 0.0, 0.0, 0.0
    for d in range(r, end[t, e]):
        free = free and prescribed[d, e] == 0 and (turns[d, e] == 0 or kept[d, e] == 1)
        v = qd[d, e]
        x, y, z = x + v * unit[d, 3, e], y + v * unit[d, 4, e], z + v * unit[d, 5, e]
    if flies:
        m = composite[r, 0, e]
        x, y, z = x / m, y / m, z / m
    total, lx, ly, lz = 0.0, 0.0, 0.0, 0.0
    for d in range(r, end[t, e]):
        v = qd[d, e] - along_root(d - r, flies, x, y, z)
        for s in range(depth[d, e]):
            a = column[chain[d, e] + s, e]
            entry, u = mass[chain[d, e] + s, e], qd[a, e] - along_root(a - r, flies, x, y, z)
            total += (0.5 if s == 0 else 1.0) * entry * v * u
            # angular momentum: what the root's rotations, dofs 3 to 5, have
            k, j = d - r - 3, (a - r - 3 if s > 0 else -1)
            lx += (entry * u if k == 0 else 0.0) + (entry * v if j == 0 else 0.0)
            ly += (entry * u if k == 1 else 0.0) + (entry * v if j == 1 else 0.0)
            lz += (entry * u if k == 2 else 0.0) + (entry * v if j == 2 else 0.0)
    factor = 1.0
    gained = trusts[t, e] == 0 or total > (1.0 + MOST_ERROR) * max(energy[t, e], 0.0)
    least, wx, wy, wz, cx, cy, cz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if flies:  # what the momentum has if all turns as one: joints have the rest
        cx, cy, cz, ixx, ixy, ixz, iyy, iyz, izz = about_centre(
            composite[r, 0, e], composite[r, 1, e], composite[r, 2, e], composite[r, 3, e], composite[r, 4, e],
            composite[r, 5, e], composite[r, 6, e], composite[r, 7, e], composite[r, 8, e], composite[r, 9, e],
        )  # fmt: skip
        jxx, jxy, jxz, jyy, jyz, jzz, _ = symmetric_inverse(ixx, ixy, ixz, iyy, iyz, izz)
        wx, wy, wz = symmetric_product(jxx, jxy, jxz, jyy, jyz, jzz, lx, ly, lz)
        least = 0.5 * (wx * lx + wy * ly + wz * lz)
    ux, uy, uz = cross(wx, wy, wz, cx, cy, cz)
    ux, uy, uz = x - ux, y - uy, z - uz
    if free and gained and total > least:
        factor = min(math.sqrt(max(energy[t, e] - least, 0.0) / (total - least)), MOST_GAIN)
    for d in range(r, end[t, e]):
        k = d - r
        stays = along_root(k, flies, ux, uy, uz) + along_root(k - 3, flies, wx, wy, wz)
        less = (factor - 1.0) * (qd[d, e] - stays)
        qd[d, e] += less
        qdd[d, e] += less / h[0, e]
