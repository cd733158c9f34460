"""How large something becomes that refers to itself in parts: copies of copies, without making them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from phalanx.io.reading import limits
from phalanx.io.reading.errors import LoadError


def expanded(
    top: Any,
    inside: Callable[[Any], Iterable[tuple[Any, int]]],
    limit: str,
    error: Callable[[str], LoadError],
    key: Callable[[Any], Hashable] = lambda part: part,
    known: dict[Hashable, tuple[int, int]] | None = None,
    circles: bool = True,
) -> int:
    """How many parts there are at and below ``top`` once all references are followed.

    Args:
        top: a part.
        inside: of a part those within it, with how often each is there.
        limit: name of the limit of their number; that of ``depth`` holds, too.
        error: makes errors, of a part that is nested too deeply, goes in circles, or becomes too many.
        key: what parts are told apart by.
        known: results of calls before, which are used and added to.
        circles: whether a part that contains itself is an error; else it is passed over there.

    Raises:
        LoadError: there are too many, too deep, or they go in circles.
    """
    sizes: dict[Hashable, tuple[int, int]] = {} if known is None else known  # number of parts, levels
    open_: set[Hashable] = set()
    stack: list[tuple[Any, Any, list[int]]] = []

    def enter(part: Any) -> None:
        open_.add(key(part))
        stack.append((part, iter(inside(part)), [1, 1]))
        limits.check("depth", len(stack), error)

    if key(top) not in sizes:
        enter(top)
    while stack:
        part, parts, total = stack[-1]
        for child, times in parts:
            if key(child) in open_:
                if circles:
                    raise error("it contains itself; break the circle.")
                continue
            if key(child) not in sizes:
                stack[-1] = (part, _again(child, times, parts), total)
                enter(child)
                break
            size, levels = sizes[key(child)]
            total[0] += times * size
            total[1] = max(total[1], levels + 1)
            limits.check(limit, total[0], error)
            limits.check("depth", len(stack) - 1 + total[1], error)
        else:
            stack.pop()
            open_.discard(key(part))
            sizes[key(part)] = (total[0], total[1])
    return sizes[key(top)][0]


def _again(child: Any, times: int, rest: Any) -> Any:
    """The same child once more, when its size is known, and the rest."""
    yield child, times
    yield from rest
