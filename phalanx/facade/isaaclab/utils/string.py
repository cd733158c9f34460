"""Names: matching them by regular expressions, changing their case, and names of functions."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, Literal

# -- case ------------------------------------------------------------------------------------------------------------


def to_camel_case(snake_str: str, to: Literal["cC", "CC"] = "cC") -> str:
    """``"my_name"`` as ``"myName"`` (``to="cC"``) or ``"MyName"`` (``to="CC"``).

    Raises:
        ValueError: ``to`` is neither.
    """
    if to not in ("cC", "CC"):
        raise ValueError(f'to={to!r}: must be "cC" or "CC"')
    first, *others = snake_str.split("_")
    return "".join([first.title() if to == "CC" else first.lower(), *(other.title() for other in others)])


def to_snake_case(camel_str: str) -> str:
    """``"myName"`` or ``"MyName"`` as ``"my_name"``; capitals in a row are a word: ``"USDFile"`` is ``"usd_file"``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", camel_str)
    return re.sub(r"[\s-]+", "_", words).lower()


# -- functions as text -----------------------------------------------------------------------------------------------


def string_to_slice(s: str) -> slice:
    """``"slice(0, None, 2)"`` as a slice.

    Raises:
        ValueError: it is none.
    """
    number = r"\s*(None|-?\d+)\s*"
    parts = re.fullmatch(rf"slice\({number}(?:,{number})?(?:,{number})?\)", s.strip())
    if parts is None:
        raise ValueError(f'{s!r} is not a slice, such as "slice(0, None, 2)"')
    return slice(*(None if part == "None" else int(part) for part in parts.groups() if part is not None))


def is_lambda_expression(name: str) -> bool:
    """Whether a text is a lambda expression and nothing else."""
    try:
        return isinstance(ast.parse(name.strip(), mode="eval").body, ast.Lambda)
    except SyntaxError:
        return False


def callable_to_string(value: Callable[..., Any]) -> str:
    """A function or class as ``"module:name"``, a lambda as its source text: what :func:`string_to_callable` takes.

    Raises:
        ValueError: it cannot be called, has no name, or is a lambda whose source file is not there.
    """
    if not callable(value):
        raise ValueError(f"not callable: {value!r}")
    name = getattr(value, "__qualname__", None)
    if name is None:
        raise ValueError(f"{value!r} has no name by which it could be found again; use a function or a class")
    return _source_of_lambda(value) if value.__name__ == "<lambda>" else f"{value.__module__}:{name}"


def _source_of_lambda(value: Any) -> str:
    """The source text of a lambda: of those on its line, the one that compiles to the same code."""
    code = value.__code__
    try:
        lines, _ = inspect.findsource(value)
    except OSError:
        raise ValueError(f"the source of {value!r} is not there; use a function instead of a lambda") from None
    source = "".join(lines)
    found = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno]
    texts = [ast.get_source_segment(source, node) or "" for node in found]
    same = [text for text in texts if _compiled(text) == _mentions(code)]
    return " ".join((same or texts)[0].split())


def _compiled(text: str) -> Any:
    """See :func:`_mentions`, of the code of a lambda expression."""
    constants = compile(f"({text})", "lambda", "eval").co_consts
    return _mentions(next(constant for constant in constants if inspect.iscode(constant)))


def _mentions(code: CodeType) -> Any:
    """What code does and mentions, apart from code within it, which knows its place."""
    constants = [repr(constant) for constant in code.co_consts if not inspect.iscode(constant)]
    return code.co_code, code.co_names, code.co_varnames, constants


def string_to_callable(name: str) -> Callable[..., Any]:
    """The function or class that ``"module:name"`` or the text of a lambda stands for. Lambdas are executed as code.

    Raises:
        ValueError: the text has neither form, or there is no such module or name.
        AttributeError: what is found cannot be called.
    """
    if is_lambda_expression(name):
        return eval(name)
    module, colon, path = name.partition(":")
    if not (module and colon and path):
        raise ValueError(f'{name!r}: must be "module:name" or a lambda expression')
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{name!r} cannot be found: {error}") from error
    if not callable(found):
        raise AttributeError(f"{name!r} is not callable but {type(found).__name__}")
    return found


# -- regular expressions ---------------------------------------------------------------------------------------------


def resolve_matching_names(
    keys: str | Sequence[str], list_of_strings: Sequence[str], preserve_order: bool = False
) -> tuple[list[int], list[str]]:
    """Find the names that regular expressions match, in full.

    Args:
        keys: expressions.
        list_of_strings: names.
        preserve_order: whether results are in the order of ``keys``, and for each in the order of the names, instead
            of in the order of the names.

    Returns:
        Indices into ``list_of_strings``, and the names.

    Raises:
        ValueError: a name is matched by two expressions, or an expression matches nothing.
    """
    expressions = [keys] if isinstance(keys, str) else list(keys)
    found = _match(expressions, list_of_strings, preserve_order)
    return [index for index, _ in found], [list_of_strings[index] for index, _ in found]


def resolve_matching_names_values(
    data: dict[str, Any], list_of_strings: Sequence[str], preserve_order: bool = False, strict: bool = True
) -> tuple[list[int], list[str], list[Any]]:
    """Find the names that the keys of a dictionary match, and their values; see :func:`resolve_matching_names`.

    Args:
        data: values by regular expressions.
        list_of_strings: names.
        preserve_order: as there.
        strict: whether each key must match a name.

    Returns:
        Indices into ``list_of_strings``, the names, and their values.

    Raises:
        TypeError: ``data`` is not a dictionary.
        ValueError: a name is matched by two keys, or, if ``strict``, a key matches nothing.
    """
    if not isinstance(data, dict):
        raise TypeError(
            f"Input argument `data` should be a dictionary of values by regular expression, not {type(data).__name__}"
        )
    found = _match(list(data), list_of_strings, preserve_order, strict)
    values = list(data.values())
    indices = [index for index, _ in found]
    return indices, [list_of_strings[index] for index in indices], [values[key] for _, key in found]


def _match(
    expressions: Sequence[str], names: Sequence[str], by_expression: bool, strict: bool = True
) -> list[tuple[int, int]]:
    """Pairs of the index of a name and of the expression that matches it."""
    compiled = [re.compile(expression) for expression in expressions]
    found: list[tuple[int, int]] = []
    for index, name in enumerate(names):
        matching = [key for key, expression in enumerate(compiled) if expression.fullmatch(name)]
        if len(matching) > 1:
            first, second = (expressions[key] for key in matching[:2])
            raise ValueError(f"Multiple matches for {name!r}: both {first!r} and {second!r} match it")
        found.extend((index, key) for key in matching)
    matched = {key for _, key in found}
    missing = [expression for key, expression in enumerate(expressions) if key not in matched]
    if missing and strict:
        raise ValueError(
            f"Not all regular expressions are matched: {', '.join(map(repr, missing))} match none of "
            f"{', '.join(names) or 'no names'}"
        )
    return sorted(found, key=lambda pair: (pair[1], pair[0])) if by_expression else found


def find_unique_string_name(initial_name: str, is_unique_fn: Callable[[str], bool]) -> str:
    """The given name, or the first of it with ``_1``, ``_2``, ... appended for which ``is_unique_fn`` is true."""
    name, number = initial_name, 0
    while not is_unique_fn(name):
        number += 1
        name = f"{initial_name}_{number}"
    return name


def find_root_prim_path_from_regex(prim_path_regex: str) -> tuple[str | None, int | None]:
    """The path above the first segment of an expression that is no plain name, and that segment's number.

    Args:
        prim_path_regex: such as ``/World/envs/env_.*/Robot``.

    Returns:
        ``("/World/envs", 3)``, where the empty segment before the first ``/`` is number 0; ``(None, None)`` without an
        expression.
    """
    segments = str(prim_path_regex).split("/")
    for number, segment in enumerate(segments):
        if set("[]*|^") & set(segment):
            return "/".join(segments[:number]), number
    return None, None
