"""Loops whose iterations several GPU threads share: ``for k in spread(low, high)``.

A thread that goes through a whole environment waits for memory at each row, and a few thousand environments are too
few threads to hide that. In systems with spread loops TEAM threads of one warp have an environment together. All of
them run the code between the loops, so all know where they are, but only the first one stores; in a spread loop each
takes every TEAM-th iteration; sums (``x[0, e] += ...``) are kept in registers and joined after it by shuffles, always
in the same order. Private fields are registers of each thread. Measured in docs/decisions/0014-teams.md.

Threads wait for each other where one would otherwise see a field before or after another one has stored it. Within a
plain loop or branch that both loads and stores a field there is no such place: what comes from there may not decide
where a team goes, nor enter a spread loop; such systems are refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from typing import Any, TypeGuard

from phalanx.ecs.cache.answers import recalled
from phalanx.ecs.cache.identity import of_system
from phalanx.ecs.declare import System
from phalanx.ecs.errors import DeclarationError
from phalanx.ecs.source.functions import LANE_LOOP, parse, without_docstring
from phalanx.ecs.source.walk import walk
from phalanx.ecs.text.statements import (
    assigned_to,
    field_of,
    has_spread,
    is_lane_loop,
    is_spread,
    names_in,
    statements_of,
)
from phalanx.ecs.text.sums import Sums
from phalanx.ecs.text.team_fields import TeamFields

TEAM = 8
"""Threads of a team. Part of what a world computes: sums depend on it in their last digits."""

_FIRST = "_rank == 0"


@cache
def is_wide(system: System) -> bool:
    """Whether one spread loop is all that a system does, and its iterations add to nothing in common.

    Then threads need not know of each other: a team would stand on different rows, while threads of neighbouring
    environments on the same row read all of each memory sector.
    """
    return recalled("wide", [of_system(system)], lambda: _is_wide(system))


def _is_wide(system: System) -> bool:
    *before, last = without_docstring(parse(system.function).body)
    fields = system.field_arguments
    stores = [n for s in before for n in walk(s) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    if not is_spread(last) or any(has_spread(s) for s in before) or any(field_of(n) in fields for n in stores):
        return False
    return _rewritten(system).sums == 0


def _rewritten(system: System) -> Team:
    """What rewrites a system, once it has."""
    statements = without_docstring(parse(system.function).body)
    for loop in (n for s in statements for n in walk(s) if isinstance(n, ast.For)):
        loop.iter = ast.parse(LANE_LOOP, mode="eval").body if _is_lanes(loop, system) else loop.iter
    team = Team(system)
    team.rewrite(statements)
    return team


def can_be_shared_out(system: System) -> bool:
    """Whether a team could compute a system soundly."""
    try:
        _rewritten(system)
    except DeclarationError:
        return False
    return True


def _is_lanes(loop: ast.For, system: System) -> bool:
    return isinstance(loop.iter, ast.Name) and loop.iter.id == system.leading[0]


def is_team(system: System) -> bool:
    """Whether kernels of a system run with a team of threads for each environment."""
    return system.spreads and not is_wide(system)


def over_blocks(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a wide system, with rows of blocks sharing out the loop."""
    loop = statements[-1]
    assert is_spread(loop) and isinstance(loop.iter, ast.Call)
    bounds = [ast.unparse(bound) for bound in loop.iter.args]
    low, high = ("0", bounds[0]) if len(bounds) == 1 else bounds
    text = f"range(({low}) + signed(cuda.blockIdx.y), {high}, signed(cuda.gridDim.y))"
    loop.iter = ast.parse(text, mode="eval").body
    return statements


def in_turn(statements: Iterable[ast.stmt]) -> list[ast.stmt]:
    """The same loops for one thread."""
    found = list(statements)
    for statement in found:
        for node in walk(statement):
            if is_spread(node) and isinstance(node.iter, ast.Call):
                node.iter.func = ast.Name("range", ast.Load())
    return found


def _guarded(*statements: ast.stmt) -> ast.If:
    """Statements for the first thread of a team alone."""
    return ast.If(ast.parse(_FIRST, mode="eval").body, list(statements), [])


def _is_guarded(node: ast.stmt | None) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and ast.unparse(node.test) == _FIRST


def _append(found: list[ast.stmt], statement: ast.stmt) -> None:
    """Add a statement; one for the first thread to those for it alone that it follows upon."""
    last = found[-1] if found else None
    if _is_guarded(statement) and _is_guarded(last):
        last.body += statement.body
    else:
        found.append(statement)


class Team(TeamFields):
    """Rewrites the body of one system."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.stale: set[str] = set()

    def rewrite(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The statements for one thread of a team."""
        while True:
            before = len(self.stale)
            for statement in statements:
                self._find_stale(statement, frozenset(), False)
            if len(self.stale) == before:
                break
        self._check_escapes(statements)
        return self._block(statements, _Section())

    # -- who stores what, and who loads it -------------------------------------------------------------------

    def is_guarded(self, node: ast.AST) -> TypeGuard[ast.Assign | ast.AugAssign]:
        """Whether the first thread alone runs a statement: it stores to a field."""
        return isinstance(node, ast.Assign | ast.AugAssign) and any(
            field_of(t) in self.fields for t in assigned_to(node)
        )

    def mentions(self, node: ast.AST) -> set[str]:
        """Fields that the system stores, and some thread loads or stores in a statement or expression."""
        return {n.id for n in walk(node) if isinstance(n, ast.Name)} & self.stored

    def loads(self, node: ast.AST) -> set[str]:
        """Those that all threads load."""
        if self.is_guarded(node):
            return set()
        found = {node.id} & self.stored if isinstance(node, ast.Name) else set()
        return found.union(*map(self.loads, ast.iter_child_nodes(node)))

    def stores(self, node: ast.AST) -> set[str]:
        """Those that are stored."""
        if self.is_guarded(node):
            return {field_of(t) for t in assigned_to(node)}
        return set().union(*map(self.stores, ast.iter_child_nodes(node)))

    # -- what may be out of date -----------------------------------------------------------------------------

    def _is_stale(self, node: ast.AST | None, unordered: frozenset[str] = frozenset()) -> bool:
        return bool(names_in(node, ast.Load) & (self.stale | unordered))

    def _find_stale(self, node: ast.stmt, unordered: frozenset[str], decided: bool) -> None:
        """Collect names whose value, or whether they are assigned, threads may not agree on.

        They may where a loop or branch both loads and stores a field (``unordered``), with no place to wait in between.
        """
        if is_spread(node) or self.is_guarded(node):
            return
        if isinstance(node, ast.Assign | ast.AugAssign):
            if decided or self._is_stale(node.value, unordered):
                for target in assigned_to(node):
                    is_item = isinstance(target, ast.Subscript)
                    self.stale |= {field_of(target)} if is_item else names_in(target, ast.Store)
            return
        if isinstance(node, ast.For | ast.While | ast.If):
            if not is_lane_loop(node) and not has_spread(node):
                unordered |= self.loads(node) & self.stores(node)
            decided = decided or self._is_stale(node.iter if isinstance(node, ast.For) else node.test, unordered)
            for inner in (*node.body, *node.orelse):
                self._find_stale(inner, unordered, decided)

    def _check_escapes(self, statements: list[ast.stmt]) -> None:
        """What a spread loop assigns is each thread's own; nothing after it may use it."""
        inside: set[str] = set()
        loops = [n for s in statements for n in walk(s) if is_spread(n)]
        for loop in loops:
            inside |= names_in(loop, ast.Store)
        within = {id(n) for loop in loops for n in walk(loop)}
        outer = [n for s in statements for n in walk(s) if id(n) not in within and isinstance(n, ast.Name)]
        known = {n.id for n in outer if isinstance(n.ctx, ast.Store)}
        for node in outer:
            if isinstance(node.ctx, ast.Load) and node.id in inside - known:
                raise self.error(node, f"{node.id} is assigned in a spread loop, and means nothing after it")

    # -- rewriting -------------------------------------------------------------------------------------------

    def _block(self, statements: list[ast.stmt], section: _Section) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in statements:
            if is_lane_loop(statement):
                assert isinstance(statement, ast.For)
                if has_spread(statement):
                    raise self.error(statement, "spread loops go around the loop over lanes, not into it")
                statement.body = self._block(statement.body, section)
                found.append(statement)
            elif is_spread(statement):
                touched, stores = self.mentions(statement), self.stores(statement)
                if touched & section.stored or stores & section.touched:
                    found += section.wait()
                section.add(touched, touched, stores, by_all=stores)
                found += self._loop(statement)
            elif has_spread(statement):
                found += self._shared_out(statement, section)
            else:
                touched, loads, stores = self.mentions(statement), self.loads(statement), self.stores(statement)
                if touched & section.by_all or loads & section.stored or stores & section.loaded:
                    found += section.wait()
                section.add(touched, loads, stores)
                _append(found, _Stores(self).visit(statement))
        return found

    def _shared_out(self, statement: ast.stmt, section: _Section) -> list[ast.stmt]:
        """A loop or branch with spread loops in it: nothing is under way when it starts, nor at each end."""
        assert isinstance(statement, ast.For | ast.While | ast.If), "nothing else has a body in a kernel"
        head = statement.iter if isinstance(statement, ast.For) else statement.test
        if self._is_stale(head):
            raise self.error(
                statement,
                f"{ast.unparse(head)} comes from a field that the system stores, and decides about a spread loop; "
                "make what it decides a system of its own",
            )
        before = section.wait()
        for name in ("body", "orelse"):
            inner = _Section()
            inner.add(self.mentions(head), self.mentions(head))
            block = self._block(getattr(statement, name), inner)
            setattr(statement, name, [*block, *inner.wait()] if block else [])
        section.add(self.mentions(head), self.mentions(head))
        return [*before, statement]

    def _loop(self, loop: ast.For) -> list[ast.stmt]:
        if any(has_spread(inner) for inner in loop.body):
            raise self.error(loop, "spread loops within spread loops are not supported; spread the outer one")
        if not isinstance(loop.target, ast.Name) or loop.orelse or not isinstance(loop.iter, ast.Call):
            raise self.error(loop, "a spread loop has one variable and no else")
        if any(isinstance(n, ast.Break) for n in walk(loop)):
            raise self.error(loop, "iterations of a spread loop are independent; there is no break")
        bounds = loop.iter.args
        if not 1 <= len(bounds) <= 2 or self._is_stale(loop.iter):
            raise self.error(loop, "spread takes an end, or a start and an end, neither from fields the system stores")
        if both := self.mentions(loop.iter) & self.stores(loop):
            raise self.error(loop, f"the spread loop stores {', '.join(both)}, and its own bounds come from there")
        own = {n for s in loop.body for n in names_in(s, ast.Store)} | {loop.target.id}
        used = {n for s in loop.body for n in names_in(s, ast.Load)}
        if old := sorted(used & self.stale - own):
            raise self.error(
                loop, f"{', '.join(old)} may be out of date in the spread loop: read the field, or compute it, inside"
            )
        sums = Sums(self, loop, own)
        loop.body = sums.rewrite(loop.body)
        low, high = ("0", ast.unparse(bounds[0])) if len(bounds) == 1 else map(ast.unparse, bounds)
        loop.iter = ast.parse(f"range(({low}) + _rank, {high}, {TEAM})", mode="eval").body
        found = [*sums.before(), loop]
        for target, name in sums.found.items():
            found += statements_of(f"{name} = _joined(_mask, {name})")
            add = statements_of(f"{target} += {name}")
            found += add if target.split("[")[0] in self.private else [_guarded(*add)]
        return found


class _Section:
    """Fields that a team has been at since it last waited, of those that the system stores."""

    def __init__(self) -> None:
        self.touched: set[str] = set()
        self.loaded: set[str] = set()
        """Loaded by all threads."""
        self.stored: set[str] = set()
        self.by_all: set[str] = set()
        """Stored in spread loops."""

    def add(self, touched: set[str], loaded: set[str], stored: Iterable[str] = (), by_all: Iterable[str] = ()) -> None:
        """What comes next touches, loads and stores these."""
        self.touched |= touched
        self.loaded |= loaded
        self.stored.update(stored)
        self.by_all.update(by_all)

    def wait(self) -> list[ast.stmt]:
        """Wait, if there is anything to wait for."""
        needed = bool(self.touched)
        self.__init__()
        return statements_of("_wait(_mask)") if needed else []


class _Stores(ast.NodeTransformer):
    """Let the first thread alone store to fields."""

    def __init__(self, team: Team) -> None:
        self.team = team

    def _visit_store(self, node: Any) -> ast.stmt:
        kept = [field_of(t) in self.team.fields for t in assigned_to(node)]
        if any(kept) and not all(kept):
            raise self.team.error(node, "assign to fields and to names apart, in a system with spread loops")
        return _guarded(node) if any(kept) else node

    visit_Assign = visit_AugAssign = _visit_store

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        raise self.team.error(node, "no return in a system with spread loops")
