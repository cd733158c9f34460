"""The schedule orders systems by what they read and write, and refuses, by name, what it cannot order."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable

import pytest

from phalanx.components.shape import BOX, HULL
from phalanx.ecs import Component, Field, Schedule, ScheduleError, System, Table, system
from phalanx.ecs import read as read_
from phalanx.ecs import update as update_
from phalanx.ecs import write as write_
from phalanx.systems import ORDER, QUERIES, REFRESH, STEP, SUBSTEP, systems

Gear = Table("gear", "gears of a clock")


class Clockwork(Component, table=Gear):
    """What the systems below pass on."""

    a = Field(doc="first")
    b = Field(doc="second")
    c = Field(doc="third")


def make(
    name: str,
    *,
    read: str = "",
    write: str = "",
    update: str = "",
    phase: str = "work",
    after: str | tuple[str, ...] = (),
    before: str | tuple[str, ...] = (),
) -> System:
    """A system of a name that reads, writes and updates fields a, b, c."""

    def body(i, e, *, used=None):
        pass

    body.__name__ = name
    modes: list[tuple[Callable[..., object], str]] = [(read_, read), (write_, write), (update_, update)]
    defaults = [(f"{mode.__name__}_{f}", mode(getattr(Clockwork, f))) for mode, fields in modes for f in fields]
    parameters = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in ("i", "e")]
    parameters += [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=d) for n, d in defaults]
    body.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return system(over=Gear, phase=phase, after=after, before=before)(body)


def order(*made: System, phases: tuple[str, ...] = ("work",)) -> list[str]:
    return [s.name for s in Schedule(phases, made).systems()]


def test_writers_run_before_readers_however_they_are_added() -> None:
    chain = [make("one", write="a"), make("two", read="a", write="b"), make("three", read="b", write="c")]
    rng = random.Random(3)
    for _ in range(6):
        rng.shuffle(chain)
        assert order(*chain) == ["one", "two", "three"]


def test_updates_run_before_readers() -> None:
    assert order(make("reader", read="a"), make("updater", update="a")) == ["updater", "reader"]


def test_systems_that_share_nothing_keep_their_order() -> None:
    assert order(make("x", write="a"), make("y", write="b"), make("z", write="c")) == ["x", "y", "z"]


def test_after_and_before_overrule_the_data() -> None:
    reader, writer = make("reader", read="a", before="writer"), make("writer", write="a")
    assert order(writer, reader) == ["reader", "writer"]
    assert order(make("reader", read="a"), make("writer", write="a", after="reader")) == ["reader", "writer"]


def test_what_is_told_holds_through_others() -> None:
    """Two writers of one field are in order when a third system stands between them."""
    last = make("last", update="a", after="middle")
    middle = make("middle", write="c", after="first")
    assert order(last, middle, make("first", update="a")) == ["first", "middle", "last"]


def test_phases_come_in_their_own_order() -> None:
    late = make("late", write="a", phase="second")
    early = make("early", read="a", phase="first")
    schedule = Schedule(("first", "second"), [late, early])
    assert [s.name for s in schedule.systems()] == ["early", "late"]
    assert [s.name for s in schedule.systems(["second"])] == ["late"]
    assert [s.name for s in schedule.phase("first")] == ["early"]


def test_two_writers_clash() -> None:
    with pytest.raises(ScheduleError) as raised:
        order(make("left", write="ab"), make("right", write="b"))
    assert str(raised.value) == (
        "systems left and right clash in phase 'work' over Clockwork.b: say which is first, e.g. "
        '@system(..., after="left") on right'
    )


def test_systems_that_read_what_the_other_writes_clash() -> None:
    with pytest.raises(ScheduleError, match=r"systems left and right clash .* over Clockwork.a, Clockwork.b"):
        order(make("left", read="a", write="b"), make("right", read="b", write="a"))


def test_a_clash_is_found_when_the_system_is_added_later() -> None:
    schedule = Schedule(("work",), [make("left", write="a")])
    assert [s.name for s in schedule.systems()] == ["left"]
    schedule.add(make("right", write="a"))
    with pytest.raises(ScheduleError, match="systems left and right clash"):
        schedule.systems()


def test_systems_that_wait_for_each_other() -> None:
    with pytest.raises(
        ScheduleError, match=r"systems wait for each other: (x -> y -> x|y -> x -> y); change after= or before="
    ):
        order(make("x", after="y"), make("y", after="x"))
    with pytest.raises(ScheduleError, match="systems wait for each other: x -> x"):
        order(make("x", after="x"))


def test_told_order_against_the_data_of_others_is_a_cycle() -> None:
    """The data says one, two, three; one is told to wait for three."""
    one, two, three = make("one", write="a", after="three"), make("two", read="a", write="b"), make("three", read="b")
    with pytest.raises(ScheduleError, match=r"systems wait for each other: .*; change after= or before="):
        order(one, two, three)


@pytest.mark.parametrize("how", ["after", "before"])
def test_unknown_neighbour(how: str) -> None:
    made = make("x", after="nobody") if how == "after" else make("x", before="nobody")
    with pytest.raises(ScheduleError) as raised:
        order(made)
    assert str(raised.value) == "system x: after/before names nobody, which is not in phase 'work'"


def test_a_neighbour_in_another_phase_is_unknown() -> None:
    with pytest.raises(ScheduleError, match="which is not in phase 'work'"):
        order(make("x", after="y"), make("y", phase="rest"), phases=("rest", "work"))


def test_listed_systems_keep_their_order_whatever_they_read() -> None:
    reader, other, writer = make("reader", read="a"), make("other", write="c"), make("writer", write="a")
    listed = {"work": (reader, other, writer)}
    for made in ([writer, other, reader], [reader, writer], [writer, reader]):
        names = [s.name for s in Schedule(("work",), made, order=listed).systems()]
        assert names == [s.name for s in listed["work"] if s in made]


def test_others_find_their_place_between_listed_systems() -> None:
    """By what they read and write, or as they are told; but not against the list."""
    first, second, third = make("first", write="a"), make("second", update="a"), make("third", read="b", update="c")
    listed = {"work": (first, second, third)}

    def names(*own: System) -> list[str]:
        return [s.name for s in Schedule(("work",), [*own, third, second, first], order=listed).systems()]

    assert names(make("own", read="a", write="b")) == ["first", "second", "own", "third"]
    assert names(make("own", update="a", after="first", before="second")) == ["first", "own", "second", "third"]
    assert names(make("own", update="a", after="second")) == ["first", "second", "third", "own"]
    with pytest.raises(ScheduleError, match=r"clash .* say which is first"):
        names(make("own", update="a"))
    with pytest.raises(ScheduleError, match="systems wait for each other"):
        names(make("own", write="a", after="second", before="first"))


def test_a_system_of_a_listed_ones_name_is_another() -> None:
    listed = {"work": (make("reader", read="a"), make("writer", write="a"))}
    assert [
        s.name for s in Schedule(("work",), [make("reader", read="a"), listed["work"][1]], order=listed).systems()
    ] == [
        "writer",
        "reader",
    ]


def test_unknown_phase() -> None:
    with pytest.raises(ScheduleError) as raised:
        Schedule(("work", "rest"), [make("x", phase="play")])
    assert str(raised.value) == "system x: no phase 'play'; phases are work, rest"


def test_one_name_twice() -> None:
    with pytest.raises(ScheduleError, match="system x is already in the schedule; give one of them another name"):
        Schedule(("work",), [make("x", write="a"), make("x", write="b")])


def test_it_prints_as_a_page() -> None:
    text = str(Schedule(("work",), [make("two", read="a", update="b"), make("one", write="a")]))
    assert text.splitlines() == ["work:", "  one() -> Clockwork.a", "  two(Clockwork.a) -> Clockwork.b"]


@pytest.mark.parametrize("planes", [True, False])
@pytest.mark.parametrize("pairs", [None, {(BOX, HULL)}, set()])
@pytest.mark.parametrize("listed", [True, False])
def test_the_engines_own_schedule(planes: bool, pairs: set[tuple[int, int]] | None, listed: bool) -> None:
    """It has an order, reads no derived field before something has written it, and names no system twice."""
    schedule = Schedule((*STEP, *QUERIES), systems(planes, pairs, listed=listed), order=ORDER)
    contacts = planes or pairs != set()
    names = [s.name for s in schedule.systems()]
    assert len(names) == len(set(names)) > 15
    written = {f for s in schedule.systems(REFRESH) for f in s.writes}  # of the substep before
    missing = set()
    for made in schedule.systems((*SUBSTEP, *QUERIES)):
        missing |= {
            f.key for f in made.reads - made.writes if f.role == "derived" and not f.constant and f not in written
        }
        written |= made.writes
    kept = {"ContactSurface.drift", "ShapeOrder.shape"}  # as they are set when the world is built
    kept |= {"ContactMotion.rebound"}  # read by the sweeps after the phase that writes it only
    missing = {key for key in missing if key not in kept and (contacts or not key.startswith("Contact"))}
    assert not missing, f"read before anything writes them: {sorted(missing)}"
    assert all(s.phase != "collide" for s in schedule.systems()) or contacts
