"""Bias forces (recursive Newton-Euler) and the mass matrix (composite rigid body).

After Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 5 and 6, with all quantities in world axes about one
reference point per tree, so that forces and inertias add up along the tree without transforms. The recursions run over
dofs, not links: a joint of several dofs is a chain of them of which only the last carries inertia.
"""

from phalanx.components import (
    Dof,
    DofForce,
    DofInertia,
    DofModel,
    DofMotion,
    DofState,
    DofTopology,
    ExternalWrench,
    LinkInertia,
    LinkPose,
    LinkTopology,
    MassEntry,
    MassMatrix,
    MassTopology,
    Settings,
)
from phalanx.ecs import read, system, update, write
from phalanx.systems.math3d import cross


@system(over=Dof, order="forward", phase="dynamics")
def bias_accelerations(
    d,
    e,
    parent=read(DofTopology.parent),
    base=read(DofTopology.base),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    root=read(LinkTopology.root),
    position=read(LinkPose.position),
    gravity=read(Settings.gravity),
    qd=read(DofState.velocity),
    axis=read(DofMotion.axis),
    velocity=read(DofMotion.velocity),
    acceleration=write(DofMotion.acceleration),
):
    """Acceleration at zero generalised acceleration, with gravity as an upward acceleration of the base.

    The axis of a dof is fixed in the parent link, which turns at w, so its angular part changes at w x axis; the linear part
    of a rotation about point p is p x axis, which changes with p as well.
    """
    u = qd[d, e]
    b = base[d, e]
    wx, wy, wz = 0.0, 0.0, 0.0
    if b >= 0:
        wx, wy, wz = velocity[b, 0, e], velocity[b, 1, e], velocity[b, 2, e]
    p = parent[d, e]
    vx, vy, vz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    a0, a1, a2 = 0.0, 0.0, 0.0
    a3, a4, a5 = -gravity[0, 0, e], -gravity[0, 1, e], -gravity[0, 2, e]
    if p >= 0:
        a0, a1, a2 = acceleration[p, 0, e], acceleration[p, 1, e], acceleration[p, 2, e]
        a3, a4, a5 = acceleration[p, 3, e], acceleration[p, 4, e], acceleration[p, 5, e]
        tx, ty, tz = velocity[p, 0, e], velocity[p, 1, e], velocity[p, 2, e]
        vx, vy, vz = velocity[p, 3, e], velocity[p, 4, e], velocity[p, 5, e]
    if angular[d, e] == 1:
        i = link[d, e]
        r = root[i, e]
        x = position[i, 0, e] - position[r, 0, e]
        y = position[i, 1, e] - position[r, 1, e]
        z = position[i, 2, e] - position[r, 2, e]
        sx, sy, sz = axis[d, 0, e], axis[d, 1, e], axis[d, 2, e]
        nx, ny, nz = cross(tx, ty, tz, x, y, z)
        nx, ny, nz = nx + vx, ny + vy, nz + vz
        cx, cy, cz = cross(wx, wy, wz, sx, sy, sz)
        fx, fy, fz = cross(nx, ny, nz, sx, sy, sz)
        gx, gy, gz = cross(x, y, z, cx, cy, cz)
        a0, a1, a2 = a0 + cx * u, a1 + cy * u, a2 + cz * u
        a3, a4, a5 = a3 + (fx + gx) * u, a4 + (fy + gy) * u, a5 + (fz + gz) * u
    else:
        cx, cy, cz = cross(wx, wy, wz, axis[d, 3, e], axis[d, 4, e], axis[d, 5, e])
        a3, a4, a5 = a3 + cx * u, a4 + cy * u, a5 + cz * u
    acceleration[d, 0, e], acceleration[d, 1, e], acceleration[d, 2, e] = a0, a1, a2
    acceleration[d, 3, e], acceleration[d, 4, e], acceleration[d, 5, e] = a3, a4, a5


@system(over=Dof, phase="dynamics", before="accumulate_subtrees")
def link_forces(
    d,
    e,
    link=read(DofTopology.link),
    is_last=read(DofTopology.is_last),
    root=read(LinkTopology.root),
    mass=read(LinkInertia.mass),
    com=read(LinkInertia.com),
    inertia=read(LinkInertia.inertia),
    position=read(LinkPose.position),
    rotation=read(LinkPose.rotation),
    push=read(ExternalWrench.force),
    twist=read(ExternalWrench.torque),
    velocity=read(DofMotion.velocity),
    acceleration=read(DofMotion.acceleration),
    force=write(DofForce.force),
    composite=write(DofInertia.composite),
):
    """Inertia of each link about the reference point, and the force that its bias acceleration needs."""
    if is_last[d, e] == 1:
        i = link[d, e]
        r = root[i, e]
        m = mass[i, e]
        r0, r1, r2 = rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e]
        r3, r4, r5 = rotation[i, 3, e], rotation[i, 4, e], rotation[i, 5, e]
        r6, r7, r8 = rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e]
        ux, uy, uz = com[i, 0, e], com[i, 1, e], com[i, 2, e]
        x = position[i, 0, e] - position[r, 0, e] + r0 * ux + r1 * uy + r2 * uz
        y = position[i, 1, e] - position[r, 1, e] + r3 * ux + r4 * uy + r5 * uz
        z = position[i, 2, e] - position[r, 2, e] + r6 * ux + r7 * uy + r8 * uz
        jxx, jxy, jxz = inertia[i, 0, e], inertia[i, 1, e], inertia[i, 2, e]
        jyy, jyz, jzz = inertia[i, 3, e], inertia[i, 4, e], inertia[i, 5, e]
        # world-axes inertia about the centre of mass: R J R^T
        t0, t1, t2 = r0 * jxx + r1 * jxy + r2 * jxz, r0 * jxy + r1 * jyy + r2 * jyz, r0 * jxz + r1 * jyz + r2 * jzz
        t3, t4, t5 = r3 * jxx + r4 * jxy + r5 * jxz, r3 * jxy + r4 * jyy + r5 * jyz, r3 * jxz + r4 * jyz + r5 * jzz
        t6, t7, t8 = r6 * jxx + r7 * jxy + r8 * jxz, r6 * jxy + r7 * jyy + r8 * jyz, r6 * jxz + r7 * jyz + r8 * jzz
        ixx, ixy, ixz = t0 * r0 + t1 * r1 + t2 * r2, t0 * r3 + t1 * r4 + t2 * r5, t0 * r6 + t1 * r7 + t2 * r8
        iyy, iyz, izz = t3 * r3 + t4 * r4 + t5 * r5, t3 * r6 + t4 * r7 + t5 * r8, t6 * r6 + t7 * r7 + t8 * r8
        wx, wy, wz = velocity[d, 0, e], velocity[d, 1, e], velocity[d, 2, e]
        vx, vy, vz = velocity[d, 3, e], velocity[d, 4, e], velocity[d, 5, e]
        bx, by, bz = acceleration[d, 0, e], acceleration[d, 1, e], acceleration[d, 2, e]
        # linear momentum and its rate
        hx, hy, hz = cross(wx, wy, wz, x, y, z)
        hx, hy, hz = m * (hx + vx), m * (hy + vy), m * (hz + vz)
        fx, fy, fz = cross(bx, by, bz, x, y, z)
        gx, gy, gz = cross(wx, wy, wz, hx, hy, hz)
        fx = m * (fx + acceleration[d, 3, e]) + gx
        fy = m * (fy + acceleration[d, 4, e]) + gy
        fz = m * (fz + acceleration[d, 5, e]) + gz
        # momentum about the centre of mass and its rate
        lx, ly, lz = ixx * wx + ixy * wy + ixz * wz, ixy * wx + iyy * wy + iyz * wz, ixz * wx + iyz * wy + izz * wz
        kx, ky, kz = cross(wx, wy, wz, lx, ly, lz)
        kx = kx + ixx * bx + ixy * by + ixz * bz - twist[i, 0, e]
        ky = ky + ixy * bx + iyy * by + iyz * bz - twist[i, 1, e]
        kz = kz + ixz * bx + iyz * by + izz * bz - twist[i, 2, e]
        fx, fy, fz = fx - push[i, 0, e], fy - push[i, 1, e], fz - push[i, 2, e]
        # The rate of c x h is c' x h + c x h' and c' is parallel to h.
        sx, sy, sz = cross(x, y, z, fx, fy, fz)
        force[d, 0, e], force[d, 1, e], force[d, 2, e] = kx + sx, ky + sy, kz + sz
        force[d, 3, e], force[d, 4, e], force[d, 5, e] = fx, fy, fz
        composite[d, 0, e] = m
        composite[d, 1, e], composite[d, 2, e], composite[d, 3, e] = m * x, m * y, m * z
        composite[d, 4, e] = ixx + m * (y * y + z * z)
        composite[d, 5, e] = ixy - m * x * y
        composite[d, 6, e] = ixz - m * x * z
        composite[d, 7, e] = iyy + m * (x * x + z * z)
        composite[d, 8, e] = iyz - m * y * z
        composite[d, 9, e] = izz + m * (x * x + y * y)
    else:
        for k in range(6):
            force[d, k, e] = 0.0
        for k in range(10):
            composite[d, k, e] = 0.0


@system(over=Dof, order="reverse", phase="dynamics")
def accumulate_subtrees(
    d,
    e,
    parent=read(DofTopology.parent),
    force=update(DofForce.force),
    composite=update(DofInertia.composite),
):
    """Add force and inertia of each dof's subtree to its parent's."""
    p = parent[d, e]
    if p >= 0:
        for k in range(6):
            force[p, k, e] += force[d, k, e]
        for k in range(10):
            composite[p, k, e] += composite[d, k, e]


@system(over=Dof, phase="dynamics")
def project_forces(
    d,
    e,
    axis=read(DofMotion.axis),
    force=read(DofForce.force),
    composite=read(DofInertia.composite),
    bias=write(DofForce.bias),
    momentum=write(DofForce.momentum),
):
    """Bias effort of a dof, and the momentum of its subtree per unit velocity."""
    wx, wy, wz = axis[d, 0, e], axis[d, 1, e], axis[d, 2, e]
    vx, vy, vz = axis[d, 3, e], axis[d, 4, e], axis[d, 5, e]
    bias[d, e] = (
        wx * force[d, 0, e]
        + wy * force[d, 1, e]
        + wz * force[d, 2, e]
        + vx * force[d, 3, e]
        + vy * force[d, 4, e]
        + vz * force[d, 5, e]
    )
    m = composite[d, 0, e]
    x, y, z = composite[d, 1, e], composite[d, 2, e], composite[d, 3, e]
    ixx, ixy, ixz = composite[d, 4, e], composite[d, 5, e], composite[d, 6, e]
    iyy, iyz, izz = composite[d, 7, e], composite[d, 8, e], composite[d, 9, e]
    ax, ay, az = cross(x, y, z, vx, vy, vz)
    lx, ly, lz = cross(wx, wy, wz, x, y, z)
    momentum[d, 0, e] = ixx * wx + ixy * wy + ixz * wz + ax
    momentum[d, 1, e] = ixy * wx + iyy * wy + iyz * wz + ay
    momentum[d, 2, e] = ixz * wx + iyz * wy + izz * wz + az
    momentum[d, 3, e] = m * vx + lx
    momentum[d, 4, e] = m * vy + ly
    momentum[d, 5, e] = m * vz + lz


@system(over=MassEntry, phase="dynamics")
def mass_matrix(
    n,
    e,
    row=read(MassTopology.row),
    column=read(MassTopology.column),
    axis=read(DofMotion.axis),
    momentum=read(DofForce.momentum),
    armature=read(DofModel.armature),
    value=write(MassMatrix.value),
):
    """M[d, a] = axis(a) . composite inertia(d) axis(d), for a an ancestor of d or d itself."""
    d = row[n, e]
    a = column[n, e]
    total = (
        axis[a, 0, e] * momentum[d, 0, e]
        + axis[a, 1, e] * momentum[d, 1, e]
        + axis[a, 2, e] * momentum[d, 2, e]
        + axis[a, 3, e] * momentum[d, 3, e]
        + axis[a, 4, e] * momentum[d, 4, e]
        + axis[a, 5, e] * momentum[d, 5, e]
    )
    if a == d:
        total = total + armature[d, e]
    value[n, e] = total


@system(over=Dof, phase="query_gravity")
def gravity_force(
    d,
    e,
    gravity=read(Settings.gravity),
    axis=read(DofMotion.axis),
    composite=read(DofInertia.composite),
    effort=write(DofForce.gravity),
):
    """The effort that holds the robot still against gravity."""
    gx, gy, gz = gravity[0, 0, e], gravity[0, 1, e], gravity[0, 2, e]
    m = composite[d, 0, e]
    tx, ty, tz = cross(composite[d, 1, e], composite[d, 2, e], composite[d, 3, e], gx, gy, gz)
    effort[d, e] = -(
        axis[d, 0, e] * tx
        + axis[d, 1, e] * ty
        + axis[d, 2, e] * tz
        + m * (axis[d, 3, e] * gx + axis[d, 4, e] * gy + axis[d, 5, e] * gz)
    )
