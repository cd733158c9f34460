"""Which triangles of cloth a particle may touch in a small step, and where the particle goes if they do nothing.

A triangle finds the slots that have it by the cells of the particles' grid near it. It strings them together, so that
its nodes can add up what all of them do in an order that does not change.
"""

import math
from dataclasses import replace

from phalanx.components import (
    ClothCornerTriangle,
    ClothMaterial,
    ClothNode,
    ClothNodeContact,
    ClothPatchBounds,
    ClothPatchTopology,
    ClothRegion,
    ClothRegionBounds,
    ClothRegionTopology,
    ClothTriangle,
    ClothTriangleBounds,
    ClothTriangleParticles,
    ClothTriangleTopology,
    DeformableDynamics,
    DeformableMotion,
    DeformableSettings,
    DeformableSurface,
    Node,
    NodeModel,
    NodeState,
    NodeTarget,
    NodeTopology,
    Particle,
    ParticleBlock,
    ParticleCell,
    ParticleCellRange,
    ParticleFluid,
    ParticleMaterial,
    ParticleMotion,
    ParticlePair,
    ParticleSettings,
    ParticleSort,
    ParticleSpin,
    ParticleTopology,
    ParticleTouch,
    ParticleTouchPoint,
    Settings,
)
from phalanx.components.particle_touch import MOST_TOUCHED
from phalanx.ecs import System, local, local_int, read, real, rows, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable import cloth_near
from phalanx.systems.deformable.fluids import slope
from phalanx.systems.deformable.nearest import nearest_in_triangle, nearest_on_line
from phalanx.systems.deformable.particle_cells import cell_of, number_of
from phalanx.systems.deformable.particle_near import place_of

FASTER = 1.5
"""By how much a particle may be faster in a small step than is known at its start."""

SLACK = 0.25
"""How far a particle that stands still may go, in radii."""

CANDIDATES = 16
"""Nearest triangles of which those are chosen that a particle may touch."""

EVEN = 0.02
"""Radii by which a place must stand out of the plane of one that is nearer: a flat sheet is one place."""

FIRM = 2.0
"""Stiffness of particles that the user moves, in units of the mass per square of the small step."""

PRESSED = 0.5
"""Overlap with them that pushes, in radii."""

TINY = 1e-9
"""m: what is nearer has no direction."""

NUMBERS = 7
"""Of a candidate: distance, direction, shares."""


@system(over=Particle, phase="deform_near", needs=ParticleTouch)
def find_touched(
    p,
    e,
    particles=rows(Particle),
    regions=rows(ClothRegion),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    touches=read(ParticleMaterial.touches),
    radius=read(ParticleMaterial.radius),
    turns=read(ParticleMaterial.turns),
    cell=read(ParticleSettings.cell),
    there=read(ParticleSettings.there),
    h=read(Settings.timestep),
    steps=read(DeformableSettings.small_steps),
    gravity=read(Settings.gravity),
    scale=read(DeformableDynamics.gravity_scale),
    mass=read(NodeModel.mass),
    held=read(NodeTarget.held),
    target=read(NodeTarget.position),
    total=read(DeformableSettings.total),
    done=read(DeformableSettings.done),
    origin=read(DeformableMotion.origin),
    position=read(NodeState.position),
    velocity=read(NodeState.velocity),
    spin=read(ParticleSpin.value),
    near=read(ParticleMotion.near),
    load=read(ParticlePair.load),
    rub=read(ParticlePair.rub),
    other=read(ParticlePair.other),
    direction=read(ParticlePair.normal),
    distance=read(ParticlePair.gap),
    fluid=read(ParticleMaterial.reach),
    lattice=read(ParticleMaterial.lattice_sum),
    pressure=read(ParticleFluid.pressure),
    first_patch=read(ClothRegionTopology.first),
    end_patch=read(ClothRegionTopology.end),
    region_low=read(ClothRegionBounds.low),
    region_high=read(ClothRegionBounds.high),
    first=read(ClothPatchTopology.first),
    end=read(ClothPatchTopology.end),
    patch_low=read(ClothPatchBounds.low),
    patch_high=read(ClothPatchBounds.high),
    low=read(ClothTriangleBounds.low),
    high=read(ClothTriangleBounds.high),
    nodes=read(ClothTriangleTopology.nodes),
    of_body=read(NodeTopology.body),
    rest=read(ClothMaterial.touch_offset),
    limit=read(ClothNodeContact.limit),
    rubs=read(DeformableSurface.dynamic_friction),
    triangle=update(ParticleTouchPoint.triangle),
    impulse=update(ParticleTouchPoint.impulse),
    shares=write(ParticleTouchPoint.shares),
    normal=write(ParticleTouchPoint.normal),
    gap=write(ParticleTouchPoint.gap),
    way=write(ParticleTouchPoint.way),
    stiffness=write(ParticleTouchPoint.stiffness),
    across=write(ParticleTouchPoint.across),
    friction=write(ParticleTouchPoint.friction),
    behind=write(ParticleTouchPoint.behind),
):
    """The nearest places, but for those in the plane of a nearer one.

    A place feels the inertia of the particle, shared out among all that press: it is pushed as if the particle ended
    where its velocity, gravity, its other places and the particles near it take it.
    """
    v, b = node[p, e], body[p, e]
    r = radius[b, e]
    step = h[0, e] / real(steps[0, e])
    known = local_int(MOST_TOUCHED)
    pushed = local(3 * MOST_TOUCHED)
    olds = 0
    for k in range(MOST_TOUCHED):
        s = place_of(k, p, particles)
        if triangle[s, e] >= 0:
            known[olds] = triangle[s, e]
            for a in range(3):
                pushed[3 * olds + a] = impulse[s, a, e]
            olds += 1
        triangle[s, e] = -1
    asks = touches[b, e] != 0 and there[0, e] != 0
    x, y, z = 0.0, 0.0, 0.0
    free = held[v, e] == 0
    for k in range(near[p, e] if asks and free else 0):
        s = place_of(k, p, particles)
        push = load[s, e]
        q = other[s, e]
        o = body[q, e]
        if fluid[b, e] > 0.0 and fluid[o, e] > 0.0:
            push = slope(distance[s, e], 0.5 * (fluid[b, e] + fluid[o, e]))
            push *= pressure[p, e] / lattice[b, e] + pressure[q, e] / lattice[o, e]
        x += push * direction[s, 0, e] + rub[s, 0, e]
        y += push * direction[s, 1, e] + rub[s, 1, e]
        z += push * direction[s, 2, e] + rub[s, 2, e]
    m = mass[v, e]
    fall = step * scale[b, e] if free else 0.0
    ex = step * (velocity[v, 0, e] + fall * gravity[0, 0, e] + x / m)
    ey = step * (velocity[v, 1, e] + fall * gravity[0, 1, e] + y / m)
    ez = step * (velocity[v, 2, e] + fall * gravity[0, 2, e] + z / m)
    if not free:  # on the way to its target, as of predict_nodes
        share = 1.0 / real(total[0, e] - done[0, e])
        ex = (target[v, 0, e] - origin[b, 0, e] - position[v, 0, e]) * share
        ey = (target[v, 1, e] - origin[b, 1, e] - position[v, 1, e]) * share
        ez = (target[v, 2, e] - origin[b, 2, e] - position[v, 2, e]) * share
    far = ex * ex + ey * ey + ez * ez
    x, y, z = velocity[v, 0, e], velocity[v, 1, e], velocity[v, 2, e]
    far = FASTER * math.sqrt(max(far, step * step * (x * x + y * y + z * z))) + SLACK * r
    far = max(far, r) if fluid[b, e] > 0.0 else far  # fluids feel what is behind cloth
    far = min(far, cell[0, e] - r)
    sx, sy, sz = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    x, y, z = origin[b, 0, e] + sx, origin[b, 1, e] + sy, origin[b, 2, e] + sz
    ax, ay, az, bx, by, bz = x - r - far, y - r - far, z - r - far, x + r + far, y + r + far, z + r + far
    names = local_int(CANDIDATES)
    found = local(NUMBERS * CANDIDATES)
    count = 0
    for g in range(regions if asks else 0):
        if (
            ax > region_high[g, 0, e] or bx < region_low[g, 0, e] or ay > region_high[g, 1, e]
            or by < region_low[g, 1, e] or az > region_high[g, 2, e] or bz < region_low[g, 2, e]
        ):  # fmt: skip
            continue
        for q in range(first_patch[g, e], end_patch[g, e]):
            if (
                ax > patch_high[q, 0, e] or bx < patch_low[q, 0, e] or ay > patch_high[q, 1, e]
                or by < patch_low[q, 1, e] or az > patch_high[q, 2, e] or bz < patch_low[q, 2, e]
            ):  # fmt: skip
                continue
            for t in range(first[q, e], end[q, e]):
                if (
                    ax > high[t, 0, e] or bx < low[t, 0, e] or ay > high[t, 1, e]
                    or by < low[t, 1, e] or az > high[t, 2, e] or bz < low[t, 2, e]
                ):  # fmt: skip
                    continue
                i, j, k = nodes[t, 0, e], nodes[t, 1, e], nodes[t, 2, e]
                o = of_body[i, e]
                ox = (origin[o, 0, e] - origin[b, 0, e]) - sx
                oy = (origin[o, 1, e] - origin[b, 1, e]) - sy
                oz = (origin[o, 2, e] - origin[b, 2, e]) - sz
                ix, iy, iz = ox + position[i, 0, e], oy + position[i, 1, e], oz + position[i, 2, e]
                jx, jy, jz = ox + position[j, 0, e], oy + position[j, 1, e], oz + position[j, 2, e]
                kx, ky, kz = ox + position[k, 0, e], oy + position[k, 1, e], oz + position[k, 2, e]
                u, w, f = 0.0, 0.0, 0.0
                if j == k:
                    u, w = nearest_on_line(ix, iy, iz, jx, jy, jz)
                else:
                    u, w, f = nearest_in_triangle(ix, iy, iz, jx, jy, jz, kx, ky, kz)
                qx, qy, qz = -(u * ix + w * jx + f * kx), -(u * iy + w * jy + f * ky), -(u * iz + w * jz + f * kz)
                d = math.sqrt(qx * qx + qy * qy + qz * qz)
                if d > TINY:
                    qx, qy, qz = qx / d, qy / d, qz / d
                else:
                    qx, qy, qz = cross(jx - ix, jy - iy, jz - iz, kx - ix, ky - iy, kz - iz)
                    d = max(math.sqrt(qx * qx + qy * qy + qz * qz), TINY)
                    qx, qy, qz, d = qx / d, qy / d, qz / d, 0.0
                may = far + max(limit[i, e], max(limit[j, e], limit[k, e]))
                if d - r - rest[o, e] > may or (count == CANDIDATES and d >= found[NUMBERS * (CANDIDATES - 1)]):
                    continue
                at = min(count, CANDIDATES - 1)
                while at > 0 and d < found[NUMBERS * max(at - 1, 0)]:
                    names[at] = names[at - 1]
                    for a in range(NUMBERS):
                        found[NUMBERS * at + a] = found[NUMBERS * (at - 1) + a]
                    at -= 1
                names[at] = t
                c = NUMBERS * at
                found[c], found[c + 1], found[c + 2], found[c + 3] = d, qx, qy, qz
                found[c + 4], found[c + 5], found[c + 6] = u, w, f
                count = min(count + 1, CANDIDATES)
    kept = 0
    tx, ty, tz = 0.0, 0.0, 0.0  # impulses of places that it goes on to touch
    for n in range(count):
        c = NUMBERS * n
        d, nx, ny, nz = found[c], found[c + 1], found[c + 2], found[c + 3]
        stands = kept < MOST_TOUCHED
        counts = 1.0
        for k in range(kept):
            i = NUMBERS * k
            along = nx * found[i + 1] + ny * found[i + 2] + nz * found[i + 3]
            stands = stands and found[i] - d * along > EVEN * r
            counts = min(counts, 1.0 - max(along, 0.0))
        if stands:
            t = names[n]
            names[kept] = t
            for a in range(NUMBERS):
                found[NUMBERS * kept + a] = found[c + a]
            s = place_of(kept, p, particles)
            kept += 1
            triangle[s, e] = t
            jx, jy, jz = 0.0, 0.0, 0.0
            for k in range(olds):
                if known[k] == t:
                    jx, jy, jz = pushed[3 * k], pushed[3 * k + 1], pushed[3 * k + 2]
            impulse[s, 0, e], impulse[s, 1, e], impulse[s, 2, e] = jx, jy, jz
            tx, ty, tz = tx + jx, ty + jy, tz + jz
            normal[s, 0, e], normal[s, 1, e], normal[s, 2, e] = nx, ny, nz
            for a in range(3):
                shares[s, a, e] = found[c + 4 + a]
            o = of_body[nodes[t, 0, e], e]
            gap[s, e] = d - r - rest[o, e]
            behind[s, e] = counts
            friction[s, e] = 0.5 * (rubs[b, e] + rubs[o, e])
    gx, gy, gz = ex + step * tx / m, ey + step * ty / m, ez + step * tz / m
    press = 0.0
    for n in range(kept):
        s = place_of(n, p, particles)
        t = triangle[s, e]
        opens = max(gap[s, e], 0.0)
        for a in range(3):
            x = 0.0
            for k in range(3):
                x += shares[s, k, e] * velocity[nodes[t, k, e], a, e]
            opens += normal[s, a, e] * ((gx if a == 0 else (gy if a == 1 else gz)) - step * x)
        some = impulse[s, 0, e] != 0.0 or impulse[s, 1, e] != 0.0 or impulse[s, 2, e] != 0.0
        press += 1.0 if opens < 0.0 or some else 0.0
    press = max(press, 1.0) if free else 1.0 / FIRM
    for n in range(kept):
        s = place_of(n, p, particles)
        nx, ny, nz = normal[s, 0, e], normal[s, 1, e], normal[s, 2, e]
        jx, jy, jz = impulse[s, 0, e], impulse[s, 1, e], impulse[s, 2, e]
        along = jx * nx + jy * ny + jz * nz
        jx, jy, jz = jx - along * nx, jy - along * ny, jz - along * nz
        less = press * step / m if free else 0.0
        slip = less * (1.0 + turns[b, e])
        ux, uy, uz = cross(spin[p, 0, e], spin[p, 1, e], spin[p, 2, e], nx, ny, nz)
        ux, uy, uz = step * r * ux, step * r * uy, step * r * uz
        less = less * along if free else min(max(-gap[s, e], 0.0), PRESSED * r)  # overlap of what is held pushes, too
        # the pressure of a fluid goes on to push across the gap
        less += max(gap[s, e], 0.0) if fluid[b, e] > 0.0 and along > 0.0 and free else 0.0
        way[s, 0, e] = gx - ux - less * nx - slip * jx
        way[s, 1, e] = gy - uy - less * ny - slip * jy
        way[s, 2, e] = gz - uz - less * nz - slip * jz
        firm = m / (press * step * step)
        stiffness[s, e] = firm
        across[s, e] = firm / (1.0 + turns[b, e])


@system(over=ClothTriangle, phase="deform_near", needs=ParticleTouch)
def string_touched(
    t,
    e,
    particles=rows(Particle),
    cells=rows(ParticleCell),
    blocks=rows(ParticleBlock),
    low=read(ClothTriangleBounds.low),
    high=read(ClothTriangleBounds.high),
    size=read(ParticleSettings.cell),
    up=read(ParticleSettings.up),
    over=read(ParticleSettings.over),
    turn=read(ParticleSettings.turn),
    there=read(ParticleSettings.there),
    order=read(ParticleSort.order),
    first_in=read(ParticleCellRange.first),
    end_in=read(ParticleCellRange.end),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    origin=read(DeformableMotion.origin),
    position=read(NodeState.position),
    triangle=read(ParticleTouchPoint.triangle),
    next=update(ParticleTouchPoint.next),
    first=write(ClothTriangleParticles.first),
):
    """The slots of particles that have this triangle, from cells that are at most one away from its bounds."""
    side = turn[0, e] & 1
    wide = size[0, e]
    i0, i1 = cell_of(low[t, 0, e] - wide, wide), cell_of(high[t, 0, e] + wide, wide)
    j0, j1 = cell_of(low[t, 1, e] - wide, wide), cell_of(high[t, 1, e] + wide, wide)
    k0, k1 = cell_of(low[t, 2, e] - wide, wide), cell_of(high[t, 2, e] + wide, wide)
    head, last = -1, -1
    for k in range(k0, k1 + 1 if there[0, e] != 0 else k0):
        for j in range(j0, j1 + 1):
            for i in range(i0, i1 + 1):
                c = number_of(i, j, k, up[0, e], over[0, e], cells, blocks)
                for n in range(first_in[c, e], end_in[c, e]):
                    p = order[n, side, e]
                    for a in range(MOST_TOUCHED):
                        s = place_of(a, p, particles)
                        if triangle[s, e] == t:
                            v, b = node[p, e], body[p, e]
                            # cells far apart may share a number
                            own = cell_of(origin[b, 0, e] + position[v, 0, e], wide) == i
                            own = own and cell_of(origin[b, 1, e] + position[v, 1, e], wide) == j
                            own = own and cell_of(origin[b, 2, e] + position[v, 2, e], wide) == k
                            if own:
                                next[s, e] = -1
                                if last >= 0:
                                    next[last, e] = s
                                else:
                                    head = s
                                last = s
    first[t, e] = head


@system(over=Node, phase="deform_near", needs=ParticleTouch)
def touched_budgets(
    v,
    e,
    row=read(ClothNodeContact.row),
    first_corner=read(ClothNode.first_corner),
    end_corner=read(ClothNode.end_corner),
    corner_triangle=read(ClothCornerTriangle.triangle),
    head=read(ClothTriangleParticles.first),
    next=read(ParticleTouchPoint.next),
    way=read(ParticleTouchPoint.way),
    limit=update(ClothNodeContact.limit),
):
    """Nodes may go as far as particles take them."""
    far = 0.0
    for c in range(first_corner[v, e], end_corner[v, e] if row[v, e] >= 0 else first_corner[v, e]):
        s = head[corner_triangle[c, e], e]
        while s >= 0:
            x, y, z = way[s, 0, e], way[s, 1, e], way[s, 2, e]
            far = max(far, x * x + y * y + z * z)
            s = next[s, e]
    limit[v, e] += FASTER * math.sqrt(far)


def _anew(system: System, name: str) -> System:
    return replace(system.again(name, "deform_near"), needs=ParticleTouch)


touched_bounds = _anew(cloth_near.cloth_bounds, "touched_bounds")
bounds_of_touched_patches = _anew(cloth_near.patch_bounds, "bounds_of_touched_patches")
bounds_of_touched_regions = _anew(cloth_near.region_bounds, "bounds_of_touched_regions")
"""Bounds with what particles do."""
