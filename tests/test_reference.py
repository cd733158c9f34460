"""Every public symbol's text says what a reader of the reference needs: shapes, units, and errors."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

import phalanx as px

SHAPE = re.compile(r"\((n|[a-z_]+|\d+|[A-Z])(, ?[^()]*)?\)|host copies|what :meth:`(inputs|state)` returned")
"""What says the shape of an array: ``(n, num_dof)``, ``(3,)``, ``(n)``."""

UNIT = re.compile(
    r"\b(m|mm|rad|N|s|kg|Hz|J|Pa|K|W|bytes|pixels)\b|m/s|N·m|kg·m|dimensionless|[Ii]ndices|numbers?|booleans|"
    r"control signal|``Component.field``|SI units|what :meth:`(inputs|state)` returned"
)
ARRAY = re.compile(r"\b(Array|ndarray|ArrayLike)\b")


def functions(thing: Any) -> Iterator[tuple[str, Any, Any]]:
    """The public methods and properties of a class that are ours, or a function itself: name, it, its function."""
    if not inspect.isclass(thing):
        yield thing.__name__, thing, thing
        return
    for name in dir(thing):
        member = inspect.getattr_static(thing, name)
        function = getattr(member, "fget", None) or getattr(member, "__func__", member)
        if not name.startswith("_") and inspect.isfunction(function) and function.__module__.startswith("phalanx"):
            yield f"{thing.__name__}.{name}", member, inspect.unwrap(function)


def public() -> list[tuple[str, Any, Any]]:
    found = {}
    for name in px.__all__:
        thing = getattr(px, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            for called, member, function in functions(thing):
                found.setdefault(function, (called, member, function))
    return list(found.values())


PUBLIC = public()


def text(member: Any, function: Any) -> str:
    return inspect.getdoc(member) or inspect.getdoc(function) or ""


def raised(function: Any) -> set[str]:
    """Names of what a function raises itself, but for what says that there is no more."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = (n.exc.func if isinstance(n.exc, ast.Call) else n.exc for n in ast.walk(tree) if isinstance(n, ast.Raise))
    names = {call.id for call in calls if isinstance(call, ast.Name)}
    return {name for name in names if name.endswith("Error")}


def test_what_is_looked_at_is_much() -> None:
    assert len(PUBLIC) > 250 and sum(bool(raised(function)) for *_, function in PUBLIC) > 35


@pytest.mark.parametrize("name", px.__all__)
def test_every_public_name_has_a_text_of_its_own(name: str) -> None:
    thing = getattr(px, name)
    if inspect.isclass(thing) or inspect.isfunction(thing):
        assert (thing.__doc__ or "").strip(), name


def test_every_method_has_a_text() -> None:
    assert not [name for name, member, function in PUBLIC if not text(member, function)]


def test_texts_name_the_errors_that_are_raised() -> None:
    missing = {
        name: wanting
        for name, member, function in PUBLIC
        if (wanting := {each for each in raised(function) if each not in text(member, function)})
    }
    assert not missing


def test_texts_of_arrays_say_shape_and_unit() -> None:
    missing = []
    for name, member, function in PUBLIC:
        types, said = inspect.get_annotations(function), text(member, function)
        takes_arrays = name.split(".")[-1].startswith("set_") and "env_ids" in types
        takes_arrays &= any(kind == "Any" for called, kind in types.items() if not called.endswith("_ids"))
        if (takes_arrays or ARRAY.search(" ".join(map(str, types.values())))) and not (
            SHAPE.search(said) and UNIT.search(said)
        ):
            missing.append((name, said))
    assert not missing
