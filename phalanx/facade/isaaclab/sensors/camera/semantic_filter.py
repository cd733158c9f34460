"""Which labels count for a camera."""

from __future__ import annotations

import re
from collections.abc import Iterable

Labels = frozenset[tuple[str, str]]
"""(kind, label) pairs."""


class SemanticFilter:
    """A filter of labels.

    Args:
        text: ``"kind : label & !other | another ; kind : *"``: kinds, each with what labels of that kind something must
            have to be kept: alternatives, which are labels that must be there, or must not. ``*`` is any kind, or any
            label. ``,`` parts kinds as ``;`` does. Or a list of kinds, of which all labels are kept.

    Raises:
        ValueError: the text is none of these.
    """

    def __init__(self, text: str | Iterable[str]) -> None:
        if not isinstance(text, str):
            text = "; ".join(f"{kind}: *" for kind in text)
        self._clauses: list[tuple[str, list[tuple[frozenset[str], frozenset[str]]]]] = []
        for clause in filter(str.strip, re.split(r"[;,]", text)):
            kind, colon, terms = (part.strip() for part in clause.partition(":"))
            if not colon or not kind:
                raise ValueError(
                    f'semantic_filter {text!r}: {clause.strip()!r} is not a kind and labels, such as "class: cube"'
                )
            self._clauses.append((kind, [self._alternative(term, text) for term in terms.split("|")]))

    @staticmethod
    def _alternative(term: str, text: str) -> tuple[frozenset[str], frozenset[str]]:
        """Labels that must be there, and labels that must not."""
        words = [word.strip() for word in term.split("&")]
        if not all(word.lstrip("!").strip() for word in words):
            raise ValueError(f"semantic_filter {text!r}: a label is missing in {term.strip()!r}; write * for any")
        wanted = frozenset(word for word in words if not word.startswith("!"))
        return wanted, frozenset(word.lstrip("!").strip() for word in words if word.startswith("!"))

    def kept(self, labels: Labels) -> Labels:
        """Those labels of something that count: those that the filter names, or all of a kind that it does not name."""
        found: set[tuple[str, str]] = set()
        for kind in {kind for kind, _ in labels}:
            own = frozenset(label for each, label in labels if each == kind)
            for wanted_kind, alternatives in self._clauses:
                if wanted_kind not in ("*", kind):
                    continue
                for wanted, unwanted in alternatives:
                    if wanted - {"*"} <= own and not unwanted & own:
                        named = own if "*" in wanted or not wanted else wanted
                        found |= {(kind, label) for label in named}
        return frozenset(found)
