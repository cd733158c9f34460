"""The wrench that each joint transmits: Newton and Euler from tips to root, with the accelerations that there were.

Whatever made a body accelerate, its joint gave what gravity, contacts and other outer forces did not. Motion is taken
as it is at the end of the last substep and its change over that substep, so the wrench of a moving body is exact to the
first order in the length of a substep; of one at rest it is exact.
"""

from phalanx.components import (
    Body,
    BodyFrame,
    BodyInertia,
    BodyReaction,
    BodyTopology,
    ContactCount,
    ContactImpulse,
    ContactPoint,
    Dof,
    DofMotion,
    DofReaction,
    DofState,
    DofTopology,
    ExternalWrench,
    LinkDynamics,
    LinkInertia,
    LinkPose,
    LinkTopology,
    Settings,
    ShapeTopology,
)
from phalanx.ecs import read, rows, system, update, write
from phalanx.maths.kernels import cross, quaternion_product, rotate


@system(over=Dof, order="forward", phase="query_joints")
def link_accelerations(
    d,
    e,
    parent=read(DofTopology.parent),
    base=read(DofTopology.base),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    offset=read(LinkPose.offset),
    qd=read(DofState.velocity),
    qdd=read(DofState.acceleration),
    axis=read(DofMotion.axis),
    velocity=read(DofMotion.velocity),
    acceleration=write(DofReaction.acceleration),
):
    """As :func:`phalanx.systems.dynamics.forces.bias_accelerations`, with the last substep's generalised
    accelerations.
    """
    u, a = qd[d, e], qdd[d, e]
    sx, sy, sz = axis[d, 0, e], axis[d, 1, e], axis[d, 2, e]
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
    x, y, z = 0.0, 0.0, 0.0
    if b >= 0:
        x, y, z = cross(velocity[b, 0, e], velocity[b, 1, e], velocity[b, 2, e], u * sx, u * sy, u * sz)
    if angular[d, e] == 1:
        a0, a1, a2 = a0 + x + a * sx, a1 + y + a * sy, a2 + z + a * sz
    else:
        a3, a4, a5 = a3 + 2.0 * x + a * sx, a4 + 2.0 * y + a * sy, a5 + 2.0 * z + a * sz
    acceleration[d, 0, e], acceleration[d, 1, e], acceleration[d, 2, e] = a0, a1, a2
    acceleration[d, 3, e], acceleration[d, 4, e], acceleration[d, 5, e] = a3, a4, a5


@system(over=Body, phase="query_joints")
def body_needs(
    b,
    e,
    h=read(Settings.timestep),
    gravity=read(Settings.gravity),
    link=read(BodyFrame.link),
    carrier=read(BodyTopology.carrier),
    last_dof=read(LinkTopology.last_dof),
    link_mass=read(LinkInertia.mass),
    link_com=read(LinkInertia.com),
    link_inertia=read(LinkInertia.inertia),
    own_mass=read(BodyInertia.mass),
    own_com=read(BodyInertia.com),
    own_inertia=read(BodyInertia.inertia),
    rotation=read(LinkPose.rotation),
    scale=read(LinkDynamics.gravity_scale),
    linear_damping=read(LinkDynamics.linear_damping),
    angular_damping=read(LinkDynamics.angular_damping),
    gyroscopic=read(LinkDynamics.gyroscopic),
    push=read(ExternalWrench.force),
    twist=read(ExternalWrench.torque),
    velocity=read(DofMotion.velocity),
    acceleration=read(DofReaction.acceleration),
    need=write(BodyReaction.need),
    acting=write(BodyReaction.acting),
):
    """What the motion takes beyond gravity, damping and external wrenches.

    The body that carries a link answers for the whole link here; a body fixed to it for itself alone.
    """
    i = link[b, e]
    d = last_dof[i, e]
    k = max(d, 0)
    whole = carrier[b, e] == b
    moves = 1.0 if d >= 0 else 0.0
    m = link_mass[i, e] if whole else own_mass[b, e]
    ux, uy, uz = own_com[b, 0, e], own_com[b, 1, e], own_com[b, 2, e]
    jxx, jxy, jxz = own_inertia[b, 0, e], own_inertia[b, 1, e], own_inertia[b, 2, e]
    jyy, jyz, jzz = own_inertia[b, 3, e], own_inertia[b, 4, e], own_inertia[b, 5, e]
    if whole:
        ux, uy, uz = link_com[i, 0, e], link_com[i, 1, e], link_com[i, 2, e]
        jxx, jxy, jxz = link_inertia[i, 0, e], link_inertia[i, 1, e], link_inertia[i, 2, e]
        jyy, jyz, jzz = link_inertia[i, 3, e], link_inertia[i, 4, e], link_inertia[i, 5, e]
    r0, r1, r2 = rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e]
    r3, r4, r5 = rotation[i, 3, e], rotation[i, 4, e], rotation[i, 5, e]
    r6, r7, r8 = rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e]
    cx, cy, cz = r0 * ux + r1 * uy + r2 * uz, r3 * ux + r4 * uy + r5 * uz, r6 * ux + r7 * uy + r8 * uz
    wx, wy, wz = moves * velocity[k, 0, e], moves * velocity[k, 1, e], moves * velocity[k, 2, e]
    bx, by, bz = moves * acceleration[k, 0, e], moves * acceleration[k, 1, e], moves * acceleration[k, 2, e]
    x, y, z = cross(wx, wy, wz, cx, cy, cz)
    rate = m * (linear_damping[i, e] / (1.0 + linear_damping[i, e] * h[0, e]))
    outer = 1.0 if whole else 0.0
    px = rate * (moves * velocity[k, 3, e] + x) - m * scale[i, e] * gravity[0, 0, e] - outer * push[i, 0, e]
    py = rate * (moves * velocity[k, 4, e] + y) - m * scale[i, e] * gravity[0, 1, e] - outer * push[i, 1, e]
    pz = rate * (moves * velocity[k, 5, e] + z) - m * scale[i, e] * gravity[0, 2, e] - outer * push[i, 2, e]
    gx, gy, gz = cross(wx, wy, wz, x, y, z)
    fx, fy, fz = cross(bx, by, bz, cx, cy, cz)
    fx = m * (moves * acceleration[k, 3, e] + (fx + gx)) + px
    fy = m * (moves * acceleration[k, 4, e] + (fy + gy)) + py
    fz = m * (moves * acceleration[k, 5, e] + (fz + gz)) + pz
    # torque about the centre of mass, in link axes
    wu, wv, ww = r0 * wx + r3 * wy + r6 * wz, r1 * wx + r4 * wy + r7 * wz, r2 * wx + r5 * wy + r8 * wz
    bu, bv, bw = r0 * bx + r3 * by + r6 * bz, r1 * bx + r4 * by + r7 * bz, r2 * bx + r5 * by + r8 * bz
    lu, lv, lw = jxx * wu + jxy * wv + jxz * ww, jxy * wu + jyy * wv + jyz * ww, jxz * wu + jyz * wv + jzz * ww
    x, y, z = cross(wu, wv, ww, lu, lv, lw)
    spins = gyroscopic[i, e]
    rate = angular_damping[i, e] / (1.0 + angular_damping[i, e] * h[0, e])
    x = spins * x + jxx * bu + jxy * bv + jxz * bw + rate * lu
    y = spins * y + jxy * bu + jyy * bv + jyz * bw + rate * lv
    z = spins * z + jxz * bu + jyz * bv + jzz * bw + rate * lw
    tx, ty, tz = cross(cx, cy, cz, fx, fy, fz)
    need[b, 0, e] = r0 * x + r1 * y + r2 * z + tx - outer * twist[i, 0, e]
    need[b, 1, e] = r3 * x + r4 * y + r5 * z + ty - outer * twist[i, 1, e]
    need[b, 2, e] = r6 * x + r7 * y + r8 * z + tz - outer * twist[i, 2, e]
    need[b, 3, e], need[b, 4, e], need[b, 5, e] = fx, fy, fz
    for n in range(6):
        acting[b, n, e] = 0.0


@system(phase="query_joints")
def contact_reactions(
    lanes,
    h=read(Settings.timestep),
    link=read(ShapeTopology.link),
    body=read(ShapeTopology.body),
    offset=read(LinkPose.offset),
    count=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    impulse=read(ContactImpulse.value),
    acting=update(BodyReaction.acting),
):
    """Sum the contacts of each body, in the order of slots."""
    for e in lanes:
        for c in range(count[0, e]):
            nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
            tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
            bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
            p, q, r = impulse[c, 0, e] / h[0, e], impulse[c, 1, e] / h[0, e], impulse[c, 2, e] / h[0, e]
            x, y, z = p * nx + q * tx + r * bx, p * ny + q * ty + r * by, p * nz + q * tz + r * bz
            for side in range(2):
                s = shape_a[c, e] if side == 0 else shape_b[c, e]
                sign = 1.0 if side == 0 else -1.0
                b, i = body[s, 0], link[s, 0]
                if i >= 0:
                    fx, fy, fz = sign * x, sign * y, sign * z
                    ax = (arm_a[c, 0, e] if side == 0 else arm_b[c, 0, e]) - offset[i, 0, e]
                    ay = (arm_a[c, 1, e] if side == 0 else arm_b[c, 1, e]) - offset[i, 1, e]
                    az = (arm_a[c, 2, e] if side == 0 else arm_b[c, 2, e]) - offset[i, 2, e]
                    mx, my, mz = cross(ax, ay, az, fx, fy, fz)
                    acting[b, 0, e] += mx
                    acting[b, 1, e] += my
                    acting[b, 2, e] += mz
                    acting[b, 3, e] += fx
                    acting[b, 4, e] += fy
                    acting[b, 5, e] += fz


@system(phase="query_joints")
def joint_wrenches(
    lanes,
    bodies=rows(Body),
    parent=read(BodyTopology.parent),
    carrier=read(BodyTopology.carrier),
    link=read(BodyFrame.link),
    place=read(BodyFrame.position),
    turn=read(BodyFrame.orientation),
    last_dof=read(LinkTopology.last_dof),
    offset=read(LinkPose.offset),
    orientation=read(LinkPose.orientation),
    need=read(BodyReaction.need),
    acting=read(BodyReaction.acting),
    total=update(BodyReaction.total),
    wrench=write(BodyReaction.wrench),
):
    """Add what each body takes to what its parent's joint transmits; a free root hangs on nothing."""
    for b in range(bodies):
        for k in range(6):
            for e in lanes:
                total[b, k, e] = need[b, k, e] - acting[b, k, e]
    for b in range(bodies - 1, -1, -1):
        i, p, c = link[b, 0], parent[b, 0], carrier[b, 0]
        held = 0.0 if p < 0 and last_dof[i, 0] >= 0 else 1.0
        j = link[max(p, 0), 0]
        if c != b:
            for k in range(6):
                for e in lanes:
                    total[c, k, e] -= need[b, k, e]
        for e in lanes:
            fx, fy, fz = total[b, 3, e], total[b, 4, e], total[b, 5, e]
            tx, ty, tz = total[b, 0, e], total[b, 1, e], total[b, 2, e]
            w, x, y, z = orientation[i, 0, e], orientation[i, 1, e], orientation[i, 2, e], orientation[i, 3, e]
            rx, ry, rz = rotate(w, x, y, z, place[b, 0, e], place[b, 1, e], place[b, 2, e])
            mx, my, mz = cross(rx, ry, rz, fx, fy, fz)
            w, x, y, z = quaternion_product(w, x, y, z, turn[b, 0, e], turn[b, 1, e], turn[b, 2, e], turn[b, 3, e])
            gx, gy, gz = rotate(w, -x, -y, -z, fx, fy, fz)
            mx, my, mz = rotate(w, -x, -y, -z, tx - mx, ty - my, tz - mz)
            wrench[b, 0, e], wrench[b, 1, e], wrench[b, 2, e] = held * gx, held * gy, held * gz
            wrench[b, 3, e], wrench[b, 4, e], wrench[b, 5, e] = held * mx, held * my, held * mz
        if p >= 0:
            for e in lanes:
                fx, fy, fz = total[b, 3, e], total[b, 4, e], total[b, 5, e]
                rx = offset[i, 0, e] - offset[j, 0, e]
                ry = offset[i, 1, e] - offset[j, 1, e]
                rz = offset[i, 2, e] - offset[j, 2, e]
                mx, my, mz = cross(rx, ry, rz, fx, fy, fz)
                total[p, 0, e] += total[b, 0, e] + mx
                total[p, 1, e] += total[b, 1, e] + my
                total[p, 2, e] += total[b, 2, e] + mz
                total[p, 3, e] += fx
                total[p, 4, e] += fy
                total[p, 5, e] += fz
