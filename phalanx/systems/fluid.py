"""Resistance of a fluid, by MuJoCo's model of inertia boxes.

Each body stands for the box of uniform density that has its mass and principal moments; forces depend on the velocity
relative to the fluid alone (MuJoCo's documentation, "Fluid forces: Inertia model"). With sides r, their mean d, and
velocities v, w along the axes of the box, the force and torque along axis i are

    f_i = -1/2 rho r_j r_k |v_i| v_i - 3 pi beta d v_i
    t_i = -1/64 rho r_i (r_j^4 + r_k^4) |w_i| w_i - pi beta d^3 w_i

with density rho and viscosity beta. They are those of the velocity at the start of a substep, as in MuJoCo, so that
bodies fall at the speed at which drag and weight are equal; but no force or torque is greater than what would stop the
body in the substep by itself, however thick the fluid is.
"""

import math

from phalanx.components import BodyReaction, BodyTopology, DofForce, DofMotion, LinkPose, LinkTopology, Settings
from phalanx.components.fluid import FluidBox, FluidBoxForce, FluidBoxModel, FluidBoxTopology
from phalanx.ecs import function, read, rows, system, update, write
from phalanx.maths.kernels import cross


@function
def resisted(speed, first, second, inertia, h):
    """Force that resists a speed, by the speed and by its square; at most what stops it in a substep."""
    return -speed * min(first + second * math.fabs(speed), inertia / h)


@function
def power_4(x):
    """Its fourth power."""
    return (x * x) * (x * x)


@function
def turned(m0, m1, m2, m3, m4, m5, m6, m7, m8, x, y, z):
    """A vector, by a row-major rotation matrix."""
    return m0 * x + m1 * y + m2 * z, m3 * x + m4 * y + m5 * z, m6 * x + m7 * y + m8 * z


@system(over=FluidBox, phase="dynamics")
def fluid_wrenches(
    f,
    e,
    h=read(Settings.timestep),
    link=read(FluidBoxTopology.link),
    mass=read(FluidBoxModel.mass),
    moments=read(FluidBoxModel.moments),
    sides=read(FluidBoxModel.sides),
    com=read(FluidBoxModel.com),
    axes=read(FluidBoxModel.axes),
    density=read(FluidBoxModel.density),
    viscosity=read(FluidBoxModel.viscosity),
    wind=read(FluidBoxModel.wind),
    last_dof=read(LinkTopology.last_dof),
    rotation=read(LinkPose.rotation),
    velocity=read(DofMotion.velocity),
    wrench=write(FluidBoxForce.wrench),
):
    """Force and torque on each box, about the origin of its link."""
    i = link[f, e]
    d = last_dof[i, e]
    for k in range(6):
        wrench[f, k, e] = 0.0
    if d >= 0:
        step = h[0, e]
        r0, r1, r2 = rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e]
        r3, r4, r5 = rotation[i, 3, e], rotation[i, 4, e], rotation[i, 5, e]
        r6, r7, r8 = rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e]
        a0, a1, a2 = axes[f, 0, e], axes[f, 1, e], axes[f, 2, e]
        a3, a4, a5 = axes[f, 3, e], axes[f, 4, e], axes[f, 5, e]
        a6, a7, a8 = axes[f, 6, e], axes[f, 7, e], axes[f, 8, e]
        x, y, z = com[f, 0, e], com[f, 1, e], com[f, 2, e]
        cx, cy, cz = turned(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z)
        wx, wy, wz = velocity[d, 0, e], velocity[d, 1, e], velocity[d, 2, e]
        x, y, z = cross(wx, wy, wz, cx, cy, cz)
        x, y, z = (
            velocity[d, 3, e] + x - wind[f, 0, e],
            velocity[d, 4, e] + y - wind[f, 1, e],
            velocity[d, 5, e] + z - wind[f, 2, e],
        )
        # along the axes of the box: the inverses of matrices are their transposes
        x, y, z = turned(r0, r3, r6, r1, r4, r7, r2, r5, r8, x, y, z)
        vx, vy, vz = turned(a0, a3, a6, a1, a4, a7, a2, a5, a8, x, y, z)
        x, y, z = turned(r0, r3, r6, r1, r4, r7, r2, r5, r8, wx, wy, wz)
        wx, wy, wz = turned(a0, a3, a6, a1, a4, a7, a2, a5, a8, x, y, z)
        a, b, c = sides[f, 0, e], sides[f, 1, e], sides[f, 2, e]
        mean = (a + b + c) / 3.0
        half = 0.5 * density[f, e]
        thick = math.pi * mean * viscosity[f, e]
        m = mass[f, e]
        x = resisted(vx, 3.0 * thick, half * b * c, m, step)
        y = resisted(vy, 3.0 * thick, half * a * c, m, step)
        z = resisted(vz, 3.0 * thick, half * a * b, m, step)
        x, y, z = turned(a0, a1, a2, a3, a4, a5, a6, a7, a8, x, y, z)
        fx, fy, fz = turned(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z)
        spin = density[f, e] / 64.0
        thick = thick * mean * mean
        x = resisted(wx, thick, spin * a * (power_4(b) + power_4(c)), moments[f, 0, e], step)
        y = resisted(wy, thick, spin * b * (power_4(a) + power_4(c)), moments[f, 1, e], step)
        z = resisted(wz, thick, spin * c * (power_4(a) + power_4(b)), moments[f, 2, e], step)
        x, y, z = turned(a0, a1, a2, a3, a4, a5, a6, a7, a8, x, y, z)
        x, y, z = turned(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z)
        tx, ty, tz = cross(cx, cy, cz, fx, fy, fz)
        wrench[f, 0, e], wrench[f, 1, e], wrench[f, 2, e] = x + tx, y + ty, z + tz
        wrench[f, 3, e], wrench[f, 4, e], wrench[f, 5, e] = fx, fy, fz


@system(over=FluidBox, order="forward", phase="dynamics")
def add_fluid_wrenches(
    f,
    e,
    link=read(FluidBoxTopology.link),
    last_dof=read(LinkTopology.last_dof),
    wrench=read(FluidBoxForce.wrench),
    external=update(DofForce.external),
):
    """Add them to what acts on links from outside, in the order of boxes."""
    d = last_dof[link[f, e], e]
    if d >= 0:
        for k in range(6):
            external[d, k, e] += wrench[f, k, e]


@system(phase="query_joints")
def fluid_reactions(
    lanes,
    count=rows(FluidBox),
    body=read(FluidBoxTopology.body),
    carrier=read(BodyTopology.carrier),
    wrench=read(FluidBoxForce.wrench),
    need=update(BodyReaction.need),
):
    """Joints need not transmit what the fluid does; the body that carries a link answers for all of it."""
    for f in range(count):
        b = body[f, 0]
        c = carrier[b, 0]
        for k in range(6):
            for e in lanes:
                need[b, k, e] -= wrench[f, k, e]
                if c != b:
                    need[c, k, e] -= wrench[f, k, e]
