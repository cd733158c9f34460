"""Composite rigid body inertias, the mass matrix, and the momentum of free robots.

After Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 6, in world axes with each subtree's inertia about
the origin of its own link. The recursions run over dofs, not links: a joint of several dofs is a chain of them of
which only the last carries inertia.
"""

from phalanx.components import (
    Dof,
    DofInertia,
    DofModel,
    DofMotion,
    DofTopology,
    LinkInertia,
    LinkPose,
    MassEntry,
    MassMatrix,
    MassTopology,
)
from phalanx.ecs import read, system, update, write
from phalanx.maths.kernels import cross


@system(over=Dof, phase="kinematics")
def link_inertias(
    d,
    e,
    link=read(DofTopology.link),
    is_last=read(DofTopology.is_last),
    mass=read(LinkInertia.mass),
    com=read(LinkInertia.com),
    inertia=read(LinkInertia.inertia),
    rotation=read(LinkPose.rotation),
    composite=write(DofInertia.composite),
):
    """Inertia of each link alone, at the last dof of its joint."""
    if is_last[d, e] == 1:
        i = link[d, e]
        m = mass[i, e]
        r0, r1, r2 = rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e]
        r3, r4, r5 = rotation[i, 3, e], rotation[i, 4, e], rotation[i, 5, e]
        r6, r7, r8 = rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e]
        ux, uy, uz = com[i, 0, e], com[i, 1, e], com[i, 2, e]
        x, y, z = r0 * ux + r1 * uy + r2 * uz, r3 * ux + r4 * uy + r5 * uz, r6 * ux + r7 * uy + r8 * uz
        jxx, jxy, jxz = inertia[i, 0, e], inertia[i, 1, e], inertia[i, 2, e]
        jyy, jyz, jzz = inertia[i, 3, e], inertia[i, 4, e], inertia[i, 5, e]
        # R J R^T
        t0, t1, t2 = r0 * jxx + r1 * jxy + r2 * jxz, r0 * jxy + r1 * jyy + r2 * jyz, r0 * jxz + r1 * jyz + r2 * jzz
        t3, t4, t5 = r3 * jxx + r4 * jxy + r5 * jxz, r3 * jxy + r4 * jyy + r5 * jyz, r3 * jxz + r4 * jyz + r5 * jzz
        t6, t7, t8 = r6 * jxx + r7 * jxy + r8 * jxz, r6 * jxy + r7 * jyy + r8 * jyz, r6 * jxz + r7 * jyz + r8 * jzz
        composite[d, 0, e] = m
        composite[d, 1, e], composite[d, 2, e], composite[d, 3, e] = m * x, m * y, m * z
        composite[d, 4, e] = t0 * r0 + t1 * r1 + t2 * r2 + m * (y * y + z * z)
        composite[d, 5, e] = t0 * r3 + t1 * r4 + t2 * r5 - m * x * y
        composite[d, 6, e] = t0 * r6 + t1 * r7 + t2 * r8 - m * x * z
        composite[d, 7, e] = t3 * r3 + t4 * r4 + t5 * r5 + m * (x * x + z * z)
        composite[d, 8, e] = t3 * r6 + t4 * r7 + t5 * r8 - m * y * z
        composite[d, 9, e] = t6 * r6 + t7 * r7 + t8 * r8 + m * (x * x + y * y)
    else:
        for k in range(10):
            composite[d, k, e] = 0.0


@system(over=Dof, order="reverse", phase="kinematics")
def subtree_inertias(
    d,
    e,
    parent=read(DofTopology.parent),
    link=read(DofTopology.link),
    offset=read(LinkPose.offset),
    composite=update(DofInertia.composite),
):
    """Add the inertia of each dof's subtree to its parent's, about the parent's origin."""
    p = parent[d, e]
    if p >= 0:
        i, j = link[d, e], link[p, e]
        x, y, z = (
            offset[i, 0, e] - offset[j, 0, e],
            offset[i, 1, e] - offset[j, 1, e],
            offset[i, 2, e] - offset[j, 2, e],
        )
        m = composite[d, 0, e]
        hx, hy, hz = composite[d, 1, e], composite[d, 2, e], composite[d, 3, e]
        # sum of m (|c + r|^2 1 - (c + r)(c + r)^T) for the vector r between the origins
        gx, gy, gz = hx + m * x, hy + m * y, hz + m * z
        xx, yy, zz = x * (hx + gx), y * (hy + gy), z * (hz + gz)
        composite[p, 0, e] += m
        composite[p, 1, e] += gx
        composite[p, 2, e] += gy
        composite[p, 3, e] += gz
        composite[p, 4, e] += composite[d, 4, e] + yy + zz
        composite[p, 5, e] += composite[d, 5, e] - (hx * y + x * gy)
        composite[p, 6, e] += composite[d, 6, e] - (hx * z + x * gz)
        composite[p, 7, e] += composite[d, 7, e] + xx + zz
        composite[p, 8, e] += composite[d, 8, e] - (hy * z + y * gz)
        composite[p, 9, e] += composite[d, 9, e] + xx + yy


@system(over=Dof, phase="kinematics")
def unit_momenta(
    d,
    e,
    angular=read(DofTopology.angular),
    axis=read(DofMotion.axis),
    composite=read(DofInertia.composite),
    momentum=write(DofInertia.momentum),
):
    """Momentum of the subtree when the dof moves at unit velocity."""
    x, y, z = axis[d, 0, e], axis[d, 1, e], axis[d, 2, e]
    hx, hy, hz = composite[d, 1, e], composite[d, 2, e], composite[d, 3, e]
    if angular[d, e] == 1:
        ixx, ixy, ixz = composite[d, 4, e], composite[d, 5, e], composite[d, 6, e]
        iyy, iyz, izz = composite[d, 7, e], composite[d, 8, e], composite[d, 9, e]
        fx, fy, fz = cross(x, y, z, hx, hy, hz)
        momentum[d, 0, e] = ixx * x + ixy * y + ixz * z
        momentum[d, 1, e] = ixy * x + iyy * y + iyz * z
        momentum[d, 2, e] = ixz * x + iyz * y + izz * z
        momentum[d, 3, e], momentum[d, 4, e], momentum[d, 5, e] = fx, fy, fz
    else:
        m = composite[d, 0, e]
        lx, ly, lz = cross(hx, hy, hz, x, y, z)
        momentum[d, 0, e], momentum[d, 1, e], momentum[d, 2, e] = lx, ly, lz
        momentum[d, 3, e], momentum[d, 4, e], momentum[d, 5, e] = m * x, m * y, m * z


@system(over=MassEntry, phase="dynamics")
def mass_matrix(
    n,
    e,
    row=read(MassTopology.row),
    column=read(MassTopology.column),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    offset=read(LinkPose.offset),
    axis=read(DofMotion.axis),
    momentum=read(DofInertia.momentum),
    armature=read(DofModel.armature),
    value=write(MassMatrix.value),
):
    """M[d, a] = what the subtree's unit momentum of d has along a, for a an ancestor of d or d itself."""
    d = row[n, e]
    a = column[n, e]
    sx, sy, sz = axis[a, 0, e], axis[a, 1, e], axis[a, 2, e]
    fx, fy, fz = momentum[d, 3, e], momentum[d, 4, e], momentum[d, 5, e]
    if angular[a, e] == 1:
        i, j = link[d, e], link[a, e]
        x, y, z = cross(
            offset[i, 0, e] - offset[j, 0, e],
            offset[i, 1, e] - offset[j, 1, e],
            offset[i, 2, e] - offset[j, 2, e],
            fx,
            fy,
            fz,
        )
        total = sx * (momentum[d, 0, e] + x) + sy * (momentum[d, 1, e] + y) + sz * (momentum[d, 2, e] + z)
    else:
        total = sx * fx + sy * fy + sz * fz
    if a == d:
        total = total + armature[d, e]
    value[n, e] = total
