"""What touches the nodes of cloth in a small step, and how far they may go so that nothing passes through anything.

A node is tested against triangles, its triangles against nodes, and its edges against edges. What is nearer than cloth
rests on cloth is pushed apart along the direction in which it is nearest, with friction. Forces are computed for a
colour of nodes before it is swept, from where all others are, so no node reads what another one writes.

Two things whose ways would bring them too near stop at a plane between them, each on its side: then no two meet. Bounds
on displacements are those of Chen, Hsu, Ogaki and Yuksel, Offset geometric contact, ACM Transactions on Graphics 44(4),
2025, but for the planes: they are where the ways want them.
"""

import math

from phalanx.components import (
    ClothCornerTopology,
    ClothCornerTriangle,
    ClothDrift,
    ClothMaterial,
    ClothNearTriangle,
    ClothNode,
    ClothNodeContact,
    ClothTouchPoint,
    ClothTriangle,
    ClothTriangleBounds,
    ClothTriangleTopology,
    DeformableMotion,
    DeformableSettings,
    DeformableSurface,
    Node,
    NodeModel,
    NodeOrder,
    NodeState,
    NodeStep,
    NodeTopology,
    RopeMaterial,
    Settings,
)
from phalanx.components.cloth_contact import NEAR, TOUCHES
from phalanx.ecs import function, read, real, start, system, update, write
from phalanx.systems.deformable.contact_force import contact_force, contact_stiffness
from phalanx.systems.deformable.nearest import nearest_in_triangle, nearest_on_edges, nearest_on_line

SHARE = 0.45
"""Of the distance of two things, what a node of either may go."""

LEAST = 0.1
"""Share of the distance of two things that is left in a small step, whatever they do."""

CLOSE = 0.05
"""Share of the distance at which cloth rests on cloth. What is nearer comes no nearer: with LEAST alone, distances
shrink from small step to small step until they are lost in rounding.
"""

TINY = 1e-9
"""m: things that are nearer have no direction."""

FAR = 1e9
"""m: how far a node may go to which nothing is near."""

GENTLE = 0.1
"""Share of an overlap that is undone in a small step: what overlaps is not thrown apart."""

FIRM = 0.2
"""Stiffness of a contact beside that of a node with a rigid body: a node has several."""

HARDENS = 0.5
"""Contacts of cloth get stiffer below this share of the distance."""

FIRM_ROPES = 1.0
"""The same where both are ropes, which press with the tension of a knot on a few nodes."""

DEEP = 0.02
"""Contacts of ropes get stiffer until this share of the distance is left."""

OBLIQUE = 0.1
"""Bounds along axes keep a node from a plane; this much of them goes to axes that lie in the plane."""

SMALL = 1e-3
"""A node with a lesser share of its side of a contact gets nothing of the force."""


@function
def axis_bound(room, n):
    """How far a node may go against the component n of a normal, if each axis is bounded so, m.

    The ways r q_k / n_k, with q_k = max(n_k^2, OBLIQUE) / (1 + 3 OBLIQUE), add to less than r along the normal.
    """
    size = math.fabs(n)
    return room * max(n * n, OBLIQUE) / ((1.0 + 3.0 * OBLIQUE) * size) if size > 1e-6 else FAR


@system(over=Node, phase="deform_touch", needs=ClothTriangle)
def touch_cloth(
    v,
    e,
    row=read(ClothNodeContact.row),
    owner=read(ClothNodeContact.owner),
    body=read(NodeTopology.body),
    first=read(ClothNode.first_corner),
    end=read(ClothNode.end_corner),
    others=read(ClothCornerTopology.others),
    corner_triangle=read(ClothCornerTriangle.triangle),
    edges=read(ClothCornerTriangle.edges),
    nodes=read(ClothTriangleTopology.nodes),
    owns=read(ClothTriangleTopology.owns),
    near=read(ClothTriangleBounds.near),
    triangle=read(ClothNearTriangle.triangle),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    rest=read(ClothMaterial.touch_offset),
    joined=read(RopeMaterial.joined),
    rubs=read(DeformableSurface.dynamic_friction),
    mass=read(NodeModel.mass),
    origin=read(DeformableMotion.origin),
    begin=read(NodeStep.start),
    position=read(NodeState.position),
    colour=read(ClothNodeContact.colour),
    limit=read(ClothNodeContact.limit),
    crowded=write(ClothNodeContact.crowded),
    back=write(ClothNodeContact.back),
    ahead=write(ClothNodeContact.ahead),
    touches=write(ClothNodeContact.count),
    other_body=write(ClothTouchPoint.body),
    other_nodes=write(ClothTouchPoint.nodes),
    mates=write(ClothTouchPoint.mates),
    shares=write(ClothTouchPoint.shares),
    weight=write(ClothTouchPoint.weight),
    answer=write(ClothTouchPoint.answer),
    distance=update(ClothTouchPoint.distance),
    gap=write(ClothTouchPoint.gap),
    normal=update(ClothTouchPoint.normal),
    stiffness=write(ClothTouchPoint.stiffness),
    friction=write(ClothTouchPoint.friction),
):
    """Contacts of a node, the nearest if there are too many, and bounds by all other things that are near.

    A segment of a rope is a triangle whose last two corners are one node. It has one edge, and two corners.
    """
    if row[v, e] < 0:
        return
    o = body[v, e]
    rate = real(count[0, e]) / h[0, e]
    slot = row[v, e] * TOUCHES
    taken, unknown = 0, 0
    worst, farthest = 0, 0.0  # of the slots, once all are taken
    b0, b1, b2, a0, a1, a2 = FAR, FAR, FAR, FAR, FAR, FAR
    sx, sy, sz = begin[v, 0, e], begin[v, 1, e], begin[v, 2, e]
    own_limit = limit[v, e]
    kinds = 10 if end[v, e] > first[v, e] else 0  # not known to the compiler, or it would write this out ten times
    for c in range(first[v, e], end[v, e]):
        t = corner_triangle[c, e]
        unknown = unknown if near[t, e] <= NEAR else 1
        mate, last = others[c, 0, e], others[c, 1, e]
        mx, my, mz = begin[mate, 0, e] - sx, begin[mate, 1, e] - sy, begin[mate, 2, e] - sz
        lx, ly, lz = begin[last, 0, e] - sx, begin[last, 1, e] - sy, begin[last, 2, e] - sz
        mate_limit, last_limit = limit[mate, e], limit[last, e]
        line = nodes[t, 1, e] == nodes[t, 2, e]
        mine = 1 if owner[v, e] == t else 0
        to_mate, to_last = edges[c, e] & 1, (edges[c, e] >> 1) & 1
        for n in range(min(near[t, e], NEAR)):
            u = triangle[t * NEAR + n, e]
            u0, u1, u2 = nodes[u, 0, e], nodes[u, 1, e], nodes[u, 2, e]
            # which two things: 0 the node and the triangle; 1 to 3 the node's triangle and a corner of the other one;
            # then each edge of the other one and the edges of the node's triangle from it to a (4 to 6) and to b (7 to
            # 9). Those that are asked for are bits of a number.
            own_corners, own_edges = owns[u, e] & 7, (owns[u, e] >> 3) & 7
            asked = mine + 2 * own_corners + 16 * (to_mate * own_edges) + 128 * (to_last * own_edges)
            if asked == 0:
                continue
            q = body[u0, e]
            ox, oy = origin[q, 0, e] - origin[o, 0, e], origin[q, 1, e] - origin[o, 1, e]
            oz = origin[q, 2, e] - origin[o, 2, e]
            p0x, p0y, p0z = ox + begin[u0, 0, e] - sx, oy + begin[u0, 1, e] - sy, oz + begin[u0, 2, e] - sz
            p1x, p1y, p1z = ox + begin[u1, 0, e] - sx, oy + begin[u1, 1, e] - sy, oz + begin[u1, 2, e] - sz
            p2x, p2y, p2z = ox + begin[u2, 0, e] - sx, oy + begin[u2, 1, e] - sy, oz + begin[u2, 2, e] - sz
            limit0, limit1, limit2 = limit[u0, e], limit[u1, e], limit[u2, e]
            thick = rest[o, e] + rest[q, e]
            other_line = u1 == u2
            for kind in range(kinds):
                if (asked >> kind) & 1 == 0:
                    continue
                side = (kind - 1) % 3
                alone, corner = kind == 0, kind > 0 and kind < 4
                i = v
                j = mate if kind < 7 else last
                j = v if alone else j
                k = last if corner else j
                f = u0 if alone or side == 0 else (u1 if side == 1 else u2)
                g = u1 if alone or side == 0 else (u2 if side == 1 else u0)
                g = f if corner else g
                w = u2 if alone else g
                distinct = i != f and i != g and i != w and j != f and j != g and j != w
                distinct = distinct and k != f and k != g and k != w
                if distinct and (not other_line or alone or side == 0 or (corner and side == 1)):
                    # what lies close together along a rope may not cross, and has no thickness
                    between = max(min(f, g) - max(i, j), min(i, j) - max(f, g))
                    apart = 0.0 if q == o and joined[o, e] > 0 and between < joined[o, e] else thick
                    # three points of either side, from where the node begins, then the weights of the nearest places
                    ax = p0x if alone or side == 0 else (p1x if side == 1 else p2x)
                    ay = p0y if alone or side == 0 else (p1y if side == 1 else p2y)
                    az = p0z if alone or side == 0 else (p1z if side == 1 else p2z)
                    bx = p1x if alone or side == 0 else (p2x if side == 1 else p0x)
                    by = p1y if alone or side == 0 else (p2y if side == 1 else p0y)
                    bz = p1z if alone or side == 0 else (p2z if side == 1 else p0z)
                    bx, by, bz = ax if corner else bx, ay if corner else by, az if corner else bz
                    cx, cy, cz = p2x if alone else bx, p2y if alone else by, p2z if alone else bz
                    jx, jy, jz = mx if kind < 7 else lx, my if kind < 7 else ly, mz if kind < 7 else lz
                    jx, jy, jz = 0.0 if alone else jx, 0.0 if alone else jy, 0.0 if alone else jz
                    kx, ky, kz = lx if corner else jx, ly if corner else jy, lz if corner else jz
                    far_f = limit0 if alone or side == 0 else (limit1 if side == 1 else limit2)
                    far_g = limit1 if alone or side == 0 else (limit2 if side == 1 else limit0)
                    far_g = far_f if corner else far_g
                    far_j = mate_limit if kind < 7 else last_limit
                    far_j = own_limit if alone else far_j
                    reach = max(own_limit, max(far_j, last_limit if corner else far_j))
                    reach += max(far_f, max(far_g, limit2 if alone else far_g))
                    wi, wj, wk, wf, wg, ww = 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
                    if kind < 4:  # a point and the triangle, or segment, of the other side
                        r0, r1, r2 = 1.0, 0.0, 0.0
                        qx, qy, qz = ax if alone else -ax, ay if alone else -ay, az if alone else -az
                        tx, ty, tz = bx if alone else jx - ax, by if alone else jy - ay, bz if alone else jz - az
                        if other_line if alone else line:
                            r0, r1 = nearest_on_line(qx, qy, qz, tx, ty, tz)
                        else:
                            hx, hy, hz = cx if alone else kx - ax, cy if alone else ky - ay, cz if alone else kz - az
                            r0, r1, r2 = nearest_in_triangle(qx, qy, qz, tx, ty, tz, hx, hy, hz)
                        wi, wj, wk = 1.0 if alone else r0, 0.0 if alone else r1, 0.0 if alone else r2
                        wf, wg, ww = r0 if alone else 1.0, r1 if alone else 0.0, r2 if alone else 0.0
                    else:
                        wj, wg = nearest_on_edges(jx, jy, jz, bx - ax, by - ay, bz - az, ax, ay, az)
                        wi, wf = 1.0 - wj, 1.0 - wg
                    x = wj * jx + wk * kx - (wf * ax + wg * bx + ww * cx)
                    y = wj * jy + wk * ky - (wf * ay + wg * by + ww * cy)
                    z = wj * jz + wk * kz - (wf * az + wg * bz + ww * cz)
                    d = math.sqrt(x * x + y * y + z * z)
                    nx, ny, nz = x / max(d, TINY), y / max(d, TINY), z / max(d, TINY)
                    if d * (1.0 - LEAST) > max(reach, apart):
                        continue
                    # each pair of features counts once: corners and edges of the triangle only if it owns them, and
                    # edges that are nearest at an end not at all, since that is a corner
                    bits = owns[t, e] if kind > 0 and kind < 4 else owns[u, e]
                    counts = True
                    if kind < 4:
                        # weights of the triangle's corners in their order in ClothTriangleTopology.nodes
                        z0, z1, z2 = wf, wg, ww
                        if kind > 0:
                            z0 = wi if i == nodes[t, 0, e] else (wj if j == nodes[t, 0, e] else wk)
                            z1 = wi if i == nodes[t, 1, e] else (wj if j == nodes[t, 1, e] else wk)
                            z2 = wi if i == nodes[t, 2, e] else (wj if j == nodes[t, 2, e] else wk)
                            z2 = 0.0 if line else z2
                        none = (1 if z0 == 0.0 else 0) + (2 if z1 == 0.0 else 0) + (4 if z2 == 0.0 else 0)
                        # the bit of the feature: what is not nought is the corner, or the edge between two corners
                        which = 0
                        which = 1 if none == 6 else which
                        which = 2 if none == 5 else which
                        which = 4 if none == 3 else which
                        which = 8 if none == 4 else which
                        which = 16 if none == 1 else which
                        which = 32 if none == 2 else which
                        counts = none == 0 or (bits & which) != 0
                    else:
                        counts = wj > 0.0 and wj < 1.0 and wg > 0.0 and wg < 1.0
                    touching = counts and d > TINY and wi > SMALL
                    if touching:  # by where they are going
                        opens = d - apart
                        for m in range(3):
                            x = wi * (position[i, m, e] - begin[i, m, e])
                            x += wj * (position[j, m, e] - begin[j, m, e])
                            x += wk * (position[k, m, e] - begin[k, m, e])
                            x -= wf * (position[f, m, e] - begin[f, m, e])
                            x -= wg * (position[g, m, e] - begin[g, m, e])
                            x -= ww * (position[w, m, e] - begin[w, m, e])
                            opens += x * (nx if m == 0 else (ny if m == 1 else nz))
                        touching = opens < SHARE * apart
                    place = taken
                    full = taken == TOUCHES
                    if full:
                        place = worst if d < farthest else -1
                    taken = min(taken + 1, TOUCHES)
                    # the plane of what is not kept, or of what makes room for this
                    bx, by, bz, far = nx, ny, nz, d
                    s = slot + max(place, 0)
                    if place >= 0 and full:
                        bx, by, bz, far = normal[s, 0, e], normal[s, 1, e], normal[s, 2, e], distance[s, e]
                    if place < 0 or full:
                        far = SHARE * far
                        cx, cy, cz = axis_bound(far, bx), axis_bound(far, by), axis_bound(far, bz)
                        b0, a0 = min(b0, cx) if bx > 0.0 else b0, min(a0, cx) if bx < 0.0 else a0
                        b1, a1 = min(b1, cy) if by > 0.0 else b1, min(a1, cy) if by < 0.0 else a1
                        b2, a2 = min(b2, cz) if bz > 0.0 else b2, min(a2, cz) if bz < 0.0 else a2
                    if place >= 0:
                        distance[s, e] = d
                        normal[s, 0, e], normal[s, 1, e], normal[s, 2, e] = nx, ny, nz
                        ropes = line and other_line
                        gap[s, e] = (d - apart) if d > apart or ropes else GENTLE * (d - apart)
                        other_body[s, e] = q
                        # four nodes: node and triangle, or edge and edge
                        n0, n1, n2, w0, w1, w2, own = f, g, w, -wf, -wg, -ww, 0
                        if kind > 0 and kind < 4:
                            n0, n1, n2, w0, w1, w2, own = j, k, f, wj, wk, -wf, 2
                        elif kind > 3:
                            n0, n1, n2, w0, w1, w2, own = j, f, g, wj, -wf, -wg, 1
                        other_nodes[s, 0, e], other_nodes[s, 1, e], other_nodes[s, 2, e] = n0, n1, n2
                        shares[s, 0, e], shares[s, 1, e], shares[s, 2, e] = w0, w1, w2
                        mates[s, e] = own
                        weight[s, e] = wi
                        whole = wi
                        whole += math.fabs(w0) if colour[n0, e] == colour[v, e] else 0.0
                        whole += math.fabs(w1) if colour[n1, e] == colour[v, e] else 0.0
                        whole += math.fabs(w2) if colour[n2, e] == colour[v, e] else 0.0
                        answer[s, e] = whole
                        least = min(min(mass[v, e], mass[n0, e]), min(mass[n1, e], mass[n2, e]))
                        firm = FIRM * contact_stiffness(least, rate)
                        if ropes:  # the deeper, the stiffer, so that they do not come down to nothing
                            firm = max(apart / max(d, DEEP * apart), 1.0) if apart > 0.0 else 1.0
                            firm = FIRM_ROPES * contact_stiffness(least, rate) * firm * firm
                        elif apart > 0.0:
                            deep = max(HARDENS * apart / max(d, CLOSE * apart), 1.0)
                            firm = firm * deep * deep
                        stiffness[s, e] = firm if touching else 0.0
                        friction[s, e] = 0.5 * (rubs[o, e] + rubs[q, e])
                        if taken == TOUCHES:  # the first of the farthest makes room for the next
                            worst, farthest = 0, distance[slot, e]
                            for m in range(1, TOUCHES):
                                further = distance[slot + m, e]
                                worst = m if further > farthest else worst
                                farthest = max(further, farthest)
    crowded[v, e] = unknown
    touches[v, e] = taken
    back[v, 0, e], back[v, 1, e], back[v, 2, e] = b0, b1, b2
    ahead[v, 0, e], ahead[v, 1, e], ahead[v, 2, e] = a0, a1, a2


@system(over=Node, phase="deform_forces", needs=ClothTriangle)
def touch_forces(
    n,
    e,
    first=start(),
    order=read(NodeOrder.node),
    row=read(ClothNodeContact.row),
    touches=read(ClothNodeContact.count),
    begin=read(NodeStep.start),
    position=read(NodeState.position),
    nodes=read(ClothTouchPoint.nodes),
    shares=read(ClothTouchPoint.shares),
    weight=read(ClothTouchPoint.weight),
    answer=read(ClothTouchPoint.answer),
    gap=read(ClothTouchPoint.gap),
    normal=read(ClothTouchPoint.normal),
    firm=read(ClothTouchPoint.stiffness),
    friction=read(ClothTouchPoint.friction),
    force=write(ClothNodeContact.force),
    stiffness=write(ClothNodeContact.stiffness),
):
    """Of one colour: what contacts do, where all nodes are.

    Nodes of one contact that have the same colour move at once. The second derivative of each is multiplied by the
    ratio of all their shares to its own, so that together they do not go too far.
    """
    v = order[first + n, e]
    fx, fy, fz = 0.0, 0.0, 0.0
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for slot in range(touches[v, e] if row[v, e] >= 0 else 0):
        t = row[v, e] * TOUCHES + slot
        if firm[t, e] == 0.0:
            continue  # most things that are near do not touch
        w = weight[t, e]
        x = w * (position[v, 0, e] - begin[v, 0, e])
        y = w * (position[v, 1, e] - begin[v, 1, e])
        z = w * (position[v, 2, e] - begin[v, 2, e])
        for k in range(3):
            i = nodes[t, k, e]
            x += shares[t, k, e] * (position[i, 0, e] - begin[i, 0, e])
            y += shares[t, k, e] * (position[i, 1, e] - begin[i, 1, e])
            z += shares[t, k, e] * (position[i, 2, e] - begin[i, 2, e])
        nx, ny, nz = normal[t, 0, e], normal[t, 1, e], normal[t, 2, e]
        push, grip, more, tx, ty, tz, _ = contact_force(
            firm[t, e] > 0.0, firm[t, e], 0.0, friction[t, e], nx, ny, nz,
            x + gap[t, e] * nx, y + gap[t, e] * ny, z + gap[t, e] * nz,
        )  # fmt: skip
        fx += w * (push * nx - grip * tx)
        fy += w * (push * ny - grip * ty)
        fz += w * (push * nz - grip * tz)
        grip, more = w * answer[t, e] * grip, w * answer[t, e] * more
        xx += more * nx * nx + grip
        xy += more * nx * ny
        xz += more * nx * nz
        yy += more * ny * ny + grip
        yz += more * ny * nz
        zz += more * nz * nz + grip
    force[v, 0, e], force[v, 1, e], force[v, 2, e] = fx, fy, fz
    stiffness[v, 0, e], stiffness[v, 1, e], stiffness[v, 2, e] = xx, xy, xz
    stiffness[v, 3, e], stiffness[v, 4, e], stiffness[v, 5, e] = yy, yz, zz


@system(over=Node, phase="deform_finish", needs=ClothTriangle)
def bound_cloth(
    v,
    e,
    row=read(ClothNodeContact.row),
    touches=read(ClothNodeContact.count),
    crowded=read(ClothNodeContact.crowded),
    limit=read(ClothNodeContact.limit),
    back=read(ClothNodeContact.back),
    ahead=read(ClothNodeContact.ahead),
    drift=read(ClothDrift.way),
    body=read(NodeTopology.body),
    rest=read(ClothMaterial.touch_offset),
    begin=read(NodeStep.start),
    position=read(NodeState.position),
    other_body=read(ClothTouchPoint.body),
    nodes=read(ClothTouchPoint.nodes),
    mates=read(ClothTouchPoint.mates),
    normal=read(ClothTouchPoint.normal),
    distance=read(ClothTouchPoint.distance),
    kept=write(ClothNodeContact.kept),
):
    """The share of its way that a node may go.

    All ways count from the drift, and are cut down towards it. So a way counts as nothing where it leads away from the
    other side, since that may be cut down. If the sides would still come too near, both stop at a plane that lies
    halfway between where they would be, but has both on their sides where they began: either side finds the same.
    Where a node has no slot left, the plane is in the middle, as for bounds along axes. What is nearer than CLOSE stays
    as near as it is.
    """
    share = 1.0
    if row[v, e] >= 0:
        sx, sy, sz = drift[0, 0, e], drift[0, 1, e], drift[0, 2, e]
        x, y, z = (
            position[v, 0, e] - begin[v, 0, e] - sx,
            position[v, 1, e] - begin[v, 1, e] - sy,
            position[v, 2, e] - begin[v, 2, e] - sz,
        )
        far = math.sqrt(x * x + y * y + z * z)
        share = limit[v, e] / far if far > limit[v, e] else 1.0
        share = share if crowded[v, e] == 0 else 0.0
        for k in range(3):
            along = x if k == 0 else (y if k == 1 else z)
            most = ahead[v, k, e] if along > 0.0 else back[v, k, e]
            share = min(share, most / math.fabs(along)) if math.fabs(along) > most else share
        for slot in range(touches[v, e]):
            t = row[v, e] * TOUCHES + slot
            nx, ny, nz = normal[t, 0, e], normal[t, 1, e], normal[t, 2, e]
            along = nx * x + ny * y + nz * z
            own, other = min(along, 0.0), 0.0
            full = touches[v, e] == TOUCHES
            for k in range(3):
                i = nodes[t, k, e]
                way = nx * (position[i, 0, e] - begin[i, 0, e] - sx)
                way += ny * (position[i, 1, e] - begin[i, 1, e] - sy)
                way += nz * (position[i, 2, e] - begin[i, 2, e] - sz)
                full = full or touches[i, e] == TOUCHES
                own = min(own, way) if k < mates[t, e] else own
                other = max(other, way) if k >= mates[t, e] else other
            d = distance[t, e]
            thick = rest[body[v, e], e] + rest[other_body[t, e], e]
            left = max(LEAST * d, min(d, CLOSE * thick))
            if d + own - other < left:
                plane = min(max(0.5 * (own + other - d), 0.5 * left - d), -0.5 * left)
                plane = -0.5 * d if full else plane  # some side may keep to bounds along axes
                most = plane + 0.5 * left
                share = min(share, most / along) if along < most else share
    kept[v, e] = share
