"""Contacts with what shapes pass are left out."""

from phalanx.components import (
    Candidate,
    CandidateCount,
    CandidatePair,
    GroundPlane,
    LinkTopology,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
    PlanePoint,
    PointState,
    PointTopology,
    Scratch,
    ShapeBounds,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
)
from phalanx.ecs import function, read, rows, system, update
from phalanx.maths.kernels import cross


@function
def nearer_along(ax, ay, az, bx, by, bz, tx, ty, tz, ux, uy, uz, nx, ny, nz):
    """What contact points on a and on b come nearer along the normal n in a substep, m.

    Args:
        a, b: ways of the origins of the shapes.
        t, u: what their rotations add.
    """
    return -((ax - bx + tx - ux) * nx + (ay - by + ty - uy) * ny + (az - bz + tz - uz) * nz)


@system(phase="collide", needs=Candidate)
def drop_near_misses(
    lanes,
    plane_points=rows(PlanePoint),
    candidates=rows(Candidate),
    manifold_points=rows(ManifoldPoint),
    candidate_count=read(CandidateCount.current),
    shape_a=read(CandidatePair.a),
    shape_b=read(CandidatePair.b),
    between=read(CandidatePair.between),
    points=read(Manifold.count),
    passed=read(Manifold.passed),
    clearance=read(Manifold.clearance),
    position=read(ManifoldPointState.position),
    normal=read(ManifoldPointState.normal),
    separation=read(ManifoldPointState.separation),
    rest=read(ShapeGeometry.rest_offset),
    travel=read(ShapeBounds.travel),
    turned=read(ShapeMotion.turn),
    link=read(ShapeTopology.link),
    dof=read(ShapeTopology.dof),
    offset=read(ShapePose.offset),
    tree=read(LinkTopology.tree),
    point_shape=read(PointTopology.shape),
    plane=read(PointTopology.plane),
    plane_normal=read(GroundPlane.normal),
    near_plane=read(PointState.near),
    height=read(PointState.distance),
    arm=read(PointState.arm),
    dropped=update(Manifold.dropped),
    misses=update(Scratch.misses),
):
    """What shapes pass has no contact with them, unless they strike something else first, which may turn them there.

    A blow takes a body off its way by no more than what it stops of the way; twice that counts, since it turns, too.
    """
    used = 0
    for e in lanes:
        used = max(used, candidate_count[0, e])
        misses[0, e] = 0
    for n in range(used):  # hardly ever any
        for e in lanes:
            misses[0, e] |= 1 if (passed[n, e] > 0) & (n < candidate_count[0, e]) else 0
    for e in lanes:
        for n in range(candidate_count[0, e] if misses[0, e] == 1 else 0):
            if passed[n, e] > 0:
                a, b = shape_a[n, e], shape_b[n, e]
                tree_a = tree[link[a, e], e] if dof[a, e] >= 0 else -1
                tree_b = tree[link[b, e], e] if dof[b, e] >= 0 else -1
                width = manifold_points // candidates
                enough = 0.5 * clearance[n, e]
                most = 0.0
                m = 0
                while m < candidate_count[0, e] and most < enough:
                    i, j = shape_a[m, e], shape_b[m, e]
                    one, other = tree[max(link[i, e], 0), e], tree[max(link[j, e], 0), e]
                    mine = dof[i, e] >= 0 and (one == tree_a or one == tree_b)
                    mine = mine or (dof[j, e] >= 0 and (other == tree_a or other == tree_b))
                    for p in range(m * width, m * width + (points[m, e] - passed[m, e] if mine else 0)):
                        x, y, z = position[p, 0, e], position[p, 1, e], position[p, 2, e]
                        tx, ty, tz = cross(turned[i, 0, e], turned[i, 1, e], turned[i, 2, e], x, y, z)
                        ux, uy, uz = cross(
                            turned[j, 0, e], turned[j, 1, e], turned[j, 2, e],
                            x - between[m, 0, e], y - between[m, 1, e], z - between[m, 2, e],
                        )  # fmt: skip
                        nearer = nearer_along(
                            travel[i, 0, e], travel[i, 1, e], travel[i, 2, e], travel[j, 0, e], travel[j, 1, e],
                            travel[j, 2, e], tx, ty, tz, ux, uy, uz, normal[p, 0, e], normal[p, 1, e], normal[p, 2, e],
                        )  # fmt: skip
                        most = max(most, nearer - max(separation[p, e] - rest[i, e] - rest[j, e], 0.0))
                    m += 1
                p = 0
                while p < plane_points and most < enough:
                    if near_plane[p, e] == 1:
                        s, g = point_shape[p, 0], plane[p, 0]
                        one = tree[max(link[s, e], 0), e]
                        if one == tree_a or one == tree_b:
                            tx, ty, tz = cross(
                                turned[s, 0, e], turned[s, 1, e], turned[s, 2, e],
                                arm[p, 0, e] - offset[s, 0, e], arm[p, 1, e] - offset[s, 1, e],
                                arm[p, 2, e] - offset[s, 2, e],
                            )  # fmt: skip
                            nearer = nearer_along(
                                travel[s, 0, e], travel[s, 1, e], travel[s, 2, e], 0.0, 0.0, 0.0,
                                tx, ty, tz, 0.0, 0.0, 0.0,
                                plane_normal[g, 0, e], plane_normal[g, 1, e], plane_normal[g, 2, e],
                            )  # fmt: skip
                            most = max(most, nearer - max(height[p, e], 0.0))
                    p += 1
                if most < enough:
                    dropped[n, e] = passed[n, e]
