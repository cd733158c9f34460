"""Fluids: particles that keep their density, by position-based fluids with the pressure of the small step before.

The density of a particle is a sum over those near it, of (1 - r / H)^3 for the reach H, by that of a cubic lattice
(Macklin and Mueller, Position based fluids, 2013). Each sweep changes a particle's pressure by how much denser it would
be at the end of the small step than it may be (Bender and Koschier, Divergence-free smoothed particle hydrodynamics,
2015). Pressures push and never pull. What two particles do to each other is the same with the sign turned, so momentum
is kept. Pressures keep angular momentum, too. Viscosity acts across the line between two, and so changes it; of what it
changes each of the two hands half back, by turning those near it about their centre of mass.

What is behind a shape that a particle is near counts as fluid at rest, so that particles are no closer to each other at
walls than elsewhere: a layer as far behind the wall as the first one is before it, evenly spread over the plane.
"""

import math

from phalanx.components import (
    Deformable,
    DeformableSettings,
    NodeContactPoint,
    NodeContactState,
    NodeModel,
    NodeStep,
    Particle,
    ParticleFluid,
    ParticleMaterial,
    ParticleMotion,
    ParticlePair,
    ParticleTopology,
    Settings,
)
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import function, read, real, rows, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.particle_near import place_of
from phalanx.systems.deformable.sweep import solve_symmetric

RELAX = 0.5
"""Share of what a particle's pressure lacks that it gets in a sweep: all neighbours change theirs at once."""

EASE = 0.1
"""Share of too much density by which particles are moved apart in a small step. As a push, which pressures would go on
with, it would shake deep fluids."""

TAUT = 0.05
"""Greatest stiffness of surface tension's pulls, by mass and the square of the small step: they are not implicit."""

CALM = 0.25
"""Share of a difference of velocities that viscosity may take in a small step, at most."""


THIN = 1e-6
TINY = 1e-12
"""What is near a particle has at least this share of its greatest inertia about any axis, and this by mass, m^2."""

REFINED = 3
"""Times that the turn of what is near is found from what the turn so far leaves: what those shares take from it is that
many times as small a share."""


@function
def slope(r, reach):
    """What the sum of a particle loses, per metre, when another at the distance r goes away."""
    q = max(1.0 - r / reach, 0.0)
    return 3.0 * q * q / reach


@function
def tension_pull(r, reach):
    """Share of the greatest pull of surface tension between two at the distance r; negative: it pushes.

    The spline of Akinci, Akinci and Teschner (Versatile surface tension and adhesion for SPH fluids, 2013).
    """
    q = min(r / reach, 1.0)
    t = 4.0 * q * (1.0 - q)
    t = t * t * t
    return t if q > 0.5 else 2.0 * t - 1.0


@function
def behind_wall(gap, spacing, reach):
    """What the fluid behind a wall adds to the sum of a particle, and what of it is lost for each metre away from it.

    Args:
        gap: of the particle's surface from the wall, m.
        spacing: of particles at rest, m.
    """
    q = min(max(1.0 - (spacing + gap) / reach, 0.0), 1.0)
    c = 2.0 * math.pi * reach * reach / (spacing * spacing)
    return c * q * q * q * q * (0.25 - 0.2 * q), c / reach * q * q * q * (1.0 - q)


@system(over=Particle, phase="deform_particles_begin")
def fluid_begin(
    p,
    e,
    particles=rows(Particle),
    bodies=rows(Deformable),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    surface=read(ParticleTopology.surface),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    radius=read(ParticleMaterial.radius),
    pair=read(NodeContactState.pair),
    away=read(NodeContactPoint.gap),
    fluid=read(ParticleMaterial.reach),
    whole=read(ParticleMaterial.lattice_sum),
    viscous=read(ParticleMaterial.viscous),
    viscosity=read(ParticleMaterial.viscosity),
    tension=read(ParticleMaterial.tension),
    mass=read(NodeModel.mass),
    near=read(ParticleMotion.near),
    start=read(ParticleMotion.start),
    other=read(ParticlePair.other),
    normal=read(ParticlePair.normal),
    gap=read(ParticlePair.gap),
    dense=write(ParticleFluid.dense),
    firm=write(ParticleFluid.firm),
    shift=write(ParticleFluid.shift),
    gain=write(ParticleFluid.gain),
    turn=write(ParticleFluid.turn),
    middle=write(ParticleFluid.middle),
):
    """Density, how pressure changes it, and what viscosity and surface tension do."""
    b = body[p, e]
    step = h[0, e] / real(count[0, e])
    total, square = 0.0, 0.0
    x, y, z = 0.0, 0.0, 0.0
    ax, ay, az = 0.0, 0.0, 0.0
    lx, ly, lz = 0.0, 0.0, 0.0
    total_mass, cx, cy, cz = mass[node[p, e], e], 0.0, 0.0, 0.0
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    sticky = 0.0
    for o in range(bodies):
        sticky += viscosity[o, e]
    for k in range(near[p, e] if fluid[b, e] > 0.0 else 0):
        s = place_of(k, p, particles)
        q = other[s, e]
        o = body[q, e]
        if fluid[o, e] > 0.0:
            reach = 0.5 * (fluid[b, e] + fluid[o, e])
            t = max(1.0 - gap[s, e] / reach, 0.0)
            total += t * t * t
            f = slope(gap[s, e], reach) / whole[b, e]
            square += f * f / mass[node[q, e], e]
            x, y, z = x + f * normal[s, 0, e], y + f * normal[s, 1, e], z + f * normal[s, 2, e]
            # harmonic mean of masses and mean of viscosities: the same seen from the other
            m, n = mass[node[p, e], e], mass[node[q, e], e]
            if sticky > 0.0:
                nu = 0.5 * (viscosity[b, e] + viscosity[o, e])
                w = t * t / max(gap[s, e], 1e-3 * reach) * 0.5 * (viscous[b, e] + viscous[o, e])
                w = min(step * nu * w, CALM * t * t) * 2.0 * n / (m + n)
                ux, uy, uz = (
                    w * (start[q, 0, e] - start[p, 0, e]),
                    w * (start[q, 1, e] - start[p, 1, e]),
                    w * (start[q, 2, e] - start[p, 2, e]),
                )
                ax, ay, az = ax + ux, ay + uy, az + uz
                # half of the angular momentum that this makes; and those near, by weight and from here
                dx, dy, dz = -gap[s, e] * normal[s, 0, e], -gap[s, e] * normal[s, 1, e], -gap[s, e] * normal[s, 2, e]
                ux, uy, uz = cross(dx, dy, dz, ux, uy, uz)
                lx, ly, lz = lx - 0.5 * m * ux, ly - 0.5 * m * uy, lz - 0.5 * m * uz
                w = t * t * n
                total_mass, cx, cy, cz = total_mass + w, cx + w * dx, cy + w * dy, cz + w * dz
                xx, xy, xz = xx + w * dx * dx, xy + w * dx * dy, xz + w * dx * dz
                yy, yz, zz = yy + w * dy * dy, yz + w * dy * dz, zz + w * dz * dz
            w = min(tension[b, e], tension[o, e])
            if w > 0.0:
                w = min(step * w, TAUT * reach / step * m * n / (m + n)) * tension_pull(gap[s, e], reach) / m
                ax -= w * normal[s, 0, e]
                ay -= w * normal[s, 1, e]
                az -= w * normal[s, 2, e]
    for k in range(SLOTS if fluid[b, e] > 0.0 else 0):
        c = surface[p, e] * SLOTS + k
        if pair[c, e] >= 0:
            more, _ = behind_wall(away[c, e], 2.0 * radius[b, e], fluid[b, e])
            total += more
    dense[p, e] = total / whole[b, e] - 1.0 if fluid[b, e] > 0.0 else -1.0
    stiff = (x * x + y * y + z * z) / mass[node[p, e], e] + square
    firm[p, e] = step * stiff
    shift[p, e] = EASE * max(dense[p, e], 0.0) / stiff if stiff > 0.0 else 0.0
    gain[p, 0, e], gain[p, 1, e], gain[p, 2, e] = ax, ay, az
    x, y, z = cx / total_mass, cy / total_mass, cz / total_mass
    middle[p, 0, e], middle[p, 1, e], middle[p, 2, e] = x, y, z
    xx, xy, xz = xx - cx * x, xy - cx * y, xz - cx * z
    yy, yz, zz = yy - cy * y, yz - cy * z, zz - cz * z
    least = THIN * (xx + yy + zz) + TINY * total_mass
    ix, iy, iz = yy + zz, xx + zz, xx + yy
    ux, uy, uz = 0.0, 0.0, 0.0
    for _refined in range(REFINED):
        dx, dy, dz = (
            lx - ix * ux + xy * uy + xz * uz,
            ly + xy * ux - iy * uy + yz * uz,
            lz + xz * ux + yz * uy - iz * uz,
        )
        dx, dy, dz = solve_symmetric(dx, dy, dz, ix + least, -xy, -xz, iy + least, -yz, iz + least)
        ux, uy, uz = ux + dx, uy + dy, uz + dz
    turn[p, 0, e], turn[p, 1, e], turn[p, 2, e] = -ux, -uy, -uz


@system(over=Particle, phase="deform_particles_begin")
def turn_fluid(
    p,
    e,
    particles=rows(Particle),
    bodies=rows(Deformable),
    body=read(ParticleTopology.body),
    fluid=read(ParticleMaterial.reach),
    viscosity=read(ParticleMaterial.viscosity),
    near=read(ParticleMotion.near),
    other=read(ParticlePair.other),
    normal=read(ParticlePair.normal),
    gap=read(ParticlePair.gap),
    turn=read(ParticleFluid.turn),
    middle=read(ParticleFluid.middle),
    gain=update(ParticleFluid.gain),
):
    """What a particle has of the turns of those near it, and of its own, by the same weights as these were found.

    Where no fluid is viscous nothing turns.
    """
    b = body[p, e]
    sticky = 0.0
    for o in range(bodies):
        sticky += viscosity[o, e]
    turns = fluid[b, e] > 0.0 and sticky > 0.0
    x, y, z = cross(turn[p, 0, e], turn[p, 1, e], turn[p, 2, e], -middle[p, 0, e], -middle[p, 1, e], -middle[p, 2, e])
    for k in range(near[p, e] if turns else 0):
        s = place_of(k, p, particles)
        q = other[s, e]
        o = body[q, e]
        if fluid[o, e] > 0.0:
            t = max(1.0 - gap[s, e] / (0.5 * (fluid[b, e] + fluid[o, e])), 0.0)
            ux, uy, uz = cross(
                turn[q, 0, e], turn[q, 1, e], turn[q, 2, e],
                gap[s, e] * normal[s, 0, e] - middle[q, 0, e], gap[s, e] * normal[s, 1, e] - middle[q, 1, e],
                gap[s, e] * normal[s, 2, e] - middle[q, 2, e],
            )  # fmt: skip
            x, y, z = x + t * t * ux, y + t * t * uy, z + t * t * uz
    if turns:
        gain[p, 0, e] += x
        gain[p, 1, e] += y
        gain[p, 2, e] += z


@system(over=Particle, phase="deform_particles")
def press_fluid(
    p,
    e,
    particles=rows(Particle),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    surface=read(ParticleTopology.surface),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    radius=read(ParticleMaterial.radius),
    begin=read(NodeStep.start),
    pair=read(NodeContactState.pair),
    away=read(NodeContactPoint.gap),
    shape_normal=read(NodeContactPoint.normal),
    anchor=read(NodeContactPoint.anchor),
    fluid=read(ParticleMaterial.reach),
    whole=read(ParticleMaterial.lattice_sum),
    near=read(ParticleMotion.near),
    velocity=read(ParticleMotion.velocity),
    other=read(ParticlePair.other),
    normal=read(ParticlePair.normal),
    gap=read(ParticlePair.gap),
    dense=read(ParticleFluid.dense),
    firm=read(ParticleFluid.firm),
    behind=read(ParticleFluid.behind),
    pressure=update(ParticleFluid.pressure),
):
    """Change a particle's pressure by how much too dense it would be."""
    b = body[p, e]
    step = h[0, e] / real(count[0, e])
    grows = 0.0
    ux, uy, uz = velocity[p, 0, e], velocity[p, 1, e], velocity[p, 2, e]
    for k in range(near[p, e] if fluid[b, e] > 0.0 else 0):
        s = place_of(k, p, particles)
        q = other[s, e]
        o = body[q, e]
        if fluid[o, e] > 0.0:
            f = slope(gap[s, e], 0.5 * (fluid[b, e] + fluid[o, e])) / whole[b, e]
            opens = (ux - velocity[q, 0, e]) * normal[s, 0, e] + (uy - velocity[q, 1, e]) * normal[s, 1, e]
            opens += (uz - velocity[q, 2, e]) * normal[s, 2, e]
            grows -= step * f * opens
    for k in range(SLOTS if fluid[b, e] > 0.0 else 0):
        c = surface[p, e] * SLOTS + k
        if pair[c, e] >= 0:
            v = node[p, e]
            _, f = behind_wall(away[c, e], 2.0 * radius[b, e], fluid[b, e])
            now = shape_normal[c, 0, e] * (begin[v, 0, e] + step * ux - anchor[c, 0, e])
            now += shape_normal[c, 1, e] * (begin[v, 1, e] + step * uy - anchor[c, 1, e])
            now += shape_normal[c, 2, e] * (begin[v, 2, e] + step * uz - anchor[c, 2, e])
            grows -= f / whole[b, e] * (now - away[c, e])
    excess = grows + behind[p, e] + min(dense[p, e], 0.0)
    stiff = firm[p, e]
    found = max(pressure[p, e] + RELAX * excess / stiff, 0.0) if stiff > 0.0 else 0.0
    pressure[p, e] = found


@system(over=Particle, phase="deform_particles")
def push_fluid(
    p,
    e,
    particles=rows(Particle),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    fluid=read(ParticleMaterial.reach),
    whole=read(ParticleMaterial.lattice_sum),
    mass=read(NodeModel.mass),
    near=read(ParticleMotion.near),
    other=read(ParticlePair.other),
    normal=read(ParticlePair.normal),
    gap=read(ParticlePair.gap),
    gain=read(ParticleFluid.gain),
    pressure=read(ParticleFluid.pressure),
    pushed=write(ParticleFluid.pushed),
):
    """Velocity that a particle has from pressures and viscosity."""
    b = body[p, e]
    x, y, z = 0.0, 0.0, 0.0
    for k in range(near[p, e] if fluid[b, e] > 0.0 else 0):
        s = place_of(k, p, particles)
        q = other[s, e]
        o = body[q, e]
        if fluid[o, e] > 0.0:
            f = slope(gap[s, e], 0.5 * (fluid[b, e] + fluid[o, e]))
            f *= pressure[p, e] / whole[b, e] + pressure[q, e] / whole[o, e]
            x, y, z = x + f * normal[s, 0, e], y + f * normal[s, 1, e], z + f * normal[s, 2, e]
    inverse = 1.0 / mass[node[p, e], e]
    pushed[p, 0, e] = gain[p, 0, e] + inverse * x
    pushed[p, 1, e] = gain[p, 1, e] + inverse * y
    pushed[p, 2, e] = gain[p, 2, e] + inverse * z
