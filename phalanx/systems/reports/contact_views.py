"""What contact views report, computed when asked for; only in worlds that have such views."""

from phalanx.components import (
    ContactCount,
    ContactImpulse,
    ContactPoint,
    Coordinate,
    DeformablePairTopology,
    DofSolve,
    LinkTopology,
    NodeContact,
    NodeContactPoint,
    NodeContactState,
    Shape,
    ShapeTopology,
    Status,
    View,
    ViewedBody,
    ViewedBodyImpulse,
    ViewedContactState,
    ViewedPair,
    ViewedPairImpulse,
    ViewedShapeRole,
    ViewState,
    ViewTopology,
)
from phalanx.components.link import FREE
from phalanx.ecs import read, rows, system, update
from phalanx.maths.kernels import cross


@system(phase="query_contact_views")
def contact_views(
    lanes,
    views=rows(View),
    bodies=rows(ViewedBody),
    pairs=rows(ViewedPair),
    shapes=rows(Shape),
    first_body=read(ViewTopology.first_body),
    filters=read(ViewTopology.filters),
    first_pair=read(ViewTopology.first_pair),
    end_pair=read(ViewTopology.end_pair),
    first_slot=read(ViewTopology.first_slot),
    end_slot=read(ViewTopology.end_slot),
    body_of=read(ViewedShapeRole.body),
    filter_of=read(ViewedShapeRole.filter),
    link=read(ShapeTopology.link),
    root=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    joint_type=read(LinkTopology.joint_type),
    first_dof=read(LinkTopology.first_dof),
    q=read(Coordinate.value),
    displacement=read(DofSolve.displacement),
    diverged=read(Status.diverged),
    contacts=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    arm=read(ContactPoint.arm_a),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    separation=read(ContactPoint.separation),
    impulse=read(ContactImpulse.value),
    body_total=update(ViewedBodyImpulse.total),
    body_normal=update(ViewedBodyImpulse.normal),
    pair_total=update(ViewedPairImpulse.total),
    pair_normal=update(ViewedPairImpulse.normal),
    count=update(ViewedPairImpulse.count),
    start=update(ViewedPairImpulse.start),
    end=update(ViewedPairImpulse.end),
    missing=update(ViewState.missing),
    out_point=update(ViewedContactState.point),
    out_normal=update(ViewedContactState.normal),
    out_separation=update(ViewedContactState.separation),
    push=update(ViewedContactState.push),
    friction=update(ViewedContactState.friction),
):
    """Sum the impulses of each body and pair in the order of contacts, then list the contacts pair by pair.

    A contact between two viewed bodies that are filters too is listed twice, once for each. Slots that are not in use
    are zero.
    """
    for b in range(bodies):
        for k in range(3):
            for e in lanes:
                body_total[b, k, e] = 0.0
                body_normal[b, k, e] = 0.0
    for p in range(pairs):
        for e in lanes:
            count[p, e] = 0
        for k in range(3):
            for e in lanes:
                pair_total[p, k, e] = 0.0
                pair_normal[p, k, e] = 0.0
    for e in lanes:
        for c in range(contacts[0, e]):
            nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
            tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
            bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
            u, v, w = impulse[c, 0, e], impulse[c, 1, e], impulse[c, 2, e]
            x, y, z = u * nx + v * tx + w * bx, u * ny + v * ty + w * by, u * nz + v * tz + w * bz
            for n in range(views):
                for side in range(2):
                    mine = n * shapes + (shape_a[c, e] if side == 0 else shape_b[c, e])
                    other = n * shapes + (shape_b[c, e] if side == 0 else shape_a[c, e])
                    sign = 1.0 if side == 0 else -1.0
                    if body_of[mine, e] >= 0:
                        b = first_body[n, e] + body_of[mine, e]
                        body_total[b, 0, e] += sign * x
                        body_total[b, 1, e] += sign * y
                        body_total[b, 2, e] += sign * z
                        body_normal[b, 0, e] += sign * u * nx
                        body_normal[b, 1, e] += sign * u * ny
                        body_normal[b, 2, e] += sign * u * nz
                        if filter_of[other, e] >= 0:
                            p = first_pair[n, e] + body_of[mine, e] * filters[n, e] + filter_of[other, e]
                            pair_total[p, 0, e] += sign * x
                            pair_total[p, 1, e] += sign * y
                            pair_total[p, 2, e] += sign * z
                            pair_normal[p, 0, e] += sign * u * nx
                            pair_normal[p, 1, e] += sign * u * ny
                            pair_normal[p, 2, e] += sign * u * nz
                            count[p, e] += 1
    for n in range(views):
        for e in lanes:
            slots = end_slot[n, e] - first_slot[n, e]
            filled = 0
            lost = 0
            for p in range(first_pair[n, e], end_pair[n, e]):
                found = count[p, e]
                start[p, e] = filled
                end[p, e] = filled
                count[p, e] = min(found, slots - filled)
                lost += found - min(found, slots - filled)
                filled += min(found, slots - filled)
            missing[n, e] = max(missing[n, e], lost)
            for s in range(first_slot[n, e] + filled, end_slot[n, e]):
                out_separation[s, e] = 0.0
                push[s, e] = 0.0
                for k in range(3):
                    out_point[s, k, e] = 0.0
                    out_normal[s, k, e] = 0.0
                    friction[s, k, e] = 0.0
    for e in lanes:
        for c in range(contacts[0, e]):
            nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
            tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
            bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
            v, w = impulse[c, 1, e], impulse[c, 2, e]
            i = root[link[shape_a[c, e], e], e]
            at = coord[i, e]
            # arms are from where the root was when the last substep began
            gone = joint_type[i, e] == FREE and diverged[0, e] == 0
            d = first_dof[i, e] if gone else 0
            x = q[at, e] - (displacement[d, e] if gone else 0.0)
            y = q[at + 1, e] - (displacement[d + 1, e] if gone else 0.0)
            z = q[at + 2, e] - (displacement[d + 2, e] if gone else 0.0)
            for n in range(views):
                for side in range(2):
                    mine = n * shapes + (shape_a[c, e] if side == 0 else shape_b[c, e])
                    other = n * shapes + (shape_b[c, e] if side == 0 else shape_a[c, e])
                    sign = 1.0 if side == 0 else -1.0
                    if body_of[mine, e] >= 0 and filter_of[other, e] >= 0:
                        p = first_pair[n, e] + body_of[mine, e] * filters[n, e] + filter_of[other, e]
                        if end[p, e] < start[p, e] + count[p, e]:
                            s = first_slot[n, e] + end[p, e]
                            end[p, e] += 1
                            out_separation[s, e] = separation[c, e]
                            push[s, e] = impulse[c, 0, e]
                            out_point[s, 0, e] = x + arm[c, 0, e]
                            out_point[s, 1, e] = y + arm[c, 1, e]
                            out_point[s, 2, e] = z + arm[c, 2, e]
                            out_normal[s, 0, e] = sign * nx
                            out_normal[s, 1, e] = sign * ny
                            out_normal[s, 2, e] = sign * nz
                            friction[s, 0, e] = sign * (v * tx + w * bx)
                            friction[s, 1, e] = sign * (v * ty + w * by)
                            friction[s, 2, e] = sign * (v * tz + w * bz)


@system(phase="query_contact_views", needs=NodeContact, after="contact_views")
def contact_views_of_nodes(
    lanes,
    views=rows(View),
    shapes=rows(Shape),
    contacts=rows(NodeContact),
    first_body=read(ViewTopology.first_body),
    body_of=read(ViewedShapeRole.body),
    shape=read(DeformablePairTopology.shape),
    pair=read(NodeContactState.pair),
    impulse=read(NodeContactState.impulse),
    normal=read(NodeContactPoint.normal),
    body_total=update(ViewedBodyImpulse.total),
    body_normal=update(ViewedBodyImpulse.normal),
):
    """Add what nodes of deformable bodies push each body with, in the order of their slots."""
    for e in lanes:
        for c in range(contacts):
            p = pair[c, e]
            if p >= 0:
                nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                x, y, z = impulse[c, 0, e], impulse[c, 1, e], impulse[c, 2, e]
                u = nx * x + ny * y + nz * z
                for n in range(views):
                    mine = n * shapes + shape[p, e]
                    if body_of[mine, e] >= 0:
                        b = first_body[n, e] + body_of[mine, e]
                        body_total[b, 0, e] -= x
                        body_total[b, 1, e] -= y
                        body_total[b, 2, e] -= z
                        body_normal[b, 0, e] -= u * nx
                        body_normal[b, 1, e] -= u * ny
                        body_normal[b, 2, e] -= u * nz
