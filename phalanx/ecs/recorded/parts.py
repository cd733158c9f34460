"""From what has been recorded to the text of a program: parts that have nothing to do with each other, in order.

Trees of dofs, say, are parts: a thread has one of them in one environment. Parts that do the same on other rows are one
class; rows are counted from where those of a part begin in their table.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from phalanx.ecs.declare import Field, Table
from phalanx.ecs.recorded.recorder import Op, Place

AHEAD = 400
"""Operations by which a load is asked for early, so that a thread waits for many at once."""

SMALL, BUNDLE = 20, 256
"""Parts of so few operations share a thread, up to so many operations: starting a block costs more than they do."""


class Class(NamedTuple):
    """Parts that do the same.

    Args:
        lines: the text of a part; rows count from its bases.
        tables: those that it has rows of, in the order of bases.
        bases: for each part the first row in each table.
    """

    lines: tuple[str, ...]
    tables: tuple[Table, ...]
    bases: tuple[tuple[int, ...], ...]


class Links:
    """How many parts a program has, while it is being recorded; what is stored in vain counts as well.

    Args:
        is_single: whether a table has one row.
        begin: the operation to look at first.
    """

    def __init__(self, is_single: Callable[[Table], bool], begin: int = 0) -> None:
        self._is_single, self._begin = is_single, begin
        self._above: list[int] = []
        self._size: list[int] = []
        self._whose: dict[Place | tuple[Table, int], int] = {}
        self._stored: set[Field] = set()
        self._common: set[int] = set()
        self.count, self.longest = 0, 0
        """Parts, and operations of the longest but for stores."""

    def mark(self) -> Links:
        """A copy."""
        found = Links(self._is_single, self._begin)
        found._above, found._size = list(self._above), list(self._size)
        found._whose, found._stored, found._common = dict(self._whose), set(self._stored), set(self._common)
        found.count, found.longest = self.count, self.longest
        return found

    @property
    def ties(self) -> bool:
        """Whether something is stored in a table of one row."""
        return any(self._is_single(field.table) for field in self._stored)

    def add(self, ops: Sequence[Op]) -> None:
        """Look at what has been recorded since."""
        begin, above, size = self._begin, self._above, self._size
        for at in range(begin + len(above), len(ops)):
            op, own = ops[at], at - begin
            above.append(own)
            size.append(1 if op.name != "store" else 0)
            linked = [o - begin for o in op.operands if o >= begin and o - begin not in self._common]
            if op.place is not None:
                field, row, _ = op.place
                if op.name == "store":
                    self._stored.add(field)
                elif self._is_single(field.table) and field not in self._stored:
                    self._common.add(own)
                    continue
                linked.append(self._whose.setdefault(op.place, own))
                if op.name == "store":
                    linked.append(self._whose.setdefault((field.table, row), own))
            elif not linked:
                self._common.add(own)
                continue
            self.count += 1
            for other in linked:
                self._join(other, own)
            self.longest = max(self.longest, size[self._root(own)])

    def _root(self, at: int) -> int:
        above = self._above
        while above[at] != at:
            above[at] = above[above[at]]
            at = above[at]
        return at

    def _join(self, one: int, other: int) -> None:
        a, b = self._root(one), self._root(other)
        if a != b:
            self._above[b] = a
            self._size[a] += self._size[b]
            self.count -= 1


def classes(ops: Sequence[Op], fields: Sequence[Field], single: Set[Table]) -> list[Class]:
    """The classes of a program's parts.

    Args:
        ops: the program.
        fields: those that it loads and stores, in the order in which kernels are given them.
        single: tables of one row. What hangs on nothing else is no link between parts, and each has it to itself.
    """
    number = {declared: n for n, declared in enumerate(fields)}
    found: dict[tuple[tuple[str, ...], tuple[Table, ...]], list[tuple[int, ...]]] = {}
    own, common = _linked(ops, single)
    for one in _bundled(own):
        part = list(_with_common(ops, one, common))
        first: dict[Table, int] = {}
        for at in part:
            place = ops[at].place
            if place is not None and place[0].table not in single:
                table = place[0].table
                first[table] = min(first.get(table, place[1]), place[1])
        lines = tuple(_lines(ops, _early(ops, part), number, first))
        found.setdefault((lines, tuple(first)), []).append(tuple(first.values()))
    return [Class(lines, tables, tuple(bases)) for (lines, tables), bases in found.items()]


def _linked(ops: Sequence[Op], single: Set[Table]) -> tuple[list[list[int]], set[int]]:
    """Operations that matter (the last store to each place, and what it hangs on): of each part, and common ones."""
    last: dict[Place, int] = {}
    for at in range(len(ops)):
        place = ops[at].place
        if ops[at].name == "store" and place is not None:
            last[place] = at
    wanted = set(last.values())
    for at in range(len(ops) - 1, -1, -1):
        if at in wanted:
            wanted.update(ops[at].operands)
    stored = {place[0] for place in last}
    common: set[int] = set()
    above: dict[int, int] = {}

    def root(at: int) -> int:
        while above.setdefault(at, at) != at:
            above[at] = above[above[at]]
            at = above[at]
        return at

    whose: dict[Place | tuple[Table, int], int] = {}
    for at in range(len(ops)):
        if at not in wanted:
            continue
        op = ops[at]
        linked = [operand for operand in op.operands if operand not in common]
        if op.place is not None:
            field, row, _ = op.place
            if op.name == "load" and field.table in single and field not in stored:
                common.add(at)
                continue
            linked.append(whose.setdefault(op.place, at))
            if op.name == "store":  # what is stored in a row belongs together, be it known beforehand
                linked.append(whose.setdefault((field.table, row), at))
        elif not linked:
            common.add(at)
            continue
        for operand in linked:
            above[root(at)] = root(operand)
    found: dict[int, list[int]] = defaultdict(list)
    for at in range(len(ops)):
        if at in wanted and at not in common:
            found[root(at)].append(at)
    return list(found.values()), common


def _bundled(parts: Sequence[list[int]]) -> Iterator[list[int]]:
    """The same parts, small ones together."""
    bundle: list[int] = []
    for part in parts:
        if len(part) > SMALL:
            yield part
            continue
        if len(bundle) + len(part) > BUNDLE:
            yield sorted(bundle)
            bundle = []
        bundle += part
    if bundle:
        yield sorted(bundle)


def _with_common(ops: Sequence[Op], part: Sequence[int], common: Set[int]) -> Iterator[int]:
    """A part's operations, with those that it has in common with others where it first needs them."""
    there: set[int] = set()
    for at in part:
        open_ = [at]
        while open_:
            missing = [o for o in ops[open_[-1]].operands if o in common and o not in there]
            if missing:
                open_ += reversed(missing)
                continue
            one = open_.pop()
            if one not in there:
                there.add(one)
                yield one


def _early(ops: Sequence[Op], part: Sequence[int]) -> list[int]:
    """The order in which a part's operations are written: as recorded, loads some way ahead of where they are needed.

    (To end the use of numbers as soon as possible instead made compilers keep more of them outside registers.)
    """
    order = {at: (n - AHEAD if ops[at].name == "load" else n) for n, at in enumerate(part)}
    return sorted(part, key=order.__getitem__)


def _lines(ops: Sequence[Op], part: Sequence[int], number: dict[Field, int], first: dict[Table, int]) -> Iterable[str]:
    """``name kind operands`` of each operation; operands are numbers of lines, places those of a field and an item."""
    names: dict[int, int] = {}
    for at in part:
        op = ops[at]
        names[at] = len(names)
        words = [op.name, op.kind or "-", *(str(names[o]) for o in op.operands)]
        if op.place is not None:
            declared, row, item = op.place
            row -= first.get(declared.table, 0)
            words += [str(number[declared]), str(row * math.prod(declared.shape) + item)]
        elif op.name == "const":
            words.append(repr(float(op.value)) if op.kind == "r" else str(int(op.value)))
        yield " ".join(words)
