"""The constraint solver: temporal Gauss-Seidel on velocities, with warm start.

Each position sweep stands for a part of the substep: it makes the velocities satisfy all constraints, given how far
the robot has moved in the sweeps before, and then moves it by that part (Macklin et al., Small Steps in Physics
Simulation, 2019, in the form PhysX calls TGS). Penetration is pushed out by moving the robot alone, no faster than a
cap: a push-out velocity, taken away again, leaves a rest that lets boxes rock. The velocity sweeps that follow apply
restitution and drop the push-out of limits.

Impulses act through precomputed responses: v += response * change. Contacts have an elliptic (Coulomb) friction cone:
the tangential impulse sticks up to the static coefficient times the normal impulse, and slides at the dynamic one.
"""

import math

from phalanx.components import (
    ContactBlock,
    ContactCount,
    ContactForce,
    ContactImpulse,
    ContactJacobian,
    ContactPoint,
    ContactResponse,
    Coordinate,
    Dof,
    DofLimit,
    DofModel,
    DofResponse,
    DofRow,
    DofSolve,
    DofTopology,
    Drive,
    DriveEffort,
    GroundMaterial,
    GroundPlane,
    Mimic,
    MimicConstraint,
    PlanePair,
    PlanePairMaterial,
    PlanePairTopology,
    Scratch,
    Settings,
)
from phalanx.ecs import function, read, real, rows, system, update, write
from phalanx.systems.math3d import cross

CORRECTION = 0.3
"""Share of a remaining position error that a position sweep takes out."""


@function
def solve_dof(w, y, push, slope, most, rub, low, high):
    """All constraints of one dof at once, given all others.

    Friction, a drive with an effort limit, and bounds on the velocity act on the same number, so they are solved
    together exactly: one after the other they would take many sweeps to agree.

    Args:
        w: velocity without this dof's own impulses.
        y: velocity change per unit impulse.
        push, slope: the drive's impulse is push - slope * velocity, as far as
        most: the bound on the drive's impulse, allows.
        rub: bound on the friction impulse.
        low, high: bounds on the velocity.

    Returns:
        The impulses of friction, of the drive, and of the bounds.
    """
    # With friction r and drive(v) = clamp(push - slope v), v solves v = w + y (r + drive(v)), where v - y drive(v)
    # grows with v.
    rubs = min(max(-w / y - min(max(push, -most), most), -rub), rub)
    w = w + y * rubs
    drive = min(max(push - slope * ((w + y * push) / (1.0 + y * slope)), -most), most)
    v = w + y * drive
    held = max(min(v, high), low)
    drive = drive if held == v else min(max(push - slope * held, -most), most)
    stops = 0.0 if held == v else (held - w) / y - drive
    return rubs, drive, stops


@system(phase="solve", before="solve_constraints")
def warm_start(
    lanes,
    nv=rows(Dof),
    mimics=rows(Mimic),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    active=read(DofRow.active),
    friction=read(DofRow.friction),
    drive=read(DofRow.drive),
    stop=read(DofRow.stop),
    dof_response=read(DofResponse.velocity),
    follower=read(MimicConstraint.follower),
    leader=read(MimicConstraint.leader),
    multiplier=read(MimicConstraint.multiplier),
    mimic_impulse=read(MimicConstraint.impulse),
    count=read(ContactCount.current),
    dof=read(ContactPoint.dof),
    impulse=read(ContactImpulse.value),
    response=read(ContactResponse.velocity),
    change=update(Scratch.change),
    v=update(DofSolve.velocity),
    displacement=write(DofSolve.displacement),
):
    """Apply the impulses of the substep before."""
    for d in range(nv):
        for e in lanes:
            displacement[d, e] = 0.0
    for d in range(nv):
        on = 0
        for e in lanes:
            on |= active[d, e]
        if on != 0:
            for e in lanes:
                total = friction[d, e] + drive[d, e] + stop[d, e]
                change[0, 0, e] = total if active[d, e] == 1 else 0.0
            for k in range(first[d, 0], end[d, 0]):
                for e in lanes:
                    v[k, e] += dof_response[d * nv + k, e] * change[0, 0, e]
    for m in range(mimics):
        i, j = follower[m, 0], leader[m, 0]
        for k in range(first[i, 0], end[i, 0]):
            for e in lanes:
                both = dof_response[i * nv + k, e] - multiplier[m, e] * dof_response[j * nv + k, e]
                v[k, e] += both * mimic_impulse[m, e]
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in range(most):
        low = nv
        high = 0
        for e in lanes:
            if c < count[0, e]:
                low = min(low, first[dof[c, e], 0])
                high = max(high, end[dof[c, e], 0])
            for r in range(3):
                change[0, r, e] = impulse[c, r, e] if c < count[0, e] else 0.0
        for k in range(low, high):
            for e in lanes:
                v[k, e] += (
                    response[c * nv + k, 0, e] * change[0, 0, e]
                    + response[c * nv + k, 1, e] * change[0, 1, e]
                    + response[c * nv + k, 2, e] * change[0, 2, e]
                )


@system(phase="solve")
def solve_constraints(
    lanes,
    nv=rows(Dof),
    mimics=rows(Mimic),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    coord=read(DofTopology.coord),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    velocity_sweeps=read(Settings.velocity_iterations),
    fastest_push=read(Settings.max_depenetration_velocity),
    threshold=read(Settings.bounce_threshold),
    q=read(Coordinate.value),
    active=read(DofRow.active),
    scalar=read(DofTopology.scalar),
    low_limit=read(DofLimit.lower),
    high_limit=read(DofLimit.upper),
    fastest=read(DofLimit.velocity),
    friction=read(DofModel.friction),
    row_offset=read(DriveEffort.row_offset),
    row_slope=read(DriveEffort.row_slope),
    most_effort=read(Drive.effort_limit),
    rub=update(DofRow.friction),
    drive=update(DofRow.drive),
    stop=update(DofRow.stop),
    dof_response=read(DofResponse.velocity),
    follower=read(MimicConstraint.follower),
    leader=read(MimicConstraint.leader),
    multiplier=read(MimicConstraint.multiplier),
    mimic_offset=read(MimicConstraint.offset),
    mimic_impulse=update(MimicConstraint.impulse),
    count=read(ContactCount.current),
    dof=read(ContactPoint.dof),
    shape=read(ContactPoint.shape),
    separation=read(ContactPoint.separation),
    approach=read(ContactPoint.approach),
    plane=read(PlanePairTopology.plane),
    static_a=read(PlanePairMaterial.static_friction),
    static_b=read(GroundMaterial.static_friction),
    dynamic_a=read(PlanePairMaterial.dynamic_friction),
    dynamic_b=read(GroundMaterial.dynamic_friction),
    bounce_a=read(PlanePairMaterial.restitution),
    bounce_b=read(GroundMaterial.restitution),
    jacobian=read(ContactJacobian.value),
    response=read(ContactResponse.velocity),
    block_normal=read(ContactBlock.normal),
    block_tangent=read(ContactBlock.tangent),
    impulse=update(ContactImpulse.value),
    sum=update(Scratch.sum),
    change=update(Scratch.change),
    v=update(DofSolve.velocity),
    displacement=update(DofSolve.displacement),
):
    """Sweep over dof rows, mimic rows and contacts."""
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    moving = position_sweeps[0, 0]
    share = 1.0 / real(moving)
    for sweep in range(moving + velocity_sweeps[0, 0]):
        pushing = sweep < moving
        for d in range(nv):
            on = 0
            for e in lanes:
                on |= active[d, e]
            if scalar[d, 0] == 0:
                on = 0
            if on != 0:
                for e in lanes:
                    here = active[d, e] == 1
                    y = dof_response[d * nv + d, e]
                    part = h[0, e] * share if pushing else h[0, e]
                    correct = CORRECTION if pushing else 0.0
                    w = v[d, e]
                    own = rub[d, e] + drive[d, e] + stop[d, e]
                    # position limits: at most reach them within the part of the substep that this sweep stands for
                    x = q[coord[d, 0], e] + displacement[d, e]
                    gap = x - low_limit[d, e]
                    slowest = -gap / part if gap > 0.0 else min(-gap * correct / part, fastest_push[0, e])
                    gap = high_limit[d, e] - x
                    quickest = gap / part if gap > 0.0 else max(gap * correct / part, -fastest_push[0, e])
                    rubs, drives, stops = solve_dof(
                        w - y * own,
                        y,
                        h[0, e] * row_offset[d, e],
                        h[0, e] * row_slope[d, e],
                        h[0, e] * most_effort[d, e],
                        h[0, e] * friction[d, e],
                        max(slowest, -fastest[d, e]),
                        min(quickest, fastest[d, e]),
                    )
                    rub[d, e] = rubs if here else rub[d, e]
                    drive[d, e] = drives if here else drive[d, e]
                    stop[d, e] = stops if here else stop[d, e]
                    change[0, 0, e] = rubs + drives + stops - own if here else 0.0
                for k in range(first[d, 0], end[d, 0]):
                    for e in lanes:
                        v[k, e] += dof_response[d * nv + k, e] * change[0, 0, e]
        for m in range(mimics):
            i, j = follower[m, 0], leader[m, 0]
            for e in lanes:
                part = h[0, e] * share
                ratio = multiplier[m, e]
                error = q[coord[i, 0], e] + displacement[i, e] - mimic_offset[m, e]
                error = error - ratio * (q[coord[j, 0], e] + displacement[j, e])
                goal = -CORRECTION * error / part if pushing else 0.0
                yii, yij, yjj = dof_response[i * nv + i, e], dof_response[i * nv + j, e], dof_response[j * nv + j, e]
                y = yii - ratio * (yij + yij) + ratio * ratio * yjj
                change[0, 0, e] = (goal - (v[i, e] - ratio * v[j, e])) / y
                mimic_impulse[m, e] += change[0, 0, e]
            for k in range(first[i, 0], end[i, 0]):
                for e in lanes:
                    both = dof_response[i * nv + k, e] - multiplier[m, e] * dof_response[j * nv + k, e]
                    v[k, e] += both * change[0, 0, e]
        for c in range(most):
            low = nv
            high = 0
            for e in lanes:
                if c < count[0, e]:
                    low = min(low, first[dof[c, e], 0])
                    high = max(high, end[dof[c, e], 0])
                sum[0, 0, e] = 0.0
                sum[0, 1, e] = 0.0
                sum[0, 2, e] = 0.0
                sum[0, 3, e] = 0.0
            base = c * nv
            for k in range(low, high):
                for e in lanes:
                    u = v[k, e]
                    sum[0, 0, e] += jacobian[base + k, 0, e] * u
                    sum[0, 1, e] += jacobian[base + k, 1, e] * u
                    sum[0, 2, e] += jacobian[base + k, 2, e] * u
                    sum[0, 3, e] += jacobian[base + k, 0, e] * displacement[k, e]
            for e in lanes:
                here = c < count[0, e]
                s = shape[c, e] if here else 0
                p = plane[s, 0]
                part = h[0, e] * share if pushing else h[0, e]
                gap = (separation[c, e] if here else 0.0) + sum[0, 3, e]
                goal = -gap / part if gap > 0.0 else 0.0
                now = impulse[c, 0, e]
                bounce = 0.5 * (bounce_a[s, e] + bounce_b[p, e]) * -approach[c, e]
                bounces = not pushing and now > 0.0 and approach[c, e] < -threshold[0, e]
                goal = max(goal, bounce) if bounces else goal
                y = block_normal[c, e]
                # A velocity sweep must not brake what has yet to arrive, or it would arrive too slow to bounce.
                solid = here and y > 0.0 and (pushing or gap <= 0.0 or now > 0.0)
                new = max(now + (goal - sum[0, 0, e]) / y, 0.0) if solid else now
                change[0, 0, e] = new - now
                impulse[c, 0, e] = new
                # Penetration moves the robot but leaves no velocity; no point goes faster than the cap.
                lift = min(-gap * CORRECTION, fastest_push[0, e] * part * real(sweep + 1) - sum[0, 3, e])
                change[0, 1, e] = max(lift, 0.0) / y if pushing and solid else 0.0
            for k in range(low, high):
                for e in lanes:
                    w = v[k, e] + response[base + k, 0, e] * change[0, 0, e]
                    v[k, e] = w
                    displacement[k, e] += response[base + k, 0, e] * change[0, 1, e]
                    sum[0, 1, e] += jacobian[base + k, 1, e] * response[base + k, 0, e] * change[0, 0, e]
                    sum[0, 2, e] += jacobian[base + k, 2, e] * response[base + k, 0, e] * change[0, 0, e]
            for e in lanes:
                here = c < count[0, e]
                s = shape[c, e] if here else 0
                p = plane[s, 0]
                y11, y12, y22 = block_tangent[c, 0, e], block_tangent[c, 1, e], block_tangent[c, 2, e]
                now1, now2 = impulse[c, 1, e], impulse[c, 2, e]
                new1 = now1 - (y11 * sum[0, 1, e] + y12 * sum[0, 2, e])
                new2 = now2 - (y12 * sum[0, 1, e] + y22 * sum[0, 2, e])
                stick = 0.5 * (static_a[s, e] + static_b[p, e]) * impulse[c, 0, e]
                slide = 0.5 * (dynamic_a[s, e] + dynamic_b[p, e]) * impulse[c, 0, e]
                # What slides steps by one number for both tangents: only then does it settle opposite to the velocity.
                slides = new1 * new1 + new2 * new2 > stick * stick
                step = block_tangent[c, 3, e]
                new1 = now1 - step * sum[0, 1, e] if slides else new1
                new2 = now2 - step * sum[0, 2, e] if slides else new2
                length = math.sqrt(new1 * new1 + new2 * new2)
                scale = slide / length if slides and length > 0.0 else 1.0
                new1, new2 = new1 * scale, new2 * scale
                change[0, 1, e] = new1 - now1 if here else 0.0
                change[0, 2, e] = new2 - now2 if here else 0.0
                impulse[c, 1, e] = new1 if here else now1
                impulse[c, 2, e] = new2 if here else now2
            for k in range(low, high):
                for e in lanes:
                    v[k, e] += response[base + k, 1, e] * change[0, 1, e] + response[base + k, 2, e] * change[0, 2, e]
        if pushing:
            for d in range(nv):
                for e in lanes:
                    displacement[d, e] += v[d, e] * (h[0, e] * share)


@system(phase="integrate")
def contact_forces(
    lanes,
    shapes=rows(PlanePair),
    h=read(Settings.timestep),
    plane=read(PlanePairTopology.plane),
    normal=read(GroundPlane.normal),
    tangent=read(GroundPlane.tangent),
    count=read(ContactCount.current),
    shape=read(ContactPoint.shape),
    impulse=read(ContactImpulse.value),
    force=write(ContactForce.force),
):
    """Force on each shape from its contacts."""
    for s in range(shapes):
        for e in lanes:
            force[s, 0, e] = 0.0
            force[s, 1, e] = 0.0
            force[s, 2, e] = 0.0
    for e in lanes:
        for c in range(count[0, e]):
            s = shape[c, e]
            p = plane[s, 0]
            nx, ny, nz = normal[p, 0, e], normal[p, 1, e], normal[p, 2, e]
            tx, ty, tz = tangent[p, 0, e], tangent[p, 1, e], tangent[p, 2, e]
            bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
            a, b, d = impulse[c, 0, e] / h[0, e], impulse[c, 1, e] / h[0, e], impulse[c, 2, e] / h[0, e]
            force[s, 0, e] += a * nx + b * tx + d * bx
            force[s, 1, e] += a * ny + b * ty + d * by
            force[s, 2, e] += a * nz + b * tz + d * bz
