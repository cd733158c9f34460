"""Questions about statements of a system's body: what they store to, which loops they are."""

from __future__ import annotations

import ast
from typing import TypeGuard

from phalanx.ecs.source.functions import LANE_LOOP
from phalanx.ecs.source.walk import walk
from phalanx.ecs.text.addresses import called


def is_spread(node: ast.AST) -> TypeGuard[ast.For]:
    """Whether this is a loop over ``spread(...)``."""
    return isinstance(node, ast.For) and called(node.iter) == "spread"


def has_spread(node: ast.AST) -> bool:
    """Whether there is such a loop in a statement, or it is one."""
    return any(is_spread(inner) for inner in walk(node))


def names_in(node: ast.AST | None, kind: type[ast.expr_context]) -> set[str]:
    """Names that are loaded (``ast.Load``) or stored (``ast.Store``) in a statement or expression."""
    if node is None:
        return set()
    return {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, kind)}


def assigned_to(node: ast.Assign | ast.AugAssign) -> list[ast.expr]:
    """What an assignment stores to, one by one."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [t for target in targets for t in (target.elts if isinstance(target, ast.Tuple) else [target])]


def is_lane_loop(node: ast.AST) -> TypeGuard[ast.For]:
    """Whether this is the generated loop over lanes."""
    return isinstance(node, ast.For) and ast.unparse(node.iter) == LANE_LOOP


def statements_of(text: str) -> list[ast.stmt]:
    """The statements of a text."""
    return ast.parse(text).body


def field_of(target: ast.AST) -> str:
    """The field that an item belongs to; empty for what is no item."""
    return target.value.id if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) else ""
