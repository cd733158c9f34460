"""Spread loops that threads could not share soundly: each is refused, with a reason."""

from __future__ import annotations

import pytest

from phalanx.ecs import Component, DeclarationError, Field, System, Table, read, rows, spread, system, update, write
from phalanx.ecs.text import codegen

Span = Table("span", "spans of a cable")
Mast = Table("mast", "where they end")


class Cable(Component, table=Span):
    """What a span carries."""

    weight = Field(unit="N", doc="its own weight", role="parameter")
    carried = Field(unit="N", doc="with all before it")
    share = Field(2, doc="part of the whole, and of what is left")
    first = Field(dtype="int32", doc="where its section starts", constant=True)
    found = Field(dtype="int32", doc="how many are heavy so far")


class CableSums(Component, table=Mast):
    """What one system needs while it runs."""

    own = Field(2, unit="N", doc="sum of what is carried, and of its squares", private=True)


@system(phase="sense")
def decided_by_what_it_stores(lanes, count=rows(Span), carried=update(Cable.carried)):
    far = 0
    for i in range(count - 1):
        for e in lanes:
            far = 1 if carried[i, e] > 0.0 else far
            carried[i + 1, e] = carried[i, e]
    if far == 1:
        for i in spread(count):
            for e in lanes:
                carried[i, e] = 0.0


@system(phase="sense")
def out_of_date(lanes, count=rows(Span), carried=update(Cable.carried), share=write(Cable.share)):
    for i in range(count - 1):
        for e in lanes:
            head = carried[i, e]
            carried[i + 1, e] = head
    for i in spread(count):
        for e in lanes:
            share[i, 0, e] = head


@system(phase="sense")
def out_of_date_register(lanes, count=rows(Span), carried=update(Cable.carried), own=update(CableSums.own)):
    for i in range(count - 1):
        for e in lanes:
            own[0, 0, e] = carried[i, e]
            carried[i + 1, e] = 0.0
    for i in spread(count):
        for e in lanes:
            carried[i, e] = own[0, 0, e]


@system(phase="sense")
def bounds_from_what_it_stores(lanes, found=update(Cable.found)):
    for i in spread(found[0, lanes[0]]):
        for e in lanes:
            found[i, e] = i


@system(phase="sense")
def all_to_one(lanes, count=rows(Span), weight=read(Cable.weight), carried=write(Cable.carried)):
    for i in spread(count):
        for e in lanes:
            carried[0, e] = weight[i, e]


@system(phase="sense")
def largest(lanes, count=rows(Span), weight=read(Cable.weight), carried=update(Cable.carried)):
    for i in spread(count):
        for e in lanes:
            carried[0, e] *= weight[i, e]


@system(phase="sense")
def which_sum(lanes, count=rows(Span), weight=read(Cable.weight), share=update(Cable.share)):
    for i in spread(count):
        for r in range(2):
            for e in lanes:
                share[0, r, e] += weight[i, e]


@system(phase="sense")
def known_too_soon(
    lanes, count=rows(Span), weight=read(Cable.weight), own=update(CableSums.own), share=write(Cable.share)
):
    for i in spread(count):
        for e in lanes:
            own[0, 1, e] += weight[i, e]
        for e in lanes:
            share[i, 0, e] = own[0, 1, e]


@system(phase="sense")
def escapes(lanes, count=rows(Span), first=read(Cable.first), carried=update(Cable.carried)):
    for i in spread(count):
        last = first[i, 0]
    for e in lanes:
        carried[last, e] = 0.0


@system(phase="sense")
def within(lanes, count=rows(Span), carried=update(Cable.carried)):
    for i in spread(count):
        for k in spread(count):
            for e in lanes:
                carried[i, e] += 0.0 * carried[k, e]


@system(phase="sense")
def inside_out(lanes, count=rows(Span), carried=update(Cable.carried)):
    for e in lanes:
        for i in spread(count):
            carried[i, e] = 0.0


@system(phase="sense")
def stops(lanes, count=rows(Span), weight=read(Cable.weight), carried=write(Cable.carried)):
    for i in spread(count):
        if i > 3:
            break
        for e in lanes:
            carried[i, e] = weight[i, e]


@system(phase="sense", over=Span)
def by_item(i, e, count=rows(Span), carried=write(Cable.carried)):
    for k in spread(count):
        carried[i, e] += 0.0 * k


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (decided_by_what_it_stores, "comes from a field that the system stores, and decides about a spread loop"),
        (out_of_date, "head may be out of date in the spread loop"),
        (out_of_date_register, "own may be out of date in the spread loop"),
        (bounds_from_what_it_stores, "the spread loop stores found, and its own bounds come from there"),
        (all_to_one, r"all iterations of a spread loop store to carried\[0, _?e\]"),
        (largest, "can join sums only"),
        (which_sum, "which item it is must be known before the loop"),
        (known_too_soon, r"own\[0, 1, _?e\] is summed up by a spread loop, and known only after it"),
        (escapes, "last is assigned in a spread loop, and means nothing after it"),
        (within, "spread loops within spread loops"),
        (inside_out, "go around the loop over lanes"),
        (stops, "there is no break"),
        (by_item, "spread loops are for systems over lanes"),
    ],
    ids=lambda value: value.name if isinstance(value, System) else "",
)
def test_what_a_team_could_not_do_is_refused(made: System, message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        codegen.generate(made, frozenset({"first"}) & set(made.arguments), "float64", "cuda")
