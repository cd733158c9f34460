"""Contacts with what shapes pass are left out, unless a shape may meet it after all.

It may where it strikes something else first, and where it is held over what it passes: what rests is expected to go on
as it is held, but what holds it may end in this substep. A contact that does not act on the expected way, but would
on the way of a free fall from here, is kept.
"""

from phalanx.components import (
    Candidate,
    CandidateCount,
    CandidatePair,
    DofState,
    GroundPlane,
    LinkTopology,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
    PlanePoint,
    PointState,
    PointTopology,
    Scratch,
    Settings,
    ShapeBounds,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
)
from phalanx.components.link import FREE
from phalanx.ecs import function, read, rows, system, update
from phalanx.maths.kernels import cross

KEPT = -1.0
"""In place of the clearance of what is passed, where its contacts are kept."""


@function
def nearer_along(ax, ay, az, bx, by, bz, tx, ty, tz, ux, uy, uz, nx, ny, nz):
    """What contact points on a and on b come nearer along the normal n in a substep, m.

    Args:
        a, b: ways of the origins of the shapes.
        t, u: what their rotations add.
    """
    return -((ax - bx + tx - ux) * nx + (ay - by + ty - uy) * ny + (az - bz + tz - uz) * nz)


@function
def falls_beyond(h, gx, gy, gz, bx, by, bz):
    """Where a free fall leads in a substep, from where the acceleration b of the last one does, m.

    See :func:`~.broad_phase.shape_bounds`: more than twice gravity's acceleration is not expected to go on.
    """
    even = 1.0 if bx * bx + by * by + bz * bz <= 4.0 * (gx * gx + gy * gy + gz * gz) else 0.0
    return h * h * (gx - even * bx), h * h * (gy - even * by), h * h * (gz - even * bz)


@system(phase="collide", needs=Candidate)
def drop_near_misses(
    lanes,
    h=read(Settings.timestep),
    gravity=read(Settings.gravity),
    plane_points=rows(PlanePoint),
    candidates=rows(Candidate),
    manifold_points=rows(ManifoldPoint),
    candidate_count=read(CandidateCount.current),
    shape_a=read(CandidatePair.a),
    shape_b=read(CandidatePair.b),
    between=read(CandidatePair.between),
    points=read(Manifold.count),
    passed=read(Manifold.passed),
    clearance=update(Manifold.clearance),
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
    root=read(LinkTopology.root),
    joint_type=read(LinkTopology.joint_type),
    first_dof=read(LinkTopology.first_dof),
    acceleration=read(DofState.acceleration),
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
    Where contacts with what is passed are kept, ``KEPT`` is the clearance.
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
                fx, fy, fz = 0.0, 0.0, 0.0
                for side in range(2):
                    s = a if side == 0 else b
                    r = root[max(link[s, e], 0), e]
                    if dof[s, e] >= 0 and joint_type[r, e] == FREE:
                        f = first_dof[r, e]
                        x, y, z = falls_beyond(
                            h[0, e], gravity[0, 0, e], gravity[0, 1, e], gravity[0, 2, e],
                            acceleration[f, e], acceleration[f + 1, e], acceleration[f + 2, e],
                        )  # fmt: skip
                        sign = 1.0 if side == 0 else -1.0
                        fx, fy, fz = fx + sign * x, fy + sign * y, fz + sign * z
                strikes = False
                falls = False
                for p in range(n * width + points[n, e] - passed[n, e], n * width + points[n, e]):
                    x, y, z = position[p, 0, e], position[p, 1, e], position[p, 2, e]
                    tx, ty, tz = cross(turned[a, 0, e], turned[a, 1, e], turned[a, 2, e], x, y, z)
                    ux, uy, uz = cross(
                        turned[b, 0, e], turned[b, 1, e], turned[b, 2, e],
                        x - between[n, 0, e], y - between[n, 1, e], z - between[n, 2, e],
                    )  # fmt: skip
                    nx, ny, nz = normal[p, 0, e], normal[p, 1, e], normal[p, 2, e]
                    left = separation[p, e] - rest[a, e] - rest[b, e] - nearer_along(
                        travel[a, 0, e], travel[a, 1, e], travel[a, 2, e], travel[b, 0, e], travel[b, 1, e],
                        travel[b, 2, e], tx, ty, tz, ux, uy, uz, nx, ny, nz,
                    )  # fmt: skip
                    strikes = strikes or left < 0.0
                    falls = falls or left + fx * nx + fy * ny + fz * nz < 0.0
                most = enough if falls and not strikes else 0.0
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
                else:
                    clearance[n, e] = KEPT
