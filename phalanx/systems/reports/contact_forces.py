"""Contact forces on bodies and links in the last substep, computed when asked for.

Forces on bodies are by themselves, since recordings have them of every step: environments go in step, so that what
neighbours have lies side by side, and contacts without an impulse are passed over.
"""

from phalanx.components import (
    Body,
    BodyContact,
    ContactCount,
    ContactImpulse,
    ContactPoint,
    Link,
    LinkContact,
    LinkPose,
    Settings,
    ShapeTopology,
)
from phalanx.ecs import read, rows, system, update
from phalanx.maths.kernels import cross


@system(phase="query_contacts")
def contact_forces(
    lanes,
    bodies=rows(Body),
    h=read(Settings.timestep),
    link=read(ShapeTopology.link),
    body=read(ShapeTopology.body),
    count=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    impulse=read(ContactImpulse.value),
    force=update(BodyContact.force),
):
    """Sum the contact forces on each body, in the order of slots."""
    for b in range(bodies):
        for k in range(3):
            for e in lanes:
                force[b, k, e] = 0.0
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in range(most):
        for e in lanes:
            if c < count[0, e] and (impulse[c, 0, e] != 0.0 or impulse[c, 1, e] != 0.0 or impulse[c, 2, e] != 0.0):
                nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
                bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
                rate = 1.0 / h[0, e]
                p, q, r = impulse[c, 0, e] * rate, impulse[c, 1, e] * rate, impulse[c, 2, e] * rate
                x, y, z = p * nx + q * tx + r * bx, p * ny + q * ty + r * by, p * nz + q * tz + r * bz
                s, t = shape_a[c, e], shape_b[c, e]
                i, j = body[s, 0], body[t, 0]
                if link[s, 0] >= 0:
                    force[i, 0, e] += x
                    force[i, 1, e] += y
                    force[i, 2, e] += z
                if link[t, 0] >= 0:
                    force[j, 0, e] -= x
                    force[j, 1, e] -= y
                    force[j, 2, e] -= z


@system(phase="query_contact_wrenches")
def contact_wrenches(
    lanes,
    bodies=rows(Body),
    links=rows(Link),
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
    normal_force=update(BodyContact.normal_force),
    wrench=update(LinkContact.wrench),
):
    """Sum normal forces on each body and wrenches on each link, in the order of slots."""
    for b in range(bodies):
        for k in range(3):
            for e in lanes:
                normal_force[b, k, e] = 0.0
    for i in range(links):
        for k in range(6):
            for e in lanes:
                wrench[i, k, e] = 0.0
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
                    normal_force[b, 0, e] += sign * p * nx
                    normal_force[b, 1, e] += sign * p * ny
                    normal_force[b, 2, e] += sign * p * nz
                    ax = (arm_a[c, 0, e] if side == 0 else arm_b[c, 0, e]) - offset[i, 0, e]
                    ay = (arm_a[c, 1, e] if side == 0 else arm_b[c, 1, e]) - offset[i, 1, e]
                    az = (arm_a[c, 2, e] if side == 0 else arm_b[c, 2, e]) - offset[i, 2, e]
                    mx, my, mz = cross(ax, ay, az, fx, fy, fz)
                    wrench[i, 0, e] += mx
                    wrench[i, 1, e] += my
                    wrench[i, 2, e] += mz
                    wrench[i, 3, e] += fx
                    wrench[i, 4, e] += fy
                    wrench[i, 5, e] += fz
