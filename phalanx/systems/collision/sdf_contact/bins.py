"""Of many contact points a few: sorted by where their normals point, the outermost of each sort and the deepest.

Six sorts of normals, along and against each axis of the mesh with the field; of each the point that lies farthest in
each of four directions across it, and the deepest one. Directions and points are fixed to the mesh, so the same points
are chosen from step to step. What is left goes through the choice of points for triangle meshes.
"""

import math

from phalanx.ecs import function
from phalanx.systems.collision.mesh_contact.patch import add_point, thin_patch

BINS = 241
"""Numbers in the scratch array: position, normal, separation, score of 5 points of 6 sorts; weight of depth."""

_COSINE = 0.9396926207859084
_SINE = 0.3420201433256687
_DEPTH = 20.0
"""A point that lies farther out by this many times what it is less deep counts as much; by fewer times where the shapes
move fast, and points that are apart now meet in this substep."""
_FAST = 100.0
_BEYOND = 0.05
"""Points that are farther apart than this part of the size, and than the shapes move, are left out."""
_DEEPER = 1e-4
"""The deepest point counts if it is deeper than the others by this part of the size: else rounding would choose it."""


@function
def clear_bins(bins, size, way):
    """Empty all.

    Args:
        size: length of the shapes, m.
        way: m, how far they may move in this substep.
    """
    for o in range(7, BINS - 1, 8):
        bins[o] = -math.inf
    bins[BINS - 1] = depth_weight(size, way)


@function
def depth_weight(size, way):
    """How much a difference in depth counts against one in place."""
    return _DEPTH / (1.0 + _FAST * way / size)


@function
def useful_reach(reach, way, rest, size, place):
    """Distance (m) beyond which contact points are of no use: less than the shapes' contact offsets would have it.

    Where the shapes' poses are no numbers it is minus infinity: minima and maxima of a GPU pass over a NaN, so nothing
    later would tell.

    Args:
        reach: CandidatePair.reach.
        way: as for :func:`clear_bins`.
        rest: sum of the shapes' rest offsets, m.
        size: as for :func:`clear_bins`.
        place: 12 numbers, how the shapes lie to each other.
    """
    total = 0.0
    for k in range(12):
        total += place[k]
    if total - total != 0.0:
        return -math.inf
    return min(reach, rest + 2.0 * way + _BEYOND * size)


@function
def add_to_bins(bins, x, y, z, nx, ny, nz, separation):
    """Keep a point if it is farther out, or deeper, than those of its sort."""
    # Weighted, so that no sort ends at half a right angle, where normals of machined parts are.
    ax = math.fabs(nx)
    ay = 1.07 * math.fabs(ny)
    az = 1.16 * math.fabs(nz)
    sort = 0 if nx > 0.0 else 1
    p = y
    q = z
    if ay > ax and ay >= az:
        sort = 2 if ny > 0.0 else 3
        p = z
        q = x
    elif az > ax:
        sort = 4 if nz > 0.0 else 5
        p = x
        q = y
    one = _COSINE * p + _SINE * q
    other = _COSINE * q - _SINE * p
    for k in range(5):
        score = -bins[BINS - 1] * separation
        if k == 1:
            score += one
        elif k == 2:
            score += other
        elif k == 3:
            score -= one
        elif k == 4:
            score -= other
        o = 8 * (5 * sort + k)
        if score > bins[o + 7]:
            bins[o] = x
            bins[o + 1] = y
            bins[o + 2] = z
            bins[o + 3] = nx
            bins[o + 4] = ny
            bins[o + 5] = nz
            bins[o + 6] = separation
            bins[o + 7] = score


@function
def bins_to_patch(bins, patch, size):
    """The points of a manifold, in ``patch`` (:mod:`phalanx.systems.collision.mesh_contact.patch`).

    Args:
        size: length of the shapes, m.

    Returns:
        how many there are.
    """
    count = 0
    for first in range(0, BINS - 1, 40):
        least = math.inf
        for o in range(first + 8, first + 40, 8):
            if bins[o + 7] > -math.inf:
                least = min(least, bins[o + 6])
        for k in range(5):
            o = first + 8 * ((k + 1) % 5)  # the deepest last
            if bins[o + 7] > -math.inf and (k < 4 or bins[o + 6] < least - _DEEPER * size):
                count = add_point(
                    patch, count, bins[o], bins[o + 1], bins[o + 2], bins[o + 3], bins[o + 4], bins[o + 5],
                    bins[o + 6], bins[o + 6], size,
                )  # fmt: skip
    return thin_patch(patch, count, size)
