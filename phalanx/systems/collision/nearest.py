"""Where slots are too few: the nearest pairs of shapes and the nearest contacts are kept, for worlds that ask for it.

Both are chosen with a heap whose top is the farthest of those that are kept; what is nearer takes its place. Which are
kept depends on the environment's own shapes alone: ties go by the number of the pair, or by the order of contacts.
"""

from phalanx.components import (
    BarredPair,
    BarredPairKey,
    Candidate,
    CandidateCount,
    CandidatePair,
    Contact,
    ContactMotion,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
    PlanePair,
    PlanePairState,
    PlanePairTopology,
    PlanePoint,
    PointState,
    Settings,
    Shape,
    ShapeBounds,
    ShapeFilter,
    ShapeGeometry,
    ShapeOrder,
    ShapeTopology,
    Status,
)
from phalanx.ecs import function, read, rows, system, update
from phalanx.systems.collision.sweep_and_prune import is_barred, may_collide


@function
def farther(gap, key, other_gap, other_key):
    """Whether a pair comes behind another: by the gap, then by number."""
    return gap > other_gap or (gap == other_gap and key > other_key)


@system(phase="collide")
def keep_nearest_candidates(
    lanes,
    shapes=rows(Shape),
    slots=rows(Candidate),
    barred_count=rows(BarredPair),
    barred=read(BarredPairKey.key),
    along=read(Settings.sweep_axis),
    low=read(ShapeBounds.low),
    high=read(ShapeBounds.high),
    order=read(ShapeOrder.shape),
    kind=read(ShapeTopology.kind),
    yields=read(ShapeFilter.yields),
    part=read(ShapeFilter.part),
    selves=read(ShapeFilter.self_collision),
    group=read(ShapeFilter.group),
    mask=read(ShapeFilter.mask),
    count=update(CandidateCount.current),
    a=update(CandidatePair.a),
    b=update(CandidatePair.b),
    key=update(CandidatePair.key),
    gap=update(CandidatePair.reach),
):
    """If all slots are taken: of all near pairs those whose bounds overlap most along their least overlap."""
    axis = along[0, 0]
    for e in lanes:
        filled = 0
        for n in range(shapes if count[0, e] == slots else 0):
            s = order[n, e]
            m = n + 1
            while m < shapes and low[order[m, e], axis, e] <= high[s, axis, e]:
                t = order[m, e]
                m += 1
                i, j = min(s, t), max(s, t)
                wide = -1.0e30
                for k in range(3):
                    wide = max(wide, max(low[i, k, e], low[j, k, e]) - min(high[i, k, e], high[j, k, e]))
                name = i * shapes + j
                near = wide <= 0.0
                if near:
                    near = may_collide(
                        yields[i, 0], yields[j, 0], part[i, 0], part[j, 0], selves[i, 0], group[i, 0], group[j, 0],
                        mask[i, 0], mask[j, 0], kind[i, 0], kind[j, 0],
                    ) and not is_barred(barred, barred_count, name)  # fmt: skip
                if near and (filled < slots or farther(gap[0, e], key[0, e], wide, name)):
                    place = 0
                    if filled < slots:  # at the end, and up from there
                        place = filled
                        filled += 1
                        up = place > 0
                        while up:
                            above = (place - 1) // 2
                            up = farther(wide, name, gap[above, e], key[above, e])
                            if up:
                                gap[place, e], key[place, e] = gap[above, e], key[above, e]
                                a[place, e], b[place, e] = a[above, e], b[above, e]
                                place = above
                                up = place > 0
                    else:  # in place of the top, and down from there
                        down = True
                        while down:
                            child = 2 * place + 1
                            down = child < slots
                            if down:
                                if child + 1 < slots and farther(
                                    gap[child + 1, e], key[child + 1, e], gap[child, e], key[child, e]
                                ):
                                    child += 1
                                down = farther(gap[child, e], key[child, e], wide, name)
                                if down:
                                    gap[place, e], key[place, e] = gap[child, e], key[child, e]
                                    a[place, e], b[place, e] = a[child, e], b[child, e]
                                    place = child
                    swap = kind[i, 0] > kind[j, 0]
                    gap[place, e], key[place, e] = wide, name
                    a[place, e] = j if swap else i
                    b[place, e] = i if swap else j


@system(phase="collide")
def keep_nearest_contacts(
    lanes,
    slots=rows(Contact),
    plane_pairs=rows(PlanePair),
    plane_points=rows(PlanePoint),
    candidates=rows(Candidate),
    manifold_points=rows(ManifoldPoint),
    first=read(PlanePairTopology.first_point),
    end=read(PlanePairTopology.end_point),
    height=read(PointState.distance),
    candidate_count=read(CandidateCount.current),
    shape_a=read(CandidatePair.a),
    shape_b=read(CandidatePair.b),
    points=read(Manifold.count),
    separation=read(ManifoldPointState.separation),
    rest=read(ShapeGeometry.rest_offset),
    near=update(PointState.near),
    pair_near=update(PlanePairState.near),
    left_out=update(Manifold.dropped),
    heap=update(ContactMotion.gap),
    dropped=update(Status.contacts_dropped),
):
    """If there are more contacts than slots: those whose surfaces are nearest, or deepest in each other."""
    width = manifold_points // candidates if candidates > 0 else 0
    for e in lanes:
        last = candidate_count[0, e] if candidates > 0 else 0
        total = 0
        for pair in range(plane_pairs):
            total += pair_near[pair, e]
        for m in range(last):
            total += points[m, e] - (left_out[m, e] & 255)
        if total > slots:
            dropped[0, e] = max(dropped[0, e], total - slots)
            filled = 0
            ties = slots
            for turn in range(2):  # first the farthest distance that is kept, then what is farther goes
                for pair in range(plane_pairs + last):
                    of_plane = pair < plane_pairs
                    m = 0 if of_plane else pair - plane_pairs
                    begin = first[pair, 0] if of_plane else m * width
                    stop = end[pair, 0] if of_plane else begin
                    hidden = 0
                    gone = 0
                    if not of_plane:
                        gone = left_out[m, e] & 255
                        hidden = left_out[m, e] >> 8
                        shown = points[m, e] - gone  # of those that are not hidden, the first so many
                        while shown > 0:
                            shown -= 1 - ((hidden >> (stop - begin)) & 1)
                            stop += 1
                    covered = hidden
                    for p in range(begin, stop):
                        here = near[p, e] == 1 if of_plane else (covered >> (p - begin)) & 1 == 0
                        if here:
                            if of_plane:
                                far = height[p, e]
                            else:
                                far = separation[p, e] - (rest[shape_a[m, e], e] + rest[shape_b[m, e], e])
                            if turn == 0 and filled < slots:
                                place = filled
                                filled += 1
                                up = place > 0
                                while up:
                                    above = (place - 1) // 2
                                    up = far > heap[above, e]
                                    if up:
                                        heap[place, e] = heap[above, e]
                                        place = above
                                        up = place > 0
                                heap[place, e] = far
                            elif turn == 0 and slots > 0 and far < heap[0, e]:
                                place = 0
                                down = True
                                while down:
                                    child = 2 * place + 1
                                    down = child < slots
                                    if down:
                                        if child + 1 < slots and heap[child + 1, e] > heap[child, e]:
                                            child += 1
                                        down = heap[child, e] > far
                                        if down:
                                            heap[place, e] = heap[child, e]
                                            place = child
                                heap[place, e] = far
                            elif turn == 1:
                                kept = slots > 0 and far <= heap[0, e]
                                if kept and far == heap[0, e]:
                                    kept = ties > 0
                                    ties -= 1
                                if not kept and of_plane:
                                    near[p, e] = 0
                                    pair_near[pair, e] -= 1
                                elif not kept:
                                    hidden |= 1 << (p - begin)
                                    gone += 1
                    if turn == 1 and not of_plane:
                        left_out[m, e] = (hidden << 8) | gone
                if turn == 0:
                    for n in range(filled):
                        ties -= 1 if heap[n, e] < heap[0, e] else 0
