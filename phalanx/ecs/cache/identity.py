"""What functions and systems are, as short texts that are the same in every process.

What has been made from a function depends on its text, on what the names in it mean, and, for helpers, on the same of
those. To parse texts takes longer than what is to be saved, so of a text its file's is taken, and names are those of
the compiled code; that has names of attributes, too, which does no harm.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from phalanx.ecs.declare import Access, System
from phalanx.ecs.source.functions import MISSING, source

Meaning = tuple[dict[str, Any], str, Any]
"""Globals of a function, a name in its text, and what that means (``MISSING``: nothing, or a builtin)."""


def reached(function: Callable[..., Any]) -> list[FunctionType]:
    """A function and the helpers that it reaches."""
    found: dict[FunctionType, None] = {}
    open_: list[Any] = [function]
    while open_:
        current = open_.pop()
        if current not in found:
            found[current] = None
            open_ += [value for _, _, value in meanings(current) if _is_helper(value)]
    return list(found)


def meanings(function: Any) -> list[Meaning]:
    """What names in a function's text mean that are not its own."""
    own = function.__globals__
    return [(own, name, own.get(name, MISSING)) for name in sorted(names_in(function.__code__))]


def names_in(code: CodeType) -> set[str]:
    """Names that code, and code within it, looks up."""
    return {name for one in _codes(code) for name in one.co_names}


def of_function(function: Callable[..., Any]) -> str:
    """A function with all that it reaches."""
    return _digest(*(line for one in reached(function) for line in _described(one)))


def of_system(system: System) -> str:
    """A system with its declaration, as far as kernels are made from it."""
    tables = [table and table.name for table in (system.over, system.teams_of)]
    how = (system.order, system.leading, system.one_lane, system.used, system.team_size, system.block_threads)
    if system.in_step:
        how = (*how, "in step")
    if system.sums:
        how = (*how, "sums")
    if system.registers:
        how = (*how, f"{system.registers} registers")
    arguments = [(name, *_declared(access)) for name, access in system.arguments.items()]
    return _digest(of_function(system.function), repr((tables, how, system.room, arguments)))


def _described(function: FunctionType) -> Iterator[str]:
    code = function.__code__
    yield f"{function.__name__} {code.co_firstlineno} {_text(function)} {_instructions(code)}"
    for _, name, value in meanings(function):
        if isinstance(value, bool | int | float):
            yield f"{name} {type(value).__name__} {value!r}"
        elif isinstance(value, ModuleType):
            yield f"{name} {value.__name__}"
        else:
            kind = value if isinstance(value, type | FunctionType) else type(value)
            yield f"{name} {kind.__module__} {kind.__qualname__}"


def _declared(access: Access) -> tuple[Any, ...]:
    target = access.target
    if access.mode == "rows":
        return access.mode, target if isinstance(target, int) else target.name
    what = (target.key, target.table.name, target.dtype, target.shape, target.private, target.constant)
    return access.mode, *what


def _is_helper(value: Any) -> bool:
    return isinstance(value, FunctionType) and getattr(value, "__phalanx_function__", False)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Code, and code within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _instructions(code: CodeType) -> str:
    """A text that has been changed since it was compiled must not stand for what it was."""
    parts = [f"{one.co_code!r} {[c for c in one.co_consts if not isinstance(c, CodeType)]}" for one in _codes(code)]
    return _digest(*parts)


def _text(function: FunctionType) -> str:
    """The text that a function is defined by, or that of its whole file."""
    if not hasattr(function, "__phalanx_source__"):
        with contextlib.suppress(OSError):
            path = Path(function.__code__.co_filename)
            status = path.stat()
            return _file(path, status.st_mtime_ns, status.st_size)
    return _digest(source(function))


@cache
def _file(path: Path, changed: int, size: int) -> str:
    """Digest of a file as it is now; it may be changed and loaded again."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
