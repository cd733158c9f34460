"""Spherical joints: the mean velocity of their turns, and their momentum in the new pose, as of free roots.

What :mod:`phalanx.systems.dynamics.midpoint` and :mod:`phalanx.systems.dynamics.momentum` do for a robot's root is done
here for its spherical joints, and for the root together with them: they share the inertia of what hangs on them. A is
the part of the mass matrix that is theirs, b the part of the velocity-product efforts. Other joints go on at the
velocity that they have, so that their turns alone bring about the acceleration -A^-1 b.

The angular momentum of all that hangs on a pivot, about it, changes by efforts and impulses, and by -v x P where a
pivot that moves at v leaves behind linear momentum P. On a parent that stands still a spinning top thereby keeps, but
for gravity's impulse, the momentum that it has. v x P is the mean of that in both poses (the phase ``transport`` runs
in both), at mean velocities, so that what turns freely about pivots does so to the second order in the timestep.
"""

import math

from phalanx.components import (
    Dof,
    DofForce,
    DofGain,
    DofInertia,
    DofModel,
    DofMotion,
    DofSolve,
    DofState,
    DofTopology,
    LinkDynamics,
    LinkInertia,
    LinkPose,
    LinkTopology,
    MassEntry,
    MassFactor,
    MassMatrix,
    MassTopology,
    Pivot,
    PivotDof,
    PivotFactor,
    PivotState,
    PivotTopology,
    Settings,
    Status,
    Tree,
    TreeMomentum,
    TreeTopology,
)
from phalanx.components.link import SPHERICAL
from phalanx.ecs import read, rows, system, update, write
from phalanx.maths.kernels import cross, symmetric_inverse

MOST_ERROR = 0.02
"""Share by which a substep may err in the slowest axis of a link on a spherical joint, by an estimate."""


@system(over=Dof, phase="kinematics", needs=Pivot)
def keep_pivots(
    d,
    e,
    turns=read(DofTopology.turns),
    first=read(DofTopology.tree_first),
    link=read(DofTopology.link),
    tree=read(LinkTopology.tree),
    first_link=read(TreeTopology.first_link),
    end_link=read(TreeTopology.end_link),
    is_free=read(TreeTopology.is_free),
    prescribed=read(DofModel.prescribed),
    gyroscopic=read(LinkDynamics.gyroscopic),
    kept=write(PivotDof.kept),
):
    """Momentum is kept where gyroscopic torques act, that of a root only if all of it is free."""
    t = tree[link[d, e], e]
    on = turns[d, e] == 1
    for i in range(first_link[t, e], end_link[t, e]):
        on = on and gyroscopic[i, e] == 1.0
    r = first[d, e]
    if is_free[t, e] == 1 and d < r + 6:
        for k in range(6):
            on = on and prescribed[r + k, e] == 0
    kept[d, e] = 1 if on and prescribed[d, e] == 0 else 0


@system(over=MassEntry, phase="kinematics", needs=Pivot)
def pivot_masses(
    n,
    e,
    row=read(MassTopology.row),
    column=read(MassTopology.column),
    kept=read(PivotDof.kept),
    mass=read(MassMatrix.value),
    factor=write(PivotFactor.value),
):
    """Copy A."""
    on = kept[row[n, e], e] == 1 and kept[column[n, e], e] == 1
    factor[n, e] = mass[n, e] if on else 0.0


@system(phase="kinematics", needs=Pivot)
def factorize_pivots(
    lanes,
    nv=rows(Dof),
    turns=read(DofTopology.turns),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    kept=read(PivotDof.kept),
    factor=update(PivotFactor.value),
    inverse_pivot=write(PivotDof.inverse_pivot),
):
    """As :func:`phalanx.systems.dynamics.factorization.factorize_mass`, of A."""
    for d in range(nv - 1, -1, -1):
        start = chain[d, 0]
        length = depth[d, 0]
        for e in lanes:
            inverse_pivot[d, e] = 1.0 / factor[start, e] if kept[d, e] == 1 else 0.0
        if turns[d, 0] == 1:
            for s in range(1, length):
                above = chain[column[start + s, 0], 0]
                for t in range(length - s):
                    for e in lanes:
                        scaled = factor[start + s, e] * inverse_pivot[d, e]
                        factor[above + t, e] -= scaled * factor[start + s + t, e]
            for s in range(1, length):
                for e in lanes:
                    factor[start + s, e] = factor[start + s, e] * inverse_pivot[d, e]


@system(phase="factorize", needs=Pivot)
def mean_pivots(
    lanes,
    nv=rows(Dof),
    trees=rows(Tree),
    turns=read(DofTopology.turns),
    first=read(TreeTopology.first_dof),
    is_free=read(TreeTopology.is_free),
    spherical=read(TreeTopology.spherical),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    h=read(Settings.timestep),
    kept=read(PivotDof.kept),
    factor=read(PivotFactor.value),
    inverse_pivot=read(PivotDof.inverse_pivot),
    bias=read(DofForce.bias),
    force=read(DofForce.force),
    composite=read(DofInertia.composite),
    change=write(PivotDof.change),
):
    """What velocity-product forces add to velocities by the substep's end beyond their mean: h / 2 of -A^-1 b.

    Of a root's translation all of it is left out, as in :mod:`phalanx.systems.dynamics.midpoint`.
    """
    for d in range(nv):
        for e in lanes:
            change[d, e] = -0.5 * h[0, e] * bias[d, e] if kept[d, e] == 1 else 0.0
    for d in range(nv - 1, -1, -1):
        if turns[d, 0] == 1:
            for s in range(1, depth[d, 0]):
                a = column[chain[d, 0] + s, 0]
                for e in lanes:
                    change[a, e] -= factor[chain[d, 0] + s, e] * change[d, e]
    for d in range(nv):
        if turns[d, 0] == 1:
            for e in lanes:
                change[d, e] = change[d, e] * inverse_pivot[d, e]
            for s in range(1, depth[d, 0]):
                a = column[chain[d, 0] + s, 0]
                for e in lanes:
                    change[d, e] -= factor[chain[d, 0] + s, e] * change[a, e]
    for t in range(trees):
        if is_free[t, 0] == 1 and spherical[t, 0] == 1:
            r = first[t, 0]
            for k in range(3):
                for e in lanes:
                    half = 0.5 * h[0, e] / composite[r, 0, e] if kept[r + k, e] == 1 else 0.0
                    change[r + k, e] -= half * force[r, 3 + k, e]


@system(over=Tree, phase="factorize", needs=Pivot)
def trust_pivots(
    t,
    e,
    first=read(TreeTopology.first_dof),
    end=read(TreeTopology.end_dof),
    first_link=read(TreeTopology.first_link),
    end_link=read(TreeTopology.end_link),
    is_free=read(TreeTopology.is_free),
    spherical=read(TreeTopology.spherical),
    joint_type=read(LinkTopology.joint_type),
    first_dof=read(LinkTopology.first_dof),
    mass=read(LinkInertia.mass),
    com=read(LinkInertia.com),
    inertia=read(LinkInertia.inertia),
    composite=read(DofInertia.composite),
    force=read(DofForce.force),
    h=read(Settings.timestep),
    qd=read(DofState.velocity),
    free=read(DofSolve.velocity),
    keeps_linear=read(TreeMomentum.keeps_linear),
    keeps_angular=read(TreeMomentum.keeps_angular),
    change=update(PivotDof.change),
    angular=update(TreeMomentum.angular),
    linear=update(TreeMomentum.linear),
    bend=update(TreeMomentum.bend),
    trusts=write(TreeMomentum.trusts_pivots),
):
    """Which robots turn so: those whose links are not too slender for their substep.

    b is that of the velocity before the substep's efforts, which change the velocity by k. So a link on a spherical
    joint turns by h^2 k w_a / 2 off the way that goes with its momentum, where w_a is its spin about its slender axis.
    Of the momentum I w of all that hangs on it, a share of h^2 w k / 2 then seems to be about that axis, whose inertia
    is that of the link alone, J: the spin grows by tr(I) tr(J^-1) h^2 w k / 2 in a substep. Balls have no such axis,
    which 9 takes away. Beyond ``MOST_ERROR`` the robot goes on by semi-implicit Euler in this substep, as hinges do.
    """
    if spherical[t, e] == 0:
        return
    worst = 0.0
    for i in range(first_link[t, e], end_link[t, e]):
        if joint_type[i, e] == SPHERICAL:
            d = first_dof[i, e]
            kick, speed = 0.0, 0.0
            for k in range(3):
                w = free[d + k, e] - qd[d + k, e] - 2.0 * change[d + k, e]
                kick, speed = kick + w * w, speed + qd[d + k, e] * qd[d + k, e]
            m, x, y, z = mass[i, e], com[i, 0, e], com[i, 1, e], com[i, 2, e]
            ixx, _, _, iyy, _, izz, solid = symmetric_inverse(
                inertia[i, 0, e] + m * (y * y + z * z), inertia[i, 1, e] - m * x * y, inertia[i, 2, e] - m * x * z,
                inertia[i, 3, e] + m * (x * x + z * z), inertia[i, 4, e] - m * y * z,
                inertia[i, 5, e] + m * (x * x + y * y),
            )  # fmt: skip
            ratio = (composite[d, 4, e] + composite[d, 7, e] + composite[d, 9, e]) * (ixx + iyy + izz) - 9.0
            error = 0.5 * ratio * h[0, e] * h[0, e] * math.sqrt(speed * kick)
            worst = max(worst, error if solid > 0.0 else 1.0)
    trusted = worst < MOST_ERROR
    trusts[t, e] = 1 if trusted else 0
    if trusted:
        return
    r = first[t, e]
    for d in range(r, end[t, e]):
        change[d, e] = 0.0
    if is_free[t, e] == 1:  # what the root's mean would have lacked
        m, half = composite[r, 0, e], 0.5 * h[0, e] * keeps_angular[t, e]
        cx, cy, cz = composite[r, 1, e] / m, composite[r, 2, e] / m, composite[r, 3, e] / m
        fx, fy, fz = force[r, 3, e], force[r, 4, e], force[r, 5, e]
        x, y, z = cross(cx, cy, cz, fx, fy, fz)
        angular[t, 0, e] += half * (force[r, 0, e] - x)
        angular[t, 1, e] += half * (force[r, 1, e] - y)
        angular[t, 2, e] += half * (force[r, 2, e] - z)
        share = h[0, e] * keeps_linear[t, e]
        linear[t, 0, e] += share * fx
        linear[t, 1, e] += share * fy
        linear[t, 2, e] += share * fz
        bend[t, 0, e], bend[t, 1, e], bend[t, 2, e] = 0.0, 0.0, 0.0


@system(over=Dof, phase="factorize", needs=Pivot)
def turn_pivots_evenly(
    d,
    e,
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    change=read(PivotDof.change),
    factor=read(MassFactor.value),
    x=update(DofSolve.velocity),
    gain=update(DofGain.velocity),
    forced=update(DofGain.forced),
):
    """Take that back, of velocities and of u = L v."""
    start = chain[d, e]
    total = change[d, e]
    for s in range(1, depth[d, e]):
        total += factor[start + s, e] * change[column[start + s, e], e]
    x[d, e] -= change[d, e]
    gain[d, e] -= total
    forced[d, e] -= total


@system(phase="integrate", needs=Pivot)
def carry_pivots(
    lanes,
    nv=rows(Dof),
    turns=read(DofTopology.turns),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    h=read(Settings.timestep),
    mass=read(MassMatrix.value),
    bias=read(DofForce.bias),
    solved=read(DofSolve.velocity),
    change=read(PivotDof.change),
    momentum=write(PivotDof.momentum),
):
    """M v + h b: what the velocity of the substep's end carries in the old pose, and what b has taken from it."""
    for d in range(nv):
        for e in lanes:
            momentum[d, e] = h[0, e] * bias[d, e]
    for d in range(nv):
        for s in range(depth[d, 0]):
            n = chain[d, 0] + s
            a = column[n, 0]
            if turns[d, 0] == 1 or turns[a, 0] == 1:
                for e in lanes:
                    momentum[d, e] += mass[n, e] * (solved[a, e] + change[a, e])
                    momentum[a, e] += mass[n, e] * (solved[d, e] + change[d, e]) if s > 0 else 0.0


@system(over=Pivot, phase="integrate")
def lift_pivots(
    j,
    e,
    dof=read(PivotTopology.dof),
    armature=read(DofModel.armature),
    axis=read(DofMotion.axis),
    solved=read(DofSolve.velocity),
    momentum=update(PivotDof.momentum),
    angular=write(PivotState.angular),
):
    """That as a vector, which stands still when the axes of the joint do not; but for what rotors have on the mean."""
    d = dof[j, e]
    x, y, z = 0.0, 0.0, 0.0
    for k in range(3):
        rotor = armature[d + k, e] * solved[d + k, e]
        along = momentum[d + k, e] - rotor
        x, y, z = x + along * axis[d + k, 0, e], y + along * axis[d + k, 1, e], z + along * axis[d + k, 2, e]
        momentum[d + k, e] = rotor
    angular[j, 0, e], angular[j, 1, e], angular[j, 2, e] = x, y, z


@system(over=Tree, phase="transport", needs=Pivot)
def mean_velocities(
    t,
    e,
    first=read(TreeTopology.first_dof),
    end=read(TreeTopology.end_dof),
    is_free=read(TreeTopology.is_free),
    spherical=read(TreeTopology.spherical),
    keeps_linear=read(TreeMomentum.keeps_linear),
    linear=read(TreeMomentum.linear),
    composite=read(DofInertia.composite),
    unit=read(DofInertia.momentum),
    solved=read(DofSolve.velocity),
    velocity=write(PivotDof.velocity),
):
    """Mean velocities of the substep in this pose: a free robot has its linear momentum in each."""
    if spherical[t, e] == 0:
        return
    r = first[t, e]
    for d in range(r, end[t, e]):
        velocity[d, e] = solved[d, e]
    if is_free[t, e] == 1 and keeps_linear[t, e] != 0.0:
        x, y, z = linear[t, 0, e], linear[t, 1, e], linear[t, 2, e]
        for d in range(r + 3, end[t, e]):
            u = solved[d, e]
            x, y, z = x - u * unit[d, 3, e], y - u * unit[d, 4, e], z - u * unit[d, 5, e]
        m = composite[r, 0, e]
        velocity[r, e], velocity[r + 1, e], velocity[r + 2, e] = x / m, y / m, z / m


@system(over=Pivot, phase="transport")
def transport_pivots(
    j,
    e,
    dof=read(PivotTopology.dof),
    parent=read(DofTopology.parent),
    link=read(DofTopology.link),
    angle=read(DofTopology.angular),
    walk=read(DofTopology.walk),
    begin=read(DofTopology.walk_begin),
    end=read(DofTopology.walk_end),
    h=read(Settings.timestep),
    offset=read(LinkPose.offset),
    axis=read(DofMotion.axis),
    composite=read(DofInertia.composite),
    unit=read(DofInertia.momentum),
    velocity=read(PivotDof.velocity),
    angular=update(PivotState.angular),
):
    """What angular momentum loses as the joint moves at v past linear momentum P: h v x P, half of it in each pose."""
    d = dof[j, e]
    i = link[d, e]
    # the motion that the joint has before its own rotation
    wx, wy, wz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k = parent[d, e]
    while k >= 0:
        u = velocity[k, e]
        x, y, z = u * axis[k, 0, e], u * axis[k, 1, e], u * axis[k, 2, e]
        if angle[k, e] == 1:
            wx, wy, wz = wx + x, wy + y, wz + z
            p = link[k, e]
            x, y, z = cross(
                x, y, z,
                offset[i, 0, e] - offset[p, 0, e], offset[i, 1, e] - offset[p, 1, e], offset[i, 2, e] - offset[p, 2, e],
            )  # fmt: skip
        vx, vy, vz = vx + x, vy + y, vz + z
        k = parent[k, e]
    # the momentum of all that hangs on it, less its mass times v, which is along v
    px, py, pz = cross(wx, wy, wz, composite[d, 1, e], composite[d, 2, e], composite[d, 3, e])
    for n in range(begin[d, e], end[d, e]):
        k = walk[n, e]
        u = velocity[k, e]
        px, py, pz = px + u * unit[k, 3, e], py + u * unit[k, 4, e], pz + u * unit[k, 5, e]
    x, y, z = cross(vx, vy, vz, px, py, pz)
    half = 0.5 * h[0, e]
    angular[j, 0, e] -= half * x
    angular[j, 1, e] -= half * y
    angular[j, 2, e] -= half * z


@system(over=Pivot, phase="conserve")
def lower_pivots(
    j,
    e,
    dof=read(PivotTopology.dof),
    axis=read(DofMotion.axis),
    angular=read(PivotState.angular),
    momentum=update(PivotDof.momentum),
):
    """Generalised momentum along the axes where they are now."""
    d = dof[j, e]
    x, y, z = angular[j, 0, e], angular[j, 1, e], angular[j, 2, e]
    for k in range(3):
        momentum[d + k, e] += axis[d + k, 0, e] * x + axis[d + k, 1, e] * y + axis[d + k, 2, e] * z


@system(phase="conserve", needs=Pivot)
def restore_pivots(
    lanes,
    nv=rows(Dof),
    turns=read(DofTopology.turns),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    h=read(Settings.timestep),
    diverged=read(Status.diverged),
    kept=read(PivotDof.kept),
    link=read(DofTopology.link),
    tree=read(LinkTopology.tree),
    trusts=read(TreeMomentum.trusts_pivots),
    mass=read(MassMatrix.value),
    factor=read(PivotFactor.value),
    inverse_pivot=read(PivotDof.inverse_pivot),
    momentum=update(PivotDof.momentum),
    qd=update(DofState.velocity),
    qdd=update(DofState.acceleration),
):
    """Give pivots the velocity with which, in the new pose, they have the momentum that they must have.

    A root gets its own exactly after that: the momentum of the robot, about its centre of mass.
    """
    for d in range(nv):
        for s in range(depth[d, 0]):
            n = chain[d, 0] + s
            a = column[n, 0]
            if turns[d, 0] == 1 or turns[a, 0] == 1:
                for e in lanes:
                    momentum[d, e] -= mass[n, e] * qd[a, e]
                    momentum[a, e] -= mass[n, e] * qd[d, e] if s > 0 else 0.0
    for d in range(nv):
        t = tree[link[d, 0], 0]
        for e in lanes:
            on = kept[d, e] == 1 and trusts[t, e] == 1 and diverged[0, e] == 0
            momentum[d, e] = momentum[d, e] if on else 0.0
    for d in range(nv - 1, -1, -1):
        if turns[d, 0] == 1:
            for s in range(1, depth[d, 0]):
                a = column[chain[d, 0] + s, 0]
                for e in lanes:
                    momentum[a, e] -= factor[chain[d, 0] + s, e] * momentum[d, e]
    for d in range(nv):
        if turns[d, 0] == 1:
            for e in lanes:
                momentum[d, e] = momentum[d, e] * inverse_pivot[d, e]
            for s in range(1, depth[d, 0]):
                a = column[chain[d, 0] + s, 0]
                for e in lanes:
                    momentum[d, e] -= factor[chain[d, 0] + s, e] * momentum[a, e]
            for e in lanes:
                qd[d, e] += momentum[d, e]
                qdd[d, e] += momentum[d, e] / h[0, e]
