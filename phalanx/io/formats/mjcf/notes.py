"""Collects what is odd or not simulated in a file, so that a thousand elements of one sort make one sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from phalanx.io.formats.scene_file import SOFT
from phalanx.io.reading.xmltree import Element


@dataclass
class Notes:
    """Warnings in the order in which they came up."""

    texts: dict[tuple[str, str], list[Element]] = field(default_factory=dict)
    _attributes: dict[tuple[str, str], list[Element]] = field(default_factory=dict)

    def add(self, element: Element, text: str) -> None:
        """Say something about one element."""
        self.texts.setdefault((element.tag, text), []).append(element)

    def attribute(self, element: Element, name: str) -> None:
        """An attribute is not simulated."""
        self._attributes.setdefault((element.tag, name), []).append(element)

    def sentences(self) -> list[str]:
        """All warnings, one sentence each."""
        found = [f"{_place(one[0])}: {one[0].label}: {text}{_more(one)}" for (_, text), one in self.texts.items()]
        soft: dict[str, list[Element]] = {}
        for (tag, name), elements in self._attributes.items():
            if name.startswith("sol"):
                soft.setdefault(name, []).extend(elements)
                continue
            found.append(f'{_place(elements[0])}: "{name}" of <{tag}> is not simulated{_others(elements)}.')
        if soft:
            first = next(iter(soft.values()))
            named = ", ".join(sorted(soft))
            every = [element for elements in soft.values() for element in elements]
            found.append(f"{_place(first[0])}: {named}: {SOFT}{_others(every)}.")
        return found


def _place(element: Element) -> str:
    return f"{Path(element.file).name}:{element.line}"


def _more(elements: list[Element]) -> str:
    lines = sorted({(element.file, element.line) for element in elements})
    return f" (And so for {len(lines) - 1} more.)" if len(lines) > 1 else ""


def _others(elements: list[Element]) -> str:
    lines = sorted({element.line for element in elements})
    return f" (and {len(lines) - 1} more places)" if len(lines) > 1 else ""
