"""Systems for the GPU that stand in for a repeated sequence of others, in most environments.

The solver's sweeps, for example, are systems over lanes that serve any world on both back ends; a system written for a
team of GPU threads (:mod:`phalanx.ecs.team_language`) does the same faster for problems that fit into its registers.
What is used is decided environment by environment, from what is in it, never by how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from phalanx.ecs.declare import System, Table
from phalanx.ecs.fusion import Rest, joined

Rows = Callable[[Table], int]
"""The number of rows of a table in the world."""


@dataclass(frozen=True)
class Substitute:
    """What stands in for which systems.

    Args:
        group: names of the systems, one after the other.
        start: the system that begins what the group goes on with.
        absorbed: a system that is also stood in for where it comes right before the first turns after ``start``.
        prepare: makes the systems to run once, before all that, from the number of rows of tables.
        instead: makes the systems for turns, from the number of rows of tables, how many turns, whether they are the
            first after ``start``, and whether ``absorbed`` is theirs.
        rest: where the group itself is still to run.
    """

    group: tuple[str, ...]
    start: str
    absorbed: str
    prepare: Callable[[Rows], list[System]]
    instead: Callable[[Rows, int, bool, bool], list[System]]
    rest: Rest


def substituted(systems: Sequence[System], substitute: Substitute, rows: Rows) -> list[System]:
    """The same sequence with what stands in for parts of it, in a world with so many rows of tables."""
    length = len(substitute.group)
    found: list[System] = []
    i, first = 0, True
    while i < len(systems):
        times = 0
        while tuple(s.name for s in systems[i + times * length : i + (times + 1) * length]) == substitute.group:
            times += 1
        if times == 0:
            first = first or systems[i].name == substitute.start
            found.append(systems[i])
            i += 1
            continue
        absorbs = first and bool(found) and found[-1].name == substitute.absorbed
        if first:
            absorbed = [found.pop()] if absorbs else []
            found += substitute.prepare(rows)
            found += [joined((system,), 1, replace(substitute.rest, counter=None)) for system in absorbed]
        found += substitute.instead(rows, times, first, absorbs)
        found.append(joined(tuple(systems[i : i + length]), times, substitute.rest))
        i, first = i + times * length, False
    return found
