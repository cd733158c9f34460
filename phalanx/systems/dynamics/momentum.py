"""The momentum of free robots, which the change of pose over a substep must not change, and caps on their speed."""

import math

from phalanx.components import (
    Coordinate,
    DofInertia,
    DofModel,
    DofSolve,
    DofState,
    DofTopology,
    LinkInertia,
    LinkPose,
    LinkTopology,
    Settings,
    Status,
    Tree,
    TreeLimits,
    TreeMomentum,
    TreeTopology,
)
from phalanx.ecs import function, read, rows, spread, system, update, write
from phalanx.maths.kernels import cross, symmetric_inverse, symmetric_product
from phalanx.systems.dynamics.midpoint import about_centre


@system(phase="integrate")
def carry_momentum(
    lanes,
    trees=rows(Tree),
    first=read(TreeTopology.first_dof),
    end=read(TreeTopology.end_dof),
    is_free=read(TreeTopology.is_free),
    link=read(DofTopology.link),
    h=read(Settings.timestep),
    offset=read(LinkPose.offset),
    composite=read(DofInertia.composite),
    momentum=read(DofInertia.momentum),
    displacement=read(DofSolve.displacement),
    solved=read(DofSolve.velocity),
    com=write(TreeMomentum.com),
    angular=update(TreeMomentum.angular),
    linear=update(TreeMomentum.linear),
):
    """The momentum that a free robot has after this substep's forces and impulses.

    That is what the solved velocity carries in the pose it was solved in, with what velocity-product forces have taken
    (:mod:`phalanx.systems.dynamics.midpoint` begins with it): they only account for the change of pose. Angular
    momentum is that about the centre of mass, which goes where this momentum takes it, and what displacements have
    beyond velocities: in the air it goes straight, and not the root.
    """
    for t in range(trees):
        if is_free[t, 0] == 1:
            r = first[t, 0]
            for e in lanes:
                share = 1.0 / composite[r, 0, e]
                com[t, 0, e] = share * composite[r, 1, e]
                com[t, 1, e] = share * composite[r, 2, e]
                com[t, 2, e] = share * composite[r, 3, e]
            for d in spread(r, end[t, 0]):
                i = link[d, 0]
                for e in lanes:
                    u = solved[d, e]
                    share = 1.0 / composite[r, 0, e]
                    fx, fy, fz = momentum[d, 3, e], momentum[d, 4, e], momentum[d, 5, e]
                    x, y, z = cross(
                        offset[i, 0, e] - share * composite[r, 1, e],
                        offset[i, 1, e] - share * composite[r, 2, e],
                        offset[i, 2, e] - share * composite[r, 3, e],
                        fx,
                        fy,
                        fz,
                    )
                    angular[t, 0, e] += u * (momentum[d, 0, e] + x)
                    angular[t, 1, e] += u * (momentum[d, 1, e] + y)
                    angular[t, 2, e] += u * (momentum[d, 2, e] + z)
                    linear[t, 0, e] += u * fx
                    linear[t, 1, e] += u * fy
                    linear[t, 2, e] += u * fz
                    u = share * (displacement[d, e] - h[0, e] * u)
                    com[t, 0, e] += u * fx
                    com[t, 1, e] += u * fy
                    com[t, 2, e] += u * fz
            for e in lanes:
                share = h[0, e] / composite[r, 0, e]
                com[t, 0, e] += share * linear[t, 0, e]
                com[t, 1, e] += share * linear[t, 1, e]
                com[t, 2, e] += share * linear[t, 2, e]


@system(phase="conserve")
def restore_momentum(
    lanes,
    trees=rows(Tree),
    first=read(TreeTopology.first_dof),
    end=read(TreeTopology.end_dof),
    is_free=read(TreeTopology.is_free),
    link=read(DofTopology.link),
    h=read(Settings.timestep),
    diverged=read(Status.diverged),
    offset=read(LinkPose.offset),
    composite=read(DofInertia.composite),
    momentum=read(DofInertia.momentum),
    displacement=read(DofSolve.displacement),
    coord=read(LinkTopology.coord),
    com=read(TreeMomentum.com),
    keeps_linear=read(TreeMomentum.keeps_linear),
    keeps_angular=read(TreeMomentum.keeps_angular),
    angular=update(TreeMomentum.angular),
    linear=update(TreeMomentum.linear),
    qd=update(DofState.velocity),
    qdd=update(DofState.acceleration),
    q=update(Coordinate.value),
):
    """Give the root the place and velocity with which the robot, in its new pose, has the momentum it must have.

    Semi-implicit Euler alone keeps neither the spin of a tumbling body nor its drift: they change with dt, and where
    the root goes straight, the centre of mass does not. The changes made here are of the order of dt^2 per substep,
    and momentum is kept to rounding.
    """
    for t in range(trees):
        if is_free[t, 0] == 1:
            r = first[t, 0]
            place = coord[link[r, 0], 0]
            for d in spread(r, end[t, 0]):
                i = link[d, 0]
                for e in lanes:
                    u = qd[d, e]
                    fx, fy, fz = momentum[d, 3, e], momentum[d, 4, e], momentum[d, 5, e]
                    share = 1.0 / composite[r, 0, e]
                    x, y, z = cross(
                        offset[i, 0, e] - share * composite[r, 1, e],
                        offset[i, 1, e] - share * composite[r, 2, e],
                        offset[i, 2, e] - share * composite[r, 3, e],
                        fx,
                        fy,
                        fz,
                    )
                    angular[t, 0, e] -= u * (momentum[d, 0, e] + x)
                    angular[t, 1, e] -= u * (momentum[d, 1, e] + y)
                    angular[t, 2, e] -= u * (momentum[d, 2, e] + z)
                    linear[t, 0, e] -= u * fx
                    linear[t, 1, e] -= u * fy
                    linear[t, 2, e] -= u * fz
            for e in lanes:
                # What is missing, about the centre of mass; then spin = inertia^-1 * angular momentum.
                m = composite[r, 0, e]
                cx, cy, cz, jxx, jxy, jxz, jyy, jyz, jzz = about_centre(
                    m, composite[r, 1, e], composite[r, 2, e], composite[r, 3, e], composite[r, 4, e],
                    composite[r, 5, e], composite[r, 6, e], composite[r, 7, e], composite[r, 8, e], composite[r, 9, e],
                )  # fmt: skip
                px, py, pz = linear[t, 0, e], linear[t, 1, e], linear[t, 2, e]
                ixx, ixy, ixz, iyy, iyz, izz, whole = symmetric_inverse(jxx, jxy, jxz, jyy, jyz, jzz)
                wx, wy, wz = symmetric_product(
                    ixx, ixy, ixz, iyy, iyz, izz, angular[t, 0, e], angular[t, 1, e], angular[t, 2, e]
                )
                solid = whole > 0.0 and diverged[0, e] == 0 and keeps_linear[t, e] != 0.0
                wx, wy, wz = keeps_angular[t, e] * wx, keeps_angular[t, e] * wy, keeps_angular[t, e] * wz
                x, y, z = cross(cx, cy, cz, wx, wy, wz)
                angular[t, 0, e] = wx if solid else 0.0
                angular[t, 1, e] = wy if solid else 0.0
                angular[t, 2, e] = wz if solid else 0.0
                linear[t, 0, e] = px / m + x if solid else 0.0
                linear[t, 1, e] = py / m + y if solid else 0.0
                linear[t, 2, e] = pz / m + z if solid else 0.0
                q[place, e] += com[t, 0, e] - displacement[r, e] - cx if solid else 0.0
                q[place + 1, e] += com[t, 1, e] - displacement[r + 1, e] - cy if solid else 0.0
                q[place + 2, e] += com[t, 2, e] - displacement[r + 2, e] - cz if solid else 0.0
                for k in range(3):
                    qd[r + k, e] += linear[t, k, e]
                    qd[r + 3 + k, e] += angular[t, k, e]
                    qdd[r + k, e] += linear[t, k, e] / h[0, e]
                    qdd[r + 3 + k, e] += angular[t, k, e] / h[0, e]


@function
def shorten(x, y, z, most):
    """A vector, no longer than ``most``."""
    square = x * x + y * y + z * z
    scale = most / math.sqrt(square) if square > most * most else 1.0
    return x * scale, y * scale, z * scale


@function
def cap_motion(vx, vy, vz, wx, wy, wz, cx, cy, cz, fastest, quickest):
    """Change of a body's velocity (of its origin, angular) that a centre of mass at c from the origin stays in caps."""
    x, y, z = cross(wx, wy, wz, cx, cy, cz)
    ux, uy, uz = shorten(vx + x, vy + y, vz + z, fastest)
    sx, sy, sz = shorten(wx, wy, wz, quickest)
    x, y, z = cross(sx, sy, sz, cx, cy, cz)
    return ux - x - vx, uy - y - vy, uz - z - vz, sx - wx, sy - wy, sz - wz


@system(over=Tree, phase="integrate")
def cap_root_velocity(
    t,
    e,
    first=read(TreeTopology.first_dof),
    is_free=read(TreeTopology.is_free),
    link=read(DofTopology.link),
    h=read(Settings.timestep),
    fastest=read(TreeLimits.linear_velocity),
    quickest=read(TreeLimits.angular_velocity),
    prescribed=read(DofModel.prescribed),
    com=read(LinkInertia.com),
    rotation=read(LinkPose.rotation),
    velocity=update(DofSolve.velocity),
    displacement=update(DofSolve.displacement),
):
    """Keep the root's speed within its caps, after the solve; prescribed dofs keep theirs."""
    if is_free[t, e] == 0:
        return
    d = first[t, e]
    i = link[d, e]
    ux, uy, uz = com[i, 0, e], com[i, 1, e], com[i, 2, e]
    change = cap_motion(
        velocity[d, e],
        velocity[d + 1, e],
        velocity[d + 2, e],
        velocity[d + 3, e],
        velocity[d + 4, e],
        velocity[d + 5, e],
        rotation[i, 0, e] * ux + rotation[i, 1, e] * uy + rotation[i, 2, e] * uz,
        rotation[i, 3, e] * ux + rotation[i, 4, e] * uy + rotation[i, 5, e] * uz,
        rotation[i, 6, e] * ux + rotation[i, 7, e] * uy + rotation[i, 8, e] * uz,
        fastest[t, e],
        quickest[t, e],
    )
    for k in range(6):
        less = 0.0 if prescribed[d + k, e] != 0 else change[k]
        velocity[d + k, e] += less
        displacement[d + k, e] += less * h[0, e]


@system(over=Tree, phase="conserve")
def cap_restored_velocity(
    t,
    e,
    first=read(TreeTopology.first_dof),
    is_free=read(TreeTopology.is_free),
    link=read(DofTopology.link),
    fastest=read(TreeLimits.linear_velocity),
    quickest=read(TreeLimits.angular_velocity),
    prescribed=read(DofModel.prescribed),
    com=read(LinkInertia.com),
    rotation=read(LinkPose.rotation),
    velocity=update(DofState.velocity),
):
    """The same once the root has got back its momentum in the new pose."""
    if is_free[t, e] == 0:
        return
    d = first[t, e]
    i = link[d, e]
    ux, uy, uz = com[i, 0, e], com[i, 1, e], com[i, 2, e]
    change = cap_motion(
        velocity[d, e],
        velocity[d + 1, e],
        velocity[d + 2, e],
        velocity[d + 3, e],
        velocity[d + 4, e],
        velocity[d + 5, e],
        rotation[i, 0, e] * ux + rotation[i, 1, e] * uy + rotation[i, 2, e] * uz,
        rotation[i, 3, e] * ux + rotation[i, 4, e] * uy + rotation[i, 5, e] * uz,
        rotation[i, 6, e] * ux + rotation[i, 7, e] * uy + rotation[i, 8, e] * uz,
        fastest[t, e],
        quickest[t, e],
    )
    for k in range(6):
        velocity[d + k, e] += 0.0 if prescribed[d + k, e] != 0 else change[k]
