"""Systems for the GPU that stand in for others, a repeated sequence among them, in most environments.

The contact solver's systems over lanes, for example, serve any world on both back ends; systems written for teams of
GPU threads (:mod:`phalanx.ecs.text.team_language`) do the same faster for problems that fit into their registers. What
is used is decided environment by environment, from what is in it, never by how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

from phalanx.ecs.declare import System, Table
from phalanx.ecs.sequences.fusion import Before, Rest, joined

Rows = Callable[[Table], int]
"""The number of rows of a table in the world."""


@dataclass(frozen=True)
class Substitute:
    """What stands in for which systems.

    Args:
        group: names of the systems of a turn, one after the other.
        between: names of systems that are stood in for where they come, once, between turns.
        absorbed: a system that is stood in for where it comes right before the first turn.
        prepared: names of systems before that, which make what those named so far need. Where no other system reads
            what they write, they run for the rest only.
        beside: names of those of them that, run for the rest, need neither have ended before what ``instead`` makes
            begins nor before each other.
        apart: what these and what ``instead`` makes have as ``System.apart``, since they meet in no environment.
        replaced: systems to run in place of others, by the names of these, where there are turns.
        prepare: makes the systems to run after those that are prepared or replaced, from the number of rows of tables.
        instead: makes the systems for turns, from the number of rows of tables, how many turns, before which of them
            ``between`` comes (-1: not), and whether ``absorbed`` is theirs.
        rest: where what is stood in for is still to run.
    """

    group: tuple[str, ...]
    between: tuple[str, ...]
    absorbed: str
    prepared: tuple[str, ...]
    beside: tuple[str, ...]
    apart: str
    replaced: Mapping[str, System]
    prepare: Callable[[Rows], list[System]]
    instead: Callable[[Rows, int, int, bool], list[System]]
    rest: Rest


@dataclass(frozen=True)
class Exchange:
    """One system that stands in for others, in all environments.

    Args:
        group: names of systems; all but the last write nothing that others than these read.
        instead: makes the system, from the number of rows of tables; none where it cannot serve.
    """

    group: tuple[str, ...]
    instead: Callable[[Rows], System | None]


@dataclass(frozen=True)
class Portions:
    """What stands in for portions of a system (:meth:`System.portion`) that run one right after the other.

    Args:
        name: of the system.
        instead: makes the system, from the number of rows of tables, and all those portions in their order; none where
            it cannot serve.
    """

    name: str
    instead: Callable[[Rows, Sequence[System]], System | None]


@dataclass(frozen=True)
class Repeated:
    """What stands in for systems that come one right after the other, once or some times over.

    Args:
        names: of the systems.
        instead: makes the system, from the number of rows of tables, the systems of one turn and how many turns there
            are; none where it cannot serve.
    """

    names: tuple[str, ...]
    instead: Callable[[Rows, Sequence[System], int], System | None]


StandIn = Substitute | Exchange | Portions | Repeated


def substituted(systems: Sequence[System], substitute: StandIn, rows: Rows) -> list[System]:
    """The same sequence with what stands in for parts of it, in a world with so many rows of tables.

    Parts of the sequence that have no turns, or none of the systems that are prepared, stay as they are; so does a
    group of which others read what is no longer written.
    """
    if isinstance(substitute, Exchange):
        return _exchanged(systems, substitute, rows)
    if isinstance(substitute, Portions):
        return _brought_together(systems, substitute, rows)
    if isinstance(substitute, Repeated):
        return _at_once(systems, substitute, rows)
    names = [system.name for system in systems]
    last = substitute.prepared[-1]
    ends = [i for i, name in enumerate(names) if name == last]
    found: list[System] = []
    begin = 0
    for n, end in enumerate(ends):
        after = ends[n + 1] if n + 1 < len(ends) else len(systems)
        stop = next((i for i in range(end + 1, after) if names[i] == substitute.prepared[0]), after)
        first = next((i for i in range(end + 1, stop) if _turns(systems, i, substitute.group)), end)
        # What is prepared needs what is run in place of others, too, wherever that comes.
        end = max((i for i in range(end, first) if names[i] in substitute.replaced), default=end)
        turns = _solved(systems[end + 1 : stop], substitute, rows)
        if turns is not None:
            found += _prepared(systems[begin : end + 1], turns[1], substitute, rows)
            found += turns[0]
            begin = stop
    if begin == 0:
        return list(systems)
    return [substitute.replaced.get(system.name, system) for system in (*found, *systems[begin:])]


def _exchanged(systems: Sequence[System], exchange: Exchange, rows: Rows) -> list[System]:
    """The same sequence with one system where the last of each group was."""
    group = [system for system in systems if system.name in exchange.group]
    others = [system for system in systems if system not in group]
    made = exchange.instead(rows) if {system.name for system in group} == set(exchange.group) else None
    if made is None:
        return list(systems)
    gone = frozenset().union(*(system.writes for system in group)) - made.writes
    if any(system.reads & gone for system in others):
        return list(systems)
    last = exchange.group[-1]
    return [made if system.name == last else system for system in systems if system in others or system.name == last]


def _brought_together(systems: Sequence[System], portions: Portions, rows: Rows) -> list[System]:
    """The same sequence with one system for portions that follow upon each other."""
    found: list[System] = []
    for is_portion, run in groupby(systems, lambda s: s.whole is not None and s.name == portions.name):
        each = list(run)
        made = portions.instead(rows, each) if is_portion else None
        found += each if made is None else [made]
    return found


def _at_once(systems: Sequence[System], repeated: Repeated, rows: Rows) -> list[System]:
    """The same sequence with one system for turns that follow upon each other."""
    others = [system for system in systems if system.name not in repeated.names]
    found: list[System] = []
    i = 0
    while i < len(systems):
        times, group = _turns(systems, i, repeated.names), systems[i : i + len(repeated.names)]
        made = repeated.instead(rows, group, times) if times else None
        gone = (
            frozenset().union(*(system.writes for system in group)) - made.writes if made is not None else frozenset()
        )
        if made is None or any(system.reads & gone for system in others):
            found.append(systems[i])
            i += 1
        else:
            found.append(made)
            i += times * len(group)
    return found


def _solved(systems: Sequence[System], substitute: Substitute, rows: Rows) -> tuple[list[System], list[System]] | None:
    """What runs instead of systems, and those of them that have stayed; nothing if there is no turn among them."""
    found: list[System] = []
    stayed: list[System] = []
    i, seen = 0, False
    while i < len(systems):
        times = _turns(systems, i, substitute.group)
        if times == 0:
            found.append(systems[i])
            stayed.append(systems[i])
            i += 1
            continue
        warm = not seen and bool(found) and found[-1].name == substitute.absorbed
        seen = True
        group = tuple(systems[i : i + len(substitute.group)])
        i += times * len(group)
        before: list[Before] = []
        if warm:
            before.append(Before(0, (found.pop(),)))
            stayed.pop()
        between = tuple(systems[i : i + len(substitute.between)])
        bounces_at, more = -1, _turns(systems, i + len(between), substitute.group)
        if more > 0 and tuple(system.name for system in between) == substitute.between:
            bounces_at = times
            before.append(Before(times, between))
            i += len(between) + more * len(group)
            times += more
        found += substitute.instead(rows, times, bounces_at, warm)
        found.append(joined(group, times, substitute.rest, tuple(before)))
    return (found, stayed) if seen else None


def _turns(systems: Sequence[System], start: int, group: tuple[str, ...]) -> int:
    """How many turns there are from a place on."""
    times, length = 0, len(group)
    while tuple(s.name for s in systems[start + times * length : start + (times + 1) * length]) == group:
        times += 1
    return times


def _prepared(systems: Sequence[System], stayed: Sequence[System], substitute: Substitute, rows: Rows) -> list[System]:
    """Systems up to the last one that is prepared, with what stands in for them."""
    made = [system for system in systems if system.name in substitute.prepared]
    written = frozenset().union(*(system.writes for system in made))
    others = [system for system in (*systems, *stayed) if system not in made]
    if any(system.reads & written for system in others):
        return [*systems, *substitute.prepare(rows)]
    first, *more = substitute.prepare(rows)
    rest = [_elsewhere(system, substitute) for system in made]
    return [*(system for system in systems if system not in made), first, *rest, *more]


def _elsewhere(system: System, substitute: Substitute) -> System:
    """A system, for the rest."""
    found = joined((system,), 1, replace(substitute.rest, counter=None))
    return apart_by(found, substitute.apart) if system.name in substitute.beside else found


@cache
def apart_by(system: System, name: str) -> System:
    """The same system, which meets others of that name nowhere."""
    return replace(system, apart=name)
