"""What particles do to nodes that carry a collision mesh: forces on its points act on the nodes of their tetrahedra."""

import math

from phalanx.components import (
    ClothCornerTriangle,
    ClothDrift,
    ClothNode,
    ClothNodeContact,
    ClothTriangleParticles,
    ClothTriangleTopology,
    CollisionPointTopology,
    CollisionShareTopology,
    DampedNodeForce,
    Node,
    NodeCollision,
    NodeDamping,
    NodeOrder,
    NodeState,
    NodeStep,
    ParticleTouch,
    ParticleTouchPoint,
)
from phalanx.ecs import read, start, system, update
from phalanx.systems.deformable.collision_points import share_of_colour
from phalanx.systems.deformable.particle_touch_force import touch_force


@system(over=Node, phase="deform_forces", needs=ParticleTouch)
def touched_forces_of_points(
    n,
    e,
    first=start(),
    order=read(NodeOrder.node),
    damped=read(NodeDamping.row),
    begin_point=read(NodeCollision.first),
    end_point=read(NodeCollision.end),
    points=read(CollisionShareTopology.node),
    weight=read(CollisionShareTopology.weight),
    row=read(ClothNodeContact.row),
    colour=read(ClothNodeContact.colour),
    point=read(NodeCollision.point),
    carriers=read(CollisionPointTopology.carriers),
    weights=read(CollisionPointTopology.weights),
    there=read(ClothDrift.there),
    first_corner=read(ClothNode.first_corner),
    end_corner=read(ClothNode.end_corner),
    corner_triangle=read(ClothCornerTriangle.triangle),
    nodes=read(ClothTriangleTopology.nodes),
    head=read(ClothTriangleParticles.first),
    next=read(ParticleTouchPoint.next),
    shares=read(ParticleTouchPoint.shares),
    normal=read(ParticleTouchPoint.normal),
    gap=read(ParticleTouchPoint.gap),
    way=read(ParticleTouchPoint.way),
    firm=read(ParticleTouchPoint.stiffness),
    across=read(ParticleTouchPoint.across),
    friction=read(ParticleTouchPoint.friction),
    begin=read(NodeStep.start),
    position=read(NodeState.position),
    force=update(DampedNodeForce.force),
    stiffness=update(DampedNodeForce.stiffness),
):
    """Of one colour, as :func:`phalanx.systems.deformable.particle_touch.touched_forces`."""
    v = order[first + n, e]
    d = damped[v, e]
    if d < 0 or there[0, e] == 0 or end_point[v, e] == begin_point[v, e]:
        return
    fx, fy, fz = 0.0, 0.0, 0.0
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for m in range(begin_point[v, e], end_point[v, e]):
        p = points[m, e]
        for c in range(first_corner[p, e], end_corner[p, e] if row[p, e] >= 0 else first_corner[p, e]):
            t = corner_triangle[c, e]
            s = head[t, e]
            while s >= 0:
                own = shares[s, 1, e] if nodes[t, 1, e] == p else shares[s, 2, e]
                own = weight[m, e] * (shares[s, 0, e] if nodes[t, 0, e] == p else own)
                if own != 0.0:
                    ux, uy, uz, answer = 0.0, 0.0, 0.0, 0.0
                    for k in range(3):
                        i, w = nodes[t, k, e], shares[s, k, e]
                        ux += w * (position[i, 0, e] - begin[i, 0, e])
                        uy += w * (position[i, 1, e] - begin[i, 1, e])
                        uz += w * (position[i, 2, e] - begin[i, 2, e])
                        answer += w * share_of_colour(i, colour[v, e], point, carriers, weights, colour)
                    nx, ny, nz = normal[s, 0, e], normal[s, 1, e], normal[s, 2, e]
                    x, y, z, more, grip = touch_force(
                        firm[s, e], across[s, e], friction[s, e], gap[s, e], nx, ny, nz,
                        way[s, 0, e] - ux, way[s, 1, e] - uy, way[s, 2, e] - uz,
                    )  # fmt: skip
                    fx, fy, fz = fx - own * x, fy - own * y, fz - own * z
                    own = math.fabs(own) * answer
                    grip, more = own * grip, own * more
                    more -= grip
                    xx += more * nx * nx + grip
                    xy += more * nx * ny
                    xz += more * nx * nz
                    yy += more * ny * ny + grip
                    yz += more * ny * nz
                    zz += more * nz * nz + grip
                s = next[s, e]
    force[d, 0, e] += fx
    force[d, 1, e] += fy
    force[d, 2, e] += fz
    stiffness[d, 0, e] += xx
    stiffness[d, 1, e] += xy
    stiffness[d, 2, e] += xz
    stiffness[d, 3, e] += yy
    stiffness[d, 4, e] += yz
    stiffness[d, 5, e] += zz
