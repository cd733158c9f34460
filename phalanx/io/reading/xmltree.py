"""Reads XML into small elements that know their line, and refuses what could make a parser misbehave.

Robot files come from strangers. Entity declarations (the "billion laughs" and friends) and external
document types are refused before anything is expanded, nothing is ever fetched, and nesting is
bounded. Every error names the file, the line and the element.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from phalanx.io.reading import limits
from phalanx.io.reading.boundary import read_bytes
from phalanx.io.reading.errors import LoadError

_PIECE = 1 << 16
"""Bytes that are parsed at once."""


@dataclass(slots=True, eq=False)
class Element:
    """One XML element. Accessors raise :class:`LoadError` with file, line and the element's own words."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    parent: Element | None = None
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def __repr__(self) -> str:
        return f"<Element {self.label} at {self.file}:{self.line}>"

    @property
    def label(self) -> str:
        """How messages call this element: its tag and name, with the nearest named parent if it has no name."""
        if "name" in self.attributes:
            return f'<{self.tag} name="{self.attributes["name"]}">'
        named = self.parent
        while named is not None and "name" not in named.attributes:
            named = named.parent
        if named is None or named.parent is None:
            return f"<{self.tag}>"
        return f"<{self.tag}> of {named.label}"

    def error(self, message: str) -> LoadError:
        """An error about this element, to be raised by the caller."""
        return LoadError(f"{self.file}:{self.line}: {self.label}: {message}")

    def walk(self) -> Iterator[Element]:
        """It and all elements below it."""
        open_: list[Element] = [self]
        while open_:
            element = open_.pop()
            yield element
            open_.extend(element.children[::-1])

    def all(self, tag: str) -> list[Element]:
        """Children with this tag, in file order."""
        return [child for child in self.children if child.tag == tag]

    def find(self, tag: str) -> Element | None:
        """The child with this tag, or None; an error if there are several."""
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].error(f"there are {len(found)} <{tag}> elements here and one is allowed; remove the others.")
        return found[0] if found else None

    def need(self, tag: str) -> Element:
        """The child with this tag; an error if there is none or several."""
        found = self.find(tag)
        if found is None:
            raise self.error(f"has no <{tag}>; add one.")
        return found

    def get(self, name: str, default: str | None = None) -> str:
        """An attribute's text without surrounding blanks; an error if it is missing and has no default."""
        value = self.attributes.get(name, default)
        if value is None:
            raise self.error(f'attribute "{name}" is missing; add it.')
        return value.strip()

    def number(self, name: str, default: float | None = None, infinite: bool = False) -> float:
        """A finite number (or an infinite one where ``infinite`` allows it)."""
        if name not in self.attributes and default is not None:
            return default
        return self._number(name, self.get(name), infinite)

    def vector(self, name: str, length: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """``length`` finite numbers separated by blanks."""
        if name not in self.attributes and default is not None:
            return default
        words = self.get(name).split()
        if len(words) != length:
            text = self.get(name)
            raise self.error(f'{name}="{text}" has {len(words)} number(s); write {length}, separated by blanks.')
        return tuple(self._number(name, word, False) for word in words)

    def _number(self, name: str, word: str, infinite: bool) -> float:
        try:
            value = float(word.replace("_", "?"))  # Python would read 1_000; XML readers do not
        except ValueError:
            raise self.error(f'{name}="{word}" is not a number.') from None
        if math.isnan(value) or (math.isinf(value) and not infinite):
            raise self.error(f'{name}="{word}" is not a finite number.')
        if abs(value) > limits.LIMITS.number:
            if infinite:  # the greatest number of a type, say
                return math.copysign(math.inf, value)
            raise self.error(f'{name}="{word}" is too large; numbers are at most {limits.LIMITS.number:g}.')
        return value


def parse_xml(path: str | Path) -> Element:
    """Parse a file and return its root element."""
    return parse_bytes(read_bytes(path, "xml_bytes"), str(path))


def parse_bytes(data: bytes, file: str, words: bool = True) -> Element:
    """Parse what is in a file; without ``words`` the text between elements is left out."""
    if data.count(b"<") > limits.LIMITS.elements:  # as a rule there are too many, which is found soon without a tree
        _count(data, file)
    parser = _parser(file)
    count = 0
    stack: list[Element] = []
    roots: list[Element] = []
    texts: list[list[str]] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        parent = stack[-1] if stack else None
        element = Element(tag, attributes, file, parser.CurrentLineNumber, parent)
        if len(stack) >= limits.LIMITS.depth:
            raise element.error(f"nested more than {limits.LIMITS.depth} elements deep; this is no robot file.")
        limits.check("elements", count, element.error)
        (parent.children if parent else roots).append(element)
        stack.append(element)
        texts.append([])

    def end(_tag: str) -> None:
        element, parts = stack.pop(), texts.pop()
        element.text = "".join(parts)

    def text(data: str) -> None:
        if texts:
            texts[-1].append(data)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    if words:
        parser.CharacterDataHandler = text
    _feed(parser, data, file)
    return roots[0]


def _count(data: bytes, file: str) -> None:
    """Refuse what has too many elements, without making them."""
    parser = _parser(file)
    count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > limits.LIMITS.elements:
            limits.check("elements", count, Element(tag, attributes, file, parser.CurrentLineNumber).error)

    parser.StartElementHandler = start
    _feed(parser, data, file)


def _parser(file: str) -> Any:
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse(what: str) -> LoadError:
        return LoadError(
            f"{file}:{parser.CurrentLineNumber}: {what} is not accepted, since expanding it is unsafe; "
            "remove the <!DOCTYPE> and write the values out."
        )

    def entity(name: str, *_: Any) -> None:
        raise refuse(f'the declaration of entity "{name}"')

    def doctype(_name: str, system: str | None, public: str | None, _internal: bool) -> None:
        if system or public:
            raise refuse(f'the external document type "{system or public}"')

    parser.EntityDeclHandler, parser.StartDoctypeDeclHandler = entity, doctype
    return parser


def _feed(parser: Any, data: bytes, file: str) -> None:
    try:
        for at in range(0, len(data), _PIECE):  # after an error nothing more is looked at
            parser.Parse(data[at : at + _PIECE], False)
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        if isinstance(error, LoadError):
            raise
        line = parser.ErrorLineNumber
        reason = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
        if parser.ErrorByteIndex >= len(data.rstrip()):
            advice = "the file ends too early: it is truncated, or a closing tag is missing."
        else:
            advice = "this is not XML; correct this place, or give another file."
        raise LoadError(f"{file}:{line}: {reason}; {advice}") from None
