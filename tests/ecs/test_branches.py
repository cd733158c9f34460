"""Kernels side by side: those that clash over memory keep their order, whatever streams they go to."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from phalanx.ecs.cuda.streams import Turn, Use, blocks, ends, turns

BLOCKS = st.frozensets(st.integers(0, 5), max_size=3)
USES = st.lists(st.builds(Use, BLOCKS, BLOCKS), max_size=12)


def ended_before(plan: list[Turn]) -> list[set[int]]:
    """For each kernel, which others streams and waits let end before it starts."""
    found: list[set[int]] = []
    last: dict[int, int] = {}
    for i, turn in enumerate(plan):
        known: set[int] = set()
        for j in (*turn.waits, *([last[turn.stream]] if turn.stream in last else [])):
            known |= {j} | found[j]
        found.append(known)
        last[turn.stream] = i
    return found


def clash(a: Use, b: Use) -> bool:
    return bool(a.writes & (b.reads | b.writes) or a.reads & b.writes)


@given(USES)
@example(
    [Use(frozenset({0}), frozenset({1})), Use(frozenset({0}), frozenset({2})), Use(frozenset({1, 2}), frozenset())]
)
def test_what_clashes_keeps_its_order_and_nothing_else_waits(uses: list[Use]) -> None:
    plan = turns(uses)
    found = ended_before(plan)
    wanted: list[set[int]] = []
    for i, use in enumerate(uses):
        clashing = {j for j in range(i) if clash(uses[j], use)}
        wanted.append(clashing.union(*(wanted[j] for j in clashing)))
    assert found == wanted


@given(USES)
def test_streams_are_numbered_and_waits_look_back(uses: list[Use]) -> None:
    plan = turns(uses)
    seen = 0
    for i, turn in enumerate(plan):
        assert turn.stream <= seen
        seen = max(seen, turn.stream + 1)
        assert all(j < i and plan[j].stream != turn.stream for j in turn.waits)
    assert sorted(plan[i].stream for i in ends(plan)) == list(range(seen))


def test_what_is_alone_has_a_branch_of_its_own() -> None:
    """Two kernels that read the same, then one that needs both: two streams, and one wait."""
    read, both = frozenset({0}), frozenset({1, 2})
    plan = turns([Use(read, frozenset({1})), Use(read, frozenset({2})), Use(both, frozenset({3}))])
    assert plan == [Turn(0, ()), Turn(1, ()), Turn(1, (0,))]


def test_what_is_apart_runs_side_by_side() -> None:
    """Two kernels that share out the rows of one field, before and after one that goes over all of it."""
    block = frozenset({0})
    small, large, whole = Use(block, block, "parts"), Use(block, frozenset({0, 1}), "parts"), Use(block, block)
    assert turns([small, large]) == [Turn(0, ()), Turn(1, ())]
    assert turns([whole, small, large, whole])[1:] == [Turn(0, ()), Turn(1, (0,)), Turn(1, (1,))]
    assert turns([small, small]) == [Turn(0, ()), Turn(0, ())], "the same kernel again"
    alike = Use(block, block, "parts")
    assert turns([small, alike, whole] * 2)[:4] == [Turn(0, ()), Turn(1, ()), Turn(1, (0,)), Turn(1, ())]


def test_memory_that_overlaps_is_one_block() -> None:
    found = blocks([(0, 8), (4, 12), (12, 16), (20, 24), (0, 8)])
    assert found[(0, 8)] == found[(4, 12)]
    assert len({found[(0, 8)], found[(12, 16)], found[(20, 24)]}) == 3
