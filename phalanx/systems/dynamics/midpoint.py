"""The mean velocity of a free turn, with which the solver moves free robots.

A body that turns freely has an angular velocity that changes with its pose, by velocity-product forces. The velocity at
the end of a substep turns it too far, that at its start not far enough; both change its energy by a share of the order
of dt. So before the solver sees the velocity of a free root, it is made the mean of the turn. Constraints then hold for
the way that the robot goes, and those that hold it do no work. The velocity at the end of the substep follows from the
momentum (:mod:`phalanx.systems.dynamics.momentum`).
"""

from phalanx.components import (
    Dof,
    DofForce,
    DofGain,
    DofInertia,
    DofModel,
    DofSolve,
    DofState,
    DofTopology,
    LinkDynamics,
    LinkTopology,
    MassFactor,
    Settings,
    Tree,
    TreeMomentum,
    TreeTopology,
)
from phalanx.ecs import function, read, rows, spread, system, update, write
from phalanx.maths.kernels import cross, symmetric_inverse, symmetric_product

FARTHEST = 2.0
"""rad: substeps that turn a body farther are too long for the series of its turn.

Such a body meets what it meets at the velocity of the substep's start. The first term alone, h w' / 2, may be a hundred
times that: it threw about what touched something while it spun.
"""


@function
def about_centre(m, hx, hy, hz, ixx, ixy, ixz, iyy, iyz, izz):
    """Centre of mass and second moments about it (xx xy xz yy yz zz), from moments about another point."""
    cx, cy, cz = hx / m, hy / m, hz / m
    return (
        cx, cy, cz,
        ixx - (hy * cy + hz * cz), ixy + hx * cy, ixz + hx * cz,
        iyy - (hx * cx + hz * cz), iyz + hy * cz,
        izz - (hx * cx + hy * cy),
    )  # fmt: skip


@function
def turn_series(jxx, jxy, jxz, jyy, jyz, jzz, ixx, ixy, ixz, iyy, iyz, izz, wx, wy, wz, ux, uy, uz, h):
    """Mean angular velocity of a free turn, less w + h u / 2, for the angular velocity w and its rate of change u.

    Seen from the body its momentum l = J w turns: dl/dt = l x w, J dw/dt = l x w, and so on. With w1, w2 and w3 for the
    derivatives of w, the rotation vector is h w + h^2 w1 / 2 + h^3 (w2 / 6 + w x w1 / 12) + h^4 (w3 + w x w2) / 24 +
    O(h^5) (Magnus, On the Exponential Solution of Differential Equations for a Linear Operator, 1954).

    Args:
        jxx, jxy, jxz, jyy, jyz, jzz: J, as xx xy xz yy yz zz.
        ixx, ixy, ixz, iyy, iyz, izz: its inverse.
        wx, wy, wz, ux, uy, uz: w and u.
        h: length of the substep.
    """
    lx, ly, lz = symmetric_product(jxx, jxy, jxz, jyy, jyz, jzz, wx, wy, wz)
    px, py, pz = cross(lx, ly, lz, wx, wy, wz)
    rx, ry, rz = cross(px, py, pz, wx, wy, wz)
    sx, sy, sz = cross(lx, ly, lz, ux, uy, uz)
    qx, qy, qz = rx + sx, ry + sy, rz + sz
    vx, vy, vz = symmetric_product(ixx, ixy, ixz, iyy, iyz, izz, qx, qy, qz)
    rx, ry, rz = cross(qx, qy, qz, wx, wy, wz)
    sx, sy, sz = cross(px, py, pz, ux, uy, uz)
    tx, ty, tz = cross(lx, ly, lz, vx, vy, vz)
    rx, ry, rz = rx + 2.0 * sx + tx, ry + 2.0 * sy + ty, rz + 2.0 * sz + tz
    rx, ry, rz = symmetric_product(ixx, ixy, ixz, iyy, iyz, izz, rx, ry, rz)
    sx, sy, sz = cross(wx, wy, wz, ux, uy, uz)
    tx, ty, tz = cross(wx, wy, wz, vx, vy, vz)
    second = h * h * 0.08333333333333333
    third = 0.5 * h * second
    return (
        second * (2.0 * vx + sx) + third * (rx + tx),
        second * (2.0 * vy + sy) + third * (ry + ty),
        second * (2.0 * vz + sz) + third * (rz + tz),
    )


@system(phase="factorize")
def mean_turn(
    lanes,
    trees=rows(Tree),
    first=read(TreeTopology.first_dof),
    first_link=read(TreeTopology.first_link),
    end_link=read(TreeTopology.end_link),
    is_free=read(TreeTopology.is_free),
    h=read(Settings.timestep),
    prescribed=read(DofModel.prescribed),
    gyroscopic=read(LinkDynamics.gyroscopic),
    composite=read(DofInertia.composite),
    force=read(DofForce.force),
    implicit=read(DofSolve.implicit),
    qd=read(DofState.velocity),
    spherical=read(TreeTopology.spherical),
    keeps_linear=write(TreeMomentum.keeps_linear),
    keeps_angular=write(TreeMomentum.keeps_angular),
    change=write(TreeMomentum.change),
    bend=write(TreeMomentum.bend),
    angular=write(TreeMomentum.angular),
    linear=write(TreeMomentum.linear),
):
    """What velocity-product forces add to the velocity of a free root by the substep's end, beyond its mean.

    They are ``DofForce.force`` of the root, and the robot answers as one body, its joints as they are: I a = -force.
    The centre of mass goes straight, and the velocity of the root is what goes with that, wherever its origin is. The
    momentum that the mean lacks, with that which those forces take, begins the sum of the momentum after the substep.

    Nothing where momentum is not restored: then the velocity of the substep's end is the one that the solver finds.
    """
    for t in spread(trees):
        if is_free[t, 0] == 1:
            r = first[t, 0]
            for e in lanes:
                held = prescribed[r, e] + prescribed[r + 1, e] + prescribed[r + 2, e]
                held += prescribed[r + 3, e] + prescribed[r + 4, e] + prescribed[r + 5, e]
                keeps_linear[t, e] = 1.0 if held == 0 else 0.0
                keeps_angular[t, e] = 1.0 if held == 0 else 0.0
            for i in range(first_link[t, 0], end_link[t, 0]):
                for e in lanes:
                    keeps_angular[t, e] = keeps_angular[t, e] if gyroscopic[i, e] == 1.0 else 0.0
            for e in lanes:
                m, step = composite[r, 0, e], h[0, e]
                cx, cy, cz, jxx, jxy, jxz, jyy, jyz, jzz = about_centre(
                    m, composite[r, 1, e], composite[r, 2, e], composite[r, 3, e], composite[r, 4, e],
                    composite[r, 5, e], composite[r, 6, e], composite[r, 7, e], composite[r, 8, e], composite[r, 9, e],
                )  # fmt: skip
                ixx, ixy, ixz, iyy, iyz, izz, solid = symmetric_inverse(
                    jxx + implicit[r + 3, e], jxy, jxz, jyy + implicit[r + 4, e], jyz, jzz + implicit[r + 5, e]
                )
                alone = spherical[t, 0] == 0  # else :mod:`phalanx.systems.dynamics.pivots` knows the mean
                keeps = keeps_angular[t, e] * (solid if alone else 1.0)
                keeps_angular[t, e] = keeps
                fx, fy, fz = force[r, 3, e], force[r, 4, e], force[r, 5, e]
                x, y, z = cross(cx, cy, cz, fx, fy, fz)
                tx, ty, tz = force[r, 0, e] - x, force[r, 1, e] - y, force[r, 2, e] - z
                ux, uy, uz = symmetric_product(ixx, ixy, ixz, iyy, iyz, izz, -tx, -ty, -tz)
                wx, wy, wz = qd[r + 3, e], qd[r + 4, e], qd[r + 5, e]
                x, y, z = turn_series(
                    jxx, jxy, jxz, jyy, jyz, jzz, ixx, ixy, ixz, iyy, iyz, izz, wx, wy, wz, ux, uy, uz, step
                )
                near = step * step * (wx * wx + wy * wy + wz * wz) < FARTHEST * FARTHEST
                half = 0.5 * step
                ux = half * ux - x if near else step * ux  # the series is worth nothing: as it turns at the start
                uy = half * uy - y if near else step * uy
                uz = half * uz - z if near else step * uz
                ux, uy, uz = keeps * ux, keeps * uy, keeps * uz
                change[t, 3, e], change[t, 4, e], change[t, 5, e] = ux, uy, uz
                x, y, z = cross(ux, uy, uz, cx, cy, cz)
                share = keeps_linear[t, e] / m
                fx, fy, fz = share * fx, share * fy, share * fz
                bend[t, 0, e], bend[t, 1, e], bend[t, 2, e] = -fx, -fy, -fz
                change[t, 0, e], change[t, 1, e], change[t, 2, e] = -step * fx - x, -step * fy - y, -step * fz - z
                x, y, z = symmetric_product(jxx, jxy, jxz, jyy, jyz, jzz, ux, uy, uz)
                half = keeps * half
                angular[t, 0, e] = step * tx + (x if alone else -half * tx)
                angular[t, 1, e] = step * ty + (y if alone else -half * ty)
                angular[t, 2, e] = step * tz + (z if alone else -half * tz)
                linear[t, 0, e], linear[t, 1, e], linear[t, 2, e] = 0.0, 0.0, 0.0


@system(phase="factorize")
def turn_evenly(
    lanes,
    nv=rows(Dof),
    link=read(DofTopology.link),
    first=read(DofTopology.tree_first),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    tree=read(LinkTopology.tree),
    is_free=read(TreeTopology.is_free),
    spherical=read(TreeTopology.spherical),
    change=read(TreeMomentum.change),
    factor=read(MassFactor.value),
    x=update(DofSolve.velocity),
    gain=update(DofGain.velocity),
    forced=update(DofGain.forced),
):
    """Take that back. Joints keep their velocities, which the solver has as u = L v: every u changes."""
    for d in spread(nv):
        t = tree[link[d, 0], 0]
        if is_free[t, 0] == 1 and spherical[t, 0] == 0:
            last = chain[d, 0] + depth[d, 0] - 1  # of the row of L: the root's first dof
            own = d - first[d, 0]
            if own < 6:
                for e in lanes:
                    x[d, e] -= change[t, own, e]
                    gain[d, e] -= change[t, own, e]
                    forced[d, e] -= change[t, own, e]
            for k in range(min(own, 6)):
                for e in lanes:
                    lost = factor[last - k, e] * change[t, k, e]
                    gain[d, e] -= lost
                    forced[d, e] -= lost
