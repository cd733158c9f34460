"""Drives: from targets and gains to an effort that is linear in the velocity at the end of the substep."""

import math

from phalanx.components import (
    Coordinate,
    Dof,
    DofModel,
    DofRow,
    DofSolve,
    DofState,
    DofTopology,
    Drive,
    DriveEffort,
    DriveTarget,
    Settings,
)
from phalanx.ecs import read, system, write

LIKELY_SATURATION = 0.5
"""Drives become rows from this share of their effort limit."""


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
    expected = max(math.fabs(effort - rate * qd[d, e]), math.fabs(impulse[d, e]) / h[0, e])
    if rate > 0.0 and expected >= LIKELY_SATURATION * most:
        row_offset[d, e] = effort
        row_slope[d, e] = rate
        effort, rate = 0.0, 0.0
    offset[d, e] = effort
    slope[d, e] = rate
    implicit[d, e] = h[0, e] * (rate + passive[d, e])


@system(over=Dof, phase="integrate", before="check_finite")
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
