"""Impulses of grains grow and shrink together, as a coarse grid says: the other half of a two-level solver.

Sweeps over pairs carry a load no farther than one layer each, and go on with impulses that have stopped a fall as if
they still had to. So before each sweep the impulses that pairs have kept are multiplied by ``1 + q(x)``, where q is
trilinear between the corners of blocks of cells. The q that lets normal impulses take the most kinetic energy is found
by accelerated projected gradients (Nesterov 1983), with q >= -1, so that what pushes does not pull. All impulses of a
pair, those of friction and of rolling resistance, too, are multiplied by one number. So momentum and angular momentum
stay, and so do balances of forces that are there already.

With F_s the impulse of pair s on a particle of mass m, n_s its normal from the other and d_s their distance, a factor q
that is linear near the particle changes its velocity by ``(q sum F_s - 1/2 sum d_s F_s n_s . grad q) / m``, less what
shapes that it is pressed on take up. Derived and measured in docs/decisions/0054-coarse-loads.md.
"""

import math

from phalanx.components import (
    DeformableMotion,
    DeformableSettings,
    NodeContactPoint,
    NodeContactState,
    NodeModel,
    NodeStep,
    Particle,
    ParticleBlock,
    ParticleBlockCorner,
    ParticleBlockPart,
    ParticleBlockPartSums,
    ParticleBlockRange,
    ParticleCell,
    ParticleLevel,
    ParticleMaterial,
    ParticleMotion,
    ParticlePair,
    ParticleSettings,
    ParticleSort,
    ParticleTopology,
    Settings,
)
from phalanx.components.node_contact import SLOTS
from phalanx.components.particle import BLOCK
from phalanx.ecs import function, local, read, real, rows, system, update, write
from phalanx.systems.deformable.particle_cells import cell_of, number_of
from phalanx.systems.deformable.particle_near import place_of

CELLS = BLOCK * BLOCK * BLOCK
"""Cells of a block."""

CORNERS = 8
"""Corners of a block."""

MOST = 15.0
"""Greatest growth of impulses before a sweep, as a share of what they are."""


@function
def weight(high, x):
    """Weight along an axis of the corner that is low or high, at the share x of the side."""
    return x if high == 1 else 1.0 - x


@function
def climb(high):
    """How that changes along the axis."""
    return 1.0 if high == 1 else -1.0


@system(over=Particle, phase="deform_pairs", needs=ParticleBlock)
def mark_blocks(
    r,
    e,
    particles=rows(Particle),
    turn=read(ParticleSettings.turn),
    key=read(ParticleSort.key),
    first=update(ParticleBlockRange.first),
    end=update(ParticleBlockRange.end),
):
    """Where each block begins and ends."""
    side = turn[0, e] & 1
    k = key[r, side, e] // CELLS
    if r == 0 or key[max(r - 1, 0), side, e] // CELLS != k:
        first[k, e] = r
    if r == particles - 1 or key[min(r + 1, particles - 1), side, e] // CELLS != k:
        end[k, e] = r + 1


@system(over=ParticleBlock, phase="deform_cells")
def clear_blocks(c, e, first=write(ParticleBlockRange.first), end=write(ParticleBlockRange.end)):
    """No particles yet."""
    first[c, e] = 0
    end[c, e] = 0


@system(over=Particle, phase="deform_level", needs=ParticleBlock)
def level_of_particles(
    p,
    e,
    particles=rows(Particle),
    cells=rows(ParticleCell),
    blocks=rows(ParticleBlock),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    surface=read(ParticleTopology.surface),
    size=read(ParticleSettings.cell),
    up=read(ParticleSettings.up),
    over=read(ParticleSettings.over),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    mass=read(NodeModel.mass),
    radius=read(ParticleMaterial.radius),
    origin=read(DeformableMotion.origin),
    start=read(NodeStep.start),
    pair=read(NodeContactState.pair),
    shape_normal=read(NodeContactPoint.normal),
    anchor=read(NodeContactPoint.anchor),
    away=read(NodeContactPoint.gap),
    near=read(ParticleMotion.near),
    give=read(ParticleMotion.give),
    free=read(ParticleMotion.free),
    velocity=read(ParticleMotion.velocity),
    other=read(ParticlePair.other),
    load=read(ParticlePair.load),
    rub=read(ParticlePair.rub),
    normal=read(ParticlePair.normal),
    gap=read(ParticlePair.gap),
    spot=write(ParticleLevel.spot),
    block=write(ParticleLevel.block),
    closes=write(ParticleLevel.closes),
    gain=write(ParticleLevel.gain),
    slant=write(ParticleLevel.slant),
):
    """What a block needs to know of a particle."""
    v, b = node[p, e], body[p, e]
    side = real(BLOCK) * size[0, e]
    ax, ay, az = start[v, 0, e] + origin[b, 0, e], start[v, 1, e] + origin[b, 1, e], start[v, 2, e] + origin[b, 2, e]
    i, j, k = cell_of(ax, size[0, e]), cell_of(ay, size[0, e]), cell_of(az, size[0, e])
    block[p, e] = number_of(i, j, k, up[0, e], over[0, e], cells, blocks) // CELLS
    spot[p, 0, e] = ax / side - real(i // BLOCK)
    spot[p, 1, e] = ay / side - real(j // BLOCK)
    spot[p, 2, e] = az / side - real(k // BLOCK)
    found = local(12)  # gain, and the slants along x, y and z
    for n in range(12):
        found[n] = 0.0
    work = 0.0
    step = h[0, e] / real(count[0, e])
    if give[p, e] > 0.0:
        for n in range(near[p, e]):
            s = place_of(n, p, particles)
            q = other[s, e]
            o = body[q, e]
            nx, ny, nz = normal[s, 0, e], normal[s, 1, e], normal[s, 2, e]
            push = load[s, e]
            opens = nx * (velocity[p, 0, e] - velocity[q, 0, e])
            opens += ny * (velocity[p, 1, e] - velocity[q, 1, e])
            opens += nz * (velocity[p, 2, e] - velocity[q, 2, e])
            work -= 0.5 * push * (opens + max(gap[s, e], 0.0) / step)
            x, y, z = push * nx + rub[s, 0, e], push * ny + rub[s, 1, e], push * nz + rub[s, 2, e]
            arm = -0.5 * (radius[b, e] + radius[o, e] + gap[s, e]) / side
            found[0], found[1], found[2] = found[0] + x, found[1] + y, found[2] + z
            x, y, z = arm * x, arm * y, arm * z
            found[3], found[4], found[5] = found[3] + nx * x, found[4] + nx * y, found[5] + nx * z
            found[6], found[7], found[8] = found[6] + ny * x, found[7] + ny * y, found[8] + ny * z
            found[9], found[10], found[11] = found[9] + nz * x, found[10] + nz * y, found[11] + nz * z
        share = 1.0 / math.sqrt(mass[v, e])
        for n in range(12):
            found[n] *= share
        c = surface[p, e] * SLOTS
        for n in range(SLOTS):
            s = c + n
            if pair[s, e] >= 0:
                nx, ny, nz = shape_normal[s, 0, e], shape_normal[s, 1, e], shape_normal[s, 2, e]
                reach = nx * (start[v, 0, e] + step * free[p, 0, e] - anchor[s, 0, e])
                reach += ny * (start[v, 1, e] + step * free[p, 1, e] - anchor[s, 1, e])
                reach += nz * (start[v, 2, e] + step * free[p, 2, e] - anchor[s, 2, e])
                if reach < min(away[s, e], 0.0):
                    for t in range(4):
                        along = nx * found[3 * t] + ny * found[3 * t + 1] + nz * found[3 * t + 2]
                        found[3 * t] -= along * nx
                        found[3 * t + 1] -= along * ny
                        found[3 * t + 2] -= along * nz
    closes[p, e] = work
    for n in range(3):
        gain[p, n, e] = found[n]
    for n in range(9):
        slant[p, n, e] = found[3 + n]


@system(over=ParticleBlockPart, phase="deform_level")
def sum_blocks(
    t,
    e,
    turn=read(ParticleSettings.turn),
    order=read(ParticleSort.order),
    first=read(ParticleBlockRange.first),
    end=read(ParticleBlockRange.end),
    spot=read(ParticleLevel.spot),
    closes=read(ParticleLevel.closes),
    gain=read(ParticleLevel.gain),
    slant=read(ParticleLevel.slant),
    row=write(ParticleBlockPartSums.row),
    fall=write(ParticleBlockPartSums.fall),
):
    """What the kinetic energy of a block's particles owes to a corner.

    Eight threads of a block read the same particles: one thread alone would wait for each of its hundred.
    """
    c, own = t // CORNERS, t % CORNERS
    found = local(CORNERS)
    for n in range(CORNERS):
        found[n] = 0.0
    slope = 0.0
    side = turn[0, e] & 1
    for r in range(first[c, e], end[c, e]):
        p = order[r, side, e]
        x, y, z = spot[p, 0, e], spot[p, 1, e], spot[p, 2, e]
        gx, gy, gz = gain[p, 0, e], gain[p, 1, e], gain[p, 2, e]
        xx, xy, xz = slant[p, 0, e], slant[p, 1, e], slant[p, 2, e]
        yx, yy, yz = slant[p, 3, e], slant[p, 4, e], slant[p, 5, e]
        zx, zy, zz = slant[p, 6, e], slant[p, 7, e], slant[p, 8, e]
        wx, wy, wz = weight(own & 1, x), weight((own >> 1) & 1, y), weight(own >> 2, z)
        sx, sy, sz = climb(own & 1) * wy * wz, climb((own >> 1) & 1) * wx * wz, climb(own >> 2) * wx * wy
        w = wx * wy * wz
        ux = w * gx + sx * xx + sy * yx + sz * zx
        uy = w * gy + sx * xy + sy * yy + sz * zy
        uz = w * gz + sx * xz + sy * yz + sz * zz
        slope += w * closes[p, e]
        for n in range(CORNERS):
            wx, wy, wz = weight(n & 1, x), weight((n >> 1) & 1, y), weight(n >> 2, z)
            sx, sy, sz = climb(n & 1) * wy * wz, climb((n >> 1) & 1) * wx * wz, climb(n >> 2) * wx * wy
            w = wx * wy * wz
            found[n] += ux * (w * gx + sx * xx + sy * yx + sz * zx)
            found[n] += uy * (w * gy + sx * xy + sy * yy + sz * zy)
            found[n] += uz * (w * gz + sx * xz + sy * yz + sz * zz)
    for n in range(CORNERS):
        row[t, n, e] = found[n]
    fall[t, e] = slope


@system(over=ParticleBlock, phase="deform_level")
def join_blocks(
    c,
    e,
    blocks=rows(ParticleBlock),
    up=read(ParticleSettings.up),
    over=read(ParticleSettings.over),
    part=read(ParticleBlockPartSums.row),
    part_fall=read(ParticleBlockPartSums.fall),
    row=write(ParticleBlockCorner.row),
    fall=write(ParticleBlockCorner.fall),
    bound=write(ParticleBlockCorner.bound),
    rounds=write(ParticleBlockCorner.rounds),
    factor=write(ParticleBlockCorner.factor),
    ahead=write(ParticleBlockCorner.ahead),
):
    """The sums of the eight blocks around a corner; factors begin with none."""
    found = local(27)
    for n in range(27):
        found[n] = 0.0
    total = 0.0
    for n in range(CORNERS):
        i, j, k = n & 1, (n >> 1) & 1, n >> 2
        t = CORNERS * ((c - i - up[0, e] * j - over[0, e] * k) & (blocks - 1)) + n  # the corner is its n-th
        total += part_fall[t, e]
        for m in range(CORNERS):
            found[13 + (m & 1) - i + 3 * (((m >> 1) & 1) - j) + 9 * ((m >> 2) - k)] += part[t, m, e]
    size = 0.0
    for n in range(27):
        row[c, n, e] = found[n]
        size += abs(found[n])
    fall[c, e] = total
    bound[c, e] = size
    rounds[c, e] = 0
    factor[c, e] = 0.0
    ahead[c, 0, e] = 0.0


@system(over=ParticleBlock, phase="deform_rounds")
def better_factors(
    c,
    e,
    blocks=rows(ParticleBlock),
    up=read(ParticleSettings.up),
    over=read(ParticleSettings.over),
    row=read(ParticleBlockCorner.row),
    fall=read(ParticleBlockCorner.fall),
    bound=read(ParticleBlockCorner.bound),
    rounds=update(ParticleBlockCorner.rounds),
    factor=update(ParticleBlockCorner.factor),
    ahead=update(ParticleBlockCorner.ahead),
):
    """A step down the slope, within bounds, and on by some of the way it has gone.

    Each corner counts rounds for itself: one for all would be a system of its own, and a launch for each round.
    """
    side = rounds[c, e] & 1
    total = fall[c, e]
    if bound[c, e] > 0.0:
        for n in range(27):
            o = (c + n % 3 - 1 + up[0, e] * ((n // 3) % 3 - 1) + over[0, e] * (n // 9 - 1)) & (blocks - 1)
            total -= row[c, n, e] * ahead[o, side, e]
    q = ahead[c, side, e] + (total / bound[c, e] if bound[c, e] > 0.0 else 0.0)
    q = min(max(q, -1.0), MOST)
    k = real(rounds[c, e])
    ahead[c, 1 - side, e] = q + k / (k + 3.0) * (q - factor[c, e])
    factor[c, e] = q
    rounds[c, e] += 1


@system(over=Particle, phase="deform_loads", needs=ParticleBlock)
def factors_of_particles(
    p,
    e,
    blocks=rows(ParticleBlock),
    up=read(ParticleSettings.up),
    over=read(ParticleSettings.over),
    block=read(ParticleLevel.block),
    spot=read(ParticleLevel.spot),
    corner=read(ParticleBlockCorner.factor),
    factor=write(ParticleLevel.factor),
):
    """By how much impulses grow where a particle is."""
    x, y, z = spot[p, 0, e], spot[p, 1, e], spot[p, 2, e]
    total = 0.0
    for n in range(CORNERS):
        i, j, k = n & 1, (n >> 1) & 1, n >> 2
        c = (block[p, e] + i + up[0, e] * j + over[0, e] * k) & (blocks - 1)
        total += weight(i, x) * weight(j, y) * weight(k, z) * corner[c, e]
    factor[p, e] = total


@system(over=Particle, phase="deform_loads", needs=ParticleBlock)
def scale_loads(
    p,
    e,
    particles=rows(Particle),
    near=read(ParticleMotion.near),
    factor=read(ParticleLevel.factor),
    other=read(ParticlePair.other),
    load=update(ParticlePair.load),
    rub=update(ParticlePair.rub),
    roll=update(ParticlePair.roll),
):
    """Impulses of pairs grow, by as much seen from both sides."""
    here = factor[p, e]
    for n in range(near[p, e]):
        s = place_of(n, p, particles)
        grows = 1.0 + 0.5 * (here + factor[other[s, e], e])
        load[s, e] *= grows
        for k in range(3):
            rub[s, k, e] *= grows
            roll[s, k, e] *= grows
