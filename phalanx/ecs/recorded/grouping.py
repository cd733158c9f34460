"""Which systems of a sequence become straight-line programs (:mod:`phalanx.ecs.recorded.recorder`), together with which
others.

A run of systems one after the other that can be recorded is one program, or several, where they have nothing to do with
each other. It begins and ends with a recursion, or with something short: what goes over many rows that do not need each
other is faster with a thread for each row. So company decides; but only once, that of a world's step
(:meth:`Straightener.decide`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

import numpy as np

from phalanx.ecs.cache.answers import recalled
from phalanx.ecs.cache.identity import of_system
from phalanx.ecs.declare import Access, Field, System, Table
from phalanx.ecs.recorded.parts import Links, classes
from phalanx.ecs.recorded.program import Found, Group, Program, as_text, from_text, system_of, tables_of
from phalanx.ecs.recorded.recorder import MOST, Dynamic, Op, Recorder, TooLong

LONGEST = 5_500
"""Operations but for stores that a part of a program stays below: compilers take more than proportionally longer, and
registers no longer do. One system may have twice as many; factorising 64 dofs in a chain has more, and keeps loops."""

MOST_PARTS = 65_535
"""The size of a grid along y. A program that stores nothing has no parts."""

SHORT = 1_500
"""Operations of a system without recursion that may begin or end a program."""

MANY = 1_024
"""From this stride on (993 environments) programs are made for it: then a number's place is a known distance from its
field's, and the third of the instructions that compute places goes. (A program for each number of environments is more
to compile.)"""

_Made = dict[tuple[System, ...], Found]


class Straightener:
    """Makes programs for one store.

    Args:
        real: the world's float type.
        constants: arrays of constant fields, on the host.
        rows: the number of rows of tables.
        stride: of fields of which each environment has its own.
    """

    def __init__(
        self, real: str, constants: Callable[[Field], np.ndarray], rows: Callable[[Table], int], stride: int
    ) -> None:
        self._real, self._constants, self._rows = real, constants, rows
        self._stride = stride if stride >= MANY else 0
        self._made: _Made = {}
        self._undecided: _Made = {}
        """The same, of what decides."""
        self._refused: set[System] = set()
        self._decided: dict[System, bool] = {}
        self._deciding: tuple[System, ...] = ()
        self._is_decided = False
        self._identities: dict[System, str] = {}
        self._digests: dict[Field, str] = {}

    def each(self, systems: Sequence[System], but: Set[System] = frozenset()) -> list[System]:
        """The same sequence with programs in place of what can be recorded and is not ``but``."""
        return [group[0] if made is None else made for group, made in self.groups(systems, but)]

    def groups(self, systems: Sequence[System], but: Set[System] = frozenset()) -> list[Group]:
        """The systems of a sequence that are a program, with that, and the others one by one."""
        found: list[Group] = []
        at = 0
        while at < len(systems):
            end = at
            while end < len(systems) and systems[end] not in but and _can_be_recorded(systems[end]):
                end += 1
            if end == at:
                found.append((systems[at : at + 1], None))
                at += 1
                continue
            run = tuple(systems[at:end])
            if run not in self._made:
                self._made[run] = self._known(run) or self._recalled(run)
            length, groups, *_ = self._made[run]
            found += groups or [(systems[at : at + 1], None)]
            at += length
        return found

    def decide(self, systems: Sequence[System], but: Set[System] = frozenset()) -> None:
        """Record of these systems, in whatever sequence, those that are recorded in this one, and no others.

        Compilers round sums of products otherwise than programs do: in company that makes a system worth recording its
        results would have other bits than in company that does not.
        """
        again = self._deciding == tuple(systems)
        if again and self._is_decided:
            return
        self._made, self._decided = self._undecided if again else {}, {}
        found: dict[System, bool] = {}
        alike = True
        for group, made in self.groups(systems, but):
            for system in group:
                alike = alike and found.get(system, made is not None) == (made is not None)
                found[system] = made is not None and found.get(system, True)
        self._undecided, self._made = self._made, dict(self._made) if alike else {}
        self._decided, self._deciding, self._is_decided = found, tuple(systems), True

    def forget(self, grown: Table | None = None) -> bool:
        """Topology has changed, or the number of rows of a table. Whether anything had been recorded from it."""
        self._digests.clear()
        if grown is None:
            self._refused.clear()
        before = len(self._made)
        self._made, self._undecided = (
            {run: one for run, one in made.items() if grown is not None and grown not in one[2]}
            for made in (self._made, self._undecided)
        )
        if len(self._made) == before:
            return False
        self._is_decided = False
        return True

    def _known(self, systems: tuple[System, ...]) -> Found | None:
        """What is known of systems that begin alike: as small steps do, of which a sequence has several."""
        made = ((run, one, one[3]) for run, one in self._made.items() if run[0] is systems[0])
        return next((one for run, one, seen in made if seen and run[:seen] == systems[:seen]), None)

    def _recalled(self, systems: tuple[System, ...]) -> Found:
        """What systems begin with, of an earlier process where one has found that."""
        before = frozenset(self._refused)

        def make() -> Any:
            found = self._longest(systems)
            refused = [n for n, system in enumerate(systems) if system in self._refused]
            return *as_text(systems, found), refused

        *text, refused = recalled("programs", self._made_from(systems, before), make)
        self._refused.update(systems[n] for n in refused)
        return from_text(systems, text, self._stride)

    def _made_from(self, systems: Sequence[System], refused: Set[System]) -> Iterator[str]:
        """All that decides what becomes of systems."""
        yield f"{self._real} {self._stride}"
        for system in systems:
            if system not in self._identities:
                self._identities[system] = of_system(system)
            yield f"{self._identities[system]} {self._decided.get(system)} {system in refused}"
        for table in dict.fromkeys(table for system in systems for table in tables_of(system)):
            yield f"{table.name} {self._rows(table)}"
        fields = dict.fromkeys(access.target for system in systems for access in system.field_arguments.values())
        for declared in fields:
            if declared.constant and declared.dtype != "real":  # those of reals cannot be recorded
                if declared not in self._digests:
                    values = np.ascontiguousarray(self._constants(declared))
                    self._digests[declared] = hashlib.sha256(values.data).hexdigest()
                yield f"{declared.key} {self._digests[declared]}"

    def _longest(self, systems: Sequence[System]) -> Found:
        """How many systems from the first on are recorded together, and what they become.

        That is 1, and no group, where none are.
        """
        asked: set[Table] = set()
        seen = 0

        def rows(table: Table) -> int:
            asked.add(table)
            return self._rows(table)

        recorder, links = Recorder(self._real, self._constants, rows), Links(self._is_single)
        marks = [recorder.mark()]
        for n, system in enumerate(systems):
            seen = n + 1
            if not self._decided.get(system, True):
                break
            room = MOST if any(map(self._is_worth_it, systems[: n + 1])) else SHORT
            before = links.mark()
            if not self._recorded(recorder, system, room) or not self._belongs(
                recorder.ops, before, links, marks[-1][0], system
            ):
                break
            marks.append(recorder.mark())
        else:
            seen = 0
        count = len(marks) - 1
        while count > 0 and not self._is_worth_it(systems[count - 1]) and marks[count][0] - marks[count - 1][0] > SHORT:
            count -= 1
        if not any(map(self._is_worth_it, systems[:count])):
            return 1, [], frozenset(asked), seen
        recorder.back_to(marks[count])
        groups: list[Group] = []
        apart = _independent(systems[:count])
        for one in apart:
            if not any(map(self._is_worth_it, one)):
                groups += [([system], None) for system in one]
                continue
            ops = recorder.ops if len(apart) == 1 else self._recorded_alone(one, rows)
            made = self._system(one, ops)
            asked.update(field.table for field in made.program.fields.values())
            if not 0 < made.program.parts <= MOST_PARTS:
                return 1, [], frozenset(asked), seen
            groups.append((one, made))
        return count, groups, frozenset(asked), seen

    def _recorded_alone(self, systems: Sequence[System], rows: Callable[[Table], int]) -> list[Op]:
        recorder = Recorder(self._real, self._constants, rows)
        for system in systems:
            recorder.system(system, MOST)
        return recorder.ops

    def _is_worth_it(self, system: System) -> bool:
        """Whether there is a program for a system's sake: it recurs, or is recorded wherever it runs."""
        return _recurs(system) or self._decided.get(system, False)

    def _recorded(self, recorder: Recorder, system: System, room: int) -> bool:
        """Record a system, if that is possible."""
        if system in self._refused or not _can_be_recorded(system):
            return False
        try:
            recorder.system(system, room)
        except TooLong:
            return False
        except (Dynamic, TypeError, IndexError, ValueError, ArithmeticError, NameError):
            # what cannot be done with numbers that are not known yet, or with known ones on a way that is not gone
            self._refused.add(system)
            return False
        return True

    def _belongs(self, ops: Sequence[Op], before: Links, links: Links, begin: int, system: System) -> bool:
        """Whether a system that has been recorded, from ``begin`` on, goes with those before it."""
        links.add(ops)
        if links.longest > (LONGEST if begin > 0 else 2 * LONGEST):
            return False
        if begin == 0 or not links.ties:
            return True
        # what all parts store to makes them one: then each side must have been one
        if links.count < before.count and any(map(self._is_single, {one.table for one in system.writes})):
            return False
        if not _recurs(system):
            return True
        alone = Links(self._is_single, begin)
        alone.add(ops)
        return links.count >= alone.count

    def _is_single(self, table: Table) -> bool:
        return self._rows(table) == 1

    def _single_rows(self, ops: Sequence[Op]) -> frozenset[Table]:
        tables = {op.place[0].table for op in ops if op.place is not None}
        return frozenset(filter(self._is_single, tables))

    def _system(self, systems: Sequence[System], ops: list[Op]) -> System:
        """The system of what has been recorded."""
        places = dict.fromkeys((op.name, op.place[0]) for op in ops if op.place is not None)
        fields = {one.key.replace(".", "_"): one for one in dict.fromkeys(target for _, target in places)}
        arguments: dict[str, Access] = {}
        for name, target in fields.items():
            reads, writes = ("load", target) in places, ("store", target) in places
            arguments[name] = Access(("update" if reads else "write") if writes else "read", target)
        program = Program(classes(ops, list(fields.values()), self._single_rows(ops)), fields, self._stride)
        return system_of(systems, arguments, program)


def _independent(systems: Sequence[System]) -> list[list[System]]:
    """Systems apart from those that they have nothing to do with, in order.

    As one kernel they would begin when the last of what any of them needs is there: poses of shapes, which contacts
    wait for, when forces are (docs/decisions/0033-rows-in-the-blocks-memory.md).
    """
    groups: list[list[System]] = []
    for system in systems:
        tied = [g for g in groups if any(_meet(system, other) for other in g)]
        groups = [g for g in groups if g not in tied] + [[*(other for g in tied for other in g), system]]
    groups = [sorted(group, key=systems.index) for group in groups]
    return sorted(groups, key=lambda group: systems.index(group[0]))


def _meet(one: System, other: System) -> bool:
    """Whether one of two systems stores what the other uses."""
    return bool(one.writes & (other.reads | other.writes) or other.writes & one.reads)


def _can_be_recorded(system: System) -> bool:
    """Whether it may be part of a program: what is recorded together ends before one that is not.

    Sequences are looked at up to there. Small steps of cloth have a thousand portions of systems, and what a sequence
    becomes is found from each of its systems on.
    """
    return not system.is_native and not system.one_lane and system.whole is None


def _recurs(system: System) -> bool:
    """Whether a system's rows need each other."""
    return system.over is None or system.order != "parallel"
