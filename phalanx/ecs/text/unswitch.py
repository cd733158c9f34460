"""Loops over lanes that branch on what all lanes have in common become one loop for each way.

LLVM, told to vectorise such a loop, computes both ways and selects. Measured in docs/decisions/0034-concise-ir.md.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from phalanx.ecs.source.walk import walk
from phalanx.ecs.text.vectorise import names_in, spread_on, stored_in

FEWEST = 8
"""Statements in the two ways together that are worth a second loop."""


def unswitched(statements: Sequence[ast.stmt], loop: ast.For) -> list[ast.stmt]:
    """The loop over these statements, or a branch with two of them.

    Args:
        loop: a loop over lanes without a body.
    """
    lane = names_in(loop.target)
    differing = set(lane)
    for statement in statements:
        spread_on(statement, False, differing)
    stored = {
        n.value.id
        for s in statements
        for n in walk(s)
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name)
    }
    for place, branch in enumerate(statements):
        if not isinstance(branch, ast.If) or _count(branch) < FEWEST or names_in(branch.test) & (differing | stored):
            continue
        needed = _slice(statements[:place], names_in(branch.test), stored)
        if needed is None:
            continue
        ways = [
            _with(loop, [*statements[:place], *way, *statements[place + 1 :]]) for way in (branch.body, branch.orelse)
        ]
        return [*needed, ast.If(branch.test, [ways[0]], [ways[1]])]
    return [_with(loop, statements)]


def _with(loop: ast.For, statements: Sequence[ast.stmt]) -> ast.For:
    made = copy.copy(loop)
    made.body = list(statements) or [ast.Pass()]
    return made


def _count(branch: ast.If) -> int:
    return sum(isinstance(n, ast.stmt) for way in (branch.body, branch.orelse) for s in way for n in walk(s))


def _slice(before: Sequence[ast.stmt], wanted: frozenset[str], stored: set[str]) -> list[ast.stmt] | None:
    """The assignments that a test depends on, if they can be made ahead of the loop."""
    assigned = [name for s in before for name in stored_in([s])]
    needed: list[ast.stmt] = []
    missing = set(wanted)
    for statement in reversed(before):
        names = stored_in([statement])
        if not names & missing:
            continue
        if not isinstance(statement, ast.Assign) or any(assigned.count(name) > 1 for name in names):
            return None
        if names_in(statement.value) & stored:
            return None
        needed.insert(0, statement)
        missing |= names_in(statement.value)
    return needed
