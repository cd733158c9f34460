"""The energy of bodies that spin too fast for their substep: how they lie to the momentum that they keep.

A body that flies keeps its momentum (:mod:`phalanx.systems.dynamics.momentum`), and what it spins at follows from how
it lies to that. Of a slender one a small error of that angle is much energy: a rod that turns over has 300 times as
much where it lies along its momentum, and spins about its thin axis. The mean of its turn
(:mod:`phalanx.systems.dynamics.midpoint`) is a series in the angle of a substep; beyond half a radian its errors added
up, and a rod that was thrown had a hundred times its energy after a second.

So a body that turns that fast is turned, on the shortest way, to where it has the energy that it must have: that of the
substep's start, with what forces and impulses did at the mean velocity, or what damping left. One that is touched only
loses energy by this, since what a blow leaves is known to first order only.
"""

import math

from phalanx.components import (
    Coordinate,
    DofSolve,
    DofState,
    LinkInertia,
    LinkPose,
    LinkTopology,
    Settings,
    Status,
    Tree,
    TreeMomentum,
    TreeTopology,
)
from phalanx.ecs import function, read, system, update
from phalanx.maths.kernels import cross, quaternion_product, rotation_matrix, symmetric_inverse, symmetric_product

FAST = 0.1
"""rad a substep: what turns less is right without this."""

UNRESOLVED = 0.5
"""rad a substep: of what turns farther and is touched the work at the mean velocity is believed, and nothing else."""

MOST_ERROR = 1e-4
"""Share of the energy by which that of a body in flight may be wrong."""

MOST_GAIN = 2e-3
"""The same where it is touched, and may only lose."""

TOUCHED = 1e-3
"""Share of its momentum by which that of a body changes in a substep in which it is touched."""

TURNS = 3
"""Great circles that are gone along, each to where the energy is right on it."""


@function
def into_body(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z):
    """A vector in world axes, in those of a body, by its row-major rotation."""
    return r0 * x + r3 * y + r6 * z, r1 * x + r4 * y + r7 * z, r2 * x + r5 * y + r8 * z


@function
def towards_energy(ixx, ixy, ixz, iyy, iyz, izz, x, y, z, twice, most):
    """The unit vector near to a given one along which momentum has an energy.

    It lies on the great circle along which that changes most.

    Args:
        ixx to izz: inverse of the moments, as xx xy xz yy yz zz.
        x, y, z: unit vector.
        twice: twice the energy, for a momentum of 1.
        most: tangent of the farthest turn.
    """
    ax, ay, az = symmetric_product(ixx, ixy, ixz, iyy, iyz, izz, x, y, z)
    a = ax * x + ay * y + az * z
    ux, uy, uz = ax - a * x, ay - a * y, az - a * z
    steep = math.sqrt(ux * ux + uy * uy + uz * uz)
    scale = 1.0 / steep if steep > 0.0 else 0.0
    ux, uy, uz = scale * ux, scale * uy, scale * uz
    bx, by, bz = symmetric_product(ixx, ixy, ixz, iyy, iyz, izz, ux, uy, uz)
    b = bx * x + by * y + bz * z
    c = bx * ux + by * uy + bz * uz
    middle, half = 0.5 * (a + c), 0.5 * (a - c)
    wide = math.sqrt(half * half + b * b)
    aim = min(max(twice, middle - wide), middle + wide)
    # a + 2 b t + c t^2 = aim (1 + t^2), with t the tangent of the angle: the smaller root
    root = math.sqrt(max((aim - middle + wide) * (middle + wide - aim), 0.0))
    t = (aim - a) / (b + root) if b + root > 0.0 else 0.0
    t = min(max(t, -most), most)
    scale = 1.0 / math.sqrt(1.0 + t * t)
    return scale * (x + t * ux), scale * (y + t * uy), scale * (z + t * uz)


@system(over=Tree, phase="integrate")
def keep_spin_energy(
    t,
    e,
    first=read(TreeTopology.first_dof),
    first_link=read(TreeTopology.first_link),
    end_link=read(TreeTopology.end_link),
    is_free=read(TreeTopology.is_free),
    coord=read(LinkTopology.coord),
    h=read(Settings.timestep),
    diverged=read(Status.diverged),
    moments=read(LinkInertia.inertia),
    rotation=read(LinkPose.rotation),
    keeps=read(TreeMomentum.keeps_angular),
    angular=read(TreeMomentum.angular),
    change=read(TreeMomentum.change),
    solved=read(DofSolve.velocity),
    displacement=read(DofSolve.displacement),
    qd=read(DofState.velocity),
    q=update(Coordinate.value),
):
    """Turn a free body of one link to where it has its energy; see the module."""
    if is_free[t, e] == 0 or end_link[t, e] - first_link[t, e] != 1 or keeps[t, e] == 0.0 or diverged[0, e] != 0:
        return
    r, i, step = first[t, e] + 3, first_link[t, e], h[0, e]
    lx, ly, lz = angular[t, 0, e], angular[t, 1, e], angular[t, 2, e]
    wx, wy, wz = qd[r, e], qd[r + 1, e], qd[r + 2, e]
    vx, vy, vz = solved[r, e], solved[r + 1, e], solved[r + 2, e]
    turn = step * math.sqrt(max(wx * wx + wy * wy + wz * wz, vx * vx + vy * vy + vz * vz))
    x, y, z = displacement[r, e], displacement[r + 1, e], displacement[r + 2, e]
    turn = max(turn, math.sqrt(x * x + y * y + z * z))  # between two blows it may turn faster
    square = lx * lx + ly * ly + lz * lz
    if not (turn > FAST and square > 0.0):
        return
    r0, r1, r2 = rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e]
    r3, r4, r5 = rotation[i, 3, e], rotation[i, 4, e], rotation[i, 5, e]
    r6, r7, r8 = rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e]
    jxx, jxy, jxz = moments[i, 0, e], moments[i, 1, e], moments[i, 2, e]
    jyy, jyz, jzz = moments[i, 3, e], moments[i, 4, e], moments[i, 5, e]
    ixx, ixy, ixz, iyy, iyz, izz, solid = symmetric_inverse(jxx, jxy, jxz, jyy, jyz, jzz)
    if not solid > 0.0:
        return
    wx, wy, wz = into_body(r0, r1, r2, r3, r4, r5, r6, r7, r8, wx, wy, wz)
    vx, vy, vz = into_body(r0, r1, r2, r3, r4, r5, r6, r7, r8, vx, vy, vz)
    mx, my, mz = into_body(
        r0, r1, r2, r3, r4, r5, r6, r7, r8, change[t, 3, e], change[t, 4, e], change[t, 5, e]
    )  # fmt: skip
    ax, ay, az = into_body(r0, r1, r2, r3, r4, r5, r6, r7, r8, lx, ly, lz)
    # what the body had, and what it has at the mean velocity, before and after forces and impulses
    px, py, pz = symmetric_product(jxx, jxy, jxz, jyy, jyz, jzz, wx, wy, wz)
    had = px * wx + py * wy + pz * wz
    x, y, z = cross(px, py, pz, wx, wy, wz)
    ux, uy, uz = symmetric_product(ixx, ixy, ixz, iyy, iyz, izz, x, y, z)
    mx, my, mz = wx + step * ux - mx, wy + step * uy - my, wz + step * uz - mz
    x, y, z = symmetric_product(jxx, jxy, jxz, jyy, jyz, jzz, mx, my, mz)
    ux, uy, uz = symmetric_product(jxx, jxy, jxz, jyy, jyz, jzz, vx, vy, vz)
    aim = max(had - (x * mx + y * my + z * mz) + (ux * vx + uy * vy + uz * vz), 0.0)
    x, y, z = ax - px, ay - py, az - pz
    touched = x * x + y * y + z * z > TOUCHED * TOUCHED * square
    began = px * px + py * py + pz * pz
    x, y, z = symmetric_product(ixx, ixy, ixz, iyy, iyz, izz, ax, ay, az)
    struck = ax * x + ay * y + az * z  # had it been struck at the start
    aim = max(aim, struck) if touched and turn < UNRESOLVED else aim
    aim = aim if touched else had * square / began
    k = coord[i, e] + 3
    qw, qx, qy, qz = q[k, e], q[k + 1, e], q[k + 2, e], q[k + 3, e]
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = rotation_matrix(qw, qx, qy, qz)
    ax, ay, az = into_body(r0, r1, r2, r3, r4, r5, r6, r7, r8, lx, ly, lz)
    x, y, z = symmetric_product(ixx, ixy, ixz, iyy, iyz, izz, ax, ay, az)
    has = ax * x + ay * y + az * z
    slack = (MOST_ERROR if not touched else MOST_GAIN) * max(aim, has)
    if not (has > aim + slack or (not touched and has < aim - slack)):
        return
    scale = 1.0 / math.sqrt(square)
    ax, ay, az = scale * ax, scale * ay, scale * az
    x, y, z = ax, ay, az
    for _ in range(TURNS):
        x, y, z = towards_energy(ixx, ixy, ixz, iyy, iyz, izz, x, y, z, aim / square, turn)
    # the shortest turn from there to the momentum
    w = 1.0 + x * ax + y * ay + z * az
    ux, uy, uz = cross(x, y, z, ax, ay, az)
    scale = 1.0 / math.sqrt(w * w + ux * ux + uy * uy + uz * uz) if w > 0.0 else 0.0
    if scale > 0.0:
        qw, qx, qy, qz = quaternion_product(qw, qx, qy, qz, scale * w, scale * ux, scale * uy, scale * uz)
        scale = 1.0 / math.sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
        q[k, e], q[k + 1, e], q[k + 2, e], q[k + 3, e] = scale * qw, scale * qx, scale * qy, scale * qz
