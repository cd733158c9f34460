"""Values of an asset's data that one kernel reads together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from phalanx.facade.kernels import Reader

Part = tuple[str, Any]
"""A result of a reader, and the index of what of it is a value; ``None``: all of it."""


class One:
    """A reader of one value, by a function."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function

    def read(self) -> dict[str, Any]:
        """The value."""
        return {"value": self._function()}


@dataclass
class Group:
    """Values by name that a reader reads together.

    Args:
        make: makes the reader, when it is used first.
        parts: of each value where it is among the results.
        whole: values that hold others', and so are of no use if one of these is known already.
        follows_from: values of which these are made: if some of those are known from an earlier step, these are made of
            them instead of the simulation's state.
        reader: what reads, once it is made.
    """

    make: Callable[[], Reader | One]
    parts: Mapping[str, Part]
    whole: tuple[str, ...] = ()
    follows_from: tuple[str, ...] = ()
    reader: Reader | One | None = None

    def read(self) -> dict[str, Any]:
        """All values."""
        if self.reader is None:
            self.reader = self.make()
        found = self.reader.read()
        return {
            name: found[key] if index is None else found[key][:, index] for name, (key, index) in self.parts.items()
        }
