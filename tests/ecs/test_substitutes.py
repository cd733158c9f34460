"""Systems that stand in for others: where they come in a sequence, and where the others are still run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from phalanx.ecs import Component, Field, System, Table, read, real, rows, spread, system, update, write
from phalanx.ecs.declare import Access
from phalanx.ecs.errors import DeclarationError
from phalanx.ecs.sequences.fusion import TIMES, Rest
from phalanx.ecs.sequences.stand_ins import Exchange, Substitute, substituted
from phalanx.ecs.text.team_language import team_rank, team_system, variant

Cell = Table("cell", "cells of a battery")
Once = Table("once", "one row")


class CellCharge(Component, table=Cell):
    """What is in a cell."""

    value = Field(doc="charge")


class CellsLeft(Component, table=Once):
    """What is left to do."""

    here = Field(dtype="int32", doc="1: the others are to be run")
    turns = Field(dtype="int32", doc="turns so far")


def over_cells(name: str) -> System:
    names = {"spread": spread}
    text = f"def {name}(lanes, count, x):\n for i in spread(count):\n  for e in lanes:\n   x[i, e] += 1.0\n"
    exec(text, names)
    names[name].__phalanx_source__ = text  # type: ignore[attr-defined]
    arguments = {"count": rows(Cell), "x": update(CellCharge.value)}
    return System(names[name], None, "parallel", "sense", arguments=arguments, leading=("lanes",))  # type: ignore[arg-type]


START, WARM, FILL, DRAIN, OTHER, LIST, INSTEAD = map(
    over_cells, ("start", "warm", "fill", "drain", "other", "list_them", "instead")
)
SLOW, FAST, PAUSE = map(over_cells, ("slow", "fast", "pause"))


class CellRow(Component, table=Cell):
    """What is made for those that are stood in for."""

    value = Field(doc="a row")


@system(phase="sense")
def make_rows(lanes, count=rows(Cell), y=write(CellRow.value)):
    for i in spread(count):
        for e in lanes:
            y[i, e] = 1.0


@system(phase="sense")
def look_at_rows(lanes, count=rows(Cell), y=read(CellRow.value), x=update(CellCharge.value)):
    for i in spread(count):
        for e in lanes:
            x[i, e] += y[i, e]


def made(log: list[tuple[int, int, bool]]) -> Substitute:
    def instead(rows_of: object, times: int, bounces_at: int, absorbs: bool) -> list[System]:
        log.append((times, bounces_at, absorbs))
        return [INSTEAD]

    return Substitute(
        group=("fill", "drain"),
        between=("pause",),
        absorbed="warm",
        prepared=("make_rows",),
        beside=("make_rows",),
        apart="cells",
        replaced={"slow": FAST},
        prepare=lambda _: [LIST],
        instead=instead,
        rest=Rest(CellsLeft.here, CellsLeft.turns),
    )


def names_of(sequence: list[System]) -> tuple[list[str], list[tuple[int, int, bool]]]:
    log: list[tuple[int, int, bool]] = []
    return [s.name for s in substituted(sequence, made(log), lambda table: 1)], log


def test_what_is_made_for_the_rest_runs_beside_what_stands_in() -> None:
    found = substituted([SLOW, make_rows, START, WARM, FILL, DRAIN], made([]), lambda table: 1)
    again = substituted([SLOW, make_rows, START, WARM, FILL, DRAIN], made([]), lambda table: 1)
    (rest,) = [one for one in found if one.name == "make_rows_elsewhere"]
    assert rest.apart == "cells" and rest in again  # one system, or it would be compiled anew


PREPARED = ["fast", "list_them", "make_rows_elsewhere"]
DONE = ["start", "instead", "fill_and_3_more"]


def test_turns_are_taken_over_with_what_comes_between_and_prepared_once() -> None:
    found, log = names_of([SLOW, make_rows, START, WARM, *[FILL, DRAIN] * 4, PAUSE, FILL, DRAIN, OTHER])
    assert found == [*PREPARED, *DONE, "other"]
    assert log == [(5, 4, True)]


def test_what_comes_otherwise_is_not_absorbed() -> None:
    found, log = names_of([make_rows, START, WARM, OTHER, FILL, DRAIN, PAUSE])
    assert found == [*PREPARED[1:], "start", "warm", "other", "instead", "fill_and_1_more", "pause"]
    assert log == [(1, -1, False)]
    found, log = names_of([make_rows, START, FILL, DRAIN, OTHER, PAUSE, FILL, DRAIN])
    assert found == [
        *(*PREPARED[1:], "start", "instead", "fill_and_1_more", "other", "pause"),
        *("instead", "fill_and_1_more"),
    ]
    assert log == [(1, -1, False)] * 2


def test_each_substep_is_prepared_anew() -> None:
    found, log = names_of([SLOW, make_rows, START, WARM, FILL, DRAIN, PAUSE, FILL, DRAIN, OTHER] * 2)
    assert found == [*PREPARED, *DONE, "other"] * 2
    assert log == [(2, 1, True)] * 2


def test_what_is_replaced_is_there_when_things_are_prepared() -> None:
    found, log = names_of([make_rows, OTHER, SLOW, START, WARM, FILL, DRAIN, SLOW])
    assert found == ["other", *PREPARED, "start", "instead", "fill_and_2_more", "fast"]
    assert log == [(1, -1, True)]


@pytest.mark.parametrize("reader", [0, 1, 2])
def test_rows_that_others_read_are_made_everywhere(reader: int) -> None:
    sequence = [make_rows, START, FILL, DRAIN, OTHER]
    sequence.insert((1, 2, 5)[reader], look_at_rows)
    found, _ = names_of(sequence)
    assert "make_rows" in found and "make_rows_elsewhere" not in found
    assert found.index("make_rows") < found.index("list_them") < found.index("instead")
    assert found.index("look_at_rows") > found.index("make_rows")


def test_other_sequences_stay_as_they_are() -> None:
    for sequence in ([SLOW, make_rows, START, WARM, FILL, OTHER, DRAIN], [START, WARM, FILL, DRAIN], [PAUSE]):
        found, log = names_of(sequence)
        assert found == [s.name for s in sequence] and log == []


def test_the_rest_is_run_where_it_is_asked_for_and_turns_are_counted_everywhere() -> None:
    rest = substituted([make_rows, *[FILL, DRAIN] * 3], made([]), lambda table: 1)[-1]
    assert rest.arguments[TIMES].target == 3
    fields = {a.target: a.mode for a in rest.field_arguments.values()}
    assert fields == {CellsLeft.here: "read", CellsLeft.turns: "update", CellCharge.value: "update"}


@team_system(phase="sense", each=Cell, size=8)
def by_rank(lanes, x=update(CellCharge.value)):
    for e in lanes:
        x[team_rank(SIZE), e] = 1.0


@system(phase="sense", over=Cell)
def ranked(i, e, x=update(CellCharge.value)):
    x[i, e] = real(team_rank(8))


SIZE = 8


def test_variants_have_their_own_constants_and_cpus_refuse_them() -> None:
    from phalanx.ecs.text.codegen import generate

    large = variant(by_rank, "by_larger_rank", 32, SIZE=32)
    assert (large.name, large.team_size, by_rank.team_size) == ("by_larger_rank", 32, 8)
    texts = [generate(one, frozenset(), "float32", "cuda").source for one in (by_rank, large)]
    assert "SIZE = 8" in texts[0] and "SIZE = 32" in texts[1]
    with pytest.raises(DeclarationError, match="by_rank is written for teams of GPU threads"):
        generate(by_rank, frozenset(), "float32", "cpu")
    assert isinstance(large.arguments["x"], Access)
    with pytest.raises(DeclarationError, match="by_any: by_rank has no constants WIDTH"):
        variant(by_rank, "by_any", 32, WIDTH=3)
    for target in ("cpu", "cuda"):
        with pytest.raises(DeclarationError, match=r"ranked: team_rank\(\) is for systems that are made by @"):
            generate(ranked, frozenset(), "float32", target)


def exchanged(sequence: list[System], serves: bool = True) -> list[str]:
    exchange = Exchange(
        ("make_rows", "look_at_rows"), lambda rows_of: INSTEAD if serves and rows_of(Cell) == 1 else None
    )
    return [s.name for s in substituted(sequence, exchange, lambda table: 1)]


def test_a_group_is_exchanged_where_its_last_system_is() -> None:
    assert exchanged([SLOW, make_rows, FILL, look_at_rows, OTHER]) == ["slow", "fill", "instead", "other"]


def test_what_cannot_be_exchanged_stays() -> None:
    whole = [SLOW, make_rows, look_at_rows, OTHER]
    assert exchanged(whole, serves=False) == [s.name for s in whole]
    assert exchanged([SLOW, look_at_rows]) == ["slow", "look_at_rows"]
    reader = replace(look_at_rows, function=OTHER.function)
    assert exchanged([*whole[:3], reader]) == ["slow", "make_rows", "look_at_rows", "other"]
