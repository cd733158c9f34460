"""Names by which elements of a file refer to others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from phalanx.io.formats.mjcf.tree import Context
from phalanx.io.reading.xmltree import Element
from phalanx.models.checks import nearest


@dataclass
class References:
    """What one element refers to, as seen from one context.

    An element outside <replicate> that refers to what is copied is copied itself, once for each copy: there its names
    are those of the copy, where that has them, else those outside.
    """

    context: Context
    own: bool = False
    missing: bool = False

    def find(self, table: Iterable[str], word: str, element: Element, what: str) -> str:
        """The name in the scene of a body, joint, geom, site or tendon; empty if this context does not have it.

        Raises:
            LoadError: nobody has it.
        """
        context: Context | None = self.context
        while context is not None:
            name = context.name(word)
            if name in table:
                self.own |= context is self.context
                return name
            context = context.outer
        name = self.context.name(word)
        if (what, word) not in self.context.source.names:
            raise element.error(f'the {what} "{name}" does not exist{nearest(name, table)}')
        self.missing = True
        return ""

    @property
    def apply(self) -> bool:
        """Whether the element is to be read in this context."""
        return not self.missing and (self.own or self.context.outer is None)
