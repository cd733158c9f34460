"""The list of contacts: of what was found, in order, with last substep's impulses where a contact was there before."""

import math

from phalanx.components import (
    Candidate,
    CandidateCount,
    CandidatePair,
    Contact,
    ContactCount,
    ContactImpulse,
    ContactMotion,
    ContactPoint,
    ContactSurface,
    LinkPose,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
    PlanePoint,
    PreviousContact,
    Scratch,
    ShapeGeometry,
    ShapeMaterial,
    ShapePose,
    ShapeTopology,
    Status,
)
from phalanx.components.shape import AVERAGE, MINIMUM, MULTIPLY
from phalanx.ecs import function, read, rows, system, update, write
from phalanx.maths.kernels import cross

AT_ONCE = 8
"""Candidates whose numbers of points are looked at together."""

MOST_OLD = 62
"""Old points of a pair among which new ones look for theirs."""


@system(over=Contact, phase="collide", used="count")
def remember_contacts(
    c,
    e,
    count=read(ContactCount.current),
    key=read(ContactPoint.key),
    place=read(ContactPoint.place),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    impulse=read(ContactImpulse.last),
    old_key=write(PreviousContact.key),
    old_place=write(PreviousContact.place),
    push=write(PreviousContact.push),
    rub=write(PreviousContact.rub),
):
    """Keep the last list; friction in world axes, since tangents turn with the normal."""
    old_key[c, e] = key[c, e] if c < count[0, e] else -1
    for k in range(3):
        old_place[c, k, e] = place[c, k, e]
    push[c, e] = impulse[c, 0, e]
    tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
    bx, by, bz = cross(normal[c, 0, e], normal[c, 1, e], normal[c, 2, e], tx, ty, tz)
    x, y = impulse[c, 1, e], impulse[c, 2, e]
    rub[c, 0, e], rub[c, 1, e], rub[c, 2, e] = x * tx + y * bx, x * ty + y * by, x * tz + y * bz


@system(phase="collide")
def start_contacts(lanes, count=update(ContactCount.current), before=write(Scratch.before)):
    """Start a new list."""
    for e in lanes:
        before[0, e] = count[0, e]
        count[0, e] = 0


@function
def tangent_of(nx, ny, nz):
    """A unit vector across a unit normal: x or y, less its part along the normal."""
    flat = math.fabs(nx) < 0.8
    ux = 1.0 if flat else 0.0
    uy = 0.0 if flat else 1.0
    along = ux * nx + uy * ny
    ux, uy, uz = ux - along * nx, uy - along * ny, -along * nz
    scale = 1.0 / math.sqrt(ux * ux + uy * uy + uz * uz)
    return ux * scale, uy * scale, uz * scale


@system(phase="collide", needs=Candidate)
def place_pair_contacts(
    lanes,
    slots=rows(Contact),
    candidate_count=read(CandidateCount.current),
    points=read(Manifold.count),
    left_out=read(Manifold.dropped),
    first=write(Manifold.first_contact),
    count=update(ContactCount.current),
    dropped=update(Status.contacts_dropped),
):
    """Where in the list of contacts those of each candidate come, after those with planes."""
    for e in lanes:
        filled = count[0, e]
        last = candidate_count[0, e]
        for start in range(0, last, AT_ONCE):
            numbers = 0
            for k in range(AT_ONCE):  # loads that do not wait for each other
                m = min(start + k, last - 1)
                numbers |= (points[m, e] - (left_out[m, e] & 255) if start + k < last else 0) << (8 * k)
            for k in range(AT_ONCE):
                if start + k < last:
                    first[start + k, e] = filled
                filled += (numbers >> (8 * k)) & 255
        count[0, e] = min(filled, slots)
        dropped[0, e] = max(dropped[0, e], filled - slots)


@system(over=Candidate, phase="collide", used="candidate_count")
def pair_contacts(
    n,
    e,
    slots=rows(Contact),
    plane_points=rows(PlanePoint),
    candidates=rows(Candidate),
    manifold_points=rows(ManifoldPoint),
    candidate_count=read(CandidateCount.current),
    shape_a=read(CandidatePair.a),
    shape_b=read(CandidatePair.b),
    pair_key=read(CandidatePair.key),
    between=read(CandidatePair.between),
    points=read(Manifold.count),
    left_out=read(Manifold.dropped),
    first=read(Manifold.first_contact),
    position=read(ManifoldPointState.position),
    point_normal=read(ManifoldPointState.normal),
    distance=read(ManifoldPointState.separation),
    rest=read(ShapeGeometry.rest_offset),
    offset=read(ShapePose.offset),
    before=read(Scratch.before),
    old_key=read(PreviousContact.key),
    old_place=read(PreviousContact.place),
    push=read(PreviousContact.push),
    rub=read(PreviousContact.rub),
    key=update(ContactPoint.key),
    a=update(ContactPoint.a),
    b=update(ContactPoint.b),
    place=update(ContactPoint.place),
    arm_a=update(ContactPoint.arm_a),
    arm_b=update(ContactPoint.arm_b),
    normal=update(ContactPoint.normal),
    tangent=update(ContactPoint.tangent),
    separation=update(ContactPoint.separation),
    impulse=update(ContactImpulse.last),
):
    """The points of a candidate as contacts; each takes over the impulses of the nearest old point of its pair.

    Points are told by where they are, not by the features that made them: when a manifold's points change places, the
    impulses stay where they were.
    """
    if n >= candidate_count[0, e] or points[n, e] == left_out[n, e] & 255:
        return
    i, j = shape_a[n, e], shape_b[n, e]
    name = plane_points + pair_key[n, e]
    width = manifold_points // candidates
    filled = first[n, e]
    seen, high = 0, before[0, e]
    while seen < high:  # keys grow
        middle = (seen + high) >> 1
        if old_key[middle, e] < name:
            seen = middle + 1
        else:
            high = middle
    end = seen
    while end < min(before[0, e], seen + MOST_OLD) and old_key[end, e] == name:
        end += 1
    taken = 0
    hidden = left_out[n, e] >> 8
    p = n * width - 1
    for _ in range(min(points[n, e] - (left_out[n, e] & 255), slots - filled)):
        p += 1
        while (hidden >> (p - n * width)) & 1 == 1:
            p += 1
        x, y, z = position[p, 0, e], position[p, 1, e], position[p, 2, e]
        old = -1
        nearest = 0.0
        for o in range(seen, end):
            dx, dy, dz = old_place[o, 0, e] - x, old_place[o, 1, e] - y, old_place[o, 2, e] - z
            far = dx * dx + dy * dy + dz * dz
            if (taken >> (o - seen)) & 1 == 0 and (old < 0 or far < nearest):
                old = o
                nearest = far
        nx, ny, nz = point_normal[p, 0, e], point_normal[p, 1, e], point_normal[p, 2, e]
        tx, ty, tz = tangent_of(nx, ny, nz)
        bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
        impulse[filled, 0, e] = 0.0
        impulse[filled, 1, e] = 0.0
        impulse[filled, 2, e] = 0.0
        if old >= 0:
            impulse[filled, 0, e] = push[old, e]
            rx, ry, rz = rub[old, 0, e], rub[old, 1, e], rub[old, 2, e]
            impulse[filled, 1, e] = rx * tx + ry * ty + rz * tz
            impulse[filled, 2, e] = rx * bx + ry * by + rz * bz
            taken |= 1 << (old - seen)
        key[filled, e] = name
        a[filled, e] = i
        b[filled, e] = j
        place[filled, 0, e], place[filled, 1, e], place[filled, 2, e] = x, y, z
        normal[filled, 0, e], normal[filled, 1, e], normal[filled, 2, e] = nx, ny, nz
        tangent[filled, 0, e], tangent[filled, 1, e], tangent[filled, 2, e] = tx, ty, tz
        # Across a gap each body touches with its own surface.
        half = 0.5 * max(distance[p, e], 0.0)
        ux, uy, uz = x + half * nx, y + half * ny, z + half * nz
        arm_a[filled, 0, e] = ux + offset[i, 0, e]
        arm_a[filled, 1, e] = uy + offset[i, 1, e]
        arm_a[filled, 2, e] = uz + offset[i, 2, e]
        ux, uy, uz = x - half * nx, y - half * ny, z - half * nz
        arm_b[filled, 0, e] = (ux - between[n, 0, e]) + offset[j, 0, e]
        arm_b[filled, 1, e] = (uy - between[n, 1, e]) + offset[j, 1, e]
        arm_b[filled, 2, e] = (uz - between[n, 2, e]) + offset[j, 2, e]
        separation[filled, e] = distance[p, e] - (rest[i, e] + rest[j, e])
        filled += 1


@function
def combine(mode, x, y):
    """One coefficient of two surfaces."""
    both = 0.5 * (x + y) if mode == AVERAGE else max(x, y)
    both = min(x, y) if mode == MINIMUM else both
    return x * y if mode == MULTIPLY else both


@system(over=Contact, phase="collide")
def contact_surfaces(
    c,
    e,
    count=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    dof=read(ShapeTopology.dof),
    static=read(ShapeMaterial.static_friction),
    dynamic=read(ShapeMaterial.dynamic_friction),
    restitution=read(ShapeMaterial.restitution),
    friction_mode=read(ShapeMaterial.friction_mode),
    restitution_mode=read(ShapeMaterial.restitution_mode),
    separation=read(ContactPoint.separation),
    gap=write(ContactMotion.gap),
    rebound=write(ContactMotion.rebound),
    dof_a=write(ContactMotion.dof_a),
    dof_b=write(ContactMotion.dof_b),
    out_static=write(ContactSurface.static_friction),
    out_dynamic=write(ContactSurface.dynamic_friction),
    out_restitution=write(ContactSurface.restitution),
):
    """Materials of both shapes together, and what they move with."""
    here = c < count[0, e]
    a = shape_a[c, e] if here else 0
    b = shape_b[c, e] if here else 0
    mode = max(friction_mode[a, e], friction_mode[b, e])
    out_static[c, e] = combine(mode, static[a, e], static[b, e])
    out_dynamic[c, e] = combine(mode, dynamic[a, e], dynamic[b, e])
    out_restitution[c, e] = combine(
        max(restitution_mode[a, e], restitution_mode[b, e]), restitution[a, e], restitution[b, e]
    )
    dof_a[c, e] = dof[a, 0]
    dof_b[c, e] = dof[b, 0]
    gap[c, e] = separation[c, e]
    rebound[c, e] = 0.0


@system(over=Contact, phase="collide", only_with="contact_surfaces")
def surface_drifts(
    c,
    e,
    count=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    link=read(ShapeTopology.link),
    offset=read(LinkPose.offset),
    rotation=read(LinkPose.rotation),
    moving=read(ShapeMaterial.surface_velocity),
    drift=write(ContactSurface.drift),
):
    """Velocity of moving surfaces (conveyors), of a less b, along the tangents.

    Only in worlds that have any, or supports that turn.
    """
    x, y, z = 0.0, 0.0, 0.0
    if c < count[0, e]:
        for side in range(2):
            s = shape_a[c, e] if side == 0 else shape_b[c, e]
            sign = 1.0 if side == 0 else -1.0
            i = link[s, e]
            if i >= 0:
                rx = (arm_a[c, 0, e] if side == 0 else arm_b[c, 0, e]) - offset[i, 0, e]
                ry = (arm_a[c, 1, e] if side == 0 else arm_b[c, 1, e]) - offset[i, 1, e]
                rz = (arm_a[c, 2, e] if side == 0 else arm_b[c, 2, e]) - offset[i, 2, e]
                r0, r1, r2 = rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e]
                r3, r4, r5 = rotation[i, 3, e], rotation[i, 4, e], rotation[i, 5, e]
                r6, r7, r8 = rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e]
                u, v, w = moving[s, 3, e], moving[s, 4, e], moving[s, 5, e]
                wx, wy, wz = r0 * u + r1 * v + r2 * w, r3 * u + r4 * v + r5 * w, r6 * u + r7 * v + r8 * w
                ux, uy, uz = cross(wx, wy, wz, rx, ry, rz)
                u, v, w = moving[s, 0, e], moving[s, 1, e], moving[s, 2, e]
                x += sign * (ux + r0 * u + r1 * v + r2 * w)
                y += sign * (uy + r3 * u + r4 * v + r5 * w)
                z += sign * (uz + r6 * u + r7 * v + r8 * w)
    tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
    bx, by, bz = cross(normal[c, 0, e], normal[c, 1, e], normal[c, 2, e], tx, ty, tz)
    drift[c, 0, e] = x * tx + y * ty + z * tz
    drift[c, 1, e] = x * bx + y * by + z * bz
