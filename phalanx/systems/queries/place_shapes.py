"""Where shapes are when a query is made, and their bounds."""

import math

from phalanx.components import Coordinate, LinkPose, LinkTopology, Shape, ShapeGeometry, ShapeTopology
from phalanx.components.query import QueryPose
from phalanx.components.shape import CAPSULE, PLANE, SPHERE
from phalanx.ecs import read, system, write
from phalanx.maths.kernels import quaternion_product, rotate, rotation_matrix
from phalanx.systems.collision.narrow.support import precision


@system(over=Shape, phase="query")
def place_shapes(
    s,
    e,
    kind=read(ShapeTopology.kind),
    link=read(ShapeTopology.link),
    tree=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    q=read(Coordinate.value),
    link_offset=read(LinkPose.offset),
    orientation=read(LinkPose.orientation),
    position=read(ShapeGeometry.position),
    turn=read(ShapeGeometry.orientation),
    size=read(ShapeGeometry.size),
    least=read(ShapeGeometry.low),
    greatest=read(ShapeGeometry.high),
    root=write(QueryPose.root),
    offset=write(QueryPose.offset),
    rotation=write(QueryPose.rotation),
    low=write(QueryPose.low),
    high=write(QueryPose.high),
):
    """Pose of the shape = pose of its link * its frame in the link; bounds are rounded outwards."""
    k = kind[s, e]
    if k == PLANE:
        return
    i = link[s, e]
    c = coord[tree[i, e], e]
    w, x, y, z = orientation[i, 0, e], orientation[i, 1, e], orientation[i, 2, e], orientation[i, 3, e]
    px, py, pz = rotate(w, x, y, z, position[s, 0, e], position[s, 1, e], position[s, 2, e])
    px, py, pz = px + link_offset[i, 0, e], py + link_offset[i, 1, e], pz + link_offset[i, 2, e]
    w, x, y, z = quaternion_product(w, x, y, z, turn[s, 0, e], turn[s, 1, e], turn[s, 2, e], turn[s, 3, e])
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = rotation_matrix(w, x, y, z)
    root[s, 0, e], root[s, 1, e], root[s, 2, e] = q[c, e], q[c + 1, e], q[c + 2, e]
    offset[s, 0, e], offset[s, 1, e], offset[s, 2, e] = px, py, pz
    rotation[s, 0, e], rotation[s, 1, e], rotation[s, 2, e] = r0, r1, r2
    rotation[s, 3, e], rotation[s, 4, e], rotation[s, 5, e] = r3, r4, r5
    rotation[s, 6, e], rotation[s, 7, e], rotation[s, 8, e] = r6, r7, r8
    if k == SPHERE or k == CAPSULE:
        length = size[s, 1, e] if k == CAPSULE else 0.0
        hx = size[s, 0, e] + math.fabs(r2) * length
        hy = size[s, 0, e] + math.fabs(r5) * length
        hz = size[s, 0, e] + math.fabs(r8) * length
    else:
        ax, ay, az = least[s, 0, e], least[s, 1, e], least[s, 2, e]
        bx, by, bz = greatest[s, 0, e], greatest[s, 1, e], greatest[s, 2, e]
        ux, uy, uz = 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz)
        vx, vy, vz = 0.5 * (bx - ax), 0.5 * (by - ay), 0.5 * (bz - az)
        px, py, pz = (
            px + r0 * ux + r1 * uy + r2 * uz,
            py + r3 * ux + r4 * uy + r5 * uz,
            pz + r6 * ux + r7 * uy + r8 * uz,
        )
        hx = math.fabs(r0) * vx + math.fabs(r1) * vy + math.fabs(r2) * vz
        hy = math.fabs(r3) * vx + math.fabs(r4) * vy + math.fabs(r5) * vz
        hz = math.fabs(r6) * vx + math.fabs(r7) * vy + math.fabs(r8) * vz
    eps = precision()
    px, py, pz = q[c, e] + px, q[c + 1, e] + py, q[c + 2, e] + pz
    slack = eps * (math.fabs(px) + math.fabs(py) + math.fabs(pz) + 2.0 * (hx + hy + hz))
    low[s, 0, e], low[s, 1, e], low[s, 2, e] = px - hx - slack, py - hy - slack, pz - hz - slack
    high[s, 0, e], high[s, 1, e], high[s, 2, e] = px + hx + slack, py + hy + slack, pz + hz + slack
