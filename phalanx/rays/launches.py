"""Launches that are made again: checked and bound once for the same arrays and options.

Looking at two dozen arrays, and asking each for its address, takes longer on the host than many casts on a GPU.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

MOST = 64
"""Launches that are remembered."""


class Launches:
    """Launches by what was asked for. Arrays are known by who they are, and are not kept alive."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], tuple[tuple[Any, ...], Callable[[], None]]] = {}

    def again(self, function: Any, arrays: tuple[Any, ...], options: tuple[Any, ...]) -> bool:
        """Launch as the last time with these arrays and options; False if there was none."""
        found = self._known.get((function, options, *map(id, arrays)))
        if found is None:
            return False
        references, launch = found
        for reference, array in zip(references, arrays, strict=True):
            if array is not None and reference() is not array:  # another one that has got its place
                return False
        launch()
        return True

    def remember(
        self, function: Any, arrays: tuple[Any, ...], options: tuple[Any, ...], launch: Callable[[], None]
    ) -> None:
        """Keep a launch; arrays that nothing can refer to weakly are looked at each time."""
        try:
            references = tuple(None if array is None else weakref.ref(array) for array in arrays)
        except TypeError:
            return
        while len(self._known) >= MOST:
            self._known.pop(next(iter(self._known)))
        self._known[(function, options, *map(id, arrays))] = references, launch

    def forget(self) -> None:
        """Drop all: what they were bound to has changed."""
        self._known.clear()
