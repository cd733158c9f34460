"""Near pairs on the GPU, a warp for each environment: in place of a flag for each pair and a thread that reads them.

Bounds of all shapes are in the memory of the block. Each thread tests a pair; votes say where in the list those that
are near belong, so it is in the order of pairs.
"""

from __future__ import annotations

from phalanx.components import (
    AllowedPair,
    Candidate,
    CandidateCount,
    CandidatePair,
    PairTopology,
    Shape,
    ShapeBounds,
    Status,
    World,
)
from phalanx.ecs import System, read, rows, update, write
from phalanx.ecs.declare import block_memory
from phalanx.ecs.sequences.stand_ins import Exchange, Rows
from phalanx.ecs.text.team_language import (
    THREADS,
    count_bits,
    team_ballot,
    team_rank,
    team_slot,
    team_system,
    team_wait,
)

MOST_SHAPES = 128
"""Shapes whose bounds have room in the memory of a block, for each of its warps."""

BOUNDS = 6 * MOST_SHAPES
BLOCK = BOUNDS * THREADS // 32


@team_system(phase="collide", each=World, size=32)
def list_near_pairs(
    lanes,
    shapes=rows(Shape),
    pairs=rows(AllowedPair),
    slots=rows(Candidate),
    low=read(ShapeBounds.low),
    high=read(ShapeBounds.high),
    shape_a=read(PairTopology.a),
    shape_b=read(PairTopology.b),
    count=write(CandidateCount.current),
    a=write(CandidatePair.a),
    b=write(CandidatePair.b),
    key=write(CandidatePair.key),
    dropped=update(Status.candidates_dropped),
):
    """Pairs whose bounds overlap, in the order of pairs."""
    for e in lanes:
        rank = team_rank(32)
        bounds = block_memory(BLOCK)
        own = BOUNDS * team_slot(32)
        for s in range(rank, shapes, 32):
            for k in range(3):
                bounds[own + MOST_SHAPES * k + s] = low[s, k, e]
                bounds[own + MOST_SHAPES * (3 + k) + s] = high[s, k, e]
        team_wait(32)
        filled = 0
        for first in range(0, pairs, 32):
            p = min(first + rank, pairs - 1)
            i, j = shape_a[p, 0], shape_b[p, 0]
            near = first + rank < pairs
            for k in range(3):
                low_i, high_i = bounds[own + MOST_SHAPES * k + i], bounds[own + MOST_SHAPES * (3 + k) + i]
                low_j, high_j = bounds[own + MOST_SHAPES * k + j], bounds[own + MOST_SHAPES * (3 + k) + j]
                near = near & (low_i <= high_j) & (low_j <= high_i)
            votes = team_ballot(32, near)
            slot = filled + count_bits(votes & ((1 << rank) - 1))
            if near and slot < slots:
                a[slot, e] = i
                b[slot, e] = j
                key[slot, e] = p
            filled += count_bits(votes)
        if rank == 0:
            count[0, e] = min(filled, slots)
            dropped[0, e] = max(dropped[0, e], filled - slots)


def _instead(rows: Rows) -> System | None:
    return list_near_pairs if rows(Shape) <= MOST_SHAPES else None


EXCHANGE = Exchange(("near_pairs", "list_candidates"), _instead)
