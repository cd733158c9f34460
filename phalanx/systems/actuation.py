"""Drives: from targets and gains to an effort that is linear in the velocity at the end of the substep."""

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
    offset=write(DriveEffort.offset),
    slope=write(DriveEffort.slope),
    implicit=write(DofSolve.implicit),
):
    """effort = kp (q* - q') + kd (v* - v') + feed-forward.

    Implicit drives take q' = q + h v' and v' at the end of the substep: effort = offset - slope v' with
    slope = kd + h kp, which enters the mass matrix as h slope, so gains of any stiffness are stable; the effort limit is
    kept by the constraint solver. Explicit drives take q and v at the start and are clamped here.
    """
    c = coord[d, e]
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
    saturation=read(DofRow.saturation),
    velocity=read(DofSolve.velocity),
    applied=write(DriveEffort.applied),
):
    """What the drive gave over the substep."""
    applied[d, e] = offset[d, e] - slope[d, e] * velocity[d, e] + saturation[d, e] / h[0, e]
