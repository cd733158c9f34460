"""Which kernels of a sequence may run at the same time, and on which streams, from what each reads and writes.

Kernels with a thread for each environment leave most of a GPU idle; what neither needs the other's results can run
beside it, collision detection beside the mass matrix, say. Results do not depend on it. Measured in
docs/decisions/0024-branches-and-fusion.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Use:
    """What one kernel does with memory: the blocks that it reads, and those that it writes (it may read them, too).

    Kernels that have ``apart`` in common never meet in one place of a block; but each meets itself, a step later.
    """

    reads: frozenset[int]
    writes: frozenset[int]
    apart: str = ""

    def clashes(self, earlier: Use) -> bool:
        """Whether it must wait for an earlier one."""
        if self.apart and self.apart == earlier.apart and self is not earlier:
            return False
        return bool(earlier.writes & (self.reads | self.writes) or earlier.reads & self.writes)


@dataclass(frozen=True)
class Turn:
    """Where a kernel of a sequence is queued.

    ``stream`` is a number from 0; ``waits`` are earlier kernels, on other streams, that must have ended.
    """

    stream: int
    waits: tuple[int, ...]


def blocks(spans: Iterable[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """A number for each span (first byte, one past the last) of memory, the same for spans that overlap."""
    found: dict[tuple[int, int], int] = {}
    reached, number = 0, -1
    for span in sorted(set(spans)):
        if span[0] >= reached:
            number += 1
        reached = max(reached, span[1])
        found[span] = number
    return found


def turns(uses: Sequence[Use]) -> list[Turn]:
    """Where to queue each kernel, so that those that clash over memory keep their order and no others need to.

    A kernel goes to a stream whose last kernel it must wait for anyway, the latest of them, or to a new one.
    """
    last: list[int] = []  # the last kernel of each stream
    found: list[Turn] = []
    for i, (needed, direct) in enumerate(_needed(uses)):
        free = [s for s, j in enumerate(last) if j in needed]
        stream = max(free, key=lambda s: last[s], default=len(last))
        if stream == len(last):
            last.append(i)
        on_stream = {last[stream]} if free else set()
        found.append(Turn(stream, tuple(j for j in direct if j not in on_stream)))
        last[stream] = i
    return found


def _needed(uses: Sequence[Use]) -> list[tuple[set[int], list[int]]]:
    """For each kernel, all earlier ones that must have ended, and of those the ones that none of the others needs."""
    found: list[tuple[set[int], list[int]]] = []
    for i, use in enumerate(uses):
        needed: set[int] = set()
        direct: list[int] = []
        for j in range(i - 1, -1, -1):
            if j not in needed and use.clashes(uses[j]):
                needed |= {j} | found[j][0]
                direct.insert(0, j)
        found.append((needed, direct))
    return found


def ends(plan: Sequence[Turn]) -> tuple[int, ...]:
    """The last kernel of each stream: what must have ended for the whole sequence to have."""
    return tuple({turn.stream: i for i, turn in enumerate(plan)}.values())
