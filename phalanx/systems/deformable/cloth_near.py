"""Triangles of cloth that are near each other in a small step, by bounds of triangles, of patches, and of regions.

Bounds hold all places to which the nodes may go, beside a motion that all cloth shares: what is not found cannot meet.
"""

import math

from phalanx.components import (
    ClothDrift,
    ClothMaterial,
    ClothNearRegions,
    ClothNearTriangle,
    ClothNodeContact,
    ClothPatch,
    ClothPatchBounds,
    ClothPatchTopology,
    ClothRegion,
    ClothRegionBounds,
    ClothRegionTopology,
    ClothTriangle,
    ClothTriangleBounds,
    ClothTriangleTopology,
    Deformable,
    DeformableModes,
    DeformableMomentum,
    DeformableMotion,
    DeformableSettings,
    DeformableTopology,
    Node,
    NodeState,
    NodeTopology,
    Settings,
)
from phalanx.components.cloth_contact import NEAR, NEAR_REGIONS
from phalanx.ecs import read, real, rows, system, update, write

FASTER = 1.5
"""By how much a node may be faster in a small step than in the one before."""

SLACK = 0.25
"""How far a node that stands still may go, in distances at which cloth rests on cloth."""

INFINITY = 1e30


@system(phase="deform_begin", needs=ClothTriangle)
def cloth_drift(
    lanes,
    bodies=rows(Deformable),
    end=read(DeformableTopology.end_node),
    row=read(ClothNodeContact.row),
    mass=read(DeformableMomentum.mass),
    held=read(DeformableMomentum.held),
    linear=read(DeformableMomentum.linear),
    velocity=update(ClothDrift.velocity),
):
    """Of all bodies that touch cloth and are free: those of which the user moves nodes take no others along."""
    for e in lanes:
        weight, x, y, z = 0.0, 0.0, 0.0, 0.0
        for b in range(bodies):
            if row[end[b, 0] - 1, 0] >= 0 and held[b, e] == 0:
                weight += mass[b, e]
                x, y, z = x + linear[b, 0, e], y + linear[b, 1, e], z + linear[b, 2, e]
        weight = weight if weight > 0.0 else 1.0
        velocity[0, 0, e], velocity[0, 1, e], velocity[0, 2, e] = x / weight, y / weight, z / weight


@system(phase="deform_finish", needs=ClothTriangle)
def cloth_way(
    lanes,
    bodies=rows(Deformable),
    end=read(DeformableTopology.end_node),
    row=read(ClothNodeContact.row),
    mass=read(DeformableMomentum.mass),
    held=read(DeformableMomentum.held),
    middle=read(DeformableModes.middle),
    ahead=read(DeformableModes.ahead),
    way=update(ClothDrift.way),
):
    """The mean way of the same bodies, after the sweeps."""
    for e in lanes:
        weight, x, y, z = 0.0, 0.0, 0.0, 0.0
        for b in range(bodies):
            if row[end[b, 0] - 1, 0] >= 0 and held[b, e] == 0:
                m = mass[b, e]
                weight += m
                x += m * (ahead[b, 0, e] - middle[b, 0, e])
                y += m * (ahead[b, 1, e] - middle[b, 1, e])
                z += m * (ahead[b, 2, e] - middle[b, 2, e])
        weight = weight if weight > 0.0 else 1.0
        way[0, 0, e], way[0, 1, e], way[0, 2, e] = x / weight, y / weight, z / weight


@system(over=Node, phase="deform_near", needs=ClothTriangle)
def cloth_budgets(
    v,
    e,
    body=read(NodeTopology.body),
    row=read(ClothNodeContact.row),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    rest=read(ClothMaterial.touch_offset),
    drift=read(ClothDrift.velocity),
    velocity=read(NodeState.velocity),
    limit=write(ClothNodeContact.limit),
):
    """How far nodes may go at most."""
    x = velocity[v, 0, e] - drift[0, 0, e]
    y = velocity[v, 1, e] - drift[0, 1, e]
    z = velocity[v, 2, e] - drift[0, 2, e]
    step = h[0, e] / real(count[0, e])
    far = FASTER * math.sqrt(x * x + y * y + z * z)
    x, y, z = drift[0, 0, e], drift[0, 1, e], drift[0, 2, e]
    far = step * (far + math.sqrt(x * x + y * y + z * z)) + SLACK * 2.0 * rest[body[v, e], e]
    limit[v, e] = far if row[v, e] >= 0 else 0.0


@system(over=ClothTriangle, phase="deform_near")
def cloth_bounds(
    t,
    e,
    nodes=read(ClothTriangleTopology.nodes),
    body=read(NodeTopology.body),
    rest=read(ClothMaterial.touch_offset),
    origin=read(DeformableMotion.origin),
    position=read(NodeState.position),
    limit=read(ClothNodeContact.limit),
    low=write(ClothTriangleBounds.low),
    high=write(ClothTriangleBounds.high),
):
    """Bounds of triangles."""
    i, j, k = nodes[t, 0, e], nodes[t, 1, e], nodes[t, 2, e]
    b = body[i, e]
    more = rest[b, e] + max(limit[i, e], max(limit[j, e], limit[k, e]))
    for a in range(3):
        x, y, z = position[i, a, e], position[j, a, e], position[k, a, e]
        low[t, a, e] = origin[b, a, e] + (min(x, min(y, z)) - more)
        high[t, a, e] = origin[b, a, e] + (max(x, max(y, z)) + more)


@system(over=ClothPatch, phase="deform_near")
def patch_bounds(
    p,
    e,
    first=read(ClothPatchTopology.first),
    end=read(ClothPatchTopology.end),
    own_low=read(ClothTriangleBounds.low),
    own_high=read(ClothTriangleBounds.high),
    low=write(ClothPatchBounds.low),
    high=write(ClothPatchBounds.high),
):
    """Bounds of patches."""
    for a in range(3):
        least, most = INFINITY, -INFINITY
        for t in range(first[p, e], end[p, e]):
            least, most = min(least, own_low[t, a, e]), max(most, own_high[t, a, e])
        low[p, a, e], high[p, a, e] = least, most


@system(over=ClothRegion, phase="deform_near")
def region_bounds(
    r,
    e,
    first=read(ClothRegionTopology.first),
    end=read(ClothRegionTopology.end),
    own_low=read(ClothPatchBounds.low),
    own_high=read(ClothPatchBounds.high),
    low=write(ClothRegionBounds.low),
    high=write(ClothRegionBounds.high),
):
    """Bounds of regions."""
    for a in range(3):
        least, most = INFINITY, -INFINITY
        for p in range(first[r, e], end[r, e]):
            least, most = min(least, own_low[p, a, e]), max(most, own_high[p, a, e])
        low[r, a, e], high[r, a, e] = least, most


@system(over=ClothRegion, phase="deform_near")
def near_regions(
    r,
    e,
    regions=rows(ClothRegion),
    low=read(ClothRegionBounds.low),
    high=read(ClothRegionBounds.high),
    there=read(ClothDrift.there),
    count=write(ClothNearRegions.count),
    region=write(ClothNearRegions.region),
):
    """Regions whose bounds overlap a region's, itself among them, in their order."""
    found = 0
    for o in range(regions if there[0, e] != 0 else 0):
        x = low[r, 0, e] <= high[o, 0, e] and low[o, 0, e] <= high[r, 0, e]
        y = low[r, 1, e] <= high[o, 1, e] and low[o, 1, e] <= high[r, 1, e]
        z = low[r, 2, e] <= high[o, 2, e] and low[o, 2, e] <= high[r, 2, e]
        if x and y and z:
            if found < NEAR_REGIONS:
                region[r, found, e] = o
            found += 1
    count[r, e] = found


@system(over=ClothTriangle, phase="deform_near")
def near_cloth(
    t,
    e,
    regions=rows(ClothRegion),
    own_region=read(ClothTriangleTopology.region),
    near_count=read(ClothNearRegions.count),
    near_region=read(ClothNearRegions.region),
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
    there=read(ClothDrift.there),
    near=write(ClothTriangleBounds.near),
    triangle=write(ClothNearTriangle.triangle),
):
    """All others whose bounds overlap a triangle's, in their order."""
    ax, ay, az = low[t, 0, e], low[t, 1, e], low[t, 2, e]
    bx, by, bz = high[t, 0, e], high[t, 1, e], high[t, 2, e]
    found = 0
    own = own_region[t, e]
    known = near_count[own, e] <= NEAR_REGIONS
    some = near_count[own, e] if known else regions
    for n in range(some if there[0, e] != 0 else 0):
        r = near_region[own, n, e] if known else n
        x = ax <= region_high[r, 0, e] and region_low[r, 0, e] <= bx
        y = ay <= region_high[r, 1, e] and region_low[r, 1, e] <= by
        z = az <= region_high[r, 2, e] and region_low[r, 2, e] <= bz
        for p in range(first_patch[r, e], end_patch[r, e] if x and y and z else 0):
            x = ax <= patch_high[p, 0, e] and patch_low[p, 0, e] <= bx
            y = ay <= patch_high[p, 1, e] and patch_low[p, 1, e] <= by
            z = az <= patch_high[p, 2, e] and patch_low[p, 2, e] <= bz
            if x and y and z:
                for o in range(first[p, e], end[p, e]):
                    x = ax <= high[o, 0, e] and low[o, 0, e] <= bx
                    y = ay <= high[o, 1, e] and low[o, 1, e] <= by
                    z = az <= high[o, 2, e] and low[o, 2, e] <= bz
                    if x and y and z and o != t:
                        if found < NEAR:
                            triangle[t * NEAR + found, e] = o
                        found += 1
    near[t, e] = found
