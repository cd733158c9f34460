"""Systems that run over and over, one after the other, as one kernel for the GPU.

The solver's sweeps are a few short systems, repeated. As kernels each ends when its slowest environment has ended, and
starts with nothing in a multiprocessor's caches. Where all of a repeated sequence can be run by teams
(:mod:`phalanx.ecs.text.teams`), its bodies are joined to one text with a loop around it: a team goes through all turns
of its environment by itself. Measured in docs/decisions/0024-branches-and-fusion.md.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any, NamedTuple

from phalanx.ecs.cache.answers import recalled
from phalanx.ecs.cache.identity import meanings, of_system, reached
from phalanx.ecs.declare import Access, Field, System
from phalanx.ecs.source.functions import MISSING, parse, without_docstring
from phalanx.ecs.source.walk import walk
from phalanx.ecs.text.teams import can_be_shared_out

Kernel = tuple[System, frozenset[str]]
"""A system, and the names of its arguments that have one value for all environments."""

LONGEST = 12
"""Most systems of a sequence whose repetition is looked for."""

TIMES = "_times"
"""The argument that says how often."""

_TURNS = f"""
turns = 0
for e in lanes:
    turns = {TIMES} if {{left}}[0, e] != 0 else 0
"""
_COUNT = f"""
for e in lanes:
    {{counter}}[0, e] += {TIMES} - turns
"""


@dataclass(frozen=True)
class Rest:
    """Environments that a joined system is for, where others have been dealt with.

    Args:
        left: int32, one row: 1 in those that are left.
        counter: int32, one row, which the systems count their turns with, if they do; it is the same everywhere.
    """

    left: Field
    counter: Field | None


class Before(NamedTuple):
    """Systems that run before one of the turns, counted from 0."""

    turn: int
    systems: tuple[System, ...]


def fused(kernels: Sequence[Kernel]) -> list[Kernel]:
    """The same sequence with what is repeated as one kernel, wherever that occurs."""
    groups = sorted(_repeated(kernels), key=len, reverse=True)
    found: list[Kernel] = []
    i = 0
    while i < len(kernels):
        group = next((g for g in groups if _turns(kernels, i, g)), None)
        if group is None:
            found.append(kernels[i])
            i += 1
            continue
        times = _turns(kernels, i, group)
        found.append(_joined(group, times))
        i += times * len(group)
    return found


def repeated(kernels: Sequence[Kernel]) -> set[System]:
    """Systems of such a sequence that are part of something repeated."""
    return {system for group in _repeated(kernels) for system, _ in group}


def _repeated(kernels: Sequence[Kernel]) -> set[tuple[Kernel, ...]]:
    """Sequences that follow upon themselves and can be run by teams."""
    found: set[tuple[Kernel, ...]] = set()
    i = 0
    while i < len(kernels):
        for length in range(2, LONGEST + 1):
            group = tuple(kernels[i : i + length])
            if len(group) == length and _turns(kernels, i, group) > 1 and _join(tuple(s for s, _ in group)) is not None:
                found.add(group)
                i += length * _turns(kernels, i, group) - 1
                break
        i += 1
    return found


def _turns(kernels: Sequence[Kernel], start: int, group: tuple[Kernel, ...]) -> int:
    """How often a group occurs from a place on."""
    times, length = 0, len(group)
    while tuple(kernels[start + times * length : start + (times + 1) * length]) == group:
        times += 1
    return times


def _joined(group: tuple[Kernel, ...], times: int) -> Kernel:
    system = joined(tuple(system for system, _ in group), times)
    shared = {system.arguments[name].target for system, names in group for name in names}
    return system, frozenset(name for name, a in system.field_arguments.items() if a.target in shared)


@cache
def joined(
    systems: tuple[System, ...], times: int, rest: Rest | None = None, before: tuple[Before, ...] = ()
) -> System:
    """Systems that a team can run, ``times`` in turn, as one system; if need be for some environments only.

    Args:
        systems: they.
        times: how many turns.
        rest: for which environments; ``None``: all.
        before: what runs once, before which turns.
    """
    joined = _join(systems, rest, before)
    assert joined is not None
    function, arguments = joined
    one_lane = any(system.one_lane for system in systems)
    arguments = {**arguments, TIMES: Access("rows", times)}
    phase = systems[0].phase
    return System(function, None, "parallel", phase, arguments=arguments, leading=("lanes",), one_lane=one_lane)


@cache
def _join(
    systems: tuple[System, ...], rest: Rest | None = None, before: tuple[Before, ...] = ()
) -> tuple[Any, dict[str, Access]] | None:
    """The function of a joined system and its arguments; ``None`` where the systems cannot be joined."""
    all_systems = (*(system for one in before for system in one.systems), *systems)
    if any(system.over is not None for system in all_systems) or not any(system.spreads for system in all_systems):
        return None
    names: dict[str, Any] = {}
    for system in all_systems:
        for name, value in _globals(system).items():
            if names.setdefault(name, value) is not value and names[name] != value:
                return None  # modules that call different things the same
    arguments = _arguments(all_systems, rest)
    name = systems[0].name + (f"_and_{len(all_systems) - 1}_more" if len(all_systems) > 1 else "_elsewhere")

    def make() -> str | None:
        text = _text(name, systems, rest, before, arguments)
        return text if can_be_shared_out(_defined(text, name, names, arguments)) else None

    turns = (str((one.turn, len(one.systems))) for one in before)
    fields = () if rest is None else (rest.left.key, str(rest.counter and rest.counter.key))
    text = recalled("joined", (*map(of_system, all_systems), *turns, *fields), make)
    return (_defined(text, name, names, arguments).function, arguments) if text is not None else None


def _defined(text: str, name: str, names: dict[str, Any], arguments: dict[str, Access]) -> System:
    """The system of a text."""
    names = dict(names)
    exec(compile(text, f"<{name}>", "exec"), names)
    function = names[name]
    function.__phalanx_source__ = text
    return System(function, None, "parallel", "", arguments=arguments, leading=("lanes",))


def _arguments(systems: Sequence[System], rest: Rest | None) -> dict[str, Access]:
    """The arguments of all, each after its field."""
    found: dict[str, Access] = {}
    for access in (access for system in systems for access in system.arguments.values()):
        _add(found, _field_name(access), access)
    if rest is not None:
        _add(found, _field_name(Access("read", rest.left)), Access("read", rest.left))
        if rest.counter is not None:
            counter = Access("update", rest.counter)
            _add(found, _field_name(counter), counter)
    return found


def _text(
    name: str, systems: Sequence[System], rest: Rest | None, before: Sequence[Before], arguments: dict[str, Access]
) -> str:
    """What systems do, in turn, as one function."""
    number = count()
    body: list[ast.stmt] = []
    for one in before:
        once = ast.parse(f"if _turn == {one.turn}:\n    pass").body[0]
        assert isinstance(once, ast.If)
        once.body = _bodies(one.systems, number)
        body.append(once)
    body += _bodies(systems, number)
    loop = ast.parse(f"for _turn in range({TIMES}):\n    pass").body[0]
    assert isinstance(loop, ast.For)
    loop.body = body
    head_of: list[ast.stmt] = []
    if rest is not None:
        text = _TURNS.format(left=_field_name(Access("read", rest.left)))
        if rest.counter is not None:
            text += _COUNT.format(counter=_field_name(Access("update", rest.counter)))
        head_of = ast.parse(text).body
        loop.iter = ast.parse("range(turns)", mode="eval").body
    head = ast.parse(f"def {name}(lanes, {', '.join([*arguments, TIMES])}):\n    pass").body[0]
    assert isinstance(head, ast.FunctionDef)
    head.body = [*head_of, loop]
    return ast.unparse(head)


def _bodies(systems: Sequence[System], number: Iterator[int]) -> list[ast.stmt]:
    """The statements of systems one after the other, with names of their own."""
    found: list[ast.stmt] = []
    for system in systems:
        renamed = _Rename(system, next(number))
        found += [renamed.visit(s) for s in without_docstring(parse(system.function).body)]
    return found


def _globals(system: System) -> dict[str, Any]:
    """What a system's text, and the helpers it reaches, mean by names that are not their own."""
    found = (meaning for function in reached(system.function) for meaning in meanings(function))
    return {name: value for _, name, value in found if value is not MISSING}


class _Rename(ast.NodeTransformer):
    """Arguments are called after their fields, and other names of a system get its number."""

    def __init__(self, system: System, number: int) -> None:
        tree = parse(system.function)
        own = {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.names = {name: f"{name}_{number}" for name in own} | {system.leading[0]: "lanes"}
        for name, access in system.arguments.items():
            self.names[name] = _field_name(access)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)


def _field_name(access: Access) -> str:
    if access.mode == "rows":
        return f"rows_of_{access.target.name.replace(' ', '_')}"
    return access.target.key.replace(".", "_")


def _add(arguments: dict[str, Access], name: str, access: Access) -> None:
    known = arguments.get(name)
    if known is None or access.mode == "rows":
        arguments[name] = access
        return
    reads, writes = known.reads or access.reads, known.writes or access.writes
    arguments[name] = Access(("update" if reads else "write") if writes else "read", access.target)
