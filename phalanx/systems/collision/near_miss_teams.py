"""Near misses on the GPU, a warp for the few candidates that are passed: in place of a thread for each candidate.

Hardly any are (0.005 of 24 of a humanoid that falls), and what a thread looks through alone comes load by load, each
of which waits for the one before. Here the threads of a warp look for what is passed among 32 candidates; for each of
those they look through all candidates and points of planes, one each. A vote says whether any of them strikes first.
"""

from __future__ import annotations

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
    Settings,
    ShapeBounds,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
)
from phalanx.components.link import FREE
from phalanx.ecs import read, rows, update
from phalanx.ecs.sequences.stand_ins import Exchange
from phalanx.ecs.text.team_language import lowest_bit, team_ballot, team_count, team_rank, team_row, team_system
from phalanx.maths.kernels import cross
from phalanx.systems.collision.near_misses import KEPT, falls_beyond, nearer_along


@team_system(phase="collide", each=Candidate, size=32, apiece=32)
def drop_what_is_passed(
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
):
    """See :func:`~.near_misses.drop_near_misses`: the same numbers, compared in another order."""
    for e in lanes:
        rank = team_rank(32)
        last = candidate_count[0, e]
        width = manifold_points // candidates
        first = 32 * team_row()
        while first < last:
            n = min(first + rank, last - 1)
            votes = team_ballot(32, (passed[n, e] > 0) & (first + rank < last))
            while votes != 0:
                n = first + lowest_bit(votes)
                votes &= votes - 1
                a, b = shape_a[n, e], shape_b[n, e]
                enough = 0.5 * clearance[n, e]
                tree_a = tree[max(link[a, e], 0), e] if dof[a, e] >= 0 else -1
                tree_b = tree[max(link[b, e], 0), e] if dof[b, e] >= 0 else -1
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
                strikes, falls = 0, 0
                p = n * width + points[n, e] - passed[n, e] + rank
                if rank < passed[n, e]:
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
                    strikes = 1 if left < 0.0 else 0
                    falls = 1 if left + fx * nx + fy * ny + fz * nz < 0.0 else 0
                strike_votes = team_ballot(32, strikes == 1)
                fall_votes = team_ballot(32, falls == 1)
                held = (fall_votes != 0) & (strike_votes == 0)
                most = 0.0
                for m in range(rank, last, 32):
                    i, j, found = shape_a[m, e], shape_b[m, e], points[m, e] - passed[m, e]
                    one, other = tree[max(link[i, e], 0), e], tree[max(link[j, e], 0), e]
                    mine = (dof[i, e] >= 0) & ((one == tree_a) | (one == tree_b))
                    mine = mine | ((dof[j, e] >= 0) & ((other == tree_a) | (other == tree_b)))
                    for p in range(m * width, m * width + (found if mine else 0)):
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
                for p in range(rank, plane_points, 32):
                    s, g = point_shape[p, 0], plane[p, 0]
                    one = tree[max(link[s, e], 0), e]
                    if (near_plane[p, e] == 1) & ((one == tree_a) | (one == tree_b)):
                        tx, ty, tz = cross(
                            turned[s, 0, e], turned[s, 1, e], turned[s, 2, e],
                            arm[p, 0, e] - offset[s, 0, e], arm[p, 1, e] - offset[s, 1, e],
                            arm[p, 2, e] - offset[s, 2, e],
                        )  # fmt: skip
                        nearer = nearer_along(
                            travel[s, 0, e], travel[s, 1, e], travel[s, 2, e], 0.0, 0.0, 0.0, tx, ty, tz, 0.0, 0.0, 0.0,
                            plane_normal[g, 0, e], plane_normal[g, 1, e], plane_normal[g, 2, e],
                        )  # fmt: skip
                        most = max(most, nearer - max(height[p, e], 0.0))
                struck = team_ballot(32, most >= enough)
                kept = held | (struck != 0)
                if rank == 0:
                    dropped[n, e] = 0 if kept else passed[n, e]
                    clearance[n, e] = KEPT if kept else clearance[n, e]
            first += 32 * team_count()


EXCHANGE = Exchange(("drop_near_misses",), lambda rows: drop_what_is_passed)
