"""Drives: from targets and gains to an effort that is linear in the velocity at the end of the substep."""

import math

from phalanx.components import (
    Coordinate,
    Dof,
    DofInertia,
    DofModel,
    DofMotion,
    DofRow,
    DofSolve,
    DofState,
    DofTopology,
    Drive,
    DriveEffort,
    DriveTarget,
    LinkPose,
    Settings,
)
from phalanx.ecs import function, read, system, write
from phalanx.maths.kernels import cross

LIKELY_SATURATION = 0.5
"""Drives become rows from this share of their effort limit."""

CAUTION = 2.0
"""How much more effort, by the estimate, what is no row yet is expected to give: other joints may go along."""


@function
def inertia_about(ux, uy, uz, x, y, z, m, hx, hy, hz, xx, xy, xz, yy, yz, zz):
    """Inertia about an axis u through x, y, z of what has mass m, first moment h and inertia xx to zz at the origin."""
    ax, ay, az = cross(ux, uy, uz, x, y, z)
    bx, by, bz = cross(ux, uy, uz, hx, hy, hz)
    own = ux * (ux * xx + 2.0 * (uy * xy + uz * xz)) + uy * (uy * yy + 2.0 * uz * yz) + uz * uz * zz
    return own - 2.0 * (ax * bx + ay * by + az * bz) + m * (ax * ax + ay * ay + az * az)


@system(over=Dof, phase="actuate")
def drive_joints(
    d,
    e,
    h=read(Settings.timestep),
    coord=read(DofTopology.coord),
    q=read(Coordinate.value),
    qd=read(DofState.velocity),
    stiffness=read(Drive.stiffness),
    damping=read(Drive.damping),
    limit=read(Drive.effort_limit),
    explicit=read(Drive.explicit),
    target_position=read(DriveTarget.position),
    target_velocity=read(DriveTarget.velocity),
    target_effort=read(DriveTarget.effort),
    passive=read(DofModel.damping),
    impulse=read(DofRow.drive),
    applied=read(DriveEffort.applied),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    first=read(DofTopology.tree_first),
    axis=read(DofMotion.axis),
    origin=read(LinkPose.offset),
    composite=read(DofInertia.composite),
    armature=read(DofModel.armature),
    offset=write(DriveEffort.offset),
    slope=write(DriveEffort.slope),
    row_offset=write(DriveEffort.row_offset),
    row_slope=write(DriveEffort.row_slope),
    implicit=write(DofSolve.implicit),
):
    """effort = kp (q* - q') + kd (v* - v') + feed-forward.

    Implicit drives take q' = q + h v' and v' at the end of the substep: effort = offset - slope v' with slope = kd +
    h kp, which enters the mass matrix as h slope, so gains of any stiffness are stable. A drive that may reach its
    effort limit does not enter the matrix: a row of the constraint solver finds the same effort within bounds.
    (Impulses that take a stiff drive back out of the matrix need not converge.) Explicit drives take q and v at the
    start and are clamped here.

    Rows of stiff drives are nearly rigid, and sweeps leave them far from agreement, so robots trembled on them. At
    rate r an error gives an effort at the start of the substep that is 1 + h r / I times what is left of it once
    joints move, with at most the inertia I of the whole robot about the axis. So it goes by that, and by the effort
    before, whether a drive may reach its limit.
    """
    c = coord[d, e]
    row_offset[d, e] = 0.0
    row_slope[d, e] = 0.0
    if c < 0:
        offset[d, e] = target_effort[d, e]
        slope[d, e] = 0.0
        implicit[d, e] = 0.0
        return
    kp, kd, most = stiffness[d, e], damping[d, e], limit[d, e]
    feed = min(max(target_effort[d, e], -most), most)
    effort = kp * (target_position[d, e] - q[c, e]) + kd * target_velocity[d, e] + feed
    if explicit[d, e] != 0:
        effort = min(max(effort - kd * qd[d, e], -most), most)
        kp, kd = 0.0, 0.0
    rate = kd + h[0, e] * kp
    expected, likely = math.fabs(effort - rate * qd[d, e]), LIKELY_SATURATION * most
    if rate > 0.0 and expected >= likely:
        i, r = link[d, e], first[d, e]
        whole = composite[r, 0, e]
        if angular[d, e] == 1:
            whole = inertia_about(
                axis[d, 0, e], axis[d, 1, e], axis[d, 2, e], origin[i, 0, e], origin[i, 1, e], origin[i, 2, e],
                composite[r, 0, e], composite[r, 1, e], composite[r, 2, e], composite[r, 3, e], composite[r, 4, e],
                composite[r, 5, e], composite[r, 6, e], composite[r, 7, e], composite[r, 8, e], composite[r, 9, e],
            )  # fmt: skip
        stiff = h[0, e] * rate / (whole + armature[d, e])
        expected = expected / (1.0 + stiff if impulse[d, e] != 0.0 else max(stiff / CAUTION, 1.0))
        expected = max(expected, math.fabs(applied[d, e]), math.fabs(impulse[d, e]) / h[0, e])
    if rate > 0.0 and expected >= likely:
        row_offset[d, e] = effort
        row_slope[d, e] = rate
        effort, rate = 0.0, 0.0
    offset[d, e] = effort
    slope[d, e] = rate
    implicit[d, e] = h[0, e] * (rate + passive[d, e])


@system(over=Dof, phase="integrate")
def applied_efforts(
    d,
    e,
    h=read(Settings.timestep),
    offset=read(DriveEffort.offset),
    slope=read(DriveEffort.slope),
    impulse=read(DofRow.drive),
    velocity=read(DofSolve.velocity),
    applied=write(DriveEffort.applied),
):
    """What the drive gave over the substep."""
    applied[d, e] = offset[d, e] - slope[d, e] * velocity[d, e] + impulse[d, e] / h[0, e]
