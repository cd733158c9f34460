"""Which triangles of meshes the nodes of deformable bodies may touch in a substep."""

import math

from phalanx.components import (
    Coordinate,
    DeformableMotion,
    DeformablePairState,
    DeformablePairTopology,
    DeformableSurface,
    HullVertexPosition,
    LinkTopology,
    MeshNeighbourVertex,
    MeshNode,
    MeshNodeBox,
    MeshTopology,
    MeshTriangleGeometry,
    MeshVertexNeighbours,
    NodeContactPoint,
    NodeContactState,
    NodeState,
    PreviousNodeContact,
    Settings,
    ShapeBounds,
    ShapeGeometry,
    ShapePose,
    ShapeTopology,
    SurfaceNode,
    SurfaceNodeTopology,
)
from phalanx.components.node_contact import SLOTS
from phalanx.components.shape import MESH
from phalanx.ecs import function, local, local_int, read, system, update
from phalanx.maths.kernels import cross
from phalanx.systems.collision.mesh_contact.regions import COUNTS, gather_triangle, judge_mesh_normal
from phalanx.systems.collision.mesh_contact.tree import STACK, next_leaf
from phalanx.systems.collision.narrow.pose import inverse_turn, turn
from phalanx.systems.collision.sdf_contact.nearest import way_to_triangle

ALIKE = 0.95
"""Cosine: of contacts of one node with one mesh whose normals differ by less, the nearest is kept."""

OVER = 0.999
"""Cosine: a way to a triangle that is as near to its normal ends on its face."""

INFINITY = float("inf")

HOLLOW = 0.05
"""Sine: where the next face rises by more, an edge is hollow."""

SEAM = 1e-6
"""A node this far outside an edge, as part of its length, is still over the face."""

PAST = 0.1
"""Share of the reach by which a node may be past the line where two faces meet in a hollow, and still touch both."""

THROUGH = 0.25
"""Share of the reach by which a node that touches triangles that collide from both sides may be behind them."""

PLACES = 4
"""Numbers of a contact in the scratch array: its gap and its normal."""


@function
def keep_contact(found, owners, gap, pair, face, nx, ny, nz):
    """Put a contact among the nearest; of one mesh only those whose normals differ.

    Args:
        found: ``PLACES * SLOTS`` numbers, the nearest first; of equals the earlier ones.
        owners: pair and face of each.
    """
    at = SLOTS
    for k in range(SLOTS - 1, -1, -1):
        same = owners[2 * k] == pair and owners[2 * k + 1] >= 0
        if same and nx * found[PLACES * k + 1] + ny * found[PLACES * k + 2] + nz * found[PLACES * k + 3] > ALIKE:
            at = k
    at = min(at, SLOTS - 1)  # it replaces one that is alike, or the last
    if gap < found[PLACES * at]:
        while at > 0 and gap < found[PLACES * max(at - 1, 0)]:
            for j in range(PLACES):
                found[PLACES * at + j] = found[PLACES * (at - 1) + j]
            owners[2 * at] = owners[2 * at - 2]
            owners[2 * at + 1] = owners[2 * at - 1]
            at -= 1
        found[PLACES * at] = gap
        found[PLACES * at + 1], found[PLACES * at + 2], found[PLACES * at + 3] = nx, ny, nz
        owners[2 * at], owners[2 * at + 1] = pair, face


@function
def over_face(corners, across, bordered, nx, ny, nz, front, slack):
    """Whether the origin is over a triangle's face, or past an edge by less than ``slack`` where the next rises.

    Args:
        corners, across, bordered: of :func:`~phalanx.systems.collision.mesh_contact.regions.gather_triangle`.
        nx, ny, nz: the triangle's normal.
        front: 1 where its front counts, -1 where its back does.
    """
    inside = True
    for k in range(3):
        j = 3 * ((k + 1) % 3)
        ax, ay, az = corners[3 * k], corners[3 * k + 1], corners[3 * k + 2]
        qx, qy, qz = cross(corners[j] - ax, corners[j + 1] - ay, corners[j + 2] - az, nx, ny, nz)
        length = math.sqrt(qx * qx + qy * qy + qz * qz)
        out = -(qx * ax + qy * ay + qz * az) / length
        px, py, pz = across[3 * k] - ax, across[3 * k + 1] - ay, across[3 * k + 2] - az
        rise = front * (nx * px + ny * py + nz * pz)
        hollow = (bordered >> k) & 1 == 0 and rise > HOLLOW * math.sqrt(px * px + py * py + pz * pz)
        inside = inside and out <= (slack if hollow else SEAM * length)
    return inside


@function
def side_of(level, near, known, pair, normals, t):
    """Which side of a triangle that collides from both a node is on: 1 or -1.

    What it touched in the last substep shows from where it comes, if it is no deeper than ``near`` now.

    Args:
        level: height of the node over the triangle.
        known: pair and face of each contact in the last substep.
    """
    side = 1.0 if level >= 0.0 else -1.0
    for k in range(SLOTS):
        f = known[2 * k + 1]
        if known[2 * k] == pair and f >= 0 and math.fabs(level) < near:
            o = f // 2
            facing = normals[o, 0, 0] * normals[t, 0, 0] + normals[o, 1, 0] * normals[t, 1, 0]
            facing = (facing + normals[o, 2, 0] * normals[t, 2, 0]) * (1.0 if f % 2 == 0 else -1.0)
            if math.fabs(facing) > ALIKE:
                side = 1.0 if facing > 0.0 else -1.0
    return side


@system(over=SurfaceNode, phase="deform_begin", needs=MeshNode)
def find_mesh_contacts(
    n,
    e,
    node=read(SurfaceNodeTopology.node),
    body=read(SurfaceNodeTopology.body),
    first=read(DeformableSurface.first_pair),
    end=read(DeformableSurface.end_pair),
    shape=read(DeformablePairTopology.shape),
    near=read(DeformablePairState.near),
    own_margin=read(DeformableSurface.contact_offset),
    own_rest=read(DeformableSurface.rest_offset),
    margin=read(ShapeGeometry.contact_offset),
    rest=read(ShapeGeometry.rest_offset),
    h=read(Settings.timestep),
    kind=read(ShapeTopology.kind),
    link=read(ShapeTopology.link),
    mesh_root=read(MeshTopology.root),
    double_sided=read(MeshTopology.double_sided),
    root=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    q=read(Coordinate.value),
    offset=read(ShapePose.offset),
    rotation=read(ShapePose.rotation),
    travel=read(ShapeBounds.travel),
    vertices=read(HullVertexPosition.position),
    triangles=read(MeshTriangleGeometry.vertex),
    across_vertices=read(MeshTriangleGeometry.across),
    normals=read(MeshTriangleGeometry.normal),
    firsts=read(MeshVertexNeighbours.first),
    ends=read(MeshVertexNeighbours.end),
    neighbours=read(MeshNeighbourVertex.vertex),
    lows=read(MeshNodeBox.low),
    highs=read(MeshNodeBox.high),
    leaf_firsts=read(MeshNodeBox.first),
    leaf_counts=read(MeshNodeBox.count),
    old_pair=read(PreviousNodeContact.pair),
    old_face=read(PreviousNodeContact.face),
    origin=read(DeformableMotion.origin),
    position=read(NodeState.position),
    velocity=read(NodeState.velocity),
    pair=update(NodeContactState.pair),
    face=update(NodeContactState.face),
    gap=update(NodeContactPoint.gap),
    normal=update(NodeContactPoint.normal),
):
    """Put the triangles that a node is nearest to among the shapes that it is.

    The nearest triangle tells whether the node is in front or behind, and where it comes out. Beside that count the
    faces that it is over, and edges and corners as far as they stick out, of those whose normals differ: in a corner
    of a mesh a node touches all walls.
    """
    v, b = node[n, e], body[n, e]
    vx, vy, vz = velocity[v, 0, e], velocity[v, 1, e], velocity[v, 2, e]
    way = h[0, e] * math.sqrt(vx * vx + vy * vy + vz * vz)
    found = local(PLACES * SLOTS)
    owners = local_int(2 * SLOTS)
    known = local_int(2 * SLOTS)
    pending = local_int(STACK)
    corners = local(9)
    across = local(9)
    for k in range(SLOTS):
        c = n * SLOTS + k
        found[PLACES * k] = gap[c, e] if pair[c, e] >= 0 else INFINITY
        for j in range(3):
            found[PLACES * k + 1 + j] = normal[c, j, e]
        owners[2 * k], owners[2 * k + 1] = pair[c, e], -1
        known[2 * k], known[2 * k + 1] = old_pair[c, e], old_face[c, e]
    for p in range(first[b, e], end[b, e]):
        s = shape[p, e]
        if near[p, e] != 0 and kind[s, e] == MESH:
            j = coord[root[link[s, e], e], e]
            x = ((origin[b, 0, e] - q[j, e]) - offset[s, 0, e]) + position[v, 0, e]
            y = ((origin[b, 1, e] - q[j + 1, e]) - offset[s, 1, e]) + position[v, 1, e]
            z = ((origin[b, 2, e] - q[j + 2, e]) - offset[s, 2, e]) + position[v, 2, e]
            ux, uy, uz = travel[s, 0, e], travel[s, 1, e], travel[s, 2, e]
            steady = own_margin[b, e] + margin[s, e]
            rests = own_rest[b, e] + rest[s, e]
            reach = steady + max(rests, 0.0) + way + math.sqrt(ux * ux + uy * uy + uz * uz) + travel[s, 3, e]
            r0, r1, r2 = rotation[s, 0, e], rotation[s, 1, e], rotation[s, 2, e]
            r3, r4, r5 = rotation[s, 3, e], rotation[s, 4, e], rotation[s, 5, e]
            r6, r7, r8 = rotation[s, 6, e], rotation[s, 7, e], rotation[s, 8, e]
            x, y, z = inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z)
            # the nearest triangle; of those that meet at an edge or corner the one that the node is most squarely over
            distance, level, nearest = reach, 0.0, -1
            wx, wy, wz = 0.0, 0.0, 0.0
            pending[0] = mesh_root[s, e]
            top = 1
            while top > 0:
                top, begin, count = next_leaf(
                    lows, highs, leaf_firsts, leaf_counts, pending, top, x, y, z, distance, distance, distance
                )
                for t in range(begin, begin + count):
                    ux, uy, uz = way_to_triangle(
                        vertices, triangles[t, 0, 0], triangles[t, 1, 0], triangles[t, 2, 0], x, y, z
                    )
                    d = math.sqrt(ux * ux + uy * uy + uz * uz)
                    height = normals[t, 0, 0] * ux + normals[t, 1, 0] * uy + normals[t, 2, 0] * uz
                    better = d <= distance
                    if nearest >= 0:
                        squarer = math.fabs(height) > math.fabs(level)
                        better = d < 0.9999 * distance or (d <= 1.0001 * distance and squarer)
                    if better:
                        nearest, level = t, height
                        wx, wy, wz = ux, uy, uz
                        distance = min(distance, d)
            if nearest >= 0:
                both = double_sided[s, e] == 1
                slack, through = PAST * steady, max(rests, 0.0) + THROUGH * steady
                front = side_of(level, through, known, p, normals, nearest) if both else 1.0
                outside = front * level >= 0.0
                sign = 1.0 if outside else -1.0
                flat = math.fabs(level) >= OVER * distance
                scale = 0.0 if flat else sign / distance
                ox = front * normals[nearest, 0, 0] if flat else scale * wx
                oy = front * normals[nearest, 1, 0] if flat else scale * wy
                oz = front * normals[nearest, 2, 0] if flat else scale * wz
                ux, uy, uz = turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, ox, oy, oz)
                number = 2 * nearest + (0 if front > 0.0 else 1)
                keep_contact(found, owners, sign * distance - rests, p, number, ux, uy, uz)
                pending[0] = mesh_root[s, e]
                top = 1
                while top > 0:
                    top, begin, count = next_leaf(
                        lows, highs, leaf_firsts, leaf_counts, pending, top, x, y, z, reach, reach, reach
                    )
                    for t in range(begin, begin + count):
                        wx, wy, wz = way_to_triangle(
                            vertices, triangles[t, 0, 0], triangles[t, 1, 0], triangles[t, 2, 0], x, y, z
                        )
                        d = math.sqrt(wx * wx + wy * wy + wz * wz)
                        mx, my, mz = normals[t, 0, 0], normals[t, 1, 0], normals[t, 2, 0]
                        height = mx * wx + my * wy + mz * wz
                        front = side_of(height, through, known, p, normals, t) if both else 1.0
                        level = front * height
                        mx, my, mz = front * mx, front * my, front * mz
                        faces = mx * ox + my * oy + mz * oz >= 0.0  # not the other side of a thin wall
                        if d <= reach and level >= -slack and (level >= 0.0 or faces):
                            bordered = gather_triangle(
                                vertices, triangles, across_vertices, t, x, y, z, corners, across
                            )
                            number = 2 * t + (0 if front > 0.0 else 1)
                            if over_face(corners, across, bordered, front * mx, front * my, front * mz, front, slack):
                                ux, uy, uz = turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, mx, my, mz)
                                keep_contact(found, owners, level - rests, p, number, ux, uy, uz)
                            elif outside and level > 0.0:
                                wx, wy, wz = wx / d, wy / d, wz / d
                                answer = judge_mesh_normal(
                                    corners, across, bordered, t, triangles, vertices, firsts, ends, neighbours,
                                    wx, wy, wz, mx, my, mz,
                                )  # fmt: skip
                                if answer == COUNTS:
                                    ux, uy, uz = turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, wx, wy, wz)
                                    keep_contact(found, owners, d - rests, p, number, ux, uy, uz)
    for k in range(SLOTS):
        c = n * SLOTS + k
        on = found[PLACES * k] < INFINITY
        pair[c, e], face[c, e] = owners[2 * k] if on else -1, owners[2 * k + 1] if on else -1
        gap[c, e] = found[PLACES * k] if on else 0.0
        for j in range(3):
            normal[c, j, e] = found[PLACES * k + 1 + j]
