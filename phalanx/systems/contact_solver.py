"""Solve contacts, and what they transmit.

Contacts have an elliptic (Coulomb) friction cone: the tangential impulse sticks up to the static coefficient times the
normal impulse, and slides at the dynamic one.
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
    Dof,
    DofSolve,
    DofTopology,
    GroundMaterial,
    GroundPlane,
    PlanePair,
    PlanePairMaterial,
    PlanePairTopology,
    Scratch,
    Settings,
    Sweep,
)
from phalanx.ecs import read, real, rows, system, update, write
from phalanx.systems.math3d import cross
from phalanx.systems.sweeps import CORRECTION


@system(phase="solve", after=("start_sweeps", "warm_start_dofs", "warm_start_mimics"))
def warm_start_contacts(
    lanes,
    nv=rows(Dof),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    count=read(ContactCount.current),
    dof=read(ContactPoint.dof),
    impulse=read(ContactImpulse.value),
    response=read(ContactResponse.velocity),
    change=update(Scratch.change),
    v=update(DofSolve.velocity),
):
    """Apply the impulses of the substep before."""
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


@system(phase="sweep", after=("sweep_dofs", "sweep_mimics"), before="advance")
def sweep_contacts(
    lanes,
    nv=rows(Dof),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    index=read(Sweep.index),
    fastest_push=read(Settings.max_depenetration_velocity),
    threshold=read(Settings.bounce_threshold),
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
    """Solve each contact in turn, given all others."""
    most = 0
    sweep = 0
    for e in lanes:
        most = max(most, count[0, e])
        sweep = index[0, e]
    moving = position_sweeps[0, 0]
    share = 1.0 / real(moving)
    pushing = sweep < moving
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
