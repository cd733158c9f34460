"""Loops over lanes that leave padding out.

The last block of environments is padded to whole vectors. Where lanes do the same side by side the padding costs
nothing. Where each lane has loops of its own it costs as much as environments do, or more: its numbers are nobody's, so
robots that are far apart in a scene may all lie in each other there.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from phalanx.ecs.source.walk import walk
from phalanx.ecs.text.addresses import called
from phalanx.ecs.text.statements import is_lane_loop

END = "_end"
"""What generated text calls the end of a block without its padding."""


def looping(helpers: Sequence[ast.FunctionDef], constants: Collection[str]) -> set[str]:
    """Names of helpers that have a loop whose number of turns is not written there, or call one that has.

    Args:
        helpers: each after those that it calls.
        constants: names that stand for numbers.
    """
    found: set[str] = set()
    for helper in helpers:
        if any(_has_loop(statement, found, constants) for statement in helper.body):
            found.add(helper.name)
    return found


def without_padding(statements: Sequence[ast.stmt], helpers: Collection[str], constants: Collection[str]) -> bool:
    """Let loops over lanes within which lanes have loops of their own end at :data:`END`.

    Args:
        statements: of generated text; they are changed.
        helpers: those of :func:`looping`.
        constants: names that stand for numbers.

    Returns:
        Whether there is such a loop.
    """
    found = False
    for loop in [n for s in statements for n in walk(s) if is_lane_loop(n)]:
        if any(_has_loop(inner, helpers, constants) for inner in loop.body):
            loop.iter = ast.parse(f"range(_low, {END})", mode="eval").body
            found = True
    return found


def _has_loop(node: ast.AST, helpers: Collection[str], constants: Collection[str]) -> bool:
    return any(
        isinstance(n, ast.While)
        or (isinstance(n, ast.For) and not _is_counted(n, constants))
        or (isinstance(n, ast.Call) and called(n) in helpers)
        for n in walk(node)
    )


def _is_counted(loop: ast.For, constants: Collection[str]) -> bool:
    return isinstance(loop.iter, ast.Call) and all(
        isinstance(bound, ast.Constant) or (isinstance(bound, ast.Name) and bound.id in constants)
        for bound in loop.iter.args
    )
