"""What is fast stops at the second thing that it meets in a substep.

Contacts are found along the motion that is expected if nothing stops it. A body that strikes goes on another way, and
nothing was looked for there: on rough ground a ball at 30 m/s, turned by one triangle, went half a metre on through the
next. Sweeps also leave links of a robot that strikes a tenth of their speed. So the way that the solver leaves is cast
against walls, which are what no contact moves. Where the origin of a convex shape would go through a surface from
outside, the body stops where the shape's ball meets that. If it has several shapes its turn stops there, too, since
another one may come round while the first goes back. A robot stops in all of its joints. Velocities are kept: the next
substep finds the contact.

Nothing else can put it right later, since what lies beyond a thin wall is pushed out of it on the wrong side.
"""

import math

from phalanx.components import (
    Candidate,
    CandidateCount,
    CandidatePair,
    DofModel,
    DofMotion,
    DofSolve,
    DofTopology,
    LinkPose,
    LinkTopology,
    MotionClamp,
    Settings,
    ShapeBounds,
    ShapeGeometry,
    ShapeMaterial,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
    TreeTopology,
)
from phalanx.components.mesh import (
    HeightFieldGeometry,
    HeightSampleValue,
    MeshNodeBox,
    MeshTopology,
    MeshTriangleGeometry,
)
from phalanx.components.shape import (
    HEIGHT_FIELD,
    HULL,
    MESH,
    HullCornerVertex,
    HullFacePlane,
    HullVertexPosition,
    is_convex,
    is_primitive,
)
from phalanx.ecs import function, local, read, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.collision.narrow.ball import convex_inner_radius
from phalanx.systems.collision.narrow.impact import MOVED, WAY, move_pair
from phalanx.systems.queries.limits import INF
from phalanx.systems.queries.ray_height_field import ray_height_field
from phalanx.systems.queries.ray_hull import ray_hull
from phalanx.systems.queries.ray_mesh import ray_mesh
from phalanx.systems.queries.ray_solid import ray_solid

CALM = 0.1
"""Links of robots that are expected to go less far than this part of their balls' radius are not looked at."""

PART = 0.5
"""What goes less far in a substep than this part of its ball's radius passes through nothing."""

STEEPEST = 0.2
"""Least cosine between way and normal for which a ball's radius is taken off the way."""


@function
def place_in(moved, side, out):
    """Origin of shape a (``side`` 0) or b (1) in the frame of the other one, into ``out``."""
    q = 9 - 9 * side
    sign = -1.0 if side == 0 else 1.0
    for k in range(3):
        out[k] = sign * (moved[q + k] * moved[18] + moved[q + 3 + k] * moved[19] + moved[q + 6 + k] * moved[20])


@function
def moved_from(side, x, y, z, fx, fy, fz):
    """From the wall's origin to a body's centre of mass: by the way from shape a to b, and that centre in the shape."""
    sign = -1.0 if side == 0 else 1.0
    return sign * x + fx, sign * y + fy, sign * z + fz


@system(over=Candidate, phase="integrate", used="used")
def find_walls_in_the_way(
    n,
    e,
    speculative=read(Settings.speculative),
    used=read(CandidateCount.current),
    pair_a=read(CandidatePair.a),
    pair_b=read(CandidatePair.b),
    between=read(CandidatePair.between),
    kind=read(ShapeTopology.kind),
    link=read(ShapeTopology.link),
    sole=read(ShapeTopology.sole),
    dof=read(ShapeTopology.dof),
    first_face=read(ShapeTopology.first_face),
    end_face=read(ShapeTopology.end_face),
    tree=read(LinkTopology.tree),
    is_free=read(TreeTopology.is_free),
    first=read(TreeTopology.first_dof),
    first_link=read(TreeTopology.first_link),
    end_link=read(TreeTopology.end_link),
    prescribed=read(DofModel.prescribed),
    above=read(DofTopology.parent),
    dof_link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    axis=read(DofMotion.axis),
    origin=read(LinkPose.offset),
    displacement=read(DofSolve.displacement),
    size=read(ShapeGeometry.size),
    low=read(ShapeGeometry.low),
    high=read(ShapeGeometry.high),
    stiffness=read(ShapeMaterial.contact_stiffness),
    offset=read(ShapePose.offset),
    rotation=read(ShapePose.rotation),
    travel=read(ShapeBounds.travel),
    turned=read(ShapeMotion.turn),
    centre=read(ShapeMotion.centre),
    vertices=read(HullVertexPosition.position),
    hull_normals=read(HullFacePlane.normal),
    hull_offsets=read(HullFacePlane.offset),
    first_corners=read(HullFacePlane.first_corner),
    end_corners=read(HullFacePlane.end_corner),
    hull_corners=read(HullCornerVertex.vertex),
    tree_root=read(MeshTopology.root),
    double_sided=read(MeshTopology.double_sided),
    corner_vertices=read(MeshTriangleGeometry.vertex),
    triangle_normals=read(MeshTriangleGeometry.normal),
    node_lows=read(MeshNodeBox.low),
    node_highs=read(MeshNodeBox.high),
    node_firsts=read(MeshNodeBox.first),
    node_counts=read(MeshNodeBox.count),
    first_sample=read(MeshTopology.first_sample),
    samples=read(MeshTopology.samples),
    spacing=read(HeightFieldGeometry.spacing),
    heights=read(HeightSampleValue.height),
    left=write(MotionClamp.left),
    back=write(MotionClamp.back),
):
    """Where the way of a body would lead through a wall."""
    if n >= used[0, e]:
        return
    left[n, e] = 1.0
    a, b = pair_a[n, e], pair_b[n, e]
    stands_a = dof[a, e] < 0 or prescribed[max(dof[a, e], 0), e] != 0
    stands_b = dof[b, e] < 0 or prescribed[max(dof[b, e], 0), e] != 0
    if stands_a == stands_b or speculative[0, e] == 0:
        return
    side = 0 if stands_b else 1
    s = a if side == 0 else b
    w = b if side == 0 else a
    t = tree[link[s, e], e]
    f = first[t, e]
    single = is_free[t, e] == 1 and end_link[t, e] - first_link[t, e] == 1
    # what gives way may be entered
    if not is_convex(kind[s, e]) or stiffness[s, e] + stiffness[w, e] != 0.0:
        return
    ball = convex_inner_radius(
        kind[s, e], size[s, 0, e], size[s, 1, e], size[s, 2, e], first_face[s, e], end_face[s, e], hull_offsets
    )
    way = local(WAY)
    p, q = 9 * side, 9 - 9 * side
    cx, cy, cz = offset[s, 0, e] + centre[s, 0, e], offset[s, 1, e] + centre[s, 1, e], offset[s, 2, e] + centre[s, 2, e]
    if single:
        wx, wy, wz = displacement[f + 3, e], displacement[f + 4, e], displacement[f + 5, e]
        x, y, z = cross(wx, wy, wz, cx, cy, cz)
        x, y, z = displacement[f, e] + x, displacement[f + 1, e] + y, displacement[f + 2, e] + z
    else:
        x = math.fabs(travel[s, 0, e] - travel[w, 0, e]) + math.fabs(travel[s, 1, e] - travel[w, 1, e])
        if x + math.fabs(travel[s, 2, e] - travel[w, 2, e]) < CALM * ball:
            return  # its joints need not be asked
        x, y, z, wx, wy, wz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        joint = dof[s, e]
        while joint >= 0:
            m, step = dof_link[joint, e], displacement[joint, e]
            ux, uy, uz = step * axis[joint, 0, e], step * axis[joint, 1, e], step * axis[joint, 2, e]
            if angular[joint, e] == 1:
                wx, wy, wz = wx + ux, wy + uy, wz + uz
                ux, uy, uz = cross(ux, uy, uz, cx - origin[m, 0, e], cy - origin[m, 1, e], cz - origin[m, 2, e])
            x, y, z = x + ux, y + uy, z + uz
            joint = above[joint, e]
    way[p], way[p + 1], way[p + 2] = wx, wy, wz
    way[p + 6], way[p + 7], way[p + 8] = x, y, z
    wx, wy, wz = turned[w, 0, e], turned[w, 1, e], turned[w, 2, e]
    x, y, z = cross(wx, wy, wz, centre[w, 0, e], centre[w, 1, e], centre[w, 2, e])
    way[q], way[q + 1], way[q + 2] = wx, wy, wz
    way[q + 6], way[q + 7], way[q + 8] = travel[w, 0, e] + x, travel[w, 1, e] + y, travel[w, 2, e] + z
    most = 0.0  # that it may go as seen from the wall
    spin = math.fabs(way[p]) + math.fabs(way[p + 1]) + math.fabs(way[p + 2])
    swing = math.fabs(way[q]) + math.fabs(way[q + 1]) + math.fabs(way[q + 2])
    for k in range(3):
        lever = math.fabs(between[n, k, e]) + math.fabs(centre[w, k, e])
        most += math.fabs(way[6 + k] - way[15 + k]) + spin * math.fabs(centre[s, k, e]) + swing * lever
    if most < PART * ball:
        return
    moved = local(MOVED)
    o = local(3)
    d = local(3)
    normal = local(3)
    for k in range(9):
        moved[k] = rotation[a, k, e]
        moved[9 + k] = rotation[b, k, e]
    for k in range(3):
        moved[18 + k] = between[n, k, e]
        way[p + 3 + k] = centre[s, k, e]
        way[q + 3 + k] = centre[w, k, e]
    for k in range(21):
        way[18 + k] = moved[k]
    place_in(moved, side, o)
    move_pair(way, 1.0, moved)
    place_in(moved, side, d)
    length = 0.0
    for k in range(3):
        d[k] -= o[k]
        length += d[k] * d[k]
    length = math.sqrt(length)
    if not length >= PART * ball or length == 0.0:
        return
    for k in range(3):
        d[k] /= length
    at = INF
    if is_primitive(kind[w, e]):
        at, normal[0], normal[1], normal[2] = ray_solid(
            kind[w, e], size[w, 0, e], size[w, 1, e], size[w, 2, e], o[0], o[1], o[2], d[0], d[1], d[2]
        )
    elif kind[w, e] == HULL:
        at, normal[0], normal[1], normal[2] = ray_hull(
            first_face[w, e], end_face[w, e], hull_normals, hull_offsets, first_corners, end_corners, hull_corners,
            vertices, o, d,
        )  # fmt: skip
    elif kind[w, e] == MESH:
        at, triangle = ray_mesh(
            tree_root[w, e], double_sided[w, e], o, d, length, vertices, corner_vertices, triangle_normals, node_lows,
            node_highs, node_firsts, node_counts,
        )  # fmt: skip
        for k in range(3):
            normal[k] = triangle_normals[max(triangle, 0), k, 0]
    elif kind[w, e] == HEIGHT_FIELD:
        at, _triangle = ray_height_field(
            heights, first_sample[w, e], samples[w, 0, e], samples[w, 1, e], spacing[w, 0, e], spacing[w, 1, e],
            low[w, 2, e], high[w, 2, e], 0, o, d, length, normal,
        )  # fmt: skip
    if at > 0.0 and at < length:  # what begins inside is pushed out as before
        steep = math.fabs(normal[0] * d[0] + normal[1] * d[1] + normal[2] * d[2])
        free = max(at - ball / max(steep, STEEPEST), 0.0)
        share = free / length
        left[n, e] = share
        for k in range(3):
            x = moved[q + 3 * k] * d[0] + moved[q + 3 * k + 1] * d[1] + moved[q + 3 * k + 2] * d[2]
            back[n, k, e] = (free - length) * x
        if single and sole[s, e] == 0:  # its turn is shortened, too, or it would take other shapes of the body through
            fx, fy, fz = centre[s, 0, e], centre[s, 1, e], centre[s, 2, e]
            rx, ry, rz = moved_from(side, between[n, 0, e], between[n, 1, e], between[n, 2, e], fx, fy, fz)
            ux, uy, uz = cross(wx, wy, wz, rx, ry, rz)
            sx, sy, sz = offset[s, 0, e] + fx, offset[s, 1, e] + fy, offset[s, 2, e] + fz
            x, y, z = cross(displacement[f + 3, e], displacement[f + 4, e], displacement[f + 5, e], sx, sy, sz)
            back[n, 0, e] = (share - 1.0) * (way[p + 6] - travel[w, 0, e] - ux - x)
            back[n, 1, e] = (share - 1.0) * (way[p + 7] - travel[w, 1, e] - uy - y)
            back[n, 2, e] = (share - 1.0) * (way[p + 8] - travel[w, 2, e] - uz - z)


@system(over=Candidate, phase="integrate", used="used")
def clamp_motion(
    n,
    e,
    used=read(CandidateCount.current),
    pair_a=read(CandidatePair.a),
    pair_b=read(CandidatePair.b),
    link=read(ShapeTopology.link),
    dof=read(ShapeTopology.dof),
    sole=read(ShapeTopology.sole),
    tree=read(LinkTopology.tree),
    is_free=read(TreeTopology.is_free),
    first=read(TreeTopology.first_dof),
    end=read(TreeTopology.end_dof),
    first_link=read(TreeTopology.first_link),
    end_link=read(TreeTopology.end_link),
    prescribed=read(DofModel.prescribed),
    left=read(MotionClamp.left),
    back=read(MotionClamp.back),
    displacement=update(DofSolve.displacement),
):
    """Shorten ways to the first wall that they would lead through.

    A row for each candidate, of which one at most is the soonest of a body or robot: no two write the same
    displacement. A thread for each environment would wait for one candidate after the other.
    """
    if n >= used[0, e] or not left[n, e] < 1.0:  # hardly ever any
        return
    a, b = pair_a[n, e], pair_b[n, e]
    s = b if dof[a, e] < 0 or prescribed[max(dof[a, e], 0), e] != 0 else a
    own, t = dof[s, e], tree[link[s, e], e]
    soonest = True
    for m in range(used[0, e]):
        if left[m, e] < 1.0 and m != n:
            i, j = pair_a[m, e], pair_b[m, e]
            i = j if dof[i, e] < 0 or prescribed[max(dof[i, e], 0), e] != 0 else i
            sooner = left[m, e] < left[n, e] or (left[m, e] == left[n, e] and m < n)
            soonest = soonest and not (tree[link[i, e], e] == t and sooner)
    if not soonest:
        return
    if is_free[t, e] == 0 or end_link[t, e] - first_link[t, e] > 1:
        for d in range(first[t, e], end[t, e]):
            displacement[d, e] *= left[n, e] if prescribed[d, e] == 0 else 1.0
        return
    for k in range(3):
        displacement[own - 5 + k, e] += back[n, k, e]
    for k in range(3 if sole[s, e] == 0 else 0):
        displacement[own - 2 + k, e] *= left[n, e]
