"""Bias, gravity and damping forces by recursive Newton-Euler, in world axes at the origin of each link.

After Luh, Walker and Paul (1980). The recursions run over dofs, as those of :mod:`phalanx.systems.dynamics.inertia` do.
"""

from phalanx.components import (
    Dof,
    DofForce,
    DofMotion,
    DofState,
    DofTopology,
    ExternalWrench,
    LinkDynamics,
    LinkInertia,
    LinkPose,
    Settings,
)
from phalanx.ecs import read, system, update, write
from phalanx.maths.kernels import cross


@system(over=Dof, order="forward", phase="dynamics")
def bias_accelerations(
    d,
    e,
    parent=read(DofTopology.parent),
    base=read(DofTopology.base),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    offset=read(LinkPose.offset),
    qd=read(DofState.velocity),
    axis=read(DofMotion.axis),
    velocity=read(DofMotion.velocity),
    acceleration=write(DofMotion.acceleration),
):
    """Acceleration of the link's origin at zero generalised acceleration.

    A dof's axis is fixed in the parent link, which turns at w: a rotation about it adds w x axis to the angular
    acceleration, a translation along it the Coriolis acceleration 2 w x axis.
    """
    u = qd[d, e]
    ax, ay, az = u * axis[d, 0, e], u * axis[d, 1, e], u * axis[d, 2, e]
    a0, a1, a2, a3, a4, a5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    p = parent[d, e]
    if p >= 0:
        i, j = link[d, e], link[p, e]
        x, y, z = (
            offset[i, 0, e] - offset[j, 0, e],
            offset[i, 1, e] - offset[j, 1, e],
            offset[i, 2, e] - offset[j, 2, e],
        )
        wx, wy, wz = velocity[p, 0, e], velocity[p, 1, e], velocity[p, 2, e]
        a0, a1, a2 = acceleration[p, 0, e], acceleration[p, 1, e], acceleration[p, 2, e]
        fx, fy, fz = cross(a0, a1, a2, x, y, z)
        x, y, z = cross(wx, wy, wz, x, y, z)
        gx, gy, gz = cross(wx, wy, wz, x, y, z)
        a3 = acceleration[p, 3, e] + (fx + gx)
        a4 = acceleration[p, 4, e] + (fy + gy)
        a5 = acceleration[p, 5, e] + (fz + gz)
    b = base[d, e]
    if b >= 0:
        x, y, z = cross(velocity[b, 0, e], velocity[b, 1, e], velocity[b, 2, e], ax, ay, az)
        if angular[d, e] == 1:
            a0, a1, a2 = a0 + x, a1 + y, a2 + z
        else:
            a3, a4, a5 = a3 + 2.0 * x, a4 + 2.0 * y, a5 + 2.0 * z
    acceleration[d, 0, e], acceleration[d, 1, e], acceleration[d, 2, e] = a0, a1, a2
    acceleration[d, 3, e], acceleration[d, 4, e], acceleration[d, 5, e] = a3, a4, a5


@system(over=Dof, phase="dynamics")
def link_forces(
    d,
    e,
    link=read(DofTopology.link),
    is_last=read(DofTopology.is_last),
    mass=read(LinkInertia.mass),
    com=read(LinkInertia.com),
    inertia=read(LinkInertia.inertia),
    rotation=read(LinkPose.rotation),
    h=read(Settings.timestep),
    gravity=read(Settings.gravity),
    scale=read(LinkDynamics.gravity_scale),
    linear_damping=read(LinkDynamics.linear_damping),
    angular_damping=read(LinkDynamics.angular_damping),
    gyroscopic=read(LinkDynamics.gyroscopic),
    push=read(ExternalWrench.force),
    twist=read(ExternalWrench.torque),
    velocity=read(DofMotion.velocity),
    acceleration=read(DofMotion.acceleration),
    force=write(DofForce.force),
    external=write(DofForce.external),
):
    """The force that each link's bias acceleration needs, and the one on it from outside, about the link's origin.

    Damping acts on each link by itself with the force -m v d / (1 + d h) at its centre of mass and the torque
    -J w d / (1 + d h): alone, it keeps 1 / (1 + d h) of its velocity in a substep of length h, whatever d is.
    """
    if is_last[d, e] == 1:
        i = link[d, e]
        m = mass[i, e]
        r0, r1, r2 = rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e]
        r3, r4, r5 = rotation[i, 3, e], rotation[i, 4, e], rotation[i, 5, e]
        r6, r7, r8 = rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e]
        ux, uy, uz = com[i, 0, e], com[i, 1, e], com[i, 2, e]
        cx, cy, cz = r0 * ux + r1 * uy + r2 * uz, r3 * ux + r4 * uy + r5 * uz, r6 * ux + r7 * uy + r8 * uz
        wx, wy, wz = velocity[d, 0, e], velocity[d, 1, e], velocity[d, 2, e]
        bx, by, bz = acceleration[d, 0, e], acceleration[d, 1, e], acceleration[d, 2, e]
        # force = m * acceleration of the centre of mass
        x, y, z = cross(wx, wy, wz, cx, cy, cz)
        rate = m * (linear_damping[i, e] / (1.0 + linear_damping[i, e] * h[0, e]))
        weight = m * scale[i, e]
        px = push[i, 0, e] + weight * gravity[0, 0, e] - rate * (velocity[d, 3, e] + x)
        py = push[i, 1, e] + weight * gravity[0, 1, e] - rate * (velocity[d, 4, e] + y)
        pz = push[i, 2, e] + weight * gravity[0, 2, e] - rate * (velocity[d, 5, e] + z)
        gx, gy, gz = cross(wx, wy, wz, x, y, z)
        fx, fy, fz = cross(bx, by, bz, cx, cy, cz)
        fx = m * (acceleration[d, 3, e] + (fx + gx))
        fy = m * (acceleration[d, 4, e] + (fy + gy))
        fz = m * (acceleration[d, 5, e] + (fz + gz))
        # torque about the centre of mass = J b + w x J w, in link axes, where J is at hand
        wu, wv, ww = r0 * wx + r3 * wy + r6 * wz, r1 * wx + r4 * wy + r7 * wz, r2 * wx + r5 * wy + r8 * wz
        bu, bv, bw = r0 * bx + r3 * by + r6 * bz, r1 * bx + r4 * by + r7 * bz, r2 * bx + r5 * by + r8 * bz
        jxx, jxy, jxz = inertia[i, 0, e], inertia[i, 1, e], inertia[i, 2, e]
        jyy, jyz, jzz = inertia[i, 3, e], inertia[i, 4, e], inertia[i, 5, e]
        lu, lv, lw = jxx * wu + jxy * wv + jxz * ww, jxy * wu + jyy * wv + jyz * ww, jxz * wu + jyz * wv + jzz * ww
        x, y, z = cross(wu, wv, ww, lu, lv, lw)
        spins = gyroscopic[i, e]
        x, y, z = x * spins, y * spins, z * spins
        x = x + jxx * bu + jxy * bv + jxz * bw
        y = y + jxy * bu + jyy * bv + jyz * bw
        z = z + jxz * bu + jyz * bv + jzz * bw
        tx, ty, tz = cross(cx, cy, cz, fx, fy, fz)
        force[d, 0, e] = r0 * x + r1 * y + r2 * z + tx
        force[d, 1, e] = r3 * x + r4 * y + r5 * z + ty
        force[d, 2, e] = r6 * x + r7 * y + r8 * z + tz
        force[d, 3, e], force[d, 4, e], force[d, 5, e] = fx, fy, fz
        rate = angular_damping[i, e] / (1.0 + angular_damping[i, e] * h[0, e])
        tx, ty, tz = cross(cx, cy, cz, px, py, pz)
        external[d, 0, e] = twist[i, 0, e] + tx - rate * (r0 * lu + r1 * lv + r2 * lw)
        external[d, 1, e] = twist[i, 1, e] + ty - rate * (r3 * lu + r4 * lv + r5 * lw)
        external[d, 2, e] = twist[i, 2, e] + tz - rate * (r6 * lu + r7 * lv + r8 * lw)
        external[d, 3, e], external[d, 4, e], external[d, 5, e] = px, py, pz
    else:
        for k in range(6):
            force[d, k, e] = 0.0
            external[d, k, e] = 0.0


@system(over=Dof, order="reverse", phase="dynamics")
def subtree_forces(
    d,
    e,
    parent=read(DofTopology.parent),
    link=read(DofTopology.link),
    offset=read(LinkPose.offset),
    force=update(DofForce.force),
):
    """Add the forces needed on each dof's subtree to its parent's, about the parent's origin."""
    p = parent[d, e]
    if p >= 0:
        i, j = link[d, e], link[p, e]
        x, y, z = (
            offset[i, 0, e] - offset[j, 0, e],
            offset[i, 1, e] - offset[j, 1, e],
            offset[i, 2, e] - offset[j, 2, e],
        )
        fx, fy, fz = force[d, 3, e], force[d, 4, e], force[d, 5, e]
        tx, ty, tz = cross(x, y, z, fx, fy, fz)
        force[p, 0, e] += force[d, 0, e] + tx
        force[p, 1, e] += force[d, 1, e] + ty
        force[p, 2, e] += force[d, 2, e] + tz
        force[p, 3, e] += fx
        force[p, 4, e] += fy
        force[p, 5, e] += fz


@system(over=Dof, order="reverse", phase="dynamics")
def subtree_wrenches(
    d,
    e,
    parent=read(DofTopology.parent),
    link=read(DofTopology.link),
    offset=read(LinkPose.offset),
    force=update(DofForce.external),
):
    """The same of forces from outside; on a GPU beside those."""
    p = parent[d, e]
    if p >= 0:
        i, j = link[d, e], link[p, e]
        x, y, z = (
            offset[i, 0, e] - offset[j, 0, e],
            offset[i, 1, e] - offset[j, 1, e],
            offset[i, 2, e] - offset[j, 2, e],
        )
        fx, fy, fz = force[d, 3, e], force[d, 4, e], force[d, 5, e]
        tx, ty, tz = cross(x, y, z, fx, fy, fz)
        force[p, 0, e] += force[d, 0, e] + tx
        force[p, 1, e] += force[d, 1, e] + ty
        force[p, 2, e] += force[d, 2, e] + tz
        force[p, 3, e] += fx
        force[p, 4, e] += fy
        force[p, 5, e] += fz


@system(over=Dof, phase="dynamics")
def project_forces(
    d,
    e,
    angular=read(DofTopology.angular),
    axis=read(DofMotion.axis),
    force=read(DofForce.force),
    external=read(DofForce.external),
    bias=write(DofForce.bias),
    pushed=write(DofForce.pushed),
):
    """Efforts along each dof."""
    x, y, z = axis[d, 0, e], axis[d, 1, e], axis[d, 2, e]
    k = 0 if angular[d, e] == 1 else 3
    bias[d, e] = x * force[d, k, e] + y * force[d, k + 1, e] + z * force[d, k + 2, e]
    pushed[d, e] = x * external[d, k, e] + y * external[d, k + 1, e] + z * external[d, k + 2, e]


@system(over=Dof, phase="query_gravity")
def link_weights(
    d,
    e,
    link=read(DofTopology.link),
    is_last=read(DofTopology.is_last),
    mass=read(LinkInertia.mass),
    com=read(LinkInertia.com),
    scale=read(LinkDynamics.gravity_scale),
    rotation=read(LinkPose.rotation),
    weighed=write(DofForce.weighed),
):
    """The mass of each link that gravity acts on, and its first moment about the link's origin."""
    i = link[d, e]
    m = mass[i, e] * scale[i, e] if is_last[d, e] == 1 else 0.0
    x, y, z = m * com[i, 0, e], m * com[i, 1, e], m * com[i, 2, e]
    weighed[d, 0, e] = m
    weighed[d, 1, e] = rotation[i, 0, e] * x + rotation[i, 1, e] * y + rotation[i, 2, e] * z
    weighed[d, 2, e] = rotation[i, 3, e] * x + rotation[i, 4, e] * y + rotation[i, 5, e] * z
    weighed[d, 3, e] = rotation[i, 6, e] * x + rotation[i, 7, e] * y + rotation[i, 8, e] * z


@system(over=Dof, order="reverse", phase="query_gravity")
def subtree_weights(
    d,
    e,
    parent=read(DofTopology.parent),
    link=read(DofTopology.link),
    offset=read(LinkPose.offset),
    weighed=update(DofForce.weighed),
):
    """Add those of each dof's subtree to its parent's, about the parent's origin."""
    p = parent[d, e]
    if p >= 0:
        i, j = link[d, e], link[p, e]
        m = weighed[d, 0, e]
        weighed[p, 0, e] += m
        weighed[p, 1, e] += weighed[d, 1, e] + m * (offset[i, 0, e] - offset[j, 0, e])
        weighed[p, 2, e] += weighed[d, 2, e] + m * (offset[i, 1, e] - offset[j, 1, e])
        weighed[p, 3, e] += weighed[d, 3, e] + m * (offset[i, 2, e] - offset[j, 2, e])


@system(over=Dof, phase="query_gravity")
def gravity_force(
    d,
    e,
    angular=read(DofTopology.angular),
    gravity=read(Settings.gravity),
    axis=read(DofMotion.axis),
    weighed=read(DofForce.weighed),
    effort=write(DofForce.gravity),
):
    """The effort that holds the robot still against gravity."""
    gx, gy, gz = gravity[0, 0, e], gravity[0, 1, e], gravity[0, 2, e]
    if angular[d, e] == 1:
        gx, gy, gz = cross(weighed[d, 1, e], weighed[d, 2, e], weighed[d, 3, e], gx, gy, gz)
    else:
        m = weighed[d, 0, e]
        gx, gy, gz = m * gx, m * gy, m * gz
    effort[d, e] = -(axis[d, 0, e] * gx + axis[d, 1, e] * gy + axis[d, 2, e] * gz)
