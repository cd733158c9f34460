"""What particles do to links: forces that links give way to, and impulses.

As :mod:`phalanx.systems.deformable.link_forces`, run by run, as there may be many particles. A particle ends where the
shape's surface is, so it is a spring of its mass per square of the small step to where it would have ended without it.
"""

import math

from phalanx.components import (
    CoupledBody,
    CoupledBodySums,
    CoupledLinkMotion,
    CoupledParticles,
    DeformableMotion,
    DeformablePairTopology,
    DeformableSettings,
    NodeContactPoint,
    NodeContactState,
    NodeModel,
    NodeStep,
    ParticleMaterial,
    ParticleMotion,
    ParticlePart,
    ParticlePartSums,
    ParticlePartTopology,
    ParticlePress,
    Settings,
    SurfaceNodeTopology,
)
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import local, read, real, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.contact_force import contact_force
from phalanx.systems.deformable.link_forces import add_even_stiffness
from phalanx.systems.deformable.press_line import bearing, give_together, past, press_line


@system(over=ParticlePart, phase="deform_couple")
def push_of_particles(
    n,
    e,
    coupled=read(ParticlePartTopology.coupled),
    link=read(ParticlePartTopology.link),
    body=read(ParticlePartTopology.body),
    first=read(ParticlePartTopology.first_surface),
    end=read(ParticlePartTopology.end_surface),
    first_particle=read(ParticlePartTopology.first_particle),
    near=read(CoupledBodySums.near),
    pair_link=read(DeformablePairTopology.link),
    node=read(SurfaceNodeTopology.node),
    mass=read(NodeModel.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    origin=read(DeformableMotion.origin),
    place=read(CoupledLinkMotion.place),
    pair=read(NodeContactState.pair),
    load=read(NodeContactState.load),
    rub=read(ParticlePress.rub),
    turns=read(ParticleMaterial.turns),
    normal=read(NodeContactPoint.normal),
    anchor=read(NodeContactPoint.anchor),
    friction=read(NodeContactPoint.friction),
    gap=read(NodeContactPoint.gap),
    start=read(NodeStep.start),
    adhesion=read(ParticleMaterial.adhesion),
    adheres=read(ParticleMaterial.adhesion_reach),
    give=read(ParticleMotion.give),
    free=read(ParticleMotion.free),
    force=write(ParticlePartSums.force),
    stiffness=write(ParticlePartSums.stiffness),
):
    """Forces on a link of a run of particles, and how they change when it moves."""
    i, b = link[n, e], body[n, e]
    step = h[0, e] / real(count[0, e])
    ox, oy, oz = origin[b, 0, e] - place[i, 0, e], origin[b, 1, e] - place[i, 1, e], origin[b, 2, e] - place[i, 2, e]
    total = local(6)
    matrix = local(21)
    row = local(6)
    for k in range(6):
        total[k] = 0.0
    for k in range(21):
        matrix[k] = 0.0
    for s in range(first[n, e], end[n, e] if near[coupled[n, e], e] != 0 else first[n, e]):
        v = node[s, e]
        p = first_particle[n, e] + (s - first[n, e])
        for slot in range(SLOTS):
            c = s * SLOTS + slot
            t = pair[c, e]
            if t >= 0 and pair_link[max(t, 0), e] == i and give[p, e] > 0.0:
                nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                x = start[v, 0, e] + step * free[p, 0, e]
                y = start[v, 1, e] + step * free[p, 1, e]
                z = start[v, 2, e] + step * free[p, 2, e]
                firm = mass[v, e] / (step * step)
                holds = adhesion[b, e] if gap[c, e] <= adheres[b, e] else 0.0
                ex, ey, ez, bears = 0.0, 0.0, 0.0, 0.0
                depth = min(gap[c, e], 0.0)
                px, py, pz = anchor[c, 0, e], anchor[c, 1, e], anchor[c, 2, e]
                for k in range(SLOTS if load[c, e] > 0.0 else 0):
                    o = s * SLOTS + k
                    if o != c and load[o, e] > 0.0:  # both press it
                        ex, ey, ez, sine, cosine = press_line(
                            nx, ny, nz, normal[o, 0, e], normal[o, 1, e], normal[o, 2, e]
                        )
                        both = nx * (x - anchor[c, 0, e]) + ny * (y - anchor[c, 1, e]) + nz * (z - anchor[c, 2, e])
                        both += normal[o, 0, e] * (x - anchor[o, 0, e]) + normal[o, 1, e] * (y - anchor[o, 1, e])
                        both += normal[o, 2, e] * (z - anchor[o, 2, e])
                        depth -= give_together(gap[c, e], gap[o, e], both)
                        tx, ty, tz = rub[p, 0, e], rub[p, 1, e], rub[p, 2, e]
                        size = math.sqrt(tx * tx + ty * ty + tz * tz)
                        bears = bearing(load[c, e], size, sine, cosine, friction[c, e])
                        if turns[b, e] == 0.0:
                            ax, ay, az = past(
                                ex, ey, ez, anchor[c, 0, e] - anchor[o, 0, e], anchor[c, 1, e] - anchor[o, 1, e],
                                anchor[c, 2, e] - anchor[o, 2, e],
                            )  # fmt: skip
                            px, py, pz = px - 0.5 * ax, py - 0.5 * ay, pz - 0.5 * az
                        sign = 1.0 if slot < k else -1.0
                        ex, ey, ez = load[c, e] * ex, load[c, e] * ey, load[c, e] * ez
                        ex, ey, ez = ex + sign * tx, ey + sign * ty, ez + sign * tz
                # adhesion pulls by lessening what the contact, loaded by as much, would push with
                push, across, more, tx, ty, tz, _ = contact_force(
                    True, firm, firm * depth + holds + bears, friction[c, e], nx, ny, nz,
                    x - px, y - py, z - pz,
                )  # fmt: skip
                if push > 0.0 or holds > 0.0 or load[c, e] > 0.0:
                    push -= holds + bears
                    if push < -holds:  # it only rubs
                        push, more = -holds, -across
                    x, y, z = x + ox, y + oy, z + oz
                    fx, fy, fz = across * tx - push * nx, across * ty - push * ny, across * tz - push * nz
                    fx, fy, fz = fx - ex, fy - ey, fz - ez
                    ux, uy, uz = cross(x, y, z, fx, fy, fz)
                    total[0] += fx
                    total[1] += fy
                    total[2] += fz
                    total[3] += ux
                    total[4] += uy
                    total[5] += uz
                    row[0] = nx
                    row[1] = ny
                    row[2] = nz
                    row[3], row[4], row[5] = cross(x, y, z, nx, ny, nz)
                    k = 0
                    for a in range(6):
                        for d in range(a, 6):
                            matrix[k] += more * row[a] * row[d]
                            k += 1
                    add_even_stiffness(matrix, across, x, y, z)
    for k in range(6):
        force[n, k, e] = total[k]
    for k in range(21):
        stiffness[n, k, e] = matrix[k]


@system(over=CoupledBody, phase="deform_couple", needs=ParticlePart)
def sum_particle_forces(
    n,
    e,
    first=read(CoupledParticles.first),
    end=read(CoupledParticles.end),
    near=read(CoupledBodySums.near),
    part_force=read(ParticlePartSums.force),
    part_stiffness=read(ParticlePartSums.stiffness),
    force=update(CoupledBodySums.force),
    stiffness=update(CoupledBodySums.stiffness),
):
    """Over the runs of a body, in their order."""
    if near[n, e] == 0:
        return
    for r in range(first[n, e], end[n, e]):
        for k in range(6):
            force[n, k, e] += part_force[r, k, e]
        for k in range(21):
            stiffness[n, k, e] += part_stiffness[r, k, e]


@system(over=ParticlePart, phase="deform_particles_end")
def impulses_of_particles(
    n,
    e,
    coupled=read(ParticlePartTopology.coupled),
    link=read(ParticlePartTopology.link),
    body=read(ParticlePartTopology.body),
    first=read(ParticlePartTopology.first_surface),
    end=read(ParticlePartTopology.end_surface),
    first_particle=read(ParticlePartTopology.first_particle),
    near=read(CoupledBodySums.near),
    pair_link=read(DeformablePairTopology.link),
    node=read(SurfaceNodeTopology.node),
    origin=read(DeformableMotion.origin),
    begin=read(CoupledLinkMotion.begin),
    pair=read(NodeContactState.pair),
    pulse=read(NodeContactState.pulse),
    start=read(NodeStep.start),
    twist=read(ParticleMotion.twist),
    impulse=write(ParticlePartSums.impulse),
):
    """What a run of particles has got in the small step from a link, with the sign turned.

    Its moment is about where the particle was: it goes on with its new velocity, which has no moment about its way. So
    particle and link together keep their angular momentum.
    """
    px, py, pz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    i, b = link[n, e], body[n, e]
    for s in range(first[n, e], end[n, e] if near[coupled[n, e], e] != 0 else first[n, e]):
        v = node[s, e]
        for slot in range(SLOTS):
            c = s * SLOTS + slot
            t = pair[c, e]
            if t >= 0 and pair_link[max(t, 0), e] == i:
                x = (origin[b, 0, e] - begin[i, 0, e]) + start[v, 0, e]
                y = (origin[b, 1, e] - begin[i, 1, e]) + start[v, 1, e]
                z = (origin[b, 2, e] - begin[i, 2, e]) + start[v, 2, e]
                ux, uy, uz = cross(x, y, z, pulse[c, 0, e], pulse[c, 1, e], pulse[c, 2, e])
                px, py, pz = px - pulse[c, 0, e], py - pulse[c, 1, e], pz - pulse[c, 2, e]
                # it touches where its surface is, not where its centre is
                p, k = first_particle[n, e] + (s - first[n, e]), 3 * slot
                lx = lx - ux - twist[p, k, e]
                ly = ly - uy - twist[p, k + 1, e]
                lz = lz - uz - twist[p, k + 2, e]
    impulse[n, 0, e], impulse[n, 1, e], impulse[n, 2, e] = px, py, pz
    impulse[n, 3, e], impulse[n, 4, e], impulse[n, 5, e] = lx, ly, lz


@system(over=CoupledBody, phase="deform_finish", needs=ParticlePart)
def sum_particle_impulses(
    n,
    e,
    first=read(CoupledParticles.first),
    end=read(CoupledParticles.end),
    part=read(ParticlePartSums.impulse),
    impulse=update(CoupledBodySums.impulse),
):
    """Over the runs of a body, in their order."""
    for r in range(first[n, e], end[n, e]):
        for k in range(6):
            impulse[n, k, e] += part[r, k, e]
