"""Labels of prims as cameras see them: those of the prim and of all above it."""

from __future__ import annotations

from phalanx.facade.isaaclab.sim.utils.semantics import get_labels
from phalanx.facade.isaacsim.core.utils.semantics import get_semantics
from phalanx.io.formats.usd.bindings import Prim

Chain = tuple[tuple[str, frozenset[tuple[str, str]]], ...]
"""Paths of the prims with labels, from the root down to a prim, and the (kind, label) pairs that each has."""


def own_labels(prim: Prim) -> frozenset[tuple[str, str]]:
    """(kind, label) of each label of a prim: of ``SemanticsLabelsAPI`` and of ``SemanticsAPI``."""
    found = [(kind, label) for kind, labels in get_labels(prim).items() for label in labels]
    return frozenset([*found, *((kind, label) for kind, label in get_semantics(prim).values() if label)])


class Labels:
    """Labels of prims of a stage, each looked up once."""

    def __init__(self) -> None:
        self._known: dict[str, Chain] = {"/": ()}

    def chain(self, prim: Prim) -> Chain:
        """Of a prim."""
        path = str(prim.GetPath())
        if path not in self._known:
            above, own = self.chain(prim.GetParent()), own_labels(prim)
            self._known[path] = (*above, (path, own)) if own else above
        return self._known[path]
