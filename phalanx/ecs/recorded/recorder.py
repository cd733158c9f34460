"""Straight-line programs: systems run while their kernel is written, as far as it is known what they will do.

A recursion over a robot's dofs spends most of its time on a GPU with finding out where to go next: a thread waits for
the parent's number, then for the parent's row, and addresses are most of its instructions. But the tree is known when a
world is built, and the same in all environments. So Python runs the system then, with topology (constant fields), rows
and loops as they are, and with numbers that only record what is done to them. What is left is arithmetic without
loops, branches or indices: a number that is stored and read again is a register, across systems, too.

Only what all environments do alike can be recorded: where a number decides about a loop, the system is refused
(:class:`Dynamic`). Conditional expressions become selections, and of a conditional statement both ways are gone.
Measured in docs/decisions/0029-recorded-kernels.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from phalanx.ecs.cache.identity import names_in
from phalanx.ecs.declare import Field, System
from phalanx.ecs.recorded.source import code_of

Place = tuple[Field, int, int]
"""A number of a field: field, row, item (row-major)."""

MOST = 40_000
"""Operations of a program: to record more takes too long."""


class Dynamic(Exception):
    """A system decides by numbers where to go, or does what cannot be recorded."""


class TooLong(Exception):
    """A system takes more operations than there is room for."""


class Op(NamedTuple):
    """One operation of a program."""

    name: str
    """What it does; ``load``, ``store`` and ``const`` are special."""
    kind: str
    """Of its result: ``r`` a number of the world's float type, ``i`` int32, ``b`` a truth value."""
    operands: tuple[int, ...] = ()
    """Numbers of the operations whose results it takes."""
    place: Place | None = None
    """What a load or store is at."""
    value: Any = None
    """Of a constant."""


class Value:
    """The result of an operation, which is not known yet."""

    __slots__ = ("at", "kind", "recorder")

    def __init__(self, recorder: Recorder, at: int, kind: str) -> None:
        self.recorder, self.at, self.kind = recorder, at, kind

    def __bool__(self) -> bool:
        raise Dynamic("a number decides about a branch or loop")

    __index__ = __int__ = __float__ = __bool__
    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> Any:
        return self.recorder.operate("neg", self)


def _operator(name: str) -> tuple[Callable[[Value, Any], Any], Callable[[Value, Any], Any]]:
    def straight(self: Value, other: Any) -> Any:
        return self.recorder.operate(name, self, other)

    def reflected(self: Value, other: Any) -> Any:
        return self.recorder.operate(name, other, self)

    return straight, reflected


COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))

_ARITHMETIC = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div"}
_BITS = {"and": "bitand", "or": "bitor", "rshift": "shr"}
for _python, _name in {**_ARITHMETIC, **_BITS}.items():
    _straight, _reflected = _operator(_name)
    setattr(Value, f"__{_python}__", _straight)
    setattr(Value, f"__r{_python}__", _reflected)
for _name in COMPARISONS:
    setattr(Value, f"__{_name}__", _operator(_name)[0])

OF_REALS = frozenset(("add", "sub", "mul", "div", "neg", "sqrt", "fabs", "floor")) | COMPARISONS
OF_INTEGERS = frozenset(("add", "sub", "neg", "bitand", "bitor", "shr")) | COMPARISONS
"""No products or shifts to the left: numbers have 32 bits here, and 64 in other kernels."""


_FOLD: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sqrt": np.sqrt,
    "fabs": abs,
    "floor": np.floor,
    "bitand": lambda a, b: a & b,
    "bitor": lambda a, b: a | b,
    "shr": lambda a, b: a >> b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}
"""What is computed at once where all operands are known."""


class Recorder:
    """Records systems, one after the other, as one program.

    Args:
        real: the world's float type.
        constants: arrays of constant fields, ``(rows, *item, 1)``, on the host.
        rows: the number of rows of tables.
    """

    def __init__(self, real: str, constants: Callable[[Field], np.ndarray], rows: Callable[[Any], int]) -> None:
        self.real = np.dtype(real).type
        self.ops: list[Op] = []
        self._stored: dict[Place, Value] = {}
        self._loaded: dict[Place, Value] = {}
        self._same: dict[Any, int] = {}
        self._known: dict[int, Any] = {}
        self._constants, self._rows = constants, rows
        self._room = MOST
        self._trail: list[tuple[Place, Value | None]] = []
        """Places stored to, and what was there before: ways are gone back on."""

    def system(self, system: System, room: int = MOST) -> None:
        """Record one more system.

        Args:
            system: it.
            room: operations that all may have together.

        Raises:
            Dynamic: it cannot be recorded; what has been recorded of it is of no use.
            TooLong: there is not enough room; the same.
        """
        self._room = room
        body = _recordable(self, system.function)
        given = {name: self._argument(access) for name, access in system.arguments.items()}
        with np.errstate(all="ignore"):
            if system.over is None:
                body((_LANE,), **given)
                return
            rows = range(self._rows(system.over))
            if len(rows) > room:  # to find that out row by row takes minutes where there are millions
                raise TooLong
            for row in reversed(rows) if system.order == "reverse" else rows:
                body(row, _LANE, **given)

    def mark(self) -> tuple[Any, ...]:
        """What has been recorded so far, for :meth:`back_to`."""
        self._trail.clear()
        return len(self.ops), *(dict(kept) for kept in (self._stored, self._loaded, self._same, self._known))

    def back_to(self, mark: tuple[Any, ...]) -> None:
        """Forget what has been recorded since."""
        length, self._stored, self._loaded, self._same, self._known = mark
        del self.ops[length:]

    def _argument(self, access: Any) -> Any:
        if access.mode == "rows":
            return access.target if isinstance(access.target, int) else self._rows(access.target)
        if access.target.constant:
            return _Known(self._constants(access.target), access.target)
        return _Items(self, access.target)

    # -- what fields do --------------------------------------------------------------------------------------

    def load(self, place: Place) -> Value:
        """The number that is at a place now."""
        found = self._stored.get(place)
        if found is not None:
            # A product must not become part of a sum because it happens to be in a register, nor a constant be computed
            # with beforehand, which rounds otherwise.
            known = self._known.get(found.at)
            is_constant = found.kind == "r" and known is not None and abs(known) not in (0.0, 1.0)
            if is_constant or self.ops[found.at].name == "mul":
                return self._append(Op("kept", found.kind, (found.at,)))
            return found
        found = self._loaded.get(place)
        if found is None and place[0].private:
            raise Dynamic(f"{place[0].key} is private and read before it is written")
        if found is None:
            found = self._append(Op("load", "r" if place[0].dtype == "real" else "i", (), place))
            self._loaded[place] = found
        return found

    def store(self, place: Place, value: Any) -> None:
        """Put a number at a place."""
        kind = "r" if place[0].dtype == "real" else "i"
        made = self._made(value, kind)
        if made.kind != kind:
            raise Dynamic(f"{place[0].key} is given a number of another type")
        self._trail.append((place, self._stored.get(place)))
        self._stored[place] = made
        if not place[0].private:
            self._append(Op("store", "", (made.at,), place))

    def fork(self, names: dict[str, Any], assigned: tuple[str, ...]) -> _Way:
        """Where two ways begin of which a number decides; what names of the function are there."""
        return _Way({name: names.get(name, _UNBOUND) for name in assigned}, len(self._trail), {})

    def turn(self, begin: _Way, names: dict[str, Any]) -> _Way:
        """The end of a way, and what it has stored; back to where it began."""
        stored = {place: self._stored[place] for place, _ in self._trail[begin.at :]}
        for place, before in reversed(self._trail[begin.at :]):
            if before is None:
                del self._stored[place]
            else:
                self._stored[place] = before
        del self._trail[begin.at :]
        return _Way({name: names.get(name, _UNBOUND) for name in begin.names}, begin.at, stored)

    def join(self, condition: Value, begin: _Way, first: _Way, names: dict[str, Any]) -> tuple[Any, ...]:
        """The end of both ways: what the names are, and fields, of which each way may have stored some."""
        test = self._truth(condition)
        second = self.turn(begin, names)
        for place in {**first.stored, **second.stored}:
            values = [way.stored[place] if place in way.stored else self.load(place) for way in (first, second)]
            self.store(place, self._either(test, *values))
        pairs = zip(first.names.values(), second.names.values(), strict=True)
        return tuple(
            a if a is b else _UNBOUND if a is _UNBOUND or b is _UNBOUND else self._either(test, a, b) for a, b in pairs
        )

    @staticmethod
    def known(condition: Any) -> bool:
        """Whether it is known which way to go."""
        return not isinstance(condition, Value)

    @staticmethod
    def refuse() -> None:
        """Where a way leaves a loop or the function."""
        raise Dynamic("a number decides about a loop")

    # -- what numbers do -------------------------------------------------------------------------------------

    def operate(self, name: str, first: Any, second: Any = None) -> Any:
        """The result of an operation on one or two numbers; of two, one may be known."""
        a = first if type(first) is Value else self._made(first, "r" if second is None else second.kind)
        kind = a.kind
        if kind == "b" and name not in ("eq", "ne", "bitand", "bitor"):
            raise Dynamic(f"{name} of truth values")
        b = second if type(second) is Value or second is None else self._made(second, kind)
        if (b is not None and b.kind != kind) or name not in (OF_REALS if kind == "r" else OF_INTEGERS):
            raise Dynamic(f"{name} of {kind} and {kind if b is None else b.kind}")
        result = "b" if name in COMPARISONS else kind
        operands = (a.at,) if b is None else (a.at, b.at)
        at = self._same.get((name, operands))
        if at is not None:
            return Value(self, at, result)
        known = [self._known[o] for o in operands if o in self._known]
        if len(known) == len(operands):
            found = _FOLD[name](*known)
            return bool(found) if result == "b" else self._made(found, kind)
        if known and kind == "r" and b is not None:
            simple = self._simplified(name, a, b)
            if simple is not None:
                return simple
        return self._append(Op(name, result, operands))

    def select(self, condition: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
        """``yes() if condition else no()``."""
        if not isinstance(condition, Value):
            return yes() if condition else no()
        test = self._truth(condition)
        return self._either(test, yes(), no())

    def _either(self, test: Value, a: Any, b: Any) -> Any:
        if isinstance(a, tuple):
            return tuple(self._either(test, x, y) for x, y in zip(a, b, strict=True))
        kinds = {v.kind for v in (a, b) if isinstance(v, Value)}
        kind = kinds.pop() if kinds else "b" if isinstance(a, bool) else "i"
        first, second = self._made(a, kind), self._made(b, kind)
        if first.kind != second.kind:
            raise Dynamic("alternatives of different types")
        if first.at == second.at:
            return first
        return self._append(Op("select", kind, (test.at, first.at, second.at)))

    def both(self, *terms: Callable[[], Any]) -> Any:
        """``a and b and ...``, of conditions."""
        return self._logic("both", False, terms)

    def any_of(self, *terms: Callable[[], Any]) -> Any:
        """``a or b or ...``, of conditions."""
        return self._logic("any", True, terms)

    def _logic(self, name: str, decides: bool, terms: tuple[Callable[[], Any], ...]) -> Any:
        found: Any = not decides
        now: Any = found
        for term in terms:
            now = term()
            if isinstance(now, Value):
                now = self._truth(now)
                found = self._append(Op(name, "b", (found.at, now.at))) if isinstance(found, Value) else now
            elif bool(now) == decides:
                return decides if isinstance(found, Value) else now
        return found if isinstance(found, Value) else now

    def negated(self, condition: Any) -> Any:
        """``not a``."""
        if not isinstance(condition, Value):
            return not condition
        return self._append(Op("not", "b", (self._truth(condition).at,)))

    def _truth(self, value: Value) -> Value:
        return value if value.kind == "b" else self.operate("ne", value, 0 if value.kind == "i" else 0.0)

    def extreme(self, name: str, *terms: Any) -> Any:
        """``min`` or ``max`` of numbers: the first, unless a later one is less (more)."""
        found = terms[0]
        for term in terms[1:]:
            pair = (term, found)
            if any(isinstance(t, Value) for t in pair):
                closer = self.operate("lt" if name == "min" else "gt", *pair)
            else:
                closer = term < found if name == "min" else term > found
            found = self.select(closer, lambda term=term: term, lambda found=found: found)
        return found

    def number(self, value: Any) -> Any:
        """A number of the world's float type."""
        if not isinstance(value, Value):
            return self._made(float(value), "r")
        return self._append(Op("real", "r", (value.at,))) if value.kind == "i" else value

    def integer(self, value: Any) -> Any:
        """A number without what is behind the point."""
        if not isinstance(value, Value):
            return int(value)
        return self._append(Op("int", "i", (value.at,))) if value.kind == "r" else value

    def _made(self, value: Any, kind: str) -> Value:
        """A number as a value; known ones have one for each kind and number (0.0 and -0.0 are two)."""
        if isinstance(value, Value):
            return value
        if kind == "r":
            value = self.real(value)
        elif kind == "b":
            value = bool(value)
        elif isinstance(value, bool | int | np.integer):
            value = int(value)
        else:
            raise Dynamic("a float among integers")
        key = (kind, value, math.copysign(1.0, value))
        at = self._same.get(key)
        if at is None:
            self._append(Op("const", kind, (), None, value))
            at = self._same[key] = len(self.ops) - 1
            self._known[at] = value
        return Value(self, at, kind)

    def _simplified(self, name: str, a: Value, b: Value) -> Any:
        """What leaves a number as it is, and products with 0: axes that are not there (numbers are finite)."""
        x, y = self._known.get(a.at), self._known.get(b.at)
        if name == "mul":
            if x == 0 or y == 0:
                return self._made(0.0, "r")
            return b if x == 1 else a if y == 1 else None
        if name == "add":
            return b if x == 0 else a if y == 0 else None
        if name == "sub":
            return a if y == 0 else self.operate("neg", b) if x == 0 else None
        return a if name == "div" and y == 1 else None

    def _append(self, op: Op) -> Value:
        key = op[0], op[2]
        at = self._same.get(key) if op[2] and op[0] != "store" else None
        if at is None:
            at = len(self.ops)
            if at >= self._room:
                raise TooLong
            self.ops.append(op)
            self._same[key] = at
        return Value(self, at, op[1])


class _Unbound:
    """What a name is that nothing has been assigned to on one of two ways."""

    def __getattr__(self, name: str) -> Any:
        raise Dynamic("a name that only one of two ways assigns is used after them")


_UNBOUND: Any = _Unbound()


class _Way(NamedTuple):
    """What names of a function are at some point of it, and what has been stored on the way there."""

    names: dict[str, Any]
    at: int
    """Stores before it."""
    stored: dict[Place, Value]


class _Lane:
    """The environment; there is one."""


_LANE = _Lane()


class _Known:
    """A constant field: its items are what they are."""

    def __init__(self, array: np.ndarray, declared: Field) -> None:
        self._array, self._declared = array, declared

    def __getitem__(self, index: Any) -> Any:
        found = self._array[(*(i.__index__() for i in index[:-1]), 0)].item()
        if self._declared.dtype == "real":
            raise Dynamic(f"{self._declared.key} is constant and real")
        return found


class _Items:
    """Any other field."""

    def __init__(self, recorder: Recorder, declared: Field) -> None:
        self._recorder, self._declared, self._shape = recorder, declared, declared.shape

    def _place(self, index: Any) -> Place:
        at = 0
        for one, size in zip(index[1:-1], self._shape, strict=True):
            at = at * size + one.__index__()
        return self._declared, index[0].__index__(), at

    def __getitem__(self, index: Any) -> Value:
        return self._recorder.load(self._place(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._recorder.store(self._place(index), value)


class _Math:
    """The module math."""

    def __init__(self, recorder: Recorder) -> None:
        self.inf, self.pi = recorder.number(math.inf), recorder.number(math.pi)
        self._recorder = recorder

    def sqrt(self, x: Any) -> Any:
        """Square root."""
        return self._recorder.operate("sqrt", x)

    def fabs(self, x: Any) -> Any:
        """Absolute value."""
        return self._recorder.operate("fabs", x)

    def floor(self, x: Any) -> Any:
        """Largest whole number that is not above."""
        return self._recorder.operate("floor", x)

    def __getattr__(self, name: str) -> Any:
        raise Dynamic(f"math.{name}")


def _recordable(recorder: Recorder, function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, of values."""
    if hasattr(function, "__phalanx_primitive__"):
        raise Dynamic(f"{function.__name__}()")
    code = code_of(function)
    if {"local", "local_int", "block_memory"} & names_in(code):
        raise Dynamic("scratch: what each of two ways stores in it is not kept apart")
    names: dict[str, Any] = {
        "_record": recorder,
        "math": _Math(recorder),
        "min": lambda *terms: recorder.extreme("min", *terms),
        "max": lambda *terms: recorder.extreme("max", *terms),
        "abs": lambda x: recorder.operate("fabs", x) if isinstance(x, Value) else abs(x),
        "real": recorder.number,
        "float": recorder.number,
        "int": recorder.integer,
        "spread": range,
        "locals": locals,
    }
    for name in names_in(code):
        if name not in names and name in function.__globals__:
            value = function.__globals__[name]
            if type(value) is float:
                value = recorder.number(value)
            elif hasattr(value, "__phalanx_function__"):
                value = _recordable(recorder, value)
            names[name] = value
    return FunctionType(code, names)
