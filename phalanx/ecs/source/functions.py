"""The text of systems and helpers, and what they reach through their modules."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import textwrap
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from phalanx.ecs.declare import System, block_memory, local, local_int, real, spread
from phalanx.ecs.errors import DeclarationError
from phalanx.ecs.source.walk import walk

LANE_LOOP = "range(_low, _high)"
"""How generated text goes over lanes."""

MISSING = object()


@cache
def source(function: Callable[..., Any]) -> str:
    """The text of a function's definition; checked, since Python may find another text in its place."""
    if hasattr(function, "__phalanx_source__"):
        return function.__phalanx_source__
    if hasattr(function, "__phalanx_origin__"):  # the same under another name
        origin = function.__phalanx_origin__
        return source(origin).replace(f"def {origin.__name__}(", f"def {function.__name__}(", 1)
    with suppress(OSError, SyntaxError, IndexError):
        text = textwrap.dedent(inspect.getsource(function))
        found = ast.parse(text).body[0]
        if isinstance(found, ast.FunctionDef) and found.name == function.__name__:
            return text
    raise DeclarationError(
        f"{function.__qualname__}: its source cannot be read; systems and their helpers must live in a file, "
        "and the file must not change while it is in use"
    )


def parse(function: Callable[..., Any]) -> ast.FunctionDef:
    """A function's definition."""
    tree = ast.parse(source(function)).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """A body without its docstring."""
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return body[1:]
    return body


def reach(function: Callable[..., Any]) -> tuple[list[FunctionType], dict[str, Any]]:
    """Helpers (callees before callers) and constants that a function reaches through its module's globals."""
    helpers: dict[str, FunctionType] = {}
    constants: dict[str, Any] = {}
    open_: set[str] = set()

    def visit(current: Callable[..., Any]) -> None:
        tree = parse(current)
        own = {a.arg for a in tree.args.args}
        own |= {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for statement in tree.body:
            for node in walk(statement):
                if not isinstance(node, ast.Name) or node.id in own:
                    continue
                name, value = node.id, current.__globals__.get(node.id, MISSING)
                if value is MISSING and hasattr(builtins, name):
                    continue
                if any(value is known for known in (real, local, local_int, spread, block_memory)):
                    continue  # every generated module defines them
                if value is math or isinstance(value, ModuleType):
                    if value is not math:
                        raise DeclarationError(
                            f"{current.__qualname__}: only the module math may be used in kernels, not {name}"
                        )
                elif isinstance(value, bool | int | float):
                    if constants.setdefault(name, value) != value:
                        raise DeclarationError(
                            f"{current.__qualname__}: two constants named {name} with different values"
                        )
                elif getattr(value, "__phalanx_function__", False):
                    if helpers.get(name, value) is not value:
                        raise DeclarationError(f"{current.__qualname__}: two helpers named {name}; rename one")
                    if name in open_ or name in helpers:
                        continue
                    open_.add(name)
                    visit(value)
                    helpers[name] = value
                else:
                    what = "is not defined" if value is MISSING else f"is a {type(value).__name__}"
                    raise DeclarationError(
                        f"{current.__qualname__}: {name} {what}; kernels may use "
                        "numbers of their module, math, and helpers "
                        "marked with @function"
                    )

    visit(function)
    return list(helpers.values()), constants


def forbid_deep_returns(system: System, tree: ast.FunctionDef) -> None:
    """Refuse a return that would leave more than the item."""
    loops = [n for n in walk(tree) if isinstance(n, ast.For | ast.While)]
    nested = [r for loop in loops for r in walk(loop) if isinstance(r, ast.Return)]
    if nested or (system.over is None and any(isinstance(n, ast.Return) for n in walk(tree))):
        raise DeclarationError(f"system {system.name}: return inside a loop is not supported; use a condition")
