"""The text of systems, so that a recorder can run it: see :mod:`phalanx.ecs.recorded.recorder`.

Python would decide at once what a conditional expression is, ``and`` and ``or``, and which way a conditional statement
goes; here the recorder is asked, which is ``_record`` in the text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from typing import Any

from phalanx.ecs.source.functions import parse
from phalanx.ecs.source.walk import walk


class _Recordable(ast.NodeTransformer):
    """Write what Python would decide at once, and floats, as calls of the recorder."""

    def __init__(self) -> None:
        self.ways = 0

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        """Known conditions decide; of others both ways are gone."""
        inner = (*node.body, *node.orelse)
        leaves = any(isinstance(n, ast.Return | ast.Break | ast.Continue) for s in inner for n in walk(s))
        names = sorted({n.id for s in inner for n in walk(s) if isinstance(n, ast.Name) and _is_stored(n)})
        node.test, node.body, node.orelse = self.visit(node.test), self._each(node.body), self._each(node.orelse)
        self.ways += 1
        c, s, f = f"_condition{self.ways}", f"_begin{self.ways}", f"_first{self.ways}"
        test = ast.Assign([ast.Name(c, ast.Store())], node.test)
        node.test = ast.Name(c, ast.Load())
        text = f"if _record.known({c}):\n    pass\nelse:\n    _record.refuse()"
        if not leaves:
            assigned = f"({', '.join(names)},) = " if names else ""
            text = (
                f"if _record.known({c}):\n    pass\nelse:\n    {s} = _record.fork(locals(), {tuple(names)!r})\n"
                f"    {f} = _record.turn({s}, locals())\n    {assigned}{s}.names.values()\n"
                f"    {assigned}_record.join({c}, {s}, {f}, locals())"
            )
        both = ast.parse(text).body[0]
        assert isinstance(both, ast.If)
        both.body = [node]
        if not leaves:
            begin, turn, again, join = both.orelse
            both.orelse = [begin, *node.body, turn, again, *node.orelse, join]
        return [test, both]

    def _each(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in statements:
            made = self.visit(statement)
            found += made if isinstance(made, list) else [made]
        return found

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Selections."""
        self.generic_visit(node)
        return _call("select", node.test, _later(node.body), _later(node.orelse))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Of conditions."""
        self.generic_visit(node)
        return _call("both" if isinstance(node.op, ast.And) else "any_of", *map(_later, node.values))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """``not``."""
        self.generic_visit(node)
        return _call("negated", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Floats."""
        return _call("number", node) if isinstance(node.value, float) else node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(ast.Name("_record", ast.Load()), name, ast.Load()), list(arguments), [])


def _later(value: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), value)


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _without_returns(body: list[ast.stmt]) -> list[ast.stmt]:
    """A body in which what follows upon ``if ...: return`` is the other way."""
    for at, statement in enumerate(body):
        if isinstance(statement, ast.Return) and statement.value is None:
            return body[:at] or [ast.Pass()]
        if isinstance(statement, ast.If) and not statement.orelse and _ends(statement.body):
            statement.body = _without_returns(statement.body)
            statement.orelse = _without_returns(body[at + 1 :])
            return body[: at + 1]
    return body


def _ends(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Return) and body[-1].value is None


@cache
def code_of(function: Callable[..., Any]) -> Any:
    """The code of a function as :class:`_Recordable` writes it."""
    tree = parse(function)
    tree.decorator_list, tree.returns, tree.args.defaults = [], None, []
    for argument in tree.args.args:
        argument.annotation = None
    tree.body = _without_returns(tree.body)
    tree = _Recordable().visit(tree)
    code = compile(ast.fix_missing_locations(ast.Module([tree], [])), f"<{function.__name__}, recorded>", "exec")
    return next(constant for constant in code.co_consts if hasattr(constant, "co_code"))
