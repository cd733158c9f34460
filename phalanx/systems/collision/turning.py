"""What turns under a body takes it along an arc: on a turntable, in a gripper that swings.

Within a substep a point of a kinematic body or of an arm goes along an arc, and the centre of mass of a loose body
straight. If surfaces stuck at the velocity that they have at the start, the body would move outwards by half of
timestep^2 times the acceleration of the arc in each substep. So they stick at the mean velocity over the substep of
the surface at the place of contact, which goes along with the body: v + h / 2 (a + w x (u - v)), for a surface that
moves at v, accelerates by a while dofs keep their velocities, and turns at w, and a body that moves at u.
"""

from phalanx.components import (
    Contact,
    ContactCount,
    ContactPoint,
    ContactSurface,
    DofInertia,
    DofMotion,
    LinkPose,
    LinkTopology,
    Settings,
    ShapeTopology,
    TreeTopology,
)
from phalanx.ecs import read, system, update
from phalanx.maths.kernels import cross

LEAST = 1e-7
"""m/s: less is not worth that what rests should stay awake for it."""


@system(over=Contact, phase="collide", used="count", only_with="surface_drifts")
def arc_drifts(
    c,
    e,
    count=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    link=read(ShapeTopology.link),
    dof=read(ShapeTopology.dof),
    tree=read(LinkTopology.tree),
    root=read(LinkTopology.root),
    last=read(LinkTopology.last_dof),
    is_free=read(TreeTopology.is_free),
    yields=read(TreeTopology.yields),
    first=read(TreeTopology.first_dof),
    offset=read(LinkPose.offset),
    composite=read(DofInertia.composite),
    velocity=read(DofMotion.velocity),
    acceleration=read(DofMotion.acceleration),
    h=read(Settings.timestep),
    drift=update(ContactSurface.drift),
):
    """Add that to the drift of surfaces; of kinematic bodies and robots with a fixed base, under what flies freely."""
    if c >= count[0, e]:
        return
    a, b = shape_a[c, e], shape_b[c, e]
    i, j = link[a, e], link[b, e]
    if dof[a, e] < 0 or dof[b, e] < 0:
        return
    s, t = tree[i, e], tree[j, e]
    loose_a, loose_b = is_free[s, e] == 1 and yields[s, e] == 1, is_free[t, e] == 1 and yields[t, e] == 1
    if loose_a == loose_b:
        return
    sign = 1.0 if loose_b else -1.0
    f = j if loose_b else i
    k, d = dof[a, e] if loose_b else dof[b, e], last[root[f, e], e]
    i = i if loose_b else j
    m = composite[first[t if loose_b else s, e], 0, e]
    d0 = first[t if loose_b else s, e]
    x, y, z = composite[d0, 1, e] / m, composite[d0, 2, e] / m, composite[d0, 3, e] / m
    x, y, z = cross(velocity[d, 0, e], velocity[d, 1, e], velocity[d, 2, e], x, y, z)
    ux, uy, uz = velocity[d, 3, e] + x, velocity[d, 4, e] + y, velocity[d, 5, e] + z
    rx = (arm_a[c, 0, e] if loose_b else arm_b[c, 0, e]) - offset[i, 0, e]
    ry = (arm_a[c, 1, e] if loose_b else arm_b[c, 1, e]) - offset[i, 1, e]
    rz = (arm_a[c, 2, e] if loose_b else arm_b[c, 2, e]) - offset[i, 2, e]
    wx, wy, wz = velocity[k, 0, e], velocity[k, 1, e], velocity[k, 2, e]
    # w x (w x r) of a and w x (u - v) of the place: together w x (u - velocity of the origin)
    x, y, z = cross(wx, wy, wz, ux - velocity[k, 3, e], uy - velocity[k, 4, e], uz - velocity[k, 5, e])
    ax, ay, az = cross(acceleration[k, 0, e], acceleration[k, 1, e], acceleration[k, 2, e], rx, ry, rz)
    half = 0.5 * h[0, e] * sign
    x = half * (x + ax + acceleration[k, 3, e])
    y = half * (y + ay + acceleration[k, 4, e])
    z = half * (z + az + acceleration[k, 5, e])
    tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
    bx, by, bz = cross(normal[c, 0, e], normal[c, 1, e], normal[c, 2, e], tx, ty, tz)
    one, two = x * tx + y * ty + z * tz, x * bx + y * by + z * bz
    if one * one + two * two > LEAST * LEAST:
        drift[c, 0, e] += one
        drift[c, 1, e] += two
