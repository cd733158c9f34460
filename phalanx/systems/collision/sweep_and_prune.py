"""Near pairs among many shapes: bounds sorted along one axis, and each compared with those that it overlaps there.

For worlds with more allowed pairs than are worth testing one by one. The order is kept between substeps, so sorting
costs little; it is unique (ties go by number), so it does not depend on where it came from. Candidates are put into the
order of pairs at the end, as the solver's order must not depend on where things are.
"""

from phalanx.components import (
    BarredPair,
    BarredPairKey,
    Candidate,
    CandidateCount,
    CandidatePair,
    Settings,
    Shape,
    ShapeBounds,
    ShapeFilter,
    ShapeOrder,
    ShapeTopology,
    Status,
)
from phalanx.components.shape import PLANE, is_surface
from phalanx.ecs import function, read, rows, system, update, write


@system(phase="collide")
def sort_bounds(
    lanes,
    shapes=rows(Shape),
    along=read(Settings.sweep_axis),
    low=read(ShapeBounds.low),
    order=update(ShapeOrder.shape),
):
    """Insertion sort by the lower bound along the axis."""
    k = along[0, 0]
    for e in lanes:
        for i in range(1, shapes):
            s = order[i, e]
            x = low[s, k, e]
            j = i
            while j > 0 and (
                low[order[j - 1, e], k, e] > x or (low[order[j - 1, e], k, e] == x and order[j - 1, e] > s)
            ):
                order[j, e] = order[j - 1, e]
                j -= 1
            order[j, e] = s


@function
def may_collide(moves_a, moves_b, part_a, part_b, selves, group_a, group_b, mask_a, mask_b, kind_a, kind_b):
    """All filters but the list of barred pairs."""
    yields = moves_a == 1 or moves_b == 1
    wanted = (mask_a >> group_b) & 1 == 1 and (mask_b >> group_a) & 1 == 1
    apart = part_a != part_b or selves == 1
    solid = kind_a != PLANE and kind_b != PLANE and not (is_surface(kind_a) and is_surface(kind_b))
    return yields and wanted and apart and solid


@function
def is_barred(keys, count, key):
    """Whether a pair is in the sorted list of barred ones."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) // 2
        if keys[middle, 0] < key:
            low = middle + 1
        else:
            high = middle
    return low < count and keys[low, 0] == key


@system(phase="collide")
def sweep_bounds(
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
    count=write(CandidateCount.current),
    a=write(CandidatePair.a),
    b=write(CandidatePair.b),
    key=write(CandidatePair.key),
    dropped=update(Status.candidates_dropped),
):
    """Pairs whose bounds overlap along all axes and that no filter forbids."""
    k = along[0, 0]
    ky, kz = (k + 1) % 3, (k + 2) % 3
    for e in lanes:
        filled = 0
        missing = 0
        for n in range(shapes):
            s = order[n, e]
            m = n + 1
            while m < shapes and low[order[m, e], k, e] <= high[s, k, e]:
                t = order[m, e]
                m += 1
                y = low[s, ky, e] <= high[t, ky, e] and low[t, ky, e] <= high[s, ky, e]
                z = low[s, kz, e] <= high[t, kz, e] and low[t, kz, e] <= high[s, kz, e]
                if y and z:
                    i, j = min(s, t), max(s, t)
                    may = may_collide(
                        yields[i, 0],
                        yields[j, 0],
                        part[i, 0],
                        part[j, 0],
                        selves[i, 0],
                        group[i, 0],
                        group[j, 0],
                        mask[i, 0],
                        mask[j, 0],
                        kind[i, 0],
                        kind[j, 0],
                    )
                    if may and not is_barred(barred, barred_count, i * shapes + j):
                        if filled < slots:
                            swap = kind[i, 0] > kind[j, 0]
                            a[filled, e] = j if swap else i
                            b[filled, e] = i if swap else j
                            key[filled, e] = i * shapes + j
                            filled += 1
                        else:
                            missing += 1
        count[0, e] = filled
        dropped[0, e] = max(dropped[0, e], missing)


@system(phase="collide")
def sort_candidates(
    lanes,
    count=read(CandidateCount.current),
    a=update(CandidatePair.a),
    b=update(CandidatePair.b),
    key=update(CandidatePair.key),
):
    """Heap sort by pair."""
    for e in lanes:
        n = count[0, e]
        for turn in range(n // 2 + max(n - 1, 0)):
            start = n // 2 - 1 - turn
            size = n
            if start < 0:  # the heap stands: its top, the largest, goes to the end
                size = n - 1 - (turn - n // 2)
                start = 0
                key[0, e], key[size, e] = key[size, e], key[0, e]
                a[0, e], a[size, e] = a[size, e], a[0, e]
                b[0, e], b[size, e] = b[size, e], b[0, e]
            i = start
            down = True
            while down:
                child = 2 * i + 1
                down = False
                if child < size:
                    if child + 1 < size and key[child + 1, e] > key[child, e]:
                        child += 1
                    if key[child, e] > key[i, e]:
                        key[i, e], key[child, e] = key[child, e], key[i, e]
                        a[i, e], a[child, e] = a[child, e], a[i, e]
                        b[i, e], b[child, e] = b[child, e], b[i, e]
                        i = child
                        down = True
