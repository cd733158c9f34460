"""Which loops over lanes of generated text do the same in all lanes, but for the numbers: LLVM is told to vectorise
them.

Its own estimate says no to many that gain by a factor of two to four: what depends on the row alone, as whether a link
has a parent, is a branch in the loop, and LLVM takes it for one on which lanes differ, with masks for all behind it.
Where lanes do load from addresses of their own, the estimate is right. Measured in docs/decisions/0032-dense-loops.md.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from functools import cache, lru_cache

from phalanx.ecs.source.walk import walk


def is_dense(filename: str, line: int) -> bool:
    """Whether the loop that begins there only loads and stores lane beside lane, and nothing is handed from lane to
    lane.
    """
    found = _loops(filename, tuple(linecache.getlines(filename))).get(line)
    if found is None:
        return False
    loop, parameters = found
    inner = [n for s in loop.body for n in walk(s) if isinstance(n, ast.For | ast.While)]
    return all(map(_is_unrolled, inner)) and not _hands_on(loop) and not _gathers(loop, parameters)


@cache
def _loops(filename: str, lines: tuple[str, ...]) -> dict[int, tuple[ast.For, frozenset[str]]]:
    """Loops by line, each with the parameters of the function that it is in."""
    functions = [f for f in ast.parse("".join(lines), filename).body if isinstance(f, ast.FunctionDef)]
    found = {}
    for function in functions:
        parameters = frozenset(a.arg for a in function.args.args)
        found |= {n.lineno: (n, parameters) for n in walk(function) if isinstance(n, ast.For)}
    return found


def _is_unrolled(loop: ast.For | ast.While) -> bool:
    return (
        isinstance(loop, ast.For)
        and isinstance(loop.iter, ast.Call)
        and all(isinstance(bound, ast.Constant) for bound in loop.iter.args)
    )


def _hands_on(loop: ast.For) -> bool:
    """Whether a lane begins with a name's value that another one has left."""
    assigned = stored_in(loop.body)

    def carries(node: ast.AST, known: set[str]) -> bool:
        """Whether a node, run by a lane that has assigned what is known, uses another name; adds what it assigns."""
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                known.add(node.id)
            return isinstance(node.ctx, ast.Load) and node.id in assigned - known
        if isinstance(node, ast.Assign):
            return any(carries(part, known) for part in (node.value, *node.targets))
        if isinstance(node, ast.AugAssign):
            found = isinstance(node.target, ast.Name) and node.target.id not in known
            return found or carries(node.value, known) or carries(node.target, known)
        if isinstance(node, ast.If):
            ways = set(known), set(known)
            found = carries(node.test, known)
            found = any([carries(part, ways[0]) for part in node.body]) or found
            found = any([carries(part, ways[1]) for part in node.orelse]) or found
            known |= ways[0] & ways[1]
            return found
        return any(carries(part, known) for part in ast.iter_child_nodes(node))

    known: set[str] = set()
    return any(carries(statement, known) for statement in loop.body)


def _gathers(loop: ast.For, parameters: frozenset[str]) -> bool:
    """Whether lanes load or store at addresses of their own: an index comes from what differs between lanes."""
    differing = set(names_in(loop.target))
    before = 0
    while before != len(differing):
        before = len(differing)
        for statement in loop.body:
            spread_on(statement, False, differing)
    for node in (n for s in loop.body for n in walk(s)):
        if isinstance(node, ast.Subscript):
            indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if any(names_in(index) & differing for index in indices[:-1]):
                return True
        if isinstance(node, ast.Call) and any(isinstance(a, ast.Name) and a.id in parameters for a in node.args):
            return True  # a helper that indexes an array
    return False


def spread_on(node: ast.stmt, decided: bool, differing: set[str]) -> None:
    """Add the names that a statement assigns, if they may differ between lanes."""
    if isinstance(node, ast.Assign | ast.AugAssign):
        if decided or names_in(node.value) & differing:
            differing |= stored_in([node])
    elif isinstance(node, ast.If):
        decided = decided or bool(names_in(node.test) & differing)
        for inner in (*node.body, *node.orelse):
            spread_on(inner, decided, differing)
    elif isinstance(node, ast.For):
        for inner in node.body:
            spread_on(inner, decided, differing)


@lru_cache(4096)
def names_in(node: ast.AST) -> frozenset[str]:
    """Names that occur in a node."""
    return frozenset(n.id for n in walk(node) if isinstance(n, ast.Name))


def stored_in(statements: Sequence[ast.stmt]) -> set[str]:
    """Names that statements assign."""
    return {n.id for s in statements for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
