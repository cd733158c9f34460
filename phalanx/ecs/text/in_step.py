"""Systems over rows whose loops are the same for all lanes, on the CPU: lanes go through them together.

A system over a table is written for one row and one environment; a loop in it, over a node's elements, say, would be
inside the loop over lanes, which LLVM then cannot vectorise. Here the loop over lanes is put inside instead: what is
the same for all lanes (numbers of neighbours, bounds of loops) is computed once, each stretch of other statements gets
a loop over lanes of its own, and what is handed from one stretch to the next is kept in an array of lanes on the stack.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Sequence

from phalanx.ecs.declare import DeclarationError, System
from phalanx.ecs.text.unswitch import unswitched
from phalanx.ecs.text.vectorise import names_in, stored_in

MOST_LANES = 64
"""Environments of a block, at most (:data:`phalanx.ecs.cpu.program.LANES`)."""


def in_step(system: System, statements: Sequence[ast.stmt], lanes: ast.For) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Statements of an item, for all lanes together.

    Args:
        system: what they are of.
        statements: they; the environment index of a field is that of ``lanes`` or 0.
        lanes: the loop over lanes, without a body.

    Returns:
        Statements that make the arrays, to run once, and those of a row.
    """
    if any(isinstance(n, ast.Continue | ast.Break) for s in statements for n in _outside_loops(s)):
        raise DeclarationError(f"system {system.name}: lanes that go in step cannot return early; use a condition")
    made = _Splitter(lanes, statements)
    found = made.split(statements)
    kept = made.handed_on()
    index = f"{ast.unparse(lanes.target)} - _low"
    for loop in made.loops:
        loop.body = [_Keep(kept, index).visit(s) for s in loop.body]
    split = [w for statement in found for w in _unswitched(statement, made.loops)]
    made_of = f"carray(stack({MOST_LANES}), ({MOST_LANES},), real)"
    return [ast.parse(f"{_array(name)} = {made_of}").body[0] for name in kept], split


def _array(name: str) -> str:
    return f"_lanes_{name}"


def _outside_loops(node: ast.stmt) -> Iterable[ast.AST]:
    """Nodes of a statement that belong to no loop within it."""
    waiting: list[ast.AST] = [node]
    while waiting:
        found = waiting.pop()
        yield found
        if not isinstance(found, ast.For | ast.While):
            waiting += ast.iter_child_nodes(found)


class _Splitter:
    """Splits statements into what lanes have in common and loops over lanes."""

    def __init__(self, lanes: ast.For, statements: Sequence[ast.stmt]) -> None:
        self._lanes = lanes
        self.loops: list[ast.For] = []
        self._differing = set(names_in(lanes.target)) | {ast.unparse(lanes.target).lstrip("_")}
        before = 0
        while before != len(self._differing):
            before = len(self._differing)
            for statement in statements:
                self._spread(statement, False)

    def _spread(self, node: ast.stmt, decided: bool) -> None:
        """Add names that a statement assigns and that may differ between lanes."""
        if isinstance(node, ast.Assign | ast.AugAssign):
            own = names_in(node.value) | (names_in(node.target) if isinstance(node, ast.AugAssign) else frozenset())
            if decided or own & self._differing:
                self._differing |= stored_in([node])
        elif isinstance(node, ast.For | ast.While | ast.If):
            head = node.iter if isinstance(node, ast.For) else node.test
            decided = decided or bool(names_in(head) & self._differing)
            if decided and isinstance(node, ast.For):
                self._differing |= stored_in([ast.Expr(node.target)])
            for inner in (*node.body, *node.orelse):
                self._spread(inner, decided)

    def split(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The same statements with loops over lanes where lanes differ."""
        found: list[ast.stmt] = []
        stretch: list[ast.stmt] = []

        def end() -> None:
            if stretch:
                loop = copy.copy(self._lanes)
                loop.body = list(stretch)
                self.loops.append(loop)
                found.append(loop)
                stretch.clear()

        for statement in statements:
            if self._is_common(statement):
                own, used = stored_in([statement]), names_in(statement)
                if any(names_in(s) & own or stored_in([s]) & used for s in stretch):
                    end()
                found.append(statement)  # before the stretch, which is yet to end
            elif self._is_common_loop(statement):
                end()
                outer = copy.copy(statement)
                assert isinstance(outer, ast.For | ast.If)
                outer.body = self.split(outer.body)
                outer.orelse = self.split(outer.orelse)
                found.append(outer)
            else:
                stretch.append(statement)
        end()
        return found

    def _is_common(self, node: ast.stmt) -> bool:
        """Whether a statement gives names values that are the same in all lanes."""
        targets = node.targets if isinstance(node, ast.Assign) else []
        names = [t for target in targets for t in (target.elts if isinstance(target, ast.Tuple) else [target])]
        return bool(names) and all(isinstance(t, ast.Name) and t.id not in self._differing for t in names)

    def _is_common_loop(self, node: ast.stmt) -> bool:
        """Whether a statement is a loop with the same turns in all lanes, or a branch of all lanes with one in it.

        Loops of so many turns as their text says are not: they are unrolled.
        """
        if isinstance(node, ast.For):
            known = isinstance(node.iter, ast.Call) and all(isinstance(a, ast.Constant) for a in node.iter.args)
            return not known and not names_in(node.iter) & self._differing
        if isinstance(node, ast.If) and not names_in(node.test) & self._differing:
            return any(self._is_common_loop(s) for s in (*node.body, *node.orelse))
        return False

    def handed_on(self) -> list[str]:
        """Names that differ between lanes and occur in more than one of the loops."""
        counts: dict[str, int] = {}
        for loop in self.loops:
            assigned = frozenset().union(*(names_in(s) for s in loop.body)) & self._differing
            for name in assigned - names_in(self._lanes.target):
                counts[name] = counts.get(name, 0) + 1
        stored = stored_in([s for loop in self.loops for s in loop.body])
        return sorted(name for name, count in counts.items() if count > 1 and name in stored)


class _Keep(ast.NodeTransformer):
    """Names that are handed on are items of arrays."""

    def __init__(self, names: Sequence[str], index: str) -> None:
        self._names, self._index = frozenset(names), index

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._names:
            return node
        item = ast.parse(f"{_array(node.id)}[{self._index}]", mode="eval").body
        assert isinstance(item, ast.Subscript)
        item.ctx = node.ctx
        return ast.copy_location(item, node)


def _unswitched(statement: ast.stmt, loops: Sequence[ast.For]) -> list[ast.stmt]:
    """A statement with branches of all lanes taken out of loops over them."""
    if any(statement is loop for loop in loops):
        assert isinstance(statement, ast.For)
        return unswitched(statement.body, statement)
    if isinstance(statement, ast.For | ast.If):
        statement.body = [w for s in statement.body for w in _unswitched(s, loops)]
        statement.orelse = [w for s in statement.orelse for w in _unswitched(s, loops)]
    return [statement]
