"""Collision meshes of soft bodies: their points follow the nodes that carry them, and hand on what acts on them.

With x = sum w_i x_i, where w_i are the weights of a point's nodes, a force f on the point is w_i f on each node: its
sum and its moment are those of f, so momentum is kept. A node that moves by d moves the point by w_i d, so of the
second derivative K of what the point feels it sees w_i^2 K. The nodes of a point belong to one tetrahedron and have
different colours, so a sweep moves one of them at a time.
"""

import math

from phalanx.components import (
    ClothDrift,
    ClothNodeContact,
    ClothTouchPoint,
    CollisionPoint,
    CollisionPointTopology,
    CollisionShareTopology,
    DampedNodeForce,
    Deformable,
    DeformableCollision,
    DeformableSettings,
    Node,
    NodeCollision,
    NodeContactPoint,
    NodeContactState,
    NodeDamping,
    NodeModel,
    NodeOrder,
    NodeState,
    NodeStep,
    NodeTarget,
    NodeTopology,
    Settings,
    SurfaceNodeModel,
)
from phalanx.components.cloth_contact import TOUCHES
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import function, read, real, start, system, update, write
from phalanx.systems.deformable.contact_force import contact_force, contact_stiffness


@system(over=CollisionPoint, phase="deform_begin", in_step=True)
def begin_collision_points(
    p,
    e,
    node=read(CollisionPointTopology.node),
    carriers=read(CollisionPointTopology.carriers),
    weights=read(CollisionPointTopology.weights),
    position=update(NodeState.position),
    velocity=update(NodeState.velocity),
):
    """Where points are and how they move, of what the user or the last substep has made of the nodes."""
    v = node[p, e]
    for k in range(3):
        x, u = 0.0, 0.0
        for j in range(4):
            x += weights[p, j, e] * position[carriers[p, j, e], k, e]
            u += weights[p, j, e] * velocity[carriers[p, j, e], k, e]
        position[v, k, e], velocity[v, k, e] = x, u


@system(over=Node, phase="deform_begin", needs=CollisionPoint)
def press_carriers(
    v,
    e,
    begin=read(NodeCollision.first),
    end=read(NodeCollision.end),
    points=read(CollisionShareTopology.node),
    weight=read(CollisionShareTopology.weight),
    surface=read(NodeTopology.surface),
    h=read(Settings.timestep),
    velocity=read(NodeState.velocity),
    pair=read(NodeContactState.pair),
    gap=read(NodeContactPoint.gap),
    pressed=write(NodeCollision.pressed),
):
    """How much of a node carries points that touch shapes, or will in this substep."""
    found = 0.0
    for s in range(begin[v, e], end[v, e]):
        p = points[s, e]
        vx, vy, vz = velocity[p, 0, e], velocity[p, 1, e], velocity[p, 2, e]
        way = h[0, e] * math.sqrt(vx * vx + vy * vy + vz * vz)
        touches = 0
        for slot in range(SLOTS):
            c = surface[p, e] * SLOTS + slot
            touches += 1 if pair[c, e] >= 0 and gap[c, e] <= way else 0
        found += max(weight[s, e], 0.0) if touches > 0 else 0.0
    pressed[v, e] = found


@system(over=CollisionPoint, phase="deform_begin")
def share_out_firmness(
    p,
    e,
    node=read(CollisionPointTopology.node),
    carriers=read(CollisionPointTopology.carriers),
    weights=read(CollisionPointTopology.weights),
    surface=read(NodeTopology.surface),
    mass=read(NodeModel.mass),
    pressed=read(NodeCollision.pressed),
    firmness=update(SurfaceNodeModel.mass),
):
    """Points that touch share out the masses of their carriers: all of a face together are as stiff as these would be.

    A few of many points that touch, as of a ball on a plane, get all of it: contacts that are much softer than what
    they carry do not come to rest.
    """
    found = 0.0
    for j in range(4):
        i = carriers[p, j, e]
        found += max(weights[p, j, e], 0.0) * mass[i, e] / max(pressed[i, e], 1.0)
    firmness[surface[node[p, e], e], e] = found


@system(over=CollisionPoint, phase="deform_predict", in_step=True)
def predict_collision_points(
    p,
    e,
    node=read(CollisionPointTopology.node),
    carriers=read(CollisionPointTopology.carriers),
    weights=read(CollisionPointTopology.weights),
    position=update(NodeState.position),
):
    """Where points begin the sweeps."""
    v = node[p, e]
    for k in range(3):
        x = 0.0
        for j in range(4):
            x += weights[p, j, e] * position[carriers[p, j, e], k, e]
        position[v, k, e] = x


follow_colours = predict_collision_points.again("follow_colours", "deform_forces")
"""Where points are once a colour has been swept: all of them, for any of them may touch the next colour."""

follow_sweeps = predict_collision_points.again("follow_sweeps", "deform_couple")
"""Where points are after the last colour. The move of the body as a rigid one takes them along as it does nodes."""

finish_collision_points = begin_collision_points.again("finish_collision_points", "deform_finish")
"""Where points are at the end of the small step, and how they move."""


@function
def share_of_colour(i, colour, point, carriers, weights, colours):
    """Sum of the weights, without sign, of the nodes of one colour in a node or collision point."""
    p = point[i, 0]
    found = 1.0 if p < 0 and colours[i, 0] == colour else 0.0
    if p >= 0:
        for j in range(4):
            found += math.fabs(weights[p, j, 0]) if colours[carriers[p, j, 0], 0] == colour else 0.0
    return found


@system(over=Node, phase="deform_touch", needs=CollisionPoint)
def answer_collision_points(
    v,
    e,
    row=read(ClothNodeContact.row),
    touches=read(ClothNodeContact.count),
    colour=read(ClothNodeContact.colour),
    point=read(NodeCollision.point),
    carriers=read(CollisionPointTopology.carriers),
    weights=read(CollisionPointTopology.weights),
    nodes=read(ClothTouchPoint.nodes),
    shares=read(ClothTouchPoint.shares),
    answer=update(ClothTouchPoint.answer),
):
    """Of contacts of nodes with points: nodes that carry the points are swept together with those of their colour."""
    if row[v, e] >= 0 and point[v, e] < 0:
        for slot in range(touches[v, e]):
            t = row[v, e] * TOUCHES + slot
            more = 0.0
            for k in range(3):
                i = nodes[t, k, e]
                if point[i, e] >= 0:
                    share = share_of_colour(i, colour[v, e], point, carriers, weights, colour)
                    more += math.fabs(shares[t, k, e]) * share
            answer[t, e] += more


@system(over=Node, phase="deform_forces", needs=CollisionPoint)
def collision_forces(
    n,
    e,
    first=start(),
    order=read(NodeOrder.node),
    damped=read(NodeDamping.row),
    begin=read(NodeCollision.first),
    end=read(NodeCollision.end),
    points=read(CollisionShareTopology.node),
    weight=read(CollisionShareTopology.weight),
    surface=read(NodeTopology.surface),
    mass=read(SurfaceNodeModel.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    pair=read(NodeContactState.pair),
    load=read(NodeContactState.load),
    normal=read(NodeContactPoint.normal),
    anchor=read(NodeContactPoint.anchor),
    friction=read(NodeContactPoint.friction),
    row=read(ClothNodeContact.row),
    touches=read(ClothNodeContact.count),
    colour=read(ClothNodeContact.colour),
    point=read(NodeCollision.point),
    carriers=read(CollisionPointTopology.carriers),
    weights=read(CollisionPointTopology.weights),
    nodes=read(ClothTouchPoint.nodes),
    shares=read(ClothTouchPoint.shares),
    own=read(ClothTouchPoint.weight),
    opens=read(ClothTouchPoint.gap),
    across=read(ClothTouchPoint.normal),
    firm=read(ClothTouchPoint.stiffness),
    rubs=read(ClothTouchPoint.friction),
    there=read(ClothDrift.there),
    before=read(NodeStep.start),
    position=read(NodeState.position),
    force=update(DampedNodeForce.force),
    stiffness=update(DampedNodeForce.stiffness),
):
    """Of one colour: what the contacts of the points that a node carries do to it, where all nodes are."""
    v = order[first + n, e]
    d = damped[v, e]
    if d < 0 or there[0, e] == 0:
        return
    rate = real(count[0, e]) / h[0, e]
    fx, fy, fz = 0.0, 0.0, 0.0
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for s in range(begin[v, e], end[v, e]):
        p = points[s, e]
        w = weight[s, e]
        px, py, pz = position[p, 0, e], position[p, 1, e], position[p, 2, e]
        hardness = contact_stiffness(mass[surface[p, e], e], rate)
        near = pair[surface[p, e] * SLOTS, e] >= 0  # slots are filled from the first on
        for slot in range(SLOTS if near else 0):
            c = surface[p, e] * SLOTS + slot
            nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
            push, grip, more, tx, ty, tz, _ = contact_force(
                pair[c, e] >= 0, hardness, load[c, e], friction[c, e], nx, ny, nz,
                px - anchor[c, 0, e], py - anchor[c, 1, e], pz - anchor[c, 2, e],
            )  # fmt: skip
            fx += w * (push * nx - grip * tx)
            fy += w * (push * ny - grip * ty)
            fz += w * (push * nz - grip * tz)
            grip, more = w * w * grip, w * w * more
            xx += more * nx * nx + grip
            xy += more * nx * ny
            xz += more * nx * nz
            yy += more * ny * ny + grip
            yz += more * ny * nz
            zz += more * nz * nz + grip
        for slot in range(touches[p, e] if row[p, e] >= 0 else 0):
            t = row[p, e] * TOUCHES + slot
            if firm[t, e] > 0.0:
                x = own[t, e] * (px - before[p, 0, e])
                y = own[t, e] * (py - before[p, 1, e])
                z = own[t, e] * (pz - before[p, 2, e])
                whole = own[t, e] * share_of_colour(p, colour[v, e], point, carriers, weights, colour)
                for k in range(3):
                    i = nodes[t, k, e]
                    x += shares[t, k, e] * (position[i, 0, e] - before[i, 0, e])
                    y += shares[t, k, e] * (position[i, 1, e] - before[i, 1, e])
                    z += shares[t, k, e] * (position[i, 2, e] - before[i, 2, e])
                    share = share_of_colour(i, colour[v, e], point, carriers, weights, colour)
                    whole += math.fabs(shares[t, k, e]) * share
                nx, ny, nz = across[t, 0, e], across[t, 1, e], across[t, 2, e]
                push, grip, more, tx, ty, tz, _ = contact_force(
                    True, firm[t, e], 0.0, rubs[t, e], nx, ny, nz,
                    x + opens[t, e] * nx, y + opens[t, e] * ny, z + opens[t, e] * nz,
                )  # fmt: skip
                u = w * own[t, e]
                fx += u * (push * nx - grip * tx)
                fy += u * (push * ny - grip * ty)
                fz += u * (push * nz - grip * tz)
                u = math.fabs(u) * whole
                grip, more = u * grip, u * more
                xx += more * nx * nx + grip
                xy += more * nx * ny
                xz += more * nx * nz
                yy += more * ny * ny + grip
                yz += more * ny * nz
                zz += more * nz * nz + grip
    force[d, 0, e] += fx
    force[d, 1, e] += fy
    force[d, 2, e] += fz
    stiffness[d, 0, e] += xx
    stiffness[d, 1, e] += xy
    stiffness[d, 2, e] += xz
    stiffness[d, 3, e] += yy
    stiffness[d, 4, e] += yz
    stiffness[d, 5, e] += zz


@system(over=Deformable, phase="deform_finish", needs=CollisionPoint)
def bound_collision_meshes(
    b,
    e,
    first=read(DeformableCollision.first_point),
    end=read(DeformableCollision.end_point),
    row=read(ClothNodeContact.row),
    share=read(ClothNodeContact.kept),
    kept=write(DeformableCollision.kept),
):
    """The least share of its way that a point of a body may go.

    All nodes of the body go this share of theirs: then all points do, whatever their weights, and nothing crosses.
    """
    least = 1.0
    for v in range(first[b, e], end[b, e]):
        least = min(least, share[v, e]) if row[v, e] >= 0 else least
    kept[b, e] = least


@system(over=Node, phase="deform_finish", needs=CollisionPoint)
def hold_back_nodes(
    v,
    e,
    body=read(NodeTopology.body),
    kept=read(DeformableCollision.kept),
    held=read(NodeTarget.held),
    drift=read(ClothDrift.way),
    before=read(NodeStep.start),
    position=update(NodeState.position),
):
    """Nodes go no farther beside the drift than the points of their body may."""
    share = kept[body[v, e], e]
    if share < 1.0 and held[v, e] == 0:
        for k in range(3):
            way = drift[0, k, e]
            position[v, k, e] = before[v, k, e] + (way + share * (position[v, k, e] - before[v, k, e] - way))
