"""Grains that two bodies press between them: how hard, and what a link has to carry for that.

A grain is light, so a contact with it alone stops a link as a spring of its mass per square of the small step does: two
fingers close through it. But two shapes that push it equally hard along one line do not move it. So that impulse acts
between the links themselves, and changes with their mobility: in each small step by what they would come together,
shared out among the grains that a link presses. It is kept from small step to small step, as impulses of pairs are.
"""

import math

from phalanx.components import (
    CoupledLink,
    CoupledLinkMotion,
    CoupledLinkTopology,
    CoupledParticles,
    DeformableMotion,
    DeformablePairTopology,
    DeformableSettings,
    NodeContactPoint,
    NodeContactState,
    NodeState,
    NodeStep,
    NodeTarget,
    Particle,
    ParticleMaterial,
    ParticlePart,
    ParticlePartPress,
    ParticlePartTopology,
    ParticlePress,
    ParticleTopology,
    Settings,
    Status,
)
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import local, read, real, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.link_motion import HELD, place_in_triangle
from phalanx.systems.deformable.press_line import past, press_line

CONE = 0.9
"""Share of the bound of friction that the line may take where two shapes are not parallel: else they press it out."""

STRAIGHT = 1e-5
"""Tangent of half of the angle between two shapes that count as parallel without friction, too."""

PARTS = 0.3
"""Share of an overlap by which the shapes come apart in a substep."""

KEEPS = 0.98
"""Share of what rubs across the line that is kept for the next small step: what neither shape needs fades away, so that
friction is there for the grain itself. What they need comes back, as anchors that are past each other ask for it."""

SLOP = 0.005
"""Overlap that is left, in radii."""

GENTLE = 0.05
"""m/s: shapes come apart no faster."""


@system(over=Particle, phase="deform_begin", needs=ParticlePart)
def find_pressed(
    p,
    e,
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    surface=read(ParticleTopology.surface),
    fluid=read(ParticleMaterial.reach),
    held=read(NodeTarget.held),
    pair_link=read(DeformablePairTopology.link),
    pair=read(NodeContactState.pair),
    normal=read(NodeContactPoint.normal),
    gap=read(NodeContactPoint.gap),
    friction=read(NodeContactPoint.friction),
    h=read(Settings.timestep),
    radius=read(ParticleMaterial.radius),
    position=read(NodeState.position),
    origin=read(DeformableMotion.origin),
    place=read(CoupledLinkMotion.place),
    mobility=read(CoupledLinkMotion.mobility),
    free=read(CoupledLinkMotion.free),
    load=update(NodeContactState.load),
    slots=write(ParticlePress.slots),
    line=write(ParticlePress.line),
    give=write(ParticlePress.give),
    aside=write(ParticlePress.aside),
    opens=write(ParticlePress.opens),
):
    """The two shapes near a grain that are most opposite, if friction holds it between them and one of them yields."""
    b = body[p, e]
    c = surface[p, e] * SLOTS
    slots[p, e] = 0
    if pair[c + 1, e] < 0:  # one shape at most
        load[c, e] = 0.0
        return
    first, second = 0, 0
    least = 0.0
    for i in range(SLOTS):
        for j in range(i + 1, SLOTS):
            if pair[c + i, e] >= 0 and pair[c + j, e] >= 0:
                k, n = pair_link[pair[c + i, e], e], pair_link[pair[c + j, e], e]
                along = normal[c + i, 0, e] * normal[c + j, 0, e] + normal[c + i, 1, e] * normal[c + j, 1, e]
                along += normal[c + i, 2, e] * normal[c + j, 2, e]
                if along < least and k != n:
                    least, first, second = along, i, j
    found = first != second and fluid[b, e] == 0.0 and held[node[p, e], e] == 0
    s, t = c + first, c + second
    kept = 0.0
    if found:
        x, y, z, sine, cosine = press_line(
            normal[s, 0, e], normal[s, 1, e], normal[s, 2, e], normal[t, 0, e], normal[t, 1, e], normal[t, 2, e]
        )  # fmt: skip
        found = sine <= max(CONE * min(friction[s, e], friction[t, e]), STRAIGHT) * cosine
        line[p, 0, e], line[p, 1, e], line[p, 2, e] = x, y, z
        v = node[p, e]
        row = local(6)
        yields = False
        for side in range(2):
            i = pair_link[pair[s if side == 0 else t, e], e]
            moves, across = 0.0, 0.0
            if i >= 0:
                ax = (origin[b, 0, e] - place[i, 0, e]) + position[v, 0, e]
                ay = (origin[b, 1, e] - place[i, 1, e]) + position[v, 1, e]
                az = (origin[b, 2, e] - place[i, 2, e]) + position[v, 2, e]
                for way in range(4):  # along the line; all axes, for what is across it
                    row[0] = x if way == 0 else (1.0 if way == 1 else 0.0)
                    row[1] = y if way == 0 else (1.0 if way == 2 else 0.0)
                    row[2] = z if way == 0 else (1.0 if way == 3 else 0.0)
                    row[3], row[4], row[5] = cross(ax, ay, az, row[0], row[1], row[2])
                    answer = 0.0
                    for j in range(6):
                        for k in range(6):
                            answer += row[j] * mobility[i, place_in_triangle(j, k), e] * row[k]
                    moves = answer if way == 0 else moves
                    across += -answer if way == 0 else answer
                moves = moves if moves > HELD * free[i, e] else 0.0
                across = across if across > HELD * free[i, e] else 0.0
            give[p, side, e] = moves
            aside[p, side, e] = across
            yields = yields or moves > 0.0
        found = found and yields
        away = (gap[s, e] + gap[t, e]) / cosine
        deep = max(-away - SLOP * radius[b, e], 0.0)
        opens[p, e] = (min(PARTS * deep, GENTLE * h[0, e]) - max(away, 0.0)) / h[0, e]
        kept = max(min(load[s, e], load[t, e]), 0.0)
    for k in range(SLOTS):
        load[c + k, e] = kept if found and (k == first or k == second) else 0.0
    slots[p, e] = 1 + first * SLOTS + second if found else 0


@system(over=ParticlePart, phase="deform_begin")
def find_pressed_parts(
    n,
    e,
    link=read(ParticlePartTopology.link),
    first=read(ParticlePartTopology.first_surface),
    end=read(ParticlePartTopology.end_surface),
    first_particle=read(ParticlePartTopology.first_particle),
    pair_link=read(DeformablePairTopology.link),
    pair=read(NodeContactState.pair),
    slots=read(ParticlePress.slots),
    some=write(ParticlePartPress.some),
):
    """Which runs have grains that their link may press against something."""
    found = 0
    for s in range(first[n, e], end[n, e]):
        both = slots[first_particle[n, e] + (s - first[n, e]), e] - 1
        if both >= 0:
            a, b = pair[s * SLOTS + both // SLOTS, e], pair[s * SLOTS + both % SLOTS, e]
            if pair_link[a, e] == link[n, e] or pair_link[b, e] == link[n, e]:
                found = 1
    some[n, e] = found


@system(over=Particle, phase="deform_particles_begin", needs=ParticlePart)
def find_press_rates(
    p,
    e,
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    surface=read(ParticleTopology.surface),
    pair_link=read(DeformablePairTopology.link),
    pair=read(NodeContactState.pair),
    load=read(NodeContactState.load),
    start=read(NodeStep.start),
    origin=read(DeformableMotion.origin),
    place=read(CoupledLinkMotion.place),
    velocity=read(CoupledLinkMotion.velocity),
    change=read(CoupledLinkMotion.change),
    mobility=read(CoupledLinkMotion.mobility),
    unbound=read(CoupledLinkMotion.unbound),
    pulse=read(CoupledLinkMotion.pulse),
    slots=read(ParticlePress.slots),
    line=read(ParticlePress.line),
    opens=read(ParticlePress.opens),
    h=read(Settings.timestep),
    anchor=read(NodeContactPoint.anchor),
    slides=read(NodeContactState.slides),
    rate=write(ParticlePress.rate),
    slide=write(ParticlePress.slide),
    on=write(ParticlePress.on),
):
    """How fast two shapes would come together about a grain if links got the impulses of the last small step again."""
    both = slots[p, e] - 1
    on[p, e] = 0
    if both >= 0:
        v, b = node[p, e], body[p, e]
        x, y, z = line[p, 0, e], line[p, 1, e], line[p, 2, e]
        moves, limits = local(6), local(6)
        vx, vy, vz, more = 0.0, 0.0, 0.0, 0.0
        first = surface[p, e] * SLOTS + both // SLOTS
        second = surface[p, e] * SLOTS + both % SLOTS
        for side in range(2):
            i = pair_link[pair[first if side == 0 else second, e], e]
            if i >= 0:
                sign = 1.0 if side == 0 else -1.0
                ax = (origin[b, 0, e] - place[i, 0, e]) + start[v, 0, e]
                ay = (origin[b, 1, e] - place[i, 1, e]) + start[v, 1, e]
                az = (origin[b, 2, e] - place[i, 2, e]) + start[v, 2, e]
                for j in range(6):
                    moves[j] = velocity[i, j, e] + change[i, j, e]
                    limits[j] = unbound[i, j, e]
                    for k in range(6):
                        moves[j] += mobility[i, place_in_triangle(j, k), e] * pulse[i, k, e]
                ux, uy, uz = cross(moves[3], moves[4], moves[5], ax, ay, az)
                vx, vy, vz = vx + sign * (moves[0] + ux), vy + sign * (moves[1] + uy), vz + sign * (moves[2] + uz)
                ux, uy, uz = cross(limits[3], limits[4], limits[5], ax, ay, az)
                more += sign * (x * (limits[0] + ux) + y * (limits[1] + uy) + z * (limits[2] + uz))
        closes = x * vx + y * vy + z * vz + opens[p, e]
        rate[p, e] = closes + more
        on[p, e] = 1 if load[first, e] > 0.0 or closes > 0.0 else 0
        share = PARTS / h[0, e] if slides[first, e] == 0 and slides[second, e] == 0 else 0.0
        vx += share * (anchor[first, 0, e] - anchor[second, 0, e])
        vy += share * (anchor[first, 1, e] - anchor[second, 1, e])
        vz += share * (anchor[first, 2, e] - anchor[second, 2, e])
        slide[p, 0, e], slide[p, 1, e], slide[p, 2, e] = past(x, y, z, vx, vy, vz)


@system(over=ParticlePart, phase="deform_particles_begin")
def count_pressed(
    n,
    e,
    link=read(ParticlePartTopology.link),
    first=read(ParticlePartTopology.first_surface),
    end=read(ParticlePartTopology.end_surface),
    first_particle=read(ParticlePartTopology.first_particle),
    pair_link=read(DeformablePairTopology.link),
    pair=read(NodeContactState.pair),
    slots=read(ParticlePress.slots),
    on=read(ParticlePress.on),
    some=read(ParticlePartPress.some),
    count=write(ParticlePartPress.count),
):
    """How many grains of a run a link presses."""
    found = 0
    for s in range(first[n, e], end[n, e] if some[n, e] != 0 else first[n, e]):
        p = first_particle[n, e] + (s - first[n, e])
        if on[p, e] != 0:
            both = slots[p, e] - 1
            a, b = pair[s * SLOTS + both // SLOTS, e], pair[s * SLOTS + both % SLOTS, e]
            if pair_link[a, e] == link[n, e] or pair_link[b, e] == link[n, e]:
                found += 1
    count[n, e] = real(found)


@system(over=CoupledLink, phase="deform_particles_begin", needs=ParticlePart)
def sum_pressed(
    n,
    e,
    first=read(CoupledLinkTopology.first_body),
    end=read(CoupledLinkTopology.end_body),
    first_part=read(CoupledParticles.first),
    end_part=read(CoupledParticles.end),
    count=read(ParticlePartPress.count),
    pressed=write(CoupledLinkMotion.pressed),
    change=update(CoupledLinkMotion.change),
    unbound=update(CoupledLinkMotion.unbound),
):
    """How many grains a link presses; while it presses any, speed limits hold back nothing."""
    found = 0.0
    for b in range(first[n, e], end[n, e]):
        for r in range(first_part[b, e], end_part[b, e]):
            found += count[r, e]
    pressed[n, e] = found
    for j in range(6 if found > 0.0 else 0):
        change[n, j, e] += unbound[n, j, e]
        unbound[n, j, e] = 0.0


@system(over=Particle, phase="deform_particles_begin", needs=ParticlePart)
def press_particles(
    p,
    e,
    surface=read(ParticleTopology.surface),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    diverged=read(Status.diverged),
    pair_link=read(DeformablePairTopology.link),
    pair=read(NodeContactState.pair),
    pressed=read(CoupledLinkMotion.pressed),
    slots=read(ParticlePress.slots),
    give=read(ParticlePress.give),
    rate=read(ParticlePress.rate),
    on=read(ParticlePress.on),
    body=read(ParticleTopology.body),
    turns=read(ParticleMaterial.turns),
    normal=read(NodeContactPoint.normal),
    friction=read(NodeContactPoint.friction),
    line=read(ParticlePress.line),
    aside=read(ParticlePress.aside),
    slide=read(ParticlePress.slide),
    load=update(NodeContactState.load),
    rub=update(ParticlePress.rub),
):
    """Change what presses a grain by what would stop its two shapes, if each grain of a link did its share of it.

    Impulses along the line only push. Across it a grain that does not turn holds two shapes together as far as friction
    goes; one that turns rolls between them.
    """
    both = slots[p, e] - 1
    tx, ty, tz = 0.0, 0.0, 0.0
    if both >= 0:
        s, t = surface[p, e] * SLOTS + both // SLOTS, surface[p, e] * SLOTS + both % SLOTS
        found = 0.0
        if on[p, e] != 0 and diverged[0, e] == 0:
            i, j = pair_link[pair[s, e], e], pair_link[pair[t, e], e]
            yields = 0.0
            yields += give[p, 0, e] * pressed[max(i, 0), e] if i >= 0 else 0.0
            yields += give[p, 1, e] * pressed[max(j, 0), e] if j >= 0 else 0.0
            step = h[0, e] / real(count[0, e])
            found = max(load[s, e] + rate[p, e] / (yields * step), 0.0)
            yields = aside[p, 0, e] * pressed[max(i, 0), e] if i >= 0 else 0.0
            yields += aside[p, 1, e] * pressed[max(j, 0), e] if j >= 0 else 0.0
            if yields > 0.0 and turns[body[p, e], e] == 0.0:
                x, y, z = line[p, 0, e], line[p, 1, e], line[p, 2, e]
                tx, ty, tz = past(x, y, z, rub[p, 0, e], rub[p, 1, e], rub[p, 2, e])
                tx, ty, tz = KEEPS * tx, KEEPS * ty, KEEPS * tz
                share = 1.0 / (yields * step)
                tx, ty, tz = tx + share * slide[p, 0, e], ty + share * slide[p, 1, e], tz + share * slide[p, 2, e]
                _, _, _, sine, cosine = press_line(
                    normal[s, 0, e], normal[s, 1, e], normal[s, 2, e], normal[t, 0, e], normal[t, 1, e], normal[t, 2, e]
                )  # fmt: skip
                most = found * max(min(friction[s, e], friction[t, e]) * cosine - sine, 0.0)
                size = math.sqrt(tx * tx + ty * ty + tz * tz)
                less = most / size if size > most else 1.0
                tx, ty, tz = less * tx, less * ty, less * tz
        load[s, e] = found
        load[t, e] = found
    rub[p, 0, e], rub[p, 1, e], rub[p, 2, e] = tx, ty, tz
