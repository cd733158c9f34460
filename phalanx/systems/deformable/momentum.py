"""The momentum of a body over a substep: what gravity, contacts and attachments have given it, and nothing else.

Implicit Euler turns a spinning body's momentum into nothing, little by little, and Gauss-Seidel that has not come to
its end makes some of its own. So at the end of a substep each body gets the velocity, and the spin about its centre of
mass, that are missing to what it must have. Bodies of which the user holds nodes do without.
"""

from phalanx.components import (
    AttachedNode,
    Deformable,
    DeformableDynamics,
    DeformableModes,
    DeformableMomentum,
    DeformableMotion,
    DeformableSettings,
    DeformableTopology,
    Node,
    NodeAttachmentPoint,
    NodeAttachmentState,
    NodeContactState,
    NodeGroup,
    NodeGroupSums,
    NodeGroupTopology,
    NodeModel,
    NodeState,
    NodeTarget,
    NodeTopology,
    Settings,
    Status,
)
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import read, real, rows, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.sweep import solve_symmetric

THIN = 1e-9
"""Share of a body's inertia that it has about any axis, be it as thin as a rope."""

FAR = 0.01
"""A body's origin follows its centre of mass when that is farther away than this share of the radius of gyration. At
rest it stays, to the bit; in motion, sums about the one are nearly those about the other, and keep their digits."""


@system(over=NodeGroup, phase="deform_momentum", in_step=True, sums=True)
def sum_momenta(
    g,
    e,
    first=read(NodeGroupTopology.first_node),
    end=read(NodeGroupTopology.end_node),
    inert=read(NodeGroupTopology.inert),
    surface=read(NodeTopology.surface),
    mass=read(NodeModel.mass),
    target=read(NodeTarget.held),
    position=read(NodeState.position),
    velocity=read(NodeState.velocity),
    pair=read(NodeContactState.pair),
    push=read(NodeContactState.impulse),
    turn=read(NodeContactState.moment),
    tied=read(AttachedNode.attachment),
    pull=read(NodeAttachmentState.impulse),
    twist=read(NodeAttachmentPoint.moment),
    moments=write(NodeGroupSums.moments),
    momentum=write(NodeGroupSums.momentum),
    impulse=write(NodeGroupSums.impulse),
    held=write(NodeGroupSums.held),
):
    """Over a group's nodes."""
    s, sx, sy, sz = 0.0, 0.0, 0.0, 0.0
    sxx, sxy, sxz, syy, syz, szz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    px, py, pz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    fixed = 0.0
    for v in range(first[g, e], end[g, e]):
        m = inert[g, e] * mass[v, e]
        x, y, z = position[v, 0, e], position[v, 1, e], position[v, 2, e]
        qx, qy, qz = m * velocity[v, 0, e], m * velocity[v, 1, e], m * velocity[v, 2, e]
        ux, uy, uz = cross(x, y, z, qx, qy, qz)
        px, py, pz, lx, ly, lz = px + qx, py + qy, pz + qz, lx + ux, ly + uy, lz + uz
        s, sx, sy, sz = s + m, sx + m * x, sy + m * y, sz + m * z
        sxx, sxy, sxz = sxx + m * x * x, sxy + m * x * y, sxz + m * x * z
        syy, syz, szz = syy + m * y * y, syz + m * y * z, szz + m * z * z
        fixed += 1.0 if target[v, e] != 0 else 0.0
        a = tied[v, e]
        if a >= 0:
            fx, fy, fz = fx + pull[a, 0, e], fy + pull[a, 1, e], fz + pull[a, 2, e]
            tx, ty, tz = tx + twist[a, 0, e], ty + twist[a, 1, e], tz + twist[a, 2, e]
        if surface[v, e] >= 0:
            for k in range(SLOTS):
                c = surface[v, e] * SLOTS + k
                on = pair[c, e] >= 0
                qx = push[c, 0, e] if on else 0.0
                qy = push[c, 1, e] if on else 0.0
                qz = push[c, 2, e] if on else 0.0
                fx, fy, fz = fx + qx, fy + qy, fz + qz
                tx += turn[c, 0, e] if on else 0.0
                ty += turn[c, 1, e] if on else 0.0
                tz += turn[c, 2, e] if on else 0.0
    moments[g, 0, e], moments[g, 1, e], moments[g, 2, e], moments[g, 3, e] = s, sx, sy, sz
    moments[g, 4, e], moments[g, 5, e], moments[g, 6, e] = sxx, sxy, sxz
    moments[g, 7, e], moments[g, 8, e], moments[g, 9, e] = syy, syz, szz
    momentum[g, 0, e], momentum[g, 1, e], momentum[g, 2, e] = px, py, pz
    momentum[g, 3, e], momentum[g, 4, e], momentum[g, 5, e] = lx, ly, lz
    impulse[g, 0, e], impulse[g, 1, e], impulse[g, 2, e] = fx, fy, fz
    impulse[g, 3, e], impulse[g, 4, e], impulse[g, 5, e] = tx, ty, tz
    held[g, e] = int(fixed)


@system(over=Deformable, phase="deform_momentum", in_step=True, sums=True)
def body_momenta(
    b,
    e,
    first=read(DeformableTopology.first_sum),
    end=read(DeformableTopology.end_sum),
    moments=read(NodeGroupSums.moments),
    momentum=read(NodeGroupSums.momentum),
    impulse=read(NodeGroupSums.impulse),
    held=read(NodeGroupSums.held),
    middle=write(DeformableMomentum.middle),
    mass=write(DeformableMomentum.mass),
    inertia=write(DeformableMomentum.inertia),
    linear=write(DeformableMomentum.linear),
    angular=write(DeformableMomentum.angular),
    pushed=write(DeformableMomentum.impulse),
    fixed=write(DeformableMomentum.held),
):
    """Over a body's groups, in their order; about the centre of mass."""
    s, sx, sy, sz = 0.0, 0.0, 0.0, 0.0
    sxx, sxy, sxz, syy, syz, szz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    px, py, pz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    count = 0.0
    for g in range(first[b, e], end[b, e]):
        s, sx, sy, sz = s + moments[g, 0, e], sx + moments[g, 1, e], sy + moments[g, 2, e], sz + moments[g, 3, e]
        sxx, sxy, sxz = sxx + moments[g, 4, e], sxy + moments[g, 5, e], sxz + moments[g, 6, e]
        syy, syz, szz = syy + moments[g, 7, e], syz + moments[g, 8, e], szz + moments[g, 9, e]
        px, py, pz = px + momentum[g, 0, e], py + momentum[g, 1, e], pz + momentum[g, 2, e]
        lx, ly, lz = lx + momentum[g, 3, e], ly + momentum[g, 4, e], lz + momentum[g, 5, e]
        fx, fy, fz = fx + impulse[g, 0, e], fy + impulse[g, 1, e], fz + impulse[g, 2, e]
        tx, ty, tz = tx + impulse[g, 3, e], ty + impulse[g, 4, e], tz + impulse[g, 5, e]
        count += real(held[g, e])
    x, y, z = sx / s, sy / s, sz / s
    mass[b, e] = s
    fixed[b, e] = int(count)
    middle[b, 0, e], middle[b, 1, e], middle[b, 2, e] = x, y, z
    sxx, sxy, sxz = sxx - sx * x, sxy - sx * y, sxz - sx * z
    syy, syz, szz = syy - sy * y, syz - sy * z, szz - sz * z
    inertia[b, 0, e], inertia[b, 1, e], inertia[b, 2, e] = syy + szz, -sxy, -sxz
    inertia[b, 3, e], inertia[b, 4, e], inertia[b, 5, e] = sxx + szz, -syz, sxx + syy
    linear[b, 0, e], linear[b, 1, e], linear[b, 2, e] = px, py, pz
    ux, uy, uz = cross(x, y, z, px, py, pz)
    angular[b, 0, e], angular[b, 1, e], angular[b, 2, e] = lx - ux, ly - uy, lz - uz
    pushed[b, 0, e], pushed[b, 1, e], pushed[b, 2, e] = fx, fy, fz
    pushed[b, 3, e], pushed[b, 4, e], pushed[b, 5, e] = tx, ty, tz


@system(over=Deformable, phase="deform_begin")
def begin_momentum(
    b,
    e,
    linear=read(DeformableMomentum.linear),
    angular=read(DeformableMomentum.angular),
    middle=read(DeformableMomentum.middle),
    before=write(DeformableMomentum.before),
    ahead=write(DeformableModes.ahead),
    broken=write(DeformableModes.broken),
):
    """What the body has."""
    broken[b, e] = 0
    for k in range(3):
        before[b, k, e] = linear[b, k, e]
        before[b, 3 + k, e] = angular[b, k, e]
        ahead[b, k, e] = middle[b, k, e]


@system(over=Deformable, phase="deform_end")
def restore_momentum_of_deformables(
    b,
    e,
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    gravity=read(Settings.gravity),
    scale=read(DeformableDynamics.gravity_scale),
    damping=read(DeformableDynamics.damping),
    diverged=read(Status.diverged),
    broken=read(DeformableModes.broken),
    loose=read(DeformableTopology.loose),
    middle=read(DeformableMomentum.middle),
    mass=read(DeformableMomentum.mass),
    inertia=read(DeformableMomentum.inertia),
    linear=read(DeformableMomentum.linear),
    angular=read(DeformableMomentum.angular),
    impulse=read(DeformableMomentum.impulse),
    before=read(DeformableMomentum.before),
    held=read(DeformableMomentum.held),
    gain=write(DeformableMomentum.gain),
    shift=write(DeformableMomentum.shift),
    origin=update(DeformableMotion.origin),
):
    """What is missing to the momentum; and the origin follows the centre of mass."""
    decay = 1.0 / (1.0 + damping[b, e] * h[0, e] / real(count[0, e]))
    kept, passed = 1.0, 0.0
    for _ in range(count[0, e]):
        kept *= decay
        passed += kept
    passed /= real(count[0, e])  # of impulses that come evenly
    m = mass[b, e]
    weight = h[0, e] * m * scale[b, e]
    px = kept * before[b, 0, e] + passed * (weight * gravity[0, 0, e] + impulse[b, 0, e]) - linear[b, 0, e]
    py = kept * before[b, 1, e] + passed * (weight * gravity[0, 1, e] + impulse[b, 1, e]) - linear[b, 1, e]
    pz = kept * before[b, 2, e] + passed * (weight * gravity[0, 2, e] + impulse[b, 2, e]) - linear[b, 2, e]
    lx = kept * before[b, 3, e] + passed * impulse[b, 3, e] - angular[b, 0, e]
    ly = kept * before[b, 4, e] + passed * impulse[b, 4, e] - angular[b, 1, e]
    lz = kept * before[b, 5, e] + passed * impulse[b, 5, e] - angular[b, 2, e]
    least = THIN * (inertia[b, 0, e] + inertia[b, 3, e] + inertia[b, 5, e])
    i, j, k = inertia[b, 0, e] + least, inertia[b, 1, e], inertia[b, 2, e]
    n, o, q = inertia[b, 3, e] + least, inertia[b, 4, e], inertia[b, 5, e] + least
    wx, wy, wz = solve_symmetric(lx, ly, lz, i, j, k, n, o, q)
    free = held[b, e] == 0 and loose[b, e] == 0 and diverged[0, e] == 0 and broken[b, e] == 0
    gain[b, 0, e], gain[b, 1, e], gain[b, 2, e] = (
        px / m if free else 0.0,
        py / m if free else 0.0,
        pz / m if free else 0.0,
    )
    gain[b, 3, e], gain[b, 4, e], gain[b, 5, e] = wx if free else 0.0, wy if free else 0.0, wz if free else 0.0
    x, y, z = middle[b, 0, e], middle[b, 1, e], middle[b, 2, e]
    size = (inertia[b, 0, e] + inertia[b, 3, e] + inertia[b, 5, e]) / m
    far = x * x + y * y + z * z > FAR * FAR * size
    for k in range(3):
        old = origin[b, k, e]
        new = old + middle[b, k, e] if far and diverged[0, e] == 0 else old
        shift[b, k, e] = new - old  # without rounding, or the body would drift
        origin[b, k, e] = new


@system(over=Node, phase="deform_end")
def correct_nodes(
    v,
    e,
    body=read(NodeTopology.body),
    held=read(NodeTarget.held),
    middle=read(DeformableMomentum.middle),
    gain=read(DeformableMomentum.gain),
    shift=read(DeformableMomentum.shift),
    position=update(NodeState.position),
    velocity=update(NodeState.velocity),
):
    """Velocities, and positions from the origin where it is now."""
    b = body[v, e]
    x, y, z = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    ux, uy, uz = cross(
        gain[b, 3, e], gain[b, 4, e], gain[b, 5, e], x - middle[b, 0, e], y - middle[b, 1, e], z - middle[b, 2, e]
    )
    free = 1.0 if held[v, e] == 0 else 0.0
    velocity[v, 0, e] += free * (gain[b, 0, e] + ux)
    velocity[v, 1, e] += free * (gain[b, 1, e] + uy)
    velocity[v, 2, e] += free * (gain[b, 2, e] + uz)
    position[v, 0, e] = x - shift[b, 0, e]
    position[v, 1, e] = y - shift[b, 1, e]
    position[v, 2, e] = z - shift[b, 2, e]


@system(phase="deform_end")
def check_deformables(
    lanes, bodies=rows(Deformable), broken=read(DeformableModes.broken), diverged=update(Status.diverged)
):
    """An environment of which a body's motion is not finite is frozen."""
    for b in range(bodies):
        for e in lanes:
            if broken[b, e] != 0:
                diverged[0, e] = 1
