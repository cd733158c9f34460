"""What the GPU's compiler is spared: address arithmetic in 64 bits, and Python's iterators.

Fields are flat arrays on the GPU, indexed by one number of 32 bits: 64-bit products take five instructions each
there, and an array of three dimensions has two of them in every access. Loops over ranges become ``while`` loops; the
loop over lanes is the one environment of a thread. Measured in docs/decisions/0014-teams.md.
"""

from __future__ import annotations

import ast
from functools import cache

from phalanx.ecs.cache.answers import recalled
from phalanx.ecs.cache.identity import of_system
from phalanx.ecs.declare import System
from phalanx.ecs.source.functions import LANE_LOOP, parse
from phalanx.ecs.source.walk import walk

MOST_ITEMS = 2**32
"""Items that a field can have."""


def called(node: ast.expr) -> str:
    """The name of what an expression calls; empty if it does not."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


@cache
def flat_arguments(system: System) -> frozenset[str]:
    """Fields that kernels for the GPU take as flat arrays: all but those that helpers are handed whole."""
    return frozenset(recalled("flat", [of_system(system)], lambda: sorted(_flat_arguments(system))))


def _flat_arguments(system: System) -> frozenset[str]:
    named = system.function.__globals__
    calls = (n for n in walk(parse(system.function)) if isinstance(n, ast.Call))
    whole = {
        a.id
        for call in calls
        if not hasattr(named.get(called(call)), "__phalanx_primitive__")  # load_four and its like take flat arrays
        for a in call.args
        if isinstance(a, ast.Name)
    }
    return frozenset(system.field_arguments) - whole


def own_name(name: str) -> str:
    """What a thread's own array is called, in place of the argument of a private field."""
    return f"_own_{name}"


def flatten(system: System, shared: frozenset[str], statements: list[ast.stmt]) -> list[ast.stmt]:
    """Rewrite the body of a kernel that has everything else done to it."""
    flat, loops = _Flat(system, shared), _Loops()
    return [s for statement in statements for s in loops.each(flat.visit(statement))]


def while_loops(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The same of a helper: its arguments are numbers and constant tables."""
    loops = _Loops()
    return [s for statement in statements for s in loops.each(statement)]


class _Flat(ast.NodeTransformer):
    """Index flat arrays: row, item and environment as one number."""

    def __init__(self, system: System, shared: frozenset[str]) -> None:
        self.system, self.shared, self.flat = system, shared, flat_arguments(system)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        name = node.value.id if isinstance(node.value, ast.Name) else ""
        if name not in self.flat or not isinstance(node.slice, ast.Tuple):
            return node
        row, *item, lane = node.slice.elts
        is_private = self.system.arguments[name].target.private
        text = "0" if is_private else ast.unparse(row)
        for index, size in zip(item, self.system.arguments[name].target.shape, strict=True):
            text = f"({text}) * {size} + ({ast.unparse(index)})"
        if is_private:
            node.value = ast.Name(own_name(name), ast.Load())
        elif name in self.shared:
            text = f"unsigned({text})"
        else:
            text = f"_place({text}, _stride, {ast.unparse(lane)})"
        node.slice = ast.parse(text, mode="eval").body
        return node


class _Loops(ast.NodeTransformer):
    """Write loops over ranges as while loops."""

    def __init__(self) -> None:
        self.ends = 0

    def each(self, statement: ast.stmt) -> list[ast.stmt]:
        """What stands for a statement."""
        found = self.visit(statement)
        return found if isinstance(found, list) else [found]

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if called(node.iter) != "range" or node.orelse or _has(node, ast.Continue):
            return node
        assert isinstance(node.iter, ast.Call)
        name = ast.unparse(node.target)
        if ast.unparse(node.iter) == LANE_LOOP:
            return node if _has(node, ast.Break) else [*ast.parse(f"{name} = _low").body, *node.body]
        bounds = [ast.unparse(bound) for bound in node.iter.args]
        low, high = ("0", bounds[0]) if len(bounds) == 1 else bounds[:2]
        step = bounds[2] if len(bounds) == 3 else "1"
        down = step.startswith("-")
        if not step.lstrip("-").isdigit():
            return node
        end = f"_end{self.ends}"
        self.ends += 1
        # A name of its own counts: the body may assign to the loop's.
        count = f"_at{self.ends}"
        head = ast.parse(f"{end} = {high}\n{count} = signed({low})").body
        loop = ast.parse(f"while {count} {'>' if down else '<'} {end}:\n    {name} = {count}").body[0]
        assert isinstance(loop, ast.While)
        loop.body += [*node.body, *ast.parse(f"{count} += {step}").body]
        return [*head, loop]


def _has(loop: ast.For, kind: type[ast.stmt]) -> bool:
    """Whether a statement of a kind belongs to this loop, not to one within."""
    open_: list[ast.AST] = list(loop.body)
    while open_:
        node = open_.pop()
        if isinstance(node, kind):
            return True
        if not isinstance(node, ast.For | ast.While):
            open_ += ast.iter_child_nodes(node)
    return False
