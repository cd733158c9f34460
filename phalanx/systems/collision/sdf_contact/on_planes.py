"""Which corners of a mesh with a distance field carry it on a plane.

There may be hundreds, all nearly as deep as each other. Four are kept, the one farthest out in each of four directions
along the plane, where depth counts against place as it does for other pairs, and the deepest.
"""

import math

from phalanx.components import (
    DofMotion,
    GroundPlane,
    PlanePair,
    PlanePairTopology,
    PointState,
    Settings,
    ShapeGeometry,
    ShapeTopology,
)
from phalanx.components.shape import SDF
from phalanx.ecs import local_int, read, system, update
from phalanx.maths.kernels import cross
from phalanx.systems.collision.sdf_contact.bins import depth_weight

_COSINE = 0.9396926207859084
_SINE = 0.3420201433256687
_DEEPER = 1e-4
"""The deepest corner is kept for the nearest of the four if it is deeper than those by this part of the size."""


@system(over=PlanePair, phase="collide", only_with="point_distances")
def thin_plane_points(
    s,
    e,
    plane=read(PlanePairTopology.plane),
    shape=read(PlanePairTopology.a),
    first=read(PlanePairTopology.first_point),
    end=read(PlanePairTopology.end_point),
    kind=read(ShapeTopology.kind),
    dof=read(ShapeTopology.dof),
    low=read(ShapeGeometry.low),
    high=read(ShapeGeometry.high),
    motion=read(DofMotion.velocity),
    h=read(Settings.timestep),
    tangent=read(GroundPlane.tangent),
    normal=read(GroundPlane.normal),
    arm=read(PointState.arm),
    distance=read(PointState.distance),
    near=update(PointState.near),
):
    """Let only four corners of such a mesh be near a plane."""
    a = shape[s, e]
    if kind[a, e] != SDF:
        return
    chosen = local_int(4)
    p = plane[s, e]
    d = dof[a, e]
    tx, ty, tz = tangent[p, 0, e], tangent[p, 1, e], tangent[p, 2, e]
    bx, by, bz = cross(normal[p, 0, e], normal[p, 1, e], normal[p, 2, e], tx, ty, tz)
    size = 0.0
    speed = 0.0
    turning = 0.0
    for i in range(3):
        size += (high[a, i, e] - low[a, i, e]) * (high[a, i, e] - low[a, i, e])
        turning += motion[d, i, e] * motion[d, i, e]
        speed += motion[d, 3 + i, e] * motion[d, 3 + i, e]
    size = 0.5 * math.sqrt(size)
    weight = depth_weight(size, h[0, e] * (math.sqrt(speed) + size * math.sqrt(turning)))
    deepest = -1
    depth = 0.0
    for n in range(first[s, e], end[s, e]):
        if near[n, e] == 1 and (deepest < 0 or distance[n, e] < depth):
            deepest = n
            depth = distance[n, e]
    least = math.inf
    closest = math.inf
    other = 0
    for k in range(4):
        ux = _COSINE if k < 2 else _SINE
        uy = _SINE if k < 2 else -_COSINE
        ux = -ux if k % 2 == 1 else ux
        uy = -uy if k % 2 == 1 else uy
        best = deepest
        most = -math.inf
        for n in range(first[s, e], end[s, e]):
            if near[n, e] == 1:
                x = tx * arm[n, 0, e] + ty * arm[n, 1, e] + tz * arm[n, 2, e]
                y = bx * arm[n, 0, e] + by * arm[n, 1, e] + bz * arm[n, 2, e]
                score = ux * x + uy * y - weight * (distance[n, e] - depth)
                if score > most:
                    most = score
                    best = n
        chosen[k] = best
        if best >= 0:
            least = min(least, distance[best, e])
            square = 0.0
            for i in range(3):
                square += (arm[best, i, e] - arm[deepest, i, e]) * (arm[best, i, e] - arm[deepest, i, e])
            if square < closest:
                closest = square
                other = k
    if depth < least - _DEEPER * size:
        chosen[other] = deepest
    for n in range(first[s, e], end[s, e]):
        kept = n == chosen[0] or n == chosen[1] or n == chosen[2] or n == chosen[3]
        near[n, e] = near[n, e] if kept else 0
