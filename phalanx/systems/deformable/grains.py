"""Velocities of particles: those that touch push and rub, within the bounds of friction, and pull only by cohesion;
shapes pull only by adhesion.

Each sweep changes the impulses of all pairs by what the velocities at its beginning lack, with the masses of both
particles shared out among their pairs (Tonge et al., Mass splitting for jitter-free parallel rigid body simulation,
2012), so that all pairs can be worked on at once. Impulses are kept from small step to small step: what rests needs few
sweeps. Then come the particle's contacts with shapes, one after the other.
"""

import math

from phalanx.components import (
    CoupledLinkMotion,
    DeformableDynamics,
    DeformableModes,
    DeformableMotion,
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
    ParticlePress,
    ParticleSpin,
    ParticleTopology,
    Settings,
    ShapePose,
    Status,
)
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import function, local, read, real, rows, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.collision.narrow.pose import inverse_turn
from phalanx.systems.deformable.fluids import behind_wall, slope
from phalanx.systems.deformable.particle_near import place_of
from phalanx.systems.deformable.particle_shapes import FOUND, GIVEN, PRESSED, press_contacts, touch_shapes

APART = 0.2
"""Share of its overlap by which a pair is moved apart in a small step, without a push."""

SLOP = 0.005
"""Overlap that is left, in radii."""

ROLL = 0.5
"""Share of a difference of spins that rolling resistance takes in a sweep: friction changes spins at the same time."""


@function
def lever(radius, gap):
    """How far from the centre of a grain friction with another acts: in the middle of their gap or overlap.

    The levers of both add up to the distance of their centres at the start of the small step. So what friction takes
    of the angular momentum of their motion it gives to their spins, to rounding.
    """
    return radius + 0.5 * gap


@function
def overlap(gap, one, other):
    """By how much two grains of these radii are moved apart in a small step, m; the same seen from both."""
    return APART * max(-gap - SLOP * 0.5 * (one + other), 0.0)


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
    radius=read(ParticleMaterial.radius),
    turns=read(ParticleMaterial.turns),
    rolls=read(ParticleMaterial.rolling_friction),
    fluid=read(ParticleMaterial.reach),
    near=read(ParticleMotion.near),
    give=read(ParticleMotion.give),
    velocity=read(ParticleMotion.velocity),
    spin=read(ParticleMotion.spin),
    other=read(ParticlePair.other),
    normal=read(ParticlePair.normal),
    gap=read(ParticlePair.gap),
    load=update(ParticlePair.load),
    rub=update(ParticlePair.rub),
    roll=update(ParticlePair.roll),
):
    """Change the impulses of a particle's pairs by what its velocity from the others' lacks.

    Where they touch, grains that turn are as fast as their surfaces are. Rolling resistance is a torque against the
    difference of their spins, no greater than its coefficient by the radius and the force between them.
    """
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
        ra, rc = radius[b, e], radius[o, e]
        here, there = lever(ra, gap[s, e]), lever(rc, gap[s, e])
        sx, sy, sz = cross(
            here * spin[p, 0, e] + there * spin[q, 0, e],
            here * spin[p, 1, e] + there * spin[q, 1, e],
            here * spin[p, 2, e] + there * spin[q, 2, e],
            nx, ny, nz,
        )  # fmt: skip
        x, y, z = x - sx, y - sy, z - sz
        both = give[p, e] * (1.0 + turns[b, e] * (here * here) / (ra * ra))
        both += give[q, e] * (1.0 + turns[o, e] * (there * there) / (rc * rc))
        slips = 1.0 / both if share > 0.0 else 0.0
        rx, ry, rz = rub[s, 0, e] - slips * x, rub[s, 1, e] - slips * y, rub[s, 2, e] - slips * z
        size = math.sqrt(rx * rx + ry * ry + rz * rz)
        bound = 0.5 * (sticks[b, e] + sticks[o, e]) * max(push + holds, 0.0)
        if size > bound:
            bound = min(bound, 0.5 * (rubs[b, e] + rubs[o, e]) * max(push + holds, 0.0))
            less = bound / size
            rx, ry, rz = less * rx, less * ry, less * rz
        load[s, e] = push
        rub[s, 0, e], rub[s, 1, e], rub[s, 2, e] = rx, ry, rz
        both = give[p, e] * turns[b, e] / (ra * ra) + give[q, e] * turns[o, e] / (rc * rc)
        firm = ROLL / both if share > 0.0 and both > 0.0 else 0.0
        rx = roll[s, 0, e] - firm * (spin[p, 0, e] - spin[q, 0, e])
        ry = roll[s, 1, e] - firm * (spin[p, 1, e] - spin[q, 1, e])
        rz = roll[s, 2, e] - firm * (spin[p, 2, e] - spin[q, 2, e])
        size = math.sqrt(rx * rx + ry * ry + rz * rz)
        bound = 0.5 * (rolls[b, e] + rolls[o, e]) * 2.0 * ra * rc / (ra + rc) * max(push + holds, 0.0)
        less = bound / size if size > bound else 1.0
        roll[s, 0, e], roll[s, 1, e], roll[s, 2, e] = less * rx, less * ry, less * rz


@system(over=Particle, phase="deform_particles")
def move_particles(
    p,
    e,
    particles=rows(Particle),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    surface=read(ParticleTopology.surface),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    mass=read(NodeModel.mass),
    radius=read(ParticleMaterial.radius),
    turns=read(ParticleMaterial.turns),
    rolls=read(ParticleMaterial.rolling_friction),
    adhesion=read(ParticleMaterial.adhesion),
    adheres=read(ParticleMaterial.adhesion_reach),
    pair_link=read(DeformablePairTopology.link),
    link_motion=read(CoupledLinkMotion.velocity),
    turned=read(ParticleSpin.value),
    start=read(NodeStep.start),
    pair=read(NodeContactState.pair),
    shape_load=read(NodeContactState.load),
    shape_rub=read(ParticlePress.rub),
    shape_normal=read(NodeContactPoint.normal),
    anchor=read(NodeContactPoint.anchor),
    friction=read(NodeContactPoint.friction),
    gaps=read(NodeContactPoint.gap),
    near=read(ParticleMotion.near),
    give=read(ParticleMotion.give),
    base=read(ParticleMotion.base),
    fluid=read(ParticleMaterial.reach),
    lattice=read(ParticleMaterial.lattice_sum),
    pressure=read(ParticleFluid.pressure),
    pushed=read(ParticleFluid.pushed),
    load=read(ParticlePair.load),
    rub=read(ParticlePair.rub),
    roll=read(ParticlePair.roll),
    normal=read(ParticlePair.normal),
    gap=read(ParticlePair.gap),
    free=write(ParticleMotion.free),
    velocity=write(ParticleMotion.velocity),
    spin=write(ParticleMotion.spin),
):
    """The velocity that all impulses of pairs make, and then those of shapes."""
    v, b = node[p, e], body[p, e]
    c = surface[p, e] * SLOTS
    step = h[0, e] / real(count[0, e])
    x, y, z = 0.0, 0.0, 0.0
    wx, wy, wz = 0.0, 0.0, 0.0
    for k in range(near[p, e]):
        s = place_of(k, p, particles)
        x += load[s, e] * normal[s, 0, e] + rub[s, 0, e]
        y += load[s, e] * normal[s, 1, e] + rub[s, 1, e]
        z += load[s, e] * normal[s, 2, e] + rub[s, 2, e]
        if turns[b, e] > 0.0:
            ux, uy, uz = cross(
                rub[s, 0, e], rub[s, 1, e], rub[s, 2, e], normal[s, 0, e], normal[s, 1, e], normal[s, 2, e]
            )
            arm = lever(radius[b, e], gap[s, e])
            wx += arm * ux + roll[s, 0, e]
            wy += arm * uy + roll[s, 1, e]
            wz += arm * uz + roll[s, 2, e]
    m = mass[v, e]
    inverse = 1.0 / m if give[p, e] > 0.0 else 0.0
    moves = 1.0 if inverse > 0.0 else 0.0
    light = inverse * turns[b, e] / (radius[b, e] * radius[b, e])
    wx = moves * turned[p, 0, e] + light * wx
    wy = moves * turned[p, 1, e] + light * wy
    wz = moves * turned[p, 2, e] + light * wz
    x = base[p, 0, e] + (moves * pushed[p, 0, e] + inverse * x)
    y = base[p, 1, e] + (moves * pushed[p, 1, e] + inverse * y)
    z = base[p, 2, e] + (moves * pushed[p, 2, e] + inverse * z)
    free[p, 0, e], free[p, 1, e], free[p, 2, e] = x, y, z
    if pair[c, e] >= 0 and inverse > 0.0:
        impulses = local(FOUND * SLOTS)
        sx, sy, sz = start[v, 0, e], start[v, 1, e], start[v, 2, e]
        contacts = local(GIVEN * SLOTS)
        for k in range(SLOTS):
            s = c + k
            j = GIVEN * k
            i = pair_link[max(pair[s, e], 0), e] if pair[s, e] >= 0 else -1
            contacts[j] = friction[s, e] if pair[s, e] >= 0 else -1.0
            contacts[j + 1] = gaps[s, e]
            for a in range(3):
                contacts[j + 2 + a] = shape_normal[s, a, e]
                contacts[j + 5 + a] = anchor[s, a, e]
                contacts[j + 8 + a] = link_motion[i, 3 + a, e] if i >= 0 else 0.0
            holds = step * adhesion[b, e] if pair[s, e] >= 0 and gaps[s, e] <= adheres[b, e] else 0.0
            contacts[j + 11] = -holds
            contacts[j + 12] = holds
            if pair[s, e] >= 0 and fluid[b, e] > 0.0:
                _, loses = behind_wall(gaps[s, e], 2.0 * radius[b, e], fluid[b, e])
                contacts[j + 11] = pressure[p, e] * loses / lattice[b, e] - holds
            contacts[j + 13] = step * max(shape_load[s, e], 0.0) if pair[s, e] >= 0 else 0.0
            contacts[j + 14], contacts[j + 15], contacts[j + 16] = 0.0, 0.0, 0.0
        press_contacts(
            contacts, turns[b, e], sx + step * x, sy + step * y, sz + step * z,
            step * shape_rub[p, 0, e], step * shape_rub[p, 1, e], step * shape_rub[p, 2, e],
        )  # fmt: skip
        ux, uy, uz, tx, ty, tz = touch_shapes(
            impulses, contacts, m, turns[b, e], radius[b, e], rolls[b, e], step,
            sx + step * x, sy + step * y, sz + step * z, wx, wy, wz,
        )  # fmt: skip
        x, y, z = x + ux, y + uy, z + uz
        wx, wy, wz = wx + tx, wy + ty, wz + tz
    velocity[p, 0, e], velocity[p, 1, e], velocity[p, 2, e] = x, y, z
    spin[p, 0, e], spin[p, 1, e], spin[p, 2, e] = wx, wy, wz


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
    pressure=read(ParticleFluid.pressure),
    shift=read(ParticleFluid.shift),
    most=read(ParticleMaterial.max_velocity),
    damping=read(DeformableDynamics.damping),
    start=read(NodeStep.start),
    shape=read(DeformablePairTopology.shape),
    plane=read(DeformablePairTopology.plane),
    rotation=read(ShapePose.rotation),
    pair=read(NodeContactState.pair),
    shape_load=read(NodeContactState.load),
    shape_rub=read(ParticlePress.rub),
    shape_normal=read(NodeContactPoint.normal),
    friction=read(NodeContactPoint.friction),
    gaps=update(NodeContactPoint.gap),
    turns=read(ParticleMaterial.turns),
    rolls=read(ParticleMaterial.rolling_friction),
    adhesion=read(ParticleMaterial.adhesion),
    adheres=read(ParticleMaterial.adhesion_reach),
    pair_link=read(DeformablePairTopology.link),
    link_motion=read(CoupledLinkMotion.velocity),
    near=read(ParticleMotion.near),
    give=read(ParticleMotion.give),
    free=read(ParticleMotion.free),
    load=read(ParticlePair.load),
    rub=read(ParticlePair.rub),
    roll=read(ParticlePair.roll),
    other=read(ParticlePair.other),
    normal=read(ParticlePair.normal),
    gap=read(ParticlePair.gap),
    anchor=update(NodeContactPoint.anchor),
    spot=update(NodeContactState.spot),
    slides=update(NodeContactState.slides),
    impulse=update(NodeContactState.impulse),
    pulse=update(NodeContactState.pulse),
    broken=update(DeformableModes.broken),
    turned=update(ParticleSpin.value),
    twist=write(ParticleMotion.twist),
    parted=write(ParticleMotion.parted),
    position=update(NodeState.position),
    velocity=update(NodeState.velocity),
):
    """Contacts with shapes where these are at last, what they get, and where the particle goes.

    Overlaps of pairs are moved apart without a change of velocity, so that they add no energy. What is too dense in
    fluids is moved apart, too; then comes :func:`slow_parted_particles`.
    """
    v, b = node[p, e], body[p, e]
    c = surface[p, e] * SLOTS
    step = h[0, e] / real(count[0, e])
    m = mass[v, e]
    sx, sy, sz = start[v, 0, e], start[v, 1, e], start[v, 2, e]
    x, y, z = free[p, 0, e], free[p, 1, e], free[p, 2, e]
    moves = give[p, e] > 0.0 and diverged[0, e] == 0
    impulses = local(FOUND * SLOTS)
    for k in range(FOUND * SLOTS):
        impulses[k] = 0.0
    tx, ty, tz = 0.0, 0.0, 0.0
    light = turns[b, e] / (m * radius[b, e] * radius[b, e])
    if light > 0.0:
        for k in range(near[p, e]):
            s = place_of(k, p, particles)
            ux, uy, uz = cross(
                rub[s, 0, e], rub[s, 1, e], rub[s, 2, e], normal[s, 0, e], normal[s, 1, e], normal[s, 2, e]
            )
            arm = lever(radius[b, e], gap[s, e])
            tx += arm * ux + roll[s, 0, e]
            ty += arm * uy + roll[s, 1, e]
            tz += arm * uz + roll[s, 2, e]
        tx, ty, tz = turned[p, 0, e] + light * tx, turned[p, 1, e] + light * ty, turned[p, 2, e] + light * tz
    touches = moves and pair[c, e] >= 0
    contacts = local(GIVEN * SLOTS)
    if touches:
        for k in range(SLOTS):
            s = c + k
            j = GIVEN * k
            i = pair_link[max(pair[s, e], 0), e] if pair[s, e] >= 0 else -1
            contacts[j] = friction[s, e] if pair[s, e] >= 0 else -1.0
            contacts[j + 1] = gaps[s, e]
            for a in range(3):
                contacts[j + 2 + a] = shape_normal[s, a, e]
                contacts[j + 5 + a] = anchor[s, a, e]
                contacts[j + 8 + a] = link_motion[i, 3 + a, e] if i >= 0 else 0.0
            holds = step * adhesion[b, e] if pair[s, e] >= 0 and gaps[s, e] <= adheres[b, e] else 0.0
            contacts[j + 11] = -holds
            contacts[j + 12] = holds
            if pair[s, e] >= 0 and fluid[b, e] > 0.0:
                _, loses = behind_wall(gaps[s, e], 2.0 * radius[b, e], fluid[b, e])
                contacts[j + 11] = pressure[p, e] * loses / lattice[b, e] - holds
            contacts[j + 13] = step * max(shape_load[s, e], 0.0) if pair[s, e] >= 0 else 0.0
            contacts[j + 14], contacts[j + 15], contacts[j + 16] = 0.0, 0.0, 0.0
        press_contacts(
            contacts, turns[b, e], sx + step * x, sy + step * y, sz + step * z,
            step * shape_rub[p, 0, e], step * shape_rub[p, 1, e], step * shape_rub[p, 2, e],
        )  # fmt: skip
        ux, uy, uz, ax, ay, az = touch_shapes(
            impulses, contacts, m, turns[b, e], radius[b, e], rolls[b, e], step,
            sx + step * x, sy + step * y, sz + step * z, tx, ty, tz,
        )  # fmt: skip
        x, y, z = x + ux, y + uy, z + uz
        tx, ty, tz = tx + ax, ty + ay, tz + az
    dx, dy, dz = 0.0, 0.0, 0.0
    some = 0
    if moves:
        for k in range(near[p, e]):
            s = place_of(k, p, particles)
            q = other[s, e]
            o = body[q, e]
            deep = overlap(gap[s, e], radius[b, e], radius[o, e]) / (m * (give[p, e] + give[q, e]))
            if fluid[b, e] > 0.0 and fluid[o, e] > 0.0:
                deep = slope(gap[s, e], 0.5 * (fluid[b, e] + fluid[o, e])) / m
                deep *= shift[p, e] / lattice[b, e] + shift[q, e] / lattice[o, e]
            some = 1 if deep > 0.0 else some
            dx, dy, dz = dx + deep * normal[s, 0, e], dy + deep * normal[s, 1, e], dz + deep * normal[s, 2, e]
    parted[p, e] = some
    for k in range(SLOTS):
        s = c + k
        fx, fy, fz = 0.0, 0.0, 0.0
        if touches and pair[s, e] >= 0:
            nx, ny, nz = shape_normal[s, 0, e], shape_normal[s, 1, e], shape_normal[s, 2, e]
            push = impulses[FOUND * k]
            fx = push * nx + impulses[FOUND * k + 1] + contacts[GIVEN * k + PRESSED]
            fy = push * ny + impulses[FOUND * k + 2] + contacts[GIVEN * k + PRESSED + 1]
            fz = push * nz + impulses[FOUND * k + 3] + contacts[GIVEN * k + PRESSED + 2]
            # what moves it apart from others does not move it into the shape, and out of the shape it goes as well
            inwards = dx * nx + dy * ny + dz * nz
            wanted = -APART * min(gaps[s, e] + SLOP * radius[b, e], 0.0)
            if push != 0.0 or gaps[s, e] < 0.0:
                more = max(wanted - inwards, 0.0)
                dx, dy, dz = dx + more * nx, dy + more * ny, dz + more * nz
        pulse[s, 0, e], pulse[s, 1, e], pulse[s, 2, e] = fx, fy, fz
        ax, ay, az = 0.0, 0.0, 0.0
        if light > 0.0:
            ax, ay, az = cross(
                impulses[FOUND * k + 1], impulses[FOUND * k + 2], impulses[FOUND * k + 3],
                shape_normal[s, 0, e], shape_normal[s, 1, e], shape_normal[s, 2, e],
            )  # fmt: skip
        twist[p, 3 * k, e] = radius[b, e] * ax + impulses[FOUND * k + 4]
        twist[p, 3 * k + 1, e] = radius[b, e] * ay + impulses[FOUND * k + 5]
        twist[p, 3 * k + 2, e] = radius[b, e] * az + impulses[FOUND * k + 6]
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
    for k in range(3):
        w = tx if k == 0 else (ty if k == 1 else tz)
        turned[p, k, e] = decay * w if moves and turns[b, e] > 0.0 else 0.0
    for k in range(SLOTS):
        s = c + k
        if touches and moves and pair[s, e] >= 0:
            nx, ny, nz = shape_normal[s, 0, e], shape_normal[s, 1, e], shape_normal[s, 2, e]
            ax, ay, az = wx - anchor[s, 0, e], wy - anchor[s, 1, e], wz - anchor[s, 2, e]
            along = nx * ax + ny * ay + nz * az
            gaps[s, e] = along
            ax, ay, az = ax - along * nx, ay - along * ny, az - along * nz
            i, j = FOUND * k, GIVEN * k + PRESSED
            more, share = contacts[j] * nx + contacts[j + 1] * ny + contacts[j + 2] * nz, contacts[j + 3]
            bx = impulses[i + 1] + share * (contacts[j] - more * nx)
            by = impulses[i + 2] + share * (contacts[j + 1] - more * ny)
            bz = impulses[i + 3] + share * (contacts[j + 2] - more * nz)
            size = bx * bx + by * by
            size += bz * bz
            bound = 0.9999 * friction[s, e] * max(impulses[i] + (contacts[j - 1] + share * more), 0.0)
            slips = size >= bound * bound
            slides[s, e] = 1 if slips else 0
            if not slips and turns[b, e] > 0.0:
                i = pair_link[pair[s, e], e]
                ax, ay, az = tx, ty, tz
                if i >= 0:
                    ax, ay, az = ax - link_motion[i, 3, e], ay - link_motion[i, 4, e], az - link_motion[i, 5, e]
                ax, ay, az = cross(ax, ay, az, nx, ny, nz)
                ax, ay, az = step * radius[b, e] * ax, step * radius[b, e] * ay, step * radius[b, e] * az
            if slips or turns[b, e] > 0.0:  # the anchor goes along, or as far as it rolls
                anchor[s, 0, e] += ax
                anchor[s, 1, e] += ay
                anchor[s, 2, e] += az
                t = max(pair[s, e], 0)
                i = shape[t, e]
                bx, by, bz = inverse_turn(
                    rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e], rotation[i, 3, e], rotation[i, 4, e],
                    rotation[i, 5, e], rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e], ax, ay, az,
                )  # fmt: skip
                own = plane[t, e] < 0
                spot[s, 0, e] += bx if own else ax
                spot[s, 1, e] += by if own else ay
                spot[s, 2, e] += bz if own else az


@system(over=Particle, phase="deform_particles_end")
def slow_parted_particles(
    p,
    e,
    particles=rows(Particle),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    radius=read(ParticleMaterial.radius),
    fluid=read(ParticleMaterial.reach),
    lattice=read(ParticleMaterial.lattice_sum),
    damping=read(DeformableDynamics.damping),
    mass=read(NodeModel.mass),
    broken=read(DeformableModes.broken),
    near=read(ParticleMotion.near),
    give=read(ParticleMotion.give),
    parted=read(ParticleMotion.parted),
    other=read(ParticlePair.other),
    normal=read(ParticlePair.normal),
    gap=read(ParticlePair.gap),
    shift=read(ParticleFluid.shift),
    origin=read(DeformableMotion.origin),
    position=read(NodeState.position),
    velocity=update(NodeState.velocity),
):
    """Two that were moved apart without a push go round each other the more slowly: angular momentum stays.

    They were moved by d along the line between them at the start of the small step h, x, so sum m d x x = 0, and are at
    X = x + h v + d. So sum m d x v, which that makes of angular momentum, is -sum m X x d / h, and the impulses d / h,
    less any along the line between the two where they are now, hand it back. Those taken are the shortest.
    """
    v, b = node[p, e], body[p, e]
    moves = parted[p, e] != 0 and broken[b, e] == 0
    x, y, z = 0.0, 0.0, 0.0
    for k in range(near[p, e] if moves else 0):
        s = place_of(k, p, particles)
        q = other[s, e]
        w, o = node[q, e], body[q, e]
        far = overlap(gap[s, e], radius[b, e], radius[o, e]) / (give[p, e] + give[q, e])
        if fluid[b, e] > 0.0 and fluid[o, e] > 0.0:
            far = slope(gap[s, e], 0.5 * (fluid[b, e] + fluid[o, e]))
            far *= shift[p, e] / lattice[b, e] + shift[q, e] / lattice[o, e]
        if far > 0.0:
            nx, ny, nz = normal[s, 0, e], normal[s, 1, e], normal[s, 2, e]
            dx = (origin[b, 0, e] - origin[o, 0, e]) + (position[v, 0, e] - position[w, 0, e])
            dy = (origin[b, 1, e] - origin[o, 1, e]) + (position[v, 1, e] - position[w, 1, e])
            dz = (origin[b, 2, e] - origin[o, 2, e]) + (position[v, 2, e] - position[w, 2, e])
            square = dx * dx + dy * dy + dz * dz
            along = (nx * dx + ny * dy + nz * dz) / square if square > 0.0 else 0.0
            x, y, z = x + far * (nx - along * dx), y + far * (ny - along * dy), z + far * (nz - along * dz)
    if moves:
        step = h[0, e] / real(count[0, e])
        share = 1.0 / (step * (1.0 + step * damping[b, e]) * mass[v, e])
        velocity[v, 0, e] += share * x
        velocity[v, 1, e] += share * y
        velocity[v, 2, e] += share * z
