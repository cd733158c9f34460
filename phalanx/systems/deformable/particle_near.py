"""Which particles may touch in a small step, and what they go on with from the one before."""

import math

from phalanx.components import (
    DeformableMotion,
    DeformableSettings,
    NodeModel,
    NodeState,
    NodeTarget,
    Particle,
    ParticleBlock,
    ParticleCell,
    ParticleCellRange,
    ParticleMaterial,
    ParticleMotion,
    ParticleNearCount,
    ParticlePair,
    ParticleSettings,
    ParticleSort,
    ParticleTopology,
    Settings,
)
from phalanx.components.particle import MOST_NEAR
from phalanx.ecs import function, local, local_int, read, real, rows, system, update, write
from phalanx.systems.deformable.particle_cells import cell_of, number_of

REACH = 1.2
"""Sides of cells, in diameters of grains: who is farther apart than that at the start of a small step is not near."""

ROUNDING = 1e-5
"""By which places that are far from the origin of the environment may be wrong, by how far: what is nearly too far by
them is looked at more closely."""


@function
def place_of(k, p, particles):
    """Row of the k-th slot of a particle: threads for neighbours read neighbouring rows."""
    return k * particles + p


@system(over=Particle, phase="deform_pairs")
def find_pairs(
    p,
    e,
    particles=rows(Particle),
    cells=rows(ParticleCell),
    blocks=rows(ParticleBlock),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    size=read(ParticleSettings.cell),
    up=read(ParticleSettings.up),
    over=read(ParticleSettings.over),
    slots=read(ParticleSettings.slots),
    turn=read(ParticleSettings.turn),
    there=read(ParticleSettings.there),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    radius=read(ParticleMaterial.radius),
    fluid=read(ParticleMaterial.reach),
    mass=read(NodeModel.mass),
    held=read(NodeTarget.held),
    origin=read(DeformableMotion.origin),
    position=read(NodeState.position),
    velocity=read(NodeState.velocity),
    order=read(ParticleSort.order),
    place=read(ParticleSort.place),
    first=read(ParticleCellRange.first),
    end=read(ParticleCellRange.end),
    kept=update(ParticleNearCount.kept),
    other=update(ParticlePair.other),
    load=update(ParticlePair.load),
    rub=update(ParticlePair.rub),
    roll=update(ParticlePair.roll),
    normal=update(ParticlePair.normal),
    gap=update(ParticlePair.gap),
    near=write(ParticleMotion.near),
    give=write(ParticleMotion.give),
    crowded=update(ParticleSettings.crowded),
):
    """Others that a particle may touch, cell by cell; those that it pushed before it goes on to push as hard.

    A pair is the same seen from both sides, to the bit, with signs turned.
    """
    v, b = node[p, e], body[p, e]
    known = local_int(MOST_NEAR)
    pushed = local(7 * MOST_NEAR)
    olds = 0
    for n in range(kept[p, e]):
        s = place_of(n, p, particles)
        if load[s, e] != 0.0:
            known[olds] = other[s, e]
            pushed[7 * olds] = load[s, e]
            for k in range(3):
                pushed[7 * olds + 1 + k] = rub[s, k, e]
                pushed[7 * olds + 4 + k] = roll[s, k, e]
            olds += 1
    step = h[0, e] / real(count[0, e])
    side = turn[0, e] & 1
    x, y, z = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    ax, ay, az = origin[b, 0, e] + x, origin[b, 1, e] + y, origin[b, 2, e] + z
    i, j, m = cell_of(ax, size[0, e]), cell_of(ay, size[0, e]), cell_of(az, size[0, e])
    far = 1.001 * size[0, e] + ROUNDING * (abs(ax) + abs(ay) + abs(az))
    far *= far
    found, solid = 0, 0
    for n in range(27 if there[0, e] != 0 else 0):
        c = number_of(i + n % 3 - 1, j + (n // 3) % 3 - 1, m + n // 9 - 1, up[0, e], over[0, e], cells, blocks)
        for r in range(first[c, e], end[c, e]):
            dx, dy, dz = ax - place[r, 0, e], ay - place[r, 1, e], az - place[r, 2, e]
            q = order[r, side, e] if dx * dx + dy * dy + dz * dz < far else p
            if q != p:
                w, o = node[q, e], body[q, e]
                dx = (origin[b, 0, e] - origin[o, 0, e]) + (x - position[w, 0, e])
                dy = (origin[b, 1, e] - origin[o, 1, e]) + (y - position[w, 1, e])
                dz = (origin[b, 2, e] - origin[o, 2, e]) + (z - position[w, 2, e])
                flows = fluid[b, e] > 0.0 and fluid[o, e] > 0.0
                reach = 0.5 * (fluid[b, e] + fluid[o, e]) if flows else radius[b, e] + radius[o, e]
                square = dx * dx + dy * dy + dz * dz
                if square < (1.0 if flows else REACH * REACH) * reach * reach:
                    length = math.sqrt(square)
                    inverse = 1.0 / length if length > 0.0 else 0.0
                    # in one place: apart along z, the one with the greater row upwards
                    nx, ny = dx * inverse, dy * inverse
                    nz = dz * inverse if length > 0.0 else (1.0 if p > q else -1.0)
                    d = length if flows else length - reach
                    speed = nx * (velocity[v, 0, e] - velocity[w, 0, e])
                    speed += ny * (velocity[v, 1, e] - velocity[w, 1, e])
                    speed += nz * (velocity[v, 2, e] - velocity[w, 2, e])
                    if flows or d + min(step * speed, 0.0) < 0.05 * reach:
                        if found < slots[0, e]:
                            s = place_of(found, p, particles)
                            other[s, e] = q
                            normal[s, 0, e], normal[s, 1, e], normal[s, 2, e] = nx, ny, nz
                            gap[s, e] = d
                            push, rx, ry, rz = 0.0, 0.0, 0.0, 0.0
                            tx, ty, tz = 0.0, 0.0, 0.0
                            for k in range(olds):
                                if known[k] == q:
                                    push = pushed[7 * k]
                                    rx, ry, rz = pushed[7 * k + 1], pushed[7 * k + 2], pushed[7 * k + 3]
                                    tx, ty, tz = pushed[7 * k + 4], pushed[7 * k + 5], pushed[7 * k + 6]
                            along = rx * nx + ry * ny + rz * nz
                            load[s, e] = push
                            rub[s, 0, e], rub[s, 1, e], rub[s, 2, e] = rx - along * nx, ry - along * ny, rz - along * nz
                            roll[s, 0, e], roll[s, 1, e], roll[s, 2, e] = tx, ty, tz
                        found += 1
                        solid += 0 if flows else 1
    if found > slots[0, e]:
        crowded[0, e] = 1
    found = min(found, slots[0, e])
    near[p, e] = found
    kept[p, e] = found
    give[p, e] = 0.0 if held[v, e] != 0 else real(max(solid, 1)) / mass[v, e]
