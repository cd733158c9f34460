"""Velocities of particles: those that touch push and rub, within the bounds of friction, and pull only by cohesion.

Each sweep changes the impulses of all pairs by what the velocities at its beginning lack, with the masses of both
particles shared out among their pairs (Tonge et al., Mass splitting for jitter-free parallel rigid body simulation,
2012), so that all pairs can be worked on at once. Impulses are kept from small step to small step: what rests needs few
sweeps. Then come the particle's contacts with shapes, one after the other.
"""

import math

from phalanx.components import (
    DeformableDynamics,
    DeformableModes,
    DeformablePairTopology,
    DeformableSettings,
    NodeContactPoint,
    NodeContactState,
    NodeModel,
    NodeState,
    NodeStep,
    NodeTarget,
    Particle,
    ParticleFluid,
    ParticleMaterial,
    ParticleMotion,
    ParticlePair,
    ParticleTopology,
    Settings,
    ShapePose,
    Status,
)
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import function, local, read, real, rows, system, update, write
from phalanx.systems.collision.narrow.pose import inverse_turn
from phalanx.systems.deformable.fluids import slope
from phalanx.systems.deformable.particle_near import place_of

APART = 0.2
"""Share of its overlap by which a pair is moved apart in a small step, without a push."""

SLOP = 0.005
"""Overlap that is left, in radii."""

CORNER_SWEEPS = 4
"""Sweeps over the contacts of a particle with shapes, of which there is mostly one."""


@system(over=Particle, phase="deform_particles_begin")
def begin_particles(
    p,
    e,
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    gravity=read(Settings.gravity),
    scale=read(DeformableDynamics.gravity_scale),
    diverged=read(Status.diverged),
    held=read(NodeTarget.held),
    start=read(NodeStep.start),
    position=read(NodeState.position),
    velocity=read(NodeState.velocity),
    first=write(ParticleMotion.start),
    base=write(ParticleMotion.base),
):
    """Velocities with gravity; of held nodes those to targets."""
    v, b = node[p, e], body[p, e]
    step = h[0, e] / real(count[0, e])
    moves = diverged[0, e] == 0
    free = moves and held[v, e] == 0
    for k in range(3):
        u = velocity[v, k, e] + step * scale[b, e] * gravity[0, k, e]
        u = u if free else ((position[v, k, e] - start[v, k, e]) / step if moves else 0.0)
        base[p, k, e] = u
        first[p, k, e] = velocity[v, k, e] if free else u


@system(over=Particle, phase="deform_particles")
def relax_pairs(
    p,
    e,
    particles=rows(Particle),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    sticks=read(ParticleMaterial.static_friction),
    rubs=read(ParticleMaterial.dynamic_friction),
    cohesion=read(ParticleMaterial.cohesion),
    fluid=read(ParticleMaterial.reach),
    near=read(ParticleMotion.near),
    give=read(ParticleMotion.give),
    velocity=read(ParticleMotion.velocity),
    other=read(ParticlePair.other),
    normal=read(ParticlePair.normal),
    gap=read(ParticlePair.gap),
    load=update(ParticlePair.load),
    rub=update(ParticlePair.rub),
):
    """Change the impulses of a particle's pairs by what its velocity from the others' lacks."""
    b = body[p, e]
    step = h[0, e] / real(count[0, e])
    ux, uy, uz = velocity[p, 0, e], velocity[p, 1, e], velocity[p, 2, e]
    for k in range(near[p, e]):
        s = place_of(k, p, particles)
        q = other[s, e]
        o = body[q, e]
        both = give[p, e] + give[q, e]
        share = 1.0 / both if both > 0.0 and (fluid[b, e] == 0.0 or fluid[o, e] == 0.0) else 0.0
        nx, ny, nz = normal[s, 0, e], normal[s, 1, e], normal[s, 2, e]
        x, y, z = ux - velocity[q, 0, e], uy - velocity[q, 1, e], uz - velocity[q, 2, e]
        opens = x * nx + y * ny + z * nz
        holds = step * min(cohesion[b, e], cohesion[o, e])
        push = max(load[s, e] - share * (opens + max(gap[s, e], 0.0) / step), -holds)
        x, y, z = x - opens * nx, y - opens * ny, z - opens * nz
        rx, ry, rz = rub[s, 0, e] - share * x, rub[s, 1, e] - share * y, rub[s, 2, e] - share * z
        size = math.sqrt(rx * rx + ry * ry + rz * rz)
        bound = 0.5 * (sticks[b, e] + sticks[o, e]) * max(push + holds, 0.0)
        if size > bound:
            bound = min(bound, 0.5 * (rubs[b, e] + rubs[o, e]) * max(push + holds, 0.0))
            less = bound / size
            rx, ry, rz = less * rx, less * ry, less * rz
        load[s, e] = push
        rub[s, 0, e], rub[s, 1, e], rub[s, 2, e] = rx, ry, rz


@function
def touch_shapes(impulses, contacts, mass, step, x, y, z):
    """Impulses of shapes on a particle: it ends no deeper in any than it was, and slides as far as friction lets it.

    Args:
        impulses: 12 numbers, found here: of each slot that along the normal, and those along the surface.
        contacts: 24 numbers: of each slot the coefficient of friction (negative: there is no contact), the gap at the
            start of the small step, the normal and the anchor.
        x, y, z: where it would be at the end of the small step, from the body's origin.

    Returns:
        Velocity that it gets.
    """
    weight = mass / step
    way = step / mass
    px, py, pz = 0.0, 0.0, 0.0
    for k in range(4 * SLOTS):
        impulses[k] = 0.0
    for _ in range(CORNER_SWEEPS if contacts[8] >= 0.0 else 1):
        for k in range(SLOTS):
            c = 8 * k
            if contacts[c] >= 0.0:
                nx, ny, nz = contacts[c + 2], contacts[c + 3], contacts[c + 4]
                ax, ay, az = (
                    x + way * px - contacts[c + 5],
                    y + way * py - contacts[c + 6],
                    z + way * pz - contacts[c + 7],
                )
                gap = nx * ax + ny * ay + nz * az
                old = impulses[4 * k]
                push = max(old - weight * (gap - min(contacts[c + 1], 0.0)), 0.0)
                impulses[4 * k] = push
                rx = impulses[4 * k + 1] - weight * (ax - gap * nx)
                ry = impulses[4 * k + 2] - weight * (ay - gap * ny)
                rz = impulses[4 * k + 3] - weight * (az - gap * nz)
                size = math.sqrt(rx * rx + ry * ry + rz * rz)
                bound = contacts[c] * push
                less = bound / size if size > bound else 1.0
                rx, ry, rz = less * rx, less * ry, less * rz
                px += (push - old) * nx + (rx - impulses[4 * k + 1])
                py += (push - old) * ny + (ry - impulses[4 * k + 2])
                pz += (push - old) * nz + (rz - impulses[4 * k + 3])
                impulses[4 * k + 1], impulses[4 * k + 2], impulses[4 * k + 3] = rx, ry, rz
    return px / mass, py / mass, pz / mass


@system(over=Particle, phase="deform_particles", before="relax_pairs")
def move_particles(
    p,
    e,
    particles=rows(Particle),
    node=read(ParticleTopology.node),
    surface=read(ParticleTopology.surface),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    mass=read(NodeModel.mass),
    start=read(NodeStep.start),
    pair=read(NodeContactState.pair),
    shape_normal=read(NodeContactPoint.normal),
    anchor=read(NodeContactPoint.anchor),
    friction=read(NodeContactPoint.friction),
    gaps=read(NodeContactPoint.gap),
    near=read(ParticleMotion.near),
    give=read(ParticleMotion.give),
    base=read(ParticleMotion.base),
    pushed=read(ParticleFluid.pushed),
    load=read(ParticlePair.load),
    rub=read(ParticlePair.rub),
    normal=read(ParticlePair.normal),
    free=write(ParticleMotion.free),
    velocity=write(ParticleMotion.velocity),
):
    """The velocity that all impulses of pairs make, and then those of shapes."""
    v = node[p, e]
    c = surface[p, e] * SLOTS
    step = h[0, e] / real(count[0, e])
    x, y, z = 0.0, 0.0, 0.0
    for k in range(near[p, e]):
        s = place_of(k, p, particles)
        x += load[s, e] * normal[s, 0, e] + rub[s, 0, e]
        y += load[s, e] * normal[s, 1, e] + rub[s, 1, e]
        z += load[s, e] * normal[s, 2, e] + rub[s, 2, e]
    m = mass[v, e]
    inverse = 1.0 / m if give[p, e] > 0.0 else 0.0
    moves = 1.0 if inverse > 0.0 else 0.0
    x = base[p, 0, e] + (moves * pushed[p, 0, e] + inverse * x)
    y = base[p, 1, e] + (moves * pushed[p, 1, e] + inverse * y)
    z = base[p, 2, e] + (moves * pushed[p, 2, e] + inverse * z)
    free[p, 0, e], free[p, 1, e], free[p, 2, e] = x, y, z
    if pair[c, e] >= 0 and inverse > 0.0:
        impulses = local(4 * SLOTS)
        sx, sy, sz = start[v, 0, e], start[v, 1, e], start[v, 2, e]
        contacts = local(8 * SLOTS)
        for k in range(SLOTS):
            s = c + k
            contacts[8 * k] = friction[s, e] if pair[s, e] >= 0 else -1.0
            contacts[8 * k + 1] = gaps[s, e]
            contacts[8 * k + 2], contacts[8 * k + 3] = shape_normal[s, 0, e], shape_normal[s, 1, e]
            contacts[8 * k + 4], contacts[8 * k + 5] = shape_normal[s, 2, e], anchor[s, 0, e]
            contacts[8 * k + 6], contacts[8 * k + 7] = anchor[s, 1, e], anchor[s, 2, e]
        ux, uy, uz = touch_shapes(impulses, contacts, m, step, sx + step * x, sy + step * y, sz + step * z)
        x, y, z = x + ux, y + uy, z + uz
    velocity[p, 0, e], velocity[p, 1, e], velocity[p, 2, e] = x, y, z


@system(over=Particle, phase="deform_particles_end")
def finish_particles(
    p,
    e,
    particles=rows(Particle),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    surface=read(ParticleTopology.surface),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    diverged=read(Status.diverged),
    mass=read(NodeModel.mass),
    radius=read(ParticleMaterial.radius),
    fluid=read(ParticleMaterial.reach),
    lattice=read(ParticleMaterial.lattice_sum),
    shift=read(ParticleFluid.shift),
    most=read(ParticleMaterial.max_velocity),
    damping=read(DeformableDynamics.damping),
    start=read(NodeStep.start),
    shape=read(DeformablePairTopology.shape),
    plane=read(DeformablePairTopology.plane),
    rotation=read(ShapePose.rotation),
    pair=read(NodeContactState.pair),
    shape_normal=read(NodeContactPoint.normal),
    friction=read(NodeContactPoint.friction),
    gaps=update(NodeContactPoint.gap),
    near=read(ParticleMotion.near),
    give=read(ParticleMotion.give),
    free=read(ParticleMotion.free),
    other=read(ParticlePair.other),
    normal=read(ParticlePair.normal),
    gap=read(ParticlePair.gap),
    anchor=update(NodeContactPoint.anchor),
    spot=update(NodeContactState.spot),
    slides=update(NodeContactState.slides),
    impulse=update(NodeContactState.impulse),
    pulse=update(NodeContactState.pulse),
    broken=update(DeformableModes.broken),
    position=update(NodeState.position),
    velocity=update(NodeState.velocity),
):
    """Contacts with shapes where these are at last, what they get, and where the particle goes.

    Overlaps of pairs are moved apart without a change of velocity, so that they add no energy.
    """
    v, b = node[p, e], body[p, e]
    c = surface[p, e] * SLOTS
    step = h[0, e] / real(count[0, e])
    m = mass[v, e]
    sx, sy, sz = start[v, 0, e], start[v, 1, e], start[v, 2, e]
    x, y, z = free[p, 0, e], free[p, 1, e], free[p, 2, e]
    moves = give[p, e] > 0.0 and diverged[0, e] == 0
    impulses = local(4 * SLOTS)
    for k in range(4 * SLOTS):
        impulses[k] = 0.0
    touches = moves and pair[c, e] >= 0
    if touches:
        contacts = local(8 * SLOTS)
        for k in range(SLOTS):
            s = c + k
            contacts[8 * k] = friction[s, e] if pair[s, e] >= 0 else -1.0
            contacts[8 * k + 1] = gaps[s, e]
            contacts[8 * k + 2], contacts[8 * k + 3] = shape_normal[s, 0, e], shape_normal[s, 1, e]
            contacts[8 * k + 4], contacts[8 * k + 5] = shape_normal[s, 2, e], anchor[s, 0, e]
            contacts[8 * k + 6], contacts[8 * k + 7] = anchor[s, 1, e], anchor[s, 2, e]
        ux, uy, uz = touch_shapes(impulses, contacts, m, step, sx + step * x, sy + step * y, sz + step * z)
        x, y, z = x + ux, y + uy, z + uz
    dx, dy, dz = 0.0, 0.0, 0.0
    if moves:
        for k in range(near[p, e]):
            s = place_of(k, p, particles)
            q = other[s, e]
            o = body[q, e]
            flows = fluid[b, e] > 0.0 and fluid[o, e] > 0.0
            deep = APART * max(-gap[s, e] - SLOP * radius[b, e], 0.0) / (m * (give[p, e] + give[q, e]))
            if flows:
                deep = slope(gap[s, e], 0.5 * (fluid[b, e] + fluid[o, e])) / m
                deep *= shift[p, e] / lattice[b, e] + shift[q, e] / lattice[o, e]
            dx, dy, dz = dx + deep * normal[s, 0, e], dy + deep * normal[s, 1, e], dz + deep * normal[s, 2, e]
    for k in range(SLOTS):
        s = c + k
        fx, fy, fz = 0.0, 0.0, 0.0
        if touches and pair[s, e] >= 0:
            nx, ny, nz = shape_normal[s, 0, e], shape_normal[s, 1, e], shape_normal[s, 2, e]
            push = impulses[4 * k]
            fx = push * nx + impulses[4 * k + 1]
            fy = push * ny + impulses[4 * k + 2]
            fz = push * nz + impulses[4 * k + 3]
            # what moves it apart from others does not move it into the shape, and out of the shape it goes as well
            inwards = dx * nx + dy * ny + dz * nz
            wanted = -APART * min(gaps[s, e] + SLOP * radius[b, e], 0.0)
            if push > 0.0 or gaps[s, e] < 0.0:
                more = max(wanted - inwards, 0.0)
                dx, dy, dz = dx + more * nx, dy + more * ny, dz + more * nz
        pulse[s, 0, e], pulse[s, 1, e], pulse[s, 2, e] = fx, fy, fz
        impulse[s, 0, e] += fx
        impulse[s, 1, e] += fy
        impulse[s, 2, e] += fz
    speed = math.sqrt(x * x + y * y + z * z)
    less = most[b, e] / speed if speed > most[b, e] else 1.0
    decay = less / (1.0 + step * damping[b, e])
    wx, wy, wz = sx + (step * x + dx), sy + (step * y + dy), sz + (step * z + dz)
    whole = (wx - wx) + (wy - wy) + (wz - wz) + (decay - decay)
    if whole != 0.0:
        broken[b, e] = 1
        moves = False
    if moves:
        position[v, 0, e], position[v, 1, e], position[v, 2, e] = wx, wy, wz
        velocity[v, 0, e], velocity[v, 1, e], velocity[v, 2, e] = decay * x, decay * y, decay * z
    elif diverged[0, e] == 0 and whole == 0.0:  # held: predicted to be on the way to its target
        velocity[v, 0, e], velocity[v, 1, e], velocity[v, 2, e] = x, y, z
    else:
        position[v, 0, e], position[v, 1, e], position[v, 2, e] = sx, sy, sz
        velocity[v, 0, e], velocity[v, 1, e], velocity[v, 2, e] = 0.0, 0.0, 0.0
    for k in range(SLOTS):
        s = c + k
        if touches and moves and pair[s, e] >= 0:
            nx, ny, nz = shape_normal[s, 0, e], shape_normal[s, 1, e], shape_normal[s, 2, e]
            ax, ay, az = wx - anchor[s, 0, e], wy - anchor[s, 1, e], wz - anchor[s, 2, e]
            along = nx * ax + ny * ay + nz * az
            gaps[s, e] = along
            ax, ay, az = ax - along * nx, ay - along * ny, az - along * nz
            rub = impulses[4 * k + 1] * impulses[4 * k + 1] + impulses[4 * k + 2] * impulses[4 * k + 2]
            rub += impulses[4 * k + 3] * impulses[4 * k + 3]
            bound = 0.9999 * friction[s, e] * impulses[4 * k]
            slips = rub >= bound * bound
            slides[s, e] = 1 if slips else 0
            if slips:  # the anchor goes along
                anchor[s, 0, e] += ax
                anchor[s, 1, e] += ay
                anchor[s, 2, e] += az
                t = max(pair[s, e], 0)
                i = shape[t, e]
                bx, by, bz = inverse_turn(
                    rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e], rotation[i, 3, e], rotation[i, 4, e],
                    rotation[i, 5, e], rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e], ax, ay, az,
                )  # fmt: skip
                turns = plane[t, e] < 0
                spot[s, 0, e] += bx if turns else ax
                spot[s, 1, e] += by if turns else ay
                spot[s, 2, e] += bz if turns else az
