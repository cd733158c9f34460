"""Semi-implicit Euler: the solved velocity moves the coordinates."""

import math

from phalanx.components import (
    Coord,
    Coordinate,
    Dof,
    DofLimit,
    DofSolve,
    DofState,
    Link,
    LinkTopology,
    Settings,
    Status,
)
from phalanx.components.link import FIXED, FREE, PRISMATIC, REVOLUTE
from phalanx.ecs import read, rows, system, update
from phalanx.maths.kernels import quaternion_product, rotation_step

LARGEST = 1e9
FARTHEST = 1e30


@system(phase="integrate")
def check_finite(
    lanes,
    nv=rows(Dof),
    nq=rows(Coord),
    velocity=read(DofSolve.velocity),
    q=read(Coordinate.value),
    diverged=update(Status.diverged),
):
    """Freeze environments where a new velocity is not a number or absurd, or a coordinate not finite; others go on.

    A body alone in the air moves on at a finite velocity even if it is nowhere.
    """
    for d in range(nv):
        for e in lanes:
            if not (math.fabs(velocity[d, e]) < LARGEST):
                diverged[0, e] = 1
    for k in range(nq):
        for e in lanes:
            if not (math.fabs(q[k, e]) < FARTHEST):
                diverged[0, e] = 1


@system(over=Dof, phase="integrate")
def update_velocities(
    d,
    e,
    h=read(Settings.timestep),
    diverged=read(Status.diverged),
    fastest=read(DofLimit.velocity),
    solved=read(DofSolve.velocity),
    velocity=update(DofState.velocity),
    acceleration=update(DofState.acceleration),
):
    """Take over the solved velocity, within the joint's speed limit; a frozen environment stands still.

    Of a free robot the root gets back the momentum that cutting a joint's speed takes.
    """
    frozen = diverged[0, e] != 0
    new = 0.0 if frozen else min(max(solved[d, e], -fastest[d, e]), fastest[d, e])
    acceleration[d, e] = 0.0 if frozen else (new - velocity[d, e]) / h[0, e]
    velocity[d, e] = new


@system(over=Link, phase="integrate")
def update_coordinates(
    i,
    e,
    joint_type=read(LinkTopology.joint_type),
    coord=read(LinkTopology.coord),
    first_dof=read(LinkTopology.first_dof),
    diverged=read(Status.diverged),
    displacement=read(DofSolve.displacement),
    q=update(Coordinate.value),
):
    """Move coordinates by the substep's displacement; quaternions turn by the rotation vector and are renormalised."""
    kind = joint_type[i, e]
    k = coord[i, e]
    d = first_dof[i, e]
    if kind == REVOLUTE or kind == PRISMATIC:
        q[k, e] = q[k, e] if diverged[0, e] != 0 else q[k, e] + displacement[d, e]
        return
    if kind == FIXED:
        return
    alive = 0.0 if diverged[0, e] != 0 else 1.0
    if kind == FREE:
        for j in range(3):
            q[k + j, e] = q[k + j, e] + (displacement[d + j, e] if alive == 1.0 else 0.0)
        k = k + 3
        d = d + 3
    rx = displacement[d, e] if alive == 1.0 else 0.0
    ry = displacement[d + 1, e] if alive == 1.0 else 0.0
    rz = displacement[d + 2, e] if alive == 1.0 else 0.0
    sw, sx, sy, sz = rotation_step(rx, ry, rz)
    w, x, y, z = quaternion_product(sw, sx, sy, sz, q[k, e], q[k + 1, e], q[k + 2, e], q[k + 3, e])
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    q[k, e], q[k + 1, e], q[k + 2, e], q[k + 3, e] = w * scale, x * scale, y * scale, z * scale
